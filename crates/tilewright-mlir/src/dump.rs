//! What every byte of a file means.

use crate::{
    cursor::Cursor,
    encoding::{Field, Value, decode},
    error::{Error, Section},
    module::{Module, Version},
    read::{Envelope, op_mask as mask, read_tables, section},
    tables::{AttrId, Form, NameId, StrId, Table},
};

/// Some bytes of a file and what they mean.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item<'a> {
    /// Where they are.
    pub offset: usize,
    /// The bytes.
    pub bytes: &'a [u8],
    /// How deep they are in regions.
    pub depth: usize,
    /// What they mean.
    pub meaning: String,
}

/// Hands every byte of a file to `visit`, in order and each once, with what it means.
///
/// What cannot be decoded is handed over as such, up to the end of its section.
///
/// # Errors
/// When the file cannot be read, with what is wrong with it; its bytes were handed over nevertheless.
pub fn dump<'a>(bytes: &'a [u8], visit: &mut dyn FnMut(Item<'a>)) -> Result<(), Error> {
    let verdict = crate::read::read(bytes).map(drop);
    let mut dumper = Dumper { file: bytes, done: 0, depth: 0, visit };
    match (Envelope::read(bytes), read_tables(bytes)) {
        (Ok(envelope), Ok(module)) => dumper.file(&envelope, Some(&module)),
        (Ok(envelope), Err(_)) => dumper.file(&envelope, None),
        (Err(_), _) => {}
    }
    dumper.up_to(bytes.len(), "undecoded");
    verdict
}

struct Dumper<'a, 'v> {
    file: &'a [u8],
    /// Up to where the file was handed over.
    done: usize,
    depth: usize,
    visit: &'v mut dyn FnMut(Item<'a>),
}

/// What is left to read of operations.
enum Task {
    Ops(u64),
    Blocks(u64),
    Regions(u64),
    Leave,
}

