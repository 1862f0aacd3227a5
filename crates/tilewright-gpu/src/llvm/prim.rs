//! Primitives as LLVM's instructions and intrinsics.

use super::{Dialect, Printer, memory::constraint, ty};
use crate::thread::{Native, Value};
use tilewright_vector::{Lane, Prim};

impl Printer<'_> {
    pub(super) fn prim(&mut self, result: Value, prim: Prim, operands: &[Value]) {
        let lane = self.lane(operands[operands.len() - 1]);
        let (t, to) = (ty(lane), ty(self.lane(result)));
        let x: Vec<String> = operands.iter().map(|value| self.operand(*value)).collect();
        let (a, b) = (x[0].as_str(), x.get(1).map_or("", String::as_str));
        let text = match prim {
            Prim::Add => format!("add {t} {a}, {b}"),
            Prim::Sub => format!("sub {t} {a}, {b}"),
            Prim::Mul => format!("mul {t} {a}, {b}"),
            Prim::And | Prim::MAnd => format!("and {t} {a}, {b}"),
            Prim::Or | Prim::MOr => format!("or {t} {a}, {b}"),
            Prim::Xor | Prim::MXor => format!("xor {t} {a}, {b}"),
            Prim::MNot => format!("xor i1 {a}, true"),
            Prim::Select => format!("select i1 {a}, {t} {b}, {t} {}", x[2]),
            Prim::MulHighS | Prim::MulHighU => self.upper_product(prim, lane, a, b),
            Prim::MulLowU => {
                let halves = [a, b].map(|whole| self.compute(&format!("and i64 {whole}, 4294967295")));
                format!("mul i64 {}, {}", halves[0], halves[1])
            }
            Prim::Shl | Prim::ShrU | Prim::ShrS => self.shifted(prim, lane, a, b),
            Prim::MinS | Prim::MaxS | Prim::MinU | Prim::MaxU => {
                let relation = match prim {
                    Prim::MinS => "slt",
                    Prim::MaxS => "sgt",
                    Prim::MinU => "ult",
                    _ => "ugt",
                };
                self.chosen(&format!("icmp {relation}"), t, a, b)
            }
            Prim::DivS | Prim::DivU => self.quotient(prim, lane, a, b),
            Prim::Eq | Prim::LtS | Prim::LtU | Prim::FEq | Prim::FLt | Prim::FLe => {
                let relation = relation(prim, false);
                format!("{relation} {t} {a}, {b}")
            }
            Prim::FMin | Prim::FMax => {
                let relation = if prim == Prim::FMin { "olt" } else { "ogt" };
                self.chosen(&format!("fcmp {relation}"), t, a, b)
            }
            Prim::HalfAdd | Prim::HalfSub | Prim::HalfMul | Prim::HalfFma => self.half(prim, &x),
            Prim::HalfMin | Prim::HalfMax => {
                let is_first = self.compare_halves(if prim == Prim::HalfMin { "olt" } else { "ogt" }, a, b);
                let is_first = self.compute(&is_first);
                format!("select i1 {is_first}, {t} {a}, {t} {b}")
            }
            Prim::HalfEq => self.compare_halves("oeq", a, b),
            Prim::HalfLt => self.compare_halves("olt", a, b),
            Prim::HalfLe => self.compare_halves("ole", a, b),
            _ if lane.is_float() && prim.result(lane) == lane => self.float(prim, lane, &x),
            _ => self.conversion(prim, lane, a, to),
        };
        self.define(result, &text);
    }

    /// The first of two numbers if a relation holds, else the second.
    fn chosen(&mut self, relation: &str, t: &str, a: &str, b: &str) -> String {
        let first = self.compute(&format!("{relation} {t} {a}, {b}"));
        format!("select i1 {first}, {t} {a}, {t} {b}")
    }

    pub(super) fn compare(&mut self, result: Value, (prim, negated): (Prim, bool), [a, b]: [Value; 2], and: Option<Value>) {
        let text = format!("{} {}, {}", relation(prim, negated), self.typed(a), self.operand(b));
        let Some(and) = and else { return self.define(result, &text) };
        let holds = self.compute(&text);
        let and = self.operand(and);
        self.define(result, &format!("and i1 {holds}, {and}"));
    }

    pub(super) fn multiply_add(&mut self, result: Value, factors: [Value; 2], summand: Option<Value>, wide: bool) {
        let t = ty(self.lane(result));
        let mut factors = factors.map(|factor| self.typed(factor));
        if wide {
            factors = factors.map(|factor| format!("{t} {}", self.compute(&format!("zext {factor} to {t}"))));
        }
        let product = format!("mul {}, {}", factors[0], &factors[1][t.len() + 1..]);
        let Some(summand) = summand else { return self.define(result, &product) };
        let product = self.compute(&product);
        let summand = self.operand(summand);
        self.define(result, &format!("add {t} {product}, {summand}"));
    }

    /// The upper half of a product, by numbers of twice the width.
    fn upper_product(&mut self, prim: Prim, lane: Lane, a: &str, b: &str) -> String {
        let (t, bits) = (ty(lane), 8 * lane.size());
        let wide = format!("i{}", 2 * bits);
        let extended = if prim == Prim::MulHighS { "sext" } else { "zext" };
        let [a, b] = [a, b].map(|x| self.compute(&format!("{extended} {t} {x} to {wide}")));
        let product = self.compute(&format!("mul {wide} {a}, {b}"));
        let upper = self.compute(&format!("lshr {wide} {product}, {bits}"));
        format!("trunc {wide} {upper} to {t}")
    }

    /// Shifts by the width or more are poison in LLVM.
    fn shifted(&mut self, prim: Prim, lane: Lane, a: &str, b: &str) -> String {
        let (t, bits) = (ty(lane), 8 * lane.size());
        if prim == Prim::ShrS {
            let places = self.chosen("icmp ult", t, b, &(bits - 1).to_string());
            let places = self.compute(&places);
            return format!("ashr {t} {a}, {places}");
        }
        let inst = if prim == Prim::Shl { "shl" } else { "lshr" };
        if b.parse::<u64>().is_ok_and(|places| places < bits as u64) {
            return format!("{inst} {t} {a}, {b}");
        }
        let few = self.compute(&format!("icmp ult {t} {b}, {bits}"));
        let places = self.compute(&format!("select i1 {few}, {t} {b}, {t} 0"));
        let shifted = self.compute(&format!("{inst} {t} {a}, {places}"));
        format!("select i1 {few}, {t} {shifted}, {t} 0")
    }

    /// Divides by 1 where LLVM leaves the quotient open, and then takes the one that the primitive has.
    fn quotient(&mut self, prim: Prim, lane: Lane, a: &str, b: &str) -> String {
        let t = ty(lane);
        let zero = self.compute(&format!("icmp eq {t} {b}, 0"));
        let divisor = self.compute(&format!("select i1 {zero}, {t} 1, {t} {b}"));
        let quotient = if prim == Prim::DivS {
            let minus = self.compute(&format!("icmp eq {t} {b}, -1"));
            let safe = self.compute(&format!("select i1 {minus}, {t} 1, {t} {divisor}"));
            let plain = self.compute(&format!("sdiv {t} {a}, {safe}"));
            let negated = self.compute(&format!("sub {t} 0, {a}"));
            self.compute(&format!("select i1 {minus}, {t} {negated}, {t} {plain}"))
        } else {
            self.compute(&format!("udiv {t} {a}, {divisor}"))
        };
        format!("select i1 {zero}, {t} -1, {t} {quotient}")
    }

    /// Operations on floats of one type. What has a rounding of its own is not fused with anything.
    fn float(&mut self, prim: Prim, lane: Lane, x: &[String]) -> String {
        let t = ty(lane);
        let (width, short) = if lane == Lane::F32 { ("f32", "f") } else { ("f64", "d") };
        let name = match prim {
            Prim::FAdd => return format!("fadd {t} {}, {}", x[0], x[1]),
            Prim::FSub => return format!("fsub {t} {}, {}", x[0], x[1]),
            Prim::FMul => format!("llvm.nvvm.mul.rn.{short}"),
            Prim::FDiv => format!("llvm.nvvm.div.rn.{short}"),
            Prim::Fma => format!("llvm.fma.{width}"),
            Prim::Sqrt => format!("llvm.nvvm.sqrt.rn.{short}"),
            Prim::MinNum => format!("llvm.nvvm.fmin.{short}"),
            Prim::MaxNum => format!("llvm.nvvm.fmax.{short}"),
            Prim::Floor => format!("llvm.floor.{width}"),
            Prim::Ceil => format!("llvm.ceil.{width}"),
            Prim::Trunc => format!("llvm.trunc.{width}"),
            Prim::Round => format!("llvm.nvvm.round.{short}"),
            Prim::FmaOdd => return self.fma_odd(x),
            Prim::FmaF16 => return self.fma_short("half", "f16", x),
            Prim::FmaBf16 if self.dialect == Dialect::Seven => return self.fma_bf16_by_assembly(x),
            Prim::FmaBf16 => return self.fma_short("bfloat", "bf16", x),
            Prim::Scale => return self.scale(&x[0], &x[1]),
            _ => unreachable!("{prim} is no operation on floats: it is printed elsewhere"),
        };
        let operands: Vec<String> = x.iter().map(|x| format!("{t} {x}")).collect();
        self.called(t, &name, &operands)
    }

    /// Arithmetic of numbers of binary16.
    fn half(&mut self, prim: Prim, x: &[String]) -> String {
        let x: Vec<String> = x.iter().map(|bits| self.compute(&format!("bitcast i16 {bits} to half"))).collect();
        let computed = match prim {
            Prim::HalfAdd => format!("fadd half {}, {}", x[0], x[1]),
            Prim::HalfSub => format!("fsub half {}, {}", x[0], x[1]),
            Prim::HalfMul => format!("fmul half {}, {}", x[0], x[1]),
            _ => {
                let operands: Vec<String> = x.iter().map(|x| format!("half {x}")).collect();
                self.called("half", "llvm.fma.f16", &operands)
            }
        };
        let result = self.compute(&computed);
        format!("bitcast half {result} to i16")
    }

    fn compare_halves(&mut self, relation: &str, a: &str, b: &str) -> String {
        let [a, b] = [a, b].map(|bits| {
            let half = self.compute(&format!("bitcast i16 {bits} to half"));
            self.compute(&format!("fpext half {half} to float"))
        });
        format!("fcmp {relation} float {a}, {b}")
    }

    /// Toward zero, with the last bit set unless both directed results are the same.
    fn fma_odd(&mut self, x: &[String]) -> String {
        let operands: Vec<String> = x.iter().map(|x| format!("float {x}")).collect();
        let [zero, up, down] = ["rz", "rp", "rm"].map(|mode| {
            let call = self.called("float", &format!("llvm.nvvm.fma.{mode}.f"), &operands);
            self.compute(&call)
        });
        let inexact = self.compute(&format!("fcmp one float {up}, {down}"));
        let bits = self.compute(&format!("bitcast float {zero} to i32"));
        let odd = self.compute(&format!("or i32 {bits}, 1"));
        let odd = self.compute(&format!("bitcast i32 {odd} to float"));
        format!("select i1 {inexact}, float {odd}, float {zero}")
    }

    /// Numbers that a short type has, multiplied and added in that type.
    fn fma_short(&mut self, short: &str, suffix: &str, x: &[String]) -> String {
        let mut operands = Vec::new();
        for x in x {
            let narrow = self.compute(&format!("fptrunc float {x} to {short}"));
            operands.push(format!("{short} {narrow}"));
        }
        let call = self.called(short, &format!("llvm.fma.{suffix}"), &operands);
        let result = self.compute(&call);
        format!("fpext {short} {result} to float")
    }

    /// As `fma_short`, without the type.
    fn fma_bf16_by_assembly(&mut self, x: &[String]) -> String {
        let x: Vec<String> = x.iter().map(|x| self.native_by_assembly(Native::RoundBf16, std::slice::from_ref(x))).collect();
        let result = self.native_by_assembly(Native::FmaBf16, &x);
        let upper = self.conversion(Prim::High16To32, Lane::I16, &result, "i32");
        let bits = self.compute(&upper);
        format!("bitcast i32 {bits} to float")
    }

    /// Times two powers of two, of which the first is exact.
    fn scale(&mut self, a: &str, b: &str) -> String {
        let call = self.called("i32", "llvm.nvvm.f2i.rm", &[format!("float {b}")]);
        let power = self.compute(&call);
        let first = self.compute(&format!("ashr i32 {power}, 1"));
        let second = self.compute(&format!("sub i32 {power}, {first}"));
        let [first, second] = [first, second].map(|power| {
            let exponent = self.compute(&format!("add i32 {power}, 127"));
            let bits = self.compute(&format!("shl i32 {exponent}, 23"));
            self.compute(&format!("bitcast i32 {bits} to float"))
        });
        let call = self.called("float", "llvm.nvvm.mul.rn.f", &[format!("float {a}"), format!("float {first}")]);
        let product = self.compute(&call);
        self.called("float", "llvm.nvvm.mul.rn.f", &[format!("float {product}"), format!("float {second}")])
    }

    fn conversion(&mut self, prim: Prim, lane: Lane, a: &str, to: &str) -> String {
        let t = ty(lane);
        match prim {
            Prim::S8To16 | Prim::S8To32 | Prim::S16To32 | Prim::S32To64 => format!("sext {t} {a} to {to}"),
            Prim::U8To16 | Prim::U8To32 | Prim::U16To32 | Prim::U32To64 => format!("zext {t} {a} to {to}"),
            Prim::Low8Of16 | Prim::Low8Of32 | Prim::Low16Of32 | Prim::Low32Of64 => format!("trunc {t} {a} to {to}"),
            Prim::High16To32 => {
                let wide = self.compute(&format!("zext i16 {a} to i32"));
                format!("shl i32 {wide}, 16")
            }
            Prim::High16Of32 => {
                let upper = self.compute(&format!("lshr i32 {a}, 16"));
                format!("trunc i32 {upper} to i16")
            }
            Prim::Bits32 | Prim::Bits64 | Prim::Float32 | Prim::Float64 => format!("bitcast {t} {a} to {to}"),
            Prim::WidenF16 => {
                let half = self.compute(&format!("bitcast i16 {a} to half"));
                format!("fpext half {half} to float")
            }
            Prim::RoundF16 => {
                let half = self.compute(&format!("fptrunc float {a} to half"));
                format!("bitcast half {half} to i16")
            }
            Prim::Widen => format!("fpext float {a} to double"),
            Prim::Narrow => format!("fptrunc double {a} to float"),
            Prim::S32ToF32 | Prim::S32ToF64 => format!("sitofp i32 {a} to {to}"),
            Prim::F32ToS32 => self.truncated(lane, "llvm.nvvm.f2i.rz", a),
            Prim::F64ToS32 => self.truncated(lane, "llvm.nvvm.d2i.rz", a),
            _ => unreachable!("{prim} is no conversion: it is printed elsewhere"),
        }
    }

    /// The integer toward zero; the least one unless the magnitude is below 2^31.
    fn truncated(&mut self, lane: Lane, name: &str, a: &str) -> String {
        let t = ty(lane);
        let below = self.compute(&format!("fcmp olt {t} {a}, 0x41E0000000000000"));
        let above = self.compute(&format!("fcmp ogt {t} {a}, 0xC1E0000000000000"));
        let inside = self.compute(&format!("and i1 {below}, {above}"));
        let call = self.called("i32", name, &[format!("{t} {a}")]);
        let int = self.compute(&call);
        format!("select i1 {inside}, i32 {int}, i32 {}", i32::MIN)
    }

    pub(super) fn native(&mut self, result: Value, native: Native, operands: &[Value]) {
        use Native::{
            AddF16, FmaBf16, FmaF16, MaximumBf16, MaximumF16, MaximumF32, MinimumBf16, MinimumF16, MinimumF32, MulF16, RoundBf16, RoundF16,
            SubF16,
        };
        let x: Vec<String> = operands.iter().map(|value| self.operand(*value)).collect();
        if self.dialect == Dialect::Seven && !matches!(native, RoundF16 | AddF16 | SubF16 | MulF16 | FmaF16) {
            let computed = self.native_by_assembly(native, &x);
            self.known.insert(result, computed);
            return;
        }
        let (short, suffix) = match native {
            MaximumF32 | MinimumF32 => ("float", "f32"),
            MaximumBf16 | MinimumBf16 | RoundBf16 | FmaBf16 => ("bfloat", "bf16"),
            _ => ("half", "f16"),
        };
        if matches!(native, RoundF16 | RoundBf16) {
            let rounded = self.compute(&format!("fptrunc float {} to {short}", x[0]));
            return self.define(result, &format!("bitcast {short} {rounded} to i16"));
        }
        let mut numbers = Vec::new();
        for x in x {
            let number = if short == "float" { x } else { self.compute(&format!("bitcast i16 {x} to {short}")) };
            numbers.push(format!("{short} {number}"));
        }
        let second = numbers.get(1).map_or("", |number| &number[short.len() + 1..]).to_owned();
        let computed = match native {
            AddF16 => format!("fadd {}, {second}", numbers[0]),
            SubF16 => format!("fsub {}, {second}", numbers[0]),
            MulF16 => format!("fmul {}, {second}", numbers[0]),
            FmaF16 | FmaBf16 => self.called(short, &format!("llvm.fma.{suffix}"), &numbers),
            MaximumF32 | MaximumF16 | MaximumBf16 => self.called(short, &format!("llvm.maximum.{suffix}"), &numbers),
            MinimumF32 | MinimumF16 | MinimumBf16 => self.called(short, &format!("llvm.minimum.{suffix}"), &numbers),
            RoundF16 | RoundBf16 => unreachable!("these are printed above"),
        };
        if short == "float" {
            return self.define(result, &computed);
        }
        let number = self.compute(&computed);
        self.define(result, &format!("bitcast {short} {number} to i16"));
    }

    /// The instruction of PTX, for a dialect that has neither intrinsic nor type for it.
    fn native_by_assembly(&mut self, native: Native, operands: &[String]) -> String {
        let (lane, result) = (native.operands().1, native.result());
        let places: String = (1..=operands.len()).map(|n| format!(", ${n}")).collect();
        let constraints = format!("={}{}", constraint(result), format!(",{}", constraint(lane)).repeat(operands.len()));
        let operands: Vec<String> = operands.iter().map(|operand| format!("{} {operand}", ty(lane))).collect();
        self.compute(&format!("call {} asm \"{native} $0{places};\", \"{constraints}\"({})", ty(result), operands.join(", ")))
    }
}

/// A comparison, or its opposite, which holds for NaN.
fn relation(prim: Prim, negated: bool) -> &'static str {
    match (prim, negated) {
        (Prim::Eq, false) => "icmp eq",
        (Prim::Eq, true) => "icmp ne",
        (Prim::LtU, false) => "icmp ult",
        (Prim::LtU, true) => "icmp uge",
        (Prim::LtS, false) => "icmp slt",
        (Prim::LtS, true) => "icmp sge",
        (Prim::FEq, false) => "fcmp oeq",
        (Prim::FEq, true) => "fcmp une",
        (Prim::FLt, false) => "fcmp olt",
        (Prim::FLt, true) => "fcmp uge",
        (Prim::FLe, false) => "fcmp ole",
        (Prim::FLe, true) => "fcmp ugt",
        _ => unreachable!("{prim} is no comparison: the verifier says so"),
    }
}
