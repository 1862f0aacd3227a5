//! Operations and the heads of blocks.

use super::{
    Printer,
    attributes::Elision,
    dictionaries::Labels,
    endings::EndingKey,
    names, sorted_attributes,
    steps::Jump,
    strings::{push_block, push_hex_string, push_list, push_spaces},
};
use crate::{
    encoding::code,
    ir::{Block, OpData, Span, Value},
    operations::{Decoder, Kind, OpInfo, Properties, PropertyValue, overflow_attribute},
};
use smallvec::{SmallVec, smallvec};

impl Printer<'_, '_> {
    /// The rest of the line of an operation without regions. `key` is that of what stands behind the operands, if others may have it.
    pub(super) fn line_behind_operands(&self, data: &OpData, is_common: bool, key: Option<&EndingKey>, out: &mut Vec<u8>) {
        let start = out.len();
        self.behind_operands(data, is_common, out);
        self.tail(data, is_common, out);
        let is_whole = !self.shared.debug_info;
        if is_whole {
            out.push(b'\n');
        }
        if let Some(key) = key {
            self.endings.offer(key, &out[start..]);
        }
        if !is_whole {
            self.end(data, out);
        }
    }

    /// What stands behind an operation in its line.
    pub(super) fn end(&self, data: &OpData, out: &mut Vec<u8>) {
        if self.shared.debug_info {
            out.push(b' ');
            self.push_location(out, data.location);
        }
        out.push(b'\n');
    }

    /// Spaces, results, name and operands, whatever their length.
    pub(super) fn long_names(&self, data: &OpData, indent: u32, out: &mut Vec<u8>) {
        push_spaces(out, indent as usize);
        let ir = &self.module.ir;
        if data.results.len > 0 {
            self.shared.names.push(out, Value(data.results.start), false);
            if data.results.len > 1 {
                out.push(b':');
                names::push_number(out, u64::from(data.results.len));
            }
            out.extend(b" = ");
        }
        self.shared.op_names.push(out, 2 * data.name.index());
        for (index, &value) in ir.operands(data).iter().enumerate() {
            if index > 0 {
                out.extend(b", ");
            }
            self.shared.names.push(out, value, true);
        }
    }

    /// What stands behind the operands, up to the properties. `is_common` says that it is worth looking for among what was printed.
    pub(super) fn behind_operands(&self, data: &OpData, is_common: bool, out: &mut Vec<u8>) {
        let ir = &self.module.ir;
        out.push(b')');
        if !self.module.ir.successors(data).is_empty() {
            out.push(b'[');
            push_list(out, ir.successors(data), |out, &block| push_block(out, block));
            out.push(b']');
        }
        // Properties may be among the attributes: in older files, and where they are not those of the table.
        if data.properties().is_some() || data.attrs().is_some() || !self.module.version.has_properties() {
            self.dictionary(data, out, true, is_common);
        }
    }

    /// Attributes and types.
    pub(super) fn tail(&self, data: &OpData, is_common: bool, out: &mut Vec<u8>) {
        let ir = &self.module.ir;
        if data.attrs().is_some() {
            self.dictionary(data, out, false, is_common);
        }
        let (operands, results) = (ir.operands(data), &ir.value_types[data.results.range()]);
        let mut key: SmallVec<[u32; 16]> = smallvec![0; 1 + operands.len() + results.len()];
        let (count, types) = key.split_at_mut(1);
        count[0] = data.operands.len;
        let (operand_types, result_types) = types.split_at_mut(operands.len());
        operand_types.iter_mut().zip(operands).for_each(|(ty, &value)| *ty = ir.value_type(value).0);
        result_types.iter_mut().zip(results).for_each(|(ty, id)| *ty = id.0);
        self.signatures.push(out, &key, |out| {
            out.extend(b" : (");
            push_list(out, ir.operands(data), |out, &value| self.push_type(out, ir.value_type(value)));
            out.extend(b") -> ");
            self.result_types(data.results, out);
        });
    }

    fn result_types(&self, results: Span, out: &mut Vec<u8>) {
        let types = &self.module.ir.value_types[results.range()];
        match types {
            &[ty] if self.module.tables.builtin_type(ty) != Some(code::FUNCTION_TYPE) => self.push_type(out, ty),
            _ => {
                out.push(b'(');
                push_list(out, types, |out, &ty| self.push_type(out, ty));
                out.push(b')');
            }
        }
    }

    /// The properties or the attributes of an operation, as they stand behind its operands or before its types.
    pub(super) fn dictionary(&self, data: &OpData, out: &mut Vec<u8>, is_properties: bool, is_common: bool) {
        let attrs = data.attrs().map_or(u32::MAX, |id| id.0);
        if is_properties {
            if let Some(properties) = data.properties()
                && let Some(labels) = &self.shared.labels[data.name.index()]
                && let Some(values) = Decoder::decode_plain(self.module, properties, labels.len())
            {
                return self.push_plain_properties(labels, &values, out);
            }
            if !is_common {
                return self.push_properties(data, out);
            }
            let key = [data.name.0, attrs, data.properties().unwrap_or(u32::MAX)];
            self.dictionaries.push(out, &key, |out| self.push_properties(data, out));
        } else if !is_common {
            self.push_attributes(data, out);
        } else {
            // Attributes that are no properties do not depend on these, so that more operations have them in common.
            let key = [data.name.0, attrs, u32::from(data.properties().is_some()), 0];
            self.dictionaries.push(out, &key, |out| self.push_attributes(data, out));
        }
    }

    fn push_plain_properties(&self, labels: &Labels, values: &[u32], out: &mut Vec<u8>) {
        if !values.is_empty() {
            out.extend_from_slice(b" <{");
            self.push_labelled(out, labels, values);
            out.extend_from_slice(b"}>");
        }
    }

