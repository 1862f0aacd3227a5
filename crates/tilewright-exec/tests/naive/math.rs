//! Functions whose results are not exact, from the host's f64 library, with the distance that is allowed (docs/numerics.md).

use super::{
    number::{self, Number},
    value::{Item, Trust},
};
use tilewright_ir::{OpRef, Opcode, RoundingMode, Scalar};

/// The result of a function, or `None` if the operation is none.
pub(crate) fn evaluate(op: OpRef<'_>, scalar: Scalar, x: &Number, y: &Number, exponent: Option<i128>, ftz: bool) -> Option<Item> {
    let (a, b) = (number::to_f64(x), number::to_f64(y));
    let value = match op.opcode() {
        Opcode::DivF => return Some(quotient(op, scalar, x, y)),
        Opcode::Sqrt => a.sqrt(),
        Opcode::Rsqrt => 1.0 / a.sqrt(),
        Opcode::Exp => a.exp(),
        Opcode::Exp2 => a.exp2(),
        Opcode::Log => a.ln(),
        Opcode::Log2 => a.log2(),
        Opcode::Sin => a.sin(),
        Opcode::Cos => a.cos(),
        Opcode::Tan => a.tan(),
        Opcode::SinH => a.sinh(),
        Opcode::CosH => a.cosh(),
        Opcode::TanH => a.tanh(),
        Opcode::FPowF => a.powf(b),
        Opcode::FPowI => a.powf(exponent? as f64),
        Opcode::Atan2 => a.atan2(b),
        _ => return None,
    };
    let approximate = op.rounding() == Some(RoundingMode::Approx);
    let ulps = match (op.opcode(), scalar) {
        (Opcode::TanH, _) if approximate => 8192.0,
        (Opcode::Exp, _) if approximate => 4.0 + 2.0 * a.abs(),
        // The host's own error comes on top.
        (_, Scalar::F64) => 4.0,
        (_, Scalar::F32) => 2.5,
        _ => 1.0,
    };
    Some(near(scalar, value, ulps, ftz))
}

/// The estimate of a quotient: undefined where the hardware's reciprocal is not a normal number.
fn quotient(op: OpRef<'_>, scalar: Scalar, x: &Number, y: &Number) -> Item {
    let divisor = number::to_f64(y).abs();
    let covered = 2f64.powi(-126)..=2f64.powi(126);
    if op.rounding() == Some(RoundingMode::Approx) && !covered.contains(&divisor) {
        return Item::UNKNOWN;
    }
    near(scalar, number::to_f64(&number::divide(x, y)), 2.5, true)
}

/// A value within some units in the last place; `ftz`: what is subnormal may be zero.
pub(crate) fn near(scalar: Scalar, value: f64, ulps: f64, ftz: bool) -> Item {
    let format = number::format(scalar);
    let largest = number::to_f64(&number::decode(scalar, number::encode(scalar, &Number::Infinite(false), RoundingMode::Zero) - 1));
    if value.is_nan() {
        return Item { bits: number::encode(scalar, &Number::Nan, RoundingMode::NearestEven), trust: Trust::Nan };
    }
    let bits = number::encode(scalar, &number::decode(Scalar::F64, value.to_bits()), RoundingMode::NearestEven);
    let close_to_overflow = value.is_finite() && value.abs() > largest * 0.99;
    let could_overflow = value.is_infinite() && scalar == Scalar::F64;
    if close_to_overflow && (value.abs() < largest * 1.01 || scalar == Scalar::F64) || could_overflow {
        return Item::UNKNOWN;
    }
    if value.is_infinite() || close_to_overflow {
        return Item::exact(bits);
    }
    let least = 1 - format.bias;
    let exponent = if value == 0.0 { least } else { (value.abs().log2().floor() as i64).max(least) };
    let ulp = power_of_two((exponent - i64::from(format.mantissa)) as i32);
    let flushed = if ftz { 2f64.powi(least as i32) } else { 0.0 };
    Item { bits, trust: Trust::Near(ulps * ulp + flushed) }
}

/// Also of the smallest numbers, which `powi` makes zero.
fn power_of_two(exponent: i32) -> f64 {
    2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2)
}
