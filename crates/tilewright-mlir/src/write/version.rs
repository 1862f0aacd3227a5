//! From version to version.
//!
//! Versions before 5 hold properties among the attributes, and 5 holds sizes of groups as an attribute. Versions before 4 give every
//! block argument a location. What else is new in a version is left out by the writer.

use super::WriteError;
use crate::{
    build::Builder,
    encoding::{Value, code},
    module::{Module, Version},
    operations::{Decoder, Kind, OpInfo, Properties, PropertyValue, is_ambiguous, overflow_attribute, overflow_flags},
    tables::{AttrId, NameId, Tables},
    write::push_varint,
};
use foldhash::HashMap;
use std::borrow::Cow;

pub(super) fn convert<'a>(module: &Module<'a>, version: Version) -> Result<Module<'a>, WriteError> {
    let mut converted = module.clone();
    converted.version = version;
    converted.sections = sections(module, version);
    let mut builder = Builder::new(&mut converted.tables);
    if !version.elides_locations() && module.ir.arg_locations.contains(&None) {
        let unknown = builder.attr(code::UNKNOWN_LOC, |_| ());
        converted.ir.arg_locations.iter_mut().for_each(|location| *location = location.or(Some(unknown)));
    }
    if version.elides_locations() {
        let is_unknown = |id: &AttrId| module.tables.attrs.len() > id.index() && module.tables.builtin_attr(*id) == Some(code::UNKNOWN_LOC);
        converted.ir.arg_locations.iter_mut().for_each(|location| *location = location.filter(|id| !is_unknown(id)));
    }
    if module.version.has_properties() == version.has_properties() && module.version.has_short_segments() == version.has_short_segments() {
        return Ok(converted);
    }
    let decoders: Vec<Decoder> = (0..module.op_names.len() as u32).map(|id| Decoder::new(module, NameId(id))).collect();
    let mut properties = PropertyTable::default();
    // Operations of one name often have the same.
    let mut known: HashMap<(NameId, Dictionaries), Dictionaries> = HashMap::default();
    for op in &mut converted.ir.ops {
        let key = (op.name, (op.attrs(), op.properties()));
        if let Some(&(attrs, properties)) = known.get(&key) {
            op.set_attrs(attrs);
            op.set_properties(properties);
            continue;
        }
        let decoder = &decoders[op.name.index()];
        let split = Split::of(module, decoder, op.attrs(), op.properties()).ok_or_else(|| unknown_properties(module, op.name))?;
        let is_registered = module.op_names[op.name.index()].is_registered.unwrap_or(decoder.info().is_some());
        let names = split.properties.iter().map(|(name, _)| &name[..]);
        let read = op.properties().and_then(|properties| decoder.form_of(module, properties));
        let info = read.or_else(|| decoder.form_with(names)).filter(|_| is_registered);
        let written = split.write(&mut builder, &mut properties, version, info, decoder.knows_version);
        let (attrs, properties) = written.map_err(|what| refused(module, op.name, version, &what))?;
        op.set_attrs(attrs);
        op.set_properties(properties);
        known.insert(key, (attrs, properties));
    }
    for (name, decoder) in converted.op_names.iter_mut().zip(&decoders) {
        name.is_registered = version.has_properties().then(|| name.is_registered.unwrap_or(decoder.info().is_some()));
    }
    converted.properties = properties.finish();
    Ok(converted)
}

/// The numbers of attributes and of properties.
type Dictionaries = (Option<AttrId>, Option<u32>);

/// The sections of a file of a version: with properties since version 5.
fn sections(module: &Module<'_>, version: Version) -> Vec<crate::error::Section> {
    use crate::error::Section;
    let mut sections = module.sections.clone();
    sections.retain(|&section| section != Section::Properties);
    if version.has_properties() {
        sections.push(Section::Properties);
    }
    sections
}

