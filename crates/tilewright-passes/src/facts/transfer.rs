//! What is known of the results of an operation, given what is known of its operands.

use super::{Axis, Divisor, Quotient, Range, TileFact};
use crate::{
    elem::{Elem, memory_bits},
    elementwise::{ElemOp, elem_op},
};
use tilewright_ir::{
    AttrData, AttrName, AttrValue, Body, ComparisonPredicate, DYNAMIC, MemoryOrderingSemantics, OpRef, Opcode, RoundingMode, Tables,
    TypeData, Value,
};

/// The largest position of a block in the grid (SEMANTICS (a)): extents have 24 bits.
const MAX_EXTENT: u64 = (1 << 24) - 1;

/// A tile's elements and extents.
#[derive(Clone, Copy)]
pub(super) struct Shape<'m> {
    pub(super) elem: Elem,
    pub(super) extents: &'m [i64],
    /// How far neighbours in a contiguous group are apart: 1, or the bytes of what pointers point to; `None` if these are no whole bytes.
    unit: Option<Divisor>,
}

impl Shape<'_> {
    /// Width of the elements, if they are integers.
    fn int_bits(self) -> Option<u32> {
        self.elem.is_int().then(|| self.elem.bits())
    }

    pub(super) fn unknown(self) -> TileFact {
        TileFact::unknown(self.int_bits(), self.extents)
    }

    pub(super) fn unit(self) -> Divisor {
        self.unit.unwrap_or(Divisor::ONE)
    }

    fn with_range(self, range: Range) -> TileFact {
        TileFact { range: Some(range), ..self.unknown() }.agree(self.extents)
    }
}

/// The function whose operations are looked at.
#[derive(Clone, Copy)]
pub(super) struct Context<'m> {
    pub(super) tables: &'m Tables,
    pub(super) body: &'m Body,
}

/// What is known of values so far; `None` where nothing has reached a value yet.
pub(super) trait KnownFacts {
    fn of(&self, value: Value) -> Option<TileFact>;
}

