//! The types of the quant dialect.

use super::{Printer, names};
use crate::{
    encoding::Value,
    float::{Format, push_float},
    tables::{Scalar, TypeId},
};

/// A type with a scale for each index of an axis, of quant or of VHLO.
pub(super) struct PerAxis<'f> {
    pub(super) flags: u64,
    pub(super) storage: TypeId,
    pub(super) expressed: TypeId,
    pub(super) axis: u64,
    pub(super) minimum: i64,
    pub(super) maximum: i64,
    pub(super) scales: &'f [f64],
    pub(super) zeros: Vec<i64>,
}

impl<'f> PerAxis<'f> {
    pub(super) fn of(fields: &'f [Value<'_>]) -> Option<PerAxis<'f>> {
        match fields {
            [
                Value::Number(flags),
                Value::Type(storage),
                Value::Type(expressed),
                Value::Number(axis),
                Value::Signed(minimum),
                Value::Signed(maximum),
                Value::Doubles(scales),
                Value::SignedNumbers(zeros),
            ] => Some(PerAxis {
                flags: *flags,
                storage: *storage,
                expressed: *expressed,
                axis: *axis,
                minimum: *minimum,
                maximum: *maximum,
                scales,
                zeros: zeros.clone().signed().collect(),
            }),
            _ => None,
        }
    }
}

