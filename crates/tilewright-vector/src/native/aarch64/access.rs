//! Loads and stores.

use super::{
    walk::{Address, Along},
    *,
};

impl Emitter<'_> {
    pub(super) fn load(&mut self, result: Value, place: &Place, mask: Option<Value>) {
        let lane = self.code.lane(result);
        let active = self.active(&place.terms, mask);
        let address = self.address(place);
        let to = if lane == Lane::Mask { self.scratch(0) } else { self.target(result) };
        let size = lane.size();
        let along = if self.in_lanes() { self.along(place, size) } else { Along::Same };
        match (along, active) {
            (Along::Contiguous, None) => self.read(to, address.register, address.offset, self.width * size),
            (Along::Same, None) => {
                self.read(to, address.register, address.offset, size);
                self.broadcast(to, to, size);
            }
            (Along::Same, Some(active)) => {
                let none = self.label();
                self.fill(to, 0);
                self.jump_if_empty(active, none);
                self.read(to, address.register, address.offset, size);
                self.broadcast(to, to, size);
                let active = self.narrow_mask(self.scratch(1), active, size);
                self.e(InstId::And_v, &[all(to, 1), all(to, 1), all(active, 1)]);
                self.bind(none);
            }
            (along, active) => {
                self.fill(to, 0);
                self.each_lane(address, &along, size, active, |e, lane| e.e(InstId::Ld1_v, &[element(to, size, lane), memory(ADDRESS, 0)]));
            }
        }
        if lane == Lane::Mask { self.mask_of_bytes(result, to) } else { self.done(result, to) }
    }

    pub(super) fn store(&mut self, value: Value, place: &Place, mask: Option<Value>) {
        let size = self.code.lane(value).size();
        let from = self.vector_in_memory_form(value);
        let active = self.active(&place.terms, mask);
        let address = self.address(place);
        if !self.in_lanes() {
            // One number is stored.
            let over = self.label();
            if let Some(active) = active {
                self.jump_unless(active, 0, over);
            }
            self.write(from, address.register, address.offset, size);
            return self.bind(over);
        }
        match (self.along(place, size), active) {
            (Along::Contiguous, None) => self.write(from, address.register, address.offset, self.width * size),
            (along, active) => self
                .each_lane(address, &along, size, active, |e, lane| e.e(InstId::St1_v, &[element(from, size, lane), memory(ADDRESS, 0)])),
        }
    }

    /// The vector of a value as it lies in memory: a mask as bytes of 0 and 1. In the value's own register or the first scratch vector.
    pub(super) fn vector_in_memory_form(&mut self, value: Value) -> u8 {
        if self.code.lane(value) != Lane::Mask {
            return self.vector(value, 0);
        }
        let (to, one) = (self.scratch(0), self.scratch(1));
        let mask = self.vector(value, 0);
        let narrow = self.narrow_mask(to, mask, 1);
        self.pattern(one, &[1]);
        self.e(InstId::And_v, &[all(to, 1), all(narrow, 1), all(one, 1)]);
        to
    }

    /// Accesses memory from an address on in `x2`, lane by lane, of those that a mask tells.
    fn each_lane(&mut self, address: Address, along: &Along, size: usize, active: Option<u8>, access: impl Fn(&mut Self, usize)) {
        let stride = match along {
            Along::Same => Count::Const(0),
            Along::Contiguous => Count::Const(size as i64),
            Along::Strided(stride) => *stride,
        };
        self.sum_to(ADDRESS, address.register, address.offset.into());
        let by_number = |n: i64| n.unsigned_abs() < 4096;
        let known = if let Count::Const(n) = stride { Some(n).filter(|n| by_number(*n)) } else { None };
        if known.is_none() {
            self.count_to(T1, stride);
        }
        for lane in 0..self.width {
            if lane > 0 {
                match known {
                    Some(n) => self.sum_to(ADDRESS, ADDRESS, n),
                    None => self.e(InstId::Add, &[x(ADDRESS), x(ADDRESS), x(T1)]),
                }
            }
            let skip = self.label();
            if let Some(active) = active {
                self.jump_unless(active, lane, skip);
            }
            access(self, lane);
            self.bind(skip);
        }
    }
}
