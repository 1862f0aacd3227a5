//! Making vector code.

use crate::{
    code::{Axis, Carried, Code, Count, Fold, Item, Kind, Loop, Param, ParamKind, Place, Value, Variability, While},
    hoist,
    prim::{Lane, Prim},
    simplify, unused,
    verify::{Finding, verify},
};
use std::collections::HashMap;

/// Makes a [`Code`] item by item.
///
/// Loops are opened and closed; what is added in between is their body. Equal constants are one value. Mistakes are told by
/// [`finish`](Builder::finish), which verifies the whole.
#[derive(Clone, Debug)]
pub struct Builder {
    code: Code,
    open: Vec<Open>,
    constants: HashMap<(Lane, u64), Value>,
    /// Constants in the order in which they were asked for.
    order: Vec<(u64, Value)>,
}

/// A loop that is not closed yet, with the items in front of it.
#[derive(Clone, Debug)]
struct Open {
    /// Its kind, index and count; none of a loop of each lane by itself.
    over: Option<(Kind, Axis, Count)>,
    inits: Vec<Value>,
    args: Vec<Value>,
    before: Vec<Item>,
}

impl Builder {
    /// Begins code whose loops over lanes gather in so many lanes: a power of two.
    pub fn new(lanes: u32) -> Builder {
        let code = Code { lanes, params: Vec::new(), values: Vec::new(), axes: 0, body: Vec::new(), streamed: Vec::new(), fetched: None };
        Builder { code, open: Vec::new(), constants: HashMap::new(), order: Vec::new() }
    }

    /// Adds a parameter.
    pub fn param(&mut self, kind: ParamKind) -> Param {
        self.code.params.push(kind);
        Param(self.code.params.len() as u32 - 1)
    }

    /// The type of a value.
    pub fn lane(&self, value: Value) -> Lane {
        self.code.lane(value)
    }

    /// The bits of a value that is a [`constant`](Builder::constant).
    pub fn constant_bits(&self, value: Value) -> Option<u64> {
        self.order.iter().find(|(_, constant)| *constant == value).map(|(bits, _)| *bits)
    }

    /// The bits of a value that the body that is open computes of constants alone.
    pub fn computed_bits(&self, value: Value) -> Option<u64> {
        let mut known: HashMap<Value, u64> = self.order.iter().map(|(bits, constant)| (*constant, *bits)).collect();
        for item in &self.code.body {
            let Item::Prim { result, prim, operands } = item else { continue };
            if let [Some(x), Some(y), Some(z)] = operands.map(|operand| known.get(&operand).copied()) {
                known.insert(*result, prim.of_one(self.lane(operands[prim.arity() - 1]), [x, y, z]));
            }
        }
        known.get(&value).copied()
    }

    fn value(&mut self, lane: Lane, variability: Variability) -> Value {
        self.code.values.push((lane, variability));
        Value(self.code.values.len() as u32 - 1)
    }

    /// What values are that are not the same in all lanes, here.
    fn variability_here(&self) -> Variability {
        if self.in_lanes() { Variability::Varying } else { Variability::Uniform }
    }

    fn in_lanes(&self) -> bool {
        self.open.iter().any(|open| matches!(open.over, Some((Kind::Lanes, ..))))
    }

    fn variability_of(&self, operands: &[Value]) -> Variability {
        let uniform = operands.iter().all(|v| self.code.variability(*v) == Variability::Uniform);
        if uniform { Variability::Uniform } else { self.variability_here() }
    }

    /// Computes `prim` of `operands`.
    ///
    /// # Panics
    ///
    /// Panics if there are not as many operands as the primitive takes.
    pub fn prim(&mut self, prim: Prim, operands: &[Value]) -> Value {
        assert_eq!(operands.len(), prim.arity(), "operands of {prim}");
        let last = operands[operands.len() - 1];
        let variability = self.variability_of(operands);
        let result = self.value(prim.result(self.lane(last)), variability);
        let operand = |n: usize| operands.get(n).copied().unwrap_or(last);
        self.code.body.push(Item::Prim { result, prim, operands: [operand(0), operand(1), operand(2)] });
        result
    }

