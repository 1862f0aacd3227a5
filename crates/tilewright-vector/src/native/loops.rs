//! Loops, what they carry, and folds: the same for all instruction sets.

use super::{
    encoder::Label,
    registers::is_unrolled,
    segments::in_turns,
    walk::{Address, Along, Bound, Cell, InstructionSet, Nest, Order, Source, Tail, Walk, slot_of, without_offset},
};
use crate::code::{Axis, Carried, Count, FETCHED_FOR, Fetched, Fold, Item, Kind, LINE, Loop, Place, Value, Variability, While};

/// Which lanes go on to the next iteration.
#[derive(Clone, Copy)]
enum Going {
    All,
    /// Those that are active.
    Active,
    /// Those whose mask holds.
    Where(Value),
}

impl<M> Walk<'_, M>
where
    Self: InstructionSet,
{
    pub(super) fn loop_(&mut self, inner: &Loop) {
        self.loop_side_by_side(inner, 1);
    }

    /// A loop, of so many vectors side by side.
    fn loop_side_by_side(&mut self, inner: &Loop, vectors: usize) {
        self.for_each_vector(vectors, |walk| walk.begin_carried(&inner.carried));
        let row = if vectors == 1 { self.row_of(inner) } else { None };
        let innermost = row.is_some() || !inner.body.iter().any(|item| matches!(item, Item::Loop(_)));
        let free = self.free.clone();
        let index = self.cell(innermost);
        self.set(index, 0);
        self.loops.push(Nest { axis: inner.axis, kind: inner.kind, index, addresses: Vec::new() });
        let over = self.label();
        // Nothing is read, not even an address, where it does not run.
        self.jump_if(index, Order::NotBelow, Bound::Count(inner.count), over);
        self.addresses(&inner.body, innermost);
        match (inner.kind, row) {
            (Kind::Serial, Some(row)) => self.over_rows(inner, index, row),
            (Kind::Serial, None) => {
                let head = self.label();
                self.bind(head);
                self.items_side_by_side(&inner.body, vectors);
                self.for_each_vector(vectors, |walk| walk.next_carried(&inner.carried, Going::All));
                self.advance(1);
                self.jump_if(index, Order::Below, Bound::Count(inner.count), head);
            }
            (Kind::Lanes, _) => self.over_lanes(inner, index, over),
        }
        self.bind(over);
        self.loops.pop();
        self.free = free;
    }

    /// The only loop in a loop, if that is over the lanes of a row, and as long as what is computed side by side: then it goes round once.
    fn row_of<'l>(&self, inner: &'l Loop) -> Option<&'l Loop> {
        let mut loops = inner.body.iter().filter_map(|item| if let Item::Loop(inner) = item { Some(inner) } else { None });
        let row = loops.next().filter(|row| inner.kind == Kind::Serial && row.kind == Kind::Lanes && row.carried.is_empty())?;
        let has_loops = row.body.iter().any(|item| matches!(item, Item::Loop(_)));
        let is_whole = row.count == Count::Const((self.width * self.vectors_of(row)) as i64);
        (loops.next().is_none() && !has_loops && is_whole).then_some(row)
    }

    /// A loop over rows: what it consists of besides, and each row at once. The addresses of a row's places go on from row to row.
    fn over_rows(&mut self, inner: &Loop, index: Cell, row: &Loop) {
        let first = Cell::Word(self.word());
        self.set(first, 0);
        self.loops.push(Nest { axis: row.axis, kind: row.kind, index: first, addresses: Vec::new() });
        self.addresses(&row.body, true);
        let of_row = self.loops.pop().expect("it was pushed");
        let head = self.label();
        self.bind(head);
        for item in &inner.body {
            if matches!(item, Item::Loop(_)) {
                self.list(item);
                self.loops.push(of_row.clone());
                self.lanes_at_once(row);
                self.loops.pop();
            } else {
                self.item(item);
            }
        }
        self.next_carried(&inner.carried, Going::All);
        self.move_on(&of_row.addresses, inner.axis, 1);
        self.advance(1);
        self.jump_if(index, Order::Below, Bound::Count(inner.count), head);
    }

    /// How many vectors of a loop over lanes are computed side by side.
    fn vectors_of(&self, inner: &Loop) -> usize {
        if is_unrolled(inner, self.width, self.unrolled) { self.unrolled } else { 1 }
    }

    /// The body of a loop over lanes that carries nothing, for as many lanes as are computed side by side.
    fn lanes_at_once(&mut self, inner: &Loop) {
        let vectors = self.vectors_of(inner);
        self.fetch((self.width * vectors) as i64);
        if vectors > 1 && self.turn > 1 {
            self.fetch_rows(&inner.body, (self.width * vectors) as i32);
        }
        self.items_side_by_side(&inner.body, vectors);
    }

    /// Repeats as long as a lane has to, and hands on in those that have.
    pub(super) fn while_(&mut self, inner: &While) {
        self.begin_carried(&inner.carried);
        if inner.limit == 1 && !self.encoder().is_aside() {
            return self.once_aside(inner);
        }
        let running = inner.carried[0].arg;
        let (head, over, left) = (self.label(), self.label(), self.word());
        self.set(Cell::Word(left), inner.limit.into());
        self.bind(head);
        self.count_down(left, over);
        self.jump_if_none(running, over);
        self.items(&inner.body);
        self.next_carried(&inner.carried, Going::Where(running));
        self.jump_to(head);
        self.bind(over);
    }

    /// What lanes do once at most, few do at all: it stands behind the rest of the code, where it does not part what is always done.
    fn once_aside(&mut self, inner: &While) {
        let running = inner.carried[0].arg;
        let (begin, back) = (self.label(), self.label());
        self.jump_if_any(running, begin);
        self.encoder().set_aside(true);
        self.bind(begin);
        self.items(&inner.body);
        self.next_carried(&inner.carried, Going::Where(running));
        self.jump_to(back);
        self.encoder().set_aside(false);
        self.bind(back);
    }

    /// A new cell: a register in innermost loops, as long as there are some.
    fn cell(&mut self, innermost: bool) -> Cell {
        let register = if innermost { self.free.pop() } else { None };
        register.map_or_else(|| Cell::Word(self.word()), Cell::General)
    }

    /// Computes the addresses of the places that stand in the loop itself, for its first iteration.
    fn addresses(&mut self, body: &[Item], innermost: bool) {
        for item in body {
            let (Item::Load { place, .. } | Item::Store { place, .. } | Item::Prefetch { place, .. }) = item else { continue };
            let (place, _) = without_offset(place);
            let known = |nest: &Nest| nest.addresses.iter().any(|(p, _)| *p == place);
            if self.loops.last().is_some_and(known) {
                continue;
            }
            let cell = self.cell(innermost);
            self.address_to_cell(cell, &place);
            self.loops.last_mut().expect("in a loop").addresses.push((place, cell));
        }
    }

    /// The body of a loop over lanes once, and all that goes on to the next iteration, which is `step` further.
    fn iteration(&mut self, inner: &Loop, step: i64) {
        self.items(&inner.body);
        self.next_carried(&inner.carried, Going::Active);
        self.advance(step);
    }

    /// Items for so many vectors, in turns. Loops go round for all of them together.
    fn items_side_by_side(&mut self, items: &[Item], vectors: usize) {
        if vectors == 1 {
            return self.items(items);
        }
        for (part, item) in in_turns(self.code, items, vectors, self.turn) {
            match (part, item) {
                (None, Item::Loop(inner)) => {
                    self.list(item);
                    self.loop_side_by_side(inner, vectors);
                }
                (part, item) => {
                    (self.part, self.ahead) = part.map_or((0, 0), |part| (part, part * self.width));
                    self.item(item);
                    (self.part, self.ahead) = (0, 0);
                }
            }
        }
    }

    /// Emits the same for so many vectors that are computed side by side.
    fn for_each_vector(&mut self, vectors: usize, mut emit: impl FnMut(&mut Self)) {
        if vectors == 1 {
            return emit(self);
        }
        for part in 0..vectors {
            (self.part, self.ahead) = (part, part * self.width);
            emit(self);
        }
        (self.part, self.ahead) = (0, 0);
    }

    /// Moves the loop's index and the addresses of its places on by some iterations.
    fn advance(&mut self, step: i64) {
        let nest = self.loops.last().expect("in a loop");
        let (axis, index, addresses) = (nest.axis, nest.index, nest.addresses.clone());
        self.move_on(&addresses, axis, step);
        self.add(index, Count::Const(1), step);
    }

    /// Moves addresses on by some iterations of a loop.
    fn move_on(&mut self, addresses: &[(Place, Cell)], axis: Axis, step: i64) {
        for (place, cell) in addresses {
            if let Some(term) = place.terms.iter().find(|term| term.axis == axis) {
                self.add(*cell, term.stride, step);
            }
        }
    }

    /// A loop over lanes: groups of all lanes of the code, part by part, as long as whole groups are left; then parts of which some lanes may
    /// be left out. A loop that carries nothing has no groups but parts.
    fn over_lanes(&mut self, inner: &Loop, index: Cell, over: Label) {
        let parts = if inner.carried.is_empty() { 1 } else { self.code.lanes() / self.width };
        let unrolled = self.vectors_of(inner);
        let (width, group) = (self.width as i64, (self.width * parts * unrolled) as i64);
        let whole = matches!(inner.count, Count::Const(n) if n % group == 0);
        let at_least_one = matches!(inner.count, Count::Const(n) if n >= group);
        // The index from which on no whole group is left.
        let last = self.word();
        if !whole {
            self.set_above(last, inner.count, group - 1);
        }
        let (head, tail) = (self.label(), self.label());
        if !at_least_one && !whole {
            self.jump_if(index, Order::NotBelow, Bound::Word(last), tail);
        }
        self.bind(head);
        if unrolled > 1 {
            self.lanes_at_once(inner);
            self.advance(group);
        } else {
            self.fetch(group);
            for part in 0..parts {
                self.part = part;
                self.iteration(inner, width);
            }
        }
        let end = if whole { Bound::Count(inner.count) } else { Bound::Word(last) };
        self.jump_if(index, Order::Below, end, head);
        self.bind(tail);
        if !whole {
            let tail = Tail { number: self.word(), mask: self.room(1) };
            // What is left of vectors side by side is computed by the same code.
            let again = self.label();
            self.bind(again);
            for part in 0..parts {
                self.part = part;
                self.begin_tail(inner.count, index, tail, over);
                self.tail = Some(tail);
                self.iteration(inner, width);
                self.tail = None;
            }
            if unrolled > 1 {
                self.jump_to(again);
            }
        }
        self.part = 0;
    }

    /// Asks for what is fetched while so many iterations are done, and moves on to what follows it.
    fn fetch(&mut self, iterations: i64) {
        let Some(Fetched { from, lines }) = self.code.fetched else { return };
        let bytes = iterations * i64::from(lines * LINE) / FETCHED_FOR as i64;
        let from = Cell::Word(slot_of(&self.code.params, from));
        let register = self.general(from, Self::ADDRESS);
        (0..bytes).step_by(LINE as usize).for_each(|behind| self.prefetch(Address { register, offset: 0 }, behind as i32));
        self.add(from, Count::Const(bytes), 1);
    }

    /// Asks for what so many lanes of this iteration and the next read side by side, where they read several rows. Turns are so long that a CPU does not
    /// see the loads of the next row while it computes what the first is for; a single row it sees itself, and fetching that disturbs what is stored.
    fn fetch_rows(&mut self, body: &[Item], lanes: i32) {
        let row = |item: &Item| {
            let Item::Load { result, place, .. } = item else { return None };
            let size = self.code.lane(*result).size();
            matches!(self.along(place, size), Along::Contiguous).then(|| (place.clone(), size as i32))
        };
        let rows: Vec<_> = body.iter().filter_map(row).collect();
        for (place, size) in rows.iter().filter(|_| rows.len() > 1) {
            let address = self.address(place);
            (0..2 * lanes * size).step_by(LINE as usize).for_each(|behind| self.prefetch(address, behind));
        }
    }

    /// Asks for the lines that the lanes of a vector have at a place; where a line holds several vectors, once for those that are side by side.
    pub(super) fn prefetch_vector(&mut self, place: &Place, size: usize) {
        let (bytes, line) = (self.width * size, LINE as usize);
        if (self.ahead * size).is_multiple_of(line) || bytes >= line {
            let address = self.address(place);
            (0..bytes).step_by(line).for_each(|behind| self.prefetch(address, behind as i32));
        }
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
                let place = self.room(1);
                let outside = self.part;
                self.part += part;
                self.value_to_memory(c.next, place);
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
                    Going::Active => self.active_lanes(),
                    Going::Where(mask) => Some(self.mask_aside(mask)),
                };
                match (from, active) {
                    (Source::Memory(place), None) => self.value_from_memory(c.arg, place),
                    // It was computed there.
                    (Source::Value(next), None) if self.location(next) == self.location(c.arg) => {}
                    (Source::Value(next), None) => self.copy_value(next, c.arg),
                    (from, Some(active)) => self.copy_active(from, c.arg, active),
                }
                self.part = outside;
            }
        }
    }

    /// Folds part by part, then within a vector, the upper half onto the lower.
    pub(super) fn fold(&mut self, fold: &Fold) {
        let parts = self.code.lanes() / self.width;
        // The parts are set aside: the fold does not change what it folds.
        let areas: Vec<i32> = fold.partials.iter().map(|_| self.room(parts)).collect();
        let at = |area: i32, part: usize| area + Self::ROOM * part as i32;
        for (partial, area) in fold.partials.iter().zip(&areas) {
            for part in 0..parts {
                self.part = part;
                self.value_to_memory(*partial, at(*area, part));
            }
            self.part = 0;
        }
        let mut half = parts / 2;
        while half > 0 {
            for part in 0..half {
                for (i, area) in areas.iter().enumerate() {
                    self.value_from_memory(fold.lower[i], at(*area, part));
                    self.value_from_memory(fold.upper[i], at(*area, part + half));
                }
                self.items(&fold.body);
                for (i, area) in areas.iter().enumerate() {
                    self.value_to_memory(fold.combined[i], at(*area, part));
                }
            }
            half /= 2;
        }
        self.fold_lanes(fold, &areas);
        for (result, area) in fold.results.iter().zip(&areas) {
            self.first_lane(*result, *area);
        }
    }

    /// Folds the lanes of the vectors in these areas. From one halving to the next, values stay in registers, unless the combiner hands on what
    /// it got of the lower lanes, which would be overwritten before it is read.
    fn fold_lanes(&mut self, fold: &Fold, areas: &[i32]) {
        let hands_on = fold.combined.iter().any(|value| fold.lower.contains(value));
        let mut half = self.width / 2;
        while half > 0 {
            let (is_first, is_last) = (half == self.width / 2, half == 1);
            for (i, area) in areas.iter().enumerate() {
                if is_first || hands_on {
                    self.value_from_memory(fold.lower[i], *area);
                }
                self.upper_half(fold.lower[i], fold.upper[i], half);
            }
            self.items(&fold.body);
            for (i, area) in areas.iter().enumerate() {
                if is_last || hands_on {
                    self.value_to_memory(fold.combined[i], *area);
                } else {
                    self.copy_value(fold.combined[i], fold.lower[i]);
                }
            }
            half /= 2;
        }
    }
}
