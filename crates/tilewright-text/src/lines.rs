//! The operations of a block, one to a line; those of long blocks on several threads.

use crate::buffer::TextBuffer;
use crate::ops::MAX_DEPTH;
use crate::printer::{FunctionWriter, Writer};
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::thread::Scope;
use tilewright_ir::{Block, Op, OpRef};

/// How many operations a thread prints before the next thread's turn: about as much text as is handed on at once.
const RUN: usize = 1024;
/// How many runs a thread may be ahead of its turn.
const AHEAD: usize = 4;

impl<'m> FunctionWriter<'_, 'm> {
    /// The operations of a block before `hidden`.
    pub(crate) fn lines(&mut self, block: Block, indent: usize, hidden: Option<Op>) {
        if indent > 2 * MAX_DEPTH {
            self.w.out.push_spaces(indent);
            self.w.out.push_str("...\n");
            return;
        }
        let ops = self.body.ops(block).take_while(|op| Some(op.id()) != hidden);
        if self.w.options.thread_count() == 1 || ops.clone().nth(2 * RUN).is_none() {
            return self.run(ops, indent);
        }
        self.runs(&ops, indent);
    }

    fn run(&mut self, ops: impl Iterator<Item = OpRef<'m>>, indent: usize) {
        for op in ops {
            self.w.out.push_spaces(indent);
            if self.w.options.is_generic() {
                self.generic_op(op, Some(indent));
            } else {
                self.op(op, Some(indent));
            }
            self.push_notes(op);
            self.w.out.push('\n');
            self.flush();
        }
    }

    /// Every thread prints each n-th run; this one only hands the text on, in order, while the others go on printing.
    fn runs(&mut self, ops: &(impl Iterator<Item = OpRef<'m>> + Clone + Send), indent: usize) {
        std::thread::scope(|scope| {
            let threads = self.w.options.thread_count();
            let printers: Vec<Printer> = (0..threads).map(|turn| self.printer(scope, ops.clone(), indent, turn)).collect();
            // The first run that does not come is the one behind the last. Or its thread panicked, which the scope passes on.
            for (text, used) in printers.iter().cycle().map_while(|printer| Some((printer.texts.recv().ok()?, &printer.used))) {
                self.w.append(&text);
                // A thread that has ended needs none.
                let _ = used.send(text);
            }
        });
    }

    /// A thread that prints the runs whose turn it is.
    fn printer<'s>(&self, scope: &'s Scope<'s, '_>, ops: impl Iterator<Item = OpRef<'m>> + Send + 's, indent: usize, turn: usize) -> Printer
    where
        Self: 's,
        'm: 's,
    {
        let (sender, texts) = sync_channel(AHEAD);
        let (used, empty) = channel();
        let (body, names, locations, loc) = (self.body, self.names, self.locations, self.loc);
        let (module, options, notes) = (self.w.module, self.w.options, self.w.notes);
        scope.spawn(move || {
            let mut writer = Writer::new(module, options.threads(1)).with_notes(notes);
            let mut ops = ops.skip(turn * RUN).peekable();
            while ops.peek().is_some() {
                FunctionWriter { w: &mut writer, body, names, locations, loc }.run(ops.by_ref().take(RUN), indent);
                let room = empty.try_recv().map_or_else(|_| TextBuffer::new(), TextBuffer::reuse);
                if sender.send(std::mem::replace(&mut writer.out, room).into_string()).is_err() {
                    return;
                }
                // The turns of the others.
                ops.by_ref().take((options.thread_count() - 1) * RUN).for_each(drop);
            }
        });
        Printer { texts, used }
    }
}

/// A thread that prints: the texts that it makes, and the way back for their memory.
struct Printer {
    texts: Receiver<String>,
    used: Sender<String>,
}
