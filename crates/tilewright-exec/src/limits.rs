//! What this machine can do at most, measured: the bandwidth of its memory and its rate of multiply-adds.
//!
//! Benchmarks compare kernels with these, so they use the same instruction sets and threads as launches do. A measurement is
//! repeated for as long as the caller has patience; the best time counts.
#![allow(unsafe_code, reason = "calls versions of loops for CPU features")]

use crate::{cpu::Level, kernels::vector::Vector};
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m256, __m256d, __m512, __m512d};
use std::{
    hint::black_box,
    sync::{
        Barrier, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// Floats of a piece of the arrays that are added at a time: more than caches hold, and done before the system lets others run.
const PIECE: usize = 1 << 22;

/// Bytes per second that `threads` threads read and write, adding two arrays of `elements` floats into a third, piece by piece.
///
/// Choose arrays several times as large as the caches. Only what the loop names is counted; a write that makes the cache read
/// the line first still counts once.
pub fn bandwidth(threads: usize, elements: usize, patience: Duration) -> f64 {
    let each = elements / threads.max(1);
    let piece = each.clamp(1, PIECE);
    let seconds = fastest(threads, patience, || {
        let (x, y, mut z) = (vec![1.0f32; each], vec![2.0f32; each], vec![3.0f32; each]);
        let mut at = 0;
        move || {
            add(&x[at..][..piece], &y[at..][..piece], &mut z[at..][..piece]);
            black_box(&mut z);
            at = if at + 2 * piece <= each { at + piece } else { 0 };
        }
    });
    (3 * size_of::<f32>() * piece * threads.max(1)) as f64 / seconds
}

/// Floating-point operations per second of multiply-adds in `f32`, each counted as two.
pub fn peak_f32(threads: usize, patience: Duration) -> f64 {
    peak(threads, patience, |n| match Level::best() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the CPU has the level.
        Level::Avx512 => unsafe { chains_avx512::<__m512>(1.0, 0.5, n) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the CPU has the level.
        Level::Avx2 => unsafe { chains_avx2::<__m256>(1.0, 0.5, n) },
        // SAFETY: arrays need no features.
        _ => unsafe { chains::<[f32; 4]>(1.0, 0.5, n) },
    })
}

/// The same in `f64`.
pub fn peak_f64(threads: usize, patience: Duration) -> f64 {
    peak(threads, patience, |n| match Level::best() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the CPU has the level.
        Level::Avx512 => unsafe { chains_avx512::<__m512d>(1.0, 0.5, n) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the CPU has the level.
        Level::Avx2 => unsafe { chains_avx2::<__m256d>(1.0, 0.5, n) },
        // SAFETY: arrays need no features.
        _ => unsafe { chains::<[f64; 2]>(1.0, 0.5, n) },
    })
}

/// Runs `work`, which does a number of rounds and gives the operations of all of them, on every thread.
fn peak(threads: usize, patience: Duration, work: fn(usize) -> usize) -> f64 {
    const ROUNDS: usize = 200_000;
    let operations = work(1) * ROUNDS * threads.max(1);
    operations as f64
        / fastest(threads, patience, || {
            move || {
                black_box(work(ROUNDS));
            }
        })
}

/// The shortest time in which all threads do their work; `prepare` runs first, on each thread.
fn fastest<W: FnMut()>(threads: usize, patience: Duration, prepare: impl Fn() -> W + Sync) -> f64 {
    let barrier = Barrier::new(threads.max(1));
    let (again, begin) = (AtomicBool::new(true), OnceLock::new());
    let measure = || {
        let mut work = prepare();
        work();
        let (mut best, begin) = (f64::INFINITY, begin.get_or_init(Instant::now));
        while again.load(Ordering::Relaxed) {
            // Nobody is behind this before all have seen that there is another round.
            barrier.wait();
            let round = Instant::now();
            work();
            if barrier.wait().is_leader() && begin.elapsed() > patience {
                again.store(false, Ordering::Relaxed);
            }
            best = f64::min(best, round.elapsed().as_secs_f64());
            barrier.wait();
        }
        best
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(measure)).collect();
        let own = measure();
        others.into_iter().filter_map(|other| other.join().ok()).fold(own, f64::max)
    })
}

fn add(x: &[f32], y: &[f32], z: &mut [f32]) {
    match Level::best() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the CPU has the level.
        Level::Avx512 => unsafe { add_avx512(x, y, z) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the CPU has the level.
        Level::Avx2 => unsafe { add_avx2(x, y, z) },
        _ => add_all(x, y, z),
    }
}

#[inline(always)]
fn add_all(x: &[f32], y: &[f32], z: &mut [f32]) {
    for ((z, x), y) in z.iter_mut().zip(x).zip(y) {
        *z = x + y;
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn add_avx2(x: &[f32], y: &[f32], z: &mut [f32]) {
    add_all(x, y, z);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl")]
fn add_avx512(x: &[f32], y: &[f32], z: &mut [f32]) {
    add_all(x, y, z);
}

/// Chains of dependent operations: enough to hide the latency, few enough for the registers.
const CHAINS: usize = 12;

/// Does `rounds` multiply-adds in each chain of vectors; gives how many operations these were.
#[inline(always)]
unsafe fn chains<V: Vector>(term: V::Lane, factor: V::Lane, rounds: usize) -> usize {
    // SAFETY: the caller has the features of the vectors.
    unsafe {
        let (factor, term) = (V::splat(black_box(factor)), V::splat(black_box(term)));
        let mut sums = [term; CHAINS];
        for _ in 0..rounds {
            for sum in &mut sums {
                *sum = term.add_product(*sum, factor);
            }
        }
        black_box(sums);
    }
    2 * rounds * CHAINS * V::LANES
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn chains_avx2<V: Vector>(term: V::Lane, factor: V::Lane, rounds: usize) -> usize {
    // SAFETY: by the caller.
    unsafe { chains::<V>(term, factor, rounds) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
unsafe fn chains_avx512<V: Vector>(term: V::Lane, factor: V::Lane, rounds: usize) -> usize {
    // SAFETY: by the caller.
    unsafe { chains::<V>(term, factor, rounds) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_positive() {
        let patience = Duration::ZERO;
        assert!(bandwidth(2, 1 << 12, patience) > 0.0);
        // SAFETY: arrays need no features.
        assert_eq!(unsafe { chains::<[f32; 4]>(1.0, 0.5, 3) }, 2 * 3 * CHAINS * 4);
        assert!(peak_f32(1, patience) > 0.0 && peak_f64(2, patience) > 0.0);
    }
}