impl<'m> Context<'m> {
    /// The shape of a tile; `None` for views and tokens.
    pub(super) fn shape(self, value: Value) -> Option<Shape<'m>> {
        let types = &self.tables.types;
        let (element, extents) = types.as_tile(self.body.ty(value))?;
        let unit = match types.get(element) {
            TypeData::Pointer { pointee, .. } => match types.scalar(*pointee).and_then(memory_bits)? {
                bits if bits % 8 == 0 => Some(Divisor::of(u64::from(bits / 8))),
                _ => None,
            },
            _ => Some(Divisor::ONE),
        };
        Some(Shape { elem: Elem::of(types, element)?, extents, unit })
    }

    /// What is known of the `index`-th result of an operation without regions; `None` if an operand has no fact yet.
    pub(super) fn result(self, op: OpRef<'m>, index: usize, known: &impl KnownFacts) -> Option<TileFact> {
        let shape = self.shape(op.result(index)?)?;
        let fact = match op.opcode() {
            Opcode::Constant => self.constant(op, shape),
            Opcode::Iota => iota(shape),
            Opcode::GetTileBlockId => shape.with_range(Range::unsigned(32, 0, MAX_EXTENT - 1)),
            Opcode::GetNumTileBlocks => shape.with_range(Range::unsigned(32, 1, MAX_EXTENT)),
            Opcode::GetTensorShape | Opcode::GetIndexSpaceShape => self.extent(op, index, shape, known)?,
            Opcode::Assume => self.assume(op, known.of(op.operand(0)?)?, shape),
            Opcode::Broadcast => self.broadcast(op, known.of(op.operand(0)?)?, shape)?,
            Opcode::Reshape => self.reshape(op, known.of(op.operand(0)?)?, shape)?,
            Opcode::Permute => self.permute(op, known.of(op.operand(0)?)?, shape),
            Opcode::Extract => {
                let source = known.of(op.operand(0)?)?;
                let axes = source.axes.iter().zip(shape.extents);
                let axes = axes.map(|(axis, extent)| TileFact::shorten(axis, extent.unsigned_abs(), shape.unit())).collect();
                TileFact { axes, ..source }
            }
            Opcode::Cat | Opcode::Insert => known.of(op.operand(0)?)?.join(&known.of(op.operand(1)?)?, shape.unit()),
            Opcode::LoadPtrTko if op.memory_ordering() == Some(MemoryOrderingSemantics::Weak) => {
                // Equal places hold equal elements: a program in which another access could come between two reads of one place races.
                let operands = op.operands().iter().filter(|value| self.shape(**value).is_some());
                let facts = operands.map(|value| known.of(*value)).collect::<Option<Vec<_>>>()?;
                let facts: Vec<&TileFact> = facts.iter().collect();
                TileFact { axes: TileFact::elementwise(&facts, Divisor::ONE), ..shape.unknown() }
            }
            _ => match elem_op(op, &self.tables.types) {
                Some(elem_op) => {
                    let facts = op.operands().iter().map(|value| known.of(*value)).collect::<Option<Vec<_>>>()?;
                    self.elementwise(elem_op, op, &facts, shape)
                }
                None => shape.unknown(),
            },
        };
        Some(fact.agree(shape.extents))
    }

    fn constant(self, op: OpRef<'m>, shape: Shape<'m>) -> TileFact {
        let AttrValue::Const(data) = op.attr(AttrName::Value) else { return shape.unknown() };
        let bytes = self.tables.constants.bytes(data);
        let count: u64 = shape.extents.iter().map(|extent| extent.unsigned_abs()).product();
        let uniform = shape.extents.iter().map(|n| Axis { constancy: n.unsigned_abs(), contiguity: 1, divisor: Divisor::ONE }).collect();
        let Some(bits) = shape.int_bits() else {
            let is_splat = bytes.len() as u64 * 8 <= u64::from(shape.elem.bits()).next_multiple_of(8);
            return if is_splat { TileFact { axes: uniform, ..shape.unknown() } } else { shape.unknown() };
        };
        let elements: Vec<u64> = match bits {
            // Eight elements share a byte; a single one for more elements stands for all of them (FORMAT section 6).
            1 if bytes.len() == 1 && count > 8 => vec![u64::from(bytes[0] & 1)],
            1 => (0..count as usize).filter_map(|i| bytes.get(i / 8).map(|byte| u64::from(byte >> (i % 8) & 1))).collect(),
            _ => bytes.chunks(bits.div_ceil(8) as usize).map(little_endian).collect(),
        };
        let ranges = elements.iter().map(|element| Range::constant(bits, *element));
        let divisor = elements.iter().map(|element| Divisor::of(*element)).min().unwrap_or_default();
        let Some(range) = ranges.reduce(Range::join) else { return shape.unknown() };
        let axes = match &elements[..] {
            [_] => uniform,
            elements if shape.extents.len() == 1 && elements.len() as u64 == count => Box::new([axis_of(elements, bits)]),
            _ => shape.extents.iter().map(|_| Axis::unknown(divisor)).collect(),
        };
        TileFact { range: Some(range), divisor, axes }
    }

    /// What a promise adds (SEMANTICS c.11).
    fn assume(self, op: OpRef<'m>, mut fact: TileFact, shape: Shape<'m>) -> TileFact {
        let AttrValue::Attr(predicate) = op.attr(AttrName::Predicate) else { return fact };
        match self.tables.attrs.get(predicate) {
            AttrData::DivBy { divisor, every: None, .. } => {
                fact.divisor = fact.divisor.max(Divisor::of(*divisor));
            }
            AttrData::DivBy { divisor, every: Some(every), along: Some(along) } => {
                let axis = usize::try_from(*along).ok().and_then(|d| Some((fact.axes.get_mut(d)?, shape.extents[d].unsigned_abs())));
                if let Some((axis, extent)) = axis
                    && *every > 0
                {
                    let group = Divisor::of(every.unsigned_abs()).get().min(extent);
                    let promised = Axis { constancy: 1, contiguity: group, divisor: Divisor::of(*divisor) };
                    // Groups of another length than a power of two are cut into some that are.
                    let first = if every.unsigned_abs() == group {
                        promised.divisor
                    } else {
                        promised.divisor.min(Divisor::of(group).times(shape.unit()))
                    };
                    if group > axis.contiguity && axis.constancy == 1 {
                        *axis = Axis { divisor: first, ..promised };
                    } else if group <= axis.contiguity {
                        axis.divisor = axis.divisor.max(first);
                    }
                }
            }
            AttrData::SameElements(groups) => {
                for ((axis, group), extent) in fact.axes.iter_mut().zip(groups).zip(shape.extents) {
                    let group = Divisor::of((*group).max(1).unsigned_abs()).get().min(extent.unsigned_abs());
                    axis.constancy = axis.constancy.max(group);
                }
            }
            AttrData::Bounded { lower, upper } => {
                if let Some(range) = &mut fact.range {
                    let bounds = Range::signed(range.bits(), lower.unwrap_or(i64::MIN), upper.unwrap_or(i64::MAX));
                    *range = range.meet(bounds);
                }
            }
            _ => {}
        }
        fact
    }

    fn broadcast(self, op: OpRef<'m>, source: TileFact, shape: Shape<'m>) -> Option<TileFact> {
        let from = self.shape(op.operand(0)?)?;
        let axes = source.axes.iter().zip(from.extents.iter().zip(shape.extents)).map(|(axis, (from, to))| match from == to {
            true => *axis,
            false => Axis { constancy: to.unsigned_abs(), contiguity: 1, divisor: source.divisor },
        });
        Some(TileFact { axes: axes.collect(), ..source })
    }

    fn permute(self, op: OpRef<'m>, source: TileFact, shape: Shape<'m>) -> TileFact {
        let AttrValue::Attr(permutation) = op.attr(AttrName::Permutation) else { return shape.unknown() };
        let AttrData::I32Array(permutation) = self.tables.attrs.get(permutation) else { return shape.unknown() };
        let axes = permutation.iter().map(|d| usize::try_from(*d).ok().and_then(|d| source.axes.get(d)).copied());
        let Some(axes) = axes.collect() else { return shape.unknown() };
        TileFact { axes, ..source }
    }

    /// Dimensions keep what is known of them where a run of dimensions of the source has the elements of one run of the result: one of
    /// both has one dimension, which is split, or made of several.
    fn reshape(self, op: OpRef<'m>, source: TileFact, shape: Shape<'m>) -> Option<TileFact> {
        let from = self.shape(op.operand(0)?)?;
        let mut axes: Box<[Axis]> = shape.extents.iter().map(|_| Axis::unknown(source.divisor)).collect();
        if source.is_uniform(from.extents) {
            for (axis, extent) in axes.iter_mut().zip(shape.extents) {
                axis.constancy = extent.unsigned_abs();
            }
            return Some(TileFact { axes, ..source });
        }
        for (sources, results) in runs(from.extents, shape.extents) {
            match (&sources[..], &results[..]) {
                ([s], results) => split(&source.axes[*s], results, shape, &mut axes),
                (sources, [r]) => axes[*r] = merge(&source, sources, from, shape.unit()),
                _ => {}
            }
        }
        Some(TileFact { axes, ..source })
    }

    /// An extent of a tensor, or of the index space of a view.
    fn extent(self, op: OpRef<'m>, index: usize, shape: Shape<'m>, known: &impl KnownFacts) -> Option<TileFact> {
        let Some((extent, step)) = self.extent_of(op, index) else { return Some(shape.unknown()) };
        let bits = shape.elem.bits();
        let range = match extent {
            TensorExtent::Static(extent) => Range::constant(64, extent),
            TensorExtent::Dynamic(value) => known.of(value)?.range?.extend_or_same(64),
        };
        let tiles = Range::unsigned(64, range.umin().div_ceil(step), range.umax().div_ceil(step));
        let fact = shape.with_range(if bits == 64 { tiles } else { tiles.trunci(bits) });
        match extent {
            TensorExtent::Dynamic(value) if step == 1 => Some(TileFact { divisor: fact.divisor.max(known.of(value)?.divisor), ..fact }),
            _ => Some(fact),
        }
    }

    /// The extent that a result of `get_tensor_shape` or `get_index_space_shape` comes from, and what it is divided by.
    fn extent_of(self, op: OpRef<'m>, index: usize) -> Option<(TensorExtent, u64)> {
        let types = &self.tables.types;
        let source = op.operand(0)?;
        let (tensor, dimension, step) = match types.get(self.body.ty(source)) {
            TypeData::PartitionView { tile, dim_map, .. } => {
                (self.body.defining_op(source)?.operand(0)?, *dim_map.get(index)?, *tile.get(index)?)
            }
            TypeData::StridedView { traversal_strides, dim_map, .. } => {
                (self.body.defining_op(source)?.operand(0)?, *dim_map.get(index)?, *traversal_strides.get(index)?)
            }
            TypeData::GatherScatterView { .. } => (self.body.defining_op(source)?.operand(0)?, i32::try_from(index).ok()?, 1),
            TypeData::TensorView { .. } => (source, i32::try_from(index).ok()?, 1),
            _ => return None,
        };
        let TypeData::TensorView { shape, .. } = types.get(self.body.ty(tensor)) else { return None };
        let (dimension, step) = (usize::try_from(dimension).ok()?, u64::try_from(step).ok().filter(|step| *step > 0)?);
        let extent = *shape.get(dimension)?;
        if extent != DYNAMIC {
            return Some((TensorExtent::Static(extent.cast_unsigned()), step));
        }
        // A promise may stand between the tensor and its making.
        let mut maker = self.body.defining_op(tensor)?;
        while maker.opcode() == Opcode::Assume {
            maker = self.body.defining_op(maker.operand(0)?)?;
        }
        let nth = shape[..dimension].iter().filter(|extent| **extent == DYNAMIC).count();
        Some((TensorExtent::Dynamic(*maker.operand_named("dynamicShape").get(nth)?), step))
    }

    fn elementwise(self, elem_op: ElemOp, op: OpRef<'m>, facts: &[TileFact], shape: Shape<'m>) -> TileFact {
        let all: Vec<&TileFact> = facts.iter().collect();
        // Floats are no multiples of anything.
        let divisor = if shape.elem.float().is_some() { Divisor::ONE } else { divisor_of(elem_op, facts) };
        let bits = facts.first().and_then(|fact| fact.range).map_or(64, Range::bits);
        let axes = match (elem_op, facts) {
            (ElemOp::AddI, [a, b]) => a.sum(b, Divisor::ONE, true),
            (ElemOp::SubI, [a, b]) => a.sum(b, Divisor::ONE, false),
            (ElemOp::Offset(size), [pointer, index]) => pointer.sum(&scaled(index, size), shape.unit(), true),
            (ElemOp::Copy, [a]) => self.same_bits(op, a, shape),
            (ElemOp::ExtI(signed), [a]) => extended(a, signed),
            (ElemOp::TruncI, [a]) => a.axes.clone(),
            (ElemOp::Select, [condition, a, b]) => selected(condition, a, b, shape.unit()),
            (ElemOp::CmpI(predicate, signed), [a, b]) => compared(predicate, aligned_bits(bits, signed), a, b),
            (ElemOp::RemI(_) | ElemOp::And | ElemOp::DivI(..) | ElemOp::Shr(_), [a, b]) => grouped(elem_op, bits, a, b, divisor),
            _ => TileFact::elementwise(&all, divisor),
        };
        TileFact { range: shape.int_bits().map(|bits| range_of(elem_op, facts, bits)), divisor, axes }
    }

    /// Bits that are read as another type: neighbours stay apart as far as they were.
    fn same_bits(self, op: OpRef<'m>, source: &TileFact, shape: Shape<'m>) -> Box<[Axis]> {
        let from = op.operand(0).and_then(|value| self.shape(value));
        let counts = |elem: Elem| elem.is_int() || elem == Elem::Ptr;
        match from {
            Some(from) if from.unit.is_some() && from.unit == shape.unit && counts(from.elem) && counts(shape.elem) => source.axes.clone(),
            _ => TileFact::elementwise(&[source], source.divisor),
        }
    }
}

