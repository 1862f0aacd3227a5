//! Types: what they are, the rules for building them, and their text.

use crate::{PaddingValue, PtrAttr, Type, Version, tables::InternedSet};
use std::fmt;

/// Marks a dimension or stride that is only known at run time.
pub const DYNAMIC: i64 = i64::MIN;

/// The most elements that a tile may have.
pub const MAX_TILE_ELEMENTS: u64 = 1 << 24;

/// A number type: what tiles are made of and what pointers point to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Scalar {
    /// One bit; one byte in memory.
    I1,
    /// 4-bit integer (13.3), in tiles only.
    I4,
    /// 8-bit integer. Integers carry no sign; operations say how to read them.
    I8,
    /// 16-bit integer.
    I16,
    /// 32-bit integer.
    I32,
    /// 64-bit integer.
    I64,
    /// IEEE binary16.
    F16,
    /// bfloat16: the upper half of an f32.
    Bf16,
    /// IEEE binary32.
    F32,
    /// TensorFloat-32: 19 bits, stored as an f32.
    Tf32,
    /// IEEE binary64.
    F64,
    /// 8-bit float, 4 exponent bits, no infinity.
    F8E4M3FN,
    /// 8-bit float, 5 exponent bits.
    F8E5M2,
    /// 8-bit power of two (13.2).
    F8E8M0FNU,
    /// 4-bit float (13.3).
    F4E2M1FN,
    /// 8-bit unsigned float, 5 exponent bits (13.4).
    Fnv8E5M3FNU,
}

/// What is known of a scalar type: one row of the table below.
struct ScalarRow {
    scalar: Scalar,
    name: &'static str,
    tag: u8,
    bits: u32,
    since: Version,
}

/// The scalar types: text, tag in bytecode, width in bits, first version. In the order of [`Scalar`].
const SCALARS: [ScalarRow; 16] = {
    const fn row(scalar: Scalar, name: &'static str, tag: u8, bits: u32, since: Version) -> ScalarRow {
        ScalarRow { scalar, name, tag, bits, since }
    }
    use Version::{V13_1, V13_2, V13_3, V13_4};
    [
        row(Scalar::I1, "i1", 0, 1, V13_1),
        row(Scalar::I4, "i4", 22, 4, V13_3),
        row(Scalar::I8, "i8", 1, 8, V13_1),
        row(Scalar::I16, "i16", 2, 16, V13_1),
        row(Scalar::I32, "i32", 3, 32, V13_1),
        row(Scalar::I64, "i64", 4, 64, V13_1),
        row(Scalar::F16, "f16", 5, 16, V13_1),
        row(Scalar::Bf16, "bf16", 6, 16, V13_1),
        row(Scalar::F32, "f32", 7, 32, V13_1),
        row(Scalar::Tf32, "tf32", 8, 19, V13_1),
        row(Scalar::F64, "f64", 9, 64, V13_1),
        row(Scalar::F8E4M3FN, "f8E4M3FN", 10, 8, V13_1),
        row(Scalar::F8E5M2, "f8E5M2", 11, 8, V13_1),
        row(Scalar::F8E8M0FNU, "f8E8M0FNU", 18, 8, V13_2),
        row(Scalar::F4E2M1FN, "f4E2M1FN", 19, 4, V13_3),
        row(Scalar::Fnv8E5M3FNU, "fnv8E5M3FNU", 130, 8, V13_4),
    ]
};

impl Scalar {
    /// Every scalar type.
    pub fn all() -> impl Iterator<Item = Scalar> {
        SCALARS.iter().map(|row| row.scalar)
    }

