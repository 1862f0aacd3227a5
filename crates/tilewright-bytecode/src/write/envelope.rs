//! Puts payloads together to a file (FORMAT section 2).

use super::{Encoded, Style, put::PADDING, put::Put};
use crate::{
    MAGIC, Section,
    envelope::{ALIGNED, END, Kind, PREVIEW, RawSection},
    file_layout::FileLayout,
};
use tilewright_ir::Version;

/// The order of sections in each style.
fn order(style: Style) -> &'static [Section] {
    use Section::{Constant, Debug, Function, Global, Producer, String, Type};
    match style {
        Style::Cutile => &[Function, Global, Constant, Debug, Type, Producer, String],
        Style::Cpp => &[Global, Function, Constant, Debug, Type, Producer, String],
    }
}

/// Appends the file to `out`.
pub(super) fn put_file(out: &mut Vec<u8>, version: Version, style: Style, encoded: &Encoded, layout: Option<&FileLayout>) {
    let start = out.len();
    out.reserve(encoded.len() + 256);
    let same_version = layout.is_some_and(|layout| layout.version() == version);
    let preview = encoded.uses_preview || (same_version && layout.is_some_and(FileLayout::has_preview_content));
    out.extend_from_slice(&MAGIC);
    out.extend([version.major(), version.minor()]);
    out.extend((if preview { PREVIEW } else { 0 }).to_le_bytes());
    let mut written = Vec::new();
    if let Some(layout) = layout {
        put_like(out, start, encoded, layout, same_version, &mut written);
    }
    for &section in order(style).iter().filter(|section| !written.contains(*section)) {
        if let Some(payload) = encoded.payload(section) {
            put_section(out, start, section, payload);
        }
    }
    out.push(END);
}

/// Appends the sections that a file has, in its order; also those that count for nothing because they come again.
fn put_like(out: &mut Vec<u8>, start: usize, encoded: &Encoded, layout: &FileLayout, same_version: bool, written: &mut Vec<Section>) {
    let sections = layout.raw_sections();
    for (index, raw) in sections.iter().enumerate() {
        let counts = sections[index + 1..].iter().all(|later| later.section != raw.section);
        let payload = if counts { encoded.payload(raw.section) } else { layout.bytes().get(raw.payload.clone()).filter(|_| same_version) };
        if let Some(payload) = payload {
            put_raw_section(out, start, raw, layout.bytes(), payload);
        } else if counts {
            continue;
        }
        if counts {
            written.push(raw.section);
        }
    }
}

fn put_section(out: &mut Vec<u8>, start: usize, section: Section, payload: &[u8]) {
    let kind = Kind::of(section);
    let is_aligned = kind.alignment > 1;
    out.push(kind.id | if is_aligned { ALIGNED } else { 0 });
    out.count(payload.len());
    if is_aligned {
        out.varint(kind.alignment);
        let past = out.len() - start;
        out.resize(start + past.next_multiple_of(kind.alignment as usize), PADDING);
    }
    out.extend_from_slice(payload);
}

/// A section with the header of one that was read: its numbers in their old form and its padding, as far as they still fit.
fn put_raw_section(out: &mut Vec<u8>, start: usize, raw: &RawSection, file: &[u8], payload: &[u8]) {
    let old_header = file.get(raw.header.clone()).unwrap_or_default();
    let old_padding = file.get(raw.padding.clone()).unwrap_or_default();
    if payload.len() == raw.payload.len() {
        out.extend_from_slice(old_header);
    } else {
        out.push(Kind::of(raw.section).id | if raw.alignment.is_some() { ALIGNED } else { 0 });
        out.count(payload.len());
        raw.alignment.into_iter().for_each(|alignment| out.varint(alignment));
    }
    let alignment = raw.alignment.and_then(|alignment| usize::try_from(alignment).ok()).unwrap_or(1);
    let padding = (out.len() - start).next_multiple_of(alignment) - (out.len() - start);
    if padding == old_padding.len() {
        out.extend_from_slice(old_padding);
    } else {
        let byte = old_padding.first().copied().unwrap_or(PADDING);
        out.resize(out.len() + padding, byte);
    }
    out.extend_from_slice(payload);
}
