//! Steps: the instructions of a chain as functions, each of which calls the one behind it.
//!
//! The vectors that go through a chain are arguments, which the convention of the calls keeps in registers of the CPU. A call at the end of
//! a function becomes a jump where code is optimised, so that three instructions lead from one step to the next; elsewhere calls nest,
//! and a long chain pauses now and then. Each function has all other registers for what it does.
#![allow(unsafe_code, reason = "reads and writes registers of the plan through raw pointers, with instructions of CPU features")]
#![allow(improper_ctypes_definitions, reason = "only steps call steps; the convention is there for the vectors")]

use super::{
    Binary, Half, Unary,
    at::{At, Vectors, vectors},
    four::Four,
    pairs::OfTwo,
    program::{From, Instruction},
    streamed::Stream,
};
use crate::kernels::halves::Halves;
use std::{hint::unreachable_unchecked, marker::PhantomData, mem::MaybeUninit};
use tilewright_numeric::lanes::{self, Lanes};

/// The most steps that call each other, but for pauses: without optimisation, the longest chain of a plan would need megabytes of stack.
const TOGETHER: usize = 24;

/// What a step reads that has no operand.
const NONE: From = From::Accumulator;

/// Carries out a step on the vectors whose first element has this number, and all steps behind it, up to a pause or the end. Gives the step
/// to go on with, or null.
///
/// Its safety is that of [`Operation::carry_out`] for each of the steps, behind which is [`Threaded::stop`].
pub(super) type StepFn<V> = unsafe extern "sysv64" fn(
    step: *const Step<V>,
    places: *const *mut f32,
    first: usize,
    running: &mut Running<V>,
    V,
    V,
    V,
    V,
    V,
    V,
    V,
    V,
) -> *const Step<V>;

/// An instruction as it is carried out.
pub(super) struct Step<V> {
    pub(super) run: StepFn<V>,
    /// Where the operand besides the accumulator is read, or the accumulator is written.
    at: From,
    /// Where another one is read.
    second: From,
}

/// What steps know besides where they are.
pub(super) struct Running<V> {
    /// The accumulator while steps pause.
    pub(super) kept: MaybeUninit<Vectors<V>>,
    /// What goes past the caches.
    pub(super) stream: Option<Stream<V>>,
}

/// Vectors that steps are compiled for.
pub(super) trait Threaded: Halves {
    /// The step that carries out an operation and goes on.
    fn step<O: Operation>() -> StepFn<Self>;

    /// The step that calls no other: behind the last one, or, if `PAUSES`, one that keeps the accumulator for the one behind it.
    fn stop<const PAUSES: bool>() -> StepFn<Self>;

    /// Carries out all steps.
    ///
    /// # Safety
    /// As for [`StepFn`]; the CPU has the features of the vectors.
    unsafe fn run(steps: &[Step<Self>], places: &[*mut f32], first: usize, running: &mut Running<Self>);
}

/// What a step does. Operations, their functions and sources are types without values, so that each step has code of its own.
pub(super) trait Operation {
    /// Gives what the accumulator becomes.
    ///
    /// # Safety
    /// The step was made for the operation; its places are as [`Code`](super::Code) demands. The CPU has the features of `V`.
    unsafe fn carry_out<V: Halves>(step: &Step<V>, at: At, running: &mut Running<V>, x: Vectors<V>) -> Vectors<V>;
}

/// Replaces the accumulator.
struct Load<Y>(PhantomData<Y>);

impl<Y: Source> Operation for Load<Y> {
    #[inline(always)]
    unsafe fn carry_out<V: Halves>(step: &Step<V>, at: At, _: &mut Running<V>, x: Vectors<V>) -> Vectors<V> {
        // SAFETY: by the contract; so below.
        unsafe { Y::read(step.at, at, x) }
    }
}

/// A function of the accumulator, of a few instructions.
struct One<T>(PhantomData<T>);

impl<T: OfOne> Operation for One<T> {
    #[inline(always)]
    unsafe fn carry_out<V: Halves>(_: &Step<V>, _: At, _: &mut Running<V>, x: Vectors<V>) -> Vectors<V> {
        vectors!(|i| T::of(x[i]))
    }
}

/// A function of the accumulator that takes many steps: for four vectors at a time, where there are registers for that.
struct Long<T>(PhantomData<T>);

impl<T: OfLanes> Operation for Long<T> {
    #[inline(always)]
    unsafe fn carry_out<V: Halves>(_: &Step<V>, _: At, _: &mut Running<V>, x: Vectors<V>) -> Vectors<V> {
        if !V::HAS_ROOM_FOR_FOUR {
            return vectors!(|i| T::of(x[i]));
        }
        let [a, b, c, d, e, f, g, h] = x;
        let Four([a, b, c, d]) = T::of(Four([a, b, c, d]));
        let Four([e, f, g, h]) = T::of(Four([e, f, g, h]));
        [a, b, c, d, e, f, g, h]
    }
}

