//! The type section (FORMAT section 4).

use crate::{
    context::{Budget, Context, Slot},
    cursor::Cursor,
    error::{Place, ReadError, Section},
    limits::{MAX_TYPE_DEPTH, OVERLAP_SLACK},
    table::IndexedTable,
};
use std::collections::HashMap;
use tilewright_ir::{EnumKind, PaddingValue, PtrAttr, Scalar, Type, TypeData, Version};

/// Bytes of an offset.
pub(crate) const OFFSET_WIDTH: usize = 4;

/// Tags of the types that are not scalars.
pub(crate) mod tag {
    pub(crate) const POINTER: u8 = 12;
    pub(crate) const TILE: u8 = 13;
    pub(crate) const TENSOR_VIEW: u8 = 14;
    pub(crate) const PARTITION_VIEW: u8 = 15;
    pub(crate) const FUNCTION: u8 = 16;
    pub(crate) const TOKEN: u8 = 17;
    pub(crate) const GATHER_SCATTER_VIEW: u8 = 20;
    pub(crate) const STRIDED_VIEW: u8 = 21;
    pub(super) const PREVIEW: std::ops::RangeInclusive<u8> = 209..=215;
}

/// The types of a file, decoded when they are used.
pub(crate) struct Types<'a> {
    pub(crate) table: IndexedTable<'a>,
    pub(crate) known: Vec<Slot<Type>>,
    budget: Budget,
    depth: usize,
    failures: Option<Failures>,
}

/// The types that could not be decoded, for who goes on after errors: none is tried twice, nor all of many long ones.
struct Failures {
    known: HashMap<usize, ReadError>,
    /// Bytes that may still be looked at in vain: items can overlap.
    budget: Budget,
    /// Stands for every type that was not tried when the budget was spent.
    last: Option<ReadError>,
}

impl Failures {
    fn get(&self, slot: usize) -> Option<ReadError> {
        self.known.get(&slot).or(self.last.as_ref()).cloned()
    }

    fn add(&mut self, slot: usize, len: usize, error: &ReadError) {
        if !self.budget.take(len) {
            self.last = Some(error.clone());
        }
        self.known.insert(slot, error.clone());
    }
}

impl<'a> Types<'a> {
    pub(crate) fn parse(payload: Option<Cursor<'a>>) -> Result<Self, ReadError> {
        let table = match payload {
            Some(payload) => IndexedTable::parse(payload, Section::Type, payload.offset(), OFFSET_WIDTH)?,
            None => IndexedTable::empty(Section::Type),
        };
        let budget = Budget::new(table.blob_len(), OVERLAP_SLACK);
        Ok(Types { table, known: vec![Slot::Todo; table.len()], budget, depth: 0, failures: None })
    }

    /// Whether the file has none.
    pub(crate) fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Prepares for going on after errors: from now on, a type that failed once fails the same way again.
    pub(crate) fn remember_failures(&mut self) {
        let budget = Budget::new(self.table.blob_len(), OVERLAP_SLACK);
        self.failures = Some(Failures { known: HashMap::new(), budget, last: None });
    }
}

