//! Ranges that loops count over.

use crate::constant::Constant;
use tilewright_ir::{AttrName, OpRef, Tables};
use tilewright_numeric::int;

/// A range with constant bounds, as numbers: what `for` counts over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ConstantRange {
    pub(crate) lower: i128,
    pub(crate) upper: i128,
    pub(crate) step: i128,
}

impl ConstantRange {
    /// How often the loop runs; `None` if its step is not positive, which is outside of its contract.
    pub(crate) fn trips(self) -> Option<u128> {
        if self.lower >= self.upper {
            return Some(0);
        }
        let distance = (self.upper - self.lower).unsigned_abs();
        (self.step > 0).then(|| distance.div_ceil(self.step.unsigned_abs()))
    }
}

/// The range of a `for`, if its bounds are constants.
pub(crate) fn constant_range(op: OpRef<'_>, tables: &Tables) -> Option<ConstantRange> {
    let signed = !op.flag(AttrName::UnsignedCmp);
    let number = |i: usize, signed: bool| {
        let constant = Constant::of(tables, op.body(), op.operand(i)?, 1)?;
        let (bits, width) = (constant.elements.splat()?, constant.scalar.bits());
        Some(if signed { i128::from(int::sign_extend(bits, width)) } else { i128::from(int::truncate(bits, width)) })
    };
    Some(ConstantRange { lower: number(0, signed)?, upper: number(1, signed)?, step: number(2, signed)? })
}
