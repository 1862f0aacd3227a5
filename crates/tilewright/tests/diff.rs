//! Differences between modules: none where there is none, and all where there are some.
use tilewright::{
    bytecode::{self, File},
    diff::{Change, Diff, DiffOptions, diff},
    ir::{
        Attr, AttrData, AttrName, AttrValue, Body, EnumKind, Function, Module, NewOp, Opcode, RoundingMode, Scalar, SymbolVisibility, Type,
        TypeData, Value, Version, ops::AttrKind,
    },
    text::{self, ParseOptions, PrintOptions},
};
use tilewright_fuzz::corpus;

/// A function under construction: operations on tiles of eight floats, one after the other.
struct Builder {
    module: Module,
    body: Body,
    tile: Type,
    values: Vec<Value>,
}

impl Builder {
    /// A function with this many parameters.
    fn new(parameters: usize) -> Builder {
        let mut module = Module::new("kernels", Version::V13_4);
        let tile = module.tables.types.tile(Scalar::F32.ty(), &[8]).unwrap();
        let mut body = Body::new();
        let block = body.add_block(body.root(), &vec![tile; parameters]);
        let values = body.args(block).collect();
        Builder { module, body, tile, values }
    }

    /// Applies an operation to values by number: parameters first, then results in order.
    fn op(mut self, opcode: Opcode, operands: &[usize]) -> Builder {
        self.push(opcode, operands, RoundingMode::NearestEven);
        self
    }

    fn rounded(mut self, opcode: Opcode, operands: &[usize], rounding: RoundingMode) -> Builder {
        self.push(opcode, operands, rounding);
        self
    }

    fn push(&mut self, opcode: Opcode, operands: &[usize], rounding: RoundingMode) {
        let operands: Vec<Value> = operands.iter().map(|&i| self.values[i]).collect();
        let attr = |kind| match kind {
            AttrKind::Enum(EnumKind::RoundingMode) => AttrValue::Enum(rounding as u8),
            _ => AttrValue::Absent,
        };
        let attrs: Vec<AttrValue> = opcode.def().attrs.iter().map(|def| attr(def.kind)).collect();
        let block = self.body.entry_block().unwrap();
        let results = if opcode == Opcode::Return { vec![] } else { vec![self.tile] };
        let new = NewOp { opcode, operands: &operands, present: 0, split: 0, attrs: &attrs, results: &results, loc: None };
        let op = self.body.add_op(block, new);
        self.values.extend(self.body.op(op).result(0));
    }

    fn build(mut self) -> Module {
        let inputs = self.body.args(self.body.entry_block().unwrap()).map(|_| self.tile).collect();
        let signature = self.module.tables.types.intern(TypeData::Function { inputs, results: [].into() }).unwrap();
        let name = self.module.tables.strings.intern("k");
        let body = std::mem::take(&mut self.body);
        let (visibility, hints) = (SymbolVisibility::Public, None);
        self.module.functions.push(Function { name, signature, is_entry: true, visibility, hints, arg_attrs: None, loc: None, body });
        self.module
    }
}

fn compare(old: Builder, new: Builder) -> Diff {
    diff(&old.build(), &new.build(), &DiffOptions::new())
}

/// What changed, as marks, names and details.
fn summary(diff: &Diff) -> Vec<String> {
    let line = |op: &tilewright::diff::OpDiff| {
        let text = op.old.as_ref().or(op.new.as_ref()).map_or("", |line| line.text.as_str());
        let name = text.split_once(" = ").map_or(text, |(_, rest)| rest).split(' ').next().unwrap_or_default();
        let details: Vec<String> = op.details.iter().map(|d| format!(" {}: {} -> {}", d.what, d.old, d.new)).collect();
        format!("{:?} {name}{}", op.change, details.join(","))
    };
    diff.functions.iter().flat_map(|f| f.operations.iter().map(line)).collect()
}

#[test]
fn a_module_equals_itself_read_in_another_order() {
    for (path, bytes) in corpus::files("tilebc") {
        let module = bytecode::read(&bytes).unwrap();
        // Reading functions backwards fills all tables in another order.
        let mut file = File::parse(&bytes).unwrap();
        let globals = file.globals().to_vec();
        let producer = file.producer();
        let mut functions: Vec<_> = (0..module.functions.len()).rev().map(|i| file.read_function(i).unwrap()).collect();
        functions.rotate_left(1.min(module.functions.len()));
        let mut again = Module::new("kernels", file.version());
        again.tables = file.tables().clone();
        again.name = again.tables.strings.intern("kernels");
        (again.functions, again.globals, again.producer) = (functions, globals, producer);
        let difference = diff(&module, &again, &DiffOptions::new().locations(true));
        assert!(difference.equal, "{}:\n{difference}", path.display());
        let ops: usize = module.functions.iter().map(|f| f.body.num_ops()).sum();
        assert_eq!(difference.unchanged.operations, ops, "{}", path.display());
    }
}

