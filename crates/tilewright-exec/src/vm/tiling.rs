//! Tilings: where the tiles of a view lie that are whole in its tensor.
//!
//! The address, the extents and the strides of a tensor are nearly always constants of the launch. Then its tiling is found out once, and
//! a block only adds up what its index makes of it.
#![allow(unsafe_code, reason = "hands an address of the host to the threads of a launch")]

use super::{
    Block, Launch,
    coarse::Places,
    frame::{Frame, FrameLayout},
    rows::KnownFunction,
};
use crate::{
    memory::{AccessKind, SharedMemory},
    plan::{self, AccessFunction, Affine, Base, Coordinate, Extent, Inst, Placement, Plan, Readers, Tile, VReg, ViewAccess, ViewDim},
};
use smallvec::SmallVec;
use std::ops::Range;
use tilewright_ir::MemoryOrderingSemantics;

/// Dimensions of more than one element that a tile may have.
pub(super) const MAX_AXES: usize = 4;
/// Dimensions that a view may have.
const MAX_DIMS: usize = 8;

/// One dimension of the part of a tile that lies inside the tensor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Axis {
    /// Elements inside.
    pub(super) count: usize,
    /// Distance in memory, in elements.
    pub(super) stride: u64,
    /// Distance in the register, in elements.
    pub(super) pitch: usize,
}

impl Axis {
    pub(super) const SINGLE: Axis = Axis { count: 1, stride: 1, pitch: 1 };
}

/// The distance in memory of what is so far apart in the register of a tile with these axes.
pub(super) fn distance(axes: &[Axis; MAX_AXES], stride: usize) -> usize {
    let along = |axis: &&Axis| axis.count > 1 && axis.pitch <= stride && stride < axis.pitch * axis.count;
    axes.iter().find(along).map_or(stride, |axis| axis.stride as usize * (stride / axis.pitch))
}

/// How far apart rows of so many elements lie in memory, of a tile with these axes; `None` if their elements do not lie side by side, or the rows not a
/// distance apart.
pub(super) fn row_pitch(axes: &[Axis; MAX_AXES], row: usize) -> Option<usize> {
    let (mut pitch, mut next) = (None, 0);
    for axis in axes.iter().rev().filter(|axis| axis.count > 1) {
        let stride = axis.stride as usize;
        if axis.pitch < row {
            let reach = axis.pitch * axis.count;
            if stride != axis.pitch || reach > row && pitch.is_some() {
                return None;
            }
            // It goes on from one row to the next.
            if reach > row {
                (pitch, next) = (Some(row), reach);
            }
        } else {
            let fits = if pitch.is_none() { axis.pitch == row } else { stride == next };
            pitch = pitch.or(Some(stride)).filter(|_| fits);
            pitch?;
            next = stride * axis.count;
        }
    }
    Some(pitch.unwrap_or(row))
}

/// Where the tiles of a view lie that are whole in its tensor: those that blocks may access.
pub(crate) struct Tiling {
    /// Where the tile is, or would be, if all numbers that blocks compute were 0.
    address: u64,
    /// The same on the host, where one buffer holds all tiles and may be accessed as the view does; else null.
    host: *mut u8,
    /// From the first to behind the last element of a tile.
    pub(super) bytes: u64,
    /// From `address` to the first byte of all tiles, and behind the last.
    reach: (i64, i64),
    /// Whether no block reads in memory what lies between the tiles of this view.
    pub(super) apart: bool,
    /// The numbers that blocks compute.
    steps: [Step; MAX_DIMS],
    moving: usize,
    /// What else must hold of them.
    sums: Vec<LeafSum>,
    /// The distances of its elements in memory and in a register.
    pub(super) axes: [Axis; MAX_AXES],
    /// Whether they are the same.
    pub(super) in_order: bool,
}

