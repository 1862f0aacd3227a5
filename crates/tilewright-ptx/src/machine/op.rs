//! What the modifiers of an instruction say, and instructions as the machine carries them out.

use crate::{Type, module::Space};
use tilewright_numeric::Rounding;

/// What the rows of the table do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Add,
    AddC,
    Sub,
    SubC,
    Mul,
    MulWide,
    Mad,
    MadC,
    MadWide,
    Fma,
    Div,
    Rem,
    Abs,
    Neg,
    Min,
    Max,
    Sqrt,
    Rcp,
    Rsqrt,
    Ex2,
    Lg2,
    Sin,
    Cos,
    Tanh,
    Copysign,
    Testp,
    And,
    Or,
    Xor,
    Not,
    Cnot,
    PredAnd,
    PredOr,
    PredXor,
    PredNot,
    PredMov,
    Shl,
    Shr,
    Shf,
    Lop3,
    Prmt,
    Popc,
    Clz,
    Brev,
    Bfind,
    Bfe,
    Bfi,
    Sad,
    Dp4a,
    Setp,
    Set,
    Selp,
    Slct,
    Cvt,
    CvtPack,
    CvtPair,
    Mov,
    Cvta,
    Isspacep,
    Ld,
    St,
    Atom,
    Red,
    Nop,
    CpAsync,
    CpCommit,
    CpWait,
    CpWaitAll,
    Ldmatrix,
    Stmatrix,
    Mma,
    Bar,
    BarArrive,
    BarWarp,
    Shfl,
    Vote,
    Ballot,
    MatchAny,
    Activemask,
    Redux,
    Bra,
    Call,
    Ret,
    Exit,
    Trap,
    // What the decoder makes of others.
    /// Puts several narrow values into a wide one.
    Pack,
    /// The reverse.
    Unpack,
    /// Copies bytes of local memory: parameters of calls.
    CopyLocal,
    /// A special register that differs from read to read.
    Clock,
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compare {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Equ,
    Neu,
    Ltu,
    Leu,
    Gtu,
    Geu,
    Num,
    Nan,
}

/// What is combined with what memory or another lane has; also how `setp` combines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Combine {
    Add,
    Min,
    Max,
    Inc,
    Dec,
    And,
    Or,
    Xor,
    Exch,
    Cas,
}

/// The orders of accesses to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
}

/// Where a shuffle takes values from, or how a vote is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Up,
    Down,
    Bfly,
    Idx,
    All,
    Any,
    Uni,
}

/// What `testp` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Property {
    Finite,
    Infinite,
    Number,
    NotANumber,
    Normal,
    Subnormal,
}

/// What modifiers say; each has one meaning, whatever instruction has it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mods {
    pub(crate) types: [Option<Type>; 4],
    pub(crate) rounding: Option<Rounding>,
    /// Whether a float is rounded to an integer.
    pub(crate) integral: bool,
    pub(crate) approx: bool,
    pub(crate) ftz: bool,
    pub(crate) sat: bool,
    pub(crate) satfinite: bool,
    pub(crate) relu: bool,
    pub(crate) nan: bool,
    pub(crate) carry: bool,
    pub(crate) high: bool,
    pub(crate) left: bool,
    pub(crate) clamp: bool,
    pub(crate) shift_amount: bool,
    pub(crate) to: bool,
    pub(crate) trans: bool,
    pub(crate) compare: Option<Compare>,
    pub(crate) combine: Option<Combine>,
    pub(crate) order: Option<Order>,
    pub(crate) volatile: bool,
    pub(crate) mode: Option<Mode>,
    pub(crate) property: Option<Property>,
    pub(crate) prmt: Option<u8>,
    pub(crate) space: Option<Space>,
    /// Elements of a vector, matrices of `ldmatrix`.
    pub(crate) vector: u8,
    /// Rows, columns and depth of a product.
    pub(crate) shape: [u8; 3],
}

impl Mods {
    pub(crate) fn new(modifiers: &[&str]) -> Mods {
        let mut mods = Mods { vector: 1, ..Mods::default() };
        modifiers.iter().for_each(|modifier| mods.apply(modifier));
        mods
    }

    /// The n-th type of the name; rows make sure that it is there.
    pub(crate) fn ty(&self, index: usize) -> Type {
        self.types[index].unwrap_or(Type::B32)
    }

    pub(crate) fn rounding(&self) -> Rounding {
        self.rounding.unwrap_or_default()
    }

