//! Instructions for primitives.

use super::{encoder::Rounding, *};
use InstId as I;

/// The comparison of floats that holds unless the first is below the second, so of NaN, too; it raises no exception.
const NOT_LESS: i64 = 0x15;
const EQUAL: i64 = 0;

/// The four instructions of a family, by the bytes of a lane.
fn by_size(lane: Lane, ids: [InstId; 4]) -> InstId {
    ids[lane.size().trailing_zeros() as usize]
}

/// The instruction for single or double precision.
fn by_float(lane: Lane, single: InstId, double: InstId) -> InstId {
    if lane == Lane::F32 { single } else { double }
}

/// The instruction for half, single or double precision: halves are in lanes of integers.
fn by_precision(lane: Lane, [half, single, double]: [InstId; 3]) -> InstId {
    match lane {
        Lane::I16 => half,
        Lane::F32 => single,
        _ => double,
    }
}

/// The instruction of two vectors that does what the primitive says, if there is one at this level.
fn binary(extension: Extension, prim: Prim, lane: Lane) -> Option<InstId> {
    let wide = extension == Extension::Avx512;
    Some(match prim {
        Prim::Add => by_size(lane, [I::Vpaddb, I::Vpaddw, I::Vpaddd, I::Vpaddq]),
        Prim::Sub => by_size(lane, [I::Vpsubb, I::Vpsubw, I::Vpsubd, I::Vpsubq]),
        Prim::Mul => match lane {
            Lane::I16 => I::Vpmullw,
            Lane::I32 => I::Vpmulld,
            Lane::I64 if wide => I::Vpmullq,
            _ => return None,
        },
        Prim::MulLowU => I::Vpmuludq,
        Prim::MulHighS if lane == Lane::I16 => I::Vpmulhw,
        Prim::MulHighU if lane == Lane::I16 => I::Vpmulhuw,
        Prim::And if wide => by_size(lane, [I::Vpandd, I::Vpandd, I::Vpandd, I::Vpandq]),
        Prim::Or if wide => by_size(lane, [I::Vpord, I::Vpord, I::Vpord, I::Vporq]),
        Prim::Xor if wide => by_size(lane, [I::Vpxord, I::Vpxord, I::Vpxord, I::Vpxorq]),
        Prim::And => I::Vpand,
        Prim::Or => I::Vpor,
        Prim::Xor => I::Vpxor,
        Prim::Shl => match lane {
            Lane::I16 if wide => I::Vpsllvw,
            Lane::I32 => I::Vpsllvd,
            Lane::I64 => I::Vpsllvq,
            _ => return None,
        },
        Prim::ShrU => match lane {
            Lane::I16 if wide => I::Vpsrlvw,
            Lane::I32 => I::Vpsrlvd,
            Lane::I64 => I::Vpsrlvq,
            _ => return None,
        },
        Prim::ShrS => match lane {
            Lane::I16 if wide => I::Vpsravw,
            Lane::I32 => I::Vpsravd,
            Lane::I64 if wide => I::Vpsravq,
            _ => return None,
        },
        Prim::MinS | Prim::MaxS | Prim::MinU | Prim::MaxU if lane == Lane::I64 && !wide => return None,
        Prim::MinS => by_size(lane, [I::Vpminsb, I::Vpminsw, I::Vpminsd, I::Vpminsq]),
        Prim::MaxS => by_size(lane, [I::Vpmaxsb, I::Vpmaxsw, I::Vpmaxsd, I::Vpmaxsq]),
        Prim::MinU => by_size(lane, [I::Vpminub, I::Vpminuw, I::Vpminud, I::Vpminuq]),
        Prim::MaxU => by_size(lane, [I::Vpmaxub, I::Vpmaxuw, I::Vpmaxud, I::Vpmaxuq]),
        Prim::FAdd => by_float(lane, I::Vaddps, I::Vaddpd),
        Prim::FSub => by_float(lane, I::Vsubps, I::Vsubpd),
        Prim::FMul => by_float(lane, I::Vmulps, I::Vmulpd),
        Prim::FDiv => by_float(lane, I::Vdivps, I::Vdivpd),
        Prim::FMin => by_float(lane, I::Vminps, I::Vminpd),
        Prim::FMax => by_float(lane, I::Vmaxps, I::Vmaxpd),
        Prim::HalfAdd => I::Vaddph,
        Prim::HalfSub => I::Vsubph,
        Prim::HalfMul => I::Vmulph,
        Prim::HalfMin => I::Vminph,
        Prim::HalfMax => I::Vmaxph,
        _ => return None,
    })
}

