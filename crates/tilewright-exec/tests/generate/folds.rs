//! `reduce` and `scan` with regions whose result does not depend on the order.

use super::{
    Generator, Slot,
    statements::{I1, I32},
};
use crate::regular::Element;
use tilewright_ir::{AttrData, AttrName, AttrValue, ComparisonPredicate, Op, OpRef, Opcode, RoundingMode, Scalar, Signedness, Type, Value};

/// What a region does with two elements.
#[derive(Clone, Copy)]
enum Region {
    /// An operation on integers, with an attribute of signedness where it has one.
    Int(Opcode),
    Float(Opcode),
    /// The first of two, or the second.
    Keep(usize),
    /// The larger of two, by an `if`.
    Branch,
    /// The sum of both, by a fold of a tile of them.
    Nested,
    /// The sum, and something that is computed without them.
    Captured,
    /// The sum in a wider type, cut off: what numbers without arithmetic of their own can do.
    Widened,
}

impl Generator<'_> {
    pub(super) fn fold(&mut self) {
        let slots: Vec<usize> = (0..self.pool.len()).filter(|i| self.can_be_folded(*i)).collect();
        if slots.is_empty() {
            return;
        }
        let slot = self.pool[*self.choices.pick(&slots)].clone();
        let Element::Number(scalar) = slot.element else { return };
        if self.choices.once_in(5) && scalar.is_int() && scalar != Scalar::I4 && slot.solid {
            return self.position_of_the_largest(&slot, scalar);
        }
        let op = self.fold_of(&slot, scalar);
        self.keep_folded(op, &[slot.element], &slot.shape, slot.solid);
    }

    fn fold_of(&mut self, slot: &Slot, scalar: Scalar) -> Op {
        let regions = regions(scalar, slot.solid);
        let region = *self.choices.pick(&regions);
        let op = self.fold_op(&[slot.value], &[slot.element], &slot.shape);
        self.region_of(op, region, slot.element);
        op
    }

    /// The region of a fold of one operand.
    fn region_of(&mut self, op: Op, region: Region, element: Element) {
        let ty = self.ty(element, &[]);
        self.region(op, 0, &[ty; 2], |this, args| {
            let value = this.combined(region, element, ty, [args[0], args[1]]);
            this.op(Opcode::Yield, |op| op.operand("operands", value));
        });
    }

    /// A fold of more elements than other tiles have, which were loaded for it; the last few results are stored.
    pub(super) fn long_fold(&mut self) {
        let scalar = *self.choices.pick(&[Scalar::I32, Scalar::F32, Scalar::F16, Scalar::F64, Scalar::I8]);
        let element = Element::Number(scalar);
        let n = *self.choices.pick(&[64, 128, 256]);
        let row = self.loaded_numbers(scalar, n);
        let shape = self.choices.pick(&[vec![n], vec![1, n], vec![2, n / 2], vec![16, n / 16]]).clone();
        let ty = self.ty(element, &shape);
        let value = self.value(Opcode::Reshape, |op| op.operand("source", row).result(ty));
        let slot = Slot { value, element, shape, solid: scalar.is_int() };
        let op = self.fold_of(&slot, scalar);
        let shape = folded_shape(self.body.op(op), &slot.shape);
        let folded = self.result(op, 0);
        let few: Vec<i64> = shape.iter().map(|extent| 4.min(*extent)).collect();
        let last: Vec<Value> = shape.iter().zip(&few).map(|(n, few)| self.numbers(Scalar::I32, &[], &[(n / few - 1) as u64])).collect();
        let ty = self.ty(element, &few);
        let value = self.value(Opcode::Extract, |op| op.operand("source", folded).operands("indices", &last).result(ty));
        self.store_slot(&Slot { value, shape: few, ..slot });
    }

    /// A region of one operation, whose result hardly depends on the order.
    pub(super) fn usual_region(&mut self, op: Op, element: Element) {
        let Element::Number(scalar) = element else { panic!("numbers are folded") };
        let usual: Vec<Region> = regions(scalar, false).into_iter().filter(|r| matches!(r, Region::Int(_) | Region::Float(_))).collect();
        let region = *self.choices.pick(&usual);
        self.region_of(op, region, element);
    }

    /// A row of input. What is loaded as floats has a NaN here and there, of which no sum is known: some are made of integers.
    pub(super) fn loaded_numbers(&mut self, scalar: Scalar, n: i64) -> Value {
        if !scalar.is_float() || self.choices.below(2) == 0 {
            return self.loaded_row(scalar, n);
        }
        let (small, ty) = (self.loaded_row(Scalar::I8, n), self.ty(Element::Number(scalar), &[n]));
        let signed = AttrValue::Enum(Signedness::Signed as u8);
        self.value(Opcode::IToF, |op| op.operand("from", small).result(ty).attr(AttrName::Signedness, signed))
    }

    fn can_be_folded(&self, index: usize) -> bool {
        let slot = &self.pool[index];
        let number = matches!(slot.element, Element::Number(scalar) if scalar != Scalar::F4E2M1FN);
        number && !slot.shape.is_empty()
    }

    /// A `reduce` or `scan` of these operands; its region is still empty.
    fn fold_op(&mut self, values: &[Value], elements: &[Element], shape: &[i64]) -> Op {
        let dim = self.choices.below(shape.len());
        let scans = self.choices.below(2) == 1;
        self.fold_op_along(values, elements, shape, dim, scans)
    }

    /// The same, along a dimension.
    pub(super) fn fold_op_along(&mut self, values: &[Value], elements: &[Element], shape: &[i64], dim: usize, scans: bool) -> Op {
        let reverse = self.choices.below(2) == 1;
        let identities: Vec<_> = elements.iter().map(|element| self.identity(*element)).collect();
        let identities = self.module.tables.attrs.intern(AttrData::Array(identities.into()));
        let mut result = shape.to_vec();
        if !scans {
            result.remove(dim);
        }
        let types: Vec<Type> = elements.iter().map(|element| self.ty(*element, &result)).collect();
        self.op(if scans { Opcode::Scan } else { Opcode::Reduce }, |op| {
            let op = op.operands("operands", values).results(&types).attr(AttrName::Dim, AttrValue::Int(dim as u64));
            let op = op.attr(AttrName::Identities, AttrValue::Attr(identities));
            if scans { op.attr(AttrName::Reverse, AttrValue::Bool(reverse)) } else { op }
        })
    }

    /// The identities are not neutral: whoever uses them gives a wrong result, as the engine promises not to.
    fn identity(&mut self, element: Element) -> tilewright_ir::Attr {
        let Element::Number(scalar) = element else { panic!("numbers are folded") };
        let (ty, bits) = (scalar.ty(), 1);
        self.module.tables.attrs.intern(match scalar {
            Scalar::I1 => AttrData::Bool(true),
            _ if scalar.is_int() => AttrData::Integer { ty, bits },
            _ => AttrData::Float { ty, bits },
        })
    }

    fn keep_folded(&mut self, op: Op, elements: &[Element], shape: &[i64], solid: bool) {
        let result = folded_shape(self.body.op(op), shape);
        let values: Vec<Value> = self.body.op(op).results().collect();
        for (value, element) in values.into_iter().zip(elements) {
            self.keep(value, *element, &result, solid);
        }
    }

    pub(super) fn binary(&mut self, opcode: Opcode, ty: Type, [a, b]: [Value; 2]) -> Value {
        let signed = AttrValue::Enum(self.choices.below(2) as u8);
        let has = |name: AttrName| opcode.def().attr_index(name).is_some();
        self.value(opcode, |op| {
            let op = op.operand(opcode.def().operands[0].name, a).operand(opcode.def().operands[1].name, b).result(ty);
            let op = if has(AttrName::Signedness) { op.attr(AttrName::Signedness, signed) } else { op };
            // Of a NaN and a number the result does not depend on the order either way.
            if has(AttrName::RoundingMode) { op.attr(AttrName::RoundingMode, AttrValue::Enum(RoundingMode::NearestEven as u8)) } else { op }
        })
    }

    fn compare(&mut self, predicate: ComparisonPredicate, [a, b]: [Value; 2]) -> Value {
        let bit = self.ty(I1, &[]);
        self.value(Opcode::CmpI, |op| {
            let op = op.operand("lhs", a).operand("rhs", b).result(bit);
            let op = op.attr(AttrName::ComparisonPredicate, AttrValue::Enum(predicate as u8));
            op.attr(AttrName::Signedness, AttrValue::Enum(Signedness::Signed as u8))
        })
    }

    fn combined(&mut self, region: Region, element: Element, ty: Type, args: [Value; 2]) -> Value {
        match region {
            Region::Int(opcode) | Region::Float(opcode) => self.binary(opcode, ty, args),
            Region::Keep(which) => args[which],
            Region::Branch => {
                let less = self.compare(ComparisonPredicate::LessThan, args);
                let op = self.op(Opcode::If, |op| op.operand("condition", less).result(ty));
                for index in [0, 1] {
                    self.region(op, index, &[], |this, _| {
                        this.op(Opcode::Yield, |op| op.operand("operands", args[1 - index]));
                    });
                }
                self.result(op, 0)
            }
            Region::Nested => {
                let (one, two) = (self.ty(element, &[1]), self.ty(element, &[2]));
                let parts = args.map(|arg| self.value(Opcode::Reshape, |op| op.operand("source", arg).result(one)));
                let both = self.value(Opcode::Cat, |op| {
                    op.operand("lhs", parts[0]).operand("rhs", parts[1]).attr(AttrName::Dim, AttrValue::Int(0)).result(two)
                });
                let identity = self.identity(element);
                let identities = self.module.tables.attrs.intern(AttrData::Array([identity].into()));
                let inner = self.op(Opcode::Reduce, |op| {
                    let op = op.operand("operands", both).result(ty).attr(AttrName::Dim, AttrValue::Int(0));
                    op.attr(AttrName::Identities, AttrValue::Attr(identities))
                });
                self.region(inner, 0, &[ty; 2], |this, args| {
                    let sum = this.binary(Opcode::AddI, ty, [args[0], args[1]]);
                    this.op(Opcode::Yield, |op| op.operand("operands", sum));
                });
                self.result(inner, 0)
            }
            Region::Captured => {
                // `a + b + c` for a captured c is associative and commutative.
                let c = self.operand(element, &[], false);
                let d = self.binary(Opcode::MulI, ty, [c, c]);
                let sum = self.binary(Opcode::AddI, ty, args);
                self.binary(Opcode::AddI, ty, [sum, d])
            }
            Region::Widened => {
                let wide = self.ty(I32, &[]);
                let signed = AttrValue::Enum(self.choices.below(2) as u8);
                let args =
                    args.map(|arg| self.value(Opcode::ExtI, |op| op.operand("from", arg).attr(AttrName::Signedness, signed).result(wide)));
                let sum = self.binary(Opcode::AddI, wide, args);
                self.value(Opcode::TruncI, |op| op.operand("from", sum).result(ty))
            }
        }
    }

    /// Two operands: the largest number, and the lowest of the positions where it is.
    fn position_of_the_largest(&mut self, slot: &Slot, scalar: Scalar) {
        let positions = self.operand(I32, &slot.shape, true);
        let elements = [Element::Number(scalar), I32];
        let op = self.fold_op(&[slot.value, positions], &elements, &slot.shape);
        let types = elements.map(|element| self.ty(element, &[]));
        self.region(op, 0, &[types[0], types[0], types[1], types[1]], |this, args| {
            let &[a, b, p, q] = args else { panic!("two arguments for each operand") };
            let less = this.compare(ComparisonPredicate::LessThan, [a, b]);
            let same = this.compare(ComparisonPredicate::Equal, [a, b]);
            let behind = this.compare(ComparisonPredicate::GreaterThan, [p, q]);
            let bit = this.ty(I1, &[]);
            let tie = this.binary(Opcode::AndI, bit, [same, behind]);
            let second = this.binary(Opcode::OrI, bit, [less, tie]);
            let pick = |this: &mut Self, ty, [first, other]: [Value; 2]| {
                this.value(Opcode::Select, |op| {
                    op.operand("cond", second).operand("val_if_true", other).operand("val_if_false", first).result(ty)
                })
            };
            let results = [pick(this, types[0], [a, b]), pick(this, types[1], [p, q])];
            this.op(Opcode::Yield, |op| op.operands("operands", &results));
        });
        self.keep_folded(op, &elements, &slot.shape, slot.solid);
    }
}

/// The shape of the results of a fold of this shape.
fn folded_shape(op: OpRef<'_>, shape: &[i64]) -> Vec<i64> {
    let mut result = shape.to_vec();
    if op.opcode() == Opcode::Reduce {
        result.remove(op.int(AttrName::Dim).expect("a dimension") as usize);
    }
    result
}

/// The regions for a type; only exact values decide what an `if` does.
fn regions(scalar: Scalar, solid: bool) -> Vec<Region> {
    use Region::{Branch, Captured, Float, Int, Keep, Nested, Widened};
    let mut regions = Vec::new();
    if scalar == Scalar::I4 {
        regions.push(Widened);
    } else if scalar.is_int() {
        regions.extend([Opcode::AddI, Opcode::MulI, Opcode::AndI, Opcode::OrI, Opcode::XOrI, Opcode::MaxI, Opcode::MinI].map(Int));
        regions.extend([Nested, Captured]);
        regions.extend(solid.then_some(Branch));
    } else if matches!(scalar, Scalar::F16 | Scalar::Bf16 | Scalar::F32 | Scalar::F64) {
        regions.extend([Opcode::AddF, Opcode::MaxF, Opcode::MinF].map(Float));
    }
    regions.extend([Keep(0), Keep(1)]);
    regions
}
