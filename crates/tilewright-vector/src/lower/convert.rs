//! Conversions, and how short floats are read and written.

use super::{float::direction_of, *};
use crate::expand::BF16_NAN;
use tilewright_ir::RoundingMode;
use tilewright_numeric::{FloatFormat, directed::Direction};

/// A NaN of which the NaN of `f16` is made.
const F16_NAN: u32 = 0x7fff_e000;

/// The NaN of `tf32`, as `f32`.
const TF32_NAN: u32 = 0x7fc0_0000;

/// The layout of a float type of 8 bits or less.
struct Short {
    mantissa: u32,
    bias: u32,
    /// Whether the highest bit is a sign.
    sign: bool,
    /// The largest magnitude that a rounded number becomes.
    limit: u32,
    /// The largest magnitude that is there: behind the numbers of one format lies infinity.
    last: u32,
    /// What NaN becomes.
    nan: u32,
}

fn short(scalar: Scalar) -> Option<Short> {
    let of = |mantissa, bias, sign, limit, nan| {
        let last = if scalar == Scalar::F8E5M2 { limit + 1 } else { limit };
        Some(Short { mantissa, bias, sign, limit, last, nan })
    };
    match scalar {
        Scalar::F8E4M3FN => of(3, 7, true, 0x7e, 0x7f),
        Scalar::F8E5M2 => of(2, 15, true, 0x7b, 0x7f),
        Scalar::F4E2M1FN => of(1, 1, true, 7, 7),
        Scalar::Fnv8E5M3FNU => of(3, 15, false, 0xfe, 0xff),
        _ => None,
    }
}

fn scalar(elem: Elem) -> Option<Scalar> {
    match elem {
        Elem::Num(scalar) => Some(scalar),
        Elem::Ptr => None,
    }
}

