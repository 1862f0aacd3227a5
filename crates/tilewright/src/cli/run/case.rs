//! Running a case.

use super::{LIMIT_NAMES, Settings, device::device_error, profile::ProfileArgs, progress, report};
use crate::cli::{
    exit::{Exit, Finding},
    output::complain,
};
use std::path::Path;
use tilewright::{
    case::{Case, CaseError, DeviceOptions, RunOptions},
    device::Device,
    ir::Version,
    passes::Pipeline,
};

pub(super) fn run(path: &Path, version: Option<Version>, settings: Settings, profile: &ProfileArgs) -> anyhow::Result<Exit> {
    let case = Case::load(path)?;
    let mut options = RunOptions::new()
        .profile(settings.profile)
        .machine(settings.machine)
        .repeat(settings.repeat)
        .limits(settings.limits)
        .limit_names(LIMIT_NAMES);
    if !settings.improve {
        options = options.passes(Pipeline::default());
    }
    if let Some(version) = version {
        options = options.version(version);
    }
    if let Some(threads) = settings.threads {
        options = options.threads(threads);
    }
    let progress = progress(case.grid());
    if let Some(progress) = &progress {
        options = options.progress(progress.callback());
    }
    let report = case.run(&options).map_err(classify)?;
    drop(progress);
    report::write_case(&report, settings.json)?;
    report.profile.iter().try_for_each(|measured| profile.write(measured, settings.json))?;
    Ok(if report.ok { Exit::Ok } else { Exit::Findings })
}

/// Compiles a case for a device and runs it there.
pub(super) fn run_on(device: Device, path: &Path, version: Option<Version>, settings: Settings) -> anyhow::Result<Exit> {
    let case = Case::load(path)?;
    let options = DeviceOptions { device, version, repeat: settings.repeat };
    let (report, launches) = case.run_on(&options).map_err(classify)?;
    report::write_case(&report, settings.json)?;
    for launch in &launches {
        launch.findings.iter().for_each(|finding| complain(&format!("{finding}\n")));
    }
    Ok(if report.ok { Exit::Ok } else { Exit::Findings })
}

/// Tells wrong modules from wrong calls.
fn classify(error: CaseError) -> anyhow::Error {
    match error {
        CaseError::Bytecode { .. } | CaseError::Invalid { .. } | CaseError::Plan(_) | CaseError::Compile(_) => {
            Finding::new(error.to_string()).into()
        }
        CaseError::Device(error) => device_error(error),
        _ => error.into(),
    }
}
