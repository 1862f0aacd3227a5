//! Watched launches: operations are shown to the watcher, and what is outside of memory is left out.
#![allow(unsafe_code, reason = "reads registers, and copies between registers and buffers")]

use super::{Block, Flow, Machine, frame::Frame};
use crate::{
    Coordinates, LaunchErrorKind, ViewPlace, ViewPlaceDim,
    elem::{Elem, memory_bits},
    kernels::exact,
    memory::AccessKind,
    plan::{Atomic, Coordinate, Inst, Placement, PointerAccess, Tile, VReg, ViewAccess, Watch},
};
use std::marker::PhantomData;
use tilewright_ir::{Op, Scalar, Value};

/// An operation that a block carries out.
pub struct Step<'s> {
    function: u32,
    op: u32,
    operands: &'s [Option<Tile>],
    results: &'s [Option<Tile>],
    captures: &'s [(u32, Tile)],
    accesses: bool,
    view: Option<&'s ViewAccess>,
    regs: &'s Frame,
    id: [u32; 3],
    index: u64,
    read: &'s dyn Fn(u64, u32) -> Option<u64>,
}

impl<'s> Step<'s> {
    /// The position of the block in the grid.
    pub fn block(&self) -> [u32; 3] {
        self.id
    }

    /// The number of the block, in the order of the grid.
    pub fn block_index(&self) -> u64 {
        self.index
    }

    /// The position of the operation's function in the module.
    pub fn function(&self) -> usize {
        self.function as usize
    }

    /// The operation.
    pub fn op(&self) -> Op {
        Op::new(self.op as usize)
    }

    /// Whether it accesses memory. A [`Schedule`](crate::Schedule) counts these operations.
    pub fn accesses_memory(&self) -> bool {
        self.accesses
    }

    /// How many operands are shown: all of the operation, or none where only results are shown.
    pub fn operands(&self) -> usize {
        self.operands.len()
    }

    /// How many results are shown: all of the operation, or none where it was not carried out yet.
    pub fn results(&self) -> usize {
        self.results.len()
    }

    /// The tile that is operand `i`, if it is one.
    pub fn operand(&self, i: usize) -> Option<OperandTile<'s>> {
        self.tile(self.operands.get(i))
    }

    /// The tile that is result `i`, if it is one, and the operation was carried out.
    pub fn result(&self, i: usize) -> Option<OperandTile<'s>> {
        self.tile(self.results.get(i))
    }

    /// The tile that is a value from outside which the region of a fold reads.
    pub fn captured(&self, value: Value) -> Option<OperandTile<'s>> {
        let place = self.captures.binary_search_by_key(&(value.index() as u32), |(value, _)| *value).ok()?;
        Some(self.shown(&self.captures[place].1))
    }

    fn tile(&self, tile: Option<&'s Option<Tile>>) -> Option<OperandTile<'s>> {
        Some(self.shown(tile?.as_ref()?))
    }

    fn shown(&self, tile: &'s Tile) -> OperandTile<'s> {
        OperandTile { start: self.regs.read(tile), tile, borrowed: PhantomData }
    }

    /// The bits of an element of so many bytes that lies in memory at an address, if the block can read it.
    pub fn memory(&self, address: u64, bytes: u32) -> Option<u64> {
        (self.read)(address, bytes)
    }

    /// Where the tile lies that the operation accesses through a view.
    pub fn view(&self) -> Option<ViewPlace> {
        let view = self.view?;
        let Placement::Tensor(dims) = &view.places else { return None };
        let place = |(dim, extent): (&crate::plan::ViewDim, &usize)| ViewPlaceDim {
            extent: *extent,
            shape: self.regs.extent(&dim.shape),
            stride: self.regs.extent(&dim.stride),
            coordinates: match &dim.coordinate {
                Coordinate::Origin { index, scale } => Coordinates::From(u128::from(self.regs.scalar(index)) * u128::from(*scale)),
                Coordinate::Gather { indices } => Coordinates::Each((0..*extent).map(|i| self.regs.element(indices, i)).collect()),
            },
        };
        let bits = memory_bits(view.element).unwrap_or(8 * view.size as u32);
        Some(ViewPlace { base: self.regs.scalar(&view.base), bits, dims: dims.iter().zip(&view.tile).map(place).collect() })
    }
}

/// The elements of an operand or result, while an operation is shown.
#[derive(Clone, Copy)]
pub struct OperandTile<'s> {
    start: *const u8,
    tile: &'s Tile,
    borrowed: PhantomData<&'s Frame>,
}

