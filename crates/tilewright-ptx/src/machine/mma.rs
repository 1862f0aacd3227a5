//! Fragments of matrices, and their products.
//!
//! A fragment is the share of a matrix that one lane holds in its registers. With `g = lane / 4` and `t = lane % 4`, and `p` elements
//! in a register of 32 bits (one `f64` in a register of 64), element `i` of a lane lies
//! - of A (m x k) in row `g`, or `g + 8` where `m` is 16 and `i / p` is odd, in column `t * p + i % p`, plus `4 p` for each further block;
//! - of B (k x n) in column `g` and in row `t * p + i % p + i / p * 4 p`;
//! - of C and D (m x n) in row `g`, or `g + 8` for the second two, in column `2 t + i % 2`.
//!
//! This one rule gives all tables of the PTX manual for the shapes that the table of instructions has.

use super::op::Mods;
use crate::Type;
use tilewright_numeric::{FloatFormat, Rounding, arith, bulk};

/// Where the elements of a product lie.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fragments {
    m: usize,
    n: usize,
    k: usize,
    d: Type,
    a: Type,
    b: Type,
    c: Type,
}

/// Elements of a type in a register.
fn packed(ty: Type) -> usize {
    (32 / ty.bits() as usize).max(1)
}

impl Fragments {
    pub(crate) fn new(mods: &Mods) -> Fragments {
        let [m, n, k] = mods.shape.map(usize::from);
        Fragments { m, n, k, d: mods.ty(0), a: mods.ty(1), b: mods.ty(2), c: mods.ty(3) }
    }

    /// The registers of D, A, B and C.
    pub(crate) fn registers(&self) -> [usize; 4] {
        let of = |elements: usize, ty: Type| elements / 32 / packed(ty);
        [of(self.m * self.n, self.d), of(self.m * self.k, self.a), of(self.k * self.n, self.b), of(self.m * self.n, self.c)]
    }

    /// Row and column of element `i` of A.
    pub(crate) fn a_at(&self, lane: usize, i: usize) -> (usize, usize) {
        let (p, g, t) = (packed(self.a), lane / 4, lane % 4);
        let (half, block) = if self.m == 16 { (i / p % 2, i / (2 * p)) } else { (0, i / p) };
        (g + 8 * half, t * p + i % p + block * 4 * p)
    }

    /// Row and column of element `i` of B.
    pub(crate) fn b_at(&self, lane: usize, i: usize) -> (usize, usize) {
        let (p, g, t) = (packed(self.b), lane / 4, lane % 4);
        (t * p + i % p + i / p * 4 * p, g)
    }

    /// Row and column of element `i` of C and D.
    pub(crate) fn c_at(&self, lane: usize, i: usize) -> (usize, usize) {
        (lane / 4 + 8 * (i / 2), lane % 4 * 2 + i % 2)
    }

    /// The product of what the registers of all lanes hold; gives the registers of D.
    pub(crate) fn multiply(&self, a: &[[u64; 32]], b: &[[u64; 32]], c: &[[u64; 32]], mods: &Mods) -> Vec<[u64; 32]> {
        match self.a {
            Type::S8 | Type::U8 => self.integers(a, b, c, mods.satfinite),
            _ => self.floats(a, b, c, mods.rounding()),
        }
    }

    fn integers(&self, a: &[[u64; 32]], b: &[[u64; 32]], c: &[[u64; 32]], saturate: bool) -> Vec<[u64; 32]> {
        let value = |ty: Type| move |bits: u64| if ty == Type::S8 { i64::from(bits as i8) } else { i64::from(bits as u8) };
        let a = matrix(a, self.a, self.m, self.k, |lane, i| self.a_at(lane, i), value(self.a));
        let b = matrix(b, self.b, self.k, self.n, |lane, i| self.b_at(lane, i), value(self.b));
        let c = matrix(c, self.c, self.m, self.n, |lane, i| self.c_at(lane, i), |bits| i64::from(bits as i32));
        self.scatter(|row, column| {
            let sum: i64 = (0..self.k).map(|k| a[row * self.k + k] * b[k * self.n + column]).sum::<i64>() + c[row * self.n + column];
            let sum = if saturate { sum.clamp(i32::MIN.into(), i32::MAX.into()) } else { sum };
            u64::from(sum as u32)
        })
    }

