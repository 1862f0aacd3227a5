//! Accesses whose lanes are one box of a tile, or one for each of its rows: masked by ranges of indices along each dimension, as where a tile hangs
//! over the end of a row.
//!
//! What is known of a launch is added up once, so that a block adds what its own numbers make of it, compares and copies. Where a mask is no box, or
//! a sum may wrap, `vm/lanes.rs` makes a list of boxes.
#![allow(unsafe_code, reason = "copies between registers and buffers")]

use super::{
    Block, Machine, copy,
    edges::Inside,
    row_sum::{Numbers, Reaches, RowLimits, RowSum, reaches},
    tiling::{Axis, MAX_AXES, are_apart},
};
use crate::{
    cpu::Level,
    interrupt::{Looks, PART},
    kernels::boxes::{self, Dim},
    memory::AccessKind,
    plan::{AccessFunction, Affine, Between, Leaf, Placement, Resolved, Tile, VReg, ViewAccess, row_major},
};
use smallvec::SmallVec;
use tilewright_ir::{MemoryOrderingSemantics, Scalar};

/// Work on finding the box of a row, in elements.
const ROW_WORK: usize = 16;

/// The fewest elements of a row of a box around which padding is written apart.
const SHORTEST_ROW: usize = 256;

/// Where the lanes of an access lie that are one box, or one for each row, as far as a launch knows.
#[derive(Debug)]
pub(super) struct BoxFunction {
    extents: SmallVec<[usize; MAX_AXES]>,
    /// The leaves that differ along the outermost dimension; if there are some, each of its indices has a box of its own.
    row_leaves: SmallVec<[usize; 2]>,
    has_rows: bool,
    /// How many elements a row of the tile has.
    row_elements: usize,
    /// How many elements behind the base the first lane of a row is, and how many further the next one along each dimension.
    first: RowSum,
    steps: SmallVec<[i64; MAX_AXES]>,
    /// What must hold: where it does not, sums wrap. Some are other ones for each row.
    needs: Vec<RowLimits>,
    needs_differ: bool,
    /// What must hold for any lane to be accessed.
    gates: Vec<RowLimits>,
    gates_differ: bool,
    /// What holds of the indices of those that are.
    bounds: Vec<Bound>,
    /// Whether no two lanes share a place, even if all were accessed.
    are_apart: bool,
}

/// Limits of a sum and a multiple of the index along another dimension.
#[derive(Debug)]
struct Bound {
    sum: RowSum,
    dim: usize,
    between: Between,
}

/// A box of a block, or of one of its rows.
struct RowBox {
    /// Its first element on the host; null if it is empty.
    host: *mut u8,
    /// How many elements behind the base that is, and how many further the last one is.
    first: i64,
    span: i64,
    axes: SmallVec<[Axis; MAX_AXES]>,
    /// The position of its first element in the register.
    position: usize,
    /// How many elements it has.
    elements: usize,
    /// Whether it is the only one.
    is_alone: bool,
    /// Where its row begins in the register of a tile in order, and how many elements that has.
    row_begin: usize,
    row_elements: usize,
}

/// What the sums of all rows of a block have in common.
struct Started {
    first: i64,
    needs: Sums,
    gates: Sums,
    bounds: Sums,
    /// Whether no row is accessed.
    is_empty: bool,
    /// Whether what must hold was not found to do so for all rows at once.
    has_needs: bool,
}

type Sums = SmallVec<[i64; 8]>;

/// A bound that a number is added to; one that is none stays so.
fn moved(bound: i64, by: i64) -> Option<i64> {
    if matches!(bound, i64::MIN | i64::MAX) { Some(bound) } else { bound.checked_add(by) }
}

