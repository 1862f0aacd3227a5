//! Elementwise operations, one element at a time (SEMANTICS c.2 to c.5).

use super::{
    number::{self, Number},
    value::{Element, Item, Trust},
};
use std::cmp::Ordering;
use tilewright_ir::{AttrName, ComparisonOrdering, ComparisonPredicate, OpRef, Opcode, RoundingMode, Scalar, Signedness};

/// The result of an operation on one element of each operand; `None` if it is not elementwise.
pub(crate) fn evaluate(op: OpRef<'_>, from: &[Element], to: Element, items: &[Item]) -> Option<Item> {
    if op.opcode() == Opcode::Select {
        return Some(match items[0].trust {
            Trust::Exact if items[0].bits & 1 == 1 => items[1],
            Trust::Exact => items[2],
            _ => Item::UNKNOWN,
        });
    }
    let bits: Vec<u64> = items.iter().map(|item| item.bits).collect();
    let result = match int_operation(op, from, to, &bits) {
        // Bits of a NaN that nobody promises make bits that nobody promises.
        Some(result) if items.iter().all(|item| item.trust == Trust::Exact) => Item::exact(result),
        Some(result) if matches!(op.opcode(), Opcode::AbsF | Opcode::NegF) => Item { bits: result, trust: items[0].trust },
        Some(_) => Item::UNKNOWN,
        None => {
            let result = float_operation(op, from, to, &bits)?;
            let known = items.iter().all(|item| matches!(item.trust, Trust::Exact | Trust::Nan));
            if known { result } else { Item::UNKNOWN }
        }
    };
    Some(result)
}

fn signed(bits: u64, width: u32) -> i128 {
    let value = i128::from(bits) & ((1 << width) - 1);
    if value >> (width - 1) & 1 == 1 { value - (1 << width) } else { value }
}

fn unsigned(bits: u64, width: u32) -> i128 {
    i128::from(bits) & ((1 << width) - 1)
}

fn low(value: i128, width: u32) -> u64 {
    (value & ((1 << width) - 1)) as u64
}

/// Operations on bits: those of integers and pointers, and those that only move bits of floats.
fn int_operation(op: OpRef<'_>, from: &[Element], to: Element, bits: &[u64]) -> Option<u64> {
    let width = from.first()?.bits();
    let is_signed = op.signedness() != Some(Signedness::Unsigned);
    let read = |i: usize| if is_signed { signed(bits[i], width) } else { unsigned(bits[i], width) };
    let (a, b) = (bits[0], bits.get(1).copied().unwrap_or(0));
    let wrap = |value: i128| Some(low(value, width));
    match op.opcode() {
        Opcode::AbsI => wrap(signed(a, width).abs()),
        Opcode::NegI => wrap(-signed(a, width)),
        Opcode::AddI => wrap(unsigned(a, width) + unsigned(b, width)),
        Opcode::SubI => wrap(unsigned(a, width) - unsigned(b, width)),
        Opcode::MulI => wrap(i128::from(a.wrapping_mul(b))),
        Opcode::MulhiI => Some(((u128::from(a) * u128::from(b)) >> width) as u64 & low(-1, width)),
        // What is undefined gives all ones for a zero divisor, and the dividend for the quotient that does not fit.
        Opcode::DivI if unsigned(b, width) == 0 => wrap(-1),
        Opcode::DivI => wrap(quotient(read(0), read(1), op.rounding())),
        Opcode::RemI if unsigned(b, width) == 0 => Some(a),
        Opcode::RemI => wrap(read(0) % read(1)),
        Opcode::MaxI => wrap(read(0).max(read(1))),
        Opcode::MinI => wrap(read(0).min(read(1))),
        Opcode::CmpI => Some(holds(op.predicate()?, read(0).cmp(&read(1))).into()),
        Opcode::AndI => Some(a & b),
        Opcode::OrI => Some(a | b),
        Opcode::XOrI => Some(a ^ b),
        Opcode::ShLI => Some(if b >= width.into() { 0 } else { low(i128::from(a) << b, width) }),
        Opcode::ShRI => wrap(read(0) >> b.min(127)),
        Opcode::ExtI => Some(low(read(0), to.bits())),
        Opcode::TruncI => Some(low(i128::from(a), to.bits())),
        Opcode::Bitcast | Opcode::IntToPtr | Opcode::PtrToInt | Opcode::PtrToPtr => Some(a),
        Opcode::Offset => {
            let Element::Pointer(pointee) = from[0] else { return None };
            let offset = signed(b, from[1].bits());
            let bytes = match pointee {
                Scalar::F4E2M1FN => offset / 2,
                Scalar::I1 => offset,
                _ => offset * i128::from(Element::Number(pointee).bits() / 8),
            };
            Some(low(i128::from(a) + bytes, 64))
        }
        Opcode::AbsF => Some(low(i128::from(a), width - 1)),
        Opcode::NegF => Some(a ^ 1 << (width - 1)),
        _ => None,
    }
}

fn quotient(a: i128, b: i128, rounding: Option<RoundingMode>) -> i128 {
    let inexact = a % b != 0;
    let positive = (a < 0) == (b < 0);
    match rounding {
        Some(RoundingMode::PositiveInf) if inexact && positive => a / b + 1,
        Some(RoundingMode::NegativeInf) if inexact && !positive => a / b - 1,
        _ => a / b,
    }
}

