//! What takes several primitives: said once, for lowering, which knows no instruction set, and for instruction sets that lack a primitive.

use crate::{
    code::Value,
    prim::{Lane, Prim},
};

/// The NaN of `bf16`, as `f32`.
pub(crate) const BF16_NAN: u32 = 0x7fff_0000;

/// Whatever adds primitives to code.
pub(crate) trait Expand {
    /// Adds a primitive: what it gives.
    fn p(&mut self, prim: Prim, operands: &[Value]) -> Value;

    /// A constant, of whose bits those count that the type has.
    fn number(&mut self, lane: Lane, bits: u64) -> Value;

    /// The type of a value.
    fn lane(&self, value: Value) -> Lane;

    fn i32(&mut self, number: u32) -> Value {
        self.number(Lane::I32, number.into())
    }

    fn f32(&mut self, number: f32) -> Value {
        self.number(Lane::F32, number.to_bits().into())
    }

    fn f64(&mut self, number: f64) -> Value {
        self.number(Lane::F64, number.to_bits())
    }

    fn select(&mut self, mask: Value, yes: Value, no: Value) -> Value {
        self.p(Prim::Select, &[mask, yes, no])
    }

    fn bits_of(&mut self, value: Value) -> Value {
        self.p(Prim::Bits32, &[value])
    }

    /// The bits of a float, combined with a constant for 64 bits, of which the upper ones count.
    fn with_bits(&mut self, x: Value, prim: Prim, bits: u64) -> Value {
        let wide = self.lane(x) == Lane::F64;
        let (to, back) = if wide { (Prim::Bits64, Prim::Float64) } else { (Prim::Bits32, Prim::Float32) };
        let number = if wide { self.number(Lane::I64, bits) } else { self.i32((bits >> 32) as u32) };
        let x = self.p(to, &[x]);
        let x = self.p(prim, &[x, number]);
        self.p(back, &[x])
    }

    fn abs(&mut self, x: Value) -> Value {
        self.with_bits(x, Prim::And, u64::MAX >> 1)
    }

    /// A product plus a number, all of `f16` or of `bf16` in `f32`, rounded to odd as far as that counts where it is rounded to such a type
    /// once more: from `sum`, which was rounded to nearest.
    ///
    /// Products of `f16` fit: they have 22 bits, and none is below 2^-48. Of `bf16`, the error counts where `sum` lies in the middle between two
    /// numbers. It is exact then: products of 8 bits fit from 2^-134 on, the half of the least number, and none below rounds to that; what
    /// overflows is infinite, or exact with a term that cancels it.
    fn sum_to_odd(&mut self, operands: &[Value], sum: Value) -> Value {
        let product = self.p(Prim::FMul, &operands[..2]);
        let error = self.error_of_sum(product, operands[2], sum);
        self.move_to_odd(sum, error)
    }

    /// Whether an `f32` may lie in the middle between two numbers of `f16`: normal ones if its bits behind theirs are a one with zeros; all that
    /// are less, but for zero.
    fn may_be_between_f16(&mut self, value: Value) -> Value {
        const LEAST_NORMAL: u32 = (127 - 14) << 23;
        let bits = self.bits_of(value);
        let (behind, middle) = (self.i32(0x1fff), self.i32(0x1000));
        let behind = self.p(Prim::And, &[bits, behind]);
        let is_middle = self.p(Prim::Eq, &[behind, middle]);
        // Moved so that 1 becomes the least signed integer and 0 the largest.
        let (magnitude, least) = (self.i32(u32::MAX >> 1), self.i32(LEAST_NORMAL + (u32::MAX >> 1)));
        let moved = self.p(Prim::And, &[bits, magnitude]);
        let moved = self.p(Prim::Add, &[moved, magnitude]);
        let is_small = self.p(Prim::LtS, &[moved, least]);
        self.p(Prim::MOr, &[is_middle, is_small])
    }

    /// Whether an `f32` lies in the middle between two numbers of `bf16`.
    fn is_between_bf16(&mut self, value: Value) -> Value {
        let bits = self.bits_of(value);
        let (behind, middle) = (self.i32(0xffff), self.i32(0x8000));
        let behind = self.p(Prim::And, &[bits, behind]);
        self.p(Prim::Eq, &[behind, middle])
    }

