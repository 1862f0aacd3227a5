//! The `f64`-to-odd path against the 128-bit one, both against hardware, and directed modes by their properties.

use super::*;
use crate::format::FloatFormat::{Bf16, F8E4M3FN, F16, F32, F64};
use proptest::prelude::*;

const MODES: [Rounding; 5] = Rounding::ALL;

/// A small generator, so that runs repeat exactly.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Bits of `format` that meet its corners often: specials, few significant bits, neighbouring exponents.
    fn bits(&mut self, format: FloatFormat) -> u64 {
        let mantissa = format.mantissa_bits();
        let width = format.storage_bits();
        let raw = self.next() & (u64::MAX >> (64 - width));
        let fraction = (1u64 << mantissa) - 1;
        match self.next() % 8 {
            0 => SPECIALS.map(|v| format.encode(v, Rounding::Zero))[(raw % 10) as usize],
            1 => (raw & format.sign_mask()) | (self.next() % 8),
            2 => raw & !(fraction >> 3),
            3 => raw | (fraction >> 2),
            4 | 5 => (raw & (format.sign_mask() | fraction)) | near_one(format, self.next()),
            _ => raw,
        }
    }
}

const SPECIALS: [f64; 10] = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1.0, -1.0, f64::MAX, -f64::MAX, 2.0];

/// An exponent field within two precisions of the one of 1.0.
fn near_one(format: FloatFormat, random: u64) -> u64 {
    let span = u64::from(2 * format.precision()).min(format.bias() as u64 - 1);
    (format.bias() as u64 - span + random % (2 * span + 1)) << format.mantissa_bits()
}

/// Every operation of the fast path against the exact core.
fn check_against_exact(format: FloatFormat, a: u64, b: u64, c: u64) {
    let (x, y, z) = (format.decode(a), format.decode(b), format.decode(c));
    for r in MODES {
        let context = || format!("{format} {x:e} {y:e} {z:e} {r:?}");
        assert_eq!(add(format, a, b, r), exact::add(format, x, y, r), "add {}", context());
        assert_eq!(sub(format, a, b, r), exact::add(format, x, -y, r), "sub {}", context());
        assert_eq!(mul(format, a, b, r), exact::mul(format, x, y, r), "mul {}", context());
        assert_eq!(div(format, a, b, r), exact::div(format, x, y, r), "div {}", context());
        assert_eq!(fma(format, a, b, c, r), exact::fma(format, x, y, z, r), "fma {}", context());
        assert_eq!(sqrt(format, a, r), exact::sqrt(format, x, r), "sqrt {}", context());
    }
}

#[test]
fn fast_path_equals_exact_core() {
    let mut random = Random(1);
    for format in [F16, Bf16, F32, F64] {
        for _ in 0..30_000 {
            let (a, b, c) = (random.bits(format), random.bits(format), random.bits(format));
            check_against_exact(format, a, b, c);
        }
    }
}

/// All pairs of an 8-bit format, with its unusual overflow.
#[test]
fn e4m3_exhaustive() {
    for a in 0..256 {
        for b in 0..256 {
            check_against_exact(F8E4M3FN, a, b, a ^ b);
        }
    }
}

/// The typed `f32` and `f64` functions, and hardware, against the exact core.
#[test]
fn typed_functions_and_hardware() {
    let mut random = Random(2);
    for _ in 0..60_000 {
        let [a, b, c] = [0; 3].map(|_| random.bits(F32));
        typed_f32(f32::from_bits(a as u32), f32::from_bits(b as u32), f32::from_bits(c as u32));
        let [a, b, c] = [0; 3].map(|_| random.bits(F64));
        hardware_f64(f64::from_bits(a), f64::from_bits(b), f64::from_bits(c));
    }
}

fn typed_f32(a: f32, b: f32, c: f32) {
    let bits = |x: f32| u64::from(x.to_bits());
    for r in MODES {
        assert_eq!(bits(add_f32(a, b, r)), add(F32, bits(a), bits(b), r));
        assert_eq!(bits(sub_f32(a, b, r)), sub(F32, bits(a), bits(b), r));
        assert_eq!(bits(mul_f32(a, b, r)), mul(F32, bits(a), bits(b), r));
        assert_eq!(bits(div_f32(a, b, r)), div(F32, bits(a), bits(b), r));
        assert_eq!(bits(fma_f32(a, b, c, r)), fma(F32, bits(a), bits(b), bits(c), r));
        assert_eq!(bits(sqrt_f32(a, r)), sqrt(F32, bits(a), r));
    }
    let fused = canonical_f32(a.mul_add(b, c));
    assert_eq!(fma_f32(a, b, c, Rounding::NearestEven).to_bits(), fused.to_bits(), "{a:e} {b:e} {c:e}");
}

