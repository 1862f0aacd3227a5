//! The definition of the primitives.

use super::{Lane, Prim};
use tilewright_numeric::{branch_free::fma_f32_odd, bulk};

/// Applies a function to each lane, read as `$t`.
macro_rules! lanes {
    ($out:ident, |$($x:ident = $a:ident),*| $from:expr => $body:expr) => {
        for (i, out) in $out.iter_mut().enumerate() {
            $(let $x = $from($a[i]);)*
            *out = $body;
        }
    };
}

/// Operations on integers of one width: `$s` signed, `$u` unsigned.
macro_rules! integers {
    ($s:ty, $u:ty, $prim:expr, $out:ident, $a:ident, $b:ident) => {{
        let s = |bits: u64| bits as $s;
        let u = |bits: u64| bits as $u;
        let width = <$u>::BITS;
        // The upper half of a product of numbers that are given with twice their width and more.
        let high = |product: i128| (product >> width) as $u as u64;
        match $prim {
            Prim::Add => lanes!($out, |x = $a, y = $b| u => x.wrapping_add(y) as u64),
            Prim::Sub => lanes!($out, |x = $a, y = $b| u => x.wrapping_sub(y) as u64),
            Prim::Mul => lanes!($out, |x = $a, y = $b| u => x.wrapping_mul(y) as u64),
            Prim::MulHighS => lanes!($out, |x = $a, y = $b| s => high(i128::from(x) * i128::from(y))),
            Prim::MulHighU => lanes!($out, |x = $a, y = $b| u => ((u128::from(x) * u128::from(y)) >> width) as u64),
            Prim::Shl => lanes!($out, |x = $a, y = $b| u => if u64::from(y) < u64::from(width) { (x << y) as u64 } else { 0 }),
            Prim::ShrU => lanes!($out, |x = $a, y = $b| u => if u64::from(y) < u64::from(width) { (x >> y) as u64 } else { 0 }),
            Prim::ShrS => lanes!($out, |x = $a, y = $b| u => (x as $s >> u64::from(y).min(u64::from(width - 1))) as $u as u64),
            Prim::MinS => lanes!($out, |x = $a, y = $b| s => x.min(y) as $u as u64),
            Prim::MaxS => lanes!($out, |x = $a, y = $b| s => x.max(y) as $u as u64),
            Prim::MinU => lanes!($out, |x = $a, y = $b| u => x.min(y) as u64),
            Prim::MaxU => lanes!($out, |x = $a, y = $b| u => x.max(y) as u64),
            Prim::DivS => lanes!($out, |x = $a, y = $b| s => if y == 0 { <$u>::MAX as u64 } else { x.wrapping_div(y) as $u as u64 }),
            Prim::DivU => lanes!($out, |x = $a, y = $b| u => if y == 0 { <$u>::MAX as u64 } else { (x / y) as u64 }),
            Prim::LtS => lanes!($out, |x = $a, y = $b| s => u64::from(x < y)),
            Prim::LtU => lanes!($out, |x = $a, y = $b| u => u64::from(x < y)),
            _ => unreachable!("no operation on integers of one width: {}", $prim),
        }
    }};
}

