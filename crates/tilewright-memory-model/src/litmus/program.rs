//! What a litmus test says: blocks of accesses on named locations, and what is expected of it.

use super::condition::Condition;
use crate::{
    access::Strength,
    enumerate::{Program, Replay},
    execution::Operation,
};
use tilewright_ir::AtomicRMWMode as Mode;

/// A litmus test.
#[derive(Clone, PartialEq, Debug)]
pub struct Litmus {
    /// Its name.
    pub name: String,
    /// The names of the locations.
    pub locations: Vec<String>,
    /// The initial value of each location.
    pub initial: Vec<i32>,
    /// The blocks, by number.
    pub blocks: Vec<Block>,
    /// Locations whose final values are part of an outcome.
    pub observed: Vec<usize>,
    /// What is expected.
    pub expectations: Vec<Expectation>,
}

/// A tile block of a litmus test.
#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    /// The device that it runs on.
    pub device: u32,
    /// The names of its values, without `%`, as they are first defined.
    pub values: Vec<String>,
    /// The names of its tokens, without `%`.
    pub tokens: Vec<String>,
    /// The values that an outcome has: those that accesses and atomics give.
    pub observed: Vec<usize>,
    /// What it does.
    pub body: Vec<Statement>,
}

/// A statement.
#[derive(Clone, PartialEq, Debug)]
pub enum Statement {
    /// An access.
    Access(Access),
    /// `%t = join_tokens %a, %b`, or `%t = make_token` with none.
    Join {
        /// The token that it defines.
        token: usize,
        /// What it waits for.
        of: Vec<usize>,
    },
    /// `%v = addi %a, 1` and the like.
    Let {
        /// The value that it defines.
        value: usize,
        /// What it computes.
        operation: Arithmetic,
        /// From what.
        operands: [Operand; 2],
    },
    /// `if %a == 1 { ... } else { ... }`
    If {
        /// What is compared.
        operands: [Operand; 2],
        /// Whether equal operands lead to `then`.
        equal: bool,
        /// What happens then.
        then: Vec<Statement>,
        /// What happens otherwise.
        otherwise: Vec<Statement>,
    },
}

/// An access or an atomic.
#[derive(Clone, PartialEq, Debug)]
pub struct Access {
    /// The line of the file, from 1.
    pub line: usize,
    /// What it does.
    pub kind: AccessKind,
    /// Ordering and scope.
    pub strength: Strength,
    /// Where.
    pub location: usize,
    /// The value that it defines: what it read.
    pub result: Option<usize>,
    /// The token that it defines.
    pub token: Option<usize>,
    /// The token that it waits for.
    pub waits_for: Option<usize>,
}

/// What an access does.
#[derive(Clone, PartialEq, Debug)]
pub enum AccessKind {
    /// `load_ptr_tko`
    Load,
    /// `store_ptr_tko`
    Store(Operand),
    /// `atomic_rmw_tko`
    Update(Mode, Operand),
    /// `atomic_cas_tko`: what is compared with, and what is stored.
    CompareAndSwap(Operand, Operand),
}

/// A number, or a value of the block.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Operand {
    /// A number.
    Number(i32),
    /// A value, by its position in [`Block::values`].
    Value(usize),
}

/// Arithmetic on `i32`, wrapping.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arithmetic {
    /// `addi`
    Add,
    /// `subi`
    Sub,
    /// `muli`
    Mul,
    /// `andi`
    And,
    /// `ori`
    Or,
    /// `xori`
    Xor,
}

impl Arithmetic {
    /// Each with the name of the operation.
    pub const ALL: [(&str, Arithmetic); 6] = [
        ("addi", Arithmetic::Add),
        ("subi", Arithmetic::Sub),
        ("muli", Arithmetic::Mul),
        ("andi", Arithmetic::And),
        ("ori", Arithmetic::Or),
        ("xori", Arithmetic::Xor),
    ];

    /// What it gives.
    pub fn apply(self, a: i32, b: i32) -> i32 {
        match self {
            Arithmetic::Add => a.wrapping_add(b),
            Arithmetic::Sub => a.wrapping_sub(b),
            Arithmetic::Mul => a.wrapping_mul(b),
            Arithmetic::And => a & b,
            Arithmetic::Or => a | b,
            Arithmetic::Xor => a ^ b,
        }
    }
}

