//! An access function as sums of what is not known of it and of multiples of the lanes' indices.

use super::{
    AccessFunction, Affine, Between, Condition, DivisionPart, Holds, Index, MAX_CHOICES, MAX_DIMS, Node, SMALLEST_DIVISOR, are_apart,
    follows,
};
use smallvec::SmallVec;
use tilewright_ir::ComparisonPredicate;

mod quotients;

/// Lanes of a run that take much longer than it takes to find the run.
const LONG_RUN: i64 = 512;

/// An access function in which some leaves are known.
#[derive(Debug)]
pub(crate) struct Resolved {
    /// Elements behind the base.
    pub(crate) offset: Affine,
    /// What must hold of all lanes: where it does not, sums wrap.
    pub(crate) needs: Vec<Between>,
    /// What holds of the lanes that are accessed.
    pub(crate) conditions: Vec<Between>,
    /// How often numbers go into sums, each known for a lane once the leaves before it are. That the lanes of an access have the same is one of the
    /// needs.
    pub(crate) quotients: Vec<Quotient>,
    /// How many leaves the function has, behind which sums name quotients.
    pub(super) leaves: usize,
}

/// How often a number goes into a sum.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Quotient {
    of: Affine,
    by: i64,
}

impl Quotient {
    /// It for the lane that the ranges begin with; `None` if the sum is too large a number.
    pub(crate) fn of_first(&self, leaves: &[i64], lanes: &[(usize, usize)]) -> Option<i64> {
        let mut sum = self.of.with(leaves)?;
        for (step, (first, _)) in self.of.steps.iter().zip(lanes) {
            sum = sum.checked_add(step.checked_mul(*first as i64)?)?;
        }
        Some(sum.div_euclid(self.by))
    }

    /// The same for a lane, if all lanes differ along one dimension.
    pub(crate) fn of_lane(&self, leaves: &[i64], dim: usize, lane: usize) -> Option<i64> {
        let sum = self.of.with(leaves)?.checked_add(self.of.steps[dim].checked_mul(lane as i64)?)?;
        Some(sum.div_euclid(self.by))
    }
}

impl Resolved {
    /// Whether lanes of a tile with these extents are those of a row, one behind the other, as far as sums tell.
    pub(crate) fn has_one_row(&self, extents: &[usize]) -> bool {
        let is_row = |sum: &Affine| (1..extents.len()).all(|dim| follows(&sum.steps, extents, dim));
        let limits = self.needs.iter().chain(&self.conditions).map(|between| &between.value);
        [&self.offset].into_iter().chain(limits).chain(self.quotients.iter().map(|quotient| &quotient.of)).all(is_row)
    }

    /// After how many lanes of a row all is the same again, places and whether they are accessed, as where indices are remainders: where that is not
    /// seldom. What must hold of other numbers than remainders is left to ask of all lanes ([`repeats`](Resolved::repeats)).
    pub(crate) fn period(&self, extents: &[usize]) -> Option<usize> {
        let [quotient] = &self.quotients[..] else { return None };
        let step = *quotient.of.steps[..extents.len()].last().filter(|step| **step > 0)?;
        let period = if quotient.by % step == 0 { quotient.by / step } else { quotient.by };
        let is_same = |sum: &Affine| self.repeats(sum, period, extents) == Some(true);
        let is_fine = |need: &Between| is_same(&need.value) || need.value.times_of(self.leaves) == 0;
        let is_period =
            is_same(&self.offset) && self.conditions.iter().all(|limits| is_same(&limits.value)) && self.needs.iter().all(is_fine);
        let period = usize::try_from(period).ok().filter(|period| *period <= extents.iter().product::<usize>() / 2)?;
        (is_period && self.has_one_row(extents)).then_some(period)
    }

    /// Whether a sum is the same after so many lanes of a row, with the only quotient that there is; `None` if a number becomes too large.
    pub(crate) fn repeats(&self, sum: &Affine, period: i64, extents: &[usize]) -> Option<bool> {
        let [quotient] = &self.quotients[..] else { return None };
        let dim = extents.len() - 1;
        let times = sum.times_of(self.leaves);
        let more = quotient.of.steps[dim].checked_mul(period)? / quotient.by;
        Some(sum.steps[dim].checked_mul(period)?.checked_add(times.checked_mul(more)?)? == 0)
    }

