//! Attributes within attributes and types that stand as text.
//!
//! Bytecode holds attributes and types of dialects without an encoding as text, in which other attributes stand in full. MLIR names some of
//! these and numbers others where it prints them, so that they become attributes of their own here: a text is split into pieces and what
//! stands between them, in copies of the tables that only printing sees.

use super::{
    PrintOptions, Printer, Shared, Symbol,
    aliases::{has_name, has_name_as_text, has_no_parts, parts},
    attributes::Elision,
};
use crate::{
    encoding::{EncodingId, Owner, Value, code},
    module::Module,
    tables::{AttrId, DialectId, Form, StrId, Strings, Table},
    write::push_varint,
};
use foldhash::{HashMap, HashMapExt as _};
use std::ops::Range;

/// The code of a text in pieces, the only one of its owner.
const TEMPLATE: u64 = 0;

const DISTINCT: &[u8] = b"distinct[";

/// How deep attributes in texts may stand in each other; what is deeper stays text.
const MAX_DEPTH: u32 = 32;

/// The module with its texts split; none if nothing in them has a name or a number.
pub(super) fn split<'a>(module: &Module<'a>) -> Option<Module<'a>> {
    let tables = &module.tables;
    let is_split = |table: &Table<'_>, id| tables.text(table, id).is_some_and(|text| next_part(text, 0).is_some());
    let has_parts = |table: &Table<'_>| table.others_and(&[]).any(|id| is_split(table, id));
    if !has_parts(&tables.attrs) && !has_parts(&tables.types) {
        return None;
    }
    let encoded = texts_of_encoded(module);
    let mut module = module.clone();
    let tables = &mut module.tables;
    let mut splitter = Splitter {
        strings: &mut tables.strings,
        num_attrs: tables.attrs.len(),
        added: Vec::new(),
        known: HashMap::new(),
        distinct: HashMap::new(),
        unit: None,
    };
    let texts = |table: &Table<'_>| -> Vec<Option<Vec<u8>>> {
        let is_text = |id: &u32| matches!(table.entry(*id).form, Form::Text);
        let text = |id| is_text(&id).then(|| table.encoded(id).strip_suffix(b"\0").unwrap_or_default().to_vec());
        (0..table.len() as u32).map(text).collect()
    };
    let (attrs, types) = (texts(&tables.attrs), texts(&tables.types));
    splitter.known.extend(encoded.into_iter().map(|(text, id)| ((None, text), id)));
    for (id, text) in attrs.iter().enumerate() {
        if let Some(text) = text.as_ref().filter(|text| !has_distinct(text)) {
            splitter.known.entry((None, text.clone())).or_insert(AttrId(id as u32));
        }
    }
    let mut pieces = |text: &Option<Vec<u8>>, scope: usize| text.as_ref().and_then(|text| splitter.template(text, scope, 0));
    let attrs: Vec<Option<Vec<u8>>> = attrs.iter().enumerate().map(|(id, text)| pieces(text, id)).collect();
    let types: Vec<Option<Vec<u8>>> = types.iter().enumerate().map(|(id, text)| pieces(text, attrs.len() + id)).collect();
    let added = splitter.added;
    tables.attrs = replaced(&tables.attrs, &attrs, false, added);
    tables.types = replaced(&tables.types, &types, true, Vec::new());
    Some(module)
}

/// Attributes with names in an encoding, by their text: those whose parts have none, so that each text is short.
fn texts_of_encoded(module: &Module<'_>) -> Vec<(Vec<u8>, AttrId)> {
    let tables = &module.tables;
    let shared = Shared::without_aliases(module, &PrintOptions::new());
    let printer = Printer::new(&shared);
    let is_llvm = |id: &AttrId| tables.attrs.encoding(id.0).is_some_and(|encoding| encoding.is_of(Owner::Llvm));
    let ids = tables.attrs.others_and(&[]).map(AttrId).filter(is_llvm);
    let ids = ids.filter(|&id| {
        has_name(tables, Symbol::Attr(id)) && parts(tables, Symbol::Attr(id)).into_iter().all(|part| has_no_parts(tables, part))
    });
    let text = |id| {
        let mut text = Vec::new();
        printer.push_attr_in_full(&mut text, id, Elision::Never);
        (text, id)
    };
    ids.map(text).collect()
}

/// An attribute that was found in a text.
struct Added {
    encoded: Vec<u8>,
    encoding: Option<EncodingId>,
}

