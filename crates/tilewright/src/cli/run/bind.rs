//! From the arguments of the command line to the parameters of an entry.

use super::argument::{Argument, OutputFile};
use crate::cli::{input::shown, output::count};
use anyhow::{Context as _, bail};
use std::{fs::File, io, path::Path};
use tilewright::{
    array::{Array, NpyArray},
    exec::{Arg, Buffer, Memory, Param, Plan},
    ir::{Scalar, printable},
};

/// What is passed for a parameter, before buffers have addresses.
pub(in crate::cli) enum Bound {
    /// A number, as stored bits.
    Number(Scalar, u64),
    /// A buffer with this content.
    Buffer(Array),
}

/// Gives every parameter its argument.
pub(in crate::cli) fn bind(plan: &Plan, texts: &[String]) -> anyhow::Result<Vec<Bound>> {
    let params = plan.params();
    if params.len() != texts.len() {
        let (expected, given) = (count(params.len(), "parameter", "parameters"), count(texts.len(), "argument was", "arguments were"));
        bail!("entry {} has {expected}, {given} given{}", printable(plan.entry()), table(params, texts));
    }
    let pairs = params.iter().zip(texts).enumerate();
    pairs.map(|(i, (&param, text))| bind_one(param, text).with_context(|| format!("parameter {i} is {param}, given {text}"))).collect()
}

/// The parameters and what was given for each.
fn table(params: &[Param], texts: &[String]) -> String {
    let mut table = format!("\n  {:<5}  {:<16}  argument", "param", "type");
    for i in 0..params.len().max(texts.len()) {
        let number = if i < params.len() { i.to_string() } else { "-".to_owned() };
        let ty = params.get(i).map_or_else(|| "(too many)".to_owned(), Param::to_string);
        let given = texts.get(i).map_or("(missing)", String::as_str);
        table += &format!("\n  {number:<5}  {ty:<16}  {given}");
    }
    table
}

fn bind_one(param: Param, text: &str) -> anyhow::Result<Bound> {
    let argument: Argument = text.parse().map_err(anyhow::Error::msg)?;
    match (param, argument) {
        (Param::Pointer(pointee), Argument::File(path)) => Ok(Bound::Buffer(read_array(&path, pointee)?)),
        (Param::Pointer(pointee), Argument::Buffer(ty, bits)) if ty.dtype.scalar() == pointee => {
            Ok(Bound::Buffer(Array::filled(ty, bits)?))
        }
        (Param::Scalar(scalar), Argument::Number(dtype, bits)) if dtype.scalar() == scalar => Ok(Bound::Number(scalar, bits)),
        (Param::Pointer(pointee), Argument::Buffer(ty, _)) => bail!("expected a buffer of {pointee}, found {ty}"),
        (Param::Pointer(pointee), Argument::Number(dtype, _)) => {
            bail!("expected a buffer, @FILE.npy or {pointee}[SHAPE], found a number of {dtype}")
        }
        (Param::Scalar(scalar), Argument::Number(dtype, _)) => bail!("expected a number of {scalar}, found one of {dtype}"),
        (Param::Scalar(scalar), _) => bail!("expected a number, {scalar}:VALUE, found a buffer"),
    }
}

fn read_array(path: &Path, pointee: Scalar) -> anyhow::Result<Array> {
    let file = File::open(path).and_then(|file| if path.is_dir() { Err(io::ErrorKind::IsADirectory.into()) } else { Ok(file) });
    let mut file = file.with_context(|| format!("cannot read {}", shown(path)))?;
    let npy = NpyArray::read(&mut file).with_context(|| format!("cannot use {}", shown(path)))?;
    npy.into_array(pointee).map_err(|npy| anyhow::anyhow!("expected elements of {pointee} ({}), found {npy}", npy_names(pointee)))
}

/// What NumPy calls the elements of files for a type.
fn npy_names(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::I1 => "bool or uint8",
        Scalar::I8 => "int8 or uint8",
        Scalar::I16 => "int16 or uint16",
        Scalar::I32 => "int32 or uint32",
        Scalar::I64 => "int64 or uint64",
        Scalar::F16 => "float16",
        Scalar::F32 | Scalar::Tf32 => "float32",
        Scalar::F64 => "float64",
        Scalar::Bf16 => "raw bits as uint16",
        _ => "raw bits as uint8",
    }
}

/// Checks that every file to be written is for a buffer, and can be made.
pub(super) fn check_outputs(plan: &Plan, outputs: &[OutputFile]) -> anyhow::Result<()> {
    outputs
        .iter()
        .try_for_each(|output| check_output(plan, output).with_context(|| format!("-o {}={}", output.parameter, shown(&output.path))))
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
    let copies = bound.iter().map(|b| match b {
        Bound::Number(scalar, bits) => Ok(Bound::Number(*scalar, *bits)),
        Bound::Buffer(array) => Ok(Bound::Buffer(array.try_clone()?)),
    });
    copies.collect()
}

/// Puts the buffers into memory and gives the launch arguments.
pub(in crate::cli) fn place<'a>(bound: &'a mut [Bound], memory: &mut Memory<'a>) -> Vec<Arg> {
    place_some(bound, memory, &[])
}

/// The same, where kernels may only read some buffers, which are named by their parameters.
pub(in crate::cli) fn place_some<'a>(bound: &'a mut [Bound], memory: &mut Memory<'a>, read_only: &[usize]) -> Vec<Arg> {
    let arg = |(i, bound): (usize, &'a mut Bound)| match bound {
        Bound::Number(scalar, bits) => Arg::Scalar(*scalar, *bits),
        Bound::Buffer(array) => {
            let bytes = array.bytes_mut();
            let buffer: Buffer = if read_only.contains(&i) { memory.add_read_only(bytes) } else { memory.add_borrowed(bytes) };
            Arg::Pointer(memory.address(buffer))
        }
    };
    bound.iter_mut().enumerate().map(arg).collect()
}
