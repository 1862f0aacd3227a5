//! What one execution of each instruction moves and computes, and for which operations.

use super::{Part, Work};
use crate::{
    elem::Elem,
    kernels::{Kernel, mma::MatmulKind},
    plan::{Base, Fold, FoldColumns, FoldRows, Inst, Matmul, Plan, PointerAccess, Readers, RowRegion, Sweep, VReg, ValueKind, ViewAccess},
};
use tilewright_ir::Scalar;
use tilewright_passes::elementwise::flops;
use tilewright_vector::lower;

/// For each instruction of a plan, the operations that it carries out.
pub(super) fn costs(plan: &Plan) -> Vec<Vec<Part>> {
    let mut all: Vec<Vec<Part>> = plan.code.iter().zip(&plan.sites).map(|(inst, site)| parts(plan, inst, *site)).collect();
    for at in 0..plan.code.len() {
        let Some(reader) = reader_in_place(&plan.code, at) else { continue };
        // It moves where it is read; what is left of the load finds out where.
        let load = &mut all[at][0];
        let moved = Part { is_load_in_place: true, ..load.clone() };
        (load.work, load.weight) = (Work::default(), 1);
        all[reader].push(moved);
    }
    all
}

/// The instruction that reads the tile of a load where it lies in memory, and runs as often: the first one behind it in straight code.
fn reader_in_place(code: &[Inst], load: usize) -> Option<usize> {
    let Inst::Load { dst, readers, .. } = &code[load] else { return None };
    if *readers == Readers::Any {
        return None;
    }
    let behind = code.iter().enumerate().skip(load + 1);
    let mut straight = behind.take_while(|(_, inst)| !inst.effects().end_straight_code());
    straight.find(|(_, inst)| reads(inst, *dst)).map(|(at, _)| at)
}

fn reads(inst: &Inst, reg: VReg) -> bool {
    let mut found = false;
    inst.for_each_read(|tile| found |= tile.base == Base::Reg(reg));
    found
}

/// The operations of an instruction, its own first.
fn parts(plan: &Plan, inst: &Inst, site: u32) -> Vec<Part> {
    let part =
        |site: u32, (work, weight): (Work, u64)| Part { origin: plan.origin(site), work, weight: weight.max(1), is_load_in_place: false };
    let mut parts = Vec::new();
    match inst {
        Inst::SweepStore { sweep, view, .. } => {
            parts.push(part(site, store(view)));
            parts.extend(steps(sweep, site).map(|(site, cost)| part(site, cost)));
        }
        Inst::Sweep(sweep) => parts.extend(steps(sweep, site).map(|(site, cost)| part(site, cost))),
        Inst::Rows(rows) => parts.extend(values(rows).map(|(site, cost)| part(site, cost))),
        Inst::RowsStore { rows, view, .. } => {
            parts.push(part(site, store(view)));
            parts.extend(values(rows).map(|(site, cost)| part(site, cost)));
        }
        inst => parts.push(part(site, cost(inst))),
    }
    // Several steps may come from one operation.
    let mut merged: Vec<Part> = Vec::with_capacity(parts.len());
    for part in parts {
        match merged.iter_mut().find(|other| other.origin == part.origin) {
            Some(other) => {
                other.work += part.work;
                other.weight += part.weight;
            }
            None => merged.push(part),
        }
    }
    merged
}

/// The steps of a sweep and the reductions that begin in it, each with the operation that it came from.
fn steps(sweep: &Sweep, site: u32) -> impl Iterator<Item = (u32, (Work, u64))> {
    let steps = sweep.steps.iter().zip(sweep.computed_elements()).enumerate().map(move |(i, (step, elements))| {
        let site = sweep.sites.get(i).copied().unwrap_or(site);
        (site, computed(&step.kernel, elements))
    });
    let parts = sweep.region().map_or(1, |region| region.nest.part_count());
    let folds = sweep.folds.iter().map(move |fold| {
        let rows = sweep.n / fold.row;
        (fold.site, computed(&fold.combine, rows * (fold.row - fold.row / parts)))
    });
    let gathers = sweep.gathers().map(|(_, gathered)| {
        let read = (sweep.n * gathered.elem.size()) as u64;
        (gathered.site, (Work { read, ..Work::default() }, sweep.n as u64))
    });
    steps.chain(folds).chain(gathers)
}

/// What a row region computes, each with the operation that it came from.
fn values(rows: &RowRegion) -> impl Iterator<Item = (u32, (Work, u64))> {
    rows.values.iter().map(move |value| {
        let elements = match value.kind {
            ValueKind::Number => rows.rows,
            ValueKind::Columns => rows.rows * rows.row,
            ValueKind::Fold => rows.rows * (rows.row - 1),
        };
        (value.site, computed(&value.kernel, elements))
    })
}

