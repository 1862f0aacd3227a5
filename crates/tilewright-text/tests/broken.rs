//! Modules that are not valid, and single operations.

use tilewright_ir::ops::{Arity, AttrKind};
use tilewright_ir::{
    Attr, AttrValue, Body, Const, Function, Loc, Module, NewOp, Op, Opcode, Scalar, Str, SymbolVisibility, Type, TypeData, TypeTable,
    Value, Version,
};
use tilewright_text::{OpPrinter, PrintOptions, print, print_function, print_op, print_type};

fn function(module: &mut Module, body: Body) {
    let signature = module.tables.types.intern(TypeData::Function { inputs: [].into(), results: [].into() }).unwrap();
    let name = module.tables.strings.intern("k");
    module.functions.push(Function {
        name,
        signature,
        is_entry: true,
        visibility: SymbolVisibility::Public,
        hints: None,
        arg_attrs: None,
        loc: None,
        body,
    });
}

fn new_op<'a>(opcode: Opcode, operands: &'a [Value], attrs: &'a [AttrValue], results: &'a [Type]) -> NewOp<'a> {
    NewOp { opcode, operands, present: 0, split: 0, attrs, results, loc: None }
}

/// All eight forms, so that each is known not to panic.
fn print_all(module: &Module) -> Vec<String> {
    let form = |bits: u8| PrintOptions::new().module(bits & 1 != 0).generic(bits & 2 != 0).debug_info(bits & 4 != 0);
    (0..8).map(|bits| print(module, &form(bits))).collect()
}

#[test]
fn operations_without_anything_print() {
    let mut module = Module::new("m", Version::LATEST);
    let mut body = Body::new();
    let block = body.add_block(body.root(), &[]);
    for &opcode in Opcode::ALL {
        let attrs = vec![AttrValue::Absent; opcode.def().attrs.len()];
        body.add_op(block, new_op(opcode, &[], &attrs, &[]));
    }
    function(&mut module, body);
    let text = &print_all(&module)[0];
    assert!(text.contains("  addi <<invalid>>, <<invalid>> : <<invalid>>\n"), "{text}");
    assert!(text.contains("  for <<invalid>> in (<<invalid>> to <<invalid>>, step <<invalid>>) : <<invalid>> {\n  }\n"), "{text}");
    assert!(text.contains("  constant <<<invalid>>> : <<invalid>>\n"), "{text}");
}

#[test]
fn handles_of_other_modules_print() {
    const FAR: usize = 1 << 20;
    let mut module = Module::new("m", Version::LATEST);
    module.producer = Some(Str::new(FAR));
    let mut body = Body::new();
    let block = body.add_block(body.root(), &[Type::new(FAR), Scalar::I32.ty()]);
    for &opcode in Opcode::ALL {
        let def = opcode.def();
        let attr = |kind| match kind {
            AttrKind::Enum(_) => AttrValue::Enum(200),
            AttrKind::UInt(_) => AttrValue::Int(u64::MAX),
            AttrKind::Bool => AttrValue::Bool(true),
            AttrKind::String | AttrKind::Symbol => AttrValue::Str(Str::new(FAR)),
            AttrKind::Type => AttrValue::Type(Type::new(FAR)),
            AttrKind::Constant => AttrValue::Const(Const::new(FAR)),
            AttrKind::Unit => AttrValue::Unit,
            _ => AttrValue::Attr(Attr::new(FAR)),
        };
        let attrs: Vec<AttrValue> = def.attrs.iter().map(|a| attr(a.kind)).collect();
        let operands = [Value::new(FAR), Value::new(0), Value::new(1), Value::new(FAR + 1), Value::new(2)];
        let count = def.operands.len().min(4) + usize::from(def.operands.iter().any(|o| o.arity == Arity::Variadic));
        let results = [Type::new(FAR), TypeTable::token(), Scalar::F32.ty()];
        let op = NewOp { present: 0xff, split: 1, loc: Some(Loc::new(FAR)), ..new_op(opcode, &operands[..count], &attrs, &results) };
        let op = body.add_op(block, op);
        let regions: Vec<_> = body.op(op).regions().collect();
        for region in regions {
            body.add_block(region, &[Type::new(FAR)]);
            body.add_block(region, &[Scalar::I1.ty()]);
        }
    }
    function(&mut module, body);
    module.functions[0].hints = Some(Attr::new(FAR));
    module.functions[0].arg_attrs = Some(Attr::new(FAR));
    module.functions[0].signature = Type::new(FAR);
    let texts = print_all(&module);
    assert!(texts[0].starts_with("entry @k(%arg0: <<invalid>>, %arg1: i32) {\n"), "{}", texts[0]);
    assert!(texts[0].contains("  ^bb1(%"), "{}", texts[0]);
    let printer = OpPrinter::new(&module, &module.functions[0]);
    for index in 0..module.functions[0].body.num_ops() {
        assert!(!printer.op(Op::new(index)).contains('\n'));
    }
}

#[test]
fn deep_nests_are_cut() {
    let mut module = Module::new("m", Version::LATEST);
    let mut body = Body::new();
    let mut block = body.add_block(body.root(), &[]);
    for _ in 0..5000 {
        let op = body.add_op(block, new_op(Opcode::Loop, &[], &[], &[]));
        let region = body.op(op).regions().next().unwrap();
        block = body.add_block(region, &[]);
    }
    function(&mut module, body);
    let texts = print_all(&module);
    assert!(texts.iter().all(|text| text.contains("...\n")));
}

#[test]
fn single_operations_have_the_names_of_the_function() {
    let mut module = Module::new("m", Version::LATEST);
    let tile = module.tables.types.tile(Scalar::I32.ty(), &[]).unwrap();
    let mut body = Body::new();
    let block = body.add_block(body.root(), &[tile]);
    let arg = body.args(block).next().unwrap();
    let none = [AttrValue::Enum(0)];
    let sum = body.add_op(block, new_op(Opcode::AddI, &[arg, arg], &none, &[tile]));
    let sum = body.op(sum).result(0).unwrap();
    let ids = body.add_op(block, new_op(Opcode::GetTileBlockId, &[], &[], &[tile; 3]));
    let looped = body.add_op(block, new_op(Opcode::For, &[arg, sum, arg, sum, arg], &[AttrValue::Absent], &[tile; 2]));
    let region = body.op(looped).regions().next().unwrap();
    body.add_block(region, &[tile; 3]);
    let second = body.op(looped).result(1).unwrap();
    function(&mut module, body);

    let k = &module.functions[0];
    assert_eq!(print_op(&module, k, Op::new(0)), "%0 = addi %arg0, %arg0 : tile<i32>");
    let printer = OpPrinter::new(&module, k);
    assert_eq!(printer.op(ids), "%blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>");
    let text = "%for:2 = for %loopIdx in (%arg0 to %0, step %arg0) : tile<i32> iter_values(%iterArg0 = %0, %iterArg1 = %arg0) -> (tile<i32>, tile<i32>) {...}";
    assert_eq!(printer.op(looped), text);
    assert_eq!(printer.value(second), "%for#1");
    assert_eq!(printer.value(Value::new(999)), "<<invalid>>");
    assert_eq!(print_type(&module, tile), "tile<i32>");
    assert!(print_function(&module, k).ends_with("\n}"));
}
