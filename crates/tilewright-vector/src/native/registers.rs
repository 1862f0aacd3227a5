//! Where values live while native code runs: registers by linear scan over the loops as they stand in the code.
//!
//! A value lives from the item that defines it to the last that reads it; if that is in a loop that does not define it, to the end of that
//! loop. The bits of a float and the float of bits live where these do. What does not fit goes to memory for all of its life: the value
//! that is read least for the time it lives. Constants live in memory anyway and get the registers that are left.

use super::segments::in_turns;
use crate::{
    code::{Carried, Code, Count, Fold, Item, Kind, Loop, Value, Variability, While},
    prim::{Lane, Prim},
};
use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

/// Where a value lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Location {
    /// A register of its class.
    Register(u8),
    /// A slot of the frame.
    Slot(u32),
    /// The constant pool only: a constant that got no register.
    Pool,
}

/// The two kinds of registers that values live in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    /// Vectors.
    Vector,
    /// Masks, where the instruction set has registers for them.
    Mask,
}

/// What the instruction set offers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Registers {
    /// How many registers values may live in.
    pub(super) vectors: u8,
    /// How many masks may live in registers of their own; the first is number 1. None: masks are vectors.
    pub(super) masks: Option<u8>,
    /// How many registers a partial value takes.
    pub(super) parts: usize,
    /// How many lanes a vector has.
    pub(super) width: usize,
    /// How many vectors are computed side by side in loops that are [unrolled](is_unrolled).
    pub(super) unrolled: usize,
    /// How many items are computed of one of them before the next has its turn.
    pub(super) turn: usize,
    /// Whether constants by which lanes are shifted are part of instructions.
    pub(super) shifts_by_numbers: bool,
}

/// The fewest items of a loop's body that are computed for several vectors side by side: long chains of items that wait for each other.
const FEWEST_UNROLLED: usize = 3;

/// Two vectors that carry something side by side may read and write slots once in so many times.
const MOST_SLOTS: f32 = 8.0;

/// From one item to the next: what an item gives may have to live before what it reads has ended.
const STEP: u32 = 2;

/// Whether a loop computes `unrolled` vectors of `width` lanes side by side, if there are registers for them. Loops inside go round for all of
/// them together.
pub(super) fn is_unrolled(inner: &Loop, width: usize, unrolled: usize) -> bool {
    // What is left of vectors side by side is computed with masks.
    let group = (unrolled * width) as i64;
    let worthwhile = match inner.count {
        Count::Const(n) => n % group == 0 || n >= 4 * group,
        Count::Param(_) => true,
    };
    worthwhile
        && inner.kind == Kind::Lanes
        && inner.carried.is_empty()
        && items_in(&inner.body) >= FEWEST_UNROLLED
        && can_be_side_by_side(&inner.body)
}

/// How many items there are, with those in loops, counted by their [steps].
pub(super) fn items_in(items: &[Item]) -> usize {
    items.iter().map(|item| if let Item::Loop(inner) = item { items_in(&inner.body) } else { steps(item) }).sum()
}

/// How many items of one instruction, which wait for each other, take as long as an item.
pub(super) fn steps(item: &Item) -> usize {
    if matches!(item, Item::Prim { prim: Prim::FmaBf16, .. }) { 4 } else { 1 }
}

/// Whether each item can be computed for one vector after the other.
fn can_be_side_by_side(items: &[Item]) -> bool {
    items.iter().all(|item| match item {
        Item::Loop(inner) => can_be_side_by_side(&inner.body),
        item => !matches!(item, Item::Fold(_) | Item::Gather { .. } | Item::Scatter { .. }),
    })
}

/// Whether what an item gives is the same for all lanes.
pub(super) fn is_uniform(code: &Code, item: &Item) -> bool {
    item.result().is_some_and(|value| code.variability(value) == Variability::Uniform)
}

/// How much more often what stands in so many loops is done.
pub(super) fn weight(depth: i32) -> f32 {
    8f32.powi(depth)
}

