//! Tiles that are read and written where they lie in memory, and not in their registers.
#![allow(unsafe_code, reason = "copies between registers and buffers")]

mod rows;

use super::{
    Block, Machine,
    edges::Inside,
    frame::Frame,
    gather::Windows,
    region::{self, BufferPlaces, Counts, Outside, Passage, Run, Target, UnknownStrides, Walked},
    rows::RowList,
    sweep,
    tiling::{Axis, MAX_AXES, Tiling, distance, row_pitch},
    view::Direction,
};
use crate::{
    LaunchErrorKind,
    cpu::Level,
    kernels::{
        ahead::Ahead,
        boxes::{self, BoxCopy, Dim, Form, Stores},
        mma::{Matrices, Matrix},
    },
    memory::AccessKind,
    plan::{Base, Inst, LoadWindows, Prefetches, Readers, Region, Src, Sweep, SweepInput, Tile, VReg, ViewAccess, Window},
};
use smallvec::SmallVec;
use std::ops::Range;

/// What is known of the tiles that loads did not copy, beside their places, which a block's [`Frame`] has.
///
/// The plan allows to leave a tile where it lies (`plan/in_place.rs`) only for a register that nothing but the load writes, and that is
/// read only behind the load in straight code. So whatever is read here, or in the frame, was noted by the load before, of the same block.
#[derive(Default)]
pub(super) struct InPlace {
    /// For each register, the number of its tile, if a load has left one in memory. Those at the end that no load has written are not
    /// there.
    numbers: Vec<Option<u32>>,
    /// The tiles that loads left where they lie, or the last ones, of whichever block.
    loaded: Vec<Whole>,
    /// Where the tiles that sweeps stored lay the last time, and where they will probably lie the next time.
    stored: Vec<(VReg, Guess)>,
    /// For registers of tiles that hang over edges, how many columns of a row were inside: there is code for a few of these numbers.
    columns: rows::KnownColumns,
    /// Where the last tiles lay that loads copied, because a part of them was outside of their tensors.
    copied: Vec<(VReg, *const u8)>,
}

/// What a tile's distances are those of, which tells whether they are the same as another time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Distances {
    /// The view with this number, which the launch knows.
    View(usize),
    /// A register, of whose tile it is a window.
    Register(VReg),
}

/// Where a tile probably lies.
#[derive(Clone, Copy)]
struct Guess {
    last: *const u8,
    next: *const u8,
    bytes: usize,
}

/// A tile that lies whole in memory.
///
/// It is written and read field by field where it is kept: a copy would wait until all that was written before has left the CPU's store
/// buffer, for hundreds of cycles behind a product.
struct Whole {
    /// Null as long as none was found.
    host: *mut u8,
    /// Its distances in memory and in a register.
    axes: [Axis; MAX_AXES],
    /// Whether they are the same.
    in_order: bool,
    /// Where the next load will probably find its tile, or null.
    next: *const u8,
    /// The buffer that it lies in, where the next one is looked for first.
    buffer: usize,
    /// What its distances are those of, if the launch knows them.
    fixed: Option<Distances>,
    /// If a part of each of its rows is outside of its tensor: how many columns are inside, and the bits of the others. Only row regions read that.
    inside: Option<(usize, u64)>,
    /// How many bytes it begins behind the tile that it is a window of, if it is one.
    behind: usize,
    /// The rows that it consists of instead, if they lie anywhere; only stores read those.
    rows: Option<RowList>,
}

impl Default for Whole {
    fn default() -> Self {
        Whole {
            host: std::ptr::null_mut(),
            axes: [Axis::SINGLE; MAX_AXES],
            in_order: true,
            next: std::ptr::null(),
            buffer: 0,
            fixed: None,
            inside: None,
            behind: 0,
            rows: None,
        }
    }
}

/// The axes of a window of a tile with these axes, or of one that lies in order, and how many bytes it begins behind that.
fn window_of(load: &LoadWindows, window: &Window, strided: Option<&[Axis; MAX_AXES]>) -> ([Axis; MAX_AXES], usize) {
    let (dims, mut pitch, mut behind, mut axes) = (load.extents.len(), 1, 0, [Axis::SINGLE; MAX_AXES]);
    let proper = load.tile.shape.iter().zip(&load.tile.strides).filter(|(extent, _)| **extent > 1);
    let in_order: SmallVec<[usize; MAX_AXES]> = proper.map(|(_, stride)| *stride).collect();
    for (dim, axis) in axes[MAX_AXES - dims..].iter_mut().enumerate().rev() {
        let stride = strided.map_or(in_order[dim], |axes| axes[MAX_AXES - dims + dim].stride as usize);
        *axis = Axis { count: load.extents[dim], stride: stride as u64, pitch };
        behind += window.first[dim] * stride * load.view.size;
        pitch *= load.extents[dim];
    }
    (axes, behind)
}

