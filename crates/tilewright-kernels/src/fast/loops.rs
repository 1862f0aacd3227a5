//! The loops of fast kernels, over any type of elements and any function of them.
#![allow(unsafe_code, reason = "reads and writes registers through raw pointers, and calls versions for CPU features")]

use crate::{ElemOp, Imm, KernelFn, cpu::Level};
use std::marker::PhantomData;
use tilewright_numeric::{branch_free, bulk};

/// An element as it lies in a register, and the type that arithmetic uses for it.
pub(crate) trait Lane: Copy {
    type Wide: Copy;
    fn widen(self) -> Self::Wide;
    fn narrow(wide: Self::Wide) -> Self;
}

macro_rules! plain_lanes {
    ($($t:ty)*) => {$(
        impl Lane for $t {
            type Wide = $t;
            #[inline(always)]
            fn widen(self) -> $t {
                self
            }
            #[inline(always)]
            fn narrow(wide: $t) -> $t {
                wide
            }
        }
    )*};
}
plain_lanes! { i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 }

/// Declares a small float that arithmetic widens to f32.
macro_rules! small_lane {
    ($name:ident($bits:ty) $widen:path, $narrow:path) => {
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub(crate) struct $name($bits);

        impl $name {
            #[inline(always)]
            pub(super) fn from_bits(bits: $bits) -> Self {
                $name(bits)
            }
        }

        impl Lane for $name {
            type Wide = f32;
            #[inline(always)]
            fn widen(self) -> f32 {
                $widen(self.0)
            }
            #[inline(always)]
            fn narrow(wide: f32) -> Self {
                $name::from_bits($narrow(wide))
            }
        }
    };
}
small_lane! { F16(u16) bulk::f16_to_f32, bulk::f32_to_f16 }
small_lane! { Bf16(u16) bulk::bf16_to_f32, bulk::f32_to_bf16 }
small_lane! { E4m3(u8) bulk::e4m3_to_f32, bulk::f32_to_e4m3 }
small_lane! { E5m2(u8) bulk::e5m2_to_f32, bulk::f32_to_e5m2 }
small_lane! { E8m0(u8) bulk::e8m0_to_f32, branch_free::f32_to_e8m0 }
small_lane! { Fnv8(u8) bulk::fnv8_to_f32, bulk::f32_to_fnv8 }
small_lane! { F4(u8) bulk::f4_to_f32, bulk::f32_to_f4 }

/// Declares a signed integer of a few bits, which lie in a byte with zeros above.
macro_rules! short_lane {
    ($name:ident $bits:literal) => {
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub(super) struct $name(u8);

        impl Lane for $name {
            type Wide = i8;
            #[inline(always)]
            fn widen(self) -> i8 {
                // From 32 bits, for which the CPU has shifts in vectors.
                ((i32::from(self.0) << (32 - $bits)) >> (32 - $bits)) as i8
            }
            #[inline(always)]
            fn narrow(wide: i8) -> Self {
                $name(wide.cast_unsigned() & ((1 << $bits) - 1))
            }
        }
    };
}
short_lane! { Bit 1 }
short_lane! { Nibble 4 }

/// A function of one value.
pub(super) trait Fn1<T: Copy> {
    /// The function, without branches where loops of it shall become vector code.
    fn apply(x: T) -> T;

    /// Whether there are values that `apply` does not take.
    const PARTIAL: bool = false;

    /// Whether `apply` takes a value.
    #[inline(always)]
    fn takes(_: T) -> bool {
        true
    }

    /// The function of any value; equal to `apply` where that takes it.
    #[inline(always)]
    fn apply_any(x: T) -> T {
        Self::apply(x)
    }
}

/// A function of two values.
pub(crate) trait Fn2<T> {
    fn apply(x: T, y: T) -> T;

    /// Where values that are folded with this function may as well be taken in any order by [`add`](Fn2::add): what to begin with.
    #[inline(always)]
    fn start() -> Option<T> {
        None
    }

    /// Adds a value to those that were folded so far.
    #[inline(always)]
    fn add(folded: T, x: T) -> T {
        Self::apply(folded, x)
    }

    /// Whether what values were folded to by [`add`](Fn2::add) is what [`apply`](Fn2::apply) makes of them.
    #[inline(always)]
    fn is_certain(_: T) -> bool {
        true
    }
}

/// A function of three values.
pub(super) trait Fn3<T> {
    fn apply(x: T, y: T, z: T) -> T;
}

/// A relation of two values.
pub(super) trait Relation<T> {
    fn holds(x: T, y: T) -> bool;
}

/// A conversion.
pub(super) trait Cast<T, R> {
    fn cast(x: T) -> R;
}

