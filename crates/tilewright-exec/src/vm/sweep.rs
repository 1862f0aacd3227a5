//! Sweeps: several elementwise steps, piece by piece.
#![allow(unsafe_code, reason = "calls kernels on registers and scratch")]

use super::{
    copy,
    in_place::InPlace,
    registers::{AlignedBytes, Registers},
};
use crate::{
    LaunchErrorKind,
    kernels::{ahead::Ahead, boxes::Stores, chain},
    plan::{Chain, Part, Place, Src, Step, Sweep, SweepInput, VReg, Way},
};

/// Elements of a piece.
pub(super) const PIECE: usize = Sweep::PIECE;
/// Bytes of a scratch slot: a piece of the largest elements.
pub(super) const SLOT_BYTES: usize = PIECE * 8;

/// Where a sweep or fold reads an input: a first byte, and how far it is to the next element.
#[derive(Clone, Copy)]
pub(super) struct Input {
    pub(super) base: *const u8,
    /// Bytes of an element; 0 where all pieces read the same slot.
    advance: usize,
    /// How many elements of the sweep read the same one: 2 to the power of this.
    row: u32,
    /// Whether it is read where it lies in memory, and the next tile will probably lie behind it.
    is_fetched: bool,
}

impl Input {
    /// Elements of this many bytes, one behind the other.
    pub(super) fn in_order(base: *const u8, size: usize) -> Input {
        Input { base, advance: size, row: 0, is_fetched: false }
    }

    /// A slot, or a single element, that all pieces read.
    pub(super) fn slot(base: *const u8) -> Input {
        Input { base, advance: 0, row: 0, is_fetched: false }
    }
}

/// A register whose elements are written to another place.
///
/// It is handed on by reference: to copy it, the CPU would wait until all that was written before has left its store buffer.
pub(super) struct Target {
    pub(super) reg: VReg,
    pub(super) place: *mut u8,
    /// How a chain writes it.
    pub(super) stores: Stores,
}

impl Target {
    /// Whether its elements go past the caches.
    pub(super) fn is_streamed(&self) -> bool {
        self.stores == Stores::Streaming
    }
}

/// Runs a sweep over all its elements.
#[inline(never)]
pub(super) fn run(
    sweep: &Sweep,
    regs: Registers<'_>,
    in_place: &InPlace,
    target: Option<&Target>,
    scratch: &mut Scratch,
    ahead: &mut Ahead,
) {
    if sweep.way == Way::OnePiece {
        return run_one_piece(sweep, regs, in_place, target, &scratch.slots());
    }
    let mut nothing = Ahead::default();
    let ahead = if sweep.reads_ahead { ahead } else { &mut nothing };
    scratch.grow(sweep);
    match sweep.one_chain() {
        Some(chain) => run_one_chain(sweep, chain, regs, in_place, target, &mut scratch.room, ahead),
        None => run_pieces(sweep, sweep.n, |input| in_place.noted(sweep.inputs[input].tile()), regs, target, scratch, ahead),
    }
}

/// Runs the steps of a sweep on all its elements.
fn run_one_piece(sweep: &Sweep, regs: Registers<'_>, in_place: &InPlace, target: Option<&Target>, slots: &Slots) {
    for step in &sweep.steps {
        let mut srcs = [std::ptr::null(); 3];
        for (src, place) in srcs.iter_mut().zip(&step.srcs) {
            *src = match *place {
                Src::Input(input) => in_place.read(sweep.inputs[input].tile(), regs),
                Src::Slot(slot) => slots.at(slot),
                Src::Reg(reg, _) => regs.write(reg),
                Src::Passed => unreachable!("what is passed on lies in no memory"),
            };
        }
        let dst = match step.dst {
            Src::Slot(slot) => slots.at(slot),
            Src::Reg(reg, _) => target.filter(|target| target.reg == reg).map_or_else(|| regs.write(reg), |target| target.place),
            Src::Input(_) | Src::Passed => unreachable!("steps write slots and registers"),
        };
        // SAFETY: as in `Places::run`, with all elements of the sweep, which a slot holds.
        unsafe { (step.kernel.run)(dst, srcs, sweep.n, &step.kernel.imm) };
    }
}

