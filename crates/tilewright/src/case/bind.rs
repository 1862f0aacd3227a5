//! From the arguments of a description to buffers and launch arguments.

use super::{
    Case, CaseError,
    spec::{ArgSpec, PointerSpec, Role, ScalarSpec, TableSpec, Tolerance},
};
use crate::{
    array::{Array, ArrayType, DType, NpyArray, Number},
    exec::{Arg, Buffer, Memory},
    ir::Scalar,
};
use std::fs::File;

/// The buffers and arguments of a case; a launch works on copies of the buffers.
pub(super) struct Bindings {
    pub(super) buffers: Vec<BoundBuffer>,
    pub(super) checks: Vec<Check>,
    args: Vec<Binding>,
}

/// A buffer before the launch.
pub(super) struct BoundBuffer {
    pub(super) param: String,
    pub(super) initial: Array,
    /// Whether no argument lets the kernel write it.
    pub(super) read_only: bool,
    /// Whether it is for results only, so that its content before the launch means nothing.
    pub(super) is_output: bool,
}

/// What a buffer must hold after the launch.
pub(super) struct Check {
    pub(super) param: String,
    pub(super) buffer: usize,
    pub(super) expected: Array,
    pub(super) tolerance: Tolerance,
}

/// A launch argument or a word of a table, before buffers have addresses.
enum Binding {
    Scalar(DType, u64),
    /// A buffer, and an offset in bytes.
    Pointer(usize, u64),
    /// A buffer that holds a table of these words.
    Table(usize, Vec<Binding>),
}

impl Bindings {
    /// Reads the files of a case.
    pub(super) fn new(case: &Case) -> Result<Bindings, CaseError> {
        let mut bindings = Bindings { buffers: Vec::new(), checks: Vec::new(), args: Vec::new() };
        for arg in &case.spec.args {
            let binding = bindings.bind(case, arg)?;
            bindings.args.push(binding);
        }
        Ok(bindings)
    }

    fn bind(&mut self, case: &Case, arg: &ArgSpec) -> Result<Binding, CaseError> {
        match arg {
            ArgSpec::Scalar(scalar) => bind_scalar(case, scalar),
            ArgSpec::Pointer(pointer) => self.bind_pointer(case, pointer),
            ArgSpec::Table(table) => self.bind_table(case, table),
        }
    }

    fn bind_pointer(&mut self, case: &Case, spec: &PointerSpec) -> Result<Binding, CaseError> {
        let ty = ArrayType { dtype: dtype(case, &spec.param, &spec.dtype)?, shape: spec.shape.clone() };
        let buffer = match &spec.share {
            Some(owner) => self.share(case, spec, owner)?,
            None => {
                let initial = initial_content(case, spec, ty.clone())?;
                self.buffers.push(BoundBuffer {
                    param: spec.param.clone(),
                    initial,
                    read_only: spec.role == Role::In,
                    is_output: spec.role == Role::Out,
                });
                self.buffers.len() - 1
            }
        };
        if let Some(file) = &spec.expected {
            let expected = read_array(case, &spec.param, file, &ty)?;
            if expected.bytes().len() != self.buffers[buffer].initial.bytes().len() {
                return Err(case.fault(format!("the expected content of {} is not that of its whole buffer", spec.param)));
            }
            self.checks.push(Check { param: spec.param.clone(), buffer, expected, tolerance: spec.tolerance.unwrap_or_default() });
        }
        let offset = ty.dtype.array_bytes(spec.offset).ok_or_else(|| case.fault(format!("the offset of {} is too large", spec.param)))?;
        Ok(Binding::Pointer(buffer, offset))
    }

    /// The buffer of an earlier parameter.
    fn share(&mut self, case: &Case, spec: &PointerSpec, owner: &str) -> Result<usize, CaseError> {
        let Some(buffer) = self.buffers.iter().position(|b| b.param == owner) else {
            return Err(case.fault(format!("{} shares the buffer of {owner}, which is no earlier parameter with a buffer", spec.param)));
        };
        self.buffers[buffer].read_only &= spec.role == Role::In;
        self.buffers[buffer].is_output &= spec.role == Role::Out;
        Ok(buffer)
    }

    fn bind_table(&mut self, case: &Case, spec: &TableSpec) -> Result<Binding, CaseError> {
        let mut words = Vec::new();
        for word in spec.rows.iter().flatten() {
            words.push(self.bind(case, word)?);
        }
        let ty = ArrayType { dtype: DType::new(Scalar::I64), shape: vec![words.len() as u64] };
        let initial = Array::filled_with_byte(ty, 0).map_err(|source| CaseError::Array { param: spec.param.clone(), source })?;
        self.buffers.push(BoundBuffer { param: spec.param.clone(), initial, read_only: true, is_output: false });
        Ok(Binding::Table(self.buffers.len() - 1, words))
    }

