//! Modules, globals and functions.

use super::cursor::{Failed, Parsed, Parser, brief};
use super::extended::Pending;
use super::lexer::{Kind, Token};
use super::map::NameKind;
use super::structured::Arguments;
use super::types::DIALECT;
use tilewright_ir::{Attr, AttrData, Body, Const, EnumKind, Function, Global, Opcode, Scalar, Str, SymbolVisibility, Type, TypeData};

/// What the disassembler prints before the name of the producer.
const PRODUCER: &str = "// Producer: ";

/// What stands in a module, and what can be around it.
const ITEMS: [&str; 4] = ["entry", "global", "module", "func"];

/// The attributes of a function or global in the generic form.
#[derive(Default)]
struct Properties {
    name: Option<Str>,
    signature: Option<Type>,
    hints: Option<Attr>,
    arg_attrs: Option<Attr>,
    value: Option<(Const, Type)>,
    alignment: u64,
    private: bool,
    constant: bool,
    producer: Option<Str>,
}

/// What is known of a function before its body.
struct Header {
    name: Str,
    is_entry: bool,
    hints: Option<Attr>,
    arg_attrs: Option<Attr>,
}

impl<'s> Parser<'s> {
    /// The whole text.
    pub(super) fn file(&mut self) {
        self.advance();
        if let Some(line) = self.source.lines().next().and_then(|line| line.strip_prefix(PRODUCER)) {
            self.module.producer = Some(self.intern_string(line.as_bytes()));
        }
        let mut has_module = false;
        while !self.at(Kind::End) {
            if self.at_module() {
                let token = self.token;
                if std::mem::replace(&mut has_module, true) {
                    self.report("misplaced-operation", token.span(), "a text has one module".to_owned());
                }
                if self.module_op().is_err() {
                    self.recover(token.start());
                }
            } else {
                self.item();
            }
            if self.at(Kind::RightBrace) {
                self.unexpected("a global, an entry or the end of the text");
                self.advance();
            }
        }
        self.order_accesses();
    }

    fn at_module(&self) -> bool {
        match self.token.kind() {
            Kind::Word => matches!(self.text(self.token), "module" | "cuda_tile.module" | "builtin.module"),
            Kind::Text => matches!(self.text(self.token), "\"cuda_tile.module\"" | "\"builtin.module\""),
            _ => false,
        }
    }

    /// `cuda_tile.module @name attributes {producer = "x"} { ... }`; a `module { ... }` of MLIR may be around it.
    fn module_op(&mut self) -> Parsed<()> {
        let token = self.advance();
        if token.is(Kind::Text) {
            return self.generic_module();
        }
        if self.at(Kind::Symbol) {
            self.module.name = self.symbol()?;
        } else if self.text(token) == "cuda_tile.module" {
            return Err(self.unexpected("the name of the module, such as @kernels"));
        }
        if self.eat_word("attributes") {
            let entries = self.dictionary(0)?;
            let producer = self.module.tables.strings.find("producer");
            let entry = entries.iter().find(|(name, _)| Some(*name) == producer).map(|(_, value)| *value);
            if let Some(AttrData::String(text)) = entry.map(|entry| self.module.tables.attrs.get(entry)) {
                self.module.producer = Some(*text);
            }
        }
        self.items()
    }

    /// `"cuda_tile.module"() <{sym_name = "kernels"}> ({ ... }) : () -> ()`
    fn generic_module(&mut self) -> Parsed<()> {
        self.no_operands()?;
        let properties = self.item_properties(None)?;
        self.module.name = properties.name.unwrap_or(self.module.name);
        self.module.producer = properties.producer.or(self.module.producer);
        self.expect(Kind::LeftParen)?;
        self.items()?;
        self.expect(Kind::RightParen)?;
        self.no_types()?;
        self.optional_location().map(|_| ())
    }

