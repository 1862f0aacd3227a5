//! The attributes of Shardy's dialect. Within each other they stand without their names.

use super::{
    Printer,
    attributes::Elision,
    names,
    strings::{push_list, push_string},
};
use crate::{
    encoding::{Encoding, List, Owner, Value},
    tables::{AttrId, Form},
};

impl Printer<'_, '_> {
    pub(super) fn push_sdy_attr(&self, out: &mut Vec<u8>, encoding: &'static Encoding, fields: &[Value<'_>]) {
        let mut body = Vec::new();
        self.push_sdy_body(&mut body, encoding.name, fields);
        // What is no name with `<...>` stands in such brackets itself.
        let is_pretty = body.starts_with(b"<");
        out.extend(if is_pretty { &b"#sdy."[..] } else { b"#sdy<" });
        out.extend(encoding.name.as_bytes());
        out.extend(body);
        if !is_pretty {
            out.push(b'>');
        }
    }

    fn push_stripped(&self, out: &mut Vec<u8>, id: AttrId) {
        let tables = &self.module.tables;
        let entry = tables.attrs.entry(id.0);
        match entry.form {
            Form::Known(encoding) if encoding.owner == Owner::Sdy => {
                self.push_sdy_body(out, encoding.name, &tables.attr_fields(id));
            }
            _ => self.push_attr(out, id, Elision::Never),
        }
    }

    fn push_stripped_list(&self, out: &mut Vec<u8>, open: &str, list: &List<'_>, close: &str) {
        out.extend(open.as_bytes());
        let attrs: Vec<AttrId> = list.clone().attrs().collect();
        push_list(out, &attrs, |out, &attr| self.push_stripped(out, attr));
        out.extend(close.as_bytes());
    }

    fn push_sdy_body(&self, out: &mut Vec<u8>, name: &str, fields: &[Value<'_>]) {
        let strings = &self.module.tables.strings;
        match (name, fields) {
            ("manual_axes" | "axis_ref_list", [Value::Attrs(axes)]) => self.push_stripped_list(out, "{", axes, "}"),
            ("tensor_mapping" | "list_of_axis_ref_lists" | "all_to_all_param_list", [Value::Attrs(list)]) => {
                self.push_stripped_list(out, "[", list, "]");
            }
            ("mesh_axis", [Value::String(axis), Value::Signed(size)]) => {
                push_string(out, strings.get(*axis));
                out.push(b'=');
                names::push_signed(out, *size);
            }
            ("mesh", [Value::Attrs(axes), Value::SignedNumbers(devices)]) => {
                self.push_stripped_list(out, "<[", axes, "]");
                if devices.len() > 0 {
                    out.extend(b", device_ids=[");
                    let devices: Vec<i64> = devices.clone().signed().collect();
                    push_list(out, &devices, |out, &device| names::push_signed(out, device));
                    out.push(b']');
                }
                out.push(b'>');
            }
            ("sub_axis_info", [Value::Signed(before), Value::Signed(size)]) => out.extend(format!("({before}){size}").as_bytes()),
            ("axis_ref", [Value::String(axis), Value::OptionalAttr(part)]) => {
                push_string(out, strings.get(*axis));
                if let Some(part) = part {
                    out.push(b':');
                    self.push_stripped(out, *part);
                }
            }
            ("dimension_sharding", [Value::Attrs(axes), Value::Number(is_closed), Value::OptionalNumber(priority)]) => {
                self.push_stripped_list(out, "{", axes, "");
                if *is_closed == 0 {
                    out.extend(if axes.len() > 0 { &b", ?"[..] } else { b"?" });
                }
                out.push(b'}');
                if let Some(priority) = priority {
                    out.push(b'p');
                    names::push_number(out, *priority);
                }
            }
            ("sharding", [Value::Attr(mesh), Value::Attrs(dimensions), axes @ ..]) => {
                out.push(b'<');
                self.push_mesh_or_name(out, *mesh);
                self.push_stripped_list(out, ", [", dimensions, "]");
                self.push_other_axes(out, axes);
                out.push(b'>');
            }
            ("sharding_per_value", [Value::Attrs(shardings)]) => self.push_stripped_list(out, "<[", shardings, "]>"),
            ("dim_mapping", [Value::SignedNumbers(factors)]) => factors.clone().signed().for_each(|factor| push_factor(out, factor)),
            (
                "op_sharding_rule",
                [Value::SignedNumbers(sizes), Value::Attrs(operands), Value::Attrs(results), lists @ .., Value::Number(is_custom)],
            ) => {
                self.push_stripped_list(out, "<(", operands, ")");
                self.push_stripped_list(out, "->(", results, ")");
                push_factor_sizes(out, sizes);
                for (keyword, list) in ["reduction", "need_replication", "permutation", "blocked_propagation"].iter().zip(lists) {
                    push_factors(out, keyword, list);
                }
                out.extend(if *is_custom != 0 { &b", custom>"[..] } else { b">" });
            }
            ("all_to_all_param", [Value::Attrs(axes), Value::Signed(source), Value::Signed(target)]) => {
                self.push_stripped_list(out, "{", axes, "}");
                out.extend(format!(": {source}->{target}").as_bytes());
            }
            _ => {}
        }
    }

    /// The name of a mesh, or the mesh.
    fn push_mesh_or_name(&self, out: &mut Vec<u8>, mesh: AttrId) {
        if matches!(self.module.tables.attrs.entry(mesh.0).form, Form::Known(encoding) if encoding.name == "mesh") {
            out.extend(b"mesh");
        }
        self.push_stripped(out, mesh);
    }

    /// The axes along which something is replicated, and those along which it still is to be reduced.
    fn push_other_axes(&self, out: &mut Vec<u8>, axes: &[Value<'_>]) {
        let is_there = |list: &&List<'_>| list.len() > 0;
        if let Some(replicated) = axes.first().and_then(as_attrs).filter(is_there) {
            self.push_stripped_list(out, ", replicated={", replicated, "}");
        }
        if let Some(unreduced) = axes.get(1).and_then(as_attrs).filter(is_there) {
            let reduction = match axes.get(2) {
                Some(Value::Signed(1)) => "max",
                Some(Value::Signed(2)) => "min",
                _ => "",
            };
            self.push_stripped_list(out, &format!(", unreduced={reduction}{{"), unreduced, "}");
        }
    }
}

fn as_attrs<'v, 'a>(value: &'v Value<'a>) -> Option<&'v List<'a>> {
    match value {
        Value::Attrs(list) => Some(list),
        _ => None,
    }
}

/// Factors are called `i` to `z`, then `z_1` and so on.
fn push_factor(out: &mut Vec<u8>, factor: i64) {
    const Z: i64 = (b'z' - b'i') as i64;
    if (0..=Z).contains(&factor) {
        out.push(b'i' + factor as u8);
    } else {
        out.extend(b"z_");
        names::push_signed(out, factor.saturating_sub(Z));
    }
}

fn push_factor_sizes(out: &mut Vec<u8>, sizes: &List<'_>) {
    if sizes.len() == 0 {
        return;
    }
    out.extend(b" {");
    let sizes: Vec<(usize, i64)> = sizes.clone().signed().enumerate().collect();
    push_list(out, &sizes, |out, &(factor, size)| {
        push_factor(out, factor as i64);
        out.push(b'=');
        names::push_signed(out, size);
    });
    out.push(b'}');
}

fn push_factors(out: &mut Vec<u8>, keyword: &str, factors: &Value<'_>) {
    let Value::SignedNumbers(factors) = factors else { return };
    if factors.len() == 0 {
        return;
    }
    out.push(b' ');
    out.extend(keyword.as_bytes());
    out.extend(b"={");
    let factors: Vec<i64> = factors.clone().signed().collect();
    push_list(out, &factors, |out, &factor| push_factor(out, factor));
    out.push(b'}');
}
