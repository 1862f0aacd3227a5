//! Chains as they are run: instructions for a machine with one accumulator, a few vectors that each link hands to the next.

use super::{Binary, Half, Link, Op, Operand, Unary};

/// The logarithm of the elements of a group.
const LOG_GROUP: u32 = super::GROUP.ilog2();

/// A chain as it is run.
#[derive(Debug)]
pub(crate) struct Program {
    instructions: Vec<Instruction>,
    coded: Vec<Coded>,
    /// What lies at each place: floats of 16 bits, or else `f32`. Instructions name no others.
    places: Vec<Option<Half>>,
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
    /// Rounds it.
    Round(Half),
    /// Writes it to a place.
    Store(usize),
    /// Writes it to a place of floats of 16 bits, rounded.
    StoreHalf(Half, usize),
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
    pub(super) const ACCUMULATOR: u8 = KINDS * OP;
    pub(super) const ARRAY: u8 = KINDS * OP + 1;
    pub(super) const GROUP: u8 = KINDS * OP + 2;
    pub(super) const VECTOR: u8 = KINDS * OP + 3;
    pub(super) const F16: u8 = KINDS * OP + 4;
    pub(super) const BF16: u8 = KINDS * OP + 5;
    pub(super) const ROWS_OF_F16: u8 = KINDS * OP + 6;
    pub(super) const ROWS_OF_BF16: u8 = KINDS * OP + 7;
}

/// How many kinds of places there are.
const KINDS: u8 = 8;

/// What instructions do, as numbers. Operations of two operands have those of [`Binary`].
pub(super) mod code {
    use super::{Binary, KINDS, Unary};

    pub(in super::super) const LOAD: u8 = Binary::MinNan as u8 + 1;
    pub(in super::super) const TIMES_PLUS: u8 = LOAD + 1;
    pub(in super::super) const PLUS_PRODUCT: u8 = LOAD + 2;
    pub(in super::super) const TIMES_PRODUCT: u8 = LOAD + 3;
    /// Behind all that read an operand.
    pub(in super::super) const STORE: u8 = KINDS * (TIMES_PRODUCT + 1);
    pub(in super::super) const STORE_F16: u8 = STORE + 1;
    pub(in super::super) const STORE_BF16: u8 = STORE + 2;
    pub(in super::super) const ROUND_F16: u8 = STORE + 3;
    pub(in super::super) const ROUND_BF16: u8 = STORE + 4;
    /// The first of the operations of one number, in the order of [`Unary`].
    pub(in super::super) const FIRST_OF_ONE: u8 = ROUND_BF16 + 1;

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
    /// Floats of 16 bits side by side, from a place on.
    Halves(Half, usize),
    /// One float of 16 bits for each vector, that of the row.
    HalfPerRow(Half, usize, u32),
}

impl Program {
    /// Translates links. `places`: what lies at each, if that has 16 bits; `row`: how long the rows are that they fold.
    pub(crate) fn new(links: &[Link], places: Vec<Option<Half>>, row: Option<usize>) -> Program {
        let mut program = Program { instructions: Vec::with_capacity(2 * links.len()), coded: Vec::new(), places, row };
        // All vectors of a group lie in one row of this many elements, or of more.
        let together = row.map_or(LOG_GROUP, usize::ilog2);
        for (i, link) in links.iter().enumerate() {
            let operands = link.operands.map(|operand| program.operand(operand, together));
            match link.op {
                Op::Same => program.load(operands[0]),
                Op::Unary(op) => {
                    program.load(operands[0]);
                    program.instructions.push(Instruction::Unary(op));
                }
                Op::Binary(op) => program.push_binary(op, operands[0], operands[1]),
                Op::Fma => program.push_fused(operands),
                Op::TimesProduct => {
                    program.load(operands[0]);
                    program.instructions.push(Instruction::TimesProduct(operands[1], operands[2]));
                }
            }
            program.hand_on(link, links.get(i + 1).is_some_and(Link::takes_passed));
        }
        program.coded = program.instructions.iter().map(Coded::new).collect();
        program
    }

