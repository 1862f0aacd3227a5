//! The instructions of the tile machine.
//!
//! An instruction works on whole tiles. Registers are written in full by the instruction that defines them; only the
//! registers of loop-carried values and of results of structured operations are written in several places.

use super::{
    AccessFunction, PerDim, Piece, Tile, VReg,
    combiner::Combiner,
    row_region::RowRegion,
    sweep::{Src, Step, Sweep, SweepInput},
};
use crate::kernels::{
    Kernel,
    columns::ColumnsKernel,
    mma::{Batch, MatmulKind, Shape},
    rows::RowsFn,
};
use smallvec::SmallVec;
use tilewright_ir::{AtomicRMWMode, MemoryOrderingSemantics, MemoryScope, Scalar};

/// A place in the code: a label while lowering, an instruction's position in a finished plan.
pub(crate) type Target = usize;

#[derive(Debug)]
pub(crate) enum Inst {
    /// Marks a place while lowering; finished plans have none.
    Label(Target),
    /// One elementwise operation on `n` elements; fusing turns runs of them into sweeps.
    Elementwise(Elementwise),
    /// A weak load through pointers that are one address and an index for each lane; fusing makes it an input of a sweep, or a load through
    /// pointers again.
    IndexedLoad(Box<IndexedLoad>),
    Sweep(Box<Sweep>),
    /// Copies a tile into a register, in row-major order.
    Move {
        src: Tile,
        dst: VReg,
    },
    /// Copies one of the equal slices of a tile.
    Extract {
        src: Tile,
        slice: Box<Slice>,
        dst: VReg,
    },
    /// Copies a tile, whose elements lie in order, to one of the equal slices of a register.
    Insert {
        src: Tile,
        slice: Box<Slice>,
        dst: VReg,
    },
    /// Copies a tile, whose elements lie in order, backwards along some of its dimensions.
    Reverse {
        src: Tile,
        dims: SmallVec<[usize; 2]>,
        dst: VReg,
    },
    /// Gives elements of 1 or 4 bits as bytes, or bytes as such elements.
    Repack {
        src: Tile,
        dst: VReg,
        bits: u32,
        pack: bool,
    },
    /// Writes 0, 1, 2, ...
    Iota {
        dst: VReg,
        n: usize,
        size: usize,
    },
    BlockId([VReg; 3]),
    GridSize([VReg; 3]),
    /// Writes how many tiles lie along a dimension, or its extent.
    ViewExtent {
        extent: Extent,
        step: u64,
        dst: VReg,
        size: usize,
    },
    Load {
        view: Box<ViewAccess>,
        dst: VReg,
        readers: Readers,
        /// Some of the readers stand behind a store, before which the tile is copied if it might be written.
        past_stores: bool,
    },
    /// Loads a tile of which others are windows. If that cannot be, the loads behind it, one for each window, load these alone.
    LoadWindows(Box<LoadWindows>),
    Store {
        view: Box<ViewAccess>,
        src: Tile,
    },
    /// Runs a sweep and stores one of its results, which nothing else reads.
    SweepStore {
        sweep: Box<Sweep>,
        view: Box<ViewAccess>,
        src: Tile,
    },
    /// Runs a row region.
    Rows(Box<RowRegion>),
    /// Runs a row region and stores one of its results, which nothing else reads.
    RowsStore {
        rows: Box<RowRegion>,
        view: Box<ViewAccess>,
        src: Tile,
    },
    LoadPointers {
        access: Box<PointerAccess>,
        padding: Option<Tile>,
        dst: VReg,
    },
    StorePointers {
        access: Box<PointerAccess>,
        src: Tile,
    },
    Atomic(Box<Atomic>),
    /// Combines a tile into memory, atomically for each element.
    AtomicView {
        view: Box<ViewAccess>,
        mode: AtomicRMWMode,
        src: Tile,
    },
    Matmul(Box<Matmul>),
    /// Adds the deferred products of a slot that still wait to their sums, which a register has in order.
    FinishProducts {
        slot: usize,
        sums: Box<Tile>,
    },
    Fold(Box<Fold>),
    FoldRows(Box<FoldRows>),
    FoldColumns(Box<FoldColumns>),
    Print(Box<Print>),
    /// Makes one of the plan's allocations, and gives its address.
    Alloca {
        slot: usize,
        dst: VReg,
    },
    /// Frees allocations.
    Release(Vec<usize>),
    Assert {
        condition: Tile,
        message: String,
    },
    Jump(Target),
    /// Goes to the target if the condition is false.
    BranchUnless {
        condition: Tile,
        target: Target,
    },
    /// Goes back in a loop. `waits`: the loop may wait for other blocks, so the block can be parked here.
    JumpBack {
        target: Target,
        waits: bool,
    },
    /// Enters a counted loop, or goes to `exit` if there is nothing to count. Loops are few: with their two tiles elsewhere, all instructions are
    /// smaller, which passes move.
    ForHead {
        counter: VReg,
        upper: Box<Tile>,
        step: Box<Tile>,
        signed: bool,
        exit: Target,
        body: LoopBody,
    },
    /// Counts on and goes back, or falls through at the end.
    ForNext {
        counter: VReg,
        upper: Box<Tile>,
        step: Box<Tile>,
        signed: bool,
        target: Target,
        waits: bool,
    },
    /// Shows an operation to the watcher of the launch.
    Watch(Box<Watch>),
    Return,
}

