//! Makes the operations that an extended one stands for.

use super::super::cursor::{Failed, Parsed, Parser};
use super::super::lexer::Token;
use super::{Mark, Request};
use tilewright_ir::{AttrName, AttrValue, Block, Builder, Loc, NewOp, Op, Opcode, Place, Scalar, Type, TypeData, TypeTable, Value};

/// Adds operations to a block in the place of the one whose name is `token`.
pub(super) struct Emit<'p, 's> {
    pub(super) p: &'p mut Parser<'s>,
    pub(super) block: Block,
    pub(super) loc: Option<Loc>,
    pub(super) token: Token,
}

/// An operation to add: its operands by name, its attributes, the types of its results.
pub(super) type Parts<'a> = (&'a [(&'a str, &'a [Value])], &'a [(AttrName, AttrValue)], &'a [Type]);

impl Emit<'_, '_> {
    pub(super) fn op(&mut self, opcode: Opcode, (operands, attrs, results): Parts<'_>) -> Parsed<Op> {
        let mut builder = Builder::new(&mut self.p.module.tables, &mut self.p.body, Place::End(self.block));
        builder.set_loc(self.loc);
        let mut op = builder.op(opcode).results(results);
        for (name, values) in operands {
            op = op.operands(name, values);
        }
        for (name, value) in attrs {
            op = op.attr(*name, *value);
        }
        op.finish().map_err(|error| self.p.report("cannot-expand", self.token.span(), error.to_string()))
    }

    /// An operation with one result.
    pub(super) fn value(
        &mut self,
        opcode: Opcode,
        operands: &[(&str, &[Value])],
        attrs: &[(AttrName, AttrValue)],
        ty: Type,
    ) -> Parsed<Value> {
        let value = Value::new(self.p.body.num_values());
        self.op(opcode, (operands, attrs, &[ty])).map(|_| value)
    }

    /// An operation of one operand.
    pub(super) fn unary(&mut self, opcode: Opcode, operand: &str, value: Value, ty: Type) -> Parsed<Value> {
        self.value(opcode, &[(operand, &[value])], &[], ty)
    }

    /// A tile of integers with the same bits everywhere.
    pub(super) fn splat(&mut self, scalar: Scalar, shape: &[i64], bits: u64) -> Parsed<Value> {
        let width = scalar.bits().div_ceil(8) as usize;
        let bytes = if scalar == Scalar::I1 { vec![if bits & 1 == 1 { 0xff } else { 0 }] } else { bits.to_le_bytes()[..width].to_vec() };
        let data = self.p.module.tables.constants.add(&bytes);
        let ty = self.tile(scalar.ty(), shape)?;
        self.value(Opcode::Constant, &[], &[(AttrName::Value, AttrValue::Const(data))], ty)
    }

    pub(super) fn ty(&self, value: Value) -> Type {
        self.p.body.ty(value)
    }

    pub(super) fn tile(&mut self, element: Type, shape: &[i64]) -> Parsed<Type> {
        let ty = self.p.module.tables.types.tile(element, shape);
        ty.map_err(|error| self.p.report("invalid-type", self.token.span(), error.to_string()))
    }

    /// Element type and extents of a value that must be a tile.
    pub(super) fn tile_of(&mut self, request: &Request, operand: usize) -> Parsed<(Type, Vec<i64>)> {
        let ty = self.ty(request.operands[operand]);
        match self.p.module.tables.types.as_tile(ty) {
            Some((element, shape)) => Ok((element, shape.to_vec())),
            None => Err(self.wrong_operand(request, operand, "a tile")),
        }
    }

    /// Element type and extents of the result, which must be a tile.
    pub(super) fn result_tile(&mut self, request: &Request) -> Parsed<(Type, Vec<i64>)> {
        let tile = request.result.and_then(|ty| self.p.module.tables.types.as_tile(ty));
        match tile {
            Some((element, shape)) => Ok((element, shape.to_vec())),
            None => Err(self.fail("type-mismatch", "the result must be a tile".to_owned())),
        }
    }