    /// A number, by its bits.
    pub fn constant(&mut self, lane: Lane, bits: u64) -> Value {
        if let Some(value) = self.constants.get(&(lane, bits)) {
            return *value;
        }
        let result = self.value(lane, Variability::Uniform);
        self.constants.insert((lane, bits), result);
        self.order.push((bits, result));
        result
    }

    /// A number of `f32`.
    pub fn f32(&mut self, number: f32) -> Value {
        self.constant(Lane::F32, number.to_bits().into())
    }

    /// A number that is handed in.
    pub fn scalar(&mut self, param: Param) -> Value {
        let lane = match self.code.params[param.index()] {
            ParamKind::Lane(lane) => lane,
            ParamKind::Buffer | ParamKind::Count => Lane::I64,
        };
        let result = self.value(lane, Variability::Uniform);
        self.code.body.push(Item::Scalar { result, param });
        result
    }

    /// The index of a loop that is open.
    pub fn index(&mut self, axis: Axis, lane: Lane) -> Value {
        let lanes = self.open.iter().any(|open| matches!(open.over, Some((Kind::Lanes, over, _)) if over == axis));
        let result = self.value(lane, if lanes { Variability::Varying } else { Variability::Uniform });
        self.code.body.push(Item::Index { result, axis });
        result
    }

    /// The number that the lowest four bits of `index` name in a table of bits of `f32`.
    pub fn lookup(&mut self, index: Value, table: &[u32; 16]) -> Value {
        let variability = self.variability_of(&[index]);
        let result = self.value(Lane::F32, variability);
        self.code.body.push(Item::Lookup { result, index, table: Box::new(*table) });
        result
    }

    /// Reads memory.
    pub fn load(&mut self, lane: Lane, place: Place, mask: Option<Value>) -> Value {
        let variability = self.variability_here();
        let result = self.value(lane, variability);
        self.code.body.push(Item::Load { result, place, mask });
        result
    }

    /// Writes memory.
    pub fn store(&mut self, value: Value, place: Place, mask: Option<Value>) {
        self.code.body.push(Item::Store { value, place, mask });
    }

    /// Asks for memory of elements of so many bytes that is read later.
    pub fn prefetch(&mut self, place: Place, size: u32) {
        self.code.body.push(Item::Prefetch { place, size });
    }

    /// Reads memory at computed offsets in bytes, which are `i32` or `i64`. Those of 32 bits are as many at once as numbers of 32 bits.
    pub fn gather(&mut self, lane: Lane, buffer: Param, offsets: Value, mask: Option<Value>) -> Value {
        let variability = self.variability_here();
        let result = self.value(lane, variability);
        self.code.body.push(Item::Gather { result, buffer, offsets, mask });
        result
    }

    /// Writes memory at computed offsets in bytes, which are `i32` or `i64`.
    pub fn scatter(&mut self, value: Value, buffer: Param, offsets: Value, mask: Option<Value>) {
        self.code.body.push(Item::Scatter { value, buffer, offsets, mask });
    }

    /// Begins a loop that carries values, which begin as `inits`: its index and the values of the iteration.
    pub fn open(&mut self, kind: Kind, count: Count, inits: &[Value]) -> (Axis, Vec<Value>) {
        let axis = Axis(self.code.axes);
        self.code.axes += 1;
        let lanes = kind == Kind::Lanes || self.in_lanes();
        let args: Vec<Value> = inits
            .iter()
            .map(|init| {
                let (lane, variability) = self.code.values[init.index()];
                self.value(lane, if lanes { Variability::Varying } else { variability })
            })
            .collect();
        self.push(Some((kind, axis, count)), inits, &args);
        (axis, args)
    }

    fn push(&mut self, over: Option<(Kind, Axis, Count)>, inits: &[Value], args: &[Value]) {
        let before = std::mem::take(&mut self.code.body);
        self.open.push(Open { over, inits: inits.to_vec(), args: args.to_vec(), before });
    }

    fn pop(&mut self, nexts: &[Value], result: impl Fn(Variability) -> Variability) -> (Open, Vec<Carried>) {
        let open = self.open.pop().expect("a loop is open");
        assert_eq!(nexts.len(), open.inits.len(), "values that the loop carries");
        let carried = (0..nexts.len())
            .map(|i| {
                let (lane, variability) = self.code.values[open.args[i].index()];
                let result = self.value(lane, result(variability));
                Carried { init: open.inits[i], arg: open.args[i], next: nexts[i], result }
            })
            .collect();
        (open, carried)
    }

