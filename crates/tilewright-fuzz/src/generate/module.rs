//! Modules: the producer, globals and functions.

use super::{Generator, regions::Place};
use tilewright_ir::{Attr, AttrData, Body, Function, Global, Module, SymbolVisibility, Type, TypeData, Version, ops::TypeSet};

/// The most functions of a module.
const MAX_FUNCTIONS: usize = 4;
/// The producers of modules, on one line as the disassembler prints them.
const PRODUCERS: [&str; 3] = ["tilewright", "cuTile Python \"1.7\"", "ä \\ %"];

impl Generator<'_, '_> {
    pub(super) fn module(mut self) -> Module {
        if self.version() >= Version::V13_3 && self.source.one_in(4) {
            let producer = self.source.pick(&PRODUCERS);
            self.module.producer = Some(self.intern_string(producer));
        }
        for number in 0..self.source.below(4) {
            self.global(number);
        }
        let first = self.module.globals.len();
        while self.module.functions.len() < MAX_FUNCTIONS {
            self.function(first + self.module.functions.len());
            if self.source.is_empty() {
                break;
            }
        }
        self.module
    }

    /// Whether no function can follow the one under construction.
    pub(super) fn is_last_function(&self) -> bool {
        self.module.functions.len() + 1 == MAX_FUNCTIONS
    }

    fn global(&mut self, number: usize) {
        let name = self.name(number);
        let scalar = self.scalar(TypeSet::NUMBER_OR_I4);
        let need = self.need(scalar.ty());
        let shape = self.shape_of_rank(1, need);
        let ty = self.tile(scalar, &shape);
        let value = self.constant_data(scalar, shape[0]);
        let alignment = if self.source.flag() { 1 << self.source.below(10) } else { 0 };
        let is_new = self.version() >= Version::V13_3;
        let visibility = if is_new && self.source.flag() { SymbolVisibility::Private } else { SymbolVisibility::Public };
        let constant = is_new && self.source.flag();
        self.module.globals.push(Global { name, ty, value, alignment, visibility, constant });
    }

    fn function(&mut self, number: usize) {
        let name = self.name(number);
        let count = self.source.below(6);
        let parameters: Vec<Type> = (0..count).map(|_| self.parameter()).collect();
        let signature = self.intern(TypeData::Function { inputs: parameters.as_slice().into(), results: [].into() });
        let hints = self.source.flag().then(|| self.hints()).filter(|hints| self.says_something(*hints));
        let has_attrs = self.version() >= Version::V13_5 && !parameters.is_empty() && self.source.flag();
        let arg_attrs = has_attrs.then(|| self.parameter_attributes(parameters.len())).filter(|attrs| self.says_something(*attrs));
        let loc = self.function_places(name);
        self.body = Body::new();
        self.block = self.body.add_block(self.body.root(), &parameters);
        self.visible = self.body.args(self.block).collect();
        self.block_content(&Place::default());
        let body = std::mem::take(&mut self.body);
        let visibility = SymbolVisibility::Public;
        self.module.functions.push(Function { name, signature, is_entry: true, visibility, hints, arg_attrs, loc, body });
    }

    /// Whether there is something in the hints or the attributes of the parameters of a function: one that has none and one
    /// that has empty ones are written alike.
    fn says_something(&self, attr: Attr) -> bool {
        match self.module.tables.attrs.get(attr) {
            AttrData::OptimizationHints(entries) | AttrData::Dictionary(entries) => !entries.is_empty(),
            AttrData::Array(elements) => elements.iter().any(|element| self.says_something(*element)),
            _ => true,
        }
    }

    /// The type of a parameter: a tile of rank 0.
    fn parameter(&mut self) -> Type {
        self.any_scalar_tile(TypeSet::TILE)
    }
}
