//! Kernels of modules as programs whose executions are enumerated.
//!
//! A [`Kernel`] runs a block of an entry on chosen values for what it loads, on tiles of numbers, one element at a time. Covered are control
//! flow, elementwise operations, accesses through pointers, and what makes and reshapes small tiles; all else is an error that names the
//! operation. A `loop` is followed for a bounded number of rounds.

mod run;

use crate::enumerate::{Program, Replay};
use std::fmt;
use tilewright_ir::{Function, Module, Op, Scalar, VerifiedModule};
use tilewright_passes::elem::Elem;

/// The most elements that all buffers have together.
const MAX_ELEMENTS: usize = 1 << 16;

/// The most blocks of a grid.
const MAX_BLOCKS: usize = 16;

/// How often a `loop` goes round if nothing else is said.
pub const DEFAULT_ROUNDS: usize = 2;

/// An argument of a kernel.
#[derive(Clone, PartialEq, Debug)]
pub enum Argument {
    /// A number: its bits.
    Number(u64),
    /// A buffer: the bits of its elements.
    Buffer(Scalar, Vec<u64>),
}

/// A buffer, and the location of its first element.
struct Buffer {
    argument: usize,
    element: Scalar,
    first: usize,
    values: Vec<u64>,
}

/// An entry with arguments and a grid.
pub struct Kernel<'m> {
    module: &'m Module,
    function: &'m Function,
    grid: [u32; 3],
    /// The bits of each argument; addresses of buffers.
    arguments: Vec<u64>,
    buffers: Vec<Buffer>,
    rounds: usize,
}

/// Why a launch cannot be enumerated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KernelError(String);

impl fmt::Display for KernelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for KernelError {}

/// Buffers lie this far apart, so that no pointer gets from one to another.
const BUFFER_STRIDE: u64 = 1 << 40;

impl<'m> Kernel<'m> {
    /// A launch of an entry; each `loop` goes round so many times at most.
    ///
    /// # Errors
    /// When the entry is not there, or the launch is too large.
    pub fn new(
        module: &'m VerifiedModule,
        entry: &str,
        grid: [u32; 3],
        arguments: Vec<Argument>,
        rounds: usize,
    ) -> Result<Kernel<'m>, KernelError> {
        let strings = &module.tables.strings;
        let named = |function: &&Function| function.is_entry && strings.text(function.name) == entry;
        let function = module.functions.iter().find(named).ok_or_else(|| KernelError(format!("there is no entry '{entry}'")))?;
        let blocks = grid.iter().try_fold(1usize, |blocks, n| blocks.checked_mul(*n as usize)).filter(|blocks| *blocks <= MAX_BLOCKS);
        if blocks.is_none() {
            return Err(KernelError(format!("at most {MAX_BLOCKS} blocks are enumerated")));
        }
        let mut kernel = Kernel { module, function, grid, arguments: Vec::new(), buffers: Vec::new(), rounds };
        let mut first = 0;
        for (index, argument) in arguments.into_iter().enumerate() {
            kernel.arguments.push(match argument {
                Argument::Number(bits) => bits,
                Argument::Buffer(element, values) => {
                    let at = BUFFER_STRIDE * (kernel.buffers.len() as u64 + 1);
                    let length = values.len();
                    kernel.buffers.push(Buffer { argument: index, element, first, values });
                    first += length;
                    at
                }
            });
        }
        if first > MAX_ELEMENTS {
            return Err(KernelError(format!("the buffers have {first} elements; at most {MAX_ELEMENTS} are enumerated")));
        }
        Ok(kernel)
    }

    /// The name of a location: `arg2[5]`.
    pub fn location_name(&self, location: usize) -> String {
        match self.buffer_of(location) {
            Some(buffer) => format!("arg{}[{}]", buffer.argument, location - buffer.first),
            None => format!("location {location}"),
        }
    }

    /// The names of all locations, in order.
    pub fn location_names(&self) -> Vec<String> {
        (0..self.initial().len()).map(|location| self.location_name(location)).collect()
    }

    /// A value of a location as text: a number of its type.
    pub fn value_text(&self, location: usize, bits: u64) -> String {
        match self.buffer_of(location).map(|buffer| buffer.element) {
            Some(Scalar::F32) => f32::from_bits(bits as u32).to_string(),
            Some(Scalar::F64) => f64::from_bits(bits).to_string(),
            Some(element) if element.is_int() => sign_extended(bits, element.bits()).to_string(),
            _ => format!("{bits:#x}"),
        }
    }

    /// A value of a location as conditions compare it; none if it is no integer of up to 32 bits.
    pub fn value_bits(&self, location: usize, bits: u64) -> Option<u64> {
        let element = self.buffer_of(location)?.element;
        (element.is_int() && element.bits() <= 32).then(|| u64::from(sign_extended(bits, element.bits()) as u32))
    }

    /// An operation that is named by a [`crate::RaceSide`], and its source line, column and file where the module has them.
    pub fn site_text(&self, site: usize) -> String {
        let op = self.function.body.op(Op::new(site));
        let place = self
            .module
            .tables
            .locations
            .source(op.loc())
            .map(|(file, line, column)| format!(" at {}:{line}:{column}", self.module.tables.strings.text(file)));
        format!("{}{}", op.def().mnemonic, place.unwrap_or_default())
    }

    fn buffer_of(&self, location: usize) -> Option<&Buffer> {
        self.buffers.iter().find(|buffer| (buffer.first..buffer.first + buffer.values.len()).contains(&location))
    }

    /// The location at an address.
    fn location(&self, address: u64, element: Elem) -> Result<usize, String> {
        let index = (address / BUFFER_STRIDE).checked_sub(1).and_then(|index| usize::try_from(index).ok());
        let Some(buffer) = index.and_then(|index| self.buffers.get(index)) else {
            return Err(format!("an access at {address:#x} is outside of every buffer"));
        };
        let (offset, size) = (address % BUFFER_STRIDE, Elem::Num(buffer.element).size() as u64);
        let at = offset / size;
        match () {
            () if element != Elem::Num(buffer.element) || !offset.is_multiple_of(size) => {
                Err(format!("argument {} is accessed by other elements than {}", buffer.argument, buffer.element))
            }
            () if at >= buffer.values.len() as u64 => {
                Err(format!("an access of element {at} of argument {}, which has {}", buffer.argument, buffer.values.len()))
            }
            () => Ok(buffer.first + at as usize),
        }
    }
}

/// The number that the lowest bits mean.
fn sign_extended(bits: u64, width: u32) -> i64 {
    let shift = 64 - width.clamp(1, 64);
    (bits << shift).cast_signed() >> shift
}

impl Program for Kernel<'_> {
    fn initial(&self) -> Vec<u64> {
        self.buffers.iter().flat_map(|buffer| buffer.values.iter().copied()).collect()
    }

    fn devices(&self) -> Vec<u32> {
        vec![0; self.grid.iter().map(|n| *n as usize).product()]
    }

    fn replay(&self, block: usize, values: &[u64]) -> Result<Replay, String> {
        run::run(self, block, values)
    }
}
