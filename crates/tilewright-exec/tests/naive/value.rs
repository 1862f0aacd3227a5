//! Values of the evaluator: tiles as lists of bits, and how far each element can be compared.

use super::number;
use tilewright_ir::{Scalar, Type, TypeData, TypeTable};

/// What a tile is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Element {
    Number(Scalar),
    /// A pointer to numbers of this type.
    Pointer(Scalar),
}

impl Element {
    pub(crate) fn of(types: &TypeTable, ty: Type) -> Element {
        match types.get(ty) {
            TypeData::Scalar(scalar) => Element::Number(*scalar),
            TypeData::Pointer { pointee, .. } => Element::Pointer(types.scalar(*pointee).expect("pointers lead to numbers")),
            other => panic!("{other:?} is no element"),
        }
    }

    /// Width as an integer.
    pub(crate) fn bits(self) -> u32 {
        match self {
            Element::Number(Scalar::Tf32) => 32,
            Element::Number(scalar) => scalar.bits(),
            Element::Pointer(_) => 64,
        }
    }

    pub(crate) fn scalar(self) -> Scalar {
        match self {
            Element::Number(scalar) => scalar,
            Element::Pointer(_) => Scalar::I64,
        }
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, Element::Number(scalar) if scalar.is_float())
    }
}

/// How well the value of an element is known.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Trust {
    /// To the bit.
    Exact,
    /// It is a NaN, whose bits nobody promises.
    Nan,
    /// A float within this distance.
    Near(f64),
    /// Not at all: it depends on a value that is not exact.
    Unknown,
}

/// An element: its bits and what they are worth.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Item {
    pub(crate) bits: u64,
    pub(crate) trust: Trust,
}

impl Item {
    pub(crate) const UNKNOWN: Item = Item { bits: 0, trust: Trust::Unknown };

    pub(crate) fn exact(bits: u64) -> Item {
        Item { bits, trust: Trust::Exact }
    }

    /// The bits where a value decides something: what is not exact must not.
    pub(crate) fn decisive(self) -> u64 {
        assert_eq!(self.trust, Trust::Exact, "the generator lets only exact values decide");
        self.bits
    }

    /// Whether the engine's bits are a right result.
    pub(crate) fn allows(self, element: Element, found: u64) -> bool {
        match self.trust {
            Trust::Exact => self.bits == found,
            Trust::Unknown => true,
            Trust::Nan => matches!(number::decode(element.scalar(), found), number::Number::Nan),
            Trust::Near(distance) => {
                let value = |bits: u64| number::decode_to_f64(element.scalar(), bits);
                let (a, b) = (value(self.bits), value(found));
                (a - b).abs() <= distance
            }
        }
    }
}

/// A tile in row-major order.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Tile {
    pub(crate) element: Element,
    pub(crate) shape: Vec<usize>,
    pub(crate) items: Vec<Item>,
}

impl Tile {
    pub(crate) fn scalar(element: Element, bits: u64) -> Tile {
        Tile { element, shape: Vec::new(), items: vec![Item::exact(bits)] }
    }

    /// A tile whose element at each position is what `item` says.
    pub(crate) fn from_fn(element: Element, shape: &[usize], mut item: impl FnMut(&[usize]) -> Item) -> Tile {
        let mut items = Vec::with_capacity(shape.iter().product());
        for_each_position(shape, |position| items.push(item(position)));
        Tile { element, shape: shape.to_vec(), items }
    }

    pub(crate) fn at(&self, position: &[usize]) -> Item {
        let index = position.iter().zip(&self.shape).fold(0, |index, (i, extent)| index * extent + i);
        self.items[index]
    }

    /// The one element, where it decides something.
    pub(crate) fn decisive(&self) -> u64 {
        self.items[0].decisive()
    }
}

/// Visits all positions of a shape, in row-major order.
pub(crate) fn for_each_position(shape: &[usize], mut visit: impl FnMut(&[usize])) {
    let mut position = vec![0; shape.len()];
    for _ in 0..shape.iter().product() {
        visit(&position);
        for (i, extent) in position.iter_mut().zip(shape).rev() {
            *i = (*i + 1) % extent;
            if *i != 0 {
                break;
            }
        }
    }
}
