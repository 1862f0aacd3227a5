//! Left factors that are widened where they are made.
//!
//! A product brings factors of narrow floats to the type of its sums. A left factor that was made before a loop and is multiplied in it,
//! as the queries of attention are with one tile of keys after the other, is widened where it is made instead, once. So is one that vector code
//! rounds, as the weights of attention: it has the rounded number as `f32`, which takes no longer to write. Factors that the CPU multiplies as
//! they are stay so.

use super::{Inst, Matmul, Tile, VReg, inst::Elementwise, region, tile::Base};
use crate::{
    TargetMachine,
    elem::Elem,
    hash::HashMap,
    kernels::{
        ElemOp,
        mma::{self, MatmulKind},
        select_at,
    },
};
use std::collections::BTreeMap;
use tilewright_ir::{RoundingMode, Scalar};
use tilewright_numeric::FloatFormat;

/// Widens left factors before the loops that multiply them, and where vector code rounds them. `registers`: the bytes of each.
pub(crate) fn widen_early(code: &mut Vec<(Inst, u32)>, registers: &mut Vec<usize>, machine: &TargetMachine) {
    let products: Vec<(usize, VReg)> = (0..code.len()).filter_map(|at| Some((at, narrow_factor(&code[at].0, machine)?))).collect();
    if products.is_empty() {
        return;
    }
    let (writes, loops) = (find_writes(code), loops(code));
    // For the number of a factor's register, where it is made and what it is widened by.
    let mut made: BTreeMap<usize, (usize, Elementwise)> = BTreeMap::new();
    for (at, reg) in products {
        let Some([begin]) = writes.get(&reg).map(|writes| &writes[..]) else { continue };
        let repeated = loops.iter().any(|(first, last)| begin < first && (*first..=*last).contains(&at));
        let gains = repeated || is_rounded_in_region(&code[*begin].0, machine);
        if let (Inst::Matmul(matmul), true) = (&mut code[at].0, gains)
            && let Some(wide) = widened(matmul, made.get(&reg.index()).map(|(_, widening)| widening), registers, machine)
        {
            made.entry(reg.index()).or_insert((*begin, wide));
        }
    }
    let mut behind: HashMap<usize, Vec<Elementwise>> = HashMap::default();
    made.into_values().for_each(|(begin, widening)| behind.entry(begin).or_default().push(widening));
    let old = std::mem::take(code);
    for (at, (inst, site)) in old.into_iter().enumerate() {
        code.push((inst, site));
        code.extend(behind.remove(&at).into_iter().flatten().map(|widening| (Inst::Elementwise(widening), site)));
    }
}

/// The instructions that write each register.
fn find_writes(code: &[(Inst, u32)]) -> HashMap<VReg, Vec<usize>> {
    let mut writes: HashMap<VReg, Vec<usize>> = HashMap::default();
    for (at, (inst, _)) in code.iter().enumerate() {
        inst.for_each_write(|reg| writes.entry(reg).or_default().push(at));
    }
    writes
}

/// The register of a product's left factor, if that has 16 bits, is all of the register, and is not multiplied as it is.
fn narrow_factor(inst: &Inst, machine: &TargetMachine) -> Option<VReg> {
    let Inst::Matmul(matmul) = inst else { return None };
    let MatmulKind::F32 { lhs: FloatFormat::F16 | FloatFormat::Bf16, .. } = matmul.kind else { return None };
    let Base::Reg(reg) = matmul.lhs.base else { return None };
    let stays = mma::takes_bf16_in_tiles(machine.level(), matmul.kind, &matmul.shape);
    (matmul.lhs.is_contiguous() && !stays).then_some(reg)
}

/// Whether an instruction rounds `f32`, and can be part of vector code.
fn is_rounded_in_region(inst: &Inst, machine: &TargetMachine) -> bool {
    let Inst::Elementwise(Elementwise { kernel, n, .. }) = inst else { return false };
    matches!(kernel.imm.op, ElemOp::FToF(_)) && region::suits(*n, std::iter::once(kernel), machine)
}

/// The first and the last instruction of each loop.
fn loops(code: &[(Inst, u32)]) -> Vec<(usize, usize)> {
    let labels: HashMap<usize, usize> = code
        .iter()
        .enumerate()
        .filter_map(|(at, (inst, _))| if let Inst::Label(label) = inst { Some((*label, at)) } else { None })
        .collect();
    let back = |(at, (inst, _)): (usize, &(Inst, u32))| Some((*labels.get(&inst.target()?).filter(|label| **label < at)?, at));
    code.iter().enumerate().filter_map(back).collect()
}