impl<'a> Dumper<'a, '_> {
    /// Hands over the bytes up to a place.
    fn up_to(&mut self, end: usize, meaning: impl Into<String>) {
        if end > self.done {
            let (offset, depth) = (self.done, self.depth);
            (self.visit)(Item { offset, bytes: &self.file[offset..end], depth, meaning: meaning.into() });
            self.done = end;
        }
    }

    fn number(&mut self, cursor: &mut Cursor<'a>, what: &str) -> Result<u64, Error> {
        let value = cursor.varint()?;
        self.up_to(cursor.offset(), format!("{what}: {value}"));
        Ok(value)
    }

    /// A number with a flag.
    fn flagged(&mut self, cursor: &mut Cursor<'a>, what: &str, flag: &str) -> Result<(u64, bool), Error> {
        let (value, is_set) = cursor.flagged_varint()?;
        self.up_to(cursor.offset(), format!("{what}: {value}{}{}", if is_set { ", " } else { "" }, if is_set { flag } else { "" }));
        Ok((value, is_set))
    }

    fn file(&mut self, envelope: &Envelope<'a>, module: Option<&Module<'a>>) {
        self.up_to(crate::read::MAGIC.len(), "magic number");
        let producer = crate::read::MAGIC.len() + 1;
        self.up_to(producer, format!("version {}", envelope.version));
        self.up_to(producer + envelope.producer.len() + 1, format!("producer: {}", quoted(envelope.producer)));
        for (section, content) in &envelope.sections {
            let end = content.offset() + content.remaining();
            self.up_to(content.offset(), format!("{section}, {} bytes", content.remaining()));
            self.depth = 1;
            let mut cursor = content.clone();
            // What is wrong is said by whoever reads the file.
            let _ = self.section(*section, &mut cursor, module, envelope.version);
            self.depth = 1;
            self.up_to(end, "undecoded");
            self.depth = 0;
        }
    }

    fn section(&mut self, section: Section, cursor: &mut Cursor<'a>, module: Option<&Module<'a>>, version: Version) -> Result<(), Error> {
        match (section, module) {
            (Section::String, _) => self.strings(cursor),
            (Section::Properties, _) => self.properties(cursor),
            (Section::Dialect, Some(module)) => self.dialects(cursor, module, version),
            (Section::AttrTypeOffset, Some(module)) => self.lengths(cursor, module),
            (Section::AttrType, Some(module)) => self.entries(cursor, module),
            (Section::ResourceOffset, Some(module)) => self.resources(cursor, module),
            (Section::Ir, Some(module)) => self.operations(cursor, module, version),
            _ => Ok(()),
        }
    }

    fn strings(&mut self, cursor: &mut Cursor<'a>) -> Result<(), Error> {
        let count = self.number(cursor, "strings")?;
        let mut lengths = Vec::new();
        for index in (0..count).rev() {
            lengths.push(self.number(cursor, &format!("length of string {index}"))?);
        }
        for (index, &length) in lengths.iter().rev().enumerate() {
            let text = cursor.bytes(length)?;
            self.up_to(cursor.offset(), format!("string {index}: {}", quoted(text.strip_suffix(b"\0").unwrap_or(text))));
        }
        Ok(())
    }

    fn properties(&mut self, cursor: &mut Cursor<'a>) -> Result<(), Error> {
        let count = self.number(cursor, "properties")?;
        for index in 0..count {
            let length = self.number(cursor, "length")?;
            cursor.bytes(length)?;
            self.up_to(cursor.offset(), format!("properties {index}"));
        }
        Ok(())
    }

    fn dialects(&mut self, cursor: &mut Cursor<'a>, module: &Module<'a>, version: Version) -> Result<(), Error> {
        let string =
            |id: u64| quoted(if id < module.tables.strings.len() as u64 { module.tables.strings.get(StrId(id as u32)) } else { b"?" });
        let count = self.number(cursor, "dialects")?;
        for index in 0..count {
            let (name, has_version) = if version.has_dialect_versions() { cursor.flagged_varint()? } else { (cursor.varint()?, false) };
            self.up_to(cursor.offset(), format!("dialect {index}: {}", string(name)));
            if has_version {
                let (_, content) = section(cursor)?;
                self.up_to(content.offset(), "version of the dialect");
                self.up_to(cursor.offset(), "version");
            }
        }
        if version.elides_locations() {
            self.number(cursor, "names of operations")?;
        }
        let mut number = 0;
        while !cursor.is_empty() {
            self.number(cursor, "dialect")?;
            let count = self.number(cursor, "names")?;
            for _ in 0..count {
                let (name, flag) = if version.has_properties() { cursor.flagged_varint()? } else { (cursor.varint()?, false) };
                self.up_to(cursor.offset(), format!("operation {number}: {}{}", string(name), if flag { ", registered" } else { "" }));
                number += 1;
            }
        }
        Ok(())
    }

    fn lengths(&mut self, cursor: &mut Cursor<'a>, module: &Module<'a>) -> Result<(), Error> {
        self.number(cursor, "attributes")?;
        self.number(cursor, "types")?;
        for (table, what) in [(&module.tables.attrs, "attribute"), (&module.tables.types, "type")] {
            let mut number = 0;
            while number < table.len() as u64 {
                self.number(cursor, "dialect")?;
                let count = self.number(cursor, "entries")?;
                for _ in 0..count {
                    self.flagged(cursor, &format!("length of {what} {number}"), "encoded")?;
                    number += 1;
                }
            }
        }
        Ok(())
    }

    fn entries(&mut self, cursor: &mut Cursor<'a>, module: &Module<'a>) -> Result<(), Error> {
        for (table, what) in [(&module.tables.attrs, "attribute"), (&module.tables.types, "type")] {
            for index in 0..table.len() as u32 {
                let mut entry = cursor.part(table.entry(index).len as u64, Section::AttrType)?;
                let end = entry.offset() + entry.remaining();
                self.depth = 1;
                self.entry(&mut entry, module, table, index, what)?;
                self.up_to(end, "undecoded");
            }
        }
        Ok(())
    }

    fn entry(&mut self, cursor: &mut Cursor<'a>, module: &Module<'a>, table: &Table<'a>, index: u32, what: &str) -> Result<(), Error> {
        let entry = table.entry(index);
        let dialect = String::from_utf8_lossy(module.tables.dialect_name(entry.dialect)).into_owned();
        let end = cursor.offset() + cursor.remaining();
        match entry.form {
            Form::Text => self.up_to(end, format!("{what} {index}: {}", quoted(module.tables.text(table, index).unwrap_or_default()))),
            Form::Opaque => self.up_to(end, format!("{what} {index}: an encoding of {dialect} that is not known")),
            Form::Known(encoding) => {
                cursor.varint()?;
                self.up_to(cursor.offset(), format!("{what} {index}: {dialect} {}", encoding.name));
                self.depth = 2;
                let mut fields = Vec::new();
                for &(name, field) in encoding.fields {
                    let value = decode(cursor, field, &fields, &module.tables)?;
                    self.up_to(cursor.offset(), field_meaning(name, field, &value));
                    fields.push(value);
                }
            }
        }
        Ok(())
    }

    fn resources(&mut self, cursor: &mut Cursor<'a>, module: &Module<'a>) -> Result<(), Error> {
        let external = self.number(cursor, "groups of external resources")?;
        let mut group = 0;
        while group < external || !cursor.is_empty() {
            self.number(cursor, if group < external { "provider, a string" } else { "dialect" })?;
            let count = self.number(cursor, "resources")?;
            for _ in 0..count {
                let key = cursor.index(module.tables.strings.len(), "string")?;
                self.up_to(cursor.offset(), format!("resource {}", quoted(module.tables.strings.get(StrId(key)))));
                self.number(cursor, "length")?;
                let kind = cursor.byte()?;
                self.up_to(cursor.offset(), format!("kind: {}", ["blob", "bool", "string"].get(usize::from(kind)).unwrap_or(&"unknown")));
            }
            group += 1;
        }
        Ok(())
    }

    fn operations(&mut self, cursor: &mut Cursor<'a>, module: &Module<'a>, version: Version) -> Result<(), Error> {
        let (count, _) = self.flagged(cursor, "operations", "arguments")?;
        let mut tasks = vec![Task::Ops(count)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Leave => self.depth -= 1,
                Task::Ops(0) | Task::Blocks(0) | Task::Regions(0) => {}
                Task::Ops(count) => {
                    tasks.push(Task::Ops(count - 1));
                    self.operation(cursor, module, version, &mut tasks)?;
                }
                Task::Regions(count) => {
                    tasks.push(Task::Regions(count - 1));
                    let blocks = self.number(cursor, "blocks of a region")?;
                    if blocks > 0 {
                        self.number(cursor, "values")?;
                        tasks.push(Task::Blocks(blocks));
                    }
                }
                Task::Blocks(count) => {
                    tasks.push(Task::Blocks(count - 1));
                    self.block(cursor, version, &mut tasks)?;
                }
            }
        }
        Ok(())
    }

    fn block(&mut self, cursor: &mut Cursor<'a>, version: Version, tasks: &mut Vec<Task>) -> Result<(), Error> {
        let (ops, has_args) = self.flagged(cursor, "block with operations", "and arguments")?;
        tasks.push(Task::Ops(ops));
        if !has_args {
            return Ok(());
        }
        let args = self.number(cursor, "arguments")?;
        for _ in 0..args {
            let has_location = match version.elides_locations() {
                true => self.flagged(cursor, "type of an argument", "with a location")?.1,
                false => self.number(cursor, "type of an argument").map(|_| true)?,
            };
            if has_location {
                self.number(cursor, "location, attribute")?;
            }
        }
        if version.has_use_orders() {
            let parts = cursor.byte()?;
            self.up_to(cursor.offset(), "parts of the arguments");
            if parts & mask::USE_ORDERS != 0 {
                self.use_orders(cursor, args)?;
            }
        }
        Ok(())
    }

    fn operation(&mut self, cursor: &mut Cursor<'a>, module: &Module<'a>, version: Version, tasks: &mut Vec<Task>) -> Result<(), Error> {
        let name = cursor.index(module.op_names.len(), "name of an operation")?;
        let mut text = Vec::new();
        module.push_op_name(NameId(name), &mut text);
        self.up_to(cursor.offset(), format!("operation {}", quoted(&text)));
        self.depth += 1;
        let parts = cursor.byte()?;
        self.up_to(cursor.offset(), format!("parts: {parts:#04x}"));
        self.number(cursor, "location, attribute")?;
        if parts & mask::ATTRS != 0 {
            self.number(cursor, "attributes, attribute")?;
        }
        if parts & mask::PROPERTIES != 0 {
            self.number(cursor, "properties")?;
        }
        let mut results = 0;
        for (part, what, each) in [
            (mask::RESULTS, "results", "type of a result"),
            (mask::OPERANDS, "operands", "value"),
            (mask::SUCCESSORS, "successors", "block"),
        ] {
            if parts & part != 0 {
                let count = self.number(cursor, what)?;
                for _ in 0..count {
                    self.number(cursor, each)?;
                }
                results = if part == mask::RESULTS { count } else { results };
            }
        }
        if parts & mask::USE_ORDERS != 0 {
            self.use_orders(cursor, results)?;
        }
        tasks.push(Task::Leave);
        if parts & mask::REGIONS != 0 {
            let (regions, is_isolated) = self.flagged(cursor, "regions", "isolated from above")?;
            if is_isolated && version.has_lazy_regions() {
                // Its content is decoded in line.
                let (_, content) = section(&mut cursor.clone())?;
                cursor.bytes((content.offset() - cursor.offset()) as u64)?;
                self.up_to(content.offset(), format!("section of {} bytes", content.remaining()));
            }
            tasks.push(Task::Regions(regions));
        }
        Ok(())
    }

    fn use_orders(&mut self, cursor: &mut Cursor<'a>, num_values: u64) -> Result<(), Error> {
        let orders = if num_values == 1 { 1 } else { self.number(cursor, "orders of uses")? };
        for _ in 0..orders {
            if num_values != 1 {
                self.number(cursor, "value")?;
            }
            let (uses, _) = self.flagged(cursor, "uses", "as pairs")?;
            for _ in 0..uses {
                self.number(cursor, "use")?;
            }
        }
        Ok(())
    }
}