impl BoxFunction {
    /// `None` if lanes go backwards, have numbers that differ along an inner dimension, or are masked by more than ranges of indices.
    pub(super) fn new(function: &AccessFunction, resolved: &Resolved) -> Option<BoxFunction> {
        let (mut lanes, rank) = (function.all_lanes(), function.extents.len());
        let row_leaves: SmallVec<[usize; 2]> = (0..function.leaves.len()).filter(|leaf| function.leaves[*leaf].along.is_some()).collect();
        let has_rows = !row_leaves.is_empty();
        let row_sum = |sum: &Affine| RowSum::new(sum, has_rows.then_some(0), &row_leaves);
        if rank > MAX_AXES || function.leaves.iter().any(|leaf| leaf.along.is_some_and(|dim| dim != 0)) {
            return None;
        }
        if has_rows {
            lanes[0] = (0, 1);
        }
        // What all lanes of a row add is taken from the limits.
        let limits = |between: &Between| {
            let (low, high) = between.value.reach(&lanes)?;
            let (least, most) = (moved(between.least, low.checked_neg()?)?, moved(between.most, high.checked_neg()?)?);
            Some(RowLimits { sum: row_sum(&between.value), least, most })
        };
        let needs = resolved.needs.iter().map(limits).collect::<Option<Vec<_>>>()?;
        let (mut gates, mut bounds) = (Vec::new(), Vec::new());
        for condition in &resolved.conditions {
            let mut dims = (usize::from(has_rows)..rank).filter(|dim| condition.value.steps[*dim] != 0);
            match (dims.next(), dims.next()) {
                (None, _) => gates.push(limits(condition)?),
                (Some(dim), None) => bounds.push(Bound { sum: row_sum(&condition.value), dim, between: condition.clone() }),
                _ => return None,
            }
        }
        let steps: SmallVec<[i64; MAX_AXES]> = resolved.offset.steps[..rank].into();
        let inner = steps.iter().enumerate().skip(usize::from(has_rows));
        let axis = |(dim, &step): (usize, &i64)| Some(Axis { count: function.extents[dim], stride: u64::try_from(step).ok()?, pitch: 0 });
        let axes = inner.map(axis).collect::<Option<SmallVec<[Axis; MAX_AXES]>>>()?;
        let first = row_sum(&resolved.offset);
        let differ = |limits: &[RowLimits]| limits.iter().any(|limits| limits.sum.differs());
        Some(BoxFunction {
            extents: function.extents.iter().copied().collect(),
            row_elements: function.extents[usize::from(has_rows)..].iter().product(),
            row_leaves,
            has_rows,
            first,
            steps,
            needs_differ: differ(&needs),
            needs,
            gates_differ: differ(&gates),
            gates,
            bounds,
            are_apart: are_apart(&axes),
        })
    }

    /// How many boxes there are.
    fn rows(&self) -> usize {
        if self.has_rows { self.extents[0] } else { 1 }
    }

    /// What the sums of all rows of a block with these numbers have in common, of which those that rows have reach so far; `None` if one may wrap.
    fn start(&self, numbers: &[i64], reaches: impl FnOnce() -> Reaches) -> Option<Started> {
        let of = |sum: &RowSum| sum.of_block.with(numbers);
        let all = |limits: &[RowLimits]| limits.iter().map(|limits| of(&limits.sum)).collect::<Option<Sums>>();
        let (needs, gates) = (all(&self.needs)?, all(&self.gates)?);
        let fails =
            |limits: &[RowLimits], sums: &Sums| limits.iter().zip(sums).any(|(limits, sum)| !limits.sum.differs() && !limits.hold(*sum));
        if fails(&self.needs, &needs) {
            return None;
        }
        let bounds = self.bounds.iter().map(|bound| of(&bound.sum)).collect::<Option<Sums>>()?;
        let has_needs = self.needs_differ && {
            let reaches = reaches();
            let hold = |(need, sum): (&RowLimits, &i64)| need.hold_for_all(*sum, self.rows(), &reaches) == Some(true);
            !self.needs.iter().zip(&needs).filter(|(need, _)| need.sum.differs()).all(hold)
        };
        Some(Started { first: of(&self.first)?, is_empty: fails(&self.gates, &gates), needs, gates, bounds, has_needs })
    }

    /// The ranges of indices that a row accesses, empty ones if there are none; `None` if a sum may wrap.
    #[inline]
    fn ranges(&self, started: &Started, numbers: &[i64], row: usize) -> Option<[(usize, usize); MAX_AXES]> {
        let number = |leaf: usize| numbers[leaf];
        let of_row = |limits: &RowLimits, of_block: i64| Some(limits.hold(limits.sum.of_row(of_block, row, number)?));
        if started.has_needs {
            for (need, sum) in self.needs.iter().zip(&started.needs).filter(|(need, _)| need.sum.differs()) {
                if !of_row(need, *sum)? {
                    return None;
                }
            }
        }
        let (mut ranges, mut is_empty) = ([(0, 1); MAX_AXES], started.is_empty);
        for (range, extent) in ranges.iter_mut().zip(&self.extents).skip(usize::from(self.has_rows)) {
            range.1 = *extent;
        }
        for (Bound { sum, dim, between }, of_block) in self.bounds.iter().zip(&started.bounds) {
            ranges[*dim] = between.restrict_alone(sum.of_row(*of_block, row, number)?, *dim, ranges[*dim]);
        }
        if self.gates_differ {
            for (gate, sum) in self.gates.iter().zip(&started.gates).filter(|(gate, _)| gate.sum.differs()) {
                is_empty |= !of_row(gate, *sum)?;
            }
        }
        if is_empty {
            ranges.iter_mut().for_each(|range| range.1 = range.0);
        }
        Some(ranges)
    }

