//! Counted loops.

use super::frame::Frame;
use crate::{
    LaunchErrorKind,
    elem::Elem,
    plan::{Tile, VReg},
};
use tilewright_ir::Scalar;

const I32: Elem = Elem::Num(Scalar::I32);

/// The state of a counted loop.
pub(super) struct Count<'a> {
    pub(super) counter: VReg,
    pub(super) upper: &'a Tile,
    pub(super) step: &'a Tile,
    pub(super) signed: bool,
}

impl Count<'_> {
    /// The bits of counter, upper bound and step; sign-extended if they are signed, else zero-extended.
    #[inline]
    pub(super) fn values(&self, regs: &Frame) -> [u64; 3] {
        // The usual type, whose size the compiler then knows.
        if self.upper.elem == I32 { self.values_of(I32, regs) } else { self.values_of(self.upper.elem, regs) }
    }

    #[inline(always)]
    fn values_of(&self, elem: Elem, regs: &Frame) -> [u64; 3] {
        let read = |tile: &Tile| regs.scalar_of(tile, elem.size());
        let [counter, upper, step] = [regs.register_scalar(self.counter, elem.size()), read(self.upper), read(self.step)];
        // What is above the number is shifted out.
        let above = u64::BITS - elem.bits();
        if self.signed {
            [counter, upper, step].map(|bits| ((bits << above).cast_signed() >> above).cast_unsigned())
        } else {
            [counter, upper, step].map(|bits| bits << above >> above)
        }
    }

    fn is_below(&self, a: u64, b: u64) -> bool {
        if self.signed { a.cast_signed() < b.cast_signed() } else { a < b }
    }

    /// Whether there is a first iteration.
    pub(super) fn begin(&self, regs: &Frame) -> Result<bool, LaunchErrorKind> {
        let [counter, upper, step] = self.values(regs);
        let is_first = self.is_below(counter, upper);
        if is_first && !self.is_below(0, step) {
            return Err(LaunchErrorKind::LoopStep(step.cast_signed()));
        }
        Ok(is_first)
    }

    /// How many iterations there are, where there is a first one.
    pub(super) fn rounds(&self, [counter, upper, step]: [u64; 3]) -> u64 {
        // The difference of two signed numbers is one without sign.
        (upper.wrapping_sub(counter) - 1) / step + 1
    }

    /// Counts on; whether there is another iteration. Counting past the end of the type ends the loop.
    #[inline]
    pub(super) fn advance(&self, regs: &Frame) -> bool {
        if self.upper.elem == I32 && self.signed { self.advance_i32(regs) } else { self.advance_from(&mut self.values(regs), regs) }
    }

    /// The same for the usual type.
    #[inline(always)]
    fn advance_i32(&self, regs: &Frame) -> bool {
        let number = |tile: &Tile| regs.scalar_of(tile, size_of::<i32>()) as i32;
        let counter = regs.register_scalar(self.counter, size_of::<i32>()) as i32;
        let next = counter.checked_add(number(self.step)).filter(|next| *next < number(self.upper));
        next.inspect(|next| regs.set_scalar(self.counter, size_of::<i32>(), u64::from(next.cast_unsigned()))).is_some()
    }

    /// The same with the values that counter, upper bound and step have.
    #[inline]
    pub(super) fn advance_from(&self, values: &mut [u64; 3], regs: &Frame) -> bool {
        let [counter, upper, step] = *values;
        let next = if self.signed {
            counter.cast_signed().checked_add(step.cast_signed()).map(i64::cast_unsigned)
        } else {
            counter.checked_add(step)
        };
        let Some(next) = next.filter(|next| self.is_below(*next, upper)) else { return false };
        values[0] = next;
        match self.upper.elem {
            I32 => regs.set_scalar(self.counter, 4, next),
            elem => regs.set_scalar(self.counter, elem.size(), next),
        }
        true
    }
}
