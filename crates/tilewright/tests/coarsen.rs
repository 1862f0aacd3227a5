//! Block coarsening on kernels as people write them: an entry on a grid, and the coarser one on the smaller grid, leave the same bits in
//! all buffers.
//!
//! `SUITE=FOLDER` takes the kernels of another folder with a `suite.json` (see `benches/practitioners`), and tells of each why it is refused.
#![expect(clippy::print_stderr, reason = "kernels of a suite that is asked for are told one by one")]

use serde::Deserialize;
use std::{
    collections::BTreeMap,
    fs,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};
use tilewright::{
    bytecode::{WriteOptions, write},
    case::{self, Case},
    exec::{Arg, LaunchOptions, Memory, Program, launch},
    ir::{Module, Scalar, VerifiedModule, verify},
    numeric::{FloatFormat, Rounding},
    passes::{
        Pipeline, RunOptions,
        coarsen::{Coarsening, Refusal, coarsen},
    },
};

#[derive(Deserialize)]
struct Kernel {
    name: String,
    quick: Problem,
}

#[derive(Deserialize)]
struct Problem {
    arguments: Vec<Argument>,
    grid: [u32; 3],
}

#[derive(Deserialize)]
struct Argument {
    r#type: String,
    #[serde(default)]
    value: f64,
    shape: Option<Vec<usize>>,
    #[serde(default)]
    strides: Vec<usize>,
    #[serde(default)]
    fill: Fill,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "lowercase")]
enum Fill {
    #[default]
    Zeros,
    Uniform(f64, f64),
    Below(u64),
}

/// What is done before an entry is coarsened, as the engine does it.
fn improved(module: &VerifiedModule) -> Module {
    let passes = Pipeline::parse(Program::PASSES).unwrap();
    passes.run(module.clone(), RunOptions::new()).unwrap().0.into_inner()
}

/// The module of a coarser entry, which comes first.
fn coarser(improved: &Module, coarsening: Coarsening) -> Result<VerifiedModule, Refusal> {
    let mut module = improved.clone();
    coarsen(&mut module, coarsening)?;
    let module = verify(module).unwrap_or_else(|findings| panic!("{coarsening:?}: {}", findings[0]));
    let passes = Pipeline::parse("canonicalize,cse,dce(loads=0)").unwrap();
    let (module, _) = passes.run(module, RunOptions::new()).unwrap();
    Ok(module)
}

fn float_bits(scalar: Scalar, value: f64) -> u64 {
    let nearest = Rounding::NearestEven;
    match scalar {
        Scalar::F64 => value.to_bits(),
        Scalar::F32 => (value as f32).to_bits().into(),
        Scalar::Bf16 => FloatFormat::Bf16.encode(value, nearest),
        _ => FloatFormat::F16.encode(value, nearest),
    }
}

/// Numbers that look random.
fn random(seed: u64, place: u64) -> u64 {
    let mut x = (seed << 40).wrapping_add(place).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^ x >> 31
}

