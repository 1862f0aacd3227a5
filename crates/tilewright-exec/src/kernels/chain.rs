//! Chains: elementwise steps of `f32` that hand their results on in registers of the CPU.
//!
//! A kernel reads its operands from the cache and writes its result there, which takes longer than a sum or a product. A chain does all its
//! steps on a few vectors before it goes on to the next, and the result of a step stays in registers for the one that follows. Each
//! operation is that of its kernel: the same bits.
//!
//! Floats of 16 bits are widened where they are read, and are `f32` in registers of the CPU. What a step makes of them is computed in `f32`,
//! as their kernels do, and rounded before the next step has it.
//!
//! A chain may also begin to reduce the rows that it computes: it takes its vectors an eighth of a row apart, and has what the first three
//! halvings of a reduction combine in registers at the same time.
#[cfg(target_arch = "x86_64")]
mod at;
#[cfg(target_arch = "x86_64")]
mod four;
#[cfg(target_arch = "x86_64")]
mod pairs;
mod program;
#[cfg(target_arch = "x86_64")]
mod steps;
#[cfg(target_arch = "x86_64")]
mod streamed;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod vectors;

pub(crate) use program::Program;

#[cfg(target_arch = "x86_64")]
use super::lanes;
use super::{ElemOp, Imm, ahead::Ahead};
use crate::{cpu::Level, elem::Elem};
use std::fmt::Debug;
use tilewright_ir::{RoundingMode, Scalar};

/// Chains work on multiples of so many elements.
pub(crate) const GROUP: usize = 128;

/// Rows of which a chain reads one number each are not shorter: as long as the longest vector.
pub(crate) const SHORTEST_ROW: usize = 16;

/// A chain for the vectors of a CPU.
pub(crate) trait Code: Debug + Send + Sync {
    /// Runs it.
    ///
    /// # Safety
    /// `n` is a multiple of [`GROUP`]. Each place that a link names is valid for `n` numbers of
    /// `f32`, or of the 16 bits that the program was told, initialised and aligned to their size, or for one where links only read it as a
    /// splat, or for one a row. Places that are written overlap others only element by element; what is streamed is not read.
    #[expect(unsafe_code, reason = "whoever runs a chain answers for what it works on")]
    unsafe fn run(&self, chain: Run<'_>, ahead: &mut Ahead);
}

/// What a chain works on.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "no other CPU has chains"))]
pub(crate) struct Run<'a> {
    /// Where links read and write: as many places as the program names.
    pub(crate) places: &'a [*mut f32],
    /// The place whose numbers go past the caches, if there is one.
    pub(crate) streamed: Option<usize>,
    /// How many elements there are.
    pub(crate) n: usize,
}

/// Where a link reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operand {
    /// The result of the link before.
    Passed,
    /// Numbers side by side, from a place on.
    Array(usize),
    /// The one number at a place.
    Splat(usize),
    /// Numbers side by side, from a place on: each for a row of as many elements as 2 to the power of the second number, at least
    /// [`SHORTEST_ROW`].
    PerRow(usize, u32),
}

/// A float of 16 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Half {
    F16,
    Bf16,
}

impl Half {
    /// The float of 16 bits that elements are, if they are.
    pub(crate) fn of(elem: Elem) -> Option<Half> {
        match elem {
            Elem::Num(Scalar::F16) => Some(Half::F16),
            Elem::Num(Scalar::Bf16) => Some(Half::Bf16),
            _ => None,
        }
    }
}

/// An operation of a chain, by how many operands it has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Op {
    /// The operand itself.
    Same,
    Unary(Unary),
    Binary(Binary),
    /// The product of the first two and the third, rounded once.
    Fma,
    /// The product of the first one, and of that of the others.
    TimesProduct,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unary {
    Neg,
    Abs,
    Sqrt,
    Exp,
    Exp2,
    Tanh,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Binary {
    Add,
    Sub,
    /// The second operand less the first.
    SubFrom,
    Mul,
    Div,
    /// The second operand divided by the first.
    DivInto,
    /// The larger one that is a number.
    Max,
    /// NaN if one is NaN.
    MaxNan,
    Min,
    MinNan,
}

impl Binary {
    /// The operation that gives the same with its operands in the other order.
    fn swapped(self) -> Binary {
        match self {
            Binary::Sub => Binary::SubFrom,
            Binary::SubFrom => Binary::Sub,
            Binary::Div => Binary::DivInto,
            Binary::DivInto => Binary::Div,
            Binary::Add | Binary::Mul | Binary::Max | Binary::MaxNan | Binary::Min | Binary::MinNan => self,
        }
    }
}

/// A step of a chain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    pub(crate) op: Op,
    /// As many as the operation has; the others are not read.
    pub(crate) operands: [Operand; 3],
    /// What the result is rounded to.
    pub(crate) rounded: Option<Half>,
    /// The place that gets the result, if more than the next link reads it.
    pub(crate) store: Option<usize>,
}

