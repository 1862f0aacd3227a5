//! How often operations run.

use super::amount::Times;
use crate::ir::{AttrName, AttrValue, Body, Module, Op, OpRef, Opcode, Scalar, Value};

/// How often every operation of a body runs, and how deep it is nested.
pub(super) struct Schedule {
    /// By operation.
    times: Vec<Times>,
    depths: Vec<usize>,
    /// The loops whose number of iterations is unknown, in pre-order: which, and the next one around it.
    pub(super) loops: Vec<Op>,
    pub(super) unknowns: Vec<Option<usize>>,
}

impl Schedule {
    pub(super) fn new(module: &Module, body: &Body) -> Schedule {
        let ops = body.num_ops();
        let mut schedule = Schedule { times: vec![Times::ONCE; ops], depths: vec![0; ops], loops: Vec::new(), unknowns: Vec::new() };
        // How often the operations in the regions of an operation run.
        let mut inside = vec![Times::ONCE; ops];
        body.walk(|op| {
            let index = op.id().index();
            if let Some(parent) = op.parent() {
                schedule.times[index] = inside[parent.id().index()];
                schedule.depths[index] = schedule.depths[parent.id().index()] + 1;
            }
            if op.regions().len() > 0 {
                inside[index] = schedule.inside(module, op, schedule.times[index]);
            }
        });
        schedule
    }

    /// How often an operation runs.
    pub(super) fn times(&self, op: Op) -> Times {
        self.times[op.index()]
    }

    /// How deep the deepest operation is nested.
    pub(super) fn max_depth(&self) -> usize {
        self.depths.iter().copied().max().unwrap_or(0)
    }

    fn inside(&mut self, module: &Module, op: OpRef<'_>, times: Times) -> Times {
        match op.opcode() {
            Opcode::For => match trip_count(module, op) {
                Some(count) => times.times(count),
                None => self.unknown(op, times),
            },
            Opcode::Loop => self.unknown(op, times),
            Opcode::Reduce | Opcode::Scan => times.times(combinations(module, op)),
            _ => times,
        }
    }

    /// Inside of a loop that runs nobody knows how often.
    fn unknown(&mut self, op: OpRef<'_>, times: Times) -> Times {
        self.loops.push(op.id());
        self.unknowns.push(times.unknown);
        Times { unknown: Some(self.loops.len() - 1), ..times }
    }
}

/// How often a `for` runs whose bounds and step are constants.
fn trip_count(module: &Module, op: OpRef<'_>) -> Option<u128> {
    let bits = |index| constant(module, op.body(), op.operand(index)?);
    let ((lower, width), (upper, _), (step, _)) = (bits(0)?, bits(1)?, bits(2)?);
    let value = |bits: u64| if op.flag(AttrName::UnsignedCmp) { i128::from(bits) } else { sign_extended(bits, width) };
    let (lower, upper, step) = (value(lower), value(upper), value(step));
    if step <= 0 {
        return None;
    }
    Some((upper - lower).max(0).cast_unsigned().div_ceil(step.cast_unsigned()))
}

fn sign_extended(bits: u64, width: u32) -> i128 {
    let unused = u64::BITS - width;
    i128::from((bits << unused).cast_signed() >> unused)
}

/// The bits of a value that is a constant integer, and its width.
fn constant(module: &Module, body: &Body, value: Value) -> Option<(u64, u32)> {
    let op = body.contains_value(value).then(|| body.defining_op(value)).flatten()?;
    match (op.opcode(), op.attr(AttrName::Value)) {
        (Opcode::Constant, AttrValue::Const(constant)) => {
            let (element, _) = module.tables.types.as_tile(body.ty(value))?;
            let scalar = module.tables.types.scalar(element).filter(|s| s.is_int() && *s != Scalar::I1)?;
            let bytes = module.tables.constants.bytes(constant).get(..scalar.bits().div_ceil(8) as usize)?;
            Some((bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)), scalar.bits()))
        }
        (Opcode::Assume, _) => match body.defining_op(op.operand(0)?)?.opcode() {
            Opcode::Constant => constant(module, body, op.operand(0)?),
            _ => None,
        },
        _ => None,
    }
}

/// How often the region of a `reduce` or `scan` combines two elements.
fn combinations(module: &Module, op: OpRef<'_>) -> u128 {
    let shape = |value: Option<Value>| {
        let value = value.filter(|&value| op.body().contains_value(value))?;
        module.tables.types.as_tile(op.body().ty(value)).map(|(_, shape)| shape)
    };
    let Some(shape) = shape(op.operand(0)) else { return 1 };
    let extent = op.int(AttrName::Dim).and_then(|dim| shape.get(usize::try_from(dim).ok()?)).copied().unwrap_or(1);
    let elements = elements(shape);
    elements - elements / u128::from(extent.max(1).cast_unsigned())
}

/// How many elements a tile has.
pub(super) fn elements(shape: &[i64]) -> u128 {
    shape.iter().map(|&extent| u128::from(extent.max(1).cast_unsigned())).fold(1, u128::saturating_mul)
}
