//! Loads of a loop that go through shared memory in stages: while the tiles of one round are multiplied, those of later rounds are copied by
//! `cp.async`, or loaded to registers where that cannot be: memory is not aligned enough, or something else than zeros is outside of the tensor.
//!
//! ```text
//! in front       copy rounds 0, 1, ... of the stages but one, a group each; load the registers of round 0
//! round i        store the registers of round i to its stage
//!                wait for the group of round i; all threads meet
//!                copy round i + stages - 1 to the stage that round i - 1 has read; load the registers of round i + 1
//!                read the tiles of round i, in the layouts that products take
//! ```
//!
//! Threads meet once a round: behind that barrier everybody's copies of the round have arrived, and nobody reads the stage of the round before.
//! What is stored in front of it goes to a stage that was read two rounds before at least.

use super::{
    Lowered, Lowerer, Stop, Tile,
    anchors::jump_target,
    exchange::{InShared, PIECE_BYTES, describe_reads},
    memory::{TileView, padding_bits},
    order::Access,
    packed::is_packed,
    tile::{bits_of, dims_of},
    words::WIDEST,
};
use crate::{
    layout::{BitMap, Layout},
    swizzle::{Places, Reading, Wanted},
    thread::{Space, Value},
};
use std::collections::HashSet;
use tilewright_ir::{Block, Op, OpRef, Opcode, ValueDef};
use tilewright_passes::{
    elem::Elem,
    elementwise::{ElemOp, elem_op},
};
use tilewright_vector::{Lane, Prim};

/// More stages hide no more latency.
const MOST_STAGES: u32 = 4;
/// The fewest bytes that `cp.async` copies.
const NARROWEST: u32 = 4;
/// What tiles of a stage begin at multiples of: bytes that all banks hold.
const ALIGNMENT: u32 = 128;
/// The most registers that a loop carries for tiles that are loaded ahead: more are needed for what it computes.
const MOST_CARRIED: u32 = 64;
/// Blocks that are to fit a multiprocessor at once, so that one computes while another one waits.
const BLOCKS: u32 = 2;
/// Shared memory that a multiprocessor takes for each block.
const OVERHEAD: u32 = 1 << 10;

/// The numbers that a loop counts through.
#[derive(Clone, Copy)]
pub(super) struct Range {
    pub(super) elem: Elem,
    pub(super) from: Value,
    pub(super) to: Value,
    pub(super) step: Value,
    /// How they are compared.
    pub(super) less: ElemOp,
}

/// A load that may be done ahead: what it is, and what its places depend on.
struct Candidate {
    load: Op,
    /// The operations of the loop's body that its view and indices come from, in their order.
    slice: Vec<Op>,
    /// How a product takes its tile.
    to: Layout,
}

/// How a tile gets to its stage.
#[derive(Clone, Copy, PartialEq)]
enum Ahead {
    /// By asynchronous copies.
    Copied,
    /// By loads of so many neighbours at once, as bits, to registers that the loop carries until its next round.
    Loaded(u32),
}

/// A load that goes through stages.
#[derive(Clone)]
pub(super) struct StagedLoad {
    load: Op,
    slice: Vec<Op>,
    elem: Elem,
    shape: Vec<i64>,
    lane: Lane,
    ahead: Ahead,
    /// How threads copy the tile, neighbours in memory first, and how they read it.
    from: Layout,
    to: Layout,
    places: Places,
    /// Where the tile begins within a stage, in bytes.
    begin: u32,
    /// Where the stage begins that the current round reads, behind the first one.
    stage: Option<Value>,
}

impl StagedLoad {
    fn size(&self) -> u32 {
        self.lane.size() as u32
    }

    /// Registers that the loop carries for it.
    fn carried(&self) -> u32 {
        if self.ahead == Ahead::Copied { 0 } else { self.from.registers() }
    }

    /// The tile within its stage.
    fn in_shared(&self, stages: u32, further: Option<Value>) -> InShared {
        InShared { number: 0, bits: bits_of(&self.shape), size: self.size(), begin: stages + self.begin, further }
    }
}

