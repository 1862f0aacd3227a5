//! Sweeps: several elementwise steps, piece by piece.
#![allow(unsafe_code, reason = "calls kernels on registers and scratch")]

use super::{
    bytes::AlignedBytes,
    copy,
    frame::Frame,
    region::{Outside, Run},
};
use crate::{
    LaunchErrorKind,
    budget::Budget,
    interrupt::{Looks, PART},
    kernels::ahead::Ahead,
    plan::{Call, Operand, Plan, Region, Src, Step, Sweep, SweepInput, VReg, Way},
};
use std::{ops::Range, sync::Arc};

/// Elements of a piece.
pub(super) const PIECE: usize = Sweep::PIECE;

/// Where a sweep or fold reads an input: a first byte, and how far it is to the next element.
#[derive(Clone, Copy)]
pub(super) struct Input {
    pub(super) base: *const u8,
    /// Bytes of an element; 0 where all pieces read the same slot.
    advance: usize,
}

impl Input {
    /// Elements of this many bytes, one behind the other.
    pub(super) fn in_order(base: *const u8, size: usize) -> Input {
        Input { base, advance: size }
    }

    /// A slot, or a single element, that all pieces read.
    pub(super) fn slot(base: *const u8) -> Input {
        Input { base, advance: 0 }
    }
}

/// Runs a sweep over all its elements. Vector code writes the register `streamed` past the caches.
#[inline(never)]
pub(super) fn run(sweep: &Sweep, regs: &Frame, streamed: Option<VReg>, scratch: &mut Scratch, ahead: &mut Ahead) {
    debug_assert!(!sweep.has_gathers, "what gathers may fail");
    match sweep.way() {
        Way::OnePiece { gathered, calls } if sweep.n <= PART => {
            for input in gathered.iter().map(|input| &sweep.inputs[*input]) {
                let slot = input.slot().expect("what is gathered has a slot");
                // SAFETY: the elements of a sweep that is done in one piece and gathers fit into a slot.
                unsafe { gather(input, 0..sweep.n, regs, regs.at(Operand::scratch(slot * Sweep::SLOT_BYTES))) };
            }
            for Call { kernel, srcs: [a, b, c], dst } in calls {
                let srcs = [regs.at(*a).cast_const(), regs.at(*b), regs.at(*c)];
                // SAFETY: as in `Places::run`, with all elements of the sweep, which a slot holds.
                unsafe { (kernel.run)(regs.at(*dst), srcs, sweep.n, &kernel.imm) };
            }
        }
        Way::Region(region) => run_region(sweep, region, sweep.n, regs, streamed, scratch, ahead),
        Way::OnePiece { .. } | Way::Pieces => run_pieces(sweep, sweep.n, regs, streamed, scratch, ahead),
    }
}

/// Runs a sweep that is vector code over `n` elements.
#[inline(always)]
fn run_region(sweep: &Sweep, region: &Region, n: usize, regs: &Frame, streamed: Option<VReg>, scratch: &mut Scratch, ahead: &mut Ahead) {
    let ran = Run::new(sweep, region, regs, streamed).in_order(n, ahead_of(sweep, ahead, &mut scratch.nothing));
    ran.unwrap_or_else(|Outside| unreachable!("it gathers nothing"));
}

/// Runs a sweep piece by piece over `n` elements: more than it has, where there are more in memory.
#[inline(never)]
pub(super) fn run_pieces(sweep: &Sweep, n: usize, regs: &Frame, streamed: Option<VReg>, scratch: &mut Scratch, ahead: &mut Ahead) {
    if let Way::Region(region) = sweep.way() {
        return run_region(sweep, region, n, regs, streamed, scratch, ahead);
    }
    let Scratch { bytes, inputs, nothing } = scratch;
    let ahead = ahead_of(sweep, ahead, nothing);
    let slots = Slots::new(bytes);
    inputs.clear();
    inputs.extend(sweep.inputs.iter().map(|input| match input {
        SweepInput::Direct { tile } => Input::in_order(regs.read(tile), tile.elem.size()),
        SweepInput::Splat { slot, .. } | SweepInput::Repeated { slot, .. } => {
            let base = slots.at(*slot);
            // SAFETY: a slot holds a piece of the largest elements.
            unsafe { gather(input, 0..n.min(PIECE), regs, base) };
            Input::slot(base)
        }
        SweepInput::Strided { slot, .. } => Input::slot(slots.at(*slot)),
        SweepInput::Gathered(_) => unreachable!("vector code gathers"),
    }));
    let places = Places { inputs, regs, slots: &slots };
    let piece = match sweep.way() {
        // A step alone that gathers nothing needs no scratch.
        Way::OnePiece { gathered, .. } if gathered.is_empty() && sweep.steps.len() == 1 => PART,
        // The elements of several blocks may be more than scratch has room for.
        Way::OnePiece { .. } | Way::Pieces | Way::Region(_) => PIECE,
    };
    let mut looks = Looks::new();
    for start in (0..n).step_by(piece) {
        let n = piece.min(n - start);
        if looks.end_after(n * sweep.steps.len()) {
            return;
        }
        for input in &sweep.inputs {
            if let SweepInput::Strided { slot, .. } = input {
                // SAFETY: a slot holds a piece.
                unsafe { gather(input, start..start + n, regs, slots.at(*slot)) };
            }
        }
        for step in &sweep.steps {
            if n == PIECE {
                ahead.fetch_share();
            }
            places.run(step, start, n);
        }
    }
}

