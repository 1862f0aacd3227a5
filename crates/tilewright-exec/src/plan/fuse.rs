//! Fusing: runs of elementwise instructions of one length become sweeps.
//!
//! A sweep does all its steps on one piece of the elements before it goes on to the next, so values that only the sweep uses
//! never leave the cache and need no register.

use super::{
    Inst, Src, Step, Sweep, SweepInput, Tile, VReg,
    counts::{Counts, count_uses},
    inst::Elementwise,
    region,
    tile::Base,
};
use crate::{TargetMachine, hash::HashMap, kernels::Kernel};

/// The most steps of a sweep, which bounds its scratch.
pub(crate) const MAX_STEPS: usize = 64;

/// Code and what it needs.
pub(crate) struct Fused {
    pub(crate) code: Vec<(Inst, u32)>,
    pub(crate) scratch_slots: usize,
}

/// Replaces every run of elementwise instructions.
pub(crate) fn fuse(code: Vec<(Inst, u32)>, machine: TargetMachine) -> Fused {
    let (uses, room) = (count_uses(&code), Vec::with_capacity(code.len()));
    let mut fuser = Fuser { machine, uses, code: room, scratch_slots: 0, run: Vec::new(), sites: Vec::new() };
    for (inst, site) in code {
        match inst {
            Inst::Elementwise(inst) => fuser.add(inst, site),
            inst => {
                fuser.flush();
                fuser.scratch_slots = fuser.scratch_slots.max(scratch_of(&inst));
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
        let run = vec![inst];
        let (sweep, needed) = SweepBuilder::new(&run, machine, |_| 1).build(run);
        slots = slots.max(needed);
        Inst::Sweep(Box::new(sweep))
    };
    (code.into_iter().map(one).collect(), slots)
}

/// How many pieces of scratch the folds of code need at once.
pub(crate) fn scratch_of_folds(code: &[Inst]) -> usize {
    code.iter().map(scratch_of).max().unwrap_or(0)
}

fn scratch_of(inst: &Inst) -> usize {
    if let Inst::Fold(fold) = inst { fold.slots } else { 0 }
}

struct Fuser {
    machine: TargetMachine,
    /// How often each register is read.
    uses: Counts,
    code: Vec<(Inst, u32)>,
    scratch_slots: usize,
    /// Instructions that will be one sweep.
    run: Vec<Elementwise>,
    /// The operations that they came from.
    sites: Vec<u32>,
}

impl Fuser {
    fn add(&mut self, inst: Elementwise, site: u32) {
        if !self.fits(&inst) {
            self.flush();
        }
        self.run.push(inst);
        self.sites.push(site);
    }

    /// Whether an instruction can join the run: same length, and it reads values of the run element by element.
    fn fits(&self, inst: &Elementwise) -> bool {
        let Some(first) = self.run.first() else { return true };
        let in_order = |src: &Tile| match src.base {
            Base::Reg(reg) => !self.run.iter().any(|member| member.dst == reg) || (src.numel() == inst.n && src.is_contiguous()),
            Base::Const(_) => true,
        };
        first.n == inst.n && self.run.len() < MAX_STEPS && inst.srcs.iter().all(in_order)
    }

    fn flush(&mut self) {
        let Some(&site) = self.sites.first() else { return };
        let run = std::mem::take(&mut self.run);
        let builder = SweepBuilder::new(&run, self.machine, |reg| self.uses.of(reg));
        let (mut sweep, slots) = builder.build(run);
        sweep.sites = std::mem::take(&mut self.sites);
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
    /// Whether vector code is fast for elements as they are here.
    suits_region: bool,
}

impl SweepBuilder {
    /// `uses`: how often a register is read, in the run and elsewhere.
    fn new(run: &[Elementwise], machine: TargetMachine, uses: impl Fn(VReg) -> usize) -> SweepBuilder {
        let mut reads: HashMap<VReg, (usize, usize)> = HashMap::default();
        for (i, member) in run.iter().enumerate() {
            reads.insert(member.dst, (i, 0));
            for src in &member.srcs {
                if let Base::Reg(reg) = src.base
                    && let Some((last, count)) = reads.get_mut(&reg)
                {
                    (*last, *count) = (i, *count + 1);
                }
            }
        }
        let outside = |reg: &VReg, inside: usize| uses(*reg) > inside;
        let produced = reads.into_iter().map(|(reg, (last, count))| (reg, (last, outside(&reg, count)))).collect();
        let n = run.first().map_or(0, |member| member.n);
        let suits_region = region::suits(n, run.iter().map(|member| &member.kernel), &machine);
        SweepBuilder {
            n,
            machine,
            produced,
            places: HashMap::default(),
            slots: Slots::default(),
            input_slots: 0,
            inputs: Vec::new(),
            suits_region,
        }
    }

    fn build(mut self, run: Vec<Elementwise>) -> (Sweep, usize) {
        let mut steps = Vec::with_capacity(run.len());
        for (i, member) in run.into_iter().enumerate() {
            let (kernel, column) = self.with_a_column(&member);
            let srcs = member.srcs.iter().enumerate().map(|(k, src)| self.source(src, column == Some(k))).collect();
            let dst = match self.produced[&member.dst] {
                (_, true) => Src::Reg(member.dst, member.size),
                (_, false) => Src::Slot(self.slots.take()),
            };
            self.places.insert(member.dst, dst);
            self.release(i, &member);
            steps.push(Step { kernel, srcs, dst });
        }
        let behind_inputs = |src: &mut Src| {
            if let Src::Slot(slot) = src {
                *slot += self.input_slots;
            }
        };
        for step in &mut steps {
            step.srcs.iter_mut().chain([&mut step.dst]).for_each(behind_inputs);
        }
        let slots = self.input_slots + self.slots.count;
        (Sweep::new(self.n, self.inputs, steps, self.machine), slots)
    }

    /// Gives back the slots of values that nothing after member `i` reads.
    fn release(&mut self, i: usize, member: &Elementwise) {
        let regs = member.srcs.iter().filter_map(|src| if let Base::Reg(reg) = src.base { Some(reg) } else { None }).chain([member.dst]);
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

    /// The kernel of a member, and the source that has one element for each row, if there is one and the kernel takes it so.
    fn with_a_column(&self, member: &Elementwise) -> (Kernel, Option<usize>) {
        // One number for all is a number that vector code holds, wherever there is any.
        let is_column = |row: &usize| *row < self.n || !self.suits_region;
        let columns = member.srcs.iter().enumerate().filter_map(|(k, src)| Some((k, src.shared_by().filter(is_column)?)));
        let taken = columns.filter_map(|(k, row)| Some((member.kernel.per_row(k, row)?, Some(k)))).next();
        taken.unwrap_or((member.kernel, None))
    }

    /// Where a member reads a tile.
    fn source(&mut self, src: &Tile, is_column: bool) -> Src {
        if let Base::Reg(reg) = src.base
            && let Some(place) = self.places.get(&reg)
        {
            return *place;
        }
        let is_it = |input: &SweepInput| input.tile() == src && matches!(input, SweepInput::PerRow { .. }) == is_column;
        if let Some(input) = self.inputs.iter().position(is_it) {
            return Src::Input(input);
        }
        let input = SweepInput::of(src.clone(), self.n, is_column, || self.input_slot());
        self.inputs.push(input);
        Src::Input(self.inputs.len() - 1)
    }
}