/// What is known of the body of a counted loop: then the head runs all rounds as one instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LoopBody {
    /// Any instructions: the loop goes through them.
    Any,
    /// Loads and products of their tiles (`plan/product_loops.rs`).
    Product,
    /// A sweep that carries tiles from round to round in registers of the CPU (`plan/sweep_loops.rs`).
    Sweep,
}

/// Who reads a loaded tile, which tells whether it can be left where it lies in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Readers {
    /// Anybody, at any time: it is copied to its register.
    Any,
    /// Instructions that follow at once: it can be left where it is if it lies there as in a register.
    InOrder,
    /// Instructions that follow at once and go through its strides: it can be left wherever it is.
    Strided,
    /// The same, and all are stores, which copy rows that lie anywhere.
    Stores,
    /// Row regions that follow at once, of rows with so many elements: it can be left where it is if its rows lie as far apart as each other, also if it has
    /// less of each row.
    Rows(usize),
    /// The same, and all are products, which fetch what a loop will load next while they multiply.
    Products,
}

#[derive(Clone, Debug)]
pub(crate) struct Elementwise {
    pub(crate) kernel: Kernel,
    pub(crate) srcs: Vec<Tile>,
    pub(crate) dst: VReg,
    pub(crate) n: usize,
    /// Bytes of a result element.
    pub(crate) size: usize,
}

/// A weak load of elements behind one address, which is the same for all lanes.
#[derive(Clone, Debug)]
pub(crate) struct IndexedLoad {
    /// What makes the pointers: of the address and the indices.
    pub(crate) offset: Elementwise,
    /// The load through the pointers, with what masked-off lanes get.
    pub(crate) access: PointerAccess,
    pub(crate) padding: Option<Tile>,
    /// What masked-off lanes get, seen through the strides of what it was copied from.
    pub(crate) source_of_padding: Option<Tile>,
    pub(crate) dst: VReg,
}

/// One of the equal slices of a tile, by its number along each dimension.
#[derive(Debug)]
pub(crate) struct Slice {
    pub(crate) indices: Vec<Tile>,
    /// How many slices there are along each dimension.
    pub(crate) counts: Vec<usize>,
    /// The first slice, seen in the whole tile.
    pub(crate) first: Tile,
}

/// A number that a view needs when the kernel runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Extent {
    Static(u64),
    /// A scalar, read unsigned.
    Dynamic(Tile),
}

/// How a view operation finds its place along one dimension of the view.
#[derive(Clone, Debug)]
pub(crate) enum Coordinate {
    /// A tile number or an element offset, read unsigned, times this many elements.
    Origin { index: Tile, scale: u64 },
    /// One element coordinate for each position of the tile, read unsigned.
    Gather { indices: Tile },
}

/// One dimension of an access through a view of a tensor.
#[derive(Clone, Debug)]
pub(crate) struct ViewDim {
    /// Extent of the tensor.
    pub(crate) shape: Extent,
    /// Stride of the tensor, in elements.
    pub(crate) stride: Extent,
    pub(crate) coordinate: Coordinate,
}

/// How an access orders others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Order {
    pub(crate) semantics: MemoryOrderingSemantics,
    pub(crate) scope: Option<MemoryScope>,
}

