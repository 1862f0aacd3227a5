//! Gathers and scatters: lane by lane, each compared with the buffer's length.

use super::*;

/// The flags of a number that is above another.
const ABOVE: i64 = 0b0010;

impl Emitter<'_> {
    pub(super) fn gather(&mut self, result: Value, buffer: Param, offsets: Value, mask: Option<Value>) {
        let lane = self.code.lane(result);
        let size = lane.size();
        let active = self.active(&[], mask);
        let to = if lane == Lane::Mask { self.scratch(0) } else { self.target(result) };
        self.fill(to, 0);
        self.each_inside(buffer, offsets, active, size, |e, lane| e.e(InstId::Ld1_v, &[element(to, size, lane), memory(ADDRESS, 0)]));
        if !self.in_lanes() {
            self.broadcast(to, to, size);
        }
        if lane == Lane::Mask { self.mask_of_bytes(result, to) } else { self.done(result, to) }
    }

    pub(super) fn scatter(&mut self, value: Value, buffer: Param, offsets: Value, mask: Option<Value>) {
        let size = self.code.lane(value).size();
        let from = self.vector_in_memory_form(value);
        let active = self.active(&[], mask);
        self.each_inside(buffer, offsets, active, size, |e, lane| e.e(InstId::St1_v, &[element(from, size, lane), memory(ADDRESS, 0)]));
    }

    /// Accesses a buffer at the offset of each lane, with the address in `x2`, of those that a mask tells; outside of loops over lanes only the first one
    /// counts. Lanes that are not inside of the buffer are left out, and the fault is raised.
    fn each_inside(&mut self, buffer: Param, offsets: Value, active: Option<u8>, size: usize, access: impl Fn(&mut Self, usize)) {
        let base = slot_of(&self.code.params, buffer);
        let wide = self.code.lane(offsets) == Lane::I64;
        let offsets = self.vector(offsets, 2);
        let [start, length] = [T1, T2];
        self.read_word(start, base);
        self.read_word(length, base + 8);
        for lane in 0..if self.in_lanes() { self.width } else { 1 } {
            let (inside, next) = (self.label(), self.label());
            if let Some(active) = active {
                self.jump_unless(active, lane, next);
            }
            let (get, bytes) = if wide { (InstId::Umov_v, 8) } else { (InstId::Smov_v, 4) };
            self.e(get, &[x(ADDRESS), element(offsets, bytes, lane)]);
            // The end of the lane's number, if that is not beyond all numbers, has to be at most the length.
            self.e(InstId::Adds, &[x(T0), x(ADDRESS), number(size as i64)]);
            self.e(InstId::Ccmp, &[x(T0), x(length), number(ABOVE), code_of(Condition::Cc)]);
            self.jump(Jump::If(Condition::Ls), inside);
            self.number_to(T0, 1);
            self.write_word(T0, FAULT);
            self.jump_to(next);
            self.bind(inside);
            self.e(InstId::Add, &[x(ADDRESS), x(ADDRESS), x(start)]);
            access(self, lane);
            self.bind(next);
        }
    }
}
