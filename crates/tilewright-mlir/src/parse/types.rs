//! Types.

use super::{Parsed, Parser, scan::error};
use crate::{
    encoding::{self, code},
    float::Format,
    limits::MAX_INTEGER_WIDTH,
    tables::{AttrId, TypeId},
    write::{push_signed_varint, push_varint},
};

/// The size of a dimension that is not known.
const DYNAMIC: i64 = i64::MIN;

impl<'s> Parser<'s, '_> {
    pub(super) fn ty(&mut self) -> Parsed<TypeId> {
        match self.peek() {
            b'(' => self.nested(Self::function_type),
            b'!' => self.dialect_type(),
            _ => self.builtin_type(),
        }
    }

    fn dialect_type(&mut self) -> Parsed<TypeId> {
        let start = self.pos;
        let name = self.sigil_name("the name of a type")?;
        if !name.contains('.') && self.peek() != b'<' {
            let ty = self.type_alias(start)?;
            self.skip_blanks();
            return Ok(ty);
        }
        if self.peek() == b'<' {
            self.skip_brackets()?;
        }
        let text = &self.text[start..self.pos];
        self.skip_blanks();
        self.refuse_opaque(name, start)?;
        let text = self.expand(text)?;
        let dialect = name.split('.').next().unwrap_or_default();
        Ok(self.builder.text_type(dialect.as_bytes(), &text))
    }

    /// `#dialect.opaque<"0x...">` is how an encoding prints that is not known: its numbers mean nothing in another file.
    pub(super) fn refuse_opaque(&self, name: &str, start: usize) -> Parsed<()> {
        let is_opaque = name.ends_with(".opaque") && self.text[start..self.token_end].contains("<\"0x");
        if !is_opaque {
            return Ok(());
        }
        let mut error = error("unknown-attribute", start..self.token_end, "this was printed of an encoding that is not known");
        error.notes.push("it refers to tables of the file that it comes from: convert that file instead of its text".to_owned());
        Err(error)
    }

    /// `(i32, i32) -> i32`
    fn function_type(&mut self) -> Parsed<TypeId> {
        let inputs = self.types_in_parentheses()?;
        self.expect("->", "and the types of results")?;
        let results = self.result_types()?;
        Ok(self.builder.ty(code::FUNCTION_TYPE, |out| {
            push_types(out, &inputs);
            push_types(out, &results);
        }))
    }

    pub(super) fn types_in_parentheses(&mut self) -> Parsed<Vec<TypeId>> {
        let mut types = Vec::new();
        self.expect("(", "and types")?;
        self.list(")", |p| {
            types.push(p.ty()?);
            Ok(())
        })?;
        Ok(types)
    }

    /// A type, or types in parentheses.
    pub(super) fn result_types(&mut self) -> Parsed<Vec<TypeId>> {
        if self.peek() == b'(' { self.types_in_parentheses() } else { Ok(vec![self.ty()?]) }
    }

    fn builtin_type(&mut self) -> Parsed<TypeId> {
        let start = self.pos;
        let word = self.peek_word();
        let end = start + word.len();
        let is_shaped = matches!(word, "tensor" | "memref" | "vector" | "complex" | "tuple");
        if word.is_empty() {
            return Err(self.unexpected("a type"));
        }
        self.pos = end;
        self.skip_blanks();
        if is_shaped {
            self.expect("<", "")?;
            return self.nested(|p| match word {
                "tensor" => p.tensor(),
                "memref" => p.memref(),
                "vector" => p.vector(),
                "complex" => p.complex(),
                _ => p.tuple(),
            });
        }
        // Those that came later stand as text, which every version reads.
        let is_old = |encoding: &&encoding::Encoding| encoding.code <= code::SCALABLE_VECTOR_TYPE;
        let is_named = |encoding: &&encoding::Encoding| is_old(encoding) && encoding.fields.is_empty() && encoding.name == word;
        if let Some(encoding) = encoding::builtin_types().iter().find(is_named) {
            return Ok(self.builder.ty(encoding.code, |_| ()));
        }
        if Format::of(word).is_some() {
            return Ok(self.builder.text_type(b"builtin", word));
        }
        self.integer_type(word, start)
    }

    fn integer_type(&mut self, word: &str, start: usize) -> Parsed<TypeId> {
        let (sign, digits) = match word.as_bytes() {
            [b's', b'i', ..] => (1, &word[2..]),
            [b'u', b'i', ..] => (2, &word[2..]),
            [b'i', ..] => (0, &word[1..]),
            _ => (0, ""),
        };
        let place = start..start + word.len();
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            let mut error = error("unknown-type", place, format!("'{word}' is no type of the builtin dialect"));
            error.notes.push(format!("a type of another dialect has its name in front: !dialect.{word}"));
            return Err(error);
        }
        match digits.parse::<u64>() {
            Ok(width) if width <= MAX_INTEGER_WIDTH => Ok(self.builder.ty(code::INTEGER_TYPE, |out| push_varint(out, width << 2 | sign))),
            _ => Err(error("out-of-range", place, format!("integers have at most {MAX_INTEGER_WIDTH} bits"))),
        }
    }

    fn close(&mut self) -> Parsed<()> {
        self.expect(">", "")
    }

    /// `4x?x` in front of the type of elements.
    fn shape(&mut self) -> Parsed<Vec<i64>> {
        let mut shape = Vec::new();
        while let Some((size, len)) = self.dimension() {
            shape.push(size.ok_or_else(|| error("out-of-range", self.pos..self.pos + len, "the size of a dimension is too large"))?);
            self.pos += len;
        }
        Ok(shape)
    }

    /// The size of a dimension with the `x` behind it, if one stands here: none if it is too large; and its length.
    fn dimension(&self) -> Option<(Option<i64>, usize)> {
        let rest = self.rest();
        if rest.starts_with(b"?x") {
            return Some((Some(DYNAMIC), 2));
        }
        let len = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if len == 0 || rest.get(len) != Some(&b'x') {
            return None;
        }
        Some((self.text[self.pos..self.pos + len].parse().ok(), len + 1))
    }

    fn tensor(&mut self) -> Parsed<TypeId> {
        if self.eat("*x") {
            let element = self.ty()?;
            self.close()?;
            return Ok(self.builder.ty(code::UNRANKED_TENSOR_TYPE, |out| push_type(out, element)));
        }
        let shape = self.shape()?;
        let element = self.ty()?;
        let encoding = if self.eat(",") { Some(self.attribute()?) } else { None };
        self.close()?;
        let fields = |out: &mut Vec<u8>| {
            encoding.into_iter().for_each(|encoding| push_varint(out, u64::from(encoding.0)));
            push_shape(out, &shape);
            push_type(out, element);
        };
        Ok(self.builder.ty(if encoding.is_some() { code::TENSOR_WITH_ENCODING_TYPE } else { code::TENSOR_TYPE }, fields))
    }

    fn memref(&mut self) -> Parsed<TypeId> {
        if self.eat("*x") {
            let element = self.ty()?;
            let space = if self.eat(",") { Some(self.attribute()?) } else { None };
            self.close()?;
            let fields = |out: &mut Vec<u8>| {
                space.into_iter().for_each(|space| push_varint(out, u64::from(space.0)));
                push_type(out, element);
            };
            let code = if space.is_some() { code::UNRANKED_MEMREF_WITH_SPACE_TYPE } else { code::UNRANKED_MEMREF_TYPE };
            return Ok(self.builder.ty(code, fields));
        }
        let shape = self.shape()?;
        let element = self.ty()?;
        let first = if self.eat(",") { Some(self.attribute()?) } else { None };
        let second = if first.is_some() && self.eat(",") { Some(self.attribute()?) } else { None };
        self.close()?;
        // Alone, an attribute is the layout if it is one of the builtin dialect, else the memory space.
        let (layout, space) = match (first, second) {
            (Some(first), None) if !self.is_layout(first) => (None, Some(first)),
            pair => pair,
        };
        let layout = match layout {
            Some(layout) => layout,
            None => self.identity_layout(shape.len()),
        };
        let fields = |out: &mut Vec<u8>| {
            space.into_iter().for_each(|space| push_varint(out, u64::from(space.0)));
            push_shape(out, &shape);
            push_type(out, element);
            push_varint(out, u64::from(layout.0));
        };
        Ok(self.builder.ty(if space.is_some() { code::MEMREF_WITH_SPACE_TYPE } else { code::MEMREF_TYPE }, fields))
    }

    fn is_layout(&self, attr: AttrId) -> bool {
        let tables = &self.builder.tables;
        tables.text(&tables.attrs, attr.0).is_some_and(|text| text.starts_with(b"affine_map<") || text.starts_with(b"strided<"))
    }

    /// The affine map that changes nothing.
    fn identity_layout(&mut self, rank: usize) -> AttrId {
        let text = crate::print::identity_map(rank);
        self.builder.text_attr(b"builtin", &text)
    }

    fn vector(&mut self) -> Parsed<TypeId> {
        let (mut shape, mut scalable) = (Vec::new(), Vec::new());
        loop {
            let is_scalable = self.eat("[");
            let start = self.pos;
            let len = self.rest().iter().take_while(|byte| byte.is_ascii_digit()).count();
            if len == 0 && !is_scalable {
                break;
            }
            let size = self.text[start..start + len].parse::<i64>();
            shape.push(size.map_err(|_| error("unexpected-token", start..start + len.max(1), "the size of a dimension is expected"))?);
            scalable.push(u8::from(is_scalable));
            self.pos += len;
            let mark = if is_scalable { "]x" } else { "x" };
            if !self.rest().starts_with(mark.as_bytes()) {
                return Err(self.unexpected(&format!("'{mark}'")));
            }
            self.pos += mark.len();
        }
        let element = self.ty()?;
        self.close()?;
        let is_scalable = scalable.contains(&1);
        let fields = |out: &mut Vec<u8>| {
            if is_scalable {
                push_varint(out, scalable.len() as u64);
                out.extend(&scalable);
            }
            push_shape(out, &shape);
            push_type(out, element);
        };
        Ok(self.builder.ty(if is_scalable { code::SCALABLE_VECTOR_TYPE } else { code::VECTOR_TYPE }, fields))
    }

    fn complex(&mut self) -> Parsed<TypeId> {
        let element = self.ty()?;
        self.close()?;
        Ok(self.builder.ty(code::COMPLEX_TYPE, |out| push_type(out, element)))
    }

    fn tuple(&mut self) -> Parsed<TypeId> {
        let mut types = Vec::new();
        self.list(">", |p| {
            types.push(p.ty()?);
            Ok(())
        })?;
        Ok(self.builder.ty(code::TUPLE_TYPE, |out| push_types(out, &types)))
    }
}

fn push_type(out: &mut Vec<u8>, ty: TypeId) {
    push_varint(out, u64::from(ty.0));
}

fn push_types(out: &mut Vec<u8>, types: &[TypeId]) {
    push_varint(out, types.len() as u64);
    types.iter().for_each(|&ty| push_type(out, ty));
}

fn push_shape(out: &mut Vec<u8>, shape: &[i64]) {
    push_varint(out, shape.len() as u64);
    shape.iter().for_each(|&size| push_signed_varint(out, size));
}
