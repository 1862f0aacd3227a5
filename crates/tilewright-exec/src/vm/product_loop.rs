//! Loops that only multiply: each round loads tiles and adds products of them to sums (`plan/product_loops.rs` says which do).
//!
//! As long as tiles are whole, nothing is looked up from round to round, and the next round's tiles are known before a product begins,
//! which fetches them. Where that gains, rounds whose tiles go on along `k` where those of the round before end are one product.
//!
//! Blocks that run in step (`vm/in_step.rs`) go round together. Those in a row or a column of the result have a factor in common: it is read from memory
//! and copied once for all of them. So is a factor that products of a round have in common. Narrow tiles of a row are multiplied as one (`beside.rs`).

mod beside;

use super::{
    Flow, Launch, Machine,
    count::Count,
    frame::Frame,
    in_place::{matrices_of, read_ahead},
    product::Products,
    tiling::Tiling,
};
use crate::{
    kernels::{ahead::Ahead, boxes::Stores, mma::Matrices},
    plan::{Control, Inst, LoopProduct, Matmul, ProductLoop, Target, Tile, VReg, ViewAccess},
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
        let matrices = matrices_of(tile, Some(&tiling.axes), tiling.tile(regs)?);
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

/// A product of a block that goes round a loop, or of several blocks whose right factors are beside each other.
struct Lane<'l> {
    regs: &'l Frame,
    /// The blocks to the right of it.
    others: SmallVec<[&'l Frame; 3]>,
    matmul: &'l Matmul,
    lhs: Factor<'l>,
    rhs: Factor<'l>,
    products: Products<'l>,
    /// Where the factors of its next round lie, if there is one and they are whole.
    next: Option<(*mut u8, *mut u8)>,
}

impl<'l> Lane<'l> {
    /// A product before its first round; `None` if its factors are not whole, or the launch does not know where they lie.
    fn new(launch: &'l Launch<'_>, product: &LoopProduct<'l>, regs: &'l Frame) -> Option<Lane<'l>> {
        let LoopProduct { left, right, matmul, .. } = *product;
        let lhs = Factor::new(launch, left, &matmul.lhs, regs)?;
        let rhs = Factor::new(launch, right, &matmul.rhs, regs)?;
        let products = Products::new(matmul, regs, launch.plan.machine().level());
        Some(Lane { regs, others: SmallVec::new(), matmul, lhs, rhs, products, next: None })
    }

    /// The blocks that it is of.
    fn blocks(&self) -> impl Iterator<Item = &'l Frame> {
        std::iter::once(self.regs).chain(self.others.iter().copied())
    }

    /// Finds the factors of the next round.
    fn look_ahead(&mut self, goes_on: bool) {
        let next = |regs: &Frame| self.lhs.tiling.tile(regs).zip(self.rhs.tiling.tile(regs));
        self.next = if goes_on { next(self.regs) } else { None };
        if let Some((left, right)) = self.next
            && !self.others.iter().enumerate().all(|(at, regs)| next(regs) == Some((left, right.wrapping_add(self.beside(at + 1)))))
        {
            self.next = None;
        }
    }

    /// How many bytes behind the right factor of its first block that of another one is.
    fn beside(&self, block: usize) -> usize {
        block * self.matmul.shape.n * self.rhs.row_step()
    }

    /// Whether they go on along `k` where those of so many rounds end.
    fn joins(&self, rounds: usize) -> bool {
        let k = self.products.depth();
        self.next.is_some_and(|(left, right)| {
            left.cast_const() == self.lhs.along_row(rounds * k) && right.cast_const() == self.rhs.along_column(rounds * k)
        })
    }

    /// Whether copies of factors of another product may serve this one.
    fn is_like(&self, other: &Lane<'_>) -> bool {
        (self.matmul.kind, self.products.shape()) == (other.matmul.kind, other.products.shape())
    }
}

/// How many rounds of a loop are worth computing as one.
fn together(product_loop: &ProductLoop<'_>, lanes: &[Lane<'_>]) -> usize {
    let most = lanes.iter().map(|lane| lane.products.together()).min();
    most.filter(|_| product_loop.adds_apart()).unwrap_or(1)
}