    /// Begins a loop of each lane by itself, which carries values that begin as `inits`, the first of them a mask: what the repetition gets.
    pub fn open_while(&mut self, inits: &[Value]) -> Vec<Value> {
        let variability = self.variability_here();
        let args: Vec<Value> = inits.iter().map(|init| self.value(self.lane(*init), variability)).collect();
        self.push(None, inits, &args);
        args
    }

    /// Ends the loop that was opened last, by [`open_while`](Builder::open_while): what the lanes had when they ended.
    ///
    /// # Panics
    ///
    /// Panics if no such loop is open, or it carries another number of values.
    pub fn close_while(&mut self, limit: u32, nexts: &[Value]) -> Vec<Value> {
        let (open, carried) = self.pop(nexts, |variability| variability);
        assert!(open.over.is_none(), "the loop was opened by `open_while`");
        let body = std::mem::replace(&mut self.code.body, open.before);
        let results = carried.iter().map(|c| c.result).collect();
        self.code.body.push(Item::While(While { limit, carried, body }));
        results
    }

    /// Ends the loop that was opened last, by [`open`](Builder::open), whose iterations hand on `nexts`: what the last one handed on.
    ///
    /// # Panics
    ///
    /// Panics if no such loop is open, or it carries another number of values.
    pub fn close(&mut self, nexts: &[Value]) -> Vec<Value> {
        let lanes = matches!(self.open.last(), Some(Open { over: Some((Kind::Lanes, ..)), .. }));
        let (open, carried) = self.pop(nexts, |variability| if lanes { Variability::Partial } else { variability });
        let (kind, axis, count) = open.over.expect("the loop was opened by `open`");
        let body = std::mem::replace(&mut self.code.body, open.before);
        let results = carried.iter().map(|c| c.result).collect();
        self.code.body.push(Item::Loop(Loop { kind, axis, count, carried, body }));
        results
    }

    /// Combines partial values. `combine` gets the values of the lower and the upper lanes and gives as many.
    pub fn fold(&mut self, partials: &[Value], combine: impl FnOnce(&mut Builder, &[Value], &[Value]) -> Vec<Value>) -> Vec<Value> {
        let mut side = || -> Vec<Value> {
            let of = |b: &mut Builder, p: &Value| {
                let lane = b.lane(*p);
                b.value(lane, Variability::Uniform)
            };
            partials.iter().map(|p| of(self, p)).collect()
        };
        let (lower, upper) = (side(), side());
        let before = std::mem::take(&mut self.code.body);
        let combined = combine(self, &lower, &upper);
        let body = std::mem::replace(&mut self.code.body, before);
        let results: Vec<Value> = partials.iter().map(|p| self.value(self.code.lane(*p), Variability::Uniform)).collect();
        let fold = Fold { partials: partials.to_vec(), lower, upper, body, combined, results: results.clone() };
        self.code.body.push(Item::Fold(fold));
        results
    }

    /// The code, simplified, with all constants at its begin, and without what computes and is not read.
    ///
    /// # Errors
    ///
    /// The first rule that it breaks.
    ///
    /// # Panics
    ///
    /// Panics if a loop is open.
    pub fn finish(self) -> Result<Code, Finding> {
        let mut code = self.finish_as_built()?;
        simplify::simplify(&mut code);
        unused::remove(&mut code);
        hoist::hoist(&mut code);
        debug_assert_eq!(verify(&code), Ok(()), "simpler code is valid:\n{code}");
        Ok(code)
    }

    /// The code, with all constants at its begin: each item as it was added, for tests of what carries out code.
    ///
    /// # Errors
    ///
    /// The first rule that it breaks.
    ///
    /// # Panics
    ///
    /// Panics if a loop is open.
    pub fn finish_as_built(mut self) -> Result<Code, Finding> {
        assert!(self.open.is_empty(), "all loops are closed");
        let constants = self.order.iter().map(|(bits, result)| Item::Const { result: *result, bits: *bits });
        let body = std::mem::take(&mut self.code.body);
        self.code.body = constants.chain(body).collect();
        verify(&self.code)?;
        Ok(self.code)
    }
}
