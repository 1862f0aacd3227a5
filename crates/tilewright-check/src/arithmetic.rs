//! Operations that are undefined for some operands, and promises about values.

use crate::{
    conditions::{Condition, conditions, signed},
    lanes::coordinates,
    rules::{self, Rule},
    state::{At, Spot, State, Violation},
    undefined::Shadow,
};
use tilewright_exec::{OperandTile, Step};
use tilewright_ir::{AttrData, AttrName, AttrValue, DYNAMIC, Opcode, Scalar, TypeData};
use tilewright_passes::elem::memory_bits;

/// The operands of an elementwise operation, each element that repeats once.
struct Operands {
    extents: Vec<usize>,
    bits: Vec<Vec<u64>>,
}

/// Bits of an integer type.
fn width(tile: OperandTile<'_>) -> u32 {
    tile.scalar().map_or(64, |scalar| scalar.bits())
}

impl Operands {
    fn new(step: &Step<'_>, count: usize) -> Option<Operands> {
        let tiles: Vec<OperandTile<'_>> = (0..count).map(|i| step.operand(i)).collect::<Option<_>>()?;
        let mut extents = vec![1; tiles[0].shape().len()];
        for tile in &tiles {
            for ((extent, whole), repeats) in extents.iter_mut().zip(tile.shape()).zip(tile.repeats()) {
                if !repeats {
                    *extent = *whole;
                }
            }
        }
        let bits = tiles.iter().map(|tile| tile.bits_of(&extents)).collect();
        Some(Operands { extents, bits })
    }
}

