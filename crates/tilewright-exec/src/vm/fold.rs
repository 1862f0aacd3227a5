//! `reduce` and `scan`: whole slices are combined at once, so any region works on vectors.
#![allow(unsafe_code, reason = "calls kernels on registers and scratch")]

use super::{
    bytes::AlignedBytes,
    copy,
    frame::Frame,
    in_place::InPlace,
    region::buffer_at,
    sweep::{Input, PIECE, Places, Scratch, Slots},
};
use crate::{
    cpu::Level,
    interrupt::{Looks, PART, in_parts},
    kernels::{
        ahead::Ahead,
        boxes::{self, Dim},
        columns::{Columns, Rows},
        mma::Matrix,
    },
    plan::{Fold, FoldColumns, FoldKind, FoldOperand, FoldRows},
};
use smallvec::SmallVec;
use tilewright_passes::coarsen::LONG_SLICE;
use tilewright_vector::{Arg, Args, Native};

/// Runs a fold. Its operands are brought to their work registers, the folded dimension first, and combined there.
#[inline(never)]
pub(super) fn run(fold: &Fold, regs: &Frame, scratch: &mut Scratch) {
    let mut runner =
        Runner { fold, regs, slots: scratch.slots(), inputs: Vec::new(), works: Vec::new(), spares: Vec::new(), looks: Looks::new() };
    if fold.kind == FoldKind::Reduce && runner.reduce_rows() {
        return;
    }
    runner.prepare();
    match fold.kind {
        FoldKind::Reduce => runner.reduce(),
        FoldKind::Scan { reverse } => {
            if reverse {
                runner.reverse();
            }
            if fold.slice >= LONG_SLICE {
                runner.scan_slices()
            } else {
                runner.scan_doubling()
            }
            if reverse {
                runner.reverse();
            }
        }
    }
}

/// Folds rows where they lie.
#[inline(never)]
pub(super) fn run_rows(fold: &FoldRows, regs: &Frame, scratch: &mut Scratch, ahead: &mut Ahead) {
    let ahead = if fold.steps > 0 { ahead } else { &mut scratch.nothing };
    let (src, dst, spare, size) = (regs.read(&fold.src), regs.write(fold.dst), regs.write(fold.spare), fold.src.elem.size());
    // Long rows look at the interrupt themselves. The division is left out where it would take part of the time of short ones.
    let part = if fold.rows * fold.extent <= PART { fold.rows } else { (PART / fold.extent).max(1) };
    in_parts(fold.rows, part, |rows| {
        // SAFETY: the plan gave the result and the room for a row registers of their own, of the sizes that the kernel needs, and the
        // source holds all rows in order.
        unsafe {
            let (src, dst) = (src.add(rows.start * fold.extent * size), dst.add(rows.start * fold.result * size));
            (fold.kernel)(src, dst, spare, rows.len(), fold.extent, ahead);
        }
    });
}

/// Folds columns where they lie, if their rows are contiguous.
#[inline(never)]
pub(super) fn run_columns(fold: &FoldColumns, regs: &Frame, in_place: &InPlace) {
    let (extent, width, size) = (fold.src.shape[0], fold.src.shape[1], fold.src.elem.size());
    let Matrix { start, down, right } = in_place.matrices(&fold.src, regs).first;
    let (dst, spare) = (regs.write(fold.dst), regs.write(fold.spare));
    // SAFETY: the plan gave the result, and the room for all rows and half of them, registers of their own; the source holds all rows.
    unsafe {
        if right == 1 {
            let tile = Columns { start, next: in_place.next(&fold.src, regs), dst, spare };
            (fold.kernel.reduce)(tile, Rows { extent, width, pitch: down });
        } else {
            let rows = spare.add(extent / 2 * width * size);
            let dims = [Dim { count: extent, from: down, to: width }, Dim { count: width, from: right, to: 1 }];
            boxes::copy(Level::best(), &dims, size, start, rows);
            (fold.kernel.reduce)(Columns { start: rows, next: std::ptr::null(), dst, spare }, Rows { extent, width, pitch: width });
        }
        if let Some(sums) = fold.sums {
            (fold.kernel.combine)(regs.write(sums), dst, width);
        }
    }
}