/// The locations of all values.
pub(super) struct Locations {
    owners: Vec<Owner>,
    intervals: Vec<Interval>,
    /// How many slots the frame has.
    pub(super) slots: u32,
    /// How many vectors values live in: those up to this number.
    pub(super) vectors: u8,
    /// How often slots are read and written, more often in loops; 0 if that is worth what is computed side by side.
    pub(super) spilled: f32,
}

impl Locations {
    /// Where part `part` of a value lives. Values that are not partial have the same location for all parts.
    pub(super) fn of(&self, value: Value, part: usize) -> Location {
        let owner = self.owners[value.index()];
        self.intervals[owner.first as usize + if owner.count > 1 { part } else { 0 }].location
    }
}

/// The interval of a value, or the first of those of its parts.
#[derive(Clone, Copy)]
struct Owner {
    first: u32,
    count: u32,
    /// Whether something else is written there, as what a loop carries is.
    is_overwritten: bool,
}

struct Interval {
    class: Class,
    start: u32,
    end: u32,
    /// How often it is read and written, more often in loops.
    weight: f32,
    constant: bool,
    location: Location,
}

/// Finds a location for each part of each value.
pub(super) fn assign(code: &Code, registers: Registers) -> Locations {
    let mut scan = Scan::new(code, registers);
    scan.items(&code.body);
    scan.place();
    let in_slots = scan.intervals.iter().filter(|interval| matches!(interval.location, Location::Slot(_)));
    let spilled: f32 = in_slots.map(|interval| interval.weight).sum();
    let all: f32 = scan.intervals.iter().map(|interval| interval.weight).sum();
    // Rounds of a loop wait for each other, so that a second vector is worth some slots; more vectors would take too many.
    let is_worth_it = scan.carries_side_by_side && registers.unrolled == 2 && spilled * MOST_SLOTS < all;
    let spilled = if is_worth_it { 0.0 } else { spilled };
    let vectors = scan.intervals.iter().filter(|interval| interval.class == Class::Vector);
    let vectors = vectors.filter_map(|interval| if let Location::Register(n) = interval.location { Some(n + 1) } else { None }).max();
    Locations { owners: scan.owners, intervals: scan.intervals, slots: scan.slots, vectors: vectors.unwrap_or(0), spilled }
}

struct Scan<'a> {
    code: &'a Code,
    registers: Registers,
    owners: Vec<Owner>,
    intervals: Vec<Interval>,
    now: u32,
    depth: i32,
    /// Intervals that were begun before the loops around: where each loop begins, and those read in it.
    loops: Vec<(u32, Vec<u32>)>,
    slots: u32,
    /// Whether the loop around is unrolled.
    is_unrolled: bool,
    /// Which of the vectors side by side is computed.
    part: usize,
    /// Whether vectors side by side carry something from round to round of a loop.
    carries_side_by_side: bool,
    /// What serial loops hand on that is computed where the next iteration finds it, with what that gets.
    handed_on: HashMap<Value, Value>,
    /// Results of loops of lanes that begin with something which nothing reads behind that.
    taken_over: HashSet<Value>,
}

/// Results of loops of lanes that begin with something which nothing reads behind that.
fn taken_over(code: &Code) -> HashSet<Value> {
    if !has_while(&code.body) {
        return HashSet::new();
    }
    let mut found =
        LastReads { at: 0, last: vec![0; code.values()], same: (0..code.values() as u32).map(Value).collect(), begun: Vec::new() };
    found.items(&code.body);
    let LastReads { last, same, begun, .. } = found;
    begun.into_iter().filter(|(at, init, _)| last[same[init.index()].index()] == *at).map(|(.., result)| result).collect()
}

/// Whether there is a loop of lanes.
fn has_while(items: &[Item]) -> bool {
    items.iter().any(|item| match item {
        Item::Loop(inner) => has_while(&inner.body),
        item => matches!(item, Item::While(_)),
    })
}

/// Where values are read last, by the number of the item.
struct LastReads {
    at: u32,
    last: Vec<u32>,
    /// For each value, the one whose bits it is.
    same: Vec<Value>,
    /// Where loops of lanes begin, with what, and what becomes of that.
    begun: Vec<(u32, Value, Value)>,
}

