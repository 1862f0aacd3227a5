//! Matrix products.

use super::{Generator, plan::Plan};
use tilewright_ir::{
    Opcode, Scalar, Type,
    ops::{
        TypeSet,
        pairs::{product_sums, scale_blocks},
    },
};

/// The extents of a product: perhaps a batch, then rows, inner and columns.
struct Extents {
    batch: Option<i64>,
    rows: i64,
    inner: i64,
    columns: i64,
}

impl Generator<'_, '_> {
    pub(super) fn matrix(&mut self, opcode: Opcode) -> Plan {
        let types = match opcode {
            Opcode::MmaF => {
                let factor = self.scalar(TypeSet::MMA_FLOAT);
                (factor, self.source.pick(product_sums(factor)))
            }
            Opcode::MmaI => (Scalar::I8, Scalar::I32),
            Opcode::MmaFScaled => return self.scaled(),
            _ => unreachable!("{opcode} multiplies no matrices"),
        };
        let extents = self.extents();
        self.product(opcode, types, &extents)
    }

    fn extents(&mut self) -> Extents {
        let batch = self.source.flag().then(|| 1 << self.source.below(3));
        let [rows, inner, columns] = [(); 3].map(|()| 1 << self.source.below(5));
        Extents { batch, rows, inner, columns }
    }

    fn matrix_tile(&mut self, scalar: Scalar, batch: Option<i64>, rows: i64, columns: i64) -> Type {
        let shape: Vec<i64> = batch.into_iter().chain([rows, columns]).collect();
        self.tile(scalar, &shape)
    }

    fn product(&mut self, opcode: Opcode, (factor, sum): (Scalar, Scalar), extents: &Extents) -> Plan {
        let Extents { batch, rows, inner, columns } = *extents;
        let lhs = self.matrix_tile(factor, batch, rows, inner);
        let rhs = self.matrix_tile(factor, batch, inner, columns);
        let acc = self.matrix_tile(sum, batch, rows, columns);
        Plan::new(opcode).operand("lhs", lhs).operand("rhs", rhs).operand("acc", acc).result(acc)
    }

    fn scaled(&mut self) -> Plan {
        let (factors, scales) = (self.scalars(TypeSet::SCALED_FLOAT), self.scalars(TypeSet::SCALE));
        let pairs = factors.iter().flat_map(|factor| scales.iter().map(|scale| (*factor, *scale)));
        let pairs = pairs.filter_map(|(factor, scale)| Some((factor, scale, scale_blocks(factor, scale)?)));
        let (factor, scale, blocks) = self.source.pick(&pairs.collect::<Vec<_>>());
        let block = self.source.pick(blocks);
        let mut extents = self.extents();
        let count = extents.inner.min(4);
        extents.inner = count * block;
        let plan = self.product(Opcode::MmaFScaled, (factor, Scalar::F32), &extents);
        let lhs_scale = self.matrix_tile(scale, extents.batch, extents.rows, count);
        let rhs_scale = self.matrix_tile(scale, extents.batch, count, extents.columns);
        plan.operand("lhs_scale", lhs_scale).operand("rhs_scale", rhs_scale)
    }
}
