//! Conversions between f16 and f32 by the CPU's instructions. A NaN becomes the one that the portable loops give.
#![allow(unsafe_code, reason = "calls instructions of CPU features on registers of the machine")]

use super::{
    functions::As,
    loops::{Convert, F16, Loop},
};
use crate::kernels::{
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

#[cfg(test)]
mod tests {
    use super::super::convert::{narrow_to_f16, widen_f16};
    use crate::{
        cpu::Level,
        elem::Elem,
        kernels::{ElemOp, KernelFn, select},
    };
    use tilewright_ir::{RoundingMode, Scalar};
    use tilewright_numeric::bulk;

    fn run<T, R: Clone + Default>(kernel: KernelFn, [src, dst]: [Scalar; 2], from: &[T]) -> Vec<R> {
        let [src, dst] = [src, dst].map(Elem::Num);
        let imm = select(ElemOp::FToF(RoundingMode::NearestEven), &[src], dst).unwrap().imm;
        let mut to = vec![R::default(); from.len()];
        // SAFETY: both arrays have as many elements.
        unsafe { kernel(to.as_mut_ptr().cast(), [from.as_ptr().cast(); 3], from.len(), &imm) };
        to
    }

    #[test]
    fn every_level_widens_every_number_alike() {
        let all: Vec<u16> = (0..=u16::MAX).chain([1; 5]).collect();
        let expected: Vec<u32> = all.iter().map(|half| bulk::f16_to_f32(*half).to_bits()).collect();
        for level in Level::available() {
            assert!(run::<_, u32>(widen_f16(level), [Scalar::F16, Scalar::F32], &all) == expected, "{level:?}");
        }
    }

    #[test]
    fn every_level_rounds_alike() {
        // Numbers of `f16`, the middle between neighbours, what is just beside both, and NaNs of all kinds.
        let beside = |bits: u32| [bits, bits.wrapping_sub(1), bits + 1, bits + 0x0fff, bits + 0x1000, bits + 0x1001];
        let numbers = (0..=u16::MAX).flat_map(|half| beside(bulk::f16_to_f32(half).to_bits()));
        let tiny = (0..1 << 15).map(|i| 0x3300_0000 + (i << 8));
        let all: Vec<u32> = numbers.chain(tiny).chain([0x7f80_0001, 0xff80_0001, 0xffff_ffff]).collect();
        let expected: Vec<u16> = all.iter().map(|bits| bulk::f32_to_f16(f32::from_bits(*bits))).collect();
        for level in Level::available() {
            assert!(run::<_, u16>(narrow_to_f16(level), [Scalar::F32, Scalar::F16], &all) == expected, "{level:?}");
        }
    }
}
