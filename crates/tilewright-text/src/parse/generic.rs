//! The generic form of MLIR: `"cuda_tile.addi"(%0, %1) <{overflow = #cuda_tile.overflow<none>}> : (...) -> ...`.

use super::MAX_REGION_DEPTH;
use super::cursor::{Parsed, Parser, brief};
use super::lexer::{Kind, Token};
use super::map::OperationName;
use super::ops::OpState;
use super::structured::Arguments;
use tilewright_ir::ops::{Arity, AttrDef, AttrKind, OperandEncoding, Results};
use tilewright_ir::{AttrData, AttrName, AttrValue, Block, EnumKind, Opcode, Region, Type, TypeData};

/// How many values each operand takes, as the text says it.
const SEGMENT_SIZES: &str = "operandSegmentSizes";

impl<'s> Parser<'s> {
    /// An operation after its name in quotes.
    pub(super) fn generic_operation(&mut self, block: Block, first: Token, token: Token, state: &mut OpState) -> Parsed<()> {
        let text = self.text(token);
        let opcode = self.opcode(token, &text[1..text.len() - 1])?;
        self.record_operation(first.start(), token, OperationName::Dialect(opcode));
        state.attrs.resize(opcode.def().attrs.len(), AttrValue::Absent);
        self.expect(Kind::LeftParen)?;
        self.closed(Kind::RightParen, |p| p.one_value(state))?;
        let mut sizes = None;
        if self.eat(Kind::Less) {
            self.properties(opcode, state, &mut sizes)?;
            self.expect(Kind::Greater)?;
        } else if self.at(Kind::LeftBrace) {
            self.properties(opcode, state, &mut sizes)?;
        }
        let op = self.with_generic_regions(block, opcode, token, state, &mut sizes)?;
        self.expect(Kind::Colon)?;
        let inputs = self.types_in_parentheses()?;
        self.check_values(opcode, state, 0, &inputs)?;
        self.expect(Kind::Arrow)?;
        let results = if self.at(Kind::LeftParen) { self.types_in_parentheses()? } else { vec![self.ty()?] };
        self.check_result_count(opcode, token, results.len())?;
        state.results.clear();
        state.results.extend(results.into_iter().map(Some));
        let loc = self.location_of(token)?;
        self.body.set_loc(op, loc);
        self.define_results(op, token, state)
    }

    fn check_result_count(&mut self, opcode: Opcode, token: Token, found: usize) -> Parsed<()> {
        match opcode.def().results {
            Results::Fixed(results) if results.len() != found => {
                let message = format!("{opcode} has {} results, but {found} result types are given", results.len());
                Err(self.report("wrong-count", token.span(), message))
            }
            _ => Ok(()),
        }
    }

    /// The regions, and attributes behind them; then the operation exists.
    fn with_generic_regions(
        &mut self,
        block: Block,
        opcode: Opcode,
        token: Token,
        state: &mut OpState,
        sizes: &mut Option<Box<[i32]>>,
    ) -> Parsed<tilewright_ir::Op> {
        self.segments(opcode, token, state, sizes)?;
        // The regions need the operation, which may learn of attributes behind them.
        let op = self.create(block, opcode, state);
        let regions: Vec<Region> = self.body.op(op).regions().collect();
        let mut found = 0;
        if self.eat(Kind::LeftParen) {
            self.closed(Kind::RightParen, |p| {
                let Some(&region) = regions.get(found) else { return p.check_regions(opcode, token, found + 1) };
                found += 1;
                p.generic_region(region)
            })?;
        }
        self.check_regions(opcode, token, found)?;
        if self.at(Kind::LeftBrace) {
            self.properties(opcode, state, sizes)?;
            for index in 0..state.attrs.len() {
                state.attrs[index] = self.attr_or_default(opcode, state, index);
            }
            self.body.set_attrs(op, &state.attrs);
        }
        Ok(op)
    }

    fn check_regions(&mut self, opcode: Opcode, token: Token, found: usize) -> Parsed<()> {
        let expected = usize::from(opcode.def().regions);
        if found == expected {
            return Ok(());
        }
        let message = format!("{opcode} has {expected} regions, found {found}");
        Err(self.report("wrong-count", token.span(), message))
    }

    /// `{ ... }` whose first block may have a header.
    pub(super) fn generic_region(&mut self, region: Region) -> Parsed<()> {
        let open = self.expect(Kind::LeftBrace)?;
        if self.depth >= MAX_REGION_DEPTH {
            return Err(self.report("limit", open.span(), format!("regions nest deeper than {MAX_REGION_DEPTH}")));
        }
        if self.eat(Kind::RightBrace) {
            return Ok(());
        }
        self.depth += 1;
        self.record_region(open);
        let mark = self.scope.enter();
        let arguments = if self.at(Kind::Block) { self.block_header() } else { Ok(Arguments::default()) };
        let block = arguments.and_then(|arguments| self.block(region, &arguments));
        let closed = block.and_then(|block| self.operations(region, block, None, open));
        self.scope.leave(mark);
        self.record_leave();
        self.depth -= 1;
        closed
    }

