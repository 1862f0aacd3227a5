//! The outside of a file: header and section list (FORMAT section 2).

use crate::{
    MAGIC, ReadErrorKind, Section,
    cursor::Cursor,
    error::{Place, ReadError},
    limits::MAX_FILE_SIZE,
};
use tilewright_ir::Version;

/// Header and payloads of a file.
pub(crate) struct Envelope<'a> {
    pub(crate) version: Version,
    /// Whether the file may hold preview content.
    pub(crate) preview: bool,
    payloads: [Option<Cursor<'a>>; KINDS.len()],
}

/// A kind of section: the low 7 bits of its id byte, and the alignment its payload needs.
struct Kind {
    id: u8,
    section: Section,
    alignment: u64,
}

const KINDS: [Kind; 7] = {
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

/// Id byte of the end mark.
const END: u8 = 0;
/// Bit of the id byte: an alignment follows.
const ALIGNED: u8 = 0x80;
/// Bit of the header tag: the file holds preview content.
const PREVIEW: u16 = 1;

impl<'a> Envelope<'a> {
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Self, ReadError> {
        let mut cursor = Cursor::new(bytes, 0, Section::Header);
        let (version, preview) = header(&mut cursor)?;
        let start = cursor.offset();
        let mut cursor = Cursor::new(cursor.take_rest(), start, Section::Envelope);
        let mut envelope = Envelope { version, preview, payloads: [None; KINDS.len()] };
        while let Some((slot, payload)) = section(&mut cursor)? {
            envelope.payloads[slot] = Some(payload);
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

    /// The payload of a section, if the file has it.
    pub(crate) fn payload(&self, section: Section) -> Option<Cursor<'a>> {
        KINDS.iter().position(|kind| kind.section == section).and_then(|slot| self.payloads[slot])
    }
}

fn header(cursor: &mut Cursor<'_>) -> Result<(Version, bool), ReadError> {
    let at = cursor.place();
    if cursor.remaining() > MAX_FILE_SIZE {
        return Err(at.limit(format_args!("a file has at most {MAX_FILE_SIZE} bytes, found {}", cursor.remaining())));
    }
    if !cursor.take(MAGIC.len()).is_ok_and(|magic| magic == MAGIC) {
        return Err(at.error(ReadErrorKind::Magic, format_args!("this is no Tile IR bytecode: it does not begin with 7f 'TileIR' 00")));
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

/// The next section: its place in [`KINDS`] and its payload. `None` at the end mark.
fn section<'a>(cursor: &mut Cursor<'a>) -> Result<Option<(usize, Cursor<'a>)>, ReadError> {
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
    let alignment = if id & ALIGNED != 0 { alignment(cursor)? } else { 1 };
    let kind = &KINDS[slot];
    if !alignment.is_multiple_of(kind.alignment) {
        let message = format_args!("the {} needs an alignment of {} or a multiple, found {alignment}", kind.section, kind.alignment);
        return Err(at.malformed(message));
    }
    let past = cursor.offset() as u64 % alignment;
    if past != 0 {
        take(cursor, alignment - past, length_at, kind.section)?;
    }
    let payload_start = cursor.offset();
    let payload = take(cursor, length, length_at, kind.section)?;
    Ok(Some((slot, Cursor::new(payload, payload_start, kind.section))))
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

fn take<'a>(cursor: &mut Cursor<'a>, length: u64, at: Place, section: Section) -> Result<&'a [u8], ReadError> {
    let remaining = cursor.remaining();
    match usize::try_from(length) {
        Ok(length) if length <= remaining => cursor.take(length),
        _ => Err(at.truncated(format_args!("the {section} needs {length} bytes, found {remaining} to the end of the file"))),
    }
}
