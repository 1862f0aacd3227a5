//! Sweeps: runs of elementwise operations, with the chains that they are made of.

use super::{Base, Operand, Region, Tile, VReg, chains};
use crate::{
    TargetMachine,
    kernels::{
        Kernel,
        chain::{Code, GROUP, Half},
    },
};

/// A run of elementwise operations, done piece by piece so that intermediate values stay in the nearest cache.
#[derive(Debug)]
pub(crate) struct Sweep {
    pub(crate) n: usize,
    pub(crate) inputs: Vec<SweepInput>,
    pub(crate) steps: Vec<Step>,
    /// The steps as they are run.
    pub(crate) parts: Vec<Part>,
    pub(crate) way: Way,
    machine: TargetMachine,
    /// The extents of the tile that it stores; none, if it stores none.
    shape: Vec<usize>,
    /// The most places that one of its chains has.
    pub(crate) places: usize,
    /// Whether some of what it reads or writes may not lie side by side in memory.
    is_apart: bool,
    /// Whether it fetches what the next block will read.
    pub(crate) reads_ahead: bool,
    /// The reductions that begin in its only chain, of rows of one length.
    pub(crate) folds: Vec<SweepFold>,
}

/// How a sweep goes over its elements.
#[derive(Debug)]
pub(crate) enum Way {
    /// It is one chain, which needs no scratch and so need not stop where that ends. An operand for each of its places.
    OneChain(Vec<Operand>),
    /// As vector code.
    Region(Box<Region>),
    /// All elements at once: there are few, or there is one step that fetches nothing, and what steps read lies where they can read it.
    OnePiece(Vec<Call>),
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
        let Sweep { n, ref shape, ref inputs, ref steps, ref parts, ref machine, reads_ahead, .. } = *sweep;
        let lies_ready = |input: &SweepInput| matches!(input, SweepInput::Direct { .. } | SweepInput::PerRow { .. });
        let is_alone = matches!(steps[..], [Step { dst: Src::Reg(..), .. }]);
        let only_steps = parts.iter().all(|part| matches!(part, Part::Step(_)));
        let region = |gains: bool| if gains { Region::of(n, shape, inputs, steps, machine).map(Box::new) } else { None };
        // Tiles of several dimensions seldom lie in memory as in a register.
        let is_apart = sweep.is_apart || shape.iter().filter(|extent| **extent > 1).count() > 1;
        if let Some(region) = region(is_apart) {
            Way::Region(region)
        } else if let [Part::Chain(chain)] = &parts[..]
            && let Some(operands) = without_scratch(inputs, chain)
        {
            Way::OneChain(operands)
        } else if let Some(region) = region(gains_as_region(inputs, steps)) {
            Way::Region(region)
        } else if (n < Sweep::PIECE || is_alone && !reads_ahead) && only_steps && inputs.iter().all(lies_ready) {
            Way::OnePiece(steps.iter().map(|step| Call::of(step, inputs)).collect())
        } else {
            Way::Pieces
        }
    }
}

/// Whether vector code is faster than the parts of a sweep.
fn gains_as_region(inputs: &[SweepInput], steps: &[Step]) -> bool {
    let lies_ready = |input: &SweepInput| matches!(input, SweepInput::Direct { .. } | SweepInput::PerRow { .. });
    // A step alone has a loop of its own.
    steps.len() > 1 || !inputs.iter().all(lies_ready)
}

impl Call {
    fn of(step: &Step, inputs: &[SweepInput]) -> Call {
        let mut srcs = [operand(step.dst, inputs); 3];
        srcs.iter_mut().zip(&step.srcs).for_each(|(to, src)| *to = operand(*src, inputs));
        Call { kernel: step.kernel, srcs, dst: operand(step.dst, inputs) }
    }
}

/// Where a step on one piece, or a link, reads or writes.
pub(super) fn operand(src: Src, inputs: &[SweepInput]) -> Operand {
    match src {
        Src::Input(input) => Operand::of(inputs[input].tile().base),
        Src::Slot(slot) => Operand::scratch(slot * Sweep::SLOT_BYTES),
        Src::Reg(reg, _) => Operand::of(Base::Reg(reg)),
        Src::Passed => unreachable!("what is passed on lies in no memory"),
    }
}

