//! Chains as they are run: instructions for a machine with one accumulator, a few vectors that each link hands to the next.

use super::{Binary, Half, Link, Op, Operand, Unary};

/// The logarithm of the elements of a group.
const LOG_GROUP: u32 = super::GROUP.ilog2();

/// A chain as it is run.
#[derive(Debug)]
pub(crate) struct Program {
    instructions: Vec<Instruction>,
    /// What lies at each place: floats of 16 bits, or else `f32`. Instructions name no others.
    places: Vec<Option<Half>>,
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
    /// Multiplies it with the product of two operands, rounded before.
    TimesProduct(From, From),
    /// Rounds it.
    Round(Half),
    /// Writes it to a place.
    Store(usize),
    /// Writes it to a place of floats of 16 bits, rounded.
    StoreHalf(Half, usize),
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
    /// Floats of 16 bits side by side, from a place on.
    Halves(Half, usize),
    /// One float of 16 bits for each vector, that of the row.
    HalfPerRow(Half, usize, u32),
}

impl Program {
    /// Translates links. `places`: what lies at each, if that has 16 bits.
    pub(crate) fn new(links: &[Link], places: Vec<Option<Half>>) -> Program {
        let mut program = Program { instructions: Vec::with_capacity(2 * links.len()), places };
        for (i, link) in links.iter().enumerate() {
            let operands = link.operands.map(|operand| program.operand(operand));
            match link.op {
                Op::Same => program.load(operands[0]),
                Op::Unary(op) => {
                    program.load(operands[0]);
                    program.instructions.push(Instruction::Unary(op));
                }
                Op::Binary(op) => program.push_binary(op, operands[0], operands[1]),
                Op::Fma => program.push_fused(operands, Instruction::TimesPlus, Instruction::PlusProduct),
                Op::TimesProduct => {
                    program.load(operands[0]);
                    program.instructions.push(Instruction::TimesProduct(operands[1], operands[2]));
                }
            }
            program.hand_on(link, links.get(i + 1).is_some_and(Link::takes_passed));
        }
        program
    }

    /// Brings the result of a link where it is read. `passed`: by the next link.
    fn hand_on(&mut self, link: &Link, passed: bool) {
        if let Some(half) = link.rounded.filter(|_| passed) {
            self.instructions.push(Instruction::Round(half));
        }
        if let Some(place) = link.store {
            self.instructions.push(match self.places[place] {
                Some(half) => Instruction::StoreHalf(half, place),
                None => Instruction::Store(place),
            });
        }
    }

    fn operand(&self, operand: Operand) -> From {
        let half = |place: usize| self.places[place];
        match operand {
            Operand::Passed => From::Accumulator,
            Operand::Array(place) => half(place).map_or(From::Array(place), |half| From::Halves(half, place)),
            Operand::Splat(place) => self.per_row(place, usize::BITS - 1),
            Operand::PerRow(place, shift) => self.per_row(place, shift),
        }
    }

    fn per_row(&self, place: usize, shift: u32) -> From {
        match self.places[place] {
            Some(half) => From::HalfPerRow(half, place, shift),
            None if shift >= LOG_GROUP => From::Group(place, shift),
            None => From::Vector(place, shift),
        }
    }

    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "no other CPU has chains"))]
    pub(super) fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }

    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "no other CPU has chains"))]
    pub(super) fn places(&self) -> &[Option<Half>] {
        &self.places
    }

    /// Brings an operand to the accumulator.
    fn load(&mut self, from: From) {
        if from != From::Accumulator {
            self.instructions.push(Instruction::Load(from));
        }
    }

    fn push_binary(&mut self, op: Binary, x: From, y: From) {
        if y == From::Accumulator && x != From::Accumulator {
            return self.instructions.push(Instruction::Binary(op.swapped(), x));
        }
        self.load(x);
        self.instructions.push(Instruction::Binary(op, y));
    }

    fn push_fused(&mut self, [x, y, z]: [From; 3], times_plus: fn(From, From) -> Instruction, plus_product: fn(From, From) -> Instruction) {
        let passed = |from: From| from == From::Accumulator;
        if passed(z) && !passed(x) && !passed(y) {
            return self.instructions.push(plus_product(x, y));
        }
        let (x, y) = if passed(y) { (y, x) } else { (x, y) };
        self.load(x);
        self.instructions.push(times_plus(y, z));
    }
}
