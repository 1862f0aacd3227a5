//! Blocks that run as one ("coarsening"): each does one sweep or one copy on tiles that lie where its position says (`plan/coarse.rs`), and
//! a worker does the same to the tiles of many neighbouring blocks.
//!
//! Elementwise kernels are often written with tiles of a few hundred elements, of which finding out where they lie takes longer than
//! what is done to them. Where the tiles of neighbours lie one behind the other, they are one long tile.
#![allow(unsafe_code, reason = "copies between buffers, and names places of the host to the threads of a launch")]

use super::{
    Block, Machine,
    in_place::copy_form,
    sweep::{self, Target},
    tiling::Tiling,
};
use crate::{
    cpu::Level,
    kernels::{
        ahead::Ahead,
        boxes::{BoxCopy, Form, Stores},
    },
    plan::{Base, Inst, Plan, Sweep, Tile, VReg, ViewAccess},
};

/// Elements that take much longer than to begin with a block.
const ENOUGH: u64 = 4096;

/// What the blocks of a launch do that may run as one.
pub(crate) struct Coarse<'l> {
    task: Task<'l>,
    /// The instruction that stores.
    pc: usize,
    /// The elements that it stores, and their bytes.
    elements: usize,
    bytes: usize,
    target: Places,
    /// How many blocks along each axis of the grid have only whole tiles.
    whole: [u64; 3],
}

/// What each block does.
enum Task<'l> {
    /// Computes what it stores.
    Sweep(OneSweep<'l>),
    /// Copies a tile of elements of `size` bytes.
    Copy { source: Places, form: Form, size: usize },
}

struct OneSweep<'l> {
    sweep: &'l Sweep,
    /// Where its inputs lie; none for those that are constants of the launch.
    inputs: Vec<Option<Places>>,
    /// The register that is stored.
    reg: VReg,
    /// Whether all tiles of neighbours along the first axis lie one behind the other, so that they are one tile.
    in_a_row: bool,
}

// SAFETY: it only names places; whoever accesses them answers for it.
unsafe impl Send for Coarse<'_> {}
// SAFETY: as above.
unsafe impl Sync for Coarse<'_> {}

/// Where the tiles of blocks lie in a buffer.
#[derive(Clone, Copy)]
pub(super) struct Places {
    /// That of the first block of the grid.
    pub(super) first: *mut u8,
    /// How many bytes further that of the next block along each axis is.
    pub(super) steps: [u64; 3],
    /// Bytes from the first to behind the last element of a tile.
    pub(super) bytes: u64,
}

impl Places {
    /// Whether the tiles of neighbours along the first axis lie one behind the other.
    fn in_a_row(&self) -> bool {
        self.steps[0] == self.bytes
    }

    /// The first byte of the tile of the block at a position in the grid.
    fn of(&self, position: [u64; 3]) -> *mut u8 {
        let offset: u64 = position.iter().zip(self.steps).map(|(id, step)| id * step).sum();
        self.first.wrapping_add(offset as usize)
    }

    /// The addresses from the first byte of the first block's tile to the last byte of that of the last of so many blocks.
    fn span(&self, blocks: [u64; 3]) -> std::ops::Range<usize> {
        let last = self.of(blocks.map(|count| count - 1));
        self.first.addr()..last.addr() + self.bytes as usize
    }
}

impl<'l> Coarse<'l> {
    /// What the blocks of a grid do that may run as one: all lies in buffers, and what they write apart from what they read.
    pub(crate) fn find(plan: &'l Plan, grid: [u32; 3], tilings: &[Option<Tiling>]) -> Option<Coarse<'l>> {
        let pc = plan.only_store?;
        let mut finder = Finder { plan, tilings, whole: grid.map(u64::from) };
        let (view, src, task, target) = match &plan.code[pc] {
            Inst::SweepStore { sweep, view, src } => {
                let (one, target) = OneSweep::find(&mut finder, sweep, view, src)?;
                (view, src, Task::Sweep(one), target)
            }
            Inst::Store { view, src } => {
                let (tiling, source) = finder.find(finder.loaded(src)?)?;
                let (target_tiling, target) = finder.find(view)?;
                let form = copy_form(src, Some(&tiling.axes), target_tiling);
                (view, src, Task::Copy { source, form, size: view.size }, target)
            }
            _ => return None,
        };
        let whole = finder.whole;
        if whole.contains(&0) {
            return None;
        }
        let written = target.span(whole);
        let is_apart = |read: &Places| {
            let read = read.span(whole);
            read.end <= written.start || written.end <= read.start
        };
        let apart = match &task {
            Task::Sweep(one) => one.inputs.iter().flatten().all(is_apart),
            Task::Copy { source, .. } => is_apart(source),
        };
        apart.then(|| Coarse { task, pc, elements: src.numel(), bytes: src.numel() * view.size, target, whole })
    }

    /// How many blocks should run as one, if there are so many: so that their elements take longer than to begin with them.
    pub(crate) fn fewest(&self) -> u64 {
        (ENOUGH / self.elements.max(1) as u64).max(1)
    }

    /// How many blocks from this position on, along the first axis, have only whole tiles.
    fn whole_from(&self, [x, y, z]: [u64; 3]) -> u64 {
        if y < self.whole[1] && z < self.whole[2] { self.whole[0].saturating_sub(x) } else { 0 }
    }
}

/// Finds out where tiles lie, and how many blocks have whole ones.
struct Finder<'a, 'l> {
    plan: &'l Plan,
    tilings: &'a [Option<Tiling>],
    whole: [u64; 3],
}

impl<'a, 'l> Finder<'a, 'l> {
    fn find(&mut self, view: &ViewAccess) -> Option<(&'a Tiling, Places)> {
        let tiling = self.tilings[view.fixed?].as_ref()?;
        Some((tiling, tiling.places(self.plan, &mut self.whole)?))
    }