/// What a field of an encoding says.
fn field_meaning(name: &str, field: Field, value: &Value<'_>) -> String {
    let list = |kind: &str, items: Vec<String>| format!("{name}: {kind}[{}]", items.join(", "));
    match value {
        Value::Attr(id) => format!("{name}: attribute {}", id.0),
        Value::OptionalAttr(None) => format!("{name}: none"),
        Value::OptionalAttr(Some(id)) => format!("{name}: attribute {}", id.0),
        Value::Type(id) => format!("{name}: type {}", id.0),
        Value::String(id) => format!("{name}: string {}", id.0),
        Value::Number(value) => format!("{name}: {value}"),
        Value::Text(text) => format!("{name}: {text}"),
        Value::OptionalNumber(None) => format!("{name}: none"),
        Value::OptionalNumber(Some(value)) => format!("{name}: {value}"),
        Value::Signed(value) => format!("{name}: {value}"),
        Value::Resource(number) => format!("{name}: resource {number}"),
        Value::Bytes(bytes) => format!("{name}: {} bytes", bytes.len()),
        Value::Bits(words) => format!("{name}: {:#x}", words.first().copied().unwrap_or_default()),
        Value::Doubles(values) => list("", values.iter().map(f64::to_string).collect()),
        Value::SignedNumbers(items) => list("", items.clone().signed().map(|item| item.to_string()).collect()),
        Value::OptionalAttrs(items) => {
            let shown = |id: Option<AttrId>| id.map_or("none".to_owned(), |id| id.0.to_string());
            list("attributes ", items.clone().optional_attrs().map(shown).collect())
        }
        Value::Types(items) => list("types ", items.clone().map(|item| item.to_string()).collect()),
        Value::Strings(items) => list("strings ", items.clone().map(|item| item.to_string()).collect()),
        Value::Numbers(items) => list("", items.clone().map(|item| item.to_string()).collect()),
        Value::Attrs(items) | Value::NamedAttrs(items) => {
            let kind = if field == Field::NamedAttrs { "names and values, attributes " } else { "attributes " };
            list(kind, items.clone().map(|item| item.to_string()).collect())
        }
    }
}

fn quoted(bytes: &[u8]) -> String {
    format!("{:?}", String::from_utf8_lossy(bytes))
}
