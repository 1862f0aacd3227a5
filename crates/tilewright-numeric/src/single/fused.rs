//! Fused multiply-adds: by the CPU, or where it has none, by arithmetic of `f64`.

/// A way to compute `x * y + z`, rounded once. All give the same.
pub(crate) trait MultiplyAdd {
    fn fused(x: f32, y: f32, z: f32) -> f32;
}

/// The CPU's, where loops are compiled for one that has it; else a call of the platform's library.
pub(crate) struct Native;

impl MultiplyAdd for Native {
    #[inline(always)]
    fn fused(x: f32, y: f32, z: f32) -> f32 {
        x.mul_add(y, z)
    }
}

/// Arithmetic that every CPU has vectors for.
pub(crate) struct Emulated;

impl MultiplyAdd for Emulated {
    /// The product is exact in `f64`. The sum is rounded to odd: the last bit tells that there is more behind it, so that rounding
    /// once more gives what rounding once would have given.
    #[inline(always)]
    fn fused(x: f32, y: f32, z: f32) -> f32 {
        let (product, z) = (f64::from(x) * f64::from(y), f64::from(z));
        let sum = product + z;
        let part = sum - product;
        let error = (product - (sum - part)) + (z - part);
        let bits = sum.to_bits();
        // Away from zero or towards it; a NaN, where the sum is infinite, is neither above nor below.
        let step = if (error > 0.0) == (sum > 0.0) { 1 } else { u64::MAX };
        let inexact = (error > 0.0) | (error < 0.0);
        let odd = if inexact & (bits & 1 == 0) { bits.wrapping_add(step) } else { bits };
        f64::from_bits(odd) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn emulated_multiply_adds_are_exact() {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 32) as u32
        };
        let edges = [
            0.0f32,
            -0.0,
            1.0,
            -1.0,
            f32::MIN_POSITIVE,
            f32::MAX,
            -f32::MAX,
            f32::INFINITY,
            f32::NAN,
            f32::from_bits(1),
            1.0 + f32::EPSILON,
        ];
        for i in 0..2_000_000 {
            // Numbers of all sizes, then of similar size, then sums that nearly vanish.
            let number = |bits: u32| match i % 3 {
                0 => f32::from_bits(bits),
                _ => f32::from_bits(bits & 0x83ff_ffff | 0x3c00_0000),
            };
            let [x, y] = [random(), random()].map(number);
            let z = if i % 3 == 2 { f32::from_bits((-x * y).to_bits().wrapping_add(random() % 5)) } else { number(random()) };
            let pick = |x: f32, i: u32| if i.is_multiple_of(16) { edges[i as usize / 16 % edges.len()] } else { x };
            let [x, y, z] = [pick(x, random() >> 8), pick(y, random() >> 8), pick(z, random() >> 8)];
            let (native, emulated) = (Native::fused(x, y, z), Emulated::fused(x, y, z));
            assert!(
                native.to_bits() == emulated.to_bits() || native.is_nan() && emulated.is_nan(),
                "{x:e} * {y:e} + {z:e}: {emulated:e}, not {native:e}"
            );
        }
    }
}
