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

/// The registers of a block and the constants of its launch.
///
/// The plan gave every register a place inside the frame that no other register needs at the same time, so what an
/// instruction writes never overlaps what it reads.
pub(super) struct Registers<'b> {
    offsets: &'b [usize],
    frame: Bytes,
    constants: Bytes,
    block: PhantomData<(&'b mut AlignedBytes, &'b AlignedBytes)>,
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
        assert!(offset < self.len, "registers lie inside the frame, and constants inside their bytes");
        // SAFETY: the offset is inside.
        unsafe { self.start.as_ptr().add(offset) }
    }
}

impl<'b> Registers<'b> {
    pub(super) fn new(offsets: &'b [usize], frame: &'b mut AlignedBytes, constants: &'b AlignedBytes) -> Registers<'b> {
        Registers { offsets, frame: Bytes::of(frame), constants: Bytes::of(constants), block: PhantomData }
    }

    /// The registers of a plan's prologue, which are parts of the constants.
    pub(super) fn of_prologue(offsets: &'b [usize], constants: &'b mut AlignedBytes) -> Registers<'b> {
        let bytes = Bytes::of(constants);
        Registers { offsets, frame: bytes, constants: bytes, block: PhantomData }
    }

    #[inline]
    fn at(&self, reg: VReg) -> *mut u8 {
        self.frame.at(self.offsets[reg.index()])
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
            Base::Const(offset) => self.constants.at(offset),
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
