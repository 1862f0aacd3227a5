//! The parser of litmus tests. `docs/memory-model.md` describes the format.

use super::{
    LitmusError,
    condition::Condition,
    lexer::{Token, tokens},
    program::{Access, AccessKind, Arithmetic, Block, Expectation, Litmus, Operand, Statement},
};
use crate::access::Strength;
use tilewright_ir::{AtomicRMWMode as Mode, EnumKind, MemoryOrderingSemantics as Ordering, MemoryScope as Scope};

/// How deep branches, and conditions, may nest.
const MAX_NESTING: usize = 16;

/// How many blocks a test may have.
const MAX_BLOCKS: usize = 16;

type Parsed<T> = Result<T, LitmusError>;

pub(super) fn parse(text: &str) -> Parsed<Litmus> {
    let tokens = tokens(text)?;
    let litmus = Litmus {
        name: String::new(),
        locations: Vec::new(),
        initial: Vec::new(),
        blocks: Vec::new(),
        observed: Vec::new(),
        expectations: Vec::new(),
    };
    let mut parser = Parser { tokens, at: 0, litmus };
    parser.file()?;
    Ok(parser.litmus)
}

struct Parser {
    tokens: Vec<(usize, Token)>,
    at: usize,
    litmus: Litmus,
}

impl Parser {
    fn peek(&self) -> &Token {
        self.tokens.get(self.at).map_or(&Token::EndOfLine, |(_, token)| token)
    }

    fn line(&self) -> usize {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(1, |(line, _)| *line)
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at += 1;
        token
    }

    fn error<T>(&self, what: impl Into<String>) -> Parsed<T> {
        Err(LitmusError::new(self.line(), what))
    }

    fn takes(&mut self, sign: &str) -> bool {
        let is = matches!(self.peek(), Token::Sign(found) if *found == sign);
        self.at += usize::from(is);
        is
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let is = matches!(self.peek(), Token::Word(found) if found == word);
        self.at += usize::from(is);
        is
    }

    fn expect(&mut self, sign: &str) -> Parsed<()> {
        if self.takes(sign) { Ok(()) } else { self.error(format!("expected '{sign}', found {}", shown(self.peek()))) }
    }

    fn word(&mut self, what: &str) -> Parsed<String> {
        match self.peek().clone() {
            Token::Word(word) => {
                self.at += 1;
                Ok(word)
            }
            other => self.error(format!("expected {what}, found {}", shown(&other))),
        }
    }

    fn number(&mut self) -> Parsed<i32> {
        match self.peek() {
            Token::Number(number) => match i32::try_from(*number) {
                Ok(number) => {
                    self.at += 1;
                    Ok(number)
                }
                Err(_) => self.error(format!("{number} is not an i32")),
            },
            other => self.error(format!("expected a number, found {}", shown(other))),
        }
    }

    fn end_of_line(&mut self) -> Parsed<()> {
        match self.peek() {
            Token::EndOfLine => {
                self.at += 1;
                Ok(())
            }
            other => self.error(format!("expected the end of the line, found {}", shown(other))),
        }
    }

    fn file(&mut self) -> Parsed<()> {
        while self.at < self.tokens.len() {
            let at = self.at;
            match self.next() {
                Token::EndOfLine => continue,
                Token::Word(word) => match word.as_str() {
                    "litmus" => self.litmus.name = self.word("the name of the test")?,
                    "memory" => self.memory()?,
                    "observe" => self.observe()?,
                    "block" => self.block()?,
                    "allowed" => {
                        let condition = self.any(0)?;
                        self.litmus.expectations.push(Expectation::Allowed(condition));
                    }
                    "forbidden" => {
                        let condition = self.any(0)?;
                        self.litmus.expectations.push(Expectation::Forbidden(condition));
                    }
                    "outcomes" => self.outcomes()?,
                    "race" => self.litmus.expectations.push(Expectation::Race(true)),
                    "no" if self.takes_word("race") => self.litmus.expectations.push(Expectation::Race(false)),
                    _ => return self.unknown(at),
                },
                _ => return self.unknown(at),
            }
            self.end_of_line()?;
        }
        match () {
            () if self.litmus.name.is_empty() => Err(LitmusError::new(1, "a test begins with 'litmus' and its name")),
            () if self.litmus.blocks.is_empty() => Err(LitmusError::new(1, "the test has no blocks")),
            () => Ok(()),
        }
    }

    fn unknown(&mut self, at: usize) -> Parsed<()> {
        self.at = at;
        let found = shown(self.peek());
        self.error(format!("expected litmus, memory, observe, block, allowed, forbidden, outcomes, race or no race, found {found}"))
    }