/// Folds the columns of tiles that lie beside each other as one wide tile, in `room` for half of its rows and one more; `false`, and nothing
/// was done, if they do not.
pub(super) fn run_columns_beside(fold: &FoldColumns, blocks: &[(&Frame, &InPlace)], room: &mut AlignedBytes) -> bool {
    let (extent, width) = (fold.src.shape[0], fold.src.shape[1]);
    let bytes = width * fold.src.elem.size();
    let mut first: Option<Matrix> = None;
    for (i, (regs, in_place)) in blocks.iter().enumerate() {
        let tile = in_place.matrices(&fold.src, regs).first;
        let first = first.get_or_insert(tile);
        if tile.right != 1 || tile.down != first.down || tile.start.addr() != first.start.addr() + i * bytes {
            return false;
        }
    }
    let Some(first) = first else { return false };
    let row = blocks.len() * bytes;
    assert!(room.len() >= columns_room(fold, blocks.len()), "room for half of the rows and one more");
    let dst = room.start();
    // SAFETY: the room was checked. The tiles hold all rows, and the plan gave the results registers of their own in each block.
    unsafe {
        let tile = Columns { start: first.start, next: std::ptr::null(), dst, spare: dst.add(row) };
        (fold.kernel.reduce)(tile, Rows { extent, width: blocks.len() * width, pitch: first.down });
        for (i, (regs, _)) in blocks.iter().enumerate() {
            let row = dst.add(i * bytes);
            match fold.sums {
                Some(sums) => (fold.kernel.combine)(regs.write(sums), row, width),
                None => std::ptr::copy_nonoverlapping(row, regs.write(fold.dst), bytes),
            }
        }
    }
    true
}

/// Bytes of half of the rows of so many tiles side by side, and of one more.
pub(super) fn columns_room(fold: &FoldColumns, tiles: usize) -> usize {
    (fold.src.shape[0] / 2 + 1) * tiles * fold.src.shape[1] * fold.src.elem.size()
}

struct Runner<'a, 'b> {
    fold: &'a Fold,
    regs: &'b Frame,
    slots: Slots,
    /// A pair for each operand, then the captures.
    inputs: Vec<Input>,
    works: Vec<*mut u8>,
    spares: Vec<*mut u8>,
    looks: Looks,
}

impl Runner<'_, '_> {
    fn prepare(&mut self) {
        let fold = self.fold;
        for operand in &fold.operands {
            let work = self.regs.write(operand.work);
            copy::tile(&operand.src, self.regs, work);
            self.works.push(work);
            self.spares.extend(operand.spare.map(|spare| self.regs.write(spare)));
            self.inputs.extend([Input::in_order(work, operand.size); 2]);
        }
        for (i, capture) in fold.captures.iter().enumerate() {
            let slot = self.slots.at(fold.steps.len() + i);
            // SAFETY: a slot holds a piece of the largest elements.
            unsafe { copy::spread(self.regs.read(capture), capture.elem.size(), PIECE, slot) };
            self.inputs.push(Input::slot(slot));
        }
    }

    /// Combines `slices` slices of `lhs` with as many of `rhs` into `dst`: bases of the operands, and the first slice.
    ///
    /// `dst` may be `lhs` or `rhs` at the same place, or lie behind all that is still to be read. `false` if the launch is to end.
    fn combine(&mut self, lhs: (&[*mut u8], usize), rhs: (&[*mut u8], usize), dst: (&[*mut u8], usize), slices: usize) -> bool {
        let fold = self.fold;
        let n = slices * fold.slice;
        if let Some(native) = fold.combiner.two(fold) {
            let at = |bases: (&[*mut u8], usize)| {
                let place = |(base, operand): (&*mut u8, &FoldOperand)| base.wrapping_add(bases.1 * fold.slice * operand.size);
                bases.0.iter().zip(&fold.operands).map(place).collect::<SmallVec<[*mut u8; 4]>>()
            };
            let (lhs, rhs, dst) = (at(lhs), at(rhs), at(dst));
            return self.combine_natively(native, &lhs, &rhs, &dst, n);
        }
        for (k, operand) in fold.operands.iter().enumerate() {
            // SAFETY: all slices lie inside their registers.
            unsafe {
                self.inputs[2 * k].base = lhs.0[k].add(lhs.1 * fold.slice * operand.size);
                self.inputs[2 * k + 1].base = rhs.0[k].add(rhs.1 * fold.slice * operand.size);
            }
        }
        for start in (0..n).step_by(PIECE) {
            let piece = PIECE.min(n - start);
            if self.looks.end_after(piece * (fold.steps.len() + 1)) {
                return false;
            }
            let places = Places { inputs: &self.inputs, regs: self.regs, slots: &self.slots };
            fold.steps.iter().for_each(|step| places.run(step, start, piece));
            for (k, (operand, result)) in fold.operands.iter().zip(&fold.results).enumerate() {
                let from = places.locate(*result, start);
                // SAFETY: the destination has room; a result that is an argument may be copied onto itself.
                unsafe {
                    let to = dst.0[k].add((dst.1 * fold.slice + start) * operand.size);
                    std::ptr::copy(from, to, piece * operand.size);
                }
            }
        }
        true
    }

