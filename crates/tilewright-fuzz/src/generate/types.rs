//! Element types, shapes and tiles.

use super::Generator;
use tilewright_ir::{EnumKind, PtrAttr, Scalar, Type, TypeData, TypeTable, ops::TypeSet};

/// The most elements that tiles mostly have, as a power of two.
const USUAL_ELEMENTS: u32 = 7;
/// The most elements that a tile can have, as a power of two.
const MOST_ELEMENTS: u32 = 24;
/// How many dimensions tiles have. The first is the simplest.
const RANKS: [usize; 8] = [0, 1, 2, 1, 2, 3, 0, 4];

/// What an element type asks of the shape of its tile.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Need {
    /// Nothing.
    Any,
    /// An even number of elements: two of them share a byte.
    Even,
    /// Rank 0.
    Scalar,
}

impl Generator<'_, '_> {
    /// The scalars of a set that the version has.
    pub(super) fn scalars(&self, set: TypeSet) -> Vec<Scalar> {
        set.scalars().filter(|scalar| scalar.since() <= self.version()).collect()
    }

    /// A scalar of a set.
    pub(super) fn scalar(&mut self, set: TypeSet) -> Scalar {
        let scalars = self.scalars(set);
        self.source.pick(&scalars)
    }

    /// A scalar that lies in memory.
    pub(super) fn stored_scalar(&mut self) -> Scalar {
        self.scalar(TypeSet::NUMBER)
    }

    /// An element type of a set.
    pub(super) fn element(&mut self, set: TypeSet) -> Type {
        let scalars = self.scalars(set);
        if set.has_pointers() && (scalars.is_empty() || self.source.one_in(6)) {
            return self.pointer();
        }
        self.source.pick(&scalars).ty()
    }

    /// A pointer to anything.
    pub(super) fn pointer(&mut self) -> Type {
        let pointee = self.stored_scalar();
        let attr = self.memory_property(true);
        self.pointer_to(pointee, attr)
    }

    /// A pointer to this, to memory with this property.
    pub(super) fn pointer_to(&mut self, pointee: Scalar, attr: Option<PtrAttr>) -> Type {
        self.intern(TypeData::Pointer { pointee: pointee.ty(), attr })
    }

    /// A property of memory, or none; `multicast`: also the one that most accesses do not take.
    pub(super) fn memory_property(&mut self, multicast: bool) -> Option<PtrAttr> {
        let known = EnumKind::PtrAttr.values().iter().filter(|value| value.since <= self.module.version);
        let known = known.filter_map(|value| PtrAttr::from_wire(value.value)).filter(|attr| multicast || *attr != PtrAttr::Multicast);
        let known: Vec<PtrAttr> = known.collect();
        if known.is_empty() || !self.source.one_in(4) { None } else { Some(self.source.pick(&known)) }
    }

    /// What this element type asks of a shape.
    pub(super) fn need(&self, element: Type) -> Need {
        let types = &self.module.tables.types;
        match types.get(element) {
            TypeData::Scalar(Scalar::F4E2M1FN) => Need::Even,
            TypeData::Pointer { pointee, .. } if types.scalar(*pointee) == Some(Scalar::F4E2M1FN) => Need::Scalar,
            _ => Need::Any,
        }
    }

    /// A shape.
    pub(super) fn shape(&mut self, need: Need) -> Vec<i64> {
        let rank = if need == Need::Scalar { 0 } else { self.source.pick(&RANKS) };
        self.shape_of_rank(rank.max(usize::from(need == Need::Even)), need)
    }

    /// A shape with so many dimensions.
    pub(super) fn shape_of_rank(&mut self, rank: usize, need: Need) -> Vec<i64> {
        let is_large = rank > 0 && self.source.one_in(32);
        let mut left = if is_large { MOST_ELEMENTS } else { USUAL_ELEMENTS };
        let mut shape = vec![1; rank];
        for extent in &mut shape {
            let most = if is_large { left } else { left.min(4) };
            let power = self.source.below(most as usize + 1) as u32;
            *extent = 1 << power;
            left -= power;
        }
        if need == Need::Even && shape.iter().all(|extent| *extent == 1) {
            shape[rank - 1] = 2;
        }
        shape
    }

    /// The tile of this shape.
    pub(super) fn tile(&mut self, element: impl Into<Element>, shape: &[i64]) -> Type {
        self.intern(TypeData::Tile { element: element.into().0, shape: shape.into() })
    }

    /// A tile of a set, of any shape.
    pub(super) fn any_tile(&mut self, set: TypeSet) -> Type {
        let element = self.element(set);
        let need = self.need(element);
        let shape = if set.is_scalar() { Vec::new() } else { self.shape(need) };
        self.tile(element, &shape)
    }

    /// A set's tile of rank 0.
    pub(super) fn any_scalar_tile(&mut self, set: TypeSet) -> Type {
        let mut element = self.element(set);
        if self.need(element) == Need::Even {
            element = Scalar::I32.ty();
        }
        self.tile(element, &[])
    }

    /// A few types that control flow can carry.
    pub(super) fn carried_types(&mut self) -> Vec<Type> {
        let count = self.source.below(4);
        (0..count).map(|_| if self.source.one_in(5) { TypeTable::token() } else { self.any_tile(TypeSet::TILE) }).collect()
    }

    /// The handle of a type that keeps the rules.
    pub(super) fn intern(&mut self, data: TypeData) -> Type {
        self.module.tables.types.intern(data).unwrap_or_else(|error| panic!("a generated type is illegal: {error}"))
    }

    /// The element type and the shape of a tile.
    pub(super) fn tile_parts(&self, ty: Type) -> (Type, Vec<i64>) {
        let (element, shape) = self.module.tables.types.as_tile(ty).expect("a tile");
        (element, shape.to_vec())
    }
}

/// The element type of a tile, as a scalar or as a type.
pub(super) struct Element(Type);

impl From<Type> for Element {
    fn from(ty: Type) -> Self {
        Element(ty)
    }
}

impl From<Scalar> for Element {
    fn from(scalar: Scalar) -> Self {
        Element(scalar.ty())
    }
}
