//! Building bodies: operations by name, checked against the op table as they are made.

use crate::{
    AttrData, AttrName, AttrValue, Body, Loc, NewOp, Op, Opcode, Place, Region, Tables, Type, Value,
    ops::{Arity, AttrDef, AttrDefault, AttrKind, OpDef, Results},
};
use std::fmt;

/// An operation that does not keep to its row of the op table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BuildError {
    /// The operation.
    pub opcode: Opcode,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.opcode, self.message)
    }
}

impl std::error::Error for BuildError {}

/// Adds operations to the end of a block, or before another operation.
///
/// ```
/// use tilewright_ir::{Body, Builder, Module, Opcode, Scalar, Version};
///
/// let mut module = Module::new("kernels", Version::LATEST);
/// let ty = module.tables.types.tile(Scalar::I32.ty(), &[])?;
/// let mut body = Body::new();
/// let entry = body.add_block(body.root(), &[ty]);
/// let n = body.args(entry).next().unwrap();
///
/// let mut builder = Builder::new(&mut module.tables, &mut body, entry);
/// let one = builder.constant(Scalar::I32, &[], &1i32.to_le_bytes())?;
/// let sum = builder.op(Opcode::AddI).operand("lhs", n).operand("rhs", one).result(ty).value()?;
/// builder.op(Opcode::Return).finish()?;
/// assert_eq!(body.ty(sum), ty);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Builder<'a> {
    tables: &'a mut Tables,
    body: &'a mut Body,
    place: Place,
    loc: Option<Loc>,
}

impl<'a> Builder<'a> {
    /// A builder at the end of a block, or at another place.
    pub fn new(tables: &'a mut Tables, body: &'a mut Body, place: impl Into<Place>) -> Builder<'a> {
        Builder { tables, body, place: place.into(), loc: None }
    }

    /// The interned data of the module.
    pub fn tables(&mut self) -> &mut Tables {
        self.tables
    }

    /// The body.
    pub fn body(&self) -> &Body {
        self.body
    }

    /// Gives the operations that follow this location.
    pub fn set_loc(&mut self, loc: Option<Loc>) {
        self.loc = loc;
    }

    /// Begins an operation. Nothing is added until it is finished.
    pub fn op(&mut self, opcode: Opcode) -> OpBuilder<'_, 'a> {
        let def = opcode.def();
        OpBuilder {
            builder: self,
            opcode,
            operands: vec![Vec::new(); def.operands.len()],
            attrs: vec![None; def.attrs.len()],
            results: Vec::new(),
            error: None,
        }
    }

    /// A constant of this element type and shape, from bytes as the constant section holds them.
    ///
    /// # Errors
    /// When there is no such tile type.
    pub fn constant(&mut self, scalar: crate::Scalar, shape: &[i64], bytes: &[u8]) -> Result<Value, BuildError> {
        let ty = self.tables.types.tile(scalar.ty(), shape);
        let ty = ty.map_err(|error| BuildError { opcode: Opcode::Constant, message: error.to_string() })?;
        let data = self.tables.constants.add(bytes);
        self.op(Opcode::Constant).attr(AttrName::Value, AttrValue::Const(data)).result(ty).value()
    }

    /// Adds a block with arguments of these types to a region, and goes on at its end. Gives its arguments and the place to
    /// come back to with [`Builder::switch_to`].
    pub fn begin_region(&mut self, region: Region, args: &[Type]) -> (Vec<Value>, Place) {
        let block = self.body.add_block(region, args);
        let before = std::mem::replace(&mut self.place, Place::End(block));
        (self.body.args(block).collect(), before)
    }

    /// Goes on at another place, such as the end of a block.
    pub fn switch_to(&mut self, place: impl Into<Place>) {
        self.place = place.into();
    }

    /// Builds the block of the `index`-th region of an operation: `build` gets its arguments, which have these types.
    ///
    /// # Errors
    /// Those of `build`, and when the operation has no such region.
    pub fn region(
        &mut self,
        op: Op,
        index: usize,
        args: &[Type],
        build: impl FnOnce(&mut Self, &[Value]) -> Result<(), BuildError>,
    ) -> Result<(), BuildError> {
        let Some(region) = self.body.op(op).regions().nth(index) else {
            return Err(BuildError { opcode: self.body.op(op).opcode(), message: format!("it has no region {index}") });
        };
        let (args, before) = self.begin_region(region, args);
        let built = build(self, &args);
        self.switch_to(before);
        built
    }
}

