//! Names in what the parser skips after an error.
//!
//! There is no parse of it, so names are told apart by where they stand: one that is in sight is used, since no name is defined twice; of the others,
//! results stand before `=`, and arguments of regions before `in`, `=` or `:` in parentheses.

use super::super::cursor::Parser;
use super::super::extended::extended_op;
use super::super::lexer::{Kind, Token};
use super::{Operation, OperationName};
use crate::parse::types::DIALECT;
use tilewright_ir::Opcode;

/// What a name is, by where it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    Use,
    Result,
    /// An argument of the region that opens next.
    Argument,
}

impl Parser<'_> {
    /// Records the names between a place and the token at hand.
    pub(in super::super) fn record_skipped(&mut self, start: usize) {
        let Some(recorder) = &mut self.recorder else { return };
        // Where errors nest, the names of the inner ones are known.
        let start = start.max(recorder.searched);
        recorder.searched = recorder.searched.max(self.token.start());
        let tokens = self.tokens_since(start);
        let (mut parentheses, mut regions) = (0usize, 0usize);
        let mut arguments = Vec::new();
        for (at, &token) in tokens.iter().enumerate() {
            self.extend_skipped_operation(token);
            match token.kind() {
                Kind::LeftParen => parentheses += 1,
                Kind::RightParen => parentheses = parentheses.saturating_sub(1),
                Kind::LeftBrace => {
                    regions += 1;
                    self.record_region(token);
                    arguments.drain(..).for_each(|name| self.record_untyped(name, true));
                }
                Kind::RightBrace if regions > 0 => {
                    regions -= 1;
                    self.close_skipped_region(token.start());
                }
                Kind::Value => match self.role(&tokens[at..], parentheses > 0) {
                    Role::Use => self.record_value_use(token, 0),
                    Role::Result => self.record_untyped(token, false),
                    Role::Argument => arguments.push(token),
                },
                _ => self.record_other_name(&tokens, at),
            }
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.skipping = false;
        }
        (0..regions).for_each(|_| self.close_skipped_region(self.token.start()));
    }

    fn tokens_since(&self, start: usize) -> Vec<Token> {
        let mut lexer = self.lexer;
        lexer.at = start;
        let end = self.token.start();
        std::iter::from_fn(|| Some(lexer.next()).filter(|token| !token.is(Kind::End) && token.start() < end)).collect()
    }

    /// What the first of these tokens, a name, is.
    fn role(&self, tokens: &[Token], in_parentheses: bool) -> Role {
        let Some(recorder) = &self.recorder else { return Role::Use };
        if recorder.values.contains_key(self.text(tokens[0])) {
            return Role::Use;
        }
        let behind = |count: usize| tokens.get(count).map_or(Kind::End, |token| token.kind());
        match behind(1) {
            Kind::Word if self.text(tokens[1]) == "in" => Role::Argument,
            Kind::Equal | Kind::Colon if in_parentheses => Role::Argument,
            _ if is_result_list(tokens) => Role::Result,
            _ => Role::Use,
        }
    }

    fn record_untyped(&mut self, name: Token, is_argument: bool) {
        if let Some(recorder) = &mut self.recorder
            && let Some(&index) = recorder.defined_at.get(&name.start())
        {
            // It was read before its function or operation was given up.
            return recorder.show(index, self.source);
        }
        self.record_value(name, None, 1);
        if let Some(definition) = self.recorder.as_mut().and_then(|recorder| recorder.map.definitions.last_mut()) {
            definition.is_argument = is_argument;
            definition.scope.start = name.end();
        }
    }

    fn close_skipped_region(&mut self, end: usize) {
        if let Some(recorder) = &mut self.recorder {
            recorder.close_region(end, self.source);
        }
    }

    fn record_other_name(&mut self, tokens: &[Token], at: usize) {
        let token = tokens[at];
        let text = self.text(token);
        match token.kind() {
            Kind::Word | Kind::Text if token.leads() || tokens[..at].last().is_some_and(|before| before.is(Kind::Equal)) => {
                self.record_skipped_operation(token, text.trim_matches('"'));
            }
            Kind::Symbol if !text.contains('\\') => {
                let name = self.intern_string(text.trim_matches(['@', '"']).as_bytes());
                self.record_symbol_use(token, name);
            }
            Kind::Hash | Kind::Bang if !text[1..].starts_with(DIALECT) && !text[1..].starts_with(|c: char| c.is_ascii_digit()) => {
                self.record_alias_use(token);
            }
            Kind::Block => self.record_label_use(token),
            _ => {}
        }
    }

    fn record_skipped_operation(&mut self, token: Token, name: &str) {
        let mnemonic = name.strip_prefix(DIALECT).unwrap_or(name);
        let dialect = Opcode::from_mnemonic(mnemonic).map(OperationName::Dialect);
        let Some(name) = dialect.or_else(|| extended_op(mnemonic).map(OperationName::Extended)) else { return };
        let Some(recorder) = &mut self.recorder else { return };
        let operations = &mut recorder.map.operations;
        let is_known = operations.iter().rev().take_while(|known| known.span.end >= token.start()).any(|known| known.span == token.span());
        if !is_known {
            operations.push(Operation { name, span: token.span(), whole: token.span() });
            recorder.skipping = true;
        }
    }

    /// An operation that is skipped has all of its line.
    fn extend_skipped_operation(&mut self, token: Token) {
        if let Some(recorder) = &mut self.recorder {
            recorder.skipping &= !token.leads();
            if let Some(operation) = recorder.map.operations.last_mut().filter(|_| recorder.skipping) {
                operation.whole.end = token.end();
            }
        }
    }
}

/// Whether these are the names of results: `%a, %b:2 =`. Longer lists are not followed to their end: each of their names would be.
fn is_result_list(tokens: &[Token]) -> bool {
    const MAX_TOKENS: usize = 64;
    let tokens = &tokens[..tokens.len().min(MAX_TOKENS)];
    let kind = |at: usize| tokens.get(at).map_or(Kind::End, |token| token.kind());
    let mut at = 0;
    while kind(at) == Kind::Value {
        at += 1;
        if kind(at) == Kind::Colon && kind(at + 1) == Kind::Int {
            at += 2;
        }
        match kind(at) {
            Kind::Equal => return true,
            Kind::Comma => at += 1,
            _ => return false,
        }
    }
    false
}