    /// What the elements of a tile of pointers point to, and its extents.
    pub(super) fn pointers_of(&mut self, request: &Request, operand: usize) -> Parsed<(Type, Vec<i64>)> {
        let (element, shape) = self.tile_of(request, operand)?;
        match self.p.module.tables.types.get(element) {
            TypeData::Pointer { pointee, .. } => Ok((*pointee, shape)),
            _ => Err(self.wrong_operand(request, operand, "a tile of pointers")),
        }
    }

    /// Element type and extents of a tile of integers.
    pub(super) fn integers_of(&mut self, request: &Request, operand: usize) -> Parsed<(Scalar, Vec<i64>)> {
        let (element, shape) = self.tile_of(request, operand)?;
        match self.p.module.tables.types.scalar(element).filter(|scalar| scalar.is_int()) {
            Some(scalar) => Ok((scalar, shape)),
            None => Err(self.wrong_operand(request, operand, "a tile of integers")),
        }
    }

    /// Reports an operand of the wrong type.
    pub(super) fn wrong_operand(&mut self, request: &Request, operand: usize, expected: &str) -> Failed {
        let found = self.p.type_name(self.ty(request.operands[operand]));
        let place = self.p.token_at(request.places[operand] as usize);
        self.p.report("type-mismatch", place.span(), format!("expected {expected}, found {found}"))
    }

    /// Reports an error of the operation.
    pub(super) fn fail(&mut self, id: &'static str, message: String) -> Failed {
        self.p.report(id, self.token.span(), message)
    }

    /// Reports that the type of the result is not what the operation gives.
    pub(super) fn check_result(&mut self, request: &Request, element: Type, shape: &[i64]) -> Parsed<Type> {
        let expected = self.tile(element, shape)?;
        match request.result {
            Some(ty) if ty != expected => {
                let (ty, expected) = (self.p.type_name(ty), self.p.type_name(expected));
                Err(self.fail("type-mismatch", format!("the result is {expected}, but the text says {ty}")))
            }
            _ => Ok(expected),
        }
    }

    /// An access to memory that follows those before it: the values without its token, which comes last.
    pub(super) fn ordered(
        &mut self,
        opcode: Opcode,
        operands: &[(&str, &[Value])],
        attrs: &[(AttrName, AttrValue)],
        ty: Option<Type>,
    ) -> Parsed<Option<Value>> {
        self.outside_of_folds()?;
        let value = Value::new(self.p.body.num_values());
        let results: Vec<Type> = ty.into_iter().chain([TypeTable::token()]).collect();
        let op = self.op(opcode, (operands, attrs, &results))?;
        self.p.pending.marks.insert(op, Mark::Ordered);
        Ok(ty.map(|_| value))
    }

    /// Checks that the block is not of a reduce or scan, which have no place in the order of accesses.
    pub(super) fn outside_of_folds(&mut self) -> Parsed<()> {
        let owner = self.p.body.owner(self.p.body.region_of(self.block)).map(|op| self.p.body.op(op));
        let fold = std::iter::successors(owner, |op| op.parent()).find(|op| matches!(op.opcode(), Opcode::Reduce | Opcode::Scan));
        match fold.map(|op| op.opcode()) {
            None => Ok(()),
            Some(fold) => {
                Err(self
                    .fail("cannot-expand", format!("{} cannot stand inside of {fold}, which is free of effects", self.p.text(self.token))))
            }
        }
    }

