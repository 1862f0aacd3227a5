//! Launches of a kernel in the page: checked, and then recorded.

use crate::{
    document::{self, Document},
    numbers::number,
    recorder::{RecordedAccess, Recorder, Recording, ShownTile, Tile},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    io,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};
use tilewright::{
    arguments::{Bound, Checked, Grid},
    array::{Array, DType},
    check::{Checker, Finding},
    exec::{AccessKind, LaunchOptions, Limits, Memory, OutputSink, Plan, Program},
    ir::{Body, Module, VerifiedModule},
    text::print_type,
};

/// What a launch may take: the memory of a page is small.
const MAX_MEMORY: u64 = 512 << 20;
/// The most elements of a buffer that the page shows.
const MAX_SHOWN: usize = 1 << 16;

/// What to launch.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Call {
    entry: String,
    grid: String,
    args: Vec<String>,
    /// The block whose steps are wanted, by its number.
    #[serde(default)]
    block: u64,
}

/// Files that arguments name, by their names.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// The arguments of a call.
fn bind(plan: &Plan, call: &Call, files: &Files) -> Result<Checked, String> {
    let open = |path: &Path| -> io::Result<Box<dyn io::Read>> {
        let bytes = path.to_str().and_then(|name| files.get(name)).cloned();
        let bytes = bytes.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "no such file was dropped into the page"))?;
        Ok(Box::new(io::Cursor::new(bytes)))
    };
    Checked::bind_from(plan, &call.args, &open).map_err(|error| error.to_string())
}

/// A launch that was recorded.
pub(crate) struct Launch {
    call: Call,
    recording: Recording,
}

/// What the page is told of a launch.
#[derive(Serialize)]
pub(crate) struct Launched {
    grid: [u32; 3],
    buffers: Vec<ShownBuffer>,
    findings: Vec<ShownFinding>,
    printed: String,
    recorded: Recorded,
}

#[derive(Serialize)]
struct ShownBuffer {
    parameter: usize,
    dtype: String,
    shape: Vec<u64>,
    before: Vec<Value>,
    after: Vec<Value>,
}

#[derive(Serialize)]
struct ShownFinding {
    #[serde(flatten)]
    finding: Finding,
    title: &'static str,
    help: String,
    /// The operation's number in its function, in the order of the text.
    number: usize,
}

/// The steps of a block, and the accesses of all.
#[derive(Serialize)]
pub(crate) struct Recorded {
    block: u64,
    /// Function and number of the operation of each step.
    steps: Vec<(usize, usize)>,
    has_more_steps: bool,
    /// Buffer, kind (0 reads, 1 writes, 2 both), first element, elements, block, step.
    accesses: Vec<(usize, u8, u64, u64, u64, Option<usize>)>,
    has_more_accesses: bool,
}

/// A step of the block.
#[derive(Serialize)]
pub(crate) struct ShownStep {
    operands: Vec<NamedTile>,
    results: Vec<NamedTile>,
}

#[derive(Serialize)]
struct NamedTile {
    name: String,
    ty: String,
    tile: Option<ShownTile>,
}

impl Launch {
    /// Checks a launch, then records it.
    ///
    /// # Errors
    /// When it cannot be made, in words.
    pub(crate) fn run(document: &Document, files: &Files, call: Call) -> Result<(Launch, Launched), String> {
        let module = document.module()?;
        let grid = call.grid.parse::<Grid>()?.0;
        let checker = Checker::new(module.clone());
        let plan = checker.plan(&call.entry).map_err(|error| format!("cannot run: {error}"))?;
        let mut checked = bind(&plan, &call, files)?;
        let before: Vec<Array> = arrays(&checked).cloned().collect();
        let parameters = checked.buffers().to_vec();
        let printed = Arc::new(Mutex::new(Vec::new()));
        let report = {
            let options = checked.options();
            let mut memory = Memory::new();
            let (args, _) = checked.place(&mut memory, &[]).map_err(|error| error.to_string())?;
            let launch = launch_options().output(OutputSink::new(printed.clone()));
            checker.check(&call.entry, &mut memory, grid, &args, &options, &launch).map_err(|error| error.to_string())?
        };
        let shown = std::iter::zip(&before, arrays(&checked));
        let buffers =
            std::iter::zip(parameters, shown).map(|(parameter, (before, after))| shown_buffer(parameter, before, after)).collect();
        let findings = report.findings.into_iter().map(|finding| shown_finding(finding, module)).collect();
        let recording = record(module, &call, files, grid)?;
        let launch = Launch { call, recording };
        let printed = String::from_utf8_lossy(&printed.lock().unwrap_or_else(PoisonError::into_inner)).into_owned();
        let recorded = launch.recorded(module, &before);
        Ok((launch, Launched { grid, buffers, findings, printed, recorded }))
    }

