//! Primitives as PTX instructions.

use super::{Printer, moved};
use crate::thread::Value;
use tilewright_vector::{Lane, Prim};

/// Bits of an integer's type.
const fn width(lane: Lane) -> u32 {
    match lane {
        Lane::I8 | Lane::I16 => 16,
        Lane::I64 | Lane::F64 => 64,
        _ => 32,
    }
}

/// Whether the instructions of a primitive take numbers as well as registers; signed integers of 8 bits are widened first.
const fn takes_numbers(prim: Prim, lane: Lane) -> bool {
    if matches!(prim, Prim::MinS | Prim::MaxS | Prim::LtS) {
        return !matches!(lane, Lane::I8);
    }
    matches!(
        prim,
        Prim::Add
            | Prim::Sub
            | Prim::Mul
            | Prim::And
            | Prim::Or
            | Prim::Xor
            | Prim::MinU
            | Prim::MaxU
            | Prim::Eq
            | Prim::LtU
            | Prim::DivU
            | Prim::Shl
            | Prim::ShrU
            | Prim::ShrS
            | Prim::Select
            | Prim::FAdd
            | Prim::FSub
            | Prim::FMul
            | Prim::FDiv
            | Prim::Fma
            | Prim::FEq
            | Prim::FLt
            | Prim::FLe
            | Prim::MinNum
            | Prim::MaxNum
    )
}

