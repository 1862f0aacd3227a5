//! Operations that were read before, but for the names of values.
//!
//! Long texts repeat themselves: most operations differ from an earlier one only in the names of values. A [`Memo`] is the text of
//! an operation, in pieces with names between them, and what was read from it. Where the pieces are in the text again, and
//! the names between them stand for values of the same types, the operation says the same again.
//!
//! Why that is so: what an operation says hangs on its tokens, the types of its operands, and on the token behind it, which tells
//! that it ends. Pieces begin and end where tokens do, and the last one ends in white space, so equal pieces are equal
//! tokens. Of the token behind, only its kind matters, and its text if it is a word.

use super::cursor::Parser;
use super::lexer::{Kind, Token};
use super::ops::{OpState, ResultName};
use tilewright_ir::{AttrValue, Block, NewOp, Op, Opcode, Type, Value};

/// So many operations of each name are remembered: those that were read last.
const MAX_MEMOS: usize = 8;

/// The operations that were read last.
#[derive(Debug)]
pub(super) struct Memos<'s> {
    memos: Vec<Memo<'s>>,
    by_opcode: Vec<Recent>,
    /// The one that was read last.
    last: usize,
}

impl Default for Memos<'_> {
    fn default() -> Self {
        Memos { memos: Vec::new(), by_opcode: vec![Recent::NONE; Opcode::ALL.len()], last: 0 }
    }
}

/// Operations of one name.
#[derive(Clone, Debug)]
struct Recent {
    memos: Vec<usize>,
    /// The position of the one to be forgotten next.
    oldest: usize,
    /// How many more may be looked for in vain. One that is found makes up for one that is not.
    credit: u32,
    /// How many are read without a look, and not remembered, since the credit was used up: a text that does not repeat itself
    /// should not take longer for it.
    pause: u32,
}

const CREDIT: u32 = 32;
const PAUSE: u32 = 4096;

impl Recent {
    const NONE: Recent = Recent { memos: Vec::new(), oldest: 0, credit: CREDIT, pause: 0 };

    /// Whether the next one is worth a look.
    fn is_worth_a_look(&mut self) -> bool {
        if self.credit == 0 {
            (self.credit, self.pause) = (CREDIT, PAUSE);
        }
        self.pause = self.pause.saturating_sub(1);
        self.pause == 0
    }

    fn note(&mut self, is_found: bool) {
        self.credit = if is_found { (self.credit + 1).min(CREDIT) } else { self.credit - 1 };
    }
}

/// An operation that was read.
#[derive(Clone, Debug)]
struct Memo<'s> {
    /// How many values the name has that it begins with; none if it begins with something else.
    first: Option<u32>,
    /// The other names of results, then operands, each with the text before it.
    slots: Vec<Slot<'s>>,
    /// The text between the last name and the token behind.
    rest: Piece<'s>,
    behind: Token,
    opcode: Opcode,
    present: u8,
    split: u32,
    attrs: Vec<AttrValue>,
    results: Vec<Type>,
    /// The memo of the operation that followed the last time.
    next: usize,
}

/// A name in a memo, with the text before it.
#[derive(Clone, Copy, Debug)]
struct Slot<'s> {
    before: Piece<'s>,
    role: Role,
}

/// What a name in a memo stands for.
#[derive(Clone, Copy, Debug)]
enum Role {
    /// So many results.
    Results(u32),
    /// The operand at this position among the values of the name, and its type.
    Operand(u32, Type),
}

/// Text that is compared: its first bytes as a number.
#[derive(Clone, Copy, Debug)]
struct Piece<'s> {
    head: u128,
    mask: u128,
    text: &'s [u8],
}

const HEAD: usize = size_of::<u128>();

