//! Fusing: runs of elementwise instructions of one length become sweeps.
//!
//! A sweep does all its steps on one piece of the elements before it goes on to the next, so values that only the sweep uses
//! never leave the cache and need no register.

use super::{
    Gathered, IndexedLoad, Inst, Src, Step, Sweep, SweepInput, Tile, VReg,
    counts::{Counts, count_uses},
    inst::Elementwise,
    tile::Base,
};
use crate::{
    TargetMachine,
    elem::Elem,
    hash::HashMap,
    kernels::{self, ElemOp},
};

/// The most steps of a sweep, which bounds its scratch.
pub(crate) const MAX_STEPS: usize = 64;

/// Code and what it needs.
pub(crate) struct Fused {
    pub(crate) code: Vec<(Inst, u32)>,
    pub(crate) scratch_slots: usize,
}

/// Replaces every run of elementwise instructions.
pub(crate) fn fuse(code: Vec<(Inst, u32)>, machine: TargetMachine) -> Fused {
    if code.iter().all(|(inst, _)| inst.elementwise_length().is_none()) {
        return Fused { code, scratch_slots: 0 };
    }
    let (uses, room) = (count_uses(&code), Vec::with_capacity(code.len()));
    let mut fuser = Fuser { machine, uses, code: room, scratch_slots: 0, run: Vec::new() };
    for (inst, site) in code {
        match inst {
            Inst::Elementwise(inst) => fuser.add(Member::Step(inst), site),
            Inst::IndexedLoad(load) => fuser.add(Member::Load(load), site),
            inst => {
                fuser.flush();
                fuser.code.push((inst, site));
            }
        }
    }
    fuser.flush();
    Fused { code: fuser.code, scratch_slots: fuser.scratch_slots }
}

/// Makes every elementwise instruction a sweep of its own; gives the code and the scratch slots that it needs.
pub(crate) fn one_by_one(code: Vec<Inst>, machine: TargetMachine) -> (Vec<Inst>, usize) {
    let mut slots = 0;
    let one = |inst| {
        let Inst::Elementwise(inst) = inst else { return inst };
        let run = vec![(Member::Step(inst), 0)];
        let (mut sweep, needed) = SweepBuilder::new(&run, machine, |_| 1).build(&run);
        // Its step came from the operation of the instruction.
        sweep.sites.clear();
        slots = slots.max(needed);
        Inst::Sweep(Box::new(sweep))
    };
    (code.into_iter().map(one).collect(), slots)
}

/// How many pieces of scratch the folds of code need at once.
pub(crate) fn scratch_of_folds(code: &[Inst]) -> usize {
    code.iter().map(|inst| if let Inst::Fold(fold) = inst { fold.slots } else { 0 }).max().unwrap_or(0)
}

struct Fuser {
    machine: TargetMachine,
    /// How often each register is read.
    uses: Counts,
    code: Vec<(Inst, u32)>,
    scratch_slots: usize,
    /// Instructions that will be one sweep, and the operations that they came from.
    run: Vec<(Member, u32)>,
}

/// An instruction of a run.
enum Member {
    Step(Elementwise),
    Load(Box<IndexedLoad>),
}

impl Member {
    /// How many elements it works on.
    fn n(&self) -> usize {
        match self {
            Member::Step(step) => step.n,
            Member::Load(load) => load.offset.n,
        }
    }

    fn dst(&self) -> VReg {
        match self {
            Member::Step(step) => step.dst,
            Member::Load(load) => load.dst,
        }
    }

    /// What it reads element by element, and single numbers.
    fn srcs(&self) -> impl Iterator<Item = &Tile> {
        let (srcs, mask, padding) = match self {
            Member::Step(step) => (&step.srcs, None, None),
            Member::Load(load) => (&load.offset.srcs, load.access.mask.as_ref(), load.source_of_padding.as_ref()),
        };
        srcs.iter().chain(mask).chain(padding)
    }
}

impl Fuser {
    fn add(&mut self, member: Member, site: u32) {
        if !self.fits(&member) {
            self.flush();
        }
        self.run.push((member, site));
    }

