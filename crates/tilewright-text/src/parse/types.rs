//! Types.

use super::MAX_TYPE_DEPTH;
use super::cursor::{Parsed, Parser};
use super::lexer::{Kind, Token};
use tilewright_ir::{DYNAMIC, EnumKind, PaddingValue, PtrAttr, Scalar, Type, TypeData, TypeTable};

/// The prefix that types, operations and attributes may have.
pub(super) const DIALECT: &str = "cuda_tile.";

/// Longer types are not remembered by their text.
const MAX_REMEMBERED: usize = 4096;

/// What the types of the dialect are called.
pub const TYPE_NAMES: [&str; 7] = ["tile", "ptr", "tensor_view", "partition_view", "strided_view", "gather_scatter_view", "token"];

impl<'s> Parser<'s> {
    /// A type: `tile<4xf32>`, `!cuda_tile.tile<4xf32>`, `(i32) -> token`.
    pub(super) fn ty(&mut self) -> Parsed<Type> {
        let start = self.token.start();
        let (last, ty) = self.last_type;
        // What is remembered ends in a bracket, so nothing longer begins with it.
        if !last.is_empty() && self.source.as_bytes()[start..].starts_with(last.as_bytes()) {
            self.jump(start + last.len());
            return Ok(ty);
        }
        let Some(text) = self.bracketed_text() else { return self.type_at(0) };
        let ty = match self.types.get(text) {
            Some(&ty) => {
                self.jump(start + text.len());
                ty
            }
            None => {
                let ty = self.type_at(0)?;
                if self.recorder.is_some() {
                    // What is remembered is not read again, with the names in it.
                    return Ok(ty);
                }
                self.types.insert(text, ty);
                ty
            }
        };
        self.last_type = (text, ty);
        Ok(ty)
    }