/// What is expected of a test.
#[derive(Clone, PartialEq, Debug)]
pub enum Expectation {
    /// Some execution ends like this.
    Allowed(Condition),
    /// No execution ends like this.
    Forbidden(Condition),
    /// The outcomes are exactly those that fulfil one of these conditions, each of which is fulfilled.
    Outcomes(Vec<Condition>),
    /// Whether there is a data race.
    Race(bool),
}

/// What a location holds after an atomic, if it held `old`.
pub fn updated(mode: Mode, old: i32, operand: i32) -> i32 {
    match mode {
        Mode::And => old & operand,
        Mode::Or => old | operand,
        Mode::Xor => old ^ operand,
        Mode::Add => old.wrapping_add(operand),
        Mode::Max => old.max(operand),
        Mode::Min => old.min(operand),
        Mode::Umax => (old as u32).max(operand as u32) as i32,
        Mode::Umin => (old as u32).min(operand as u32) as i32,
        // The parser refuses additions of floats: locations are i32.
        Mode::Xchg | Mode::Addf => operand,
    }
}

/// Values of locations as the enumeration keeps them.
pub(crate) fn bits(value: i32) -> u64 {
    u64::from(value as u32)
}

pub(crate) fn number(bits: u64) -> i32 {
    bits as u32 as i32
}

impl Program for Litmus {
    fn initial(&self) -> Vec<u64> {
        self.initial.iter().map(|value| bits(*value)).collect()
    }

    fn devices(&self) -> Vec<u32> {
        self.blocks.iter().map(|block| block.device).collect()
    }

    fn replay(&self, block: usize, values: &[u64]) -> Result<Replay, String> {
        let block = &self.blocks[block];
        let mut run = Run {
            reads: values,
            read: 0,
            values: vec![0; block.values.len()],
            tokens: vec![0; block.tokens.len()],
            operations: Vec::new(),
            next_read: None,
        };
        run.run(&block.body);
        if run.operations.len() > 64 {
            return Err("a block makes more than 64 accesses".to_owned());
        }
        let observed = block.observed.iter().map(|value| bits(run.values[*value])).collect();
        Ok(Replay { operations: run.operations, next_read: run.next_read, observed, cut: false })
    }
}

/// A block that runs on chosen values.
struct Run<'a> {
    reads: &'a [u64],
    read: usize,
    values: Vec<i32>,
    /// For each token, the operations that it stands behind.
    tokens: Vec<u64>,
    operations: Vec<Operation>,
    next_read: Option<(usize, usize)>,
}

impl Run<'_> {
    fn run(&mut self, body: &[Statement]) {
        for statement in body {
            match statement {
                Statement::Access(access) => self.access(access),
                Statement::Join { token, of } => self.tokens[*token] = of.iter().fold(0, |all, token| all | self.tokens[*token]),
                Statement::Let { value, operation, operands: [a, b] } => {
                    self.values[*value] = operation.apply(self.operand(*a), self.operand(*b));
                }
                Statement::If { operands: [a, b], equal, then, otherwise } => {
                    let taken = (self.operand(*a) == self.operand(*b)) == *equal;
                    self.run(if taken { then } else { otherwise });
                }
            }
            if self.next_read.is_some() {
                return;
            }
        }
    }

    fn operand(&self, operand: Operand) -> i32 {
        match operand {
            Operand::Number(number) => number,
            Operand::Value(value) => self.values[value],
        }
    }

    fn access(&mut self, access: &Access) {
        let reads = !matches!(access.kind, AccessKind::Store(_));
        let read = match self.reads.get(self.read) {
            _ if !reads => None,
            Some(value) => Some(*value),
            None => {
                self.next_read = Some((access.line, access.location));
                return;
            }
        };
        self.read += usize::from(reads);
        let old = number(read.unwrap_or(0));
        let write = match &access.kind {
            AccessKind::Load => None,
            AccessKind::Store(value) => Some(self.operand(*value)),
            AccessKind::Update(mode, value) => Some(updated(*mode, old, self.operand(*value))),
            AccessKind::CompareAndSwap(compare, value) => (old == self.operand(*compare)).then(|| self.operand(*value)),
        };
        let waits_for = access.waits_for.map_or(0, |token| self.tokens[token]);
        if let Some(token) = access.token {
            self.tokens[token] = waits_for | 1u64.checked_shl(self.operations.len() as u32).unwrap_or(0);
        }
        if let Some(result) = access.result {
            self.values[result] = old;
        }
        let (site, location, strength) = (access.line, access.location, access.strength);
        self.operations.push(Operation { site, location, strength, read, write: write.map(bits), waits_for });
    }
}
