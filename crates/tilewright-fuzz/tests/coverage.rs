//! The generator reaches everything that the op table and the enumerations name, in every version that has it.

use std::collections::BTreeSet;
use tilewright_fuzz::{Random, Source, generate};
use tilewright_ir::{
    AttrData, AttrValue, Module, OpRef, Opcode, Scalar, TypeData, Version,
    ops::{Arity, AttrKind, OpDef, Placement, Results, TypeSet},
};

/// How many modules of each version are looked at.
const MODULES: u64 = 700;
/// How many bytes each is made of.
const LEN: usize = 3000;

/// Something that a module can hold, in words.
type Fact = String;

fn opcode_fact(opcode: Opcode) -> Fact {
    opcode.mnemonic().to_owned()
}

fn attribute_fact(def: &OpDef, name: &str, value: &str) -> Fact {
    format!("{} {name}: {value}", def.mnemonic)
}

fn element_fact(def: &OpDef, name: &str, element: &str) -> Fact {
    format!("{} {name} of {element}", def.mnemonic)
}

/// What rows cannot say no to, but other rules do: element types that never meet an operation.
fn is_impossible(def: &OpDef, name: &str, scalar: Scalar) -> bool {
    use Opcode as O;
    use Scalar as S;
    let opcode = Opcode::from_mnemonic(def.mnemonic).expect("a row of the table");
    let is_byte = scalar.bits() == 8;
    match (opcode, name) {
        // The narrowest type has nothing below it, the widest nothing above.
        (O::ExtI, "from") | (O::TruncI, "to") => scalar == S::I64,
        (O::ExtI, "to") | (O::TruncI, "from") => scalar == S::I1,
        (O::IToF, "to") => scalar == S::F8E8M0FNU,
        (O::Pack, "source") | (O::Unpack, "result") => is_byte,
        (O::Select, _) => scalar == S::F4E2M1FN,
        // Pointers lead to no i4, and to one f4E2M1FN at a time, of which no tile is made.
        (O::LoadPtrTko | O::StorePtrTko, _) => matches!(scalar, S::I4 | S::F4E2M1FN),
        (O::AtomicCASTko, _) => !matches!(scalar.bits(), 32 | 64),
        (O::AtomicRMWTko, _) => !matches!(scalar.bits(), 32 | 64) && !matches!(scalar, S::F16 | S::Bf16),
        (O::AtomicRedViewTko, "value") => !matches!(scalar, S::I32 | S::I64 | S::F16 | S::Bf16 | S::F32 | S::F64),
        (O::LoadViewTko | O::StoreViewTko, "tile") => scalar == S::I4,
        (O::MultimemLoadReduceViewTko | O::MultimemReduceViewTko | O::MultimemStoreViewTko, "reduced_values" | "tile") => {
            !matches!(scalar, S::I32 | S::I64 | S::F16 | S::Bf16 | S::F32 | S::F64)
        }
        // The body takes single elements.
        (O::Reduce | O::Scan, _) => scalar == S::F4E2M1FN,
        _ => false,
    }
}

/// Whether pointers never stand where a row allows any tile.
fn has_no_pointers(def: &OpDef, name: &str) -> bool {
    let named = ["reduced_values", "arg", "cmp", "val", "value", "tile", "operands"].contains(&name);
    let result_of_access = name == "result" && def.mnemonic.ends_with("_tko");
    named && def.mnemonic != "assume" || result_of_access || ["reduce", "scan"].contains(&def.mnemonic)
}

/// What must be seen of an operation in modules of a version.
fn expected_of(opcode: Opcode, version: Version, facts: &mut BTreeSet<Fact>) {
    let def = opcode.def();
    facts.insert(opcode_fact(opcode));
    for attr in def.attrs.iter().filter(|attr| def.attr_since(attr) <= version) {
        let name = attr.name.name();
        if attr.optional {
            facts.insert(attribute_fact(def, name, "absent"));
            facts.insert(attribute_fact(def, name, "present"));
        }
        if let AttrKind::Enum(kind) = attr.kind {
            let known = kind.values().iter().filter(|value| attr.allowed.contains(value.value) && value.since <= version);
            facts.extend(known.map(|value| attribute_fact(def, name, value.keyword)));
        }
    }
    for operand in def.operands.iter().filter(|operand| def.operand_since(operand) <= version) {
        match operand.arity {
            Arity::One => {}
            // An entry returns nothing.
            Arity::Variadic if opcode == Opcode::Return => {}
            Arity::Optional | Arity::Variadic => {
                facts.insert(attribute_fact(def, operand.name, "present"));
                let is_counted = ["tokens", "index"].contains(&operand.name) || def.regions == 1 && operand.name == "operands";
                if !is_counted {
                    facts.insert(attribute_fact(def, operand.name, "absent"));
                }
            }
        }
        expected_elements(def, operand.name, operand.types, version, facts);
    }
    match def.results {
        Results::Fixed(results) => {
            for result in results.iter().filter(|result| def.result_since(result) <= version) {
                expected_elements(def, result.name, result.types, version, facts);
            }
        }
        Results::Variadic(name) => expected_elements(def, name, def.variadic_types, version, facts),
    }
}

