//! Four vectors that take each step of a function together.
//!
//! The steps of one vector wait for each other, and the CPU's scheduler is full of them before it sees the next vector's. So neighbouring
//! instructions are those of different vectors: of as many as the registers hold with all that a function needs of them.

use std::ops::{Add, Div, Mul, Sub};
use tilewright_numeric::lanes::Lanes;

/// As many numbers as four vectors have.
#[derive(Clone, Copy)]
pub(super) struct Four<V>(pub(super) [V; 4]);

/// The same for each of four vectors.
macro_rules! four {
    (|$i:ident| $x:expr) => {
        four!([0, 1, 2, 3] |$i| $x)
    };
    ([$($at:literal),*] |$i:ident| $x:expr) => {
        Four([$({
            let $i = $at;
            $x
        }),*])
    };
}

/// Declares operators of vectors.
macro_rules! operators {
    ($($op:ident $method:ident),*) => {$(
        impl<V: Lanes> $op for Four<V> {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                four!(|i| self.0[i].$method(other.0[i]))
            }
        }
    )*};
}
operators! { Add add, Sub sub, Mul mul, Div div }

impl<V: Lanes> Lanes for Four<V> {
    #[inline(always)]
    fn splat(self, value: f32) -> Self {
        Four([self.0[0].splat(value); 4])
    }

    #[inline(always)]
    fn fused(self, y: Self, z: Self) -> Self {
        four!(|i| self.0[i].fused(y.0[i], z.0[i]))
    }

    #[inline(always)]
    fn at_least(self, low: Self) -> Self {
        four!(|i| self.0[i].at_least(low.0[i]))
    }

    #[inline(always)]
    fn at_most(self, high: Self) -> Self {
        four!(|i| self.0[i].at_most(high.0[i]))
    }

    #[inline(always)]
    fn abs(self) -> Self {
        four!(|i| self.0[i].abs())
    }

    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        four!(|i| self.0[i].copysign(sign.0[i]))
    }

    #[inline(always)]
    fn flushed(self) -> Self {
        four!(|i| self.0[i].flushed())
    }

    #[inline(always)]
    fn upper_bits(self) -> Self {
        four!(|i| self.0[i].upper_bits())
    }

    #[inline(always)]
    fn pick(self, table: &[f32; 16]) -> Self {
        four!(|i| self.0[i].pick(table))
    }

    #[inline(always)]
    fn scaled(self, shifted: Self) -> Self {
        four!(|i| self.0[i].scaled(shifted.0[i]))
    }
}
