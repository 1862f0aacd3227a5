//! What loops, what they carry and folds are made of.

use super::{
    walk::{Address, Bound, Order},
    *,
};

impl InstructionSet for Emitter<'_> {
    const ROOM: i32 = 16;
    const AREAS: i32 = 8 * 8;
    const CELLS: &'static [General] = &[6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
    const ADDRESS: General = ADDRESS;
    type Instruction = encoder::Instruction;

    fn encoder(&mut self) -> &mut Encoder {
        &mut self.machine.encoder
    }

    fn jump_to(&mut self, label: Label) {
        self.jump(Jump::Always, label);
    }

    fn begin(&mut self) {
        for (register, place) in self.saved() {
            self.write(register, BLOCK, place, 8);
        }
        self.read_word(POOL, 0);
    }

    fn end(&mut self) {
        for (register, place) in self.saved() {
            self.read(register, BLOCK, place, 8);
        }
        self.e(InstId::Ret, &[x(LINK)]);
    }

    fn simple(&mut self, item: &Item) {
        match item {
            Item::Prim { result, prim, operands } => self.prim(*prim, *result, operands),
            Item::Const { result, bits } => {
                self.constants.insert(*result, *bits);
                if let Some(register) = self.register(*result) {
                    self.constant_to(register, *result);
                }
            }
            Item::Scalar { result, param } => self.broadcast_to(*result, slot_of(&self.code.params, *param)),
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
        match cell {
            Cell::General(register) => self.number_to(register, n),
            Cell::Word(place) => {
                self.number_to(T0, n);
                self.write_word(T0, place);
            }
        }
    }

    fn add(&mut self, cell: Cell, count: Count, times: i64) {
        let register = self.general(cell, T2);
        match count {
            Count::Const(n) => self.sum_to(register, register, n.wrapping_mul(times)),
            Count::Param(_) if times == 1 => {
                self.count_to(T0, count);
                self.e(InstId::Add, &[x(register), x(register), x(T0)]);
            }
            Count::Param(_) => {
                self.count_to(T0, count);
                self.number_to(T1, times);
                self.e(InstId::Madd, &[x(register), x(T0), x(T1), x(register)]);
            }
        }
        if let Cell::Word(place) = cell {
            self.write_word(register, place);
        }
    }

    fn set_above(&mut self, word: i32, count: Count, n: i64) {
        self.count_to(T0, count);
        self.sum_to(T0, T0, -n);
        self.write_word(T0, word);
    }

    fn count_down(&mut self, word: i32, over: Label) {
        self.read_word(T0, word);
        self.e(InstId::Subs, &[x(T0), x(T0), number(1)]);
        self.write_word(T0, word);
        self.jump(Jump::If(Condition::Lt), over);
    }

    fn jump_if(&mut self, cell: Cell, order: Order, bound: Bound, to: Label) {
        let left = self.general(cell, T0);
        match bound {
            Bound::Count(count) => self.compare(left, count, T1),
            Bound::Word(place) => {
                self.read_word(T1, place);
                self.e(InstId::Cmp, &[x(left), x(T1)]);
            }
        }
        self.jump(Jump::If(if order == Order::Below { Condition::Lt } else { Condition::Ge }), to);
    }

    fn jump_if_none(&mut self, mask: Value, to: Label) {
        let mask = self.vector(mask, 3);
        self.jump_if_empty(mask, to);
    }

    fn jump_if_any(&mut self, mask: Value, to: Label) {
        let mask = self.vector(mask, 3);
        self.gather_mask(mask);
        self.jump(Jump::IfNotZero(T0), to);
    }

    fn general(&mut self, cell: Cell, scratch: General) -> General {
        match cell {
            Cell::General(register) => register,
            Cell::Word(place) => {
                self.read_word(scratch, place);
                scratch
            }
        }
    }

    fn address_to(&mut self, to: General, place: &Place) {
        self.read_word(to, slot_of(&self.code.params, place.buffer));
        self.sum_to(to, to, place.offset);
        for term in &place.terms {
            let (_, index) = self.nest(term.axis);
            let index = self.general(index, T1);
            self.count_to(T0, term.stride);
            self.e(InstId::Madd, &[x(to), x(T0), x(index), x(to)]);
        }
    }

    fn address_beyond(&mut self, register: General, count: Count, times: i64) {
        self.count_to(T0, count);
        self.number_to(T1, times);
        self.e(InstId::Madd, &[x(ADDRESS), x(T0), x(T1), x(register)]);
    }

    fn address_to_cell(&mut self, cell: Cell, place: &Place) {
        match cell {
            Cell::General(register) => self.address_to(register, place),
            Cell::Word(word) => {
                self.address_to(ADDRESS, place);
                self.write_word(ADDRESS, word);
            }
        }
    }

    fn prefetch(&mut self, address: Address, behind: i32) {
        // To the first cache, to be kept there.
        const TO_READ: i64 = 0;
        let place = self.at(address.register, address.offset + behind, 8);
        self.e(InstId::Prfm, &[number(TO_READ), place]);
    }

    fn begin_tail(&mut self, count: Count, index: Cell, tail: Tail, over: Label) {
        self.count_to(T0, count);
        let index = self.general(index, T1);
        self.e(InstId::Subs, &[x(T0), x(T0), x(index)]);
        self.jump(Jump::If(Condition::Le), over);
        self.write_word(T0, tail.number);
        // More than a vector has may be left, as many as all parts have.
        self.number_to(T1, self.width as i64);
        self.e(InstId::Cmp, &[x(T0), x(T1)]);
        self.choose(T0, T0, T1, Condition::Lt);
        let first = self.first_lanes();
        self.write(first, BLOCK, tail.mask, 16);
    }

    fn active_lanes(&mut self) -> Option<u8> {
        self.active(&[], None)
    }

    fn mask_aside(&mut self, mask: Value) -> u8 {
        self.vector(mask, 3)
    }

    fn copy_value(&mut self, from: Value, to: Value) {
        if from != to {
            let from = self.vector(from, 1);
            self.done(to, from);
        }
    }

    fn copy_active(&mut self, from: Source, to: Value, active: u8) {
        let lane = self.code.lane(to);
        let size = if lane == Lane::Mask { self.mask_size() } else { lane.size() };
        let active = self.narrow_mask(self.scratch(1), active, size);
        let new = match from {
            Source::Value(value) => self.vector(value, 2),
            Source::Memory(place) => {
                let new = self.scratch(2);
                self.read(new, BLOCK, place, 16);
                new
            }
        };
        let old = self.vector(to, 0);
        self.e(InstId::Bit_v, &[all(old, 1), all(new, 1), all(active, 1)]);
        self.done(to, old);
    }

    fn value_to_memory(&mut self, value: Value, to: i32) {
        let from = self.vector(value, 1);
        self.write(from, BLOCK, to, 16);
    }

    fn value_from_memory(&mut self, value: Value, from: i32) {
        let to = self.target(value);
        self.read(to, BLOCK, from, 16);
        self.done(value, to);
    }

    fn upper_half(&mut self, lower: Value, upper: Value, half: usize) {
        let lane = self.code.lane(lower);
        let size = if lane == Lane::Mask { self.mask_size() } else { lane.size() };
        let (from, to) = (self.vector(lower, 1), self.target(upper));
        self.e(InstId::Ext_v, &[all(to, 1), all(from, 1), all(from, 1), number((half * size) as i64)]);
        self.done(upper, to);
    }

    fn first_lane(&mut self, result: Value, from: i32) {
        // Of a mask, any byte of a lane tells.
        self.broadcast_to(result, from);
    }
}

impl Emitter<'_> {
    /// The vectors that the convention of the system keeps the lower halves of for the caller, as far as values live in them, and where in the block
    /// they are kept meanwhile.
    fn saved(&self) -> Vec<(u8, i32)> {
        let kept = VALUES[..usize::from(self.locations.vectors)].iter().copied().filter(|register| (8..16).contains(register));
        kept.map(|register| (register, self.areas + 8 * (i32::from(register) - 8))).collect()
    }
}
