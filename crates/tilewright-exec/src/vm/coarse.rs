//! Blocks that run as one ("coarsening"): each does one sweep or one copy on tiles that lie where its position says (`plan/coarse.rs`), and
//! a worker does the same to the tiles of many neighbouring blocks.
//!
//! Elementwise kernels are often written with tiles of a few hundred elements, of which finding out where they lie takes longer than
//! what is done to them. Where the tiles of neighbours lie one behind the other, they are one long tile.
#![allow(unsafe_code, reason = "copies between buffers, and names places of the host to the threads of a launch")]

use super::{
    Block, Machine,
    in_place::copy_dims,
    nested::Nested,
    sweep,
    tiling::{MAX_AXES, Tiling},
};
use crate::{
    cpu::Level,
    kernels::{
        ahead::Ahead,
        boxes::{BoxCopy, Dim, Form},
    },
    launch::block_id,
    plan::{Base, Inst, Plan, Sweep, SweepInput, Tile, VReg, ViewAccess},
};

/// Elements that take much longer than to begin with a block.
const ENOUGH: u64 = 4096;

/// What the blocks of a launch do that may run as one.
pub(crate) struct Coarse<'l> {
    task: Task<'l>,
    /// The instruction that stores.
    pub(super) pc: usize,
    /// The elements that it stores, and their bytes.
    elements: usize,
    pub(super) bytes: usize,
    target: Places,
    /// The axes of the grid along which neighbours run one after the other, then rows of them, then planes of these: those along which the next
    /// tile that is written is nearest first.
    axes: [usize; 3],
    /// How many blocks the grid has along the first of them.
    row: u64,
    /// How many blocks along each axis of the grid have only whole tiles.
    whole: [u64; 3],
}

/// What each block does.
enum Task<'l> {
    /// Computes what it stores.
    Sweep(Box<OneSweep<'l>>),
    Copy(OneCopy),
}

/// The copy of a tile of elements of `size` bytes.
struct OneCopy {
    source: Places,
    dims: [Dim; MAX_AXES],
    size: usize,
}

pub(super) struct OneSweep<'l> {
    pub(super) sweep: &'l Sweep,
    /// Where its inputs lie; none for those that are constants of the launch.
    pub(super) inputs: Vec<Option<Places>>,
    /// Which of them lie where the result goes, element by element: a block reads each before it writes it, and no other block's.
    updated: Vec<bool>,
    /// The register that is stored.
    pub(super) reg: VReg,
    /// The axes of the grid: tiles are joined along the first two.
    axes: [usize; 3],
    joined: Joined<'l>,
}

/// How the tiles of neighbours are one.
enum Joined<'l> {
    /// Those of a row lie one behind the other.
    InARow,
    /// Vector code has loops around them.
    Nested(Box<Nested<'l>>),
    /// Not at all.
    Apart,
}

// SAFETY: it only names places; whoever accesses them answers for it.
unsafe impl Send for Coarse<'_> {}
// SAFETY: as above.
unsafe impl Sync for Coarse<'_> {}

/// Where the tiles of blocks lie in a buffer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Places {
    /// That of the first block of the grid.
    pub(super) first: *mut u8,
    /// How many bytes further that of the next block along each axis is.
    pub(super) steps: [u64; 3],
    /// Bytes from the first to behind the last element of a tile.
    pub(super) bytes: u64,
}

impl Places {
    /// Whether the tiles of neighbours along an axis lie one behind the other.
    fn in_a_row(&self, axis: usize) -> bool {
        self.steps[axis] == self.bytes
    }

    /// The axes of a grid with so many blocks along each, those along which the next tile is nearest first; last those along which there is
    /// none, or none elsewhere.
    fn nearest_first(&self, blocks: [u64; 3]) -> [usize; 3] {
        let mut axes = [0, 1, 2];
        axes.sort_by_key(|axis| (self.steps[*axis] == 0 || blocks[*axis] == 1, self.steps[*axis]));
        axes
    }

