//! Attributes that say what they are, and lists of them (FORMAT section 5).

use super::{
    context::Context,
    error::{WriteError, WriteErrorKind},
    put::Put,
};
use crate::{attributes::tag, limits::MAX_ATTRIBUTE_DEPTH};
use tilewright_ir::{Attr, AttrData, EnumKind, Scalar, Str, Type};

impl Context<'_> {
    /// An attribute with its tag.
    pub(super) fn attribute(&mut self, out: &mut Vec<u8>, attr: Attr) -> Result<(), WriteError> {
        self.attribute_at(out, attr, 0)
    }

    fn attribute_at(&mut self, out: &mut Vec<u8>, attr: Attr, depth: usize) -> Result<(), WriteError> {
        if depth >= MAX_ATTRIBUTE_DEPTH {
            return Err(self.error(WriteErrorKind::Limit, format!("attributes nest deeper than {MAX_ATTRIBUTE_DEPTH}")));
        }
        let module = self.module;
        match module.tables.attrs.get(attr) {
            AttrData::Integer { ty, bits } => self.integer(out, *ty, *bits)?,
            AttrData::Float { ty, bits } => self.float(out, *ty, *bits)?,
            AttrData::Bool(value) => out.extend([tag::BOOL, (*value).into()]),
            AttrData::Type(ty) => {
                out.push(tag::TYPE);
                out.varint(self.ty(*ty)?);
            }
            AttrData::String(string) => {
                out.push(tag::STRING);
                out.varint(self.string(*string));
            }
            AttrData::Array(elements) => {
                out.push(tag::ARRAY);
                self.elements(out, elements, depth + 1)?;
            }
            AttrData::Dictionary(entries) => {
                out.push(tag::DICTIONARY);
                self.entries(out, entries, depth + 1)?;
            }
            AttrData::OptimizationHints(entries) => {
                out.push(tag::OPTIMIZATION_HINTS);
                self.entries(out, entries, depth + 1)?;
            }
            AttrData::DivBy { divisor, every, along } => {
                out.push(tag::DIV_BY);
                out.varint(*divisor);
                put_optional_pair(out, *every, *along);
            }
            AttrData::SameElements(extents) => {
                out.push(tag::SAME_ELEMENTS);
                out.list_i64(extents);
            }
            AttrData::Bounded { lower, upper } => {
                out.push(tag::BOUNDED);
                put_optional_pair(out, *lower, *upper);
            }
            AttrData::MultimemReductionKind(kind) => {
                let since = EnumKind::MultimemReductionKind.since();
                if since > self.version {
                    return Err(self.newer(since, format!("the attribute {}", EnumKind::MultimemReductionKind.name())));
                }
                out.extend([tag::MULTIMEM_REDUCTION_KIND, *kind as u8]);
            }
            AttrData::I32Array(_) | AttrData::BoolArray(_) => {
                return Err(self.invalid("a list of numbers stands where an attribute must say what it is".to_owned()));
            }
        }
        Ok(())
    }

    /// The payload of an array.
    pub(super) fn array(&mut self, out: &mut Vec<u8>, elements: &[Attr]) -> Result<(), WriteError> {
        self.elements(out, elements, 0)
    }

    /// The payload of optimization hints.
    pub(super) fn hints(&mut self, out: &mut Vec<u8>, entries: &[(Str, Attr)]) -> Result<(), WriteError> {
        self.entries(out, entries, 0)
    }

    fn elements(&mut self, out: &mut Vec<u8>, elements: &[Attr], depth: usize) -> Result<(), WriteError> {
        out.count(elements.len());
        elements.iter().try_for_each(|&element| self.attribute_at(out, element, depth))
    }

    fn entries(&mut self, out: &mut Vec<u8>, entries: &[(Str, Attr)], depth: usize) -> Result<(), WriteError> {
        out.count(entries.len());
        for &(key, value) in entries {
            out.varint(self.string(key));
            self.attribute_at(out, value, depth)?;
        }
        Ok(())
    }

    fn scalar(&self, ty: Type) -> Result<Scalar, WriteError> {
        self.module.tables.types.scalar(ty).ok_or_else(|| self.invalid("the type of a number must be a number type".to_owned()))
    }

    fn integer(&mut self, out: &mut Vec<u8>, ty: Type, bits: u64) -> Result<(), WriteError> {
        self.scalar(ty)?;
        out.push(tag::INTEGER);
        out.varint(self.ty(ty)?);
        // A bit is a byte, which a varint of it is too.
        out.varint(bits);
        Ok(())
    }

    fn float(&mut self, out: &mut Vec<u8>, ty: Type, bits: u64) -> Result<(), WriteError> {
        let scalar = self.scalar(ty)?;
        out.push(tag::FLOAT);
        out.varint(self.ty(ty)?);
        if scalar.bits() <= 8 {
            out.push(bits as u8);
        } else {
            out.svarint(bits.cast_signed());
        }
        Ok(())
    }
}

/// The flags of two optional numbers, then the numbers.
fn put_optional_pair(out: &mut Vec<u8>, first: Option<i64>, second: Option<i64>) {
    out.push(u8::from(first.is_some()) | u8::from(second.is_some()) << 1);
    first.into_iter().chain(second).for_each(|n| out.svarint(n));
}
