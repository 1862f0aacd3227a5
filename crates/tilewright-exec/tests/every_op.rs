//! No operation is left out: every row of the op table, with every element type and every attribute value that the verifier
//! takes, has a plan and runs.

mod every;
mod regular;

use every::irregular;
use std::collections::BTreeMap;
use tilewright_exec::{Arg, LaunchOptions, Memory, Program, launch};
use tilewright_fuzz::corpus;
use tilewright_gpu::{Kernel, Target};
use tilewright_ir::{Module, OpRef, Opcode, Scalar, VerifiedModule, ops::Placement, verify};
use tilewright_oracle::{Oracle, failures, llvm::Llc};
use tilewright_ptx::machine;
use tilewright_text::{ParseOptions, PrintOptions, parse, print};

/// How many modules there were with each operation.
type Seen = BTreeMap<Opcode, usize>;

fn count(module: &Module, seen: &mut Seen) {
    for function in &module.functions {
        function.body.walk(|op| *seen.entry(op.opcode()).or_default() += 1);
    }
}

/// Plans the entries of a module, and runs them on one block. Pointers lead to a buffer, other arguments are 1.
fn runs(module: VerifiedModule, seen: &mut Seen) {
    count(&module, seen);
    let text = print(&module, &PrintOptions::new());
    let program = Program::new(module);
    let plan = program.plan("k").unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut memory = Memory::new();
    let buffer = memory.add(vec![0; 1 << 14]);
    let arg = |param: &tilewright_exec::Param| match param {
        tilewright_exec::Param::Pointer(_) => Arg::Pointer(memory.address(buffer)),
        tilewright_exec::Param::Scalar(scalar) => Arg::Scalar(*scalar, 1),
    };
    let args: Vec<Arg> = plan.params().iter().map(arg).collect();
    let sink = tilewright_exec::OutputSink::new(std::sync::Arc::new(std::sync::Mutex::new(Vec::new())));
    launch(&plan, &mut memory, [1, 1, 1], &args, &LaunchOptions::new().threads(1).output(sink))
        .unwrap_or_else(|error| panic!("{error}\n{text}"));
}

/// What the texts may break: they combine all types and keywords, also those that do not go together.
const REFUSALS: [&str; 7] =
    ["invalid-type", "assume-type", "atomic-type", "attribute-value", "memory-ordering", "memory-scope", "multimem-type"];

/// The module of a text, unless its types and keywords do not go together.
fn valid(text: &str) -> Option<VerifiedModule> {
    let module = match parse(text, &ParseOptions::new()) {
        Ok(module) => module,
        Err(errors) if REFUSALS.contains(&errors[0].id) => return None,
        Err(errors) => panic!("{}", errors[0].render(text, "text")),
    };
    match verify(module) {
        Ok(module) => Some(module),
        Err(findings) if REFUSALS.contains(&findings[0].rule) => None,
        Err(findings) => panic!("{}: {}\n{text}", findings[0].rule, findings[0].message),
    }
}

#[test]
fn every_operation_runs() {
    let (mut seen, mut regular) = (Seen::new(), 0);
    for &opcode in Opcode::ALL.iter().filter(|opcode| opcode.def().placement == Placement::Body) {
        regular::modules(opcode, &mut |module, _| {
            regular += 1;
            runs(module, &mut seen);
        });
    }
    assert!(regular > 2000, "only {regular} combinations of regular operations");
    for text in irregular::texts() {
        if let Some(module) = valid(&text) {
            runs(module, &mut seen);
        }
    }
    let missing: Vec<&str> = Opcode::ALL
        .iter()
        .filter(|opcode| opcode.def().placement == Placement::Body && !seen.contains_key(opcode))
        .map(|opcode| opcode.mnemonic())
        .collect();
    assert!(missing.is_empty(), "nothing ran {missing:?}");
}

/// Whether a module accesses replicas of memory, which GPUs do from `sm_90` on.
fn has_replicas(module: &Module) -> bool {
    let is_access = |op: OpRef<'_>| op.opcode().mnemonic().starts_with("multimem_");
    module.functions.iter().any(|function| function.body.preorder().any(is_access))
}

