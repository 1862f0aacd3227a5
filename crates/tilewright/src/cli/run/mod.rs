//! `tilewright run`: launches a kernel, on arguments of the command line or on those of a case.

pub(super) mod argument;
pub(super) mod bind;
mod case;
mod device;
mod kernel;
mod profile;
mod report;

use super::{exit::Exit, machine::MachineArgs, progress::Progress};
use argument::OutputFile;
pub(super) use argument::{Device, Grid, device, positive};
pub(super) use bind::{Bound, bind};
pub(super) use device::device_error;
pub(super) use kernel::choose_entry_of;
use std::{num::NonZeroUsize, path::PathBuf, time::Duration};
use tilewright::{
    environment,
    exec::{LimitNames, Limits, TargetMachine},
    ir::Version,
};

/// Run a kernel on the CPU or a GPU
#[derive(clap::Args)]
#[command(
    long_about = LONG_ABOUT,
    after_help = AFTER_HELP,
    override_usage = "tilewright run [OPTIONS] --grid X[,Y[,Z]] FILE [ARG]...\n       tilewright run [OPTIONS] --case PATH"
)]
pub(super) struct Args {
    /// Bytecode or text; '-' reads stdin
    #[arg(required_unless_present = "case", conflicts_with = "case")]
    file: Option<PathBuf>,
    /// Arguments for the entry's parameters, in order
    #[arg(value_name = "ARG")]
    args: Vec<String>,
    /// Tile blocks along x, y and z; extents that are left out, as in 8 or 8,4, are 1
    #[arg(long, value_name = "X[,Y[,Z]]", required_unless_present = "case", conflicts_with = "case")]
    grid: Option<Grid>,
    /// Entry to launch; needed where the module has several
    #[arg(long, value_name = "NAME", conflicts_with = "case")]
    entry: Option<String>,
    /// Write the buffer of parameter N to a .npy file after the run; may be repeated
    #[arg(short, long, value_name = "N=FILE", conflicts_with = "case")]
    output: Vec<OutputFile>,
    /// Run a case, a case.json or its folder, and compare the results with the expected ones
    #[arg(long, value_name = "PATH")]
    case: Option<PathBuf>,
    /// Bytecode version of the case to run [default: the newest it has]
    #[arg(long, value_name = "VERSION", requires = "case", conflicts_with = "file")]
    bytecode: Option<Version>,
    /// Worker threads, at most four for each processor [default: TILEWRIGHT_THREADS, or one for each processor]
    #[arg(long, value_name = "N", value_parser = argument::positive)]
    threads: Option<NonZeroUsize>,
    /// Stop a launch that has not ended after so many seconds, such as 10 or 0.5
    #[arg(long, value_name = "SECONDS", value_parser = argument::seconds)]
    timeout: Option<Duration>,
    /// Memory that a launch may take besides its buffers, in bytes or with a unit: 64MiB
    #[arg(long, value_name = "BYTES", value_parser = argument::bytes)]
    max_memory: Option<u64>,
    /// Text that a launch may print, in bytes or with a unit: 1MiB
    #[arg(long, value_name = "BYTES", value_parser = argument::bytes)]
    max_output: Option<u64>,
    /// 1: run what the usual passes make of the kernel (see 'tilewright opt'); 0: carry out every operation as it stands
    #[arg(short = 'O', long, value_name = "LEVEL", default_value_t = 1, value_parser = clap::value_parser!(u8).range(0..=1))]
    opt_level: u8,
    /// Where to run: cpu; ptx or ptx:sm_90, which compiles to PTX for a GPU and runs that on the PTX machine; cuda or cuda:N, a GPU of this machine
    #[arg(long, value_name = "DEVICE", default_value = "cpu", value_parser = argument::device)]
    device: Device,
    #[command(flatten)]
    machine: MachineArgs,
    #[command(flatten)]
    profile: profile::ProfileArgs,
    /// Launch N times, each time on fresh buffers
    #[arg(long, value_name = "N", default_value = "1", value_parser = argument::positive)]
    repeat: NonZeroUsize,
    /// Report in JSON
    #[arg(long)]
    json: bool,
}

const LONG_ABOUT: &str = "\
Run a kernel on the CPU or a GPU

ARG... are the entry's parameters in order:

  @in.npy          a buffer with the content of the file
  f32[1024x64]     a buffer of zeros; f32[1024]=1.5 fills it
  f32[1024]=count  a buffer of 0, 1, 2 and so on, from 0 again where the type ends
  f32[8x8]=random  a buffer of small numbers, the same each time
  i32:64  f32:0.5  a number; 0x... gives its bits, i1 takes true and false

Element types are those of the IR (i1 i8 i16 i32 i64 f16 bf16 f32 tf32 f64 f8E4M3FN f8E5M2 ...), and bool, u8 to u64 and \
lower-case f8 names. Integers are signed: u32:4294967295 is an argument for a parameter of type i32, too. In files, bf16 is uint16 \
and the 8-bit floats are uint8: their raw bits.

