//! Vectors of numbers: what register-blocked loops are written with, one type for each instruction set.
//!
//! Loops over arrays are left to the compiler elsewhere; here the arrays must stay in registers, which it does not promise.
#![allow(unsafe_code, reason = "loads and stores through raw pointers, and calls instructions of CPU features")]

use tilewright_numeric::bulk;

/// A vector of `LANES` numbers.
///
/// # Safety
/// Methods of a type may only be called where the CPU has the features that the type is for.
pub unsafe trait Vector: Copy {
    /// A number of it.
    type Lane: Copy + Default;
    /// How many it has.
    const LANES: usize;
    /// Whether the first row of a panel is what sums begin with: where factors were changed to fit what the CPU multiplies, this makes up
    /// for it.
    const LEADS: bool = false;

    /// The same number in every lane.
    ///
    /// # Safety
    /// The CPU has the features.
    unsafe fn splat(value: Self::Lane) -> Self;

    /// Loads a vector.
    ///
    /// # Safety
    /// `from` holds a vector; it need not be aligned.
    unsafe fn load(from: *const Self::Lane) -> Self;

    /// Stores it.
    ///
    /// # Safety
    /// `to` has room for a vector; it need not be aligned.
    unsafe fn store(self, to: *mut Self::Lane);

    /// `self + other`.
    ///
    /// # Safety
    /// The CPU has the features.
    unsafe fn add(self, other: Self) -> Self;

    /// `self + a * b`; floats are rounded once where the CPU has an instruction for that, else twice.
    ///
    /// # Safety
    /// The CPU has the features.
    unsafe fn add_product(self, a: Self, b: Self) -> Self;
}

/// Vectors of `f32`, which narrower floats are widened to.
///
/// # Safety
/// As for [`Vector`].
pub(crate) unsafe trait Floats: Vector<Lane = f32> {
    /// # Safety
    /// `from` holds the bits of as many numbers of `f16` as a vector has lanes; it need not be aligned.
    unsafe fn load_f16(from: *const u16) -> Self;

    /// # Safety
    /// The same for `bf16`.
    unsafe fn load_bf16(from: *const u16) -> Self;
}

// SAFETY: needs no features.
unsafe impl Floats for [f32; 4] {
    #[inline(always)]
    unsafe fn load_f16(from: *const u16) -> Self {
        // SAFETY: by the contract.
        unsafe { from.cast::<[u16; 4]>().read_unaligned() }.map(bulk::f16_to_f32)
    }

    #[inline(always)]
    unsafe fn load_bf16(from: *const u16) -> Self {
        // SAFETY: by the contract.
        unsafe { from.cast::<[u16; 4]>().read_unaligned() }.map(bulk::bf16_to_f32)
    }
}

/// Declares vectors as arrays, for what every CPU has.
macro_rules! arrays {
    ($($lane:ty, $lanes:literal, |$a:ident, $b:ident, $c:ident| $sum:expr;)*) => {$(
        // SAFETY: needs no features.
        unsafe impl Vector for [$lane; $lanes] {
            type Lane = $lane;
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn splat(value: $lane) -> Self {
                [value; $lanes]
            }

            #[inline(always)]
            unsafe fn load(from: *const $lane) -> Self {
                // SAFETY: by the contract.
                unsafe { from.cast::<Self>().read_unaligned() }
            }

            #[inline(always)]
            unsafe fn store(self, to: *mut $lane) {
                // SAFETY: by the contract.
                unsafe { to.cast::<Self>().write_unaligned(self) }
            }

            #[inline(always)]
            unsafe fn add(self, other: Self) -> Self {
                std::array::from_fn(|i| self[i] + other[i])
            }

            #[inline(always)]
            unsafe fn add_product(self, a: Self, b: Self) -> Self {
                std::array::from_fn(|i| {
                    let ($a, $b, $c) = (a[i], b[i], self[i]);
                    $sum
                })
            }
        }
    )*};
}
arrays! {
    f32, 4, |a, b, c| if cfg!(target_arch = "aarch64") { a.mul_add(b, c) } else { a * b + c };
    f64, 2, |a, b, c| if cfg!(target_arch = "aarch64") { a.mul_add(b, c) } else { a * b + c };
}

/// Vectors of 32-bit sums whose factors are pairs of 16-bit numbers: both products are added.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Pairs<V>(V);

/// Vectors of 32-bit sums whose factors are four bytes each: all four products are added, of signed bytes with unsigned ones. The right
/// factor's are the signed ones if `RIGHT_SIGNED`, else the left one's.
#[derive(Clone, Copy)]
#[repr(transparent)]
#[cfg(target_arch = "x86_64")]
pub(crate) struct Quads<V, const RIGHT_SIGNED: bool>(V);

// SAFETY: needs no features.
unsafe impl Vector for Pairs<[i32; 4]> {
    type Lane = i32;
    const LANES: usize = 4;

    #[inline(always)]
    unsafe fn splat(value: i32) -> Self {
        Pairs([value; 4])
    }

    #[inline(always)]
    unsafe fn load(from: *const i32) -> Self {
        // SAFETY: by the contract.
        Pairs(unsafe { from.cast::<[i32; 4]>().read_unaligned() })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut i32) {
        // SAFETY: by the contract.
        unsafe { to.cast::<[i32; 4]>().write_unaligned(self.0) }
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        Pairs(std::array::from_fn(|i| self.0[i].wrapping_add(other.0[i])))
    }

    #[inline(always)]
    unsafe fn add_product(self, a: Self, b: Self) -> Self {
        let product = |x: i32, y: i32| {
            let (low, high) = (i32::from(x as i16) * i32::from(y as i16), (x >> 16) * (y >> 16));
            low.wrapping_add(high)
        };
        Pairs(std::array::from_fn(|i| self.0[i].wrapping_add(product(a.0[i], b.0[i]))))
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Floats, Pairs, Quads, Vector};
    use std::arch::x86_64::*;