/// Runs a sweep piece by piece over `n` elements: more than it has, where there are more in memory. `in_memory` says where inputs lie that
/// are not read from their registers.
pub(super) fn run_pieces(
    sweep: &Sweep,
    n: usize,
    in_memory: impl Fn(usize) -> Option<*const u8>,
    regs: Registers<'_>,
    target: Option<&Target>,
    scratch: &mut Scratch,
    ahead: &mut Ahead,
) {
    scratch.grow(sweep);
    let Scratch { bytes, inputs, room } = scratch;
    let slots = Slots::new(bytes);
    inputs.clear();
    inputs.extend(sweep.inputs.iter().enumerate().map(|(number, input)| match input {
        SweepInput::Direct { tile } => {
            let in_memory = in_memory(number);
            let base = in_memory.unwrap_or_else(|| regs.read(tile));
            Input { is_fetched: sweep.fetches && in_memory.is_some(), ..Input::in_order(base, tile.elem.size()) }
        }
        SweepInput::PerRow { tile, row } => Input { base: regs.read(tile), advance: tile.elem.size(), row: row.ilog2(), is_fetched: false },
        SweepInput::Splat { tile, slot: None } => Input::slot(regs.read(tile)),
        SweepInput::Splat { tile, slot: Some(slot) } => {
            let base = slots.at(*slot);
            // SAFETY: a slot holds a piece of the largest elements.
            unsafe { copy::spread(regs.read(tile), tile.elem.size(), n.min(PIECE), base) };
            Input::slot(base)
        }
        SweepInput::Repeated { tile, loops, slot } => {
            let base = slots.at(*slot);
            // SAFETY: the plan's loops stay inside the tile; a slot holds a piece.
            unsafe { copy::gather(regs.read(tile), loops, tile.elem.size(), 0, n.min(PIECE), base) };
            Input::slot(base)
        }
        SweepInput::Strided { slot, .. } => Input::slot(slots.at(*slot)),
    }));
    let places = Places { inputs, regs, target, slots: &slots };
    let piece = if sweep.one_chain().is_some() { n } else { PIECE };
    for start in (0..n).step_by(piece) {
        let n = piece.min(n - start);
        for input in &sweep.inputs {
            if let SweepInput::Strided { tile, loops, slot } = input {
                // SAFETY: the plan's loops stay inside the tile; a slot holds a piece.
                unsafe { copy::gather(regs.read(tile), loops, tile.elem.size(), start, n, slots.at(*slot)) };
            }
        }
        for part in &sweep.parts {
            match part {
                Part::Step(step) => {
                    if n == PIECE {
                        ahead.fetch_share();
                    }
                    places.run(&sweep.steps[*step], start, n);
                }
                Part::Chain(chain) => places.run_chain(chain, start, n, room, ahead),
            }
        }
    }
}

/// Runs a sweep that is one chain and needs no scratch.
fn run_one_chain(
    sweep: &Sweep,
    chain: &Chain,
    regs: Registers<'_>,
    in_place: &InPlace,
    target: Option<&Target>,
    Room { pointers, fetched }: &mut Room,
    ahead: &mut Ahead,
) {
    let places = &mut pointers[..chain.places.len()];
    let (mut count, mut streamed) = (0, None);
    for (number, (pointer, place)) in places.iter_mut().zip(&chain.places).enumerate() {
        let first = match place.at {
            Src::Input(input) => {
                let tile = sweep.inputs[input].tile();
                let in_memory = in_place.noted(tile);
                if sweep.fetches && in_memory.is_some() {
                    fetched[count] = number;
                    count += 1;
                }
                in_memory.unwrap_or_else(|| regs.read(tile)).cast_mut()
            }
            Src::Reg(reg, _) => match target.filter(|target| place.written && target.reg == reg) {
                Some(target) => {
                    streamed = target.is_streamed().then_some(number);
                    target.place
                }
                None => regs.write(reg),
            },
            Src::Slot(_) | Src::Passed => unreachable!("the chain needs no scratch"),
        };
        *pointer = first.cast();
    }
    let run = chain::Run { program: &chain.program, places, streamed, fetched: &fetched[..count], n: sweep.n };
    // SAFETY: as in `Places::run_chain`, with all elements of the sweep.
    unsafe { (chain.run)(run, ahead) };
}

/// Where the steps of a sweep or fold read and write.
pub(super) struct Places<'a, 'b> {
    pub(super) inputs: &'a [Input],
    pub(super) regs: Registers<'b>,
    /// Takes the elements of one register.
    pub(super) target: Option<&'a Target>,
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

