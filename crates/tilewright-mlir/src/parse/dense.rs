//! Dense and sparse elements, and arrays of numbers.

use super::{Parsed, Parser, scan::error};
use crate::{
    encoding::code,
    tables::{AttrId, Element, Scalar, StrId, TypeId},
    write::push_varint,
};
use std::ops::Range;

/// The elements of a list of lists, one after the other.
#[derive(Default)]
struct Elements {
    bytes: Vec<u8>,
    strings: Vec<StrId>,
    count: usize,
}

impl<'s> Parser<'s, '_> {
    /// `array<i32: 1, 2>`
    pub(super) fn array_of_numbers(&mut self) -> Parsed<AttrId> {
        let start = self.pos;
        self.word();
        self.expect("<", "and a type")?;
        let ty = self.ty()?;
        let scalar = self.scalar(ty, &(start..self.token_end))?;
        let mut elements = Elements::default();
        if self.eat(":") {
            self.list(">", |p| p.element(Element::Number { scalar, is_complex: false }, &mut elements))?;
        } else {
            self.expect(">", "")?;
        }
        Ok(self.builder.attr(code::DENSE_ARRAY, |out| {
            push_varint(out, u64::from(ty.0));
            push_varint(out, elements.count as u64);
            push_blob(out, &elements.bytes);
        }))
    }

    /// `dense<[1, 2]> : tensor<2xi32>`
    pub(super) fn dense(&mut self) -> Parsed<AttrId> {
        self.word();
        // The type, which says what the elements are, stands behind them.
        let literal = self.pos;
        if self.peek() != b'<' {
            return Err(self.unexpected("'<'"));
        }
        self.skip_brackets()?;
        self.skip_blanks();
        self.expect(":", "and the type of the elements")?;
        let ty = self.ty()?;
        let end = (self.pos, self.token_end, self.blank_end);
        self.pos = literal;
        self.expect("<", "")?;
        let attr = self.nested(|p| p.dense_of(ty, ">"))?;
        (self.pos, self.token_end, self.blank_end) = end;
        Ok(attr)
    }

    /// Elements of a type up to a closing mark, which is skipped.
    fn dense_of(&mut self, ty: TypeId, close: &str) -> Parsed<AttrId> {
        let start = self.pos;
        let Some((shape, element)) = self.builder.tables.elements(ty) else {
            return Err(error("type-mismatch", start..start + 1, "elements have the type of a tensor, a vector or a memref"));
        };
        let Some(count) = self.builder.tables.num_elements(ty) else {
            return Err(error("type-mismatch", start..start + 1, "the shape of elements is known and not too large"));
        };
        if self.eat(close) {
            return self.no_elements(ty, element, count, start);
        }
        let is_data = matches!(element, Element::Number { .. }) && self.peek() == b'"';
        if is_data {
            let data = self.hexadecimal()?;
            self.expect(close, "")?;
            self.check_size(element, count, data.len(), start)?;
            return Ok(self.dense_attr(ty, &data));
        }
        let mut elements = Elements::default();
        let found = self.elements(element, &mut elements)?;
        let place = start..self.token_end;
        self.expect(close, "")?;
        // One element stands for all of them.
        if !found.is_empty() && !found.iter().map(|&size| size as i64).eq(shape.iter().copied()) {
            return Err(error("type-mismatch", place, format!("the shape of the elements is {found:?}, but that of their type {shape:?}")));
        }
        if let Element::Other = element {
            return Ok(self.dense_strings(ty, &elements.strings));
        }
        Ok(self.dense_attr(ty, &elements.packed(element)))
    }

    fn no_elements(&mut self, ty: TypeId, element: Element, count: u64, at: usize) -> Parsed<AttrId> {
        if count != 0 {
            return Err(error("wrong-count", at..at + 1, format!("the type has {count} elements, but none are given")));
        }
        Ok(match element {
            Element::Other => self.dense_strings(ty, &[]),
            Element::Number { .. } => self.dense_attr(ty, &[]),
        })
    }

    fn dense_attr(&mut self, ty: TypeId, data: &[u8]) -> AttrId {
        self.builder.attr(code::DENSE, |out| {
            push_varint(out, u64::from(ty.0));
            push_blob(out, data);
        })
    }

    fn dense_strings(&mut self, ty: TypeId, strings: &[StrId]) -> AttrId {
        let is_splat = strings.windows(2).all(|pair| pair[0] == pair[1]) && !strings.is_empty();
        let strings = if is_splat { &strings[..1] } else { strings };
        self.builder.attr(code::DENSE_STRING, |out| {
            push_varint(out, u64::from(ty.0));
            push_varint(out, u64::from(is_splat));
            strings.iter().for_each(|string| push_varint(out, u64::from(string.0)));
        })
    }

    /// The bytes of a string of hexadecimal digits.
    pub(super) fn hexadecimal(&mut self) -> Parsed<Vec<u8>> {
        let start = self.pos;
        let raw = self.raw_string()?;
        let place: Range<usize> = start..self.pos;
        self.skip_blanks();
        decode_hexadecimal(raw)
            .ok_or_else(|| error("wrong-literal", place, "a string of hexadecimal digits begins with 0x and has two for each byte"))
    }

    /// Data in hexadecimal hold one element or all of them.
    fn check_size(&self, element: Element, count: u64, len: usize, at: usize) -> Parsed<()> {
        let Element::Number { scalar, is_complex } = element else { return Ok(()) };
        let size = scalar.width().div_ceil(8) << u32::from(is_complex);
        let is_packed = scalar.width() == 1 && !is_complex && len as u64 == count.div_ceil(8);
        if is_packed || len as u64 == size || Some(len as u64) == count.checked_mul(size) {
            return Ok(());
        }
        Err(error("wrong-count", at..at + 1, format!("{len} bytes are not {count} elements of {size} bytes")))
    }

    /// An element or a list of them; gives the shape, which is empty for an element.
    fn elements(&mut self, element: Element, out: &mut Elements) -> Parsed<Vec<u64>> {
        if self.peek() != b'[' {
            return self.element(element, out).map(|()| Vec::new());
        }
        let start = self.pos;
        let (mut count, mut inner) = (0, Vec::new());
        self.expect("[", "")?;
        self.list("]", |p| {
            let shape = p.nested(|p| p.elements(element, out))?;
            if count > 0 && shape != inner {
                return Err(error("wrong-count", start..start + 1, "the lists within this one have several shapes"));
            }
            (count, inner) = (count + 1, shape);
            Ok(())
        })?;
        inner.insert(0, count);
        Ok(inner)
    }

    fn element(&mut self, element: Element, out: &mut Elements) -> Parsed<()> {
        out.count += 1;
        match element {
            Element::Other => {
                let string = self.string()?;
                out.strings.push(self.builder.string(&string));
            }
            Element::Number { scalar, is_complex: false } => self.push_number(scalar, out)?,
            Element::Number { scalar, is_complex: true } => {
                self.expect("(", "and the parts of a complex number")?;
                self.push_number(scalar, out)?;
                self.expect(",", "")?;
                self.push_number(scalar, out)?;
                self.expect(")", "")?;
            }
        }
        Ok(())
    }

    fn push_number(&mut self, scalar: Scalar, out: &mut Elements) -> Parsed<()> {
        let words = self.literal()?.words(scalar)?;
        let size = scalar.width().div_ceil(8) as usize;
        out.bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()).chain(std::iter::repeat(0)).take(size));
        Ok(())
    }

    /// `sparse<[[0, 0], [1, 2]], [1, 5]> : tensor<3x4xi32>`
    pub(super) fn sparse(&mut self) -> Parsed<AttrId> {
        let start = self.pos;
        self.word();
        let literal = self.pos;
        if self.peek() != b'<' {
            return Err(self.unexpected("'<'"));
        }
        self.skip_brackets()?;
        self.skip_blanks();
        self.expect(":", "and the type of the elements")?;
        let ty = self.ty()?;
        let end = (self.pos, self.token_end, self.blank_end);
        let Some((shape, element_type)) = self.builder.tables.shape(ty) else {
            return Err(error("type-mismatch", start..end.1, "elements have the type of a tensor or a vector"));
        };
        self.pos = literal;
        self.expect("<", "")?;
        let (indices, values) = self.nested(|p| p.sparse_parts(shape.len() as u64, element_type))?;
        (self.pos, self.token_end, self.blank_end) = end;
        Ok(self.builder.attr(code::SPARSE, |out| {
            for number in [ty.0, indices.0, values.0] {
                push_varint(out, u64::from(number));
            }
        }))
    }

    fn sparse_parts(&mut self, rank: u64, element_type: TypeId) -> Parsed<(AttrId, AttrId)> {
        let index_type = self.builder.integer_type(64);
        if self.eat(">") {
            let indices = self.tensor_type(&[0, rank], index_type);
            let values = self.tensor_type(&[0], element_type);
            return Ok((self.dense_attr(indices, &[]), self.dense_attr(values, &[])));
        }
        let index = Element::Number { scalar: Scalar::Integer { width: 64, is_signed: false, is_unsigned: false }, is_complex: false };
        let mut elements = Elements::default();
        let found = self.elements(index, &mut elements)?;
        let shape = if found.is_empty() { vec![1, rank] } else { found };
        let count = shape[0];
        let indices_type = self.tensor_type(&shape, index_type);
        let indices = self.dense_attr(indices_type, &elements.packed(index));
        self.expect(",", "and the values")?;
        let values_type = self.tensor_type(&[count], element_type);
        let values = self.dense_of(values_type, ">")?;
        Ok((indices, values))
    }

    fn tensor_type(&mut self, shape: &[u64], element: TypeId) -> TypeId {
        self.builder.ty(code::TENSOR_TYPE, |out| {
            push_varint(out, shape.len() as u64);
            shape.iter().for_each(|&size| crate::write::push_signed_varint(out, size as i64));
            push_varint(out, u64::from(element.0));
        })
    }
}