    /// Declares vectors of the CPU.
    macro_rules! vectors {
        ($($vector:ty, $lane:ty, $lanes:literal, $splat:ident $load:ident $store:ident $add:ident $fma:ident;)*) => {$(
            // SAFETY: the intrinsics need the features that the vector type is for, which is the caller's contract.
            unsafe impl Vector for $vector {
                type Lane = $lane;
                const LANES: usize = $lanes;

                #[inline(always)]
                unsafe fn splat(value: $lane) -> Self {
                    // SAFETY: by the contract.
                    unsafe { $splat(value) }
                }

                #[inline(always)]
                unsafe fn load(from: *const $lane) -> Self {
                    // SAFETY: by the contract.
                    unsafe { $load(from) }
                }

                #[inline(always)]
                unsafe fn store(self, to: *mut $lane) {
                    // SAFETY: by the contract.
                    unsafe { $store(to, self) }
                }

                #[inline(always)]
                unsafe fn add(self, other: Self) -> Self {
                    // SAFETY: by the contract.
                    unsafe { $add(self, other) }
                }

                #[inline(always)]
                unsafe fn add_product(self, a: Self, b: Self) -> Self {
                    // SAFETY: by the contract.
                    unsafe { $fma(a, b, self) }
                }
            }
        )*};
    }
    vectors! {
        __m256, f32, 8, _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps _mm256_add_ps _mm256_fmadd_ps;
        __m256d, f64, 4, _mm256_set1_pd _mm256_loadu_pd _mm256_storeu_pd _mm256_add_pd _mm256_fmadd_pd;
        __m512, f32, 16, _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps _mm512_add_ps _mm512_fmadd_ps;
        __m512d, f64, 8, _mm512_set1_pd _mm512_loadu_pd _mm512_storeu_pd _mm512_add_pd _mm512_fmadd_pd;
    }

    /// Declares how vectors of `f32` are widened.
    macro_rules! floats {
        ($($vector:ty, $half:ident $from_f16:ident $zero_extended:ident $shifted:ident $cast:ident;)*) => {$(
            // SAFETY: as above.
            unsafe impl Floats for $vector {
                #[inline(always)]
                unsafe fn load_f16(from: *const u16) -> Self {
                    // SAFETY: by the contract.
                    unsafe { $from_f16($half(from.cast())) }
                }

                #[inline(always)]
                unsafe fn load_bf16(from: *const u16) -> Self {
                    // SAFETY: by the contract.
                    unsafe { $cast($shifted::<16>($zero_extended($half(from.cast())))) }
                }
            }
        )*};
    }
    floats! {
        __m256, _mm_loadu_si128 _mm256_cvtph_ps _mm256_cvtepu16_epi32 _mm256_slli_epi32 _mm256_castsi256_ps;
        __m512, _mm256_loadu_si256 _mm512_cvtph_ps _mm512_cvtepu16_epi32 _mm512_slli_epi32 _mm512_castsi512_ps;
    }

    /// Declares vectors of sums of integers.
    macro_rules! integers {
        ($(
            $vector:ty, $lanes:literal, leads: $leads:literal,
            $splat:ident $load:ident $store:ident $add:ident, |$sum:ident, $a:ident, $b:ident| $result:expr;
        )*) => {$(
            // SAFETY: the intrinsics need the features that the vector type is for, which is the caller's contract.
            unsafe impl Vector for $vector {
                type Lane = i32;
                const LANES: usize = $lanes;
                const LEADS: bool = $leads;

                #[inline(always)]
                unsafe fn splat(value: i32) -> Self {
                    // SAFETY: by the contract.
                    Self(unsafe { $splat(value) })
                }

                #[inline(always)]
                unsafe fn load(from: *const i32) -> Self {
                    // SAFETY: by the contract.
                    Self(unsafe { $load(from.cast()) })
                }

                #[inline(always)]
                unsafe fn store(self, to: *mut i32) {
                    // SAFETY: by the contract.
                    unsafe { $store(to.cast(), self.0) }
                }

                #[inline(always)]
                unsafe fn add(self, other: Self) -> Self {
                    // SAFETY: by the contract.
                    Self(unsafe { $add(self.0, other.0) })
                }

                #[inline(always)]
                unsafe fn add_product(self, a: Self, b: Self) -> Self {
                    let ($sum, $a, $b) = (self.0, a.0, b.0);
                    // SAFETY: by the contract.
                    Self(unsafe { $result })
                }
            }
        )*};
    }
    integers! {
        Pairs<__m256i>, 8, leads: false, _mm256_set1_epi32 _mm256_loadu_si256 _mm256_storeu_si256 _mm256_add_epi32,
            |sum, a, b| _mm256_add_epi32(sum, _mm256_madd_epi16(a, b));
        Pairs<__m512i>, 16, leads: false, _mm512_set1_epi32 _mm512_loadu_si512 _mm512_storeu_si512 _mm512_add_epi32,
            |sum, a, b| _mm512_add_epi32(sum, _mm512_madd_epi16(a, b));
        Quads<__m512i, true>, 16, leads: true, _mm512_set1_epi32 _mm512_loadu_si512 _mm512_storeu_si512 _mm512_add_epi32,
            |sum, a, b| _mm512_dpbusd_epi32(sum, a, b);
        Quads<__m512i, false>, 16, leads: true, _mm512_set1_epi32 _mm512_loadu_si512 _mm512_storeu_si512 _mm512_add_epi32,
            |sum, a, b| _mm512_dpbusd_epi32(sum, b, a);
    }
}
