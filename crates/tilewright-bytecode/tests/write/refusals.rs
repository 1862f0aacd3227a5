//! What older versions cannot say.

use crate::{support::Assembler, support::bytes, valid, written};
use tilewright_bytecode::{WriteErrorKind, WriteOptions, read, write};
use tilewright_ir::{
    AttrData, AttrName, AttrValue, LocData, Module, NewOp, Opcode, PtrAttr, Scalar, SymbolVisibility, Type, TypeData, TypeTable, Value,
    Version,
};

/// A module with one entry, to be filled.
struct Kernel {
    module: Module,
    values: Vec<Value>,
}

impl Kernel {
    /// An entry `k` whose parameters are tiles of rank 0 of these types.
    fn new(parameters: &[Scalar]) -> Kernel {
        let mut file = Assembler::new(Version::V13_5);
        file.entry("k", crate::support::NO_PARAMETERS, crate::support::RETURN);
        let mut module = read(&file.build()).expect("a file");
        let types = &mut module.tables.types;
        let inputs: Vec<Type> = parameters.iter().map(|scalar| types.tile(scalar.ty(), &[]).expect("a tile")).collect();
        let signature = types.intern(TypeData::Function { inputs: inputs.clone().into(), results: [].into() }).expect("a function");
        let function = &mut module.functions[0];
        function.signature = signature;
        function.body = tilewright_ir::Body::new();
        let block = function.body.add_block(function.body.root(), &inputs);
        let values = function.body.args(block).collect();
        Kernel { module, values }
    }

    fn tile(&mut self, element: Type) -> Type {
        self.module.tables.types.tile(element, &[]).expect("a tile")
    }

    fn op(&mut self, opcode: Opcode, operands: &[usize], present: u8, attrs: &[AttrValue], results: &[Type]) {
        let operands: Vec<Value> = operands.iter().map(|&i| self.values[i]).collect();
        let locations = &mut self.module.tables.locations;
        let file = self.module.tables.strings.intern("dir/k.py");
        let loc = Some(locations.add(LocData::Source { scope: None, file, line: 7, column: 3 }));
        let body = &mut self.module.functions[0].body;
        let block = body.entry_block().expect("there is one");
        let split = operands.len() as u32 - present.count_ones();
        let new = NewOp { opcode, operands: &operands, present, split, attrs, results, loc };
        let op = body.add_op(block, new);
        self.values.extend(body.op(op).results());
    }

    fn finish(mut self) -> Module {
        self.op(Opcode::Return, &[], 0, &[], &[]);
        self.module
    }
}

/// The message of the refusal, after a check of the versions around it.
fn refusal(module: Module, needs: Version) -> String {
    let module = valid(module);
    for version in Version::ALL {
        match write(&module, &WriteOptions::new(version)) {
            Ok(_) => assert!(version >= needs, "{version} takes it"),
            Err(error) => {
                assert!(version < needs, "{error}");
                assert_eq!((error.kind(), error.needs(), error.target()), (WriteErrorKind::Newer, Some(needs), version));
            }
        }
    }
    write(&module, &WriteOptions::new(Version::V13_1)).expect_err("13.1 does not have it").to_string()
}

const FLOAT: [Scalar; 1] = [Scalar::F32];
const IN_OP: &str = "@k, operation 0";

fn unary(opcode: Opcode, attrs: &[AttrValue]) -> Module {
    let mut kernel = Kernel::new(&FLOAT);
    let tile = kernel.tile(Scalar::F32.ty());
    kernel.op(opcode, &[0], 0, attrs, &[tile]);
    kernel.finish()
}

/// The value of an enumeration with this keyword.
fn keyword(opcode: Opcode, name: AttrName, keyword: &str) -> AttrValue {
    let attr = &opcode.def().attrs[opcode.def().attr_index(name).expect("the operation has it")];
    let tilewright_ir::ops::AttrKind::Enum(kind) = attr.kind else { panic!("{name:?} is no enumeration") };
    AttrValue::Enum(kind.by_keyword(keyword).expect("a keyword").value)
}

#[test]
fn operations() {
    let mut kernel = Kernel::new(&[Scalar::F32, Scalar::F32]);
    let tile = kernel.tile(Scalar::F32.ty());
    kernel.op(Opcode::Atan2, &[0, 1], 0, &[], &[tile]);
    let message = refusal(kernel.finish(), Version::V13_2);
    assert_eq!(message, "@k, operation 0 'atan2' at dir/k.py:7:3: the operation atan2 needs version 13.2, the file is to have 13.1");
}

#[test]
fn attributes_and_values_unless_they_are_defaults() {
    let full = keyword(Opcode::Exp, AttrName::RoundingMode, "full");
    let module = valid(unary(Opcode::Exp, &[full]));
    assert!(written(&module, Version::V13_1).contains("exp"));
    let approx = keyword(Opcode::Exp, AttrName::RoundingMode, "approx");
    let message = refusal(unary(Opcode::Exp, &[approx]), Version::V13_3);
    let expected = "'exp' at dir/k.py:7:3: value 'approx' of attribute 'rounding_mode' needs version 13.3, the file is to have 13.1";
    assert_eq!(message, format!("{IN_OP} {expected}"));
}

