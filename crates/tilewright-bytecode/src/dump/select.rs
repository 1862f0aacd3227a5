//! Parts of a dump.

use super::{Group, GroupKind, Leaf, Visitor, tracer::prefix};
use crate::Section;

/// Hands on what belongs to one section, or to the functions of one name, with the groups around it.
pub struct Select<'v> {
    section: Option<Section>,
    function: Option<String>,
    to: &'v mut dyn Visitor,
    /// How many groups are open.
    depth: usize,
    /// The depth at which the section and the function began that are open and wanted.
    in_section: Option<usize>,
    in_function: Option<usize>,
    found: bool,
}

impl<'v> Select<'v> {
    /// Hands on everything: see the setters.
    pub fn new(to: &'v mut dyn Visitor) -> Select<'v> {
        Select { section: None, function: None, to, depth: 0, in_section: None, in_function: None, found: false }
    }

    /// Only this section. Default: all.
    pub fn section(mut self, section: Option<Section>) -> Self {
        self.section = section;
        self
    }

    /// Only functions of this name, of which no more than the first 256 characters count. Default: everything.
    pub fn function(mut self, name: Option<&str>) -> Self {
        self.function = name.map(|name| prefix(name.as_bytes()));
        self
    }

    /// Whether there was something to hand on.
    pub fn has_found(&self) -> bool {
        self.found
    }

    fn is_open(&self) -> bool {
        (self.section.is_none() || self.in_section.is_some()) && (self.function.is_none() || self.in_function.is_some())
    }
}

impl Visitor for Select<'_> {
    fn enter(&mut self, group: &Group<'_>) {
        match group.kind {
            GroupKind::Section(section) if Some(section) == self.section => self.in_section = Some(self.depth),
            GroupKind::Header if self.section == Some(Section::Header) => self.in_section = Some(self.depth),
            GroupKind::Function(name) if self.function.as_deref() == Some(name) => self.in_function = Some(self.depth),
            _ => {}
        }
        self.depth += 1;
        if self.is_open() {
            self.found = true;
            self.to.enter(group);
        }
    }

    fn leaf(&mut self, leaf: &Leaf<'_>) {
        if self.is_open() {
            self.found = true;
            self.to.leaf(leaf);
        }
    }

    fn leave(&mut self, end: usize) {
        if self.is_open() {
            self.to.leave(end);
        }
        self.depth -= 1;
        for begun in [&mut self.in_section, &mut self.in_function] {
            if *begun == Some(self.depth) {
                *begun = None;
            }
        }
    }
}
