//! The float formats of Tile IR: their parameters, and exact decoding and correctly rounded encoding.

use crate::exact::{Class, classify};
use crate::round::{Rounding, round_pack};

/// A float element type of Tile IR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatFormat {
    /// IEEE binary16.
    F16,
    /// bfloat16: the upper half of an `f32`.
    Bf16,
    /// IEEE binary32.
    F32,
    /// TensorFloat-32: 1/8/10 bits, stored as the bit pattern of an `f32` in 32 bits. See [`crate::convert`](mod@crate::convert) for the
    /// 19-bit form used by constants.
    Tf32,
    /// IEEE binary64.
    F64,
    /// 1/4/3 bits, bias 7, no infinity, NaN only 0x7F and 0xFF.
    F8E4M3FN,
    /// 1/5/2 bits, IEEE-like. Infinity can be read, but encoding saturates and never makes one.
    F8E5M2,
    /// Unsigned power of two `2^(bits - 127)`; no zero; NaN is 0xFF.
    F8E8M0FNU,
    /// 1/2/1 bits, bias 1, every code finite: 0, 0.5, 1, 1.5, 2, 3, 4, 6 and negatives. One code per integer here.
    F4E2M1FN,
    /// Unsigned 5/3 bits, bias 15, with zero and subnormals; NaN is 0xFF (13.4 preview).
    Fnv8E5M3FNU,
}

/// How a format encodes NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NanKind {
    /// Largest exponent with a non-zero mantissa; a zero mantissa is infinity.
    Ieee,
    /// All exponent and mantissa bits set, with either sign if there is a sign.
    AllOnes,
    /// No NaN.
    None,
}

/// The numbers that define a format; `tf32` is described by its 19-bit form.
struct Spec {
    name: &'static str,
    exponent_bits: u32,
    mantissa_bits: u32,
    bias: i32,
    has_sign: bool,
    nan: NanKind,
}

const fn spec(name: &'static str, exponent_bits: u32, mantissa_bits: u32, bias: i32, nan: NanKind) -> Spec {
    Spec { name, exponent_bits, mantissa_bits, bias, has_sign: true, nan }
}

const fn unsigned(s: Spec) -> Spec {
    Spec { has_sign: false, ..s }
}

impl FloatFormat {
    /// Every format.
    pub const ALL: [FloatFormat; 10] = [
        FloatFormat::F16,
        FloatFormat::Bf16,
        FloatFormat::F32,
        FloatFormat::Tf32,
        FloatFormat::F64,
        FloatFormat::F8E4M3FN,
        FloatFormat::F8E5M2,
        FloatFormat::F8E8M0FNU,
        FloatFormat::F4E2M1FN,
        FloatFormat::Fnv8E5M3FNU,
    ];

    const fn spec(self) -> Spec {
        match self {
            FloatFormat::F16 => spec("f16", 5, 10, 15, NanKind::Ieee),
            FloatFormat::Bf16 => spec("bf16", 8, 7, 127, NanKind::Ieee),
            FloatFormat::F32 => spec("f32", 8, 23, 127, NanKind::Ieee),
            FloatFormat::Tf32 => spec("tf32", 8, 10, 127, NanKind::Ieee),
            FloatFormat::F64 => spec("f64", 11, 52, 1023, NanKind::Ieee),
            FloatFormat::F8E4M3FN => spec("f8E4M3FN", 4, 3, 7, NanKind::AllOnes),
            FloatFormat::F8E5M2 => spec("f8E5M2", 5, 2, 15, NanKind::Ieee),
            FloatFormat::F8E8M0FNU => unsigned(spec("f8E8M0FNU", 8, 0, 127, NanKind::AllOnes)),
            FloatFormat::F4E2M1FN => spec("f4E2M1FN", 2, 1, 1, NanKind::None),
            FloatFormat::Fnv8E5M3FNU => unsigned(spec("fnv8E5M3FNU", 5, 3, 15, NanKind::AllOnes)),
        }
    }

    /// The format of the type with this name in Tile IR text; `None` for names of other types.
    pub fn from_name(name: &str) -> Option<FloatFormat> {
        FloatFormat::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The type's name in Tile IR text.
    pub const fn name(self) -> &'static str {
        self.spec().name
    }

    /// Width of the exponent field in bits.
    pub const fn exponent_bits(self) -> u32 {
        self.spec().exponent_bits
    }

    /// Stored mantissa bits, without the hidden bit.
    pub const fn mantissa_bits(self) -> u32 {
        self.spec().mantissa_bits
    }

    /// Significant bits of a normal number, with the hidden bit.
    pub const fn precision(self) -> u32 {
        self.mantissa_bits() + 1
    }

    /// Exponent bias.
    pub const fn bias(self) -> i32 {
        self.spec().bias
    }

