//! Rows of a tile that lie anywhere in one buffer, each where a number says that the block has loaded: gathered, scattered, updated.
//!
//! What the rows have in common is found once for a launch, so that a row of a block is a sum, its comparisons and a copy. Where that is not
//! all there is to it, `vm/lanes.rs` makes a list of boxes.
#![allow(unsafe_code, reason = "copies between registers and buffers")]

use super::{
    Block, Machine,
    frame::Frame,
    lane_runs::RunFunction,
    row_boxes::BoxFunction,
    row_sum::{Reaches, RowLimits, RowSum, TOGETHER, reaches},
    tiling::{Axis, MAX_AXES, are_apart},
    view::{Axes, Direction, Run, copy_box, reserve},
};
use crate::{
    budget::Reservation,
    interrupt::Looks,
    kernels::{
        ahead::prefetch_row,
        boxes::{self as copies, BoxCopy, Dim, Form, Stores},
        scattered::{Reach, Window},
    },
    memory::AccessKind,
    plan::{AccessFunction, Affine, Between, Coordinate, Holds, Placement, Resolved, ViewAccess, ViewDim},
};
use smallvec::SmallVec;
use std::ops::Range;
use tilewright_ir::MemoryOrderingSemantics;

/// How many rows are fetched ahead, and how many bytes of each at most.
const ROWS_AHEAD: usize = 8;
const MOST_AHEAD: usize = 1 << 12;

/// Work on finding a row, in elements.
const ROW_WORK: usize = 4;

/// Rows whose places need no memory of their own.
const FEW: usize = 32;

/// An access function with what is known of a launch: sums of what is not.
#[derive(Debug)]
pub(crate) struct KnownFunction {
    pub(super) resolved: Resolved,
    /// All its forms, if it has several.
    pub(super) forms: Vec<Resolved>,
    /// The boxes that its lanes are, if they are one for all or for each row.
    pub(super) boxes: Option<BoxFunction>,
    /// Its rows, if that is how its lanes lie.
    rows: Option<RowFunction>,
    /// Its row of lanes, if they are one that consists of runs.
    pub(super) runs: Option<RunFunction>,
}

/// What the rows of an access have in common.
#[derive(Debug)]
struct RowFunction {
    /// The dimension along which they follow each other.
    dim: usize,
    /// The leaves that differ between them.
    leaves: SmallVec<[usize; 2]>,
    /// How many elements behind the base the first lane of a row is.
    offset: RowSum,
    /// What must hold of all rows, and of those that are accessed.
    needs: SmallVec<[RowLimits; 2]>,
    conditions: SmallVec<[RowLimits; 2]>,
    /// The same for lanes, of each row alike.
    lane_needs: SmallVec<[Between; 2]>,
    lane_conditions: SmallVec<[Between; 2]>,
}

impl KnownFunction {
    /// `None` if sums are not all there is to it.
    pub(super) fn new(function: &AccessFunction, known: impl Fn(usize) -> Option<i64>) -> Option<KnownFunction> {
        let resolved = function.resolve(&known)?;
        let is_plain = resolved.quotients.is_empty();
        let boxes = if is_plain { BoxFunction::new(function, &resolved) } else { None };
        let rows = if is_plain { RowFunction::new(function, &resolved) } else { None };
        let forms = function.forms(known);
        let runs = RunFunction::new(function, &forms);
        Some(KnownFunction { boxes, rows, resolved, forms, runs })
    }
}

impl RowFunction {
    /// `None` if rows differ in more than their place, and in whether they are accessed.
    fn new(function: &AccessFunction, resolved: &Resolved) -> Option<RowFunction> {
        let dim = function.leaves.iter().find_map(|leaf| leaf.along)?;
        let is_row = |leaf: usize| function.leaves[leaf].along.is_some();
        let of_lanes = |sum: &Affine| sum.steps[dim] == 0 && !sum.leaves.iter().any(|(leaf, _)| is_row(*leaf));
        let of_rows = |sum: &Affine| sum.steps.iter().enumerate().all(|(other, step)| other == dim || *step == 0);
        let leaves: SmallVec<[usize; 2]> = (0..function.leaves.len()).filter(|leaf| is_row(*leaf)).collect();
        let row_sum = |sum: &Affine| RowSum::new(sum, Some(dim), &leaves);
        let mut rows = RowFunction {
            dim,
            offset: row_sum(&resolved.offset),
            leaves: SmallVec::new(),
            needs: SmallVec::new(),
            conditions: SmallVec::new(),
            lane_needs: SmallVec::new(),
            lane_conditions: SmallVec::new(),
        };
        for (all, own, lanes) in [
            (&resolved.needs, &mut rows.needs, &mut rows.lane_needs),
            (&resolved.conditions, &mut rows.conditions, &mut rows.lane_conditions),
        ] {
            for between in all {
                if of_lanes(&between.value) {
                    lanes.push(between.clone());
                } else if of_rows(&between.value) {
                    own.push(RowLimits { sum: row_sum(&between.value), least: between.least, most: between.most });
                } else {
                    return None;
                }
            }
        }
        Some(RowFunction { leaves, ..rows })
    }

