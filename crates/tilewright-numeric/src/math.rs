//! Elementary functions (SEMANTICS c.4), and the approximate divisions of `divf`.
//!
//! The `f32` functions compute in `f64` and round once, so their error is barely above half an ulp; so do `log`, `log2` and `rsqrt` with pairs
//! of `f32`. `exp`, `exp2`, `tanh`, `sin` and `cos` compute in `f32` and are within 0.78 ulp. The `f64` functions compute with pairs of `f64` and are within 0.55 ulp. No function is the platform's,
//! so that every host gives the same bits, and none has branches but for angles that are far from zero, so that loops of them become
//! vector code. For `f16` and `bf16` use the `f32` function and round the result. Special cases are those of C; NaN results have
//! unspecified bits. Angles are in radians.

use crate::{
    double::{angle, arctangent, exponential, logarithm, power, root},
    lanes, single,
};

macro_rules! unary {
    ($($(#[$doc:meta])* $name32:ident = |$y:ident| $body32:expr, $name64:ident = |$x:ident| $body64:expr;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub fn $name32($y: f32) -> f32 {
            $body32
        }

        $(#[$doc])*
        #[inline(always)]
        pub fn $name64($x: f64) -> f64 {
            $body64
        }
    )*};
}

unary! {
    /// `exp`: e to the power `x`; overflow to +inf, underflow to 0.
    exp_f32 = |x| lanes::exp(x), exp_f64 = |x| exponential::exp(x);
    /// `exp2`: 2 to the power `x`.
    exp2_f32 = |x| lanes::exp2(x), exp2_f64 = |x| exponential::exp2(x);
    /// `log`: natural logarithm; -inf at zero, NaN below.
    log_f32 = |x| lanes::log(x), log_f64 = |x| logarithm::log(x);
    /// `log2`: logarithm to base 2; -inf at zero, NaN below.
    log2_f32 = |x| lanes::log2(x), log2_f64 = |x| logarithm::log2(x);
    /// `sin`; NaN for infinities.
    sin_f32 = |x| lanes::sin(x), sin_f64 = |x| angle::sin(x);
    /// `cos`; NaN for infinities.
    cos_f32 = |x| lanes::cos(x), cos_f64 = |x| angle::cos(x);
    /// `tan`; NaN for infinities.
    tan_f32 = |x| single::tan(f64::from(x)) as f32, tan_f64 = |x| angle::tan(x);
    /// `sinh`.
    sinh_f32 = |x| single::sinh(f64::from(x)) as f32, sinh_f64 = |x| exponential::sinh(x);
    /// `cosh`.
    cosh_f32 = |x| single::cosh(f64::from(x)) as f32, cosh_f64 = |x| exponential::cosh(x);
    /// `tanh`.
    tanh_f32 = |x| lanes::tanh(x), tanh_f64 = |x| exponential::tanh(x);
    /// `rsqrt`: 1/sqrt(x); infinity of the same sign for zeros, NaN below zero, 0 for +inf.
    rsqrt_f32 = |x| lanes::rsqrt(x), rsqrt_f64 = |x| root::rsqrt(x);
}

/// Functions that use fused multiply-adds, for loops on CPUs that have none: the same results by other means.
pub mod emulated {
    use crate::{
        double::{angle, arctangent, exponential, logarithm, power, root},
        lanes::{self, Emulated, Halved},
        single::angle as angle_of_f32,
    };

    macro_rules! emulated {
        ($($name:ident($($x:ident),*): $t:ident = $body:expr;)*) => {$(
            #[doc = concat!("[`", stringify!($name), "`](super::", stringify!($name), ").")]
            #[inline(always)]
            pub fn $name($($x: $t),*) -> $t {
                $body
            }
        )*};
    }
    emulated! {
        exp_f32(x): f32 = lanes::exp(Emulated(x)).0;
        exp2_f32(x): f32 = lanes::exp2(Emulated(x)).0;
        tanh_f32(x): f32 = lanes::tanh(Emulated(x)).0;
        log_f32(x): f32 = lanes::log(Emulated(x)).0;
        log2_f32(x): f32 = lanes::log2(Emulated(x)).0;
        rsqrt_f32(x): f32 = lanes::rsqrt(Emulated(x)).0;
        sin_f32(x): f32 = lanes::sin(Emulated(x)).0;
        cos_f32(x): f32 = lanes::cos(Emulated(x)).0;
        sin_near_f32(x): f32 = angle_of_f32::sin_near(Emulated(x)).0;
        cos_near_f32(x): f32 = angle_of_f32::cos_near(Emulated(x)).0;
        exp_f64(x): f64 = exponential::exp(Halved(x)).0;
        exp2_f64(x): f64 = exponential::exp2(Halved(x)).0;
        log_f64(x): f64 = logarithm::log(Halved(x)).0;
        log2_f64(x): f64 = logarithm::log2(Halved(x)).0;
        sin_f64(x): f64 = angle::sin(Halved(x)).0;
        cos_f64(x): f64 = angle::cos(Halved(x)).0;
        tan_f64(x): f64 = angle::tan(Halved(x)).0;
        sin_near_f64(x): f64 = angle::sin_near(Halved(x)).0;
        cos_near_f64(x): f64 = angle::cos_near(Halved(x)).0;
        tan_near_f64(x): f64 = angle::tan_near(Halved(x)).0;
        sinh_f64(x): f64 = exponential::sinh(Halved(x)).0;
        cosh_f64(x): f64 = exponential::cosh(Halved(x)).0;
        tanh_f64(x): f64 = exponential::tanh(Halved(x)).0;
        rsqrt_f64(x): f64 = root::rsqrt(Halved(x)).0;
        pow_f64(x, y): f64 = power::pow(Halved(x), Halved(y)).0;
        atan2_f64(y, x): f64 = arctangent::atan2(Halved(y), Halved(x)).0;
    }

    pub use super::{tan_f32, tan_near_f32};

    /// [`powi_f64`](super::powi_f64).
    #[inline(always)]
    pub fn powi_f64(x: f64, n: i32) -> f64 {
        pow_f64(x, n.into())
    }
}

macro_rules! near {
    ($($name:ident of $any:ident: $t:ident = |$x:ident| $function:expr;)*) => {$(
        #[doc = concat!("[`", stringify!($any), "`] of an angle that is near.")]
        #[inline(always)]
        pub fn $name($x: $t) -> $t {
            $function
        }
    )*};
}
near! {
    sin_near_f32 of sin_f32: f32 = |x| single::angle::sin_near(x);
    cos_near_f32 of cos_f32: f32 = |x| single::angle::cos_near(x);
    tan_near_f32 of tan_f32: f32 = |x| single::tan_near(f64::from(x)) as f32;
    sin_near_f64 of sin_f64: f64 = |x| angle::sin_near(x);
    cos_near_f64 of cos_f64: f64 = |x| angle::cos_near(x);
    tan_near_f64 of tan_f64: f64 = |x| angle::tan_near(x);
}

/// Whether an angle is so near to zero that the functions with `near` in their name take it: they have no branches.
#[inline(always)]
pub fn is_near_f32(x: f32) -> bool {
    single::angle::is_near(x)
}

/// See [`is_near_f32`].
#[inline(always)]
pub fn is_near_f64(x: f64) -> bool {
    angle::is_near(x)
}

/// `pow` (`fpowf`): C `pow`; `x^0` and `1^y` are 1 even for NaN, a negative base with a non-integral exponent is NaN.
#[inline(always)]
pub fn pow_f32(x: f32, y: f32) -> f32 {
    single::pow(f64::from(x), f64::from(y)) as f32
}

/// `pow` (`fpowf`): C `pow`; see [`pow_f32`].
#[inline(always)]
pub fn pow_f64(x: f64, y: f64) -> f64 {
    power::pow(x, y)
}

/// `fpowi`: `x` to an integer power, as `pow` with the exact exponent rather than by repeated multiplication.
#[inline(always)]
pub fn powi_f32(x: f32, n: i32) -> f32 {
    single::pow(f64::from(x), f64::from(n)) as f32
}

/// `fpowi`: see [`powi_f32`].
#[inline(always)]
pub fn powi_f64(x: f64, n: i32) -> f64 {
    pow_f64(x, n.into())
}

/// `atan2`: the angle of the point `(x, y)`, where the numerator `y` is the first operand, in [-pi, pi].
#[inline(always)]
pub fn atan2_f32(y: f32, x: f32) -> f32 {
    single::atan2(f64::from(y), f64::from(x)) as f32
}

/// `atan2`: see [`atan2_f32`].
#[inline(always)]
pub fn atan2_f64(y: f64, x: f64) -> f64 {
    arctangent::atan2(y, x)
}

/// `divf rounding<approx>`: the quotient within 2 ulp. For a divisor beyond 2^126 in magnitude a finite dividend gives
/// a zero and an infinite one NaN, as the reciprocal the hardware multiplies with is zero there.
#[inline]
pub fn div_approx_f32(a: f32, b: f32) -> f32 {
    const LARGEST: f32 = f32::from_bits((126 + 127) << 23);
    if b.abs() > LARGEST { a * 0.0f32.copysign(b) } else { a / b }
}

/// `divf rounding<full>`: within 2 ulp over the full range; here the correctly rounded quotient.
#[inline]
pub fn div_full_f32(a: f32, b: f32) -> f32 {
    a / b
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f32::consts::{FRAC_PI_2, LN_2, PI};

    const INF: f32 = f32::INFINITY;
    const NAN: f32 = f32::NAN;

    /// Distance in units in the last place, across zero as well.
    fn ulps(a: f32, b: f32) -> u32 {
        let key = |x: f32| {
            let bits = x.to_bits() as i32;
            if bits < 0 { i32::MIN - bits } else { bits }
        };
        if a.is_nan() && b.is_nan() { 0 } else { key(a).abs_diff(key(b)) }
    }

    /// The platform's own `f32` library is an independent implementation within 1 or 2 ulp.
    #[test]
    fn f32_functions_agree_with_the_f32_library() {
        type Pair = (fn(f32) -> f32, fn(f32) -> f32, &'static str, u32);
        let pairs: [Pair; 10] = [
            (exp_f32, f32::exp, "exp", 1),
            (exp2_f32, f32::exp2, "exp2", 1),
            (log_f32, f32::ln, "log", 1),
            (log2_f32, f32::log2, "log2", 1),
            (sin_f32, f32::sin, "sin", 1),
            (cos_f32, f32::cos, "cos", 1),
            (tan_f32, f32::tan, "tan", 2),
            (sinh_f32, f32::sinh, "sinh", 2),
            (cosh_f32, f32::cosh, "cosh", 2),
            (tanh_f32, f32::tanh, "tanh", 3),
        ];
        for (ours, theirs, name, bound) in pairs {
            for bits in (0..=u32::MAX).step_by(40_009) {
                let x = f32::from_bits(bits);
                let (a, b) = (ours(x), theirs(x));
                assert!(ulps(a, b) <= bound, "{name}({x:e}) = {a:e}, library {b:e}");
            }
        }
    }

    #[test]
    fn rsqrt_against_its_definition() {
        for bits in (1..0x7F80_0000u32).step_by(10_007) {
            let x = f32::from_bits(bits);
            let y = f64::from(rsqrt_f32(x));
            assert!((y * y * f64::from(x) - 1.0).abs() < 1.3e-7, "rsqrt({x:e}) = {y:e}");
        }
        assert_eq!([rsqrt_f32(0.0), rsqrt_f32(-0.0), rsqrt_f32(INF)], [INF, -INF, 0.0]);
        assert!(rsqrt_f32(-1.0).is_nan() && rsqrt_f32(NAN).is_nan());
        assert_eq!(rsqrt_f64(4.0), 0.5);
    }

    /// The functions of `f64` are exact to a small part of a unit of `f32`.
    #[test]
    fn pairs_of_f32_are_as_exact_as_f64() {
        type Function = (fn(f32) -> f32, fn(f32) -> f32, fn(f64) -> f64, &'static str);
        let functions: [Function; 3] = [
            (log_f32, emulated::log_f32, log_f64, "log"),
            (log2_f32, emulated::log2_f32, log2_f64, "log2"),
            (rsqrt_f32, emulated::rsqrt_f32, rsqrt_f64, "rsqrt"),
        ];
        // All sizes; and those next to one, where logarithms vanish.
        let next_to_one = (0x3f40_0000..0x3fc0_0000u32).step_by(101);
        for bits in (1..0x7f80_0000u32).step_by(20_011).chain(next_to_one) {
            let x = f32::from_bits(bits);
            for (ours, emulated, exact, name) in functions {
                let (found, exact) = (ours(x), exact(x.into()));
                let unit = f64::from_bits(exact.abs().to_bits() >> 52 << 52) * 2f64.powi(-23);
                assert!((f64::from(found) - exact).abs() <= 0.501 * unit, "{name}({x:e}) is {found:e}, not {exact:e}");
                assert_eq!(emulated(x).to_bits(), found.to_bits(), "{name}({x:e})");
            }
        }
    }

    /// Near and far angles of both signs, next to multiples of right angles, and the one that is next to one of all `f32`.
    #[test]
    fn sines_of_f32_are_within_seven_tenths_of_a_unit() {
        type Function = (fn(f32) -> f32, fn(f32) -> f32, fn(f32) -> f32, fn(f64) -> f64, &'static str);
        let functions: [Function; 2] =
            [(sin_f32, emulated::sin_f32, sin_near_f32, sin_f64, "sin"), (cos_f32, emulated::cos_f32, cos_near_f32, cos_f64, "cos")];
        let multiples = (1..100_000).step_by(3).map(|n| (f64::from(n) * std::f64::consts::FRAC_PI_2) as f32);
        let multiples = multiples.flat_map(|x| [-1i32, 0, 1].map(|step| x.to_bits().wrapping_add_signed(step)));
        let hard = (16_367_173.0 * 2f32.powi(72)).to_bits();
        for bits in (0..0x7f80_0000u32).step_by(20_011).chain(0x47ff_ff00..0x4800_0100).chain(multiples).chain([hard]) {
            for x in [f32::from_bits(bits), -f32::from_bits(bits)] {
                for (ours, emulated, near, exact, name) in functions {
                    let (found, exact) = (ours(x), exact(x.into()));
                    let unit = f64::from_bits(exact.abs().to_bits() >> 52 << 52).max(f64::from(f32::MIN_POSITIVE)) * 2f64.powi(-23);
                    assert!((f64::from(found) - exact).abs() <= 0.7 * unit, "{name}({x:e}) is {found:e}, not {exact:e}");
                    assert_eq!(emulated(x).to_bits(), found.to_bits(), "{name}({x:e})");
                    if is_near_f32(x) {
                        assert_eq!(near(x).to_bits(), found.to_bits(), "{name}({x:e})");
                    }
                }
            }
        }
    }

    #[test]
    fn special_cases() {
        assert_eq!([exp_f32(200.0), exp_f32(-200.0), exp_f32(-INF)], [INF, 0.0, 0.0]);
        assert_eq!([log_f32(0.0), log_f32(-0.0), log_f32(1.0)], [-INF, -INF, 0.0]);
        assert!(log_f32(-1.0).is_nan() && log2_f32(-INF).is_nan() && log_f32(NAN).is_nan() && log2_f64(-1.0).is_nan());
        assert_eq!([log_f32(INF), log2_f32(INF), log2_f32(0.0)], [INF, INF, -INF]);
        assert!(sin_f32(INF).is_nan());
        assert_eq!([exp2_f32(-149.0), exp2_f32(10.0), log2_f32(8.0)], [f32::from_bits(1), 1024.0, 3.0]);
        assert_eq!([tanh_f32(INF), tanh_f32(-100.0), cosh_f32(-INF), log_f32(2.0)], [1.0, -1.0, INF, LN_2]);
        assert_eq!(sin_f32(-0.0).to_bits(), (-0.0f32).to_bits());
    }

    #[test]
    fn powers() {
        assert_eq!([pow_f32(NAN, 0.0), pow_f32(1.0, NAN), pow_f32(-2.0, 3.0)], [1.0, 1.0, -8.0]);
        assert!(pow_f32(-2.0, 0.5).is_nan());
        let signalling = f64::from_bits(0x7FF0_0000_0000_0001);
        assert_eq!([pow_f64(signalling, 0.0), pow_f64(1.0, signalling), powi_f64(signalling, 0)], [1.0; 3]);
        assert_eq!([pow_f32(0.0, -1.0), pow_f32(-0.0, -1.0), pow_f32(-1.0, INF)], [INF, -INF, 1.0]);
        assert_eq!([powi_f32(3.0, 5), powi_f32(2.0, -3), powi_f32(0.0, 0)], [243.0, 0.125, 1.0]);
        // The exponent is odd, which f32 could not tell.
        assert_eq!(powi_f32(-1.0, i32::MAX), -1.0);
        assert_eq!(powi_f64(-1.0, i32::MIN), 1.0);
    }

    #[test]
    fn atan2_numerator_first() {
        assert_eq!([atan2_f32(1.0, 0.0), atan2_f32(0.0, -1.0), atan2_f32(-0.0, -1.0)], [FRAC_PI_2, PI, -PI]);
        assert_eq!(atan2_f64(1.0, 0.0), std::f64::consts::FRAC_PI_2);
    }

    #[test]
    fn approximate_division_of_large_divisors() {
        let large = f32::MAX;
        assert_eq!(div_approx_f32(6.0, 3.0), 2.0);
        assert_eq!(div_approx_f32(1e38, large), 0.0);
        let border = f32::from_bits((126 + 127) << 23);
        assert_eq!([div_approx_f32(border, border), div_approx_f32(border, border.next_up())], [1.0, 0.0]);
        assert_eq!(div_approx_f32(1.0, -large).to_bits(), (-0.0f32).to_bits());
        assert!(div_approx_f32(INF, large).is_nan());
        assert_eq!(div_approx_f32(1.0, 0.0), INF);
        assert!((div_full_f32(1e38, large) - 0.293_873_6).abs() < 1e-6);
    }
}
