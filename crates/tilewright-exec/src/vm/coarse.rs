//! Blocks that run as one ("coarsening"): each does one sweep on tiles that lie where its position says (`plan/coarse.rs`), and a worker
//! does the same to the tiles of many neighbouring blocks.
//!
//! Elementwise kernels are often written with tiles of a few hundred elements, of which finding out where they lie takes longer than
//! what is done to them. Where the tiles of neighbours lie one behind the other, they are one long tile.
#![allow(unsafe_code, reason = "names places of the host to the threads of a launch")]

use super::{
    Block, Machine,
    sweep::{self, Target},
    tiling::Tiling,
};
use crate::{
    kernels::{ahead::Ahead, boxes::Stores},
    plan::{Base, Inst, Plan, Sweep, Tile, VReg, ViewAccess},
};

/// Elements that take much longer than to begin with a block.
const ENOUGH: u64 = 4096;

/// What the blocks of a launch do that may run as one.
pub(crate) struct Coarse<'l> {
    sweep: &'l Sweep,
    /// The instruction that does it.
    pc: usize,
    /// Where the inputs of the sweep lie; none for those that are constants of the launch.
    inputs: Vec<Option<Places>>,
    /// The register that is stored, and where.
    reg: VReg,
    target: Places,
    /// How many blocks along each axis of the grid have only whole tiles.
    whole: [u64; 3],
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
    /// Bytes of a tile.
    pub(super) bytes: u64,
}

impl Places {
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
        let pc = plan.only_sweep?;
        let Inst::SweepStore { sweep, view, src } = &plan.code[pc] else { return None };
        let Base::Reg(reg) = src.base else { return None };
        let mut whole = grid.map(u64::from);
        let mut places = |view: &ViewAccess| tilings[view.fixed?].as_ref()?.places(plan, &mut whole);
        let target = places(view)?;
        let mut inputs = Vec::with_capacity(sweep.inputs.len());
        for input in &sweep.inputs {
            inputs.push(match loaded_by(plan, input.tile()) {
                Some(view) => Some(places(view)?),
                None => None,
            });
        }
        if whole.contains(&0) {
            return None;
        }
        let written = target.span(whole);
        let is_apart = |read: std::ops::Range<usize>| read.end <= written.start || written.end <= read.start;
        let apart = inputs.iter().flatten().all(|read| is_apart(read.span(whole)));
        let in_a_row = |places: &Places| places.steps[0] == places.bytes;
        let all_in_a_row =
            in_a_row(&target) && sweep.inputs.iter().zip(&inputs).all(|(input, places)| places.as_ref().map_or(input.is_splat(), in_a_row));
        apart.then_some(Coarse { sweep, pc, inputs, reg, target, whole, in_a_row: all_in_a_row })
    }

    /// How many blocks should run as one, if there are so many: so that their elements take longer than to begin with them.
    pub(crate) fn fewest(&self) -> u64 {
        (ENOUGH / self.sweep.n.max(1) as u64).max(1)
    }

    /// How many blocks from this position on, along the first axis, have only whole tiles.
    fn whole_from(&self, [x, y, z]: [u64; 3]) -> u64 {
        if y < self.whole[1] && z < self.whole[2] { self.whole[0].saturating_sub(x) } else { 0 }
    }
}

/// The view that a tile was loaded from, if it was.
fn loaded_by<'p>(plan: &'p Plan, tile: &Tile) -> Option<&'p ViewAccess> {
    plan.code.iter().find_map(|inst| match inst {
        Inst::Load { view, dst, .. } if tile.base == Base::Reg(*dst) => Some(&**view),
        _ => None,
    })
}

impl Machine<'_> {
    /// Runs a block that begins, and with it those behind it that run as one with it: `most` of them at most. Gives how many ran, which is
    /// none, if it is not such a block.
    pub(crate) fn run_as_one(&mut self, block: &mut Block, most: u64) -> u64 {
        let launch = self.launch;
        let Some(coarse) = &launch.coarse else { return 0 };
        let [x, y, z] = block.id.map(u64::from);
        let count = coarse.whole_from([x, y, z]).min(most);
        let (sweep, at_once) = (coarse.sweep, if coarse.in_a_row { count } else { 1 });
        let stores = if sweep.chain_writes(coarse.reg) { self.stores(coarse.target.bytes as usize, coarse.pc) } else { Stores::Cached };
        let regs = self.registers(block);
        for x in (x..x + count).step_by(at_once.max(1) as usize) {
            let position = [x, y, z];
            let in_memory = |input: usize| coarse.inputs[input].map(|places| places.of(position).cast_const());
            let target = Target { reg: coarse.reg, place: coarse.target.of(position), stores };
            // The CPU finds what lies side by side on its own, or the chains fetch it.
            sweep::run_pieces(sweep, sweep.n * at_once as usize, in_memory, regs, Some(&target), &mut self.scratch, &mut Ahead::default());
        }
        count
    }
}