impl Argument {
    fn scalar(&self) -> Scalar {
        Scalar::from_name(&self.r#type).unwrap()
    }

    /// What the array holds; nothing for a number.
    fn bytes(&self, seed: u64) -> Option<Vec<u8>> {
        let last: usize = self.shape.as_ref()?.iter().zip(&self.strides).map(|(extent, stride)| (extent - 1) * stride).sum();
        let elements = last + 1;
        let scalar = self.scalar();
        let size = scalar.bits().div_ceil(8) as usize;
        let element = |place: u64| match self.fill {
            Fill::Zeros => 0,
            Fill::Below(end) => random(seed, place) % end,
            Fill::Uniform(low, high) => float_bits(scalar, low + (high - low) * (random(seed, place) >> 40) as f64 / f64::from(1 << 24)),
        };
        Some((0..elements as u64).flat_map(|place| element(place).to_le_bytes().into_iter().take(size)).collect())
    }
}

/// What a launch leaves in the arrays.
fn left(program: &Program, entry: &str, problem: &Problem, grid: [u32; 3]) -> Result<Vec<Vec<u8>>, String> {
    let plan = program.plan(entry).map_err(|error| error.to_string())?;
    let mut memory = Memory::new();
    let (mut args, mut buffers) = (Vec::new(), Vec::new());
    for (seed, argument) in problem.arguments.iter().enumerate() {
        let scalar = argument.scalar();
        match argument.bytes(seed as u64) {
            None if scalar.is_float() => args.push(Arg::Scalar(scalar, float_bits(scalar, argument.value))),
            None => args.push(Arg::Scalar(scalar, argument.value as i64 as u64)),
            Some(bytes) => {
                let buffer = memory.add(bytes);
                args.push(Arg::Pointer(memory.address(buffer)));
                let numbers = argument.shape.iter().flatten().chain(&argument.strides);
                args.extend(numbers.map(|n| Arg::Scalar(Scalar::I32, *n as u64)));
                buffers.push(buffer);
            }
        }
    }
    launch(&plan, &mut memory, grid, &args, &LaunchOptions::new().threads(1)).map_err(|error| error.to_string())?;
    Ok(buffers.into_iter().map(|buffer| memory.bytes(buffer).to_vec()).collect())
}

/// Why an entry was not found equal.
enum Failure {
    Refused(String),
    Wrong(String),
}

/// Compares an entry along an axis by each factor that its grid has; gives the factors.
fn compare(module: &VerifiedModule, problem: &Problem, axis: usize) -> Result<Vec<u32>, Failure> {
    let improved = improved(module);
    let entry = improved.tables.strings.text(improved.functions[0].name).into_owned();
    let program = Program::new(module.clone());
    let (mut compared, mut refused) = (Vec::new(), String::new());
    for factor in (1..8).map(|exponent| 1u32 << exponent).filter(|factor| *factor <= problem.grid[axis]) {
        let wide = match coarser(&improved, Coarsening { axis, factor }) {
            Ok(wide) => Program::without_passes(wide),
            Err(refusal) => {
                refused = format!("by {factor}: {refusal}");
                continue;
            }
        };
        let fails = |what: String| Failure::Wrong(format!("by {factor}: {what}"));
        let mut grid = problem.grid;
        grid[axis] /= factor;
        let found = left(&wide, &entry, problem, grid).map_err(fails)?;
        grid[axis] *= factor;
        let expected = left(&program, &entry, problem, grid).map_err(|error| fails(format!("as it is: {error}")))?;
        for (i, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let different = (0..found.len()).filter(|at| found[*at] != expected[*at]).count();
            if different > 0 {
                return Err(fails(format!("{different} of {} bytes of array {i} differ", found.len())));
            }
        }
        compared.push(factor);
    }
    if compared.is_empty() { Err(Failure::Refused(refused)) } else { Ok(compared) }
}

fn suite() -> (PathBuf, bool) {
    let asked = std::env::var_os("SUITE").map(PathBuf::from);
    let own = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/benches/practitioners/compiled"));
    (asked.clone().unwrap_or(own), asked.is_some())
}

#[test]
fn kernels_of_practitioners_leave_the_same_bits() {
    let (folder, is_asked) = suite();
    let kernels: Vec<Kernel> = serde_json::from_slice(&fs::read(folder.join("suite.json")).unwrap()).unwrap();
    let (mut coarsened, mut refused, mut wrong) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
    for kernel in kernels {
        let bytes = fs::read(folder.join(format!("{}.tilebc", kernel.name))).unwrap();
        let module = verify(tilewright::bytecode::read(&bytes).unwrap()).unwrap();
        for axis in (0..3).filter(|axis| kernel.quick.grid[*axis] > 1) {
            match compare(&module, &kernel.quick, axis) {
                Ok(factors) => _ = coarsened.insert((kernel.name.clone(), axis), factors),
                Err(Failure::Refused(why)) => _ = refused.insert((kernel.name.clone(), axis), why),
                Err(Failure::Wrong(what)) => wrong.push(format!("{} along axis {axis} {what}", kernel.name)),
            }
        }
    }
    if is_asked {
        for ((name, axis), factors) in &coarsened {
            eprintln!("{name} axis {axis}: by {factors:?}");
        }
        for ((name, axis), why) in &refused {
            eprintln!("{name} axis {axis}: refused, {why}");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(is_asked || coarsened.len() >= 20, "only {} kernels are coarsened", coarsened.len());
}

/// What a case leaves in its outputs, as its module stands.
fn outputs(case: &Case) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let found = Arc::new(Mutex::new(BTreeMap::new()));
    let sink = found.clone();
    let look = move |name: &str, bytes: &[u8]| _ = sink.lock().unwrap().insert(name.to_owned(), bytes.to_vec());
    let options = case::RunOptions::new().threads(NonZeroUsize::MIN).passes(Pipeline::default()).outputs(Arc::new(look));
    let report = case.run(&options).map_err(|error| error.to_string())?;
    let found = found.lock().unwrap().clone();
    if report.ok { Ok(found) } else { Err("its results are not those that it expects".to_owned()) }
}

/// A case in a folder, with another module and grid.
fn changed_case(from: &Path, to: &Path, module: &VerifiedModule, grid: [u32; 3]) -> Case {
    for file in from.read_dir().unwrap().flatten() {
        fs::copy(file.path(), to.join(file.file_name())).unwrap();
    }
    fs::write(to.join("coarser.tilebc"), write(module, &WriteOptions::new(module.version)).unwrap()).unwrap();
    let mut spec: serde_json::Value = serde_json::from_slice(&fs::read(to.join("case.json")).unwrap()).unwrap();
    spec["grid"] = serde_json::json!(grid);
    spec["bytecode"] = serde_json::json!({ module.version.to_string(): "coarser.tilebc" });
    spec["target"] = serde_json::json!({ module.version.to_string(): "sm_100" });
    fs::write(to.join("case.json"), serde_json::to_vec(&spec).unwrap()).unwrap();
    Case::load(to).unwrap()
}

/// Coarsens a case along an axis by the factors that divide its grid, and compares its outputs; gives how often.
fn compare_case(folder: &Path, case: &Case, axis: usize) -> Result<usize, String> {
    let mut module = case.module(None).unwrap().into_inner();
    let entry = module.functions.iter().position(|function| module.tables.strings.text(function.name) == case.entry()).unwrap();
    module.functions.swap(0, entry);
    let improved = improved(&verify(module).unwrap());
    let divides = |factor: &u32| case.grid()[axis].is_multiple_of(*factor);
    let mut compared = 0;
    for factor in (1..5).map(|exponent| 1u32 << exponent).filter(divides) {
        let Ok(wide) = coarser(&improved, Coarsening { axis, factor }) else { continue };
        let mut grid = case.grid();
        grid[axis] /= factor;
        let scratch = tempfile::tempdir().unwrap();
        let changed = changed_case(folder, scratch.path(), &wide, grid);
        let (found, expected) = (outputs(&changed)?, outputs(case)?);
        if found != expected {
            return Err(format!("by {factor} it leaves other bits"));
        }
        compared += 1;
    }
    Ok(compared)
}

#[test]
fn cases_of_the_corpus_leave_the_same_bits() {
    let (mut compared, mut wrong) = (0, Vec::new());
    for folder in tilewright_fuzz::corpus::folder().join("cases").read_dir().unwrap().flatten().map(|entry| entry.path()) {
        let case = Case::load(&folder).unwrap();
        for axis in 0..3 {
            match compare_case(&folder, &case, axis) {
                Ok(count) => compared += count,
                Err(what) => wrong.push(format!("{} along axis {axis}: {what}", case.name())),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared >= 10, "only {compared} comparisons");
}
