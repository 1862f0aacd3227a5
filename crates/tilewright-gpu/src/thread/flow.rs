//! The control flow of thread code: predecessors, dominators, loops.

use super::Function;

/// How blocks are reached, by their place among the blocks of a function.
pub(crate) struct Flow {
    /// Blocks that a way from the first one leads to; each after those that dominate it.
    pub(crate) order: Vec<usize>,
    pub(crate) predecessors: Vec<Vec<usize>>,
    /// The closest block that lies on every way to a block.
    dominator: Vec<Option<usize>>,
}

/// A loop: the block that every way into it goes through, and all that lead back to it.
pub(crate) struct Loop {
    pub(crate) header: usize,
    /// In the order of [`Flow::order`].
    pub(crate) blocks: Vec<usize>,
    /// Those that jump back.
    pub(crate) latches: Vec<usize>,
}

impl Flow {
    pub(crate) fn of(function: &Function) -> Flow {
        let count = function.blocks.len();
        let successors = |block: usize| function.blocks[block].end.targets().into_iter().map(|target| target.label.index());
        let mut order = Vec::new();
        let mut seen = vec![false; count];
        let mut pending = vec![(0, successors(0).collect::<Vec<_>>())];
        seen[0] = true;
        while let Some((block, rest)) = pending.last_mut() {
            match rest.pop() {
                Some(next) if !seen[next] => {
                    seen[next] = true;
                    pending.push((next, successors(next).collect()));
                }
                Some(_) => {}
                None => {
                    order.push(*block);
                    pending.pop();
                }
            }
        }
        order.reverse();
        let mut predecessors = vec![Vec::new(); count];
        for block in &order {
            successors(*block).for_each(|next| predecessors[next].push(*block));
        }
        let mut flow = Flow { order, predecessors, dominator: vec![None; count] };
        flow.find_dominators();
        flow
    }

    /// By Cooper, Harvey and Kennedy: each block's dominator meets those of its predecessors, until nothing changes.
    fn find_dominators(&mut self) {
        let mut place = vec![usize::MAX; self.dominator.len()];
        self.order.iter().enumerate().for_each(|(at, block)| place[*block] = at);
        self.dominator[0] = Some(0);
        let mut changed = true;
        while changed {
            changed = false;
            for &block in &self.order[1..] {
                let mut known = self.predecessors[block].iter().copied().filter(|from| self.dominator[*from].is_some());
                let Some(first) = known.next() else { continue };
                let met = known.fold(first, |mut a, mut b| {
                    while a != b {
                        let later = if place[a] > place[b] { &mut a } else { &mut b };
                        *later = self.dominator[*later].expect("it was found before");
                    }
                    a
                });
                changed |= self.dominator[block].replace(met) != Some(met);
            }
        }
    }

    /// The closest dominator of a block other than itself.
    pub(crate) fn dominator(&self, block: usize) -> Option<usize> {
        self.dominator[block].filter(|dominator| *dominator != block)
    }

    /// Whether every way to `block` leads through `other`.
    pub(crate) fn dominates(&self, other: usize, block: usize) -> bool {
        let mut at = Some(block);
        while let Some(here) = at {
            if here == other {
                return true;
            }
            at = self.dominator(here);
        }
        false
    }

    /// The loops, inner ones first.
    pub(crate) fn loops(&self) -> Vec<Loop> {
        let mut loops = Vec::new();
        for &header in &self.order {
            let latches: Vec<usize> = self.predecessors[header].iter().copied().filter(|from| self.dominates(header, *from)).collect();
            if latches.is_empty() {
                continue;
            }
            let mut inside = vec![false; self.dominator.len()];
            inside[header] = true;
            let mut pending = latches.clone();
            while let Some(block) = pending.pop() {
                if !std::mem::replace(&mut inside[block], true) {
                    pending.extend(&self.predecessors[block]);
                }
            }
            let blocks = self.order.iter().copied().filter(|block| inside[*block]).collect();
            loops.push(Loop { header, blocks, latches });
        }
        // A loop within another one has fewer blocks.
        loops.sort_by_key(|l| l.blocks.len());
        loops
    }
}
