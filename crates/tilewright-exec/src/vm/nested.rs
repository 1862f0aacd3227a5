//! Vector code that goes through the tiles of many blocks: the loops of one block, and loops over blocks around them.
//!
//! A tile that lies in memory with its rows where the result has its columns cannot be read as the result is written. Those of some
//! neighbours are copied together, to a place that stays in the nearest caches and has them as the loops go.
#![allow(unsafe_code, reason = "copies tiles from buffers")]

use super::{
    Block, Machine,
    bytes::AlignedBytes,
    coarse::{Coarse, OneSweep, Places},
    region::{self, Outside, Run, Walked},
    tiling::{Tiling, distance},
};
use crate::{
    cpu::Level,
    kernels::boxes::{BoxCopy, Dim, Form, LINE, Stores},
    plan::{Base, Loop, Nest, Region, Src, Sweep, VReg},
};
use smallvec::SmallVec;

/// Bytes of a tile of several blocks that is copied at once.
const BROUGHT: usize = 32 << 10;

/// Vector code for the tiles of neighbours.
pub(super) struct Nested<'l> {
    region: &'l Region,
    /// The loops of one block.
    nest: Nest,
    /// How many elements of each buffer further the tile of the next block of a row is, and that of the next row.
    steps: [SmallVec<[usize; 6]>; 2],
    /// The buffers whose tiles are copied first, all of inputs.
    brought: SmallVec<[usize; 4]>,
    /// The buffer that is stored.
    stored: usize,
}

/// Tiles that are copied first, as one.
struct Copied {
    buffer: usize,
    form: Form,
    /// Where the copy begins in the room for all.
    to: usize,
    bytes: usize,
}

impl<'l> Nested<'l> {
    /// The loops of a sweep that stores the register `reg`; `None` if it is no vector code, or cannot go through the tiles of a block.
    pub(super) fn find(
        sweep: &'l Sweep,
        inputs: &[Option<(&Tiling, Places)>],
        axes: [usize; 2],
        reg: VReg,
        (stored, target): (&Tiling, &Places),
    ) -> Option<Nested<'l>> {
        let region = sweep.region()?;
        let is_stored = |at: Src| matches!(at, Src::Reg(other, _) if other == reg);
        let result = region.buffers.iter().position(|buffer| is_stored(buffer.at))?;
        let mut nested = Nested { region, nest: region.dims.clone(), steps: Default::default(), brought: SmallVec::new(), stored: result };
        for (buffer, at) in region.buffers.iter().enumerate() {
            let found = match at.at {
                Src::Input(input) => inputs[input].as_ref().map(|(tiling, places)| (*tiling, places)),
                _ => Some((stored, target)),
            };
            if let Some((tiling, _)) = found {
                for each in &mut nested.nest.loops {
                    each.strides[buffer] = distance(&tiling.axes, each.strides[buffer]);
                }
            }
            for (axis, steps) in axes.into_iter().zip(&mut nested.steps) {
                steps.push(found.map_or(0, |(_, places)| places.steps[axis] as usize / at.size));
            }
        }
        if let Err(apart) = region::arrange(region, &mut nested.nest.clone(), Some(reg)) {
            nested.brought = apart;
            let base = |buffer: &usize| match region.buffers[*buffer].at {
                Src::Input(input) if inputs[input].is_some() => Some(sweep.inputs[input].tile().base),
                _ => None,
            };
            // A register has one place.
            let is_alone = |base: Base| sweep.inputs.iter().filter(|input| input.tile().base == base).count() == 1;
            if !nested.brought.iter().all(|buffer| base(buffer).is_some_and(is_alone)) || !nested.suits([1; 2], reg) {
                return None;
            }
        }
        Some(nested)
    }

    /// The loops of so many blocks in a row, and of so many rows.
    fn of_blocks(&self, blocks: [u64; 2]) -> Nest {
        let mut nest = self.nest.clone();
        for (count, steps) in blocks.into_iter().zip(&self.steps) {
            nest.loops.insert(0, Loop { extent: count as usize, strides: steps.clone() });
        }
        nest
    }

    /// Lets loops go through what is copied first as through the result. Gives the copies.
    fn bring(&self, nest: &mut Nest) -> SmallVec<[Copied; 1]> {
        nest.order_by(self.stored);
        let mut to = 0;
        let mut copy = |buffer: usize| {
            let (mut dims, mut pitch) = (SmallVec::<[Dim; 8]>::new(), 1);
            for each in nest.loops.iter_mut().rev().filter(|each| each.extent > 1 && each.strides[buffer] > 0) {
                dims.insert(0, Dim { count: each.extent, from: each.strides[buffer], to: pitch });
                each.strides[buffer] = pitch;
                pitch *= each.extent;
            }
            let copied = Copied { buffer, form: Form::new(&dims), to, bytes: pitch * self.region.buffers[buffer].size };
            to += copied.bytes.next_multiple_of(LINE);
            copied
        };
        self.brought.iter().map(|buffer| copy(*buffer)).collect()
    }

    /// Whether vector code can go through the tiles of so many blocks at once.
    fn suits(&self, blocks: [u64; 2], reg: VReg) -> bool {
        let mut nest = self.of_blocks(blocks);
        self.bring(&mut nest);
        region::arrange(self.region, &mut nest, Some(reg)).is_ok()
    }

    /// How many blocks run at once of so many in a row, and of so many rows: all, if nothing is copied first.
    fn group(&self, [columns, rows]: [u64; 2]) -> [u64; 2] {
        let bytes = |buffer: &usize| self.nest.elements() * self.region.buffers[*buffer].size;
        let Some(bytes) = self.brought.iter().map(bytes).max() else { return [columns, rows] };
        let most = (BROUGHT / bytes).max(1) as u64;
        // What lies side by side in memory goes on in the next row.
        let high = rows.min(most.isqrt());
        [columns.min(most / high), high]
    }
}

