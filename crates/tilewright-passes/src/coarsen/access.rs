//! Accesses through views: how the tiles of a group lie, and the wider tile that they are together.

use super::{
    classes::{Class, Classes},
    lift::Lifter,
};
use crate::facts::IntegerFacts;
use tilewright_ir::{AttrValue, Body, MemoryOrderingSemantics, OpRef, Opcode, Signedness, Tables, Type, TypeData, Value, Version};

/// An access whose tiles lie side by side along one dimension.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Beside {
    /// The dimension, of the view and of the tile.
    dim: usize,
    by: Spacing,
}

/// How a wider tile is found by an index.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Spacing {
    /// The index of the first member is a multiple of the factor: it counts wider tiles if it is divided by that.
    Whole,
    /// The index of the first member counts distances of so many elements, as it does for one tile.
    Every(i32),
}

/// Where the tiles of a group lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lie {
    /// All at one place.
    Same,
    Beside(Beside),
}

/// Where the tiles lie that an access through a view reads or writes, or why there is no rule for it.
pub(super) fn lie(tables: &Tables, body: &Body, facts: &IntegerFacts, classes: &Classes, op: OpRef<'_>) -> Result<Lie, String> {
    let indices = op.operand_named("index");
    let mut varying = indices.iter().enumerate().filter(|(_, index)| classes.of(**index) != Class::Uniform);
    let Some((dim, index)) = varying.next() else { return Ok(Lie::Same) };
    if varying.next().is_some() {
        return Err("the number of the block decides about more than one dimension of a view".to_owned());
    }
    let Class::Affine(affine) = classes.of(*index) else {
        return Err(format!("index {dim} depends on the number of the block in no regular way"));
    };
    let range = facts.of(*index).and_then(|fact| fact.range);
    if !classes.is_exact(range, affine.step, false) {
        return Err(format!("index {dim} may overflow"));
    }
    let view = op.operand_named("view").first().ok_or("it has no view")?;
    let by = match tables.types.get(body.ty(*view)) {
        TypeData::PartitionView { tile, .. } if affine.step == 1 => match affine.zeros >= classes.factor_log2() {
            true => Spacing::Whole,
            false => Spacing::Every(tile[dim]),
        },
        TypeData::StridedView { tile, traversal_strides, .. }
            if affine.step.checked_mul(i64::from(traversal_strides[dim])) == Some(i64::from(tile[dim])) =>
        {
            Spacing::Every(traversal_strides[dim])
        }
        TypeData::GatherScatterView { .. } => return Err("a gather_scatter_view with an index that depends on the block".to_owned()),
        _ => return Err(format!("the tiles of neighbouring blocks do not lie side by side along dimension {dim}")),
    };
    Ok(Lie::Beside(Beside { dim, by }))
}

