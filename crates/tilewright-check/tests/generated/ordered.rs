//! Programs of the engine, made correct: one chain of tokens through all that they do to memory, and nothing is loaded that is not there.

use std::collections::HashMap;
use tilewright_ir::{
    Block, Body, Builder, Module, Op, OpRef, Opcode, PaddingValue, Scalar, Type, TypeData, TypeTable, Value, VerifiedModule, verify,
};
use tilewright_passes::Pipeline;

/// Whether an operation takes a token and gives one.
pub(crate) fn takes_token(op: OpRef<'_>) -> bool {
    let takes = op.def().operands.iter().any(|operand| operand.name == "token");
    takes && op.results().any(|result| op.body().ty(result) == TypeTable::token())
}

/// The program with its functions inlined and a chain of tokens. `None` if it calls functions all the same.
pub(crate) fn ordered(module: &VerifiedModule) -> Option<VerifiedModule> {
    let mut module: Module = Module::clone(module);
    Pipeline::parse("inline").expect("there is this pass").change(&mut module);
    module.functions.retain(|function| function.is_entry);
    let [entry] = &mut module.functions[..] else { panic!("there is one entry") };
    let old = std::mem::take(&mut entry.body);
    if old.preorder().any(|op| op.opcode() == Opcode::PreviewCall) {
        return None;
    }
    let mut chain = Chain { old: &old, new: Body::new(), module: &mut module, values: HashMap::new() };
    let root = chain.old.entry_block().expect("the entry has a body");
    let params: Vec<Type> = old.args(root).map(|arg| old.ty(arg)).collect();
    let block = chain.new.add_block(chain.new.root(), &params);
    chain.map(old.args(root), &chain.new.args(block).collect::<Vec<_>>());
    let start = chain.builder(block).op(Opcode::MakeToken).result(TypeTable::token()).value().expect("a token");
    chain.block(root, block, start);
    let body = chain.new;
    module.functions[0].body = body;
    Some(verify(module).unwrap_or_else(|findings| panic!("{}", findings[0])))
}

/// Whether an operation is part of what a reduction or scan does to two elements, which accesses nothing.
fn is_in_fold(op: OpRef<'_>) -> bool {
    std::iter::successors(op.parent(), |parent| parent.parent()).any(|parent| matches!(parent.opcode(), Opcode::Reduce | Opcode::Scan))
}

struct Chain<'a> {
    old: &'a Body,
    new: Body,
    module: &'a mut Module,
    values: HashMap<Value, Value>,
}

