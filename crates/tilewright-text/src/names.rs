//! Names of SSA values, given as MLIR gives them.
//!
//! A region is numbered completely, its blocks in order, before any region inside it. The regions inside all start from
//! the counters as they stand then. A name is used once in a region and everything inside: where a name is taken, a number
//! follows it, counted for all names together.

use crate::dense::Dense;
use crate::literals::{float_format, float_value, push_int, push_u64};
use std::collections::HashMap;
use tilewright_ir::ops::{AsmNames, Results};
use tilewright_ir::{AttrName, Block, Body, Module, Op, OpRef, Opcode, Region, Scalar, Type, Value, Version};

/// `assume` of `assume` repeats the word, and no deeper than this.
const MAX_ASSUMES: usize = 64;

/// The name of a value: a word or none, a number or none, and a position in its group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Name {
    word: u32,
    number: u32,
    position: u32,
}

const NONE: u32 = u32::MAX;

impl Name {
    const UNSET: Name = Name { word: NONE, number: NONE, position: NONE };

    fn number(number: u32) -> Name {
        Name { number, ..Name::UNSET }
    }
}

/// The names of the values of a body.
///
/// Nearly all names are numbers, so that a value takes one word here: [`UNNAMED`], a number, or [`OTHER`] and a position in `others`.
#[derive(Debug)]
pub(crate) struct Names {
    codes: Vec<u32>,
    others: Vec<Name>,
    words: Vec<Box<str>>,
    /// Names of results that text shows but older versions of an operation do not have.
    implied: HashMap<Op, Name>,
}

/// The code of a value without a name.
const UNNAMED: u32 = u32::MAX;
/// The bit of a code that tells a position from a number.
const OTHER: u32 = 1 << 31;

impl Names {
    /// Names every value of `body`; with numbers only for the generic form, where operations have no say.
    pub(crate) fn new(module: &Module, body: &Body, generic: bool) -> Names {
        let codes = vec![UNNAMED; body.num_values()];
        let names = Names { codes, others: Vec::new(), words: Vec::new(), implied: HashMap::new() };
        let mut namer = Namer {
            module,
            body,
            generic,
            names,
            by_text: HashMap::new(),
            used: Vec::new(),
            scope: Vec::new(),
            counters: Counters::default(),
            scratch: String::new(),
        };
        namer.run();
        namer.names
    }

    /// The name of a value; `None` if it has none.
    #[inline]
    fn get(&self, value: Value) -> Option<Name> {
        match *self.codes.get(value.index())? {
            number if number < OTHER => Some(Name::number(number)),
            code => self.others.get((code & !OTHER) as usize).copied(),
        }
    }

    fn set(&mut self, value: Value, name: Name) {
        self.codes[value.index()] = if name.number < OTHER && name == Name::number(name.number) {
            name.number
        } else {
            self.others.push(name);
            OTHER | (self.others.len() - 1) as u32
        };
    }

    /// Appends `%` and the name of a value; false if it has none.
    #[inline]
    pub(crate) fn push_value(&self, out: &mut String, value: Value) -> bool {
        let Some(name) = self.get(value) else { return false };
        self.push(out, name);
        if name.position != NONE {
            out.push('#');
            push_u64(out, u64::from(name.position));
        }
        true
    }

    /// Appends the groups of results that an operation defines: `%0`, `%0:2`, `%tile, %result_token`.
    pub(crate) fn push_results(&self, out: &mut String, op: OpRef<'_>) {
        if self.has_implied_result(op)
            && let Some(&name) = self.implied.get(&op.id())
        {
            return self.push(out, name);
        }
        let mut results = op.results().map(|r| self.get(r).unwrap_or(Name::UNSET)).peekable();
        while let Some(first) = results.next() {
            self.push(out, first);
            let mut count = 1;
            while results.next_if(|next| next.position != NONE && next.position > 0).is_some() {
                count += 1;
            }
            if count > 1 {
                out.push(':');
                push_u64(out, count);
            }
            if results.peek().is_some() {
                out.push_str(", ");
            }
        }
    }

    /// Whether the operation shows a result that it does not have.
    pub(crate) fn has_implied_result(&self, op: OpRef<'_>) -> bool {
        !self.implied.is_empty() && self.implied.contains_key(&op.id())
    }

    #[inline]
    fn push(&self, out: &mut String, name: Name) {
        out.push('%');
        if let Some(word) = self.words.get(name.word as usize) {
            out.push_str(word);
            if name.number != NONE {
                out.push('_');
            }
        }
        if name.number != NONE {
            push_u64(out, u64::from(name.number));
        }
    }
}

#[derive(Clone, Copy, Default)]
struct Counters {
    value: u32,
    argument: u32,
    conflict: u32,
}

struct Namer<'a> {
    module: &'a Module,
    body: &'a Body,
    generic: bool,
    names: Names,
    by_text: HashMap<Box<str>, u32>,
    /// Whether each word is in use in the region at hand or around it.
    used: Vec<bool>,
    /// The words in use, those of outer regions first.
    scope: Vec<u32>,
    counters: Counters,
    scratch: String,
}

