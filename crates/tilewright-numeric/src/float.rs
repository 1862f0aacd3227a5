//! Exact float operations (SEMANTICS c.3): `maxf`, `minf`, `remf`, `ceil`, `floor`, `cmpf` and flush to zero.
//!
//! Functions named after a type take its values; those without a type in their name take stored bits of any format.
//! `absf` and `negf` touch the sign bit alone, also of NaN, so they are bit operations: [`abs`] and [`neg`].

use crate::Predicate;
use crate::format::FloatFormat;
use crate::round::Rounding;

/// How `cmpf` treats NaN operands, for every predicate including `equal` and `not_equal`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatOrdering {
    /// False if an operand is NaN.
    Ordered,
    /// True if an operand is NaN.
    Unordered,
}

/// `cmpf`. Zeros of either sign are equal. Decode other formats than `f32` and `f64` first.
#[inline]
pub fn compare<T: PartialOrd>(predicate: Predicate, ordering: FloatOrdering, a: T, b: T) -> bool {
    match a.partial_cmp(&b) {
        Some(order) => predicate.holds(order),
        None => ordering == FloatOrdering::Unordered,
    }
}

macro_rules! typed {
    ($t:ident, $canonical:ident, $max:ident, $min:ident, $rem:ident, $ceil:ident, $floor:ident) => {
        /// `maxf`: the larger operand, +0 above -0. One NaN operand is passed over unless `propagate_nan`; a NaN
        /// result is canonical.
        #[inline]
        pub fn $max(a: $t, b: $t, propagate_nan: bool) -> $t {
            if a.is_nan() || b.is_nan() {
                return nan_choice(a, b, propagate_nan);
            }
            let a_wins = a > b || (a == b && a.is_sign_positive());
            if a_wins { a } else { b }
        }

        /// `minf`: the smaller operand, -0 below +0. One NaN operand is passed over unless `propagate_nan`; a NaN
        /// result is canonical.
        #[inline]
        pub fn $min(a: $t, b: $t, propagate_nan: bool) -> $t {
            if a.is_nan() || b.is_nan() {
                return nan_choice(a, b, propagate_nan);
            }
            let a_wins = a < b || (a == b && a.is_sign_negative());
            if a_wins { a } else { b }
        }

        /// `remf`: C `fmod`, exact, with the sign of the dividend. NaN for a zero divisor or an infinite dividend.
        #[inline]
        pub fn $rem(a: $t, b: $t) -> $t {
            $canonical(a % b)
        }

        /// `ceil`: the smallest integral value not below `a`; -0 for values in (-1, -0].
        #[inline]
        pub fn $ceil(a: $t) -> $t {
            a.ceil()
        }

        /// `floor`: the largest integral value not above `a`.
        #[inline]
        pub fn $floor(a: $t) -> $t {
            a.floor()
        }
    };
}

typed!(f32, canonical_f32, maximum_f32, minimum_f32, rem_f32, ceil_f32, floor_f32);
typed!(f64, canonical_f64, maximum_f64, minimum_f64, rem_f64, ceil_f64, floor_f64);

/// NaN made canonical. On bits, because the compiler may drop a choice between an arithmetic NaN and another NaN.
#[inline]
pub fn canonical_f32(x: f32) -> f32 {
    let bits = x.to_bits();
    f32::from_bits(if bits & 0x7FFF_FFFF > 0x7F80_0000 { 0x7FC0_0000 } else { bits })
}

/// NaN made canonical; see [`canonical_f32`].
#[inline]
pub fn canonical_f64(x: f64) -> f64 {
    let bits = x.to_bits();
    let is_nan = bits & (u64::MAX >> 1) > 0x7FF0_0000_0000_0000;
    f64::from_bits(if is_nan { 0x7FF8_0000_0000_0000 } else { bits })
}

/// The result of `maxf` or `minf` when at least one operand is NaN.
#[inline]
fn nan_choice<T: Copy + PartialOrd + From<f32>>(a: T, b: T, propagate_nan: bool) -> T {
    let is_number = |x: T| x.partial_cmp(&x).is_some();
    match (propagate_nan, is_number(a), is_number(b)) {
        (false, true, _) => a,
        (false, _, true) => b,
        _ => T::from(f32::NAN),
    }
}

/// `maxf` on stored bits; see [`maximum_f32`].
pub fn maximum(format: FloatFormat, a: u64, b: u64, propagate_nan: bool) -> u64 {
    exact(format, maximum_f64(format.decode(a), format.decode(b), propagate_nan))
}

/// `minf` on stored bits; see [`minimum_f32`].
pub fn minimum(format: FloatFormat, a: u64, b: u64, propagate_nan: bool) -> u64 {
    exact(format, minimum_f64(format.decode(a), format.decode(b), propagate_nan))
}

/// `remf` on stored bits; see [`rem_f32`].
pub fn rem(format: FloatFormat, a: u64, b: u64) -> u64 {
    exact(format, rem_f64(format.decode(a), format.decode(b)))
}

/// `ceil` on stored bits; see [`ceil_f32`]. NaN becomes canonical.
pub fn ceil(format: FloatFormat, a: u64) -> u64 {
    exact(format, format.decode(a).ceil())
}

/// `floor` on stored bits; see [`floor_f32`]. NaN becomes canonical.
pub fn floor(format: FloatFormat, a: u64) -> u64 {
    exact(format, format.decode(a).floor())
}

/// `absf` on stored bits: clears the sign bit, also of NaN.
#[inline]
pub const fn abs(format: FloatFormat, a: u64) -> u64 {
    a & !format.sign_mask()
}

/// `negf` on stored bits: flips the sign bit, also of NaN.
#[inline]
pub const fn neg(format: FloatFormat, a: u64) -> u64 {
    a ^ format.sign_mask()
}

/// Encodes a value known to be representable.
fn exact(format: FloatFormat, value: f64) -> u64 {
    format.encode(value, Rounding::NearestEven)
}

/// `flush_to_zero`: a subnormal becomes zero of the same sign; anything else is unchanged, NaN bits included.
#[inline]
pub fn flush_f32(x: f32) -> f32 {
    let bits = x.to_bits();
    f32::from_bits(if bits & 0x7F80_0000 == 0 { bits & 0x8000_0000 } else { bits })
}

/// [`flush_f32`] on each element.
#[inline]
pub fn flush_f32_slice(values: &mut [f32]) {
    for value in values {
        *value = flush_f32(*value);
    }
}
