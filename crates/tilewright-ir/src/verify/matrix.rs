//! Matrix products.

use super::{At, Tile, Verifier, rules};
use crate::{
    Opcode,
    ops::pairs::{product_sums, scale_blocks},
};

/// The operands and result of a product. Scaled products have scales.
struct Product<'m> {
    lhs: Tile<'m>,
    rhs: Tile<'m>,
    acc: Tile<'m>,
    scales: Option<(Tile<'m>, Tile<'m>)>,
    /// 1 where there is a dimension of batches in front.
    batch: usize,
}

impl<'m> Verifier<'m> {
    pub(super) fn matrix(&mut self, at: At<'m>) {
        let tiles: Vec<Tile<'m>> = at.operand_types().map(|ty| self.tile(ty)).collect();
        let [lhs, rhs, acc, ref scales @ ..] = tiles[..] else { return };
        let rank = lhs.shape.len();
        if rank != 2 && rank != 3 {
            return self.report(&rules::MMA_RANK, Some(at), format!("expected matrices of rank 2 or 3, found rank {rank}"));
        }
        let scales = if let [a, b] = *scales { Some((a, b)) } else { None };
        let product = Product { lhs, rhs, acc, scales, batch: rank - 2 };
        self.product_shape(at, &product);
        match at.op.opcode() {
            Opcode::MmaF => self.product_types(at, &product),
            Opcode::MmaFScaled => self.scaled(at, &product),
            _ => {}
        }
    }

    /// Reports extents that should be equal and are not.
    fn extents(&mut self, at: At<'m>, (a, i): (Tile<'m>, usize), (b, j): (Tile<'m>, usize), names: (&str, &str)) {
        self.require(a.shape[i] == b.shape[j], &rules::MMA_SHAPE, at, |_| {
            let (a_name, b_name) = names;
            format!(
                "dimension {i} of {a_name} and dimension {j} of {b_name} must be equal, found {} and {} in {:?} and {:?}",
                a.shape[i], b.shape[j], a.shape, b.shape
            )
        });
    }

    fn product_shape(&mut self, at: At<'m>, p: &Product<'m>) {
        let (row, column) = (p.batch, p.batch + 1);
        if p.batch == 1 {
            self.extents(at, (p.lhs, 0), (p.rhs, 0), ("lhs", "rhs"));
            self.extents(at, (p.lhs, 0), (p.acc, 0), ("lhs", "acc"));
        }
        self.extents(at, (p.lhs, column), (p.rhs, row), ("lhs", "rhs"));
        self.extents(at, (p.lhs, row), (p.acc, row), ("lhs", "acc"));
        self.extents(at, (p.rhs, column), (p.acc, column), ("rhs", "acc"));
    }

    fn product_types(&mut self, at: At<'m>, p: &Product<'m>) {
        let (Some(factor), Some(acc)) = (self.scalar(p.lhs), self.scalar(p.acc)) else { return };
        let known = product_sums(factor);
        self.require(known.contains(&acc), &rules::MMA_TYPES, at, |_| {
            let names: Vec<&str> = known.iter().map(|scalar| scalar.name()).collect();
            format!("products of {factor} are added to {}, found {acc}", names.join(" or "))
        });
    }

    fn scaled(&mut self, at: At<'m>, p: &Product<'m>) {
        let Some((lhs_scale, rhs_scale)) = p.scales else { return };
        let (row, column) = (p.batch, p.batch + 1);
        if p.batch == 1 {
            self.extents(at, (p.lhs, 0), (lhs_scale, 0), ("lhs", "lhs_scale"));
            self.extents(at, (p.rhs, 0), (rhs_scale, 0), ("rhs", "rhs_scale"));
        }
        self.extents(at, (p.lhs, row), (lhs_scale, row), ("lhs", "lhs_scale"));
        self.extents(at, (p.rhs, column), (rhs_scale, column), ("rhs", "rhs_scale"));
        self.extents(at, (lhs_scale, column), (rhs_scale, row), ("lhs_scale", "rhs_scale"));
        let (Some(factor), Some(scale)) = (self.scalar(p.lhs), self.scalar(lhs_scale)) else { return };
        let Some(blocks) = scale_blocks(factor, scale) else {
            return self.report(&rules::MMA_TYPES, Some(at), format!("{factor} is not scaled by {scale}"));
        };
        let (k, count) = (p.lhs.shape[column], lhs_scale.shape[column]);
        let holds = count > 0 && k % count == 0 && blocks.contains(&(k / count));
        self.require(holds, &rules::MMA_BLOCK, at, |_| {
            format!("{factor} takes one {scale} for each block of {blocks:?} elements, found {count} scales for {k} elements")
        });
    }
}
