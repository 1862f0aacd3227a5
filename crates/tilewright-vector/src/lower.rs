//! Lowers elementwise operations to primitives.
//!
//! | elements | are held in lanes of |
//! |---|---|
//! | `i1` | `mask` |
//! | `i8` to `i64`, pointers | integers of their width |
//! | floats of up to 32 bits | `f32` of the same value |
//! | `f64` | `f64` |
//!
//! A short float is widened where an operation first computes with it, stays `f32`, rounded to its type by each operation that
//! rounds, and is narrowed where its bits are needed, which is exact. What only moves keeps its bits: see [`Held`].

mod convert;
mod float;
mod function;
mod integer;
mod trace;

use crate::{
    builder::Builder,
    code::{Count, Item, Kind, ParamKind, Place, Value},
    expand::Expand,
    prim::{Lane, Prim},
};
pub use function::is_function;
use tilewright_ir::{RoundingMode, Scalar, ops::pairs::conversion_rounds};
use tilewright_passes::{elem::Elem, elementwise::ElemOp};

/// The lanes that hold elements while they are computed with; none for `i4`, which no operation takes.
pub fn lane_of(elem: Elem) -> Option<Lane> {
    Some(match elem {
        Elem::Ptr => Lane::I64,
        Elem::Num(scalar) => match scalar {
            Scalar::I1 => Lane::Mask,
            Scalar::I4 => return None,
            Scalar::I8 => Lane::I8,
            Scalar::I16 => Lane::I16,
            Scalar::I32 => Lane::I32,
            Scalar::I64 => Lane::I64,
            Scalar::F64 => Lane::F64,
            _ => Lane::F32,
        },
    })
}

/// The lanes that elements have in memory, two of 4 bits in a byte aside; none for `i4`.
pub fn memory_lane_of(elem: Elem) -> Option<Lane> {
    Some(match elem {
        Elem::Num(Scalar::F16 | Scalar::Bf16) => Lane::I16,
        Elem::Num(Scalar::F32) => Lane::F32,
        Elem::Num(Scalar::Tf32) => Lane::I32,
        Elem::Num(scalar) if scalar.is_float() && scalar != Scalar::F64 => Lane::I8,
        _ => return lane_of(elem),
    })
}

/// An element in lanes: its bits as they are in memory, or the number that they are, or both. For all but short floats that is the same.
///
/// The bits of a NaN are lost where only the number is kept, so bits are kept as long as nothing computes.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    bits: Option<Value>,
    number: Option<Value>,
    from: Origin,
}

/// How a number came about, as far as that helps to write it.
#[derive(Clone, Copy, Debug)]
enum Origin {
    /// In any way.
    Any,
    /// An operation rounded it to the type, so that a NaN is the type's already.
    Rounded,
    /// It is this `f32`, rounded to the type to nearest even.
    Of(Value),
    /// It was an integer, so that it is no NaN.
    Integer,
}

impl Held {
    /// What was read from memory, in lanes of [`memory_lane_of`] its type.
    pub fn bits(bits: Value) -> Held {
        Held { bits: Some(bits), number: None, from: Origin::Any }
    }

    /// A number, in lanes of [`lane_of`] its type.
    pub fn number(number: Value) -> Held {
        Held { bits: None, number: Some(number), from: Origin::Any }
    }

    /// The bits, to be written to memory.
    pub fn to_bits(&mut self, builder: &mut Builder, elem: Elem) -> Value {
        let Held { number, from, .. } = *self;
        *self.bits.get_or_insert_with(|| Lowering { builder }.write(elem, number.expect("one form is there"), from))
    }

    /// The number, to be computed with.
    pub fn to_number(&mut self, builder: &mut Builder, elem: Elem) -> Value {
        let bits = self.bits;
        *self.number.get_or_insert_with(|| Lowering { builder }.read(elem, bits.expect("one form is there")))
    }
}

/// Whether [`lower`] lowers an operation on these types, which are those that it [accepts](tilewright_passes::elementwise::accepts): all but on
/// `i4`, and with roundings that the operation does not know.
pub fn lowers(op: ElemOp, sources: &[Elem], result: Elem) -> bool {
    use ElemOp::*;
    sources.iter().chain([&result]).all(|elem| lane_of(*elem).is_some())
        && match op {
            AddF(mode, _) | SubF(mode, _) | MulF(mode, _) | DivF(mode, _) | Fma(mode, _) | Sqrt(mode, _) => float::arithmetic_rounds(mode),
            FToF(mode) => match (sources[0], result) {
                (Elem::Num(from), Elem::Num(to)) => from == to || conversion_rounds(from, to, mode),
                _ => false,
            },
            _ => true,
        }
}

/// Lowers an operation on operands of the types `sources` to a value of the type `result`; the types are those that the operation
/// [accepts](tilewright_passes::elementwise::accepts). Operands get the form that is computed with.
///
/// `None` if it is not [lowered](lowers).
pub fn lower(builder: &mut Builder, op: ElemOp, sources: &[Elem], result: Elem, operands: &mut [Held]) -> Option<Held> {
    lowers(op, sources, result).then(|| lowered(builder, op, sources, result, operands))
}

