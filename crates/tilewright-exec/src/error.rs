//! What can go wrong, as values.

use crate::{LimitNames, MAX_EXTENT};
use std::{fmt, time::Duration};
use tilewright_ir::{nearest, printable};

/// An operation of the program, for messages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Site {
    /// Name of the operation.
    pub mnemonic: &'static str,
    /// `file:line:column`, where the module knows it.
    pub location: Option<String>,
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.mnemonic)?;
        match &self.location {
            Some(location) => write!(f, " at {}", printable(location)),
            None => Ok(()),
        }
    }
}

/// Why an entry cannot be planned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlanError {
    /// The module has no such entry.
    UnknownEntry {
        /// The name asked for.
        name: String,
        /// The entries there are.
        entries: Vec<String>,
    },
    /// Regions are nested too deep.
    TooDeep {
        /// The operation.
        site: Site,
        /// How deep they may be nested.
        limit: usize,
    },
    /// The operation breaks a rule that the structural verifier does not check.
    Malformed {
        /// The operation.
        site: Site,
        /// Which rule.
        what: String,
    },
    /// The tiles of one block do not fit into memory.
    TooLarge {
        /// Bytes of registers a block would need.
        bytes: usize,
    },
    /// The blocks cannot run in the groups that were asked for.
    NoGroups {
        /// The operation that has no meaning for a group, or what else is in the way.
        why: String,
    },
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanError::UnknownEntry { name, entries } if entries.is_empty() => {
                write!(f, "no entry '{}': the module has no entries", printable(name))
            }
            PlanError::UnknownEntry { name, entries } => {
                let list = entries.iter().map(|entry| printable(entry).to_string()).collect::<Vec<_>>().join(", ");
                write!(f, "no entry '{}': the module has {list}", printable(name))?;
                let near = nearest(name, entries.iter().map(String::as_str)).filter(|_| entries.len() > 1);
                near.map_or(Ok(()), |near| write!(f, "; did you mean '{}'?", printable(near)))
            }
            PlanError::TooDeep { site, limit } => write!(f, "{site}: regions are nested deeper than {limit}"),
            PlanError::Malformed { site, what } => write!(f, "{site}: {what}"),
            PlanError::TooLarge { bytes } => write!(f, "one tile block would need {bytes} bytes of registers"),
            PlanError::NoGroups { why } => write!(f, "blocks cannot run in such groups: {why}"),
        }
    }
}

impl std::error::Error for PlanError {}

/// An access that no buffer of the launch allows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AccessFault {
    /// The bytes do not lie inside one buffer.
    OutOfBounds {
        /// First byte of the element.
        address: u64,
        /// Bytes of the element.
        size: u64,
        /// The buffer that ends before or begins after the address: its start and its length.
        nearest: Option<(u64, u64)>,
    },
    /// The address is not a multiple of the element's size.
    Misaligned {
        /// First byte of the element.
        address: u64,
        /// Bytes of the element.
        size: u64,
    },
    /// The buffer may only be read.
    ReadOnly {
        /// First byte that would be written.
        address: u64,
        /// How many bytes.
        size: u64,
    },
    /// The position does not fit a 63-bit element offset.
    OffsetOverflow,
    /// The access lies outside because a stride or an extent of the view, which are unsigned, was meant to be negative.
    Negative {
        /// `stride` or `extent`.
        part: &'static str,
        /// Its dimension.
        dim: usize,
        /// Its value.
        value: u64,
        /// The value as a signed number.
        signed: i64,
    },
    /// Rows of 4-bit elements do not have whole bytes.
    OddPacking {
        /// The extent of the packed dimension, or the stride of another one.
        number: u64,
    },
}

