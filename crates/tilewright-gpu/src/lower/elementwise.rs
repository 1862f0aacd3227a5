//! Elementwise operations: the primitives that vector code has for them.

use super::{Lowerer, Tile, bits::I4};
use crate::thread::{End, Target, Value};
use std::{collections::HashMap, sync::Arc};
use tilewright_passes::{elem::Elem, elementwise::ElemOp};
use tilewright_vector::{
    Builder, Code, Item, Lane, ParamKind, Place, While,
    lower::{Held, lower, memory_lane_of},
};

/// An operation on one element as vector code: its operands are parameters, and what it stores is its result.
pub(super) fn element_code(op: ElemOp, sources: &[Elem], result: Elem, known: &[Option<u64>]) -> Option<Code> {
    let mut builder = Builder::new(8);
    let mut operands = Vec::new();
    for (elem, bits) in sources.iter().zip(known) {
        let lane = memory_lane_of(*elem)?;
        let param = builder.param(ParamKind::Lane(lane));
        operands.push(Held::bits(match bits {
            Some(bits) => builder.constant(lane, *bits),
            None => builder.scalar(param),
        }));
    }
    let out = builder.param(ParamKind::Buffer);
    let bits = lower(&mut builder, op, sources, result, &mut operands)?.to_bits(&mut builder, result);
    builder.store(bits, Place::of(out), None);
    Some(builder.finish().expect("lowering gives valid code"))
}

/// The code of operations that were lowered, with what is known of their operands.
#[derive(Default)]
pub(super) struct ElementCodes {
    codes: Vec<ElementCode>,
}

struct ElementCode {
    op: ElemOp,
    sources: Vec<Elem>,
    result: Elem,
    known: Vec<Option<u64>>,
    /// None if the operation is not lowered.
    code: Option<Arc<Code>>,
}

impl ElementCodes {
    fn get(&mut self, op: ElemOp, sources: &[Elem], result: Elem, known: &[Option<u64>]) -> Option<Arc<Code>> {
        let same = |c: &&ElementCode| c.op == op && c.sources == sources && c.result == result && c.known == known;
        if let Some(found) = self.codes.iter().find(same) {
            return found.code.clone();
        }
        let code = element_code(op, sources, result, known).map(Arc::new);
        self.codes.push(ElementCode { op, sources: sources.to_vec(), result, known: known.to_vec(), code: code.clone() });
        code
    }
}

impl Lowerer<'_> {
    /// Does an operation on the elements of tiles of one shape; `None` if it is not lowered.
    pub(super) fn elementwise(&mut self, op: ElemOp, operands: &[Tile], result: Elem) -> Option<Tile> {
        let shape = operands[0].shape.clone();
        let layout = operands.iter().find(|tile| !tile.is_splat).unwrap_or(&operands[0]).layout.clone();
        let operands: Vec<Tile> = operands.iter().map(|tile| self.convert(tile, &layout)).collect();
        let sources: Vec<Elem> = operands.iter().map(|tile| tile.elem).collect();
        let is_splat = operands.iter().all(|tile| tile.is_splat);
        let count = if is_splat { 1 } else { layout.registers() as usize };
        let mut registers = Vec::with_capacity(count);
        for register in 0..count {
            let values: Vec<Value> = operands.iter().map(|tile| tile.registers[register]).collect();
            registers.push(self.element(op, &sources, result, &values)?);
        }
        if is_splat {
            registers = vec![registers[0]; layout.registers() as usize];
        }
        Some(Tile { elem: result, shape, layout, registers, is_splat })
    }

    /// Does an operation on one element.
    pub(super) fn element(&mut self, op: ElemOp, sources: &[Elem], result: Elem, values: &[Value]) -> Option<Value> {
        if result == I4 || sources.contains(&I4) {
            return self.element_of_4_bits(op, sources, result, values);
        }
        if let Some(value) = self.native(op, sources, result, values) {
            return Some(value);
        }
        let known: Vec<Option<u64>> = values.iter().map(|value| self.b.constant_bits(*value)).collect();
        let code = self.codes.get(op, sources, result, &known)?;
        let mut inlined = HashMap::new();
        self.inline(&code, code.body(), values, &mut inlined)
    }

    /// Adds what code does; gives what it stores.
    fn inline(
        &mut self,
        code: &Code,
        items: &[Item],
        params: &[Value],
        inlined: &mut HashMap<tilewright_vector::Value, Value>,
    ) -> Option<Value> {
        let mut stored = None;
        for item in items {
            match item {
                Item::Const { result, bits } => {
                    let value = self.b.constant(code.lane(*result), *bits);
                    inlined.insert(*result, value);
                }
                Item::Scalar { result, param } => {
                    inlined.insert(*result, params[param.index()]);
                }
                Item::Prim { result, prim, operands } => {
                    let operands: Vec<Value> = operands[..prim.arity()].iter().map(|value| inlined[value]).collect();
                    let value = self.extreme(*prim, &operands).unwrap_or_else(|| self.b.prim(*prim, &operands));
                    inlined.insert(*result, value);
                }
                Item::Lookup { result, index, table } => {
                    let value = self.b.lookup(inlined[index], table);
                    inlined.insert(*result, value);
                }
                Item::Store { value, .. } => stored = Some(inlined[value]),
                Item::While(inner) => self.inline_while(code, inner, params, inlined)?,
                _ => return None,
            }
        }
        stored
    }

    /// A loop of each lane by itself is a loop of the thread.
    fn inline_while(
        &mut self,
        code: &Code,
        inner: &While,
        params: &[Value],
        inlined: &mut HashMap<tilewright_vector::Value, Value>,
    ) -> Option<()> {
        let lanes: Vec<Lane> = inner.carried.iter().map(|carried| code.lane(carried.arg)).collect();
        let counted: Vec<Lane> = lanes.iter().copied().chain([Lane::I32]).collect();
        let (header, at_header) = self.b.block(&counted);
        let (body, _) = self.b.block(&[]);
        let (exit, after) = self.b.block(&lanes);
        let zero = self.i32(0);
        let inits: Vec<Value> = inner.carried.iter().map(|carried| inlined[&carried.init]).chain([zero]).collect();
        self.b.jump(header, inits);
        self.b.continue_in(header);
        let (rounds, carried_values) = at_header.split_last().expect("the count is there");
        let limit = self.i32(inner.limit);
        let early = self.b.prim(tilewright_vector::Prim::LtU, &[*rounds, limit]);
        let goes_on = self.b.prim(tilewright_vector::Prim::MAnd, &[carried_values[0], early]);
        self.b.end(End::Branch {
            condition: goes_on,
            then: Target { label: body, args: Vec::new() },
            otherwise: Target { label: exit, args: carried_values.to_vec() },
        });
        self.b.continue_in(body);
        for (carried, value) in inner.carried.iter().zip(carried_values) {
            inlined.insert(carried.arg, *value);
        }
        self.inline(code, &inner.body, params, inlined);
        let one = self.i32(1);
        let next_round = self.b.prim(tilewright_vector::Prim::Add, &[*rounds, one]);
        let nexts: Vec<Value> = inner.carried.iter().map(|carried| inlined[&carried.next]).chain([next_round]).collect();
        self.b.jump(header, nexts);
        self.b.continue_in(exit);
        for (carried, value) in inner.carried.iter().zip(after) {
            inlined.insert(carried.result, value);
        }
        Some(())
    }
}