    /// Whether a buffer is a table, whose content depends on addresses.
    pub(super) fn is_table(&self, buffer: &BoundBuffer) -> bool {
        self.args.iter().any(|arg| matches!(arg, Binding::Table(table, _) if std::ptr::eq(&self.buffers[*table], buffer)))
    }

    /// Copies of the buffers, for one launch.
    pub(super) fn fresh_arrays(&self) -> Result<Vec<Array>, CaseError> {
        let fresh = |b: &BoundBuffer| b.initial.try_clone().map_err(|source| CaseError::Array { param: b.param.clone(), source });
        self.buffers.iter().map(fresh).collect()
    }

    /// The launch arguments for buffers that lie in `memory`. Tables are written to their buffers.
    pub(super) fn args(&self, memory: &mut Memory<'_>, buffers: &[Buffer]) -> Vec<Arg> {
        let addresses: Vec<u64> = buffers.iter().map(|buffer| memory.address(*buffer)).collect();
        let (args, tables) = self.resolve(&addresses);
        for (buffer, table) in tables {
            memory.bytes_mut(buffers[buffer]).copy_from_slice(&table);
        }
        args
    }

    /// The launch arguments for buffers at these addresses, and the content of the buffers that are tables.
    pub(super) fn resolve(&self, addresses: &[u64]) -> (Vec<Arg>, Vec<(usize, Vec<u8>)>) {
        let mut tables = Vec::new();
        let args = self.args.iter().map(|binding| binding.arg(addresses, &mut tables)).collect();
        (args, tables)
    }
}

impl Binding {
    fn arg(&self, addresses: &[u64], tables: &mut Vec<(usize, Vec<u8>)>) -> Arg {
        match self {
            Binding::Scalar(dtype, bits) => Arg::Scalar(dtype.scalar(), *bits),
            Binding::Pointer(buffer, offset) => Arg::Pointer(addresses[*buffer].wrapping_add(*offset)),
            Binding::Table(buffer, words) => {
                let table: Vec<u8> = words.iter().flat_map(|word| word.word(addresses, tables).to_le_bytes()).collect();
                tables.push((*buffer, table));
                Arg::Pointer(addresses[*buffer])
            }
        }
    }

    /// As a 64-bit word of a table: integers keep their value.
    fn word(&self, addresses: &[u64], tables: &mut Vec<(usize, Vec<u8>)>) -> u64 {
        match (self, self.arg(addresses, tables)) {
            (Binding::Scalar(dtype, bits), _) => match dtype.decode(*bits) {
                Number::Int(value) => value as u64,
                Number::Float(_) => *bits,
            },
            (_, Arg::Pointer(address) | Arg::Scalar(_, address)) => address,
        }
    }
}

fn bind_scalar(case: &Case, spec: &ScalarSpec) -> Result<Binding, CaseError> {
    let dtype = dtype(case, &spec.param, &spec.dtype)?;
    let bits = dtype.parse(&spec.value.text()).map_err(|error| case.fault(format!("parameter {}: {error}", spec.param)))?;
    Ok(Binding::Scalar(dtype, bits))
}

fn dtype(case: &Case, param: &str, name: &str) -> Result<DType, CaseError> {
    DType::from_name(name).ok_or_else(|| case.fault(format!("parameter {param} has the unknown element type '{name}'")))
}

fn initial_content(case: &Case, spec: &PointerSpec, ty: ArrayType) -> Result<Array, CaseError> {
    match (&spec.file, spec.fill) {
        (Some(file), None) => read_array(case, &spec.param, file, &ty),
        (None, Some(fill)) => Array::filled_with_byte(ty, fill).map_err(|source| CaseError::Array { param: spec.param.clone(), source }),
        _ => Err(case.fault(format!("parameter {} must have either 'file' or 'fill'", spec.param))),
    }
}

/// Reads an array, which must have the given type and shape.
fn read_array(case: &Case, param: &str, file: &str, ty: &ArrayType) -> Result<Array, CaseError> {
    let path = case.file(file);
    let mut input = File::open(&path).map_err(|source| CaseError::Io { path: path.clone(), source })?;
    let npy = NpyArray::read(&mut input).map_err(|source| CaseError::Npy { path, source })?;
    let mismatch = |found: String| case.fault(format!("parameter {param} is {ty}, but {file} holds {found}"));
    let array = npy.into_array(ty.dtype.scalar()).map_err(|npy| mismatch(npy.to_string()))?;
    if array.shape() != ty.shape {
        return Err(mismatch(array.ty().to_string()));
    }
    Ok(array.with_dtype(ty.dtype))
}