    /// The quotients of a row of lanes that are digits of the lane's number; `None` if there are none, or if the same one is that of so many lanes that these
    /// may as well be looked at one after the other.
    pub(crate) fn digits(&self, extents: &[usize]) -> Option<LaneDigits> {
        let row = extents.len() - 1;
        let is_of_lanes = |of: &Affine| of.steps[row] == 1 && of.leaves.iter().all(|(leaf, _)| *leaf < self.leaves);
        let mut found: SmallVec<[usize; 4]> = (0..self.quotients.len()).filter(|number| is_of_lanes(&self.quotients[*number].of)).collect();
        found.sort_by_key(|number| self.quotients[*number].by);
        let mut levels: SmallVec<[DigitLevel; 3]> = SmallVec::new();
        for number in found {
            let Quotient { of, by } = &self.quotients[number];
            match levels.last_mut() {
                Some(last) if !last.is_divided_by(of, *by) => {}
                Some(last) if last.lanes == *by => last.leaves.push(self.leaves + number),
                _ => levels.push(DigitLevel { of: of.clone(), lanes: *by, leaves: SmallVec::from_slice(&[self.leaves + number]) }),
            }
        }
        let is_short = levels.first().is_some_and(|level| level.lanes < LONG_RUN);
        (is_short && self.has_one_row(extents)).then_some(LaneDigits { levels })
    }

    /// Whether quotients are the same for many lanes, or what is left of lanes is read but once or in boxes, so that lanes need not be looked at one by
    /// one. `written`: lanes are to be stored in their order, unless no two share a place.
    pub(crate) fn has_long_runs(&self, extents: &[usize], written: bool) -> bool {
        let is_long = |quotient: &Quotient| quotient.by >= SMALLEST_DIVISOR;
        if self.quotients.iter().all(is_long) || !written && self.period(extents).is_some() {
            return true;
        }
        let has_boxes = |digits: LaneDigits| {
            let mut short = (0..self.quotients.len()).filter(|number| !is_long(&self.quotients[*number]));
            let dims = || digits.dims(digits.levels.len(), extents.iter().product(), &self.offset, extents.len() - 1);
            short.all(|number| digits.has(self.leaves + number)) && (!written || dims().is_some_and(|dims| are_apart(dims.iter().copied())))
        };
        self.digits(extents).is_some_and(has_boxes)
    }
}

/// Quotients of the number of a lane, each by a multiple of what the one before it is divided by: its digits in a mixed radix. Lanes from where some of
/// them begin anew lie in a box, with a dimension for each digit.
#[derive(Debug)]
pub(crate) struct LaneDigits {
    /// From the smallest on.
    pub(crate) levels: SmallVec<[DigitLevel; 3]>,
}

/// The quotients by one number.
#[derive(Debug)]
pub(crate) struct DigitLevel {
    /// What is divided, or something that is a multiple of the number of lanes more or less.
    of: Affine,
    /// How many lanes have the same quotient.
    pub(crate) lanes: i64,
    /// The leaves that name it.
    leaves: SmallVec<[usize; 2]>,
}

/// How many elements a box has along a dimension, and how much more something is from one to the next.
pub(crate) type LaneDims = SmallVec<[(usize, i64); 4]>;

impl DigitLevel {
    /// Whether another quotient changes only where this one does, too.
    fn is_divided_by(&self, of: &Affine, by: i64) -> bool {
        let apart = of.clone().plus(&self.of, -1);
        by % self.lanes == 0 && apart.is_some_and(|apart| apart.divided(self.lanes, [false; MAX_DIMS]).1 == Affine::default())
    }

    /// How many lanes before one have the same quotient; `None` if a sum is too large a number.
    pub(crate) fn lanes_before(&self, leaves: &[i64], lane: usize) -> Option<i64> {
        Some(self.of.with(leaves)?.checked_add(lane as i64)?.rem_euclid(self.lanes))
    }
}

impl LaneDigits {
    /// Whether a leaf is one of them.
    fn has(&self, leaf: usize) -> bool {
        self.levels.iter().any(|level| level.leaves.contains(&leaf))
    }

    /// What a sum is along each dimension of a box that begins where so many levels do, of as many lanes as those of the largest go into; from the nearest
    /// lanes on. `None` if it is too large a number.
    pub(crate) fn dims(&self, levels: usize, lanes: usize, sum: &Affine, row: usize) -> Option<LaneDims> {
        let (mut dims, mut lanes_of_one) = (LaneDims::new(), 1);
        for number in 0..=levels {
            let end = if number < levels { self.levels[number].lanes } else { lanes as i64 };
            let mut step = sum.steps[row].checked_mul(lanes_of_one)?;
            for level in &self.levels[..number] {
                for leaf in &level.leaves {
                    step = step.checked_add(sum.times_of(*leaf).checked_mul(lanes_of_one / level.lanes)?)?;
                }
            }
            dims.push((usize::try_from(end / lanes_of_one).ok()?, step));
            lanes_of_one = end;
        }
        Some(dims)
    }
}

