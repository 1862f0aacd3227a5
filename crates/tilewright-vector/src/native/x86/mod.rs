//! Native code for x86-64 with AVX2 or AVX-512.
//!
//! The code gets one argument, the address of a block: the argument slots, then the frame. General registers:
//!
//! | register | holds |
//! |---|---|
//! | `rdi` | the block |
//! | `r15` | the constant pool |
//! | `rbx`, `r8` to `r14` | indices and addresses of innermost loops; those of others live in the block |
//! | `rax`, `rcx`, `rdx`, `rsi` | what is needed within one item |
//!
//! Vectors hold one number for each lane in their lower part, however narrow its type is. Three vectors, with AVX-512 four and two masks, are kept for
//! use within one item. A mask is a mask register with AVX-512; with AVX2 a vector in which each lane takes the same number of bytes, so that the
//! vector is full.

mod access;
mod apart;
mod encoder;
mod gather;
mod loops;
mod masks;
mod prims;

use super::{
    Level,
    registers::{Location, Locations, Registers, assign, is_unrolled},
};
use crate::{
    code::{Axis, Code, Count, Item, Kind, Loop, Param, ParamKind, Place, Value, Variability},
    prim::Lane,
};
use asmkit::{
    AsmError, Operand, OperandCast,
    x86::{InstId, Mem, gpq, imm, k, ptr, ptr_index, xmm, ymm, zmm},
};
use encoder::{Encoder, Label};
use std::collections::BTreeMap;

/// Machine code, and what it needs around it.
pub(super) struct Emitted {
    pub(super) bytes: Vec<u8>,
    pub(super) pool: Vec<u8>,
    /// Bytes of the block.
    pub(super) block: usize,
    /// Where the instructions of each item begin, with its first line; in the order in which they were emitted, if they are listed.
    pub(super) items: Vec<(usize, String)>,
}

/// A general register, by its number.
type General = u32;

const RAX: General = 0;
const RCX: General = 1;
const RDX: General = 2;
const RBX: General = 3;
const RSI: General = 6;
const BLOCK: General = 7;
const POOL: General = 15;

/// Where a 64-bit number lives: a loop's index or an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Cell {
    General(General),
    /// Bytes into the block.
    Word(i32),
}

/// A loop that is being emitted.
struct Nest {
    axis: Axis,
    kind: Kind,
    index: Cell,
    /// Addresses of the current iteration's places, of those that stand in the loop itself: of all that are a distance apart, one.
    addresses: Vec<(Place, Cell)>,
}

/// Where it stands which lanes are active, while a tail is emitted.
#[derive(Clone, Copy)]
struct Tail {
    /// The word with their number.
    number: i32,
    /// Their mask.
    mask: i32,
}

struct Emitter<'a> {
    code: &'a Code,
    level: Level,
    encoder: Encoder,
    locations: Locations,
    /// Lanes that are computed at once.
    width: usize,
    /// Which of the parts of the code's lanes, or of the vectors side by side, is being emitted.
    part: usize,
    /// How many vectors unrolled loops compute side by side.
    unrolled: usize,
    /// Lanes by which what is being emitted is ahead of the loop's index.
    ahead: usize,
    constants: BTreeMap<Value, u64>,
    pool: Pool,
    loops: Vec<Nest>,
    tail: Option<Tail>,
    /// Begin of the vector slots in the block.
    slots: i32,
    /// Scratch areas of 8 bytes for each lane of the widest code.
    areas: [i32; 3],
    /// Bytes of the block so far.
    block: i32,
    free: Vec<General>,
    listed: Option<Vec<(usize, String)>>,
}

/// Constants, by their bytes.
#[derive(Default)]
struct Pool {
    bytes: Vec<u8>,
    found: BTreeMap<Vec<u8>, i32>,
}

impl Pool {
    fn place(&mut self, bytes: Vec<u8>) -> i32 {
        let pool = &mut self.bytes;
        *self.found.entry(bytes).or_insert_with_key(|bytes| {
            pool.resize(pool.len().next_multiple_of(64), 0);
            let place = pool.len() as i32;
            pool.extend_from_slice(bytes);
            // Whoever reads a whole vector here stays inside.
            pool.resize(pool.len().next_multiple_of(64), 0);
            place
        })
    }
}

/// The slot of each parameter: buffers take two, begin and length. The first slot is the pool's, the second the fault's.
fn slot_of(params: &[ParamKind], param: Param) -> i32 {
    let before = params[..param.index()].iter().map(|kind| if *kind == ParamKind::Buffer { 2 } else { 1 }).sum::<i32>();
    8 * (2 + before)
}

const FAULT: i32 = 8;

/// The next multiple of 64.
fn align(place: i32) -> i32 {
    (place + 63) & !63
}