fn expected_elements(def: &OpDef, name: &str, set: TypeSet, version: Version, facts: &mut BTreeSet<Fact>) {
    // What takes anything takes tokens and views too: that tiles and tokens come by is enough.
    if set == TypeSet::ANY {
        return;
    }
    let scalars = set.scalars().filter(|scalar| scalar.since() <= version && !is_impossible(def, name, *scalar));
    let scalars = scalars.filter(|scalar| !set.is_scalar() || *scalar != Scalar::F4E2M1FN);
    facts.extend(scalars.map(|scalar| element_fact(def, name, scalar.name())));
    if set.has_pointers() && !has_no_pointers(def, name) {
        facts.insert(element_fact(def, name, "ptr"));
    }
}

fn expected(version: Version) -> BTreeSet<Fact> {
    let mut facts = BTreeSet::new();
    for opcode in Opcode::ALL.iter().copied() {
        let def = opcode.def();
        if def.placement == Placement::Body && !def.preview && def.since <= version {
            expected_of(opcode, version, &mut facts);
        }
    }
    facts
}

/// What a module holds.
fn seen(module: &Module, facts: &mut BTreeSet<Fact>) {
    for function in &module.functions {
        function.body.walk(|op| seen_of(module, op, facts));
    }
}

fn seen_of(module: &Module, op: OpRef<'_>, facts: &mut BTreeSet<Fact>) {
    let def = op.def();
    facts.insert(opcode_fact(op.opcode()));
    for (attr, value) in def.attrs.iter().zip(op.attrs()) {
        let name = attr.name.name();
        facts.insert(attribute_fact(def, name, if *value == AttrValue::Absent { "absent" } else { "present" }));
        if let (AttrKind::Enum(kind), AttrValue::Enum(wire)) = (attr.kind, *value) {
            facts.insert(attribute_fact(def, name, kind.value(wire).expect("a known value").keyword));
        }
    }
    let element = |ty| match module.tables.types.as_tile(ty) {
        Some((element, _)) => module.tables.types.scalar(element).map_or("ptr", Scalar::name),
        None => "no tile",
    };
    for (i, operand) in def.operands.iter().enumerate() {
        let values = op.operand_group(i);
        facts.insert(attribute_fact(def, operand.name, if values.is_empty() { "absent" } else { "present" }));
        facts.extend(values.iter().map(|value| element_fact(def, operand.name, element(op.body().ty(*value)))));
    }
    for (i, result) in op.results().enumerate() {
        let name = match def.results {
            Results::Fixed(results) => results[i].name,
            Results::Variadic(name) => name,
        };
        facts.insert(element_fact(def, name, element(op.body().ty(result))));
    }
}

fn modules(version: Version) -> impl Iterator<Item = Module> {
    let number = Version::ALL.iter().position(|v| *v == version).expect("a known version") as u8;
    (0..MODULES).map(move |seed| {
        let mut bytes = Random::new(seed).bytes(LEN);
        bytes[0] = number;
        generate(&mut Source::new(&bytes))
    })
}

#[test]
fn every_row_is_reached_with_all_that_it_allows() {
    for version in Version::ALL {
        let mut facts = BTreeSet::new();
        for module in modules(version) {
            assert_eq!(module.version, version);
            seen(&module, &mut facts);
        }
        let missing: Vec<Fact> = expected(version).difference(&facts).cloned().collect();
        assert!(missing.is_empty(), "{version}: {} things are never generated: {missing:#?}", missing.len());
    }
}

