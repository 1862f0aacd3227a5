//! Builds small kernels for tests.

use tilewright_exec::{Arg, LaunchError, LaunchOptions, LaunchReport, Memory, Program, launch};
use tilewright_ir::{
    AttrName, AttrValue, Block, Body, Builder, Function, MemoryOrderingSemantics, MemoryScope, Module, Op, Opcode, Region, Scalar,
    SymbolVisibility, Type, TypeData, Value, Version, verify,
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

    /// A builder at the end of the current block.
    pub(crate) fn build(&mut self) -> Builder<'_> {
        Builder::new(&mut self.module.tables, &mut self.body, self.block)
    }

    pub(crate) fn result(&self, op: Op, index: usize) -> Value {
        self.body.op(op).result(index).unwrap()
    }

    pub(crate) fn i32(&mut self, value: i32) -> Value {
        self.constant(Scalar::I32, &[], &value.to_le_bytes())
    }

    pub(crate) fn constant(&mut self, scalar: Scalar, shape: &[i64], bytes: &[u8]) -> Value {
        self.build().constant(scalar, shape, bytes).unwrap()
    }

    /// The x position of the block.
    pub(crate) fn block_id(&mut self) -> Value {
        let ty = self.tile(Scalar::I32, &[]);
        self.build().op(Opcode::GetTileBlockId).results(&[ty; 3]).value().unwrap()
    }

    /// The sum of two i32.
    pub(crate) fn add(&mut self, a: Value, b: Value) -> Value {
        let ty = self.tile(Scalar::I32, &[]);
        self.build().op(Opcode::AddI).operand("lhs", a).operand("rhs", b).result(ty).value().unwrap()
    }

    /// The pointer `base + index`.
    pub(crate) fn offset(&mut self, base: Value, index: Value) -> Value {
        let ty = self.body.ty(base);
        self.build().op(Opcode::Offset).operand("ptr", base).operand("offset", index).result(ty).value().unwrap()
    }

    /// Stores a scalar through a pointer.
    pub(crate) fn store(&mut self, pointer: Value, value: Value, ordering: MemoryOrderingSemantics) {
        let (token, scope) = (self.token(), scope(ordering));
        let mut builder = self.build();
        let op = builder.op(Opcode::StorePtrTko).operand("destination", pointer).operand("value", value);
        let op = op.attr(AttrName::MemoryOrderingSemantics, AttrValue::Enum(ordering as u8)).attr(AttrName::MemoryScope, scope);
        op.result(token).finish().unwrap();
    }

    /// Loads a scalar through a pointer.
    pub(crate) fn load(&mut self, pointer: Value, scalar: Scalar, ordering: MemoryOrderingSemantics) -> Value {
        let (ty, token, scope) = (self.tile(scalar, &[]), self.token(), scope(ordering));
        let mut builder = self.build();
        let op = builder.op(Opcode::LoadPtrTko).operand("source", pointer);
        let op = op.attr(AttrName::MemoryOrderingSemantics, AttrValue::Enum(ordering as u8)).attr(AttrName::MemoryScope, scope);
        op.results(&[ty, token]).value().unwrap()
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
        self.build().op(Opcode::Return).finish().unwrap();
        let signature = TypeData::Function { inputs: self.params.into(), results: [].into() };
        let signature = self.module.tables.types.intern(signature).unwrap();
        let name = self.module.tables.strings.intern("k");
        let (hints, arg_attrs, loc, visibility) = (None, None, None, SymbolVisibility::Public);
        self.module.functions.push(Function { name, signature, is_entry: true, visibility, hints, arg_attrs, loc, body: self.body });
        Program::new(verify(self.module).unwrap_or_else(|findings| panic!("{}", findings[0])))
    }
}

/// Strong accesses are for the whole device.
fn scope(ordering: MemoryOrderingSemantics) -> AttrValue {
    if ordering == MemoryOrderingSemantics::Weak { AttrValue::Absent } else { AttrValue::Enum(MemoryScope::Device as u8) }
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
