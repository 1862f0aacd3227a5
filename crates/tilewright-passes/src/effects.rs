//! What passes may do with an operation, from what the op table says of its effects.

use crate::constant::Constant;
use tilewright_ir::{MemoryOrderingSemantics, OpRef, Opcode, Signedness, Tables, ops::Traits};
use tilewright_numeric::int;

/// Whether an operation gives results and does nothing else. It may be undefined on some operands; so it can be dropped, and
/// one that is computed before it can stand for it, but it cannot be computed where the program would not.
pub(crate) fn only_computes(op: OpRef<'_>) -> bool {
    op.def().traits.intersects(Traits::PURE.with(Traits::NO_MEMORY))
}

/// Whether an operation loads, in an order that only tokens give, and does nothing else: it can be dropped where nothing needs
/// what it loads, and its token then stands for the one that it waits for.
pub(crate) fn only_loads(op: OpRef<'_>) -> bool {
    const OTHER: Traits = Traits::EFFECTS.without(Traits::READS).without(Traits::TOKEN_ORDERED);
    let traits = op.def().traits;
    traits.contains(Traits::READS) && !traits.intersects(OTHER) && op.memory_ordering() == Some(MemoryOrderingSemantics::Weak)
}

/// Whether an operation can be computed where the program would not: it has no effect, is defined for all operands that it can
/// meet, and owns no region.
pub(crate) fn is_speculatable(op: OpRef<'_>, tables: &Tables) -> bool {
    if op.def().regions > 0 {
        return false;
    }
    match op.opcode() {
        Opcode::DivI | Opcode::RemI => divides_by_constant(op, tables),
        _ => op.def().traits.contains(Traits::PURE),
    }
}

/// Whether a division has a divisor by which everything can be divided.
fn divides_by_constant(op: OpRef<'_>, tables: &Tables) -> bool {
    let divisor = op.operand(1).and_then(|divisor| Constant::of(tables, op.body(), divisor, 0));
    let Some(Constant { scalar, elements, .. }) = divisor else { return false };
    let Some(bits) = elements.splat() else { return false };
    let is_minus_one = op.signedness() == Some(Signedness::Signed) && bits == int::mask(scalar.bits());
    bits != 0 && !is_minus_one
}
