//! Chains on the vectors of x86-64.
//!
//! The accumulator is eight vectors: enough to make up for finding out what an instruction does. Operands are read where they are used, so
//! that what is left of the CPU's registers is free for functions: for four vectors at a time where there are enough, else for one.
#![allow(unsafe_code, reason = "reads and writes registers of the plan through raw pointers, with instructions of CPU features")]

use super::{
    Ahead, Binary, ChainFn, GROUP, Half, Run, Unary,
    four::Four,
    program::{Coded, From, Instruction, Program, Reading, code},
};
use crate::kernels::{
    ahead::prefetch,
    boxes::LINE,
    halves::Halves,
    lanes::{Eight, Sixteen, VectorLanes},
};
use tilewright_numeric::{bulk, lanes};

/// How many elements ahead lines of arrays in memory are fetched, into the next tile at the end of one. A group of long chains takes as
/// long as memory takes to answer, and fills the CPU's window of instructions, so that it looks at no later loads on its own.
const DISTANCE: usize = 1024;

/// Vectors that go through a chain together.
type Vectors<V> = [V; 8];

/// What a closure gives for each of the vectors. It becomes part of the caller, whose features its instructions need.
macro_rules! vectors {
    (|$i:ident| $x:expr) => {
        each(
            #[inline(always)]
            |$i| $x,
        )
    };
}

#[inline(always)]
fn each<V>(f: impl Fn(usize) -> V) -> Vectors<V> {
    [f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7)]
}

/// Halves vectors until one is left, as a reduction halves a row.
#[inline(always)]
fn halve_thrice<V: Copy>([a, b, c, d, e, f, g, h]: Vectors<V>, combine: impl Fn(V, V) -> V) -> V {
    let (a, b, c, d) = (combine(a, e), combine(b, f), combine(c, g), combine(d, h));
    combine(combine(a, c), combine(b, d))
}

/// Calls a function that takes many steps.
#[inline(always)]
fn by_fours<V>([a, b, c, d, e, f, g, h]: Vectors<V>, function: impl Fn(Four<V>) -> Four<V>) -> Vectors<V> {
    let Four([a, b, c, d]) = function(Four([a, b, c, d]));
    let Four([e, f, g, h]) = function(Four([e, f, g, h]));
    [a, b, c, d, e, f, g, h]
}

/// Where a chain is. `FOLDS`: its vectors lie apart, else side by side.
#[derive(Clone, Copy)]
struct At<'a, const FOLDS: bool> {
    places: &'a [*mut f32],
    /// The first of the elements that are worked on.
    first: usize,
    /// Elements from one vector to the next, if they lie apart: an eighth of a row.
    distance: usize,
    /// Where in an eighth of all elements the vector belongs that these are folded to.
    folded: usize,
}