/// Asks to fetch a tile with these axes, if it is a matrix of rows.
pub(super) fn read_ahead(start: *const u8, axes: &[Axis; MAX_AXES], size: usize, ahead: &mut Ahead) {
    let [.., other, rows, row] = axes;
    if other.count == 1 && rows.count > 1 && row.stride == 1 {
        ahead.add(start, rows.count, rows.stride as usize * size, row.count * size);
    }
}

impl Whole {
    /// The addresses from the first to the last byte, for elements of `size` bytes.
    fn span(&self, size: usize) -> Range<usize> {
        let last: usize = self.axes.iter().map(|axis| (axis.count - 1) * axis.stride as usize).sum();
        self.host.addr()..self.host.addr() + (last + 1) * size
    }

    /// Whether its elements, of `size` bytes, lie as those of a tile between two addresses with these axes.
    fn lies_at(&self, other: &Range<usize>, axes: &[Axis; MAX_AXES], size: usize) -> bool {
        self.rows.is_none() && self.axes == *axes && self.span(size) == *other
    }

    /// Where the next tile lies, if loads go on as they did since the `last` one.
    fn guess_next(&mut self, last: *const u8) {
        let moved = !last.is_null() && last != self.host;
        self.next = if moved { self.host.wrapping_add(self.host.addr().wrapping_sub(last.addr())) } else { std::ptr::null() };
    }

    /// Whether it has elements of `size` bytes between two addresses.
    fn overlaps(&self, other: Range<usize>, size: usize) -> bool {
        if let Some(rows) = &self.rows {
            return rows.overlap(other, size);
        }
        let own = self.span(size);
        own.start < other.end && other.start < own.end
    }
}

/// The matrices of a tile that begins at `start`: in memory, where it has these axes, or in its register.
pub(super) fn matrices_of(tile: &Tile, axes: Option<&[Axis; MAX_AXES]>, start: *const u8) -> Matrices {
    let distance = |from_the_end: usize| {
        let Some(dim) = tile.shape.len().checked_sub(from_the_end) else { return 0 };
        axes.map_or(tile.strides[dim], |axes| distance(axes, tile.strides[dim]))
    };
    let first = Matrix { start, down: distance(2), right: distance(1) };
    Matrices { first, across: distance(3) * tile.elem.size() }
}

impl InPlace {
    /// What loads note of the tile of a register.
    #[inline]
    fn of_register(&mut self, reg: VReg) -> &mut Whole {
        let number = self.numbers.get(reg.index()).copied().flatten().unwrap_or_else(|| self.add(reg));
        &mut self.loaded[number as usize]
    }

    #[cold]
    fn add(&mut self, reg: VReg) -> u32 {
        if self.numbers.len() <= reg.index() {
            self.numbers.resize(reg.index() + 1, None);
        }
        let number = self.loaded.len() as u32;
        self.loaded.push(Whole::default());
        self.numbers[reg.index()] = Some(number);
        number
    }

    /// What is known of a tile, if a load left it in memory.
    #[inline]
    fn find(&self, tile: &Tile, regs: &Frame) -> Option<&Whole> {
        let Base::Reg(reg) = tile.base else { return None };
        let number = self.numbers.get(reg.index()).copied().flatten().filter(|_| regs.is_in_memory(tile))?;
        self.loaded.get(number as usize)
    }

    /// The axes of a tile that a load left in memory, where it does not lie as in a register.
    pub(super) fn strided(&self, tile: &Tile, regs: &Frame) -> Option<&[Axis; MAX_AXES]> {
        self.find(tile, regs).filter(|whole| !whole.in_order).map(|whole| &whole.axes)
    }

    /// Whether a load left a tile in memory between two addresses, or a part of it.
    pub(super) fn overlaps(&self, tile: &Tile, regs: &Frame, other: Range<usize>) -> bool {
        self.find(tile, regs).is_some_and(|whole| whole.overlaps(other, tile.elem.size()))
    }

    /// What a tile's distances are those of; none if it lies as in a register.
    pub(super) fn distances(&self, tile: &Tile, regs: &Frame) -> Result<Option<Distances>, UnknownStrides> {
        match self.find(tile, regs).filter(|whole| !whole.in_order) {
            Some(whole) => whole.fixed.map(Some).ok_or(UnknownStrides),
            None => Ok(None),
        }
    }