    fn apply(&mut self, modifier: &str) {
        if let Some(ty) = Type::from_name(modifier) {
            let free = self.types.iter().position(Option::is_none).unwrap_or(3);
            self.types[free] = Some(ty);
            return;
        }
        // Of two spaces, that of the destination comes first.
        if let Some(space) = Space::from_name(modifier) {
            self.space = self.space.or(Some(space));
            return;
        }
        let compare = match modifier {
            "eq" => Some(Compare::Eq),
            "ne" => Some(Compare::Ne),
            "lt" | "lo" => Some(Compare::Lt),
            "le" | "ls" => Some(Compare::Le),
            "gt" | "hi" => Some(Compare::Gt),
            "ge" | "hs" => Some(Compare::Ge),
            "equ" => Some(Compare::Equ),
            "neu" => Some(Compare::Neu),
            "ltu" => Some(Compare::Ltu),
            "leu" => Some(Compare::Leu),
            "gtu" => Some(Compare::Gtu),
            "geu" => Some(Compare::Geu),
            "num" => Some(Compare::Num),
            "nan" => Some(Compare::Nan),
            _ => None,
        };
        self.compare = compare.or(self.compare);
        let combine = match modifier {
            "add" => Some(Combine::Add),
            "min" => Some(Combine::Min),
            "max" => Some(Combine::Max),
            "inc" => Some(Combine::Inc),
            "dec" => Some(Combine::Dec),
            "and" => Some(Combine::And),
            "or" => Some(Combine::Or),
            "xor" => Some(Combine::Xor),
            "exch" => Some(Combine::Exch),
            "cas" => Some(Combine::Cas),
            _ => None,
        };
        self.combine = combine.or(self.combine);
        let mode = match modifier {
            "up" => Some(Mode::Up),
            "down" => Some(Mode::Down),
            "bfly" => Some(Mode::Bfly),
            "idx" => Some(Mode::Idx),
            "all" => Some(Mode::All),
            "any" => Some(Mode::Any),
            "uni" => Some(Mode::Uni),
            _ => None,
        };
        self.mode = mode.or(self.mode);
        match modifier {
            "rn" => self.rounding = Some(Rounding::NearestEven),
            "rz" => self.rounding = Some(Rounding::Zero),
            "rm" => self.rounding = Some(Rounding::NegativeInf),
            "rp" => self.rounding = Some(Rounding::PositiveInf),
            "rna" => self.rounding = Some(Rounding::NearestAway),
            "rni" => (self.rounding, self.integral) = (Some(Rounding::NearestEven), true),
            "rzi" => (self.rounding, self.integral) = (Some(Rounding::Zero), true),
            "rmi" => (self.rounding, self.integral) = (Some(Rounding::NegativeInf), true),
            "rpi" => (self.rounding, self.integral) = (Some(Rounding::PositiveInf), true),
            "approx" | "full" => self.approx = true,
            "ftz" => self.ftz = true,
            "sat" => self.sat = true,
            "satfinite" => self.satfinite = true,
            "relu" => self.relu = true,
            "NaN" => self.nan = true,
            "cc" => self.carry = true,
            "hi" => self.high = true,
            "l" => self.left = true,
            "clamp" => self.clamp = true,
            "shiftamt" => self.shift_amount = true,
            "to" => self.to = true,
            "trans" => self.trans = true,
            "volatile" => self.volatile = true,
            "relaxed" => self.order = Some(Order::Relaxed),
            "acquire" => self.order = Some(Order::Acquire),
            "release" => self.order = Some(Order::Release),
            "acq_rel" => self.order = Some(Order::AcqRel),
            "v2" | "x2" => self.vector = 2,
            "v4" | "x4" => self.vector = 4,
            "v8" => self.vector = 8,
            "f4e" => self.prmt = Some(0),
            "b4e" => self.prmt = Some(1),
            "rc8" => self.prmt = Some(2),
            "ecl" => self.prmt = Some(3),
            "ecr" => self.prmt = Some(4),
            "rc16" => self.prmt = Some(5),
            "finite" => self.property = Some(Property::Finite),
            "infinite" => self.property = Some(Property::Infinite),
            "number" => self.property = Some(Property::Number),
            "notanumber" => self.property = Some(Property::NotANumber),
            "normal" => self.property = Some(Property::Normal),
            "subnormal" => self.property = Some(Property::Subnormal),
            _ => self.apply_shape(modifier),
        }
    }

    /// `m16n8k32`
    fn apply_shape(&mut self, modifier: &str) {
        let numbers = modifier.strip_prefix('m').and_then(|rest| rest.split_once('n'));
        let Some((rows, rest)) = numbers else { return };
        let (columns, depth) = rest.split_once('k').unwrap_or((rest, "0"));
        if let (Ok(m), Ok(n), Ok(k)) = (rows.parse(), columns.parse(), depth.parse()) {
            self.shape = [m, n, k];
        }
    }
}

/// An instruction as the machine carries it out. Sources are registers, also where the text has constants: registers that hold them.
#[derive(Clone, Debug)]
pub(crate) struct Inst {
    pub(crate) kind: Kind,
    pub(crate) mods: Mods,
    /// The predicate that lanes need, and whether they need it to be false.
    pub(crate) guard: u32,
    pub(crate) negated: bool,
    /// Registers of operands in order; what operands there are is up to the kind.
    pub(crate) regs: [u32; 6],
    /// A constant: an offset, a number, where to go.
    pub(crate) imm: i64,
    pub(crate) imm2: i64,
    /// Whether a predicate operand counts as its opposite.
    pub(crate) inverted: bool,
    /// Bits of the register that takes the result.
    pub(crate) wide: u8,
    /// Several registers for one operand: vectors and fragments.
    pub(crate) lists: Box<[Box<[u32]>]>,
}
