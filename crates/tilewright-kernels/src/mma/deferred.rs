//! Products that are added to the same sums one after the other, as in a loop, and are computed together: reading and writing the sums takes longer than
//! one product of few columns.
#![allow(unsafe_code, reason = "hands matrices on as raw pointers")]

use super::{
    MatmulKind, Shape, amx,
    factors::{Matrix, Room},
    in_tiles,
};
use crate::{ahead::Ahead, cpu::Level};

/// How many products of this kind and shape are worth computing together; 1 if they are computed one by one.
pub fn deferred(level: Level, kind: MatmulKind, shape: &Shape) -> usize {
    in_tiles(level, kind, shape).map_or(1, |factors| amx::deferred(factors, shape))
}

/// Copies of the factors of products of one kind and shape that are still to be added to the same sums. The sums get the bits that one product after the
/// other gives.
#[derive(Default, Debug)]
pub struct Deferred {
    /// What the factors are, the shape of a product, and how many are computed together, if there have been some.
    products: Option<(amx::Factors, Shape, usize)>,
    /// How many there are.
    count: usize,
    raw: Room,
    lhs: Room,
    rhs: Room,
}

impl Deferred {
    /// The most bytes that it needs for products of this kind and shape.
    pub fn most(level: Level, kind: MatmulKind, shape: &Shape) -> usize {
        let Some(factors) = in_tiles(level, kind, shape) else { return 0 };
        let k = shape.k * amx::deferred(factors, shape);
        shape.k * shape.m.max(shape.n) * factors.size() + amx::room(factors, &Shape { k, ..*shape }).iter().sum::<usize>()
    }

    /// Whether as many products wait as are computed together.
    pub fn is_full(&self) -> bool {
        self.products.is_some_and(|(_, _, most)| self.count == most)
    }

    /// Drops the products.
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Takes a product on; `false`, and it is to be computed by itself behind those that wait, if it may be too small for tiles. Fetches what is wanted
    /// `ahead` on the way.
    ///
    /// # Safety
    /// The factors lie in the matrices. Such products are [`deferred`] on this CPU; all that wait have this kind and shape, and as many as are computed
    /// together do not wait yet.
    pub unsafe fn take(&mut self, level: Level, kind: MatmulKind, shape: &Shape, factors: [&Matrix; 2], ahead: &mut Ahead) -> bool {
        let Some(elements) = in_tiles(level, kind, shape) else { return false };
        let most = amx::deferred(elements, shape);
        self.products = Some((elements, *shape, most));
        let [left, right] = amx::room(elements, &Shape { k: most * shape.k, ..*shape });
        let copies = [self.lhs.take(left), self.rhs.take(right)];
        // SAFETY: by the contract; the rooms are as large as the copies of all products that are computed together.
        let is_taken = unsafe { amx::defer(elements, shape, (self.count, most), factors, (&mut self.raw, copies), ahead) };
        self.count += usize::from(is_taken);
        is_taken
    }

    /// Adds all products that wait to `sums`.
    ///
    /// # Safety
    /// The pointer is valid for the sums of the products, in the type of their kind.
    pub unsafe fn add_to(&mut self, sums: *mut u8, ahead: &mut Ahead) {
        let (Some((factors, shape, most)), count) = (self.products, std::mem::take(&mut self.count)) else { return };
        if count == 0 {
            return;
        }
        let copies = [self.lhs.take(0), self.rhs.take(0)].map(<*mut u8>::cast_const);
        // SAFETY: by the contract; the factors were copied when the products were taken on.
        unsafe {
            match factors {
                amx::Factors::Bf16 => amx::add_deferred::<f32>(factors, &shape, (count, most), copies, sums.cast(), ahead),
                amx::Factors::Bytes { .. } => amx::add_deferred::<i32>(factors, &shape, (count, most), copies, sums.cast(), ahead),
            }
        }
    }
}
