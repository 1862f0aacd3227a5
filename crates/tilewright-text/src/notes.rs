//! Notes: comments beside operations that say what somebody knows about their values.

use crate::printer::FunctionWriter;
use tilewright_ir::{Block, Body, OpRef, Value};

/// What is told beside the operations of a module. Text with notes parses as the text without them.
///
/// Long blocks are printed by several threads.
pub trait Notes: Sync {
    /// What is told of a value, in one line; nothing if empty.
    fn value(&self, body: &Body, value: Value) -> String;

    /// What is told of an operation besides its results, in one line; nothing if empty.
    fn op(&self, op: OpRef<'_>) -> String;
}

impl FunctionWriter<'_, '_> {
    /// `  // %blockId_x: range 0..=7; %blockId_y: 0` behind an operation: the name stands where there are several results.
    pub(crate) fn push_notes(&mut self, op: OpRef<'_>) {
        let Some(notes) = self.w.notes else { return };
        let named = op.results().len() > 1;
        let texts = op.results().map(|value| (named.then_some(value), notes.value(self.body, value)));
        let texts: Vec<_> = texts.chain([(None, notes.op(op))]).collect();
        self.push_comment(texts);
    }

    /// `  // %i: range 0..=7` behind the brace that opens a block with arguments.
    pub(crate) fn push_argument_notes(&mut self, block: Option<Block>) {
        let (Some(notes), Some(block)) = (self.w.notes, block) else { return };
        let texts = self.body.args(block).map(|value| (Some(value), notes.value(self.body, value))).collect();
        self.push_comment(texts);
    }

    fn push_comment(&mut self, texts: Vec<(Option<Value>, String)>) {
        let mut before = "  // ";
        for (value, text) in texts.into_iter().filter(|(_, text)| !text.is_empty()) {
            self.w.out.push_str(std::mem::replace(&mut before, "; "));
            if let Some(value) = value {
                self.push_value(value);
                self.w.out.push_str(": ");
            }
            self.w.out.push_str(&text);
        }
    }
}
