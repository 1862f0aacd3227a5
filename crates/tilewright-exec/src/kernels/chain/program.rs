//! Chains as they are run: instructions for a machine with one accumulator, a few vectors that each link hands to the next.

use super::{Binary, Link, Op, Operand, Unary};

/// The logarithm of the elements of a group. Of rows that are at least as long, all vectors of a group have the same number.
const LOG_GROUP: u32 = super::GROUP.ilog2();

/// A chain as it is run.
#[derive(Debug)]
pub(crate) struct Program {
    instructions: Vec<Instruction>,
    /// How many places it names.
    places: usize,
}

/// What is done with the accumulator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Instruction {
    /// Replaces it.
    Load(From),
    /// An operation of one number.
    Unary(Unary),
    /// Combines it, as the first operand, with another one.
    Binary(Binary, From),
    /// Adds the second operand to the product with the first, rounded once.
    TimesPlus(From, From),
    /// Adds the product of two operands, rounded once.
    PlusProduct(From, From),
    /// Writes it to a place.
    Store(usize),
}

/// Where an operand comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum From {
    Accumulator,
    /// Numbers side by side, from a place on.
    Array(usize),
    /// One number for all vectors of a group: that of the row, which has 2 to the power of the second number elements.
    Group(usize, u32),
    /// One number for each vector, in the same way.
    Vector(usize, u32),
}

impl Program {
    /// Translates links.
    pub(crate) fn new(links: &[Link]) -> Program {
        let mut program = Program { instructions: Vec::with_capacity(2 * links.len()), places: 0 };
        for link in links {
            let operands = link.operands.map(From::of);
            match link.op {
                Op::Unary(op) => {
                    program.load(operands[0]);
                    program.push(Instruction::Unary(op));
                }
                Op::Binary(op) => program.push_binary(op, operands[0], operands[1]),
                Op::Fma => program.push_fused(operands),
            }
            if let Some(place) = link.store {
                program.push(Instruction::Store(place));
            }
        }
        program
    }

    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "no other CPU has chains"))]
    pub(super) fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }

    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "no other CPU has chains"))]
    pub(super) fn places(&self) -> usize {
        self.places
    }

    fn push(&mut self, instruction: Instruction) {
        let place = |from: From| match from {
            From::Accumulator => None,
            From::Array(place) | From::Group(place, _) | From::Vector(place, _) => Some(place),
        };
        let named = match instruction {
            Instruction::Unary(_) => [None; 2],
            Instruction::Load(from) | Instruction::Binary(_, from) => [place(from), None],
            Instruction::TimesPlus(a, b) | Instruction::PlusProduct(a, b) => [place(a), place(b)],
            Instruction::Store(place) => [Some(place), None],
        };
        self.places = named.into_iter().flatten().fold(self.places, |count, place| count.max(place + 1));
        self.instructions.push(instruction);
    }

    /// Brings an operand to the accumulator.
    fn load(&mut self, from: From) {
        if from != From::Accumulator {
            self.push(Instruction::Load(from));
        }
    }

    fn push_binary(&mut self, op: Binary, x: From, y: From) {
        if y == From::Accumulator && x != From::Accumulator {
            return self.push(Instruction::Binary(op.swapped(), x));
        }
        self.load(x);
        self.push(Instruction::Binary(op, y));
    }

    fn push_fused(&mut self, [x, y, z]: [From; 3]) {
        let passed = |from: From| from == From::Accumulator;
        if passed(z) && !passed(x) && !passed(y) {
            return self.push(Instruction::PlusProduct(x, y));
        }
        let (x, y) = if passed(y) { (y, x) } else { (x, y) };
        self.load(x);
        self.push(Instruction::TimesPlus(y, z));
    }
}

impl From {
    fn of(operand: Operand) -> From {
        match operand {
            Operand::Passed => From::Accumulator,
            Operand::Array(place) => From::Array(place),
            Operand::Splat(place) => From::Group(place, usize::BITS - 1),
            Operand::PerRow(place, shift) if shift >= LOG_GROUP => From::Group(place, shift),
            Operand::PerRow(place, shift) => From::Vector(place, shift),
        }
    }
}