impl<'s> Piece<'s> {
    fn new(text: &'s [u8]) -> Piece<'s> {
        let mut head = [0; HEAD];
        let len = text.len().min(HEAD);
        head[..len].copy_from_slice(&text[..len]);
        let mut mask = [0; HEAD];
        mask[..len].fill(u8::MAX);
        Piece { head: u128::from_le_bytes(head), mask: u128::from_le_bytes(mask), text }
    }

    /// Where the text ends, if it stands at this place. Nothing stands at the very end.
    #[inline]
    fn end(&self, bytes: &[u8], at: usize) -> Option<usize> {
        let head = u128::from_le_bytes(*bytes.get(at..)?.first_chunk()?);
        let len = self.text.len();
        if (head ^ self.head) & self.mask != 0 || len > HEAD && !bytes[at + HEAD..].starts_with(&self.text[HEAD..]) {
            return None;
        }
        Some(at + len)
    }
}

impl<'s> Parser<'s> {
    /// Adds the operation that begins with the token at hand, if it is one that was read before, but for the names: the one that
    /// followed the last one the last time.
    #[inline]
    pub(super) fn recall_next(&mut self, block: Block, state: &mut OpState) -> Option<Op> {
        let next = self.memos.memos.get(self.memos.last)?.next;
        self.recall_memo(next, block, self.token, state)
    }

    /// Adds the operation that begins with the token `first`, if it is one that was read before, but for the names.
    pub(super) fn recall(&mut self, opcode: Opcode, first: Token, block: Block, state: &mut OpState) -> Option<Op> {
        let recent = self.memos.by_opcode.get_mut(opcode as usize)?;
        if !recent.is_worth_a_look() {
            return None;
        }
        let count = recent.memos.len();
        let names = std::mem::take(&mut state.names);
        for position in 0..count {
            let index = self.memos.by_opcode[opcode as usize].memos[position];
            if let Some(op) = self.recall_memo(index, block, first, state) {
                self.memos.by_opcode[opcode as usize].note(true);
                return Some(op);
            }
        }
        self.memos.by_opcode[opcode as usize].note(false);
        state.names = names;
        state.operands.clear();
        None
    }

    fn recall_memo(&mut self, index: usize, block: Block, first: Token, state: &mut OpState) -> Option<Op> {
        let memo = self.memos.memos.get(index)?;
        let behind = self.match_memo(memo, first, state)?;
        let Memo { opcode, present, split, ref attrs, ref results, .. } = *memo;
        let op = self.body.add_op(block, NewOp { opcode, operands: &state.operands, present, split, attrs, results, loc: None });
        self.lexer.at = behind.end();
        self.token = behind;
        self.follow(index);
        Some(op)
    }

    /// The token behind the operation that begins with `first`, if the memo is about it. `state` gets its names and operands.
    #[inline]
    fn match_memo(&self, memo: &Memo<'s>, first: Token, state: &mut OpState) -> Option<Token> {
        let bytes = self.source.as_bytes();
        state.names.clear();
        state.operands.clear();
        let mut at = first.start();
        if first.is(Kind::Value) {
            state.names.push(ResultName { token: first, count: memo.first? });
            at = first.end();
        }
        for slot in &memo.slots {
            // The piece ends in the sign that names begin with.
            at = slot.before.end(bytes, at)? - 1;
            let name = self.lexer.value_at(at);
            if !name.is(Kind::Value) {
                return None;
            }
            match slot.role {
                Role::Results(count) => state.names.push(ResultName { token: name, count }),
                Role::Operand(position, ty) => {
                    let value = self.scope.get(name)?.value(position)?;
                    if self.body.ty(value) != ty {
                        return None;
                    }
                    state.operands.push(value);
                }
            }
            at = name.end();
        }
        at = memo.rest.end(bytes, at)?;
        let behind = if bytes.get(at) == Some(&b'%') { self.lexer.value_at(at) } else { self.lexer.token_behind(at) };
        let behind = behind.leading(memo.behind.leads());
        self.is_like(behind, memo.behind).then_some(behind)
    }

    /// Whether an operation that ends before one of the tokens ends before the other.
    #[inline]
    fn is_like(&self, token: Token, other: Token) -> bool {
        token.is(other.kind()) && (!token.is(Kind::Word) || self.text(token) == self.text(other))
    }

    #[inline]
    fn follow(&mut self, index: usize) {
        let last = std::mem::replace(&mut self.memos.last, index);
        if let Some(memo) = self.memos.memos.get_mut(last) {
            memo.next = index;
        }
    }

