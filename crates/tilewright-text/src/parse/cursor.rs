//! The parser's place in the text, its errors, and how it goes on after them.

use super::MAX_ERRORS;
use super::aliases::Aliases;
use super::error::{ParseError, locate};
use super::extended::{Marks, Pending};
use super::lexer::{Kind, Lexer, Token};
use super::map::Recorder;
use super::memo::Memos;
use super::ops::OpState;
use super::pages::ERROR_IDS;
use super::places::Places;
use super::scope::Scope;
use crate::report::Label;
use foldhash::{HashMap, HashMapExt as _};
use std::ops::Range;
use tilewright_ir::{Attr, Body, Const, Loc, LocData, Module, Opcode, Type, TypeTable, Version, nearest, printable};

/// Something went wrong and is reported, or follows from what is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Failed;

pub(super) type Parsed<T> = Result<T, Failed>;

/// Reads one text.
pub(super) struct Parser<'s> {
    pub(super) source: &'s str,
    pub(super) lexer: Lexer<'s>,
    /// The token at hand, which comes next.
    pub(super) token: Token,
    pub(super) module: Module,
    /// The function at hand.
    pub(super) body: Body,
    pub(super) scope: Scope<'s>,
    pub(super) depth: usize,
    pub(super) aliases: Aliases<'s>,
    /// Types by their text.
    pub(super) types: HashMap<&'s str, Type>,
    /// The one of them that was last in the text.
    pub(super) last_type: (&'s str, Type),
    /// The operation that was last in the text: many come again at once.
    pub(super) last_opcode: (&'static str, Opcode),
    /// Operations that were read before.
    pub(super) memos: Memos<'s>,
    pub(super) locations: HashMap<LocData, Loc>,
    /// Set if operations without a location get their place in the text.
    pub(super) places: Option<Places>,
    /// Set if what stands where in the text is to be known.
    pub(super) recorder: Option<Box<Recorder>>,
    pub(super) constants: HashMap<Box<[u8]>, Const>,
    /// `[false, ...]` by length.
    pub(super) all_false: Vec<Option<Attr>>,
    /// What is to be done when the function is complete.
    pub(super) pending: Pending,
    /// By function that is complete: what is to be done when the module is.
    pub(super) marks: HashMap<usize, Marks>,
    /// Room for the operations of a region, handed back after use.
    pub(super) spare: Vec<OpState>,
    errors: Vec<ParseError>,
    stopped: bool,
}

/// A place that the parser can go back to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    at: usize,
    token: Token,
}

impl<'s> Parser<'s> {
    pub(super) fn new(source: &'s str, version: Version) -> Parser<'s> {
        Parser {
            source,
            lexer: Lexer::new(source),
            token: Token::END,
            module: Module::new("kernels", version),
            body: Body::new(),
            scope: Scope::new(source),
            depth: 0,
            aliases: Aliases::default(),
            types: HashMap::new(),
            last_type: ("", TypeTable::token()),
            last_opcode: (Opcode::Return.mnemonic(), Opcode::Return),
            memos: Memos::default(),
            locations: HashMap::new(),
            places: None,
            recorder: None,
            constants: HashMap::new(),
            all_false: Vec::new(),
            pending: Pending::default(),
            marks: HashMap::new(),
            spare: Vec::new(),
            errors: Vec::new(),
            stopped: false,
        }
    }

    /// The module, or the errors; `skipped` bytes stood in front of the text.
    pub(super) fn finish(self, skipped: usize) -> Result<Module, Vec<ParseError>> {
        let (module, errors) = self.into_parts(skipped);
        if errors.is_empty() { Ok(module) } else { Err(errors) }
    }

    /// The module, which lacks what has errors, and the errors in the order of the text.
    pub(super) fn into_parts(mut self, skipped: usize) -> (Module, Vec<ParseError>) {
        self.errors.sort_by_key(|error| error.span.start);
        // An alias is looked at where it is used and where it is defined.
        self.errors.dedup();
        let shift = |span: &mut Range<usize>| *span = span.start + skipped..span.end + skipped;
        for error in &mut self.errors {
            shift(&mut error.span);
            error.labels.iter_mut().for_each(|label| shift(&mut label.span));
        }
        locate(self.source, &mut self.errors, skipped);
        (self.module, self.errors)
    }

    // Tokens.

    /// Goes on to the next token and gives the one that was at hand.
    #[inline(always)]
    pub(super) fn advance(&mut self) -> Token {
        std::mem::replace(&mut self.token, self.lexer.next())
    }

    pub(super) fn text(&self, token: Token) -> &'s str {
        &self.source[token.span()]
    }

