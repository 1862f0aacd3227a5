//! Small modules, built operation by operation, and one for each rule that breaks it.
#![allow(unreachable_pub, reason = "tests include this file")]

mod cases;

pub use cases::CASES;

use tilewright_ir::{
    AttrData, AttrValue, Block, Body, DYNAMIC, Function, Loc, LocData, Module, NewOp, Opcode, Region, Scalar, SymbolVisibility, Type,
    TypeData, TypeTable, Value, Version, ops::Arity,
};

/// A module with one entry under construction.
pub struct Kernel {
    pub module: Module,
    pub body: Body,
    pub block: Block,
    pub params: Vec<Type>,
    pub name: &'static str,
    /// The location of the operations that follow, and of the function.
    pub loc: Option<Loc>,
    pub function_loc: Option<Loc>,
    /// Whether [`Kernel::finish`] adds the `return`.
    pub open: bool,
    /// What is done to the function in the end.
    pub change: fn(&mut Function),
}

impl Kernel {
    pub fn new() -> Self {
        let mut body = Body::new();
        let block = body.add_block(body.root(), &[]);
        Kernel {
            module: Module::new("kernels", Version::LATEST),
            body,
            block,
            params: Vec::new(),
            name: "k",
            loc: None,
            function_loc: None,
            open: true,
            change: |_| {},
        }
    }

    pub fn finish(mut self) -> Module {
        if self.open {
            self.op(Opcode::Return, &[], &[], &[]);
        }
        let signature = TypeData::Function { inputs: self.params.clone().into(), results: [].into() };
        let mut function = Function {
            name: self.module.tables.strings.intern(self.name),
            signature: self.module.tables.types.intern(signature).expect("a legal signature"),
            is_entry: true,
            visibility: SymbolVisibility::Public,
            hints: None,
            arg_attrs: None,
            loc: self.function_loc,
            body: self.body,
        };
        (self.change)(&mut function);
        self.module.functions.push(function);
        self.module
    }

    pub fn tile(&mut self, scalar: Scalar, shape: &[i64]) -> Type {
        self.module.tables.types.tile(scalar.ty(), shape).expect("a legal tile")
    }

    pub fn ty(&mut self, data: TypeData) -> Type {
        self.module.tables.types.intern(data).expect("a legal type")
    }

    pub fn pointers(&mut self, scalar: Scalar, shape: &[i64]) -> Type {
        let pointer = self.module.tables.types.pointer(scalar.ty()).expect("a legal pointer");
        self.module.tables.types.tile(pointer, shape).expect("a legal tile")
    }

    pub fn token() -> Type {
        TypeTable::token()
    }

    pub fn attr(&mut self, data: AttrData) -> AttrValue {
        AttrValue::Attr(self.module.tables.attrs.intern(data))
    }

    pub fn string(&mut self, text: &str) -> AttrValue {
        AttrValue::Str(self.module.tables.strings.intern(text))
    }

    /// An operation whose operands are all there once.
    pub fn op(&mut self, opcode: Opcode, operands: &[Value], attrs: &[AttrValue], results: &[Type]) -> Vec<Value> {
        let new = NewOp { opcode, operands, present: 0, split: operands.len() as u32, attrs, results, loc: self.loc };
        let op = self.body.add_op(self.block, new);
        self.body.op(op).results().collect()
    }

    /// An operation with the values of each operand of the row.
    pub fn grouped(&mut self, opcode: Opcode, groups: &[&[Value]], attrs: &[AttrValue], results: &[Type]) -> Vec<Value> {
        let (operands, present, split) = flatten(opcode, groups);
        let new = NewOp { opcode, operands: &operands, present, split, attrs, results, loc: self.loc };
        let op = self.body.add_op(self.block, new);
        self.body.op(op).results().collect()
    }