impl fmt::Display for AccessFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            AccessFault::OutOfBounds { address, size, nearest } => {
                write!(f, "{size} bytes at {address:#x} are outside of every buffer")?;
                match nearest {
                    Some((start, len)) if address >= start => {
                        write!(f, " ({} bytes past the start of a buffer of {len} bytes)", address - start)
                    }
                    Some((start, len)) => write!(f, " ({} bytes before a buffer of {len} bytes)", start - address),
                    None => Ok(()),
                }
            }
            AccessFault::Misaligned { address, size } => {
                write!(f, "the address {address:#x} is not a multiple of the element's {size} bytes")
            }
            AccessFault::OddPacking { number } => {
                write!(f, "rows of 4-bit elements must have whole bytes: the extent or stride {number} is odd")
            }
            AccessFault::ReadOnly { address, size } => {
                write!(f, "{size} bytes at {address:#x} would be written, but the buffer is read-only")
            }
            AccessFault::OffsetOverflow => f.write_str("the element's offset overflows"),
            AccessFault::Negative { part, dim, value, signed } => {
                write!(
                    f,
                    "the {part} of dimension {dim} of the view is {signed}: it is unsigned, counts as {value}, and leads out of every buffer"
                )
            }
        }
    }
}

/// An access to memory of an `alloca` that is not allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LocalFault {
    /// The bytes do not lie inside the memory.
    OutOfBounds {
        /// First byte of the element.
        address: u64,
        /// Bytes of the element.
        size: u64,
        /// Where the memory begins.
        start: u64,
        /// Its length in bytes.
        len: u64,
    },
    /// The region that the memory was made in has ended.
    Freed {
        /// First byte of the element.
        address: u64,
        /// Bytes of the element.
        size: u64,
    },
    /// Another tile block made the memory, and it is not `global`.
    Foreign {
        /// First byte of the element.
        address: u64,
        /// Bytes of the element.
        size: u64,
    },
}

impl fmt::Display for LocalFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            LocalFault::OutOfBounds { address, size, start, len } => {
                let past = address.wrapping_sub(start);
                write!(f, "{size} bytes at {address:#x} are outside of its {len} bytes ({past} bytes past their start)")
            }
            LocalFault::Freed { address, size } => write!(f, "{size} bytes at {address:#x} were freed when its region ended"),
            LocalFault::Foreign { address, size } => {
                write!(f, "{size} bytes at {address:#x} belong to another tile block, and the memory is not global")
            }
        }
    }
}

/// What stopped a launch.
#[derive(Clone, PartialEq, Debug)]
pub enum LaunchErrorKind {
    /// The number of arguments is not the number of parameters.
    ArgumentCount {
        /// Parameters of the entry.
        expected: usize,
        /// Arguments given.
        found: usize,
    },
    /// An argument is not of its parameter's type.
    ArgumentType {
        /// Its position.
        index: usize,
        /// The parameter's type.
        expected: String,
        /// The argument's type.
        found: String,
    },
    /// A grid extent is 0 or above 2^24 - 1, or there are 2^64 blocks or more.
    Grid([u32; 3]),
    /// A host resource ran out: memory or threads.
    Resource(String),
    /// An `assert` found an element that is false.
    Assert {
        /// The message of the operation.
        message: String,
        /// Position of the first such element in its tile, in row-major order.
        element: usize,
    },
    /// An access outside of the buffers, or misaligned.
    Access(AccessFault),
    /// An access that the memory of an `alloca` does not allow.
    Alloca {
        /// What is wrong with it.
        fault: LocalFault,
        /// The `alloca`.
        alloca: Box<Site>,
    },
    /// An `extract` or `insert` names a slice that the tile does not have.
    SliceIndex {
        /// The index.
        index: u64,
        /// How many slices there are.
        count: u64,
        /// The dimension.
        dim: usize,
    },
    /// A `for` has something to count, but its step is not positive.
    LoopStep(i64),
    /// Text that `print_tko` produced could not be written.
    Output(String),
    /// The caller stopped the launch ([`crate::LaunchOptions::interrupt`]) before all blocks had ended.
    Stopped,
    /// The launch had not ended in the time that it had ([`crate::Limits::time`]).
    TimedOut(Duration),
    /// The launch needs more memory than it may take ([`crate::Limits::memory`]).
    Memory {
        /// How many bytes it may take.
        limit: u64,
        /// How many it has.
        used: u64,
        /// How many more it needs.
        wanted: u64,
    },
    /// Blocks wait for others, which cannot begin because the launch may take no more memory ([`crate::Limits::memory`]).
    MemoryOfWaiting {
        /// How many bytes it may take.
        limit: u64,
        /// How many blocks have begun and not ended.
        begun: u64,
        /// How many bytes each of them has for its registers.
        each: u64,
    },
    /// The launch printed more than the bytes that it may print ([`crate::Limits::output`]).
    PrintedTooMuch(u64),
}

