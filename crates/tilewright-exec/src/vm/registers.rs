//! The memory behind registers and constants.
#![allow(unsafe_code, reason = "an instruction reads some registers of a frame while it writes others")]

use crate::{
    LaunchErrorKind,
    kernels::exact,
    plan::{Base, Tile, VReg},
};
use std::{
    alloc::{Layout, alloc_zeroed, dealloc},
    marker::PhantomData,
    ptr::NonNull,
};

/// Registers are aligned for the widest vectors.
const ALIGNMENT: usize = 64;

/// Bytes aligned for vectors.
#[derive(Debug)]
pub(crate) struct AlignedBytes {
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: it owns its bytes.
unsafe impl Send for AlignedBytes {}
// SAFETY: it owns its bytes; writing them needs `&mut self`.
unsafe impl Sync for AlignedBytes {}

impl AlignedBytes {
    /// `len` zero bytes.
    ///
    /// # Errors
    /// When the host has not enough memory.
    pub(crate) fn zeroed(len: usize) -> Result<AlignedBytes, LaunchErrorKind> {
        let out_of_memory = || LaunchErrorKind::Resource(format!("no memory for {len} bytes of registers"));
        let layout = Layout::from_size_align(len.max(1), ALIGNMENT).map_err(|_| out_of_memory())?;
        // SAFETY: the layout is not empty.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or_else(out_of_memory)?;
        Ok(AlignedBytes { start, layout })
    }

    pub(crate) fn len(&self) -> usize {
        self.layout.size()
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: it owns that many initialised bytes.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.layout.size()) }
    }

    pub(super) fn as_mut_ptr(&mut self) -> *mut u8 {
        self.start.as_ptr()
    }
}

impl Drop for AlignedBytes {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout.
        unsafe { dealloc(self.start.as_ptr(), self.layout) };
    }
}

/// Where registers lie in a frame, and the constants that tiles can be based on instead.
pub(crate) struct FrameLayout<'l> {
    offsets: &'l [usize],
    frame_bytes: usize,
    constants: Bytes,
    borrowed: PhantomData<&'l AlignedBytes>,
}

// SAFETY: constants are only read, but by a prologue, whose layout no other thread has.
unsafe impl Sync for FrameLayout<'_> {}

impl<'l> FrameLayout<'l> {
    /// Registers at these offsets of frames of so many bytes.
    pub(crate) fn new(offsets: &'l [usize], frame_bytes: usize, constants: &'l AlignedBytes) -> FrameLayout<'l> {
        FrameLayout { offsets, frame_bytes, constants: Bytes::of(constants), borrowed: PhantomData }
    }

    /// The bits of a tile with one element that is a constant.
    pub(super) fn constant(&self, tile: &Tile) -> Option<u64> {
        let Base::Const(offset) = tile.base else { return None };
        // SAFETY: constants hold all elements of the tiles on them.
        Some(unsafe { exact::read(self.constants.at(offset), 0, tile.elem.size()) })
    }

    /// Registers that are parts of the constants: those of a plan's prologue.
    pub(super) fn of_prologue(offsets: &'l [usize], constants: &'l mut AlignedBytes) -> FrameLayout<'l> {
        FrameLayout::new(offsets, constants.len(), constants)
    }
}

/// The registers of a block and the constants of its launch.
///
/// The plan gave every register a place inside the frame that no other register needs at the same time, so what an
/// instruction writes never overlaps what it reads.
#[derive(Clone, Copy)]
pub(super) struct Registers<'b> {
    layout: &'b FrameLayout<'b>,
    frame: NonNull<u8>,
}

/// Where bytes begin, and how many they are.
#[derive(Clone, Copy)]
struct Bytes {
    start: NonNull<u8>,
    len: usize,
}

impl Bytes {
    fn of(bytes: &AlignedBytes) -> Bytes {
        Bytes { start: bytes.start, len: bytes.len() }
    }

    fn at(self, offset: usize) -> *mut u8 {
        assert!(offset < self.len, "constants lie inside their bytes");
        // SAFETY: the offset is inside.
        unsafe { self.start.as_ptr().add(offset) }
    }
}

impl<'b> Registers<'b> {
    /// The registers in a frame of the layout.
    pub(super) fn new(layout: &'b FrameLayout<'b>, frame: &'b mut AlignedBytes) -> Registers<'b> {
        assert!(frame.len() >= layout.frame_bytes, "the frame holds all registers");
        Registers { layout, frame: frame.start }
    }

    /// The registers of a plan's prologue.
    pub(super) fn of_prologue(layout: &'b FrameLayout<'b>) -> Registers<'b> {
        Registers { layout, frame: layout.constants.start }
    }

    #[inline]
    fn at(&self, reg: VReg) -> *mut u8 {
        let offset = self.layout.offsets[reg.index()];
        assert!(offset < self.layout.frame_bytes, "registers lie inside the frame");
        // SAFETY: the offset is inside.
        unsafe { self.frame.as_ptr().add(offset) }
    }

    /// The first byte of what a tile is based on.
    #[inline]
    pub(super) fn read(&self, tile: &Tile) -> *const u8 {
        self.base(tile.base)
    }

    #[inline]
    pub(super) fn base(&self, base: Base) -> *const u8 {
        match base {
            Base::Reg(reg) => self.at(reg),
            Base::Const(offset) => self.layout.constants.at(offset),
        }
    }

    /// The first byte of a register, to be written.
    pub(super) fn write(&self, reg: VReg) -> *mut u8 {
        self.at(reg)
    }

    /// The bits of a tile with one element.
    #[inline]
    pub(super) fn scalar(&self, tile: &Tile) -> u64 {
        self.element(tile, 0)
    }

    /// The bits of element `i` of a tile whose elements lie in order.
    #[inline]
    pub(super) fn element(&self, tile: &Tile, i: usize) -> u64 {
        debug_assert!(tile.is_contiguous() && i < tile.numel().max(1));
        // SAFETY: the plan's registers and constants hold all elements of the tiles on them.
        unsafe { exact::read(self.read(tile), i, tile.elem.size()) }
    }

    /// The bits of a register that holds one element of `size` bytes.
    #[inline]
    pub(super) fn register_scalar(&self, reg: VReg, size: usize) -> u64 {
        // SAFETY: as above.
        unsafe { exact::read(self.at(reg), 0, size) }
    }

    /// Writes a register that holds one element of `size` bytes.
    pub(super) fn set_scalar(&self, reg: VReg, size: usize, value: u64) {
        self.set_element(reg, 0, size, value);
    }

    /// Writes element `i` of a register.
    pub(super) fn set_element(&self, reg: VReg, i: usize, size: usize, value: u64) {
        // SAFETY: the plan's registers have room for all elements of their tiles.
        unsafe { exact::write(self.at(reg), i, size, value) }
    }
}
