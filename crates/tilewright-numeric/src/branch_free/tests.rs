//! Each function beside its counterpart, on edges of the formats, numbers near each other, and random ones.

use super::*;
use crate::{FloatFormat, arith, convert, float, from_i64, from_u64};

const DIRECTED: [Rounding; 3] = [Rounding::Zero, Rounding::NegativeInf, Rounding::PositiveInf];

fn direction(rounding: Rounding) -> Direction {
    Direction::of(rounding).expect("it has a direction")
}

/// Pseudo-random numbers.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 ^ self.0 >> 29
    }

    /// A number of `f64`: an edge, one with few bits, or one of any or of moderate exponent.
    fn f64(&mut self) -> f64 {
        const EDGES: [f64; 10] = [
            0.0,
            5e-324,
            2.225_073_858_507_201e-308,
            f64::MIN_POSITIVE,
            1.0,
            1.0 + f64::EPSILON,
            4.5e15,
            f64::MAX,
            f64::INFINITY,
            f64::NAN,
        ];
        let bits = self.next();
        let sign = self.next() & 1 << 63;
        f64::from_bits(match self.next() >> 61 {
            0 => EDGES[(bits % 10) as usize].to_bits() | sign,
            1 => (bits & 0xfff0_0000_0000_0000) | sign,
            2 | 3 => bits,
            4 => (bits & 0x000f_ffff_ffff_ffff) | 0x3fe0 << 48 | sign,
            _ => (bits & 0x003f_ffff_ffff_ffff) | 0x3fc0 << 48 | sign,
        })
    }

    /// The same of `f32`.
    fn f32(&mut self) -> f32 {
        let bits = self.next() as u32;
        let sign = (self.next() >> 32) as u32 & 1 << 31;
        f32::from_bits(match self.next() >> 61 {
            0 => {
                [0, 1, 0x7f_ffff, 0x80_0000, 0x3f80_0000, 0x3f80_0001, 0x7f7f_ffff, 0x7f80_0000, 0x7fc0_0000, 0x4b80_0000]
                    [(bits % 10) as usize]
                    | sign
            }
            1 => bits & 0xffff_0000,
            2 | 3 => bits,
            4 => bits & 0x7f_ffff | 0x3f00_0000 | sign,
            _ => bits & 0x1ff_ffff | 0x3e00_0000 | sign,
        })
    }
}

const TIMES: usize = 200_000;

#[track_caller]
fn same_f64(found: f64, expected: f64, what: &dyn std::fmt::Debug) {
    assert!(found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan(), "{what:?}: {found:e}, not {expected:e}");
}

#[test]
fn arithmetic_of_f64() {
    let mut random = Random(1);
    let mut taken = [0; 6];
    for _ in 0..TIMES {
        let (a, b) = (random.f64(), random.f64());
        // Sums that cancel, and products beside the third number, are the hard cases.
        let near = f64::from_bits((-a * b).to_bits().wrapping_add(random.next() % 5).wrapping_sub(2));
        let c = if random.next() >> 63 == 0 { near } else { random.f64() };
        let b_near = f64::from_bits((-a).to_bits().wrapping_add(random.next() % 3));
        for mode in DIRECTED {
            let (d, what) = (direction(mode), (a, b, c, mode));
            for b in [b, b_near] {
                if takes_add_f64(a, b) {
                    taken[0] += 1;
                    same_f64(add_f64(a, b, d), arith::add_f64(a, b, mode), &("add", a, b, mode));
                }
            }
            if takes_mul_f64(a, b) {
                taken[1] += 1;
                same_f64(mul_f64(a, b, d), arith::mul_f64(a, b, mode), &("mul", what));
            }
            if takes_div_f64(a, b) {
                taken[2] += 1;
                same_f64(div_f64(a, b, d), arith::div_f64(a, b, mode), &("div", what));
            }
            if takes_sqrt_f64(a) {
                taken[3] += 1;
                same_f64(sqrt_f64(a, d), arith::sqrt_f64(a, mode), &("sqrt", what));
            }
            if takes_fma_f64(a, b, c) {
                taken[4] += 1;
                same_f64(fma_f64(a, b, c, d), arith::fma_f64(a, b, c, mode), &("fma", what));
            }
        }
        if takes_rem_f64(a, b) {
            taken[5] += 1;
            same_f64(rem_f64(a, b), float::rem_f64(a, b), &("rem", a, b));
        }
    }
    assert!(taken.iter().all(|taken| *taken > TIMES / 3), "{taken:?}");
}

