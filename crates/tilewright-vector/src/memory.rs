//! What vector code is handed: memory and numbers; and the check of all places before it runs.

use crate::code::{Axis, Code, Count, Item, Kind, Loop, Param, ParamKind, Place};
use std::{collections::BTreeMap, error::Error, fmt, marker::PhantomData, ptr::NonNull};

/// Memory that vector code may read, and write if it says so.
#[derive(Clone, Copy, Debug)]
pub struct Buffer<'a> {
    start: NonNull<u8>,
    len: usize,
    writable: bool,
    lifetime: PhantomData<&'a mut [u8]>,
}

impl<'a> Buffer<'a> {
    /// Memory that is read only.
    pub fn of(bytes: &'a [u8]) -> Buffer<'a> {
        Buffer { start: NonNull::from(bytes).cast(), len: bytes.len(), writable: false, lifetime: PhantomData }
    }

    /// Memory that is read and written.
    pub fn of_mut(bytes: &'a mut [u8]) -> Buffer<'a> {
        Buffer { len: bytes.len(), start: NonNull::from(bytes).cast(), writable: true, lifetime: PhantomData }
    }

    pub(crate) fn start(self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// Reads bytes.
    ///
    /// # Panics
    ///
    /// Panics if they do not lie inside.
    #[expect(unsafe_code, reason = "buffers may overlap, so they cannot be slices")]
    pub(crate) fn read(self, offset: usize, bytes: &mut [u8]) {
        assert!(offset <= self.len && bytes.len() <= self.len - offset, "inside of the buffer");
        // SAFETY: the bytes lie inside of memory that is borrowed for as long as the buffer lives; nobody else writes it meanwhile.
        unsafe { self.start().add(offset).copy_to_nonoverlapping(bytes.as_mut_ptr(), bytes.len()) }
    }

    /// Writes bytes.
    ///
    /// # Panics
    ///
    /// Panics if they do not lie inside, or the buffer is read only.
    #[expect(unsafe_code, reason = "buffers may overlap, so they cannot be slices")]
    pub(crate) fn write(self, offset: usize, bytes: &[u8]) {
        assert!(self.writable && offset <= self.len && bytes.len() <= self.len - offset, "inside of a buffer that may be written");
        // SAFETY: the bytes lie inside of memory that is borrowed mutably for as long as the buffer lives; nobody else uses it meanwhile.
        unsafe { self.start().add(offset).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) }
    }

    pub(crate) fn len(self) -> usize {
        self.len
    }
}

/// The argument for a parameter.
#[derive(Clone, Copy, Debug)]
pub enum Arg<'a> {
    /// Memory.
    Buffer(Buffer<'a>),
    /// How often a loop runs, or a distance in bytes.
    Count(i64),
    /// The bits of a number.
    Lane(u64),
}

/// Why vector code did not run, or not wholly.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// An argument is missing, or not what the parameter is; it did not run.
    Argument {
        /// Which one.
        param: Param,
    },
    /// An access would not lie inside of its buffer, or would write what is read only; it did not run.
    Outside {
        /// The memory.
        buffer: Param,
    },
    /// A lane gathered or scattered outside of a buffer. All else was done.
    Lane,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Argument { param } => write!(f, "argument {param} is missing or of another kind than its parameter"),
            Fault::Outside { buffer } => write!(f, "an access through {buffer} lies outside of the buffer, or writes what is read only"),
            Fault::Lane => f.write_str("a lane gathered or scattered outside of its buffer"),
        }
    }
}

impl Error for Fault {}

/// Checks that all accesses at places lie inside of their buffers, and that nothing that is read only is written.
pub(crate) fn check(code: &Code, args: &[Arg<'_>]) -> Result<(), Fault> {
    for (i, kind) in code.params.iter().enumerate() {
        let fits = match (kind, args.get(i)) {
            (ParamKind::Buffer, Some(Arg::Buffer(_))) | (ParamKind::Count, Some(Arg::Count(_))) => true,
            (ParamKind::Lane(lane), Some(Arg::Lane(bits))) => bits & !lane.bits() == 0,
            _ => false,
        };
        if !fits {
            return Err(Fault::Argument { param: Param(i as u32) });
        }
    }
    let mut checker = Checker { code, args, counts: BTreeMap::new() };
    checker.items(&code.body)
}

/// The number that a count stands for.
pub(crate) fn count(count: Count, args: &[Arg<'_>]) -> i64 {
    match count {
        Count::Const(n) => n,
        Count::Param(param) => match args[param.index()] {
            Arg::Count(n) => n,
            Arg::Buffer(_) | Arg::Lane(_) => unreachable!("arguments were checked"),
        },
    }
}

struct Checker<'a> {
    code: &'a Code,
    args: &'a [Arg<'a>],
    /// How often the loops around run.
    counts: BTreeMap<Axis, i64>,
}

impl Checker<'_> {
    fn items(&mut self, items: &[Item]) -> Result<(), Fault> {
        items.iter().try_for_each(|item| match item {
            Item::Load { result, place, .. } => self.place(place, self.code.lane(*result).size(), false),
            Item::Store { value, place, .. } => self.place(place, self.code.lane(*value).size(), true),
            Item::Scatter { buffer, .. } if !self.buffer(*buffer).writable => Err(Fault::Outside { buffer: *buffer }),
            Item::Loop(Loop { axis, count: times, body, kind: Kind::Serial | Kind::Lanes, .. }) => {
                let times = count(*times, self.args);
                if times <= 0 {
                    return Ok(());
                }
                self.counts.insert(*axis, times);
                self.items(body)
            }
            _ => Ok(()),
        })
    }

    fn buffer(&self, param: Param) -> Buffer<'_> {
        match self.args[param.index()] {
            Arg::Buffer(buffer) => buffer,
            Arg::Count(_) | Arg::Lane(_) => unreachable!("arguments were checked"),
        }
    }

    /// Checks the first and the last byte of all iterations, whatever the masks say.
    fn place(&self, place: &Place, size: usize, writes: bool) -> Result<(), Fault> {
        let buffer = self.buffer(place.buffer);
        let (mut low, mut high) = (i128::from(place.offset), i128::from(place.offset) + size as i128);
        for term in &place.terms {
            let iterations = term.limit.map_or(i64::MAX, |limit| count(limit, self.args)).min(self.counts[&term.axis]);
            if iterations <= 0 {
                return Ok(());
            }
            let reach = i128::from(count(term.stride, self.args)) * i128::from(iterations - 1);
            low += reach.min(0);
            high += reach.max(0);
        }
        if low < 0 || high > buffer.len as i128 || writes && !buffer.writable {
            return Err(Fault::Outside { buffer: place.buffer });
        }
        Ok(())
    }
}
