//! Chains: elementwise steps of `f32` that hand their results on in registers of the CPU.
//!
//! A kernel reads its operands from the cache and writes its result there, which takes longer than a sum or a product. A chain does all its
//! steps on a few vectors before it goes on to the next, and the result of a step stays in registers for the one that follows. Each
//! operation is that of its kernel: the same bits.
//!
//! A chain may also begin to reduce the rows that it computes: it takes its vectors an eighth of a row apart, and has what the first three
//! halvings of a reduction combine in registers at the same time.
#[cfg(target_arch = "x86_64")]
mod four;
mod program;
#[cfg(target_arch = "x86_64")]
mod vectors;

pub(crate) use program::Program;

use super::{ElemOp, Imm, ahead::Ahead};
use crate::{cpu::Level, elem::Elem};
use tilewright_ir::{RoundingMode, Scalar};

/// Chains work on multiples of so many elements.
pub(crate) const GROUP: usize = 128;

/// Rows of which a chain reads one number each are not shorter: as long as the longest vector.
pub(crate) const SHORTEST_ROW: usize = 16;

/// Runs a chain.
///
/// # Safety
/// `n` is a multiple of [`GROUP`], and of the length of rows that are folded. Each place that a link names is valid for `n` numbers of
/// `f32`, initialised and aligned to their size, or for one where links only read it as a splat, or for one a row, or for an eighth of `n`
/// where rows are folded to. Places that are written overlap others only element by element, those that rows are folded to no others;
/// what is streamed is not read, and not by a chain that folds.
pub(crate) type ChainFn = unsafe fn(chain: Run<'_>, ahead: &mut Ahead);

/// A chain with what it works on.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "no other CPU has chains"))]
pub(crate) struct Run<'a> {
    pub(crate) program: &'a Program,
    /// Where links read and write: as many places as the program names.
    pub(crate) places: &'a [*mut f32],
    /// The place whose numbers go past the caches, if there is one.
    pub(crate) streamed: Option<usize>,
    /// Where arrays that are read begin in memory, of which lines are fetched ahead.
    pub(crate) fetched: &'a [*mut f32],
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

/// An operation of a chain, by how many operands it has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Op {
    Unary(Unary),
    Binary(Binary),
    /// The product of the first two and the third, rounded once.
    Fma,
    /// The product of the first one, and of that of the others.
    TimesProduct,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unary {
    Neg,
    Abs,
    Sqrt,
    Exp,
    Exp2,
    Tanh,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Binary {
    Add,
    Sub,
    /// The second operand less the first.
    SubFrom,
    Mul,
    Div,
    /// The second operand divided by the first.
    DivInto,
    /// The larger one that is a number.
    Max,
    /// NaN if one is NaN.
    MaxNan,
    Min,
    MinNan,
}

impl Binary {
    /// The operation that gives the same with its operands in the other order.
    fn swapped(self) -> Binary {
        match self {
            Binary::Sub => Binary::SubFrom,
            Binary::SubFrom => Binary::Sub,
            Binary::Div => Binary::DivInto,
            Binary::DivInto => Binary::Div,
            Binary::Add | Binary::Mul | Binary::Max | Binary::MaxNan | Binary::Min | Binary::MinNan => self,
        }
    }
}

/// A step of a chain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    pub(crate) op: Op,
    /// As many as the operation has; the others are not read.
    pub(crate) operands: [Operand; 3],
    /// The place that gets the result, if more than the next link reads it.
    pub(crate) store: Option<usize>,
    /// The place that gets the rows of the result, folded to an eighth, and how elements are combined.
    pub(crate) fold: Option<(Binary, usize)>,
}

/// The operation of a kernel that can be part of a chain.
pub(crate) fn op(imm: &Imm) -> Option<Op> {
    const RN: RoundingMode = RoundingMode::NearestEven;
    const F32: Elem = Elem::Num(Scalar::F32);
    if imm.dst != F32 || imm.srcs != [F32; 3] {
        return None;
    }
    Some(match imm.op {
        ElemOp::AddF(RN, false) => Op::Binary(Binary::Add),
        ElemOp::SubF(RN, false) => Op::Binary(Binary::Sub),
        ElemOp::MulF(RN, false) => Op::Binary(Binary::Mul),
        ElemOp::DivF(RN | RoundingMode::Full, false) => Op::Binary(Binary::Div),
        ElemOp::Fma(RN, false) => Op::Fma,
        ElemOp::MaxF { propagate_nan: false, ftz: false } => Op::Binary(Binary::Max),
        ElemOp::MaxF { propagate_nan: true, ftz: false } => Op::Binary(Binary::MaxNan),
        ElemOp::MinF { propagate_nan: false, ftz: false } => Op::Binary(Binary::Min),
        ElemOp::MinF { propagate_nan: true, ftz: false } => Op::Binary(Binary::MinNan),
        ElemOp::NegF => Op::Unary(Unary::Neg),
        ElemOp::AbsF => Op::Unary(Unary::Abs),
        ElemOp::Sqrt(RN, false) => Op::Unary(Unary::Sqrt),
        ElemOp::Exp => Op::Unary(Unary::Exp),
        ElemOp::Exp2(false) => Op::Unary(Unary::Exp2),
        ElemOp::Tanh => Op::Unary(Unary::Tanh),
        _ => return None,
    })
}

/// What runs chains on this CPU, if it has vectors for them.
pub(crate) fn select(level: Level) -> Option<ChainFn> {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => Some(vectors::avx512),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => Some(vectors::avx2),
        _ => None,
    }
}