fn hardware_f64(a: f64, b: f64, c: f64) {
    let r = Rounding::NearestEven;
    let same = |exact: u64, hardware: f64, what: &str| {
        assert_eq!(exact, canonical_f64(hardware).to_bits(), "{what} {a:e} {b:e} {c:e}");
    };
    same(exact::add(F64, a, b, r), a + b, "add");
    same(exact::mul(F64, a, b, r), a * b, "mul");
    same(exact::div(F64, a, b, r), a / b, "div");
    same(exact::fma(F64, a, b, c, r), a.mul_add(b, c), "fma");
    same(exact::sqrt(F64, a, r), a.sqrt(), "sqrt");
}

/// Of one operation: RM and RP are equal or neighbours, and the other modes are one of the two.
fn check_modes(op: impl Fn(Rounding) -> f64, exact: bool) -> Result<(), TestCaseError> {
    let [nearest, zero, down, up, away] = MODES.map(&op);
    if nearest.is_nan() {
        prop_assert!(MODES.iter().all(|&r| op(r).is_nan()));
        return Ok(());
    }
    prop_assert_eq!(down == up, exact, "RM {:e} RP {:e}", down, up);
    prop_assert!(exact || up == down.next_up() || (down == 0.0 && up == f64::from_bits(1)));
    prop_assert_eq!(zero, if up <= 0.0 { up } else { down });
    prop_assert!([down, up].contains(&nearest) && [down, up].contains(&away));
    Ok(())
}

/// Operands whose results and rounding errors stay in the normal range, so that the errors below are exact.
fn moderate() -> impl Strategy<Value = f64> {
    (any::<bool>(), 823u64..1223, any::<u64>(), 0u32..52).prop_map(|(sign, exponent, mantissa, zeros)| {
        let fraction = (mantissa & ((1 << 52) - 1)) >> zeros << zeros;
        f64::from_bits((u64::from(sign) << 63) | (exponent << 52) | fraction)
    })
}

proptest! {
    #[test]
    fn directed_f64(a in moderate(), b in moderate()) {
        let sum = a + b;
        let part = sum - a;
        let sum_is_exact = (a - (sum - part)) + (b - part) == 0.0;
        check_modes(|r| add_f64(a, b, r), sum_is_exact)?;
        let product = a * b;
        check_modes(|r| mul_f64(a, b, r), a.mul_add(b, -product) == 0.0)?;
        check_modes(|r| fma_f64(a, b, -product, r), true)?;
        let quotient = a / b;
        check_modes(|r| div_f64(a, b, r), (-quotient).mul_add(b, a) == 0.0)?;
        let root = a.abs().sqrt();
        check_modes(|r| sqrt_f64(a.abs(), r), (-root).mul_add(root, a.abs()) == 0.0)?;
    }

    /// The residual of a directed quotient or root has the sign its mode promises.
    #[test]
    fn directed_bounds(a in moderate(), b in moderate()) {
        let down = div_f64(a, b, Rounding::NegativeInf);
        let up = div_f64(a, b, Rounding::PositiveInf);
        prop_assert!((-down).mul_add(b, a) * b.signum() >= 0.0);
        prop_assert!((-up).mul_add(b, a) * b.signum() <= 0.0);
        let x = a.abs();
        prop_assert!((-sqrt_f64(x, Rounding::NegativeInf)).mul_add(sqrt_f64(x, Rounding::NegativeInf), x) >= 0.0);
        prop_assert!((-sqrt_f64(x, Rounding::PositiveInf)).mul_add(sqrt_f64(x, Rounding::PositiveInf), x) <= 0.0);
    }

    /// Where `f64` holds the exact `f32` product, the directed products bracket it.
    #[test]
    fn directed_f32_products(a in any::<f32>(), b in any::<f32>()) {
        let product = f64::from(a) * f64::from(b);
        let (down, up) = (mul_f32(a, b, Rounding::NegativeInf), mul_f32(a, b, Rounding::PositiveInf));
        prop_assert!(f64::from(down) <= product && product <= f64::from(up));
        prop_assert!(up == down || up == down.next_up() || (down == 0.0 && up == f32::from_bits(1)));
        prop_assert_eq!(up == down, f64::from(up) == product);
    }
}

