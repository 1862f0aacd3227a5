//! Products of matrices that were loaded for them.

use super::{Generator, statements::I32};
use crate::regular::{Combination, Element};
use tilewright_ir::{AttrName, AttrValue, Opcode, Scalar, Type, Value};

/// A kind of product, and the shapes of its factors, of what it is added to, and of the result.
struct Product<'c> {
    combination: &'c Combination,
    shapes: Vec<Vec<i64>>,
}

impl<'c> Generator<'c> {
    pub(super) fn product(&mut self) {
        let product = self.any_product();
        let (lhs, acc) = (self.left_factor(&product), self.start(&product));
        let value = self.multiplied(&product, lhs, acc);
        self.keep_product(&product, value);
    }

    /// Products in a loop that have one left factor, which is loaded before.
    pub(super) fn products_in_a_loop(&mut self) {
        let product = self.any_product();
        let (lhs, acc) = (self.left_factor(&product), self.start(&product));
        let rounds = self.choices.below(4) as u64;
        let [lower, upper, step] = [0, rounds, 1].map(|n| self.numbers(Scalar::I32, &[], &[n]));
        let types = [self.ty(product.combination.types[2], &product.shapes[2])];
        let op = self.op(Opcode::For, |op| {
            let op = op.operand("lowerBound", lower).operand("upperBound", upper).operand("step", step).operand("initValues", acc);
            op.attr(AttrName::UnsignedCmp, AttrValue::Absent).results(&types)
        });
        let args: Vec<Type> = [self.ty(I32, &[])].into_iter().chain(types).collect();
        self.region(op, 0, &args, |this, args| {
            let mut acc = args[1];
            for _ in 0..1 + this.choices.below(2) {
                acc = this.multiplied(&product, lhs, acc);
            }
            this.op(Opcode::Continue, |op| op.operand("operands", acc));
        });
        let value = self.result(op, 0);
        self.keep_product(&product, value);
    }

    fn any_product(&mut self) -> Product<'c> {
        let combination = self.any_kind();
        let double = combination.types[0] == Element::Number(Scalar::F64);
        let shapes = match self.choices.below(4) {
            // As wide as the widest panels: rows below the first ones find them filled.
            2 => matrices(8, if double { 32 } else { 64 }, *self.choices.pick(&[2, 4, 1])),
            // Of several chunks.
            3 => matrices(2, 2, if double { 32 } else { 64 }),
            _ => self.shapes(combination),
        };
        Product { combination, shapes }
    }

    /// A kind of product without scales.
    pub(super) fn any_kind(&mut self) -> &'c Combination {
        let all = self.combinations;
        let is_product = |group: &&Vec<Combination>| matches!(group[0].opcode, Opcode::MmaF | Opcode::MmaI);
        let groups: Vec<&Vec<Combination>> = all.iter().filter(is_product).collect();
        let group = *self.choices.pick(&groups);
        self.choices.pick(group)
    }

    /// A left factor, which others may read, too.
    fn left_factor(&mut self, product: &Product<'_>) -> Value {
        let (element, shape) = (product.combination.types[0], &product.shapes[0]);
        let value = self.loaded(element, shape);
        self.keep(value, element, shape, false);
        value
    }

    /// What the first product is added to.
    fn start(&mut self, product: &Product<'_>) -> Value {
        self.operand(product.combination.types[2], &product.shapes[2], false)
    }

    /// A product with a right factor of its own.
    fn multiplied(&mut self, Product { combination, shapes }: &Product<'_>, lhs: Value, acc: Value) -> Value {
        let rhs = self.loaded(combination.types[1], &shapes[1]);
        self.combined_as(combination, &[lhs, rhs, acc], combination.types[3], &shapes[3])
    }

    fn keep_product(&mut self, Product { combination, shapes }: &Product<'_>, value: Value) {
        self.keep(value, combination.types[3], &shapes[3], false);
    }
}

/// The shapes of an `m` x `n` product.
fn matrices(m: i64, n: i64, k: i64) -> Vec<Vec<i64>> {
    vec![vec![m, k], vec![k, n], vec![m, n], vec![m, n]]
}