    /// Runs a chain on elements `start..start + n`.
    fn run_chain(&self, chain: &Chain, start: usize, n: usize, Room { pointers, fetched }: &mut Room, ahead: &mut Ahead) {
        let pointer =
            |place: &Place| if place.written { self.locate_result(place.at, start) } else { self.locate(place.at, start).cast_mut() };
        let places = &mut pointers[..chain.places.len()];
        places.iter_mut().zip(&chain.places).for_each(|(to, place)| *to = pointer(place).cast());
        let mut count = 0;
        if self.inputs.iter().any(|input| input.is_fetched) {
            let is_fetched = |place: &Place| matches!(place.at, Src::Input(input) if self.inputs[input].is_fetched);
            for (number, _) in chain.places.iter().enumerate().filter(|(_, place)| is_fetched(place)) {
                fetched[count] = number;
                count += 1;
            }
        }
        let fetched = &fetched[..count];
        let streamed = self.target.filter(|target| target.is_streamed()).and_then(|target| chain.place_of(target.reg));
        // SAFETY: the plan makes chains of steps on `f32`, or on what it told the program has 16 bits, in sweeps whose length is a multiple
        // of a chain's group, as that of a piece is; so is `n`. Each place holds `n` elements, or one if it is a splat. A result may take
        // the place of a value of the same size that is not needed any more, element by element. The target is aligned to its elements,
        // and in nothing that the chain reads.
        unsafe { (chain.run)(chain::Run { program: &chain.program, places, streamed, fetched, n }, ahead) };
    }

    /// The first of the elements from `start` on, to be written.
    fn locate_result(&self, place: Src, start: usize) -> *mut u8 {
        match place {
            Src::Slot(slot) => self.slots.at(slot),
            Src::Reg(reg, size) => {
                let base = self.target.filter(|target| target.reg == reg).map_or_else(|| self.regs.write(reg), |target| target.place);
                // SAFETY: the register, or the place that takes its elements, holds all elements of the sweep.
                unsafe { base.add(start * size) }
            }
            Src::Input(_) | Src::Passed => unreachable!("steps write slots and registers"),
        }
    }

    /// The first of the elements from `start` on.
    pub(super) fn locate(&self, place: Src, start: usize) -> *const u8 {
        match place {
            // SAFETY: inputs hold an element for each row of the sweep, or advance by nothing.
            Src::Input(i) => unsafe { self.inputs[i].base.add((start >> self.inputs[i].row) * self.inputs[i].advance) },
            Src::Slot(slot) => self.slots.at(slot),
            // SAFETY: the register holds all elements of the sweep.
            Src::Reg(reg, size) => unsafe { self.regs.write(reg).add(start * size) },
            Src::Passed => unreachable!("what is passed on lies in no memory"),
        }
    }
}

/// Where a chain reads and writes, and the numbers of the places that are fetched.
#[derive(Default)]
struct Room {
    pointers: Vec<*mut f32>,
    fetched: Vec<usize>,
}

/// What sweeps and folds work in, kept from one to the next.
pub(super) struct Scratch {
    bytes: AlignedBytes,
    inputs: Vec<Input>,
    room: Room,
}

impl Scratch {
    /// Room for so many slots.
    ///
    /// # Errors
    /// When the host has not enough memory.
    pub(super) fn new(slots: usize) -> Result<Scratch, LaunchErrorKind> {
        Ok(Scratch { bytes: AlignedBytes::zeroed(slots * SLOT_BYTES)?, inputs: Vec::new(), room: Room::default() })
    }

    /// Makes room for the places of a chain of a sweep, and for as many that are fetched.
    ///
    /// Only grown, and used as slices: the CPU reads their address and their length at once, and where one of them was written just before,
    /// that waits for all stores.
    fn grow(&mut self, sweep: &Sweep) {
        let Room { pointers, fetched } = &mut self.room;
        if pointers.len() < sweep.places {
            pointers.resize(sweep.places, std::ptr::null_mut());
            fetched.resize(sweep.places, 0);
        }
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
        Slots { count: scratch.len() / SLOT_BYTES, start: scratch.as_mut_ptr() }
    }

    pub(super) fn at(&self, slot: usize) -> *mut u8 {
        assert!(slot < self.count, "the plan counted the slots");
        // SAFETY: the slot lies inside the scratch.
        unsafe { self.start.add(slot * SLOT_BYTES) }
    }
}
