//! Running an entry that is compiled for a device: the PTX machine, or a GPU.

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
    device::{Device, DeviceError, Launch, Launched, Loaded},
    exec,
    gpu::compile,
};

pub(super) fn run(call: &Call, device: Device, settings: Settings) -> anyhow::Result<Exit> {
    let module = File::read(&call.file)?.verified()?;
    let entry = choose_entry_of(&module, call.entry.as_deref())?;
    // The engine's plan says what the parameters are.
    let plan = exec::Program::without_passes(module.clone()).plan(&entry).map_err(plan_error)?;
    bind::check_outputs(&plan, &call.outputs)?;
    let bound = bind::bind(&plan, &call.args)?;
    let device = device.open().map_err(device_error)?;
    let started = Instant::now();
    let kernel = compile(&module, &entry, device.target()).map_err(|error| Finding::new(format!("cannot compile: {error}")))?;
    let mut loaded = device.load(&kernel).map_err(device_error)?;
    let sink = Sink::new(settings.json);
    let mut report = KernelReport::new(&entry, call.grid, started.elapsed().as_secs_f64());
    report.device = device.name().map(|name| format!("{name}, code for {}", device.target()));
    let mut after = Vec::new();
    for seed in 0..settings.repeat.get() as u64 {
        after = bind::copy(&bound)?;
        let Launched { outcome, machine } = launch(&mut *loaded, call.grid, &mut after, seed).map_err(device_error)?;
        sink.write(&outcome.printed)?;
        for finding in machine.iter().flat_map(|machine| &machine.findings) {
            complain(&format!("{finding}\n"));
        }
        match outcome.error {
            None => report.add_launch(outcome.seconds, machine.as_ref().map(|_| 1)),
            // A GPU does not say where.
            Some(error) if machine.is_none() => report.error = Some(format!("{error}; 'tilewright run --device ptx' says where")),
            Some(error) => report.error = Some(error),
        }
        if let Some(machine) = machine {
            report.add_machine(MachineReport::new(device.target(), &machine));
        }
        if report.error.is_some() {
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

/// Launches a kernel once, and writes what the buffers hold then.
fn launch(loaded: &mut dyn Loaded, grid: [u32; 3], bound: &mut [Bound], seed: u64) -> Result<Launched, DeviceError> {
    let arguments = |addresses: &[u64]| {
        let mut addresses = addresses.iter();
        let bits = bound.iter().map(|bound| match bound {
            Bound::Number(_, bits) => *bits,
            Bound::Buffer(_) => *addresses.next().expect("each buffer has an address"),
        });
        (bits.collect(), Vec::new())
    };
    let buffers = bound.iter().filter_map(|bound| if let Bound::Buffer(array) = bound { Some((array.bytes(), false)) } else { None });
    let launched = loaded.launch(&Launch { grid, buffers: buffers.collect(), arguments: &arguments, seed })?;
    let arrays = bound.iter_mut().filter_map(|bound| if let Bound::Buffer(array) = bound { Some(array) } else { None });
    for (array, after) in arrays.zip(&launched.outcome.buffers) {
        array.bytes_mut().copy_from_slice(after);
    }
    Ok(launched)
}

/// Tells errors of the compiler from devices that cannot be used.
pub(in crate::cli) fn device_error(error: DeviceError) -> anyhow::Error {
    match error {
        DeviceError::Refused(what) => Finding::new(what).into(),
        DeviceError::Missing(what) => {
            anyhow::anyhow!("{what}; 'tilewright run --device ptx' needs no GPU: it runs the same code on the PTX machine")
        }
        failed @ DeviceError::Failed(_) => failed.into(),
    }
}