    /// The token that begins at this byte.
    pub(super) fn token_at(&self, start: usize) -> Token {
        let mut lexer = self.lexer;
        lexer.at = start;
        lexer.next()
    }

    #[inline]
    pub(super) fn at(&self, kind: Kind) -> bool {
        self.token.is(kind)
    }

    #[inline]
    pub(super) fn at_word(&self, word: &str) -> bool {
        self.token.is(Kind::Word) && self.text(self.token) == word
    }

    /// Takes the token at hand if it is of this kind.
    #[inline]
    pub(super) fn eat(&mut self, kind: Kind) -> bool {
        let is = self.at(kind);
        if is {
            self.advance();
        }
        is
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let is = self.at_word(word);
        if is {
            self.advance();
        }
        is
    }

    #[inline]
    pub(super) fn expect(&mut self, kind: Kind) -> Parsed<Token> {
        if self.at(kind) { Ok(self.advance()) } else { Err(self.missing(kind)) }
    }

    /// Takes a token of this kind, of which nothing else is asked.
    #[inline(always)]
    pub(super) fn require(&mut self, kind: Kind) -> Parsed<()> {
        if self.eat(kind) { Ok(()) } else { Err(self.missing(kind)) }
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.eat_word(word) { Ok(()) } else { Err(self.unexpected(&format!("'{word}'"))) }
    }

    pub(super) fn mark(&self) -> Mark {
        Mark { at: self.lexer.at, token: self.token }
    }

    /// Goes to a place again. Once reading has stopped, the place stays the end of the text.
    pub(super) fn go_back(&mut self, mark: Mark) {
        if !self.stopped {
            self.lexer.at = mark.at;
            self.token = mark.token;
        }
    }

    /// Makes the token that begins at this byte the one at hand.
    pub(super) fn jump(&mut self, at: usize) {
        self.lexer.at = if self.stopped { self.source.len() } else { at };
        self.advance();
    }

    /// Items with commas between them, up to what cannot start one.
    pub(super) fn separated(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<()>) -> Parsed<()> {
        loop {
            item(self)?;
            if !self.eat(Kind::Comma) {
                return Ok(());
            }
        }
    }

    /// Items with commas between them, then the closing token.
    pub(super) fn closed(&mut self, close: Kind, item: impl FnMut(&mut Self) -> Parsed<()>) -> Parsed<()> {
        if self.eat(close) {
            return Ok(());
        }
        self.separated(item)?;
        self.expect(close).map(|_| ())
    }

    // Errors.

    /// Reports an error.
    pub(super) fn report(&mut self, id: &'static str, span: Range<usize>, message: String) -> Failed {
        debug_assert!(ERROR_IDS.contains(&id), "'{id}' is not listed");
        if !self.stopped {
            self.errors.push(ParseError { id, span, line: 0, column: 0, message, labels: Vec::new(), notes: Vec::new() });
            if self.errors.len() >= MAX_ERRORS {
                self.note(format!("there may be more errors: this is number {MAX_ERRORS}, where reading stops"));
                self.stop();
            }
        }
        Failed
    }

    /// How many errors there are so far.
    pub(super) fn num_errors(&self) -> usize {
        self.errors.len()
    }

    /// Adds a note to the last error.
    pub(super) fn note(&mut self, note: String) {
        if let Some(error) = self.errors.last_mut().filter(|_| !self.stopped) {
            error.notes.push(note);
        }
    }

    /// Adds a place that has to do with the last error.
    pub(super) fn label(&mut self, span: Range<usize>, message: String) {
        if let Some(error) = self.errors.last_mut() {
            error.labels.push(Label { span, line: 0, column: 0, message });
        }
    }

    /// Goes to the end of the text.
    fn stop(&mut self) {
        self.stopped = true;
        self.jump(self.source.len());
    }

    /// Reports that a token of this kind is missing: behind the line before, where the one at hand begins another.
    #[cold]
    pub(super) fn missing(&mut self, kind: Kind) -> Failed {
        let token = self.token;
        let is_next = token.leads() && (token.is(Kind::RightBrace) || self.begins_anew());
        match self.end_before(token).filter(|_| is_next) {
            Some(end) => {
                let message = format!("expected {}, found '{}' on a later line", kind.describe(), brief(self.text(token)));
                self.report("unexpected-token", end..end, message)
            }
            None => self.unexpected(kind.describe()),
        }
    }

