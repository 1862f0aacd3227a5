//! Valid modules of any version, made from bytes.
//!
//! An operation begins as a [`Plan`](plan::Plan): the types of its operands and results, and the attributes that hang
//! together with them. [`row`] makes the plan from the row of the op table alone, by choosing an element type and a shape
//! for each set of operands and results that the row relates. What a row cannot express, relations between extents or
//! between types and attribute values, is a plan for each family of operations, named like the families of the verifier:
//! [`arith`], [`shape`], [`matrix`], [`fold`], [`regions`], [`memory`], [`views`], [`assume`]. [`plan`] then finds or makes a
//! value for each operand ([`values`]), chooses the attributes that the plan leaves open ([`attributes`]), and builds.
//!
//! Every choice takes bytes of the [`Source`]. It ends each list and each block by itself where the bytes end, so the
//! module is as small as they are.

mod arith;
mod assume;
mod attributes;
mod compound;
mod data;
mod fold;
mod locations;
mod matrix;
mod memory;
mod module;
mod ops;
mod plan;
mod regions;
mod row;
mod shape;
mod strings;
mod types;
mod values;
mod views;

use crate::{Random, Source};
use tilewright_ir::{Block, Body, Loc, Module, Value, VerifiedModule, Version, verify};

/// The module that the choices of a source make: valid, of the version that its first choice names.
pub fn generate(source: &mut Source<'_>) -> Module {
    let version = source.pick(&Version::ALL);
    let generator = Generator {
        source,
        module: Module::new("kernels", version),
        body: Body::new(),
        block: Block::new(0),
        visible: Vec::new(),
        places: Vec::new(),
    };
    generator.module()
}

/// The module of a seed, made from `max_len` bytes or fewer; versions take turns.
///
/// # Panics
/// When it is not valid: all are.
pub fn seeded(seed: u64, max_len: usize) -> VerifiedModule {
    let mut random = Random::new(seed);
    let len = random.below(max_len);
    let mut bytes = random.bytes(len);
    bytes.insert(0, (seed % Version::ALL.len() as u64) as u8);
    verify(generate(&mut Source::new(&bytes))).unwrap_or_else(|findings| panic!("seed {seed}: {}", findings[0]))
}

/// A module under construction, and the function at its end.
struct Generator<'s, 'b> {
    source: &'s mut Source<'b>,
    module: Module,
    body: Body,
    /// Where operations are added.
    block: Block,
    /// The values that can be used there, in the order of their definitions.
    visible: Vec<Value>,
    /// The source locations that operations of the function can have.
    places: Vec<Loc>,
}

impl Generator<'_, '_> {
    fn version(&self) -> Version {
        self.module.version
    }
}
