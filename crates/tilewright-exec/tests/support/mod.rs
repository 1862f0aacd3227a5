//! Builds small kernels for tests.

use tilewright_exec::{Arg, LaunchError, LaunchOptions, LaunchReport, Memory, Program, launch};
use tilewright_ir::{
    AttrName, AttrValue, Block, Body, Function, Module, NewOp, Op, Opcode, Region, Scalar, SymbolVisibility, Type, TypeData, Value,
    Version,
    ops::{Arity, AttrDef, AttrDefault, AttrKind},
    verify,
};

/// A kernel under construction; operations go to the end of the current block.
pub(crate) struct Kernel {
    pub(crate) module: Module,
    body: Body,
    block: Block,
    params: Vec<Type>,
}

impl Kernel {
    /// A kernel whose parameters are scalars of these types, or pointers to them.
    pub(crate) fn new(params: &[(Scalar, bool)]) -> Kernel {
        let mut module = Module::new("kernels", Version::LATEST);
        let types = &mut module.tables.types;
        let mut param = |&(scalar, pointer): &(Scalar, bool)| {
            let element = if pointer { types.pointer(scalar.ty()).unwrap() } else { scalar.ty() };
            types.tile(element, &[]).unwrap()
        };
        let params: Vec<Type> = params.iter().map(&mut param).collect();
        let mut body = Body::new();
        let block = body.add_block(body.root(), &params);
        Kernel { module, body, block, params }
    }

    pub(crate) fn param(&self, index: usize) -> Value {
        self.body.args(self.body.entry_block().unwrap()).nth(index).unwrap()
    }

    pub(crate) fn tile(&mut self, scalar: Scalar, shape: &[i64]) -> Type {
        self.module.tables.types.tile(scalar.ty(), shape).unwrap()
    }

    pub(crate) fn pointer(&mut self, scalar: Scalar, shape: &[i64]) -> Type {
        let pointer = self.module.tables.types.pointer(scalar.ty()).unwrap();
        self.module.tables.types.tile(pointer, shape).unwrap()
    }

    pub(crate) fn token(&self) -> Type {
        tilewright_ir::TypeTable::token()
    }

    /// Adds an operation; attributes that are not given take their defaults.
    pub(crate) fn op(&mut self, opcode: Opcode, operands: &[Value], attrs: &[(AttrName, AttrValue)], results: &[Type]) -> Op {
        let def = opcode.def();
        let default = |attr: &AttrDef| match (attr.default, attr.kind) {
            (Some(AttrDefault::Enum(value)), _) => AttrValue::Enum(value),
            (Some(AttrDefault::Int(value)), _) => AttrValue::Int(value),
            (_, AttrKind::Enum(_)) if !attr.optional => AttrValue::Enum(1),
            _ => AttrValue::Absent,
        };
        let value = |attr: &AttrDef| attrs.iter().find(|(name, _)| *name == attr.name).map_or(default(attr), |a| a.1);
        let slots: Vec<AttrValue> = def.attrs.iter().map(value).collect();
        let fixed = def.operands.iter().filter(|o| o.arity == Arity::One).count();
        let variadic = def.operands.iter().any(|o| o.arity == Arity::Variadic);
        let split = if variadic { (operands.len() - fixed) as u32 } else { 0 };
        let new = NewOp { opcode, operands, present: 0, split, attrs: &slots, results, loc: None };
        self.body.add_op(self.block, new)
    }

    pub(crate) fn result(&self, op: Op, index: usize) -> Value {
        self.body.op(op).result(index).unwrap()
    }

    /// An operation with one result.
    pub(crate) fn value(&mut self, opcode: Opcode, operands: &[Value], attrs: &[(AttrName, AttrValue)], ty: Type) -> Value {
        let op = self.op(opcode, operands, attrs, &[ty]);
        self.result(op, 0)
    }

    pub(crate) fn i32(&mut self, value: i32) -> Value {
        self.constant(Scalar::I32, &[], &value.to_le_bytes())
    }

