//! What every byte of a file means.
//!
//! [`dump`] walks over a file from its first byte to its last and tells a [`Visitor`] about each range of bytes: a
//! [`Leaf`] with its name and its meaning, inside of [`Group`]s that follow the structure of the file. The leaves cover every
//! byte exactly once and in order, padding and bytes that readers ignore included. [`write_text`] is the visitor for people.
//!
//! Nothing is kept: the walk takes memory for the tables that the file names types and strings from, not for what it tells.
//! Operations are walked along the same layouts that the reader decodes them by.
//!
//! Files need not be good. Where something has a value it cannot have, the leaf says so ([`Leaf::problem`]) and the walk goes
//! on. Where the structure breaks, the rest of the innermost range whose end is known (an item of a table, the body of a function,
//! a section, the file) is one [`LeafKind::Undecoded`] leaf that says why. Whether a file is good, [`read`](crate::read)
//! tells: it finds things that are no matter of bytes.

mod attributes;
mod debug;
mod file;
mod flags;
mod functions;
mod ops;
mod select;
mod table;
mod text;
mod tracer;
mod types;

pub use file::dump;
pub use select::Select;
pub use text::{TextOptions, write_text};

use crate::{ReadError, Section};
use std::fmt;

/// Is told about the parts of a file, in the order of their bytes.
pub trait Visitor {
    /// A group begins. What comes up to the matching [`Visitor::leave`] belongs to it.
    fn enter(&mut self, group: &Group<'_>);
    /// Some bytes and their meaning.
    fn leaf(&mut self, leaf: &Leaf<'_>);
    /// The innermost group ends before the byte at `end`.
    fn leave(&mut self, end: usize);
}

/// Bytes that belong together.
#[derive(Clone, Copy, Debug)]
pub struct Group<'a> {
    /// What kind of thing they make up.
    pub kind: GroupKind<'a>,
    /// Where they begin in the file.
    pub offset: usize,
    /// What they are, in words: `type 3: tile<8xf32>`.
    pub title: fmt::Arguments<'a>,
}

/// What a group makes up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GroupKind<'a> {
    /// Magic number, version and tag.
    Header,
    /// A section with its head and padding.
    Section(Section),
    /// The offsets of a table.
    Offsets,
    /// An entry of a table, a record, or an attribute.
    Item,
    /// A function record, and the name it has.
    Function(&'a str),
    /// The operations of a function.
    Body,
    /// An operation with its regions.
    Operation,
    /// A region with its blocks.
    Region,
    /// A block with its operations.
    Block,
}

impl GroupKind<'_> {
    /// One word for the kind.
    pub fn name(self) -> &'static str {
        match self {
            GroupKind::Header => "header",
            GroupKind::Section(_) => "section",
            GroupKind::Offsets => "offsets",
            GroupKind::Item => "item",
            GroupKind::Function(_) => "function",
            GroupKind::Body => "body",
            GroupKind::Operation => "operation",
            GroupKind::Region => "region",
            GroupKind::Block => "block",
        }
    }
}

/// A range of bytes with one meaning; never empty.
#[derive(Clone, Copy, Debug)]
pub struct Leaf<'a> {
    /// What role it plays.
    pub kind: LeafKind,
    /// Where it begins in the file.
    pub offset: usize,
    /// Its bytes.
    pub bytes: &'a [u8],
    /// What it is called: `opcode`, `result 0`.
    pub name: fmt::Arguments<'a>,
    /// What its bytes say: `type 13 = tile<8xf32>`. May be empty.
    pub meaning: fmt::Arguments<'a>,
    /// What is wrong with it.
    pub problem: Option<&'a ReadError>,
}

/// What role a range of bytes plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LeafKind {
    /// It says something.
    Field,
    /// It says what the group around it is: the opcode of an operation.
    Head,
    /// It fills space up to an alignment.
    Padding,
    /// Nothing refers to it; readers skip it.
    Unused,
    /// It could not be decoded, because of the problem that it has.
    Undecoded,
}

impl LeafKind {
    /// One word for the kind.
    pub fn name(self) -> &'static str {
        match self {
            LeafKind::Field => "field",
            LeafKind::Head => "head",
            LeafKind::Padding => "padding",
            LeafKind::Unused => "unused",
            LeafKind::Undecoded => "undecoded",
        }
    }
}
