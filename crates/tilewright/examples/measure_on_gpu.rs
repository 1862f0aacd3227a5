//! Runs everything that there is on a GPU, and writes tables of it: `measure_on_gpu CORPUS [FILE] [--device cuda:N] [--filter TEXT] [--quick]`.
//!
//! The program is built beforehand, `cargo build --release -p tilewright --example measure_on_gpu`, and needs no network where it runs: nothing but
//! itself, NVIDIA's driver, and the folder of a corpus, such as `tests/corpus`. It runs every case in every version, three times, compares the results with
//! the expected ones, and measures the kernels of `tilewright bench`, of both suites. The tables are Markdown, and go to FILE or to the standard
//! output. `--filter` measures kernels only whose name has the text, `--quick` small arrays, once.

use serde_json::Value;
use std::{
    ffi::OsString,
    fmt::Write as _,
    fs,
    io::Write as _,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    process::ExitCode,
};
use tilewright::{
    case::{Case, CaseReport},
    cli,
    cuda::{Driver, printed_by},
    device::{Device, Opened},
};

/// How often a case is launched.
const LAUNCHES: usize = 3;

/// What the command line asks for.
struct Asked {
    corpus: PathBuf,
    file: Option<PathBuf>,
    device: String,
    filter: String,
    quick: bool,
}

impl Asked {
    fn from_command_line() -> Result<Asked, String> {
        let (mut files, mut device, mut filter, mut quick) = (Vec::new(), "cuda".to_owned(), String::new(), false);
        let mut args = std::env::args_os().skip(1);
        while let Some(arg) = args.next() {
            let mut text = || args.next().and_then(|text| text.into_string().ok()).ok_or_else(|| format!("{} needs a text", arg.display()));
            match arg.to_str() {
                Some("--quick") => quick = true,
                Some("--device") => device = text()?,
                Some("--filter") => filter = text()?,
                Some(option) if option.starts_with('-') => return Err(format!("there is no option {option}")),
                _ => files.push(PathBuf::from(arg)),
            }
        }
        let mut files = files.into_iter();
        let corpus = files.next().ok_or("the folder of a corpus is missing")?;
        Ok(Asked { corpus, file: files.next(), device, filter, quick })
    }
}

/// The folders of the cases of a corpus.
fn cases(corpus: &Path) -> Result<Vec<PathBuf>, String> {
    let folder = corpus.join("cases");
    let entries = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(|path| path.join("case.json").is_file()).collect();
    folders.sort();
    Ok(folders)
}

/// A row for a case, and whether all of its versions are right.
fn case_row(folder: &Path, device: &dyn Opened) -> (String, bool) {
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let case = match Case::load(folder) {
        Ok(case) => case,
        Err(error) => return (format!("| {name} | {error} | | |"), false),
    };
    let repeat = NonZeroUsize::new(LAUNCHES).expect("not zero");
    let mut newest: Option<CaseReport> = None;
    for version in case.versions() {
        match case.run_on_opened(device, Some(version), repeat) {
            Ok((report, _)) if report.ok => newest = Some(report),
            Ok((report, _)) => {
                let wrong = report.launches.iter().find(|launch| !launch.ok);
                let why = wrong.and_then(|launch| launch.error.clone()).unwrap_or_else(|| "wrong results".to_owned());
                return (format!("| {name} | {version}: {why} | | |"), false);
            }
            Err(error) => return (format!("| {name} | {version}: {error} | | |"), false),
        }
    }
    let Some(report) = newest else { return (format!("| {name} | no version | | |"), false) };
    let best = report.launches.iter().map(|launch| launch.seconds).fold(f64::INFINITY, f64::min);
    (format!("| {name} | right | {:.1} | {:.1} |", report.plan_seconds * 1e3, best * 1e6), true)
}

/// The table of the cases, and whether all are right.
fn case_table(corpus: &Path, device: &dyn Opened) -> Result<(String, bool), String> {
    let rows: Vec<(String, bool)> = cases(corpus)?.iter().map(|folder| case_row(folder, device)).collect();
    let right = rows.iter().filter(|(_, right)| *right).count();
    let mut table = "| case | all versions | compiled and loaded (ms) | kernel (µs) |\n|---|---|--:|--:|\n".to_owned();
    for (row, _) in &rows {
        table += &format!("{row}\n");
    }
    let _ = writeln!(table, "\nRight: {right} of {}.", rows.len());
    Ok((table, right == rows.len()))
}

/// What `tilewright bench` measures, as a table.
fn bench_table(suite: &str, asked: &Asked) -> Result<String, String> {
    let mut args: Vec<OsString> = ["tilewright", "bench", "--suite", suite, "--device", &asked.device, "--filter", &asked.filter, "--json"]
        .map(OsString::from)
        .into();
    args.extend(asked.quick.then(|| OsString::from("--quick")));
    let (exit, text) = printed_by(|| cli::main(args)).map_err(|error| error.to_string())?;
    if exit != cli::Exit::Ok {
        return Err(format!("tilewright bench --suite {suite} failed: what it said stands above"));
    }
    let report: Value = serde_json::from_slice(&text).map_err(|error| error.to_string())?;
    let mut table = format!(
        "{}\n\n| kernel | size | time (µs) | rate | share | of its limit |\n|---|---|--:|--:|--:|---|\n",
        report["gpu"].as_str().unwrap_or("?")
    );
    for row in report["results"].as_array().into_iter().flatten() {
        let [name, size, unit, limit] = ["name", "size", "unit", "limit"].map(|key| row[key].as_str().unwrap_or("?"));
        let [seconds, rate, share] = ["seconds", "rate", "share"].map(|key| row[key].as_f64().unwrap_or(f64::NAN));
        let _ = writeln!(table, "| {name} | {size} | {:.1} | {:.1} G{unit} | {:.0}% | {limit} |", seconds * 1e6, rate / 1e9, share * 100.0);
    }
    Ok(table)
}

/// All tables, and whether all cases are right.
fn measure(asked: &Asked) -> Result<(String, bool), String> {
    let device: Device = asked.device.parse()?;
    let opened = device.open().map_err(|error| error.to_string())?;
    let name = opened.name().ok_or_else(|| format!("{} is no GPU", asked.device))?;
    let (major, minor) = Driver::load().and_then(|driver| driver.version()).map_err(|error| error.to_string())?;
    let (cases, are_right) = case_table(&asked.corpus, &*opened)?;
    let [usual, practitioners] = [bench_table("usual", asked)?, bench_table("practitioners", asked)?];
    let text = format!(
        "# On a GPU\n\nWritten by the example `measure_on_gpu` of tilewright {}: {name}, code for {}, a driver for CUDA {major}.{minor}. Times are those of \
         kernels on the GPU's clock, the best of several launches.\n\n## The corpus\n\n{cases}\n## Usual kernels\n\n{usual}\n## Kernels of practitioners, \
         their results compared with PyTorch's\n\n{practitioners}",
        env!("CARGO_PKG_VERSION"),
        opened.target(),
    );
    Ok((text, are_right))
}

fn main() -> ExitCode {
    let told = Asked::from_command_line().and_then(|asked| {
        let (text, are_right) = measure(&asked)?;
        match &asked.file {
            Some(file) => fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))?,
            None => std::io::stdout().write_all(text.as_bytes()).map_err(|error| error.to_string())?,
        }
        Ok(are_right)
    });
    match told {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::from(2)
        }
    }
}
