//! Plans: the code of an entry for the tile machine.

pub(crate) mod access;
mod block_order;
mod block_work;
mod coalesce;
mod coarse;
mod combiner;
mod constants;
mod counts;
mod deferred_products;
mod dependences;
mod direct_store;
mod draft;
mod earlier;
mod effects;
mod fixed_views;
mod frame;
mod fuse;
mod fuse_reductions;
mod fuse_rows;
mod grouping;
mod in_place;
mod in_step;
mod indexed;
mod inst;
mod late;
mod lower;
mod narrow;
mod nest;
mod passes;
mod printf;
mod product_loops;
mod read_ahead;
mod recompute;
mod region;
mod row_region;
mod short_divisions;
mod sites;
mod spread;
mod stores_behind;
mod streaming;
mod sweep;
mod sweep_loops;
mod text;
mod tile;
mod verify;
mod widen;
mod windows;

pub(crate) use access::{
    AccessFunction, Affine, Between, Condition, DivisionPart, Holds, Index, LaneDigits, Leaf, Node, Resolved, are_apart,
};
pub(crate) use block_order::BlockOrder;
pub(crate) use block_work::BlockWork;
pub(crate) use constants::Constants;
use draft::Draft;
pub(crate) use effects::Control;
pub(crate) use grouping::Grouping;
pub(crate) use inst::{
    Atomic, Coordinate, Extent, Fold, FoldColumns, FoldKind, FoldOperand, FoldRows, IndexedLoad, Inst, LoadWindows, LoopBody, Matmul,
    Order, Placement, PointerAccess, Print, Readers, Slice, Target, Update, ViewAccess, ViewDim, Watch, Window,
};
pub(crate) use nest::{Loop, Nest};
use passes::Run;
pub use passes::{PLAN_PASSES, PlanPass};
#[cfg(test)]
pub(crate) use printf::parse as parse_printf;
pub(crate) use printf::{Conversion, Piece};
pub(crate) use product_loops::{LoopProduct, ProductLoop};
pub(crate) use read_ahead::Prefetches;
pub(crate) use region::{Executable, Form, Gathers, REACH, Region, RegionBuffer, Walks, counter_mask};
pub(crate) use row_region::{Content, RowForm, RowInput, RowRegion, RowResult, Spread, ValueKind};
pub(crate) use short_divisions::ShortDivisions;
use sites::SiteTable;
pub(crate) use sites::{Source, mark_origins};
pub(crate) use sweep::{Call, Gathered, Src, Step, Sweep, SweepInput, Way};
pub(crate) use tile::{Base, Operand, PerDim, Tile, VReg, row_major};

use crate::{
    PlanError, Site, TargetMachine,
    memory::{Globals, locals::Allocas},
    profile::Origin,
};
use std::{fmt::Display, sync::Arc};
use tilewright_ir::{Function, Scalar};
use tilewright_vector::Listing;

/// A parameter of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Param {
    /// A number.
    Scalar(Scalar),
    /// The address of elements of this type.
    Pointer(Scalar),
}

impl std::fmt::Display for Param {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Param::Scalar(scalar) => write!(f, "{scalar}"),
            Param::Pointer(scalar) => write!(f, "ptr<{scalar}>"),
        }
    }
}

/// The code of an entry, ready to run on any grid with any arguments.
///
/// A plan knows nothing of files and nothing of a launch's buffers; it can be shared by threads and launches.
#[derive(Debug)]
pub struct Plan {
    entry: String,
    machine: TargetMachine,
    params: Vec<Param>,
    pub(crate) code: Vec<Inst>,
    /// What a launch computes before its blocks begin: registers that stand for parts of its constants.
    pub(crate) prologue: Vec<Inst>,
    /// For each instruction, the operation it came from.
    pub(crate) sites: Vec<u32>,
    /// The operations that instructions came from.
    site_table: SiteTable,
    pub(crate) constants: Constants,
    /// The memory of the module's globals, at the addresses that the code holds.
    pub(crate) globals: Arc<Globals>,
    /// What the blocks allocate.
    pub(crate) allocas: Allocas,
    /// Byte offset of each register in a block's frame, and of those that the prologue writes in the launch's constants.
    pub(crate) registers: Vec<usize>,
    /// Bytes of a block's frame.
    pub(crate) frame_bytes: usize,
    /// Whether blocks may wait for others.
    pub(crate) waits: bool,
    /// How often sweeps and folds read ahead, where nothing is repeated.
    pub(crate) times_to_read_ahead: usize,
    pub(crate) prefetches: Prefetches,
    /// For each instruction, whether what it stores may go past the caches if there is much of it: a block runs it once at most, and
    /// no access of the plan orders others, so that nobody looks for what it stored before the launch ends.
    pub(crate) may_stream: Vec<bool>,
    /// The instructions with views whose tensors are constants of a launch, in the order of their numbers.
    pub(crate) fixed_views: Vec<usize>,
    /// How many neighbouring blocks may run in step.
    pub(crate) in_step: usize,
    /// How much a block does, and its neighbours as well.
    pub(crate) work: BlockWork,
    /// The order in which blocks begin, if they do not run as one.
    pub(crate) block_order: BlockOrder,
    /// The stores behind which tiles are read that loads may have left in memory, each with such a tile; in order.
    pub(crate) past_stores: Vec<(usize, Tile)>,
    /// For each instruction, whether it loads a tile that several others read through its strides.
    pub(crate) read_again: Vec<bool>,
    /// For each instruction, how many stores of other results of it stand right behind it.
    pub(crate) stores_behind: Vec<usize>,
    /// The instruction that stores, of blocks that may run as one.
    pub(crate) only_store: Option<usize>,
    /// How many pieces of scratch the sweeps need at once.
    pub(crate) scratch_slots: usize,
    /// How to make plans of groups of its blocks.
    pub(crate) grouping: Option<Grouping>,
    /// For launches that divide indices by small numbers.
    pub(crate) short_divisions: Option<ShortDivisions>,
}

