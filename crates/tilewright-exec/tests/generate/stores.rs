//! Stores and atomic updates, always inside of their buffers. Every store has bytes of its own.

use super::{
    Generator, Slot,
    access::{MEMORY, size},
    statements::I1,
};
use crate::regular::Element;
use tilewright_ir::{AtomicRMWMode, AttrName, AttrValue, MemoryOrderingSemantics as Order, MemoryScope, Opcode, Scalar, TypeTable, Value};

/// What atomic updates work on.
const UPDATED: [Scalar; 6] = [Scalar::I32, Scalar::I64, Scalar::F32, Scalar::F64, Scalar::F16, Scalar::Bf16];
/// What atomic updates do.
const MODES: [AtomicRMWMode; 10] = [
    AtomicRMWMode::Add,
    AtomicRMWMode::And,
    AtomicRMWMode::Or,
    AtomicRMWMode::Xor,
    AtomicRMWMode::Addf,
    AtomicRMWMode::Max,
    AtomicRMWMode::Min,
    AtomicRMWMode::Umax,
    AtomicRMWMode::Umin,
    AtomicRMWMode::Xchg,
];

impl Generator<'_> {
    pub(super) fn store(&mut self) {
        match self.choices.below(2) {
            0 => self.store_through_pointers(),
            _ => self.store_through_view(),
        }
    }

    /// A slot that lies in memory as it is.
    fn memory_slot(&mut self) -> Option<Slot> {
        let fits = |slot: &&Slot| matches!(slot.element, Element::Number(scalar) if MEMORY.contains(&scalar));
        let slots: Vec<Slot> = self.pool.iter().filter(fits).cloned().collect();
        (!slots.is_empty()).then(|| self.choices.pick(&slots).clone())
    }

    fn store_through_pointers(&mut self) {
        let Some(slot) = self.memory_slot() else { return };
        let Element::Number(scalar) = slot.element else { return };
        let start = self.take(size(scalar) * slot.shape.iter().product::<i64>() as usize);
        let base = self.pointer(self.output, start, scalar);
        let positions = self.row_major(Scalar::I32, &slot.shape);
        let positions = self.indices(positions, &slot.shape);
        let pointers = self.pointers(base, scalar, positions, &slot.shape);
        let hidden = if self.choices.below(2) == 1 { vec![self.operand(I1, &slot.shape, true)] } else { Vec::new() };
        let [order, scope] = self.order(&[Order::Weak, Order::Relaxed, Order::Release]);
        let after = self.after();
        self.op(Opcode::StorePtrTko, |op| {
            let op = op.operand("destination", pointers).operand("value", slot.value).operands("mask", &hidden).operands("token", &after);
            op.attr(AttrName::MemoryOrderingSemantics, order).attr(AttrName::MemoryScope, scope).result(TypeTable::token())
        });
    }

    /// Stores what is combined with something else afterwards, in one of the ways to do so.
    pub(super) fn store_and_combine(&mut self) {
        match self.choices.below(3) {
            0 => self.atomic(),
            1 => {
                let scalar = *self.choices.pick(&UPDATED);
                self.store_in_view(scalar);
            }
            _ => self.multimem(),
        }
    }

    /// Stores into a view of the output.
    fn store_through_view(&mut self) {
        let scalar = if self.choices.once_in(8) { Scalar::F4E2M1FN } else { *self.choices.pick(&MEMORY) };
        self.store_in_view(scalar);
    }

    fn store_in_view(&mut self, scalar: Scalar) {
        let shape = if self.choices.below(2) == 0 { vec![6] } else { vec![3, 4] };
        let start = self.take(256);
        let base = self.pointer(self.output, start, scalar);
        let made = self.view(base, scalar, &shape, 32, true);
        let gathers = self.body.defining_op(made.view).is_some_and(|op| op.opcode() == Opcode::MakeGatherScatterView);
        let value = self.operand(Element::Number(scalar), &made.tile, false);
        let [order, scope] = self.order(&[Order::Weak, Order::Relaxed, Order::Release]);
        let (inbounds, after) = (self.inbounds(&made.inside), self.after());
        self.op(Opcode::StoreViewTko, |op| {
            let op = op.operand("tile", value).operand("view", made.view).operands("index", &made.indices).operands("token", &after);
            let op = op.attr(AttrName::Inbounds, inbounds);
            op.attr(AttrName::MemoryOrderingSemantics, order).attr(AttrName::MemoryScope, scope).result(TypeTable::token())
        });
        // The last mode, an exchange, is for single addresses.
        let modes: Vec<AtomicRMWMode> = MODES[..9].iter().copied().filter(|mode| takes(*mode, scalar)).collect();
        if !modes.is_empty() && !gathers {
            let mode = *self.choices.pick(&modes);
            let argument = self.operand(Element::Number(scalar), &made.tile, false);
            let scope = *self.choices.pick(&[MemoryScope::Device, MemoryScope::TlBlk]);
            let (inbounds, after) = (self.inbounds(&made.inside), self.after());
            self.op(Opcode::AtomicRedViewTko, |op| {
                let op =
                    op.operand("view", made.view).operands("index", &made.indices).operand("value", argument).operands("token", &after);
                let op = op.attr(AttrName::MemoryOrderingSemantics, Self::wire(Order::Relaxed as u8));
                let op = op.attr(AttrName::MemoryScope, Self::wire(scope as u8)).attr(AttrName::Inbounds, inbounds);
                op.attr(AttrName::Mode, Self::wire(mode as u8)).result(TypeTable::token())
            });
        }
    }

    /// Stores, and updates what was stored.
    fn atomic(&mut self) {
        let scalar = *self.choices.pick(&UPDATED);
        let element = Element::Number(scalar);
        let shape = self.shape(element);
        let start = self.take(size(scalar) * shape.iter().product::<i64>() as usize);
        let base = self.pointer(self.output, start, scalar);
        let positions = self.row_major(Scalar::I32, &shape);
        let pointers = self.pointers(base, scalar, positions, &shape);
        let (first, second) = (self.operand(element, &shape, false), self.operand(element, &shape, false));
        self.op(Opcode::StorePtrTko, |op| {
            let op = op.operand("destination", pointers).operand("value", first);
            op.attr(AttrName::MemoryOrderingSemantics, Self::wire(Order::Weak as u8)).result(TypeTable::token())
        });
        let [order, scope] = self.order(&[Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel]);
        let hidden = if self.choices.below(3) == 2 { vec![self.operand(I1, &shape, true)] } else { Vec::new() };
        let ty = self.ty(element, &shape);
        let modes: Vec<AtomicRMWMode> = MODES.into_iter().filter(|mode| takes(*mode, scalar)).collect();
        let mode = *self.choices.pick(&modes);
        let after = self.after();
        let swaps = size(scalar) >= 4 && self.choices.below(3) == 2;
        let pointers = if self.choices.once_in(2) { self.shared_pointers(base, scalar, positions, &shape) } else { pointers };
        let value = if swaps {
            let expected = if self.choices.below(2) == 0 { first } else { self.operand(element, &shape, false) };
            self.value(Opcode::AtomicCASTko, |op| {
                let op = op.operand("pointers", pointers).operand("cmp", expected).operand("val", second);
                let op = op.operands("mask", &hidden).operands("token", &after);
                let op = op.attr(AttrName::MemoryOrderingSemantics, order).attr(AttrName::MemoryScope, scope);
                op.results(&[ty, TypeTable::token()])
            })
        } else {
            self.value(Opcode::AtomicRMWTko, |op| {
                let op = op.operand("pointers", pointers).operand("arg", second).operands("mask", &hidden).operands("token", &after);
                let op = op.attr(AttrName::MemoryOrderingSemantics, order).attr(AttrName::MemoryScope, scope);
                op.attr(AttrName::Mode, Self::wire(mode as u8)).results(&[ty, TypeTable::token()])
            })
        };
        self.keep(value, element, &shape, false);
    }

    /// Pointers of which several name one element: only some bits of their positions count.
    fn shared_pointers(&mut self, base: Value, scalar: Scalar, positions: Value, shape: &[i64]) -> Value {
        let bits = *self.choices.pick(&[0, 1, 0b10101, 0b1110]);
        let (bits, ty) = (self.numbers(Scalar::I32, shape, &[bits]), self.ty(Element::Number(Scalar::I32), shape));
        let shared = self.value(Opcode::AndI, |op| op.operand("lhs", positions).operand("rhs", bits).result(ty));
        self.pointers(base, scalar, shared, shape)
    }

    /// Memory of the block's own: stores to it and loads from it.
    pub(super) fn local_memory(&mut self) {
        let packed = Element::Number(Scalar::F4E2M1FN);
        let slot = match self.pool.iter().rposition(|slot| slot.element == packed) {
            Some(index) if self.choices.below(2) == 1 => self.pool[index].clone(),
            _ => {
                let Some(slot) = self.memory_slot() else { return };
                slot
            }
        };
        let Element::Number(scalar) = slot.element else { return };
        let n = slot.shape.iter().product::<i64>();
        let pointer = self.ty(Element::PointerTo(scalar), &[]);
        let alignment = size(scalar).max(1 << self.choices.below(9)) as u64;
        let global = if self.choices.below(3) == 2 { AttrValue::Unit } else { AttrValue::Absent };
        let extra = self.choices.below(3) as u64;
        let base = self.value(Opcode::Alloca, |op| {
            let op = op.attr(AttrName::NumElem, AttrValue::Int(n as u64 + extra)).attr(AttrName::Alignment, AttrValue::Int(alignment));
            op.attr(AttrName::Global, global).result(pointer)
        });
        if slot.element == packed {
            self.store_tile(&slot, base, 0);
        } else {
            let positions = self.row_major(Scalar::I32, &slot.shape);
            let pointers = self.pointers(base, scalar, positions, &slot.shape);
            self.op(Opcode::StorePtrTko, |op| {
                let op = op.operand("destination", pointers).operand("value", slot.value);
                op.attr(AttrName::MemoryOrderingSemantics, Self::wire(Order::Weak as u8)).result(TypeTable::token())
            });
        }
        let made = self.view(base, scalar, &[n], n as usize, false);
        self.load_made(&made, scalar, slot.solid);
    }

    /// Stores the values that are visible.
    pub(super) fn store_all(&mut self) {
        for slot in self.pool.clone() {
            // Nearly every value: a shrunk program stores no more than it needs.
            if self.choices.below(12) == 0 {
                continue;
            }
            self.store_slot(&slot);
        }
    }

    /// Stores a value where the output is free.
    pub(super) fn store_slot(&mut self, slot: &Slot) {
        let n = slot.shape.iter().product::<i64>();
        let start = self.take(8 * n as usize);
        self.store_tile(slot, self.output, start);
    }

    /// Stores a value, element by element, some bytes behind a pointer.
    fn store_tile(&mut self, slot: &Slot, base: Value, start: usize) {
        let n = slot.shape.iter().product::<i64>();
        let (value, scalar) = self.flat(slot, n);
        if self.grouped && scalar != Scalar::F4E2M1FN && self.choices.once_in(3) {
            return self.store_in_common_view(value, scalar, n, start);
        }
        if self.grouped && scalar != Scalar::F4E2M1FN {
            let base = self.pointer(base, start, scalar);
            let positions = self.row_major(Scalar::I32, &[n]);
            let pointers = self.pointers(base, scalar, positions, &[n]);
            self.op(Opcode::StorePtrTko, |op| {
                let op = op.operand("destination", pointers).operand("value", value);
                op.attr(AttrName::MemoryOrderingSemantics, Self::wire(Order::Weak as u8)).result(TypeTable::token())
            });
            return;
        }
        let pv = self.row(base, start, scalar, n);
        let zero = self.numbers(Scalar::I32, &[], &[0]);
        self.op(Opcode::StoreViewTko, |op| {
            let op = op.operand("tile", value).operand("view", pv).operand("index", zero);
            op.attr(AttrName::MemoryOrderingSemantics, Self::wire(Order::Weak as u8)).result(TypeTable::token())
        });
    }

    /// A value as a tile of `n` elements in one dimension, of a type that lies in memory.
    fn flat(&mut self, slot: &Slot, n: i64) -> (Value, Scalar) {
        let reshape = |this: &mut Self, value: Value, element: Element| {
            let ty = this.ty(element, &[n]);
            this.value(Opcode::Reshape, |op| op.operand("source", value).result(ty))
        };
        match slot.element {
            Element::PointerTo(_) => {
                let ty = self.ty(Element::Number(Scalar::I64), &slot.shape);
                let address = self.value(Opcode::PtrToInt, |op| op.operand("source", slot.value).result(ty));
                (reshape(self, address, Element::Number(Scalar::I64)), Scalar::I64)
            }
            Element::Number(Scalar::I4) => {
                let ty = self.ty(Element::Number(Scalar::I8), &slot.shape);
                let signed = Self::wire(1);
                let wide = self.value(Opcode::ExtI, |op| op.operand("from", slot.value).attr(AttrName::Signedness, signed).result(ty));
                (reshape(self, wide, Element::Number(Scalar::I8)), Scalar::I8)
            }
            Element::Number(scalar) => (reshape(self, slot.value, slot.element), scalar),
        }
    }
}

/// Whether an update works on a type.
fn takes(mode: AtomicRMWMode, scalar: Scalar) -> bool {
    match mode {
        AtomicRMWMode::Addf => matches!(scalar, Scalar::F16 | Scalar::Bf16 | Scalar::F32 | Scalar::F64),
        AtomicRMWMode::Xchg => matches!(scalar, Scalar::I32 | Scalar::I64 | Scalar::F32 | Scalar::F64),
        _ => matches!(scalar, Scalar::I32 | Scalar::I64),
    }
}
