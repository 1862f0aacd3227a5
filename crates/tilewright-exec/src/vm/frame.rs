//! Frames: the registers of a block, and where each is at the moment.
#![allow(unsafe_code, reason = "an instruction reads some registers of a frame while it writes others")]

use super::bytes::AlignedBytes;
use crate::{
    LaunchErrorKind,
    budget::Budget,
    kernels::exact,
    plan::{Base, Extent, Operand, Tile, VReg},
};
use std::{hash::Hasher, marker::PhantomData, sync::Arc};

/// Where registers lie in a frame, and the constants that tiles can be based on instead.
pub(crate) struct FrameLayout<'l> {
    offsets: &'l [usize],
    frame_bytes: usize,
    constants: *mut u8,
    borrowed: PhantomData<&'l AlignedBytes>,
}

// SAFETY: constants are only read, but by a prologue, whose layout no other thread has.
unsafe impl Sync for FrameLayout<'_> {}

impl<'l> FrameLayout<'l> {
    /// Registers at these offsets of frames of so many bytes.
    pub(crate) fn new(offsets: &'l [usize], frame_bytes: usize, constants: &'l AlignedBytes) -> FrameLayout<'l> {
        FrameLayout { offsets, frame_bytes, constants: constants.start(), borrowed: PhantomData }
    }

    /// The bits of a tile with one element that is a constant.
    pub(crate) fn constant(&self, tile: &Tile) -> Option<u64> {
        let Base::Const(offset) = tile.base else { return None };
        // SAFETY: constants hold all elements of the tiles on them.
        Some(unsafe { exact::read(self.constants.add(offset), 0, tile.elem.size()) })
    }
}

/// The registers of a block: bytes that hold them, and a table of where each one is at the moment.
///
/// A register is in the bytes that the plan gave it, which no other register needs at the same time, so what an instruction writes
/// never overlaps what it reads. But a load may leave its tile where it lies in memory, until the next one of its register, and a sweep
/// that stores its result writes it there. Then the table says so, and whoever reads or writes the register does it there. Nothing
/// else changes the table, so that an operand is found by one look into it.
pub(crate) struct Frame {
    /// The constants of the launch, the scratch of the worker that runs the block, and the registers, as [`Operand`] numbers them.
    places: Box<[*mut u8]>,
    /// Where registers are in the bytes: the same table when nothing is elsewhere.
    homes: Box<[*mut u8]>,
    #[expect(dead_code, reason = "owns what registers lie in")]
    bytes: AlignedBytes,
}

// SAFETY: it owns the bytes that its table names, but for constants, which nothing changes while there are frames, buffers, which
// each access answers for, and scratch, which is named anew by each worker that goes on with the frame.
unsafe impl Send for Frame {}

impl Frame {
    /// Room for the registers of a layout.
    ///
    /// # Errors
    /// When the host has not enough memory, or the budget.
    pub(super) fn new(layout: &FrameLayout<'_>, budget: &Arc<Budget>) -> Result<Frame, LaunchErrorKind> {
        let bytes = AlignedBytes::zeroed(layout.frame_bytes, budget)?;
        Ok(Frame::with(layout.offsets, bytes.start(), layout.constants, bytes))
    }

    /// The registers of a plan's prologue, which are parts of the constants.
    ///
    /// # Errors
    /// When the host has not enough memory.
    pub(super) fn of_prologue(offsets: &[usize], constants: &mut AlignedBytes) -> Result<Frame, LaunchErrorKind> {
        Ok(Frame::with(offsets, constants.start(), constants.start(), AlignedBytes::zeroed(0, &Arc::default())?))
    }

    fn with(offsets: &[usize], registers: *mut u8, constants: *mut u8, bytes: AlignedBytes) -> Frame {
        // Registers of the prologue lie in the constants only, and in no frame: nothing in a block names them.
        let registers = offsets.iter().map(|offset| registers.wrapping_add(*offset));
        let homes: Box<[*mut u8]> = [constants, std::ptr::null_mut()].into_iter().chain(registers).collect();
        Frame { places: homes.clone(), homes, bytes }
    }

    /// Hashes the elements of a tile, those between them included.
    pub(super) fn hash(&self, tile: &Tile, hasher: &mut impl Hasher) {
        if tile.numel() == 0 {
            return;
        }
        let last: usize = tile.shape.iter().zip(&tile.strides).map(|(extent, stride)| (extent - 1) * stride).sum();
        let size = tile.elem.size();
        for i in 0..=last {
            // SAFETY: registers hold all elements of the tiles on them.
            hasher.write_u64(unsafe { exact::read(self.read(tile), i, size) });
        }
    }