impl Lowering<'_> {
    pub(super) fn read(&mut self, elem: Elem, bits: Value) -> Value {
        match scalar(elem) {
            Some(Scalar::F16) => self.p(Prim::WidenF16, &[bits]),
            Some(Scalar::Bf16) => {
                let upper = self.p(Prim::High16To32, &[bits]);
                self.p(Prim::Float32, &[upper])
            }
            Some(Scalar::Tf32) => self.p(Prim::Float32, &[bits]),
            Some(Scalar::F8E8M0FNU) => self.read_power(bits),
            Some(s) => match short(s) {
                Some(layout) => self.read_short(s, &layout, bits),
                None => bits,
            },
            None => bits,
        }
    }

    /// A power of two: its exponent.
    fn read_power(&mut self, bits: Value) -> Value {
        let (nan_code, nan) = (self.i32(0xff), self.f32(f32::NAN));
        let (zero, least) = (self.i32(0), self.i32(1 << 22));
        let places = self.i32(23);
        let code = self.p(Prim::U8To32, &[bits]);
        let normal = self.p(Prim::Shl, &[code, places]);
        let subnormal = self.p(Prim::Eq, &[code, zero]);
        let number = self.select(subnormal, least, normal);
        let number = self.p(Prim::Float32, &[number]);
        let is_nan = self.p(Prim::Eq, &[code, nan_code]);
        self.select(is_nan, nan, number)
    }

    /// Digits and exponent moved to their places in `f32`, times the power of two that the biases differ by: subnormal numbers need nothing else.
    fn read_short(&mut self, scalar: Scalar, layout: &Short, bits: Value) -> Value {
        let width = scalar.bits();
        let code = self.p(Prim::U8To32, &[bits]);
        let magnitude_mask = self.i32(if layout.sign { (1 << (width - 1)) - 1 } else { 0xff });
        let magnitude = self.p(Prim::And, &[code, magnitude_mask]);
        let places = self.i32(23 - layout.mantissa);
        let shifted = self.p(Prim::Shl, &[magnitude, places]);
        let small = self.p(Prim::Float32, &[shifted]);
        let scale = self.f32(f32::from_bits((127 + 127 - layout.bias) << 23));
        let number = self.p(Prim::FMul, &[small, scale]);
        let number = self.special(scalar, number, magnitude);
        if !layout.sign {
            return number;
        }
        let (places, sign_mask) = (self.i32(32 - width), self.i32(1 << 31));
        let sign = self.p(Prim::Shl, &[code, places]);
        let sign = self.p(Prim::And, &[sign, sign_mask]);
        let number = self.p(Prim::Bits32, &[number]);
        let signed = self.p(Prim::Or, &[number, sign]);
        self.p(Prim::Float32, &[signed])
    }

    /// The codes of a format that are no finite numbers.
    fn special(&mut self, scalar: Scalar, number: Value, magnitude: Value) -> Value {
        let nan = self.f32(f32::NAN);
        let above = |this: &mut Self, code: u32| {
            let code = this.i32(code);
            this.p(Prim::LtS, &[code, magnitude])
        };
        match scalar {
            Scalar::F8E4M3FN => {
                let is_nan = above(self, 0x7e);
                self.select(is_nan, nan, number)
            }
            Scalar::F8E5M2 => {
                let infinity = self.f32(f32::INFINITY);
                let (not_finite, is_nan) = (above(self, 0x7b), above(self, 0x7c));
                let special = self.select(is_nan, nan, infinity);
                self.select(not_finite, special, number)
            }
            Scalar::Fnv8E5M3FNU => {
                let is_nan = above(self, 0xfe);
                self.select(is_nan, nan, number)
            }
            _ => number,
        }
    }

    /// The bits of a number in memory.
    pub(super) fn write(&mut self, elem: Elem, value: Value, from: Origin) -> Value {
        let rounded = !matches!(from, Origin::Any);
        match scalar(elem) {
            Some(Scalar::F16) => {
                // Rounded once more from the number before, if that is there: what it is as `f32` need not be computed then.
                let value = if let Origin::Of(exact) = from { exact } else { value };
                let bits = self.with_nan(value, F16_NAN, matches!(from, Origin::Integer));
                let value = self.p(Prim::Float32, &[bits]);
                self.p(Prim::RoundF16, &[value])
            }
            Some(Scalar::Bf16) => {
                let bits = self.with_nan(value, BF16_NAN, rounded);
                self.p(Prim::High16Of32, &[bits])
            }
            Some(Scalar::Tf32) => self.with_nan(value, TF32_NAN, rounded),
            Some(Scalar::F8E8M0FNU) => {
                let code = self.power_code(value, None);
                self.p(Prim::Low8Of32, &[code])
            }
            Some(s) => match short(s) {
                Some(layout) => {
                    let code = self.code(&layout, s.bits(), value, layout.last);
                    self.p(Prim::Low8Of32, &[code])
                }
                None => value,
            },
            None => value,
        }
    }

    /// The bits of an `f32`, and of NaN those of `nan`, unless that `holds` already.
    fn with_nan(&mut self, value: Value, nan: u32, holds: bool) -> Value {
        let bits = self.bits_of(value);
        if holds {
            return bits;
        }
        let (number, nan) = (self.p(Prim::FEq, &[value, value]), self.i32(nan));
        self.select(number, bits, nan)
    }

    /// What arithmetic of numbers of a type gives as `f32`, rounded to nearest even to the type, and still `f32`.
    pub(super) fn round_result(&mut self, elem: Elem, value: Value) -> Value {
        match scalar(elem) {
            Some(Scalar::Bf16) => self.round_result_to_bf16(value),
            _ => self.round_to(elem, value),
        }
    }

    /// An `f32` rounded to nearest even to a type, and still `f32`.
    pub(super) fn round_to(&mut self, elem: Elem, value: Value) -> Value {
        match scalar(elem) {
            Some(Scalar::F32 | Scalar::F64) | None => value,
            Some(Scalar::F16) => self.round_to_f16(value),
            Some(Scalar::Bf16) => self.round_to_bf16(value),
            Some(Scalar::Tf32) => {
                let added = self.to_even(value, 13);
                self.cut_with(value, 13, added, TF32_NAN)
            }
            Some(s) => {
                let bits = match short(s) {
                    Some(layout) => {
                        let code = self.code(&layout, s.bits(), value, layout.limit);
                        self.p(Prim::Low8Of32, &[code])
                    }
                    None => self.write(elem, value, Origin::Any),
                };
                self.read(elem, bits)
            }
        }
    }

    /// An `f32` that is exact or rounded to odd, rounded to `f16` or `bf16` in a direction, and still `f32`.
    pub(super) fn round_short(&mut self, elem: Elem, odd: Value, direction: Direction) -> Value {
        let grows = self.grows(odd, direction);
        if elem == Elem::Num(Scalar::Bf16) {
            let (more, none) = (self.i32(0xffff), self.i32(0));
            let added = self.select(grows, more, none);
            return self.cut_to_bf16(odd, added);
        }
        // The nearest, moved by one where it lies on the wrong side: an overflow becomes infinite or the largest number by that, too.
        let bits = self.p(Prim::RoundF16, &[odd]);
        let back = self.p(Prim::WidenF16, &[bits]);
        let (magnitude, back) = (self.abs(odd), self.abs(back));
        let (one, none) = (self.number(Lane::I16, 1), self.number(Lane::I16, 0));
        let (inside, outside) = (self.p(Prim::FLt, &[back, magnitude]), self.p(Prim::FLt, &[magnitude, back]));
        let (more, less) = (self.select(inside, one, none), self.select(outside, one, none));
        let (outward, inward) = (self.p(Prim::Add, &[bits, more]), self.p(Prim::Sub, &[bits, less]));
        let bits = self.select(grows, outward, inward);
        self.p(Prim::WidenF16, &[bits])
    }

    /// The code of an `f32` in a short format, as `i32`, to nearest even, of a magnitude up to `limit`.
    fn code(&mut self, layout: &Short, width: u32, value: Value, limit: u32) -> Value {
        let bits = self.bits_of(value);
        let (magnitude_mask, places) = (self.i32(0x7fff_ffff), self.i32(23 - layout.mantissa));
        let magnitude = self.p(Prim::And, &[bits, magnitude_mask]);
        let one = self.i32(1);
        let upper = self.p(Prim::ShrU, &[magnitude, places]);
        let last = self.p(Prim::And, &[upper, one]);
        let half = self.i32((1 << (22 - layout.mantissa)) - 1);
        let added = self.p(Prim::Add, &[last, half]);
        let sum = self.p(Prim::Add, &[magnitude, added]);
        let normal = self.p(Prim::ShrU, &[sum, places]);
        let rebias = self.i32((127 - layout.bias) << layout.mantissa);
        let normal = self.p(Prim::Sub, &[normal, rebias]);
        // Below the smallest normal number: how many of the least steps.
        let step = self.f32(f32::from_bits((127 + layout.bias + layout.mantissa - 1) << 23));
        let float = self.p(Prim::Float32, &[magnitude]);
        let steps = self.p(Prim::FMul, &[float, step]);
        let steps = self.p(Prim::Round, &[steps]);
        let subnormal = self.p(Prim::F32ToS32, &[steps]);
        let least = self.i32((128 - layout.bias) << 23);
        let small = self.p(Prim::LtS, &[magnitude, least]);
        let code = self.select(small, subnormal, normal);
        let limit = self.i32(limit);
        let code = self.p(Prim::MinS, &[code, limit]);
        let zero = self.i32(0);
        let negative = self.p(Prim::LtS, &[bits, zero]);
        let code = if layout.sign {
            let sign = self.i32(1 << (width - 1));
            let signed = self.p(Prim::Or, &[code, sign]);
            self.select(negative, signed, code)
        } else {
            self.select(negative, zero, code)
        };
        let (number, nan) = (self.p(Prim::FEq, &[value, value]), self.i32(layout.nan));
        self.select(number, code, nan)
    }

    /// The code of an `f32` as a power of two, as `i32`: to nearest even, toward zero or away from it.
    fn power_code(&mut self, value: Value, grows: Option<bool>) -> Value {
        let bits = self.bits_of(value);
        let (mask, places, one) = (self.i32(0x7fff_ffff), self.i32(23), self.i32(1));
        let magnitude = self.p(Prim::And, &[bits, mask]);
        let (added, half) = match grows {
            Some(true) => (self.i32(0x7f_ffff), Some(0x40_0000)),
            Some(false) => (self.i32(0), None),
            None => {
                let upper = self.p(Prim::ShrU, &[magnitude, places]);
                let last = self.p(Prim::And, &[upper, one]);
                let half = self.i32(0x3f_ffff);
                (self.p(Prim::Add, &[last, half]), Some(0x60_0000))
            }
        };
        let sum = self.p(Prim::Add, &[magnitude, added]);
        let code = self.p(Prim::ShrU, &[sum, places]);
        let largest = self.i32(0xfe);
        let normal = self.p(Prim::MinS, &[code, largest]);
        let zero = self.i32(0);
        let subnormal = match half {
            Some(half) => {
                let half = self.i32(half);
                let above = self.p(Prim::LtS, &[half, magnitude]);
                self.select(above, one, zero)
            }
            None => zero,
        };
        let least = self.i32(1 << 23);
        let small = self.p(Prim::LtS, &[magnitude, least]);
        let code = self.select(small, subnormal, normal);
        let (number, nan) = (self.p(Prim::FEq, &[value, value]), self.i32(0xff));
        self.select(number, code, nan)
    }

    /// A conversion with a rounding that it knows.
    pub(super) fn float_to_float(&mut self, from: Elem, to: Elem, mode: RoundingMode, value: Value) -> Value {
        let wide = Elem::Num(Scalar::F64);
        if to == wide {
            return self.p(Prim::Widen, &[value]);
        }
        let short = matches!(to, Elem::Num(Scalar::F16 | Scalar::Bf16));
        let single = to == Elem::Num(Scalar::F32);
        match (from == wide, direction_of(mode)) {
            (true, None) if single => self.p(Prim::Narrow, &[value]),
            (true, Some(direction)) if short || single => self.round_directed(to, value, direction),
            (true, _) => {
                let odd = self.narrow_odd(value);
                self.float_to_float(Elem::Num(Scalar::F32), to, mode, odd)
            }
            (false, _) if single || fits(from, to) => value,
            (false, Some(direction)) if short => self.round_short(to, value, direction),
            (false, _) => match (to, mode) {
                (Elem::Num(Scalar::Tf32), RoundingMode::Zero | RoundingMode::NearestAway) => {
                    let added = self.i32(if mode == RoundingMode::Zero { 0 } else { 1 << 12 });
                    self.cut_with(value, 13, added, TF32_NAN)
                }
                (Elem::Num(Scalar::F8E8M0FNU), RoundingMode::Zero | RoundingMode::PositiveInf) => {
                    let code = self.power_code(value, Some(mode == RoundingMode::PositiveInf));
                    let code = self.p(Prim::Low8Of32, &[code]);
                    self.read(to, code)
                }
                _ => self.round_to(to, value),
            },
        }
    }

    pub(super) fn bitcast(&mut self, from: Elem, to: Elem, held: &mut Held) -> Value {
        let bits = held.to_bits(self.builder, from);
        // The same bits as the type that the other has in memory.
        match (self.builder.lane(bits), memory_lane_of(to)) {
            (Lane::F32, Some(Lane::I32)) => self.p(Prim::Bits32, &[bits]),
            (Lane::I32, Some(Lane::F32)) => self.p(Prim::Float32, &[bits]),
            (Lane::F64, Some(Lane::I64)) => self.p(Prim::Bits64, &[bits]),
            (Lane::I64, Some(Lane::F64)) => self.p(Prim::Float64, &[bits]),
            _ => bits,
        }
    }

    pub(super) fn float_to_int(&mut self, from: Elem, to: Elem, signed: bool, value: Value) -> Value {
        let lane = lane_of(to).expect("only types with lanes are lowered");
        if lane == Lane::Mask {
            let zero = if from == Elem::Num(Scalar::F64) { self.f64(0.0) } else { self.f32(0.0) };
            let is_zero = self.p(Prim::FEq, &[value, zero]);
            return self.p(Prim::MNot, &[is_zero]);
        }
        if from != Elem::Num(Scalar::F64) && (lane.size() < 4 || signed && lane == Lane::I32) {
            return self.single_to_int(lane, signed, value);
        }
        // In f64, in which all integers of up to 32 bits are exact.
        let x = if from == Elem::Num(Scalar::F64) { value } else { self.p(Prim::Widen, &[value]) };
        let (zero, number) = (self.f64(0.0), self.p(Prim::FEq, &[x, x]));
        let x = self.select(number, x, zero);
        if lane == Lane::I64 {
            return self.float_to_int64(x, signed);
        }
        let bits = 8 * lane.size() as i32;
        let (low, high) = if signed { (-(2f64.powi(bits - 1)), 2f64.powi(bits - 1) - 1.0) } else { (0.0, 2f64.powi(bits) - 1.0) };
        let (low, high) = (self.f64(low), self.f64(high));
        let x = self.p(Prim::FMax, &[x, low]);
        let x = self.p(Prim::FMin, &[x, high]);
        let int = if signed || lane != Lane::I32 {
            self.p(Prim::F64ToS32, &[x])
        } else {
            // Moved into the range of signed integers, behind what is no integer.
            let (middle, sign) = (self.f64(2_147_483_648.0), self.i32(1 << 31));
            let whole = self.p(Prim::Trunc, &[x]);
            let moved = self.p(Prim::FSub, &[whole, middle]);
            let int = self.p(Prim::F64ToS32, &[moved]);
            self.p(Prim::Xor, &[int, sign])
        };
        self.truncate(int, lane)
    }

    /// An integer of up to 16 bits, of which the least and the greatest are `f32`, or one of 32 bits with a sign.
    fn single_to_int(&mut self, lane: Lane, signed: bool, x: Value) -> Value {
        let number = self.p(Prim::FEq, &[x, x]);
        if lane == Lane::I32 {
            // What is below the least is that already.
            let beyond = self.f32(2_147_483_648.0);
            let (int, is_above) = (self.p(Prim::F32ToS32, &[x]), self.p(Prim::FLe, &[beyond, x]));
            let (greatest, zero) = (self.i32(i32::MAX.cast_unsigned()), self.i32(0));
            let int = self.select(is_above, greatest, int);
            return self.select(number, int, zero);
        }
        let bits = 8 * lane.size() as i32;
        let (low, high) = if signed { (-(2f32.powi(bits - 1)), 2f32.powi(bits - 1) - 1.0) } else { (0.0, 2f32.powi(bits) - 1.0) };
        let (zero, low, high) = (self.f32(0.0), self.f32(low), self.f32(high));
        let x = self.select(number, x, zero);
        let x = self.p(Prim::FMax, &[x, low]);
        let x = self.p(Prim::FMin, &[x, high]);
        let int = self.p(Prim::F32ToS32, &[x]);
        self.truncate(int, lane)
    }

    /// 64 bits in two halves: the upper one rounded down, the lower one what is left.
    fn float_to_int64(&mut self, x: Value, signed: bool) -> Value {
        let (low, high) = if signed { (-(2f64.powi(63)), 2f64.powi(63)) } else { (0.0, 2f64.powi(64)) };
        let (least, most) = (self.f64(low), self.f64(high));
        let whole = self.p(Prim::Trunc, &[x]);
        let below = self.p(Prim::FLt, &[whole, least]);
        let fits = self.p(Prim::FLt, &[whole, most]);
        let (scale, unit) = (self.f64(2f64.powi(-32)), self.f64(2f64.powi(32)));
        let scaled = self.p(Prim::FMul, &[whole, scale]);
        let upper = self.p(Prim::Floor, &[scaled]);
        let part = self.p(Prim::FMul, &[upper, unit]);
        let lower = self.p(Prim::FSub, &[whole, part]);
        let lower = self.unsigned_half(lower);
        let upper = if signed { self.p(Prim::F64ToS32, &[upper]) } else { self.unsigned_half(upper) };
        let (upper, lower) = (self.p(Prim::S32To64, &[upper]), self.p(Prim::U32To64, &[lower]));
        let places = self.number(Lane::I64, 32);
        let upper = self.p(Prim::Shl, &[upper, places]);
        let int = self.p(Prim::Or, &[upper, lower]);
        let (smallest, largest) = if signed { (1 << 63, u64::MAX >> 1) } else { (0, u64::MAX) };
        let (smallest, largest) = (self.number(Lane::I64, smallest), self.number(Lane::I64, largest));
        let int = self.select(fits, int, largest);
        self.select(below, smallest, int)
    }

    /// An integer below 2^32 as `i32`.
    fn unsigned_half(&mut self, x: Value) -> Value {
        let (middle, sign) = (self.f64(2_147_483_648.0), self.i32(1 << 31));
        let moved = self.p(Prim::FSub, &[x, middle]);
        let int = self.p(Prim::F64ToS32, &[moved]);
        self.p(Prim::Xor, &[int, sign])
    }

    pub(super) fn int_to_float(&mut self, from: Elem, to: Elem, signed: bool, value: Value) -> Value {
        let lane = lane_of(from).expect("only types with lanes are lowered");
        let wide = Elem::Num(Scalar::F64);
        let narrow = matches!(lane, Lane::Mask | Lane::I8 | Lane::I16);
        if narrow && to != wide {
            // Exact in f32, and up to 8 bits in the types of 16 bits, too.
            let int = self.extend(value, Lane::I32, signed);
            let float = self.p(Prim::S32ToF32, &[int]);
            let is_exact = lane != Lane::I16 && matches!(to, Elem::Num(Scalar::F16 | Scalar::Bf16));
            return if is_exact { float } else { self.round_to(to, float) };
        }
        if lane == Lane::I32 && signed && to == Elem::Num(Scalar::F32) {
            return self.p(Prim::S32ToF32, &[value]);
        }
        if narrow || lane == Lane::I32 {
            let int = self.extend(value, Lane::I32, signed);
            let float = if signed || narrow { self.p(Prim::S32ToF64, &[int]) } else { self.unsigned_float(int) };
            return if to == wide { float } else { self.rounded_int(to, float) };
        }
        // The sum of two exact halves rounds once.
        let places = self.number(Lane::I64, 32);
        let lower = self.p(Prim::Low32Of64, &[value]);
        let upper = self.p(Prim::ShrU, &[value, places]);
        let upper = self.p(Prim::Low32Of64, &[upper]);
        let upper = if signed { self.p(Prim::S32ToF64, &[upper]) } else { self.unsigned_float(upper) };
        let unit = self.f64(2f64.powi(32));
        let upper = self.p(Prim::FMul, &[upper, unit]);
        let lower = self.unsigned_float(lower);
        if to == wide {
            return self.p(Prim::FAdd, &[upper, lower]);
        }
        let sum = self.add_odd(upper, lower, None);
        self.rounded_int(to, sum)
    }

    fn unsigned_float(&mut self, int: Value) -> Value {
        let (sign, middle) = (self.i32(1 << 31), self.f64(2_147_483_648.0));
        let moved = self.p(Prim::Xor, &[int, sign]);
        let float = self.p(Prim::S32ToF64, &[moved]);
        self.p(Prim::FAdd, &[float, middle])
    }

    /// An integer in `f64`, exact or rounded to odd, rounded to a shorter type.
    fn rounded_int(&mut self, to: Elem, float: Value) -> Value {
        if to == Elem::Num(Scalar::F32) {
            return self.p(Prim::Narrow, &[float]);
        }
        let odd = self.narrow_odd(float);
        self.round_to(to, odd)
    }
}

/// Whether every number of one type is one of the other.
pub(super) fn fits(from: Elem, to: Elem) -> bool {
    use FloatFormat as F;
    matches!(
        (from.float(), to.float()),
        (Some(F::F16 | F::Bf16 | F::F8E4M3FN | F::F8E5M2 | F::F4E2M1FN | F::Fnv8E5M3FNU), Some(F::Tf32))
            | (Some(F::F8E4M3FN | F::F8E5M2 | F::F4E2M1FN), Some(F::F16 | F::Bf16))
            | (Some(F::F8E8M0FNU | F::Fnv8E5M3FNU), Some(F::Bf16))
    )
}
