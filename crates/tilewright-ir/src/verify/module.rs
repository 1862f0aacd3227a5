//! Symbols, globals and the heads of functions.

use super::{At, Verifier, rules};
use crate::{Attr, AttrData, Function, Str, SymbolVisibility, Type, TypeData, Version, ops::TypeSet};
use std::collections::HashSet;

impl<'m> Verifier<'m> {
    pub(super) fn symbols(&mut self) {
        let mut seen = HashSet::new();
        let module = self.module;
        if self.string(module.name).is_empty() {
            self.report(&rules::SYMBOL_NAME, None, "the module has an empty name".to_owned());
        }
        for name in module.globals.iter().map(|g| g.name).chain(module.functions.iter().map(|f| f.name)) {
            if self.string(name).is_empty() {
                self.report(&rules::SYMBOL_NAME, None, "a symbol has an empty name".to_owned());
            }
            if !seen.insert(name) {
                self.report(&rules::SYMBOL_UNIQUE, None, format!("the symbol @{} is defined twice", self.name(name)));
            }
        }
    }

    pub(super) fn global_definitions(&mut self) {
        for global in &self.module.globals {
            let name = self.name(global.name);
            let before = self.reported;
            self.type_version(global.ty, None);
            if self.reported > before {
                continue;
            }
            if !self.is(TypeSet::NUMBER_OR_I4, global.ty) || self.tile(global.ty).shape.len() != 1 {
                let message = format!("@{name} must be a tile of numbers of rank 1, found {}", self.text(global.ty));
                self.report(&rules::GLOBAL_TYPE, None, message);
                continue;
            }
            if global.value.index() >= self.module.tables.constants.len() {
                self.report(&rules::CONSTANT_SIZE, None, format!("the data of @{name} does not exist in the module"));
            } else if let Some(message) = self.constant_size(global.ty, global.value) {
                self.report(&rules::CONSTANT_SIZE, None, format!("@{name}: {message}"));
            }
            let since = Version::V13_3;
            if (global.constant || global.visibility == SymbolVisibility::Private) && self.version() < since {
                let message = format!("@{name}: constant and private globals need version {since}, the module has {}", self.version());
                self.report(&rules::ATTRIBUTE_VERSION, None, message);
            }
        }
    }

    pub(super) fn signature(&mut self, function: &'m Function) {
        let types = &self.module.tables.types;
        if function.signature.index() >= types.len() {
            let message = format!("type {} does not exist in the module", function.signature.index());
            return self.report(&rules::TYPE_HANDLE, None, message);
        }
        let TypeData::Function { inputs, results } = types.get(function.signature) else {
            let message = format!("a signature must be a function type, found {}", self.text(function.signature));
            return self.report(&rules::FUNCTION_TYPE, None, message);
        };
        if function.is_entry && function.visibility == SymbolVisibility::Private {
            self.report(&rules::ENTRY_VISIBILITY, None, "an entry must be public".to_owned());
        }
        if function.is_entry && !results.is_empty() {
            self.report(&rules::ENTRY_RESULTS, None, format!("an entry has no results, found {}", results.len()));
        }
        for (i, &ty) in inputs.iter().enumerate() {
            if function.is_entry && !self.is(TypeSet::TILE.scalar(), ty) {
                let message = format!("parameter {i} must be a tile of rank 0, found {}", self.text(ty));
                self.report(&rules::ENTRY_PARAMETER, None, message);
            }
            self.type_version(ty, None);
        }
        let body = &function.body;
        let arguments: Vec<Type> = body.entry_block().map(|b| body.args(b).map(|a| body.ty(a)).collect()).unwrap_or_default();
        if arguments != inputs[..] {
            self.report(&rules::ENTRY_ARGUMENTS, None, "the arguments of the body differ from the signature".to_owned());
        }
        if let Some(hints) = function.hints {
            self.hints(hints, None);
        }
        if let Some(attrs) = function.arg_attrs {
            self.parameter_attributes(attrs, inputs.len());
        }
        self.function_location(function);
    }

    /// Hints are a dictionary for each architecture.
    pub(super) fn hints(&mut self, hints: Attr, at: Option<At<'m>>) {
        let Some(AttrData::OptimizationHints(entries)) = self.attr(hints) else {
            return self.report(&rules::HINTS, at, "optimization hints must be a dictionary for each architecture".to_owned());
        };
        if !self.are_keys(entries) {
            self.report(&rules::HINTS, at, "an architecture has no name, or stands twice in the optimization hints".to_owned());
        }
        for (key, value) in entries {
            let entries = self.dictionary(*value);
            let legal = entries.is_some_and(|entries| self.are_keys(entries));
            if !legal {
                let message = format!("the hints for '{}' must be a dictionary with each key once", self.name(*key));
                self.report(&rules::HINTS, at, message);
            }
        }
    }

    fn parameter_attributes(&mut self, attrs: Attr, parameters: usize) {
        let since = Version::V13_5;
        if self.version() < since {
            let message = format!("attributes of parameters need version {since}, the module has {}", self.version());
            self.report(&rules::ATTRIBUTE_VERSION, None, message);
        }
        let Some(AttrData::Array(elements)) = self.attr(attrs) else {
            return self.report(&rules::PARAMETER_ATTRIBUTES, None, "expected an array of dictionaries".to_owned());
        };
        if elements.len() != parameters {
            let message = format!("expected a dictionary for each of {parameters} parameters, found {}", elements.len());
            self.report(&rules::PARAMETER_ATTRIBUTES, None, message);
        }
        for (i, element) in elements.iter().enumerate() {
            let legal =
                |entries: &'m [(Str, Attr)]| self.are_keys(entries) && entries.iter().all(|(key, _)| self.string(*key).contains('.'));
            if !self.dictionary(*element).is_some_and(legal) {
                let message = format!("parameter {i} needs a dictionary whose keys name their dialect, as in 'cuda_tile.name'");
                self.report(&rules::PARAMETER_ATTRIBUTES, None, message);
            }
        }
    }

    fn dictionary(&self, attr: Attr) -> Option<&'m [(Str, Attr)]> {
        match self.attr(attr) {
            Some(AttrData::Dictionary(entries)) => Some(entries),
            _ => None,
        }
    }

    /// Whether every key has a name and stands once.
    fn are_keys(&self, entries: &[(Str, Attr)]) -> bool {
        let mut seen = HashSet::new();
        entries.iter().all(|(key, _)| seen.insert(*key) && !self.string(*key).is_empty())
    }
}
