//! The rules of vector code.
//!
//! - Values are defined once, before they are read, in the same loop body or around it; loop indices are read inside of their loops.
//! - Operands have the types that the primitive takes; masks are masks, offsets `i32` or `i64`; parameters are what they are used as.
//! - A loop over lanes has none inside. Partial values are read by folds and as what loops begin with, and nothing else.
//! - What a loop hands on has the type of what it got; a combiner only computes, and so does the loop of a lane, whose first value is a mask.
//! - The number of lanes is a power of two from 8 to 256.

use crate::{
    code::{Axis, Code, Count, Fold, Item, Kind, Loop, Param, ParamKind, Place, Value, Variability, While},
    prim::Lane,
};
use std::{error::Error, fmt};

/// A rule that code breaks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "vector code is invalid: {}", self.message)
    }
}

impl Error for Finding {}

type Verdict = Result<(), Finding>;

fn require(holds: bool, message: impl FnOnce() -> String) -> Verdict {
    if holds { Ok(()) } else { Err(Finding { message: message() }) }
}

/// The deepest nest of loops.
pub(crate) const MAX_DEPTH: usize = 8;

pub(crate) fn verify(code: &Code) -> Verdict {
    require(code.lanes.is_power_of_two() && (8..=256).contains(&code.lanes), || format!("{} lanes: 8 to 256, a power of two", code.lanes))?;
    let mut verifier =
        Verifier { code, visible: vec![false; code.values.len()], defined: vec![false; code.values.len()], axes: Vec::new() };
    verifier.items(&code.body)
}

struct Verifier<'a> {
    code: &'a Code,
    visible: Vec<bool>,
    defined: Vec<bool>,
    axes: Vec<(Axis, Kind)>,
}