    /// Remembers an operation that began with the token `first` and ended before the token `behind`.
    pub(super) fn remember(&mut self, op: Op, first: Token, behind: Token, state: &OpState) {
        match self.keep(op, first, behind, state) {
            Some(index) => self.follow(index),
            // Nothing is known of what follows it.
            None => self.memos.last = usize::MAX,
        }
    }

    fn keep(&mut self, op: Op, first: Token, behind: Token, state: &OpState) -> Option<usize> {
        let opcode = self.body.op(op).opcode();
        if self.memos.by_opcode.get(opcode as usize)?.pause > 0 {
            return None;
        }
        let memo = self.memo(op, first, behind, state)?;
        let recent = &mut self.memos.by_opcode[opcode as usize];
        if recent.memos.len() < MAX_MEMOS {
            recent.memos.push(self.memos.memos.len());
            self.memos.memos.push(memo);
            return recent.memos.last().copied();
        }
        let index = recent.memos[recent.oldest];
        self.memos.memos[index] = memo;
        recent.oldest = (recent.oldest + 1) % MAX_MEMOS;
        Some(index)
    }

    fn memo(&self, op: Op, first: Token, behind: Token, state: &OpState) -> Option<Memo<'s>> {
        let op = self.body.op(op);
        // An operation that was recalled is not looked at closely enough to tell its place.
        if self.places.is_some() || op.operands() != state.operands || behind.is(Kind::Hash) {
            return None;
        }
        let bytes = self.source.as_bytes();
        let (first, names, mut at) = match state.names.split_first() {
            Some((name, names)) => (Some(name.count), names, name.token.end()),
            None => (None, &[][..], first.start()),
        };
        let mut slots = Vec::with_capacity(names.len() + state.operands.len());
        for name in names {
            let before = Piece::new(&bytes[at..=name.token.start()]);
            slots.push(Slot { before, role: Role::Results(name.count) });
            at = name.token.end();
        }
        for (&place, &value) in state.places.iter().zip(&state.operands) {
            let name = self.token_at(place as usize);
            let before = Piece::new(&bytes[at..=place as usize]);
            let role = Role::Operand(self.position_of(name, value)?, self.body.ty(value));
            slots.push(Slot { before, role });
            at = name.end();
        }
        let rest = &bytes[at..behind.start()];
        // A comment would have to be known as one, and a token that ends where the next begins might not end there.
        if rest.contains(&b'/') || !rest.last().is_some_and(u8::is_ascii_whitespace) {
            return None;
        }
        Some(Memo {
            first,
            slots,
            rest: Piece::new(rest),
            behind,
            opcode: op.opcode(),
            present: op.present_operands(),
            split: op.split(),
            attrs: op.attrs().to_vec(),
            results: op.results().map(|value| self.body.ty(value)).collect(),
            next: self.memos.memos.len(),
        })
    }

    fn position_of(&self, name: Token, value: Value) -> Option<u32> {
        let binding = self.scope.get(name)?;
        (0..binding.count()).find(|&position| binding.value(position) == Some(value))
    }
}

#[cfg(test)]
mod tests {
    use super::super::ParseError;
    use super::super::cursor::Parser;
    use super::{MAX_MEMOS, Memos};
    use crate::{PrintOptions, print};
    use tilewright_fuzz::{Random, corpus, mutate};
    use tilewright_ir::Version;