/// How many lanes are computed at once: as many as a vector has of the widest type, at most those of the code.
fn width_of(code: &Code, level: Level) -> usize {
    let widest = (0..code.values()).map(|v| code.lane(Value(v as u32))).filter(|lane| *lane != Lane::Mask).map(Lane::size).max();
    (level.bytes() / widest.unwrap_or(1)).min(code.lanes())
}

/// How many vectors may be computed side by side, the most first: powers of two, as most counts are multiples of these. Chains of items that wait
/// for each other keep the CPU busy so.
const UNROLLED: [usize; 2] = [4, 2];
/// The most items that all vectors side by side have, so that code stays small: of what is longer, one vector keeps the CPU busy for long.
const MOST_UNROLLED: usize = 400;

/// Whether one of the loops is [unrolled](is_unrolled), if there are registers for it.
fn has_unrolled(items: &[Item], width: usize, unrolled: usize) -> bool {
    let of = |inner: &Loop| is_unrolled(inner, width, unrolled) || has_unrolled(&inner.body, width, unrolled);
    items.iter().any(|item| matches!(item, Item::Loop(inner) if of(inner)))
}

/// How many items the longest body of a loop has.
fn longest_body(items: &[Item]) -> usize {
    let of = |item: &Item| if let Item::Loop(inner) = item { inner.body.len().max(longest_body(&inner.body)) } else { 0 };
    items.iter().map(of).max().unwrap_or(0)
}

/// Emits machine code; `lists`: with the item that each part of it is of.
pub(super) fn emit(code: &Code, level: Level, lists: bool) -> Result<Emitted, AsmError> {
    let width = width_of(code, level);
    let parts = code.lanes() / width;
    let registers = |unrolled| match level {
        Level::Avx512 => Registers { vectors: 28, masks: Some(5), parts, width, unrolled },
        Level::Avx2 => Registers { vectors: 13, masks: None, parts, width, unrolled },
    };
    // Vectors side by side have to have registers, but for what is rarely done.
    let side_by_side = |unrolled: usize| {
        let locations = (has_unrolled(&code.body, width, unrolled) && unrolled * longest_body(&code.body) <= MOST_UNROLLED)
            .then(|| assign(code, registers(unrolled)))?;
        (locations.spilled < 8.0).then_some((unrolled, locations))
    };
    let (unrolled, locations) = UNROLLED.into_iter().find_map(side_by_side).unwrap_or_else(|| (1, assign(code, registers(1))));
    let slots = align(slot_of(&code.params, Param(code.params.len() as u32)));
    let areas = slots + 64 * locations.slots as i32;
    let mut emitter = Emitter {
        code,
        level,
        encoder: Encoder::new(),
        locations,
        width,
        part: 0,
        unrolled,
        ahead: 0,
        constants: BTreeMap::new(),
        pool: Pool::default(),
        loops: Vec::new(),
        tail: None,
        slots,
        areas: [areas, areas + 512, areas + 1024],
        block: areas + 1536,
        free: vec![RBX, 8, 9, 10, 11, 12, 13, 14],
        listed: lists.then(Vec::new),
    };
    emitter.function();
    let (pool, block, items) = (emitter.pool.bytes, emitter.block as usize, emitter.listed.unwrap_or_default());
    Ok(Emitted { bytes: emitter.encoder.finish()?, pool, block, items })
}

