//! Sets of types: what the op table says about operands and results.

use crate::{Scalar, Type, TypeData, TypeTable};

/// A set of types, as a column of the op table: kinds of values, perhaps of rank 0 only.
///
/// [`TypeSet::of`] gives the set that holds just one kind, so that a check is one comparison of bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TypeSet(u32);

/// Bits from 0: tiles of each scalar type.
const POINTER_BIT: u32 = 16;
const TOKEN_BIT: u32 = 17;
const TENSOR_VIEW_BIT: u32 = 18;
const PARTITION_VIEW_BIT: u32 = 19;
const STRIDED_VIEW_BIT: u32 = 20;
const GATHER_SCATTER_VIEW_BIT: u32 = 21;
/// Numbers and pointers outside of tiles, functions: types that no value has.
const OTHER_BIT: u32 = 22;
/// In a set: rank 0 only. In the set of one type: it has rank 0.
const SCALAR: u32 = 1 << 31;

const fn tiles(scalars: &[Scalar]) -> TypeSet {
    let mut bits = 0;
    let mut i = 0;
    while i < scalars.len() {
        bits |= 1 << scalars[i] as u32;
        i += 1;
    }
    TypeSet(bits)
}

impl TypeSet {
    /// Tiles of `i1`.
    pub const I1: TypeSet = tiles(&[Scalar::I1]);
    /// Tiles of `i8`.
    pub const I8: TypeSet = tiles(&[Scalar::I8]);
    /// Tiles of `i32`.
    pub const I32: TypeSet = tiles(&[Scalar::I32]);
    /// Tiles of `i64`.
    pub const I64: TypeSet = tiles(&[Scalar::I64]);
    /// Tiles of `f32`.
    pub const F32: TypeSet = tiles(&[Scalar::F32]);
    /// Tiles of integers that arithmetic knows.
    pub const INT: TypeSet = tiles(&[Scalar::I1, Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64]);
    /// Tiles of integers, with `i4`.
    pub const INT_OR_I4: TypeSet = TypeSet::INT.or(tiles(&[Scalar::I4]));
    /// Tiles of integers that are exponents.
    pub const EXPONENT: TypeSet = tiles(&[Scalar::I1, Scalar::I8, Scalar::I16, Scalar::I32]);
    /// Tiles of floats that arithmetic knows.
    pub const FLOAT: TypeSet = tiles(&[Scalar::F16, Scalar::Bf16, Scalar::F32, Scalar::F64]);
    /// Tiles of any floats.
    pub const ANY_FLOAT: TypeSet = TypeSet::FLOAT.or(tiles(&[
        Scalar::Tf32,
        Scalar::F8E4M3FN,
        Scalar::F8E5M2,
        Scalar::F8E8M0FNU,
        Scalar::F4E2M1FN,
        Scalar::Fnv8E5M3FNU,
    ]));
    /// Tiles of numbers but `i4`.
    pub const NUMBER: TypeSet = TypeSet::INT.or(TypeSet::ANY_FLOAT);
    /// Tiles of numbers.
    pub const NUMBER_OR_I4: TypeSet = TypeSet::NUMBER.or(tiles(&[Scalar::I4]));
    /// Tiles of floats that matrices are multiplied of.
    pub const MMA_FLOAT: TypeSet = TypeSet::FLOAT.or(tiles(&[Scalar::Tf32, Scalar::F8E4M3FN, Scalar::F8E5M2]));
    /// Tiles of floats that products of matrices are added to.
    pub const MMA_ACC: TypeSet = tiles(&[Scalar::F16, Scalar::F32, Scalar::F64]);
    /// Tiles of floats that scaled matrices are multiplied of.
    pub const SCALED_FLOAT: TypeSet = tiles(&[Scalar::F8E4M3FN, Scalar::F8E5M2, Scalar::F4E2M1FN]);
    /// Tiles of floats that scale blocks of matrices.
    pub const SCALE: TypeSet = tiles(&[Scalar::F8E4M3FN, Scalar::F8E8M0FNU, Scalar::Fnv8E5M3FNU]);
    /// Tiles of pointers.
    pub const POINTER: TypeSet = TypeSet(1 << POINTER_BIT);
    /// All tiles.
    pub const TILE: TypeSet = TypeSet::NUMBER_OR_I4.or(TypeSet::POINTER);
    /// Tokens.
    pub const TOKEN: TypeSet = TypeSet(1 << TOKEN_BIT);
    /// `tensor_view`.
    pub const TENSOR_VIEW: TypeSet = TypeSet(1 << TENSOR_VIEW_BIT);
    /// `partition_view`.
    pub const PARTITION_VIEW: TypeSet = TypeSet(1 << PARTITION_VIEW_BIT);
    /// `strided_view`.
    pub const STRIDED_VIEW: TypeSet = TypeSet(1 << STRIDED_VIEW_BIT);
    /// `gather_scatter_view`.
    pub const GATHER_SCATTER_VIEW: TypeSet = TypeSet(1 << GATHER_SCATTER_VIEW_BIT);
    /// The views that tiles are loaded from.
    pub const VIEW: TypeSet = TypeSet::PARTITION_VIEW.or(TypeSet::STRIDED_VIEW).or(TypeSet::GATHER_SCATTER_VIEW);
    /// Every type.
    pub const ANY: TypeSet = TypeSet(!SCALAR);

