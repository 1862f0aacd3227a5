//! Machine code: bytes of instructions, and jumps between them.
//!
//! The assembler takes half a microsecond for an instruction, as it checks all of it. Codes repeat most instructions of others, so what was
//! encoded once is kept for the process.

use asmkit::AsmError;
use foldhash::fast::RandomState;
use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// What an instruction set encodes: an instruction with its operands, but for jumps.
pub(super) trait Instruction: Copy + Eq + Hash + 'static {
    /// What was encoded before.
    fn known() -> &'static Mutex<Known<Self>>;

    /// Has the assembler encode it.
    fn encode(&self) -> Result<Encoding, AsmError>;

    /// Fills in where a jump leads whose bytes end at `behind`.
    fn link(code: &mut [u8], behind: usize, target: usize) -> Result<(), AsmError>;
}

/// The bytes of an instruction; the longest that there is has 15.
#[derive(Clone, Copy)]
pub(super) struct Encoding {
    bytes: [u8; 15],
    length: u8,
}

impl Encoding {
    pub(super) fn of(code: &[u8]) -> Encoding {
        let mut bytes = [0; 15];
        bytes[..code.len()].copy_from_slice(code);
        Encoding { bytes, length: code.len() as u8 }
    }
}

pub(super) type Known<I> = HashMap<I, Encoding, RandomState>;

/// So many instructions are kept; then it begins anew.
const MOST_KNOWN: usize = 1 << 14;

/// A place in the code.
#[derive(Clone, Copy)]
pub(super) struct Label(usize);

pub(super) struct Encoder<I: Instruction> {
    bytes: Vec<u8>,
    known: MutexGuard<'static, Known<I>>,
    /// Where each label is, once that is known.
    labels: Vec<Option<usize>>,
    /// Behind each jump, and what it leads to.
    jumps: Vec<(usize, Label)>,
    error: Option<AsmError>,
}

impl<I: Instruction> Encoder<I> {
    pub(super) fn new() -> Encoder<I> {
        let known = I::known().lock().unwrap_or_else(PoisonError::into_inner);
        Encoder { bytes: Vec::with_capacity(1024), known, labels: Vec::new(), jumps: Vec::new(), error: None }
    }

    /// Bytes so far.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Adds an instruction.
    pub(super) fn instruction(&mut self, instruction: &I) {
        let encoding = match self.known.get(instruction) {
            Some(encoding) => *encoding,
            None => match instruction.encode() {
                Ok(encoding) => {
                    if self.known.len() >= MOST_KNOWN {
                        self.known.clear();
                    }
                    self.known.insert(*instruction, encoding);
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

    /// Adds an instruction that is encoded already.
    pub(super) fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Adds a jump, without where it leads.
    pub(super) fn jump_by(&mut self, bytes: &[u8], to: Label) {
        self.raw(bytes);
        self.jumps.push((self.bytes.len(), to));
    }

    pub(super) fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// The label is here.
    pub(super) fn bind(&mut self, label: Label) {
        self.labels[label.0] = Some(self.bytes.len());
    }

    /// The code, which is taken out.
    pub(super) fn finish(&mut self) -> Result<Vec<u8>, AsmError> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        for (behind, to) in self.jumps.drain(..) {
            let target = self.labels[to.0].expect("every label is bound");
            I::link(&mut self.bytes, behind, target)?;
        }
        Ok(std::mem::take(&mut self.bytes))
    }
}
