//! Source locations: `loc(#loc3)` after operations, and the definitions at the end.
//!
//! Equal locations share a definition. Definitions stand in the order of what they depend on: first those that refer to
//! nothing, then those that refer to the first, and so on; within a step by kind, then in the order in which the module
//! names them. Locations with a scope are told apart from the plain place in the source, which has a definition of its own.

use crate::buffer::TextBuffer;
use crate::ops::MAX_DEPTH;
use crate::options::PrintOptions;
use crate::printer::Writer;
use crate::structured::hides_terminator;
use indexmap::IndexSet;
use std::collections::HashMap;
use tilewright_ir::{Body, Loc, LocData, Module, Region, Str};

/// Chains of entries longer than this end in an unknown location; readers do not make them.
const MAX_CHAIN: usize = 512;

/// An entry with its parts by number: equal entries are equal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Node {
    Unknown,
    /// A file without a name is called `-`.
    Place {
        file: Option<Str>,
        line: u32,
        column: u32,
    },
    Scoped {
        place: usize,
        scope: usize,
    },
    CallSite {
        callee: usize,
        caller: usize,
    },
    File {
        name: Str,
        directory: Str,
    },
    CompileUnit {
        file: Option<usize>,
    },
    LexicalBlock {
        scope: Option<usize>,
        file: Option<usize>,
        line: u32,
        column: u32,
    },
    Subprogram {
        file: Option<usize>,
        line: u32,
        name: Str,
        linkage_name: Str,
        unit: Option<usize>,
        scope_line: u32,
        flags: u32,
    },
}

impl Node {
    /// The word in its alias.
    fn kind(&self) -> &'static str {
        match self {
            Node::Unknown | Node::Place { .. } | Node::Scoped { .. } | Node::CallSite { .. } => "loc",
            Node::File { .. } => "di_file",
            Node::CompileUnit { .. } => "di_compile_unit",
            Node::LexicalBlock { .. } => "di_lexical_block",
            Node::Subprogram { .. } => "di_subprogram",
        }
    }

    /// The parts, in the order of their text.
    fn parts(&self) -> [Option<usize>; 2] {
        match *self {
            Node::Unknown | Node::Place { .. } | Node::File { .. } => [None, None],
            Node::Scoped { place, scope } => [Some(place), Some(scope)],
            Node::CallSite { callee, caller } => [Some(callee), Some(caller)],
            Node::CompileUnit { file } => [file, None],
            Node::LexicalBlock { scope, file, .. } => [scope, file],
            Node::Subprogram { file, unit, .. } => [file, unit],
        }
    }
}

#[derive(Clone, Copy)]
enum Visit {
    Never,
    Running,
    Done(usize),
}

/// The locations of a module and their aliases.
pub(crate) struct Locations {
    nodes: IndexSet<Node>,
    by_entry: Vec<Visit>,
    unknown: usize,
    /// For each node: the depth of its definition.
    depth: Vec<usize>,
    /// The nodes that are used, in the order of their first use, then of their definition.
    order: Vec<usize>,
    /// For each node: the number in its alias.
    number: HashMap<usize, usize>,
}

impl Locations {
    pub(crate) fn of_module(module: &Module, options: &PrintOptions) -> Locations {
        let entries = &module.tables.locations;
        let mut locations = Locations {
            nodes: IndexSet::new(),
            by_entry: vec![Visit::Never; entries.len()],
            unknown: 0,
            depth: Vec::new(),
            order: Vec::new(),
            number: HashMap::new(),
        };
        locations.unknown = locations.add(Node::Unknown);
        for index in 0..entries.len() {
            locations.entry(module, Loc::new(index), 0);
        }
        let mut used = Uses { shows_all: options.is_generic(), seen: vec![false; locations.nodes.len()] };
        if options.has_module() || !module.globals.is_empty() || module.functions.is_empty() {
            locations.visit(&mut used, None);
        }
        for function in &module.functions {
            locations.visit(&mut used, function.loc);
            locations.region(&mut used, &function.body, function.body.root(), true, 0);
        }
        locations.order.sort_by_key(|&node| (locations.depth[node], locations.nodes[node].kind()));
        locations.give_numbers();
        locations
    }