/// The operands of a chain, if it reads and writes no scratch slots.
fn without_scratch(inputs: &[SweepInput], chain: &Chain) -> Option<Vec<Operand>> {
    let in_scratch =
        |input: &SweepInput| !matches!(input, SweepInput::Direct { .. } | SweepInput::Splat { slot: None, .. } | SweepInput::PerRow { .. });
    let needs_none = !inputs.iter().any(in_scratch) && !chain.places.iter().any(|place| matches!(place.at, Src::Slot(_)));
    needs_none.then(|| chain.places.iter().map(|place| operand(place.at, inputs)).collect())
}

/// The beginning of a reduction of what a step computes: rows are folded to a part.
#[derive(Debug)]
pub(crate) struct SweepFold {
    pub(crate) step: usize,
    /// How elements are combined.
    pub(crate) combine: Kernel,
    /// How long the rows are: a power of two.
    pub(crate) row: usize,
    /// Gets what is left of each row.
    pub(crate) dst: VReg,
}

/// What a sweep does at a time.
#[derive(Debug)]
pub(crate) enum Part {
    /// The step of this number.
    Step(usize),
    /// Several steps.
    Chain(Chain),
}

/// Steps that hand their results on in registers of the CPU.
#[derive(Debug)]
pub(crate) struct Chain {
    pub(crate) code: Box<dyn Code>,
    pub(crate) places: Vec<Place>,
}

impl Chain {
    /// Which place is a register that a link writes.
    pub(crate) fn place_of(&self, reg: VReg) -> Option<usize> {
        self.places.iter().position(|place| place.written && matches!(place.at, Src::Reg(other, _) if other == reg))
    }
}

/// Where links read, or where one writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub(crate) at: Src,
    /// What lies there, if that has 16 bits.
    pub(crate) half: Option<Half>,
    pub(crate) written: bool,
}

impl Sweep {
    /// A sweep whose steps are part of chains as `linked` says.
    pub(crate) fn new(n: usize, inputs: Vec<SweepInput>, steps: Vec<Step>, linked: &[bool], machine: TargetMachine) -> Sweep {
        let parts = chains::parts(&inputs, &steps, linked, &machine);
        let (places, shape, folds) = (most_places(&parts), Vec::new(), Vec::new());
        let mut sweep =
            Sweep { n, inputs, steps, parts, way: Way::Pieces, machine, shape, places, is_apart: false, reads_ahead: true, folds };
        sweep.choose_way();
        sweep
    }

    /// Elements that a scratch slot holds.
    pub(crate) const PIECE: usize = 1024;
    /// Bytes of a scratch slot: a piece of the largest elements.
    pub(crate) const SLOT_BYTES: usize = Sweep::PIECE * 8;

    /// Whether a chain writes the register of a result.
    pub(crate) fn chain_writes(&self, result: VReg) -> bool {
        let writes = |part: &Part| if let Part::Chain(chain) = part { chain.place_of(result).is_some() } else { false };
        self.parts.iter().any(writes)
    }

    /// The region that it is, if it is vector code.
    pub(crate) fn region(&self) -> Option<&Region> {
        if let Way::Region(region) = &self.way { Some(region) } else { None }
    }

    /// Whether it is vector code.
    pub(crate) fn is_region(&self) -> bool {
        self.region().is_some()
    }

    /// Whether it is nothing but chains.
    pub(crate) fn is_chained(&self) -> bool {
        self.parts.iter().all(|part| matches!(part, Part::Chain(_)))
    }

    /// Makes a step that is alone a chain, if it can be one.
    pub(crate) fn chain_alone(&mut self) {
        let in_order = self.inputs.iter().all(|input| matches!(input, SweepInput::Direct { .. }));
        if in_order
            && let ([Part::Step(_)], [step]) = (&self.parts[..], &self.steps[..])
            && chains::takes(&step.kernel, self.n, &self.machine)
        {
            self.run_as(chains::parts(&self.inputs, &self.steps, &[true], &self.machine));
        }
    }

    /// Stores a result as a tile of this shape.
    pub(super) fn store_as(&mut self, shape: &[usize]) {
        if self.folds.is_empty() {
            self.shape = shape.to_vec();
            self.choose_way();
        }
    }

    /// Some of what it reads or writes may not lie side by side in memory.
    pub(super) fn lies_apart(&mut self) {
        if !self.is_apart {
            self.is_apart = true;
            self.choose_way();
        }
    }

