//! `reduce` and `scan`.

use super::{At, Tile, Verifier, rules};
use crate::{AttrData, AttrName, Opcode, Scalar, Type, ops::TypeSet};

impl<'m> Verifier<'m> {
    pub(super) fn fold(&mut self, at: At<'m>) {
        let (operands, results) = (at.op.operands().len(), at.op.results().len());
        if operands == 0 || operands != results {
            let message = format!("expected as many results as operands, one at least, found {operands} operands and {results} results");
            return self.report(&rules::FOLD_OPERANDS, Some(at), message);
        }
        let first = at.operand_types().map(|ty| self.tile(ty)).next().expect("there is an operand");
        let dim = at.op.int(AttrName::Dim).unwrap_or(u64::MAX);
        let rank = first.shape.len();
        if dim >= rank as u64 {
            return self.report(&rules::FOLD_DIM, Some(at), format!("dim must be below the rank {rank}, found {dim}"));
        }
        for (i, (operand, result)) in at.operand_types().zip(at.result_types()).enumerate() {
            self.fold_operand(at, i, first, operand);
            self.fold_result(at, i, dim as usize, operand, result);
        }
        self.identities(at);
    }

    fn fold_operand(&mut self, at: At<'m>, i: usize, first: Tile<'m>, operand: Type) {
        let same = self.same_shape(self.tile(operand), first);
        let message = |v: &Self| format!("all operands must have one shape, found {} for operand {i}", v.text(operand));
        self.require(same, &rules::FOLD_SHAPE, at, message);
    }

    /// `scan` keeps the type of its operand, `reduce` drops the dimension.
    fn fold_result(&mut self, at: At<'m>, i: usize, dim: usize, operand: Type, result: Type) {
        let holds = if at.op.opcode() == Opcode::Scan {
            operand == result
        } else {
            let (source, found) = (self.tile(operand), self.tile(result));
            self.once(source.shape.len(), (at.op.opcode(), [operand, result, result], dim as u64), || {
                let kept = source.shape.iter().enumerate().filter(|(d, _)| *d != dim).map(|(_, extent)| extent);
                source.element == found.element && kept.eq(found.shape)
            })
        };
        let what = if at.op.opcode() == Opcode::Scan { "the type of" } else { "one dimension less than" };
        let message = |v: &Self| format!("result {i} must have {what} its operand, {}, found {}", v.text(operand), v.text(result));
        self.require(holds, &rules::FOLD_RESULT, at, message);
    }

    fn identities(&mut self, at: At<'m>) {
        let Some(AttrData::Array(identities)) = at.op.compound(AttrName::Identities).and_then(|attr| self.attr(attr)) else { return };
        let (expected, found) = (at.op.operands().len(), identities.len());
        if expected != found {
            return self.report(
                &rules::FOLD_IDENTITIES,
                Some(at),
                format!("expected {expected} identities, one for each operand, found {found}"),
            );
        }
        for (i, (operand, &identity)) in at.operand_types().zip(identities).enumerate() {
            let element = self.tile(operand).element;
            let ty = match self.attr(identity) {
                Some(AttrData::Integer { ty, .. } | AttrData::Float { ty, .. }) => Some(*ty),
                Some(AttrData::Bool(_)) => Some(Scalar::I1.ty()),
                _ => None,
            };
            let holds = ty.is_some_and(|ty| ty == element || are_halves(ty, element));
            self.require(holds, &rules::FOLD_IDENTITIES, at, |v| {
                let found = ty.map_or_else(|| "no number".to_owned(), |ty| v.text(ty));
                format!("identity {i} must be a {}, found {found}", v.text(element))
            });
        }
    }

    /// The arguments of the body: two tiles of rank 0 for each operand, of its element type.
    pub(super) fn fold_arguments(&mut self, at: At<'m>, arguments: &[Type]) {
        for (i, &ty) in arguments.iter().enumerate() {
            let Some(operand) = at.operand_type(i / 2) else { return };
            let element = self.tile(operand).element;
            let holds = matches!(self.module.tables.types.as_tile(ty), Some((found, [])) if found == element);
            self.require(holds, &rules::FOLD_ARGUMENTS, at, |v| {
                format!("argument {i} of the body must be tile<{}>, found {}", v.text(element), v.text(ty))
            });
        }
    }

    /// What the body gives: a value for each operand.
    pub(super) fn fold_yield(&mut self, at: At<'m>, fold: At<'m>) {
        let (expected, found) = (fold.op.operands().len(), at.op.operands().len());
        if expected != found {
            return self.report(&rules::FOLD_YIELD, Some(at), format!("expected {expected} values, one for each operand, found {found}"));
        }
        for (i, (operand, ty)) in fold.operand_types().zip(at.operand_types()).enumerate() {
            let element = self.tile(operand).element;
            // The official tools do not look at the shape; the planner does.
            let holds = self.is(TypeSet::TILE, ty) && self.tile(ty).element == element;
            self.require(holds, &rules::FOLD_YIELD, at, |v| format!("value {i} must be tile<{}>, found {}", v.text(element), v.text(ty)));
        }
    }
}

/// The official tools take the two 16-bit floats for one another here.
fn are_halves(a: Type, b: Type) -> bool {
    let is_half = |ty| ty == Scalar::F16.ty() || ty == Scalar::Bf16.ty();
    is_half(a) && is_half(b)
}
