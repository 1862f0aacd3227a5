//! Loads that need not copy: sweeps, folds, products and stores read their tile where it lies in memory.
//!
//! A load must give what memory held when it ran. So all instructions that read the tile must follow in straight code, with nothing
//! between that frees memory, waits or orders accesses. Where there is a store between, whether it may write the tile is known when it runs:
//! the tile is copied then. Whether the tile lies there whole, aligned and, for other readers
//! than products, stores and reductions of columns, in order, is known when the load runs; if it does not, the load copies.

use super::{
    Extent, Inst, Matmul, Placement, Readers, RowRegion, Sweep, SweepInput, Tile, VReg, ViewAccess,
    counts::{Counts, count_uses, count_writes},
    tile::{Base, row_major},
};
use crate::{TargetMachine, elem::Elem};
use tilewright_ir::{MemoryOrderingSemantics, Scalar};

/// Behind more stores than this, nothing is read in place.
const MAX_STORES: usize = 8;

/// Marks the loads that need not copy.
pub(crate) fn mark(code: &mut [(Inst, u32)], machine: &TargetMachine) {
    tell_sweeps_apart(code, machine);
    let (uses, writes) = (count_uses(code), count_writes(code));
    for at in 0..code.len() {
        let (before, after) = code.split_at_mut(at + 1);
        if let Some((Inst::Load { view, dst, readers, past_stores }, _)) = before.last_mut()
            && copies_bytes(view)
            && writes.of(*dst) == 1
        {
            (*readers, *past_stores) = find_readers(after, *dst, view, uses.of(*dst), machine);
        }
    }
    tell_sweeps_strided(code);
}

/// Tells sweeps which of them read what loads may leave strided in memory.
fn tell_sweeps_strided(code: &mut [(Inst, u32)]) {
    let strided = |(inst, _): &(Inst, u32)| if let Inst::Load { dst, readers: Readers::Strided, .. } = inst { Some(*dst) } else { None };
    let strided: Vec<VReg> = code.iter().filter_map(strided).collect();
    for sweep in code.iter_mut().filter_map(|(inst, _)| inst.sweep_mut()) {
        sweep.reads_strided = sweep.inputs.iter().any(|input| matches!(input.tile().base, Base::Reg(reg) if strided.contains(&reg)));
    }
}

/// Tells sweeps that tiles may not lie side by side where they are read or stored.
fn tell_sweeps_apart(code: &mut [(Inst, u32)], machine: &TargetMachine) {
    let apart = |view: &ViewAccess| copies_bytes(view) && may_not_lie_in_order(view, machine);
    let loaded = |(inst, _): &(Inst, u32)| if let Inst::Load { view, dst, .. } = inst { apart(view).then_some(*dst) } else { None };
    let loaded: Vec<VReg> = code.iter().filter_map(loaded).collect();
    for (inst, _) in code {
        let stores = matches!(inst, Inst::SweepStore { view, .. } if apart(view));
        let Some(sweep) = inst.sweep_mut() else { continue };
        let reads = |input: &SweepInput| matches!(input.tile().base, Base::Reg(reg) if loaded.contains(&reg));
        if stores || sweep.inputs.iter().any(reads) {
            sweep.lies_apart();
        }
    }
}

/// Whether an access copies bytes and does nothing else. Bits are normalised, and packed elements are unpacked.
pub(crate) fn copies_bytes(view: &ViewAccess) -> bool {
    view.order.semantics == MemoryOrderingSemantics::Weak && !view.packed && view.element != Scalar::I1
}

/// The stores of finished code behind which tiles are read that loads may have left in memory, each with such a tile; in order.
pub(crate) fn past_stores(code: &[Inst]) -> Vec<(usize, Tile)> {
    let mut found = Vec::new();
    if !code.iter().any(|inst| matches!(inst, Inst::Load { past_stores: true, .. })) {
        return found;
    }
    let uses = Counts::of_reads(code.iter());
    for (at, inst) in code.iter().enumerate() {
        let Inst::Load { view, dst, past_stores: true, .. } = inst else { continue };
        let reads = |inst: &Inst| {
            let mut reads = 0;
            inst.for_each_read(|tile| reads += usize::from(tile.base == Base::Reg(*dst)));
            reads
        };
        // All readers follow in straight code.
        let mut left = uses.of(*dst);
        for (later, inst) in code.iter().enumerate().skip(at + 1) {
            left -= reads(inst);
            if left == 0 {
                break;
            }
            if inst.effects().is_weak_store() {
                found.push((later, Tile::contiguous(Elem::Num(view.element), Base::Reg(*dst), &view.tile)));
            }
        }
    }
    found.sort_by_key(|(store, _)| *store);
    found
}

