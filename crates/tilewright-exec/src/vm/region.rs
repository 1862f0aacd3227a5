//! Runs fused regions.
//!
//! Where all buffers lie as in registers, the nest that the plan found is run. Where loads left tiles in memory, or the result belongs there,
//! the nest is found anew, with the strides of memory: loops go in the order of what is written, and neighbours that are one for all buffers
//! become one. What the innermost loop would not find side by side is brought to its register first.
#![allow(unsafe_code, reason = "hands registers of the plan to vector code")]

use super::{
    frame::Frame,
    in_place::{Distances, InPlace},
    tiling::{MAX_AXES, Tiling, distance},
};
use crate::{
    interrupt::{Looks, PART},
    kernels::ahead::{Ahead, Lines},
    plan::{Base, Executable, Form, Gathers, Nest, Operand, Region, RegionBuffer, Src, Sweep, VReg, Walks},
};
use smallvec::SmallVec;
use std::{cell::OnceCell, ops::Range, ptr::NonNull};
use tilewright_vector::{Arg, Args, Buffer, Code, FETCHED_FOR, Fault, Native, STREAMED_ALIGNMENT};

/// Elements between two looks at what is to be fetched.
const PIECE: usize = Sweep::PIECE;
/// The fewest iterations that are worth being run alone so that their code fetches side by side.
const FEWEST_WHILE_FETCHING: usize = 256;
/// The most loops of a region that goes through the strides of memory.
const MAX_DEPTH: usize = 6;
/// The fewest elements side by side that are worth going through strides for.
const SHORTEST_ROW: usize = 8;

/// Where the result of a region belongs in memory.
#[derive(Clone, Copy)]
pub(super) struct Target<'a> {
    pub(super) reg: VReg,
    pub(super) tiling: &'a Tiling,
    /// The distances that these are, if the launch knows the tiling.
    pub(super) fixed: Option<Distances>,
}

/// How the regions that ran last went through the strides of memory, by their place in the code: most do so in the same way in all blocks, but
/// for those at the edges.
#[derive(Default)]
pub(super) struct Nests(Vec<Ways>);

/// How one region goes.
#[derive(Default)]
struct Ways {
    all: Vec<Kept>,
    /// Which one is given up next.
    next: usize,
}

/// How many ways of one region are kept: as tiles have that lie inside, at the edges and in the corners of an image.
const KEPT: usize = 9;

/// How a region goes, for such buffers.
struct Kept {
    tilings: Tilings,
    /// How many elements it stores along each dimension, if that is a part of a tile.
    inside: Counts,
    passage: Passage,
}

/// A number for each dimension.
pub(super) type Counts = SmallVec<[usize; MAX_AXES]>;

/// How a region goes through the strides of memory.
pub(super) struct Passage {
    /// The inputs that are brought to their registers first.
    pub(super) settled: SmallVec<[usize; 4]>,
    /// The nest that its code goes through then; none if all lies as in registers.
    pub(super) walked: Option<Walked>,
}

/// For each buffer of a region, what its distances are those of; none if it lies as in a register.
pub(super) type Tilings = SmallVec<[Option<Distances>; 16]>;

impl Nests {
    /// How the region at an instruction goes, if that was found for such places of its buffers and such a part of a tile.
    #[inline]
    pub(super) fn get(&self, pc: usize, places: &BufferPlaces<'_>, inside: &Counts) -> Option<&Passage> {
        let found = match &self.0.get(pc)?.all[..] {
            [only] => (only.inside == *inside && places.have(&only.tilings)).then_some(only),
            several => {
                let tilings = places.tilings().ok()?;
                several.iter().find(|kept| kept.inside == *inside && kept.tilings == tilings)
            }
        };
        found.map(|kept| &kept.passage)
    }

