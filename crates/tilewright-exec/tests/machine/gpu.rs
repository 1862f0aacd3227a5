//! The GPU that `DEVICE=cuda` asks for.

use super::Ran;
use crate::generate::Program;
use std::sync::{LazyLock, Mutex, PoisonError};
use tilewright_cuda::{Context, CudaError, Driver, printed_by};
use tilewright_gpu::Target;

/// One program at a time: what is printed meanwhile is its own.
static GPU: LazyLock<Option<(Target, Mutex<Context>)>> = LazyLock::new(|| {
    match std::env::var("DEVICE").ok()?.as_str() {
        "cuda" => {}
        other => panic!("DEVICE is '{other}', not cuda"),
    }
    let open = || -> Result<(Target, Context), CudaError> {
        let device = Driver::load()?.device(0)?;
        let (major, minor) = device.compute_capability()?;
        Ok((Target::for_compute_capability(major, minor).expect("a GPU that code is made for"), device.context()?))
    };
    let (target, context) = open().unwrap_or_else(|error| panic!("{error}"));
    Some((target, Mutex::new(context)))
});

/// What programs are compiled for, if they are to run on a GPU.
pub(crate) fn target() -> Option<Target> {
    GPU.as_ref().map(|(target, _)| *target)
}

/// Runs the PTX of a program.
pub(super) fn run(program: &Program, (text, dynamic_shared): (&str, u32)) -> Result<Ran, String> {
    let (_, context) = GPU.as_ref().expect("asked for");
    let context = context.lock().unwrap_or_else(PoisonError::into_inner);
    let run = || -> Result<Ran, CudaError> {
        let kernel = context.load(text)?.kernel("k", dynamic_shared)?;
        let stream = context.stream()?;
        let [input, output] = [context.allocate(program.input.len())?, context.allocate(program.output)?];
        stream.write(&input, &program.input)?;
        stream.write(&output, &vec![0; program.output])?;
        let addresses = [input.address(), output.address()];
        let launched = printed_by(|| kernel.launch(program.grid, &program.bits(addresses), &stream).and_then(|()| stream.synchronize()));
        let (result, printed) = launched.expect("the standard output can be caught");
        result?;
        let mut after = vec![0; program.output];
        stream.read(&output, &mut after)?;
        Ok(Ran { addresses, output: after, printed })
    };
    run().map_err(|error| error.to_string())
}
