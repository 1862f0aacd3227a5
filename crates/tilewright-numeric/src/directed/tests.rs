use super::*;
use crate::{arith, float};

/// Numbers of all sizes, and those where something changes: at the ends of the range, and next to powers of two.
struct Numbers(u64);

impl Numbers {
    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn any(&mut self) -> f64 {
        const EDGES: [f64; 12] = [
            0.0,
            1.0,
            1.5,
            f64::MAX,
            f64::INFINITY,
            f64::NAN,
            f64::MIN_POSITIVE,
            5e-324,
            power(-900),
            power(400),
            power(-400),
            power(1000),
        ];
        let (which, bits) = (self.bits() % 16, self.bits());
        let number = match which {
            0 => EDGES[bits as usize % EDGES.len()],
            1 => f64::from_bits(EDGES[bits as usize % EDGES.len()].to_bits().wrapping_add(bits >> 40 & 3).wrapping_sub(1)),
            // Few digits, so that much is exact, and ties are met.
            2..5 => f64::from_bits(bits & 0x7fff_0000_0000_0000),
            5..8 => f64::from_bits((bits & 0x003f_ffff_ffff_ffff) | 0x3fe0_0000_0000_0000),
            // Subnormal numbers, and next to them.
            8..10 => f64::from_bits(bits >> 12 >> (bits & 63)),
            10 => f64::from_bits((bits & 0x003f_ffff_ffff_ffff) | 0x7fc0_0000_0000_0000),
            _ => f64::from_bits(bits),
        };
        if self.bits().is_multiple_of(2) { -number } else { number }
    }
}

fn same(x: f64, y: f64) -> bool {
    x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan()
}

const MODES: [Rounding; 3] = [Rounding::Zero, Rounding::PositiveInf, Rounding::NegativeInf];

#[test]
fn every_operation_in_every_direction_is_exact() {
    let mut numbers = Numbers(88_172_645_463_325_252);
    for i in 0..1_000_000 {
        let (a, b, c) = (numbers.any(), numbers.any(), numbers.any());
        // Now and then terms that nearly cancel.
        let c = if i % 4 == 0 { f64::from_bits((-a * b).to_bits().wrapping_add(numbers.bits() % 5).wrapping_sub(2)) } else { c };
        let near = if i % 8 == 0 { f64::from_bits((-a).to_bits().wrapping_add(numbers.bits() % 5).wrapping_sub(2)) } else { b };
        for mode in MODES {
            let direction = Direction::of(mode).expect("these have one");
            let results = [
                ("add", add(a, near, direction), arith::add_f64(a, near, mode)),
                ("mul", mul(a, b, direction), arith::mul_f64(a, b, mode)),
                ("div", div(a, b, direction), arith::div_f64(a, b, mode)),
                ("sqrt", sqrt(a, direction), arith::sqrt_f64(a, mode)),
                ("fma", fma(a, b, c, direction), arith::fma_f64(a, b, c, mode)),
            ];
            for (name, found, expected) in results {
                assert!(same(found, expected), "{name} of {a:e}, {b:e} or {near:e}, {c:e}, {mode:?}: {found:e}, not {expected:e}");
            }
        }
    }
}

#[test]
fn remainders_are_exact() {
    let mut numbers = Numbers(362_436_069);
    for _ in 0..300_000 {
        let (a, b) = (numbers.any(), numbers.any());
        let (found, expected) = (rem(a, b), float::rem_f64(a, b));
        assert!(same(found, expected), "{a:e} by {b:e}: {found:e}, not {expected:e}");
    }
    for (a, b) in [(f64::MAX, 5e-324), (f64::MAX, 1.5e-320), (-f64::MAX, 3.0), (1e300, 3e-310), (5.0, f64::INFINITY), (5e-324, f64::MAX)] {
        assert!(same(rem(a, b), float::rem_f64(a, b)), "{a:e} by {b:e}");
    }
}