    /// The text of the type at hand if it is a word and a balanced pair of brackets: enough to recognize it.
    fn bracketed_text(&self) -> Option<&'s str> {
        if !matches!(self.token.kind(), Kind::Word | Kind::Bang) {
            return None;
        }
        let (start, end) = (self.token.start(), self.token.end());
        let bytes = self.source.as_bytes();
        if bytes.get(end) != Some(&b'<') {
            return None;
        }
        let mut depth = 0usize;
        for (i, &byte) in bytes[end..].iter().take(MAX_REMEMBERED).enumerate() {
            match byte {
                b'<' => depth += 1,
                b'>' if depth == 1 => return Some(&self.source[start..=end + i]),
                b'>' => depth -= 1,
                b'\n' | b'"' | b'/' | b'{' | b'%' => return None,
                _ => {}
            }
        }
        None
    }

    fn type_at(&mut self, depth: usize) -> Parsed<Type> {
        if depth > MAX_TYPE_DEPTH {
            return Err(self.report("limit", self.token.span(), format!("types nest deeper than {MAX_TYPE_DEPTH}")));
        }
        match self.token.kind() {
            Kind::LeftParen => self.function_type(depth),
            Kind::Word => {
                let token = self.advance();
                let name = self.text(token);
                self.named_type(token, name.strip_prefix(DIALECT).unwrap_or(name), depth)
            }
            Kind::Bang => {
                let token = self.advance();
                let name = &self.text(token)[1..];
                match name.strip_prefix(DIALECT) {
                    Some(name) => self.named_type(token, name, depth),
                    None => self.type_alias(token),
                }
            }
            _ => Err(self.unexpected("a type")),
        }
    }

    fn named_type(&mut self, token: Token, name: &str, depth: usize) -> Parsed<Type> {
        if let Some(scalar) = Scalar::from_name(name) {
            return Ok(scalar.ty());
        }
        let data = match name {
            "token" => return Ok(TypeTable::token()),
            "tile" => self.tile_type(depth),
            "ptr" => self.pointer_type(depth),
            "tensor_view" => self.tensor_view_type(depth),
            "partition_view" | "strided_view" | "gather_scatter_view" => self.view_type(name, depth),
            _ => {
                let known = TYPE_NAMES.into_iter().chain(Scalar::all().map(Scalar::name)).collect::<Vec<_>>();
                return Err(self.unknown_word("unknown-type", "type", token, name, known.into_iter()));
            }
        }?;
        self.intern(token, data)
    }

    /// The handle of a type whose text began with `token` and has just ended.
    fn intern(&mut self, token: Token, data: TypeData) -> Parsed<Type> {
        self.module.tables.types.intern(data).map_err(|error| self.report("invalid-type", token.span(), error.to_string()))
    }

    /// `(types) -> type` or `(types) -> (types)`
    fn function_type(&mut self, depth: usize) -> Parsed<Type> {
        let token = self.token;
        let inputs = self.type_list(depth + 1)?.into();
        self.expect(Kind::Arrow)?;
        let results = if self.at(Kind::LeftParen) { self.type_list(depth + 1)? } else { vec![self.type_at(depth + 1)?] };
        self.intern(token, TypeData::Function { inputs, results: results.into() })
    }

    /// `(types)`; at depth 0, where most lists stand, each type is looked up by its text first.
    fn type_list(&mut self, depth: usize) -> Parsed<Vec<Type>> {
        self.expect(Kind::LeftParen)?;
        let mut types = Vec::new();
        self.closed(Kind::RightParen, |p| {
            let ty = if depth == 0 { p.ty() } else { p.type_at(depth + 1) };
            types.push(ty?);
            Ok(())
        })?;
        Ok(types)
    }

    /// `(types)`
    pub(super) fn types_in_parentheses(&mut self) -> Parsed<Vec<Type>> {
        self.type_list(0)
    }

    /// `<4x8xf32>`
    fn tile_type(&mut self, depth: usize) -> Parsed<TypeData> {
        self.expect(Kind::Less)?;
        let shape = self.dimensions()?.into();
        let element = self.type_at(depth + 1)?;
        self.expect(Kind::Greater)?;
        Ok(TypeData::Tile { element, shape })
    }

    /// `<f32>`, `<f32, <none>>`
    fn pointer_type(&mut self, depth: usize) -> Parsed<TypeData> {
        self.expect(Kind::Less)?;
        let pointee = self.type_at(depth + 1)?;
        let attr = if self.eat(Kind::Comma) { Some(self.pointer_attribute()?) } else { None };
        self.expect(Kind::Greater)?;
        Ok(TypeData::Pointer { pointee, attr })
    }

    /// `<none>`, `#cuda_tile.ptr_attr<none>`
    fn pointer_attribute(&mut self) -> Parsed<PtrAttr> {
        if self.at(Kind::Hash) && self.text(self.token) == "#cuda_tile.ptr_attr" {
            self.advance();
        }
        self.expect(Kind::Less)?;
        let wire = self.keyword(EnumKind::PtrAttr)?;
        self.expect(Kind::Greater)?;
        Ok(PtrAttr::from_wire(wire).expect("the keyword is one of the enumeration"))
    }

    /// `<64x?xf32, strides=[?,1], #cuda_tile.ptr_attr<none>>`
    fn tensor_view_type(&mut self, depth: usize) -> Parsed<TypeData> {
        self.expect(Kind::Less)?;
        let shape: Box<[i64]> = self.dimensions()?.into();
        let element = self.type_at(depth + 1)?;
        let mut strides = Vec::new();
        // Without extents there are no strides to write.
        if !shape.is_empty() {
            self.expect(Kind::Comma)?;
            self.expect_word("strides")?;
            self.expect(Kind::Equal)?;
            strides = self.integer_list(|p| p.dimension())?;
        }
        let has_attr = self.eat(Kind::Comma);
        if has_attr && self.at_word("strides") {
            let message = "strides stand once, and not at all in a tensor_view of rank 0".to_owned();
            return Err(self.report("invalid-type", self.token.span(), message));
        }
        let attr = if has_attr { Some(self.pointer_attribute()?) } else { None };
        self.expect(Kind::Greater)?;
        Ok(TypeData::TensorView { element, shape, strides: strides.into(), attr })
    }

    /// The views of a tensor view: `<tile=(8x8), padding_value = zero, tensor_view<...>, dim_map=[1, 0]>`
    fn view_type(&mut self, name: &str, depth: usize) -> Parsed<TypeData> {
        self.expect(Kind::Less)?;
        let tile: Box<[i32]> = self.tile_extents()?.into();
        let (mut traversal_strides, mut padding) = (Vec::new(), None);
        self.expect(Kind::Comma)?;
        if name == "strided_view" {
            self.expect_word("traversal_strides")?;
            self.expect(Kind::Equal)?;
            traversal_strides = self.integer_list(Self::small_integer)?;
            self.expect(Kind::Comma)?;
        }
        if self.eat_word("padding_value") {
            self.expect(Kind::Equal)?;
            padding = PaddingValue::from_wire(self.keyword(EnumKind::PaddingValue)?);
            self.expect(Kind::Comma)?;
        }
        let tensor_view = self.type_at(depth + 1)?;
        let (mut dim_map, mut sparse_dim) = (None, 0);
        if name == "gather_scatter_view" {
            self.expect(Kind::Comma)?;
            self.expect_word("sparse_dim")?;
            self.expect(Kind::Equal)?;
            sparse_dim = self.unsigned(32)? as u32;
        } else if self.eat(Kind::Comma) {
            self.expect_word("dim_map")?;
            self.expect(Kind::Equal)?;
            dim_map = Some(self.integer_list(Self::small_integer)?);
        }
        self.expect(Kind::Greater)?;
        let dim_map = dim_map.unwrap_or_else(|| (0..tile.len() as i32).collect()).into();
        let traversal_strides = traversal_strides.into();
        Ok(match name {
            "partition_view" => TypeData::PartitionView { tile, tensor_view, dim_map, padding },
            "strided_view" => TypeData::StridedView { tile, traversal_strides, tensor_view, dim_map, padding },
            _ => TypeData::GatherScatterView { tile, tensor_view, sparse_dim, padding },
        })
    }

    /// `tile=(8x8)`
    fn tile_extents(&mut self) -> Parsed<Vec<i32>> {
        self.expect_word("tile")?;
        self.expect(Kind::Equal)?;
        self.expect(Kind::LeftParen)?;
        let mut extents = Vec::new();
        let mut crossed = !self.at(Kind::RightParen);
        while crossed {
            crossed = self.eat_extent_and_cross(|p| p.small_integer(), &mut extents)?;
        }
        self.expect(Kind::RightParen)?;
        Ok(extents)
    }

    /// `4x?x`: extents, each with the `x` behind it.
    fn dimensions(&mut self) -> Parsed<Vec<i64>> {
        let mut extents = Vec::new();
        while matches!(self.token.kind(), Kind::Int | Kind::Hex | Kind::Float | Kind::Question | Kind::Minus) {
            if !self.eat_extent_and_cross(|p| p.dimension(), &mut extents)? {
                return Err(self.unexpected("'x' after an extent"));
            }
        }
        Ok(extents)
    }

    /// `4` or `?`
    fn dimension(&mut self) -> Parsed<i64> {
        if self.eat(Kind::Question) {
            return Ok(DYNAMIC);
        }
        let token = self.token;
        match self.signed(64)? {
            DYNAMIC => Err(self.report("out-of-range", token.span(), "the extent is out of range".to_owned())),
            extent => Ok(extent),
        }
    }

    /// An extent and the `x` behind it; tells whether there is one.
    ///
    /// The lexer takes an `x` and all that follows it for a word. So that this does not happen for each extent anew, the
    /// extent is read as the last thing before the place where the text goes on.
    fn eat_extent_and_cross<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>, extents: &mut Vec<T>) -> Parsed<bool> {
        let end = self.token.end();
        let crossed = self.source.as_bytes().get(end) == Some(&b'x');
        if crossed {
            self.lexer.at = end + 1;
        }
        extents.push(read(self)?);
        if !crossed && self.at(Kind::Word) && self.text(self.token).starts_with('x') {
            self.jump(self.token.start() + 1);
            return Ok(true);
        }
        Ok(crossed)
    }

    pub(super) fn small_integer(&mut self) -> Parsed<i32> {
        Ok(self.signed(32)? as i32)
    }

    /// `[1, 2]`
    pub(super) fn integer_list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        self.expect(Kind::LeftSquare)?;
        let mut items = Vec::new();
        self.closed(Kind::RightSquare, |p| {
            items.push(item(p)?);
            Ok(())
        })?;
        Ok(items)
    }

    /// The text of a type, for messages.
    pub(super) fn type_name(&self, ty: Type) -> String {
        self.module.tables.types.brief(ty)
    }
}