    /// Whether the format has a sign bit.
    pub const fn has_sign(self) -> bool {
        self.spec().has_sign
    }

    /// How the format encodes NaN.
    pub const fn nan_kind(self) -> NanKind {
        self.spec().nan
    }

    /// Whether the format has encodings for infinity.
    pub const fn has_infinity(self) -> bool {
        matches!(self.nan_kind(), NanKind::Ieee)
    }

    /// Whether encoding clamps overflow and infinity to the largest finite value (SEMANTICS c.5).
    pub const fn saturates(self) -> bool {
        matches!(self, FloatFormat::F8E5M2) || !self.has_infinity()
    }

    /// Bits an element occupies as an integer here and in MMA, pack and unpack: 32 for `tf32`, 4 for `f4E2M1FN`.
    pub const fn storage_bits(self) -> u32 {
        match self {
            FloatFormat::Tf32 => 32,
            _ => self.type_bits(),
        }
    }

    /// Bits of the type itself: 19 for `tf32`, otherwise as [`storage_bits`](Self::storage_bits).
    pub const fn type_bits(self) -> u32 {
        self.has_sign() as u32 + self.exponent_bits() + self.mantissa_bits()
    }

    /// Low bits that a stored encoding leaves zero: 13 for `tf32`, otherwise 0.
    const fn storage_shift(self) -> u32 {
        self.storage_bits() - self.type_bits()
    }

    const fn storage_mask(self) -> u64 {
        u64::MAX >> (64 - self.storage_bits())
    }

    /// Exponent of the smallest normal number (of the smallest number for `f8E8M0FNU`, which has no subnormals).
    pub const fn min_exponent(self) -> i32 {
        match self {
            FloatFormat::F8E8M0FNU => -127,
            _ => 1 - self.bias(),
        }
    }

    /// Exponent of the largest finite number.
    pub const fn max_exponent(self) -> i32 {
        (self.max_finite_magnitude() >> self.mantissa_bits()) as i32 - self.bias()
    }

    /// Largest finite magnitude, in the `type_bits` form without sign.
    pub(crate) const fn max_finite_magnitude(self) -> u64 {
        let all_ones = (1 << (self.exponent_bits() + self.mantissa_bits())) - 1;
        match self.nan_kind() {
            NanKind::Ieee => all_ones - (1 << self.mantissa_bits()),
            NanKind::AllOnes => all_ones - 1,
            NanKind::None => all_ones,
        }
    }

    /// Stored bits from a sign and a magnitude in the `type_bits` form.
    pub(crate) const fn place(self, negative: bool, magnitude: u64) -> u64 {
        (magnitude << self.storage_shift()) | if negative { self.sign_mask() } else { 0 }
    }

    /// The sign bit in storage, 0 for unsigned formats.
    pub const fn sign_mask(self) -> u64 {
        if self.has_sign() { 1 << (self.storage_bits() - 1) } else { 0 }
    }

    /// Stored bits of the largest finite number.
    pub const fn max_finite_bits(self) -> u64 {
        self.place(false, self.max_finite_magnitude())
    }

    /// The largest finite number.
    pub const fn max_finite(self) -> f64 {
        self.decode(self.max_finite_bits())
    }

    /// The smallest (most negative) finite number; for unsigned formats the smallest number they hold.
    pub const fn min_finite(self) -> f64 {
        if self.has_sign() { -self.max_finite() } else { self.decode(0) }
    }

    /// The smallest positive normal number.
    pub const fn min_normal(self) -> f64 {
        power_of_two(self.min_exponent())
    }

    /// The smallest positive number.
    pub const fn min_positive(self) -> f64 {
        match self {
            FloatFormat::F64 => f64::from_bits(1),
            FloatFormat::F8E8M0FNU => power_of_two(-127),
            _ => power_of_two(self.min_exponent() - self.mantissa_bits() as i32),
        }
    }

    /// Stored bits of +infinity, or `None` for a format without infinities.
    pub const fn infinity_bits(self) -> Option<u64> {
        if self.has_infinity() { Some(self.place(false, self.max_finite_magnitude() + 1)) } else { None }
    }

    /// Stored bits of the NaN this crate produces, or `None` for a format without NaN.
    ///
    /// `f16` and `bf16` 0x7FFF (as the vendor's folder), `f32` and `tf32` 0x7FC00000, `f64` 0x7FF8000000000000,
    /// `f8E4M3FN` and `f8E5M2` 0x7F, `f8E8M0FNU` and `fnv8E5M3FNU` 0xFF.
    pub const fn canonical_nan(self) -> Option<u64> {
        match self {
            FloatFormat::F16 | FloatFormat::Bf16 => Some(0x7FFF),
            FloatFormat::F32 | FloatFormat::Tf32 => Some(0x7FC0_0000),
            FloatFormat::F64 => Some(0x7FF8_0000_0000_0000),
            FloatFormat::F8E4M3FN | FloatFormat::F8E5M2 => Some(0x7F),
            FloatFormat::F8E8M0FNU | FloatFormat::Fnv8E5M3FNU => Some(0xFF),
            FloatFormat::F4E2M1FN => None,
        }
    }

