//! Modules changed through the IR: types, attributes, operands, operations, functions and globals.

use crate::Changed;
use tilewright_bytecode::{WriteOptions, read, write_unverified};
use tilewright_fuzz::Random;
use tilewright_ir::{
    Attr, AttrData, AttrName, AttrValue, Const, Module, Op, PaddingValue, PtrAttr, Rewriter, Scalar, Str, SymbolVisibility, Type, TypeData,
    Value, Version,
    ops::{AttrDef, AttrKind},
};

/// A module of the corpus with one to three changes, and what they are.
pub(crate) fn changed(random: &mut Random, corpus: &[Vec<u8>]) -> Changed {
    loop {
        let mut module = read(&corpus[random.below(corpus.len())]).expect("a corpus file reads");
        let changes = [1, 1, 1, 2, 3][random.below(5)];
        let what: Vec<String> = (0..changes).filter_map(|_| change(random, &mut module)).collect();
        let version = match random.below(10) {
            0 => Version::ALL[random.below(Version::ALL.len())],
            _ => module.version,
        };
        // What the format cannot say at all is of no interest here.
        if let Ok(file) = write_unverified(&module, &WriteOptions::new(version))
            && !what.is_empty()
        {
            return Changed { what: format!("{version}, {}", what.join(", ")), file };
        }
    }
}

fn change(random: &mut Random, module: &mut Module) -> Option<String> {
    match random.below(20) {
        0 => global(random, module),
        1 => function(random, module),
        _ => {
            let index = random.below(module.functions.len());
            let mut rewriter = module.rewrite(index);
            let ops: Vec<Op> = rewriter.body().preorder().map(|op| op.id()).collect();
            let op = *ops.get(random.below(ops.len()))?;
            let what = match random.below(16) {
                0..=4 => result_type(random, &mut rewriter, op),
                5..=8 => attribute(random, &mut rewriter, op),
                9..=12 => operand(random, &mut rewriter, op),
                13 => erase(random, &mut rewriter, op),
                14 => rewriter.move_before(op, ops[random.below(ops.len())]).ok().map(|()| "moved".to_owned()),
                _ => argument_type(random, &mut rewriter),
            };
            what.map(|what| format!("{} {}", rewriter.op(op).opcode(), what))
        }
    }
}

fn global(random: &mut Random, module: &mut Module) -> Option<String> {
    if module.globals.is_empty() {
        return None;
    }
    let index = random.below(module.globals.len());
    let ty = variant(random, module, module.globals[index].ty);
    let names: Vec<Str> = module.functions.iter().map(|function| function.name).collect();
    let global = &mut module.globals[index];
    match random.below(5) {
        0 => global.ty = ty?,
        1 => global.alignment = [0, 1, 2, 3, 4, 16, 24, 1 << 40][random.below(8)],
        2 => global.visibility = visibility(random),
        3 => global.constant ^= true,
        _ => global.name = names[random.below(names.len())],
    }
    Some("a global".to_owned())
}

fn visibility(random: &mut Random) -> SymbolVisibility {
    [SymbolVisibility::Public, SymbolVisibility::Private][random.below(2)]
}

fn function(random: &mut Random, module: &mut Module) -> Option<String> {
    let copy = module.functions[0].clone();
    let empty = module.tables.strings.intern("");
    let ty = Type::new(random.below(module.tables.types.len()));
    let attr = any_attr(random, module);
    let function = &mut module.functions[0];
    match random.below(6) {
        0 => module.functions.push(copy),
        1 => function.visibility = visibility(random),
        2 => function.signature = ty,
        3 => function.name = empty,
        4 => function.hints = attr,
        _ => function.is_entry ^= true,
    }
    Some("the function".to_owned())
}

fn any_attr(random: &mut Random, module: &Module) -> Option<Attr> {
    let count = module.tables.attrs.len();
    (count > 0).then(|| Attr::new(random.below(count)))
}

fn erase(random: &mut Random, rewriter: &mut Rewriter<'_>, op: Op) -> Option<String> {
    let results: Vec<Value> = rewriter.op(op).results().collect();
    let others: Vec<Value> = results.iter().map(|result| value_like(random, rewriter, *result)).collect();
    rewriter.replace(op, &others).ok().map(|()| "erased".to_owned())
}

/// A value, mostly one of the same type.
fn value_like(random: &mut Random, rewriter: &Rewriter<'_>, value: Value) -> Value {
    let body = rewriter.body();
    let (count, ty) = (body.num_values(), body.ty(value));
    let start = random.below(count);
    let mut candidates = (0..count).map(|i| Value::new((start + i) % count));
    let any = Value::new(start);
    if random.below(3) == 0 { any } else { candidates.find(|other| *other != value && body.ty(*other) == ty).unwrap_or(any) }
}