/// Lets a product read its left factor as `f32`, which `known` or else the result makes of it.
fn widened(matmul: &mut Matmul, known: Option<&Elementwise>, registers: &mut Vec<usize>, machine: &TargetMachine) -> Option<Elementwise> {
    let MatmulKind::F32 { lhs, .. } = &mut matmul.kind else { return None };
    let (from, to) = (matmul.lhs.elem, Elem::Num(Scalar::F32));
    let widening = match known {
        Some(known) => known.clone(),
        None => {
            let n = matmul.lhs.numel();
            let kernel = select_at(machine.level(), ElemOp::FToF(RoundingMode::NearestEven), &[from], to)?;
            let dst = VReg(u32::try_from(registers.len()).expect("there are fewer than 2^32 values"));
            registers.push(n * to.size());
            Elementwise { kernel, srcs: vec![Tile::contiguous(from, matmul.lhs.base, &[n])], dst, n, size: to.size() }
        }
    };
    *lhs = FloatFormat::F32;
    (matmul.lhs.elem, matmul.lhs.base) = (to, Base::Reg(widening.dst));
    Some(widening)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::{mma::Shape, select};

    const F16: Elem = Elem::Num(Scalar::F16);
    const F32: Elem = Elem::Num(Scalar::F32);

    fn tile(elem: Elem, reg: u32) -> Tile {
        Tile::contiguous(elem, Base::Reg(VReg(reg)), &[4, 4])
    }

    /// Writes a factor.
    fn write(reg: u32) -> (Inst, u32) {
        (Inst::Move { src: tile(F16, 0), dst: VReg(reg) }, 0)
    }

    /// Rounds a factor of `n` numbers.
    fn round(reg: u32, n: usize) -> (Inst, u32) {
        let kernel = select(ElemOp::FToF(RoundingMode::NearestEven), &[F32], F16).unwrap();
        let srcs = vec![Tile::contiguous(F32, Base::Reg(VReg(2)), &[n])];
        (Inst::Elementwise(Elementwise { kernel, srcs, dst: VReg(reg), n, size: 2 }), 0)
    }

    fn product(lhs: u32) -> (Inst, u32) {
        let kind = MatmulKind::float(Scalar::F16, Scalar::F32).unwrap();
        let (lhs, rhs, acc, dst) = (tile(F16, lhs), tile(F16, 0), tile(F32, 2), VReg(2));
        (
            Inst::Matmul(Box::new(Matmul {
                kind,
                batch: 1,
                shape: Shape { m: 4, n: 4, k: 4 },
                lhs,
                rhs,
                acc,
                scales: None,
                dst,
                deferred: None,
            })),
            0,
        )
    }

    fn begin() -> (Inst, u32) {
        (Inst::Label(7), 0)
    }

    fn back() -> (Inst, u32) {
        (Inst::JumpBack { target: 7, waits: false }, 0)
    }

    /// Where factors are widened, and the registers of the left factors.
    fn widened(mut code: Vec<(Inst, u32)>) -> (Vec<usize>, Vec<(Elem, u32)>) {
        let mut registers = vec![32, 32, 64];
        widen_early(&mut code, &mut registers, &TargetMachine::host());
        let places = (0..code.len()).filter(|at| matches!(code[*at].0, Inst::Elementwise(_))).collect();
        let factor = |(inst, _): &(Inst, u32)| {
            let Inst::Matmul(matmul) = inst else { return None };
            let Base::Reg(VReg(reg)) = matmul.lhs.base else { return None };
            let MatmulKind::F32 { lhs, rhs: FloatFormat::F16, .. } = matmul.kind else { return None };
            assert_eq!(Some(lhs), matmul.lhs.elem.float());
            Some((matmul.lhs.elem, reg))
        };
        (places, code.iter().filter_map(factor).collect())
    }

    #[test]
    fn factors_of_loops_are_widened_once() {
        assert_eq!(widened(vec![write(1), begin(), product(1), back()]), (vec![1], vec![(F32, 3)]));
        assert_eq!(widened(vec![write(1), begin(), product(1), product(1), back()]), (vec![1], vec![(F32, 3); 2]));
        // A product outside of the loop reads what was made.
        assert_eq!(widened(vec![write(1), product(1), begin(), product(1), back()]), (vec![1], vec![(F16, 1), (F32, 3)]));
    }

    #[test]
    fn factors_that_vector_code_rounds_are_widened_there() {
        let expected = if TargetMachine::host().native().is_some() { (vec![0, 1], vec![(F32, 3)]) } else { (vec![0], vec![(F16, 1)]) };
        assert_eq!(widened(vec![round(1, 128), product(1)]), expected);
        // Too few for vector code.
        assert_eq!(widened(vec![round(1, 16), product(1)]), (vec![0], vec![(F16, 1)]));
    }

    #[test]
    fn what_changes_or_is_read_once_is_widened_by_the_product() {
        assert_eq!(widened(vec![write(1), product(1)]), (vec![], vec![(F16, 1)]));
        assert_eq!(widened(vec![begin(), write(1), product(1), back()]), (vec![], vec![(F16, 1)]));
        assert_eq!(widened(vec![write(1), begin(), product(1), write(1), back()]), (vec![], vec![(F16, 1)]));
        assert_eq!(widened(vec![write(1), begin(), back(), product(1)]), (vec![], vec![(F16, 1)]));
    }
}
