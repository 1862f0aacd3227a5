//! What an operation of a module shows: its types, the values of its attributes, and the parts that it may lack.

use std::collections::BTreeSet;
use tilewright_ir::{AttrData, AttrName, AttrValue, Module, OpRef, Type, TypeData, Value, ops::Arity};

/// Everything that the operations of a module show.
pub(crate) fn of_module(module: &Module, features: &mut BTreeSet<String>) {
    for function in &module.functions {
        function.body.walk(|op| of_operation(module, op, features));
    }
}

fn of_operation(module: &Module, op: OpRef<'_>, features: &mut BTreeSet<String>) {
    let name = op.opcode().mnemonic();
    features.insert(format!("{name} of {}", element(module, op)));
    for (def, value) in op.def().attrs.iter().zip(op.attrs()) {
        let Some(value) = attribute(module, *value) else { continue };
        features.insert(format!("{name}, {:?}: {value}", def.name));
        if def.name == AttrName::MemoryScope {
            features.insert(format!("{name}, {:?}, {:?}: {value}", op.memory_ordering(), def.name));
        }
    }
    for (index, def) in op.def().operands.iter().enumerate() {
        let values = op.operand_group(index);
        if def.arity != Arity::One {
            features.insert(format!("{name} {} {}", if values.is_empty() { "without" } else { "with" }, def.name));
        }
        features.extend(values.iter().map(|value| format!("{name}, {} {}", def.name, kind(module, op.body().ty(*value)))));
    }
}

/// The element type that an operation is about: that of its view or its pointers, else of its first operand, else of its result.
fn element(module: &Module, op: OpRef<'_>) -> String {
    let values: Vec<Value> = op.operands().iter().copied().chain(op.results()).collect();
    let types: Vec<Type> = values.iter().map(|value| op.body().ty(*value)).collect();
    let of = |ty: &Type| scalar(module, *ty);
    let outermost = types.iter().find(|ty| is_memory(module, **ty)).and_then(of);
    outermost.or_else(|| types.iter().find_map(of)).unwrap_or_default()
}

fn is_memory(module: &Module, ty: Type) -> bool {
    let types = &module.tables.types;
    !matches!(types.get(ty), TypeData::Tile { .. } | TypeData::Token)
        || types.as_tile(ty).is_some_and(|(element, _)| matches!(types.get(element), TypeData::Pointer { .. }))
}

fn scalar(module: &Module, ty: Type) -> Option<String> {
    let types = &module.tables.types;
    match types.get(ty) {
        TypeData::Scalar(scalar) => Some(scalar.name().to_owned()),
        TypeData::Pointer { pointee, .. } => scalar(module, *pointee),
        TypeData::Tile { element, .. } | TypeData::TensorView { element, .. } => scalar(module, *element),
        TypeData::PartitionView { tensor_view, .. }
        | TypeData::StridedView { tensor_view, .. }
        | TypeData::GatherScatterView { tensor_view, .. } => scalar(module, *tensor_view),
        _ => None,
    }
}

/// What kind of type it is: for a tile, its element.
fn kind(module: &Module, ty: Type) -> String {
    let types = &module.tables.types;
    match types.get(ty) {
        TypeData::PartitionView { padding, .. } => format!("partition_view {padding:?}"),
        TypeData::StridedView { padding, .. } => format!("strided_view {padding:?}"),
        TypeData::GatherScatterView { padding, .. } => format!("gather_scatter_view {padding:?}"),
        TypeData::TensorView { .. } => "tensor_view".to_owned(),
        TypeData::Tile { element, .. } if matches!(types.get(*element), TypeData::Pointer { .. }) => "pointer".to_owned(),
        _ => scalar(module, ty).unwrap_or_default(),
    }
}

/// The value of an attribute that means something to whoever runs the operation.
fn attribute(module: &Module, value: AttrValue) -> Option<String> {
    Some(match value {
        AttrValue::Absent => "absent".to_owned(),
        AttrValue::Unit => "set".to_owned(),
        AttrValue::Enum(value) => value.to_string(),
        AttrValue::Bool(value) => value.to_string(),
        AttrValue::Attr(attr) => match module.tables.attrs.get(attr) {
            AttrData::BoolArray(values) => format!("{}", values.contains(&true)),
            AttrData::DivBy { every, .. } => format!("div_by {}", every.is_some()),
            AttrData::SameElements(_) => "same_elements".to_owned(),
            AttrData::Bounded { lower, upper } => format!("bounded {} {}", lower.is_some(), upper.is_some()),
            _ => return None,
        },
        _ => return None,
    })
}
