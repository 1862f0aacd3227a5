//! Numbers: the data of constants, and single ones.

use super::Generator;
use tilewright_ir::{Const, Scalar};

/// The most elements that a constant holds one by one, each of its own choice.
const CHOSEN: i64 = 64;
/// The most that it holds where a few are repeated: text shows long lists in another form.
const LISTED: i64 = 512;
/// How many different numbers long lists hold. No power of two, so that rows differ.
const DIFFERENT: usize = 5;

impl Generator<'_, '_> {
    /// Data for a tile of so many elements: each of them, or one that stands for all.
    pub(super) fn constant_data(&mut self, scalar: Scalar, elements: i64) -> Const {
        let is_listed = elements <= CHOSEN && self.source.flag() || elements <= LISTED && self.source.one_in(8);
        let count = if is_listed { elements as usize } else { 1 };
        // Bits stand eight to a byte; one byte fills a tile.
        let (count, width) = match scalar {
            Scalar::I1 => (count.div_ceil(8), 1),
            _ => (count, scalar.bits().div_ceil(8) as usize),
        };
        let mut chosen = Vec::new();
        for _ in 0..if count as i64 <= CHOSEN { count } else { DIFFERENT } {
            let bits = if scalar == Scalar::I1 { self.source.byte().into() } else { self.bits(scalar) };
            chosen.extend_from_slice(&bits.to_le_bytes()[..width]);
        }
        let bytes: Vec<u8> = chosen.into_iter().cycle().take(count * width).collect();
        self.module.tables.constants.add(&bytes)
    }

    /// The bits of a number, with those that nobody reads clear.
    pub(super) fn bits(&mut self, scalar: Scalar) -> u64 {
        let all = u64::MAX >> (64 - scalar.bits());
        let sign = 1 << (scalar.bits() - 1);
        match self.source.below(8) {
            0 => 0,
            1 => all,
            2 => sign,
            3 => all ^ sign,
            4 => infinity(scalar) & all,
            5 => 1,
            _ => self.source.number(scalar.bits().div_ceil(8)) & all,
        }
    }
}

/// The bits of infinity, or of what stands in its place.
fn infinity(scalar: Scalar) -> u64 {
    match scalar {
        Scalar::F16 => 0x7c00,
        Scalar::Bf16 => 0x7f80,
        Scalar::F32 => 0x7f80_0000,
        Scalar::Tf32 => 0x3_fc00,
        Scalar::F64 => 0x7ff0_0000_0000_0000,
        Scalar::F8E5M2 => 0x7c,
        _ => 0x78,
    }
}
