//! Constants as LLVM writes them.

use super::ty;
use tilewright_vector::Lane;

/// A constant without its type.
pub(super) fn text(lane: Lane, bits: u64) -> String {
    match lane {
        Lane::Mask => (bits != 0).to_string(),
        Lane::I8 => (bits as i8).to_string(),
        Lane::I16 => (bits as i16).to_string(),
        Lane::I32 => (bits as i32).to_string(),
        Lane::I64 => bits.cast_signed().to_string(),
        // Numbers of either type are written as binary64. A NaN would lose bits on the way there.
        Lane::F32 if f32::from_bits(bits as u32).is_nan() => format!("bitcast (i32 {} to {})", bits as i32, ty(lane)),
        Lane::F32 => format!("0x{:016X}", f64::from(f32::from_bits(bits as u32)).to_bits()),
        Lane::F64 => format!("0x{bits:016X}"),
    }
}

/// Bytes between quotes.
pub(super) fn bytes(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("\\{byte:02X}")).collect()
}