impl Elements {
    /// The data as encodings hold it: one element if all are the same, booleans eight in a byte.
    fn packed(&self, element: Element) -> Vec<u8> {
        let is_boolean = matches!(element, Element::Number { scalar: Scalar::Integer { width: 1, .. }, is_complex: false });
        let size = self.bytes.len() / self.count.max(1);
        let is_splat = self.count > 0 && self.bytes.chunks(size.max(1)).all(|chunk| chunk == &self.bytes[..size]);
        match (is_boolean, is_splat) {
            (true, true) => vec![if self.bytes[0] & 1 == 1 { 0xff } else { 0 }],
            (true, false) => self.bytes.chunks(8).map(|bits| bits.iter().rev().fold(0, |byte, bit| byte << 1 | bit & 1)).collect(),
            (false, true) => self.bytes[..size].to_vec(),
            (false, false) => self.bytes.clone(),
        }
    }
}

fn push_blob(out: &mut Vec<u8>, data: &[u8]) {
    push_varint(out, data.len() as u64);
    out.extend(data);
}

/// The bytes of `0x` and two hexadecimal digits for each.
pub(super) fn decode_hexadecimal(text: &str) -> Option<Vec<u8>> {
    let digits = text.strip_prefix("0x").filter(|digits| digits.len().is_multiple_of(2))?;
    let digit = |byte: u8| char::from(byte).to_digit(16);
    digits.as_bytes().chunks_exact(2).map(|pair| Some((digit(pair[0])? << 4 | digit(pair[1])?) as u8)).collect()
}
