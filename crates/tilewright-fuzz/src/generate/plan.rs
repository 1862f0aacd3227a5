//! What an operation is made of, before it is made.

use super::Generator;
use tilewright_ir::{
    AttrName, AttrValue, Builder, Op, Opcode, Type, Value,
    ops::{Arity, Results},
};

/// The types of an operation, and the attributes that hang together with them.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) opcode: Opcode,
    /// The types of the values of each operand of the row.
    pub(super) operands: Vec<Vec<Type>>,
    pub(super) attrs: Vec<(AttrName, AttrValue)>,
    pub(super) results: Vec<Type>,
}

impl Plan {
    pub(super) fn new(opcode: Opcode) -> Plan {
        Plan { opcode, operands: vec![Vec::new(); opcode.def().operands.len()], attrs: Vec::new(), results: Vec::new() }
    }

    /// Adds a value to an operand.
    pub(super) fn operand(self, name: &str, ty: Type) -> Plan {
        self.operands(name, &[ty])
    }

    /// Adds values to an operand.
    pub(super) fn operands(mut self, name: &str, types: &[Type]) -> Plan {
        let index = self.opcode.def().operand_index(name).unwrap_or_else(|| panic!("{} has no operand '{name}'", self.opcode));
        self.operands[index].extend_from_slice(types);
        self
    }

    pub(super) fn attr(mut self, name: AttrName, value: AttrValue) -> Plan {
        self.attrs.push((name, value));
        self
    }

    pub(super) fn result(self, ty: Type) -> Plan {
        self.results(&[ty])
    }

    pub(super) fn results(mut self, types: &[Type]) -> Plan {
        self.results.extend_from_slice(types);
        self
    }

    /// How many values an operand takes.
    pub(super) fn count(&self, name: &str) -> usize {
        self.opcode.def().operand_index(name).map_or(0, |index| self.operands[index].len())
    }
}

impl Generator<'_, '_> {
    /// Adds an optional operand, perhaps, if the version has it.
    pub(super) fn maybe(&mut self, plan: Plan, name: &str, ty: Type) -> Plan {
        let def = plan.opcode.def();
        let operand = def.operands.iter().find(|operand| operand.name == name);
        let operand = operand.unwrap_or_else(|| panic!("{} has no operand '{name}'", plan.opcode));
        assert_eq!(operand.arity, Arity::Optional, "{} always has '{name}'", plan.opcode);
        if def.operand_since(operand) <= self.version() && self.source.flag() { plan.operand(name, ty) } else { plan }
    }

    /// Makes the operation of a plan, whose results can be used from now on.
    pub(super) fn add(&mut self, plan: Plan) -> Op {
        let op = self.emit(plan);
        self.define(op);
        op
    }

    /// Makes the operation of a plan. Its results come into sight with [`Generator::define`], after its regions.
    pub(super) fn emit(&mut self, plan: Plan) -> Op {
        let mut operands: Vec<Vec<Value>> = Vec::new();
        for types in &plan.operands {
            operands.push(types.iter().map(|ty| self.value(*ty)).collect());
        }
        let attrs = self.row_attributes(&plan);
        let loc = self.place();
        let mut builder = Builder::new(&mut self.module.tables, &mut self.body, self.block);
        builder.set_loc(loc);
        let mut op = builder.op(plan.opcode).results(&plan.results);
        for (def, values) in plan.opcode.def().operands.iter().zip(&operands) {
            op = op.operands(def.name, values);
        }
        for (name, value) in plan.attrs.iter().chain(&attrs) {
            op = op.attr(*name, *value);
        }
        op.finish().unwrap_or_else(|error| panic!("a generated operation cannot be built: {error}"))
    }

    /// Brings the results of an operation into sight: those that the version has.
    pub(super) fn define(&mut self, op: Op) {
        let op = self.body.op(op);
        let def = op.def();
        for (i, result) in op.results().enumerate() {
            let is_there = match def.results {
                Results::Fixed(results) => def.result_since(&results[i]) <= self.module.version,
                Results::Variadic(_) => true,
            };
            if is_there {
                self.visible.push(result);
            }
        }
    }
}