/// The oldest GPU that the entry of a module can be compiled for.
fn target_of(module: &Module) -> Target {
    if has_replicas(module) { Target::Sm90 } else { Target::Sm80 }
}

/// What one block of the PTX machine leaves in a buffer.
fn stored(module: &VerifiedModule, text: &str, dynamic_shared: u32) -> Result<Vec<u8>, String> {
    let mut memory = machine::Memory::new();
    let buffer = memory.add(vec![0; 1 << 14]);
    let types = &module.tables.types;
    let is_pointer = |ty: &tilewright_ir::Type| types.as_tile(*ty).is_some_and(|(element, _)| types.scalar(element).is_none());
    let params = module.function("k").expect("the entry").params(&module.tables);
    let args: Vec<u64> = params.iter().map(|ty| if is_pointer(ty) { memory.address(buffer) } else { 1 }).collect();
    let program = tilewright_ptx::parse(text).and_then(|module| machine::Program::new(&module)).map_err(|error| error.to_string())?;
    let options = machine::LaunchOptions::new().dynamic_shared(dynamic_shared);
    let report = program.launch("k", [1; 3], &args, &mut memory, &options).map_err(|error| error.to_string())?;
    report.findings.first().map_or(Ok(()), |finding| Err(finding.to_string()))?;
    Ok(memory.bytes(buffer).to_vec())
}

/// Compiles the entry of a module for a GPU and runs it on one block of the PTX machine.
fn runs_as_ptx(module: &VerifiedModule, wrong: &mut Vec<String>) -> bool {
    let kernel = tilewright_gpu::compile(module, "k", target_of(module)).map_err(|error| error.to_string());
    let compiled = kernel.is_ok();
    if let Err(what) = kernel.and_then(|kernel| stored(module, &kernel.ptx(), kernel.dynamic_shared())) {
        wrong.push(format!("{what}\n{}", print(module, &PrintOptions::new())));
    }
    compiled
}

#[test]
fn every_operation_is_compiled_and_runs_as_ptx() {
    let modules = modules();
    let (all, mut wrong) = (modules.len(), Vec::new());
    let compiled = modules.iter().filter(|module| runs_as_ptx(module, &mut wrong)).count();
    let first: Vec<&str> = wrong.iter().take(20).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{} of {all} modules, {compiled} compiled:\n{}", wrong.len(), first.join("\n"));
    assert!(compiled > 2000, "only {compiled} of {all} modules are compiled");
}

/// Joins kernels to one text: what they define gets names of its own. `None` for kernels with globals, whose names are not the compiler's.
fn with_own_names(kernel: &tilewright_gpu::Kernel, number: usize) -> Option<String> {
    if kernel.code().data.iter().any(|data| data.name.is_some()) {
        return None;
    }
    let text = kernel.ptx();
    let body = text.split_once(".address_size 64\n").expect("a header").1;
    let named = body.replace("tilewright_", &format!("t{number}_")).replace("k_param_", &format!("k{number}_param_"));
    Some(named.replace(".entry k(", &format!(".entry k{number}(")))
}

/// One module in so many goes through the assembler for a target, unless everything is wanted: `TILEWRIGHT_ORACLE=all`.
const ASSEMBLED: usize = 24;

/// Modules of every operation, with all types and attributes.
fn modules() -> Vec<VerifiedModule> {
    let mut modules = Vec::new();
    for &opcode in Opcode::ALL.iter().filter(|opcode| opcode.def().placement == Placement::Body) {
        regular::modules(opcode, &mut |module, _| modules.push(module));
    }
    modules.extend(irregular::texts().iter().filter_map(|text| valid(text)));
    modules
}

/// One module in so many goes through a compiler of LLVM modules, unless everything is wanted.
const BY_LLVM: usize = 160;