/// Bytes after which a second cache begins with its first lines again, and how many lines it holds for each of them: those of the smaller ones.
const CACHE_ROUND: u64 = 1 << 16;
const CACHE_WAYS: u64 = 8;
/// Bytes of a tile that such a cache holds if they lie side by side.
const CACHE_BYTES: u64 = CACHE_ROUND * CACHE_WAYS / 2;

/// Whether rows, which lie a multiple of a power of two apart, share so few lines of a cache that it cannot hold them, but could if they lay side by
/// side.
fn crowds(axes: &[Axis], size: u64) -> bool {
    let bytes = axes.iter().map(|axis| axis.count as u64).product::<u64>() * size;
    let shares = |axis: &Axis| {
        let step = axis.stride.wrapping_mul(size);
        let power = 1 << step.trailing_zeros().min(CACHE_ROUND.trailing_zeros());
        axis.count as u64 * power > CACHE_ROUND * CACHE_WAYS
    };
    bytes <= CACHE_BYTES && axes.iter().any(|axis| axis.count > 1 && axis.stride > 0 && shares(axis))
}

// SAFETY: it only names a place; whoever accesses that answers for it.
unsafe impl Send for Tiling {}
// SAFETY: as above.
unsafe impl Sync for Tiling {}

/// A number that blocks compute, which moves their tiles: an index along a dimension of a view, or a leaf of an access function.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// Holds the number, a signed one of so many bytes.
    register: VReg,
    size: usize,
    /// The least and the greatest number of whole tiles.
    least: i64,
    most: i64,
    /// From the tile of one number to that of the next.
    bytes: i64,
}

impl Step {
    const NONE: Step = Step { register: VReg(0), size: 0, least: 0, most: 0, bytes: 0 };

    /// A number that lies in a register, of which nothing is known but its bytes.
    fn new(register: VReg, size: usize, bytes: i64) -> Step {
        let unused = 64 - 8 * size as u32;
        Step { register, size, least: i64::MIN >> unused, most: i64::MAX >> unused, bytes }
    }

    #[inline]
    fn number(&self, regs: &Frame) -> i64 {
        // The usual type, whose size the compiler then knows.
        if self.size == size_of::<i32>() {
            return i64::from(regs.register_scalar(self.register, size_of::<i32>()) as i32);
        }
        let unused = 64 - 8 * self.size as u32;
        (regs.register_scalar(self.register, self.size) << unused).cast_signed() >> unused
    }
}

/// A sum of multiples of the numbers that blocks compute, which lies in a range for whole tiles.
struct LeafSum {
    /// The positions of steps, and how often they are added.
    terms: SmallVec<[(usize, i64); 2]>,
    least: i128,
    most: i128,
}

impl Tiling {
    /// Whether a tile has more rows than a cache holds of those that lie so far apart, for elements of `size` bytes.
    pub(super) fn crowds(&self, size: usize) -> bool {
        crowds(&self.axes, size as u64)
    }

    /// The tiling of a view, whose numbers `scalar` gives: all but those of indices that blocks compute. `None` if no tile is whole, or if
    /// its accesses are no copies of elements.
    fn new(view: &ViewAccess, kind: AccessKind, scalar: impl Fn(&Tile) -> Option<u64>, memory: &SharedMemory<'_>) -> Option<Tiling> {
        if view.order.semantics != MemoryOrderingSemantics::Weak || view.packed || view.tile.len() > MAX_DIMS {
            return None;
        }
        match &view.places {
            Placement::Tensor(dims) => Tiling::of_tensor(view, dims, kind, scalar, memory),
            Placement::Computed(function) => Tiling::computed(view, function, kind, scalar, memory),
        }
    }

