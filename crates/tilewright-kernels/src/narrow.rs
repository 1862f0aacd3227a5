//! Reducing many short rows at once: as many as a vector has lanes.
//!
//! Each row becomes one vector, whose lanes are then combined half with half for all rows together: the lower halves of two rows go
//! into one vector and their upper halves into another, so every combination works on a full vector and the results end side by side.
//! The order is that of any reduction (see [`rows`](super::rows)): shuffles bring the same pairs together.
#![allow(unsafe_code, reason = "calls instructions of CPU features on registers of the machine")]

use super::{
    ElemOp,
    ahead::Ahead,
    fast::{functions::*, loops::Fn2},
    rows::{Reduce, Rows, RowsFn},
    vector::Vector,
};
use crate::{cpu::Level, elem::Elem};
use std::arch::x86_64::*;
use tilewright_ir::{RoundingMode, Scalar};

/// A function of two floats, on whole vectors: lane by lane what `Fn2` says, but for the payload of a NaN.
///
/// # Safety
/// Methods may only be called where the CPU has the features that the vector is for.
pub(super) unsafe trait VectorFn2<V>: Fn2<f32> {
    /// Brings loaded values to a form that `combine` takes.
    #[inline(always)]
    unsafe fn prepare(loaded: V) -> V {
        loaded
    }

    unsafe fn combine(x: V, y: V) -> V;
}

/// Declares functions of vectors.
macro_rules! vector_functions {
    ($($name:ident $vector:ty, $([|$loaded:ident| $prepare:expr])? |$x:ident, $y:ident| $combine:expr;)*) => {$(
        // SAFETY: the instructions are those of the features that the vector is for.
        unsafe impl VectorFn2<$vector> for $name {
            $(#[inline(always)]
            unsafe fn prepare($loaded: $vector) -> $vector {
                // SAFETY: by the contract.
                unsafe { $prepare }
            })?

            #[inline(always)]
            unsafe fn combine($x: $vector, $y: $vector) -> $vector {
                // SAFETY: by the contract.
                unsafe { $combine }
            }
        }
    )*};
}

const LEAST: i32 = 0b0100;
const GREATEST: i32 = 0b0101;
// `range` passes over a quiet NaN, but not over a signalling one: values are made quiet first.
vector_functions! {
    AddF __m512, |x, y| _mm512_add_ps(x, y);
    MulF __m512, |x, y| _mm512_mul_ps(x, y);
    MaxF __m512, [|x| _mm512_range_ps::<GREATEST>(x, x)] |x, y| _mm512_range_ps::<GREATEST>(x, y);
    MinF __m512, [|x| _mm512_range_ps::<LEAST>(x, x)] |x, y| _mm512_range_ps::<LEAST>(x, y);
    MaxNan __m512, |x, y| or_nan(_mm512_range_ps::<GREATEST>(x, y), x, y);
    MinNan __m512, |x, y| or_nan(_mm512_range_ps::<LEAST>(x, y), x, y);
    AddF __m256, |x, y| _mm256_add_ps(x, y);
    MulF __m256, |x, y| _mm256_mul_ps(x, y);
    MaxF __m256, |x, y| first_if::<_CMP_GT_OQ>(x, y, _mm256_andnot_ps(x, equal(x, y)), y);
    MinF __m256, |x, y| first_if::<_CMP_LT_OQ>(x, y, _mm256_and_ps(x, equal(x, y)), y);
    MaxNan __m256, |x, y| first_if::<_CMP_GT_OQ>(x, y, _mm256_andnot_ps(x, equal(x, y)), x);
    MinNan __m256, |x, y| first_if::<_CMP_LT_OQ>(x, y, _mm256_and_ps(x, equal(x, y)), x);
}

/// `value`, or NaN where `x` or `y` is NaN.
#[inline]
#[target_feature(enable = "avx512f")]
fn or_nan(value: __m512, x: __m512, y: __m512) -> __m512 {
    _mm512_mask_add_ps(value, _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(x, y), x, y)
}

#[inline]
#[target_feature(enable = "avx")]
fn equal(x: __m256, y: __m256) -> __m256 {
    _mm256_cmp_ps::<_CMP_EQ_OQ>(x, y)
}

/// `x` where the relation holds, where the sign bit of `tie` is set or where `nan` is NaN; else `y`.
#[inline]
#[target_feature(enable = "avx")]
fn first_if<const RELATION: i32>(x: __m256, y: __m256, tie: __m256, nan: __m256) -> __m256 {
    let holds = _mm256_or_ps(_mm256_cmp_ps::<RELATION>(x, y), _mm256_cmp_ps::<_CMP_UNORD_Q>(nan, nan));
    _mm256_blendv_ps(y, x, _mm256_or_ps(holds, tie))
}