    /// `{ ... }` around globals and functions, and the location of the module, which is not kept.
    fn items(&mut self) -> Parsed<()> {
        let open = self.expect(Kind::LeftBrace)?;
        if self.depth >= super::MAX_REGION_DEPTH {
            return Err(self.report("limit", open.span(), "modules nest too deep".to_owned()));
        }
        self.depth += 1;
        while !self.at(Kind::RightBrace) {
            if self.at(Kind::End) {
                return Err(self.unclosed(open));
            }
            if self.at_module() {
                let start = self.token.start();
                if self.module_op().is_err() {
                    self.recover(start);
                }
            } else {
                self.item();
            }
        }
        self.depth -= 1;
        self.advance();
        self.optional_location().map(|_| ())
    }

    /// A global, a function or the definition of an alias. An error is reported, and reading goes on behind it.
    fn item(&mut self) {
        let start = self.token.start();
        if self.whole_item().is_err() {
            self.recover(start);
            self.record_skipped(start);
        }
        self.body = Body::new();
        self.pending = Pending::behind(self.num_errors());
        self.scope.clear();
        self.record_item_end();
    }

    fn whole_item(&mut self) -> Parsed<()> {
        let token = self.token;
        match token.kind() {
            Kind::Hash | Kind::Bang => self.alias_definition(),
            Kind::Word => {
                self.advance();
                let name = self.text(token);
                match name.strip_prefix(DIALECT).unwrap_or(name) {
                    "global" => self.global(),
                    "entry" => self.function(true),
                    "func" => self.function(false),
                    word => Err(self.misplaced(token, word)),
                }
            }
            Kind::Text => {
                self.advance();
                match self.text(token) {
                    "\"cuda_tile.global\"" => self.generic_global(token),
                    "\"cuda_tile.entry\"" => self.generic_function(token, true),
                    "\"cuda_tile.func\"" => self.generic_function(token, false),
                    text => Err(self.misplaced(token, text.trim_matches('"').trim_start_matches(DIALECT))),
                }
            }
            Kind::Value => Err(self.report("misplaced-operation", token.span(), "an operation must be inside a function".to_owned())),
            _ => Err(self.unexpected("a global, an entry or a module")),
        }
    }

    fn misplaced(&mut self, token: Token, word: &str) -> Failed {
        if Opcode::from_mnemonic(word).is_some() {
            return self.report("misplaced-operation", token.span(), format!("'{word}' must be inside a function"));
        }
        if let Some((dialect, _)) = word.split_once('.') {
            let message = format!("unknown item of a module '{}': the dialect '{}' is not Tile IR", brief(word), brief(dialect));
            let failed = self.report("unknown-operation", token.span(), message);
            self.note("of other dialects, MLIR's generic form is read, which 'mlir-opt --mlir-print-op-generic' writes".to_owned());
            return failed;
        }
        self.unknown_word("unknown-operation", "item of a module", token, word, ITEMS.into_iter())
    }

    /// ` [private] [constant] @name [alignment = 8] <f32: 1.0> : tile<1xf32>`
    fn global(&mut self) -> Parsed<()> {
        let mut visibility = SymbolVisibility::Public;
        if self.at_keyword(EnumKind::SymbolVisibility) {
            visibility = SymbolVisibility::from_wire(self.keyword(EnumKind::SymbolVisibility)?).ok_or(Failed)?;
        }
        let constant = self.eat_word("constant");
        let token = self.token;
        let name = self.symbol()?;
        self.record_symbol(NameKind::Global, token, name);
        let mut alignment = 0;
        if self.eat_word("alignment") {
            self.expect(Kind::Equal)?;
            alignment = self.unsigned(64)?;
        }
        self.expect(Kind::Less)?;
        let element = self.ty()?;
        self.expect(Kind::Colon)?;
        let start = self.skip_literal()?;
        self.expect(Kind::Greater)?;
        self.expect(Kind::Colon)?;
        let ty = self.ty()?;
        let value = self.typed_constant(start, element, ty)?;
        self.optional_location()?;
        self.module.globals.push(Global { name, ty, value, alignment, visibility, constant });
        Ok(())
    }