    fn of_tensor(
        view: &ViewAccess,
        dims: &[ViewDim],
        kind: AccessKind,
        scalar: impl Fn(&Tile) -> Option<u64>,
        memory: &SharedMemory<'_>,
    ) -> Option<Tiling> {
        let number = |extent: &Extent| match extent {
            Extent::Static(value) => Some(*value),
            Extent::Dynamic(tile) => scalar(tile),
        };
        let size = view.size as u64;
        let (mut steps, mut moving, mut axes) = ([Step::NONE; MAX_DIMS], 0, [Axis::SINGLE; MAX_AXES]);
        let (mut first, mut reach, mut span, mut pitch, mut rank, mut in_order) = (0u64, 0u64, 0u64, 1, MAX_AXES, true);
        for (dim, &extent) in dims.iter().zip(&view.tile).rev() {
            let Coordinate::Origin { index, scale } = &dim.coordinate else { return None };
            let (tile, shape, stride) = (extent as u64, number(&dim.shape)?, number(&dim.stride)?);
            let last = shape.checked_sub(tile)?.checked_div(*scale)?;
            let distance = scale.checked_mul(stride)?;
            match (scalar(index), index.base) {
                (Some(index), _) => first = first.checked_add(index.checked_mul(distance).filter(|_| index <= last)?)?,
                (None, Base::Reg(reg)) => {
                    let step = Step::new(reg, index.elem.size(), distance.checked_mul(size)?.try_into().ok()?);
                    steps[moving] = Step { least: 0, most: last.min(i64::MAX.cast_unsigned()).cast_signed(), ..step };
                    moving += 1;
                    reach = reach.checked_add(last.checked_mul(distance)?)?;
                }
                (None, Base::Const(_)) => return None,
            }
            span = span.checked_add((tile - 1).checked_mul(stride)?)?;
            if tile != 1 {
                rank = rank.checked_sub(1)?;
                axes[rank] = Axis { count: extent, stride, pitch };
                in_order &= stride == pitch as u64;
            }
            pitch *= extent;
        }
        // The last offset must be within the limit of all accesses.
        let all = reach.checked_add(span)?;
        first.checked_add(all).filter(|last| *last < i64::MAX.cast_unsigned())?;
        let (address, bytes) = (scalar(&view.base)?.checked_add(first.checked_mul(size)?)?, (span + 1).checked_mul(size)?);
        let reach = (0, (all + 1).checked_mul(size)?.try_into().ok()?);
        let tiling =
            Tiling { address, host: std::ptr::null_mut(), bytes, reach, apart: false, steps, moving, sums: Vec::new(), axes, in_order };
        Some(tiling.in_one_buffer(view, kind, memory))
    }

