//! Products of matrices that tensor cores have, as `mma.sync` does them.

use crate::Target;
use std::fmt;
use tilewright_ir::Scalar;
use tilewright_vector::Lane;

/// A product of matrices: the types of its factors decide its shape and the type of its sums.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Product {
    /// 16 x 8 x 16, sums of `f32`. Before `sm_89` that of `f8`, too.
    F16,
    /// 16 x 8 x 16, sums of `f32`.
    Bf16,
    /// 16 x 8 x 8, sums of `f32`.
    Tf32,
    /// 8 x 8 x 4, sums of `f64`.
    F64,
    /// 16 x 8 x 32, sums of `f32`; from `sm_89` on.
    F8 {
        /// Whether the left and the right factors have 5 bits of exponent, not 4.
        e5m2: [bool; 2],
    },
    /// 16 x 8 x 32, sums of `i32`.
    I8 {
        /// Whether the left and the right factors are signed.
        signed: [bool; 2],
    },
}

impl Product {
    /// Of factors of these types, where the target has it; whether the left and the right ones are signed matters for integers. Where it has none of `f8`,
    /// that of `f16` is given, which holds all numbers of `f8`.
    pub fn of(scalars: [Scalar; 2], signed: [bool; 2], target: Target) -> Option<Product> {
        match scalars {
            [Scalar::F16, Scalar::F16] => Some(Product::F16),
            [Scalar::Bf16, Scalar::Bf16] => Some(Product::Bf16),
            [Scalar::Tf32, Scalar::Tf32] => Some(Product::Tf32),
            [Scalar::F64, Scalar::F64] => Some(Product::F64),
            [Scalar::I8, Scalar::I8] => Some(Product::I8 { signed }),
            _ if scalars.iter().all(|scalar| matches!(scalar, Scalar::F8E4M3FN | Scalar::F8E5M2)) => match target {
                Target::Sm80 | Target::Sm86 => Some(Product::F16),
                _ => Some(Product::F8 { e5m2: scalars.map(|scalar| scalar == Scalar::F8E5M2) }),
            },
            _ => None,
        }
    }

    /// Bits of the number of factors in a register.
    pub const fn packed(self) -> u32 {
        match self {
            Product::F16 | Product::Bf16 => 1,
            Product::Tf32 | Product::F64 => 0,
            Product::I8 { .. } | Product::F8 { .. } => 2,
        }
    }

    /// Rows, columns and terms, as bits.
    pub const fn shape(self) -> [u32; 3] {
        match self {
            Product::F64 => [3, 3, 2],
            _ => [4, 3, self.packed() + 3],
        }
    }

    /// Registers of the sums, of the left and of the right factors.
    pub const fn registers(self) -> [usize; 3] {
        match self {
            Product::F64 => [2, 1, 1],
            _ => [4, 4, 2],
        }
    }

    /// The types of the registers of the sums and of the factors.
    pub const fn lanes(self) -> [Lane; 2] {
        match self {
            Product::F16 | Product::Bf16 | Product::Tf32 | Product::F8 { .. } => [Lane::F32, Lane::I32],
            Product::F64 => [Lane::F64, Lane::F64],
            Product::I8 { .. } => [Lane::I32, Lane::I32],
        }
    }
}

/// As the instruction is named: shape, order of the factors, and types.
impl fmt::Display for Product {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [m, n, k] = self.shape().map(|bits| 1 << bits);
        let format = |e5m2: bool| if e5m2 { "e5m2" } else { "e4m3" };
        let sign = |signed: bool| if signed { "s8" } else { "u8" };
        let (sum, lhs, rhs) = match self {
            Product::F16 => ("f32", "f16", "f16"),
            Product::Bf16 => ("f32", "bf16", "bf16"),
            Product::Tf32 => ("f32", "tf32", "tf32"),
            Product::F64 => ("f64", "f64", "f64"),
            Product::F8 { e5m2: [lhs, rhs] } => ("f32", format(*lhs), format(*rhs)),
            Product::I8 { signed: [lhs, rhs] } => ("s32", sign(*lhs), sign(*rhs)),
        };
        write!(f, "m{m}n{n}k{k}.row.col.{sum}.{lhs}.{rhs}.{sum}")
    }
}
