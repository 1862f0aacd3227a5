//! Calls: the body of the function stands where it is called.

use super::{Lowerer, Return, Val, access::Accesses, control};
use crate::PlanError;
use tilewright_ir::{AttrName, AttrValue, Function, OpRef};

/// Calls may be nested this deep; a function cannot call itself.
const MAX_CALLS: usize = 64;
/// With more instructions than this, nothing is called any more: functions that call others twice grow without bound.
const MAX_INSTRUCTIONS: usize = 1 << 21;

impl<'m> Lowerer<'m> {
    pub(super) fn call(&mut self, op: OpRef<'m>) -> Result<(), PlanError> {
        let (position, function) = self.callee(op)?;
        let name = self.module.tables.strings.shown(function.name);
        if self.returns.len() >= MAX_CALLS || self.returns.iter().any(|outer| outer.function == function.name) {
            return Err(self.malformed(format!("@{name} calls itself, or calls are nested deeper than {MAX_CALLS}")));
        }
        if self.code.len() > MAX_INSTRUCTIONS {
            return Err(self.malformed(format!("what is called comes to more than {MAX_INSTRUCTIONS} instructions")));
        }
        let Some(block) = function.body.entry_block() else {
            return Err(self.malformed(format!("@{name} has no body")));
        };
        let types = |values: &[tilewright_ir::Value]| values.iter().map(|v| self.body.ty(*v)).collect::<Vec<_>>();
        let fits = types(op.operands()) == function.params(&self.module.tables);
        self.require(fits, "the operands must have the types of the function's parameters")?;
        let results = self.carriers(op.results())?;
        let arguments = op.operands().iter().map(|v| self.val(*v).cloned()).collect::<Result<Vec<Val>, _>>()?;
        let exit = self.new_label();
        let values = std::mem::replace(&mut self.values, vec![None; function.body.num_values()]);
        let body = std::mem::replace(&mut self.body, &function.body);
        let caller = std::mem::replace(&mut self.function, position);
        let found = if self.watched { Accesses::default() } else { Accesses::find(self.module, &function.body, &self.machine) };
        let accesses = std::mem::replace(&mut self.accesses, found);
        let waiting = std::mem::replace(&mut self.waiting, control::waiting(&function.body));
        let read = std::mem::take(&mut self.read);
        // Jumps do not leave the function.
        let (loops, ifs) = (std::mem::take(&mut self.loops), std::mem::take(&mut self.ifs));
        self.returns.push(Return { function: function.name, results: results.clone(), exit, scope: self.open.len() });
        for (parameter, argument) in self.body.args(block).zip(arguments) {
            self.define(parameter, argument);
        }
        let at = self.site;
        self.block(block)?;
        self.site = at;
        self.returns.pop();
        self.function = caller;
        (self.loops, self.ifs) = (loops, ifs);
        (self.body, self.values, self.accesses, self.waiting, self.read) = (body, values, accesses, waiting, read);
        self.place_label(exit);
        self.define_carried(op.results(), &results)
    }

    /// The function that is called, with its position in the module.
    fn callee(&self, op: OpRef<'m>) -> Result<(u32, &'m Function), PlanError> {
        let AttrValue::Str(name) = op.attr(AttrName::Callee) else {
            return Err(self.malformed("the name of the function is missing".to_owned()));
        };
        let module = self.module;
        let numbered = || (0..).zip(&module.functions).map(|(position, function)| (function.name, (position, function)));
        let functions = self.functions.get_or_init(|| numbered().collect());
        functions
            .get(&name)
            .copied()
            .ok_or_else(|| self.malformed(format!("the module has no function @{}", self.module.tables.strings.shown(name))))
    }
}
