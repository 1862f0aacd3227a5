//! Memory that a module has from the beginning, and memory that a block takes for the time that a region runs.

use super::{Lowerer, Stop};
use crate::{
    lower::is_identifier,
    thread::{Data, End, Target, Value},
};
use tilewright_ir::{AttrName, AttrValue, OpRef, Opcode, SymbolVisibility, TypeData};
use tilewright_passes::{
    constant::global_bytes,
    elem::{Elem, memory_bits},
};
use tilewright_vector::{Lane, Prim};

/// What a region has allocated.
pub(super) struct Allocations {
    /// The operation whose region it is; none for a function.
    of: Option<Opcode>,
    addresses: Vec<Value>,
}

impl Lowerer<'_> {
    pub(super) fn get_global(&mut self, op: OpRef<'_>) -> Result<(), Stop> {
        let AttrValue::Str(name) = op.attr(AttrName::Name) else { return Err(self.unsupported(op, "a global without a name")) };
        let tables = &self.module.tables;
        let global = self.module.globals.iter().find(|global| global.name == name);
        let global = global.ok_or_else(|| self.unsupported(op, "a global that there is not"))?;
        let address = match self.globals.get(&name) {
            Some(address) => *address,
            None => {
                let bytes = global_bytes(tables, global).map_err(|what| self.unsupported(op, &what))?;
                let text = tables.strings.text(global.name).into_owned();
                let is_public = global.visibility == SymbolVisibility::Public && is_identifier(&text);
                let alignment = global.alignment.max(16);
                let address = self.b.named_data(Data { name: is_public.then_some(text), bytes, alignment });
                self.globals.insert(name, address);
                address
            }
        };
        let result = op.result(0).expect("an address");
        let (elem, _) = self.tile_type(op, result)?;
        let tile = self.splat(elem, &[], address);
        self.define(result, tile);
        Ok(())
    }

    /// One thread takes memory, and the others are told where it is.
    pub(super) fn alloca(&mut self, op: OpRef<'_>) -> Result<(), Stop> {
        let result = op.result(0).expect("an address");
        let types = &self.module.tables.types;
        let pointee = types.as_tile(self.frame.body.ty(result)).and_then(|(element, _)| match types.get(element) {
            TypeData::Pointer { pointee, .. } => types.scalar(*pointee),
            _ => None,
        });
        let bits = pointee.and_then(memory_bits).ok_or_else(|| self.unsupported(op, "memory of such elements"))?;
        let number = |name| op.int(name);
        let bytes = number(AttrName::NumElem).and_then(|n| n.checked_mul(bits.into())).map(|bits| bits.div_ceil(8));
        let bytes = bytes.ok_or_else(|| self.unsupported(op, "so much memory"))?.max(1);
        let alignment = number(AttrName::Alignment).filter(|n| n.is_power_of_two()).unwrap_or(16).max(16);
        let layout = self.layout_of(&[]);
        let first = self.first_holders(&layout).expect("a block has several threads");
        let zero = self.i64(0);
        let (take, _) = self.b.block(&[]);
        let (failed, _) = self.b.block(&[]);
        let (merge, params) = self.b.block(&[Lane::I64]);
        self.b.end(End::Branch {
            condition: first,
            then: Target { label: take, args: Vec::new() },
            otherwise: Target { label: merge, args: vec![zero] },
        });
        self.b.continue_in(take);
        let address = self.b.allocate(bytes, alignment);
        let is_null = self.b.prim(Prim::Eq, &[address, zero]);
        self.b.end(End::Branch {
            condition: is_null,
            then: Target { label: failed, args: Vec::new() },
            otherwise: Target { label: merge, args: vec![address] },
        });
        self.b.continue_in(failed);
        self.b.end(End::Trap);
        self.b.continue_in(merge);
        let address = self.handed_out(&layout, &params)[0];
        self.allocations.last_mut().expect("an operation is in a region").addresses.push(address);
        let tile = self.splat(Elem::Ptr, &[], address);
        self.define(result, tile);
        Ok(())
    }

    /// Begins a region of an operation, or of a function.
    pub(super) fn begin_region(&mut self, of: Option<Opcode>) {
        self.allocations.push(Allocations { of, addresses: Vec::new() });
    }

    /// Ends the innermost region.
    pub(super) fn end_region(&mut self) {
        self.allocations.pop();
    }

    /// Gives back what regions have allocated that a jump leaves: a `yield` the innermost one, `break` and `continue` all of the innermost
    /// loop, `return` all of its function.
    pub(super) fn free_left(&mut self, jump: Opcode) {
        let is_loop = |region: &Allocations| matches!(region.of, Some(Opcode::For | Opcode::Loop) | None);
        let innermost = self.allocations.len().saturating_sub(1);
        let from = match jump {
            Opcode::Return => self.allocations.iter().rposition(|region| region.of.is_none()).unwrap_or(0),
            Opcode::Break | Opcode::Continue => self.allocations.iter().rposition(is_loop).unwrap_or(0),
            _ => innermost,
        };
        let left: Vec<Value> = self.allocations[from..].iter().flat_map(|region| region.addresses.clone()).collect();
        if left.is_empty() {
            return;
        }
        self.barrier();
        let layout = self.layout_of(&[]);
        let first = self.first_holders(&layout).expect("a block has several threads");
        self.only_where(first, |this| left.iter().for_each(|address| this.b.free(*address)));
    }

    /// Does something in those threads only that a mask names; nothing of it may be read behind.
    pub(super) fn only_where(&mut self, mask: Value, what: impl FnOnce(&mut Self)) {
        let (inside, _) = self.b.block(&[]);
        let (merge, _) = self.b.block(&[]);
        self.b.end(End::Branch {
            condition: mask,
            then: Target { label: inside, args: Vec::new() },
            otherwise: Target { label: merge, args: Vec::new() },
        });
        self.b.continue_in(inside);
        what(self);
        self.b.jump(merge, Vec::new());
        self.b.continue_in(merge);
    }
}
