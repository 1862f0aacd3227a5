//! Memory accesses, printing and assertions.

use super::{Lowerer, Val};
use crate::{
    PlanError,
    elem::{Elem, memory_bits},
    plan::{Atomic, Inst, Order, Piece, PointerAccess, Print, Readers, Tile, ViewAccess, inst::Update, printf},
};
use tilewright_ir::{
    AtomicRMWMode, AttrName, AttrValue, MemoryOrderingSemantics, MemoryScope, MultimemReductionKind, OpRef, Scalar, TypeData,
};

impl<'m> Lowerer<'m> {
    /// How an access orders others.
    pub(super) fn order(&self, op: OpRef<'m>) -> Result<Order, PlanError> {
        let semantics = op.memory_ordering().ok_or_else(|| self.malformed("the memory ordering is missing".to_owned()))?;
        if semantics == MemoryOrderingSemantics::Weak && !self.machine.may_race() {
            return Ok(Order { semantics: MemoryOrderingSemantics::Relaxed, scope: Some(MemoryScope::Device) });
        }
        Ok(Order { semantics, scope: op.memory_scope() })
    }

    fn one_operand(&self, op: OpRef<'m>, name: &str) -> Result<tilewright_ir::Value, PlanError> {
        op.operand_named(name).first().copied().ok_or_else(|| self.malformed(format!("operand '{name}' is missing")))
    }

    pub(super) fn get_global(&mut self, op: OpRef<'m>) -> Result<(), PlanError> {
        let AttrValue::Str(name) = op.attr(AttrName::Name) else {
            return Err(self.malformed("the name is missing".to_owned()));
        };
        let address = self.globals.address(name);
        let address = address.map_err(|what| self.malformed(format!("@{}: {what}", self.module.tables.strings.shown(name))))?;
        let (elem, shape) = self.result_tile(op, 0)?;
        self.require(elem == Elem::Ptr && shape.is_empty(), "the result must be one pointer")?;
        let tile = self.constants.address(address);
        self.define_result(op, 0, Val::Tile(tile))
    }

    pub(super) fn load_view(&mut self, op: OpRef<'m>) -> Result<(), PlanError> {
        let (elem, shape) = self.result_tile(op, 0)?;
        let view = self.view_access(op, self.one_operand(op, "view")?, (elem, &shape))?;
        let (dst, tile) = self.new_tile(elem, &shape);
        self.emit(Inst::Load { view, dst, readers: Readers::Any, past_stores: false });
        self.define_result(op, 0, Val::Tile(tile))?;
        self.token(op, 1)
    }

    pub(super) fn store_view(&mut self, op: OpRef<'m>) -> Result<(), PlanError> {
        let src = self.needed(op, "tile")?;
        let view = self.view_access(op, self.one_operand(op, "view")?, (src.elem, &src.shape))?;
        let src = if src.is_permuted() { src } else { self.in_order(src) };
        self.emit(Inst::Store { view, src });
        self.token(op, 0)
    }

    pub(super) fn atomic_view(&mut self, op: OpRef<'m>) -> Result<(), PlanError> {
        let src = self.needed(op, "value")?;
        let mode = self.mode(op)?;
        self.require(mode_takes(mode, src.elem), "the mode does not take this element type")?;
        let view = self.view_access(op, self.one_operand(op, "view")?, (src.elem, &src.shape))?;
        let src = self.in_order(src);
        self.emit(Inst::AtomicView { view, mode, src });
        self.token(op, 0)
    }

    /// Combines a tile into every replica of the memory. One device is the whole team, so there is one replica.
    pub(super) fn multimem_reduce(&mut self, op: OpRef<'m>) -> Result<(), PlanError> {
        let src = self.needed(op, "tile")?;
        let kind = match op.attr(AttrName::Reduction) {
            AttrValue::Enum(wire) => MultimemReductionKind::from_wire(wire),
            _ => None,
        };
        let kind = kind.ok_or_else(|| self.malformed("the reduction is missing".to_owned()))?;
        let mode = replica_mode(kind, src.elem);
        self.require(mode_takes(mode, src.elem), "the reduction does not take this element type")?;
        let view = self.view_access(op, self.one_operand(op, "view")?, (src.elem, &src.shape))?;
        let src = self.in_order(src);
        self.emit(Inst::AtomicView { view, mode, src });
        self.token(op, 0)
    }

    fn mode(&self, op: OpRef<'m>) -> Result<AtomicRMWMode, PlanError> {
        let mode = match op.attr(AttrName::Mode) {
            AttrValue::Enum(wire) => AtomicRMWMode::from_wire(wire),
            _ => None,
        };
        mode.ok_or_else(|| self.malformed("the mode is missing".to_owned()))
    }

