//! Operations on floats that are one instruction of a GPU.

use super::Lowerer;
use crate::thread::{Native, Value};
use tilewright_ir::{RoundingMode, Scalar};
use tilewright_passes::{elem::Elem, elementwise::ElemOp};
use tilewright_vector::{Lane, Prim};

/// The instruction of an operation whose operands it takes as they are.
fn instruction(op: ElemOp, from: Scalar, to: Scalar) -> Option<Native> {
    const NEAREST: RoundingMode = RoundingMode::NearestEven;
    Some(match (op, from, to) {
        (ElemOp::MaxF { propagate_nan: true, ftz: false }, Scalar::F32, _) => Native::MaximumF32,
        (ElemOp::MinF { propagate_nan: true, ftz: false }, Scalar::F32, _) => Native::MinimumF32,
        (ElemOp::MaxF { propagate_nan: true, ftz: false }, Scalar::F16, _) => Native::MaximumF16,
        (ElemOp::MinF { propagate_nan: true, ftz: false }, Scalar::F16, _) => Native::MinimumF16,
        (ElemOp::MaxF { propagate_nan: true, ftz: false }, Scalar::Bf16, _) => Native::MaximumBf16,
        (ElemOp::MinF { propagate_nan: true, ftz: false }, Scalar::Bf16, _) => Native::MinimumBf16,
        (ElemOp::FToF(NEAREST), Scalar::F32, Scalar::F16) => Native::RoundF16,
        (ElemOp::FToF(NEAREST), Scalar::F32, Scalar::Bf16) => Native::RoundBf16,
        (ElemOp::AddF(NEAREST, false), Scalar::F16, _) => Native::AddF16,
        (ElemOp::SubF(NEAREST, false), Scalar::F16, _) => Native::SubF16,
        (ElemOp::MulF(NEAREST, false), Scalar::F16, _) => Native::MulF16,
        (ElemOp::Fma(NEAREST, false), Scalar::F16, _) => Native::FmaF16,
        (ElemOp::Fma(NEAREST, false), Scalar::Bf16, _) => Native::FmaBf16,
        _ => return None,
    })
}

impl Lowerer<'_> {
    /// The smaller or larger one of a number and a constant by an instruction of GPUs. The primitive gives the second one if they are equal or if either is
    /// NaN; a constant that is neither zero nor NaN equals only what has the same bits. Of two zeros, instructions take the positive one as the larger one.
    pub(super) fn extreme(&mut self, prim: Prim, operands: &[Value]) -> Option<Value> {
        let (number, native) = match prim {
            Prim::FMin => (Prim::MinNum, Native::MinimumF32),
            Prim::FMax => (Prim::MaxNum, Native::MaximumF32),
            _ => return None,
        };
        let lane = self.b.lane(operands[0]);
        let known = |value: Value| {
            let bits = self.b.constant_bits(value)?;
            Some(if lane == Lane::F32 { f32::from_bits(bits as u32).into() } else { f64::from_bits(bits) })
        };
        let is_usual = |value: f64| value != 0.0 && !value.is_nan();
        let is_extreme_zero = |value: f64| value == 0.0 && value.is_sign_negative() == (prim == Prim::FMin);
        match [known(operands[0]), known(operands[1])] {
            [None, Some(b)] if is_usual(b) || is_extreme_zero(b) => Some(self.b.prim(number, operands)),
            [Some(a), None] if is_usual(a) && lane == Lane::F32 => Some(self.b.native(native, operands)),
            _ => None,
        }
    }

    /// Does an operation by an instruction of GPUs, if there is one and something is to be computed.
    pub(super) fn native(&mut self, op: ElemOp, sources: &[Elem], result: Elem, values: &[Value]) -> Option<Value> {
        let (&[Elem::Num(from), ..], Elem::Num(to)) = (sources, result) else { return None };
        if values.iter().all(|value| self.b.constant_bits(*value).is_some()) {
            return None;
        }
        if let Some(native) = instruction(op, from, to) {
            return Some(self.b.native(native, values));
        }
        let bf16 = |this: &mut Self, bits: u64| this.b.constant(Lane::I16, bits);
        match (op, from, to) {
            // The upper half of an f32.
            (ElemOp::FToF(_), Scalar::Bf16, Scalar::F32) => {
                let zero = bf16(self, 0);
                let bits = self.b.pack([zero, values[0]]);
                Some(self.b.prim(Prim::Float32, &[bits]))
            }
            (ElemOp::AddF(RoundingMode::NearestEven, false), Scalar::Bf16, _) => {
                let one = bf16(self, 0x3f80);
                Some(self.b.native(Native::FmaBf16, &[values[0], one, values[1]]))
            }
            (ElemOp::SubF(RoundingMode::NearestEven, false), Scalar::Bf16, _) => {
                let minus_one = bf16(self, 0xbf80);
                Some(self.b.native(Native::FmaBf16, &[values[1], minus_one, values[0]]))
            }
            // A zero that changes no sign.
            (ElemOp::MulF(RoundingMode::NearestEven, false), Scalar::Bf16, _) => {
                let zero = bf16(self, 0x8000);
                Some(self.b.native(Native::FmaBf16, &[values[0], values[1], zero]))
            }
            _ => None,
        }
    }
}
