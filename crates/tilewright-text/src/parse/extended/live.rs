//! Which values of blocks are needed in other blocks.

use super::graph::{End, Graph, is_view};
use foldhash::HashMap;
use tilewright_ir::{Block, Body, OpRef, TypeTable, Value, ValueDef};

/// Values by where they are defined and needed.
///
/// A view is not carried from block to block, for control flow of the dialect does not do that: it is made anew where it is used, so
/// that what it is made of is needed there. Values of the entry block can be seen everywhere.
#[derive(Debug)]
pub(super) struct Live {
    /// By value: the node that defines it, if it is a result or argument of a block of the function.
    home: Vec<Option<usize>>,
    /// The values that are needed outside of the node that defines them, sorted.
    pub(super) crossing: Vec<Value>,
    /// By node: a bit for each of `crossing` that is needed when the node begins.
    needed: Vec<Vec<u64>>,
}

impl Live {
    /// Of a graph whose uses are all dominated by their definitions, which [`homes`] tells.
    pub(super) fn new(body: &Body, types: &TypeTable, graph: &Graph, home: Vec<Option<usize>>) -> Live {
        let mut used: Vec<Vec<Value>> = Vec::with_capacity(graph.len());
        for node in 0..graph.len() {
            let mut values = Vec::new();
            node_uses(body, graph, node, &mut |value| values.push(value));
            let mut needed = Vec::new();
            while let Some(value) = values.pop() {
                match home[value.index()] {
                    Some(defined) if defined != node && defined != 0 => match remade(body, types, value) {
                        Some(op) => values.extend(op.operands()),
                        None => needed.push(value),
                    },
                    _ => {}
                }
            }
            needed.sort_unstable();
            needed.dedup();
            used.push(needed);
        }
        let mut crossing: Vec<Value> = used.concat();
        crossing.sort_unstable();
        crossing.dedup();
        let mut live = Live { home, needed: vec![vec![0; crossing.len().div_ceil(64)]; graph.len()], crossing };
        live.spread(graph, &used);
        live
    }

    /// What is needed in a node is needed before it, up to where it is defined.
    fn spread(&mut self, graph: &Graph, used: &[Vec<Value>]) {
        let position = |value: &Value| self.crossing.binary_search(value).unwrap_or(0);
        let mut kept = vec![vec![u64::MAX; self.crossing.len().div_ceil(64)]; graph.len()];
        for (at, value) in self.crossing.iter().enumerate() {
            if let Some(node) = self.home[value.index()] {
                kept[node][at / 64] &= !(1 << (at % 64));
            }
        }
        let mut own = vec![Vec::new(); graph.len()];
        for (node, values) in used.iter().enumerate() {
            own[node] = values.iter().map(position).collect();
        }
        let mut changed = true;
        while changed {
            changed = false;
            for node in (0..graph.len()).rev() {
                let mut bits = vec![0u64; self.crossing.len().div_ceil(64)];
                for edge in graph.edges(node) {
                    bits.iter_mut().zip(&self.needed[edge.to]).for_each(|(bits, more)| *bits |= more);
                }
                bits.iter_mut().zip(&kept[node]).for_each(|(bits, kept)| *bits &= kept);
                own[node].iter().for_each(|at| bits[at / 64] |= 1 << (at % 64));
                changed |= bits != self.needed[node];
                self.needed[node] = bits;
            }
        }
    }

    pub(super) fn home(&self, value: Value) -> Option<usize> {
        self.home[value.index()]
    }

    /// Whether the value number `at` of `crossing` is needed when a node begins.
    pub(super) fn is_needed(&self, node: usize, at: usize) -> bool {
        self.needed[node][at / 64] >> (at % 64) & 1 == 1
    }
}

/// By value: the node that defines it, if it is a result or argument of a block of the function. Blocks that cannot be reached have a
/// number that none has.
pub(super) fn homes(body: &Body, graph: &Graph) -> Vec<Option<usize>> {
    let mut home = vec![None; body.num_values()];
    let nodes: HashMap<Block, usize> = graph.blocks.iter().copied().zip(0..).collect();
    for block in body.blocks(body.root()) {
        let node = nodes.get(&block).copied().unwrap_or(usize::MAX);
        let results = body.ops(block).flat_map(OpRef::results);
        body.args(block).chain(results).for_each(|value| home[value.index()] = Some(node));
    }
    home
}

/// The operation to make a value anew with, if that is how it gets from block to block.
pub(super) fn remade<'b>(body: &'b Body, types: &TypeTable, value: Value) -> Option<OpRef<'b>> {
    match body.value_def(value) {
        ValueDef::Result(op, 0) if is_view(types.get(body.ty(value))) => Some(body.op(op)),
        _ => None,
    }
}

/// All values that a node uses, in nested operations, too.
pub(super) fn node_uses(body: &Body, graph: &Graph, node: usize, visit: &mut dyn FnMut(Value)) {
    for op in body.ops(graph.blocks[node]) {
        op_uses(op, visit);
    }
    if let End::Branch { condition, .. } = graph.ends[node] {
        visit(condition);
    }
    graph.edges(node).flat_map(|edge| &edge.args).for_each(|&value| visit(value));
}

pub(super) fn op_uses(op: OpRef<'_>, visit: &mut dyn FnMut(Value)) {
    op.operands().iter().for_each(|&value| visit(value));
    for region in op.regions() {
        for block in op.body().blocks(region) {
            op.body().ops(block).for_each(|inner| op_uses(inner, visit));
        }
    }
}
