//! From arguments to the parameters of an entry.

use super::{Argument, ArgumentError};
use crate::{
    array::{Array, ArrayError, DType, NpyArray},
    exec::{Arg, Buffer, Memory, Param, Plan},
    ir::{Scalar, printable},
};
use std::{
    error::Error,
    fmt,
    fs::File,
    io::{self, Read},
    path::Path,
};

/// Where the files of arguments are read from.
pub type OpenFn<'f> = dyn Fn(&Path) -> io::Result<Box<dyn Read>> + 'f;

/// Opens files of the system.
pub(super) fn open_file(path: &Path) -> io::Result<Box<dyn Read>> {
    let file = File::open(path)?;
    if path.is_dir() { Err(io::ErrorKind::IsADirectory.into()) } else { Ok(Box::new(file)) }
}

/// What is passed for a parameter, before buffers have addresses.
#[derive(Clone, Debug)]
pub enum Bound {
    /// A number, as stored bits.
    Number(Scalar, u64),
    /// A buffer with this content.
    Buffer(Array),
}

impl Bound {
    /// A copy, for a launch that shall not change this one.
    ///
    /// # Errors
    /// When there is not enough memory.
    pub fn try_clone(&self) -> Result<Bound, ArrayError> {
        match self {
            Bound::Number(scalar, bits) => Ok(Bound::Number(*scalar, *bits)),
            Bound::Buffer(array) => array.try_clone().map(Bound::Buffer),
        }
    }
}

/// Gives every parameter its argument.
///
/// # Errors
/// When there are more or fewer of them, one is not what its parameter takes, or a file cannot be read.
pub fn bind(plan: &Plan, texts: &[impl AsRef<str>]) -> Result<Vec<Bound>, ArgumentError> {
    bind_from(plan, texts, &open_file)
}

/// The same, with files from elsewhere.
///
/// # Errors
/// As [`bind`](fn@bind).
pub fn bind_from(plan: &Plan, texts: &[impl AsRef<str>], open: &OpenFn<'_>) -> Result<Vec<Bound>, ArgumentError> {
    let params = plan.params();
    let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
    if params.len() != texts.len() {
        let (expected, given) = (count(params.len(), "parameter", "parameters"), count(texts.len(), "argument was", "arguments were"));
        let what = format!("entry {} has {expected}, {given} given{}", printable(plan.entry()), table(params, &texts));
        return Err(ArgumentError::new(what));
    }
    let pairs = params.iter().zip(texts).enumerate();
    let about = |i: usize, param: Param, text: &str| format!("parameter {i} is {param}, given {text}");
    pairs
        .map(|(i, (&param, text))| bind_one(param, text, open).map_err(|error| ArgumentError::about(about(i, param, text), error)))
        .collect()
}

/// The number and its noun.
fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// The parameters and what was given for each.
fn table(params: &[Param], texts: &[&str]) -> String {
    let mut table = format!("\n  {:<5}  {:<16}  argument", "param", "type");
    for i in 0..params.len().max(texts.len()) {
        let number = if i < params.len() { i.to_string() } else { "-".to_owned() };
        let ty = params.get(i).map_or_else(|| "(too many)".to_owned(), Param::to_string);
        let given = texts.get(i).unwrap_or(&"(missing)");
        table += &format!("\n  {number:<5}  {ty:<16}  {given}");
    }
    table
}

fn bind_one(param: Param, text: &str, open: &OpenFn<'_>) -> Result<Bound, String> {
    let argument: Argument = text.parse().map_err(|error| typed(param, text).unwrap_or(error))?;
    match (param, argument) {
        (Param::Pointer(pointee), Argument::File(path)) => Ok(Bound::Buffer(read_array(&path, pointee, open)?)),
        (Param::Pointer(pointee), Argument::Buffer(ty, fill)) if ty.dtype.scalar() == pointee => {
            fill.array(ty).map(Bound::Buffer).map_err(|error| error.to_string())
        }
        (Param::Scalar(scalar), Argument::Number(dtype, bits)) if dtype.scalar() == scalar => Ok(Bound::Number(scalar, bits)),
        (Param::Pointer(pointee), Argument::Buffer(ty, _)) => Err(format!("expected a buffer of {pointee}, found {ty}")),
        (Param::Pointer(pointee), Argument::Number(dtype, _)) => {
            Err(format!("expected a buffer, @FILE.npy or {pointee}[SHAPE], found a number of {dtype}"))
        }
        (Param::Scalar(scalar), Argument::Number(dtype, _)) => Err(format!("expected a number of {scalar}, found one of {dtype}")),
        (Param::Scalar(scalar), _) => Err(format!("expected a number, {scalar}:VALUE, found a buffer")),
    }
}

/// What to write for a number that is given without its type.
fn typed(param: Param, text: &str) -> Option<String> {
    let Param::Scalar(scalar) = param else { return None };
    let is_number = DType::new(scalar).parse(text).is_ok();
    is_number.then(|| format!("expected {scalar}:{text}, with the type in front"))
}

fn read_array(path: &Path, pointee: Scalar, open: &OpenFn<'_>) -> Result<Array, String> {
    let shown = printable(path.as_os_str().as_encoded_bytes());
    let mut file = open(path).map_err(|error| format!("cannot read {shown}: {}", WithCauses(&error)))?;
    let npy = NpyArray::read(&mut file).map_err(|error| format!("cannot use {shown}: {}", WithCauses(&error)))?;
    npy.into_array(pointee).map_err(|npy| format!("expected elements of {pointee} ({}), found {npy}", npy_names(pointee)))
}

/// An error and its causes, in one line.
struct WithCauses<'e>(&'e (dyn Error + 'static));

impl fmt::Display for WithCauses<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        self.0.source().map_or(Ok(()), |cause| write!(f, ": {}", WithCauses(cause)))
    }
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

/// Puts the buffers into memory and gives the arguments of the launch. Kernels may only read the buffers of the parameters in `read_only`.
pub fn place<'a>(bound: &'a mut [Bound], memory: &mut Memory<'a>, read_only: &[usize]) -> Vec<Arg> {
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
