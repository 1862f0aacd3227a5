//! The constant section (FORMAT sections 3.3 and 6).

use crate::{
    context::Context,
    cursor::Cursor,
    error::{Place, ReadError, Section},
    table::IndexedTable,
};
use tilewright_ir::{Const, Scalar, Type};

/// Bytes of an offset.
pub(crate) const OFFSET_WIDTH: usize = 8;

/// The constants of a file, copied when they are used.
pub(crate) struct Constants<'a> {
    pub(crate) table: IndexedTable<'a>,
    known: Vec<Option<Const>>,
    /// How large the data of a type is, by type.
    sizes: Vec<Option<DataSize>>,
}

/// How many bytes of data a tile takes.
#[derive(Clone, Copy)]
struct DataSize {
    element: Scalar,
    elements: u64,
}

impl DataSize {
    /// A single element, which stands for all.
    fn one(self) -> u64 {
        u64::from(self.element.bits().div_ceil(8))
    }

    /// All elements.
    fn all(self) -> u64 {
        match self.element {
            Scalar::I1 => self.elements.div_ceil(8),
            _ => self.elements * self.one(),
        }
    }
}

impl<'a> Constants<'a> {
    /// Items must not overlap, so that together they are no longer than the section.
    pub(crate) fn parse(payload: Option<Cursor<'a>>) -> Result<Self, ReadError> {
        let Some(payload) = payload else {
            return Ok(Constants { table: IndexedTable::empty(Section::Constant), known: Vec::new(), sizes: Vec::new() });
        };
        let table = IndexedTable::parse(payload, Section::Constant, payload.offset(), OFFSET_WIDTH)?;
        for index in 0..table.len() {
            if table.item(index).is_none() {
                return Err(payload.place().malformed(format_args!("the offset of constant {index} is out of order or outside the table")));
            }
        }
        Ok(Constants { table, known: vec![None; table.len()], sizes: Vec::new() })
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.known.len()
    }
}

impl Context<'_> {
    /// A constant index, for data of type `ty`.
    pub(crate) fn constant(&mut self, cursor: &mut Cursor<'_>, ty: Option<Type>) -> Result<Const, ReadError> {
        let at = cursor.place();
        let index = cursor.varint()?;
        let slot = usize::try_from(index).ok().filter(|&i| i < self.constants.known.len());
        let Some(slot) = slot else {
            return Err(at.no_entry("constant", index, self.constants.known.len(), "constants in the file"));
        };
        let constant = match self.constants.known[slot] {
            Some(known) => known,
            None => self.new_constant(slot)?,
        };
        self.constant_fits(at, constant, ty)?;
        Ok(constant)
    }

    fn new_constant(&mut self, slot: usize) -> Result<Const, ReadError> {
        let mut item = self.constants.table.item(slot).expect("offsets were checked when the table was parsed");
        let len = item.count("bytes of data", 1)?;
        let constant = self.tables.constants.add(item.take(len)?);
        self.constants.known[slot] = Some(constant);
        Ok(constant)
    }

    /// Checks that the data is one element, or all elements, of a tile of type `ty`.
    fn constant_fits(&mut self, at: Place, constant: Const, ty: Option<Type>) -> Result<(), ReadError> {
        let Some(size) = ty.and_then(|ty| self.data_size(ty)) else {
            return Err(at.malformed(format_args!("constant data needs a tile of numbers")));
        };
        let found = self.tables.constants.bytes(constant).len() as u64;
        if found == size.one() || found == size.all() {
            return Ok(());
        }
        Err(at.malformed(format_args!(
            "the constant must hold one {} in {} bytes or {} of them in {} bytes, found {found} bytes",
            size.element,
            size.one(),
            size.elements,
            size.all()
        )))
    }

    /// How large the data of a type is; `None` if it is not a tile of numbers. Kept, for shapes may be long.
    fn data_size(&mut self, ty: Type) -> Option<DataSize> {
        let sizes = &mut self.constants.sizes;
        if sizes.len() <= ty.index() {
            sizes.resize(self.tables.types.len(), None);
        }
        if sizes[ty.index()].is_none() {
            let (element, shape) = self.tables.types.as_tile(ty)?;
            let element = self.tables.types.scalar(element)?;
            // Interned tiles have at most 2^24 elements.
            let elements = shape.iter().map(|extent| extent.cast_unsigned()).product();
            sizes[ty.index()] = Some(DataSize { element, elements });
        }
        sizes[ty.index()]
    }
}