fn name_of(module: &Module<'_>, name: NameId) -> String {
    let mut text = Vec::new();
    module.push_op_name(name, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

fn unknown_properties(module: &Module<'_>, name: NameId) -> WriteError {
    let name = name_of(module, name);
    WriteError(format!(
        "'{name}' has properties in an encoding that is not known here, so that the module can only be written at its own version, {}",
        module.version
    ))
}

fn refused(module: &Module<'_>, name: NameId, version: Version, what: &str) -> WriteError {
    WriteError(format!("'{}' cannot be written at version {version}: {what}", name_of(module, name)))
}

/// The attributes of an operation, told apart from its properties.
struct Split {
    attrs: Vec<(Vec<u8>, AttrId)>,
    properties: Vec<(Vec<u8>, PropertyValue)>,
    /// The properties of an operation that nobody knew.
    dictionary: Option<AttrId>,
}

impl Split {
    fn of(module: &Module<'_>, decoder: &Decoder, attrs: Option<AttrId>, properties: Option<u32>) -> Option<Split> {
        let mut split =
            Split { attrs: attrs.map_or(Vec::new(), |id| entries(&module.tables, id)), properties: Vec::new(), dictionary: None };
        match properties.map(|properties| decoder.decode(module, properties)) {
            Some(Properties::Named(values)) => {
                split.properties = values.into_iter().map(|(name, value)| (name.as_bytes().to_vec(), value)).collect();
            }
            Some(Properties::Dictionary(attr)) => split.dictionary = Some(attr),
            Some(Properties::Unknown) => return None,
            None => {}
        }
        if let (None, Some(info)) = (properties, decoder.info()) {
            let attrs = std::mem::take(&mut split.attrs);
            for (name, value) in attrs {
                match info.property_named(&name) {
                    Some(property) => {
                        split.properties.push((property.as_bytes().to_vec(), as_property(&module.tables, info, property, value)))
                    }
                    None => split.attrs.push((name, value)),
                }
            }
        }
        Some(split)
    }

    fn keep_as_attributes(&mut self, builder: &mut Builder<'_, '_>) -> Result<(), String> {
        if let Some(dictionary) = self.dictionary {
            self.attrs.extend(entries(builder.tables, dictionary));
        }
        for (name, value) in std::mem::take(&mut self.properties) {
            match value {
                PropertyValue::Attr(attr) => self.attrs.push((name, attr)),
                PropertyValue::Segments(sizes) => self.attrs.push((name, builder.i32_array(&sizes))),
                // These have no attribute that MLIR would take for them.
                PropertyValue::Bool(false) | PropertyValue::OptionalInt(None) | PropertyValue::Int(0, _) | PropertyValue::Overflow(0) => {}
                PropertyValue::Overflow(flags) => self.attrs.push((name, builder.text_attr(b"llvm", &overflow_attribute(flags)))),
                _ => {
                    let name = String::from_utf8_lossy(&name);
                    return Err(format!("the value of its property '{name}' needs version 5"));
                }
            }
        }
        Ok(())
    }

    fn write(
        mut self,
        builder: &mut Builder<'_, '_>,
        table: &mut PropertyTable,
        version: Version,
        info: Option<OpInfo>,
        knows_form: bool,
    ) -> Result<Dictionaries, String> {
        let mut encoded = Vec::new();
        let mut is_encoded = false;
        if let (true, Some(info)) = (version.has_properties() && self.dictionary.is_none(), info) {
            let has_properties = info.properties().next().is_some();
            is_encoded = has_properties
                && encode(builder, info, &self.properties, version, &mut encoded).is_ok()
                && (knows_form || !is_ambiguous(info, &encoded, version, builder.tables));
        }
        if let (true, Some(dictionary)) = (version.has_properties(), self.dictionary) {
            push_varint(&mut encoded, u64::from(dictionary.0));
            is_encoded = true;
        }
        if !is_encoded {
            // Of an older version, or of another version of the dialect: MLIR takes properties from among the attributes too.
            self.keep_as_attributes(builder)?;
        }
        self.attrs.sort();
        if let Some(pair) = self.attrs.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(format!("'{}' is both an attribute and a property", String::from_utf8_lossy(&pair[0].0)));
        }
        let attrs = if self.attrs.is_empty() { None } else { Some(builder.dictionary(&self.attrs)) };
        let properties = is_encoded.then(|| table.number(encoded));
        Ok((attrs, properties))
    }
}

/// Properties in their encoding, each once.
#[derive(Default)]
pub(crate) struct PropertyTable {
    table: Vec<Vec<u8>>,
    numbers: HashMap<Vec<u8>, u32>,
}

impl PropertyTable {
    pub(crate) fn number(&mut self, encoded: Vec<u8>) -> u32 {
        let table = &mut self.table;
        *self.numbers.entry(encoded).or_insert_with_key(|encoded| {
            table.push(encoded.clone());
            table.len() as u32 - 1
        })
    }

    pub(crate) fn finish(self) -> Vec<Cow<'static, [u8]>> {
        self.table.into_iter().map(Cow::Owned).collect()
    }
}

fn entries(tables: &Tables<'_>, dictionary: AttrId) -> Vec<(Vec<u8>, AttrId)> {
    let mut entries = Vec::new();
    if let (Some(code::DICTIONARY), Some(Value::NamedAttrs(list))) = (tables.builtin_attr(dictionary), tables.attr_fields(dictionary).pop())
    {
        let attrs: Vec<AttrId> = list.attrs().collect();
        entries.extend(attrs.chunks_exact(2).filter_map(|pair| Some((tables.string_attr(pair[0])?.to_vec(), pair[1]))));
    }
    entries
}

