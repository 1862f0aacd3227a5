//! Elementwise operations.

use super::{Lowerer, Val, indices};
use crate::{
    PlanError,
    elem::Elem,
    kernels::{self, ElemOp},
    plan::{Inst, Tile, inst::Elementwise},
};
use tilewright_ir::{AttrName, OpRef, Opcode, RoundingMode, Signedness, TypeData, TypeTable};

/// The elementwise operation that `op` is, with what its attributes say.
pub(super) fn elem_op(op: OpRef<'_>, types: &TypeTable) -> Option<ElemOp> {
    let rounding = op.rounding().unwrap_or(RoundingMode::NearestEven);
    let ftz = op.flag(AttrName::FlushToZero);
    let signed = op.signedness() != Some(Signedness::Unsigned);
    let propagate_nan = op.flag(AttrName::PropagateNan);
    Some(match op.opcode() {
        Opcode::AbsF => ElemOp::AbsF,
        Opcode::NegF => ElemOp::NegF,
        Opcode::Ceil => ElemOp::Ceil,
        Opcode::Floor => ElemOp::Floor,
        Opcode::Sqrt => ElemOp::Sqrt(rounding, ftz),
        Opcode::Rsqrt => ElemOp::Rsqrt(ftz),
        Opcode::Exp => ElemOp::Exp,
        Opcode::Exp2 => ElemOp::Exp2(ftz),
        Opcode::Log => ElemOp::Log,
        Opcode::Log2 => ElemOp::Log2,
        Opcode::Sin => ElemOp::Sin,
        Opcode::Cos => ElemOp::Cos,
        Opcode::Tan => ElemOp::Tan,
        Opcode::SinH => ElemOp::Sinh,
        Opcode::CosH => ElemOp::Cosh,
        Opcode::TanH => ElemOp::Tanh,
        Opcode::AddF => ElemOp::AddF(rounding, ftz),
        Opcode::SubF => ElemOp::SubF(rounding, ftz),
        Opcode::MulF => ElemOp::MulF(rounding, ftz),
        Opcode::DivF => ElemOp::DivF(rounding, ftz),
        Opcode::Fma => ElemOp::Fma(rounding, ftz),
        Opcode::RemF => ElemOp::RemF,
        Opcode::MaxF => ElemOp::MaxF { propagate_nan, ftz },
        Opcode::MinF => ElemOp::MinF { propagate_nan, ftz },
        Opcode::FPowF => ElemOp::PowF,
        Opcode::FPowI => ElemOp::PowI,
        Opcode::Atan2 => ElemOp::Atan2,
        Opcode::CmpF => ElemOp::CmpF(op.predicate()?, op.comparison_ordering()?),
        Opcode::CmpI => ElemOp::CmpI(op.predicate()?, signed),
        Opcode::AbsI => ElemOp::AbsI,
        Opcode::NegI => ElemOp::NegI,
        Opcode::AddI => ElemOp::AddI,
        Opcode::SubI => ElemOp::SubI,
        Opcode::MulI => ElemOp::MulI,
        Opcode::MulhiI => ElemOp::MulHi,
        Opcode::DivI => ElemOp::DivI(signed, rounding),
        Opcode::RemI => ElemOp::RemI(signed),
        Opcode::MaxI => ElemOp::MaxI(signed),
        Opcode::MinI => ElemOp::MinI(signed),
        Opcode::AndI => ElemOp::And,
        Opcode::OrI => ElemOp::Or,
        Opcode::XOrI => ElemOp::Xor,
        Opcode::ShLI => ElemOp::Shl,
        Opcode::ShRI => ElemOp::Shr(signed),
        Opcode::ExtI => ElemOp::ExtI(signed),
        Opcode::TruncI => ElemOp::TruncI,
        Opcode::FToF => ElemOp::FToF(rounding),
        Opcode::FToI => ElemOp::FToI(signed),
        Opcode::IToF => ElemOp::IToF(signed),
        Opcode::Select => ElemOp::Select,
        Opcode::Bitcast | Opcode::IntToPtr | Opcode::PtrToInt | Opcode::PtrToPtr => ElemOp::Copy,
        Opcode::Offset => match pointee_bits(op, types)? {
            bits @ 8.. => ElemOp::Offset(u64::from(bits / 8)),
            _ => ElemOp::OffsetPacked,
        },
        _ => return None,
    })
}

/// Bits from one element to the next where the first operand points.
fn pointee_bits(op: OpRef<'_>, types: &TypeTable) -> Option<u32> {
    let (element, _) = types.as_tile(op.body().ty(op.operand(0)?))?;
    let TypeData::Pointer { pointee, .. } = types.get(element) else { return None };
    crate::elem::memory_bits(types.scalar(*pointee)?)
}

impl<'m> Lowerer<'m> {
    pub(super) fn elementwise(&mut self, op: OpRef<'m>, elementwise: ElemOp) -> Result<(), PlanError> {
        let srcs = op.operands().iter().map(|v| self.tile(*v)).collect::<Result<Vec<Tile>, _>>()?;
        let (elem, shape) = self.result_tile(op, 0)?;
        let same_shape = srcs.iter().all(|src| src.shape == shape);
        self.require(same_shape, "the operands must have the shape of the result")?;
        let srcs = self.before_extension(elementwise, srcs);
        let kernel = self.kernel(elementwise, &srcs.iter().map(|s| s.elem).collect::<Vec<_>>(), elem)?;
        if elementwise == ElemOp::Copy && srcs[0].elem.size() == elem.size() {
            let tile = Tile { elem, ..srcs[0].clone() };
            return self.define_result(op, 0, Val::Tile(tile));
        }
        if let Some(tile) = self.unchanged(elementwise, &srcs) {
            return self.define_result(op, 0, Val::Tile(tile.clone()));
        }
        // Along dimensions where all operands repeat an element, the result is computed once.
        let distinct: Vec<usize> =
            (0..shape.len()).map(|dim| if srcs.iter().all(|src| src.strides[dim] == 0) { 1 } else { shape[dim] }).collect();
        let srcs: Vec<Tile> = srcs.into_iter().map(|src| Tile { shape: distinct.clone(), ..src }).collect();
        let extended = indices::extends(elementwise, &srcs);
        let (dst, tile) = self.new_tile(elem, &distinct);
        let inst = Inst::Elementwise(Elementwise { kernel, srcs, dst, n: tile.numel(), size: elem.size() });
        let tile = self.compute_one(inst, tile);
        self.extended.extend(extended.map(|source| (tile.base, source)));
        self.define_result(op, 0, Val::Tile(tile.broadcast(&shape)))
    }

    /// The kernel of an operation on these element types.
    pub(super) fn kernel(&self, op: ElemOp, srcs: &[Elem], dst: Elem) -> Result<kernels::Kernel, PlanError> {
        kernels::select(op, srcs, dst).ok_or_else(|| self.malformed(format!("it does not take {srcs:?} to give {dst:?}")))
    }
}
