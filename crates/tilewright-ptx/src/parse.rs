//! From a text to a module.

use crate::{
    Position, PtxError, Type,
    lexer::{Lexer, Token},
    module::{
        Constant, Declared, Function, Guard, Instruction, Item, Linkage, Location, Module, Operand, Pointer, Space, Statement, Variable,
    },
};

/// How deep blocks and operands may nest.
const DEPTH: usize = 64;
/// Directives of a function that take numbers, and how many at most.
const FUNCTION_DIRECTIVES: [(&str, usize); 12] = [
    ("reqntid", 3),
    ("maxntid", 3),
    ("minnctapersm", 1),
    ("maxnreg", 1),
    ("maxnctapersm", 1),
    ("language", 1),
    ("noreturn", 0),
    ("reqnctapercluster", 3),
    ("maxclusterrank", 1),
    ("explicitcluster", 0),
    ("blocksareclusters", 0),
    ("unified", 2),
];

/// Reads a PTX module.
///
/// # Errors
/// At the first place that is no PTX. What instructions mean is not looked at.
pub fn parse(text: &str) -> Result<Module, PtxError> {
    let mut parser = Parser::new(text)?;
    parser.module()
}

struct Parser<'t> {
    lexer: Lexer<'t>,
    token: Token<'t>,
    /// Where the token is.
    position: Position,
    depth: usize,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Result<Parser<'t>, PtxError> {
        let mut lexer = Lexer::new(text);
        let position = lexer.position()?;
        let token = lexer.next()?;
        Ok(Parser { lexer, token, position, depth: 0 })
    }

    fn advance(&mut self) -> Result<Token<'t>, PtxError> {
        let token = self.token;
        self.position = self.lexer.position()?;
        self.token = self.lexer.next()?;
        Ok(token)
    }

    fn unexpected<T>(&self, expected: &str) -> Result<T, PtxError> {
        Err(PtxError::new(self.position, format!("expected {expected}, found {}", self.token.describe())))
    }

    fn is(&self, mark: u8) -> bool {
        self.token == Token::Mark(mark)
    }

    fn eat(&mut self, mark: u8) -> Result<bool, PtxError> {
        let there = self.is(mark);
        if there {
            self.advance()?;
        }
        Ok(there)
    }

    fn expect(&mut self, mark: u8) -> Result<(), PtxError> {
        if self.eat(mark)? { Ok(()) } else { self.unexpected(&format!("'{}'", char::from(mark))) }
    }

    fn eat_dot(&mut self, name: &str) -> Result<bool, PtxError> {
        let there = self.token == Token::Dot(name);
        if there {
            self.advance()?;
        }
        Ok(there)
    }

    fn word(&mut self, what: &str) -> Result<&'t str, PtxError> {
        let Token::Word(word) = self.token else { return self.unexpected(what) };
        self.advance()?;
        Ok(word)
    }

    fn integer(&mut self, what: &str) -> Result<u64, PtxError> {
        let Token::Integer(value) = self.token else { return self.unexpected(what) };
        self.advance()?;
        Ok(value)
    }

    /// Calls `part` one level deeper.
    fn nested<T>(&mut self, part: impl FnOnce(&mut Self) -> Result<T, PtxError>) -> Result<T, PtxError> {
        if self.depth == DEPTH {
            return Err(PtxError::new(self.position, format!("this nests deeper than {DEPTH} levels")));
        }
        self.depth += 1;
        let result = part(self);
        self.depth -= 1;
        result
    }

    fn module(&mut self) -> Result<Module, PtxError> {
        let mut module = Module { address_size: 64, ..Module::default() };
        if !self.eat_dot("version")? {
            return self.unexpected("'.version'");
        }
        module.version = self.version()?;
        if !self.eat_dot("target")? {
            return self.unexpected("'.target'");
        }
        loop {
            module.target.push(self.word("a target such as sm_80")?.to_owned());
            if !self.eat(b',')? {
                break;
            }
        }
        if self.eat_dot("address_size")? {
            module.address_size = self.integer("32 or 64")? as u32;
        }
        while self.token != Token::End {
            if let Some(item) = self.item()? {
                module.items.push(item);
            }
        }
        Ok(module)
    }

    /// `9.4`: the lexer takes it for a float.
    fn version(&mut self) -> Result<(u32, u32), PtxError> {
        let Token::Double(bits) = self.token else { return self.unexpected("a version such as 9.4") };
        let text = format!("{}", f64::from_bits(bits));
        let (major, minor) = text.split_once('.').unwrap_or((text.as_str(), "0"));
        let Ok(version) = major.parse().and_then(|major| Ok((major, minor.parse()?))) else {
            return self.unexpected("a version such as 9.4");
        };
        self.advance()?;
        Ok(version)
    }

    fn item(&mut self) -> Result<Option<Item>, PtxError> {
        let position = self.position;
        let Token::Dot(directive) = self.token else { return self.unexpected("a directive") };
        match directive {
            "file" => self.file().map(Some),
            "section" | "nv_intermediate_source_section" => self.section(directive).map(Some),
            "pragma" => self.pragma().map(|_| None),
            _ => {
                let linkage = self.linkage()?;
                match self.token {
                    Token::Dot("entry" | "func") => self.function(position, linkage).map(|function| Some(Item::Function(function))),
                    Token::Dot(_) => {
                        let variable = self.variable(position, linkage)?;
                        self.expect(b';')?;
                        Ok(Some(Item::Variable(variable)))
                    }
                    _ => self.unexpected("a function or a variable"),
                }
            }
        }
    }

    fn linkage(&mut self) -> Result<Linkage, PtxError> {
        for (linkage, name) in Linkage::WRITTEN {
            if self.eat_dot(name)? {
                return Ok(linkage);
            }
        }
        Ok(Linkage::Internal)
    }

    fn file(&mut self) -> Result<Item, PtxError> {
        self.advance()?;
        let number = self.integer("the number of a file")?;
        let Token::Text(name) = self.token else { return self.unexpected("the name of a file") };
        self.advance()?;
        let mut stamp = None;
        if self.eat(b',')? {
            let time = self.integer("a time")?;
            self.expect(b',')?;
            stamp = Some((time, self.integer("a size")?));
        }
        Ok(Item::File { number, name: name.to_owned(), stamp })
    }

    fn section(&mut self, directive: &str) -> Result<Item, PtxError> {
        self.advance()?;
        let mut name = format!(".{directive}");
        if let Token::Dot(section) = self.token {
            name += &format!(" .{section}");
            self.advance()?;
        }
        if !self.is(b'{') {
            return self.unexpected("'{'");
        }
        // The text begins right behind the brace, which the lexer has just passed.
        let text = self.lexer.raw_block()?.to_owned();
        self.advance()?;
        Ok(Item::Section { name, text })
    }

    fn pragma(&mut self) -> Result<Vec<String>, PtxError> {
        self.advance()?;
        let mut all = Vec::new();
        loop {
            let Token::Text(text) = self.token else { return self.unexpected("a string") };
            all.push(text.to_owned());
            self.advance()?;
            if !self.eat(b',')? {
                self.expect(b';')?;
                return Ok(all);
            }
        }
    }

    fn function(&mut self, position: Position, linkage: Linkage) -> Result<Function, PtxError> {
        let is_entry = self.advance()? == Token::Dot("entry");
        let returns = if !is_entry && self.is(b'(') { self.params()? } else { Vec::new() };
        let name = self.word("the name of a function")?.to_owned();
        let params = if self.is(b'(') { self.params()? } else { Vec::new() };
        let directives = self.function_directives()?;
        let body = if self.eat(b';')? {
            None
        } else if self.is(b'{') {
            Some(self.block()?)
        } else {
            return self.unexpected("'{' or ';'");
        };
        Ok(Function { position, linkage, is_entry, name, returns, params, directives, body })
    }

    fn function_directives(&mut self) -> Result<Vec<(String, Vec<u64>)>, PtxError> {
        let mut all = Vec::new();
        while let Token::Dot(name) = self.token {
            if name == "pragma" {
                self.pragma()?;
                continue;
            }
            let Some((_, most)) = FUNCTION_DIRECTIVES.iter().find(|(known, _)| *known == name) else {
                return self.unexpected("a directive of functions, '{' or ';'");
            };
            self.advance()?;
            let mut values = Vec::new();
            while values.len() < *most && matches!(self.token, Token::Integer(_)) {
                values.push(self.integer("a number")?);
                if !self.eat(b',')? {
                    break;
                }
            }
            all.push((name.to_owned(), values));
        }
        Ok(all)
    }

    fn params(&mut self) -> Result<Vec<Variable>, PtxError> {
        self.expect(b'(')?;
        let mut all = Vec::new();
        while !self.eat(b')')? {
            if !all.is_empty() {
                self.expect(b',')?;
            }
            let (position, linkage) = (self.position, self.linkage()?);
            all.push(self.variable(position, linkage)?);
        }
        Ok(all)
    }

    /// A declaration, up to what ends it.
    fn variable(&mut self, position: Position, linkage: Linkage) -> Result<Variable, PtxError> {
        let Token::Dot(space) = self.token else { return self.unexpected("a state space") };
        let Some(space) = Space::from_name(space) else { return self.unexpected("a state space") };
        self.advance()?;
        let mut variable = Variable { position, linkage, space, align: None, vector: None, ty: Type::B8, pointer: None, names: Vec::new() };
        let mut typed = false;
        while let Token::Dot(directive) = self.token {
            self.advance()?;
            match directive {
                "align" if variable.pointer.is_none() => variable.align = Some(self.alignment()?),
                "align" => {
                    let align = Some(self.alignment()?);
                    variable.pointer = variable.pointer.map(|pointer| Pointer { align, ..pointer });
                }
                "v2" => variable.vector = Some(2),
                "v4" => variable.vector = Some(4),
                "ptr" => variable.pointer = Some(Pointer { space: None, align: None }),
                _ => match (Type::from_name(directive), Space::from_name(directive), variable.pointer) {
                    (Some(ty), _, _) if !typed => (variable.ty, typed) = (ty, true),
                    (_, Some(space), Some(pointer)) => variable.pointer = Some(Pointer { space: Some(space), ..pointer }),
                    _ => return Err(PtxError::new(position, format!("'.{directive}' has no place in this declaration"))),
                },
            }
        }
        if !typed {
            return Err(PtxError::new(position, "this declaration names no type"));
        }
        loop {
            variable.names.push(self.declared()?);
            if space != Space::Reg || !self.eat(b',')? {
                return Ok(variable);
            }
        }
    }

    fn alignment(&mut self) -> Result<u64, PtxError> {
        let position = self.position;
        let align = self.integer("an alignment")?;
        if align.is_power_of_two() && align <= 1 << 16 {
            Ok(align)
        } else {
            Err(PtxError::new(position, format!("{align} is no alignment: powers of two up to 65536 are")))
        }
    }

    fn declared(&mut self) -> Result<Declared, PtxError> {
        let mut declared = Declared { name: self.word("a name")?.to_owned(), count: None, extents: Vec::new(), initial: Vec::new() };
        if self.eat(b'<')? {
            declared.count = Some(self.integer("a number of registers")?);
            self.expect(b'>')?;
        }
        while self.eat(b'[')? {
            let extent = if self.is(b']') { 0 } else { self.integer("an extent")? };
            declared.extents.push(extent);
            self.expect(b']')?;
        }
        if self.eat(b'=')? {
            self.initial(&mut declared.initial)?;
        }
        Ok(declared)
    }

    fn initial(&mut self, values: &mut Vec<Constant>) -> Result<(), PtxError> {
        if !self.eat(b'{')? {
            values.push(self.constant()?);
            return Ok(());
        }
        while !self.eat(b'}')? {
            self.nested(|this| this.initial(values))?;
            if !self.eat(b',')? && !self.is(b'}') {
                return self.unexpected("',' or '}'");
            }
        }
        Ok(())
    }

    fn constant(&mut self) -> Result<Constant, PtxError> {
        if self.eat(b'-')? {
            return Ok(match self.constant()? {
                Constant::Integer(value) => Constant::Integer(-value),
                Constant::Single(bits) => Constant::Single(bits ^ 1 << 31),
                Constant::Double(bits) => Constant::Double(bits ^ 1 << 63),
                Constant::Address { .. } => return self.unexpected("a number behind '-'"),
            });
        }
        let constant = match self.token {
            Token::Integer(value) => Constant::Integer(value.into()),
            Token::Single(bits) => Constant::Single(bits),
            Token::Double(bits) => Constant::Double(bits),
            Token::Word("generic") => {
                self.advance()?;
                self.expect(b'(')?;
                let name = self.word("a variable")?.to_owned();
                self.expect(b')')?;
                let offset = self.offset()?;
                return Ok(Constant::Address { name, offset, generic: true });
            }
            Token::Word(name) => {
                self.advance()?;
                let offset = self.offset()?;
                return Ok(Constant::Address { name: name.to_owned(), offset, generic: false });
            }
            _ => return self.unexpected("a constant"),
        };
        self.advance()?;
        Ok(constant)
    }

    /// `+4`, `-4`, `+-4` or nothing.
    fn offset(&mut self) -> Result<i64, PtxError> {
        let plus = self.eat(b'+')?;
        let minus = self.eat(b'-')?;
        if !plus && !minus {
            return Ok(0);
        }
        let position = self.position;
        let value = self.integer("an offset")?;
        let value = i64::try_from(value).map_err(|_| PtxError::new(position, "this offset is too large"))?;
        Ok(if minus { -value } else { value })
    }

    fn block(&mut self) -> Result<Vec<Statement>, PtxError> {
        self.expect(b'{')?;
        self.nested(|this| {
            let mut all = Vec::new();
            while !this.eat(b'}')? {
                all.push(this.statement()?);
            }
            Ok(all)
        })
    }

    fn statement(&mut self) -> Result<Statement, PtxError> {
        let position = self.position;
        match self.token {
            Token::Mark(b'{') => self.block().map(Statement::Block),
            Token::Dot("loc") => self.location().map(Statement::Location),
            Token::Dot("pragma") => self.pragma().map(Statement::Pragma),
            Token::Dot(_) => {
                let linkage = self.linkage()?;
                let variable = self.variable(position, linkage)?;
                self.expect(b';')?;
                Ok(Statement::Variable(variable))
            }
            Token::Mark(b'@') => {
                self.advance()?;
                let negated = self.eat(b'!')?;
                let guard = Guard { negated, register: self.word("a predicate")?.to_owned() };
                let name = self.word("an instruction")?;
                self.instruction(position, Some(guard), name)
            }
            Token::Word(name) => {
                self.advance()?;
                if self.eat(b':')? { Ok(Statement::Label(position, name.to_owned())) } else { self.instruction(position, None, name) }
            }
            _ => self.unexpected("a statement"),
        }
    }

    fn location(&mut self) -> Result<Location, PtxError> {
        self.advance()?;
        let file = self.integer("the number of a file")?;
        let line = self.integer("a line")?;
        let column = self.integer("a column")?;
        let mut inlined = String::new();
        while self.eat(b',')? {
            let name = self.word("'function_name' or 'inlined_at'")?;
            inlined += &format!(", {name}");
            if name == "inlined_at" {
                for _ in 0..3 {
                    inlined += &format!(" {}", self.integer("a file, a line and a column")?);
                }
            } else {
                inlined += &format!(" {}", self.word("the label of a name")?);
                if self.eat(b'+')? {
                    inlined += &format!("+{}", self.integer("an offset")?);
                }
            }
        }
        Ok(Location { file, line, column, inlined })
    }

    fn instruction(&mut self, position: Position, guard: Option<Guard>, name: &str) -> Result<Statement, PtxError> {
        let mut operands = Vec::new();
        while !self.eat(b';')? {
            if !operands.is_empty() {
                self.expect(b',')?;
            }
            operands.push(self.operand()?);
        }
        Ok(Statement::Instruction(Instruction { position, guard, name: name.to_owned(), operands }))
    }

    fn operand(&mut self) -> Result<Operand, PtxError> {
        let operand = match self.token {
            Token::Mark(b'{') => Operand::Vector(self.operands(b'{', b'}')?),
            Token::Mark(b'(') => Operand::List(self.operands(b'(', b')')?),
            Token::Mark(b'[') => self.address()?,
            Token::Mark(b'!') => {
                self.advance()?;
                Operand::Not(self.word("a predicate")?.to_owned())
            }
            Token::Word("_") => {
                self.advance()?;
                Operand::Sink
            }
            Token::Word(name) if name != "generic" => {
                self.advance()?;
                match self.offset()? {
                    0 => Operand::Name(name.to_owned()),
                    offset => Operand::Constant(Constant::Address { name: name.to_owned(), offset, generic: false }),
                }
            }
            _ => Operand::Constant(self.constant()?),
        };
        if self.eat(b'|')? {
            let second = self.nested(Self::operand)?;
            return Ok(Operand::Pair(Box::new(operand), Box::new(second)));
        }
        Ok(operand)
    }

    fn operands(&mut self, open: u8, close: u8) -> Result<Vec<Operand>, PtxError> {
        self.expect(open)?;
        self.operands_until(close)
    }

    fn operands_until(&mut self, close: u8) -> Result<Vec<Operand>, PtxError> {
        self.nested(|this| {
            let mut all = Vec::new();
            while !this.eat(close)? {
                if !all.is_empty() {
                    this.expect(b',')?;
                }
                all.push(this.operand()?);
            }
            Ok(all)
        })
    }

    fn address(&mut self) -> Result<Operand, PtxError> {
        self.expect(b'[')?;
        let base = match self.token {
            Token::Word(name) => {
                self.advance()?;
                Some(name.to_owned())
            }
            _ => None,
        };
        let offset = match (&base, self.token) {
            (None, Token::Integer(value)) => {
                self.advance()?;
                value as i64
            }
            _ => self.offset()?,
        };
        let address = Operand::Address(base, offset);
        if self.eat(b']')? {
            return Ok(address);
        }
        self.expect(b',')?;
        let mut parts = self.operands_until(b']')?;
        parts.insert(0, address);
        Ok(Operand::Tensor(parts))
    }
}