    /// The ranges of indices of the lanes of a row that are accessed, with none along the rows' own dimension if there are no such lanes, else
    /// with one; `None` if they are no ranges, or if sums wrap.
    fn lanes(&self, function: &AccessFunction, regs: &Frame) -> Option<SmallVec<[(usize, usize); MAX_AXES]>> {
        let mut ranges = function.all_lanes();
        ranges[self.dim] = (0, 1);
        for need in &self.lane_needs {
            if need.holds(common(&need.value, function, regs)?, &ranges) != Holds::Always {
                return None;
            }
        }
        for condition in &self.lane_conditions {
            let constant = common(&condition.value, function, regs)?;
            match condition.only_dim(&ranges) {
                Some(dim) => ranges[dim] = condition.restrict(constant, dim, &ranges)?,
                None => match condition.holds(constant, &ranges) {
                    Holds::Always => {}
                    Holds::Never => ranges[self.dim] = (0, 0),
                    Holds::Sometimes => return None,
                },
            }
            if ranges.iter().any(|(first, end)| first == end) {
                ranges[self.dim] = (0, 0);
                break;
            }
        }
        Some(ranges)
    }
}

/// A sum without its multiples of indices, of which all leaves are the same for all rows.
fn common(sum: &Affine, function: &AccessFunction, regs: &Frame) -> Option<i64> {
    sum.leaves.iter().try_fold(sum.constant, |sum, (leaf, times)| {
        let leaf = &function.leaves[*leaf];
        sum.checked_add(leaf.number(regs.scalar(&leaf.tile)).checked_mul(*times)?)
    })
}

/// Limits of rows, each with the part of its sum that all rows of a block have.
type Started<'a> = SmallVec<[(i64, &'a RowLimits); 2]>;

/// Those that do not hold for so many rows whichever of the numbers that are reached they have: what holds for all rows is not asked of each. `None` if
/// a sum is too large.
fn undecided<'a>(all: &'a [RowLimits], function: &AccessFunction, regs: &Frame, (rows, reaches): (usize, &Reaches)) -> Option<Started<'a>> {
    let mut started = Started::new();
    for limits in all {
        let of_block = common(&limits.sum.of_block, function, regs)?;
        if limits.hold_for_all(of_block, rows, reaches) != Some(true) {
            started.push((of_block, limits));
        }
    }
    Some(started)
}

/// Rows of a block that lie in one buffer, and are accessed.
pub(super) struct RowList {
    form: RowForm,
    /// Elements of a row.
    elements: usize,
    /// Where each begins on the host, and its index.
    places: Places,
    #[expect(dead_code, reason = "gives back to the budget what the places take of it")]
    reservation: Option<Reservation>,
}

impl RowList {
    pub(super) fn elements(&self) -> usize {
        self.places.len() * self.elements
    }

    /// The first byte in memory.
    pub(super) fn first(&self) -> Option<*mut u8> {
        self.places.first().map(|(host, _)| *host)
    }

    /// Whether a row has elements of `size` bytes between two addresses.
    pub(super) fn overlap(&self, other: Range<usize>, size: usize) -> bool {
        let span: usize = self.form.axes.iter().map(|axis| (axis.count - 1) * axis.stride as usize).sum();
        let bytes = (span + 1) * size;
        self.places.iter().any(|(host, _)| host.addr() < other.end && other.start < host.addr() + bytes)
    }

    /// Copies the rows to a register.
    ///
    /// # Safety
    /// It holds the whole tile, whose elements have `size` bytes.
    pub(super) unsafe fn copy_to(&self, size: usize, register: *mut u8) {
        for &(host, index) in &self.places {
            copy_box(size, &self.form.axes, host, Direction::Load(register), self.form.position(index));
        }
    }