#[test]
fn rounding_to_f32() {
    let mut random = Random(2);
    for _ in 0..TIMES {
        let a = random.f32();
        // Exact numbers, and what is near them or near the middle of two.
        let near = f64::from_bits(f64::from(a).to_bits() ^ [0, 1, 1 << 28, (1 << 28) - 1, (1 << 28) + 1][(random.next() % 5) as usize]);
        for x in [f64::from(a), near, random.f64()] {
            for mode in DIRECTED {
                let expected = FloatFormat::F32.encode(x, mode) as u32;
                let found = f64_to_f32(x, direction(mode));
                assert!(found.to_bits() == expected || x.is_nan() && found.is_nan(), "{x:e} {mode:?}");
                if x.is_nan() {
                    continue;
                }
                let odd = f64_to_f32_odd(x);
                for format in [FloatFormat::F16, FloatFormat::Bf16, FloatFormat::Tf32] {
                    assert_eq!(format.encode(odd.into(), mode), format.encode(x, mode), "{x:e} {mode:?} {format}");
                }
            }
        }
        for shift in [0, 9, 20, 33, 41] {
            let n = (random.next() as i64) >> shift;
            let (signed, unsigned) = (i64_to_f32_odd(n).into(), u64_to_f32_odd(n as u64).into());
            for format in [FloatFormat::F16, FloatFormat::Bf16, FloatFormat::Tf32, FloatFormat::F8E8M0FNU] {
                assert_eq!(format.encode(signed, Rounding::NearestEven), from_i64(format, n, Rounding::NearestEven), "{n} {format}");
                let expected = from_u64(format, n as u64, Rounding::NearestEven);
                assert_eq!(format.encode(unsigned, Rounding::NearestEven), expected, "{n:#x} {format}");
            }
        }
    }
}

/// What is near the middle of two numbers of 16 bits, and beside it, and any number.
fn rounded_numbers() -> impl Iterator<Item = f32> {
    let beside = |bits: u32| [bits, bits.wrapping_sub(1), bits.wrapping_add(1)];
    let bf16 = (0..=u16::MAX).flat_map(move |half| [0, 0x8000].into_iter().flat_map(move |low| beside(u32::from(half) << 16 | low)));
    let f16 = (0..=u16::MAX).flat_map(move |half| {
        let bits = crate::bulk::f16_to_f32(half).to_bits();
        [0, 0x1000].into_iter().flat_map(move |low| beside(bits.wrapping_add(low)))
    });
    let tiny = (0..1 << 12).map(|i| 0x3300_0000 + (i << 11));
    let mut random = Random(3);
    bf16.chain(f16).chain(tiny).map(f32::from_bits).chain((0..TIMES).map(move |_| random.f32()))
}

#[test]
fn rounding_of_f32() {
    for x in rounded_numbers() {
        let bits = u64::from(x.to_bits());
        let expected = |format, mode| convert(FloatFormat::F32, bits, format, mode);
        for mode in DIRECTED {
            let d = direction(mode);
            assert_eq!(u64::from(f32_to_f16(x, d)), expected(FloatFormat::F16, mode), "{x:e} {mode:?}");
            assert_eq!(u64::from(f32_to_bf16(x, d)), expected(FloatFormat::Bf16, mode), "{x:e} {mode:?}");
        }
        assert_eq!(u64::from(f32_to_tf32(x)), expected(FloatFormat::Tf32, Rounding::NearestEven), "{x:e}");
        assert_eq!(u64::from(f32_to_tf32_away(x)), expected(FloatFormat::Tf32, Rounding::NearestAway), "{x:e}");
        assert_eq!(u64::from(f32_to_tf32_zero(x)), expected(FloatFormat::Tf32, Rounding::Zero), "{x:e}");
        assert_eq!(u64::from(f32_to_e8m0(x)), expected(FloatFormat::F8E8M0FNU, Rounding::NearestEven), "{x:e}");
        assert_eq!(u64::from(f32_to_e8m0_zero(x)), expected(FloatFormat::F8E8M0FNU, Rounding::Zero), "{x:e}");
        assert_eq!(u64::from(f32_to_e8m0_up(x)), expected(FloatFormat::F8E8M0FNU, Rounding::PositiveInf), "{x:e}");
        assert_eq!(u64::from(crate::bulk::f32_to_fnv8(x)), expected(FloatFormat::Fnv8E5M3FNU, Rounding::NearestEven), "{x:e}");
    }
}

