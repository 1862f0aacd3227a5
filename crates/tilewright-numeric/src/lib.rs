//! Number formats, rounding, conversions and scalar arithmetic of CUDA Tile IR.
//!
//! This crate says what one element of a tile is and what one scalar operation does to it. The printer decodes
//! constants with it; the engine's kernels use its bulk conversions and are checked against its scalar functions.
//!
//! | module | what it answers |
//! |---|---|
//! | [`format`](mod@format) | how the bits of each float format are read and written |
//! | [`round`] | the rounding modes |
//! | [`convert`](mod@convert) | one value from one type to another: float to float, integer to float, float to integer |
//! | [`branch_free`] | arithmetic and conversions without branches, for vector code: the same bits |
//! | [`bulk`] | the hot conversions, one element at a time and slice to slice |
//! | [`arith`] | correctly rounded add, sub, mul, div, fma and sqrt in every mode |
//! | [`float`] | max, min, remainder, ceil, floor, compare, flush to zero |
//! | [`int`] | integer operations at widths 1 to 64 on `u64` bit patterns |
//! | [`directed`] | arithmetic of `f64` in a direction and remainders, of several numbers together |
//! | [`lanes`] | elementary functions of several numbers together |
//! | [`math`] | exp, log, sin and the other elementary functions |
//!
//! Conventions shared by every module:
//!
//! - A float held as bits occupies the low [`FloatFormat::storage_bits`] bits of its integer; higher bits are ignored
//!   on input and zero on output.
//! - Float formats other than `f64` embed exactly in `f64`, so a decoded value is an `f64`.
//! - A NaN produced here is the format's [`FloatFormat::canonical_nan`]. Tile IR leaves payload and sign of an
//!   arithmetic NaN unspecified, so compare NaN-ness, never NaN bits, with other implementations.
//! - Nothing allocates. Functions on scalars never panic; slice functions panic if the lengths differ.
#![forbid(unsafe_code)]

pub mod arith;
pub mod branch_free;
pub mod bulk;
pub mod convert;
pub mod decimal;
pub mod directed;
mod double;
mod exact;
pub mod float;
pub mod format;
pub mod int;
pub mod lanes;
pub mod math;
pub mod round;
mod single;

pub use convert::{convert, from_i64, from_u64, to_int};
pub use float::FloatOrdering;
pub use format::{FloatFormat, NanKind};
pub use int::IntRounding;
pub use round::Rounding;

/// The six comparison predicates of `cmpf` and `cmpi`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Predicate {
    /// `a == b`
    Equal,
    /// `a != b`
    NotEqual,
    /// `a < b`
    LessThan,
    /// `a <= b`
    LessThanOrEqual,
    /// `a > b`
    GreaterThan,
    /// `a >= b`
    GreaterThanOrEqual,
}

impl Predicate {
    /// Every predicate, in the order of the specification.
    pub const ALL: [Predicate; 6] = [
        Predicate::Equal,
        Predicate::NotEqual,
        Predicate::LessThan,
        Predicate::LessThanOrEqual,
        Predicate::GreaterThan,
        Predicate::GreaterThanOrEqual,
    ];

    /// Whether the predicate holds for two values that compare as `order`.
    #[inline]
    pub const fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Predicate::Equal => order.is_eq(),
            Predicate::NotEqual => order.is_ne(),
            Predicate::LessThan => order.is_lt(),
            Predicate::LessThanOrEqual => order.is_le(),
            Predicate::GreaterThan => order.is_gt(),
            Predicate::GreaterThanOrEqual => order.is_ge(),
        }
    }
}
