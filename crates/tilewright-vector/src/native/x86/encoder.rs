//! Instructions of x86-64.

use super::InstId;
use crate::native::encoder::{self, Encoding, Known, Label};
use asmkit::{
    Arch, AsmError, CodeBuffer, Environment, Operand,
    x86::{Assembler, k},
};
use std::{
    hash::{Hash, Hasher},
    sync::{LazyLock, Mutex},
};

/// An instruction: what it does, on which lanes, and with what. What has fewer operands has none in their places.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::native) struct Instruction {
    id: u32,
    /// The mask of the lanes that do it, and whether the others get zero.
    mask: Option<(u8, bool)>,
    rounding: Rounding,
    operands: [Operand; 4],
}

/// How an instruction rounds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rounding {
    /// As the thread does: to nearest even.
    Usual,
    Down,
    Up,
    Zero,
}

impl Hash for Instruction {
    /// In few words, as a hash takes as long as it has parts.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let mask = self.mask.map_or(0, |(mask, zero)| u64::from(mask) << 1 | u64::from(zero));
        state.write_u64(u64::from(self.id) << 16 | (self.rounding as u64) << 8 | mask);
        for operand in self.operands.iter().take_while(|operand| !operand.is_none()) {
            // The kind, and what tells operands of a kind apart: a number of a register, and a distance or value.
            state.write_u64(u64::from(operand.base_id) << 32 | u64::from(operand.data[1]));
            state.write_u32(operand.data[0]);
        }
    }
}

pub(super) type Encoder = encoder::Encoder<Instruction>;

impl Encoder {
    /// Adds an instruction that does not jump.
    pub(super) fn add(&mut self, id: InstId, mask: Option<(u8, bool)>, operands: &[Operand]) {
        self.add_rounded(id, mask, Rounding::Usual, operands);
    }

    /// The same, with a rounding of its own, which instructions of AVX-512 on registers may have.
    pub(super) fn add_rounded(&mut self, id: InstId, mask: Option<(u8, bool)>, rounding: Rounding, operands: &[Operand]) {
        let none = Operand::new();
        let operands = std::array::from_fn(|i| operands.get(i).copied().unwrap_or(none));
        self.instruction(&Instruction { id: id as u32, mask, rounding, operands });
    }

    /// Jumps, always or under a condition.
    pub(super) fn jump(&mut self, id: InstId, to: Label) {
        // The four bits of conditions, in the order of the manual's table.
        let condition = match id {
            InstId::Jb => Some(2),
            InstId::Jz => Some(4),
            InstId::Jnz => Some(5),
            InstId::Jnbe => Some(7),
            InstId::Jl => Some(12),
            InstId::Jnl => Some(13),
            InstId::Jle => Some(14),
            _ => {
                debug_assert!(id == InstId::Jmp, "{id:?} is no jump that is used");
                None
            }
        };
        match condition {
            Some(condition) => self.jump_by(&[0x0f, 0x80 | condition, 0, 0, 0, 0], to),
            None => self.jump_by(&[0xe9, 0, 0, 0, 0], to),
        }
    }
}

impl encoder::Instruction for Instruction {
    fn known() -> &'static Mutex<Known<Self>> {
        static KNOWN: LazyLock<Mutex<Known<Instruction>>> = LazyLock::new(Mutex::default);
        &KNOWN
    }

    fn encode(&self) -> Result<Encoding, AsmError> {
        let mut buffer = CodeBuffer::new(Environment::new(Arch::X64));
        let mut assembler = Assembler::new(&mut buffer);
        if let Some((mask, zero)) = self.mask {
            assembler.k(k(mask.into()));
            if zero {
                assembler.z();
            }
        }
        match self.rounding {
            Rounding::Usual => {}
            Rounding::Down => drop(assembler.rd_sae()),
            Rounding::Up => drop(assembler.ru_sae()),
            Rounding::Zero => drop(assembler.rz_sae()),
        }
        let count = self.operands.iter().position(Operand::is_none).unwrap_or(4);
        let operands = self.operands.each_ref();
        assembler.try_emit_n(self.id, &operands[..count])?;
        Ok(Encoding::of(buffer.finish()?.data()))
    }

    fn link(code: &mut [u8], behind: usize, target: usize) -> Result<(), AsmError> {
        let distance = target as i64 - behind as i64;
        // Code has far less than 2^31 bytes.
        code[behind - 4..behind].copy_from_slice(&(distance as i32).to_le_bytes());
        Ok(())
    }
}
