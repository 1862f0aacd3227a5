//! Kernels with loops of their own, for the common types. They give the values of [`exact`](super::exact); the payload of a NaN may differ.
#![allow(unsafe_code, reason = "reads and writes registers through raw pointers")]

use super::{ElemOp, Imm, KernelFn};
use crate::elem::Elem;
use tilewright_ir::{ComparisonOrdering, ComparisonPredicate, RoundingMode, Scalar};
use tilewright_numeric::{bulk, float, math};

/// An element as it lies in a register, and the type that arithmetic uses for it.
trait Lane: Copy {
    type Wide: Copy;
    fn widen(self) -> Self::Wide;
    fn narrow(wide: Self::Wide) -> Self;
}

macro_rules! plain_lanes {
    ($($t:ty)*) => {$(
        impl Lane for $t {
            type Wide = $t;
            #[inline(always)]
            fn widen(self) -> $t {
                self
            }
            #[inline(always)]
            fn narrow(wide: $t) -> $t {
                wide
            }
        }
    )*};
}
plain_lanes! { i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 }

/// Declares a small float that arithmetic widens to f32.
macro_rules! small_lane {
    ($name:ident($bits:ty) $widen:ident $narrow:ident) => {
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        struct $name($bits);

        impl Lane for $name {
            type Wide = f32;
            #[inline(always)]
            fn widen(self) -> f32 {
                bulk::$widen(self.0)
            }
            #[inline(always)]
            fn narrow(wide: f32) -> Self {
                $name(bulk::$narrow(wide))
            }
        }
    };
}
small_lane! { F16(u16) f16_to_f32 f32_to_f16 }
small_lane! { Bf16(u16) bf16_to_f32 f32_to_bf16 }
small_lane! { E4m3(u8) e4m3_to_f32 f32_to_e4m3 }
small_lane! { E5m2(u8) e5m2_to_f32 f32_to_e5m2 }

/// A function of one value.
trait Fn1<T> {
    fn apply(x: T) -> T;
}

/// A function of two values.
trait Fn2<T> {
    fn apply(x: T, y: T) -> T;
}

/// A relation of two values.
trait Relation<T> {
    fn holds(x: T, y: T) -> bool;
}

/// A conversion.
trait Cast<T, R> {
    fn cast(x: T) -> R;
}

/// The elements of a register.
///
/// # Safety
/// As [`KernelFn`] demands of a source.
unsafe fn lanes<'a, T>(base: *const u8, n: usize) -> &'a [T] {
    // SAFETY: by the contract.
    unsafe { std::slice::from_raw_parts(base.cast(), n) }
}

/// The elements of a register, to be written.
///
/// # Safety
/// As [`KernelFn`] demands of the destination.
unsafe fn lanes_mut<'a, T>(base: *mut u8, n: usize) -> &'a mut [T] {
    // SAFETY: by the contract; registers always hold initialised bytes.
    unsafe { std::slice::from_raw_parts_mut(base.cast(), n) }
}

unsafe fn map1<T: Lane, F: Fn1<T::Wide>>(dst: *mut u8, src: [*const u8; 3], n: usize, _: &Imm) {
    // SAFETY: the contract of KernelFn.
    let (d, a) = unsafe { (lanes_mut::<T>(dst, n), lanes::<T>(src[0], n)) };
    for (d, a) in d.iter_mut().zip(a) {
        *d = T::narrow(F::apply(a.widen()));
    }
}

unsafe fn map2<T: Lane, F: Fn2<T::Wide>>(dst: *mut u8, src: [*const u8; 3], n: usize, _: &Imm) {
    // SAFETY: the contract of KernelFn.
    let (d, a, b) = unsafe { (lanes_mut::<T>(dst, n), lanes::<T>(src[0], n), lanes::<T>(src[1], n)) };
    for ((d, a), b) in d.iter_mut().zip(a).zip(b) {
        *d = T::narrow(F::apply(a.widen(), b.widen()));
    }
}