impl Printer<'_> {
    pub(super) fn prim(&mut self, result: Value, prim: Prim, operands: &[Value]) {
        let lane = self.function.lane(operands[operands.len() - 1]);
        let to = self.function.lane(result);
        let d = self.register(result);
        let x: Vec<String> = if takes_numbers(prim, lane) {
            let is_shift = matches!(prim, Prim::Shl | Prim::ShrU | Prim::ShrS);
            let sources = operands.iter().enumerate();
            sources.map(|(n, value)| if is_shift && n == 0 { self.register(*value) } else { self.source(*value) }).collect()
        } else {
            operands.iter().map(|value| self.register(*value)).collect()
        };
        match prim {
            _ if lane == Lane::I16 && self.half(prim, &d, &x) => {}
            _ if lane.is_int() && self.integer(prim, lane, &d, &x) => {}
            _ if lane.is_float() && self.float(prim, lane, &d, &x) => {}
            Prim::Select if lane == Lane::Mask => {
                let [yes, not, no] = [(); 3].map(|()| self.fresh(Lane::Mask));
                self.line(&format!("and.pred {yes}, {}, {};", x[0], x[1]));
                self.line(&format!("not.pred {not}, {};", x[0]));
                self.line(&format!("and.pred {no}, {not}, {};", x[2]));
                self.line(&format!("or.pred {d}, {yes}, {no};"));
            }
            Prim::Select => self.line(&format!("selp.{} {d}, {}, {}, {};", moved(lane), x[1], x[2], x[0])),
            Prim::MAnd => self.line(&format!("and.pred {d}, {}, {};", x[0], x[1])),
            Prim::MOr => self.line(&format!("or.pred {d}, {}, {};", x[0], x[1])),
            Prim::MXor => self.line(&format!("xor.pred {d}, {}, {};", x[0], x[1])),
            Prim::MNot => self.line(&format!("not.pred {d}, {};", x[0])),
            _ => self.convert(prim, &d, &x[0], to),
        }
    }

    /// A comparison or its opposite, and a mask.
    pub(super) fn compare(&mut self, result: Value, (prim, negated): (Prim, bool), operands: [Value; 2], and: Option<Value>) {
        let lane = self.function.lane(operands[0]);
        let (t, w) = (moved(lane), width(lane));
        // The opposite of a comparison of floats holds for NaN.
        let (relation, ty) = match (prim, negated) {
            (Prim::Eq, false) => ("eq", format!("b{w}")),
            (Prim::Eq, true) => ("ne", format!("b{w}")),
            (Prim::LtU, false) => ("lt", format!("u{w}")),
            (Prim::LtU, true) => ("ge", format!("u{w}")),
            (Prim::LtS, false) => ("lt", format!("s{w}")),
            (Prim::LtS, true) => ("ge", format!("s{w}")),
            (Prim::FEq, false) => ("eq", t.to_owned()),
            (Prim::FEq, true) => ("neu", t.to_owned()),
            (Prim::FLt, false) => ("lt", t.to_owned()),
            (Prim::FLt, true) => ("geu", t.to_owned()),
            (Prim::FLe, false) => ("le", t.to_owned()),
            (Prim::FLe, true) => ("gtu", t.to_owned()),
            _ => unreachable!("{prim} is no comparison: the verifier says so"),
        };
        let d = self.register(result);
        let [a, b] = operands.map(|operand| self.source(operand));
        let text = match and.map(|mask| self.register(mask)) {
            Some(mask) => format!("setp.{relation}.and.{ty} {d}, {a}, {b}, {mask};"),
            None => format!("setp.{relation}.{ty} {d}, {a}, {b};"),
        };
        self.line(&text);
    }

    /// The signed integer that 8 bits are, in 16; others as they are.
    fn signed(&mut self, lane: Lane, x: &str) -> String {
        if lane != Lane::I8 {
            return x.to_owned();
        }
        let wide = self.fresh(Lane::I16);
        self.line(&format!("cvt.s16.s8 {wide}, {x};"));
        wide
    }

    /// Computes, and clears what is above 8 bits.
    fn low(&mut self, lane: Lane, d: &str, inst: impl FnOnce(&str) -> String) {
        if lane == Lane::I8 {
            let wide = self.fresh(Lane::I16);
            let text = inst(&wide);
            self.line(&text);
            self.line(&format!("and.b16 {d}, {wide}, 0xff;"));
        } else {
            let text = inst(d);
            self.line(&text);
        }
    }

    /// Operations on integers of one type; says whether it is one.
    fn integer(&mut self, prim: Prim, lane: Lane, d: &str, x: &[String]) -> bool {
        let w = width(lane);
        let a = x[0].as_str();
        let b = x.get(1).map_or(a, String::as_str);
        match prim {
            Prim::Add => self.low(lane, d, |d| format!("add.u{w} {d}, {a}, {b};")),
            Prim::Sub => self.low(lane, d, |d| format!("sub.u{w} {d}, {a}, {b};")),
            Prim::Mul => self.low(lane, d, |d| format!("mul.lo.u{w} {d}, {a}, {b};")),
            Prim::And => self.line(&format!("and.b{w} {d}, {a}, {b};")),
            Prim::Or => self.line(&format!("or.b{w} {d}, {a}, {b};")),
            Prim::Xor => self.line(&format!("xor.b{w} {d}, {a}, {b};")),
            Prim::MinU => self.line(&format!("min.u{w} {d}, {a}, {b};")),
            Prim::MaxU => self.line(&format!("max.u{w} {d}, {a}, {b};")),
            Prim::Eq => self.line(&format!("setp.eq.b{w} {d}, {a}, {b};")),
            Prim::LtU => self.line(&format!("setp.lt.u{w} {d}, {a}, {b};")),
            Prim::MinS | Prim::MaxS | Prim::LtS => {
                let (a, b) = (self.signed(lane, a), self.signed(lane, b));
                match prim {
                    Prim::MinS => self.low(lane, d, |d| format!("min.s{w} {d}, {a}, {b};")),
                    Prim::MaxS => self.low(lane, d, |d| format!("max.s{w} {d}, {a}, {b};")),
                    _ => self.line(&format!("setp.lt.s{w} {d}, {a}, {b};")),
                }
            }
            Prim::MulHighS | Prim::MulHighU if lane == Lane::I8 => {
                let (a, b) =
                    if prim == Prim::MulHighS { (self.signed(lane, a), self.signed(lane, b)) } else { (a.to_owned(), b.to_owned()) };
                let (product, high) = (self.fresh(Lane::I16), self.fresh(Lane::I16));
                self.line(&format!("mul.lo.u16 {product}, {a}, {b};"));
                self.line(&format!("shr.u16 {high}, {product}, 8;"));
                self.line(&format!("and.b16 {d}, {high}, 0xff;"));
            }
            Prim::MulLowU => {
                let halves = [a, b].map(|whole| {
                    let half = self.fresh(Lane::I64);
                    self.line(&format!("and.b64 {half}, {whole}, 0xffffffff;"));
                    half
                });
                self.line(&format!("mul.lo.u64 {d}, {}, {};", halves[0], halves[1]));
            }
            Prim::MulHighS => self.line(&format!("mul.hi.s{w} {d}, {a}, {b};")),
            Prim::MulHighU => self.line(&format!("mul.hi.u{w} {d}, {a}, {b};")),
            Prim::Shl | Prim::ShrU | Prim::ShrS => self.shift(prim, lane, d, a, b),
            Prim::DivU if lane != Lane::I8 && b.parse().is_ok_and(|divisor: i64| divisor != 0) => {
                self.line(&format!("div.u{w} {d}, {a}, {b};"));
            }
            Prim::DivS | Prim::DivU => self.divide(prim, lane, d, a, b),
            _ => return false,
        }
        true
    }

    /// Shifts by the width or more are defined in PTX as they are here; amounts are `u32`.
    fn shift(&mut self, prim: Prim, lane: Lane, d: &str, a: &str, b: &str) {
        let w = width(lane);
        let amount = match lane {
            // A number, of which 64 and more are the same.
            _ if b.parse::<i64>().is_ok() => b.parse::<i64>().map_or(64, |n| n.cast_unsigned().min(64)).to_string(),
            Lane::I32 => b.to_owned(),
            Lane::I64 => {
                let (least, amount) = (self.fresh(Lane::I64), self.fresh(Lane::I32));
                self.line(&format!("min.u64 {least}, {b}, 64;"));
                self.line(&format!("cvt.u32.u64 {amount}, {least};"));
                amount
            }
            _ => {
                let amount = self.fresh(Lane::I32);
                self.line(&format!("cvt.u32.u16 {amount}, {b};"));
                amount
            }
        };
        match prim {
            Prim::Shl => self.low(lane, d, |d| format!("shl.b{w} {d}, {a}, {amount};")),
            Prim::ShrU => self.line(&format!("shr.u{w} {d}, {a}, {amount};")),
            _ => {
                let a = self.signed(lane, a);
                self.low(lane, d, |d| format!("shr.s{w} {d}, {a}, {amount};"));
            }
        }
    }

    /// Divides by 1 where PTX leaves the quotient open, and then takes the one that the primitive has.
    fn divide(&mut self, prim: Prim, lane: Lane, d: &str, a: &str, b: &str) {
        let w = width(lane);
        let signed = prim == Prim::DivS;
        let (a, b) = if signed { (self.signed(lane, a), self.signed(lane, b)) } else { (a.to_owned(), b.to_owned()) };
        let [divisor, quotient, whole] = [(); 3].map(|()| self.fresh(lane));
        let zero = self.fresh(Lane::Mask);
        self.line(&format!("setp.eq.b{w} {zero}, {b}, 0;"));
        self.line(&format!("selp.b{w} {divisor}, 1, {b}, {zero};"));
        if signed {
            let minus = self.fresh(Lane::Mask);
            let [safe, plain, negated] = [(); 3].map(|()| self.fresh(lane));
            self.line(&format!("setp.eq.s{w} {minus}, {b}, -1;"));
            self.line(&format!("selp.b{w} {safe}, 1, {divisor}, {minus};"));
            self.line(&format!("div.s{w} {plain}, {a}, {safe};"));
            self.line(&format!("neg.s{w} {negated}, {a};"));
            self.line(&format!("selp.b{w} {quotient}, {negated}, {plain}, {minus};"));
        } else {
            self.line(&format!("div.u{w} {quotient}, {a}, {divisor};"));
        }
        self.line(&format!("selp.b{w} {whole}, -1, {quotient}, {zero};"));
        if lane == Lane::I8 {
            self.line(&format!("and.b16 {d}, {whole}, 0xff;"));
        } else {
            self.line(&format!("mov.b{w} {d}, {whole};"));
        }
    }

    /// Operations on floats of one type; says whether it is one.
    fn float(&mut self, prim: Prim, lane: Lane, d: &str, x: &[String]) -> bool {
        let t = moved(lane);
        let a = x[0].as_str();
        let b = x.get(1).map_or(a, String::as_str);
        let c = x.get(2).map_or(b, String::as_str);
        let text = match prim {
            Prim::FAdd => format!("add.rn.{t} {d}, {a}, {b};"),
            Prim::FSub => format!("sub.rn.{t} {d}, {a}, {b};"),
            Prim::FMul => format!("mul.rn.{t} {d}, {a}, {b};"),
            Prim::FDiv => format!("div.rn.{t} {d}, {a}, {b};"),
            Prim::Fma => format!("fma.rn.{t} {d}, {a}, {b}, {c};"),
            Prim::Sqrt => format!("sqrt.rn.{t} {d}, {a};"),
            Prim::Floor => format!("cvt.rmi.{t}.{t} {d}, {a};"),
            Prim::Ceil => format!("cvt.rpi.{t}.{t} {d}, {a};"),
            Prim::Trunc => format!("cvt.rzi.{t}.{t} {d}, {a};"),
            Prim::Round => format!("cvt.rni.{t}.{t} {d}, {a};"),
            // PTX has -0 below +0, and of NaN and a number the number.
            Prim::MinNum => format!("min.{t} {d}, {a}, {b};"),
            Prim::MaxNum => format!("max.{t} {d}, {a}, {b};"),
            Prim::FEq => format!("setp.eq.{t} {d}, {a}, {b};"),
            Prim::FLt => format!("setp.lt.{t} {d}, {a}, {b};"),
            Prim::FLe => format!("setp.le.{t} {d}, {a}, {b};"),
            Prim::FMin | Prim::FMax => {
                let first = self.fresh(Lane::Mask);
                let relation = if prim == Prim::FMin { "lt" } else { "gt" };
                self.line(&format!("setp.{relation}.{t} {first}, {a}, {b};"));
                format!("selp.{t} {d}, {a}, {b}, {first};")
            }
            Prim::FmaOdd => return self.fma_odd(d, a, b, c),
            Prim::FmaF16 | Prim::FmaBf16 => return self.fma_short(prim, d, [a, b, c]),
            Prim::Scale => return self.scale(d, a, b),
            _ => return false,
        };
        self.line(&text);
        true
    }

    /// Operations on numbers of binary16; says whether it is one. Every GPU has arithmetic of them; comparisons are those of `f32`.
    fn half(&mut self, prim: Prim, d: &str, x: &[String]) -> bool {
        let (a, b) = (x[0].as_str(), x.get(1).map_or("", String::as_str));
        let arithmetic = match prim {
            Prim::HalfAdd => format!("add.rn.f16 {d}, {a}, {b};"),
            Prim::HalfSub => format!("sub.rn.f16 {d}, {a}, {b};"),
            Prim::HalfMul => format!("mul.rn.f16 {d}, {a}, {b};"),
            Prim::HalfFma => format!("fma.rn.f16 {d}, {a}, {b}, {};", x[2]),
            Prim::HalfEq => return self.compare_halves("eq", d, a, b),
            Prim::HalfLt => return self.compare_halves("lt", d, a, b),
            Prim::HalfLe => return self.compare_halves("le", d, a, b),
            Prim::HalfMin | Prim::HalfMax => {
                let is_first = self.fresh(Lane::Mask);
                self.compare_halves(if prim == Prim::HalfMin { "lt" } else { "gt" }, &is_first, a, b);
                format!("selp.b16 {d}, {a}, {b}, {is_first};")
            }
            _ => return false,
        };
        self.line(&arithmetic);
        true
    }

    fn compare_halves(&mut self, relation: &str, d: &str, a: &str, b: &str) -> bool {
        let [a, b] = [a, b].map(|half| {
            let wide = self.fresh(Lane::F32);
            self.line(&format!("cvt.f32.f16 {wide}, {half};"));
            wide
        });
        self.line(&format!("setp.{relation}.f32 {d}, {a}, {b};"));
        true
    }

    /// Toward zero, with the last bit set unless both directed results are the same.
    fn fma_odd(&mut self, d: &str, a: &str, b: &str, c: &str) -> bool {
        let [zero, up, down] = [(); 3].map(|()| self.fresh(Lane::F32));
        let odd = self.fresh(Lane::I32);
        let inexact = self.fresh(Lane::Mask);
        for (mode, to) in [("rz", &zero), ("rp", &up), ("rm", &down)] {
            self.line(&format!("fma.{mode}.f32 {to}, {a}, {b}, {c};"));
        }
        self.line(&format!("setp.ne.f32 {inexact}, {up}, {down};"));
        self.line(&format!("or.b32 {odd}, {zero}, 1;"));
        self.line(&format!("selp.b32 {d}, {odd}, {zero}, {inexact};"));
        true
    }

    /// Numbers that a short type has, multiplied and added in that type.
    fn fma_short(&mut self, prim: Prim, d: &str, operands: [&str; 3]) -> bool {
        let ty = if prim == Prim::FmaF16 { "f16" } else { "bf16" };
        let short = operands.map(|x| {
            let short = self.fresh(Lane::I16);
            self.line(&format!("cvt.rn.{ty}.f32 {short}, {x};"));
            short
        });
        let result = self.fresh(Lane::I16);
        self.line(&format!("fma.rn.{ty} {result}, {}, {}, {};", short[0], short[1], short[2]));
        if prim == Prim::FmaF16 {
            self.line(&format!("cvt.f32.f16 {d}, {result};"));
        } else {
            // Conversions from bf16 need sm_90.
            self.convert(Prim::High16To32, d, &result, Lane::I32);
        }
        true
    }

    /// Times two powers of two, of which the first is exact.
    fn scale(&mut self, d: &str, a: &str, b: &str) -> bool {
        let [power, first, second, product, factor] = [(); 5].map(|()| self.fresh(Lane::I32));
        self.line(&format!("cvt.rmi.s32.f32 {power}, {b};"));
        self.line(&format!("shr.s32 {first}, {power}, 1;"));
        self.line(&format!("sub.s32 {second}, {power}, {first};"));
        // The first half leads to a normal number, so it is added to the exponent.
        self.line(&format!("mad.lo.u32 {product}, {first}, {}, {a};", 1 << 23));
        self.line(&format!("mad.lo.u32 {factor}, {second}, {}, {};", 1 << 23, 127 << 23));
        self.line(&format!("mul.rn.f32 {d}, {product}, {factor};"));
        true
    }

    fn convert(&mut self, prim: Prim, d: &str, a: &str, to: Lane) {
        let text = match prim {
            Prim::S8To16 => format!("cvt.s16.s8 {d}, {a};"),
            Prim::S8To32 => format!("cvt.s32.s8 {d}, {a};"),
            Prim::S16To32 => format!("cvt.s32.s16 {d}, {a};"),
            Prim::S32To64 => format!("cvt.s64.s32 {d}, {a};"),
            Prim::U8To16 => format!("mov.b16 {d}, {a};"),
            Prim::U8To32 | Prim::U16To32 => format!("cvt.u32.u16 {d}, {a};"),
            Prim::High16To32 => {
                let wide = self.fresh(Lane::I32);
                self.line(&format!("cvt.u32.u16 {wide}, {a};"));
                format!("shl.b32 {d}, {wide}, 16;")
            }
            Prim::High16Of32 => {
                let upper = self.fresh(Lane::I32);
                self.line(&format!("shr.u32 {upper}, {a}, 16;"));
                format!("cvt.u16.u32 {d}, {upper};")
            }
            Prim::U32To64 => format!("cvt.u64.u32 {d}, {a};"),
            Prim::Low8Of16 => format!("and.b16 {d}, {a}, 0xff;"),
            Prim::Low8Of32 => {
                let low = self.fresh(Lane::I16);
                self.line(&format!("cvt.u16.u32 {low}, {a};"));
                format!("and.b16 {d}, {low}, 0xff;")
            }
            Prim::Low16Of32 => format!("cvt.u16.u32 {d}, {a};"),
            Prim::Low32Of64 => format!("cvt.u32.u64 {d}, {a};"),
            Prim::WidenF16 => format!("cvt.f32.f16 {d}, {a};"),
            Prim::RoundF16 => format!("cvt.rn.f16.f32 {d}, {a};"),
            Prim::Widen => format!("cvt.f64.f32 {d}, {a};"),
            Prim::Narrow => format!("cvt.rn.f32.f64 {d}, {a};"),
            Prim::S32ToF32 => format!("cvt.rn.f32.s32 {d}, {a};"),
            Prim::S32ToF64 => format!("cvt.rn.f64.s32 {d}, {a};"),
            Prim::F32ToS32 => return self.truncated("f32", Lane::F32, "0f4F000000", d, a),
            Prim::F64ToS32 => return self.truncated("f64", Lane::F64, "0d41E0000000000000", d, a),
            // The same register, if that is possible.
            Prim::Bits32 | Prim::Bits64 | Prim::Float32 | Prim::Float64 if d == a => return,
            Prim::Bits32 | Prim::Bits64 | Prim::Float32 | Prim::Float64 => format!("mov.b{} {d}, {a};", width(to)),
            _ => unreachable!("{prim} is no conversion: it is printed above"),
        };
        self.line(&text);
    }

    /// The integer toward zero; the least one unless the magnitude is below `limit`.
    fn truncated(&mut self, ty: &str, lane: Lane, limit: &str, d: &str, a: &str) {
        let magnitude = self.fresh(lane);
        let (inside, int) = (self.fresh(Lane::Mask), self.fresh(Lane::I32));
        self.line(&format!("abs.{ty} {magnitude}, {a};"));
        // -2^31 - 1 < x < -2^31 gives the least integer too: toward zero it is that.
        self.line(&format!("setp.lt.{ty} {inside}, {magnitude}, {limit};"));
        self.line(&format!("cvt.rzi.s32.{ty} {int}, {a};"));
        self.line(&format!("selp.b32 {d}, {int}, 0x80000000, {inside};"));
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        Target,
        thread::{Builder, Native, Value},
    };
    use tilewright_ptx::{machine::Program, parse};
    use tilewright_vector::{Lane, Prim};

    #[test]
    fn every_primitive_is_printed_as_instructions_that_there_are() {
        for (prim, lane) in Prim::ALL.iter().flat_map(|prim| Lane::ALL.map(|lane| (*prim, lane))).filter(|(prim, lane)| prim.takes(*lane)) {
            let lanes: Vec<Lane> = (0..prim.arity()).map(|n| prim.operand(lane, n)).collect();
            let mut b = Builder::new("k", 32, [Lane::I64].into_iter().chain(lanes.iter().copied()).collect());
            let address = b.param(0);
            let operands: Vec<_> = (1..=lanes.len()).map(|index| b.param(index as u32)).collect();
            let mut result = b.prim(prim, &operands);
            if b.lane(result) == Lane::Mask {
                let [one, zero] = [1, 0].map(|bits| b.constant(Lane::I8, bits));
                result = b.prim(Prim::Select, &[result, one, zero]);
            }
            stores(b, result, address, &format!("{prim} of {lane}"));
        }
    }

    #[test]
    fn native_instructions_are_ones_that_there_are() {
        for native in Native::ALL {
            let (count, lane) = native.operands();
            let mut b = Builder::new("k", 32, [Lane::I64].into_iter().chain(vec![lane; count]).collect());
            let address = b.param(0);
            let operands: Vec<_> = (1..=count).map(|index| b.param(index as u32)).collect();
            let result = b.native(native, &operands);
            stores(b, result, address, native.name());
        }
    }

    /// The machine takes the function when it stores a result.
    fn stores(mut b: Builder, result: Value, address: Value, what: &str) {
        b.store(result, crate::thread::Space::Global, address, 0, None);
        let function = b.finish();
        assert_eq!(crate::thread::verify(&function), Ok(()), "{what}");
        let text = crate::ptx::print(&function, Target::Sm80);
        let program = parse(&text).and_then(|module| Program::new(&module));
        assert!(program.is_ok(), "{what}: {:?}\n{text}", program.err());
    }
}
