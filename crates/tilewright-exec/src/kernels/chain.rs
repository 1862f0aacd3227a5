//! Chains: elementwise steps of `f32` that hand their results on in registers of the CPU.
//!
//! A kernel reads its operands from the cache and writes its result there, which takes longer than a sum or a product. A chain does all its
//! steps on a few vectors before it goes on to the next, and the result of a step stays in registers for the one that follows. Each
//! operation is that of its kernel: the same bits.
#![cfg_attr(target_arch = "x86_64", allow(unsafe_code, reason = "reads and writes registers of the plan through raw pointers"))]

use super::{ElemOp, Imm, ahead::Ahead};
use crate::{cpu::Level, elem::Elem};
use tilewright_ir::{RoundingMode, Scalar};

/// Chains work on multiples of so many elements.
pub(crate) const GROUP: usize = 128;

/// Rows of which a chain reads one number each are not shorter: as long as the longest vector.
pub(crate) const SHORTEST_ROW: usize = 16;

/// Runs a chain, and fetches a share of what is to be read ahead for each group of its elements.
///
/// # Safety
/// `n` is a multiple of [`GROUP`]. Each place that a link names is valid for `n` numbers of `f32`, initialised and aligned to their
/// size, or for one where links only read it as a splat, or for one a row; the one that is streamed is aligned to lines. Places that are
/// written overlap others only element by element.
pub(crate) type ChainFn = unsafe fn(chain: Run<'_>, ahead: &mut Ahead);

/// A chain with what it works on.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "no other CPU has chains"))]
pub(crate) struct Run<'a> {
    pub(crate) links: &'a [Link],
    /// Where links read and write.
    pub(crate) places: &'a [*mut f32],
    /// The place whose numbers go past the caches, if there is one.
    pub(crate) streamed: Option<usize>,
    /// How many elements there are.
    pub(crate) n: usize,
}

/// Where a link reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operand {
    /// The result of the link before.
    Passed,
    /// Numbers side by side, from a place on.
    Array(usize),
    /// The one number at a place.
    Splat(usize),
    /// Numbers side by side, from a place on: each for a row of as many elements as 2 to the power of the second number, at least
    /// [`SHORTEST_ROW`].
    PerRow(usize, u32),
}

/// An operation of a chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Op {
    Add,
    Sub,
    Mul,
    Div,
    /// The product of the first two and the third, rounded once.
    Fma,
    /// Whether a NaN comes out.
    Max(bool),
    Min(bool),
    Neg,
    Abs,
    Sqrt,
    Exp,
    Exp2,
    Tanh,
}

/// A step of a chain.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "no other CPU has chains"))]
pub(crate) struct Link {
    pub(crate) op: Op,
    /// As many as the operation has; the others are not read.
    pub(crate) operands: [Operand; 3],
    /// The place that gets the result, if more than the next link reads it.
    pub(crate) store: Option<usize>,
}

/// The operation of a kernel that can be part of a chain.
pub(crate) fn op(imm: &Imm) -> Option<Op> {
    const RN: RoundingMode = RoundingMode::NearestEven;
    const F32: Elem = Elem::Num(Scalar::F32);
    if imm.dst != F32 || imm.srcs != [F32; 3] {
        return None;
    }
    Some(match imm.op {
        ElemOp::AddF(RN, false) => Op::Add,
        ElemOp::SubF(RN, false) => Op::Sub,
        ElemOp::MulF(RN, false) => Op::Mul,
        ElemOp::DivF(RN | RoundingMode::Full, false) => Op::Div,
        ElemOp::Fma(RN, false) => Op::Fma,
        ElemOp::MaxF { propagate_nan, ftz: false } => Op::Max(propagate_nan),
        ElemOp::MinF { propagate_nan, ftz: false } => Op::Min(propagate_nan),
        ElemOp::NegF => Op::Neg,
        ElemOp::AbsF => Op::Abs,
        ElemOp::Sqrt(RN, false) => Op::Sqrt,
        ElemOp::Exp => Op::Exp,
        ElemOp::Exp2(false) => Op::Exp2,
        ElemOp::Tanh => Op::Tanh,
        _ => return None,
    })
}