    /// Records the same launch once more, with the steps of another block.
    ///
    /// # Errors
    /// When the module is not valid any more.
    pub(crate) fn of_block(&mut self, document: &Document, files: &Files, block: u64) -> Result<Recorded, String> {
        let module = document.module()?;
        let grid = self.call.grid.parse::<Grid>()?.0;
        self.call.block = block;
        self.recording = record(module, &self.call, files, grid)?;
        let plan = Program::watched(module.clone()).plan(&self.call.entry).map_err(|error| error.to_string())?;
        let checked = bind(&plan, &self.call, files)?;
        let before: Vec<Array> = arrays(&checked).cloned().collect();
        Ok(self.recorded(module, &before))
    }

    fn recorded(&self, module: &Module, buffers: &[Array]) -> Recorded {
        let numbers: Vec<Vec<usize>> = module.functions.iter().map(|function| document::numbers(&function.body)).collect();
        let recording = &self.recording;
        Recorded {
            block: self.call.block,
            steps: recording.steps.iter().map(|step| (step.function, numbers[step.function][step.op.index()])).collect(),
            has_more_steps: recording.has_more_steps,
            accesses: recording.accesses.iter().map(|access| shown_access(access, buffers)).collect(),
            has_more_accesses: recording.has_more_accesses,
        }
    }

    /// What a step of the block sees and makes.
    ///
    /// # Errors
    /// When there is no such step.
    pub(crate) fn step(&self, document: &Document, index: usize) -> Result<ShownStep, String> {
        let step = self.recording.steps.get(index).ok_or("there is no such step")?;
        let module = document.module()?;
        let body: &Body = &module.functions[step.function].body;
        let op = body.op(step.op);
        let names = document.names(step.function);
        let named = |value, tile: Option<&Option<Tile>>| NamedTile {
            name: names.of(value),
            ty: print_type(module, body.ty(value)),
            tile: tile.and_then(Option::as_ref).map(Tile::shown),
        };
        let operands = op.operands().iter().enumerate().map(|(i, value)| named(*value, step.operands.get(i))).collect();
        let results = op.results().enumerate().map(|(i, value)| named(value, step.results.get(i))).collect();
        Ok(ShownStep { operands, results })
    }
}

fn launch_options() -> LaunchOptions<'static> {
    LaunchOptions::new().limits(Limits::new().memory(MAX_MEMORY))
}

fn arrays(checked: &Checked) -> impl Iterator<Item = &Array> {
    checked.bound().iter().filter_map(|bound| if let Bound::Buffer(array) = bound { Some(array) } else { None })
}

fn record(module: &VerifiedModule, call: &Call, files: &Files, grid: [u32; 3]) -> Result<Recording, String> {
    let plan = Program::watched(module.clone()).plan(&call.entry).map_err(|error| error.to_string())?;
    let mut checked = bind(&plan, call, files)?;
    let mut memory = Memory::new();
    let (args, _) = checked.place(&mut memory, &[]).map_err(|error| error.to_string())?;
    let recorder = Recorder::of_block(call.block, grid);
    let nowhere = OutputSink::new(Arc::new(Mutex::new(io::sink())));
    let options = launch_options().output(nowhere).watcher(&recorder).observer(&recorder);
    tilewright::exec::launch(&plan, &mut memory, grid, &args, &options).map_err(|error| error.to_string())?;
    Ok(recorder.finish())
}

fn shown_buffer(parameter: usize, before: &Array, after: &Array) -> ShownBuffer {
    let dtype: DType = before.dtype();
    let elements = before.ty().elements().map_or(0, |elements| elements as usize).min(MAX_SHOWN);
    let values = |array: &Array| (0..elements).map(|i| number(Some(dtype.scalar()), dtype.bits_at(array.bytes(), i))).collect();
    ShownBuffer { parameter, dtype: dtype.to_string(), shape: before.shape().to_vec(), before: values(before), after: values(after) }
}

fn shown_access(access: &RecordedAccess, buffers: &[Array]) -> (usize, u8, u64, u64, u64, Option<usize>) {
    let bits = buffers.get(access.buffer).map_or(8, |array| u64::from(array.dtype().storage_bits()));
    let kind = match access.kind {
        AccessKind::Read => 0,
        AccessKind::Write => 1,
        AccessKind::ReadModifyWrite => 2,
    };
    (access.buffer, kind, access.start * 8 / bits, (access.bytes * 8).div_ceil(bits), access.block, access.step)
}

fn shown_finding(finding: Finding, module: &Module) -> ShownFinding {
    let is_its = |name| module.tables.strings.text(name) == finding.place.function;
    let function = module.functions.iter().find(|function| is_its(function.name));
    let number = function.and_then(|function| document::numbers(&function.body).get(finding.place.op).copied()).unwrap_or(0);
    ShownFinding { title: finding.rule.title, help: finding.rule.help_uri(), number, finding }
}
