//! Elementwise kernels: one operation on a run of elements.
//!
//! [`select`] maps an operation and its element types to a function. Common cases have loops of their own that the compiler
//! vectorises ([`select_loop`](crate::select_loop)); everything else goes element by element ([`exact`](crate::exact)) by the definition of the results, which is in
//! [`tilewright_passes::elementwise`]. A fast kernel gives the same values; the payload of a NaN is unspecified (SEMANTICS (b)).

use crate::{cpu::Level, elem::Elem, exact, fast};
use std::fmt;
use tilewright_passes::elementwise::{ElemOp, accepts, sources_of};

/// A kernel: reads `n` elements of each source and writes `n` elements.
///
/// # Safety
/// `dst` and the sources that the operation has are valid for `n` elements of the types that the kernel was selected for, initialised, and
/// aligned to the element size. `dst` overlaps no source.
pub type KernelFn = unsafe fn(dst: *mut u8, src: [*const u8; 3], n: usize, imm: &Imm);

/// What a kernel is told when it runs.
#[derive(Clone, Copy, Debug)]
pub struct Imm {
    /// The operation.
    pub op: ElemOp,
    /// Types of the sources; unused ones repeat the result's.
    pub(crate) srcs: [Elem; 3],
    /// Type of the result.
    pub dst: Elem,
}

/// A selected kernel.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    /// The function.
    pub run: KernelFn,
    /// What it is told.
    pub imm: Imm,
}

impl Imm {
    /// Types of the sources that the operation has.
    #[inline]
    pub fn sources(&self) -> &[Elem] {
        &self.srcs[..sources_of(self.op)]
    }
}

/// The kernel of an operation for these element types, for CPUs of a level.
///
/// `srcs` holds the types of the sources, in order. `None` if the operation does not take these types.
pub fn select_at(level: Level, op: ElemOp, srcs: &[Elem], dst: Elem) -> Option<Kernel> {
    let mut padded = [dst; 3];
    padded.get_mut(..srcs.len())?.copy_from_slice(srcs);
    let imm = Imm { op, srcs: padded, dst };
    if !accepts(op, srcs, dst) {
        return None;
    }
    let run = fast::select(level, op, srcs, dst).unwrap_or(exact::run);
    Some(Kernel { run, imm })
}

/// The same for this CPU.
pub fn select(op: ElemOp, srcs: &[Elem], dst: Elem) -> Option<Kernel> {
    select_at(Level::best(), op, srcs, dst)
}

/// The operation, and the type of its result.
impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} -> ", self.imm.op)?;
        match self.imm.dst {
            Elem::Num(scalar) => write!(f, "{scalar}"),
            Elem::Ptr => f.write_str("ptr"),
        }
    }
}
