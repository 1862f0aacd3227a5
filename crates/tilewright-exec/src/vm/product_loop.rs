//! Loops that only multiply: each round loads two tiles and adds their product to sums (`plan/product_loops.rs` says which do).
//!
//! As long as tiles are whole, nothing is looked up from round to round, and the next round's tiles are known before a product begins,
//! which fetches them. Where that gains, rounds whose tiles go on along `k` where those of the round before end are one product.

use super::{
    Block, Flow, Launch, Machine,
    count::Count,
    frame::Frame,
    in_place::{Matrices, read_ahead},
    product::Products,
    tiling::Tiling,
};
use crate::{
    kernels::{ahead::Ahead, boxes::Stores},
    plan::{Base, Control, Inst, Target, Tile, VReg, ViewAccess},
};
use smallvec::SmallVec;

/// The most instructions behind a loop whose tiles are fetched while its last products are computed.
const MOST_BEHIND: usize = 24;

/// A factor of the products of a loop.
struct Factor<'l> {
    tiling: &'l Tiling,
    /// Bytes of an element.
    size: usize,
    /// Where this round's tile lies.
    matrices: Matrices,
}

impl<'l> Factor<'l> {
    /// The factor `tile`, which is loaded through this view, in the first round; `None` if the launch does not know where its tiles lie, or
    /// the first one is not whole.
    fn new(launch: &'l Launch<'_>, view: &ViewAccess, tile: &Tile, regs: &Frame) -> Option<Factor<'l>> {
        let tiling = launch.tilings[view.fixed?].as_ref()?;
        let matrices = Matrices::new(tile, Some(&tiling.axes), tiling.tile(regs)?);
        Some(Factor { tiling, size: view.size, matrices })
    }

    /// Where so many elements further along a row are.
    fn along_row(&self, elements: usize) -> *const u8 {
        self.matrices.first.start.wrapping_add(elements * self.row_step())
    }

    /// Where so many elements further along a column are.
    fn along_column(&self, elements: usize) -> *const u8 {
        self.matrices.first.start.wrapping_add(elements * self.column_step())
    }

    /// Bytes from an element to the next one of its row.
    fn row_step(&self) -> usize {
        self.matrices.first.right * self.size
    }

    /// Bytes from an element to the next one of its column.
    fn column_step(&self) -> usize {
        self.matrices.first.down * self.size
    }

    /// Asks to fetch tiles that are `bytes` apart.
    fn read_ahead(&self, next: *const u8, tiles: usize, bytes: usize, ahead: &mut Ahead) {
        (0..tiles).for_each(|tile| read_ahead(next.wrapping_add(tile * bytes), &self.tiling.axes, self.size, ahead));
    }
}

impl Machine<'_> {
    /// Runs a loop that only multiplies from its head on, as long as tiles are whole; goes to its body for others.
    #[inline(never)]
    pub(super) fn multiply_in_loop(&mut self, count: &Count<'_>, exit: Target, block: &Block) -> Flow {
        let (launch, regs, body) = (self.launch, &block.frame, block.pc + 1);
        let [Inst::Load { view: first, dst, .. }, Inst::Load { view: second, .. }, Inst::Matmul(matmul), ..] = &launch.plan.code[body..]
        else {
            return Flow::Next;
        };
        let (left, right) = if matmul.lhs.base == Base::Reg(*dst) { (first, second) } else { (second, first) };
        let factors = Factor::new(launch, left, &matmul.lhs, regs).zip(Factor::new(launch, right, &matmul.rhs, regs));
        // An observer sees each access.
        let Some((mut lhs, mut rhs)) = factors.filter(|_| launch.observer.is_none()) else { return Flow::Next };
        let (products, mut values) = (Products::new(matmul, regs, launch.plan.machine().level()), count.values(regs));
        let (together, k) = (products.together(), matmul.shape.k);
        loop {
            let mut rounds = 1;
            let (goes_on, next) = loop {
                let goes_on = count.advance_from(&mut values, regs);
                let next = if goes_on { lhs.tiling.tile(regs).zip(rhs.tiling.tile(regs)) } else { None };
                let joins = |(left, right): (*mut u8, *mut u8)| {
                    left.cast_const() == lhs.along_row(rounds * k) && right.cast_const() == rhs.along_column(rounds * k)
                };
                if rounds == together || !next.is_some_and(joins) {
                    break (goes_on, next);
                }
                rounds += 1;
            };
            if let Some((left, right)) = next {
                // The next products are probably as many, and go on in the same way.
                lhs.read_ahead(left, rounds, k * lhs.row_step(), &mut self.ahead);
                rhs.read_ahead(right, rounds, k * rhs.column_step(), &mut self.ahead);
            } else if !goes_on {
                self.read_rest_ahead(exit, regs);
            }
            self.rounds += rounds as u64;
            products.multiply(rounds, &lhs.matrices, &rhs.matrices, &mut self.packs, &mut self.ahead);
            match next {
                _ if launch.interrupt.is_set() => return Flow::Interrupted,
                Some((left, right)) => (lhs.matrices.first.start, rhs.matrices.first.start) = (left, right),
                _ if goes_on => return Flow::Goto(body),
                _ => return Flow::Goto(exit),
            }
        }
    }

    /// Asks to fetch what is read and written behind the loop, up to where blocks may go elsewhere: tiles whose places are known already.
    fn read_rest_ahead(&mut self, exit: Target, regs: &Frame) {
        let launch = self.launch;
        let mut written = SmallVec::<[VReg; 16]>::new();
        for (at, inst) in launch.plan.code.iter().enumerate().skip(exit).take(MOST_BEHIND) {
            let view = match inst {
                Inst::Load { view, .. } => Some(view),
                Inst::Store { view, src } | Inst::SweepStore { view, src, .. } => {
                    Some(view).filter(|view| self.stores(src.numel() * view.size, at) == Stores::Cached)
                }
                inst if matches!(inst.effects().control, Control::Next | Control::Label) => None,
                _ => return,
            };
            if let Some(view) = view
                && let Some(tiling) = view.fixed.and_then(|number| launch.tilings[number].as_ref())
                && !tiling.is_moved_by(&written)
                && let Some(place) = tiling.tile(regs)
            {
                read_ahead(place, &tiling.axes, view.size, &mut self.ahead);
            }
            inst.for_each_write(|reg| written.push(reg));
        }
    }
}
