//! The blocks of a function as a graph.

use super::super::cursor::{Parsed, Parser, brief};
use super::Pending;
use foldhash::{HashMap, HashMapExt as _};
use tilewright_ir::{Block, Loc, Opcode, TypeData, Value};

/// No function with branches has more blocks.
pub(super) const MAX_BLOCKS: usize = 1024;

/// How a node ends.
#[derive(Clone, Debug)]
pub(super) enum End {
    /// With a terminator of the dialect.
    Stop,
    Jump(Edge),
    Branch {
        condition: Value,
        then: Edge,
        other: Edge,
    },
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Edge {
    pub(super) to: usize,
    pub(super) args: Vec<Value>,
}

/// The blocks that can be reached, by number; the first is the entry. Blocks come after those that dominate them.
#[derive(Debug)]
pub(super) struct Graph {
    pub(super) blocks: Vec<Block>,
    pub(super) ends: Vec<End>,
    pub(super) locs: Vec<Option<Loc>>,
    /// The immediate dominator of each node; the entry's is itself.
    pub(super) dominators: Vec<usize>,
}

impl Graph {
    pub(super) fn len(&self) -> usize {
        self.blocks.len()
    }

    pub(super) fn edges(&self, node: usize) -> impl Iterator<Item = &Edge> {
        targets(&self.ends[node])
    }