/// The property that an attribute stands for.
pub(crate) fn as_property(tables: &Tables<'_>, info: OpInfo, name: &str, attr: AttrId) -> PropertyValue {
    let kind = info.properties().find(|&(other, kind)| other == name && kind != Kind::SegmentsAttr).map(|(_, kind)| kind);
    let fields = tables.attr_fields(attr);
    match (kind, tables.builtin_attr(attr), &fields[..]) {
        (Some(Kind::Segments(_)), Some(code::DENSE_ARRAY), [_, _, Value::Bytes(data)]) => {
            let sizes = data.chunks_exact(4).map(|bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
            PropertyValue::Segments(sizes.collect())
        }
        (Some(Kind::Bool), Some(code::UNIT), _) => PropertyValue::Bool(true),
        (Some(Kind::Bool), Some(code::INTEGER), [_, Value::Bits(words)]) => {
            PropertyValue::Bool(words.first().is_some_and(|&word| word != 0))
        }
        (Some(Kind::Int(width)), Some(code::INTEGER), [_, Value::Bits(words)]) => {
            PropertyValue::Int(words.first().copied().unwrap_or_default(), width)
        }
        (Some(Kind::OptionalInt), Some(code::ARRAY), [Value::Attrs(list)]) => {
            let value = list.clone().attrs().next().and_then(|element| match &tables.attr_fields(element)[..] {
                [_, Value::Bits(words)] => words.first().copied(),
                _ => None,
            });
            PropertyValue::OptionalInt(value)
        }
        (Some(kind @ (Kind::Int(_) | Kind::Overflow)), None, _) => match tables.text(&tables.attrs, attr.0).and_then(overflow_flags) {
            Some(flags) if kind == Kind::Overflow => PropertyValue::Overflow(flags),
            Some(flags) => PropertyValue::Int(flags, 32),
            None => PropertyValue::Attr(attr),
        },
        _ => PropertyValue::Attr(attr),
    }
}

/// Encodes properties in the order of the table.
pub(crate) fn encode(
    builder: &mut Builder<'_, '_>,
    info: OpInfo,
    values: &[(Vec<u8>, PropertyValue)],
    version: Version,
    out: &mut Vec<u8>,
) -> Result<(), String> {
    for (name, kind) in info.properties() {
        let value = values.iter().find(|(other, _)| other == name.as_bytes()).map(|(_, value)| value);
        match (kind, value) {
            (Kind::SegmentsAttr, _) if version.has_short_segments() => {}
            (Kind::Segments(_), _) if !version.has_short_segments() => {}
            (Kind::Attr, Some(PropertyValue::Attr(attr))) | (Kind::SegmentsAttr, Some(PropertyValue::Attr(attr))) => {
                push_varint(out, u64::from(attr.0));
            }
            (Kind::SegmentsAttr, Some(PropertyValue::Segments(sizes))) => {
                let attr = builder.i32_array(sizes);
                push_varint(out, u64::from(attr.0));
            }
            (Kind::OptionalAttr | Kind::OptionalUnit, Some(PropertyValue::Attr(attr))) => push_varint(out, u64::from(attr.0) << 1 | 1),
            (Kind::OptionalAttr | Kind::OptionalUnit, None) => push_varint(out, 0),
            (Kind::Segments(count), Some(PropertyValue::Segments(sizes))) if sizes.len() == count => push_segments(sizes, out),
            (Kind::Segments(count), Some(PropertyValue::Attr(attr))) => match as_property(builder.tables, info, name, *attr) {
                PropertyValue::Segments(sizes) if sizes.len() == count => push_segments(&sizes, out),
                _ => return Err(format!("its '{name}' is no array of {count} integers of 32 bits")),
            },
            (Kind::Segments(count), None) => push_segments(&vec![0; count], out),
            (Kind::Bool, Some(PropertyValue::Bool(value))) => out.push(u8::from(*value)),
            (Kind::OptionalInt, Some(PropertyValue::OptionalInt(Some(value)))) => {
                out.push(1);
                push_varint(out, *value);
            }
            (Kind::Bool, None) | (Kind::OptionalInt, None | Some(PropertyValue::OptionalInt(None))) => out.push(0),
            (Kind::Int(_), Some(PropertyValue::Int(value, _))) | (Kind::Overflow, Some(PropertyValue::Overflow(value))) => {
                push_varint(out, *value)
            }
            (Kind::Int(_) | Kind::Overflow, None) => push_varint(out, 0),
            (_, None) => return Err(format!("it lacks the attribute '{name}'")),
            (_, Some(_)) => return Err(format!("its attribute '{name}' is not of the expected kind")),
        }
    }
    Ok(())
}

/// Appends sizes of groups: all of them, or, if at most half are not zero, these with their places.
fn push_segments(sizes: &[u32], out: &mut Vec<u8>) {
    const MAX_PLACE: usize = 256;
    let given = sizes.iter().filter(|&&size| size != 0).count();
    let last = sizes.iter().rposition(|&size| size != 0).unwrap_or(0);
    if last > MAX_PLACE || given > sizes.len() / 2 {
        push_varint(out, (sizes.len() as u64) << 1);
        return sizes.iter().for_each(|&size| push_varint(out, u64::from(size)));
    }
    push_varint(out, (given as u64) << 1 | 1);
    if given == 0 {
        return;
    }
    let place_bits = usize::BITS - last.leading_zeros();
    push_varint(out, u64::from(place_bits));
    for (place, &size) in sizes.iter().enumerate().filter(|&(_, &size)| size != 0) {
        push_varint(out, u64::from(size) << place_bits | place as u64);
    }
}
