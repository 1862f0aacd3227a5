//! The global section (FORMAT section 3.4).

use crate::{
    context::Context,
    cursor::Cursor,
    error::{Place, ReadError},
};
use tilewright_ir::{EnumKind, Global, SymbolVisibility, Type, Version};

impl Context<'_> {
    /// The records of the section. What follows the last one is ignored.
    pub(crate) fn globals(&mut self, mut cursor: Cursor<'_>) -> Result<Vec<Global>, ReadError> {
        let least = if self.version < Version::V13_3 { 4 } else { 6 };
        let count = cursor.count("globals", least)?;
        (0..count).map(|_| self.global(&mut cursor)).collect()
    }

    fn global(&mut self, cursor: &mut Cursor<'_>) -> Result<Global, ReadError> {
        let name = self.name(cursor, "the name of a global")?;
        let at = cursor.place();
        let ty = self.ty(cursor)?;
        self.check_global_type(at, ty)?;
        let value = self.constant(cursor, Some(ty))?;
        let alignment = cursor.varint()?;
        let mut global = Global { name, ty, value, alignment, visibility: SymbolVisibility::Public, constant: false };
        if self.version >= Version::V13_3 {
            let wire = self.enum_value(EnumKind::SymbolVisibility, cursor)?;
            global.visibility = SymbolVisibility::from_wire(wire).expect("the value was checked");
            global.constant = cursor.varint()? != 0;
        }
        Ok(global)
    }

    fn check_global_type(&self, at: Place, ty: Type) -> Result<(), ReadError> {
        let types = &self.tables.types;
        match types.as_tile(ty) {
            Some((element, [_])) if types.scalar(element).is_some() => Ok(()),
            _ => Err(at.malformed(format_args!("the type of a global must be a tile of numbers of rank 1"))),
        }
    }
}
