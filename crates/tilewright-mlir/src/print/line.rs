//! The usual operations, each in a line that is put together in a window of fixed size.
//!
//! Pieces of text are copied as blocks of fixed size, which takes a few instructions each; what is too much is written over by what comes
//! next. A line that would not fit, or needs anything that is not at hand, is left to `operations.rs`.

use super::{Printer, names::LongName, operations::EndingKey, strings::push_spaces};
use crate::{
    ir::{OpData, Value},
    tables::AttrId,
};
use tilewright_text::short::ShortText;

/// The longest line, and a block more.
const WINDOW: usize = 424;
const MAX_INDENT: u32 = 32;
const MAX_OPERANDS: usize = 8;

/// A line in the making.
struct Line<'w> {
    window: &'w mut [u8; WINDOW],
    len: usize,
}

// So much is put before the text behind the operands, each piece with a block behind it that is written over: results, name, operands.
const _: () = assert!(MAX_INDENT as usize + 32 + BLOCK + (MAX_NAME + 2) * MAX_OPERANDS + BLOCK + 64 <= WINDOW);
/// `%1234567#1234567`
const MAX_NAME: usize = 18;
const BLOCK: usize = super::cache::BLOCK;

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
    fn short(&mut self, text: ShortText) {
        self.put(&text.bits().to_le_bytes(), text.len());
    }

    #[inline]
    fn number(&mut self, number: u32) -> Option<()> {
        self.short(ShortText::number(u64::from(number))?);
        Some(())
    }

    /// The name of a value; `with_result` with the number of the result.
    #[inline]
    fn name(&mut self, name: Result<ShortText, LongName>, with_result: bool) -> Option<()> {
        let name = match name {
            Ok(name) => {
                self.short(name);
                return Some(());
            }
            Err(name) => name,
        };
        self.put(b"%arg", if name.is_arg { 4 } else { 1 });
        self.number(name.number)?;
        if let Some(result) = name.result.filter(|_| with_result) {
            self.text(b"#");
            self.number(result)?;
        }
        Some(())
    }

    /// The number in a name; none stands for 0.
    #[inline]
    fn alias_number(&mut self, number: u64) -> Option<()> {
        if number > 0 {
            self.short(ShortText::number(number)?);
        }
        Some(())
    }
}

impl Printer<'_, '_> {
    /// Appends the line of an operation without regions and successors; false, and nothing is appended, where that takes more.
    pub(super) fn usual_line(&self, data: &OpData, indent: u32, key: &EndingKey, out: &mut Vec<u8>) -> bool {
        let start = out.len();
        out.resize(start + WINDOW, 0);
        let len = out.last_chunk_mut().and_then(|window| self.fill(data, indent, key, window));
        out.truncate(start + len.unwrap_or(0));
        len.is_some()
    }

    fn fill(&self, data: &OpData, indent: u32, key: &EndingKey, window: &mut [u8; WINDOW]) -> Option<usize> {
        let mut line = Line { window, len: 0 };
        self.fill_names(data, indent, &mut line)?;
        self.endings.with_block(key.as_slice(), |block, len| line.put(block, len))?;
        if self.shared.debug_info {
            line.text(b" loc(#loc");
            line.alias_number(self.shared.aliases.location_number(data.location)?)?;
            line.text(b")");
        }
        line.text(b"\n");
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
        if data.results.len > 0 {
            line.name(names.parts(Value(data.results.start)), false)?;
            if data.results.len > 1 {
                line.text(b":");
                line.number(data.results.len)?;
            }
            line.text(b" = ");
        }
        let (name, len) = self.shared.op_names.block(data.name.index())?;
        line.put(name, len);
        if let Some((&first, others)) = operands.split_first() {
            line.name(names.parts(first), true)?;
            for &operand in others {
                line.text(b", ");
                line.name(names.parts(operand), true)?;
            }
        }
        Some(())
    }

    /// Appends spaces, results, name and operands of any operation.
    pub(super) fn names(&self, data: &OpData, indent: u32, out: &mut Vec<u8>) {
        let start = out.len();
        out.resize(start + WINDOW, 0);
        let len = out.last_chunk_mut().and_then(|window| {
            let mut line = Line { window, len: 0 };
            self.fill_names(data, indent, &mut line).map(|()| line.len)
        });
        out.truncate(start + len.unwrap_or(0));
        if len.is_none() {
            push_spaces(out, indent as usize);
            self.long_names(data, out);
        }
    }

    /// Appends the line that says what the name of a place in a file means; false, and nothing is appended, where that takes more.
    pub(super) fn usual_location(&self, id: AttrId, out: &mut Vec<u8>) -> bool {
        let start = out.len();
        out.resize(start + WINDOW, 0);
        let len = out.last_chunk_mut().and_then(|window| self.fill_location(id, window));
        out.truncate(start + len.unwrap_or(0));
        len.is_some()
    }

    fn fill_location(&self, id: AttrId, window: &mut [u8; WINDOW]) -> Option<usize> {
        let (file, row, column) = self.module.tables.file_location(id)?;
        let mut line = Line { window, len: 0 };
        line.text(b"#loc");
        line.alias_number(self.shared.aliases.location_number(id)?)?;
        line.text(b" = loc(");
        self.values.with_block(&[file.0], |block, len| line.put(block, len))?;
        line.text(b":");
        line.short(ShortText::number(row)?);
        line.text(b":");
        line.short(ShortText::number(column)?);
        line.text(b")\n");
        Some(line.len)
    }
}