/// Operations on floats of one type.
macro_rules! floats {
    ($t:ty, $u:ty, $prim:expr, $out:ident, $a:ident, $b:ident, $c:ident) => {{
        let f = |bits: u64| <$t>::from_bits(bits as $u);
        let bits = |x: $t| u64::from(x.to_bits());
        match $prim {
            Prim::FAdd => lanes!($out, |x = $a, y = $b| f => bits(x + y)),
            Prim::FSub => lanes!($out, |x = $a, y = $b| f => bits(x - y)),
            Prim::FMul => lanes!($out, |x = $a, y = $b| f => bits(x * y)),
            Prim::FDiv => lanes!($out, |x = $a, y = $b| f => bits(x / y)),
            Prim::Fma => lanes!($out, |x = $a, y = $b, z = $c| f => bits(x.mul_add(y, z))),
            Prim::Sqrt => lanes!($out, |x = $a| f => bits(x.sqrt())),
            Prim::FMin => lanes!($out, |x = $a, y = $b| f => bits(if x < y { x } else { y })),
            Prim::FMax => lanes!($out, |x = $a, y = $b| f => bits(if x > y { x } else { y })),
            Prim::MinNum => lanes!($out, |x = $a, y = $b| f => {
                let is_first = y.is_nan() || x < y || x == y && x.is_sign_negative();
                bits(if is_first { x } else { y })
            }),
            Prim::MaxNum => lanes!($out, |x = $a, y = $b| f => {
                let is_first = y.is_nan() || x > y || x == y && x.is_sign_positive();
                bits(if is_first { x } else { y })
            }),
            Prim::Floor => lanes!($out, |x = $a| f => bits(x.floor())),
            Prim::Ceil => lanes!($out, |x = $a| f => bits(x.ceil())),
            Prim::Trunc => lanes!($out, |x = $a| f => bits(x.trunc())),
            Prim::Round => lanes!($out, |x = $a| f => bits(x.round_ties_even())),
            Prim::FEq => lanes!($out, |x = $a, y = $b| f => u64::from(x == y)),
            Prim::FLt => lanes!($out, |x = $a, y = $b| f => u64::from(x < y)),
            Prim::FLe => lanes!($out, |x = $a, y = $b| f => u64::from(x <= y)),
            _ => unreachable!("no operation on floats: {}", $prim),
        }
    }};
}

impl Prim {
    /// What the primitive gives for one number of each operand, as [`evaluate`](Prim::evaluate) says.
    pub(crate) fn of_one(self, lane: Lane, operands: [u64; 3]) -> u64 {
        let mut out = [0];
        self.evaluate(lane, operands.each_ref().map(std::slice::from_ref), &mut out);
        out[0]
    }

