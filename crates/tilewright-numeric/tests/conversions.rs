//! Bulk conversions against scalar ones, integer conversions, `tf32` forms, exact float operations, and the vectors of
//! the semantics notes.

use proptest::prelude::*;
use tilewright_numeric::FloatFormat::*;
use tilewright_numeric::convert::{fits_int, tf32_from_19, tf32_mask, tf32_to_19};
use tilewright_numeric::{FloatFormat, FloatOrdering, Predicate, Rounding, bulk, convert, float, from_i64, from_u64, to_int};

const RN: Rounding = Rounding::NearestEven;

fn to_f32(format: FloatFormat, bits: u64) -> u32 {
    convert(format, bits, F32, RN) as u32
}

#[test]
fn widening_is_bit_exact() {
    for bits in 0..=u16::MAX {
        assert_eq!(bulk::f16_to_f32(bits).to_bits(), to_f32(F16, bits.into()), "f16 {bits:#x}");
        assert_eq!(bulk::bf16_to_f32(bits).to_bits(), to_f32(Bf16, bits.into()), "bf16 {bits:#x}");
    }
    for bits in 0..=u8::MAX {
        let wide = u64::from(bits);
        assert_eq!(bulk::e4m3_to_f32(bits).to_bits(), to_f32(F8E4M3FN, wide));
        assert_eq!(bulk::e5m2_to_f32(bits).to_bits(), to_f32(F8E5M2, wide));
        assert_eq!(bulk::e8m0_to_f32(bits).to_bits(), to_f32(F8E8M0FNU, wide));
        assert_eq!(bulk::fnv8_to_f32(bits).to_bits(), to_f32(Fnv8E5M3FNU, wide));
        assert_eq!(bulk::f4_to_f32(bits).to_bits(), to_f32(F4E2M1FN, wide));
    }
}

fn check_narrowing(value: f32) {
    let scalar = |format| convert(F32, value.to_bits().into(), format, RN);
    let context = || format!("{value:e} {:#x}", value.to_bits());
    assert_eq!(u64::from(bulk::f32_to_f16(value)), scalar(F16), "f16 {}", context());
    assert_eq!(u64::from(bulk::f32_to_bf16(value)), scalar(Bf16), "bf16 {}", context());
    assert_eq!(u64::from(bulk::f32_to_e4m3(value)), scalar(F8E4M3FN), "e4m3 {}", context());
    assert_eq!(u64::from(bulk::f32_to_e5m2(value)), scalar(F8E5M2), "e5m2 {}", context());
    assert_eq!(u64::from(bulk::f32_to_f4(value)), scalar(F4E2M1FN), "f4 {}", context());
}

/// Beside every value and midpoint of the narrow formats, and across all of `f32` in strides.
#[test]
fn narrowing_is_bit_exact() {
    for format in [F16, Bf16, F8E4M3FN, F8E5M2, F4E2M1FN] {
        for bits in 0..=format.max_finite_bits() {
            let (low, high) = (format.decode(bits), format.decode(bits + 1));
            let middle = if high.is_finite() { (low + high) / 2.0 } else { low * 1.0625 };
            for value in [low as f32, middle as f32] {
                for near in [value, value.next_up(), value.next_down()] {
                    check_narrowing(near);
                    check_narrowing(-near);
                }
            }
        }
    }
    (0..=u32::MAX).step_by(8_191).map(f32::from_bits).for_each(check_narrowing);
}

#[test]
fn slices_match_elements() {
    let values: Vec<f32> = (0..1000u32).map(|i| f32::from_bits(i.wrapping_mul(0x0041_C64E))).collect();
    let mut halves = vec![0; 1000];
    bulk::f32_to_f16_slice(&values, &mut halves);
    assert!(values.iter().zip(&halves).all(|(&v, &h)| bulk::f32_to_f16(v) == h));
    let mut back = vec![0.0; 1000];
    bulk::f16_to_f32_slice(&halves, &mut back);
    assert!(back.iter().zip(&halves).all(|(v, &h)| v.to_bits() == bulk::f16_to_f32(h).to_bits()));
    let mut bytes = vec![0; 1000];
    bulk::f32_to_e4m3_slice(&values, &mut bytes);
    assert!(values.iter().zip(&bytes).all(|(&v, &b)| bulk::f32_to_e4m3(v) == b));
}

#[test]
#[should_panic(expected = "lengths differ")]
fn slices_of_different_lengths_are_refused() {
    bulk::bf16_to_f32_slice(&[0; 3], &mut [0.0; 2]);
}

