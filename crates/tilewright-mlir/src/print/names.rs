//! The names of values: `%0`, `%1#2`, `%arg0`.

use crate::ir::{Block, Ir, Region, Span, Value};
use tilewright_text::short;

/// A name in a block of fixed size, which is copied whole: its text, and in the last byte its length.
#[derive(Clone, Copy)]
pub(super) struct Name([u8; Name::BLOCK]);

impl Name {
    /// How many bytes are copied.
    pub(super) const BLOCK: usize = 16;
    const MAX: usize = Name::BLOCK - 1;
    /// Stands for a name that is longer. Its number is in the first bytes.
    const LONG: u8 = 0;

    /// None where the text is too long.
    fn new(text: &[u8]) -> Option<Name> {
        let mut block = [0; Name::BLOCK];
        block[..Name::MAX].get_mut(..text.len())?.copy_from_slice(text);
        block[Name::MAX] = text.len() as u8;
        Some(Name(block))
    }

    /// Of a value that nothing defines.
    const UNNAMED: Name = Name([b'%', b'0', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2]);

    fn long(number: u32) -> Name {
        let mut block = [0; Name::BLOCK];
        block[..4].copy_from_slice(&number.to_le_bytes());
        Name(block)
    }

    #[inline]
    pub(super) fn block(&self) -> &[u8; Name::BLOCK] {
        &self.0
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        usize::from(self.0[Name::MAX])
    }

    /// How many bytes stand before the number of the result.
    pub(super) fn len_of_all(&self) -> usize {
        let text = &self.0[..self.len()];
        text.iter().position(|&byte| byte == b'#').unwrap_or(text.len())
    }
}

/// The name of a value whose text does not fit into a block: one of several results.
#[derive(Clone, Copy)]
struct LongName {
    number: u32,
    result: u32,
}

/// The names of all values.
#[derive(Default)]
pub(super) struct Names {
    names: Vec<Name>,
    long: Vec<LongName>,
}

impl Names {
    /// Appends the name; `with_result` with the number of the result.
    pub(super) fn push(&self, out: &mut Vec<u8>, value: Value, with_result: bool) {
        match self.short(value) {
            Some(name) => out.extend_from_slice(&name.block()[..if with_result { name.len() } else { name.len_of_all() }]),
            None => {
                let [a, b, c, d, ..] = self.names[value.index()].0;
                let name = self.long[u32::from_le_bytes([a, b, c, d]) as usize];
                out.push(b'%');
                push_number(out, u64::from(name.number));
                if with_result {
                    out.push(b'#');
                    push_number(out, u64::from(name.result));
                }
            }
        }
    }

    /// The name if it fits into a block.
    #[inline]
    pub(super) fn short(&self, value: Value) -> Option<&Name> {
        Some(&self.names[value.index()]).filter(|name| name.0[Name::MAX] != Name::LONG)
    }
}

/// Names for all values. No number stands for two of them; the values of a region are numbered through, then those of the regions
/// within it and of the regions before it.
pub(super) fn names(ir: &Ir) -> Names {
    let names = Names { names: vec![Name::UNNAMED; ir.value_types.len()], long: Vec::new() };
    let mut namer = Namer { ir, names, waiting: Vec::new(), results: Counter::new(b"%"), args: Counter::new(b"%arg") };
    namer.ops(ir.top);
    while let Some(region) = namer.waiting.pop() {
        namer.region(region);
    }
    namer.names
}

/// Names with numbers that follow each other.
struct Counter {
    prefix: &'static [u8],
    next: u32,
    /// The one before the next.
    last: Name,
    /// How many names follow it in which only the last digit is greater, and by what their blocks grow as numbers.
    left: u32,
    step: u128,
}

impl Counter {
    fn new(prefix: &'static [u8]) -> Counter {
        Counter { prefix, next: 0, last: Name::UNNAMED, left: 0, step: 0 }
    }

    #[inline]
    fn next(&mut self) -> Name {
        if self.left == 0 {
            return self.next_ten();
        }
        self.left -= 1;
        self.next += 1;
        self.last = Name((u128::from_le_bytes(self.last.0) + self.step).to_le_bytes());
        self.last
    }