    fn add(&mut self, node: Node) -> usize {
        let (index, is_new) = self.nodes.insert_full(node);
        if is_new {
            let deepest = node.parts().into_iter().flatten().map(|part| self.depth[part] + 1).max();
            self.depth.push(deepest.unwrap_or(0));
        }
        index
    }

    /// The node of an entry; its parts come before it.
    fn entry(&mut self, module: &Module, loc: Loc, chain: usize) -> usize {
        let Some(&visit) = self.by_entry.get(loc.index()) else { return self.unknown };
        match visit {
            Visit::Done(node) => return node,
            Visit::Running => return self.unknown,
            Visit::Never if chain > MAX_CHAIN => return self.unknown,
            Visit::Never => self.by_entry[loc.index()] = Visit::Running,
        }
        let strings = &module.tables.strings;
        let part = |this: &mut Self, part: Option<Loc>| part.map(|part| this.entry(module, part, chain + 1));
        let node = match *module.tables.locations.get(loc) {
            LocData::CompileUnit { file } => Node::CompileUnit { file: part(self, file) },
            LocData::File { name, directory } => Node::File { name, directory },
            LocData::LexicalBlock { scope, file, line, column } => {
                Node::LexicalBlock { scope: part(self, scope), file: part(self, file), line, column }
            }
            LocData::Source { scope, file, line, column } => {
                let is_named = file.index() < strings.len() && !matches!(strings.bytes(file), b"" | b"-");
                let place = Node::Place { file: is_named.then_some(file), line, column };
                match part(self, scope) {
                    Some(scope) => Node::Scoped { place: self.add(place), scope },
                    None => place,
                }
            }
            LocData::Subprogram { file, line, name, linkage_name, unit, scope_line, flags } => {
                Node::Subprogram { file: part(self, file), line, name, linkage_name, unit: part(self, unit), scope_line, flags }
            }
            LocData::CallSite { callee, caller } => {
                Node::CallSite { callee: part(self, callee).unwrap_or(self.unknown), caller: part(self, caller).unwrap_or(self.unknown) }
            }
        };
        let node = self.add(node);
        self.by_entry[loc.index()] = Visit::Done(node);
        node
    }

    fn node(&self, loc: Option<Loc>) -> usize {
        match loc.and_then(|loc| self.by_entry.get(loc.index())) {
            Some(Visit::Done(node)) => *node,
            _ => self.unknown,
        }
    }

    fn visit(&mut self, used: &mut Uses, loc: Option<Loc>) {
        let node = self.node(loc);
        if !used.seen[node] {
            self.visit_node(used, node);
        }
    }

    /// Takes a node and its parts, and theirs, into the order of first use.
    fn visit_node(&mut self, used: &mut Uses, node: usize) {
        let mut waiting = vec![node];
        while let Some(node) = waiting.pop() {
            if !std::mem::replace(&mut used.seen[node], true) {
                self.order.push(node);
                waiting.extend(self.nodes[node].parts().into_iter().rev().flatten());
            }
        }
    }

    /// Visits the operations of a region that are shown: each before those inside it.
    fn region(&mut self, used: &mut Uses, body: &Body, region: Region, terminators: bool, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        for block in body.blocks(region) {
            let hidden = if terminators { None } else { body.last_op(block).map(|op| op.id()) };
            for op in body.ops(block).take_while(|op| Some(op.id()) != hidden) {
                self.visit(used, op.loc());
                for (index, inner) in op.regions().enumerate() {
                    let terminators = used.shows_all || !hides_terminator(op, index);
                    self.region(used, body, inner, terminators, depth + 1);
                }
            }
        }
    }

    fn give_numbers(&mut self) {
        let mut counts: HashMap<&'static str, usize> = HashMap::new();
        for &node in &self.order {
            let count = counts.entry(self.nodes[node].kind()).or_default();
            self.number.insert(node, *count);
            *count += 1;
        }
    }

    fn push_alias(&self, out: &mut TextBuffer, node: usize) {
        out.push('#');
        out.push_str(self.nodes[node].kind());
        match self.number.get(&node) {
            None | Some(0) => {}
            Some(&number) => out.push_u64(number as u64),
        }
    }