#[test]
fn unit_attributes() {
    let ftoi = |saturating| {
        let mut kernel = Kernel::new(&FLOAT);
        let tile = kernel.tile(Scalar::I32.ty());
        let signed = keyword(Opcode::FToI, AttrName::Signedness, "signed");
        let rounding = keyword(Opcode::FToI, AttrName::RoundingMode, "nearest_int_to_zero");
        kernel.op(Opcode::FToI, &[0], 0, &[signed, rounding, saturating], &[tile]);
        kernel.finish()
    };
    assert!(written(&valid(ftoi(AttrValue::Absent)), Version::V13_1).contains("ftoi"));
    let message = refusal(ftoi(AttrValue::Unit), Version::V13_4);
    assert_eq!(message, format!("{IN_OP} 'ftoi' at dir/k.py:7:3: attribute 'saturating' needs version 13.4, the file is to have 13.1"));
}

#[test]
fn values_of_enumerations() {
    let mut kernel = Kernel::new(&FLOAT);
    let tile = kernel.tile(Scalar::Tf32.ty());
    let rounding = keyword(Opcode::FToF, AttrName::RoundingMode, "nearest_away");
    kernel.op(Opcode::FToF, &[0], 0, &[rounding], &[tile]);
    let message = refusal(kernel.finish(), Version::V13_4);
    let expected = "'ftof' at dir/k.py:7:3: value 'nearest_away' of attribute 'rounding_mode' needs version 13.4, the file is to have 13.1";
    assert_eq!(message, format!("{IN_OP} {expected}"));
}

fn printing(uses: impl Fn(&mut Kernel)) -> Module {
    let mut kernel = Kernel::new(&FLOAT);
    let string = AttrValue::Str(kernel.module.tables.strings.intern("%f"));
    kernel.op(Opcode::PrintTko, &[0], 0, &[string], &[TypeTable::token()]);
    uses(&mut kernel);
    kernel.finish()
}

#[test]
fn the_token_of_a_print_in_13_1_files_if_it_is_used() {
    let unused = valid(printing(|_| {}));
    assert!(written(&unused, Version::V13_1).contains("print_tko"));
    let used = printing(|kernel| {
        kernel.op(Opcode::MakeToken, &[], 0, &[], &[TypeTable::token()]);
        kernel.op(Opcode::JoinTokens, &[1, 2], 0, &[], &[TypeTable::token()]);
    });
    let message = refusal(used, Version::V13_2);
    let expected = "'print_tko' at dir/k.py:7:3: the use of result 'result_token' needs version 13.2, the file is to have 13.1";
    assert_eq!(message, format!("{IN_OP} {expected}"));
}

#[test]
fn operands() {
    let module = printing(|kernel| {
        kernel.op(Opcode::MakeToken, &[], 0, &[], &[TypeTable::token()]);
        let string = AttrValue::Str(kernel.module.tables.strings.intern("%f"));
        let token = Opcode::PrintTko.def().operand_index("token").expect("print_tko takes a token");
        kernel.op(Opcode::PrintTko, &[0, 2], 1 << token, &[string], &[TypeTable::token()]);
    });
    let message = refusal(module, Version::V13_2);
    assert_eq!(message, "@k, operation 2 'print_tko' at dir/k.py:7:3: operand 'token' needs version 13.2, the file is to have 13.1");
}

#[test]
fn types() {
    let module = {
        let mut kernel = Kernel::new(&FLOAT);
        let tile = kernel.tile(Scalar::F8E8M0FNU.ty());
        let rounding = keyword(Opcode::FToF, AttrName::RoundingMode, "zero");
        kernel.op(Opcode::FToF, &[0], 0, &[rounding], &[tile]);
        kernel.finish()
    };
    let expected = "'ftof' at dir/k.py:7:3: type tile<f8E8M0FNU> needs version 13.2, the file is to have 13.1";
    assert_eq!(refusal(module, Version::V13_2), format!("{IN_OP} {expected}"));
    for (attr, needs) in [(PtrAttr::None, Version::V13_4), (PtrAttr::Multicast, Version::V13_5)] {
        let mut kernel = Kernel::new(&[]);
        let pointer = kernel.module.tables.types.intern(TypeData::Pointer { pointee: Scalar::F32.ty(), attr: Some(attr) }).expect("a type");
        let tile = kernel.tile(pointer);
        let inputs = [tile].into();
        let signature = kernel.module.tables.types.intern(TypeData::Function { inputs, results: [].into() }).expect("a type");
        let function = &mut kernel.module.functions[0];
        function.signature = signature;
        function.body = tilewright_ir::Body::new();
        function.body.add_block(function.body.root(), &[tile]);
        let message = refusal(kernel.finish(), needs);
        let text = format!("type (tile<ptr<f32, <{}>>>) -> () needs version {needs}, the file is to have 13.1", attr.keyword());
        assert_eq!(message, format!("@k: {text}"));
    }
}

