//! The elements of dense and sparse attributes and of arrays.

use super::{
    Printer, names,
    strings::{push_hex_string, push_string},
};
use crate::{
    encoding::{List, Value},
    float::push_float,
    tables::{AttrId, Element, Scalar, StrId, TypeId},
};

/// More elements than that are printed in hexadecimal.
const MAX_PRINTED: u64 = 100;

/// So many elements that take no bytes of a file of their own are printed at most: those without bits, and one that stands for all.
const MAX_WITHOUT_BYTES: u64 = 1 << 16;

/// How the elements of an attribute are stored and printed.
struct Elements<'d> {
    data: &'d [u8],
    scalar: Scalar,
    /// Whether an element is a pair of numbers.
    is_complex: bool,
    /// Bytes of a number.
    size: usize,
    /// Whether eight elements are in a byte.
    is_packed: bool,
}

/// Numbers, or one that stands for all of them.
struct Numbers<'d> {
    elements: Elements<'d>,
    is_one_for_all: bool,
}

impl Numbers<'_> {
    fn push(&self, out: &mut Vec<u8>, index: usize) {
        self.elements.push(out, if self.is_one_for_all { 0 } else { index });
    }
}

impl Elements<'_> {
    fn push(&self, out: &mut Vec<u8>, index: usize) {
        if self.is_complex {
            out.push(b'(');
            self.push_number(out, 2 * index);
            out.push(b',');
            self.push_number(out, 2 * index + 1);
            out.push(b')');
        } else {
            self.push_number(out, index);
        }
    }

    fn push_number(&self, out: &mut Vec<u8>, index: usize) {
        if self.is_packed {
            let byte = self.data.get(index / 8).copied().unwrap_or_default();
            return out.extend(if byte >> (index % 8) & 1 == 1 { &b"true"[..] } else { b"false" });
        }
        let bytes = self.data.get(index * self.size..(index + 1) * self.size).unwrap_or_default();
        let words: Vec<u64> = bytes.chunks(8).map(word).collect();
        match self.scalar {
            Scalar::Float(format) => push_float(out, format, truncate(&words, u64::from(format.width))),
            Scalar::Index => push_wide_integer(out, &words, 64, false),
            Scalar::Integer { width: 1, is_signed: false, is_unsigned: false } => {
                out.extend(if words.iter().any(|&word| word & 1 == 1) { &b"true"[..] } else { b"false" });
            }
            Scalar::Integer { width, is_unsigned, .. } => push_wide_integer(out, &words, width, is_unsigned),
        }
    }
}

/// Up to eight bytes as a number.
fn word(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(word)
}

/// The lowest bits of words.
pub(super) fn truncate(words: &[u64], width: u64) -> u128 {
    let number = words.iter().take(2).rev().fold(0u128, |number, &word| number << 64 | u128::from(word));
    if width < 128 { number & ((1 << width) - 1) } else { number }
}

/// Appends an integer of up to 64 bits.
#[inline]
pub(super) fn push_word(out: &mut Vec<u8>, word: u64, width: u64, is_unsigned: bool) {
    let unused = 64 - width.clamp(1, 64) as u32;
    if is_unsigned { names::push_number(out, word << unused >> unused) } else { names::push_signed(out, (word << unused) as i64 >> unused) }
}

/// Appends an integer of any width; words that are missing are zero.
pub(super) fn push_wide_integer(out: &mut Vec<u8>, words: &[u64], width: u64, is_unsigned: bool) {
    if width <= 64 {
        return push_word(out, words.first().copied().unwrap_or_default(), width, is_unsigned);
    }
    let mut number = words.to_vec();
    number.resize(width.div_ceil(64) as usize, 0);
    let top_bits = (width - 1) % 64 + 1;
    let last = number.len() - 1;
    number[last] &= u64::MAX >> (64 - top_bits);
    if !is_unsigned && number[last] >> (top_bits - 1) & 1 == 1 {
        out.push(b'-');
        // The magnitude is the complement and one.
        let mut carry = true;
        for word in &mut number {
            let (sum, overflow) = (!*word).overflowing_add(u64::from(carry));
            (*word, carry) = (sum, overflow);
        }
        number[last] &= u64::MAX >> (64 - top_bits);
    }
    push_natural(out, &mut number);
}

/// Appends a number of several words in base ten, which it uses up.
fn push_natural(out: &mut Vec<u8>, number: &mut [u64]) {
    const CHUNK: u64 = 10_000_000_000_000_000_000;
    let mut chunks = Vec::new();
    let mut len = number.len();
    loop {
        while len > 0 && number[len - 1] == 0 {
            len -= 1;
        }
        if len == 0 {
            break;
        }
        let mut remainder = 0u128;
        for word in number[..len].iter_mut().rev() {
            let part = remainder << 64 | u128::from(*word);
            *word = (part / u128::from(CHUNK)) as u64;
            remainder = part % u128::from(CHUNK);
        }
        chunks.push(remainder as u64);
    }
    let Some(first) = chunks.pop() else { return out.push(b'0') };
    names::push_number(out, first);
    for chunk in chunks.iter().rev() {
        out.extend(format!("{chunk:019}").as_bytes());
    }
}

