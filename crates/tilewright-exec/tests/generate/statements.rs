//! What a program does, operation by operation.

use super::{Generator, Slot};
use crate::regular::{Combination, Element};
use tilewright_ir::{AttrData, AttrName, AttrValue, ComparisonPredicate, Opcode, Scalar, Signedness, Type, TypeTable, Value, ops::Traits};

/// How deep control flow nests.
const MAX_DEPTH: usize = 3;

/// More numbers than vectors of the CPU have, but no more than input.
pub(super) const MANY: i64 = 256;

pub(super) const I32: Element = Element::Number(Scalar::I32);
pub(super) const I1: Element = Element::Number(Scalar::I1);

/// What kernels do to floats most of the time, and whose results are exact.
const COMMON: [Opcode; 10] = [
    Opcode::AddF,
    Opcode::SubF,
    Opcode::MulF,
    Opcode::Fma,
    Opcode::MaxF,
    Opcode::MinF,
    Opcode::NegF,
    Opcode::AbsF,
    Opcode::DivF,
    Opcode::Sqrt,
];

/// Whether an operation computes each number from those at the same place.
pub(super) fn is_elementwise(combination: &Combination) -> bool {
    combination.opcode.def().traits.contains(Traits::ELEMENTWISE)
}

impl Generator<'_> {
    /// Some operations.
    pub(super) fn statements(&mut self) {
        let most = if self.depth == 0 { 40 } else { 6 };
        for _ in 0..most {
            // The end comes at once when there are no decisions left.
            if self.budget == 0 || self.choices.below(20) == 0 {
                return;
            }
            self.statement();
        }
    }

    fn statement(&mut self) {
        match self.choices.below(29) {
            17 | 18 | 24 | 25 | 28 if self.grouped => self.chain(),
            19 if self.grouped && self.choices.once_in(2) => self.product(),
            19 if self.grouped => self.promise(),
            0..=9 => self.regular(),
            10..=12 => self.movement(),
            13 if self.choices.once_in(2) => self.long_fold(),
            14 if self.choices.once_in(6) => self.rows(),
            13..=14 => self.fold(),
            15 | 16 => self.load(),
            17 if self.choices.below(3) == 2 => self.copy(),
            17 => self.store(),
            18 if self.choices.below(2) == 1 => self.chain(),
            18 => self.local_memory(),
            19 => match self.choices.below(5) {
                0 => self.tokens(),
                1 => self.promise(),
                2 if self.depth < MAX_DEPTH && self.choices.once_in(3) => self.products_in_a_loop(),
                2 | 3 => self.product(),
                _ => self.update(),
            },
            20 | 21 if self.depth < MAX_DEPTH => self.branch(),
            22 if self.depth < MAX_DEPTH => self.count(),
            23 if self.depth < MAX_DEPTH => self.repeat(),
            24 => self.print(),
            25 => self.call(),
            27 if self.depth < MAX_DEPTH && self.choices.once_in(4) => self.rounds(),
            26 | 27 => self.chain(),
            28 if self.choices.once_in(2) => self.lanes(),
            28 => self.store_and_combine(),
            _ => self.regular(),
        }
    }

    /// A regular operation: any row of the op table, any types, any attributes.
    fn regular(&mut self) {
        let all = self.combinations;
        let group = &all[self.choices.below(all.len())];
        let combination = &group[self.choices.below(group.len())];
        let shapes = self.shapes(combination);
        let (result, operands) = combination.types.split_last().expect("there is a result");
        let values: Vec<Value> = operands.iter().zip(&shapes).map(|(element, shape)| self.operand(*element, shape, false)).collect();
        let is_int = |element: &Element| matches!(element, Element::Number(scalar) if scalar.is_int());
        let solid = values.iter().all(|value| self.is_solid(*value)) && combination.types.iter().all(is_int);
        let shape = shapes.last().expect("the result has a shape");
        let value = self.combined_as(combination, &values, *result, shape);
        self.keep(value, *result, shape, solid);
    }

    /// The operation of a combination, with a result of this shape.
    pub(super) fn combined_as(&mut self, combination: &Combination, values: &[Value], result: Element, shape: &[i64]) -> Value {
        let ty = self.ty(result, shape);
        let def = combination.opcode.def();
        self.value(combination.opcode, |mut op| {
            for (operand, value) in def.operands.iter().zip(values) {
                op = op.operand(operand.name, *value);
            }
            for (attr, value) in def.attrs.iter().zip(&combination.attrs) {
                op = op.attr(attr.name, *value);
            }
            op.result(ty)
        })
    }

    /// Whether a value is known exactly: constants of numbers are, and what the pool says.
    pub(super) fn is_solid(&self, value: Value) -> bool {
        match self.pool.iter().find(|slot| slot.value == value) {
            Some(slot) => slot.solid,
            // Made for this use: a constant, or another shape of something.
            None => match self.body.defining_op(value) {
                Some(op) if matches!(op.opcode(), Opcode::Reshape | Opcode::TruncI) => self.is_solid(op.operands()[0]),
                Some(op) => op.opcode() == Opcode::Constant,
                None => false,
            },
        }
    }

    /// Shapes of operands and result.
    pub(super) fn shapes(&mut self, combination: &Combination) -> Vec<Vec<i64>> {
        let batch: &[i64] = if self.choices.once_in(4) { &[2] } else { &[] };
        let matrix = |a: i64, b: i64| [batch, &[a, b]].concat();
        match combination.opcode {
            Opcode::MmaF | Opcode::MmaI => {
                let [m, n, k] = [0; 3].map(|_| *self.choices.pick(&[2, 4, 1, 8]));
                vec![matrix(m, k), matrix(k, n), matrix(m, n), matrix(m, n)]
            }
            Opcode::MmaFScaled => {
                let blocks = combination.shapes[3][1];
                let [m, n] = [0; 2].map(|_| *self.choices.pick(&[2, 1]));
                vec![matrix(m, 32), matrix(32, n), matrix(m, n), matrix(m, blocks), matrix(blocks, n), matrix(m, n)]
            }
            Opcode::Pack | Opcode::Unpack | Opcode::Iota => combination.shapes.clone(),
            _ => {
                let limited = |e: &&Element| matches!(e, Element::PointerTo(Scalar::F4E2M1FN) | Element::Number(Scalar::F4E2M1FN));
                let element = combination.types.iter().find(limited).unwrap_or(&combination.types[0]);
                let shape = self.shape(*element);
                vec![shape; combination.types.len()]
            }
        }
    }

    /// A value of the pool, with its type.
    pub(super) fn any(&mut self) -> Slot {
        let index = self.choices.below(self.pool.len());
        self.pool[index].clone()
    }

    /// An operation that moves elements.
    fn movement(&mut self) {
        let slot = self.any();
        let single = slot.element == Element::PointerTo(Scalar::F4E2M1FN);
        if single {
            return;
        }
        let n: i64 = slot.shape.iter().product();
        match self.choices.below(6) {
            0 => {
                let shapes: Vec<&[i64]> = super::SHAPES.iter().copied().filter(|shape| shape.iter().product::<i64>() == n).collect();
                if !shapes.is_empty() {
                    let shape = *self.choices.pick(&shapes);
                    self.move_to(Opcode::Reshape, &slot, shape);
                }
            }
            1 if slot.shape.contains(&1) => {
                let wide: Vec<i64> = slot.shape.iter().map(|extent| if *extent == 1 { 2 } else { *extent }).collect();
                self.move_to(Opcode::Broadcast, &slot, &wide);
            }
            2 if slot.shape.len() >= 2 => self.permute(&slot),
            3 if !slot.shape.is_empty() && n <= 16 => self.join(&slot),
            4 => self.extract(&slot),
            5 => self.insert(&slot),
            _ => {}
        }
    }

    fn move_to(&mut self, opcode: Opcode, slot: &Slot, shape: &[i64]) {
        let ty = self.ty(slot.element, shape);
        let value = self.value(opcode, |op| op.operand("source", slot.value).result(ty));
        self.keep(value, slot.element, shape, slot.solid);
    }

    fn permute(&mut self, slot: &Slot) {
        let rank = slot.shape.len();
        let mut dims: Vec<i32> = (0..rank as i32).collect();
        for i in 1..rank {
            let j = self.choices.below(i + 1);
            dims.swap(i, i - j);
        }
        let shape: Vec<i64> = dims.iter().map(|d| slot.shape[*d as usize]).collect();
        let ty = self.ty(slot.element, &shape);
        let permutation = self.module.tables.attrs.intern(AttrData::I32Array(dims.into()));
        let value = self.value(Opcode::Permute, |op| {
            op.operand("source", slot.value).attr(AttrName::Permutation, AttrValue::Attr(permutation)).result(ty)
        });
        self.keep(value, slot.element, &shape, slot.solid);
    }

    fn join(&mut self, slot: &Slot) {
        let dim = self.choices.below(slot.shape.len());
        let other = self.operand(slot.element, &slot.shape, slot.solid);
        let mut shape = slot.shape.clone();
        shape[dim] *= 2;
        let ty = self.ty(slot.element, &shape);
        let value = self.value(Opcode::Cat, |op| {
            op.operand("lhs", slot.value).operand("rhs", other).attr(AttrName::Dim, AttrValue::Int(dim as u64)).result(ty)
        });
        let solid = slot.solid && self.is_solid(other);
        self.keep(value, slot.element, &shape, solid);
    }

    /// A slice's shape, and indices of one. Two elements of 4 bits make the smallest tile.
    fn slice(&mut self, element: Element, whole: &[i64]) -> (Vec<i64>, Vec<Value>) {
        let mut shape: Vec<i64> =
            whole.iter().map(|extent| if self.choices.below(2) == 0 { *extent } else { (extent / 2).max(1) }).collect();
        if element == Element::Number(Scalar::F4E2M1FN) && shape.iter().product::<i64>() == 1 {
            shape = whole.to_vec();
        }
        let indices = whole.iter().zip(&shape).map(|(whole, slice)| self.index(whole / slice)).collect();
        (shape, indices)
    }

    /// A number below `count`, a power of two: a constant, or computed.
    pub(super) fn index(&mut self, count: i64) -> Value {
        if self.choices.below(2) == 0 {
            let index = self.choices.below(count as usize) as u64;
            return self.numbers(Scalar::I32, &[], &[index]);
        }
        let source = self.operand(I32, &[], true);
        let mask = self.numbers(Scalar::I32, &[], &[count as u64 - 1]);
        let ty = self.ty(I32, &[]);
        self.value(Opcode::AndI, |op| op.operand("lhs", source).operand("rhs", mask).result(ty))
    }

    fn extract(&mut self, slot: &Slot) {
        let (shape, indices) = self.slice(slot.element, &slot.shape);
        let ty = self.ty(slot.element, &shape);
        let value = self.value(Opcode::Extract, |op| op.operand("source", slot.value).operands("indices", &indices).result(ty));
        self.keep(value, slot.element, &shape, slot.solid);
    }

    fn insert(&mut self, slot: &Slot) {
        let (shape, indices) = self.slice(slot.element, &slot.shape);
        let source = self.operand(slot.element, &shape, slot.solid);
        let ty = self.ty(slot.element, &slot.shape);
        let value = self.value(Opcode::Insert, |op| {
            op.operand("source", source).operand("destination", slot.value).operands("indices", &indices).result(ty)
        });
        let solid = slot.solid && self.is_solid(source);
        self.keep(value, slot.element, &slot.shape, solid);
    }

    /// A few numbers computed from each other, of which some are stored and nothing else is done with them: what an engine likes to
    /// do in one go.
    fn chain(&mut self) {
        let scalar = *self.choices.pick(&[Scalar::I32, Scalar::F32, Scalar::F32, Scalar::F32, Scalar::F16, Scalar::F64, Scalar::I8]);
        let element = Element::Number(scalar);
        let all = self.combinations;
        let fits = |combination: &&Combination| combination.types.iter().all(|ty| *ty == element) && is_elementwise(combination);
        let fitting: Vec<&Combination> = all.iter().flatten().filter(fits).collect();
        // Those with the first value of each attribute, which the engine has most ways to do.
        let mut plain = fitting.clone();
        plain.dedup_by_key(|combination| combination.opcode);
        if scalar == Scalar::F32 {
            plain.retain(|combination| COMMON.contains(&combination.opcode));
        }
        let many = self.choices.below(2) == 1;
        let (shape, mut values) = if many {
            (vec![MANY], [0; 2].map(|_| self.loaded_row(scalar, MANY)).to_vec())
        } else {
            let shape = self.shape(element);
            let values = [0; 2].map(|_| self.operand(element, &shape, false)).to_vec();
            (shape, values)
        };
        values.push(self.constant(element, &shape));
        let inputs = values.len();
        // A product that only the last value is multiplied with.
        let times = plain.iter().find(|combination| combination.opcode == Opcode::MulF).filter(|_| self.choices.below(2) == 1).copied();
        let late = times.map(|times| self.combined_as(times, &[values[0], values[inputs - 1]], element, &shape));
        for _ in 0..2 + self.choices.below(if many { 9 } else { 3 }) {
            if self.choices.once_in(8) {
                values.extend(self.on_bits(&values.clone(), element, &shape));
            }
            let from = if self.choices.below(3) > 0 { &plain } else { &fitting };
            let combination = *self.choices.pick(from);
            // The last value more often than others.
            let operand = |_| if self.choices.below(3) == 1 { values[values.len() - 1] } else { *self.choices.pick(&values) };
            let operands: Vec<Value> = combination.types[1..].iter().map(operand).collect();
            values.push(self.combined_as(combination, &operands, element, &shape));
        }
        if let (Some(times), Some(late)) = (times, late) {
            values.push(self.combined_as(times, &[values[values.len() - 1], late], element, &shape));
        }
        for value in values.split_off(inputs) {
            if self.choices.below(2) > 0 {
                self.store_slot(&Slot { value, element, shape: shape.clone(), solid: false });
            }
        }
    }

    /// Operations that only order others, or say nothing.
    fn tokens(&mut self) {
        let token = TypeTable::token();
        let first = self.value(Opcode::MakeToken, |op| op.result(token));
        let after = self.after();
        let second = self.value(Opcode::GdcWaitTko, |op| op.operands("token", &after).result(token));
        let third = self.value(Opcode::JoinTokens, |op| op.operands("tokens", &[first, second]).result(token));
        let fourth = self.value(Opcode::MemoryFenceAliasTko, |op| op.operand("token", third).result(token));
        let before: &[Value] = if after.is_empty() { &[] } else { &[fourth] };
        self.op(Opcode::GdcLaunchDependentsTko, |op| op.operands("token", before).result(token));
        let i32_ty = self.ty(I32, &[]);
        let ids = self.op(Opcode::GetNumTileBlocks, |op| op.results(&[i32_ty; 3]));
        let value = self.result(ids, 1);
        self.keep(value, I32, &[], true);
    }

    /// Says something true of an integer.
    fn promise(&mut self) {
        // Numbers of 4 bits cannot be compared.
        let known = |slot: &&Slot| slot.solid && slot.element != Element::Number(Scalar::I4);
        let slots: Vec<Slot> = self.pool.iter().filter(known).cloned().collect();
        if slots.is_empty() {
            return;
        }
        let slot = self.choices.pick(&slots).clone();
        let (lowest, highest) = self.range(slot.element);
        let predicate = match self.choices.below(6) {
            0 => AttrData::Bounded { lower: None, upper: None },
            1 => AttrData::SameElements(vec![1; slot.shape.len()].into()),
            2 => AttrData::DivBy { divisor: 1, every: None, along: None },
            3 => AttrData::Bounded { lower: Some(lowest), upper: None },
            4 => AttrData::Bounded { lower: None, upper: Some(highest) },
            _ => AttrData::Bounded { lower: Some(lowest), upper: Some(highest) },
        };
        let predicate = AttrValue::Attr(self.module.tables.attrs.intern(predicate));
        let ty = self.ty(slot.element, &slot.shape);
        let value = self.value(Opcode::Assume, |op| op.operand("value", slot.value).attr(AttrName::Predicate, predicate).result(ty));
        let bits = self.ty(I1, &slot.shape);
        let same = self.value(Opcode::CmpI, |op| {
            let op = op.operand("lhs", slot.value).operand("rhs", value).result(bits);
            let op = op.attr(AttrName::ComparisonPredicate, AttrValue::Enum(ComparisonPredicate::Equal as u8));
            op.attr(AttrName::Signedness, AttrValue::Enum(Signedness::Signed as u8))
        });
        let message = AttrValue::Str(self.module.tables.strings.intern("it is itself"));
        self.op(Opcode::Assert, |op| op.operand("condition", same).attr(AttrName::Message, message));
        self.keep(same, I1, &slot.shape, true);
        self.keep(value, slot.element, &slot.shape, true);
    }

    /// The smallest and the largest integer of a type.
    fn range(&self, element: Element) -> (i64, i64) {
        let Element::Number(scalar) = element else { panic!("integers have a range") };
        (i64::MIN >> (64 - scalar.bits()), i64::MAX >> (64 - scalar.bits()))
    }

    /// Values to carry through control flow: up to three of the pool.
    fn carried(&mut self) -> Vec<Slot> {
        let count = self.choices.below(4);
        (0..count).map(|_| self.any()).collect()
    }

    pub(super) fn types(&mut self, slots: &[Slot]) -> Vec<Type> {
        slots.iter().map(|slot| self.ty(slot.element, &slot.shape)).collect()
    }

    /// Values like these, from what is visible now.
    pub(super) fn alike(&mut self, slots: &[Slot]) -> Vec<Value> {
        slots.iter().map(|slot| self.operand(slot.element, &slot.shape, slot.solid)).collect()
    }

    pub(super) fn keep_all(&mut self, values: &[Value], slots: &[Slot]) {
        for (value, slot) in values.iter().zip(slots) {
            self.keep(*value, slot.element, &slot.shape, slot.solid);
        }
    }

    fn branch(&mut self) {
        let condition = self.operand(I1, &[], true);
        let results = self.carried();
        let types = self.types(&results);
        let op = self.op(Opcode::If, |op| op.operand("condition", condition).results(&types));
        let both = !results.is_empty() || self.choices.below(2) == 1;
        for index in 0..1 + usize::from(both) {
            self.region(op, index, &[], |this, _| {
                this.statements();
                let values = this.alike(&results);
                this.op(Opcode::Yield, |op| op.operands("operands", &values));
            });
        }
        let values: Vec<Value> = self.body.op(op).results().collect();
        self.keep_all(&values, &results);
    }

    fn count(&mut self) {
        let scalar = *self.choices.pick(&[Scalar::I32, Scalar::I8, Scalar::I16, Scalar::I64, Scalar::I1]);
        let element = Element::Number(scalar);
        let mut lower = self.choices.below(5) as i64 - 2;
        let mut upper = lower + self.choices.below(5) as i64;
        let mut step = 1 + self.choices.below(3) as i64;
        if scalar == Scalar::I1 {
            // One is positive only where it is read as unsigned.
            (lower, upper, step) = (0, upper & 1, 1);
        }
        let mask = u64::MAX >> (64 - scalar.bits());
        let [lower, upper, step] = [lower, upper, step].map(|n| self.numbers(scalar, &[], &[n.cast_unsigned() & mask]));
        let unsigned = if self.choices.below(3) == 2 || scalar == Scalar::I1 { AttrValue::Unit } else { AttrValue::Absent };
        let carried = self.carried();
        let (types, first): (Vec<Type>, Vec<Value>) = (self.types(&carried), carried.iter().map(|slot| slot.value).collect());
        let op = self.op(Opcode::For, |op| {
            let op = op.operand("lowerBound", lower).operand("upperBound", upper).operand("step", step).operands("initValues", &first);
            op.attr(AttrName::UnsignedCmp, unsigned).results(&types)
        });
        let counter = self.ty(element, &[]);
        let args: Vec<Type> = [counter].into_iter().chain(types).collect();
        self.region(op, 0, &args, |this, args| {
            this.keep(args[0], element, &[], true);
            this.keep_all(&args[1..], &carried);
            this.statements();
            if this.choices.below(3) == 2 {
                this.leave_early(Opcode::Continue, &carried);
            }
            let values = this.alike(&carried);
            this.op(Opcode::Continue, |op| op.operands("operands", &values));
        });
        let values: Vec<Value> = self.body.op(op).results().collect();
        self.keep_all(&values, &carried);
    }

    /// An `if` that goes on with the loop, or leaves it, or the function.
    pub(super) fn leave_early(&mut self, how: Opcode, slots: &[Slot]) {
        let condition = self.operand(I1, &[], true);
        let op = self.op(Opcode::If, |op| op.operand("condition", condition));
        self.region(op, 0, &[], |this, _| {
            let values = this.alike(slots);
            this.op(how, |op| op.operands("operands", &values));
        });
    }

    /// A loop that ends after a few rounds, with values of other types than it carries.
    fn repeat(&mut self) {
        let (carried, results) = (self.carried(), self.carried());
        let rounds = self.choices.below(4) as u64;
        let counter = self.ty(I32, &[]);
        let zero = self.numbers(Scalar::I32, &[], &[0]);
        let types: Vec<Type> = [counter].into_iter().chain(self.types(&carried)).collect();
        let first: Vec<Value> = [zero].into_iter().chain(carried.iter().map(|slot| slot.value)).collect();
        let result_types = self.types(&results);
        let op = self.op(Opcode::Loop, |op| op.operands("initValues", &first).results(&result_types));
        self.region(op, 0, &types, |this, args| {
            this.keep_all(&args[1..], &carried);
            this.statements();
            let limit = this.numbers(Scalar::I32, &[], &[rounds]);
            let (bit, number) = (this.ty(I1, &[]), this.ty(I32, &[]));
            let done = this.value(Opcode::CmpI, |op| {
                let op = op.operand("lhs", args[0]).operand("rhs", limit).result(bit);
                let op = op.attr(AttrName::ComparisonPredicate, AttrValue::Enum(ComparisonPredicate::GreaterThanOrEqual as u8));
                op.attr(AttrName::Signedness, AttrValue::Enum(Signedness::Signed as u8))
            });
            let stop = this.op(Opcode::If, |op| op.operand("condition", done));
            this.region(stop, 0, &[], |this, _| {
                let values = this.alike(&results);
                this.op(Opcode::Break, |op| op.operands("operands", &values));
            });
            if this.choices.below(3) == 2 {
                this.leave_early(Opcode::Break, &results);
            }
            let one = this.numbers(Scalar::I32, &[], &[1]);
            let next = this.value(Opcode::AddI, |op| op.operand("lhs", args[0]).operand("rhs", one).result(number));
            let values: Vec<Value> = [next].into_iter().chain(this.alike(&carried)).collect();
            this.op(Opcode::Continue, |op| op.operands("operands", &values));
        });
        let values: Vec<Value> = self.body.op(op).results().collect();
        self.keep_all(&values, &results);
    }
}
