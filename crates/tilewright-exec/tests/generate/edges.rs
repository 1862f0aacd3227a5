//! Programs with one operation: on numbers at the edges of its types, or on all there are.

use super::{Choices, Generator, Program, make};
use crate::{
    naive::number,
    regular::{Combination, Element},
};
use tilewright_ir::{Opcode, RoundingMode, Scalar, Value};

/// How many numbers each operand takes: all of the first with all of the second make a tile.
const EDGES: usize = 32;
const PAIRS: usize = EDGES * EDGES;

/// The most bits of which all values are tried.
const EXHAUSTIBLE: u32 = 16;

/// An operation on every pair of edges; `None` for one that is not elementwise.
pub(crate) fn edge_program(combination: &Combination) -> Option<Program> {
    let pick = |position: usize, i: usize| match position {
        0 => i / EDGES,
        1 => i % EDGES,
        _ => (i / EDGES + 7 * i) % EDGES,
    };
    let values = |position: usize, element: Element| {
        let edges = edges(scalar(element));
        (0..PAIRS).map(|i| edges[pick(position, i)]).collect()
    };
    program_on(combination, PAIRS, values)
}

/// An operation on all values of its operands; `None` if they are too many, or it is not elementwise.
pub(crate) fn exhaustive_program(combination: &Combination) -> Option<Program> {
    let bits = |element: &Element| scalar(*element).bits();
    let (_, operands) = combination.types.split_last()?;
    let all: u32 = operands.iter().map(bits).sum();
    if all > EXHAUSTIBLE {
        return None;
    }
    let values = |position: usize, element: Element| {
        let before: u32 = operands[..position].iter().map(bits).sum();
        (0..1u64 << all).map(|i| i >> before & ((1 << bits(&element)) - 1)).collect()
    };
    program_on(combination, 1 << all, values)
}

/// A program with one elementwise operation on `n` elements; `values` gives those of an operand, by its position.
fn program_on(combination: &Combination, n: usize, values: impl Fn(usize, Element) -> Vec<u64>) -> Option<Program> {
    let single = combination.types.contains(&Element::PointerTo(Scalar::F4E2M1FN));
    let moves = matches!(combination.opcode, Opcode::Broadcast | Opcode::Reshape);
    if single || moves || combination.shapes.iter().any(|shape| shape[..] != [4]) {
        return None;
    }
    let shape = [n as i64];
    let program = make(&mut Choices::recorded(Vec::new()), &[], [1; 3], |generator| {
        let (result, operands) = combination.types.split_last().expect("there is a result");
        let operands: Vec<Value> = operands.iter().enumerate().map(|(i, ty)| generator.listed(*ty, &values(i, *ty))).collect();
        let value = generator.combined_as(combination, &operands, *result, &shape);
        generator.keep(value, *result, &shape, false);
        let slot = generator.pool.last().expect("it was kept").clone();
        generator.store_slot(&slot);
    });
    Some(program)
}

/// What the bits of an element are.
fn scalar(element: Element) -> Scalar {
    match element {
        Element::Number(scalar) => scalar,
        Element::PointerTo(_) => Scalar::I64,
    }
}

impl Generator<'_> {
    /// A tile of one dimension with these elements.
    fn listed(&mut self, element: Element, bits: &[u64]) -> Value {
        let shape = [bits.len() as i64];
        let ty = self.ty(element, &shape);
        match element {
            Element::PointerTo(_) => {
                let numbers = self.numbers(Scalar::I64, &shape, bits);
                self.value(Opcode::IntToPtr, |op| op.operand("source", numbers).result(ty))
            }
            Element::Number(Scalar::I4) => {
                let numbers = self.numbers(Scalar::I8, &shape, bits);
                self.value(Opcode::TruncI, |op| op.operand("from", numbers).result(ty))
            }
            Element::Number(scalar) => self.numbers(scalar, &shape, bits),
        }
    }
}

/// Numbers at the edges of a type, as constants hold them.
fn edges(scalar: Scalar) -> Vec<u64> {
    let width = scalar.bits();
    let mask = u64::MAX >> (64 - width);
    let mut edges: Vec<u64> = if scalar.is_int() {
        let top = mask >> 1;
        let width = u64::from(width);
        vec![
            0,
            1,
            2,
            3,
            7,
            mask,
            mask.wrapping_sub(1),
            top,
            top + 1,
            top.wrapping_sub(1),
            top + 2,
            width,
            width - 1,
            width + 1,
            255,
            256,
            257,
            2049,
            16_777_217,
        ]
    } else {
        let format = number::format(scalar);
        let one = number::encode(scalar, &number::from_int(1), RoundingMode::NearestEven);
        let (one, fraction) = if scalar == Scalar::Tf32 { (one >> 13, 10) } else { (one, format.mantissa) };
        let least = 1u64 << fraction;
        let sign = 1u64 << (width - 1);
        // Zero, subnormal numbers, the smallest and the largest ones, infinity and NaN.
        let mut edges = vec![0, 1, 2, least - 1, least, least + 1, mask >> 1, (mask >> 1) - 1, one, one + 1, one.wrapping_sub(1)];
        let infinity = (mask >> 1) & !(least - 1);
        edges.extend([infinity, infinity.wrapping_sub(1), infinity + 1]);
        for value in [2, 3, 5, 7, 17, 257] {
            let bits = number::encode(scalar, &number::from_int(value), RoundingMode::Zero);
            edges.push(if scalar == Scalar::Tf32 { bits >> 13 } else { bits });
        }
        let negative: Vec<u64> = [0, 1, least, one, infinity, infinity.wrapping_sub(1), one + 1].iter().map(|bits| bits | sign).collect();
        edges.extend(negative);
        edges
    };
    let mut state = 0x1234_5678_9abc_def1u64;
    while edges.len() < EDGES {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        edges.push(state ^ state >> 29);
    }
    edges.into_iter().map(|bits| bits & mask).collect()
}