    /// The tiling of an access function: the tile of a block is whole if no lane is masked off, and no sum wraps.
    fn computed(
        view: &ViewAccess,
        function: &AccessFunction,
        kind: AccessKind,
        scalar: impl Fn(&Tile) -> Option<u64>,
        memory: &SharedMemory<'_>,
    ) -> Option<Tiling> {
        let known = |leaf: usize| {
            let leaf = &function.leaves[leaf];
            if leaf.along.is_some() { None } else { scalar(&leaf.tile).map(|bits| leaf.number(bits)) }
        };
        let resolved = function.resolve(known)?;
        // Each block has quotients of its own.
        if !resolved.quotients.is_empty() {
            return None;
        }
        let (axes, span, in_order) = axes(function, &resolved.offset, kind)?;
        let size = view.size as i64;
        let (mut steps, mut moving, mut places) = ([Step::NONE; MAX_DIMS], 0, SmallVec::<[usize; MAX_DIMS]>::new());
        for (number, leaf) in function.leaves.iter().enumerate().filter(|(number, _)| known(*number).is_none()) {
            let Base::Reg(reg) = leaf.tile.base else { return None };
            if leaf.along.is_some() || moving == MAX_DIMS {
                return None;
            }
            let times = resolved.offset.leaves.iter().find(|(other, _)| *other == number).map_or(0, |(_, times)| *times);
            steps[moving] = Step::new(reg, leaf.tile.elem.size(), times.checked_mul(size)?);
            if leaf.is_block_id {
                steps[moving].least = 0;
            }
            moving += 1;
            places.push(number);
        }
        let lanes = function.all_lanes();
        let mut sums = Vec::new();
        for between in resolved.needs.iter().chain(&resolved.conditions) {
            let (low, high) = between.value.reach(&lanes)?;
            let constant = i128::from(between.value.constant);
            let (least, most) =
                (i128::from(between.least) - constant - i128::from(low), i128::from(between.most) - constant - i128::from(high));
            let position = |leaf: &usize| places.iter().position(|place| place == leaf);
            match between.value.leaves[..] {
                [] if least <= 0 && 0 <= most => {}
                [] => return None,
                [(leaf, times)] => steps[position(&leaf)?].keep_between(least, most, times),
                _ => {
                    let terms = between.value.leaves.iter().map(|(leaf, times)| Some((position(leaf)?, *times))).collect::<Option<_>>()?;
                    sums.push(LeafSum { terms, least, most });
                }
            }
        }
        if steps[..moving].iter().any(|step| step.least > step.most) {
            return None;
        }
        let address = scalar(&view.base)?.wrapping_add_signed(resolved.offset.constant.checked_mul(size)?);
        let bytes = (span + 1).checked_mul(size)?;
        // Where numbers may be anything, so may be places.
        let reach = steps[..moving].iter().try_fold((0i64, bytes), |(first, end), step| {
            let (least, most) = (step.least.checked_mul(step.bytes)?, step.most.checked_mul(step.bytes)?);
            Some((first.checked_add(least.min(most))?, end.checked_add(least.max(most))?))
        });
        let (reach, is_bounded) = (reach.unwrap_or_default(), reach.is_some());
        let bytes = bytes.cast_unsigned();
        let tiling = Tiling { address, host: std::ptr::null_mut(), bytes, reach, apart: false, steps, moving, sums, axes, in_order };
        Some(if is_bounded { tiling.in_one_buffer(view, kind, memory) } else { tiling })
    }

    /// The tiling with its place on the host, if one buffer holds all tiles and may be accessed as the view does.
    fn in_one_buffer(mut self, view: &ViewAccess, kind: AccessKind, memory: &SharedMemory<'_>) -> Tiling {
        let (first, end) = self.reach;
        let bytes = end.checked_sub(first).map_or(u64::MAX, i64::cast_unsigned);
        if let Ok(host) = memory.resolve(self.address.wrapping_add_signed(first), bytes, view.size as u64, kind, &mut 0)
            && host.addr().is_multiple_of(view.size)
        {
            self.host = host.wrapping_offset((-first) as isize);
        }
        self
    }

    /// The addresses from the first to behind the last byte of all tiles, if one buffer holds them.
    fn span(&self) -> Option<Range<usize>> {
        let at = |offset: i64| self.host.wrapping_offset(offset as isize).addr();
        (!self.host.is_null()).then(|| at(self.reach.0)..at(self.reach.1))
    }

    /// Where the tiles of blocks lie whose indices are coordinates of these, or constants, and whose accesses are checked already. Lowers
    /// how many blocks of a grid have `whole` tiles, along each axis.
    pub(super) fn places(&self, plan: &Plan, whole: &mut [u64; 3]) -> Option<Places> {
        if self.host.is_null() {
            return None;
        }
        if !self.sums.is_empty() {
            return None;
        }
        let mut places = Places { first: self.host, steps: [0; 3], bytes: self.bytes };
        for step in &self.steps[..self.moving] {
            let axis = plan.axis(step.register).filter(|_| step.least <= 0)?;
            places.steps[axis] += u64::try_from(step.bytes).ok()?;
            whole[axis] = whole[axis].min(u64::try_from(step.most.saturating_add(1)).unwrap_or(0));
        }
        Some(places)
    }

