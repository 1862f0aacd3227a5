//! Floats of 16 bits in vectors of `f32`: how they are widened, and how numbers are rounded to them, to the nearest, ties to even.
//!
//! The bits are those of the portable loops, NaNs included.
#![allow(unsafe_code, reason = "loads and stores through raw pointers, and calls instructions of CPU features")]

use super::{
    chain::Half,
    lanes::{Eight, Sixteen, VectorLanes},
};
use std::arch::x86_64::*;

/// What a NaN is rounded to.
const NAN: i16 = 0x7fff;

/// A vector of `f32` whose numbers lie as floats of 16 bits in memory.
pub(in crate::kernels) trait Halves: VectorLanes {
    /// As many numbers of 16 bits as the vector has lanes.
    type Packed: Copy;

    /// # Safety
    /// The CPU has the features that the type is for, and `from` holds as many numbers as a vector has lanes.
    unsafe fn load_packed(from: *const u16) -> Self::Packed;

    /// # Safety
    /// `to` has room for as many numbers as a vector has lanes, and the CPU has the features that the type is for.
    unsafe fn store_packed(packed: Self::Packed, to: *mut u16);

    /// The bits of both in one vector.
    ///
    /// # Safety
    /// The CPU has the features that the type is for; so below.
    unsafe fn join(low: Self::Packed, high: Self::Packed) -> Self;

    /// # Safety
    /// As above.
    unsafe fn widen_f16(packed: Self::Packed) -> Self;

    /// # Safety
    /// As above.
    unsafe fn widen_bf16(packed: Self::Packed) -> Self;

    fn narrow_f16(self) -> Self::Packed;

    fn narrow_bf16(self) -> Self::Packed;

    /// The number of `f16` that is nearest.
    fn round_f16(self) -> Self;

    /// The number of `bf16` that is nearest.
    fn round_bf16(self) -> Self;

    /// `self * y + z` of numbers of 16 bits, rounded to odd: to the neighbour whose last bit is set, unless it fits.
    fn fused_odd(self, y: Self, z: Self) -> Self;

    /// # Safety
    /// As [`load_packed`](Self::load_packed) demands.
    #[inline(always)]
    unsafe fn load_half(half: Half, from: *const u16) -> Self {
        // SAFETY: by the contract.
        unsafe {
            match half {
                Half::F16 => Self::widen_f16(Self::load_packed(from)),
                Half::Bf16 => Self::widen_bf16(Self::load_packed(from)),
            }
        }
    }

    #[inline(always)]
    fn narrow(self, half: Half) -> Self::Packed {
        match half {
            Half::F16 => self.narrow_f16(),
            Half::Bf16 => self.narrow_bf16(),
        }
    }
}

impl Halves for Sixteen {
    type Packed = __m256i;

    #[inline(always)]
    unsafe fn load_packed(from: *const u16) -> __m256i {
        // SAFETY: by the contract.
        unsafe { _mm256_loadu_si256(from.cast()) }
    }

    #[inline(always)]
    unsafe fn store_packed(packed: __m256i, to: *mut u16) {
        // SAFETY: by the contract.
        unsafe { _mm256_storeu_si256(to.cast(), packed) }
    }

