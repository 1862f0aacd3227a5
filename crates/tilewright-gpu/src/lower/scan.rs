//! Scans: a thread scans what it holds of a row, then lanes and warps hand on what came before.

use super::{Lowered, Lowerer, Stop, Tile, tile::dims_of};
use crate::{
    layout::{BitMap, LANE_BITS, Layout},
    thread::{From, Space, Special, Value},
};
use tilewright_ir::{AttrName, AttrValue, Block, OpRef};
use tilewright_vector::{Lane, Prim};

/// How the elements of a row are spread.
struct Row {
    reverse: bool,
    /// Bits of the place in the row that registers, lanes and warps decide, from the lowest; those of registers are the lowest of registers, and so
    /// on.
    registers: u32,
    lanes: u32,
    warps: u32,
}

impl Row {
    /// The place of what is `n`-th in order, of `1 << bits`.
    fn place(&self, n: u32, bits: u32) -> u32 {
        if self.reverse { (1 << bits) - 1 - n } else { n }
    }

    /// The lane so many before, in order.
    fn before(&self, lanes: u32) -> From {
        if self.reverse { From::After(lanes) } else { From::Before(lanes) }
    }
}

/// A scan: its operation and combiner.
#[derive(Clone, Copy)]
struct Scan<'a> {
    op: OpRef<'a>,
    block: Block,
}