/// Everything that is no operation: types, globals, attributes, locations.
fn other_facts(module: &Module, facts: &mut BTreeSet<Fact>) {
    let tables = &module.tables;
    for function in &module.functions {
        function.body.walk(|op| {
            for value in op.results().chain(op.operands().iter().copied()) {
                let ty = op.body().ty(value);
                let (name, detail) = match tables.types.get(ty) {
                    TypeData::Tile { element, .. } => match tables.types.get(*element) {
                        TypeData::Pointer { attr, .. } => ("ptr", format!("{attr:?}")),
                        _ => ("tile", String::new()),
                    },
                    TypeData::TensorView { attr, .. } => ("tensor_view", format!("{attr:?}")),
                    TypeData::PartitionView { padding, .. } => ("partition_view", format!("{padding:?}")),
                    TypeData::StridedView { padding, .. } => ("strided_view", format!("{padding:?}")),
                    TypeData::GatherScatterView { padding, .. } => ("gather_scatter_view", format!("{padding:?}")),
                    _ => ("token", String::new()),
                };
                facts.insert(format!("{name} {detail}"));
            }
        });
        facts.insert(format!("hints {}", function.hints.is_some()));
        facts.insert(format!("parameter attributes {}", function.arg_attrs.is_some()));
        facts.insert(format!("function location {}", function.loc.is_some()));
    }
    for global in &module.globals {
        facts.insert(format!("global {:?} constant {}", global.visibility, global.constant));
    }
    facts.insert(format!("producer {}", module.producer.is_some()));
    facts.insert(format!("{} functions", module.functions.len()));
    for index in 0..tables.attrs.len() {
        let kind = match tables.attrs.get(tilewright_ir::Attr::new(index)) {
            AttrData::DivBy { every, .. } => format!("DivBy {}", every.is_some()),
            AttrData::Bounded { lower, upper } => format!("Bounded {} {}", lower.is_some(), upper.is_some()),
            data => {
                let text = format!("{data:?}");
                text.split([' ', '(']).next().unwrap_or_default().to_owned()
            }
        };
        facts.insert(format!("attribute {kind}"));
    }
    for index in 0..tables.locations.len() {
        let text = format!("{:?}", tables.locations.get(tilewright_ir::Loc::new(index)));
        facts.insert(format!("location {}", text.split(' ').next().unwrap_or_default()));
    }
}

#[test]
fn everything_around_operations_is_reached() {
    let mut facts = BTreeSet::new();
    modules(Version::LATEST).for_each(|module| other_facts(&module, &mut facts));
    let mut expected: BTreeSet<Fact> = BTreeSet::new();
    let properties = ["None", "Some(None)", "Some(Unicast)", "Some(Multicast)"];
    expected.extend(["ptr", "tensor_view"].iter().flat_map(|ty| properties.map(|property| format!("{ty} {property}"))));
    let paddings = ["None", "Some(Zero)", "Some(NegZero)", "Some(Nan)", "Some(PosInf)", "Some(NegInf)"];
    let views = ["partition_view", "strided_view", "gather_scatter_view"];
    expected.extend(views.iter().flat_map(|ty| paddings.map(|padding| format!("{ty} {padding}"))));
    for what in ["hints", "parameter attributes", "function location", "producer"] {
        expected.extend([format!("{what} true"), format!("{what} false")]);
    }
    for visibility in ["Public", "Private"] {
        expected.extend([true, false].map(|constant| format!("global {visibility} constant {constant}")));
    }
    let attributes = [
        "Integer",
        "Float",
        "Bool",
        "Type",
        "String",
        "Array",
        "Dictionary",
        "OptimizationHints",
        "SameElements",
        "DivBy true",
        "DivBy false",
        "Bounded true true",
        "Bounded false true",
        "Bounded true false",
        "Bounded false false",
        "I32Array",
        "BoolArray",
    ];
    expected.extend(attributes.map(|kind| format!("attribute {kind}")));
    let locations = ["CompileUnit", "File", "LexicalBlock", "Source", "Subprogram", "CallSite"];
    expected.extend(locations.map(|kind| format!("location {kind}")));
    expected.extend((1..=4).map(|count| format!("{count} functions")));
    expected.extend(["tile ", "token "].map(str::to_owned));
    let missing: Vec<&Fact> = expected.difference(&facts).collect();
    assert!(missing.is_empty(), "never generated: {missing:#?}");
}