/// Multiplies and adds numbers of 16 bits, the third one often beside the product.
fn compare_fma(format: FloatFormat, widen: fn(u16) -> f32, narrow: fn(f32) -> u16, odd: fn(f32, f32, f32) -> f32, [a, b, c]: [u16; 3]) {
    let found = narrow(odd(widen(a), widen(b), widen(c)));
    let expected = arith::fma(format, a.into(), b.into(), c.into(), Rounding::NearestEven);
    assert_eq!(u64::from(found), expected, "{format} {a:#x} {b:#x} {c:#x}");
}

#[test]
fn products_and_sums_of_16_bits_are_rounded_once() {
    use crate::bulk::{bf16_to_f32, f16_to_f32, f32_to_bf16, f32_to_f16};
    // The ends of each range of numbers, and what has all or single bits set.
    let f16: Vec<u16> = [0, 1, 2, 0x3ff, 0x400, 0x401, 0x3bff, 0x3c00, 0x3c01, 0x4200, 0x67ff, 0x7bff, 0x7c00, 0x7e00].into();
    let bf16: Vec<u16> = [0, 1, 2, 0x7f, 0x80, 0x81, 0x3f7f, 0x3f80, 0x3f81, 0x4040, 0x5f7f, 0x7f7f, 0x7f80, 0x7fc0].into();
    let signed = |edges: &[u16]| -> Vec<u16> { edges.iter().flat_map(|e| [*e, e | 0x8000]).collect() };
    let (f16, bf16) = (signed(&f16), signed(&bf16));
    let mut random = Random(4);
    let halves =
        |format, edges: &[u16], widen: fn(u16) -> f32, narrow: fn(f32) -> u16, odd: fn(f32, f32, f32) -> f32, random: &mut Random| {
            for a in edges {
                for b in edges {
                    for c in edges {
                        compare_fma(format, widen, narrow, odd, [*a, *b, *c]);
                    }
                }
            }
            for _ in 0..4 * TIMES {
                let [a, b, c, beside] = [0, 16, 32, 48].map(|shift| (random.next() >> shift) as u16);
                compare_fma(format, widen, narrow, odd, [a, b, c]);
                // The third number just beside the product, or about as far from it as its last bit.
                let product = arith::mul(format, a.into(), b.into(), Rounding::NearestEven) as u16;
                compare_fma(format, widen, narrow, odd, [a, b, product.wrapping_add(beside % 5).wrapping_sub(2) ^ beside & 0x8000]);
            }
        };
    halves(FloatFormat::F16, &f16, f16_to_f32, f32_to_f16, fma_f16_odd, &mut random);
    halves(FloatFormat::F16, &f16, f16_to_f32, f32_to_f16, fma_f32_odd, &mut random);
    halves(FloatFormat::Bf16, &bf16, bf16_to_f32, f32_to_bf16, fma_f32_odd, &mut random);
}

#[test]
fn sums_of_f32_in_a_direction() {
    let mut random = Random(5);
    for _ in 0..TIMES {
        let (a, b, c) = (random.f32(), random.f32(), random.f32());
        for mode in DIRECTED {
            let d = direction(mode);
            let found = f64_to_f32(add_odd(f64::from(a) * f64::from(b), c.into(), Some(d)), d);
            let expected = arith::fma_f32(a, b, c, mode);
            assert!(found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan(), "{a:e} * {b:e} + {c:e} {mode:?}");
        }
        let (found, expected) = (rem_f32(a, b), float::rem_f32(a, b));
        assert!(!takes_rem_f32(a, b) || found.to_bits() == expected.to_bits(), "{a:e} % {b:e}: {found:e}, not {expected:e}");
    }
}
