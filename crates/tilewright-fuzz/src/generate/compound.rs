//! Compound attributes: hints, attributes of parameters, and what they are made of.

use super::Generator;
use tilewright_ir::{Attr, AttrData, Scalar, Str, ops::TypeSet};

/// Who hints are for.
const ARCHITECTURES: [&str; 4] = ["default", "sm_100", "sm_90", "sm_120"];
/// What hints are about, and other keys.
const KEYS: [&str; 6] = ["latency", "allow_tma", "num_cta_in_cga", "occupancy", "x", "a.b"];
/// Keys for parameters name their dialect.
const PARAMETER_KEYS: [&str; 3] = ["cuda_tile.div_by", "cuda_tile.x", "other.y"];
/// How deep attributes nest.
const MAX_DEPTH: usize = 3;

impl Generator<'_, '_> {
    fn attr(&mut self, data: AttrData) -> Attr {
        self.module.tables.attrs.intern(data)
    }

    /// Optimization hints.
    pub(super) fn hints(&mut self) -> Attr {
        let entries = self.entries(&ARCHITECTURES, |this| this.dictionary(&KEYS, 1));
        self.attr(AttrData::OptimizationHints(entries))
    }

    /// A dictionary for each of so many parameters.
    pub(super) fn parameter_attributes(&mut self, parameters: usize) -> Attr {
        let dictionaries = (0..parameters).map(|_| self.dictionary(&PARAMETER_KEYS, 1)).collect();
        self.attr(AttrData::Array(dictionaries))
    }

    fn dictionary(&mut self, keys: &[&str], depth: usize) -> Attr {
        let entries = self.entries(keys, |this| this.attribute_value(depth));
        self.attr(AttrData::Dictionary(entries))
    }

    /// Some of these keys, each once, in any order.
    fn entries(&mut self, keys: &[&str], mut value: impl FnMut(&mut Self) -> Attr) -> Box<[(Str, Attr)]> {
        let keys: Vec<&str> = keys.to_vec();
        let mut keys = self.source.shuffled(keys);
        keys.truncate(self.source.below(4));
        keys.into_iter().map(|key| (self.intern_string(key), value(self))).collect()
    }

    /// An attribute that says itself what it is.
    fn attribute_value(&mut self, depth: usize) -> Attr {
        let kinds = if depth < MAX_DEPTH { 8 } else { 6 };
        let data = match self.source.below(kinds) {
            0 => self.number(Scalar::I64),
            1 => AttrData::Bool(self.source.flag()),
            2 => AttrData::String(self.string()),
            3 => AttrData::Type(self.any_tile(TypeSet::TILE)),
            // At the top of hints, text shows no types: what is no integer must be an f64 with digits to be read back.
            4 if depth == 1 => self.finite_number(),
            4 => self.number(Scalar::F64),
            5 => {
                let scalar = self.scalar(if depth == 1 { TypeSet::INT_OR_I4 } else { TypeSet::NUMBER_OR_I4 });
                self.number(scalar)
            }
            6 => {
                let items = self.source.below(3);
                AttrData::Array((0..items).map(|_| self.attribute_value(depth + 1)).collect())
            }
            _ => return self.dictionary(&KEYS, depth + 1),
        };
        self.attr(data)
    }

    /// An `f64` that is neither infinite nor NaN.
    fn finite_number(&mut self) -> AttrData {
        let bits = self.bits(Scalar::F64) & !(1 << 62);
        AttrData::Float { ty: Scalar::F64.ty(), bits }
    }

    /// A number of this type as an attribute.
    pub(super) fn number(&mut self, scalar: Scalar) -> AttrData {
        let (ty, bits) = (scalar.ty(), self.bits(scalar));
        if scalar.is_int() { AttrData::Integer { ty, bits } } else { AttrData::Float { ty, bits } }
    }

    /// The identity of a fold: a number; an `i1` may also be a truth value.
    pub(super) fn identity(&mut self, scalar: Scalar) -> Attr {
        let data = match scalar {
            Scalar::I1 if self.source.flag() => AttrData::Bool(self.source.flag()),
            _ => self.number(scalar),
        };
        self.attr(data)
    }
}
