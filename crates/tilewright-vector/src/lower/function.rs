//! Elementary functions of `f32`: the functions of `tilewright-numeric` themselves, run on values of the code in place of numbers.

use super::*;
use std::{
    cell::RefCell,
    ops::{Add, Div, Mul, Sub},
};
use tilewright_numeric::lanes::{self, Lanes};

/// A value of the code that is being built, as a number that functions compute with.
#[derive(Clone, Copy)]
struct Traced<'a, 'b> {
    lowering: &'a RefCell<Lowering<'b>>,
    value: Value,
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
}

macro_rules! operators {
    ($($op:ident $method:ident $prim:ident;)*) => {$(
        impl $op for Traced<'_, '_> {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                self.prim(Prim::$prim, &[self.value, other.value])
            }
        }
    )*};
}
operators! {
    Add add FAdd;
    Sub sub FSub;
    Mul mul FMul;
    Div div FDiv;
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
        self.with(|lowering| {
            let magnitude = lowering.abs(self.value);
            let sign = lowering.with_bits(sign.value, Prim::And, 1 << 63);
            let (magnitude, sign) = (lowering.p(Prim::Bits32, &[magnitude]), lowering.p(Prim::Bits32, &[sign]));
            let bits = lowering.p(Prim::Or, &[magnitude, sign]);
            lowering.p(Prim::Float32, &[bits])
        })
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
            lowering.builder.lookup(index, table)
        })
    }

    fn scaled(self, shifted: Self) -> Self {
        self.with(|lowering| {
            // In two steps, because the power may be behind the range.
            let (four, one) = (lowering.i32(4), lowering.i32(1));
            let bits = lowering.p(Prim::Bits32, &[shifted.value]);
            let n = lowering.p(Prim::ShrU, &[bits, four]);
            let half = lowering.p(Prim::ShrU, &[n, one]);
            let rest = lowering.p(Prim::Sub, &[n, half]);
            let (half, rest) = (lowering.power_of_two(half), lowering.power_of_two(rest));
            let scaled = lowering.p(Prim::FMul, &[self.value, half]);
            lowering.p(Prim::FMul, &[scaled, rest])
        })
    }
}

impl Lowering<'_> {
    /// 2 to the power of the low bits of an integer.
    fn power_of_two(&mut self, n: Value) -> Value {
        let (places, one) = (self.i32(23), self.i32(1f32.to_bits()));
        let exponent = self.p(Prim::Shl, &[n, places]);
        let bits = self.p(Prim::Add, &[exponent, one]);
        self.p(Prim::Float32, &[bits])
    }

    /// A function of floats of up to 32 bits, rounded to their type.
    pub(super) fn function(&mut self, op: ElemOp, elem: Elem, x: Value) -> Option<Value> {
        let ftz = matches!(op, ElemOp::Exp2(true) | ElemOp::Rsqrt(true));
        let x = if ftz { self.flushed(x) } else { x };
        let value = match op {
            ElemOp::Exp => self.traced(x, |x| lanes::exp(x)),
            ElemOp::Exp2(_) => self.traced(x, |x| lanes::exp2(x)),
            ElemOp::Tanh => self.traced(x, |x| lanes::tanh(x)),
            ElemOp::Rsqrt(_) => {
                let (wide, one) = (self.p(Prim::Widen, &[x]), self.f64(1.0));
                let root = self.p(Prim::Sqrt, &[wide]);
                let inverse = self.p(Prim::FDiv, &[one, root]);
                self.p(Prim::Narrow, &[inverse])
            }
            _ => return None,
        };
        let value = if ftz { self.flushed(value) } else { value };
        Some(self.round_to(elem, value))
    }

    fn traced(&mut self, x: Value, function: impl for<'a, 'b> FnOnce(Traced<'a, 'b>) -> Traced<'a, 'b>) -> Value {
        let lowering = RefCell::new(Lowering { builder: self.builder });
        function(Traced { lowering: &lowering, value: x }).value
    }
}
