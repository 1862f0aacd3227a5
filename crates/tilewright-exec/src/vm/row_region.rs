//! Runs row regions.
//!
//! Inputs are read where loads left them: whole tiles, and tiles of which a part of each row is outside of its tensor, for which there is code that knows
//! how many columns are inside. A result is written where it belongs, if that is rows that are a distance apart, too.
#![allow(unsafe_code, reason = "hands registers of the plan to vector code")]

use super::{
    Block, Machine,
    edges::Inside,
    frame::Frame,
    region::{TakesArgs, run, run_portable},
    tiling::row_pitch,
};
use crate::{
    LaunchErrorKind,
    interrupt::{Looks, PART},
    memory::AccessKind,
    plan::{Base, Content, Executable, Inst, Operand, RowForm, RowInput, RowRegion, RowResult, Spread, Tile, ViewAccess},
};
use smallvec::{SmallVec, smallvec};
use std::ops::Range;
use tilewright_vector::{Arg, STREAMED_ALIGNMENT};

/// How far ahead of the row that is computed another one is fetched at least: what a processor computes while memory answers.
const FETCHED_BYTES: usize = 2048;

/// Rows in memory.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Rows {
    start: *mut u8,
    /// Bytes from one row to the next.
    pitch: usize,
    /// How many columns lie there.
    columns: usize,
}

impl Rows {
    /// Whether each row begins and ends with a line, for elements of `size` bytes.
    fn has_lines(&self, size: usize) -> bool {
        [self.start.addr(), self.pitch, self.columns * size].iter().all(|bytes| bytes.is_multiple_of(STREAMED_ALIGNMENT))
    }
}

/// Where a result is written, if not to its register.
struct StoredRows {
    /// Its number.
    result: usize,
    rows: Rows,
    /// Past the caches.
    streams: bool,
}

type AllStored = SmallVec<[StoredRows; 2]>;

/// Where an input lies.
#[derive(Clone, Copy)]
struct Placed {
    rows: Rows,
    /// The bits of the columns that do not lie there.
    padding: u64,
    /// Whether a load left it in memory, and where it will then probably find the next one, or null.
    is_in_memory: bool,
    next: *const u8,
}

impl Placed {
    /// Where what is fetched begins while a row of so many is computed. Rows of the next block probably lie behind those of this one.
    fn fetched(&self, rows: usize, row: usize) -> *mut u8 {
        let Rows { start, pitch, .. } = self.rows;
        match rows {
            // Nobody knows yet.
            1 if self.next.is_null() => start,
            1 => self.next.cast_mut(),
            _ => start.wrapping_add((row + FETCHED_BYTES.div_ceil(pitch.max(1))) * pitch),
        }
    }
}

type AllPlaced = SmallVec<[Placed; 8]>;

