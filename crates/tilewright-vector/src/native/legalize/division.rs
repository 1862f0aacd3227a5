//! Quotients of integers of 32 bits, for which there are no vector instructions, and of floats by a number that loops do not change.
//!
//! By a divisor that is the same for all lanes, what is computed of it alone leaves loops (`hoist.rs`).

use super::*;

/// The fewest elements of a loop of lanes for which its divisor is worth being inverted.
const FEWEST_DIVIDED: i64 = 64;

/// The divisors whose inverses are multiplied with, and the magnitudes of the quotients that come out right then, as binary exponents from the first up to
/// the second. In between, neither the quotient nor what is left of the dividend, which has as many bits behind its first one as both factors
/// together, leaves the normal numbers.
struct Invertible {
    divisors: [i32; 2],
    quotients: [i32; 2],
}

impl Invertible {
    const fn of(lane: Lane) -> Invertible {
        match lane {
            Lane::F32 => Invertible { divisors: [-26, 55], quotients: [-72, 72] },
            _ => Invertible { divisors: [-200, 400], quotients: [-600, 600] },
        }
    }
}

/// The bits of 2 to the power of a number.
const fn power_of_two(lane: Lane, exponent: i32) -> u64 {
    match lane {
        Lane::F32 => ((exponent + 127) as u64) << 23,
        _ => ((exponent + 1023) as u64) << 52,
    }
}

impl Legalizer {
    /// Whether a quotient of floats is faster by the inverse of its divisor: where the divisor comes from outside of a long loop of lanes.
    pub(super) fn divides_by_inverse(&self, lane: Lane, a: Value, b: Value) -> bool {
        let is_long = match self.around {
            Some((Kind::Lanes, Count::Const(count))) => count >= FEWEST_DIVIDED,
            Some((Kind::Lanes, Count::Param(_))) => true,
            _ => false,
        };
        let varies = |value| self.code.variability(value) == Variability::Varying;
        self.level.has_slow_division()
            && lane.is_float()
            && is_long
            && !self.in_while
            && varies(a)
            && !varies(b)
            && !self.inside.contains(&b)
    }

    /// The quotient of floats: the product with the inverse of the divisor, and what is left of the dividend times the inverse. That is rounded to nearest
    /// where no intermediate leaves the normal numbers (P. Markstein, "Computation of elementary functions on the IBM RISC System/6000 processor", 1990); lanes
    /// where one may are divided.
    pub(super) fn divide_by_inverse(&mut self, result: Value, lane: Lane, a: Value, b: Value) {
        let Invertible { divisors, quotients } = Invertible::of(lane);
        let (bits_of, bits) = if lane == Lane::F32 { (Prim::Bits32, Lane::I32) } else { (Prim::Bits64, Lane::I64) };
        // NaN in place of the inverses of other divisors, so that their quotients are in no range.
        let [least, most, one] = [divisors[0], divisors[1], 0].map(|exponent| self.constant(lane, power_of_two(lane, exponent)));
        let nan = self.constant(lane, lane.bits() >> 1);
        let is_above = self.add(Prim::FLe, &[least, b]);
        let is_below = self.add(Prim::FLe, &[b, most]);
        let is_invertible = self.add(Prim::MAnd, &[is_above, is_below]);
        let inverse = self.add(Prim::FDiv, &[one, b]);
        let inverse = self.add(Prim::Select, &[is_invertible, inverse, nan]);
        let sign = self.constant(bits, (lane.bits() >> 1) + 1);
        let divisor = self.add(bits_of, &[b]);
        let negative = self.add(Prim::Xor, &[divisor, sign]);
        let negative = self.add(if lane == Lane::F32 { Prim::Float32 } else { Prim::Float64 }, &[negative]);

        let near = self.add(Prim::FMul, &[a, inverse]);
        let left = self.add(Prim::Fma, &[near, negative, a]);
        let quotient = self.add(Prim::Fma, &[left, inverse, near]);

        let [first, end] = quotients.map(|exponent| power_of_two(lane, exponent));
        let (magnitude, first, last) =
            (self.constant(bits, lane.bits() >> 1), self.constant(bits, first), self.constant(bits, end - first - 1));
        let zero = self.constant(bits, 0);
        let (dividend, found) = (self.add(bits_of, &[a]), self.add(bits_of, &[quotient]));
        let size = self.add(Prim::And, &[found, magnitude]);
        let above = self.add(Prim::Sub, &[size, first]);
        let is_outside = self.add(Prim::LtU, &[last, above]);
        // Of zero, a quotient of zero is right, too; that of -0 would be +0.
        let both = self.add(Prim::Or, &[dividend, found]);
        let is_not_zero = self.add(Prim::LtU, &[zero, both]);
        let doubtful = self.add(Prim::MAnd, &[is_outside, is_not_zero]);
        self.once_where_to(result, doubtful, quotient, |this, _| this.add(Prim::FDiv, &[a, b]));
    }

    /// All bits set where the divisor is zero; the dividend where the quotient does not fit.
    pub(super) fn divide(&mut self, result: Value, signed: bool, a: Value, b: Value) {
        let (zero, ones) = (self.constant(Lane::I32, 0), self.constant(Lane::I32, 0xffff_ffff));
        let quotient = match (self.has_longs, signed) {
            (true, true) => self.signed_in_f64(a, b),
            (true, false) => self.unsigned_in_f64(a, b),
            (false, true) => self.signed_by_inverse(a, b),
            (false, false) => self.unsigned_by_inverse(a, b),
        };
        let by_zero = self.add(Prim::Eq, &[b, zero]);
        self.add_to(result, Prim::Select, &[by_zero, ones, quotient]);
    }