impl Lifter<'_> {
    pub(super) fn view_access(&mut self, op: OpRef<'_>) -> Result<(), String> {
        match lie(self.tables, self.from, self.facts, self.classes, op)? {
            Lie::Same => self.copy(op),
            Lie::Beside(beside) if op.opcode() == Opcode::LoadViewTko => self.load_beside(op, beside),
            Lie::Beside(beside) => self.store_beside(op, beside),
        }
    }

    fn load_beside(&mut self, op: OpRef<'_>, beside: Beside) -> Result<(), String> {
        let (Some(tile), Some(token)) = (op.result(0), op.result(1)) else { return Err("a load has two results".to_owned()) };
        let (element, shape) = self.tile_of(self.from.ty(tile))?;
        let wide = self.tile_type(element, &beside.wide(&shape, self.lanes))?;
        let operands = self.beside_operands(op, beside, None)?;
        let load = self.make(op, &operands, op.attrs(), &[wide, self.from.ty(token)])?;
        let loaded = self.result_of(load, 0);
        let apart = self.reshape(loaded, element, &beside.apart(&shape, self.lanes))?;
        let all = self.move_dim(apart, element, &beside.apart(&shape, self.lanes), beside.dim, 0)?;
        self.define_all(tile, all);
        let token_made = self.result_of(load, 1);
        self.define_first(token, token_made);
        Ok(())
    }

    fn store_beside(&mut self, op: OpRef<'_>, beside: Beside) -> Result<(), String> {
        let tile = *op.operand_named("tile").first().ok_or("a store has a tile")?;
        let (element, shape) = self.tile_of(self.from.ty(tile))?;
        let apart = self.members_along(tile, beside.dim)?;
        let wide = self.reshape(apart, element, &beside.wide(&shape, self.lanes))?;
        let operands = self.beside_operands(op, beside, Some(wide))?;
        let types: Vec<Type> = op.results().map(|result| self.from.ty(result)).collect();
        let store = self.make(op, &operands, op.attrs(), &types)?;
        self.define_results(op, store)
    }

    /// The operands of the access to the wider tile, which a store writes.
    fn beside_operands(&mut self, op: OpRef<'_>, beside: Beside, stored: Option<Value>) -> Result<Vec<Value>, String> {
        let view = *op.operand_named("view").first().ok_or("an access has a view")?;
        let wide_view = self.wide_view(view, beside)?;
        let old_index = op.operand_named("index")[beside.dim];
        let index = match beside.by {
            Spacing::Whole => self.group(old_index)?,
            Spacing::Every(_) => self.first(old_index)?,
        };
        let stored_tile = op.operand_named("tile").first().copied();
        let position_of_index = op.operands().len() - op.operand_named("token").len() - op.operand_named("index").len() + beside.dim;
        let mut operands = Vec::with_capacity(op.operands().len());
        for (i, operand) in op.operands().iter().enumerate() {
            operands.push(match stored {
                _ if i == position_of_index => index,
                Some(stored) if i == 0 && Some(*operand) == stored_tile => stored,
                _ if *operand == view => wide_view,
                _ => self.first(*operand)?,
            });
        }
        Ok(operands)
    }

    /// A view of the same tensor with wider tiles, beside the old one.
    fn wide_view(&mut self, view: Value, beside: Beside) -> Result<Value, String> {
        if let Some(wide) = self.wide_views.get(&(view, beside)) {
            return Ok(*wide);
        }
        let narrow = self.first(view)?;
        let wide = self.behind(narrow, |lifter| lifter.make_wide_view(view, beside))?;
        self.wide_views.insert((view, beside), wide);
        Ok(wide)
    }

    fn make_wide_view(&mut self, view: Value, beside: Beside) -> Result<Value, String> {
        let maker = self.from.defining_op(view).ok_or("the view is an argument")?;
        let tensor = self.first(*maker.operands().first().ok_or("a view is one of a tensor")?)?;
        let widen = |tile: &[i32]| -> Result<Box<[i32]>, String> {
            let extents: Vec<i64> = tile.iter().map(|extent| i64::from(*extent)).collect();
            let wide = beside.wide(&extents, self.lanes).into_iter().map(i32::try_from).collect::<Result<_, _>>();
            wide.map_err(|_| "the tile of all blocks would be too large".to_owned())
        };
        let (opcode, data) = match self.tables.types.get(self.from.ty(view)).clone() {
            TypeData::PartitionView { tile, tensor_view, dim_map, padding } => {
                let wide = widen(&tile)?;
                match beside.by {
                    Spacing::Whole => (Opcode::MakePartitionView, TypeData::PartitionView { tile: wide, tensor_view, dim_map, padding }),
                    Spacing::Every(_) => {
                        self.version = self.version.max(Version::V13_3);
                        let data = TypeData::StridedView { tile: wide, traversal_strides: tile, tensor_view, dim_map, padding };
                        (Opcode::MakeStridedView, data)
                    }
                }
            }
            TypeData::StridedView { tile, traversal_strides, tensor_view, dim_map, padding } => {
                let wide = widen(&tile)?;
                (Opcode::MakeStridedView, TypeData::StridedView { tile: wide, traversal_strides, tensor_view, dim_map, padding })
            }
            _ => return Err("the view has no wider tiles".to_owned()),
        };
        let ty = self.tables.types.intern(data).map_err(|error| error.to_string())?;
        Ok(self.value(opcode, &[tensor], &[], ty))
    }

    /// The number of the wider tile of an index that is a multiple of the factor for the first member.
    fn group(&mut self, index: Value) -> Result<Value, String> {
        if let Some(group) = self.group_of(index) {
            return Ok(group);
        }
        let ty = self.from.ty(index);
        let (first, count) = (self.first(index)?, self.integer(ty, i64::from(self.classes.factor_log2()))?);
        Ok(self.value(Opcode::ShRI, &[first, count], &[AttrValue::Enum(Signedness::Unsigned as u8)], ty))
    }

    /// Accesses through pointers, one for each member.
    pub(super) fn pointer_access(&mut self, op: OpRef<'_>) -> Result<(), String> {
        let groups = ["source", "destination", "value", "mask", "paddingValue"];
        let is_tile = |value: &Value| groups.iter().any(|name| op.operand_named(name).contains(value));
        if op.operands().iter().filter(|value| is_tile(value)).all(|value| self.classes.of(*value) == Class::Uniform) {
            return self.copy(op);
        }
        self.lift_as_is(op, op.attrs())
    }
}

impl Beside {
    pub(super) fn dim(self) -> usize {
        self.dim
    }

    /// The shape of the wider tile.
    fn wide(self, shape: &[i64], lanes: i64) -> Vec<i64> {
        shape.iter().enumerate().map(|(d, extent)| if d == self.dim { extent * lanes } else { *extent }).collect()
    }

    /// Its shape with a dimension of its own for the members.
    fn apart(self, shape: &[i64], lanes: i64) -> Vec<i64> {
        let mut apart = shape.to_vec();
        apart.insert(self.dim, lanes);
        apart
    }
}

/// Whether all that an access through pointers touches, and when, is the same for all members.
pub(super) fn is_at_one_place(classes: &Classes, op: OpRef<'_>) -> bool {
    ["source", "destination", "mask"].iter().all(|name| classes.are_uniform(op.operand_named(name)))
}

/// Whether an access is ordered by tokens alone.
pub(super) fn is_weak(op: OpRef<'_>) -> bool {
    op.memory_ordering() == Some(MemoryOrderingSemantics::Weak)
}
