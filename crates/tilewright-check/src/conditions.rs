//! What an elementwise operation asks of the elements of its operands.

use crate::rules::{self, Rule};
use tilewright_ir::{AttrName, IntegerOverflow, OpRef, Opcode, Scalar, Signedness, TypeData, TypeTable, Value};
use tilewright_passes::elem::{Elem, float_format, memory_bits};

/// What breaks a rule: the bits of an element of each operand, to what is wrong with them.
type Wrong = Box<dyn Fn(&[u64]) -> Option<String>>;

/// Something that holds for each element.
pub(crate) struct Condition {
    pub(crate) rule: &'static Rule,
    /// How many operands it is about, from the first one on.
    pub(crate) operands: usize,
    pub(crate) wrong: Wrong,
}

pub(crate) fn signed(bits: u64, width: u32) -> i128 {
    let unused = 64 - width;
    i128::from((bits << unused).cast_signed() >> unused)
}

fn unsigned(bits: u64, width: u32) -> i128 {
    let unused = 64 - width;
    i128::from(bits << unused >> unused)
}

fn fits_signed(value: i128, width: u32) -> bool {
    (-(1i128 << (width - 1))..1i128 << (width - 1)).contains(&value)
}

fn fits_unsigned(value: i128, width: u32) -> bool {
    (0..1i128 << width).contains(&value)
}

/// Bits of the elements of a value; those of an address if it has none.
fn width(types: &TypeTable, op: OpRef<'_>, value: Option<Value>) -> u32 {
    let element = value.and_then(|value| types.as_tile(op.body().ty(value)));
    element.and_then(|(element, _)| Elem::of(types, element)).map_or(64, Elem::bits)
}

fn condition(rule: &'static Rule, operands: usize, wrong: impl Fn(&[u64]) -> Option<String> + 'static) -> Condition {
    Condition { rule, operands, wrong: Box::new(wrong) }
}

/// What an operation asks; mostly nothing.
pub(crate) fn conditions(op: OpRef<'_>, types: &TypeTable) -> Vec<Condition> {
    let from = || width(types, op, op.operand(0));
    let to = || width(types, op, op.result(0));
    match op.opcode() {
        Opcode::AddI | Opcode::SubI | Opcode::MulI | Opcode::NegI | Opcode::TruncI => overflow(op, from(), to()).into_iter().collect(),
        Opcode::ShLI => std::iter::once(shift(from())).chain(overflow(op, from(), to())).collect(),
        Opcode::ShRI => vec![shift(from())],
        Opcode::DivI | Opcode::RemI => vec![division(op, from())],
        Opcode::FToI => conversion(op, types, to()).into_iter().collect(),
        Opcode::Offset => offset(op, types).into_iter().collect(),
        _ => Vec::new(),
    }
}

fn division(op: OpRef<'_>, width: u32) -> Condition {
    let overflows = op.opcode() == Opcode::DivI && op.signedness() != Some(Signedness::Unsigned);
    condition(&rules::DIVISION, 2, move |values| {
        let (x, y) = (signed(values[0], width), signed(values[1], width));
        if y == 0 {
            return Some("it divides by zero".to_owned());
        }
        let least = x == -(1i128 << (width - 1));
        (overflows && least && y == -1).then(|| format!("{x} / -1 is no number of {width} bits"))
    })
}

fn shift(width: u32) -> Condition {
    condition(&rules::SHIFT, 2, move |values| {
        let count = unsigned(values[1], width);
        (count >= i128::from(width)).then(|| format!("it shifts {width} bits by {count}"))
    })
}

/// What the overflow flags of an operation promise.
fn overflow(op: OpRef<'_>, width: u32, to: u32) -> Option<Condition> {
    let (opcode, promise) = (op.opcode(), op.overflow().unwrap_or(IntegerOverflow::None));
    if promise == IntegerOverflow::None {
        return None;
    }
    let operands = if matches!(opcode, Opcode::NegI | Opcode::TruncI) { 1 } else { 2 };
    let (no_signed, no_unsigned) = (promise != IntegerOverflow::Nuw, promise != IntegerOverflow::Nsw);
    Some(condition(&rules::FALSE_OVERFLOW, operands, move |values| {
        let exact = |read: fn(u64, u32) -> i128| {
            let x = read(values[0], width);
            let y = values.get(1).map_or(0, |y| read(*y, width));
            match opcode {
                Opcode::AddI => x + y,
                Opcode::SubI => x - y,
                Opcode::MulI => x.checked_mul(y).unwrap_or(i128::MAX),
                Opcode::ShLI => {
                    let count = unsigned(values[1], width);
                    if count < i128::from(width) { x << count } else { x }
                }
                Opcode::NegI => -x,
                _ => x,
            }
        };
        if no_signed && !fits_signed(exact(signed), to) {
            return Some(format!("the exact result {} does not fit {to} bits as a signed number", exact(signed)));
        }
        let fails = no_unsigned && opcode != Opcode::NegI && !fits_unsigned(exact(unsigned), to);
        fails.then(|| format!("the exact result {} does not fit {to} bits as an unsigned number", exact(unsigned)))
    }))
}

fn conversion(op: OpRef<'_>, types: &TypeTable, to: u32) -> Option<Condition> {
    // A conversion to one bit is a comparison with zero in compiled code.
    if op.flag(AttrName::Saturating) || to == 1 {
        return None;
    }
    let is_signed = op.signedness() != Some(Signedness::Unsigned);
    let element = op.operand(0).and_then(|value| types.as_tile(op.body().ty(value)));
    let scalar: Scalar = element.and_then(|(element, _)| types.scalar(element))?;
    let format = float_format(scalar)?;
    Some(condition(&rules::CONVERSION, 1, move |values| {
        let value = format.decode(values[0]);
        let (least, most) = match is_signed {
            true => (-(2f64.powi(to as i32 - 1)), 2f64.powi(to as i32 - 1)),
            false => (0.0, 2f64.powi(to as i32)),
        };
        let whole = value.trunc();
        let fits = whole >= least && whole < most;
        (!fits).then(|| format!("{value} is no number of {to} bits"))
    }))
}

fn offset(op: OpRef<'_>, types: &TypeTable) -> Option<Condition> {
    let (element, _) = op.operand(0).and_then(|pointers| types.as_tile(op.body().ty(pointers)))?;
    let TypeData::Pointer { pointee, .. } = types.get(element) else { return None };
    let bits = types.scalar(*pointee).and_then(memory_bits).filter(|bits| *bits >= 8)?;
    let width = width(types, op, op.operand(1));
    Some(condition(&rules::OFFSET_OVERFLOW, 2, move |values| {
        let bytes = signed(values[1], width) * i128::from(bits / 8);
        let address = i128::from(values[0]) + bytes;
        let wraps = !fits_signed(bytes, 64) || !fits_unsigned(address, 64);
        wraps.then(|| format!("the offset of {bytes} bytes leads from {:#x} out of all addresses", values[0]))
    }))
}