    /// The access through the pointers in the operand called `name`.
    fn pointer_access(&mut self, op: OpRef<'m>, name: &str, elem: Elem) -> Result<PointerAccess, PlanError> {
        let value = self.one_operand(op, name)?;
        let types = &self.module.tables.types;
        let pointee = types.as_tile(self.body.ty(value)).and_then(|(element, _)| match types.get(element) {
            TypeData::Pointer { pointee, .. } => types.scalar(*pointee),
            _ => None,
        });
        let Some(element) = pointee else {
            return Err(self.malformed(format!("operand '{name}' must hold pointers")));
        };
        // Tiles of pointers to packed elements have one pointer, and tiles of such elements have two elements at least.
        let Some(size) = memory_bits(element).filter(|bits| *bits >= 8).map(|bits| bits as usize / 8) else {
            return Err(self.malformed(format!("{element} elements have no address each")));
        };
        self.require(elem == Elem::Num(element), "the tile must hold what the pointers point to")?;
        let pointers = self.tile(value)?;
        let mask = self.tile_named(op, "mask")?;
        let mask_fits = mask.as_ref().is_none_or(|m| m.elem == Elem::Num(Scalar::I1) && m.shape == pointers.shape);
        self.require(mask_fits, "the mask must be i1 in the shape of the pointers")?;
        let pointers = self.in_order(pointers);
        let mask = mask.map(|mask| self.in_order(mask));
        Ok(PointerAccess { pointers, base: None, mask, element, size, order: self.order(op)? })
    }

    /// An operand with an element for each pointer.
    fn for_pointers(&mut self, access: &PointerAccess, tile: Tile) -> Result<Tile, PlanError> {
        self.fits_pointers(access, &tile)?;
        Ok(self.in_order(tile))
    }

    fn fits_pointers(&self, access: &PointerAccess, tile: &Tile) -> Result<(), PlanError> {
        let fits = tile.shape == access.pointers.shape && tile.elem == Elem::Num(access.element);
        self.require(fits, "the tile must have the shape of the pointers and hold what they point to")
    }

    pub(super) fn load_pointers(&mut self, op: OpRef<'m>) -> Result<(), PlanError> {
        let (elem, shape) = self.result_tile(op, 0)?;
        if let Some(view) = self.access_function(op, elem)? {
            let (dst, mut tile) = self.new_tile(elem, &shape);
            let (src, dims) = (Tile::contiguous(elem, tile.base, &view.tile), view.reversed.clone());
            self.emit(Inst::Load { view, dst, readers: Readers::Any, past_stores: false });
            if !dims.is_empty() {
                let (dst, reversed) = self.new_tile(elem, &shape);
                self.emit(Inst::Reverse { src, dims, dst });
                tile = reversed;
            }
            self.define_result(op, 0, Val::Tile(tile))?;
            return self.token(op, 1);
        }
        let access = self.pointer_access(op, "source", elem)?;
        self.require(*access.pointers.shape == *shape, "the result must have the shape of the pointers")?;
        let padding = match self.tile_named(op, "paddingValue")? {
            Some(padding) => Some(self.for_pointers(&access, padding)?),
            None => None,
        };
        let (dst, tile) = self.new_tile(elem, &shape);
        self.emit(Inst::LoadPointers { access: Box::new(access), padding, dst });
        self.define_result(op, 0, Val::Tile(tile))?;
        self.token(op, 1)
    }

    pub(super) fn store_pointers(&mut self, op: OpRef<'m>) -> Result<(), PlanError> {
        let src = self.needed(op, "value")?;
        if let Some(view) = self.access_function(op, src.elem)? {
            let has_merged = *src.shape != *view.tile;
            let src = if src.is_permuted() && !has_merged { src } else { self.in_shape(src, &view) };
            self.emit(Inst::Store { view, src });
            return self.token(op, 0);
        }
        let access = self.pointer_access(op, "destination", src.elem)?;
        let src = self.for_pointers(&access, src)?;
        self.emit(Inst::StorePointers { access: Box::new(access), src });
        self.token(op, 0)
    }

    /// A tile in order, in the shape of an access function's, some of whose dimensions may be one.
    fn in_shape(&mut self, src: Tile, view: &ViewAccess) -> Tile {
        let src = self.in_order(src);
        Tile::contiguous(src.elem, src.base, &view.tile)
    }