    /// The same tree on rows, in machine code, where the operands lie if their rows are in order; `false`, and nothing was done, if there is none.
    fn reduce_rows(&mut self) -> bool {
        let fold = self.fold;
        if fold.extent == 1 || !fold.extent.is_power_of_two() {
            return false;
        }
        let Some(native) = fold.combiner.rows(fold) else { return false };
        let inner = fold.slice / fold.outer;
        // Where each operand's rows begin, and their results. Those take the place of what was read before: a row and what is left of it end where
        // the next one has not begun.
        let places: SmallVec<[(*mut u8, *mut u8); 4]> = fold
            .operands
            .iter()
            .enumerate()
            .map(|(k, operand)| {
                let work = self.regs.write(operand.work);
                if operand.row.is_some() {
                    return (self.regs.read(&operand.src).cast_mut(), work);
                }
                // What is known is a number in the code.
                if fold.combiner.known(k).is_none() {
                    copy::tile(&operand.tile, self.regs, work);
                }
                (work, work)
            })
            .collect();
        let work = fold.extent * inner * (fold.steps.len() + 1);
        let at_once = (PART / work).max(1);
        for row in (0..fold.outer).step_by(at_once) {
            let rows = at_once.min(fold.outer - row);
            if self.looks.end_after(rows * work) {
                break;
            }
            let write = |args: &mut Args<'_, '_>| {
                self.captures().for_each(|arg| args.add(arg));
                for (operand, (source, result)) in fold.operands.iter().zip(&places) {
                    let pitch = operand.row_pitch(fold);
                    let buffer = |start: *mut u8, pitch: usize, writable: bool| {
                        let (start, bytes) = (start.wrapping_add(row * pitch * operand.size), (rows - 1) * pitch + fold.extent * inner);
                        // SAFETY: all rows of operands and results lie inside their registers, or in memory that a load has checked; there is
                        // room for a row behind each result, since a work register holds all rows.
                        Arg::Buffer(unsafe { buffer_at(start, bytes * operand.size, writable) })
                    };
                    args.add(buffer(*source, pitch, false));
                    args.add(buffer(*result, inner, true));
                }
                args.add(Arg::Count(rows as i64));
            };
            // SAFETY: buffers are as long as the loops go.
            let ran = unsafe { native.run_with(write) };
            ran.unwrap_or_else(|fault| unreachable!("combiners compute no addresses: {fault}"));
        }
        true
    }

    /// Combines slices with machine code.
    fn combine_natively(&mut self, native: &Native, lhs: &[*mut u8], rhs: &[*mut u8], dst: &[*mut u8], n: usize) -> bool {
        let fold = self.fold;
        let work = fold.steps.len() + 1;
        let at_once = (PART / work).max(1);
        for element in (0..n).step_by(at_once) {
            let elements = at_once.min(n - element);
            if self.looks.end_after(elements * work) {
                return false;
            }
            let write = |args: &mut Args<'_, '_>| {
                self.captures().for_each(|arg| args.add(arg));
                for (k, operand) in fold.operands.iter().enumerate() {
                    for (start, writable) in [(lhs[k], false), (rhs[k], false), (dst[k], true)] {
                        let start = start.wrapping_add(element * operand.size);
                        // SAFETY: all slices lie inside their registers.
                        args.add(Arg::Buffer(unsafe { buffer_at(start, elements * operand.size, writable) }));
                    }
                }
                args.add(Arg::Count(elements as i64));
            };
            // SAFETY: buffers are as long as the loops go.
            let ran = unsafe { native.run_with(write) };
            ran.unwrap_or_else(|fault| unreachable!("combiners compute no addresses: {fault}"));
        }
        true
    }

