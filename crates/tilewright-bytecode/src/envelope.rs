//! The outside of a file: header and section list (FORMAT section 2).

use crate::{
    FileKind, MAGIC, ReadErrorKind, Section,
    cursor::Cursor,
    error::{Place, ReadError},
    limits::MAX_FILE_SIZE,
};
use std::ops::Range;
use tilewright_ir::Version;

/// Header and payloads of a file.
pub(crate) struct Envelope<'a> {
    pub(crate) version: Version,
    /// Whether the file may hold preview content.
    pub(crate) preview: bool,
    payloads: [Option<Cursor<'a>>; KINDS.len()],
}

/// A kind of section: the low 7 bits of its id byte, and the alignment its payload needs.
pub(crate) struct Kind {
    pub(crate) id: u8,
    pub(crate) section: Section,
    pub(crate) alignment: u64,
}

impl Kind {
    /// The kind of a section of a file.
    ///
    /// # Panics
    /// For the header and the section list, which are no sections.
    pub(crate) fn of(section: Section) -> &'static Kind {
        KINDS.iter().find(|kind| kind.section == section).expect("the header and the section list are no sections")
    }
}

/// A section in the list of a file: which bytes it takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RawSection {
    pub(crate) section: Section,
    /// Id byte, length and alignment.
    pub(crate) header: Range<usize>,
    pub(crate) alignment: Option<u64>,
    pub(crate) padding: Range<usize>,
    pub(crate) payload: Range<usize>,
}

static KINDS: [Kind; 7] = {
    const fn kind(id: u8, section: Section, alignment: u64) -> Kind {
        Kind { id, section, alignment }
    }
    [
        kind(1, Section::String, 4),
        kind(2, Section::Function, 8),
        kind(3, Section::Debug, 8),
        kind(4, Section::Constant, 8),
        kind(5, Section::Type, 4),
        kind(6, Section::Global, 1),
        kind(7, Section::Producer, 1),
    ]
};

/// Bytes before the first section.
const HEADER_SIZE: usize = 12;
/// Id byte of the end mark.
pub(crate) const END: u8 = 0;
/// Bit of the id byte: an alignment follows.
pub(crate) const ALIGNED: u8 = 0x80;
/// Bit of the header tag: the file holds preview content.
pub(crate) const PREVIEW: u16 = 1;

impl<'a> Envelope<'a> {
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Self, ReadError> {
        let mut cursor = Cursor::new(bytes, 0, Section::Header);
        let (version, preview) = header(&mut cursor)?;
        let start = cursor.offset();
        let mut cursor = Cursor::new(cursor.take_rest(), start, Section::Envelope);
        let mut envelope = Envelope { version, preview, payloads: [None; KINDS.len()] };
        while let Some((slot, section)) = section(&mut cursor)? {
            let payload = section.payload;
            envelope.payloads[slot] = Some(Cursor::new(&bytes[payload.clone()], payload.start, section.section));
        }
        if !cursor.is_empty() {
            return Err(cursor.place().malformed(format_args!("expected nothing after the end mark, found {} bytes", cursor.remaining())));
        }
        for required in [Section::String, Section::Function] {
            if envelope.payload(required).is_none() {
                return Err(cursor.place().malformed(format_args!("the file has no {required}")));
            }
        }
        Ok(envelope)
    }

    /// The sections of a file that was parsed before, in its order.
    pub(crate) fn sections(bytes: &[u8]) -> Vec<RawSection> {
        let mut cursor = Cursor::new(bytes.get(HEADER_SIZE..).unwrap_or_default(), HEADER_SIZE, Section::Envelope);
        std::iter::from_fn(|| section(&mut cursor).ok().flatten()).map(|(_, section)| section).collect()
    }

    /// The payload of a section, if the file has it.
    pub(crate) fn payload(&self, section: Section) -> Option<Cursor<'a>> {
        KINDS.iter().position(|kind| kind.section == section).and_then(|slot| self.payloads[slot])
    }
}

