//! Additions of all blocks to the same places, at the end of a program: nothing orders them, and all count.

use super::{
    Generator,
    access::size,
    statements::{I1, I32},
};
use crate::regular::Element;
use tilewright_ir::{AtomicRMWMode, AttrName, MemoryOrderingSemantics as Order, MemoryScope, Opcode, Scalar, TypeTable};

/// Places that are added to.
const PLACES: u64 = 64;

impl Generator<'_> {
    /// Adds integers to places that only these additions write, wherever the block writes all else.
    pub(super) fn add_together(&mut self) {
        let scalar = *self.choices.pick(&[Scalar::I32, Scalar::I64]);
        let element = Element::Number(scalar);
        let shape = self.shape(element);
        let start = self.take(size(scalar) * PLACES as usize);
        let base = self.pointer(self.all_output, start, scalar);
        let numbers = self.operand(I32, &shape, true);
        let mask = self.numbers(Scalar::I32, &shape, &[PLACES - 1]);
        let ty = self.ty(I32, &shape);
        let positions = self.value(Opcode::AndI, |op| op.operand("lhs", numbers).operand("rhs", mask).result(ty));
        let pointers = self.pointers(base, scalar, positions, &shape);
        let argument = self.operand(element, &shape, true);
        let hidden = if self.choices.below(3) == 2 { vec![self.operand(I1, &shape, true)] } else { Vec::new() };
        let [order, _] = self.order(&[Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel]);
        // All blocks add to these places.
        let scope = Self::wire(*self.choices.pick(&[MemoryScope::Device, MemoryScope::Sys]) as u8);
        let ty = self.ty(element, &shape);
        self.op(Opcode::AtomicRMWTko, |op| {
            let op = op.operand("pointers", pointers).operand("arg", argument).operands("mask", &hidden);
            let op = op.attr(AttrName::MemoryOrderingSemantics, order).attr(AttrName::MemoryScope, scope);
            op.attr(AttrName::Mode, Self::wire(AtomicRMWMode::Add as u8)).results(&[ty, TypeTable::token()])
        });
    }
}