    /// An operation with regions of one block each, whose arguments have these types: the blocks, and the results.
    pub fn region_op(
        &mut self,
        opcode: Opcode,
        groups: &[&[Value]],
        attrs: &[AttrValue],
        results: &[Type],
        regions: &[&[Type]],
    ) -> (Vec<Block>, Vec<Value>) {
        let (operands, present, split) = flatten(opcode, groups);
        let new = NewOp { opcode, operands: &operands, present, split, attrs, results, loc: self.loc };
        let op = self.body.add_op(self.block, new);
        let ids: Vec<Region> = self.body.op(op).regions().collect();
        let blocks = ids.into_iter().zip(regions).map(|(region, args)| self.body.add_block(region, args)).collect();
        (blocks, self.body.op(op).results().collect())
    }

    /// Adds an operation to another block.
    pub fn op_in(&mut self, block: Block, opcode: Opcode, operands: &[Value], attrs: &[AttrValue], results: &[Type]) -> Vec<Value> {
        let here = std::mem::replace(&mut self.block, block);
        let values = self.op(opcode, operands, attrs, results);
        self.block = here;
        values
    }

    /// A tile of zeros.
    pub fn constant(&mut self, scalar: Scalar, shape: &[i64]) -> Value {
        let ty = self.tile(scalar, shape);
        let data = self.module.tables.constants.add(&vec![0; scalar.bits().div_ceil(8) as usize]);
        self.op(Opcode::Constant, &[], &[AttrValue::Const(data)], &[ty])[0]
    }

    pub fn pointer(&mut self, scalar: Scalar, shape: &[i64]) -> Value {
        let source = self.constant(Scalar::I64, shape);
        let ty = self.pointers(scalar, shape);
        self.op(Opcode::IntToPtr, &[source], &[], &[ty])[0]
    }

    /// `tensor_view<8x?xf32, strides=[?,1]>`, and a value of it.
    pub fn tensor_view(&mut self) -> (Type, Value) {
        let shape = [8, DYNAMIC];
        let ty = self.ty(TypeData::TensorView { element: Scalar::F32.ty(), shape: shape.into(), strides: [DYNAMIC, 1].into(), attr: None });
        let base = self.pointer(Scalar::F32, &[]);
        let n = self.constant(Scalar::I32, &[]);
        (ty, self.grouped(Opcode::MakeTensorView, &[&[base], &[n], &[n]], &[], &[ty])[0])
    }

    /// A partition of [`Kernel::tensor_view`] into tiles of 4x4.
    pub fn partition(&mut self) -> (Type, Value) {
        let (tensor_view, value) = self.tensor_view();
        let ty = self.ty(TypeData::PartitionView { tile: [4, 4].into(), tensor_view, dim_map: [0, 1].into(), padding: None });
        (ty, self.op(Opcode::MakePartitionView, &[value], &[], &[ty])[0])
    }

    /// A place in a subprogram with this linkage name.
    pub fn place(&mut self, linkage: &str) -> Loc {
        let linkage_name = self.module.tables.strings.intern(linkage);
        let locations = &mut self.module.tables.locations;
        let subprogram = LocData::Subprogram { file: None, line: 1, name: linkage_name, linkage_name, unit: None, scope_line: 1, flags: 0 };
        let scope = Some(locations.add(subprogram));
        locations.add(LocData::Source { scope, file: linkage_name, line: 1, column: 1 })
    }
}

/// The operands in a row, which optional ones are there, and how many values the first variadic one takes.
fn flatten(opcode: Opcode, groups: &[&[Value]]) -> (Vec<Value>, u8, u32) {
    let def = opcode.def();
    let mut present = 0;
    let mut split = None;
    for (i, (operand, group)) in def.operands.iter().zip(groups).enumerate() {
        match operand.arity {
            Arity::Optional if !group.is_empty() => present |= 1 << i,
            Arity::Variadic => drop(split.get_or_insert(group.len() as u32)),
            Arity::One | Arity::Optional => {}
        }
    }
    (groups.concat(), present, split.unwrap_or(0))
}
