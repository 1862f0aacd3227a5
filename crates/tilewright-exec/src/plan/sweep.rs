//! Sweeps: runs of elementwise operations.

use super::{Base, Operand, Region, Tile, VReg, region};
use crate::{TargetMachine, elem::Elem, kernels::Kernel};
use std::sync::OnceLock;
use tilewright_vector::lower;

/// A run of elementwise operations, done piece by piece so that intermediate values stay in the nearest cache.
#[derive(Debug)]
pub(crate) struct Sweep {
    pub(crate) n: usize,
    pub(crate) inputs: Vec<SweepInput>,
    pub(crate) steps: Vec<Step>,
    /// Found when somebody asks, and again after a change.
    way: OnceLock<Way>,
    machine: TargetMachine,
    /// The extents of the tile that it stores; none, if it stores none.
    shape: Vec<usize>,
    /// Whether it gathers.
    pub(crate) has_gathers: bool,
    /// Whether some of what it reads or writes may not lie side by side in memory.
    is_apart: bool,
    /// Whether it is vector code also where the loop of its only step would do.
    prefers_region: bool,
    /// Whether some of what it reads may lie in memory otherwise than in a register: where a load left it.
    pub(crate) reads_strided: bool,
    /// Whether it fetches what the next block will read.
    pub(crate) reads_ahead: bool,
    /// The reductions that begin in its vector code, of rows of one length.
    pub(crate) folds: Vec<SweepFold>,
    /// The operation that each step came from; none where that is the operation of the instruction.
    pub(crate) sites: Vec<u32>,
    /// The loop that it is the body of, if its vector code goes round that.
    pub(crate) rounds: Option<Rounds>,
}

/// A counted loop whose rounds vector code does: for each element all of them, and what they carry stays in registers of the CPU.
///
/// A round reads a register that the sweep writes as the round before left it. Inputs on the register of the counter are the counter of the round.
#[derive(Clone, Debug)]
pub(crate) struct Rounds {
    pub(crate) counter: VReg,
    /// The type of the counter.
    pub(crate) elem: Elem,
    /// The registers that carry single numbers, which are the same for all elements. Steps that read nothing but such numbers compute them.
    pub(crate) numbers: Vec<VReg>,
}

/// How a sweep goes over its elements.
#[derive(Debug)]
pub(crate) enum Way {
    /// As vector code.
    Region(Box<Region>),
    /// All elements at once: there are few, for which a slot has room, or there is one step that fetches nothing and reads what lies in order. The inputs
    /// of these numbers are brought to their slots before.
    OnePiece { gathered: Vec<usize>, calls: Vec<Call> },
    /// In pieces, which scratch slots hold.
    Pieces,
}

/// A kernel with what it reads and writes.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) kernel: Kernel,
    /// As many as the kernel has; the others are not read.
    pub(crate) srcs: [Operand; 3],
    pub(crate) dst: Operand,
}

impl Way {
    fn of(sweep: &Sweep) -> Way {
        let Sweep { n, ref shape, ref inputs, ref steps, ref machine, is_apart, prefers_region, reads_ahead, ref rounds, .. } = *sweep;
        let lies_ready = |input: &SweepInput| matches!(input, SweepInput::Direct { .. });
        let gathered: Vec<usize> = (0..inputs.len()).filter(|input| !lies_ready(&inputs[*input])).collect();
        let all_ready = gathered.is_empty();
        let is_alone = matches!(steps[..], [Step { dst: Src::Reg(..), .. }]);
        // Tiles of several dimensions seldom lie in memory as in a register.
        let is_apart = is_apart || shape.iter().filter(|extent| **extent > 1).count() > 1;
        // A step alone has a loop of its own, but for functions, which vector code computes with tables and pairs.
        let is_function = steps.iter().any(|step| lower::is_function(step.kernel.imm.op));
        let gains = is_apart || prefers_region || is_function || steps.len() > 1 || !all_ready;
        let must = rounds.is_some() || sweep.has_gathers;
        let suits = must && machine.has_regions() || region::suits(n, steps.iter().map(|step| &step.kernel), machine);
        if let Some(region) = (gains && suits).then(|| Region::of(n, shape, inputs, steps, rounds.as_ref(), machine)).flatten() {
            Way::Region(Box::new(region))
        } else if n < Sweep::PIECE || is_alone && !reads_ahead && all_ready {
            Way::OnePiece { gathered, calls: steps.iter().map(|step| Call::of(step, inputs)).collect() }
        } else {
            Way::Pieces
        }
    }
}

