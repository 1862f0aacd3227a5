//! Common names for the types, strings, attributes and constants of two modules.

use crate::{
    ir::{Attr, AttrData, AttrTable, AttrValue, Const, Loc, LocData, Module, Scalar, Str, StringTable, Tables, Type, TypeData, TypeTable},
    text,
};
use std::collections::HashMap;

/// Tables that both modules are entered into: equal things get equal handles.
#[derive(Default)]
pub(super) struct Canon {
    strings: StringTable,
    types: TypeTable,
    attrs: AttrTable,
    constants: HashMap<Box<[u8]>, u64>,
    locations: HashMap<LocData, Loc>,
}

/// A module with the common handles of its own.
pub(super) struct Side<'m> {
    pub(super) module: &'m Module,
    strings: Vec<Str>,
    types: Vec<Type>,
    attrs: Vec<Attr>,
    locations: Vec<Loc>,
}

/// The value of an attribute in common handles; for constants a common number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum CommonAttr {
    Plain(AttrValue),
    Constant(u64),
}

impl Canon {
    /// Enters a module.
    pub(super) fn side<'m>(&mut self, module: &'m Module) -> Side<'m> {
        let tables = &module.tables;
        let strings = (0..tables.strings.len()).map(|i| self.strings.intern(tables.strings.bytes(Str::new(i)))).collect();
        let mut side = Side { module, strings, types: Vec::new(), attrs: Vec::new(), locations: Vec::new() };
        // Whatever refers to other entries of its table stands after them.
        for index in 0..tables.types.len() {
            let data = side.common_type(tables.types.get(Type::new(index)));
            side.types.push(self.types.intern(data).expect("a type of one table is legal in every table"));
        }
        for index in 0..tables.attrs.len() {
            let attr = Attr::new(index);
            let data = match tables.attrs.get(attr) {
                AttrData::OptimizationHints(_) => self.hints(module, attr),
                data => side.common_data(tables, data),
            };
            side.attrs.push(self.attrs.intern(data));
        }
        for index in 0..tables.locations.len() {
            let data = side.common_location(*tables.locations.get(Loc::new(index)));
            let next = Loc::new(self.locations.len());
            side.locations.push(*self.locations.entry(data).or_insert(next));
        }
        side
    }

    /// What hints say: their text, in which numbers have no types. NVIDIA's tools take hints of any integer type alike.
    fn hints(&mut self, module: &Module, attr: Attr) -> AttrData {
        let text = self.strings.intern(text::print_compound(module, attr));
        let nothing = self.attrs.intern(AttrData::Dictionary([].into()));
        AttrData::OptimizationHints([(text, nothing)].into())
    }

    /// The number of a constant that is read as a tile of type `ty`, the same for constants of equal elements.
    pub(super) fn constant(&mut self, side: &Side<'_>, constant: Const, ty: Option<Type>) -> u64 {
        let tables = &side.module.tables;
        let bytes = if constant.index() < tables.constants.len() { tables.constants.bytes(constant) } else { &[] };
        let bytes = shortest(bytes, ty.and_then(|ty| element_bytes(tables, ty)));
        if let Some(&number) = self.constants.get(bytes) {
            return number;
        }
        let number = self.constants.len() as u64;
        self.constants.insert(bytes.into(), number);
        number
    }

    /// The value of an attribute of an operation whose first result has type `ty`.
    pub(super) fn attr(&mut self, side: &Side<'_>, value: AttrValue, ty: Option<Type>) -> CommonAttr {
        CommonAttr::Plain(match value {
            AttrValue::Const(constant) => return CommonAttr::Constant(self.constant(side, constant, ty)),
            AttrValue::Str(string) => AttrValue::Str(side.string(string)),
            AttrValue::Type(ty) => AttrValue::Type(side.ty(ty)),
            AttrValue::Attr(attr) => AttrValue::Attr(side.attr(attr)),
            AttrValue::Absent | AttrValue::Unit | AttrValue::Enum(_) | AttrValue::Int(_) | AttrValue::Bool(_) => value,
        })
    }
}

/// How many bytes an element takes in constant data; `None` where elements are packed.
fn element_bytes(tables: &Tables, ty: Type) -> Option<usize> {
    let (element, _) = tables.types.as_tile(ty)?;
    let scalar = tables.types.scalar(element).filter(|&scalar| scalar != Scalar::I1)?;
    Some(scalar.bits().div_ceil(8) as usize)
}