    fn push_properties(&self, data: &OpData, out: &mut Vec<u8>) {
        let decoder = self.decoder(data.name);
        let Some(properties) = data.properties() else {
            if let Some(info) = decoder.info() {
                self.push_properties_of_attributes(data, info, out);
            }
            return;
        };
        match decoder.decode(self.module, properties) {
            Properties::Named(values) => self.push_named_properties(&values, out),
            Properties::Dictionary(attr) => {
                out.extend(b" <");
                self.push_attr(out, attr, Elision::Never);
                out.push(b'>');
            }
            Properties::Unknown => {
                out.extend(b" <{opaque_properties = ");
                push_hex_string(out, &self.module.properties[properties as usize]);
                out.extend(b"}>");
            }
        }
    }

    /// The properties of an operation in an older file, which holds them among the attributes, and leaves out numbers and flags.
    fn push_properties_of_attributes(&self, data: &OpData, info: OpInfo, out: &mut Vec<u8>) {
        let all = data.attrs().map_or(Default::default(), |attrs| sorted_attributes(self.module, attrs));
        let mut named: Vec<(&str, PropertyValue)> =
            all.iter().filter_map(|&(name, value)| Some((info.property_named(name)?, PropertyValue::Attr(value)))).collect();
        let is_old = !self.module.version.has_properties();
        for (name, kind) in info.properties().filter(|_| is_old) {
            let absent = match kind {
                Kind::Bool => PropertyValue::Bool(false),
                Kind::OptionalInt => PropertyValue::OptionalInt(None),
                Kind::Int(width) => PropertyValue::Int(0, width),
                Kind::Overflow => PropertyValue::Overflow(0),
                _ => continue,
            };
            if named.iter().all(|&(other, _)| other != name) {
                named.push((name, absent));
            }
        }
        named.sort_by_key(|&(name, _)| name);
        self.push_named_properties(&named, out);
    }

    fn push_named_properties(&self, values: &[(&str, PropertyValue)], out: &mut Vec<u8>) {
        if values.is_empty() {
            return;
        }
        out.extend(b" <{");
        push_list(out, values, |out, (name, value)| match value {
            PropertyValue::Attr(attr) => self.push_named(out, name.as_bytes(), *attr),
            value => push_property(out, name, value),
        });
        out.extend(b"}>");
    }

    fn push_attributes(&self, data: &OpData, out: &mut Vec<u8>) {
        let Some(attrs) = data.attrs() else { return };
        if data.properties().is_some() || self.decoder(data.name).info().is_none() {
            let start = out.len();
            out.extend_from_slice(b" {");
            if self.push_entries(out, attrs) {
                return out.push(b'}');
            }
            out.truncate(start);
        }
        let mut all = sorted_attributes(self.module, attrs);
        if data.properties().is_none()
            && let Some(info) = self.decoder(data.name).info()
        {
            all.retain(|&mut (name, _)| info.property_named(name).is_none());
        }
        if !all.is_empty() {
            out.extend(b" {");
            push_list(out, &all, |out, &(name, value)| self.push_named(out, name, value));
            out.push(b'}');
        }
    }

    /// The head of a block, behind its indentation, with the jumps to it.
    pub(super) fn label(&self, block: Block, index: u32, predecessors: &[Jump], out: &mut Vec<u8>) {
        let ir = &self.module.ir;
        let data = ir.blocks[block.index()];
        push_block(out, index);
        if data.args.len > 0 {
            out.push(b'(');
            for (nth, value) in data.args.range().enumerate() {
                if nth > 0 {
                    out.extend(b", ");
                }
                self.shared.names.push(out, Value(value as u32), true);
                out.extend(b": ");
                self.push_type(out, ir.value_types[value]);
                if self.shared.debug_info {
                    out.push(b' ');
                    match ir.arg_locations[data.first_location as usize + nth] {
                        Some(location) => {
                            out.extend(b"loc(");
                            self.push_location_in_full(out, location);
                            out.push(b')');
                        }
                        None => out.extend(b"loc(unknown)"),
                    }
                }
            }
            out.push(b')');
        }
        out.push(b':');
        match predecessors {
            [] if index == 0 => {}
            [] => out.extend(b"  // no predecessors"),
            &[(_, only)] => {
                out.extend(b"  // pred: ");
                push_block(out, only);
            }
            several => {
                out.extend(b"  // ");
                names::push_number(out, several.len() as u64);
                out.extend(b" preds: ");
                push_list(out, several, |out, &(_, from)| push_block(out, from));
            }
        }
        out.push(b'\n');
    }
}

/// A property that is no attribute, as the attribute that stands for it.
fn push_property(out: &mut Vec<u8>, name: &str, value: &PropertyValue) {
    out.extend(name.as_bytes());
    let text = match value {
        PropertyValue::Segments(sizes) => {
            let sizes: Vec<String> = sizes.iter().map(|size| (*size as i32).to_string()).collect();
            format!(" = array<i32{}{}>", if sizes.is_empty() { "" } else { ": " }, sizes.join(", "))
        }
        // The unit attribute stands as its name alone.
        PropertyValue::Bool(true) => String::new(),
        PropertyValue::Bool(false) => " = false".to_owned(),
        PropertyValue::OptionalInt(None) => " = []".to_owned(),
        PropertyValue::OptionalInt(Some(value)) => format!(" = [{value}]"),
        PropertyValue::Int(value, width) => format!(" = {value} : i{width}"),
        PropertyValue::Overflow(flags) => format!(" = {}", overflow_attribute(*flags)),
        PropertyValue::Attr(_) => String::new(),
    };
    out.extend(text.as_bytes());
}
