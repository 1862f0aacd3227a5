//! Machine code: bytes of instructions, and jumps between them.
//!
//! The assembler takes half a microsecond for an instruction, as it checks all of it. Codes repeat most instructions of others, so what was
//! encoded once is kept for the process.

use super::InstId;
use asmkit::{
    Arch, AsmError, CodeBuffer, Environment, Operand,
    x86::{Assembler, k},
};
use foldhash::fast::RandomState;
use std::{
    collections::HashMap,
    hash::{Hash, Hasher},
    sync::{LazyLock, Mutex, MutexGuard, PoisonError},
};

/// An instruction: what it does, on which lanes, and with what. What has fewer operands has none in their places.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Instruction {
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

/// Its bytes; the longest instruction has 15.
#[derive(Clone, Copy)]
struct Encoding {
    bytes: [u8; 15],
    length: u8,
}

type Known = HashMap<Instruction, Encoding, RandomState>;

static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);

/// So many instructions are kept; then it begins anew.
const MOST_KNOWN: usize = 1 << 14;

/// A place in the code.
#[derive(Clone, Copy)]
pub(super) struct Label(usize);

pub(super) struct Encoder {
    bytes: Vec<u8>,
    known: MutexGuard<'static, Known>,
    /// Where each label is, once that is known.
    labels: Vec<Option<usize>>,
    /// Behind each distance that is to be filled in, and what it leads to.
    jumps: Vec<(usize, Label)>,
    error: Option<AsmError>,
}

impl Encoder {
    pub(super) fn new() -> Encoder {
        let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        Encoder { bytes: Vec::with_capacity(1024), known, labels: Vec::new(), jumps: Vec::new(), error: None }
    }

    /// Bytes so far.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Adds an instruction that does not jump.
    pub(super) fn add(&mut self, id: InstId, mask: Option<(u8, bool)>, operands: &[Operand]) {
        self.add_rounded(id, mask, Rounding::Usual, operands);
    }

    /// The same, with a rounding of its own, which instructions of AVX-512 on registers may have.
    pub(super) fn add_rounded(&mut self, id: InstId, mask: Option<(u8, bool)>, rounding: Rounding, operands: &[Operand]) {
        let none = Operand::new();
        let operands = std::array::from_fn(|i| operands.get(i).copied().unwrap_or(none));
        let instruction = Instruction { id: id as u32, mask, rounding, operands };
        let encoding = match self.known.get(&instruction) {
            Some(encoding) => *encoding,
            None => match encode(&instruction) {
                Ok(encoding) => {
                    if self.known.len() >= MOST_KNOWN {
                        self.known.clear();
                    }
                    self.known.insert(instruction, encoding);
                    encoding
                }
                Err(error) => {
                    self.error.get_or_insert(error);
                    return;
                }
            },
        };
        self.bytes.extend_from_slice(&encoding.bytes[..encoding.length.into()]);
    }

    pub(super) fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// The label is here.
    pub(super) fn bind(&mut self, label: Label) {
        self.labels[label.0] = Some(self.bytes.len());
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
            Some(condition) => self.bytes.extend([0x0f, 0x80 | condition]),
            None => self.bytes.push(0xe9),
        }
        self.bytes.extend([0; 4]);
        self.jumps.push((self.bytes.len(), to));
    }

    /// The code.
    pub(super) fn finish(mut self) -> Result<Vec<u8>, AsmError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        for (behind, to) in self.jumps {
            let target = self.labels[to.0].expect("every label is bound");
            let distance = target as i64 - behind as i64;
            // Code has far less than 2^31 bytes.
            self.bytes[behind - 4..behind].copy_from_slice(&(distance as i32).to_le_bytes());
        }
        Ok(self.bytes)
    }
}

fn encode(instruction: &Instruction) -> Result<Encoding, AsmError> {
    let mut buffer = CodeBuffer::new(Environment::new(Arch::X64));
    let mut assembler = Assembler::new(&mut buffer);
    if let Some((mask, zero)) = instruction.mask {
        assembler.k(k(mask.into()));
        if zero {
            assembler.z();
        }
    }
    match instruction.rounding {
        Rounding::Usual => {}
        Rounding::Down => drop(assembler.rd_sae()),
        Rounding::Up => drop(assembler.ru_sae()),
    }
    let count = instruction.operands.iter().position(Operand::is_none).unwrap_or(4);
    let operands = instruction.operands.each_ref();
    assembler.try_emit_n(instruction.id, &operands[..count])?;
    let code = buffer.finish()?;
    let mut bytes = [0; 15];
    bytes[..code.data().len()].copy_from_slice(code.data());
    Ok(Encoding { bytes, length: code.data().len() as u8 })
}
