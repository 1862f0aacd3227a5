//! Plans: the code of an entry for the tile machine.

pub(crate) mod access;
mod chains;
mod coalesce;
mod coarse;
mod combiner;
mod constants;
mod counts;
mod direct_store;
mod earlier;
mod effects;
mod fixed_views;
mod frame;
mod fuse;
mod fuse_reductions;
mod in_place;
mod in_step;
mod inst;
mod late;
mod late_products;
mod late_widening;
mod lower;
mod nest;
mod order;
mod printf;
mod product_loops;
mod recompute;
mod region;
mod sites;
mod streaming;
mod sweep;
mod tile;
mod widen;

pub(crate) use access::{AccessFunction, Affine, Between, Condition, Holds, Index, Leaf, Node, Resolved, floor_div};
pub(crate) use constants::Constants;
#[cfg(test)]
pub(crate) use fuse::MAX_STEPS;
pub(crate) use inst::{
    Atomic, Coordinate, Extent, Fold, FoldColumns, FoldKind, FoldOperand, FoldRows, Inst, Matmul, Order, Placement, PointerAccess, Print,
    Readers, Slice, Target, Update, ViewAccess, ViewDim,
};
pub(crate) use nest::{Loop, Nest};
#[cfg(test)]
pub(crate) use printf::parse as parse_printf;
pub(crate) use printf::{Conversion, Piece};
pub(crate) use region::{Executable, Form, Region, Walks};
use sites::SiteTable;
pub(crate) use sites::{Source, mark_origins};
pub(crate) use sweep::{Call, Chain, Part, Place, Src, Step, Sweep, SweepInput, Way};
pub(crate) use tile::{Base, Operand, Tile, VReg, row_major};

use crate::{
    PlanError, Site,
    memory::{Globals, locals::Allocas},
};
use std::sync::Arc;
use tilewright_ir::{Function, Scalar};

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
    /// Whether there is so much to compute between accesses that tiles are worth reading ahead: where a block does little more than to
    /// load and store, the CPU does that on its own.
    pub(crate) reads_ahead: bool,
    /// For each instruction, whether what it stores may go past the caches if there is much of it: a block runs it once at most, and
    /// no access of the plan orders others, so that nobody looks for what it stored before the launch ends.
    pub(crate) may_stream: Vec<bool>,
    /// The instructions with views whose tensors are constants of a launch, in the order of their numbers.
    pub(crate) fixed_views: Vec<usize>,
    /// How many neighbouring blocks may run in step.
    pub(crate) in_step: usize,
    /// The stores behind which tiles are read that loads may have left in memory, each with such a tile; in order.
    pub(crate) past_stores: Vec<(usize, Tile)>,
    /// The instruction that stores, of blocks that may run as one.
    pub(crate) only_store: Option<usize>,
    /// How many pieces of scratch the sweeps need at once.
    pub(crate) scratch_slots: usize,
}

/// Bytes that each parameter takes at the start of the launch constants.
pub(crate) const PARAM_BYTES: usize = 8;

/// Elementwise operations of a block that mostly loads and stores.
const LITTLE_TO_COMPUTE: usize = 2;

