//! The generic form of MLIR: `"cuda_tile.addi"(%0, %1) <{overflow = #cuda_tile.overflow<none>}> : (...) -> ...`.

use crate::dense::dense;
use crate::literals::INVALID;
use crate::printer::{FunctionWriter, Writer};
use tilewright_ir::ops::{Arity, AttrDef, AttrKind, OpDef, OperandEncoding};
use tilewright_ir::{
    AttrName, AttrValue, Block, Const, EnumKind, Function, Global, OpRef, Region, SymbolVisibility, Type, TypeTable, Value,
};

impl Writer<'_> {
    pub(crate) fn open_generic_module(&mut self) {
        self.out.push_str("\"cuda_tile.module\"() <{");
        if let Some(producer) = self.module.producer {
            self.out.push_str("producer = ");
            self.push_string(producer);
            self.out.push_str(", ");
        }
        self.out.push_str("sym_name = ");
        self.push_string(self.module.name);
        self.out.push_str("}> ({\n");
    }

    pub(crate) fn generic_global(&mut self, global: &Global) {
        self.out.push_str("\"cuda_tile.global\"() <{alignment = ");
        self.out.push_u64(global.alignment);
        self.out.push_str(" : i64, ");
        if global.constant {
            self.out.push_str("constant, ");
        }
        self.out.push_str("sym_name = ");
        self.push_string(global.name);
        self.out.push_str(", symbol_visibility = #cuda_tile.symbol_visibility<");
        let private = global.visibility == SymbolVisibility::Private;
        self.out.push_str(if private { "private" } else { "public" });
        self.out.push_str(">, value = ");
        self.push_generic_constant(global.value, global.ty);
        self.out.push_str("}> : () -> ()");
    }

    /// `dense<1> : !cuda_tile.tile<4xi32>`
    fn push_generic_constant(&mut self, constant: Const, ty: Type) {
        self.out.push_str("dense<");
        match dense(self.module, constant, ty) {
            Some((dense, shape)) => dense.push(&mut self.out, shape),
            None => self.out.push_str(INVALID),
        }
        self.out.push_str("> : ");
        self.push_full_type(ty);
    }

    /// The value of an attribute with everything that says what it is.
    fn push_generic_attr(&mut self, def: &AttrDef, value: AttrValue) {
        match value {
            AttrValue::Enum(wire) => self.push_generic_enum(def.kind, wire),
            AttrValue::Int(value) => {
                self.out.push_u64(value);
                self.out.push_str(if matches!(def.kind, AttrKind::UInt(..=32)) { " : i32" } else { " : i64" });
            }
            AttrValue::Type(ty) => self.push_full_type(ty),
            AttrValue::Attr(attr) => self.push_attr(attr, false),
            value => self.push_attr_value(def, value),
        }
    }

    /// `#cuda_tile.overflow<none>`. Three enumerations are plain integers in the dialect.
    fn push_generic_enum(&mut self, kind: AttrKind, wire: u8) {
        let AttrKind::Enum(enumeration) = kind else { return self.out.push_str(INVALID) };
        let mnemonic = match enumeration {
            EnumKind::AtomicRMWMode | EnumKind::MemoryScope | EnumKind::MemoryOrderingSemantics => {
                self.out.push_u64(u64::from(wire));
                return self.out.push_str(" : i32");
            }
            EnumKind::Signedness => "signedness",
            EnumKind::IntegerOverflow => "overflow",
            EnumKind::RoundingMode => "rounding",
            EnumKind::ComparisonOrdering => "comparison_ordering",
            EnumKind::ComparisonPredicate => "comparison_predicate",
            EnumKind::PaddingValue => "padding_value",
            EnumKind::PtrAttr => "ptr_attr",
            EnumKind::SymbolVisibility => "symbol_visibility",
            EnumKind::MultimemReductionKind => "multimem_reduction_kind",
        };
        self.out.push_str("#cuda_tile.");
        self.out.push_str(mnemonic);
        self.out.push('<');
        self.push_enum(kind, wire);
        self.out.push('>');
    }
}