impl LastReads {
    fn read(&mut self, value: Value) {
        self.last[self.same[value.index()].index()] = self.at;
    }

    fn items(&mut self, items: &[Item]) {
        for item in items {
            self.at += 1;
            item.for_each_operand(|value| self.read(value));
            match item {
                Item::Prim { result, prim, operands } if is_same_bits(*prim) => self.same[result.index()] = self.same[operands[0].index()],
                Item::While(While { carried, body, .. }) => {
                    let once = carried.iter().filter(|c| carried.iter().filter(|d| d.init == c.init).count() == 1);
                    self.begun.extend(once.map(|c| (self.at, c.init, c.result)));
                    self.body(carried, body);
                }
                Item::Loop(Loop { carried, body, .. }) => self.body(carried, body),
                Item::Fold(Fold { combined, body, .. }) => {
                    self.items(body);
                    combined.iter().for_each(|value| self.read(*value));
                }
                _ => {}
            }
        }
    }

    fn body(&mut self, carried: &[Carried], body: &[Item]) {
        self.items(body);
        self.at += 1;
        carried.iter().for_each(|c| self.read(c.next));
    }
}

/// Whether what a primitive gives has the bits of what it is given.
fn is_same_bits(prim: Prim) -> bool {
    matches!(prim, Prim::Bits32 | Prim::Bits64 | Prim::Float32 | Prim::Float64)
}

/// What a serial loop hands on that can be written where it is carried as soon as it is computed: nothing reads what the iteration got behind
/// that. With what the iteration got.
fn written_in_place(carried: &[Carried], body: &[Item]) -> impl Iterator<Item = (Value, Value)> {
    let mut last_read: HashMap<Value, usize> = carried.iter().map(|c| (c.arg, 0)).collect();
    let mut computed: HashMap<Value, usize> = HashMap::new();
    for (at, item) in body.iter().enumerate() {
        for_each_read(item, &mut |value| {
            last_read.entry(value).and_modify(|last| *last = at);
        });
        if let Item::Prim { result, .. } | Item::Lookup { result, .. } = item {
            computed.insert(*result, at);
        }
    }
    // What others hand on is read at the end.
    for c in carried {
        last_read.entry(c.next).and_modify(|last| *last = body.len());
    }
    carried.iter().filter(move |c| computed.get(&c.next).is_some_and(|at| last_read[&c.arg] <= *at)).map(|c| (c.next, c.arg))
}

/// Calls `f` with each value that an item reads, and what is in it.
pub(super) fn for_each_read(item: &Item, f: &mut impl FnMut(Value)) {
    item.for_each_operand(&mut *f);
    let body = match item {
        Item::Loop(Loop { carried, body, .. }) | Item::While(While { carried, body, .. }) => {
            carried.iter().for_each(|c| f(c.next));
            body
        }
        Item::Fold(Fold { combined, body, .. }) => {
            combined.iter().for_each(|value| f(*value));
            body
        }
        _ => return,
    };
    body.iter().for_each(|item| for_each_read(item, f));
}

impl<'a> Scan<'a> {
    fn new(code: &'a Code, registers: Registers) -> Self {
        // What is never defined is never asked for.
        let owners = vec![Owner { first: 0, count: 1, is_overwritten: false }; code.values()];
        Scan {
            code,
            registers,
            owners,
            intervals: Vec::with_capacity(code.values()),
            now: 0,
            depth: 0,
            loops: Vec::new(),
            slots: 0,
            is_unrolled: false,
            part: 0,
            carries_side_by_side: false,
            handed_on: HashMap::new(),
            taken_over: taken_over(code),
        }
    }

    fn unrolls(&self, inner: &Loop) -> bool {
        let Registers { width, unrolled, .. } = self.registers;
        unrolled > 1 && is_unrolled(inner, width, unrolled)
    }

    fn weight(&self) -> f32 {
        weight(self.depth)
    }