/// An operation under construction.
#[derive(Debug)]
#[must_use = "nothing is added until the operation is finished"]
pub struct OpBuilder<'b, 'a> {
    builder: &'b mut Builder<'a>,
    opcode: Opcode,
    /// The values of each operand of the row.
    operands: Vec<Vec<Value>>,
    attrs: Vec<Option<AttrValue>>,
    results: Vec<Type>,
    /// The first mistake.
    error: Option<String>,
}

impl OpBuilder<'_, '_> {
    fn def(&self) -> &'static OpDef {
        self.opcode.def()
    }

    fn mistake(&mut self, message: String) {
        self.error.get_or_insert(message);
    }

    /// Adds a value to the operand with this name in the op table.
    pub fn operand(self, name: &str, value: Value) -> Self {
        self.operands(name, &[value])
    }

    /// Adds values to the operand with this name in the op table.
    pub fn operands(mut self, name: &str, values: &[Value]) -> Self {
        match self.def().operand_index(name) {
            Some(index) => self.operands[index].extend_from_slice(values),
            None => self.mistake(format!("it has no operand '{name}'")),
        }
        self
    }

    /// Sets an attribute; `Absent` leaves it out.
    pub fn attr(mut self, name: AttrName, value: AttrValue) -> Self {
        match self.def().attr_index(name) {
            Some(index) if value == AttrValue::Absent => self.attrs[index] = None,
            Some(index) if self.def().attrs[index].kind.fits(value) => self.attrs[index] = Some(value),
            Some(_) => self.mistake(format!("attribute '{}' cannot hold {value:?}", name.name())),
            None => self.mistake(format!("it has no attribute '{}'", name.name())),
        }
        self
    }

    /// Sets a unit attribute.
    pub fn flag(self, name: AttrName) -> Self {
        self.attr(name, AttrValue::Unit)
    }

    /// Adds a result.
    pub fn result(self, ty: Type) -> Self {
        self.results(&[ty])
    }

    /// Adds results.
    pub fn results(mut self, types: &[Type]) -> Self {
        self.results.extend_from_slice(types);
        self
    }

    /// Adds the operation to the block.
    ///
    /// # Errors
    /// The first thing about it that its row in the op table does not allow.
    pub fn finish(mut self) -> Result<Op, BuildError> {
        let (present, split) = self.check_operands();
        let attrs = self.finished_attrs();
        if let Results::Fixed(results) = self.def().results
            && results.len() != self.results.len()
        {
            self.mistake(format!("it has {} results, {} types were given", results.len(), self.results.len()));
        }
        if let Some(message) = self.error {
            return Err(BuildError { opcode: self.opcode, message });
        }
        let operands = self.operands.concat();
        let new = NewOp {
            opcode: self.opcode,
            operands: &operands,
            present,
            split,
            attrs: &attrs,
            results: &self.results,
            loc: self.builder.loc,
        };
        Ok(self.builder.body.insert_op(self.builder.place, new))
    }

    /// Adds the operation and gives its first result.
    ///
    /// # Errors
    /// As [`OpBuilder::finish`]; also when it has no result.
    pub fn value(self) -> Result<Value, BuildError> {
        let opcode = self.opcode;
        let first = Value::new(self.builder.body.num_values());
        if self.results.is_empty() {
            return Err(BuildError { opcode, message: "it has no result".to_owned() });
        }
        // Results are numbered behind all values that exist.
        self.finish().map(|_| first)
    }

    /// Which optional operands are there, and how many values the first variadic one has.
    fn check_operands(&mut self) -> (u8, u32) {
        let (mut present, mut split) = (0, None);
        for (i, operand) in self.def().operands.iter().enumerate() {
            let count = self.operands[i].len();
            match operand.arity {
                Arity::One if count != 1 => self.mistake(format!("operand '{}' takes one value, {count} were given", operand.name)),
                Arity::Optional if count > 1 => {
                    self.mistake(format!("operand '{}' takes at most one value, {count} were given", operand.name))
                }
                Arity::Optional => present |= (count as u8) << i,
                Arity::Variadic => _ = split.get_or_insert(u32::try_from(count).unwrap_or(u32::MAX)),
                Arity::One => {}
            }
        }
        (present, split.unwrap_or(0))
    }

    /// All attributes, with defaults for those that were not set.
    fn finished_attrs(&mut self) -> Vec<AttrValue> {
        let def = self.def();
        let mut values = Vec::with_capacity(def.attrs.len());
        for (i, attr) in def.attrs.iter().enumerate() {
            let value = match self.attrs[i] {
                Some(value) => value,
                None if attr.optional => AttrValue::Absent,
                None => self.default(attr),
            };
            values.push(value);
        }
        values
    }

    fn default(&mut self, attr: &AttrDef) -> AttrValue {
        match attr.default {
            Some(AttrDefault::Enum(value)) => AttrValue::Enum(value),
            Some(AttrDefault::Int(value)) => AttrValue::Int(value),
            Some(AttrDefault::AllFalse) => {
                let indices = self.def().operand_index("index").map_or(0, |i| self.operands[i].len());
                let bits = AttrData::BoolArray(vec![false; indices].into());
                AttrValue::Attr(self.builder.tables.attrs.intern(bits))
            }
            None => {
                self.mistake(format!("attribute '{}' is missing", attr.name.name()));
                AttrValue::Absent
            }
        }
    }
}

