//! A warp: 32 threads that share an instruction stream where they can.
//!
//! Lanes that go different ways are *splits*: each has a place, a mask and its calls. The split that is furthest behind runs (deepest in
//! calls, then lowest in the code), so that splits meet again where their ways join; splits at the same place become one. One that runs
//! for long while others could is held back for as long, because it may wait for them. Instructions for lanes together (`.sync`) wait
//! until all lanes that they name are there.

use super::{
    Fault, Launch, LaunchErrorKind, alu,
    decode::Builtin,
    lanes::{File, lanes_of},
    op::{Combine, Inst, Kind, Mode},
    report::{FindingKind, Journal},
    shared::{Clocks, Shared},
};
use crate::Type;
use std::collections::VecDeque;

/// How long a split may run while others could.
const PATIENCE: u32 = 2048;
/// How deep calls may nest.
const CALLS: usize = 64;
/// What the clocks of the machine count for an instruction, in nanoseconds and cycles.
const TICK: u64 = 16;

/// Lanes that are at the same place.
#[derive(Clone, Debug)]
pub(super) struct Split {
    pub(super) pc: u32,
    pub(super) mask: u32,
    calls: Vec<u32>,
    /// It waits for other lanes of the warp.
    waits: bool,
}

/// An asynchronous copy to shared memory.
#[derive(Clone, Debug)]
pub(super) struct AsyncCopy {
    pub(super) at: usize,
    pub(super) bytes: Vec<u8>,
}

/// The copies of a thread: those in no group yet, and groups, oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Copies {
    pub(super) open: Vec<AsyncCopy>,
    pub(super) groups: VecDeque<Vec<AsyncCopy>>,
}

#[derive(Clone, Debug)]
pub(super) struct Warp {
    pub(super) index: usize,
    pub(super) file: File,
    pub(super) splits: Vec<Split>,
    /// What the warp knows of the warps of its block.
    pub(super) clocks: Clocks,
    pub(super) is_waiting: bool,
    /// Local memory of the lanes, one after the other, and which bytes were written.
    pub(super) local: Vec<u8>,
    pub(super) local_written: Vec<bool>,
    pub(super) copies: Vec<Copies>,
    streak: u32,
    /// The split that runs whatever its place is, and for how long.
    held: (usize, u32),
}

/// Why a warp stopped running.
pub(super) enum Stop {
    Turn,
    Barrier { id: u32, expected: u32, pc: u32, waits: bool },
}

impl Warp {
    pub(super) fn new(index: usize, warps: usize, start: u32, mask: u32, file: File, local: usize) -> Warp {
        let mut clocks = vec![0; warps];
        clocks[index] = 1;
        Warp {
            index,
            file,
            splits: vec![Split { pc: start, mask, calls: Vec::new(), waits: false }],
            clocks,
            is_waiting: false,
            local: vec![0; local * 32],
            local_written: vec![false; local * 32],
            copies: vec![Copies::default(); 32],
            streak: 0,
            held: (0, 0),
        }
    }

    pub(super) fn is_done(&self) -> bool {
        self.splits.is_empty()
    }

    pub(super) fn advance_clock(&mut self) {
        self.clocks[self.index] += 1;
    }

    /// The lanes that have not ended.
    fn live(&self) -> u32 {
        self.splits.iter().fold(0, |all, split| all | split.mask)
    }

    /// The split to run; `None` if all wait for each other.
    fn choose(&mut self) -> Option<usize> {
        if let [only] = &self.splits[..] {
            return (!only.waits).then_some(0);
        }
        let ready = |split: &Split| !split.waits;
        if self.held.1 > 0 && self.splits.get(self.held.0).is_some_and(ready) {
            self.held.1 -= 1;
            return Some(self.held.0);
        }
        let candidates = self.splits.iter().enumerate().filter(|(_, split)| !split.waits);
        let best = candidates.min_by_key(|(_, split)| (std::cmp::Reverse(split.calls.len()), split.pc)).map(|(index, _)| index)?;
        self.streak += 1;
        if self.streak > PATIENCE {
            self.streak = 0;
            let count = self.splits.len();
            let other = (1..count).map(|step| (best + step) % count).find(|index| !self.splits[*index].waits);
            if let Some(other) = other {
                self.held = (other, PATIENCE);
                return Some(other);
            }
        }
        Some(best)
    }

