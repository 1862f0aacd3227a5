//! Native code, made in process.

mod aarch64;
mod encoder;
mod legalize;
mod look_ahead;
mod loops;
mod pages;
mod registers;
mod segments;
mod walk;
mod x86;

use crate::{
    code::{Code, Param, ParamKind},
    memory::{Arg, Checks, Fault},
    prim::{Lane, Prim},
};
use asmkit::AsmError;
use memmap2::Mmap;
use std::{cell::RefCell, error::Error, fmt, marker::PhantomData, ops::Range, sync::Arc};
use walk::Emitted;
use x86::Extension;

/// An instruction set that native code is made for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Level {
    /// x86-64 with AVX2, FMA and F16C: vectors of 32 bytes.
    Avx2,
    /// x86-64 with AVX-512 F, BW, DQ and VL besides: vectors of 64 bytes.
    Avx512,
    /// AVX-512 with FP16 besides: arithmetic of binary16.
    Avx512Fp16,
    /// AArch64 with NEON, which all have: vectors of 16 bytes.
    Neon,
    /// AArch64 with FP16 besides: arithmetic of binary16.
    NeonFp16,
}

impl Level {
    /// The levels that this CPU has, the best one last.
    pub fn available() -> &'static [Level] {
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("f16c")
                && is_x86_feature_detected!("bmi2");
            let avx512 = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl");
            if avx2 && avx512 && is_x86_feature_detected!("avx512fp16") {
                &[Level::Avx2, Level::Avx512, Level::Avx512Fp16]
            } else if avx2 && avx512 {
                &[Level::Avx2, Level::Avx512]
            } else if avx2 {
                &[Level::Avx2]
            } else {
                &[]
            }
        }
        // Miri runs no machine code.
        #[cfg(all(target_arch = "aarch64", any(target_os = "linux", target_os = "macos"), not(miri)))]
        {
            if std::arch::is_aarch64_feature_detected!("fp16") { &[Level::Neon, Level::NeonFp16] } else { &[Level::Neon] }
        }
        #[cfg(not(any(target_arch = "x86_64", all(target_arch = "aarch64", any(target_os = "linux", target_os = "macos"), not(miri)))))]
        &[]
    }

    /// Bytes of a vector.
    pub const fn bytes(self) -> usize {
        match self {
            Level::Avx2 => 32,
            Level::Avx512 | Level::Avx512Fp16 => 64,
            Level::Neon | Level::NeonFp16 => 16,
        }
    }

    /// Whether vectors are those of AVX-512.
    pub const fn is_avx512(self) -> bool {
        matches!(self, Level::Avx512 | Level::Avx512Fp16)
    }

    /// Whether vectors are those of NEON.
    pub const fn is_neon(self) -> bool {
        matches!(self, Level::Neon | Level::NeonFp16)
    }

    /// Whether there are instructions of binary16.
    const fn has_halves(self) -> bool {
        matches!(self, Level::Avx512Fp16 | Level::NeonFp16)
    }

    /// Whether it has instructions for a primitive.
    fn support(self, prim: Prim, lane: Lane) -> Support {
        if prim.is_of_halves() {
            return if self.has_halves() { Support::Full } else { Support::None };
        }
        match self {
            Level::Avx2 => x86::support(prim, lane, Extension::Avx2),
            Level::Avx512 | Level::Avx512Fp16 => x86::support(prim, lane, Extension::Avx512),
            Level::Neon | Level::NeonFp16 => aarch64::support(prim, lane),
        }
    }

    /// Whether code in which nothing rounds to nearest has instructions for [`Prim::FmaOdd`], which round down.
    fn can_round_down(self) -> bool {
        self == Level::Avx2
    }

    /// Whether quotients are worth ten instructions in place of one: vectors of 64 bytes are divided in two halves.
    fn has_slow_division(self) -> bool {
        matches!(self, Level::Avx512 | Level::Avx512Fp16)
    }

    /// Emits machine code of what has only primitives that it supports; `lists`: with the item that each part of it is of.
    fn emit(self, code: &Code, lists: bool) -> Result<Emitted, AsmError> {
        match self {
            Level::Avx2 => x86::emit(code, Extension::Avx2, lists),
            Level::Avx512 | Level::Avx512Fp16 => x86::emit(code, Extension::Avx512, lists),
            Level::Neon | Level::NeonFp16 => aarch64::emit(code, lists),
        }
    }
}

/// Whether an instruction set has instructions for a primitive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Support {
    Full,
    /// For operands that are no NaN that signals.
    Quiet,
    /// For an operand that has no bits above those of the result.
    Short,
    /// None: others express it.
    None,
}

/// Where buffers begin that are written past the caches: at multiples of so many bytes, a line of the caches.
pub const STREAMED_ALIGNMENT: usize = 64;

