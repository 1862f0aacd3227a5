//! Writes down what the parser meets.
//!
//! The parser's own scopes answer for values only while their region is open, so the [`Recorder`] follows them; names without an
//! order (symbols, aliases, labels) are matched when the text is read.

use super::super::cursor::Parser;
use super::super::lexer::Token;
use super::{DefinedValues, Definition, NameKind, Operation, OperationName, TextMap, Use};
use foldhash::HashMap;
use std::ops::Range;
use tilewright_ir::{Str, Type, Value};

/// A name whose definition may stand behind it.
#[derive(Debug)]
struct Waiting {
    span: Range<usize>,
    key: Key,
}

/// Names that are matched by their text, or by what they stand for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Key {
    Symbol(Str),
    /// With its sign.
    Alias(String),
    /// With the function that it is in.
    Label(usize, String),
}

/// What was met so far.
#[derive(Debug, Default)]
pub(in super::super) struct Recorder {
    pub(super) map: TextMap,
    /// Values in sight.
    pub(super) values: HashMap<String, usize>,
    /// The same, in the order of their definition.
    in_sight: Vec<usize>,
    /// For each open region: how many values were in sight before it, and its number.
    open: Vec<(usize, usize)>,
    /// Operations that are being read.
    reading: Vec<usize>,
    waiting: Vec<Waiting>,
    defined: HashMap<Key, usize>,
    /// Definitions by their places.
    pub(super) defined_at: HashMap<usize, usize>,
    /// The number of the function or global at hand, and the first of its definitions.
    item: usize,
    item_definitions: usize,
    has_locations: bool,
    /// How far the text was searched for names after errors.
    pub(super) searched: usize,
    /// Whether the last operation is one in this search, whose line has not ended.
    pub(super) skipping: bool,
}

impl Recorder {
    fn define(&mut self, kind: NameKind, span: Range<usize>, scope: Range<usize>, ty: Option<Type>) -> usize {
        let operation = self.reading.last().copied();
        self.defined_at.insert(span.start, self.map.definitions.len());
        self.map.definitions.push(Definition { kind, span, scope, ty, operation, is_argument: false, values: None });
        self.map.definitions.len() - 1
    }

    fn define_named(&mut self, kind: NameKind, span: Range<usize>, key: Key) {
        let index = self.define(kind, span, 0..usize::MAX, None);
        self.defined.entry(key).or_insert(index);
    }

    fn open_region(&mut self, at: usize) {
        self.open.push((self.in_sight.len(), self.map.regions.len()));
        self.map.regions.push(at..usize::MAX);
    }

    /// A value comes in sight.
    pub(super) fn show(&mut self, index: usize, source: &str) {
        self.values.insert(source[self.map.definitions[index].span.clone()].to_owned(), index);
        self.in_sight.push(index);
    }

    pub(super) fn close_region(&mut self, end: usize, source: &str) {
        let Some((before, region)) = self.open.pop() else { return };
        let range = &mut self.map.regions[region];
        range.end = range.end.min(end);
        let end = range.end;
        for index in self.in_sight.drain(before..) {
            let definition = &mut self.map.definitions[index];
            definition.scope.end = end;
            self.values.remove(&source[definition.span.clone()]);
        }
    }

    /// Finds the definitions of names that need not stand before their uses. Also says whether there are locations.
    pub(in super::super) fn finish(mut self, source: &str) -> (TextMap, bool) {
        for Waiting { span, key } in std::mem::take(&mut self.waiting) {
            if let Some(&definition) = self.defined.get(&key)
                && self.map.definitions[definition].span != span
            {
                self.map.uses.push(Use { span, definition, position: 0 });
            }
        }
        let end = source.len();
        let cut = |range: &mut Range<usize>| *range = range.start.min(end)..range.end.clamp(range.start.min(end), end);
        self.map.regions.iter_mut().for_each(cut);
        self.map.definitions.iter_mut().for_each(|definition| cut(&mut definition.scope));
        self.sort();
        (self.map, self.has_locations)
    }

