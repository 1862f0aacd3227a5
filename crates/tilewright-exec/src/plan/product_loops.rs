//! Loops that only multiply: a body of two loads, whose tiles are left where they lie, and their product, as most products of matrices
//! have. The machine goes round such a loop without looking anything up (`vm/product_loop.rs`).

use super::{Base, Inst, LoopBody, Matmul, Readers, VReg, ViewAccess};

/// What a loop that only multiplies does in each round.
pub(crate) struct ProductLoop<'c> {
    /// Loads the left factor.
    pub(crate) left: &'c ViewAccess,
    /// Loads the right one.
    pub(crate) right: &'c ViewAccess,
    pub(crate) matmul: &'c Matmul,
}

impl<'c> ProductLoop<'c> {
    /// That of the loop with this body.
    pub(crate) fn of(body: &'c [Inst]) -> Option<ProductLoop<'c>> {
        let [Inst::Load { view: first, dst, .. }, Inst::Load { view: second, .. }, Inst::Matmul(matmul), ..] = body else { return None };
        let (left, right) = if matmul.lhs.base == Base::Reg(*dst) { (first, second) } else { (second, first) };
        Some(ProductLoop { left, right, matmul })
    }

    /// The first one of a plan whose loops are marked.
    pub(crate) fn first(code: &'c [Inst]) -> Option<ProductLoop<'c>> {
        let head = code.iter().position(Inst::is_product_loop)?;
        ProductLoop::of(&code[head + 1..])
    }
}

impl Inst {
    /// Whether it is the head of a loop that only multiplies.
    pub(crate) fn is_product_loop(&self) -> bool {
        matches!(self, Inst::ForHead { body: LoopBody::Product, .. })
    }
}

/// Marks the heads of the loops that only multiply.
pub(crate) fn mark(code: &mut [Inst]) {
    for at in 0..code.len() {
        let (before, body) = code.split_at_mut(at + 1);
        if let Some(Inst::ForHead { body: kind, .. }) = before.last_mut()
            && is_product_of_loads(body, at + 1)
        {
            *kind = LoopBody::Product;
        }
    }
}

/// Whether the code that begins at `start` is the body of a loop that only multiplies, up to its end.
fn is_product_of_loads(code: &[Inst], start: usize) -> bool {
    let [left, right, Inst::Matmul(matmul), next @ Inst::ForNext { target, waits: false, .. }, ..] = code else { return false };
    let (Some(left_tile), Some(right_tile)) = (left_in_place(left), left_in_place(right)) else { return false };
    let bases = [matmul.lhs.base, matmul.rhs.base];
    let (left_tile, right_tile) = (Base::Reg(left_tile), Base::Reg(right_tile));
    let multiplies_both = bases == [left_tile, right_tile] || bases == [right_tile, left_tile];
    // What decides where the next tiles lie, and when the loop ends, is the counter and what no round changes.
    let mut moves_on_its_own = true;
    [left, right, next].into_iter().for_each(|inst| inst.for_each_read(|tile| moves_on_its_own &= tile.base != Base::Reg(matmul.dst)));
    *target == start && multiplies_both && left_tile != right_tile && moves_on_its_own
}

/// The register of a load that may leave its tile where it lies, for products only.
fn left_in_place(inst: &Inst) -> Option<VReg> {
    match inst {
        Inst::Load { dst, readers: Readers::Products, .. } => Some(*dst),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        elem::Elem,
        kernels::mma::{MatmulKind, Shape},
        plan::{Coordinate, Extent, Matmul, Placement, Tile, ViewAccess, ViewDim},
    };
    use tilewright_ir::Scalar;

    const COUNTER: u32 = 0;
    const SUMS: u32 = 3;

    fn tile(reg: u32) -> Tile {
        Tile::contiguous(Elem::Num(Scalar::F32), Base::Reg(VReg(reg)), &[])
    }

    fn load(dst: u32, index: u32, readers: Readers) -> Inst {
        let coordinate = Coordinate::Origin { index: tile(index), scale: 1 };
        let dims = vec![ViewDim { shape: Extent::Static(64), stride: Extent::Static(1), coordinate }];
        let view = ViewAccess { tile: vec![2], places: Placement::Tensor(dims), fixed: Some(0), ..ViewAccess::of_f32(tile(100)) };
        Inst::Load { view: Box::new(view), dst: VReg(dst), readers, past_stores: false }
    }

    fn product(lhs: u32, rhs: u32) -> Inst {
        let (kind, shape) = (MatmulKind::float(Scalar::F32, Scalar::F32).unwrap(), Shape { m: 1, n: 1, k: 2 });
        let (lhs, rhs, acc, dst) = (tile(lhs), tile(rhs), tile(SUMS), VReg(SUMS));
        Inst::Matmul(Box::new(Matmul { kind, batch: 1, shape, lhs, rhs, acc, scales: None, dst, deferred: None }))
    }

    /// Whether a loop with this body and upper bound, which goes back to so many instructions behind its head, is marked.
    fn is_marked(body: impl IntoIterator<Item = Inst>, upper: u32, back: usize) -> bool {
        let (counter, upper, step) = (VReg(COUNTER), Box::new(tile(upper)), Box::new(tile(101)));
        let head = Inst::ForHead { counter, upper: upper.clone(), step: step.clone(), signed: true, exit: 0, body: LoopBody::Any };
        let next = Inst::ForNext { counter, upper, step, signed: true, target: 1 + back, waits: false };
        let mut code: Vec<Inst> = [Inst::Return, head].into_iter().chain(body).chain([next]).collect();
        mark(&mut code);
        matches!(code[1], Inst::ForHead { body: LoopBody::Product, .. })
    }

    #[test]
    fn two_loads_and_their_product_are_a_loop_that_only_multiplies() {
        let loads = || [load(1, COUNTER, Readers::Products), load(2, 102, Readers::Products)];
        let [first, second] = loads();
        assert!(is_marked([first, second, product(1, 2)], 103, 1));
        let [first, second] = loads();
        assert!(is_marked([first, second, product(2, 1)], 103, 1));
    }

    #[test]
    fn what_does_more_is_not() {
        let loads = |index, readers| [load(1, COUNTER, Readers::Products), load(2, index, readers)];
        let marked = |[first, second]: [Inst; 2], product| is_marked([first, second, product], 103, 1);
        // A tile that others read, and one that is not multiplied.
        assert!(!marked(loads(COUNTER, Readers::Any), product(1, 2)));
        assert!(!marked(loads(COUNTER, Readers::Products), product(1, 1)));
        assert!(!marked(loads(COUNTER, Readers::Products), product(1, 9)));
        // What the product computes decides what is loaded next, or when the loop ends.
        assert!(!marked(loads(SUMS, Readers::Products), product(1, 2)));
        let [first, second] = loads(COUNTER, Readers::Products);
        assert!(!is_marked([first, second, product(1, 2)], SUMS, 1));
        // Other instructions.
        let [first, second] = loads(COUNTER, Readers::Products);
        assert!(!is_marked([first, second, product(1, 2), product(1, 2)], 103, 1));
        let [first, second] = loads(COUNTER, Readers::Products);
        assert!(!is_marked([Inst::Return, first, second, product(1, 2)], 103, 1));
        // The end of an outer loop.
        let [first, second] = loads(COUNTER, Readers::Products);
        assert!(!is_marked([first, second, product(1, 2)], 103, 0));
    }
}
