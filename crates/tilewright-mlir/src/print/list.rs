//! A module as a list of operations, for those who compare.

use super::{
    PrintOptions, Printer, Shared,
    strings::{push_block, push_list, push_string},
};
use crate::{
    ir::{Op, Region},
    module::Module,
};
use std::ops::Range;

/// An operation, or the head of a block that has arguments or is not the first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// How many regions are around it.
    pub depth: usize,
    /// Its text in the generic form, without its regions.
    pub text: String,
    /// The same without the names of values, which say no more than where others stand.
    pub shape: String,
    /// The name of the operation; `^` for a block.
    pub name: String,
    /// The numbers of its operands.
    pub operands: Vec<u32>,
    /// The numbers of its results, or of the block's arguments.
    pub values: Range<u32>,
}

impl Line {
    /// Whether it is the head of a block, and no operation.
    pub fn is_block(&self) -> bool {
        self.name == "^"
    }
}

/// The operations of a module in the order of its text, each with the blocks of its regions behind it.
pub fn list(module: &Module<'_>, options: &PrintOptions) -> Vec<Line> {
    let split = super::split::split(module);
    let module = split.as_ref().unwrap_or(module);
    let mut shared = Shared::without_aliases(module, options);
    shared.names = super::names::names(&module.ir);
    let printer = Printer::new(&shared);
    let mut lines = Vec::new();
    module.ir.top.iter().for_each(|op| printer.list_op(Op(op), 0, &mut lines));
    lines
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

impl Printer<'_, '_> {
    fn list_op(&self, op: Op, depth: usize, lines: &mut Vec<Line>) {
        let ir = &self.module.ir;
        let data = ir.op(op);
        let (mut full, mut shape, mut name, mut tail) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        self.module.push_op_name(data.name, &mut name);
        self.long_names(data, 0, &mut full);
        self.behind_operands(data, true, &mut full);
        self.tail(data, true, &mut tail);
        if self.shared.debug_info {
            tail.push(b' ');
            self.push_location(&mut tail, data.location);
        }
        push_string(&mut shape, &name);
        if !ir.successors(data).is_empty() {
            push_list(&mut shape, ir.successors(data), |out, &block| push_block(out, block));
        }
        self.dictionary(data, &mut shape, true, true);
        shape.extend(&tail);
        full.extend(&tail);
        lines.push(Line {
            depth,
            text: text(full),
            shape: text(shape),
            name: text(name),
            operands: ir.operands(data).iter().map(|value| value.0).collect(),
            values: data.results.iter(),
        });
        for region in ir.regions(data).iter().map(Region) {
            self.list_region(region, depth, lines);
        }
    }

    fn list_region(&self, region: Region, depth: usize, lines: &mut Vec<Line>) {
        let ir = &self.module.ir;
        for (index, block) in ir.blocks(region).enumerate() {
            let data = ir.blocks[block.index()];
            if index > 0 || data.args.len > 0 {
                let (mut full, mut shape) = (Vec::new(), Vec::new());
                self.label(block, index as u32, &[], &mut full);
                push_block(&mut shape, index as u32);
                push_list(&mut shape, &ir.value_types[data.args.range()], |out, &ty| self.push_type(out, ty));
                let full = text(full).lines().next().unwrap_or_default().replace("  // no predecessors", "");
                let values = data.args.iter();
                lines.push(Line { depth, text: full, shape: text(shape), name: "^".to_owned(), operands: Vec::new(), values });
            }
            data.ops.iter().for_each(|op| self.list_op(Op(op), depth + 1, lines));
        }
    }
}
