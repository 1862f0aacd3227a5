//! Combiners of reductions and scans: each thread runs them by itself, on what it holds of two partial results.
//!
//! Threads may go different ways in a combiner, so none waits for another one: a tile of several elements is in the registers of each thread that
//! combines, all of it, and operations on it are those of a single thread.

use super::{
    Lowered, Lowerer, Stop, Tile,
    control::Scope,
    tile::{bits_of, coordinate, dims_of},
};
use crate::{
    layout::{BitMap, Layout},
    thread::Value,
};
use std::collections::HashSet;
use tilewright_ir::{Block, OpRef, Opcode};
use tilewright_vector::Prim;

/// The most multiply-adds of a product in a combiner.
const MOST_PRODUCTS: usize = 1 << 12;

impl Lowerer<'_> {
    /// The combiner of two partial results.
    pub(super) fn combine(&mut self, op: OpRef<'_>, block: Block, first: &[Value], second: &[Value]) -> Result<Vec<Value>, Stop> {
        let outer = std::mem::replace(&mut self.is_alone, true);
        let combined = self.combined(op, block, first, second);
        self.is_alone = outer;
        combined
    }

    fn combined(&mut self, op: OpRef<'_>, block: Block, first: &[Value], second: &[Value]) -> Result<Vec<Value>, Stop> {
        let args: Vec<_> = self.frame.body.args(block).collect();
        let given = first.iter().zip(second).flat_map(|(a, b)| [*a, *b]);
        for (arg, value) in args.iter().zip(given) {
            let (elem, _) = self.tile_type(op, *arg)?;
            let tile = self.splat(elem, &[], value);
            self.define(*arg, tile);
        }
        for inner in self.frame.body.ops(block) {
            match inner.opcode() {
                Opcode::Yield => return inner.operands().iter().map(|value| self.yielded(inner, *value)).collect(),
                Opcode::PreviewCall => self.call(inner)?,
                Opcode::If => self.lower_if(inner, Scope::ENTRY)?,
                Opcode::For => self.lower_for(inner)?,
                Opcode::Loop => self.lower_loop(inner)?,
                _ => self.op(inner)?,
            }
        }
        Err(self.unsupported(op, "a combiner without a result"))
    }

    /// What a combiner gives: a scalar, which its type alone does not promise.
    fn yielded(&self, op: OpRef<'_>, value: tilewright_ir::Value) -> Result<Value, Stop> {
        let tile = self.tile(op, value)?;
        if bits_of(&tile.shape) > 0 {
            return Err(self.unsupported(op, "a combiner that gives a tile of several elements"));
        }
        Ok(tile.registers[0])
    }

    /// Gives each thread all of the tiles that a combiner reads from around it, where all threads still go the same way; what these were is put
    /// back when the combiner is no more needed.
    pub(super) fn hold_captured(&mut self, op: OpRef<'_>) -> Result<Vec<(tilewright_ir::Value, Lowered)>, Stop> {
        let mut before = Vec::new();
        if self.is_alone {
            return Ok(before);
        }
        for value in self.captured(op) {
            let Some(Lowered::Tile(tile)) = self.frame.values.get(&value).cloned() else { continue };
            let bits = bits_of(&tile.shape);
            if bits == 0 {
                continue;
            }
            if 1 << bits > super::MAX_ALONE {
                return Err(self.unsupported(op, "a combiner that reads a tile of so many elements"));
            }
            let held = self.convert(&tile, &Layout::alone(bits, self.warp_bits));
            before.push((value, Lowered::Tile(tile)));
            self.define(value, held);
        }
        Ok(before)
    }

    /// The values that the regions of an operation read and do not define.
    fn captured(&self, op: OpRef<'_>) -> Vec<tilewright_ir::Value> {
        let (mut defined, mut read) = (HashSet::new(), Vec::new());
        let mut pending = vec![op];
        while let Some(outer) = pending.pop() {
            for block in (0..).map_while(|region| outer.region_block(region)) {
                defined.extend(self.frame.body.args(block));
                for inner in self.frame.body.ops(block) {
                    defined.extend(inner.results());
                    read.extend(inner.operands().iter().copied());
                    pending.push(inner);
                }
            }
        }
        let mut seen = HashSet::new();
        read.retain(|value| !defined.contains(value) && seen.insert(*value));
        read
    }

    /// The registers of the slice that begins at `start`, of a tile that the thread holds; `within` is where the first slice's elements are.
    pub(super) fn extract_alone(&mut self, source: &Tile, within: &BitMap, start: Value) -> Vec<Value> {
        let source = self.convert(source, &self.layout_of(&source.shape));
        let inside = within.columns().iter().fold(0, |all, column| all | column);
        let starts: Vec<u32> = (0..source.registers.len() as u32).filter(|index| index & inside == 0).collect();
        let matches: Vec<Value> = starts.iter().map(|at| self.i32(*at)).collect();
        let matches: Vec<Value> = matches.into_iter().map(|at| self.b.prim(Prim::Eq, &[start, at])).collect();
        let element = |n: u32| {
            let candidate = |at: u32| source.registers[(at | within.apply(n)) as usize];
            let first = candidate(starts[0]);
            starts
                .iter()
                .zip(&matches)
                .skip(1)
                .fold(first, |other, (at, is_there)| self.b.prim(Prim::Select, &[*is_there, candidate(*at), other]))
        };
        (0..1 << within.inputs()).map(element).collect()
    }

    /// The sums with a product whose factors the thread holds.
    pub(super) fn product_alone(&mut self, op: OpRef<'_>, factors: [&Tile; 2], sums: &Tile) -> Result<Tile, Stop> {
        let [lhs, rhs] = factors.map(|tile| self.convert(tile, &self.layout_of(&tile.shape)));
        let (a_dims, b_dims, dims) = (dims_of(&lhs.shape), dims_of(&rhs.shape), dims_of(&sums.shape));
        let first = dims.len() - 2;
        let terms = 1u32 << a_dims[first + 1].1;
        if sums.registers.len() * terms as usize > MOST_PRODUCTS {
            return Err(self.unsupported(op, "a product of so many factors in a combiner"));
        }
        let batch = |dims: &[(u32, u32)], number: u32| if first == 1 { number << dims[0].0 } else { 0 };
        let mut registers = Vec::new();
        for (index, sum) in (0..).zip(&sums.registers) {
            let number = if first == 1 { coordinate(index, dims[0]) } else { 0 };
            let (row, column) = (coordinate(index, dims[first]), coordinate(index, dims[first + 1]));
            let mut sum = *sum;
            for term in 0..terms {
                let a = batch(&a_dims, number) | row << a_dims[first].0 | term << a_dims[first + 1].0;
                let b = batch(&b_dims, number) | term << b_dims[first].0 | column << b_dims[first + 1].0;
                sum = self.multiply_add(lhs.registers[a as usize], rhs.registers[b as usize], sum);
            }
            registers.push(sum);
        }
        Ok(Tile { registers, is_splat: false, ..sums.clone() })
    }
}
