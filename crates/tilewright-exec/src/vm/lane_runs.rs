//! Accesses whose lanes are runs: of tiles that are a row of lanes whose indices are divided or limited, where the places go on evenly until the quotient
//! is another one, or a limit is met. Where quotients are digits of a lane's number, lanes are boxes from where some of the digits begin anew: runs from
//! which others follow evenly. Where all is the same again after some lanes, only these are looked at.
//!
//! The numbers of a block are read once; a run takes a division and a few comparisons. Runs are found and carried out in the order of their lanes, so that
//! of lanes that store to the same place the last one does.
#![allow(unsafe_code, reason = "copies between registers and buffers")]

use super::{Block, Machine, copy, row_sum::Numbers, view::reserve};
use crate::{
    budget::Reservation,
    cpu::Level,
    interrupt::{Looks, PART},
    kernels::{
        boxes::{self, Dim},
        scattered::{Reach, Window},
    },
    memory::AccessKind,
    plan::{AccessFunction, Affine, Between, LaneDigits, Placement, Resolved, Tile, VReg, ViewAccess, are_apart},
};
use smallvec::SmallVec;
use tilewright_ir::{MemoryOrderingSemantics, Scalar};

/// Work on finding a run, in elements.
const RUN_WORK: usize = 16;

/// Runs whose places need no memory of the launch's.
const FEW: usize = 16;

/// The most lanes of a run that are a few: less than a vector.
const FEW_OF_A_RUN: usize = 4;

/// Lanes whose places go on evenly.
#[derive(Clone)]
struct LaneRun {
    /// The first of them, and how many there are.
    lane: usize,
    count: usize,
    /// How many elements behind the base the first lies, and how many further the next one does, which are not negative.
    first: i64,
    step: i64,
    /// How many such runs follow each other, and how many elements further the next one begins; how many of these do, and so on.
    outer: SmallVec<[(usize, i64); 3]>,
}

/// Runs that all lie in one buffer.
struct LaneRuns {
    list: SmallVec<[LaneRun; FEW]>,
    /// How many lanes they are of; those behind these are the same again.
    lanes: usize,
    base: u64,
    window: Option<Window>,
    /// What the list takes of the budget.
    reservation: Option<Reservation>,
}

/// A row of lanes.
#[derive(Debug)]
pub(super) struct RunFunction {
    /// How many there are.
    lanes: usize,
    /// The dimension along which one follows the other.
    dim: usize,
    /// After how many all is the same again, and what must hold of all of them for that to be so.
    period: Option<(usize, Vec<Between>)>,
    /// The quotients that are digits of a lane's number, where there is one form.
    digits: Option<LaneDigits>,
}

impl RunFunction {
    /// `None` if the lanes are no row, or always one run.
    pub(super) fn new(function: &AccessFunction, forms: &[Resolved]) -> Option<RunFunction> {
        let (dim, extents) = (function.extents.len() - 1, &function.extents[..]);
        let is_row = !forms.is_empty() && forms.iter().all(|form| form.has_one_row(extents));
        let only = if let [form] = forms { Some(form) } else { None };
        let period = only.and_then(|form| {
            let period = form.period(extents)?;
            let differs = |need: &&Between| form.repeats(&need.value, period as i64, extents) != Some(true);
            Some((period, form.needs.iter().filter(differs).cloned().collect()))
        });
        let digits = only.and_then(|form| form.digits(extents));
        let lanes = extents.iter().product();
        (is_row && function.leaves.iter().all(|leaf| leaf.along.is_none())).then_some(RunFunction { lanes, dim, period, digits })
    }

    /// How many lanes to look at: all, or those after which all is the same again. `numbers` are those of the function's leaves.
    fn lanes_to_find(&self, numbers: &Numbers, kind: AccessKind) -> usize {
        let all = (0, self.lanes);
        let holds = |need: &Between| need.value.with(numbers).is_some_and(|constant| need.restrict_lanes(constant, self.dim, all) == all);
        match &self.period {
            Some((period, needs)) if kind == AccessKind::Read && needs.iter().all(holds) => *period,
            _ => self.lanes,
        }
    }

    /// The run that begins with a lane, by a form, and the lane that it ends before; without lanes where these are masked off. `None` if this is not the
    /// form for that lane, if places go backwards, or if a sum is too large. `numbers` are those of the function's leaves, and room for quotients.
    fn run(
        &self,
        form: &Resolved,
        numbers: &mut Numbers,
        leaves: usize,
        lanes: (usize, usize),
        kind: AccessKind,
    ) -> Option<(LaneRun, usize)> {
        let (from, end) = lanes;
        numbers.truncate(leaves);
        for quotient in &form.quotients {
            numbers.push(quotient.of_lane(numbers, self.dim, from)?);
        }
        if let Some(digits) = &self.digits
            && let Some(found) = self.box_of_digits(form, digits, numbers, lanes, kind)
        {
            return Some(found);
        }
        let end = self.end(form, numbers, (from, end))?;
        let run = self.run_of(form, numbers, self.accessed(form, numbers, (from, end))?)?;
        Some((run, end))
    }

