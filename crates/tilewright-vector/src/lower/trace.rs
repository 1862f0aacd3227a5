//! Values of the code that is being built, as numbers that functions compute with.

use super::*;
use std::{
    cell::RefCell,
    ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub},
};
use tilewright_numeric::lanes::{
    Branchless, DoubleLanes, EIGHTHS, FusedLanes, Lanes, MaskLanes, Pair, SingleLanes, THREE_QUARTERS_BITS, WordLanes,
};

/// A value. It stands for a float, an integer or a mask, as its type says; what is done to it becomes primitives.
#[derive(Clone, Copy)]
pub(super) struct Traced<'a, 'b> {
    lowering: &'a RefCell<Lowering<'b>>,
    value: Value,
}

impl Lowering<'_> {
    /// What a function makes of values.
    pub(super) fn traced<const N: usize>(
        &mut self,
        values: [Value; N],
        function: impl for<'a, 'b> FnOnce([Traced<'a, 'b>; N]) -> Traced<'a, 'b>,
    ) -> Value {
        let lowering = RefCell::new(Lowering { builder: self.builder });
        function(values.map(|value| Traced { lowering: &lowering, value })).value
    }
}

impl Traced<'_, '_> {
    /// What a step of the lowering gives.
    fn with(self, step: impl FnOnce(&mut Lowering<'_>) -> Value) -> Self {
        let value = step(&mut self.lowering.borrow_mut());
        Traced { value, ..self }
    }

    fn prim(self, prim: Prim, operands: &[Value]) -> Self {
        self.with(|lowering| lowering.p(prim, operands))
    }

    fn lane(self) -> Lane {
        self.lowering.borrow().builder.lane(self.value)
    }

    /// The primitive on integers, floats or masks, as the type is.
    fn by_type(self, other: Self, int: Prim, float: Prim, mask: Prim) -> Self {
        let lane = self.lane();
        let prim = if lane == Lane::Mask {
            mask
        } else if lane.is_int() {
            int
        } else {
            float
        };
        self.prim(prim, &[self.value, other.value])
    }

    fn double(self, value: f64) -> Self {
        self.with(|lowering| lowering.f64(value))
    }

    /// An integer of as many bits.
    fn word(self, value: u64) -> Self {
        let lane = self.lane();
        self.with(|lowering| lowering.number(lane, value))
    }
}

macro_rules! operators {
    ($($op:ident $method:ident $int:ident $float:ident $mask:ident;)*) => {$(
        impl $op for Traced<'_, '_> {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                self.by_type(other, Prim::$int, Prim::$float, Prim::$mask)
            }
        }
    )*};
    (with $number:ident $constant:ident: $($op:ident $method:ident)*) => {$(
        impl $op<$number> for Traced<'_, '_> {
            type Output = Self;
            fn $method(self, other: $number) -> Self {
                self.$method(self.$constant(other))
            }
        }
    )*};
}
// A type that has no such operation does not get here: the traits below say what each has.
operators! {
    Add add Add FAdd MXor;
    Sub sub Sub FSub MXor;
    Mul mul Mul FMul MAnd;
    Div div DivU FDiv MAnd;
    BitAnd bitand And FMul MAnd;
    BitOr bitor Or FAdd MOr;
    BitXor bitxor Xor FSub MXor;
}
operators! { with f64 double: Add add Sub sub Mul mul }
operators! { with u64 word: Add add Sub sub BitAnd bitand BitOr bitor }

impl Neg for Traced<'_, '_> {
    type Output = Self;
    fn neg(self) -> Self {
        self.with(|lowering| lowering.with_bits(self.value, Prim::Xor, 1 << 63))
    }
}

impl Not for Traced<'_, '_> {
    type Output = Self;
    fn not(self) -> Self {
        if self.lane() == Lane::Mask { self.prim(Prim::MNot, &[self.value]) } else { self ^ self.word(u64::MAX) }
    }
}

