//! Operations in their own syntax.

use crate::literals::INVALID;
use crate::pattern::Step;
use crate::printer::FunctionWriter;
use tilewright_ir::ops::{Arity, AttrDef, CustomFormat, Format, Results, TypeList};
use tilewright_ir::{Attr, AttrData, AttrValue, Block, OpRef, Region, TypeTable, Value};

/// Deeper regions are left out: readers do not make them, and printing takes stack for each level.
pub(crate) const MAX_DEPTH: usize = 512;

/// Whether the syntax of an operation shows the type of its first result, but there is none, as for the shape of a tensor
/// without dimensions. NVIDIA's disassembler ends with a signal there; the generic form can be read.
fn shows_missing_type(op: OpRef<'_>) -> bool {
    let def = op.def();
    op.results().len() == 0 && matches!((def.format, def.results), (Format::Pattern(_), Results::Variadic(_)))
}

impl<'m> FunctionWriter<'_, 'm> {
    /// An operation from its results to its location. With `indent`, its regions stand in lines of their own; without, they
    /// are abbreviated and the operation is one line.
    pub(crate) fn op(&mut self, op: OpRef<'m>, indent: Option<usize>) {
        if shows_missing_type(op) {
            return self.generic_op(op, indent);
        }
        let pattern = &self.w.patterns[op.opcode() as usize];
        if op.results().len() > 0 || self.names.has_implied_result(op) {
            self.names.push_results(&mut self.w.out, op);
            self.w.out.push_snippet(&pattern.start_after_results);
        } else {
            self.w.out.push_snippet(&pattern.start);
        }
        match &pattern.steps {
            Some(steps) => self.steps(op, steps),
            None => self.custom(op, indent),
        }
        self.push_loc(op.loc());
    }

    fn custom(&mut self, op: OpRef<'m>, indent: Option<usize>) {
        let Format::Custom(custom) = op.def().format else { return };
        match custom {
            CustomFormat::For => self.for_op(op, indent),
            CustomFormat::If => self.if_op(op, indent),
            CustomFormat::Loop => self.loop_op(op, indent),
            CustomFormat::Fold => self.fold_op(op, indent),
            CustomFormat::MakeTensorView => self.make_tensor_view(op),
            CustomFormat::Call => self.call(op),
            // They are no operations of a body.
            CustomFormat::Entry | CustomFormat::Global | CustomFormat::Module => {
                self.w.out.push(' ');
                self.w.out.push_str(INVALID);
            }
        }
    }

    fn steps(&mut self, op: OpRef<'m>, steps: &'static [Step]) {
        let operands = op.operands();
        for step in steps {
            match step {
                Step::Literal(text) => self.w.out.push_snippet(text),
                Step::Value(index) => self.push_optional_value(operands.get(*index).copied()),
                Step::TypeOfValue(index) => match operands.get(*index) {
                    Some(&value) => self.push_type_of(value),
                    None => self.w.out.push_str(INVALID),
                },
                Step::TypeOfResult(index) => self.result_type(op, *index),
                Step::IfAttr(index, default, steps) => {
                    let value = op.attrs()[*index];
                    if value != AttrValue::Absent && value != *default {
                        self.steps(op, steps);
                    }
                }
                step => self.rare_step(op, step),
            }
        }
    }

    /// A step that few operations have: apart, so that the others are short.
    #[inline(never)]
    fn rare_step(&mut self, op: OpRef<'m>, step: &'static Step) {
        match step {
            Step::Values(index) => self.values(op, *index),
            Step::Attr(index, def) => self.attr(op, op.attrs()[*index], def),
            Step::TypesOfValues(index, list) => self.types_of_values(op, *index, *list),
            Step::TypesOfResults => self.push_types_of(op.results()),
            Step::IfValues(index, steps) => {
                if !op.operand_group(*index).is_empty() {
                    self.steps(op, steps);
                }
            }
            Step::IfNotAllFalse(index, steps) => {
                let value = op.attrs()[*index];
                if value != AttrValue::Absent && !self.is_all_false(value) {
                    self.steps(op, steps);
                }
            }
            // The caller has them.
            Step::Literal(_) | Step::Value(_) | Step::TypeOfValue(_) | Step::TypeOfResult(_) | Step::IfAttr(..) => {}
        }
    }

    fn is_all_false(&self, value: AttrValue) -> bool {
        match value {
            AttrValue::Attr(attr) => {
                matches!(self.w.attr_data(attr), Some(AttrData::BoolArray(items)) if items.iter().all(|item| !item))
            }
            _ => false,
        }
    }

    fn values(&mut self, op: OpRef<'m>, index: usize) {
        match op.operand_group(index) {
            [] if op.def().operands[index].arity == Arity::One => self.w.out.push_str(INVALID),
            values => self.push_values(values),
        }
    }

    fn attr(&mut self, op: OpRef<'m>, value: AttrValue, def: &AttrDef) {
        match value {
            AttrValue::Const(constant) => {
                let ty = op.result(0).and_then(|result| self.type_of(result)).unwrap_or(TypeTable::token());
                self.w.push_constant(constant, ty);
            }
            value => self.w.push_attr_value(def, value),
        }
    }

    fn types_of_values(&mut self, op: OpRef<'m>, index: usize, list: TypeList) {
        let group = op.operand_group(index);
        if group.is_empty() && op.def().operands[index].arity == Arity::One {
            return self.w.out.push_str(INVALID);
        }
        let equal = list == TypeList::Index && self.have_one_type(group);
        let shown = if equal || list == TypeList::First { &group[..group.len().min(1)] } else { group };
        self.push_types_of(shown.iter().copied());
    }

    fn have_one_type(&self, values: &[Value]) -> bool {
        let mut types = values.iter().map(|&v| self.type_of(v));
        types.next().is_none_or(|first| types.all(|ty| ty == first))
    }

    fn result_type(&mut self, op: OpRef<'m>, index: usize) {
        match op.result(index) {
            Some(result) => self.push_type_of(result),
            None if self.names.has_implied_result(op) => self.w.push_type(TypeTable::token()),
            None => self.w.out.push_str(INVALID),
        }
    }

    /// `{ ... }` with one operation to a line. `terminators`: whether the last operation of a block is shown.
    pub(crate) fn region(&mut self, region: Region, indent: usize, terminators: bool) {
        self.w.out.push('{');
        self.push_argument_notes(self.body.blocks(region).next());
        self.w.out.push('\n');
        for (index, block) in self.body.blocks(region).enumerate() {
            if index > 0 {
                self.block_header(block, index, indent);
            }
            let hidden = if terminators { None } else { self.body.last_op(block).map(|op| op.id()) };
            self.lines(block, indent + 2, hidden);
        }
        self.w.out.push_spaces(indent);
        self.w.out.push('}');
    }

    /// `(%arg0: tile<i32>, %arg1: tile<f32>)`; `attrs`: a dictionary for each argument, or fewer.
    pub(crate) fn argument_list(&mut self, block: Block, attrs: &[Attr]) {
        self.w.out.push('(');
        for (i, arg) in self.body.args(block).enumerate() {
            if i > 0 {
                self.w.out.push_str(", ");
            }
            self.push_value(arg);
            self.w.out.push_str(": ");
            self.push_type_of(arg);
            if let Some(&attrs) = attrs.get(i)
                && !matches!(self.w.attr_data(attrs), Some(AttrData::Dictionary(entries)) if entries.is_empty())
            {
                self.w.out.push(' ');
                self.w.push_attr(attrs, false);
            }
        }
        self.w.out.push(')');
    }
}