impl Chain<'_> {
    fn builder(&mut self, block: Block) -> Builder<'_> {
        Builder::new(&mut self.module.tables, &mut self.new, block)
    }

    fn map(&mut self, old: impl Iterator<Item = Value>, new: &[Value]) {
        self.values.extend(old.zip(new.iter().copied()));
    }

    /// Copies the operations of a block behind a token; gives the last one.
    fn block(&mut self, old: Block, new: Block, mut token: Value) -> Value {
        let body = self.old;
        for op in body.ops(old) {
            token = self.op(op, new, token);
        }
        token
    }

    fn op(&mut self, op: OpRef<'_>, block: Block, token: Value) -> Value {
        let branches = matches!(op.opcode(), Opcode::If | Opcode::For | Opcode::Loop) && !is_in_fold(op);
        let leaves = matches!(op.opcode(), Opcode::Yield | Opcode::Continue | Opcode::Break) && !is_in_fold(op);
        let mut types: Vec<Type> = op.results().map(|result| self.padded(self.old.ty(result))).collect();
        if branches {
            types.push(TypeTable::token());
        }
        let waits = takes_token(op);
        let lacks_padding = op.opcode() == Opcode::LoadPtrTko && op.operand_named("paddingValue").is_empty();
        let padding = if lacks_padding && !op.operand_named("mask").is_empty() { self.zeros(types[0], block) } else { None };
        let groups: Vec<(&str, Vec<Value>)> = op
            .def()
            .operands
            .iter()
            .map(|operand| {
                let mut values: Vec<Value> = op.operand_named(operand.name).iter().map(|value| self.values[value]).collect();
                match operand.name {
                    "token" if waits => values = vec![token],
                    "initValues" if branches => values.push(token),
                    "operands" if leaves => values.push(token),
                    "paddingValue" if lacks_padding => values.extend(padding),
                    _ => {}
                }
                (operand.name, values)
            })
            .collect();
        let attrs: Vec<_> = op.def().attrs.iter().map(|attr| (attr.name, op.attr(attr.name))).collect();
        let mut builder = self.builder(block);
        let mut made = builder.op(op.opcode());
        for (name, values) in &groups {
            made = made.operands(name, values);
        }
        for (name, value) in attrs {
            made = made.attr(name, value);
        }
        let made = made.results(&types).finish().unwrap_or_else(|error| panic!("{}: {error}", op.opcode()));
        let results: Vec<Value> = self.new.op(made).results().collect();
        self.map(op.results(), &results);
        if matches!(op.opcode(), Opcode::AtomicRMWTko | Opcode::AtomicCASTko) {
            self.define_masked(op, block, results[0]);
        }
        self.regions(op, made, branches, token);
        let is_token = |value: &&Value| self.new.ty(**value) == TypeTable::token();
        match results.last().filter(is_token) {
            Some(last) if branches || waits => *last,
            _ => token,
        }
    }

    /// A type of views with a value for what lies outside of their tensors.
    fn padded(&mut self, ty: Type) -> Type {
        let mut data = self.module.tables.types.get(ty).clone();
        match &mut data {
            TypeData::PartitionView { padding, .. }
            | TypeData::StridedView { padding, .. }
            | TypeData::GatherScatterView { padding, .. } => {
                padding.get_or_insert(PaddingValue::Zero);
            }
            _ => return ty,
        }
        self.module.tables.types.intern(data).expect("it is a type without padding, too")
    }

    fn zeros(&mut self, ty: Type, block: Block) -> Option<Value> {
        let (element, shape) = self.module.tables.types.as_tile(ty)?;
        let (scalar, shape) = (self.module.tables.types.scalar(element)?, shape.to_vec());
        let elements = if scalar == Scalar::I1 { shape.iter().product::<i64>() as usize } else { 1 };
        let bytes = vec![0; (elements * scalar.bits() as usize).div_ceil(8)];
        self.builder(block).constant(scalar, &shape, &bytes).ok()
    }

    /// Zeros in the place of the elements of a result that are masked off, which are undefined.
    fn define_masked(&mut self, op: OpRef<'_>, block: Block, result: Value) {
        let Some(mask) = op.operand_named("mask").first().map(|mask| self.values[mask]) else { return };
        let ty = self.new.ty(result);
        let zeros = self.zeros(ty, block).expect("elements of atomic operations have constants");
        let mut builder = self.builder(block);
        let select = builder.op(Opcode::Select).operand("cond", mask).operand("val_if_true", result).operand("val_if_false", zeros);
        let defined = select.result(ty).value().expect("all have one shape");
        self.values.insert(op.results().next().expect("it has a result"), defined);
    }

    fn regions(&mut self, op: OpRef<'_>, made: Op, branches: bool, token: Value) {
        for (index, region) in self.new.op(made).regions().collect::<Vec<_>>().into_iter().enumerate() {
            let carries = matches!(op.opcode(), Opcode::For | Opcode::Loop);
            let Some(old) = op.region_block(index) else {
                if branches {
                    // An `if` without `else` gives what it was given.
                    let block = self.new.add_block(region, &[]);
                    self.builder(block).op(Opcode::Yield).operands("operands", &[token]).finish().expect("a yield");
                }
                continue;
            };
            let mut types: Vec<Type> = self.old.args(old).map(|arg| self.old.ty(arg)).collect();
            if carries {
                types.push(TypeTable::token());
            }
            let block = self.new.add_block(region, &types);
            let args: Vec<Value> = self.new.args(block).collect();
            self.map(self.old.args(old), &args);
            let first = if carries { args[args.len() - 1] } else { token };
            self.block(old, block, first);
        }
    }
}