unsafe fn compare<T: Lane, R: Relation<T::Wide>>(dst: *mut u8, src: [*const u8; 3], n: usize, _: &Imm) {
    // SAFETY: the contract of KernelFn.
    let (d, a, b) = unsafe { (lanes_mut::<u8>(dst, n), lanes::<T>(src[0], n), lanes::<T>(src[1], n)) };
    for ((d, a), b) in d.iter_mut().zip(a).zip(b) {
        *d = R::holds(a.widen(), b.widen()).into();
    }
}

unsafe fn convert<T: Lane, R: Lane, C: Cast<T::Wide, R::Wide>>(dst: *mut u8, src: [*const u8; 3], n: usize, _: &Imm) {
    // SAFETY: the contract of KernelFn.
    let (d, a) = unsafe { (lanes_mut::<R>(dst, n), lanes::<T>(src[0], n)) };
    for (d, a) in d.iter_mut().zip(a) {
        *d = R::narrow(C::cast(a.widen()));
    }
}

unsafe fn fma<T: Lane>(dst: *mut u8, src: [*const u8; 3], n: usize, _: &Imm)
where
    Multiply: Fn3<T::Wide>,
{
    // SAFETY: the contract of KernelFn.
    let (d, a, b, c) = unsafe { (lanes_mut::<T>(dst, n), lanes::<T>(src[0], n), lanes::<T>(src[1], n), lanes::<T>(src[2], n)) };
    for (((d, a), b), c) in d.iter_mut().zip(a).zip(b).zip(c) {
        *d = T::narrow(<Multiply as Fn3<T::Wide>>::apply(a.widen(), b.widen(), c.widen()));
    }
}

/// A function of three values.
trait Fn3<T> {
    fn apply(x: T, y: T, z: T) -> T;
}

unsafe fn select_lanes<T: Lane>(dst: *mut u8, src: [*const u8; 3], n: usize, _: &Imm) {
    // SAFETY: the contract of KernelFn.
    let (d, c, a, b) = unsafe { (lanes_mut::<T>(dst, n), lanes::<u8>(src[0], n), lanes::<T>(src[1], n), lanes::<T>(src[2], n)) };
    for (((d, c), a), b) in d.iter_mut().zip(c).zip(a).zip(b) {
        *d = if *c != 0 { *a } else { *b };
    }
}

unsafe fn copy(dst: *mut u8, src: [*const u8; 3], n: usize, imm: &Imm) {
    // SAFETY: the contract of KernelFn.
    unsafe { std::ptr::copy_nonoverlapping(src[0], dst, n * imm.dst.size()) };
}

unsafe fn offset<I: Lane<Wide = I> + Into<i64>>(dst: *mut u8, src: [*const u8; 3], n: usize, imm: &Imm) {
    let ElemOp::Offset(size) = imm.op else { unreachable!("selected for offset") };
    // SAFETY: the contract of KernelFn.
    let (d, p, i) = unsafe { (lanes_mut::<u64>(dst, n), lanes::<u64>(src[0], n), lanes::<I>(src[1], n)) };
    for ((d, p), i) in d.iter_mut().zip(p).zip(i) {
        let index: i64 = (*i).into();
        *d = p.wrapping_add(index.cast_unsigned().wrapping_mul(size));
    }
}

/// Declares functions of one float.
macro_rules! float1 {
    ($($name:ident |$x:ident| $f32:expr, $f64:expr;)*) => {$(
        struct $name;
        impl Fn1<f32> for $name {
            #[inline(always)]
            fn apply($x: f32) -> f32 {
                $f32
            }
        }
        impl Fn1<f64> for $name {
            #[inline(always)]
            fn apply($x: f64) -> f64 {
                $f64
            }
        }
    )*};
}
float1! {
    Ceil |x| x.ceil(), x.ceil();
    Floor |x| x.floor(), x.floor();
    Sqrt |x| x.sqrt(), x.sqrt();
    Rsqrt |x| math::rsqrt_f32(x), math::rsqrt_f64(x);
    Exp |x| math::exp_f32(x), math::exp_f64(x);
    Exp2 |x| math::exp2_f32(x), math::exp2_f64(x);
    Log |x| math::log_f32(x), math::log_f64(x);
    Log2 |x| math::log2_f32(x), math::log2_f64(x);
    Sin |x| math::sin_f32(x), math::sin_f64(x);
    Cos |x| math::cos_f32(x), math::cos_f64(x);
    Tanh |x| math::tanh_f32(x), math::tanh_f64(x);
}