    /// The intervals of a value.
    fn intervals(&self, value: Value) -> Range<usize> {
        let Owner { first, count, .. } = self.owners[value.index()];
        first as usize..(first + count) as usize
    }

    fn interval(&mut self, lane: Lane, constant: bool) {
        let class = if lane == Lane::Mask && self.registers.masks.is_some() { Class::Mask } else { Class::Vector };
        let (start, weight) = (self.now, self.weight());
        self.intervals.push(Interval { class, start, end: start, weight, constant, location: Location::Pool });
    }

    fn define(&mut self, value: Value, constant: bool) {
        self.define_from(value, constant, self.now);
    }

    /// The same, with an interval that begins earlier.
    fn define_from(&mut self, value: Value, constant: bool, start: u32) {
        if let Some(arg) = self.handed_on.get(&value).filter(|arg| self.code.variability(**arg) == self.code.variability(value)) {
            self.owners[value.index()] = Owner { is_overwritten: true, ..self.owners[arg.index()] };
            return self.read(value);
        }
        let lane = self.code.lane(value);
        if self.part == 0 {
            let count = match self.code.variability(value) {
                Variability::Partial => self.registers.parts,
                Variability::Varying if self.is_unrolled => self.registers.unrolled,
                Variability::Varying | Variability::Uniform => 1,
            };
            self.owners[value.index()] = Owner { first: self.intervals.len() as u32, count: count as u32, is_overwritten: false };
            (0..count).for_each(|_| self.interval(lane, constant));
        }
        let is_new = self.part == 0 || self.is_side_by_side(value);
        for i in self.intervals_here(value) {
            let interval = &mut self.intervals[i];
            // What is the same for all vectors is there since the first, and in a loop of each lane written for each.
            (interval.start, interval.end) = if is_new { (start, start) } else { (interval.start, interval.end.max(start)) };
        }
    }

    /// Whether each of the vectors side by side has a value of its own.
    fn is_side_by_side(&self, value: Value) -> bool {
        self.is_unrolled && self.owners[value.index()].count > 1
    }

    /// The intervals of a value that what is computed now reads or writes.
    fn intervals_here(&self, value: Value) -> Range<usize> {
        let all = self.intervals(value);
        if self.is_side_by_side(value) { all.start + self.part..all.start + self.part + 1 } else { all }
    }

    fn read(&mut self, value: Value) {
        let weight = self.weight();
        for interval in self.intervals_here(value) {
            let i = &mut self.intervals[interval];
            i.end = i.end.max(self.now);
            i.weight += weight;
            let start = i.start;
            // The outermost loop that it was begun before has to leave it alone to its end.
            if let Some((_, inside)) = self.loops.iter_mut().find(|(begin, _)| start < *begin) {
                inside.push(interval as u32);
            }
        }
    }

    fn items(&mut self, items: &[Item]) {
        items.iter().for_each(|item| self.item(item));
    }

