//! Vectors of `f32` for functions that are written for any [`Lanes`]: the same bits as one number at a time.
#![allow(unsafe_code, reason = "loads and stores through raw pointers, and calls instructions of CPU features")]

use std::{
    arch::x86_64::*,
    ops::{Add, Div, Mul, Sub},
};
use tilewright_numeric::lanes::{Lanes, ROUND};

/// A vector of `f32`.
///
/// A value exists only where the CPU has the instructions for it: it is made of another one or loaded.
pub(in crate::kernels) trait VectorLanes: Lanes {
    const LANES: usize;

    /// # Safety
    /// The CPU has the features that the type is for, and `from` holds a vector.
    unsafe fn load(from: *const f32) -> Self;

    /// The same number in every lane.
    ///
    /// # Safety
    /// The CPU has the features that the type is for.
    unsafe fn same(value: f32) -> Self;

    /// # Safety
    /// `to` has room for a vector.
    unsafe fn store(self, to: *mut f32);
}

/// Eight numbers, with AVX2 and FMA.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(in crate::kernels) struct Eight(pub(in crate::kernels) __m256);

/// Sixteen numbers, with AVX-512.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(in crate::kernels) struct Sixteen(pub(in crate::kernels) __m512);

/// Declares what both vectors do alike.
macro_rules! operations {
    ($($vector:ident $lanes:literal $splat:ident $load:ident $store:ident: $($op:ident $method:ident $instruction:ident)*;)*) => {$(
        impl VectorLanes for $vector {
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn load(from: *const f32) -> Self {
                // SAFETY: by the contract.
                $vector(unsafe { $load(from) })
            }

            #[inline(always)]
            unsafe fn same(value: f32) -> Self {
                // SAFETY: by the contract.
                $vector(unsafe { $splat(value) })
            }

            #[inline(always)]
            unsafe fn store(self, to: *mut f32) {
                // SAFETY: by the contract; the value shows that the CPU has the instruction.
                unsafe { $store(to, self.0) }
            }
        }
        $(
            impl $op for $vector {
                type Output = Self;
                #[inline(always)]
                fn $method(self, other: Self) -> Self {
                    // SAFETY: the value shows that the CPU has the instruction.
                    $vector(unsafe { $instruction(self.0, other.0) })
                }
            }
        )*
    )*};
}
operations! {
    Eight 8 _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps:
        Add add _mm256_add_ps Sub sub _mm256_sub_ps Mul mul _mm256_mul_ps Div div _mm256_div_ps;
    Sixteen 16 _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps:
        Add add _mm512_add_ps Sub sub _mm512_sub_ps Mul mul _mm512_mul_ps Div div _mm512_div_ps;
}

impl Eight {
    /// 2 to the power of each number.
    #[inline(always)]
    fn power_of_two(n: __m256i) -> Self {
        // SAFETY: the value shows that the CPU has the instructions.
        Eight(unsafe { _mm256_castsi256_ps(_mm256_add_epi32(_mm256_slli_epi32::<23>(n), _mm256_set1_epi32(0x3F80_0000))) })
    }

    /// The lanes of `before` from the `first` one on, and as many of `self` as there is room for behind them.
    #[inline(always)]
    pub(in crate::kernels) fn behind(self, before: Self, first: usize) -> Self {
        // SAFETY: the value shows that the CPU has the instructions.
        unsafe {
            let lanes = _mm256_add_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(first as i32));
            let behind = _mm256_castsi256_ps(_mm256_cmpgt_epi32(lanes, _mm256_set1_epi32(7)));
            // The lowest three bits count.
            let turned = |x: Self| _mm256_permutevar8x32_ps(x.0, lanes);
            Eight(_mm256_blendv_ps(turned(before), turned(self), behind))
        }
    }

    /// So many of the first lanes, and those of `rest` behind them.
    #[inline(always)]
    pub(in crate::kernels) fn begun(self, count: usize, rest: Self) -> Self {
        // SAFETY: the value shows that the CPU has the instructions.
        unsafe {
            let first = _mm256_cmpgt_epi32(_mm256_set1_epi32(count as i32), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
            Eight(_mm256_blendv_ps(rest.0, self.0, _mm256_castsi256_ps(first)))
        }
    }
}

impl Sixteen {
    /// So many of the first lanes, and those of `rest` behind them.
    #[inline(always)]
    pub(in crate::kernels) fn begun(self, count: usize, rest: Self) -> Self {
        // SAFETY: the value shows that the CPU has the instruction.
        Sixteen(unsafe { _mm512_mask_blend_ps(((1u32 << count) - 1) as u16, rest.0, self.0) })
    }

    /// The lanes of `before` from the `first` one on, and as many of `self` as there is room for behind them.
    #[inline(always)]
    pub(in crate::kernels) fn behind(self, before: Self, first: usize) -> Self {
        // SAFETY: the value shows that the CPU has the instructions.
        unsafe {
            let lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
            // The fifth bit chooses the second vector.
            Sixteen(_mm512_permutex2var_ps(before.0, _mm512_add_epi32(lane, _mm512_set1_epi32(first as i32)), self.0))
        }
    }
}

impl Lanes for Eight {
    #[inline(always)]
    fn splat(self, value: f32) -> Self {
        // SAFETY: the value shows that the CPU has the instructions; so below.
        unsafe { Eight::same(value) }
    }

    #[inline(always)]
    fn fused(self, y: Self, z: Self) -> Self {
        // SAFETY: as in `splat`.
        Eight(unsafe { _mm256_fmadd_ps(self.0, y.0, z.0) })
    }