impl Context<'_> {
    /// A type index.
    #[inline(always)]
    pub(crate) fn ty(&mut self, cursor: &mut Cursor<'_>) -> Result<Type, ReadError> {
        let at = cursor.place();
        let index = cursor.varint()?;
        match usize::try_from(index).ok().and_then(|i| self.types.known.get(i)) {
            Some(Slot::Done(ty)) => Ok(*ty),
            slot => {
                let slot = slot.copied();
                self.new_type(at, index, slot)
            }
        }
    }

    /// The type with this index, which was read at `at`.
    pub(crate) fn type_at(&mut self, at: Place, index: usize) -> Result<Type, ReadError> {
        let slot = self.types.known.get(index).copied();
        self.new_type(at, index as u64, slot)
    }

    /// A type that is not decoded yet.
    #[cold]
    fn new_type(&mut self, at: Place, index: u64, slot: Option<Slot<Type>>) -> Result<Type, ReadError> {
        match slot {
            None => return Err(at.no_entry("type", index, self.types.table.len(), "types in the file")),
            Some(Slot::Done(ty)) => return Ok(ty),
            Some(Slot::Busy) => return Err(at.malformed(format_args!("type {index} is part of itself"))),
            Some(Slot::Todo) => {}
        }
        let slot = index as usize;
        if let Some(error) = self.types.failures.as_ref().and_then(|failures| failures.get(slot)) {
            return Err(error);
        }
        if self.types.depth >= MAX_TYPE_DEPTH {
            return Err(at.limit(format_args!("types nest deeper than {MAX_TYPE_DEPTH}")));
        }
        self.types.known[slot] = Slot::Busy;
        self.types.depth += 1;
        let decoded = self.decode_type(at, slot);
        self.types.depth -= 1;
        self.types.known[slot] = decoded.as_ref().map_or(Slot::Todo, |&ty| Slot::Done(ty));
        if let (Err(error), Some(failures)) = (&decoded, &mut self.types.failures) {
            let len = self.types.table.item(slot).map_or(0, |item| item.remaining());
            failures.add(slot, len, error);
        }
        decoded
    }

    fn decode_type(&mut self, at: Place, index: usize) -> Result<Type, ReadError> {
        let Some(mut cursor) = self.types.table.item(index) else {
            return Err(at.malformed(format_args!("type {index} has no bytes: its offsets are out of order or outside the table")));
        };
        let start = cursor.place();
        let data = self.type_data(&mut cursor)?;
        if !self.types.budget.take(cursor.offset() - start.offset) {
            return Err(start.limit(format_args!("the types of the file overlap: together they are too long")));
        }
        self.tables.types.intern(data).map_err(|error| start.malformed(format_args!("type {index} is illegal: {error}")))
    }

    fn type_data(&mut self, cursor: &mut Cursor<'_>) -> Result<TypeData, ReadError> {
        let at = cursor.place();
        // The tag is a byte that is written as a varint.
        let tag = cursor.varint()? as u8;
        if let Some(scalar) = Scalar::from_tag(tag) {
            self.type_needs(at, scalar.since(), scalar.name())?;
            return Ok(TypeData::Scalar(scalar));
        }
        match tag {
            tag::POINTER => self.pointer(cursor),
            tag::TILE => self.tile(cursor),
            tag::TENSOR_VIEW => self.tensor_view(cursor),
            tag::PARTITION_VIEW => self.partition_view(cursor),
            tag::FUNCTION => Ok(TypeData::Function { inputs: self.type_list(cursor)?, results: self.type_list(cursor)? }),
            tag::TOKEN => Ok(TypeData::Token),
            tag::GATHER_SCATTER_VIEW => {
                self.type_needs(at, Version::V13_3, "gather_scatter_view")?;
                self.gather_scatter_view(cursor)
            }
            tag::STRIDED_VIEW => {
                self.type_needs(at, Version::V13_3, "strided_view")?;
                self.strided_view(cursor)
            }
            _ if tag::PREVIEW.contains(&tag) => Err(at.preview(format_args!("type tag {tag}"))),
            _ => Err(at.malformed(format_args!("unknown type tag {tag}"))),
        }
    }

    fn type_needs(&self, at: Place, since: Version, name: &str) -> Result<(), ReadError> {
        if since > self.version {
            return Err(at.newer(format_args!("type {name} needs version {since}, the file has {}", self.version)));
        }
        Ok(())
    }

    fn type_list(&mut self, cursor: &mut Cursor<'_>) -> Result<Box<[Type]>, ReadError> {
        let count = cursor.count("types", 1)?;
        (0..count).map(|_| self.ty(cursor)).collect()
    }

    /// The flags word of types since `since`: whether its only bit is set.
    fn type_flag(&self, cursor: &mut Cursor<'_>, since: Version) -> Result<bool, ReadError> {
        if self.version < since {
            return Ok(false);
        }
        let at = cursor.place();
        match cursor.varint()? {
            flags @ (0 | 1) => Ok(flags == 1),
            flags => Err(at.malformed(format_args!("expected type flags of 0 or 1, found {flags:#x}"))),
        }
    }

    fn ptr_attr(&self, cursor: &mut Cursor<'_>, present: bool) -> Result<Option<PtrAttr>, ReadError> {
        if !present {
            return Ok(None);
        }
        Ok(PtrAttr::from_wire(self.enum_value(EnumKind::PtrAttr, cursor)?))
    }

    fn padding_value(&self, cursor: &mut Cursor<'_>, present: bool) -> Result<Option<PaddingValue>, ReadError> {
        if !present {
            return Ok(None);
        }
        Ok(PaddingValue::from_wire(self.enum_value(EnumKind::PaddingValue, cursor)?))
    }

    fn pointer(&mut self, cursor: &mut Cursor<'_>) -> Result<TypeData, ReadError> {
        let has_attr = self.type_flag(cursor, Version::V13_4)?;
        Ok(TypeData::Pointer { pointee: self.ty(cursor)?, attr: self.ptr_attr(cursor, has_attr)? })
    }

    fn tile(&mut self, cursor: &mut Cursor<'_>) -> Result<TypeData, ReadError> {
        let tile = TypeData::Tile { element: self.ty(cursor)?, shape: cursor.list_i64("dimensions")? };
        if !cursor.is_empty() {
            return Err(cursor.place().preview(format_args!("a tile type with {} more bytes", cursor.remaining())));
        }
        Ok(tile)
    }

    fn tensor_view(&mut self, cursor: &mut Cursor<'_>) -> Result<TypeData, ReadError> {
        let has_attr = self.type_flag(cursor, Version::V13_4)?;
        Ok(TypeData::TensorView {
            element: self.ty(cursor)?,
            shape: cursor.list_i64("dimensions")?,
            strides: cursor.list_i64("strides")?,
            attr: self.ptr_attr(cursor, has_attr)?,
        })
    }

    fn partition_view(&mut self, cursor: &mut Cursor<'_>) -> Result<TypeData, ReadError> {
        let flag = self.type_flag(cursor, Version::V13_3)?;
        let tile = cursor.list_i32("tile dimensions")?;
        let tensor_view = self.ty(cursor)?;
        let dim_map = cursor.list_i32("dim_map entries")?;
        let has_padding = if self.version < Version::V13_3 { cursor.bool()? } else { flag };
        Ok(TypeData::PartitionView { tile, tensor_view, dim_map, padding: self.padding_value(cursor, has_padding)? })
    }

    fn gather_scatter_view(&mut self, cursor: &mut Cursor<'_>) -> Result<TypeData, ReadError> {
        let has_padding = self.type_flag(cursor, Version::V13_3)?;
        let tile = cursor.list_i32("tile dimensions")?;
        let tensor_view = self.ty(cursor)?;
        let at = cursor.place();
        let sparse_dim = cursor.varint()?;
        let sparse_dim =
            u32::try_from(sparse_dim).map_err(|_| at.malformed(format_args!("sparse dimension {sparse_dim} needs more than 32 bits")))?;
        Ok(TypeData::GatherScatterView { tile, tensor_view, sparse_dim, padding: self.padding_value(cursor, has_padding)? })
    }

    fn strided_view(&mut self, cursor: &mut Cursor<'_>) -> Result<TypeData, ReadError> {
        let has_padding = self.type_flag(cursor, Version::V13_3)?;
        Ok(TypeData::StridedView {
            tile: cursor.list_i32("tile dimensions")?,
            traversal_strides: cursor.list_i32("traversal strides")?,
            tensor_view: self.ty(cursor)?,
            dim_map: cursor.list_i32("dim_map entries")?,
            padding: self.padding_value(cursor, has_padding)?,
        })
    }
}
