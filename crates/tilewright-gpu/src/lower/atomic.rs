//! Atomic updates, through pointers and through views.

use super::{Lowerer, Stop, Tile, exchange::Reads, memory::Place, order::Access};
use crate::{
    Layout,
    Target::Sm90,
    thread::{End, Order, Space, Strong, Target, Update, Value},
};
use tilewright_ir::{AtomicRMWMode, AttrName, AttrValue, OpRef, RoundingMode, Scalar};
use tilewright_passes::{elem::Elem, elementwise::ElemOp};
use tilewright_vector::{Lane, Prim};

/// An update of elements that [`Place`]s name.
struct Request {
    update: Kind,
    strong: Strong,
    /// Where the old values are not read, they are not kept.
    is_read: bool,
}

#[derive(Clone, Copy)]
enum Kind {
    /// One instruction.
    Whole(Update),
    /// The sum of two `bf16`, which only `sm_90` and later have an instruction for.
    AddBf16ByExchange,
}

impl Lowerer<'_> {
    fn mode(&self, op: OpRef<'_>) -> Result<AtomicRMWMode, Stop> {
        let mode = match op.attr(AttrName::Mode) {
            AttrValue::Enum(wire) => AtomicRMWMode::from_wire(wire),
            _ => None,
        };
        mode.ok_or_else(|| self.unsupported(op, "an update without a mode"))
    }

    /// What a mode is for a type of elements.
    fn kind(&self, op: OpRef<'_>, elem: Elem) -> Result<Kind, Stop> {
        let mode = self.mode(op)?;
        Ok(Kind::Whole(match (mode, elem) {
            (AtomicRMWMode::Addf, Elem::Num(Scalar::F16)) => Update::AddF16,
            (AtomicRMWMode::Addf, Elem::Num(Scalar::Bf16)) if self.target >= Sm90 => Update::AddBf16,
            (AtomicRMWMode::Addf, Elem::Num(Scalar::Bf16)) => return Ok(Kind::AddBf16ByExchange),
            (AtomicRMWMode::Add | AtomicRMWMode::Addf, _) => Update::Add,
            (AtomicRMWMode::And, _) => Update::And,
            (AtomicRMWMode::Or, _) => Update::Or,
            (AtomicRMWMode::Xor, _) => Update::Xor,
            (AtomicRMWMode::Max, _) => Update::MaxS,
            (AtomicRMWMode::Min, _) => Update::MinS,
            (AtomicRMWMode::Umax, _) => Update::MaxU,
            (AtomicRMWMode::Umin, _) => Update::MinU,
            (AtomicRMWMode::Xchg, _) => Update::Exchange,
        }))
    }

    fn required_strength(&self, op: OpRef<'_>) -> Result<Strong, Stop> {
        self.strong(op)?.ok_or_else(|| self.unsupported(op, "a weak update"))
    }

    pub(super) fn atomic_rmw(&mut self, op: OpRef<'_>) -> Result<(), Stop> {
        let argument = self.tile(op, op.operand_named("arg")[0])?;
        let update = self.kind(op, argument.elem)?;
        self.update_through_pointers(op, update, &argument, None)
    }

    pub(super) fn atomic_cas(&mut self, op: OpRef<'_>) -> Result<(), Stop> {
        let [expected, new] = [self.tile(op, op.operand_named("cmp")[0])?, self.tile(op, op.operand_named("val")[0])?];
        // Which value is expected differs from register to register, so it is given beside.
        self.update_through_pointers(op, Kind::Whole(Update::Exchange), &new, Some(&expected))
    }

    fn update_through_pointers(&mut self, op: OpRef<'_>, update: Kind, argument: &Tile, expected: Option<&Tile>) -> Result<(), Stop> {
        let pointers = self.tile(op, op.operand_named("pointers")[0])?;
        let argument = self.convert(argument, &pointers.layout);
        let expected = expected.map(|tile| self.convert(tile, &pointers.layout));
        let places = self.pointer_places(op, &pointers)?;
        let result = op.result(0).expect("the old values");
        let request = Request { update, strong: self.required_strength(op)?, is_read: self.is_read(result) };
        let registers = self.update_all(op, &request, &places, &argument, expected.as_ref())?;
        if let Some(registers) = registers {
            let is_splat = argument.shape.is_empty();
            self.define(result, Tile { registers, is_splat, ..argument });
        }
        Ok(())
    }

    pub(super) fn atomic_view(&mut self, op: OpRef<'_>) -> Result<(), Stop> {
        let view = self.view(op)?;
        let argument = self.tile(op, op.operand_named("value")[0])?;
        let update = self.kind(op, argument.elem)?;
        let places = self.places(op, &view, &argument)?;
        let request = Request { update, strong: self.required_strength(op)?, is_read: false };
        self.update_all(op, &request, &places, &argument, None)?;
        Ok(())
    }

    /// Updates elements, each by the first thread that holds it; gives the old values to all that do, if they are read.
    fn update_all(
        &mut self,
        op: OpRef<'_>,
        request: &Request,
        places: &[Place],
        argument: &Tile,
        expected: Option<&Tile>,
    ) -> Result<Option<Vec<Value>>, Stop> {
        self.order(op, Access::update(request.strong));
        let first = self.first_holders(&argument.layout);
        let mut olds = Vec::new();
        for (register, place) in places.iter().enumerate() {
            let mask = self.both(first, place.inside);
            let far = self.i64(place.offset.into());
            let address = self.b.prim(Prim::Add, &[place.address, far]);
            let value = argument.registers[register];
            let old = match (request.update, expected) {
                (Kind::AddBf16ByExchange, _) => {
                    let old = self.add_by_exchange(argument.elem, request.strong, (address, value), mask);
                    Some(old.ok_or_else(|| self.unsupported(op, "a sum of bf16"))?)
                }
                (Kind::Whole(update), None) => {
                    let value = if update == Update::Exchange { self.as_bits(value) } else { value };
                    let other = request.is_read.then(|| self.b.constant(self.b.lane(value), 0));
                    self.b.atomic(update, request.strong, (address, value), mask, other)
                }
                (Kind::Whole(_), Some(expected)) => {
                    let [value, expected] = [value, expected.registers[register]].map(|value| self.as_bits(value));
                    // Where nothing is done, the result is what was expected.
                    let other = request.is_read.then_some(expected);
                    self.b.atomic(Update::CompareExchange(expected), request.strong, (address, value), mask, other)
                }
            };
            olds.extend(old);
        }
        if !request.is_read {
            return Ok(None);
        }
        let lane = self.b.lane(argument.registers[0]);
        let mut olds: Vec<Value> = olds.into_iter().map(|old| self.of_bits(old, lane)).collect();
        if first.is_some() {
            olds = self.handed_out(&argument.layout, &olds);
        }
        Ok(Some(olds))
    }

    /// Adds to a number of 16 bits until nobody else has changed it meanwhile; the old number.
    fn add_by_exchange(&mut self, elem: Elem, strong: Strong, (address, value): (Value, Value), mask: Option<Value>) -> Option<Value> {
        let zero = self.b.constant(Lane::I16, 0);
        let relaxed = Strong { order: Order::Relaxed, ..strong };
        let seen = self.b.load_ordered(Lane::I16, Space::Global, (address, 0), mask.map(|mask| (mask, zero)), Some(relaxed));
        let (header, params) = self.b.block(&[Lane::I16]);
        let (exit, after) = self.b.block(&[Lane::I16]);
        self.b.jump(header, vec![seen]);
        self.b.continue_in(header);
        let add = ElemOp::AddF(RoundingMode::NearestEven, false);
        let sum = self.element(add, &[elem, elem], elem, &[params[0], value])?;
        let found = self.b.atomic(Update::CompareExchange(params[0]), strong, (address, sum), mask, Some(params[0]))?;
        let done = self.b.prim(Prim::Eq, &[found, params[0]]);
        self.b.end(End::Branch {
            condition: done,
            then: Target { label: exit, args: vec![found] },
            otherwise: Target { label: header, args: vec![found] },
        });
        self.b.continue_in(exit);
        Some(after[0])
    }

    /// What was given to the first threads that hold the elements of a layout, for all that do.
    pub(super) fn handed_out(&mut self, layout: &Layout, values: &[Value]) -> Vec<Value> {
        self.through_shared(layout, values, layout, Reads::Any)
    }

    /// The bits of a float; others as they are.
    pub(super) fn as_bits(&mut self, value: Value) -> Value {
        match self.b.lane(value) {
            Lane::F32 => self.b.prim(Prim::Bits32, &[value]),
            Lane::F64 => self.b.prim(Prim::Bits64, &[value]),
            _ => value,
        }
    }

    /// The value of this type that bits are.
    pub(super) fn of_bits(&mut self, bits: Value, lane: Lane) -> Value {
        match (lane, self.b.lane(bits)) {
            (Lane::F32, Lane::I32) => self.b.prim(Prim::Float32, &[bits]),
            (Lane::F64, Lane::I64) => self.b.prim(Prim::Float64, &[bits]),
            _ => bits,
        }
    }
}