impl Namer<'_> {
    fn run(&mut self) {
        let mut waiting = vec![(self.body.root(), Counters::default(), 0)];
        while let Some((region, counters, outer)) = waiting.pop() {
            for word in self.scope.drain(outer..) {
                self.used[word as usize] = false;
            }
            self.counters = counters;
            self.region(region);
            let (counters, outer) = (self.counters, self.scope.len());
            for block in self.body.blocks(region) {
                let regions = self.body.ops(block).flat_map(|op| op.regions());
                waiting.extend(regions.map(|inner| (inner, counters, outer)));
            }
        }
    }

    fn region(&mut self, region: Region) {
        for (index, block) in self.body.blocks(region).enumerate() {
            self.arguments(region, block, index == 0);
            for op in self.body.ops(block) {
                self.results(op);
            }
        }
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

    fn results(&mut self, op: OpRef<'_>) {
        let Some(first) = op.result(0) else { return self.implied_result(op) };
        let def = op.def();
        match (def.asm_names, def.results) {
            (AsmNames::Default, Results::Fixed(results)) if results.len() > 1 && !self.generic => {
                for (value, result) in op.results().zip(results) {
                    self.set_word(value, result.name);
                }
                return self.set_positions(op, results.len() - 1);
            }
            (AsmNames::Default, _) => self.set_number(first),
            _ if self.generic => self.set_number(first),
            (AsmNames::Word(word), _) => self.set_word(first, word),
            (AsmNames::For, _) => self.set_word(first, "for"),
            (AsmNames::Reduce, _) => self.set_word(first, "reduce"),
            (AsmNames::Constant | AsmNames::Assume, _) => {
                let mut text = std::mem::take(&mut self.scratch);
                text.clear();
                if def.asm_names == AsmNames::Constant {
                    self.constant_word(&mut text, op)
                } else {
                    self.assume_word(&mut text, op)
                }
                self.set_word(first, &text);
                self.scratch = text;
            }
        }
        self.set_positions(op, 0);
    }

    /// Before 13.2 `print_tko` gave no token; its text shows one all the same.
    fn implied_result(&mut self, op: OpRef<'_>) {
        let def = op.def();
        if let Results::Fixed([result]) = def.results
            && def.result_since(result) > self.module.version
            && def.since <= Version::V13_1
        {
            let name = Name::number(self.counters.value);
            self.counters.value += 1;
            self.names.implied.insert(op.id(), name);
        }
    }

    /// Makes the results from `first` on one group, under the name of the `first`.
    fn set_positions(&mut self, op: OpRef<'_>, first: usize) {
        let mut group = op.results().skip(first);
        let Some(head) = group.next().filter(|_| group.len() > 0) else { return };
        let name = self.names.get(head).unwrap_or(Name::UNSET);
        for (value, position) in std::iter::once(head).chain(group).zip(0..) {
            self.names.set(value, Name { position, ..name });
        }
    }

    fn set_number(&mut self, value: Value) {
        self.names.set(value, Name::number(self.counters.value));
        self.counters.value += 1;
    }

    fn set_numbered_word(&mut self, value: Value, word: &str, number: usize) {
        let mut text = std::mem::take(&mut self.scratch);
        text.clear();
        text.push_str(word);
        push_u64(&mut text, number as u64);
        self.set_word(value, &text);
        self.scratch = text;
    }

    /// Gives a value this name, with a number if it is taken.
    ///
    /// A name with its number is always new: the counter only grows while a name is in sight, and no word ends in an
    /// underscore and digits.
    fn set_word(&mut self, value: Value, text: &str) {
        let word = self.word(text);
        let mut name = Name { word, ..Name::UNSET };
        if std::mem::replace(&mut self.used[word as usize], true) {
            name.number = self.counters.conflict;
            self.counters.conflict += 1;
        } else {
            self.scope.push(word);
        }
        self.names.set(value, name);
    }

    fn word(&mut self, text: &str) -> u32 {
        if let Some(&word) = self.by_text.get(text) {
            return word;
        }
        let word = self.names.words.len() as u32;
        self.names.words.push(text.into());
        self.by_text.insert(text.into(), word);
        self.used.push(false);
        word
    }

    /// `cst`, the value if there is one that can be part of a name, and the element type; `true` and `false`.
    fn constant_word(&self, text: &mut String, op: OpRef<'_>) {
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
    fn assume_word(&self, text: &mut String, op: OpRef<'_>) {
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

/// The constant that an operation or global holds, read as a tile of type `ty`.
pub(crate) fn dense_of<'m>(module: &'m Module, op: OpRef<'_>, ty: Type) -> Option<Dense<'m>> {
    debug_assert_eq!(op.opcode(), Opcode::Constant);
    match op.attr(AttrName::Value) {
        tilewright_ir::AttrValue::Const(constant) => dense(module, constant, ty).map(|(dense, _)| dense),
        _ => None,
    }
}

/// A constant read as a tile of type `ty`, and its shape.
pub(crate) fn dense(module: &Module, constant: tilewright_ir::Const, ty: Type) -> Option<(Dense<'_>, &[i64])> {
    let tables = &module.tables;
    if constant.index() >= tables.constants.len() || ty.index() >= tables.types.len() {
        return None;
    }
    let (element, shape) = tables.types.as_tile(ty)?;
    let dense = Dense::new(tables.constants.bytes(constant), tables.types.scalar(element)?, shape)?;
    Some((dense, shape))
}

/// `_` and the value: an integer, or a float that is exactly a 64-bit unsigned integer; `_NaN`.
fn push_word_value(text: &mut String, scalar: Scalar, bits: u64) {
    let Some(format) = float_format(scalar) else {
        text.push('_');
        return push_int(text, scalar, bits);
    };
    let value = float_value(format, bits);
    if value.is_nan() {
        text.push_str("_NaN");
    } else if value.is_sign_positive() && value.fract() == 0.0 && value < 2f64.powi(64) {
        text.push('_');
        push_u64(text, value as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_become_words() {
        let word = |scalar, bits| {
            let mut text = String::new();
            push_word_value(&mut text, scalar, bits);
            text
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
