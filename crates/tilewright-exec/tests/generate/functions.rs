//! Functions that programs call: they take values, store what they make of them, and give values back.

use super::{Generator, Slot, statements::I1};
use crate::regular::Element;
use tilewright_ir::{AttrData, AttrName, AttrValue, Body, Function, Opcode, Scalar, Str, SymbolVisibility, Type, TypeData, Value};

/// The most functions of a program.
const MAX_FUNCTIONS: usize = 3;
/// Operations of a function, roughly.
const BUDGET: usize = 15;
/// What functions take: numbers that decide, numbers that do not, and pointers.
const PARAMS: [Element; 8] = [
    Element::Number(Scalar::I32),
    Element::Number(Scalar::F32),
    I1,
    Element::Number(Scalar::I64),
    Element::Number(Scalar::F16),
    Element::Number(Scalar::I8),
    Element::Number(Scalar::F64),
    Element::PointerTo(Scalar::F32),
];

/// A function that can be called.
#[derive(Clone)]
pub(super) struct Callable {
    name: Str,
    /// What its parameters promise of the arguments, as places in a pool without values of their own.
    params: Vec<Slot>,
    /// What is known of what it gives, in the same way.
    results: Vec<Slot>,
}

impl Generator<'_> {
    /// Calls a function: one that is complete, or a new one. Its decisions are among those of the call, so they go with it.
    pub(super) fn call(&mut self) {
        if self.functions < MAX_FUNCTIONS && (self.callables.is_empty() || self.choices.below(2) == 1) {
            self.function();
        }
        if self.callables.is_empty() {
            return;
        }
        let callable = self.choices.pick(&self.callables).clone();
        let mut values = vec![self.input, self.output];
        values.extend(self.alike(&callable.params));
        let none = AttrValue::Attr(self.module.tables.attrs.intern(AttrData::Array([].into())));
        let results = self.types(&callable.results);
        let op = self.op(Opcode::PreviewCall, |op| {
            let op = op.operands("operands", &values).results(&results);
            op.attr(AttrName::Callee, AttrValue::Str(callable.name)).attr(AttrName::ConstArgs, none)
        });
        let values: Vec<Value> = self.body.op(op).results().collect();
        self.keep_all(&values, &callable.results);
    }

    fn function(&mut self) {
        let name = self.module.tables.strings.intern(format!("f{}", self.functions));
        self.functions += 1;
        // Operations need something to begin with.
        let params: Vec<Slot> = (0..1 + self.choices.below(3)).map(|_| self.param()).collect();
        let [input, output] = [self.input, self.output].map(|pointer| self.body.ty(pointer));
        let types: Vec<Type> = [input, output].into_iter().chain(self.types(&params)).collect();
        // What it gives is often of the types of what it takes, and in pairs, which could be mixed up.
        let given = [Vec::new(), params.clone(), vec![params[0].clone(); 2]];
        let results = self.choices.pick(&given).clone();
        let body = self.body_of(&types, |this, args| {
            this.keep_all(args, &params);
            this.statements();
            if this.choices.once_in(3) {
                this.leave_early(Opcode::Return, &results);
            }
            let returned = this.alike(&results);
            this.store_all();
            this.op(Opcode::Return, |op| op.operands("operands", &returned));
        });
        let given = self.types(&results);
        let signature = self.module.tables.types.intern(TypeData::Function { inputs: types.into(), results: given.into() }).unwrap();
        let (hints, arg_attrs, loc, visibility) = (None, None, None, SymbolVisibility::Private);
        self.module.functions.push(Function { name, signature, is_entry: false, visibility, hints, arg_attrs, loc, body });
        self.callables.push(Callable { name, params, results });
    }

    fn param(&mut self) -> Slot {
        let element = *self.choices.pick(&PARAMS);
        let shape = self.shape(element);
        let solid = element == I1 || element == PARAMS[0] && self.choices.below(2) == 1;
        Slot { value: self.output, element, shape, solid }
    }

    /// A body of its own. `fill` sees its parameters, of which the first two are those of an entry.
    fn body_of(&mut self, params: &[Type], fill: impl FnOnce(&mut Self, &[Value])) -> Body {
        let mut body = Body::new();
        let block = body.add_block(body.root(), params);
        let args: Vec<Value> = body.args(block).collect();
        std::mem::swap(&mut self.body, &mut body);
        let block = std::mem::replace(&mut self.block, block);
        let pool = std::mem::take(&mut self.pool);
        let (input, output, budget, depth) = (self.input, self.output, self.budget, self.depth);
        (self.input, self.output, self.budget, self.depth) = (args[0], args[1], BUDGET, 2);
        fill(self, &args[2..]);
        (self.input, self.output, self.budget, self.depth) = (input, output, budget, depth);
        (self.block, self.pool) = (block, pool);
        std::mem::swap(&mut self.body, &mut body);
        body
    }
}