    /// The box of a row with these numbers, without its place on the host; `None` if it is none.
    #[inline]
    fn row(&self, started: &Started, numbers: &[i64], row: usize, pitches: &[usize]) -> Option<RowBox> {
        let ranges = self.ranges(started, numbers, row)?;
        let row_begin = if self.has_rows { row * pitches[0] } else { 0 };
        let mut found = RowBox {
            host: std::ptr::null_mut(),
            first: self.first.of_row(started.first, row, |leaf| numbers[leaf])?,
            span: 0,
            axes: SmallVec::new(),
            position: row_begin,
            elements: 1,
            is_alone: !self.has_rows,
            row_begin,
            row_elements: self.row_elements,
        };
        for (&(from, end), (&step, pitch)) in ranges.iter().zip(self.steps.iter().zip(pitches)) {
            let count = end - from;
            found.elements *= count;
            if count == 0 {
                break;
            }
            found.first = found.first.checked_add(step.checked_mul(from as i64)?)?;
            found.span = found.span.checked_add(step.checked_mul(count as i64 - 1)?)?;
            found.position += from * pitch;
            if count > 1 {
                found.axes.push(Axis { count, stride: step.cast_unsigned(), pitch: *pitch });
            }
        }
        Some(found)
    }
}

impl RowBox {
    /// Calls a function with the positions that a tile has around it and between its rows, from one up to another; or with all, where rows are so short that
    /// they are written sooner than told apart.
    fn each_gap(&self, mut visit: impl FnMut(usize, usize)) {
        let (begin, end) = (self.row_begin, self.row_begin + self.row_elements);
        let (row, outer) = match &self.axes[..] {
            _ if self.elements == self.row_elements => return,
            _ if self.elements == 0 => return visit(begin, end),
            [] => (1, &[][..]),
            [outer @ .., Axis { count, pitch: 1, .. }] if outer.is_empty() || *count >= SHORTEST_ROW => (*count, outer),
            _ => return visit(begin, end),
        };
        let rows: usize = outer.iter().map(|axis| axis.count).product();
        let (mut next, mut looks) = (begin, Looks::new());
        for number in 0..rows {
            if looks.end_after(row) {
                return;
            }
            let (mut position, mut left) = (self.position, number);
            for axis in outer.iter().rev() {
                position += left % axis.count * axis.pitch;
                left /= axis.count;
            }
            visit(next, position);
            next = position + row;
        }
        visit(next, end);
    }
}