impl Machine<'_> {
    /// Runs a loop that only multiplies from its head on, as long as tiles are whole; goes to its body for others. Blocks that run in step go round it
    /// together: `count` is that of the first, and all have the same.
    #[inline(never)]
    pub(super) fn multiply_in_loop(&mut self, count: &Count<'_>, exit: Target, head: usize, frames: &[&Frame]) -> Flow {
        let (launch, body) = (self.launch, head + 1);
        // An observer sees each access.
        let found = ProductLoop::of(&launch.plan.code[body..]).filter(|_| launch.observer.is_none());
        let Some(product_loop) = found else { return Flow::Next };
        // Each product of all blocks, before the next one.
        let of_all = product_loop.products.iter().flat_map(|product| frames.iter().map(|regs| Lane::new(launch, product, regs)));
        let Some(mut lanes): Option<SmallVec<[Lane<'_>; 1]>> = of_all.collect() else { return Flow::Next };
        if frames.len() == 1 || !product_loop.adds_apart() {
            return self.go_round(&mut lanes, &product_loop, count, exit, body, frames);
        }
        let mut lanes = beside::joined(lanes);
        if !beside::begin(&mut lanes, &mut self.beside, &launch.budget) {
            return Flow::Next;
        }
        let flow = self.go_round(&mut lanes, &product_loop, count, exit, body, frames);
        lanes.iter().for_each(beside::end);
        flow
    }

    /// Goes round the loop.
    fn go_round(
        &mut self,
        lanes: &mut [Lane<'_>],
        product_loop: &ProductLoop<'_>,
        count: &Count<'_>,
        exit: Target,
        body: usize,
        frames: &[&Frame],
    ) -> Flow {
        let launch = self.launch;
        let (together, mut values) = (together(product_loop, lanes), count.values(frames[0]));
        loop {
            let mut rounds = 1;
            let goes_on = loop {
                let before = values;
                let mut goes_on = false;
                for regs in frames {
                    values = before;
                    goes_on = count.advance_from(&mut values, regs);
                }
                lanes.iter_mut().for_each(|lane| lane.look_ahead(goes_on));
                if rounds == together || !lanes.iter().all(|lane| lane.joins(rounds)) {
                    break goes_on;
                }
                rounds += 1;
            };
            let are_whole = lanes.iter().all(|lane| lane.next.is_some());
            self.rounds += (rounds * frames.len()) as u64;
            for at in 0..lanes.len() {
                let lane = &lanes[at];
                if at == 0 || !lane.is_like(&lanes[at - 1]) {
                    self.packs.begin(lanes[at..].iter().take_while(|other| lane.is_like(other)).count());
                }
                if are_whole {
                    self.read_round_ahead(lanes, at, rounds);
                } else if !goes_on && std::ptr::eq(lane.matmul, lanes[0].matmul) {
                    lane.blocks().for_each(|regs| self.read_rest_ahead(exit, regs));
                }
                lane.products.multiply(rounds, &lane.lhs.matrices, &lane.rhs.matrices, &mut self.packs, &mut self.ahead);
            }
            match goes_on {
                _ if launch.interrupt.is_set() => return Flow::Interrupted,
                true if !are_whole => return Flow::Goto(body),
                true => {}
                false => return Flow::Goto(exit),
            }
            for Lane { lhs, rhs, next, .. } in &mut *lanes {
                let Some((left, right)) = *next else { return Flow::Goto(body) };
                (lhs.matrices.first.start, rhs.matrices.first.start) = (left, right);
            }
        }
    }

    /// Asks to fetch the factors of a product's next rounds, which are probably as many and go on in the same way, unless ones before it have the same.
    fn read_round_ahead(&mut self, lanes: &[Lane<'_>], at: usize, rounds: usize) {
        let Lane { lhs, rhs, products, next: Some((left, right)), others, .. } = &lanes[at] else { return };
        let (k, before) = (products.depth(), lanes[..at].iter().filter_map(|lane| lane.next));
        if before.clone().all(|(other, _)| other != *left) {
            lhs.read_ahead(*left, rounds, k * lhs.row_step(), &mut self.ahead);
        }
        if before.clone().all(|(_, other)| other != *right) {
            for block in 0..=others.len() {
                rhs.read_ahead(right.wrapping_add(lanes[at].beside(block)), rounds, k * rhs.column_step(), &mut self.ahead);
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