/// The instruction of one vector, and the number that it takes besides.
fn unary(extension: Extension, prim: Prim, lane: Lane) -> Option<(InstId, Option<i64>)> {
    let wide = extension == Extension::Avx512;
    let rounding = |mode: i64| {
        let id = if wide { by_float(lane, I::Vrndscaleps, I::Vrndscalepd) } else { by_float(lane, I::Vroundps, I::Vroundpd) };
        // Without telling that the result is inexact.
        Some((id, Some(mode | 8)))
    };
    let id = match prim {
        Prim::Sqrt => by_float(lane, I::Vsqrtps, I::Vsqrtpd),
        Prim::Round => return rounding(0),
        Prim::Floor => return rounding(1),
        Prim::Ceil => return rounding(2),
        Prim::Trunc => return rounding(3),
        Prim::S8To16 => I::Vpmovsxbw,
        Prim::S8To32 => I::Vpmovsxbd,
        Prim::S16To32 => I::Vpmovsxwd,
        Prim::S32To64 => I::Vpmovsxdq,
        Prim::U8To16 => I::Vpmovzxbw,
        Prim::U8To32 => I::Vpmovzxbd,
        Prim::U16To32 => I::Vpmovzxwd,
        Prim::U32To64 => I::Vpmovzxdq,
        Prim::Low8Of16 if wide => I::Vpmovwb,
        Prim::Low8Of32 if wide => I::Vpmovdb,
        Prim::Low16Of32 if wide => I::Vpmovdw,
        Prim::Low32Of64 if wide => I::Vpmovqd,
        Prim::WidenF16 => I::Vcvtph2ps,
        // Rounded to nearest even, whatever the mode is.
        Prim::RoundF16 => return Some((I::Vcvtps2ph, Some(0))),
        Prim::Widen => I::Vcvtps2pd,
        Prim::Narrow => I::Vcvtpd2ps,
        Prim::S32ToF32 => I::Vcvtdq2ps,
        Prim::S32ToF64 => I::Vcvtdq2pd,
        Prim::F32ToS32 => I::Vcvttps2dq,
        Prim::F64ToS32 => I::Vcvttpd2dq,
        _ => return None,
    };
    Some((id, None))
}

