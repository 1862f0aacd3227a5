//! The usual operations, each in a line that is put together in a window of fixed size.
//!
//! A line that would not fit, or needs anything that is not at hand, is left to `operations.rs`.

use super::{
    Printer,
    endings::{EndingKey, MAX_LENGTH},
    sheet::{Sheet, WINDOW},
};
use crate::{
    ir::{OpData, Span, Value},
    print::names::Name,
    tables::AttrId,
};
use tilewright_text::short::ShortText;

const MAX_INDENT: u32 = 32;
const MAX_OPERANDS: usize = 12;
const BLOCK: usize = super::cache::BLOCK;

// So much is put at most, each piece with a block behind it that is written over: indentation, results, name, operands, ending, location.
const _: () = assert!(MAX_INDENT as usize + 2 * Name::BLOCK + BLOCK + (Name::BLOCK + 2) * MAX_OPERANDS + MAX_LENGTH + BLOCK <= WINDOW);

/// A line in the making.
struct Line<'w> {
    window: &'w mut [u8; WINDOW],
    len: usize,
}

impl Line<'_> {
    #[inline]
    fn put<const N: usize>(&mut self, block: &[u8; N], len: usize) {
        self.window[self.len..self.len + N].copy_from_slice(block);
        self.len += len;
    }

    #[inline]
    fn text<const N: usize>(&mut self, text: &[u8; N]) {
        self.put(text, N);
    }

    #[inline]
    fn number(&mut self, number: u64) -> Option<()> {
        let text = ShortText::number(number)?;
        self.put(&text.bits().to_le_bytes(), text.len());
        Some(())
    }
}

impl Printer<'_, '_> {
    /// Appends operations without regions, each in a line of its own.
    pub(super) fn lines(&self, ops: Span, indent: u32, sheet: &mut Sheet) {
        let mut key = EndingKey::NONE;
        for data in &self.module.ir.ops[ops.range()] {
            let is_common = self.first.has_seen(data);
            let is_usual = is_common && key.set(&self.module.ir, data);
            match if is_usual { self.usual_line(data, indent, &key, sheet.window()) } else { None } {
                Some(len) => sheet.advance(len),
                None => {
                    self.names(data, indent, sheet);
                    self.in_full(sheet, |out| self.line_behind_operands(data, is_common, is_usual.then_some(&key), out));
                }
            }
        }
    }

    /// Appends what does not fit into a window.
    pub(super) fn in_full(&self, sheet: &mut Sheet, make: impl FnOnce(&mut Vec<u8>)) {
        let mut text = self.scratch.take();
        make(&mut text);
        sheet.append(&text);
        text.clear();
        self.scratch.replace(text);
    }

    /// The line of an operation without regions and successors.
    #[inline]
    fn usual_line(&self, data: &OpData, indent: u32, key: &EndingKey, window: &mut [u8; WINDOW]) -> Option<usize> {
        let mut line = Line { window, len: 0 };
        self.fill_names(data, indent, &mut line)?;
        self.endings.pieces(data.name, key, |block, len| line.put(block, len))?;
        if self.shared.debug_info {
            line.text(b" loc(#loc");
            let (digits, len) = self.shared.aliases.location_digits(data.location)?;
            line.put(&digits, len);
            line.text(b")\n");
        }
        Some(line.len)
    }

    #[inline]
    fn fill_names(&self, data: &OpData, indent: u32, line: &mut Line<'_>) -> Option<()> {
        let operands = self.module.ir.operands(data);
        if indent > MAX_INDENT || operands.len() > MAX_OPERANDS {
            return None;
        }
        let names = &self.shared.names;
        line.put(&[b' '; MAX_INDENT as usize], indent as usize);
        match data.results.len {
            0 => {}
            1 => {
                let name = names.short(Value(data.results.start))?;
                line.put(name.block(), name.len());
            }
            several => {
                let name = names.short(Value(data.results.start))?;
                line.put(name.block(), name.len_of_all());
                line.text(b":");
                line.number(u64::from(several))?;
            }
        }
        let (name, len) = self.shared.op_names.block(2 * data.name.index() + usize::from(data.results.len > 0))?;
        line.put(name, len);
        if let Some((&first, others)) = operands.split_first() {
            let name = names.short(first)?;
            line.put(name.block(), name.len());
            for &operand in others {
                line.text(b", ");
                let name = names.short(operand)?;
                line.put(name.block(), name.len());
            }
        }
        Some(())
    }

    /// Appends spaces, results, name and operands of any operation.
    pub(super) fn names(&self, data: &OpData, indent: u32, sheet: &mut Sheet) {
        let mut line = Line { window: sheet.window(), len: 0 };
        match self.fill_names(data, indent, &mut line) {
            Some(()) => {
                let len = line.len;
                sheet.advance(len);
            }
            None => self.in_full(sheet, |out| self.long_names(data, indent, out)),
        }
    }

    /// Appends what the names of symbols mean.
    pub(super) fn explanations(&self, symbols: &[super::Symbol], sheet: &mut Sheet) {
        for &symbol in symbols {
            let usual = match symbol {
                super::Symbol::Attr(id) => self.usual_location(id, sheet.window()),
                _ => None,
            };
            match usual {
                Some(len) => sheet.advance(len),
                None => self.in_full(sheet, |out| self.explain(symbol, out)),
            }
        }
    }

    /// The line that says what the name of a place in a file means.
    #[inline]
    fn usual_location(&self, id: AttrId, window: &mut [u8; WINDOW]) -> Option<usize> {
        let (file, row, column) = self.module.tables.file_location(id)?;
        let mut line = Line { window, len: 0 };
        line.text(b"#loc");
        let (digits, len) = self.shared.aliases.location_digits(id)?;
        line.put(&digits, len);
        line.text(b" = loc(");
        self.values.with_block(&[file.0], |block, len| line.put(block, len))?;
        line.text(b":");
        line.number(row)?;
        line.text(b":");
        line.number(column)?;
        line.text(b")\n");
        Some(line.len)
    }
}
