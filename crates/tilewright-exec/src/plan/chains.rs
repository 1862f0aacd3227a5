//! Chains: which steps of a sweep hand their results on in registers of the CPU.

use super::{Chain, Part, Place, Src, Step, SweepInput, Tile, inst::Elementwise, late_products, late_widening};
use crate::{
    TargetMachine,
    kernels::{
        Kernel,
        chain::{self, GROUP, Half, Link, Op, Operand, Program},
    },
};

/// For each member of a run on `n` elements, whether it is part of a chain: of all that stand side by side and can be linked.
pub(super) fn linked(run: &[Elementwise], n: usize, machine: &TargetMachine) -> Vec<bool> {
    let fits: Vec<bool> = run.iter().map(|member| takes(&member.kernel, n, machine)).collect();
    let fits_at = |i: Option<usize>| i.and_then(|i| fits.get(i)).is_some_and(|fits| *fits);
    // One step alone gains nothing, unless it would read a splat from a scratch slot, or compute in 16 bits.
    let gains_alone = |member: &Elementwise| {
        member.srcs.iter().any(Tile::is_splat) || chain::form(&member.kernel.imm).is_some_and(chain::Form::computes_in_halves)
    };
    let gains = |i: usize| fits_at(i.checked_sub(1)) || fits_at(Some(i + 1)) || gains_alone(&run[i]);
    (0..run.len()).map(|i| fits[i] && gains(i)).collect()
}

/// Whether a kernel on `n` elements can be part of a chain.
pub(super) fn takes(kernel: &Kernel, n: usize, machine: &TargetMachine) -> bool {
    n > 0 && n.is_multiple_of(GROUP) && chain::exist(machine.level()) && chain::form(&kernel.imm).is_some()
}

/// Whether a chain reads a tile one element for each row. It has other means for splats.
pub(super) fn takes_rows(src: &Tile) -> bool {
    !src.is_splat() && src.shared_by().is_some_and(|row| row.is_power_of_two() && row >= chain::SHORTEST_ROW)
}

/// The parts of a sweep, in the order in which they run. `linked`: which steps are part of a chain.
pub(super) fn parts(inputs: &[SweepInput], steps: &[Step], linked: &[bool], machine: &TargetMachine) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut next = 0;
    while next < steps.len() {
        let length = linked[next..].iter().take_while(|linked| **linked).count();
        let (linked, rest) = steps[next..].split_at(length);
        match (length > 0).then(|| chain_of(inputs, linked, rest, machine)).flatten() {
            Some(chain) => {
                parts.push(Part::Chain(chain));
                next += length;
            }
            None => {
                parts.push(Part::Step(next));
                next += 1;
            }
        }
    }
    parts
}

/// The chain of these steps, which the others follow, if the CPU has chains.
fn chain_of(inputs: &[SweepInput], steps: &[Step], rest: &[Step], machine: &TargetMachine) -> Option<Chain> {
    let mut places: Vec<Place> = Vec::new();
    let mut place = |at: Src, half: Option<Half>, written: bool| {
        let new = Place { at, half, written };
        places.iter().position(|place| *place == new).unwrap_or_else(|| {
            places.push(new);
            places.len() - 1
        })
    };
    let moved = late_widening::move_to_readers(inputs, steps, rest);
    let (steps, widened) = moved.as_ref().map_or((steps, &[][..]), |(steps, left_out)| (steps, left_out));
    let products = late_products::find(steps, rest);
    let mut links = Vec::with_capacity(steps.len());
    for (i, step) in steps.iter().enumerate().filter(|(i, _)| !products.contains(&Some(*i)) && !widened.contains(i)) {
        let form = chain::form(&step.kernel.imm)?;
        let (op, srcs) = match products[i] {
            Some(product) => (Op::TimesProduct, [&[Src::Passed], &steps[product].srcs[..]].concat()),
            None => (form.op, step.srcs.clone()),
        };
        let mut operands = [Operand::Passed; 3];
        for (operand, src) in operands.iter_mut().zip(&srcs) {
            *operand = match *src {
                Src::Passed => Operand::Passed,
                Src::Input(input) => {
                    let place = place(*src, Half::of(inputs[input].tile().elem), false);
                    match &inputs[input] {
                        SweepInput::Splat { .. } => Operand::Splat(place),
                        SweepInput::PerRow { row, .. } => Operand::PerRow(place, row.ilog2()),
                        _ => Operand::Array(place),
                    }
                }
                _ => Operand::Array(place(*src, form.from, false)),
            };
        }
        let store = (step.dst != Src::Passed).then(|| place(step.dst, form.to, true));
        links.push(Link { op, operands, rounded: form.rounded(), store });
    }
    let halves = places.iter().map(|place| place.half).collect();
    let program = Program::new(&links, halves);
    Some(Chain { code: chain::compile(machine.level(), program)?, places })
}