impl<const FOLDS: bool> At<'_, FOLDS> {
    /// Elements from the first vector to another one.
    #[inline(always)]
    fn offset<V: VectorLanes>(self, vector: usize) -> usize {
        vector * if FOLDS { self.distance } else { V::LANES }
    }

    /// The first of the elements at a place.
    ///
    /// # Safety
    /// The place exists, and holds the element, or is not read there.
    #[inline(always)]
    unsafe fn array(self, place: usize) -> *mut f32 {
        // SAFETY: by the contract.
        unsafe { *self.places.get_unchecked(place) }.wrapping_add(self.first)
    }

    /// The first of the elements at a place of floats of 16 bits.
    ///
    /// # Safety
    /// As for [`array`](Self::array).
    #[inline(always)]
    unsafe fn halves(self, place: usize) -> *mut u16 {
        // SAFETY: by the contract.
        unsafe { *self.places.get_unchecked(place) }.cast::<u16>().wrapping_add(self.first)
    }

    /// The number at a place that belongs to the row of the vector that so many elements lie before. Rows begin where groups of vectors do,
    /// or are longer than these.
    ///
    /// # Safety
    /// The place exists, and holds a number for the row. The CPU has the features of `V`.
    #[inline(always)]
    unsafe fn per_row<V: VectorLanes>(self, place: usize, shift: u32, before: usize) -> V {
        // SAFETY: by the contract.
        unsafe { V::same(*self.places.get_unchecked(place).add(self.first >> shift).add(before >> shift)) }
    }

    /// # Safety
    /// As [`ChainFn`] demands of the places, which hold all vectors; the CPU has the features of `V`.
    #[inline(always)]
    unsafe fn read<V: Halves, const HALVES: bool>(self, from: From, accumulator: Vectors<V>) -> Vectors<V> {
        // SAFETY: by the contract.
        unsafe {
            match from {
                From::Halves(half, place) if HALVES => self.widen(place, 0, (half, false)),
                From::HalfPerRow(half, place, shift) if HALVES => self.widen(place, shift, (half, true)),
                // Programs without floats of 16 bits have none of the last two: a way out of its own would make others longer.
                From::Accumulator | From::Halves(..) | From::HalfPerRow(..) => accumulator,
                From::Array(place) => {
                    let from = self.array(place);
                    vectors!(|i| V::load(from.add(self.offset::<V>(i))))
                }
                From::Group(place, shift) => [self.per_row(place, shift, 0); 8],
                From::Vector(place, shift) => vectors!(|i| self.per_row(place, shift, self.offset::<V>(i))),
            }
        }
    }

    /// Widens an operand: floats of 16 bits side by side, or one for each row.
    ///
    /// # Safety
    /// As for [`read`](Self::read); the place has numbers of the format.
    #[inline(always)]
    unsafe fn widen<V: Halves>(self, place: usize, shift: u32, (half, per_row): (Half, bool)) -> Vectors<V> {
        // SAFETY: by the contract.
        unsafe {
            let (from, numbers) = (self.halves(place), (*self.places.get_unchecked(place)).cast::<u16>().wrapping_add(self.first >> shift));
            match (half, per_row) {
                (Half::F16, false) => vectors!(|i| V::load_half(Half::F16, from.add(self.offset::<V>(i)))),
                (Half::Bf16, false) => vectors!(|i| V::load_half(Half::Bf16, from.add(self.offset::<V>(i)))),
                (Half::F16, true) => vectors!(|i| V::same(bulk::f16_to_f32(*numbers.add(self.offset::<V>(i) >> shift)))),
                (Half::Bf16, true) => vectors!(|i| V::same(bulk::bf16_to_f32(*numbers.add(self.offset::<V>(i) >> shift)))),
            }
        }
    }

    /// Stores floats of 16 bits.
    ///
    /// # Safety
    /// As [`ChainFn`] demands of the place, which holds all vectors; the CPU has the features of `V`.
    #[inline(always)]
    unsafe fn store_halves<V: Halves>(self, half: Half, place: usize, x: Vectors<V>, stream: &mut Option<Stream<V>>) {
        // SAFETY: by the contract.
        unsafe {
            let to = self.halves(place);
            match stream {
                Some(stream) if stream.place == place => {
                    let packed: [V::Packed; 8] = vectors!(|i| x[i].narrow(half));
                    let [a, b, c, d, e, f, g, h] = packed;
                    let joined = [V::join(a, b), V::join(c, d), V::join(e, f), V::join(g, h)];
                    stream.store(self.first, joined, to.cast());
                }
                _ => {
                    vectors!(|i| V::store_packed(x[i].narrow(half), to.add(self.offset::<V>(i))));
                }
            }
        }
    }
}

/// A place whose numbers go past the caches, vector by vector, wherever it begins: each vector of the place has lanes of two results.
///
/// What it has before the first whole vector and behind the last one goes number by number: a line that two neighbours share, one right
/// after the other, is still written as one. Two floats of 16 bits go as one number of 32.
struct Stream<V> {
    place: usize,
    to: *mut f32,
    /// How many numbers there are.
    count: usize,
    /// How many of them lie before the first whole vector.
    head: usize,
    /// The last result, whose lanes from the `head`-th on are still to be stored.
    last: V,
}

