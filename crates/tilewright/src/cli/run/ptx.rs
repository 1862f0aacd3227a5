//! Running an entry, compiled to PTX, on the PTX machine.

use super::{
    Settings,
    bind::{self, Bound},
    kernel::{Call, Sink, choose_entry_of, plan_error, write_outputs},
    report::{KernelReport, MachineReport},
};
use crate::cli::{
    exit::{Exit, Finding},
    input::File,
    output::complain,
};
use std::time::Instant;
use tilewright::{
    exec,
    gpu::{Target, compile},
    ptx::machine::{LaunchOptions, Memory, Program, Report},
};

pub(super) fn run(call: &Call, target: Target, settings: Settings) -> anyhow::Result<Exit> {
    let module = File::read(&call.file)?.verified()?;
    let entry = choose_entry_of(&module, call.entry.as_deref())?;
    // The engine's plan says what the parameters are.
    let plan = exec::Program::without_passes(module.clone()).plan(&entry).map_err(plan_error)?;
    bind::check_outputs(&plan, &call.outputs)?;
    let bound = bind::bind(&plan, &call.args)?;
    let started = Instant::now();
    let kernel = compile(&module, &entry, target).map_err(|error| Finding::new(format!("cannot compile: {error}")))?;
    let seconds = started.elapsed().as_secs_f64();
    let program = tilewright::ptx::parse(&kernel.ptx()).and_then(|module| Program::new(&module));
    // An error here is one of the compiler.
    let program = program.map_err(|error| Finding::new(format!("the PTX machine refuses the compiler's PTX: {error}")))?;
    let sink = Sink::new(settings.json);
    let mut report = KernelReport::new(&entry, call.grid, seconds);
    let mut after = Vec::new();
    for seed in 0..settings.repeat.get() as u64 {
        after = bind::copy(&bound)?;
        let started = Instant::now();
        let options = LaunchOptions::new().seed(seed).dynamic_shared(kernel.dynamic_shared());
        let (launch, error) = launch(&program, &entry, call.grid, &mut after, &options);
        sink.write(&launch.printed)?;
        launch.findings.iter().for_each(|finding| complain(&format!("{finding}\n")));
        match &error {
            None => report.add_launch(started.elapsed().as_secs_f64(), 1),
            Some(error) => report.error = Some(error.clone()),
        }
        report.add_machine(MachineReport::new(target, &launch));
        if error.is_some() {
            break;
        }
    }
    if report.error.is_none() {
        write_outputs(&call.outputs, &after, &mut report)?;
    }
    report.printed = sink.captured();
    report.write(settings.json)?;
    Ok(if report.error.is_some() || report.has_findings() { Exit::Findings } else { Exit::Ok })
}

/// Launches the program once; what it did, and why it ended early, if it did.
fn launch(program: &Program, entry: &str, grid: [u32; 3], bound: &mut [Bound], options: &LaunchOptions) -> (Report, Option<String>) {
    let mut memory = Memory::new();
    let mut buffers = Vec::new();
    let mut args = Vec::new();
    for bound in &*bound {
        match bound {
            Bound::Number(_, bits) => args.push(*bits),
            Bound::Buffer(array) => {
                let buffer = memory.add(array.bytes().to_vec());
                args.push(memory.address(buffer));
                buffers.push(buffer);
            }
        }
    }
    let result = program.launch(entry, grid, &args, &mut memory, options);
    let arrays = bound.iter_mut().filter_map(|bound| if let Bound::Buffer(array) = bound { Some(array) } else { None });
    for (array, buffer) in arrays.zip(buffers) {
        array.bytes_mut().copy_from_slice(memory.bytes(buffer));
    }
    match result {
        Ok(report) => (report, None),
        Err(error) => {
            let told = error.to_string();
            (*error.report, Some(told))
        }
    }
}
