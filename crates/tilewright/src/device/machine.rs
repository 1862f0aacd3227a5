//! The PTX machine as a device.

use super::{DeviceError, Launch, Launched, Loaded, Opened};
use crate::{
    case::Outcome,
    gpu::{Kernel, Target},
    ptx::machine::{LaunchOptions, Memory, Program},
};
use std::time::Instant;

/// The PTX machine, with code for a GPU.
pub(super) struct PtxMachine {
    pub(super) target: Target,
}

impl Opened for PtxMachine {
    fn target(&self) -> Target {
        self.target
    }

    fn name(&self) -> Option<&str> {
        None
    }

    fn load(&self, kernel: &Kernel) -> Result<Box<dyn Loaded>, DeviceError> {
        let program = crate::ptx::parse(&kernel.ptx()).and_then(|module| Program::new(&module));
        let program = program.map_err(|error| DeviceError::Refused(format!("the PTX machine refuses the compiler's PTX: {error}")))?;
        let (entry, dynamic_shared) = (kernel.code().name.clone(), kernel.dynamic_shared());
        Ok(Box::new(Code { program, entry, options: LaunchOptions::new().dynamic_shared(dynamic_shared) }))
    }
}

/// A kernel on the machine.
struct Code {
    program: Program,
    entry: String,
    options: LaunchOptions,
}

impl Loaded for Code {
    fn launch(&mut self, launch: &Launch<'_>) -> Result<Launched, DeviceError> {
        Ok(run(&self.program, &self.entry, launch, &self.options.clone().seed(launch.seed)))
    }
}

/// Launches PTX on the machine.
pub(crate) fn run(program: &Program, entry: &str, launch: &Launch<'_>, options: &LaunchOptions) -> Launched {
    let started = Instant::now();
    let mut memory = Memory::new();
    let add = |(bytes, read_only): &(&[u8], bool)| match read_only {
        true => memory.add_read_only(bytes.to_vec()),
        false => memory.add(bytes.to_vec()),
    };
    let buffers: Vec<_> = launch.buffers.iter().map(add).collect();
    let addresses: Vec<u64> = buffers.iter().map(|buffer| memory.address(*buffer)).collect();
    let (args, tables) = (launch.arguments)(&addresses);
    for (buffer, bytes) in tables {
        memory.bytes_mut(buffers[buffer]).copy_from_slice(&bytes);
    }
    let result = program.launch(entry, launch.grid, &args, &mut memory, options);
    let error = result.as_ref().err().map(ToString::to_string);
    let report = result.unwrap_or_else(|error| *error.report);
    let outcome = Outcome {
        buffers: buffers.iter().map(|buffer| memory.bytes(*buffer).to_vec()).collect(),
        printed: report.printed.clone(),
        error,
        seconds: started.elapsed().as_secs_f64(),
    };
    Launched { outcome, machine: Some(report) }
}