impl<V: VectorLanes> Stream<V> {
    /// # Safety
    /// The CPU has the features of `V`.
    #[inline(always)]
    unsafe fn new(place: usize, to: *mut f32, count: usize) -> Self {
        // SAFETY: by the contract.
        Stream { place, to, count, head: head::<V>(to), last: unsafe { V::same(0.0) } }
    }

    /// Stores all but the last lanes of the results of the elements from the `first` one on, which belong to `to`.
    ///
    /// # Safety
    /// The place has room for them, and those before were stored. The CPU has the features of `V`.
    #[inline(always)]
    unsafe fn store<const N: usize>(&mut self, first: usize, x: [V; N], to: *mut f32) {
        let head = self.head;
        // SAFETY: by the contract; all but the head are vectors of the place.
        unsafe {
            if head == 0 {
                // Closures of iterators may be code of their own, which calls each instruction.
                for (i, x) in x.into_iter().enumerate() {
                    x.stream(to.add(i * V::LANES));
                }
                return;
            }
            if first == 0 {
                x[0].stream_lanes(0..head, to);
            } else {
                x[0].behind(self.last, head).stream(to.wrapping_add(head).wrapping_sub(V::LANES));
            }
            let to = to.wrapping_add(head).wrapping_sub(V::LANES);
            for i in 1..N {
                x[i].behind(x[i - 1], head).stream(to.wrapping_add(i * V::LANES));
            }
        }
        self.last = x[N - 1];
    }

    /// Stores the last lanes of the last result.
    ///
    /// # Safety
    /// The place has room for them. The CPU has the features of `V`.
    #[inline(always)]
    unsafe fn finish(self) {
        if self.head > 0 {
            // SAFETY: by the contract.
            unsafe { self.last.stream_lanes(self.head..V::LANES, self.to.add(self.count - V::LANES)) };
        }
    }
}

/// How many numbers lie before the first whole vector from a place on.
#[inline(always)]
fn head<V: VectorLanes>(to: *const f32) -> usize {
    (to.addr() / size_of::<f32>()).wrapping_neg() % V::LANES
}

/// Fetches what the next block reads, apart from the loops of chains, which need the registers.
#[inline(never)]
fn fetch_share(ahead: &mut Ahead) {
    ahead.fetch_share();
}

