//! Elementwise operations, from the op table: every combination of types and attributes that the verifier takes.

use super::{
    Case,
    frame::{Frame, TILE, tile},
};
use tilewright::ir::{
    AttrValue, Module, OpRef, Opcode, Rewriter, Scalar, Type, Value, Version,
    ops::{Arity, AttrDef, AttrKind, OpDef, Results, Traits, TypeSet},
    verify,
};

/// An element of a tile.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Element {
    Number(Scalar),
    /// A pointer to `i32`.
    Pointer,
}

impl Element {
    fn all() -> impl Iterator<Item = Element> {
        Scalar::all().map(Element::Number).chain([Element::Pointer])
    }

    fn name(self) -> String {
        match self {
            Element::Number(scalar) => scalar.name().to_owned(),
            Element::Pointer => "ptr<i32>".to_owned(),
        }
    }

    fn is_in(self, set: TypeSet) -> bool {
        let mut module = Module::new("types", Version::LATEST);
        self.tile(&mut module).is_some_and(|ty| set.accepts(TypeSet::of(&module.tables.types, ty)))
    }

    fn tile(self, module: &mut Module) -> Option<Type> {
        let types = &mut module.tables.types;
        let element = match self {
            Element::Number(scalar) => scalar.ty(),
            Element::Pointer => types.pointer(Scalar::I32.ty()).ok()?,
        };
        types.tile(element, &[TILE as i64]).ok()
    }
}

/// Whether an operation is elementwise, on tiles that all are there, with attributes that are flags or values of enumerations.
fn is_regular(def: &OpDef) -> bool {
    let takes_tiles = |types: TypeSet| Element::all().any(|element| element.is_in(types));
    def.traits.contains(Traits::ELEMENTWISE)
        && matches!(def.results, Results::Fixed([result]) if takes_tiles(result.types))
        && def.operands.iter().all(|operand| operand.arity == Arity::One && takes_tiles(operand.types))
        && def.attrs.iter().all(|attr| matches!(attr.kind, AttrKind::Enum(_) | AttrKind::Unit))
}

/// The kernels of an operation; none if it is not regular.
pub(super) fn cases(opcode: Opcode) -> anyhow::Result<Vec<Case>> {
    let def = opcode.def();
    let mut cases = Vec::new();
    if !is_regular(def) {
        return Ok(cases);
    }
    for types in def.type_choices(|set| Element::all().filter(|element| element.is_in(set)).collect()) {
        for attrs in def.attr_choices() {
            cases.extend(case(opcode, &types, &attrs)?);
        }
    }
    Ok(cases)
}

/// The operation, its attributes where they say something, and its types.
fn name(def: &OpDef, types: &[Element], attrs: &[AttrValue]) -> String {
    let keyword = |(attr, value): (&AttrDef, &AttrValue)| match (attr.kind, value) {
        (AttrKind::Enum(kind), AttrValue::Enum(value)) => {
            kind.values().iter().find(|known| known.value == *value).map(|known| known.keyword.to_owned())
        }
        (_, AttrValue::Unit) => Some(attr.name.name().to_owned()),
        _ => None,
    };
    let keywords: String = def.attrs.iter().zip(attrs).filter_map(keyword).map(|keyword| format!(" {keyword}")).collect();
    let Some((result, operands)) = types.split_last() else { return def.mnemonic.to_owned() };
    let mut names: Vec<String> = Vec::new();
    for operand in operands {
        if names.last() != Some(&operand.name()) {
            names.push(operand.name());
        }
    }
    let operands = names.join(", ");
    let types = if operands == result.name() { operands } else { format!("{operands} -> {}", result.name()) };
    format!("{}{keywords} {types}", def.mnemonic)
}

/// The kernel of one combination, if the verifier takes it.
fn case(opcode: Opcode, types: &[Element], attrs: &[AttrValue]) -> anyhow::Result<Option<Case>> {
    let (def, Some((result, operands))) = (opcode.def(), types.split_last()) else { return Ok(None) };
    let mut frame = Frame::new();
    let operands: Vec<usize> = operands.iter().enumerate().map(|(i, element)| operand(&mut frame, &format!("x{i}"), *element)).collect();
    // Stands for the result until the operation is there.
    let stand_in = operand(&mut frame, "result", *result);
    store(&mut frame, *result);
    frame.line("return");
    let mut module = frame.parse()?;
    let Some(result) = result.tile(&mut module) else { return Ok(None) };
    let body = &mut module.functions[0].body;
    let ops: Vec<OpRef<'_>> = body.entry_block().map(|block| body.ops(block).collect()).unwrap_or_default();
    let values: Vec<Value> = operands.iter().filter_map(|number| ops.get(*number)?.result(0)).collect();
    let Some((stand_in, stood_for)) = ops.get(stand_in).and_then(|op| Some((op.id(), op.result(0)?))) else { return Ok(None) };
    let mut rewriter = Rewriter::new(&mut module.tables, body);
    let made = rewriter.insert_before(stand_in, |builder| {
        let mut op = builder.op(opcode).result(result);
        for (def, value) in def.operands.iter().zip(&values) {
            op = op.operand(def.name, *value);
        }
        for (def, value) in def.attrs.iter().zip(attrs) {
            op = op.attr(def.name, *value);
        }
        op.value()
    });
    let Ok(made) = made else { return Ok(None) };
    rewriter.replace_uses(stood_for, made);
    rewriter.erase(stand_in)?;
    drop(rewriter);
    let arrays = frame.arrays;
    Ok(verify(module).ok().map(|module| Case { name: name(def, types, attrs), arrays, elements: TILE, module }))
}

/// What an element is in memory.
fn stored(element: Element) -> Scalar {
    match element {
        Element::Number(Scalar::I4) => Scalar::I8,
        Element::Number(scalar) => scalar,
        Element::Pointer => Scalar::I64,
    }
}

/// A tile `%name` of numbers from memory; gives the number of the operation that defines it.
fn operand(frame: &mut Frame, name: &str, element: Element) -> usize {
    let in_memory = stored(element);
    if element == Element::Number(in_memory) {
        return frame.load(name, in_memory, &[TILE]);
    }
    frame.load(&format!("{name}_stored"), in_memory, &[TILE]);
    let opcode = if element == Element::Pointer { "int_to_ptr" } else { "trunci" };
    let (from, to) = (tile(&[TILE], in_memory.name()), tile(&[TILE], &element.name()));
    frame.line(format!("%{name} = {opcode} %{name}_stored : {from} -> {to}"))
}

/// Stores `%result`.
fn store(frame: &mut Frame, element: Element) {
    let in_memory = stored(element);
    if element == Element::Number(in_memory) {
        return frame.store("result", in_memory, &[TILE]);
    }
    let opcode = if element == Element::Pointer { "ptr_to_int %result" } else { "exti %result unsigned" };
    let (from, to) = (tile(&[TILE], &element.name()), tile(&[TILE], in_memory.name()));
    frame.line(format!("%memory = {opcode} : {from} -> {to}"));
    frame.store("memory", in_memory, &[TILE]);
}