impl State<'_> {
    /// Checks an operation whose operands are there.
    pub(crate) fn check_arithmetic(&mut self, at: At, step: &Step<'_>, shadows: &[Shadow]) {
        let op = self.op(at);
        match op.opcode() {
            Opcode::Assume => self.check_assumption(at, step, shadows),
            Opcode::MmaFScaled => self.check_scales(at, step, shadows),
            Opcode::Reduce | Opcode::Scan => self.check_fold(at, step, shadows),
            _ => {
                for Condition { rule, operands, wrong } in conditions(op, &self.module.tables.types) {
                    self.each(at, step, operands, shadows, rule, wrong);
                }
            }
        }
    }

    /// Looks at each element of an elementwise operation, but for those that are undefined, and reports the first that breaks a rule.
    fn each(
        &mut self,
        at: At,
        step: &Step<'_>,
        count: usize,
        shadows: &[Shadow],
        rule: &'static Rule,
        wrong: impl Fn(&[u64]) -> Option<String>,
    ) {
        let Some(operands) = Operands::new(step, count) else { return };
        let Some(shape) = step.operand(0).map(|tile| tile.shape().to_vec()) else { return };
        let undefined = |i: usize| {
            let position = {
                let at = coordinates(i, &operands.extents);
                at.iter().zip(crate::lanes::row_major(&shape)).map(|(i, stride)| i * stride).sum::<usize>()
            };
            shadows.iter().flatten().any(|shadow| shadow.lanes.contains(position))
        };
        let mut first: Option<(usize, String)> = None;
        let mut elements = 0;
        let mut values = vec![0; count];
        let n = operands.extents.iter().product();
        for i in 0..n {
            values.iter_mut().zip(&operands.bits).for_each(|(value, bits)| *value = bits[i]);
            if let Some(message) = wrong(&values)
                && !undefined(i)
            {
                elements += 1;
                first.get_or_insert((i, message));
            }
        }
        if let Some((i, message)) = first {
            let element = Some(coordinates(i, &operands.extents));
            let elements = elements * (shape.iter().product::<usize>() / n.max(1)) as u64;
            self.violation(at, Violation { elements, spot: Spot::element(element), ..Violation::new(rule, message) });
        }
    }

    /// Looks for negative scales, which are the last two operands.
    fn check_scales(&mut self, at: At, step: &Step<'_>, shadows: &[Shadow]) {
        for (operand, side) in [(3, "lhs"), (4, "rhs")] {
            let Some(tile) = step.operand(operand).filter(|tile| tile.scalar() == Some(Scalar::F8E4M3FN)) else { continue };
            // The sign, and neither zero nor NaN.
            let is_negative = |bits: u64| bits & 0x80 != 0 && !matches!(bits & 0x7f, 0 | 0x7f);
            let is_defined = |position: &usize| !shadows[operand].as_ref().is_some_and(|shadow| shadow.lanes.contains(*position));
            let bits = tile.bits();
            let found: Vec<usize> = (0..bits.len()).filter(|i| is_negative(bits[*i])).filter(is_defined).collect();
            let Some(first) = found.first() else { continue };
            let message = format!("a scale of the {side} is negative");
            let spot = Spot::element(Some(coordinates(*first, tile.shape())));
            self.violation(at, Violation { elements: found.len() as u64, spot, ..Violation::new(&rules::NEGATIVE_SCALE, message) });
        }
    }

    fn check_assumption(&mut self, at: At, step: &Step<'_>, shadows: &[Shadow]) {
        let AttrValue::Attr(predicate) = self.op(at).attr(AttrName::Predicate) else { return };
        let predicate = self.module.tables.attrs.get(predicate);
        let Some(tile) = step.operand(0).filter(|_| !self.is_immaterial(at)) else { return };
        let (width, is_pointer) = (width(tile), tile.scalar().is_none());
        let number = |bits: u64| if is_pointer { i128::from(bits) } else { signed(bits, width) };
        match predicate {
            AttrData::DivBy { divisor, every: Some(every), along: Some(along) } => {
                let unit = if is_pointer { self.pointee_bytes(at) } else { 1 };
                let (every, along) = (every.unsigned_abs().max(1) as usize, along.unsigned_abs() as usize);
                self.grouped(at, tile, shadows, |values, position, element| {
                    let (bits, shape) = values;
                    let i = element[along];
                    let value = number(bits[position]);
                    if i.is_multiple_of(every) {
                        let divides = value.rem_euclid(i128::from(*divisor)) == 0;
                        return (!divides).then(|| format!("{value}, the first of its group, is not divisible by {divisor}"));
                    }
                    let before = number(bits[position - crate::lanes::row_major(shape)[along]]);
                    let next = if is_pointer { before + unit } else { signed((before + unit) as u64, width) };
                    (value != next).then(|| format!("{value} does not follow {before}"))
                });
            }
            AttrData::DivBy { divisor, .. } => self.each(at, step, 1, shadows, &rules::FALSE_ASSUMPTION, |values| {
                let value = number(values[0]);
                let divides = value.rem_euclid(i128::from(*divisor)) == 0;
                (!divides).then(|| match is_pointer {
                    true => format!("the address {value:#x} is not divisible by {divisor}"),
                    false => format!("{value} is not divisible by {divisor}"),
                })
            }),
            AttrData::Bounded { lower, upper } => self.each(at, step, 1, shadows, &rules::FALSE_ASSUMPTION, |values| {
                let value = signed(values[0], width);
                let below = lower.filter(|lower| value < i128::from(*lower)).map(|lower| format!("{value} is less than {lower}"));
                below.or_else(|| upper.filter(|upper| value > i128::from(*upper)).map(|upper| format!("{value} is more than {upper}")))
            }),
            AttrData::SameElements(groups) => {
                let groups: Vec<usize> = groups.iter().map(|group| (*group).max(1) as usize).collect();
                self.grouped(at, tile, shadows, |(bits, shape), position, element| {
                    let first = element.iter().zip(&groups).zip(crate::lanes::row_major(shape));
                    let first: usize = first.map(|((i, group), stride)| i / group * group * stride).sum();
                    let (value, other) = (number(bits[position]), number(bits[first]));
                    (value != other).then(|| format!("{value} and {other} stand in one group"))
                });
            }
            _ => {}
        }
    }

    /// Whether a value is only the stride of a dimension with one element, which nothing depends on. cuTile assumes of such strides what does
    /// not hold.
    fn is_immaterial(&self, at: At) -> bool {
        let op = self.op(at);
        if op.operand(0).and_then(|value| op.body().defining_op(value)).is_none_or(|maker| maker.opcode() != Opcode::Constant) {
            return false;
        }
        let types = &self.module.tables.types;
        let (mut material, mut is_stride) = (false, false);
        op.body().walk(|user| {
            for operand in user.operands().iter().filter(|operand| Some(**operand) == op.result(0)) {
                let view = user.result(0).filter(|_| user.opcode() == Opcode::MakeTensorView).map(|view| types.get(user.body().ty(view)));
                let Some(TypeData::TensorView { shape, strides, .. }) = view else {
                    material = true;
                    continue;
                };
                is_stride = true;
                let dynamic = strides.iter().zip(shape).filter(|(stride, _)| **stride == DYNAMIC);
                let given = user.operand_named("dynamicStrides").iter().zip(dynamic);
                material |= user.operand_named("dynamicShape").contains(operand);
                material |= given.into_iter().any(|(stride, (_, extent))| stride == operand && *extent != 1);
            }
        });
        is_stride && !material
    }

    /// Looks at each element of a tile, with all others.
    fn grouped(
        &mut self,
        at: At,
        tile: OperandTile<'_>,
        shadows: &[Shadow],
        wrong: impl Fn((&[u64], &[usize]), usize, &[usize]) -> Option<String>,
    ) {
        let (bits, shape) = (tile.bits(), tile.shape());
        let mut first: Option<(Vec<usize>, String)> = None;
        let mut elements = 0;
        for position in 0..bits.len() {
            let element = coordinates(position, shape);
            if let Some(message) = wrong((&bits, shape), position, &element)
                && !shadows.iter().flatten().any(|shadow| shadow.lanes.contains(position))
            {
                elements += 1;
                first.get_or_insert((element, message));
            }
        }
        if let Some((element, message)) = first {
            self.violation(
                at,
                Violation { elements, spot: Spot::element(Some(element)), ..Violation::new(&rules::FALSE_ASSUMPTION, message) },
            );
        }
    }

    fn pointee_bytes(&self, at: At) -> i128 {
        let op = self.op(at);
        let types = &self.module.tables.types;
        let pointee =
            op.operand(0).and_then(|value| types.as_tile(op.body().ty(value))).and_then(|(element, _)| match types.get(element) {
                TypeData::Pointer { pointee, .. } => types.scalar(*pointee).and_then(memory_bits),
                _ => None,
            });
        i128::from(pointee.unwrap_or(8) / 8)
    }

    /// Checks the indices of a slice; gives the coordinates of its first element, and none if there is no such slice.
    pub(crate) fn check_slice(&mut self, at: At, step: &Step<'_>, first: usize, (part, whole): (&[usize], &[usize])) -> Option<Vec<usize>> {
        let mut start = Vec::new();
        for (dim, (part, whole)) in part.iter().zip(whole).enumerate() {
            let index = step.operand(first + dim).map_or(0, |index| index.first());
            let count = (whole / part) as u64;
            if index >= count {
                let message = format!("index {index} along dimension {dim}, which has {count} slices");
                self.violation(at, Violation::new(&rules::SLICE_INDEX, message));
                return None;
            }
            start.push(index as usize * part);
        }
        Some(start)
    }
}
