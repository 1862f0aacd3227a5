//! Gives SSA values the names that MLIR gives them.
//!
//! A region is numbered completely, its blocks in order, before any region inside it. The regions inside all start from
//! the counters as they stand then. A name is used once in a region and everything inside: where a name is taken, a number
//! follows it, counted for all names together.

use crate::dense::dense_of;
use crate::literals::{float_format, float_value, push_int};
use crate::names::{Name, Names};
use crate::{buffer::TextBuffer, short::ShortText};
use tilewright_ir::ops::{AsmNames, ResultDef, Results};
use tilewright_ir::{Block, Body, Module, OpRef, Region, Scalar, Value, Version};

/// `assume` of `assume` repeats the word, and no deeper than this.
const MAX_ASSUMES: usize = 64;

/// The next number for a value, and the name that it makes.
#[derive(Clone, Copy)]
struct Numbers {
    next: u32,
    /// `None` where it is long.
    text: Option<ShortText>,
}

impl Numbers {
    fn from_zero() -> Numbers {
        Numbers { next: 0, text: ShortText::value_number(0) }
    }

    /// The next number. Nine of ten differ from the one before in the last digit only.
    #[inline]
    fn take(&mut self) -> Numbers {
        let taken = *self;
        self.next += 1;
        self.text =
            if self.next.is_multiple_of(10) { ShortText::value_number(self.next) } else { self.text.map(ShortText::with_next_digit) };
        taken
    }
}

#[derive(Clone, Copy)]
struct Counters {
    value: Numbers,
    argument: u32,
    conflict: u32,
}

/// A region whose values wait for names: the counters that it starts from, and how many words are in use around it.
struct Waiting {
    region: Region,
    counters: Counters,
    outer: usize,
}

/// Names the values of a body, one after the other.
pub(crate) struct Namer<'a> {
    module: &'a Module,
    body: &'a Body,
    generic: bool,
    names: Names,
    /// The words in use, those of outer regions first.
    scope: Vec<u32>,
    counters: Counters,
    waiting: Vec<Waiting>,
    scratch: TextBuffer,
}