    /// Copies the rows, which are all of a tile, to memory, whose dimensions these are, with the distances in the register and there; `false`,
    /// and nothing was done, if it has others. The next ones are fetched meanwhile.
    ///
    /// # Safety
    /// There is room for the tile, which overlaps the rows nowhere.
    pub(super) unsafe fn store(&self, dims: &[Dim; MAX_AXES], copy: &BoxCopy, place: *mut u8) -> bool {
        let distance = |count: usize, pitch: usize| match count {
            1 => Some(0),
            _ => dims.iter().find(|dim| dim.count == count && dim.from == pitch).map(|dim| dim.to),
        };
        let dim = |axis: &Axis| Some(Dim { count: axis.count, from: axis.stride as usize, to: distance(axis.count, axis.pitch)? });
        let row: Option<SmallVec<[Dim; MAX_AXES]>> = self.form.axes.iter().map(dim).collect();
        let (Some(row), Some(pitch)) = (row, distance(self.form.count, self.form.pitch)) else { return false };
        let form = (copy.stores == Stores::Streaming).then(|| Form::new(&row));
        let (ahead, mut looks) = (self.bytes_ahead(copy.size), Looks::new());
        self.fetch_first(ahead);
        for (i, &(host, index)) in self.places.iter().enumerate() {
            if looks.end_after(self.elements) {
                break;
            }
            self.fetch_behind(i, ahead);
            // SAFETY: by the contract; rows were found to lie in a buffer.
            unsafe {
                let to = place.add(index * pitch * copy.size);
                match &form {
                    Some(form) => copy.run(form, host, to),
                    None => copies::copy(copy.level, &row, copy.size, host, to),
                }
            }
        }
        true
    }

    /// How many bytes of a row with elements of `size` bytes to fetch ahead.
    fn bytes_ahead(&self, size: usize) -> usize {
        let inner = self.form.axes.last().unwrap_or(&Axis::SINGLE);
        (inner.count * inner.stride as usize * size).min(MOST_AHEAD)
    }

    /// Fetches the first rows.
    fn fetch_first(&self, bytes: usize) {
        self.places.iter().take(ROWS_AHEAD).for_each(|(first, _)| prefetch_row(*first, bytes));
    }

    /// Fetches the row that comes some behind this one.
    fn fetch_behind(&self, row: usize, bytes: usize) {
        if let Some((next, _)) = self.places.get(row + ROWS_AHEAD) {
            prefetch_row(*next, bytes);
        }
    }
}

/// Where rows begin on the host, and their indices.
pub(super) type Places = Vec<(*mut u8, usize)>;

/// How the rows of an access lie, but for where each begins.
struct RowForm {
    /// The elements of a row, in memory and in the register.
    axes: Axes,
    /// How many rows there are, and how far apart they are in the register, where the first begins at a position.
    count: usize,
    pitch: usize,
    position: usize,
}

/// Where a row begins, in elements behind the base; `None` if it is not accessed.
type RowPlace = Option<i64>;

/// Why an access is no list of rows.
struct NotRows;

impl RowForm {
    /// Where a row begins in the register.
    fn position(&self, index: usize) -> usize {
        self.position + index * self.pitch
    }
}

/// What some rows have of a number that differs between them.
fn numbers_of(function: &AccessFunction, leaf: usize, rows: &Range<usize>, regs: &Frame) -> [i64; TOGETHER] {
    let mut numbers = [0; TOGETHER];
    regs.numbers(&function.leaves[leaf].tile, rows.start, &mut numbers[..rows.len()]);
    numbers
}