/// Where the elements of a tile lie.
#[derive(Clone, Debug)]
pub(crate) enum Placement {
    /// In a tensor: one for each dimension of the tile.
    Tensor(Vec<ViewDim>),
    /// Where the program computes for each lane.
    Computed(Box<AccessFunction>),
}

/// An access through a view: a tile's elements and where each lies.
#[derive(Clone, Debug)]
pub(crate) struct ViewAccess {
    pub(crate) base: Tile,
    pub(crate) element: Scalar,
    /// Bytes of an element, in registers and, unless they are packed, in memory.
    pub(crate) size: usize,
    /// Two elements share a byte of memory.
    pub(crate) packed: bool,
    /// Extents of the tile.
    pub(crate) tile: Vec<usize>,
    /// Dimensions along which the program has the tile backwards: it is loaded forwards, and an instruction turns it around.
    pub(crate) reversed: SmallVec<[usize; 2]>,
    pub(crate) places: Placement,
    /// Bits of the elements outside of the tensor, or that are masked off.
    pub(crate) padding: u64,
    pub(crate) order: Order,
    /// Its number among the views whose tensors are constants of a launch, if it is one of them.
    pub(crate) fixed: Option<usize>,
}

/// A load of a tile of which others are windows (`plan/windows.rs`).
#[derive(Debug)]
pub(crate) struct LoadWindows {
    pub(crate) view: ViewAccess,
    pub(crate) dst: VReg,
    /// What it loads, as it lies in the register.
    pub(crate) tile: Tile,
    pub(crate) readers: Readers,
    /// Extents of each window, along the dimensions of more than one element.
    pub(crate) extents: PerDim,
    pub(crate) windows: Vec<Window>,
}

/// A part of a tile that is a tile itself.
#[derive(Debug)]
pub(crate) struct Window {
    pub(crate) dst: VReg,
    /// Where it begins, along the same dimensions.
    pub(crate) first: PerDim,
}

/// An access through a tile of pointers.
#[derive(Clone, Debug)]
pub(crate) struct PointerAccess {
    /// The pointers, or an index of `i32` for each where all count from one address.
    pub(crate) pointers: Tile,
    /// The address that indices count from, in all lanes. Atomic updates may have it (`plan/indexed.rs`).
    pub(crate) base: Option<Tile>,
    pub(crate) mask: Option<Tile>,
    pub(crate) element: Scalar,
    /// Bytes of an element, in memory and in registers.
    pub(crate) size: usize,
    pub(crate) order: Order,
}

/// An atomic update through a tile of pointers.
#[derive(Debug)]
pub(crate) struct Atomic {
    pub(crate) access: PointerAccess,
    pub(crate) update: Update,
    /// Gets the old values, if anything reads them.
    pub(crate) dst: Option<VReg>,
    /// Nobody can tell whether it happens now or at the end of the launch (`plan/late.rs`).
    pub(crate) may_be_late: bool,
}

/// What an atomic update writes: tiles in order, or a splat as the argument.
#[derive(Debug)]
pub(crate) enum Update {
    Rmw { mode: AtomicRMWMode, argument: Tile },
    CompareExchange { expected: Tile, new: Tile },
}

/// `dst = acc + lhs * rhs`, for each of `batch` matrices.
#[derive(Debug)]
pub(crate) struct Matmul {
    pub(crate) kind: MatmulKind,
    pub(crate) batch: usize,
    pub(crate) shape: Shape,
    pub(crate) lhs: Tile,
    pub(crate) rhs: Tile,
    /// In order, or a splat.
    pub(crate) acc: Tile,
    /// Factors for blocks of elements along `k`: those of `lhs`, `m` x blocks, and those of `rhs`, blocks x `n`.
    pub(crate) scales: Option<[Tile; 2]>,
    /// May be the register of `acc`: the product is summed in place.
    pub(crate) dst: VReg,
    /// The slot of the products that it is computed together with, where the machine may do so later (`plan/deferred_products.rs`).
    pub(crate) deferred: Option<usize>,
}

