//! Gathers and scatters: with AVX-512 by instructions that do all lanes at once, in loops over lanes. With AVX2, gathers there are loads into the lanes of a
//! vector: its gathers are microcode where they are safe from leaking what other programs left behind, and no faster elsewhere. Else one by one.
//!
//! Indices are data, but often those of neighbours all the same: with AVX-512, lanes that turn out to lie side by side are one load, which takes a fifth of
//! the time.

use super::{access::masked_move, *};

/// The gather, and the scatter, by the bytes of an offset and of a number.
fn at_once(offset: usize, size: usize) -> (InstId, InstId) {
    match (offset, size) {
        (4, 4) => (InstId::Vpgatherdd, InstId::Vpscatterdd),
        (4, _) => (InstId::Vpgatherdq, InstId::Vpscatterdq),
        (_, 4) => (InstId::Vpgatherqd, InstId::Vpscatterqd),
        _ => (InstId::Vpgatherqq, InstId::Vpscatterqq),
    }
}

/// How far behind a limit the begin of the buffer is kept.
const START: i32 = 64;

/// What limits of gathers depend on: the buffer, the bytes of a number, and the type of offsets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Gathered {
    buffer: Param,
    size: usize,
    lane: Lane,
}

/// The gathers among some items, without repetition.
fn find_gathers(code: &Code, items: &[Item], found: &mut Vec<Gathered>) {
    for item in items {
        match item {
            Item::Gather { result, buffer, offsets, .. } if code.lane(*result) != Lane::Mask => {
                let gathered = Gathered { buffer: *buffer, size: code.lane(*result).size(), lane: code.lane(*offsets) };
                if !found.contains(&gathered) {
                    found.push(gathered);
                }
            }
            Item::Loop(inner) => find_gathers(code, &inner.body, found),
            _ => {}
        }
    }
}

/// Memory at `rsi` plus an offset for each lane.
fn at_each(offsets: u8, bytes: usize) -> Operand {
    let (base, register) = (gpq(RSI), offsets.into());
    let mem = match bytes {
        64 => Mem::from_base_and_index_shift_disp(&base, &zmm(register), 0, 0, 0, 0.into()),
        32 => Mem::from_base_and_index_shift_disp(&base, &ymm(register), 0, 0, 0, 0.into()),
        _ => Mem::from_base_and_index_shift_disp(&base, &xmm(register), 0, 0, 0, 0.into()),
    };
    *mem.as_operand()
}