/// Declares functions of two floats.
macro_rules! float2 {
    ($($name:ident |$x:ident, $y:ident| $f32:expr, $f64:expr;)*) => {$(
        struct $name;
        impl Fn2<f32> for $name {
            #[inline(always)]
            fn apply($x: f32, $y: f32) -> f32 {
                $f32
            }
        }
        impl Fn2<f64> for $name {
            #[inline(always)]
            fn apply($x: f64, $y: f64) -> f64 {
                $f64
            }
        }
    )*};
}
float2! {
    AddF |x, y| x + y, x + y;
    SubF |x, y| x - y, x - y;
    MulF |x, y| x * y, x * y;
    DivF |x, y| x / y, x / y;
    MaxF |x, y| float::maximum_f32(x, y, false), float::maximum_f64(x, y, false);
    MinF |x, y| float::minimum_f32(x, y, false), float::minimum_f64(x, y, false);
}

struct Multiply;
impl Fn3<f32> for Multiply {
    #[inline(always)]
    fn apply(x: f32, y: f32, z: f32) -> f32 {
        x.mul_add(y, z)
    }
}
impl Fn3<f64> for Multiply {
    #[inline(always)]
    fn apply(x: f64, y: f64, z: f64) -> f64 {
        x.mul_add(y, z)
    }
}

/// Declares functions of integers of every width.
macro_rules! int_ops {
    ($($name:ident |$x:ident, $y:ident| $body:expr;)*) => {$(
        struct $name;
        int_ops!(@impl $name $x $y ($body) i8 i16 i32 i64 u8 u16 u32 u64);
    )*};
    (@impl $name:ident $x:ident $y:ident $body:tt $($t:ty)*) => {$(
        impl Fn2<$t> for $name {
            #[inline(always)]
            fn apply($x: $t, $y: $t) -> $t {
                $body
            }
        }
    )*};
}
int_ops! {
    AddI |x, y| x.wrapping_add(y);
    SubI |x, y| x.wrapping_sub(y);
    MulI |x, y| x.wrapping_mul(y);
    And |x, y| x & y;
    Or |x, y| x | y;
    Xor |x, y| x ^ y;
    MaxI |x, y| x.max(y);
    MinI |x, y| x.min(y);
}

/// Declares a relation and its form that holds for NaN.
macro_rules! relations {
    ($($name:ident $unordered:ident |$x:ident, $y:ident| $holds:expr, $fails:expr;)*) => {$(
        struct $name;
        impl<T: PartialOrd> Relation<T> for $name {
            #[inline(always)]
            #[allow(clippy::double_comparisons, reason = "differs from `!=` for NaN")]
            fn holds($x: T, $y: T) -> bool {
                $holds
            }
        }
        struct $unordered;
        impl<T: PartialOrd> Relation<T> for $unordered {
            #[inline(always)]
            #[allow(clippy::double_comparisons, clippy::neg_cmp_op_on_partial_ord, reason = "holds for NaN")]
            fn holds($x: T, $y: T) -> bool {
                !($fails)
            }
        }
    )*};
}
relations! {
    Equal EqualU |x, y| x == y, x < y || x > y;
    NotEqual NotEqualU |x, y| x < y || x > y, x == y;
    Less LessU |x, y| x < y, x >= y;
    LessEqual LessEqualU |x, y| x <= y, x > y;
    Greater GreaterU |x, y| x > y, x <= y;
    GreaterEqual GreaterEqualU |x, y| x >= y, x < y;
}

/// Rust's `as`: wraps between integers, rounds to nearest to floats, saturates from floats with NaN as 0.
struct As;
macro_rules! as_casts {
    ($($from:ty => $($to:ty)*;)*) => {$($(
        impl Cast<$from, $to> for As {
            #[inline(always)]
            fn cast(x: $from) -> $to {
                x as $to
            }
        }
    )*)*};
}
as_casts! {
    i8 => i16 i32 i64 f32 f64;
    i16 => i8 i32 i64 f32 f64;
    i32 => i8 i16 i64 f32 f64;
    i64 => i8 i16 i32 f32 f64;
    u8 => u16 u32 u64 f32 f64;
    u16 => u32 u64 f32 f64;
    u32 => u64 f32 f64;
    u64 => f32 f64;
    f32 => i8 i16 i32 i64 u8 u16 u32 u64 f32 f64;
    f64 => i8 i16 i32 i64 u8 u16 u32 u64 f32;
}