/// What a kernel computes on so many elements.
fn computed(kernel: &Kernel, n: usize) -> (Work, u64) {
    let imm = &kernel.imm;
    let primitives = lower::primitives(imm.op, imm.sources(), imm.dst).unwrap_or(1).max(1);
    (work_of_flops(imm.dst, n as u64 * u64::from(flops(imm.op))), n as u64 * primitives as u64)
}

fn work_of_flops(elem: Elem, flops: u64) -> Work {
    match elem {
        Elem::Num(Scalar::F64) => Work { flops_f64: flops, ..Work::default() },
        _ => Work { flops, ..Work::default() },
    }
}

/// The work and the weight of an instruction that carries out one operation.
fn cost(inst: &Inst) -> (Work, u64) {
    match inst {
        Inst::Load { view, .. } => load(view),
        Inst::Store { view, .. } => store(view),
        Inst::AtomicView { view, .. } => read_and_written(store(view)),
        Inst::IndexedLoad(load) => (Work { read: bytes_of(&load.access), ..Work::default() }, load.offset.n as u64),
        Inst::LoadPointers { access, .. } => (Work { read: bytes_of(access), ..Work::default() }, access.pointers.numel() as u64),
        Inst::StorePointers { access, .. } => (Work { written: bytes_of(access), ..Work::default() }, access.pointers.numel() as u64),
        Inst::Atomic(atomic) => {
            let access = &atomic.access;
            read_and_written((Work { written: bytes_of(access), ..Work::default() }, access.pointers.numel() as u64))
        }
        Inst::Matmul(matmul) => product(matmul),
        Inst::FoldRows(fold) => rows(fold),
        Inst::FoldColumns(fold) => columns(fold),
        Inst::Fold(fold) => folded(fold),
        Inst::Elementwise(inst) => computed(&inst.kernel, inst.n),
        Inst::Sweep(_) | Inst::SweepStore { .. } | Inst::Rows(_) | Inst::RowsStore { .. } => unreachable!("these have parts"),
        // Its windows count where they are read.
        Inst::LoadWindows(_) => (Work::default(), 1),
        // What it computes counts where the products are.
        Inst::FinishProducts { .. } => (Work::default(), 1),
        Inst::Label(_)
        | Inst::Move { .. }
        | Inst::Extract { .. }
        | Inst::Insert { .. }
        | Inst::Reverse { .. }
        | Inst::Repack { .. }
        | Inst::Iota { .. }
        | Inst::BlockId(_)
        | Inst::GridSize(_)
        | Inst::ViewExtent { .. }
        | Inst::Print(_)
        | Inst::Alloca { .. }
        | Inst::Release(_)
        | Inst::Assert { .. }
        | Inst::Jump(_)
        | Inst::BranchUnless { .. }
        | Inst::JumpBack { .. }
        | Inst::ForHead { .. }
        | Inst::ForNext { .. }
        | Inst::Watch(_)
        | Inst::Return => (Work::default(), 1),
    }
}

fn elements_of(view: &ViewAccess) -> u64 {
    view.tile.iter().product::<usize>() as u64
}

/// Bytes of a view's tile in memory.
fn bytes_of_view(view: &ViewAccess) -> u64 {
    let bytes = elements_of(view) * view.size as u64;
    if view.packed { bytes.div_ceil(2) } else { bytes }
}

fn bytes_of(access: &PointerAccess) -> u64 {
    (access.pointers.numel() * access.size) as u64
}

fn load(view: &ViewAccess) -> (Work, u64) {
    (Work { read: bytes_of_view(view), ..Work::default() }, elements_of(view))
}

fn store(view: &ViewAccess) -> (Work, u64) {
    (Work { written: bytes_of_view(view), ..Work::default() }, elements_of(view))
}

fn read_and_written((work, weight): (Work, u64)) -> (Work, u64) {
    (Work { read: work.written, ..work }, weight)
}

fn product(matmul: &Matmul) -> (Work, u64) {
    let multiplied = (matmul.batch * matmul.shape.m * matmul.shape.n * matmul.shape.k) as u64;
    let work = match matmul.kind {
        MatmulKind::I32 { .. } => Work { int_ops: 2 * multiplied, ..Work::default() },
        _ => work_of_flops(matmul.acc.elem, 2 * multiplied),
    };
    (work, multiplied)
}

fn rows(fold: &FoldRows) -> (Work, u64) {
    computed(&fold.operation, fold.rows * (fold.extent - 1))
}

fn columns(fold: &FoldColumns) -> (Work, u64) {
    let columns = fold.src.shape[1..].iter().product::<usize>();
    // With sums, the last row that is left is combined with them.
    let times = fold.src.shape[0] - usize::from(fold.sums.is_none());
    computed(&fold.combine, columns * times)
}

fn folded(fold: &Fold) -> (Work, u64) {
    let steps = fold.steps.iter().map(|step| computed(&step.kernel, (fold.extent - 1) * fold.slice));
    steps.fold((Work::default(), 0), |(mut work, weight), (more, step)| {
        work += more;
        (work, weight + step)
    })
}
