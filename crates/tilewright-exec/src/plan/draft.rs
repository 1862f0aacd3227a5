//! Plans while they are made: code with labels, over registers without places.

use super::{
    BlockOrder, BlockWork, Inst, Param, Plan, Prefetches, SiteTable, Source, VReg, constants::Constants, frame, fuse, lower, text::Listing,
    verify,
};
use crate::{
    PlanError, TargetMachine,
    memory::{Globals, locals::Allocas},
};
use std::{
    fmt::{self, Display, Formatter},
    sync::Arc,
};
use tilewright_ir::{Function, Module};

/// A plan that passes change.
pub(super) struct Draft {
    entry: String,
    pub(super) machine: TargetMachine,
    params: Vec<Param>,
    /// Instructions, each with the number of the operation that it came from.
    pub(super) code: Vec<(Inst, u32)>,
    /// Bytes of each register.
    pub(super) registers: Vec<usize>,
    pub(super) prologue: Vec<Inst>,
    /// The registers that the prologue writes, and the offsets in the constants that stand for them.
    pub(super) prologue_places: Vec<(VReg, usize)>,
    /// Slots of scratch that sweeps need.
    pub(super) scratch_slots: usize,
    site_table: SiteTable,
    pub(super) constants: Constants,
    globals: Arc<Globals>,
    allocas: Allocas,
}

impl Draft {
    /// What lowering makes of an entry.
    pub(super) fn new(
        source: Source<'_>,
        globals: &Arc<Globals>,
        entry: &Function,
        machine: TargetMachine,
    ) -> Result<Box<Draft>, PlanError> {
        Draft::lower(source, globals, entry, machine, false)
    }

    fn lower(
        source: Source<'_>,
        globals: &Arc<Globals>,
        entry: &Function,
        machine: TargetMachine,
        watched: bool,
    ) -> Result<Box<Draft>, PlanError> {
        let lowered = lower::lower(source, globals, entry, machine, watched)?;
        Ok(Box::new(Draft {
            machine,
            entry: source.module().tables.strings.text(entry.name).into_owned(),
            params: lowered.params,
            code: lowered.code,
            registers: lowered.registers,
            prologue: lowered.prologue.code,
            prologue_places: lowered.prologue.places,
            scratch_slots: 0,
            site_table: lowered.sites,
            constants: lowered.constants,
            globals: Arc::clone(globals),
            allocas: lowered.allocas,
        }))
    }

    /// Gives registers their places and labels their instructions.
    pub(super) fn finish(self: Box<Draft>) -> Result<Box<Plan>, PlanError> {
        let mut layout = frame::lay_out(&self.code, &self.registers)?;
        self.prologue_places.iter().for_each(|(reg, offset)| layout.offsets[reg.index()] = *offset);
        let (code, sites) = frame::resolve_labels(self.code);
        let constants = self.constants.bytes().len();
        assert!(
            frame::is_inside(&code, &layout.offsets, layout.bytes, constants)
                && frame::is_inside(&self.prologue, &layout.offsets, constants, constants),
            "registers lie inside the frame, and constants inside those of the launch"
        );
        let waits = code.iter().any(|inst| inst.effects().waits());
        let scratch_slots = self.scratch_slots.max(fuse::scratch_of_folds(&code));
        Ok(Box::new(Plan {
            entry: self.entry,
            machine: self.machine,
            params: self.params,
            may_stream: Vec::new(),
            code,
            prologue: self.prologue,
            sites,
            site_table: self.site_table,
            constants: self.constants,
            globals: self.globals,
            allocas: self.allocas,
            registers: layout.offsets,
            frame_bytes: layout.bytes,
            waits,
            times_to_read_ahead: 0,
            prefetches: Prefetches::None,
            in_step: 1,
            work: BlockWork::default(),
            block_order: BlockOrder::GRID,
            fixed_views: Vec::new(),
            past_stores: Vec::new(),
            read_again: Vec::new(),
            stores_behind: Vec::new(),
            only_store: None,
            scratch_slots,
            grouping: None,
            short_divisions: None,
        }))
    }
}

impl Plan {
    /// Plans an entry to be watched: each operation is carried out as it stands, beside an instruction that shows it. None of the passes
    /// of other plans run.
    pub(crate) fn watched(module: &Module, globals: &Arc<Globals>, entry: &Function, machine: TargetMachine) -> Result<Plan, PlanError> {
        let mut draft = Draft::lower(Source::Original(module), globals, entry, machine, true)?;
        let (code, sites): (Vec<Inst>, Vec<u32>) = std::mem::take(&mut draft.code).into_iter().unzip();
        let (code, slots) = fuse::one_by_one(code, machine);
        (draft.code, draft.scratch_slots) = (code.into_iter().zip(sites).collect(), slots);
        if cfg!(debug_assertions) {
            verify::draft(&draft).unwrap_or_else(|broken| panic!("{broken}\n{draft}"));
        }
        let mut plan = draft.finish()?;
        plan.may_stream = vec![false; plan.code.len()];
        plan.read_again = vec![false; plan.code.len()];
        plan.stores_behind = vec![0; plan.code.len()];
        Ok(*plan)
    }
}

impl Display for Draft {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let code = self.code.iter().map(|(inst, _)| inst);
        Listing { entry: &self.entry, params: &self.params, prologue: &self.prologue, code, facts: Vec::new() }.fmt(f)
    }
}

impl Display for Plan {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let streams: Vec<usize> = self.may_stream.iter().enumerate().filter(|(_, may)| **may).map(|(at, _)| at).collect();
        let stores = |at: &usize| self.code.get(*at).is_some_and(|inst| matches!(inst, Inst::SweepStore { .. } | Inst::RowsStore { .. }));
        let again: Vec<usize> = self.read_again.iter().enumerate().filter(|(_, again)| **again).map(|(at, _)| at).collect();
        let joined: Vec<usize> = self.stores_behind.iter().enumerate().flat_map(|(at, behind)| at + 1..=at + behind).collect();
        let mut facts = vec![
            ("frame_bytes", self.frame_bytes.to_string()),
            ("scratch_slots", self.scratch_slots.to_string()),
            ("waits", self.waits.to_string()),
            ("prefetches", self.prefetches.to_string()),
            ("non_temporal", format!("{:?}", streams.into_iter().filter(stores).collect::<Vec<_>>())),
            ("block_order", format!("{:?}", self.block_order.axes)),
            ("blocks_in_step", self.in_step.to_string()),
            ("work_in_common", format!("{:?} %", self.work.percent())),
            ("coarsened_store", self.only_store.map_or("none".to_owned(), |at| at.to_string())),
        ];
        let lists = [("read_again", again), ("joined_stores", joined)];
        facts.extend(lists.into_iter().filter(|(_, all)| !all.is_empty()).map(|(name, all)| (name, format!("{all:?}"))));
        Listing { entry: &self.entry, params: &self.params, prologue: &self.prologue, code: self.code.iter(), facts }.fmt(f)
    }
}