    /// Whether the stored bits are a NaN.
    pub const fn is_nan(self, bits: u64) -> bool {
        self.decode(bits).is_nan()
    }

    /// Whether the stored bits are an infinity.
    pub const fn is_infinite(self, bits: u64) -> bool {
        self.decode(bits).is_infinite()
    }

    /// The exact value of stored bits; NaN for NaN (payload not kept, except for `f64`).
    ///
    /// A `tf32` is read as the `f32` it is stored in, so its 13 low bits count. Consumers that ignore them (MMA) mask
    /// first with [`crate::convert::tf32_mask`].
    pub const fn decode(self, bits: u64) -> f64 {
        match self {
            FloatFormat::F64 => f64::from_bits(bits),
            FloatFormat::F32 | FloatFormat::Tf32 => f32::from_bits(bits as u32) as f64,
            FloatFormat::F8E8M0FNU => decode_e8m0(bits & 0xFF),
            _ => self.decode_small(bits & self.storage_mask()),
        }
    }

    /// Formats of up to 16 bits with a mantissa.
    const fn decode_small(self, bits: u64) -> f64 {
        let magnitude = bits & !self.sign_mask();
        let absolute = if magnitude > self.max_finite_magnitude() {
            let infinite = self.has_infinity() && magnitude == self.max_finite_magnitude() + 1;
            if infinite { f64::INFINITY } else { f64::NAN }
        } else {
            self.decode_finite(magnitude)
        };
        if bits & self.sign_mask() != 0 { -absolute } else { absolute }
    }

    const fn decode_finite(self, magnitude: u64) -> f64 {
        let mantissa_bits = self.mantissa_bits();
        let mantissa = magnitude & ((1 << mantissa_bits) - 1);
        let field = (magnitude >> mantissa_bits) as i32;
        let quantum = self.min_exponent() - mantissa_bits as i32;
        if field == 0 {
            mantissa as f64 * power_of_two(quantum)
        } else {
            (mantissa | 1 << mantissa_bits) as f64 * power_of_two(quantum + field - 1)
        }
    }

    /// The stored bits of `value`, rounded once.
    ///
    /// Rules of SEMANTICS c.5. NaN becomes [`canonical_nan`](Self::canonical_nan), +6 in `f4E2M1FN`. `f16`, `bf16`,
    /// `f32`, `f64` and `tf32` overflow to infinity or to the largest finite number as the mode says; the 8- and 4-bit
    /// formats saturate in every mode, also for infinity. `f8E8M0FNU` ignores the sign, takes zero to 0x00 and applies
    /// the mode to the magnitude. `fnv8E5M3FNU` takes negative values to 0 (its rule is not documented). A zero keeps
    /// its sign where there is one.
    pub fn encode(self, value: f64, rounding: Rounding) -> u64 {
        if self == FloatFormat::F32 && rounding != Rounding::NearestAway && !value.is_nan() {
            return u64::from(round_to_f32(value, rounding).to_bits());
        }
        match classify(value) {
            Class::Nan => self.canonical_nan().unwrap_or(self.max_finite_bits()),
            Class::Infinite(negative) => self.encode_infinity(negative),
            Class::Zero(negative) => self.place(negative, 0),
            Class::Finite(exact) => round_pack(self, exact, rounding),
        }
    }

    fn encode_infinity(self, negative: bool) -> u64 {
        match self {
            FloatFormat::F8E8M0FNU => 0xFE,
            _ if negative && !self.has_sign() => 0,
            _ => self.place(negative, self.max_finite_magnitude() + u64::from(!self.saturates())),
        }
    }
}

impl std::fmt::Display for FloatFormat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Rounds a non-NaN `f64` to `f32` by hardware, then steps to the neighbour a directed mode asks for.
#[inline]
fn round_to_f32(value: f64, rounding: Rounding) -> f32 {
    let nearest = value as f32;
    let (above, below) = (f64::from(nearest) > value, f64::from(nearest) < value);
    match rounding {
        Rounding::NegativeInf if above => nearest.next_down(),
        Rounding::PositiveInf if below => nearest.next_up(),
        Rounding::Zero if above && value > 0.0 => nearest.next_down(),
        Rounding::Zero if below && value < 0.0 => nearest.next_up(),
        _ => nearest,
    }
}

const fn decode_e8m0(bits: u64) -> f64 {
    if bits == 0xFF { f64::NAN } else { power_of_two(bits as i32 - 127) }
}

/// `2^exponent` for an exponent in the range of normal `f64` numbers.
pub(crate) const fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}
