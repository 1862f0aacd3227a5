//! What vector code is handed: memory and numbers; and the check of all places before it runs.

use crate::code::{Axis, Code, Count, Item, Param, ParamKind, Place};
use std::{error::Error, fmt, marker::PhantomData, ptr::NonNull};

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

    /// Memory that others may use at the same time: nothing is borrowed.
    ///
    /// # Safety
    /// As long as the buffer is used, the `len` bytes from `start` on can be read, and written if it is `writable`.
    #[expect(unsafe_code, reason = "the caller answers for the memory")]
    pub unsafe fn from_raw(start: NonNull<u8>, len: usize, writable: bool) -> Buffer<'a> {
        Buffer { start, len, writable, lifetime: PhantomData }
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

    /// Whether any of its bytes are among so many at a place.
    pub fn overlaps(self, place: *const u8, bytes: usize) -> bool {
        let start = self.start().addr();
        start < place.addr().saturating_add(bytes) && place.addr() < start.saturating_add(self.len)
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
    /// An argument is missing, or not what the parameter is, or does not begin where it must; it did not run.
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
            Fault::Argument { param } => {
                write!(f, "argument {param} is missing, of another kind than its parameter, or does not begin where it must")
            }
            Fault::Outside { buffer } => write!(f, "an access through {buffer} lies outside of the buffer, or writes what is read only"),
            Fault::Lane => f.write_str("a lane gathered or scattered outside of its buffer"),
        }
    }
}

impl Error for Fault {}

/// What has to hold of the arguments before code runs, found once for a code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Checks {
    accesses: Vec<Access>,
    scattered: Vec<Param>,
}

/// An access at a place, with all that is known of it before it runs.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Access {
    buffer: Param,
    /// The first byte, and what lies behind the last, in the first iteration of all loops whose counts or distances are handed in.
    low: i128,
    high: i128,
    writes: bool,
    /// The counts of the loops around that are handed in: it is not made if one of them does not run.
    around: Vec<Param>,
    /// For each term that is not known: how often its loop runs, where its places end, and how far they are apart.
    terms: Vec<(Count, Option<Count>, Count)>,
}

/// Finds what is to be checked.
pub(crate) fn checks(code: &Code) -> Checks {
    let mut checks = Checks { accesses: Vec::new(), scattered: Vec::new() };
    collect(code, &code.body, &mut Vec::new(), &mut checks);
    checks
}

fn collect(code: &Code, items: &[Item], around: &mut Vec<(Axis, Count)>, checks: &mut Checks) {
    for item in items {
        match item {
            Item::Load { result: value, place, .. } | Item::Store { value, place, .. } => {
                let writes = matches!(item, Item::Store { .. });
                if let Some(access) = Access::of(place, code.lane(*value).size(), writes, around)
                    && !checks.accesses.contains(&access)
                {
                    checks.accesses.push(access);
                }
            }
            Item::Scatter { buffer, .. } => checks.scattered.push(*buffer),
            Item::Loop(inner) => {
                around.push((inner.axis, inner.count));
                collect(code, &inner.body, around, checks);
                around.pop();
            }
            _ => {}
        }
    }
}

impl Checks {
    /// Checks that the arguments are what the parameters are, that all accesses at places lie inside of their buffers, whatever masks say,
    /// and that nothing that is read only is written.
    pub(crate) fn check(&self, params: &[ParamKind], args: &[Arg<'_>]) -> Result<(), Fault> {
        for (i, kind) in params.iter().enumerate() {
            let fits = match (kind, args.get(i)) {
                (ParamKind::Buffer, Some(Arg::Buffer(_))) | (ParamKind::Count, Some(Arg::Count(_))) => true,
                (ParamKind::Lane(lane), Some(Arg::Lane(bits))) => bits & !lane.bits() == 0,
                _ => false,
            };
            if !fits {
                return Err(Fault::Argument { param: Param(i as u32) });
            }
        }
        if let Some(param) = self.scattered.iter().find(|param| !buffer(args, **param).writable) {
            return Err(Fault::Outside { buffer: *param });
        }
        self.accesses.iter().try_for_each(|access| access.check(args))
    }
}

impl Access {
    /// None if it is never made.
    fn of(place: &Place, size: usize, writes: bool, around: &[(Axis, Count)]) -> Option<Access> {
        let (low, high) = (i128::from(place.offset), i128::from(place.offset) + size as i128);
        let mut access = Access { buffer: place.buffer, low, high, writes, around: Vec::new(), terms: Vec::new() };
        for (_, count) in around {
            match count {
                Count::Const(n) if *n <= 0 => return None,
                Count::Const(_) => {}
                Count::Param(param) => access.around.push(*param),
            }
        }
        for term in &place.terms {
            let times = around.iter().find(|(axis, _)| *axis == term.axis).map(|(_, count)| *count).expect("verified");
            match (times, term.limit.unwrap_or(Count::Const(i64::MAX)), term.stride) {
                (Count::Const(times), Count::Const(limit), Count::Const(stride)) => {
                    let reach = reach(times.min(limit), stride)?;
                    access.low = access.low.saturating_add(reach.min(0));
                    access.high = access.high.saturating_add(reach.max(0));
                }
                _ => access.terms.push((times, term.limit, term.stride)),
            }
        }
        Some(access)
    }

    /// Checks the first and the last byte of all iterations.
    fn check(&self, args: &[Arg<'_>]) -> Result<(), Fault> {
        if self.around.iter().any(|times| count(Count::Param(*times), args) <= 0) {
            return Ok(());
        }
        let buffer = buffer(args, self.buffer);
        let (mut low, mut high) = (self.low, self.high);
        for (times, limit, stride) in &self.terms {
            let iterations = limit.map_or(i64::MAX, |limit| count(limit, args)).min(count(*times, args));
            let Some(reach) = reach(iterations, count(*stride, args)) else { return Ok(()) };
            low = low.saturating_add(reach.min(0));
            high = high.saturating_add(reach.max(0));
        }
        if low < 0 || high > buffer.len as i128 || self.writes && !buffer.writable {
            return Err(Fault::Outside { buffer: self.buffer });
        }
        Ok(())
    }
}

/// How far the last of so many iterations is from the first, below 2^126; none if there is none. Sums of these saturate.
fn reach(iterations: i64, stride: i64) -> Option<i128> {
    (iterations > 0).then(|| i128::from(stride) * i128::from(iterations - 1))
}

/// The memory that is handed in for a parameter.
pub(crate) fn buffer<'a>(args: &[Arg<'a>], param: Param) -> Buffer<'a> {
    match args[param.index()] {
        Arg::Buffer(buffer) => buffer,
        Arg::Count(_) | Arg::Lane(_) => unreachable!("arguments were checked"),
    }
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