/// What runs chains on this CPU, if it has vectors for them.
pub(crate) fn select(level: Level) -> Option<ChainFn> {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => Some(x86::avx512),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => Some(x86::avx2),
        _ => None,
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Ahead, GROUP, Link, Op, Operand, Run};
    use crate::kernels::{
        boxes::Stores,
        lanes::{Eight, Sixteen, VectorLanes},
    };
    use tilewright_numeric::lanes;

    /// Vectors that go through a chain together: enough to make up for finding out what a link is.
    type Vectors<V> = [V; 8];

    /// Calls `each` or `both` with a closure that is part of the caller, whose features its instructions need.
    macro_rules! each {
        ($x:expr, $f:expr) => {
            each(
                $x,
                #[inline(always)]
                $f,
            )
        };
    }
    macro_rules! both {
        ($x:expr, $y:expr, $f:expr) => {
            both(
                $x,
                $y,
                #[inline(always)]
                $f,
            )
        };
    }

    #[inline(always)]
    fn each<V: VectorLanes>(x: Vectors<V>, f: impl Fn(V) -> V) -> Vectors<V> {
        let [a, b, c, d, e, g, h, i] = x;
        [f(a), f(b), f(c), f(d), f(e), f(g), f(h), f(i)]
    }

    #[inline(always)]
    fn both<V: VectorLanes>(x: Vectors<V>, y: Vectors<V>, f: impl Fn(V, V) -> V) -> Vectors<V> {
        [f(x[0], y[0]), f(x[1], y[1]), f(x[2], y[2]), f(x[3], y[3]), f(x[4], y[4]), f(x[5], y[5]), f(x[6], y[6]), f(x[7], y[7])]
    }

    /// # Safety
    /// As [`ChainFn`](super::ChainFn) demands of the places, which hold all vectors from the element `at` on; the CPU has the features of `V`.
    #[inline(always)]
    unsafe fn read<V: VectorLanes>(operand: Operand, passed: Vectors<V>, places: &[*mut f32], at: usize) -> Vectors<V> {
        // SAFETY: by the contract.
        unsafe {
            match operand {
                Operand::Passed => passed,
                Operand::Splat(place) => [V::same(*places[place]); 8],
                Operand::PerRow(place, shift) => {
                    let from = places[place];
                    let spread = |i: usize| V::same(*from.add((at + i * V::LANES) >> shift));
                    [spread(0), spread(1), spread(2), spread(3), spread(4), spread(5), spread(6), spread(7)]
                }
                Operand::Array(place) => {
                    let from = places[place].add(at);
                    let load = |i: usize| V::load(from.add(i * V::LANES));
                    [load(0), load(1), load(2), load(3), load(4), load(5), load(6), load(7)]
                }
            }
        }
    }

    /// # Safety
    /// `to` has room for all vectors, and is aligned to lines if they go past the caches; the CPU has the features of `V`.
    #[inline(always)]
    unsafe fn write<V: VectorLanes>(x: Vectors<V>, to: *mut f32, stores: Stores) {
        let [a, b, c, d, e, f, g, h] = x;
        let at = |i: usize| to.wrapping_add(i * V::LANES);
        // SAFETY: by the contract.
        unsafe {
            match stores {
                Stores::Cached => {
                    a.store(at(0));
                    b.store(at(1));
                    c.store(at(2));
                    d.store(at(3));
                    e.store(at(4));
                    f.store(at(5));
                    g.store(at(6));
                    h.store(at(7));
                }
                Stores::Streaming => {
                    a.stream(at(0));
                    b.stream(at(1));
                    c.stream(at(2));
                    d.stream(at(3));
                    e.stream(at(4));
                    f.stream(at(5));
                    g.stream(at(6));
                    h.stream(at(7));
                }
            }
        }
    }

    #[inline(always)]
    fn fused<V: VectorLanes>(x: Vectors<V>, y: Vectors<V>, z: Vectors<V>) -> Vectors<V> {
        [
            x[0].fused(y[0], z[0]),
            x[1].fused(y[1], z[1]),
            x[2].fused(y[2], z[2]),
            x[3].fused(y[3], z[3]),
            x[4].fused(y[4], z[4]),
            x[5].fused(y[5], z[5]),
            x[6].fused(y[6], z[6]),
            x[7].fused(y[7], z[7]),
        ]
    }

    /// Does all links on one group of vectors.
    ///
    /// # Safety
    /// As for [`read`].
    #[inline(always)]
    unsafe fn run_links<V: VectorLanes>(links: &[Link], places: &[*mut f32], streamed: Option<usize>, at: usize) {
        // SAFETY: by the contract.
        unsafe {
            let mut passed = [V::same(0.0); 8];
            for link in links {
                let x = read(link.operands[0], passed, places, at);
                let y = || read(link.operands[1], passed, places, at);
                passed = match link.op {
                    Op::Add => both!(x, y(), |x, y| x + y),
                    Op::Sub => both!(x, y(), |x, y| x - y),
                    Op::Mul => both!(x, y(), |x, y| x * y),
                    Op::Div => both!(x, y(), |x, y| x / y),
                    Op::Fma => fused(x, y(), read(link.operands[2], passed, places, at)),
                    Op::Max(false) => both!(x, y(), |x, y| x.larger::<false>(y)),
                    Op::Max(true) => both!(x, y(), |x, y| x.larger::<true>(y)),
                    Op::Min(false) => both!(x, y(), |x, y| x.smaller::<false>(y)),
                    Op::Min(true) => both!(x, y(), |x, y| x.smaller::<true>(y)),
                    Op::Neg => each!(x, |x| x.neg()),
                    Op::Abs => each!(x, |x| x.abs()),
                    Op::Sqrt => each!(x, |x| x.sqrt()),
                    Op::Exp => each!(x, |x| lanes::exp(x)),
                    Op::Exp2 => each!(x, |x| lanes::exp2(x)),
                    Op::Tanh => each!(x, |x| lanes::tanh(x)),
                };
                if let Some(place) = link.store {
                    write(passed, places[place].add(at), if streamed == Some(place) { Stores::Streaming } else { Stores::Cached });
                }
            }
        }
    }

    /// # Safety
    /// As [`ChainFn`](super::ChainFn) demands; the CPU has the features of `V`.
    #[inline(always)]
    unsafe fn run<V: VectorLanes>(Run { links, places, streamed, n }: Run<'_>, ahead: &mut Ahead) {
        for group in (0..n).step_by(GROUP) {
            ahead.fetch_share();
            for at in (group..group + GROUP).step_by(8 * V::LANES) {
                // SAFETY: by the contract; `n` is a multiple of the group, and that of all vectors.
                unsafe { run_links::<V>(links, places, streamed, at) };
            }
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) unsafe fn avx512(chain: Run<'_>, ahead: &mut Ahead) {
        // SAFETY: by the caller.
        unsafe { run::<Sixteen>(chain, ahead) }
    }

    #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) unsafe fn avx2(chain: Run<'_>, ahead: &mut Ahead) {
        // SAFETY: by the caller.
        unsafe { run::<Eight>(chain, ahead) }
    }
}