    /// The names that messages use, the largest sets first.
    const NAMES: [(TypeSet, &'static str); 20] = [
        (TypeSet::TILE, "a tile"),
        (TypeSet::NUMBER_OR_I4, "a tile of numbers"),
        (TypeSet::NUMBER, "a tile of numbers other than i4"),
        (TypeSet::ANY_FLOAT, "a tile of floats"),
        (TypeSet::MMA_FLOAT, "a tile of f16, bf16, f32, f64, tf32, f8E4M3FN or f8E5M2"),
        (TypeSet::FLOAT, "a tile of f16, bf16, f32 or f64"),
        (TypeSet::INT_OR_I4, "a tile of integers"),
        (TypeSet::INT, "a tile of i1, i8, i16, i32 or i64"),
        (TypeSet::EXPONENT, "a tile of i1, i8, i16 or i32"),
        (TypeSet::MMA_ACC, "a tile of f16, f32 or f64"),
        (TypeSet::SCALED_FLOAT, "a tile of f8E4M3FN, f8E5M2 or f4E2M1FN"),
        (TypeSet::SCALE, "a tile of f8E4M3FN, f8E8M0FNU or fnv8E5M3FNU"),
        (TypeSet::POINTER, "a tile of pointers"),
        (TypeSet::VIEW, "a partition_view, strided_view or gather_scatter_view"),
        (TypeSet::PARTITION_VIEW, "a partition_view"),
        (TypeSet::STRIDED_VIEW, "a strided_view"),
        (TypeSet::GATHER_SCATTER_VIEW, "a gather_scatter_view"),
        (TypeSet::TENSOR_VIEW, "a tensor_view"),
        (TypeSet::TOKEN, "a token"),
        (TypeSet::ANY, "a value"),
    ];

    /// The types of both.
    const fn or(self, other: TypeSet) -> TypeSet {
        TypeSet(self.0 | other.0)
    }

    /// The types that both have.
    pub const fn and(self, other: TypeSet) -> TypeSet {
        // Rank 0 is asked for where one of them does.
        TypeSet(self.0 & other.0 & !SCALAR | (self.0 | other.0) & SCALAR)
    }

    /// The types of rank 0 among them.
    pub const fn scalar(self) -> TypeSet {
        TypeSet(self.0 | SCALAR)
    }

    /// The scalars whose tiles are in the set.
    pub fn scalars(self) -> impl Iterator<Item = Scalar> {
        Scalar::all().filter(move |scalar| self.0 >> *scalar as u32 & 1 != 0)
    }

    /// Whether tiles of pointers are in the set.
    pub const fn has_pointers(self) -> bool {
        self.0 >> POINTER_BIT & 1 != 0
    }

    /// Whether all its types have rank 0.
    pub const fn is_scalar(self) -> bool {
        self.0 & SCALAR != 0
    }

    /// What kind of type one type is.
    pub fn of(types: &TypeTable, ty: Type) -> TypeSet {
        let bit = |bit: u32| TypeSet(1 << bit);
        match types.get(ty) {
            TypeData::Tile { element, shape } => {
                let kind = bit(types.scalar(*element).map_or(POINTER_BIT, |scalar| scalar as u32));
                if shape.is_empty() { kind.scalar() } else { kind }
            }
            TypeData::Token => bit(TOKEN_BIT),
            TypeData::TensorView { .. } => bit(TENSOR_VIEW_BIT),
            TypeData::PartitionView { .. } => bit(PARTITION_VIEW_BIT),
            TypeData::StridedView { .. } => bit(STRIDED_VIEW_BIT),
            TypeData::GatherScatterView { .. } => bit(GATHER_SCATTER_VIEW_BIT),
            TypeData::Scalar(_) | TypeData::Pointer { .. } | TypeData::Function { .. } => bit(OTHER_BIT),
        }
    }

    /// Whether the set holds a type of this kind, as [`TypeSet::of`] gives it.
    #[inline]
    pub const fn accepts(self, kind: TypeSet) -> bool {
        self.0 & kind.0 & !SCALAR != 0 && self.0 & SCALAR <= kind.0 & SCALAR
    }

    /// The set in words, for messages.
    pub fn describe(self) -> String {
        let kinds = TypeSet(self.0 & !SCALAR);
        let name = match tiles_of(kinds) {
            Some(scalar) => format!("a tile of {scalar}"),
            None => TypeSet::NAMES.iter().find(|(set, _)| *set == kinds).map_or("another type", |(_, name)| name).to_owned(),
        };
        if self.0 & SCALAR == 0 { name } else { name.replacen("a tile", "a tile of rank 0", 1).replacen("rank 0 of", "rank 0, of", 1) }
    }
}

/// The only scalar whose tiles are in the set.
fn tiles_of(set: TypeSet) -> Option<Scalar> {
    Scalar::all().find(|&scalar| set == tiles(&[scalar]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::{Opcode, Results};

    #[test]
    fn sets_hold_what_they_say() {
        let mut types = TypeTable::default();
        let scalar = types.tile(Scalar::I32.ty(), &[]).unwrap();
        let vector = types.tile(Scalar::I32.ty(), &[4]).unwrap();
        let (scalar, vector) = (TypeSet::of(&types, scalar), TypeSet::of(&types, vector));
        assert!(TypeSet::INT.accepts(scalar) && TypeSet::INT.accepts(vector));
        assert!(TypeSet::INT.scalar().accepts(scalar) && !TypeSet::INT.scalar().accepts(vector));
        assert!(!TypeSet::FLOAT.accepts(scalar) && TypeSet::ANY.accepts(vector));
        assert!(!TypeSet::TILE.accepts(TypeSet::of(&types, TypeTable::token())));
    }

    #[test]
    fn every_set_of_the_table_has_a_name() {
        for def in Opcode::ALL.iter().map(|opcode| opcode.def()) {
            let results = match def.results {
                Results::Fixed(results) => results.iter().map(|r| r.types).collect(),
                Results::Variadic(_) => Vec::new(),
            };
            for set in def.operands.iter().map(|o| o.types).chain(results) {
                assert_ne!(set.describe(), "another type", "{}", def.mnemonic);
            }
        }
        assert_eq!(TypeSet::INT.scalar().describe(), "a tile of rank 0, of i1, i8, i16, i32 or i64");
        assert_eq!(TypeSet::I32.scalar().describe(), "a tile of rank 0, of i32");
    }
}
