//! `reduce` and `scan`.

use super::{Generator, plan::Plan, regions::Place, types::Need};
use tilewright_ir::{AttrData, AttrName, AttrValue, Opcode, Scalar, Type, ops::TypeSet};

impl Generator<'_, '_> {
    pub(super) fn fold(&mut self, opcode: Opcode, place: &Place) {
        let rank = 1 + self.source.below(3);
        let shape = self.shape_of_rank(rank, Need::Any);
        let dim = self.source.below(rank);
        let count = 1 + self.source.below(3);
        let scalars: Vec<Scalar> = (0..count).map(|_| self.folded_scalar()).collect();
        let operands: Vec<Type> = scalars.iter().map(|scalar| self.tile(*scalar, &shape)).collect();
        let mut kept = shape.clone();
        kept.remove(dim);
        let results = match opcode {
            Opcode::Scan => operands.clone(),
            _ => scalars.iter().map(|scalar| self.tile(*scalar, &kept)).collect(),
        };
        let identities = scalars.iter().map(|scalar| self.identity(*scalar)).collect();
        let identities = self.module.tables.attrs.intern(AttrData::Array(identities));
        let plan = Plan::new(opcode).operands("operands", &operands).results(&results).attr(AttrName::Dim, AttrValue::Int(dim as u64));
        let op = self.emit(plan.attr(AttrName::Identities, AttrValue::Attr(identities)));
        let elements: Vec<Type> = scalars.iter().map(|scalar| self.tile(*scalar, &[])).collect();
        let arguments: Vec<Type> = elements.iter().flat_map(|ty| [*ty, *ty]).collect();
        self.region(op, 0, &arguments, &place.in_fold(opcode, elements));
        self.define(op);
    }

    /// A scalar that can be alone, as the arguments of the body are.
    fn folded_scalar(&mut self) -> Scalar {
        let mut scalars = self.scalars(TypeSet::NUMBER_OR_I4);
        scalars.retain(|scalar| *scalar != Scalar::F4E2M1FN);
        self.source.pick(&scalars)
    }
}
