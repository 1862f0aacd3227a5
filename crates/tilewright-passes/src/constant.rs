//! The elements of dense constants: from their bytes in a module, and back (FORMAT section 6).

use crate::elem::{Elem, memory_bits};
use tilewright_ir::{AttrName, AttrValue, Body, Global, Opcode, Scalar, Tables, Type, Value};
use tilewright_numeric::convert::{tf32_from_19, tf32_to_19};

/// The elements of a tile that is known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Elements {
    /// All have these bits.
    Splat(u64),
    /// These, in row-major order.
    Dense(Vec<u64>),
}

impl Elements {
    /// The bits of element `i`.
    pub fn get(&self, i: usize) -> u64 {
        match self {
            Elements::Splat(bits) => *bits,
            Elements::Dense(all) => all[i],
        }
    }

    /// The bits that all elements have.
    pub fn splat(&self) -> Option<u64> {
        match self {
            Elements::Splat(bits) => Some(*bits),
            Elements::Dense(all) => all.first().copied().filter(|first| all.iter().all(|bits| bits == first)),
        }
    }
}

/// A constant of a module: its element type, how many elements it has, and what they are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constant {
    /// The element type.
    pub scalar: Scalar,
    /// How many elements there are.
    pub len: usize,
    /// The elements.
    pub elements: Elements,
}

impl Constant {
    /// The constant that defines a value; `None` for any other value, and for one of more than `limit` elements that are not
    /// stored as one.
    pub fn of(tables: &Tables, body: &Body, value: Value, limit: usize) -> Option<Constant> {
        let op = body.defining_op(value).filter(|op| op.opcode() == Opcode::Constant)?;
        let AttrValue::Const(data) = op.attr(AttrName::Value) else { return None };
        let (scalar, len) = number_tile(tables, body.ty(value))?;
        let bytes = tables.constants.bytes(data);
        let elements = if is_splat(bytes, scalar, len) || len <= limit { decode(bytes, scalar, len)? } else { return None };
        Some(Constant { scalar, len, elements })
    }
}

/// The element type of a tile of numbers, and how many elements it has.
pub(crate) fn number_tile(tables: &Tables, ty: Type) -> Option<(Scalar, usize)> {
    let (element, shape) = tables.types.as_tile(ty)?;
    let len = shape.iter().try_fold(1, |n: usize, extent| n.checked_mul(usize::try_from(*extent).ok()?))?;
    Some((tables.types.scalar(element)?, len))
}

/// Whether the data of a constant of `n` elements is one element that stands for all.
fn is_splat(data: &[u8], scalar: Scalar, n: usize) -> bool {
    match scalar {
        Scalar::I1 => n > 8 && data.len() == 1,
        _ => data.len() == stored(scalar),
    }
}

/// Bytes of an element in the data of a constant; an `i1` takes a bit.
fn stored(scalar: Scalar) -> usize {
    if scalar == Scalar::Tf32 { 3 } else { Elem::Num(scalar).size() }
}

/// The elements as registers hold them: all of them, or one that stands for all.
///
/// # Errors
/// When the number of bytes fits neither one element nor all.
pub fn elements(data: &[u8], scalar: Scalar, n: usize) -> Result<Vec<u8>, String> {
    if scalar == Scalar::I1 {
        return bits(data, n);
    }
    let stored = stored(scalar);
    if data.len() != stored && data.len() != n * stored {
        return Err(format!("a constant of {n} elements of {scalar} holds {} bytes, expected {stored} or {}", data.len(), n * stored));
    }
    Ok(match scalar {
        Scalar::Tf32 => data.chunks_exact(3).flat_map(|b| tf32_from_19(u32::from_le_bytes([b[0], b[1], b[2], 0])).to_le_bytes()).collect(),
        Scalar::I4 | Scalar::F4E2M1FN => data.iter().map(|b| b & 15).collect(),
        _ => data.to_vec(),
    })
}

/// Unpacks `i1` elements: eight to a byte, or for more than eight elements one byte that stands for all.
fn bits(data: &[u8], n: usize) -> Result<Vec<u8>, String> {
    if n > 8 && data.len() == 1 {
        return Ok(vec![data[0] & 1]);
    }
    if data.len() != n.div_ceil(8) {
        return Err(format!("a constant of {n} elements of i1 holds {} bytes, expected {}", data.len(), n.div_ceil(8)));
    }
    Ok((0..n).map(|i| data[i / 8] >> (i % 8) & 1).collect())
}

/// The element that the data of a constant begins with.
fn first(data: &[u8], scalar: Scalar) -> Option<u64> {
    let bits = data.get(..stored(scalar))?.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
    Some(match scalar {
        Scalar::I1 => bits & 1,
        Scalar::Tf32 => tf32_from_19(bits as u32).into(),
        Scalar::I4 | Scalar::F4E2M1FN => bits & 15,
        _ => bits,
    })
}