impl Machine<'_> {
    /// Runs vector code over the blocks from this position on, so many in a row of the grid, and rows of it; `false`, and nothing was done,
    /// if it could not go through so many loops, or there is no memory for copies.
    pub(super) fn sweep_nested(
        &mut self,
        coarse: &Coarse<'_>,
        one: &OneSweep<'_>,
        nested: &Nested<'_>,
        position: [u64; 3],
        blocks: [u64; 2],
        block: &mut Block,
    ) -> bool {
        let mut group = nested.group(blocks);
        if !nested.suits(group, one.reg) {
            // Too many loops for all of them.
            group = [1; 2];
        }
        if !nested.suits(group, one.reg) || !self.make_room(nested, group) {
            return false;
        }
        for (position, blocks) in coarse.groups(position, blocks, group) {
            self.sweep_group(coarse, one, nested, position, blocks, block);
        }
        block.frame.settle(one.reg);
        true
    }

    /// Gets room for the tiles of a group of blocks that are copied first; `false` if there is none.
    fn make_room(&mut self, nested: &Nested<'_>, group: [u64; 2]) -> bool {
        let needed = nested.bring(&mut nested.of_blocks(group)).last().map_or(0, |copy| copy.to + copy.bytes);
        if needed > self.room.as_ref().map_or(0, AlignedBytes::len) {
            self.room = AlignedBytes::zeroed(needed, &self.launch.budget).ok();
        }
        needed == 0 || self.room.is_some()
    }

    /// Runs vector code over a group of blocks.
    fn sweep_group(
        &mut self,
        coarse: &Coarse<'_>,
        one: &OneSweep<'_>,
        nested: &Nested<'_>,
        position: [u64; 3],
        blocks: [u64; 2],
        block: &mut Block,
    ) {
        Self::lend_tiles(coarse, one, position, block);
        let mut nest = nested.of_blocks(blocks);
        for copy in nested.bring(&mut nest) {
            let (Src::Input(input), Some(room)) = (nested.region.buffers[copy.buffer].at, &self.room) else { continue };
            let (Some(places), Base::Reg(loaded)) = (&one.inputs[input], one.sweep.inputs[input].tile().base) else { continue };
            let size = nested.region.buffers[copy.buffer].size;
            let ahead = nested.steps[0][copy.buffer] * size * blocks[0] as usize;
            let to = room.start().wrapping_add(copy.to);
            let boxes = BoxCopy { level: Level::best(), size, stores: Stores::Cached, ahead };
            // SAFETY: the buffer holds the whole tiles of these blocks, and there is room for as many elements as the box has.
            unsafe { boxes.run(&copy.form, places.of(position), to) };
            block.frame.lend(loaded, to);
        }
        let arranged = region::arrange(nested.region, &mut nest, Some(one.reg));
        assert!(arranged.is_ok(), "fewer blocks than those that were tried have no more loops, and rows as long as those of one");
        let streamed = self.streamed(one.reg, coarse.bytes, coarse.pc);
        let ran = Run::new(one.sweep, nested.region, &block.frame, streamed)
            .strided(&Walked::new(one.sweep, nested.region, nest, false), &mut self.scratch.nothing);
        ran.unwrap_or_else(|Outside| unreachable!("blocks that run as one gather nothing"));
    }
}
