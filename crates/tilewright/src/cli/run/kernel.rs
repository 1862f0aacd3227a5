//! Running an entry on arguments of the command line.

use super::{
    LIMIT_NAMES, Settings,
    argument::OutputFile,
    bind::{self, Bound},
    profile::ProfileArgs,
    progress,
    report::{KernelReport, WrittenFile},
};
use crate::cli::{
    exit::{Exit, Finding},
    input::{File, shown},
    output::write_file,
};
use anyhow::{Context as _, bail};
use std::{
    io::{self, IsTerminal, Write},
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};
use tilewright::{
    exec::{LaunchError, LaunchErrorKind, LaunchOptions, LaunchReport, Memory, OutputSink, Plan, PlanError, Program, launch},
    ir::{Module, nearest, printable},
    profile::{self, MachineLimits, Profile},
};

/// What to run, as written on the command line.
pub(super) struct Call {
    pub(super) file: PathBuf,
    pub(super) entry: Option<String>,
    pub(super) grid: [u32; 3],
    pub(super) args: Vec<String>,
    pub(super) outputs: Vec<OutputFile>,
}

pub(super) fn run(call: &Call, settings: Settings, profile: &ProfileArgs) -> anyhow::Result<Exit> {
    let module = File::read(&call.file)?.verified()?;
    let program = if settings.improve { Program::new(module) } else { Program::without_passes(module) }.for_machine(settings.machine);
    let entry = choose_entry_of(program.module(), call.entry.as_deref())?;
    let started = Instant::now();
    let plan = program.plan(&entry).map_err(plan_error)?;
    let plan_seconds = started.elapsed().as_secs_f64();
    bind::check_outputs(&plan, &call.outputs)?;
    let bound = bind::bind(&plan, &call.args)?;
    let sink = Sink::new(settings.json);
    let mut report = KernelReport::new(&entry, call.grid, plan_seconds);
    let after = match launch_all(&plan, call.grid, bound, settings, &sink, &mut report) {
        Ok(after) => after,
        Err(Stop::Host(error)) => return Err(error),
        Err(Stop::Launch(error)) => {
            report.error = Some(error.naming(&LIMIT_NAMES).to_string());
            report.printed = sink.captured();
            report.write(settings.json)?;
            return Ok(exit_of(&error));
        }
    };
    write_outputs(&call.outputs, &after, &mut report)?;
    report.printed = sink.captured();
    report.profile = report.measured.take().map(|measured| {
        let limits = MachineLimits::measure(measured.threads);
        Profile::new(program.module(), &entry, call.grid, measured, limits)
    });
    report.write(settings.json)?;
    report.profile.iter().try_for_each(|measured| profile.write(measured, settings.json))?;
    Ok(Exit::Ok)
}

/// Writes the files that were asked for.
pub(super) fn write_outputs(outputs: &[OutputFile], after: &[Bound], report: &mut KernelReport) -> anyhow::Result<()> {
    for OutputFile { parameter, path } in outputs {
        if let Some(Bound::Buffer(array)) = after.get(*parameter) {
            write_file(path, |out| array.write_npy(out)).with_context(|| format!("cannot write {}", shown(path)))?;
            report.files.push(WrittenFile { parameter: *parameter, file: path.display().to_string(), ty: array.ty().to_string() });
        }
    }
    Ok(())
}

/// The names of the entries of a module.
fn entries(module: &Module) -> Vec<String> {
    let entries = module.functions.iter().filter(|f| f.is_entry);
    entries.map(|f| module.tables.strings.text(f.name).into_owned()).collect()
}

/// The entry of a module that was asked for, or the only one.
pub(in super::super) fn choose_entry_of(module: &Module, asked: Option<&str>) -> anyhow::Result<String> {
    choose_entry(entries(module), asked)
}

/// The entry that was asked for, or the only one.
fn choose_entry(mut entries: Vec<String>, asked: Option<&str>) -> anyhow::Result<String> {
    let list = || entries.iter().map(|entry| printable(entry).to_string()).collect::<Vec<_>>().join(", ");
    match asked {
        Some(name) if entries.iter().any(|e| e == name) => Ok(name.to_owned()),
        _ if entries.is_empty() => Err(Finding::new("the module has no entry".to_owned()).into()),
        Some(name) => match nearest(name, entries.iter().map(String::as_str)).filter(|_| entries.len() > 1) {
            Some(near) => bail!("there is no entry '{name}'; did you mean '{}'? The module has {}", printable(near), list()),
            None => bail!("there is no entry '{name}'; the module has {}", list()),
        },
        None if entries.len() == 1 => Ok(entries.swap_remove(0)),
        None => bail!("the module has several entries, choose one with --entry: {}", list()),
    }
}

pub(super) fn plan_error(error: PlanError) -> anyhow::Error {
    Finding::new(format!("cannot run: {error}")).into()
}

/// What ends a series of launches.
enum Stop {
    Launch(Box<LaunchError>),
    Host(anyhow::Error),
}

