//! The order of a chain's steps: each behind what it reads last, so that most values are handed on and few are written to scratch.

use super::{VReg, inst::Elementwise, tile::Base};
use crate::hash::HashMap;

/// The steps of a run in another order, or in the same if a register means different values to them.
///
/// Depth first, from the results that nothing in the run reads: of the values that a step reads, the one that takes most steps comes last,
/// right before it.
pub(super) fn depth_first(run: Vec<Elementwise>) -> Vec<Elementwise> {
    let Some(mut walk) = Walk::new(&run) else { return run };
    let is_read = |i: usize| walk.operands.iter().any(|operands| operands.contains(&i));
    let results: Vec<usize> = (0..run.len()).filter(|i| !is_read(*i)).collect();
    results.into_iter().for_each(|result| walk.visit(result));
    let mut steps: Vec<Option<Elementwise>> = run.into_iter().map(Some).collect();
    walk.order.iter().filter_map(|i| steps[*i].take()).collect()
}

struct Walk {
    /// For each step, which ones it reads, the one that takes most steps last.
    operands: Vec<Vec<usize>>,
    visited: Vec<bool>,
    order: Vec<usize>,
}

impl Walk {
    /// `None` where a register is written twice, or read before it is written.
    fn new(run: &[Elementwise]) -> Option<Walk> {
        let mut written: HashMap<VReg, usize> = HashMap::default();
        for (i, step) in run.iter().enumerate() {
            if written.insert(step.dst, i).is_some() {
                return None;
            }
        }
        let mut operands: Vec<Vec<usize>> = Vec::with_capacity(run.len());
        let mut depths: Vec<usize> = Vec::with_capacity(run.len());
        for (i, step) in run.iter().enumerate() {
            let register = |base: Base| if let Base::Reg(reg) = base { Some(reg) } else { None };
            let mut read: Vec<usize> = step.srcs.iter().filter_map(|src| written.get(&register(src.base)?).copied()).collect();
            if read.iter().any(|other| *other >= i) {
                return None;
            }
            read.sort_by_key(|other| depths[*other]);
            depths.push(read.last().map_or(0, |deepest| depths[*deepest] + 1));
            operands.push(read);
        }
        Some(Walk { visited: vec![false; operands.len()], order: Vec::with_capacity(operands.len()), operands })
    }

    /// Runs have a bounded number of steps, and so does this recursion.
    fn visit(&mut self, step: usize) {
        if std::mem::replace(&mut self.visited[step], true) {
            return;
        }
        for i in 0..self.operands[step].len() {
            self.visit(self.operands[step][i]);
        }
        self.order.push(step);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        elem::Elem,
        kernels::{ElemOp, select},
        plan::Tile,
    };
    use tilewright_ir::{RoundingMode, Scalar};

    const F32: Elem = Elem::Num(Scalar::F32);

    fn sum(srcs: [u32; 2], dst: u32) -> Elementwise {
        let kernel = select(ElemOp::AddF(RoundingMode::NearestEven, false), &[F32, F32], F32).unwrap();
        let srcs = srcs.map(|reg| Tile::contiguous(F32, Base::Reg(VReg(reg)), &[128])).to_vec();
        Elementwise { kernel, srcs, dst: VReg(dst), n: 128, size: 4 }
    }

    fn ordered(run: impl IntoIterator<Item = ([u32; 2], u32)>) -> Vec<u32> {
        depth_first(run.into_iter().map(|(srcs, dst)| sum(srcs, dst)).collect()).iter().map(|step| step.dst.0).collect()
    }

    #[test]
    fn what_takes_most_steps_comes_right_before_its_reader() {
        // 3 is read late: it comes first, and 2 is handed on to 4.
        assert_eq!(ordered([([0, 0], 1), ([1, 0], 2), ([0, 0], 3), ([2, 0], 4), ([3, 4], 5)]), [3, 1, 2, 4, 5]);
        // Results that nothing reads keep their order.
        assert_eq!(ordered([([0, 0], 1), ([0, 0], 2), ([1, 1], 3), ([2, 2], 4)]), [1, 3, 2, 4]);
    }

    #[test]
    fn a_register_with_several_values_keeps_the_order() {
        assert_eq!(ordered([([0, 0], 1), ([2, 2], 3), ([1, 0], 2)]), [1, 3, 2]);
        assert_eq!(ordered([([0, 0], 1), ([0, 0], 2), ([1, 2], 3), ([0, 0], 1)]), [1, 2, 3, 1]);
    }
}