impl<'a> Namer<'a> {
    /// Begins with names that nothing has yet.
    pub(crate) fn new(module: &'a Module, body: &'a Body, generic: bool, names: Names) -> Namer<'a> {
        Namer {
            module,
            body,
            generic,
            scope: Vec::new(),
            counters: Counters { value: Numbers::from_zero(), argument: 0, conflict: 0 },
            waiting: Vec::new(),
            scratch: TextBuffer::new(),
            names,
        }
    }

    /// Names everything.
    pub(crate) fn run(mut self) -> Names {
        self.waiting.push(Waiting { region: self.body.root(), counters: self.counters, outer: 0 });
        while let Some(Waiting { region, counters, outer }) = self.waiting.pop() {
            self.leave(outer);
            self.counters = counters;
            self.region(region);
        }
        self.leave(0);
        self.names
    }

    /// Ends the use of the words that were taken into use after the first `outer`.
    fn leave(&mut self, outer: usize) {
        self.scope.drain(outer..).for_each(|word| self.names.words.release(word));
    }

    /// Names the values of a region; those inside it have to wait.
    fn region(&mut self, region: Region) {
        let mut inside = Vec::new();
        for (index, block) in self.body.blocks(region).enumerate() {
            self.arguments(region, block, index == 0);
            for op in self.body.ops(block) {
                self.results(op);
                if op.def().regions > 0 {
                    inside.extend(op.regions());
                }
            }
        }
        let (counters, outer) = (self.counters, self.scope.len());
        self.waiting.extend(inside.into_iter().map(|region| Waiting { region, counters, outer }));
    }

    fn arguments(&mut self, region: Region, block: Block, is_entry: bool) {
        let owner = self.body.owner(region).map(|op| self.body.op(op));
        let convention = match owner {
            Some(op) if is_entry && !self.generic => op.def().asm_names,
            _ => AsmNames::Default,
        };
        let args = self.body.args(block);
        let count = args.len();
        for (index, arg) in args.enumerate() {
            match convention {
                _ if !is_entry => self.set_number(arg),
                AsmNames::For if index == 0 => self.set_word(arg, "loopIdx"),
                AsmNames::For => self.set_numbered_word(arg, "iterArg", index - 1),
                AsmNames::Reduce => {
                    let word = if index.is_multiple_of(2) { "reduce_lhs" } else { "reduce_rhs" };
                    if count > 2 { self.set_numbered_word(arg, word, index / 2) } else { self.set_word(arg, word) }
                }
                _ => {
                    let number = self.counters.argument;
                    self.counters.argument += 1;
                    self.set_numbered_word(arg, "arg", number as usize);
                }
            }
        }
    }

    #[inline]
    fn results(&mut self, op: OpRef<'_>) {
        let def = op.def();
        let mut results = op.results();
        match (def.asm_names, def.results, results.next()) {
            (AsmNames::Default, Results::Fixed([_]), Some(only)) if results.len() == 0 => self.set_number(only),
            _ => self.other_results(op),
        }
    }

    /// Names results that are not just one number: apart, so that the usual way is short.
    #[inline(never)]
    fn other_results(&mut self, op: OpRef<'_>) {
        if op.results().len() == 0 {
            return self.implied_result(op);
        }
        let def = op.def();
        let name = match (def.asm_names, def.results) {
            (AsmNames::Default, Results::Fixed(rows)) if rows.len() > 1 && !self.generic => return self.set_result_words(op, rows),
            (AsmNames::Default, _) => self.number(),
            _ if self.generic => self.number(),
            (AsmNames::Word(word), _) => self.word(word),
            (AsmNames::For, _) => self.word("for"),
            (AsmNames::Reduce, _) => self.word("reduce"),
            (AsmNames::Constant, _) => self.made_word(|namer, text| namer.constant_word(text, op)),
            (AsmNames::Assume, _) => self.made_word(|namer, text| namer.assume_word(text, op)),
        };
        self.set_group(name, op.results());
    }

    /// Each result has the word of its row. More results than rows make a group with the last that has one.
    fn set_result_words(&mut self, op: OpRef<'_>, rows: &[ResultDef]) {
        let mut last = Name::UNSET;
        for (value, row) in op.results().zip(rows) {
            last = self.word(row.name);
            self.names.set(value, last);
        }
        if op.results().len() > rows.len() {
            self.set_group(last, op.results().skip(rows.len() - 1));
        }
    }

    /// Gives one value a name, or several a position under it.
    fn set_group(&mut self, name: Name, values: impl ExactSizeIterator<Item = Value>) {
        let is_group = values.len() > 1;
        for (value, position) in values.zip(0..) {
            self.names.set(value, if is_group { Name { position, ..name } } else { name });
        }
    }

    /// Before 13.2 `print_tko` gave no token; its text shows one all the same.
    fn implied_result(&mut self, op: OpRef<'_>) {
        let def = op.def();
        if let Results::Fixed([result]) = def.results
            && def.result_since(result) > self.module.version
            && def.since <= Version::V13_1
        {
            let name = self.number();
            self.names.set_implied(op.id(), name);
        }
    }

    fn set_number(&mut self, value: Value) {
        let Numbers { next, text } = self.counters.value.take();
        match text {
            Some(text) => self.names.set_text(value, text),
            None => self.names.set(value, Name::of_number(next)),
        }
    }

    fn set_word(&mut self, value: Value, text: &str) {
        let name = self.word(text);
        self.names.set(value, name);
    }

    fn set_numbered_word(&mut self, value: Value, word: &str, number: usize) {
        let name = self.made_word(|_, text| {
            text.push_str(word);
            text.push_u64(number as u64);
        });
        self.names.set(value, name);
    }

    /// The next number.
    fn number(&mut self) -> Name {
        Name::of_number(self.counters.value.take().next)
    }

    fn word(&mut self, word: &str) -> Name {
        self.made_word(|_, text| text.push_str(word))
    }

    /// A word that `make` writes, with a number if it is taken.
    ///
    /// A name with its number is always new: the counter only grows while a name is in sight, and no word ends in an
    /// underscore and digits.
    fn made_word(&mut self, make: impl FnOnce(&Self, &mut TextBuffer)) -> Name {
        let mut text = std::mem::take(&mut self.scratch);
        text.clear();
        text.push('%');
        make(self, &mut text);
        let word = self.names.words.intern(text.as_str());
        self.scratch = text;
        let mut name = Name::of_word(word);
        if self.names.words.take(word) {
            self.scope.push(word);
        } else {
            name.number = self.counters.conflict;
            self.counters.conflict += 1;
        }
        name
    }

    /// `cst`, the value if there is one that can be part of a name, and the element type; `true` and `false`.
    fn constant_word(&self, text: &mut TextBuffer, op: OpRef<'_>) {
        let Some(dense) = op.result(0).and_then(|result| dense_of(self.module, op, self.body.ty(result))) else {
            return text.push_str("cst");
        };
        if dense.scalar() == Scalar::I1 {
            return text.push_str(match (dense.is_splat(), dense.element(0)) {
                (true, 0) => "false",
                (true, _) => "true",
                (false, _) => "cst_i1",
            });
        }
        text.push_str("cst");
        if dense.is_splat() {
            push_word_value(text, dense.scalar(), dense.element(0));
        }
        text.push('_');
        text.push_str(dense.scalar().name());
    }

    /// `assume`, and what the operation that makes the value calls it; `assume_` if it has names, but none for this value.
    fn assume_word(&self, text: &mut TextBuffer, op: OpRef<'_>) {
        let mut op = op;
        for _ in 0..MAX_ASSUMES {
            text.push_str("assume");
            let Some(value) = op.operand(0).filter(|&v| self.body.contains_value(v)) else { return };
            let Some(producer) = self.body.defining_op(value) else { return };
            let is_first = producer.result(0) == Some(value);
            let def = producer.def();
            let name = match (def.asm_names, def.results) {
                (AsmNames::Default, Results::Fixed(results)) if results.len() > 1 => {
                    let position = producer.results().position(|r| r == value);
                    position.and_then(|i| results.get(i)).map_or("", |r| r.name)
                }
                // Operations with regions can name values, though some do not.
                (AsmNames::Default, _) if def.regions > 0 => "",
                (AsmNames::Default, _) => return,
                (AsmNames::Word(word), _) => word,
                (AsmNames::For, _) if is_first => "for",
                (AsmNames::Reduce, _) if is_first => "reduce",
                (AsmNames::For | AsmNames::Reduce, _) => "",
                (AsmNames::Constant, _) => {
                    text.push('_');
                    return self.constant_word(text, producer);
                }
                (AsmNames::Assume, _) => {
                    text.push('_');
                    op = producer;
                    continue;
                }
            };
            text.push('_');
            return text.push_str(name);
        }
    }
}