    /// A tree: the upper half of the slices is combined into the lower half until one is left.
    fn reduce(&mut self) {
        let works = self.works.clone();
        let mut extent = self.fold.extent;
        while extent > 1 {
            let half = extent / 2;
            if !self.combine((&works, 0), (&works, extent - half), (&works, 0), half) {
                return;
            }
            extent -= half;
        }
    }

    /// Each slice is combined with the prefix before it.
    fn scan_slices(&mut self) {
        let fold = self.fold;
        if let Some(native) = fold.combiner.prefixes(fold).filter(|_| fold.extent > 1) {
            return self.scan_columns(native);
        }
        let works = self.works.clone();
        for i in 1..self.fold.extent {
            if !self.combine((&works, i - 1), (&works, i), (&works, i), 1) {
                return;
            }
        }
    }

    /// The same in machine code, which goes from slice to slice with as many elements as a vector has.
    fn scan_columns(&mut self, native: &Native) {
        let fold = self.fold;
        let slices = fold.extent - 1;
        let work = slices * (fold.steps.len() + 1);
        let at_once = (PART / work).next_multiple_of(64);
        for element in (0..fold.slice).step_by(at_once) {
            let elements = at_once.min(fold.slice - element);
            if self.looks.end_after(elements * work) {
                return;
            }
            let slices_from = |first: usize, count: usize| {
                let buffer = move |(work, operand): (&*mut u8, &FoldOperand)| {
                    let bytes = ((count - 1) * fold.slice + elements) * operand.size;
                    // SAFETY: all slices lie inside their registers.
                    Arg::Buffer(unsafe { buffer_at(work.wrapping_add((first * fold.slice + element) * operand.size), bytes, first > 0) })
                };
                self.works.iter().zip(&fold.operands).map(buffer)
            };
            let write = |args: &mut Args<'_, '_>| {
                self.captures().chain(slices_from(0, 1)).for_each(|arg| args.add(arg));
                [slices, elements].iter().for_each(|count| args.add(Arg::Count(*count as i64)));
                slices_from(1, slices).for_each(|arg| args.add(arg));
                fold.operands.iter().for_each(|operand| args.add(Arg::Count((fold.slice * operand.size) as i64)));
            };
            // SAFETY: buffers are as long as the loops go.
            let ran = unsafe { native.run_with(write) };
            ran.unwrap_or_else(|fault| unreachable!("combiners compute no addresses: {fault}"));
        }
    }

    /// The values from outside that the steps read, as arguments of machine code.
    fn captures(&self) -> impl Iterator<Item = Arg<'static>> {
        self.fold.captures.iter().map(|tile| {
            // SAFETY: it holds an element, which nothing writes meanwhile.
            Arg::Buffer(unsafe { buffer_at(self.regs.read(tile).cast_mut(), tile.elem.size(), false) })
        })
    }

    /// After the round with distance `d`, each slice combines up to `2 d` slices.
    fn scan_doubling(&mut self) {
        let (mut from, mut to) = (self.works.clone(), self.spares.clone());
        let extent = self.fold.extent;
        let mut distance = 1;
        while distance < extent {
            if !self.combine((&from, 0), (&from, distance), (&to, distance), extent - distance) {
                return;
            }
            self.copy_slices(&from, &to, distance);
            std::mem::swap(&mut from, &mut to);
            distance *= 2;
        }
        if from != self.works {
            self.copy_slices(&from, &to, extent);
        }
    }

    fn copy_slices(&self, from: &[*mut u8], to: &[*mut u8], slices: usize) {
        for (k, operand) in self.fold.operands.iter().enumerate() {
            // SAFETY: both registers hold all slices, and are different ones.
            unsafe { std::ptr::copy_nonoverlapping(from[k], to[k], slices * self.fold.slice * operand.size) };
        }
    }

    /// Turns the order of the slices around.
    fn reverse(&self) {
        for (work, operand) in self.works.iter().zip(&self.fold.operands) {
            let bytes = self.fold.slice * operand.size;
            // SAFETY: the register holds all slices.
            let all = unsafe { std::slice::from_raw_parts_mut(*work, self.fold.extent * bytes) };
            let mut looks = Looks::new();
            for i in 0..self.fold.extent / 2 {
                if looks.end_after(self.fold.slice) {
                    return;
                }
                let (low, high) = all.split_at_mut((self.fold.extent - 1 - i) * bytes);
                low[i * bytes..][..bytes].swap_with_slice(&mut high[..bytes]);
            }
        }
    }
}