/// An extent of a tensor.
#[derive(Clone, Copy)]
enum TensorExtent {
    Static(u64),
    Dynamic(Value),
}

impl Range {
    /// Widened to `bits`, read as unsigned, if it is not that wide.
    fn extend_or_same(self, bits: u32) -> Range {
        if self.bits() == bits { self } else { self.exti(bits, false) }
    }
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

fn iota(shape: Shape<'_>) -> TileFact {
    let (Some(bits), [extent]) = (shape.int_bits(), shape.extents) else { return shape.unknown() };
    let extent = extent.unsigned_abs();
    let axis = Axis { constancy: 1, contiguity: extent, divisor: Divisor::ANY };
    TileFact { range: Some(Range::unsigned(bits, 0, extent - 1)), divisor: Divisor::ONE, axes: Box::new([axis]) }
}

/// How the elements of a constant run: the longest groups that are powers of two.
fn axis_of(elements: &[u64], bits: u32) -> Axis {
    let mask = u64::MAX >> (64 - bits);
    let longest = |fits: &dyn Fn(u64, u64) -> bool| {
        let (mut longest, mut group) = (1, 2);
        while group <= elements.len() && elements.chunks(group).all(|group| group.windows(2).all(|pair| fits(pair[0], pair[1]))) {
            (longest, group) = (group, group * 2);
        }
        longest
    };
    let contiguity = longest(&|a, b| a.wrapping_add(1) & mask == b);
    let divisor = elements.chunks(contiguity).map(|group| Divisor::of(group[0])).min().unwrap_or_default();
    Axis { constancy: longest(&|a, b| a == b) as u64, contiguity: contiguity as u64, divisor }
}

/// The runs of dimensions of two shapes that hold the same elements, without dimensions of extent 1.
fn runs(from: &[i64], to: &[i64]) -> Vec<(Vec<usize>, Vec<usize>)> {
    let dims = |extents: &[i64]| -> Vec<(usize, i64)> { extents.iter().copied().enumerate().filter(|(_, n)| *n != 1).collect() };
    let (from, to) = (dims(from), dims(to));
    let (mut from, mut to) = (from.iter().peekable(), to.iter().peekable());
    let mut all = Vec::new();
    while let (Some((s, extent)), Some((r, other))) = (from.next(), to.next()) {
        let (mut sources, mut results, mut a, mut b) = (vec![*s], vec![*r], *extent, *other);
        while a != b {
            let (next, dims, product) = if a < b { (from.next(), &mut sources, &mut a) } else { (to.next(), &mut results, &mut b) };
            // Both shapes have the same number of elements, so there is a next one.
            let Some((d, extent)) = next else { return all };
            dims.push(*d);
            *product *= extent;
        }
        all.push((sources, results));
    }
    all
}

/// A dimension that becomes several: groups lie inside of the last one, or are made of whole ones.
fn split(axis: &Axis, results: &[usize], shape: Shape<'_>, axes: &mut [Axis]) {
    let mut inner = 1;
    for r in results.iter().rev() {
        let extent = shape.extents[*r].unsigned_abs();
        if inner == 1 {
            axes[*r] = TileFact::shorten(axis, extent, shape.unit());
        } else {
            axes[*r].constancy = (axis.constancy / inner).clamp(1, extent);
        }
        inner *= extent;
    }
}

/// Several dimensions that become one: its groups are those of the last one, and longer where that is constant as a whole.
fn merge(source: &TileFact, sources: &[usize], from: Shape<'_>, unit: Divisor) -> Axis {
    let Some((last, others)) = sources.split_last() else { return Axis::unknown(source.divisor) };
    let axis = source.axes[*last];
    let mut constancy = axis.constancy;
    let mut whole = from.extents[*last].unsigned_abs();
    for d in others.iter().rev() {
        if constancy < whole {
            break;
        }
        constancy = whole * source.axes[*d].constancy;
        whole *= from.extents[*d].unsigned_abs();
    }
    if constancy > axis.constancy {
        return Axis { constancy, contiguity: 1, divisor: source.divisor };
    }
    TileFact::shorten(&axis, from.extents[*last].unsigned_abs(), unit)
}

/// What results of an elementwise operation are divisible by.
fn divisor_of(op: ElemOp, facts: &[TileFact]) -> Divisor {
    match (op, facts) {
        (ElemOp::AddI | ElemOp::SubI | ElemOp::Or | ElemOp::Xor | ElemOp::MaxI(_) | ElemOp::MinI(_), [a, b]) => a.divisor.min(b.divisor),
        (ElemOp::Select, [_, a, b]) => a.divisor.min(b.divisor),
        (ElemOp::MulI, [a, b]) => a.divisor.times(b.divisor),
        (ElemOp::And, [a, b]) => a.divisor.max(b.divisor),
        (ElemOp::Shl, [a, count]) => {
            let least = count.range.map_or(0, |range| range.umin().min(64) as u32);
            a.divisor.times(Divisor::power(least))
        }
        (ElemOp::Shr(_), [a, count]) => match count.as_constant() {
            Some(count) if count < 64 => a.divisor.over(count as u32),
            _ => Divisor::ONE,
        },
        (ElemOp::DivI(signed, _), [a, b]) => power_of_two(b, signed).map_or(Divisor::ONE, |power| a.divisor.over(power)),
        // A remainder differs from the dividend by a multiple of the divisor; by 0, it is the dividend.
        (ElemOp::RemI(_), [a, b]) => a.divisor.min(b.divisor),
        (ElemOp::Offset(size), [pointer, index]) => pointer.divisor.min(index.divisor.times(Divisor::of(size))),
        (ElemOp::AbsI | ElemOp::NegI | ElemOp::ExtI(_) | ElemOp::TruncI, [a]) => a.divisor,
        (ElemOp::Copy, [a]) => a.divisor,
        _ => Divisor::ONE,
    }
}

/// The exponent of the positive power of two that all elements are.
fn power_of_two(fact: &TileFact, signed: bool) -> Option<u32> {
    let range = fact.range?;
    let value = range.as_constant().filter(|value| value.is_power_of_two())?;
    (!signed || range.smin() > 0).then(|| value.trailing_zeros())
}

fn range_of(op: ElemOp, facts: &[TileFact], bits: u32) -> Range {
    let unary = |apply: &dyn Fn(Range) -> Range| facts[0].range.map_or(Range::full(bits), apply);
    let binary = |apply: &dyn Fn(Range, Range) -> Range| match (facts[0].range, facts[1].range) {
        (Some(a), Some(b)) => apply(a, b),
        _ => Range::full(bits),
    };
    match op {
        ElemOp::AddI => binary(&Range::addi),
        ElemOp::SubI => binary(&Range::subi),
        ElemOp::MulI => binary(&Range::muli),
        ElemOp::And => binary(&Range::andi),
        ElemOp::Or => binary(&Range::ori),
        ElemOp::Xor => binary(&Range::xori),
        ElemOp::Shl => binary(&Range::shli),
        ElemOp::Shr(signed) => binary(&|a, b| a.shri(b, signed)),
        ElemOp::MaxI(signed) => binary(&|a, b| a.maxi(b, signed)),
        ElemOp::MinI(signed) => binary(&|a, b| a.mini(b, signed)),
        ElemOp::RemI(signed) => binary(&|a, b| a.remi(b, signed)),
        ElemOp::DivI(signed, rounding) => {
            let rounding = match rounding {
                RoundingMode::NegativeInf => Quotient::Floor,
                RoundingMode::PositiveInf => Quotient::Ceil,
                _ => Quotient::Zero,
            };
            binary(&|a, b| a.divi(b, signed, rounding))
        }
        ElemOp::NegI => unary(&Range::negi),
        ElemOp::AbsI => unary(&Range::absi),
        ElemOp::ExtI(signed) => unary(&|a| a.exti(bits, signed)),
        ElemOp::TruncI => unary(&|a| a.trunci(bits)),
        ElemOp::CmpI(predicate, signed) => binary(&|a, b| Range::truth(decided(predicate, signed, a, b))),
        ElemOp::Select => match (facts[0].as_constant(), facts[1].range, facts[2].range) {
            (Some(chosen), Some(a), Some(b)) => {
                if chosen & 1 == 1 {
                    a
                } else {
                    b
                }
            }
            (None, Some(a), Some(b)) => a.join(b),
            _ => Range::full(bits),
        },
        ElemOp::Copy => facts[0].range.filter(|range| range.bits() == bits).unwrap_or(Range::full(bits)),
        _ => Range::full(bits),
    }
}

/// Whether a comparison of numbers of these ranges holds, if that is known.
pub(super) fn decided(predicate: ComparisonPredicate, signed: bool, a: Range, b: Range) -> Option<bool> {
    use ComparisonPredicate as P;
    let bounds = |range: Range| -> (i128, i128) {
        if signed { (range.smin().into(), range.smax().into()) } else { (range.umin().into(), range.umax().into()) }
    };
    let ((a_low, a_high), (b_low, b_high)) = (bounds(a), bounds(b));
    let less = if a_high < b_low {
        Some(true)
    } else if a_low >= b_high {
        Some(false)
    } else {
        None
    };
    let greater = if a_low > b_high {
        Some(true)
    } else if a_high <= b_low {
        Some(false)
    } else {
        None
    };
    let equal = match (a.as_constant(), b.as_constant()) {
        (Some(a), Some(b)) => Some(a == b),
        _ => (a_high < b_low || a_low > b_high).then_some(false),
    };
    match predicate {
        P::Equal => equal,
        P::NotEqual => equal.map(|equal| !equal),
        P::LessThan => less,
        P::GreaterThanOrEqual => less.map(|less| !less),
        P::GreaterThan => greater,
        P::LessThanOrEqual => greater.map(|greater| !greater),
    }
}

/// Indices as bytes. An index that wraps at its width would not be contiguous as an address.
fn scaled(index: &TileFact, size: u64) -> TileFact {
    let size = Divisor::of(size);
    let axes = extended(index, true);
    let axes = axes.iter().map(|axis| Axis { divisor: axis.divisor.times(size), ..*axis });
    TileFact { range: index.range, divisor: index.divisor.times(size), axes: axes.collect() }
}

/// The exponent of the longest groups, beginning at multiples of their length, in which no number of this width is followed by a smaller one.
fn aligned_bits(bits: u32, signed: bool) -> u32 {
    if signed { bits - 1 } else { bits }
}

/// Numbers that are widened stay contiguous where no group wraps: because it begins at a multiple of its length, or because no number
/// is the largest one.
fn extended(source: &TileFact, signed: bool) -> Box<[Axis]> {
    let wraps = source.range.is_none_or(|range| {
        let full = Range::full(range.bits());
        if signed { range.smax() == full.smax() } else { range.umax() == full.umax() }
    });
    let axes = source.axes.iter().map(|axis| {
        if !wraps || axis.contiguity == 1 {
            return *axis;
        }
        let bits = source.range.map_or(64, Range::bits);
        let group = TileFact::aligned_group(axis, aligned_bits(bits, signed));
        Axis { constancy: axis.constancy, contiguity: group, divisor: axis.divisor_at(group, Divisor::ONE).max(source.divisor) }
    });
    axes.collect()
}

fn selected(condition: &TileFact, a: &TileFact, b: &TileFact, unit: Divisor) -> Box<[Axis]> {
    let either = a.join(b, unit);
    let axes = either.axes.iter().zip(&condition.axes).map(|(axis, condition)| TileFact::shorten(axis, condition.constancy, unit));
    axes.collect()
}

/// Comparisons have one answer for a group of neighbours where a multiple of the group's length is compared with numbers between two
/// such multiples.
fn compared(predicate: ComparisonPredicate, power: u32, a: &TileFact, b: &TileFact) -> Box<[Axis]> {
    use ComparisonPredicate as P;
    let axes = a.axes.iter().zip(&b.axes).map(|(a, b)| {
        let group = |run: &Axis, bound: &Axis| {
            TileFact::aligned_group(run, power).min(bound.constancy).min(if bound.contiguity == 1 { bound.divisor.get() } else { 1 })
        };
        let together = match predicate {
            P::LessThan | P::GreaterThanOrEqual => group(a, b),
            P::GreaterThan | P::LessThanOrEqual => group(b, a),
            P::Equal | P::NotEqual => 1,
        };
        Axis { constancy: a.constancy.min(b.constancy).max(together), contiguity: 1, divisor: Divisor::ONE }
    });
    axes.collect()
}

/// Quotients and remainders of contiguous numbers by a power of two: neighbours have the same quotient, and count in the remainder.
fn grouped(op: ElemOp, bits: u32, a: &TileFact, b: &TileFact, divisor: Divisor) -> Box<[Axis]> {
    let non_negative = a.range.is_some_and(Range::is_non_negative);
    let value = b.as_constant();
    // The power of two, and whether the operation gives the quotient; it gives the remainder else.
    let by_power = match op {
        ElemOp::Shr(signed) => value.map(|count| (count.min(aligned_bits(bits, signed).into()) as u32, true)),
        ElemOp::DivI(signed, rounding) => {
            let downward = rounding == RoundingMode::NegativeInf || rounding == RoundingMode::Zero && (!signed || non_negative);
            power_of_two(b, signed).filter(|_| downward).map(|power| (power, true))
        }
        ElemOp::RemI(signed) => power_of_two(b, signed).filter(|_| !signed || non_negative).map(|power| (power, false)),
        ElemOp::And => match value {
            Some(mask) if mask.wrapping_add(1).is_power_of_two() => Some((mask.count_ones(), false)),
            Some(mask) if mask != 0 => Some((mask.trailing_zeros(), true)),
            _ => None,
        },
        _ => None,
    };
    let Some((power, quotient)) = by_power else { return TileFact::elementwise(&[a, b], divisor) };
    let axes = a.axes.iter().zip(&b.axes).map(|(a, b)| {
        let group = TileFact::aligned_group(a, power);
        let constancy = a.constancy.min(b.constancy);
        match quotient {
            true => Axis { constancy: constancy.max(group), contiguity: 1, divisor },
            false => Axis { constancy, contiguity: group, divisor: TileFact::shorten(a, group, Divisor::ONE).divisor },
        }
    });
    axes.collect()
}