/// Does all instructions on one group of vectors. `HALVES`: floats of 16 bits may be among what they work on.
///
/// # Safety
/// As for [`At::read`].
#[inline(always)]
unsafe fn run_group<V: Halves, const FOLDS: bool, const HALVES: bool>(
    instructions: &[Coded],
    at: At<'_, FOLDS>,
    stream: &mut Option<Stream<V>>,
) {
    // SAFETY: by the contract.
    unsafe {
        let mut x = [V::same(0.0); 8];
        for instruction in instructions {
            // What the accumulator becomes: for instructions that read an operand `y`, and maybe a second one, for each place where `y` may be.
            macro_rules! carry_out {
                (
                    with operands: { $($op:expr => |$a:ident, $y:ident $(, $z:ident)?| $result:expr;)* }
                    of one: { $($unary:expr => |$number:ident| $function:expr;)* }
                    functions: { $($called:expr => $steps:path;)* }
                    folds: { $($fold:expr => |$p:ident, $q:ident| $combined:expr;)* }
                ) => {
                    match instruction.code {
                        $(
                            Reading::<{ $op }>::ACCUMULATOR => {
                                $(let $z = at.read::<V, HALVES>(instruction.second, x);)?
                                vectors!(|i| {
                                    let ($a, $y $(, $z)?) = (x[i], x[i] $(, $z[i])?);
                                    $result
                                })
                            }
                            Reading::<{ $op }>::ARRAY => {
                                let from = at.array(instruction.place);
                                $(let $z = at.read::<V, HALVES>(instruction.second, x);)?
                                vectors!(|i| {
                                    let ($a, $y $(, $z)?) = (x[i], V::load(from.add(at.offset::<V>(i))) $(, $z[i])?);
                                    $result
                                })
                            }
                            Reading::<{ $op }>::GROUP => {
                                let one = at.per_row::<V>(instruction.place, instruction.shift, 0);
                                $(let $z = at.read::<V, HALVES>(instruction.second, x);)?
                                vectors!(|i| {
                                    let ($a, $y $(, $z)?) = (x[i], one $(, $z[i])?);
                                    $result
                                })
                            }
                            Reading::<{ $op }>::VECTOR => {
                                $(let $z = at.read::<V, HALVES>(instruction.second, x);)?
                                vectors!(|i| {
                                    let ($a, $y $(, $z)?) = (x[i], at.per_row::<V>(instruction.place, instruction.shift, at.offset::<V>(i)) $(, $z[i])?);
                                    $result
                                })
                            }
                            Reading::<{ $op }>::F16 | Reading::<{ $op }>::BF16 | Reading::<{ $op }>::ROWS_OF_F16 | Reading::<{ $op }>::ROWS_OF_BF16 if HALVES => {
                                $(let $z = at.read::<V, HALVES>(instruction.second, x);)?
                                let half: Vectors<V> = at.widen(instruction.place, instruction.shift, instruction.half());
                                vectors!(|i| {
                                    let ($a, $y $(, $z)?) = (x[i], half[i] $(, $z[i])?);
                                    $result
                                })
                            }
                        )*
                        $(code::OfOne::<{ $unary as u8 }>::CODE => vectors!(|i| {
                            let $number = x[i];
                            $function
                        }),)*
                        $(code::OfOne::<{ $called as u8 }>::CODE => {
                            if V::HAS_ROOM_FOR_FOUR {
                                by_fours(
                                    x,
                                    #[inline(always)]
                                    |x| $steps(x),
                                )
                            } else {
                                vectors!(|i| $steps(x[i]))
                            }
                        })*
                        $(code::Fold::<{ $fold as u8 }>::CODE => {
                            let left = halve_thrice(
                                x,
                                #[inline(always)]
                                |$p, $q| $combined,
                            );
                            left.store(at.places.get_unchecked(instruction.place).add(at.folded));
                            x
                        })*
                        code::STORE => {
                            let to = at.array(instruction.place);
                            match stream {
                                Some(stream) if stream.place == instruction.place => stream.store(at.first, x, to),
                                _ => {
                                    vectors!(|i| x[i].store(to.add(at.offset::<V>(i))));
                                }
                            }
                            x
                        }
                        code::STORE_F16 if HALVES => {
                            at.store_halves(Half::F16, instruction.place, x, stream);
                            x
                        }
                        code::STORE_BF16 if HALVES => {
                            at.store_halves(Half::Bf16, instruction.place, x, stream);
                            x
                        }
                        code::ROUND_F16 if HALVES => vectors!(|i| x[i].round_f16()),
                        code::ROUND_BF16 if HALVES => vectors!(|i| x[i].round_bf16()),
                        _ => unreachable!("programs are made of these"),
                    }
                };
            }
            x = carry_out! {
                with operands: {
                    code::LOAD => |_x, y| y;
                    Binary::Add as u8 => |x, y| x + y;
                    Binary::Sub as u8 => |x, y| x - y;
                    Binary::SubFrom as u8 => |x, y| y - x;
                    Binary::Mul as u8 => |x, y| x * y;
                    Binary::Div as u8 => |x, y| x / y;
                    Binary::DivInto as u8 => |x, y| y / x;
                    Binary::Max as u8 => |x, y| x.larger::<false>(y);
                    Binary::MaxNan as u8 => |x, y| x.larger::<true>(y);
                    Binary::Min as u8 => |x, y| x.smaller::<false>(y);
                    Binary::MinNan as u8 => |x, y| x.smaller::<true>(y);
                    code::TIMES_PLUS => |x, y, z| x.fused(y, z);
                    code::PLUS_PRODUCT => |x, y, z| y.fused(z, x);
                    code::TIMES_PRODUCT => |x, y, z| x * (y * z);
                }
                of one: {
                    Unary::Neg => |x| x.neg();
                    Unary::Abs => |x| x.abs();
                    Unary::Sqrt => |x| x.sqrt();
                }
                functions: {
                    Unary::Exp => lanes::exp;
                    Unary::Exp2 => lanes::exp2;
                    Unary::Tanh => lanes::tanh;
                }
                folds: {
                    Binary::Add => |x, y| x + y;
                    Binary::Mul => |x, y| x * y;
                    Binary::Max => |x, y| x.larger::<false>(y);
                    Binary::MaxNan => |x, y| x.larger::<true>(y);
                    Binary::Min => |x, y| x.smaller::<false>(y);
                    Binary::MinNan => |x, y| x.smaller::<true>(y);
                }
            };
        }
    }
}

