//! The body of the coarser entry, made operation by operation.

use super::{
    Refusal,
    access::Beside,
    classes::{Affine, Class, Classes},
    stored::Stored,
};
use crate::facts::IntegerFacts;
use std::collections::HashMap;
use tilewright_ir::{
    AttrValue, Block, Body, Builder, IntegerOverflow, Loc, NewOp, Op, OpRef, Opcode, Place, Tables, Type, TypeData, Value, ValueDef,
    Version,
};

/// A coarser body.
#[derive(Debug)]
pub(super) struct Lifted {
    pub(super) body: Body,
    /// The first version that has all that it uses.
    pub(super) version: Version,
}

/// What stands for a value in the new body.
#[derive(Clone, Copy, Default, Debug)]
struct Stand {
    /// What the first member has, which all have if the value is uniform.
    first: Option<Value>,
    /// What all members have, side by side along the first dimension, or along the one that stores want ([`Stored`]).
    all: Option<Value>,
    /// The number of the group, for the number of the block, in its type.
    group: Option<Value>,
}

pub(super) struct Lifter<'m> {
    pub(super) tables: &'m mut Tables,
    pub(super) from: &'m Body,
    pub(super) facts: &'m IntegerFacts,
    pub(super) classes: &'m Classes,
    pub(super) stored: Stored,
    /// How many members a group has.
    pub(super) lanes: i64,
    pub(super) version: Version,
    body: Body,
    /// Where operations are added.
    place: Place,
    /// The location of the operation that is lifted.
    loc: Option<Loc>,
    /// By old value.
    stands: Vec<Stand>,
    /// Blocks that are still to be filled, with the old ones.
    pending: Vec<(Block, Block)>,
    /// Views with wider tiles that were made, by the old view.
    pub(super) wide_views: HashMap<(Value, Beside), Value>,
}

/// Makes the coarser body of a function of which all operations have a rule.
pub(super) fn lift(tables: &mut Tables, from: &Body, facts: &IntegerFacts, classes: &Classes) -> Result<Lifted, Refusal> {
    let Some(entry) = from.entry_block() else { return Err(Refusal::general("the function has no body")) };
    let mut body = Body::new();
    let types: Vec<Type> = from.args(entry).map(|argument| from.ty(argument)).collect();
    let block = body.add_block(body.root(), &types);
    let stored = Stored::new(tables, from, facts, classes);
    let mut lifter = Lifter {
        tables,
        from,
        facts,
        classes,
        stored,
        lanes: i64::from(classes.coarsening.factor),
        version: Version::V13_1,
        body,
        place: Place::End(block),
        loc: None,
        stands: vec![Stand::default(); from.num_values()],
        pending: vec![(entry, block)],
        wide_views: HashMap::new(),
    };
    // Blocks of regions come after all of the block around them, which defines what they use.
    while let Some((old, new)) = lifter.pending.pop() {
        lifter.fill(old, new)?;
    }
    Ok(Lifted { body: lifter.body.in_order(), version: lifter.version })
}