fn operand(random: &mut Random, rewriter: &mut Rewriter<'_>, op: Op) -> Option<String> {
    let operands = rewriter.op(op).operands();
    if operands.is_empty() {
        return None;
    }
    let index = random.below(operands.len());
    let value = value_like(random, rewriter, operands[index]);
    rewriter.set_operand(op, index, value).ok().map(|()| format!("operand {index}"))
}

fn result_type(random: &mut Random, rewriter: &mut Rewriter<'_>, op: Op) -> Option<String> {
    let results: Vec<Value> = rewriter.op(op).results().collect();
    if results.is_empty() {
        return None;
    }
    let result = results[random.below(results.len())];
    change_type(random, rewriter, result).map(|text| format!("result {text}"))
}

fn argument_type(random: &mut Random, rewriter: &mut Rewriter<'_>) -> Option<String> {
    let body = rewriter.body();
    let is_argument = |value: &Value| body.defining_op(*value).is_none();
    let arguments: Vec<Value> = (0..body.num_values()).map(Value::new).filter(is_argument).collect();
    if arguments.is_empty() {
        return None;
    }
    let argument = arguments[random.below(arguments.len())];
    change_type(random, rewriter, argument).map(|text| format!("an argument {text}"))
}

fn change_type(random: &mut Random, rewriter: &mut Rewriter<'_>, value: Value) -> Option<String> {
    let old = rewriter.body().ty(value);
    let types = &mut rewriter.tables().types;
    let new = match random.below(4) {
        0 => Type::new(random.below(types.len())),
        _ => type_variant(random, types, old)?,
    };
    let text = types.brief(new);
    rewriter.set_type(value, new);
    Some(text)
}

fn variant(random: &mut Random, module: &mut Module, ty: Type) -> Option<Type> {
    type_variant(random, &mut module.tables.types, ty)
}

/// A type that differs a little from another one.
fn type_variant(random: &mut Random, types: &mut tilewright_ir::TypeTable, ty: Type) -> Option<Type> {
    let scalars: Vec<Scalar> = Scalar::all().collect();
    let scalar = scalars[random.below(scalars.len())].ty();
    let mut data = types.get(ty).clone();
    let part = random.below(6);
    match &mut data {
        TypeData::Scalar(_) | TypeData::Token | TypeData::Function { .. } => return Some(scalar),
        TypeData::Pointer { pointee, attr } => match part {
            0..3 => *pointee = scalar,
            _ => *attr = pointer_attr(random),
        },
        TypeData::Tile { element, shape } => match part {
            0 if matches!(types.get(*element), TypeData::Pointer { .. }) => *element = type_variant(random, types, *element)?,
            0..3 => *element = scalar,
            _ => extents(random, shape, &[1, 2, 4, 8, 16, 32]),
        },
        TypeData::TensorView { element, shape, strides, attr } => match part {
            0..2 => *element = scalar,
            2 => *attr = pointer_attr(random),
            3..5 => extents(random, shape, &[1, 2, 7, 16, 32, tilewright_ir::DYNAMIC]),
            _ => extents(random, strides, &[1, 2, 8, 16, 32, tilewright_ir::DYNAMIC]),
        },
        TypeData::PartitionView { tile, tensor_view, dim_map, padding } => match part {
            0..2 => extents(random, tile, &[1, 2, 4, 8, 16, 32]),
            2 => extents(random, dim_map, &[0, 1, 2]),
            3 => *padding = self::padding(random),
            _ => *tensor_view = type_variant(random, types, *tensor_view)?,
        },
        TypeData::StridedView { tile, traversal_strides, tensor_view, dim_map, padding } => match part {
            0 => extents(random, tile, &[1, 2, 4, 8, 16]),
            1..3 => extents(random, traversal_strides, &[1, 2, 3, 8, 16]),
            3 => extents(random, dim_map, &[0, 1, 2]),
            4 => *padding = self::padding(random),
            _ => *tensor_view = type_variant(random, types, *tensor_view)?,
        },
        TypeData::GatherScatterView { tile, tensor_view, sparse_dim, padding } => match part {
            0..2 => extents(random, tile, &[1, 2, 4, 8, 16]),
            2 => *sparse_dim = random.below(3) as u32,
            3 => *padding = self::padding(random),
            _ => *tensor_view = type_variant(random, types, *tensor_view)?,
        },
    }
    types.intern(data).ok()
}

fn pointer_attr(random: &mut Random) -> Option<PtrAttr> {
    PtrAttr::from_wire(random.below(4) as u8)
}

fn padding(random: &mut Random) -> Option<PaddingValue> {
    PaddingValue::from_wire(random.below(7) as u8)
}

