//! Native code for AArch64 with NEON.
//!
//! | register | holds |
//! |---|---|
//! | `x0` | the block |
//! | `x1` | the constant pool |
//! | `x2` | the address of an access |
//! | `x3` to `x5` | what is needed within one item |
//! | `x6` to `x15` | indices and addresses of innermost loops; those of others live in the block |
//! | `x16`, `x17` | numbers and places that instructions do not reach |
//! | `v0` to `v26` | values |
//! | `v27` to `v31` | what is needed within one item |
//!
//! A vector holds one number for each lane in its lower part, however narrow its type is: as many lanes as 16 bytes have of the widest type of the code.
//! Instructions compute whole vectors; what comes out behind the last lane is never looked at. A mask is a vector in which each lane takes the same
//! number of bytes, so that the vector is full. No access reads or writes anything but its lanes: there are no masked ones, so where lanes are left
//! out, each has a jump over it.

mod access;
mod encoder;
mod gather;
mod loops;
mod masks;
mod prims;

use super::{
    Support,
    encoder::Label,
    registers::Location,
    walk::{self, Cell, Emitted, FAULT, General, InstructionSet, Offer, Source, Tail, Walk, slot_of},
};
use crate::{
    code::{Axis, Code, Count, Item, Kind, Param, Place, Value},
    prim::{Lane, Prim},
};
use asmkit::{
    AsmError, Operand, OperandCast,
    aarch64::{Gp, InstId, Vec as Vector, VecElementType, imm, ptr},
};
use encoder::{Condition, Encoder, Jump};

/// The operands of an instruction.
type Operands = [Operand; 6];

const BLOCK: General = 0;
const POOL: General = 1;
const ADDRESS: General = 2;
const LINK: General = 30;
/// For use within one item.
const T0: General = 3;
const T1: General = 4;
const T2: General = 5;
/// For numbers, and for addresses, that instructions do not reach.
const NUMBER: General = 16;
const FAR: General = 17;
/// As an operand of most instructions, zero.
const ZERO: General = 63;

/// The vectors that values may live in, those last that are kept for the caller.
const VALUES: [u8; 27] = [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 8, 9, 10, 11, 12, 13, 14, 15];
/// The first of those that are for use within one item.
const SCRATCH: u8 = 27;

/// What the walk carries for AArch64.
struct Machine {
    encoder: Encoder,
    /// Whether jumps under a condition have to reach further than they do.
    far: bool,
}

type Emitter<'a> = Walk<'a, Machine>;

/// Which primitives have instructions, those of binary16 aside.
pub(super) fn support(prim: Prim, lane: Lane) -> Support {
    use Prim::*;
    match (prim, lane) {
        (MinNum | MaxNum, _) => Support::Quiet,
        (FmaOdd | FmaF16 | FmaBf16 | Scale, _) | (MinS | MaxS | MinU | MaxU, Lane::I64) => Support::None,
        _ => Support::Full,
    }
}

/// Emits machine code; `lists`: with the item that each part of it is of.
pub(super) fn emit(code: &Code, lists: bool) -> Result<Emitted, AsmError> {
    let offer = Offer { bytes: 16, vectors: VALUES.len() as u8, masks: None, shifts_by_numbers: false };
    let emit = |far| walk::emit(code, offer, Machine { encoder: Encoder::new(), far }, lists);
    match emit(false) {
        Err(AsmError::TooLarge) => emit(true),
        emitted => emitted,
    }
}

