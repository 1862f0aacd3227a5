//! Products that are added to the same sums one after the other, as in a loop, and are computed together: reading and writing the sums takes longer than
//! one product of few columns.
#![allow(unsafe_code, reason = "hands matrices on as raw pointers")]

use super::{
    MatmulKind, Shape, amx,
    factors::{Matrices, Room},
    in_tiles,
};
use crate::{ahead::Ahead, cpu::Level};

/// How many products of this kind and shape are worth computing together; 1 if they are computed one by one.
pub fn deferred(level: Level, kind: MatmulKind, shape: &Shape) -> usize {
    in_tiles(level, kind, shape).map_or(1, |factors| amx::deferred(factors, shape))
}

/// Products of a batch, which have sums of their own, one behind the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Batch {
    /// How many there are.
    pub products: usize,
    /// How many different left factors they have, and right ones: as many, or one.
    pub factors: [usize; 2],
}

impl Batch {
    /// One product.
    pub const ONE: Batch = Batch { products: 1, factors: [1; 2] };

    /// Which of a factor's copies a product reads.
    fn copy(self, side: usize, product: usize) -> usize {
        product.min(self.factors[side] - 1)
    }
}

/// Copies of the factors of products of one kind and shape that are still to be added to the same sums. The sums get the bits that one product after the
/// other gives.
#[derive(Default, Debug)]
pub struct Deferred {
    /// What waits, if there has been something.
    waiting: Option<Waiting>,
    /// How many products of each of a batch wait.
    count: usize,
    raw: Room,
    /// The left factors of a product of the batch behind those of the one before, and the right ones.
    copies: [Room; 2],
}

/// Products that are computed together.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    factors: amx::Factors,
    shape: Shape,
    batch: Batch,
    /// How many of each of the batch there are at most.
    most: usize,
}

impl Waiting {
    fn new(level: Level, kind: MatmulKind, shape: &Shape, batch: Batch) -> Option<Waiting> {
        let factors = in_tiles(level, kind, shape)?;
        Some(Waiting { factors, shape: *shape, batch, most: amx::deferred(factors, shape) })
    }

    /// Bytes of the copies of both factors of one product of the batch.
    fn room(&self) -> [usize; 2] {
        amx::room(self.factors, &Shape { k: self.most * self.shape.k, ..self.shape })
    }
}

impl Deferred {
    /// The most bytes that it needs for products of this kind and shape.
    pub fn most(level: Level, kind: MatmulKind, shape: &Shape, batch: Batch) -> usize {
        let Some(waiting) = Waiting::new(level, kind, shape, batch) else { return 0 };
        let raw = shape.k * shape.m.max(shape.n) * waiting.factors.size();
        raw + waiting.room().iter().zip(batch.factors).map(|(room, copies)| room * copies).sum::<usize>()
    }

    /// Whether as many products wait as are computed together.
    pub fn is_full(&self) -> bool {
        self.waiting.is_some_and(|waiting| self.count == waiting.most)
    }

    /// Drops the products.
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Takes a product of each of a batch on; `false`, and they are to be computed by themselves behind those that wait, if one may be too small for tiles.
    /// Fetches what is wanted `ahead` on the way.
    ///
    /// # Safety
    /// The factors lie in the matrices, as many as the batch has. Such products are [`deferred`] on this CPU; all that wait have this kind, shape and
    /// batch, and as many as are computed together do not wait yet.
    pub unsafe fn take(
        &mut self,
        level: Level,
        kind: MatmulKind,
        shape: &Shape,
        batch: Batch,
        [left, right]: [&Matrices; 2],
        ahead: &mut Ahead,
    ) -> bool {
        let Some(waiting) = Waiting::new(level, kind, shape, batch) else { return false };
        self.waiting = Some(waiting);
        let Waiting { factors, most, .. } = waiting;
        let (rooms, number) = (waiting.room(), (self.count, most));
        ahead.cut(amx::parts_of_copies(factors, shape, batch.factors));
        let mut copy = |side: amx::Side, matrices: &Matrices| {
            let (copies, room) = (batch.factors[side as usize], rooms[side as usize]);
            let to = self.copies[side as usize].take::<u8>(copies * room);
            // SAFETY: by the contract; the room is as large as the copies of all products that are computed together.
            let one = |i| unsafe { amx::defer(side, factors, shape, number, &matrices.of(i), (&mut self.raw, to.add(i * room)), ahead) };
            (0..copies).map(one).reduce(amx::Least::with)
        };
        let least = copy(amx::Side::Left, left).zip(copy(amx::Side::Right, right));
        let is_taken = least.is_some_and(|(left, right)| amx::are_normal(factors, left, right));
        self.count += usize::from(is_taken);
        is_taken
    }

    /// Adds all products that wait to `sums`.
    ///
    /// # Safety
    /// The pointer is valid for the sums of the products of a batch, in the type of their kind.
    pub unsafe fn add_to(&mut self, sums: *mut u8, ahead: &mut Ahead) {
        let (Some(waiting), count) = (self.waiting, std::mem::take(&mut self.count)) else { return };
        if count == 0 {
            return;
        }
        let Waiting { factors, shape, batch, most } = waiting;
        let rooms = waiting.room();
        let copies = self.copies.each_mut().map(|room| room.take::<u8>(0).cast_const());
        for product in 0..batch.products {
            // SAFETY: by the contract; the factors were copied when the products were taken on.
            unsafe {
                let copies = [0, 1].map(|side| copies[side].add(batch.copy(side, product) * rooms[side]));
                let sums = sums.add(product * shape.m * shape.n * amx::WORD);
                match factors {
                    amx::Factors::Bf16 => amx::add_deferred::<f32>(factors, &shape, (count, most), copies, sums.cast(), ahead),
                    amx::Factors::Bytes { .. } => amx::add_deferred::<i32>(factors, &shape, (count, most), copies, sums.cast(), ahead),
                }
            }
        }
    }
}
