//! The items of the type section, field by field (FORMAT section 4).

use super::{GroupKind, flags::names_of_bits, tracer::Tracer};
use crate::{ReadError, types::tag};
use tilewright_ir::{EnumKind, Scalar, Version};

/// A field of a type, by its name where one is worth showing.
#[derive(Clone, Copy)]
enum Field {
    /// A type index.
    Type(&'static str),
    /// A list of 64-bit numbers.
    Longs(&'static str),
    /// A list of 32-bit numbers.
    Ints(&'static str),
    /// A number.
    Number(&'static str),
    /// A list of type indices.
    Types(&'static str),
    /// Since this version a flags word, with a bit that announces [`Field::Optional`].
    Flags(Version),
    /// Before this version a byte that announces [`Field::Optional`].
    Presence(Version),
    /// A value of an enumeration, if it was announced.
    Optional(&'static str, EnumKind),
}

/// The fields of a kind of type, and what it is called.
fn fields(tag: u8) -> Option<(&'static str, &'static [Field])> {
    use Field::{Flags, Ints, Longs, Number, Optional, Presence, Type, Types};
    const PTR_ATTR: Field = Optional("attribute", EnumKind::PtrAttr);
    const PADDING: Field = Optional("padding value", EnumKind::PaddingValue);
    const TILE: Field = Ints("tile dimensions");
    const DIM_MAP: Field = Ints("dim_map entries");
    const TENSOR: Field = Type("tensor_view");
    use Version::{V13_3, V13_4};
    Some(match tag {
        tag::POINTER => ("pointer", &[Flags(V13_4), Type("pointee"), PTR_ATTR]),
        tag::TILE => ("tile", &[Type("element"), Longs("dimensions")]),
        tag::TENSOR_VIEW => ("tensor_view", &[Flags(V13_4), Type("element"), Longs("dimensions"), Longs("strides"), PTR_ATTR]),
        tag::PARTITION_VIEW => ("partition_view", &[Flags(V13_3), TILE, TENSOR, DIM_MAP, Presence(V13_3), PADDING]),
        tag::FUNCTION => ("function", &[Types("inputs"), Types("results")]),
        tag::TOKEN => ("token", &[]),
        tag::GATHER_SCATTER_VIEW => ("gather_scatter_view", &[Flags(V13_3), TILE, TENSOR, Number("sparse dimension"), PADDING]),
        tag::STRIDED_VIEW => ("strided_view", &[Flags(V13_3), TILE, Ints("traversal strides"), TENSOR, DIM_MAP, PADDING]),
        _ => (Scalar::from_tag(tag)?.name(), &[]),
    })
}

impl Tracer<'_, '_> {
    /// The payload of the type section.
    pub(super) fn types(&mut self) -> Result<(), ReadError> {
        self.table(["type", "types"], 4, self.cursor.offset(), Self::type_item)
    }

    fn type_item(&mut self, index: usize) -> Result<(), ReadError> {
        match self.context.type_at(self.cursor.place(), index) {
            Ok(ty) => {
                let text = self.context.tables.types.brief(ty);
                self.group(GroupKind::Item, format_args!("type {index}: {text}"), Self::type_fields)
            }
            Err(problem) => {
                self.enter(GroupKind::Item, format_args!("type {index}: {}", problem.message()));
                self.type_fields()?;
                self.leave();
                Ok(())
            }
        }
    }

    fn type_fields(&mut self) -> Result<(), ReadError> {
        let at = self.cursor.place();
        // The tag is a byte that is written as a varint.
        let tag = self.cursor.varint()? as u8;
        let Some((name, fields)) = fields(tag) else {
            return Err(at.malformed(format_args!("unknown type tag {tag}")));
        };
        self.field(format_args!("tag"), format_args!("{tag} = {name}"));
        let mut announced = false;
        for field in fields {
            self.type_field(*field, &mut announced)?;
        }
        Ok(())
    }

    fn type_field(&mut self, field: Field, announced: &mut bool) -> Result<(), ReadError> {
        let version = self.context.version;
        match field {
            Field::Type(name) => self.ty(format_args!("{name}"), format_args!("")).map(drop),
            Field::Longs(name) => self.list(name, i64::from_le_bytes),
            Field::Ints(name) => self.list(name, |bytes| i64::from(i32::from_le_bytes(bytes))),
            Field::Number(name) => self.varint(name).map(drop),
            Field::Types(name) => {
                let count = self.count(name, 1)?;
                (0..count).try_for_each(|index| self.ty(format_args!("[{index}]"), format_args!("")).map(drop))
            }
            Field::Flags(since) if version >= since => {
                let flags = self.cursor.varint()?;
                *announced = flags & 1 != 0;
                let names = names_of_bits(flags, &["optional part"]);
                self.field(format_args!("flags"), format_args!("{flags:#x}{names}"));
                Ok(())
            }
            Field::Presence(until) if version < until => {
                *announced = self.bool("has padding")?;
                Ok(())
            }
            Field::Optional(name, kind) if *announced => self.enumeration(name, kind),
            Field::Flags(_) | Field::Presence(_) | Field::Optional(..) => Ok(()),
        }
    }
}