/// For each instruction of finished code, whether it loads a tile that several instructions read through its strides.
pub(crate) fn read_again(code: &[Inst]) -> Vec<bool> {
    let loaded = |inst: &Inst| if let Inst::Load { dst, readers: Readers::Strided, .. } = inst { Some(*dst) } else { None };
    if !code.iter().any(|inst| loaded(inst).is_some()) {
        return vec![false; code.len()];
    }
    let (mut times, mut read) = (Counts::default(), Vec::new());
    for inst in code {
        inst.for_each_read(|tile| {
            if let Base::Reg(reg) = tile.base
                && !read.contains(&reg)
            {
                read.push(reg);
            }
        });
        read.drain(..).for_each(|reg| times.add(reg));
    }
    let is_again = |inst: &Inst| match inst {
        Inst::LoadWindows(load) => load.windows.iter().any(|window| times.of(window.dst) > 1),
        inst => loaded(inst).is_some_and(|dst| times.of(dst) > 1),
    };
    code.iter().map(is_again).collect()
}

/// Who reads a register `uses` times, if all do so before anything but stores can change memory, and whether some do behind a store.
fn find_readers(code: &[(Inst, u32)], reg: VReg, view: &ViewAccess, uses: usize, machine: &TargetMachine) -> (Readers, bool) {
    let is_it = |tile: &Tile| usize::from(tile.base == Base::Reg(reg));
    let (mut in_order, mut strided, mut in_stores, mut in_products) = (0, 0, 0, 0);
    // How many are row regions, and the length of their rows.
    let (mut in_rows, mut row) = (0, 0);
    // Stores that have readers behind them.
    let mut stores = 0;
    let has_rows = may_not_lie_in_order(view, machine);
    // How many inputs of a sweep are read as they lie in a register, and through the strides of memory, as vector code does.
    let inputs = |sweep: &Sweep| {
        let tiles = || sweep.inputs.iter().map(SweepInput::tile).filter(|tile| is_it(tile) > 0);
        let strided = tiles().filter(|tile| sweep.is_region() && has_rows && goes_along(tile, view)).count();
        [tiles().count() - strided, strided]
    };
    let mut count_rows = |rows: &RowRegion, in_order: &mut usize, in_rows: &mut usize| {
        for input in rows.inputs.iter().filter(|input| is_it(&input.tile) > 0) {
            // Whether its rows lie a distance apart is found when it runs.
            *(if input.spread.is_row() { &mut *in_rows } else { &mut *in_order }) += 1;
            row = rows.row;
        }
    };
    for (inst, _) in code {
        let found = in_order + strided + in_stores + in_products + in_rows;
        if found == uses || stores > MAX_STORES {
            break;
        }
        match inst {
            Inst::Sweep(sweep) => {
                let [ordered, through_strides] = inputs(sweep);
                (in_order, strided) = (in_order + ordered, strided + through_strides);
            }
            Inst::Rows(rows) => count_rows(rows, &mut in_order, &mut in_rows),
            Inst::RowsStore { rows, .. } if inst.effects().is_weak_store() => {
                count_rows(rows, &mut in_order, &mut in_rows);
                stores += usize::from(in_order + strided + in_stores + in_products + in_rows < uses);
            }
            Inst::FoldRows(fold) => in_order += is_it(&fold.src),
            Inst::Fold(fold) => in_order += fold.operands.iter().map(|operand| is_it(&operand.src)).sum::<usize>(),
            Inst::Matmul(matmul) => in_products += factors_in_place(matmul, reg, view),
            Inst::FoldColumns(fold) => strided += usize::from(is_it(&fold.src) == 1 && follows(&fold.src, view)),
            // It computes before it stores.
            Inst::SweepStore { sweep, view, .. } if inst.effects().is_weak_store() => {
                let [ordered, through_strides] = inputs(sweep);
                (in_order, strided) = (in_order + ordered, strided + through_strides);
                stores += usize::from(found + ordered + through_strides < uses);
            }
            // It reads all before it stores, if what it reads lies where it stores.
            Inst::Store { view: target, src } if inst.effects().is_weak_store() => {
                let reads = usize::from(is_it(src) == 1 && follows(src, view) && copies_bytes(target));
                in_stores += reads;
                stores += usize::from(found + reads < uses);
            }
            // If it reads the tile, that is one use that is not found.
            inst if inst.effects().leave_memory() => {}
            _ => break,
        }
    }
    let readers = match [in_order, strided, in_stores, in_products, in_rows] {
        found if found.iter().sum::<usize>() != uses => return (Readers::Any, false),
        [0, 0, 0, 0, _] if in_rows > 0 && stores == 0 => Readers::Rows(row),
        [0, 0, 0, _, 0] => Readers::Products,
        [0, 0, _, 0, 0] => Readers::Stores,
        [0, ..] => Readers::Strided,
        _ => Readers::InOrder,
    };
    (readers, stores > 0)
}