    /// Keeps how a region goes.
    pub(super) fn keep(&mut self, pc: usize, tilings: Tilings, inside: Counts, passage: Passage) {
        if self.0.len() <= pc {
            self.0.resize_with(pc + 1, Ways::default);
        }
        let (Ways { all, next }, kept) = (&mut self.0[pc], Kept { tilings, inside, passage });
        if all.len() < KEPT {
            all.push(kept);
        } else {
            all[*next] = kept;
            *next = (*next + 1) % KEPT;
        }
    }
}

/// A nest that [`arrange`] found to suit vector code, and what the code for it has to be.
pub(super) struct Walked {
    nest: Nest,
    walks: Walks,
    told: Told,
    /// Elements of a round of the outermost loop, and how many rounds lie between two looks at the interrupt.
    row: usize,
    part: usize,
    /// The number of the code that does nothing besides, once it is known.
    code: OnceCell<usize>,
}

impl Walked {
    pub(super) fn has_one_loop(&self) -> bool {
        self.nest.loops.len() == 1
    }

    /// The code may be made for a nest of a single block.
    pub(super) fn new(sweep: &Sweep, region: &Region, nest: Nest, of_one_block: bool) -> Walked {
        let row = nest.elements() * nest.part_count() / nest.loops[0].extent;
        let part = (PART / (sweep.steps.len().max(1) * row)).max(1);
        let part = part.next_multiple_of(if nest.loops.len() == 1 { STREAMED_ALIGNMENT } else { 1 });
        let walks = Walks::of(region, &nest, of_one_block);
        let told = match walks {
            Walks::Strided { extent, apart, .. } => Told { row_is_known: extent.is_some(), apart },
            Walks::Registers => unreachable!("these are the walks of a nest"),
        };
        Walked { nest, walks, told, row, part, code: OnceCell::new() }
    }
}

/// Where the buffers of a region lie that is about to run.
#[derive(Clone, Copy)]
pub(super) struct BufferPlaces<'a> {
    pub(super) sweep: &'a Sweep,
    pub(super) region: &'a Region,
    pub(super) regs: &'a Frame,
    pub(super) in_place: &'a InPlace,
    pub(super) target: Option<Target<'a>>,
}

impl BufferPlaces<'_> {
    /// What a buffer's distances are those of; none if it lies as in a register.
    #[inline]
    fn tiling(&self, at: Src) -> Result<Option<Distances>, UnknownStrides> {
        match at {
            Src::Input(input) => self.in_place.distances(self.sweep.inputs[input].tile(), self.regs),
            Src::Reg(reg, _) => match self.target.filter(|target| target.reg == reg && !target.tiling.in_order) {
                Some(target) => target.fixed.map(Some).ok_or(UnknownStrides),
                None => Ok(None),
            },
            Src::Slot(_) => Ok(None),
        }
    }

    /// The distances of all buffers; `Err` if a launch does not know some of their strides.
    pub(super) fn tilings(&self) -> Result<Tilings, UnknownStrides> {
        self.region.buffers.iter().map(|buffer| self.tiling(buffer.at)).collect()
    }

    /// Whether these are the distances of all buffers.
    fn have(&self, tilings: &Tilings) -> bool {
        let is_there =
            |(buffer, tiling): (&RegionBuffer, &Option<Distances>)| matches!(self.tiling(buffer.at), Ok(found) if found == *tiling);
        self.region.buffers.iter().zip(tilings).all(is_there)
    }
}

/// The strides of a tile are known in its block only.
pub(super) struct UnknownStrides;