/// The same for chains that fold rows: code of their own, so that the other has the CPU's registers for itself.
pub(crate) fn select_folding(level: Level) -> Option<ChainFn> {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => Some(vectors::rows_avx512),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => Some(vectors::rows_avx2),
        _ => None,
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

    /// How many numbers behind the beginning of a line results are streamed to, if they are.
    const SHIFTS: [Option<usize>; 6] = [None, Some(0), Some(1), Some(4), Some(8), Some(15)];

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

    /// One link alone, on arrays, gives what its kernel gives, past the caches or not.
    #[test]
    fn links_alone_agree_with_kernels() {
        let columns = triples();
        for (run, shift) in Level::available().filter_map(select).flat_map(|run| SHIFTS.map(|shift| (run, shift))) {
            for (elem_op, arity) in linkable() {
                let kernel = kernel(elem_op, &[F32; 3][..arity], F32).unwrap();
                let (mut expected, mut found) = (vec![0f32; COUNT], vec![0f32; COUNT + LINE]);
                let first = found.as_ptr().align_offset(LINE) + shift.unwrap_or(0);
                let srcs = std::array::from_fn(|i| columns[i].as_ptr().cast());
                // SAFETY: all have as many numbers.
                unsafe { (kernel.run)(expected.as_mut_ptr().cast(), srcs, COUNT, &kernel.imm) };
                let link = Link { op: op(&kernel.imm).unwrap(), operands: [0, 1, 2].map(Operand::Array), store: Some(3), fold: None };
                let mut places: Vec<*mut f32> = columns.iter().map(|column| column.as_ptr().cast_mut()).collect();
                places.push(found[first..].as_mut_ptr());
                let (program, streamed) = (&Program::new(&[link], None), shift.map(|_| 3));
                // SAFETY: all have as many numbers, a multiple of the group; only the last ones are written.
                unsafe { run(Run { program, places: &places, streamed, fetched: &places[..arity], n: COUNT }, &mut Ahead::default()) };
                stream::fence();
                let agree = found[first..].iter().zip(&expected).all(|(a, b)| same(*a, *b));
                assert!(agree, "{elem_op:?}, streamed to {shift:?}");
                let untouched = found[..first].iter().chain(&found[first + COUNT..]).all(|x| x.to_bits() == 0);
                assert!(untouched, "{elem_op:?}, streamed to {shift:?}");
            }
        }
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
                    let first = found.as_ptr().align_offset(LINE) + if passed == 0 { (shift as usize + other) % 8 * 2 } else { 0 };
                    let srcs = std::array::from_fn(|i| repeated[i].as_ptr().cast());
                    // SAFETY: all have as many numbers.
                    unsafe { (kernel.run)(expected.as_mut_ptr().cast(), srcs, COUNT, &kernel.imm) };
                    let mut operands = [0, 1, 2].map(Operand::Array);
                    operands[other] = if 1 << shift == COUNT { Operand::Splat(other) } else { Operand::PerRow(other, shift) };
                    operands[passed] = Operand::Passed;
                    // Links that change the sign twice pass it on.
                    let turn = |from| Link { op: Op::Unary(Unary::Neg), operands: [from; 3], store: None, fold: None };
                    let links = [turn(Operand::Array(passed)), turn(Operand::Passed), Link { op, operands, store: Some(3), fold: None }];
                    let mut columns = triples.clone();
                    let mut places: Vec<*mut f32> = columns.iter_mut().map(Vec::as_mut_ptr).collect();
                    places.push(found[first..].as_mut_ptr());
                    let streamed = (passed == 0).then_some(3);
                    let program = &Program::new(&links, None);
                    // SAFETY: all have as many numbers, a multiple of the group.
                    unsafe { run(Run { program, places: &places, streamed, fetched: &[], n: COUNT }, &mut Ahead::default()) };
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

    /// A product of two other operands is rounded before it is multiplied with, wherever they come from.
    #[test]
    fn products_that_are_computed_late_are_rounded_first() {
        /// Where a number is that is read as a splat: 0.3.
        const LATE: usize = 4 << 8;
        let [mut x, mut y, mut z] = triples();
        let expected: Vec<f32> = (0..COUNT).map(|i| x[i] * (y[i] * z[LATE])).collect();
        for run in Level::available().filter_map(select) {
            let mut found = vec![0f32; COUNT];
            let turn = Op::Unary(Unary::Neg);
            let links = [
                Link { op: turn, operands: [Operand::Array(0); 3], store: None, fold: None },
                Link { op: turn, operands: [Operand::Passed; 3], store: None, fold: None },
                Link {
                    op: Op::TimesProduct,
                    operands: [Operand::Passed, Operand::Array(1), Operand::Splat(2)],
                    store: Some(3),
                    fold: None,
                },
            ];
            let places = [x.as_mut_ptr(), y.as_mut_ptr(), z[LATE..].as_mut_ptr(), found.as_mut_ptr()];
            let program = &Program::new(&links, None);
            // SAFETY: all have as many numbers, a multiple of the group; the third is read as a splat.
            unsafe { run(Run { program, places: &places, streamed: None, fetched: &[], n: COUNT }, &mut Ahead::default()) };
            assert!(found.iter().zip(&expected).all(|(a, b)| same(*a, *b)));
        }
    }

    /// Combines the halves of each row, element by element.
    fn halved(values: &[f32], row: usize, elem_op: ElemOp) -> Vec<f32> {
        let kernel = kernel(elem_op, &[F32; 2], F32).unwrap();
        let mut halves = Vec::with_capacity(values.len() / 2);
        for row in values.chunks(row) {
            let (lower, upper) = row.split_at(row.len() / 2);
            let mut half = vec![0f32; lower.len()];
            let srcs = [lower.as_ptr().cast(), upper.as_ptr().cast(), std::ptr::null()];
            // SAFETY: all have as many numbers.
            unsafe { (kernel.run)(half.as_mut_ptr().cast(), srcs, half.len(), &kernel.imm) };
            halves.extend(half);
        }
        halves
    }

    /// Rows are folded as the first three halvings of a reduction do, and what they are made of is computed and written as without.
    #[test]
    fn rows_are_halved_thrice() {
        let [x, y, _] = triples();
        let folds =
            linkable().into_iter().filter(|(elem_op, arity)| *arity == 2 && !matches!(elem_op, ElemOp::SubF(..) | ElemOp::DivF(..)));
        let folds: Vec<ElemOp> = folds.map(|(elem_op, _)| elem_op).collect();
        for run in Level::available().filter_map(select_folding) {
            for (elem_op, row, shift) in
                folds.iter().flat_map(|op| [128, 512, 4096].map(|row| [4, 7, 9, 12].map(|s| (*op, row, s)))).flatten()
            {
                let Some(Op::Binary(fold)) = op(&kernel(elem_op, &[F32; 2], F32).unwrap().imm) else { panic!("{elem_op:?}") };
                let scaled: Vec<f32> = (0..COUNT).map(|i| x[i] * y[i >> shift]).collect();
                let expected = halved(&halved(&halved(&scaled, row, elem_op), row / 2, elem_op), row / 4, elem_op);
                let (mut written, mut folded) = (vec![0f32; COUNT], vec![0f32; COUNT / 8]);
                let operands = [Operand::Array(0), Operand::PerRow(1, shift), Operand::Passed];
                let links = [Link { op: Op::Binary(Binary::Mul), operands, store: Some(2), fold: Some((fold, 3)) }];
                let places = [x.as_ptr().cast_mut(), y.as_ptr().cast_mut(), written.as_mut_ptr(), folded.as_mut_ptr()];
                let program = &Program::new(&links, Some(row));
                // SAFETY: the places hold as many numbers as there are, a number for each row, and an eighth of them; the first two are only read.
                unsafe { run(Run { program, places: &places, streamed: None, fetched: &[], n: COUNT }, &mut Ahead::default()) };
                assert!(written.iter().zip(&scaled).all(|(a, b)| same(*a, *b)), "{elem_op:?} of rows of {row}");
                assert!(folded.iter().zip(&expected).all(|(a, b)| same(*a, *b)), "{elem_op:?} of rows of {row}");
            }
        }
    }
}