impl Emitter<'_> {
    fn e(&mut self, id: InstId, operands: &[Operand]) {
        self.machine.encoder.add(id, operands);
    }

    fn jump(&mut self, jump: Jump, to: Label) {
        let far = self.machine.far;
        self.machine.encoder.jump(jump, to, far);
    }

    /// Fills a vector with a byte.
    fn fill(&mut self, to: u8, byte: u8) {
        self.machine.encoder.fill(to, byte);
    }

    /// One of five vectors for use within an item.
    fn scratch(&self, n: u8) -> u8 {
        SCRATCH + n
    }

    /// The register that a value lives in, if it lives in one.
    fn register(&self, value: Value) -> Option<u8> {
        match self.location(value) {
            Location::Register(n) => Some(VALUES[usize::from(n)]),
            Location::Slot(_) | Location::Pool => None,
        }
    }

    /// The vector that holds `value`; one that has no register is read into scratch vector `n`.
    fn vector(&mut self, value: Value, n: u8) -> u8 {
        if let Some(register) = self.register(value) {
            return register;
        }
        let to = self.scratch(n);
        match self.location(value) {
            Location::Slot(slot) => self.read(to, BLOCK, self.place_of_slot(slot), 16),
            Location::Register(_) | Location::Pool => self.constant_to(to, value),
        }
        to
    }

    /// Fills a vector with a constant.
    fn constant_to(&mut self, to: u8, value: Value) {
        let (lane, bits) = (self.code.lane(value), self.bits(value));
        match lane {
            Lane::Mask => self.constant_mask(to, bits != 0),
            _ => self.pattern(to, &bits.to_le_bytes()[..lane.size()]),
        }
    }

    /// Fills a vector with bytes, again and again.
    fn pattern(&mut self, to: u8, bytes: &[u8]) {
        if bytes.iter().all(|byte| *byte == bytes[0]) {
            return self.fill(to, bytes[0]);
        }
        let place = self.pool.place(bytes.repeat(16 / bytes.len()));
        self.read(to, POOL, place, 16);
    }

    /// The vector that a result is computed in; [`done`](Emitter::done) puts it where it lives.
    fn target(&self, result: Value) -> u8 {
        self.register(result).unwrap_or(self.scratch(0))
    }

    /// Puts the result that is in the vector `from` where it lives.
    fn done(&mut self, result: Value, from: u8) {
        match self.location(result) {
            Location::Register(_) => {
                let to = self.target(result);
                self.move_vector(to, from);
            }
            Location::Slot(slot) => self.write(from, BLOCK, self.place_of_slot(slot), 16),
            Location::Pool => {}
        }
    }

    fn move_vector(&mut self, to: u8, from: u8) {
        if to != from {
            self.e(InstId::Mov_v, &[all(to, 1), all(from, 1)]);
        }
    }

    /// Reads so many bytes into the lower part of a vector: 1, 2, 4, 8 or 16. The others are zero.
    fn read(&mut self, to: u8, base: General, offset: i32, bytes: usize) {
        let from = self.at(base, offset, bytes);
        self.e(InstId::Ldr_v, &[part(to, bytes), from]);
    }

    fn write(&mut self, from: u8, base: General, offset: i32, bytes: usize) {
        let to = self.at(base, offset, bytes);
        self.e(InstId::Str_v, &[part(from, bytes), to]);
    }

    /// Broadcasts the first lane of a vector.
    fn broadcast(&mut self, to: u8, from: u8, size: usize) {
        self.e(InstId::Dup_v, &[all(to, size), element(from, size, 0)]);
    }

    /// Broadcasts a number in the block to all lanes.
    fn broadcast_to(&mut self, result: Value, place: i32) {
        let lane = self.code.lane(result);
        if lane == Lane::Mask {
            let bytes = self.scratch(0);
            self.read(bytes, BLOCK, place, 1);
            self.broadcast(bytes, bytes, 1);
            return self.mask_of_bytes(result, bytes);
        }
        let to = self.target(result);
        self.read(to, BLOCK, place, lane.size());
        self.broadcast(to, to, lane.size());
        self.done(result, to);
    }

    /// A loop's index for each lane.
    fn index(&mut self, result: Value, axis: Axis) {
        let lane = self.code.lane(result);
        let (kind, cell) = self.nest(axis);
        let to = self.target(result);
        let index = self.general(cell, T0);
        let number = if lane.size() == 8 { x(index) } else { w(index) };
        self.e(InstId::Dup_v, &[all(to, lane.size()), number]);
        if kind == Kind::Lanes {
            let iota = self.iota(1, lane.size(), self.ahead);
            self.e(InstId::Add_v, &[all(to, lane.size()), all(to, lane.size()), all(iota, lane.size())]);
        }
        self.done(result, to);
    }

    /// `from` and the next integers, in so many bytes each, in scratch vector `n`.
    fn iota(&mut self, n: u8, size: usize, from: usize) -> u8 {
        let bytes = (from..from + 16 / size).flat_map(|i| i.to_le_bytes()[..size].to_vec()).collect();
        let (place, to) = (self.pool.place(bytes), self.scratch(n));
        self.read(to, POOL, place, 16);
        to
    }

    /// Memory so many bytes behind a register, for an access to so many bytes.
    fn at(&mut self, base: General, offset: i32, bytes: usize) -> Operand {
        let scaled = offset >= 0 && offset % bytes as i32 == 0 && offset / (bytes as i32) < 4096;
        if scaled || (-256..256).contains(&offset) {
            return memory(base, offset);
        }
        self.sum_to(FAR, base, offset.into());
        memory(FAR, 0)
    }

    /// The sum of a register and a number.
    fn sum_to(&mut self, to: General, from: General, n: i64) {
        let (id, magnitude) = if n < 0 { (InstId::Sub, n.unsigned_abs()) } else { (InstId::Add, n as u64) };
        if magnitude < 4096 {
            if to != from || magnitude != 0 {
                self.e(id, &[x(to), x(from), number(magnitude as i64)]);
            }
        } else {
            self.number_to(NUMBER, n);
            self.e(InstId::Add, &[x(to), x(from), x(NUMBER)]);
        }
    }

    /// Writes a number to a register, 16 bits at a time.
    fn number_to(&mut self, to: General, n: i64) {
        let piece = |i: u32| (n >> (16 * i)) as u64 & 0xffff;
        // Pieces of the more frequent of these two need no instruction.
        let zeros = (0..4).filter(|i| piece(*i) == 0).count();
        let ones = (0..4).filter(|i| piece(*i) == 0xffff).count();
        let (first, rest) = if ones > zeros { (InstId::Movn, 0xffff) } else { (InstId::Movz, 0) };
        let mut begun = false;
        for i in (0..4).filter(|i| piece(*i) != rest) {
            let bits = if begun { piece(i) } else { piece(i) ^ rest };
            self.e(if begun { InstId::Movk } else { first }, &[x(to), number(bits as i64), number((16 * i).into())]);
            begun = true;
        }
        if !begun {
            self.e(first, &[x(to), number(0)]);
        }
    }

    fn read_word(&mut self, to: General, place: i32) {
        let from = self.at(BLOCK, place, 8);
        self.e(InstId::Ldr, &[x(to), from]);
    }

    fn write_word(&mut self, from: General, place: i32) {
        let to = self.at(BLOCK, place, 8);
        self.e(InstId::Str, &[x(from), to]);
    }

    /// Reads a count into a register.
    fn count_to(&mut self, register: General, count: Count) {
        match count {
            Count::Const(n) => self.number_to(register, n),
            Count::Param(param) => self.read_word(register, slot_of(&self.code.params, param)),
        }
    }

    /// Compares a register with a count; `scratch` is for what instructions do not reach.
    fn compare(&mut self, left: General, count: Count, scratch: General) {
        match count {
            Count::Const(n) if (0..4096).contains(&n) => self.e(InstId::Cmp, &[x(left), number(n)]),
            _ => {
                self.count_to(scratch, count);
                self.e(InstId::Cmp, &[x(left), x(scratch)]);
            }
        }
    }

    /// The first of two numbers if a condition holds, else the second.
    fn choose(&mut self, to: General, yes: General, no: General, condition: Condition) {
        self.e(InstId::Csel, &[x(to), x(yes), x(no), code_of(condition)]);
    }
}