#[test]
fn nibbles() {
    let mut codes = [0; 4];
    bulk::split_nibbles(&[0x21, 0xF4], &mut codes);
    assert_eq!(codes, [1, 2, 4, 15]);
    let mut bytes = [0; 2];
    bulk::join_nibbles(&codes, &mut bytes);
    assert_eq!(bytes, [0x21, 0xF4]);
}

/// A conversion between small formats goes through the exact value.
#[test]
fn every_pair_of_formats() {
    for source in FloatFormat::ALL.into_iter().filter(|f| f.storage_bits() <= 16) {
        for target in FloatFormat::ALL {
            for bits in (0..1u64 << source.storage_bits()).step_by(7) {
                let (got, value) = (convert(source, bits, target, RN), source.decode(bits));
                let widened = target.decode(got);
                let exact = target.precision() >= source.precision()
                    && value.abs() <= target.max_finite()
                    && value.abs() >= target.min_normal()
                    && (target.has_sign() || value > 0.0);
                assert!(!exact || widened == value, "{source} {bits:#x} to {target}");
                assert!(!value.is_nan() || widened.is_nan() || target == F4E2M1FN);
            }
        }
    }
}

#[test]
fn bit_copies_keep_nan_payloads() {
    assert_eq!(convert(Bf16, 0xFF81, F32, RN), 0xFF81_0000);
    assert_eq!(convert(Tf32, 0x7F80_0001, F32, RN), 0x7F80_0001);
    assert_eq!(convert(F16, 0xFC01, F16, RN), 0xFC01);
    assert_eq!(convert(F32, 0xFFC0_1234, F16, RN), 0x7FFF);
    assert_eq!(convert(F64, 0xFFF0_0000_0000_0001, F32, RN), 0x7FC0_0000);
}

#[test]
fn tf32_forms() {
    assert_eq!(tf32_from_19(0x1_FC00), 0x3F80_0000);
    assert_eq!(tf32_to_19(0x3F80_0000), 0x1_FC00);
    assert_eq!(tf32_from_19(0xFFF9_FC00), 0x3F80_0000, "bits above 19 are ignored");
    assert_eq!(tf32_to_19(0x7F80_0001), 0x3_FE00, "a NaN with only low payload bits stays one");
    assert_eq!(tf32_mask(0x3F80_1FFF), 0x3F80_0000);
    for bits in 0..1 << 19 {
        assert_eq!(tf32_to_19(tf32_from_19(bits)), bits);
    }
    let third = f64::from(1.0f32 / 3.0);
    let modes = [Rounding::NearestEven, Rounding::Zero, Rounding::NearestAway];
    assert_eq!(modes.map(|r| Tf32.encode(third, r)), [0x3EAA_A000, 0x3EAA_A000, 0x3EAA_A000]);
    let tie = f64::from(f32::from_bits(0x3F80_1000));
    assert_eq!(modes.map(|r| Tf32.encode(tie, r)), [0x3F80_0000, 0x3F80_0000, 0x3F80_2000]);
}

#[test]
fn integers_to_floats() {
    assert_eq!(from_i64(F32, -1, RN), 0xBF80_0000);
    assert_eq!(from_u64(F32, (1 << 24) + 1, RN), 0x4B80_0000);
    assert_eq!(from_u64(F32, (1 << 24) + 1, Rounding::PositiveInf), 0x4B80_0001);
    assert_eq!(from_u64(F64, u64::MAX, Rounding::Zero), 0x43EF_FFFF_FFFF_FFFF);
    assert_eq!(from_i64(F16, 65_519, RN), 0x7BFF);
    assert_eq!(from_i64(F16, -65_520, RN), 0xFC00);
    assert_eq!(from_i64(F8E4M3FN, -1000, RN), 0xFE);
    assert_eq!(from_u64(F8E5M2, u64::MAX, RN), 0x7B);
    assert_eq!(from_i64(F8E4M3FN, 0, RN), 0);
    assert_eq!(from_u64(F8E8M0FNU, 3, Rounding::Zero), 0x80);
    assert_eq!(from_i64(Fnv8E5M3FNU, -3, RN), 0);
    // Rounding first to f64 and then to f32 would tie to even and lose the last bit.
    assert_eq!(from_u64(F32, (1 << 60) + (1 << 36) + 1, RN), 0x5D80_0001);
}

#[test]
fn the_last_bit_of_a_double_decides_a_tie() {
    // Above the middle of two numbers of bf16 in its low 32 bits only.
    assert_eq!(Bf16.encode(1.2820692697733358e-17, RN), 9069);
}