/// Whether elements of a tile may lie in memory otherwise than in a register, where vector code accesses them: tiles of several dimensions
/// seldom lie side by side.
fn may_not_lie_in_order(view: &ViewAccess, machine: &TargetMachine) -> bool {
    view.tile.iter().filter(|extent| **extent > 1).count() > 1 || may_lie_apart(view, machine)
}

/// Whether elements of a tile that is a row may lie in memory so far apart that vector code, and nothing else, accesses them there.
fn may_lie_apart(view: &ViewAccess, machine: &TargetMachine) -> bool {
    let stride = match &view.places {
        Placement::Tensor(dims) => {
            let row = dims.iter().zip(&view.tile).find(|(_, extent)| **extent > 1);
            row.and_then(|(dim, _)| if let Extent::Static(stride) = dim.stride { Some(stride) } else { None })
        }
        Placement::Computed(function) => function.resolve(|_| None).map(|known| known.offset.steps[0].unsigned_abs()),
    };
    // Where it is not known, it may be 2.
    let stride = stride.map_or(2, |stride| stride as usize);
    stride > 1 && machine.reads_apart(view.size, stride)
}

/// How many factors of a product are in the register that was loaded through the view, and can be read through the view's strides.
fn factors_in_place(matmul: &Matmul, reg: VReg, view: &ViewAccess) -> usize {
    let factors = [&matmul.lhs, &matmul.rhs].into_iter().filter(|tile| tile.base == Base::Reg(reg));
    if matmul.scales.is_some() { 0 } else { factors.filter(|tile| goes_along(tile, view)).count() }
}

/// Whether every dimension of a tile goes along one of the view that its register was loaded through, or repeats its elements.
fn follows(tile: &Tile, view: &ViewAccess) -> bool {
    let dims: Vec<(usize, usize)> = view.tile.iter().copied().zip(row_major(&view.tile)).collect();
    tile.shape.iter().zip(&tile.strides).all(|(&extent, &stride)| extent == 1 || stride == 0 || dims.contains(&(extent, stride)))
}

/// The same, or along a part of one, as where a dimension was taken apart.
pub(super) fn goes_along(tile: &Tile, view: &ViewAccess) -> bool {
    let pitches = row_major(&view.tile);
    // The last element that is reached along each dimension of the view.
    let mut last = vec![0; pitches.len()];
    let proper = tile.shape.iter().zip(&tile.strides).filter(|(extent, stride)| **extent > 1 && **stride > 0);
    for (&extent, &stride) in proper {
        let along = (0..pitches.len()).find(|dim| pitches[*dim] <= stride && stride < pitches[*dim] * view.tile[*dim]);
        let Some(dim) = along.filter(|dim| stride.is_multiple_of(pitches[*dim])) else { return false };
        last[dim] += (extent - 1) * (stride / pitches[dim]);
    }
    last.iter().zip(&view.tile).all(|(last, extent)| last < extent)
}

#[cfg(test)]
mod tests {
    use super::{Readers::*, *};
    use crate::{
        kernels::mma::{MatmulKind, Shape},
        plan::{Coordinate, Extent, Order, Placement, ViewDim},
    };

    fn tile(reg: u32) -> Tile {
        Tile::contiguous(Elem::Num(Scalar::F32), Base::Reg(VReg(reg)), &[4])
    }

    fn view(semantics: MemoryOrderingSemantics, element: Scalar) -> Box<ViewAccess> {
        let order = Order { semantics, scope: None };
        Box::new(ViewAccess { element, order, ..ViewAccess::of_f32(tile(100)) })
    }

    fn load_of(semantics: MemoryOrderingSemantics, element: Scalar, dst: u32) -> (Inst, u32) {
        (Inst::Load { view: view(semantics, element), dst: VReg(dst), readers: Readers::Any, past_stores: false }, 0)
    }

    fn load(dst: u32) -> (Inst, u32) {
        load_of(MemoryOrderingSemantics::Weak, Scalar::F32, dst)
    }

    fn store(src: u32) -> (Inst, u32) {
        (Inst::Store { view: view(MemoryOrderingSemantics::Weak, Scalar::F32), src: tile(src) }, 0)
    }

    fn sweep(srcs: &[u32]) -> (Inst, u32) {
        let inputs = srcs.iter().map(|reg| SweepInput::Direct { tile: tile(*reg) }).collect();
        (Inst::Sweep(Box::new(Sweep::new(4, inputs, Vec::new(), TargetMachine::host()))), 0)
    }