    #[inline]
    const fn row(self) -> &'static ScalarRow {
        &SCALARS[self as usize]
    }

    /// The text of the type.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// The tag of the type in bytecode.
    pub const fn tag(self) -> u8 {
        self.row().tag
    }

    /// The scalar type with this tag in bytecode.
    pub fn from_tag(tag: u8) -> Option<Scalar> {
        SCALARS.iter().find(|row| row.tag == tag).map(|row| row.scalar)
    }

    /// The scalar type with this text.
    pub fn from_name(name: &str) -> Option<Scalar> {
        SCALARS.iter().find(|row| row.name == name).map(|row| row.scalar)
    }

    /// Width of a value in bits: 19 for tf32.
    #[inline]
    pub const fn bits(self) -> u32 {
        self.row().bits
    }

    /// First version that has the type.
    pub const fn since(self) -> Version {
        self.row().since
    }

    /// Whether it is an integer type.
    pub const fn is_int(self) -> bool {
        (self as u8) <= Scalar::I64 as u8
    }

    /// Whether it is a float type.
    pub const fn is_float(self) -> bool {
        !self.is_int()
    }

    /// The interned type, the same in every module.
    pub fn ty(self) -> Type {
        Type::new(self as usize)
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A type. Compound types refer to their parts by handle.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum TypeData {
    /// A number.
    Scalar(Scalar),
    /// A 64-bit address.
    Pointer {
        /// What it points to: a scalar.
        pointee: Type,
        /// The property of the memory, where one is written (13.4).
        attr: Option<PtrAttr>,
    },
    /// A dense array of numbers or pointers, in row-major order.
    Tile {
        /// Element type: a scalar or a pointer.
        element: Type,
        /// Extents; none for a rank-0 tile.
        shape: Box<[i64]>,
    },
    /// A strided array in memory.
    TensorView {
        /// Element type: a scalar.
        element: Type,
        /// Extents, [`DYNAMIC`] where only known at run time.
        shape: Box<[i64]>,
        /// Strides in elements, [`DYNAMIC`] where only known at run time.
        strides: Box<[i64]>,
        /// The property of the memory, where one is written (13.4).
        attr: Option<PtrAttr>,
    },
    /// A tensor cut into a grid of equal tiles.
    PartitionView {
        /// Extents of a tile.
        tile: Box<[i32]>,
        /// The tensor.
        tensor_view: Type,
        /// Tensor dimension of each view dimension.
        dim_map: Box<[i32]>,
        /// What loads give outside the tensor.
        padding: Option<PaddingValue>,
    },
    /// A tensor with tiles at regular distances (13.3).
    StridedView {
        /// Extents of a tile.
        tile: Box<[i32]>,
        /// Distance from tile to tile, in elements.
        traversal_strides: Box<[i32]>,
        /// The tensor.
        tensor_view: Type,
        /// Tensor dimension of each view dimension.
        dim_map: Box<[i32]>,
        /// What loads give outside the tensor.
        padding: Option<PaddingValue>,
    },
    /// A tensor whose tiles collect arbitrary places along one dimension (13.3).
    GatherScatterView {
        /// Extents of a tile.
        tile: Box<[i32]>,
        /// The tensor.
        tensor_view: Type,
        /// The dimension whose coordinates are given one by one.
        sparse_dim: u32,
        /// What loads give outside the tensor.
        padding: Option<PaddingValue>,
    },
    /// The signature of a function.
    Function {
        /// Parameter types.
        inputs: Box<[Type]>,
        /// Result types.
        results: Box<[Type]>,
    },
    /// An ordering of memory operations.
    Token,
}

/// A type that cannot be built, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TypeError(String);

impl fmt::Display for TypeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TypeError {}

/// The interned types of a module: equal types have equal handles.
#[derive(Clone, Debug)]
pub struct TypeTable {
    types: InternedSet<TypeData>,
}

impl Default for TypeTable {
    fn default() -> Self {
        let types = Scalar::all().map(TypeData::Scalar).chain([TypeData::Token]).collect();
        Self { types }
    }
}

impl TypeTable {
    /// The token type.
    #[inline]
    pub fn token() -> Type {
        Type::new(SCALARS.len())
    }

    /// The handle of `data`.
    ///
    /// # Errors
    /// When the parts do not make a legal type.
    pub fn intern(&mut self, data: TypeData) -> Result<Type, TypeError> {
        if let Some(index) = self.types.position(&data) {
            return Ok(Type::new(index));
        }
        self.check(&data)?;
        Ok(Type::new(self.types.add(data)))
    }

    /// The tile of `shape` filled with `element`.
    ///
    /// # Errors
    /// When a dimension is not a positive power of two, the tile is too large, or the element cannot be in a tile.
    pub fn tile(&mut self, element: Type, shape: &[i64]) -> Result<Type, TypeError> {
        self.intern(TypeData::Tile { element, shape: shape.into() })
    }

    /// The pointer to `pointee`.
    ///
    /// # Errors
    /// When `pointee` is not a scalar.
    pub fn pointer(&mut self, pointee: Type) -> Result<Type, TypeError> {
        self.intern(TypeData::Pointer { pointee, attr: None })
    }

    /// What a type is.
    #[inline]
    pub fn get(&self, ty: Type) -> &TypeData {
        self.types.item(ty.index())
    }

    /// The scalar that `ty` is.
    pub fn scalar(&self, ty: Type) -> Option<Scalar> {
        match self.get(ty) {
            TypeData::Scalar(scalar) => Some(*scalar),
            _ => None,
        }
    }

    /// The element type and the shape of a tile.
    pub fn as_tile(&self, ty: Type) -> Option<(Type, &[i64])> {
        match self.get(ty) {
            TypeData::Tile { element, shape } => Some((*element, shape)),
            _ => None,
        }
    }

    /// How many types there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.types.len()
    }

    /// Never: scalars are always there.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// First version that can express a type, its parts included (FORMAT section 4).
    pub fn since(&self, ty: Type) -> Version {
        let attr_since = |attr: &Option<PtrAttr>| match attr {
            None => Version::V13_1,
            Some(PtrAttr::None) => Version::V13_4,
            Some(PtrAttr::Unicast | PtrAttr::Multicast) => Version::V13_5,
        };
        match self.get(ty) {
            TypeData::Scalar(scalar) => scalar.since(),
            TypeData::Token => Version::V13_1,
            TypeData::Pointer { pointee, attr } => self.since(*pointee).max(attr_since(attr)),
            TypeData::Tile { element, .. } => self.since(*element),
            TypeData::TensorView { element, attr, .. } => self.since(*element).max(attr_since(attr)),
            TypeData::PartitionView { tensor_view, .. } => self.since(*tensor_view),
            TypeData::StridedView { tensor_view, .. } | TypeData::GatherScatterView { tensor_view, .. } => {
                self.since(*tensor_view).max(Version::V13_3)
            }
            TypeData::Function { inputs, results } => inputs.iter().chain(results).map(|&t| self.since(t)).max().unwrap_or(Version::V13_1),
        }
    }

    /// The text of a type.
    pub fn display(&self, ty: Type) -> TypeDisplay<'_> {
        TypeDisplay { table: self, ty }
    }

    /// The text of a type for a message: cut off where it gets long, as types that nobody has checked may be.
    pub fn brief(&self, ty: Type) -> String {
        let mut text = Brief(String::new());
        match fmt::write(&mut text, format_args!("{}", self.display(ty))) {
            Ok(()) => text.0,
            Err(fmt::Error) => text.0 + "...",
        }
    }

    fn check(&self, data: &TypeData) -> Result<(), TypeError> {
        match data {
            TypeData::Scalar(_) | TypeData::Token => Ok(()),
            TypeData::Function { inputs, results } => self.check_function(inputs, results),
            TypeData::Pointer { pointee, .. } => self.check_pointee(*pointee),
            TypeData::Tile { element, shape } => self.check_tile(*element, shape),
            TypeData::TensorView { element, shape, strides, .. } => self.check_tensor_view(*element, shape, strides),
            TypeData::PartitionView { tile, tensor_view, dim_map, padding } => {
                self.check_view(tile, *tensor_view, *padding)?;
                check_dim_map(dim_map, tile.len())
            }
            TypeData::StridedView { tile, traversal_strides, tensor_view, dim_map, padding } => {
                self.check_view(tile, *tensor_view, *padding)?;
                check_dim_map(dim_map, tile.len())?;
                check_traversal(traversal_strides, tile.len())
            }
            TypeData::GatherScatterView { tile, tensor_view, sparse_dim, padding } => {
                self.check_view(tile, *tensor_view, *padding)?;
                if (*sparse_dim as usize) < tile.len() {
                    Ok(())
                } else {
                    fail(format!("sparse dimension {sparse_dim} is out of range for a view of rank {}", tile.len()))
                }
            }
        }
    }

    /// Function types do not nest, so that types have few levels: nobody needs to guard against deep or branching ones.
    fn check_function(&self, inputs: &[Type], results: &[Type]) -> Result<(), TypeError> {
        match inputs.iter().chain(results).any(|&ty| matches!(self.get(ty), TypeData::Function { .. })) {
            true => fail("a function cannot take or give functions".to_owned()),
            false => Ok(()),
        }
    }

    fn check_pointee(&self, pointee: Type) -> Result<(), TypeError> {
        match self.scalar(pointee) {
            Some(Scalar::I4) | None => fail(format!("a pointer cannot point to {}", self.brief(pointee))),
            Some(_) => Ok(()),
        }
    }

    fn check_tile(&self, element: Type, shape: &[i64]) -> Result<(), TypeError> {
        if !matches!(self.get(element), TypeData::Scalar(_) | TypeData::Pointer { .. }) {
            return fail(format!("the element of a tile must be a number or a pointer, found {}", self.brief(element)));
        }
        let pointee = if let TypeData::Pointer { pointee, .. } = self.get(element) { self.scalar(*pointee) } else { None };
        if pointee == Some(Scalar::F4E2M1FN) && !shape.is_empty() {
            return fail(format!("a tile of pointers to {} has rank 0, found rank {}", Scalar::F4E2M1FN, shape.len()));
        }
        check_tile_extents(self.scalar(element), shape.iter().copied())
    }

    fn check_tensor_view(&self, element: Type, shape: &[i64], strides: &[i64]) -> Result<(), TypeError> {
        if !matches!(self.scalar(element), Some(scalar) if scalar != Scalar::I4) {
            return fail(format!("the element of a tensor_view must be a number in memory, found {}", self.brief(element)));
        }
        if shape.len() != strides.len() {
            return fail(format!("a tensor_view has {} dimensions but {} strides", shape.len(), strides.len()));
        }
        match shape.iter().chain(strides).find(|&&n| n != DYNAMIC && n <= 0) {
            Some(n) => fail(format!("dimensions and strides of a tensor_view must be positive, found {n}")),
            None => Ok(()),
        }
    }

    fn check_view(&self, tile: &[i32], tensor_view: Type, padding: Option<PaddingValue>) -> Result<(), TypeError> {
        let TypeData::TensorView { element, shape, .. } = self.get(tensor_view) else {
            return fail(format!("a view needs a tensor_view, found {}", self.brief(tensor_view)));
        };
        if shape.is_empty() {
            return fail("a view needs a tensor of rank 1 or more, found rank 0".to_owned());
        }
        if tile.len() != shape.len() {
            return fail(format!("a tile of rank {} does not fit a tensor of rank {}", tile.len(), shape.len()));
        }
        let element = self.scalar(*element);
        if let (Some(padding), Some(element)) = (padding, element)
            && padding != PaddingValue::Zero
            && element.is_int()
        {
            return fail(format!("padding {} needs floats, found {element}", padding.keyword()));
        }
        check_tile_extents(element, tile.iter().map(|&n| i64::from(n)))
    }
}