/// The vector code of an instruction: of a fused region, or of what combines the elements of a reduction or scan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RegionCode {
    /// The number of its instruction.
    pub instruction: usize,
    /// Its vector code, as text.
    pub vector: String,
    /// Its machine code; none where the portable executor runs it.
    pub native: Option<Listing>,
}

/// What passes have made so far.
enum State {
    Empty,
    Draft(Box<Draft>),
    Plan(Box<Plan>),
}

/// Bytes that each parameter takes at the start of the launch constants.
pub(crate) const PARAM_BYTES: usize = 8;

impl Plan {
    /// Plans an entry, which is one of the functions of `source`, and shows the code after each pass.
    pub(crate) fn new(
        source: Source<'_>,
        globals: &Arc<Globals>,
        entry: &Function,
        machine: TargetMachine,
        mut observe: impl FnMut(&PlanPass, &dyn Display),
    ) -> Result<Plan, PlanError> {
        let mut state = State::Empty;
        for pass in PLAN_PASSES {
            state = match (pass.run, state) {
                (Run::Lower, _) => State::Draft(Draft::new(source, globals, entry, machine)?),
                (Run::Draft(run), State::Draft(mut draft)) => {
                    if pass.finds_work(draft.code.iter().map(|(inst, _)| inst)) {
                        run(&mut draft);
                    }
                    State::Draft(draft)
                }
                (Run::Finish, State::Draft(draft)) => State::Plan(draft.finish()?),
                (Run::Plan(run), State::Plan(mut plan)) => {
                    if pass.finds_work(plan.code.iter()) {
                        run(&mut plan);
                    }
                    State::Plan(plan)
                }
                (Run::Draft(_) | Run::Finish | Run::Plan(_), _) => unreachable!("drafts are made first, then plans"),
            };
            match &state {
                State::Draft(draft) => {
                    if cfg!(debug_assertions) {
                        verify::draft(draft).unwrap_or_else(|broken| panic!("after {}: {broken}\n{draft}", pass.name));
                    }
                    observe(pass, draft);
                }
                State::Plan(plan) => observe(pass, plan),
                State::Empty => {}
            }
        }
        match state {
            State::Plan(plan) => Ok(*plan),
            State::Empty | State::Draft(_) => unreachable!("passes finish the plan"),
        }
    }

    /// The code of its fused regions, with all buffers in registers of the tile machine, and of its combiners, in the order of their
    /// instructions; none where the machine that it is made for has none.
    pub fn regions(&self) -> impl Iterator<Item = RegionCode> {
        self.code.iter().enumerate().filter_map(|(instruction, inst)| {
            let code = match inst {
                Inst::Fold(fold) => combiner::code_of(fold)?,
                inst => match (inst.rows(), inst.sweep()) {
                    (Some(rows), _) => rows.code(&rows.usual()),
                    (None, sweep) => sweep?.region()?.code(sweep?),
                },
            };
            let native = self.machine.native().and_then(|level| code.listing(level).ok());
            Some(RegionCode { instruction, vector: code.to_string(), native })
        })
    }

    /// Name of the entry.
    pub fn entry(&self) -> &str {
        &self.entry
    }

    /// What it was made for.
    pub fn machine(&self) -> TargetMachine {
        self.machine
    }

    /// Its parameters, in order.
    pub fn params(&self) -> &[Param] {
        &self.params
    }

    /// Bytes of registers that one block needs.
    pub fn frame_bytes(&self) -> usize {
        self.frame_bytes
    }

    /// Along which axis of the grid a register has the coordinate of the block, if it does.
    pub(crate) fn axis(&self, reg: VReg) -> Option<usize> {
        coarse::axis(&self.code, reg)
    }

    /// The operation that the instruction at `pc` came from.
    pub(crate) fn site(&self, pc: usize) -> Option<Site> {
        Some(self.site_table.site(*self.sites.get(pc)?))
    }

    /// The operation that a number stands for, as messages name it.
    pub(crate) fn site_of(&self, number: u32) -> Site {
        self.site_table.site(number)
    }

    /// The position in its function of the operation that a number stands for.
    pub(crate) fn op_of(&self, number: u32) -> u32 {
        self.site_table.op(number)
    }

    /// The operation with a number.
    pub(crate) fn origin(&self, site: u32) -> Origin {
        self.site_table.origin(site)
    }

    /// The position in its function of the operation that the instruction at `pc` came from.
    pub(crate) fn op_index(&self, pc: usize) -> u32 {
        self.sites.get(pc).map_or(0, |number| self.site_table.op(*number))
    }
}