/// Streams what a function gives for each number of two arrays: little enough to do that a loop of its own is a third faster than
/// instructions, and that the CPU fetches ahead best by itself.
///
/// What lies before the first whole vector of the target, and behind the last one, goes number by number; see [`Stream`].
///
/// # Safety
/// The arrays have `n` numbers, a multiple of [`GROUP`]. The CPU has the features of `V`.
#[inline(always)]
unsafe fn stream_pairs<V: VectorLanes>(x: *const f32, y: *const f32, to: *mut f32, n: usize, f: impl Fn(V, V) -> V) {
    macro_rules! result {
        ($at:expr) => {
            f(V::load(x.add($at)), V::load(y.add($at)))
        };
    }
    let head = head::<V>(to);
    let mut at = head;
    // SAFETY: by the contract; whole vectors from the head on are aligned.
    unsafe {
        if head > 0 {
            result!(0).stream_lanes(0..head, to);
        }
        while at + 4 * V::LANES <= n {
            let [a, b, c, d] = [at, at + V::LANES, at + 2 * V::LANES, at + 3 * V::LANES];
            let results = (result!(a), result!(b), result!(c), result!(d));
            results.0.stream(to.add(a));
            results.1.stream(to.add(b));
            results.2.stream(to.add(c));
            results.3.stream(to.add(d));
            at += 4 * V::LANES;
        }
        while at + V::LANES <= n {
            result!(at).stream(to.add(at));
            at += V::LANES;
        }
        if at < n {
            let last = n - V::LANES;
            result!(last).stream_lanes(at - last..V::LANES, to.add(last));
        }
    }
}