fn fail(message: String) -> Result<(), TypeError> {
    Err(TypeError(message))
}

fn check_tile_extents(element: Option<Scalar>, shape: impl Iterator<Item = i64>) -> Result<(), TypeError> {
    let mut elements = 1u64;
    for extent in shape {
        if extent <= 0 || !extent.cast_unsigned().is_power_of_two() {
            return fail(format!("a tile's dimensions must be positive powers of two, found {extent}"));
        }
        elements = elements.saturating_mul(extent.cast_unsigned());
    }
    if elements > MAX_TILE_ELEMENTS {
        return fail(format!("a tile has at most {MAX_TILE_ELEMENTS} elements, found {elements}"));
    }
    if element == Some(Scalar::F4E2M1FN) && !elements.is_multiple_of(2) {
        return fail(format!("a tile of {} has an even number of elements, found {elements}", Scalar::F4E2M1FN));
    }
    Ok(())
}

fn check_dim_map(dim_map: &[i32], rank: usize) -> Result<(), TypeError> {
    let mut seen = vec![false; rank];
    for &dim in dim_map {
        match usize::try_from(dim).ok().and_then(|d| seen.get_mut(d)) {
            Some(slot) if !*slot => *slot = true,
            _ => return fail(format!("dim_map must be a permutation of 0..{rank}, found {dim} twice or out of range")),
        }
    }
    if dim_map.len() != rank {
        return fail(format!("dim_map has {} entries for a view of rank {rank}", dim_map.len()));
    }
    Ok(())
}

