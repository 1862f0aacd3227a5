//! Loops of sweeps: a counted loop that only computes element by element is vector code, in which what the loop carries stays in registers
//! of the CPU from round to round.
//!
//! ```text
//! for %4 to c8 step c128 else ^3            for %4 to c8 step c128 else ^3 only_sweeps
//! ^1:                                       ^1:
//!   sweep of 1: %5 = IToF (%4)                sweep region of 1024 rounds of %4 {
//!   sweep of 1024: %7 = MulF (%6, %5)    ─►     in0 = splat %4, in1 = direct %6
//!   %6 = move %7                                slot0 = IToF (in0); %6 = MulF (in1, slot0)
//! next %4 to c8 step c128 back ^1             }
//! ^3:                                       next %4 to c8 step c128 back ^1
//! ```
//!
//! The body becomes one sweep: sweeps over the same elements, sweeps over single numbers, which are the same for all elements, and moves. The head of the
//! loop runs all rounds of it (`vm/sweep_loop.rs`); the end of the loop stays for those that look at the code.

use super::{
    Draft, Inst, LoopBody, Src, Step, Sweep, SweepInput, Tile, VReg,
    counts::{Counts, count_uses},
    region,
    sweep::Rounds,
    tile::Base,
};
use crate::{
    TargetMachine,
    elem::Elem,
    hash::HashMap,
    kernels::{self, ElemOp, Kernel},
};
use std::{collections::BTreeSet, ops::Range};
use tilewright_vector::lower;

/// The most steps of a body.
const MOST_STEPS: usize = 256;

/// Makes one sweep of the body of each loop that only computes element by element.
pub(super) fn fuse(draft: &mut Draft) {
    let has_loops = draft.code.iter().any(|(inst, _)| matches!(inst, Inst::ForHead { .. }));
    if !has_loops || !draft.machine.has_regions() {
        return;
    }
    let (uses, targets) = (count_uses(&draft.code), targets(&draft.code));
    let bodies: Vec<Range<usize>> = (0..draft.code.len()).filter_map(|head| body_of(&draft.code, &targets, head)).collect();
    // From the last one on, so that the others stay where they are.
    for body in bodies.into_iter().rev() {
        let site = draft.code[body.start].1;
        if let Some(sweep) = one_sweep(draft, &uses, body.clone())
            && let Inst::ForHead { body: kind, .. } = &mut draft.code[body.start - 2].0
        {
            *kind = LoopBody::Sweep;
            draft.code.splice(body, [(Inst::Sweep(Box::new(sweep)), site)]);
        }
    }
}

/// How many instructions may go to each label.
fn targets(code: &[(Inst, u32)]) -> HashMap<usize, usize> {
    let mut targets = HashMap::default();
    code.iter().filter_map(|(inst, _)| inst.target()).for_each(|label| *targets.entry(label).or_default() += 1);
    targets
}

/// The instructions between the head and the end of a loop that begins at `head`, if they are sweeps and moves in straight code.
fn body_of(code: &[(Inst, u32)], targets: &HashMap<usize, usize>, head: usize) -> Option<Range<usize>> {
    let [(Inst::ForHead { .. }, _), (Inst::Label(top), _), ..] = code[head..] else { return None };
    let start = head + 2;
    let mut at = start;
    loop {
        match &code[at..] {
            [(Inst::Sweep(_) | Inst::Move { .. }, _), ..] => at += 1,
            [(Inst::Jump(label), _), (Inst::Label(next), _), ..] if label == next && targets.get(label) == Some(&1) => at += 2,
            [(Inst::ForNext { target, waits: false, .. }, _), ..] if *target == top && targets.get(&top) == Some(&1) => {
                return (at > start).then_some(start..at);
            }
            _ => return None,
        }
    }
}

