//! Matrix products without tensor cores: both operands go to shared memory, a piece of the inner dimension at a time, and each thread multiplies and adds for the
//! elements of the result that it holds, along the inner dimension in order.

use super::{
    Lowerer, Stop, Tile,
    exchange::PIECE_BYTES,
    tile::{bits_of, coordinate, dims_of},
};
use crate::{
    BitMap,
    thread::{End, Space, Target, Value},
};
use std::collections::HashMap;
use tilewright_ir::{AttrName, OpRef, Opcode, RoundingMode, Scalar, Signedness};
use tilewright_passes::{elem::Elem, elementwise::ElemOp};
use tilewright_vector::{Lane, Prim};

/// An operand in shared memory: elements of 4 or 8 bytes. What belongs to one step of the sums lies together, by the batch and the outer dimension, so
/// that lanes that read a step use different banks.
#[derive(Clone)]
struct Side {
    tile: Tile,
    /// The dimension that is summed over, and the one that is not, as bits of indices.
    inner: (u32, u32),
    outer: (u32, u32),
    batch: (u32, u32),
    /// Elements from one step to the next.
    step: u32,
    /// Bytes in front of it.
    start: u32,
}

impl Side {
    /// Where an element of a step lies in it.
    fn row(&self, batch: u32, outer: u32) -> u32 {
        batch << self.outer.1 | outer
    }
}

/// Elements from one step of an operand to the next. Lanes write neighbours of a row of the left operand, one of each of up to 32 steps: these have banks
/// of their own if steps are some elements more apart than they need.
fn step_of(batch: (u32, u32), outer: (u32, u32), inner_bits: Option<u32>) -> u32 {
    const BANK_BITS: u32 = 5;
    (1 << (batch.1 + outer.1)) + inner_bits.map_or(0, |bits| 1 << BANK_BITS.saturating_sub(bits))
}