    /// Brings all lists into the order of the text; what was read twice stands once.
    fn sort(&mut self) {
        let TextMap { definitions, uses, operations, regions } = &mut self.map;
        let mut order: Vec<usize> = (0..definitions.len()).collect();
        order.sort_by_key(|&index| definitions[index].span.start);
        let mut position = vec![0; definitions.len().max(operations.len())];
        order.iter().enumerate().for_each(|(new, &old)| position[old] = new);
        uses.iter_mut().for_each(|used| used.definition = position[used.definition]);
        uses.sort_by_key(|used| used.span.start);
        uses.dedup_by_key(|used| used.span.start);
        definitions.sort_by_key(|definition| definition.span.start);
        let mut order: Vec<usize> = (0..operations.len()).collect();
        order.sort_by_key(|&index| operations[index].span.start);
        order.iter().enumerate().for_each(|(new, &old)| position[old] = new);
        definitions.iter_mut().filter_map(|definition| definition.operation.as_mut()).for_each(|index| *index = position[*index]);
        operations.sort_by_key(|operation| operation.span.start);
        regions.sort_by_key(|region| region.start);
        regions.dedup_by_key(|region| region.start);
    }
}

/// The name of a symbol in a token: without its quotes.
fn symbol_span(token: Token, source: &str) -> Range<usize> {
    let text = &source[token.span()];
    let name = token.start() + usize::from(text.starts_with('@'));
    if text.ends_with('"') { name + 1..token.end() - 1 } else { name..token.end() }
}

/// The beginning of a text, up to the white space and the lines of comments at its end.
fn without_comments(text: &str) -> &str {
    /// Nobody comments in longer lines; that of an error may be the whole text.
    const MAX_LINE: usize = 1000;
    let mut text = text.trim_end();
    while let Some(at) = text.bytes().rev().take(MAX_LINE).position(|byte| byte == b'\n').map(|back| text.len() - back - 1)
        && text[at..].trim_start().starts_with("//")
    {
        text = text[..at].trim_end();
    }
    text
}