    /// Where the tile of a block lies, if it is whole and one buffer holds all of them.
    #[inline]
    pub(super) fn tile(&self, regs: &Frame) -> Option<*mut u8> {
        let offset = if self.host.is_null() { None } else { self.offset(regs) };
        offset.map(|offset| self.host.wrapping_add(offset as usize))
    }

    /// How many bytes the tile of a block lies behind the first one; `None` if it is not whole.
    #[inline]
    fn offset(&self, regs: &Frame) -> Option<u64> {
        let mut offset = 0i64;
        for step in &self.steps[..self.moving] {
            let number = step.number(regs);
            if number < step.least || number > step.most {
                return None;
            }
            offset = offset.wrapping_add(number.wrapping_mul(step.bytes));
        }
        if !self.sums.is_empty() && !self.sums_hold(regs) {
            return None;
        }
        Some(offset.cast_unsigned())
    }

    /// Whether one of the numbers that move its tiles lies in one of these registers.
    pub(super) fn is_moved_by(&self, registers: &[VReg]) -> bool {
        self.steps[..self.moving].iter().any(|step| registers.contains(&step.register))
    }

    #[inline(never)]
    fn sums_hold(&self, regs: &Frame) -> bool {
        self.sums.iter().all(|sum| {
            let terms = sum.terms.iter().map(|(step, times)| i128::from(self.steps[*step].number(regs)) * i128::from(*times));
            let sum_of_terms: i128 = terms.sum();
            sum.least <= sum_of_terms && sum_of_terms <= sum.most
        })
    }
}

impl Step {
    /// Narrows the range to numbers of which so many times each lies between two others.
    fn keep_between(&mut self, least: i128, most: i128, times: i64) {
        let (low, high) = if times > 0 { (least, most) } else { (most, least) };
        let clamp = |number: i128| number.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
        self.least = self.least.max(clamp(-floor_div(-low, times.into())));
        self.most = self.most.min(clamp(floor_div(high, times.into())));
    }
}

/// The axes of a tile whose lanes lie so far apart, how many elements the last lies behind the first, and whether they lie as in a
/// register; `None` if lanes go backwards, or if those that are written might share a place.
fn axes(function: &AccessFunction, offset: &Affine, kind: AccessKind) -> Option<([Axis; MAX_AXES], i64, bool)> {
    let (mut axes, mut span, mut pitch, mut in_order) = ([Axis::SINGLE; MAX_AXES], 0i64, 1, true);
    let dims = function.extents.iter().zip(offset.steps).rev();
    for (axis, (&count, step)) in axes.iter_mut().rev().zip(dims) {
        let stride = u64::try_from(step).ok()?;
        *axis = Axis { count, stride, pitch };
        in_order &= stride == pitch as u64;
        span = span.checked_add(step.checked_mul(count as i64 - 1)?)?;
        pitch *= count;
    }
    (kind == AccessKind::Read || are_apart(&axes)).then_some((axes, span, in_order))
}

/// Whether no two elements of a box share a place.
pub(super) fn are_apart(axes: &[Axis]) -> bool {
    let stride = |axis: &Axis| i64::try_from(axis.stride).unwrap_or(i64::MAX);
    plan::are_apart(axes.iter().map(|axis| (axis.count, stride(axis))))
}

/// The view that an instruction accesses a tile of.
fn view(inst: &Inst) -> Option<(&ViewAccess, AccessKind)> {
    match inst {
        Inst::Load { view, .. } => Some((view, AccessKind::Read)),
        Inst::LoadWindows(load) => Some((&load.view, AccessKind::Read)),
        Inst::Store { view, .. } | Inst::SweepStore { view, .. } | Inst::RowsStore { view, .. } => Some((view, AccessKind::Write)),
        Inst::AtomicView { view, .. } => Some((view, AccessKind::ReadModifyWrite)),
        _ => None,
    }
}

