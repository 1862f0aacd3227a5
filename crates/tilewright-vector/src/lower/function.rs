//! Elementary functions: those of `tilewright-numeric` themselves, run on values of the code in place of numbers.

use super::*;
use tilewright_numeric::lanes::{self, double, single};

/// Declares which functions stand for the operations of one operand: of `f32` in `f64`, and of `f64`.
macro_rules! functions {
    ($this:ident $op:expr, $x:expr, $wide:expr; $($pattern:pat => $function:ident,)*) => {
        match $op {
            $($pattern if $wide => Some($this.traced([$x], |[x]| double::$function(x))),
            $pattern => Some($this.traced([$x], |[x]| single::$function(x))),)*
            _ => None,
        }
    };
}

/// Whether the operation is an elementary function.
pub const fn is_function(op: ElemOp) -> bool {
    use ElemOp::*;
    matches!(op, Exp | Exp2(_) | Tanh | Rsqrt(_) | Log | Log2 | Sin | Cos | Tan | Sinh | Cosh | PowF | PowI | Atan2)
}

impl Lowering<'_> {
    /// A function of floats: of those of up to 32 bits that of `f32`, rounded to their type.
    pub(super) fn function(&mut self, op: ElemOp, elem: Elem, operands: &[Value]) -> Value {
        if elem == Elem::Num(Scalar::F64) {
            return self.function_of_f64(op, operands);
        }
        let ftz = matches!(op, ElemOp::Exp2(true) | ElemOp::Rsqrt(true));
        let x = if ftz { self.flushed(operands[0]) } else { operands[0] };
        let value = match op {
            ElemOp::Exp => self.traced([x], |[x]| lanes::exp(x)),
            ElemOp::Exp2(_) => self.traced([x], |[x]| lanes::exp2(x)),
            ElemOp::Tanh => self.traced([x], |[x]| lanes::tanh(x)),
            ElemOp::Log => self.traced([x], |[x]| lanes::log(x)),
            ElemOp::Log2 => self.traced([x], |[x]| lanes::log2(x)),
            ElemOp::Rsqrt(_) => self.traced([x], |[x]| lanes::rsqrt(x)),
            ElemOp::Sin => self.traced([x], |[x]| lanes::sin(x)),
            ElemOp::Cos => self.traced([x], |[x]| lanes::cos(x)),
            _ => {
                let wide: Vec<Value> = std::iter::once(x).chain(operands[1..].iter().copied()).map(|x| self.widened(x)).collect();
                let value = self.common(op, &wide, false);
                self.p(Prim::Narrow, &[value])
            }
        };
        let value = if ftz { self.flushed(value) } else { value };
        self.round_to(elem, value)
    }

    fn function_of_f64(&mut self, op: ElemOp, operands: &[Value]) -> Value {
        let x = operands[0];
        match op {
            ElemOp::Exp => self.traced([x], |[x]| double::exp(x)),
            ElemOp::Exp2(_) => self.traced([x], |[x]| double::exp2(x)),
            ElemOp::Tanh => self.traced([x], |[x]| double::tanh(x)),
            ElemOp::Log => self.traced([x], |[x]| double::log(x)),
            ElemOp::Log2 => self.traced([x], |[x]| double::log2(x)),
            ElemOp::Rsqrt(_) => self.traced([x], |[x]| double::rsqrt(x)),
            ElemOp::Sin => self.traced([x], |[x]| double::sin(x)),
            ElemOp::Cos => self.traced([x], |[x]| double::cos(x)),
            _ => {
                let wide: Vec<Value> = operands.iter().map(|x| self.widened(*x)).collect();
                self.common(op, &wide, true)
            }
        }
    }

    /// A float or an integer as `f64`; of integers, the lower 32 bits count.
    fn widened(&mut self, x: Value) -> Value {
        match self.builder.lane(x) {
            Lane::F64 => x,
            Lane::F32 => self.p(Prim::Widen, &[x]),
            lane => {
                let int = if lane.size() > 4 { self.truncate(x, Lane::I32) } else { self.extend(x, Lane::I32, true) };
                self.p(Prim::S32ToF64, &[int])
            }
        }
    }

    /// Functions that compute in `f64`: those of `f64` if `wide`, else those of `f32`.
    fn common(&mut self, op: ElemOp, operands: &[Value], wide: bool) -> Value {
        let (x, y) = (operands[0], operands.get(1).copied().unwrap_or(operands[0]));
        let value = match op {
            ElemOp::PowF | ElemOp::PowI if wide => Some(self.traced([x, y], |[x, y]| double::pow(x, y))),
            ElemOp::PowF | ElemOp::PowI => Some(self.traced([x, y], |[x, y]| single::pow(x, y))),
            ElemOp::Atan2 if wide => Some(self.traced([x, y], |[y, x]| double::atan2(y, x))),
            ElemOp::Atan2 => Some(self.traced([x, y], |[y, x]| single::atan2(y, x))),
            _ => functions! { self op, x, wide;
                ElemOp::Tan => tan,
                ElemOp::Sinh => sinh,
                ElemOp::Cosh => cosh,
            },
        };
        value.expect("the operation is a function")
    }
}