    fn memory(&mut self) -> Parsed<()> {
        loop {
            let name = self.word("a location")?;
            if self.litmus.locations.contains(&name) {
                return self.error(format!("there are two locations {name}"));
            }
            let initial = if self.takes("=") { self.number()? } else { 0 };
            self.litmus.locations.push(name);
            self.litmus.initial.push(initial);
            if !self.takes(",") {
                return Ok(());
            }
        }
    }

    fn location(&mut self) -> Parsed<usize> {
        let name = self.word("a location")?;
        match self.litmus.locations.iter().position(|known| *known == name) {
            Some(location) => Ok(location),
            None if self.litmus.name.is_empty() => self.error(format!("there is no location {name}")),
            None => self.error(format!("there is no location {name}; name it in a line 'memory {name} = 0' before")),
        }
    }

    fn observe(&mut self) -> Parsed<()> {
        loop {
            let location = self.location()?;
            self.observed(location);
            if !self.takes(",") {
                return Ok(());
            }
        }
    }

    fn observed(&mut self, location: usize) -> usize {
        let observed = &mut self.litmus.observed;
        observed.iter().position(|known| *known == location).unwrap_or_else(|| {
            observed.push(location);
            observed.len() - 1
        })
    }

    fn block(&mut self) -> Parsed<()> {
        let (number, expected) = (self.number()?, self.litmus.blocks.len());
        if usize::try_from(number) != Ok(expected) {
            return self.error(format!("expected block {expected}: blocks come in order, from 0"));
        }
        if expected == MAX_BLOCKS {
            return self.error(format!("a test has at most {MAX_BLOCKS} blocks"));
        }
        let device = if self.takes_word("on") {
            if !self.takes_word("device") {
                return self.error("expected 'on device N'");
            }
            self.number()? as u32
        } else {
            0
        };
        let mut block = Block { device, values: Vec::new(), tokens: Vec::new(), observed: Vec::new(), body: Vec::new() };
        block.body = self.body(&mut block, 0)?;
        self.litmus.blocks.push(block);
        Ok(())
    }

    fn body(&mut self, block: &mut Block, depth: usize) -> Parsed<Vec<Statement>> {
        if depth > MAX_NESTING {
            return self.error(format!("branches nest more than {MAX_NESTING} deep"));
        }
        self.expect("{")?;
        let mut body = Vec::new();
        loop {
            match self.peek().clone() {
                Token::EndOfLine if self.at < self.tokens.len() => self.at += 1,
                Token::Sign("}") => {
                    self.at += 1;
                    return Ok(body);
                }
                Token::Word(word) if word == "if" => {
                    self.at += 1;
                    body.push(self.branch(block, depth)?);
                }
                Token::Word(_) | Token::Value(_) => {
                    body.push(self.statement(block)?);
                    if !matches!(self.peek(), Token::Sign("}")) {
                        self.end_of_line()?;
                    }
                }
                other => return self.error(format!("expected a statement or '}}', found {}", shown(&other))),
            }
        }
    }

    fn branch(&mut self, block: &mut Block, depth: usize) -> Parsed<Statement> {
        let first = self.operand(block)?;
        let equal = self.takes("==");
        if !equal {
            self.expect("!=")?;
        }
        let second = self.operand(block)?;
        let then = self.body(block, depth + 1)?;
        let otherwise = if self.takes_word("else") { self.body(block, depth + 1)? } else { Vec::new() };
        Ok(Statement::If { operands: [first, second], equal, then, otherwise })
    }

    fn operand(&mut self, block: &Block) -> Parsed<Operand> {
        match self.peek().clone() {
            Token::Value(name) => match block.values.iter().position(|known| *known == name) {
                Some(value) => {
                    self.at += 1;
                    Ok(Operand::Value(value))
                }
                None => self.error(format!("%{name} is no value of this block so far")),
            },
            _ => Ok(Operand::Number(self.number()?)),
        }
    }