    /// Where the lanes end for which what must hold does; `None` if it does not for the first.
    fn end(&self, form: &Resolved, numbers: &Numbers, (from, mut end): (usize, usize)) -> Option<usize> {
        for need in &form.needs {
            let (first, last) = need.restrict_lanes(need.value.with(numbers)?, self.dim, (from, end));
            if first > from || last == from {
                return None;
            }
            end = last;
        }
        Some(end)
    }

    /// Those of some lanes that are accessed.
    fn accessed(&self, form: &Resolved, numbers: &Numbers, mut lanes: (usize, usize)) -> Option<(usize, usize)> {
        for condition in &form.conditions {
            lanes = condition.restrict_lanes(condition.value.with(numbers)?, self.dim, lanes);
        }
        Some(lanes)
    }

    /// The run of lanes that have the same quotients.
    fn run_of(&self, form: &Resolved, numbers: &Numbers, (from, end): (usize, usize)) -> Option<LaneRun> {
        let step = form.offset.steps[self.dim];
        let first = form.offset.with(numbers)?.checked_add(step.checked_mul(from as i64)?)?;
        (step >= 0).then_some(LaneRun { lane: from, count: end - from, first, step, outer: SmallVec::new() })
    }

    /// The largest box that begins with a lane, if several digits do there; and the lane that it ends before.
    fn box_of_digits(
        &self,
        form: &Resolved,
        digits: &LaneDigits,
        numbers: &Numbers,
        (from, end): (usize, usize),
        kind: AccessKind,
    ) -> Option<(LaneRun, usize)> {
        // How many lanes follow until the next digit that does not begin here goes on.
        let (mut begin, mut left) = (0, end - from);
        for level in &digits.levels {
            let before = level.lanes_before(numbers, from)?;
            if before != 0 || level.lanes > (end - from) as i64 {
                left = left.min(usize::try_from(level.lanes - before).ok()?);
                break;
            }
            begin += 1;
        }
        (1..=begin).rev().find_map(|levels| {
            let lanes_of_one = usize::try_from(digits.levels[levels - 1].lanes).ok()?;
            let most = digits.levels.get(levels).map_or(left, |next| left.min(usize::try_from(next.lanes).unwrap_or(usize::MAX)));
            let dims = |sum: &Affine| digits.dims(levels, most, sum, self.dim);
            let mut count = most / lanes_of_one;
            let at = |sum: &Affine| sum.with(numbers)?.checked_add(sum.steps[self.dim].checked_mul(from as i64)?);
            for limits in form.needs.iter().chain(&form.conditions) {
                count = count.min(rows_within(limits, at(&limits.value)?, &dims(&limits.value)?)?);
            }
            // One run of the smallest digit is as well found as any other.
            let is_box = if levels == 1 { count > 1 } else { count > 0 };
            let (found, first) = (dims(&form.offset)?, at(&form.offset)?);
            let ([(inner, step), outer @ ..], true) = (&found[..], is_box) else { return None };
            let mut outer = SmallVec::<[(usize, i64); 3]>::from_slice(outer);
            outer.last_mut()?.0 = count;
            let run = LaneRun { lane: from, count: *inner, first, step: *step, outer };
            let is_forwards = *step >= 0 && run.outer.iter().all(|(_, step)| *step >= 0);
            let fits = is_forwards && (kind == AccessKind::Read || are_apart(run.dims()));
            fits.then_some((run, from + count * lanes_of_one))
        })
    }
}

/// In how many rows of a box, along its last dimension, limits hold from the first on; `None` if not in the first, or if a sum is too large. `first` is what they
/// limit where the box begins, and `dims` say how it goes on.
fn rows_within(limits: &Between, first: i64, dims: &[(usize, i64)]) -> Option<usize> {
    let (&(rows, further), inner) = dims.split_last()?;
    let (mut low, mut high) = (first, first);
    for &(count, step) in inner {
        let last = step.checked_mul(count as i64 - 1)?;
        (low, high) = (low.checked_add(last.min(0))?, high.checked_add(last.max(0))?);
    }
    if low < limits.least || high > limits.most {
        return None;
    }
    let more = match further {
        0 => return Some(rows),
        1.. => limits.most.saturating_sub(high) / further,
        _ => limits.least.saturating_sub(low).saturating_div(further),
    };
    Some(usize::try_from(more.saturating_add(1)).unwrap_or(usize::MAX).min(rows))
}