/// The nest of a region whose inputs lie where loads left them, and whose result belongs to `target`; none, if all is as in registers.
pub(super) fn nest_in_memory(sweep: &Sweep, region: &Region, regs: &Frame, in_place: &InPlace, target: Option<Target<'_>>) -> Option<Nest> {
    let axes = |at: Src| match at {
        Src::Input(input) => in_place.strided(sweep.inputs[input].tile(), regs),
        Src::Reg(reg, _) => target.filter(|target| target.reg == reg && !target.tiling.in_order).map(|target| &target.tiling.axes),
        Src::Slot(_) => None,
    };
    let mut nest: Option<Nest> = None;
    for (buffer, at) in region.buffers.iter().enumerate() {
        let Some(axes) = axes(at.at) else { continue };
        let nest = nest.get_or_insert_with(|| region.dims.clone());
        for each in nest.loops.iter_mut().chain(&mut nest.parts) {
            each.strides[buffer] = distance(axes, each.strides[buffer]);
        }
    }
    nest
}

/// The most parts but first ones that code is told the places of.
const MAX_PARTS_APART: usize = 24;

/// The inputs whose parts lie otherwise in this nest than in registers, if there are too many of them to go through them there.
pub(super) fn divided_apart(region: &Region, nest: &Nest) -> SmallVec<[usize; 4]> {
    let apart = region.apart_in(nest);
    if apart.count_ones() as usize * (nest.part_count() - 1) <= MAX_PARTS_APART {
        return SmallVec::new();
    }
    (0..region.buffers.len()).filter(|buffer| apart >> buffer & 1 == 1).collect()
}

/// Brings a nest to the order of what is written, in as few loops as there are. Gives whether vector code can go through it: the innermost loop
/// walks results and inputs element by element or not much further, but for those that are told, which have to be brought to their registers.
pub(super) fn arrange(region: &Region, nest: &mut Nest, target: Option<VReg>) -> Result<(), SmallVec<[usize; 4]>> {
    let result = target.and_then(|reg| region.buffers.iter().position(|buffer| matches!(buffer.at, Src::Reg(other, _) if other == reg)));
    if let Some(result) = result {
        nest.order_by(result);
    }
    nest.coalesce();
    let inputs = || region.buffers.iter().enumerate().filter(|(_, buffer)| matches!(buffer.at, Src::Input(_))).map(|(i, _)| i);
    let Some(row) = nest.loops.last() else { return Err(inputs().collect()) };
    let inside = |result: usize| {
        row.strides[result] == 1 || region.machine.writes_apart(region.buffers[result].size, row.strides[result]) && row.strides[result] > 1
    };
    if nest.loops.len() > MAX_DEPTH || row.extent < SHORTEST_ROW || !(inputs().count()..region.buffers.len()).all(inside) {
        return Err(inputs().collect());
    }
    let is_apart = |input: &usize| row.strides[*input] > 1 && !region.machine.reads_apart(region.buffers[*input].size, row.strides[*input]);
    let apart: SmallVec<_> = inputs().filter(is_apart).collect();
    if apart.is_empty() { Ok(()) } else { Err(apart) }
}

/// The fewest elements that go through some rounds of a loop before others do: enough for several vectors side by side.
const ELEMENTS_IN_ROUNDS: usize = 256;
/// The fewest rounds that they go through, so that what is carried is seldom read and written.
const FEWEST_ROUNDS: usize = 16;

/// The rounds of a loop that are still to be done.
#[derive(Clone, Copy)]
pub(super) struct RoundsLeft {
    pub(super) left: u64,
    /// The counter of the first of them, how much it grows from one to the next, and the bits that it is counted in.
    pub(super) counter: u64,
    pub(super) step: u64,
    pub(super) mask: u64,
}

impl RoundsLeft {
    /// What is left behind some.
    fn behind(self, rounds: u64) -> RoundsLeft {
        RoundsLeft { left: self.left - rounds, counter: self.counter.wrapping_add(rounds.wrapping_mul(self.step)), ..self }
    }
}

/// What code that goes through strides is told beside its buffers, their strides and counts.
#[derive(Clone, Copy)]
struct Told {
    /// It knows how often the innermost loop goes round.
    row_is_known: bool,
    /// The buffers of which it is told each part, one bit for each.
    apart: u32,
}