/// Why there is no native code.
#[derive(Debug)]
pub enum CompileError {
    /// This CPU lacks the instruction set.
    Unavailable(Level),
    /// The system gives no memory for code, or does not let it be run.
    Pages(std::io::Error),
    /// The assembler refused an instruction: a defect of this crate.
    Assembler(String),
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CompileError::Unavailable(level) => write!(f, "this CPU does not have {level:?}"),
            CompileError::Pages(_) => f.write_str("the system does not let native code be made"),
            CompileError::Assembler(what) => write!(f, "an instruction cannot be encoded: {what}"),
        }
    }
}

impl Error for CompileError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            CompileError::Pages(error) => Some(error),
            CompileError::Unavailable(_) | CompileError::Assembler(_) => None,
        }
    }
}

/// Vector code as machine code. It gives the bits that the portable executor gives.
#[derive(Debug)]
pub struct Native {
    params: Vec<ParamKind>,
    checks: Checks,
    streamed: Vec<Param>,
    /// Distances between places that are written past the caches.
    streamed_distances: Vec<Param>,
    level: Level,
    /// The pages of machine code, which nothing can write to any more, and the place on them.
    pages: Arc<Mmap>,
    place: Range<usize>,
    pool: Vec<Line>,
    /// Lines of the block that the code works in.
    block: usize,
}

/// 64 bytes, aligned so: what the longest vector reads at once.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Line([u64; 8]);

thread_local! {
    /// The block that code works in: as large as the largest that ran on the thread. Code writes what it reads.
    static BLOCK: RefCell<Vec<Line>> = const { RefCell::new(Vec::new()) };
}

/// Where native code finds its arguments: the begin of the block.
#[derive(Debug)]
pub struct Args<'b, 'a> {
    words: &'b mut [u64],
    used: usize,
    #[cfg(debug_assertions)]
    given: Vec<Arg<'a>>,
    lifetime: PhantomData<Arg<'a>>,
}

impl<'b, 'a> Args<'b, 'a> {
    #[expect(unsafe_code, reason = "lines are words")]
    fn new(block: &'b mut [Line]) -> Args<'b, 'a> {
        // SAFETY: a line is eight words and nothing else.
        let words = unsafe { std::slice::from_raw_parts_mut(block.as_mut_ptr().cast(), 8 * block.len()) };
        Args {
            words,
            used: 0,
            #[cfg(debug_assertions)]
            given: Vec::new(),
            lifetime: PhantomData,
        }
    }

    #[inline(always)]
    fn put(&mut self, word: u64) {
        self.words[self.used] = word;
        self.used += 1;
    }

    /// Hands over buffers for the next parameters, of which nothing but where they begin is told.
    ///
    /// # Panics
    ///
    /// If code has fewer parameters.
    #[inline(always)]
    pub fn add_places(&mut self, places: impl ExactSizeIterator<Item = *mut u8>) {
        let all = &mut self.words[self.used..][..2 * places.len()];
        self.used += all.len();
        for (words, place) in all.chunks_exact_mut(2).zip(places) {
            words[0] = place as u64;
            words[1] = 0;
        }
    }

    /// Hands over the argument for the next parameter.
    #[inline(always)]
    pub fn add(&mut self, arg: Arg<'a>) {
        match arg {
            Arg::Buffer(buffer) => {
                self.put(buffer.start() as u64);
                self.put(buffer.len() as u64);
            }
            Arg::Count(n) => self.put(n as u64),
            Arg::Lane(bits) => self.put(bits),
        }
        #[cfg(debug_assertions)]
        self.given.push(arg);
    }
}

/// Machine code for people to read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Listing {
    /// What it was made for.
    pub level: Level,
    /// The instructions.
    pub bytes: Vec<u8>,
    /// What vector code became: where the instructions of each item begin, and the item as text, of loops the first line. Items are those that
    /// the instruction set has, so they may be more than the code's; where vectors are computed side by side, an item comes several times.
    pub items: Vec<(usize, String)>,
    /// The constants that instructions read behind `r15`, on AArch64 behind `x1`.
    pub constants: Vec<u8>,
}

impl Code {
    /// The machine code for an instruction set, which this CPU need not have.
    ///
    /// # Errors
    ///
    /// [`CompileError::Assembler`]; on WebAssembly always [`CompileError::Unavailable`].
    pub fn listing(&self, level: Level) -> Result<Listing, CompileError> {
        let Emitted { bytes, items, pool, .. } = emit(self, level, true)?;
        Ok(Listing { level, bytes, items, constants: pool })
    }

    /// Makes machine code for an instruction set.
    ///
    /// # Errors
    ///
    /// [`CompileError`]: the portable executor can still run the code.
    pub fn compile(&self, level: Level) -> Result<Native, CompileError> {
        Native::of_all(&[self], level).map(|mut one| one.pop().expect("one for each code"))
    }
}

fn emit(code: &Code, level: Level, lists: bool) -> Result<Emitted, CompileError> {
    if cfg!(target_family = "wasm") {
        // Pages of the web need not carry assemblers.
        return Err(CompileError::Unavailable(level));
    }
    let emitted = level.emit(&legalize::legalize(code, level), lists);
    emitted.map_err(|error| CompileError::Assembler(format!("{error:?}")))
}

