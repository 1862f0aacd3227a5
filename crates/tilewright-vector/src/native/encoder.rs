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

/// So many bytes into the code, or into what is set aside and goes behind it.
#[derive(Clone, Copy)]
pub(super) struct Position {
    is_aside: bool,
    bytes: usize,
}

pub(super) struct Encoder<I: Instruction> {
    bytes: Vec<u8>,
    /// What is rarely run: it goes behind the rest.
    aside: Vec<u8>,
    is_aside: bool,
    known: MutexGuard<'static, Known<I>>,
    /// Where each label is, once that is known.
    labels: Vec<Option<Position>>,
    /// Behind each jump, and what it leads to.
    jumps: Vec<(Position, Label)>,
    error: Option<AsmError>,
}

/// Code that is complete.
pub(super) struct Finished {
    pub(super) bytes: Vec<u8>,
    /// Where what was set aside begins.
    aside: usize,
}

impl Finished {
    /// Bytes from the beginning to a position.
    pub(super) fn place(&self, position: Position) -> usize {
        position.bytes + if position.is_aside { self.aside } else { 0 }
    }
}

impl<I: Instruction> Encoder<I> {
    pub(super) fn new() -> Encoder<I> {
        let known = I::known().lock().unwrap_or_else(PoisonError::into_inner);
        let (bytes, aside) = (Vec::with_capacity(1024), Vec::new());
        Encoder { bytes, aside, is_aside: false, known, labels: Vec::new(), jumps: Vec::new(), error: None }
    }

    /// Where the next instruction goes.
    pub(super) fn position(&self) -> Position {
        let bytes = if self.is_aside { &self.aside } else { &self.bytes };
        Position { is_aside: self.is_aside, bytes: bytes.len() }
    }

    /// Whether what follows is set aside.
    pub(super) fn is_aside(&self) -> bool {
        self.is_aside
    }

    /// Has what follows set aside, or not any more.
    pub(super) fn set_aside(&mut self, is_aside: bool) {
        self.is_aside = is_aside;
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
        self.raw(&encoding.bytes[..encoding.length.into()]);
    }

    /// Adds an instruction that is encoded already.
    pub(super) fn raw(&mut self, bytes: &[u8]) {
        let code = if self.is_aside { &mut self.aside } else { &mut self.bytes };
        code.extend_from_slice(bytes);
    }

    /// Adds a jump, without where it leads.
    pub(super) fn jump_by(&mut self, bytes: &[u8], to: Label) {
        self.raw(bytes);
        self.jumps.push((self.position(), to));
    }

    pub(super) fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// The label is here.
    pub(super) fn bind(&mut self, label: Label) {
        self.labels[label.0] = Some(self.position());
    }

    /// The code, which is taken out.
    pub(super) fn finish(&mut self) -> Result<Finished, AsmError> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        let aside = self.bytes.len();
        let mut code = Finished { bytes: std::mem::take(&mut self.bytes), aside };
        code.bytes.append(&mut self.aside);
        for (behind, to) in self.jumps.drain(..) {
            let (behind, target) = (code.place(behind), code.place(self.labels[to.0].expect("every label is bound")));
            I::link(&mut code.bytes, behind, target)?;
        }
        Ok(code)
    }
}