    fn statement(&mut self, block: &mut Block) -> Parsed<Statement> {
        let line = self.line();
        let mut names = Vec::new();
        while let Token::Value(name) = self.peek().clone() {
            self.at += 1;
            names.push(name);
            if !self.takes(",") {
                self.expect("=")?;
                break;
            }
        }
        let operation = self.word("an operation")?;
        if let Some((_, arithmetic)) = Arithmetic::ALL.iter().find(|(name, _)| *name == operation) {
            let first = self.operand(block)?;
            self.expect(",")?;
            let operands = [first, self.operand(block)?];
            let [name] = self.results(names)?;
            return Ok(Statement::Let { value: self.define_value(block, name)?, operation: *arithmetic, operands });
        }
        match operation.as_str() {
            "make_token" => {
                let [name] = self.results(names)?;
                Ok(Statement::Join { token: self.define_token(block, name)?, of: Vec::new() })
            }
            "join_tokens" => {
                let mut of = vec![self.token_operand(block)?];
                while self.takes(",") {
                    of.push(self.token_operand(block)?);
                }
                let [name] = self.results(names)?;
                Ok(Statement::Join { token: self.define_token(block, name)?, of })
            }
            "load_ptr_tko" | "store_ptr_tko" | "atomic_rmw_tko" | "atomic_cas_tko" => {
                Ok(Statement::Access(self.access(block, &operation, line, names)?))
            }
            other => {
                self.at -= 1;
                let known = "load_ptr_tko, store_ptr_tko, atomic_rmw_tko, atomic_cas_tko, make_token, join_tokens, addi, subi, muli, andi, ori, xori";
                self.error(format!("there is no operation '{other}' in litmus tests; there are {known}"))
            }
        }
    }

    fn results<const N: usize>(&self, names: Vec<String>) -> Parsed<[String; N]> {
        names.try_into().or_else(|names: Vec<String>| self.error(format!("expected {N} results, found {}", names.len())))
    }

    fn define_value(&self, block: &mut Block, name: String) -> Parsed<usize> {
        if block.tokens.contains(&name) {
            return self.error(format!("%{name} is a token already"));
        }
        Ok(position_or_push(&mut block.values, name))
    }

    fn define_token(&self, block: &mut Block, name: String) -> Parsed<usize> {
        if block.values.contains(&name) {
            return self.error(format!("%{name} is a value already"));
        }
        Ok(position_or_push(&mut block.tokens, name))
    }

    fn token_operand(&mut self, block: &Block) -> Parsed<usize> {
        match self.peek().clone() {
            Token::Value(name) => match block.tokens.iter().position(|known| *known == name) {
                Some(token) => {
                    self.at += 1;
                    Ok(token)
                }
                None => self.error(format!("%{name} is no token of this block so far")),
            },
            other => self.error(format!("expected a token, found {}", shown(&other))),
        }
    }

    fn access(&mut self, block: &mut Block, operation: &str, line: usize, mut names: Vec<String>) -> Parsed<Access> {
        let strength = self.strength(operation)?;
        let location = self.location()?;
        let kind = match operation {
            "load_ptr_tko" => AccessKind::Load,
            "store_ptr_tko" => {
                self.expect(",")?;
                AccessKind::Store(self.operand(block)?)
            }
            "atomic_rmw_tko" => {
                self.expect(",")?;
                let mode = self.mode()?;
                self.expect(",")?;
                AccessKind::Update(mode, self.operand(block)?)
            }
            _ => {
                self.expect(",")?;
                let compare = self.operand(block)?;
                self.expect(",")?;
                AccessKind::CompareAndSwap(compare, self.operand(block)?)
            }
        };
        let waits_for = if self.takes_word("token") {
            self.expect("=")?;
            Some(self.token_operand(block)?)
        } else {
            None
        };
        let gives = usize::from(!matches!(kind, AccessKind::Store(_)));
        if names.len() > gives + 1 {
            return self.error(format!("{operation} has at most {} results", gives + 1));
        }
        let token = (names.len() > gives).then(|| names.remove(gives));
        let token = token.map(|name| self.define_token(block, name)).transpose()?;
        let result = names.pop().map(|name| self.define_value(block, name)).transpose()?;
        if let Some(result) = result.filter(|result| !block.observed.contains(result)) {
            block.observed.push(result);
        }
        Ok(Access { line, kind, strength, location, result, token, waits_for })
    }

    fn strength(&mut self, operation: &str) -> Parsed<Strength> {
        let word = self.word("a memory ordering")?;
        let ordering = EnumKind::MemoryOrderingSemantics.by_keyword(&word).and_then(|value| Ordering::from_wire(value.value));
        let allowed: &[Ordering] = match operation {
            "load_ptr_tko" => &[Ordering::Weak, Ordering::Relaxed, Ordering::Acquire],
            "store_ptr_tko" => &[Ordering::Weak, Ordering::Relaxed, Ordering::Release],
            _ => &[Ordering::Relaxed, Ordering::Acquire, Ordering::Release, Ordering::AcqRel],
        };
        let Some(ordering) = ordering.filter(|ordering| allowed.contains(ordering)) else {
            self.at -= 1;
            let names: Vec<&str> = allowed.iter().map(|ordering| ordering.keyword()).collect();
            return self.error(format!("{operation} has one of the orderings {}; found {word}", names.join(", ")));
        };
        if ordering == Ordering::Weak {
            return Ok(Strength::WEAK);
        }
        let word = self.word("a scope")?;
        match EnumKind::MemoryScope.by_keyword(&word).and_then(|value| Scope::from_wire(value.value)) {
            Some(scope) => Ok(Strength::new(ordering, scope)),
            None => {
                self.at -= 1;
                self.error(format!("expected a scope, tl_blk, device or sys, found {word}"))
            }
        }
    }