impl Lowerer<'_> {
    pub(super) fn product(&mut self, op: OpRef<'_>) -> Result<(), Stop> {
        let [lhs, rhs, acc] = ["lhs", "rhs", "acc"].map(|name| op.operand_named(name)[0]);
        let result = op.result(0).expect("a tile");
        let (elem, shape) = self.tile_type(op, result)?;
        let (sum_elem, sum_lane) = match elem {
            // A scaled factor is exact in f64.
            _ if op.opcode() == Opcode::MmaFScaled => (Elem::Num(Scalar::F64), Lane::F64),
            Elem::Num(Scalar::F64) => (elem, Lane::F64),
            Elem::Num(Scalar::I32) => (elem, Lane::I32),
            _ => (Elem::Num(Scalar::F32), Lane::F32),
        };
        let acc = self.tile(op, acc)?;
        let layout = self.layout_of(&shape);
        let acc = self.convert(&acc, &layout);
        let acc = self.converted(op, &acc, sum_elem, ElemOp::FToF(RoundingMode::NearestEven))?;
        let signed = |name| op.signedness_of(name) != Some(Signedness::Unsigned);
        let widen = |name| if op.opcode() == Opcode::MmaI { ElemOp::ExtI(signed(name)) } else { ElemOp::FToF(RoundingMode::NearestEven) };
        let (lhs, rhs) = (self.tile(op, lhs)?, self.tile(op, rhs)?);
        let lhs = self.factor(op, &lhs, sum_elem, widen(AttrName::SignednessLhs))?;
        let rhs = self.factor(op, &rhs, sum_elem, widen(AttrName::SignednessRhs))?;
        let lhs = self.scaled(op, lhs, "lhs_scale")?;
        let rhs = self.scaled(op, rhs, "rhs_scale")?;
        let (a_dims, b_dims, dims) = (dims_of(&lhs.shape), dims_of(&rhs.shape), dims_of(&shape));
        let first = dims.len() - 2;
        let batch = |dims: &[(u32, u32)]| if first == 1 { dims[0] } else { (0, 0) };
        let inner_bits = a_dims[first + 1].1;
        if self.is_alone {
            let sums = self.product_alone(op, [&lhs, &rhs], &acc)?;
            let rounded = self.converted(op, &sums, elem, ElemOp::FToF(RoundingMode::NearestEven))?;
            self.define(result, rounded);
            return Ok(());
        }
        let size = sum_lane.size() as u32;
        let steps = [step_of(batch(&a_dims), a_dims[first], Some(inner_bits)), step_of(batch(&b_dims), b_dims[first + 1], None)];
        let bytes = size * (steps[0] + steps[1]);
        if bytes > self.target.shared_memory().0.saturating_sub(self.held_shared()) {
            return Err(self.unsupported(op, "a product of so many rows and columns"));
        }
        let piece_bits = (PIECE_BYTES / bytes).max(1).ilog2().min(inner_bits);
        self.note("multiply-adds of factors in shared memory".to_owned());
        let start = (size * steps[0]) << piece_bits;
        let sides = [
            Side { tile: lhs, inner: a_dims[first + 1], outer: a_dims[first], batch: batch(&a_dims), step: steps[0], start: 0 },
            Side { tile: rhs, inner: b_dims[first], outer: b_dims[first + 1], batch: batch(&b_dims), step: steps[1], start },
        ];
        let outer = [dims[first], dims[first + 1]];
        let mut sums = acc.registers.clone();
        for piece in 0..1 << (inner_bits - piece_bits) {
            let begin = self.claim_shared(bytes << piece_bits);
            let mut sides = sides.clone();
            sides.iter_mut().for_each(|side| side.start += begin);
            sides.iter().for_each(|side| self.put(side, piece, piece_bits));
            self.barrier();
            sums = self.sums(&sides, [outer[0], outer[1]], batch(&dims), &layout, sums, piece_bits);
            self.read_shared(begin, bytes << piece_bits);
        }
        let sum = Tile { elem: sum_elem, shape, layout, registers: sums, is_splat: false };
        let rounded = self.converted(op, &sum, elem, ElemOp::FToF(RoundingMode::NearestEven))?;
        self.define(result, rounded);
        Ok(())
    }

    /// The same numbers in another type.
    pub(super) fn converted(&mut self, op: OpRef<'_>, tile: &Tile, elem: Elem, how: ElemOp) -> Result<Tile, Stop> {
        if tile.elem == elem {
            return Ok(tile.clone());
        }
        self.elementwise(how, std::slice::from_ref(tile), elem).ok_or_else(|| self.unsupported(op, &format!("{:?} to {elem:?}", tile.elem)))
    }

    /// An operand, as it is multiplied: of `tf32` without the bits that do not count.
    fn factor(&mut self, op: OpRef<'_>, tile: &Tile, elem: Elem, widen: ElemOp) -> Result<Tile, Stop> {
        let mut tile = tile.clone();
        if tile.elem == Elem::Num(Scalar::Tf32) {
            let mask = self.i32(!0x1fff);
            tile.registers = tile.registers.iter().map(|value| self.b.prim(Prim::And, &[*value, mask])).collect();
        }
        self.converted(op, &tile, elem, widen)
    }

    /// A factor times the scales of its blocks, if it has any.
    fn scaled(&mut self, op: OpRef<'_>, factor: Tile, scales: &str) -> Result<Tile, Stop> {
        if op.opcode() != Opcode::MmaFScaled {
            return Ok(factor);
        }
        let scale = self.tile(op, op.operand_named(scales)[0])?;
        let (to, from) = (dims_of(&factor.shape), dims_of(&scale.shape));
        let place = |index: u32| {
            let part = |(to, from): (&(u32, u32), &(u32, u32))| coordinate(index, *to) >> (to.1 - from.1) << from.0;
            to.iter().zip(&from).map(part).fold(0, |all, part| all | part)
        };
        let map = BitMap::new((0..bits_of(&factor.shape)).map(|bit| place(1 << bit)).collect(), bits_of(&scale.shape));
        let scale = self.moved(&scale, &factor.shape, &map);
        let scale = self.converted(op, &scale, factor.elem, ElemOp::FToF(RoundingMode::NearestEven))?;
        let elem = factor.elem;
        let product = self.elementwise(ElemOp::MulF(RoundingMode::NearestEven, false), &[factor, scale], elem);
        product.ok_or_else(|| self.unsupported(op, "a product of scales"))
    }

    /// Writes the elements of a piece of the inner dimension to shared memory.
    fn put(&mut self, side: &Side, piece: u32, piece_bits: u32) {
        let layout = &side.tile.layout;
        let size = self.b.lane(side.tile.registers[0]).size() as u32;
        let low = (1u32 << piece_bits) - 1;
        let first = self.first_holders(layout);
        for (register, value) in side.tile.registers.iter().enumerate() {
            let upper = self.index(layout, register as u32, |index| coordinate(index, side.inner) >> piece_bits);
            let piece = self.i32(piece);
            let inside = self.b.prim(Prim::Eq, &[upper, piece]);
            let row = |index: u32| side.row(coordinate(index, side.batch), coordinate(index, side.outer));
            let (row, row_added) = self.index_parts(layout, register as u32, row);
            let (term, term_added) = self.index_parts(layout, register as u32, |index| coordinate(index, side.inner) & low);
            let [step_bytes, size_value] = [side.step * size, size].map(|bytes| self.i32(bytes));
            let terms = self.b.prim(Prim::Mul, &[term, step_bytes]);
            let rows = self.b.prim(Prim::Mul, &[row, size_value]);
            let address = self.b.prim(Prim::Add, &[terms, rows]);
            let mask = self.both(first, Some(inside));
            let added = (term_added * side.step + row_added) * size + side.start;
            self.b.store(*value, Space::Shared, address, added as i32, mask);
        }
    }

    /// A product and what it is added to: integers wrap, floats are rounded once.
    pub(super) fn multiply_add(&mut self, a: Value, b: Value, sum: Value) -> Value {
        if self.b.lane(sum) == Lane::I32 {
            let product = self.b.prim(Prim::Mul, &[a, b]);
            self.b.prim(Prim::Add, &[sum, product])
        } else {
            self.b.prim(Prim::Fma, &[a, b, sum])
        }
    }

    /// Adds the products of a piece, in a loop over the inner dimension.
    fn sums(
        &mut self,
        sides: &[Side; 2],
        outer: [(u32, u32); 2],
        batch: (u32, u32),
        layout: &crate::Layout,
        sums: Vec<Value>,
        piece_bits: u32,
    ) -> Vec<Value> {
        let lane = self.b.lane(sums[0]);
        let size = lane.size() as u32;
        // Where the rows of a register begin; many registers share them.
        let mut bases = Vec::new();
        for register in 0..layout.registers() {
            let mut both = Vec::new();
            for (side, own) in sides.iter().zip(outer) {
                let place = |index: u32| side.row(coordinate(index, batch), coordinate(index, own));
                let (thread, added) = self.index_parts(layout, register, place);
                let size_value = self.i32(size);
                let address = self.b.prim(Prim::Mul, &[thread, size_value]);
                both.push((address, (added * size + side.start) as i32));
            }
            bases.push([both[0], both[1]]);
        }
        let lanes: Vec<Lane> = [Lane::I32; 2].into_iter().chain(sums.iter().map(|_| lane)).collect();
        let (header, params) = self.b.block(&lanes);
        let (exit, _) = self.b.block(&[]);
        let zero = self.i32(0);
        self.b.jump(header, [zero, zero].into_iter().chain(sums).collect());
        self.b.continue_in(header);
        let mut loaded: HashMap<(Value, i32), Value> = HashMap::new();
        let mut nexts = Vec::new();
        for (sum, base) in params[2..].iter().zip(&bases) {
            let [a, b] = [0, 1].map(|side| {
                let (address, offset) = base[side];
                *loaded.entry((address, offset)).or_insert_with(|| {
                    let at = self.b.prim(Prim::Add, &[address, params[side]]);
                    self.b.load(lane, Space::Shared, at, offset, None)
                })
            });
            nexts.push(self.multiply_add(a, b, *sum));
        }
        let steps = [0, 1].map(|side| sides[side].step * size);
        let next = [0, 1].map(|side| {
            let step = self.i32(steps[side]);
            self.b.prim(Prim::Add, &[params[side], step])
        });
        let end = self.i32(steps[0] << piece_bits);
        let more = self.b.prim(Prim::LtU, &[next[0], end]);
        let again = Target { label: header, args: next.into_iter().chain(nexts.iter().copied()).collect() };
        self.b.end(End::Branch { condition: more, then: again, otherwise: Target { label: exit, args: Vec::new() } });
        self.b.continue_in(exit);
        nexts
    }
}