    /// Moves a split and joins it with those that are there.
    fn go(&mut self, index: usize, pc: u32) -> usize {
        self.splits[index].pc = pc;
        self.splits[index].waits = false;
        if self.splits.len() == 1 { index } else { self.join(index) }
    }

    fn join(&mut self, index: usize) -> usize {
        let (pc, calls) = (self.splits[index].pc, self.splits[index].calls.clone());
        let other = self.splits.iter().enumerate().position(|(at, split)| at != index && split.pc == pc && split.calls == calls);
        let Some(other) = other else { return index };
        let mask = self.splits[index].mask;
        self.splits[other].mask |= mask;
        self.splits[other].waits = false;
        self.remove(index);
        if other > index { other - 1 } else { other }
    }

    fn remove(&mut self, index: usize) {
        self.splits.remove(index);
        self.streak = 0;
        self.held = (0, 0);
    }
}

/// What a warp needs to run.
pub(super) struct Run<'r, 'l, 'j> {
    pub(super) launch: &'r mut Launch<'l>,
    pub(super) journal: &'r mut Journal<'j>,
    pub(super) block: [u32; 3],
    pub(super) shared: &'r mut Shared,
}

impl Run<'_, '_, '_> {
    /// Carries out up to `slice` instructions of a warp.
    pub(super) fn run(&mut self, warp: &mut Warp, slice: u64) -> Result<Stop, Fault> {
        let code = self.launch.code;
        for _ in 0..slice {
            if warp.is_done() {
                break;
            }
            let Some(index) = warp.choose() else { return Err(Self::stuck(warp)) };
            let (pc, all) = (warp.splits[index].pc, warp.splits[index].mask);
            let inst = &code.insts[pc as usize];
            let guard = warp.file.predicates[inst.guard as usize];
            let mask = all & if inst.negated { !guard } else { guard };
            if waits_for_all(inst) && !self.together(warp, index, inst, pc, mask) {
                continue;
            }
            let count = &mut self.journal.counts[pc as usize];
            *count = (count.0 + 1, count.1 + u64::from(mask.count_ones()));
            self.journal.steps += 1;
            let next = match inst.kind {
                Kind::Bra | Kind::Call | Kind::Ret | Kind::Exit => {
                    self.control(warp, index, inst, pc, mask)?;
                    continue;
                }
                _ if mask == 0 => pc + 1,
                Kind::Bar | Kind::BarArrive => {
                    let [id, expected] = [inst.regs[0], inst.regs[1]].map(|register| match register {
                        u32::MAX => 0,
                        register => warp.file.get(register)[mask.trailing_zeros() as usize] as u32,
                    });
                    warp.go(index, pc + 1);
                    return Ok(Stop::Barrier { id, expected, pc, waits: inst.kind == Kind::Bar });
                }
                Kind::Trap => return Err(fault(LaunchErrorKind::Trap, pc, mask)),
                _ => {
                    self.execute(warp, inst, pc, mask)?;
                    pc + 1
                }
            };
            warp.go(index, next);
        }
        Ok(Stop::Turn)
    }

    fn stuck(warp: &Warp) -> Fault {
        let split = &warp.splits[0];
        let what = format!("the lanes of a warp wait at {} different instructions for each other", warp.splits.len());
        fault(LaunchErrorKind::Deadlock(what), split.pc, split.mask)
    }

    /// Whether all lanes that an instruction names are there. If not, the split waits, or, if lanes are there but leave it out, that is
    /// a finding.
    fn together(&mut self, warp: &mut Warp, index: usize, inst: &Inst, pc: u32, mask: u32) -> bool {
        if mask == 0 {
            return true;
        }
        let live = warp.live();
        let named = match members(inst) {
            None => live,
            Some(register) => {
                let register = warp.file.get(register);
                lanes_of(mask).fold(0, |all, lane| all | register[lane] as u32)
            }
        };
        let here = warp.splits[index].mask;
        if named & live & !here != 0 {
            warp.splits[index].waits = true;
            return false;
        }
        let absent = (named & !mask) | (mask & !named);
        // Lanes that have ended count at barriers, and those a block never had.
        if absent & live != 0 || (members(inst).is_some() && named != u32::MAX && named & !live != 0) {
            let lane = absent.trailing_zeros() % 32;
            let message = format!("it names the lanes {named:#010x}, and {mask:#010x} carry it out");
            self.journal.found(FindingKind::LanesMissing, pc, self.block, (warp.index * 32) as u32 + lane, |_| message);
        }
        true
    }

    fn control(&mut self, warp: &mut Warp, index: usize, inst: &Inst, pc: u32, mask: u32) -> Result<(), Fault> {
        let all = warp.splits[index].mask;
        if mask == 0 {
            warp.go(index, pc + 1);
            return Ok(());
        }
        if let (Kind::Call, Some(builtin)) = (inst.kind, Builtin::of_target(inst.imm)) {
            match builtin {
                Builtin::Vprintf => self.vprintf(warp, inst, pc, mask)?,
                Builtin::AlignedMalloc => self.allocate(warp, inst, pc, mask)?,
                Builtin::Free => self.free(warp, inst, pc, mask)?,
            }
            warp.go(index, pc + 1);
            return Ok(());
        }
        // Those that do not take part go on; the others are a split of their own.
        let index = if mask == all {
            index
        } else {
            let rest = Split { mask: all & !mask, pc: pc + 1, calls: warp.splits[index].calls.clone(), waits: false };
            warp.splits[index].mask = mask;
            warp.splits.push(rest);
            let moved = warp.join(warp.splits.len() - 1);
            debug_assert!(moved < warp.splits.len(), "a split is there");
            // Joining removes only the last split, so this one keeps its place.
            index
        };
        match inst.kind {
            Kind::Bra => {
                warp.go(index, inst.imm as u32);
            }
            Kind::Call => {
                if warp.splits[index].calls.len() == CALLS {
                    return Err(fault(LaunchErrorKind::Deadlock(format!("calls nest deeper than {CALLS} levels")), pc, mask));
                }
                warp.splits[index].calls.push(pc + 1);
                warp.go(index, inst.imm as u32);
            }
            Kind::Ret if !warp.splits[index].calls.is_empty() => {
                let back = warp.splits[index].calls.pop().unwrap_or_default();
                warp.go(index, back);
            }
            _ => {
                warp.remove(index);
                // Others may wait for lanes that have ended now.
                warp.splits.iter_mut().for_each(|split| split.waits = false);
            }
        }
        Ok(())
    }

    fn execute(&mut self, warp: &mut Warp, inst: &Inst, pc: u32, mask: u32) -> Result<(), Fault> {
        let [r0, r1, ..] = inst.regs;
        match inst.kind {
            Kind::Ld => self.load(warp, inst, pc, mask)?,
            Kind::St => self.store(warp, inst, pc, mask)?,
            Kind::Atom | Kind::Red => self.atomic(warp, inst, pc, mask)?,
            Kind::CpAsync => self.copy_async(warp, inst, pc, mask)?,
            Kind::CpCommit | Kind::CpWait | Kind::CpWaitAll => self.copy_groups(warp, inst, pc, mask),
            Kind::Ldmatrix => self.load_matrices(warp, inst, pc, mask)?,
            Kind::Stmatrix => self.store_matrices(warp, inst, pc, mask)?,
            Kind::CopyLocal => Self::copy_local(warp, inst, mask),
            Kind::Cvta => self.convert_address(warp, inst, mask),
            Kind::Isspacep => {
                let space = inst.mods.space;
                let value = warp.file.test2(r1, r1, |address: u64, _| super::access::space_of(address) == space);
                warp.file.set_predicate(r0, mask, value);
            }
            Kind::Nop => {}
            Kind::BarWarp => warp.advance_clock(),
            Kind::Mma => {
                let registers = |list: &[u32]| list.iter().map(|register| *warp.file.get(*register)).collect::<Vec<_>>();
                let [a, b, c] = [1, 2, 3].map(|list| registers(&inst.lists[list]));
                let d = super::mma::Fragments::new(&inst.mods).multiply(&a, &b, &c, &inst.mods);
                for (register, value) in inst.lists[0].iter().zip(d) {
                    warp.file.set(*register, mask, |lane| value[lane]);
                }
            }
            Kind::Shfl => shuffle(&mut warp.file, inst, mask),
            Kind::Vote => {
                let value = votes(&warp.file, inst) & mask;
                let holds = match inst.mods.mode {
                    Some(Mode::All) => value == mask,
                    Some(Mode::Any) => value != 0,
                    _ => value == 0 || value == mask,
                };
                warp.file.set_predicate(r0, mask, if holds { u32::MAX } else { 0 });
            }
            Kind::Ballot => {
                let value = votes(&warp.file, inst) & mask;
                warp.file.set(r0, mask, |_| value.into());
            }
            Kind::MatchAny => {
                let values = *warp.file.get(r1);
                warp.file.set(r0, mask, |lane| {
                    lanes_of(mask).filter(|other| values[*other] == values[lane]).fold(0, |all, other| all | 1 << other)
                });
            }
            Kind::Activemask => warp.file.set(r0, mask, |_| mask.into()),
            Kind::Redux => {
                let (values, ty) = (*warp.file.get(r1), inst.mods.ty(0));
                let combine = inst.mods.combine.unwrap_or(Combine::Add);
                let value = lanes_of(mask).map(|lane| values[lane]).reduce(|a, b| super::access::combined(combine, ty, a, b, 0));
                warp.file.set(r0, mask, |_| value.unwrap_or(0));
            }
            Kind::Clock => {
                let now = ((self.journal.steps * TICK) >> inst.imm2) & (u64::MAX >> (64 - inst.wide));
                warp.file.set(r0, mask, |_| now);
            }
            _ => alu::execute(&mut warp.file, inst, mask),
        }
        Ok(())
    }
}

