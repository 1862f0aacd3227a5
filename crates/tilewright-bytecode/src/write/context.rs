//! What the parts of a file share while it is written: the tables that fill up as items are named.

use super::{
    Style,
    error::{WriteError, WriteErrorKind},
    locations::Locations,
    pool::Pool,
    put::Put,
};
use crate::file_layout::FileLayout;
use foldhash::{HashMap, HashMapExt as _};
use tilewright_ir::{Const, Global, Module, Scalar, Str, Type, Version};

/// The state of writing a file.
pub(crate) struct Context<'m> {
    pub(super) module: &'m Module,
    pub(super) version: Version,
    pub(super) style: Style,
    /// Whether the tables began with the items of a file.
    pub(super) is_seeded: bool,
    pub(super) strings: Pool,
    pub(super) types: Pool,
    pub(super) constants: Pool,
    pub(super) locations: Locations,
    /// Whether anything written so far is preview content.
    pub(super) uses_preview: bool,
    string_positions: Positions,
    type_positions: Positions,
    constant_positions: HashMap<(Const, Option<Type>), u32>,
    globals: HashMap<Str, &'m Global>,
    buffer: Vec<u8>,
}

/// Which positions in the file the items of a module's table have, as far as known.
#[derive(Default)]
pub(super) struct Positions(Vec<u32>);

impl Positions {
    const UNKNOWN: u32 = u32::MAX;

    pub(super) fn new(len: usize) -> Positions {
        Positions(vec![Positions::UNKNOWN; len])
    }

    #[inline]
    pub(super) fn get(&self, index: usize) -> Option<u32> {
        self.0.get(index).copied().filter(|&position| position != Positions::UNKNOWN)
    }

    pub(super) fn set(&mut self, index: usize, position: u32) {
        if let Some(slot) = self.0.get_mut(index) {
            *slot = position;
        }
    }
}

impl<'m> Context<'m> {
    /// Empty tables, or those of the layout's file: a layout of another version does not count.
    pub(crate) fn new(module: &'m Module, version: Version, style: Style, layout: Option<&FileLayout>) -> Context<'m> {
        let layout = layout.filter(|layout| layout.version() == version);
        let seeded = |seed: fn(&FileLayout) -> &_| layout.map(|l| Pool::seeded(seed(l), l.bytes())).unwrap_or_default();
        let tables = &module.tables;
        let mut context = Context {
            module,
            version,
            style,
            is_seeded: layout.is_some(),
            strings: seeded(|l| &l.tables().strings),
            types: seeded(|l| &l.tables().types),
            constants: seeded(|l| &l.tables().constants),
            locations: Locations::new(tables.locations.len(), seeded(|l| &l.tables().locations)),
            uses_preview: false,
            string_positions: Positions::new(tables.strings.len()),
            type_positions: Positions::new(tables.types.len()),
            constant_positions: HashMap::new(),
            globals: module.globals.iter().map(|global| (global.name, global)).collect(),
            buffer: Vec::new(),
        };
        if context.is_fresh(Style::Cutile) {
            for scalar in [Scalar::I1, Scalar::I32] {
                context.types.position(&[scalar.tag()], &[scalar.tag()]);
            }
        }
        context
    }

    /// Whether the file is not made after another one, and in this style.
    pub(super) fn is_fresh(&self, style: Style) -> bool {
        !self.is_seeded && self.style == style
    }

    /// The global with this name.
    pub(super) fn global_named(&self, name: Str) -> Option<&'m Global> {
        self.globals.get(&name).copied()
    }

    /// The position of a string.
    pub(super) fn string(&mut self, string: Str) -> u64 {
        if let Some(known) = self.string_positions.get(string.index()) {
            return known.into();
        }
        let bytes = self.module.tables.strings.bytes(string);
        let position = self.strings.position(bytes, bytes);
        self.string_positions.set(string.index(), position);
        position.into()
    }

    /// The position of a type.
    #[inline]
    pub(super) fn ty(&mut self, ty: Type) -> Result<u64, WriteError> {
        match self.type_positions.get(ty.index()) {
            Some(known) => Ok(known.into()),
            None => self.new_type(ty),
        }
    }

    #[cold]
    fn new_type(&mut self, ty: Type) -> Result<u64, WriteError> {
        let types = &self.module.tables.types;
        let since = types.since(ty);
        if since > self.version {
            return Err(self.newer(since, format!("type {}", types.brief(ty))));
        }
        let item = self.type_item(ty)?;
        let position = self.types.position(&item, &item);
        self.type_positions.set(ty.index(), position);
        Ok(position.into())
    }

    /// Makes a type stand at a position, where it is not known to stand elsewhere.
    pub(crate) fn place_type(&mut self, ty: Type, position: u32) {
        if self.type_positions.get(ty.index()).is_none() {
            self.type_positions.set(ty.index(), position);
        }
    }

    /// The position of the data of a constant of type `ty`.
    pub(super) fn constant(&mut self, constant: Const, ty: Option<Type>) -> Result<u64, WriteError> {
        // The C++ writer keeps an item for each type that the same bytes are data of.
        let by_type = if self.is_fresh(Style::Cpp) { ty } else { None };
        if let Some(known) = self.constant_positions.get(&(constant, by_type)) {
            return Ok((*known).into());
        }
        let bytes = self.module.tables.constants.bytes(constant);
        let mut item = std::mem::take(&mut self.buffer);
        item.clear();
        item.count(bytes.len());
        item.extend_from_slice(bytes);
        let position = match by_type {
            None => self.constants.position(bytes, &item),
            Some(ty) => {
                let mut key = Vec::with_capacity(bytes.len() + 5);
                key.varint(self.ty(ty)?);
                key.extend_from_slice(bytes);
                self.constants.position(&key, &item)
            }
        };
        self.buffer = item;
        self.constant_positions.insert((constant, by_type), position);
        Ok(position.into())
    }

    #[cold]
    pub(super) fn newer(&self, needs: Version, feature: String) -> WriteError {
        WriteError::newer(self.version, needs, feature)
    }

    #[cold]
    pub(super) fn error(&self, kind: WriteErrorKind, message: String) -> WriteError {
        WriteError::new(kind, self.version, message)
    }

    #[cold]
    pub(super) fn invalid(&self, message: String) -> WriteError {
        self.error(WriteErrorKind::Invalid, message)
    }
}
