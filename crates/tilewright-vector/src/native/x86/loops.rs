//! What loops, what they carry and folds are made of.

use super::{
    walk::{Address, Bound, Order},
    *,
};
use crate::native::encoder::Label;

/// The registers that the convention of the system keeps for the caller.
const SAVED: [General; 5] = [RBX, 12, 13, 14, 15];

impl InstructionSet for Emitter<'_> {
    const ROOM: i32 = 64;
    const AREAS: i32 = 3 * AREA;
    const CELLS: &'static [General] = &[RBX, 8, 9, 10, 11, 12, 13, 14];
    const ADDRESS: General = RSI;
    type Instruction = encoder::Instruction;

    fn encoder(&mut self) -> &mut Encoder {
        &mut self.machine.encoder
    }

    fn jump_to(&mut self, label: Label) {
        self.jump(InstId::Jmp, label);
    }

    fn begin(&mut self) {
        for register in SAVED {
            self.e(InstId::Push, &[g(register)]);
        }
        self.e(InstId::Mov, &[g(POOL), word(0)]);
        if self.machine.extension == Extension::Avx2 {
            self.compute_limits();
            if self.code.any_prim(|prim| prim == Prim::FmaOdd) {
                self.round_down();
            }
        }
    }

    fn end(&mut self) {
        if let Some(place) = self.machine.rounding {
            self.e(InstId::Vldmxcsr, &[control(place)]);
        }
        self.e(InstId::Vzeroupper, &[]);
        for register in SAVED.into_iter().rev() {
            self.e(InstId::Pop, &[g(register)]);
        }
        self.e(InstId::Ret, &[]);
    }

    fn simple(&mut self, item: &Item) {
        match item {
            Item::Prim { result, prim, operands } => self.prim(*prim, *result, operands),
            Item::Const { result, bits } => {
                self.constants.insert(*result, *bits);
                self.fill_constant(*result);
            }
            Item::Scalar { result, param } => {
                let place = at(BLOCK, slot_of(&self.code.params, *param));
                self.broadcast_to(*result, place);
            }
            Item::Index { result, axis } => self.index(*result, *axis),
            Item::Lookup { result, index, table } => self.lookup(*result, *index, table),
            Item::Load { result, place, mask } => self.load(*result, place, *mask),
            Item::Store { value, place, mask } => self.store(*value, place, *mask),
            Item::Prefetch { place, size } => self.prefetch_vector(place, *size as usize),
            Item::Gather { result, buffer, offsets, mask } => self.gather(*result, *buffer, *offsets, *mask),
            Item::Scatter { value, buffer, offsets, mask } => self.scatter(*value, *buffer, *offsets, *mask),
            Item::Loop(_) | Item::While(_) | Item::Fold(_) => unreachable!("the walk goes into these"),
        }
    }

    fn set(&mut self, cell: Cell, n: i64) {
        self.e(InstId::Mov, &[cell.operand(), number(n)]);
    }

    fn add(&mut self, cell: Cell, count: Count, times: i64) {
        let addend = match count {
            Count::Const(n) => self.count(Count::Const(n.wrapping_mul(times)), RAX),
            Count::Param(_) => {
                self.count_to(RAX, count);
                if times != 1 {
                    self.e(InstId::Imul, &[g(RAX), g(RAX), number(times)]);
                }
                g(RAX)
            }
        };
        self.e(InstId::Add, &[cell.operand(), addend]);
    }

    fn set_above(&mut self, to: i32, count: Count, n: i64) {
        self.count_to(RAX, count);
        self.e(InstId::Sub, &[g(RAX), number(n)]);
        self.e(InstId::Mov, &[word(to), g(RAX)]);
    }

    fn count_down(&mut self, left: i32, over: Label) {
        self.e(InstId::Sub, &[word(left), number(1)]);
        self.jump(InstId::Jl, over);
    }

    fn jump_if(&mut self, cell: Cell, order: Order, bound: Bound, to: Label) {
        let with = match bound {
            Bound::Count(count) => self.count(count, RAX),
            Bound::Word(place) => word(place),
        };
        // Two operands in memory do not compare.
        let left = match cell {
            Cell::Word(_) => {
                self.e(InstId::Mov, &[g(RCX), cell.operand()]);
                g(RCX)
            }
            Cell::General(_) => cell.operand(),
        };
        self.e(InstId::Cmp, &[left, with]);
        self.jump(if order == Order::Below { InstId::Jl } else { InstId::Jnl }, to);
    }

    fn jump_if_none(&mut self, mask: Value, to: Label) {
        self.test_mask(mask);
        self.jump(InstId::Jz, to);
    }

    fn jump_if_any(&mut self, mask: Value, to: Label) {
        self.test_mask(mask);
        self.jump(InstId::Jnz, to);
    }

    fn general(&mut self, cell: Cell, scratch: General) -> General {
        match cell {
            Cell::General(register) => register,
            Cell::Word(place) => {
                self.e(InstId::Mov, &[g(scratch), word(place)]);
                scratch
            }
        }
    }

    fn address_to(&mut self, to: General, place: &Place) {
        let base = slot_of(&self.code.params, place.buffer);
        self.e(InstId::Mov, &[g(to), word(base)]);
        if place.offset != 0 {
            let offset = self.count(Count::Const(place.offset), RAX);
            self.e(InstId::Add, &[g(to), offset]);
        }
        for term in &place.terms {
            let (_, index) = self.nest(term.axis);
            self.count_to(RAX, term.stride);
            self.e(InstId::Imul, &[g(RAX), index.operand()]);
            self.e(InstId::Add, &[g(to), g(RAX)]);
        }
    }

    fn address_beyond(&mut self, register: General, count: Count, times: i64) {
        self.count_to(RAX, count);
        self.e(InstId::Imul, &[g(RAX), g(RAX), number(times)]);
        self.e(InstId::Lea, &[g(RSI), at_index(register, RAX, 0, 0)]);
    }

    fn address_to_cell(&mut self, cell: Cell, place: &Place) {
        match cell {
            Cell::General(register) => self.address_to(register, place),
            Cell::Word(to) => {
                self.address_to(RSI, place);
                self.e(InstId::Mov, &[word(to), g(RSI)]);
            }
        }
    }

    fn prefetch(&mut self, address: Address, behind: i32) {
        self.e(InstId::Prefetcht0, &[at(address.register, address.offset + behind)]);
    }

    fn begin_tail(&mut self, count: Count, index: Cell, tail: Tail, over: Label) {
        self.count_to(RAX, count);
        self.e(InstId::Sub, &[g(RAX), index.operand()]);
        self.jump(InstId::Jle, over);
        self.e(InstId::Mov, &[word(tail.number), g(RAX)]);
        self.e(InstId::Mov, &[g(RCX), g(RAX)]);
        let first = self.first_lanes();
        self.write_mask(first, tail.mask);
    }

    fn active_lanes(&mut self) -> Option<u8> {
        self.active(&[], None)
    }

    fn mask_aside(&mut self, mask: Value) -> u8 {
        match self.machine.extension {
            Extension::Avx512 => {
                let from = self.mask(mask, 0);
                self.e(InstId::Kmovq, &[m(7), m(from)]);
                7
            }
            _ => {
                let to = self.scratch(2);
                let from = self.mask(mask, 2);
                if from != to {
                    self.move_vector(v(to, 32), v(from, 32));
                }
                to
            }
        }
    }

    fn copy_value(&mut self, from: Value, to: Value) {
        if from == to {
            return;
        }
        if self.code.lane(from) == Lane::Mask && self.machine.extension == Extension::Avx512 {
            let from = self.mask(from, 0);
            self.mask_done(to, from);
        } else {
            let from = self.vector(from, 1);
            self.done(to, from);
        }
    }

    fn copy_active(&mut self, from: Source, to: Value, active: u8) {
        let lane = self.code.lane(to);
        match (lane, self.machine.extension) {
            (Lane::Mask, Extension::Avx512) => {
                // (to and not active) or (from and active)
                let old = self.mask(to, 0);
                self.e(InstId::Kandnq, &[m(6), m(active), m(old)]);
                self.e(InstId::Kmovq, &[g(RAX), m(6)]);
                let new = match from {
                    Source::Value(value) => self.mask(value, 0),
                    Source::Memory(place) => {
                        self.e(InstId::Kmovq, &[m(6), at(BLOCK, place)]);
                        6
                    }
                };
                self.e(InstId::Kandq, &[m(active), m(active), m(new)]);
                self.e(InstId::Kmovq, &[m(6), g(RAX)]);
                self.e(InstId::Korq, &[m(6), m(6), m(active)]);
                self.mask_done(to, 6);
            }
            (_, Extension::Avx512) => {
                let bytes = self.bytes(lane);
                let (old, new, result) = (self.vector(to, 1), self.source(from, lane, 2), self.scratch(0));
                let blend = match lane.size() {
                    1 => InstId::Vpblendmb,
                    2 => InstId::Vpblendmw,
                    4 => InstId::Vpblendmd,
                    _ => InstId::Vpblendmq,
                };
                self.masked(active, false, blend, &[v(result, bytes), v(old, bytes), v(new, bytes)]);
                self.done(to, result);
            }
            (_, Extension::Avx2) => {
                let size = if lane == Lane::Mask { self.mask_size() } else { lane.size() };
                let bytes = self.bytes(lane);
                let narrow = self.scratch(1);
                let active = self.narrow_mask(narrow, active, size);
                let (old, result) = (self.vector(to, 0), self.scratch(0));
                // The third scratch vector held the lanes of the tail, which are narrow by now, or are it.
                if active == self.scratch(2) {
                    self.move_vector(v(narrow, 32), v(active, 32));
                }
                let new = self.source(from, lane, 2);
                self.e(InstId::Vpblendvb, &[v(result, bytes), v(old, bytes), v(new, bytes), v(narrow, bytes)]);
                self.done(to, result);
            }
        }
    }

    fn value_to_memory(&mut self, value: Value, to: i32) {
        let to = at(BLOCK, to);
        if self.code.lane(value) == Lane::Mask && self.machine.extension == Extension::Avx512 {
            let from = self.mask(value, 0);
            self.e(InstId::Kmovq, &[to, m(from)]);
        } else {
            let (from, bytes) = (self.vector(value, 1), self.bytes(self.code.lane(value)));
            self.move_vector(to, v(from, bytes));
        }
    }

    fn value_from_memory(&mut self, value: Value, from: i32) {
        let from = at(BLOCK, from);
        if self.code.lane(value) == Lane::Mask && self.machine.extension == Extension::Avx512 {
            self.e(InstId::Kmovq, &[m(6), from]);
            self.mask_done(value, 6);
        } else {
            let (to, bytes) = (self.scratch(0), self.bytes(self.code.lane(value)));
            self.move_vector(v(to, bytes), from);
            self.done(value, to);
        }
    }

    fn upper_half(&mut self, lower: Value, upper: Value, half: usize) {
        let lane = self.code.lane(lower);
        if lane == Lane::Mask && self.machine.extension == Extension::Avx512 {
            let from = self.mask(lower, 0);
            self.e(InstId::Kshiftrq, &[m(6), m(from), number(half as i64)]);
            return self.mask_done(upper, 6);
        }
        let size = if lane == Lane::Mask { self.mask_size() } else { lane.size() };
        let (to, distance) = (self.scratch(0), half * size);
        match distance {
            32 => {
                let from = self.vector(lower, 1);
                self.e(InstId::Vextracti64x4, &[v(to, 32), v(from, 64), number(1)]);
            }
            16 => {
                let from = self.vector(lower, 1);
                let id = if self.machine.extension == Extension::Avx512 { InstId::Vextracti32x4 } else { InstId::Vextracti128 };
                self.e(id, &[v(to, 16), v(from, 32), number(1)]);
            }
            _ => {
                let from = self.vector(lower, 1);
                self.e(InstId::Vpsrldq, &[v(to, 16), v(from, 16), number(distance as i64)]);
            }
        }
        self.done(upper, to);
    }

    fn first_lane(&mut self, result: Value, from: i32) {
        let from = at(BLOCK, from);
        let lane = self.code.lane(result);
        if lane != Lane::Mask {
            return self.broadcast_to(result, from);
        }
        match self.machine.extension {
            // The lowest bit, as a byte of 0 or 1.
            Extension::Avx512 => {
                self.e(InstId::Mov, &[g(RAX), from]);
                self.e(InstId::And, &[g(RAX), number(1)]);
                self.e(InstId::Mov, &[from, g(RAX)]);
                self.mask_of_byte(result, from);
            }
            Extension::Avx2 => self.mask_of_byte(result, from),
        }
    }
}

