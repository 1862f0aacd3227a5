//! Matrix multiplication.

use super::{Lowerer, Val};
use crate::{
    PlanError,
    elem::Elem,
    kernels::mma::{MatmulKind, Shape},
    plan::{Inst, Matmul, Tile},
};
use tilewright_ir::{AttrName, OpRef, Opcode, Scalar, Signedness};

impl<'m> Lowerer<'m> {
    pub(super) fn matmul(&mut self, op: OpRef<'m>) -> Result<(), PlanError> {
        let (lhs, rhs, acc) = (self.tile_operand(op, 0)?, self.tile_operand(op, 1)?, self.tile_operand(op, 2)?);
        let (elem, shape) = self.result_tile(op, 0)?;
        let dims = |shape: &[usize]| match *shape {
            [m, n] => Some((1, m, n)),
            [batch, m, n] => Some((batch, m, n)),
            _ => None,
        };
        let fits = |(l, r, a)| {
            let ((lb, m, k), (rb, rk, n), (ab, am, an)) = (dims(l)?, dims(r)?, dims(a)?);
            (lb == ab && rb == ab && k == rk && m == am && n == an).then_some((ab, m, n, k))
        };
        let Some((batch, m, n, k)) = fits((&lhs.shape, &rhs.shape, &acc.shape)).filter(|_| acc.shape == shape && acc.elem == elem) else {
            return Err(self.malformed("the shapes must be MxK, KxN and MxN, with one batch extent or none".to_owned()));
        };
        let signed = |name| op.signedness_of(name) == Some(Signedness::Signed);
        let kind = match (op.opcode(), lhs.elem, rhs.elem, elem) {
            (Opcode::MmaF, Elem::Num(l), Elem::Num(r), Elem::Num(acc)) if l == r => MatmulKind::float(l, acc),
            (Opcode::MmaI, Elem::Num(l), Elem::Num(r), Elem::Num(acc)) => {
                MatmulKind::int(l, r, acc, signed(AttrName::SignednessLhs), signed(AttrName::SignednessRhs))
            }
            (Opcode::MmaFScaled, Elem::Num(l), Elem::Num(r), Elem::Num(Scalar::F32)) if l == r => MatmulKind::scaled(l),
            _ => None,
        };
        let kind = kind.ok_or_else(|| self.malformed("it does not take these element types".to_owned()))?;
        let scales = if op.opcode() == Opcode::MmaFScaled { Some(self.scales(op, (batch, m, n, k))?) } else { None };
        // Scaled factors are decoded first, in order; others are read through strides.
        let (lhs, rhs) = if scales.is_some() { (self.in_order(lhs), self.in_order(rhs)) } else { (lhs, rhs) };
        let acc = if acc.is_splat() { acc } else { self.in_order(acc) };
        let (dst, tile) = self.new_tile(elem, &shape);
        self.emit(Inst::Matmul(Box::new(Matmul { kind, batch, shape: Shape { m, n, k }, lhs, rhs, acc, scales, dst, deferred: None })));
        self.define_result(op, 0, Val::Tile(tile))
    }

    /// The scales of the factors: one number for each block of elements along `k`, in blocks of one size for both.
    fn scales(&mut self, op: OpRef<'m>, (batch, m, n, k): (usize, usize, usize, usize)) -> Result<[Tile; 2], PlanError> {
        let (lhs, rhs) = (self.needed(op, "lhs_scale")?, self.needed(op, "rhs_scale")?);
        let (left, right) = (lhs.numel() / (batch * m), rhs.numel() / (batch * n));
        let fits =
            left == right && left > 0 && k.is_multiple_of(left) && lhs.numel() == batch * m * left && rhs.numel() == batch * n * right;
        self.require(
            fits && lhs.elem == rhs.elem && lhs.elem.float().is_some(),
            "there must be one scale for each block of a row and of a column",
        )?;
        Ok([self.in_order(lhs), self.in_order(rhs)])
    }
}