/// The table with other encodings for some of its entries, and more entries behind them.
fn replaced<'a>(table: &Table<'_>, templates: &[Option<Vec<u8>>], is_type: bool, added: Vec<Added>) -> Table<'a> {
    let mut out = Table::default();
    let template = EncodingId::find(Owner::Template, is_type, TEMPLATE);
    for (id, encoded) in (0..table.len() as u32).zip(templates) {
        let entry = table.entry(id);
        match encoded {
            Some(encoded) => out.push(encoded, entry.dialect, template),
            None => out.push(table.encoded(id), entry.dialect, table.encoding(id)),
        };
        if matches!(entry.form, Form::Opaque) {
            out.set_opaque(id);
        }
    }
    for Added { encoded, encoding } in added {
        out.push(&encoded, DialectId(0), encoding);
    }
    out
}

struct Splitter<'t, 'a> {
    strings: &'t mut Strings<'a>,
    num_attrs: usize,
    added: Vec<Added>,
    /// Attributes by their text; those with distinct ones in them also by the text that they stand in, whose numbers are its own.
    known: HashMap<(Option<usize>, Vec<u8>), AttrId>,
    /// Distinct attributes by the text that they stand in and their number there.
    distinct: HashMap<(usize, u64), AttrId>,
    unit: Option<AttrId>,
}

impl Splitter<'_, '_> {
    /// The encoding of a text in pieces; none if nothing in it has a name or a number. `scope` is the number of the text that it stands in.
    fn template(&mut self, text: &[u8], scope: usize, depth: u32) -> Option<Vec<u8>> {
        let mut next = (depth < MAX_DEPTH).then(|| next_part(text, 0)).flatten()?;
        let (mut pieces, mut parts, mut stripped) = (Vec::new(), Vec::new(), Vec::new());
        let mut end = 0;
        loop {
            pieces.push(self.strings.push(&text[end..next.place.start]));
            end = next.place.end;
            let attr = match next.kind {
                PartKind::Distinct { number, inner } => self.distinct(number, &text[inner], scope, depth + 1),
                PartKind::Attr { name } => self.attr(&[name, &text[next.place]].concat(), scope, depth + 1),
            };
            parts.push(attr);
            stripped.push(u32::from(next.is_stripped));
            match next_part(text, end) {
                Some(part) => next = part,
                None => break,
            }
        }
        pieces.push(self.strings.push(&text[end..]));
        let mut encoded = Vec::new();
        push_varint(&mut encoded, TEMPLATE);
        for list in [pieces.iter().map(|&StrId(id)| id).collect(), parts.iter().map(|&AttrId(id)| id).collect(), stripped] {
            push_numbers(&mut encoded, &list);
        }
        Some(encoded)
    }

    fn attr(&mut self, text: &[u8], scope: usize, depth: u32) -> AttrId {
        let key = (has_distinct(text).then_some(scope), text.to_vec());
        if let Some(&id) = self.known.get(&key) {
            return id;
        }
        let added = match self.template(text, scope, depth) {
            Some(encoded) => Added { encoded, encoding: EncodingId::find(Owner::Template, false, TEMPLATE) },
            None => Added { encoded: [text, b"\0"].concat(), encoding: None },
        };
        let id = self.add(added);
        self.known.insert(key, id);
        id
    }

    fn distinct(&mut self, number: u64, inner: &[u8], scope: usize, depth: u32) -> AttrId {
        if let Some(&id) = self.distinct.get(&(scope, number)) {
            return id;
        }
        let inner = if inner.is_empty() { self.unit() } else { self.attr(inner, scope, depth) };
        let id = self.add_builtin(code::DISTINCT, Some(inner));
        self.distinct.insert((scope, number), id);
        id
    }

    fn unit(&mut self) -> AttrId {
        let unit = self.unit.unwrap_or_else(|| self.add_builtin(code::UNIT, None));
        *self.unit.insert(unit)
    }

    fn add_builtin(&mut self, code: u64, part: Option<AttrId>) -> AttrId {
        let mut encoded = Vec::new();
        push_varint(&mut encoded, code);
        part.into_iter().for_each(|AttrId(id)| push_varint(&mut encoded, u64::from(id)));
        self.add(Added { encoded, encoding: EncodingId::find(Owner::Builtin, false, code) })
    }

    fn add(&mut self, added: Added) -> AttrId {
        self.added.push(added);
        AttrId((self.num_attrs + self.added.len() - 1) as u32)
    }
}

fn push_numbers(out: &mut Vec<u8>, numbers: &[u32]) {
    push_varint(out, numbers.len() as u64);
    numbers.iter().for_each(|&number| push_varint(out, u64::from(number)));
}

/// What has a name or a number in a text.
struct Part {
    place: Range<usize>,
    kind: PartKind,
    is_stripped: bool,
}

enum PartKind {
    Distinct {
        number: u64,
        inner: Range<usize>,
    },
    /// An attribute, and what of it is left out in the text.
    Attr {
        name: &'static [u8],
    },
}

