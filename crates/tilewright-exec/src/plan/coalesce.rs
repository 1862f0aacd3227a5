//! Coalescing: a product that goes straight into a carried register is summed there.
//!
//! `acc = mma(a, b, acc)` in a loop is lowered to a product in a register of its own and a move to the register that carries `acc`.
//! Where nothing needs the old value in between, the product is written to the carrying register, and nothing is copied.

use super::{Inst, Tile, VReg, counts::Counts, tile::Base};
use crate::hash::HashMap;

/// Lets products write to where they are moved.
pub(crate) fn coalesce(code: &mut Vec<(Inst, u32)>, uses: &Counts) {
    if !code.iter().any(|(inst, _)| matches!(inst, Inst::Matmul(_))) {
        return;
    }
    let places = Places::new(code);
    let moves: Vec<(usize, usize)> = (0..code.len()).filter_map(|at| Some((at, places.find_move(code, at, uses)?))).collect();
    let mut gone = vec![false; code.len()];
    for (product, moved) in moves {
        if let (Inst::Move { dst: carrier, .. }, _) = code[moved]
            && let (Inst::Matmul(matmul), _) = &mut code[product]
        {
            matmul.dst = carrier;
            gone[moved] = true;
        }
    }
    let mut gone = gone.into_iter();
    code.retain(|_| !gone.next().unwrap_or(false));
}

/// Where things are in the code, so that nothing is looked for from place to place.
struct Places {
    /// The last move of each register as a whole.
    moves: HashMap<VReg, usize>,
    /// The instructions that read or write each register, in order.
    touched: HashMap<VReg, Vec<usize>>,
    /// For each instruction: how many before it end straight code.
    ends: Vec<usize>,
}

impl Places {
    fn new(code: &[(Inst, u32)]) -> Places {
        let mut places = Places { moves: HashMap::default(), touched: HashMap::default(), ends: Vec::with_capacity(code.len()) };
        let mut ends = 0;
        for (at, (inst, _)) in code.iter().enumerate() {
            places.ends.push(ends);
            ends += usize::from(inst.effects().end_straight_code());
            if let Inst::Move { src, .. } = inst
                && let Base::Reg(reg) = src.base
                && src.is_contiguous()
            {
                places.moves.insert(reg, at);
            }
            let mut touch = |reg: VReg| places.touched.entry(reg).or_default().push(at);
            inst.for_each_read(|tile| {
                if let Base::Reg(reg) = tile.base {
                    touch(reg);
                }
            });
            inst.for_each_write(touch);
        }
        places
    }

    /// The move of the product at `at` that is its only use, if the product may as well be written to where it goes.
    fn find_move(&self, code: &[(Inst, u32)], at: usize, uses: &Counts) -> Option<usize> {
        let (Inst::Matmul(matmul), _) = &code[at] else { return None };
        if uses.of(matmul.dst) != 1 {
            return None;
        }
        let moved = *self.moves.get(&matmul.dst)?;
        if moved <= at || self.ends[moved] != self.ends[at] {
            return None;
        }
        let (Inst::Move { dst: carrier, .. }, _) = &code[moved] else { return None };
        let on_carrier = |tile: &Tile| tile.base == Base::Reg(*carrier);
        // A splat is read by every element, so it must not be overwritten by the first.
        let in_place = !on_carrier(&matmul.acc) || matmul.acc.is_contiguous();
        let factors = [&matmul.lhs, &matmul.rhs].into_iter().chain(matmul.scales.iter().flatten());
        let free = factors.into_iter().all(|tile| !on_carrier(tile)) && !self.is_touched(*carrier, at + 1, moved);
        (in_place && free).then_some(moved)
    }

    /// Whether an instruction from `start` to before `end` reads or writes a register.
    fn is_touched(&self, reg: VReg, start: usize, end: usize) -> bool {
        let Some(touched) = self.touched.get(&reg) else { return false };
        touched.get(touched.partition_point(|at| *at < start)).is_some_and(|at| *at < end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        elem::Elem,
        kernels::mma::{MatmulKind, Shape},
        plan::Matmul,
    };
    use tilewright_ir::Scalar;

    fn tile(reg: u32) -> Tile {
        Tile::contiguous(Elem::Num(Scalar::F64), Base::Reg(VReg(reg)), &[4, 4])
    }

    fn product(lhs: u32, acc: u32, dst: u32) -> (Inst, u32) {
        let (lhs, rhs, acc, dst) = (tile(lhs), tile(9), tile(acc), VReg(dst));
        (
            Inst::Matmul(Box::new(Matmul {
                kind: MatmulKind::F64,
                batch: 1,
                shape: Shape { m: 4, n: 4, k: 4 },
                lhs,
                rhs,
                acc,
                scales: None,
                dst,
            })),
            0,
        )
    }

    fn moved(src: u32, dst: u32) -> (Inst, u32) {
        (Inst::Move { src: tile(src), dst: VReg(dst) }, 0)
    }

    /// How many instructions are left.
    fn left(mut code: Vec<(Inst, u32)>) -> usize {
        let uses = super::super::counts::count_uses(&code);
        coalesce(&mut code, &uses);
        code.len()
    }

    #[test]
    fn products_are_summed_in_the_carrying_register() {
        assert_eq!(left(vec![product(1, 0, 2), moved(2, 0)]), 1);
        assert_eq!(left(vec![product(1, 5, 2), moved(7, 6), moved(2, 0)]), 2);
    }

    #[test]
    fn what_is_still_needed_is_not_overwritten() {
        // The carrier is a factor.
        assert_eq!(left(vec![product(0, 5, 2), moved(2, 0)]), 2);
        // The old value is read or replaced in between.
        assert_eq!(left(vec![product(1, 0, 2), moved(0, 3), moved(2, 0)]), 3);
        assert_eq!(left(vec![product(1, 0, 2), moved(3, 0), moved(2, 0)]), 3);
        // The product has another use.
        assert_eq!(left(vec![product(1, 0, 2), moved(2, 3), moved(2, 0)]), 3);
        // The move may not be reached.
        assert_eq!(left(vec![product(1, 0, 2), (Inst::Label(1), 0), moved(2, 0)]), 3);
    }
}
