//! Arguments of the command line, and the files that results go to.

use super::argument::OutputFile;
use crate::cli::{input::shown, output::count};
use anyhow::{Context as _, bail};
use std::path::Path;
pub(in crate::cli) use tilewright::arguments::{Bound, bind};
use tilewright::{
    arguments,
    exec::{Arg, Memory, Param, Plan},
    ir::printable,
};

/// Checks that every file to be written is for a buffer, for one only, and can be made.
pub(super) fn check_outputs(plan: &Plan, outputs: &[OutputFile]) -> anyhow::Result<()> {
    for (i, output) in outputs.iter().enumerate() {
        let option = || format!("-o {}={}", output.parameter, shown(&output.path));
        check_output(plan, output).with_context(option)?;
        if let Some(other) = outputs[..i].iter().find(|other| other.path == output.path) {
            bail!("{}: this file is for the buffer of parameter {}", option(), other.parameter);
        }
    }
    Ok(())
}

fn check_output(plan: &Plan, OutputFile { parameter, path }: &OutputFile) -> anyhow::Result<()> {
    match plan.params().get(*parameter) {
        Some(Param::Pointer(_)) => {}
        Some(param) => bail!("parameter {parameter} is {param}, not a buffer"),
        None => {
            let there = count(plan.params().len(), "parameter", "parameters");
            bail!("entry {} has {there}, counted from 0", printable(plan.entry()))
        }
    }
    if path == Path::new("-") {
        bail!("buffers go to files, not to stdout, which has the report; './-' is a file of this name");
    }
    check_place(path)
}

/// Checks that a file can be made at a path, as far as can be told beforehand.
pub(in crate::cli) fn check_place(path: &Path) -> anyhow::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        bail!("there is no folder {}", shown(folder));
    }
    if path.is_dir() {
        bail!("{} is a folder", shown(path));
    }
    Ok(())
}

/// Copies, for a launch that shall not change these.
pub(super) fn copy(bound: &[Bound]) -> anyhow::Result<Vec<Bound>> {
    Ok(bound.iter().map(Bound::try_clone).collect::<Result<_, _>>()?)
}

/// Puts the buffers into memory and gives the launch arguments.
pub(in crate::cli) fn place<'a>(bound: &'a mut [Bound], memory: &mut Memory<'a>) -> Vec<Arg> {
    arguments::place(bound, memory, &[])
}
