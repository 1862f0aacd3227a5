//! Instructions of AArch64.

use super::{InstId, Operands};
use crate::native::encoder::{self, Encoding, Known, Label};
use asmkit::{Arch, AsmError, CodeBuffer, Environment, Operand, aarch64::Assembler};
use std::{
    hash::{Hash, Hasher},
    sync::{LazyLock, Mutex},
};

/// An instruction: what it does, and with what. What has fewer operands has none in their places.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::native) struct Instruction {
    id: u32,
    operands: Operands,
}

impl Hash for Instruction {
    /// In few words, as a hash takes as long as it has parts.
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u32(self.id);
        for operand in self.operands.iter().take_while(|operand| !operand.is_none()) {
            // The kind and shape, and what tells operands of these apart: a number of a register, and a distance or value.
            state.write_u64(u64::from(operand.base_id) << 32 | u64::from(operand.signature.bits()));
            state.write_u64(u64::from(operand.data[1]) << 32 | u64::from(operand.data[0]));
        }
    }
}

/// When something is done after a comparison; the numbers are those of the manual.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub(super) enum Condition {
    Ne = 1,
    /// No carry came out, or it was below.
    Cc = 3,
    /// A difference fits.
    Vc = 7,
    /// Unsigned less or equal, after comparisons.
    Ls = 9,
    Ge = 10,
    Lt = 11,
    Gt = 12,
    Le = 13,
}

/// When a jump is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Jump {
    Always,
    If(Condition),
    /// If the 64 bits of a register are zero.
    IfZero(u32),
    /// If they are not.
    IfNotZero(u32),
}

/// Instructions on a vector of floats, as they are encoded for `f32`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub(super) enum OfFloats {
    /// `fsqrt`
    Root = 0x6ea1_f800,
    /// `frintn`
    Nearest = 0x4e21_8800,
    /// `frintm`
    Down = 0x4e21_9800,
    /// `frintp`
    Up = 0x4ea1_8800,
    /// `frintz`
    TowardZero = 0x4ea1_9800,
}

/// How far jumps under a condition reach to either side.
const REACH: i64 = 1 << 20;

pub(super) type Encoder = encoder::Encoder<Instruction>;

impl Encoder {
    /// Adds an instruction that does not jump.
    pub(super) fn add(&mut self, id: InstId, operands: &[Operand]) {
        let none = Operand::new();
        let operands = std::array::from_fn(|i| operands.get(i).copied().unwrap_or(none));
        self.instruction(&Instruction { id: id as u32, operands });
    }

    /// Fills a vector with a byte: `movi` of bytes, which the assembler refuses.
    pub(super) fn fill(&mut self, register: u8, byte: u8) {
        let (upper, lower) = (u32::from(byte >> 5), u32::from(byte & 0x1f));
        let word = 0x4f00_e400 | upper << 16 | lower << 5 | u32::from(register);
        self.raw(&word.to_le_bytes());
    }

    /// Computes floats of 4 bytes or, `wide`, of 8, for which the assembler leaves out the bit that says so.
    pub(super) fn of_floats(&mut self, what: OfFloats, to: u8, from: u8, wide: bool) {
        let word = what as u32 | u32::from(wide) << 22 | u32::from(from) << 5 | u32::from(to);
        self.raw(&word.to_le_bytes());
    }

    /// Jumps; `far`: also to where jumps under a condition do not reach.
    pub(super) fn jump(&mut self, jump: Jump, to: Label, far: bool) {
        const ALWAYS: u32 = 0x1400_0000;
        // Each with what turns it into its opposite.
        let (word, opposite) = match jump {
            Jump::Always => return self.jump_by(&ALWAYS.to_le_bytes(), to),
            Jump::If(condition) => (0x5400_0000 | condition as u32, 1),
            Jump::IfZero(register) => (0xb400_0000 | register, 1 << 24),
            Jump::IfNotZero(register) => (0xb500_0000 | register, 1 << 24),
        };
        if far {
            // Over the next instruction, if not.
            let over = 2 << 5;
            self.raw(&(word ^ opposite | over).to_le_bytes());
            self.jump_by(&ALWAYS.to_le_bytes(), to);
        } else {
            self.jump_by(&word.to_le_bytes(), to);
        }
    }
}