    /// Whether the brace at hand opens a body rather than the attributes of a parameter: an operation follows, not a key.
    fn is_body_ahead(&self) -> bool {
        let next = self.token_at(self.token.end());
        let is_key = || matches!(self.token_at(next.end()).kind(), Kind::Equal | Kind::Comma | Kind::RightBrace);
        next.is(Kind::Value) || (next.is(Kind::Word) && !is_key())
    }

    /// ` @name(%a: type {...}, ...) [-> types] [optimization_hints=<...>] { ... }`
    fn function(&mut self, is_entry: bool) -> Parsed<()> {
        let token = self.token;
        let name = self.symbol()?;
        self.record_symbol(NameKind::Function, token, name);
        let mut arguments = Arguments::default();
        let mut attrs = Vec::new();
        self.expect(Kind::LeftParen)?;
        let mut is_open = !self.eat(Kind::RightParen);
        if is_open {
            self.separated(|p| {
                p.argument(&mut arguments)?;
                if p.at(Kind::LeftBrace) && p.is_body_ahead() {
                    // The body is read all the same, for its own errors.
                    p.unexpected("',' or ')'");
                    is_open = false;
                    return Ok(());
                }
                let entries = if p.at(Kind::LeftBrace) { p.dictionary(0)? } else { Box::default() };
                attrs.push(p.add_attr(AttrData::Dictionary(entries)));
                p.optional_location().map(|_| ())
            })?;
        }
        if is_open {
            self.expect(Kind::RightParen)?;
        }
        let empty = AttrData::Dictionary(Box::default());
        let has_attrs = attrs.iter().any(|&attr| *self.module.tables.attrs.get(attr) != empty);
        let arg_attrs = has_attrs.then(|| self.add_attr(AttrData::Array(attrs.into())));
        let mut results = Vec::new();
        if self.eat(Kind::Arrow) {
            results = if self.at(Kind::LeftParen) { self.types_in_parentheses()? } else { vec![self.ty()?] };
        }
        let mut hints = None;
        if self.eat_word("optimization_hints") {
            self.expect(Kind::Equal)?;
            let entries = self.hints(0)?;
            hints = (!entries.is_empty()).then(|| self.add_attr(AttrData::OptimizationHints(entries)));
        }
        let signature = self.function_signature(&arguments.types, &results)?;
        self.region(self.body.root(), &arguments, Some(Opcode::Return))?;
        self.add_function(Header { name, is_entry, hints, arg_attrs }, signature)
    }

    fn function_signature(&mut self, inputs: &[Type], results: &[Type]) -> Parsed<Type> {
        let data = TypeData::Function { inputs: inputs.into(), results: results.into() };
        self.module.tables.types.intern(data).map_err(|error| self.report("invalid-type", self.token.span(), error.to_string()))
    }

    /// Takes the body that was read, and the location behind it.
    fn add_function(&mut self, header: Header, signature: Type) -> Parsed<()> {
        let loc = self.optional_location()?;
        let marks = self.complete_function(signature)?;
        if !marks.is_empty() {
            self.marks.insert(self.module.functions.len(), marks);
        }
        let Header { name, is_entry, hints, arg_attrs } = header;
        let visibility = SymbolVisibility::Public;
        let body = std::mem::take(&mut self.body);
        self.record_function();
        self.module.functions.push(Function { name, signature, is_entry, visibility, hints, arg_attrs, loc, body });
        Ok(())
    }

    /// `"cuda_tile.entry"() <{...}> ({ ... }) : () -> ()`
    fn generic_function(&mut self, token: Token, is_entry: bool) -> Parsed<()> {
        self.no_operands()?;
        let properties = self.item_properties(Some(NameKind::Function))?;
        self.expect(Kind::LeftParen)?;
        self.generic_region(self.body.root())?;
        self.expect(Kind::RightParen)?;
        self.no_types()?;
        let (Some(name), Some(signature)) = (properties.name, properties.signature) else {
            return Err(self.report("missing-attribute", token.span(), "a function needs sym_name and function_type".to_owned()));
        };
        let Properties { hints, arg_attrs, .. } = properties;
        self.add_function(Header { name, is_entry, hints, arg_attrs }, signature)
    }