pub(crate) fn header(cursor: &mut Cursor<'_>) -> Result<(Version, bool), ReadError> {
    let at = cursor.place();
    if cursor.remaining() > MAX_FILE_SIZE {
        return Err(at.limit(format_args!("a file has at most {MAX_FILE_SIZE} bytes, found {}", cursor.remaining())));
    }
    let mut rest = *cursor;
    if !cursor.take(MAGIC.len()).is_ok_and(|magic| magic == MAGIC) {
        return Err(at.error(ReadErrorKind::Magic, format_args!("expected Tile IR bytecode, but {}", FileKind::of(rest.take_rest()))));
    }
    let at = cursor.place();
    let (major, minor) = (cursor.byte()?, cursor.byte()?);
    let Some(version) = Version::from_numbers(major, minor) else {
        let message = format_args!("version {major}.{minor} is not supported: expected 13.1 to {}", Version::LATEST);
        return Err(at.error(ReadErrorKind::Version, message));
    };
    let at = cursor.place();
    let tag = u16::from_le_bytes([cursor.byte()?, cursor.byte()?]);
    if tag & !PREVIEW != 0 {
        return Err(at.malformed(format_args!("expected a tag of 0 or 1, found {tag:#06x}")));
    }
    let preview = tag & PREVIEW != 0;
    if preview && version != Version::LATEST {
        return Err(at.error(ReadErrorKind::Preview, format_args!("only {} files hold preview content, found {version}", Version::LATEST)));
    }
    Ok((version, preview))
}

/// The next section, and its place in [`KINDS`]. `None` at the end mark.
pub(crate) fn section(cursor: &mut Cursor<'_>) -> Result<Option<(usize, RawSection)>, ReadError> {
    let at = cursor.place();
    let id = cursor.byte()?;
    if id == END {
        return Ok(None);
    }
    let Some(slot) = KINDS.iter().position(|kind| kind.id == id & !ALIGNED) else {
        return Err(at.malformed(format_args!("expected a section id of 1 to 7 or the end mark, found {id:#04x}")));
    };
    let length_at = cursor.place();
    let length = cursor.varint()?;
    let aligned = if id & ALIGNED != 0 { Some(alignment(cursor)?) } else { None };
    let alignment = aligned.unwrap_or(1);
    let kind = &KINDS[slot];
    if !alignment.is_multiple_of(kind.alignment) {
        let message = format_args!("the {} needs an alignment of {} or a multiple, found {alignment}", kind.section, kind.alignment);
        return Err(at.malformed(message));
    }
    let header = at.offset..cursor.offset();
    let past = cursor.offset() as u64 % alignment;
    if past != 0 {
        take(cursor, alignment - past, length_at, kind.section)?;
    }
    let padding = header.end..cursor.offset();
    take(cursor, length, length_at, kind.section)?;
    let payload = padding.end..cursor.offset();
    Ok(Some((slot, RawSection { section: kind.section, header, alignment: aligned, padding, payload })))
}

/// The kind of section with this id byte.
pub(crate) fn section_of(id: u8) -> Option<Section> {
    KINDS.iter().find(|kind| kind.id == id & !ALIGNED).map(|kind| kind.section)
}

fn alignment(cursor: &mut Cursor<'_>) -> Result<u64, ReadError> {
    let at = cursor.place();
    let alignment = cursor.varint()?;
    if alignment.is_power_of_two() {
        Ok(alignment)
    } else {
        Err(at.malformed(format_args!("expected an alignment that is a power of two, found {alignment}")))
    }
}

fn take(cursor: &mut Cursor<'_>, length: u64, at: Place, section: Section) -> Result<(), ReadError> {
    let remaining = cursor.remaining();
    match usize::try_from(length) {
        Ok(length) if length <= remaining => cursor.take(length).map(|_| ()),
        _ => Err(at.truncated(format_args!("the {section} needs {length} bytes, found {remaining} to the end of the file"))),
    }
}