    /// Whether all ways to `node` go through `other`.
    pub(super) fn is_dominated(&self, node: usize, other: usize) -> bool {
        let mut node = node;
        while node > other {
            node = self.dominators[node];
        }
        node == other
    }
}

/// Renumbers blocks in reverse postorder from the first, without those that cannot be reached.
fn reverse_postorder(successors: &[Vec<usize>]) -> Vec<usize> {
    let mut order = Vec::new();
    let mut seen = vec![false; successors.len()];
    let mut stack = vec![(0, 0)];
    seen[0] = true;
    while let Some((node, next)) = stack.last_mut() {
        match successors[*node].get(*next) {
            Some(&to) => {
                *next += 1;
                if !std::mem::replace(&mut seen[to], true) {
                    stack.push((to, 0));
                }
            }
            None => {
                order.push(*node);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

/// Immediate dominators of nodes that are numbered in reverse postorder.
fn dominators(predecessors: &[Vec<usize>]) -> Vec<usize> {
    let mut dominators: Vec<Option<usize>> = vec![None; predecessors.len()];
    dominators[0] = Some(0);
    let mut changed = true;
    while changed {
        changed = false;
        for node in 1..predecessors.len() {
            let known = predecessors[node].iter().copied().filter(|&from| dominators[from].is_some());
            let common = known.reduce(|mut a, mut b| {
                while a != b {
                    let later = if a > b { &mut a } else { &mut b };
                    *later = dominators[*later].unwrap_or(0);
                }
                a
            });
            if dominators[node] != common {
                dominators[node] = common;
                changed = true;
            }
        }
    }
    dominators.into_iter().map(|node| node.unwrap_or(0)).collect()
}

impl Parser<'_> {
    /// The graph of the function at hand, whose blocks must end as they should and take what branches give them.
    pub(super) fn graph(&mut self, pending: &Pending) -> Parsed<Graph> {
        let blocks: Vec<Block> = self.body.blocks(self.body.root()).collect();
        if blocks.len() > MAX_BLOCKS {
            let message = format!("a function that branches has at most {MAX_BLOCKS} blocks, this one has {}", blocks.len());
            return Err(self.report("limit", pending.labels[MAX_BLOCKS - 1].0.span(), message));
        }
        if let Some(&label) = pending.unended.first() {
            let label_text = brief(self.text(label));
            let failed = self.report("misplaced-operation", label.span(), "the block before this one ends without a branch".to_owned());
            self.note(format!("write 'br {label_text}' where it should go on here"));
            return Err(failed);
        }
        let numbers = self.numbered_labels(pending, &blocks)?;
        let mut ends = Vec::with_capacity(blocks.len());
        for &block in &blocks {
            ends.push(self.end_of(block, pending, &blocks, &numbers)?);
        }
        let successors: Vec<Vec<usize>> = ends.iter().map(|end| targets(end).map(|edge| edge.to).collect()).collect();
        let order = reverse_postorder(&successors);
        let mut number = vec![usize::MAX; blocks.len()];
        order.iter().enumerate().for_each(|(new, &old)| number[old] = new);
        let mut predecessors = vec![Vec::new(); order.len()];
        for (new, &old) in order.iter().enumerate() {
            successors[old].iter().for_each(|&to| predecessors[number[to]].push(new));
        }
        let renumbered = |edge: &Edge| Edge { to: number[edge.to], args: edge.args.clone() };
        let ends = order.iter().map(|&old| match &ends[old] {
            End::Stop => End::Stop,
            End::Jump(edge) => End::Jump(renumbered(edge)),
            End::Branch { condition, then, other } => {
                End::Branch { condition: *condition, then: renumbered(then), other: renumbered(other) }
            }
        });
        Ok(Graph {
            ends: ends.collect(),
            locs: order.iter().map(|&old| pending.branches.get(&blocks[old]).and_then(|branch| branch.loc)).collect(),
            dominators: dominators(&predecessors),
            blocks: order.iter().map(|&old| blocks[old]).collect(),
        })
    }

    /// The number of the block of each label.
    fn numbered_labels(&mut self, pending: &Pending, blocks: &[Block]) -> Parsed<HashMap<String, usize>> {
        let by_block: HashMap<Block, usize> = blocks.iter().copied().zip(0..).collect();
        let mut numbers = HashMap::new();
        for &(label, block) in &pending.labels {
            let text = self.text(label);
            if numbers.insert(text.to_owned(), by_block[&block]).is_some() {
                return Err(self.report("redefinition", label.span(), format!("{} is defined already", brief(text))));
            }
            let view = self.body.args(block).map(|arg| self.body.ty(arg)).find(|&ty| is_view(self.module.tables.types.get(ty)));
            if let Some(ty) = view {
                let message = format!("a block cannot take a view, found {}", self.type_name(ty));
                let failed = self.report("cannot-expand", label.span(), message);
                self.note("control flow carries no views: pass the pointer, and make the view in the block".to_owned());
                return Err(failed);
            }
        }
        Ok(numbers)
    }

    fn end_of(&mut self, block: Block, pending: &Pending, blocks: &[Block], numbers: &HashMap<String, usize>) -> Parsed<End> {
        let last = self.body.last_op(block).map(|op| (op.id(), op.opcode()));
        let Some(branch) = pending.branches.get(&block) else {
            return match last {
                Some((_, Opcode::Return)) => Ok(End::Stop),
                _ => {
                    let label = pending.labels.iter().find(|(_, other)| *other == block).map_or(0..0, |(label, _)| label.span());
                    let message = "a block of a function ends with br, cond_br, return or unreachable".to_owned();
                    Err(self.report("misplaced-operation", label, message))
                }
            };
        };
        if last.map(|(op, _)| op) != branch.last {
            return Err(self.report("misplaced-operation", branch.token.span(), "operations follow the branch in its block".to_owned()));
        }
        let mut edges = Vec::new();
        for target in &branch.targets {
            let label = brief(self.text(target.label));
            let Some(&to) = numbers.get(self.text(target.label)) else {
                return Err(self.report("undefined-value", target.label.span(), format!("no block of the function is called {label}")));
            };
            let expected: Vec<_> = self.body.args(blocks[to]).map(|arg| self.body.ty(arg)).collect();
            let found: Vec<_> = target.args.iter().map(|&arg| self.body.ty(arg)).collect();
            if expected != found {
                let list = |types: &[_]| types.iter().map(|&ty| self.type_name(ty)).collect::<Vec<_>>().join(", ");
                let message = format!("{label} takes ({}), found ({})", list(&expected), list(&found));
                return Err(self.report("type-mismatch", target.label.span(), message));
            }
            edges.push(Edge { to, args: target.args.clone() });
        }
        let mut edges = edges.into_iter();
        match (branch.condition, edges.next(), edges.next()) {
            (Some(condition), Some(then), Some(other)) => Ok(End::Branch { condition, then, other }),
            (_, Some(edge), _) => Ok(End::Jump(edge)),
            _ => Ok(End::Stop),
        }
    }
}

fn targets(end: &End) -> impl Iterator<Item = &Edge> {
    let (first, second) = match end {
        End::Stop => (None, None),
        End::Jump(edge) => (Some(edge), None),
        End::Branch { then, other, .. } => (Some(then), Some(other)),
    };
    first.into_iter().chain(second)
}

pub(super) fn is_view(ty: &TypeData) -> bool {
    matches!(
        ty,
        TypeData::TensorView { .. } | TypeData::PartitionView { .. } | TypeData::StridedView { .. } | TypeData::GatherScatterView { .. }
    )
}