fn holds(predicate: ComparisonPredicate, order: Ordering) -> bool {
    match predicate {
        ComparisonPredicate::Equal => order.is_eq(),
        ComparisonPredicate::NotEqual => order.is_ne(),
        ComparisonPredicate::LessThan => order.is_lt(),
        ComparisonPredicate::LessThanOrEqual => order.is_le(),
        ComparisonPredicate::GreaterThan => order.is_gt(),
        ComparisonPredicate::GreaterThanOrEqual => order.is_ge(),
    }
}

fn float_operation(op: OpRef<'_>, from: &[Element], to: Element, bits: &[u64]) -> Option<Item> {
    let is_signed = op.signedness() != Some(Signedness::Unsigned);
    if op.opcode() == Opcode::IToF {
        let width = from[0].bits();
        let value = if is_signed { signed(bits[0], width) } else { unsigned(bits[0], width) };
        return Some(round(to.scalar(), &number::from_int(value), RoundingMode::NearestEven));
    }
    let scalar = from.first()?.scalar();
    if !scalar.is_float() {
        return None;
    }
    let ftz = op.flag(AttrName::FlushToZero);
    let flush = |bits: u64| if ftz { flushed(bits) } else { bits };
    let exponent = (op.opcode() == Opcode::FPowI).then(|| signed(bits[1], from[1].bits()));
    let mut numbers: Vec<Number> = Vec::new();
    for (i, element) in from.iter().enumerate().filter(|(_, element)| element.is_float()) {
        numbers.push(number::decode(element.scalar(), flush(bits[i])));
    }
    let x = &numbers[0];
    let y = numbers.get(1).unwrap_or(x);
    let mode = op.rounding().unwrap_or(RoundingMode::NearestEven);
    let is_exact = !matches!(mode, RoundingMode::Approx | RoundingMode::Full);
    let value = match op.opcode() {
        Opcode::FToI => return Some(Item::exact(low(number::to_int(x, to.bits(), is_signed), to.bits()))),
        Opcode::FToF => return Some(convert(scalar, to.scalar(), bits[0], x, mode)),
        Opcode::CmpF => {
            let unordered = op.comparison_ordering() == Some(ComparisonOrdering::Unordered);
            let holds = number::compare(x, y).map_or(unordered, |order| op.predicate().is_some_and(|p| holds(p, order)));
            return Some(Item::exact(holds.into()));
        }
        Opcode::MaxF | Opcode::MinF => {
            let flushed: Vec<u64> = bits.iter().map(|bits| flush(*bits)).collect();
            return Some(extreme(op, scalar, &flushed, [x, y]));
        }
        Opcode::AddF => number::add(x, y, mode),
        Opcode::SubF => number::add(x, &number::negate(y), mode),
        Opcode::MulF => number::multiply(x, y),
        Opcode::DivF if is_exact => number::divide(x, y),
        Opcode::Fma => number::add(&number::multiply(x, y), &numbers[2], mode),
        Opcode::Sqrt if is_exact => number::square_root(x),
        Opcode::RemF => number::remainder(x, y),
        Opcode::Ceil => number::to_integral(x, true),
        Opcode::Floor => number::to_integral(x, false),
        _ => return super::math::evaluate(op, scalar, x, y, exponent, ftz),
    };
    let result = round(scalar, &value, mode);
    Some(Item { bits: if result.trust == Trust::Exact { flush(result.bits) } else { result.bits }, ..result })
}

/// The bits of an f32, with 0 for what is subnormal.
pub(crate) fn flushed(bits: u64) -> u64 {
    if bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits }
}

/// Rounds a result; the bits of a NaN are nobody's promise.
pub(crate) fn round(scalar: Scalar, value: &Number, mode: RoundingMode) -> Item {
    let is_nan = matches!(value, Number::Nan) && number::format(scalar).nan.is_some();
    Item { bits: number::encode(scalar, value, mode), trust: if is_nan { Trust::Nan } else { Trust::Exact } }
}

fn convert(from: Scalar, to: Scalar, bits: u64, value: &Number, mode: RoundingMode) -> Item {
    if from == Scalar::Tf32 && to == Scalar::F32 {
        return Item::exact(bits);
    }
    round(to, value, mode)
}

fn extreme(op: OpRef<'_>, scalar: Scalar, bits: &[u64], [x, y]: [&Number; 2]) -> Item {
    let larger = op.opcode() == Opcode::MaxF;
    let sign = |bits: u64| bits >> (Element::Number(scalar).bits() - 1) & 1;
    let picked = match (number::compare(x, y), op.flag(AttrName::PropagateNan)) {
        (None, false) if !matches!(x, Number::Nan) => bits[0],
        (None, false) if !matches!(y, Number::Nan) => bits[1],
        (None, _) => return round(scalar, &Number::Nan, RoundingMode::NearestEven),
        // Of two zeros the positive one is larger.
        (Some(Ordering::Equal), _) => bits[usize::from((sign(bits[0]) == 1) == larger)],
        (Some(order), _) => bits[usize::from(order.is_lt() == larger)],
    };
    Item::exact(picked)
}