impl<'s> OperandTile<'s> {
    /// How many elements it has.
    pub fn len(&self) -> usize {
        self.tile.numel()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of an element in registers.
    pub fn size(&self) -> usize {
        self.tile.elem.size()
    }

    /// The type of its elements; none for pointers.
    pub fn scalar(&self) -> Option<Scalar> {
        if let Elem::Num(scalar) = self.tile.elem { Some(scalar) } else { None }
    }

    /// Its extents.
    pub fn shape(&self) -> &'s [usize] {
        &self.tile.shape
    }

    /// For each dimension, whether its elements repeat along it.
    pub fn repeats(&self) -> impl Iterator<Item = bool> + 's {
        self.tile.strides.iter().zip(&self.tile.shape).map(|(stride, extent)| *stride == 0 || *extent == 1)
    }

    /// The bits of its first element.
    pub fn first(&self) -> u64 {
        // SAFETY: the plan's registers and constants hold all elements of the tiles on them.
        unsafe { exact::read(self.start, 0, self.size()) }
    }

    /// The bits of its elements, in row-major order, as [`bits_of`](OperandTile::bits_of) gives them.
    pub fn bits(&self) -> Vec<u64> {
        self.bits_of(self.shape())
    }

    /// The bits of its elements in row-major order, of the first ones along each dimension: as many as `extents` says, which are no more
    /// than it has.
    pub fn bits_of(&self, extents: &[usize]) -> Vec<u64> {
        let mut positions = vec![0usize];
        let mut bits = Vec::with_capacity(extents.iter().product());
        let (inner, outer) = match extents.split_last() {
            Some((inner, outer)) => (*inner, outer),
            None => (1, extents),
        };
        assert!(extents.iter().zip(self.shape()).all(|(part, whole)| part <= whole), "a tile has no more elements than its shape says");
        for (extent, stride) in outer.iter().zip(&self.tile.strides) {
            positions = positions.iter().flat_map(|at| (0..*extent).map(move |i| at + i * stride)).collect();
        }
        let stride = self.tile.strides.last().copied().unwrap_or(0);
        let size = self.size();
        for at in positions {
            // SAFETY: as above; the positions lie inside the tile's extents.
            bits.extend((0..inner).map(|i| unsafe { exact::read(self.start, at + i * stride, size) }));
        }
        bits
    }
}