    /// The product of two factors that are seen as matrices of 2 x 2, or transposed.
    fn product(lhs: u32, rhs: u32, transposed: bool) -> (Inst, u32) {
        let seen = |reg| Tile::contiguous(Elem::Num(Scalar::F32), Base::Reg(VReg(reg)), &[2, 2]);
        let rhs = if transposed { seen(rhs).permute(&[1, 0]) } else { seen(rhs) };
        let (kind, acc, dst) = (MatmulKind::float(Scalar::F32, Scalar::F32).unwrap(), seen(50), VReg(51));
        (
            Inst::Matmul(Box::new(Matmul {
                kind,
                batch: 1,
                shape: Shape { m: 2, n: 2, k: 2 },
                lhs: seen(lhs),
                rhs,
                acc,
                scales: None,
                deferred: None,
                dst,
            })),
            0,
        )
    }

    /// A load through a view with tiles of this shape.
    fn load_tile(dst: u32, shape: &[usize]) -> (Inst, u32) {
        let (mut inst, site) = load(dst);
        if let Inst::Load { view, .. } = &mut inst {
            let index = Coordinate::Origin { index: tile(60), scale: 1 };
            let dim = |_: &usize| ViewDim { shape: Extent::Static(64), stride: Extent::Static(1), coordinate: index.clone() };
            (view.tile, view.places) = (shape.to_vec(), Placement::Tensor(shape.iter().map(dim).collect()));
        }
        (inst, site)
    }

    fn marked<const N: usize>(mut code: [(Inst, u32); N]) -> Vec<Readers> {
        mark(&mut code, &TargetMachine::host());
        code.iter().filter_map(|(inst, _)| if let Inst::Load { readers, .. } = inst { Some(*readers) } else { None }).collect()
    }

    #[test]
    fn products_read_in_place_along_the_dimensions_of_the_view() {
        let (lhs, rhs) = (|| load_tile(0, &[2, 2]), || load_tile(1, &[1, 2, 2]));
        assert_eq!(marked([lhs(), rhs(), product(0, 1, false)]), [Products, Products]);
        assert_eq!(marked([lhs(), rhs(), product(0, 1, true)]), [Products, Products]);
        assert_eq!(marked([lhs(), rhs(), sweep(&[1]), product(0, 1, false)]), [Products, InOrder]);
        assert_eq!(marked([load_tile(0, &[4]), rhs(), product(0, 1, false)]), [Products, Products]);
        // Its second row begins at the end of one of the view.
        assert_eq!(marked([load_tile(0, &[2, 3]), rhs(), product(0, 1, false)]), [Any, Products]);
        assert_eq!(marked([lhs(), rhs(), store(1), product(0, 1, false)]), [Products, Any]);
        assert_eq!(marked([lhs(), rhs(), product(0, 1, false), store(1)]), [Products, Any]);
    }

    #[test]
    fn what_is_read_at_once_is_read_in_place() {
        assert_eq!(marked([load(0), load(1), sweep(&[0, 1]), store(2)]), [InOrder, InOrder]);
        assert_eq!(marked([load(0), sweep(&[0]), sweep(&[0]), store(2)]), [InOrder]);
    }

    #[test]
    fn what_may_change_before_it_is_read_is_copied() {
        assert_eq!(marked([load(0), (Inst::Label(1), 0), sweep(&[0])]), [Any]);
        assert_eq!(marked([load(0), load_of(MemoryOrderingSemantics::Acquire, Scalar::F32, 1), sweep(&[0])]), [Any, Any]);
    }

    #[test]
    fn what_is_read_behind_a_store_is_told() {
        let told = |mut code: Vec<(Inst, u32)>| {
            mark(&mut code, &TargetMachine::host());
            let code: Vec<Inst> = code.into_iter().map(|(inst, _)| inst).collect();
            past_stores(&code).iter().map(|(store, tile)| (*store, tile.base)).collect::<Vec<_>>()
        };
        let reg = |reg| Base::Reg(VReg(reg));
        assert_eq!(told(vec![load(0), store(2), sweep(&[0])]), [(1, reg(0))]);
        assert_eq!(
            told(vec![load(0), load(1), sweep(&[0]), store(2), sweep(&[0]), store(3), sweep(&[1])]),
            [(3, reg(0)), (3, reg(1)), (5, reg(1))]
        );
        assert_eq!(told(vec![load(0), sweep(&[0]), store(2), sweep(&[3])]), []);
    }

    #[test]
    fn what_others_read_or_write_is_copied() {
        assert_eq!(marked([load(0), sweep(&[0]), store(0)]), [Any]);
        assert_eq!(marked([load(0), load(0), sweep(&[0])]), [Any, Any]);
        assert_eq!(marked([load_of(MemoryOrderingSemantics::Weak, Scalar::I1, 0), sweep(&[0])]), [Any]);
    }
}
