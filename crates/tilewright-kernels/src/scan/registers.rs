//! Scanning blocks of floats in registers of the CPU: with AVX-512 a block is a vector, with AVX2 two. Short ones are widened to `f32`, and rounded
//! after each step as they are in memory.
#![allow(unsafe_code, reason = "calls instructions of CPU features on registers of the machine")]

use super::{BLOCK, Blocks, ROUNDS};
use crate::{
    ElemOp,
    cpu::Level,
    elem::Elem,
    fast::{
        functions::AddF,
        loops::{Bf16, F16, Fn2, Lane},
    },
    halves::Halves,
    lanes::{Eight, Sixteen, VectorLanes},
    narrow::{self, Floats, VectorFn2},
    rows::{RowsFn, Scan, avx2, avx512},
};
use std::{
    arch::x86_64::{__m256, __m512},
    marker::PhantomData,
};
use tilewright_ir::{RoundingMode, Scalar};

/// Floats that blocks in registers hold as `f32`.
trait Float: Lane<Wide = f32> {
    /// # Safety
    /// `from` holds a vector, and the CPU has its features.
    unsafe fn load<V: Halves>(from: *const Self) -> V;
    /// # Safety
    /// `to` has room for a vector, and the CPU has its features.
    unsafe fn store<V: Halves>(x: V, to: *mut Self);
    /// Numbers as they would be read after they are stored.
    fn round<V: Halves>(x: V) -> V;
}

/// Declares how vectors of a type are loaded, stored and rounded.
macro_rules! floats {
    ($($t:ty: |$from:ident| $load:expr, |$x:ident, $to:ident| $store:expr, |$y:ident| $round:expr;)*) => {$(
        impl Float for $t {
            #[inline(always)]
            unsafe fn load<V: Halves>($from: *const Self) -> V {
                // SAFETY: by the contract.
                unsafe { $load }
            }
            #[inline(always)]
            unsafe fn store<V: Halves>($x: V, $to: *mut Self) {
                // SAFETY: by the contract.
                unsafe { $store }
            }
            #[inline(always)]
            fn round<V: Halves>($y: V) -> V {
                $round
            }
        }
    )*};
}
floats! {
    f32: |from| V::load(from), |x, to| x.store(to), |x| x;
    F16: |from| V::widen_f16(V::load_packed(from.cast())), |x, to| V::store_packed(x.narrow_f16(), to.cast()), |x| x.round_f16();
    Bf16: |from| V::widen_bf16(V::load_packed(from.cast())), |x, to| V::store_packed(x.narrow_bf16(), to.cast()), |x| x.round_bf16();
}

/// A block in registers, whose numbers are combined with `F`.
///
/// # Safety
/// Methods may only be called where the CPU has the features of the registers.
unsafe trait Held<F>: Copy {
    /// # Safety
    /// `from` holds a block.
    unsafe fn load<T: Float>(from: *const T) -> Self;
    /// # Safety
    /// `to` has room for a block.
    unsafe fn store<T: Float>(self, to: *mut T);
    unsafe fn same(value: f32) -> Self;
    fn rounded<T: Float>(self) -> Self;
    unsafe fn combine(self, other: Self) -> Self;
    /// Combines each number with the one at a distance before it in its block, or behind it if `BACK`, where there is one.
    unsafe fn round<const BACK: bool, const DISTANCE: usize>(self) -> Self;
}

// SAFETY: instructions of AVX-512 only.
unsafe impl<F: VectorFn2<__m512>> Held<F> for Sixteen {
    #[inline(always)]
    unsafe fn load<T: Float>(from: *const T) -> Self {
        // SAFETY: by the contract; so below.
        unsafe { Sixteen(F::prepare(T::load::<Sixteen>(from).0)) }
    }

    #[inline(always)]
    unsafe fn store<T: Float>(self, to: *mut T) {
        // SAFETY: as above.
        unsafe { T::store(self, to) }
    }

    #[inline(always)]
    unsafe fn same(value: f32) -> Self {
        // SAFETY: as above.
        unsafe { Sixteen(F::prepare(<Sixteen as VectorLanes>::same(value).0)) }
    }

    #[inline(always)]
    fn rounded<T: Float>(self) -> Self {
        T::round(self)
    }