    /// The next name, whose number is a multiple of ten.
    fn next_ten(&mut self) -> Name {
        let len = self.last.len();
        let digits = if self.next > 0 { &mut self.last.0[self.prefix.len()..len] } else { &mut [] };
        match digits.iter().rposition(|&digit| digit != b'9') {
            Some(place) => {
                digits[place] += 1;
                digits[place + 1..].fill(b'0');
            }
            None => self.last = self.renamed(),
        }
        self.step = 1 << (8 * (self.last.len() - 1));
        self.left = 9;
        self.next += 1;
        self.last
    }

    /// The next name, which is the first or has more digits than the one before.
    fn renamed(&self) -> Name {
        let mut text = self.prefix.to_vec();
        push_number(&mut text, u64::from(self.next));
        // A number has at most ten digits.
        Name::new(&text).unwrap_or(Name::UNNAMED)
    }
}

struct Namer<'i> {
    ir: &'i Ir,
    names: Names,
    waiting: Vec<Region>,
    results: Counter,
    args: Counter,
}

impl Namer<'_> {
    fn region(&mut self, region: Region) {
        for (index, block) in self.ir.blocks(region).enumerate() {
            self.block(block, index == 0);
        }
    }

    fn block(&mut self, block: Block, is_entry: bool) {
        let data = self.ir.blocks[block.index()];
        let counter = if is_entry { &mut self.args } else { &mut self.results };
        self.names.names[data.args.range()].fill_with(|| counter.next());
        self.ops(data.ops);
    }

    /// Names results; the regions of operations wait until all around them is named.
    fn ops(&mut self, ops: Span) {
        for op in &self.ir.ops[ops.range()] {
            match op.results.len {
                0 => {}
                1 => self.names.names[op.results.start as usize] = self.results.next(),
                _ => self.several(op.results.range()),
            }
            if !op.is_plain() {
                self.waiting.extend(self.ir.regions(op).iter().map(Region));
            }
        }
    }

    /// Results with one number for all of them.
    fn several(&mut self, results: std::ops::Range<usize>) {
        let number = self.results.next;
        self.results.next();
        let mut text = Vec::new();
        for (result, value) in results.enumerate() {
            text.clear();
            text.push(b'%');
            push_number(&mut text, u64::from(number));
            text.push(b'#');
            push_number(&mut text, result as u64);
            self.names.names[value] = Name::new(&text).unwrap_or_else(|| {
                self.names.long.push(LongName { number, result: result as u32 });
                Name::long(self.names.long.len() as u32 - 1)
            });
        }
    }
}

/// Appends a number in base ten.
pub(crate) fn push_number(out: &mut Vec<u8>, number: u64) {
    short::push_u64(out, number);
}

/// Appends a signed number in base ten.
pub(crate) fn push_signed(out: &mut Vec<u8>, number: i64) {
    if number < 0 {
        out.push(b'-');
    }
    push_number(out, number.unsigned_abs());
}

#[cfg(test)]
mod tests {
    use super::{Counter, LongName, Name, Names};
    use crate::ir::Value;

    #[test]
    fn names_count_up() {
        for prefix in ["%", "%arg"] {
            let mut counter = Counter::new(prefix.as_bytes());
            for number in 0..120_000 {
                let name = counter.next();
                assert_eq!(&name.block()[..name.len()], format!("{prefix}{number}").as_bytes());
            }
        }
    }

    #[test]
    fn names_of_several_results_may_be_long() {
        let short = Name::new(b"%12#345").unwrap();
        let names = Names { names: vec![short, Name::long(0)], long: vec![LongName { number: 123_456_789, result: 123_456_789 }] };
        let text = |value, with_result| {
            let mut out = Vec::new();
            names.push(&mut out, Value(value), with_result);
            String::from_utf8(out).unwrap()
        };
        assert_eq!([text(0, false), text(0, true)], ["%12", "%12#345"]);
        assert_eq!([text(1, false), text(1, true)], ["%123456789", "%123456789#123456789"]);
        assert!(names.short(Value(0)).is_some() && names.short(Value(1)).is_none());
    }
}