/// # Safety
/// As [`ChainFn`] demands; the CPU has the features of `V`.
#[inline(always)]
unsafe fn run<V: Halves, const HALVES: bool>(Run { program, places, streamed, fetched, n }: Run<'_>, ahead: &mut Ahead) {
    assert_eq!(places.len(), program.places().len(), "a place for each that the program names");
    debug_assert!(HALVES || !program.has_halves(), "the version that was selected for the program");
    if let [Instruction::Load(From::Array(x)), Instruction::Binary(op, From::Array(y)), Instruction::Store(to)] = *program.instructions()
        && streamed == Some(to)
    {
        macro_rules! pairs {
            (|$a:ident, $b:ident| $result:expr) => {
                // SAFETY: by the contract.
                unsafe {
                    stream_pairs::<V>(
                        places[x],
                        places[y],
                        places[to],
                        n,
                        #[inline(always)]
                        |$a, $b| $result,
                    )
                }
            };
        }
        return match op {
            Binary::Add => pairs!(|x, y| x + y),
            Binary::Sub => pairs!(|x, y| x - y),
            Binary::SubFrom => pairs!(|x, y| y - x),
            Binary::Mul => pairs!(|x, y| x * y),
            Binary::Div => pairs!(|x, y| x / y),
            Binary::DivInto => pairs!(|x, y| y / x),
            Binary::Max => pairs!(|x, y| x.larger::<false>(y)),
            Binary::MaxNan => pairs!(|x, y| x.larger::<true>(y)),
            Binary::Min => pairs!(|x, y| x.smaller::<false>(y)),
            Binary::MinNan => pairs!(|x, y| x.smaller::<true>(y)),
        };
    }
    let bytes = |place: usize| if program.places()[place].is_some() { size_of::<u16>() } else { size_of::<f32>() };
    // SAFETY: by the contract.
    let stream = |place: usize| unsafe { Stream::<V>::new(place, places[place], n * bytes(place) / size_of::<f32>()) };
    // Floats of 16 bits go two by two.
    let mut stream = streamed.filter(|place| places[*place].is_aligned()).map(stream);
    for group in (0..n).step_by(GROUP) {
        if ahead.lines() > 0 {
            fetch_share(ahead);
        }
        for place in fetched {
            let bytes = bytes(*place);
            let lines = places[*place].wrapping_byte_add((group + DISTANCE) * bytes).cast::<[u8; LINE]>();
            (0..GROUP * bytes / LINE).for_each(|line| prefetch(lines.wrapping_add(line).cast()));
        }
        for first in (group..group + GROUP).step_by(8 * V::LANES) {
            let at = At::<false> { places, first, distance: V::LANES, folded: 0 };
            // SAFETY: by the contract; `n` is a multiple of the group, and that of all vectors.
            unsafe { run_group::<V, false, HALVES>(program.coded(), at, &mut stream) };
        }
    }
    if let Some(stream) = stream {
        // SAFETY: by the contract.
        unsafe { stream.finish() };
    }
}

/// Runs a chain that folds rows.
///
/// # Safety
/// As [`ChainFn`] demands; the CPU has the features of `V`.
#[inline(always)]
unsafe fn run_rows<V: Halves, const HALVES: bool>(Run { program, places, n, .. }: Run<'_>, ahead: &mut Ahead) {
    assert_eq!(places.len(), program.places().len(), "a place for each that the program names");
    debug_assert!(HALVES || !program.has_halves(), "the version that was selected for the program");
    let row = program.row().expect("it folds rows");
    let distance = row / 8;
    for start in (0..n).step_by(row) {
        for group in (0..distance).step_by(GROUP / 8) {
            if ahead.lines() > 0 {
                fetch_share(ahead);
            }
            for vector in (group..group + GROUP / 8).step_by(V::LANES) {
                let at = At::<true> { places, first: start + vector, distance, folded: start / 8 + vector };
                // SAFETY: by the contract; eight parts of a row are multiples of an eighth of a group, and that of a vector.
                unsafe { run_group::<V, true, HALVES>(program.coded(), at, &mut None) };
            }
        }
    }
}

/// Declares chains for a level, each kind as code of its own, so that it has the CPU's registers for itself.
macro_rules! chains {
    ($($level:ident $features:literal $vector:ty: $chain:ident $rows:ident;)*) => {$(
        #[target_feature(enable = $features)]
        unsafe fn $chain<const HALVES: bool>(chain: Run<'_>, ahead: &mut Ahead) {
            // SAFETY: by the caller.
            unsafe { run::<$vector, HALVES>(chain, ahead) }
        }

        #[target_feature(enable = $features)]
        unsafe fn $rows<const HALVES: bool>(chain: Run<'_>, ahead: &mut Ahead) {
            // SAFETY: by the caller.
            unsafe { run_rows::<$vector, HALVES>(chain, ahead) }
        }

        /// What runs a program.
        pub(super) fn $level(program: &Program) -> ChainFn {
            match (program.row().is_some(), program.has_halves()) {
                (false, false) => $chain::<false>,
                (false, true) => $chain::<true>,
                (true, false) => $rows::<false>,
                (true, true) => $rows::<true>,
            }
        }
    )*};
}
chains! {
    avx512 "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt" Sixteen: chain_avx512 rows_avx512;
    avx2 "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt" Eight: chain_avx2 rows_avx2;
}
