//! Loops, what they carry, and folds.

use super::{access::without_offset, *};
use crate::code::{Carried, Fold, While};

/// Which lanes go on to the next iteration.
#[derive(Clone, Copy)]
enum Going {
    All,
    /// Those that are active.
    Active,
    /// Those whose mask holds.
    Where(Value),
}

/// What is handed on: a value, or one that was set aside in the block.
#[derive(Clone, Copy)]
enum Source {
    Value(Value),
    Memory(i32),
}

impl Emitter<'_> {
    pub(super) fn loop_(&mut self, inner: &Loop) {
        self.begin_carried(&inner.carried);
        let innermost = !inner.body.iter().any(|item| matches!(item, Item::Loop(_)));
        let free = self.free.clone();
        let index = self.cell(innermost);
        self.e(InstId::Mov, &[index.operand(), number(0)]);
        self.loops.push(Nest { axis: inner.axis, kind: inner.kind, index, addresses: Vec::new() });
        let over = self.label();
        // Nothing is read, not even an address, where it does not run.
        let count = self.count(inner.count, RAX);
        self.compare(index, count);
        self.jump(InstId::Jnl, over);
        self.addresses(&inner.body, innermost);
        match inner.kind {
            Kind::Serial => {
                let head = self.label();
                self.bind(head);
                self.iteration(inner, 1);
                let count = self.count(inner.count, RAX);
                self.compare(index, count);
                self.jump(InstId::Jl, head);
            }
            Kind::Lanes => self.over_lanes(inner, index, over),
        }
        self.bind(over);
        self.loops.pop();
        self.free = free;
    }

    /// Repeats as long as a lane has to, and hands on in those that have.
    pub(super) fn while_(&mut self, inner: &While) {
        self.begin_carried(&inner.carried);
        let running = inner.carried[0].arg;
        let (head, over, left) = (self.label(), self.label(), self.word());
        self.e(InstId::Mov, &[word(left), number(inner.limit.into())]);
        self.bind(head);
        self.e(InstId::Sub, &[word(left), number(1)]);
        self.jump(InstId::Jl, over);
        self.jump_if_none(running, over);
        self.items(&inner.body);
        self.next_carried(&inner.carried, Going::Where(running));
        self.jump(InstId::Jmp, head);
        self.bind(over);
    }

    fn jump_if_none(&mut self, mask: Value, to: Label) {
        let mask = self.mask(mask, 0);
        match self.level {
            Level::Avx512 => {
                // What is behind the last lane does not count.
                let id = match self.width {
                    8 => InstId::Kortestb,
                    16 => InstId::Kortestw,
                    32 => InstId::Kortestd,
                    _ => InstId::Kortestq,
                };
                self.e(id, &[m(mask), m(mask)]);
            }
            Level::Avx2 => self.e(InstId::Vptest, &[v(mask, 32), v(mask, 32)]),
        }
        self.jump(InstId::Jz, to);
    }

    fn compare(&mut self, cell: Cell, with: Operand) {
        // Two operands in memory do not compare.
        let left = match cell {
            Cell::Word(_) => {
                self.e(InstId::Mov, &[g(RCX), cell.operand()]);
                g(RCX)
            }
            Cell::General(_) => cell.operand(),
        };
        self.e(InstId::Cmp, &[left, with]);
    }

    /// A new cell: a register in innermost loops, as long as there are some.
    fn cell(&mut self, innermost: bool) -> Cell {
        let register = if innermost { self.free.pop() } else { None };
        register.map_or_else(|| Cell::Word(self.word()), Cell::General)
    }

    /// Computes the addresses of the places that stand in the loop itself, for its first iteration.
    fn addresses(&mut self, body: &[Item], innermost: bool) {
        for item in body {
            let (Item::Load { place, .. } | Item::Store { place, .. }) = item else { continue };
            let (place, _) = without_offset(place);
            let known = |nest: &Nest| nest.addresses.iter().any(|(p, _)| *p == place);
            if self.loops.last().is_some_and(known) {
                continue;
            }
            let cell = self.cell(innermost);
            match cell {
                Cell::General(register) => self.address_to(register, &place),
                Cell::Word(word) => {
                    self.address_to(RSI, &place);
                    self.e(InstId::Mov, &[super::word(word), g(RSI)]);
                }
            }
            self.loops.last_mut().expect("in a loop").addresses.push((place, cell));
        }
    }

    /// The body once, and all that goes on to the next iteration, which is `step` further.
    fn iteration(&mut self, inner: &Loop, step: i64) {
        self.items(&inner.body);
        self.next_carried(&inner.carried, if inner.kind == Kind::Lanes { Going::Active } else { Going::All });
        self.advance(step);
    }

    /// Moves the loop's index and the addresses of its places on by some iterations.
    fn advance(&mut self, step: i64) {
        let nest = self.loops.last().expect("in a loop");
        let (axis, index, addresses) = (nest.axis, nest.index, nest.addresses.clone());
        for (place, cell) in addresses {
            let Some(term) = place.terms.iter().find(|term| term.axis == axis) else { continue };
            match term.stride {
                Count::Const(stride) => {
                    let bytes = self.count(Count::Const(stride.wrapping_mul(step)), RAX);
                    self.e(InstId::Add, &[cell.operand(), bytes]);
                }
                Count::Param(_) => {
                    self.count_to(RAX, term.stride);
                    if step != 1 {
                        self.e(InstId::Imul, &[g(RAX), g(RAX), number(step)]);
                    }
                    self.e(InstId::Add, &[cell.operand(), g(RAX)]);
                }
            }
        }
        self.e(InstId::Add, &[index.operand(), number(step)]);
    }

    /// A loop over lanes: groups of all lanes of the code, part by part, as long as whole groups are left; then parts of which some lanes may
    /// be left out. A loop that carries nothing has no groups but parts.
    fn over_lanes(&mut self, inner: &Loop, index: Cell, over: Label) {
        let parts = if inner.carried.is_empty() { 1 } else { self.code.lanes() / self.width };
        let unrolled = if is_unrolled(inner, self.width, self.unrolled) { self.unrolled } else { 1 };
        let (width, group) = (self.width as i64, (self.width * parts * unrolled) as i64);
        let whole = matches!(inner.count, Count::Const(n) if n % group == 0);
        let at_least_one = matches!(inner.count, Count::Const(n) if n >= group);
        // The index from which on no whole group is left.
        let last = self.word();
        if !whole {
            self.count_to(RAX, inner.count);
            self.e(InstId::Sub, &[g(RAX), number(group - 1)]);
            self.e(InstId::Mov, &[word(last), g(RAX)]);
        }
        let (head, tail) = (self.label(), self.label());
        if !at_least_one && !whole {
            self.compare(index, word(last));
            self.jump(InstId::Jnl, tail);
        }
        self.bind(head);
        if unrolled > 1 {
            for item in &inner.body {
                // What is the same for all lanes is for all vectors.
                let uniform = item.result().is_some_and(|value| self.code.variability(value) == Variability::Uniform);
                for part in 0..if uniform { 1 } else { unrolled } {
                    (self.part, self.ahead) = (part, part * self.width);
                    self.item(item);
                }
            }
            (self.part, self.ahead) = (0, 0);
            self.advance(group);
        } else {
            for part in 0..parts {
                self.part = part;
                self.iteration(inner, width);
            }
        }
        let end = if whole { self.count(inner.count, RAX) } else { word(last) };
        self.compare(index, end);
        self.jump(InstId::Jl, head);
        self.bind(tail);
        if !whole {
            let left = self.word();
            let mask = align(self.block);
            self.block = mask + 64;
            // What is left of vectors side by side is computed by the same code.
            let again = self.label();
            self.bind(again);
            for part in 0..parts {
                self.part = part;
                self.count_to(RAX, inner.count);
                self.e(InstId::Sub, &[g(RAX), index.operand()]);
                self.jump(InstId::Jle, over);
                self.e(InstId::Mov, &[word(left), g(RAX)]);
                self.e(InstId::Mov, &[g(RCX), g(RAX)]);
                let first = self.first_lanes();
                self.write_mask(first, mask);
                self.tail = Some(Tail { number: left, mask });
                self.iteration(inner, width);
                self.tail = None;
            }
            if unrolled > 1 {
                self.jump(InstId::Jmp, again);
            }
        }
        self.part = 0;
    }

    /// Puts what a loop begins with where it carries it.
    fn begin_carried(&mut self, carried: &[Carried]) {
        for c in carried {
            let partial = self.code.variability(c.result) == Variability::Partial;
            for part in 0..if partial { self.code.lanes() / self.width } else { 1 } {
                let outside = if partial { std::mem::replace(&mut self.part, part) } else { self.part };
                self.copy_value(c.init, c.arg);
                self.part = outside;
            }
        }
    }

    /// Puts what an iteration hands on where the next one finds it. Lanes that do not go on keep what they have.
    fn next_carried(&mut self, carried: &[Carried], going: Going) {
        // What is itself carried may be overwritten before it is read: all of these are set aside first.
        let swapped: Vec<bool> = carried.iter().map(|c| carried.iter().any(|d| d.arg == c.next && d.arg != c.arg)).collect();
        let parts = |e: &Self, c: &Carried| if e.code.variability(c.arg) == Variability::Partial { e.code.lanes() / e.width } else { 1 };
        let mut aside = Vec::new();
        for (c, _) in carried.iter().zip(&swapped).filter(|(_, swapped)| **swapped) {
            for part in 0..parts(self, c) {
                let place = align(self.block);
                self.block = place + 64;
                let outside = self.part;
                self.part += part;
                self.value_to_memory(c.next, at(BLOCK, place));
                self.part = outside;
                aside.push(place);
            }
        }
        let mut aside = aside.into_iter();
        let sources: Vec<(&Carried, Vec<Option<i32>>)> = carried
            .iter()
            .zip(swapped)
            .map(|(c, swapped)| (c, (0..parts(self, c)).map(|_| swapped.then(|| aside.next()).flatten()).collect()))
            .collect();
        // The mask of the lanes that go on is the first, and is read for all others.
        for (c, sources) in sources.into_iter().rev() {
            for (part, from) in sources.into_iter().enumerate() {
                let outside = self.part;
                self.part += part;
                let from = from.map_or(Source::Value(c.next), Source::Memory);
                let active = match going {
                    Going::All => None,
                    Going::Active => self.active(&[], None),
                    Going::Where(mask) => Some(self.mask_aside(mask)),
                };
                match (from, active) {
                    (Source::Memory(place), None) => self.value_from_memory(c.arg, at(BLOCK, place)),
                    (Source::Value(next), None) => self.copy_value(next, c.arg),
                    (from, Some(active)) => self.copy_active(from, c.arg, active),
                }
                self.part = outside;
            }
        }
    }

    fn value_to_memory(&mut self, value: Value, to: Operand) {
        if self.code.lane(value) == Lane::Mask && self.level == Level::Avx512 {
            let from = self.mask(value, 0);
            self.e(InstId::Kmovq, &[to, m(from)]);
        } else {
            let (from, bytes) = (self.vector(value, 1), self.bytes(self.code.lane(value)));
            self.move_vector(to, v(from, bytes));
        }
    }

    fn value_from_memory(&mut self, value: Value, from: Operand) {
        if self.code.lane(value) == Lane::Mask && self.level == Level::Avx512 {
            self.e(InstId::Kmovq, &[m(6), from]);
            self.mask_done(value, 6);
        } else {
            let (to, bytes) = (self.scratch(0), self.bytes(self.code.lane(value)));
            self.move_vector(v(to, bytes), from);
            self.done(value, to);
        }
    }

    fn copy_value(&mut self, from: Value, to: Value) {
        if from == to {
            return;
        }
        if self.code.lane(from) == Lane::Mask && self.level == Level::Avx512 {
            let from = self.mask(from, 0);
            self.mask_done(to, from);
        } else {
            let from = self.vector(from, 1);
            self.done(to, from);
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

    /// Copies in the lanes that are active.
    fn copy_active(&mut self, from: Source, to: Value, active: u8) {
        let lane = self.code.lane(to);
        match (lane, self.level) {
            (Lane::Mask, Level::Avx512) => {
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
            (_, Level::Avx512) => {
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
            (_, Level::Avx2) => {
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

    /// Folds part by part, then within a vector, the upper half onto the lower.
    pub(super) fn fold(&mut self, fold: &Fold) {
        let parts = self.code.lanes() / self.width;
        // The parts are set aside: the fold does not change what it folds.
        let areas: Vec<i32> = fold
            .partials
            .iter()
            .map(|_| {
                let place = align(self.block);
                self.block = place + 64 * parts as i32;
                place
            })
            .collect();
        for (partial, area) in fold.partials.iter().zip(&areas) {
            for part in 0..parts {
                self.part = part;
                self.value_to_memory(*partial, at(BLOCK, area + 64 * part as i32));
            }
            self.part = 0;
        }
        let mut half = parts / 2;
        while half > 0 {
            for part in 0..half {
                for (i, area) in areas.iter().enumerate() {
                    self.value_from_memory(fold.lower[i], at(BLOCK, area + 64 * part as i32));
                    self.value_from_memory(fold.upper[i], at(BLOCK, area + 64 * (part + half) as i32));
                }
                self.items(&fold.body);
                for (i, area) in areas.iter().enumerate() {
                    self.value_to_memory(fold.combined[i], at(BLOCK, area + 64 * part as i32));
                }
            }
            half /= 2;
        }
        let mut half = self.width / 2;
        while half > 0 {
            for (i, area) in areas.iter().enumerate() {
                self.value_from_memory(fold.lower[i], at(BLOCK, *area));
                self.upper_half(fold.lower[i], fold.upper[i], half);
            }
            self.items(&fold.body);
            for (i, area) in areas.iter().enumerate() {
                self.value_to_memory(fold.combined[i], at(BLOCK, *area));
            }
            half /= 2;
        }
        for (result, area) in fold.results.iter().zip(&areas) {
            self.first_lane(*result, at(BLOCK, *area));
        }
    }

    /// The lanes from `half` on as the first ones.
    fn upper_half(&mut self, lower: Value, upper: Value, half: usize) {
        let lane = self.code.lane(lower);
        if lane == Lane::Mask && self.level == Level::Avx512 {
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
                let id = if self.level == Level::Avx512 { InstId::Vextracti32x4 } else { InstId::Vextracti128 };
                self.e(id, &[v(to, 16), v(from, 32), number(1)]);
            }
            _ => {
                let from = self.vector(lower, 1);
                self.e(InstId::Vpsrldq, &[v(to, 16), v(from, 16), number(distance as i64)]);
            }
        }
        self.done(upper, to);
    }

    /// The first lane of a vector or mask in memory, in all lanes.
    fn first_lane(&mut self, result: Value, from: Operand) {
        let lane = self.code.lane(result);
        if lane != Lane::Mask {
            return self.broadcast_to(result, from);
        }
        match self.level {
            // The lowest bit, as a byte of 0 or 1.
            Level::Avx512 => {
                self.e(InstId::Mov, &[g(RAX), from]);
                self.e(InstId::And, &[g(RAX), number(1)]);
                self.e(InstId::Mov, &[from, g(RAX)]);
                self.mask_of_byte(result, from);
            }
            Level::Avx2 => self.mask_of_byte(result, from),
        }
    }
}