    impl Memos<'_> {
        /// Remembers nothing.
        fn none() -> Self {
            Memos { memos: Vec::new(), by_opcode: Vec::new(), last: 0 }
        }
    }

    /// What a text says, as a text with everything in it, or its errors; and how many operations were remembered.
    fn parsed<'s>(source: &'s str, memos: Memos<'s>) -> (Result<String, Vec<ParseError>>, usize) {
        let mut parser = Parser::new(source, Version::LATEST);
        parser.memos = memos;
        parser.file();
        let count = parser.memos.memos.len();
        (parser.finish(0).map(|module| print(&module, &PrintOptions::new().generic(true).debug_info(true))), count)
    }

    /// Checks that a text says the same with memos and without; tells how many operations were remembered.
    fn remembered(source: &str) -> usize {
        let ((with, count), (without, none)) = (parsed(source, Memos::default()), parsed(source, Memos::none()));
        assert_eq!(with, without, "{source}");
        assert_eq!(none, 0);
        count
    }

    /// An entry of two values with these operations.
    fn entry(ops: &str) -> String {
        format!("entry @k(%x: tile<i32>, %y: tile<4xf32>) {{\n{ops}\n  return\n}}\n")
    }

    #[test]
    fn operations_that_differ_in_names_are_read_once() {
        let lines = |count: usize| (0..count).map(|i| format!("  %v{i} = addi %x, %x : tile<i32>\n")).collect::<String>();
        assert_eq!(remembered(&entry(&lines(100))), 3, "addi, the last one of them, and return");
        let ops: String = (0..100).map(|i| format!("  %{i} = constant <i32: {i}> : tile<i32>\n")).collect();
        assert_eq!(remembered(&entry(&ops)), MAX_MEMOS + 1);
        let again = format!("{ops}  %x0 = constant <i32: 5000> : tile<i32>\n  %x1 = constant <i32: 5000> : tile<i32>\n");
        assert_eq!(remembered(&entry(&again)), MAX_MEMOS + 1, "so many that differ that there is no look any more");
        assert_eq!(remembered(&entry("  %a, %b, %c = get_tile_block_id : tile<i32>\n  %d, %e, %f = get_tile_block_id : tile<i32>")), 3);
    }

    #[test]
    fn what_is_like_an_operation_before_is_read_for_itself() {
        let before = "  %0 = addi %x, %x : tile<i32>\n  %1:2 = \"cuda_tile.for\"() : () -> ()\n  %2 = addf %y, %y : tile<4xf32>\n";
        for line in [
            "%3 = addi %x, %y : tile<i32>",
            "%3 = addi %x, %z : tile<i32>",
            "%0 = addi %x, %x : tile<i32>",
            "%3 = addi %x, %x : tile<i32>x",
            "%3 = addi %x, %x : tile<i32> overflow<no_wrap>",
            "%3 = addi %x, %x // : tile<i32>\n : tile<i32>",
            "%3 = addi %x#0, %x : tile<i32>",
            "%3 = addi %x#1, %x : tile<i32>",
            "%3 = addi %x, %x#0 : tile<i32>",
            "%3:1 = addi %x, %x : tile<i32>",
            "%3:2 = addi %x, %x : tile<i32>",
            "%3, %4 = addi %x, %x : tile<i32>",
            "%3 = addi %x, %x : tile<i32> loc(\"a\":1:2)",
            "%3 = addi %x, %x : tile<i32>\n loc(\"a\":1:2)",
            "%3 = addi %x, %x : tile<i32> loc - 1",
            "%3 = addi %x, %x : tile<i32> %4 = addi %3, %3 : tile<i32>",
            "%3 = addi %1, %x : tile<i32>",
            "%3 = cuda_tile.addi %x, %x : tile<i32>",
            "%03 = addi %00, %x : tile<i32>",
            "%a_name_of_many_letters = addi %x, %x : tile<i32> %4 = addi %x, %a_name_of_many_letters : tile<i32>",
            "return %x : tile<i32>",
            "return\n  %3 = addi %x, %x : tile<i32>",
        ] {
            remembered(&entry(&format!("{before}  {line}\n")));
            remembered(&entry(&format!("{line}\n{before}{line}\n")));
        }
    }

    #[test]
    fn changed_texts_say_the_same_with_memos() {
        let texts: Vec<String> = corpus::files("mlir").into_iter().filter_map(|(_, text)| String::from_utf8(text).ok()).collect();
        let texts: Vec<&String> = texts.iter().filter(|text| text.len() < 20_000).collect();
        let mut random = Random::new(0);
        let mut count = 0;
        for _ in 0..3000 {
            let (text, other) = (texts[random.below(texts.len())], texts[random.below(texts.len())]);
            let changed = mutate::text(&mut random, text, other);
            // What the first one makes known is met again, nearly, in the second.
            count += remembered(&format!("{text}\n{changed}"));
        }
        assert!(count > 3000, "{count} operations are remembered: too few to test much");
    }
}
