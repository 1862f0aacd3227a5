//! Regions, blocks and the names of values.
//!
//! A region's blocks, operations and values stand together in a module, but the text has those of inner regions among them. They are
//! collected while the region is open and are put in their place when it ends.

use super::{Parsed, Parser, scan::error};
use crate::{
    ir::{BlockData, Ir, OpData, RegionData, Span, Value},
    tables::TypeId,
};
use foldhash::{HashMap, HashMapExt as _};

/// A region that is being read.
pub(super) struct Scope<'s> {
    /// Whether it sees no values of the regions around it.
    is_isolated: bool,
    blocks: Vec<OpenBlock>,
    /// The numbers of the values that it defines, in their order.
    values: Vec<u32>,
    names: HashMap<&'s str, Definition>,
    /// Uses of what is not defined yet.
    pending: Vec<Use<'s>>,
    /// The numbers of blocks, in the order in which they are named.
    block_names: HashMap<&'s str, u32>,
    /// Of each number, which block it is, once that is known.
    block_indices: Vec<Option<u32>>,
    /// Where each number was first used.
    block_uses: Vec<std::ops::Range<usize>>,
}

/// The results of an operation, or an argument.
#[derive(Clone, Copy)]
struct Definition {
    first: u32,
    count: u32,
}

struct Use<'s> {
    name: &'s str,
    result: u32,
    ty: TypeId,
    /// In the pool of operands.
    operand: usize,
    place: std::ops::Range<usize>,
}

#[derive(Default)]
struct OpenBlock {
    /// Of the region's values.
    args: Span,
    first_location: u32,
    ops: Vec<OpData>,
}

/// Values by the order in which the text defines them.
#[derive(Default)]
pub(super) struct Values {
    types: Vec<TypeId>,
    /// Where each came to stand, once its region has ended.
    settled: Vec<u32>,
}

impl Values {
    /// Makes operands refer to where values came to stand.
    pub(super) fn settle(&self, ir: &mut Ir) {
        ir.operands.iter_mut().for_each(|operand| *operand = Value(self.settled[operand.index()]));
    }
}

impl<'s> Scope<'s> {
    pub(super) fn new(is_isolated: bool) -> Scope<'s> {
        Scope {
            is_isolated,
            blocks: Vec::new(),
            values: Vec::new(),
            names: HashMap::new(),
            pending: Vec::new(),
            block_names: HashMap::new(),
            block_indices: Vec::new(),
            block_uses: Vec::new(),
        }
    }

    pub(super) fn num_values(&self) -> usize {
        self.values.len()
    }

    /// The number of a block with a name.
    fn block_number(&mut self, name: &'s str, place: std::ops::Range<usize>) -> u32 {
        let next = self.block_indices.len() as u32;
        let number = *self.block_names.entry(name).or_insert(next);
        if number == next {
            self.block_indices.push(None);
            self.block_uses.push(place);
        }
        number
    }
}