impl Matmul {
    /// How many products it has, and factors of them that differ.
    pub(crate) fn in_batch(&self) -> Batch {
        let differs = |tile: &Tile| tile.shape.len() == 3 && tile.strides[0] > 0;
        let factors = [&self.lhs, &self.rhs].map(|tile| if differs(tile) { self.batch } else { 1 });
        Batch { products: self.batch, factors }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FoldKind {
    Reduce,
    Scan { reverse: bool },
}

/// `reduce` or `scan`: combines whole slices along a dimension with the region's operations.
#[derive(Debug)]
pub(crate) struct Fold {
    pub(crate) kind: FoldKind,
    /// Extent of the dimension.
    pub(crate) extent: usize,
    /// Elements of a slice: the product of the other extents.
    pub(crate) slice: usize,
    /// The operands with the dimension moved to the front, and the register each is brought to in that order.
    pub(crate) operands: Vec<FoldOperand>,
    /// What the steps read: first the pairs of arguments, then values from outside of the region.
    pub(crate) captures: Vec<Tile>,
    pub(crate) steps: Vec<Step>,
    /// For each operand, where its combined value is found after the steps.
    pub(crate) results: Vec<Src>,
    /// Scratch slots: one for each step, then one for each capture.
    pub(crate) slots: usize,
    /// The product of the extents before that of the dimension.
    pub(crate) outer: usize,
    /// The steps as vector code.
    pub(crate) combiner: Combiner,
}

/// `reduce` or `scan` along the innermost dimension with one of the usual operations.
#[derive(Debug)]
pub(crate) struct FoldRows {
    pub(crate) kernel: RowsFn,
    /// How it combines elements.
    pub(crate) operation: Kernel,
    /// Whether it is a reduction, which sweeps can begin.
    pub(crate) is_reduction: bool,
    pub(crate) rows: usize,
    pub(crate) extent: usize,
    /// Elements of the result of a row.
    pub(crate) result: usize,
    /// The rows, in order.
    pub(crate) src: Tile,
    pub(crate) dst: VReg,
    /// Room for a row.
    pub(crate) spare: VReg,
    /// Steps of computing, for what is fetched meanwhile; 0 if nothing is.
    pub(crate) steps: usize,
}

/// `reduce` of whole rows with one of the usual operations.
#[derive(Debug)]
pub(crate) struct FoldColumns {
    pub(crate) kernel: ColumnsKernel,
    /// How it combines elements.
    pub(crate) combine: Kernel,
    /// The register of sums that what comes out is combined into, in place of being the result.
    pub(crate) sums: Option<VReg>,
    /// The rows: a matrix.
    pub(crate) src: Tile,
    pub(crate) dst: VReg,
    /// Room for all rows and half of them.
    pub(crate) spare: VReg,
}

#[derive(Debug)]
pub(crate) struct FoldOperand {
    /// The operand, the folded dimension first.
    pub(crate) src: Tile,
    /// The operand as it is.
    pub(crate) tile: Tile,
    /// Elements from one row of the operand to the next, where rows lie in order: all extents from the folded one on.
    pub(crate) row: Option<usize>,
    /// Holds the operand in that order; for a reduction, its first slice holds the result in the end.
    pub(crate) work: VReg,
    /// A second register of the same size, for scans.
    pub(crate) spare: Option<VReg>,
    /// Bytes of an element.
    pub(crate) size: usize,
}

impl FoldColumns {
    /// The sums that it reads and writes.
    fn sums(&self) -> Option<Tile> {
        Some(Tile::contiguous(self.src.elem, super::Base::Reg(self.sums?), &self.src.shape[1..]))
    }
}

impl FoldOperand {
    /// Elements from one row of what a reduction reads to the next: where the operand lies, or in the work register.
    pub(crate) fn row_pitch(&self, fold: &Fold) -> usize {
        self.row.unwrap_or(fold.extent * fold.slice / fold.outer)
    }
}

/// An operation, as it is shown to the watcher of a launch.
#[derive(Debug)]
pub(crate) struct Watch {
    /// Position of its function in the module.
    pub(crate) function: u32,
    /// Its position in the function.
    pub(crate) op: u32,
    /// Its operands; none for tokens and views.
    pub(crate) operands: Vec<Option<Tile>>,
    /// Its results, where they are there.
    pub(crate) results: Vec<Option<Tile>>,
    /// Of a fold: the values from outside that its region reads, by their positions in the function.
    pub(crate) captures: Vec<(u32, Tile)>,
    /// Whether it accesses memory, and this stands in front of it.
    pub(crate) accesses: bool,
    /// Whether this shows the results of an operation that was shown before.
    pub(crate) done: bool,
    /// The tile that it accesses, if it does so through a view.
    pub(crate) view: Option<Box<ViewAccess>>,
}

#[derive(Debug)]
pub(crate) struct Print {
    pub(crate) pieces: Vec<Piece>,
    pub(crate) args: Vec<Tile>,
}

impl Inst {
    /// The tiles it reads.
    pub(crate) fn for_each_read(&self, mut visit: impl FnMut(&Tile)) {
        self.visit_reads(&mut visit);
    }

    /// The same, once in the binary for all visitors.
    fn visit_reads(&self, mut visit: &mut dyn FnMut(&Tile)) {
        match self {
            Inst::Label(_)
            | Inst::Iota { .. }
            | Inst::BlockId(_)
            | Inst::GridSize(_)
            | Inst::Jump(_)
            | Inst::JumpBack { .. }
            | Inst::Alloca { .. }
            | Inst::Release(_)
            | Inst::Return => {}
            Inst::Elementwise(inst) => inst.srcs.iter().for_each(visit),
            Inst::IndexedLoad(load) => load.for_each_read(visit),
            Inst::Sweep(sweep) => sweep.inputs.iter().map(SweepInput::tile).for_each(visit),
            Inst::SweepStore { sweep, view, src } => {
                sweep.inputs.iter().map(SweepInput::tile).for_each(&mut visit);
                view.for_each_read(&mut visit);
                visit(src);
            }
            Inst::Rows(rows) => rows.for_each_read(visit),
            Inst::RowsStore { rows, view, src } => {
                rows.for_each_read(&mut visit);
                view.for_each_read(&mut visit);
                visit(src);
            }
            Inst::Move { src, .. } | Inst::Reverse { src, .. } | Inst::Repack { src, .. } => visit(src),
            Inst::Extract { src, slice, .. } => [src].into_iter().chain(&slice.indices).for_each(visit),
            Inst::Insert { src, slice, .. } => [src, &slice.first].into_iter().chain(&slice.indices).for_each(visit),
            Inst::ViewExtent { extent, .. } => extent.for_each_read(&mut visit),
            Inst::Load { view, .. } => view.for_each_read(&mut visit),
            Inst::LoadWindows(load) => load.view.for_each_read(&mut visit),
            Inst::Store { view, src } | Inst::AtomicView { view, src, .. } => {
                view.for_each_read(&mut visit);
                visit(src);
            }
            Inst::LoadPointers { access, padding, .. } => {
                access.for_each_read(&mut visit);
                padding.iter().for_each(visit);
            }
            Inst::StorePointers { access, src } => {
                access.for_each_read(&mut visit);
                visit(src);
            }
            Inst::Atomic(atomic) => {
                atomic.access.for_each_read(&mut visit);
                match &atomic.update {
                    Update::Rmw { argument, .. } => visit(argument),
                    Update::CompareExchange { expected, new } => [expected, new].into_iter().for_each(visit),
                }
            }
            Inst::Matmul(matmul) => {
                [&matmul.lhs, &matmul.rhs, &matmul.acc].into_iter().chain(matmul.scales.iter().flatten()).for_each(visit);
            }
            Inst::FinishProducts { sums, .. } => visit(sums),
            Inst::Watch(watch) => watch.for_each_read(&mut visit),
            Inst::FoldRows(fold) => visit(&fold.src),
            Inst::FoldColumns(fold) => {
                visit(&fold.src);
                if let Some(sums) = fold.sums() {
                    visit(&sums);
                }
            }
            Inst::Fold(fold) => fold.operands.iter().map(|o| &o.src).chain(&fold.captures).for_each(visit),
            Inst::Print(print) => print.args.iter().for_each(visit),
            Inst::Assert { condition, .. } | Inst::BranchUnless { condition, .. } => visit(condition),
            Inst::ForHead { counter, upper, step, .. } | Inst::ForNext { counter, upper, step, .. } => {
                visit(&Tile::contiguous(upper.elem, super::Base::Reg(*counter), &[]));
                visit(upper);
                visit(step);
            }
        }
    }

    /// The registers it writes.
    pub(crate) fn for_each_write(&self, mut visit: impl FnMut(VReg)) {
        self.visit_writes(&mut visit);
    }

    /// The same, once in the binary for all visitors.
    fn visit_writes(&self, visit: &mut dyn FnMut(VReg)) {
        match self {
            Inst::Elementwise(Elementwise { dst, .. })
            | Inst::Move { dst, .. }
            | Inst::Extract { dst, .. }
            | Inst::Insert { dst, .. }
            | Inst::Reverse { dst, .. }
            | Inst::Repack { dst, .. }
            | Inst::Iota { dst, .. }
            | Inst::ViewExtent { dst, .. }
            | Inst::Load { dst, .. }
            | Inst::Alloca { dst, .. }
            | Inst::LoadPointers { dst, .. } => visit(*dst),
            Inst::IndexedLoad(load) => visit(load.dst),
            Inst::LoadWindows(load) => load.windows.iter().map(|window| window.dst).chain([load.dst]).for_each(visit),
            Inst::Atomic(atomic) => atomic.dst.into_iter().for_each(visit),
            Inst::Matmul(matmul) => visit(matmul.dst),
            Inst::FinishProducts { sums, .. } => {
                if let super::Base::Reg(reg) = sums.base {
                    visit(reg);
                }
            }
            Inst::BlockId(dst) | Inst::GridSize(dst) => dst.iter().copied().for_each(visit),
            Inst::Sweep(sweep) | Inst::SweepStore { sweep, .. } => sweep.for_each_write(visit),
            Inst::Rows(rows) | Inst::RowsStore { rows, .. } => rows.for_each_write(visit),
            Inst::FoldRows(fold) => [fold.dst, fold.spare].into_iter().for_each(visit),
            Inst::FoldColumns(fold) => [fold.dst, fold.spare].into_iter().chain(fold.sums).for_each(visit),
            Inst::Fold(fold) => fold.operands.iter().for_each(|operand| {
                visit(operand.work);
                operand.spare.iter().copied().for_each(&mut *visit);
            }),
            Inst::ForNext { counter, .. } => visit(*counter),
            Inst::Label(_)
            | Inst::Store { .. }
            | Inst::AtomicView { .. }
            | Inst::StorePointers { .. }
            | Inst::Print(_)
            | Inst::Assert { .. }
            | Inst::Jump(_)
            | Inst::BranchUnless { .. }
            | Inst::JumpBack { .. }
            | Inst::ForHead { .. }
            | Inst::Release(_)
            | Inst::Watch(_)
            | Inst::Return => {}
        }
    }

    /// Whether it goes over as much as a whole tile.
    pub(crate) fn is_pass(&self) -> bool {
        let folds = matches!(self, Inst::Fold(_) | Inst::FoldRows(_) | Inst::FoldColumns(_) | Inst::Matmul(_)) || self.rows().is_some();
        folds || self.sweep().is_some_and(|sweep| sweep.n >= Sweep::PIECE)
    }

    /// Others have more time to read ahead.
    pub(crate) fn leave_memory_alone(&mut self) {
        match self {
            Inst::FoldRows(fold) => fold.steps = 0,
            Inst::Sweep(sweep) | Inst::SweepStore { sweep, .. } => sweep.leave_memory_alone(),
            _ => {}
        }
    }

    /// How many steps of computing it does, over which fetching can be spread.
    pub(crate) fn times_to_read_ahead(&self) -> usize {
        match self {
            Inst::Sweep(sweep) | Inst::SweepStore { sweep, .. } => sweep.times_to_read_ahead(),
            Inst::FoldRows(fold) => fold.steps,
            _ => 0,
        }
    }

    /// How many elements it works on, if it is an elementwise operation, or a load that can be an input of one.
    pub(crate) fn elementwise_length(&self) -> Option<usize> {
        match self {
            Inst::Elementwise(inst) => Some(inst.n),
            Inst::IndexedLoad(load) => Some(load.offset.n),
            _ => None,
        }
    }

    /// The sweep that it runs.
    pub(crate) fn sweep(&self) -> Option<&Sweep> {
        match self {
            Inst::Sweep(sweep) | Inst::SweepStore { sweep, .. } => Some(sweep),
            _ => None,
        }
    }

    /// The sweep that it runs.
    pub(crate) fn sweep_mut(&mut self) -> Option<&mut Sweep> {
        match self {
            Inst::Sweep(sweep) | Inst::SweepStore { sweep, .. } => Some(sweep),
            _ => None,
        }
    }

    /// The row region that it runs.
    pub(crate) fn rows(&self) -> Option<&RowRegion> {
        match self {
            Inst::Rows(rows) | Inst::RowsStore { rows, .. } => Some(rows),
            _ => None,
        }
    }

    /// The row region that it runs.
    pub(super) fn rows_mut(&mut self) -> Option<&mut RowRegion> {
        match self {
            Inst::Rows(rows) | Inst::RowsStore { rows, .. } => Some(rows),
            _ => None,
        }
    }

    /// The view that it accesses a tile of.
    pub(crate) fn view_mut(&mut self) -> Option<&mut ViewAccess> {
        match self {
            Inst::Load { view, .. }
            | Inst::Store { view, .. }
            | Inst::SweepStore { view, .. }
            | Inst::RowsStore { view, .. }
            | Inst::AtomicView { view, .. } => Some(view),
            Inst::LoadWindows(load) => Some(&mut load.view),
            _ => None,
        }
    }

    /// The place it may go to.
    pub(crate) fn target_mut(&mut self) -> Option<&mut Target> {
        match self {
            Inst::Jump(target) | Inst::BranchUnless { target, .. } | Inst::JumpBack { target, .. } | Inst::ForNext { target, .. } => {
                Some(target)
            }
            Inst::ForHead { exit, .. } => Some(exit),
            _ => None,
        }
    }

    /// The place it may go to.
    pub(crate) fn target(&self) -> Option<Target> {
        match self {
            Inst::Jump(target) | Inst::BranchUnless { target, .. } | Inst::JumpBack { target, .. } | Inst::ForNext { target, .. } => {
                Some(*target)
            }
            Inst::ForHead { exit, .. } => Some(*exit),
            _ => None,
        }
    }
}

impl IndexedLoad {
    /// The address of the element with index 0, in all lanes.
    pub(crate) fn base(&self) -> &Tile {
        &self.offset.srcs[0]
    }

    /// How many elements each lane's lies behind that.
    pub(crate) fn index(&self) -> &Tile {
        &self.offset.srcs[1]
    }

    /// Visits the tiles that it reads, which may be replaced.
    pub(crate) fn for_each_operand(&mut self, visit: impl FnMut(&mut Tile)) {
        let padding = self.padding.iter_mut().chain(&mut self.source_of_padding);
        self.offset.srcs.iter_mut().chain(&mut self.access.mask).chain(padding).for_each(visit);
    }

    /// The tiles that it reads.
    pub(crate) fn for_each_read(&self, visit: impl FnMut(&Tile)) {
        let padding = self.padding.iter().chain(&self.source_of_padding);
        self.offset.srcs.iter().chain(&self.access.mask).chain(padding).for_each(visit);
    }
}

impl Extent {
    fn for_each_read(&self, visit: &mut impl FnMut(&Tile)) {
        if let Extent::Dynamic(tile) = self {
            visit(tile);
        }
    }
}

impl ViewAccess {
    pub(super) fn for_each_read(&self, visit: &mut impl FnMut(&Tile)) {
        visit(&self.base);
        match &self.places {
            Placement::Tensor(dims) => {
                for dim in dims {
                    dim.shape.for_each_read(visit);
                    dim.stride.for_each_read(visit);
                    match &dim.coordinate {
                        Coordinate::Origin { index: tile, .. } | Coordinate::Gather { indices: tile } => visit(tile),
                    }
                }
            }
            Placement::Computed(function) => function.leaves.iter().for_each(|leaf| visit(&leaf.tile)),
        }
    }
}

#[cfg(test)]
impl ViewAccess {
    /// A weak access to elements of `f32` at a base, in tiles without dimensions, for tests to change.
    pub(crate) fn of_f32(base: Tile) -> ViewAccess {
        ViewAccess {
            base,
            element: Scalar::F32,
            size: 4,
            packed: false,
            tile: Vec::new(),
            places: Placement::Tensor(Vec::new()),
            padding: 0,
            order: Order { semantics: MemoryOrderingSemantics::Weak, scope: None },
            reversed: SmallVec::new(),
            fixed: None,
        }
    }
}

impl Watch {
    fn for_each_read(&self, visit: &mut impl FnMut(&Tile)) {
        self.operands.iter().chain(&self.results).flatten().for_each(&mut *visit);
        self.captures.iter().for_each(|(_, tile)| visit(tile));
        if let Some(view) = &self.view {
            view.for_each_read(visit);
        }
    }
}

impl PointerAccess {
    fn for_each_read(&self, visit: &mut impl FnMut(&Tile)) {
        visit(&self.pointers);
        self.base.iter().chain(&self.mask).for_each(visit);
    }
}
