//! The hot conversions between `f32` and the narrow formats, one element or a slice at a time.
//!
//! All agree bit for bit with [`crate::convert::convert`] to nearest even. The single-element functions compute both
//! sides of each choice and select, so that the slice loops vectorise; 8- and 4-bit sources use tables.
//! Call the slice functions from a function compiled for wider vectors and they are inlined and widened with it.

use crate::format::FloatFormat;

const SIGN: u32 = 0x8000_0000;
const INFINITY: u32 = 0x7F80_0000;
const NAN: u32 = 0x7FC0_0000;

/// `f16` bits to `f32`, exactly.
#[inline]
pub fn f16_to_f32(bits: u16) -> f32 {
    const REBIAS: u32 = (127 - 15) << 23;
    let sign = u32::from(bits & 0x8000) << 16;
    let shifted = u32::from(bits & 0x7FFF) << 13;
    // A subnormal is m * 2^-24: read it as 2^-14 + m * 2^-24 and subtract 2^-14.
    let offset = f32::from_bits(REBIAS + (1 << 23));
    let subnormal = (f32::from_bits(shifted + REBIAS + (1 << 23)) - offset).to_bits();
    let finite = if shifted < 1 << 23 { subnormal } else { shifted + REBIAS };
    let magnitude = if shifted >= 31 << 23 { INFINITY } else { finite };
    let value = sign | magnitude;
    f32::from_bits(if shifted > 31 << 23 { NAN } else { value })
}

