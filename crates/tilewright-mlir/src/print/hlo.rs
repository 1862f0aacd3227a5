//! The attributes and types of StableHLO, CHLO and MHLO.

use super::{Printer, attributes::Elision, names, quant::push_double, strings::push_list, vhlo};
use crate::encoding::{Encoding, List, Owner, Value};

/// The names of the values of enumerations.
fn names_of(name: &str) -> Option<&'static [&'static str]> {
    Some(match name {
        "comparison_direction" => &["EQ", "NE", "GE", "GT", "LE", "LT"],
        "comparison_type" => &["NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"],
        "fft_type" => &["FFT", "IFFT", "RFFT", "IRFFT"],
        "precision" => &["DEFAULT", "HIGH", "HIGHEST"],
        "rng_algorithm" => &["DEFAULT", "THREE_FRY", "PHILOX"],
        "rng_distribution" => &["", "UNIFORM", "NORMAL"],
        "transpose" => &["TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"],
        "kind" => &["sharding"],
        "fusion_kind" => &["kLoop", "kInput", "kOutput", "kCustom"],
        "result_accuracy_mode" => &["DEFAULT", "HIGHEST", "TOLERANCE"],
        _ => return None,
    })
}

impl Printer<'_, '_> {
    pub(super) fn push_hlo_attr(&self, out: &mut Vec<u8>, dialect: &[u8], encoding: &'static Encoding, fields: &[Value<'_>]) {
        let enumeration = names_of(encoding.name);
        if let ([Value::Number(value)], Some(names)) = (fields, enumeration) {
            // Most enumerations of these dialects print as `#stablehlo<precision DEFAULT>`, others as `#mhlo.rng_algorithm<DEFAULT>`.
            let is_parameter =
                encoding.name == "result_accuracy_mode" || encoding.owner == Owner::Mhlo && encoding.name.starts_with("rng_");
            if !is_parameter {
                return vhlo::push_enumeration(out, dialect, encoding.name, names, *value);
            }
            return self.push_dialect_attr(out, dialect, encoding.name, |out| vhlo::push_name(out, names, *value));
        }
        if let ("sub_axis_info", [Value::Signed(before), Value::Signed(size)]) = (encoding.name, fields) {
            out.push(b'#');
            out.extend(dialect);
            return out.extend(format!("<sub_axis_info({before}){size}>").as_bytes());
        }
        self.push_dialect_attr(out, dialect, encoding.name, |out| match (encoding.name, fields) {
            ("conv", _) => push_convolution(out, fields),
            ("dot" | "gather" | "scatter", _) => push_dimension_numbers(out, encoding, fields),
            ("result_accuracy", [atol, rtol, Value::Signed(ulps), Value::Attr(mode)]) => {
                self.push_result_accuracy(out, atol, rtol, *ulps, *mode);
            }
            ("dot_algorithm", [.., Value::Signed(is_imprecise)]) => {
                self.push_parameters(out, encoding, &fields[..fields.len() - 1]);
                out.extend(b", allow_imprecise_accumulation = ");
                out.extend(if *is_imprecise != 0 { &b"true"[..] } else { b"false" });
            }
            ("result_alias", [Value::SignedNumbers(tuple), Value::Signed(result), Value::SignedNumbers(inside), Value::Number(must)]) => {
                push_result_alias(out, tuple, *result, inside, *must != 0);
            }
            _ => self.push_parameters(out, encoding, fields),
        });
    }

    fn push_result_accuracy(&self, out: &mut Vec<u8>, atol: &Value<'_>, rtol: &Value<'_>, ulps: i64, mode: crate::tables::AttrId) {
        let begin = |out: &mut Vec<u8>, name: &str, is_there: bool| {
            if is_there {
                let is_first = out.ends_with(b"<");
                out.extend(if is_first { &b""[..] } else { b", " });
                out.extend(name.as_bytes());
                out.extend(b" = ");
            }
            is_there
        };
        let is_set = |value: &Value<'_>| matches!(value, Value::Bits(words) if words.first().is_some_and(|&word| word != 0));
        if begin(out, "atol", is_set(atol)) {
            push_double(out, atol);
        }
        if begin(out, "rtol", is_set(rtol)) {
            push_double(out, rtol);
        }
        if begin(out, "ulps", ulps != 0) {
            names::push_signed(out, ulps);
        }
        begin(out, "mode", true);
        self.push_attr(out, mode, Elision::Never);
    }

    pub(super) fn push_hlo_type(&self, out: &mut Vec<u8>, dialect: &[u8], mnemonic: &str, fields: &[Value<'_>]) {
        out.push(b'!');
        out.extend(dialect);
        out.push(b'.');
        out.extend(mnemonic.as_bytes());
        if let [Value::Types(types)] = fields {
            out.push(b'<');
            self.push_types(out, types);
            out.push(b'>');
        }
    }
}

/// `tuple_indices = [1], result_index = [2, 3], must_alias`: the number of a result, and the way into the tuple that it is.
fn push_result_alias(out: &mut Vec<u8>, tuple: &List<'_>, result: i64, inside: &List<'_>, must_alias: bool) {
    if tuple.len() > 0 {
        out.extend(b"tuple_indices = ");
        vhlo::push_dimensions(out, tuple);
        out.extend(b", ");
    }
    out.extend(b"result_index = [");
    names::push_signed(out, result);
    for index in inside.clone().signed() {
        out.extend(b", ");
        names::push_signed(out, index);
    }
    out.push(b']');
    if must_alias {
        out.extend(b", must_alias");
    }
}

/// `name = [1, 2], ...` without what is empty or zero.
fn push_dimension_numbers(out: &mut Vec<u8>, encoding: &Encoding, fields: &[Value<'_>]) {
    for (&(name, _), value) in encoding.fields.iter().zip(fields) {
        let is_there = match value {
            Value::SignedNumbers(list) => list.len() > 0,
            Value::Signed(value) => *value != 0,
            _ => true,
        };
        if !is_there {
            continue;
        }
        out.extend(if out.ends_with(b"<") { &b""[..] } else { b", " });
        out.extend(name.as_bytes());
        out.extend(b" = ");
        match value {
            Value::SignedNumbers(list) => vhlo::push_dimensions(out, list),
            Value::Signed(value) => names::push_signed(out, *value),
            _ => {}
        }
    }
}

/// `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`.
fn push_convolution(out: &mut Vec<u8>, fields: &[Value<'_>]) {
    let marks: [(&[u8], &[u8], &[u8]); 3] = [(b"", b"b", b"f"), (b"x", b"i", b"o"), (b"->", b"b", b"f")];
    for (part, (before, first, second)) in fields.chunks_exact(3).zip(marks) {
        let [Value::Signed(a), Value::Signed(b), Value::SignedNumbers(spatial)] = part else { continue };
        out.extend(before);
        push_sides(out, (*a, first), (*b, second), spatial);
    }
}

fn push_sides(out: &mut Vec<u8>, first: (i64, &[u8]), second: (i64, &[u8]), spatial: &List<'_>) {
    let mut places: Vec<(i64, Vec<u8>)> = vec![(first.0, first.1.to_vec()), (second.0, second.1.to_vec())];
    places.extend(spatial.clone().signed().enumerate().map(|(index, place)| (place, index.to_string().into_bytes())));
    places.sort();
    out.push(b'[');
    push_list(out, &places, |out, (_, mark)| out.extend(mark));
    out.push(b']');
}