    /// Whether an instruction can join the run: same length, and it reads values of the run element by element.
    fn fits(&self, member: &Member) -> bool {
        let Some((first, _)) = self.run.first() else { return true };
        let n = member.n();
        let in_order = |src: &Tile| match src.base {
            Base::Reg(reg) => !self.run.iter().any(|(other, _)| other.dst() == reg) || (src.numel() == n && src.is_contiguous()),
            Base::Const(_) => true,
        };
        first.n() == n && self.run.len() < MAX_STEPS && member.srcs().all(in_order)
    }

    fn flush(&mut self) {
        let run = std::mem::take(&mut self.run);
        let Some((sweep, slots)) = self.sweep_of(&run) else { return };
        // Only vector code gathers.
        if !sweep.has_gathers || sweep.is_region() {
            self.push(sweep, slots, run[0].1);
        } else {
            self.flush_parts(run);
        }
    }

    /// Goes without gathers: each load goes through its pointers, and parts the run.
    fn flush_parts(&mut self, run: Vec<(Member, u32)>) {
        let mut part = Vec::new();
        for (member, site) in run {
            let load = match member {
                Member::Step(_) => {
                    part.push((member, site));
                    continue;
                }
                Member::Load(load) => *load,
            };
            // From here on, something reads the pointers.
            self.uses.add(load.offset.dst);
            part.push((Member::Step(load.offset), site));
            self.push_steps(std::mem::take(&mut part));
            let (access, padding, dst) = (Box::new(load.access), load.padding, load.dst);
            self.code.push((Inst::LoadPointers { access, padding, dst }, site));
        }
        self.push_steps(part);
    }

    fn push_steps(&mut self, run: Vec<(Member, u32)>) {
        if let Some((sweep, slots)) = self.sweep_of(&run) {
            self.push(sweep, slots, run[0].1);
        }
    }

    /// The sweep of a run, if there is one, and how many scratch slots it needs.
    fn sweep_of(&self, run: &[(Member, u32)]) -> Option<(Sweep, usize)> {
        (!run.is_empty()).then(|| SweepBuilder::new(run, self.machine, |reg| self.uses.of(reg)).build(run))
    }

    fn push(&mut self, sweep: Sweep, slots: usize, site: u32) {
        self.scratch_slots = self.scratch_slots.max(slots);
        self.code.push((Inst::Sweep(Box::new(sweep)), site));
    }
}

/// Scratch slots, reused when their value is dead.
#[derive(Default)]
struct Slots {
    free: Vec<usize>,
    count: usize,
}

impl Slots {
    fn take(&mut self) -> usize {
        self.free.pop().unwrap_or_else(|| {
            self.count += 1;
            self.count - 1
        })
    }

    fn give_back(&mut self, slot: usize) {
        self.free.push(slot);
    }
}

struct SweepBuilder {
    n: usize,
    machine: TargetMachine,
    /// For each value of the run: its last reader in the run, and whether anything outside reads it.
    produced: HashMap<VReg, (usize, bool)>,
    /// Where the values of the run are now.
    places: HashMap<VReg, Src>,
    /// Slots of the values of the run. They are numbered behind those of the inputs, which stay taken for the whole sweep.
    slots: Slots,
    input_slots: usize,
    inputs: Vec<SweepInput>,
}

impl SweepBuilder {
    /// `uses`: how often a register is read, in the run and elsewhere.
    fn new(run: &[(Member, u32)], machine: TargetMachine, uses: impl Fn(VReg) -> usize) -> SweepBuilder {
        let mut reads: HashMap<VReg, (usize, usize)> = HashMap::default();
        for (i, (member, _)) in run.iter().enumerate() {
            reads.insert(member.dst(), (i, 0));
            for src in member.srcs() {
                if let Base::Reg(reg) = src.base
                    && let Some((last, count)) = reads.get_mut(&reg)
                {
                    (*last, *count) = (i, *count + 1);
                }
            }
        }
        let outside = |reg: &VReg, inside: usize| uses(*reg) > inside;
        let produced = reads.into_iter().map(|(reg, (last, count))| (reg, (last, outside(&reg, count)))).collect();
        let n = run.first().map_or(0, |(member, _)| member.n());
        SweepBuilder { n, machine, produced, places: HashMap::default(), slots: Slots::default(), input_slots: 0, inputs: Vec::new() }
    }