impl LaneRun {
    /// How many elements it has along each dimension, and how far apart.
    fn dims(&self) -> impl Iterator<Item = (usize, i64)> {
        [(self.count, self.step)].into_iter().chain(self.outer.iter().copied())
    }

    fn elements(&self) -> usize {
        self.dims().map(|(count, _)| count).product()
    }

    /// How many elements behind the base the last one lies.
    fn last(&self) -> Option<i64> {
        self.dims().try_fold(self.first, |last, (count, step)| last.checked_add(step.checked_mul(count as i64 - 1)?))
    }

    /// The box that it is, from the outermost dimension on, if its elements lie so far apart in the register.
    fn dims_to(&self, pitch: usize) -> SmallVec<[Dim; 4]> {
        let mut to = pitch;
        let dims = self.dims().map(|(count, step)| {
            let dim = Dim { count, from: step as usize, to };
            to *= count;
            dim
        });
        let mut dims: SmallVec<[Dim; 4]> = dims.collect();
        dims.reverse();
        dims
    }

    /// Loads its elements of a size side by side.
    ///
    /// # Safety
    /// All lie in a buffer, which does not overlap the register, and that has room for them.
    unsafe fn load(&self, size: usize, from: *const u8, to: *mut u8) {
        // SAFETY: by the contract.
        unsafe {
            match (&self.outer[..], self.step) {
                ([], 0) => spread_element(size, self.count, from, to),
                ([], 1) if self.count <= PART => std::ptr::copy_nonoverlapping(from, to, self.count * size),
                // A few, of each run: the first of all runs, then the second of all, unless two rows take turns.
                ([(_, further), ..], step) if self.count <= FEW_OF_A_RUN && (self.count, *further) != (2, 1) => {
                    let dims = self.dims_to(1);
                    for place in 0..self.count {
                        boxes::copy(
                            Level::best(),
                            &dims[..dims.len() - 1],
                            size,
                            from.add(place * step as usize * size),
                            to.add(place * size),
                        );
                    }
                }
                ([outer @ .., (count, further)], 0) if self.count > FEW_OF_A_RUN => {
                    let runs = LaneRun { outer: SmallVec::from_slice(outer), ..self.clone() };
                    let elements = runs.elements();
                    for number in 0..*count {
                        runs.load(size, from.add(number * *further as usize * size), to.add(number * elements * size));
                    }
                }
                _ => boxes::copy(Level::best(), &self.dims_to(1), size, from, to),
            }
        }
    }
}

/// Repeats an element of a size.
///
/// # Safety
/// It can be read, and there is room for so many.
unsafe fn spread_element(size: usize, count: usize, from: *const u8, to: *mut u8) {
    let mut element = 0u64;
    // SAFETY: by the contract.
    unsafe {
        boxes::copy_element(size, from, (&raw mut element).cast());
        copy::spread((&raw const element).cast(), size, count, to);
    }
}

impl LaneRuns {
    fn elements(&self) -> usize {
        self.list.iter().map(LaneRun::elements).sum()
    }
}

