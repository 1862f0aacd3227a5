//! Attributes that say what they are, and lists of them (FORMAT section 5).

use super::{GroupKind, flags::names_of_bits, tracer::Tracer};
use crate::{ReadError, attributes::tag, limits::MAX_ATTRIBUTE_DEPTH};
use tilewright_ir::{EnumKind, Scalar};

fn tag_name(tag: u8) -> Option<&'static str> {
    Some(match tag {
        tag::INTEGER => "integer",
        tag::FLOAT => "float",
        tag::BOOL => "bool",
        tag::TYPE => "type",
        tag::STRING => "string",
        tag::ARRAY => "array",
        tag::DENSE_ELEMENTS => "dense elements",
        tag::DIV_BY => "div_by",
        tag::SAME_ELEMENTS => "same_elements",
        tag::DICTIONARY => "dictionary",
        tag::OPTIMIZATION_HINTS => "optimization_hints",
        tag::BOUNDED => "bounded",
        tag::MULTIMEM_REDUCTION_KIND => "multimem_reduction_kind",
        _ => return None,
    })
}

impl Tracer<'_, '_> {
    /// An attribute with its tag, as a group.
    pub(super) fn attribute(&mut self, name: &str, depth: usize) -> Result<(), ReadError> {
        self.group(GroupKind::Item, format_args!("{name}"), |tracer| tracer.tagged(depth))
    }

    fn tagged(&mut self, depth: usize) -> Result<(), ReadError> {
        let at = self.cursor.place();
        if depth >= MAX_ATTRIBUTE_DEPTH {
            return Err(at.limit(format_args!("attributes nest deeper than {MAX_ATTRIBUTE_DEPTH}")));
        }
        // The tag is a byte that is written as a varint.
        let tag = self.cursor.varint()? as u8;
        let Some(name) = tag_name(tag) else {
            return Err(at.malformed(format_args!("unknown attribute tag {tag}")));
        };
        self.field(format_args!("tag"), format_args!("{tag} = {name}"));
        match tag {
            tag::INTEGER | tag::FLOAT => self.number(),
            tag::BOOL => self.bool("value").map(drop),
            tag::TYPE => self.ty(format_args!("value"), format_args!("")).map(drop),
            tag::STRING => self.string("value"),
            tag::ARRAY => self.elements(depth + 1),
            tag::DIV_BY => {
                self.varint("divisor")?;
                self.optional_numbers(["every", "along"])
            }
            tag::SAME_ELEMENTS => self.list("extents", i64::from_le_bytes),
            tag::DICTIONARY | tag::OPTIMIZATION_HINTS => self.entries(depth + 1),
            tag::BOUNDED => self.optional_numbers(["lower", "upper"]),
            tag::MULTIMEM_REDUCTION_KIND => self.enumeration("value", EnumKind::MultimemReductionKind),
            _ => Err(at.malformed(format_args!("dense elements are not accepted as an attribute"))),
        }
    }

    /// An integer or a float: its type says how it is stored.
    fn number(&mut self) -> Result<(), ReadError> {
        let at = self.cursor.place();
        let ty = self.ty(format_args!("type"), format_args!(""))?;
        match ty.and_then(|ty| self.context.tables.types.scalar(ty)) {
            Some(Scalar::I1) => self.bool("value").map(drop),
            Some(scalar) if scalar.is_int() => self.varint("value").map(drop),
            Some(scalar) if scalar.bits() <= 8 => self.byte("bits").map(drop),
            Some(_) => {
                let bits = self.cursor.svarint()?;
                self.field(format_args!("bits"), format_args!("{bits:#x}"));
                Ok(())
            }
            None => Err(at.malformed(format_args!("the type of a number must be a type of numbers"))),
        }
    }

    /// Flags, and a number for each of two bits.
    fn optional_numbers(&mut self, names: [&str; 2]) -> Result<(), ReadError> {
        let flags = self.cursor.varint()?;
        self.field(format_args!("flags"), format_args!("{flags:#x}{}", names_of_bits(flags, &names)));
        for (bit, name) in names.into_iter().enumerate() {
            if flags >> bit & 1 != 0 {
                self.svarint(name)?;
            }
        }
        Ok(())
    }

    /// The payload of an array.
    pub(super) fn elements(&mut self, depth: usize) -> Result<(), ReadError> {
        let count = self.count("attributes", 2)?;
        (0..count).try_for_each(|index| self.group(GroupKind::Item, format_args!("[{index}]"), |tracer| tracer.tagged(depth)))
    }

    /// The payload of a dictionary or of hints.
    pub(super) fn entries(&mut self, depth: usize) -> Result<(), ReadError> {
        let count = self.count("entries", 3)?;
        for index in 0..count {
            self.group(GroupKind::Item, format_args!("entry {index}"), |tracer| {
                tracer.string("key")?;
                tracer.tagged(depth)
            })?;
        }
        Ok(())
    }
}