impl MaskLanes for Traced<'_, '_> {}

impl<'a, 'b> Branchless for Traced<'a, 'b> {
    type Mask = Traced<'a, 'b>;

    fn select(mask: Self, yes: Self, no: Self) -> Self {
        mask.prim(Prim::Select, &[mask.value, yes.value, no.value])
    }

    fn repeat<const N: usize>(
        running: Self,
        carried: [Self; N],
        limit: u32,
        mut step: impl FnMut([Self; N]) -> (Self, [Self; N]),
    ) -> [Self; N] {
        let of = |first: Self, others: [Self; N]| -> Vec<Value> { std::iter::once(first).chain(others).map(|x| x.value).collect() };
        let open = |values: Vec<Value>| -> [Self; N] { std::array::from_fn(|i| Traced { value: values[i + 1], ..running }) };
        let inside = running.lowering.borrow_mut().builder.open_while(&of(running, carried));
        let (next_running, nexts) = step(open(inside));
        open(running.lowering.borrow_mut().builder.close_while(limit, &of(next_running, nexts)))
    }
}

impl Lanes for Traced<'_, '_> {
    fn splat(self, value: f32) -> Self {
        self.with(|lowering| lowering.f32(value))
    }

    fn fused(self, y: Self, z: Self) -> Self {
        self.prim(Prim::Fma, &[self.value, y.value, z.value])
    }

    fn at_least(self, low: Self) -> Self {
        self.prim(Prim::FMax, &[low.value, self.value])
    }

    fn at_most(self, high: Self) -> Self {
        self.prim(Prim::FMin, &[high.value, self.value])
    }

    fn abs(self) -> Self {
        self.with(|lowering| lowering.abs(self.value))
    }

    fn copysign(self, sign: Self) -> Self {
        self.with(|lowering| lowering.copysign(self.value, sign.value))
    }

    fn flushed(self) -> Self {
        self.with(|lowering| lowering.flushed(self.value))
    }

    fn upper_bits(self) -> Self {
        self.with(|lowering| {
            let (bits, places) = (lowering.p(Prim::Bits32, &[self.value]), lowering.i32(21));
            let upper = lowering.p(Prim::ShrU, &[bits, places]);
            lowering.p(Prim::Float32, &[upper])
        })
    }

    fn pick(self, table: &[f32; 16]) -> Self {
        self.with(|lowering| {
            let index = lowering.p(Prim::Bits32, &[self.value]);
            lowering.builder.lookup(index, &table.map(f32::to_bits))
        })
    }

    fn scaled(self, shifted: Self) -> Self {
        self.with(|lowering| {
            // The exponent and some eighths, which are cut off.
            let eighths = lowering.f32(EIGHTHS);
            let exponent = lowering.p(Prim::FSub, &[shifted.value, eighths]);
            lowering.p(Prim::Scale, &[self.value, exponent])
        })
    }
}

impl<'a, 'b> SingleLanes for Traced<'a, 'b> {
    type Words = Traced<'a, 'b>;

    fn sqrt(self) -> Self {
        self.prim(Prim::Sqrt, &[self.value])
    }

    fn is_below(self, other: Self) -> Self {
        self.prim(Prim::FLt, &[self.value, other.value])
    }

    fn exponent_and_rest(self) -> (Self, Self) {
        let exponent = self.with(|lowering| {
            let (bits, begin) = (lowering.p(Prim::Bits32, &[self.value]), lowering.number(Lane::I32, THREE_QUARTERS_BITS.into()));
            let (above, places) = (lowering.p(Prim::Sub, &[bits, begin]), lowering.i32(23));
            lowering.p(Prim::ShrS, &[above, places])
        });
        let rest = self.with(|lowering| {
            let (bits, places) = (lowering.p(Prim::Bits32, &[self.value]), lowering.i32(23));
            let power = lowering.p(Prim::Shl, &[exponent.value, places]);
            let rest = lowering.p(Prim::Sub, &[bits, power]);
            lowering.p(Prim::Float32, &[rest])
        });
        (exponent.prim(Prim::S32ToF32, &[exponent.value]), rest)
    }