/// `_` and the value: an integer, or a float that is exactly a 64-bit unsigned integer; `_NaN`.
fn push_word_value(text: &mut TextBuffer, scalar: Scalar, bits: u64) {
    let Some(format) = float_format(scalar) else {
        text.push('_');
        return push_int(text, scalar, bits);
    };
    let value = float_value(format, bits);
    if value.is_nan() {
        text.push_str("_NaN");
    } else if value.is_sign_positive() && value.fract() == 0.0 && value < 2f64.powi(64) {
        text.push('_');
        text.push_u64(value as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_begins_with_all_words() {
        let function = |name| {
            format!(
                "entry @{name}(%arg0: tile<i32>) {{
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  loop {{
    %cst_1_i32_0 = constant <i32: 1> : tile<i32>
    break
  }}
  %assume = assume div_by<4>, %arg0 : tile<i32>
  return
}}
"
            )
        };
        let text = function("a") + &function("b");
        let module = crate::parse(&text, &crate::ParseOptions::new()).unwrap_or_else(|errors| panic!("{}", errors[0]));
        assert_eq!(crate::print(&module, &crate::PrintOptions::new()), text);
    }

    #[test]
    fn values_become_words() {
        let word = |scalar, bits| {
            let mut text = TextBuffer::new();
            push_word_value(&mut text, scalar, bits);
            text.into_string()
        };
        assert_eq!(word(Scalar::I8, 0xff), "_-1");
        assert_eq!(word(Scalar::F32, u64::from(3f32.to_bits())), "_3");
        assert_eq!(word(Scalar::F32, u64::from(0.5f32.to_bits())), "");
        assert_eq!(word(Scalar::F32, u64::from((-0f32).to_bits())), "");
        assert_eq!(word(Scalar::F32, u64::from(f32::INFINITY.to_bits())), "");
        assert_eq!(word(Scalar::F16, 0x7e00), "_NaN");
        assert_eq!(word(Scalar::F64, 2f64.powi(63).to_bits()), "_9223372036854775808");
        assert_eq!(word(Scalar::F64, 2f64.powi(64).to_bits()), "");
    }
}