    pub(crate) fn constant(&mut self, scalar: Scalar, shape: &[i64], bytes: &[u8]) -> Value {
        let data = self.module.tables.constants.add(bytes);
        let ty = self.tile(scalar, shape);
        self.value(Opcode::Constant, &[], &[(AttrName::Value, AttrValue::Const(data))], ty)
    }

    /// The x position of the block.
    pub(crate) fn block_id(&mut self) -> Value {
        let ty = self.tile(Scalar::I32, &[]);
        let op = self.op(Opcode::GetTileBlockId, &[], &[], &[ty; 3]);
        self.result(op, 0)
    }

    /// The sum of two i32.
    pub(crate) fn add(&mut self, a: Value, b: Value) -> Value {
        let ty = self.tile(Scalar::I32, &[]);
        self.value(Opcode::AddI, &[a, b], &[], ty)
    }

    /// The pointer `base + index`.
    pub(crate) fn offset(&mut self, base: Value, index: Value) -> Value {
        let ty = self.body.ty(base);
        self.value(Opcode::Offset, &[base, index], &[], ty)
    }

    /// Stores a scalar through a pointer; `ordering` and `scope` as in bytecode.
    pub(crate) fn store(&mut self, pointer: Value, value: Value, ordering: u8, scope: Option<u8>) {
        let attrs = memory_attrs(ordering, scope);
        let token = self.token();
        self.op(Opcode::StorePtrTko, &[pointer, value], &attrs, &[token]);
    }

    /// Loads a scalar through a pointer.
    pub(crate) fn load(&mut self, pointer: Value, scalar: Scalar, ordering: u8, scope: Option<u8>) -> Value {
        let attrs = memory_attrs(ordering, scope);
        let (ty, token) = (self.tile(scalar, &[]), self.token());
        let op = self.op(Opcode::LoadPtrTko, &[pointer], &attrs, &[ty, token]);
        self.result(op, 0)
    }

    /// Builds a region of an operation: the closure sees the region's arguments.
    pub(crate) fn region(&mut self, op: Op, index: usize, args: &[Type], build: impl FnOnce(&mut Kernel, &[Value])) {
        let region: Region = self.body.op(op).regions().nth(index).unwrap();
        let block = self.body.add_block(region, args);
        let outer = std::mem::replace(&mut self.block, block);
        let args: Vec<Value> = self.body.args(block).collect();
        build(self, &args);
        self.block = outer;
    }

    /// Ends the kernel and makes a program of it.
    pub(crate) fn finish(mut self) -> Program {
        self.op(Opcode::Return, &[], &[], &[]);
        let signature = TypeData::Function { inputs: self.params.into(), results: [].into() };
        let signature = self.module.tables.types.intern(signature).unwrap();
        let name = self.module.tables.strings.intern("k");
        let (hints, arg_attrs, loc, visibility) = (None, None, None, SymbolVisibility::Public);
        self.module.functions.push(Function { name, signature, is_entry: true, visibility, hints, arg_attrs, loc, body: self.body });
        Program::new(verify(self.module).unwrap_or_else(|findings| panic!("{}", findings[0])))
    }
}

fn memory_attrs(ordering: u8, scope: Option<u8>) -> Vec<(AttrName, AttrValue)> {
    let scope = scope.map_or(AttrValue::Absent, AttrValue::Enum);
    vec![(AttrName::MemoryOrderingSemantics, AttrValue::Enum(ordering)), (AttrName::MemoryScope, scope)]
}

/// Plans and launches `k` on a grid of `blocks`.
pub(crate) fn run(
    program: &Program,
    memory: &mut Memory<'_>,
    blocks: u32,
    args: &[Arg],
    options: &LaunchOptions<'_>,
) -> Result<LaunchReport, LaunchError> {
    let plan = program.plan("k").unwrap_or_else(|error| panic!("{error}"));
    launch(&plan, memory, [blocks, 1, 1], args, options)
}

/// The content of a buffer as 32-bit integers.
pub(crate) fn ints(bytes: &[u8]) -> Vec<i32> {
    bytes.chunks_exact(4).map(|b| i32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}
