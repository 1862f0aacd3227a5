//! Chains on the vectors of x86-64.
#![allow(unsafe_code, reason = "reads and writes registers of the plan through raw pointers, with instructions of CPU features")]
#![allow(improper_ctypes_definitions, reason = "only steps call steps; the convention is there for the vectors")]

use super::{
    Ahead, Binary, Code, GROUP, Run,
    at::At,
    pairs::OfTwo,
    program::{From, Instruction, Program},
    steps::{Operation, Running, Step, StepFn, Threaded, choose_binary},
    streamed::{Stream, head},
};
use crate::{
    interrupt::{Looks, PART, pending},
    kernels::lanes::{Eight, Sixteen, VectorLanes},
};
use std::{fmt, mem::MaybeUninit};

/// A chain as steps.
pub(super) struct Steps<V> {
    program: Program,
    steps: Vec<Step<V>>,
}

impl<V> fmt::Debug for Steps<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.program.fmt(f)
    }
}

impl<V: Threaded> Steps<V> {
    pub(super) fn new(program: Program) -> Steps<V> {
        let instructions = program.instructions();
        let steps = Step::all(instructions);
        Steps { program, steps }
    }
}

/// Fetches what the next block reads, apart from the loops of chains, which need the registers.
#[inline(never)]
fn fetch_share(ahead: &mut Ahead) {
    ahead.fetch_share();
}

/// Streams what a function gives for each number of two arrays: little enough to do that a loop of its own is a twentieth faster than
/// steps.
///
/// What lies before the first whole vector of the target, and behind the last one, goes number by number; see [`Stream`].
///
/// # Safety
/// The arrays have `n` numbers, a multiple of [`GROUP`]. The CPU has the features of `V`.
#[inline(always)]
unsafe fn stream_pairs<V: VectorLanes, F: OfTwo>(x: *const f32, y: *const f32, to: *mut f32, n: usize) {
    macro_rules! result {
        ($at:expr) => {
            F::of(V::load(x.add($at)), V::load(y.add($at)))
        };
    }
    let head = head::<V>(to);
    let mut at = head;
    // SAFETY: by the contract; whole vectors from the head on are aligned.
    unsafe {
        if head > 0 {
            result!(0).stream_lanes(0..head, to);
        }
        let mut looks = Looks::new();
        while at + 4 * V::LANES <= n {
            if looks.end_after(4 * V::LANES) {
                return;
            }
            let [a, b, c, d] = [at, at + V::LANES, at + 2 * V::LANES, at + 3 * V::LANES];
            let results = (result!(a), result!(b), result!(c), result!(d));
            results.0.stream(to.add(a));
            results.1.stream(to.add(b));
            results.2.stream(to.add(c));
            results.3.stream(to.add(d));
            at += 4 * V::LANES;
        }
        while at + V::LANES <= n {
            result!(at).stream(to.add(at));
            at += V::LANES;
        }
        if at < n {
            let last = n - V::LANES;
            result!(last).stream_lanes(at - last..V::LANES, to.add(last));
        }
    }
}

/// # Safety
/// As [`Code`] demands; the CPU has the features of `V`.
#[inline(always)]
unsafe fn run<V: Threaded>(Steps { program, steps }: &Steps<V>, Run { places, streamed, n }: Run<'_>, ahead: &mut Ahead) {
    if let [Instruction::Load(From::Array(x)), Instruction::Binary(op, From::Array(y)), Instruction::Store(to)] = *program.instructions()
        && streamed == Some(to)
    {
        // SAFETY: by the contract.
        return choose_binary!(op, |F| unsafe { stream_pairs::<V, F>(places[x], places[y], places[to], n) });
    }
    let bytes = |place: usize| if program.places()[place].is_some() { size_of::<u16>() } else { size_of::<f32>() };
    // SAFETY: by the contract.
    let stream = |place: usize| unsafe { Stream::<V>::new(place, places[place], n * bytes(place) / size_of::<f32>()) };
    // Floats of 16 bits go two by two.
    let stream = streamed.filter(|place| places[*place].is_aligned()).map(stream);
    let mut running = Running { kept: MaybeUninit::uninit(), stream };
    for part in (0..n).step_by(PART) {
        if part > 0 && pending() {
            return;
        }
        for group in (part..n.min(part + PART)).step_by(GROUP) {
            if ahead.lines() > 0 {
                fetch_share(ahead);
            }
            for first in (group..group + GROUP).step_by(8 * V::LANES) {
                // SAFETY: by the contract; `n` is a multiple of the group, and that of all vectors.
                unsafe { V::run(steps, places, first, &mut running) };
            }
        }
    }
    if let Some(stream) = running.stream {
        // SAFETY: by the contract.
        unsafe { stream.finish() };
    }
}