impl Machine<'_> {
    /// The rows that an access consists of, all checked; `None` if that is not what it is, or not all of them lie in one buffer.
    pub(super) fn find_rows(&mut self, view: &ViewAccess, kind: AccessKind, pitches: &[usize], block: &Block) -> Option<RowList> {
        let is_plain = kind == AccessKind::ReadModifyWrite || view.order.semantics == MemoryOrderingSemantics::Weak;
        if view.packed || self.launch.observer.is_some() || !is_plain {
            return None;
        }
        match &view.places {
            Placement::Tensor(dims) => self.rows_of_tensor(view, kind, dims, pitches, &block.frame),
            Placement::Computed(function) => self.rows_of_function(view, kind, function, pitches, &block.frame),
        }
    }

    /// The rows of a tile along the one dimension of a tensor that is gathered.
    fn rows_of_tensor(
        &mut self,
        view: &ViewAccess,
        kind: AccessKind,
        dims: &[ViewDim],
        pitches: &[usize],
        regs: &Frame,
    ) -> Option<RowList> {
        let (mut form, mut first, mut gathered) = (RowForm { axes: Axes::new(), count: 0, pitch: 0, position: 0 }, 0i64, None);
        let mut is_inside = true;
        for ((dim, &extent), &pitch) in dims.iter().zip(&view.tile).zip(pitches) {
            let (shape, stride) = (regs.extent(&dim.shape), i64::try_from(regs.extent(&dim.stride)).ok()?);
            match &dim.coordinate {
                Coordinate::Origin { index, scale } => {
                    let origin = regs.scalar(index).checked_mul(*scale)?;
                    let count = shape.saturating_sub(origin).min(extent as u64) as usize;
                    is_inside &= count > 0;
                    first = first.checked_add(i64::try_from(origin).ok()?.checked_mul(stride)?)?;
                    if count > 1 {
                        form.axes.push(Axis { count, stride: stride.cast_unsigned(), pitch });
                    }
                }
                Coordinate::Gather { .. } if gathered.is_some() => return None,
                Coordinate::Gather { indices } => {
                    (form.count, form.pitch) = (extent, pitch);
                    gathered = Some((indices, shape, stride));
                }
            }
        }
        let (indices, shape, stride) = gathered?;
        if !is_inside {
            form.count = 0;
        }
        let offset = |coordinate: u64| i64::try_from(coordinate).ok()?.checked_mul(stride)?.checked_add(first);
        self.list_rows(view, kind, form, regs, |part, places| {
            for (index, place) in part.zip(places) {
                let coordinate = regs.element(indices, index);
                *place = if coordinate < shape { Some(offset(coordinate).ok_or(NotRows)?) } else { None };
            }
            Ok(())
        })
    }

    /// The rows of an access whose places are a function of its lanes' indices.
    fn rows_of_function(
        &mut self,
        view: &ViewAccess,
        kind: AccessKind,
        function: &AccessFunction,
        pitches: &[usize],
        regs: &Frame,
    ) -> Option<RowList> {
        let launch = self.launch;
        let known = launch.functions[view.fixed?].as_ref()?;
        let rows = known.rows.as_ref()?;
        let ranges = rows.lanes(function, regs)?;
        let mut form = RowForm { axes: Axes::new(), count: ranges[rows.dim].1 * function.extents[rows.dim], pitch: 0, position: 0 };
        let (mut further, mut pitches) = (0i64, view.tile.iter().zip(pitches).filter(|(extent, _)| **extent > 1).map(|(_, pitch)| *pitch));
        for (dim, (&(from, end), &step)) in ranges.iter().zip(&known.resolved.offset.steps).enumerate() {
            let pitch = pitches.next()?;
            if dim == rows.dim {
                form.pitch = pitch;
                continue;
            }
            further = further.checked_add(step.checked_mul(from as i64)?)?;
            form.position += from * pitch;
            if end - from > 1 {
                form.axes.push(Axis { count: end - from, stride: u64::try_from(step).ok()?, pitch });
            }
        }
        let all = (form.count, &reaches(function, &rows.leaves, form.count, regs));
        let needs = undecided(&rows.needs, function, regs, all)?;
        let conditions = undecided(&rows.conditions, function, regs, all)?;
        let first = common(&rows.offset.of_block, function, regs)?;
        let further = |sum: i64| sum.checked_add(further);
        // Where no sum is too large, what they are added up of need not be looked at.
        let fits =
            rows.offset.reach(first, form.count, all.1).is_some_and(|(least, most)| further(least).is_some() && further(most).is_some());
        let is_plain = needs.is_empty() && conditions.is_empty() && fits;
        self.list_rows(view, kind, form, regs, |part, places| {
            let numbers: SmallVec<[[i64; TOGETHER]; 1]> = rows.leaves.iter().map(|leaf| numbers_of(function, *leaf, &part, regs)).collect();
            let numbers = |leaf: usize| &numbers[rows.leaves.iter().position(|other| *other == leaf).expect("it differs between rows")];
            if is_plain {
                rows.offset.of_rows(further(first).ok_or(NotRows)?, part, |leaf| numbers(leaf), places);
                return Ok(());
            }
            for (i, (row, place)) in part.zip(places).enumerate() {
                let of_row = |sum: &RowSum, of_block: i64| sum.of_row(of_block, row, |leaf| numbers(leaf)[i]).ok_or(NotRows);
                for (of_block, need) in &needs {
                    if !need.hold(of_row(&need.sum, *of_block)?) {
                        return Err(NotRows);
                    }
                }
                let mut is_accessed = true;
                for (of_block, condition) in &conditions {
                    is_accessed &= condition.hold(of_row(&condition.sum, *of_block)?);
                }
                let offset = further(of_row(&rows.offset, first)?).ok_or(NotRows)?;
                *place = is_accessed.then_some(offset);
            }
            Ok(())
        })
    }

    /// Looks where rows lie, of which `find` gives some at once.
    fn list_rows(
        &mut self,
        view: &ViewAccess,
        kind: AccessKind,
        form: RowForm,
        regs: &Frame,
        find: impl Fn(Range<usize>, &mut [RowPlace]) -> Result<(), NotRows>,
    ) -> Option<RowList> {
        let (axes, count) = (&form.axes, form.count);
        if kind != AccessKind::Read && !are_apart(axes) || kind == AccessKind::ReadModifyWrite && axes.len() > 1 {
            return None;
        }
        let reservation = if count > FEW { reserve(count, &self.launch.budget).ok()? } else { None };
        let span = axes.iter().try_fold(0u64, |span, axis| span.checked_add((axis.count as u64 - 1).checked_mul(axis.stride)?))?;
        let (base, size) = (regs.scalar(&view.base), view.size as u64);
        let bytes: u64 = span.checked_mul(size)?;
        let mut window: Option<Window> = None;
        let (elements, mut looks) = (axes.iter().map(|axis| axis.count).product(), Looks::new());
        let mut places = std::mem::take(&mut self.places);
        places.clear();
        places.reserve_exact(form.count);
        let mut list = RowList { form, elements, places, reservation };
        let mut found = [None; TOGETHER];
        for part in (0..list.form.count).step_by(TOGETHER) {
            let part = part..list.form.count.min(part + TOGETHER);
            if looks.end_after(part.len() * ROW_WORK) {
                return None;
            }
            let found = &mut found[..part.len()];
            find(part.clone(), found).ok()?;
            for (index, offset) in part.zip(found) {
                let Some(offset) = *offset else { continue };
                let first = base.checked_add_signed(offset.checked_mul(view.size as i64)?)?;
                let window = match &window {
                    Some(window) => window,
                    None => window.insert(self.launch.memory.window(first, size, kind, &mut self.hint)?),
                };
                // Sizes are powers of two. Each row is looked at, whatever is known of all: what tells where it lies may be memory that another thread
                // writes to.
                if first & (size - 1) != 0 || !window.holds(Reach { first, last: first.checked_add(bytes)? }) {
                    return None;
                }
                list.places.push((window.place(first), index));
            }
        }
        Some(list)
    }

    /// Keeps the room of a short list for the next one.
    pub(super) fn give_back(&mut self, rows: RowList) {
        if rows.places.capacity() <= FEW {
            self.places = rows.places;
        }
    }

    /// Copies rows between a register and memory, or combines them with it. The next ones are fetched meanwhile.
    pub(super) fn transfer_rows(&self, view: &ViewAccess, rows: &RowList, direction: Direction) {
        let (form, ahead) = (&rows.form, rows.bytes_ahead(view.size));
        let inner = *form.axes.last().unwrap_or(&Axis::SINGLE);
        let is_row = form.axes.len() <= 1 && inner.stride == 1 && inner.pitch == 1;
        let run = Run { element: view.element, size: view.size, strong: false, alone: self.launch.alone, axis: inner };
        let mut looks = Looks::new();
        rows.fetch_first(ahead);
        for (i, &(host, index)) in rows.places.iter().enumerate() {
            if looks.end_after(rows.elements) {
                return;
            }
            rows.fetch_behind(i, ahead);
            let position = form.position(index);
            if is_row || matches!(direction, Direction::Combine(..)) {
                // SAFETY: the row was found to lie in a buffer, aligned; the register holds the whole tile; the two do not overlap.
                unsafe { run.copy(host, direction, position) };
            } else {
                copy_box(view.size, &form.axes, host, direction, position);
            }
        }
    }
}