impl Call {
    fn of(step: &Step, inputs: &[SweepInput]) -> Call {
        let mut srcs = [operand(step.dst, inputs); 3];
        for (to, src) in srcs.iter_mut().zip(&step.srcs) {
            let slot = if let Src::Input(input) = src { inputs[*input].slot() } else { None };
            *to = operand(slot.map_or(*src, Src::Slot), inputs);
        }
        Call { kernel: step.kernel, srcs, dst: operand(step.dst, inputs) }
    }
}

/// Where a step on one piece reads or writes; of an input, where that lies.
pub(super) fn operand(src: Src, inputs: &[SweepInput]) -> Operand {
    match src {
        Src::Input(input) => Operand::of(inputs[input].tile().base),
        Src::Slot(slot) => Operand::scratch(slot * Sweep::SLOT_BYTES),
        Src::Reg(reg, _) => Operand::of(Base::Reg(reg)),
    }
}

/// The beginning of a reduction of what a step computes: rows are folded to a part.
#[derive(Debug)]
pub(crate) struct SweepFold {
    pub(crate) step: usize,
    /// How elements are combined.
    pub(crate) combine: Kernel,
    /// How long the rows are: a power of two.
    pub(crate) row: usize,
    /// How many parts may be combined at most: a power of two.
    pub(crate) most_parts: usize,
    /// Gets what is left of each row.
    pub(crate) dst: VReg,
    /// The operation that it came from.
    pub(crate) site: u32,
}

impl Sweep {
    /// A sweep of these steps.
    pub(crate) fn new(n: usize, inputs: Vec<SweepInput>, steps: Vec<Step>, machine: TargetMachine) -> Sweep {
        let (shape, folds, sites) = (Vec::new(), Vec::new(), Vec::new());
        let has_gathers = inputs.iter().any(|input| input.gathered().is_some());
        Sweep {
            n,
            has_gathers,
            inputs,
            steps,
            way: OnceLock::new(),
            machine,
            shape,
            is_apart: false,
            prefers_region: false,
            reads_strided: false,
            reads_ahead: true,
            folds,
            sites,
            rounds: None,
        }
    }

    /// A sweep that goes round a loop; none if there is no vector code for it.
    pub(super) fn of_rounds(n: usize, inputs: Vec<SweepInput>, steps: Vec<Step>, machine: TargetMachine, rounds: Rounds) -> Option<Sweep> {
        let sweep = Sweep { rounds: Some(rounds), prefers_region: true, ..Sweep::new(n, inputs, steps, machine) };
        sweep.is_region().then_some(sweep)
    }

    /// The registers in which single numbers are carried, with the bytes of each.
    pub(crate) fn carried_numbers(&self) -> impl Iterator<Item = (VReg, usize)> {
        let numbers = self.rounds.as_ref().map_or(&[][..], |rounds| &rounds.numbers);
        let of = |step: &Step| if let Src::Reg(reg, size) = step.dst { Some((reg, size)) } else { None };
        self.steps.iter().filter_map(of).filter(|(reg, _)| numbers.contains(reg))
    }