    fn mode(&mut self) -> Parsed<Mode> {
        let word = self.word("a mode of atomic_rmw_tko")?;
        let mode = EnumKind::AtomicRMWMode.by_keyword(&word).and_then(|value| Mode::from_wire(value.value));
        match mode.filter(|mode| *mode != Mode::Addf) {
            Some(mode) => Ok(mode),
            None => {
                self.at -= 1;
                self.error(format!("{word} is no mode of atomic_rmw_tko on i32"))
            }
        }
    }

    fn outcomes(&mut self) -> Parsed<()> {
        self.expect("{")?;
        let mut listed = Vec::new();
        loop {
            match self.peek() {
                Token::EndOfLine if self.at < self.tokens.len() => self.at += 1,
                Token::Sign("}") => {
                    self.at += 1;
                    self.litmus.expectations.push(Expectation::Outcomes(listed));
                    return Ok(());
                }
                _ => {
                    let mut parts = Vec::new();
                    while !matches!(self.peek(), Token::EndOfLine | Token::Sign("}")) {
                        parts.push(self.comparison(0)?);
                    }
                    listed.push(Condition::All(parts));
                }
            }
        }
    }

    fn any(&mut self, depth: usize) -> Parsed<Condition> {
        let mut parts = vec![self.all(depth)?];
        while self.takes("||") {
            parts.push(self.all(depth)?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Condition::Any(parts) })
    }

    fn all(&mut self, depth: usize) -> Parsed<Condition> {
        let mut parts = vec![self.comparison(depth)?];
        while self.takes("&&") {
            parts.push(self.comparison(depth)?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Condition::All(parts) })
    }

    fn comparison(&mut self, depth: usize) -> Parsed<Condition> {
        if depth > MAX_NESTING {
            return self.error(format!("a condition nests more than {MAX_NESTING} deep"));
        }
        if self.takes("!") {
            return Ok(Condition::Not(Box::new(self.comparison(depth + 1)?)));
        }
        if self.takes("(") {
            let inner = self.any(depth + 1)?;
            self.expect(")")?;
            return Ok(inner);
        }
        let left: Box<dyn Fn(i32) -> Condition> = if let Token::Number(_) = self.peek() {
            let block = self.number()?;
            self.expect(":")?;
            let (block, value) = self.value_of(block)?;
            Box::new(move |is| Condition::Value { block, value, is })
        } else {
            let location = self.location()?;
            let observed = self.observed(location);
            Box::new(move |is| Condition::Memory { observed, is })
        };
        if self.takes("!=") {
            return Ok(Condition::Not(Box::new(left(self.number()?))));
        }
        if !self.takes("=") {
            self.expect("==")?;
        }
        Ok(left(self.number()?))
    }

    fn value_of(&mut self, block: i32) -> Parsed<(usize, usize)> {
        let Some((index, of)) = usize::try_from(block).ok().and_then(|index| Some((index, self.litmus.blocks.get(index)?))) else {
            return self.error(format!("there is no block {block} before this line"));
        };
        let Token::Value(name) = self.peek().clone() else { return self.error("expected a value, such as 0:%r") };
        let found = of.observed.iter().position(|value| of.values[*value] == name);
        match found {
            Some(value) => {
                self.at += 1;
                Ok((index, value))
            }
            None => self.error(format!("%{name} is no result of an access of block {block}")),
        }
    }
}

fn position_or_push(names: &mut Vec<String>, name: String) -> usize {
    names.iter().position(|known| *known == name).unwrap_or_else(|| {
        names.push(name);
        names.len() - 1
    })
}

fn shown(token: &Token) -> String {
    match token {
        Token::Word(word) => format!("'{word}'"),
        Token::Value(name) => format!("'%{name}'"),
        Token::Number(number) => format!("'{number}'"),
        Token::Sign(sign) => format!("'{sign}'"),
        Token::EndOfLine => "the end of the line".to_owned(),
    }
}

/// A condition on the outcomes of a test.
pub(super) fn parse_condition(litmus: &mut Litmus, text: &str) -> Parsed<Condition> {
    let tokens = tokens(text)?;
    let mut parser = Parser { tokens, at: 0, litmus: litmus.clone() };
    let condition = parser.any(0)?;
    parser.end_of_line()?;
    *litmus = parser.litmus;
    Ok(condition)
}