    /// Begins a reduction in its vector code, if it can be that: to which part of a row it is folded.
    pub(crate) fn fold(&mut self, fold: SweepFold) -> Option<usize> {
        let fits = fold.row.is_power_of_two() && self.n.is_multiple_of(fold.row);
        let is_new = self.folds.iter().all(|other| other.row == fold.row && other.step != fold.step);
        if !fits || !is_new {
            return None;
        }
        self.folds.push(fold);
        let Some(region) = Region::folding(self.n, &self.inputs, &self.steps, &self.folds, &self.machine) else {
            self.folds.pop();
            return None;
        };
        let parts = region.parts()?.count;
        self.way = Way::Region(Box::new(region));
        Some(parts)
    }

    /// Decides how it goes over its elements, as it is now.
    fn choose_way(&mut self) {
        self.way = match Region::folding(self.n, &self.inputs, &self.steps, &self.folds, &self.machine) {
            Some(region) => Way::Region(Box::new(region)),
            None => Way::of(self),
        };
    }

    /// Runs its steps in these parts.
    fn run_as(&mut self, parts: Vec<Part>) {
        self.places = most_places(&parts);
        self.parts = parts;
        self.choose_way();
    }

    /// Others have more time to read ahead.
    pub(super) fn leave_memory_alone(&mut self) {
        self.reads_ahead = false;
        self.choose_way();
    }

    /// The step that writes a register.
    pub(crate) fn result(&self, reg: VReg) -> Option<usize> {
        self.steps.iter().position(|step| matches!(step.dst, Src::Reg(dst, _) if dst == reg))
    }

    /// No longer writes a register that only reductions read which begin in it, if no later step finds the values there.
    pub(crate) fn drop_result(&mut self, reg: VReg) {
        let is_it = |src: &Src| matches!(src, Src::Reg(other, _) if *other == reg);
        if !self.steps.iter().flat_map(|step| &step.srcs).any(is_it) {
            self.steps.iter_mut().filter(|step| is_it(&step.dst)).for_each(|step| step.dst = Src::Passed);
            self.choose_way();
        }
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

    /// How often it reads ahead: for each step on a whole piece, for each piece of a region, and for each group of a chain.
    pub(crate) fn times_to_read_ahead(&self) -> usize {
        let times = |part: &Part| if let Part::Chain(_) = part { self.n / GROUP } else { self.n / Sweep::PIECE };
        match (self.reads_ahead, self.is_region()) {
            (false, _) => 0,
            (true, true) => self.n.div_ceil(Sweep::PIECE),
            (true, false) => self.parts.iter().map(times).sum(),
        }
    }
}

/// The places of the chain that has most of them.
fn most_places(parts: &[Part]) -> usize {
    let places = |part: &Part| if let Part::Chain(chain) = part { chain.places.len() } else { 0 };
    parts.iter().map(places).max().unwrap_or(0)
}

/// A value that a sweep reads from outside.
#[derive(Debug)]
pub(crate) enum SweepInput {
    /// Lies in order: read in place.
    Direct { tile: Tile },
    /// One element: spread over a scratch slot once, if others than chains read it.
    Splat { tile: Tile, slot: Option<usize> },
    /// One element for each `row` elements of the sweep, side by side: the steps that read it spread it in registers of the CPU.
    PerRow { tile: Tile, row: usize },
    /// The same in every piece: gathered into a scratch slot once. Extents and strides, the innermost last.
    Repeated { tile: Tile, loops: Vec<(usize, usize)>, slot: usize },
    /// Gathered into a scratch slot, piece by piece.
    Strided { tile: Tile, loops: Vec<(usize, usize)>, slot: usize },
}

impl SweepInput {
    /// Whether all elements are the same.
    pub(crate) fn is_splat(&self) -> bool {
        matches!(self, SweepInput::Splat { .. })
    }

    pub(crate) fn tile(&self) -> &Tile {
        match self {
            SweepInput::Direct { tile }
            | SweepInput::Splat { tile, .. }
            | SweepInput::PerRow { tile, .. }
            | SweepInput::Repeated { tile, .. }
            | SweepInput::Strided { tile, .. } => tile,
        }
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
    /// From one step of a chain to the next, in registers of the CPU.
    Passed,
}

/// One kernel of a sweep or fold.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) kernel: Kernel,
    pub(crate) srcs: Vec<Src>,
    /// Where it writes: a slot or a register, or no more than what it hands to the next.
    pub(crate) dst: Src,
}