    fn signed_in_f64(&mut self, a: Value, b: Value) -> Value {
        let (x, y) = (self.add(Prim::S32ToF64, &[a]), self.add(Prim::S32ToF64, &[b]));
        let quotient = self.quotient(x, y);
        self.add(Prim::F64ToS32, &[quotient])
    }

    fn unsigned_in_f64(&mut self, a: Value, b: Value) -> Value {
        let sign = self.constant(Lane::I32, 0x8000_0000);
        let middle = self.constant(Lane::F64, 2_147_483_648_f64.to_bits());
        let mut float = |value: Value| {
            let shifted = self.add(Prim::Xor, &[value, sign]);
            let float = self.add(Prim::S32ToF64, &[shifted]);
            self.add(Prim::FAdd, &[float, middle])
        };
        let (x, y) = (float(a), float(b));
        let quotient = self.quotient(x, y);
        // The integer part, before it is moved into the range of signed integers.
        let quotient = self.add(Prim::Trunc, &[quotient]);
        let shifted = self.add(Prim::FSub, &[quotient, middle]);
        let shifted = self.add(Prim::F64ToS32, &[shifted]);
        self.add(Prim::Xor, &[shifted, sign])
    }

    /// The quotient of two integers of up to 32 bits in `f64`, whose integer part is exact.
    ///
    /// Where all lanes divide by the same number, they multiply by its inverse, made larger by four units of rounding, `u`. The product then is
    /// 0.9 to 7.1 `u` too large, as a part of itself: integers are not missed from below, and since a quotient that is no integer lies at least the inverse
    /// below the next one, which is more than 7.1 `u` of it, that one is not reached.
    fn quotient(&mut self, x: Value, y: Value) -> Value {
        if self.code.variability(y) != Variability::Uniform {
            return self.add(Prim::FDiv, &[x, y]);
        }
        let (one, larger) = (self.constant(Lane::F64, 1f64.to_bits()), self.constant(Lane::F64, (1.0 + 2.0 * f64::EPSILON).to_bits()));
        let inverse = self.add(Prim::FDiv, &[one, y]);
        let inverse = self.add(Prim::FMul, &[inverse, larger]);
        self.add(Prim::FMul, &[x, inverse])
    }

    /// That of magnitudes, with its sign.
    fn signed_by_inverse(&mut self, a: Value, b: Value) -> Value {
        let (zero, last) = (self.constant(Lane::I32, 0), self.constant(Lane::I32, 31));
        let mut magnitude = |value: Value| {
            let negated = self.add(Prim::Sub, &[zero, value]);
            self.add(Prim::MaxS, &[value, negated])
        };
        let (x, y) = (magnitude(a), magnitude(b));
        let quotient = self.unsigned_by_inverse(x, y);
        let signs = self.add(Prim::Xor, &[a, b]);
        let sign = self.add(Prim::ShrS, &[signs, last]);
        let flipped = self.add(Prim::Xor, &[quotient, sign]);
        self.add(Prim::Sub, &[flipped, sign])
    }

    /// The upper half of the product with the inverse of the divisor, at most 2 less than the quotient, and what is left of the dividend, in which the
    /// divisor is looked for twice more.
    fn unsigned_by_inverse(&mut self, a: Value, b: Value) -> Value {
        let inverse = self.inverse(b);
        let one = self.constant(Lane::I32, 1);
        let mut quotient = self.add(Prim::MulHighU, &[a, inverse]);
        let product = self.add(Prim::Mul, &[quotient, b]);
        let mut rest = self.add(Prim::Sub, &[a, product]);
        for _ in 0..2 {
            // Below zero it is a large number.
            let less = self.add(Prim::Sub, &[rest, b]);
            let left = self.add(Prim::MinU, &[rest, less]);
            let is_less = self.add(Prim::Eq, &[left, rest]);
            let more = self.add(Prim::Add, &[quotient, one]);
            quotient = self.add(Prim::Select, &[is_less, quotient, more]);
            rest = left;
        }
        quotient
    }

    /// 2 to the power of 32 divided by a number that is not zero, less an error that is not below zero. The error is at most 2, but for zeros in place of
    /// the inverses of numbers of which not more than two fit into any other one: tried for all numbers.
    ///
    /// Half of that in `f32`, a little too small in any case, then a step of Newton's iteration, which comes closer from below.
    fn inverse(&mut self, b: Value) -> Value {
        let (zero, one) = (self.constant(Lane::I32, 0), self.constant(Lane::I32, 1));
        let half = self.constant(Lane::F32, u64::from(2_147_483_392_f32.to_bits()));
        let largest = self.constant(Lane::F32, u64::from(4_294_967_296_f32.to_bits()));
        let float = self.add(Prim::S32ToF32, &[b]);
        let is_large = self.add(Prim::LtS, &[b, zero]);
        let float = self.add(Prim::Select, &[is_large, largest, float]);
        let halved = self.add(Prim::FDiv, &[half, float]);
        let halved = self.add(Prim::F32ToS32, &[halved]);
        let inverse = self.add(Prim::Shl, &[halved, one]);
        let product = self.add(Prim::Mul, &[b, inverse]);
        let missing = self.add(Prim::Sub, &[zero, product]);
        let more = self.add(Prim::MulHighU, &[inverse, missing]);
        self.add(Prim::Add, &[inverse, more])
    }
}