    /// What arithmetic gives of numbers of `bf16` in `f32`, rounded to nearest even to `bf16`, and still `f32`.
    ///
    /// A NaN that comes of these has no bits where they are cut off, so that nothing is carried into the rest of it.
    fn round_result_to_bf16(&mut self, value: Value) -> Value {
        let (bits, added) = (self.bits_of(value), self.to_even(value, 16));
        let sum = self.p(Prim::Add, &[bits, added]);
        self.cut(sum, 16)
    }

    /// A product plus a number, all of `f32`, rounded to odd.
    fn multiply_add_odd(&mut self, operands: &[Value]) -> Value {
        // Products of numbers of 24 bits fit.
        let wide: Vec<Value> = operands.iter().map(|x| self.p(Prim::Widen, &[*x])).collect();
        let product = self.p(Prim::FMul, &wide[..2]);
        let sum = self.p(Prim::FAdd, &[product, wide[2]]);
        let error = self.error_of_sum(product, wide[2], sum);
        let odd = self.move_to_odd(sum, error);
        self.narrow_odd(odd)
    }

    /// The larger or smaller number: +0 above -0; of NaN and a number the number.
    fn extreme_number(&mut self, larger: bool, x: Value, y: Value) -> Value {
        let value = self.extreme_of_numbers(larger, x, y);
        let number = self.p(Prim::FEq, &[y, y]);
        self.select(number, value, x)
    }

    /// The larger or smaller number: +0 above -0; the second if one is NaN.
    fn extreme_of_numbers(&mut self, larger: bool, x: Value, y: Value) -> Value {
        let value = self.p(if larger { Prim::FMax } else { Prim::FMin }, &[x, y]);
        // Equal numbers differ in the sign of zeros at most: the sign is set if it is in both, or in one of them.
        let equal = self.p(Prim::FEq, &[x, y]);
        let both = self.bits_of_both(if larger { Prim::And } else { Prim::Or }, x, y);
        self.select(equal, both, value)
    }

    /// The bits of two floats, combined.
    fn bits_of_both(&mut self, prim: Prim, x: Value, y: Value) -> Value {
        let wide = self.lane(x) == Lane::F64;
        let (to, back) = if wide { (Prim::Bits64, Prim::Float64) } else { (Prim::Bits32, Prim::Float32) };
        let (x, y) = (self.p(to, &[x]), self.p(to, &[y]));
        let bits = self.p(prim, &[x, y]);
        self.p(back, &[bits])
    }

    /// A number of `f32` times a power of two, of which the exponent is rounded down.
    fn scale(&mut self, operands: &[Value]) -> Value {
        // In two steps, because the power may be behind the range. The first leads to a normal number, so it is added to the exponent.
        // The integer of NaN has no low bits.
        let (one, places, bias) = (self.i32(1), self.i32(23), self.i32(1.0f32.to_bits()));
        let floor = self.p(Prim::Floor, &operands[1..2]);
        let exponent = self.p(Prim::F32ToS32, &[floor]);
        let half = self.p(Prim::ShrS, &[exponent, one]);
        let rest = self.p(Prim::Sub, &[exponent, half]);
        let bits = self.p(Prim::Bits32, &operands[..1]);
        let [first, second] = [(half, bits), (rest, bias)].map(|(exponent, to)| {
            let shifted = self.p(Prim::Shl, &[exponent, places]);
            let bits = self.p(Prim::Add, &[shifted, to]);
            self.p(Prim::Float32, &[bits])
        });
        self.p(Prim::FMul, &[first, second])
    }

    /// An `f32` rounded to nearest even to `f16`, and still `f32`.
    fn round_to_f16(&mut self, value: Value) -> Value {
        let bits = self.p(Prim::RoundF16, &[value]);
        self.p(Prim::WidenF16, &[bits])
    }

    /// An `f32` rounded to nearest even to `bf16`, and still `f32`.
    fn round_to_bf16(&mut self, value: Value) -> Value {
        let added = self.to_even(value, 16);
        self.cut_to_bf16(value, added)
    }

    /// An `f32` cut off to `bf16` after something was added to its last bits; NaN becomes that of `bf16`.
    fn cut_to_bf16(&mut self, value: Value, added: Value) -> Value {
        self.cut_with(value, 16, added, BF16_NAN)
    }