impl AttrDef {
    /// Whether the slot of this attribute can hold a value: one of its kind, or nothing if it is optional.
    pub fn takes(&self, value: AttrValue) -> bool {
        self.kind.fits(value) || (self.optional && value == AttrValue::Absent)
    }
}

impl AttrKind {
    /// Whether a slot of this kind can hold a value.
    pub fn fits(self, value: AttrValue) -> bool {
        match (self, value) {
            (AttrKind::Enum(kind), AttrValue::Enum(wire)) => kind.value(wire).is_some(),
            (AttrKind::UInt(bits), AttrValue::Int(value)) => bits >= 64 || value >> bits == 0,
            (AttrKind::Bool, AttrValue::Bool(_))
            | (AttrKind::String | AttrKind::Symbol, AttrValue::Str(_))
            | (AttrKind::Type, AttrValue::Type(_))
            | (AttrKind::Constant, AttrValue::Const(_))
            | (AttrKind::Array | AttrKind::Hints | AttrKind::Predicate | AttrKind::I32Array | AttrKind::BoolArray, AttrValue::Attr(_))
            | (AttrKind::Unit, AttrValue::Unit) => true,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Module, Scalar, TypeTable, Version};

    /// A body with one i32 scalar, and what went wrong when `build` added an operation.
    fn mistake(build: impl FnOnce(&mut Builder<'_>, Value, Type) -> Result<Op, BuildError>) -> String {
        let mut module = Module::new("m", Version::LATEST);
        let ty = module.tables.types.tile(Scalar::I32.ty(), &[]).unwrap();
        let mut body = Body::new();
        let block = body.add_block(body.root(), &[ty]);
        let arg = body.args(block).next().unwrap();
        let error = build(&mut Builder::new(&mut module.tables, &mut body, block), arg, ty).unwrap_err();
        assert_eq!(body.num_ops(), 0, "nothing is added on failure");
        error.to_string()
    }

    #[test]
    fn mistakes_are_named() {
        let found = mistake(|b, v, t| b.op(Opcode::AddI).operand("lhs", v).result(t).finish());
        assert_eq!(found, "addi: operand 'rhs' takes one value, 0 were given");
        let found = mistake(|b, v, t| b.op(Opcode::AbsI).operand("src", v).result(t).finish());
        assert_eq!(found, "absi: it has no operand 'src'");
        let found = mistake(|b, v, t| b.op(Opcode::AbsI).operand("source", v).flag(AttrName::Saturating).result(t).finish());
        assert_eq!(found, "absi: it has no attribute 'saturating'");
        let found = mistake(|b, v, t| {
            b.op(Opcode::AddI).operands("lhs", &[v]).operand("rhs", v).attr(AttrName::Overflow, AttrValue::Enum(9)).result(t).finish()
        });
        assert_eq!(found, "addi: attribute 'overflow' cannot hold Enum(9)");
        let found = mistake(|b, v, _| b.op(Opcode::AbsI).operand("source", v).finish());
        assert_eq!(found, "absi: it has 1 results, 0 types were given");
        let found = mistake(|b, v, t| b.op(Opcode::MaxI).operand("lhs", v).operand("rhs", v).result(t).finish());
        assert_eq!(found, "maxi: attribute 'signedness' is missing");
    }

    #[test]
    fn operands_find_their_groups() {
        let mut module = Module::new("m", Version::LATEST);
        let token = TypeTable::token();
        let mut body = Body::new();
        let block = body.add_block(body.root(), &[]);
        let mut builder = Builder::new(&mut module.tables, &mut body, block);
        let first = builder.op(Opcode::MakeToken).result(token).value().unwrap();
        let text = builder.tables().strings.intern("%d %d");
        let number = builder.constant(Scalar::I32, &[], &[1, 0, 0, 0]).unwrap();
        let print = builder.op(Opcode::PrintTko).attr(AttrName::Str, AttrValue::Str(text)).operand("token", first);
        let print = print.operands("args", &[number, number]).result(token).finish().unwrap();
        let print = body.op(print);
        assert_eq!(print.operands(), [number, number, first]);
        assert_eq!(print.operand_named("args"), [number, number]);
        assert_eq!(print.operand_named("token"), [first]);
    }
}
