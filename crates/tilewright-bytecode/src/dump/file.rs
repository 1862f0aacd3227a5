//! The outside of a file: header and sections.

use super::{GroupKind, LeafKind, Visitor, tracer::Tracer};
use crate::{
    MAGIC, ReadError, Section, constants::Constants, context::Context, cursor::Cursor, debug::Debug, envelope, strings::Strings,
    types::Types,
};
use tilewright_ir::{Tables, Version};

/// Walks over a file and tells `visitor` what each byte means.
///
/// ```
/// use tilewright_bytecode::dump::{Group, Leaf, Visitor, dump};
///
/// /// Counts the bytes that nothing refers to.
/// struct Waste(usize);
/// impl Visitor for Waste {
///     fn enter(&mut self, _: &Group<'_>) {}
///     fn leaf(&mut self, leaf: &Leaf<'_>) {
///         self.0 += if leaf.kind == tilewright_bytecode::dump::LeafKind::Unused { leaf.bytes.len() } else { 0 };
///     }
///     fn leave(&mut self, _: usize) {}
/// }
/// let mut waste = Waste(0);
/// dump(b"\x7fTileIR\0\x0d\x04\0\0\0", &mut waste);
/// assert_eq!(waste.0, 0);
/// ```
pub fn dump(bytes: &[u8], visitor: &mut dyn Visitor) {
    let payloads = payloads(bytes);
    let (version, preview) = version(bytes).unwrap_or((Version::LATEST, false));
    let mut tracer = Tracer::new(bytes, whole(bytes), context(bytes, version, preview, &payloads), visitor);
    let file = tracer.cursor;
    tracer.within(file, |tracer| {
        header(tracer)?;
        sections(tracer, &mut |tracer, section, payload| {
            if payloads.get(section) == Some(payload.range()) {
                tracer.within(payload, |tracer| contents(tracer, section));
            } else {
                tracer.within(payload, |_| Ok(()));
            }
        })
    });
}

/// Where the payload of each kind of section lies that counts: the last one.
#[derive(Default)]
struct Payloads(Vec<(Section, std::ops::Range<usize>)>);

impl Payloads {
    fn get(&self, section: Section) -> Option<std::ops::Range<usize>> {
        self.0.iter().find(|(s, _)| *s == section).map(|(_, range)| range.clone())
    }
}

/// Walks over the sections only, to find them.
fn payloads(bytes: &[u8]) -> Payloads {
    struct Nobody;
    impl Visitor for Nobody {
        fn enter(&mut self, _: &super::Group<'_>) {}
        fn leaf(&mut self, _: &super::Leaf<'_>) {}
        fn leave(&mut self, _: usize) {}
    }
    let mut found = Payloads::default();
    let mut nobody = Nobody;
    let nothing = context(bytes, Version::LATEST, false, &found);
    let mut tracer = Tracer::new(bytes, whole(bytes), nothing, &mut nobody);
    let file = tracer.cursor;
    tracer.within(file, |tracer| {
        header(tracer)?;
        sections(tracer, &mut |tracer, section, payload| {
            found.0.retain(|(s, _)| *s != section);
            found.0.push((section, payload.range()));
            tracer.within(payload, |_| Ok(()));
        })
    });
    found
}

fn whole(bytes: &[u8]) -> Cursor<'_> {
    Cursor::new(bytes, 0, Section::Header)
}

/// A table without items.
const NO_ITEMS: &[u8] = &[0];

/// The state of a reader of this file. Tables that are broken are empty.
fn context<'a>(bytes: &'a [u8], version: Version, preview: bool, payloads: &Payloads) -> Context<'a> {
    let payload = |section| payloads.get(section).map(|range| Cursor::new(&bytes[range.clone()], range.start, section));
    let strings = payload(Section::String).and_then(|payload| Strings::parse(payload).ok());
    let no_strings = || Strings::parse(Cursor::new(NO_ITEMS, 0, Section::String)).expect("a table without items is good");
    let mut types = Types::parse(payload(Section::Type)).or_else(|_| Types::parse(None)).expect("a file needs no types");
    types.remember_failures();
    Context {
        version,
        preview,
        tables: Tables::default(),
        strings: strings.unwrap_or_else(no_strings),
        types,
        constants: Constants::parse(payload(Section::Constant)).or_else(|_| Constants::parse(None)).expect("a file needs no constants"),
        debug: Debug::parse(payload(Section::Debug)).or_else(|_| Debug::parse(None)).expect("a file needs no locations"),
    }
}

/// What the header says, if it is of a known version.
fn version(bytes: &[u8]) -> Option<(Version, bool)> {
    let header = bytes.get(MAGIC.len()..)?;
    let [major, minor, tag, ..] = *header else { return None };
    Some((Version::from_numbers(major, minor)?, tag & 1 != 0))
}