/// The stages of a loop.
pub(super) struct Stages {
    block: Block,
    loads: Vec<StagedLoad>,
    /// The registers of what is loaded ahead, for the first round.
    carried: Vec<Value>,
    count: u32,
    /// Bytes of one.
    bytes: u32,
    /// Where the first one begins.
    begin: u32,
    /// How far ahead of the current round's number the one is whose tiles are copied, and the first number at which there is none.
    ahead: Value,
    limit: Value,
}

impl Stages {
    /// What the loop carries into its first round of tiles that are loaded ahead.
    pub(super) fn carried(&self) -> &[Value] {
        &self.carried
    }

    fn has_copies(&self) -> bool {
        self.loads.iter().any(|load| load.ahead == Ahead::Copied)
    }
}

impl Lowerer<'_> {
    /// Copies the tiles of a loop's first rounds in front of it, if it has loads that may be done ahead.
    pub(super) fn begin_stages(&mut self, op: OpRef<'_>, block: Block, range: Range) -> Result<Option<Stages>, Stop> {
        let candidates = self.candidates(op, block);
        if candidates.is_empty() {
            return Ok(None);
        }
        self.define_initial_tokens(op, block);
        let (mut loads, mut free) = (Vec::new(), MOST_CARRIED);
        for candidate in candidates {
            let staged = self.with_slice(block, &candidate.slice, (range.elem, range.from), |this| this.staged_load(&candidate, free))?;
            free -= staged.as_ref().map_or(0, StagedLoad::carried);
            loads.extend(staged);
        }
        let mut bytes = 0;
        for load in &mut loads {
            load.begin = bytes;
            bytes += (load.size() << bits_of(&load.shape)).next_multiple_of(ALIGNMENT);
        }
        let copied = loads.iter().filter(|load| load.ahead == Ahead::Copied).count();
        // What is loaded one round ahead needs no more than two.
        let most = if copied == 0 { 2 } else { MOST_STAGES };
        let Some(count) = self.count_of_stages(bytes, most).filter(|_| !loads.is_empty()) else { return Ok(None) };
        let tiles = if loads.len() == 1 { "one tile".to_owned() } else { format!("{} tiles", loads.len()) };
        let how = if copied == loads.len() {
            "by cp.async"
        } else if copied == 0 {
            "by registers"
        } else {
            "by cp.async and registers"
        };
        self.note(format!("{count} stages of {bytes} bytes of shared memory, for {tiles} of each round {how}"));
        for load in &loads {
            self.order(self.frame.body.op(load.load), Access::load(None));
        }
        let begin = self.hold_shared(bytes * count);
        let mut stages = Stages { block, loads, carried: Vec::new(), count, bytes, begin, ahead: range.from, limit: range.from };
        stages.carried = self.load_round(&stages, (range.elem, range.from), None)?;
        if !stages.has_copies() {
            return Ok(Some(stages));
        }
        let zero = self.b.constant(self.b.lane(range.from), 0);
        let refused = self.unsupported(op, "an index of this type");
        let (mut index, mut ahead, mut runs) = (range.from, zero, None);
        for stage in 0..count - 1 {
            self.copy_stage(&stages, (range.elem, index), (stage * bytes, None), runs)?;
            let next = self.integer(ElemOp::AddI, range, index, range.step).ok_or_else(|| refused.clone())?;
            ahead = self.integer(ElemOp::AddI, range, ahead, range.step).ok_or_else(|| refused.clone())?;
            let more = self.goes_on(range, index, next).ok_or_else(|| refused.clone())?;
            runs = self.both(runs, Some(more));
            index = next;
        }
        // As long as it is not met, the round so far ahead is one of the loop's.
        let limit = self.integer(ElemOp::SubI, range, range.to, ahead).ok_or(refused)?;
        stages.ahead = ahead;
        stages.limit = runs.map_or(limit, |runs| self.b.prim(Prim::Select, &[runs, limit, range.from]));
        Ok(Some(stages))
    }

    fn integer(&mut self, op: ElemOp, range: Range, a: Value, b: Value) -> Option<Value> {
        self.element(op, &[range.elem; 2], range.elem, &[a, b])
    }

    /// Whether a loop goes on with `next` behind `index`: where it would leave its type, the range ends. By a step of 1 it meets its end before.
    pub(super) fn goes_on(&mut self, range: Range, index: Value, next: Value) -> Option<Value> {
        let i1 = Elem::Num(tilewright_ir::Scalar::I1);
        let more = self.element(range.less, &[range.elem; 2], i1, &[next, range.to])?;
        if self.b.constant_bits(range.step) == Some(1) {
            return Some(more);
        }
        let grows = self.element(range.less, &[range.elem; 2], i1, &[index, next])?;
        Some(self.b.prim(Prim::MAnd, &[more, grows]))
    }

    /// How many stages of so many bytes there are, at most so many; none if there is no room for two.
    fn count_of_stages(&self, bytes: u32, most_stages: u32) -> Option<u32> {
        let (most, of_all) = self.target.shared_memory();
        let held = self.held_shared();
        let beside = (of_all / BLOCKS - OVERHEAD).saturating_sub(held) / bytes.max(1);
        // What else the loop needs must fit too.
        let alone = most.saturating_sub(held + PIECE_BYTES) / bytes.max(1);
        let count = beside.clamp(2, most_stages).min(alone);
        (count >= 2).then_some(count)
    }

    /// What a loop carries into its first round for its stages: where the one begins that it reads.
    pub(super) fn first_stage(&mut self) -> Value {
        self.i32(0)
    }

    /// Where the next stage begins.
    pub(super) fn next_stage(&mut self, stages: &Stages, stage: Value) -> Value {
        let (all, bytes) = (stages.count * stages.bytes, self.i32(stages.bytes));
        let next = self.b.prim(Prim::Add, &[stage, bytes]);
        self.within_stages(next, all, (all, 0))
    }

    /// Where the stage before begins.
    fn stage_before(&mut self, stages: &Stages, stage: Value) -> Value {
        let (all, bytes) = (stages.count * stages.bytes, self.i32(stages.bytes.wrapping_neg()));
        let before = self.b.prim(Prim::Add, &[stage, bytes]);
        self.within_stages(before, all, (stages.bytes.wrapping_neg(), all - stages.bytes))
    }

    /// A place, or where it goes on at the other end, if it has come to the place outside.
    fn within_stages(&mut self, at: Value, all: u32, (outside, other_end): (u32, u32)) -> Value {
        if all.is_power_of_two() {
            let low = self.i32(all - 1);
            return self.b.prim(Prim::And, &[at, low]);
        }
        let (outside, other_end) = (self.i32(outside), self.i32(other_end));
        let is_outside = self.b.prim(Prim::Eq, &[at, outside]);
        self.b.prim(Prim::Select, &[is_outside, other_end, at])
    }

    /// Begins a round, which reads a stage: its tiles have arrived, and those of a later round are copied; `carried` are those that were loaded for
    /// it. Gives what is loaded for the next round.
    pub(super) fn begin_stage(
        &mut self,
        stages: &Stages,
        range: Range,
        (index, read): (Value, Value),
        carried: &[Value],
    ) -> Result<Vec<Value>, Stop> {
        let mut rest = carried;
        for load in &stages.loads {
            let (own, others) = rest.split_at(load.carried() as usize);
            rest = others;
            self.store_loaded(load, own, load.in_shared(stages.begin, Some(read)));
        }
        if stages.has_copies() {
            self.b.wait_copies(stages.count - 2);
        }
        self.barrier();
        let mut next = Vec::new();
        if stages.has_copies() {
            let written = self.stage_before(stages, read);
            let i1 = Elem::Num(tilewright_ir::Scalar::I1);
            let ahead = self.integer(ElemOp::AddI, range, index, stages.ahead);
            let runs = self.element(range.less, &[range.elem; 2], i1, &[index, stages.limit]);
            let (ahead, runs) = ahead.zip(runs).expect("these were computed in front of the loop");
            self.copy_stage(stages, (range.elem, ahead), (0, Some(written)), Some(runs))?;
        }
        if !carried.is_empty() {
            let following = self.integer(ElemOp::AddI, range, index, range.step);
            let runs = following.and_then(|following| self.goes_on(range, index, following));
            let (following, runs) = following.zip(runs).expect("the loop counts");
            next = self.load_round(stages, (range.elem, following), Some(runs))?;
        }
        for load in &stages.loads {
            let staged = StagedLoad { begin: stages.begin + load.begin, stage: Some(read), ..load.clone() };
            self.frame.staged.insert(load.load, staged);
        }
        Ok(next)
    }

    /// The loop is lowered.
    pub(super) fn end_stages(&mut self, stages: &Stages) {
        stages.loads.iter().for_each(|load| {
            self.frame.staged.remove(&load.load);
        });
        self.release_shared(stages.begin);
    }

    /// Begins to copy the tiles of the round with a number to a stage, where there is such a round, and makes a group of that.
    fn copy_stage(&mut self, stages: &Stages, index: (Elem, Value), at: (u32, Option<Value>), runs: Option<Value>) -> Result<(), Stop> {
        for load in stages.loads.iter().filter(|load| load.ahead == Ahead::Copied) {
            self.with_slice(stages.block, &load.slice, index, |this| this.copy_tile(load, stages.begin + at.0, at.1, runs))?;
        }
        self.b.commit_copies();
        Ok(())
    }

    /// Loads the tiles of the round with a number to registers, where there is such a round.
    fn load_round(&mut self, stages: &Stages, index: (Elem, Value), runs: Option<Value>) -> Result<Vec<Value>, Stop> {
        let mut all = Vec::new();
        for load in &stages.loads {
            if let Ahead::Loaded(width) = load.ahead {
                all.extend(self.with_slice(stages.block, &load.slice, index, |this| this.load_ahead(load, width, runs))?);
            }
        }
        Ok(all)
    }

    /// The registers of a tile as memory holds it, `1 << width` neighbours loaded at once.
    fn load_ahead(&mut self, load: &StagedLoad, width: u32, runs: Option<Value>) -> Result<Vec<Value>, Stop> {
        let op = self.frame.body.op(load.load);
        let view = self.view(op)?;
        let padding = self.b.constant(load.lane, padding_bits(load.elem, view.padding));
        let others = vec![padding; load.from.registers() as usize];
        // Only its shape and layout count.
        let tile =
            Tile { elem: load.elem, shape: load.shape.clone(), layout: load.from.clone(), registers: others.clone(), is_splat: true };
        let places = self.places(op, &view, &tile)?;
        let width = 1 << width;
        let mut registers = Vec::new();
        for (places, others) in places.chunks(width).zip(others.chunks(width)) {
            let mask = self.both(places[0].inside, runs).map(|mask| (mask, others));
            registers.extend(self.load_neighbours((load.lane, width), Space::Global, (places[0].address, places[0].offset), mask));
        }
        Ok(registers)
    }

    /// Stores the registers of a tile that was loaded ahead to its stage.
    fn store_loaded(&mut self, load: &StagedLoad, registers: &[Value], piece: InShared) {
        if registers.is_empty() {
            return;
        }
        let first = self.first_holders(&load.from);
        self.store_piece(&load.from.then(&load.places.map), registers, load.places.stored, first, piece);
    }

    /// Begins to copy a tile.
    fn copy_tile(&mut self, load: &StagedLoad, begin: u32, further: Option<Value>, runs: Option<Value>) -> Result<(), Stop> {
        let op = self.frame.body.op(load.load);
        let view = self.view(op)?;
        let nothing = self.b.constant(load.lane, 0);
        // Only its shape and layout count.
        let registers = vec![nothing; load.from.registers() as usize];
        let tile = Tile { elem: load.elem, shape: load.shape.clone(), layout: load.from.clone(), registers, is_splat: true };
        let places = self.places(op, &view, &tile)?;
        let stores = load.from.then(&load.places.map);
        let first = self.first_holders(&load.from);
        let mask = self.both(first, runs);
        let width = 1usize << load.places.stored;
        let bytes = load.size() << load.places.stored;
        let (all, none) = (self.i32(bytes), self.i32(0));
        for (register, place) in places.into_iter().enumerate().step_by(width) {
            let piece = load.in_shared(begin, further);
            let target = self.place_in_piece(&stores, stores.of_register(register as u32), None, piece);
            let (to, _) = target.expect("the whole tile is in shared memory");
            let given = place.inside.map(|inside| self.b.prim(Prim::Select, &[inside, all, none]));
            self.b.copy_async(to, (place.address, place.offset), bytes, given, mask);
        }
        Ok(())
    }

    /// The tile of a load whose copies have arrived.
    pub(super) fn read_stage(&mut self, op: OpRef<'_>) {
        let load = self.frame.staged[&op.id()].clone();
        let (loads, piece) = (load.to.then(&load.places.map), load.in_shared(0, load.stage));
        let (how, width) = match load.ahead {
            Ahead::Copied => ("cp.async", load.places.stored),
            Ahead::Loaded(width) => ("loads", width),
        };
        let (times, bytes) = (load.from.registers() >> width, load.size() << width);
        self.note(format!("{times} x {how} of {bytes} bytes by each thread, {}", describe_reads(&load.places, load.size())));
        let mut read = vec![None; load.to.registers() as usize];
        match load.places.reading {
            Reading::Neighbours(count) => self.load_piece(&loads, (load.lane, count), None, piece, &mut read),
            Reading::Matrices { transposed } => self.load_matrices(&loads, load.lane, transposed, piece, &mut read),
        }
        let held = if load.elem == Elem::Num(tilewright_ir::Scalar::I1) { Lane::Mask } else { load.lane };
        let read = read.into_iter().map(|value| value.expect("the whole tile is in shared memory"));
        let registers = read.map(|value| self.loaded_form(value, held)).collect();
        let tile = Tile { elem: load.elem, shape: load.shape, layout: load.to, registers, is_splat: false };
        self.define(op.result(0).expect("a tile"), tile);
        self.pass_no_token(op);
    }

    /// How a load goes through stages, in front of its loop, where the operations that it depends on are lowered for the first round; none if it would
    /// take more than these registers, and copies cannot be asynchronous.
    fn staged_load(&mut self, candidate: &Candidate, free: u32) -> Result<Option<StagedLoad>, Stop> {
        let op = self.frame.body.op(candidate.load);
        let view = self.view(op)?;
        let (elem, shape) = self.tile_type(op, op.result(0).expect("a tile"))?;
        if is_packed(elem) || view.steps.iter().any(Option::is_none) {
            return Ok(None);
        }
        let (size, lane) = self.memory_of(op, elem)?;
        let wanted = |stored: u32| Wanted { size: size.ilog2(), stored, piece: bits_of(&shape), matrices: true };
        let copied = self.copied_layout(op, &view, &shape, size as u32);
        let copied = copied.and_then(|(from, stored)| Some((Places::copied(&from, &candidate.to, wanted(stored))?, from)));
        let (ahead, from, places) = match copied {
            Some((places, from)) => (Ahead::Copied, from, places),
            None => {
                let (from, width) = self.loaded_layout(op, &view, &shape, size as u32);
                // Bytes that are loaded one by one are stored so: to put them together costs more.
                let widest = if lane == Lane::I8 { width } else { (WIDEST / size as u32).ilog2() };
                let places = Places::between(&from, &candidate.to, wanted(widest));
                (Ahead::Loaded(width), from, places)
            }
        };
        let (load, slice, to) = (candidate.load, candidate.slice.clone(), candidate.to.clone());
        let staged = StagedLoad { load, slice, elem, shape, lane, ahead, from, to, places, begin: 0, stage: None };
        Ok((staged.carried() <= free).then_some(staged))
    }

    /// The layout in which threads load a tile of a view to registers: neighbours in memory side by side; with the bits of the number of neighbours of a
    /// load.
    fn loaded_layout(&self, op: OpRef<'_>, view: &TileView, shape: &[i64], size: u32) -> (Layout, u32) {
        let dim = self.contiguous_dim(view).unwrap_or(shape.len() - 1);
        let (_, extent) = dims_of(shape)[dim];
        let most = self.width_along(op, view, dim, extent.min((WIDEST / size).ilog2()), size);
        let threads = Layout::blocked(bits_of(shape), self.warp_bits, 0).thread_columns().len() as u32;
        let width = most.min(bits_of(shape).saturating_sub(threads));
        (self.in_memory_order(shape, dim, width), width)
    }

    /// The layout whose threads hold `1 << width` neighbours along a dimension, and lie side by side along it.
    fn in_memory_order(&self, shape: &[i64], dim: usize, width: u32) -> Layout {
        let (bits, (low, extent)) = (bits_of(shape), dims_of(shape)[dim]);
        // From the order of memory to the tile's.
        let of_dim = low..low + extent;
        let order = of_dim.clone().chain((0..bits).filter(|bit| !of_dim.contains(bit)));
        let order = BitMap::new(order.map(|bit| 1 << bit).collect(), bits);
        Layout::blocked_by(bits, self.warp_bits, width).then(&order)
    }

    /// The layout in which threads copy a tile of a view: neighbours in memory side by side; with the bits of the number of neighbours of a copy.
    fn copied_layout(&self, op: OpRef<'_>, view: &TileView, shape: &[i64], size: u32) -> Option<(Layout, u32)> {
        if !view.is_padded_with_zeros() {
            return None;
        }
        let (dim, bits) = (self.contiguous_dim(view)?, bits_of(shape));
        let (_, extent) = dims_of(shape)[dim];
        let narrowest = NARROWEST.div_ceil(size).ilog2();
        let most = self.width_along(op, view, dim, extent.min((WIDEST / size).ilog2()), size);
        let threads = Layout::blocked(bits, self.warp_bits, 0).thread_columns().len() as u32;
        // Narrow copies for all threads rather than wide ones for some.
        let stored = most.min(bits.saturating_sub(threads).max(narrowest));
        (stored >= narrowest).then(|| (self.in_memory_order(shape, dim, stored), stored))
    }

    /// The loads of a loop's body that no token puts behind a write of the loop, whose tiles are factors, and whose places depend on the loop's
    /// number and on nothing else that the loop changes.
    fn candidates(&self, op: OpRef<'_>, block: Block) -> Vec<Candidate> {
        let inside =
            |inner: OpRef<'_>| std::iter::successors(inner.parent(), |parent| parent.parent()).any(|parent| parent.id() == op.id());
        // Where a round may end the launch, the next one's loads may be wrong.
        let leaves = |inner: &OpRef<'_>| matches!(inner.opcode(), Opcode::Return | Opcode::Assert | Opcode::PreviewCall) && inside(*inner);
        if self.frame.body.preorder().any(|inner| leaves(&inner)) {
            return Vec::new();
        }
        let candidate = |load: OpRef<'_>| -> Option<Candidate> {
            let is_weak = load.opcode() == Opcode::LoadViewTko && matches!(self.strong(load), Ok(None));
            let tokens = load.operand_named("token");
            let is_free = is_weak && tokens.iter().all(|token| self.is_behind_reads(*token, op, &mut HashSet::new()));
            if !is_free {
                return None;
            }
            let to = self.factor_layout(load.result(0)?)?;
            let slice = self.slice(op, block, load)?;
            Some(Candidate { load: load.id(), slice, to })
        };
        self.frame.body.ops(block).filter_map(candidate).collect()
    }

    /// Whether a token comes from outside of a loop, or behind reads of the loop only.
    fn is_behind_reads(&self, token: tilewright_ir::Value, outer: OpRef<'_>, assumed: &mut HashSet<tilewright_ir::Value>) -> bool {
        match self.frame.body.value_def(token) {
            ValueDef::Argument(block, number) => {
                if outer.region_block(0) != Some(block) || !assumed.insert(token) {
                    return true;
                }
                let continues = self.frame.body.preorder().filter(|op| op.opcode() == Opcode::Continue);
                let own = continues.filter(|op| jump_target(*op).is_some_and(|target| target.id() == outer.id()));
                // The first argument is the loop's number.
                let mut handed = own.map(|op| op.operands().get(number as usize - 1));
                handed.all(|token| token.is_some_and(|token| self.is_behind_reads(*token, outer, assumed)))
            }
            ValueDef::Result(op, _) => {
                let op = self.frame.body.op(op);
                if !std::iter::successors(op.parent(), |parent| parent.parent()).any(|parent| parent.id() == outer.id()) {
                    return true;
                }
                let reads = match op.opcode() {
                    Opcode::LoadViewTko | Opcode::LoadPtrTko => matches!(self.strong(op), Ok(None)),
                    Opcode::MakeToken | Opcode::JoinTokens => true,
                    _ => false,
                };
                let mut tokens = op.operands().iter().filter(|value| self.is_token(**value));
                reads && tokens.all(|token| self.is_behind_reads(*token, outer, assumed))
            }
        }
    }

    /// The operations of a loop's body that the view and the indices of a load come from; none if they depend on something that the loop changes but its number.
    fn slice(&self, outer: OpRef<'_>, block: Block, load: OpRef<'_>) -> Option<Vec<Op>> {
        let mut needed: HashSet<Op> = HashSet::new();
        let mut pending: Vec<tilewright_ir::Value> =
            load.operand_named("view").iter().chain(load.operand_named("index")).copied().collect();
        while let Some(value) = pending.pop() {
            match self.frame.body.value_def(value) {
                ValueDef::Argument(of, number) if of == block && number > 0 => return None,
                ValueDef::Argument(..) => {}
                ValueDef::Result(op, _) => {
                    let op = self.frame.body.op(op);
                    let is_own = op.parent().is_some_and(|parent| parent.id() == outer.id());
                    // What lies in front of the loop is lowered already; what lies in a region of the body is not seen here.
                    if is_own && needed.insert(op.id()) {
                        if !self.may_repeat(op) {
                            return None;
                        }
                        pending.extend(op.operands());
                    }
                }
            }
        }
        Some(self.frame.body.ops(block).map(|op| op.id()).filter(|op| needed.contains(op)).collect())
    }

    /// Whether an operation may be done once more, at other places: it accesses nothing, and takes scalars and views.
    fn may_repeat(&self, op: OpRef<'_>) -> bool {
        let types = &self.module.tables.types;
        let is_scalar = |value: &tilewright_ir::Value| types.as_tile(self.frame.body.ty(*value)).is_none_or(|(_, shape)| shape.is_empty());
        let is_known = elem_op(op, types).is_some()
            || matches!(
                op.opcode(),
                Opcode::Constant
                    | Opcode::Assume
                    | Opcode::MakeTensorView
                    | Opcode::MakePartitionView
                    | Opcode::MakeStridedView
                    | Opcode::GetTensorShape
                    | Opcode::GetIndexSpaceShape
                    | Opcode::GetTileBlockId
                    | Opcode::GetNumTileBlocks
                    | Opcode::GetGlobal
            );
        is_known && op.operands().iter().all(is_scalar) && op.results().all(|result| is_scalar(&result))
    }

    /// Does something where the operations of a slice are lowered for a number of the loop; then these are what they were.
    fn with_slice<R>(
        &mut self,
        block: Block,
        slice: &[Op],
        (elem, index): (Elem, Value),
        done: impl FnOnce(&mut Self) -> Result<R, Stop>,
    ) -> Result<R, Stop> {
        let number = self.frame.body.args(block).next();
        let results = slice.iter().flat_map(|op| self.frame.body.op(*op).results());
        let changed: Vec<tilewright_ir::Value> = number.into_iter().chain(results).collect();
        let before: Vec<Option<Lowered>> = changed.iter().map(|value| self.frame.values.get(value).cloned()).collect();
        if let Some(number) = number {
            let tile = self.splat(elem, &[], index);
            self.define(number, tile);
        }
        let lowered = slice.iter().try_for_each(|op| self.op(self.frame.body.op(*op)));
        let result = lowered.and_then(|()| done(self));
        for (value, before) in changed.into_iter().zip(before) {
            match before {
                Some(lowered) => self.frame.values.insert(value, lowered),
                None => self.frame.values.remove(&value),
            };
        }
        result
    }

    /// The tokens that a loop carries are those that it begins with, in front of it.
    fn define_initial_tokens(&mut self, op: OpRef<'_>, block: Block) {
        let args: Vec<_> = self.frame.body.args(block).skip(1).collect();
        for (arg, init) in args.into_iter().zip(op.operand_named("initValues")) {
            if let Some(token @ Lowered::Token(_)) = self.frame.values.get(init).cloned() {
                self.frame.values.insert(arg, token);
            }
        }
    }
}