    /// The matrices of a tile.
    pub(super) fn matrices(&self, tile: &Tile, regs: &Frame) -> Matrices {
        matrices_of(tile, self.find(tile, regs).map(|whole| &whole.axes), regs.read(tile))
    }

    /// Where the tile will probably be found that the next load of its register gives, or null.
    pub(super) fn next(&self, tile: &Tile, regs: &Frame) -> *const u8 {
        self.find(tile, regs).map_or(std::ptr::null(), |whole| whole.next)
    }

    /// Leaves the rows of a tile where they lie, in place of those that its register had before.
    pub(super) fn leave_rows(&mut self, reg: VReg, rows: RowList) -> Option<RowList> {
        let whole = self.of_register(reg);
        whole.host = std::ptr::null_mut();
        whole.rows.replace(rows)
    }

    /// Lets the registers of windows lie in a tile that was loaded: in its register, or where it was left.
    pub(super) fn open_windows(&mut self, load: &LoadWindows, regs: &mut Frame) {
        let (host, is_strided) = (regs.write(load.dst), self.strided(&load.tile, regs).is_some());
        let fixed = match load.view.fixed {
            Some(number) if is_strided => Distances::View(number),
            _ => Distances::Register(load.dst),
        };
        for window in &load.windows {
            // As for most blocks before: only where the tile is differs.
            if self.of_register(window.dst).fixed != Some(fixed) {
                let (axes, behind) = window_of(load, window, self.strided(&load.tile, regs));
                let in_order = axes.iter().all(|axis| axis.count == 1 || axis.stride == axis.pitch as u64);
                let whole = self.of_register(window.dst);
                (whole.axes, whole.in_order, whole.behind, whole.fixed, whole.rows) = (axes, in_order, behind, Some(fixed), None);
                whole.inside = None;
            }
            let whole = self.of_register(window.dst);
            (whole.host, whole.next) = (host.wrapping_add(whole.behind), std::ptr::null());
            regs.lend(window.dst, whole.host);
        }
    }

    /// Brings a tile to its register, if a load left it where it lies.
    pub(super) fn settle(&self, tile: &Tile, regs: &mut Frame) {
        let (Some(whole), Base::Reg(reg)) = (self.find(tile, regs), tile.base) else { return };
        if let Some(rows) = &whole.rows {
            regs.settle(reg);
            // SAFETY: the register has room for its tile.
            return unsafe { rows.copy_to(tile.elem.size(), regs.write(reg)) };
        }
        let dims = whole.axes.map(|axis| Dim { count: axis.count, from: axis.stride as usize, to: axis.pitch });
        let from = regs.read(tile);
        regs.settle(reg);
        // SAFETY: the tile lies whole in memory; its register has room for it.
        unsafe { boxes::copy(Level::best(), &dims, tile.elem.size(), from, regs.write(reg)) };
    }
}

/// Whether a sweep reads any of the `bytes` bytes at `place` in memory, where loads left its inputs, other than each element before it writes it
/// there, for a result that it stores as such a tile.
fn reads(sweep: &Sweep, regs: &Frame, in_place: &InPlace, (place, bytes): (*const u8, usize), result: Option<(VReg, &Tiling)>) -> bool {
    let written = place.addr()..place.addr() + bytes;
    sweep.inputs.iter().enumerate().any(|(number, input)| {
        let Some(whole) = in_place.find(input.tile(), regs) else { return false };
        let size = input.tile().elem.size();
        let is_same =
            |(reg, tiling): (VReg, &Tiling)| whole.lies_at(&written, &tiling.axes, size) && sweep.reads_before_it_writes(number, reg);
        whole.overlaps(written.clone(), size) && !result.is_some_and(is_same)
    })
}

/// How tiles are copied to views whose tilings the launch knows.
#[derive(Default)]
pub(super) struct Forms(Vec<Option<(Option<Distances>, Form)>>);

impl Forms {
    /// The form for the store of this number, from tiles with the distances of `source`, or from a register.
    fn get_or_make(&mut self, store: usize, source: Option<Distances>, make: impl FnOnce() -> Form) -> &Form {
        if self.0.len() <= store {
            self.0.resize(store + 1, None);
        }
        let kept = &mut self.0[store];
        if kept.as_ref().is_none_or(|(other, _)| *other != source) {
            *kept = None;
        }
        &kept.get_or_insert_with(|| (source, make())).1
    }
}