/// `bf16` bits to `f32`, exactly; copies NaN bits.
#[inline]
pub fn bf16_to_f32(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

/// `f32` to `f16` bits, nearest even; overflow to infinity, NaN to 0x7FFF.
#[inline]
pub fn f32_to_f16(value: f32) -> u16 {
    let sign = (value.to_bits() & SIGN) >> 16;
    let code = sign | narrow::<10, 15, 0x7C00>(value);
    (if value.is_nan() { 0x7FFF } else { code }) as u16
}

/// `f32` to `bf16` bits, nearest even; overflow to infinity, NaN to 0x7FFF.
#[inline]
pub fn f32_to_bf16(value: f32) -> u16 {
    let bits = value.to_bits();
    let rounded = bits.wrapping_add(0x7FFF + ((bits >> 16) & 1)) >> 16;
    (if value.is_nan() { 0x7FFF } else { rounded }) as u16
}

/// `f32` to `f8E4M3FN` bits, nearest even, saturating at 448; NaN to 0x7F.
#[inline]
pub fn f32_to_e4m3(value: f32) -> u8 {
    let sign = (value.to_bits() & SIGN) >> 24;
    let code = sign | narrow::<3, 7, 0x7E>(value);
    (if value.is_nan() { 0x7F } else { code }) as u8
}

/// `f32` to `f8E5M2` bits, nearest even, saturating at 57344; NaN to 0x7F.
#[inline]
pub fn f32_to_e5m2(value: f32) -> u8 {
    let sign = (value.to_bits() & SIGN) >> 24;
    let code = sign | narrow::<2, 15, 0x7B>(value);
    (if value.is_nan() { 0x7F } else { code }) as u8
}

/// `f32` to an `f4E2M1FN` code in the low 4 bits, nearest even, saturating at 6; NaN to +6.
#[inline]
pub fn f32_to_f4(value: f32) -> u8 {
    let sign = (value.to_bits() & SIGN) >> 28;
    let code = sign | narrow::<1, 1, 0x7>(value);
    (if value.is_nan() { 0x7 } else { code }) as u8
}

/// `f32` to `fnv8E5M3FNU` bits, nearest even, saturating at both ends; NaN to 0xFF.
#[inline]
pub fn f32_to_fnv8(value: f32) -> u8 {
    let code = if value.is_sign_negative() { 0 } else { narrow::<3, 15, 0xFE>(value) };
    (if value.is_nan() { 0xFF } else { code }) as u8
}

/// The magnitude of a non-NaN `f32` in a format with `MANTISSA` stored bits and bias `BIAS`, nearest even, clamped to
/// the code `LIMIT`. For a NaN some code up to `LIMIT`.
#[inline]
fn narrow<const MANTISSA: u32, const BIAS: u32, const LIMIT: u32>(value: f32) -> u32 {
    let magnitude = value.to_bits() & !SIGN;
    let shift = 23 - MANTISSA;
    let half = (1 << (shift - 1)) - 1 + ((magnitude >> shift) & 1);
    let normal = ((magnitude + half) >> shift).wrapping_sub((127 - BIAS) << MANTISSA);
    // Below the smallest normal number, adding a power of two whose last bit weighs one subnormal step rounds in
    // hardware and leaves the code in the low bits.
    let offset = (127 + 1 - BIAS + 23 - MANTISSA) << 23;
    let subnormal = (f32::from_bits(magnitude) + f32::from_bits(offset)).to_bits().wrapping_sub(offset);
    let code = if magnitude < (127 + 1 - BIAS) << 23 { subnormal } else { normal };
    if code > LIMIT { LIMIT } else { code }
}

const fn table<const N: usize>(format: FloatFormat) -> [f32; N] {
    let mut table = [0.0; N];
    let mut code = 0;
    while code < N {
        let value = format.decode(code as u64);
        table[code] = if value.is_nan() { f32::from_bits(NAN) } else { value as f32 };
        code += 1;
    }
    table
}

/// The value of every `f8E4M3FN` code.
pub static E4M3_TO_F32: [f32; 256] = table(FloatFormat::F8E4M3FN);
/// The value of every `f8E5M2` code.
pub static E5M2_TO_F32: [f32; 256] = table(FloatFormat::F8E5M2);
/// The value of every `f8E8M0FNU` code.
pub static E8M0_TO_F32: [f32; 256] = table(FloatFormat::F8E8M0FNU);
/// The value of every `fnv8E5M3FNU` code.
pub static FNV8_TO_F32: [f32; 256] = table(FloatFormat::Fnv8E5M3FNU);
/// The value of every `f4E2M1FN` code.
pub static F4_TO_F32: [f32; 16] = table(FloatFormat::F4E2M1FN);

/// `f8E4M3FN` bits to `f32`, exactly.
#[inline]
pub fn e4m3_to_f32(bits: u8) -> f32 {
    E4M3_TO_F32[usize::from(bits)]
}

/// `f8E5M2` bits to `f32`, exactly, with infinities.
#[inline]
pub fn e5m2_to_f32(bits: u8) -> f32 {
    E5M2_TO_F32[usize::from(bits)]
}

/// `f8E8M0FNU` bits to `f32`, exactly (0x00 is the subnormal 2^-127).
#[inline]
pub fn e8m0_to_f32(bits: u8) -> f32 {
    E8M0_TO_F32[usize::from(bits)]
}

/// `fnv8E5M3FNU` bits to `f32`, exactly.
#[inline]
pub fn fnv8_to_f32(bits: u8) -> f32 {
    FNV8_TO_F32[usize::from(bits)]
}

/// The `f4E2M1FN` code in the low 4 bits to `f32`, exactly.
#[inline]
pub fn f4_to_f32(code: u8) -> f32 {
    F4_TO_F32[usize::from(code & 0xF)]
}

macro_rules! slice_versions {
    ($($name:ident = $one:ident: $from:ty => $to:ty;)*) => {$(
        #[doc = concat!("[`", stringify!($one), "`] on each element.\n\n# Panics\nIf the lengths differ.")]
        #[inline]
        pub fn $name(source: &[$from], target: &mut [$to]) {
            assert_eq!(source.len(), target.len(), "source and target lengths differ");
            for (to, &from) in target.iter_mut().zip(source) {
                *to = $one(from);
            }
        }
    )*};
}

slice_versions! {
    f16_to_f32_slice = f16_to_f32: u16 => f32;
    bf16_to_f32_slice = bf16_to_f32: u16 => f32;
    e4m3_to_f32_slice = e4m3_to_f32: u8 => f32;
    e5m2_to_f32_slice = e5m2_to_f32: u8 => f32;
    e8m0_to_f32_slice = e8m0_to_f32: u8 => f32;
    fnv8_to_f32_slice = fnv8_to_f32: u8 => f32;
    f4_to_f32_slice = f4_to_f32: u8 => f32;
    f32_to_f16_slice = f32_to_f16: f32 => u16;
    f32_to_bf16_slice = f32_to_bf16: f32 => u16;
    f32_to_e4m3_slice = f32_to_e4m3: f32 => u8;
    f32_to_e5m2_slice = f32_to_e5m2: f32 => u8;
    f32_to_f4_slice = f32_to_f4: f32 => u8;
}

/// Splits bytes into 4-bit codes, low nibble first, as `f4E2M1FN` and i4 lie in memory.
///
/// # Panics
/// If `codes` is not twice as long as `bytes`.
#[inline]
pub fn split_nibbles(bytes: &[u8], codes: &mut [u8]) {
    assert_eq!(bytes.len() * 2, codes.len(), "two codes per byte");
    for (pair, &byte) in codes.chunks_exact_mut(2).zip(bytes) {
        pair[0] = byte & 0xF;
        pair[1] = byte >> 4;
    }
}

/// Joins 4-bit codes into bytes, low nibble first. Bits above the low four of a code are ignored.
///
/// # Panics
/// If `codes` is not twice as long as `bytes`.
#[inline]
pub fn join_nibbles(codes: &[u8], bytes: &mut [u8]) {
    assert_eq!(bytes.len() * 2, codes.len(), "two codes per byte");
    for (byte, pair) in bytes.iter_mut().zip(codes.chunks_exact(2)) {
        *byte = pair[0] & 0xF | pair[1] << 4;
    }
}
