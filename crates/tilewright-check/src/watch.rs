//! The watcher of a launch: what each operation does to the state of a check.

use crate::{
    CheckOptions, Place, Report,
    lanes::Lanes,
    memory::Memory,
    rules::{self, Rule},
    state::{At, Spot, State, Violation},
    undefined::{Shadow, Undefined},
};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tilewright_exec::{LaunchErrorKind, Step, WatchedLaunch, Watcher};
use tilewright_ir::{AttrName, AttrValue, Module, OpRef, Opcode, Value};

/// The check of a launch.
pub(crate) struct Watch<'m> {
    state: Mutex<State<'m>>,
    options: &'m CheckOptions,
    /// Why the launch could not be checked.
    error: Mutex<Option<LaunchErrorKind>>,
}

/// What the check of a launch has seen.
pub(crate) struct Seen {
    pub(crate) report: Report,
    /// The last write of the byte that it looked at.
    pub(crate) last_write: Option<Place>,
    /// By number of a block: how often it accessed memory.
    pub(crate) accesses: Vec<u64>,
    /// Whether blocks waited for ever.
    pub(crate) is_stuck: bool,
}

impl<'m> Watch<'m> {
    pub(crate) fn new(module: &'m Module, kernel: &str, options: &'m CheckOptions) -> Watch<'m> {
        Watch { state: Mutex::new(State::new(module, kernel)), options, error: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State<'m>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks for the last write of a byte.
    pub(crate) fn looking_at(self, byte: Option<u64>) -> Watch<'m> {
        self.state().byte = byte;
        self
    }

    /// What was seen.
    pub(crate) fn finish(self) -> Result<Seen, LaunchErrorKind> {
        match self.error.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => {
                let mut state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
                state.report_races();
                let State { report, last_write, accesses, is_stuck, .. } = state;
                Ok(Seen { report, last_write, accesses, is_stuck })
            }
        }
    }
}

impl Watcher for Watch<'_> {
    fn begins(&self, launch: &WatchedLaunch) {
        let mut state = self.state();
        state.grid = launch.grid;
        state.memory = Memory::new(&launch.memory, &self.options.names, &self.options.uninitialised);
        state.set_overlaps(&self.options.distinct);
    }

    fn operation(&self, step: &Step<'_>) {
        let at = At { function: step.function(), op: step.op(), block: step.block(), index: step.block_index() };
        self.state().operation(at, step);
    }

    fn freed(&self, _block: u64, address: u64) {
        let mut state = self.state();
        let bytes = state.memory.free(address);
        state.races.forget(address, bytes);
    }

    fn stuck(&self, blocks: &[u64]) {
        self.state().stuck(blocks);
    }

    fn ended(&self, block: u64) {
        self.state().end(block);
    }

    fn failed(&self, _block: u64, why: &LaunchErrorKind) {
        if !is_reported(why) {
            self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| why.clone());
        }
    }
}

/// Whether a failure of a block is what a rule reports.
fn is_reported(why: &LaunchErrorKind) -> bool {
    matches!(why, LaunchErrorKind::Assert { .. } | LaunchErrorKind::SliceIndex { .. } | LaunchErrorKind::LoopStep(_))
}

impl<'m> State<'m> {
    pub(crate) fn operation(&mut self, at: At, step: &Step<'_>) {
        if step.accesses_memory() {
            self.count_access(at.index);
        }
        let op = self.op(at);
        match op.opcode() {
            Opcode::Constant | Opcode::Iota | Opcode::GetTileBlockId | Opcode::GetNumTileBlocks | Opcode::GetGlobal => {}
            Opcode::For
            | Opcode::Loop
            | Opcode::If
            | Opcode::Continue
            | Opcode::Break
            | Opcode::Yield
            | Opcode::Return
            | Opcode::PreviewCall => {
                self.control(at, step, op);
            }
            Opcode::LoadPtrTko | Opcode::LoadViewTko | Opcode::MultimemLoadReduceViewTko => self.load(at, step, op),
            Opcode::StorePtrTko | Opcode::StoreViewTko | Opcode::MultimemStoreViewTko => self.store(at, step, op),
            Opcode::AtomicRMWTko | Opcode::AtomicCASTko | Opcode::AtomicRedViewTko | Opcode::MultimemReduceViewTko => {
                self.update(at, step, op)
            }
            Opcode::Alloca => self.alloca(at, step, op),
            Opcode::MakeTensorView => {
                self.sink(at, op.operands(), &rules::UNDEFINED_INDEX, "the tensor depends on an undefined value");
                self.check_tensor(at, step);
            }
            Opcode::GetTensorShape | Opcode::GetIndexSpaceShape => self.check_extents(at, step, op),
            Opcode::Assert => self.assert(at, step, op),
            Opcode::PrintTko => {
                self.sink(at, op.operand_named("args"), &rules::UNDEFINED_OUTPUT, "it prints an undefined value");
                self.order(at, op);
            }
            Opcode::MakeToken | Opcode::JoinTokens | Opcode::MemoryFenceAliasTko | Opcode::GdcWaitTko | Opcode::GdcLaunchDependentsTko => {
                self.order(at, op)
            }
            _ => self.compute(at, step, op),
        }
    }

    fn count_access(&mut self, block: u64) {
        let block = block as usize;
        if self.accesses.len() <= block {
            self.accesses.resize(block + 1, 0);
        }
        self.accesses[block] += 1;
    }

    pub(crate) fn shadows(&mut self, at: At, values: &[Value]) -> Vec<Shadow> {
        values.iter().map(|value| self.shadow(at, *value)).collect()
    }

    /// Reports undefined values that must not be.
    pub(crate) fn sink(&mut self, at: At, values: &[Value], rule: &'static Rule, message: &str) {
        for value in values {
            if let Some(undefined) = self.shadow(at, *value) {
                self.report_undefined(at, &undefined, &undefined.lanes, rule, message);
                // What follows from it is not reported again.
                self.set_shadow(at, *value, None);
                return;
            }
        }
    }

    pub(crate) fn report_undefined(&mut self, at: At, undefined: &Undefined, lanes: &Lanes, rule: &'static Rule, message: &str) {
        let other = Some(self.origin(&undefined.origin));
        self.violation(at, Violation { elements: lanes.count() as u64, other, ..Violation::new(rule, message.to_owned()) });
    }

    fn assert(&mut self, at: At, step: &Step<'_>, op: OpRef<'m>) {
        let undefined = self.shadow(at, op.operands()[0]);
        self.sink(at, op.operands(), &rules::UNDEFINED_OUTPUT, "the condition depends on an undefined value");
        let Some(condition) = step.operand(0).filter(|_| undefined.is_none()) else { return };
        let failed: Vec<usize> = condition.bits().iter().enumerate().filter(|(_, bit)| **bit & 1 == 0).map(|(i, _)| i).collect();
        if let Some(first) = failed.first() {
            let AttrValue::Str(text) = op.attr(AttrName::Message) else { return };
            let message = format!("the condition is false: {}", self.module.tables.strings.text(text));
            let element = Some(crate::lanes::coordinates(*first, condition.shape()));
            self.violation(
                at,
                Violation { elements: failed.len() as u64, spot: Spot::element(element), ..Violation::new(&rules::ASSERTION, message) },
            );
        }
    }
}
