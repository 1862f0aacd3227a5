//! Regular operations: those whose row of the op table says all about them: single tiles in, one tile out, and attributes that are values of
//! enumerations or flags. Every combination of types and values that the verifier takes becomes a module.

use tilewright_ir::{
    AttrValue, Block, Body, Builder, Function, Module, Opcode, Scalar, SymbolVisibility, Type, TypeData, Value, VerifiedModule, Version,
    ops::{Arity, AttrKind, OpDef, Placement, Results, TypeSet},
    verify,
};

/// An element of a tile.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Element {
    Number(Scalar),
    PointerTo(Scalar),
}

/// A regular operation with types and attributes that go together.
#[derive(Clone, Debug)]
pub(crate) struct Combination {
    pub(crate) opcode: Opcode,
    /// Element types of the operands, then of the result.
    pub(crate) types: Vec<Element>,
    /// Shapes that go with them, in the same order.
    pub(crate) shapes: Vec<Vec<i64>>,
    pub(crate) attrs: Vec<AttrValue>,
}

fn is_regular(def: &OpDef) -> bool {
    let takes_tiles = |types: TypeSet| elements().any(|element| accepts(types, element));
    let single_result = matches!(def.results, Results::Fixed([result]) if takes_tiles(result.types));
    def.placement == Placement::Body
        && def.regions == 0
        && single_result
        && def.operands.iter().all(|operand| operand.arity == Arity::One && takes_tiles(operand.types))
        && def.attrs.iter().all(|attr| matches!(attr.kind, AttrKind::Enum(_) | AttrKind::Unit))
}

fn elements() -> impl Iterator<Item = Element> {
    let pointers = [Scalar::I32, Scalar::F4E2M1FN].map(Element::PointerTo);
    Scalar::all().map(Element::Number).chain(pointers)
}

fn accepts(types: TypeSet, element: Element) -> bool {
    let mut module = Module::new("m", Version::LATEST);
    let ty = tile(&mut module, element, &[]).or_else(|| tile(&mut module, element, &[2]));
    ty.is_some_and(|ty| types.accepts(TypeSet::of(&module.tables.types, ty)))
}

fn tile(module: &mut Module, element: Element, shape: &[i64]) -> Option<Type> {
    let types = &mut module.tables.types;
    let element = match element {
        Element::Number(scalar) => scalar.ty(),
        Element::PointerTo(scalar) => types.pointer(scalar.ty()).ok()?,
    };
    types.tile(element, shape).ok()
}

/// Shows a module with each combination that the verifier takes.
pub(crate) fn modules(opcode: Opcode, visit: &mut dyn FnMut(VerifiedModule, Combination)) {
    if !is_regular(opcode.def()) {
        return;
    }
    let mut found = 0;
    for types in opcode.def().type_choices(|set| elements().filter(|element| accepts(set, *element)).collect()) {
        for attrs in opcode.def().attr_choices() {
            for shapes in shape_choices(opcode, &types) {
                let combination = Combination { opcode, types: types.clone(), shapes, attrs: attrs.clone() };
                if let Some(module) = module(&combination) {
                    found += 1;
                    visit(module, combination);
                }
            }
        }
    }
    assert!(found > 0, "no module with {opcode}");
}

/// The shapes of operands and result, in that order.
fn shape_choices(opcode: Opcode, types: &[Element]) -> Vec<Vec<Vec<i64>>> {
    let bits = |element: Element| match element {
        Element::Number(Scalar::Tf32) => 32,
        Element::Number(scalar) => i64::from(scalar.bits()),
        Element::PointerTo(_) => 64,
    };
    let product = |scales: &[i64]| -> Vec<Vec<i64>> {
        let factors = [vec![16, 32], vec![32, 16], vec![16, 16]].into_iter();
        let scales = scales.iter().flat_map(|block| [vec![16, 32 / block], vec![32 / block, 16]]);
        factors.chain(scales).chain([vec![16, 16]]).collect()
    };
    match opcode {
        Opcode::MmaF | Opcode::MmaI => vec![product(&[])],
        Opcode::MmaFScaled => vec![product(&[16]), product(&[32])],
        Opcode::Pack => vec![vec![vec![32], vec![4 * bits(types[0])]]],
        Opcode::Unpack => vec![vec![vec![4 * bits(types[1])], vec![32]]],
        Opcode::Iota => vec![vec![vec![2]]],
        _ if types.contains(&Element::PointerTo(Scalar::F4E2M1FN)) => vec![vec![Vec::new(); types.len()]],
        _ => vec![vec![vec![4]; types.len()], vec![vec![2, 4]; types.len()]],
    }
}

/// A module with one operation; `None` if the verifier does not take it.
fn module(Combination { opcode, types, shapes, attrs }: &Combination) -> Option<VerifiedModule> {
    let mut module = Module::new("m", Version::LATEST);
    let mut body = Body::new();
    let (result, operands) = types.split_last()?;
    let mut params = Vec::new();
    for element in operands {
        // Two elements of 4 bits make the smallest tile: it is unpacked from a byte.
        let element = if *element == Element::Number(Scalar::F4E2M1FN) { Element::Number(Scalar::I8) } else { *element };
        params.push(tile(&mut module, element, &[])?);
    }
    let block = body.add_block(body.root(), &params);
    let mut values = Vec::new();
    for (i, (element, shape)) in operands.iter().zip(shapes).enumerate() {
        values.push(operand(&mut module, &mut body, block, i, *element, shape)?);
    }
    let result = tile(&mut module, *result, shapes.last()?)?;
    let mut builder = Builder::new(&mut module.tables, &mut body, block);
    let mut op = builder.op(*opcode).result(result);
    for (def, value) in opcode.def().operands.iter().zip(values) {
        op = op.operand(def.name, value);
    }
    for (def, value) in opcode.def().attrs.iter().zip(attrs) {
        op = op.attr(def.name, *value);
    }
    op.finish().ok()?;
    builder.op(Opcode::Return).finish().ok()?;
    let signature = module.tables.types.intern(TypeData::Function { inputs: params.into(), results: [].into() }).ok()?;
    let name = module.tables.strings.intern("k");
    let (hints, arg_attrs, loc, visibility) = (None, None, None, SymbolVisibility::Public);
    module.functions.push(Function { name, signature, is_entry: true, visibility, hints, arg_attrs, loc, body });
    verify(module).ok()
}

/// A tile whose elements are all the parameter.
fn operand(module: &mut Module, body: &mut Body, block: Block, index: usize, element: Element, shape: &[i64]) -> Option<Value> {
    let param = body.args(block).nth(index)?;
    if shape.is_empty() {
        return (element != Element::Number(Scalar::F4E2M1FN)).then_some(param);
    }
    let elements: i64 = shape.iter().product();
    let mut change = |opcode: Opcode, value: Value, element: Element, shape: &[i64]| {
        let ty = tile(module, element, shape)?;
        Builder::new(&mut module.tables, body, block).op(opcode).operand("source", value).result(ty).value().ok()
    };
    if element == Element::Number(Scalar::F4E2M1FN) {
        let byte = Element::Number(Scalar::I8);
        let one = change(Opcode::Reshape, param, byte, &[1])?;
        let bytes = change(Opcode::Broadcast, one, byte, &[elements / 2])?;
        let numbers = change(Opcode::Unpack, bytes, element, &[elements])?;
        return change(Opcode::Reshape, numbers, element, shape);
    }
    let one = change(Opcode::Reshape, param, element, &vec![1; shape.len()])?;
    change(Opcode::Broadcast, one, element, shape)
}
