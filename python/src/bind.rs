//! The memory and the arguments of a launch.
#![allow(unsafe_code, reason = "kernels work on the memory of Python objects in place")]

use crate::{array::ArrayView, check::Check};
use std::ptr::NonNull;
use tilewright::{
    check::{Array, CheckError, CheckOptions, Checker, Report},
    exec::{self, AccessFault, Arg, LaunchError, LaunchErrorKind, LaunchOptions, LaunchReport, Memory, Plan, Protection},
    ir::Scalar,
    profile,
};

/// An argument of a kernel.
#[derive(Debug)]
pub(crate) enum Value {
    /// A number: its bits.
    Scalar(Scalar, u64),
    /// The address of the array at this position in [`Arguments::arrays`].
    Pointer(usize),
    /// The address of a table of 64-bit words, which are arguments in turn.
    Table(Vec<Value>),
}

/// The arguments of a launch, and the arrays that they point to.
#[derive(Debug, Default)]
pub(crate) struct Arguments {
    pub(crate) arrays: Vec<ArrayView>,
    pub(crate) values: Vec<Value>,
    /// For each array, the position of the argument that it is or belongs to.
    positions: Vec<usize>,
}

/// A launch that failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) error: LaunchError,
    /// The argument whose memory it is about, for messages.
    pub(crate) about: Option<String>,
}

impl Arguments {
    /// Adds an array of an argument and gives its place among the arrays.
    pub(crate) fn array(&mut self, array: ArrayView, argument: usize) -> usize {
        self.arrays.push(array);
        self.positions.push(argument);
        self.arrays.len() - 1
    }

    /// Lends the arrays to a launch of `plan`; gives also the device address that each had, and adds what is measured, if that is wanted.
    ///
    /// # Errors
    /// Those of [`exec::launch`].
    pub(crate) fn launch(
        &self,
        plan: &Plan,
        grid: [u32; 3],
        options: &LaunchOptions<'_>,
        measured: Option<&mut Option<exec::Profile>>,
    ) -> Result<(LaunchReport, Vec<u64>), Box<Failure>> {
        let mut memory = Memory::new();
        let places = Places::new(&mut memory, &self.arrays);
        let args: Vec<Arg> = self.values.iter().map(|value| places.arg(&mut memory, value)).collect();
        let launched = match measured {
            Some(measured) => profile::launch(plan, &mut memory, grid, &args, options, measured),
            None => exec::launch(plan, &mut memory, grid, &args, options),
        };
        match launched {
            Ok(report) => Ok((report, places.0)),
            Err(error) => Err(Box::new(Failure { about: self.about(&places, &error), error })),
        }
    }

    /// Lends the arrays to a launch of an entry under the checker.
    ///
    /// # Errors
    /// Those of [`Checker::check`].
    pub(crate) fn check(
        &self,
        checker: &Checker,
        entry: &str,
        grid: [u32; 3],
        mut options: CheckOptions,
        distinct: bool,
        launch: &LaunchOptions<'_>,
    ) -> Result<Report, CheckError> {
        let mut memory = Memory::new();
        let places = Places::new(&mut memory, &self.arrays);
        let args: Vec<Arg> = self.values.iter().map(|value| places.arg(&mut memory, value)).collect();
        if distinct {
            let arrays = self.arrays.iter().zip(&places.0).enumerate();
            options = options.distinct(arrays.filter_map(|(i, (array, address))| distinct_array(self.argument(i), array, *address)));
        }
        checker.check(entry, &mut memory, grid, &args, &options, launch)
    }

    /// What the checker is told of the buffers of a launch.
    ///
    /// # Errors
    /// When an argument is to be uninitialised that is no array, or that shares memory with one that is not.
    pub(crate) fn check_options(&self, check: &Check) -> Result<CheckOptions, String> {
        if let Some(position) = check.uninitialised.iter().find(|position| !self.positions.contains(position)) {
            return Err(format!("uninitialised: argument {position} is no array"));
        }
        // Extents are the first buffers, in this order.
        let extents = extents(&self.arrays);
        let is_asked = |array: &usize| check.uninitialised.contains(&self.positions[*array]);
        let mut uninitialised = Vec::new();
        for (buffer, extent) in extents.iter().enumerate() {
            match (extent.arrays.iter().copied().find(is_asked), extent.arrays.iter().copied().find(|array| !is_asked(array))) {
                (Some(_), None) => uninitialised.push(buffer),
                (Some(asked), Some(other)) => {
                    let (asked, other) = (self.argument(asked), self.argument(other));
                    return Err(format!("uninitialised: {asked} shares memory with {other}, which is not among them"));
                }
                (None, _) => {}
            }
        }
        let name = |extent: &Extent| extent.arrays.iter().map(|array| self.argument(*array)).collect::<Vec<_>>().join(" and ");
        Ok(check.options().names(extents.iter().map(name)).uninitialised(uninitialised))
    }

    /// What an array is called in messages.
    fn argument(&self, array: usize) -> String {
        format!("argument {}", self.positions[array])
    }