/// All 64 bits of a general register.
fn x(register: General) -> Operand {
    *Gp::make_x(register).as_operand()
}

/// The lower 32 bits of a general register.
fn w(register: General) -> Operand {
    *Gp::make_w(register).as_operand()
}

/// The type of elements of so many bytes.
fn elements(size: usize) -> VecElementType {
    match size {
        1 => VecElementType::B,
        2 => VecElementType::H,
        4 => VecElementType::S,
        _ => VecElementType::D,
    }
}

/// All elements of so many bytes in a vector.
fn all(register: u8, size: usize) -> Operand {
    *Vector::make_v128_with_element_type(elements(size), register.into()).as_operand()
}

/// The elements of so many bytes in the lower half of a vector.
fn low(register: u8, size: usize) -> Operand {
    *Vector::make_v64_with_element_type(elements(size), register.into()).as_operand()
}

/// One element of so many bytes.
fn element(register: u8, size: usize, index: usize) -> Operand {
    *Vector::make_v128_with_element_index(elements(size), index as u32, register.into()).as_operand()
}

/// So many bytes of a vector.
fn part(register: u8, bytes: usize) -> Operand {
    let register = register.into();
    *match bytes {
        1 => Vector::make_b(register),
        2 => Vector::make_h(register),
        4 => Vector::make_s(register),
        8 => Vector::make_d(register),
        _ => Vector::make_q(register),
    }
    .as_operand()
}

/// Memory so many bytes behind what a register names.
fn memory(base: General, offset: i32) -> Operand {
    *ptr(Gp::make_x(base), offset).as_operand()
}

fn number(n: i64) -> Operand {
    *imm(n).as_operand()
}

/// A condition as the assembler numbers it.
fn code_of(condition: Condition) -> Operand {
    number((condition as i64 + 2) & 15)
}
