//! Accesses whose places are sums of multiples of a lane's indices, of numbers that all lanes share, and of numbers that rows share; masked by
//! comparisons of such sums. Some of the sums wrap.

use super::{Generator, access::size, statements::I1};
use crate::regular::Element;
use tilewright_ir::{
    AtomicRMWMode, AttrName, AttrValue, ComparisonPredicate as Predicate, MemoryOrderingSemantics as Order, MemoryScope, Opcode,
    RoundingMode, Scalar, Signedness, TypeTable, Value,
};

const I64: Element = Element::Number(Scalar::I64);
/// Elements that an access may reach.
const ROOM: i64 = 256;
/// Shapes of tiles.
const SHAPES: [&[i64]; 7] = [&[16], &[4, 8], &[64], &[8, 16], &[1, 16], &[2, 4, 8], &[4, 1, 16]];

/// Where lanes lie, and which are accessed.
struct Lanes {
    pointers: Value,
    mask: Vec<Value>,
    shape: Vec<i64>,
}

/// One of the ways to say that numbers lie below others.
#[derive(Clone, Copy)]
struct BelowWay {
    /// In 64 bits.
    is_wide: bool,
    form: usize,
}

impl Generator<'_> {
    /// A gather, a scatter or an addition through such places.
    pub(super) fn lanes(&mut self) {
        let scalar = *self.choices.pick(&[Scalar::F32, Scalar::I32, Scalar::F16, Scalar::I64, Scalar::I8, Scalar::I1]);
        let element = Element::Number(scalar);
        match self.choices.below(3) {
            0 if scalar != Scalar::I1 && self.choices.once_in(3) => self.windows(scalar),
            0 => {
                let base = self.pointer(self.input, 0, scalar);
                let lanes = self.places(base, scalar, false);
                self.load_lanes(&lanes, scalar);
            }
            kind => {
                let start = self.take(ROOM as usize * size(scalar));
                let base = self.pointer(self.output, start, scalar);
                let lanes = self.places(base, scalar, true);
                let value = self.operand(element, &lanes.shape, false);
                let [order, scope] = self.order(&[Order::Weak, Order::Weak, Order::Relaxed]);
                self.op(Opcode::StorePtrTko, |op| {
                    let op = op.operand("destination", lanes.pointers).operand("value", value).operands("mask", &lanes.mask);
                    op.attr(AttrName::MemoryOrderingSemantics, order).attr(AttrName::MemoryScope, scope).result(TypeTable::token())
                });
                if kind == 2 && matches!(scalar, Scalar::F32 | Scalar::F16) {
                    self.add_to_lanes(&lanes, element);
                }
            }
        }
    }

    /// The sum of the bits of tiles that overlap, as a stencil's.
    fn windows(&mut self, scalar: Scalar) {
        let bits = match size(scalar) {
            1 => Scalar::I8,
            2 => Scalar::I16,
            4 => Scalar::I32,
            _ => Scalar::I64,
        };
        let (base, count) = (self.pointer(self.input, 0, scalar), 2 + self.choices.below(4));
        let all = self.places_around(base, scalar, false, count);
        let shape = all[0].shape.clone();
        let number = self.number(scalar);
        let padding = if all[0].mask.is_empty() { Vec::new() } else { vec![self.numbers(scalar, &shape, &[number])] };
        let (ty, bits_ty) = (self.ty(Element::Number(scalar), &shape), self.ty(Element::Number(bits), &shape));
        let mut sum = None;
        for lanes in &all {
            let value = self.value(Opcode::LoadPtrTko, |op| {
                let op = op.operand("source", lanes.pointers).operands("mask", &lanes.mask).operands("paddingValue", &padding);
                let op = op.attr(AttrName::MemoryOrderingSemantics, Self::wire(Order::Weak as u8));
                op.results(&[ty, TypeTable::token()])
            });
            let value = if bits == scalar { value } else { self.value(Opcode::Bitcast, |op| op.operand("source", value).result(bits_ty)) };
            sum = Some(sum.map_or(value, |sum| self.arithmetic(Opcode::AddI, bits, sum, value, &shape)));
        }
        self.keep(sum.unwrap_or_else(|| unreachable!("there are several")), Element::Number(bits), &shape, false);
    }

    fn load_lanes(&mut self, lanes: &Lanes, scalar: Scalar) {
        let element = Element::Number(scalar);
        let padding = match self.choices.below(3) {
            _ if lanes.mask.is_empty() => Vec::new(),
            0 => vec![self.operand(element, &lanes.shape, false)],
            _ => {
                let bits = self.number(scalar);
                vec![self.numbers(scalar, &lanes.shape, &[bits])]
            }
        };
        let [order, scope] = self.order(&[Order::Weak, Order::Weak, Order::Relaxed]);
        let ty = self.ty(element, &lanes.shape);
        let value = self.value(Opcode::LoadPtrTko, |op| {
            let op = op.operand("source", lanes.pointers).operands("mask", &lanes.mask).operands("paddingValue", &padding);
            let op = op.attr(AttrName::MemoryOrderingSemantics, order).attr(AttrName::MemoryScope, scope);
            op.results(&[ty, TypeTable::token()])
        });
        let bits = if self.choices.once_in(3) { self.on_bits(&[value], element, &lanes.shape) } else { None };
        self.keep(bits.unwrap_or(value), element, &lanes.shape, false);
    }

    fn add_to_lanes(&mut self, lanes: &Lanes, element: Element) {
        let (argument, ty) = (self.operand(element, &lanes.shape, false), self.ty(element, &lanes.shape));
        let scope = *self.choices.pick(&[MemoryScope::Device, MemoryScope::TlBlk]);
        self.op(Opcode::AtomicRMWTko, |op| {
            let op = op.operand("pointers", lanes.pointers).operand("arg", argument).operands("mask", &lanes.mask);
            let op = op.attr(AttrName::MemoryOrderingSemantics, Self::wire(Order::Relaxed as u8));
            let op = op.attr(AttrName::MemoryScope, Self::wire(scope as u8)).attr(AttrName::Mode, Self::wire(AtomicRMWMode::Addf as u8));
            op.results(&[ty, TypeTable::token()])
        });
    }

    /// Places behind a pointer, inside of `ROOM` elements. `distinct`: no two lanes have the same.
    fn places(&mut self, base: Value, scalar: Scalar, distinct: bool) -> Lanes {
        if self.choices.once_in(4) {
            let shape = self.choices.pick(&SHAPES).to_vec();
            return self.places_of_row(base, scalar, distinct, shape);
        }
        self.places_around(base, scalar, distinct, 1).remove(0)
    }

    /// Such places for several tiles, each but the first a few places further along each dimension.
    fn places_around(&mut self, base: Value, scalar: Scalar, distinct: bool, count: usize) -> Vec<Lanes> {
        let shape = self.choices.pick(&SHAPES).to_vec();
        let width = *self.choices.pick(&[Scalar::I32, Scalar::I32, Scalar::I32, Scalar::I64, Scalar::I16, Scalar::I8]);
        // Coordinates along each dimension lie below extents, of which the product is no more than there is room.
        let mut extents: Vec<i64> = shape.iter().map(|n| (n - 3 + self.choices.below(6) as i64).max(1)).collect();
        while extents.iter().product::<i64>() > ROOM {
            let largest = (0..extents.len()).max_by_key(|d| extents[*d]).unwrap_or(0);
            extents[largest] /= 2;
        }
        let mut strides = vec![1; shape.len()];
        (0..shape.len() - 1).rev().for_each(|d| strides[d] = strides[d + 1] * extents[d + 1]);
        if self.choices.once_in(4) {
            // Columns lie side by side.
            strides[0] = 1;
            (1..shape.len()).for_each(|d| strides[d] = strides[d - 1] * extents[d - 1]);
        }
        let gathered = if self.choices.once_in(3) { Some(self.choices.below(shape.len())) } else { None };
        let coordinates: Vec<Value> = (0..shape.len()).map(|d| self.coordinate(width, &shape, d, gathered == Some(d), distinct)).collect();
        // Sums of several dimensions wrap where their numbers are narrow.
        let narrow = !distinct && self.choices.once_in(3);
        let ways: Vec<BelowWay> = (0..=shape.len()).map(|_| self.way_below()).collect();
        (0..count)
            .map(|tile| {
                let moved =
                    coordinates.iter().map(|coordinate| if tile == 0 { *coordinate } else { self.further(*coordinate, width, &shape) });
                let coordinates: Vec<Value> = moved.collect();
                let mut mask = Vec::new();
                for (d, coordinate) in coordinates.iter().enumerate() {
                    mask.extend(self.below_in_way(ways[d], *coordinate, width, extents[d], &shape));
                }
                let sums = if narrow { width } else { Scalar::I64 };
                let terms: Vec<Value> =
                    coordinates.iter().zip(&strides).map(|(c, stride)| self.term(*c, width, sums, *stride, &shape)).collect();
                let mut offset = terms[0];
                for term in &terms[1..] {
                    offset = self.arithmetic(Opcode::AddI, sums, offset, *term, &shape);
                }
                if narrow {
                    let wide = if sums == Scalar::I64 { offset } else { self.extended_to(offset, sums, Scalar::I64, true, &shape) };
                    mask.extend(self.below_in_way(ways[shape.len()], wide, Scalar::I64, ROOM, &shape));
                }
                let all = self.ty(I1, &shape);
                let mask =
                    mask.into_iter().reduce(|a, b| self.value(Opcode::AndI, |op| op.operand("lhs", a).operand("rhs", b).result(all)));
                let pointers = self.pointers(base, scalar, offset, &shape);
                Lanes { pointers, mask: mask.into_iter().collect(), shape: shape.clone() }
            })
            .collect()
    }

    /// Coordinates that are a few more or less, or the same.
    fn further(&mut self, coordinate: Value, width: Scalar, shape: &[i64]) -> Value {
        let by = *self.choices.pick(&[0, 1, -1, 2, -2, 5]);
        let by = self.numbers(width, shape, &[i64::cast_unsigned(by)]);
        self.arithmetic(Opcode::AddI, width, coordinate, by, shape)
    }

    /// The same of lanes that are a row, of which the number is taken apart, as that of an element of a matrix, and put together again.
    fn places_of_row(&mut self, base: Value, scalar: Scalar, distinct: bool, shape: Vec<i64>) -> Lanes {
        let (width, mut lanes) = (Scalar::I32, self.numbers(Scalar::I32, &shape, &[0]));
        let mut inner = 1;
        for dim in (0..shape.len()).rev() {
            let (mut one_dim, n) = (vec![1; shape.len()], shape[dim]);
            one_dim[dim] = n;
            let (row, along, all) =
                (self.ty(Element::Number(width), &[n]), self.ty(Element::Number(width), &one_dim), self.ty(Element::Number(width), &shape));
            let numbers = self.value(Opcode::Iota, |op| op.result(row));
            let numbers = self.value(Opcode::Reshape, |op| op.operand("source", numbers).result(along));
            let numbers = self.value(Opcode::Broadcast, |op| op.operand("source", numbers).result(all));
            let numbers = self.term(numbers, width, width, inner, &shape);
            lanes = self.arithmetic(Opcode::AddI, width, lanes, numbers, &shape);
            inner *= n;
        }
        let origin = self.origin(width, &shape);
        let lanes = self.arithmetic(Opcode::AddI, width, lanes, origin, &shape);
        let columns = *self.choices.pick(&[2, 3, 4, 5, 16, 20, 33, 64, 100]);
        let (row, column) = self.taken_apart(lanes, columns, &shape);
        // Rows lie behind one another, apart from each other, or over one another.
        let strides = if distinct { vec![columns, columns + 3] } else { vec![columns, columns, columns + 3, columns - 2, 0] };
        let mut parts = vec![(column, 1), (row, *self.choices.pick(&strides))];
        if self.choices.below(2) == 0 {
            // Rows are those of planes, each where the rows are columns or not.
            let rows = *self.choices.pick(&[2, 3, 4, 8]);
            let (plane, row) = self.taken_apart(row, rows, &shape);
            let plane = (plane, if distinct { rows * columns } else { *self.choices.pick(&[rows * columns, 1, 0]) });
            parts =
                if self.choices.below(2) == 0 { vec![(column, 1), (row, columns), plane] } else { vec![(column, rows), (row, 1), plane] };
        }
        let mut mask = Vec::new();
        if self.choices.below(2) == 0 {
            let rows = *self.choices.pick(&[1, 2, 7]);
            mask.extend(self.below(row, width, rows, &shape));
            let most = columns - self.choices.below(2) as i64;
            mask.extend(self.below(column, width, most, &shape));
        }
        let terms: Vec<Value> = parts.iter().map(|(part, stride)| self.term(*part, width, Scalar::I64, *stride, &shape)).collect();
        let mut offset = terms[0];
        for term in &terms[1..] {
            offset = self.arithmetic(Opcode::AddI, Scalar::I64, offset, *term, &shape);
        }
        mask.extend(self.below(offset, Scalar::I64, ROOM, &shape));
        let all = self.ty(I1, &shape);
        let mask = mask.into_iter().reduce(|a, b| self.value(Opcode::AndI, |op| op.operand("lhs", a).operand("rhs", b).result(all)));
        Lanes { pointers: self.pointers(base, scalar, offset, &shape), mask: mask.into_iter().collect(), shape }
    }

    /// How often a number goes into others, and what is left of them.
    fn taken_apart(&mut self, numbers: Value, by: i64, shape: &[i64]) -> (Value, Value) {
        let by = self.numbers(Scalar::I32, shape, &[by.cast_unsigned()]);
        let ty = self.ty(Element::Number(Scalar::I32), shape);
        let rounding = *self.choices.pick(&[RoundingMode::Zero, RoundingMode::NegativeInf]);
        let signed = AttrValue::Enum(Signedness::Signed as u8);
        let quotient = self.value(Opcode::DivI, |op| {
            let op = op.operand("lhs", numbers).operand("rhs", by).attr(AttrName::Signedness, signed);
            op.attr(AttrName::Rounding, AttrValue::Enum(rounding as u8)).result(ty)
        });
        let rest =
            self.value(Opcode::RemI, |op| op.operand("lhs", numbers).operand("rhs", by).attr(AttrName::Signedness, signed).result(ty));
        (quotient, rest)
    }

    /// The coordinate of each lane along a dimension: in order from somewhere on, or of any order.
    fn coordinate(&mut self, width: Scalar, shape: &[i64], dim: usize, gathered: bool, distinct: bool) -> Value {
        let (n, element) = (shape[dim], Element::Number(width));
        let mut one_dim = vec![1; shape.len()];
        one_dim[dim] = n;
        let row = self.ty(element, &[n]);
        let numbers = if gathered && distinct {
            self.row_major(width, &[n])
        } else if gathered {
            let (any, mask) = (self.operand(element, &[n], true), self.numbers(width, &[n], &[15]));
            self.value(Opcode::AndI, |op| op.operand("lhs", any).operand("rhs", mask).result(row))
        } else {
            self.value(Opcode::Iota, |op| op.result(row))
        };
        let (along, all) = (self.ty(element, &one_dim), self.ty(element, shape));
        let numbers = self.value(Opcode::Reshape, |op| op.operand("source", numbers).result(along));
        let steps: &[i64] = if distinct { &[1, 1, 2] } else { &[1, 1, 1, 2, 3, 0, -1] };
        let step = *self.choices.pick(steps);
        let step = self.numbers(width, &one_dim, &[step.cast_unsigned()]);
        let origin = self.origin(width, &one_dim);
        let numbers = self.arithmetic(Opcode::MulI, width, numbers, step, &one_dim);
        let mut numbers = self.arithmetic(Opcode::AddI, width, numbers, origin, &one_dim);
        // Borders that are repeated: no place is beyond a limit below, or above.
        let limits: &[&[Opcode]] =
            if distinct { &[&[]] } else { &[&[], &[], &[Opcode::MaxI], &[Opcode::MinI], &[Opcode::MaxI, Opcode::MinI]] };
        for opcode in *self.choices.pick(limits) {
            let limit = if *opcode == Opcode::MaxI { *self.choices.pick(&[0, 2, -1]) } else { *self.choices.pick(&[n - 1, n - 2, 3]) };
            let limit = self.numbers(width, &one_dim, &[limit.cast_unsigned()]);
            let ty = self.ty(element, &one_dim);
            numbers = self.value(*opcode, |op| {
                let op = op.operand("lhs", numbers).operand("rhs", limit);
                op.attr(AttrName::Signedness, AttrValue::Enum(Signedness::Signed as u8)).result(ty)
            });
        }
        if !distinct {
            numbers = self.divided(numbers, width, &one_dim);
        }
        self.value(Opcode::Broadcast, |op| op.operand("source", numbers).result(all))
    }

    /// Numbers, or how often another number goes into them, or what is left then, in one of the ways to say so.
    fn divided(&mut self, numbers: Value, width: Scalar, shape: &[i64]) -> Value {
        let way = self.choices.below(8);
        if way < 4 {
            return numbers;
        }
        let signedness = |signed: bool| AttrValue::Enum(if signed { Signedness::Signed } else { Signedness::Unsigned } as u8);
        let by = *self.choices.pick(&[32, 48, 64, 5, -40, 1, 100]);
        let (by, ty) = (self.numbers(width, shape, &[i64::cast_unsigned(by)]), self.ty(Element::Number(width), shape));
        let opcode = if way == 4 { Opcode::DivI } else { Opcode::RemI };
        let signed = way != 5;
        let rounding = *self.choices.pick(&[RoundingMode::Zero, RoundingMode::NegativeInf, RoundingMode::PositiveInf]);
        let part = self.value(opcode, |op| {
            let op = op.operand("lhs", numbers).operand("rhs", by).attr(AttrName::Signedness, signedness(signed)).result(ty);
            if opcode == Opcode::DivI { op.attr(AttrName::Rounding, AttrValue::Enum(rounding as u8)) } else { op }
        });
        if way < 6 {
            return part;
        }
        // The sign of the divisor, as Python says it.
        let zero = self.numbers(width, shape, &[0]);
        let below = self.comparison(Predicate::LessThan, Signedness::Signed, part, zero, shape);
        let divisor_below = self.comparison(Predicate::LessThan, Signedness::Signed, by, zero, shape);
        let bools = self.ty(I1, shape);
        let differ = self.value(Opcode::XOrI, |op| op.operand("lhs", below).operand("rhs", divisor_below).result(bools));
        let nonzero = self.comparison(Predicate::NotEqual, Signedness::Signed, part, zero, shape);
        let (a, b) = if way == 6 { (differ, nonzero) } else { (nonzero, differ) };
        let moves = self.value(Opcode::AndI, |op| op.operand("lhs", a).operand("rhs", b).result(bools));
        let sum = self.arithmetic(Opcode::AddI, width, part, by, shape);
        self.value(Opcode::Select, |op| op.operand("cond", moves).operand("val_if_true", sum).operand("val_if_false", part).result(ty))
    }

    /// A small number, which may be negative, or a large one: a constant, or computed, for all elements.
    fn origin(&mut self, width: Scalar, shape: &[i64]) -> Value {
        if width != Scalar::I32 || self.choices.below(2) == 0 {
            let number = *self.choices.pick(&[0, 1, 3, -1, -2, 120]);
            return self.numbers(width, shape, &[i64::cast_unsigned(number)]);
        }
        let (index, element) = (self.index(8), Element::Number(width));
        let (ones, all) = (self.ty(element, &vec![1; shape.len()]), self.ty(element, shape));
        let one = self.value(Opcode::Reshape, |op| op.operand("source", index).result(ones));
        self.value(Opcode::Broadcast, |op| op.operand("source", one).result(all))
    }

    /// A coordinate as a part of an offset.
    fn term(&mut self, coordinate: Value, width: Scalar, sums: Scalar, stride: i64, shape: &[i64]) -> Value {
        let wide = if width == sums { coordinate } else { self.extended_to(coordinate, width, sums, true, shape) };
        let stride = self.numbers(sums, shape, &[stride.cast_unsigned()]);
        self.arithmetic(Opcode::MulI, sums, wide, stride, shape)
    }

    /// Conditions that hold of numbers from 0 on that are less than an extent, in one of the ways to say so.
    fn below(&mut self, value: Value, width: Scalar, extent: i64, shape: &[i64]) -> Vec<Value> {
        let way = self.way_below();
        self.below_in_way(way, value, width, extent, shape)
    }

    fn way_below(&mut self) -> BelowWay {
        BelowWay { is_wide: self.choices.below(2) != 0, form: self.choices.below(3) }
    }

    fn below_in_way(&mut self, way: BelowWay, value: Value, width: Scalar, extent: i64, shape: &[i64]) -> Vec<Value> {
        let extent = extent.min((1 << (width.bits() - 1).min(62)) - 1);
        let (value, width) = match width {
            Scalar::I64 => (value, width),
            _ if !way.is_wide => (value, width),
            _ => (self.extended_to(value, width, Scalar::I64, true, shape), Scalar::I64),
        };
        let number = |this: &mut Self, number: i64| this.numbers(width, shape, &[number.cast_unsigned()]);
        match way.form {
            0 => {
                let end = number(self, extent);
                vec![self.comparison(Predicate::LessThan, Signedness::Unsigned, value, end, shape)]
            }
            1 => {
                let (zero, end) = (number(self, 0), number(self, extent));
                let from = self.comparison(Predicate::GreaterThanOrEqual, Signedness::Signed, value, zero, shape);
                vec![from, self.comparison(Predicate::LessThan, Signedness::Signed, value, end, shape)]
            }
            _ => {
                let (before, last) = (number(self, -1), number(self, extent - 1));
                let from = self.comparison(Predicate::LessThan, Signedness::Signed, before, value, shape);
                vec![from, self.comparison(Predicate::GreaterThanOrEqual, Signedness::Signed, last, value, shape)]
            }
        }
    }

    fn comparison(&mut self, predicate: Predicate, signedness: Signedness, lhs: Value, rhs: Value, shape: &[i64]) -> Value {
        let ty = self.ty(I1, shape);
        self.value(Opcode::CmpI, |op| {
            let op = op.operand("lhs", lhs).operand("rhs", rhs).result(ty);
            let op = op.attr(AttrName::ComparisonPredicate, AttrValue::Enum(predicate as u8));
            op.attr(AttrName::Signedness, AttrValue::Enum(signedness as u8))
        })
    }

    fn arithmetic(&mut self, opcode: Opcode, scalar: Scalar, lhs: Value, rhs: Value, shape: &[i64]) -> Value {
        let ty = self.ty(Element::Number(scalar), shape);
        self.value(opcode, |op| op.operand("lhs", lhs).operand("rhs", rhs).result(ty))
    }

    fn extended_to(&mut self, value: Value, from: Scalar, to: Scalar, signed: bool, shape: &[i64]) -> Value {
        assert!(from.bits() < to.bits(), "{from} is extended to {to}");
        let ty = if to == Scalar::I64 { self.ty(I64, shape) } else { self.ty(Element::Number(to), shape) };
        let signedness = AttrValue::Enum(if signed { Signedness::Signed } else { Signedness::Unsigned } as u8);
        self.value(Opcode::ExtI, |op| op.operand("from", value).attr(AttrName::Signedness, signedness).result(ty))
    }
}