    /// Makes the scratch of a worker that of this frame's instructions.
    pub(super) fn use_scratch(&mut self, scratch: *mut u8) {
        self.places[Operand::SCRATCH] = scratch;
    }

    /// From now on, the register is at this place.
    #[inline]
    pub(super) fn lend(&mut self, reg: VReg, place: *mut u8) {
        self.places[Operand::number(reg)] = place;
    }

    /// From now on, the register is in the frame's bytes.
    #[inline]
    pub(super) fn settle(&mut self, reg: VReg) {
        self.places[Operand::number(reg)] = self.homes[Operand::number(reg)];
    }

    /// Whether a tile is in memory, where a load left it.
    #[inline]
    pub(super) fn is_in_memory(&self, tile: &Tile) -> bool {
        matches!(tile.base, Base::Reg(reg) if self.places[Operand::number(reg)] != self.homes[Operand::number(reg)])
    }

    /// The first byte of an operand.
    #[inline]
    pub(super) fn at(&self, operand: Operand) -> *mut u8 {
        self.places[operand.place].wrapping_add(operand.offset)
    }

    /// The first byte of what a tile is based on.
    #[inline]
    pub(super) fn read(&self, tile: &Tile) -> *const u8 {
        self.at(Operand::of(tile.base))
    }

    /// The first byte of a register, to be written.
    #[inline]
    pub(super) fn write(&self, reg: VReg) -> *mut u8 {
        self.places[Operand::number(reg)]
    }

    /// The bits of a tile with one element.
    #[inline]
    pub(super) fn scalar(&self, tile: &Tile) -> u64 {
        self.element(tile, 0)
    }

    /// The same, of a tile with elements of so many bytes.
    #[inline]
    pub(super) fn scalar_of(&self, tile: &Tile, size: usize) -> u64 {
        debug_assert_eq!(tile.elem.size(), size, "the tile has such elements");
        // SAFETY: the plan's registers and constants hold all elements of the tiles on them.
        unsafe { exact::read(self.read(tile), 0, size) }
    }

    /// The bits of element `i` of a tile whose elements lie in order.
    #[inline]
    pub(super) fn element(&self, tile: &Tile, i: usize) -> u64 {
        debug_assert!(tile.is_contiguous() && i < tile.numel().max(1));
        // SAFETY: the plan's registers and constants hold all elements of the tiles on them.
        unsafe { exact::read(self.read(tile), i, tile.elem.size()) }
    }

    /// The signed numbers of a tile of integers whose elements lie in order: as many as there is room for, from element `first` on.
    pub(super) fn numbers(&self, tile: &Tile, first: usize, numbers: &mut [i64]) {
        debug_assert!(tile.is_contiguous() && first + numbers.len() <= tile.numel().max(1));
        let start = self.read(tile);
        // SAFETY: as above.
        unsafe {
            match tile.elem.size() {
                1 => widen::<i8>(start.cast(), first, numbers),
                2 => widen::<i16>(start.cast(), first, numbers),
                4 => widen::<i32>(start.cast(), first, numbers),
                _ => widen::<i64>(start.cast(), first, numbers),
            }
        }
    }

    /// The bits of a register that holds one element of `size` bytes.
    #[inline]
    pub(super) fn register_scalar(&self, reg: VReg, size: usize) -> u64 {
        // SAFETY: as above.
        unsafe { exact::read(self.write(reg), 0, size) }
    }

    /// Writes a register that holds one element of `size` bytes.
    #[inline]
    pub(super) fn set_scalar(&self, reg: VReg, size: usize, value: u64) {
        self.set_element(reg, 0, size, value);
    }

    /// Writes element `i` of a register.
    #[inline]
    pub(super) fn set_element(&self, reg: VReg, i: usize, size: usize, value: u64) {
        // SAFETY: the plan's registers have room for all elements of their tiles.
        unsafe { exact::write(self.write(reg), i, size, value) }
    }

    /// The value of an extent of a view.
    pub(super) fn extent(&self, extent: &Extent) -> u64 {
        match extent {
            Extent::Static(value) => *value,
            Extent::Dynamic(tile) => self.scalar(tile),
        }
    }
}

/// Numbers from element `first` on.
///
/// # Safety
/// There are so many elements from `start` on, valid and aligned.
unsafe fn widen<T: Copy + Into<i64>>(start: *const T, first: usize, numbers: &mut [i64]) {
    for (i, number) in numbers.iter_mut().enumerate() {
        // SAFETY: by the contract.
        *number = unsafe { *start.add(first + i) }.into();
    }
}
