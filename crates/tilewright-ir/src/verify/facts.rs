//! What is asked again and again about types, worked out once.
//!
//! A shape may be as long as the module, and every operation may ask about it. So what depends on a type alone is a fact of it,
//! and what is asked about several long shapes is answered once: time stays proportional to the module.

use super::Verifier;
use crate::{DYNAMIC, Opcode, Type, TypeData, TypeTable, Version, ops::TypeSet};
use foldhash::{HashMap, HashMapExt as _};

/// What is known of a type.
pub(super) struct TypeFacts {
    pub(super) set: TypeSet,
    pub(super) since: Version,
    /// How many elements a tile, or a tile of a view, has: few enough, as the type was checked when it was built.
    pub(super) elements: u64,
    /// Tiles of one shape have one number here; what is no tile has that of rank 0.
    pub(super) shape: u32,
    pub(super) tensor: TensorFacts,
}

/// What is known of a `tensor_view`.
#[derive(Clone, Copy, Default)]
pub(super) struct TensorFacts {
    /// How many extents and how many strides are only known at run time.
    pub(super) dynamic: [u32; 2],
    /// How many strides are 1.
    pub(super) units: u32,
    /// The first dimension with a stride of 1.
    pub(super) packed: Option<u32>,
}

impl TensorFacts {
    fn new(shape: &[i64], strides: &[i64]) -> TensorFacts {
        let count = |numbers: &[i64], wanted: i64| numbers.iter().filter(|n| **n == wanted).count() as u32;
        TensorFacts {
            dynamic: [count(shape, DYNAMIC), count(strides, DYNAMIC)],
            units: count(strides, 1),
            packed: strides.iter().position(|stride| *stride == 1).map(|dim| dim as u32),
        }
    }
}

/// The facts of all types, by handle.
pub(super) fn type_facts(types: &TypeTable) -> Vec<TypeFacts> {
    let mut shapes: HashMap<&[i64], u32> = HashMap::new();
    shapes.insert(&[], 0);
    let facts = |index| {
        let ty = Type::new(index);
        let (mut elements, mut shape, mut tensor) = (1, 0, TensorFacts::default());
        match types.get(ty) {
            TypeData::Tile { shape: extents, .. } => {
                elements = product(extents.iter().map(|extent| extent.cast_unsigned()));
                let next = shapes.len() as u32;
                shape = *shapes.entry(extents).or_insert(next);
            }
            TypeData::PartitionView { tile, .. } | TypeData::StridedView { tile, .. } | TypeData::GatherScatterView { tile, .. } => {
                elements = product(tile.iter().map(|extent| u64::from(extent.unsigned_abs())));
            }
            TypeData::TensorView { shape, strides, .. } => tensor = TensorFacts::new(shape, strides),
            _ => {}
        }
        TypeFacts { set: TypeSet::of(types, ty), since: types.since(ty), elements, shape, tensor }
    };
    (0..types.len()).map(facts).collect()
}

fn product(extents: impl Iterator<Item = u64>) -> u64 {
    extents.fold(1, u64::saturating_mul)
}

/// What is asked about the extents of up to three types, and a number that the answer depends on.
pub(super) type Question = (Opcode, [Type; 3], u64);

/// The answers to questions about long shapes.
#[derive(Default)]
pub(super) struct Answers {
    known: HashMap<Question, bool>,
    /// How many extents were looked at for them.
    looked_at: usize,
}

/// Answers about fewer extents are not kept.
const SHORT: usize = 16;

impl Verifier<'_> {
    /// The answer to a question, for which so many extents must be looked at.
    #[inline]
    pub(super) fn once(&mut self, extents: usize, question: Question, answer: impl FnOnce() -> bool) -> bool {
        if extents <= SHORT {
            return answer();
        }
        let Answers { known, looked_at } = &mut self.answers;
        *known.entry(question).or_insert_with(|| {
            *looked_at += extents;
            answer()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AttrName, AttrValue, Body, Builder, Function, Module, Scalar, SymbolVisibility};

    /// Shapes as long as the module, about which as many operations ask, are looked at once.
    #[test]
    fn long_shapes_are_looked_at_once() {
        const LEN: usize = 1000;
        let mut module = Module::new("kernels", Version::LATEST);
        let (mut doubled, ones) = (vec![1; LEN], [1; LEN]);
        doubled[0] = 2;
        let joined = module.tables.types.tile(Scalar::I32.ty(), &doubled).unwrap();
        let float = module.tables.types.tile(Scalar::F32.ty(), &ones).unwrap();
        let scalar = module.tables.types.tile(Scalar::I32.ty(), &[]).unwrap();
        let (mut body, name) = (Body::new(), module.tables.strings.intern("k"));
        let block = body.add_block(body.root(), &[]);
        let mut builder = Builder::new(&mut module.tables, &mut body, block);
        let source = builder.constant(Scalar::I32, &ones, &[0; 4]).unwrap();
        for _ in 0..LEN {
            builder.op(Opcode::Broadcast).operand("source", source).result(joined).finish().unwrap();
            builder.op(Opcode::Bitcast).operand("source", source).result(float).finish().unwrap();
            builder.op(Opcode::Reshape).operand("source", source).result(scalar).finish().unwrap();
            let cat = builder.op(Opcode::Cat).operand("lhs", source).operand("rhs", source);
            cat.attr(AttrName::Dim, AttrValue::Int(0)).result(joined).finish().unwrap();
        }
        builder.op(Opcode::Return).finish().unwrap();
        let signature = module.tables.types.intern(TypeData::Function { inputs: [].into(), results: [].into() }).unwrap();
        let visibility = SymbolVisibility::Public;
        module.functions.push(Function { name, signature, is_entry: true, visibility, hints: None, arg_attrs: None, loc: None, body });

        let mut verifier = Verifier::new(&module);
        verifier.run();
        assert_eq!(verifier.findings.first().map(ToString::to_string), None);
        assert_eq!(verifier.answers.looked_at, 2 * LEN, "one question about broadcast, one about cat");
    }
}
