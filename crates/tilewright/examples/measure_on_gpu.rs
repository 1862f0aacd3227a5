//! Runs everything that there is on a GPU, and writes tables of it: `measure_on_gpu CORPUS [FILE] [--cubins FOLDER] [--device cuda:N] [--filter TEXT]
//! [--quick]`.
//!
//! The program is built beforehand, `cargo build --release -p tilewright --example measure_on_gpu`, and needs no network where it runs: nothing but
//! itself, NVIDIA's driver, and the folder of a corpus, such as `tests/corpus`. It runs every case in every version, three times, compares the results with
//! the expected ones, and measures the kernels of `tilewright bench`, of all suites. Those of the suite `gpu` are measured beside the cubins that tileiras
//! made of the same bytecode (`benches/gpu/cubins.py` makes a folder of them beforehand), beside cuBLAS, and beside PyTorch, where the machine has these.
//! The tables are Markdown, and go to FILE or to the standard output. `--filter` measures kernels only whose name has the text, `--quick` small arrays, once.

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
    cubins: Option<String>,
    device: String,
    filter: String,
    quick: bool,
}

impl Asked {
    fn from_command_line() -> Result<Asked, String> {
        let (mut files, mut cubins, mut device, mut filter, mut quick) = (Vec::new(), None, "cuda".to_owned(), String::new(), false);
        let mut args = std::env::args_os().skip(1);
        while let Some(arg) = args.next() {
            let mut text = || args.next().and_then(|text| text.into_string().ok()).ok_or_else(|| format!("{} needs a text", arg.display()));
            match arg.to_str() {
                Some("--quick") => quick = true,
                Some("--cubins") => cubins = Some(text()?),
                Some("--device") => device = text()?,
                Some("--filter") => filter = text()?,
                Some(option) if option.starts_with('-') => return Err(format!("there is no option {option}")),
                _ => files.push(PathBuf::from(arg)),
            }
        }
        let mut files = files.into_iter();
        let corpus = files.next().ok_or("the folder of a corpus is missing")?;
        Ok(Asked { corpus, file: files.next(), cubins, device, filter, quick })
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

/// What `tilewright bench` reports of a suite; none if no kernel of it has a name that was asked for.
fn bench(suite: &str, beside: &[&str], asked: &Asked) -> Result<Option<Value>, String> {
    let mut args: Vec<OsString> = ["tilewright", "bench", "--suite", suite, "--filter", &asked.filter].map(OsString::from).into();
    let (listed, _) = said([&args[..], &["--list".into()]].concat())?;
    if listed != cli::Exit::Ok {
        return Ok(None);
    }
    args.extend(["--device", &asked.device, "--json"].map(OsString::from));
    args.extend(beside.iter().flat_map(|what| ["--beside", what]).map(OsString::from));
    args.extend(asked.quick.then(|| OsString::from("--quick")));
    match said(args)? {
        (cli::Exit::Failure, _) => Err(format!("tilewright bench --suite {suite} failed: what it said stands above")),
        (_, text) => serde_json::from_slice(&text).map(Some).map_err(|error| error.to_string()),
    }
}

/// How a command ends, and what it writes.
fn said(args: Vec<OsString>) -> Result<(cli::Exit, Vec<u8>), String> {
    printed_by(|| cli::main(args)).map_err(|error| error.to_string())
}

fn rows(report: &Value) -> impl Iterator<Item = &Value> {
    report["results"].as_array().into_iter().flatten()
}

/// Kernels that failed, as a list below a table.
fn failures(report: &Value) -> String {
    let failed = report["failed"].as_array().into_iter().flatten();
    failed.map(|failed| format!("\n- {}", failed["error"].as_str().unwrap_or("?"))).collect::<String>() + "\n"
}

/// What `tilewright bench` measures, as a table.
fn bench_table(suite: &str, asked: &Asked) -> Result<String, String> {
    let Some(report) = bench(suite, &[], asked)? else { return Ok("No kernel has such a name.\n".to_owned()) };
    let mut table = format!(
        "{}\n\n| kernel | size | time (µs) | rate | share | of its limit |\n|---|---|--:|--:|--:|---|\n",
        report["gpu"].as_str().unwrap_or("?")
    );
    for row in rows(&report) {
        let [name, size, unit, limit] = ["name", "size", "unit", "limit"].map(|key| row[key].as_str().unwrap_or("?"));
        let [seconds, rate, share] = ["seconds", "rate", "share"].map(|key| row[key].as_f64().unwrap_or(f64::NAN));
        let _ = writeln!(table, "| {name} | {size} | {:.1} | {:.1} G{unit} | {:.0}% | {limit} |", seconds * 1e6, rate / 1e9, share * 100.0);
    }
    Ok(table + &failures(&report))
}

/// What kernels are measured beside, as the report names it.
const OTHERS: [&str; 3] = ["tileiras", "cuBLAS", "PyTorch"];

/// The table of what is measured beside others, what it says as a whole, and why what is missing is missing.
fn side_by_side(asked: &Asked) -> Result<String, String> {
    let beside: Vec<&str> = asked.cubins.iter().map(String::as_str).chain(["cublas", "pytorch"]).collect();
    let Some(report) = bench("gpu", &beside, asked)? else { return Ok("No kernel has such a name.\n".to_owned()) };
    let mut table =
        "| kernel | size | ours (µs) | rate | tileiras (µs) | our speed | cuBLAS (µs) | our speed | PyTorch (µs) | our speed |\n\
        |---|---|--:|--:|--:|--:|--:|--:|--:|--:|\n"
            .to_owned();
    // Of each of the others: our speeds as parts of its own, and what is said where it was not measured.
    let mut speeds = [const { Vec::new() }; OTHERS.len()];
    let mut missing: Vec<String> = Vec::new();
    if asked.cubins.is_none() {
        missing.push("tileiras: no cubins were given (`--cubins FOLDER`)".to_owned());
    }
    for row in rows(&report) {
        let [name, size, unit] = ["name", "size", "unit"].map(|key| row[key].as_str().unwrap_or("?"));
        let [seconds, rate] = ["seconds", "rate"].map(|key| row[key].as_f64().unwrap_or(f64::NAN));
        let _ = write!(table, "| {name} | {size} | {:.1} | {:.1} G{unit} |", seconds * 1e6, rate / 1e9);
        for (other, speeds) in OTHERS.iter().zip(&mut speeds) {
            let found = row["beside"].as_array().into_iter().flatten().find(|found| found["name"] == **other);
            match found.map(|found| (found["seconds"].as_f64(), found["error"].as_str())) {
                Some((Some(theirs), _)) => {
                    let _ = write!(table, " {:.1} | {:.2} |", theirs * 1e6, theirs / seconds);
                    speeds.push(theirs / seconds);
                }
                Some((None, error)) => {
                    table += " - | - |";
                    missing.push(format!("{other}, {name}: {}", error.unwrap_or("not measured")));
                }
                None => table += " | |",
            }
        }
        table += "\n";
    }
    let _ = writeln!(table, "\nOur speed as a part of theirs, the geometric mean of all kernels that both ran:\n");
    for (other, speeds) in OTHERS.iter().zip(&speeds) {
        let mean = (speeds.iter().map(|speed| speed.ln()).sum::<f64>() / speeds.len() as f64).exp();
        let told = if speeds.is_empty() { "none".to_owned() } else { format!("{mean:.2}, of {} kernels", speeds.len()) };
        let _ = writeln!(table, "- {other}: {told}");
    }
    let versions: Vec<&str> = report["beside"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if !versions.is_empty() {
        let _ = writeln!(table, "\nMeasured beside {}.", versions.join(", "));
    }
    if !missing.is_empty() {
        let _ = writeln!(table, "\nNot compared:\n");
        said_once(&missing).iter().for_each(|line| table += &format!("- {line}\n"));
    }
    Ok(table + &failures(&report))
}

/// Lines such as "cuBLAS, matmul: why", those with one reason together.
fn said_once(lines: &[String]) -> Vec<String> {
    let mut reasons: Vec<(String, Vec<&str>)> = Vec::new();
    for line in lines {
        let (about, why) = line.split_once(": ").unwrap_or((line, ""));
        let (other, kernel) = about.split_once(", ").unwrap_or((about, ""));
        let reason = format!("{other}: {}", if kernel.is_empty() { why.to_owned() } else { why.replace(kernel, "KERNEL") });
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, kernels)) => kernels.push(kernel),
            None => reasons.push((reason, vec![kernel])),
        }
    }
    let line = |(reason, kernels): (String, Vec<&str>)| {
        let kernels: Vec<&str> = kernels.into_iter().filter(|kernel| !kernel.is_empty()).collect();
        if kernels.is_empty() { reason } else { format!("{reason} ({})", kernels.join(", ")) }
    };
    reasons.into_iter().map(line).collect()
}

/// All tables, and whether all cases are right.
fn measure(asked: &Asked) -> Result<(String, bool), String> {
    let device: Device = asked.device.parse()?;
    let opened = device.open().map_err(|error| error.to_string())?;
    let name = opened.name().ok_or_else(|| format!("{} is no GPU", asked.device))?;
    let (major, minor) = Driver::load().and_then(|driver| driver.version()).map_err(|error| error.to_string())?;
    let (cases, are_right) = case_table(&asked.corpus, &*opened)?;
    let beside = side_by_side(asked)?;
    let [usual, practitioners] = [bench_table("usual", asked)?, bench_table("practitioners", asked)?];
    let text = format!(
        "# On a GPU\n\nWritten by the example `measure_on_gpu` of tilewright {}: {name}, code for {}, a driver for CUDA {major}.{minor}. Times are those of \
         kernels on the GPU's clock, the best of several launches.\n\n## The corpus\n\n{cases}\n## Beside others\n\n{beside}\n## Usual kernels\n\n{usual}\n## Kernels of practitioners, \
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
