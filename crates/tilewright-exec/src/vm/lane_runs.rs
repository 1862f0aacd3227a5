//! Accesses whose lanes are runs: of tiles that are a row of lanes whose indices are divided or limited, where the places go on evenly until the quotient
//! is another one, or a limit is met. A run may consist of groups, in which lanes have the same quotient by a small number; where all is the same again
//! after some lanes, only these are looked at.
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
    plan::{AccessFunction, Between, LaneGroups, Placement, Resolved, Tile, VReg, ViewAccess},
};
use smallvec::SmallVec;
use tilewright_ir::{MemoryOrderingSemantics, Scalar};

/// Work on finding a run, in elements.
const RUN_WORK: usize = 16;

/// Runs whose places need no memory of the launch's.
const FEW: usize = 16;

/// Lanes whose places go on evenly: within groups, and from group to group.
#[derive(Clone, Copy)]
struct LaneRun {
    /// The first of them, and how many there are in each group.
    lane: usize,
    count: usize,
    /// How many elements behind the base the first lies, and how many further the next one does, which are not negative.
    first: i64,
    step: i64,
    /// How many groups there are, and how many elements further the next one begins.
    groups: usize,
    further: i64,
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
    /// Those that share a quotient by a small number, where there is one form.
    groups: Option<LaneGroups>,
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
        let groups = only.and_then(|form| form.groups(extents));
        let lanes = extents.iter().product();
        (is_row && function.leaves.iter().all(|leaf| leaf.along.is_none())).then_some(RunFunction { lanes, dim, period, groups })
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
    /// form for that lane, if places go backwards, or if a sum is too large. `numbers` are those of the function's leaves, and room for quotients;
    /// `in_groups`: lanes need not keep their order.
    fn run(
        &self,
        form: &Resolved,
        numbers: &mut Numbers,
        leaves: usize,
        lanes: (usize, usize),
        in_groups: bool,
    ) -> Option<(LaneRun, usize)> {
        let (from, end) = lanes;
        numbers.truncate(leaves);
        for quotient in &form.quotients {
            numbers.push(quotient.of_lane(numbers, self.dim, from)?);
        }
        if let Some(groups) = self.groups.as_ref().filter(|_| in_groups)
            && let Some(found) = self.run_of_groups(form, groups, numbers, lanes)
        {
            return Some(found);
        }
        let end = self.end(form, numbers, (from, end), |_| false)?;
        let run = self.run_of(form, numbers, self.accessed(form, numbers, (from, end))?)?;
        Some((run, end))
    }

    /// Where the lanes end for which what must hold does, but for some needs; `None` if it does not for the first.
    fn end(&self, form: &Resolved, numbers: &Numbers, (from, mut end): (usize, usize), but: impl Fn(usize) -> bool) -> Option<usize> {
        for (_, need) in form.needs.iter().enumerate().filter(|(number, _)| !but(*number)) {
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
        (step >= 0).then_some(LaneRun { lane: from, count: end - from, first, step, groups: 1, further: 0 })
    }

    /// The run of whole groups that begins with a lane, if one begins there, and it is accessed to its end; and the lane that this is before.
    fn run_of_groups(
        &self,
        form: &Resolved,
        groups: &LaneGroups,
        numbers: &Numbers,
        (from, end): (usize, usize),
    ) -> Option<(LaneRun, usize)> {
        let within = &form.needs[groups.within];
        let (_, last) = within.restrict_lanes(within.value.with(numbers)?, self.dim, (from, end));
        let lanes = usize::try_from(groups.lanes).ok().filter(|lanes| last - from == *lanes)?;
        let names_it = |need: usize| need == groups.within || groups.others.contains(&need);
        let count = (self.end(form, numbers, (from, end), names_it)? - from) / lanes;
        let end = from + count * lanes;
        if count < 2 || self.accessed(form, numbers, (from, end))? != (from, end) {
            return None;
        }
        // What goes on evenly holds of all if it does at all ends.
        for need in groups.others.iter().map(|need| &form.needs[*need]) {
            let (sum, step) = (&need.value, need.value.steps[self.dim]);
            let first = sum.with(numbers)?.checked_add(step.checked_mul(from as i64)?)?;
            let last_group = first.checked_add(groups.further(sum, self.dim)?.checked_mul(count as i64 - 1)?)?;
            for start in [first, last_group] {
                let ends = [start, start.checked_add(step.checked_mul(groups.lanes - 1)?)?];
                if ends.iter().any(|end| *end < need.least || *end > need.most) {
                    return None;
                }
            }
        }
        let run = self.run_of(form, numbers, (from, from + lanes))?;
        let further = groups.further(&form.offset, self.dim)?;
        (further >= 0).then_some((LaneRun { groups: count, further, ..run }, end))
    }
}

impl LaneRun {
    /// How many elements behind the base the last one lies.
    fn last(&self) -> Option<i64> {
        let in_group = self.step.checked_mul(self.count as i64 - 1)?;
        self.first.checked_add(in_group)?.checked_add(self.further.checked_mul(self.groups as i64 - 1)?)
    }

    /// Loads its elements of a size side by side.
    ///
    /// # Safety
    /// All lie in a buffer, which does not overlap the register, and that has room for them.
    unsafe fn load(&self, size: usize, from: *const u8, to: *mut u8) {
        // SAFETY: by the contract.
        unsafe {
            match (self.groups, self.step) {
                (1, 0) => {
                    let mut element = 0u64;
                    boxes::copy_element(size, from, (&raw mut element).cast());
                    copy::spread((&raw const element).cast(), size, self.count, to);
                }
                (1, 1) if self.count <= PART => std::ptr::copy_nonoverlapping(from, to, self.count * size),
                (1, step) => boxes::copy(Level::best(), &[Dim { count: self.count, from: step as usize, to: 1 }], size, from, to),
                // Those with the same place in their groups, one after the other.
                (groups, step) => {
                    for place in 0..self.count {
                        let dims = [Dim { count: groups, from: self.further as usize, to: self.count }];
                        boxes::copy(Level::best(), &dims, size, from.add(place * step as usize * size), to.add(place * size));
                    }
                }
            }
        }
    }
}

impl LaneRuns {
    fn elements(&self) -> usize {
        self.list.iter().map(|run| run.count * run.groups).sum()
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
            let in_groups = kind == AccessKind::Read;
            let (run, end) =
                known.forms.iter().find_map(|form| row.run(form, &mut numbers, function.leaves.len(), (from, lanes), in_groups))?;
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
            if looks.end_after(run.count * run.groups) {
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
            if looks.end_after(run.count) {
                break;
            }
            // SAFETY: as where it is loaded; of lanes that share a place only the last one is stored.
            unsafe {
                let (from, to) = (source.add(run.lane * pitch * size), runs.place(run, size));
                match (pitch, run.step) {
                    (_, 0) => boxes::copy_element(size, from.add((run.count - 1) * pitch * size), to),
                    (1, 1) if run.count <= PART => std::ptr::copy_nonoverlapping(from, to, run.count * size),
                    (_, step) => boxes::copy(Level::best(), &[Dim { count: run.count, from: pitch, to: step as usize }], size, from, to),
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