fn check_traversal(strides: &[i32], rank: usize) -> Result<(), TypeError> {
    if strides.len() != rank {
        return fail(format!("traversal_strides has {} entries for a view of rank {rank}", strides.len()));
    }
    match strides.iter().find(|&&s| s <= 0) {
        Some(s) => fail(format!("traversal strides must be positive, found {s}")),
        None => Ok(()),
    }
}

/// Takes the first characters of a text, then fails.
struct Brief(String);

/// How many bytes of a type a message shows.
const BRIEF_LEN: usize = 120;

impl fmt::Write for Brief {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > BRIEF_LEN {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

/// Prints a type; see [`TypeTable::display`].
#[derive(Clone, Copy)]
pub struct TypeDisplay<'a> {
    table: &'a TypeTable,
    ty: Type,
}

impl TypeDisplay<'_> {
    fn part(&self, ty: Type) -> TypeDisplay<'_> {
        self.table.display(ty)
    }

    fn tensor_view(&self, f: &mut fmt::Formatter<'_>, element: Type, shape: &[i64], strides: &[i64], attr: Option<PtrAttr>) -> fmt::Result {
        f.write_str("tensor_view<")?;
        for &extent in shape {
            write_extent(f, extent)?;
            f.write_str("x")?;
        }
        write!(f, "{}", self.part(element))?;
        if !strides.is_empty() {
            f.write_str(", strides=[")?;
            for (i, &stride) in strides.iter().enumerate() {
                if i > 0 {
                    f.write_str(",")?;
                }
                write_extent(f, stride)?;
            }
            f.write_str("]")?;
        }
        if let Some(attr) = attr {
            write!(f, ", #cuda_tile.ptr_attr<{}>", attr.keyword())?;
        }
        f.write_str(">")
    }
}