    /// What is added to an `f32` before its last bits are cut off, so that it is rounded to nearest even.
    fn to_even(&mut self, value: Value, places: u32) -> Value {
        let bits = self.bits_of(value);
        let (distance, one, half) = (self.i32(places), self.i32(1), self.i32((1 << (places - 1)) - 1));
        let upper = self.p(Prim::ShrU, &[bits, distance]);
        let last = self.p(Prim::And, &[upper, one]);
        self.p(Prim::Add, &[last, half])
    }

    /// An `f32` whose last bits are cut off after something was added to them; NaN becomes the one that `nan` says.
    fn cut_with(&mut self, value: Value, places: u32, added: Value, nan: u32) -> Value {
        let bits = self.bits_of(value);
        let sum = self.p(Prim::Add, &[bits, added]);
        let (number, nan) = (self.p(Prim::FEq, &[value, value]), self.i32(nan));
        let sum = self.select(number, sum, nan);
        self.cut(sum, places)
    }

    /// Bits of an `f32` of which the last are cut off.
    fn cut(&mut self, bits: Value, places: u32) -> Value {
        let mask = self.i32(u32::MAX << places);
        let cut = self.p(Prim::And, &[bits, mask]);
        self.p(Prim::Float32, &[cut])
    }

    /// What an exact sum has more than the rounded one.
    fn error_of_sum(&mut self, a: Value, b: Value, sum: Value) -> Value {
        let b_part = self.p(Prim::FSub, &[sum, a]);
        let a_part = self.p(Prim::FSub, &[sum, b_part]);
        let a_rest = self.p(Prim::FSub, &[a, a_part]);
        let b_rest = self.p(Prim::FSub, &[b, b_part]);
        self.p(Prim::FAdd, &[a_rest, b_rest])
    }

    /// A rounded number, moved to the neighbour whose last bit is set, if the exact number is `error` more than it and its own is not.
    fn move_to_odd(&mut self, rounded: Value, error: Value) -> Value {
        let wide = self.lane(rounded) == Lane::F64;
        let (to, back, lane) = if wide { (Prim::Bits64, Prim::Float64, Lane::I64) } else { (Prim::Bits32, Prim::Float32, Lane::I32) };
        let (zero, one) = (self.number(self.lane(rounded), 0), self.number(lane, 1));
        let last = self.number(lane, 8 * lane.size() as u64 - 1);
        let (bits, error_bits) = (self.p(to, &[rounded]), self.p(to, &[error]));
        // Truncated first: one less where the signs differ. Then the last bit tells that there is more.
        let signs = self.p(Prim::Xor, &[bits, error_bits]);
        let less = self.p(Prim::ShrU, &[signs, last]);
        let truncated = self.p(Prim::Sub, &[bits, less]);
        let odd = self.p(Prim::Or, &[truncated, one]);
        let magnitude = self.abs(error);
        // Not for NaN, which the error of an infinity is.
        let inexact = self.p(Prim::FLt, &[zero, magnitude]);
        let bits = self.select(inexact, odd, bits);
        self.p(back, &[bits])
    }

    /// An `f64` as `f32`, rounded to odd.
    fn narrow_odd(&mut self, x: Value) -> Value {
        let (one, zero) = (self.i32(1), self.i32(0));
        let nearest = self.p(Prim::Narrow, &[x]);
        let back = self.p(Prim::Widen, &[nearest]);
        let bits = self.bits_of(nearest);
        let (magnitude, back_magnitude) = (self.abs(x), self.abs(back));
        let outside = self.p(Prim::FLt, &[magnitude, back_magnitude]);
        let (up, down) = (self.p(Prim::Add, &[bits, one]), self.p(Prim::Sub, &[bits, one]));
        let moved = self.select(outside, down, up);
        let exact = self.p(Prim::FEq, &[back, x]);
        let inexact = self.p(Prim::MNot, &[exact]);
        let number = self.p(Prim::FEq, &[x, x]);
        let last = self.p(Prim::And, &[bits, one]);
        let even = self.p(Prim::Eq, &[last, zero]);
        let moves = self.p(Prim::MAnd, &[inexact, even]);
        let moves = self.p(Prim::MAnd, &[moves, number]);
        let bits = self.select(moves, moved, bits);
        self.p(Prim::Float32, &[bits])
    }
}
