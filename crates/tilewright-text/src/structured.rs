//! Operations with irregular syntax.

use crate::literals::{INVALID, push_i64};
use crate::printer::FunctionWriter;
use tilewright_ir::{AttrName, AttrValue, Block, DYNAMIC, OpRef, Opcode, Region, Type, TypeData, Value};

/// What the text of a tensor view needs of its type.
#[derive(Clone, Copy, Default)]
struct ViewShape<'m> {
    shape: &'m [i64],
    strides: &'m [i64],
    has_attr: bool,
}

/// Whether the text leaves out the terminator of the `index`-th region: it is the one that goes without saying, and hands
/// nothing on.
pub(crate) fn hides_terminator(op: OpRef<'_>, index: usize) -> bool {
    let implicit = match op.opcode() {
        Opcode::For | Opcode::Loop => Opcode::Continue,
        Opcode::If => Opcode::Yield,
        _ => return false,
    };
    let last = op.region_block(index).and_then(|block| op.body().last_op(block));
    last.is_some_and(|last| last.opcode() == implicit && last.operands().is_empty())
}

impl<'m> FunctionWriter<'_, 'm> {
    /// ` %i in (%lb to %ub, step %s) : type iter_values(%a = %init) -> (types) { ... }`
    pub(crate) fn for_op(&mut self, op: OpRef<'m>, indent: Option<usize>) {
        self.w.out.push_str(if op.flag(AttrName::UnsignedCmp) { " unsigned " } else { " " });
        let block = op.region_block(0);
        let induction = block.and_then(|block| self.body.args(block).next());
        self.push_optional_value(induction);
        for (before, index) in [(" in (", 0), (" to ", 1), (", step ", 2)] {
            self.w.out.push_str(before);
            self.push_optional_value(op.operand(index));
        }
        self.w.out.push_str(") : ");
        match induction {
            Some(value) => self.push_type_of(value),
            None => self.w.out.push_str(INVALID),
        }
        self.w.out.push(' ');
        let values = op.operands().get(3..).unwrap_or(&[]);
        if !values.is_empty() {
            self.iter_values(block, 1, values);
            self.w.out.push_str(" -> (");
            self.push_types_of(values.iter().copied());
            self.w.out.push_str(") ");
        }
        self.control_region(op, 0, indent);
    }

    /// ` iter_values(%a = %init) : types -> types { ... }`
    pub(crate) fn loop_op(&mut self, op: OpRef<'m>, indent: Option<usize>) {
        self.w.out.push(' ');
        let (values, results) = (op.operands(), op.results());
        if !values.is_empty() {
            self.iter_values(op.region_block(0), 0, values);
            self.w.out.push(' ');
        }
        if !values.is_empty() || results.len() > 0 {
            self.w.out.push_str(": ");
        }
        if !values.is_empty() {
            self.push_types_of(values.iter().copied());
            self.w.out.push_str(if results.len() > 0 { " -> " } else { " " });
        }
        if results.len() > 0 {
            self.push_types_of(results);
            self.w.out.push(' ');
        }
        self.control_region(op, 0, indent);
    }

    /// `iter_values(%inner = %outer, ...)`
    fn iter_values(&mut self, block: Option<Block>, skip: usize, values: &[Value]) {
        self.w.out.push_str("iter_values(");
        let mut args = block.map(|block| self.body.args(block).skip(skip));
        for (i, &value) in values.iter().enumerate() {
            if i > 0 {
                self.w.out.push_str(", ");
            }
            let arg = args.as_mut().and_then(Iterator::next);
            self.push_optional_value(arg);
            self.w.out.push_str(" = ");
            self.push_value(value);
        }
        self.w.out.push(')');
    }

    /// ` %cond -> (types) { ... } else { ... }`
    pub(crate) fn if_op(&mut self, op: OpRef<'m>, indent: Option<usize>) {
        self.w.out.push(' ');
        self.push_optional_value(op.operand(0));
        self.w.out.push(' ');
        if op.results().len() > 0 {
            self.w.out.push_str("-> (");
            self.push_types_of(op.results());
            self.w.out.push_str(") ");
        }
        self.control_region(op, 0, indent);
        if op.region_block(1).is_some() {
            self.w.out.push_str(" else ");
            self.control_region(op, 1, indent);
        }
    }

    /// A region whose terminator may be left out.
    fn control_region(&mut self, op: OpRef<'m>, index: usize, indent: Option<usize>) {
        if let Some(region) = op.regions().nth(index) {
            self.region_or_dots(region, indent, !hides_terminator(op, index));
        }
    }

    fn region_or_dots(&mut self, region: Region, indent: Option<usize>, terminators: bool) {
        match indent {
            Some(indent) => self.region(region, indent, terminators),
            None => self.w.out.push_str("{...}"),
        }
    }

    /// ` %x dim=1 reverse=false identities=[...] : types -> types`, then the region with its arguments on a new line.
    pub(crate) fn fold_op(&mut self, op: OpRef<'m>, indent: Option<usize>) {
        self.w.out.push(' ');
        self.push_values(op.operands());
        for (def, &value) in op.def().attrs.iter().zip(op.attrs()) {
            self.w.out.push(' ');
            self.w.out.push_str(def.name.name());
            self.w.out.push('=');
            match value {
                AttrValue::Attr(attr) => self.w.push_attr(attr, true),
                value => self.w.push_attr_value(def, value),
            }
        }
        self.w.out.push_str(" : ");
        self.push_types_of(op.operands().iter().copied());
        self.w.out.push_str(" -> ");
        self.push_types_of(op.results());
        self.w.out.push(' ');
        let Some(region) = op.regions().next() else { return };
        if let Some(indent) = indent {
            self.w.out.push('\n');
            self.w.out.push_spaces(indent);
        }
        match op.region_block(0) {
            Some(block) => self.argument_list(block, &[]),
            None => self.w.out.push_str("()"),
        }
        self.w.out.push(' ');
        self.region_or_dots(region, indent, true);
    }

    /// ` %base, shape = [%n, 64], strides = [64, 1] : tile<i32> -> tensor_view<...>`
    ///
    /// Before the arrow stands what the type of the view does not tell: that of the base, where it has a property, and that
    /// of the run-time extents, where there are any.
    pub(crate) fn make_tensor_view(&mut self, op: OpRef<'m>) {
        self.w.out.push(' ');
        self.push_optional_value(op.operand(0));
        let ty = op.result(0).and_then(|result| self.type_of(result));
        let view = ty.and_then(|ty| self.tensor_view(ty)).unwrap_or_default();
        let (dynamic_shape, dynamic_strides) = (op.operand_group(1), op.operand_group(2));
        self.w.out.push_str(", shape = [");
        self.mixed_list(view.shape, dynamic_shape);
        self.w.out.push_str("], strides = [");
        self.mixed_list(view.strides, dynamic_strides);
        self.w.out.push_str("] : ");
        let base = if view.has_attr { op.operand(0) } else { None };
        let dynamic = dynamic_shape.first().or(dynamic_strides.first()).copied();
        if base.is_some() || dynamic.is_some() {
            self.push_types_of(base.into_iter().chain(dynamic));
            self.w.out.push_str(" -> ");
        }
        match ty {
            Some(ty) => self.w.push_type(ty),
            None => self.w.out.push_str(INVALID),
        }
    }

    fn tensor_view(&self, ty: Type) -> Option<ViewShape<'m>> {
        let types = &self.w.module.tables.types;
        if ty.index() >= types.len() {
            return None;
        }
        match types.get(ty) {
            TypeData::TensorView { shape, strides, attr, .. } => Some(ViewShape { shape, strides, has_attr: attr.is_some() }),
            _ => None,
        }
    }

    /// Numbers, with values in the places of those that are only known at run time.
    fn mixed_list(&mut self, numbers: &[i64], dynamic: &[Value]) {
        let mut dynamic = dynamic.iter().copied();
        for (i, &number) in numbers.iter().enumerate() {
            if i > 0 {
                self.w.out.push_str(", ");
            }
            match number {
                DYNAMIC => self.push_optional_value(dynamic.next()),
                number => push_i64(&mut self.w.out, number),
            }
        }
    }

    /// ` @callee(%a, %b) : (types) -> (types)`; preview, so its official form is not known.
    pub(crate) fn call(&mut self, op: OpRef<'m>) {
        self.w.out.push(' ');
        match op.attr(AttrName::Callee) {
            AttrValue::Str(callee) => self.w.push_symbol_name(callee),
            _ => self.w.out.push_str(INVALID),
        }
        self.w.out.push('(');
        self.push_values(op.operands());
        self.w.out.push_str(") : (");
        self.push_types_of(op.operands().iter().copied());
        self.w.out.push_str(") -> (");
        self.push_types_of(op.results());
        self.w.out.push(')');
    }

    pub(crate) fn push_optional_value(&mut self, value: Option<Value>) {
        match value {
            Some(value) => self.push_value(value),
            None => self.w.out.push_str(INVALID),
        }
    }
}