/// A vector that rows are brought to.
///
/// No closures here, and `inline(always)` throughout: instructions are only inlined where a function has their features.
///
/// # Safety
/// As [`Vector`].
unsafe trait Halves: Vector<Lane = f32> {
    /// Of each `2 * LANES` lanes, the lower halves of both vectors in one, and the upper halves in another.
    unsafe fn halves<const LANES: usize>(a: Self, b: Self) -> (Self, Self);

    /// The lanes of these numbers, of which as many count as there are.
    unsafe fn permuted(self, lanes: &[i32; MAX_LANES]) -> Self;
}

/// Lanes of the longest vector.
const MAX_LANES: usize = 16;

// SAFETY: uses what the features of the vector have.
unsafe impl Halves for __m512 {
    #[inline(always)]
    unsafe fn halves<const LANES: usize>(a: __m512, b: __m512) -> (__m512, __m512) {
        // SAFETY: by the contract.
        unsafe {
            match LANES {
                8 => (_mm512_shuffle_f32x4::<0b01_00_01_00>(a, b), _mm512_shuffle_f32x4::<0b11_10_11_10>(a, b)),
                4 => (_mm512_shuffle_f32x4::<0b10_00_10_00>(a, b), _mm512_shuffle_f32x4::<0b11_01_11_01>(a, b)),
                2 => (_mm512_shuffle_ps::<0b01_00_01_00>(a, b), _mm512_shuffle_ps::<0b11_10_11_10>(a, b)),
                _ => (_mm512_shuffle_ps::<0b10_00_10_00>(a, b), _mm512_shuffle_ps::<0b11_01_11_01>(a, b)),
            }
        }
    }

    #[inline(always)]
    unsafe fn permuted(self, lanes: &[i32; MAX_LANES]) -> __m512 {
        // SAFETY: by the contract.
        unsafe { _mm512_permutexvar_ps(_mm512_loadu_si512(lanes.as_ptr().cast()), self) }
    }
}

// SAFETY: uses what the features of the vector have.
unsafe impl Halves for __m256 {
    #[inline(always)]
    unsafe fn halves<const LANES: usize>(a: __m256, b: __m256) -> (__m256, __m256) {
        // SAFETY: by the contract.
        unsafe {
            match LANES {
                4 => (_mm256_permute2f128_ps::<0x20>(a, b), _mm256_permute2f128_ps::<0x31>(a, b)),
                2 => (_mm256_shuffle_ps::<0b01_00_01_00>(a, b), _mm256_shuffle_ps::<0b11_10_11_10>(a, b)),
                _ => (_mm256_shuffle_ps::<0b10_00_10_00>(a, b), _mm256_shuffle_ps::<0b11_01_11_01>(a, b)),
            }
        }
    }

    #[inline(always)]
    unsafe fn permuted(self, lanes: &[i32; MAX_LANES]) -> __m256 {
        // SAFETY: by the contract.
        unsafe { _mm256_permutevar8x32_ps(self, _mm256_loadu_si256(lanes.as_ptr().cast())) }
    }
}

/// Combines lower with upper halves of `LANES` lanes, those of two vectors at a distance from each other at a time.
#[inline(always)]
unsafe fn meet<F: VectorFn2<V>, V: Halves, const LANES: usize, const IN: usize, const OUT: usize>(
    vectors: [V; IN],
    distance: usize,
) -> [V; OUT] {
    let mut met = [vectors[0]; OUT];
    for (i, met) in met.iter_mut().enumerate() {
        let first = i / distance * 2 * distance + i % distance;
        // SAFETY: by the caller.
        unsafe {
            let (lower, upper) = V::halves::<LANES>(vectors[first], vectors[first + distance]);
            *met = F::combine(lower, upper);
        }
    }
    met
}

/// Rows that are reduced at a time: as many as their vectors have lanes.
///
/// # Safety
/// As [`Vector`].
unsafe trait Group<const ROWS: usize>: Halves {
    /// The reduction of each of these vectors, in their order.
    unsafe fn reduce<F: VectorFn2<Self>>(rows: [Self; ROWS]) -> Self;
}

// SAFETY: uses what the features of the vector have. Which rows meet is chosen so that they end in order.
unsafe impl Group<16> for __m512 {
    #[inline(always)]
    unsafe fn reduce<F: VectorFn2<__m512>>(rows: [__m512; 16]) -> __m512 {
        // SAFETY: by the contract.
        unsafe {
            let eight = meet::<F, _, 8, 16, 8>(rows, 4);
            let four = meet::<F, _, 4, 8, 4>(eight, 4);
            let two = meet::<F, _, 2, 4, 2>(four, 1);
            let [one] = meet::<F, _, 1, 2, 1>(two, 1);
            one
        }
    }
}

