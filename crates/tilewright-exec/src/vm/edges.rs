//! Tiles that hang over an edge of their tensor.
//!
//! Where one buffer holds the whole tensor, whatever lies inside of it can be accessed: nothing is looked up or checked for single tiles, and
//! no list of boxes is made. A load copies the rows that the tensor has, and writes the padding behind them only.
#![allow(unsafe_code, reason = "copies between registers and buffers")]

use super::{
    Block, Launch, Machine, atomics, copy,
    frame::Frame,
    region::Counts,
    tiling::{Axis, MAX_AXES, row_pitch},
};
use crate::{
    cpu::Level,
    interrupt::Looks,
    kernels::boxes::{self, BoxCopy, Dim, Form, LINE, Stores, copy_element},
    memory::AccessKind,
    plan::{Base, Coordinate, Extent, Nest, Placement, Tile, VReg, ViewAccess},
};
use smallvec::SmallVec;
use std::sync::OnceLock;
use tilewright_ir::{MemoryOrderingSemantics, Scalar};

/// Dimensions that a view may have.
const MAX_DIMS: usize = 8;

/// A tensor that one buffer holds, as a view cuts it into tiles.
pub(crate) struct Edges {
    /// Its first element on the host.
    host: *mut u8,
    dims: [EdgeDim; MAX_DIMS],
    rank: usize,
    /// Whether its tiles have one element.
    has_numbers: bool,
}

// SAFETY: it only names a place; whoever accesses that answers for it.
unsafe impl Send for Edges {}
// SAFETY: as above.
unsafe impl Sync for Edges {}

/// One dimension of a tensor.
#[derive(Clone, Copy)]
struct EdgeDim {
    index: EdgeIndex,
    /// Elements from one index to the next.
    scale: u64,
    /// Extent of the tensor.
    shape: u64,
    /// Distance of its elements in memory, in elements.
    stride: u64,
    /// Extent of the tile.
    tile: usize,
}

impl EdgeDim {
    const NONE: EdgeDim = EdgeDim { index: EdgeIndex::Known(0), scale: 1, shape: 1, stride: 1, tile: 1 };
}

/// Where an index is.
#[derive(Clone, Copy)]
enum EdgeIndex {
    Known(u64),
    /// In a register of so many bytes.
    Register(VReg, usize),
}

impl Edges {
    /// The tensor of a view, whose numbers `scalar` gives: all but those of indices that blocks compute. `None` if accesses of the view are no
    /// copies of boxes, or if no buffer holds all of the tensor, and may be accessed in this way.
    fn new(view: &ViewAccess, kind: AccessKind, scalar: impl Fn(&Tile) -> Option<u64>, launch: &Launch<'_>) -> Option<Edges> {
        let Placement::Tensor(tensor) = &view.places else { return None };
        if view.order.semantics != MemoryOrderingSemantics::Weak || view.packed || tensor.len() > MAX_DIMS {
            return None;
        }
        let number = |extent: &Extent| match extent {
            Extent::Static(value) => Some(*value),
            Extent::Dynamic(tile) => scalar(tile),
        };
        let (mut dims, mut last) = ([EdgeDim::NONE; MAX_DIMS], 0u64);
        for ((edge, dim), &tile) in dims.iter_mut().zip(tensor).zip(&view.tile) {
            let Coordinate::Origin { index, scale } = &dim.coordinate else { return None };
            let (shape, stride) = (number(&dim.shape)?, number(&dim.stride)?);
            last = last.checked_add(shape.checked_sub(1)?.checked_mul(stride)?)?;
            let index = match (scalar(index), index.base) {
                (Some(index), _) => EdgeIndex::Known(index),
                (None, Base::Reg(reg)) => EdgeIndex::Register(reg, index.elem.size()),
                (None, Base::Const(_)) => return None,
            };
            *edge = EdgeDim { index, scale: *scale, shape, stride, tile };
        }
        let size = view.size as u64;
        let bytes = last.checked_add(1).filter(|elements| *elements <= i64::MAX.cast_unsigned())?.checked_mul(size)?;
        let host = launch.memory.resolve(scalar(&view.base)?, bytes, size, kind, &mut 0).ok()?;
        Some(Edges { host, dims, rank: tensor.len(), has_numbers: view.tile.iter().all(|extent| *extent == 1) })
    }

    fn dims(&self) -> &[EdgeDim] {
        &self.dims[..self.rank]
    }

