//! The text of a module as a sequence of steps, each of which can be printed alone.
//!
//! Operations nest, their text does not: a step is some lines, or what stands before, between or behind the regions of an operation.
//! Threads share the steps.

use super::{
    Printer,
    aliases::{Aliases, Symbol},
    sheet::Sheet,
    strings::push_spaces,
};
use crate::ir::{Block, Ir, Op, Region, Span};

/// A branch: the block that it goes to, and the one that it comes from, by their numbers in the region.
pub(super) type Jump = (u32, u32);

/// A piece of text.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// What some names mean, by their places in [`Aliases::before`] and in [`Aliases::behind`].
    ExplainBefore(Span),
    ExplainBehind(Span),
    /// Operations without regions.
    Lines {
        ops: Span,
        indent: u32,
    },
    /// An operation up to its first region.
    Open {
        op: Op,
        indent: u32,
    },
    /// What stands between two regions.
    Next {
        indent: u32,
    },
    /// The head of a block, with its number in the region.
    Label {
        block: Block,
        index: u32,
        indent: u32,
        predecessors: Span,
    },
    /// An operation from the end of its last region on.
    Close {
        op: Op,
        indent: u32,
    },
}

/// How many operations are printed at a time: about as much text as is handed on at once.
const RUN: u32 = 1024;

/// The steps of a module, in their order.
#[derive(Default)]
pub(super) struct Steps {
    steps: Vec<Step>,
    /// Where each run of steps ends.
    runs: Vec<u32>,
    /// The size of the run at hand.
    size: u32,
    jumps: Vec<Jump>,
}

impl Steps {
    pub(super) fn of(ir: &Ir, aliases: &Aliases) -> Steps {
        let mut steps = Steps::default();
        steps.split(0..aliases.before.len() as u32, Step::ExplainBefore);
        steps.ops(ir, ir.top, 0);
        steps.split(0..aliases.behind.len() as u32, Step::ExplainBehind);
        if steps.size > 0 {
            steps.runs.push(steps.steps.len() as u32);
        }
        steps
    }

    pub(super) fn num_runs(&self) -> usize {
        self.runs.len()
    }

    fn push(&mut self, step: Step, size: u32) {
        self.steps.push(step);
        self.size += size;
        if self.size >= RUN {
            self.runs.push(self.steps.len() as u32);
            self.size = 0;
        }
    }

    /// A range in pieces that fill the runs.
    fn split(&mut self, range: std::ops::Range<u32>, step: impl Fn(Span) -> Step) {
        let mut start = range.start;
        while start < range.end {
            let len = (range.end - start).min(RUN - self.size);
            self.push(step(Span { start, len }), len);
            start += len;
        }
    }

    /// The operations of a block.
    fn ops(&mut self, ir: &Ir, ops: Span, indent: u32) {
        let mut first = ops.start;
        for op in ops.iter() {
            if ir.regions(ir.op(Op(op))).len > 0 {
                self.split(first..op, |ops| Step::Lines { ops, indent });
                self.op(ir, Op(op), indent);
                first = op + 1;
            }
        }
        self.split(first..ops.start + ops.len, |ops| Step::Lines { ops, indent });
    }

    /// An operation with regions.
    fn op(&mut self, ir: &Ir, op: Op, indent: u32) {
        self.push(Step::Open { op, indent }, 1);
        for (index, region) in ir.regions(ir.op(op)).iter().enumerate() {
            if index > 0 {
                self.push(Step::Next { indent }, 1);
            }
            self.region(ir, Region(region), indent);
        }
        self.push(Step::Close { op, indent }, 1);
    }

    fn region(&mut self, ir: &Ir, region: Region, indent: u32) {
        let jumps = self.add_jumps(ir, region);
        let first = ir.all_regions[region.index()].blocks.start;
        for block in ir.blocks(region) {
            let data = ir.blocks[block.index()];
            let index = block.0 - first;
            if index > 0 || data.args.len > 0 || data.ops.len == 0 {
                let predecessors = self.jumps_to(jumps, index);
                self.push(Step::Label { block, index, indent, predecessors }, 1);
            }
            self.ops(ir, data.ops, indent + 2);
        }
    }

    /// Lists the jumps between blocks of a region, by where they go to.
    fn add_jumps(&mut self, ir: &Ir, region: Region) -> Span {
        let start = self.jumps.len();
        if !ir.successors.is_empty() {
            for (index, block) in ir.blocks(region).enumerate() {
                let ops = ir.blocks[block.index()].ops;
                // Only the last operation of a block jumps in what MLIR accepts.
                for op in &ir.ops[ops.range()] {
                    self.jumps.extend(ir.successors(op).iter().map(|&to| (to, index as u32)));
                }
            }
            self.jumps[start..].sort_unstable();
        }
        Span { start: start as u32, len: (self.jumps.len() - start) as u32 }
    }

    fn jumps_to(&self, jumps: Span, block: u32) -> Span {
        let all = &self.jumps[jumps.range()];
        let (first, end) = (all.partition_point(|&(to, _)| to < block), all.partition_point(|&(to, _)| to <= block));
        Span { start: jumps.start + first as u32, len: (end - first) as u32 }
    }
}

impl Printer<'_, '_> {
    /// Appends the text of a run of steps.
    pub(super) fn run(&self, steps: &Steps, run: usize, sheet: &mut Sheet) {
        let start = if run == 0 { 0 } else { steps.runs[run - 1] as usize };
        for step in &steps.steps[start..steps.runs[run] as usize] {
            match *step {
                Step::ExplainBefore(names) => self.explanations(&self.shared.aliases.before[names.range()], sheet),
                Step::ExplainBehind(names) => self.explanations(&self.shared.aliases.behind[names.range()], sheet),
                Step::Lines { ops, indent } => self.lines(ops, indent, sheet),
                Step::Open { op, indent } => {
                    let data = self.module.ir.op(op);
                    self.names(data, indent, sheet);
                    self.in_full(sheet, |out| {
                        self.behind_operands(data, true, out);
                        out.extend_from_slice(b" ({\n");
                    });
                }
                ref step => self.in_full(sheet, |out| self.step(steps, step, out)),
            }
        }
    }

    fn step(&self, steps: &Steps, step: &Step, out: &mut Vec<u8>) {
        let ir = &self.module.ir;
        match *step {
            // They are not printed in one piece.
            Step::ExplainBefore(_) | Step::ExplainBehind(_) | Step::Lines { .. } | Step::Open { .. } => {}
            Step::Next { indent } => {
                push_spaces(out, indent as usize);
                out.extend_from_slice(b"}, {\n");
            }
            Step::Label { block, index, indent, predecessors } => {
                push_spaces(out, indent as usize);
                self.label(block, index, &steps.jumps[predecessors.range()], out);
            }
            Step::Close { op, indent } => {
                push_spaces(out, indent as usize);
                out.extend_from_slice(b"})");
                self.tail(ir.op(op), true, out);
                self.end(ir.op(op), out);
            }
        }
    }

    /// What a name means.
    pub(super) fn explain(&self, symbol: Symbol, out: &mut Vec<u8>) {
        self.shared.aliases.push(symbol, out);
        out.extend_from_slice(b" = ");
        match symbol {
            Symbol::Attr(id) => self.push_attr_in_full(out, id, super::attributes::Elision::Never),
            Symbol::Type(id) => self.push_type_in_full(out, id),
            Symbol::UnknownLocation => out.extend_from_slice(b"loc(unknown)"),
        }
        out.push(b'\n');
    }
}
