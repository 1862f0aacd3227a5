//! Source locations and debug attributes.

use super::cursor::{Failed, Parsed, Parser, brief};
use super::lexer::{Kind, Token};
use tilewright_ir::{Loc, LocData, Str};

/// The fields of a debug attribute, in any order.
#[derive(Default)]
struct Fields {
    scope: Option<Loc>,
    file: Option<Loc>,
    unit: Option<Loc>,
    line: u32,
    column: u32,
    scope_line: u32,
    flags: u32,
    name: Option<Str>,
    linkage_name: Option<Str>,
}

/// An attribute with fields.
#[derive(Clone, Copy)]
enum Scope {
    CompileUnit,
    LexicalBlock,
    Subprogram,
}

impl Scope {
    /// Its fields, and whether each must be there.
    fn fields(self) -> &'static [(&'static str, bool)] {
        match self {
            Scope::CompileUnit => &[("file", true)],
            Scope::LexicalBlock => &[("scope", true), ("file", true), ("line", true), ("column", false)],
            Scope::Subprogram => &[
                ("file", true),
                ("line", true),
                ("name", true),
                ("linkageName", true),
                ("compileUnit", true),
                ("scopeLine", false),
                ("flags", false),
            ],
        }
    }
}

impl<'s> Parser<'s> {
    /// `loc(...)`, if it is there.
    #[inline]
    pub(super) fn optional_location(&mut self) -> Parsed<Option<Loc>> {
        if self.at_word("loc") { self.location() } else { Ok(None) }
    }

    /// `loc(...)`
    pub(super) fn location(&mut self) -> Parsed<Option<Loc>> {
        self.expect_word("loc")?;
        self.record_location();
        self.expect(Kind::LeftParen)?;
        let loc = self.call_place(0)?;
        self.expect(Kind::RightParen)?;
        Ok(loc)
    }

    pub(super) fn add_location(&mut self, data: LocData) -> Loc {
        let table = &mut self.module.tables.locations;
        *self.locations.entry(data).or_insert_with(|| table.add(data))
    }

    /// A location without its `loc(...)`, or with it.
    fn place(&mut self, depth: usize) -> Parsed<Option<Loc>> {
        if depth > super::MAX_LOCATION_DEPTH {
            let message = format!("locations nest deeper than {}", super::MAX_LOCATION_DEPTH);
            return Err(self.report("limit", self.token.span(), message));
        }
        match self.token.kind() {
            Kind::Text => self.file_place(),
            Kind::Hash if self.text(self.token).starts_with("#cuda_tile.") => self.nested_entry().map(Some),
            Kind::Hash => {
                let name = self.advance();
                self.location_alias(name)
            }
            Kind::Word => match self.text(self.token) {
                "unknown" => {
                    self.advance();
                    Ok(None)
                }
                "loc" => {
                    self.advance();
                    self.expect(Kind::LeftParen)?;
                    let loc = self.place(depth + 1)?;
                    self.expect(Kind::RightParen)?;
                    Ok(loc)
                }
                "callsite" => self.call_site(depth),
                "fused" => {
                    let message = "Tile IR has no fused locations: only places in files, call sites and unknown ones".to_owned();
                    Err(self.report("unsupported-location", self.token.span(), message))
                }
                _ => Err(self.unexpected("a location")),
            },
            _ => Err(self.unexpected("a location")),
        }
    }

    /// `"file.py":7:4`
    fn file_place(&mut self) -> Parsed<Option<Loc>> {
        let token = self.token;
        let file = self.string()?;
        if !self.eat(Kind::Colon) {
            let message = "Tile IR has no named locations: a place is \"file\":line:column".to_owned();
            return Err(self.report("unsupported-location", token.span(), message));
        }
        let line = self.unsigned(32)? as u32;
        self.expect(Kind::Colon)?;
        let column = self.unsigned(32)? as u32;
        Ok(Some(self.add_location(LocData::Source { scope: None, file, line, column })))
    }

    /// `callsite(callee at caller)`
    fn call_site(&mut self, depth: usize) -> Parsed<Option<Loc>> {
        self.advance();
        self.expect(Kind::LeftParen)?;
        let callee = self.call_place(depth)?;
        self.expect_word("at")?;
        let caller = self.call_place(depth)?;
        self.expect(Kind::RightParen)?;
        Ok(Some(self.add_location(LocData::CallSite { callee, caller })))
    }

    /// A location, not just any debug entry.
    fn call_place(&mut self, depth: usize) -> Parsed<Option<Loc>> {
        let token = self.token;
        let loc = self.place(depth + 1)?;
        self.check_entry(token, loc, "a place or call site", |entry| matches!(entry, LocData::Source { .. } | LocData::CallSite { .. }))
    }

    /// A debug attribute: `#cuda_tile.di_file<"f.py" in "/d">` and the like.
    pub(super) fn debug_entry(&mut self) -> Parsed<Loc> {
        let token = self.advance();
        let kind = self.text(token);
        self.expect(Kind::Less)?;
        let data = match kind {
            "#cuda_tile.di_loc" => self.scoped_place()?,
            "#cuda_tile.di_file" => {
                let name = self.string()?;
                self.expect_word("in")?;
                LocData::File { name, directory: self.string()? }
            }
            "#cuda_tile.di_compile_unit" => self.scope_entry(token, Scope::CompileUnit)?,
            "#cuda_tile.di_lexical_block" => self.scope_entry(token, Scope::LexicalBlock)?,
            "#cuda_tile.di_subprogram" => self.scope_entry(token, Scope::Subprogram)?,
            _ => {
                let known = ["di_loc", "di_file", "di_compile_unit", "di_lexical_block", "di_subprogram"];
                let word = kind.trim_start_matches("#cuda_tile.");
                return Err(self.unknown_word("unknown-attribute", "debug attribute", token, word, known.into_iter()));
            }
        };
        self.expect(Kind::Greater)?;
        Ok(self.add_location(data))
    }

