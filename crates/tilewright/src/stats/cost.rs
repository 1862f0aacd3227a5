//! What one execution of an operation costs. The rules stand in the documentation of the module.

use super::loops::elements;
use crate::{
    ir::{Module, OpRef, Opcode, Scalar, Type, TypeData, Value, ops::Traits},
    passes::elementwise::{elem_op, flops},
};

/// The work of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Cost {
    /// Of matrix products.
    pub(super) mma_flops: u128,
    /// Of everything else.
    pub(super) flops: u128,
    /// Of integer matrix products.
    pub(super) mma_int_ops: u128,
}

/// The work of one execution.
pub(super) fn cost(module: &Module, op: OpRef<'_>) -> Cost {
    match op.opcode() {
        Opcode::MmaF | Opcode::MmaFScaled => Cost { mma_flops: product(module, op), ..Cost::default() },
        Opcode::MmaI => Cost { mma_int_ops: product(module, op), ..Cost::default() },
        _ => match flops_per_element(module, op) {
            0 => Cost::default(),
            flops => Cost {
                flops: tile(module, op, op.result(0)).map_or(0, |(_, shape)| elements(shape)).saturating_mul(flops),
                ..Cost::default()
            },
        },
    }
}

fn flops_per_element(module: &Module, op: OpRef<'_>) -> u128 {
    // What moves pointers looks at their types, which modules that are not valid may lack.
    let op = (op.opcode() != Opcode::Offset).then_some(op);
    op.and_then(|op| elem_op(op, &module.tables.types)).map_or(0, |op| flops(op).into())
}

/// 2 M N K for each matrix of a batch: twice the length of a row of the left factor for each element of the result.
fn product(module: &Module, op: OpRef<'_>) -> u128 {
    let (Some((_, lhs)), Some((_, result))) = (tile(module, op, op.operand(0)), tile(module, op, op.result(0))) else { return 0 };
    elements(result).saturating_mul(2).saturating_mul(elements(&lhs[lhs.len().saturating_sub(1)..]))
}

fn tile<'m>(module: &'m Module, op: OpRef<'_>, value: Option<Value>) -> Option<(Type, &'m [i64])> {
    let value = value.filter(|&value| op.body().contains_value(value))?;
    module.tables.types.as_tile(op.body().ty(value))
}

/// The tile that an operation moves from or to memory.
pub(super) fn moved(module: &Module, op: OpRef<'_>) -> Option<Value> {
    if !reads(op) && !writes(op) {
        return None;
    }
    let stored = ["tile", "value"].iter().find_map(|name| op.operand_named(name).first().copied());
    op.result(0).filter(|&result| tile(module, op, Some(result)).is_some()).or(stored)
}

pub(super) fn reads(op: OpRef<'_>) -> bool {
    op.def().traits.contains(Traits::READS)
}

pub(super) fn writes(op: OpRef<'_>) -> bool {
    op.def().traits.contains(Traits::WRITES)
}

/// How many bytes one execution moves that moves the tile `value`.
pub(super) fn bytes(module: &Module, op: OpRef<'_>, value: Value) -> u128 {
    let Some((element, shape)) = tile(module, op, Some(value)) else { return 0 };
    let bits = match module.tables.types.get(element) {
        TypeData::Scalar(Scalar::I1) => 8,
        TypeData::Scalar(Scalar::Tf32) => 32,
        TypeData::Scalar(scalar) => u128::from(scalar.bits()),
        _ => 64,
    };
    let directions = u128::from(reads(op)) + u128::from(writes(op));
    elements(shape).saturating_mul(bits).div_ceil(8).saturating_mul(directions)
}
