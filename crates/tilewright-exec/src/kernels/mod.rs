//! Elementwise kernels: one operation on a run of elements.
//!
//! [`select`] maps an operation and its element types to a function. Common cases have loops of their own that the compiler
//! vectorises ([`fast`]); everything else goes element by element through `tilewright-numeric` ([`exact`]), which is the
//! definition of the results. A fast kernel gives the same values; the payload of a NaN is unspecified (SEMANTICS (b)).

pub(crate) mod exact;
mod fast;
pub(crate) mod mma;

use crate::elem::Elem;
use tilewright_ir::{ComparisonOrdering, ComparisonPredicate, RoundingMode, Scalar};

/// A kernel: reads `n` elements of each source and writes `n` elements.
///
/// # Safety
/// `dst` and the sources that the operation has are valid for `n` elements of the types that the kernel was selected for,
/// initialised, and aligned to the element size. `dst` overlaps no source.
pub(crate) type KernelFn = unsafe fn(dst: *mut u8, src: [*const u8; 3], n: usize, imm: &Imm);

/// What a kernel is told when it runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Imm {
    /// The operation.
    op: ElemOp,
    /// Types of the sources; unused ones repeat the result's.
    srcs: [Elem; 3],
    /// Type of the result.
    dst: Elem,
}

/// A selected kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kernel {
    pub(crate) run: KernelFn,
    pub(crate) imm: Imm,
}

/// Flush subnormals to zero?
pub(crate) type Ftz = bool;
/// Read integers as signed?
pub(crate) type Signed = bool;

/// An elementwise operation with everything that its attributes say.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum ElemOp {
    /// Same bits, same width.
    Copy,
    Select,
    AbsF,
    NegF,
    Ceil,
    Floor,
    Sqrt(RoundingMode, Ftz),
    Rsqrt(Ftz),
    Exp,
    Exp2(Ftz),
    Log,
    Log2,
    Sin,
    Cos,
    Tan,
    Sinh,
    Cosh,
    Tanh,
    AddF(RoundingMode, Ftz),
    SubF(RoundingMode, Ftz),
    MulF(RoundingMode, Ftz),
    DivF(RoundingMode, Ftz),
    Fma(RoundingMode, Ftz),
    RemF,
    MaxF {
        propagate_nan: bool,
        ftz: Ftz,
    },
    MinF {
        propagate_nan: bool,
        ftz: Ftz,
    },
    PowF,
    PowI,
    Atan2,
    CmpF(ComparisonPredicate, ComparisonOrdering),
    CmpI(ComparisonPredicate, Signed),
    AbsI,
    NegI,
    AddI,
    SubI,
    MulI,
    MulHi,
    DivI(Signed, RoundingMode),
    RemI(Signed),
    MaxI(Signed),
    MinI(Signed),
    And,
    Or,
    Xor,
    Shl,
    Shr(Signed),
    ExtI(Signed),
    TruncI,
    FToF(RoundingMode),
    FToI(Signed),
    IToF(Signed),
    /// Pointer plus sign-extended index times the bytes of the pointee.
    Offset(u64),
}

/// The kernel of an operation for these element types.
///
/// `srcs` holds the types of the sources, in order. `None` if the operation does not take these types.
pub(crate) fn select(op: ElemOp, srcs: &[Elem], dst: Elem) -> Option<Kernel> {
    let mut padded = [dst; 3];
    padded.get_mut(..srcs.len())?.copy_from_slice(srcs);
    let imm = Imm { op, srcs: padded, dst };
    if !exact::accepts(op, srcs, dst) {
        return None;
    }
    let run = fast::select(op, srcs, dst).unwrap_or(exact::run);
    Some(Kernel { run, imm })
}

/// The numeric crate's rounding for a rounding mode that names a direction.
pub(crate) fn direction(mode: RoundingMode) -> Option<tilewright_numeric::Rounding> {
    use tilewright_numeric::Rounding;
    Some(match mode {
        RoundingMode::NearestEven => Rounding::NearestEven,
        RoundingMode::Zero => Rounding::Zero,
        RoundingMode::NegativeInf => Rounding::NegativeInf,
        RoundingMode::PositiveInf => Rounding::PositiveInf,
        RoundingMode::NearestAway => Rounding::NearestAway,
        RoundingMode::Approx | RoundingMode::Full | RoundingMode::NearestIntToZero => return None,
    })
}

/// The numeric crate's predicate.
fn predicate(predicate: ComparisonPredicate) -> tilewright_numeric::Predicate {
    use tilewright_numeric::Predicate as P;
    match predicate {
        ComparisonPredicate::Equal => P::Equal,
        ComparisonPredicate::NotEqual => P::NotEqual,
        ComparisonPredicate::LessThan => P::LessThan,
        ComparisonPredicate::LessThanOrEqual => P::LessThanOrEqual,
        ComparisonPredicate::GreaterThan => P::GreaterThan,
        ComparisonPredicate::GreaterThanOrEqual => P::GreaterThanOrEqual,
    }
}

/// Whether arithmetic and math operations take this type (SEMANTICS (b)).
fn is_arith_float(elem: Elem) -> bool {
    matches!(elem, Elem::Num(Scalar::F16 | Scalar::Bf16 | Scalar::F32 | Scalar::F64))
}