impl Verifier<'_> {
    /// Verifies a body; what it defines is not seen behind it.
    fn items(&mut self, items: &[Item]) -> Verdict {
        let mut here = Vec::new();
        for item in items {
            self.item(item, &mut here)?;
        }
        here.iter().for_each(|v: &Value| self.visible[v.index()] = false);
        Ok(())
    }

    fn define(&mut self, value: Value, here: &mut Vec<Value>) -> Verdict {
        require(value.index() < self.code.values.len(), || format!("{value} has no type"))?;
        require(!self.defined[value.index()], || format!("{value} is defined twice"))?;
        self.defined[value.index()] = true;
        self.visible[value.index()] = true;
        here.push(value);
        Ok(())
    }

    fn in_lanes(&self) -> bool {
        self.axes.iter().any(|(_, kind)| *kind == Kind::Lanes)
    }

    fn read_any(&self, value: Value) -> Result<Lane, Finding> {
        require(self.visible.get(value.index()) == Some(&true), || format!("{value} is not defined here"))?;
        Ok(self.code.lane(value))
    }

    /// The type of a value that is read as itself.
    fn read(&self, value: Value) -> Result<Lane, Finding> {
        let lane = self.read_any(value)?;
        require(self.code.variability(value) != Variability::Partial, || format!("{value} is partial: only folds and loops read it"))?;
        Ok(lane)
    }

    /// A result computed of `operands` varies if one of them does.
    fn variability(&self, result: Value, operands: &[Value]) -> Verdict {
        let varying = operands.iter().any(|v| self.code.variability(*v) == Variability::Varying);
        let expected = if varying { Variability::Varying } else { Variability::Uniform };
        self.has_variability(result, expected)
    }

    fn has_variability(&self, value: Value, expected: Variability) -> Verdict {
        let found = self.code.variability(value);
        require(found == expected, || format!("{value} is {found:?}, expected {expected:?}"))
    }

    fn mask(&self, mask: Option<Value>) -> Verdict {
        let Some(mask) = mask else { return Ok(()) };
        let lane = self.read(mask)?;
        require(lane == Lane::Mask, || format!("{mask} is no mask but {lane}"))
    }

    fn param(&self, param: Param, kind: ParamKind) -> Verdict {
        let found = self.code.params.get(param.index());
        require(found == Some(&kind), || format!("{param} is {found:?}, expected {kind:?}"))
    }

    fn count(&self, count: Count) -> Verdict {
        match count {
            Count::Const(_) => Ok(()),
            Count::Param(param) => self.param(param, ParamKind::Count),
        }
    }

    fn place(&self, place: &Place) -> Verdict {
        self.param(place.buffer, ParamKind::Buffer)?;
        for (i, term) in place.terms.iter().enumerate() {
            require(self.axes.iter().any(|(axis, _)| *axis == term.axis), || format!("{} is not the index of a loop around", term.axis))?;
            require(place.terms[..i].iter().all(|t| t.axis != term.axis), || format!("{} stands twice in a place", term.axis))?;
            self.count(term.stride)?;
            term.limit.map_or(Ok(()), |limit| self.count(limit))?;
        }
        Ok(())
    }

    fn here(&self) -> Variability {
        if self.in_lanes() { Variability::Varying } else { Variability::Uniform }
    }

    fn item(&mut self, item: &Item, here: &mut Vec<Value>) -> Verdict {
        match item {
            Item::Prim { result, prim, operands } => {
                let operands = &operands[..prim.arity()];
                let lane = self.read(operands[operands.len() - 1])?;
                require(prim.takes(lane), || format!("{prim} does not take {lane}"))?;
                for (n, operand) in operands.iter().enumerate() {
                    let (found, expected) = (self.read(*operand)?, prim.operand(lane, n));
                    require(found == expected, || format!("{operand} is {found}, {prim} takes {expected}"))?;
                }
                self.define(*result, here)?;
                self.of_type(*result, prim.result(lane))?;
                self.variability(*result, operands)
            }
            Item::Const { result, bits } => {
                self.define(*result, here)?;
                let lane = self.code.lane(*result);
                require(bits & !lane.bits() == 0, || format!("{bits:#x} is no {lane}"))?;
                self.has_variability(*result, Variability::Uniform)
            }
            Item::Scalar { result, param } => {
                self.define(*result, here)?;
                self.param(*param, ParamKind::Lane(self.code.lane(*result)))?;
                self.has_variability(*result, Variability::Uniform)
            }
            Item::Index { result, axis } => {
                let kind = self.axes.iter().find(|(a, _)| a == axis).map(|(_, kind)| *kind);
                let Some(kind) = kind else { return require(false, || format!("{axis} is not the index of a loop around")) };
                self.define(*result, here)?;
                let lane = self.code.lane(*result);
                require(matches!(lane, Lane::I32 | Lane::I64), || format!("an index is i32 or i64, not {lane}"))?;
                self.has_variability(*result, if kind == Kind::Lanes { Variability::Varying } else { Variability::Uniform })
            }
            Item::Lookup { result, index, .. } => {
                let lane = self.read(*index)?;
                require(lane == Lane::I32, || format!("{index} is {lane}: a table's index is i32"))?;
                self.define(*result, here)?;
                self.of_type(*result, Lane::F32)?;
                self.variability(*result, &[*index])
            }
            Item::Load { result, place, mask } => {
                self.place(place)?;
                self.mask(*mask)?;
                self.define(*result, here)?;
                self.has_variability(*result, self.here())
            }
            Item::Store { value, place, mask } => {
                self.place(place)?;
                self.mask(*mask)?;
                self.read(*value).map(drop)
            }
            Item::Prefetch { place, size } => {
                require(size.is_power_of_two() && *size <= 8, || format!("elements of {size} bytes"))?;
                self.place(place)
            }
            Item::Gather { result, buffer, offsets, mask } => {
                self.offsets(*buffer, *offsets, *mask)?;
                self.define(*result, here)?;
                self.has_variability(*result, self.here())
            }
            Item::Scatter { value, buffer, offsets, mask } => {
                self.offsets(*buffer, *offsets, *mask)?;
                self.read(*value).map(drop)
            }
            Item::Loop(inner) => self.loop_(inner, here),
            Item::While(inner) => self.while_(inner, here),
            Item::Fold(fold) => self.fold(fold, here),
        }
    }

    fn offsets(&self, buffer: Param, offsets: Value, mask: Option<Value>) -> Verdict {
        self.param(buffer, ParamKind::Buffer)?;
        self.mask(mask)?;
        let lane = self.read(offsets)?;
        require(matches!(lane, Lane::I32 | Lane::I64), || format!("{offsets} is {lane}: offsets are i32 or i64"))
    }

    fn of_type(&self, value: Value, expected: Lane) -> Verdict {
        let found = self.code.lane(value);
        require(found == expected, || format!("{value} is {found}, expected {expected}"))
    }

    fn loop_(&mut self, inner: &Loop, here: &mut Vec<Value>) -> Verdict {
        let lanes = inner.kind == Kind::Lanes;
        require(!(lanes && self.in_lanes()), || format!("{} is a loop over lanes inside of another", inner.axis))?;
        require(self.axes.len() < MAX_DEPTH, || format!("more than {MAX_DEPTH} loops are nested"))?;
        require(self.axes.iter().all(|(axis, _)| *axis != inner.axis) && inner.axis.0 < self.code.axes, || {
            format!("{} is the index of two loops, or of none", inner.axis)
        })?;
        self.count(inner.count)?;
        for carried in &inner.carried {
            self.read_any(carried.init)?;
        }
        self.axes.push((inner.axis, inner.kind));
        let mut inside = Vec::new();
        for carried in &inner.carried {
            self.define(carried.arg, &mut inside)?;
            self.of_type(carried.arg, self.code.lane(carried.init))?;
            let variability = self.code.variability(carried.arg);
            let (varying, partial) = (variability == Variability::Varying, variability == Variability::Partial);
            require(varying == self.in_lanes() && !(partial && lanes), || format!("{} is {variability:?} here", carried.arg))?;
            let init = self.code.variability(carried.init);
            require(init == Variability::Uniform || init == variability || lanes && init == Variability::Partial, || {
                format!("{} is {init:?}, and begins what is {variability:?}", carried.init)
            })?;
        }
        for item in &inner.body {
            self.item(item, &mut inside)?;
        }
        for carried in &inner.carried {
            self.read_any(carried.next)?;
            self.of_type(carried.next, self.code.lane(carried.arg))?;
            let (next, arg) = (self.code.variability(carried.next), self.code.variability(carried.arg));
            require(next == arg || next == Variability::Uniform, || format!("{} is {next:?}, and goes on as {arg:?}", carried.next))?;
        }
        inside.iter().for_each(|v| self.visible[v.index()] = false);
        self.axes.pop();
        for carried in &inner.carried {
            self.define(carried.result, here)?;
            self.of_type(carried.result, self.code.lane(carried.arg))?;
            self.has_variability(carried.result, if lanes { Variability::Partial } else { self.code.variability(carried.arg) })?;
        }
        Ok(())
    }

    fn while_(&mut self, inner: &While, here: &mut Vec<Value>) -> Verdict {
        let first = inner.carried.first().map(|c| self.code.lane(c.init));
        require(first == Some(Lane::Mask), || "the first value of the loop of a lane is a mask".to_owned())?;
        for carried in &inner.carried {
            self.read(carried.init)?;
        }
        let mut inside = Vec::new();
        for carried in &inner.carried {
            self.define(carried.arg, &mut inside)?;
            self.of_type(carried.arg, self.code.lane(carried.init))?;
            self.has_variability(carried.arg, self.here())?;
        }
        for item in &inner.body {
            require(only_computes(item), || "the loop of a lane only computes".to_owned())?;
            self.item(item, &mut inside)?;
        }
        for carried in &inner.carried {
            let lane = self.read(carried.next)?;
            self.of_type(carried.arg, lane)?;
        }
        inside.iter().for_each(|v| self.visible[v.index()] = false);
        for carried in &inner.carried {
            self.define(carried.result, here)?;
            self.of_type(carried.result, self.code.lane(carried.arg))?;
            self.has_variability(carried.result, self.here())?;
        }
        Ok(())
    }

    fn fold(&mut self, fold: &Fold, here: &mut Vec<Value>) -> Verdict {
        require(!self.in_lanes(), || "a fold stands outside of loops over lanes".to_owned())?;
        let n = fold.partials.len();
        let all = [fold.lower.len(), fold.upper.len(), fold.combined.len(), fold.results.len()];
        require(all == [n; 4], || "a fold combines as many values as it gets and gives".to_owned())?;
        let mut inside = Vec::new();
        for i in 0..n {
            let lane = self.read_any(fold.partials[i])?;
            self.has_variability(fold.partials[i], Variability::Partial)?;
            for side in [fold.lower[i], fold.upper[i]] {
                self.define(side, &mut inside)?;
                self.of_type(side, lane)?;
                self.has_variability(side, Variability::Uniform)?;
            }
        }
        for item in &fold.body {
            require(only_computes(item) || matches!(item, Item::While(_)), || "a combiner only computes".to_owned())?;
            self.item(item, &mut inside)?;
        }
        for i in 0..n {
            let lane = self.read(fold.combined[i])?;
            self.of_type(fold.partials[i], lane)?;
        }
        inside.iter().for_each(|v| self.visible[v.index()] = false);
        for i in 0..n {
            self.define(fold.results[i], here)?;
            self.of_type(fold.results[i], self.code.lane(fold.partials[i]))?;
            self.has_variability(fold.results[i], Variability::Uniform)?;
        }
        Ok(())
    }
}

/// Whether the item does nothing but compute, without repeating.
fn only_computes(item: &Item) -> bool {
    matches!(item, Item::Prim { .. } | Item::Lookup { .. } | Item::Const { .. } | Item::Scalar { .. })
}