/// Declares what must be compiled for the features of vectors.
macro_rules! levels {
    ($($vector:ident $features:literal;)*) => {$(
        impl Threaded for $vector {
            fn step<O: Operation>() -> StepFn<Self> {
                type V = $vector;
                #[target_feature(enable = $features)]
                unsafe extern "sysv64" fn step<O: Operation>(
                    step: *const Step<V>, places: *const *mut f32, first: usize, running: &mut Running<V>,
                    a: V, b: V, c: V, d: V, e: V, f: V, g: V, h: V,
                ) -> *const Step<V> {
                    let at = At { places, first };
                    // SAFETY: by the contract, which is that of the next step, too.
                    unsafe {
                        let [a, b, c, d, e, f, g, h] = O::carry_out(&*step, at, running, [a, b, c, d, e, f, g, h]);
                        let next = step.add(1);
                        ((*next).run)(next, places, first, running, a, b, c, d, e, f, g, h)
                    }
                }
                step::<O>
            }

            fn stop<const PAUSES: bool>() -> StepFn<Self> {
                type V = $vector;
                #[target_feature(enable = $features)]
                unsafe extern "sysv64" fn stop<const PAUSES: bool>(
                    step: *const Step<V>, _: *const *mut f32, _: usize, running: &mut Running<V>,
                    a: V, b: V, c: V, d: V, e: V, f: V, g: V, h: V,
                ) -> *const Step<V> {
                    if !PAUSES {
                        return std::ptr::null();
                    }
                    running.kept.write([a, b, c, d, e, f, g, h]);
                    step.wrapping_add(1)
                }
                stop::<PAUSES>
            }

            #[inline(always)]
            unsafe fn run(steps: &[Step<Self>], places: &[*mut f32], first: usize, running: &mut Running<Self>) {
                type V = $vector;
                #[target_feature(enable = $features)]
                #[inline]
                unsafe fn run(steps: &[Step<V>], places: &[*mut f32], first: usize, running: &mut Running<V>) {
                    let mut step = steps.as_ptr();
                    while !step.is_null() {
                        // SAFETY: by the contract.
                        unsafe {
                            let x = V::same(0.0);
                            step = ((*step).run)(step, places.as_ptr(), first, running, x, x, x, x, x, x, x, x);
                        }
                    }
                }
                // SAFETY: by the contract.
                unsafe { run(steps, places, first, running) }
            }
        }

        impl Code for Steps<$vector> {
            unsafe fn run(&self, chain: Run<'_>, ahead: &mut Ahead) {
                #[target_feature(enable = $features)]
                unsafe fn run_on(steps: &Steps<$vector>, chain: Run<'_>, ahead: &mut Ahead) {
                    // SAFETY: by the contract.
                    unsafe { run(steps, chain, ahead) }
                }
                assert_eq!(chain.places.len(), self.program.places().len(), "a place for each that the program names");
                // SAFETY: by the contract.
                unsafe { run_on(self, chain, ahead) }
            }
        }
    )*};
}
levels! {
    Sixteen "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt";
    Eight "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt";
}
