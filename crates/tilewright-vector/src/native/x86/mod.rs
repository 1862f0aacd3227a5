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
//! Vectors hold one number for each lane in their lower part, however narrow its type is; what lies behind numbers of 16 bits is zero, as instructions
//! for shorter vectors leave it, and is read as zeros (`put_above_zeros`). Three vectors, with AVX-512 four and two masks, are kept for
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
    Support,
    registers::Location,
    walk::{self, Cell, Emitted, FAULT, General, InstructionSet, Offer, Source, Tail, Walk, slot_of},
};
use crate::{
    code::{Axis, Code, Count, Item, Kind, Param, Place, Value},
    prim::{Lane, Prim},
};
use asmkit::{
    AsmError, Operand, OperandCast,
    x86::{InstId, Mem, gpq, imm, k, ptr, ptr_index, xmm, ymm, zmm},
};
use encoder::Encoder;

use super::encoder::Label;

const RAX: General = 0;
const RCX: General = 1;
const RDX: General = 2;
const RBX: General = 3;
const RSI: General = 6;
const BLOCK: General = 7;
const POOL: General = 15;

/// Bytes of an area.
const AREA: i32 = 512;

/// What vectors are made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Extension {
    /// AVX2, FMA and F16C.
    Avx2,
    /// AVX-512 F, BW, DQ and VL besides.
    Avx512,
}

/// What the walk carries for x86-64.
struct Machine {
    extension: Extension,
    encoder: Encoder,
    /// Where the limits of gathers are kept, which are computed in front of all items.
    limits: Vec<(gather::Gathered, i32)>,
    /// AVX2: the word that keeps how the caller rounds, where the code rounds down. `FmaOdd` asks for that; nothing beside it rounds then.
    rounding: Option<i32>,
}

type Emitter<'a> = Walk<'a, Machine>;

/// Which primitives have instructions, those of binary16 aside.
pub(super) fn support(prim: Prim, lane: Lane, extension: Extension) -> Support {
    use Lane::{I8, I16, I32, I64};
    use Prim::*;
    let avx512 = extension == Extension::Avx512;
    let has = match (prim, lane) {
        (MinNum | MaxNum, _) if avx512 => return Support::Quiet,
        // Lanes are packed with saturation.
        (Low8Of16 | Low8Of32 | Low16Of32, _) if !avx512 => return Support::Short,
        (Mul | Shl | ShrU | ShrS, I8) | (DivS | DivU, I8 | I16 | I32) | (MulHighS | MulHighU, I8) => false,
        (FmaF16 | MinNum | MaxNum, _) => false,
        (FmaOdd | FmaBf16 | Scale | High16To32 | High16Of32, _)
        | (Shl | ShrU | ShrS, I16)
        | (ShrS, I64)
        | (LtU, _)
        | (MinS | MaxS | MinU | MaxU, I64) => avx512,
        _ => true,
    };
    if has { Support::Full } else { Support::None }
}

/// Emits machine code; `lists`: with the item that each part of it is of.
pub(super) fn emit(code: &Code, extension: Extension, lists: bool) -> Result<Emitted, AsmError> {
    let offer = match extension {
        Extension::Avx2 => Offer { bytes: 32, vectors: 13, masks: None, shifts_by_numbers: true },
        Extension::Avx512 => Offer { bytes: 64, vectors: 28, masks: Some(5), shifts_by_numbers: true },
    };
    walk::emit(code, offer, Machine { extension, encoder: Encoder::new(), limits: Vec::new(), rounding: None }, lists)
}

impl Emitter<'_> {
    fn e(&mut self, id: InstId, operands: &[Operand]) {
        self.machine.encoder.add(id, None, operands);
    }

    /// Bytes of the vectors that hold a type, at least 16.
    fn bytes(&self, lane: Lane) -> usize {
        let bytes = if lane == Lane::Mask { self.vector_bytes } else { self.width * lane.size() };
        bytes.max(16)
    }

    /// One of the vectors for use within an item: of three, or, with AVX-512, of four.
    fn scratch(&self, n: u8) -> u8 {
        match self.machine.extension {
            Extension::Avx512 => 28 + n,
            Extension::Avx2 => 13 + n,
        }
    }

    fn slot(&self, slot: u32) -> Operand {
        at(BLOCK, self.place_of_slot(slot))
    }

    /// One of three areas of 8 bytes for each lane of the widest code.
    fn area(&self, n: i32) -> i32 {
        self.areas + AREA * n
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
            Location::Pool if lane.size() >= 4 || self.machine.extension == Extension::Avx2 => self.pooled(value),
            _ => v(self.vector(value, n), self.bytes(lane)),
        }
    }

    /// A constant in the pool, as an operand of all lanes.
    fn pooled(&mut self, value: Value) -> Operand {
        let (lane, bits) = (self.code.lane(value), self.constants[&value]);
        let once = &bits.to_le_bytes()[..lane.size()];
        match self.machine.extension {
            Extension::Avx2 => {
                let place = self.pool.place(once.repeat(32 / lane.size()));
                at(POOL, place)
            }
            Extension::Avx512 => {
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
        let id = if self.machine.extension == Extension::Avx512 { InstId::Vmovdqu32 } else { InstId::Vmovdqu };
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
        let (kind, cell) = self.nest(axis);
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

    fn jump(&mut self, id: InstId, to: Label) {
        self.machine.encoder.jump(id, to);
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