impl<L> AccessFunction<L> {
    /// The function where leaves have the values that `known` gives; `None` if sums of the lanes' indices and of unknown leaves are not all
    /// there is to it, or if some lane's sum wraps.
    ///
    /// Of two numbers of which it takes the larger or the smaller one, it is the one that moves with lanes: the other one is a limit that few
    /// blocks reach. That it is so is one of the needs.
    pub(crate) fn resolve(&self, known: impl Fn(usize) -> Option<i64>) -> Option<Resolved> {
        Resolver::new(self, 0).resolve(known)
    }

    /// The function in all its forms, of which one holds for each lane: one for each way to take one of two numbers wherever it takes the larger
    /// or the smaller one. There are none if it has one form for all lanes, or very many.
    pub(crate) fn forms(&self, known: impl Fn(usize) -> Option<i64>) -> Vec<Resolved> {
        let choices = self.nodes.iter().filter(|node| matches!(node.index, Index::Extreme { .. })).count();
        let forms = if self.has_choices() && choices <= MAX_CHOICES { 1 << choices } else { 0 };
        (0..forms).filter_map(|form| Resolver::new(self, form).resolve(&known)).collect()
    }
}

/// A function that is being resolved, node by node.
struct Resolver<'a, L> {
    function: &'a AccessFunction<L>,
    lanes: SmallVec<[(usize, usize); MAX_DIMS]>,
    /// A bit for each choice between two numbers: whether the one is taken that moves less.
    form: usize,
    /// How many choices were made.
    choices: usize,
    /// What the nodes so far are.
    sums: SmallVec<[Affine; 24]>,
    needs: Vec<Between>,
    quotients: Vec<Quotient>,
}