/// A launch that failed: what happened, and where.
#[derive(Clone, PartialEq, Debug)]
pub struct LaunchError {
    /// The kernel.
    pub entry: String,
    /// The tile block, if one was running, and it is known which.
    pub block: Option<[u32; 3]>,
    /// The operation, if one was running.
    pub site: Option<Box<Site>>,
    /// What happened.
    pub kind: LaunchErrorKind,
}

impl LaunchError {
    /// The message, with the names that the limits have where the caller sets them. [`Display`](fmt::Display) names the functions of
    /// [`Limits`](crate::Limits).
    pub fn naming(&self, names: &LimitNames) -> impl fmt::Display {
        fmt::from_fn(|f| self.write(f, names))
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, names: &LimitNames) -> fmt::Result {
        write!(f, "kernel {}", printable(&self.entry))?;
        if let Some([x, y, z]) = self.block {
            write!(f, ", block ({x}, {y}, {z})")?;
        }
        if let Some(site) = &self.site {
            write!(f, ", {site}")?;
        }
        let LimitNames { time, memory, output } = names;
        match &self.kind {
            LaunchErrorKind::ArgumentCount { expected, found } => {
                write!(f, ": the entry has {expected} parameters, {found} arguments were given")
            }
            LaunchErrorKind::ArgumentType { index, expected, found } => {
                write!(f, ": parameter {index} is {expected}, the argument is {found}")
            }
            LaunchErrorKind::Grid(grid @ [x, y, z]) if grid.iter().all(|extent| (1..=MAX_EXTENT).contains(extent)) => {
                write!(f, ": the grid {x},{y},{z} has more blocks than can be counted, 2^64 or more")
            }
            LaunchErrorKind::Grid([x, y, z]) => write!(f, ": the grid {x},{y},{z} must have extents from 1 to {MAX_EXTENT}"),
            LaunchErrorKind::Resource(what) => write!(f, ": {what}"),
            LaunchErrorKind::Assert { message, element } => {
                write!(f, ": assertion failed: {} (element {element})", printable(message))
            }
            LaunchErrorKind::Access(fault) => write!(f, ": {fault}"),
            LaunchErrorKind::Alloca { fault, alloca } => write!(f, ": memory of {alloca}: {fault}"),
            LaunchErrorKind::SliceIndex { index, count, dim } => {
                // Indices are unsigned numbers of 32 bits.
                match u32::try_from(*index).map_or(0, u32::cast_signed) {
                    signed @ ..0 => write!(f, ": slice {signed}, which counts as {index},")?,
                    _ => write!(f, ": slice {index}")?,
                }
                write!(f, " of dimension {dim} does not exist: there are {count}")
            }
            LaunchErrorKind::LoopStep(step) => write!(f, ": the step of a for must be positive, found {step}"),
            LaunchErrorKind::Output(error) => write!(f, ": cannot write printed text: {}", printable(error)),
            LaunchErrorKind::Stopped => f.write_str(": stopped before all blocks had ended"),
            LaunchErrorKind::TimedOut(limit) => {
                write!(f, ": did not end in {} s, its limit of time ({time}), and was stopped", limit.as_secs_f64())
            }
            LaunchErrorKind::Memory { limit, used, wanted } => {
                write!(f, ": needs {wanted} bytes, but has taken {used} of the {limit} bytes that are its limit of memory ({memory})")
            }
            LaunchErrorKind::MemoryOfWaiting { limit, begun, each } => write!(
                f,
                ": {begun} blocks have begun that may wait for others, each with {each} bytes of registers, and no other can begin within \
                 the limit of memory ({memory}), {limit} bytes"
            ),
            LaunchErrorKind::PrintedTooMuch(limit) => write!(f, ": printed more than {limit} bytes, its limit of output ({output})"),
        }
    }
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, &LimitNames::FUNCTIONS)
    }
}

impl std::error::Error for LaunchError {}