fn lines(bytes: &[u8]) -> Vec<Line> {
    let mut lines = vec![Line([0; 8]); bytes.len().div_ceil(64)];
    for (i, bytes) in bytes.chunks_exact(8).enumerate() {
        lines[i / 8].0[i % 8] = u64::from_le_bytes(bytes.try_into().expect("8 bytes"));
    }
    lines
}

impl Native {
    /// Makes machine code of several codes on pages that they share: making pages executable takes longer than making code.
    ///
    /// # Errors
    ///
    /// [`CompileError`] if one of them cannot be made.
    pub fn of_all(codes: &[&Code], level: Level) -> Result<Vec<Native>, CompileError> {
        if !Level::available().contains(&level) {
            return Err(CompileError::Unavailable(level));
        }
        let all = codes.iter().map(|code| emit(code, level, false)).collect::<Result<Vec<_>, _>>()?;
        let parts: Vec<&[u8]> = all.iter().map(|emitted| &emitted.bytes[..]).collect();
        let (pages, places) = pages::executable(&parts).map_err(CompileError::Pages)?;
        let pages = Arc::new(pages);
        let native = |((code, emitted), place): ((&&Code, Emitted), Range<usize>)| Native {
            params: code.params.clone(),
            checks: crate::memory::checks(code),
            streamed: code.streamed.clone(),
            streamed_distances: code.streamed_distances(),
            level,
            pages: Arc::clone(&pages),
            place,
            pool: lines(&emitted.pool),
            block: emitted.block.div_ceil(64),
        };
        Ok(codes.iter().zip(all).zip(places).map(native).collect())
    }

    /// The machine code's bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.pages[self.place.clone()]
    }

    /// What it was made for.
    pub fn level(&self) -> Level {
        self.level
    }

    /// Runs the code.
    ///
    /// # Errors
    ///
    /// [`Fault`]: nothing was done, but for [`Fault::Lane`].
    pub fn run(&self, args: &[Arg<'_>]) -> Result<(), Fault> {
        self.check(args)?;
        BLOCK.with_borrow_mut(|block| {
            let mut slots = self.args(block);
            args[..self.params.len()].iter().for_each(|arg| slots.add(*arg));
            self.call(block)
        })
    }

    /// Runs the code on arguments that are known to fit, which `write` hands over in their order.
    ///
    /// # Errors
    ///
    /// [`Fault::Lane`].
    ///
    /// # Safety
    ///
    /// With these arguments [`run`](Native::run) gives no other fault: there is one for each parameter, of its kind, all places lie inside of
    /// their buffers, and buffers that are written may be.
    #[expect(unsafe_code, reason = "the caller answers for what is not checked")]
    #[inline]
    pub unsafe fn run_with<'a>(&self, write: impl FnOnce(&mut Args<'_, 'a>)) -> Result<(), Fault> {
        BLOCK.with_borrow_mut(|block| {
            let mut args = self.args(block);
            write(&mut args);
            #[cfg(debug_assertions)]
            assert_eq!(self.check(&args.given), Ok(()), "the arguments fit");
            self.call(block)
        })
    }

    fn check(&self, args: &[Arg<'_>]) -> Result<(), Fault> {
        self.checks.check(&self.params, args)?;
        let is_aligned = |param: &&Param| match args[param.index()] {
            Arg::Buffer(buffer) => buffer.start().addr().is_multiple_of(STREAMED_ALIGNMENT),
            Arg::Count(distance) => distance % STREAMED_ALIGNMENT as i64 == 0,
            Arg::Lane(_) => true,
        };
        let misplaced = self.streamed.iter().chain(&self.streamed_distances).find(|param| !is_aligned(param));
        misplaced.map_or(Ok(()), |param| Err(Fault::Argument { param: *param }))
    }

    /// The block, begun, with its places for arguments.
    #[inline]
    fn args<'b, 'a>(&self, block: &'b mut Vec<Line>) -> Args<'b, 'a> {
        if block.len() < self.block {
            block.resize(self.block, Line([0; 8]));
        }
        let mut args = Args::new(block);
        args.put(self.pool.as_ptr() as u64);
        args.put(0);
        args
    }

    #[inline]
    fn call(&self, block: &mut [Line]) -> Result<(), Fault> {
        self.jump(block);
        if block[0].0[1] != 0 { Err(Fault::Lane) } else { Ok(()) }
    }

    #[expect(unsafe_code, reason = "machine code is called")]
    fn jump(&self, block: &mut [Line]) {
        #[cfg(target_arch = "x86_64")]
        type Function = extern "sysv64" fn(*mut Line);
        #[cfg(not(target_arch = "x86_64"))]
        type Function = extern "C" fn(*mut Line);
        pages::see_all();
        // SAFETY: the pages hold a function of this type that `Level::emit` made for a level that the CPU has. It saves what the convention
        // says, and touches nothing but the block, which has the size that it asked for, the pool, and the buffers: at places that `check`
        // has found to lie inside, and at offsets that it compares with their lengths itself.
        unsafe {
            let function: Function = std::mem::transmute(self.bytes().as_ptr());
            function(block.as_mut_ptr());
        }
    }
}