impl Link {
    /// Whether it reads the result of the link before.
    fn takes_passed(&self) -> bool {
        let count = match self.op {
            Op::Same | Op::Unary(_) => 1,
            Op::Binary(_) => 2,
            Op::Fma | Op::TimesProduct => 3,
        };
        self.operands[..count].contains(&Operand::Passed)
    }
}

/// What a kernel does, as a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Form {
    pub(crate) op: Op,
    /// What the operands have, if that is 16 bits: all have the same.
    pub(crate) from: Option<Half>,
    /// What the result has, if that is 16 bits.
    pub(crate) to: Option<Half>,
    /// Whether the operation gives other numbers than the result can have.
    rounds: bool,
}

impl Form {
    /// What the result must be rounded to.
    pub(crate) fn rounded(self) -> Option<Half> {
        self.to.filter(|_| self.rounds)
    }

    /// Whether it computes in 16 bits, which kernels take long for.
    pub(crate) fn computes_in_halves(self) -> bool {
        self.op != Op::Same && self.to.is_some()
    }
}

const F32: Elem = Elem::Num(Scalar::F32);

/// What a kernel does, if it can be part of a chain.
pub(crate) fn form(imm: &Imm) -> Option<Form> {
    let half_or_f32 = |elem: Elem| elem == F32 || Half::of(elem).is_some();
    if !half_or_f32(imm.srcs[0]) || !half_or_f32(imm.dst) {
        return None;
    }
    let (from, to) = (Half::of(imm.srcs[0]), Half::of(imm.dst));
    if let ElemOp::FToF(mode) = imm.op {
        // Widening is exact in every mode.
        let fits = mode == RoundingMode::NearestEven || to.is_none();
        return fits.then_some(Form { op: Op::Same, from, to, rounds: from != to });
    }
    let op = arithmetic(imm.op).filter(|_| imm.srcs == [imm.dst; 3])?;
    let is_exact = matches!(op, Op::Binary(Binary::Max | Binary::MaxNan | Binary::Min | Binary::MinNan));
    // All bits of a NaN count where only its sign may change. Multiply-adds of 16 bits are faster as vector code.
    let fits = to.is_none() || !matches!(op, Op::Fma | Op::Unary(Unary::Neg | Unary::Abs));
    fits.then_some(Form { op, from, to, rounds: !is_exact })
}

fn arithmetic(op: ElemOp) -> Option<Op> {
    const RN: RoundingMode = RoundingMode::NearestEven;
    Some(match op {
        ElemOp::AddF(RN, false) => Op::Binary(Binary::Add),
        ElemOp::SubF(RN, false) => Op::Binary(Binary::Sub),
        ElemOp::MulF(RN, false) => Op::Binary(Binary::Mul),
        ElemOp::DivF(RN | RoundingMode::Full, false) => Op::Binary(Binary::Div),
        ElemOp::Fma(RN, false) => Op::Fma,
        ElemOp::MaxF { propagate_nan: false, ftz: false } => Op::Binary(Binary::Max),
        ElemOp::MaxF { propagate_nan: true, ftz: false } => Op::Binary(Binary::MaxNan),
        ElemOp::MinF { propagate_nan: false, ftz: false } => Op::Binary(Binary::Min),
        ElemOp::MinF { propagate_nan: true, ftz: false } => Op::Binary(Binary::MinNan),
        ElemOp::NegF => Op::Unary(Unary::Neg),
        ElemOp::AbsF => Op::Unary(Unary::Abs),
        ElemOp::Sqrt(RN, false) => Op::Unary(Unary::Sqrt),
        ElemOp::Exp => Op::Unary(Unary::Exp),
        ElemOp::Exp2(false) => Op::Unary(Unary::Exp2),
        ElemOp::Tanh => Op::Unary(Unary::Tanh),
        _ => return None,
    })
}

/// Whether CPUs of this level have vectors for chains.
pub(crate) fn exist(level: Level) -> bool {
    matches!(level, Level::Avx512 | Level::Avx2)
}

/// A program for CPUs of this level, if they have vectors for it.
///
/// What calls it answers for this CPU being one.
pub(crate) fn compile(level: Level, program: Program) -> Option<Box<dyn Code>> {
    #[cfg(not(target_arch = "x86_64"))]
    let _ = program;
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => Some(Box::new(vectors::Steps::<lanes::Sixteen>::new(program))),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => Some(Box::new(vectors::Steps::<lanes::Eight>::new(program))),
        _ => None,
    }
}
