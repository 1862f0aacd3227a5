//! Quotients that sums of a resolved access function need not name.
//!
//! Programs take the index of a flat tile apart (`i / w`, `i % w`) and put it together again with the strides of an array. Where that lies in one
//! piece, the quotient falls out of the offset; and limits of quotients and remainders are limits of what is divided:
//!
//! ```text
//! least <= a + r / by <= most   <=>   least by <= a by + r <= most by + by - 1
//! 0 <= r % by <= by - 1         always
//! (a + r / by) / next           =     (a by + r) / (by next)
//! ```

use super::{
    super::{ceil_div, floor_div},
    Affine, Between, Quotient, Resolved, merged,
};

/// The function with the quotients that its sums still name, that the lanes of an access have the same of each among its needs. `None` if a number
/// becomes too large.
pub(super) fn reduced(resolved: Resolved) -> Option<Resolved> {
    let Resolved { offset, mut needs, mut conditions, mut quotients, leaves: first } = resolved;
    for number in 0..quotients.len() {
        let Quotient { of, by } = quotients[number].clone();
        let quotient = Named { leaf: first + number, of, by };
        quotients[number + 1..].iter_mut().for_each(|later| quotient.leave_division(later));
        for limits in [&mut needs, &mut conditions] {
            limits.retain_mut(|between| !quotient.leave_limits(between));
        }
    }
    let resolved = Resolved { offset, needs, conditions, quotients, leaves: first };
    let is_named = named(&resolved);
    numbered_anew(resolved, &is_named)
}

/// Which quotients something names: sums, or quotients that are named themselves.
fn named(Resolved { offset, needs, conditions, quotients, leaves }: &Resolved) -> Vec<bool> {
    let mut is_named = vec![false; quotients.len()];
    for number in (0..quotients.len()).rev() {
        let names = |sum: &Affine| sum.times_of(leaves + number) != 0;
        let limits = needs.iter().chain(conditions).map(|between| &between.value);
        let later = (number + 1..quotients.len()).filter(|later| is_named[*later]).map(|later| &quotients[later].of);
        is_named[number] = [offset].into_iter().chain(limits).chain(later).any(names);
    }
    is_named
}

/// The function with those quotients alone, and the needs that lanes have the same of each. `None` if a number becomes too large.
fn numbered_anew(resolved: Resolved, is_named: &[bool]) -> Option<Resolved> {
    let Resolved { mut offset, mut needs, mut conditions, mut quotients, leaves: first } = resolved;
    for (number, Quotient { of, by }) in quotients.iter().enumerate().filter(|(number, _)| is_named[*number]) {
        needs.push(Between { value: of.clone().plus(&Affine::leaf(first + number), -by)?, least: 0, most: by - 1 });
    }
    let before = |number: usize| is_named[..number].iter().filter(|is_named| **is_named).count();
    let renumber = |sum: &mut Affine| {
        for (leaf, _) in sum.leaves.iter_mut().filter(|(leaf, _)| *leaf >= first) {
            *leaf = first + before(*leaf - first);
        }
    };
    renumber(&mut offset);
    needs.iter_mut().chain(&mut conditions).for_each(|between| renumber(&mut between.value));
    quotients.iter_mut().for_each(|quotient| renumber(&mut quotient.of));
    let mut is_kept = is_named.iter();
    quotients.retain(|_| is_kept.next() == Some(&true));
    Some(Resolved { offset, needs: merged(needs)?, conditions: merged(conditions)?, quotients, leaves: first })
}

/// A quotient, and the leaf that names it.
struct Named {
    leaf: usize,
    of: Affine,
    by: i64,
}

impl Named {
    /// How often a sum has the quotient, and the rest of the sum; `None` if it has it not at all.
    fn taken_from(&self, sum: &Affine) -> Option<(i64, Affine)> {
        let times = Some(sum.times_of(self.leaf)).filter(|times| *times != 0)?;
        let mut rest = sum.clone();
        rest.leaves.retain(|(leaf, _)| *leaf != self.leaf);
        Some((times, rest))
    }

    /// `sum * by + of`.
    fn multiplied(&self, sum: &Affine) -> Option<Affine> {
        self.of.clone().plus(sum, self.by)
    }

    /// Divides at once what a later quotient divides once more, if it does.
    fn leave_division(&self, later: &mut Quotient) {
        if let Some((1, rest)) = self.taken_from(&later.of)
            && let (Some(of), Some(by)) = (self.multiplied(&rest), later.by.checked_mul(self.by))
        {
            *later = Quotient { of, by };
        }
    }

    /// Says of limits what they say of what is divided, if that can be said; whether they hold whatever the quotient is.
    fn leave_limits(&self, between: &mut Between) -> bool {
        let Some((times, rest)) = self.taken_from(&between.value) else { return false };
        let holds_always = self.holds_of_remainder(times, &rest, between);
        if let Some(said) = self.said_of_divided(times, rest, between) {
            *between = said;
        }
        holds_always
    }

    /// Whether the sum is a multiple of the remainder and a constant, and limits leave all that this can be.
    fn holds_of_remainder(&self, times: i64, rest: &Affine, between: &Between) -> bool {
        let constant =
            |multiple: i64| rest.clone().plus(&self.of, multiple.checked_neg()?).filter(Affine::is_constant).map(|sum| sum.constant);
        let reach = |multiple: i64| {
            let (constant, furthest) = (constant(multiple)?, (self.by - 1).checked_mul(multiple)?);
            Some((constant.checked_add(furthest.min(0))?, constant.checked_add(furthest.max(0))?))
        };
        let reach = if times % self.by == 0 { reach(-(times / self.by)) } else { None };
        reach.is_some_and(|(low, high)| between.least <= low && high <= between.most)
    }

    /// What limits of the quotient say of what is divided.
    fn said_of_divided(&self, times: i64, rest: Affine, between: &Between) -> Option<Between> {
        // Of multiples of the quotient alone, and of a constant, limits are those of the quotient.
        let (rest, least, most) = match times {
            1 => (rest, between.least, between.most),
            _ if times > 1 && rest.is_constant() => {
                let bound = |bound: i64| if is_none(bound) { Some(bound) } else { bound.checked_sub(rest.constant) };
                let (least, most) = (bound(between.least)?, bound(between.most)?);
                let least = if is_none(least) { least } else { ceil_div(least, times) };
                let most = if is_none(most) { most } else { floor_div(most, times) };
                (Affine::default(), least, most)
            }
            _ => return None,
        };
        let value = self.multiplied(&rest)?;
        let least = if is_none(least) { least } else { least.checked_mul(self.by)? };
        let most = if is_none(most) { most } else { most.checked_mul(self.by)?.checked_add(self.by - 1)? };
        Some(Between { value, least, most })
    }
}

/// Whether a number stands for no bound.
fn is_none(bound: i64) -> bool {
    matches!(bound, i64::MIN | i64::MAX)
}