    /// The same for tiles that lie in memory as in a register.
    fn find_in_order(&mut self, view: &ViewAccess) -> Option<Places> {
        self.find(view).filter(|(tiling, _)| tiling.in_order).map(|(_, places)| places)
    }

    /// The view that a tile was loaded from, if it was.
    fn loaded(&self, tile: &Tile) -> Option<&'l ViewAccess> {
        self.plan.code.iter().find_map(|inst| match inst {
            Inst::Load { view, dst, .. } if tile.base == Base::Reg(*dst) => Some(&**view),
            _ => None,
        })
    }
}

impl<'l> OneSweep<'l> {
    /// A sweep that is stored to a view, of which a tile `src` is the result.
    fn find(finder: &mut Finder<'_, 'l>, sweep: &'l Sweep, view: &ViewAccess, src: &Tile) -> Option<(OneSweep<'l>, Places)> {
        let Base::Reg(reg) = src.base else { return None };
        let target = finder.find_in_order(view)?;
        let (mut inputs, mut in_a_row) = (Vec::with_capacity(sweep.inputs.len()), target.in_a_row());
        for input in &sweep.inputs {
            let places = match finder.loaded(input.tile()) {
                Some(view) => Some(finder.find_in_order(view)?),
                None => None,
            };
            in_a_row &= places.as_ref().map_or(input.is_splat(), Places::in_a_row);
            inputs.push(places);
        }
        Some((OneSweep { sweep, inputs, reg, in_a_row }, target))
    }
}

impl Machine<'_> {
    /// Runs a block that begins, and with it those behind it that run as one with it: `most` of them at most. Gives how many ran, which is
    /// none, if it is not such a block.
    pub(crate) fn run_as_one(&mut self, block: &mut Block, most: u64) -> u64 {
        let launch = self.launch;
        let Some(coarse) = &launch.coarse else { return 0 };
        let [x, y, z] = block.id.map(u64::from);
        let count = coarse.whole_from([x, y, z]).min(most);
        if count == 0 {
            return 0;
        }
        let positions = (x..x + count).map(|x| [x, y, z]);
        match &coarse.task {
            Task::Copy { source, form, size } => {
                let stores = self.stores(coarse.bytes, coarse.pc);
                let copy = BoxCopy { level: Level::best(), size: *size, stores, ahead: source.steps[0] as usize };
                // SAFETY: source and target hold the whole tiles, and do not overlap.
                positions.for_each(|position| unsafe { copy.run(form, source.of(position), coarse.target.of(position)) });
            }
            Task::Sweep(one) if one.in_a_row => self.sweep_once(coarse, one, [x, y, z], count, block),
            Task::Sweep(one) => positions.for_each(|position| self.sweep_once(coarse, one, position, 1, block)),
        }
        count
    }

    /// Runs the sweep of the blocks from this position on whose tiles are one.
    fn sweep_once(&mut self, coarse: &Coarse<'_>, one: &OneSweep<'_>, position: [u64; 3], blocks: u64, block: &mut Block) {
        let OneSweep { sweep, inputs, reg, .. } = one;
        let stores = if sweep.chain_writes(*reg) { self.stores(coarse.bytes, coarse.pc) } else { Stores::Cached };
        let target = Target { reg: *reg, place: coarse.target.of(position), stores };
        let in_memory = |input: usize| inputs[input].map(|places| places.of(position).cast_const());
        let regs = self.registers(block);
        // The CPU finds what lies side by side on its own, or the chains fetch it.
        sweep::run_pieces(sweep, sweep.n * blocks as usize, in_memory, regs, Some(&target), &mut self.scratch, &mut Ahead::default());
    }
}