/// Brings these elements of an input to a slot, unless they are read where they lie.
///
/// # Safety
/// The slot has room for them.
unsafe fn gather(input: &SweepInput, elements: Range<usize>, regs: &Frame, slot: *mut u8) {
    let (start, n) = (elements.start, elements.len());
    match input {
        // SAFETY: by the contract.
        SweepInput::Splat { tile, .. } => unsafe { copy::spread(regs.read(tile), tile.elem.size(), n, slot) },
        SweepInput::Repeated { tile, loops, .. } | SweepInput::Strided { tile, loops, .. } => {
            // SAFETY: the plan's loops stay inside the tile.
            unsafe { copy::gather(regs.read(tile), loops, tile.elem.size(), start, n, slot) };
        }
        SweepInput::Direct { .. } => {}
        SweepInput::Gathered(_) => unreachable!("vector code gathers"),
    }
}

/// What a sweep fetches: nothing, if others have more time for it.
pub(super) fn ahead_of<'a>(sweep: &Sweep, ahead: &'a mut Ahead, nothing: &'a mut Ahead) -> &'a mut Ahead {
    if sweep.reads_ahead { ahead } else { nothing }
}

/// Where the steps of a sweep or fold read and write.
pub(super) struct Places<'a, 'b> {
    pub(super) inputs: &'a [Input],
    pub(super) regs: &'b Frame,
    pub(super) slots: &'a Slots,
}

impl Places<'_, '_> {
    /// Runs a step on elements `start..start + n`.
    pub(super) fn run(&self, step: &Step, start: usize, n: usize) {
        let mut srcs = [std::ptr::null(); 3];
        for (src, place) in srcs.iter_mut().zip(&step.srcs) {
            *src = self.locate(*place, start);
        }
        let dst = self.locate_result(step.dst, start);
        // SAFETY: the kernel was selected for the types of these places, each of which holds `n` elements; the plan gave
        // the destination a place of its own.
        unsafe { (step.kernel.run)(dst, srcs, n, &step.kernel.imm) };
    }

    /// The first of the elements from `start` on, to be written.
    fn locate_result(&self, place: Src, start: usize) -> *mut u8 {
        match place {
            Src::Slot(slot) => self.slots.at(slot),
            // SAFETY: the register holds all elements of the sweep.
            Src::Reg(reg, size) => unsafe { self.regs.write(reg).add(start * size) },
            Src::Input(_) => unreachable!("steps write slots and registers"),
        }
    }

    /// The first of the elements from `start` on.
    pub(super) fn locate(&self, place: Src, start: usize) -> *const u8 {
        match place {
            // SAFETY: inputs hold an element for each of the sweep, or advance by nothing.
            Src::Input(i) => unsafe { self.inputs[i].base.add(start * self.inputs[i].advance) },
            Src::Slot(slot) => self.slots.at(slot),
            // SAFETY: the register holds all elements of the sweep.
            Src::Reg(reg, size) => unsafe { self.regs.write(reg).add(start * size) },
        }
    }
}

/// What sweeps and folds work in, kept from one to the next.
pub(super) struct Scratch {
    bytes: AlignedBytes,
    inputs: Vec<Input>,
    /// For what does not read ahead.
    pub(super) nothing: Ahead,
}

impl Scratch {
    /// Room for the sweeps and folds of a plan.
    ///
    /// # Errors
    /// When the host has not enough memory, or the budget.
    pub(super) fn new(plan: &Plan, budget: &Arc<Budget>) -> Result<Scratch, LaunchErrorKind> {
        let bytes = AlignedBytes::zeroed(Scratch::bytes(plan), budget)?;
        Ok(Scratch { bytes, inputs: Vec::new(), nothing: Ahead::default() })
    }

    /// How many bytes it takes.
    pub(super) fn bytes(plan: &Plan) -> usize {
        plan.scratch_slots * Sweep::SLOT_BYTES
    }

    /// The first byte of the slots.
    pub(super) fn start(&self) -> *mut u8 {
        self.bytes.start()
    }

    pub(super) fn slots(&mut self) -> Slots {
        Slots::new(&mut self.bytes)
    }
}

/// The scratch slots of a worker.
pub(super) struct Slots {
    start: *mut u8,
    count: usize,
}

impl Slots {
    fn new(scratch: &mut AlignedBytes) -> Slots {
        Slots { count: scratch.len() / Sweep::SLOT_BYTES, start: scratch.start() }
    }

    pub(super) fn at(&self, slot: usize) -> *mut u8 {
        assert!(slot < self.count, "the plan counted the slots");
        // SAFETY: the slot lies inside the scratch.
        unsafe { self.start.add(slot * Sweep::SLOT_BYTES) }
    }
}
