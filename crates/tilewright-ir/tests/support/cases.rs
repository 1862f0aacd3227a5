//! One module for each rule, which breaks this rule only.

use super::Kernel;
use tilewright_ir::{
    AttrData,
    AttrValue::{self, Absent, Enum, Int, Unit},
    Global, LocData, Opcode as O, PtrAttr,
    Scalar::{self, *},
    SymbolVisibility, Type, TypeData, Value, Version,
};

/// The rule that a case breaks, and how its module is made.
pub type Case = (&'static str, fn(&mut Kernel));

/// Orderings and scopes.
const WEAK: AttrValue = Enum(0);
const RELAXED: AttrValue = Enum(1);
const RELEASE: AttrValue = Enum(3);
const DEVICE: AttrValue = Enum(1);
/// Signed, no overflow flags, rounding to nearest even.
const SIGNED: AttrValue = Enum(1);
const NONE: AttrValue = Enum(0);
const NEAREST: AttrValue = Enum(0);

fn global(k: &mut Kernel, name: &str, ty: Type, bytes: &[u8]) {
    let name = k.module.tables.strings.intern(name);
    let value = k.module.tables.constants.add(bytes);
    k.module.globals.push(Global { name, ty, value, alignment: 0, visibility: SymbolVisibility::Public, constant: false });
}

fn unary(k: &mut Kernel, op: O, from: (Scalar, &[i64]), to: (Scalar, &[i64]), attrs: &[AttrValue]) {
    let source = k.constant(from.0, from.1);
    let ty = k.tile(to.0, to.1);
    k.op(op, &[source], attrs, &[ty]);
}

fn assume(k: &mut Kernel, scalar: Scalar, shape: &[i64], predicate: AttrData) {
    let ty = k.tile(scalar, shape);
    let value = k.constant(scalar, shape);
    let predicate = k.attr(predicate);
    k.op(O::Assume, &[value], &[predicate], &[ty]);
}

fn matrices(k: &mut Kernel, shapes: [&[i64]; 3], types: [Scalar; 3]) {
    let values: Vec<Value> = (0..3).map(|i| k.constant(types[i], shapes[i])).collect();
    let ty = k.tile(types[2], shapes[2]);
    k.op(O::MmaF, &values, &[Absent], &[ty]);
}

/// A reduce of `operands` along `dim` whose body takes `arguments` and yields the first of them.
fn reduce(k: &mut Kernel, operands: &[Value], dim: u64, identity: Scalar, result: Type, arguments: &[Type]) {
    let identity = k.module.tables.attrs.intern(match identity {
        F32 => AttrData::Float { ty: F32.ty(), bits: 0 },
        _ => AttrData::Integer { ty: identity.ty(), bits: 0 },
    });
    let identities = k.attr(AttrData::Array(vec![identity; operands.len()].into()));
    let results = vec![result; operands.len()];
    let (blocks, _) = k.region_op(O::Reduce, &[operands], &[Int(dim), identities], &results, &[arguments]);
    let values: Vec<Value> = k.body.args(blocks[0]).step_by(2).take(operands.len()).collect();
    k.op_in(blocks[0], O::Yield, &values, &[], &[]);
}

/// A `for` without carried values: its block.
fn simple_for(k: &mut Kernel, arguments: &[Type]) -> tilewright_ir::Block {
    let bound = k.constant(I32, &[]);
    k.region_op(O::For, &[&[bound], &[bound], &[bound], &[]], &[Absent], &[], &[arguments]).0[0]
}

fn simple_loop(k: &mut Kernel) -> tilewright_ir::Block {
    k.region_op(O::Loop, &[&[]], &[], &[], &[&[]]).0[0]
}

/// A load through a view with these indices and results.
fn load(k: &mut Kernel, index: &[Scalar], tile: (Scalar, &[i64]), inbounds: usize) {
    let (_, view) = k.partition();
    let index: Vec<Value> = index.iter().map(|scalar| k.constant(*scalar, &[])).collect();
    let tile = k.tile(tile.0, tile.1);
    let inbounds = k.attr(AttrData::BoolArray(vec![false; inbounds].into()));
    k.grouped(O::LoadViewTko, &[&[view], &index, &[]], &[WEAK, Absent, Absent, inbounds], &[tile, Kernel::token()]);
}

/// A multimem store of a tile of so many scalars through a view of memory with this attribute.
fn multimem_store(k: &mut Kernel, scalar: Scalar, extent: i32, attr: Option<PtrAttr>) {
    let pointer = k.ty(TypeData::Pointer { pointee: scalar.ty(), attr });
    let pointer = k.module.tables.types.tile(pointer, &[]).expect("a legal tile");
    let address = k.constant(I64, &[]);
    let base = k.op(O::IntToPtr, &[address], &[], &[pointer])[0];
    let tensor_view = k.ty(TypeData::TensorView { element: scalar.ty(), shape: [8].into(), strides: [1].into(), attr });
    let tensor = k.grouped(O::MakeTensorView, &[&[base], &[], &[]], &[], &[tensor_view])[0];
    let view = k.ty(TypeData::PartitionView { tile: [extent].into(), tensor_view, dim_map: [0].into(), padding: None });
    let view = k.op(O::MakePartitionView, &[tensor], &[], &[view])[0];
    let (tile, index) = (k.constant(scalar, &[extent.into()]), k.constant(I32, &[]));
    let inbounds = k.attr(AttrData::BoolArray([false].into()));
    k.grouped(O::MultimemStoreViewTko, &[&[view], &[tile], &[index], &[]], &[WEAK, Absent, inbounds], &[Kernel::token()]);
}

fn load_pointers(k: &mut Kernel, ordering: AttrValue, scope: AttrValue, pointee: Scalar, value: Scalar) {
    let source = k.pointer(pointee, &[4]);
    let ty = k.tile(value, &[4]);
    k.grouped(O::LoadPtrTko, &[&[source], &[], &[], &[]], &[ordering, scope, Absent], &[ty, Kernel::token()]);
}

fn print(k: &mut Kernel, format: &str, values: usize) {
    let value = k.constant(I32, &[]);
    let format = k.string(format);
    k.grouped(O::PrintTko, &[&vec![value; values], &[]], &[format], &[Kernel::token()]);
}

/// One case for each rule.
pub const CASES: &[Case] = &[
    ("symbol-name", |k| k.name = ""),
    ("symbol-unique", |k| {
        let ty = k.tile(I32, &[1]);
        global(k, "k", ty, &[0; 4]);
    }),
    ("global-type", |k| {
        let ty = k.tile(I32, &[]);
        global(k, "g", ty, &[0; 4]);
    }),
    ("constant-size", |k| {
        let ty = k.tile(I32, &[4]);
        global(k, "g", ty, &[0; 12]);
    }),
    ("type-handle", |k| {
        k.op(O::MakeToken, &[], &[], &[Type::new(1_000)]);
    }),
    ("type-version", |k| {
        k.module.version = Version::V13_2;
        k.constant(F4E2M1FN, &[4]);
    }),
    ("hints", |k| {
        let value = k.module.tables.attrs.intern(AttrData::Bool(true));
        let key = k.module.tables.strings.intern("sm_100");
        let hints = k.attr(AttrData::OptimizationHints([(key, value)].into()));
        let (source, ty) = (k.pointer(F32, &[4]), k.tile(F32, &[4]));
        k.grouped(O::LoadPtrTko, &[&[source], &[], &[], &[]], &[WEAK, Absent, hints], &[ty, Kernel::token()]);
    }),
    ("parameter-attributes", |k| {
        k.module.tables.attrs.intern(AttrData::Bool(true));
        k.change = |function| function.arg_attrs = Some(tilewright_ir::Attr::new(0));
    }),
    ("function-type", |k| k.change = |function| function.signature = I32.ty()),
    ("entry-visibility", |k| k.change = |function| function.visibility = SymbolVisibility::Private),
    ("entry-results", |k| {
        let ty = k.tile(I32, &[]);
        // The next type to be built is the signature of the kernel.
        k.ty(TypeData::Function { inputs: [].into(), results: [ty].into() });
        k.change = |function| function.signature = Type::new(function.signature.index() - 1);
    }),
    ("entry-parameter", |k| {
        let ty = k.tile(I32, &[4]);
        k.params.push(ty);
        let body = tilewright_ir::Body::new();
        k.body = body;
        k.block = k.body.add_block(k.body.root(), &[ty]);
    }),
    ("entry-arguments", |k| {
        let ty = k.tile(I32, &[]);
        k.params.push(ty);
    }),
    ("op-placement", |k| {
        let (name, value) = (k.string("g"), AttrValue::Const(k.module.tables.constants.add(&[0])));
        k.op(O::Global, &[], &[name, value, Int(0), Enum(0), Absent], &[]);
    }),
    ("op-version", |k| {
        k.module.version = Version::V13_1;
        let (x, ty) = (k.constant(F32, &[]), k.tile(F32, &[]));
        k.op(O::Atan2, &[x, x], &[], &[ty]);
    }),
    ("operand-count", |k| {
        let (x, ty) = (k.constant(F32, &[]), k.tile(F32, &[]));
        k.op(O::Cos, &[x, x], &[], &[ty]);
    }),
    ("operand-version", |k| {
        k.module.version = Version::V13_1;
        let token = k.op(O::MakeToken, &[], &[], &[Kernel::token()])[0];
        let format = k.string("x");
        k.grouped(O::PrintTko, &[&[], &[token]], &[format], &[Kernel::token()]);
    }),
    ("result-count", |k| {
        let (x, ty) = (k.constant(F32, &[]), k.tile(F32, &[]));
        k.op(O::Cos, &[x], &[], &[ty, ty]);
    }),
    ("attribute-missing", |k| {
        let (x, ty) = (k.constant(I32, &[]), k.tile(I1, &[]));
        k.op(O::CmpI, &[x, x], &[Absent, SIGNED], &[ty]);
    }),
    ("attribute-kind", |k| {
        let (x, ty) = (k.constant(I32, &[4]), k.tile(I32, &[8]));
        k.op(O::Cat, &[x, x], &[Unit], &[ty]);
    }),
    ("attribute-version", |k| {
        k.module.version = Version::V13_3;
        unary(k, O::FToF, (F16, &[]), (F32, &[]), &[Enum(7)]);
    }),
    ("attribute-value", |k| {
        let (_, view) = k.partition();
        let (value, index) = (k.constant(F32, &[4, 4]), k.constant(I32, &[]));
        let inbounds = k.attr(AttrData::BoolArray([false, false].into()));
        let groups: [&[Value]; 4] = [&[view], &[index, index], &[value], &[]];
        k.grouped(O::AtomicRedViewTko, &groups, &[RELAXED, DEVICE, Enum(9), inbounds], &[Kernel::token()]);
    }),
    ("dominance", |k| {
        let ty = k.tile(I32, &[]);
        let itself = Value::new(k.body.num_values());
        k.op(O::AbsI, &[itself], &[], &[ty]);
    }),
    ("region-blocks", |k| {
        k.region_op(O::Loop, &[&[]], &[], &[], &[]);
    }),
    ("region-arguments", |k| {
        let block = simple_for(k, &[]);
        k.op_in(block, O::Continue, &[], &[], &[]);
    }),
    ("block-empty", |k| {
        simple_loop(k);
    }),
    ("terminator-missing", |k| {
        k.constant(I32, &[]);
        k.open = false;
    }),
    ("terminator-last", |k| {
        k.op(O::Return, &[], &[], &[]);
    }),
    ("terminator-parent", |k| {
        let block = simple_loop(k);
        k.op_in(block, O::Yield, &[], &[], &[]);
    }),
    ("operand-type", |k| unary(k, O::AbsF, (F8E5M2, &[]), (F32, &[]), &[])),
    ("result-type", |k| {
        let (x, ty) = (k.constant(I32, &[]), k.tile(I32, &[]));
        k.op(O::CmpI, &[x, x], &[Enum(0), SIGNED], &[ty]);
    }),
    ("same-type", |k| unary(k, O::AbsI, (I32, &[4]), (I32, &[2]), &[])),
    ("same-shape", |k| unary(k, O::Bitcast, (I32, &[4]), (F32, &[2]), &[])),
    ("same-rank", |k| unary(k, O::Broadcast, (F32, &[]), (F32, &[4]), &[])),
    ("same-element", |k| unary(k, O::Reshape, (F32, &[4]), (I32, &[2, 2]), &[])),
    ("rounding-mode", |k| {
        let (x, ty) = (k.constant(F32, &[]), k.tile(F32, &[]));
        k.op(O::AddF, &[x, x], &[Enum(4), Absent], &[ty]);
    }),
    ("f32-only", |k| {
        let (x, ty) = (k.constant(F16, &[]), k.tile(F16, &[]));
        k.op(O::AddF, &[x, x], &[NEAREST, Unit], &[ty]);
    }),
    ("overflow-flag", |k| unary(k, O::NegI, (I32, &[]), (I32, &[]), &[Enum(2)])),
    ("iota-shape", |k| {
        let ty = k.tile(I32, &[2, 2]);
        k.op(O::Iota, &[], &[], &[ty]);
    }),
    ("iota-range", |k| {
        let ty = k.tile(I8, &[512]);
        k.op(O::Iota, &[], &[], &[ty]);
    }),
    ("conversion-width", |k| unary(k, O::TruncI, (I32, &[]), (I64, &[]), &[NONE])),
    ("conversion-types", |k| unary(k, O::FToF, (F32, &[]), (F32, &[]), &[NEAREST])),
    ("broadcast-shape", |k| unary(k, O::Broadcast, (F32, &[2]), (F32, &[4]), &[])),
    ("reshape-elements", |k| unary(k, O::Reshape, (F32, &[4]), (F32, &[8]), &[])),
    ("permute-rank", |k| {
        let permutation = k.attr(AttrData::I32Array([0].into()));
        unary(k, O::Permute, (F32, &[4]), (F32, &[4]), &[permutation]);
    }),
    ("permutation", |k| {
        let permutation = k.attr(AttrData::I32Array([0, 0].into()));
        unary(k, O::Permute, (F32, &[2, 4]), (F32, &[2, 2]), &[permutation]);
    }),
    ("permute-shape", |k| {
        let permutation = k.attr(AttrData::I32Array([1, 0].into()));
        unary(k, O::Permute, (F32, &[2, 4]), (F32, &[2, 4]), &[permutation]);
    }),
    ("cat-dim", |k| {
        let (x, ty) = (k.constant(I32, &[4]), k.tile(I32, &[8]));
        k.op(O::Cat, &[x, x], &[Int(1)], &[ty]);
    }),
    ("cat-shape", |k| {
        let (x, ty) = (k.constant(I32, &[4]), k.tile(I32, &[4]));
        k.op(O::Cat, &[x, x], &[Int(0)], &[ty]);
    }),
    ("slice-shape", |k| {
        let (x, index, ty) = (k.constant(I32, &[2]), k.constant(I32, &[]), k.tile(I32, &[4]));
        k.grouped(O::Extract, &[&[x], &[index]], &[], &[ty]);
    }),
    ("slice-indices", |k| {
        let (x, ty) = (k.constant(I32, &[4]), k.tile(I32, &[2]));
        k.grouped(O::Extract, &[&[x], &[]], &[], &[ty]);
    }),
    ("pack-shape", |k| unary(k, O::Pack, (I16, &[2, 2]), (I8, &[4, 2]), &[])),
    ("pack-width", |k| unary(k, O::Pack, (F8E5M2, &[4]), (I8, &[4]), &[])),
    ("pack-size", |k| unary(k, O::Pack, (I16, &[4]), (I8, &[4]), &[])),
    ("select-type", |k| {
        let (condition, x, ty) = (k.constant(I1, &[2]), k.constant(F4E2M1FN, &[2]), k.tile(F4E2M1FN, &[2]));
        k.op(O::Select, &[condition, x, x], &[], &[ty]);
    }),
    ("mma-rank", |k| matrices(k, [&[4], &[4], &[4]], [F16; 3])),
    ("mma-shape", |k| matrices(k, [&[4, 8], &[4, 8], &[4, 8]], [F16; 3])),
    ("mma-types", |k| matrices(k, [&[4, 4]; 3], [Bf16, Bf16, F16])),
    ("mma-block", |k| {
        let (lhs, rhs, acc) = (k.constant(F8E5M2, &[4, 64]), k.constant(F8E5M2, &[64, 4]), k.constant(F32, &[4, 4]));
        let (lhs_scale, rhs_scale) = (k.constant(F8E8M0FNU, &[4, 4]), k.constant(F8E8M0FNU, &[4, 4]));
        let ty = k.tile(F32, &[4, 4]);
        k.op(O::MmaFScaled, &[lhs, rhs, acc, lhs_scale, rhs_scale], &[], &[ty]);
    }),
    ("carried-view", |k| {
        let (ty, view) = k.partition();
        let (blocks, _) = k.region_op(O::Loop, &[&[view]], &[], &[], &[&[ty]]);
        k.op_in(blocks[0], O::Break, &[], &[], &[]);
    }),
    ("loop-argument", |k| {
        let ty = k.tile(I64, &[]);
        let block = simple_for(k, &[ty]);
        k.op_in(block, O::Continue, &[], &[], &[]);
    }),
    ("loop-results", |k| {
        let (counter, float) = (k.tile(I32, &[]), k.tile(F32, &[]));
        let (bound, x) = (k.constant(I32, &[]), k.constant(F32, &[]));
        let groups: [&[Value]; 4] = [&[bound], &[bound], &[bound], &[bound]];
        let (blocks, _) = k.region_op(O::For, &groups, &[Absent], &[float], &[&[counter, counter]]);
        k.op_in(blocks[0], O::Continue, &[x], &[], &[]);
    }),
    ("if-else", |k| {
        let (condition, ty) = (k.constant(I1, &[]), k.tile(I1, &[]));
        let (blocks, _) = k.region_op(O::If, &[&[condition]], &[], &[ty], &[&[]]);
        k.op_in(blocks[0], O::Yield, &[condition], &[], &[]);
    }),
    ("jump-target", |k| {
        let condition = k.constant(I1, &[]);
        let (blocks, _) = k.region_op(O::If, &[&[condition]], &[], &[], &[&[]]);
        k.op_in(blocks[0], O::Break, &[], &[], &[]);
    }),
    ("jump-values", |k| {
        let (x, ty) = (k.constant(I32, &[]), k.tile(I32, &[]));
        let (blocks, _) = k.region_op(O::Loop, &[&[x]], &[], &[], &[&[ty]]);
        k.op_in(blocks[0], O::Continue, &[], &[], &[]);
    }),
    ("yield-values", |k| {
        let condition = k.constant(I1, &[]);
        let (blocks, _) = k.region_op(O::If, &[&[condition]], &[], &[], &[&[]]);
        k.op_in(blocks[0], O::Yield, &[condition], &[], &[]);
    }),
    ("return-place", |k| {
        let (condition, ty) = (k.constant(I1, &[]), k.tile(I32, &[]));
        let block = simple_for(k, &[ty]);
        let outer = std::mem::replace(&mut k.block, block);
        let (blocks, _) = k.region_op(O::If, &[&[condition]], &[], &[], &[&[]]);
        k.op_in(blocks[0], O::Return, &[], &[], &[]);
        k.op(O::Continue, &[], &[], &[]);
        k.block = outer;
    }),
    ("return-values", |k| {
        let x = k.constant(I32, &[]);
        k.op(O::Return, &[x], &[], &[]);
        k.open = false;
    }),
    ("fold-operands", |k| {
        let identities = k.attr(AttrData::Array([].into()));
        let (blocks, _) = k.region_op(O::Reduce, &[&[]], &[Int(0), identities], &[], &[&[]]);
        k.op_in(blocks[0], O::Yield, &[], &[], &[]);
    }),
    ("fold-dim", |k| {
        let (x, ty) = (k.constant(F32, &[4]), k.tile(F32, &[]));
        reduce(k, &[x], 1, F32, ty, &[ty, ty]);
    }),
    ("fold-shape", |k| {
        let (x, y, ty) = (k.constant(F32, &[4]), k.constant(F32, &[8]), k.tile(F32, &[]));
        reduce(k, &[x, y], 0, F32, ty, &[ty, ty, ty, ty]);
    }),
    ("fold-result", |k| {
        let (x, ty, wrong) = (k.constant(F32, &[4]), k.tile(F32, &[]), k.tile(F32, &[4]));
        reduce(k, &[x], 0, F32, wrong, &[ty, ty]);
    }),
    ("fold-identities", |k| {
        let (x, ty) = (k.constant(F32, &[4]), k.tile(F32, &[]));
        reduce(k, &[x], 0, I32, ty, &[ty, ty]);
    }),
    ("fold-arguments", |k| {
        let (x, ty, wrong) = (k.constant(F32, &[4]), k.tile(F32, &[]), k.tile(I32, &[]));
        reduce(k, &[x], 0, F32, ty, &[ty, wrong]);
    }),
    ("fold-yield", |k| {
        let (x, ty) = (k.constant(F32, &[4]), k.tile(F32, &[]));
        let identity = k.module.tables.attrs.intern(AttrData::Float { ty: F32.ty(), bits: 0 });
        let identities = k.attr(AttrData::Array([identity].into()));
        let (blocks, _) = k.region_op(O::Reduce, &[&[x]], &[Int(0), identities], &[ty], &[&[ty, ty]]);
        k.op_in(blocks[0], O::Yield, &[], &[], &[]);
    }),
    ("fold-effects", |k| {
        let (x, ty) = (k.constant(F32, &[4]), k.tile(F32, &[]));
        let message = k.string("no");
        let condition = k.constant(I1, &[]);
        reduce(k, &[x], 0, F32, ty, &[ty, ty]);
        // Another body, which begins with an effect.
        let identity = k.module.tables.attrs.intern(AttrData::Float { ty: F32.ty(), bits: 0 });
        let identities = k.attr(AttrData::Array([identity].into()));
        let (blocks, _) = k.region_op(O::Reduce, &[&[x]], &[Int(0), identities], &[ty], &[&[ty, ty]]);
        k.op_in(blocks[0], O::Assert, &[condition], &[message], &[]);
        let first = k.body.args(blocks[0]).next().expect("an argument");
        k.op_in(blocks[0], O::Yield, &[first], &[], &[]);
    }),
    ("pointee-type", |k| load_pointers(k, WEAK, Absent, I32, F32)),
    ("memory-ordering", |k| load_pointers(k, RELEASE, DEVICE, F32, F32)),
    ("memory-scope", |k| load_pointers(k, RELAXED, Absent, F32, F32)),
    ("atomic-type", |k| {
        let (pointers, value, ty) = (k.pointer(I16, &[4]), k.constant(I16, &[4]), k.tile(I16, &[4]));
        let groups: [&[Value]; 4] = [&[pointers], &[value], &[], &[]];
        k.grouped(O::AtomicRMWTko, &groups, &[RELAXED, DEVICE, Enum(3)], &[ty, Kernel::token()]);
    }),
    ("alloca-alignment", |k| {
        let ty = k.pointers(I32, &[]);
        k.op(O::Alloca, &[], &[Int(4), Int(2), Absent], &[ty]);
    }),
    ("alloca-size", |k| {
        let ty = k.pointers(I32, &[]);
        k.op(O::Alloca, &[], &[Int(u64::MAX), Int(4), Absent], &[ty]);
    }),
    ("join-tokens", |k| {
        let token = k.op(O::MakeToken, &[], &[], &[Kernel::token()])[0];
        k.op(O::JoinTokens, &[token], &[], &[Kernel::token()]);
    }),
    ("print-format", |k| print(k, "100 %", 0)),
    ("print-arguments", |k| print(k, "%d%% %5.2f", 1)),
    ("global-symbol", |k| {
        let (name, ty) = (k.string("nowhere"), k.pointers(I32, &[]));
        k.op(O::GetGlobal, &[], &[name], &[ty]);
    }),
    ("global-pointer", |k| {
        let array = k.tile(I32, &[2]);
        global(k, "ints", array, &[0; 4]);
        let (name, ty) = (k.string("ints"), k.pointers(F32, &[]));
        k.op(O::GetGlobal, &[], &[name], &[ty]);
    }),
    ("tensor-view-pointer", |k| {
        let (ty, _) = k.tensor_view();
        let (base, n) = (k.pointer(I32, &[]), k.constant(I32, &[]));
        k.grouped(O::MakeTensorView, &[&[base], &[n], &[n]], &[], &[ty]);
    }),
    ("tensor-view-dynamic", |k| {
        let (ty, _) = k.tensor_view();
        let (base, n) = (k.pointer(F32, &[]), k.constant(I32, &[]));
        k.grouped(O::MakeTensorView, &[&[base], &[], &[n]], &[], &[ty]);
    }),
    ("tensor-view-index", |k| {
        let (ty, _) = k.tensor_view();
        let (base, n, wide) = (k.pointer(F32, &[]), k.constant(I32, &[]), k.constant(I64, &[]));
        k.grouped(O::MakeTensorView, &[&[base], &[n], &[wide]], &[], &[ty]);
    }),
    ("view-source", |k| {
        let (_, tensor) = k.tensor_view();
        let other = TypeData::TensorView { element: F32.ty(), shape: [8, 8].into(), strides: [8, 1].into(), attr: None };
        let tensor_view = k.ty(other);
        let ty = k.ty(TypeData::PartitionView { tile: [4, 4].into(), tensor_view, dim_map: [0, 1].into(), padding: None });
        k.op(O::MakePartitionView, &[tensor], &[], &[ty]);
    }),
    ("view-results", |k| {
        let (_, tensor) = k.tensor_view();
        let ty = k.tile(I32, &[]);
        k.op(O::GetTensorShape, &[tensor], &[], &[ty]);
    }),
    ("view-tile", |k| load(k, &[I32, I32], (F32, &[4, 8]), 2)),
    ("index-count", |k| load(k, &[I32], (F32, &[4, 4]), 1)),
    ("index-type", |k| load(k, &[I32, I64], (F32, &[4, 4]), 2)),
    ("inbounds", |k| load(k, &[I32, I32], (F32, &[4, 4]), 1)),
    ("reduction-view", |k| {
        let (tensor_view, tensor) = k.tensor_view();
        let ty = k.ty(TypeData::GatherScatterView { tile: [4, 4].into(), tensor_view, sparse_dim: 0, padding: None });
        let view = k.op(O::MakeGatherScatterView, &[tensor], &[], &[ty])[0];
        let (value, index, sparse) = (k.constant(F32, &[4, 4]), k.constant(I32, &[]), k.constant(I32, &[4]));
        let inbounds = k.attr(AttrData::BoolArray([false, false].into()));
        let groups: [&[Value]; 4] = [&[view], &[sparse, index], &[value], &[]];
        k.grouped(O::AtomicRedViewTko, &groups, &[RELAXED, DEVICE, Enum(4), inbounds], &[Kernel::token()]);
    }),
    ("packing-dimension", |k| {
        let (element, shape, strides) = (F4E2M1FN.ty(), [8].into(), [2].into());
        let tensor_view = k.ty(TypeData::TensorView { element, shape, strides, attr: None });
        let base = k.pointer(F4E2M1FN, &[]);
        let tensor = k.grouped(O::MakeTensorView, &[&[base], &[], &[]], &[], &[tensor_view])[0];
        let view = k.ty(TypeData::PartitionView { tile: [4].into(), tensor_view, dim_map: [0].into(), padding: None });
        let view = k.op(O::MakePartitionView, &[tensor], &[], &[view])[0];
        let (index, tile) = (k.constant(I32, &[]), k.tile(F4E2M1FN, &[4]));
        let inbounds = k.attr(AttrData::BoolArray([false].into()));
        k.grouped(O::LoadViewTko, &[&[view], &[index], &[]], &[WEAK, Absent, Absent, inbounds], &[tile, Kernel::token()]);
    }),
    ("multimem-view", |k| multimem_store(k, F32, 4, None)),
    ("multimem-type", |k| multimem_store(k, I8, 4, Some(PtrAttr::Multicast))),
    ("multimem-size", |k| multimem_store(k, F16, 1, Some(PtrAttr::Multicast))),
    ("multicast-access", |k| {
        let pointer = k.ty(TypeData::Pointer { pointee: F32.ty(), attr: Some(PtrAttr::Multicast) });
        let pointers = k.module.tables.types.tile(pointer, &[4]).expect("a legal tile");
        let address = k.constant(I64, &[4]);
        let source = k.op(O::IntToPtr, &[address], &[], &[pointers])[0];
        let ty = k.tile(F32, &[4]);
        k.grouped(O::LoadPtrTko, &[&[source], &[], &[], &[]], &[WEAK, Absent, Absent], &[ty, Kernel::token()]);
    }),
    ("assume-type", |k| assume(k, F32, &[], AttrData::Bounded { lower: Some(0), upper: None })),
    ("div-by-divisor", |k| assume(k, I32, &[], AttrData::DivBy { divisor: 12, every: None, along: None })),
    ("div-by-every", |k| assume(k, I32, &[8], AttrData::DivBy { divisor: 4, every: Some(8), along: Some(1) })),
    ("same-elements", |k| assume(k, I32, &[4], AttrData::SameElements([8].into()))),
    ("bounded-range", |k| assume(k, I8, &[], AttrData::Bounded { lower: Some(0), upper: Some(300) })),
    ("debug-function", |k| {
        let place = k.place("k");
        k.function_loc = Some(k.module.tables.locations.add(LocData::CallSite { callee: Some(place), caller: Some(place) }));
    }),
    ("debug-linkage", |k| k.function_loc = Some(k.place("other"))),
    ("debug-scope", |k| {
        k.function_loc = Some(k.place("k"));
        k.loc = Some(k.place("other"));
    }),
];
