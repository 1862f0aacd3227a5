//! What buffers hold before a launch.

use crate::{
    array::{Array, ArrayError, ArrayType, DType},
    ir::Scalar,
};

/// The content of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fill {
    /// The stored bits of one value.
    Value(u64),
    /// 0, 1, 2 and so on; from 0 again behind the last whole number up to which the type has all.
    Count,
    /// Small numbers that look random and are the same each time: of floats, multiples of a power of two from -1 to 1, which all types have; of
    /// integers, -8 to 8.
    Random,
}

impl Fill {
    /// An array with this content.
    ///
    /// # Errors
    /// When there is not enough memory.
    pub fn array(self, ty: ArrayType) -> Result<Array, ArrayError> {
        let Fill::Value(bits) = self else { return self.numbers(ty) };
        Array::filled(ty, bits)
    }

    fn numbers(self, ty: ArrayType) -> Result<Array, ArrayError> {
        let dtype = ty.dtype;
        let mut array = Array::filled(ty, 0)?;
        let elements = array.ty().elements().unwrap_or(0);
        let (period, mut state) = (period(dtype), 0x9e37_79b9_7f4a_7c15);
        for i in 0..elements as usize {
            let bits = match self {
                Fill::Count => number(dtype, (i as u64 % period) as i64, 1.0),
                _ => random(dtype, &mut state),
            };
            array.set_bits(i, bits);
        }
        Ok(array)
    }
}

/// How many whole numbers from 0 on a type has without a gap, or 2^32.
fn period(dtype: DType) -> u64 {
    const MOST: u32 = 32;
    let bits = match dtype.float_format() {
        Some(format) => format.mantissa_bits() + 1,
        None if dtype.scalar() == Scalar::I1 => 1,
        None => dtype.scalar().bits() - 1,
    };
    1 << bits.min(MOST)
}

/// The stored bits of a whole number times a scale, which matters to floats only.
fn number(dtype: DType, number: i64, scale: f64) -> u64 {
    let unused = 64 - dtype.storage_bits();
    match dtype.float_format() {
        // A type without zero and signs has its least number in place of them.
        Some(_) => dtype.encode(number as f64 * scale).unwrap_or(0),
        None => (number as u64) << unused >> unused,
    }
}

fn random(dtype: DType, state: &mut u64) -> u64 {
    // Xorshift, whose lowest bits are not used.
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    let choice = |choices: u64| ((*state >> 20) % choices) as i64;
    match dtype.float_format() {
        Some(format) => {
            let steps = 1i64 << format.mantissa_bits().min(10);
            number(dtype, choice(2 * steps as u64 + 1) - steps, 1.0 / steps as f64)
        }
        None if dtype.scalar() == Scalar::I1 => number(dtype, choice(2), 1.0),
        None => number(dtype, choice(17) - 8, 1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::Number;

    fn values(name: &str, elements: u64, fill: Fill) -> Vec<f64> {
        let dtype = DType::from_name(name).unwrap();
        let array = fill.array(ArrayType { dtype, shape: vec![elements] }).unwrap();
        let value = |i| match dtype.decode(dtype.bits_at(array.bytes(), i)) {
            Number::Int(value) => value as f64,
            Number::Float(value) => value,
        };
        (0..elements as usize).map(value).collect()
    }

    #[test]
    fn counting_begins_anew_where_a_type_ends() {
        assert_eq!(values("f32", 4, Fill::Count), [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(values("i1", 3, Fill::Count), [0.0, 1.0, 0.0]);
        assert_eq!(values("i8", 130, Fill::Count)[126..], [126.0, 127.0, 0.0, 1.0]);
        assert_eq!(values("bf16", 258, Fill::Count)[254..], [254.0, 255.0, 0.0, 1.0]);
        assert_eq!(values("f8E5M2", 9, Fill::Count), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 0.0]);
        assert_eq!(values("i4", 10, Fill::Count), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 0.0, 1.0]);
    }

    #[test]
    fn random_numbers_are_small_exact_and_not_all_the_same() {
        for name in ["f64", "f32", "tf32", "f16", "bf16", "f8E4M3FN", "f8E5M2", "f4E2M1FN", "i64", "i32", "i16", "i8", "i1"] {
            let numbers = values(name, 200, Fill::Random);
            let most = if name.starts_with('i') { 8.0 } else { 1.0 };
            assert!(numbers.iter().all(|number| number.abs() <= most), "{name}: {numbers:?}");
            assert!(numbers.iter().any(|number| *number != numbers[0]), "{name}");
            assert_eq!(numbers, values(name, 200, Fill::Random), "{name}");
        }
    }
}