#[cfg(test)]
mod tests {
    #![expect(unsafe_code, reason = "calls chains and kernels")]

    use super::*;
    use crate::kernels::{boxes::LINE, select as kernel, stream};

    const F32: Elem = Elem::Num(Scalar::F32);
    const RN: RoundingMode = RoundingMode::NearestEven;

    fn linkable() -> Vec<(ElemOp, usize)> {
        let extremes = [false, true]
            .map(|propagate_nan| [(ElemOp::MaxF { propagate_nan, ftz: false }, 2), (ElemOp::MinF { propagate_nan, ftz: false }, 2)]);
        let mut ops = extremes.concat();
        ops.extend([ElemOp::AddF(RN, false), ElemOp::SubF(RN, false), ElemOp::MulF(RN, false), ElemOp::DivF(RN, false)].map(|op| (op, 2)));
        ops.push((ElemOp::Fma(RN, false), 3));
        ops.extend([ElemOp::NegF, ElemOp::AbsF, ElemOp::Sqrt(RN, false), ElemOp::Exp, ElemOp::Exp2(false), ElemOp::Tanh].map(|op| (op, 1)));
        ops
    }

    const COUNT: usize = 4096;

    /// Which operand is passed, which other one (if it is another) repeats its numbers, and the logarithm of how often.
    fn forms(arity: usize) -> impl Iterator<Item = (usize, usize, u32)> {
        (0..arity).flat_map(move |passed| (0..arity).flat_map(move |other| [4, 6, 9, 12].map(|shift| (passed, other, shift))))
    }