    /// What is inside of the tensor of a block's tile: how many elements along each dimension, from the first on, and where they begin in
    /// memory, if there are any.
    #[inline]
    fn inside(&self, size: usize, regs: &Frame) -> ([usize; MAX_DIMS], Option<*mut u8>) {
        let (mut counts, mut offset, mut is_empty) = ([1; MAX_DIMS], 0, false);
        for (count, dim) in counts.iter_mut().zip(self.dims()) {
            let index = match dim.index {
                EdgeIndex::Known(index) => index,
                EdgeIndex::Register(reg, size) => regs.register_scalar(reg, size),
            };
            // An origin that is no number is behind all elements.
            match index.checked_mul(dim.scale).filter(|origin| *origin < dim.shape) {
                Some(origin) => {
                    *count = (dim.shape - origin).min(dim.tile as u64) as usize;
                    // The offset of an element of the tensor, which was found to be a number.
                    offset += origin as usize * dim.stride as usize;
                }
                None => (*count, is_empty) = (0, true),
            }
        }
        (counts, (!is_empty).then(|| self.host.wrapping_add(offset * size)))
    }
}

/// What of a block's tile lies inside of its tensor.
pub(super) struct Inside {
    /// Where it begins, unless nothing does.
    pub(super) host: Option<*mut u8>,
    /// Of each dimension of more than one element, how many it has inside, and the tile.
    pub(super) dims: SmallVec<[(Axis, usize); MAX_AXES]>,
}

impl Inside {
    /// How many elements lie in memory from the first to the last.
    pub(super) fn span(&self) -> usize {
        self.dims.iter().map(|(axis, _)| (axis.count - 1) * axis.stride as usize).sum::<usize>() + 1
    }

    /// How many elements each dimension has inside.
    pub(super) fn counts(&self) -> Counts {
        self.dims.iter().map(|(axis, _)| axis.count).collect()
    }

    /// Of a tile that is seen as rows of so many elements, how many columns are inside and how far apart the rows are; `None` if these are not all inside,
    /// or do not lie a distance apart.
    pub(super) fn rows_of(&self, row: usize) -> Option<(usize, usize)> {
        let mut columns = row;
        for (axis, tile) in &self.dims {
            if axis.count == *tile {
                continue;
            }
            if axis.pitch != 1 || *tile != row {
                return None;
            }
            columns = axis.count;
        }
        Some((columns, row_pitch(&self.axes()?, row)?))
    }

    /// Its axes, the outermost first.
    pub(super) fn axes(&self) -> Option<[Axis; MAX_AXES]> {
        let mut axes = [Axis::SINGLE; MAX_AXES];
        for (to, (axis, _)) in axes.iter_mut().rev().zip(&self.dims) {
            *to = *axis;
        }
        (self.dims.len() <= MAX_AXES).then_some(axes)
    }

    /// Lets a nest over tiles go no further than what is inside, and a buffer of it lie as that does in memory; `false` if it has no loop for
    /// each dimension of which a part is outside. One that lies whole inside may have several, as where the blocks of a group are one of them.
    pub(super) fn cut(&self, nest: &mut Nest, buffer: usize) -> bool {
        for each in nest.loops.iter_mut().filter(|each| each.extent > 1) {
            let (stride, extent) = (each.strides[buffer], each.extent);
            let is_along = |(axis, tile): &&(Axis, usize)| axis.pitch <= stride && stride < axis.pitch * tile;
            let Some((axis, tile)) = self.dims.iter().find(is_along) else { return false };
            let is_whole = axis.count == *tile && stride.is_multiple_of(axis.pitch) && stride * extent <= axis.pitch * tile;
            if axis.pitch == stride && *tile == extent {
                (each.strides[buffer], each.extent) = (axis.stride as usize, axis.count);
            } else if is_whole {
                each.strides[buffer] = axis.stride as usize * (stride / axis.pitch);
            } else {
                return false;
            }
        }
        nest.parts.is_empty()
    }
}

/// The edges of the views whose tensors are constants of a launch, found when a tile is first seen to hang over them.
pub(crate) fn unknown(views: usize) -> Vec<OnceLock<Option<Edges>>> {
    std::iter::repeat_with(OnceLock::new).take(views).collect()
}