impl Emitter<'_> {
    fn e(&mut self, id: InstId, operands: &[Operand]) {
        self.encoder.add(id, None, operands);
    }

    fn function(&mut self) {
        const SAVED: [General; 5] = [RBX, 12, 13, 14, 15];
        for register in SAVED {
            self.e(InstId::Push, &[g(register)]);
        }
        self.e(InstId::Mov, &[g(POOL), word(0)]);
        let body = self.code.body();
        self.items(body);
        self.e(InstId::Vzeroupper, &[]);
        for register in SAVED.into_iter().rev() {
            self.e(InstId::Pop, &[g(register)]);
        }
        self.e(InstId::Ret, &[]);
    }

    fn items(&mut self, items: &[Item]) {
        items.iter().for_each(|item| self.item(item));
    }

    fn item(&mut self, item: &Item) {
        if let Some(listed) = &mut self.listed {
            listed.push((self.encoder.len(), self.code.first_line(item)));
        }
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
            Item::Gather { result, buffer, offsets, mask } => self.gather(*result, *buffer, *offsets, *mask),
            Item::Scatter { value, buffer, offsets, mask } => self.scatter(*value, *buffer, *offsets, *mask),
            Item::Loop(inner) => self.loop_(inner),
            Item::While(inner) => self.while_(inner),
            Item::Fold(fold) => self.fold(fold),
        }
    }

    /// Bytes of the vectors that hold a type, at least 16.
    fn bytes(&self, lane: Lane) -> usize {
        let bytes = if lane == Lane::Mask { self.level.bytes() } else { self.width * lane.size() };
        bytes.max(16)
    }

    /// One of the vectors for use within an item: of three, or, with AVX-512, of four.
    fn scratch(&self, n: u8) -> u8 {
        match self.level {
            Level::Avx512 => 28 + n,
            Level::Avx2 => 13 + n,
        }
    }

    fn location(&self, value: Value) -> Location {
        self.locations.of(value, self.part)
    }

    fn slot(&self, slot: u32) -> Operand {
        at(BLOCK, self.slots + 64 * slot as i32)
    }

    /// The vector that holds `value`; one that has no register is read into scratch vector `n`.
    fn vector(&mut self, value: Value, n: u8) -> u8 {
        let lane = self.code.lane(value);
        match self.location(value) {
            Location::Register(register) => register,
            Location::Slot(slot) => {
                let (to, from) = (v(self.scratch(n), self.bytes(lane)), self.slot(slot));
                self.move_vector(to, from);
                self.scratch(n)
            }
            Location::Pool => {
                let to = self.scratch(n);
                self.constant_to(to, value);
                to
            }
        }
    }

    /// `value` as an operand that may be in memory; `n` is a scratch vector for where it cannot.
    fn operand(&mut self, value: Value, n: u8) -> Operand {
        let lane = self.code.lane(value);
        match self.location(value) {
            Location::Slot(slot) => self.slot(slot),
            Location::Pool if lane.size() >= 4 || self.level == Level::Avx2 => self.pooled(value),
            _ => v(self.vector(value, n), self.bytes(lane)),
        }
    }

    /// A constant in the pool, as an operand of all lanes.
    fn pooled(&mut self, value: Value) -> Operand {
        let (lane, bits) = (self.code.lane(value), self.constants[&value]);
        let once = &bits.to_le_bytes()[..lane.size()];
        match self.level {
            Level::Avx2 => {
                let place = self.pool.place(once.repeat(32 / lane.size()));
                at(POOL, place)
            }
            Level::Avx512 => {
                let place = self.pool.place(once.repeat(8 / lane.size()));
                let lanes = self.bytes(lane) / lane.size();
                let mem = ptr(gpq(POOL), place, 0);
                let mem = match lanes {
                    2 => mem._1to2(),
                    4 => mem._1to4(),
                    8 => mem._1to8(),
                    _ => mem._1to16(),
                };
                *mem.as_operand()
            }
        }
    }

    /// Fills the register of a constant that has one.
    fn fill_constant(&mut self, value: Value) {
        if let Location::Register(register) = self.location(value) {
            if self.code.lane(value) == Lane::Mask {
                self.constant_mask(register, self.constants[&value] != 0);
            } else {
                self.constant_to(register, value);
            }
        }
    }

    /// Fills a vector with a constant that is no mask.
    fn constant_to(&mut self, register: u8, value: Value) {
        let (lane, bits) = (self.code.lane(value), self.constants[&value]);
        if lane == Lane::Mask {
            return self.constant_mask(register, bits != 0);
        }
        let place = self.pool.place(bits.to_le_bytes()[..lane.size()].repeat(8 / lane.size()));
        let to = v(register, self.bytes(lane));
        self.e(broadcast(lane.size()), &[to, at(POOL, place)]);
    }

    /// The vector that a result is computed in; [`done`](Emitter::done) puts it where it lives.
    fn target(&self, result: Value) -> u8 {
        match self.location(result) {
            Location::Register(register) => register,
            Location::Slot(_) | Location::Pool => self.scratch(0),
        }
    }

    /// Puts the result that is in the vector `from` where it lives.
    fn done(&mut self, result: Value, from: u8) {
        let bytes = self.bytes(self.code.lane(result));
        match self.location(result) {
            Location::Register(register) if register == from => {}
            Location::Register(register) => self.move_vector(v(register, bytes), v(from, bytes)),
            Location::Slot(slot) => {
                let to = self.slot(slot);
                self.move_vector(to, v(from, bytes));
            }
            Location::Pool => {}
        }
    }

    /// Moves a vector between registers and memory, whole.
    fn move_vector(&mut self, to: Operand, from: Operand) {
        let id = if self.level == Level::Avx512 { InstId::Vmovdqu32 } else { InstId::Vmovdqu };
        self.e(id, &[to, from]);
    }

    /// Broadcasts a number in memory to all lanes of a value that is no mask.
    fn broadcast_to(&mut self, result: Value, from: Operand) {
        let lane = self.code.lane(result);
        if lane == Lane::Mask {
            return self.mask_of_byte(result, from);
        }
        let to = self.target(result);
        let vector = v(to, self.bytes(lane));
        self.e(broadcast(lane.size()), &[vector, from]);
        self.done(result, to);
    }

    /// A loop's index for each lane.
    fn index(&mut self, result: Value, axis: Axis) {
        let lane = self.code.lane(result);
        let (kind, cell) = self.loops.iter().find(|nest| nest.axis == axis).map(|nest| (nest.kind, nest.index)).expect("verified");
        let to = self.target(result);
        let vector = v(to, self.bytes(lane));
        let index = self.general(cell, RAX);
        self.e(InstId::Vmovq, &[v(to, 16), g(index)]);
        self.e(broadcast(lane.size()), &[vector, v(to, 16)]);
        if kind == Kind::Lanes {
            let iota = self.iota(lane.size(), self.ahead);
            let add = if lane == Lane::I32 { InstId::Vpaddd } else { InstId::Vpaddq };
            self.e(add, &[vector, vector, iota]);
        }
        self.done(result, to);
    }

    /// `from` and the next integers in memory, in so many bytes each.
    fn iota(&mut self, size: usize, from: usize) -> Operand {
        let bytes = (from..from + self.width).flat_map(|i| i.to_le_bytes()[..size].to_vec()).collect();
        let place = self.pool.place(bytes);
        at(POOL, place)
    }

    /// The register that holds a cell; one in memory is read into `scratch`.
    fn general(&mut self, cell: Cell, scratch: General) -> General {
        match cell {
            Cell::General(register) => register,
            Cell::Word(place) => {
                self.e(InstId::Mov, &[g(scratch), word(place)]);
                scratch
            }
        }
    }

    /// A new word of the block.
    fn word(&mut self) -> i32 {
        self.block += 8;
        self.block - 8
    }

    /// Reads a count into a register.
    fn count_to(&mut self, register: General, count: Count) {
        match count {
            Count::Const(n) => self.e(InstId::Mov, &[g(register), number(n)]),
            Count::Param(param) => {
                let place = slot_of(&self.code.params, param);
                self.e(InstId::Mov, &[g(register), word(place)]);
            }
        }
    }

    /// A count as an operand; where it is too large for that, it is read into `scratch`.
    fn count(&mut self, count: Count, scratch: General) -> Operand {
        match count {
            Count::Const(n) if i32::try_from(n).is_ok() => number(n),
            Count::Const(_) => {
                self.count_to(scratch, count);
                g(scratch)
            }
            Count::Param(param) => word(slot_of(&self.code.params, param)),
        }
    }

    fn in_lanes(&self) -> bool {
        self.loops.iter().any(|nest| nest.kind == Kind::Lanes)
    }

    fn label(&mut self) -> Label {
        self.encoder.label()
    }

    fn bind(&mut self, label: Label) {
        self.encoder.bind(label);
    }

    fn jump(&mut self, id: InstId, to: Label) {
        self.encoder.jump(id, to);
    }
}