    /// For each step, on how many different elements it computes: the steps of a loop that read nothing but single numbers give one.
    pub(crate) fn computed_elements(&self) -> Vec<usize> {
        let mut single: Vec<bool> = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let is_single = |src: &Src| match src {
                Src::Input(input) => self.inputs[*input].tile().is_splat(),
                written => self.steps[..single.len()].iter().rposition(|step| step.dst == *written).is_some_and(|at| single[at]),
            };
            single.push(self.rounds.is_some() && step.srcs.iter().all(is_single));
        }
        single.into_iter().map(|is_single| if is_single { 1 } else { self.n }).collect()
    }

    /// Elements that a scratch slot holds.
    pub(crate) const PIECE: usize = 1024;
    /// Bytes of a scratch slot: a piece of the largest elements.
    pub(crate) const SLOT_BYTES: usize = Sweep::PIECE * 8;

    /// The region that it is, if it is vector code.
    pub(crate) fn region(&self) -> Option<&Region> {
        if let Way::Region(region) = self.way() { Some(region) } else { None }
    }

    /// Whether it is vector code.
    pub(crate) fn is_region(&self) -> bool {
        self.region().is_some()
    }

    /// Makes it vector code, if it can be that, also where the loop of its only step would do.
    pub(super) fn prefer_region(&mut self) {
        if !self.prefers_region {
            self.prefers_region = true;
            self.forget_way();
        }
    }

    /// Stores a result as a tile of this shape.
    pub(super) fn store_as(&mut self, shape: &[usize]) {
        if self.folds.is_empty() {
            self.shape = shape.to_vec();
            self.forget_way();
        }
    }

    /// Some of what it reads or writes may not lie side by side in memory.
    pub(super) fn lies_apart(&mut self) {
        if !self.is_apart {
            self.is_apart = true;
            self.forget_way();
        }
    }

    /// Begins a reduction in its vector code, if it can be that: to which part of a row it is folded.
    pub(crate) fn fold(&mut self, fold: SweepFold) -> Option<usize> {
        let fits = fold.row.is_power_of_two() && self.n.is_multiple_of(fold.row);
        let is_new = self.folds.iter().all(|other| (other.row, other.most_parts) == (fold.row, fold.most_parts) && other.step != fold.step);
        if !fits || !is_new {
            return None;
        }
        self.folds.push(fold);
        let Some(region) = Region::folding(self.n, &self.inputs, &self.steps, &self.folds, &self.machine) else {
            self.folds.pop();
            return None;
        };
        let parts = region.nest.part_count();
        self.way = Way::Region(Box::new(region)).into();
        Some(parts)
    }

    /// How it goes over its elements.
    #[inline]
    pub(crate) fn way(&self) -> &Way {
        self.way.get_or_init(|| match Region::folding(self.n, &self.inputs, &self.steps, &self.folds, &self.machine) {
            Some(region) => Way::Region(Box::new(region)),
            None => Way::of(self),
        })
    }

    /// The region that it is, if it is vector code, and its inputs.
    pub(super) fn region_mut(&mut self) -> Option<(&mut Region, &[SweepInput])> {
        self.way();
        if let Some(Way::Region(region)) = self.way.get_mut() { Some((region, &self.inputs)) } else { None }
    }

    /// Forgets how it goes over its elements, because it has changed.
    fn forget_way(&mut self) {
        self.way.take();
    }

    /// Others have more time to read ahead.
    pub(super) fn leave_memory_alone(&mut self) {
        self.reads_ahead = false;
        // To vector code it makes no difference.
        if !self.is_region() {
            self.forget_way();
        }
    }

    /// What it gathers, in order, with the numbers of the inputs.
    pub(crate) fn gathers(&self) -> impl Iterator<Item = (usize, &Gathered)> + Clone {
        self.inputs.iter().enumerate().filter_map(|(i, input)| Some((i, input.gathered()?)))
    }

    /// Whether a step or what gathers reads what an earlier step wrote to a register.
    pub(super) fn reads_result(&self, reg: VReg) -> bool {
        let of_gathers = self.gathers().flat_map(|(_, gathered)| gathered.srcs());
        let mut srcs = self.steps.iter().flat_map(|step| &step.srcs).chain(of_gathers);
        srcs.any(|src| matches!(src, Src::Reg(result, _) if *result == reg))
    }

    /// The step that writes a register.
    pub(crate) fn result(&self, reg: VReg) -> Option<usize> {
        self.steps.iter().position(|step| matches!(step.dst, Src::Reg(dst, _) if dst == reg))
    }

    /// No longer writes a register that only itself and reductions read which begin in it: as vector code, it has the values in registers
    /// of the CPU.
    pub(crate) fn drop_result(&mut self, reg: VReg) {
        let slots = |src: &Src| if let Src::Slot(slot) = src { Some(slot + 1) } else { None };
        self.rename(reg, Src::Slot(self.steps.iter().filter_map(|step| slots(&step.dst)).max().unwrap_or(0)));
    }

    /// Puts a result elsewhere, where later steps read it then.
    fn rename(&mut self, result: VReg, place: Src) {
        let of_steps = self.steps.iter_mut().flat_map(|step| step.srcs.iter_mut().chain([&mut step.dst]));
        for at in of_steps.chain(self.inputs.iter_mut().filter_map(SweepInput::gathered_mut).flat_map(Gathered::srcs_mut)) {
            if matches!(at, Src::Reg(other, _) if *other == result) {
                *at = place;
            }
        }
        self.forget_way();
    }

    /// Writes a result that only others read to another register, which it may read where it writes it; `false`, and nothing was done, if
    /// it cannot: vector code reads an element before it writes it, loops compiled ahead of time want their operands apart.
    pub(super) fn write_to(&mut self, result: VReg, register: VReg) -> bool {
        let Some(step) = self.result(result) else { return false };
        let Src::Reg(_, size) = self.steps[step].dst else { return false };
        let is_there = |input: &SweepInput| input.tile().base == Base::Reg(register);
        let read_later = |input: usize| self.steps[step + 1..].iter().any(|step| step.srcs.contains(&Src::Input(input)));
        let stays = |(i, input): (usize, &SweepInput)| {
            is_there(input) && (!matches!(input, SweepInput::Direct { tile } if tile.elem.size() == size) || read_later(i))
        };
        // Where gathers turn out not to lie in one buffer, all is computed once more, of what was there before.
        if self.result(register).is_some() || self.inputs.iter().enumerate().any(stays) || self.has_gathers {
            return false;
        }
        // Its vector code is found once, for what it writes in the end.
        self.prefers_region = true;
        self.rename(result, Src::Reg(register, size));
        let can_be_region = self.is_region();
        if !can_be_region {
            self.rename(register, Src::Reg(result, size));
        }
        can_be_region
    }

    /// Whether it computes nothing but what it writes to this register.
    pub(crate) fn writes_only(&self, register: VReg) -> bool {
        let mut all = true;
        self.for_each_write(|written| all &= written == register);
        all && self.rounds.is_none()
    }

    /// Whether vector code reads each element of an input before it writes the same element of the result in a register, if the two lie at the same
    /// place: it reads an input for the first step that needs it.
    pub(crate) fn reads_before_it_writes(&self, input: usize, register: VReg) -> bool {
        let first = self.steps.iter().position(|step| step.srcs.contains(&Src::Input(input)));
        let tile = self.inputs[input].tile();
        let is_element_by_element =
            matches!(self.inputs[input], SweepInput::Direct { .. }) && tile.is_contiguous() && tile.numel() == self.n;
        let in_one_part = self.region().is_some_and(|region| region.dims.part_count() == 1);
        let precedes = first.zip(self.result(register)).is_some_and(|(first, written)| first <= written);
        is_element_by_element && in_one_part && self.rounds.is_none() && precedes
    }

    /// The registers it writes.
    pub(super) fn for_each_write(&self, mut visit: impl FnMut(VReg)) {
        for step in &self.steps {
            if let Src::Reg(dst, _) = step.dst {
                visit(dst);
            }
        }
        self.folds.iter().for_each(|fold| visit(fold.dst));
    }

    /// How often it reads ahead: for each step on a whole piece, and for each piece of a region.
    pub(crate) fn times_to_read_ahead(&self) -> usize {
        match (self.reads_ahead, self.is_region()) {
            (false, _) => 0,
            (true, true) => self.n.div_ceil(Sweep::PIECE),
            (true, false) => self.n / Sweep::PIECE * self.steps.len(),
        }
    }
}

