//! What of the results of an operation that only computes is undefined.

use crate::{
    lanes::Lanes,
    rules,
    state::{At, State},
    undefined::{self, Shadow, shadow, united, wholly},
};
use tilewright_exec::Step;
use tilewright_ir::{AttrData, AttrName, AttrValue, OpRef, Opcode, TypeTable, Value};
use tilewright_passes::elementwise::elem_op;

/// The extents of a value, if it is a tile.
fn shape(types: &TypeTable, op: OpRef<'_>, value: Value) -> Option<Vec<usize>> {
    let (_, shape) = types.as_tile(op.body().ty(value))?;
    shape.iter().map(|extent| usize::try_from(*extent).ok()).collect()
}

fn extents(types: &TypeTable, op: OpRef<'_>, value: Option<Value>) -> Vec<usize> {
    value.and_then(|value| shape(types, op, value)).unwrap_or_default()
}

impl<'m> State<'m> {
    /// An operation that only computes: checks it, and finds what of its results is undefined.
    pub(crate) fn compute(&mut self, at: At, step: &Step<'_>, op: OpRef<'m>) {
        let shadows = self.shadows(at, op.operands());
        self.check_arithmetic(at, step, &shadows);
        let slice = match op.opcode() {
            Opcode::Extract | Opcode::Insert => self.slice(at, step, op),
            _ => None,
        };
        let all_defined = shadows.iter().all(Option::is_none);
        for (i, result) in op.results().enumerate() {
            let shadow = if all_defined { None } else { self.result_shadow(step, op, i, &shadows, slice.as_deref()) };
            self.set_shadow(at, result, shadow);
        }
    }

    /// The first element of the slice that `extract` or `insert` names.
    fn slice(&mut self, at: At, step: &Step<'_>, op: OpRef<'m>) -> Option<Vec<usize>> {
        let types = &self.module.tables.types;
        self.sink(at, op.operand_named("indices"), &rules::UNDEFINED_INDEX, "the index of a slice depends on an undefined value");
        let (source, result) = (extents(types, op, op.operand(0)), extents(types, op, op.result(0)));
        match op.opcode() {
            Opcode::Extract => self.check_slice(at, step, 1, (&result, &source)),
            _ => self.check_slice(at, step, 2, (&source, &result)),
        }
    }

    fn result_shadow(&self, step: &Step<'_>, op: OpRef<'m>, index: usize, shadows: &[Shadow], slice: Option<&[usize]>) -> Shadow {
        let types = &self.module.tables.types;
        let result = extents(types, op, op.result(index));
        let source = extents(types, op, op.operand(0));
        let len = result.iter().product();
        let dim = || op.int(AttrName::Dim).and_then(|dim| usize::try_from(dim).ok()).unwrap_or(0);
        match op.opcode() {
            Opcode::Reshape | Opcode::Assume => shadows[0].clone(),
            Opcode::Broadcast => undefined::broadcast(shadows[0].as_deref()?, &source, &result),
            Opcode::Permute => {
                let AttrValue::Attr(permutation) = op.attr(AttrName::Permutation) else { return wholly(shadows, len) };
                let AttrData::I32Array(permutation) = self.module.tables.attrs.get(permutation) else { return wholly(shadows, len) };
                let permutation: Vec<usize> = permutation.iter().map(|dim| dim.unsigned_abs() as usize).collect();
                undefined::permute(shadows[0].as_deref()?, &source, &result, &permutation)
            }
            Opcode::Extract => match slice {
                Some(first) => undefined::extract(shadows[0].as_deref()?, &source, &result, first),
                None => wholly(shadows, len),
            },
            Opcode::Insert => match slice {
                Some(first) => undefined::insert((&shadows[0], &source), (&shadows[1], &result), first),
                None => wholly(shadows, len),
            },
            Opcode::Cat => {
                let mut first = vec![0; result.len()];
                let whole = undefined::insert((&shadows[0], &source), (&None, &result), &first);
                first[dim()] = source[dim()];
                let rhs = extents(types, op, op.operand(1));
                undefined::insert((&shadows[1], &rhs), (&whole, &result), &first)
            }
            Opcode::Reduce => undefined::fold(united(shadows).as_deref()?, &source, dim(), None),
            Opcode::Scan => undefined::fold(united(shadows).as_deref()?, &source, dim(), Some(op.flag(AttrName::Reverse))),
            Opcode::MmaF | Opcode::MmaI => {
                let rhs = extents(types, op, op.operand(1));
                undefined::product([(&shadows[0], &source), (&shadows[1], &rhs)], &shadows[2], &result)
            }
            Opcode::MmaFScaled => {
                let shape = |i: usize| extents(types, op, op.operand(i));
                let product = undefined::product([(&shadows[0], &source), (&shadows[1], &shape(1))], &shadows[2], &result);
                undefined::product([(&shadows[3], &shape(3)), (&shadows[4], &shape(4))], &product, &result)
            }
            Opcode::Pack | Opcode::Unpack => {
                let from = shadows[0].as_deref()?;
                let count = source.iter().product::<usize>();
                shadow(Lanes::of(len, |i| (i * count / len..((i + 1) * count).div_ceil(len)).any(|j| from.lanes.contains(j))), &from.origin)
            }
            Opcode::Select => self.select(step, shadows, len),
            Opcode::AndI | Opcode::OrI | Opcode::MulI => self.absorbed(step, op, shadows, len),
            _ if elem_op(op, types).is_some() => united(shadows),
            _ => wholly(shadows, len),
        }
    }

    /// An element is that of the value that the condition chooses.
    fn select(&self, step: &Step<'_>, shadows: &[Shadow], len: usize) -> Shadow {
        let Some(condition) = step.operand(0).map(|condition| condition.bits()) else { return wholly(shadows, len) };
        let origin = &shadows.iter().flatten().next()?.origin;
        let undefined = |shadow: &Shadow, i: usize| shadow.as_ref().is_some_and(|shadow| shadow.lanes.contains(i));
        let chosen = |i: usize| if condition[i] & 1 == 1 { &shadows[1] } else { &shadows[2] };
        let lanes = Lanes::of(len, |i| undefined(&shadows[0], i) || undefined(chosen(i), i));
        let origin = shadows.iter().flatten().find(|shadow| lanes.iter().any(|i| shadow.lanes.contains(i))).map_or(origin, |s| &s.origin);
        shadow(lanes, origin)
    }

    /// Where the result is the same whatever one operand is, as that of a product with zero is, it is defined.
    fn absorbed(&self, step: &Step<'_>, op: OpRef<'m>, shadows: &[Shadow], len: usize) -> Shadow {
        let tiles = [step.operand(0), step.operand(1)].map(|tile| tile.map(|tile| tile.bits()));
        let [Some(lhs), Some(rhs)] = tiles else { return wholly(shadows, len) };
        let origin = &shadows.iter().flatten().next()?.origin;
        let width = step.operand(0).and_then(|tile| tile.scalar()).map_or(64, |scalar| scalar.bits());
        let mask = !0u64 >> (64 - width);
        let absorbs = |bits: u64| if op.opcode() == Opcode::OrI { bits & mask == mask } else { bits & mask == 0 };
        let undefined = |shadow: &Shadow, i: usize| shadow.as_ref().is_some_and(|shadow| shadow.lanes.contains(i));
        let lanes = Lanes::of(len, |i| match (undefined(&shadows[0], i), undefined(&shadows[1], i)) {
            (true, false) => !absorbs(rhs[i]),
            (false, true) => !absorbs(lhs[i]),
            (both, _) => both,
        });
        shadow(lanes, origin)
    }
}