    #[inline(always)]
    unsafe fn join(low: __m256i, high: __m256i) -> Self {
        // SAFETY: by the contract.
        Sixteen(unsafe { _mm512_castsi512_ps(_mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)) })
    }

    #[inline(always)]
    unsafe fn widen_f16(packed: __m256i) -> Self {
        // SAFETY: by the contract.
        Sixteen(unsafe { _mm512_cvtph_ps(packed) })
    }

    #[inline(always)]
    unsafe fn widen_bf16(packed: __m256i) -> Self {
        // SAFETY: by the contract.
        Sixteen(unsafe { _mm512_castsi512_ps(_mm512_slli_epi32::<16>(_mm512_cvtepu16_epi32(packed))) })
    }

    #[inline(always)]
    fn narrow_f16(self) -> __m256i {
        // SAFETY: the value shows that the CPU has the instructions; so below.
        unsafe {
            let half = _mm512_cvtps_ph::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(self.0);
            let is_nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(self.0, self.0);
            _mm256_mask_mov_epi16(half, is_nan, _mm256_set1_epi16(NAN))
        }
    }

    #[inline(always)]
    fn narrow_bf16(self) -> __m256i {
        // SAFETY: as above.
        unsafe { _mm512_cvtepi32_epi16(_mm512_srli_epi32::<16>(self.rounded())) }
    }

    #[inline(always)]
    fn round_f16(self) -> Self {
        // SAFETY: as above. A NaN stays one.
        Sixteen(unsafe { _mm512_cvtph_ps(_mm512_cvtps_ph::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(self.0)) })
    }

    #[inline(always)]
    fn round_bf16(self) -> Self {
        // SAFETY: as above.
        Sixteen(unsafe { _mm512_castsi512_ps(_mm512_and_si512(self.rounded(), _mm512_set1_epi32(-0x1_0000))) })
    }

    #[inline(always)]
    fn fused_odd(self, y: Self, z: Self) -> Self {
        // SAFETY: as above.
        unsafe {
            // Of two neighbours, one is odd. Where both are the same, that is the number itself, with the sign of a zero that it has to nearest.
            let below = _mm512_fmadd_round_ps::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(self.0, y.0, z.0);
            let above = _mm512_fmadd_round_ps::<{ _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC }>(self.0, y.0, z.0);
            let below_is_odd = _mm512_test_epi32_mask(_mm512_castps_si512(below), _mm512_set1_epi32(1));
            let differ = _mm512_cmp_ps_mask::<_CMP_NEQ_OQ>(below, above);
            Sixteen(_mm512_mask_mov_ps(above, below_is_odd & differ, below))
        }
    }
}

impl Sixteen {
    /// The bits of the nearest numbers of `bf16` in the upper halves.
    #[inline(always)]
    fn rounded(self) -> __m512i {
        // SAFETY: the value shows that the CPU has the instructions.
        unsafe {
            let bits = _mm512_castps_si512(self.0);
            let odd = _mm512_and_si512(_mm512_srli_epi32::<16>(bits), _mm512_set1_epi32(1));
            let rounded = _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff)), odd);
            let is_nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(self.0, self.0);
            _mm512_mask_mov_epi32(rounded, is_nan, _mm512_set1_epi32((NAN as i32) << 16))
        }
    }
}

impl Halves for Eight {
    type Packed = __m128i;

    #[inline(always)]
    unsafe fn load_packed(from: *const u16) -> __m128i {
        // SAFETY: by the contract.
        unsafe { _mm_loadu_si128(from.cast()) }
    }

    #[inline(always)]
    unsafe fn store_packed(packed: __m128i, to: *mut u16) {
        // SAFETY: by the contract.
        unsafe { _mm_storeu_si128(to.cast(), packed) }
    }

    #[inline(always)]
    unsafe fn join(low: __m128i, high: __m128i) -> Self {
        // SAFETY: by the contract.
        Eight(unsafe { _mm256_castsi256_ps(_mm256_set_m128i(high, low)) })
    }

    #[inline(always)]
    unsafe fn widen_f16(packed: __m128i) -> Self {
        // SAFETY: by the contract.
        Eight(unsafe { _mm256_cvtph_ps(packed) })
    }

    #[inline(always)]
    unsafe fn widen_bf16(packed: __m128i) -> Self {
        // SAFETY: by the contract.
        Eight(unsafe { _mm256_castsi256_ps(_mm256_slli_epi32::<16>(_mm256_cvtepu16_epi32(packed))) })
    }

    #[inline(always)]
    fn narrow_f16(self) -> __m128i {
        // SAFETY: the value shows that the CPU has the instructions; so below.
        unsafe {
            let half = _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(self.0);
            let is_nan = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_UNORD_Q>(self.0, self.0));
            let is_nan = _mm_packs_epi32(_mm256_castsi256_si128(is_nan), _mm256_extracti128_si256::<1>(is_nan));
            _mm_blendv_epi8(half, _mm_set1_epi16(NAN), is_nan)
        }
    }

    #[inline(always)]
    fn narrow_bf16(self) -> __m128i {
        // SAFETY: as above.
        unsafe {
            let halves = _mm256_srli_epi32::<16>(self.rounded());
            _mm_packus_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256::<1>(halves))
        }
    }

    #[inline(always)]
    fn round_f16(self) -> Self {
        // SAFETY: as above. A NaN stays one.
        Eight(unsafe { _mm256_cvtph_ps(_mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(self.0)) })
    }

    #[inline(always)]
    fn round_bf16(self) -> Self {
        // SAFETY: as above.
        Eight(unsafe { _mm256_castsi256_ps(_mm256_and_si256(self.rounded(), _mm256_set1_epi32(-0x1_0000))) })
    }

    #[inline(always)]
    fn fused_odd(self, y: Self, z: Self) -> Self {
        // SAFETY: as above.
        unsafe {
            let low = |x: __m256| _mm256_castps256_ps128(x);
            let high = |x: __m256| _mm256_extractf128_ps::<1>(x);
            let first = four_fused_odd(low(self.0), low(y.0), low(z.0));
            let second = four_fused_odd(high(self.0), high(y.0), high(z.0));
            Eight(_mm256_set_m128(second, first))
        }
    }
}