/// The tilings of the views whose tensors are constants of a launch.
pub(crate) fn find_all(plan: &Plan, layout: &FrameLayout<'_>, memory: &SharedMemory<'_>) -> Vec<Option<Tiling>> {
    let views = plan.fixed_views.iter().filter_map(|at| view(&plan.code[*at]));
    let mut tilings: Vec<_> = views.map(|(view, kind)| Tiling::new(view, kind, |tile| layout.constant(tile), memory)).collect();
    if let Some(read) = spans_read(plan, &tilings) {
        for tiling in tilings.iter_mut().flatten() {
            let is_apart = |own: Range<usize>| read.iter().all(|other| own.end <= other.start || other.end <= own.start);
            tiling.apart = tiling.span().is_some_and(is_apart);
        }
    }
    tilings
}

/// The quotient, rounded down.
fn floor_div(a: i128, b: i128) -> i128 {
    let quotient = a / b;
    if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient }
}

/// The access functions of the views whose tensors are constants of a launch, with these constants.
pub(crate) fn resolve_functions(plan: &Plan, layout: &FrameLayout<'_>) -> Vec<Option<KnownFunction>> {
    let views = plan.fixed_views.iter().filter_map(|at| view(&plan.code[*at]));
    let resolved = views.map(|(view, _)| match &view.places {
        Placement::Tensor(_) => None,
        Placement::Computed(function) => KnownFunction::new(function, |leaf| {
            let leaf = &function.leaves[leaf];
            if leaf.along.is_some() { None } else { layout.constant(&leaf.tile).map(|bits| leaf.number(bits)) }
        }),
    });
    resolved.collect()
}

/// Where all tiles lie that blocks may read in memory; `None` if that is not known.
fn spans_read(plan: &Plan, tilings: &[Option<Tiling>]) -> Option<Vec<Range<usize>>> {
    let mut spans = Vec::new();
    for inst in &plan.code {
        if let Inst::Load { view, readers, .. } = inst
            && *readers != Readers::Any
        {
            // Parts of tiles that hang over an edge are left where they lie, too.
            if let Readers::Rows(_) = readers {
                return None;
            }
            match &tilings[view.fixed?] {
                Some(tiling) => spans.push(tiling.span()?),
                // It may be rows, which lie anywhere.
                None if *readers == Readers::Stores => return None,
                // It copies.
                None => {}
            }
        }
    }
    Some(spans)
}