fn with_global(change: impl Fn(&mut tilewright_ir::Global)) -> Module {
    let mut file = Assembler::new(Version::V13_5);
    let ty = file.tile(crate::support::I32, &[1]);
    let (name, value) = (file.string("g"), file.constant(&[1, 0, 0, 0]));
    file.globals.push(bytes().varints([name, ty, value, 4, 0, 0]).0);
    let mut module = read(&file.build()).expect("a file");
    change(&mut module.globals[0]);
    module
}

#[test]
fn globals() {
    assert!(written(&valid(with_global(|_| {})), Version::V13_1).contains("global"));
    let message = refusal(with_global(|global| global.visibility = SymbolVisibility::Private), Version::V13_3);
    assert_eq!(message, "@g: a private global needs version 13.3, the file is to have 13.1");
    let message = refusal(with_global(|global| global.constant = true), Version::V13_3);
    assert_eq!(message, "@g: a constant global needs version 13.3, the file is to have 13.1");
}

#[test]
fn the_producer_unless_the_file_had_one() {
    let mut module = Kernel::new(&[]).finish();
    module.producer = Some(module.tables.strings.intern("me"));
    assert_eq!(refusal(module, Version::V13_3), "the name of the producer needs version 13.3, the file is to have 13.1");
    let mut file = Assembler::new(Version::V13_1);
    file.entry("k", crate::support::NO_PARAMETERS, crate::support::RETURN);
    let producer = file.string("me");
    file.producer = Some(vec![producer as u8]);
    let file = file.build();
    let (module, layout) = tilewright_bytecode::read_with_layout(&file).expect("readers take it");
    assert_eq!(write(&valid(module), &WriteOptions::new(Version::V13_1).layout(&layout)), Ok(file));
}

#[test]
fn attributes_of_parameters() {
    let mut module = Kernel::new(&FLOAT).finish();
    let key = module.tables.strings.intern("cuda_tile.x");
    let value = module.tables.attrs.intern(AttrData::Bool(true));
    let dictionary = module.tables.attrs.intern(AttrData::Dictionary([(key, value)].into()));
    let empty = module.tables.attrs.intern(AttrData::Dictionary([].into()));
    module.functions[0].arg_attrs = Some(module.tables.attrs.intern(AttrData::Array([empty].into())));
    assert!(written(&valid(module.clone()), Version::V13_1).contains("entry"), "empty ones say nothing");
    module.functions[0].arg_attrs = Some(module.tables.attrs.intern(AttrData::Array([dictionary].into())));
    let message = refusal(module, Version::V13_5);
    assert_eq!(message, "@k: the list of parameter attributes needs version 13.5, the file is to have 13.1");
}

#[test]
fn flags_of_subprograms() {
    let mut module = Kernel::new(&[]).finish();
    let strings = &mut module.tables.strings;
    let (name, directory) = (strings.intern("k.py"), strings.intern(""));
    let linkage_name = strings.intern("k");
    let locations = &mut module.tables.locations;
    let file = Some(locations.add(LocData::File { name, directory }));
    let unit = Some(locations.add(LocData::CompileUnit { file }));
    let subprogram = LocData::Subprogram { file, line: 1, name: linkage_name, linkage_name, unit, scope_line: 1, flags: 1 };
    let scope = Some(locations.add(subprogram));
    module.functions[0].loc = Some(locations.add(LocData::Source { scope, file: name, line: 1, column: 1 }));
    let message = refusal(module, Version::V13_5);
    assert_eq!(message, "@k: a debug entry of a subprogram with flags 0x1 needs version 13.5, the file is to have 13.1");
}

#[test]
fn functions_that_are_no_entries_in_any_version() {
    let mut module = Kernel::new(&[]).finish();
    module.functions[0].is_entry = false;
    let error = write(&valid(module), &WriteOptions::new(Version::V13_5)).expect_err("no encoding is known");
    assert_eq!(error.kind(), WriteErrorKind::Preview);
    assert_eq!(error.to_string(), "@k: cannot be written to a 13.5 file: a function that is no entry is preview content");
}

#[test]
fn preview_content_sets_the_bit_of_the_header() {
    let mut file = Assembler::new(Version::V13_5);
    file.tag = 1;
    let callee = file.string("f");
    // preview$call: no results, no optional attributes, @f, no constant arguments, no operands.
    let body = bytes().varint(0x4002).varints([0, 0, callee, 0, 0]).raw(crate::support::RETURN);
    file.entry("k", crate::support::NO_PARAMETERS, body);
    let module = valid(read(&file.build()).expect("a file"));
    let bytes = write(&module, &WriteOptions::new(Version::V13_5)).expect("it can be written");
    assert_eq!(bytes[10..12], [1, 0]);
    assert!(read(&bytes).is_ok());
    let error = write(&module, &WriteOptions::new(Version::V13_4)).expect_err("13.4 files have no preview content");
    let expected = "@k, operation 0 'preview$call': the operation preview$call needs version 13.5, the file is to have 13.4";
    assert_eq!(error.to_string(), expected);
}