impl Printer<'_, '_> {
    /// The elements of a dense attribute; those of many in hexadecimal if that is allowed.
    pub(super) fn push_dense(&self, out: &mut Vec<u8>, ty: TypeId, data: &[u8], allow_hex: bool) {
        let tables = &self.module.tables;
        let (Some((shape, Element::Number { scalar, is_complex: complex })), Some(count)) = (tables.elements(ty), tables.num_elements(ty))
        else {
            return push_hex_string(out, data);
        };
        let bits = scalar.width();
        let size = bits.div_ceil(8) as usize;
        let element_size = if complex { 2 * size } else { size };
        // Booleans stand eight in a byte, or, in some files, one in a byte. A byte of ones is one for all of them.
        let is_boolean = bits == 1 && !complex;
        let is_one_for_all = is_boolean && data.len() == 1 && matches!(data[0], 0 | 0xff);
        let is_packed =
            is_boolean && data.len() as u64 == count.div_ceil(8) && !is_one_for_all && (data.len() as u64 != count || count == 1);
        let has_no_bits = element_size == 0 && (1..=MAX_WITHOUT_BYTES).contains(&count);
        let is_splat = count == 1 || is_one_for_all || (data.len() == element_size && !is_packed && !has_no_bits);
        let is_whole = is_packed || data.len() as u64 == count.saturating_mul(element_size as u64);
        if !is_splat && !is_whole {
            return push_hex_string(out, data);
        }
        if !is_splat && allow_hex && count > MAX_PRINTED {
            return push_hex_string(out, data);
        }
        let elements = Elements { data, scalar, is_complex: complex, size, is_packed };
        push_nested(out, &shape, is_splat, b"[]", &mut |out, index| elements.push(out, index));
    }

    /// Scales, with zero points that are not zero behind them, in braces for each dimension; one that stands for all as often as there are elements.
    pub(super) fn push_scales(&self, out: &mut Vec<u8>, scales: AttrId, zeros: AttrId) {
        let tables = &self.module.tables;
        let (scales, zeros) = (tables.attr_fields(scales), tables.attr_fields(zeros));
        let ([Value::Type(ty), Value::Bytes(scales)], [Value::Type(zero_type), Value::Bytes(zeros)]) = (&scales[..], &zeros[..]) else {
            return;
        };
        let (Some((shape, _)), Some(count)) = (tables.elements(*ty), tables.num_elements(*ty)) else { return };
        let (Some(scales), Some(zeros)) = (self.numbers(*ty, scales), self.numbers(*zero_type, zeros)) else { return };
        push_nested(out, &shape, count > MAX_WITHOUT_BYTES, b"{}", &mut |out, index| {
            scales.push(out, index);
            let end = out.len();
            out.push(b':');
            zeros.push(out, index);
            if out[end..] == *b":0" {
                out.truncate(end);
            }
        });
    }

    /// The elements of a type of numbers.
    fn numbers<'d>(&self, ty: TypeId, data: &'d [u8]) -> Option<Numbers<'d>> {
        let (_, Element::Number { scalar, is_complex: false }) = self.module.tables.elements(ty)? else { return None };
        let size = scalar.width().div_ceil(8) as usize;
        Some(Numbers { elements: Elements { data, scalar, is_complex: false, size, is_packed: false }, is_one_for_all: data.len() == size })
    }

    pub(super) fn push_dense_strings(&self, out: &mut Vec<u8>, ty: TypeId, strings: &List<'_>) {
        let strings: Vec<StrId> = strings.clone().map(|index| StrId(index as u32)).collect();
        let Some((shape, _)) = self.module.tables.shape(ty) else { return };
        let is_splat = strings.len() == 1;
        push_nested(out, &shape, is_splat, b"[]", &mut |out, index| push_string(out, self.module.tables.strings.get(strings[index])));
    }

    pub(super) fn push_sparse(&self, out: &mut Vec<u8>, indices: AttrId, values: AttrId) {
        let tables = &self.module.tables;
        let (indices, values) = (tables.attr_fields(indices), tables.attr_fields(values));
        let ([Value::Type(ty), Value::Bytes(data)], [Value::Type(value_type), rest @ ..]) = (&indices[..], &values[..]) else { return };
        if tables.num_elements(*ty) == Some(0) {
            return;
        }
        self.push_dense(out, *ty, data, false);
        out.extend(b", ");
        match rest {
            [Value::Bytes(data)] => self.push_dense(out, *value_type, data, true),
            [Value::Number(_), Value::Strings(strings)] => self.push_dense_strings(out, *value_type, strings),
            _ => {}
        }
    }

    pub(super) fn push_array_elements(&self, out: &mut Vec<u8>, element: TypeId, count: u64, data: &[u8]) {
        let Some(scalar) = self.module.tables.scalar(element) else { return push_hex_string(out, data) };
        let size = scalar.width().div_ceil(8) as usize;
        let elements = Elements { data, scalar, is_complex: false, size, is_packed: false };
        // The count is that of the file; there are no more elements than bytes, unless they have no bits.
        let most = if size == 0 { MAX_WITHOUT_BYTES } else { data.len() as u64 };
        for index in 0..count.min(most) as usize {
            if index > 0 {
                out.extend(b", ");
            }
            elements.push(out, index);
        }
    }
}

/// Elements in brackets for each dimension; one element for all of them stands alone.
fn push_nested(out: &mut Vec<u8>, shape: &[i64], is_splat: bool, brackets: &[u8; 2], element: &mut dyn FnMut(&mut Vec<u8>, usize)) {
    let [open_bracket, close_bracket] = *brackets;
    if is_splat {
        return element(out, 0);
    }
    let count: i64 = shape.iter().product();
    let mut counter = vec![0; shape.len()];
    let mut open = 0;
    for index in 0..count {
        if index > 0 {
            out.extend(b", ");
        }
        while open < shape.len() {
            out.push(open_bracket);
            open += 1;
        }
        element(out, index as usize);
        for dimension in (0..shape.len()).rev() {
            counter[dimension] += 1;
            if counter[dimension] < shape[dimension] || dimension == 0 {
                break;
            }
            counter[dimension] = 0;
            open -= 1;
            out.push(close_bracket);
        }
    }
    out.resize(out.len() + open, close_bracket);
}