#[test]
fn every_operation_of_different_modules_is_accounted_for() {
    let files = corpus::files("tilebc");
    for ((_, old), (_, new)) in files.iter().zip(files.iter().skip(7)) {
        let read = |bytes: &[u8]| bytecode::read(bytes).unwrap();
        let (old, new) = (read(old), read(new));
        let difference = diff(&old, &new, &DiffOptions::new());
        assert!(!difference.to_string().is_empty());
        for f in difference.functions.iter().filter(|f| f.change == Change::Changed) {
            let count = |change: Change| f.operations.iter().filter(|op| op.change == change).count();
            let (added, removed, changed) = (count(Change::Added), count(Change::Removed), count(Change::Changed));
            assert_eq!(f.counts.0 + added, f.counts.1 + removed, "{}", f.name);
            assert!(changed + removed <= f.counts.0);
        }
    }
}

#[test]
fn numbers_of_values_do_not_show() {
    // An exp more at the beginning shifts all numbers.
    let old = Builder::new(2).op(Opcode::AddF, &[0, 1]).op(Opcode::MulF, &[2, 2]).op(Opcode::Return, &[]);
    let new = Builder::new(2).op(Opcode::Exp, &[0]).op(Opcode::AddF, &[0, 1]).op(Opcode::MulF, &[3, 3]).op(Opcode::Return, &[]);
    let difference = compare(old, new);
    assert_eq!(summary(&difference), ["Added exp"]);
    assert_eq!(difference.unchanged.operations, 3);
}

#[test]
fn attributes_and_operands_show_precisely() {
    let old = Builder::new(2).op(Opcode::AddF, &[0, 1]).op(Opcode::MulF, &[2, 0]).op(Opcode::Return, &[]);
    let new = Builder::new(2).rounded(Opcode::AddF, &[0, 1], RoundingMode::Zero).op(Opcode::MulF, &[2, 1]).op(Opcode::Return, &[]);
    let expected = ["Changed addf rounding_mode: nearest_even -> zero", "Changed mulf operand rhs: %arg0 -> %arg1"];
    assert_eq!(summary(&compare(old, new)), expected);
}

#[test]
fn exchanged_operations_show_as_moved() {
    let old = Builder::new(1).op(Opcode::Exp, &[0]).op(Opcode::Log, &[0]).op(Opcode::AddF, &[1, 2]).op(Opcode::Return, &[]);
    let new = Builder::new(1).op(Opcode::Log, &[0]).op(Opcode::Exp, &[0]).op(Opcode::AddF, &[2, 1]).op(Opcode::Return, &[]);
    let difference = compare(old, new);
    let summary = summary(&difference);
    assert_eq!(summary.iter().filter(|line| line.starts_with("Added")).count(), 1, "{summary:?}");
    assert_eq!(summary.iter().filter(|line| line.starts_with("Removed")).count(), 1, "{summary:?}");
    assert!(!difference.equal);
}

#[test]
fn a_different_type_shows_as_types() {
    let with = |extent: i64| {
        let mut builder = Builder::new(0);
        builder.tile = builder.module.tables.types.tile(Scalar::I32.ty(), &[extent]).unwrap();
        builder.op(Opcode::Iota, &[]).op(Opcode::Return, &[])
    };
    assert_eq!(summary(&compare(with(8), with(16))), ["Changed iota type: tile<8xi32> -> tile<16xi32>"]);
    assert!(compare(with(8), with(8)).equal);
}

#[test]
fn versions_producers_and_lost_functions_show() {
    let old = Builder::new(0).op(Opcode::Return, &[]).build();
    let mut new = Builder::new(0).op(Opcode::Return, &[]).build();
    new.version = Version::V13_5;
    new.producer = Some(new.tables.strings.intern("me"));
    let mut second = new.functions[0].clone();
    second.name = new.tables.strings.intern("second");
    new.functions.insert(0, second);
    let text = diff(&old, &new, &DiffOptions::new()).to_string();
    assert_eq!(
        text,
        "version: 13.4 -> 13.5\nproducer: none -> \"me\"\n+ function @second, 1 operation\nunchanged: 1 function, 1 operation\n"
    );
    new.functions.remove(1);
    let text = diff(&old, &new, &DiffOptions::new()).to_string();
    assert!(text.contains("~ function @k, 1 operation\n    name: k -> second\n"), "{text}");
}

