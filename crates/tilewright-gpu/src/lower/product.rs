//! Matrix products without tensor cores: both operands go to shared memory, a piece of the inner dimension at a time, and each thread multiplies and adds for the
//! elements of the result that it holds, along the inner dimension in order.

use super::{
    Lowerer, Stop, Tile,
    exchange::PIECE_BYTES,
    fragments::{Dim, Matrix},
    tile::{bits_of, coordinate, dims_of},
    words::WIDEST,
};
use crate::{
    layout::{BitMap, LANE_BITS, Layout},
    thread::{End, Space, Target, Value},
};
use std::collections::HashMap;
use tilewright_ir::{AttrName, OpRef, Opcode, RoundingMode, Scalar, Signedness};
use tilewright_passes::{elem::Elem, elementwise::ElemOp};
use tilewright_vector::{Lane, Prim};

/// An operand in shared memory: elements of 4 or 8 bytes. The left one lies by rows, which begin at different banks, and the right one by terms, so that
/// neighbours are loaded at once: terms of a row, and columns of a term.
#[derive(Clone)]
struct Side {
    tile: Tile,
    /// The dimension that is summed over, and the one that is not, as bits of indices.
    inner: (u32, u32),
    outer: (u32, u32),
    batch: (u32, u32),
    /// Elements from one term, and from one row or column, to the next; one of them is 1.
    per_term: u32,
    per_row: u32,
    /// Bytes in front of it.
    start: u32,
}

impl Side {
    /// The number of the row or column of an index among those of all batches.
    fn row(&self, index: u32) -> u32 {
        coordinate(index, self.batch) << self.outer.1 | coordinate(index, self.outer)
    }

    /// Bits of the number of neighbours in its order that a thread holds side by side, up to so many.
    fn neighbours(&self, most: u32) -> u32 {
        let dim = if self.per_term == 1 { self.inner } else { self.outer };
        let columns = self.tile.layout.register_columns();
        let is_next = |bit: &u32| columns.get(*bit as usize) == Some(&(1 << (dim.0 + bit)));
        (0..most.min(dim.1)).take_while(is_next).count() as u32
    }
}

/// How much of the inner dimension of a product is in shared memory at once.
#[derive(Clone, Copy)]
struct Piece {
    /// Its terms, as bits.
    bits: u32,
    /// Terms of a row that are loaded at once, as bits.
    at_once: u32,
    /// Elements of so many bytes.
    size: u32,
    /// Rows of the left operand and columns of the right one.
    rows: u32,
    columns: u32,
}

impl Piece {
    fn new(bits: u32, size: u32, [rows, columns]: [u32; 2]) -> Piece {
        Piece { bits, at_once: bits.min((WIDEST / size).ilog2()), size, rows, columns }
    }

    /// Elements from one row of the left operand to the next: neighbouring rows are loaded from other banks.
    fn per_row(&self) -> u32 {
        (1 << self.bits) + if self.at_once > 0 { 1 << self.at_once } else { 0 }
    }

    /// Bytes of the left operand.
    fn left_bytes(&self) -> u32 {
        (self.rows * self.per_row() * self.size).next_multiple_of(WIDEST)
    }

    fn bytes(&self) -> u32 {
        self.left_bytes() + ((self.columns * self.size) << self.bits)
    }

    /// As many terms as there is room for, at least one.
    fn of(inner_bits: u32, size: u32, rows: [u32; 2]) -> Piece {
        let pieces = (0..=inner_bits).rev().map(|bits| Piece::new(bits, size, rows));
        let mut fitting = pieces.filter(|piece| piece.bits == 0 || piece.bytes() <= PIECE_BYTES);
        fitting.next().expect("one term is a piece")
    }
}