impl<'s> Parser<'s, '_> {
    fn scope(&mut self) -> &mut Scope<'s> {
        let last = self.scopes.len() - 1;
        &mut self.scopes[last]
    }

    /// `{ ... }` with blocks.
    pub(super) fn region(&mut self, is_isolated: bool) -> Parsed<RegionData> {
        self.expect("{", "and operations")?;
        self.scopes.push(Scope::new(is_isolated));
        self.nested(|p| {
            while !p.eat("}") {
                match p.peek() {
                    b'^' => p.label()?,
                    0 if p.pos == p.text.len() => return Err(p.unexpected("'}' at the end of the region")),
                    _ => p.operation()?,
                }
            }
            p.close_region()
        })
    }

    /// `^bb1(%arg0: i32):`
    fn label(&mut self) -> Parsed<()> {
        let start = self.pos;
        let name = self.sigil_name("the name of a block")?;
        let place = start..self.pos;
        self.skip_blanks();
        let scope = self.scope();
        let number = scope.block_number(name, place.clone()) as usize;
        let index = scope.blocks.len() as u32;
        if scope.block_indices[number].replace(index).is_some() {
            return Err(error("redefinition", place, format!("^{name} is already defined")));
        }
        scope.blocks.push(OpenBlock::default());
        let first_location = self.ir.arg_locations.len() as u32;
        let first = self.scope().values.len() as u32;
        if self.eat("(") {
            self.list(")", |p| {
                let (name, place) = p.value_name()?;
                p.expect(":", "and the type of the argument")?;
                let ty = p.ty()?;
                let location = p.optional_location()?;
                p.ir.arg_locations.push(location.filter(|&location| p.unknown_location != Some(location)));
                p.define(name, &[ty], place).map(drop)
            })?;
        }
        self.expect(":", "behind the block's name and arguments")?;
        let scope = self.scope();
        let args = Span { start: first, len: scope.values.len() as u32 - first };
        if let Some(block) = scope.blocks.last_mut() {
            (block.args, block.first_location) = (args, first_location);
        }
        Ok(())
    }

    /// `%name`, without blanks skipped behind it.
    pub(super) fn value_name(&mut self) -> Parsed<(&'s str, std::ops::Range<usize>)> {
        let start = self.pos;
        if self.peek() != b'%' {
            return Err(self.unexpected("a value, such as %0"));
        }
        let name = self.sigil_name("a value, such as %0")?;
        let place = start..self.pos;
        self.skip_blanks();
        Ok((name, place))
    }

    /// Defines values under one name; gives where they stand among the region's.
    pub(super) fn define(&mut self, name: &'s str, types: &[TypeId], place: std::ops::Range<usize>) -> Parsed<Span> {
        if self.find(name).is_some() {
            return Err(error("redefinition", place, format!("%{name} is already defined")));
        }
        let first = self.values.types.len() as u32;
        let span = self.define_unnamed(types);
        self.scope().names.insert(name, Definition { first, count: types.len() as u32 });
        Ok(span)
    }

    pub(super) fn define_unnamed(&mut self, types: &[TypeId]) -> Span {
        let first = self.values.types.len() as u32;
        self.values.types.extend(types);
        self.values.settled.resize(self.values.types.len(), u32::MAX);
        let scope = self.scope();
        let start = scope.values.len() as u32;
        scope.values.extend(first..first + types.len() as u32);
        Span { start, len: types.len() as u32 }
    }

    fn find(&self, name: &str) -> Option<Definition> {
        for scope in self.scopes.iter().rev() {
            if let Some(&definition) = scope.names.get(name) {
                return Some(definition);
            }
            if scope.is_isolated {
                break;
            }
        }
        None
    }

    /// Makes an operand of a value.
    pub(super) fn use_value(&mut self, name: &'s str, result: u32, ty: TypeId, place: std::ops::Range<usize>) -> Parsed<()> {
        let operand = self.ir.operands.len();
        self.ir.operands.push(Value(0));
        let one = Use { name, result, ty, operand, place };
        match self.find(name) {
            Some(definition) => self.settle_use(&one, definition),
            None => {
                self.scope().pending.push(one);
                Ok(())
            }
        }
    }

    fn settle_use(&mut self, one: &Use<'s>, definition: Definition) -> Parsed<()> {
        if one.result >= definition.count {
            let message = format!("%{} has {} results, and no number {}", one.name, definition.count, one.result);
            return Err(error("undefined-value", one.place.clone(), message));
        }
        let value = definition.first + one.result;
        if self.values.types[value as usize] != one.ty {
            let message = format!("%{} is defined with another type than it has here", one.name);
            return Err(error("type-mismatch", one.place.clone(), message));
        }
        self.ir.operands[one.operand] = Value(value);
        Ok(())
    }

    /// The number of a block that an operation jumps to.
    pub(super) fn successor(&mut self) -> Parsed<()> {
        let start = self.pos;
        if self.peek() != b'^' {
            return Err(self.unexpected("a block, such as ^bb1"));
        }
        let name = self.sigil_name("a block, such as ^bb1")?;
        let place = start..self.pos;
        self.skip_blanks();
        let number = self.scope().block_number(name, place);
        self.ir.successors.push(number);
        Ok(())
    }

    pub(super) fn push_op(&mut self, op: OpData) {
        let scope = self.scope();
        if scope.blocks.is_empty() {
            scope.blocks.push(OpenBlock::default());
        }
        if let Some(block) = scope.blocks.last_mut() {
            block.ops.push(op);
        }
    }

    /// Ends the innermost region.
    pub(super) fn close_region(&mut self) -> Parsed<RegionData> {
        let Some(mut scope) = self.scopes.pop() else { return Ok(RegionData::default()) };
        self.settle_pending(&mut scope)?;
        if let Some(number) = scope.block_indices.iter().position(Option::is_none) {
            let place = scope.block_uses[number].clone();
            let name = &self.text[place.clone()];
            return Err(error("undefined-value", place, format!("this region has no block {name}")));
        }
        let ir = &mut self.ir;
        let values = Span { start: ir.value_types.len() as u32, len: scope.values.len() as u32 };
        for &value in &scope.values {
            self.values.settled[value as usize] = ir.value_types.len() as u32;
            ir.value_types.push(self.values.types[value as usize]);
        }
        let blocks = Span { start: ir.blocks.len() as u32, len: scope.blocks.len() as u32 };
        for block in &scope.blocks {
            let ops = Span { start: ir.ops.len() as u32, len: block.ops.len() as u32 };
            let args = Span { start: values.start + block.args.start, len: block.args.len };
            ir.blocks.push(BlockData { args, first_location: block.first_location, ops });
            for mut op in block.ops.iter().copied() {
                op.results.start += values.start;
                let successors = ir.more(&op).successors.range();
                for successor in &mut ir.successors[successors] {
                    *successor = scope.block_indices[*successor as usize].unwrap_or_default();
                }
                ir.ops.push(op);
            }
        }
        Ok(RegionData { blocks, values })
    }

    /// Uses of values that are defined behind them, in this region or in one around it.
    fn settle_pending(&mut self, scope: &mut Scope<'s>) -> Parsed<()> {
        let mut outside = Vec::new();
        for one in std::mem::take(&mut scope.pending) {
            match scope.names.get(one.name) {
                Some(&definition) => self.settle_use(&one, definition)?,
                None => outside.push(one),
            }
        }
        let around = if scope.is_isolated { None } else { self.scopes.last_mut() };
        match (around, outside.first()) {
            (Some(around), _) => around.pending.extend(outside),
            (None, Some(one)) => {
                let mut error = error("undefined-value", one.place.clone(), format!("%{} is not defined", one.name));
                if self.scopes.iter().any(|scope| scope.names.contains_key(one.name)) {
                    error.notes.push("a value of this name is defined outside of an operation that sees no values from outside".to_owned());
                }
                return Err(error);
            }
            (None, None) => {}
        }
        Ok(())
    }
}