/// Picks the instance of a kernel for a float type.
macro_rules! by_float {
    ($scalar:expr, $kernel:ident $(, $arg:ty)*) => {
        match $scalar {
            Scalar::F16 => Some($kernel::<F16 $(, $arg)*> as KernelFn),
            Scalar::Bf16 => Some($kernel::<Bf16 $(, $arg)*>),
            Scalar::F32 => Some($kernel::<f32 $(, $arg)*>),
            Scalar::F64 => Some($kernel::<f64 $(, $arg)*>),
            _ => None,
        }
    };
}

/// Picks the instance of a kernel for an integer type of whole bytes.
macro_rules! by_int {
    ($scalar:expr, $signed:expr, $kernel:ident $(, $arg:ty)*) => {
        match ($scalar, $signed) {
            (Scalar::I8, true) => Some($kernel::<i8 $(, $arg)*> as KernelFn),
            (Scalar::I16, true) => Some($kernel::<i16 $(, $arg)*>),
            (Scalar::I32, true) => Some($kernel::<i32 $(, $arg)*>),
            (Scalar::I64, true) => Some($kernel::<i64 $(, $arg)*>),
            (Scalar::I8, false) => Some($kernel::<u8 $(, $arg)*>),
            (Scalar::I16, false) => Some($kernel::<u16 $(, $arg)*>),
            (Scalar::I32, false) => Some($kernel::<u32 $(, $arg)*>),
            (Scalar::I64, false) => Some($kernel::<u64 $(, $arg)*>),
            _ => None,
        }
    };
}

/// The fast kernel of an operation on accepted types, if there is one.
pub(super) fn select(op: ElemOp, srcs: &[Elem], dst: Elem) -> Option<KernelFn> {
    match (op, srcs) {
        (ElemOp::Copy, _) => Some(copy),
        (ElemOp::Select, _) => Some(match dst.size() {
            1 => select_lanes::<u8>,
            2 => select_lanes::<u16>,
            4 => select_lanes::<u32>,
            _ => select_lanes::<u64>,
        }),
        (ElemOp::Offset(_), [_, Elem::Num(Scalar::I32)]) => Some(offset::<i32>),
        (ElemOp::Offset(_), [_, Elem::Num(Scalar::I64)]) => Some(offset::<i64>),
        (_, [Elem::Num(src), ..]) => match dst {
            Elem::Num(dst) if dst == *src => same_type(op, dst),
            Elem::Num(Scalar::I1) => comparison(op, *src),
            Elem::Num(dst) => conversion(op, *src, dst),
            Elem::Ptr => None,
        },
        _ => None,
    }
}