/// How code goes through its buffers.
#[derive(Clone, Copy)]
enum Path<'n> {
    /// As registers lie.
    InOrder,
    /// In the loops of a nest.
    Strided(&'n Walked),
}

/// What code fetches meanwhile that does so many rounds, if what comes next lies side by side.
fn next_lines(ahead: &mut Ahead, rounds: usize, fetched: usize) -> Option<Lines> {
    let lines = |rounds: usize| (rounds * fetched).div_ceil(FETCHED_FOR);
    ahead.take(lines(rounds), lines(FEWEST_WHILE_FETCHING))
}

/// A region that runs on the registers of a block.
pub(super) struct Run<'a> {
    sweep: &'a Sweep,
    region: &'a Region,
    regs: &'a Frame,
    /// The buffer that is written past the caches.
    streamed: Option<usize>,
    gathers: Gathers,
    /// What code is told of what it gathers, behind all else.
    windows: &'a [Buffer<'a>],
    /// Where what it gathers lies that has been loaded.
    loaded: &'a [*mut u8],
    /// Where the indices and masks go of what is to be loaded next.
    places: Option<[*mut u8; 2]>,
}

/// Code gathered outside of its buffers. Results that were written hold anything.
#[derive(Debug)]
pub(super) struct Outside;

impl<'a> Run<'a> {
    /// It writes the register `streamed` past the caches, if that is possible.
    #[inline]
    pub(super) fn new(sweep: &'a Sweep, region: &'a Region, regs: &'a Frame, streamed: Option<VReg>) -> Run<'a> {
        let number = |reg| region.buffers.iter().position(|buffer| matches!(buffer.at, Src::Reg(other, _) if other == reg));
        Run { sweep, region, regs, streamed: streamed.and_then(number), gathers: Gathers::Fused, windows: &[], loaded: &[], places: None }
    }

    /// The same, which gathers from buffers, or what has been loaded, as far as it has been.
    pub(super) fn gathering(
        self,
        gathers: Gathers,
        windows: &'a [Buffer<'a>],
        loaded: &'a [*mut u8],
        places: Option<[*mut u8; 2]>,
    ) -> Run<'a> {
        Run { gathers, windows, loaded, places, ..self }
    }

    /// Where a buffer begins.
    #[inline]
    fn start(&self, &RegionBuffer { at, operand, .. }: &RegionBuffer) -> *mut u8 {
        match at {
            Src::Input(input) if !self.loaded.is_empty() => self.loaded_at(input).unwrap_or_else(|| self.regs.at(operand)),
            _ => self.regs.at(operand),
        }
    }

    /// Where an input lies that was gathered and has been loaded.
    fn loaded_at(&self, input: usize) -> Option<*mut u8> {
        let number = self.sweep.gathers().position(|(gathered, _)| gathered == input)?;
        self.loaded.get(number).copied()
    }

    /// Runs it over `n` elements that lie as in registers: more than its sweep has, where there are more in memory.
    #[inline]
    pub(super) fn in_order(&self, n: usize, ahead: &mut Ahead) -> Result<(), Outside> {
        // A division takes as long as a small tile.
        let rounds = if n == self.sweep.n { self.region.nest.loops[0].extent } else { n / self.region.row };
        if rounds <= self.region.part && self.streamed.is_none() && ahead.lines() == 0 && self.gathers == Gathers::Fused {
            self.at_once(rounds)
        } else {
            self.in_pieces(rounds, ahead)
        }
    }

    /// Runs few rounds, besides which there is nothing to do: what small tiles cost.
    #[inline]
    fn at_once(&self, rounds: usize) -> Result<(), Outside> {
        match self.region.usual(self.sweep) {
            Executable::Native(native) => run(native, |args| self.args_at_once(rounds, args)),
            Executable::Portable(code) => run_portable(code, |args| self.args_in_order(0, rounds, args)),
        }
    }

    /// What [`Run::args_in_order`] hands over from the first round on, with few instructions: most small tiles take no more than that.
    #[inline(always)]
    fn args_at_once(&self, rounds: usize, args: &mut Args<'_, 'a>) {
        if Args::CHECKS || !self.loaded.is_empty() {
            return self.args_in_order(0, rounds, args);
        }
        args.add_places(self.region.operands.iter().map(|operand| self.regs.at(*operand)));
        args.add(Arg::Count(rounds as i64));
        self.windows(0, args);
    }

    /// Runs any number of rounds.
    #[inline(never)]
    fn in_pieces(&self, rounds: usize, ahead: &mut Ahead) -> Result<(), Outside> {
        // The elements before the first whole line of the target are written as usual; all, if none is streamed.
        let head = match self.streamed {
            Some(result) => self.rounds_to_a_line(result).unwrap_or(rounds).min(rounds),
            None => rounds,
        };
        let mut looks = Looks::new();
        if head > 0 {
            self.rounds(Path::InOrder, None, 0..head, &mut looks, ahead)?;
        }
        self.rounds(Path::InOrder, self.streamed, head..rounds, &mut looks, ahead)
    }

    /// How many rounds of the outermost loop lie before the first that begins with a line of a result; `None` if not every 64th one behind
    /// it does, or each where a round has many elements.
    fn rounds_to_a_line(&self, result: usize) -> Option<usize> {
        let round = self.region.nest.loops[0].strides[result] * self.region.buffers[result].size;
        let before = self.start(&self.region.buffers[result]).addr().wrapping_neg() % STREAMED_ALIGNMENT;
        if self.region.row > 1 {
            return (before == 0 && round.is_multiple_of(STREAMED_ALIGNMENT)).then_some(0);
        }
        before.is_multiple_of(round).then_some(before / round)
    }

    /// Runs some rounds of the outermost loop, in pieces between which others have their turn, and fetches what the next block will read meanwhile.
    fn rounds(
        &self,
        path: Path<'_>,
        streamed: Option<usize>,
        rounds: Range<usize>,
        looks: &mut Looks,
        ahead: &mut Ahead,
    ) -> Result<(), Outside> {
        let (row, most) = match path {
            Path::InOrder => (self.region.row, self.region.part),
            Path::Strided(walked) => (walked.row, walked.part),
        };
        let fetched = self.fetched_meanwhile(path, row, ahead);
        let walks = if let Path::Strided(walked) = path { walked.walks.clone() } else { Walks::Registers };
        let mut form = Form { streamed, ..Form::of(walks, self.gathers) };
        let mut from = rounds.start;
        while from < rounds.end {
            let left = rounds.end - from;
            let (fetch, part) = match next_lines(ahead, left, fetched) {
                Some(lines) => (Some(lines.start), (lines.count * FETCHED_FOR / fetched).next_multiple_of(STREAMED_ALIGNMENT)),
                None if ahead.lines() > 0 => {
                    ahead.fetch_share();
                    (None, (PIECE / row).max(1))
                }
                None => (None, left),
            };
            let part = part.min(most).min(left);
            if looks.end_after(part * self.work() * row) {
                break;
            }
            form.fetched = if fetch.is_some() { fetched } else { 0 };
            match self.region.executable(self.sweep, &form) {
                Executable::Native(native) => run(native, |args| self.args(path, from, part, fetch, args)),
                Executable::Portable(code) => run_portable(code, |args| self.args(path, from, part, fetch, args)),
            }?;
            if fetch.is_some() {
                ahead.skip((from + part) * row / PIECE - from * row / PIECE);
            }
            from += part;
        }
        Ok(())
    }

    /// How many lines its code fetches while it goes round [`FETCHED_FOR`] times: a share of what is to be fetched, in one of few steps, because each has
    /// code of its own. None in loops around others, whose innermost may be short.
    fn fetched_meanwhile(&self, path: Path<'_>, row: usize, ahead: &Ahead) -> usize {
        let nest = match path {
            Path::InOrder => &self.region.nest,
            Path::Strided(walked) => &walked.nest,
        };
        if ahead.lines() == 0 || nest.loops.len() > 1 { 0 } else { (ahead.share() * row).next_power_of_two() }
    }

    /// How many steps of computing an element takes.
    fn work(&self) -> usize {
        self.sweep.steps.len().max(1)
    }

    /// Runs all rounds of the loop that its sweep goes round, for a part of the elements after the other; of what takes long, some rounds at a time.
    pub(super) fn in_rounds(&self, count: RoundsLeft, ahead: &mut Ahead) {
        let code = self.region.usual(self.sweep);
        let (row, all) = (self.region.row, self.region.nest.loops[0].extent);
        let steps = self.sweep.steps.len();
        // More, if they have few rounds.
        let elements = (PART as u64 / count.left) as usize / steps;
        let part = (elements.max(1).next_multiple_of(ELEMENTS_IN_ROUNDS) / row).clamp(1, all);
        let work = steps * part * row;
        let together = (PART / work).max(if work <= PART { FEWEST_ROUNDS } else { 1 }) as u64;
        let mut looks = Looks::new();
        let numbers: SmallVec<[(VReg, usize, u64); 2]> =
            self.sweep.carried_numbers().map(|(reg, size)| (reg, size, self.regs.register_scalar(reg, size))).collect();
        for from in (0..all).step_by(part) {
            // All elements begin with the same numbers.
            numbers.iter().for_each(|(reg, size, bits)| self.regs.set_scalar(*reg, *size, *bits));
            let rows = part.min(all - from);
            if (from * row).is_multiple_of(PIECE) {
                ahead.fetch_share();
            }
            let mut count = count;
            while count.left > 0 {
                let rounds = count.left.min(together);
                if looks.end_after(work * rounds as usize) {
                    return;
                }
                let ran = match code {
                    Executable::Native(native) => run(native, |args| self.args_in_rounds(from, rows, rounds, count, args)),
                    Executable::Portable(code) => run_portable(code, |args| self.args_in_rounds(from, rows, rounds, count, args)),
                };
                ran.unwrap_or_else(|Outside| unreachable!("loops gather nothing"));
                count = count.behind(rounds);
            }
        }
    }

    #[inline(always)]
    fn args_in_rounds(&self, from: usize, rows: usize, rounds: u64, count: RoundsLeft, args: &mut impl TakesArgs<'a>) {
        self.args_in_order(from, rows, args);
        args.add(Arg::Count(rounds as i64));
        [count.counter, count.step].into_iter().for_each(|bits| args.add(Arg::Lane(bits & count.mask)));
    }

    /// Runs it over a nest that [`arrange`] found to suit it.
    pub(super) fn strided(&self, walked: &Walked, ahead: &mut Ahead) -> Result<(), Outside> {
        let nest = &walked.nest;
        let streamed = self.streamed.filter(|result| {
            let outer = &nest.loops[..nest.loops.len() - 1];
            let is_line = |bytes: usize| bytes.is_multiple_of(STREAMED_ALIGNMENT);
            nest.loops.last().is_some_and(|row| row.strides[*result] == 1)
                && is_line(self.start(&self.region.buffers[*result]).addr())
                && outer.iter().all(|each| is_line(each.strides[*result] * self.region.buffers[*result].size))
        });
        let rounds = nest.loops[0].extent;
        let is_single = nest.loops.len() == 1;
        let fetches = is_single && ahead.lines() > 0;
        if streamed.is_none() && !fetches && rounds <= walked.part && self.gathers == Gathers::Fused {
            return self.strided_at_once(walked, rounds);
        }
        // What lies apart is found by the CPU, or by nobody.
        let nothing = &mut Ahead::default();
        self.rounds(Path::Strided(walked), streamed, 0..rounds, &mut Looks::new(), if is_single { ahead } else { nothing })
    }

    /// Runs few rounds of such a nest, besides which there is nothing to do.
    #[inline]
    fn strided_at_once(&self, walked: &Walked, rounds: usize) -> Result<(), Outside> {
        match self.region.walking(self.sweep, &walked.walks, &walked.code) {
            Executable::Native(native) => run(native, |args| self.args_strided(&walked.nest, walked.told, 0, rounds, args)),
            Executable::Portable(code) => run_portable(code, |args| self.args_strided(&walked.nest, walked.told, 0, rounds, args)),
        }
    }

    /// Hands over what code is told that goes such a path, from an iteration of the outermost loop on, and where what it fetches begins.
    #[inline(always)]
    fn args(&self, path: Path<'_>, from: usize, rounds: usize, fetch: Option<*const u8>, args: &mut impl TakesArgs<'a>) {
        match path {
            Path::InOrder => self.args_in_order(from, rounds, args),
            Path::Strided(walked) => self.args_strided(&walked.nest, walked.told, from, rounds, args),
        }
        if let Some(start) = fetch {
            args.add(Arg::Count(start.addr() as i64));
        }
    }

    #[inline(always)]
    fn args_in_order(&self, from: usize, rounds: usize, args: &mut impl TakesArgs<'a>) {
        self.buffers(&self.region.nest, (from, rounds), 0, args);
        args.add(Arg::Count(rounds as i64));
        self.windows(from, args);
    }

    /// Hands over the buffers that code gathers from, or those that indices and masks from an iteration of the outermost loop on go to.
    #[inline(always)]
    fn windows(&self, from: usize, args: &mut impl TakesArgs<'a>) {
        self.windows.iter().for_each(|window| args.add(Arg::Buffer(*window)));
        if let (Gathers::Places(next), Some(places)) = (self.gathers, self.places)
            && let Some((_, gathered)) = self.sweep.gathers().nth(next)
        {
            let before = from * self.region.row;
            for (start, size) in places.into_iter().zip([gathered.index.1.size(), 1]) {
                // SAFETY: there is room for an element for each of the sweep.
                let buffer = unsafe { buffer_at(start.wrapping_add(before * size), (self.sweep.n - before) * size, true) };
                args.add(Arg::Buffer(buffer));
            }
        }
    }

    #[inline(always)]
    fn args_strided(&self, nest: &Nest, Told { row_is_known, apart }: Told, from: usize, rounds: usize, args: &mut impl TakesArgs<'a>) {
        self.buffers(nest, (from, rounds), apart, args);
        args.add(Arg::Count(rounds as i64));
        let told = nest.loops.len() - usize::from(row_is_known);
        nest.loops[1..told].iter().for_each(|each| args.add(Arg::Count(each.extent as i64)));
        for each in &nest.loops[..nest.loops.len() - 1] {
            let walked = each.strides.iter().zip(&self.region.buffers).filter(|(stride, _)| **stride > 0);
            walked.for_each(|(stride, buffer)| args.add(Arg::Count((stride * buffer.size) as i64)));
        }
        for i in (0..self.region.buffers.len()).filter(|i| apart >> i & 1 == 1) {
            let first = self.first(nest, i, from);
            for part in 1..nest.part_count() {
                let start = first.wrapping_add(nest.part_offset(i, part) * self.region.buffers[i].size);
                self.buffer(start, &self.region.buffers[i], || nest.span_of(i, rounds), args);
            }
        }
        self.windows(0, args);
    }

    /// Hands over the constants and all buffers, from an iteration of the outermost loop of a nest on, for so many; of the buffers in `apart`, the
    /// first part.
    #[inline(always)]
    fn buffers(&self, nest: &Nest, (from, rounds): (usize, usize), apart: u32, args: &mut impl TakesArgs<'a>) {
        args.add_buffer(self.regs.at(Operand::of(Base::Const(0))), || self.region.constants, false);
        for (i, (buffer, stride)) in self.region.buffers.iter().zip(&nest.loops[0].strides[..]).enumerate() {
            let start = self.start(buffer).wrapping_add(from * stride * buffer.size);
            let parts = || if apart >> i & 1 == 1 { 0 } else { nest.part_offset(i, nest.part_count() - 1) };
            self.buffer(start, buffer, || nest.span_of(i, rounds) + parts(), args);
        }
    }

    /// Where a buffer begins from an iteration of the outermost loop of a nest on.
    #[inline(always)]
    fn first(&self, nest: &Nest, buffer: usize, from: usize) -> *mut u8 {
        let strides = &nest.loops[0].strides;
        let RegionBuffer { size, .. } = self.region.buffers[buffer];
        self.start(&self.region.buffers[buffer]).wrapping_add(from * strides[buffer] * size)
    }

    /// Hands over so many elements of a buffer.
    #[inline(always)]
    fn buffer(
        &self,
        start: *mut u8,
        RegionBuffer { at, size, .. }: &RegionBuffer,
        elements: impl FnOnce() -> usize,
        args: &mut impl TakesArgs<'a>,
    ) {
        args.add_buffer(start, || elements() * size, matches!(at, Src::Reg(..)));
    }
}

