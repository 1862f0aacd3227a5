//! Chains as they are run: instructions for a machine with one accumulator, a few vectors that each link hands to the next.

use super::{Binary, Link, Op, Operand, Unary};

/// The logarithm of the elements of a group.
const LOG_GROUP: u32 = super::GROUP.ilog2();

/// A chain as it is run.
#[derive(Debug)]
pub(crate) struct Program {
    instructions: Vec<Instruction>,
    coded: Vec<Coded>,
    /// How many places it names.
    places: usize,
    /// How long the rows are that it folds, if it folds any: a power of two, at least a group.
    row: Option<usize>,
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
    /// Writes it to a place.
    Store(usize),
    /// Halves it until one vector is left, which is written to a place.
    Fold(Binary, usize),
}

/// An instruction as it is carried out.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "no other CPU has chains"))]
pub(super) struct Coded {
    /// Says what is done, and where the first operand is read: one jump finds the code for both. See [`Reading`].
    pub(super) code: u8,
    /// The place and the shift of the first operand, or the place that is written.
    pub(super) place: usize,
    pub(super) shift: u32,
    /// The second operand, besides the accumulator.
    pub(super) second: From,
}

/// The codes of an instruction that reads an operand: one for each kind of place where that may be.
pub(super) struct Reading<const OP: u8>;

#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "no other CPU has chains"))]
impl<const OP: u8> Reading<OP> {
    pub(super) const ACCUMULATOR: u8 = 4 * OP;
    pub(super) const ARRAY: u8 = 4 * OP + 1;
    pub(super) const GROUP: u8 = 4 * OP + 2;
    pub(super) const VECTOR: u8 = 4 * OP + 3;
}

/// What instructions do, as numbers. Operations of two operands have those of [`Binary`].
pub(super) mod code {
    use super::{Binary, Unary};

    pub(in super::super) const LOAD: u8 = Binary::MinNan as u8 + 1;
    pub(in super::super) const TIMES_PLUS: u8 = LOAD + 1;
    pub(in super::super) const PLUS_PRODUCT: u8 = LOAD + 2;
    pub(in super::super) const TIMES_PRODUCT: u8 = LOAD + 3;
    /// Behind all that read an operand.
    pub(in super::super) const STORE: u8 = 4 * (TIMES_PRODUCT + 1);
    /// The first of the operations of one number, in the order of [`Unary`].
    pub(in super::super) const FIRST_OF_ONE: u8 = STORE + 1;

    /// The first of the folds, in the order of [`Binary`].
    pub(in super::super) const FIRST_FOLD: u8 = FIRST_OF_ONE + Unary::Tanh as u8 + 1;

    pub(in super::super) struct OfOne<const UNARY: u8>;

    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "no other CPU has chains"))]
    impl<const UNARY: u8> OfOne<UNARY> {
        pub(in super::super) const CODE: u8 = FIRST_OF_ONE + UNARY;
    }

    pub(in super::super) struct Fold<const BINARY: u8>;

    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "no other CPU has chains"))]
    impl<const BINARY: u8> Fold<BINARY> {
        pub(in super::super) const CODE: u8 = FIRST_FOLD + BINARY;
    }
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
    /// Translates links. `row`: how long the rows are that they fold.
    pub(crate) fn new(links: &[Link], row: Option<usize>) -> Program {
        let mut program = Program { instructions: Vec::with_capacity(2 * links.len()), coded: Vec::new(), places: 0, row };
        // All vectors of a group lie in one row of this many elements, or of more.
        let together = row.map_or(LOG_GROUP, usize::ilog2);
        for link in links {
            let operands = link.operands.map(|operand| From::of(operand, together));
            match link.op {
                Op::Unary(op) => {
                    program.load(operands[0]);
                    program.push(Instruction::Unary(op));
                }
                Op::Binary(op) => program.push_binary(op, operands[0], operands[1]),
                Op::Fma => program.push_fused(operands),
                Op::TimesProduct => {
                    program.load(operands[0]);
                    program.push(Instruction::TimesProduct(operands[1], operands[2]));
                }
            }
            if let Some(place) = link.store {
                program.push(Instruction::Store(place));
            }
            if let Some((op, place)) = link.fold {
                program.push(Instruction::Fold(op, place));
            }
        }
        program.coded = program.instructions.iter().map(Coded::new).collect();
        program
    }

    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "no other CPU has chains"))]
    pub(super) fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }

    /// The instructions as they are carried out.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "no other CPU has chains"))]
    pub(super) fn coded(&self) -> &[Coded] {
        &self.coded
    }

    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "no other CPU has chains"))]
    pub(super) fn places(&self) -> usize {
        self.places
    }

    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "no other CPU has chains"))]
    pub(super) fn row(&self) -> Option<usize> {
        self.row
    }

    fn push(&mut self, instruction: Instruction) {
        let place = |from: From| (from != From::Accumulator).then(|| from.parts().1);
        let named = match instruction {
            Instruction::Unary(_) => [None; 2],
            Instruction::Load(from) | Instruction::Binary(_, from) => [place(from), None],
            Instruction::TimesPlus(a, b) | Instruction::PlusProduct(a, b) | Instruction::TimesProduct(a, b) => [place(a), place(b)],
            Instruction::Store(place) | Instruction::Fold(_, place) => [Some(place), None],
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

impl Coded {
    fn new(instruction: &Instruction) -> Coded {
        let reading = |op: u8, first: From, second: From| {
            let (kind, place, shift) = first.parts();
            Coded { code: 4 * op + kind, place, shift, second }
        };
        let other = |code: u8, place: usize| Coded { code, place, shift: 0, second: From::Accumulator };
        match *instruction {
            Instruction::Load(from) => reading(code::LOAD, from, From::Accumulator),
            Instruction::Binary(op, from) => reading(op as u8, from, From::Accumulator),
            Instruction::TimesPlus(y, z) => reading(code::TIMES_PLUS, y, z),
            Instruction::PlusProduct(y, z) => reading(code::PLUS_PRODUCT, y, z),
            Instruction::TimesProduct(y, z) => reading(code::TIMES_PRODUCT, y, z),
            Instruction::Unary(op) => other(code::FIRST_OF_ONE + op as u8, 0),
            Instruction::Store(place) => other(code::STORE, place),
            Instruction::Fold(op, place) => other(code::FIRST_FOLD + op as u8, place),
        }
    }
}

impl From {
    /// Which kind it is, in the order of [`Reading`], its place and its shift.
    fn parts(self) -> (u8, usize, u32) {
        match self {
            From::Accumulator => (0, 0, 0),
            From::Array(place) => (1, place, 0),
            From::Group(place, shift) => (2, place, shift),
            From::Vector(place, shift) => (3, place, shift),
        }
    }

    fn of(operand: Operand, together: u32) -> From {
        match operand {
            Operand::Passed => From::Accumulator,
            Operand::Array(place) => From::Array(place),
            Operand::Splat(place) => From::Group(place, usize::BITS - 1),
            Operand::PerRow(place, shift) if shift >= together => From::Group(place, shift),
            Operand::PerRow(place, shift) => From::Vector(place, shift),
        }
    }
}