    /// ` loc(#loc3)`
    pub(crate) fn push(&self, out: &mut TextBuffer, loc: Option<Loc>) {
        out.push_str(" loc(");
        self.push_alias(out, self.node(loc));
        out.push(')');
    }

    /// `#loc3 = loc("file.py":7:4)` and the like, a line each.
    pub(crate) fn push_definitions(&self, w: &mut Writer<'_>) {
        for &node in &self.order {
            self.push_alias(&mut w.out, node);
            w.out.push_str(" = ");
            self.push_definition(w, node);
            w.out.push('\n');
        }
    }

    fn push_definition(&self, w: &mut Writer<'_>, node: usize) {
        match self.nodes[node] {
            Node::Unknown => w.out.push_str("loc(unknown)"),
            Node::Place { file, line, column } => {
                w.out.push_str("loc(");
                match file {
                    Some(file) => w.push_string(file),
                    None => w.out.push_str("\"-\""),
                }
                for number in [line, column] {
                    w.out.push(':');
                    w.out.push_u64(u64::from(number));
                }
                w.out.push(')');
            }
            Node::Scoped { place, scope } => {
                w.out.push_str("#cuda_tile.di_loc<");
                self.push_alias(&mut w.out, place);
                w.out.push_str(" in ");
                self.push_alias(&mut w.out, scope);
                w.out.push('>');
            }
            Node::CallSite { callee, caller } => {
                w.out.push_str("loc(callsite(");
                self.push_alias(&mut w.out, callee);
                w.out.push_str(" at ");
                self.push_alias(&mut w.out, caller);
                w.out.push_str("))");
            }
            Node::File { name, directory } => {
                w.out.push_str("#cuda_tile.di_file<");
                w.push_string(name);
                w.out.push_str(" in ");
                w.push_string(directory);
                w.out.push('>');
            }
            scope => self.push_scope(w, scope),
        }
    }

    /// The definition of a scope, a list of named fields.
    fn push_scope(&self, w: &mut Writer<'_>, node: Node) {
        w.out.push_str("#cuda_tile.");
        w.out.push_str(node.kind());
        let mut fields = Fields { locations: self, w, first: true };
        match node {
            Node::CompileUnit { file } => fields.part("file", file),
            Node::LexicalBlock { scope, file, line, column } => {
                fields.part("scope", scope);
                fields.part("file", file);
                fields.number("line", line);
                fields.number_unless_zero("column", column);
            }
            Node::Subprogram { file, line, name, linkage_name, unit, scope_line, flags } => {
                fields.part("file", file);
                fields.number("line", line);
                fields.string("name", name);
                fields.string("linkageName", linkage_name);
                fields.part("compileUnit", unit);
                fields.number_unless_zero("scopeLine", scope_line);
                match flags {
                    0 => {}
                    1 => fields.word("flags", "declaration"),
                    flags => fields.number("flags", flags),
                }
            }
            _ => {}
        }
        w.out.push('>');
    }
}

/// Which locations the text names so far.
struct Uses {
    /// Whether implicit terminators are shown.
    shows_all: bool,
    seen: Vec<bool>,
}

struct Fields<'a, 'm> {
    locations: &'a Locations,
    w: &'a mut Writer<'m>,
    first: bool,
}

impl Fields<'_, '_> {
    fn name(&mut self, name: &str) {
        self.w.out.push_str(if std::mem::take(&mut self.first) { "<" } else { ", " });
        self.w.out.push_str(name);
        self.w.out.push_str(" = ");
    }

    fn part(&mut self, name: &str, part: Option<usize>) {
        if let Some(part) = part {
            self.name(name);
            self.locations.push_alias(&mut self.w.out, part);
        }
    }

    fn number(&mut self, name: &str, number: u32) {
        self.name(name);
        self.w.out.push_u64(u64::from(number));
    }

    fn number_unless_zero(&mut self, name: &str, number: u32) {
        if number != 0 {
            self.number(name, number);
        }
    }

    fn word(&mut self, name: &str, word: &str) {
        self.name(name);
        self.w.out.push_str(word);
    }

    fn string(&mut self, name: &str, string: Str) {
        self.name(name);
        self.w.push_string(string);
    }
}
