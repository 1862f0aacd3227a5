//! The exact values of functions: from the host's f64 library for smaller types, from multiple precision for f64.

use astro_float_num::{BigFloat, Consts, RoundingMode, Sign};

/// A function of one or two numbers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Function {
    Exp,
    Exp2,
    Log,
    Log2,
    Sin,
    Cos,
    Tan,
    Sinh,
    Cosh,
    Tanh,
    Rsqrt,
    Sqrt,
    Pow,
    Powi,
    Atan2,
    Div,
}

/// The value of a function, with far more digits than f32 has.
pub(crate) fn host(function: Function, x: f64, y: f64) -> f64 {
    match function {
        Function::Exp => x.exp(),
        Function::Exp2 => x.exp2(),
        Function::Log => x.ln(),
        Function::Log2 => x.log2(),
        Function::Sin => x.sin(),
        Function::Cos => x.cos(),
        Function::Tan => x.tan(),
        Function::Sinh => x.sinh(),
        Function::Cosh => x.cosh(),
        Function::Tanh => x.tanh(),
        Function::Rsqrt => 1.0 / x.sqrt(),
        Function::Sqrt => x.sqrt(),
        Function::Pow | Function::Powi => x.powf(y),
        Function::Atan2 => x.atan2(y),
        Function::Div => x / y,
    }
}

/// Bits of multiple precision: enough for results of f64 and the cancellation on the way.
const BITS: usize = 320;
const NEAREST: RoundingMode = RoundingMode::ToEven;

/// How far a result of f64 is from the value of a function of finite numbers, relative to `unit`.
pub(crate) fn distance(function: Function, x: f64, y: f64, result: f64, unit: f64, constants: &mut Consts) -> f64 {
    let exact = precise(function, x, y, constants);
    let error = exact.sub(&number(result, BITS), BITS, NEAREST);
    to_f64(&error.div(&number(unit, BITS), BITS, NEAREST)).abs()
}

/// A number of f64, subnormal ones too, which the library does not read.
fn number(x: f64, bits: usize) -> BigFloat {
    if x == 0.0 || x.abs() >= f64::MIN_POSITIVE || !x.is_finite() {
        return BigFloat::from_f64(x, bits);
    }
    BigFloat::from_f64(x * 2f64.powi(600), bits).mul(&BigFloat::from_f64(2f64.powi(-600), bits), bits, NEAREST)
}

fn precise(function: Function, x: f64, y: f64, cc: &mut Consts) -> BigFloat {
    // Large angles need as many digits of pi in front of the point.
    let bits = BITS + (x.abs().log2().max(0.0) as usize).next_multiple_of(64);
    let [a, b] = [x, y].map(|n| number(n, bits));
    match function {
        Function::Exp => a.exp(BITS, NEAREST, cc),
        Function::Exp2 => a.mul(&cc.ln_2(bits, NEAREST), bits, NEAREST).exp(BITS, NEAREST, cc),
        Function::Log => a.ln(BITS, NEAREST, cc),
        Function::Log2 => a.log2(BITS, NEAREST, cc),
        Function::Sin => a.sin(bits, NEAREST, cc),
        Function::Cos => a.cos(bits, NEAREST, cc),
        Function::Tan => a.tan(bits, NEAREST, cc),
        Function::Sinh => a.sinh(BITS, NEAREST, cc),
        Function::Cosh => a.cosh(BITS, NEAREST, cc),
        Function::Tanh => a.tanh(BITS, NEAREST, cc),
        Function::Rsqrt => a.sqrt(BITS, NEAREST).reciprocal(BITS, NEAREST),
        Function::Sqrt => a.sqrt(BITS, NEAREST),
        Function::Pow | Function::Powi => power(&a, y, &b, cc),
        Function::Atan2 => angle(&a, &b, x, y, cc),
        Function::Div => a.div(&b, BITS, NEAREST),
    }
}

/// A power of a negative number is that of its magnitude, with the sign of an odd exponent.
fn power(base: &BigFloat, y: f64, exponent: &BigFloat, cc: &mut Consts) -> BigFloat {
    let magnitude = base.abs().ln(BITS, NEAREST, cc).mul(exponent, BITS, NEAREST).exp(BITS, NEAREST, cc);
    let odd = y.abs() < 9_007_199_254_740_992.0 && y % 2.0 != 0.0;
    if base.is_negative() && odd { magnitude.neg() } else { magnitude }
}

/// The angle of the point (x, y): the first number is the numerator.
fn angle(numerator: &BigFloat, denominator: &BigFloat, y: f64, x: f64, cc: &mut Consts) -> BigFloat {
    let pi = cc.pi(BITS, NEAREST);
    if x == 0.0 {
        let half = pi.div(&BigFloat::from_f64(2.0, BITS), BITS, NEAREST);
        return if y < 0.0 { half.neg() } else { half };
    }
    let angle = numerator.div(denominator, BITS, NEAREST).atan(BITS, NEAREST, cc);
    match (x < 0.0, y.is_sign_negative()) {
        (false, _) => angle,
        (true, false) => angle.add(&pi, BITS, NEAREST),
        (true, true) => angle.sub(&pi, BITS, NEAREST),
    }
}

/// The leading digits of a number.
fn to_f64(number: &BigFloat) -> f64 {
    let Some((words, _, sign, exponent, _)) = number.as_raw_parts() else { return f64::INFINITY };
    let top = words.last().map_or(0.0, |word| *word as f64) / 2f64.powi(astro_float_num::WORD_BIT_SIZE as i32);
    let value = top * 2f64.powi(exponent.clamp(-1000, 1000));
    if sign == Sign::Neg { -value } else { value }
}
