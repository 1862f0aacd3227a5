//! Floats of 16 bits in chains.

use super::*;

const F16: Elem = Elem::Num(Scalar::F16);
const BF16: Elem = Elem::Num(Scalar::Bf16);
const ALL: usize = 1 << 16;

/// All numbers of 16 bits, in an order of its own for each.
fn all() -> [Vec<u16>; 2] {
    [1, 40503].map(|factor| (0..ALL as u32).map(|i| i.wrapping_mul(factor).wrapping_add(factor / 7) as u16).collect())
}

/// What the kernel of an operation gives.
fn computed<T, R: Clone + Default>(op: ElemOp, src: Elem, dst: Elem, srcs: [&[T]; 2]) -> (Form, Vec<R>) {
    let arity = linkable().into_iter().find(|(other, _)| *other == op).map_or(1, |(_, arity)| arity);
    let kernel = kernel(op, &[src; 2][..arity], dst).unwrap();
    let mut results = vec![R::default(); srcs[0].len()];
    let [x, y] = srcs.map(|src| src.as_ptr().cast());
    // SAFETY: all have as many elements, of the kernel's types.
    unsafe { (kernel.run)(results.as_mut_ptr().cast(), [x, y, y], results.len(), &kernel.imm) };
    (form(&kernel.imm).unwrap(), results)
}

fn same_half(elem: Elem, a: u16, b: u16) -> bool {
    let infinity = if elem == F16 { 0x7c00 } else { 0x7f80 };
    a == b || [a, b].iter().all(|x| x & 0x7fff > infinity)
}

fn link(op: Op, operands: [Operand; 2], rounded: Option<Half>, store: Option<usize>) -> Link {
    Link { op, operands: [operands[0], operands[1], Operand::Passed], rounded, store }
}

/// Runs a chain on all numbers.
///
/// # Safety
/// The places hold as many as links read and write, of the types that `halves` says.
unsafe fn run_all(level: Level, links: &[Link], halves: &[Option<Half>], places: &[*mut f32], streamed: Option<usize>) {
    let program = Program::new(links, halves.to_vec());
    // SAFETY: by the contract.
    unsafe { run_on(level, program, Run { places, streamed, n: ALL }) };
    stream::fence();
}

/// Every operation gives what its kernel gives, wherever its operands come from and its result goes.
#[test]
fn links_agree_with_kernels() {
    // What is repeated, how many numbers behind the beginning of a line results are streamed to, and whether the first is passed.
    let forms = [(0, None, false), (0, Some(0), true), (0, Some(2), false), (0, Some(7), false), (0, Some(30), true)];
    let forms = forms.into_iter().chain([(4, None, false), (6, None, true), (7, Some(8), false), (16, None, false), (16, None, true)]);
    let [x, y] = all();
    for (shift, streamed, passed) in forms {
        let repeated: Vec<u16> = (0..ALL).map(|i| y[i >> shift]).collect();
        for elem in [F16, BF16] {
            for (op, _) in linkable().into_iter().filter(|(op, _)| !matches!(op, ElemOp::Fma(..) | ElemOp::NegF | ElemOp::AbsF)) {
                let (form, expected) = computed::<u16, u16>(op, elem, elem, [&x, &repeated]);
                let other = match shift {
                    0 => Operand::Array(1),
                    16 => Operand::Splat(1),
                    _ => Operand::PerRow(1, shift),
                };
                let begin = if passed { Operand::Passed } else { Operand::Array(0) };
                let mut links = vec![link(form.op, [begin, other], form.rounded(), Some(2))];
                if passed {
                    links.insert(0, link(Op::Same, [Operand::Array(0); 2], None, None));
                }
                for level in levels() {
                    let mut found = vec![0u16; ALL + LINE];
                    let first = found.as_ptr().align_offset(LINE) + streamed.unwrap_or(0);
                    let places = [x.as_ptr().cast_mut().cast(), y.as_ptr().cast_mut().cast(), found[first..].as_mut_ptr().cast()];
                    // SAFETY: the first two are only read.
                    unsafe { run_all(level, &links, &[form.from, form.from, form.to], &places, streamed.map(|_| 2)) };
                    let wrong = (0..ALL).find(|i| !same_half(elem, found[first + i], expected[*i]));
                    let at = wrong.map(|i| [x[i], repeated[i], found[first + i], expected[i]].map(|bits| format!("{bits:#06x}")));
                    assert_eq!(at, None, "{op:?} of {elem:?}, repeated {shift}, streamed {streamed:?}, passed {passed}");
                    let untouched = found[..first].iter().chain(&found[first + ALL..]).all(|bits| *bits == 0);
                    assert!(untouched, "{op:?} of {elem:?}, streamed {streamed:?}");
                }
            }
        }
    }
}

/// The second operand may be what is passed.
#[test]
fn operands_can_change_places() {
    let [x, y] = all();
    for elem in [F16, BF16] {
        let (form, expected) = computed::<u16, u16>(ElemOp::SubF(RN, false), elem, elem, [&x, &y]);
        let links = [
            link(Op::Same, [Operand::Array(1); 2], None, None),
            link(form.op, [Operand::Array(0), Operand::Passed], form.rounded(), Some(2)),
        ];
        for level in levels() {
            let mut found = vec![0u16; ALL];
            let places = [x.as_ptr().cast_mut().cast(), y.as_ptr().cast_mut().cast(), found.as_mut_ptr().cast()];
            // SAFETY: the first two are only read.
            unsafe { run_all(level, &links, &[form.from, form.from, form.to], &places, None) };
            assert!(found.iter().zip(&expected).all(|(a, b)| same_half(elem, *a, *b)), "{elem:?}");
        }
    }
}

/// Numbers near and between those of 16 bits.
fn between(elem: Elem) -> Vec<f32> {
    let [x, y] = all();
    let (_, wide) = computed::<u16, f32>(ElemOp::FToF(RN), elem, F32, [&x, &y]);
    let middle = if elem == F16 { 0x1000 } else { 0x8000 };
    let steps = [0, 1, u32::MAX, middle, middle - 1, middle + 1, middle / 2];
    wide.iter().enumerate().map(|(i, number)| f32::from_bits(number.to_bits().wrapping_add(steps[(i ^ i >> 8) % steps.len()]))).collect()
}

/// A number is rounded where it is written, and where the next link has it.
#[test]
fn numbers_are_rounded_as_kernels_round_them() {
    for elem in [F16, BF16] {
        let numbers = between(elem);
        let (narrowing, rounded) = computed::<f32, u16>(ElemOp::FToF(RN), F32, elem, [&numbers; 2]);
        let (widening, widened) = computed::<u16, f32>(ElemOp::FToF(RN), elem, F32, [&rounded; 2]);
        let links = [
            link(narrowing.op, [Operand::Array(0); 2], narrowing.rounded(), Some(1)),
            link(widening.op, [Operand::Passed; 2], widening.rounded(), Some(2)),
        ];
        for level in levels() {
            let (mut halves, mut floats) = (vec![0u16; ALL], vec![0f32; ALL]);
            let places = [numbers.as_ptr().cast_mut(), halves.as_mut_ptr().cast(), floats.as_mut_ptr()];
            // SAFETY: the first one is only read.
            unsafe { run_all(level, &links, &[None, narrowing.to, None], &places, None) };
            // A NaN too is what the kernel gives.
            assert!(halves == rounded, "{elem:?}");
            assert!(floats.iter().zip(&widened).all(|(a, b)| same(*a, *b)), "{elem:?}");
        }
    }
}