impl Launch<'_> {
    /// The tensor of a view, if one buffer holds all of it, and nobody wants to see each access.
    fn find_edges<'e>(&'e self, view: &ViewAccess, kind: AccessKind, regs: &Frame, made: &'e mut Option<Edges>) -> Option<&'e Edges> {
        if self.observer.is_some() {
            return None;
        }
        match view.fixed {
            Some(number) => self.edges[number].get_or_init(|| Edges::new(view, kind, |tile| self.layout.constant(tile), self)).as_ref(),
            None => {
                *made = Edges::new(view, kind, |tile| Some(regs.scalar(tile)), self);
                made.as_ref()
            }
        }
    }
}

impl Launch<'_> {
    /// What of a block's tile lies inside of its tensor, if one buffer holds all of that, and nobody wants to see each access.
    pub(super) fn find_inside(&self, view: &ViewAccess, kind: AccessKind, regs: &Frame, made: &mut Option<Edges>) -> Option<Inside> {
        let edges = self.find_edges(view, kind, regs, made)?;
        let (counts, host) = edges.inside(view.size, regs);
        let (mut dims, mut pitch) = (SmallVec::new(), 1);
        for (dim, &count) in edges.dims().iter().zip(&counts).rev() {
            if dim.tile > 1 {
                dims.push((Axis { count, stride: dim.stride, pitch }, dim.tile));
            }
            pitch *= dim.tile;
        }
        Some(Inside { host, dims })
    }
}

/// Writes the padding of a tile in order, of which so many elements along each dimension are inside.
///
/// # Safety
/// `value` holds an element of `size` bytes, and the tile begins at `to`.
unsafe fn pad(dims: &[EdgeDim], counts: &[usize], size: usize, value: *const u8, to: *mut u8, looks: &mut Looks) {
    let (Some((dim, inner)), Some((&count, counts))) = (dims.split_first(), counts.split_first()) else { return };
    let pitch: usize = inner.iter().map(|dim| dim.tile).product();
    if count < dim.tile {
        // SAFETY: the positions lie in the tile.
        unsafe { copy::spread(value, size, (dim.tile - count) * pitch, to.add(count * pitch * size)) };
    }
    if inner.iter().zip(counts).all(|(dim, count)| *count == dim.tile) {
        return;
    }
    for i in 0..count {
        if looks.end_after(pitch) {
            return;
        }
        // SAFETY: as above.
        unsafe { pad(inner, counts, size, value, to.add(i * pitch * size), looks) };
    }
}

/// Copies a box whose dimensions are given from the outermost on.
///
/// # Safety
/// As for [`BoxCopy::run`].
unsafe fn copy_box(dims: &[Dim], size: usize, stores: Stores, from: *const u8, to: *mut u8) {
    // SAFETY: by the contract.
    unsafe {
        match stores {
            Stores::Cached => boxes::copy(Level::best(), dims, size, from, to),
            Stores::Streaming => BoxCopy { level: Level::best(), size, stores, ahead: 0 }.run(&Form::new(dims), from, to),
        }
    }
}