/// The first part at a place or behind it, other than the whole text; none where brackets are not closed.
fn next_part(text: &[u8], from: usize) -> Option<Part> {
    let mut at = from;
    while at < text.len() {
        match text[at] {
            b'"' => at = string_end(text, at),
            b'#' if at > 0 => {
                let name_end = at + name_of(&text[at..]).len();
                if has_name_as_text(&text[at..name_end]) {
                    let end = if text.get(name_end) == Some(&b'<') { brackets_end(text, name_end)? } else { name_end };
                    return Some(Part { place: at..end, kind: PartKind::Attr { name: b"" }, is_stripped: false });
                }
                at = name_end;
            }
            b'd' if text[at..].starts_with(DISTINCT) => {
                let start = at + DISTINCT.len();
                if let Some((number, len)) = number(&text[start..]) {
                    let open = start + len + 1;
                    let end = brackets_end(text, open)?;
                    return Some(Part {
                        place: at..end,
                        kind: PartKind::Distinct { number, inner: open + 1..end - 1 },
                        is_stripped: false,
                    });
                }
                at = start;
            }
            b'<' => {
                if let Some(name) = stripped_name(text, at) {
                    return Some(Part { place: at..brackets_end(text, at)?, kind: PartKind::Attr { name }, is_stripped: true });
                }
                at += 1;
            }
            _ => at += 1,
        }
    }
    None
}

/// What an attribute of which only the brackets stand at a place of a text begins with, as what stands before it tells.
fn stripped_name(text: &[u8], at: usize) -> Option<&'static [u8]> {
    let before = &text[..at];
    if name_of(text) == b"#llvm.tbaa_type_desc" && (before.ends_with(b"{") || before.ends_with(b", ")) {
        return Some(b"#llvm.tbaa_member");
    }
    let before = before.strip_suffix(b" = ")?;
    let parameter = &before[before.iter().rposition(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')? + 1..];
    match (name_of(text), parameter) {
        (b"#llvm.alias_scope", b"domain") => Some(b"#llvm.alias_scope_domain"),
        (b"#llvm.tbaa_tag", b"base_type" | b"access_type") => Some(b"#llvm.tbaa_type_desc"),
        (outer, b"file") if outer.starts_with(b"#llvm.di_") => Some(b"#llvm.di_file"),
        (outer, parameter) if outer.starts_with(b"#llvm.loop_") && parameter.starts_with(b"followup") => Some(b"#llvm.loop_annotation"),
        _ => None,
    }
}

/// The number of a distinct attribute and its length, behind which `]<` stands.
fn number(text: &[u8]) -> Option<(u64, usize)> {
    let len = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = std::str::from_utf8(&text[..len]).ok()?.parse().ok()?;
    text[len..].starts_with(b"]<").then_some((number, len))
}

fn has_distinct(text: &[u8]) -> bool {
    text.windows(DISTINCT.len()).any(|piece| piece == DISTINCT)
}

/// The mark and the name that a text begins with.
fn name_of(text: &[u8]) -> &[u8] {
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$' | b'-');
    &text[..1 + text[1..].iter().take_while(is_name).count()]
}

/// Where a string ends that begins here.
fn string_end(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    text.len()
}

/// Where the brackets end of which the first stands here.
fn brackets_end(text: &[u8], start: usize) -> Option<usize> {
    let (mut at, mut depth) = (start, 0usize);
    while let Some(&byte) = text.get(at) {
        match byte {
            b'"' => {
                at = string_end(text, at);
                continue;
            }
            b'-' if text.get(at + 1) == Some(&b'>') => at += 1,
            b'<' => depth += 1,
            b'>' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

impl Printer<'_, '_> {
    /// A text in pieces.
    pub(super) fn push_template(&self, out: &mut Vec<u8>, fields: &[Value<'_>]) {
        let [Value::Numbers(pieces), Value::Attrs(parts), Value::Numbers(stripped)] = fields else { return };
        let mut parts = parts.clone().attrs().zip(stripped.clone());
        for piece in pieces.clone() {
            out.extend_from_slice(self.module.tables.strings.get(StrId(piece as u32)));
            match parts.next() {
                Some((part, 0)) => self.push_attr(out, part, Elision::Never),
                Some((part, _)) => self.push_without_name(out, part),
                None => {}
            }
        }
    }

    /// An attribute that stands as text, without its name where it has no alias.
    pub(super) fn push_without_name(&self, out: &mut Vec<u8>, id: AttrId) {
        let start = out.len();
        self.push_attr(out, id, Elision::Never);
        let text = &out[start..];
        if text.starts_with(b"#") && text.get(name_of(text).len()) == Some(&b'<') {
            let len = name_of(text).len();
            out.drain(start..start + len);
        }
    }
}
