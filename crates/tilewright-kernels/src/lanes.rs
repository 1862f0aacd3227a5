//! Vectors of `f32` of a CPU, for kernels that are written for both.
#![allow(unsafe_code, reason = "loads and stores through raw pointers, and calls instructions of CPU features")]

use std::arch::x86_64::*;

/// A vector of `f32`.
///
/// A value exists only where the CPU has the instructions for it: it is made of another one or loaded.
pub(crate) trait VectorLanes: Copy {
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
pub(crate) struct Eight(pub(crate) __m256);

/// Sixteen numbers, with AVX-512.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Sixteen(pub(crate) __m512);

/// Declares what both vectors do alike.
macro_rules! operations {
    ($($vector:ident $lanes:literal $splat:ident $load:ident $store:ident;)*) => {$(
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
    )*};
}
operations! {
    Eight 8 _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps;
    Sixteen 16 _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps;
}

impl Eight {
    /// The lanes of `before` from the `first` one on, and as many of `self` as there is room for behind them.
    #[inline(always)]
    pub(crate) fn behind(self, before: Self, first: usize) -> Self {
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
    pub(crate) fn begun(self, count: usize, rest: Self) -> Self {
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
    pub(crate) fn begun(self, count: usize, rest: Self) -> Self {
        // SAFETY: the value shows that the CPU has the instruction.
        Sixteen(unsafe { _mm512_mask_blend_ps(((1u32 << count) - 1) as u16, rest.0, self.0) })
    }

    /// The lanes of `before` from the `first` one on, and as many of `self` as there is room for behind them.
    #[inline(always)]
    pub(crate) fn behind(self, before: Self, first: usize) -> Self {
        // SAFETY: the value shows that the CPU has the instructions.
        unsafe {
            let lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
            // The fifth bit chooses the second vector.
            Sixteen(_mm512_permutex2var_ps(before.0, _mm512_add_epi32(lane, _mm512_set1_epi32(first as i32)), self.0))
        }
    }
}
