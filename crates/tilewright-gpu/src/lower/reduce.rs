//! Reductions: registers of a thread first, then lanes, then warps.

use super::{Lowerer, Stop, Tile, exchange::PIECE_BYTES, tile::dims_of};
use crate::{
    layout::Layout,
    thread::{From, Space, Special, Value},
};
use tilewright_ir::{AttrName, Block, OpRef, Opcode};
use tilewright_passes::{
    elem::Elem,
    elementwise::{ElemOp, elem_op},
};
use tilewright_vector::{Lane, Prim};

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
        // What each register holds of each operand.
        let mut rows: Vec<Vec<Value>> =
            (0..layout.registers() as usize).map(|r| tiles.iter().map(|tile| tile.registers[r]).collect()).collect();
        let bits = layout.registers().ilog2();
        for bit in (0..bits).filter(|bit| layout.of_register(1 << bit) & along != 0) {
            for register in (0..rows.len()).filter(|register| register >> bit & 1 == 0) {
                let other = rows[register | 1 << bit].clone();
                let own = rows[register].clone();
                rows[register] = self.combine(op, block, &own, &other)?;
            }
            for register in (0..rows.len()).filter(|register| register >> bit & 1 == 1) {
                rows[register] = rows[register & !(1 << bit)].clone();
            }
        }
        let columns: Vec<u32> = layout.thread_columns().to_vec();
        for (bit, _) in columns.iter().enumerate().filter(|(_, column)| *column & along != 0) {
            rows = self.across_threads(op, block, rows, &layout, along, bit as u32)?;
        }
        self.frame.values.extend(captured);
        self.reduced(op, &tiles, rows, &layout, at)
    }

    /// Combines with the threads whose number differs in a bit.
    fn across_threads(
        &mut self,
        op: OpRef<'_>,
        block: Block,
        mut rows: Vec<Vec<Value>>,
        layout: &Layout,
        along: u32,
        bit: u32,
    ) -> Result<Vec<Vec<Value>>, Stop> {
        let thread = self.b.special(Special::Thread);
        let (mask, zero) = (self.i32(1 << bit), self.i32(0));
        let own_bit = self.b.prim(Prim::And, &[thread, mask]);
        let is_lower = self.b.prim(Prim::Eq, &[own_bit, zero]);
        let is_commutative = self.is_commutative(block);
        let mut done: Vec<Option<Vec<Value>>> = vec![None; rows.len()];
        let others = if bit < 5 { None } else { Some(self.of_other_warps(&rows, bit)) };
        for register in 0..rows.len() {
            // Registers that differ along the dimension only hold the same by now.
            let same =
                (0..register).find(|other| layout.of_register(*other as u32) & !along == layout.of_register(register as u32) & !along);
            if let Some(same) = same {
                done[register] = done[same].clone();
                continue;
            }
            let own = rows[register].clone();
            let other = match &others {
                Some(others) => others[register].clone(),
                None => own.iter().map(|value| self.exchange(*value, From::Across(1 << bit))).collect(),
            };
            if is_commutative {
                done[register] = Some(self.combine(op, block, &own, &other)?);
                continue;
            }
            // Both threads combine in the same order, so they get the same.
            let pick = |this: &mut Self, yes: &[Value], no: &[Value]| -> Vec<Value> {
                yes.iter().zip(no).map(|(yes, no)| this.b.prim(Prim::Select, &[is_lower, *yes, *no])).collect()
            };
            let (first, second) = (pick(self, &own, &other), pick(self, &other, &own));
            done[register] = Some(self.combine(op, block, &first, &second)?);
        }
        rows.iter_mut().zip(done).for_each(|(row, done)| *row = done.expect("every register is done"));
        Ok(rows)
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

    /// What the threads hold whose number differs in a bit, through shared memory.
    fn of_other_warps(&mut self, rows: &[Vec<Value>], bit: u32) -> Vec<Vec<Value>> {
        let threads = 32u32 << self.warp_bits;
        let thread = self.b.special(Special::Thread);
        let flip = self.i32(1 << bit);
        let partner = self.b.prim(Prim::Xor, &[thread, flip]);
        let mut out = rows.to_vec();
        for operand in 0..rows[0].len() {
            let mut values: Vec<Value> = rows.iter().map(|row| row[operand]).collect();
            values.sort_unstable();
            values.dedup();
            let lane = self.b.lane(values[0]);
            let memory = if lane == Lane::Mask { Lane::I8 } else { lane };
            let (size, width) = (memory.size() as u32, self.i32(memory.size() as u32));
            let [own_place, other_place] = [thread, partner].map(|thread| self.b.prim(Prim::Mul, &[thread, width]));
            let at_once = (PIECE_BYTES / (threads * size)) as usize;
            for chunk in values.chunks(at_once) {
                let bytes = threads * size * chunk.len() as u32;
                let begin = self.claim_shared(bytes);
                for (i, value) in chunk.iter().enumerate() {
                    let value = self.stored_form(*value);
                    self.b.store(value, Space::Shared, own_place, (begin + i as u32 * threads * size) as i32, None);
                }
                self.barrier();
                for (i, value) in chunk.iter().enumerate() {
                    let other = self.b.load(memory, Space::Shared, other_place, (begin + i as u32 * threads * size) as i32, None);
                    let other = self.loaded_form(other, lane);
                    rows.iter().zip(&mut out).filter(|(row, _)| row[operand] == *value).for_each(|(_, out)| out[operand] = other);
                }
                self.read_shared(begin, bytes);
            }
        }
        out
    }

    /// Defines the results: the registers without the dimension.
    fn reduced(&mut self, op: OpRef<'_>, tiles: &[Tile], rows: Vec<Vec<Value>>, layout: &Layout, dim: (u32, u32)) -> Result<(), Stop> {
        let held = layout.dropped(dim);
        for (n, result) in op.results().enumerate() {
            let (elem, shape): (Elem, Vec<i64>) = self.tile_type(op, result)?;
            let registers = rows.iter().map(|row| row[n]).collect();
            let is_splat = shape.is_empty() || tiles[n].is_splat && tiles.iter().all(|tile| tile.is_splat);
            let tile = Tile { elem, shape: shape.clone(), layout: held.clone(), registers, is_splat };
            let layout = self.carried_layout(result, &shape);
            let tile = self.convert(&tile, &layout);
            self.define(result, tile);
        }
        Ok(())
    }
}