impl Printer<'_, '_> {
    pub(super) fn push_quant_type(&self, out: &mut Vec<u8>, code: u64, fields: &[Value<'_>]) {
        out.extend(b"!quant.");
        match (code, fields) {
            (1, [Value::Number(flags), Value::Type(storage), Value::Signed(minimum), Value::Signed(maximum)]) => {
                out.extend(b"any<");
                self.push_storage(out, *flags, *storage, *minimum, *maximum);
            }
            (2, [Value::Number(flags), Value::Type(storage), Value::Type(expressed), Value::Signed(minimum), Value::Signed(maximum)]) => {
                out.extend(b"any<");
                self.push_storage(out, *flags, *storage, *minimum, *maximum);
                out.push(b':');
                self.push_type(out, *expressed);
            }
            (3, [Value::Type(expressed), minimum, maximum]) => {
                out.extend(b"calibrated<");
                self.push_type(out, *expressed);
                out.push(b'<');
                push_double(out, minimum);
                out.push(b':');
                push_double(out, maximum);
                out.push(b'>');
            }
            (
                4,
                [
                    Value::Number(flags),
                    Value::Type(storage),
                    Value::Type(expressed),
                    scale,
                    Value::Signed(zero),
                    Value::Signed(minimum),
                    Value::Signed(maximum),
                ],
            ) => {
                out.extend(b"uniform<");
                self.push_storage(out, *flags, *storage, *minimum, *maximum);
                out.push(b':');
                self.push_type(out, *expressed);
                out.extend(b", ");
                push_double(out, scale);
                push_zero_point(out, *zero);
            }
            (5, _) => {
                let Some(PerAxis { flags, storage, expressed, axis, minimum, maximum, scales, zeros }) = PerAxis::of(fields) else {
                    return;
                };
                out.extend(b"uniform<");
                self.push_storage(out, flags, storage, minimum, maximum);
                out.push(b':');
                self.push_type(out, expressed);
                out.push(b':');
                names::push_number(out, axis);
                out.extend(b", {");
                for (index, (scale, zero)) in scales.iter().zip(zeros).enumerate() {
                    out.extend(if index > 0 { &b","[..] } else { b"" });
                    push_double_value(out, *scale);
                    push_zero_point(out, zero);
                }
                out.push(b'}');
            }
            (
                6,
                [
                    Value::Number(flags),
                    Value::Type(storage),
                    Value::Type(expressed),
                    Value::Signed(minimum),
                    Value::Signed(maximum),
                    Value::SignedNumbers(axes),
                    Value::SignedNumbers(sizes),
                    Value::Attr(scales),
                    Value::Attr(zeros),
                ],
            ) => {
                out.extend(b"uniform<");
                self.push_storage(out, *flags, *storage, *minimum, *maximum);
                out.push(b':');
                self.push_type(out, *expressed);
                out.extend(b":{");
                for (index, (axis, size)) in axes.clone().signed().zip(sizes.clone().signed()).enumerate() {
                    out.extend(if index > 0 { &b", "[..] } else { b"" });
                    names::push_signed(out, axis);
                    out.push(b':');
                    names::push_signed(out, size);
                }
                out.extend(b"}, ");
                self.push_blocks(out, *scales, *zeros);
            }
            _ => out.extend(b"any<"),
        }
        out.push(b'>');
    }

    fn push_storage(&self, out: &mut Vec<u8>, flags: u64, storage: TypeId, minimum: i64, maximum: i64) {
        let is_signed = flags & 1 == 1;
        let width = match self.module.tables.scalar(storage) {
            Some(Scalar::Integer { width, .. }) => width,
            _ => return self.push_type(out, storage),
        };
        out.push(if is_signed { b'i' } else { b'u' });
        names::push_number(out, width);
        let (lowest, highest) = default_bounds(width, is_signed);
        if (minimum, maximum) != (lowest, highest) {
            out.push(b'<');
            names::push_signed(out, minimum);
            out.push(b':');
            names::push_signed(out, maximum);
            out.push(b'>');
        }
    }

    /// Scales and zero points of blocks, in braces for each dimension.
    fn push_blocks(&self, out: &mut Vec<u8>, scales: crate::tables::AttrId, zeros: crate::tables::AttrId) {
        let tables = &self.module.tables;
        let text = |attr| {
            let mut text = Vec::new();
            if let [Value::Type(ty), Value::Bytes(data)] = &tables.attr_fields(attr)[..] {
                self.push_dense(&mut text, *ty, data, false);
            }
            text
        };
        let (scales, zeros) = (text(scales), text(zeros));
        let is_bracket = |byte: &u8| matches!(byte, b'[' | b']' | b',' | b' ');
        let mut zero_words = zeros.split(is_bracket).filter(|word| !word.is_empty());
        let mut rest = &scales[..];
        while let Some(&byte) = rest.first() {
            let len = rest.iter().position(is_bracket).unwrap_or(rest.len());
            if len > 0 {
                out.extend(&rest[..len]);
                let zero = zero_words.next().unwrap_or(b"0");
                if zero != b"0" {
                    out.push(b':');
                    out.extend(zero);
                }
                rest = &rest[len..];
                continue;
            }
            out.push(match byte {
                b'[' => b'{',
                b']' => b'}',
                byte => byte,
            });
            rest = &rest[1..];
        }
    }
}

/// The least and the greatest value of a storage type; a width that makes no sense is as good as any.
fn default_bounds(width: u64, is_signed: bool) -> (i64, i64) {
    let bits = width.saturating_sub(u64::from(is_signed));
    let highest = if bits < 63 { (1 << bits) - 1 } else { i64::MAX };
    (if is_signed { -highest - 1 } else { 0 }, highest)
}

fn push_zero_point(out: &mut Vec<u8>, zero: i64) {
    if zero != 0 {
        out.push(b':');
        names::push_signed(out, zero);
    }
}

pub(super) fn push_double(out: &mut Vec<u8>, value: &Value<'_>) {
    if let Value::Bits(words) = value {
        push_double_value(out, f64::from_bits(words.first().copied().unwrap_or_default()));
    }
}

pub(super) fn push_double_value(out: &mut Vec<u8>, value: f64) {
    if let Some(format) = Format::of("f64") {
        push_float(out, format, u128::from(value.to_bits()));
    }
}

#[cfg(test)]
mod tests {
    use super::default_bounds;

    #[test]
    fn storage_types_of_any_width_have_bounds() {
        assert_eq!(default_bounds(8, true), (-128, 127));
        assert_eq!(default_bounds(16, false), (0, 65535));
        assert_eq!(default_bounds(0, true), (-1, 0));
        assert_eq!(default_bounds(64, true), (i64::MIN, i64::MAX));
        assert_eq!(default_bounds(1 << 24, false), (0, i64::MAX));
    }
}