    /// Divides the operands among those of the row.
    fn segments(&mut self, opcode: Opcode, token: Token, state: &mut OpState, sizes: &mut Option<Box<[i32]>>) -> Parsed<()> {
        let def = opcode.def();
        let total = state.operands.len();
        if let Some(sizes) = sizes {
            let fits = sizes.len() == def.operands.len()
                && def.operands.iter().zip(&**sizes).all(|(operand, &size)| match operand.arity {
                    Arity::One => size == 1,
                    Arity::Optional => size == 0 || size == 1,
                    Arity::Variadic => size >= 0,
                })
                && sizes.iter().map(|&size| i64::from(size)).sum::<i64>() == total as i64;
            if !fits {
                let message = format!("{SEGMENT_SIZES} does not divide the {total} operands among those of {opcode}");
                return Err(self.report("wrong-count", token.span(), message));
            }
            state.set_groups(sizes.iter().map(|&size| size.unsigned_abs() as usize));
            return Ok(());
        }
        if def.operand_encoding() == OperandEncoding::Segments {
            return Err(self.report("missing-attribute", token.span(), format!("{opcode} needs {SEGMENT_SIZES}")));
        }
        let open = def.operands.iter().position(|operand| operand.arity != Arity::One);
        let fixed = def.operands.len() - usize::from(open.is_some());
        let rest = total.checked_sub(fixed).filter(|&rest| match open.map(|index| def.operands[index].arity) {
            None => rest == 0,
            Some(Arity::Optional) => rest <= 1,
            Some(_) => true,
        });
        let Some(rest) = rest else {
            let message = format!("{opcode} has {} operands, found {total}", def.operands.len());
            return Err(self.report("wrong-count", token.span(), message));
        };
        state.set_groups((0..def.operands.len()).map(|index| if Some(index) == open { rest } else { 1 }));
        Ok(())
    }

    /// `{name = value, ...}`
    fn properties(&mut self, opcode: Opcode, state: &mut OpState, sizes: &mut Option<Box<[i32]>>) -> Parsed<()> {
        self.expect(Kind::LeftBrace)?;
        self.closed(Kind::RightBrace, |p| {
            let token = p.expect(Kind::Word)?;
            let name = p.text(token);
            if name == SEGMENT_SIZES {
                p.expect(Kind::Equal)?;
                let AttrData::I32Array(items) = p.typed_array()? else { return Err(p.unexpected("array<i32: ...>")) };
                *sizes = Some(items);
                return Ok(());
            }
            let def = opcode.def();
            let Some(index) = AttrName::from_name(name).and_then(|name| def.attr_index(name)) else {
                return Err(p.unknown_word("unknown-attribute", "attribute", token, name, def.attrs.iter().map(|a| a.name.name())));
            };
            state.attrs[index] = p.property(&def.attrs[index], state)?;
            Ok(())
        })
    }

    fn property(&mut self, def: &AttrDef, state: &mut OpState) -> Parsed<AttrValue> {
        if def.kind == AttrKind::Unit {
            if self.eat(Kind::Equal) {
                self.expect_word("unit")?;
            }
            return Ok(AttrValue::Unit);
        }
        self.expect(Kind::Equal)?;
        Ok(match def.kind {
            AttrKind::Enum(kind) => AttrValue::Enum(self.generic_enum(kind)?),
            AttrKind::UInt(_) => {
                let value = self.attr_value(def, state)?;
                if self.eat(Kind::Colon) {
                    self.ty()?;
                }
                value
            }
            AttrKind::Constant => AttrValue::Const(self.generic_constant()?.0),
            AttrKind::I32Array | AttrKind::BoolArray if self.at_word("array") => {
                let data = self.typed_array()?;
                if matches!(data, AttrData::BoolArray(_)) != (def.kind == AttrKind::BoolArray) {
                    return Err(self.unexpected("an array of the other element type before this"));
                }
                AttrValue::Attr(self.add_attr(data))
            }
            _ => self.attr_value(def, state)?,
        })
    }

    /// `#cuda_tile.overflow<none>`, or the number of the value: `0 : i32`.
    pub(super) fn generic_enum(&mut self, kind: EnumKind) -> Parsed<u8> {
        if self.eat(Kind::Hash) {
            self.expect(Kind::Less)?;
            let wire = self.keyword(kind)?;
            self.expect(Kind::Greater)?;
            return Ok(wire);
        }
        let token = self.token;
        let number = self.unsigned(8)? as u8;
        if self.eat(Kind::Colon) {
            self.ty()?;
        }
        match kind.value(number) {
            Some(value) => Ok(value.value),
            None => Err(self.report("out-of-range", token.span(), format!("{} has no value {}", kind.name(), brief(self.text(token))))),
        }
    }

    /// `dense<1> : !cuda_tile.tile<4xi32>`
    pub(super) fn generic_constant(&mut self) -> Parsed<(tilewright_ir::Const, Type)> {
        self.expect_word("dense")?;
        self.expect(Kind::Less)?;
        let start = self.skip_literal()?;
        self.expect(Kind::Greater)?;
        self.expect(Kind::Colon)?;
        let ty = self.ty()?;
        Ok((self.constant_at(start, ty)?, ty))
    }

    /// The type of a function from its text, which must be one.
    pub(super) fn signature(&mut self) -> Parsed<Type> {
        let token = self.token;
        let ty = self.ty()?;
        if matches!(self.module.tables.types.get(ty), TypeData::Function { .. }) {
            return Ok(ty);
        }
        Err(self.report("invalid-type", token.span(), "expected a function type".to_owned()))
    }
}
