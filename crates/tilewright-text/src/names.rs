//! Names of SSA values: `%0`, `%arg1`, `%for#2`, `%cst_1_i32_0`.

use crate::buffer::{Snippet, TextBuffer};
use crate::namer::Namer;
use crate::short::ShortText;
use foldhash::{HashMap, HashMapExt as _};
use tilewright_ir::{Body, Module, Op, OpRef, Value};

/// A name in its parts: a word or none, a number or none, and a position in its group of results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Name {
    pub(crate) word: u32,
    pub(crate) number: u32,
    pub(crate) position: u32,
}

/// A part that a name does not have.
pub(crate) const NONE: u32 = u32::MAX;

impl Name {
    pub(crate) const UNSET: Name = Name { word: NONE, number: NONE, position: NONE };

    pub(crate) fn of_number(number: u32) -> Name {
        Name { number, ..Name::UNSET }
    }

    pub(crate) fn of_word(word: u32) -> Name {
        Name { word, ..Name::UNSET }
    }
}

/// The words of names, behind `%`. Functions of a module have many in common, so they go from one to the next.
#[derive(Default, Debug)]
pub(crate) struct Words {
    texts: Vec<Snippet>,
    by_text: HashMap<Box<str>, u32>,
    /// Whether each is in use in the region at hand or around it.
    in_use: Vec<bool>,
}

impl Words {
    fn get(&self, word: u32) -> Option<&Snippet> {
        self.texts.get(word as usize)
    }

    /// The word with this text, which begins with `%`.
    pub(crate) fn intern(&mut self, text: &str) -> u32 {
        if let Some(&word) = self.by_text.get(text) {
            return word;
        }
        let word = self.texts.len() as u32;
        self.texts.push(text.into());
        self.by_text.insert(text.into(), word);
        self.in_use.push(false);
        word
    }

    /// Takes a word into use; whether it was not before.
    pub(crate) fn take(&mut self, word: u32) -> bool {
        !std::mem::replace(&mut self.in_use[word as usize], true)
    }

    /// Ends the use of a word.
    pub(crate) fn release(&mut self, word: u32) {
        self.in_use[word as usize] = false;
    }
}

/// The names of the values of a body.
///
/// Nearly all names are used more than once and are short, so their texts are kept: a value takes one word here.
#[derive(Debug)]
pub(crate) struct Names {
    /// For each value the bits of the text of its name, or [`OTHER`] and a position in `others`, or 0 if it has none.
    codes: Vec<u64>,
    others: Vec<Name>,
    pub(crate) words: Words,
    /// Names of results that text shows but older versions of an operation do not have.
    implied: HashMap<Op, Name>,
}

/// Where the codes begin that are no text.
const OTHER: u64 = ShortText::END;

impl Names {
    /// Names every value of `body`; with numbers only for the generic form, where operations have no say. `words` are those of
    /// functions before.
    pub(crate) fn new(module: &Module, body: &Body, generic: bool, words: Words) -> Names {
        let codes = vec![0; body.num_values()];
        let names = Names { codes, others: Vec::new(), words, implied: HashMap::new() };
        Namer::new(module, body, generic, names).run()
    }

    /// The name of a value that its text does not tell.
    fn other(&self, value: Value) -> Option<Name> {
        let index = self.codes.get(value.index())?.checked_sub(OTHER)?;
        self.others.get(index as usize).copied()
    }

    /// Gives a value a name whose text is known.
    #[inline]
    pub(crate) fn set_text(&mut self, value: Value, text: ShortText) {
        self.codes[value.index()] = text.bits();
    }

    pub(crate) fn set(&mut self, value: Value, name: Name) {
        let text = match name {
            Name { word: NONE, number, position: NONE } if number != NONE => ShortText::value_number(number),
            Name { word, number: NONE, position: NONE } => self.words.get(word).and_then(Snippet::short),
            _ => None,
        };
        self.codes[value.index()] = text.map_or(OTHER + self.others.len() as u64, ShortText::bits);
        if text.is_none() {
            self.others.push(name);
        }
    }

    /// Gives the operation a name for a result that it does not have.
    pub(crate) fn set_implied(&mut self, op: Op, name: Name) {
        self.implied.insert(op, name);
    }

    /// Appends `%` and the name of a value; false if it has none.
    #[inline]
    pub(crate) fn push_value(&self, out: &mut TextBuffer, value: Value) -> bool {
        match self.codes.get(value.index()).and_then(|&code| ShortText::from_bits(code)) {
            Some(text) => {
                out.push_short(text);
                true
            }
            None => self.push_other(out, value),
        }
    }

    fn push_other(&self, out: &mut TextBuffer, value: Value) -> bool {
        let Some(name) = self.other(value) else { return false };
        self.push(out, name);
        if name.position != NONE {
            out.push('#');
            out.push_u64(u64::from(name.position));
        }
        true
    }

    /// Appends the groups of results that an operation defines: `%0`, `%0:2`, `%tile, %result_token`.
    #[inline]
    pub(crate) fn push_results(&self, out: &mut TextBuffer, op: OpRef<'_>) {
        let mut results = op.results();
        match (results.next(), results.next()) {
            (Some(result), None) if self.push_value(out, result) => {}
            _ => self.push_groups(out, op),
        }
    }

    fn push_groups(&self, out: &mut TextBuffer, op: OpRef<'_>) {
        if self.has_implied_result(op)
            && let Some(&name) = self.implied.get(&op.id())
        {
            return self.push(out, name);
        }
        let position = |result: &Value| self.other(*result).map_or(NONE, |name| name.position);
        let mut results = op.results().peekable();
        while let Some(first) = results.next() {
            match self.other(first) {
                Some(name) => self.push(out, name),
                None if self.push_value(out, first) => {}
                None => out.push('%'),
            }
            let mut count = 1;
            while results.next_if(|next| !matches!(position(next), 0 | NONE)).is_some() {
                count += 1;
            }
            if count > 1 {
                out.push(':');
                out.push_u64(count);
            }
            if results.peek().is_some() {
                out.push_str(", ");
            }
        }
    }

    /// Whether the operation shows a result that it does not have.
    #[inline]
    pub(crate) fn has_implied_result(&self, op: OpRef<'_>) -> bool {
        !self.implied.is_empty() && self.implied.contains_key(&op.id())
    }

    /// Appends a name without its position.
    fn push(&self, out: &mut TextBuffer, name: Name) {
        match self.words.get(name.word) {
            Some(word) => {
                out.push_snippet(word);
                if name.number != NONE {
                    out.push('_');
                }
            }
            None => out.push('%'),
        }
        if name.number != NONE {
            out.push_u64(u64::from(name.number));
        }
    }
}