    /// Where the token before this one ends; `None` for the first. Tokens do not span lines, so the lines before are read again.
    fn end_before(&self, token: Token) -> Option<usize> {
        let mut lexer = self.lexer;
        let mut line_end = token.start();
        while line_end > 0 {
            lexer.at = self.source[..line_end].trim_end().rfind('\n').map_or(0, |at| at + 1);
            let line_start = lexer.at;
            let tokens = std::iter::from_fn(|| Some(lexer.next()).filter(|next| next.start() < token.start() && !next.is(Kind::End)));
            if let Some(last) = tokens.last() {
                return Some(last.end());
            }
            line_end = line_start;
        }
        None
    }

    /// Adds how an operation is written to the last error, if that is a token out of place in it, and says no more yet.
    #[cold]
    pub(super) fn note_syntax(&mut self, start: usize, syntax: impl FnOnce() -> String) {
        let errors = self.errors.last();
        let fits = errors.is_some_and(|e| e.id == "unexpected-token" && e.span.start >= start && e.notes.is_empty());
        if fits {
            self.note(format!("it is written: {}", syntax()));
        }
    }

    /// Reports that the token at hand is not what is expected.
    #[cold]
    pub(super) fn unexpected(&mut self, expected: &str) -> Failed {
        let token = self.token;
        let text = self.text(token);
        match token.kind() {
            Kind::End => {
                let end = self.source.len();
                let failed = self.report("unexpected-end", end..end, format!("expected {expected}, but the text ends here"));
                self.stop();
                failed
            }
            Kind::Invalid if text.starts_with('"') || text.starts_with("@\"") => {
                self.report("unclosed-string", token.span(), "the string has no closing quote in its line".to_owned())
            }
            Kind::Invalid => self.report("unknown-character", token.span(), format!("expected {expected}, found '{}'", brief(text))),
            _ => self.report("unexpected-token", token.span(), format!("expected {expected}, found '{}'", brief(text))),
        }
    }

    /// Reports a word that is none of those that can stand here.
    #[cold]
    pub(super) fn unknown_word(
        &mut self,
        id: &'static str,
        what: &str,
        token: Token,
        word: &str,
        candidates: impl Iterator<Item = &'static str> + Clone,
    ) -> Failed {
        /// Longer lists are not shown.
        const MAX_LISTED: usize = 12;
        let failed = self.report(id, token.span(), format!("unknown {what} '{}'", brief(word)));
        let near = nearest(word, candidates.clone());
        if let Some(near) = near {
            self.note(format!("did you mean '{near}'?"));
        }
        let known: Vec<&str> = candidates.collect();
        if near.is_none() && known.len() <= MAX_LISTED {
            self.note(format!("known are: {}", known.join(", ")));
        }
        failed
    }

    /// Goes on behind what began at `start` and has an error: to the next line that begins anew, or to the end of the block.
    pub(super) fn recover(&mut self, start: usize) {
        if self.stopped {
            return;
        }
        let reached = self.token.start();
        self.jump(start);
        let mut depth = 0usize;
        loop {
            let token = self.token;
            let is_behind = token.start() >= reached && token.start() > start;
            match token.kind() {
                Kind::End => return,
                Kind::LeftBrace => depth += 1,
                Kind::RightBrace if depth == 0 => return,
                Kind::RightBrace => depth -= 1,
                _ if depth == 0 && is_behind && token.leads() && self.begins_anew() => return,
                _ => {}
            }
            self.advance();
        }
    }

    /// Whether the token at hand, the first of its line, may begin an operation, function, global or definition.
    fn begins_anew(&self) -> bool {
        match self.token.kind() {
            Kind::Value | Kind::Text | Kind::Block | Kind::Hash | Kind::Bang => true,
            Kind::Word => !matches!(self.text(self.token), "iter_values" | "step" | "to" | "else" | "dim" | "shape" | "strides" | "token"),
            _ => false,
        }
    }
}

/// The beginning of a text that may be long, for messages.
pub(super) fn brief(text: &str) -> String {
    const MAX_CHARS: usize = 40;
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}...", printable(&text[..end])),
        None => printable(text).to_string(),
    }
}
