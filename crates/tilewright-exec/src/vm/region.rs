//! Runs fused regions.
#![allow(unsafe_code, reason = "hands registers of the plan to vector code")]

use super::frame::Frame;
use crate::{
    interrupt::{Looks, PART},
    kernels::ahead::Ahead,
    plan::{Base, Operand, Region, RegionBuffer, Src, Sweep, VReg},
};
use smallvec::SmallVec;
use std::ptr::NonNull;
use tilewright_vector::{Arg, Buffer, Native, STREAMED_ALIGNMENT};

/// Elements between two looks at what is to be fetched.
const PIECE: usize = Sweep::PIECE;

/// A region that runs on the registers of a block.
struct Run<'a> {
    region: &'a Region,
    constants: Buffer<'a>,
    /// Where each buffer begins.
    starts: SmallVec<[*mut u8; 8]>,
}

/// Runs a region over `n` elements: more than its sweep has, where there are more in memory. It writes the register `streamed` past the
/// caches. `false`, and nothing was done, if there is no machine code.
#[inline(never)]
pub(super) fn run(sweep: &Sweep, region: &Region, n: usize, regs: &Frame, streamed: Option<VReg>, ahead: &mut Ahead) -> bool {
    let Some(native) = region.native(&sweep.inputs, &sweep.steps, None) else { return false };
    let start = |buffer: &RegionBuffer| match buffer.at {
        Src::Input(input) => regs.at(Operand::of(sweep.inputs[input].tile().base)),
        Src::Reg(reg, _) => regs.write(reg),
        Src::Slot(_) | Src::Passed => unreachable!("regions read inputs and write registers"),
    };
    // SAFETY: constants hold all elements of the tiles on them, and nothing writes them while blocks run.
    let constants = unsafe { buffer_at(regs.at(Operand::of(Base::Const(0))), region.constants, false) };
    let run = Run { region, constants, starts: region.buffers.iter().map(start).collect() };
    let row = region.row();
    let rounds = n / row;
    let is_streamed = |buffer: &RegionBuffer| matches!((buffer.at, streamed), (Src::Reg(reg, _), Some(streamed)) if reg == streamed);
    // The elements before the first whole line of the target, which are written as usual; all, if none is streamed.
    let result = region.buffers.iter().position(is_streamed);
    let head = match result {
        Some(result) => run.rounds_to_a_line(result).unwrap_or(rounds).min(rounds),
        None => rounds,
    };
    let mut looks = Looks::new();
    let work = sweep.steps.len() * row;
    let streaming = if head < rounds { region.native(&sweep.inputs, &sweep.steps, result) } else { None };
    run.part(native, 0..head, work, &mut looks, ahead);
    run.part(streaming.unwrap_or(native), head..rounds, work, &mut looks, ahead);
    true
}

impl Run<'_> {
    /// How many rounds of the outermost loop lie before the first that begins with a line of a result; `None` if not every 64th one behind
    /// it does, or each where a round has many elements.
    fn rounds_to_a_line(&self, result: usize) -> Option<usize> {
        let round = self.region.buffers[result].strides[0] * self.region.buffers[result].size;
        let before = self.starts[result].addr().wrapping_neg() % STREAMED_ALIGNMENT;
        if self.region.row() > 1 {
            return (before == 0 && round.is_multiple_of(STREAMED_ALIGNMENT)).then_some(0);
        }
        before.is_multiple_of(round).then_some(before / round)
    }

    /// Runs some rounds of the outermost loop, each of so much work, in pieces between which others have their turn.
    fn part(&self, native: &Native, rounds: std::ops::Range<usize>, work: usize, looks: &mut Looks, ahead: &mut Ahead) {
        let row = self.region.row();
        let (piece, fetches) = if ahead.lines() > 0 { (PIECE / row, true) } else { (PART / work, false) };
        // Pieces of a line that is written past the caches begin with it.
        let piece = if row == 1 { (piece - piece % STREAMED_ALIGNMENT).max(STREAMED_ALIGNMENT) } else { piece.max(1) };
        let mut from = rounds.start;
        while from < rounds.end {
            let count = piece.min(rounds.end - from);
            if looks.end_after(count * work) {
                return;
            }
            if fetches {
                ahead.fetch_share();
            }
            self.rounds(native, from, count);
            from += count;
        }
    }

    fn rounds(&self, native: &Native, from: usize, count: usize) {
        let mut args: SmallVec<[Arg<'_>; 12]> = SmallVec::new();
        args.push(Arg::Buffer(self.constants));
        args.extend(self.region.buffers.iter().zip(&self.starts).map(|(buffer, start)| {
            let start = start.wrapping_add(from * buffer.strides[0] * buffer.size);
            let bytes = buffer.bytes(&self.region.nest, count);
            // SAFETY: the plan's registers and constants hold all elements of the tiles on them, and so do the places in memory that loads and
            // stores have checked before they name them instead.
            Arg::Buffer(unsafe { buffer_at(start, bytes, matches!(buffer.at, Src::Reg(..))) })
        }));
        args.push(Arg::Count(count as i64));
        // SAFETY: buffers are as long as the loops go.
        let ran = unsafe { native.run_unchecked(&args) };
        ran.unwrap_or_else(|fault| unreachable!("regions compute no addresses: {fault}"));
    }
}

/// Bytes of the host.
///
/// # Safety
/// They can be read, and written if they are `writable`.
unsafe fn buffer_at<'a>(start: *mut u8, bytes: usize, writable: bool) -> Buffer<'a> {
    let start = NonNull::new(start).unwrap_or_else(|| unreachable!("registers lie somewhere"));
    // SAFETY: by the contract.
    unsafe { Buffer::from_raw(start, bytes, writable) }
}
