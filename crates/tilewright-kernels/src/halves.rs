//! Floats of 16 bits in vectors of `f32`: how they are widened, and how numbers are rounded to them, to the nearest, ties to even.
//!
//! The bits are those of the portable loops, NaNs included.
#![allow(unsafe_code, reason = "loads and stores through raw pointers, and calls instructions of CPU features")]

use super::lanes::{Eight, Sixteen, VectorLanes};
use std::arch::x86_64::*;

/// What a NaN is rounded to.
const NAN: i16 = 0x7fff;

/// A vector of `f32` whose numbers lie as floats of 16 bits in memory.
pub(crate) trait Halves: VectorLanes {
    /// As many numbers of 16 bits as the vector has lanes.
    type Packed: Copy;

    /// # Safety
    /// The CPU has the features that the type is for, and `from` holds as many numbers as a vector has lanes.
    unsafe fn load_packed(from: *const u16) -> Self::Packed;

    /// # Safety
    /// `to` has room for as many numbers as a vector has lanes, and the CPU has the features that the type is for.
    unsafe fn store_packed(packed: Self::Packed, to: *mut u16);

    /// # Safety
    /// The CPU has the features that the type is for; so below.
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
