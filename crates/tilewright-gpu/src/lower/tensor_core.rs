//! Matrix products by tensor cores: factors and sums get the layouts of fragments, and each warp multiplies its share.

use super::{
    Lowerer, Stop, Tile,
    anchors::jump_target,
    fragments::{Matrix, Sharing},
    tile::bits_of,
};
use crate::{
    Target,
    layout::Layout,
    thread::{Product, Value},
};
use std::collections::{HashMap, HashSet};
use tilewright_ir::{AttrName, Body, Module, Op, OpRef, Opcode, RoundingMode, Scalar, Signedness, TypeTable};
use tilewright_passes::{
    elem::Elem,
    elementwise::{ElemOp, elem_op},
};

/// How a product of the module is done by tensor cores.
#[derive(Clone, Copy)]
pub(super) struct OnTensorCores {
    product: Product,
    sharing: Sharing,
    matrix: Matrix,
    bits: u32,
}

impl OnTensorCores {
    /// None if factors or sums have other types, or if the product is smaller than one instruction. Warps share whole rows of some products.
    pub(super) fn of(
        module: &Module,
        body: &Body,
        op: OpRef<'_>,
        target: Target,
        warp_bits: u32,
        whole_rows: &HashSet<Op>,
    ) -> Option<OnTensorCores> {
        if !matches!(op.opcode(), Opcode::MmaF | Opcode::MmaI) {
            return None;
        }
        let types = &module.tables.types;
        let tile = |value| {
            let (element, shape) = types.as_tile(body.ty(value))?;
            let Elem::Num(scalar) = Elem::of(types, element)? else { return None };
            Some((scalar, shape))
        };
        let [lhs, rhs] = ["lhs", "rhs"].map(|name| op.operand_named(name).first().and_then(|value| tile(*value)));
        let ((scalar, lhs), (other, _), (_, sums)) = (lhs?, rhs?, tile(op.result(0)?)?);
        let signed = [AttrName::SignednessLhs, AttrName::SignednessRhs].map(|name| op.signedness_of(name) != Some(Signedness::Unsigned));
        let product = Product::of([scalar, other], signed, target)?;
        let matrix = Matrix::of(sums);
        let terms = Matrix::of(lhs).columns.1;
        let sharing = Sharing::of(product, [matrix.batch.1, matrix.rows.1, matrix.columns.1], warp_bits, whole_rows.contains(&op.id()))?;
        (terms >= product.shape()[2]).then(|| OnTensorCores { product, sharing, matrix, bits: bits_of(sums) })
    }

    /// The layout of the sums.
    pub(super) fn sums(&self) -> Layout {
        self.sharing.sums(&self.matrix, self.bits)
    }
}

/// Products whose rows had better belong to one warp each: what is made of their sums element by element is reduced along the rows, or is the left factor
/// of another product, which then belongs to them too. Both need no other warp's elements then.
pub(super) fn with_whole_rows(module: &Module, body: &Body) -> HashSet<Op> {
    let types = &module.tables.types;
    // What is made of a value element by element, and what of such values is taken by whole rows.
    let (mut made_of, mut makes) = (Edges::new(), Edges::new());
    let (mut sums, mut rows) = (Vec::new(), Vec::new());
    for op in body.preorder() {
        let is_last = |value: &tilewright_ir::Value| {
            let rank = types.as_tile(body.ty(*value)).map_or(0, |(_, shape)| shape.len());
            op.int(AttrName::Dim).is_some_and(|dim| dim as usize + 1 == rank)
        };
        match op.opcode() {
            Opcode::Reduce => rows.extend(op.operands().iter().copied().filter(is_last)),
            _ if is_product(op) => {
                rows.extend(op.operand_named("lhs"));
                sums.extend(op.results());
            }
            _ => made_by(op, types).for_each(|(from, to)| {
                makes.entry(from).or_default().push(to);
                made_of.entry(to).or_default().push(from);
            }),
        }
    }
    let (of_sums, to_rows) = (reached(sums, &makes), reached(rows, &made_of));
    let is_taken = |op: &OpRef<'_>| op.results().any(|sum| to_rows.contains(&sum));
    let takes = |op: &OpRef<'_>| op.operand_named("lhs").first().is_some_and(|factor| of_sums.contains(factor));
    body.preorder().filter(|op| is_product(*op) && (is_taken(op) || takes(op))).map(|op| op.id()).collect()
}

type Edges = HashMap<tilewright_ir::Value, Vec<tilewright_ir::Value>>;

/// What an operation makes element by element of what, as far as its elements keep their places; a branch gives what it yields.
fn made_by<'m>(op: OpRef<'m>, types: &TypeTable) -> Box<dyn Iterator<Item = (tilewright_ir::Value, tilewright_ir::Value)> + 'm> {
    match op.opcode() {
        Opcode::Yield => Box::new(op.operands().iter().copied().zip(jump_target(op).into_iter().flat_map(|target| target.results()))),
        _ if elem_op(op, types).is_some() => {
            Box::new(op.operands().iter().flat_map(move |operand| op.results().map(|result| (*operand, result))))
        }
        _ => Box::new(std::iter::empty()),
    }
}

/// All values that edges lead to from some of them, and these.
fn reached(mut open: Vec<tilewright_ir::Value>, edges: &Edges) -> HashSet<tilewright_ir::Value> {
    let mut found: HashSet<tilewright_ir::Value> = open.iter().copied().collect();
    while let Some(value) = open.pop() {
        open.extend(edges.get(&value).into_iter().flatten().copied().filter(|next| found.insert(*next)));
    }
    found
}

fn is_product(op: OpRef<'_>) -> bool {
    matches!(op.opcode(), Opcode::MmaF | Opcode::MmaI)
}