/// What arguments of vector code are handed to.
pub(super) trait TakesArgs<'a> {
    /// Whether lengths of buffers are compared with what is accessed: native code of regions, which compute no addresses, does not do so.
    const CHECKS: bool;

    fn add(&mut self, arg: Arg<'a>);

    #[inline(always)]
    fn add_buffer(&mut self, start: *mut u8, bytes: impl FnOnce() -> usize, writable: bool) {
        let bytes = if Self::CHECKS { bytes() } else { 0 };
        // SAFETY: the plan's registers and constants hold all elements of the tiles on them, and so do the places in memory that loads and
        // stores have checked before they name them instead.
        self.add(Arg::Buffer(unsafe { buffer_at(start, bytes, writable) }));
    }
}

impl<'a> TakesArgs<'a> for Args<'_, 'a> {
    const CHECKS: bool = cfg!(debug_assertions);

    #[inline(always)]
    fn add(&mut self, arg: Arg<'a>) {
        Args::add(self, arg);
    }
}

impl<'a> TakesArgs<'a> for Vec<Arg<'a>> {
    const CHECKS: bool = true;

    fn add(&mut self, arg: Arg<'a>) {
        self.push(arg);
    }
}

#[inline]
pub(super) fn run<'a>(native: &Native, write: impl FnOnce(&mut Args<'_, 'a>)) -> Result<(), Outside> {
    // SAFETY: buffers are as long as the loops go, and what is written past the caches begins with lines, also in each round. Code compares the places
    // that it gathers from with the lengths of their buffers.
    let ran = unsafe { native.run_with(write) };
    ran.map_err(|_| Outside)
}

#[cold]
pub(super) fn run_portable<'a>(code: &Code, write: impl FnOnce(&mut Vec<Arg<'a>>)) -> Result<(), Outside> {
    let mut args = Vec::new();
    write(&mut args);
    match code.run_portable(&args) {
        Ok(()) => Ok(()),
        Err(Fault::Lane) => Err(Outside),
        Err(fault) => unreachable!("regions stay inside of their buffers: {fault}"),
    }
}

/// Bytes of the host.
///
/// # Safety
/// They can be read, and written if they are `writable`.
#[inline]
pub(super) unsafe fn buffer_at<'a>(start: *mut u8, bytes: usize, writable: bool) -> Buffer<'a> {
    let start = NonNull::new(start).unwrap_or_else(|| unreachable!("registers lie somewhere"));
    // SAFETY: by the contract.
    unsafe { Buffer::from_raw(start, bytes, writable) }
}
