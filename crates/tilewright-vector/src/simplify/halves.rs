//! Arithmetic of binary16 for instruction sets that have it, in place of `f32` that is rounded after each step.
//!
//! ```text
//! f32to16 (fadd (f16to32 a) (f16to32 b)) ─► hadd a, b                  where it is rounded: likewise differences and products
//! fmaf16 (f16to32 a), ...                ─► f16to32 (hfma a, ...)
//! flt (f16to32 a), (f16to32 b)           ─► hlt a, b
//! ```
//!
//! Minima, maxima, selects and signs on the way to one of these are binary16, too. What is read as `f32`, as by a function, stays so. Sums are as if
//! they were rounded once: `f32` has more than twice the digits.

use super::*;
use tilewright_numeric::bulk::{f16_to_f32, f32_to_f16};

const SIGN: u64 = 1 << 31;
/// How many primitives that round nothing are looked through.
const DEEPEST: usize = 8;

/// Which numbers of `f32` are asked for in binary16.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// Those that are numbers of binary16.
    Exact,
    /// All, rounded.
    Rounded,
}

impl Simplifier<'_> {
    /// What a primitive on numbers of `f32` can be replaced by, if they are computed in binary16.
    pub(super) fn of_halves(&mut self, prim: Prim, operands: [Value; 3]) -> Option<Simpler> {
        let [a, b, _] = operands;
        match prim {
            Prim::RoundF16 => self.half(a, Wanted::Rounded, DEEPEST).map(Simpler::Value),
            Prim::FmaF16 => {
                // All of them are numbers of binary16.
                let exact =
                    operands.map(|number| self.half(number, Wanted::Exact, DEEPEST).unwrap_or_else(|| self.add(Prim::RoundF16, &[number])));
                let half = self.add(Prim::HalfFma, &exact);
                Some(Simpler::Prim(Prim::WidenF16, [half; 3]))
            }
            Prim::FEq | Prim::FLt | Prim::FLe if self.lane(b) == Lane::F32 => {
                let compare = match prim {
                    Prim::FEq => Prim::HalfEq,
                    Prim::FLt => Prim::HalfLt,
                    _ => Prim::HalfLe,
                };
                // A sum is NaN if what it is rounded to is.
                let wanted = if a == b { Wanted::Rounded } else { Wanted::Exact };
                let (a, b) = self.halves(a, b, wanted, DEEPEST)?;
                Some(Simpler::Prim(compare, [a, b, b]))
            }
            _ => None,
        }
    }

    fn halves(&mut self, a: Value, b: Value, wanted: Wanted, deep: usize) -> Option<(Value, Value)> {
        Some((self.half(a, wanted, deep)?, self.half(b, wanted, deep)?))
    }

    /// A number of `f32` in binary16, if it can be computed so, looking through so many primitives.
    fn half(&mut self, number: Value, wanted: Wanted, deep: usize) -> Option<Value> {
        if let Some(bits) = self.bits(number) {
            return self.half_constant(bits, wanted);
        }
        let (prim, [a, b, c]) = self.computed[number.index()]?;
        if prim == Prim::WidenF16 {
            return Some(a);
        }
        let deep = deep.checked_sub(1)?;
        let arithmetic = match prim {
            Prim::Float32 => return self.half_of_bits(a, wanted, deep),
            Prim::Select => {
                let (yes, no) = self.halves(b, c, wanted, deep)?;
                return Some(self.add(Prim::Select, &[a, yes, no]));
            }
            Prim::MinNum | Prim::MaxNum => {
                let (a, b) = self.halves(a, b, Wanted::Exact, deep)?;
                return Some(self.extreme_number(prim == Prim::MaxNum, a, b));
            }
            Prim::FMin => Prim::HalfMin,
            Prim::FMax => Prim::HalfMax,
            _ if wanted == Wanted::Exact => return None,
            Prim::FAdd => Prim::HalfAdd,
            Prim::FSub => Prim::HalfSub,
            Prim::FMul => Prim::HalfMul,
            _ => return None,
        };
        let (a, b) = self.halves(a, b, Wanted::Exact, deep)?;
        Some(self.add(arithmetic, &[a, b]))
    }

    /// The same of the number whose bits these are.
    fn half_of_bits(&mut self, of: Value, wanted: Wanted, deep: usize) -> Option<Value> {
        if let Some(bits) = self.bits(of) {
            return self.half_constant(bits, wanted);
        }
        let deep = deep.checked_sub(1)?;
        match self.computed[of.index()]? {
            (Prim::Bits32, [number, ..]) => self.half(number, wanted, deep),
            (Prim::Select, [mask, yes, no]) => {
                let (yes, no) = (self.half_of_bits(yes, wanted, deep)?, self.half_of_bits(no, wanted, deep)?);
                Some(self.add(Prim::Select, &[mask, yes, no]))
            }
            (prim, [of, mask, _]) => {
                // The sign cleared, or changed.
                let changes = [(Prim::And, SIGN - 1), (Prim::Xor, SIGN)];
                let mask = self.bits(mask).filter(|mask| changes.contains(&(prim, *mask)))?;
                let half = self.half_of_bits(of, wanted, deep)?;
                let mask = self.constant(Lane::I16, mask >> 16);
                Some(self.add(prim, &[half, mask]))
            }
        }
    }

    fn half_constant(&mut self, bits: u64, wanted: Wanted) -> Option<Value> {
        let half = f32_to_f16(f32::from_bits(bits as u32));
        let is_exact = u64::from(f16_to_f32(half).to_bits()) == bits;
        (is_exact || wanted == Wanted::Rounded).then(|| self.constant(Lane::I16, half.into()))
    }

    /// The larger or smaller number: +0 above -0; of NaN and a number the number.
    fn extreme_number(&mut self, larger: bool, x: Value, y: Value) -> Value {
        let (extreme, both) = if larger { (Prim::HalfMax, Prim::And) } else { (Prim::HalfMin, Prim::Or) };
        let value = self.add(extreme, &[x, y]);
        // Equal numbers differ in the sign of zeros at most.
        let (equal, both) = (self.add(Prim::HalfEq, &[x, y]), self.add(both, &[x, y]));
        let value = self.add(Prim::Select, &[equal, both, value]);
        let number = self.add(Prim::HalfEq, &[y, y]);
        self.add(Prim::Select, &[number, value, x])
    }

    /// What a primitive gives, which is computed in front of what is looked at.
    fn add(&mut self, prim: Prim, operands: &[Value]) -> Value {
        let operands: [Value; 3] = std::array::from_fn(|n| operands[n.min(operands.len() - 1)]);
        let result = self.value(prim.result(self.lane(operands[prim.arity() - 1])));
        if let Some((prim, operands)) = self.simplest(result, prim, operands) {
            self.made.push((result, prim, operands));
        }
        self.instead(result)
    }
}