/// The data of a constant: a single element where all are equal.
fn shortest(bytes: &[u8], element: Option<usize>) -> &[u8] {
    let Some(size) = element.filter(|&size| size < bytes.len()) else { return bytes };
    let (first, _) = bytes.split_at(size);
    if bytes.chunks(size).all(|element| element == first) { first } else { bytes }
}

/// The common handle of a handle, which a broken module may not have.
fn common<T: Copy>(map: &[T], index: usize, default: T) -> T {
    map.get(index).copied().unwrap_or(default)
}

impl Side<'_> {
    /// The common handle of a string.
    pub(super) fn string(&self, string: Str) -> Str {
        common(&self.strings, string.index(), string)
    }

    /// The common handle of a type.
    pub(super) fn ty(&self, ty: Type) -> Type {
        common(&self.types, ty.index(), ty)
    }

    /// The common handle of an attribute.
    pub(super) fn attr(&self, attr: Attr) -> Attr {
        common(&self.attrs, attr.index(), attr)
    }

    /// The common handle of a location.
    pub(super) fn location(&self, loc: Option<Loc>) -> Option<Loc> {
        loc.and_then(|loc| self.locations.get(loc.index()).copied())
    }

    fn common_types(&self, types: &[Type]) -> Box<[Type]> {
        types.iter().map(|&ty| self.ty(ty)).collect()
    }

    fn common_type(&self, data: &TypeData) -> TypeData {
        let mut data = data.clone();
        match &mut data {
            TypeData::Scalar(_) | TypeData::Token => {}
            TypeData::Pointer { pointee: part, .. }
            | TypeData::Tile { element: part, .. }
            | TypeData::TensorView { element: part, .. }
            | TypeData::PartitionView { tensor_view: part, .. }
            | TypeData::StridedView { tensor_view: part, .. }
            | TypeData::GatherScatterView { tensor_view: part, .. } => *part = self.ty(*part),
            TypeData::Function { inputs, results } => {
                *inputs = self.common_types(inputs);
                *results = self.common_types(results);
            }
        }
        data
    }

    fn common_data(&self, tables: &Tables, data: &AttrData) -> AttrData {
        let entries = |entries: &[(Str, Attr)]| {
            let mut entries: Box<[_]> = entries.iter().map(|&(key, value)| (self.string(key), self.attr(value))).collect();
            entries.sort_by_key(|(key, _)| *key);
            entries
        };
        match data {
            AttrData::Integer { ty, bits } if tables.types.scalar(*ty) == Some(Scalar::I1) => AttrData::Bool(*bits != 0),
            AttrData::Integer { ty, bits } => AttrData::Integer { ty: self.ty(*ty), bits: *bits },
            AttrData::Float { ty, bits } => AttrData::Float { ty: self.ty(*ty), bits: *bits },
            AttrData::Type(ty) => AttrData::Type(self.ty(*ty)),
            AttrData::String(string) => AttrData::String(self.string(*string)),
            AttrData::Array(items) => AttrData::Array(items.iter().map(|&item| self.attr(item)).collect()),
            AttrData::Dictionary(items) => AttrData::Dictionary(entries(items)),
            // `Canon::hints` has them.
            AttrData::OptimizationHints(_)
            | AttrData::Bool(_)
            | AttrData::DivBy { .. }
            | AttrData::SameElements(_)
            | AttrData::Bounded { .. }
            | AttrData::MultimemReductionKind(_)
            | AttrData::I32Array(_)
            | AttrData::BoolArray(_) => data.clone(),
        }
    }

    fn common_location(&self, data: LocData) -> LocData {
        let mut data = data;
        let loc = |loc: &mut Option<Loc>| *loc = self.location(*loc);
        let string = |string: &mut Str| *string = self.string(*string);
        match &mut data {
            LocData::CompileUnit { file } => loc(file),
            LocData::File { name, directory } => {
                string(name);
                string(directory);
            }
            LocData::LexicalBlock { scope, file, .. } => {
                loc(scope);
                loc(file);
            }
            LocData::Source { scope, file, .. } => {
                loc(scope);
                string(file);
            }
            LocData::Subprogram { file, name, linkage_name, unit, .. } => {
                loc(file);
                string(name);
                string(linkage_name);
                loc(unit);
            }
            LocData::CallSite { callee, caller } => {
                loc(callee);
                loc(caller);
            }
        }
        data
    }
}