    /// `#loc1 in #di_subprogram`
    fn scoped_place(&mut self) -> Parsed<LocData> {
        let token = self.token;
        let place = self.place(0)?;
        self.expect_word("in")?;
        let scope = Some(self.scope_reference()?);
        match place.map(|place| *self.module.tables.locations.get(place)) {
            Some(LocData::Source { scope: None, file, line, column }) => Ok(LocData::Source { scope, file, line, column }),
            _ => Err(self.report("wrong-alias", token.span(), "a di_loc needs a place: \"file\":line:column".to_owned())),
        }
    }

    /// The fields of an attribute that others refer to.
    fn scope_entry(&mut self, token: Token, kind: Scope) -> Parsed<LocData> {
        let (mut fields, mut seen) = (Fields::default(), Vec::new());
        if !self.at(Kind::Greater) {
            self.separated(|p| p.field(kind, &mut fields, &mut seen))?;
        }
        if let Some((name, _)) = kind.fields().iter().find(|(name, is_needed)| *is_needed && !seen.contains(name)) {
            let message = format!("{} needs the field '{name}'", brief(self.text(token)));
            return Err(self.report("missing-attribute", token.span(), message));
        }
        let Fields { scope, file, unit, line, column, scope_line, flags, .. } = fields;
        let strings = &mut self.module.tables.strings;
        let mut string = |given: Option<Str>| given.unwrap_or_else(|| strings.intern(""));
        Ok(match kind {
            Scope::CompileUnit => LocData::CompileUnit { file },
            Scope::LexicalBlock => LocData::LexicalBlock { scope, file, line, column },
            Scope::Subprogram => {
                let (name, linkage_name) = (string(fields.name), string(fields.linkage_name));
                LocData::Subprogram { file, line, name, linkage_name, unit, scope_line, flags }
            }
        })
    }

    /// `line = 4`
    fn field(&mut self, kind: Scope, fields: &mut Fields, seen: &mut Vec<&'static str>) -> Parsed<()> {
        let token = self.expect(Kind::Word)?;
        let word = self.text(token);
        let Some((name, _)) = kind.fields().iter().find(|(name, _)| *name == word) else {
            return Err(self.unknown_word("unknown-attribute", "field", token, word, kind.fields().iter().map(|(name, _)| *name)));
        };
        if seen.contains(name) {
            return Err(self.report("redefinition", token.span(), "the field stands twice".to_owned()));
        }
        seen.push(name);
        self.expect(Kind::Equal)?;
        match *name {
            "scope" => fields.scope = Some(self.scope_reference()?),
            "file" => fields.file = Some(self.reference("a di_file", |entry| matches!(entry, LocData::File { .. }))?),
            "compileUnit" => {
                fields.unit = Some(self.reference("a di_compile_unit", |entry| matches!(entry, LocData::CompileUnit { .. }))?);
            }
            "line" => fields.line = self.unsigned(32)? as u32,
            "column" => fields.column = self.unsigned(32)? as u32,
            "scopeLine" => fields.scope_line = self.unsigned(32)? as u32,
            "flags" if self.eat_word("declaration") => fields.flags = 1,
            "flags" => fields.flags = self.unsigned(32)? as u32,
            "name" => fields.name = Some(self.string()?),
            _ => fields.linkage_name = Some(self.string()?),
        }
        Ok(())
    }

    fn scope_reference(&mut self) -> Parsed<Loc> {
        self.reference("a di_subprogram or di_lexical_block", |entry| {
            matches!(entry, LocData::Subprogram { .. } | LocData::LexicalBlock { .. })
        })
    }

    /// An alias of a debug attribute, or the attribute itself.
    fn reference(&mut self, what: &str, fits: impl Fn(&LocData) -> bool) -> Parsed<Loc> {
        let token = self.token;
        let entry = match token.kind() {
            Kind::Hash if self.text(token).starts_with("#cuda_tile.") => Some(self.nested_entry()?),
            Kind::Hash => {
                self.advance();
                self.location_alias(token)?
            }
            _ => return Err(self.unexpected(what)),
        };
        // An unknown location is no entry at all.
        entry.filter(|entry| fits(self.module.tables.locations.get(*entry))).ok_or_else(|| self.is_not(token, what))
    }

    /// A debug attribute inside another.
    fn nested_entry(&mut self) -> Parsed<Loc> {
        if self.depth >= super::MAX_REGION_DEPTH {
            return Err(self.report("limit", self.token.span(), "debug attributes nest too deep".to_owned()));
        }
        self.depth += 1;
        let entry = self.debug_entry();
        self.depth -= 1;
        entry
    }

    fn check_entry(&mut self, token: Token, entry: Option<Loc>, what: &str, fits: impl Fn(&LocData) -> bool) -> Parsed<Option<Loc>> {
        if entry.is_none_or(|entry| fits(self.module.tables.locations.get(entry))) {
            return Ok(entry);
        }
        Err(self.is_not(token, what))
    }

    fn is_not(&mut self, token: Token, what: &str) -> Failed {
        self.report("wrong-alias", token.span(), format!("expected {what}, found '{}'", brief(self.text(token))))
    }
}
