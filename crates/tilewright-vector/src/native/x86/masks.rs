//! Masks: registers of their own with AVX-512, vectors with AVX2.

use super::*;
use crate::code::Term;

impl Emitter<'_> {
    /// Bytes of a lane in a mask that is a vector.
    pub(super) fn mask_size(&self) -> usize {
        self.vector_bytes / self.width
    }

    /// The register that holds a mask; one that has none is read into scratch `n`, which is 0 or 1 for mask registers.
    pub(super) fn mask(&mut self, value: Value, n: u8) -> u8 {
        if self.machine.extension == Extension::Avx2 {
            return self.vector(value, n);
        }
        let to = 6 + n;
        match self.location(value) {
            Location::Register(register) => register,
            Location::Slot(slot) => {
                let from = self.slot(slot);
                self.e(InstId::Kmovq, &[m(to), from]);
                to
            }
            Location::Pool => {
                self.constant_mask(to, self.constants[&value] != 0);
                to
            }
        }
    }

    /// The register that a mask is computed in.
    pub(super) fn mask_target(&self, result: Value) -> u8 {
        match (self.machine.extension, self.location(result)) {
            (Extension::Avx2, _) => self.target(result),
            (Extension::Avx512, Location::Register(register)) => register,
            (Extension::Avx512, _) => 6,
        }
    }

    /// Puts the mask that is in `from` where it lives.
    pub(super) fn mask_done(&mut self, result: Value, from: u8) {
        match (self.machine.extension, self.location(result)) {
            (Extension::Avx2, _) => self.done(result, from),
            (Extension::Avx512, Location::Register(register)) if register != from => self.e(InstId::Kmovq, &[m(register), m(from)]),
            (Extension::Avx512, Location::Slot(slot)) => {
                let to = self.slot(slot);
                self.e(InstId::Kmovq, &[to, m(from)]);
            }
            _ => {}
        }
    }

    /// All true or all false.
    pub(super) fn constant_mask(&mut self, register: u8, value: bool) {
        match self.machine.extension {
            Extension::Avx512 => {
                let id = if value { InstId::Kxnorq } else { InstId::Kxorq };
                self.e(id, &[m(register); 3]);
            }
            Extension::Avx2 => {
                let id = if value { InstId::Vpcmpeqd } else { InstId::Vpxor };
                self.e(id, &[v(register, 32); 3]);
            }
        }
    }

    /// The mask of a byte in memory, in all lanes.
    pub(super) fn mask_of_byte(&mut self, result: Value, from: Operand) {
        let bytes = self.scratch(0);
        self.e(InstId::Vpbroadcastb, &[v(bytes, self.width.max(16)), from]);
        self.mask_of_bytes(result, bytes);
    }

    /// The mask of the lanes whose bytes are not zero.
    pub(super) fn mask_of_bytes(&mut self, result: Value, bytes: u8) {
        let width = self.width.max(16);
        let to = self.mask_target(result);
        match self.machine.extension {
            Extension::Avx512 => self.e(InstId::Vptestmb, &[m(to), v(bytes, width), v(bytes, width)]),
            Extension::Avx2 if self.mask_size() > 1 => self.widen_bytes(to, v(bytes, 16)),
            Extension::Avx2 => {
                // Bytes have signs: those that are zero are found, and then the others.
                let none = self.none();
                self.e(InstId::Vpcmpeqb, &[v(to, width), v(bytes, width), none]);
                self.e(InstId::Vpcmpeqb, &[v(to, width), v(to, width), none]);
            }
        }
        self.mask_done(result, to);
    }

    /// Zeros in memory.
    fn none(&mut self) -> Operand {
        at(POOL, self.pool.place(vec![0; 32]))
    }

    /// AVX2: the mask, whose lanes have more than a byte, of those whose bytes, in a vector or in memory, are not zero.
    pub(super) fn widen_bytes(&mut self, to: u8, bytes: Operand) {
        let (widen, greater) = match self.mask_size() {
            2 => (InstId::Vpmovzxbw, InstId::Vpcmpgtw),
            4 => (InstId::Vpmovzxbd, InstId::Vpcmpgtd),
            _ => (InstId::Vpmovzxbq, InstId::Vpcmpgtq),
        };
        let none = self.none();
        self.e(widen, &[v(to, 32), bytes]);
        self.e(greater, &[v(to, 32), v(to, 32), none]);
    }

    /// AVX2: makes the lanes of a mask as wide as those of a vector of masks; they had `size` bytes.
    pub(super) fn widen_mask(&mut self, to: u8, from: u8, size: usize) {
        let id = match (size, self.mask_size()) {
            (1, 2) => InstId::Vpmovsxbw,
            (1, 4) => InstId::Vpmovsxbd,
            (1, 8) => InstId::Vpmovsxbq,
            (2, 4) => InstId::Vpmovsxwd,
            (2, 8) => InstId::Vpmovsxwq,
            (4, 8) => InstId::Vpmovsxdq,
            _ if to == from => return,
            _ => return self.move_vector(v(to, 32), v(from, 32)),
        };
        self.e(id, &[v(to, 32), v(from, 16)]);
    }

    /// AVX2: a mask whose lanes have `size` bytes, in `to`, which is another vector, or in `mask` itself.
    pub(super) fn narrow_mask(&mut self, to: u8, mask: u8, size: usize) -> u8 {
        let mut from = (mask, self.mask_size());
        while from.1 > size {
            let (source, half) = (from.0, from.1 / 2);
            let full = self.width * from.1;
            // The upper half of the lanes, beside the lower. Only the first step has one in the upper half of the vector.
            let other = if full > 16 {
                self.e(InstId::Vextracti128, &[v(to, 16), v(source, 32), number(1)]);
                to
            } else {
                source
            };
            match from.1 {
                8 => self.e(InstId::Vshufps, &[v(to, 16), v(source, 16), v(other, 16), number(0x88)]),
                4 => self.e(InstId::Vpackssdw, &[v(to, 16), v(source, 16), v(other, 16)]),
                _ => self.e(InstId::Vpacksswb, &[v(to, 16), v(source, 16), v(other, 16)]),
            }
            from = (to, half);
        }
        from.0
    }

    /// The lanes that an access is made by, or none if by all: where iterations have a place, of those that `mask` tells, and that are
    /// active. In a mask register that is not 7 unless it is new, or in a vector that is not the second scratch vector.
    pub(super) fn active(&mut self, terms: &[Term], mask: Option<Value>) -> Option<u8> {
        let limits: Vec<(Axis, Count)> = terms.iter().filter_map(|term| Some((term.axis, term.limit?))).collect();
        let tail = self.tail.filter(|_| self.in_lanes());
        let all = limits.is_empty() && tail.is_none();
        let mask = mask.map(|value| self.mask(value, if self.machine.extension == Extension::Avx512 { 0 } else { 1 + u8::from(all) }));
        if all {
            return mask;
        }
        let first = match tail {
            Some(tail) if limits.is_empty() => self.read_mask(tail.mask),
            _ => self.lanes_with_places(tail, limits),
        };
        Some(match (self.machine.extension, mask) {
            (_, None) => first,
            (Extension::Avx512, Some(mask)) => {
                self.e(InstId::Kandq, &[m(first), m(first), m(mask)]);
                first
            }
            (Extension::Avx2, Some(mask)) => {
                self.e(InstId::Vpand, &[v(first, 32), v(first, 32), v(mask, 32)]);
                first
            }
        })
    }

    /// The mask of the lanes that are active and have a place in all loops, where [`first_lanes`](Emitter::first_lanes) gives one.
    fn lanes_with_places(&mut self, tail: Option<Tail>, limits: Vec<(Axis, Count)>) -> u8 {
        // The number of lanes that have a place, in rcx.
        match tail {
            Some(tail) => self.e(InstId::Mov, &[g(RCX), word(tail.number)]),
            None => self.e(InstId::Mov, &[g(RCX), number(self.width as i64)]),
        }
        for (axis, limit) in limits {
            let (kind, index) = self.nest(axis);
            let before = [Some(index.operand()), (kind == Kind::Lanes && self.ahead > 0).then(|| number(self.ahead as i64))];
            match limit {
                // Nothing has a place below zero.
                Count::Const(n) => self.e(InstId::Mov, &[g(RAX), number(n.max(0))]),
                Count::Param(_) => self.count_to(RAX, limit),
            }
            for iterations in before.into_iter().flatten() {
                self.e(InstId::Sub, &[g(RAX), iterations]);
                if matches!(limit, Count::Param(_)) {
                    // So far below zero that the difference is above: none is left.
                    let none = self.pool.place(vec![0; 8]);
                    self.e(InstId::Cmovo, &[g(RAX), at(POOL, none)]);
                }
            }
            if kind == Kind::Serial {
                // All lanes or none.
                self.e(InstId::Mov, &[g(RDX), number(256)]);
                self.e(InstId::Test, &[g(RAX), g(RAX)]);
                self.e(InstId::Cmovnle, &[g(RAX), g(RDX)]);
            }
            self.e(InstId::Cmp, &[g(RCX), g(RAX)]);
            self.e(InstId::Cmovnle, &[g(RCX), g(RAX)]);
        }
        self.e(InstId::Xor, &[g32(RAX), g32(RAX)]);
        self.e(InstId::Test, &[g(RCX), g(RCX)]);
        self.e(InstId::Cmovl, &[g(RCX), g(RAX)]);
        self.first_lanes()
    }

    /// Keeps a mask that [`first_lanes`](Emitter::first_lanes) gave.
    pub(super) fn write_mask(&mut self, mask: u8, place: i32) {
        match self.machine.extension {
            Extension::Avx512 => self.e(InstId::Kmovq, &[at(BLOCK, place), m(mask)]),
            Extension::Avx2 => self.move_vector(at(BLOCK, place), v(mask, 32)),
        }
    }

    /// A mask that was kept, where [`first_lanes`](Emitter::first_lanes) gave it.
    fn read_mask(&mut self, place: i32) -> u8 {
        match self.machine.extension {
            Extension::Avx512 => {
                self.e(InstId::Kmovq, &[m(7), at(BLOCK, place)]);
                7
            }
            Extension::Avx2 => {
                let to = self.scratch(2);
                self.move_vector(v(to, 32), at(BLOCK, place));
                to
            }
        }
    }

    /// The mask of as many lanes as `rcx` says, in mask register 7 or the last scratch vector.
    pub(super) fn first_lanes(&mut self) -> u8 {
        match self.machine.extension {
            Extension::Avx512 => {
                self.e(InstId::Mov, &[g(RAX), number(-1)]);
                self.e(InstId::Bzhi, &[g(RAX), g(RAX), g(RCX)]);
                // From 64 lanes on all are meant.
                self.e(InstId::Kmovq, &[m(7), g(RAX)]);
                7
            }
            Extension::Avx2 => {
                let (to, size) = (self.scratch(2), self.mask_size());
                let iota = self.iota(size, 0);
                self.e(InstId::Vmovq, &[v(to, 16), g(RCX)]);
                self.e(broadcast(size), &[v(to, 32), v(to, 16)]);
                let greater = match size {
                    1 => InstId::Vpcmpgtb,
                    2 => InstId::Vpcmpgtw,
                    4 => InstId::Vpcmpgtd,
                    _ => InstId::Vpcmpgtq,
                };
                self.e(greater, &[v(to, 32), v(to, 32), iota]);
                to
            }
        }
    }
}