impl Lowerer<'_> {
    /// The layout in which a product on tensor cores takes a tile, where the tile is a factor, or one is made of it element by element or by moving
    /// its elements.
    pub(super) fn factor_layout(&self, value: tilewright_ir::Value) -> Option<Layout> {
        if self.is_alone {
            return None;
        }
        let types = &self.module.tables.types;
        let uses = self.frame.uses.get(&value)?;
        uses.iter().find_map(|user| {
            let op = self.frame.body.op(*user);
            match op.opcode() {
                Opcode::MmaF | Opcode::MmaI => {
                    let how =
                        OnTensorCores::of(self.module, self.frame.body, op, self.target, self.warp_bits, &self.frame.anchors.whole_rows)?;
                    let (_, shape) = types.as_tile(self.frame.body.ty(value))?;
                    let (matrix, bits) = (Matrix::of(shape), bits_of(shape));
                    let is = |name| op.operand_named(name).first() == Some(&value);
                    match (is("lhs"), is("rhs")) {
                        (true, _) => Some(how.sharing.lhs(&matrix, bits)),
                        (_, true) => Some(how.sharing.rhs(&matrix, bits)),
                        _ => None,
                    }
                }
                Opcode::Permute => self.factor_layout(op.result(0)?).and_then(|layout| Some(layout.then(&self.permutation(op).ok()?))),
                Opcode::Reshape => self.factor_layout(op.result(0)?),
                _ if op.operands().len() == 1 && elem_op(op, types).is_some() => self.factor_layout(op.result(0)?),
                _ => None,
            }
        })
    }

    /// The product of two factors, with what it is added to.
    pub(super) fn tensor_core_product(&mut self, op: OpRef<'_>, how: &OnTensorCores) -> Result<(), Stop> {
        let [lhs, rhs, acc] = ["lhs", "rhs", "acc"].map(|name| op.operand_named(name)[0]);
        let [lhs, rhs, acc] = [self.tile(op, lhs)?, self.tile(op, rhs)?, self.tile(op, acc)?];
        let (of_lhs, of_rhs) = (Matrix::of(&lhs.shape), Matrix::of(&rhs.shape));
        let lhs = self.convert(&lhs, &how.sharing.lhs(&of_lhs, bits_of(&lhs.shape)));
        let rhs = self.convert(&rhs, &how.sharing.rhs(&of_rhs, bits_of(&rhs.shape)));
        let [lhs, rhs] = [self.as_multiplied(op, how.product, lhs)?, self.as_multiplied(op, how.product, rhs)?];
        let elem = acc.elem;
        let sum_elem = if elem == Elem::Num(Scalar::F16) { Elem::Num(Scalar::F32) } else { elem };
        let acc = self.convert(&acc, &how.sums());
        let acc = self.converted(op, &acc, sum_elem, ElemOp::FToF(RoundingMode::NearestEven))?;
        let (lhs_words, rhs_words) = (self.fragment_words(how.product, &lhs), self.fragment_words(how.product, &rhs));
        let (at_lhs, at_rhs) = (registers_by_index(&lhs.layout), registers_by_index(&rhs.layout));
        let [of_sums, per_lhs, per_rhs] = how.product.registers();
        let packed = how.product.packed();
        let [_, _, k] = how.product.shape();
        let mut registers = acc.registers.clone();
        // Sums take turns, so that a product need not wait for the one before it, and few factors are needed at a time.
        for term in (0..1u32 << of_lhs.columns.1).step_by(1 << k) {
            for first in (0..registers.len()).step_by(of_sums) {
                let index = acc.layout.of_register(first as u32);
                let part = |(low, bits): (u32, u32)| index >> low & ((1 << bits) - 1);
                let (batch, row, column) = (part(how.matrix.batch), part(how.matrix.rows), part(how.matrix.columns));
                let lhs_index = batch << of_lhs.batch.0 | row << of_lhs.rows.0 | term << of_lhs.columns.0;
                let rhs_index = batch << of_rhs.batch.0 | term << of_rhs.rows.0 | column << of_rhs.columns.0;
                let words = |words: &[Value], register: u32, count: usize| words[(register >> packed) as usize..][..count].to_vec();
                let factors = [words(&lhs_words, at_lhs[&lhs_index], per_lhs), words(&rhs_words, at_rhs[&rhs_index], per_rhs)];
                let sums = registers[first..first + of_sums].to_vec();
                registers.splice(first..first + of_sums, self.b.product(how.product, factors, sums));
            }
        }
        let count = (registers.len() / of_sums) << (of_lhs.columns.1 - k);
        self.note(format!("{count} x mma.sync.{} by each warp", how.product));
        let sum = Tile { elem: sum_elem, registers, is_splat: false, ..acc };
        let rounded = self.converted(op, &sum, elem, ElemOp::FToF(RoundingMode::NearestEven))?;
        self.define(op.result(0).expect("a tile"), rounded);
        Ok(())
    }

    /// A factor in the type that the instruction multiplies.
    fn as_multiplied(&mut self, op: OpRef<'_>, product: Product, factor: Tile) -> Result<Tile, Stop> {
        match product {
            Product::F16 => self.converted(op, &factor, Elem::Num(Scalar::F16), ElemOp::FToF(RoundingMode::NearestEven)),
            _ => Ok(factor),
        }
    }

    /// The registers of a factor as the instruction takes them: neighbouring terms in a word.
    fn fragment_words(&mut self, product: Product, tile: &Tile) -> Vec<Value> {
        tile.registers.chunks(1 << product.packed()).flat_map(|terms| self.words_of(terms)).collect()
    }
}

/// For each index that registers decide, the first register that holds it.
fn registers_by_index(layout: &Layout) -> HashMap<u32, u32> {
    (0..layout.registers()).rev().map(|register| (layout.of_register(register), register)).collect()
}