/// The fault, if it lies in the bytes that were not told.
fn here<'p>(problem: &'p Option<ReadError>, tracer: &Tracer<'_, '_>) -> Option<&'p ReadError> {
    problem.as_ref().filter(|problem| (tracer.told()..tracer.cursor.offset()).contains(&problem.offset()))
}

fn header(tracer: &mut Tracer<'_, '_>) -> Result<(), ReadError> {
    let problem = envelope::header(&mut { tracer.cursor }).err();
    tracer.enter(GroupKind::Header, format_args!("header"));
    tracer.cursor.take(MAGIC.len())?;
    if let Some(problem) = here(&problem, tracer) {
        return Err(problem.clone());
    }
    tracer.field(format_args!("magic number"), format_args!(""));
    let (major, minor) = (tracer.cursor.byte()?, tracer.cursor.byte()?);
    let unknown = here(&problem, tracer);
    tracer.tell(LeafKind::Field, format_args!("version"), format_args!("{major}.{minor}"), unknown);
    if let Some(problem) = unknown {
        return Err(problem.clone());
    }
    let tag = tracer.cursor.take(2)?;
    let preview = if tag[0] & 1 != 0 { "preview content" } else { "no preview content" };
    let wrong = here(&problem, tracer);
    tracer.tell(LeafKind::Field, format_args!("tag"), format_args!("{preview}"), wrong);
    tracer.leave();
    Ok(())
}

/// Is given the payload of a section, and tells all of it.
type OnPayload<'f, 'a, 'v> = &'f mut dyn FnMut(&mut Tracer<'a, 'v>, Section, Cursor<'a>);

fn sections<'a, 'v>(tracer: &mut Tracer<'a, 'v>, on_payload: OnPayload<'_, 'a, 'v>) -> Result<(), ReadError> {
    loop {
        tracer.cursor = Cursor::new({ tracer.cursor }.take_rest(), tracer.told(), Section::Envelope);
        let problem = envelope::section(&mut { tracer.cursor }).err();
        let id = tracer.cursor.byte()?;
        if id == envelope::END {
            tracer.field(format_args!("end mark"), format_args!(""));
            let at = tracer.cursor.place();
            return if tracer.cursor.is_empty() { Ok(()) } else { Err(at.malformed(format_args!("nothing may follow the end mark"))) };
        }
        let aligned = id & envelope::ALIGNED != 0;
        let id = id & !envelope::ALIGNED;
        match (envelope::section_of(id), problem) {
            (None, Some(problem)) => return Err(problem),
            (None, None) => return Ok(()),
            (Some(section), problem) => {
                tracer.enter(GroupKind::Section(section), format_args!("{section}"));
                let (wrong, aligned_text) = (here(&problem, tracer), if aligned { ", aligned" } else { "" });
                tracer.tell(LeafKind::Field, format_args!("section id"), format_args!("{id}{aligned_text}"), wrong);
                let payload = section_head(tracer, section, aligned, &problem)?;
                on_payload(tracer, section, payload);
                tracer.leave();
            }
        }
    }
}

/// What stands between the id of a section and its payload; gives the payload, which may be cut off.
fn section_head<'a>(
    tracer: &mut Tracer<'a, '_>,
    section: Section,
    aligned: bool,
    problem: &Option<ReadError>,
) -> Result<Cursor<'a>, ReadError> {
    let length = tracer.cursor.varint()?;
    tracer.tell(LeafKind::Field, format_args!("length"), format_args!("{length} bytes"), here(problem, tracer));
    if aligned {
        let alignment = tracer.cursor.varint()?;
        let wrong = here(problem, tracer);
        tracer.tell(LeafKind::Field, format_args!("alignment"), format_args!("{alignment}"), wrong);
        if let Some(problem) = wrong {
            return Err(problem.clone());
        }
        tracer.padding(0, usize::try_from(alignment).unwrap_or(usize::MAX).max(1))?;
    }
    let length = usize::try_from(length).unwrap_or(usize::MAX).min(tracer.cursor.remaining());
    let start = tracer.cursor.offset();
    Ok(Cursor::new(tracer.cursor.take(length)?, start, section))
}

fn contents(tracer: &mut Tracer<'_, '_>, section: Section) -> Result<(), ReadError> {
    match section {
        Section::Function => tracer.functions(),
        Section::Global => tracer.globals(),
        Section::Producer => tracer.string("producer"),
        Section::String => tracer.strings(),
        Section::Type => tracer.types(),
        Section::Constant => tracer.constants(),
        Section::Debug => tracer.debug(),
        Section::Header | Section::Envelope => Ok(()),
    }
}
