//! The predicates of `assume`.

use super::{At, Verifier, rules};
use crate::{AttrData, AttrName, Scalar, Type, ops::TypeSet};

/// The largest divisor that the official tools take.
const MAX_DIVISOR: u64 = 1 << 62;

impl<'m> Verifier<'m> {
    pub(super) fn assume(&mut self, at: At<'m>) {
        let (Some(ty), Some(predicate)) = (at.result_type(0), at.op.compound(AttrName::Predicate)) else { return };
        match self.attr(predicate) {
            Some(AttrData::DivBy { divisor, every, along }) => self.div_by(at, ty, *divisor, *every, *along),
            Some(AttrData::SameElements(extents)) => self.same_elements(at, ty, extents),
            Some(AttrData::Bounded { lower, upper }) => self.bounded(at, ty, *lower, *upper),
            _ => {}
        }
    }

    fn takes(&mut self, at: At<'m>, ty: Type, predicate: &str, sets: &[TypeSet], what: &str) -> bool {
        let holds = sets.iter().any(|set| self.is(*set, ty));
        self.require(holds, &rules::ASSUME_TYPE, at, |v| format!("{predicate} is about {what}, found {}", v.text(ty)));
        holds
    }

    fn div_by(&mut self, at: At<'m>, ty: Type, divisor: u64, every: Option<i64>, along: Option<i64>) {
        let legal = divisor.is_power_of_two() && divisor <= MAX_DIVISOR;
        let message = |_: &Self| format!("the divisor must be a power of two up to {MAX_DIVISOR}, found {divisor}");
        self.require(legal, &rules::DIV_BY_DIVISOR, at, message);
        let sets = [TypeSet::INT_OR_I4, TypeSet::POINTER, TypeSet::TENSOR_VIEW];
        if !self.takes(at, ty, "div_by", &sets, "tiles of integers or pointers and tensor_views") {
            return;
        }
        let (every, along) = match (every, along) {
            (None, None) => return,
            (Some(every), Some(along)) => (every, along),
            _ => return self.report(&rules::DIV_BY_EVERY, Some(at), "'every' and 'along' must stand together, found one".to_owned()),
        };
        let shape = if self.is(TypeSet::TILE, ty) { self.tile(ty).shape } else { &[] };
        let extent = usize::try_from(along).ok().and_then(|dim| shape.get(dim));
        let Some(&extent) = extent else {
            let message = format!("'along' must be a dimension of {}, found {along}", self.text(ty));
            return self.report(&rules::DIV_BY_EVERY, Some(at), message);
        };
        let legal = (0..=extent).contains(&every);
        self.require(legal, &rules::DIV_BY_EVERY, at, |_| {
            format!("'every' must lie in 0 to {extent}, the extent of dimension {along}, found {every}")
        });
    }

    fn same_elements(&mut self, at: At<'m>, ty: Type, groups: &[i64]) {
        if !self.takes(at, ty, "same_elements", &[TypeSet::INT_OR_I4, TypeSet::POINTER], "tiles of integers or pointers") {
            return;
        }
        let shape = self.tile(ty).shape;
        let legal = groups.len() == shape.len() && groups.iter().zip(shape).all(|(group, extent)| (0..=*extent).contains(group));
        self.require(legal, &rules::SAME_ELEMENTS, at, |v| {
            let shown: Vec<i64> = groups.iter().copied().take(8).collect();
            format!("expected a number up to its extent for each dimension of {}, found {} numbers: {shown:?}", v.text(ty), groups.len())
        });
    }

    fn bounded(&mut self, at: At<'m>, ty: Type, lower: Option<i64>, upper: Option<i64>) {
        if !self.takes(at, ty, "bounded", &[TypeSet::INT_OR_I4], "tiles of integers") {
            return;
        }
        let bits = self.scalar(self.tile(ty)).map_or(64, Scalar::bits);
        let (least, most) = (i64::MIN >> (64 - bits), i64::MAX >> (64 - bits));
        for bound in [lower, upper].into_iter().flatten() {
            let legal = (least..=most).contains(&bound);
            self.require(legal, &rules::BOUNDED_RANGE, at, |v| format!("bounds of {} lie in {least} to {most}, found {bound}", v.text(ty)));
        }
        if let (Some(lower), Some(upper)) = (lower, upper) {
            let message = |_: &Self| format!("the lower bound must not be above the upper one, found {lower} and {upper}");
            self.require(lower <= upper, &rules::BOUNDED_RANGE, at, message);
        }
    }
}
