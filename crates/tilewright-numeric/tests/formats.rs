//! Every encoding of every format up to 16 bits, and rounding against a naive search.

use tilewright_numeric::FloatFormat::*;
use tilewright_numeric::{FloatFormat, Rounding};

const SMALL: [FloatFormat; 7] = [F16, Bf16, F8E4M3FN, F8E5M2, F8E8M0FNU, F4E2M1FN, Fnv8E5M3FNU];

fn codes(format: FloatFormat) -> impl Iterator<Item = u64> {
    0..1u64 << format.storage_bits()
}

#[test]
fn parameters() {
    let row = |f: FloatFormat| (f.storage_bits(), f.precision(), f.bias(), f.max_finite(), f.min_normal(), f.min_positive());
    let p = |e: i32| 2f64.powi(e);
    assert_eq!(row(F16), (16, 11, 15, 65504.0, p(-14), p(-24)));
    assert_eq!(row(Bf16), (16, 8, 127, f64::from(f32::from_bits(0x7F7F_0000)), p(-126), p(-133)));
    assert_eq!(row(F32), (32, 24, 127, f64::from(f32::MAX), p(-126), p(-149)));
    assert_eq!(row(Tf32), (32, 11, 127, f64::from(f32::from_bits(0x7F7F_E000)), p(-126), p(-136)));
    assert_eq!(row(F64), (64, 53, 1023, f64::MAX, f64::MIN_POSITIVE, f64::from_bits(1)));
    assert_eq!(row(F8E4M3FN), (8, 4, 7, 448.0, p(-6), p(-9)));
    assert_eq!(row(F8E5M2), (8, 3, 15, 57344.0, p(-14), p(-16)));
    assert_eq!(row(F8E8M0FNU), (8, 1, 127, p(127), p(-127), p(-127)));
    assert_eq!(row(F4E2M1FN), (4, 2, 1, 6.0, 1.0, 0.5));
    assert_eq!(row(Fnv8E5M3FNU), (8, 4, 15, 114_688.0, p(-14), p(-17)));
    assert_eq!(FloatFormat::ALL.map(|f| f.type_bits()), [16, 16, 32, 19, 64, 8, 8, 8, 4, 8]);
    assert_eq!(F8E8M0FNU.min_finite(), p(-127));
    assert_eq!(F4E2M1FN.min_finite(), -6.0);
    assert_eq!(F16.infinity_bits(), Some(0x7C00));
    assert_eq!(Tf32.infinity_bits(), Some(0x7F80_0000));
    assert_eq!(F8E4M3FN.infinity_bits(), None);
    assert_eq!(F8E4M3FN.to_string(), "f8E4M3FN");
}

/// Each finite number encodes to its own bits in every mode; NaN and infinity follow the table of c.5.
#[test]
fn round_trip() {
    for format in SMALL {
        for bits in codes(format) {
            let value = format.decode(bits);
            for r in Rounding::ALL {
                let back = format.encode(value, r);
                let want = match () {
                    () if value.is_nan() => format.canonical_nan().expect("a format that decoded a NaN has one"),
                    () if value.is_infinite() && format == F8E5M2 => bits - 1,
                    () => bits,
                };
                assert_eq!(back, want, "{format} {bits:#x} {value:e} {r:?}");
            }
        }
    }
}

#[test]
fn decoding_agrees_with_half() {
    for bits in 0..=u16::MAX {
        let same = |ours: f64, theirs: f64| ours.to_bits() == theirs.to_bits() || (ours.is_nan() && theirs.is_nan());
        assert!(same(F16.decode(bits.into()), half::f16::from_bits(bits).to_f64()), "f16 {bits:#x}");
        assert!(same(Bf16.decode(bits.into()), half::bf16::from_bits(bits).to_f64()), "bf16 {bits:#x}");
    }
}