/// A value that a sweep reads from outside.
#[derive(Debug)]
pub(crate) enum SweepInput {
    /// Lies in order: read in place.
    Direct { tile: Tile },
    /// One element: spread over a scratch slot once, except by vector code.
    Splat { tile: Tile, slot: usize },
    /// The same in every piece: gathered into a scratch slot once. Extents and strides, the innermost last.
    Repeated { tile: Tile, loops: Vec<(usize, usize)>, slot: usize },
    /// Gathered into a scratch slot, piece by piece.
    Strided { tile: Tile, loops: Vec<(usize, usize)>, slot: usize },
    /// Loaded from where steps say.
    Gathered(Box<Gathered>),
}

/// Elements of memory that vector code loads behind one address, which is the same for all lanes.
#[derive(Debug)]
pub(crate) struct Gathered {
    /// The address, in each lane.
    pub(crate) base: Tile,
    pub(crate) elem: Elem,
    /// How many elements each lane's lies behind the address, and the type of that.
    pub(crate) index: (Src, Elem),
    /// The lanes that load.
    pub(crate) mask: Option<Src>,
    /// What the others get; zero if nothing is said.
    pub(crate) padding: Option<Src>,
    /// How many steps are computed before it.
    pub(crate) at: usize,
    /// The operation that it came from.
    pub(crate) site: u32,
}