/// Launches as often as asked, each time on fresh buffers; gives the parameters as the last launch left them.
fn launch_all(
    plan: &Plan,
    grid: [u32; 3],
    bound: Vec<Bound>,
    settings: Settings,
    sink: &Sink,
    report: &mut KernelReport,
) -> Result<Vec<Bound>, Stop> {
    for _ in 1..settings.repeat.get() {
        let mut copy = bind::copy(&bound).map_err(Stop::Host)?;
        launch_once(plan, grid, &mut copy, settings, sink, report).map_err(Stop::Launch)?;
    }
    let mut bound = bound;
    launch_once(plan, grid, &mut bound, settings, sink, report).map_err(Stop::Launch)?;
    Ok(bound)
}

fn launch_once(
    plan: &Plan,
    grid: [u32; 3],
    bound: &mut [Bound],
    settings: Settings,
    sink: &Sink,
    report: &mut KernelReport,
) -> Result<(), Box<LaunchError>> {
    let mut memory = Memory::new();
    let args = bind::place(bound, &mut memory);
    let mut options = LaunchOptions::new().output(sink.shared()).limits(settings.limits);
    if let Some(threads) = settings.threads {
        options = options.threads(threads.get());
    }
    let progress = progress(grid);
    if let Some(progress) = &progress {
        options = options.progress(progress.callback());
    }
    let started = Instant::now();
    let LaunchReport { threads, .. } = match settings.profile {
        true => profile::launch(plan, &mut memory, grid, &args, &options, &mut report.measured)?,
        false => launch(plan, &mut memory, grid, &args, &options)?,
    };
    report.add_launch(started.elapsed().as_secs_f64(), Some(threads));
    Ok(())
}

/// Whose fault a failed launch is.
fn exit_of(error: &LaunchError) -> Exit {
    match error.kind {
        LaunchErrorKind::Resource(_) | LaunchErrorKind::Output(_) => Exit::Failure,
        _ => Exit::Findings,
    }
}

/// Where the text goes that a kernel prints: to stdout as it comes, or into the report.
///
/// The text belongs to the program, so that files and other programs get every byte. A terminal gets what can be seen, line breaks
/// and tabs, and escape sequences of the rest: a kernel of unknown origin must not act on it.
pub(super) struct Sink {
    target: Arc<Mutex<dyn Write + Send>>,
    capture: Option<Arc<Mutex<Vec<u8>>>>,
}

impl Sink {
    pub(super) fn new(capture: bool) -> Sink {
        if !capture {
            let stdout = PatientStdout { closed: false, is_terminal: io::stdout().is_terminal() };
            return Sink { target: Arc::new(Mutex::new(stdout)), capture: None };
        }
        let text = Arc::new(Mutex::new(Vec::new()));
        Sink { target: text.clone(), capture: Some(text) }
    }

    /// What a launch prints to.
    fn shared(&self) -> OutputSink {
        OutputSink::new(self.target.clone())
    }

    /// Prints what a launch has printed.
    pub(super) fn write(&self, text: &[u8]) -> io::Result<()> {
        let mut target = self.target.lock().unwrap_or_else(PoisonError::into_inner);
        target.write_all(text).and_then(|()| target.flush())
    }

    /// What was captured, if anything is.
    pub(super) fn captured(&self) -> Option<String> {
        let text = self.capture.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
        Some(String::from_utf8_lossy(&text).into_owned())
    }
}

/// Stdout, which swallows what is written after its reader went away: the kernel still has other work to do.
struct PatientStdout {
    closed: bool,
    is_terminal: bool,
}

impl PatientStdout {
    fn attempt(&mut self, action: impl FnOnce(&mut io::StdoutLock<'_>) -> io::Result<()>) -> io::Result<()> {
        if self.closed {
            return Ok(());
        }
        match action(&mut io::stdout().lock()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(())
            }
            result => result,
        }
    }
}

impl Write for PatientStdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let is_terminal = self.is_terminal;
        let written = self.attempt(|out| if is_terminal { write!(out, "{}", printable(bytes).lines()) } else { out.write_all(bytes) });
        written.map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.attempt(|out| out.flush())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(entries: &[&str], asked: Option<&str>) -> Result<String, String> {
        let entries = entries.iter().map(|&e| e.to_owned()).collect();
        choose_entry(entries, asked).map_err(|e| e.to_string())
    }

    #[test]
    fn the_only_entry_needs_no_name() {
        assert_eq!(choose(&["a"], None).as_deref(), Ok("a"));
        assert_eq!(choose(&["a", "b"], Some("b")).as_deref(), Ok("b"));
        assert_eq!(choose(&["a", "b"], None), Err("the module has several entries, choose one with --entry: a, b".to_owned()));
        assert_eq!(choose(&["a", "b"], Some("c")), Err("there is no entry 'c'; the module has a, b".to_owned()));
        assert_eq!(
            choose(&["a", "softmax"], Some("sotfmax")),
            Err("there is no entry 'sotfmax'; did you mean 'softmax'? The module has a, softmax".to_owned())
        );
        assert_eq!(choose(&[], None), Err("the module has no entry".to_owned()));
    }
}
