//! Operations.

use super::{Parsed, Parser, attributes::Entries, scan::error};
use crate::{
    ir::{More, OpData, Span},
    module::OpName,
    operations::{Kind, OpInfo, PropertyValue, is_ambiguous},
    tables::{AttrId, NameId, TypeId},
    write::{as_property, encode_properties, push_varint},
};
use std::ops::Range;

/// The attributes and the properties of an operation.
type Dictionaries = (Option<AttrId>, Option<u32>);

/// A name of operations.
#[derive(Clone, Copy)]
pub(super) struct Name {
    pub(super) number: u32,
    info: Option<OpInfo>,
}

impl<'s> Parser<'s, '_> {
    /// `%0:2 = "name"(%1) [^bb1] <{properties}> ({...}) {attributes} : (i32) -> (i32, i32) loc(...)`
    pub(super) fn operation(&mut self) -> Parsed<()> {
        let start = self.pos;
        let results = self.result_names()?;
        if self.peek() != b'"' {
            return Err(self.not_generic());
        }
        let place = self.pos..self.pos + 1;
        let text = self.raw_string()?;
        let place = place.start..self.pos;
        self.skip_blanks();
        if text.is_empty() || text.contains('\\') {
            return Err(error("unknown-operation", place, "this is no name of an operation"));
        }
        let name = self.op_name(text);
        let operands = self.operand_names()?;
        let successors = self.successors()?;
        let properties = self.properties()?;
        let is_isolated = name.info.is_some_and(|info| info.is_isolated);
        let regions = self.regions(is_isolated)?;
        let attrs = if self.peek() == b'{' { self.nested(Self::dictionary)? } else { Vec::new() };
        self.expect(":", "and the types of operands and results")?;
        let operands = self.operand_types(operands)?;
        self.expect("->", "and the types of results")?;
        let types = self.result_types()?;
        let location = match self.optional_location()? {
            Some(location) => location,
            None => self.unknown_location(),
        };
        let results = self.define_results(results, &types, start..place.start)?;
        let (attrs, properties) = self.dictionaries(name, attrs, properties)?;
        let mut data = OpData::new(NameId(name.number), location);
        (data.results, data.operands) = (results, operands);
        data.set_attrs(attrs);
        data.set_properties(properties);
        self.ir.set_more(&mut data, More { successors, regions, is_isolated: is_isolated && regions.len > 0 });
        self.push_op(data);
        Ok(())
    }

    #[cold]
    fn not_generic(&self) -> Box<tilewright_text::ParseError> {
        let mut error = self.unexpected("an operation in MLIR's generic form, such as \"func.return\"() : () -> ()");
        if !self.peek_word().is_empty() {
            error.notes.push("what dialects write in forms of their own cannot be read without them: 'mlir-opt --mlir-print-op-generic' prints the generic form".to_owned());
        }
        error
    }

    /// `%0:2, %1 = `: names, how many results each has, and where they stand.
    fn result_names(&mut self) -> Parsed<Vec<(&'s str, u64, Range<usize>)>> {
        let mut names = Vec::new();
        if self.peek() != b'%' {
            return Ok(names);
        }
        loop {
            let (name, place) = self.value_name()?;
            let count = if self.eat(":") { self.number("a number of results")? } else { 1 };
            if count == 0 {
                return Err(error("wrong-count", place, "a name stands for at least one result"));
            }
            names.push((name, count, place));
            if !self.eat(",") {
                break;
            }
        }
        self.expect("=", "and an operation")?;
        Ok(names)
    }

    fn define_results(&mut self, names: Vec<(&'s str, u64, Range<usize>)>, types: &[TypeId], place: Range<usize>) -> Parsed<Span> {
        if names.is_empty() {
            return Ok(self.define_unnamed(types));
        }
        let total = names.iter().fold(0u64, |total, (_, count, _)| total.saturating_add(*count));
        if total != types.len() as u64 {
            return Err(error("wrong-count", place, format!("{total} results are named, but there are types for {}", types.len())));
        }
        let mut rest = types;
        let mut span = Span { start: 0, len: types.len() as u32 };
        for (index, (name, count, place)) in names.into_iter().enumerate() {
            let (these, others) = rest.split_at(count as usize);
            let defined = self.define(name, these, place)?;
            if index == 0 {
                span.start = defined.start;
            }
            rest = others;
        }
        Ok(span)
    }

    /// `(%0, %1#2)`
    fn operand_names(&mut self) -> Parsed<Vec<(&'s str, u32, Range<usize>)>> {
        let mut names = Vec::new();
        self.expect("(", "and operands")?;
        self.list(")", |p| {
            let (name, mut place) = p.value_name()?;
            let mut result = 0;
            if p.eat("#") {
                let number = p.number("the number of a result")?;
                result = u32::try_from(number).map_err(|_| error("undefined-value", place.clone(), "there is no such result"))?;
                place.end = p.token_end;
            }
            names.push((name, result, place));
            Ok(())
        })?;
        Ok(names)
    }

    fn operand_types(&mut self, names: Vec<(&'s str, u32, Range<usize>)>) -> Parsed<Span> {
        let at = self.pos;
        let types = self.types_in_parentheses()?;
        if names.len() != types.len() {
            let message = format!("there are {} operands, but types for {}", names.len(), types.len());
            return Err(error("wrong-count", at..self.token_end, message));
        }
        let start = self.ir.operands.len() as u32;
        for ((name, result, place), ty) in names.into_iter().zip(types) {
            self.use_value(name, result, ty, place)?;
        }
        Ok(Span { start, len: self.ir.operands.len() as u32 - start })
    }

    fn successors(&mut self) -> Parsed<Span> {
        let start = self.ir.successors.len() as u32;
        if self.eat("[") {
            self.list("]", Self::successor)?;
        }
        Ok(Span { start, len: self.ir.successors.len() as u32 - start })
    }

    /// `<{...}>`
    fn properties(&mut self) -> Parsed<Option<Entries>> {
        let start = self.pos;
        if !self.eat("<") {
            return Ok(None);
        }
        let entries = self.nested(Self::dictionary)?;
        self.expect(">", "behind the properties")?;
        if entries.iter().any(|(name, _)| name == b"opaque_properties") {
            let mut error =
                error("unknown-attribute", start..self.token_end, "these properties were printed of an encoding that is not known");
            error.notes.push("they refer to tables of the file that they come from: convert that file instead of its text".to_owned());
            return Err(error);
        }
        Ok(Some(entries))
    }

    /// `({...}, {...})`
    fn regions(&mut self, is_isolated: bool) -> Parsed<Span> {
        let mut regions = Vec::new();
        if self.eat("(") {
            self.list(")", |p| {
                regions.push(p.region(is_isolated)?);
                Ok(())
            })?;
        }
        let start = self.ir.all_regions.len() as u32;
        self.ir.all_regions.extend(&regions);
        Ok(Span { start, len: regions.len() as u32 })
    }

    pub(super) fn op_name(&mut self, text: &'s str) -> Name {
        if let Some(&name) = self.names.get(text) {
            return name;
        }
        let info = OpInfo::in_version(text, self.tile_ir);
        let name = Name { number: self.push_op_name(text, info.is_some()), info };
        self.names.insert(text, name);
        name
    }

    fn push_op_name(&mut self, text: &str, is_registered: bool) -> u32 {
        let (dialect, rest) = text.split_once('.').unwrap_or((text, ""));
        let dialect = self.builder.dialect(dialect.as_bytes());
        let name = self.builder.string(rest.as_bytes());
        self.op_names.push(OpName { dialect, name, is_registered: Some(is_registered) });
        self.op_names.len() as u32 - 1
    }

    fn attrs(&mut self, attrs: &[(Vec<u8>, AttrId)]) -> Option<AttrId> {
        if attrs.is_empty() { None } else { Some(self.builder.dictionary(attrs)) }
    }

    /// Attributes and properties of an operation. Text without `<{...}>`, as older printers write it, has both in one; and where the
    /// properties are not those of the table, all are attributes, from among which MLIR takes those that it knows.
    pub(super) fn dictionaries(&mut self, name: Name, attrs: Entries, properties: Option<Entries>) -> Parsed<Dictionaries> {
        let Some(info) = name.info else {
            let properties = properties.filter(|entries| !entries.is_empty()).map(|entries| {
                let dictionary = self.builder.dictionary(&entries);
                let mut encoded = Vec::new();
                push_varint(&mut encoded, u64::from(dictionary.0));
                self.properties.number(encoded)
            });
            return Ok((self.attrs(&attrs), properties));
        };
        let (info, is_certain) = form_of(info, properties.as_ref());
        let (mut others, given) = if let Some(properties) = properties { (attrs, properties) } else { (Vec::new(), attrs) };
        let (known, unknown): (Entries, Entries) = given.into_iter().partition(|(name, _)| info.property_named(name).is_some());
        others.extend(unknown);
        let value = |(name, attr): &(Vec<u8>, AttrId)| {
            let property = info.property_named(name)?;
            Some((property.as_bytes().to_vec(), as_property(self.builder.tables, info, property, *attr)))
        };
        let values: Vec<(Vec<u8>, PropertyValue)> = known.iter().filter_map(value).collect();
        let mut encoded = Vec::new();
        // Every version of MLIR finds properties among attributes, and takes no encoding but its own.
        let has_properties = is_certain && info.properties().next().is_some();
        let version = crate::module::Version::LATEST;
        let is_encoded = has_properties
            && encode_properties(&mut self.builder, info, &values, version, &mut encoded).is_ok()
            && !is_ambiguous(info, &encoded, version, self.builder.tables);
        if !is_encoded {
            others.extend(known);
        }
        others.sort();
        if let Some(pair) = others.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let name = String::from_utf8_lossy(&pair[0].0);
            return Err(error("redefinition", self.pos..self.pos, format!("'{name}' is both an attribute and a property")));
        }
        Ok((self.attrs(&others), is_encoded.then(|| self.properties.number(encoded))))
    }
}

/// The form of an operation's properties that has all that are given, the one that is written first where none has; and whether it is
/// written: the text tells it from the newer ones, or it has numbers, for which MLIR takes no attributes.
fn form_of(info: OpInfo, properties: Option<&Entries>) -> (OpInfo, bool) {
    // Those of Tile IR depend on its version, which is given.
    if info.name.starts_with("cuda_tile.") {
        return (info, true);
    }
    let has_all = |info: &OpInfo| properties.is_none_or(|given| given.iter().all(|(name, _)| info.property_named(name).is_some()));
    let mut forms = OpInfo::all_current(info.name).filter(has_all);
    let form = forms.next().unwrap_or(info);
    let has_numbers = || form.properties().any(|(_, kind)| matches!(kind, Kind::Bool | Kind::OptionalInt | Kind::Int(_)));
    (form, form.is_newer || forms.next().is_none() || has_numbers())
}