    fn build(mut self, run: &[(Member, u32)]) -> (Sweep, usize) {
        let (mut steps, mut sites) = (Vec::with_capacity(run.len()), Vec::with_capacity(run.len()));
        for (i, (member, site)) in run.iter().enumerate() {
            match member {
                Member::Step(step) => {
                    let srcs = step.srcs.iter().map(|src| self.source(src)).collect();
                    let dst = match self.produced[&step.dst] {
                        (_, true) => Src::Reg(step.dst, step.size),
                        (_, false) => Src::Slot(self.slots.take()),
                    };
                    self.places.insert(step.dst, dst);
                    steps.push(Step { kernel: step.kernel, srcs, dst });
                    sites.push(*site);
                }
                Member::Load(load) => {
                    let gathered = self.gather(load, steps.len(), *site);
                    if let Some(kept) = self.kept(load, gathered) {
                        steps.push(kept);
                        sites.push(*site);
                    }
                }
            }
            self.release(i, member);
        }
        let behind_inputs = |src: &mut Src| {
            if let Src::Slot(slot) = src {
                *slot += self.input_slots;
            }
        };
        for step in &mut steps {
            step.srcs.iter_mut().chain([&mut step.dst]).for_each(behind_inputs);
        }
        self.inputs.iter_mut().filter_map(SweepInput::gathered_mut).flat_map(Gathered::srcs_mut).for_each(behind_inputs);
        let slots = self.input_slots + self.slots.count;
        let mut sweep = Sweep::new(self.n, self.inputs, steps, self.machine);
        sweep.sites = sites;
        (sweep, slots)
    }

    /// Makes an input of what is loaded behind so many steps.
    fn gather(&mut self, load: &IndexedLoad, at: usize, site: u32) -> Src {
        let (index, elem) = (self.source(load.index()), Elem::Num(load.access.element));
        let mut source = |tile: &Option<Tile>| tile.as_ref().map(|tile| self.source(tile));
        let (mask, padding) = (source(&load.access.mask), source(&load.source_of_padding));
        let index = (index, load.index().elem);
        let gathered = Gathered { base: load.base().clone(), elem, index, mask, padding, at, site };
        self.inputs.push(SweepInput::Gathered(Box::new(gathered)));
        let place = Src::Input(self.inputs.len() - 1);
        self.places.insert(load.dst, place);
        place
    }

    /// The step that writes what was loaded to its register, if something behind the run reads that.
    fn kept(&self, load: &IndexedLoad, gathered: Src) -> Option<Step> {
        let (_, is_read_outside) = self.produced[&load.dst];
        let elem = Elem::Num(load.access.element);
        let kernel = kernels::select_at(self.machine.level(), ElemOp::Copy, &[elem], elem).filter(|_| is_read_outside)?;
        Some(Step { kernel, srcs: vec![gathered], dst: Src::Reg(load.dst, load.access.size) })
    }

    /// Gives back the slots of values that nothing after member `i` reads.
    fn release(&mut self, i: usize, member: &Member) {
        let regs = member.srcs().filter_map(|src| if let Base::Reg(reg) = src.base { Some(reg) } else { None }).chain([member.dst()]);
        for reg in regs {
            if self.produced.get(&reg).is_some_and(|(last, _)| *last == i)
                && let Some(Src::Slot(slot)) = self.places.remove(&reg)
            {
                self.slots.give_back(slot);
            }
        }
    }

    fn input_slot(&mut self) -> usize {
        self.input_slots += 1;
        self.input_slots - 1
    }

    /// Where a member reads a tile.
    fn source(&mut self, src: &Tile) -> Src {
        if let Base::Reg(reg) = src.base
            && let Some(place) = self.places.get(&reg)
        {
            return *place;
        }
        let is_it = |input: &SweepInput| input.gathered().is_none() && input.tile() == src;
        if let Some(input) = self.inputs.iter().position(is_it) {
            return Src::Input(input);
        }
        let input = SweepInput::of(src.clone(), self.n, || self.input_slot());
        self.inputs.push(input);
        Src::Input(self.inputs.len() - 1)
    }
}