#[test]
fn signed_zeros() {
    for r in MODES {
        let cancelled = if r == Rounding::NegativeInf { -0.0f32 } else { 0.0 };
        let same = |got: f32, want: f32| assert_eq!(got.to_bits(), want.to_bits(), "{r:?}");
        same(sub_f32(1.5, 1.5, r), cancelled);
        same(add_f32(0.0, -0.0, r), cancelled);
        same(add_f32(-0.0, -0.0, r), -0.0);
        same(sub_f32(-0.0, 0.0, r), -0.0);
        same(fma_f32(1.0, 2.0, -2.0, r), cancelled);
        same(fma_f32(-0.0, 1.0, -0.0, r), -0.0);
        same(mul_f32(-0.0, 3.0, r), -0.0);
        same(sqrt_f32(-0.0, r), -0.0);
        assert_eq!(sub_f64(1.5, 1.5, r).to_bits(), f64::from(cancelled).to_bits());
        assert_eq!(sub_f16(0x3C00, 0x3C00, r), if r == Rounding::NegativeInf { 0x8000 } else { 0 });
    }
}

#[test]
fn overflow_and_underflow() {
    let (max, inf, tiny) = (f32::MAX, f32::INFINITY, f32::from_bits(1));
    assert_eq!(MODES.map(|r| mul_f32(max, 2.0, r)), [inf, max, max, inf, inf]);
    assert_eq!(MODES.map(|r| mul_f32(-max, 2.0, r)), [-inf, -max, -inf, -max, -inf]);
    assert_eq!(MODES.map(|r| mul_f32(tiny, 0.5, r)), [0.0, 0.0, 0.0, tiny, tiny]);
    assert_eq!(MODES.map(|r| mul_f32(-tiny, 0.5, r)), [0.0, 0.0, -tiny, 0.0, -tiny]);
    let (max, inf, tiny) = (f64::MAX, f64::INFINITY, f64::from_bits(1));
    assert_eq!(MODES.map(|r| add_f64(max, max, r)), [inf, max, max, inf, inf]);
    assert_eq!(MODES.map(|r| div_f64(-tiny, 2.0, r)), [0.0, 0.0, -tiny, 0.0, -tiny]);
    assert_eq!(MODES.map(|r| fma_f64(tiny, tiny, 1.0, r)), [1.0, 1.0, 1.0, 1.0f64.next_up(), 1.0]);
    assert_eq!(MODES.map(|r| fma_f64(tiny, -tiny, 1.0, r)), [1.0, 1.0f64.next_down(), 1.0f64.next_down(), 1.0, 1.0]);
    assert_eq!(MODES.map(|r| add_f16(0x7BFF, 0x7BFF, r)), [0x7C00, 0x7BFF, 0x7BFF, 0x7C00, 0x7C00]);
    assert_eq!(MODES.map(|r| add_bf16(0xFF7F, 0xFF7F, r)), [0xFF80, 0xFF7F, 0xFF80, 0xFF7F, 0xFF80]);
}

#[test]
fn invalid_operations_give_the_canonical_nan() {
    let inf = f32::INFINITY;
    for r in MODES {
        let results = [sub_f32(inf, inf, r), mul_f32(0.0, inf, r), div_f32(0.0, -0.0, r), sqrt_f32(-1.0, r)];
        assert!(results.iter().all(|x| x.to_bits() == 0x7FC0_0000));
        assert!(fma_f64(0.0, f64::INFINITY, 1.0, r).is_nan() && sqrt_f64(-1.0, r).is_nan());
        assert_eq!(div_f16(0, 0, r), 0x7FFF);
        assert_eq!(div_f32(1.0, -0.0, r), -inf);
        assert_eq!(div_f64(-1.0, 0.0, r), f64::NEG_INFINITY);
    }
}

/// Every f16 as first operand, beside random others.
#[test]
fn f16_all_first_operands() {
    let mut random = Random(3);
    for a in 0..=u16::MAX {
        let (b, c) = (random.bits(F16), random.bits(F16));
        check_against_exact(F16, a.into(), b, c);
    }
}