impl Eight {
    /// As for sixteen numbers.
    #[inline(always)]
    fn rounded(self) -> __m256i {
        // SAFETY: the value shows that the CPU has the instructions.
        unsafe {
            let bits = _mm256_castps_si256(self.0);
            let odd = _mm256_and_si256(_mm256_srli_epi32::<16>(bits), _mm256_set1_epi32(1));
            let rounded = _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7fff)), odd);
            let is_nan = _mm256_cmp_ps::<_CMP_UNORD_Q>(self.0, self.0);
            let nan = _mm256_castsi256_ps(_mm256_set1_epi32((NAN as i32) << 16));
            _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(rounded), nan, is_nan))
        }
    }
}

/// `x * y + z` of four numbers of 16 bits, rounded to odd: the steps of `fma_f32_odd` in `branch_free` of `tilewright-numeric`.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn four_fused_odd(x: __m128, y: __m128, z: __m128) -> __m128 {
    // SAFETY: by the contract.
    unsafe {
        // The product fits `f64`; the error of the sum tells to which side the exact number lies.
        let product = _mm256_mul_pd(_mm256_cvtps_pd(x), _mm256_cvtps_pd(y));
        let z = _mm256_cvtps_pd(z);
        let sum = _mm256_add_pd(product, z);
        let z_part = _mm256_sub_pd(sum, product);
        let error = _mm256_add_pd(_mm256_sub_pd(product, _mm256_sub_pd(sum, z_part)), _mm256_sub_pd(z, z_part));
        let bits = _mm256_castpd_si256(sum);
        let inward = _mm256_srli_epi64::<63>(_mm256_xor_si256(_mm256_castpd_si256(error), bits));
        let moved = _mm256_sub_epi64(_mm256_add_epi64(bits, _mm256_set1_epi64x(1)), _mm256_add_epi64(inward, inward));
        // The sign bit decides in a blend.
        let odd = _mm256_castsi256_pd(_mm256_slli_epi64::<63>(bits));
        let inexact = _mm256_cmp_pd::<_CMP_NEQ_OQ>(error, _mm256_setzero_pd());
        let exact = _mm256_blendv_pd(sum, _mm256_castsi256_pd(moved), _mm256_andnot_pd(odd, inexact));

        let nearest = _mm256_cvtpd_ps(exact);
        let back = _mm256_cvtps_pd(nearest);
        let magnitude = |x: __m256d| _mm256_andnot_pd(_mm256_set1_pd(-0.0), x);
        let halved = |mask: __m256d| {
            let mask = _mm256_castpd_ps(mask);
            _mm_shuffle_ps::<0x88>(_mm256_castps256_ps128(mask), _mm256_extractf128_ps::<1>(mask))
        };
        let inexact = halved(_mm256_cmp_pd::<_CMP_NEQ_OQ>(back, exact));
        let too_far = _mm_castps_si128(halved(_mm256_cmp_pd::<_CMP_GT_OQ>(magnitude(back), magnitude(exact))));
        let bits = _mm_castps_si128(nearest);
        let moved = _mm_add_epi32(_mm_add_epi32(bits, _mm_set1_epi32(1)), _mm_add_epi32(too_far, too_far));
        let odd = _mm_castsi128_ps(_mm_slli_epi32::<31>(bits));
        _mm_blendv_ps(nearest, _mm_castsi128_ps(moved), _mm_andnot_ps(odd, inexact))
    }
}
