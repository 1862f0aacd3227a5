//! Dense constants: their elements, and their text.

use crate::buffer::TextBuffer;
use crate::literals::{float_format, push_float, push_hex_bytes, push_int};
use tilewright_ir::{AttrName, AttrValue, Const, Module, OpRef, Opcode, Scalar, Type};

/// A constant with more elements than this is written as a string of its bytes, unless all are equal.
const MAX_WRITTEN_ELEMENTS: u64 = 100;

/// The raw bytes of a constant, read as the elements of a tile.
#[derive(Clone, Copy)]
pub(crate) struct Dense<'a> {
    bytes: &'a [u8],
    scalar: Scalar,
    count: u64,
    /// All elements are equal.
    splat: bool,
}

/// Bytes that an element takes in a constant; `None` for the packed `i1`.
fn element_bytes(scalar: Scalar) -> Option<usize> {
    match scalar {
        Scalar::I1 => None,
        _ => Some(scalar.bits().div_ceil(8) as usize),
    }
}

impl<'a> Dense<'a> {
    /// Reads `bytes` as a tile of `shape`; `None` if the size does not fit.
    pub(crate) fn new(bytes: &'a [u8], scalar: Scalar, shape: &[i64]) -> Option<Dense<'a>> {
        let count = shape.iter().try_fold(1u64, |n, &extent| n.checked_mul(u64::try_from(extent).ok()?))?;
        let mut dense = Dense { bytes, scalar, count, splat: false };
        match element_bytes(scalar) {
            None if bytes.len() as u64 == count.div_ceil(8) => dense.splat = dense.bits_are_equal(),
            None => dense.splat = bytes.len() == 1,
            Some(width) if bytes.len() == width => dense.splat = true,
            Some(width) if Some(bytes.len() as u64) == count.checked_mul(width as u64) => dense.splat = dense.elements_are_equal(width),
            Some(_) => return None,
        }
        (count > 0 && (dense.splat || !bytes.is_empty() && dense.has_all())).then_some(dense)
    }

    fn has_all(&self) -> bool {
        let needed = match element_bytes(self.scalar) {
            None => self.count.div_ceil(8),
            Some(width) => self.count.saturating_mul(width as u64),
        };
        self.bytes.len() as u64 >= needed
    }

    fn bits_are_equal(&self) -> bool {
        let first = self.element(0);
        (1..self.count).all(|i| self.element(i) == first)
    }

    fn elements_are_equal(&self, width: usize) -> bool {
        match self.scalar {
            // Their bytes hold unused bits.
            Scalar::Tf32 | Scalar::I4 | Scalar::F4E2M1FN => self.bits_are_equal(),
            _ => self.bytes[width..] == self.bytes[..self.bytes.len() - width],
        }
    }

    /// Whether all elements are equal.
    pub(crate) fn is_splat(&self) -> bool {
        self.splat
    }

    /// The element type.
    pub(crate) fn scalar(&self) -> Scalar {
        self.scalar
    }

    /// The bits of an element.
    pub(crate) fn element(&self, index: u64) -> u64 {
        let index = if self.splat { 0 } else { index as usize };
        let Some(width) = element_bytes(self.scalar) else {
            return u64::from(self.bytes.get(index / 8).is_some_and(|byte| byte >> (index % 8) & 1 == 1));
        };
        let bytes = self.bytes.get(index * width..).unwrap_or(&[]);
        let raw = bytes.iter().take(width).rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte));
        raw & u64::MAX >> (64 - self.scalar.bits())
    }

    /// Appends the value of one element.
    pub(crate) fn push_element(&self, out: &mut TextBuffer, index: u64) {
        let bits = self.element(index);
        match float_format(self.scalar) {
            Some(format) => push_float(out, format, bits),
            None => push_int(out, self.scalar, bits),
        }
    }

    /// Appends all elements: one if all are equal, else lists within lists, or the bytes where there are many.
    pub(crate) fn push(&self, out: &mut TextBuffer, shape: &[i64]) {
        if self.splat {
            self.push_element(out, 0);
        } else if self.count > MAX_WRITTEN_ELEMENTS {
            self.push_bytes(out);
        } else {
            self.push_lists(out, shape);
        }
    }

    /// The elements in whole bytes: one for each `i1` or 4-bit number, three for `tf32`.
    fn push_bytes(&self, out: &mut TextBuffer) {
        let width = element_bytes(self.scalar).unwrap_or(1);
        out.push_str("\"0x");
        for index in 0..self.count {
            push_hex_bytes(out, &self.element(index).to_le_bytes()[..width]);
        }
        out.push('"');
    }

    fn push_lists(&self, out: &mut TextBuffer, shape: &[i64]) {
        for index in 0..self.count {
            let edges = edges_at(index, shape);
            if index > 0 {
                out.extend(std::iter::repeat_n(']', edges));
                out.push_str(", ");
            }
            out.extend(std::iter::repeat_n('[', edges));
            self.push_element(out, index);
        }
        out.extend(std::iter::repeat_n(']', shape.len()));
    }
}

