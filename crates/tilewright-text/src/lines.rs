//! The operations of a block, one to a line; those of long blocks on several threads.

use crate::ops::MAX_DEPTH;
use crate::printer::{FunctionWriter, Writer};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::Scope;
use tilewright_ir::{Block, Op};

/// How many operations a thread prints before the next thread's turn: about as much text as is handed on at once.
const RUN: usize = 1024;
/// How many runs a thread may be ahead of its turn.
const AHEAD: usize = 4;

impl<'m> FunctionWriter<'_, 'm> {
    /// The operations of a block before `hidden`.
    pub(crate) fn lines(&mut self, block: Block, indent: usize, hidden: Option<Op>) {
        if indent > 2 * MAX_DEPTH {
            self.w.indent(indent);
            self.w.out.push_str("...\n");
            return;
        }
        let ops = self.body.ops(block).map(|op| op.id()).take_while(|&op| Some(op) != hidden);
        if self.w.options.thread_count() == 1 || self.body.num_ops() <= 2 * RUN {
            return ops.for_each(|op| self.line(op, indent));
        }
        let ops: Vec<Op> = ops.collect();
        if ops.len() <= 2 * RUN {
            return self.run(&ops, indent);
        }
        self.runs(&ops, indent);
    }

    fn run(&mut self, ops: &[Op], indent: usize) {
        ops.iter().for_each(|&op| self.line(op, indent));
    }

    fn line(&mut self, op: Op, indent: usize) {
        self.w.indent(indent);
        let op = self.body.op(op);
        if self.w.options.is_generic() {
            self.generic_op(op, Some(indent));
        } else {
            self.op(op, Some(indent));
        }
        self.w.out.push('\n');
        self.flush();
    }

    /// Every thread prints each n-th run, this one among them, which puts them together in their order.
    fn runs(&mut self, ops: &[Op], indent: usize) {
        let threads = self.w.options.thread_count();
        std::thread::scope(|scope| {
            let others: Vec<Receiver<String>> = (1..threads).map(|turn| self.printer(scope, ops, indent, turn)).collect();
            for (index, run) in ops.chunks(RUN).enumerate() {
                match (index % threads).checked_sub(1) {
                    None => self.run(run, indent),
                    Some(other) => {
                        // A thread that panicked sends nothing; the scope passes its panic on.
                        let Ok(text) = others[other].recv() else { return };
                        self.w.out.push_str(&text);
                        self.flush();
                    }
                }
            }
        });
    }

    /// A thread that prints the runs whose turn it is.
    fn printer<'s>(&self, scope: &'s Scope<'s, '_>, ops: &'s [Op], indent: usize, turn: usize) -> Receiver<String>
    where
        Self: 's,
        'm: 's,
    {
        let (sender, receiver) = sync_channel(AHEAD);
        let (body, names, locations, loc) = (self.body, self.names, self.locations, self.loc);
        let (module, options) = (self.w.module, self.w.options);
        scope.spawn(move || {
            let mut writer = Writer::new(module, options.threads(1));
            for run in ops.chunks(RUN).skip(turn).step_by(options.thread_count()) {
                FunctionWriter { w: &mut writer, body, names, locations, loc }.run(run, indent);
                if sender.send(std::mem::take(&mut writer.out)).is_err() {
                    return;
                }
            }
        });
        receiver
    }
}
