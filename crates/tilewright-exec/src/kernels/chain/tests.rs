//! Chains give what kernels give.
#![expect(unsafe_code, reason = "calls chains and kernels")]

mod halves;

use super::*;
use crate::{
    kernels::{boxes::LINE, select as kernel, stream},
    plan::MAX_STEPS,
};

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
    let numbers =
        [0.0, -0.0, 1.0, -1.5, 0.3, f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, tiny, -tiny, 9.2, -88.0, 100.5, 3e-39];
    let all = |part: usize| (0..COUNT).map(|i| numbers[i >> (4 * part) & 15]).collect();
    [all(0), all(1), all(2)]
}

fn same(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

/// The levels of this CPU that have chains.
fn levels() -> impl Iterator<Item = Level> {
    Level::available().filter(|level| exist(*level))
}

/// Runs a chain on vectors of a level that has them.
///
/// # Safety
/// As [`Code`] demands.
unsafe fn run_on(level: Level, program: Program, chain: Run<'_>) {
    // SAFETY: by the contract.
    unsafe { compile(level, program).expect("the level has chains").run(chain, &mut Ahead::default()) };
}

/// One link alone, on arrays, gives what its kernel gives, past the caches or not.
#[test]
fn links_alone_agree_with_kernels() {
    let columns = triples();
    for (level, shift) in levels().flat_map(|level| SHIFTS.map(|shift| (level, shift))) {
        for (elem_op, arity) in linkable() {
            let kernel = kernel(elem_op, &[F32; 3][..arity], F32).unwrap();
            let (mut expected, mut found) = (vec![0f32; COUNT], vec![0f32; COUNT + LINE]);
            let first = found.as_ptr().align_offset(LINE) + shift.unwrap_or(0);
            let srcs = std::array::from_fn(|i| columns[i].as_ptr().cast());
            // SAFETY: all have as many numbers.
            unsafe { (kernel.run)(expected.as_mut_ptr().cast(), srcs, COUNT, &kernel.imm) };
            let link = Link { op: form(&kernel.imm).unwrap().op, operands: [0, 1, 2].map(Operand::Array), rounded: None, store: Some(3) };
            let mut places: Vec<*mut f32> = columns.iter().map(|column| column.as_ptr().cast_mut()).collect();
            places.push(found[first..].as_mut_ptr());
            let (program, streamed) = (Program::new(&[link], vec![None; 4]), shift.map(|_| 3));
            // SAFETY: all have as many numbers, a multiple of the group; only the last ones are written.
            unsafe { run_on(level, program, Run { places: &places, streamed, n: COUNT }) };
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
    for level in levels() {
        for (elem_op, arity) in linkable() {
            let kernel = kernel(elem_op, &[F32; 3][..arity], F32).unwrap();
            let op = form(&kernel.imm).unwrap().op;
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
                let turn = |from| Link { op: Op::Unary(Unary::Neg), operands: [from; 3], rounded: None, store: None };
                let links = [turn(Operand::Array(passed)), turn(Operand::Passed), Link { op, operands, rounded: None, store: Some(3) }];
                let mut columns = triples.clone();
                let mut places: Vec<*mut f32> = columns.iter_mut().map(Vec::as_mut_ptr).collect();
                places.push(found[first..].as_mut_ptr());
                let streamed = (passed == 0).then_some(3);
                let program = Program::new(&links, vec![None; 4]);
                // SAFETY: all have as many numbers, a multiple of the group.
                unsafe { run_on(level, program, Run { places: &places, streamed, n: COUNT }) };
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
    for level in levels() {
        let mut found = vec![0f32; COUNT];
        let turn = Op::Unary(Unary::Neg);
        let links = [
            Link { op: turn, operands: [Operand::Array(0); 3], rounded: None, store: None },
            Link { op: turn, operands: [Operand::Passed; 3], rounded: None, store: None },
            Link { op: Op::TimesProduct, operands: [Operand::Passed, Operand::Array(1), Operand::Splat(2)], rounded: None, store: Some(3) },
        ];
        let places = [x.as_mut_ptr(), y.as_mut_ptr(), z[LATE..].as_mut_ptr(), found.as_mut_ptr()];
        let program = Program::new(&links, vec![None; 4]);
        // SAFETY: all have as many numbers, a multiple of the group; the third is read as a splat.
        unsafe { run_on(level, program, Run { places: &places, streamed: None, n: COUNT }) };
        assert!(found.iter().zip(&expected).all(|(a, b)| same(*a, *b)));
    }
}

/// The longest chain of a plan gives what its links give one after the other, and needs little of a stack, although steps nest where calls
/// at their ends are no jumps.
#[test]
fn long_chains_need_little_stack() {
    let run = || {
        let ops = [Op::Unary(Unary::Exp), Op::Unary(Unary::Tanh), Op::Fma, Op::Binary(Binary::Sub)];
        let link = |i: usize| {
            let operands = [if i == 0 { Operand::Array(0) } else { Operand::Passed }, Operand::Array(0), Operand::Splat(0)];
            Link { op: ops[i % 4], operands, rounded: None, store: Some(1) }
        };
        let links: Vec<Link> = (0..MAX_STEPS).map(link).collect();
        let alone = |operand| if operand == Operand::Passed { Operand::Array(1) } else { operand };
        let mut x: Vec<f32> = (0..COUNT).map(|i| i as f32 / COUNT as f32).collect();
        for level in levels() {
            let [mut expected, mut found] = [(); 2].map(|()| vec![0f32; COUNT]);
            let mut run = |links: &[Link], to: &mut [f32]| {
                let places = [x.as_mut_ptr(), to.as_mut_ptr()];
                let run = Run { places: &places, streamed: None, n: COUNT };
                // SAFETY: both have as many numbers, a multiple of the group; each is read before it is written.
                unsafe { run_on(level, Program::new(links, vec![None; 2]), run) };
            };
            links.iter().for_each(|link| run(&[Link { operands: link.operands.map(alone), ..*link }], &mut expected));
            run(&links, &mut found);
            assert!(found == expected && found.iter().all(|x| x.is_finite()) && found[0] != found[COUNT - 1]);
        }
    };
    std::thread::Builder::new().stack_size(32 << 10).spawn(run).unwrap().join().unwrap();
}