fn write_extent(f: &mut fmt::Formatter<'_>, extent: i64) -> fmt::Result {
    if extent == DYNAMIC { f.write_str("?") } else { write!(f, "{extent}") }
}

fn write_list(f: &mut fmt::Formatter<'_>, items: &[i32], separator: &str) -> fmt::Result {
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            f.write_str(separator)?;
        }
        write!(f, "{item}")?;
    }
    Ok(())
}

fn write_tile_shape(f: &mut fmt::Formatter<'_>, tile: &[i32]) -> fmt::Result {
    f.write_str("tile=(")?;
    write_list(f, tile, "x")?;
    f.write_str("), ")
}

fn write_padding(f: &mut fmt::Formatter<'_>, padding: Option<PaddingValue>) -> fmt::Result {
    match padding {
        Some(padding) => write!(f, "padding_value = {}, ", padding.keyword()),
        None => Ok(()),
    }
}

fn write_dim_map(f: &mut fmt::Formatter<'_>, dim_map: &[i32]) -> fmt::Result {
    if dim_map.iter().enumerate().all(|(i, &dim)| usize::try_from(dim) == Ok(i)) {
        return Ok(());
    }
    f.write_str(", dim_map=[")?;
    write_list(f, dim_map, ", ")?;
    f.write_str("]")
}

impl fmt::Display for TypeDisplay<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.table.get(self.ty) {
            TypeData::Scalar(scalar) => f.write_str(scalar.name()),
            TypeData::Token => f.write_str("token"),
            TypeData::Pointer { pointee, attr: None } => write!(f, "ptr<{}>", self.part(*pointee)),
            TypeData::Pointer { pointee, attr: Some(attr) } => write!(f, "ptr<{}, <{}>>", self.part(*pointee), attr.keyword()),
            TypeData::Tile { element, shape } => {
                f.write_str("tile<")?;
                for extent in shape {
                    write!(f, "{extent}x")?;
                }
                write!(f, "{}>", self.part(*element))
            }
            TypeData::TensorView { element, shape, strides, attr } => self.tensor_view(f, *element, shape, strides, *attr),
            TypeData::PartitionView { tile, tensor_view, dim_map, padding } => {
                f.write_str("partition_view<")?;
                write_tile_shape(f, tile)?;
                write_padding(f, *padding)?;
                write!(f, "{}", self.part(*tensor_view))?;
                write_dim_map(f, dim_map)?;
                f.write_str(">")
            }
            TypeData::StridedView { tile, traversal_strides, tensor_view, dim_map, padding } => {
                f.write_str("strided_view<")?;
                write_tile_shape(f, tile)?;
                f.write_str("traversal_strides=[")?;
                write_list(f, traversal_strides, ",")?;
                f.write_str("], ")?;
                write_padding(f, *padding)?;
                write!(f, "{}", self.part(*tensor_view))?;
                write_dim_map(f, dim_map)?;
                f.write_str(">")
            }
            TypeData::GatherScatterView { tile, tensor_view, sparse_dim, padding } => {
                f.write_str("gather_scatter_view<")?;
                write_tile_shape(f, tile)?;
                write_padding(f, *padding)?;
                write!(f, "{}, sparse_dim={sparse_dim}>", self.part(*tensor_view))
            }
            TypeData::Function { inputs, results } => {
                write_types(f, self.table, inputs)?;
                f.write_str(" -> ")?;
                write_types(f, self.table, results)
            }
        }
    }
}