// SAFETY: as above.
unsafe impl Group<8> for __m256 {
    #[inline(always)]
    unsafe fn reduce<F: VectorFn2<__m256>>(rows: [__m256; 8]) -> __m256 {
        // SAFETY: by the contract.
        unsafe {
            let four = meet::<F, _, 4, 8, 4>(rows, 4);
            let two = meet::<F, _, 2, 4, 2>(four, 1);
            let [one] = meet::<F, _, 1, 2, 1>(two, 1);
            one
        }
    }
}

/// A row of `VECTORS` vectors as one.
#[inline(always)]
unsafe fn one_vector<F: VectorFn2<V>, V: Vector<Lane = f32>, const VECTORS: usize>(row: *const f32) -> V {
    // SAFETY: by the caller, who has such a row.
    unsafe {
        let mut parts = [F::prepare(V::load(row)); VECTORS];
        for (i, part) in parts.iter_mut().enumerate().skip(1) {
            *part = F::prepare(V::load(row.add(i * V::LANES)));
        }
        let mut half = VECTORS / 2;
        while half > 0 {
            for i in 0..half {
                parts[i] = F::combine(parts[i], parts[i + half]);
            }
            half /= 2;
        }
        parts[0]
    }
}

/// Reduces rows of `VECTORS` vectors, `ROWS` at a time; gives how many rows that were.
#[inline(always)]
unsafe fn groups<F: VectorFn2<V>, V: Group<ROWS>, const ROWS: usize, const VECTORS: usize>(
    src: *const f32,
    dst: *mut f32,
    rows: usize,
) -> usize {
    let extent = VECTORS * V::LANES;
    let whole = rows / ROWS * ROWS;
    for first in (0..whole).step_by(ROWS) {
        // SAFETY: the contract of RowsFn.
        unsafe {
            let mut group = [one_vector::<F, V, VECTORS>(src.add(first * extent)); ROWS];
            for (r, row) in group.iter_mut().enumerate().skip(1) {
                *row = one_vector::<F, V, VECTORS>(src.add((first + r) * extent));
            }
            V::reduce::<F>(group).store(dst.add(first));
        }
    }
    whole
}

/// Rows of which a vector holds several: as many vectors as a row has numbers are combined to one, with a result for each row.
trait Several<const EXTENT: usize>: Halves {
    /// The results, in the order in which the halves meet.
    unsafe fn combined<F: VectorFn2<Self>>(vectors: [Self; EXTENT]) -> Self;
}

impl<V: Halves> Several<2> for V {
    #[inline(always)]
    unsafe fn combined<F: VectorFn2<V>>(vectors: [V; 2]) -> V {
        // SAFETY: by the contract; so below.
        let [one] = unsafe { meet::<F, V, 1, 2, 1>(vectors, 1) };
        one
    }
}

impl<V: Halves> Several<4> for V {
    #[inline(always)]
    unsafe fn combined<F: VectorFn2<V>>(vectors: [V; 4]) -> V {
        // SAFETY: as above.
        unsafe { <V as Several<2>>::combined::<F>(meet::<F, V, 2, 4, 2>(vectors, 2)) }
    }
}

impl<V: Halves> Several<8> for V {
    #[inline(always)]
    unsafe fn combined<F: VectorFn2<V>>(vectors: [V; 8]) -> V {
        // SAFETY: as above.
        unsafe { <V as Several<4>>::combined::<F>(meet::<F, V, 4, 8, 4>(vectors, 4)) }
    }
}

/// The first of two numbers: shows where results come from.
struct First;

impl Fn2<f32> for First {
    fn apply(x: f32, _: f32) -> f32 {
        x
    }
}

// SAFETY: no instructions.
unsafe impl<V> VectorFn2<V> for First {
    #[inline(always)]
    unsafe fn combine(x: V, _: V) -> V {
        x
    }
}