/// Half of the operations of two long functions differ, in a way that leaves few of them unique; in quadratic time this would take
/// minutes.
#[test]
fn long_functions_that_differ_a_lot_are_aligned() {
    let build = |seed: usize| {
        let mut builder = Builder::new(4);
        for i in 0..100_000usize {
            let opcode = [Opcode::AddF, Opcode::MulF, Opcode::SubF][(i * i + seed * (i % 2) * (i / 3)) % 3];
            builder.push(opcode, &[i % 4, (i / 7) % 4], RoundingMode::NearestEven);
        }
        builder.op(Opcode::Return, &[]).build()
    };
    let (old, new) = (build(0), build(1));
    let difference = diff(&old, &new, &DiffOptions::new());
    assert!(!difference.equal && difference.unchanged.operations > 30_000, "{:?}", difference.unchanged);
    assert!(diff(&old, &old, &DiffOptions::new()).equal);
}

/// Constants that say the same in different forms are equal.
#[test]
fn constants_compare_by_elements() {
    let with = |bytes: &[u8]| {
        let mut builder = Builder::new(0);
        let constant = builder.module.tables.constants.add(bytes);
        let block = builder.body.entry_block().unwrap();
        assert_eq!(Opcode::Constant.def().attrs[0].name, AttrName::Value);
        let attrs = [AttrValue::Const(constant)];
        let results = [builder.tile];
        builder.body.add_op(
            block,
            NewOp { opcode: Opcode::Constant, operands: &[], present: 0, split: 0, attrs: &attrs, results: &results, loc: None },
        );
        builder.op(Opcode::Return, &[])
    };
    assert!(compare(with(&[0, 0, 128, 63]), with(&[0, 0, 128, 63].repeat(8))).equal);
    let different = compare(with(&[0, 0, 128, 63]), with(&[0, 0, 0, 64]));
    assert_eq!(summary(&different), ["Changed constant value: 00 00 80 3f -> 00 00 00 40"]);
}

/// An entry and a load with hints.
fn hinted(hints: &str) -> Module {
    let text = format!(
        "entry @k(%p: tile<8xptr<f32>>) optimization_hints=<sm_100 = {{{hints}}}> {{
           %x, %t = load_ptr_tko weak %p optimization_hints = <sm_100 = {{{hints}}}> : tile<8xptr<f32>> -> tile<8xf32>, token
           return
         }}"
    );
    text::parse(&text, &ParseOptions::new()).unwrap_or_else(|errors| panic!("{}", errors[0].render(&text, "text")))
}

/// NVIDIA's compiler takes hints of any integer type alike, and its disassembler prints no type.
#[test]
fn hints_compare_as_their_text_says() {
    let options = DiffOptions::new();
    let of_text = |module: &Module, generic: bool| {
        let text = text::print(module, &PrintOptions::new().generic(generic));
        text::parse(&text, &ParseOptions::new()).unwrap_or_else(|errors| panic!("{}", errors[0].render(&text, "text")))
    };
    let old = hinted("latency = 7");
    for hint in ["latency = 7 : i32", "latency = 7 : i8", "latency = 7 : i64"] {
        let new = hinted(hint);
        let difference = diff(&old, &new, &options);
        assert!(difference.equal, "{hint}: {difference}");
        assert!(diff(&new, &of_text(&new, false), &options).equal, "{hint}");
        // Generic text keeps the type as well.
        let attrs = |module: &Module| Vec::from_iter((0..module.tables.attrs.len()).map(|i| module.tables.attrs.get(Attr::new(i)).clone()));
        let is_number = |attr: &AttrData| matches!(attr, AttrData::Integer { .. });
        let (found, expected) = (attrs(&of_text(&new, true)), attrs(&new));
        assert_eq!(found.iter().find(|a| is_number(a)), expected.iter().find(|a| is_number(a)), "{hint}");
    }
    for hint in ["latency = 8 : i32", "latency = 7.0", "latency = true", "latency = \"7\"", "latency = [7]", "late = 7", ""] {
        let difference = diff(&old, &hinted(hint), &options);
        let details: Vec<_> = difference.functions[0].details.iter().chain(&difference.functions[0].operations[0].details).collect();
        assert_eq!(details.len(), 2, "{hint}: {difference}");
        assert!(details.iter().all(|detail| detail.old != detail.new), "{difference}");
    }
}
