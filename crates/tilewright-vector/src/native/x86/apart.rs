//! Vectors of numbers that lie a few numbers apart: every second, third or fourth one.
//!
//! Reads put together what whole vectors of memory have of them; writes spread a vector over several, of which masks write those lanes.

use super::{walk::Address, *};

/// Permutations of as many vectors take less than an access for each lane.
const FURTHEST: usize = 4;

impl Emitter<'_> {
    /// Which numbers are read that lie so many bytes apart, if [`read_every`](Emitter::read_every) reads them.
    pub(super) fn reads_every(&self, stride: i64, lane: Lane) -> Option<usize> {
        match self.machine.extension {
            Extension::Avx512 => self.writes_every(stride, lane),
            Extension::Avx2 if lane.size() < 4 => None,
            Extension::Avx2 if stride == 2 * lane.size() as i64 => Some(2),
            Extension::Avx2 => [3, 4].into_iter().find(|step| lane.size() == 4 && self.width == 8 && stride == 4 * *step as i64),
        }
    }

    /// Which numbers are written that lie so many bytes apart, if [`write_every`](Emitter::write_every) writes them.
    pub(super) fn writes_every(&self, stride: i64, lane: Lane) -> Option<usize> {
        let size = lane.size();
        let step = usize::try_from(stride).ok().filter(|bytes| bytes.is_multiple_of(size)).map(|bytes| bytes / size)?;
        (self.machine.extension == Extension::Avx512 && size >= 2 && self.width * size >= 16 && (2..=FURTHEST).contains(&step))
            .then_some(step)
    }

    /// Every `step`-th number, from as many vectors. The last one ends with the last number that is asked for, so that nothing is read behind it.
    pub(super) fn read_every(&mut self, step: usize, to: u8, address: Address, lane: Lane) {
        let (size, width) = (lane.size(), self.width);
        let bytes = width * size;
        if self.machine.extension == Extension::Avx2 {
            return if step == 2 { self.read_every_second(to, address, size) } else { self.read_of_eight(step, to, address) };
        }
        let id = match size {
            2 => InstId::Vpermt2w,
            4 => InstId::Vpermt2d,
            _ => InstId::Vpermt2q,
        };
        let start_of = |vector: usize| if vector + 1 == step { (width - 1) * (step - 1) } else { vector * width };
        self.move_vector(v(to, bytes), address.at(0));
        for vector in 1..step {
            let start = start_of(vector);
            let from = |i: usize| match i * step {
                at if at < vector * width => {
                    if vector == 1 {
                        at
                    } else {
                        i
                    }
                }
                // Numbers of the second source count from the width on; later vectors have the others.
                at => width + at.saturating_sub(start).min(width - 1),
            };
            let index = self.lanes_to(2, (0..width).map(from), size);
            self.e(id, &[v(to, bytes), v(index, bytes), address.at((start * size) as i32)]);
        }
    }

    /// The same with AVX2, for every second one.
    fn read_every_second(&mut self, to: u8, address: Address, size: usize) {
        let bytes = self.width * size;
        let second = address.at((bytes - size) as i32);
        self.move_vector(v(to, bytes), address.at(0));
        // Even numbers of the first and odd ones of the second, in each half of the vectors.
        match size {
            4 => self.e(InstId::Vshufps, &[v(to, bytes), v(to, bytes), second, number(0xd8)]),
            _ => self.e(InstId::Vshufpd, &[v(to, bytes), v(to, bytes), second, number(0xa)]),
        }
        if bytes == 32 {
            self.e(InstId::Vpermq, &[v(to, 32), v(to, 32), number(0xd8)]);
        }
    }

    /// The same with AVX2 for eight numbers of 32 bits, three or four apart: vectors that begin seven numbers after each other have them in
    /// lanes of which no two are the same, so that blends put them together, and a permutation in order.
    fn read_of_eight(&mut self, step: usize, to: u8, address: Address) {
        let (width, mut order) = (8, [0; 8]);
        let overlapping = width - 1;
        self.move_vector(v(to, 32), address.at(0));
        for vector in 0..step {
            let start = vector * overlapping;
            let mut mask = 0;
            for lane in (0..width).filter(|lane| (lane * step).saturating_sub(1) / overlapping == vector) {
                order[lane] = lane * step - start;
                mask |= 1 << order[lane];
            }
            if vector > 0 {
                self.e(InstId::Vblendps, &[v(to, 32), v(to, 32), address.at((start * 4) as i32), number(mask)]);
            }
        }
        let order = self.lanes_to(2, order.into_iter(), 4);
        self.e(InstId::Vpermd, &[v(to, 32), v(order, 32), v(to, 32)]);
    }

    /// Writes the lanes of a vector to every `step`-th place, and nothing to those between.
    pub(super) fn write_every(&mut self, step: usize, from: u8, address: Address, lane: Lane) {
        let (size, width) = (lane.size(), self.width);
        let bytes = width * size;
        let (permute, store) = match size {
            2 => (InstId::Vpermw, InstId::Vmovdqu16),
            4 => (InstId::Vpermd, InstId::Vmovdqu32),
            _ => (InstId::Vpermq, InstId::Vmovdqu64),
        };
        for vector in 0..step {
            let places = vector * width..(vector + 1) * width;
            let mask = places.clone().enumerate().fold(0u64, |mask, (lane, place)| mask | u64::from(place.is_multiple_of(step)) << lane);
            let mask = self.pool.place(mask.to_le_bytes().to_vec());
            self.e(InstId::Kmovq, &[m(7), at(POOL, mask)]);
            let spread = self.lanes_to(2, places.map(|place| place / step), size);
            self.e(permute, &[v(spread, bytes), v(spread, bytes), v(from, bytes)]);
            self.masked(7, false, store, &[address.at((vector * bytes) as i32), v(spread, bytes)]);
        }
    }

    /// Writes each lane by an instruction of its own, so many bytes apart. Without masks of lanes there is nothing shorter.
    pub(super) fn write_each(&mut self, from: u8, address: Address, stride: i32, size: usize) {
        let id = match size {
            1 => InstId::Vpextrb,
            2 => InstId::Vpextrw,
            4 => InstId::Vpextrd,
            _ => InstId::Vpextrq,
        };
        let in_half = 16 / size;
        let mut half = from;
        for lane in 0..self.width {
            if lane == in_half {
                half = self.scratch(2);
                self.e(InstId::Vextracti128, &[v(half, 16), v(from, 32), number(1)]);
            }
            let to = address.at(lane as i32 * stride);
            match (size, lane % in_half) {
                (4, 0) => self.e(InstId::Vmovd, &[to, v(half, 16)]),
                (8, 0) => self.e(InstId::Vmovq, &[to, v(half, 16)]),
                (_, place) => self.e(id, &[to, v(half, 16), number(place as i64)]),
            }
        }
    }

    /// The numbers of lanes of `size` bytes, as many as a vector has, in a scratch vector.
    fn lanes_to(&mut self, scratch: u8, lanes: impl Iterator<Item = usize>, size: usize) -> u8 {
        let index = lanes.flat_map(|lane| lane.to_le_bytes()[..size].to_vec()).collect();
        let (place, to) = (self.pool.place(index), self.scratch(scratch));
        self.move_vector(v(to, self.width * size), at(POOL, place));
        to
    }
}
