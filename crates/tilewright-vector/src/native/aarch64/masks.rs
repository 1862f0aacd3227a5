//! Masks: vectors in which each lane takes the same number of bytes.

use super::*;
use crate::code::Term;

impl Emitter<'_> {
    /// Bytes of a lane in a mask.
    pub(super) fn mask_size(&self) -> usize {
        self.vector_bytes / self.width
    }

    /// All true or all false.
    pub(super) fn constant_mask(&mut self, register: u8, value: bool) {
        self.fill(register, if value { 0xff } else { 0 });
    }

    /// The mask of the lanes whose bytes are not zero.
    pub(super) fn mask_of_bytes(&mut self, result: Value, bytes: u8) {
        let to = self.target(result);
        self.e(InstId::Cmtst_v, &[all(to, 1), all(bytes, 1), all(bytes, 1)]);
        self.widen_mask(to, 1);
        self.done(result, to);
    }

    /// Makes the lanes of a mask as wide as those of a vector of masks; they had `size` bytes.
    pub(super) fn widen_mask(&mut self, mask: u8, size: usize) {
        let mut size = size;
        while size < self.mask_size() {
            self.e(InstId::Sxtl_v, &[all(mask, 2 * size), low(mask, size)]);
            size *= 2;
        }
    }

    /// A mask whose lanes have `size` bytes, in `to` or in `mask` itself.
    pub(super) fn narrow_mask(&mut self, to: u8, mask: u8, size: usize) -> u8 {
        let (mut from, mut now) = (mask, self.mask_size());
        while now > size {
            now /= 2;
            self.e(InstId::Xtn_v, &[low(to, now), all(from, 2 * now)]);
            from = to;
        }
        from
    }

    /// Jumps if a mask holds for no lane. Destroys `x3` and the last scratch vector.
    pub(super) fn jump_if_empty(&mut self, mask: u8, to: Label) {
        self.gather_mask(mask);
        self.jump(Jump::IfZero(T0), to);
    }

    /// Makes `x3` zero if a mask holds for no lane, else not. Destroys the last scratch vector.
    pub(super) fn gather_mask(&mut self, mask: u8) {
        let any = self.scratch(4);
        self.e(InstId::Umaxp_v, &[all(any, 4), all(mask, 4), all(mask, 4)]);
        self.e(InstId::Umov_v, &[x(T0), element(any, 8, 0)]);
    }

    /// Jumps if a mask does not hold for a lane. Destroys `x3`.
    pub(super) fn jump_unless(&mut self, mask: u8, lane: usize, to: Label) {
        self.e(InstId::Umov_v, &[w(T0), element(mask, 1, lane * self.mask_size())]);
        self.jump(Jump::IfZero(T0), to);
    }

    /// The lanes that an access is made by, or none if by all: where iterations have a place, of those that `mask` tells, and that are
    /// active. In the mask's own register or the fourth scratch vector; destroys the fifth.
    pub(super) fn active(&mut self, terms: &[Term], mask: Option<Value>) -> Option<u8> {
        let limits: Vec<(Axis, Count)> = terms.iter().filter_map(|term| Some((term.axis, term.limit?))).collect();
        let tail = self.tail.filter(|_| self.in_lanes());
        if limits.is_empty() && tail.is_none() {
            return mask.map(|value| self.vector(value, 3));
        }
        let first = match tail {
            Some(tail) if limits.is_empty() => {
                let to = self.scratch(3);
                self.read(to, BLOCK, tail.mask, 16);
                to
            }
            _ => self.lanes_with_places(tail, limits),
        };
        if let Some(mask) = mask {
            let mask = self.vector(mask, 4);
            self.e(InstId::And_v, &[all(first, 1), all(first, 1), all(mask, 1)]);
        }
        Some(first)
    }

    /// The mask of the lanes that are active and have a place in all loops, where [`first_lanes`](Emitter::first_lanes) gives one.
    fn lanes_with_places(&mut self, tail: Option<Tail>, limits: Vec<(Axis, Count)>) -> u8 {
        // The number of lanes that have a place.
        self.number_to(T0, self.width as i64);
        if let Some(tail) = tail {
            self.read_word(T1, tail.number);
            self.least(T0, T1);
        }
        for (axis, limit) in limits {
            let (kind, index) = self.nest(axis);
            match limit {
                // Nothing has a place below zero.
                Count::Const(n) => self.number_to(T1, n.max(0)),
                Count::Param(_) => self.count_to(T1, limit),
            }
            let index = self.general(index, T2);
            self.e(InstId::Subs, &[x(T1), x(T1), x(index)]);
            if matches!(limit, Count::Param(_)) {
                // So far below zero that the difference is above: none is left.
                self.choose(T1, T1, ZERO, Condition::Vc);
            }
            if kind == Kind::Lanes && self.ahead > 0 {
                // What is below zero by less than that holds for no lane either.
                self.number_to(T2, self.ahead as i64);
                self.e(InstId::Subs, &[x(T1), x(T1), x(T2)]);
                self.choose(T1, T1, ZERO, Condition::Vc);
            }
            if kind == Kind::Serial {
                // All lanes or none.
                self.number_to(T2, self.width as i64);
                self.e(InstId::Cmp, &[x(T1), number(0)]);
                self.choose(T1, T2, T1, Condition::Gt);
            }
            self.least(T0, T1);
        }
        self.e(InstId::Cmp, &[x(T0), number(0)]);
        self.choose(T0, T0, ZERO, Condition::Gt);
        self.first_lanes()
    }

    /// The smaller one of two registers.
    fn least(&mut self, a: General, b: General) {
        self.e(InstId::Cmp, &[x(a), x(b)]);
        self.choose(a, a, b, Condition::Lt);
    }

    /// The mask of as many lanes as `x3` says, no more than there are, in the fourth scratch vector; destroys the fifth.
    pub(super) fn first_lanes(&mut self) -> u8 {
        let (to, size) = (self.scratch(3), self.mask_size());
        let iota = self.iota(4, size, 0);
        self.e(InstId::Dup_v, &[all(to, size), if size == 8 { x(T0) } else { w(T0) }]);
        self.e(InstId::Cmgt_v, &[all(to, size), all(to, size), all(iota, size)]);
        to
    }
}