    fn item(&mut self, item: &Item) {
        self.now += STEP;
        let distance = self.number_in_shift(item);
        self.for_each_part(item, |scan| {
            item.for_each_operand(|v| {
                if Some(v) != distance {
                    scan.read(v)
                }
            })
        });
        match item {
            Item::Prim { result, prim, operands } if !self.handed_on.contains_key(result) && self.keeps_place(*prim, operands[0]) => {
                self.owners[result.index()] = self.owners[operands[0].index()];
            }
            Item::Prim { result, .. } | Item::Lookup { result, .. } | Item::Scalar { result, .. } | Item::Index { result, .. } => {
                self.define(*result, false)
            }
            Item::Load { result, .. } | Item::Gather { result, .. } => {
                // Their operands are still read when parts of the result are there already.
                self.define_from(*result, false, self.now - 1);
            }
            Item::Const { result, .. } => self.define(*result, true),
            Item::Store { .. } | Item::Prefetch { .. } | Item::Scatter { .. } => {}
            Item::Loop(inner) => {
                let unrolls = self.is_unrolled || self.unrolls(inner);
                let outside = std::mem::replace(&mut self.is_unrolled, unrolls);
                if inner.kind == Kind::Serial {
                    self.carries_side_by_side |= unrolls && !inner.carried.is_empty();
                    self.handed_on.extend(written_in_place(&inner.carried, &inner.body));
                }
                let vectors = if unrolls { self.registers.unrolled } else { 1 };
                self.loop_(&inner.carried, 0..vectors, |scan| scan.side_by_side(&inner.body));
                self.is_unrolled = outside;
            }
            Item::While(While { carried, body, limit }) => {
                // What lanes do once at most, few do at all.
                let rarely = if *limit == 1 { 3 } else { 0 };
                self.depth -= rarely;
                self.loop_(carried, self.part..self.part + 1, |scan| scan.items(body));
                self.depth += rarely;
            }
            Item::Fold(fold) => {
                // The lower sides are the partial values' registers, reused; all live while it combines.
                let begin = self.now;
                fold.lower.iter().chain(&fold.upper).for_each(|v| self.define(*v, false));
                self.depth += 1;
                self.items(&fold.body);
                self.now += STEP;
                fold.combined.iter().for_each(|v| self.read(*v));
                fold.partials.iter().chain(&fold.lower).chain(&fold.upper).for_each(|v| self.read(*v));
                self.depth -= 1;
                // Constants and others that the combiner reads are read again in the next step of the fold.
                let end = self.now;
                self.intervals.iter_mut().filter(|i| i.start < begin && i.end >= begin).for_each(|i| i.end = i.end.max(end));
                fold.results.iter().for_each(|v| self.define(*v, false));
            }
        }
    }

    /// The distance of a shift, if it is part of the instruction.
    fn number_in_shift(&self, item: &Item) -> Option<Value> {
        let Item::Prim { prim: Prim::Shl | Prim::ShrU | Prim::ShrS, operands: [shifted, distance, _], .. } = item else { return None };
        let is_constant = |value: Value| self.intervals[self.intervals(value).start].constant;
        (self.registers.shifts_by_numbers && is_constant(*distance) && shifted != distance).then_some(*distance)
    }

    /// What all vectors side by side do: loops go round for all of them together, other items are computed for each.
    fn for_each_part(&mut self, item: &Item, of: impl Fn(&mut Self)) {
        if self.is_unrolled && matches!(item, Item::Loop(_)) {
            (0..self.registers.unrolled).for_each(|part| {
                self.part = part;
                of(self);
            });
            self.part = 0;
        } else {
            of(self);
        }
    }

    /// The body of a loop; of one that computes vectors side by side, in turns.
    fn side_by_side(&mut self, body: &[Item]) {
        if !self.is_unrolled {
            return self.items(body);
        }
        for (part, item) in in_turns(self.code, body, self.registers.unrolled, self.registers.turn) {
            self.part = part.unwrap_or(0);
            self.item(item);
        }
        self.part = 0;
    }

    /// A loop, of some of the vectors side by side.
    fn loop_(&mut self, carried: &[Carried], parts: Range<usize>, body: impl FnOnce(&mut Self)) {
        let outside = self.part;
        // What is carried lives in one place, from before the loop to behind it.
        // It is written before all of what it begins as has been read.
        self.now -= 1;
        for part in parts.clone() {
            self.part = part;
            carried.iter().for_each(|c| self.define_carried(c));
        }
        self.part = outside;
        self.now += 1 + STEP;
        self.loops.push((self.now, Vec::new()));
        self.depth += 1;
        body(self);
        self.now += STEP;
        for part in parts {
            self.part = part;
            carried.iter().for_each(|c| [c.next, c.arg, c.result].into_iter().for_each(|value| self.read(value)));
        }
        self.part = outside;
        self.depth -= 1;
        let (_, inside) = self.loops.pop().expect("the loop was entered");
        for interval in inside {
            let end = &mut self.intervals[interval as usize].end;
            *end = (*end).max(self.now);
        }
    }

    /// Whether what the primitive gives is what `operand` is, where that is.
    fn keeps_place(&self, prim: Prim, operand: Value) -> bool {
        let owner = self.owners[operand.index()];
        is_same_bits(prim) && !owner.is_overwritten && !self.intervals[owner.first as usize].constant
    }

