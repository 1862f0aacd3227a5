//! Tilings: where the tiles of a view lie that are whole in its tensor.
//!
//! The address, the extents and the strides of a tensor are nearly always constants of the launch. Then its tiling is found out once, and
//! a block only adds up what its index makes of it.
#![allow(unsafe_code, reason = "hands an address of the host to the threads of a launch")]

use super::{
    Block, Launch,
    coarse::Places,
    frame::{Frame, FrameLayout},
};
use crate::{
    memory::{AccessKind, SharedMemory},
    plan::{Base, Coordinate, Extent, Inst, Plan, Readers, Tile, VReg, ViewAccess},
};
use std::ops::Range;
use tilewright_ir::MemoryOrderingSemantics;

/// Dimensions of more than one element that a tile may have.
pub(super) const MAX_AXES: usize = 4;
/// Dimensions that a view may have.
const MAX_DIMS: usize = 8;

/// One dimension of the part of a tile that lies inside the tensor.
#[derive(Clone, Copy, Debug)]
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

/// Where the tiles of a view lie that are whole in its tensor: those that blocks may access.
pub(crate) struct Tiling {
    /// The first of them: where all indices that blocks compute are 0.
    address: u64,
    /// The same on the host, where one buffer holds all of them and may be accessed as the view does; else null.
    host: *mut u8,
    /// From the first to behind the last element of a tile, and of all tiles.
    pub(super) bytes: u64,
    all_bytes: u64,
    /// Whether no block reads in memory what lies between the tiles of this view.
    pub(super) apart: bool,
    /// The dimensions whose index blocks compute.
    steps: [Step; MAX_DIMS],
    moving: usize,
    /// The distances of its elements in memory and in a register.
    pub(super) axes: [Axis; MAX_AXES],
    /// Whether they are the same.
    pub(super) in_order: bool,
}

// SAFETY: it only names a place; whoever accesses that answers for it.
unsafe impl Send for Tiling {}
// SAFETY: as above.
unsafe impl Sync for Tiling {}

/// One dimension of a view.
#[derive(Clone, Copy)]
struct Step {
    /// Holds the index, in so many bytes.
    index: VReg,
    size: usize,
    /// The largest index of a whole tile.
    last: u64,
    /// From one index to the next.
    bytes: u64,
}

impl Step {
    const NONE: Step = Step { index: VReg(0), size: 0, last: 0, bytes: 0 };
}

impl Tiling {
    /// The tiling of a view, whose numbers `scalar` gives: all but those of indices that blocks compute. `None` if no tile is whole, or if
    /// its accesses are no copies of elements.
    fn new(view: &ViewAccess, kind: AccessKind, scalar: impl Fn(&Tile) -> Option<u64>, memory: &SharedMemory<'_>) -> Option<Tiling> {
        if view.order.semantics != MemoryOrderingSemantics::Weak || view.packed || view.dims.len() > MAX_DIMS {
            return None;
        }
        let number = |extent: &Extent| match extent {
            Extent::Static(value) => Some(*value),
            Extent::Dynamic(tile) => scalar(tile),
        };
        let size = view.size as u64;
        let (mut steps, mut moving, mut axes) = ([Step::NONE; MAX_DIMS], 0, [Axis::SINGLE; MAX_AXES]);
        let (mut first, mut reach, mut span, mut pitch, mut rank, mut in_order) = (0u64, 0u64, 0u64, 1, MAX_AXES, true);
        for dim in view.dims.iter().rev() {
            let Coordinate::Origin { index, scale } = &dim.coordinate else { return None };
            let (tile, shape, stride) = (dim.tile as u64, number(&dim.shape)?, number(&dim.stride)?);
            let last = shape.checked_sub(tile)?.checked_div(*scale)?;
            let distance = scale.checked_mul(stride)?;
            match (scalar(index), index.base) {
                (Some(index), _) => first = first.checked_add(index.checked_mul(distance).filter(|_| index <= last)?)?,
                (None, Base::Reg(reg)) => {
                    steps[moving] = Step { index: reg, size: index.elem.size(), last, bytes: distance.checked_mul(size)? };
                    moving += 1;
                    reach = reach.checked_add(last.checked_mul(distance)?)?;
                }
                (None, Base::Const(_)) => return None,
            }
            span = span.checked_add((tile - 1).checked_mul(stride)?)?;
            if tile != 1 {
                rank = rank.checked_sub(1)?;
                axes[rank] = Axis { count: dim.tile, stride, pitch };
                in_order &= stride == pitch as u64;
            }
            pitch *= dim.tile;
        }
        // The last offset must be within the limit of all accesses.
        let all = reach.checked_add(span)?;
        first.checked_add(all).filter(|last| *last < i64::MAX.cast_unsigned())?;
        let (address, bytes) = (scalar(&view.base)?.checked_add(first.checked_mul(size)?)?, (span + 1).checked_mul(size)?);
        let all_bytes = (all + 1).checked_mul(size)?;
        let host = memory.resolve(address, all_bytes, size, kind, &mut 0).ok();
        let host = host.filter(|host| host.addr().is_multiple_of(view.size)).unwrap_or(std::ptr::null_mut());
        Some(Tiling { address, host, bytes, all_bytes, apart: false, steps, moving, axes, in_order })
    }

    /// The addresses from the first to behind the last byte of all tiles, if one buffer holds them.
    fn span(&self) -> Option<Range<usize>> {
        (!self.host.is_null()).then(|| self.host.addr()..self.host.addr() + self.all_bytes as usize)
    }

    /// Where the tiles of blocks lie whose indices are coordinates of these, or constants, and whose accesses are checked already. Lowers
    /// how many blocks of a grid have `whole` tiles, along each axis.
    pub(super) fn places(&self, plan: &Plan, whole: &mut [u64; 3]) -> Option<Places> {
        if self.host.is_null() {
            return None;
        }
        let mut places = Places { first: self.host, steps: [0; 3], bytes: self.bytes };
        for step in &self.steps[..self.moving] {
            let axis = plan.axis(step.index)?;
            places.steps[axis] += step.bytes;
            whole[axis] = whole[axis].min(step.last.saturating_add(1));
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
        let mut offset = 0;
        for step in &self.steps[..self.moving] {
            let index = regs.register_scalar(step.index, step.size);
            if index > step.last {
                return None;
            }
            offset += index * step.bytes;
        }
        Some(offset)
    }
}

/// The view that an instruction loads or stores a tile of.
fn view(inst: &Inst) -> Option<(&ViewAccess, AccessKind)> {
    match inst {
        Inst::Load { view, .. } => Some((view, AccessKind::Read)),
        Inst::Store { view, .. } | Inst::SweepStore { view, .. } => Some((view, AccessKind::Write)),
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

/// Where all tiles lie that blocks may read in memory; `None` if that is not known.
fn spans_read(plan: &Plan, tilings: &[Option<Tiling>]) -> Option<Vec<Range<usize>>> {
    let mut spans = Vec::new();
    for inst in &plan.code {
        if let Inst::Load { view, readers, .. } = inst
            && *readers != Readers::Any
        {
            // Without a tiling, it copies.
            let Some(tiling) = &tilings[view.fixed?] else { continue };
            spans.push(tiling.span()?);
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