impl Plan {
    /// Plans an entry, which is one of the functions of `source`.
    pub(crate) fn new(source: Source<'_>, globals: &Arc<Globals>, entry: &Function) -> Result<Plan, PlanError> {
        let mut lowered = lower::lower(source, globals, entry)?;
        let uses = counts::count_uses(&lowered.code);
        coalesce::coalesce(&mut lowered.code, &uses);
        widen::widen_early(&mut lowered.code, &mut lowered.registers);
        let mut code = earlier::bring_forward(lowered.code);
        recompute::recompute(&mut code, &mut lowered.registers);
        let mut fused = fuse::fuse(code);
        direct_store::join(&mut fused.code);
        fuse_reductions::begin_early(&mut fused.code, &mut lowered.registers);
        in_place::mark(&mut fused.code);
        let mut layout = frame::lay_out(&fused.code, &lowered.registers)?;
        lowered.prologue.places.iter().for_each(|(reg, offset)| layout.offsets[reg.index()] = *offset);
        let (prologue, prologue_slots) = fuse::one_by_one(lowered.prologue.code);
        let (mut code, sites) = frame::resolve_labels(fused.code);
        let constants = lowered.constants.bytes().len();
        assert!(
            frame::is_inside(&code, &layout.offsets, layout.bytes, constants)
                && frame::is_inside(&prologue, &layout.offsets, constants, constants),
            "registers lie inside the frame, and constants inside those of the launch"
        );
        late::mark(&mut code);
        let waits = code.iter().any(|inst| inst.effects().waits());
        let reads_ahead = share_out_fetching(&mut code);
        region::tell_constants(&mut code, &lowered.constants);
        let times_to_read_ahead = code.iter().map(Inst::times_to_read_ahead).sum();
        let may_stream = streaming::allowed(&code);
        let in_step = in_step::blocks(&code, layout.bytes);
        let fixed_views = fixed_views::number(&mut code);
        product_loops::mark(&mut code);
        let (only_store, past_stores) = (coarse::only_store(&code), in_place::past_stores(&code));
        Ok(Plan {
            entry: source.module().tables.strings.text(entry.name).into_owned(),
            params: lowered.params,
            code,
            prologue,
            sites,
            site_table: lowered.sites,
            constants: lowered.constants,
            globals: Arc::clone(globals),
            allocas: lowered.allocas,
            registers: layout.offsets,
            frame_bytes: layout.bytes,
            waits,
            times_to_read_ahead,
            reads_ahead,
            may_stream,
            in_step,
            fixed_views,
            past_stores,
            only_store,
            scratch_slots: fused.scratch_slots.max(prologue_slots),
        })
    }

    /// Name of the entry.
    pub fn entry(&self) -> &str {
        &self.entry
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

    /// The position in its function of the operation that the instruction at `pc` came from.
    pub(crate) fn op_index(&self, pc: usize) -> u32 {
        self.sites.get(pc).map_or(0, |number| self.site_table.op(*number))
    }
}

/// Lets only those sweeps fetch that have time for it: not the first pass over what a block reads, which waits for memory itself, as folds
/// do, and not those that store, because what they write gets to memory the slower the more is read from there; unless there are no others.
fn choose_sweeps_to_fetch(code: &mut [Inst]) {
    let first = code.iter().position(Inst::is_pass);
    let time = |at: usize, inst: &Inst| match inst {
        Inst::Sweep(_) | Inst::SweepStore { .. } if inst.is_pass() && Some(at) == first => 1,
        Inst::SweepStore { .. } if inst.is_pass() => 2,
        Inst::Sweep(_) if inst.is_pass() => 3,
        _ => 0,
    };
    let most = code.iter().enumerate().map(|(at, inst)| time(at, inst)).max();
    for (at, inst) in code.iter_mut().enumerate() {
        if Some(time(at, inst)) != most {
            inst.leave_memory_alone();
        }
    }
}

/// Says who fetches what a block will read next: sweeps, or, where these have little to do, folds; or nobody, if chains are all there is,
/// which read one element behind the other, so that the CPU sees what comes next. Gives whether loads shall tell what there is to fetch.
fn share_out_fetching(code: &mut [Inst]) -> bool {
    let sweeps = || code.iter().filter_map(Inst::sweep).filter(|sweep| sweep.n >= Sweep::PIECE);
    let folds = |inst: &Inst| matches!(inst, Inst::Fold(_) | Inst::FoldRows(_) | Inst::FoldColumns(_) | Inst::Matmul(_));
    let only_chains = sweeps().all(Sweep::is_chained) && !code.iter().any(folds);
    let in_folds = sweeps().map(|sweep| sweep.steps.len()).sum::<usize>() <= LITTLE_TO_COMPUTE;
    if only_chains {
        return false;
    }
    if !in_folds {
        choose_sweeps_to_fetch(code);
    }
    !in_folds || code.iter().any(|inst| matches!(inst, Inst::FoldRows(fold) if fold.steps > 0))
}
