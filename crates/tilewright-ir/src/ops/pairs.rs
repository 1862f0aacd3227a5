//! Which element types go together, with each other and with attribute values, where the columns of the op table cannot say
//! it.

use super::Opcode;
use crate::{AtomicRMWMode, MultimemReductionKind, RoundingMode, Scalar};

/// Whether a conversion between different float types knows a rounding mode (SEMANTICS c.5).
pub fn conversion_rounds(from: Scalar, to: Scalar, mode: RoundingMode) -> bool {
    use RoundingMode as R;
    let directed = matches!(mode, R::NearestEven | R::Zero | R::NegativeInf | R::PositiveInf);
    match (from, to) {
        (_, Scalar::F8E8M0FNU) => matches!(mode, R::Zero | R::PositiveInf),
        (_, Scalar::F8E4M3FN | Scalar::F8E5M2 | Scalar::F4E2M1FN | Scalar::Fnv8E5M3FNU) => mode == R::NearestEven,
        _ if widens(from, to) => directed || mode == R::NearestAway,
        (Scalar::F64, Scalar::F32) => directed,
        (Scalar::F32, Scalar::Tf32) => matches!(mode, R::NearestEven | R::Zero | R::NearestAway),
        _ => matches!(mode, R::NearestEven | R::Zero),
    }
}

/// The smallest and the largest exponent of a normal number of a float type, and the bits of its fraction.
fn range(scalar: Scalar) -> (i32, i32, u32) {
    match scalar {
        Scalar::F16 => (-14, 15, 10),
        Scalar::Bf16 => (-126, 127, 7),
        Scalar::F32 => (-126, 127, 23),
        Scalar::Tf32 => (-126, 127, 10),
        Scalar::F64 => (-1022, 1023, 52),
        Scalar::F8E4M3FN => (-6, 8, 3),
        Scalar::F8E5M2 => (-14, 15, 2),
        Scalar::F8E8M0FNU => (-127, 127, 0),
        Scalar::F4E2M1FN => (0, 2, 1),
        Scalar::Fnv8E5M3FNU => (-14, 16, 3),
        Scalar::I1 | Scalar::I4 | Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => (0, 0, 0),
    }
}

/// Whether every normal number of one type is one of the other. A power of two below those of `f32` is not.
fn widens(from: Scalar, to: Scalar) -> bool {
    let ((least, most, digits), (to_least, to_most, to_digits)) = (range(from), range(to));
    least >= to_least && most <= to_most && digits <= to_digits
}

/// The types that products of matrices of a float type are added to.
pub fn product_sums(factor: Scalar) -> &'static [Scalar] {
    match factor {
        Scalar::F8E4M3FN | Scalar::F8E5M2 | Scalar::F16 => &[Scalar::F16, Scalar::F32],
        Scalar::F64 => &[Scalar::F64],
        _ => &[Scalar::F32],
    }
}

/// How many elements of a matrix may share a scale of another type; `None` for types that do not go together.
pub fn scale_blocks(factor: Scalar, scale: Scalar) -> Option<&'static [i64]> {
    match (factor, scale) {
        (Scalar::F8E4M3FN | Scalar::F8E5M2, Scalar::F8E8M0FNU) => Some(&[32]),
        (Scalar::F4E2M1FN, Scalar::F8E8M0FNU | Scalar::Fnv8E5M3FNU) => Some(&[16, 32]),
        (Scalar::F4E2M1FN, Scalar::F8E4M3FN) => Some(&[16]),
        _ => None,
    }
}

/// Whether an atomic update works on a type.
pub fn atomic_update_takes(mode: AtomicRMWMode, scalar: Scalar) -> bool {
    match mode {
        AtomicRMWMode::Addf => matches!(scalar, Scalar::F16 | Scalar::Bf16 | Scalar::F32 | Scalar::F64),
        AtomicRMWMode::Xchg => is_word(scalar),
        _ => matches!(scalar, Scalar::I32 | Scalar::I64),
    }
}

/// Whether numbers of a type can be compared and exchanged atomically: those of 32 and 64 bits.
pub fn is_word(scalar: Scalar) -> bool {
    matches!(scalar.bits(), 32 | 64)
}

/// Whether multimem operations know a type.
pub fn is_multimem(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::I32 | Scalar::I64 | Scalar::F16 | Scalar::Bf16 | Scalar::F32 | Scalar::F64)
}

/// Whether a multimem operation combines replicas of a type, one that [they know](is_multimem), in this way.
pub fn multimem_combines(opcode: Opcode, kind: MultimemReductionKind, scalar: Scalar) -> bool {
    use MultimemReductionKind as K;
    match (kind, scalar) {
        (_, Scalar::I32 | Scalar::I64) | (K::Add, _) => true,
        (K::Min | K::Max, Scalar::F16 | Scalar::Bf16) => opcode == Opcode::MultimemLoadReduceViewTko,
        _ => false,
    }
}

/// The alignment of a number in memory; what is less than a byte needs none, but i1 takes one.
pub fn natural_alignment(scalar: Scalar) -> u64 {
    match scalar {
        Scalar::I1 => 1,
        Scalar::Tf32 => 4,
        scalar => u64::from(scalar.bits() / 8),
    }
}