    /// The argument whose memory an error is about.
    fn about(&self, places: &Places, error: &LaunchError) -> Option<String> {
        let LaunchErrorKind::Access(fault) = &error.kind else { return None };
        let address = match *fault {
            AccessFault::OutOfBounds { nearest, .. } => nearest?.0,
            AccessFault::Misaligned { address, .. } | AccessFault::ReadOnly { address, .. } => address,
            AccessFault::OffsetOverflow | AccessFault::Negative { .. } | AccessFault::OddPacking { .. } => return None,
        };
        let found = self.arrays.iter().zip(&places.0).position(|(array, &origin)| {
            array.span().is_some_and(|(start, end)| {
                let first = origin - (array.address - start) as u64;
                (first..first + (end - start) as u64).contains(&address)
            })
        })?;
        let (array, argument) = (&self.arrays[found], self.positions[found]);
        let mut about = format!("the buffer is that of argument {argument}: {}{:?}", array.dtype, array.shape);
        if array.of_jax && matches!(fault, AccessFault::ReadOnly { .. }) {
            about += "; arrays of JAX are immutable: launch on a copy that NumPy can change, numpy.array(x)";
        }
        Some(about)
    }
}

/// An array that lies at a device address, as the checker takes it; `None` for one without elements.
fn distinct_array(name: String, array: &ArrayView, address: u64) -> Option<Array> {
    let (start, _) = array.span()?;
    // The first byte lies in front of the address where strides are negative.
    let first = address - (array.address - start) as u64;
    let bytes = array.element_bytes() as u64;
    // Neighbours first: rows that lie side by side are one piece then.
    let mut dims: Vec<(u64, u64)> =
        array.shape.iter().zip(&array.strides).map(|(extent, stride)| (extent.unsigned_abs(), stride.unsigned_abs() * bytes)).collect();
    dims.sort_unstable_by_key(|(_, distance)| *distance);
    Some(dims.into_iter().fold(Array::new(name, first, bytes), |array, (count, distance)| array.repeated(count, distance)))
}

/// Bytes that arrays of a launch have in common.
struct Extent {
    start: usize,
    end: usize,
    writable: bool,
    arrays: Vec<usize>,
}

/// The device address of each array.
struct Places(Vec<u64>);

impl Places {
    /// Puts arrays into a memory. Arrays that overlap lie in one buffer, so that each byte has one device address; it can be written
    /// if one of them can.
    fn new(memory: &mut Memory<'_>, arrays: &[ArrayView]) -> Places {
        let mut addresses = vec![0; arrays.len()];
        for extent in extents(arrays) {
            let protection = if extent.writable { Protection::ReadWrite } else { Protection::ReadOnly };
            let buffer = match NonNull::new(extent.start as *mut u8) {
                // SAFETY: the bytes belong to Python objects that `arrays` keeps alive. They are the bytes from the first to the
                // last element of arrays whose parts overlap; an array's buffer spans at least its own elements, so all of
                // them are allocated. Rust has no reference to them. Each is in one buffer, since extents do not overlap. That
                // no thread uses the arrays meanwhile is what the documentation of `launch` asks of its caller, as every
                // Python library does that releases the interpreter's lock.
                Some(start) => unsafe { memory.add_external(start, extent.end - extent.start, protection) },
                None => memory.add(Vec::new()),
            };
            for array in extent.arrays {
                addresses[array] = memory.address(buffer) + (arrays[array].address - extent.start) as u64;
            }
        }
        for (array, address) in arrays.iter().zip(&mut addresses) {
            if array.span().is_none() {
                let empty = memory.add(Vec::new());
                *address = memory.address(empty);
            }
        }
        Places(addresses)
    }

    fn arg(&self, memory: &mut Memory<'_>, value: &Value) -> Arg {
        match value {
            Value::Scalar(scalar, bits) => Arg::Scalar(*scalar, *bits),
            Value::Pointer(array) => Arg::Pointer(self.0[*array]),
            Value::Table(words) => {
                let bytes = words.iter().flat_map(|word| self.word(word).to_le_bytes()).collect();
                let table = memory.add(bytes);
                Arg::Pointer(memory.address(table))
            }
        }
    }

    /// As a word of a table. Tables hold no tables.
    fn word(&self, value: &Value) -> u64 {
        match value {
            Value::Scalar(_, bits) => *bits,
            Value::Pointer(array) => self.0[*array],
            Value::Table(_) => 0,
        }
    }
}

/// The bytes of all arrays that have any, in order; what overlaps is one extent.
fn extents(arrays: &[ArrayView]) -> Vec<Extent> {
    let spans = arrays.iter().enumerate().filter_map(|(index, array)| array.span().map(|span| (span, index)));
    let mut spans: Vec<((usize, usize), usize)> = spans.collect();
    spans.sort_unstable();
    let mut extents: Vec<Extent> = Vec::with_capacity(spans.len());
    for ((start, end), index) in spans {
        let writable = arrays[index].writable;
        match extents.last_mut().filter(|last| start < last.end) {
            Some(last) => {
                last.end = last.end.max(end);
                last.writable |= writable;
                last.arrays.push(index);
            }
            None => extents.push(Extent { start, end, writable, arrays: vec![index] }),
        }
    }
    extents
}
