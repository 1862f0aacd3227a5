//! `cvt`: conversions between numbers of any two types.

use super::{
    alu::by_int,
    lanes::{File, Lane},
    op::{Inst, Mods},
};
use crate::Type;
use tilewright_numeric::{FloatFormat, Rounding, arith, bulk, convert, float, from_i64, from_u64};

/// One value from one type to another.
pub(super) fn one(file: &mut File, inst: &Inst, mask: u32) {
    let mods = &inst.mods;
    let (to, from) = (mods.ty(0), mods.ty(1));
    let [d, a, ..] = inst.regs;
    let wide = u32::from(inst.wide);
    match (to.format(), from.format()) {
        (None, None) if mods.sat => by_int!(from, T => file.map1([d, a], mask, |a: T| extended(saturate(a.into(), to), to, wide))),
        (None, None) => by_int!(from, T => file.map1([d, a], mask, |a: T| extended(i128::from(a) as u64, to, wide))),
        (Some(format), None) => by_int!(from, T => file.map1([d, a], mask, |a: T| {
            let rounding = mods.rounding();
            let bits = match i128::from(a) {
                value if from.is_signed() => from_i64(format, value as i64, rounding),
                value => from_u64(format, value as u64, rounding),
            };
            finish(mods, format, bits)
        })),
        (None, Some(format)) => file.map1([d, a], mask, |a: u64| {
            let value = input(mods, format, a & from_mask(from));
            extended(to_integer(integral(value, mods.rounding()), to), to, wide)
        }),
        (Some(FloatFormat::F32), Some(FloatFormat::F16)) if plain(mods) => {
            file.map1([d, a], mask, |a: u16| float::canonical_f32(bulk::f16_to_f32(a)))
        }
        (Some(FloatFormat::F32), Some(FloatFormat::Bf16)) if plain(mods) => {
            file.map1([d, a], mask, |a: u16| float::canonical_f32(bulk::bf16_to_f32(a)))
        }
        (Some(to), Some(format)) => file.map1([d, a], mask, |a: u64| {
            let value = input(mods, format, a & from_mask(from));
            let value = if mods.integral { integral(value, mods.rounding()) } else { value };
            finish(mods, to, encode(mods, to, value))
        }),
    }
}

fn plain(mods: &Mods) -> bool {
    !mods.ftz && !mods.sat && !mods.integral && !mods.relu
}

fn from_mask(ty: Type) -> u64 {
    u64::MAX >> (64 - ty.bits())
}

/// A source, as a number.
fn input(mods: &Mods, format: FloatFormat, bits: u64) -> f64 {
    if mods.ftz && format == FloatFormat::F32 { float::flush_f32(f32::of(bits)).into() } else { format.decode(bits) }
}

fn encode(mods: &Mods, to: FloatFormat, value: f64) -> u64 {
    let bits = to.encode(value, mods.rounding());
    let infinite = to.is_infinite(bits);
    if mods.satfinite && infinite { to.max_finite_bits() | if value < 0.0 { to.sign_mask() } else { 0 } } else { bits }
}

/// What modifiers do to a result.
fn finish(mods: &Mods, to: FloatFormat, bits: u64) -> u64 {
    let value = to.decode(bits);
    if mods.sat {
        return to.encode(if value > 0.0 { value.min(1.0) } else { 0.0 }, Rounding::NearestEven);
    }
    match () {
        () if mods.relu && value < 0.0 => 0,
        () if mods.ftz && to == FloatFormat::F32 => float::flush_f32(f32::of(bits)).bits(),
        () => bits,
    }
}

/// The integer next to a number.
fn integral(value: f64, rounding: Rounding) -> f64 {
    let whole = match rounding {
        Rounding::NearestEven => value.round_ties_even(),
        Rounding::Zero => value.trunc(),
        Rounding::NegativeInf => value.floor(),
        Rounding::PositiveInf => value.ceil(),
        Rounding::NearestAway => value.round(),
    };
    whole.copysign(value)
}

/// Beyond its range an integer is the end of the range; a NaN is 0, or of 64 bits the highest bit alone.
fn to_integer(value: f64, to: Type) -> u64 {
    if value.is_nan() && to.bits() == 64 {
        return 1 << 63;
    }
    convert::to_int(value, to.bits(), to.is_signed())
}

fn saturate(value: i128, to: Type) -> u64 {
    let bits = to.bits();
    let (low, high) = if to.is_signed() { (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1) } else { (0, (1i128 << bits) - 1) };
    value.clamp(low, high) as u64
}

/// A result in a register that may be wider than it.
pub(super) fn extended(value: u64, ty: Type, wide: u32) -> u64 {
    let bits = ty.bits();
    let unused = 64 - bits;
    let value = if ty.is_signed() { ((value << unused) as i64 >> unused) as u64 } else { value << unused >> unused };
    value & (u64::MAX >> (64 - wide.max(bits)))
}

fn narrow(mods: &Mods, to: Type, value: f32) -> u64 {
    let format = to.format().unwrap_or(FloatFormat::F16);
    if !mods.relu && !mods.satfinite && mods.rounding() == Rounding::NearestEven {
        match format {
            FloatFormat::F16 => return bulk::f32_to_f16(value).into(),
            FloatFormat::Bf16 => return bulk::f32_to_bf16(value).into(),
            _ => {}
        }
    }
    finish(mods, format, encode(mods, format, value.into()))
}

/// Two floats into one register: the first becomes the upper one.
pub(super) fn pack(file: &mut File, inst: &Inst, mask: u32) {
    let to = inst.mods.ty(0);
    let [d, a, b, ..] = inst.regs;
    let half = to.bits() / 2;
    file.map2([d, a, b], mask, |a: f32, b: f32| narrow(&inst.mods, to, a) << half | narrow(&inst.mods, to, b));
}

/// Pairs of floats to pairs of others.
pub(super) fn pair(file: &mut File, inst: &Inst, mask: u32) {
    let (to, from) = (inst.mods.ty(0), inst.mods.ty(1));
    let (half, source) = (to.bits() / 2, from.bits() / 2);
    let format = from.format().unwrap_or(FloatFormat::F16);
    let [d, a, ..] = inst.regs;
    file.map1([d, a], mask, |a: u64| {
        let each = |bits: u64| narrow(&inst.mods, to, format.decode(bits & (u64::MAX >> (64 - source))) as f32);
        each(a >> source) << half | each(a)
    });
}

/// Adds two floats of a type as atomics do: in the default rounding.
pub(super) fn add(ty: Type, a: u64, b: u64) -> u64 {
    let format = ty.format().unwrap_or(FloatFormat::F32);
    let one = |a: u64, b: u64| arith::add(format, a, b, Rounding::NearestEven);
    if ty.is_pair() { one(a & 0xFFFF, b & 0xFFFF) | one(a >> 16 & 0xFFFF, b >> 16 & 0xFFFF) << 16 } else { one(a, b) }
}
