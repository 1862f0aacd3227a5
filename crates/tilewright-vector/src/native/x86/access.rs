//! Loads and stores.

use super::{
    super::STREAMED_ALIGNMENT,
    walk::{Address, Along},
    *,
};

impl Address {
    /// The operand there, or so many bytes further.
    pub(super) fn at(self, further: i32) -> Operand {
        at(self.register, self.offset + further)
    }
}

/// What lanes do one by one with memory at `rsi`.
#[derive(Clone, Copy)]
enum Way {
    ToArea,
    FromArea,
}

impl Emitter<'_> {
    pub(super) fn load(&mut self, result: Value, place: &Place, mask: Option<Value>) {
        let lane = self.code.lane(result);
        let active = self.active(&place.terms, mask);
        let address = self.address(place);
        let to = if lane == Lane::Mask { self.scratch(0) } else { self.target(result) };
        let size = lane.size();
        let bytes = (self.width * size).max(16);
        let along = if self.in_lanes() { self.along(place, size) } else { Along::Same };
        if matches!((&along, active, self.machine.extension), (Along::Contiguous, None, Extension::Avx2))
            && lane == Lane::Mask
            && self.mask_size() > 1
        {
            let to = self.mask_target(result);
            self.widen_bytes(to, address.at(0));
            return self.mask_done(result, to);
        }
        match (along, active, self.machine.extension) {
            (Along::Strided(Count::Const(stride)), None, _) if let Some(step) = self.reads_every(stride, lane) => {
                self.read_every(step, to, address, lane);
            }
            (Along::Strided(Count::Const(stride)), active, _) if size >= 4 && self.reaches(stride) => {
                self.move_to_rsi(address);
                return self.load_strided(result, stride as i32, active);
            }
            (Along::Same, None, _) => self.e(broadcast(size), &[v(to, bytes), address.at(0)]),
            (Along::Contiguous, None, _) => self.read_vector(to, address.at(0), self.width * size),
            (Along::Same, Some(active), Extension::Avx512) => {
                self.masked(active, true, broadcast(size), &[v(to, bytes), address.at(0)]);
            }
            (Along::Contiguous, Some(active), Extension::Avx512) => {
                let active = self.only_lanes(active, size);
                self.masked(active, true, masked_move(size), &[v(to, bytes), address.at(0)]);
            }
            (Along::Contiguous, Some(active), Extension::Avx2) if size >= 4 => {
                let narrow = self.scratch(1);
                let active = self.narrow_mask(narrow, active, size);
                let id = if size == 4 { InstId::Vpmaskmovd } else { InstId::Vpmaskmovq };
                self.e(id, &[v(to, bytes), v(active, bytes), address.at(0)]);
            }
            (along, active, _) => {
                self.move_to_rsi(address);
                self.one_by_one(Way::ToArea, &along, size, active);
                let area = self.area(0);
                self.read_vector(to, at(BLOCK, area), self.width * size);
            }
        }
        if lane == Lane::Mask { self.mask_of_bytes(result, to) } else { self.done(result, to) }
    }

    pub(super) fn store(&mut self, value: Value, place: &Place, mask: Option<Value>) {
        let lane = self.code.lane(value);
        let size = lane.size();
        if !self.in_lanes() {
            return self.store_one(value, place, mask);
        }
        let from = self.vector_in_memory_form(value);
        let active = self.active(&place.terms, mask);
        let address = self.address(place);
        let bytes = (self.width * size).max(16);
        match (self.along(place, size), active, self.machine.extension) {
            (Along::Contiguous, None, _) if self.is_streamed(place) && self.width * size >= 16 => {
                self.e(InstId::Vmovntdq, &[address.at(0), v(from, bytes)]);
            }
            (Along::Contiguous, None, _) => self.write_vector(address.at(0), from, self.width * size),
            (Along::Strided(Count::Const(stride)), None, _) if let Some(step) = self.writes_every(stride, lane) => {
                self.write_every(step, from, address, lane);
            }
            (Along::Strided(Count::Const(stride)), None, Extension::Avx2) if self.reaches_behind(address, stride) => {
                self.write_each(from, address, stride as i32, size);
            }
            (Along::Contiguous, Some(active), Extension::Avx512) => {
                let active = self.only_lanes(active, size);
                self.masked(active, false, masked_move(size), &[address.at(0), v(from, bytes)]);
            }
            (Along::Contiguous, Some(active), Extension::Avx2) if size >= 4 => {
                let narrow = self.scratch(1);
                let active = self.narrow_mask(narrow, active, size);
                let id = if size == 4 { InstId::Vpmaskmovd } else { InstId::Vpmaskmovq };
                self.e(id, &[address.at(0), v(active, bytes), v(from, bytes)]);
            }
            (along, active, _) => {
                self.move_to_rsi(address);
                let area = self.area(0);
                self.write_vector(at(BLOCK, area), from, (self.width * size).max(16));
                self.one_by_one(Way::FromArea, &along, size, active);
            }
        }
    }

    /// Whether vectors written to a place go past the caches: if each of them lies at a multiple of its size, where the buffer does.
    fn is_streamed(&self, place: &Place) -> bool {
        let lanes = self.loops.iter().find(|nest| nest.kind == Kind::Lanes).map(|nest| nest.axis);
        // Distances that are handed in are checked when it runs.
        let keeps = |stride: Count| match stride {
            Count::Const(bytes) => bytes % STREAMED_ALIGNMENT as i64 == 0,
            Count::Param(_) => true,
        };
        self.code.streamed.contains(&place.buffer)
            && place.offset % STREAMED_ALIGNMENT as i64 == 0
            && place.terms.iter().all(|term| Some(term.axis) == lanes || keeps(term.stride))
    }

    /// Outside of loops over lanes: one number is stored.
    fn store_one(&mut self, value: Value, place: &Place, mask: Option<Value>) {
        let size = self.code.lane(value).size();
        let from = self.vector_in_memory_form(value);
        let active = self.active(&place.terms, mask);
        let address = self.address(place);
        self.move_to_rsi(address);
        let area = self.area(0);
        self.write_vector(at(BLOCK, area), from, 16);
        let over = self.label();
        if let Some(active) = active {
            let bytes = self.mask_bytes(active);
            self.e(InstId::Cmp, &[*ptr(gpq(BLOCK), bytes, 1).as_operand(), number(0)]);
            self.jump(InstId::Jz, over);
        }
        self.copy(size, at(RSI, 0), at(BLOCK, area));
        self.bind(over);
    }

    /// The vector of a value as it lies in memory: a mask as bytes of 0 and 1.
    pub(super) fn vector_in_memory_form(&mut self, value: Value) -> u8 {
        if self.code.lane(value) != Lane::Mask {
            return self.vector(value, 0);
        }
        let to = self.scratch(0);
        let bytes = self.width.max(16);
        let one = self.pool.place(vec![1; 64]);
        let mask = self.mask(value, 1);
        match self.machine.extension {
            Extension::Avx512 => self.masked(mask, true, InstId::Vmovdqu8, &[v(to, bytes), at(POOL, one)]),
            Extension::Avx2 => {
                let narrow = self.narrow_mask(to, mask, 1);
                self.e(InstId::Vpand, &[v(to, bytes), v(narrow, bytes), at(POOL, one)]);
            }
        }
        to
    }

    /// An instruction that only some lanes do; where memory is read, the others get zero.
    pub(super) fn masked(&mut self, mask: u8, zero: bool, id: InstId, operands: &[Operand]) {
        self.machine.encoder.add(id, Some((mask, zero)), operands);
    }

    /// AVX-512: a mask without lanes that are not there. Masks may have any bits behind the last lane, which matters where a vector of 16 bytes
    /// has room for more lanes.
    fn only_lanes(&mut self, mask: u8, size: usize) -> u8 {
        if self.width * size >= 16 {
            return mask;
        }
        // The width is 8: less than 16 bytes of less than 16 lanes.
        self.e(InstId::Kmovb, &[m(7), m(mask)]);
        7
    }

    /// Whether 32 bits hold the distance of every lane from the first.
    fn reaches(&self, stride: i64) -> bool {
        stride.checked_mul(self.width as i64).is_some_and(|reach| i32::try_from(reach).is_ok())
    }

    /// The same behind an address, as part of an instruction.
    fn reaches_behind(&self, address: Address, stride: i64) -> bool {
        const HALF: i64 = 1 << 30;
        stride.checked_mul(self.width as i64).is_some_and(|reach| reach.abs() < HALF) && i64::from(address.offset).abs() < HALF
    }

    /// Gathers from `rsi` on, at distances that are known.
    fn load_strided(&mut self, result: Value, stride: i32, active: Option<u8>) {
        let inside = match (self.machine.extension, active) {
            (Extension::Avx512, None) => {
                self.constant_mask(6, true);
                6
            }
            (Extension::Avx512, Some(active @ 6..)) => active,
            (Extension::Avx512, Some(active)) => {
                self.e(InstId::Kmovq, &[m(6), m(active)]);
                6
            }
            (Extension::Avx2, None) => {
                let all = self.scratch(0);
                self.constant_mask(all, true);
                all
            }
            (Extension::Avx2, Some(active)) => {
                let (copy, size) = (self.scratch(0), self.code.lane(result).size());
                let narrow = self.narrow_mask(copy, active, size);
                if narrow != copy {
                    self.move_vector(v(copy, 32), v(narrow, 32));
                }
                copy
            }
        };
        let distances = (0..self.width as i32).flat_map(|lane| (lane * stride).to_le_bytes()).collect();
        let (place, offsets) = (self.pool.place(distances), self.scratch(1));
        self.move_vector(v(offsets, self.bytes(Lane::I32)), at(POOL, place));
        self.gather_inside(result, (offsets, Lane::I32), inside);
    }

    pub(super) fn move_to_rsi(&mut self, address: Address) {
        if (address.register, address.offset) != (RSI, 0) {
            self.e(InstId::Lea, &[g(RSI), address.at(0)]);
        }
    }

    /// Reads so many bytes into the lower part of a vector.
    pub(super) fn read_vector(&mut self, to: u8, from: Operand, bytes: usize) {
        match bytes {
            4 => self.e(InstId::Vmovd, &[v(to, 16), from]),
            8 => self.e(InstId::Vmovq, &[v(to, 16), from]),
            _ => self.move_vector(v(to, bytes), from),
        }
    }

    pub(super) fn write_vector(&mut self, to: Operand, from: u8, bytes: usize) {
        match bytes {
            4 => self.e(InstId::Vmovd, &[to, v(from, 16)]),
            8 => self.e(InstId::Vmovq, &[to, v(from, 16)]),
            _ => self.move_vector(to, v(from, bytes)),
        }
    }

    /// Writes a mask to the third area, lane by lane in [`byte_step`](Emitter::byte_step) bytes of which one tells: the area.
    pub(super) fn mask_bytes(&mut self, mask: u8) -> i32 {
        let area = self.area(2);
        match self.machine.extension {
            Extension::Avx512 => {
                let bytes = self.scratch(2);
                self.e(InstId::Vpmovm2b, &[v(bytes, 64), m(mask)]);
                self.move_vector(at(BLOCK, area), v(bytes, 64));
            }
            Extension::Avx2 => self.move_vector(at(BLOCK, area), v(mask, 32)),
        }
        area
    }

    /// The power of two of the bytes from one lane to the next, where masks are in memory.
    fn byte_step(&self) -> u32 {
        match self.machine.extension {
            Extension::Avx512 => 0,
            Extension::Avx2 => self.mask_size().trailing_zeros(),
        }
    }

    /// Copies a number of `size` bytes, by `rax`.
    pub(super) fn copy(&mut self, size: usize, to: Operand, from: Operand) {
        let register = match size {
            1 => *asmkit::x86::gpb(RAX).as_operand(),
            2 => *asmkit::x86::gpw(RAX).as_operand(),
            4 => g32(RAX),
            _ => g(RAX),
        };
        self.e(InstId::Mov, &[register, from]);
        self.e(InstId::Mov, &[to, register]);
    }

    /// Copies between the first area and memory from `rsi` on, lane by lane; lanes that do not copy to the area are zero there.
    fn one_by_one(&mut self, way: Way, along: &Along, size: usize, active: Option<u8>) {
        let area = self.area(0);
        let mask = active.map(|mask| self.mask_bytes(mask));
        let stride = match along {
            Along::Same => Count::Const(0),
            Along::Contiguous => Count::Const(size as i64),
            Along::Strided(stride) => *stride,
        };
        if matches!(way, Way::ToArea) && mask.is_some() {
            self.clear_area();
        }
        self.each_lane(
            mask,
            |e| {
                let lane = at_index(BLOCK, RCX, size.trailing_zeros(), area);
                match way {
                    Way::ToArea => e.copy(size, lane, at(RSI, 0)),
                    Way::FromArea => e.copy(size, at(RSI, 0), lane),
                }
            },
            |e| {
                let stride = e.count(stride, RAX);
                e.e(InstId::Add, &[g(RSI), stride]);
            },
        );
    }

    pub(super) fn clear_area(&mut self) {
        let (zero, area, bytes) = (self.scratch(2), self.area(0), self.vector_bytes);
        let id = if self.machine.extension == Extension::Avx512 { InstId::Vpxord } else { InstId::Vpxor };
        self.e(id, &[v(zero, bytes); 3]);
        self.move_vector(at(BLOCK, area), v(zero, bytes));
    }

    /// A loop over the lanes, with `rcx` for the lane: `body` for those that the mask in memory tells, `step` for all.
    pub(super) fn each_lane(&mut self, mask: Option<i32>, body: impl FnOnce(&mut Self), step: impl FnOnce(&mut Self)) {
        let (head, skip) = (self.label(), self.label());
        self.e(InstId::Xor, &[g32(RCX), g32(RCX)]);
        self.bind(head);
        if let Some(mask) = mask {
            let tells = *ptr_index(gpq(BLOCK), gpq(RCX), self.byte_step(), mask, 1).as_operand();
            self.e(InstId::Cmp, &[tells, number(0)]);
            self.jump(InstId::Jz, skip);
        }
        body(self);
        self.bind(skip);
        step(self);
        self.e(InstId::Add, &[g(RCX), number(1)]);
        self.e(InstId::Cmp, &[g(RCX), number(self.width as i64)]);
        self.jump(InstId::Jl, head);
    }
}

/// The move whose lanes of so many bytes can be masked.
pub(super) fn masked_move(size: usize) -> InstId {
    match size {
        1 => InstId::Vmovdqu8,
        2 => InstId::Vmovdqu16,
        4 => InstId::Vmovdqu32,
        _ => InstId::Vmovdqu64,
    }
}