impl<'a, L> Resolver<'a, L> {
    fn new(function: &'a AccessFunction<L>, form: usize) -> Resolver<'a, L> {
        let lanes = function.all_lanes();
        Resolver { function, lanes, form, choices: 0, sums: SmallVec::new(), needs: Vec::new(), quotients: Vec::new() }
    }

    fn resolve(mut self, known: impl Fn(usize) -> Option<i64>) -> Option<Resolved> {
        for node in &self.function.nodes {
            let sum = self.node(node, &known)?;
            self.sums.push(sum);
        }
        let mut conditions = Vec::with_capacity(self.function.conditions.len());
        for condition in &self.function.conditions {
            self.condition(condition, &mut conditions)?;
        }
        let offset = self.function.offset;
        if self.function.nodes[offset].bits < 64 {
            self.need_no_wrap(offset)?;
        }
        let offset = self.sums[offset].clone();
        let leaves = self.function.leaves.len();
        quotients::reduced(Resolved { offset, needs: self.needs, conditions, quotients: self.quotients, leaves })
    }

    /// What must hold of all lanes; `None` if it is known that it does not.
    fn need(&mut self, value: Affine, (least, most): (i64, i64)) -> Option<()> {
        let between = Between { value, least, most };
        if between.value.leaves.is_empty() {
            match between.holds(between.value.constant, &self.lanes) {
                Holds::Always => return Some(()),
                // It may hold for those lanes that a form is for.
                _ if self.function.has_choices() => {}
                _ => return None,
            }
        }
        self.needs.push(between);
        Some(())
    }

    /// That a node, if it is computed in a way that may need more bits than it has, does not.
    fn need_no_wrap(&mut self, node: usize) -> Option<()> {
        let Node { bits, .. } = self.function.nodes[node];
        if self.function.nodes[node].may_wrap() { self.need(self.sums[node].clone(), signed_range(bits)) } else { Some(()) }
    }

    fn node(&mut self, node: &Node, known: impl Fn(usize) -> Option<i64>) -> Option<Affine> {
        Some(match &node.index {
            Index::Constant(value) => Affine::constant(*value),
            Index::Leaf(leaf) => known(*leaf).map_or_else(|| Affine::leaf(*leaf), Affine::constant),
            Index::Lane(indices) => {
                let mut sum = Affine::default();
                indices.iter().for_each(|(dim, times)| sum.steps[*dim] += times);
                sum
            }
            Index::Add(a, b) => self.sums[*a].clone().plus(&self.sums[*b], 1)?,
            Index::Sub(a, b) => self.sums[*a].clone().plus(&self.sums[*b], -1)?,
            Index::Mul(a, b) => self.sums[*a].times(&self.sums[*b])?,
            Index::Extreme { larger, of } => self.extreme(*larger, *of)?,
            Index::Divide { of, by, part } => self.division(*of, *by, *part)?,
            Index::Resize { of, signed } => {
                self.need_no_wrap(*of)?;
                let value = self.sums[*of].clone();
                if !signed {
                    self.need(value.clone(), (0, i64::MAX))?;
                }
                if node.bits < self.function.nodes[*of].bits {
                    self.need(value.clone(), signed_range(node.bits))?;
                }
                value
            }
        })
    }

    /// One of two numbers, as the form says, of which it must be the larger or the smaller one.
    fn extreme(&mut self, larger: bool, [a, b]: [usize; 2]) -> Option<Affine> {
        self.need_no_wrap(a)?;
        self.need_no_wrap(b)?;
        let moves_less = self.form >> self.choices & 1 == 1;
        self.choices += 1;
        let is_first = moves_more(&self.sums[a], &self.sums[b]) != moves_less;
        let lead = self.sums[a].clone().plus(&self.sums[b], -1)?;
        self.need(lead, if is_first == larger { (0, i64::MAX) } else { (i64::MIN, 0) })?;
        Some(self.sums[if is_first { a } else { b }].clone())
    }

    /// A part of a division of a number that must not be negative, by one above zero.
    fn division(&mut self, of: usize, by: usize, part: DivisionPart) -> Option<Affine> {
        self.need_no_wrap(of)?;
        self.need(self.sums[of].clone(), (0, i64::MAX))?;
        let by = Some(&self.sums[by]).filter(|by| by.is_constant()).map(|by| by.constant).filter(|by| *by > 0)?;
        let (mut whole, mut rest) = self.sums[of].divided(by, [false; MAX_DIMS]);
        let within = Between { value: rest.clone(), least: 0, most: by - 1 };
        if !rest.leaves.is_empty() || within.holds(rest.constant, &self.lanes) != Holds::Always {
            // Where there is more than one quotient, a row of lanes stays one.
            (whole, rest) = self.sums[of].divided(by, self.sums[of].in_row_with_rest(by, &self.function.extents));
            let quotient = Affine::leaf(self.function.leaves.len() + self.quotient(Quotient { of: rest.clone(), by }));
            rest = rest.plus(&quotient, -by)?;
            whole = whole.plus(&quotient, 1)?;
        }
        Some(if matches!(part, DivisionPart::Quotient { .. }) { whole } else { rest })
    }

    /// The number of a quotient, which another part of the same division may have.
    fn quotient(&mut self, quotient: Quotient) -> usize {
        self.quotients.iter().position(|known| *known == quotient).unwrap_or_else(|| {
            self.quotients.push(quotient);
            self.quotients.len() - 1
        })
    }

    /// Adds what a condition says of the lanes that are accessed.
    fn condition(&mut self, condition: &Condition, conditions: &mut Vec<Between>) -> Option<()> {
        use ComparisonPredicate as P;
        self.need_no_wrap(condition.lhs)?;
        self.need_no_wrap(condition.rhs)?;
        let predicate = condition.predicate;
        let is_swapped = matches!(predicate, P::GreaterThan | P::GreaterThanOrEqual);
        let (lhs, rhs) = if is_swapped { (condition.rhs, condition.lhs) } else { (condition.lhs, condition.rhs) };
        let (lhs, rhs) = (self.sums[lhs].clone(), self.sums[rhs].clone());
        if !condition.signed && predicate != P::Equal {
            // What lies below a number that is not negative as a signed one, is such a number as well.
            self.need(rhs.clone(), (0, i64::MAX))?;
            conditions.push(Between { value: lhs.clone(), least: 0, most: i64::MAX });
        }
        let least = if predicate == P::Equal { 0 } else { i64::MIN };
        let most = if matches!(predicate, P::LessThan | P::GreaterThan) { -1 } else { 0 };
        conditions.push(Between { value: lhs.plus(&rhs, -1)?, least, most });
        Some(())
    }
}

/// The signed numbers of a width.
fn signed_range(bits: u32) -> (i64, i64) {
    (i64::MIN >> (64 - bits), i64::MAX >> (64 - bits))
}

/// Whether the first of two sums has more dimensions along which it moves with lanes, or as many and more leaves.
fn moves_more(a: &Affine, b: &Affine) -> bool {
    let weight = |sum: &Affine| (sum.steps.iter().filter(|step| **step != 0).count(), sum.leaves.len());
    weight(a) >= weight(b)
}

/// The same as few as possible: those of sums that differ by a constant become one, without constant. `None` if a number becomes too large.
fn merged(all: Vec<Between>) -> Option<Vec<Between>> {
    let mut merged: Vec<Between> = Vec::with_capacity(all.len());
    for Between { mut value, least, most } in all {
        let constant = std::mem::take(&mut value.constant);
        // The greatest and the least number stand for none.
        let least = if least == i64::MIN { least } else { least.checked_sub(constant)? };
        let most = if most == i64::MAX { most } else { most.checked_sub(constant)? };
        match merged.iter_mut().find(|other| other.value == value) {
            Some(other) => (other.least, other.most) = (other.least.max(least), other.most.min(most)),
            None => merged.push(Between { value, least, most }),
        }
    }
    Some(merged)
}