/// The constant that an operation or global holds, read as a tile of type `ty`.
pub(crate) fn dense_of<'m>(module: &'m Module, op: OpRef<'_>, ty: Type) -> Option<Dense<'m>> {
    debug_assert_eq!(op.opcode(), Opcode::Constant);
    match op.attr(AttrName::Value) {
        AttrValue::Const(constant) => dense(module, constant, ty).map(|(dense, _)| dense),
        _ => None,
    }
}

/// A constant read as a tile of type `ty`, and its shape.
pub(crate) fn dense(module: &Module, constant: Const, ty: Type) -> Option<(Dense<'_>, &[i64])> {
    let tables = &module.tables;
    if constant.index() >= tables.constants.len() || ty.index() >= tables.types.len() {
        return None;
    }
    let (element, shape) = tables.types.as_tile(ty)?;
    let dense = Dense::new(tables.constants.bytes(constant), tables.types.scalar(element)?, shape)?;
    Some((dense, shape))
}

/// How many dimensions start anew at the `index`-th element.
fn edges_at(index: u64, shape: &[i64]) -> usize {
    let mut extent = 1;
    let inner = shape.iter().rev().take_while(|&&n| {
        extent *= n.unsigned_abs();
        index.is_multiple_of(extent)
    });
    inner.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8], scalar: Scalar, shape: &[i64]) -> Option<String> {
        let mut out = TextBuffer::new();
        Dense::new(bytes, scalar, shape)?.push(&mut out, shape);
        Some(out.into_string())
    }

    #[test]
    fn lists_nest_like_the_shape() {
        assert_eq!(text(&[1, 2, 3, 4], Scalar::I8, &[2, 2]).unwrap(), "[[1, 2], [3, 4]]");
        assert_eq!(text(&[1, 2, 3, 4], Scalar::I8, &[4, 1]).unwrap(), "[[1], [2], [3], [4]]");
        assert_eq!(text(&[1, 2, 3, 4], Scalar::I8, &[1, 2, 2]).unwrap(), "[[[1, 2], [3, 4]]]");
        assert_eq!(text(&[0b0110], Scalar::I1, &[4]).unwrap(), "[false, true, true, false]");
    }

    #[test]
    fn equal_elements_are_written_once() {
        assert_eq!(text(&[7], Scalar::I8, &[64]).unwrap(), "7");
        assert_eq!(text(&[7, 7], Scalar::I8, &[2]).unwrap(), "7");
        assert_eq!(text(&[0xff], Scalar::I1, &[64]).unwrap(), "true");
        assert_eq!(text(&[0x0f], Scalar::I1, &[4]).unwrap(), "true");
    }

    #[test]
    fn many_elements_are_bytes() {
        let bytes: Vec<u8> = (0..128).collect();
        let written = text(&bytes, Scalar::I8, &[128]).unwrap();
        assert!(written.starts_with("\"0x00010203") && written.ends_with("7E7F\""), "{written}");
        let bits = text(&[0b0101; 16], Scalar::I1, &[128]).unwrap();
        assert!(bits.starts_with("\"0x01000100000000000100"), "{bits}");
    }

    #[test]
    fn sizes_that_do_not_fit_are_refused() {
        assert_eq!(text(&[1, 2, 3], Scalar::I8, &[2]), None);
        assert_eq!(text(&[], Scalar::I1, &[16]), None);
        assert_eq!(text(&[1, 2], Scalar::I1, &[64]), None);
        assert_eq!(text(&[], Scalar::I8, &[-4]), None);
    }
}