fn lowered(builder: &mut Builder, op: ElemOp, sources: &[Elem], result: Elem, operands: &mut [Held]) -> Held {
    match op {
        ElemOp::Copy => Held::bits(Lowering { builder }.bitcast(sources[0], result, &mut operands[0])),
        ElemOp::FToF(_) if sources[0] == result => operands[0],
        // All bits of a NaN but the sign stay.
        ElemOp::AbsF | ElemOp::NegF if operands[0].bits.is_some() && memory_lane_of(result) != lane_of(result) => {
            let bits = operands[0].to_bits(builder, result);
            let lane = builder.lane(bits);
            let sign = lane.bits() ^ (lane.bits() >> 1);
            let (prim, mask) = if op == ElemOp::AbsF { (Prim::And, lane.bits() ^ sign) } else { (Prim::Xor, sign) };
            let mask = builder.constant(lane, mask);
            Held::bits(builder.prim(prim, &[bits, mask]))
        }
        ElemOp::Select => {
            let mask = operands[0].to_number(builder, sources[0]);
            let kept = operands[1].bits.zip(operands[2].bits);
            match kept {
                Some((yes, no)) => Held::bits(builder.prim(Prim::Select, &[mask, yes, no])),
                None => {
                    let [yes, no] = [1, 2].map(|i| operands[i].to_number(builder, result));
                    Held::number(builder.prim(Prim::Select, &[mask, yes, no]))
                }
            }
        }
        _ => {
            let numbers: Vec<Value> = operands.iter_mut().zip(sources).map(|(held, elem)| held.to_number(builder, *elem)).collect();
            let number = Held::number(Lowering { builder }.op(op, sources, result, &numbers));
            Held { from: Lowering { builder }.origin(op, sources[0], result, &numbers), ..number }
        }
    }
}

/// How many primitives and look-ups compute an operation for one element, with operands in the form that is computed with; loops of rare cases
/// are left out. `None` if it is not [lowered](lowers).
///
/// # Panics
/// Never: what is lowered is valid.
pub fn primitives(op: ElemOp, sources: &[Elem], result: Elem) -> Option<usize> {
    const LANES: u32 = 8;
    if !lowers(op, sources, result) {
        return None;
    }
    let mut builder = Builder::new(LANES);
    let buffer = builder.param(ParamKind::Buffer);
    let (axis, _) = builder.open(Kind::Lanes, Count::Const(LANES.into()), &[]);
    let place = |i: usize| Place::of(buffer).along(axis, Count::Const(8)).offset_by(64 * i as i64);
    let read = |(i, elem): (usize, &Elem)| lane_of(*elem).map(|lane| Held::number(builder.load(lane, place(i), None)));
    let mut operands = sources.iter().enumerate().map(read).collect::<Option<Vec<_>>>()?;
    let value = lower(&mut builder, op, sources, result, &mut operands)?.to_number(&mut builder, result);
    builder.store(value, place(sources.len()), None);
    builder.close(&[]);
    let code = builder.finish().unwrap_or_else(|finding| panic!("lowered code is valid: {finding}"));
    Some(count(code.body()))
}

fn count(items: &[Item]) -> usize {
    let of = |item: &Item| match item {
        Item::Prim { .. } | Item::Lookup { .. } => 1,
        Item::Loop(inner) => count(&inner.body),
        Item::Fold(inner) => count(&inner.body),
        Item::While(_) | Item::Const { .. } | Item::Scalar { .. } | Item::Index { .. } => 0,
        Item::Load { .. } | Item::Store { .. } | Item::Prefetch { .. } | Item::Gather { .. } | Item::Scatter { .. } => 0,
    };
    items.iter().map(of).sum()
}

struct Lowering<'a> {
    builder: &'a mut Builder,
}

impl Expand for Lowering<'_> {
    fn p(&mut self, prim: Prim, operands: &[Value]) -> Value {
        // What is known of constants decides how some operations are lowered.
        let bits = |n: usize| self.builder.constant_bits(operands[n.min(operands.len() - 1)]);
        if let (Some(a), Some(b), Some(c)) = (bits(0), bits(1), bits(2)) {
            let lane = self.builder.lane(operands[operands.len() - 1]);
            return self.builder.constant(prim.result(lane), prim.of_one(lane, [a, b, c]));
        }
        self.builder.prim(prim, operands)
    }

    fn number(&mut self, lane: Lane, bits: u64) -> Value {
        self.builder.constant(lane, bits & lane.bits())
    }

    fn lane(&self, value: Value) -> Lane {
        self.builder.lane(value)
    }
}

impl Lowering<'_> {
    /// How the result of an operation comes about of the operands' numbers; not said of all that round.
    fn origin(&mut self, op: ElemOp, source: Elem, result: Elem, numbers: &[Value]) -> Origin {
        use ElemOp::*;
        match op {
            FToF(mode) if !convert::fits(source, result) => {
                let single = source != Elem::Num(Scalar::F64);
                if single && mode == RoundingMode::NearestEven { Origin::Of(numbers[0]) } else { Origin::Rounded }
            }
            IToF(_) => Origin::Integer,
            AddF(mode, _) | SubF(mode, _) | MulF(mode, _) | DivF(mode, _) | Sqrt(mode, _) => match float::direction_of(mode) {
                // What the rounding begins from, which is computed once.
                None if result == Elem::Num(Scalar::F16) => {
                    Origin::Of(self.op(op, &[Elem::Num(Scalar::F32)], Elem::Num(Scalar::F32), numbers))
                }
                // A NaN is that of an operand, or the CPU's.
                None if result == Elem::Num(Scalar::Bf16) => Origin::Any,
                _ => Origin::Rounded,
            },
            _ => Origin::Any,
        }
    }

    fn op(&mut self, op: ElemOp, sources: &[Elem], result: Elem, operands: &[Value]) -> Value {
        use ElemOp::*;
        let source = sources[0];
        match op {
            FToF(mode) => self.float_to_float(source, result, mode, operands[0]),
            FToI(signed) => self.float_to_int(source, result, signed, operands[0]),
            IToF(signed) => self.int_to_float(source, result, signed, operands[0]),
            _ if source.float().is_some() => self.float_op(op, source, operands),
            _ => self.int_op(op, sources, result, operands),
        }
    }
}
