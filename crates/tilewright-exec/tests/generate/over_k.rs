//! Loops that do nothing but multiply tiles of two matrices, as most products of matrices do.

use super::{Choices, Generator, INPUT, Program, access::size, make, statements::I32};
use crate::regular::{Combination, Element};
use tilewright_ir::{AttrName, AttrValue, MemoryOrderingSemantics as Order, Opcode, Scalar, Type, TypeTable, Value};

/// A program of blocks that multiply matrices.
pub(crate) fn over_k_program(choices: &mut Choices, combinations: &[Vec<Combination>]) -> Program {
    // Some are enough for blocks to run in step, in rectangles that do not all fit.
    let grid = [*choices.pick(&[2, 1, 3, 5, 8]), *choices.pick(&[1, 2, 4, 7]), 1];
    make(choices, combinations, grid, |generator| generator.products_over_k(grid.map(i64::from)))
}

impl Generator<'_> {
    /// Each block multiplies a row of tiles with a column of tiles.
    fn products_over_k(&mut self, [down, across, _]: [i64; 3]) {
        let combination = self.any_kind();
        let Element::Number(scalar) = combination.types[0] else { panic!("factors are numbers") };
        let [mut m, mut n, mut k] = [0; 3].map(|_| *self.choices.pick(&[2, 4, 1, 8, 16]));
        let mut rounds = *self.choices.pick(&[2, 4, 1, 8]);
        let room = (INPUT / size(scalar)) as i64 - 8;
        while (m * down).max(n * across) * k * rounds > room {
            let longest = [&mut m, &mut n, &mut k, &mut rounds].into_iter().max();
            longest.into_iter().for_each(|extent| *extent /= 2);
        }
        // The last tiles of a row may lie outside in part.
        let left = self.strips(self.input, scalar, [m, k], [down, rounds]);
        let right = self.strips(self.input, scalar, [k, n], [rounds, across]);
        let [row, column] = self.position();
        let value = self.summed(combination, (rounds, row), [m, n], |this, round, last| {
            let factor = combination.types[0];
            let load = |this: &mut Self, is_left: bool| {
                if is_left { this.strip(left, factor, [m, k], [row, round]) } else { this.strip(right, factor, [k, n], [round, column]) }
            };
            let left_first = this.choices.below(2) == 0;
            let (first, second) = (load(this, left_first), load(this, !left_first));
            let (lhs, rhs) = if left_first { (first, second) } else { (second, first) };
            this.combined_as(combination, &[lhs, rhs, last], combination.types[3], &[m, n])
        });
        self.store_in_matrix(value, combination.types[3], [m, n], [down, across], [row, column]);
    }

    /// What a loop over some of the rounds, and perhaps one more, makes of sums; or over as many as a number says that the block has computed.
    fn summed(
        &mut self,
        combination: &Combination,
        (rounds, own): (i64, Value),
        shape: [i64; 2],
        mut next: impl FnMut(&mut Self, Value, Value) -> Value,
    ) -> Value {
        let start = self.operand(combination.types[2], &shape, false);
        let [lower, step] = [self.choices.once_in(4), self.choices.once_in(4)].map(u64::from);
        let bounds = [lower, rounds as u64 + u64::from(self.choices.once_in(4)), 1 + step];
        let [lower, mut upper, step] = bounds.map(|n| self.numbers(Scalar::I32, &[], &[n]));
        if self.choices.once_in(8) {
            upper = own;
        }
        let types = [self.ty(combination.types[2], &shape)];
        let op = self.op(Opcode::For, |op| {
            let op = op.operand("lowerBound", lower).operand("upperBound", upper).operand("step", step).operand("initValues", start);
            op.attr(AttrName::UnsignedCmp, AttrValue::Absent).results(&types)
        });
        let args: Vec<Type> = [self.ty(I32, &[])].into_iter().chain(types).collect();
        self.region(op, 0, &args, |this, args| {
            let sums = next(this, args[0], args[1]);
            this.op(Opcode::Continue, |op| op.operand("operands", sums));
        });
        self.result(op, 0)
    }

    /// Stores a tile of a matrix that all blocks write, once or twice.
    fn store_in_matrix(&mut self, value: Value, element: Element, tile: [i64; 2], extents: [i64; 2], indices: [Value; 2]) {
        let Element::Number(scalar) = element else { panic!("sums are numbers") };
        let bytes = (size(scalar) * (8 + tile[0] * tile[1]) as usize).next_multiple_of(16);
        for matrix in 0..1 + usize::from(self.choices.once_in(4)) {
            let behind = self.numbers(Scalar::I64, &[], &[matrix as u64 * bytes as u64 * (extents[0] * extents[1]) as u64]);
            let base = self.moved(self.all_output, behind);
            let view = self.strips(base, scalar, tile, extents);
            self.take(bytes);
            self.op(Opcode::StoreViewTko, |op| {
                let op = op.operand("tile", value).operand("view", view).operands("index", &indices);
                op.attr(AttrName::MemoryOrderingSemantics, Self::wire(Order::Weak as u8)).result(TypeTable::token())
            });
        }
    }
}