/// The elements of `n` that the data of a constant holds.
fn decode(data: &[u8], scalar: Scalar, n: usize) -> Option<Elements> {
    if is_splat(data, scalar, n) || n == 1 && scalar == Scalar::I1 {
        return Some(Elements::Splat(first(data, scalar)?));
    }
    let bytes = elements(data, scalar, n).ok()?;
    let size = Elem::Num(scalar).size();
    let mut all = bytes.chunks_exact(size).map(|element| element.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte)));
    Some(if bytes.len() == size { Elements::Splat(all.next()?) } else { Elements::Dense(all.collect()) })
}

/// The elements as registers hold them, each by itself.
///
/// # Errors
/// When the number of bytes fits neither one element nor all.
pub fn expand(data: &[u8], scalar: Scalar, n: usize) -> Result<Vec<u8>, String> {
    let elements = elements(data, scalar, n)?;
    let is_splat = elements.len() == Elem::Num(scalar).size();
    Ok(if is_splat { elements.repeat(n) } else { elements })
}

/// The bytes of a global's initial value, as memory holds them.
///
/// # Errors
/// When it is no tile of numbers with one dimension that lies in memory, or its alignment is none.
pub fn global_bytes(tables: &Tables, global: &Global) -> Result<Vec<u8>, String> {
    let parts = tables.types.as_tile(global.ty).and_then(|(element, shape)| match *shape {
        [n] => Some((tables.types.scalar(element)?, usize::try_from(n).ok()?)),
        _ => None,
    });
    let Some((scalar, n)) = parts else { return Err("a global must be a tile of numbers with one dimension".to_owned()) };
    let Some(bits) = memory_bits(scalar) else { return Err(format!("{scalar} elements cannot lie in memory")) };
    if global.alignment > 1 << 32 || !(global.alignment == 0 || global.alignment.is_power_of_two()) {
        return Err(format!("the alignment {} is not a power of two up to 2^32", global.alignment));
    }
    let elements = expand(tables.constants.bytes(global.value), scalar, n)?;
    let pair = |pair: &[u8]| pair[0] & 15 | pair.get(1).map_or(0, |high| high << 4);
    Ok(if bits < 8 { elements.chunks(2).map(pair).collect() } else { elements })
}

/// The data of a constant of these elements, of which there are `n`; `None` for a `tf32` with bits that constants do not hold.
pub fn encode(elements: &Elements, scalar: Scalar, n: usize) -> Option<Vec<u8>> {
    let elements = elements.splat().map_or_else(|| elements.clone(), Elements::Splat);
    if scalar == Scalar::I1 {
        return Some(match elements {
            Elements::Splat(bit) if n > 8 => vec![if bit & 1 == 1 { 0xff } else { 0 }],
            elements => (0..n.div_ceil(8))
                .map(|byte| (8 * byte..n.min(8 * byte + 8)).fold(0, |bits, i| bits | ((elements.get(i) & 1) as u8) << (i % 8)))
                .collect(),
        });
    }
    let one = |bits: u64| {
        let held = if scalar == Scalar::Tf32 { u64::from(tf32_to_19(bits as u32)) } else { bits };
        let kept = scalar != Scalar::Tf32 || u64::from(tf32_from_19(held as u32)) == bits;
        kept.then(|| held.to_le_bytes().into_iter().take(stored(scalar)))
    };
    match elements {
        Elements::Splat(bits) => Some(one(bits)?.collect()),
        Elements::Dense(all) => Some(all.into_iter().map(one).collect::<Option<Vec<_>>>()?.into_iter().flatten().collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_unpack() {
        assert_eq!(elements(&[0b101], Scalar::I1, 4).unwrap(), [1, 0, 1, 0]);
        assert_eq!(elements(&[0xff], Scalar::I1, 64).unwrap(), [1]);
        assert_eq!(elements(&[0x00, 0xfc, 0x01], Scalar::Tf32, 8).unwrap(), 1.0f32.to_le_bytes());
        assert!(elements(&[1, 2, 3], Scalar::I32, 4).is_err());
    }

    #[test]
    fn elements_are_encoded_as_they_are_decoded() {
        for scalar in Scalar::all() {
            let mask = tilewright_numeric::int::mask(scalar.bits());
            let stored = |i: u64| if scalar == Scalar::Tf32 { (i % 1000) << 13 } else { i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 7 & mask };
            for n in [1, 2, 8, 16, 32] {
                let dense = Elements::Dense((0..n).map(stored).collect());
                for elements in [Elements::Splat(stored(3)), dense] {
                    let bytes = encode(&elements, scalar, n as usize).unwrap();
                    let found = decode(&bytes, scalar, n as usize).unwrap();
                    assert!((0..n as usize).all(|i| found.get(i) == elements.get(i)), "{scalar} {n} {elements:?} {found:?}");
                    assert_eq!(found.splat(), elements.splat(), "{scalar} {n}");
                }
            }
        }
    }
}