/// What the parser tells the recorder, where there is one.
impl Parser<'_> {
    pub(in super::super) fn record_value(&mut self, name: Token, value: Option<Value>, count: u32) {
        let Some(recorder) = &mut self.recorder else { return };
        let ty = value.map(|value| self.body.ty(value));
        let behind = name.end() + without_comments(&self.source[name.end()..self.token.start()]).len();
        let index = recorder.define(NameKind::Value, name.span(), behind..usize::MAX, ty);
        let definition = &mut recorder.map.definitions[index];
        definition.values = value.map(|first| DefinedValues { function: usize::MAX, first, count });
        definition.is_argument = value.is_some_and(|value| self.body.defining_op(value).is_none());
        recorder.show(index, self.source);
    }

    /// A name that an operation with an error would have defined.
    pub(in super::super) fn record_broken(&mut self, name: Token, count: u32) {
        let is_new = self.recorder.as_ref().is_some_and(|recorder| !recorder.values.contains_key(&self.source[name.span()]));
        if is_new {
            self.record_value(name, None, count);
        }
    }

    pub(in super::super) fn record_value_use(&mut self, name: Token, position: u32) {
        let Some(recorder) = &mut self.recorder else { return };
        let defined = recorder.values.get(&self.source[name.span()]);
        if let Some(&definition) = defined.filter(|_| !recorder.defined_at.contains_key(&name.start())) {
            recorder.map.uses.push(Use { span: name.span(), definition, position });
        }
    }

    pub(in super::super) fn record_region(&mut self, open: Token) {
        if let Some(recorder) = &mut self.recorder {
            recorder.open_region(open.start());
        }
    }

    /// The brace that closes the innermost region is at hand.
    pub(in super::super) fn record_region_end(&mut self) {
        if let Some(recorder) = &mut self.recorder
            && let Some(&(_, region)) = recorder.open.last()
        {
            recorder.map.regions[region].end = self.token.start();
        }
    }

    /// The names of a region go out of sight.
    pub(in super::super) fn record_leave(&mut self) {
        if let Some(recorder) = &mut self.recorder {
            recorder.close_region(self.token.start(), self.source);
        }
    }

    pub(in super::super) fn record_operation(&mut self, first: usize, name: Token, operation: OperationName) {
        if let Some(recorder) = &mut self.recorder {
            recorder.reading.push(recorder.map.operations.len());
            recorder.map.operations.push(Operation { name: operation, span: name.span(), whole: first..usize::MAX });
        }
    }

    /// The operation that begins at `first` ends before the token at hand, if there is one.
    pub(in super::super) fn record_operation_end(&mut self, first: usize) {
        let Some(recorder) = &mut self.recorder else { return };
        let Some(&index) = recorder.reading.last().filter(|&&index| recorder.map.operations[index].whole.start == first) else { return };
        let operation = &mut recorder.map.operations[index];
        recorder.reading.pop();
        let end = self.token.start().max(operation.span.end);
        operation.whole.end = operation.span.end + without_comments(&self.source[operation.span.end..end]).len();
    }

    pub(in super::super) fn record_symbol_use(&mut self, token: Token, name: Str) {
        if let Some(recorder) = &mut self.recorder {
            recorder.waiting.push(Waiting { span: symbol_span(token, self.source), key: Key::Symbol(name) });
        }
    }

    pub(in super::super) fn record_symbol(&mut self, kind: NameKind, token: Token, name: Str) {
        if let Some(recorder) = &mut self.recorder {
            recorder.define_named(kind, symbol_span(token, self.source), Key::Symbol(name));
        }
    }

    pub(in super::super) fn record_alias(&mut self, name: Token, is_type: bool) {
        if let Some(recorder) = &mut self.recorder {
            let kind = if is_type { NameKind::TypeAlias } else { NameKind::AttrAlias };
            recorder.define_named(kind, name.span(), Key::Alias(self.source[name.span()].to_owned()));
        }
    }

    pub(in super::super) fn record_alias_use(&mut self, name: Token) {
        if let Some(recorder) = &mut self.recorder {
            recorder.waiting.push(Waiting { span: name.span(), key: Key::Alias(self.source[name.span()].to_owned()) });
        }
    }

    /// The type that an alias stands for.
    pub(in super::super) fn record_alias_type(&mut self, name: Token, ty: Type) {
        if let Some(recorder) = &mut self.recorder
            && let Some(&index) = recorder.defined.get(&Key::Alias(self.source[name.span()].to_owned()))
        {
            recorder.map.definitions[index].ty = Some(ty);
        }
    }

    pub(in super::super) fn record_label(&mut self, label: Token) {
        if let Some(recorder) = &mut self.recorder {
            let key = Key::Label(recorder.item, self.source[label.span()].to_owned());
            recorder.define_named(NameKind::Label, label.span(), key);
        }
    }

    pub(in super::super) fn record_label_use(&mut self, label: Token) {
        if let Some(recorder) = &mut self.recorder {
            let key = Key::Label(recorder.item, self.source[label.span()].to_owned());
            recorder.waiting.push(Waiting { span: label.span(), key });
        }
    }

    pub(in super::super) fn record_location(&mut self) {
        if let Some(recorder) = &mut self.recorder {
            recorder.has_locations = true;
        }
    }

    /// The values of the function at hand are numbered anew, and nothing is known of how.
    pub(in super::super) fn record_values_lost(&mut self) {
        let Some(recorder) = &mut self.recorder else { return };
        for definition in &mut recorder.map.definitions[recorder.item_definitions..] {
            definition.values = None;
        }
    }

    /// The values of these functions are numbered anew.
    pub(in super::super) fn record_reordered(&mut self, values: &HashMap<usize, Vec<Option<Value>>>) {
        let Some(recorder) = &mut self.recorder else { return };
        for definition in &mut recorder.map.definitions {
            let Some(defined) = definition.values else { continue };
            if let Some(values) = values.get(&defined.function) {
                definition.values = renumbered(defined, values);
            }
        }
    }

    /// The function at hand becomes the last one of the module.
    pub(in super::super) fn record_function(&mut self) {
        let Some(recorder) = &mut self.recorder else { return };
        for values in recorder.map.definitions[recorder.item_definitions..].iter_mut().filter_map(|definition| definition.values.as_mut()) {
            values.function = self.module.functions.len();
        }
    }

    /// A global, function or definition of an alias is read, or given up.
    pub(in super::super) fn record_item_end(&mut self) {
        let Some(recorder) = &mut self.recorder else { return };
        while !recorder.open.is_empty() {
            recorder.close_region(self.token.start(), self.source);
        }
        recorder.in_sight.clear();
        recorder.values.clear();
        recorder.reading.clear();
        for definition in &mut recorder.map.definitions[recorder.item_definitions..] {
            // The function has an error.
            definition.values = definition.values.filter(|values| values.function != usize::MAX);
        }
        recorder.item += 1;
        recorder.item_definitions = recorder.map.definitions.len();
    }
}

/// The new values, which must still follow each other.
fn renumbered(defined: DefinedValues, values: &[Option<Value>]) -> Option<DefinedValues> {
    let new = |position: u32| *values.get(defined.first.index() + position as usize)?;
    let first = new(0)?;
    let is_run = (1..defined.count).all(|at| new(at).map(Value::index) == Some(first.index() + at as usize));
    is_run.then_some(DefinedValues { first, ..defined })
}