    fn words(self) -> Self {
        self.prim(Prim::Bits32, &[self.value])
    }
}

impl<'a, 'b> DoubleLanes for Traced<'a, 'b> {
    type Words = Traced<'a, 'b>;

    fn splat(self, value: f64) -> Self {
        self.double(value)
    }

    fn product(self, other: Self) -> Pair<Self> {
        let high = self * other;
        Pair { high, low: FusedLanes::fused(self, other, -high) }
    }

    fn sqrt(self) -> Self {
        self.prim(Prim::Sqrt, &[self.value])
    }

    fn trunc(self) -> Self {
        self.prim(Prim::Trunc, &[self.value])
    }

    fn abs(self) -> Self {
        Lanes::abs(self)
    }

    fn copysign(self, sign: Self) -> Self {
        Lanes::copysign(self, sign)
    }

    fn at_least(self, low: f64) -> Self {
        Lanes::at_least(self, self.double(low))
    }

    fn at_most(self, high: f64) -> Self {
        Lanes::at_most(self, self.double(high))
    }

    fn is_below(self, other: Self) -> Self {
        self.prim(Prim::FLt, &[self.value, other.value])
    }

    fn is_at_most(self, other: Self) -> Self {
        self.prim(Prim::FLe, &[self.value, other.value])
    }

    fn is_equal(self, other: Self) -> Self {
        self.prim(Prim::FEq, &[self.value, other.value])
    }

    fn is_negative(self) -> Self {
        self.with(|lowering| lowering.negative(self.value))
    }

    fn words(self) -> Self {
        self.prim(Prim::Bits64, &[self.value])
    }
}

impl FusedLanes for Traced<'_, '_> {
    fn fused(self, y: Self, z: Self) -> Self {
        Lanes::fused(self, y, z)
    }
}

impl<'a, 'b> WordLanes for Traced<'a, 'b> {
    type Floats = Traced<'a, 'b>;

    fn splat(self, value: u64) -> Self {
        self.word(value)
    }

    fn mul_high(self, other: Self) -> Self {
        self.prim(Prim::MulHighU, &[self.value, other.value])
    }

    fn shl(self, places: Self) -> Self {
        self.prim(Prim::Shl, &[self.value, places.value])
    }

    fn shr(self, places: Self) -> Self {
        self.prim(Prim::ShrU, &[self.value, places.value])
    }

    fn is_below(self, other: Self) -> Self {
        self.prim(Prim::LtU, &[self.value, other.value])
    }

    fn is_equal(self, other: Self) -> Self {
        self.prim(Prim::Eq, &[self.value, other.value])
    }

    fn pick(self, table: &[u64; 16]) -> Self {
        let is_short = self.lane() == Lane::I32;
        self.with(|lowering| {
            // Tables are of 32 bits.
            let part = |lowering: &mut Lowering<'_>, index: Value, from: u32| {
                let part = lowering.builder.lookup(index, &table.map(|word| (word >> from) as u32));
                lowering.p(Prim::Bits32, &[part])
            };
            if is_short {
                return part(lowering, self.value, 0);
            }
            let index = lowering.p(Prim::Low32Of64, &[self.value]);
            let [low, high] = [0, 32].map(|from| {
                let half = part(lowering, index, from);
                lowering.p(Prim::U32To64, &[half])
            });
            let places = lowering.number(Lane::I64, 32);
            let high = lowering.p(Prim::Shl, &[high, places]);
            lowering.p(Prim::Or, &[high, low])
        })
    }

    fn floats(self) -> Self {
        let prim = if self.lane() == Lane::I32 { Prim::Float32 } else { Prim::Float64 };
        self.prim(prim, &[self.value])
    }
}