fn same_type(op: ElemOp, scalar: Scalar) -> Option<KernelFn> {
    const RN: RoundingMode = RoundingMode::NearestEven;
    match op {
        ElemOp::Ceil => by_float!(scalar, map1, Ceil),
        ElemOp::Floor => by_float!(scalar, map1, Floor),
        ElemOp::Sqrt(RN | RoundingMode::Approx, false) => by_float!(scalar, map1, Sqrt),
        ElemOp::Rsqrt(false) => by_float!(scalar, map1, Rsqrt),
        ElemOp::Exp => by_float!(scalar, map1, Exp),
        ElemOp::Exp2(false) => by_float!(scalar, map1, Exp2),
        ElemOp::Log => by_float!(scalar, map1, Log),
        ElemOp::Log2 => by_float!(scalar, map1, Log2),
        ElemOp::Sin => by_float!(scalar, map1, Sin),
        ElemOp::Cos => by_float!(scalar, map1, Cos),
        ElemOp::Tanh => by_float!(scalar, map1, Tanh),
        ElemOp::AddF(RN, false) => by_float!(scalar, map2, AddF),
        ElemOp::SubF(RN, false) => by_float!(scalar, map2, SubF),
        ElemOp::MulF(RN, false) => by_float!(scalar, map2, MulF),
        ElemOp::DivF(RN | RoundingMode::Approx | RoundingMode::Full, false) => by_float!(scalar, map2, DivF),
        ElemOp::MaxF { propagate_nan: false, ftz: false } => by_float!(scalar, map2, MaxF),
        ElemOp::MinF { propagate_nan: false, ftz: false } => by_float!(scalar, map2, MinF),
        // One rounding: the small floats go the exact way.
        ElemOp::Fma(RN, false) => match scalar {
            Scalar::F32 => Some(fma::<f32>),
            Scalar::F64 => Some(fma::<f64>),
            _ => None,
        },
        ElemOp::AddI => by_int!(scalar, false, map2, AddI),
        ElemOp::SubI => by_int!(scalar, false, map2, SubI),
        ElemOp::MulI => by_int!(scalar, false, map2, MulI),
        ElemOp::MaxI(signed) => by_int!(scalar, signed, map2, MaxI),
        ElemOp::MinI(signed) => by_int!(scalar, signed, map2, MinI),
        ElemOp::And => by_int!(bytes(scalar), false, map2, And),
        ElemOp::Or => by_int!(bytes(scalar), false, map2, Or),
        ElemOp::Xor => by_int!(bytes(scalar), false, map2, Xor),
        _ => None,
    }
}

/// Bitwise operations treat the byte of an `i1` as any other.
fn bytes(scalar: Scalar) -> Scalar {
    if scalar == Scalar::I1 { Scalar::I8 } else { scalar }
}

fn comparison(op: ElemOp, src: Scalar) -> Option<KernelFn> {
    use ComparisonPredicate as P;
    match op {
        ElemOp::CmpI(P::Equal, signed) => by_int!(src, signed, compare, Equal),
        ElemOp::CmpI(P::NotEqual, signed) => by_int!(src, signed, compare, NotEqual),
        ElemOp::CmpI(P::LessThan, signed) => by_int!(src, signed, compare, Less),
        ElemOp::CmpI(P::LessThanOrEqual, signed) => by_int!(src, signed, compare, LessEqual),
        ElemOp::CmpI(P::GreaterThan, signed) => by_int!(src, signed, compare, Greater),
        ElemOp::CmpI(P::GreaterThanOrEqual, signed) => by_int!(src, signed, compare, GreaterEqual),
        ElemOp::CmpF(predicate, ComparisonOrdering::Ordered) => match predicate {
            P::Equal => by_float!(src, compare, Equal),
            P::NotEqual => by_float!(src, compare, NotEqual),
            P::LessThan => by_float!(src, compare, Less),
            P::LessThanOrEqual => by_float!(src, compare, LessEqual),
            P::GreaterThan => by_float!(src, compare, Greater),
            P::GreaterThanOrEqual => by_float!(src, compare, GreaterEqual),
        },
        ElemOp::CmpF(predicate, ComparisonOrdering::Unordered) => match predicate {
            P::Equal => by_float!(src, compare, EqualU),
            P::NotEqual => by_float!(src, compare, NotEqualU),
            P::LessThan => by_float!(src, compare, LessU),
            P::LessThanOrEqual => by_float!(src, compare, LessEqualU),
            P::GreaterThan => by_float!(src, compare, GreaterU),
            P::GreaterThanOrEqual => by_float!(src, compare, GreaterEqualU),
        },
        _ => None,
    }
}

fn conversion(op: ElemOp, src: Scalar, dst: Scalar) -> Option<KernelFn> {
    match op {
        ElemOp::ExtI(signed) => extension(src, dst, signed),
        ElemOp::TruncI => truncation(src, dst),
        ElemOp::IToF(signed) => match dst {
            Scalar::F32 => by_int!(src, signed, convert, f32, As),
            Scalar::F64 => by_int!(src, signed, convert, f64, As),
            _ => None,
        },
        ElemOp::FToI(signed) => float_to_int(src, dst, signed),
        ElemOp::FToF(mode) => float_to_float(src, dst, mode),
        _ => None,
    }
}