/// Changes one number of a list, adds one or takes one away.
fn extents<T: Copy>(random: &mut Random, list: &mut Box<[T]>, numbers: &[T]) {
    let mut longer = list.to_vec();
    let number = numbers[random.below(numbers.len())];
    match random.below(4) {
        0 => longer.push(number),
        1 => drop(longer.pop()),
        _ if longer.is_empty() => longer.push(number),
        _ => {
            let index = random.below(longer.len());
            longer[index] = number;
        }
    }
    *list = longer.into();
}

fn attribute(random: &mut Random, rewriter: &mut Rewriter<'_>, op: Op) -> Option<String> {
    let attrs = rewriter.op(op).def().attrs;
    if attrs.is_empty() {
        return None;
    }
    let def = &attrs[random.below(attrs.len())];
    let old = rewriter.op(op).attr(def.name);
    let value = if def.optional && random.below(3) == 0 { AttrValue::Absent } else { attr_value(random, rewriter, def, old)? };
    rewriter.set_attr(op, def.name, value).ok().map(|()| format!("attribute {} = {value:?}", AttrName::name(def.name)))
}

/// Another value for an attribute.
fn attr_value(random: &mut Random, rewriter: &mut Rewriter<'_>, def: &AttrDef, old: AttrValue) -> Option<AttrValue> {
    let tables = rewriter.tables();
    Some(match def.kind {
        AttrKind::Enum(kind) => {
            let values = kind.values();
            AttrValue::Enum(values[random.below(values.len())].value)
        }
        AttrKind::UInt(_) => AttrValue::Int([0, 1, 2, 3, 4, 7, 16, 1 << 20][random.below(8)]),
        AttrKind::Bool => AttrValue::Bool(random.below(2) == 0),
        AttrKind::Unit => AttrValue::Unit,
        AttrKind::Type => AttrValue::Type(Type::new(random.below(tables.types.len()))),
        AttrKind::String => AttrValue::Str(tables.strings.intern(["", "%d", "%f %i", "%s", "%%", "plain", "%5.2f"][random.below(7)])),
        AttrKind::Symbol => AttrValue::Str(Str::new(random.below(tables.strings.len()))),
        AttrKind::Constant if !tables.constants.is_empty() && random.below(2) == 0 => {
            AttrValue::Const(Const::new(random.below(tables.constants.len())))
        }
        AttrKind::Constant => AttrValue::Const(tables.constants.add(&vec![1; [1, 2, 3, 4, 8, 16, 64][random.below(7)]])),
        AttrKind::Array | AttrKind::Hints | AttrKind::Predicate | AttrKind::I32Array | AttrKind::BoolArray => {
            let data = match old {
                AttrValue::Attr(attr) => tables.attrs.get(attr).clone(),
                _ => return None,
            };
            let data = compound(random, tables, data)?;
            AttrValue::Attr(tables.attrs.intern(data))
        }
    })
}

/// A compound attribute that differs a little from another one.
fn compound(random: &mut Random, tables: &mut tilewright_ir::Tables, mut data: AttrData) -> Option<AttrData> {
    const NUMBERS: [i64; 10] = [-8, -1, 0, 1, 2, 3, 4, 16, 1 << 20, i64::MAX];
    let number = NUMBERS[random.below(NUMBERS.len())];
    let optional = (random.below(3) > 0).then_some(number);
    match &mut data {
        AttrData::DivBy { divisor, every, along } => match random.below(4) {
            0 => *divisor = number.cast_unsigned(),
            1 => *every = optional,
            2 => *along = optional,
            _ => return Some(AttrData::Bounded { lower: Some(number), upper: optional }),
        },
        AttrData::SameElements(list) => extents(random, list, &NUMBERS),
        AttrData::Bounded { lower, upper } => match random.below(3) {
            0 => *lower = optional,
            1 => *upper = optional,
            _ => return Some(AttrData::SameElements([number].into())),
        },
        AttrData::I32Array(list) => extents(random, list, &[-1, 0, 1, 2, 3, 4, 8]),
        AttrData::BoolArray(list) => extents(random, list, &[false, true]),
        AttrData::Array(list) => {
            let ty = Scalar::all().nth(random.below(16)).unwrap_or(Scalar::I32).ty();
            let integer = tables.attrs.intern(AttrData::Integer { ty, bits: 1 });
            let float = tables.attrs.intern(AttrData::Float { ty, bits: 0 });
            extents(random, list, &[integer, float]);
        }
        AttrData::OptimizationHints(entries) => {
            let keys = ["sm_100", "default", "sm_1", "num_cta_in_cga", ""];
            let key = tables.strings.intern(keys[random.below(keys.len())]);
            let value = Attr::new(random.below(tables.attrs.len()));
            extents(random, entries, &[(key, value)]);
        }
        _ => return None,
    }
    Some(data)
}