/// The dimensions of the copy of a tile from a register, or from where it lies in memory with these axes, to the tile of a view.
pub(super) fn copy_dims(src: &Tile, source: Option<&[Axis; MAX_AXES]>, target: &Tiling) -> [Dim; MAX_AXES] {
    let mut dims = target.axes.map(|axis| Dim { count: axis.count, from: 1, to: axis.stride as usize });
    let proper = src.shape.iter().zip(&src.strides).filter(|(extent, _)| **extent != 1);
    for (dim, (_, &stride)) in dims.iter_mut().rev().zip(proper.rev()) {
        dim.from = source.map_or(stride, |source| distance(source, stride));
    }
    dims
}

/// Finds how a region goes through the strides of memory, and brings the inputs to their registers that no code could go through.
fn find_passage(sweep: &Sweep, region: &Region, target: Option<Target<'_>>, in_place: &InPlace, regs: &mut Frame) -> Passage {
    let mut settled = SmallVec::new();
    while let Some(mut nest) = region::nest_in_memory(sweep, region, regs, in_place, target) {
        let divided = region::divided_apart(region, &nest);
        let apart = match region::arrange(region, &mut nest, target.map(|target| target.reg)) {
            _ if !divided.is_empty() => divided,
            Ok(()) => return Passage { settled, walked: Some(Walked::new(sweep, region, nest, true)) },
            Err(apart) => apart,
        };
        let inputs = apart.iter().filter_map(|buffer| match region.buffers[*buffer].at {
            Src::Input(input) => Some(input),
            _ => None,
        });
        let is_in_memory = |input: &usize| in_place.strided(sweep.inputs[*input].tile(), regs).is_some();
        let in_memory = inputs.filter(is_in_memory).collect::<SmallVec<[usize; 4]>>();
        if in_memory.is_empty() {
            break;
        }
        in_memory.iter().for_each(|input| in_place.settle(sweep.inputs[*input].tile(), regs));
        settled.extend(in_memory);
    }
    Passage { settled, walked: None }
}

/// How a region goes that stores only what is inside of a tile; `None` if no code goes through such a part.
fn walk_inside(sweep: &Sweep, region: &Region, reg: VReg, inside: &Inside, places: &BufferPlaces<'_>) -> Option<Walked> {
    let nest = region::nest_in_memory(sweep, region, places.regs, places.in_place, None);
    let mut nest = nest.unwrap_or_else(|| region.dims.clone());
    let target = region.buffers.iter().position(|buffer| matches!(buffer.at, Src::Reg(other, _) if other == reg))?;
    let suits = inside.cut(&mut nest, target) && region::arrange(region, &mut nest, Some(reg)).is_ok();
    suits.then(|| Walked::new(sweep, region, nest, false))
}

