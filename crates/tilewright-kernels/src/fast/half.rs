//! Conversions between f16 and f32 by the CPU's instructions. A NaN becomes the one that the portable loops give.
#![allow(unsafe_code, reason = "calls instructions of CPU features on registers of the machine")]

use super::{
    functions::As,
    loops::{Convert, F16, Loop},
};
use crate::{
    Imm,
    halves::Halves,
    lanes::{Eight, Sixteen, VectorLanes},
};
use std::arch::x86_64::*;

const NAN: f32 = f32::from_bits(0x7fc0_0000);

/// Declares a loop of vectors, with the rest left to the portable one.
macro_rules! conversions {
    ($($name:ident($features:literal) $vector:ty: $from:ty => $to:ty, $portable:ty, |$src:ident, $dst:ident| $convert:expr;)*) => {$(
        #[target_feature(enable = $features)]
        pub(super) unsafe fn $name(dst: *mut u8, src: [*const u8; 3], n: usize, imm: &Imm) {
            let whole = n / <$vector>::LANES * <$vector>::LANES;
            // SAFETY: the contract of KernelFn.
            unsafe {
                let (from, to) = (src[0].cast::<$from>(), dst.cast::<$to>());
                for i in (0..whole).step_by(<$vector>::LANES) {
                    let ($src, $dst) = (from.add(i), to.add(i));
                    $convert;
                }
                let rest = from.add(whole).cast();
                <$portable>::run(to.add(whole).cast(), [rest; 3], n - whole, imm);
            }
        }
    )*};
}
conversions! {
    widen_avx512("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c") Sixteen: u16 => f32, Convert<F16, f32, As>, |src, dst| {
        let Sixteen(x) = Sixteen::widen_f16(Sixteen::load_packed(src));
        _mm512_storeu_ps(dst, _mm512_mask_mov_ps(x, _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(x, x), _mm512_set1_ps(NAN)))
    };
    widen_avx2("avx2,fma,f16c") Eight: u16 => f32, Convert<F16, f32, As>, |src, dst| {
        let Eight(x) = Eight::widen_f16(Eight::load_packed(src));
        _mm256_storeu_ps(dst, _mm256_blendv_ps(x, _mm256_set1_ps(NAN), _mm256_cmp_ps::<_CMP_UNORD_Q>(x, x)))
    };
    narrow_avx512("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c") Sixteen: f32 => u16, Convert<f32, F16, As>, |src, dst| {
        Sixteen::store_packed(Sixteen::load(src).narrow_f16(), dst)
    };
    narrow_avx2("avx2,fma,f16c") Eight: f32 => u16, Convert<f32, F16, As>, |src, dst| {
        Eight::store_packed(Eight::load(src).narrow_f16(), dst)
    };
}