impl Emitter<'_> {
    fn gather_at_once(&mut self, result: Value, buffer: Param, offsets: Value, mask: Option<Value>) {
        let inside = self.inside(buffer, offsets, mask, self.code.lane(result).size());
        let from = (self.vector(offsets, 1), self.code.lane(offsets));
        let (apart, over, to) = (self.label(), self.label(), self.target(result));
        self.load_side_by_side(result, from, inside, apart);
        self.jump(InstId::Jmp, over);
        self.bind(apart);
        self.gather_to(to, result, from, inside);
        self.bind(over);
        self.done(result, to);
    }

    /// AVX-512: loads from `rsi` on, in the lanes that a mask tells, if their offsets are those of neighbours; else goes on at `apart`, with nothing but
    /// the first and the last scratch vector changed.
    fn load_side_by_side(&mut self, result: Value, (from, lane): (u8, Lane), inside: u8, apart: Label) {
        let (size, bytes) = (self.code.lane(result).size(), self.bytes(lane));
        let (first, begins, others) = (self.scratch(0), self.scratch(2), if inside == 6 { 7 } else { 6 });
        let wide = lane == Lane::I64;
        let (sub, compare) = if wide { (InstId::Vpsubq, InstId::Vpcmpuq) } else { (InstId::Vpsubd, InstId::Vpcmpud) };
        let distances = (0..self.width as u64).flat_map(|i| (i * size as u64).to_le_bytes().into_iter().take(lane.size()));
        let distances = self.pool.place(distances.collect());
        // Where the first lane lies, as each lane has it.
        self.e(sub, &[v(begins, bytes), v(from, bytes), at(POOL, distances)]);
        self.e(broadcast(lane.size()), &[v(first, bytes), v(begins, 16)]);
        self.masked(inside, false, compare, &[m(others), v(begins, bytes), v(first, bytes), number(4)]);
        self.e(if self.width == 8 { InstId::Kortestb } else { InstId::Kortestw }, &[m(others), m(others)]);
        self.jump(InstId::Jnz, apart);
        self.e(InstId::Vmovq, &[g(RAX), v(begins, 16)]);
        if !wide {
            self.e(InstId::Movsxd, &[g(RAX), g32(RAX)]);
        }
        let to = self.target(result);
        let place = at_index(RSI, RAX, 0, 0);
        self.masked(inside, true, masked_move(size), &[v(to, self.bytes(self.code.lane(result))), place]);
    }

    /// Gathers from `rsi` on, in the lanes that a mask tells: in a mask register for use within an item, or the first or last scratch vector, which it destroys. The
    /// offsets may be in the second scratch vector.
    pub(super) fn gather_inside(&mut self, result: Value, offsets: (u8, Lane), inside: u8) {
        let to = match self.target(result) {
            // All three vectors are others.
            to if self.machine.extension == Extension::Avx2 && to == inside => self.scratch(2),
            to => to,
        };
        self.gather_to(to, result, offsets, inside);
        self.done(result, to);
    }

    /// The same, to a vector.
    fn gather_to(&mut self, to: u8, result: Value, (offsets, lane): (u8, Lane), inside: u8) {
        let size = self.code.lane(result).size();
        let (id, _) = at_once(lane.size(), size);
        let (bytes, place) = (self.bytes(self.code.lane(result)), at_each(offsets, self.bytes(lane)));
        match self.machine.extension {
            Extension::Avx512 => {
                self.e(InstId::Vpxord, &[v(to, bytes); 3]);
                self.masked(inside, false, id, &[v(to, bytes), place]);
            }
            Extension::Avx2 => {
                self.e(InstId::Vpxor, &[v(to, bytes); 3]);
                self.e(id, &[v(to, bytes), place, v(inside, bytes)]);
            }
        }
    }

    fn scatter_at_once(&mut self, value: Value, buffer: Param, offsets: Value, mask: Option<Value>) {
        let lane = self.code.lane(value);
        let inside = self.inside(buffer, offsets, mask, lane.size());
        let (offset, from) = (self.vector(offsets, 1), self.vector(value, 0));
        let offset_lane = self.code.lane(offsets);
        let (_, id) = at_once(offset_lane.size(), lane.size());
        self.masked(inside, false, id, &[at_each(offset, self.bytes(offset_lane)), v(from, self.bytes(lane))]);
    }

    /// AVX-512: the active lanes whose numbers lie inside of the buffer, as [`gather_inside`](Emitter::gather_inside) takes them; if others are active,
    /// the fault is raised. Leaves the buffer's begin in `rsi`.
    fn inside(&mut self, buffer: Param, offsets: Value, mask: Option<Value>, size: usize) -> u8 {
        let active = self.active(&[], mask);
        let base = slot_of(&self.code.params, buffer);
        let lane = self.code.lane(offsets);
        // How many offsets there are from zero on, in rax: 32 bits hold no more than 2^31.
        self.e(InstId::Xor, &[g32(RCX), g32(RCX)]);
        self.e(InstId::Mov, &[g(RAX), word(base + 8)]);
        self.e(InstId::Sub, &[g(RAX), number(size as i64 - 1)]);
        self.e(InstId::Cmovb, &[g(RAX), g(RCX)]);
        if lane == Lane::I32 {
            self.e(InstId::Mov, &[g32(RCX), number(1 << 31)]);
            self.e(InstId::Cmp, &[g(RAX), g(RCX)]);
            self.e(InstId::Cmovnbe, &[g(RAX), g(RCX)]);
        }
        self.e(InstId::Mov, &[g(RSI), word(base)]);
        self.inside_by_mask(offsets, active)
    }

    fn inside_by_mask(&mut self, offsets: Value, active: Option<u8>) -> u8 {
        // The mask of the active lanes may be in one of the two.
        let (inside, outside) = if active == Some(6) { (7, 6) } else { (6, 7) };
        let lane = self.code.lane(offsets);
        let (bytes, from, limit) = (self.bytes(lane), self.vector(offsets, 1), self.scratch(0));
        let (wide, compare) = match lane {
            Lane::I32 => (false, InstId::Vpcmpud),
            _ => (true, InstId::Vpcmpuq),
        };
        let count = if wide { g(RAX) } else { g32(RAX) };
        self.e(broadcast(lane.size()), &[v(limit, bytes), count]);
        let operands = [m(inside), v(from, bytes), v(limit, bytes), number(1)];
        let [xor, test] = if self.width == 8 { [InstId::Kxorb, InstId::Kortestb] } else { [InstId::Kxorw, InstId::Kortestw] };
        let over = self.label();
        match active {
            // All lanes are inside if all bits of the mask are set.
            None => {
                self.e(compare, &operands);
                self.e(test, &[m(inside), m(inside)]);
                self.jump(InstId::Jb, over);
            }
            Some(active) => {
                self.masked(active, false, compare, &operands);
                self.e(xor, &[m(outside), m(active), m(inside)]);
                self.e(test, &[m(outside), m(outside)]);
                self.jump(InstId::Jz, over);
            }
        }
        self.e(InstId::Mov, &[word(FAULT), number(1)]);
        self.bind(over);
        inside
    }

    /// What gathers and scatters begin with: offsets in the second area, and the mask's bytes in the third; outside of loops over lanes only
    /// the first lane counts.
    fn prepare(&mut self, buffer: Param, offsets: Value, mask: Option<Value>) -> Option<i32> {
        let active = if self.in_lanes() {
            self.active(&[], mask)
        } else {
            let mask = mask.map(|value| self.mask(value, u8::from(self.machine.extension == Extension::Avx2)));
            self.e(InstId::Mov, &[g(RCX), number(1)]);
            let first = self.first_lanes();
            match (self.machine.extension, mask) {
                (_, None) => {}
                (Extension::Avx512, Some(mask)) => self.e(InstId::Kandq, &[m(first), m(first), m(mask)]),
                (Extension::Avx2, Some(mask)) => self.e(InstId::Vpand, &[v(first, 32), v(first, 32), v(mask, 32)]),
            }
            Some(first)
        };
        let mask = active.map(|mask| self.mask_bytes(mask));
        let from = self.vector(offsets, 1);
        let (area, bytes) = (self.area(1), self.bytes(self.code.lane(offsets)));
        self.move_vector(at(BLOCK, area), v(from, bytes));
        let base = slot_of(&self.code.params, buffer);
        self.e(InstId::Mov, &[g(RSI), word(base)]);
        self.e(InstId::Mov, &[g(RDX), word(base + 8)]);
        mask
    }

    /// The end of a lane's number behind `rsi`, in `rax`, if it lies inside of the buffer; else the fault is raised and the lane left out.
    fn check_lane(&mut self, offsets: Value, size: usize, outside: Label) {
        let area = self.area(1);
        if self.code.lane(offsets) == Lane::I32 {
            self.e(InstId::Movsxd, &[g(RAX), *ptr_index(gpq(BLOCK), gpq(RCX), 2, area, 4).as_operand()]);
        } else {
            self.e(InstId::Mov, &[g(RAX), at_index(BLOCK, RCX, 3, area)]);
        }
        self.e(InstId::Add, &[g(RAX), number(size as i64)]);
        self.jump(InstId::Jb, outside);
        self.e(InstId::Cmp, &[g(RAX), g(RDX)]);
        self.jump(InstId::Jnbe, outside);
    }

    fn fault(&mut self, outside: Label, inside: Label) {
        self.jump(InstId::Jmp, inside);
        self.bind(outside);
        self.e(InstId::Mov, &[word(FAULT), number(1)]);
        self.bind(inside);
    }

    pub(super) fn gather(&mut self, result: Value, buffer: Param, offsets: Value, mask: Option<Value>) {
        match self.code.lane(result) {
            lane if !self.in_lanes() || lane == Lane::Mask => self.gather_one_by_one(result, buffer, offsets, mask),
            _ if self.machine.extension == Extension::Avx2 => self.gather_by_loads(result, buffer, offsets, mask),
            lane if lane.size() >= 4 => self.gather_at_once(result, buffer, offsets, mask),
            _ => {
                let length = slot_of(&self.code.params, buffer) + 8;
                let (short, over) = (self.label(), self.label());
                self.e(InstId::Cmp, &[word(length), number(4)]);
                self.jump(InstId::Jb, short);
                self.gather_narrow(result, buffer, offsets, mask);
                self.jump(InstId::Jmp, over);
                self.bind(short);
                self.gather_one_by_one(result, buffer, offsets, mask);
                self.bind(over);
            }
        }
    }

    /// AVX2: a load for each lane. Lanes outside of the buffer load its first number, which the mask takes away then.
    fn gather_by_loads(&mut self, result: Value, buffer: Param, offsets: Value, mask: Option<Value>) {
        let active = self.active(&[], mask);
        let size = self.code.lane(result).size();
        let lane = self.code.lane(offsets);
        let bytes = self.bytes(lane);
        let limit = self.limit(buffer, size, lane);
        let (inside, low, high) = (self.scratch(0), self.scratch(1), self.scratch(2));
        let from = self.vector(offsets, 1);
        let bias = self.bias(lane);
        let compare = if lane == Lane::I32 { InstId::Vpcmpgtd } else { InstId::Vpcmpgtq };
        self.move_vector(v(inside, 32), at(BLOCK, limit));
        self.e(InstId::Vpxor, &[v(low, bytes), v(from, bytes), bias]);
        self.e(compare, &[v(inside, bytes), v(inside, bytes), v(low, bytes)]);
        let from = self.vector(offsets, 1);
        self.e(InstId::Vpand, &[v(low, bytes), v(from, bytes), v(inside, bytes)]);
        let area = self.area(1);
        self.move_vector(at(BLOCK, area), v(low, bytes));
        self.widen_mask(inside, inside, lane.size());
        let active = active.unwrap_or_else(|| {
            self.e(InstId::Vpcmpeqd, &[v(high, 32); 3]);
            high
        });
        let over = self.label();
        // The carry is set if all active lanes are inside.
        self.e(InstId::Vptest, &[v(inside, 32), v(active, 32)]);
        self.jump(InstId::Jb, over);
        self.e(InstId::Mov, &[word(FAULT), number(1)]);
        self.bind(over);
        self.e(InstId::Vpand, &[v(inside, 32), v(inside, 32), v(active, 32)]);
        self.e(InstId::Mov, &[g(RSI), word(limit + START)]);
        let in_half = (16 / size).min(self.width);
        self.load_lanes(low, 0..in_half, size, lane.size());
        if in_half < self.width {
            self.load_lanes(high, in_half..self.width, size, lane.size());
            self.e(InstId::Vinserti128, &[v(low, 32), v(low, 32), v(high, 16), number(1)]);
        }
        let mask = self.narrow_mask(high, inside, size);
        let (to, bytes) = (self.target(result), self.bytes(self.code.lane(result)));
        self.e(InstId::Vpand, &[v(to, bytes), v(low, bytes), v(mask, bytes)]);
        self.done(result, to);
    }

    /// Loads numbers into the lower half of a vector, from `rsi` on, at the offsets of some lanes in the second area.
    fn load_lanes(&mut self, to: u8, lanes: std::ops::Range<usize>, size: usize, offset: usize) {
        let area = self.area(1);
        for (i, lane) in lanes.enumerate() {
            let register = [RAX, RCX, RDX][i % 3];
            let place = at(BLOCK, area + (lane * offset) as i32);
            self.e(InstId::Mov, &[if offset == 4 { g32(register) } else { g(register) }, place]);
            let number_at = at_index(RSI, register, 0, 0);
            let vector = v(to, 16);
            let insert = match (size, i) {
                (8, 0) => {
                    self.e(InstId::Vmovq, &[vector, number_at]);
                    continue;
                }
                (4, 0) => {
                    self.e(InstId::Vmovd, &[vector, number_at]);
                    continue;
                }
                (8, _) => InstId::Vpinsrq,
                (4, _) => InstId::Vpinsrd,
                (2, _) => InstId::Vpinsrw,
                _ => InstId::Vpinsrb,
            };
            if i == 0 {
                self.e(InstId::Vpxor, &[vector; 3]);
            }
            self.e(insert, &[vector, vector, number_at, number(i as i64)]);
        }
    }

    /// Where the number of offsets is kept, in each lane, with which numbers of so many bytes lie inside of a buffer, less half of the range; and behind
    /// it, the begin of the buffer, or of some other memory, if it holds no number.
    fn limit(&self, buffer: Param, size: usize, lane: Lane) -> i32 {
        let key = Gathered { buffer, size, lane };
        self.machine.limits.iter().find(|(other, _)| *other == key).map(|(_, place)| *place).expect("computed in front of all items")
    }

    /// AVX2: what moves numbers down by half of the range, so that comparisons with signs compare what has none.
    fn bias(&mut self, lane: Lane) -> Operand {
        let bias = self.pool.place((1u64 << (8 * lane.size() - 1)).to_le_bytes()[..lane.size()].repeat(32 / lane.size()));
        at(POOL, bias)
    }

    /// AVX2: computes the limits of all gathers.
    pub(super) fn compute_limits(&mut self) {
        let mut gathers = Vec::new();
        find_gathers(self.code, self.code.body(), &mut gathers);
        for gathered in gathers {
            let Gathered { buffer, size, lane } = gathered;
            let (place, base, limit) = (self.room(2), slot_of(&self.code.params, buffer), self.scratch(0));
            self.e(InstId::Xor, &[g32(RCX), g32(RCX)]);
            self.e(InstId::Mov, &[g(RSI), word(base)]);
            self.e(InstId::Mov, &[g(RAX), word(base + 8)]);
            self.e(InstId::Sub, &[g(RAX), number(size as i64 - 1)]);
            self.e(InstId::Cmovb, &[g(RAX), g(RCX)]);
            self.e(InstId::Test, &[g(RAX), g(RAX)]);
            self.e(InstId::Cmovz, &[g(RSI), g(POOL)]);
            self.e(InstId::Mov, &[word(place + START), g(RSI)]);
            if lane == Lane::I32 {
                // 32 bits hold no more than so many.
                self.e(InstId::Mov, &[g32(RCX), number(1 << 31)]);
                self.e(InstId::Cmp, &[g(RAX), g(RCX)]);
                self.e(InstId::Cmovnbe, &[g(RAX), g(RCX)]);
            }
            let bias = self.bias(lane);
            self.e(InstId::Vmovq, &[v(limit, 16), g(RAX)]);
            self.e(broadcast(lane.size()), &[v(limit, 32), v(limit, 16)]);
            self.e(InstId::Vpxor, &[v(limit, 32), v(limit, 32), bias]);
            self.move_vector(at(BLOCK, place), v(limit, 32));
            self.machine.limits.push((gathered, place));
        }
    }

    /// AVX-512: numbers of 1 and 2 bytes, from a buffer of at least 4, as the lower bytes of 4; at the buffer's end, as the upper ones.
    fn gather_narrow(&mut self, result: Value, buffer: Param, offsets: Value, mask: Option<Value>) {
        let (lane, size) = (self.code.lane(offsets), self.code.lane(result).size());
        let inside = self.inside(buffer, offsets, mask, size);
        let (apart, over) = (self.label(), self.label());
        let from = self.vector(offsets, 1);
        self.load_side_by_side(result, (from, lane), inside, apart);
        self.jump(InstId::Jmp, over);
        self.bind(apart);
        let (numbers, places) = (self.scratch(0), self.scratch(2));
        let (bytes, four_bytes) = (self.bytes(lane), self.bytes(Lane::I32));
        // The last place of 4 bytes; of offsets of 32 bits none is further.
        self.e(InstId::Mov, &[g(RAX), word(slot_of(&self.code.params, buffer) + 8)]);
        self.e(InstId::Sub, &[g(RAX), number(4)]);
        let (min, sub, count) = if lane == Lane::I32 {
            self.e(InstId::Mov, &[g(RCX), number(i32::MAX.into())]);
            self.e(InstId::Cmp, &[g(RAX), g(RCX)]);
            self.e(InstId::Cmovnbe, &[g(RAX), g(RCX)]);
            (InstId::Vpminud, InstId::Vpsubd, g32(RAX))
        } else {
            (InstId::Vpminuq, InstId::Vpsubq, g(RAX))
        };
        self.e(broadcast(lane.size()), &[v(places, bytes), count]);
        self.e(min, &[v(places, bytes), v(from, bytes), v(places, bytes)]);
        self.e(InstId::Vpxord, &[v(numbers, four_bytes); 3]);
        self.masked(inside, false, at_once(lane.size(), 4).0, &[v(numbers, four_bytes), at_each(places, bytes)]);
        // How many bytes lie in front of the number.
        self.e(sub, &[v(places, bytes), v(from, bytes), v(places, bytes)]);
        if lane == Lane::I64 {
            self.e(InstId::Vpmovqd, &[v(places, four_bytes), v(places, bytes)]);
        }
        self.e(InstId::Vpslld, &[v(places, four_bytes), v(places, four_bytes), number(3)]);
        self.e(InstId::Vpsrlvd, &[v(numbers, four_bytes), v(numbers, four_bytes), v(places, four_bytes)]);
        let (to, low) = (self.target(result), if size == 1 { InstId::Vpmovdb } else { InstId::Vpmovdw });
        self.e(low, &[v(to, self.bytes(self.code.lane(result))), v(numbers, four_bytes)]);
        self.bind(over);
        self.done(result, to);
    }

    fn gather_one_by_one(&mut self, result: Value, buffer: Param, offsets: Value, mask: Option<Value>) {
        let lane = self.code.lane(result);
        let size = lane.size();
        let mask = self.prepare(buffer, offsets, mask);
        self.clear_area();
        let area = self.area(0);
        let (outside, inside) = (self.label(), self.label());
        self.each_lane(
            mask,
            |e| {
                e.check_lane(offsets, size, outside);
                e.copy(size, at_index(BLOCK, RCX, size.trailing_zeros(), area), at_index(RSI, RAX, 0, -(size as i32)));
                e.fault(outside, inside);
            },
            |_| {},
        );
        if !self.in_lanes() {
            return self.broadcast_to(result, at(BLOCK, area));
        }
        let to = if lane == Lane::Mask { self.scratch(0) } else { self.target(result) };
        self.read_vector(to, at(BLOCK, area), self.width * size);
        if lane == Lane::Mask { self.mask_of_bytes(result, to) } else { self.done(result, to) }
    }

    pub(super) fn scatter(&mut self, value: Value, buffer: Param, offsets: Value, mask: Option<Value>) {
        let size = self.code.lane(value).size();
        if self.in_lanes() && size >= 4 && self.machine.extension == Extension::Avx512 {
            return self.scatter_at_once(value, buffer, offsets, mask);
        }
        let from = self.vector_in_memory_form(value);
        let area = self.area(0);
        self.write_vector(at(BLOCK, area), from, (self.width * size).max(16));
        let mask = self.prepare(buffer, offsets, mask);
        let (outside, inside) = (self.label(), self.label());
        self.each_lane(
            mask,
            |e| {
                e.check_lane(offsets, size, outside);
                e.e(InstId::Lea, &[g(RAX), at_index(RSI, RAX, 0, -(size as i32))]);
                // The address is in rax, so the number goes by another register.
                e.copy_by_r(size, at(RAX, 0), at_index(BLOCK, RCX, size.trailing_zeros(), area));
                e.fault(outside, inside);
            },
            |_| {},
        );
    }

    /// Copies a number of `size` bytes by `rdx`, and reads the buffer's length again behind it.
    fn copy_by_r(&mut self, size: usize, to: Operand, from: Operand) {
        let register = match size {
            1 => *asmkit::x86::gpb(RDX).as_operand(),
            2 => *asmkit::x86::gpw(RDX).as_operand(),
            4 => g32(RDX),
            _ => g(RDX),
        };
        self.e(InstId::Push, &[g(RDX)]);
        self.e(InstId::Mov, &[register, from]);
        self.e(InstId::Mov, &[to, register]);
        self.e(InstId::Pop, &[g(RDX)]);
    }
}