impl Cell {
    fn operand(self) -> Operand {
        match self {
            Cell::General(register) => g(register),
            Cell::Word(place) => word(place),
        }
    }
}

/// A vector register with so many bytes of it.
fn v(register: u8, bytes: usize) -> Operand {
    match bytes {
        64 => *zmm(register.into()).as_operand(),
        32 => *ymm(register.into()).as_operand(),
        _ => *xmm(register.into()).as_operand(),
    }
}

/// A mask register.
fn m(register: u8) -> Operand {
    *k(register.into()).as_operand()
}

/// A general register.
fn g(register: General) -> Operand {
    *gpq(register).as_operand()
}

/// The lower 32 bits of a general register.
fn g32(register: General) -> Operand {
    *asmkit::x86::gpd(register).as_operand()
}

/// Memory.
fn at(base: General, offset: i32) -> Operand {
    *ptr(gpq(base), offset, 0).as_operand()
}

/// Memory behind a sum of two registers, the second times a power of two.
fn at_index(base: General, index: General, shift: u32, offset: i32) -> Operand {
    *ptr_index(gpq(base), gpq(index), shift, offset, 0).as_operand()
}

/// A word of the block.
fn word(place: i32) -> Operand {
    *ptr(gpq(BLOCK), place, 8).as_operand()
}

fn number(n: i64) -> Operand {
    *imm(n).as_operand()
}

/// The broadcast of numbers of so many bytes.
fn broadcast(size: usize) -> InstId {
    match size {
        1 => InstId::Vpbroadcastb,
        2 => InstId::Vpbroadcastw,
        4 => InstId::Vpbroadcastd,
        _ => InstId::Vpbroadcastq,
    }
}