    /// A value of a type where it does not matter which.
    pub(super) fn filler(&mut self, ty: Type) -> Parsed<Value> {
        if ty == TypeTable::token() {
            return self.value(Opcode::MakeToken, &[], &[], ty);
        }
        let Some((element, shape)) = self.p.module.tables.types.as_tile(ty) else {
            let ty = self.p.type_name(ty);
            return Err(self.fail("cannot-expand", format!("control flow cannot carry a value of type {ty}")));
        };
        let shape = shape.to_vec();
        match self.p.module.tables.types.scalar(element) {
            Some(scalar) => self.splat(scalar, &shape, 0),
            None => {
                let zero = self.splat(Scalar::I64, &shape, 0)?;
                self.unary(Opcode::IntToPtr, "source", zero, ty)
            }
        }
    }

    /// Begins a loop that carries two values: the operations that follow are its body. Gives the loop, and the values in it.
    pub(super) fn begin_loop(&mut self, carried: [Value; 2]) -> Parsed<(Repeat, Value, Value)> {
        let types = carried.map(|value| self.ty(value));
        let new = NewOp { opcode: Opcode::Loop, operands: &carried, present: 0, split: 2, attrs: &[], results: &[], loc: self.loc };
        let op = self.p.body.add_op_without_results(self.block, new);
        let region = self.p.body.op(op).regions().next().ok_or(Failed)?;
        let inside = self.p.body.add_block(region, &types);
        let before = std::mem::replace(&mut self.block, inside);
        let mut args = self.p.body.args(inside);
        match (args.next(), args.next()) {
            (Some(first), Some(second)) => Ok((Repeat { op, before }, first, second)),
            _ => Err(Failed),
        }
    }

    /// Ends the body of a loop, which goes on with new values if any element of `again` is true, else gives the first of them.
    pub(super) fn end_loop(&mut self, repeat: Repeat, (again, shape): (Value, &[i64]), carried: [Value; 2]) -> Parsed<Value> {
        let ty = self.ty(carried[0]);
        let again = self.any(again, shape)?;
        let new = NewOp { opcode: Opcode::If, operands: &[again], present: 0, split: 0, attrs: &[], results: &[], loc: self.loc };
        let choice = self.p.body.add_op_without_results(self.block, new);
        let region = self.p.body.op(choice).regions().next().ok_or(Failed)?;
        let inside = self.p.body.add_block(region, &[]);
        let body = std::mem::replace(&mut self.block, inside);
        self.op(Opcode::Continue, (&[("operands", &carried)], &[], &[]))?;
        self.p.body.define_results(choice, &[]);
        self.block = body;
        self.op(Opcode::Break, (&[("operands", &carried[..1])], &[], &[]))?;
        self.block = repeat.before;
        self.p.body.define_results(repeat.op, &[ty]);
        self.p.body.op(repeat.op).result(0).ok_or(Failed)
    }

    /// Whether any element of a tile of i1 is true: halves are joined until one element is left.
    fn any(&mut self, truths: Value, shape: &[i64]) -> Parsed<Value> {
        let mut count: i64 = shape.iter().product();
        let line = self.tile(Scalar::I1.ty(), &[count])?;
        let mut value = if shape.len() == 1 { truths } else { self.unary(Opcode::Reshape, "source", truths, line)? };
        while count > 1 {
            count /= 2;
            let half = self.tile(Scalar::I1.ty(), &[count])?;
            let (first, second) = (self.splat(Scalar::I32, &[], 0)?, self.splat(Scalar::I32, &[], 1)?);
            let lhs = self.value(Opcode::Extract, &[("source", &[value]), ("indices", &[first])], &[], half)?;
            let rhs = self.value(Opcode::Extract, &[("source", &[value]), ("indices", &[second])], &[], half)?;
            value = self.value(Opcode::OrI, &[("lhs", &[lhs]), ("rhs", &[rhs])], &[], half)?;
        }
        let scalar = self.tile(Scalar::I1.ty(), &[])?;
        self.unary(Opcode::Reshape, "source", value, scalar)
    }
}

/// A loop that is being made.
pub(super) struct Repeat {
    op: Op,
    /// The block that it stands in.
    before: Block,
}
