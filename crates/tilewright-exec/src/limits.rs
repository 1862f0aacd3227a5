//! What this machine can do at most, measured: the bandwidth of its memory and its rate of multiply-adds.
//!
//! Benchmarks compare kernels with these, so they use the same instruction sets and threads as launches do, and take as long as kernels
//! do: what a machine gives changes within milliseconds, and no kernel keeps up with the best of them.
#![allow(unsafe_code, reason = "calls versions of loops for CPU features")]

use crate::{cpu::Level, kernels::vector::Vector};
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m256, __m256d, __m512, __m512d};
use std::{
    fmt,
    hint::black_box,
    panic::resume_unwind,
    sync::{
        Barrier, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    thread::ScopedJoinHandle,
    time::{Duration, Instant},
};

/// Floats of a piece of the arrays that are added at a time: as many as a usual kernel reads.
const PIECE: usize = 1 << 24;

/// Three arrays of floats, to measure bandwidth with.
///
/// Choose arrays several times as large as the caches: twice as large, a part of them is still found there.
pub struct Bandwidth {
    x: Vec<f32>,
    y: Vec<f32>,
    z: Vec<f32>,
}

impl Bandwidth {
    /// Arrays of this many floats.
    pub fn new(elements: usize) -> Bandwidth {
        let elements = elements.max(1);
        Bandwidth { x: vec![1.0; elements], y: vec![2.0; elements], z: vec![0.5; elements] }
    }

    /// Bytes per second that `threads` threads read and write, adding two of the arrays into the third, piece by piece, each thread in a part
    /// of its own. Repeated for as long as the caller has patience; the best time counts.
    ///
    /// Only what the loop names is counted; a write that makes the cache read the line first still counts once.
    pub fn measure(&mut self, threads: usize, patience: Duration) -> f64 {
        let threads = threads.clamp(1, self.x.len());
        let each = self.x.len() / threads;
        let piece = each.min(PIECE);
        let parts = self.x.chunks(each).zip(self.y.chunks(each)).zip(self.z.chunks_mut(each)).take(threads);
        let adds = parts.map(|((x, y), z)| {
            let mut at = 0;
            move || {
                add(&x[at..][..piece], &y[at..][..piece], &mut z[at..][..piece]);
                black_box(&mut *z);
                at = if at + 2 * piece <= each { at + piece } else { 0 };
            }
        });
        (3 * size_of::<f32>() * piece * threads) as f64 / fastest(adds.collect(), patience)
    }
}

impl fmt::Debug for Bandwidth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bandwidth").field("elements", &self.x.len()).finish()
    }
}

/// Floating-point operations per second of multiply-adds in `f32`, each counted as two, for as long as the caller has patience.
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

/// Runs `work`, which does a number of rounds and gives the operations of all of them, on every thread until the patience ends.
fn peak(threads: usize, patience: Duration, work: fn(usize) -> usize) -> f64 {
    const ROUNDS: usize = 200_000;
    let barrier = Barrier::new(threads.max(1));
    let measure = || {
        barrier.wait();
        let (begin, mut operations) = (Instant::now(), 0);
        loop {
            operations += black_box(work(ROUNDS));
            if begin.elapsed() >= patience {
                break operations as f64 / begin.elapsed().as_secs_f64();
            }
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(measure)).collect();
        threads.into_iter().map(joined).sum()
    })
}

/// The shortest time in which all threads do their work, each its own, again and again until the caller has no more patience.
fn fastest<W: FnMut() + Send>(works: Vec<W>, patience: Duration) -> f64 {
    let barrier = Barrier::new(works.len());
    let (again, begin) = (AtomicBool::new(true), OnceLock::new());
    let measure = |mut work: W| {
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
        let threads: Vec<_> = works.into_iter().map(|work| scope.spawn(|| measure(work))).collect();
        threads.into_iter().map(joined).fold(0.0, f64::max)
    })
}

/// What a thread measured; if it panicked, so does this.
fn joined(thread: ScopedJoinHandle<'_, f64>) -> f64 {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
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
        let mut arrays = Bandwidth::new(1 << 12);
        assert!(arrays.measure(1, patience) > 0.0 && arrays.measure(2, patience) > 0.0 && Bandwidth::new(0).measure(3, patience) > 0.0);
        assert!(arrays.z.iter().all(|z| *z == 3.0));
        // SAFETY: arrays need no features.
        assert_eq!(unsafe { chains::<[f32; 4]>(1.0, 0.5, 3) }, 2 * 3 * CHAINS * 4);
        assert!(peak_f32(1, patience) > 0.0 && peak_f64(2, patience) > 0.0);
    }
}