impl Machine<'_> {
    /// Runs a row region.
    pub(super) fn rows(&mut self, rows: &RowRegion, block: &mut Block) {
        let inputs = self.place_inputs(rows, block);
        run_rows(rows, &block.frame, &inputs, &[]);
    }

    /// Runs a row region that writes one result to memory, or else to its register, from where it is stored.
    pub(super) fn rows_store(&mut self, rows: &RowRegion, view: &ViewAccess, src: &Tile, block: &mut Block) -> Result<(), LaunchErrorKind> {
        let inputs = self.place_inputs(rows, block);
        let Some(targets) = self.targets_of_rows(rows, view, src, &inputs, block) else {
            run_rows(rows, &block.frame, &inputs, &[]);
            return if self.launch.interrupt.was_seen() { Ok(()) } else { self.store_view(view, src, block) };
        };
        // There are none if all of the tile is outside of its tensor, and nothing else is computed.
        if !targets.is_empty() {
            run_rows(rows, &block.frame, &inputs, &targets);
        }
        Ok(())
    }

    /// Where the stored result may be written at once, and others that are stored right behind it, whose registers lie there until then. `None` if it goes to
    /// its register first.
    fn targets_of_rows(
        &mut self,
        rows: &RowRegion,
        view: &ViewAccess,
        src: &Tile,
        inputs: &AllPlaced,
        block: &mut Block,
    ) -> Option<AllStored> {
        let (launch, mut made, stored) = (self.launch, None, rows.stored?);
        // Single numbers are few.
        if !rows.has_rows(&rows.results[stored]) || !src.is_contiguous() {
            return None;
        }
        let found = launch.find_tile(view, AccessKind::Write, block, &mut self.hint, &mut made);
        self.settle_before(found.map(|(_, tiling)| tiling), block);
        let Base::Reg(reg) = src.base else { return None };
        let (target, span) = match found {
            Some((start, tiling)) => {
                let pitch = row_pitch(&tiling.axes, rows.row)?;
                (Rows { start, pitch: pitch * view.size, columns: rows.row }, tiling.bytes as usize)
            }
            None => {
                let inside = self.part_inside(view, AccessKind::Write, block)?;
                let Some(start) = inside.host else { return rows.gives_only(stored).then(AllStored::new) };
                let (columns, pitch) = inside.rows_of(rows.row)?;
                if !self.in_place.knows_columns(reg, columns) {
                    return None;
                }
                (Rows { start, pitch: pitch * view.size, columns }, inside.span() * view.size)
            }
        };
        let written = target.start.addr()..target.start.addr() + span;
        let is_free = rows.inputs.iter().zip(inputs).all(|(input, placed)| {
            let is_same =
                input.spread == Spread::Each && rows.stores_last() && placed.rows == target && input.tile.elem.size() == view.size;
            // Rows that overlap are read where the row before was written.
            let are_apart = rows.rows == 1 || target.pitch >= target.columns * view.size;
            is_same && are_apart || !self.in_place.overlaps(&input.tile, &block.frame, written.clone())
        });
        if !is_free {
            return None;
        }
        let streams = target.has_lines(view.size) && self.streamed(reg, src.numel() * view.size, block.pc).is_some();
        let mut targets: AllStored = smallvec![StoredRows { result: stored, rows: target, streams }];
        self.lend_rows_behind(rows, written, block, &mut targets);
        Some(targets)
    }

    /// Lets a row region that writes these addresses write other results where the stores right behind it belong, as far as these have whole tiles, apart
    /// from what it reads.
    fn lend_rows_behind(&mut self, rows: &RowRegion, written: Range<usize>, block: &mut Block, targets: &mut AllStored) {
        let (launch, mut written) = (self.launch, SmallVec::<[Range<usize>; 4]>::from_iter([written]));
        for behind in 1..=launch.plan.stores_behind[block.pc] {
            let pc = block.pc + behind;
            let Inst::Store { view, src } = &launch.plan.code[pc] else { break };
            let (Base::Reg(reg), mut made) = (src.base, None) else { break };
            let Some((start, tiling)) = launch.find_tile(view, AccessKind::Write, block, &mut self.hint, &mut made) else { break };
            let (Some(pitch), Some(result)) = (row_pitch(&tiling.axes, rows.row), rows.rows_in(reg)) else { break };
            let own = start.addr()..start.addr() + tiling.bytes as usize;
            let is_free = launch.plan.past_stores.is_empty()
                && written.iter().all(|other| own.end <= other.start || other.end <= own.start)
                && rows.inputs.iter().all(|input| !self.in_place.overlaps(&input.tile, &block.frame, own.clone()));
            if !is_free {
                break;
            }
            let target = Rows { start, pitch: pitch * view.size, columns: rows.row };
            let streams = target.has_lines(view.size) && self.streamed(reg, src.numel() * view.size, pc).is_some();
            targets.push(StoredRows { result, rows: target, streams });
            block.frame.lend(reg, start);
            written.push(own);
        }
    }

    /// What of a block's tile lies inside of its tensor.
    pub(super) fn part_inside(&mut self, view: &ViewAccess, kind: AccessKind, block: &Block) -> Option<Inside> {
        let mut made = None;
        self.launch.find_inside(view, kind, &block.frame, &mut made).or_else(|| self.find_box_inside(view, kind, block))
    }

    /// Finds where all inputs lie, and brings those to their registers whose rows do not lie a distance apart.
    fn place_inputs(&mut self, rows: &RowRegion, block: &mut Block) -> AllPlaced {
        rows.inputs.iter().map(|input| self.place_input(rows, input, block)).collect()
    }

    fn place_input(&mut self, rows: &RowRegion, input: &RowInput, block: &mut Block) -> Placed {
        let (tile, size) = (&input.tile, input.tile.elem.size());
        let left = if input.spread.is_row() { self.in_place.rows_of(tile, &block.frame, rows.row) } else { None };
        if left.is_none() && block.frame.is_in_memory(tile) && input.spread.is_row() {
            self.in_place.settle(tile, &mut block.frame);
        }
        let (pitch, columns, padding) = left.unwrap_or((rows.row, rows.row, 0));
        let start = block.frame.at(Operand::of(tile.base));
        let next = self.in_place.next(tile, &block.frame);
        Placed { rows: Rows { start, pitch: pitch * size, columns }, padding, is_in_memory: left.is_some(), next }
    }
}