impl Machine<'_> {
    /// Shows an operation, unless the block is preempted in front of it.
    #[cold]
    pub(super) fn watch(&self, watch: &Watch, block: &mut Block) -> Flow {
        let Some(watcher) = self.launch.watcher else { return Flow::Next };
        let (first, last) = block.visited.unwrap_or((block.pc, block.pc));
        block.visited = Some((first.min(block.pc), last.max(block.pc)));
        if watch.accesses {
            match block.accesses.checked_sub(1) {
                Some(left) => block.accesses = left,
                None => return Flow::Preempted,
            }
        }
        let block = &*block;
        let read = |address: u64, bytes: u32| {
            let size = u64::from(bytes);
            let host = self.launch.resolve(&mut 0, block, address, size, size, AccessKind::Read).ok()?;
            // SAFETY: the address was resolved for an element of this size, and a watched launch has one thread.
            Some(unsafe { exact::read(host, 0, bytes as usize) })
        };
        let Watch { function, op, operands, results, captures, .. } = watch;
        let view = watch.view.as_deref();
        let step = Step {
            function: *function,
            op: *op,
            operands,
            results,
            captures,
            accesses: watch.accesses,
            view,
            regs: &block.frame,
            id: block.id,
            index: block.index,
            read: &read,
        };
        if watch.done {
            watcher.done(&step)
        } else {
            watcher.operation(&step)
        }
        Flow::Next
    }

    /// Tells that memory is given back.
    pub(super) fn watch_release(&self, slots: &[usize], block: &Block) {
        let Some(watcher) = self.launch.watcher else { return };
        for slot in slots {
            if let Some(address) = block.locals.address(&self.launch.plan.allocas, *slot, block.index) {
                watcher.freed(block.index, address);
            }
        }
    }

    /// Tells that a block has ended.
    #[inline]
    pub(super) fn watch_end(&self, block: &Block) {
        if let Some(watcher) = self.launch.watcher {
            watcher.ended(block.index);
        }
    }

    /// Goes on behind an instruction that failed, if somebody watches: an access is done for the elements that are there, and after all
    /// else the block ends.
    #[cold]
    pub(super) fn go_on(&mut self, inst: &Inst, block: &mut Block) -> Flow {
        let Some(watcher) = self.launch.watcher else { return Flow::Fail };
        let done = match (&self.failure, inst) {
            (Some(LaunchErrorKind::Access(_) | LaunchErrorKind::Alloca { .. }), Inst::LoadPointers { access, padding, dst }) => {
                self.load_reachable(access, padding.as_ref(), *dst, block)
            }
            (Some(LaunchErrorKind::Access(_) | LaunchErrorKind::Alloca { .. }), Inst::StorePointers { access, src }) => {
                self.store_reachable(access, src, block)
            }
            (Some(LaunchErrorKind::Access(_) | LaunchErrorKind::Alloca { .. }), Inst::Atomic(atomic)) => {
                self.update_reachable(atomic, block)
            }
            (
                Some(LaunchErrorKind::Access(_) | LaunchErrorKind::Alloca { .. }),
                Inst::Load { .. } | Inst::Store { .. } | Inst::AtomicView { .. },
            ) => self.transfer_reachable(inst, block),
            (Some(why), _) => {
                watcher.failed(block.index, why);
                self.failure = None;
                return Flow::Finish;
            }
            (None, _) => return Flow::Fail,
        };
        match done {
            Ok(()) => {
                self.failure = None;
                Flow::Next
            }
            Err(why) => {
                self.failure = Some(why);
                Flow::Fail
            }
        }
    }

    fn load_reachable(
        &mut self,
        access: &PointerAccess,
        padding: Option<&Tile>,
        dst: VReg,
        block: &mut Block,
    ) -> Result<(), LaunchErrorKind> {
        let size = access.size;
        for i in 0..access.pointers.numel() {
            let host = self.active_pointer(access, i, AccessKind::Read, block).ok().flatten();
            let regs = &block.frame;
            let value = match host {
                // SAFETY: the address was resolved for an element.
                Some((_, host)) => unsafe { exact::read(host, 0, size) },
                None => padding.map_or(0, |padding| regs.element(padding, i)),
            };
            let value = if access.element == Scalar::I1 { u64::from(value != 0) } else { value };
            regs.set_element(dst, i, size, value);
        }
        Ok(())
    }

    fn store_reachable(&mut self, access: &PointerAccess, src: &Tile, block: &mut Block) -> Result<(), LaunchErrorKind> {
        for i in 0..access.pointers.numel() {
            if let Some((_, host)) = self.active_pointer(access, i, AccessKind::Write, block).ok().flatten() {
                // SAFETY: the address was resolved for an element.
                unsafe { exact::write(host, 0, access.size, block.frame.element(src, i)) };
            }
        }
        Ok(())
    }

    fn update_reachable(&mut self, atomic: &Atomic, block: &mut Block) -> Result<(), LaunchErrorKind> {
        self.masked_results(atomic, block);
        for i in 0..atomic.access.pointers.numel() {
            if let Some((_, host)) = self.active_pointer(&atomic.access, i, AccessKind::ReadModifyWrite, block).ok().flatten() {
                self.update_one(atomic, host, i, block);
            }
        }
        Ok(())
    }

    /// Copies or combines the elements of a tile that lie in memory.
    fn transfer_reachable(&mut self, inst: &Inst, block: &mut Block) -> Result<(), LaunchErrorKind> {
        let (view, direction, pitches) = match inst {
            Inst::Load { view, dst, .. } => {
                let elements = view.tile.iter().product::<usize>();
                (0..elements).for_each(|i| block.frame.set_element(*dst, i, view.size, view.padding));
                (view, super::view::Direction::Load(block.frame.write(*dst)), crate::plan::row_major(&view.tile))
            }
            Inst::Store { view, src } => (view, super::view::Direction::Store(block.frame.read(src)), src.strides.clone()),
            Inst::AtomicView { view, mode, src } => {
                (view, super::view::Direction::Combine(block.frame.read(src), *mode), src.strides.clone())
            }
            _ => return Ok(()),
        };
        if view.packed {
            return self.transfer_packed_each(view, direction, &pitches, block);
        }
        self.transfer_each(view, direction, &pitches, block)
    }
}

impl std::fmt::Debug for Step<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Step").field("block", &self.id).field("op", &self.op).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for OperandTile<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OperandTile").field("tile", &self.tile).finish_non_exhaustive()
    }
}