impl Emitter<'_> {
    pub(super) fn prim(&mut self, prim: Prim, result: Value, operands: &[Value; 3]) {
        let [a, b, c] = *operands;
        let lane = self.code.lane(operands[prim.arity() - 1]);
        if let Some((id, distance)) = self.shift_by_number(prim, lane, b) {
            let bytes = self.bytes(lane);
            let (x, to) = (self.vector(a, 1), self.target(result));
            self.e(id, &[v(to, bytes), v(x, bytes), number(distance)]);
            return self.done(result, to);
        }
        if let Some(id) = binary(self.machine.extension, prim, lane) {
            let bytes = self.bytes(lane);
            let (x, y) = (self.vector(a, 1), self.second(b, lane));
            let to = self.target(result);
            self.e(id, &[v(to, bytes), v(x, bytes), y]);
            return self.done(result, to);
        }
        if let Some((id, with)) = unary(self.machine.extension, prim, lane) {
            let (from, to) = (self.vector(a, 1), self.target(result));
            let (target, source) = (v(to, self.bytes(self.code.lane(result))), v(from, self.bytes(lane)));
            match with {
                Some(n) => self.e(id, &[target, source, number(n)]),
                None => self.e(id, &[target, source]),
            }
            return self.done(result, to);
        }
        match prim {
            Prim::MinNum => self.range(result, lane, [a, b], 4),
            Prim::MaxNum => self.range(result, lane, [a, b], 5),
            Prim::Fma | Prim::HalfFma => self.fma(result, lane, [a, b, c]),
            Prim::Scale => self.scale_by_instruction(result, a, b),
            Prim::FmaOdd => self.fma_odd(result, [a, b, c]),
            Prim::FmaBf16 => self.fma_bf16(result, [a, b, c]),
            Prim::Eq | Prim::LtS | Prim::LtU | Prim::FEq | Prim::FLt | Prim::FLe | Prim::HalfEq | Prim::HalfLt | Prim::HalfLe => {
                self.compare_lanes(prim, result, lane, a, b);
            }
            Prim::Select => self.select(result, lane, [a, b, c]),
            Prim::MAnd | Prim::MOr | Prim::MXor | Prim::MNot => self.masks(prim, result, a, b),
            Prim::Bits32 | Prim::Bits64 | Prim::Float32 | Prim::Float64 => {
                if self.location(result) == self.location(a) && self.location(a) != Location::Pool {
                    return;
                }
                let from = self.vector(a, 1);
                self.done(result, from);
            }
            Prim::High16To32 => self.put_above_zeros(result, a),
            Prim::High16Of32 => self.upper_halves(result, a),
            Prim::Low8Of16 | Prim::Low8Of32 | Prim::Low16Of32 | Prim::Low32Of64 => self.low(prim, result, lane, a),
            Prim::Mul => self.multiply_64(result, a, b),
            Prim::MulHighS | Prim::MulHighU if lane == Lane::I32 => self.multiply_high_32(prim, result, a, b),
            _ => self.scalar(prim, result, a, b),
        }
    }

    /// The instruction that shifts by a number that is part of it, if the distance is known.
    fn shift_by_number(&self, prim: Prim, lane: Lane, distance: Value) -> Option<(InstId, i64)> {
        let id = match (prim, lane) {
            (Prim::Shl, Lane::I16) => I::Vpsllw,
            (Prim::Shl, Lane::I32) => I::Vpslld,
            (Prim::Shl, Lane::I64) => I::Vpsllq,
            (Prim::ShrU, Lane::I16) => I::Vpsrlw,
            (Prim::ShrU, Lane::I32) => I::Vpsrld,
            (Prim::ShrU, Lane::I64) => I::Vpsrlq,
            (Prim::ShrS, Lane::I16) => I::Vpsraw,
            (Prim::ShrS, Lane::I32) => I::Vpsrad,
            (Prim::ShrS, Lane::I64) => I::Vpsraq,
            _ => return None,
        };
        // What is too large for the byte is too large for every lane.
        self.constants.get(&distance).map(|bits| (id, (*bits).min(255) as i64))
    }

    /// The smaller or larger number, as `which` says, with its own sign. Operands that are NaN must not signal.
    fn range(&mut self, result: Value, lane: Lane, [a, b]: [Value; 2], which: i64) {
        let bytes = self.bytes(lane);
        let (x, y) = (self.vector(a, 1), self.second(b, lane));
        let to = self.target(result);
        self.e(by_float(lane, I::Vrangeps, I::Vrangepd), &[v(to, bytes), v(x, bytes), y, number(which)]);
        self.done(result, to);
    }

    /// AVX-512: a number times a power of two. Lanes that underflow are left out: the instruction takes a hundred cycles where there is one.
    fn scale_by_instruction(&mut self, result: Value, x: Value, exponent: Value) {
        let bytes = self.bytes(Lane::F32);
        let (x, exponent) = (v(self.vector(x, 1), bytes), v(self.vector(exponent, 2), bytes));
        let least = self.repeated((-150f32).to_bits());
        self.e(I::Vcmpps, &[m(6), exponent, least, number(NOT_LESS)]);
        let to = self.target(result);
        self.masked(6, true, I::Vscalefps, &[v(to, bytes), x, exponent]);
        self.done(result, to);
    }

    /// A number of a table of 16.
    pub(super) fn lookup(&mut self, result: Value, index: Value, table: &[u32; 16]) {
        let is_short = table[..8] == table[8..];
        let table = self.pool.place(table.iter().flat_map(|bits| bits.to_le_bytes()).collect());
        let index = self.vector(index, 1);
        let to = self.target(result);
        match self.machine.extension {
            // Lanes behind the width look up something, too.
            Extension::Avx512 => self.e(I::Vpermps, &[v(to, 64), v(index, 64), at(POOL, table)]),
            Extension::Avx2 if is_short => self.e(I::Vpermps, &[v(to, 32), v(index, 32), at(POOL, table)]),
            Extension::Avx2 => {
                // From both halves of the table, of which the fourth bit of the index says which one is meant.
                let (lower, which, upper) = (v(self.scratch(0), 32), v(self.scratch(1), 32), v(self.scratch(2), 32));
                self.e(I::Vpermps, &[lower, v(index, 32), at(POOL, table)]);
                self.e(I::Vpermps, &[upper, v(index, 32), at(POOL, table + 32)]);
                self.e(I::Vpslld, &[which, v(index, 32), number(28)]);
                self.e(I::Vblendvps, &[v(to, 32), lower, upper, which]);
            }
        }
        self.done(result, to);
    }

    /// The second operand of an instruction: in memory, if it has no register and the instruction takes all lanes of it there.
    fn second(&mut self, value: Value, lane: Lane) -> Operand {
        // Only instructions on lanes of 4 and 8 bytes repeat a number in memory; of others a whole vector is in the slot.
        match self.location(value) {
            Location::Pool if self.machine.extension == Extension::Avx512 && lane.size() < 4 => v(self.vector(value, 2), self.bytes(lane)),
            _ => self.operand(value, 2),
        }
    }

    /// One of the three forms, which differ in the operand that the sum overwrites and in the one that may be in memory. Of several NaNs
    /// each is used so that it gives that of `p` first, then that of `q`: registers make no difference to the result.
    fn fma(&mut self, result: Value, lane: Lane, [a, b, c]: [Value; 3]) {
        let bytes = self.bytes(lane);
        // A number in the pool can be read where it lies, and is no NaN.
        let (p, q) = if self.is_pooled_number(b) { (a, b) } else { (b, a) };
        let to = self.target(result);
        let lives_there = |value| self.location(value) == Location::Register(to);
        let in_register = |value| matches!(self.location(value), Location::Register(_));
        if lives_there(c) {
            // to += p * q
            let (p, q) = (self.vector(p, 1), self.second(q, lane));
            self.e(by_precision(lane, [I::Vfmadd231ph, I::Vfmadd231ps, I::Vfmadd231pd]), &[v(to, bytes), v(p, bytes), q]);
        } else if lives_there(p) {
            // to = to * q + c
            let (c, q) = (self.vector(c, 1), self.second(q, lane));
            self.e(by_precision(lane, [I::Vfmadd132ph, I::Vfmadd132ps, I::Vfmadd132pd]), &[v(to, bytes), v(c, bytes), q]);
        } else if !lives_there(q) && in_register(q) && !in_register(c) {
            self.copy_to(to, c);
            let (p, q) = (self.vector(p, 1), self.vector(q, 2));
            self.e(by_precision(lane, [I::Vfmadd231ph, I::Vfmadd231ps, I::Vfmadd231pd]), &[v(to, bytes), v(p, bytes), v(q, bytes)]);
        } else {
            // to = p * to + c
            if !lives_there(q) {
                self.copy_to(to, q);
            }
            let (p, c) = (self.vector(p, 1), self.second(c, lane));
            self.e(by_precision(lane, [I::Vfmadd213ph, I::Vfmadd213ps, I::Vfmadd213pd]), &[v(to, bytes), v(p, bytes), c]);
        }
        self.done(result, to);
    }

    /// Whether a value is a constant float without a register, and no NaN.
    fn is_pooled_number(&self, value: Value) -> bool {
        let number = |bits: u64| match self.code.lane(value) {
            Lane::I16 => bits & 0x7fff <= 0x7c00,
            Lane::F32 => !f32::from_bits(bits as u32).is_nan(),
            _ => !f64::from_bits(bits).is_nan(),
        };
        self.location(value) == Location::Pool && self.constants.get(&value).is_some_and(|bits| number(*bits))
    }

    /// Makes a vector hold `value`, wherever that lives.
    fn copy_to(&mut self, to: u8, value: Value) {
        let bytes = self.bytes(self.code.lane(value));
        match self.location(value) {
            Location::Register(from) => self.move_vector(v(to, bytes), v(from, bytes)),
            Location::Slot(slot) => {
                let from = self.slot(slot);
                self.move_vector(v(to, bytes), from);
            }
            Location::Pool => self.constant_to(to, value),
        }
    }

    /// Rounded down and up. Where that differs, one of the two is odd; of zeros, rounding up gives the sign that rounding to nearest does.
    fn fma_odd(&mut self, result: Value, operands: [Value; 3]) {
        match self.machine.extension {
            Extension::Avx512 => self.fma_down_and_up(result, operands),
            Extension::Avx2 => self.fma_odd_while_down(result, operands),
        }
    }

    /// AVX-512: by instructions that say how they round.
    fn fma_down_and_up(&mut self, result: Value, [a, b, c]: [Value; 3]) {
        let bytes = self.bytes(Lane::F32);
        let (down, up) = (self.scratch(0), self.scratch(1));
        let (x, y) = (self.vector(a, 2), self.vector(b, 3));
        self.copy_to(down, c);
        self.move_vector(v(up, bytes), v(down, bytes));
        // Roundings of their own make vectors of registers the longest.
        for (to, rounding) in [(down, Rounding::Down), (up, Rounding::Up)] {
            self.machine.encoder.add_rounded(I::Vfmadd231ps, None, rounding, &[v(to, 64), v(x, 64), v(y, 64)]);
        }
        let one = self.repeated(1);
        self.e(I::Vptestmd, &[m(6), v(down, bytes), one]);
        let to = self.target(result);
        self.masked(6, false, I::Vpblendmd, &[v(to, bytes), v(up, bytes), v(down, bytes)]);
        self.done(result, to);
    }

    /// AVX-512: cut to `f32`, then rounded to nearest even as integers are: half of a last place is added, and one less than that where the last
    /// place is even, which tells what lies in the middle.
    ///
    /// A sum that is in the middle because it was cut has to be moved up all the same. The product has 16 digits, and what is added to it 8: they are too far
    /// apart for the 24 of `f32` only where one is small enough to be cut off, so such a middle is the product itself, and the sum without the product is
    /// not what was added.
    fn fma_bf16(&mut self, result: Value, [a, b, c]: [Value; 3]) {
        let bytes = self.bytes(Lane::F32);
        let (cut, rest) = (self.scratch(0), self.scratch(1));
        let (x, y) = (self.vector(a, 2), self.vector(b, 3));
        self.copy_to(cut, c);
        // Roundings of their own make vectors of registers the longest.
        self.machine.encoder.add_rounded(I::Vfmadd231ps, None, Rounding::Zero, &[v(cut, 64), v(x, 64), v(y, 64)]);
        self.move_vector(v(rest, bytes), v(cut, bytes));
        self.e(I::Vfnmadd231ps, &[v(rest, bytes), v(x, bytes), v(y, bytes)]);
        let [last, half, minus_one, kept] = [0x1_0000, 0x8000, u32::MAX, 0xffff_0000].map(|bits| self.repeated(bits));
        self.e(I::Vptestnmd, &[m(6), v(cut, bytes), last]);
        let added = self.operand(c, 2);
        self.masked(6, false, I::Vcmpps, &[m(6), v(rest, bytes), added, number(EQUAL)]);
        let to = self.target(result);
        let sum = v(to, bytes);
        self.e(I::Vpaddd, &[sum, v(cut, bytes), half]);
        self.masked(6, false, I::Vpaddd, &[sum, sum, minus_one]);
        self.e(I::Vpandd, &[sum, sum, kept]);
        self.done(result, to);
    }

    /// AVX-512: lanes of 32 bits that are all the same, in memory.
    fn repeated(&mut self, bits: u32) -> Operand {
        let place = self.pool.place(bits.to_le_bytes().repeat(16));
        at(POOL, place)
    }

    /// AVX-512: words behind those of a vector, which are zero, below each of them.
    fn put_above_zeros(&mut self, result: Value, a: Value) {
        let bytes = self.bytes(Lane::I32);
        let zero = bytes as u16 / 4;
        let which = self.words((0..32).map(|word| if word % 2 == 0 { zero } else { word / 2 }));
        let (x, to) = (self.vector(a, 1), self.target(result));
        self.e(I::Vpermw, &[v(to, bytes), v(which, bytes), v(x, bytes)]);
        self.done(result, to);
    }

    /// AVX-512: every other word. A move clears the words behind those of the vector, as all instructions for such vectors do; to another register it
    /// costs nothing.
    fn upper_halves(&mut self, result: Value, a: Value) {
        let (bytes, short) = (self.bytes(Lane::I32), self.bytes(Lane::I16));
        let which = self.words((0..32).map(|word| 2 * word + 1));
        let (x, words) = (self.vector(a, 1), self.scratch(1));
        self.e(I::Vpermw, &[v(words, bytes), v(which, bytes), v(x, bytes)]);
        let to = self.target(result);
        self.move_vector(v(to, short), v(words, short));
        self.done(result, to);
    }

    /// AVX-512: a vector for use within an item that holds numbers of 16 bits.
    fn words(&mut self, numbers: impl Iterator<Item = u16>) -> u8 {
        let place = self.pool.place(numbers.flat_map(u16::to_le_bytes).collect());
        let to = self.scratch(0);
        self.move_vector(v(to, 64), at(POOL, place));
        to
    }

    /// AVX2: what is rounded up is the negative of what its negative is rounded down to.
    fn fma_odd_while_down(&mut self, result: Value, [a, b, c]: [Value; 3]) {
        let bytes = self.bytes(Lane::F32);
        let (x, y) = (self.vector(a, 1), self.operand(b, 2));
        let (down, up) = (v(self.scratch(0), bytes), v(self.scratch(2), bytes));
        self.copy_to(self.scratch(0), c);
        self.move_vector(up, down);
        self.e(I::Vfnmsub231ps, &[up, v(x, bytes), y]);
        self.e(I::Vfmadd231ps, &[down, v(x, bytes), y]);
        let sign = self.pool.place(0x8000_0000u32.to_le_bytes().repeat(8));
        self.e(I::Vpxor, &[up, up, at(POOL, sign)]);
        let is_odd = v(self.scratch(1), bytes);
        self.e(I::Vpslld, &[is_odd, down, number(31)]);
        let to = self.target(result);
        self.e(I::Vblendvps, &[v(to, bytes), up, down, is_odd]);
        self.done(result, to);
    }

    fn compare_lanes(&mut self, prim: Prim, result: Value, lane: Lane, a: Value, b: Value) {
        let bytes = self.bytes(lane);
        let to = self.mask_target(result);
        let float = match prim {
            Prim::FEq | Prim::HalfEq => Some(0),
            Prim::FLt | Prim::HalfLt => Some(0x11),
            Prim::FLe | Prim::HalfLe => Some(0x12),
            _ => None,
        };
        match self.machine.extension {
            Extension::Avx512 => {
                let (x, y) = (self.vector(a, 1), self.second(b, lane));
                let (id, predicate) = match (float, prim) {
                    (Some(predicate), _) => (by_precision(lane, [I::Vcmpph, I::Vcmpps, I::Vcmppd]), predicate),
                    (None, Prim::Eq) => (by_size(lane, [I::Vpcmpb, I::Vpcmpw, I::Vpcmpd, I::Vpcmpq]), 0),
                    (None, Prim::LtS) => (by_size(lane, [I::Vpcmpb, I::Vpcmpw, I::Vpcmpd, I::Vpcmpq]), 1),
                    (None, _) => (by_size(lane, [I::Vpcmpub, I::Vpcmpuw, I::Vpcmpud, I::Vpcmpuq]), 1),
                };
                self.e(id, &[m(to), v(x, bytes), y, number(predicate)]);
            }
            Extension::Avx2 => {
                // Less than is greater than of exchanged operands.
                let (a, b) = if prim == Prim::LtS { (b, a) } else { (a, b) };
                let (x, y) = (self.vector(a, 1), self.second(b, lane));
                match (float, prim) {
                    (Some(predicate), _) => {
                        self.e(by_float(lane, I::Vcmpps, I::Vcmppd), &[v(to, bytes), v(x, bytes), y, number(predicate)]);
                    }
                    (None, Prim::Eq) => {
                        self.e(by_size(lane, [I::Vpcmpeqb, I::Vpcmpeqw, I::Vpcmpeqd, I::Vpcmpeqq]), &[v(to, bytes), v(x, bytes), y]);
                    }
                    (None, _) => {
                        self.e(by_size(lane, [I::Vpcmpgtb, I::Vpcmpgtw, I::Vpcmpgtd, I::Vpcmpgtq]), &[v(to, bytes), v(x, bytes), y]);
                    }
                }
                self.widen_mask(to, to, lane.size());
            }
        }
        self.mask_done(result, to);
    }

    fn select(&mut self, result: Value, lane: Lane, [mask, yes, no]: [Value; 3]) {
        match (lane, self.machine.extension) {
            (Lane::Mask, Extension::Avx512) => {
                // no ^ (mask & (yes ^ no))
                let (y, n) = (self.mask(yes, 0), self.mask(no, 1));
                self.e(I::Kxorq, &[m(6), m(y), m(n)]);
                let which = match self.location(mask) {
                    Location::Register(register) => register,
                    _ => {
                        // Both masks for use within an item are taken.
                        self.e(I::Kmovq, &[g(RAX), m(6)]);
                        let which = self.mask(mask, 0);
                        self.e(I::Kmovq, &[g(RCX), m(which)]);
                        self.e(I::And, &[g(RAX), g(RCX)]);
                        self.e(I::Kmovq, &[m(6), g(RAX)]);
                        6
                    }
                };
                self.e(I::Kandq, &[m(6), m(6), m(which)]);
                self.e(I::Kxorq, &[m(6), m(6), m(n)]);
                self.mask_done(result, 6);
            }
            (_, Extension::Avx512) => {
                let (which, bytes) = (self.mask(mask, 0), self.bytes(lane));
                let (n, y) = (self.vector(no, 1), self.second(yes, lane));
                let to = self.target(result);
                let id = by_size(lane, [I::Vpblendmb, I::Vpblendmw, I::Vpblendmd, I::Vpblendmq]);
                self.masked(which, false, id, &[v(to, bytes), v(n, bytes), y]);
                self.done(result, to);
            }
            (_, Extension::Avx2) => {
                let size = if lane == Lane::Mask { self.mask_size() } else { lane.size() };
                let bytes = self.bytes(lane);
                let which = self.vector(mask, 0);
                let narrow = self.scratch(1);
                let which = self.narrow_mask(narrow, which, size);
                // Zero or another number is what a mask leaves of that.
                let is_zero = |value| lane != Lane::Mask && self.constants.get(value) == Some(&0);
                let left = if is_zero(&no) { Some((I::Vpand, yes)) } else { is_zero(&yes).then_some((I::Vpandn, no)) };
                if let Some((id, kept)) = left {
                    let (to, kept) = (self.target(result), self.operand(kept, 0));
                    self.e(id, &[v(to, bytes), v(which, bytes), kept]);
                    return self.done(result, to);
                }
                let no = self.vector(no, 2);
                // The operand in memory would need a fourth vector.
                let yes = match self.location(yes) {
                    Location::Pool if lane == Lane::Mask => {
                        let at = if which == self.scratch(0) { self.scratch(1) } else { self.scratch(0) };
                        self.constant_to(at, yes);
                        v(at, bytes)
                    }
                    _ => self.operand(yes, 0),
                };
                let to = self.target(result);
                self.e(I::Vpblendvb, &[v(to, bytes), v(no, bytes), yes, v(which, bytes)]);
                self.done(result, to);
            }
        }
    }

    fn masks(&mut self, prim: Prim, result: Value, a: Value, b: Value) {
        let to = self.mask_target(result);
        match self.machine.extension {
            Extension::Avx512 => {
                let x = self.mask(a, 0);
                match prim {
                    Prim::MNot => self.e(I::Knotq, &[m(to), m(x)]),
                    _ => {
                        let y = self.mask(b, 1);
                        let id = match prim {
                            Prim::MAnd => I::Kandq,
                            Prim::MOr => I::Korq,
                            _ => I::Kxorq,
                        };
                        self.e(id, &[m(to), m(x), m(y)]);
                    }
                }
            }
            Extension::Avx2 => {
                let x = self.vector(a, 1);
                let y = if prim == Prim::MNot {
                    let ones = self.scratch(2);
                    self.constant_mask(ones, true);
                    ones
                } else {
                    self.vector(b, 2)
                };
                let id = match prim {
                    Prim::MAnd => I::Vpand,
                    Prim::MOr => I::Vpor,
                    _ => I::Vpxor,
                };
                self.e(id, &[v(to, 32), v(x, 32), v(y, 32)]);
            }
        }
        self.mask_done(result, to);
    }

    /// AVX2: the lower part of each lane.
    fn low(&mut self, prim: Prim, result: Value, lane: Lane, a: Value) {
        let (from, to, other) = (self.vector(a, 1), self.target(result), self.scratch(2));
        let halves = self.width * lane.size() > 16;
        if prim == Prim::Low32Of64 {
            self.e(I::Vextracti128, &[v(other, 16), v(from, 32), number(1)]);
            self.e(I::Vshufps, &[v(to, 16), v(from, 16), v(other, 16), number(0x88)]);
            return self.done(result, to);
        }
        let upper = if halves {
            self.e(I::Vextracti128, &[v(other, 16), v(from, 32), number(1)]);
            other
        } else {
            from
        };
        // With saturation, to numbers without a sign: see `Support::Short`.
        let pack = if lane == Lane::I16 { I::Vpackuswb } else { I::Vpackusdw };
        self.e(pack, &[v(to, 16), v(from, 16), v(upper, 16)]);
        if prim == Prim::Low8Of32 {
            self.e(I::Vpackuswb, &[v(to, 16), v(to, 16), v(to, 16)]);
        }
        self.done(result, to);
    }

    /// AVX2: the product of integers of 64 bits, of three products of 32 bits.
    fn multiply_64(&mut self, result: Value, a: Value, b: Value) {
        let bytes = self.bytes(Lane::I64);
        let (x, y) = (self.vector(a, 1), self.vector(b, 2));
        let sum = v(self.scratch(0), bytes);
        let (x, y) = (v(x, bytes), v(y, bytes));
        // The upper half of x times the lower of y; then the other way round, by way of memory, as no vector is left.
        self.e(I::Vpsrlq, &[sum, x, number(32)]);
        self.e(I::Vpmuludq, &[sum, sum, y]);
        let area = at(BLOCK, self.area(0));
        self.move_vector(area, sum);
        self.e(I::Vpsrlq, &[sum, y, number(32)]);
        self.e(I::Vpmuludq, &[sum, sum, x]);
        self.e(I::Vpaddq, &[sum, sum, area]);
        self.e(I::Vpsllq, &[sum, sum, number(32)]);
        self.move_vector(area, sum);
        self.e(I::Vpmuludq, &[sum, x, y]);
        self.e(I::Vpaddq, &[sum, sum, area]);
        self.done(result, self.scratch(0));
    }

    /// The upper halves of products of integers of 32 bits: of the lanes with even numbers, and of those with odd ones.
    fn multiply_high_32(&mut self, prim: Prim, result: Value, a: Value, b: Value) {
        let bytes = self.bytes(Lane::I32);
        let id = if prim == Prim::MulHighS { I::Vpmuldq } else { I::Vpmuludq };
        let (x, y) = (v(self.vector(a, 1), bytes), v(self.vector(b, 2), bytes));
        let [even, odd, other] = [0, 1, 2].map(|n| v(self.scratch(n), bytes));
        self.e(id, &[even, x, y]);
        self.e(I::Vpsrlq, &[even, even, number(32)]);
        self.e(I::Vpsrlq, &[odd, x, number(32)]);
        self.e(I::Vpsrlq, &[other, y, number(32)]);
        self.e(id, &[odd, odd, other]);
        // What is in the lower halves of the products goes.
        self.e(I::Vpsrlq, &[odd, odd, number(32)]);
        self.e(I::Vpsllq, &[odd, odd, number(32)]);
        let or = if self.machine.extension == Extension::Avx512 { I::Vporq } else { I::Vpor };
        self.e(or, &[even, even, odd]);
        self.done(result, self.scratch(0));
    }

    /// Products of 128 bits and quotients of integers of 64 bits, lane by lane.
    fn scalar(&mut self, prim: Prim, result: Value, a: Value, b: Value) {
        let bytes = self.bytes(Lane::I64);
        let (first, second) = (self.area(0), self.area(1));
        let (x, y) = (self.vector(a, 1), self.vector(b, 2));
        self.move_vector(at(BLOCK, first), v(x, bytes));
        self.move_vector(at(BLOCK, second), v(y, bytes));
        self.each_lane(None, |e| e.scalar_lane(prim, first, second), |_| {});
        let to = self.target(result);
        self.move_vector(v(to, bytes), at(BLOCK, first));
        self.done(result, to);
    }

    fn scalar_lane(&mut self, prim: Prim, first: i32, second: i32) {
        let place = at_index(BLOCK, RCX, 3, first);
        self.e(I::Mov, &[g(RAX), place]);
        self.e(I::Mov, &[g(RSI), at_index(BLOCK, RCX, 3, second)]);
        if matches!(prim, Prim::MulHighS | Prim::MulHighU) {
            let id = if prim == Prim::MulHighS { I::Imul } else { I::Mul };
            self.e(id, &[g(RDX), g(RAX), g(RSI)]);
            return self.e(I::Mov, &[place, g(RDX)]);
        }
        let (zero, plain, done) = (self.label(), self.label(), self.label());
        self.e(I::Test, &[g(RSI), g(RSI)]);
        self.jump(I::Jz, zero);
        if prim == Prim::DivS {
            // The least number divided by -1 would trap: what is divided by -1 is negated.
            self.e(I::Cmp, &[g(RSI), number(-1)]);
            self.jump(I::Jnz, plain);
            self.e(I::Neg, &[g(RAX)]);
            self.jump(I::Jmp, done);
            self.bind(plain);
            self.e(I::Cqo, &[g(RDX), g(RAX)]);
            self.e(I::Idiv, &[g(RDX), g(RAX), g(RSI)]);
        } else {
            self.bind(plain);
            self.e(I::Xor, &[g32(RDX), g32(RDX)]);
            self.e(I::Div, &[g(RDX), g(RAX), g(RSI)]);
        }
        self.jump(I::Jmp, done);
        self.bind(zero);
        self.e(I::Mov, &[g(RAX), number(-1)]);
        self.bind(done);
        self.e(I::Mov, &[place, g(RAX)]);
    }
}
