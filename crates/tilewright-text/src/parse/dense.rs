//! The elements of dense constants.

use super::cursor::{Parsed, Parser};
use super::lexer::{Kind, Token};
use tilewright_ir::{Const, Scalar, Type};

/// Elements in the order of the text, and how the lists nest.
#[derive(Default)]
struct Elements {
    bits: Vec<u64>,
    /// Extents of the lists, outermost first; known once the first list of a level is closed.
    shape: Vec<Option<i64>>,
}

impl<'s> Parser<'s> {
    /// Skips the text of a constant up to its `>` and gives the place where it began.
    pub(super) fn skip_literal(&mut self) -> Parsed<usize> {
        let start = self.token.start();
        while !matches!(self.token.kind(), Kind::Greater) {
            match self.token.kind() {
                Kind::Int | Kind::Hex | Kind::Float | Kind::Word | Kind::Minus | Kind::Text => {}
                Kind::LeftSquare | Kind::RightSquare | Kind::Comma => {}
                _ => return Err(self.unexpected("a number, a list or a string of bytes, then '>'")),
            }
            self.advance();
        }
        Ok(start)
    }

    /// The constant whose text begins at `start` and ends at `>`, as a tile of type `ty`. The place does not change.
    pub(super) fn constant_at(&mut self, start: usize, ty: Type) -> Parsed<Const> {
        let mark = self.mark();
        self.jump(start);
        let constant = self.constant(ty)?;
        self.expect(Kind::Greater)?;
        self.go_back(mark);
        Ok(constant)
    }

    fn constant(&mut self, ty: Type) -> Parsed<Const> {
        let token = self.token;
        let types = &self.module.tables.types;
        let tile = types.as_tile(ty).and_then(|(element, shape)| Some((types.scalar(element)?, shape.to_vec())));
        let Some((scalar, shape)) = tile else {
            let message = format!("a constant is a tile of numbers, not {}", self.type_name(ty));
            return Err(self.report("invalid-type", token.span(), message));
        };
        let count = shape.iter().product::<i64>().unsigned_abs();
        let bits = match token.kind() {
            Kind::Text => self.element_bytes(scalar, count)?,
            Kind::LeftSquare => self.elements(scalar, &shape, token)?,
            _ => {
                let number = self.number()?;
                vec![self.bits_of(number, scalar)?]
            }
        };
        Ok(self.store(&encode(&bits, scalar)))
    }

    /// The handle of the bytes, which are stored once.
    fn store(&mut self, bytes: &[u8]) -> Const {
        if let Some(&constant) = self.constants.get(bytes) {
            return constant;
        }
        let constant = self.module.tables.constants.add(bytes);
        self.constants.insert(bytes.into(), constant);
        constant
    }

    /// `"0x00FF"`: elements in whole bytes, one for each `i1` or 4-bit number, three for `tf32`. One element fills the tile.
    fn element_bytes(&mut self, scalar: Scalar, count: u64) -> Parsed<Vec<u64>> {
        let token = self.advance();
        let text = self.text(token);
        let digits = text[1..text.len() - 1].strip_prefix("0x").filter(|digits| digits.len().is_multiple_of(2));
        let bytes = digits.and_then(|digits| digits.as_bytes().chunks_exact(2).map(byte_of).collect::<Option<Vec<u8>>>());
        let Some(bytes) = bytes else {
            let message = "the bytes of a constant are written as \"0x\" and two hexadecimal digits for each".to_owned();
            return Err(self.report("wrong-literal", token.span(), message));
        };
        let width = scalar.bits().div_ceil(8) as usize;
        if bytes.len() != width && bytes.len() as u64 != count * width as u64 {
            let message = format!("expected {width} bytes for each of {count} elements, found {} bytes", bytes.len());
            return Err(self.report("wrong-count", token.span(), message));
        }
        let mask = u64::MAX >> (64 - scalar.bits());
        let element = |bytes: &[u8]| bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte)) & mask;
        Ok(bytes.chunks_exact(width).map(element).collect())
    }

    /// Lists within lists that nest like the shape.
    fn elements(&mut self, scalar: Scalar, shape: &[i64], start: Token) -> Parsed<Vec<u64>> {
        let mut elements = Elements::default();
        // How many items the open lists have so far.
        let mut open: Vec<i64> = Vec::new();
        loop {
            if self.eat(Kind::LeftSquare) {
                self.open_list(&mut elements, &mut open, start)?;
                continue;
            }
            let token = self.token;
            let number = self.number()?;
            let bits = self.bits_of(number, scalar)?;
            if open.len() != elements.shape.len() {
                return Err(self.uneven(token));
            }
            elements.bits.push(bits);
            if self.close_lists(&mut elements, &mut open)? {
                break;
            }
        }
        let found: Vec<i64> = elements.shape.iter().map(|extent| extent.unwrap_or(0)).collect();
        if found != shape {
            let message = format!("the elements have the shape {found:?}, the type has {shape:?}");
            return Err(self.report("wrong-count", start.span(), message));
        }
        Ok(elements.bits)
    }

    fn open_list(&mut self, elements: &mut Elements, open: &mut Vec<i64>, start: Token) -> Parsed<()> {
        open.push(0);
        if open.len() <= elements.shape.len() {
            return Ok(());
        }
        if !elements.bits.is_empty() {
            return Err(self.uneven(start));
        }
        elements.shape.push(None);
        Ok(())
    }

    /// What follows an item: commas and closed lists. True when the outermost list is closed.
    fn close_lists(&mut self, elements: &mut Elements, open: &mut Vec<i64>) -> Parsed<bool> {
        loop {
            if let Some(count) = open.last_mut() {
                *count += 1;
            }
            if self.eat(Kind::Comma) {
                return Ok(false);
            }
            let token = self.expect(Kind::RightSquare)?;
            let level = open.len() - 1;
            let count = open.pop();
            match elements.shape[level] {
                None => elements.shape[level] = count,
                known if known != count => return Err(self.uneven(token)),
                _ => {}
            }
            if open.is_empty() {
                return Ok(true);
            }
        }
    }

    fn uneven(&mut self, token: Token) -> super::cursor::Failed {
        self.report("wrong-count", token.span(), "the lists of a constant differ in length or depth".to_owned())
    }
}

/// The value of two hexadecimal digits.
fn byte_of(digits: &[u8]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    Some((digit(digits[0])? << 4 | digit(digits[1])?) as u8)
}

/// The bytes of a constant: one element if all are equal.
fn encode(bits: &[u64], scalar: Scalar) -> Vec<u8> {
    let is_splat = bits.iter().all(|&b| b == bits[0]);
    if scalar == Scalar::I1 {
        return match is_splat {
            true => vec![if bits[0] == 1 { 0xff } else { 0 }],
            false => bits.chunks(8).map(|chunk| chunk.iter().rev().fold(0, |byte, &bit| byte << 1 | bit as u8)).collect(),
        };
    }
    let width = scalar.bits().div_ceil(8) as usize;
    let elements = if is_splat { &bits[..1] } else { bits };
    let mut bytes = Vec::with_capacity(elements.len() * width);
    for element in elements {
        bytes.extend_from_slice(&element.to_le_bytes()[..width]);
    }
    bytes
}