impl<'m> FunctionWriter<'_, 'm> {
    /// `"cuda_tile.entry"() <{...}> ({ ... }) : () -> ()`
    pub(crate) fn generic_function(&mut self, function: &Function, indent: usize) {
        self.w.out.push_str(if function.is_entry { "\"cuda_tile.entry\"() <{" } else { "\"cuda_tile.func\"() <{" });
        if let Some(attrs) = function.arg_attrs {
            self.w.out.push_str("arg_attrs = ");
            self.w.push_attr(attrs, false);
            self.w.out.push_str(", ");
        }
        self.w.out.push_str("function_type = ");
        self.w.push_full_type(function.signature);
        if let Some(hints) = function.hints {
            self.w.out.push_str(", optimization_hints = ");
            self.w.push_attr(hints, false);
        }
        self.w.out.push_str(", sym_name = ");
        self.w.push_string(function.name);
        self.w.out.push_str("}> (");
        self.generic_region(self.body.root(), indent);
        self.w.out.push_str(") : () -> ()");
    }

    /// An operation from its results to its location; without `indent`, its regions are abbreviated.
    pub(crate) fn generic_op(&mut self, op: OpRef<'m>, indent: Option<usize>) {
        if op.results().len() > 0 || self.names.has_implied_result(op) {
            self.names.push_results(&mut self.w.out, op);
            self.w.out.push_str(" = ");
        }
        self.w.out.push_str("\"cuda_tile.");
        self.w.out.push_str(op.def().mnemonic);
        self.w.out.push_str("\"(");
        self.push_values(op.operands());
        self.w.out.push(')');
        self.properties(op);
        if op.regions().len() > 0 {
            self.regions(op, indent);
        }
        self.w.out.push_str(" : ");
        self.signature(op);
        self.push_loc(op.loc());
    }

    /// ` <{name = value, ...}>`, sorted by name; nothing if there is nothing to say.
    fn properties(&mut self, op: OpRef<'m>) {
        let def = op.def();
        let mut slots: Vec<(&str, Option<usize>)> = def
            .attrs
            .iter()
            .enumerate()
            .filter(|(i, _)| op.attrs()[*i] != AttrValue::Absent)
            .map(|(i, a)| (a.name.name(), Some(i)))
            .collect();
        if def.operand_encoding() == OperandEncoding::Segments {
            slots.push(("operandSegmentSizes", None));
        }
        slots.sort_unstable();
        for (i, (name, slot)) in slots.iter().enumerate() {
            self.w.out.push_str(if i == 0 { " <{" } else { ", " });
            self.w.out.push_str(name);
            match slot.map(|slot| (&def.attrs[slot], op.attrs()[slot])) {
                Some((_, AttrValue::Unit)) => {}
                Some((attr, value)) => {
                    self.w.out.push_str(" = ");
                    self.property(op, attr, value);
                }
                None => self.segment_sizes(op, def),
            }
        }
        if !slots.is_empty() {
            self.w.out.push_str("}>");
        }
    }

    fn property(&mut self, op: OpRef<'m>, attr: &AttrDef, value: AttrValue) {
        match value {
            AttrValue::Const(constant) => {
                let ty = op.result(0).and_then(|result| self.type_of(result)).unwrap_or(TypeTable::token());
                self.w.push_generic_constant(constant, ty);
            }
            value if attr.name == AttrName::Callee || attr.name == AttrName::Name => self.w.push_attr_value(attr, value),
            value => self.w.push_generic_attr(attr, value),
        }
    }

    fn segment_sizes(&mut self, op: OpRef<'m>, def: &OpDef) {
        self.w.out.push_str(" = array<i32: ");
        for (i, operand) in def.operands.iter().enumerate() {
            if i > 0 {
                self.w.out.push_str(", ");
            }
            let size = if operand.arity == Arity::One { 1 } else { op.operand_group(i).len() };
            self.w.out.push_u64(size as u64);
        }
        self.w.out.push('>');
    }

    fn regions(&mut self, op: OpRef<'m>, indent: Option<usize>) {
        self.w.out.push_str(" (");
        for (i, region) in op.regions().enumerate() {
            if i > 0 {
                self.w.out.push_str(", ");
            }
            match indent {
                Some(indent) => self.generic_region(region, indent),
                None => self.w.out.push_str("{...}"),
            }
        }
        self.w.out.push(')');
    }

    fn generic_region(&mut self, region: Region, indent: usize) {
        self.w.out.push_str("{\n");
        for (index, block) in self.body.blocks(region).enumerate() {
            let is_plain = index == 0 && self.body.args(block).len() == 0 && self.body.last_op(block).is_some();
            if !is_plain {
                self.block_header(block, index, indent);
            }
            self.lines(block, indent + 2, None);
        }
        self.w.out.push_spaces(indent);
        self.w.out.push('}');
    }

    /// `^bb0(%arg0: type, ...):`
    pub(crate) fn block_header(&mut self, block: Block, index: usize, indent: usize) {
        self.w.out.push_spaces(indent);
        self.w.out.push_str("^bb");
        self.w.out.push_u64(index as u64);
        let args = self.body.args(block);
        if args.len() > 0 {
            self.w.out.push('(');
            for (i, arg) in args.enumerate() {
                if i > 0 {
                    self.w.out.push_str(", ");
                }
                self.push_value(arg);
                self.w.out.push_str(": ");
                self.push_full_type_of(arg);
                self.push_argument_loc(block);
            }
            self.w.out.push(')');
        }
        self.w.out.push(':');
        if index > 0 {
            self.w.out.push_str("  // no predecessors");
        } else {
            self.push_argument_notes(Some(block));
        }
        self.w.out.push('\n');
    }

    /// Bytecode keeps no locations of arguments; they have that of the operation or function around them.
    fn push_argument_loc(&mut self, block: Block) {
        if self.locations.is_some() {
            let owner = self.body.owner(self.body.region_of(block));
            self.push_loc(owner.map_or(self.loc, |op| self.body.op(op).loc()));
        }
    }

    /// `(operand types) -> result type`
    fn signature(&mut self, op: OpRef<'m>) {
        self.w.out.push('(');
        self.push_full_types_of(op.operands().iter().copied());
        self.w.out.push_str(") -> ");
        if self.names.has_implied_result(op) {
            return self.w.push_full_type(TypeTable::token());
        }
        if op.results().len() == 1 {
            return self.push_full_types_of(op.results());
        }
        self.w.out.push('(');
        self.push_full_types_of(op.results());
        self.w.out.push(')');
    }

    fn push_full_types_of(&mut self, values: impl Iterator<Item = Value>) {
        for (i, value) in values.enumerate() {
            if i > 0 {
                self.w.out.push_str(", ");
            }
            self.push_full_type_of(value);
        }
    }

    fn push_full_type_of(&mut self, value: Value) {
        match self.type_of(value) {
            Some(ty) => self.w.push_full_type(ty),
            None => self.w.out.push_str(INVALID),
        }
    }
}