    /// `"cuda_tile.global"() <{...}> : () -> ()`
    fn generic_global(&mut self, token: Token) -> Parsed<()> {
        self.no_operands()?;
        let properties = self.item_properties(Some(NameKind::Global))?;
        self.no_types()?;
        self.optional_location()?;
        let (Some(name), Some((value, ty))) = (properties.name, properties.value) else {
            return Err(self.report("missing-attribute", token.span(), "a global needs sym_name and value".to_owned()));
        };
        let Properties { alignment, private, constant, .. } = properties;
        let visibility = if private { SymbolVisibility::Private } else { SymbolVisibility::Public };
        self.module.globals.push(Global { name, ty, value, alignment, visibility, constant });
        Ok(())
    }

    /// `()`
    fn no_operands(&mut self) -> Parsed<()> {
        self.expect(Kind::LeftParen)?;
        self.expect(Kind::RightParen).map(|_| ())
    }

    /// ` : () -> ()`
    fn no_types(&mut self) -> Parsed<()> {
        self.expect(Kind::Colon)?;
        self.no_operands()?;
        self.expect(Kind::Arrow)?;
        self.no_operands()
    }

    /// ` <{name = value, ...}>`, if it is there; the brackets may be missing. `kind`: what has them, if that has a name of its own.
    fn item_properties(&mut self, kind: Option<NameKind>) -> Parsed<Properties> {
        let mut properties = Properties::default();
        let angled = self.eat(Kind::Less);
        if angled || self.at(Kind::LeftBrace) {
            self.expect(Kind::LeftBrace)?;
            self.closed(Kind::RightBrace, |p| p.item_property(kind, &mut properties))?;
            if angled {
                self.expect(Kind::Greater)?;
            }
        }
        Ok(properties)
    }

    fn item_property(&mut self, kind: Option<NameKind>, properties: &mut Properties) -> Parsed<()> {
        const KNOWN: [&str; 9] = [
            "alignment",
            "arg_attrs",
            "constant",
            "function_type",
            "optimization_hints",
            "producer",
            "sym_name",
            "symbol_visibility",
            "value",
        ];
        let token = self.expect(Kind::Word)?;
        let name = self.text(token);
        if name == "constant" {
            properties.constant = true;
            return if self.eat(Kind::Equal) { self.expect_word("unit") } else { Ok(()) };
        }
        self.expect(Kind::Equal)?;
        match name {
            "alignment" => {
                properties.alignment = self.unsigned(64)?;
                if self.eat(Kind::Colon) && self.ty()? != Scalar::I64.ty() {
                    return Err(self.report("invalid-type", token.span(), "an alignment is an i64".to_owned()));
                }
            }
            "arg_attrs" => {
                let items = self.list(0)?;
                properties.arg_attrs = Some(self.add_attr(AttrData::Array(items)));
            }
            "function_type" => properties.signature = Some(self.signature()?),
            "optimization_hints" => properties.hints = Some(self.attribute()?),
            "producer" => properties.producer = Some(self.string()?),
            "sym_name" => {
                let token = self.token;
                let name = self.string()?;
                properties.name = Some(name);
                if let Some(kind) = kind {
                    self.record_symbol(kind, token, name);
                }
            }
            "symbol_visibility" => {
                properties.private = self.generic_enum(EnumKind::SymbolVisibility)? == SymbolVisibility::Private as u8;
            }
            "value" => properties.value = Some(self.generic_constant()?),
            _ => return Err(self.unknown_word("unknown-attribute", "attribute", token, name, KNOWN.into_iter())),
        }
        Ok(())
    }
}