    /// Brings the result of a link where it is read. `passed`: by the next link.
    fn hand_on(&mut self, link: &Link, passed: bool) {
        if let Some(half) = link.rounded.filter(|_| passed || link.fold.is_some()) {
            self.instructions.push(Instruction::Round(half));
        }
        if let Some(place) = link.store {
            self.instructions.push(match self.places[place] {
                Some(half) => Instruction::StoreHalf(half, place),
                None => Instruction::Store(place),
            });
        }
        if let Some((op, place)) = link.fold {
            assert_eq!(self.places[place], None, "rows are folded to f32");
            self.instructions.push(Instruction::Fold(op, place));
        }
    }

    fn operand(&self, operand: Operand, together: u32) -> From {
        let half = |place: usize| self.places[place];
        match operand {
            Operand::Passed => From::Accumulator,
            Operand::Array(place) => half(place).map_or(From::Array(place), |half| From::Halves(half, place)),
            Operand::Splat(place) => self.per_row(place, usize::BITS - 1, together),
            Operand::PerRow(place, shift) => self.per_row(place, shift, together),
        }
    }

    fn per_row(&self, place: usize, shift: u32, together: u32) -> From {
        match self.places[place] {
            Some(half) => From::HalfPerRow(half, place, shift),
            None if shift >= together => From::Group(place, shift),
            None => From::Vector(place, shift),
        }
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
    pub(super) fn places(&self) -> &[Option<Half>] {
        &self.places
    }

    /// Whether there are floats of 16 bits among what it works on.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "no other CPU has chains"))]
    pub(super) fn has_halves(&self) -> bool {
        let rounds = |instruction: &Instruction| matches!(instruction, Instruction::Round(_));
        self.places.iter().any(Option::is_some) || self.instructions.iter().any(rounds)
    }

    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "no other CPU has chains"))]
    pub(super) fn row(&self) -> Option<usize> {
        self.row
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

    fn push_fused(&mut self, [x, y, z]: [From; 3]) {
        let passed = |from: From| from == From::Accumulator;
        if passed(z) && !passed(x) && !passed(y) {
            return self.instructions.push(Instruction::PlusProduct(x, y));
        }
        let (x, y) = if passed(y) { (y, x) } else { (x, y) };
        self.load(x);
        self.instructions.push(Instruction::TimesPlus(y, z));
    }
}

impl Coded {
    /// What lies where an instruction reads its first operand, if that has 16 bits, and whether it is one number for each row.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "no other CPU has chains"))]
    #[inline(always)]
    pub(super) fn half(&self) -> (Half, bool) {
        let kind = self.code % KINDS;
        (if kind % 2 == Reading::<0>::F16 % 2 { Half::F16 } else { Half::Bf16 }, kind >= Reading::<0>::ROWS_OF_F16)
    }

    fn new(instruction: &Instruction) -> Coded {
        let reading = |op: u8, first: From, second: From| {
            let (kind, place, shift) = first.parts();
            Coded { code: KINDS * op + kind, place, shift, second }
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
            Instruction::StoreHalf(Half::F16, place) => other(code::STORE_F16, place),
            Instruction::StoreHalf(Half::Bf16, place) => other(code::STORE_BF16, place),
            Instruction::Round(Half::F16) => other(code::ROUND_F16, 0),
            Instruction::Round(Half::Bf16) => other(code::ROUND_BF16, 0),
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
            From::Halves(Half::F16, place) => (4, place, 0),
            From::Halves(Half::Bf16, place) => (5, place, 0),
            From::HalfPerRow(Half::F16, place, shift) => (6, place, shift),
            From::HalfPerRow(Half::Bf16, place, shift) => (7, place, shift),
        }
    }
}
