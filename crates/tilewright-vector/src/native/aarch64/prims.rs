//! Instructions for primitives.

use super::{encoder::OfFloats, *};
use InstId as I;

/// The instruction of two vectors that does what the primitive says, if there is one.
fn binary(prim: Prim, lane: Lane) -> Option<InstId> {
    Some(match prim {
        Prim::Add => I::Add_v,
        Prim::Sub => I::Sub_v,
        Prim::Mul if lane != Lane::I64 => I::Mul_v,
        Prim::MinS => I::Smin_v,
        Prim::MaxS => I::Smax_v,
        Prim::MinU => I::Umin_v,
        Prim::MaxU => I::Umax_v,
        Prim::FAdd | Prim::HalfAdd => I::Fadd_v,
        Prim::FSub | Prim::HalfSub => I::Fsub_v,
        Prim::FMul | Prim::HalfMul => I::Fmul_v,
        Prim::FDiv => I::Fdiv_v,
        Prim::MinNum => I::Fminnm_v,
        Prim::MaxNum => I::Fmaxnm_v,
        _ => return None,
    })
}

/// The same for instructions that know only bits.
fn bitwise(prim: Prim) -> Option<InstId> {
    Some(match prim {
        Prim::And | Prim::MAnd => I::And_v,
        Prim::Or | Prim::MOr => I::Orr_v,
        Prim::Xor | Prim::MXor => I::Eor_v,
        _ => return None,
    })
}

/// The instruction of one vector of floats that gives floats.
fn of_floats(prim: Prim) -> Option<OfFloats> {
    Some(match prim {
        Prim::Sqrt => OfFloats::Root,
        Prim::Round => OfFloats::Nearest,
        Prim::Floor => OfFloats::Down,
        Prim::Ceil => OfFloats::Up,
        Prim::Trunc => OfFloats::TowardZero,
        _ => return None,
    })
}

/// The instruction that doubles the width of lanes, once or twice.
fn widening(prim: Prim) -> Option<InstId> {
    Some(match prim {
        Prim::S8To16 | Prim::S8To32 | Prim::S16To32 | Prim::S32To64 | Prim::S32ToF64 => I::Sxtl_v,
        Prim::U8To16 | Prim::U8To32 | Prim::U16To32 | Prim::U32To64 => I::Uxtl_v,
        Prim::WidenF16 | Prim::Widen => I::Fcvtl_v,
        _ => return None,
    })
}

/// The instruction that halves the width of lanes, once or twice.
fn narrowing(prim: Prim) -> Option<InstId> {
    Some(match prim {
        Prim::Low8Of16 | Prim::Low8Of32 | Prim::Low16Of32 | Prim::Low32Of64 => I::Xtn_v,
        Prim::RoundF16 | Prim::Narrow => I::Fcvtn_v,
        _ => return None,
    })
}

/// The instruction of a comparison, and whether it compares the other way round.
fn comparison(prim: Prim) -> Option<(InstId, bool)> {
    Some(match prim {
        Prim::Eq => (I::Cmeq_v, false),
        Prim::LtS => (I::Cmgt_v, true),
        Prim::LtU => (I::Cmhi_v, true),
        Prim::FEq | Prim::HalfEq => (I::Fcmeq_v, false),
        Prim::FLt | Prim::HalfLt => (I::Fcmgt_v, true),
        Prim::FLe | Prim::HalfLe => (I::Fcmge_v, true),
        _ => return None,
    })
}