impl Lowerer<'_> {
    pub(super) fn scan(&mut self, op: OpRef<'_>) -> Result<(), Stop> {
        let dim = op.int(AttrName::Dim).ok_or_else(|| self.unsupported(op, "a scan without a dimension"))? as usize;
        let block = op.region_block(0).ok_or_else(|| self.unsupported(op, "a scan without a combiner"))?;
        let scan = Scan { op, block };
        let operands: Vec<Tile> = op.operands().iter().map(|value| self.tile(op, *value)).collect::<Result<_, _>>()?;
        let at = dims_of(&operands[0].shape)[dim];
        let (layout, row) = self.rows_in_threads(at, operands[0].layout.map().rows(), reverse(op));
        let tiles: Vec<Tile> = operands.iter().map(|tile| self.convert(tile, &layout)).collect();
        let captured = self.hold_captured(op)?;
        self.note_row("scanned", &layout, ((1u32 << at.1) - 1) << at.0);
        let mut held: Vec<Vec<Value>> =
            (0..layout.registers() as usize).map(|r| tiles.iter().map(|tile| tile.registers[r]).collect()).collect();
        for part in held.chunks_mut(1 << row.registers) {
            for n in 1..1 << row.registers {
                let [before, here] = [n - 1, n].map(|n| row.place(n, row.registers) as usize);
                part[here] = self.combine(op, block, &part[before].clone(), &part[here].clone())?;
            }
        }
        if row.lanes > 0 {
            for part in held.chunks_mut(1 << row.registers) {
                let last = part[row.place((1 << row.registers) - 1, row.registers) as usize].clone();
                let (before, is_there) = self.before_thread(scan, &row, last)?;
                for values in part.iter_mut() {
                    let all = self.combine(op, block, &before, values)?;
                    *values = self.choose(is_there, &all, values);
                }
            }
        }
        self.frame.values.extend(captured);
        for (n, result) in op.results().enumerate() {
            let (elem, shape) = self.tile_type(op, result)?;
            let registers = held.iter().map(|values| values[n]).collect();
            let is_splat = shape.is_empty();
            self.frame.values.insert(result, Lowered::Tile(Tile { elem, shape, layout: layout.clone(), registers, is_splat }));
        }
        Ok(())
    }

    /// A layout in which each thread holds neighbours of a row, and lanes, then warps hold neighbouring parts of it.
    fn rows_in_threads(&self, (low, bits): (u32, u32), all: u32, reverse: bool) -> (Layout, Row) {
        let threads = LANE_BITS + self.warp_bits;
        // A thread that holds all by itself shares nothing.
        let sharing = if self.is_alone { 0 } else { threads };
        let is_along = |bit: &u32| (low..low + bits).contains(bit);
        let along: Vec<u32> = (0..all).filter(is_along).collect();
        let others: Vec<u32> = (0..all).filter(|bit| !is_along(bit)).collect();
        let registers = all.saturating_sub(sharing);
        let own = bits.min(registers);
        let (first, rest) = along.split_at(own as usize);
        let (upper, spread) = others.split_at((registers - own) as usize);
        let unit = |bit: &u32| 1u32 << bit;
        let used = first.iter().chain(upper).chain(rest).chain(spread).map(unit);
        let free = (all - registers..threads).map(|_| 0);
        let map = BitMap::new(used.chain(free).collect(), all);
        let lanes = (bits - own).min(LANE_BITS);
        (Layout::new(map, registers), Row { reverse, registers: own, lanes, warps: bits - own - lanes })
    }

    pub(super) fn choose(&mut self, mask: Value, yes: &[Value], no: &[Value]) -> Vec<Value> {
        yes.iter().zip(no).map(|(yes, no)| self.b.prim(Prim::Select, &[mask, *yes, *no])).collect()
    }

    /// The place of a thread among those that share a row, in order: some bits of its number.
    fn thread_place(&mut self, row: &Row, low: u32, bits: u32) -> Value {
        let thread = self.b.special(Special::Thread);
        let (places, mask) = (self.i32(low), self.i32((1 << bits) - 1));
        let shifted = self.b.prim(Prim::ShrU, &[thread, places]);
        let place = self.b.prim(Prim::And, &[shifted, mask]);
        if row.reverse { self.b.prim(Prim::Xor, &[place, mask]) } else { place }
    }

    fn at_least(&mut self, place: Value, n: u32) -> Value {
        let n = self.i32(n);
        let below = self.b.prim(Prim::LtU, &[place, n]);
        self.b.prim(Prim::MNot, &[below])
    }

    /// All that the threads before hold of the row, of which `last` is what each makes of its own part; and whether there are any.
    fn before_thread(&mut self, scan: Scan<'_>, row: &Row, last: Vec<Value>) -> Result<(Vec<Value>, Value), Stop> {
        let lane = self.thread_place(row, 0, row.lanes);
        let mut until = last;
        for bit in 0..row.lanes {
            let others: Vec<Value> = until.iter().map(|value| self.exchange(*value, row.before(1 << bit))).collect();
            let all = self.combine(scan.op, scan.block, &others, &until)?;
            let is_there = self.at_least(lane, 1 << bit);
            until = self.choose(is_there, &all, &until);
        }
        let before: Vec<Value> = until.iter().map(|value| self.exchange(*value, row.before(1))).collect();
        let is_there = self.at_least(lane, 1);
        if row.warps == 0 {
            return Ok((before, is_there));
        }
        let (of_warps, warps_are_there) = self.before_warp(scan, row, lane, &until)?;
        let both = self.combine(scan.op, scan.block, &of_warps, &before)?;
        let with_warps = self.choose(is_there, &both, &of_warps);
        let all = self.choose(warps_are_there, &with_warps, &before);
        Ok((all, self.b.prim(Prim::MOr, &[warps_are_there, is_there])))
    }

    /// All that the warps before hold of the row, through shared memory; and whether there are any.
    fn before_warp(&mut self, scan: Scan<'_>, row: &Row, lane: Value, until: &[Value]) -> Result<(Vec<Value>, Value), Stop> {
        let thread = self.b.special(Special::Thread);
        let lane_bits = self.i32(LANE_BITS);
        let warp = self.b.prim(Prim::ShrU, &[thread, lane_bits]);
        let place = self.thread_place(row, LANE_BITS, row.warps);
        let is_last = self.at_least(lane, (1 << row.lanes) - 1);
        let others = self.i32(!((1u32 << row.warps) - 1));
        let base = self.b.prim(Prim::And, &[warp, others]);
        let mut parts: Vec<Vec<Value>> = vec![Vec::new(); (1 << row.warps) - 1];
        for value in until {
            let held = self.b.lane(*value);
            let memory = if held == Lane::Mask { Lane::I8 } else { held };
            let size = self.i32(memory.size() as u32);
            let bytes = memory.size() as u32 * (1 << self.warp_bits);
            let begin = self.claim_shared(bytes);
            let address = self.b.prim(Prim::Mul, &[warp, size]);
            let stored = self.stored_form(*value);
            self.b.store(stored, Space::Shared, address, begin as i32, Some(is_last));
            self.barrier();
            for (n, part) in parts.iter_mut().enumerate() {
                let other = self.i32(row.place(n as u32, row.warps));
                let other = self.b.prim(Prim::Add, &[base, other]);
                let address = self.b.prim(Prim::Mul, &[other, size]);
                let loaded = self.b.load(memory, Space::Shared, address, begin as i32, None);
                part.push(self.loaded_form(loaded, held));
            }
            self.read_shared(begin, bytes);
        }
        let mut sum = parts[0].clone();
        let mut before = sum.clone();
        for (n, part) in parts.iter().enumerate().skip(1) {
            sum = self.combine(scan.op, scan.block, &sum, part)?;
            let is_there = self.at_least(place, n as u32 + 1);
            before = self.choose(is_there, &sum, &before);
        }
        Ok((before, self.at_least(place, 1)))
    }
}

/// Whether a scan begins at the end of its rows.
fn reverse(op: OpRef<'_>) -> bool {
    matches!(op.attr(AttrName::Reverse), AttrValue::Bool(true))
}