#[test]
fn nan_and_infinity_codes() {
    let nans = |f: FloatFormat| codes(f).filter(|&b| f.is_nan(b)).collect::<Vec<_>>();
    let infinities = |f: FloatFormat| codes(f).filter(|&b| f.is_infinite(b)).collect::<Vec<_>>();
    assert_eq!(nans(F8E4M3FN), [0x7F, 0xFF]);
    assert_eq!(nans(F8E5M2), [0x7D, 0x7E, 0x7F, 0xFD, 0xFE, 0xFF]);
    assert_eq!(infinities(F8E5M2), [0x7C, 0xFC]);
    assert_eq!(nans(F8E8M0FNU), [0xFF]);
    assert_eq!(nans(Fnv8E5M3FNU), [0xFF]);
    assert!(nans(F4E2M1FN).is_empty());
    assert!([F8E4M3FN, F8E8M0FNU, F4E2M1FN, Fnv8E5M3FNU].iter().all(|&f| infinities(f).is_empty()));
    let f4: Vec<f64> = codes(F4E2M1FN).map(|b| F4E2M1FN.decode(b)).collect();
    assert_eq!(f4[..8], [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]);
    assert_eq!(f4[9..], [-0.5, -1.0, -1.5, -2.0, -3.0, -4.0, -6.0]);
    assert!(f4[8] == 0.0 && f4[8].is_sign_negative());
}

/// Finite magnitudes in ascending order with their codes; codes ascend with them.
fn magnitudes(format: FloatFormat) -> Vec<(f64, u64)> {
    let list: Vec<_> = codes(format).map(|b| (format.decode(b), b)).filter(|(v, b)| v.is_finite() && b & format.sign_mask() == 0).collect();
    assert!(list.is_sorted_by(|a, b| a.0 < b.0));
    list
}

/// The rounding of a magnitude by looking for its neighbours; `None` on overflow past the largest by half a step.
fn naive(list: &[(f64, u64)], magnitude: f64, negative: bool, r: Rounding) -> Option<u64> {
    let above = list.iter().position(|&(v, _)| v >= magnitude);
    let above = above?;
    let (high, high_code) = list[above];
    if high == magnitude || above == 0 {
        return Some(high_code);
    }
    let (low, low_code) = list[above - 1];
    let nearest = |tie: u64| match (magnitude - low).partial_cmp(&(high - magnitude)).expect("finite") {
        std::cmp::Ordering::Less => low_code,
        std::cmp::Ordering::Greater => high_code,
        std::cmp::Ordering::Equal => tie,
    };
    Some(match r {
        Rounding::NearestEven => nearest(if low_code % 2 == 0 { low_code } else { high_code }),
        Rounding::NearestAway => nearest(high_code),
        Rounding::Zero => low_code,
        Rounding::NegativeInf => {
            if negative {
                high_code
            } else {
                low_code
            }
        }
        Rounding::PositiveInf => {
            if negative {
                low_code
            } else {
                high_code
            }
        }
    })
}

/// At, between and beside all values and midpoints, in all modes and both signs.
#[test]
fn eight_and_four_bit_encoding_against_naive_search() {
    for format in SMALL.into_iter().filter(|f| f.storage_bits() <= 8) {
        let list = magnitudes(format);
        for pair in list.windows(2) {
            let (low, high) = (pair[0].0, pair[1].0);
            let middle = (low + high) / 2.0;
            let points = [low, low.next_up(), low + (high - low) / 3.0, middle.next_down(), middle];
            let more = [middle.next_up(), low + (high - low) / 1.5, high.next_down(), high, low.next_down().max(0.0)];
            for point in points.into_iter().chain(more) {
                check_point(format, &list, point);
            }
        }
        for beyond in [1.01, 1.1, 2.0, 1e9].map(|x| x * format.max_finite()) {
            check_point(format, &list, beyond);
        }
    }
}

fn check_point(format: FloatFormat, list: &[(f64, u64)], magnitude: f64) {
    for r in Rounding::ALL {
        for negative in [false, true] {
            let value = if negative { -magnitude } else { magnitude };
            // The scale format ignores the sign, also for the direction of rounding.
            let direction = negative && format != F8E8M0FNU;
            let code = naive(list, magnitude, direction, r).unwrap_or(format.max_finite_bits());
            let want = match format {
                F8E8M0FNU => code,
                Fnv8E5M3FNU if negative => 0,
                _ if negative => code | format.sign_mask(),
                _ => code,
            };
            assert_eq!(format.encode(value, r), want, "{format} {value:e} {r:?}");
        }
    }
}

