//! Suites that are folders: bytecode, and `suite.json` with what each kernel is launched with and what comes out. Two suites of the command are such:
//! kernels as practitioners write them, and large ones for GPUs. `benches/practitioners` and `benches/gpu` declare each once and write what is read here.

use super::{
    arrays::float_bits,
    check::Expected,
    number::Number,
    problems::{Argument, Fill, Limit, Problem, Product},
};
use anyhow::Context as _;
use include_dir::{Dir, include_dir};
use serde::Deserialize;
use std::{borrow::Cow, path::Path};
use tilewright::ir::Scalar;

/// The bytecode of the kernels, and `suite.json`, which describes their problems.
static PRACTITIONERS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/benches/practitioners/compiled");
static GPU: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/benches/gpu/compiled");

#[derive(Deserialize)]
struct Kernel {
    name: String,
    full: Sized,
    quick: Sized,
}

/// A problem at a size.
#[derive(Deserialize)]
struct Sized {
    size: String,
    arguments: Vec<Given>,
    grid: [usize; 3],
    limit: Limit,
    work: usize,
    expected: Vec<Expected>,
    product: Option<Product>,
    torch: Option<String>,
}

#[derive(Deserialize)]
struct Given {
    r#type: String,
    #[serde(flatten)]
    what: What,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum What {
    Number { value: Number },
    Array { shape: Vec<usize>, strides: Vec<usize>, fill: Fill },
}

/// Every problem of the practitioners' suite.
pub(super) fn practitioners(quick: bool) -> anyhow::Result<Vec<Problem>> {
    compiled(&PRACTITIONERS, quick)
}

/// Every problem of the suite for GPUs.
pub(super) fn gpu(quick: bool) -> anyhow::Result<Vec<Problem>> {
    compiled(&GPU, quick)
}

fn compiled(folder: &'static Dir<'_>, quick: bool) -> anyhow::Result<Vec<Problem>> {
    problems(quick, |file| Ok(Cow::Borrowed(folder.get_file(file).with_context(|| format!("{file} is not there"))?.contents())))
}

/// Every problem of a folder.
pub(super) fn of_folder(folder: &Path, quick: bool) -> anyhow::Result<Vec<Problem>> {
    problems(quick, |file| {
        let path = folder.join(file);
        Ok(Cow::Owned(std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?))
    })
}

fn problems(quick: bool, read: impl Fn(&str) -> anyhow::Result<Cow<'static, [u8]>>) -> anyhow::Result<Vec<Problem>> {
    let kernels: Vec<Kernel> = serde_json::from_slice(&read("suite.json")?).context("suite.json")?;
    kernels.into_iter().map(|kernel| problem(kernel, quick, &read)).collect()
}

fn problem(kernel: Kernel, quick: bool, read: impl Fn(&str) -> anyhow::Result<Cow<'static, [u8]>>) -> anyhow::Result<Problem> {
    let bytecode = read(&format!("{}.tilebc", kernel.name)).context("suite.json names a kernel whose bytecode is missing")?;
    let sized = if quick { kernel.quick } else { kernel.full };
    let arguments = sized.arguments.into_iter().map(argument).collect::<anyhow::Result<_>>().with_context(|| kernel.name.clone())?;
    let Sized { size, grid, limit, work, expected, product, torch, .. } = sized;
    Ok(Problem { name: kernel.name, size, bytecode, arguments, grid, limit, work, expected, product, torch })
}

fn argument(given: Given) -> anyhow::Result<Argument> {
    let scalar = Scalar::from_name(&given.r#type).with_context(|| format!("there is no type {}", given.r#type))?;
    Ok(match given.what {
        What::Number { value: Number(value) } if scalar.is_float() => Argument::Number(scalar, float_bits(scalar, value)),
        What::Number { value: Number(value) } => Argument::Number(scalar, value as i64 as u64),
        What::Array { shape, strides, fill } => Argument::Array { scalar, shape, strides, fill },
    })
}