    /// The first byte of the tile of the block at a position in the grid.
    pub(super) fn of(&self, position: [u64; 3]) -> *mut u8 {
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
    /// What the blocks of a grid do that may run as one: all lies in buffers, and what they write apart from what they read, or in its place.
    pub(crate) fn find(plan: &'l Plan, grid: [u32; 3], tilings: &[Option<Tiling>]) -> Option<Coarse<'l>> {
        let pc = plan.only_store?;
        let mut finder = Finder { plan, tilings, whole: grid.map(u64::from) };
        let (view, src, task, target) = match &plan.code[pc] {
            Inst::SweepStore { sweep, view, src } => {
                let (one, target) = OneSweep::find(&mut finder, sweep, view, src)?;
                (view, src, Task::Sweep(Box::new(one)), target)
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
            Task::Sweep(one) => one.inputs.iter().zip(&one.updated).all(|(read, updated)| *updated || read.as_ref().is_none_or(is_apart)),
            Task::Copy(one) => is_apart(&one.source),
        };
        let axes = if let Task::Sweep(one) = &task { one.axes } else { [0, 1, 2] };
        let row = u64::from(grid[axes[0]]);
        apart.then(|| Coarse { task, pc, elements: src.numel(), bytes: src.numel() * view.size, target, axes, row, whole })
    }

    /// How many blocks should run as one, if there are so many: so that their elements take longer than to begin with them.
    pub(crate) fn fewest(&self) -> u64 {
        (ENOUGH / self.elements.max(1) as u64).max(1)
    }

    /// How many blocks have tiles that make a larger one, of which a worker should copy some together: a row of the grid.
    pub(crate) fn row_together(&self) -> u64 {
        let joins_rows = match &self.task {
            Task::Sweep(one) => matches!(one.joined, Joined::Nested(_)),
            Task::Copy(_) => true,
        };
        if joins_rows && self.whole[self.axes[0]] == self.row { self.row } else { 1 }
    }

    /// The position of a block in the grid, in the order in which blocks begin.
    #[inline]
    pub(crate) fn position(&self, index: u64, grid: [u32; 3]) -> [u32; 3] {
        position(self.axes, index, grid)
    }

    /// How many blocks run as one from this position on, of the next `most`: so many in a row of the grid, and so many rows, which are whole
    /// if there are several.
    fn blocks_from(&self, position: [u64; 3], most: u64) -> [u64; 2] {
        let [first, second, third] = self.axes;
        if position[second] >= self.whole[second] || position[third] >= self.whole[third] {
            return [0; 2];
        }
        let columns = self.whole[first].saturating_sub(position[first]).min(most);
        let rows = if columns == self.row { (most / self.row).min(self.whole[second] - position[second]) } else { 1 };
        [columns, rows]
    }

    /// The positions of so many blocks in a row from this one on, and in so many rows.
    fn positions(&self, from: [u64; 3], blocks: [u64; 2]) -> impl Iterator<Item = [u64; 3]> {
        self.groups(from, blocks, [1; 2]).map(|(position, _)| position)
    }

    /// So many blocks in a row from this one on, and in so many rows, in groups of at most so many columns and rows: where each begins, and
    /// how many columns and rows it has.
    pub(super) fn groups(
        &self,
        from: [u64; 3],
        [columns, rows]: [u64; 2],
        [wide, high]: [u64; 2],
    ) -> impl Iterator<Item = ([u64; 3], [u64; 2])> {
        let [first, second, _] = self.axes;
        let at = move |row: u64, column: u64| {
            let mut position = from;
            position[first] += column;
            position[second] += row;
            (position, [wide.min(columns - column), high.min(rows - row)])
        };
        let (wide, high) = (wide as usize, high as usize);
        (0..rows).step_by(high).flat_map(move |row| (0..columns).step_by(wide).map(move |column| at(row, column)))
    }
}

/// The position in a grid of its `index`-th block, if they change fastest along the first of these axes, then along the second.
#[inline]
fn position(axes: [usize; 3], index: u64, [x, y, z]: [u32; 3]) -> [u32; 3] {
    // Nothing is found by a number, and so by way of memory: where two are read at once that were just written one by one, the CPU waits
    // until all that was stored before is in memory.
    match axes {
        [0, 1, _] => block_id(index, [x, y, z]),
        [0, ..] => {
            let [x, z, y] = block_id(index, [x, z, y]);
            [x, y, z]
        }
        [1, 0, _] => {
            let [y, x, z] = block_id(index, [y, x, z]);
            [x, y, z]
        }
        [1, ..] => {
            let [y, z, x] = block_id(index, [y, z, x]);
            [x, y, z]
        }
        [_, 0, _] => {
            let [z, x, y] = block_id(index, [z, x, y]);
            [x, y, z]
        }
        _ => {
            let [z, y, x] = block_id(index, [z, y, x]);
            [x, y, z]
        }
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
        let (stored, target) = finder.find(view)?;
        let mut inputs = Vec::with_capacity(sweep.inputs.len());
        for input in &sweep.inputs {
            inputs.push(match finder.loaded(input.tile()) {
                Some(view) => Some(finder.find(view)?),
                None => None,
            });
        }
        let is_in_order = stored.in_order && inputs.iter().flatten().all(|(tiling, _)| tiling.in_order);
        let axes @ [first, second, _] = target.nearest_first(finder.whole);
        // A tile that is spread over that of the result is read from its begin again and again, not on into the next one.
        let in_a_row = |(input, found): (&SweepInput, &Option<(&Tiling, Places)>)| match found {
            Some((_, places)) => matches!(input, SweepInput::Direct { .. }) && places.in_a_row(first),
            None => input.is_splat(),
        };
        let joined = if is_in_order && target.in_a_row(first) && sweep.inputs.iter().zip(&inputs).all(in_a_row) {
            Joined::InARow
        } else if let Some(nested) = Nested::find(sweep, &inputs, [first, second], reg, (stored, &target)) {
            Joined::Nested(Box::new(nested))
        } else if is_in_order {
            Joined::Apart
        } else {
            return None;
        };
        let is_updated = |(input, found): (usize, &Option<(&Tiling, Places)>)| {
            let lies_there = |(tiling, places): &(&Tiling, Places)| *places == target && tiling.axes == stored.axes;
            found.as_ref().is_some_and(lies_there) && sweep.reads_before_it_writes(input, reg)
        };
        let updated = inputs.iter().enumerate().map(is_updated).collect();
        let inputs = inputs.into_iter().map(|found| found.map(|(_, places)| places)).collect();
        Some((OneSweep { sweep, inputs, updated, reg, axes, joined }, target))
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
        if self.profile.is_some() { self.run_as_one_profiled(block, most) } else { self.run_joined(block, most) }
    }

    pub(super) fn run_joined(&mut self, block: &mut Block, most: u64) -> u64 {
        let launch = self.launch;
        let Some(coarse) = &launch.coarse else { return 0 };
        let position = block.id.map(u64::from);
        let blocks @ [columns, rows] = coarse.blocks_from(position, most);
        if columns == 0 {
            return 0;
        }
        match &coarse.task {
            Task::Copy(one) => self.copy_once(coarse, one, position, blocks),
            Task::Sweep(one) => match &one.joined {
                Joined::Nested(nested) if self.sweep_nested(coarse, one, nested, position, blocks, block) => {}
                // Where there is no machine code, blocks run one by one.
                Joined::Nested(_) => return 0,
                Joined::InARow => {
                    coarse.positions(position, [1, rows]).for_each(|position| self.sweep_once(coarse, one, position, columns, block));
                }
                Joined::Apart => coarse.positions(position, blocks).for_each(|position| self.sweep_once(coarse, one, position, 1, block)),
            },
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

    /// Says where the tiles of the block at a position lie.
    pub(super) fn lend_tiles(coarse: &Coarse<'_>, one: &OneSweep<'_>, position: [u64; 3], block: &mut Block) {
        for (input, places) in one.sweep.inputs.iter().zip(&one.inputs) {
            if let (Some(places), Base::Reg(loaded)) = (places, input.tile().base) {
                block.frame.lend(loaded, places.of(position));
            }
        }
        block.frame.lend(one.reg, coarse.target.of(position));
    }

    /// Runs the sweep of the blocks from this position on whose tiles are one.
    fn sweep_once(&mut self, coarse: &Coarse<'_>, one: &OneSweep<'_>, position: [u64; 3], blocks: u64, block: &mut Block) {
        let OneSweep { sweep, reg, .. } = one;
        let streamed = self.streamed(*reg, coarse.bytes, coarse.pc);
        Self::lend_tiles(coarse, one, position, block);
        // The CPU finds what lies side by side on its own.
        sweep::run_pieces(sweep, sweep.n * blocks as usize, &block.frame, streamed, &mut self.scratch, &mut Ahead::default());
        // A load says anew where its tile is, if a block runs on its own.
        block.frame.settle(*reg);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_go_along_the_axes_in_their_order() {
        let grid = [3, 4, 5];
        for axes in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let [first, second, third] = axes.map(|axis| u64::from(grid[axis]));
            for index in 0..first * second * third {
                let found = position(axes, index, grid);
                let expected = [index % first, index / first % second, index / first / second];
                assert_eq!(axes.map(|axis| u64::from(found[axis])), expected, "{axes:?}");
            }
        }
    }

    #[test]
    fn axes_are_ordered_by_where_the_next_tile_lies() {
        let places = |steps| Places { first: std::ptr::null_mut(), steps, bytes: 4 };
        assert_eq!(places([65536, 512, 128]).nearest_first([8, 8, 8]), [2, 1, 0]);
        assert_eq!(places([128, 4096, 0]).nearest_first([8, 8, 1]), [0, 1, 2]);
        assert_eq!(places([0, 128, 4096]).nearest_first([8, 8, 8]), [1, 2, 0]);
        assert_eq!(places([4096, 128, 64]).nearest_first([8, 8, 1]), [1, 0, 2]);
    }
}