impl Machine<'_> {
    /// Runs a sweep on registers, wherever loads left them.
    #[inline]
    pub(super) fn sweep(&mut self, sweep: &Sweep, block: &mut Block) {
        if sweep.reads_strided {
            match self.through_strides(sweep, None, None, &Windows::default(), block) {
                Ok(true) => return,
                Ok(false) => {}
                Err(Outside) => unreachable!("it gathers nothing"),
            }
        }
        sweep::run(sweep, &block.frame, None, &mut self.scratch, &mut self.ahead);
    }

    /// The same for a sweep that gathers from these buffers.
    pub(super) fn sweep_from(&mut self, sweep: &Sweep, windows: &Windows<'_>, block: &mut Block) -> Result<(), Outside> {
        if self.through_strides(sweep, None, None, windows, block)? { Ok(()) } else { self.run_in_order(sweep, None, windows, block) }
    }

    /// Runs a sweep, whose buffers lie as in registers.
    fn run_in_order(&mut self, sweep: &Sweep, streamed: Option<VReg>, windows: &Windows<'_>, block: &Block) -> Result<(), Outside> {
        match sweep.region().filter(|_| sweep.has_gathers) {
            Some(region) => {
                let run = Run::new(sweep, region, &block.frame, streamed).gathering(windows.gathers, &windows.buffers, &[], None);
                run.in_order(sweep.n, sweep::ahead_of(sweep, &mut self.ahead, &mut self.scratch.nothing))
            }
            None => {
                sweep::run(sweep, &block.frame, streamed, &mut self.scratch, &mut self.ahead);
                Ok(())
            }
        }
    }

    /// Runs a sweep that is vector code through the strides of memory, if any of its buffers lies otherwise than in a register. `false`, and
    /// nothing was computed, if none does any more: inputs that no code could go through have been brought to their registers.
    fn through_strides(
        &mut self,
        sweep: &Sweep,
        target: Option<Target<'_>>,
        streamed: Option<VReg>,
        windows: &Windows<'_>,
        block: &mut Block,
    ) -> Result<bool, Outside> {
        let Some(region) = sweep.region() else { return Ok(false) };
        // The most usual case first.
        let is_strided = |input: &SweepInput| self.in_place.strided(input.tile(), &block.frame).is_some();
        let reads_strided = || sweep.reads_strided && sweep.inputs.iter().any(is_strided);
        if target.is_none_or(|target| target.tiling.in_order) && !reads_strided() {
            return Ok(false);
        }
        let (ahead, nothing) = (&mut self.ahead, &mut self.scratch.nothing);
        let mut run = |block: &Block, walked: &Walked| {
            let run = Run::new(sweep, region, &block.frame, streamed).gathering(windows.gathers, &windows.buffers, &[], None);
            run.strided(walked, sweep::ahead_of(sweep, ahead, nothing))
        };
        let places = BufferPlaces { sweep, region, regs: &block.frame, in_place: &self.in_place, target };
        if let Some(Passage { settled, walked }) = self.nests.get(block.pc, &places, &Counts::new()) {
            settled.iter().for_each(|input| self.in_place.settle(sweep.inputs[*input].tile(), &mut block.frame));
            let Some(walked) = walked else { return Ok(false) };
            run(block, walked)?;
            return Ok(true);
        }
        let tilings = places.tilings().ok();
        let passage = find_passage(sweep, region, target, &self.in_place, &mut block.frame);
        let ran = match &passage.walked {
            Some(walked) => run(block, walked).map(|()| true),
            None => Ok(false),
        };
        if let Some(tilings) = tilings {
            self.nests.keep(block.pc, tilings, Counts::new(), passage);
        }
        ran
    }

    /// Runs a sweep that writes one result to memory, or else to its register, from where it is stored.
    #[inline(never)]
    pub(super) fn sweep_store(&mut self, sweep: &Sweep, view: &ViewAccess, src: &Tile, block: &mut Block) -> Result<(), LaunchErrorKind> {
        let (launch, mut made) = (self.launch, None);
        let found = launch.find_tile(view, AccessKind::Write, block, &mut self.hint, &mut made);
        self.settle_before(found.map(|(_, tiling)| tiling), block);
        let Some(windows) = (if sweep.has_gathers { self.windows(sweep, block) } else { Some(Windows::default()) }) else {
            return self.gather_and_store(sweep, view, src, block);
        };
        let is_free = |(place, tiling): &(*mut u8, &Tiling)| {
            let gathers = windows.buffers.iter().any(|window| window.overlaps(*place, tiling.bytes as usize));
            matches!(src.base, Base::Reg(reg) if !gathers && self.may_write(sweep, reg, *place, tiling, block))
        };
        if let (Some((place, tiling)), Base::Reg(reg)) = (found.filter(is_free), src.base) {
            let bytes = sweep.n * view.size;
            let streamed = self.streamed(reg, bytes, block.pc);
            let behind = self.lend_behind(sweep, place.addr()..place.addr() + tiling.bytes as usize, block);
            block.frame.lend(reg, place);
            let mut stored = self.through_strides(
                sweep,
                Some(Target { reg, tiling, fixed: view.fixed.map(Distances::View) }),
                streamed,
                &windows,
                block,
            );
            if matches!(stored, Ok(false)) && tiling.in_order {
                // What goes past the caches is not read first.
                if streamed.is_none() {
                    self.note_stored(reg, place, bytes);
                }
                stored = self.run_in_order(sweep, streamed, &windows, block).map(|()| true);
            }
            block.frame.settle(reg);
            if !matches!(stored, Ok(true)) {
                behind.iter().for_each(|reg| block.frame.settle(*reg));
            }
            match stored {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                Err(Outside) => return self.gather_and_store(sweep, view, src, block),
            }
        }
        if found.is_none() && self.sweep_store_inside(sweep, view, src, block) {
            return Ok(());
        }
        if !sweep.has_gathers {
            self.sweep(sweep, block);
        } else if self.sweep_from(sweep, &windows, block).is_err() {
            return self.gather_and_store(sweep, view, src, block);
        }
        if launch.interrupt.was_seen() { Ok(()) } else { self.store_view(view, src, block) }
    }

    /// Whether a sweep may write a result straight to a tile in memory.
    fn may_write(&self, sweep: &Sweep, reg: VReg, place: *const u8, tiling: &Tiling, block: &Block) -> bool {
        tiling.apart || !reads(sweep, &block.frame, &self.in_place, (place, tiling.bytes as usize), Some((reg, tiling)))
    }

    /// Lets a sweep, which writes these addresses, write other results where the stores right behind it belong, as far as these have tiles that lie
    /// whole and in order, apart from what it reads. Gives the registers that lie there until the stores have run.
    fn lend_behind(&mut self, sweep: &Sweep, written: Range<usize>, block: &mut Block) -> SmallVec<[VReg; 2]> {
        let (launch, mut lent, mut written) = (self.launch, SmallVec::new(), SmallVec::<[Range<usize>; 4]>::from_iter([written]));
        for inst in &launch.plan.code[block.pc + 1..][..launch.plan.stores_behind[block.pc]] {
            let Inst::Store { view, src: Tile { base: Base::Reg(reg), .. } } = inst else { break };
            let mut made = None;
            let Some((place, tiling)) = launch.find_tile(view, AccessKind::Write, block, &mut self.hint, &mut made) else { break };
            let own = place.addr()..place.addr() + tiling.bytes as usize;
            let is_free = tiling.in_order
                && (tiling.apart || launch.plan.past_stores.is_empty())
                && written.iter().all(|other| own.end <= other.start || other.end <= own.start)
                && self.may_write(sweep, *reg, place, tiling, block);
            if !is_free {
                break;
            }
            block.frame.lend(*reg, place);
            lent.push(*reg);
            written.push(own);
        }
        lent
    }

    /// Computes of a tile that hangs over an edge of its tensor what lies inside, and writes that there; `false`, and nothing was done, if the sweep
    /// computes something else besides, or no code goes through such a part.
    #[inline(never)]
    fn sweep_store_inside(&mut self, sweep: &Sweep, view: &ViewAccess, src: &Tile, block: &mut Block) -> bool {
        let (Some(region), Base::Reg(reg)) = (sweep.region(), src.base) else { return false };
        if sweep.has_gathers || !sweep.writes_only(reg) || !src.is_contiguous() {
            return false;
        }
        let mut made = None;
        let inside = self.launch.find_inside(view, AccessKind::Write, &block.frame, &mut made);
        let Some(inside) = inside.or_else(|| self.find_box_inside(view, AccessKind::Write, block)) else { return false };
        let Some(place) = inside.host else { return true };
        let bytes = inside.span() * view.size;
        if reads(sweep, &block.frame, &self.in_place, (place, bytes), None) {
            return false;
        }
        let streamed = self.streamed(reg, sweep.n * view.size, block.pc);
        let (counts, places) =
            (inside.counts(), BufferPlaces { sweep, region, regs: &block.frame, in_place: &self.in_place, target: None });
        let (mut kept, mut made) = (None, None);
        let walked = match self.nests.get(block.pc, &places, &counts) {
            Some(passage) => passage.walked.as_ref(),
            None => {
                // The distances of the tile that is stored are the same for all blocks if the launch knows them.
                kept = places.tilings().ok().filter(|_| view.fixed.is_some());
                made = walk_inside(sweep, region, reg, &inside, &places);
                made.as_ref()
            }
        };
        let ran = walked.map(|walked| {
            block.frame.lend(reg, place);
            let ahead = sweep::ahead_of(sweep, &mut self.ahead, &mut self.scratch.nothing);
            let ran = Run::new(sweep, region, &block.frame, streamed).strided(walked, ahead);
            ran.unwrap_or_else(|Outside| unreachable!("it gathers nothing"));
            block.frame.settle(reg);
            walked.has_one_loop()
        });
        if let Some(tilings) = kept {
            self.nests.keep(block.pc, tilings, counts, Passage { settled: SmallVec::new(), walked: made });
        }
        if ran == Some(true) && streamed.is_none() {
            self.note_stored(reg, place, bytes);
        }
        ran.is_some()
    }

    /// Stores a result of a sweep after all that it gathers has been loaded.
    #[cold]
    fn gather_and_store(&mut self, sweep: &Sweep, view: &ViewAccess, src: &Tile, block: &mut Block) -> Result<(), LaunchErrorKind> {
        self.gather_first(sweep, block)?;
        if self.launch.interrupt.was_seen() { Ok(()) } else { self.store_view(view, src, block) }
    }

    /// Brings tiles to their registers that are read behind the store of this block, unless that writes a whole tile apart from all that is read.
    #[inline]
    pub(super) fn settle_before(&mut self, store: Option<&Tiling>, block: &mut Block) {
        if !store.is_some_and(|tiling| tiling.apart) {
            let all = &self.launch.plan.past_stores;
            let first = all.partition_point(|(at, _)| *at < block.pc);
            let behind = all[first..].iter().take_while(|(at, _)| *at == block.pc);
            behind.for_each(|(_, tile)| self.in_place.settle(tile, &mut block.frame));
        }
    }

    /// The register of a sweep's result of so many bytes, if what the store at `pc` writes goes past the caches.
    pub(super) fn streamed(&self, reg: VReg, bytes: usize, pc: usize) -> Option<VReg> {
        (self.stores(bytes, pc) == Stores::Streaming).then_some(reg)
    }

    /// Stores a tile that belongs whole and aligned into memory, from wherever it lies; `false`, and nothing was done, if it is not one,
    /// or if its bytes are read where some of them are written.
    pub(super) fn store_whole(&mut self, view: &ViewAccess, src: &Tile, block: &mut Block) -> bool {
        let (launch, mut made) = (self.launch, None);
        let found = launch.find_tile(view, AccessKind::Write, block, &mut self.hint, &mut made);
        self.settle_before(found.map(|(_, tiling)| tiling), block);
        let Some((place, tiling)) = found else { return false };
        let source = self.in_place.find(src, &block.frame);
        if let (None, Base::Reg(reg)) = (source, src.base)
            && block.frame.is_in_memory(src)
        {
            // The sweep in front of the store has written it there.
            block.frame.settle(reg);
            return true;
        }
        let regs = &block.frame;
        if !tiling.apart && source.is_some_and(|source| source.overlaps(place.addr()..place.addr() + tiling.bytes as usize, view.size)) {
            return false;
        }
        let from = regs.read(src);
        // One number, as reductions of rows give: there are no dimensions to go through.
        if src.numel() == 1 {
            // SAFETY: source and target hold the number, and do not overlap.
            unsafe { boxes::copy_element(view.size, from, place) };
            return true;
        }
        let stores = self.stores(src.numel() * view.size, block.pc);
        if let Some(rows) = source.and_then(|source| source.rows.as_ref()) {
            let copy = BoxCopy { level: Level::best(), size: view.size, stores, ahead: 0 };
            // SAFETY: the target holds the whole tile, and does not overlap the rows.
            return rows.elements() == src.numel() && unsafe { rows.store(&copy_dims(src, None, tiling), &copy, place) };
        }
        let next = source.map_or(std::ptr::null(), |source| source.next);
        let ahead = if next.is_null() { 0 } else { next.addr().wrapping_sub(from.addr()) };
        let copy = BoxCopy { level: Level::best(), size: view.size, stores, ahead };
        let form = || Form::new(&copy_dims(src, source.map(|source| &source.axes), tiling));
        // The form is the same for all blocks where the distances in the source and in the target are.
        let kept = source.map_or(Some(None), |source| source.fixed.map(Some)).zip(view.fixed);
        let made;
        let form = match kept {
            Some((source, number)) => self.forms.get_or_make(number, source, form),
            None => {
                made = form();
                &made
            }
        };
        // SAFETY: source and target hold the whole tile, and do not overlap.
        unsafe { copy.run(form, from, place) };
        true
    }

    /// Stores a tile from where a load left it as rows that lie anywhere; `false`, and nothing was done, if the tile or the store is not like that,
    /// or if its bytes are read where some of them are written.
    pub(super) fn store_as_rows(&mut self, view: &ViewAccess, src: &Tile, block: &Block) -> bool {
        let Some(source) = self.in_place.find(src, &block.frame).filter(|source| source.rows.is_none()) else { return false };
        let pitches: SmallVec<[usize; MAX_AXES]> = src.strides.iter().map(|stride| distance(&source.axes, *stride)).collect();
        let span = source.span(view.size);
        let Some(rows) = self.find_rows(view, AccessKind::Write, &pitches, block) else { return false };
        let are_apart = !rows.overlap(span, view.size);
        if are_apart {
            self.transfer_rows(view, &rows, Direction::Store(block.frame.read(src)));
        }
        self.give_back(rows);
        are_apart
    }

    /// Leaves the rows of a tile where they lie, which only stores read.
    pub(super) fn leave_rows(&mut self, dst: VReg, first: *mut u8, rows: RowList, regs: &mut Frame) {
        if let Some(before) = self.in_place.leave_rows(dst, rows) {
            self.give_back(before);
        }
        regs.lend(dst, first);
    }

    /// Leaves a tile where it lies, if its readers can read it there, and asks to read ahead where the next load will probably find its.
    #[inline]
    pub(super) fn leave_in_place(&mut self, view: &ViewAccess, dst: VReg, readers: Readers, block: &mut Block) -> bool {
        if readers == Readers::Any {
            return false;
        }
        let whole = self.in_place.of_register(dst);
        let (launch, mut made, fixed) = (self.launch, None, view.fixed.map(Distances::View));
        // As for all blocks before: nothing but this load changes where the register is.
        if whole.fixed == fixed && !whole.host.is_null() && block.frame.write(dst) == whole.host && launch.has_one_tile(view) {
            return true;
        }
        let found = launch.find_tile(view, AccessKind::Read, block, &mut whole.buffer, &mut made);
        let is_read_again = launch.plan.read_again[block.pc] && launch.plan.in_step == 1;
        let suits = |tiling: &Tiling| match readers {
            _ if tiling.in_order => true,
            Readers::Rows(row) => row_pitch(&tiling.axes, row).is_some(),
            Readers::InOrder => false,
            _ => !(is_read_again && tiling.crowds(view.size)),
        };
        let Some((host, tiling)) = found.filter(|(_, tiling)| suits(tiling)) else {
            block.frame.settle(dst);
            return matches!((found, readers), (None, Readers::Rows(row)) if self.leave_part(view, dst, row, block));
        };
        block.frame.lend(dst, host);
        (whole.rows, whole.inside) = (None, None);
        let last = std::mem::replace(&mut whole.host, host);
        // All tiles of a tiling have the same distances.
        if fixed.is_none() || last.is_null() || whole.fixed != fixed {
            (whole.axes, whole.in_order, whole.fixed) = (tiling.axes, tiling.in_order, fixed);
        }
        whole.guess_next(last);
        if whole.next.is_null() {
            return true;
        }
        match readers {
            Readers::Products => read_ahead(whole.next, &whole.axes, view.size, &mut self.ahead),
            // If there are computations that leave the time for it.
            Readers::InOrder if self.launch.plan.prefetches.wants(host, whole.next, tiling.bytes as usize) => {
                self.ahead.add_run(whole.next, tiling.bytes as usize);
            }
            _ => {}
        }
        true
    }

    /// Asks to read ahead where the next load of a register will probably find its tile, if it is a matrix of rows, or one row. This load found
    /// it at `host`, and copied so many elements along each dimension.
    pub(super) fn read_next_ahead(&mut self, dst: VReg, host: *const u8, dims: &[Dim], size: usize) {
        let copied = &mut self.in_place.copied;
        let last = match copied.iter_mut().find(|(reg, _)| *reg == dst) {
            Some((_, last)) => std::mem::replace(last, host),
            None => {
                copied.push((dst, host));
                return;
            }
        };
        let next = host.wrapping_add(host.addr().wrapping_sub(last.addr()));
        let bytes = dims.iter().map(|dim| dim.count).product::<usize>() * size;
        if last == host || !self.launch.plan.prefetches.wants(host, next, bytes) {
            return;
        }
        let mut dims = dims.iter().filter(|dim| dim.count > 1).rev();
        match (dims.next(), dims.next(), dims.next()) {
            (Some(row), None, _) if row.from == 1 => self.ahead.add_run(next, row.count * size),
            (Some(row), Some(rows), None) if row.from == 1 => self.ahead.add(next, rows.count, rows.from * size, row.count * size),
            _ => {}
        }
    }

    /// Remembers where a sweep stored a tile.
    fn note_stored(&mut self, reg: VReg, place: *mut u8, bytes: usize) {
        let stored = &mut self.in_place.stored;
        match stored.iter_mut().find(|(other, _)| *other == reg) {
            Some((_, guess)) => {
                let next = place.wrapping_add(place.addr().wrapping_sub(guess.last.addr()));
                *guess = Guess { last: place, next, bytes };
            }
            None => stored.push((reg, Guess { last: place, next: place, bytes })),
        }
    }

    /// Asks to read ahead where a block that begins will probably store its tiles: what is written is read first.
    pub(super) fn guess_stores(&mut self) {
        self.ahead.begin(self.launch.plan.times_to_read_ahead);
        if self.launch.plan.prefetches != Prefetches::None {
            let wanted = |guess: &Guess| guess.next != guess.last && self.launch.plan.prefetches.wants(guess.last, guess.next, guess.bytes);
            let elsewhere = self.in_place.stored.iter().filter(|(_, guess)| wanted(guess));
            elsewhere.for_each(|(_, guess)| self.ahead.add_run(guess.next, guess.bytes));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_kept_for_the_source_that_they_were_made_for() {
        let mut forms = Forms::default();
        let mut made = 0;
        for (store, source) in [(1, None), (1, None), (0, Some(3)), (1, Some(3)), (0, Some(3)), (1, None)] {
            forms.get_or_make(store, source.map(Distances::View), || {
                made += 1;
                Form::new(&[])
            });
        }
        assert_eq!(made, 4);
    }
}