impl Emitter<'_> {
    /// Makes the CPU round down, and keeps what the caller had it do.
    fn round_down(&mut self) {
        const DOWN: i64 = 1 << 13;
        const DIRECTIONS: i64 = 3 << 13;
        let (before, meanwhile) = (self.word(), self.word());
        self.e(InstId::Vstmxcsr, &[control(before)]);
        self.e(InstId::Mov, &[g32(RAX), control(before)]);
        self.e(InstId::And, &[g32(RAX), number(!DIRECTIONS)]);
        self.e(InstId::Or, &[g32(RAX), number(DOWN)]);
        self.e(InstId::Mov, &[control(meanwhile), g32(RAX)]);
        self.e(InstId::Vldmxcsr, &[control(meanwhile)]);
        self.machine.rounding = Some(before);
    }

    /// Sets the flag of zero if a mask holds for no lane.
    fn test_mask(&mut self, mask: Value) {
        let mask = self.mask(mask, 0);
        match self.machine.extension {
            Extension::Avx512 => {
                // What is behind the last lane does not count.
                let id = match self.width {
                    8 => InstId::Kortestb,
                    16 => InstId::Kortestw,
                    32 => InstId::Kortestd,
                    _ => InstId::Kortestq,
                };
                self.e(id, &[m(mask), m(mask)]);
            }
            Extension::Avx2 => self.e(InstId::Vptest, &[v(mask, 32), v(mask, 32)]),
        }
    }

    /// The vector of a value, or of what was set aside.
    fn source(&mut self, source: Source, lane: Lane, n: u8) -> u8 {
        match source {
            Source::Value(value) => self.vector(value, n),
            Source::Memory(place) => {
                let (to, bytes) = (self.scratch(n), self.bytes(lane));
                self.move_vector(v(to, bytes), at(BLOCK, place));
                to
            }
        }
    }
}

/// A word of the block that says how the CPU rounds, in its lower half.
fn control(place: i32) -> Operand {
    *ptr(gpq(BLOCK), place, 4).as_operand()
}