pub(super) fn fault(kind: LaunchErrorKind, pc: u32, mask: u32) -> Fault {
    Fault { kind, pc, lane: mask.trailing_zeros() as usize % 32 }
}

/// Whether lanes carry out an instruction together.
fn waits_for_all(inst: &Inst) -> bool {
    matches!(
        inst.kind,
        Kind::Bar
            | Kind::BarArrive
            | Kind::BarWarp
            | Kind::Shfl
            | Kind::Vote
            | Kind::Ballot
            | Kind::MatchAny
            | Kind::Redux
            | Kind::Mma
            | Kind::Ldmatrix
            | Kind::Stmatrix
    )
}

/// The register that says which lanes take part; `None` is all.
fn members(inst: &Inst) -> Option<u32> {
    match inst.kind {
        Kind::BarWarp => Some(inst.regs[0]),
        Kind::Shfl => Some(inst.regs[5]),
        Kind::Vote | Kind::Ballot | Kind::MatchAny | Kind::Redux => Some(inst.regs[2]),
        _ => None,
    }
}

/// The lanes whose predicate holds.
fn votes(file: &File, inst: &Inst) -> u32 {
    let value = file.predicates[inst.regs[1] as usize];
    if inst.inverted { !value } else { value }
}

fn shuffle(file: &mut File, inst: &Inst, mask: u32) {
    let [d, p, a, b, c, _] = inst.regs;
    let (values, shifts, controls) = (*file.get(a), *file.get(b), *file.get(c));
    let mode = inst.mods.mode.unwrap_or(Mode::Idx);
    let source = |lane: usize| {
        let lane = lane as u32;
        let (shift, clamp, segment) =
            (shifts[lane as usize] as u32 & 31, controls[lane as usize] as u32 & 31, controls[lane as usize] as u32 >> 8 & 31);
        let most = (lane & segment) | (clamp & !segment);
        let least = lane & segment;
        let (from, inside) = match mode {
            Mode::Up => (lane.wrapping_sub(shift), lane as i32 - shift as i32 >= most as i32),
            Mode::Down => (lane + shift, lane + shift <= most),
            Mode::Bfly => (lane ^ shift, lane ^ shift <= most),
            _ => (least | (shift & !segment), (least | (shift & !segment)) <= most),
        };
        if inside { (from as usize & 31, true) } else { (lane as usize, false) }
    };
    file.set(d, mask, |lane| values[source(lane).0]);
    let inside = (0..32).fold(0, |all, lane| all | u32::from(source(lane).1) << lane);
    file.set_predicate(p, mask, inside);
}

/// The types that an access is counted by.
pub(super) fn size_of(ty: Type) -> usize {
    ty.bytes() as usize
}