    pub(super) fn atomic_rmw(&mut self, op: OpRef<'m>) -> Result<(), PlanError> {
        let argument = self.needed(op, "arg")?;
        let mode = self.mode(op)?;
        self.require(mode_takes(mode, argument.elem), "the mode does not take this element type")?;
        if let Some(view) = self.access_function(op, argument.elem)? {
            let src = self.in_shape(argument, &view);
            self.emit(Inst::AtomicView { view, mode, src });
            return self.token(op, 1);
        }
        let access = self.pointer_access(op, "pointers", argument.elem)?;
        // One number for all is read once, as the 1 of a histogram.
        self.fits_pointers(&access, &argument)?;
        let argument = if argument.is_splat() { argument } else { self.in_order(argument) };
        self.atomic(op, access, Update::Rmw { mode, argument })
    }

    pub(super) fn atomic_cas(&mut self, op: OpRef<'m>) -> Result<(), PlanError> {
        let (expected, new) = (self.needed(op, "cmp")?, self.needed(op, "val")?);
        self.require(matches!(expected.elem.size(), 4 | 8), "the elements must have 32 or 64 bits")?;
        let access = self.pointer_access(op, "pointers", expected.elem)?;
        let (expected, new) = (self.for_pointers(&access, expected)?, self.for_pointers(&access, new)?);
        self.atomic(op, access, Update::CompareExchange { expected, new })
    }

    fn atomic(&mut self, op: OpRef<'m>, access: PointerAccess, update: Update) -> Result<(), PlanError> {
        self.require(access.order.semantics != MemoryOrderingSemantics::Weak, "an atomic update cannot be weak")?;
        let (elem, shape) = self.result_tile(op, 0)?;
        self.require(elem == Elem::Num(access.element) && *shape == *access.pointers.shape, "the result must hold the old values")?;
        let (dst, tile) = self.new_tile(elem, &shape);
        // A watcher sees it, too.
        let is_read = self.watched || op.result(0).is_some_and(|old| self.is_read(old));
        let dst = is_read.then_some(dst);
        self.emit(Inst::Atomic(Box::new(Atomic { access, update, dst, may_be_late: false })));
        self.define_result(op, 0, Val::Tile(tile))?;
        self.token(op, 1)
    }

    pub(super) fn print(&mut self, op: OpRef<'m>) -> Result<(), PlanError> {
        let AttrValue::Str(format) = op.attr(AttrName::Str) else {
            return Err(self.malformed("the format string is missing".to_owned()));
        };
        let pieces = printf::parse(self.module.tables.strings.bytes(format)).map_err(|what| self.malformed(what))?;
        let args = self.tiles_named(op, "args")?;
        let conversions = pieces.iter().filter(|p| matches!(p, Piece::Value(_))).count();
        if conversions != args.len() {
            return Err(self.malformed(format!("the format string has {conversions} conversions for {} operands", args.len())));
        }
        let args = args.into_iter().map(|arg| self.in_order(arg)).collect();
        self.emit(Inst::Print(Box::new(Print { pieces, args })));
        self.token(op, 0)
    }

    pub(super) fn assert(&mut self, op: OpRef<'m>) -> Result<(), PlanError> {
        let condition = self.tile_operand(op, 0)?;
        self.require(condition.elem == Elem::Num(Scalar::I1), "the condition must be i1")?;
        let AttrValue::Str(message) = op.attr(AttrName::Message) else {
            return Err(self.malformed("the message is missing".to_owned()));
        };
        let message = self.module.tables.strings.text(message).into_owned();
        let condition = self.in_order(condition);
        self.emit(Inst::Assert { condition, message });
        Ok(())
    }
}

/// The update of one replica.
fn replica_mode(kind: MultimemReductionKind, elem: Elem) -> AtomicRMWMode {
    use MultimemReductionKind as K;
    match kind {
        K::Add if elem.float().is_some() => AtomicRMWMode::Addf,
        K::Add => AtomicRMWMode::Add,
        K::Min => AtomicRMWMode::Min,
        K::Max => AtomicRMWMode::Max,
        K::And => AtomicRMWMode::And,
        K::Or => AtomicRMWMode::Or,
        K::Xor => AtomicRMWMode::Xor,
        K::Umin => AtomicRMWMode::Umin,
        K::Umax => AtomicRMWMode::Umax,
    }
}

/// Whether a read-modify-write mode takes an element type (SEMANTICS c.12).
fn mode_takes(mode: AtomicRMWMode, elem: Elem) -> bool {
    let Elem::Num(scalar) = elem else { return false };
    match mode {
        AtomicRMWMode::Addf => matches!(scalar, Scalar::F16 | Scalar::Bf16 | Scalar::F32 | Scalar::F64),
        AtomicRMWMode::Xchg => matches!(scalar, Scalar::I32 | Scalar::I64 | Scalar::F32 | Scalar::F64),
        _ => matches!(scalar, Scalar::I32 | Scalar::I64),
    }
}