fn extension(src: Scalar, dst: Scalar, signed: bool) -> Option<KernelFn> {
    Some(match (src, dst, signed) {
        (Scalar::I8, Scalar::I16, true) => convert::<i8, i16, As>,
        (Scalar::I8, Scalar::I32, true) => convert::<i8, i32, As>,
        (Scalar::I8, Scalar::I64, true) => convert::<i8, i64, As>,
        (Scalar::I16, Scalar::I32, true) => convert::<i16, i32, As>,
        (Scalar::I16, Scalar::I64, true) => convert::<i16, i64, As>,
        (Scalar::I32, Scalar::I64, true) => convert::<i32, i64, As>,
        (Scalar::I1 | Scalar::I8, Scalar::I16, false) => convert::<u8, u16, As>,
        (Scalar::I1 | Scalar::I8, Scalar::I32, false) => convert::<u8, u32, As>,
        (Scalar::I1 | Scalar::I8, Scalar::I64, false) => convert::<u8, u64, As>,
        (Scalar::I16, Scalar::I32, false) => convert::<u16, u32, As>,
        (Scalar::I16, Scalar::I64, false) => convert::<u16, u64, As>,
        (Scalar::I32, Scalar::I64, false) => convert::<u32, u64, As>,
        _ => return None,
    })
}

fn truncation(src: Scalar, dst: Scalar) -> Option<KernelFn> {
    Some(match (src, dst) {
        (Scalar::I64, Scalar::I32) => convert::<i64, i32, As>,
        (Scalar::I64, Scalar::I16) => convert::<i64, i16, As>,
        (Scalar::I64, Scalar::I8) => convert::<i64, i8, As>,
        (Scalar::I32, Scalar::I16) => convert::<i32, i16, As>,
        (Scalar::I32, Scalar::I8) => convert::<i32, i8, As>,
        (Scalar::I16, Scalar::I8) => convert::<i16, i8, As>,
        _ => return None,
    })
}

fn float_to_int(src: Scalar, dst: Scalar, signed: bool) -> Option<KernelFn> {
    macro_rules! to {
        ($t:ty) => {
            match src {
                Scalar::F16 => Some(convert::<F16, $t, As> as KernelFn),
                Scalar::Bf16 => Some(convert::<Bf16, $t, As>),
                Scalar::F32 => Some(convert::<f32, $t, As>),
                Scalar::F64 => Some(convert::<f64, $t, As>),
                _ => None,
            }
        };
    }
    match (dst, signed) {
        (Scalar::I8, true) => to!(i8),
        (Scalar::I16, true) => to!(i16),
        (Scalar::I32, true) => to!(i32),
        (Scalar::I64, true) => to!(i64),
        (Scalar::I8, false) => to!(u8),
        (Scalar::I16, false) => to!(u16),
        (Scalar::I32, false) => to!(u32),
        (Scalar::I64, false) => to!(u64),
        _ => None,
    }
}

fn float_to_float(src: Scalar, dst: Scalar, mode: RoundingMode) -> Option<KernelFn> {
    // Widening is exact in every mode.
    match (src, dst) {
        (Scalar::F16, Scalar::F32) => return Some(convert::<F16, f32, As>),
        (Scalar::Bf16, Scalar::F32) => return Some(convert::<Bf16, f32, As>),
        (Scalar::F8E4M3FN, Scalar::F32) => return Some(convert::<E4m3, f32, As>),
        (Scalar::F8E5M2, Scalar::F32) => return Some(convert::<E5m2, f32, As>),
        (Scalar::F32, Scalar::F64) => return Some(convert::<f32, f64, As>),
        _ => {}
    }
    Some(match (src, dst, mode) {
        (Scalar::F32, Scalar::F16, RoundingMode::NearestEven) => convert::<f32, F16, As>,
        (Scalar::F32, Scalar::Bf16, RoundingMode::NearestEven) => convert::<f32, Bf16, As>,
        (Scalar::F32, Scalar::F8E4M3FN, RoundingMode::NearestEven) => convert::<f32, E4m3, As>,
        (Scalar::F32, Scalar::F8E5M2, RoundingMode::NearestEven) => convert::<f32, E5m2, As>,
        (Scalar::F64, Scalar::F32, RoundingMode::NearestEven) => convert::<f64, f32, As>,
        _ => return None,
    })
}