impl Machine<'_> {
    /// Loads a tile of which a part may be outside of its tensor; `false`, and nothing was done, if that is not as simple as copying.
    #[inline(never)]
    pub(super) fn load_inside(&mut self, view: &ViewAccess, dst: VReg, block: &Block) -> bool {
        let (launch, regs, mut made) = (self.launch, &block.frame, None);
        let Some(edges) = launch.find_edges(view, AccessKind::Read, regs, &mut made) else { return false };
        let ((counts, host), target, size) = (edges.inside(view.size, regs), regs.write(dst), view.size);
        let padding = view.padding.to_le_bytes();
        // There is nothing to go through.
        if edges.has_numbers && view.element != Scalar::I1 {
            // SAFETY: the buffer holds the element, if there is one, and the register has room for it.
            unsafe { copy_element(size, host.map_or(padding.as_ptr(), <*mut u8>::cast_const), target) };
            return true;
        }
        // SAFETY: the register holds the whole tile.
        unsafe { pad(edges.dims(), &counts, size, padding.as_ptr(), target, &mut Looks::new()) };
        let (mut boxed, mut pitch) = ([Dim { count: 1, from: 1, to: 1 }; MAX_DIMS], 1);
        for ((each, dim), &count) in boxed.iter_mut().zip(edges.dims()).zip(&counts).rev() {
            *each = Dim { count, from: dim.stride as usize, to: pitch };
            pitch *= dim.tile;
        }
        if let Some(host) = host {
            let boxed = &boxed[..edges.rank];
            // SAFETY: the buffer holds the whole tensor, and the register the whole tile.
            unsafe { copy_box(boxed, size, Stores::Cached, host, target) };
            self.read_next_ahead(dst, host, boxed, size);
        }
        if view.element == Scalar::I1 {
            atomics::normalise_bits(target, pitch);
        }
        true
    }

    /// Stores what lies inside of its tensor of a tile that is in a register; `false`, and nothing was done, if that is not as simple as copying.
    #[inline(never)]
    pub(super) fn store_inside(&self, view: &ViewAccess, src: &Tile, block: &Block) -> bool {
        let (regs, mut made) = (&block.frame, None);
        let Some(edges) = self.launch.find_edges(view, AccessKind::Write, regs, &mut made) else { return false };
        let ((counts, host), size) = (edges.inside(view.size, regs), view.size);
        let Some(host) = host else { return true };
        let mut boxed = [Dim { count: 1, from: 1, to: 1 }; MAX_DIMS];
        // Parts of lines are not written past the caches: the rest of them comes soon.
        let is_line = |elements: usize| (elements * size).is_multiple_of(LINE);
        let mut has_lines = host.addr().is_multiple_of(LINE);
        for (((each, dim), &count), &pitch) in boxed.iter_mut().zip(edges.dims()).zip(&counts).zip(&src.strides) {
            *each = Dim { count, from: pitch, to: dim.stride as usize };
            has_lines &= count == 1 || is_line(if each.to == 1 { count } else { each.to });
        }
        let stores = if has_lines { self.stores(src.numel() * size, block.pc) } else { Stores::Cached };
        // SAFETY: as for loads; the two do not overlap.
        unsafe { copy_box(&boxed[..edges.rank], size, stores, regs.read(src), host) };
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_which_the_first_columns_are_inside() {
        let axis = |count, stride, pitch| Axis { count, stride, pitch };
        let of = |dims: &[(Axis, usize)]| Inside { host: None, dims: dims.iter().copied().collect() }.rows_of(512);
        assert_eq!(of(&[(axis(384, 1, 1), 512), (axis(64, 400, 512), 64)]), Some((384, 400)));
        assert_eq!(of(&[(axis(384, 1, 1), 512)]), Some((384, 512)));
        // Rows of which some are outside, elements that are apart, rows of several dimensions.
        assert_eq!(of(&[(axis(384, 1, 1), 512), (axis(63, 400, 512), 64)]), None);
        assert_eq!(of(&[(axis(384, 2, 1), 512), (axis(64, 800, 512), 64)]), None);
        assert_eq!(of(&[(axis(16, 1, 1), 16), (axis(20, 16, 16), 32)]), None);
    }

    /// Rows of a tile of 64 x 512 with 384 elements inside, which lie 400 apart in memory, gone through by groups of 4 rows.
    #[test]
    fn dimensions_that_lie_whole_inside_may_have_several_loops() {
        let axis = |count, stride, pitch| Axis { count, stride, pitch };
        let inside = Inside { host: None, dims: [(axis(384, 1, 1), 512), (axis(64, 400, 512), 64)].into_iter().collect() };
        let cut = |inside: &Inside, loops: &[(usize, usize)]| {
            let n = loops.iter().map(|(extent, _)| extent).product();
            let mut nest = Nest::common(n, std::iter::once(loops.iter().copied().collect())).expect("it is a nest");
            let is_cut = inside.cut(&mut nest, 0);
            is_cut.then(|| nest.loops.iter().map(|each| (each.extent, each.strides[0])).collect::<Vec<_>>())
        };
        assert_eq!(cut(&inside, &[(64, 512), (512, 1)]), Some(vec![(64, 400), (384, 1)]));
        assert_eq!(cut(&inside, &[(16, 2048), (4, 512), (512, 1)]), Some(vec![(16, 1600), (4, 400), (384, 1)]));
        // Of what is not whole inside, no part is.
        assert_eq!(cut(&inside, &[(64, 512), (2, 256), (256, 1)]), None);
        let fewer = Inside { host: None, dims: [(axis(384, 1, 1), 512), (axis(63, 400, 512), 64)].into_iter().collect() };
        assert_eq!(cut(&fewer, &[(16, 2048), (4, 512), (512, 1)]), None);
        assert_eq!(cut(&fewer, &[(64, 512), (512, 1)]), Some(vec![(63, 400), (384, 1)]));
    }
}