/// f16 and bf16: beside every value and midpoint, neighbours taken from the code order.
#[test]
fn sixteen_bit_encoding() {
    for format in [F16, Bf16] {
        for code in 0..format.max_finite_bits() {
            let (low, high) = (format.decode(code), format.decode(code + 1));
            let middle = (low + high) / 2.0;
            let even = code + (code & 1);
            let cases = [
                (low.next_up(), [code, code, code, code + 1, code]),
                (middle.next_down(), [code, code, code, code + 1, code]),
                (middle, [even, code, code, code + 1, code + 1]),
                (middle.next_up(), [code + 1, code, code, code + 1, code + 1]),
            ];
            for (value, want) in cases {
                assert_eq!(Rounding::ALL.map(|r| format.encode(value, r)), want, "{format} {value:e}");
                let [nearest, zero, down, up, away] = want.map(|w| w | 0x8000);
                let got = Rounding::ALL.map(|r| format.encode(-value, r));
                assert_eq!(got, [nearest, zero, up, down, away], "{format} {:e}", -value);
            }
        }
    }
}

#[test]
fn overflow_of_formats_with_infinity() {
    for format in [F16, Bf16, F32, Tf32] {
        let max = format.max_finite_bits();
        let inf = format.infinity_bits().expect("IEEE-like");
        let step = format.max_finite() - format.decode(max - (1 << (format.storage_bits() - format.type_bits())));
        let halfway = format.max_finite() + step / 2.0;
        let codes = |v: f64| Rounding::ALL.map(|r| format.encode(v, r));
        assert_eq!(codes(halfway.next_down()), [max, max, max, inf, max], "{format}");
        assert_eq!(codes(halfway), [inf, max, max, inf, inf], "{format}");
        assert_eq!(codes(1e300), [inf, max, max, inf, inf], "{format}");
        assert_eq!(codes(-1e300), [inf, max, inf, max, inf].map(|b| b | format.sign_mask()), "{format}");
        assert_eq!(codes(f64::INFINITY), [inf; 5], "{format}");
        assert_eq!(codes(f64::NEG_INFINITY), [inf | format.sign_mask(); 5], "{format}");
    }
}

#[test]
fn saturating_formats() {
    for r in Rounding::ALL {
        assert_eq!(F8E4M3FN.encode(f64::INFINITY, r), 0x7E);
        assert_eq!(F8E4M3FN.encode(f64::NEG_INFINITY, r), 0xFE);
        assert_eq!(F8E5M2.encode(-1e300, r), 0xFB);
        assert_eq!(F4E2M1FN.encode(f64::NAN, r), 7);
        assert_eq!(F4E2M1FN.encode(f64::NEG_INFINITY, r), 0xF);
        assert_eq!(F8E8M0FNU.encode(f64::NEG_INFINITY, r), 0xFE);
        assert_eq!(F8E8M0FNU.encode(0.0, r), 0);
        assert_eq!(F8E8M0FNU.encode(f64::NAN, r), 0xFF);
    }
}

/// `f32` and `tf32` through both of their paths, near binade borders and subnormals.
#[test]
fn f32_and_tf32_steps() {
    for format in [F32, Tf32] {
        let step = 1u64 << (format.storage_bits() - format.type_bits());
        for start in [0u64, 1, 2, 0x3FF, 0x400, 0x7F_FFFF, 0x80_0000, 0x3F80_0000, 0x3F80_0001, 0x7F7F_DFFF] {
            let code = start / step * step;
            let (low, high) = (format.decode(code), format.decode(code + step));
            let middle = (low + high) / 2.0;
            let even = if (code / step).is_multiple_of(2) { code } else { code + step };
            let got = Rounding::ALL.map(|r| format.encode(middle, r));
            assert_eq!(got, [even, code, code, code + step, code + step], "{format} {middle:e}");
            let got = Rounding::ALL.map(|r| format.encode(-middle, r) & !format.sign_mask());
            assert_eq!(got, [even, code, code + step, code, code + step], "{format} -{middle:e}");
            assert_eq!(format.encode(middle.next_up(), Rounding::NearestAway), code + step);
            assert_eq!(format.encode(middle.next_down(), Rounding::NearestAway), code);
        }
    }
}
