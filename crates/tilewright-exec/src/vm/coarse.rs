//! Blocks that run as one ("coarsening"): each does one sweep or one copy on tiles that lie where its position says (`plan/coarse.rs`), and
//! a worker does the same to the tiles of many neighbouring blocks.
//!
//! Elementwise kernels are often written with tiles of a few hundred elements, of which finding out where they lie takes longer than
//! what is done to them. Where the tiles of neighbours lie one behind the other, they are one long tile.
#![allow(unsafe_code, reason = "copies between buffers, and names places of the host to the threads of a launch")]

use super::{
    Block, Machine,
    in_place::copy_dims,
    sweep,
    tiling::{MAX_AXES, Tiling},
};
use crate::{
    cpu::Level,
    kernels::{
        ahead::Ahead,
        boxes::{BoxCopy, Dim, Form},
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
    /// How many blocks the grid has along its first axis.
    row: u64,
    /// How many blocks along each axis of the grid have only whole tiles.
    whole: [u64; 3],
}

/// What each block does.
enum Task<'l> {
    /// Computes what it stores.
    Sweep(OneSweep<'l>),
    Copy(OneCopy),
}

/// The copy of a tile of elements of `size` bytes.
struct OneCopy {
    source: Places,
    dims: [Dim; MAX_AXES],
    size: usize,
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
                let dims = copy_dims(src, Some(&tiling.axes), target_tiling);
                (view, src, Task::Copy(OneCopy { source, dims, size: view.size }), target)
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
            Task::Copy(one) => is_apart(&one.source),
        };
        let row = u64::from(grid[0]);
        apart.then(|| Coarse { task, pc, elements: src.numel(), bytes: src.numel() * view.size, target, row, whole })
    }

    /// How many blocks should run as one, if there are so many: so that their elements take longer than to begin with them.
    pub(crate) fn fewest(&self) -> u64 {
        (ENOUGH / self.elements.max(1) as u64).max(1)
    }

    /// How many blocks have tiles that make a larger one, of which a worker should copy some together: a row of the grid.
    pub(crate) fn row_together(&self) -> u64 {
        if matches!(self.task, Task::Copy(_)) && self.whole[0] == self.row { self.row } else { 1 }
    }

    /// How many blocks run as one from this position on, of the next `most`: so many in a row of the grid, and so many rows, which are whole
    /// if there are several.
    fn blocks_from(&self, [x, y, z]: [u64; 3], most: u64) -> [u64; 2] {
        if y >= self.whole[1] || z >= self.whole[2] {
            return [0; 2];
        }
        let columns = self.whole[0].saturating_sub(x).min(most);
        let rows = if columns == self.row { (most / self.row).min(self.whole[1] - y) } else { 1 };
        [columns, rows]
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

impl OneCopy {
    /// How the tiles of so many blocks are copied, in a row of the grid, and rows of it: as one box.
    fn form(&self, target: &Places, blocks: [u64; 2]) -> Form {
        let mut dims = self.dims.to_vec();
        for (axis, count) in blocks.into_iter().enumerate() {
            let elements = |places: &Places| places.steps[axis] as usize / self.size;
            let (count, from, to) = (count as usize, elements(&self.source), elements(target));
            // Along a dimension of the tile, if that goes on in the tile of the next block.
            match dims.iter_mut().find(|dim| dim.count > 1 && dim.count * dim.from == from && dim.count * dim.to == to) {
                Some(dim) => dim.count *= count,
                None => dims.insert(0, Dim { count, from, to }),
            }
        }
        Form::new(&dims)
    }
}

impl Machine<'_> {
    /// Runs a block that begins, and with it those behind it that run as one with it: `most` of them at most. Gives how many ran, which is
    /// none, if it is not such a block.
    pub(crate) fn run_as_one(&mut self, block: &mut Block, most: u64) -> u64 {
        let launch = self.launch;
        let Some(coarse) = &launch.coarse else { return 0 };
        let [x, y, z] = block.id.map(u64::from);
        let [columns, rows] = coarse.blocks_from([x, y, z], most);
        if columns == 0 {
            return 0;
        }
        match &coarse.task {
            Task::Copy(one) => self.copy_once(coarse, one, [x, y, z], [columns, rows]),
            Task::Sweep(one) if one.in_a_row => (y..y + rows).for_each(|y| self.sweep_once(coarse, one, [x, y, z], columns, block)),
            Task::Sweep(one) => {
                let positions = (y..y + rows).flat_map(|y| (x..x + columns).map(move |x| [x, y, z]));
                positions.for_each(|position| self.sweep_once(coarse, one, position, 1, block));
            }
        }
        columns * rows
    }

    /// Copies the tiles of the blocks from this position on, so many in a row of the grid, and rows of it.
    fn copy_once(&mut self, coarse: &Coarse<'_>, one: &OneCopy, position: [u64; 3], [columns, rows]: [u64; 2]) {
        let OneCopy { source, size, .. } = one;
        // The next blocks are probably as many.
        let ahead = if rows > 1 || columns == coarse.row { source.steps[1] * rows } else { source.steps[0] * columns };
        let stores = self.stores(coarse.bytes, coarse.pc);
        let copy = BoxCopy { level: Level::best(), size: *size, stores, ahead: ahead as usize };
        // SAFETY: source and target hold the whole tiles, and do not overlap.
        unsafe { copy.run(&one.form(&coarse.target, [columns, rows]), source.of(position), coarse.target.of(position)) };
    }

    /// Runs the sweep of the blocks from this position on whose tiles are one.
    fn sweep_once(&mut self, coarse: &Coarse<'_>, one: &OneSweep<'_>, position: [u64; 3], blocks: u64, block: &mut Block) {
        let OneSweep { sweep, inputs, reg, .. } = one;
        let streamed = self.streamed(*reg, coarse.bytes, coarse.pc);
        for (input, places) in sweep.inputs.iter().zip(inputs) {
            if let (Some(places), Base::Reg(loaded)) = (places, input.tile().base) {
                block.frame.lend(loaded, places.of(position));
            }
        }
        block.frame.lend(*reg, coarse.target.of(position));
        // The CPU finds what lies side by side on its own.
        sweep::run_pieces(sweep, sweep.n * blocks as usize, &block.frame, streamed, &mut self.scratch, &mut Ahead::default());
        // A load says anew where its tile is, if a block runs on its own.
        block.frame.settle(*reg);
    }
}