fn write_types(f: &mut fmt::Formatter<'_>, table: &TypeTable, types: &[Type]) -> fmt::Result {
    f.write_str("(")?;
    for (i, &ty) in types.iter().enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        write!(f, "{}", table.display(ty))?;
    }
    f.write_str(")")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalar_rows_are_in_order() {
        for (i, scalar) in Scalar::all().enumerate() {
            assert_eq!(scalar as usize, i);
            assert_eq!(Scalar::from_tag(scalar.tag()), Some(scalar));
            assert_eq!(Scalar::from_name(scalar.name()), Some(scalar));
            assert_eq!(TypeTable::default().scalar(scalar.ty()), Some(scalar));
        }
    }

    #[test]
    fn equal_types_share_a_handle() {
        let mut table = TypeTable::default();
        let tile = table.tile(Scalar::F32.ty(), &[4, 2]).unwrap();
        assert_eq!(tile, table.tile(Scalar::F32.ty(), &[4, 2]).unwrap());
        assert_eq!(table.display(tile).to_string(), "tile<4x2xf32>");
        assert_eq!(table.display(TypeTable::token()).to_string(), "token");
    }

    #[test]
    fn views_print_like_the_disassembler() {
        let mut table = TypeTable::default();
        let tensor_view = table
            .intern(TypeData::TensorView {
                element: Scalar::F32.ty(),
                shape: [64, DYNAMIC].into(),
                strides: [DYNAMIC, 1].into(),
                attr: None,
            })
            .unwrap();
        let view = TypeData::PartitionView { tile: [8, 8].into(), tensor_view, dim_map: [1, 0].into(), padding: Some(PaddingValue::Zero) };
        let view = table.intern(view).unwrap();
        let text = "partition_view<tile=(8x8), padding_value = zero, tensor_view<64x?xf32, strides=[?,1]>, dim_map=[1, 0]>";
        assert_eq!(table.display(view).to_string(), text);
    }

    #[test]
    fn illegal_types_are_refused() {
        let mut table = TypeTable::default();
        for shape in [&[3][..], &[0], &[-4], &[1 << 25], &[1 << 20, 1 << 20, 1 << 40]] {
            assert!(table.tile(Scalar::F32.ty(), shape).is_err(), "{shape:?}");
        }
        let pointer = table.pointer(Scalar::F32.ty()).unwrap();
        assert!(table.pointer(pointer).is_err());
        assert!(table.tile(TypeTable::token(), &[]).is_err());
        assert!(table.tile(Scalar::F4E2M1FN.ty(), &[1]).is_err());
        let function = table.intern(TypeData::Function { inputs: [].into(), results: [].into() }).unwrap();
        assert!(table.intern(TypeData::Function { inputs: [function].into(), results: [].into() }).is_err());
    }

    #[test]
    fn padding_other_than_zero_needs_floats() {
        let mut table = TypeTable::default();
        for (element, padding, legal) in [
            (Scalar::I32, PaddingValue::Zero, true),
            (Scalar::I32, PaddingValue::NegZero, false),
            (Scalar::F32, PaddingValue::NegZero, true),
            (Scalar::F8E8M0FNU, PaddingValue::Nan, true),
        ] {
            let element = element.ty();
            let view = TypeData::TensorView { element, shape: [8].into(), strides: [1].into(), attr: None };
            let tensor_view = table.intern(view).unwrap();
            let view = TypeData::PartitionView { tile: [4].into(), tensor_view, dim_map: [0].into(), padding: Some(padding) };
            assert_eq!(table.intern(view).is_ok(), legal, "{padding:?}");
        }
    }

    #[test]
    fn messages_show_the_beginning_of_long_types() {
        let mut table = TypeTable::default();
        let shape = vec![1; 1000];
        let tile = table.tile(Scalar::F32.ty(), &shape).unwrap();
        let text = table.brief(tile);
        assert!(text.starts_with("tile<1x1x") && text.ends_with("..."), "{text}");
        assert!(text.len() <= BRIEF_LEN + 3);
        assert_eq!(table.brief(Scalar::F32.ty()), "f32");
    }
}