    #[inline(always)]
    fn at_least(self, low: Self) -> Self {
        // The second operand is the result where one is NaN.
        // SAFETY: as in `splat`.
        Eight(unsafe { _mm256_max_ps(low.0, self.0) })
    }

    #[inline(always)]
    fn at_most(self, high: Self) -> Self {
        // SAFETY: as in `splat`.
        Eight(unsafe { _mm256_min_ps(high.0, self.0) })
    }

    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: as in `splat`.
        Eight(unsafe { _mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0) })
    }

    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        // SAFETY: as in `splat`.
        unsafe {
            let bit = _mm256_set1_ps(-0.0);
            Eight(_mm256_or_ps(_mm256_andnot_ps(bit, self.0), _mm256_and_ps(bit, sign.0)))
        }
    }

    #[inline(always)]
    fn flushed(self) -> Self {
        // SAFETY: as in `splat`.
        unsafe {
            let subnormal = _mm256_cmp_ps::<_CMP_LT_OQ>(self.abs().0, _mm256_set1_ps(f32::MIN_POSITIVE));
            let zero = _mm256_and_ps(self.0, _mm256_set1_ps(-0.0));
            Eight(_mm256_blendv_ps(self.0, zero, subnormal))
        }
    }

    #[inline(always)]
    fn upper_bits(self) -> Self {
        // SAFETY: as in `splat`.
        Eight(unsafe { _mm256_castsi256_ps(_mm256_srli_epi32::<21>(_mm256_castps_si256(self.0))) })
    }

    #[inline(always)]
    fn pick(self, table: &[f32; 16]) -> Self {
        // SAFETY: as in `splat`; the table holds two vectors.
        unsafe {
            let index = _mm256_castps_si256(self.0);
            let low = _mm256_permutevar8x32_ps(_mm256_loadu_ps(table.as_ptr()), index);
            let high = _mm256_permutevar8x32_ps(_mm256_loadu_ps(table.as_ptr().add(8)), index);
            // The fourth bit of the index, where a sign would be.
            let upper = _mm256_castsi256_ps(_mm256_slli_epi32::<28>(index));
            Eight(_mm256_blendv_ps(low, high, upper))
        }
    }

    #[inline(always)]
    fn scaled(self, shifted: Self) -> Self {
        // In two steps, because the power may be behind the range.
        // SAFETY: as in `splat`.
        unsafe {
            let n = _mm256_srli_epi32::<4>(_mm256_castps_si256(shifted.0));
            let half = _mm256_srli_epi32::<1>(n);
            self * Eight::power_of_two(half) * Eight::power_of_two(_mm256_sub_epi32(n, half))
        }
    }
}

impl Lanes for Sixteen {
    #[inline(always)]
    fn splat(self, value: f32) -> Self {
        // SAFETY: the value shows that the CPU has the instructions; so below.
        unsafe { Sixteen::same(value) }
    }

    #[inline(always)]
    fn fused(self, y: Self, z: Self) -> Self {
        // SAFETY: as in `splat`.
        Sixteen(unsafe { _mm512_fmadd_ps(self.0, y.0, z.0) })
    }

    #[inline(always)]
    fn at_least(self, low: Self) -> Self {
        // The second operand is the result where one is NaN.
        // SAFETY: as in `splat`.
        Sixteen(unsafe { _mm512_max_ps(low.0, self.0) })
    }

    #[inline(always)]
    fn at_most(self, high: Self) -> Self {
        // SAFETY: as in `splat`.
        Sixteen(unsafe { _mm512_min_ps(high.0, self.0) })
    }

    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: as in `splat`.
        Sixteen(unsafe { _mm512_andnot_ps(_mm512_set1_ps(-0.0), self.0) })
    }

    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        /// Of three bits, the third chooses the first or the second.
        const CHOOSE: i32 = 0b1101_1000;
        // SAFETY: as in `splat`.
        unsafe {
            let (magnitude, sign, bit) = (_mm512_castps_si512(self.0), _mm512_castps_si512(sign.0), _mm512_set1_epi32(i32::MIN));
            Sixteen(_mm512_castsi512_ps(_mm512_ternarylogic_epi32::<CHOOSE>(magnitude, sign, bit)))
        }
    }

    #[inline(always)]
    fn flushed(self) -> Self {
        // SAFETY: as in `splat`.
        unsafe {
            let subnormal = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(self.abs().0, _mm512_set1_ps(f32::MIN_POSITIVE));
            Sixteen(_mm512_mask_and_ps(self.0, subnormal, self.0, _mm512_set1_ps(-0.0)))
        }
    }

    #[inline(always)]
    fn upper_bits(self) -> Self {
        // SAFETY: as in `splat`.
        Sixteen(unsafe { _mm512_castsi512_ps(_mm512_srli_epi32::<21>(_mm512_castps_si512(self.0))) })
    }

    #[inline(always)]
    fn pick(self, table: &[f32; 16]) -> Self {
        // SAFETY: as in `splat`; the table holds a vector.
        Sixteen(unsafe { _mm512_permutexvar_ps(_mm512_castps_si512(self.0), _mm512_loadu_ps(table.as_ptr())) })
    }

    #[inline(always)]
    fn scaled(self, shifted: Self) -> Self {
        // The power is rounded down.
        // SAFETY: as in `splat`.
        Sixteen(unsafe { _mm512_scalef_ps(self.0, (shifted - self.splat(ROUND)).0) })
    }
}