    /// The value that an iteration gets and the loop's result share their locations; in loops over lanes part by part. They have that of what the
    /// loop begins with, if nothing else reads it.
    fn define_carried(&mut self, carried: &Carried) {
        if self.takes_over(carried) {
            self.owners[carried.result.index()] = Owner { is_overwritten: true, ..self.owners[carried.init.index()] };
            self.read(carried.result);
        } else {
            self.define(carried.result, false);
        }
        let owner = self.owners[carried.result.index()];
        self.owners[carried.arg.index()] = Owner { is_overwritten: true, ..owner };
    }

    /// Whether what a loop of lanes begins with may be overwritten: nothing reads it again, also in no further iteration of the loop around.
    fn takes_over(&self, carried: &Carried) -> bool {
        let owner = self.owners[carried.init.index()];
        let is_same_kind = self.code.variability(carried.init) == self.code.variability(carried.result);
        let around = self.loops.last().map_or(0, |(begin, _)| *begin);
        let is_own = |i: usize| !self.intervals[i].constant && self.intervals[i].start >= around;
        self.taken_over.contains(&carried.result) && is_same_kind && !owner.is_overwritten && self.intervals_here(carried.init).all(is_own)
    }

    /// Gives registers in the order in which intervals begin.
    fn place(&mut self) {
        let mut order: Vec<u32> = (0..self.intervals.len() as u32).collect();
        order.sort_by_key(|i| self.intervals[*i as usize].start);
        for class in [Class::Vector, Class::Mask] {
            let free: Vec<u8> = match class {
                Class::Vector => (0..self.registers.vectors).rev().collect(),
                Class::Mask => (1..=self.registers.masks.unwrap_or(0)).rev().collect(),
            };
            self.place_class(&order, class, free);
        }
        self.place_slots(&order);
    }

    /// What a register is worth to an interval.
    fn worth(&self, interval: u32) -> f32 {
        let i = &self.intervals[interval as usize];
        // A constant is read from memory in the instruction that needs it, and never written.
        let weight = if i.constant { i.weight / 4.0 } else { i.weight };
        weight / (i.end - i.start + 2) as f32
    }

    fn place_class(&mut self, order: &[u32], class: Class, mut free: Vec<u8>) {
        let mut active: Vec<u32> = Vec::new();
        for &next in order {
            if self.intervals[next as usize].class != class {
                continue;
            }
            let start = self.intervals[next as usize].start;
            active.retain(|i| {
                let interval = &self.intervals[*i as usize];
                let over = interval.end <= start;
                if let (true, Location::Register(register)) = (over, interval.location) {
                    free.push(register);
                }
                !over
            });
            let register = free.pop().or_else(|| {
                let least = active.iter().copied().min_by(|a, b| self.worth(*a).total_cmp(&self.worth(*b)))?;
                if self.worth(least) >= self.worth(next) {
                    return None;
                }
                active.retain(|i| *i != least);
                let location = std::mem::replace(&mut self.intervals[least as usize].location, Location::Pool);
                if let Location::Register(register) = location { Some(register) } else { None }
            });
            if let Some(register) = register {
                self.intervals[next as usize].location = Location::Register(register);
                active.push(next);
            }
        }
    }

    /// Slots for what has no register and is no constant.
    fn place_slots(&mut self, order: &[u32]) {
        let mut free: Vec<u32> = Vec::new();
        let mut active: Vec<(u32, u32)> = Vec::new();
        for &next in order {
            let interval = &self.intervals[next as usize];
            if interval.location != Location::Pool || interval.constant {
                continue;
            }
            let start = interval.start;
            active.retain(|(end, slot)| {
                let over = *end <= start;
                if over {
                    free.push(*slot);
                }
                !over
            });
            let slot = free.pop().unwrap_or_else(|| {
                self.slots += 1;
                self.slots - 1
            });
            active.push((interval.end, slot));
            self.intervals[next as usize].location = Location::Slot(slot);
        }
    }
}