What the kernel prints goes to stdout, byte for byte; on a terminal, control characters other than line breaks and tabs are shown \
as escape sequences. Exit status 0 if the kernel ran, 1 if the module is not valid or the launch failed, 2 for arguments that do not \
fit and files that cannot be read or written.";

const AFTER_HELP: &str = "\
Examples:
  Add two vectors of 1000 elements in 8 blocks, and keep the result, parameter 6:
    tilewright run vector_add.tilebc --grid 8 @a.npy i32:1000 i32:1 @b.npy i32:1000 i32:1 \\
        'f32[1000]' i32:1000 i32:1 -o 6=c.npy
  Run a kernel of a stranger, who gets 10 seconds, 1 GiB besides the buffers, and 1 MiB of output:
    tilewright run kernel.tilebc --grid 64 'f32[65536]' --timeout 10 --max-memory 1GiB --max-output 1MiB
  Look for what is wrong in a kernel: nothing that it does is left out, not even what no result needs:
    tilewright run -O0 kernel.tilebc --grid 64 'f32[65536]'
  Run what 'tilewright compile' makes of it for a GPU, without one; races, missed barriers and bad reads are found:
    tilewright run kernel.tilebc --device ptx:sm_90 --grid 64 'f32[65536]'
  Run it on the first GPU, through the CUDA driver (libcuda.so.1, or the library that TILEWRIGHT_CUDA_DRIVER names):
    tilewright run kernel.tilebc --device cuda --grid 64 'f32[65536]'
  Run a case five times and judge every result:
    tilewright run --case tests/corpus/cases/softmax_rows --repeat 5
  See which operations and lines take how long, beside what the machine could do, and when in Perfetto:
    tilewright run --case tests/corpus/cases/softmax_rows --profile --profile-trace trace.json
  The same for bytecode version 13.1, with numbers for a program:
    tilewright run --case tests/corpus/cases/softmax_rows/case.json --bytecode 13.1 --json";

/// What both ways of running have in common.
#[derive(Clone, Copy)]
struct Settings {
    threads: Option<NonZeroUsize>,
    limits: Limits,
    /// Whether passes improve the kernel before it runs.
    improve: bool,
    machine: TargetMachine,
    repeat: NonZeroUsize,
    /// Whether each instruction is measured.
    profile: bool,
    json: bool,
}

/// The options that limit a launch.
pub(super) const LIMIT_NAMES: LimitNames = LimitNames { time: "--timeout", memory: "--max-memory", output: "--max-output" };

/// What each launch may take.
fn limits(args: &Args) -> Limits {
    let limits = args.timeout.map_or(Limits::new(), |time| Limits::new().time(time));
    let limits = args.max_memory.map_or(limits, |bytes| limits.memory(bytes));
    args.max_output.map_or(limits, |bytes| limits.output(bytes))
}

/// The options that only the engine has, of those that were given.
fn options_of_the_engine(args: &Args) -> Vec<&'static str> {
    let given = [
        (args.threads.is_some(), "--threads"),
        (args.opt_level == 0, "-O0"),
        (args.machine.is_given(), "--no-jit"),
        (args.profile.is_given(), "--profile"),
        (args.timeout.is_some(), LIMIT_NAMES.time),
        (args.max_memory.is_some(), LIMIT_NAMES.memory),
        (args.max_output.is_some(), LIMIT_NAMES.output),
    ];
    given.into_iter().filter(|(is_given, _)| *is_given).map(|(_, name)| name).collect()
}

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    if let Device::Compiled(device) = args.device {
        let refused = options_of_the_engine(&args);
        let what = if matches!(device, tilewright::device::Device::Ptx(_)) { "the PTX machine" } else { "a GPU" };
        anyhow::ensure!(refused.is_empty(), "{what} does not take {}: leave that out, or run on the CPU", refused.join(", "));
    }
    args.profile.check_files()?;
    let settings = Settings {
        threads: args.threads.map_or_else(environment::threads, |threads| Ok(Some(threads)))?,
        limits: limits(&args),
        improve: args.opt_level > 0,
        machine: args.machine.machine()?,
        repeat: args.repeat,
        profile: args.profile.is_given(),
        json: args.json,
    };
    match (args.case, args.file, args.grid) {
        (Some(path), ..) if let Device::Compiled(device) = args.device => case::run_on(device, &path, args.bytecode, settings),
        (Some(path), ..) => case::run(&path, args.bytecode, settings, &args.profile),
        (None, Some(file), Some(grid)) => {
            let call = kernel::Call { file, entry: args.entry, grid: grid.0, args: args.args, outputs: args.output };
            match args.device {
                Device::Cpu => kernel::run(&call, settings, &args.profile),
                Device::Compiled(device) => device::run(&call, device, settings),
            }
        }
        // The parser requires both where there is no case.
        _ => anyhow::bail!("FILE and --grid are missing"),
    }
}

/// How many tile blocks a grid has.
fn blocks(grid: [u32; 3]) -> u64 {
    grid.iter().fold(1, |blocks, &n| blocks.saturating_mul(u64::from(n)))
}

fn progress(grid: [u32; 3]) -> Option<Progress> {
    Progress::new(blocks(grid))
}