#[test]
fn floats_to_integers() {
    assert_eq!(to_int(-1.9, 32, true), 0xFFFF_FFFF);
    assert_eq!([to_int(300.0, 8, true), to_int(-300.0, 8, true), to_int(300.0, 8, false)], [127, 0x80, 255]);
    assert_eq!([to_int(f64::NAN, 64, true), to_int(f64::NAN, 8, false), to_int(-5.0, 16, false)], [0, 0, 0]);
    assert_eq!([to_int(f64::INFINITY, 64, true), to_int(f64::INFINITY, 64, false)], [i64::MAX as u64, u64::MAX]);
    for value in [-3.0, -0.25, 5e-324, 1.0, 2.0, f64::INFINITY, f64::NAN] {
        assert_eq!([to_int(value, 1, true), to_int(value, 1, false)], [1, 1], "{value}");
    }
    assert_eq!([to_int(0.0, 1, true), to_int(-0.0, 1, false)], [0, 0]);
    assert!(fits_int(-128.9, 8, true) && !fits_int(-129.0, 8, true) && !fits_int(128.0, 8, true));
    assert!(fits_int(-0.9, 8, false) && !fits_int(-1.0, 8, false) && fits_int(255.9, 8, false));
    assert!(!fits_int(f64::NAN, 32, true) && !fits_int(f64::INFINITY, 64, false));
    assert!(!fits_int(2f64.powi(63), 64, true) && fits_int(-(2f64.powi(63)), 64, true));
}

#[test]
fn maximum_and_minimum() {
    let nan = f32::NAN;
    assert_eq!([float::maximum_f32(nan, 1.0, false), float::minimum_f32(1.0, nan, false)], [1.0, 1.0]);
    assert!(float::maximum_f32(nan, 1.0, true).is_nan() && float::minimum_f32(nan, nan, false).is_nan());
    for (a, b) in [(0.0f32, -0.0f32), (-0.0, 0.0)] {
        assert!(float::maximum_f32(a, b, false).is_sign_positive());
        assert!(float::minimum_f32(a, b, false).is_sign_negative());
    }
    assert_eq!([float::maximum_f64(-3.0, 2.0, true), float::minimum_f64(-3.0, 2.0, true)], [2.0, -3.0]);
    assert_eq!(float::maximum(F16, 0x8000, 0x0000, false), 0);
    assert_eq!(float::minimum(Bf16, 0x7FC1, 0x3F80, true), 0x7FFF);
    assert_eq!(float::minimum(Bf16, 0x7FC1, 0x3F80, false), 0x3F80);
}

#[test]
fn remainder_ceil_floor_and_sign() {
    let inf = f32::INFINITY;
    assert_eq!([float::rem_f32(-5.0, 3.0), float::rem_f32(5.0, -3.0), float::rem_f32(2.0, inf)], [-2.0, 2.0, 2.0]);
    assert!(float::rem_f32(1.0, 0.0).is_nan() && float::rem_f32(inf, 2.0).is_nan());
    assert!(float::rem_f32(-4.0, 2.0).is_sign_negative());
    assert_eq!(float::ceil_f32(-0.5).to_bits(), (-0.0f32).to_bits());
    assert_eq!([float::floor_f32(-0.5), float::ceil_f32(1.2), float::floor_f32(1.8)], [-1.0, 2.0, 1.0]);
    assert_eq!([float::ceil(F16, 0xB800), float::floor(F16, 0xB800), float::rem(F16, 0xC500, 0x4200)], [0x8000, 0xBC00, 0xC000]);
    assert_eq!([float::abs(F32, 0xFFC0_0001), float::neg(F16, 0x7C01), float::neg(F8E4M3FN, 0)], [0x7FC0_0001, 0xFC01, 0x80]);
}

/// Exactness of `rem`, `ceil` and `floor` in f16: the result decodes to the f64 result for every dividend.
#[test]
fn f16_results_are_representable() {
    for a in 0..=u16::MAX {
        let (a, b) = (u64::from(a), u64::from(a.wrapping_mul(40_503)));
        let same = |bits: u64, want: f64| F16.decode(bits) == want || want.is_nan();
        assert!(same(float::rem(F16, a, b), F16.decode(a) % F16.decode(b)));
        assert!(same(float::ceil(F16, a), F16.decode(a).ceil()) && same(float::floor(F16, a), F16.decode(a).floor()));
    }
}