impl Machine<'_> {
    /// Calls a function with the box of each row of an access, checked. `None` if an access has none, or if that is not as simple as
    /// adding and comparing: then all of it is to be done in another way. `pitches` are the tile's distances in its register.
    fn each_box(
        &mut self,
        view: &ViewAccess,
        kind: AccessKind,
        pitches: &[usize],
        block: &Block,
        mut visit: impl FnMut(&RowBox),
    ) -> Option<()> {
        let launch = self.launch;
        let Placement::Computed(function) = &view.places else { return None };
        let known = launch.functions[view.fixed?].as_ref()?.boxes.as_ref()?;
        let is_plain = view.order.semantics == MemoryOrderingSemantics::Weak && !view.packed && view.element != Scalar::I1;
        if !is_plain || launch.observer.is_some() {
            return None;
        }
        let proper = view.tile.iter().zip(pitches).filter(|(extent, _)| **extent > 1).map(|(_, pitch)| *pitch);
        let pitches: SmallVec<[usize; MAX_AXES]> = proper.collect();
        let (regs, mut looks) = (&block.frame, Looks::new());
        let number = |leaf: &Leaf, row: usize| leaf.number(regs.element(&leaf.tile, row));
        let mut numbers: Numbers = function.leaves.iter().map(|leaf| number(leaf, 0)).collect();
        let (base, started) =
            (regs.scalar(&view.base), known.start(&numbers, || reaches(function, &known.row_leaves, known.rows(), regs))?);
        for row in 0..known.rows() {
            for leaf in &known.row_leaves {
                numbers[*leaf] = number(&function.leaves[*leaf], row);
            }
            let mut found = known.row(&started, &numbers, row, &pitches)?;
            // Of rows that are longer than they lie apart, those lanes may share places that are not accessed.
            if kind != AccessKind::Read && !known.are_apart && !are_apart(&found.axes) {
                return None;
            }
            // Long rows look at the interrupt themselves, too.
            if looks.end_after(ROW_WORK + found.elements) {
                break;
            }
            if found.elements > 0 {
                let address = base.checked_add_signed(found.first.checked_mul(view.size as i64)?)?;
                let bytes = found.span.checked_add(1)?.checked_mul(view.size as i64)?;
                found.host = self.resolve(block, address, bytes.cast_unsigned(), view.size as u64, kind).ok()?;
            }
            visit(&found);
        }
        Some(())
    }

    /// Loads boxes, and writes the padding around them; `None` as of [`each_box`](Machine::each_box).
    ///
    /// Where there is only one, asks to read ahead where the next load will probably find its.
    pub(super) fn load_boxes(&mut self, view: &ViewAccess, pitches: &[usize], dst: VReg, block: &Block) -> Option<()> {
        let (size, target) = (view.size, block.frame.write(dst));
        let mut only = None;
        let padding = view.padding.to_le_bytes();
        // SAFETY: the register holds the whole tile.
        let pad = |from: usize, end: usize| unsafe { copy::spread(padding.as_ptr(), size, end - from, target.add(from * size)) };
        self.each_box(view, AccessKind::Read, pitches, block, |found| {
            found.each_gap(pad);
            if found.elements > 0 {
                let dims = found.axes.iter().map(|axis| Dim { count: axis.count, from: axis.stride as usize, to: axis.pitch });
                let dims: SmallVec<[Dim; MAX_AXES]> = dims.collect();
                // SAFETY: the box lies in a buffer, and the register has room for it.
                unsafe { copy_box(&dims, size, found.host, target.add(found.position * size)) };
                only = found.is_alone.then_some((found.host, dims));
            }
        })?;
        if let Some((host, dims)) = only {
            self.read_next_ahead(dst, host, &dims, size);
        }
        Some(())
    }

    /// What is accessed of a tile in order whose lanes are one box that begins with the first of them; `None` if that is not so, or if finding the
    /// box is not as simple as adding and comparing.
    pub(super) fn find_box_inside(&mut self, view: &ViewAccess, kind: AccessKind, block: &Block) -> Option<Inside> {
        let mut inside = None;
        let pitches = row_major(&view.tile);
        self.each_box(view, kind, &pitches, block, |found| {
            let dims = view.tile.iter().zip(&pitches).rev().filter(|(tile, _)| **tile > 1);
            let axis = |pitch| found.axes.iter().find(|axis| axis.pitch == pitch).copied().unwrap_or(Axis { pitch, ..Axis::SINGLE });
            inside = (found.is_alone && found.position == 0).then(|| Inside {
                host: (found.elements > 0).then_some(found.host),
                dims: dims.map(|(tile, pitch)| (axis(*pitch), *tile)).collect(),
            });
        })?;
        inside
    }

    /// Stores boxes of a tile that is in a register; `None` as of [`each_box`](Machine::each_box), of which some may have been stored.
    pub(super) fn store_boxes(&mut self, view: &ViewAccess, src: &Tile, block: &Block) -> Option<()> {
        let source = block.frame.read(src);
        self.each_box(view, AccessKind::Write, &src.strides, block, |found| {
            if found.elements > 0 {
                let dims = found.axes.iter().map(|axis| Dim { count: axis.count, from: axis.pitch, to: axis.stride as usize });
                let dims: SmallVec<[Dim; MAX_AXES]> = dims.collect();
                // SAFETY: the box lies in a buffer, which does not overlap the register, and no two of its elements share a place.
                unsafe { copy_box(&dims, view.size, source.add(found.position * view.size), found.host) };
            }
        })
    }
}

/// Copies a box with these dimensions, the outermost first.
///
/// # Safety
/// As for [`boxes::copy`].
unsafe fn copy_box(dims: &[Dim], size: usize, from: *const u8, to: *mut u8) {
    // SAFETY: by the contract.
    unsafe {
        match *dims {
            [] => boxes::copy_element(size, from, to),
            [Dim { count, from: 1, to: 1 }] if count <= PART => std::ptr::copy_nonoverlapping(from, to, count * size),
            _ => boxes::copy(Level::best(), dims, size, from, to),
        }
    }
}