    #[inline(always)]
    unsafe fn combine(self, other: Self) -> Self {
        // SAFETY: as above.
        Sixteen(unsafe { F::combine(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn round<const BACK: bool, const DISTANCE: usize>(self) -> Self {
        let before = self.behind(self, if BACK { DISTANCE } else { BLOCK - DISTANCE });
        // SAFETY: as above.
        let both = unsafe { Held::<F>::combine(before, self) };
        if BACK { both.begun(BLOCK - DISTANCE, self) } else { self.begun(DISTANCE, both) }
    }
}

/// Two vectors combined. No closure: only functions are always inlined, and instructions are where a function has their features.
#[inline(always)]
fn eight<F: VectorFn2<__m256>>(x: Eight, y: Eight) -> Eight {
    // SAFETY: the values show that the CPU has the instructions.
    Eight(unsafe { F::combine(x.0, y.0) })
}

/// Numbers of a half of a block that is two vectors.
const HALF: usize = BLOCK / 2;

// SAFETY: instructions of AVX2 only.
unsafe impl<F: VectorFn2<__m256>> Held<F> for [Eight; 2] {
    #[inline(always)]
    unsafe fn load<T: Float>(from: *const T) -> Self {
        // SAFETY: by the contract; so below.
        unsafe { [Eight(F::prepare(T::load::<Eight>(from).0)), Eight(F::prepare(T::load::<Eight>(from.add(HALF)).0))] }
    }

    #[inline(always)]
    unsafe fn store<T: Float>(self, to: *mut T) {
        // SAFETY: as above.
        unsafe {
            T::store(self[0], to);
            T::store(self[1], to.add(HALF));
        }
    }

    #[inline(always)]
    unsafe fn same(value: f32) -> Self {
        // SAFETY: as above.
        [unsafe { Eight(F::prepare(<Eight as VectorLanes>::same(value).0)) }; 2]
    }

    #[inline(always)]
    fn rounded<T: Float>(self) -> Self {
        [T::round(self[0]), T::round(self[1])]
    }

    #[inline(always)]
    unsafe fn combine(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { [Eight(F::combine(self[0].0, other[0].0)), Eight(F::combine(self[1].0, other[1].0))] }
    }

    #[inline(always)]
    unsafe fn round<const BACK: bool, const DISTANCE: usize>(self) -> Self {
        let [low, high] = self;
        match (BACK, DISTANCE == HALF) {
            (false, true) => [low, eight::<F>(low, high)],
            (true, true) => [eight::<F>(high, low), high],
            (false, false) => {
                let before = [low.behind(low, HALF - DISTANCE), high.behind(low, HALF - DISTANCE)];
                [low.begun(DISTANCE, eight::<F>(before[0], low)), eight::<F>(before[1], high)]
            }
            (true, false) => {
                let before = [high.behind(low, DISTANCE), high.behind(high, DISTANCE)];
                [eight::<F>(before[0], low), eight::<F>(before[1], high).begun(HALF - DISTANCE, high)]
            }
        }
    }
}

/// Blocks in registers `V` that are combined with `F`.
struct Registers<F, V>(PhantomData<(F, V)>);

impl<T: Float, F, V: Held<F>> Blocks<T> for Registers<F, V> {
    #[inline(always)]
    unsafe fn scan<const BACK: bool>(from: &[T], to: &mut [T], _: &mut [T], mut fetch: impl FnMut()) {
        // As many parts as there are rounds elsewhere, which fetching is spread over.
        let part = (from.len() / ROUNDS).max(BLOCK);
        for (from, to) in from.chunks(part).zip(to.chunks_mut(part)) {
            fetch();
            for (from, to) in from.as_chunks::<BLOCK>().0.iter().zip(to.as_chunks_mut::<BLOCK>().0) {
                // SAFETY: by the contract.
                unsafe {
                    let x = V::load(from.as_ptr());
                    let x = x.round::<BACK, 1>().rounded::<T>();
                    let x = x.round::<BACK, 2>().rounded::<T>();
                    let x = x.round::<BACK, 4>().rounded::<T>();
                    x.round::<BACK, 8>().store(to.as_mut_ptr());
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn add(sum: T, block: &mut [T; BLOCK]) {
        // SAFETY: by the contract.
        unsafe { V::same(sum.widen()).combine(V::load(block.as_ptr())).store(block.as_mut_ptr()) };
    }
}

/// Scans at a level, from the last element to the first if it says so.
struct Scans {
    level: Level,
    back: bool,
}

impl Scans {
    fn of<T: Float, F: VectorFn2<__m512> + VectorFn2<__m256> + Fn2<f32>>(&self) -> Option<RowsFn> {
        match (self.level, self.back) {
            (Level::Avx512, false) => Some(avx512::<Scan<T, F, Registers<F, Sixteen>, false>>),
            (Level::Avx512, true) => Some(avx512::<Scan<T, F, Registers<F, Sixteen>, true>>),
            (Level::Avx2, false) => Some(avx2::<Scan<T, F, Registers<F, [Eight; 2]>, false>>),
            (Level::Avx2, true) => Some(avx2::<Scan<T, F, Registers<F, [Eight; 2]>, true>>),
            (Level::Baseline, _) => None,
        }
    }
}

impl Floats for Scans {
    fn kernel<F: VectorFn2<__m512> + VectorFn2<__m256>>(&self) -> Option<RowsFn> {
        self.of::<f32, F>()
    }
}

/// The scan of rows of these elements with an operation, if blocks fit in registers: of `f32`, and sums of short floats.
pub(crate) fn select(level: Level, back: bool, op: ElemOp, elem: Elem) -> Option<RowsFn> {
    let scans = Scans { level, back };
    match (elem, op) {
        (Elem::Num(Scalar::F32), _) => narrow::select_float(&scans, op),
        (Elem::Num(Scalar::F16), ElemOp::AddF(RoundingMode::NearestEven, false)) => scans.of::<F16, AddF>(),
        (Elem::Num(Scalar::Bf16), ElemOp::AddF(RoundingMode::NearestEven, false)) => scans.of::<Bf16, AddF>(),
        _ => None,
    }
}
