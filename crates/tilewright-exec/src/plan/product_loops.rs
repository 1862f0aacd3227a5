//! Loops that only multiply: a body of loads, whose tiles are left where they lie, and products of these tiles, as most products of matrices have: one, or
//! several as where a gate is multiplied with the same numbers. The machine goes round such a loop without looking anything up (`vm/product_loop.rs`).

use super::{Base, Inst, LoopBody, Matmul, Readers, Tile, VReg, ViewAccess};
use smallvec::SmallVec;

/// What a loop that only multiplies does in each round: its products, one after the other.
pub(crate) struct ProductLoop<'c> {
    pub(crate) products: SmallVec<[LoopProduct<'c>; 2]>,
    /// Instructions of the body, before the one that goes back.
    pub(crate) length: usize,
}

/// A product of a loop that only multiplies.
pub(crate) struct LoopProduct<'c> {
    /// Loads the left factor.
    pub(crate) left: &'c ViewAccess,
    /// Loads the right one.
    pub(crate) right: &'c ViewAccess,
    pub(crate) matmul: &'c Matmul,
    /// Where it stands in the body.
    pub(crate) at: usize,
}

impl<'c> ProductLoop<'c> {
    /// That of the loop with this body; `None` if it does more than multiply.
    pub(crate) fn of(body: &'c [Inst]) -> Option<ProductLoop<'c>> {
        let length = body.iter().position(|inst| matches!(inst, Inst::ForNext { .. }))?;
        let mut loads = SmallVec::<[(VReg, &ViewAccess); 4]>::new();
        let mut products = SmallVec::new();
        for (at, inst) in body[..length].iter().enumerate() {
            match inst {
                Inst::Load { view, dst, readers: Readers::Products, .. } => loads.push((*dst, &**view)),
                Inst::Matmul(matmul) => {
                    let loaded = |tile: &Tile| loads.iter().find(|(dst, _)| tile.base == Base::Reg(*dst)).map(|(_, view)| *view);
                    let (left, right) = (loaded(&matmul.lhs)?, loaded(&matmul.rhs)?);
                    products.push(LoopProduct { left, right, matmul, at });
                }
                _ => return None,
            }
        }
        let product_loop = ProductLoop { products, length };
        let is_alone = |(at, (dst, _)): (usize, &(VReg, &ViewAccess))| {
            product_loop.multiplies(*dst) && loads[..at].iter().all(|(other, _)| other != dst) && product_loop.sums().all(|sum| sum != *dst)
        };
        (!product_loop.products.is_empty() && loads.iter().enumerate().all(is_alone)).then_some(product_loop)
    }

    /// The first one of a plan whose loops are marked.
    pub(crate) fn first(code: &'c [Inst]) -> Option<ProductLoop<'c>> {
        ProductLoop::all(code).next()
    }

    /// All of a plan whose loops are marked.
    pub(crate) fn all(code: &'c [Inst]) -> impl Iterator<Item = ProductLoop<'c>> {
        let heads = code.iter().enumerate().filter(|(_, inst)| inst.is_product_loop());
        heads.filter_map(|(head, _)| ProductLoop::of(&code[head + 1..]))
    }

    /// Whether rounds may be joined: each product adds to sums of its own.
    pub(crate) fn adds_apart(&self) -> bool {
        let mut rest = &self.products[..];
        while let Some((LoopProduct { matmul, .. }, others)) = rest.split_first() {
            if matmul.acc.base != Base::Reg(matmul.dst) || others.iter().any(|other| other.matmul.dst == matmul.dst) {
                return false;
            }
            rest = others;
        }
        true
    }

    /// Whether a tile is a factor.
    fn multiplies(&self, tile: VReg) -> bool {
        let is_it = |factor: &Tile| factor.base == Base::Reg(tile);
        self.products.iter().any(|product| is_it(&product.matmul.lhs) || is_it(&product.matmul.rhs))
    }

    /// The registers of its sums.
    fn sums(&self) -> impl Iterator<Item = VReg> {
        self.products.iter().map(|product| product.matmul.dst)
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
            && only_multiplies(body, at + 1)
        {
            *kind = LoopBody::Product;
        }
    }
}

/// Whether the code that begins at `start` is the body of a loop that only multiplies, up to its end.
fn only_multiplies(code: &[Inst], start: usize) -> bool {
    let Some(product_loop) = ProductLoop::of(code) else { return false };
    let next = &code[product_loop.length];
    // What decides where the next tiles lie, and when the loop ends, is the counter and what no round changes.
    let mut moves_on_its_own = true;
    let loads = code[..product_loop.length].iter().filter(|inst| matches!(inst, Inst::Load { .. }));
    loads.chain([next]).for_each(|inst| {
        inst.for_each_read(|tile| moves_on_its_own &= product_loop.sums().all(|sums| tile.base != Base::Reg(sums)));
    });
    matches!(next, Inst::ForNext { target, waits: false, .. } if *target == start) && moves_on_its_own
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

    /// The end of a loop with this upper bound, which goes back to so many instructions behind the one before its head.
    fn next(upper: u32, back: usize) -> Inst {
        let (counter, upper, step) = (VReg(COUNTER), Box::new(tile(upper)), Box::new(tile(101)));
        Inst::ForNext { counter, upper, step, signed: true, target: 1 + back, waits: false }
    }

    /// Whether a loop with this body and upper bound, which goes back to so many instructions behind its head, is marked.
    fn is_marked(body: impl IntoIterator<Item = Inst>, upper: u32, back: usize) -> bool {
        let (counter, to, step) = (VReg(COUNTER), Box::new(tile(upper)), Box::new(tile(101)));
        let head = Inst::ForHead { counter, upper: to, step, signed: true, exit: 0, body: LoopBody::Any };
        let mut code: Vec<Inst> = [Inst::Return, head].into_iter().chain(body).chain([next(upper, back)]).collect();
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
    fn so_are_several_products_of_what_a_round_loads() {
        let loads = || [load(1, COUNTER, Readers::Products), load(2, 102, Readers::Products)];
        let [first, second] = loads();
        assert!(is_marked([first, second, product(1, 2), load(4, COUNTER, Readers::Products), product(1, 4)], 103, 1));
        // A tile that comes too late, and one that comes twice.
        let [first, second] = loads();
        assert!(!is_marked([first, product(1, 2), second], 103, 1));
        let [first, second] = loads();
        assert!(!is_marked([first, second, product(1, 2), load(2, COUNTER, Readers::Products), product(1, 2)], 103, 1));
    }

    #[test]
    fn rounds_of_products_that_add_to_sums_of_their_own_are_joined() {
        let sums = |dst: u32, acc: u32| match product(1, 2) {
            Inst::Matmul(matmul) => Inst::Matmul(Box::new(Matmul { dst: VReg(dst), acc: tile(acc), ..*matmul })),
            _ => unreachable!("it is a product"),
        };
        let joins = |products: &[(u32, u32)]| {
            let mut code = vec![load(1, COUNTER, Readers::Products), load(2, 102, Readers::Products)];
            code.extend(products.iter().map(|(dst, acc)| sums(*dst, *acc)).chain([next(103, 1)]));
            ProductLoop::of(&code).unwrap().adds_apart()
        };
        assert!(joins(&[(3, 3)]));
        assert!(joins(&[(3, 3), (4, 4)]));
        // The last round alone counts, or each sum has products of two kinds in turns.
        assert!(!joins(&[(3, 9)]));
        assert!(!joins(&[(3, 3), (3, 3)]));
        assert!(!joins(&[(3, 3), (4, 3)]));
    }

    #[test]
    fn what_does_more_is_not() {
        let loads = |index, readers| [load(1, COUNTER, Readers::Products), load(2, index, readers)];
        let marked = |[first, second]: [Inst; 2], product| is_marked([first, second, product], 103, 1);
        // A tile that others read, one that is not multiplied, and a factor from elsewhere.
        assert!(!marked(loads(COUNTER, Readers::Any), product(1, 2)));
        assert!(!marked(loads(COUNTER, Readers::Products), product(1, 1)));
        assert!(!marked(loads(COUNTER, Readers::Products), product(1, 9)));
        // What the product computes decides what is loaded next, or when the loop ends.
        assert!(!marked(loads(SUMS, Readers::Products), product(1, 2)));
        let [first, second] = loads(COUNTER, Readers::Products);
        assert!(!is_marked([first, second, product(1, 2)], SUMS, 1));
        // Other instructions.
        let [first, second] = loads(COUNTER, Readers::Products);
        assert!(!is_marked([Inst::Return, first, second, product(1, 2)], 103, 1));
        // The end of an outer loop.
        let [first, second] = loads(COUNTER, Readers::Products);
        assert!(!is_marked([first, second, product(1, 2)], 103, 0));
    }
}