    /// All triples of these numbers.
    fn triples() -> [Vec<f32>; 3] {
        let tiny = f32::from_bits(1);
        let numbers = [
            0.0,
            -0.0,
            1.0,
            -1.5,
            0.3,
            f32::NAN,
            -f32::NAN,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::MAX,
            tiny,
            -tiny,
            9.2,
            -88.0,
            100.5,
            3e-39,
        ];
        let all = |part: usize| (0..COUNT).map(|i| numbers[i >> (4 * part) & 15]).collect();
        [all(0), all(1), all(2)]
    }

    fn same(a: f32, b: f32) -> bool {
        a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
    }

    /// Every link gives what its kernel gives, wherever its operands come from.
    #[test]
    fn links_agree_with_kernels() {
        let triples = triples();
        for run in Level::available().filter_map(select) {
            for (elem_op, arity) in linkable() {
                let kernel = kernel(elem_op, &[F32; 3][..arity], F32).unwrap();
                let op = op(&kernel.imm).unwrap();
                for (passed, other, shift) in forms(arity) {
                    // Of the other operand, one number for each row; all are one row where the shift is that of all.
                    let mut repeated = triples.clone();
                    if other != passed {
                        (0..COUNT).for_each(|i| repeated[other][i] = triples[other][i >> shift]);
                    }
                    let (mut expected, mut found) = (vec![0f32; COUNT], vec![0f32; COUNT + LINE]);
                    let first = found.as_ptr().align_offset(LINE);
                    let srcs = std::array::from_fn(|i| repeated[i].as_ptr().cast());
                    // SAFETY: all have as many numbers.
                    unsafe { (kernel.run)(expected.as_mut_ptr().cast(), srcs, COUNT, &kernel.imm) };
                    let mut operands = [0, 1, 2].map(Operand::Array);
                    operands[other] = if 1 << shift == COUNT { Operand::Splat(other) } else { Operand::PerRow(other, shift) };
                    operands[passed] = Operand::Passed;
                    // Links that change the sign twice pass it on.
                    let turn = |from| Link { op: Op::Neg, operands: [from; 3], store: None };
                    let links = [turn(Operand::Array(passed)), turn(Operand::Passed), Link { op, operands, store: Some(3) }];
                    let mut columns = triples.clone();
                    let mut places: Vec<*mut f32> = columns.iter_mut().map(Vec::as_mut_ptr).collect();
                    places.push(found[first..].as_mut_ptr());
                    let streamed = (passed == 0).then_some(3);
                    // SAFETY: all have as many numbers, a multiple of the group, and the last ones begin at a line.
                    unsafe { run(Run { links: &links, places: &places, streamed, n: COUNT }, &mut Ahead::default()) };
                    stream::fence();
                    let found = &found[first..];
                    for i in 0..COUNT {
                        let at = [repeated[0][i], repeated[1][i], repeated[2][i]];
                        assert!(same(found[i], expected[i]), "{elem_op:?} of {at:?}: {}, not {}", found[i], expected[i]);
                    }
                }
            }
        }
    }
}
