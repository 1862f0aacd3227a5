//! Reductions: registers of a thread first, then lanes, then warps.

use super::{Lowerer, Stop, Tile, exchange::Reads, tile::dims_of};
use crate::{
    layout::{LANE_BITS, Layout},
    thread::{From, Special, Value},
};
use tilewright_ir::{AttrName, Block, OpRef, Opcode};
use tilewright_passes::{
    elem::Elem,
    elementwise::{ElemOp, elem_op},
};
use tilewright_vector::{Lane, Prim};

/// As many rows of a thread are combined with several warps at once.
const FEW_ROWS: usize = 8;

/// Partial results: in each register of a layout without the dimension, one for each operand of the reduction.
struct Rows {
    layout: Layout,
    values: Vec<Vec<Value>>,
    /// Bits of the lane's number by which lanes took over each other's rows, with the column of the register's bit that it was.
    shared: Vec<(u32, u32)>,
}

/// A reduction and its combiner.
#[derive(Clone, Copy)]
struct Combiner<'a> {
    op: OpRef<'a>,
    block: Block,
    is_commutative: bool,
    /// About how many instructions of a thread it takes to get the partial results of another lane, and to combine them.
    cost: usize,
}

impl Lowerer<'_> {
    pub(super) fn reduce(&mut self, op: OpRef<'_>) -> Result<(), Stop> {
        let dim = op.int(AttrName::Dim).ok_or_else(|| self.unsupported(op, "a reduction without a dimension"))? as usize;
        let block = op.region_block(0).ok_or_else(|| self.unsupported(op, "a reduction without a combiner"))?;
        let given: Vec<Tile> = op.operands().iter().map(|operand| self.tile(op, *operand)).collect::<Result<_, _>>()?;
        // Any layout will do, so that sums of products are reduced as fragments.
        let layout = given.iter().find(|tile| !tile.is_splat).unwrap_or(&given[0]).layout.clone();
        let tiles: Vec<Tile> = given.iter().map(|tile| self.convert(tile, &layout)).collect();
        let at = dims_of(&tiles[0].shape)[dim];
        let along = ((1u32 << at.1) - 1) << at.0;
        self.note_row("combined", &layout, along);
        let captured = self.hold_captured(op)?;
        let combiner = self.combiner(op, block, tiles.len());
        let mut rows = self.in_registers(combiner, &tiles, &layout, at)?;
        let bits = layout.thread_columns().iter().enumerate().filter(|(_, column)| *column & along != 0);
        let (lanes, warps): (Vec<u32>, Vec<u32>) = bits.map(|(bit, _)| bit as u32).partition(|bit| *bit < LANE_BITS);
        for (n, bit) in lanes.iter().enumerate() {
            rows = self.across_lanes(combiner, rows, *bit, lanes.len() - n - 1 + warps.len())?;
        }
        // Four warps at once, unless that takes many registers.
        let at_once = if rows.values.len() > FEW_ROWS { 1 } else { 2 };
        let mut left = warps.as_slice();
        while !left.is_empty() {
            let (bits, others) = left.split_at(left.len().min(at_once));
            rows = self.across_warps(combiner, rows, bits, others)?;
            left = others;
        }
        self.frame.values.extend(captured);
        self.reduced(op, &tiles, rows)
    }

    fn combiner<'a>(&self, op: OpRef<'a>, block: Block, operands: usize) -> Combiner<'a> {
        let is_commutative = self.is_commutative(block);
        let choices = if is_commutative { 0 } else { 2 * operands };
        let cost = operands + choices + self.frame.body.ops(block).count() - 1;
        Combiner { op, block, is_commutative, cost }
    }

    /// What each thread has of each row.
    fn in_registers(&mut self, combiner: Combiner<'_>, tiles: &[Tile], layout: &Layout, dim: (u32, u32)) -> Result<Rows, Stop> {
        let along = ((1u32 << dim.1) - 1) << dim.0;
        let mut values: Vec<Vec<Value>> =
            (0..layout.registers() as usize).map(|r| tiles.iter().map(|tile| tile.registers[r]).collect()).collect();
        // Bit by bit, from the lowest on: what remains are the registers in which the bit is clear.
        for bit in (0..layout.registers().ilog2()).filter(|bit| layout.of_register(1 << bit) & along != 0) {
            for register in (0..values.len()).filter(|register| register >> bit & 1 == 0) {
                let (own, other) = (values[register].clone(), values[register | 1 << bit].clone());
                values[register] = self.combine(combiner.op, combiner.block, &own, &other)?;
            }
        }
        // Copies, and what was combined, are in the first of their registers.
        let held = layout.dropped(dim);
        let first =
            |register: &u32| held.register_columns().iter().enumerate().all(|(bit, column)| *column != 0 || register >> bit & 1 == 0);
        let values = (0..layout.registers()).filter(first).map(|register| values[register as usize].clone()).collect();
        Ok(Rows { layout: layout.without(dim), values, shared: Vec::new() })
    }

    /// Combines with the lanes whose number differs in a bit, before the threads that differ in one of `left` more bits.
    fn across_lanes(&mut self, combiner: Combiner<'_>, rows: Rows, bit: u32, left: usize) -> Result<Rows, Stop> {
        let thread = self.b.special(Special::Thread);
        let (mask, zero) = (self.i32(1 << bit), self.i32(0));
        let own_bit = self.b.prim(Prim::And, &[thread, mask]);
        let is_lower = self.b.prim(Prim::Eq, &[own_bit, zero]);
        if rows.are_shared_with_gain(combiner, left) {
            return self.share_rows(combiner, rows, bit, is_lower);
        }
        let mut values = Vec::new();
        for own in &rows.values {
            let other = self.exchange_all(own, bit);
            values.push(self.merge(combiner, is_lower, own, &other)?);
        }
        Ok(Rows { values, ..rows })
    }

    /// Halves rows between pairs of lanes: each gives away what it has of one half and goes on with the other, so that neither combines what the other
    /// one combines.
    fn share_rows(&mut self, combiner: Combiner<'_>, mut rows: Rows, bit: u32, is_lower: Value) -> Result<Rows, Stop> {
        let (lower, upper) = rows.values.split_at(rows.values.len() / 2);
        let mut values = Vec::new();
        for (lower, upper) in lower.iter().zip(upper) {
            let (kept, given) = (self.choose(is_lower, lower, upper), self.choose(is_lower, upper, lower));
            let other = self.exchange_all(&given, bit);
            values.push(self.merge(combiner, is_lower, &kept, &other)?);
        }
        let column;
        (rows.layout, column) = rows.layout.with_highest_register_in_thread(bit);
        rows.shared.push((bit, column));
        Ok(Rows { values, ..rows })
    }

    /// Combines what this thread and another one have. Both do so in the same order and get the same.
    fn merge(&mut self, combiner: Combiner<'_>, is_lower: Value, own: &[Value], other: &[Value]) -> Result<Vec<Value>, Stop> {
        if combiner.is_commutative {
            return self.combine(combiner.op, combiner.block, own, other);
        }
        let (first, second) = (self.choose(is_lower, own, other), self.choose(is_lower, other, own));
        self.combine(combiner.op, combiner.block, &first, &second)
    }

    /// Values of the lane whose number differs in a bit.
    fn exchange_all(&mut self, values: &[Value], bit: u32) -> Vec<Value> {
        values.iter().map(|value| self.exchange(*value, From::Across(1 << bit))).collect()
    }

    /// Gives a row's result to the lanes that shared the row.
    fn spread(&mut self, layout: &Layout, mut registers: Vec<Value>, shared: &[(u32, u32)]) -> (Layout, Vec<Value>) {
        let mut layout = layout.clone();
        for (bit, column) in shared.iter().rev() {
            let thread = self.b.special(Special::Thread);
            let (mask, zero) = (self.i32(1 << bit), self.i32(0));
            let own_bit = self.b.prim(Prim::And, &[thread, mask]);
            let is_lower = self.b.prim(Prim::Eq, &[own_bit, zero]);
            let others = self.exchange_all(&registers, *bit);
            let (lower, upper) = (self.choose(is_lower, &registers, &others), self.choose(is_lower, &others, &registers));
            registers = lower.into_iter().chain(upper).collect();
            layout = layout.with_thread_in_highest_register(*bit, *column);
        }
        (layout, registers)
    }

    /// Whether a combiner is one operation of its two arguments that gives the same bits in either order.
    fn is_commutative(&self, block: Block) -> bool {
        let types = &self.module.tables.types;
        let mut ops = self.frame.body.ops(block);
        let (Some(only), Some(end), None) = (ops.next(), ops.next(), ops.next()) else { return false };
        let args: Vec<_> = self.frame.body.args(block).collect();
        let is_of_both = args.len() == 2 && only.operands().len() == 2 && args.iter().all(|arg| only.operands().contains(arg));
        let commutes = matches!(
            elem_op(only, types),
            Some(
                ElemOp::AddI
                    | ElemOp::MulI
                    | ElemOp::MaxI(_)
                    | ElemOp::MinI(_)
                    | ElemOp::And
                    | ElemOp::Or
                    | ElemOp::Xor
                    | ElemOp::AddF(..)
                    | ElemOp::MulF(..)
                    | ElemOp::MaxF { .. }
                    | ElemOp::MinF { .. }
            )
        );
        is_of_both && commutes && end.opcode() == Opcode::Yield && end.operands().first().copied() == only.result(0)
    }

    /// A value of another lane.
    pub(super) fn exchange(&mut self, value: Value, from: From) -> Value {
        match self.b.lane(value) {
            Lane::I32 | Lane::F32 => self.b.shuffle(value, from),
            Lane::Mask => {
                let (one, zero) = (self.i32(1), self.i32(0));
                let bit = self.b.prim(Prim::Select, &[value, one, zero]);
                let other = self.b.shuffle(bit, from);
                self.narrow(other, Lane::Mask)
            }
            lane @ (Lane::I8 | Lane::I16) => {
                let wide = self.b.prim(if lane == Lane::I8 { Prim::U8To32 } else { Prim::U16To32 }, &[value]);
                let other = self.b.shuffle(wide, from);
                self.narrow(other, lane)
            }
            Lane::I64 => {
                let places = self.i64(32);
                let upper = self.b.prim(Prim::ShrU, &[value, places]);
                let [low, high] = [value, upper].map(|word| {
                    let half = self.b.prim(Prim::Low32Of64, &[word]);
                    let other = self.b.shuffle(half, from);
                    self.b.prim(Prim::U32To64, &[other])
                });
                let high = self.b.prim(Prim::Shl, &[high, places]);
                self.b.prim(Prim::Or, &[high, low])
            }
            Lane::F64 => {
                let bits = self.b.prim(Prim::Bits64, &[value]);
                let other = self.exchange(bits, from);
                self.b.prim(Prim::Float64, &[other])
            }
        }
    }

    /// Combines with the warps whose numbers differ in some bits of the thread's number, before those that differ in `others`: each thread gets the partial
    /// results of all of them, and combines these in one order, so all get the same.
    fn across_warps(&mut self, combiner: Combiner<'_>, rows: Rows, bits: &[u32], others: &[u32]) -> Result<Rows, Stop> {
        let (from, to) = rows.layout.with_parts(bits, others);
        let count = rows.values.len();
        let mut parts: Vec<Vec<Value>> = vec![Vec::new(); count << bits.len()];
        for operand in 0..rows.values[0].len() {
            let values: Vec<Value> = rows.values.iter().map(|row| row[operand]).collect();
            let values = self.through_shared(&from, &values, &to, Reads::Neighbours);
            parts.iter_mut().zip(values).for_each(|(part, value)| part.push(value));
        }
        let mut values = Vec::new();
        for row in parts.chunks(1 << bits.len()) {
            let mut row = row.to_vec();
            while row.len() > 1 {
                let pairs = row.chunks(2).map(|pair| self.combine(combiner.op, combiner.block, &pair[0], &pair[1]));
                row = pairs.collect::<Result<_, _>>()?;
            }
            values.extend(row);
        }
        Ok(Rows { values, ..rows })
    }

    /// Defines the results.
    fn reduced(&mut self, op: OpRef<'_>, tiles: &[Tile], rows: Rows) -> Result<(), Stop> {
        for (n, result) in op.results().enumerate() {
            let (elem, shape): (Elem, Vec<i64>) = self.tile_type(op, result)?;
            let is_splat = shape.is_empty() || tiles[n].is_splat && tiles.iter().all(|tile| tile.is_splat);
            let wanted = self.carried_layout(result, &shape);
            let (mut layout, mut registers) = (rows.layout.clone(), rows.values.iter().map(|row| row[n]).collect());
            // What changes its layout through shared memory comes from any lane as well.
            if is_splat || wanted.registers_of(&rows.all_in_registers()).is_some() {
                (layout, registers) = self.spread(&layout, registers, &rows.shared);
            }
            let tile = Tile { elem, shape, layout, registers, is_splat };
            let tile = self.convert(&tile, &wanted);
            self.define(result, tile);
        }
        Ok(())
    }
}

impl Rows {
    /// Whether lanes that share rows do less: they choose what to give and to keep, and get all results in the end, but half of what follows is left to them.
    fn are_shared_with_gain(&self, combiner: Combiner<'_>, left: usize) -> bool {
        let pairs = self.values.len() / 2;
        let operands = self.values[0].len();
        // Two choices, then an exchange and two choices; and what tells the lanes apart.
        (left + 1) * combiner.cost * pairs > 5 * operands * pairs + 2
    }

    /// The layout of the results when all lanes that shared rows have them.
    fn all_in_registers(&self) -> Layout {
        self.shared.iter().rev().fold(self.layout.clone(), |layout, (bit, column)| layout.with_thread_in_highest_register(*bit, *column))
    }
}
