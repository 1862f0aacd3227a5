//! Aliases: `#loc3 = loc("f.py":1:2)`, `!t = !cuda_tile.tile<4xf32>`. They may be used before their definition.

use super::MAX_LOCATION_DEPTH;
use super::cursor::{Failed, Parsed, Parser, brief};
use super::lexer::{Kind, Token};
use foldhash::HashMap;
use tilewright_ir::{Attr, Loc, Type};

/// What an alias stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Meaning {
    Location(Option<Loc>),
    Attr(Attr),
    Type(Type),
}

#[derive(Clone, Copy, Debug)]
enum State {
    Waiting,
    Running,
    Broken,
    Known(Meaning),
}

#[derive(Clone, Copy, Debug)]
struct Alias {
    /// Where its definition begins.
    start: usize,
    /// Where its value begins.
    value: usize,
    /// Where its value ends, once it is known.
    end: usize,
    state: State,
}

/// The aliases of a text, with their `#` or `!`.
#[derive(Debug, Default)]
pub(super) struct Aliases<'s> {
    by_name: HashMap<&'s str, Alias>,
    /// Whether the definitions were looked up: text without aliases is not searched for them.
    are_found: bool,
    /// How many definitions are being read, one for the sake of the other.
    depth: usize,
}

impl<'s> Parser<'s> {
    /// Finds the definitions, which begin a line, and reads them. The first alias in the text is the reason to.
    fn find_aliases(&mut self) {
        if std::mem::replace(&mut self.aliases.are_found, true) {
            return;
        }
        let mark = self.mark();
        let source = self.source.as_bytes();
        let begins_line = |at: usize| {
            let before = source[..at].iter().rev().find(|byte| !matches!(byte, b' ' | b'\t'));
            before.is_none_or(|&byte| byte == b'\n')
        };
        let mut starts: Vec<usize> = Vec::new();
        for sign in ['#', '!'] {
            starts.extend(self.source.match_indices(sign).map(|(at, _)| at).filter(|&at| begins_line(at)));
        }
        starts.sort_unstable();
        let mut names = Vec::new();
        for start in starts {
            self.jump(start);
            if let Ok(Some(name)) = self.declare_alias() {
                names.push(name);
            }
        }
        for name in names {
            // Its error is reported; so is that of every use.
            let _: Parsed<Meaning> = self.resolve(name);
        }
        self.go_back(mark);
    }

    /// Takes the name of a definition, if the token at hand begins one.
    fn declare_alias(&mut self) -> Parsed<Option<Token>> {
        let name = self.token;
        if !matches!(name.kind(), Kind::Hash | Kind::Bang) {
            return Ok(None);
        }
        self.advance();
        if !self.eat(Kind::Equal) {
            return Ok(None);
        }
        let alias = Alias { start: name.start(), value: self.token.start(), end: 0, state: State::Waiting };
        if self.aliases.by_name.contains_key(self.text(name)) {
            return Err(self.report("redefinition", name.span(), format!("{} is defined twice", brief(self.text(name)))));
        }
        self.aliases.by_name.insert(self.text(name), alias);
        self.record_alias(name, name.is(Kind::Bang));
        Ok(Some(name))
    }

    /// Skips a definition in the text, or reads it where it did not begin a line.
    pub(super) fn alias_definition(&mut self) -> Parsed<()> {
        self.find_aliases();
        let name = self.token;
        let key = self.text(name);
        let start = self.aliases.by_name.get(key).map(|alias| alias.start);
        if start != Some(name.start()) {
            if name.leads() && start.is_some() {
                // The second definition of a name is reported.
                return Err(Failed);
            }
            let declared = self.declare_alias()?;
            let Some(declared) = declared else { return Err(self.unexpected("'='")) };
            self.resolve(declared)?;
        }
        match self.aliases.by_name.get(key) {
            Some(Alias { state: State::Known(_), end, .. }) => {
                let end = *end;
                self.jump(end);
                Ok(())
            }
            _ => Err(Failed),
        }
    }

    /// What the alias with this name stands for.
    pub(super) fn resolve(&mut self, name: Token) -> Parsed<Meaning> {
        self.find_aliases();
        self.record_alias_use(name);
        let key = self.text(name);
        let Some(alias) = self.aliases.by_name.get_mut(key) else {
            return Err(self.report("undefined-alias", name.span(), format!("{} is not defined", brief(key))));
        };
        match alias.state {
            State::Known(meaning) => return Ok(meaning),
            State::Broken => return Err(Failed),
            State::Running => return Err(self.report("alias-cycle", name.span(), format!("{} is defined by itself", brief(key)))),
            State::Waiting => {}
        }
        if self.aliases.depth >= MAX_LOCATION_DEPTH {
            return Err(self.report("limit", name.span(), format!("aliases nest deeper than {MAX_LOCATION_DEPTH}")));
        }
        alias.state = State::Running;
        let value = alias.value;
        let mark = self.mark();
        self.aliases.depth += 1;
        self.jump(value);
        let meaning = if name.is(Kind::Bang) { self.ty().map(Meaning::Type) } else { self.meaning() };
        if let Ok(Meaning::Type(ty)) = meaning {
            self.record_alias_type(name, ty);
        }
        let end = self.token.start();
        self.aliases.depth -= 1;
        self.go_back(mark);
        if let Some(alias) = self.aliases.by_name.get_mut(key) {
            alias.end = end;
            alias.state = meaning.map_or(State::Broken, State::Known);
        }
        meaning
    }

    /// The value of an alias of an attribute or location.
    fn meaning(&mut self) -> Parsed<Meaning> {
        if self.at_word("loc") {
            return self.location().map(Meaning::Location);
        }
        if self.at(Kind::Hash) {
            if self.text(self.token).starts_with("#cuda_tile.di_") {
                return self.debug_entry().map(|entry| Meaning::Location(Some(entry)));
            }
            if !self.text(self.token).starts_with("#cuda_tile.") {
                let name = self.advance();
                return self.resolve(name);
            }
        }
        self.attribute().map(Meaning::Attr)
    }

    /// The type that an alias stands for.
    pub(super) fn type_alias(&mut self, name: Token) -> Parsed<Type> {
        match self.resolve(name)? {
            Meaning::Type(ty) => Ok(ty),
            _ => Err(self.report("wrong-alias", name.span(), format!("{} is no type", brief(self.text(name))))),
        }
    }

    /// The attribute that an alias stands for.
    pub(super) fn attr_alias(&mut self, name: Token) -> Parsed<Attr> {
        match self.resolve(name)? {
            Meaning::Attr(attr) => Ok(attr),
            _ => Err(self.report("wrong-alias", name.span(), format!("{} is no attribute", brief(self.text(name))))),
        }
    }

    /// The location or debug entry that an alias stands for.
    pub(super) fn location_alias(&mut self, name: Token) -> Parsed<Option<Loc>> {
        match self.resolve(name)? {
            Meaning::Location(loc) => Ok(loc),
            _ => Err(self.report("wrong-alias", name.span(), format!("{} is no location", brief(self.text(name))))),
        }
    }
}