/// Every operation, or a part of them, stores the same when another compiler makes PTX of the module of LLVM.
fn stores_the_same(compiler: &str, first: usize, to_ptx: impl Fn(&Kernel) -> Result<String, String> + Sync) {
    let step = if tilewright_oracle::is_exhaustive() { 1 } else { BY_LLVM };
    let chosen: Vec<VerifiedModule> = modules().into_iter().skip(first % step).step_by(step).collect();
    let failures = failures(&chosen, |module| {
        let kernel = tilewright_gpu::compile(module, "k", target_of(module)).expect("it is compiled");
        let ours = stored(module, &kernel.ptx(), kernel.dynamic_shared()).expect("our own PTX runs");
        let theirs = to_ptx(&kernel).and_then(|text| stored(module, &text, kernel.dynamic_shared()));
        let what = theirs.map_or_else(Some, |theirs| (ours != theirs).then(|| "something else is stored".to_owned()))?;
        Some(format!("{what}\n{}", print(module, &PrintOptions::new())))
    });
    let told = failures.iter().take(20).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(failures.is_empty(), "{compiler}: {} of {} modules:\n{told}", failures.len(), chosen.len());
}

#[test]
fn every_operation_by_way_of_llc_stores_the_same() {
    let Some(llc) = Llc::or_skip("every operation by way of llc") else { return };
    stores_the_same("llc", 0, |kernel| llc.compile(&kernel.llvm(), kernel.target().name()));
}

#[test]
fn every_operation_by_way_of_libnvvm_stores_the_same() {
    let Some(oracle) = Oracle::or_skip("every operation by way of libNVVM") else { return };
    stores_the_same("libNVVM", BY_LLVM / 2, |kernel| oracle.compile_llvm(&kernel.nvvm(), kernel.target().name()));
}

#[test]
fn the_assembler_takes_every_operation_for_every_target() {
    let Some(oracle) = Oracle::or_skip("every operation through ptxas") else { return };
    let modules = modules();
    let step = if tilewright_oracle::is_exhaustive() { 1 } else { ASSEMBLED };
    let mut files = Vec::new();
    for (nth, target) in Target::ALL.into_iter().enumerate() {
        let chosen = modules.iter().skip(nth * step / Target::ALL.len()).step_by(step);
        let kernels: Vec<_> = chosen.filter_map(|module| tilewright_gpu::compile(module, "k", target).ok()).collect();
        let header = kernels[0].ptx().split_inclusive('\n').take(3).collect::<String>();
        files.extend(kernels.iter().filter(|kernel| with_own_names(kernel, 0).is_none()).map(|kernel| (target, kernel.ptx())));
        let named: Vec<String> = kernels.iter().enumerate().filter_map(|(number, kernel)| with_own_names(kernel, number)).collect();
        files.extend(named.chunks(100).map(|chunk| (target, header.clone() + &chunk.concat())));
    }
    let failures = failures(&files, |(target, text)| {
        let answer = oracle.assemble(text, target.name());
        (!answer.accepted()).then(|| format!("{target}: {}", answer.stderr.lines().take(5).collect::<Vec<_>>().join("\n")))
    });
    assert!(failures.is_empty(), "{} of {} files:\n{}", failures.len(), files.len(), failures.join("\n"));
}

#[test]
fn every_element_type_can_be_carried_and_stored() {
    let texts = irregular::texts();
    for scalar in Scalar::all().filter(|scalar| *scalar != Scalar::I4) {
        assert!(texts.iter().any(|text| text.contains("store_view_tko") && text.contains(&format!("x{scalar}>"))), "{scalar}");
    }
}

/// Every module of the corpus that the verifier takes has a plan: most of them are one operation with one choice of attributes.
#[test]
fn every_module_of_the_corpus_has_a_plan() {
    let mut planned = 0;
    let mut failures = Vec::new();
    for (path, bytes) in corpus::files("tilebc") {
        let Ok(module) = tilewright_bytecode::read(&bytes) else { continue };
        let entries: Vec<String> =
            module.functions.iter().filter(|f| f.is_entry).map(|f| module.tables.strings.text(f.name).into_owned()).collect();
        let Ok(module) = verify(module) else { continue };
        let program = Program::new(module);
        for name in entries {
            planned += 1;
            if let Err(error) = program.plan(&name) {
                failures.push(format!("{}: {error}", path.display()));
            }
        }
    }
    assert!(planned >= 200, "only {planned} entries");
    assert!(failures.is_empty(), "{} of {planned} entries:\n{}", failures.len(), failures.join("\n"));
}