/// The sweep that does what a body does, if there is one.
fn one_sweep(draft: &Draft, uses: &Counts, body: Range<usize>) -> Option<Sweep> {
    let Inst::ForHead { counter, upper, step, .. } = &draft.code[body.start - 2].0 else { return None };
    let code = &draft.code[body];
    let mut written = BTreeSet::new();
    for (inst, _) in code {
        inst.for_each_write(|reg| {
            written.insert(reg.index());
        });
    }
    let is_written = |tile: &Tile| matches!(tile.base, Base::Reg(reg) if written.contains(&reg.index()));
    if is_written(upper) || is_written(step) || written.contains(&counter.index()) || !region::counts_in(upper.elem) {
        return None;
    }
    let n = code.iter().filter_map(|(inst, _)| elements(inst)).max().filter(|n| *n > 1)?;
    let rounds = Rounds { counter: *counter, elem: upper.elem, numbers: Vec::new() };
    let (machine, registers, values) = (draft.machine, &draft.registers[..], HashMap::default());
    let mut body = Body { machine, registers, n, rounds, written, values, inputs: Vec::new(), steps: Vec::new() };
    for (inst, site) in code {
        match inst {
            Inst::Sweep(sweep) => body.sweep(sweep, *site)?,
            Inst::Move { src, dst } => body.moved(src, *dst, *site)?,
            _ => {}
        }
    }
    let inside = Counts::of_reads(code.iter().map(|(inst, _)| inst));
    body.finish(|reg| uses.of(reg) > inside.of(reg))
}

/// On how many elements an instruction of a body works.
fn elements(inst: &Inst) -> Option<usize> {
    match inst {
        Inst::Sweep(sweep) => Some(sweep.n),
        Inst::Move { src, .. } => Some(src.numel()),
        _ => None,
    }
}

/// What a register holds at a place in the body.
#[derive(Clone, Copy)]
struct Held {
    src: Src,
    elem: Elem,
    /// How many elements the register has: all of the sweep, or one.
    extent: usize,
    /// Whether all elements are the same.
    single: bool,
    /// The operation that put it there.
    site: u32,
}

/// A body that is becoming one sweep. Each step has a slot of its own at first.
struct Body<'a> {
    machine: TargetMachine,
    /// The bytes of each register.
    registers: &'a [usize],
    n: usize,
    rounds: Rounds,
    /// The registers that the body writes.
    written: BTreeSet<usize>,
    /// What registers hold that were written, or read from the round before.
    values: HashMap<VReg, Held>,
    inputs: Vec<SweepInput>,
    steps: Vec<(Step, u32)>,
}

