//! The names of values: `%0`, `%1#2`, `%arg0`.

use crate::ir::{Block, Ir, Op, Region, Value};
use tilewright_text::short::{self, ShortText};

/// The name of a value whose text is long.
#[derive(Clone, Copy)]
pub(super) struct LongName {
    pub(super) is_arg: bool,
    pub(super) number: u32,
    /// Which result it is, if an operation has several.
    pub(super) result: Option<u32>,
}

/// The names of all values.
///
/// Nearly all are short, so that their texts are kept: a value takes one word here.
#[derive(Default)]
pub(super) struct Names {
    /// The bits of the text, or [`LONG`] and a position in `long`.
    codes: Vec<u64>,
    long: Vec<LongName>,
}

/// Where the codes begin that are no text.
const LONG: u64 = ShortText::END;

impl Names {
    /// Appends the name; `with_result` with the number of the result.
    #[inline]
    pub(super) fn push(&self, out: &mut Vec<u8>, value: Value, with_result: bool) {
        let code = self.codes[value.index()];
        match ShortText::from_bits(code) {
            Some(text) => text.push_to(out),
            None => self.long[(code - LONG) as usize].push(out, with_result),
        }
    }
}

impl Names {
    /// The name if it is short, else what it consists of.
    #[inline]
    pub(super) fn parts(&self, value: Value) -> Result<ShortText, LongName> {
        let code = self.codes[value.index()];
        ShortText::from_bits(code).ok_or_else(|| self.long[(code - LONG) as usize])
    }
}

impl LongName {
    fn push(self, out: &mut Vec<u8>, with_result: bool) {
        out.extend_from_slice(if self.is_arg { b"%arg" } else { b"%" });
        push_number(out, u64::from(self.number));
        if let Some(result) = self.result.filter(|_| with_result) {
            out.push(b'#');
            push_number(out, u64::from(result));
        }
    }
}

/// Names for all values. No number stands for two of them; the values of a region are numbered through, then those of the regions
/// within it and of the regions before it.
pub(super) fn names(ir: &Ir) -> Names {
    let unnamed = LongName { is_arg: false, number: 0, result: None };
    let names = Names { codes: vec![LONG; ir.value_types.len()], long: vec![unnamed] };
    let mut namer = Namer { ir, names, waiting: Vec::new(), next: 0, next_arg: 0, last: None };
    for op in ir.top.iter() {
        namer.results(Op(op));
    }
    for op in ir.top.iter() {
        namer.wait(Op(op));
    }
    while let Some(region) = namer.waiting.pop() {
        namer.region(region);
    }
    namer.names
}

struct Namer<'i> {
    ir: &'i Ir,
    names: Names,
    waiting: Vec<Region>,
    next: u32,
    next_arg: u32,
    /// The text of the number before the next one, if it is short.
    last: Option<ShortText>,
}

impl Namer<'_> {
    fn region(&mut self, region: Region) {
        for (index, block) in self.ir.blocks(region).enumerate() {
            self.block(block, index == 0);
        }
        for block in self.ir.blocks(region) {
            self.ir.blocks[block.index()].ops.iter().for_each(|op| self.wait(Op(op)));
        }
    }

    fn block(&mut self, block: Block, is_entry: bool) {
        let data = self.ir.blocks[block.index()];
        for value in data.args.range() {
            if is_entry {
                self.set_long(value, LongName { is_arg: true, number: self.next_arg, result: None });
                self.next_arg += 1;
            } else {
                self.set_next(value);
            }
        }
        data.ops.iter().for_each(|op| self.results(Op(op)));
    }

    fn results(&mut self, op: Op) {
        let results = self.ir.op(op).results;
        match results.len {
            0 => {}
            1 => self.set_next(results.start as usize),
            _ => {
                for (result, value) in results.range().enumerate() {
                    self.set_long(value, LongName { is_arg: false, number: self.next, result: Some(result as u32) });
                }
                (self.next, self.last) = (self.next + 1, None);
            }
        }
    }

    /// Names a value by the next number.
    #[inline]
    fn set_next(&mut self, value: usize) {
        let number = self.next;
        self.next += 1;
        self.last = match self.last {
            Some(last) if !number.is_multiple_of(10) => Some(last.with_next_digit()),
            _ => ShortText::value_number(number),
        };
        match self.last {
            Some(text) => self.names.codes[value] = text.bits(),
            None => self.set_long(value, LongName { is_arg: false, number, result: None }),
        }
    }

    fn set_long(&mut self, value: usize, name: LongName) {
        self.names.codes[value] = LONG + self.names.long.len() as u64;
        self.names.long.push(name);
    }

    fn wait(&mut self, op: Op) {
        self.waiting.extend(self.ir.regions(self.ir.op(op)).iter().map(Region));
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