/// The layout of sums that threads compute for themselves: each has a part that is as square as can be, so that each factor that it loads is multiplied
/// often; up to four neighbours of a row, and rows that lie apart.
pub(super) fn sums_layout(shape: &[i64], warp_bits: u32) -> Layout {
    let Matrix { batch, rows, columns } = Matrix::of(shape);
    let (bits, threads) = (bits_of(shape), LANE_BITS + warp_bits);
    let held = bits.saturating_sub(threads);
    let in_columns = held.div_ceil(2).max(held.saturating_sub(rows.1)).min(columns.1);
    let in_rows = (held - in_columns).min(rows.1);
    let in_batch = held - in_columns - in_rows;
    let next = in_columns.min(2);
    let highest = |(low, bits): Dim, count: u32| low + bits - count..low + bits;
    let registers = (columns.0..columns.0 + next)
        .chain(highest(columns, in_columns - next))
        .chain(highest(rows, in_rows))
        .chain(highest(batch, in_batch));
    let registers: Vec<u32> = registers.collect();
    let free = |(low, bits): Dim| (low..low + bits).filter(|bit| !registers.contains(bit)).collect::<Vec<u32>>();
    let (of_columns, of_rows, of_batch) = (free(columns), free(rows), free(batch));
    // Eight columns by four rows are a warp, where there are as many.
    let first = of_columns.len().min(3);
    let second = of_rows.len().min(LANE_BITS as usize - first);
    let spread =
        of_columns[..first].iter().chain(&of_rows[..second]).chain(&of_columns[first..]).chain(&of_rows[second..]).chain(&of_batch);
    let across: Vec<u32> = spread.map(|bit| 1 << bit).chain(std::iter::repeat(0)).take(threads as usize).collect();
    let columns = registers.iter().map(|bit| 1 << bit).chain(across);
    Layout::new(BitMap::new(columns.collect(), bits), registers.len() as u32)
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
        let layout = if self.is_alone { self.layout_of(&shape) } else { sums_layout(&shape, self.warp_bits) };
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
        if self.is_alone {
            let sums = self.product_alone(op, [&lhs, &rhs], &acc)?;
            let rounded = self.converted(op, &sums, elem, ElemOp::FToF(RoundingMode::NearestEven))?;
            self.define(result, rounded);
            return Ok(());
        }
        let inner_bits = a_dims[first + 1].1;
        let [rows, columns] = [a_dims[first], b_dims[first + 1]].map(|outer| 1 << (batch(&dims).1 + outer.1));
        let piece = Piece::of(inner_bits, sum_lane.size() as u32, [rows, columns]);
        if piece.bytes() > self.target.shared_memory().0.saturating_sub(self.held_shared()) {
            return Err(self.unsupported(op, "a product of so many rows and columns"));
        }
        self.note("multiply-adds of factors in shared memory".to_owned());
        let left = Side {
            tile: lhs,
            inner: a_dims[first + 1],
            outer: a_dims[first],
            batch: batch(&a_dims),
            per_term: 1,
            per_row: piece.per_row(),
            start: 0,
        };
        let right = Side {
            tile: rhs,
            inner: b_dims[first],
            outer: b_dims[first + 1],
            batch: batch(&b_dims),
            per_term: columns,
            per_row: 1,
            start: piece.left_bytes(),
        };
        let mut sums = acc.registers.clone();
        for number in 0..1 << (inner_bits - piece.bits) {
            let begin = self.claim_shared(piece.bytes());
            let mut sides = [left.clone(), right.clone()];
            sides.iter_mut().for_each(|side| side.start += begin);
            sides.iter().for_each(|side| self.put(side, number, piece));
            self.barrier();
            sums = self.sums(&sides, &shape, &layout, sums, piece);
            self.read_shared(begin, piece.bytes());
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
    fn put(&mut self, side: &Side, number: u32, piece: Piece) {
        let layout = &side.tile.layout;
        let low = (1u32 << piece.bits) - 1;
        let first = self.first_holders(layout);
        let count = side.neighbours(if side.per_term == 1 { piece.at_once } else { (WIDEST / piece.size).ilog2() });
        for (register, values) in side.tile.registers.chunks(1 << count).enumerate() {
            let register = (register << count) as u32;
            let upper = self.index(layout, register, |index| coordinate(index, side.inner) >> piece.bits);
            let number = self.i32(number);
            let inside = self.b.prim(Prim::Eq, &[upper, number]);
            let (row, row_added) = self.index_parts(layout, register, |index| side.row(index));
            let (term, term_added) = self.index_parts(layout, register, |index| coordinate(index, side.inner) & low);
            let [term_bytes, row_bytes] = [side.per_term, side.per_row].map(|elements| self.i32(elements * piece.size));
            let terms = self.b.prim(Prim::Mul, &[term, term_bytes]);
            let rows = self.b.prim(Prim::Mul, &[row, row_bytes]);
            let address = self.b.prim(Prim::Add, &[terms, rows]);
            let mask = self.both(first, Some(inside));
            let added = (term_added * side.per_term + row_added * side.per_row) * piece.size + side.start;
            self.store_neighbours(values, Space::Shared, (address, added as i32), mask);
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

    /// Adds the products of a piece, in a loop over the inner dimension that takes as many terms at once as one load gives.
    fn sums(&mut self, sides: &[Side; 2], shape: &[i64], layout: &Layout, sums: Vec<Value>, piece: Piece) -> Vec<Value> {
        let lane = self.b.lane(sums[0]);
        let Matrix { batch, rows, columns } = Matrix::of(shape);
        // Columns that a thread holds side by side.
        let is_next = |bit: &u32| layout.register_columns().get(*bit as usize) == Some(&(1 << (columns.0 + bit)));
        let next = (0..(WIDEST / piece.size).ilog2().min(columns.1)).take_while(is_next).count() as u32;
        let low = (1u32 << next) - 1;
        let row = |index: u32| coordinate(index, batch) << rows.1 | coordinate(index, rows);
        let column = |index: u32| coordinate(index, batch) << columns.1 | coordinate(index, columns);
        // Where the factors of a register begin; many registers share them.
        let bases: Vec<[(Value, i32); 2]> = (0..layout.registers())
            .map(|register| {
                let left = self.base(layout, register, &sides[0], (&row, piece.size));
                let right = self.base(layout, register, &sides[1], (&|index| column(index) & !low, piece.size));
                [left, right]
            })
            .collect();
        let lanes: Vec<Lane> = [Lane::I32; 2].into_iter().chain(sums.iter().map(|_| lane)).collect();
        let (header, params) = self.b.block(&lanes);
        let (exit, _) = self.b.block(&[]);
        let zero = self.i32(0);
        self.b.jump(header, [zero, zero].into_iter().chain(sums).collect());
        self.b.continue_in(header);
        let mut loaded: HashMap<(Value, i32), Vec<Value>> = HashMap::new();
        let mut nexts = params[2..].to_vec();
        let right_step = (sides[1].per_term * piece.size) as i32;
        for term in 0..1usize << piece.at_once {
            for (register, [left, right]) in bases.iter().enumerate() {
                let right = (right.0, right.1 + term as i32 * right_step);
                let a = self.factors(&mut loaded, params[0], *left, (lane, 1 << piece.at_once))[term];
                let place = column(layout.of_register(register as u32)) & low;
                let b = self.factors(&mut loaded, params[1], right, (lane, 1 << next))[place as usize];
                nexts[register] = self.multiply_add(a, b, nexts[register]);
            }
        }
        let bytes = [sides[0].per_term, sides[1].per_term].map(|elements| (elements * piece.size) << piece.at_once);
        let next = [0, 1].map(|side| {
            let step = self.i32(bytes[side]);
            self.b.prim(Prim::Add, &[params[side], step])
        });
        let end = self.i32((sides[0].per_term * piece.size) << piece.bits);
        let more = self.b.prim(Prim::LtU, &[next[0], end]);
        let again = Target { label: header, args: next.into_iter().chain(nexts.iter().copied()).collect() };
        self.b.end(End::Branch { condition: more, then: again, otherwise: Target { label: exit, args: Vec::new() } });
        self.b.continue_in(exit);
        nexts
    }

    /// Where the row or column of a register begins: what the thread decides, and what is added.
    fn base(&mut self, layout: &Layout, register: u32, side: &Side, (row, size): (&dyn Fn(u32) -> u32, u32)) -> (Value, i32) {
        let (thread, added) = self.index_parts(layout, register, row);
        let bytes = side.per_row * size;
        let bytes_value = self.i32(bytes);
        (self.b.prim(Prim::Mul, &[thread, bytes_value]), (added * bytes + side.start) as i32)
    }

    /// Neighbouring factors behind a place that the loop moves on, loaded once.
    fn factors<'l>(
        &mut self,
        loaded: &'l mut HashMap<(Value, i32), Vec<Value>>,
        moved: Value,
        (address, offset): (Value, i32),
        of: (Lane, usize),
    ) -> &'l [Value] {
        loaded.entry((address, offset)).or_insert_with(|| {
            let at = self.b.prim(Prim::Add, &[address, moved]);
            self.load_neighbours(of, Space::Shared, (at, offset), None)
        })
    }
}