#[test]
fn comparison() {
    for p in Predicate::ALL {
        for (a, b) in [(f32::NAN, 1.0), (1.0, f32::NAN), (f32::NAN, f32::NAN)] {
            assert!(!float::compare(p, FloatOrdering::Ordered, a, b));
            assert!(float::compare(p, FloatOrdering::Unordered, a, b));
        }
        assert_eq!(float::compare(p, FloatOrdering::Unordered, -0.0, 0.0), p.holds(std::cmp::Ordering::Equal));
    }
    assert!(float::compare(Predicate::LessThan, FloatOrdering::Ordered, -1.0, 2.0));
}

#[test]
fn flushing() {
    let subnormal = f32::MIN_POSITIVE.next_down();
    assert_eq!(float::flush_f32(subnormal).to_bits(), 0);
    assert_eq!(float::flush_f32(-subnormal).to_bits(), 0x8000_0000);
    assert_eq!(float::flush_f32(f32::MIN_POSITIVE), f32::MIN_POSITIVE);
    let mut values = [subnormal, 1.0, f32::INFINITY];
    float::flush_f32_slice(&mut values);
    assert_eq!(values, [0.0, 1.0, f32::INFINITY]);
    assert_eq!(float::flush_f32(f32::from_bits(0x7F80_0001)).to_bits(), 0x7F80_0001);
}

/// SEMANTICS (h), the float rows.
#[test]
fn specification_vectors() {
    assert_eq!(from_i64(F32, tilewright_numeric::int::sign_extend(1, 1), RN), 0xBF80_0000);
    let e4m3 = [500.0, f64::NEG_INFINITY, 0.0009765625].map(|v| F8E4M3FN.encode(v, RN));
    assert_eq!(e4m3, [0x7E, 0xFE, 0x00]);
    assert_eq!(F8E5M2.encode(1e6, RN), 0x7B);
    let f4 = [2.5, 5.0, f64::NAN].map(|v| F4E2M1FN.decode(F4E2M1FN.encode(v, RN)));
    assert_eq!(f4, [2.0, 4.0, 6.0]);
    assert_eq!([Rounding::Zero, Rounding::PositiveInf].map(|r| F8E8M0FNU.encode(3.0, r)), [0x80, 0x81]);
    assert_eq!(F8E8M0FNU.encode(-3.0, Rounding::PositiveInf), 0x81, "the sign is ignored");
}

proptest! {
    #[test]
    fn narrowing_any_f32(bits in any::<u32>()) {
        check_narrowing(f32::from_bits(bits));
    }

    #[test]
    fn f64_to_f32_modes(value in any::<f64>()) {
        let [nearest, _, down, up, away] = Rounding::ALL.map(|r| f32::from_bits(F32.encode(value, r) as u32));
        prop_assert_eq!(nearest, value as f32);
        prop_assert!(f64::from(down) <= value && value <= f64::from(up));
        prop_assert!(up == down || up == down.next_up() || (down == 0.0 && up == f32::from_bits(1)));
        prop_assert!(away == up || away == down);
    }

    #[test]
    fn integers_round_as_the_hardware_does(value in any::<i64>()) {
        prop_assert_eq!(from_i64(F32, value, RN) as u32, (value as f32).to_bits());
        prop_assert_eq!(from_i64(F64, value, RN), (value as f64).to_bits());
        prop_assert_eq!(from_u64(F32, value as u64, RN) as u32, (value as u64 as f32).to_bits());
        prop_assert_eq!(from_u64(F64, value as u64, RN), (value as u64 as f64).to_bits());
    }

    #[test]
    fn floats_to_integers_as_the_language_does(value in any::<f32>()) {
        let wide = f64::from(value);
        prop_assert_eq!(to_int(wide, 32, true) as u32, value as i32 as u32);
        prop_assert_eq!(to_int(wide, 16, false) as u16, value as u16);
        prop_assert_eq!(to_int(wide, 64, true), value as i64 as u64);
        prop_assert_eq!(fits_int(wide, 32, true), wide.trunc() == f64::from(value as i32));
    }

    #[test]
    fn f16_agrees_with_half(value in any::<f64>(), small in -7e4f64..7e4) {
        for v in [value, small] {
            // `half` leaves out the low 32 bits, and so takes what is a little above the middle of two numbers for the middle.
            let v = f64::from_bits(v.to_bits() >> 32 << 32);
            prop_assert_eq!(F16.encode(v, RN) as u16, half::f16::from_f64(v).to_bits());
            prop_assert_eq!(Bf16.encode(v, RN) as u16, half::bf16::from_f64(v).to_bits());
        }
    }
}
