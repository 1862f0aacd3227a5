//! What every byte of a file means, for programs: a tree, written as it comes.

use crate::{
    bytecode::{
        self, ReadError,
        dump::{Group, Leaf, Visitor, dump},
    },
    json::json_text,
};
use serde::Serialize;
use std::fmt::{self, Write as _};

/// What every byte of a file means, as `tilewright objdump --json` writes it: groups with their items, in the order of the file.
pub fn dump_json(bytes: &[u8]) -> String {
    let mut text = String::new();
    let error = bytecode::read(bytes).err();
    let mut document = Document::new(&mut text, bytes.len(), error.as_ref());
    dump(bytes, &mut document);
    document.finish();
    text
}

/// A JSON document under way, a line for each group and leaf.
pub(crate) struct Document<'o> {
    out: &'o mut dyn fmt::Write,
    failed: bool,
    /// Where the open groups begin.
    starts: Vec<usize>,
    /// Whether the innermost group has no items so far.
    is_first: bool,
}

#[derive(Serialize)]
struct LeafRow<'a> {
    kind: &'static str,
    offset: usize,
    length: usize,
    bytes: String,
    name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    meaning: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

#[derive(Serialize)]
struct Failure<'a> {
    offset: usize,
    section: String,
    message: &'a str,
}

impl<'o> Document<'o> {
    /// Begins the document on a file of this length, and with this fault.
    pub(crate) fn new(out: &'o mut dyn fmt::Write, length: usize, error: Option<&ReadError>) -> Document<'o> {
        let mut document = Document { out, failed: false, starts: Vec::new(), is_first: true };
        let error = error.map(|e| Failure { offset: e.offset(), section: e.section().to_string(), message: e.message() });
        document.write(format_args!("{{\n \"length\": {length},\n \"error\": {},\n \"items\": [", json(&error)));
        document
    }

    /// Ends the document.
    pub(crate) fn finish(mut self) {
        self.write(format_args!("\n ]\n}}\n"));
    }

    fn write(&mut self, text: fmt::Arguments<'_>) {
        self.failed = self.failed || self.out.write_fmt(text).is_err();
    }

    /// Begins the line of an item.
    fn item(&mut self) {
        let comma = if std::mem::replace(&mut self.is_first, false) { "" } else { "," };
        self.write(format_args!("{comma}\n{:indent$}", "", indent = 2 + self.starts.len()));
    }
}

fn json(value: &impl Serialize) -> String {
    json_text(value).expect("plain data has a JSON form")
}

impl Visitor for Document<'_> {
    fn enter(&mut self, group: &Group<'_>) {
        self.item();
        let (kind, title) = (group.kind.name(), json(&group.title.to_string()));
        self.write(format_args!("{{\"kind\":\"{kind}\",\"offset\":{},\"title\":{title},\"items\":[", group.offset));
        self.starts.push(group.offset);
        self.is_first = true;
    }

    fn leaf(&mut self, leaf: &Leaf<'_>) {
        self.item();
        let mut bytes = String::with_capacity(2 * leaf.bytes.len());
        for byte in leaf.bytes {
            write!(bytes, "{byte:02x}").expect("a string takes everything");
        }
        let row = LeafRow {
            kind: leaf.kind.name(),
            offset: leaf.offset,
            length: leaf.bytes.len(),
            bytes,
            name: leaf.name.to_string(),
            meaning: leaf.meaning.to_string(),
            error: leaf.problem.map(ReadError::message),
        };
        self.write(format_args!("{}", json(&row)));
    }

    fn leave(&mut self, end: usize) {
        let start = self.starts.pop().unwrap_or(end);
        self.write(format_args!("],\"length\":{}}}", end - start));
        self.is_first = false;
    }
}