impl Machine<'_> {
    /// The runs that an access consists of, all checked; `None` if it is none of those, or not all of it lies in one buffer.
    fn find_runs(&mut self, view: &ViewAccess, kind: AccessKind, block: &Block) -> Option<LaneRuns> {
        let launch = self.launch;
        let Placement::Computed(function) = &view.places else { return None };
        let known = launch.functions[view.fixed?].as_ref()?;
        let row = known.runs.as_ref()?;
        let is_plain = view.order.semantics == MemoryOrderingSemantics::Weak && !view.packed && view.element != Scalar::I1;
        if !is_plain || launch.observer.is_some() {
            return None;
        }
        let (regs, size) = (&block.frame, view.size as u64);
        let mut numbers: Numbers = function.leaves.iter().map(|leaf| leaf.number(regs.scalar(&leaf.tile))).collect();
        let lanes = row.lanes_to_find(&numbers, kind);
        let mut runs = LaneRuns { list: SmallVec::new(), lanes, base: regs.scalar(&view.base), window: None, reservation: None };
        let (mut from, mut looks) = (0, Looks::new());
        while from < lanes {
            if looks.end_after(RUN_WORK) {
                return None;
            }
            let (run, end) = known.forms.iter().find_map(|form| row.run(form, &mut numbers, function.leaves.len(), (from, lanes), kind))?;
            from = end;
            if run.count == 0 {
                continue;
            }
            let at = |offset: i64| runs.base.checked_add_signed(offset.checked_mul(size as i64)?);
            let reach = Reach { first: at(run.first)?, last: at(run.last()?)? };
            let window = match &runs.window {
                Some(window) => window,
                None => runs.window.insert(launch.memory.window(reach.first, size, kind, &mut self.hint)?),
            };
            if !reach.first.is_multiple_of(size) || !window.holds(reach) {
                return None;
            }
            if runs.list.len() == FEW {
                runs.reservation = reserve(lanes, &launch.budget).ok()?;
            }
            runs.list.push(run);
        }
        Some(runs)
    }

    /// Loads a tile of runs, and writes the padding around them; `None`, and nothing was done, as of [`find_runs`](Machine::find_runs).
    pub(super) fn load_runs(&mut self, view: &ViewAccess, dst: VReg, block: &Block) -> Option<()> {
        let runs = self.find_runs(view, AccessKind::Read, block)?;
        let (size, target, elements): (_, _, usize) = (view.size, block.frame.write(dst), view.tile.iter().product());
        if runs.elements() < runs.lanes {
            // SAFETY: the register holds the whole tile.
            unsafe { copy::spread(view.padding.to_le_bytes().as_ptr(), size, runs.lanes, target) };
        }
        let mut looks = Looks::new();
        for run in &runs.list {
            if looks.end_after(run.elements()) {
                break;
            }
            // SAFETY: the run lies in a buffer, and the register holds the whole tile; the two do not overlap.
            unsafe { run.load(size, runs.place(run, size), target.add(run.lane * size)) };
        }
        // SAFETY: the register holds the whole tile.
        unsafe { repeat(target, runs.lanes * size, elements * size) };
        Some(())
    }

    /// Stores a tile of runs from its register; `None`, and nothing was done, as of [`find_runs`](Machine::find_runs).
    pub(super) fn store_runs(&mut self, view: &ViewAccess, src: &Tile, block: &Block) -> Option<()> {
        let runs = self.find_runs(view, AccessKind::Write, block)?;
        let pitch = row_pitch(&view.tile, &src.strides)?;
        let (size, source) = (view.size, block.frame.read(src));
        let mut looks = Looks::new();
        for run in &runs.list {
            if looks.end_after(run.elements()) {
                break;
            }
            // SAFETY: as where it is loaded; of lanes that share a place only the last one is stored.
            unsafe {
                let (from, to) = (source.add(run.lane * pitch * size), runs.place(run, size));
                match (pitch, &run.outer[..], run.step) {
                    (_, [], 0) => boxes::copy_element(size, from.add((run.count - 1) * pitch * size), to),
                    (1, [], 1) if run.count <= PART => std::ptr::copy_nonoverlapping(from, to, run.count * size),
                    _ => {
                        let dims: SmallVec<[Dim; 4]> =
                            run.dims_to(pitch).iter().map(|dim| Dim { count: dim.count, from: dim.to, to: dim.from }).collect();
                        boxes::copy(Level::best(), &dims, size, from, to);
                    }
                }
            }
        }
        Some(())
    }
}

impl LaneRuns {
    /// Where a run begins on the host.
    fn place(&self, run: &LaneRun, size: usize) -> *mut u8 {
        let Some(window) = &self.window else { unreachable!("a run was found in a buffer") };
        window.place(self.base.wrapping_add_signed(run.first * size as i64))
    }
}

/// How far lanes of a tile lie apart that follow each other; `None` if not all lie evenly.
fn row_pitch(extents: &[usize], pitches: &[usize]) -> Option<usize> {
    let mut proper = extents.iter().zip(pitches).rev().filter(|(extent, _)| **extent > 1);
    let (&extent, &pitch) = proper.next()?;
    let mut next = extent * pitch;
    for (&extent, &found) in proper {
        if found != next {
            return None;
        }
        next *= extent;
    }
    Some(pitch)
}

/// Fills the rest of some bytes with the first ones, again and again.
///
/// # Safety
/// There are so many bytes.
unsafe fn repeat(bytes: *mut u8, first: usize, all: usize) {
    let (mut filled, mut looks) = (first, Looks::new());
    while filled < all && !looks.end_after(filled) {
        // What is there is a multiple of the first ones.
        let more = filled.min(all - filled).min(PART / first * first + first);
        // SAFETY: by the contract; what is copied lies in front of where it goes.
        unsafe { std::ptr::copy_nonoverlapping(bytes, bytes.add(filled), more) };
        filled += more;
    }
}