/// Combines the accumulator, as the first operand, with another one.
struct Two<T, Y>(PhantomData<(T, Y)>);

impl<T: OfTwo, Y: Source> Operation for Two<T, Y> {
    #[inline(always)]
    unsafe fn carry_out<V: Halves>(step: &Step<V>, at: At, _: &mut Running<V>, x: Vectors<V>) -> Vectors<V> {
        // SAFETY: as above.
        let y = unsafe { Y::read(step.at, at, x) };
        vectors!(|i| T::of(x[i], y[i]))
    }
}

/// Combines the accumulator with two operands.
struct Three<T, Y, Z>(PhantomData<(T, Y, Z)>);

impl<T: OfThree, Y: Source, Z: Source> Operation for Three<T, Y, Z> {
    #[inline(always)]
    unsafe fn carry_out<V: Halves>(step: &Step<V>, at: At, _: &mut Running<V>, x: Vectors<V>) -> Vectors<V> {
        // SAFETY: as above.
        let (y, z) = unsafe { (Y::read(step.at, at, x), Z::read(step.second, at, x)) };
        vectors!(|i| T::of(x[i], y[i], z[i]))
    }
}

/// Writes the accumulator to a place.
struct Store;

impl Operation for Store {
    #[inline(always)]
    unsafe fn carry_out<V: Halves>(step: &Step<V>, at: At, running: &mut Running<V>, x: Vectors<V>) -> Vectors<V> {
        // SAFETY: as above.
        unsafe {
            let From::Array(place) = step.at else { unreachable_unchecked() };
            at.store(place, x, &mut running.stream);
        }
        x
    }
}

/// Writes it to a place of floats of 16 bits, rounded.
struct StoreHalf;

impl Operation for StoreHalf {
    #[inline(always)]
    unsafe fn carry_out<V: Halves>(step: &Step<V>, at: At, running: &mut Running<V>, x: Vectors<V>) -> Vectors<V> {
        // SAFETY: as above.
        unsafe {
            match step.at {
                From::Halves(Half::F16, place) => at.store_halves(Half::F16, place, x, &mut running.stream),
                From::Halves(Half::Bf16, place) => at.store_halves(Half::Bf16, place, x, &mut running.stream),
                _ => unreachable_unchecked(),
            }
        }
        x
    }
}

/// Brings the accumulator back behind a pause.
struct Resume;

impl Operation for Resume {
    #[inline(always)]
    unsafe fn carry_out<V: Halves>(_: &Step<V>, _: At, running: &mut Running<V>, _: Vectors<V>) -> Vectors<V> {
        // SAFETY: the pause has written it.
        unsafe { running.kept.assume_init() }
    }
}

/// Where an operand is read.
trait Source {
    /// # Safety
    /// `from` is such a place; else as for [`At::read`].
    unsafe fn read<V: Halves>(from: From, at: At, accumulator: Vectors<V>) -> Vectors<V>;
}

/// The accumulator itself.
struct Accumulator;

impl Source for Accumulator {
    #[inline(always)]
    unsafe fn read<V: Halves>(_: From, _: At, accumulator: Vectors<V>) -> Vectors<V> {
        accumulator
    }
}

/// [`From::Array`].
struct Array;

impl Source for Array {
    #[inline(always)]
    unsafe fn read<V: Halves>(from: From, at: At, accumulator: Vectors<V>) -> Vectors<V> {
        // SAFETY: by the contract; so below.
        unsafe { if let From::Array(_) = from { at.read(from, accumulator) } else { unreachable_unchecked() } }
    }
}

/// [`From::Group`].
struct Group;

impl Source for Group {
    #[inline(always)]
    unsafe fn read<V: Halves>(from: From, at: At, accumulator: Vectors<V>) -> Vectors<V> {
        // SAFETY: as above.
        unsafe { if let From::Group(..) = from { at.read(from, accumulator) } else { unreachable_unchecked() } }
    }
}

/// Any: what few chains read is found out while they run.
struct Any;

impl Source for Any {
    #[inline(always)]
    unsafe fn read<V: Halves>(from: From, at: At, accumulator: Vectors<V>) -> Vectors<V> {
        // SAFETY: as above.
        unsafe { at.read(from, accumulator) }
    }
}

