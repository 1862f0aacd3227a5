//! Values for operands: one that is there, or a new one.

use super::{Generator, plan::Plan};
use tilewright_ir::{AttrName, AttrValue, Opcode, Scalar, Type, TypeData, Value};

/// How many values are looked at, and how many of a type are chosen from: the last ones.
const SEEN: usize = 500;
const CHOICES: usize = 16;

impl Generator<'_, '_> {
    /// A value of this type.
    pub(super) fn value(&mut self, ty: Type) -> Value {
        let known = self.visible.iter().rev().take(SEEN).copied().filter(|value| self.body.ty(*value) == ty);
        let known: Vec<Value> = known.take(CHOICES).collect();
        let choice = self.source.below(known.len() + 1);
        match known.get(choice) {
            Some(value) => *value,
            None => self.make(ty),
        }
    }

    /// A new value of this type, from nothing: every type has an operation for that which is pure.
    fn make(&mut self, ty: Type) -> Value {
        let plan = match self.module.tables.types.get(ty).clone() {
            TypeData::Token => Plan::new(Opcode::MakeToken),
            TypeData::Tile { element, shape } => match self.module.tables.types.scalar(element) {
                Some(Scalar::I4) => {
                    let wide = self.tile(Scalar::I8, &shape);
                    Plan::new(Opcode::TruncI).operand("from", wide)
                }
                Some(scalar) => {
                    let data = self.constant_data(scalar, shape.iter().product());
                    Plan::new(Opcode::Constant).attr(AttrName::Value, AttrValue::Const(data))
                }
                None => {
                    let addresses = self.tile(Scalar::I64, &shape);
                    Plan::new(Opcode::IntToPtr).operand("source", addresses)
                }
            },
            TypeData::TensorView { .. } => return self.make_tensor_view(ty),
            TypeData::PartitionView { tensor_view, .. } => Plan::new(Opcode::MakePartitionView).operand("tensor_view", tensor_view),
            TypeData::StridedView { tensor_view, .. } => Plan::new(Opcode::MakeStridedView).operand("tensor_view", tensor_view),
            TypeData::GatherScatterView { tensor_view, .. } => Plan::new(Opcode::MakeGatherScatterView).operand("tensor_view", tensor_view),
            TypeData::Scalar(_) | TypeData::Pointer { .. } | TypeData::Function { .. } => unreachable!("no value has such a type"),
        };
        self.add_value(plan.result(ty))
    }

    fn make_tensor_view(&mut self, ty: Type) -> Value {
        let plan = self.tensor_view_plan(ty);
        self.add_value(plan)
    }

    /// Makes an operation and gives its first result.
    fn add_value(&mut self, plan: Plan) -> Value {
        let op = self.add(plan);
        self.body.op(op).result(0).expect("it has a result")
    }
}
