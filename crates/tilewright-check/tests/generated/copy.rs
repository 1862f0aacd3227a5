//! Copies of bodies in which one operation is another.

use std::collections::HashMap;
use tilewright_ir::{
    AttrName, AttrValue, Block, Body, Builder, Module, Op, OpRef, Opcode, Scalar, Type, TypeTable, Value, VerifiedModule, verify,
};

/// What becomes of an operation.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    /// It waits for nothing.
    NoToken,
    /// An attribute is another one.
    Attr(AttrName, AttrValue),
    /// A pointer points far behind all memory.
    Far(&'static str),
    /// All bytes of an operand are this one.
    Bytes(&'static str, u8),
    /// Behind it, its first result is promised to be something.
    Promise(AttrValue),
    /// An atomic update is a weak store.
    WeakStore,
    /// An access is not made; what waits for it waits for what it waited for.
    Dropped,
}

/// What is added to a pointer that is to point far away.
const FAR: u64 = 1 << 40;

/// The module with a change of one operation of its entry. `None` if that gives no valid module.
pub(crate) fn changed(module: &Module, op: Op, change: &Change) -> Option<VerifiedModule> {
    let mut module = module.clone();
    let [entry] = &mut module.functions[..] else { panic!("there is one entry") };
    let old = std::mem::take(&mut entry.body);
    let mut copy = Copy { old: &old, new: Body::new(), module: &mut module, values: HashMap::new(), at: op, change };
    let root = copy.new.root();
    copy.block(old.entry_block().expect("the entry has a body"), root)?;
    let body = copy.new;
    module.functions[0].body = body;
    verify(module).ok()
}

struct Copy<'a> {
    old: &'a Body,
    new: Body,
    module: &'a mut Module,
    values: HashMap<Value, Value>,
    at: Op,
    change: &'a Change,
}

/// The parts of an operation to be.
struct Parts<'a> {
    opcode: Opcode,
    operands: Vec<(&'a str, Vec<Value>)>,
    attrs: Vec<(AttrName, AttrValue)>,
    results: Vec<Type>,
}

impl Copy<'_> {
    fn builder(&mut self, block: Block) -> Builder<'_> {
        Builder::new(&mut self.module.tables, &mut self.new, block)
    }

    fn block(&mut self, old: Block, region: tilewright_ir::Region) -> Option<()> {
        let types: Vec<Type> = self.old.args(old).map(|arg| self.old.ty(arg)).collect();
        let block = self.new.add_block(region, &types);
        self.values.extend(self.old.args(old).zip(self.new.args(block)));
        let body = self.old;
        body.ops(old).try_for_each(|op| self.op(op, block))
    }

    fn op(&mut self, op: OpRef<'_>, block: Block) -> Option<()> {
        let def = op.def();
        let operand = |name| op.operand_named(name).iter().map(|value| self.values[value]).collect();
        let mut parts = Parts {
            opcode: op.opcode(),
            operands: def.operands.iter().map(|it| (it.name, operand(it.name))).collect(),
            attrs: def.attrs.iter().map(|it| (it.name, op.attr(it.name))).collect(),
            results: op.results().map(|result| self.old.ty(result)).collect(),
        };
        let is_changed = op.id() == self.at;
        if is_changed {
            if matches!(self.change, Change::Dropped) {
                self.values.insert(op.results().next_back()?, *parts.values("token").first()?);
                return Some(());
            }
            self.change(&mut parts, block)?;
        }
        let made = self.make(&parts, block)?;
        // A store has no result but its token.
        self.values.extend(op.results().rev().zip(self.new.op(made).results().rev()));
        for (index, region) in self.new.op(made).regions().collect::<Vec<_>>().into_iter().enumerate() {
            if let Some(old) = op.region_block(index) {
                self.block(old, region)?;
            }
        }
        if is_changed && let Change::Promise(predicate) = self.change {
            let value = self.new.op(made).result(0)?;
            let ty = self.new.ty(value);
            self.builder(block)
                .op(Opcode::Assume)
                .operand("value", value)
                .attr(AttrName::Predicate, *predicate)
                .result(ty)
                .finish()
                .ok()?;
        }
        Some(())
    }

    fn make(&mut self, parts: &Parts<'_>, block: Block) -> Option<Op> {
        let mut builder = self.builder(block);
        let mut op = builder.op(parts.opcode);
        for (name, values) in &parts.operands {
            op = op.operands(name, values);
        }
        for (name, value) in &parts.attrs {
            op = op.attr(*name, *value);
        }
        op.results(&parts.results).finish().ok()
    }

    fn change(&mut self, parts: &mut Parts<'_>, block: Block) -> Option<()> {
        match *self.change {
            Change::NoToken => {
                let token = self.builder(block).op(Opcode::MakeToken).result(TypeTable::token()).value().ok()?;
                *parts.values("token") = vec![token];
            }
            Change::Attr(name, value) => parts.attrs.iter_mut().find(|(it, _)| *it == name)?.1 = value,
            Change::Far(name) => {
                let pointer = *parts.values(name).first()?;
                let ty = self.new.ty(pointer);
                let shape: Vec<i64> = self.module.tables.types.as_tile(ty)?.1.to_vec();
                let offset = self.builder(block).constant(Scalar::I64, &shape, &FAR.to_le_bytes()).ok()?;
                let mut builder = self.builder(block);
                let far = builder.op(Opcode::Offset).operand("ptr", pointer).operand("offset", offset).result(ty);
                *parts.values(name) = vec![far.value().ok()?];
            }
            Change::Bytes(name, byte) => {
                let ty = self.new.ty(*parts.values(name).first()?);
                let (element, shape) = self.module.tables.types.as_tile(ty)?;
                let scalar = self.module.tables.types.scalar(element).filter(|scalar| scalar.bits() >= 8)?;
                let shape = shape.to_vec();
                let value = self.builder(block).constant(scalar, &shape, &vec![byte; scalar.bits().div_ceil(8) as usize]).ok()?;
                *parts.values(name) = vec![value];
            }
            Change::WeakStore => {
                let old = std::mem::take(&mut parts.operands);
                let named = |name: &str| old.iter().find(|(it, _)| *it == name).map(|(_, values)| values.clone()).unwrap_or_default();
                let names = [("destination", "pointers"), ("value", "arg"), ("mask", "mask"), ("token", "token")];
                parts.opcode = Opcode::StorePtrTko;
                parts.operands = names.map(|(new, old)| (new, named(old))).to_vec();
                parts.attrs =
                    vec![(AttrName::MemoryOrderingSemantics, AttrValue::Enum(tilewright_ir::MemoryOrderingSemantics::Weak as u8))];
                parts.results = vec![TypeTable::token()];
            }
            Change::Promise(_) | Change::Dropped => {}
        }
        Some(())
    }
}

impl<'a> Parts<'a> {
    fn values(&mut self, name: &str) -> &mut Vec<Value> {
        let position = self.operands.iter().position(|(it, _)| *it == name);
        match position {
            Some(position) => &mut self.operands[position].1,
            None => panic!("{} has no operand {name}", self.opcode),
        }
    }
}