impl Emitter<'_> {
    pub(super) fn prim(&mut self, prim: Prim, result: Value, operands: &[Value; 3]) {
        let [a, b, c] = *operands;
        let lane = self.code.lane(operands[prim.arity() - 1]);
        let (from, to_size) = (lane.size(), self.code.lane(result).size());
        if let Some(id) = binary(prim, lane) {
            return self.two(id, result, [a, b], from);
        }
        if let Some(id) = bitwise(prim) {
            return self.two(id, result, [a, b], 1);
        }
        if let Some((id, swapped)) = comparison(prim) {
            let operands = if swapped { [b, a] } else { [a, b] };
            return self.compare_lanes(id, result, operands, from);
        }
        if let Some(of) = of_floats(prim) {
            let (x, to) = (self.vector(a, 1), self.target(result));
            self.machine.encoder.of_floats(of, to, x, from == 8);
            return self.done(result, to);
        }
        if matches!(prim, Prim::High16To32 | Prim::High16Of32) {
            let (x, to) = (self.vector(a, 1), self.target(result));
            match prim {
                Prim::High16To32 => self.e(I::Shll_v, &[all(to, 4), low(x, 2), number(16)]),
                _ => self.e(I::Shrn_v, &[low(to, 2), all(x, 4), number(16)]),
            }
            return self.done(result, to);
        }
        if let Some(id) = widening(prim) {
            let (mut x, to, mut size) = (self.vector(a, 1), self.target(result), from);
            while size < to_size {
                self.e(id, &[all(to, 2 * size), low(x, size)]);
                (x, size) = (to, 2 * size);
            }
            if prim == Prim::S32ToF64 {
                self.e(I::Scvtf_v, &[all(to, 8), all(to, 8)]);
            }
            return self.done(result, to);
        }
        if let Some(id) = narrowing(prim) {
            let (mut x, to, mut size) = (self.vector(a, 1), self.target(result), from);
            while size > to_size {
                size /= 2;
                self.e(id, &[low(to, size), all(x, 2 * size)]);
                x = to;
            }
            return self.done(result, to);
        }
        match prim {
            Prim::Shl | Prim::ShrU | Prim::ShrS => self.shift(prim, result, lane, a, b),
            Prim::FMin | Prim::HalfMin => self.first_if_below(result, [a, b], [b, a], from),
            Prim::FMax | Prim::HalfMax => self.first_if_below(result, [a, b], [a, b], from),
            Prim::Fma | Prim::HalfFma => self.fma(result, [a, b, c], from),
            Prim::F32ToS32 | Prim::F64ToS32 => self.float_to_integer(result, a, from),
            Prim::Select => self.select(result, lane, [a, b, c]),
            Prim::S32ToF32 => {
                let (x, to) = (self.vector(a, 1), self.target(result));
                self.e(I::Scvtf_v, &[all(to, 4), all(x, 4)]);
                self.done(result, to);
            }
            Prim::MNot => {
                let (x, to) = (self.vector(a, 1), self.target(result));
                self.e(I::Not_v, &[all(to, 1), all(x, 1)]);
                self.done(result, to);
            }
            Prim::Bits32 | Prim::Bits64 | Prim::Float32 | Prim::Float64 => {
                if self.location(result) == self.location(a) && self.location(a) != Location::Pool {
                    return;
                }
                let from = self.vector(a, 1);
                self.done(result, from);
            }
            Prim::MulHighS | Prim::MulHighU if lane != Lane::I64 => self.multiply_high(prim, result, [a, b], from),
            Prim::MulLowU => self.multiply_low(result, a, b),
            _ => self.scalar(prim, result, lane, [a, b]),
        }
    }

    fn two(&mut self, id: InstId, result: Value, [a, b]: [Value; 2], size: usize) {
        let (x, y) = (self.vector(a, 1), self.vector(b, 2));
        let to = self.target(result);
        self.e(id, &[all(to, size), all(x, size), all(y, size)]);
        self.done(result, to);
    }

    fn compare_lanes(&mut self, id: InstId, result: Value, [a, b]: [Value; 2], size: usize) {
        let (x, y) = (self.vector(a, 1), self.vector(b, 2));
        let to = self.target(result);
        self.e(id, &[all(to, size), all(x, size), all(y, size)]);
        self.widen_mask(to, size);
        self.done(result, to);
    }

    /// By a distance that is known, or by that of each lane, of which the instruction takes the lowest byte, negative to the right.
    fn shift(&mut self, prim: Prim, result: Value, lane: Lane, a: Value, b: Value) {
        let (size, bits) = (lane.size(), 8 * lane.size() as u64);
        let x = self.vector(a, 1);
        let to = self.target(result);
        if let Some(distance) = self.constants.get(&b).copied() {
            match (prim, distance) {
                (_, 0) => self.move_vector(to, x),
                (Prim::Shl | Prim::ShrU, distance) if distance >= bits => self.fill(to, 0),
                (Prim::Shl, _) => self.e(I::Shl_v, &[all(to, size), all(x, size), number(distance as i64)]),
                (Prim::ShrU, _) => self.e(I::Ushr_v, &[all(to, size), all(x, size), number(distance as i64)]),
                _ => self.e(I::Sshr_v, &[all(to, size), all(x, size), number(distance.min(bits - 1) as i64)]),
            }
            return self.done(result, to);
        }
        let (distance, limit, least) = (self.vector(b, 2), self.scratch(3), self.scratch(4));
        // The most that moves all bits out.
        self.pattern(limit, &bits.to_le_bytes()[..size]);
        if lane == Lane::I64 {
            self.e(I::Cmhi_v, &[all(least, 8), all(limit, 8), all(distance, 8)]);
            self.e(I::Bsl_v, &[all(least, 1), all(distance, 1), all(limit, 1)]);
        } else {
            self.e(I::Umin_v, &[all(least, size), all(distance, size), all(limit, size)]);
        }
        if prim != Prim::Shl {
            self.e(I::Neg_v, &[all(least, size), all(least, size)]);
        }
        let id = if prim == Prim::ShrS { I::Sshl_v } else { I::Ushl_v };
        self.e(id, &[all(to, size), all(x, size), all(least, size)]);
        self.done(result, to);
    }

    /// The first of two numbers if `greater` are a number and one below it, else the second.
    fn first_if_below(&mut self, result: Value, [a, b]: [Value; 2], [greater, less]: [Value; 2], size: usize) {
        let (x, y) = (self.vector(a, 1), self.vector(b, 2));
        let of = |value| if value == a { x } else { y };
        let (greater, less, which) = (of(greater), of(less), self.scratch(3));
        self.e(I::Fcmgt_v, &[all(which, size), all(greater, size), all(less, size)]);
        self.choose_lanes(result, which, x, y);
    }

    fn fma(&mut self, result: Value, [a, b, c]: [Value; 3], size: usize) {
        let (x, y, z) = (self.vector(a, 1), self.vector(b, 2), self.vector(c, 3));
        let to = self.target(result);
        let sum = if z != to && (to == x || to == y) { self.scratch(0) } else { to };
        self.move_vector(sum, z);
        self.e(I::Fmla_v, &[all(sum, size), all(x, size), all(y, size)]);
        self.done(result, sum);
    }

    /// Toward zero; what is out of range, and NaN, is the least integer.
    fn float_to_integer(&mut self, result: Value, a: Value, size: usize) {
        let x = self.vector(a, 1);
        let (integer, limit, least) = (self.scratch(0), self.scratch(2), self.scratch(3));
        let end = 2f64.powi(31);
        if size == 4 {
            self.pattern(limit, &(end as f32).to_le_bytes());
            self.pattern(least, &i32::MIN.to_le_bytes());
        } else {
            self.pattern(limit, &end.to_le_bytes());
            self.pattern(least, &i64::from(i32::MIN).to_le_bytes());
        }
        self.e(I::Fcvtzs_v, &[all(integer, size), all(x, size)]);
        self.e(I::Facgt_v, &[all(limit, size), all(limit, size), all(x, size)]);
        self.e(I::Bif_v, &[all(integer, 1), all(least, 1), all(limit, 1)]);
        let to = self.target(result);
        if size == 8 {
            self.e(I::Xtn_v, &[low(to, 4), all(integer, 8)]);
            self.done(result, to);
        } else {
            self.done(result, integer);
        }
    }

    fn select(&mut self, result: Value, lane: Lane, [mask, yes, no]: [Value; 3]) {
        let size = if lane == Lane::Mask { self.mask_size() } else { lane.size() };
        let mask = self.vector(mask, 3);
        let which = self.narrow_mask(self.scratch(4), mask, size);
        let (yes, no) = (self.vector(yes, 1), self.vector(no, 2));
        self.choose_lanes(result, which, yes, no);
    }

    /// Lanes of one vector where a mask of their width holds, else those of another.
    fn choose_lanes(&mut self, result: Value, which: u8, yes: u8, no: u8) {
        let to = self.target(result);
        if to == no {
            self.e(I::Bit_v, &[all(to, 1), all(yes, 1), all(which, 1)]);
        } else if to == yes {
            self.e(I::Bif_v, &[all(to, 1), all(no, 1), all(which, 1)]);
        } else {
            self.move_vector(to, which);
            self.e(I::Bsl_v, &[all(to, 1), all(yes, 1), all(no, 1)]);
        }
        self.done(result, to);
    }

    /// The upper halves of products, of twice the width, of the lanes of both halves of the vectors.
    fn multiply_high(&mut self, prim: Prim, result: Value, [a, b]: [Value; 2], size: usize) {
        let (x, y) = (self.vector(a, 1), self.vector(b, 2));
        let (lower, upper) = (self.scratch(3), self.scratch(4));
        let ids = if prim == Prim::MulHighS { [I::Smull_v, I::Smull2_v] } else { [I::Umull_v, I::Umull2_v] };
        self.e(ids[0], &[all(lower, 2 * size), low(x, size), low(y, size)]);
        self.e(ids[1], &[all(upper, 2 * size), all(x, size), all(y, size)]);
        let to = self.target(result);
        self.e(I::Uzp2_v, &[all(to, size), all(lower, size), all(upper, size)]);
        self.done(result, to);
    }

    /// Products of the lower halves of integers of 64 bits.
    fn multiply_low(&mut self, result: Value, a: Value, b: Value) {
        let (x, y) = (self.vector(a, 1), self.vector(b, 2));
        let halves = [self.scratch(3), self.scratch(4)];
        for (half, whole) in halves.into_iter().zip([x, y]) {
            self.e(I::Xtn_v, &[low(half, 4), all(whole, 8)]);
        }
        let to = self.target(result);
        self.e(I::Umull_v, &[all(to, 8), low(halves[0], 4), low(halves[1], 4)]);
        self.done(result, to);
    }

    /// Quotients, and products of 64 bits, lane by lane.
    fn scalar(&mut self, prim: Prim, result: Value, lane: Lane, [a, b]: [Value; 2]) {
        let size = lane.size();
        let (first, second) = (self.vector(a, 1), self.vector(b, 2));
        let to = self.scratch(0);
        let general = if size == 8 { x } else { w };
        let get = if prim == Prim::DivS && size < 4 { I::Smov_v } else { I::Umov_v };
        let id = match prim {
            Prim::Mul => I::Mul,
            Prim::MulHighS => I::Smulh,
            Prim::MulHighU => I::Umulh,
            Prim::DivS => I::Sdiv,
            Prim::DivU => I::Udiv,
            _ => unreachable!("{prim} of {lane} has instructions"),
        };
        for lane in 0..self.width {
            self.e(get, &[general(T0), element(first, size, lane)]);
            self.e(get, &[general(T1), element(second, size, lane)]);
            self.e(id, &[general(T0), general(T0), general(T1)]);
            if matches!(prim, Prim::DivS | Prim::DivU) {
                // All bits set if the divisor is zero. The least number divided by -1 is what it was.
                self.e(I::Cmp, &[general(T1), number(0)]);
                self.e(I::Csinv, &[general(T0), general(T0), general(ZERO), code_of(Condition::Ne)]);
            }
            self.e(I::Ins_v, &[element(to, size, lane), general(T0)]);
        }
        self.done(result, to);
    }

    /// A number of a table of 16: the bytes of it, from four vectors that follow each other; from two, if the others are the same.
    pub(super) fn lookup(&mut self, result: Value, index: Value, table: &[u32; 16]) {
        let vectors = if table[..8] == table[8..] { 2 } else { 4 };
        let numbers = self.pool.place(table.iter().flat_map(|bits| bits.to_le_bytes()).collect());
        let (bytes, by, places) = (self.scratch(0), self.scratch(1), self.scratch(2));
        let index = self.vector(index, 0);
        // Of each of four bytes the number times four, plus which one it is.
        self.pattern(by, &(4 * u32::from(vectors) - 1).to_le_bytes());
        self.e(I::And_v, &[all(bytes, 1), all(index, 1), all(by, 1)]);
        self.pattern(by, &0x0404_0404u32.to_le_bytes());
        self.pattern(places, &0x0302_0100u32.to_le_bytes());
        self.e(I::Mul_v, &[all(bytes, 4), all(bytes, 4), all(by, 4)]);
        self.e(I::Add_v, &[all(bytes, 4), all(bytes, 4), all(places, 4)]);
        for i in 0..vectors {
            self.read(self.scratch(1 + i), POOL, numbers + 16 * i32::from(i), 16);
        }
        let to = self.target(result);
        let operands: Vec<Operand> =
            [all(to, 1)].into_iter().chain((1..=vectors).map(|n| all(self.scratch(n), 1))).chain([all(bytes, 1)]).collect();
        self.e(I::Tbl_v, &operands);
        self.done(result, to);
    }
}
