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
                self.push_scales(out, *scales, *zeros);
            }
            _ => out.extend(b"any<"),
        }
        out.push(b'>');
    }

    fn push_storage(&self, out: &mut Vec<u8>, flags: u64, storage: TypeId, minimum: i64, maximum: i64) {
        let is_signed = flags & 1 == 1;
        let bounds = match self.module.tables.scalar(storage) {
            Some(Scalar::Integer { width, is_signed: is_si, is_unsigned: is_ui }) => {
                // Before LLVM 23 the flag alone says whether a storage type is signed.
                let keeps_type = self.is_later_llvm() && (is_si || is_ui);
                out.extend_from_slice(match (keeps_type, is_signed) {
                    (true, _) => {
                        if is_si {
                            b"si"
                        } else {
                            b"ui"
                        }
                    }
                    (false, true) => b"i",
                    (false, false) => b"u",
                });
                names::push_number(out, width);
                default_bounds(width, is_signed)
            }
            Some(Scalar::Float(format)) => {
                self.push_type(out, storage);
                float_bounds(format).unwrap_or((minimum, maximum))
            }
            _ => return self.push_type(out, storage),
        };
        if (minimum, maximum) != bounds {
            out.push(b'<');
            names::push_signed(out, minimum);
            out.push(b':');
            names::push_signed(out, maximum);
            out.push(b'>');
        }
    }
}

/// The least and the greatest value of a storage type; a width that makes no sense is as good as any.
fn default_bounds(width: u64, is_signed: bool) -> (i64, i64) {
    let bits = width.saturating_sub(u64::from(is_signed));
    let highest = if bits < 63 { (1 << bits) - 1 } else { i64::MAX };
    (if is_signed { -highest - 1 } else { 0 }, highest)
}

/// The same of the float types that LLVM 23 and later store quantised values in.
fn float_bounds(format: Format) -> Option<(i64, i64)> {
    const LARGEST: [(&str, i64); 3] = [("f4E2M1FN", 6), ("f8E4M3FN", 448), ("f8E5M2", 57_344)];
    let (_, largest) = LARGEST.iter().find(|(name, _)| Format::of(name) == Some(format))?;
    Some((-largest, *largest))
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