impl Launch<'_> {
    /// Where a tile lies that is whole in its tensor, aligned, in a buffer, where nobody wants to see each access; and the tiling that it
    /// belongs to. `buffer` is the one to look at first.
    #[inline]
    pub(super) fn find_tile<'t>(
        &'t self,
        view: &ViewAccess,
        kind: AccessKind,
        block: &Block,
        buffer: &mut usize,
        made: &'t mut Option<Tiling>,
    ) -> Option<(*mut u8, &'t Tiling)> {
        if self.observer.is_some() {
            return None;
        }
        let tiling = match view.fixed {
            Some(number) => self.tilings[number].as_ref(),
            None => {
                *made = self.make_tiling(view, kind, block);
                made.as_ref()
            }
        }?;
        let offset = tiling.offset(&block.frame)?;
        let host = if tiling.host.is_null() {
            self.resolve_tile(view, tiling, offset, kind, block, buffer)?
        } else {
            tiling.host.wrapping_add(offset as usize)
        };
        Some((host, tiling))
    }

    /// Where a block's tile lies, and how many bytes it has, if these lie side by side, the launch knows one buffer for all tiles of the view, and
    /// nobody wants to see each access.
    #[inline]
    pub(super) fn find_run(&self, view: &ViewAccess, regs: &Frame) -> Option<(*mut u8, usize)> {
        let tiling = self.tilings[view.fixed?].as_ref().filter(|tiling| tiling.in_order && self.observer.is_none())?;
        Some((tiling.tile(regs)?, tiling.bytes as usize))
    }

    /// Whether a view has one tile for all blocks, where it is the same for all of a launch, and nobody wants to see each access.
    #[inline]
    pub(super) fn has_one_tile(&self, view: &ViewAccess) -> bool {
        let is_single = |number: usize| self.tilings[number].as_ref().is_some_and(|tiling| tiling.moving == 0 && !tiling.host.is_null());
        self.observer.is_none() && view.fixed.is_some_and(is_single)
    }

    /// The tiling of a view as a block has computed it.
    #[inline(never)]
    fn make_tiling(&self, view: &ViewAccess, kind: AccessKind, block: &Block) -> Option<Tiling> {
        Tiling::new(view, kind, |tile| Some(block.frame.scalar(tile)), &self.memory)
    }

    /// Where the tile lies that is so many bytes behind the first one, if not all are in one buffer.
    #[inline(never)]
    fn resolve_tile(
        &self,
        view: &ViewAccess,
        tiling: &Tiling,
        offset: u64,
        kind: AccessKind,
        block: &Block,
        buffer: &mut usize,
    ) -> Option<*mut u8> {
        let host = self.resolve(buffer, block, tiling.address.wrapping_add(offset), tiling.bytes, view.size as u64, kind).ok()?;
        host.addr().is_multiple_of(view.size).then_some(host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_lie_a_distance_apart() {
        let pitch = |dims: &[(usize, u64, usize)], row| {
            let mut axes = [Axis::SINGLE; MAX_AXES];
            for (axis, (count, stride, pitch)) in axes.iter_mut().rev().zip(dims.iter().rev()) {
                *axis = Axis { count: *count, stride: *stride, pitch: *pitch };
            }
            row_pitch(&axes, row)
        };
        // A matrix whose rows lie 300 apart, one of two dimensions of such rows, and one row of several dimensions.
        assert_eq!(pitch(&[(8, 300, 256), (256, 1, 1)], 256), Some(300));
        assert_eq!(pitch(&[(4, 600, 512), (2, 300, 256), (256, 1, 1)], 256), Some(300));
        assert_eq!(pitch(&[(2, 256, 256), (16, 16, 16), (16, 1, 1)], 256), Some(256));
        // Rows that are a part of a longer run, and a single one, less of which is inside.
        assert_eq!(pitch(&[(1024, 1, 1)], 256), Some(256));
        assert_eq!(pitch(&[(4, 2000, 1024), (1024, 1, 1)], 256), None);
        assert_eq!(pitch(&[(200, 1, 1)], 256), Some(256));
        // Rows that do not lie a distance apart, and elements that do not lie side by side.
        assert_eq!(pitch(&[(4, 700, 512), (2, 300, 256), (256, 1, 1)], 256), None);
        assert_eq!(pitch(&[(8, 1, 256), (256, 8, 1)], 256), None);
        assert_eq!(pitch(&[(2, 256, 256), (16, 20, 16), (16, 1, 1)], 256), None);
    }

    #[test]
    fn rows_crowd_where_a_cache_has_few_lines_for_all() {
        let rows = |count, stride| [Axis { count, stride, pitch: 8 }, Axis { count: 8, stride: 1, pitch: 1 }];
        // A page apart, a cache has lines for 128 rows; at larger powers of two, for fewer.
        for (count, stride, crowded) in
            [(128, 1024, false), (256, 1024, true), (16, 1 << 14, true), (8, 1 << 20, false), (9, 1 << 20, true)]
        {
            assert_eq!(crowds(&rows(count, stride), 4), crowded, "{count} rows, {stride} apart");
        }
        // Rows that lie side by side, or everywhere, or at the same place, and tiles that no cache holds.
        for (count, stride) in [(256, 8), (256, 1025), (256, 0), (1 << 14, 1024)] {
            assert!(!crowds(&rows(count, stride), 4), "{count} rows, {stride} apart");
        }
    }
}