    /// Applies the primitive to each lane: the definition of what it gives.
    ///
    /// `lane` is the type of the last operand; lanes are bits, zero above the width of their type. `operands` has three slices; those behind the
    /// arity are not read. Of a NaN only that it is one is defined.
    ///
    /// # Panics
    ///
    /// Panics if the primitive does not take `lane`, or a slice that is read is shorter than `out`.
    pub fn evaluate(self, lane: Lane, operands: [&[u64]; 3], out: &mut [u64]) {
        let [a, b, c] = operands;
        assert!(self.takes(lane), "{self} of {lane}");
        match self {
            Prim::And | Prim::MAnd => lanes!(out, |x = a, y = b| |bits| bits => x & y),
            Prim::Or | Prim::MOr => lanes!(out, |x = a, y = b| |bits| bits => x | y),
            Prim::Xor | Prim::MXor => lanes!(out, |x = a, y = b| |bits| bits => x ^ y),
            Prim::MNot => lanes!(out, |x = a| |bits: u64| bits => x ^ 1),
            Prim::Eq => lanes!(out, |x = a, y = b| |bits: u64| bits => u64::from(x == y)),
            Prim::MulLowU => lanes!(out, |x = a, y = b| |bits: u64| bits & 0xffff_ffff => x * y),
            Prim::Select => lanes!(out, |m = a, x = b, y = c| |bits: u64| bits => if m != 0 { x } else { y }),
            Prim::S8To16 => lanes!(out, |x = a| |bits: u64| bits as i8 => u64::from(i16::from(x) as u16)),
            Prim::S8To32 => lanes!(out, |x = a| |bits: u64| bits as i8 => u64::from(i32::from(x) as u32)),
            Prim::S16To32 => lanes!(out, |x = a| |bits: u64| bits as i16 => u64::from(i32::from(x) as u32)),
            Prim::S32To64 => lanes!(out, |x = a| |bits: u64| bits as i32 => i64::from(x) as u64),
            Prim::U8To16 | Prim::U8To32 | Prim::U16To32 | Prim::U32To64 => out.copy_from_slice(&a[..out.len()]),
            Prim::Bits32 | Prim::Bits64 | Prim::Float32 | Prim::Float64 => out.copy_from_slice(&a[..out.len()]),
            Prim::Low8Of16 | Prim::Low8Of32 => lanes!(out, |x = a| |bits: u64| bits as u8 => u64::from(x)),
            Prim::Low16Of32 => lanes!(out, |x = a| |bits: u64| bits as u16 => u64::from(x)),
            Prim::High16To32 => lanes!(out, |x = a| |bits: u64| bits as u16 => u64::from(x) << 16),
            Prim::High16Of32 => lanes!(out, |x = a| |bits: u64| bits as u32 => u64::from(x >> 16)),
            Prim::Low32Of64 => lanes!(out, |x = a| |bits: u64| bits as u32 => u64::from(x)),
            Prim::WidenF16 => lanes!(out, |x = a| |bits: u64| bits as u16 => u64::from(bulk::f16_to_f32(x).to_bits())),
            Prim::RoundF16 => lanes!(out, |x = a| float => u64::from(bulk::f32_to_f16(x))),
            // No f64 is that small or large that the power is rounded.
            Prim::Scale => lanes!(out, |x = a, y = b| float => u64::from(((f64::from(x) * f64::from(y.floor()).exp2()) as f32).to_bits())),
            Prim::FmaOdd => lanes!(out, |x = a, y = b, z = c| float => u64::from(fma_f32_odd(x, y, z).to_bits())),
            Prim::FmaF16 => lanes!(out, |x = a, y = b, z = c| float => {
                u64::from(bulk::f16_to_f32(bulk::f32_to_f16(fma_f32_odd(x, y, z))).to_bits())
            }),
            Prim::FmaBf16 => lanes!(out, |x = a, y = b, z = c| float => {
                u64::from(bulk::bf16_to_f32(bulk::f32_to_bf16(fma_f32_odd(x, y, z))).to_bits())
            }),
            Prim::HalfAdd => lanes!(out, |x = a, y = b| half => rounded(x + y)),
            Prim::HalfSub => lanes!(out, |x = a, y = b| half => rounded(x - y)),
            Prim::HalfMul => lanes!(out, |x = a, y = b| half => rounded(x * y)),
            Prim::HalfFma => lanes!(out, |x = a, y = b, z = c| half => rounded(fma_f32_odd(x, y, z))),
            Prim::HalfMin => lanes!(out, |x = a, y = b| |bits: u64| bits => if half(x) < half(y) { x } else { y }),
            Prim::HalfMax => lanes!(out, |x = a, y = b| |bits: u64| bits => if half(x) > half(y) { x } else { y }),
            Prim::HalfEq => lanes!(out, |x = a, y = b| half => u64::from(x == y)),
            Prim::HalfLt => lanes!(out, |x = a, y = b| half => u64::from(x < y)),
            Prim::HalfLe => lanes!(out, |x = a, y = b| half => u64::from(x <= y)),
            Prim::Widen => lanes!(out, |x = a| float => f64::from(x).to_bits()),
            Prim::Narrow => lanes!(out, |x = a| f64::from_bits => u64::from((x as f32).to_bits())),
            Prim::S32ToF32 => lanes!(out, |x = a| |bits: u64| bits as i32 => u64::from((x as f32).to_bits())),
            Prim::S32ToF64 => lanes!(out, |x = a| |bits: u64| bits as i32 => f64::from(x).to_bits()),
            Prim::F32ToS32 => lanes!(out, |x = a| float => to_int(f64::from(x))),
            Prim::F64ToS32 => lanes!(out, |x = a| f64::from_bits => to_int(x)),
            _ => match lane {
                Lane::I8 => integers!(i8, u8, self, out, a, b),
                Lane::I16 => integers!(i16, u16, self, out, a, b),
                Lane::I32 => integers!(i32, u32, self, out, a, b),
                Lane::I64 => integers!(i64, u64, self, out, a, b),
                Lane::F32 => floats!(f32, u32, self, out, a, b, c),
                Lane::F64 => floats!(f64, u64, self, out, a, b, c),
                Lane::Mask => unreachable!("all operations on masks are above"),
            },
        }
    }
}

fn float(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

/// The number of binary16 that the lower bits are.
fn half(bits: u64) -> f32 {
    bulk::f16_to_f32(bits as u16)
}

/// The bits of binary16 for a number of `f32`, which has more than twice the digits: a sum, difference or product that was rounded to it is rounded
/// once more as if it were exact.
fn rounded(number: f32) -> u64 {
    bulk::f32_to_f16(number).into()
}

/// The integer toward zero, the least one where there is none.
fn to_int(x: f64) -> u64 {
    let x = x.trunc();
    let int = if (-2_147_483_648.0..2_147_483_648.0).contains(&x) { x as i32 } else { i32::MIN };
    u64::from(int as u32)
}
