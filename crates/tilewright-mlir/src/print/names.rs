//! The names of values: `%0`, `%1#2`, `%arg0`.

use crate::ir::{Block, Ir, Op, Region};

/// The name of a value.
#[derive(Clone, Copy, Default)]
pub(super) struct Name {
    /// With [`Name::ARG`] for an argument of a region's first block.
    number: u32,
    /// Which result it is, if an operation has several; counted from 1.
    result: u32,
}

impl Name {
    const ARG: u32 = 1 << 31;

    /// Appends the name; `with_result` with the number of the result.
    pub(super) fn push(self, out: &mut Vec<u8>, with_result: bool) {
        out.push(b'%');
        if self.number & Name::ARG != 0 {
            out.extend(b"arg");
        }
        push_number(out, u64::from(self.number & !Name::ARG));
        if with_result && self.result > 0 {
            out.push(b'#');
            push_number(out, u64::from(self.result - 1));
        }
    }
}

/// Names for all values. No number stands for two of them; the values of a region are numbered through, then those of the regions
/// within it and of the regions before it.
pub(super) fn names(ir: &Ir) -> Vec<Name> {
    let mut namer = Namer { ir, names: vec![Name::default(); ir.value_types.len()], waiting: Vec::new(), next: 0, next_arg: 0 };
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
    names: Vec<Name>,
    waiting: Vec<Region>,
    next: u32,
    next_arg: u32,
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
            let counter = if is_entry { &mut self.next_arg } else { &mut self.next };
            self.names[value] = Name { number: *counter | if is_entry { Name::ARG } else { 0 }, result: 0 };
            *counter += 1;
        }
        data.ops.iter().for_each(|op| self.results(Op(op)));
    }

    fn results(&mut self, op: Op) {
        let results = self.ir.op(op).results;
        if results.len == 0 {
            return;
        }
        for (index, value) in results.range().enumerate() {
            self.names[value] = Name { number: self.next, result: if results.len > 1 { index as u32 + 1 } else { 0 } };
        }
        self.next += 1;
    }

    fn wait(&mut self, op: Op) {
        self.waiting.extend(self.ir.op(op).regions.iter().map(Region));
    }
}

/// Appends a number in base ten.
pub(crate) fn push_number(out: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; 20];
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend(&digits[start..]);
}

/// Appends a signed number in base ten.
pub(crate) fn push_signed(out: &mut Vec<u8>, number: i64) {
    if number < 0 {
        out.push(b'-');
    }
    push_number(out, number.unsigned_abs());
}