impl Gathered {
    /// What it reads of what the sweep has.
    fn srcs(&self) -> impl Iterator<Item = &Src> {
        [&self.index.0].into_iter().chain(&self.mask).chain(&self.padding)
    }

    pub(super) fn srcs_mut(&mut self) -> impl Iterator<Item = &mut Src> {
        [&mut self.index.0].into_iter().chain(&mut self.mask).chain(&mut self.padding)
    }
}

impl SweepInput {
    /// A tile that a sweep over `n` elements reads. `slot` gives a scratch slot.
    pub(super) fn of(tile: Tile, n: usize, slot: impl FnOnce() -> usize) -> SweepInput {
        if tile.is_contiguous() && tile.numel() == n {
            return SweepInput::Direct { tile };
        }
        if tile.is_splat() {
            return SweepInput::Splat { tile, slot: slot() };
        }
        let (loops, slot) = (tile.loops(), slot());
        match loops[..] {
            // Extents are powers of two, so pieces begin where it repeats.
            [(times, 0), ..] if n / times <= Sweep::PIECE => SweepInput::Repeated { tile, loops: loops.into_vec(), slot },
            _ => SweepInput::Strided { tile, loops: loops.into_vec(), slot },
        }
    }

    /// The scratch slot that it is brought to, unless it is read where it lies or by vector code.
    pub(crate) fn slot(&self) -> Option<usize> {
        match self {
            SweepInput::Splat { slot, .. } | SweepInput::Repeated { slot, .. } | SweepInput::Strided { slot, .. } => Some(*slot),
            SweepInput::Direct { .. } | SweepInput::Gathered(_) => None,
        }
    }

    /// What it gathers, if it does.
    pub(crate) fn gathered(&self) -> Option<&Gathered> {
        if let SweepInput::Gathered(gathered) = self { Some(gathered) } else { None }
    }

    pub(super) fn gathered_mut(&mut self) -> Option<&mut Gathered> {
        if let SweepInput::Gathered(gathered) = self { Some(gathered) } else { None }
    }

    /// Whether all elements are the same.
    pub(crate) fn is_splat(&self) -> bool {
        matches!(self, SweepInput::Splat { .. })
    }

    /// The tile that is read; of what is gathered, the address.
    pub(crate) fn tile(&self) -> &Tile {
        match self {
            SweepInput::Direct { tile }
            | SweepInput::Splat { tile, .. }
            | SweepInput::Repeated { tile, .. }
            | SweepInput::Strided { tile, .. } => tile,
            SweepInput::Gathered(gathered) => &gathered.base,
        }
    }

    /// The type of its elements.
    pub(crate) fn elem(&self) -> Elem {
        if let SweepInput::Gathered(gathered) = self { gathered.elem } else { self.tile().elem }
    }
}

/// Where a step reads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Src {
    /// An input of the sweep or fold.
    Input(usize),
    /// A scratch slot, written by an earlier step.
    Slot(usize),
    /// A register, written by an earlier step; elements of this many bytes.
    Reg(VReg, usize),
}

/// One kernel of a sweep or fold.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) kernel: Kernel,
    pub(crate) srcs: Vec<Src>,
    /// Where it writes: a slot or a register.
    pub(crate) dst: Src,
}