    /// Products are exact and are summed in `f64`, k upwards, then the accumulator is added and the sum rounded once; `f64` is fused
    /// and rounded at every step.
    fn floats(&self, a: &[[u64; 32]], b: &[[u64; 32]], c: &[[u64; 32]], rounding: Rounding) -> Vec<[u64; 32]> {
        let a = matrix(a, self.a, self.m, self.k, |lane, i| self.a_at(lane, i), |bits| value(self.a, bits));
        let b = matrix(b, self.b, self.k, self.n, |lane, i| self.b_at(lane, i), |bits| value(self.b, bits));
        let c = matrix(c, self.c, self.m, self.n, |lane, i| self.c_at(lane, i), |bits| value(self.c, bits));
        self.scatter(|row, column| {
            let terms = (0..self.k).map(|k| (a[row * self.k + k], b[k * self.n + column]));
            let c = c[row * self.n + column];
            match self.d {
                Type::F64 => terms.fold(c, |sum, (a, b)| arith::fma_f64(a, b, sum, rounding)).to_bits(),
                Type::F16 => u64::from(bulk::f32_to_f16(to_odd(terms.map(|(a, b)| a * b).sum::<f64>() + c))),
                _ => u64::from(tilewright_numeric::float::canonical_f32((terms.map(|(a, b)| a * b).sum::<f64>() + c) as f32).to_bits()),
            }
        })
    }

    /// The registers of D, whose elements `element` gives by row and column.
    fn scatter(&self, element: impl Fn(usize, usize) -> u64) -> Vec<[u64; 32]> {
        let p = packed(self.d);
        let mut registers = vec![[0; 32]; self.registers()[0]];
        for (index, register) in registers.iter_mut().enumerate() {
            for (lane, bits) in register.iter_mut().enumerate() {
                for part in 0..p {
                    let (row, column) = self.c_at(lane, index * p + part);
                    *bits |= element(row, column) << (part as u32 * self.d.bits() % 64);
                }
            }
        }
        registers
    }
}

/// An `f32` that rounds to `f16` as the number itself does.
fn to_odd(x: f64) -> f32 {
    tilewright_numeric::branch_free::f64_to_f32_odd(x)
}

fn value(ty: Type, bits: u64) -> f64 {
    match ty {
        Type::F16 => bulk::f16_to_f32(bits as u16).into(),
        Type::Bf16 => bulk::bf16_to_f32(bits as u16).into(),
        Type::Tf32 => f32::from_bits(tilewright_numeric::convert::tf32_mask(bits as u32)).into(),
        Type::F64 => f64::from_bits(bits),
        Type::E4m3 => FloatFormat::F8E4M3FN.decode(bits),
        Type::E5m2 => FloatFormat::F8E5M2.decode(bits),
        _ => f32::from_bits(bits as u32).into(),
    }
}

/// A matrix, row after row, from the registers of all lanes.
fn matrix<T: Copy + Default>(
    registers: &[[u64; 32]],
    ty: Type,
    rows: usize,
    columns: usize,
    at: impl Fn(usize, usize) -> (usize, usize),
    value: impl Fn(u64) -> T,
) -> Vec<T> {
    let p = packed(ty);
    let mask = u64::MAX >> (64 - ty.bits());
    let mut all = vec![T::default(); rows * columns];
    for (index, register) in registers.iter().enumerate() {
        for (lane, bits) in register.iter().enumerate() {
            for part in 0..p {
                let (row, column) = at(lane, index * p + part);
                all[row * columns + column] = value(bits >> (part as u32 * ty.bits() % 64) & mask);
            }
        }
    }
    all
}