impl Lifter<'_> {
    fn fill(&mut self, old: Block, new: Block) -> Result<(), Refusal> {
        let from = self.from;
        self.place = Place::End(new);
        let arguments: Vec<Value> = self.body.args(new).collect();
        for (argument, made) in from.args(old).zip(arguments) {
            let defined = self.define(argument, made);
            defined.map_err(|reason| Refusal::general(&reason))?;
        }
        for op in from.ops(old) {
            self.loc = op.loc();
            self.op(op).map_err(|reason| Refusal::at(op, reason))?;
        }
        Ok(())
    }

    fn op(&mut self, op: OpRef<'_>) -> Result<(), String> {
        if self.classes.is_in_fold(op.id()) {
            return self.copy(op);
        }
        match op.opcode() {
            Opcode::GetTileBlockId => return self.ids(op),
            Opcode::LoadViewTko | Opcode::StoreViewTko => return self.view_access(op),
            Opcode::LoadPtrTko | Opcode::StorePtrTko => return self.pointer_access(op),
            // Each member has its own, wherever it is.
            Opcode::AtomicRMWTko => return self.lift_as_is(op, op.attrs()),
            Opcode::For | Opcode::Loop | Opcode::If => return self.structured(op),
            Opcode::Continue | Opcode::Break | Opcode::Yield => return self.terminator(op),
            _ => {}
        }
        let varies = match op.results().len() {
            0 => !self.classes.are_uniform(op.operands()),
            _ => op.results().any(|result| self.classes.of(result) == Class::Varying),
        };
        if varies { self.varying(op) } else { self.copy(op) }
    }

    /// What the first member has; for a uniform value, what all have.
    pub(super) fn first(&self, value: Value) -> Result<Value, String> {
        self.stands[value.index()].first.ok_or_else(|| "an operand depends on the block where it must not".to_owned())
    }

    /// What all members have, in a tile with one dimension more. What is the same for all is repeated once, where it is defined.
    pub(super) fn all(&mut self, value: Value) -> Result<Value, String> {
        if let Some(all) = self.stands[value.index()].all {
            return Ok(all);
        }
        let first = self.first(value)?;
        let (element, shape) = self.tile_of(self.from.ty(value))?;
        let all = self.behind(first, |lifter| lifter.repeated(first, element, &shape))?;
        self.define_all(value, all);
        Ok(all)
    }

    /// Adds operations right behind the definition of a value of the new body, so that all see them who see the value.
    pub(super) fn behind<R>(&mut self, value: Value, add: impl FnOnce(&mut Self) -> R) -> R {
        let (block, next) = match self.body.value_def(value) {
            ValueDef::Result(op, _) => (self.body.op(op).block(), self.body.op(op).next().map(|next| next.id())),
            ValueDef::Argument(block, _) => (Some(block), self.body.ops(block).next().map(|first| first.id())),
        };
        let here = self.place;
        self.place = next.map(Place::Before).or(block.map(Place::End)).unwrap_or(here);
        let added = add(self);
        self.place = here;
        added
    }

    /// The number of the group, if the value is the number of the block.
    pub(super) fn group_of(&self, value: Value) -> Option<Value> {
        self.stands[value.index()].group
    }

    /// A tile once for each member.
    pub(super) fn repeated(&mut self, value: Value, element: Type, shape: &[i64]) -> Result<Value, String> {
        let mut extents = vec![1];
        extents.extend(shape);
        let once = self.reshape(value, element, &extents)?;
        extents[0] = self.lanes;
        let ty = self.tile_type(element, &extents)?;
        Ok(self.value(Opcode::Broadcast, &[once], &[], ty))
    }

    /// Lets a value of the new body stand for an old one of its class.
    pub(super) fn define(&mut self, old: Value, made: Value) -> Result<(), String> {
        match self.classes.of(old) {
            Class::Uniform => self.stands[old.index()].first = Some(made),
            Class::Varying => self.stands[old.index()].all = Some(made),
            Class::Affine(affine) => {
                let all = self.members(made, self.from.ty(old), affine)?;
                let stand = &mut self.stands[old.index()];
                (stand.first, stand.all) = (Some(made), Some(all));
            }
        }
        Ok(())
    }

    pub(super) fn define_first(&mut self, old: Value, made: Value) {
        self.stands[old.index()].first = Some(made);
    }

    pub(super) fn define_all(&mut self, old: Value, made: Value) {
        self.stands[old.index()].all = Some(made);
    }

    /// Lets the results of an operation stand for those of an old one.
    pub(super) fn define_results(&mut self, old: OpRef<'_>, made: Op) -> Result<(), String> {
        let made: Vec<Value> = self.body.op(made).results().collect();
        old.results().zip(made).try_for_each(|(old, made)| self.define(old, made))
    }

    /// The integers of all members, of which the first has this one.
    fn members(&mut self, first: Value, ty: Type, affine: Affine) -> Result<Value, String> {
        let (element, _) = self.tile_of(ty)?;
        let lanes = self.tile_type(element, &[self.lanes])?;
        let wraps = [AttrValue::Enum(IntegerOverflow::None as u8)];
        let mut distance = self.value(Opcode::Iota, &[], &[], lanes);
        if affine.step != 1 {
            let step = self.integer(ty, affine.step)?;
            let step = self.repeated(step, element, &[])?;
            distance = self.value(Opcode::MulI, &[distance, step], &wraps, lanes);
        }
        let first = self.repeated(first, element, &[])?;
        Ok(self.value(Opcode::AddI, &[first, distance], &wraps, lanes))
    }

    /// The operation as it is, for the first member.
    pub(super) fn copy(&mut self, op: OpRef<'_>) -> Result<(), String> {
        let operands: Vec<Value> = op.operands().iter().map(|operand| self.first(*operand)).collect::<Result<_, _>>()?;
        let types: Vec<Type> = op.results().map(|result| self.from.ty(result)).collect();
        let made = self.make(op, &operands, op.attrs(), &types)?;
        self.define_results(op, made)?;
        if op.opcode() == Opcode::ExtI || op.opcode() == Opcode::Assume {
            self.copy_group(op);
        }
        Ok(())
    }

    /// The number of the group, in the type of the result.
    fn copy_group(&mut self, op: OpRef<'_>) {
        let (Some(operand), Some(result)) = (op.operand(0), op.result(0)) else { return };
        let Some(group) = self.group_of(operand) else { return };
        let group = match op.opcode() {
            Opcode::Assume => group,
            opcode => self.value(opcode, &[group], op.attrs(), self.from.ty(result)),
        };
        self.stands[result.index()].group = Some(group);
    }

    /// The operation on all members at once, with one dimension more.
    pub(super) fn lift_as_is(&mut self, op: OpRef<'_>, attrs: &[AttrValue]) -> Result<(), String> {
        let operands: Vec<Value> = op.operands().iter().map(|operand| self.all_of_tiles(*operand)).collect::<Result<_, _>>()?;
        let types: Vec<Type> = op.results().map(|result| self.lifted_type(self.from.ty(result))).collect::<Result<_, _>>()?;
        let made = self.make(op, &operands, attrs, &types)?;
        self.define_results(op, made)
    }

    /// What all members have of a tile; what all share of anything else.
    fn all_of_tiles(&mut self, value: Value) -> Result<Value, String> {
        let is_tile = self.tables.types.as_tile(self.from.ty(value)).is_some();
        if is_tile { self.all(value) } else { self.first(value) }
    }

    /// The number of the block.
    fn ids(&mut self, op: OpRef<'_>) -> Result<(), String> {
        let types: Vec<Type> = op.results().map(|result| self.from.ty(result)).collect();
        let made = self.make(op, &[], op.attrs(), &types)?;
        for (axis, result) in op.results().enumerate() {
            let id = self.result_of(made, axis);
            if axis != self.classes.coarsening.axis {
                self.define_first(result, id);
                continue;
            }
            let factor = self.integer(types[axis], self.lanes)?;
            let first = self.value(Opcode::MulI, &[id, factor], &[AttrValue::Enum(IntegerOverflow::None as u8)], types[axis]);
            self.define(result, first)?;
            self.stands[result.index()].group = Some(id);
        }
        Ok(())
    }

    /// Adds an operation like an old one, with regions that are still to be filled.
    pub(super) fn make(&mut self, op: OpRef<'_>, operands: &[Value], attrs: &[AttrValue], results: &[Type]) -> Result<Op, String> {
        let new = NewOp { opcode: op.opcode(), operands, present: op.present_operands(), split: op.split(), attrs, results, loc: op.loc() };
        let made = self.body.insert_op(self.place, new);
        let regions: Vec<_> = op.regions().zip(self.body.op(made).regions()).collect();
        for (old, new) in regions {
            for block in self.from.blocks(old) {
                let types: Vec<Type> = self.from.args(block).map(|argument| self.class_type(argument)).collect::<Result<_, _>>()?;
                let made = self.body.add_block(new, &types);
                self.pending.push((block, made));
            }
        }
        Ok(made)
    }

    /// Adds an operation, and gives its first result.
    pub(super) fn make_new(&mut self, new: NewOp<'_>) -> Value {
        let made = self.body.insert_op(self.place, new);
        self.result_of(made, 0)
    }

    /// Adds an operation without optional operands, and gives its only result.
    pub(super) fn value(&mut self, opcode: Opcode, operands: &[Value], attrs: &[AttrValue], ty: Type) -> Value {
        let (split, loc) = (operands.len() as u32, self.loc);
        self.make_new(NewOp { opcode, operands, present: 0, split, attrs, results: &[ty], loc })
    }

    pub(super) fn result_of(&self, op: Op, index: usize) -> Value {
        self.body.op(op).result(index).expect("it was made with this result")
    }

    /// An integer constant of a scalar type.
    pub(super) fn integer(&mut self, ty: Type, number: i64) -> Result<Value, String> {
        let (element, _) = self.tile_of(ty)?;
        let scalar = self.tables.types.scalar(element).ok_or("integers are numbers")?;
        let bytes = number.to_le_bytes();
        let mut builder = Builder::new(self.tables, &mut self.body, self.place);
        builder.set_loc(self.loc);
        builder.constant(scalar, &[], &bytes[..(scalar.bits() / 8) as usize]).map_err(|error| error.to_string())
    }

    /// The element type and the shape of a tile.
    pub(super) fn tile_of(&self, ty: Type) -> Result<(Type, Vec<i64>), String> {
        let tile = self.tables.types.as_tile(ty).map(|(element, shape)| (element, shape.to_vec()));
        tile.ok_or_else(|| "a value that is no tile depends on the block".to_owned())
    }

    pub(super) fn tile_type(&mut self, element: Type, shape: &[i64]) -> Result<Type, String> {
        self.tables.types.tile(element, shape).map_err(|error| error.to_string())
    }

    /// The type of what all members have.
    pub(super) fn lifted_type(&mut self, ty: Type) -> Result<Type, String> {
        if matches!(self.tables.types.get(ty), TypeData::Token) {
            return Ok(ty);
        }
        let (element, shape) = self.tile_of(ty)?;
        let mut lifted = vec![self.lanes];
        lifted.extend(shape);
        self.tile_type(element, &lifted)
    }

    /// The type of what is carried for a value.
    pub(super) fn class_type(&mut self, value: Value) -> Result<Type, String> {
        let ty = self.from.ty(value);
        if self.classes.of(value) == Class::Varying { self.lifted_type(ty) } else { Ok(ty) }
    }
}