/// The rows of a region that are done at once.
struct RowRun<'r> {
    rows: &'r RowRegion,
    regs: &'r Frame,
    inputs: &'r AllPlaced,
    targets: &'r [StoredRows],
    form: RowForm,
}

/// Runs a region over all rows, some at a time, and writes results to their targets, or to their registers if they have none.
fn run_rows(rows: &RowRegion, regs: &Frame, inputs: &AllPlaced, targets: &[StoredRows]) {
    let mut form = rows.usual();
    for (number, (input, placed)) in rows.inputs.iter().zip(inputs).enumerate() {
        if placed.rows.columns < rows.row {
            form.inside[number] = Some((placed.rows.columns, placed.padding));
        }
        form.fetched |= u32::from(placed.is_in_memory && input.is_fetched) << number;
    }
    for target in targets {
        form.streamed |= u32::from(target.streams) << target.result;
        if rows.stored == Some(target.result) {
            form.stored = target.rows.columns;
        }
    }
    let run = RowRun { rows, regs, inputs, targets, form };
    let work = rows.steps() * rows.row;
    let part = (PART / work).max(1);
    let mut looks = Looks::new();
    for from in (0..rows.rows).step_by(part) {
        let count = part.min(rows.rows - from);
        if looks.end_after(count * work) {
            return;
        }
        run.run(from, count);
    }
}

impl<'r> RowRun<'r> {
    fn run(&self, from: usize, count: usize) {
        let ran = match self.rows.executable(&self.form) {
            Executable::Native(native) => run(native, |args| self.args(from, count, args)),
            Executable::Portable(code) => run_portable(code, |args| self.args(from, count, args)),
        };
        ran.unwrap_or_else(|_| unreachable!("row regions gather nothing"));
    }

    /// Hands over what the code is told (`plan/row_region/lowering.rs`), for so many rows from one on.
    fn args<'a>(&self, from: usize, count: usize, args: &mut impl TakesArgs<'a>) {
        let RowRun { rows, regs, .. } = *self;
        args.add_buffer(regs.at(Operand::of(Base::Const(0))), || rows.constants(), false);
        for (number, (input, placed)) in rows.inputs.iter().zip(self.inputs).enumerate() {
            if rows.is_constant(number) {
                continue;
            }
            let (size, Rows { start, pitch, columns }) = (input.tile.elem.size(), placed.rows);
            match input.spread {
                Spread::One => args.add_buffer(start, || size, false),
                Spread::EachRow => args.add_buffer(start.wrapping_add(from * size), || count * size, false),
                Spread::EachColumn => args.add_buffer(start, || columns * size, false),
                Spread::Each => {
                    args.add_buffer(start.wrapping_add(from * pitch), || (count - 1) * pitch + columns * size, false);
                    args.add(Arg::Count(pitch as i64));
                }
            }
        }
        for (number, result) in rows.results.iter().enumerate() {
            self.result(number, result, (from, count), args);
        }
        for (number, placed) in self.inputs.iter().enumerate().filter(|(number, _)| self.form.fetched >> number & 1 == 1) {
            debug_assert!(!rows.is_constant(number), "constants are not left in memory");
            args.add_buffer(placed.fetched(rows.rows, from), || 0, false);
        }
        args.add(Arg::Count(count as i64));
    }

    fn result<'a>(&self, number: usize, result: &RowResult, (from, count): (usize, usize), args: &mut impl TakesArgs<'a>) {
        let (rows, size) = (self.rows, self.rows.result_size(result));
        let start = self.regs.write(result.reg);
        if rows.has_rows(result) {
            let whole = Rows { start, pitch: rows.row * size, columns: rows.row };
            let target = self.targets.iter().find(|target| target.result == number);
            let Rows { start, pitch, columns } = target.map_or(whole, |target| target.rows);
            args.add_buffer(start.wrapping_add(from * pitch), || (count - 1) * pitch + columns * size, true);
            args.add(Arg::Count(pitch as i64));
        } else if result.content == Content::AllRows {
            args.add_buffer(start.wrapping_add(from * size), || count * size, true);
        } else {
            args.add_buffer(start, || result.bytes, true);
        }
    }
}