impl encoder::Instruction for Instruction {
    fn known() -> &'static Mutex<Known<Self>> {
        static KNOWN: LazyLock<Mutex<Known<Instruction>>> = LazyLock::new(Mutex::default);
        &KNOWN
    }

    fn encode(&self) -> Result<Encoding, AsmError> {
        let mut buffer = CodeBuffer::new(Environment::new(Arch::AArch64));
        let mut assembler = Assembler::new(&mut buffer);
        let count = self.operands.iter().position(Operand::is_none).unwrap_or(self.operands.len());
        let operands = self.operands.each_ref();
        assembler.try_emit_n(self.id, &operands[..count])?;
        Ok(Encoding::of(buffer.finish()?.data()))
    }

    /// Distances count in instructions, from the jump itself.
    fn link(code: &mut [u8], behind: usize, target: usize) -> Result<(), AsmError> {
        let at = behind - 4;
        let distance = target as i64 - at as i64;
        let mut word = u32::from_le_bytes([code[at], code[at + 1], code[at + 2], code[at + 3]]);
        let steps = (distance >> 2) as u32;
        if word >> 26 == 5 {
            // Code has far less than 2^27 bytes.
            word |= steps & 0x03ff_ffff;
        } else if (-REACH..REACH).contains(&distance) {
            word |= (steps & 0x7_ffff) << 5;
        } else {
            return Err(AsmError::TooLarge);
        }
        code[at..behind].copy_from_slice(&word.to_le_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The instructions of what `add` adds.
    fn words(add: impl Fn(&mut Encoder)) -> Vec<u32> {
        let mut encoder = Encoder::new();
        add(&mut encoder);
        let bytes = encoder.finish().expect("it is encoded").bytes;
        bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("4 bytes"))).collect()
    }

    /// What LLVM's assembler makes of the same.
    #[test]
    fn what_is_encoded_here_is_what_an_assembler_makes() {
        assert_eq!(words(|e| e.fill(27, 0)), [0x4f00_e41b]);
        assert_eq!(words(|e| e.fill(3, 0xff)), [0x4f07_e7e3]);
        assert_eq!(words(|e| e.fill(31, 0x5a)), [0x4f02_e75f]);
        // fsqrt v1.4s, v2.4s; fsqrt, frintn, frintm, frintp and frintz v1.2d, v2.2d
        assert_eq!(words(|e| e.of_floats(OfFloats::Root, 1, 2, false)), [0x6ea1_f841]);
        let all = [OfFloats::Root, OfFloats::Nearest, OfFloats::Down, OfFloats::Up, OfFloats::TowardZero];
        let wide = words(|e| all.iter().for_each(|what| e.of_floats(*what, 1, 2, true)));
        assert_eq!(wide, [0x6ee1_f841, 0x4e61_8841, 0x4e61_9841, 0x4ee1_8841, 0x4ee1_9841]);
        let there_and_back = |far| {
            move |e: &mut Encoder| {
                let (back, on) = (e.label(), e.label());
                e.bind(back);
                e.jump(Jump::If(Condition::Lt), on, far);
                e.jump(Jump::IfZero(4), back, far);
                e.jump(Jump::Always, back, far);
                e.bind(on);
            }
        };
        // What is set aside goes behind the rest: cbnz x3, #8; movi; movi; b #-8
        let aside = |e: &mut Encoder| {
            let (begin, back) = (e.label(), e.label());
            e.jump(Jump::IfNotZero(3), begin, false);
            e.set_aside(true);
            e.bind(begin);
            e.fill(3, 0xff);
            e.jump(Jump::Always, back, false);
            e.set_aside(false);
            e.bind(back);
            e.fill(27, 0);
        };
        assert_eq!(words(aside), [0xb500_0043, 0x4f00_e41b, 0x4f07_e7e3, 0x17ff_fffe]);
        // b.lt #12; cbz x4, #-4; b #-8
        assert_eq!(words(there_and_back(false)), [0x5400_006b, 0xb4ff_ffe4, 0x17ff_fffe]);
        // b.ge #8; b #16; cbnz x4, #8; b #-12; b #-16
        assert_eq!(words(there_and_back(true)), [0x5400_004a, 0x1400_0004, 0xb500_0044, 0x17ff_fffd, 0x17ff_fffc]);
    }

    /// What is out of reach of jumps under a condition is told, so that they are made longer.
    #[test]
    fn jumps_that_do_not_reach_are_told() {
        let over = |bytes: usize, far| {
            let mut encoder = Encoder::new();
            let end = encoder.label();
            encoder.jump(Jump::IfZero(0), end, far);
            encoder.raw(&vec![0; bytes]);
            encoder.bind(end);
            encoder.finish().is_ok()
        };
        assert!(over(REACH as usize - 8, false) && !over(REACH as usize, false) && over(REACH as usize, true));
    }
}
