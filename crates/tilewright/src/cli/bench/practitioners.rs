//! The second suite: kernels as practitioners write them. `benches/practitioners` declares each once and writes what is read here.

use super::{
    arrays::float_bits,
    check::Expected,
    problems::{Argument, Fill, Limit, Problem},
};
use anyhow::Context as _;
use include_dir::{Dir, include_dir};
use serde::Deserialize;
use tilewright::ir::Scalar;

/// The bytecode of the kernels, and `suite.json`, which describes their problems.
static COMPILED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/benches/practitioners/compiled");

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
    Number { value: f64 },
    Array { shape: Vec<usize>, strides: Vec<usize>, fill: Fill },
}

/// Every problem.
pub(super) fn all(quick: bool) -> anyhow::Result<Vec<Problem>> {
    let text = COMPILED.get_file("suite.json").context("suite.json is not there")?.contents();
    let kernels: Vec<Kernel> = serde_json::from_slice(text).context("suite.json")?;
    kernels.into_iter().map(|kernel| problem(kernel, quick)).collect()
}

fn problem(kernel: Kernel, quick: bool) -> anyhow::Result<Problem> {
    let file = format!("{}.tilebc", kernel.name);
    let bytecode = COMPILED.get_file(&file).with_context(|| format!("suite.json names {file}, which is not there"))?.contents();
    let sized = if quick { kernel.quick } else { kernel.full };
    let arguments = sized.arguments.into_iter().map(argument).collect::<anyhow::Result<_>>().with_context(|| kernel.name.clone())?;
    let Sized { size, grid, limit, work, expected, .. } = sized;
    Ok(Problem { name: kernel.name, size, bytecode, arguments, grid, limit, work, expected })
}

fn argument(given: Given) -> anyhow::Result<Argument> {
    let scalar = Scalar::from_name(&given.r#type).with_context(|| format!("there is no type {}", given.r#type))?;
    Ok(match given.what {
        What::Number { value } if scalar.is_float() => Argument::Number(scalar, float_bits(scalar, value)),
        What::Number { value } => Argument::Number(scalar, value as i64 as u64),
        What::Array { shape, strides, fill } => Argument::Array { scalar, shape, strides, fill },
    })
}