/// A loop over the elements of registers.
pub(super) trait Loop {
    /// # Safety
    /// As [`KernelFn`] demands.
    unsafe fn run(dst: *mut u8, src: [*const u8; 3], n: usize, imm: &Imm);
}

/// The version of a loop for a level of this CPU. There is none for AVX-512, on which fused regions do what takes long: it would take a third of
/// the time that all loops take to compile.
pub(super) fn at<L: Loop>(level: Level) -> KernelFn {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 | Level::Avx512 => avx2::<L>,
        _ => L::run,
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn avx2<L: Loop>(dst: *mut u8, src: [*const u8; 3], n: usize, imm: &Imm) {
    // SAFETY: by the caller.
    unsafe { L::run(dst, src, n, imm) }
}

/// The version of a loop for every CPU.
pub(super) fn portable<L: Loop>() -> KernelFn {
    L::run
}

/// The elements of a register.
///
/// # Safety
/// As [`KernelFn`] demands of a source.
#[inline(always)]
pub(super) unsafe fn lanes<'a, T>(base: *const u8, n: usize) -> &'a [T] {
    // SAFETY: by the contract.
    unsafe { std::slice::from_raw_parts(base.cast(), n) }
}

/// The elements of a register, to be written.
///
/// # Safety
/// As [`KernelFn`] demands of the destination.
#[inline(always)]
pub(super) unsafe fn lanes_mut<'a, T>(base: *mut u8, n: usize) -> &'a mut [T] {
    // SAFETY: by the contract; registers always hold initialised bytes.
    unsafe { std::slice::from_raw_parts_mut(base.cast(), n) }
}

/// Elements whose values are looked at together before a function is applied without branches.
const LOOK_AHEAD: usize = 64;

pub(super) struct Map1<T, F>(PhantomData<(T, F)>);
impl<T: Lane, F: Fn1<T::Wide>> Loop for Map1<T, F> {
    #[inline(always)]
    unsafe fn run(dst: *mut u8, src: [*const u8; 3], n: usize, _: &Imm) {
        // SAFETY: the contract of KernelFn.
        let (d, a) = unsafe { (lanes_mut::<T>(dst, n), lanes::<T>(src[0], n)) };
        if !F::PARTIAL {
            for (d, a) in d.iter_mut().zip(a) {
                *d = T::narrow(F::apply(a.widen()));
            }
            return;
        }
        for (d, a) in d.chunks_mut(LOOK_AHEAD).zip(a.chunks(LOOK_AHEAD)) {
            // No short cut: the test becomes vector code.
            if a.iter().fold(true, |all, a| all & F::takes(a.widen())) {
                for (d, a) in d.iter_mut().zip(a) {
                    *d = T::narrow(F::apply(a.widen()));
                }
            } else {
                for (d, a) in d.iter_mut().zip(a) {
                    *d = T::narrow(F::apply_any(a.widen()));
                }
            }
        }
    }
}

pub(super) struct Map2<T, F>(PhantomData<(T, F)>);
impl<T: Lane, F: Fn2<T::Wide>> Loop for Map2<T, F> {
    #[inline(always)]
    unsafe fn run(dst: *mut u8, src: [*const u8; 3], n: usize, _: &Imm) {
        // SAFETY: the contract of KernelFn.
        let (d, a, b) = unsafe { (lanes_mut::<T>(dst, n), lanes::<T>(src[0], n), lanes::<T>(src[1], n)) };
        for ((d, a), b) in d.iter_mut().zip(a).zip(b) {
            *d = T::narrow(F::apply(a.widen(), b.widen()));
        }
    }
}

/// A long function of two values.
pub(super) trait LongFn2<T: Copy> {
    /// The second operand.
    type Second: Copy + Default;

    fn apply(x: T, y: Self::Second) -> T;
}

/// Elements that a long function is applied to together.
const GROUP: usize = 32;

/// A long function of elements of the types `T` and `N`. It stands in the loop once, for whole groups only: the compiler would not put it
/// into several loops, and code that it calls has no vectors.
pub(super) struct MapGroups<T, N, F>(PhantomData<(T, N, F)>);
impl<T, N, F> Loop for MapGroups<T, N, F>
where
    T: Lane<Wide: Default>,
    N: Lane<Wide: Into<F::Second>>,
    F: LongFn2<T::Wide>,
{
    #[inline(always)]
    unsafe fn run(dst: *mut u8, src: [*const u8; 3], n: usize, _: &Imm) {
        // SAFETY: the contract of KernelFn.
        let (d, a, b) = unsafe { (lanes_mut::<T>(dst, n), lanes::<T>(src[0], n), lanes::<N>(src[1], n)) };
        let (mut x, mut y) = ([T::Wide::default(); GROUP], [F::Second::default(); GROUP]);
        for ((d, a), b) in d.chunks_mut(GROUP).zip(a.chunks(GROUP)).zip(b.chunks(GROUP)) {
            for (x, a) in x.iter_mut().zip(a) {
                *x = a.widen();
            }
            for (y, b) in y.iter_mut().zip(b) {
                *y = b.widen().into();
            }
            for (x, y) in x.iter_mut().zip(&y) {
                *x = F::apply(*x, *y);
            }
            for (d, x) in d.iter_mut().zip(x) {
                *d = T::narrow(x);
            }
        }
    }
}

pub(super) struct Compare<T, R>(PhantomData<(T, R)>);
impl<T: Lane, R: Relation<T::Wide>> Loop for Compare<T, R> {
    #[inline(always)]
    unsafe fn run(dst: *mut u8, src: [*const u8; 3], n: usize, _: &Imm) {
        // SAFETY: the contract of KernelFn.
        let (d, a, b) = unsafe { (lanes_mut::<u8>(dst, n), lanes::<T>(src[0], n), lanes::<T>(src[1], n)) };
        for ((d, a), b) in d.iter_mut().zip(a).zip(b) {
            *d = R::holds(a.widen(), b.widen()).into();
        }
    }
}

pub(super) struct Convert<T, R, C>(PhantomData<(T, R, C)>);
impl<T: Lane, R: Lane, C: Cast<T::Wide, R::Wide>> Loop for Convert<T, R, C> {
    #[inline(always)]
    unsafe fn run(dst: *mut u8, src: [*const u8; 3], n: usize, _: &Imm) {
        // SAFETY: the contract of KernelFn.
        let (d, a) = unsafe { (lanes_mut::<R>(dst, n), lanes::<T>(src[0], n)) };
        for (d, a) in d.iter_mut().zip(a) {
            *d = R::narrow(C::cast(a.widen()));
        }
    }
}

pub(super) struct Map3<T, F>(PhantomData<(T, F)>);
impl<T: Lane, F: Fn3<T::Wide>> Loop for Map3<T, F> {
    #[inline(always)]
    unsafe fn run(dst: *mut u8, src: [*const u8; 3], n: usize, _: &Imm) {
        // SAFETY: the contract of KernelFn.
        let (d, a, b, c) = unsafe { (lanes_mut::<T>(dst, n), lanes::<T>(src[0], n), lanes::<T>(src[1], n), lanes::<T>(src[2], n)) };
        for (((d, a), b), c) in d.iter_mut().zip(a).zip(b).zip(c) {
            *d = T::narrow(F::apply(a.widen(), b.widen(), c.widen()));
        }
    }
}

pub(super) struct Select<T>(PhantomData<T>);
impl<T: Lane> Loop for Select<T> {
    #[inline(always)]
    unsafe fn run(dst: *mut u8, src: [*const u8; 3], n: usize, _: &Imm) {
        // SAFETY: the contract of KernelFn.
        let (d, chosen, a, b) = unsafe { (lanes_mut::<T>(dst, n), lanes::<u8>(src[0], n), lanes::<T>(src[1], n), lanes::<T>(src[2], n)) };
        for (((d, c), a), b) in d.iter_mut().zip(chosen).zip(a).zip(b) {
            // Not an `if`: it would choose where to read from, element by element.
            *d = std::hint::select_unpredictable(*c != 0, *a, *b);
        }
    }
}

pub(super) struct Offset<I>(PhantomData<I>);
impl<I: Lane<Wide: Into<i64>>> Loop for Offset<I> {
    #[inline(always)]
    unsafe fn run(dst: *mut u8, src: [*const u8; 3], n: usize, imm: &Imm) {
        let ElemOp::Offset(size) = imm.op else { unreachable!("selected for offset") };
        let offset = |pointer: u64, index: I| {
            let index: i64 = index.widen().into();
            pointer.wrapping_add(index.cast_unsigned().wrapping_mul(size))
        };
        // SAFETY: the contract of KernelFn.
        let (d, p, i) = unsafe { (lanes_mut::<u64>(dst, n), lanes::<u64>(src[0], n), lanes::<I>(src[1], n)) };
        for ((d, p), i) in d.iter_mut().zip(p).zip(i) {
            *d = offset(*p, *i);
        }
    }
}

pub(super) struct CopyBits;
impl Loop for CopyBits {
    #[inline(always)]
    unsafe fn run(dst: *mut u8, src: [*const u8; 3], n: usize, imm: &Imm) {
        // SAFETY: the contract of KernelFn.
        unsafe { std::ptr::copy_nonoverlapping(src[0], dst, n * imm.dst.size()) };
    }
}
