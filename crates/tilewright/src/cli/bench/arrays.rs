//! What the arrays of a problem hold, and where they lie.

use super::problems::{Argument, Fill, Problem};
use tilewright::{
    exec::{Arg, Buffer, Memory},
    ir::Scalar,
    numeric::{FloatFormat, Rounding},
};

/// The arrays of a problem, for each argument; nothing for a number.
pub(super) fn arrays(problem: &Problem) -> Vec<Array> {
    let array = |(seed, argument): (usize, &Argument)| match argument {
        Argument::Number(..) => Array::zeroed(0),
        Argument::Array { scalar, fill, .. } => content(*scalar, argument.elements(), *fill, seed as u64),
    };
    problem.arguments.iter().enumerate().map(array).collect()
}

/// Puts the arguments into memory, as cuTile Python passes them. Also gives the buffer of each argument that is an array.
pub(super) fn place<'a>(problem: &Problem, arrays: &'a mut [Array], memory: &mut Memory<'a>) -> (Vec<Arg>, Vec<Option<Buffer>>) {
    let (mut args, mut buffers) = (Vec::new(), Vec::new());
    for (argument, array) in problem.arguments.iter().zip(arrays) {
        match argument {
            Argument::Number(scalar, bits) => {
                args.push(Arg::Scalar(*scalar, *bits));
                buffers.push(None);
            }
            Argument::Array { shape, strides, .. } => {
                let buffer = memory.add_borrowed(array.bytes());
                args.push(Arg::Pointer(memory.address(buffer)));
                args.extend(shape.iter().chain(strides).map(|n| Arg::Scalar(Scalar::I32, *n as u64)));
                buffers.push(Some(buffer));
            }
        }
    }
    (args, buffers)
}

/// Bytes that begin with a line of the caches, as arrays of a GPU do and long ones of the allocator; short ones of that do not.
pub(super) struct Array {
    bytes: Vec<u8>,
    first: usize,
    len: usize,
}

impl Array {
    fn zeroed(len: usize) -> Array {
        const LINE: usize = 64;
        let bytes = vec![0; len + LINE];
        Array { first: bytes.as_ptr().align_offset(LINE), bytes, len }
    }

    /// What it holds.
    pub(super) fn content(&self) -> &[u8] {
        &self.bytes[self.first..][..self.len]
    }

    pub(super) fn bytes(&mut self) -> &mut [u8] {
        &mut self.bytes[self.first..][..self.len]
    }
}

/// A number that looks random, for each place: the finaliser of SplitMix64. `benches/practitioners/declare.py` has the same, so that NumPy
/// and PyTorch get the same arrays.
pub(super) fn random(seed: u64, place: u64) -> u64 {
    let mut x = (seed << 40).wrapping_add(place).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// The same as a number from 0 to below 1, a multiple of 2^-24.
pub(super) fn fraction(seed: u64, place: u64) -> f64 {
    (random(seed, place) >> 40) as f64 / (1u64 << 24) as f64
}

/// An array of `n` elements.
fn content(scalar: Scalar, n: usize, fill: Fill, seed: u64) -> Array {
    let size = scalar.bits().div_ceil(8) as usize;
    let mut array = Array::zeroed(n * size);
    if fill == Fill::Zeros {
        return array;
    }
    for (place, element) in array.bytes().chunks_exact_mut(size).enumerate() {
        let place = place as u64;
        let bits = match fill {
            Fill::Zeros => 0,
            Fill::Below(end) if scalar.is_float() => float_bits(scalar, (random(seed, place) % end) as f64),
            Fill::Below(end) => random(seed, place) % end,
            Fill::Uniform(low, high) => float_bits(scalar, low + (high - low) * fraction(seed, place)),
        };
        element.copy_from_slice(&bits.to_le_bytes()[..size]);
    }
    array
}

/// A number as an element of a floating-point type; by way of f32 where the type is smaller, as NumPy and PyTorch round it.
pub(super) fn float_bits(scalar: Scalar, value: f64) -> u64 {
    match scalar {
        Scalar::F64 => value.to_bits(),
        Scalar::F32 => (value as f32).to_bits().into(),
        Scalar::Bf16 => FloatFormat::Bf16.encode(f64::from(value as f32), Rounding::NearestEven),
        _ => FloatFormat::F16.encode(f64::from(value as f32), Rounding::NearestEven),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_numbers_of_the_type() {
        let integers = content(Scalar::I32, 100, Fill::Below(7), 3);
        let floats = content(Scalar::F32, 100, Fill::Below(7), 3);
        let numbers = |mut array: Array| -> Vec<[u8; 4]> { array.bytes().as_chunks().0.to_vec() };
        for (integer, float) in numbers(integers).into_iter().zip(numbers(floats)) {
            assert_eq!(f64::from(i32::from_le_bytes(integer)), f64::from(f32::from_le_bytes(float)));
        }
    }
}