impl Body<'_> {
    fn sweep(&mut self, sweep: &Sweep, site: u32) -> Option<()> {
        if !sweep.folds.is_empty() || ![1, self.n].contains(&sweep.n) || sweep.has_gathers {
            return None;
        }
        // A sweep reads what was there before it.
        let inputs = sweep.inputs.iter().map(|input| self.read(input.tile(), sweep.n, site)).collect::<Option<Vec<Held>>>()?;
        let mut inside: HashMap<Src, Held> = HashMap::default();
        for (i, step) in sweep.steps.iter().enumerate() {
            let site = sweep.sites.get(i).copied().unwrap_or(site);
            let held = |src: &Src| if let Src::Input(input) = src { Some(inputs[*input]) } else { inside.get(src).copied() };
            let srcs = step.srcs.iter().map(held).collect::<Option<Vec<Held>>>()?;
            let result = self.step(step.kernel, &srcs, sweep.n, site);
            inside.insert(step.dst, result);
            if let Src::Reg(reg, _) = step.dst {
                self.values.insert(reg, result);
            }
        }
        Some(())
    }

    fn moved(&mut self, src: &Tile, dst: VReg, site: u32) -> Option<()> {
        let extent = src.numel();
        if ![1, self.n].contains(&extent) {
            return None;
        }
        let held = self.read(src, extent, site)?;
        self.values.insert(dst, Held { extent, site, ..held });
        Some(())
    }

    fn step(&mut self, kernel: Kernel, srcs: &[Held], extent: usize, site: u32) -> Held {
        let dst = Src::Slot(self.steps.len());
        self.steps.push((Step { kernel, srcs: srcs.iter().map(|held| held.src).collect(), dst }, site));
        Held { src: dst, elem: kernel.imm.dst, extent, single: srcs.iter().all(|held| held.single), site }
    }

    /// A tile that an instruction on so many elements reads, element by element.
    fn read(&mut self, tile: &Tile, extent: usize, site: u32) -> Option<Held> {
        // Vector code has no elements of 4 bits, which a loop may hand on.
        lower::memory_lane_of(tile.elem)?;
        let held = match tile.base {
            Base::Reg(reg) if reg == self.rounds.counter => self.single(tile.base, self.rounds.elem, site),
            Base::Reg(reg) if self.values.contains_key(&reg) => self.values[&reg],
            Base::Reg(reg) if self.written.contains(&reg.index()) => {
                let bytes = self.registers[reg.index()];
                let held = if bytes == tile.elem.size() {
                    self.single(tile.base, tile.elem, site)
                } else if extent == self.n && tile.is_contiguous() && bytes == extent * tile.elem.size() {
                    Held { src: self.input(SweepInput::Direct { tile: tile.clone() }), elem: tile.elem, extent, single: false, site }
                } else {
                    return None;
                };
                self.values.insert(reg, held);
                held
            }
            base if extent < self.n => return Some(self.single(base, tile.elem, site)),
            _ => {
                let slot = self.inputs.len();
                let input = SweepInput::of(tile.clone(), self.n, || slot);
                let single = input.is_splat();
                return Some(Held { src: self.input(input), elem: tile.elem, extent, single, site });
            }
        };
        let is_same = if held.extent == 1 { tile.is_splat() } else { tile.is_contiguous() && tile.numel() == held.extent };
        match is_same {
            true if held.elem == tile.elem => Some(held),
            true => self.retyped(held, tile.elem),
            false => None,
        }
    }

    /// The bits of a value as elements of another type.
    fn retyped(&mut self, held: Held, elem: Elem) -> Option<Held> {
        let kernel = kernels::select_at(self.machine.level(), ElemOp::Copy, &[held.elem], elem)?;
        Some(self.step(kernel, &[held], held.extent, held.site))
    }

    /// A single number, for all elements.
    fn single(&mut self, base: Base, elem: Elem, site: u32) -> Held {
        let (tile, slot) = (Tile::splat(elem, base, &[self.n]), self.inputs.len());
        Held { src: self.input(SweepInput::Splat { tile, slot }), elem, extent: 1, single: true, site }
    }

    /// An input, once.
    fn input(&mut self, input: SweepInput) -> Src {
        let is_it = |other: &SweepInput| {
            let (own, other) = (input.tile(), other.tile());
            (own.base, own.elem, own.loops()) == (other.base, other.elem, other.loops())
        };
        let found = self.inputs.iter().position(is_it).unwrap_or_else(|| {
            self.inputs.push(input);
            self.inputs.len() - 1
        });
        Src::Input(found)
    }

    /// The type of a register that a round reads as the round before left it.
    fn carried_as(&self, reg: VReg) -> Option<Elem> {
        self.inputs.iter().map(SweepInput::tile).find(|tile| tile.base == Base::Reg(reg)).map(|tile| tile.elem)
    }

    /// The sweep, which writes what the next round or anything outside reads.
    fn finish(mut self, is_read_outside: impl Fn(VReg) -> bool) -> Option<Sweep> {
        let mut places: HashMap<Src, Src> = HashMap::default();
        for number in std::mem::take(&mut self.written) {
            let reg = VReg(u32::try_from(number).ok()?);
            let held = self.values.get(&reg).copied()?;
            let elem = match self.carried_as(reg) {
                Some(elem) => elem,
                None if is_read_outside(reg) => held.elem,
                None => continue,
            };
            if held.extent * held.elem.size() != self.registers[number] {
                return None;
            }
            if held.extent == 1 {
                self.rounds.numbers.push(reg);
            }
            let is_free = matches!(held.src, Src::Slot(_)) && !places.contains_key(&held.src);
            let held = if is_free && held.elem == elem { held } else { self.retyped(held, elem)? };
            places.insert(held.src, Src::Reg(reg, elem.size()));
        }
        if places.is_empty() || self.steps.len() > MOST_STEPS {
            return None;
        }
        let (mut steps, sites): (Vec<Step>, Vec<u32>) = self.steps.into_iter().unzip();
        for at in steps.iter_mut().flat_map(|step| step.srcs.iter_mut().chain([&mut step.dst])) {
            *at = places.get(at).copied().unwrap_or(*at);
        }
        let mut sweep = Sweep::of_rounds(self.n, self.inputs, steps, self.machine, self.rounds)?;
        sweep.sites = sites;
        Some(sweep)
    }
}