/// Declares functions of vectors, which become part of steps.
macro_rules! functions {
    ($(#[$doc:meta])* $trait:ident $arguments:tt of $vectors:ident: $($name:ident => $result:expr;)*) => {
        $(#[$doc])*
        trait $trait {
            fn of<V: $vectors>$arguments -> V;
        }
        $(
            struct $name;

            impl $trait for $name {
                #[inline(always)]
                fn of<V: $vectors>$arguments -> V {
                    $result
                }
            }
        )*
    };
}
functions! {
    /// Of the accumulator.
    OfOne(x: V) of Halves:
    Neg => x.neg();
    Abs => x.abs();
    Sqrt => x.sqrt();
    RoundF16 => x.round_f16();
    RoundBf16 => x.round_bf16();
}
functions! {
    /// Of the accumulator, with many steps.
    OfLanes(x: V) of Lanes:
    Exp => lanes::exp(x);
    Exp2 => lanes::exp2(x);
    Tanh => lanes::tanh(x);
}
functions! {
    /// Of the accumulator and two operands.
    OfThree(x: V, y: V, z: V) of Halves:
    TimesPlus => x.fused(y, z);
    PlusProduct => y.fused(z, x);
    TimesProduct => x * (y * z);
}

/// Chooses a type by a value.
macro_rules! choose {
    ($value:expr, |$chosen:ident| $result:expr, $($pattern:pat => $type:path,)*) => {
        match $value {
            $($pattern => {
                type $chosen = $type;
                $result
            })*
        }
    };
}

macro_rules! choose_source {
    ($from:expr, |$source:ident| $result:expr) => {
        choose! {
            $from, |$source| $result,
            From::Accumulator => Accumulator,
            From::Array(_) => Array,
            From::Group(..) => Group,
            From::Vector(..) | From::Halves(..) | From::HalfPerRow(..) => Any,
        }
    };
}

macro_rules! choose_binary {
    ($op:expr, |$function:ident| $result:expr) => {
        $crate::kernels::chain::steps::choose! {
            $op, |$function| $result,
            Binary::Add => $crate::kernels::chain::pairs::Add,
            Binary::Sub => $crate::kernels::chain::pairs::Sub,
            Binary::SubFrom => $crate::kernels::chain::pairs::SubFrom,
            Binary::Mul => $crate::kernels::chain::pairs::Mul,
            Binary::Div => $crate::kernels::chain::pairs::Div,
            Binary::DivInto => $crate::kernels::chain::pairs::DivInto,
            Binary::Max => $crate::kernels::chain::pairs::Max,
            Binary::MaxNan => $crate::kernels::chain::pairs::MaxNan,
            Binary::Min => $crate::kernels::chain::pairs::Min,
            Binary::MinNan => $crate::kernels::chain::pairs::MinNan,
        }
    };
}
pub(super) use {choose, choose_binary};

fn three<V: Threaded, T: OfThree>(y: From, z: From) -> StepFn<V> {
    choose_source!(y, |Y| choose_source!(z, |Z| V::step::<Three<T, Y, Z>>()))
}

impl<V: Threaded> Step<V> {
    /// The steps for instructions.
    pub(super) fn all(instructions: &[Instruction]) -> Vec<Step<V>> {
        let plain = |run: StepFn<V>| Step { run, at: NONE, second: NONE };
        let mut steps = Vec::with_capacity(instructions.len() + 1);
        for (i, instruction) in instructions.iter().enumerate() {
            if i > 0 && i.is_multiple_of(TOGETHER) {
                steps.extend([V::stop::<true>(), V::step::<Resume>()].map(plain));
            }
            steps.push(Step::new(instruction));
        }
        steps.push(plain(V::stop::<false>()));
        steps
    }

    fn new(instruction: &Instruction) -> Step<V> {
        let (run, at, second) = match *instruction {
            Instruction::Load(y) => (choose_source!(y, |Y| V::step::<Load<Y>>()), y, NONE),
            Instruction::Unary(Unary::Neg) => (V::step::<One<Neg>>(), NONE, NONE),
            Instruction::Unary(Unary::Abs) => (V::step::<One<Abs>>(), NONE, NONE),
            Instruction::Unary(Unary::Sqrt) => (V::step::<One<Sqrt>>(), NONE, NONE),
            Instruction::Unary(Unary::Exp) => (V::step::<Long<Exp>>(), NONE, NONE),
            Instruction::Unary(Unary::Exp2) => (V::step::<Long<Exp2>>(), NONE, NONE),
            Instruction::Unary(Unary::Tanh) => (V::step::<Long<Tanh>>(), NONE, NONE),
            Instruction::Binary(op, y) => (choose_binary!(op, |T| choose_source!(y, |Y| V::step::<Two<T, Y>>())), y, NONE),
            Instruction::TimesPlus(y, z) => (three::<V, TimesPlus>(y, z), y, z),
            Instruction::PlusProduct(y, z) => (three::<V, PlusProduct>(y, z), y, z),
            Instruction::TimesProduct(y, z) => (three::<V, TimesProduct>(y, z), y, z),
            Instruction::Round(Half::F16) => (V::step::<One<RoundF16>>(), NONE, NONE),
            Instruction::Round(Half::Bf16) => (V::step::<One<RoundBf16>>(), NONE, NONE),
            Instruction::Store(place) => (V::step::<Store>(), From::Array(place), NONE),
            Instruction::StoreHalf(half, place) => (V::step::<StoreHalf>(), From::Halves(half, place), NONE),
        };
        Step { run, at, second }
    }
}