/// Reduces rows of which a vector holds several, as many as it has lanes at a time; gives how many rows that were.
#[inline(always)]
unsafe fn several<F: VectorFn2<V>, V: Several<EXTENT>, const EXTENT: usize>(src: *const f32, dst: *mut f32, rows: usize) -> usize {
    // SAFETY: the contract of RowsFn.
    unsafe {
        // Each number is that of its row: which rows' results are in which lanes says in which lanes the results of the rows are.
        let mut numbers = [[0.0; MAX_LANES]; EXTENT];
        let mut vectors = [V::load(numbers[0].as_ptr()); EXTENT];
        for (v, numbers) in numbers.iter_mut().enumerate() {
            (0..V::LANES).for_each(|lane| numbers[lane] = ((v * V::LANES + lane) / EXTENT) as f32);
            vectors[v] = V::load(numbers.as_ptr());
        }
        V::combined::<First>(vectors).store(numbers[0].as_mut_ptr());
        let mut lanes = [0; MAX_LANES];
        (0..V::LANES).for_each(|lane| lanes[numbers[0][lane] as usize] = lane as i32);
        let whole = rows / V::LANES * V::LANES;
        for first in (0..whole).step_by(V::LANES) {
            for (v, vector) in vectors.iter_mut().enumerate() {
                *vector = F::prepare(V::load(src.add(first * EXTENT + v * V::LANES)));
            }
            V::combined::<F>(vectors).permuted(&lanes).store(dst.add(first));
        }
        whole
    }
}

/// Reduces rows; those that are left over or too long one by one.
#[inline(always)]
unsafe fn reduce<F: VectorFn2<V>, V: Group<ROWS>, const ROWS: usize>(
    src: *const u8,
    dst: *mut u8,
    spare: *mut u8,
    rows: usize,
    extent: usize,
    ahead: &mut Ahead,
) {
    // SAFETY: the contract of RowsFn.
    unsafe {
        let (from, to) = (src.cast::<f32>(), dst.cast::<f32>());
        let done = match extent / V::LANES {
            0 => match extent {
                2 => several::<F, V, 2>(from, to, rows),
                4 => several::<F, V, 4>(from, to, rows),
                8 => several::<F, V, 8>(from, to, rows),
                _ => 0,
            },
            1 => groups::<F, V, ROWS, 1>(from, to, rows),
            2 => groups::<F, V, ROWS, 2>(from, to, rows),
            4 => groups::<F, V, ROWS, 4>(from, to, rows),
            8 => groups::<F, V, ROWS, 8>(from, to, rows),
            _ => 0,
        };
        Reduce::<f32, F>::run(from.add(done * extent).cast(), to.add(done).cast(), spare, rows - done, extent, ahead);
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn avx512<F: VectorFn2<__m512>>(src: *const u8, dst: *mut u8, spare: *mut u8, rows: usize, extent: usize, ahead: &mut Ahead) {
    // SAFETY: by the caller.
    unsafe { reduce::<F, __m512, 16>(src, dst, spare, rows, extent, ahead) }
}

#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn avx2<F: VectorFn2<__m256>>(src: *const u8, dst: *mut u8, spare: *mut u8, rows: usize, extent: usize, ahead: &mut Ahead) {
    // SAFETY: by the caller.
    unsafe { reduce::<F, __m256, 8>(src, dst, spare, rows, extent, ahead) }
}

/// A kernel for each function of floats that vectors have.
pub(super) trait Floats {
    /// The kernel that folds with `F`, if there is one.
    fn kernel<F: VectorFn2<__m512> + VectorFn2<__m256>>(&self) -> Option<RowsFn>;
}

/// The kernel for an operation on floats, if vectors have it.
pub(super) fn select_float(floats: &impl Floats, op: ElemOp) -> Option<RowsFn> {
    match op {
        ElemOp::AddF(RoundingMode::NearestEven, false) => floats.kernel::<AddF>(),
        ElemOp::MulF(RoundingMode::NearestEven, false) => floats.kernel::<MulF>(),
        ElemOp::MaxF { propagate_nan: false, ftz: false } => floats.kernel::<MaxF>(),
        ElemOp::MinF { propagate_nan: false, ftz: false } => floats.kernel::<MinF>(),
        ElemOp::MaxF { propagate_nan: true, ftz: false } => floats.kernel::<MaxNan>(),
        ElemOp::MinF { propagate_nan: true, ftz: false } => floats.kernel::<MinNan>(),
        _ => None,
    }
}

/// Reductions at a level.
struct Reductions(Level);

impl Floats for Reductions {
    fn kernel<F: VectorFn2<__m512> + VectorFn2<__m256>>(&self) -> Option<RowsFn> {
        match self.0 {
            Level::Avx512 => Some(avx512::<F>),
            Level::Avx2 => Some(avx2::<F>),
            Level::Baseline => None,
        }
    }
}

/// The reduction of rows of these elements with an operation, if many can be reduced at once.
pub(super) fn select(level: Level, op: ElemOp, elem: Elem) -> Option<RowsFn> {
    if elem == Elem::Num(Scalar::F32) { select_float(&Reductions(level), op) } else { None }
}
