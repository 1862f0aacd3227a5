//! Blocks that branch to each other, as loops and branches of the dialect.
//!
//! The graph is emitted from its entry on. At each point, an [`Arrival`] says which nodes come next: one, or several, and then a number
//! (the selector) tells which while the kernel runs. Where one node comes next, it is emitted in place. A branch becomes an `if` whose
//! branches hold what only they reach; they yield where they arrive, the arguments of these nodes, and the values that are needed
//! there. Where several nodes come next, the first of them in topological order stands in an `if` on the selector. So no node is emitted twice.
//!
//! A cycle (a strongly connected component) becomes a `loop` that carries the arguments of its headers, the nodes that are entered from
//! outside; if there are several, it carries the selector, too, and begins with a choice: that is how irreducible graphs are
//! expressed. In its body, an edge to a header is another target than the header itself, and makes a `continue`; leaving is a `break`
//! with the selector of where to. What ends a branch for good (`continue`, `break`, `return`) leaves the rest to stand behind the `if`.

use super::super::cursor::{Failed, Parsed, Parser};
use super::graph::{Edge, End, Graph, MAX_BLOCKS};
use super::live::{Live, homes, node_uses, op_uses, remade};
use super::rebuild::{Extra, Rebuild};
use super::{Mark, Pending};
use foldhash::{HashMap, HashMapExt as _};
use std::collections::BTreeMap;
use tilewright_ir::{
    AttrValue, Block, ComparisonPredicate, Loc, NewOp, Op, OpRef, Opcode, Place, Region as Nested, Scalar, Signedness, Type, TypeData,
    TypeTable, Value,
};

/// How deep the loops and branches nest that a graph becomes.
const MAX_NESTING: usize = 128;

/// How many values the loops and branches hand on together: each one may hand on all that the function computes.
const MAX_HANDED_ON: usize = 1 << 22;

/// Added to a header: the target of an edge back to it.
const BACK: usize = MAX_BLOCKS;

/// Where control goes next.
#[derive(Clone, Debug)]
struct Arrival {
    /// Nodes, or headers plus [`BACK`], in ascending order.
    targets: Vec<usize>,
    /// Which of them, if there are several.
    selector: Option<Value>,
    /// The arguments of each.
    args: BTreeMap<usize, Vec<Value>>,
}

/// What comes behind what was emitted.
enum Flow {
    /// Nothing: it ends with a terminator.
    Ended,
    At(Arrival),
}

/// A value that is handed on where control goes to one of several targets.
#[derive(Clone, Copy, Debug)]
enum Slot {
    Selector,
    /// An argument of a target.
    Arg(usize, usize),
    /// One of the values that cross between nodes.
    Live(usize),
}

/// The innermost loop around, or the function.
struct Context {
    /// Nodes whose edges in are edges back, of all loops around.
    cut: Vec<bool>,
    inner: Option<Inner>,
}

struct Inner {
    body: Vec<bool>,
    headers: Vec<usize>,
    carried: Vec<Slot>,
    left: Vec<Slot>,
}

impl Context {
    fn target(&self, node: usize) -> usize {
        if self.cut[node] { node + BACK } else { node }
    }

    /// Whether going to a target is a jump out of the body of the loop, or to its next iteration.
    fn is_jump(&self, target: usize) -> bool {
        self.inner.as_ref().is_some_and(|inner| target >= BACK || !inner.body[target])
    }
}

/// An acyclic part of the graph: its components, where edges back are not counted.
struct Parts {
    /// By node: its component, if it is of the part. A component comes after those that lead to it.
    component: Vec<Option<usize>>,
    nodes: Vec<Vec<usize>>,
    is_loop: Vec<bool>,
}

impl Parser<'_> {
    /// Makes of the blocks of the body at hand one.
    pub(super) fn structure(&mut self, pending: &mut Pending, signature: Type) -> Parsed<()> {
        let graph = self.graph(pending)?;
        let home = homes(&self.body, &graph);
        self.check_dominance(pending, &graph, &home)?;
        let live = Live::new(&self.body, &self.module.tables.types, &graph, home);
        let body = std::mem::take(&mut self.body);
        let token = pending.branches.values().map(|branch| branch.token).min_by_key(|token| token.start()).ok_or(Failed)?;
        let mut build = Rebuild::new(&body);
        let entry = build.block(graph.blocks[0], build.new.root(), None);
        let mut structure = Structure {
            p: self,
            build,
            graph: &graph,
            live: &live,
            old_marks: &pending.marks,
            marks: HashMap::new(),
            made: HashMap::new(),
            numbers: HashMap::new(),
            fillers: HashMap::new(),
            entry,
            anchor: None,
            depth: 0,
            handed_on: 0,
            token: token.start(),
            signature,
        };
        structure.function()?;
        let Structure { build, marks, .. } = structure;
        self.body = build.new;
        pending.marks = marks;
        Ok(())
    }

    /// Each use must be dominated by the definition.
    fn check_dominance(&mut self, pending: &Pending, graph: &Graph, home: &[Option<usize>]) -> Parsed<()> {
        for node in 0..graph.len() {
            let mut wrong = None;
            node_uses(&self.body, graph, node, &mut |value| {
                wrong = wrong.or(home[value.index()].filter(|&home| home != node && !graph.is_dominated(node, home)));
            });
            if wrong.is_some() {
                let label = pending.labels.iter().find(|(_, block)| *block == graph.blocks[node]).map(|(label, _)| *label);
                let span = label.map_or(0..0, |label| label.span());
                let message = "this block uses a value of a block that not every way here goes through".to_owned();
                let failed = self.report("undefined-value", span, message);
                self.note("pass it as an argument of the block".to_owned());
                return Err(failed);
            }
        }
        Ok(())
    }
}

struct Structure<'a, 'p, 's> {
    p: &'p mut Parser<'s>,
    build: Rebuild<'a>,
    graph: &'a Graph,
    live: &'a Live,
    old_marks: &'a HashMap<Op, Mark>,
    marks: HashMap<Op, Mark>,
    /// By view: the node that it was made for last.
    made: HashMap<Value, usize>,
    /// Constants at the beginning of the function.
    numbers: HashMap<usize, Value>,
    /// Values that stand for any of their type, at the beginning of the function.
    fillers: HashMap<Type, Value>,
    entry: Block,
    /// The operation before which these are.
    anchor: Option<Op>,
    depth: usize,
    /// How many values were handed on.
    handed_on: usize,
    /// Where errors are reported.
    token: usize,
    signature: Type,
}

impl<'a> Structure<'a, '_, '_> {
    fn function(&mut self) -> Parsed<()> {
        let size = self.graph.len();
        let context = Context { cut: vec![false; size], inner: None };
        let all = vec![true; size];
        let parts = self.parts(&context, &all);
        let start = Arrival { targets: vec![0], selector: None, args: BTreeMap::new() };
        match self.run(&context, &parts, &all, start, self.entry)? {
            Flow::Ended => Ok(()),
            Flow::At(_) => self.never(self.entry),
        }
    }

    /// Emits what comes next, until control leaves `scope`.
    fn run(&mut self, context: &Context, parts: &Parts, scope: &[bool], start: Arrival, block: Block) -> Parsed<Flow> {
        let mut at = start;
        loop {
            if at.targets.iter().all(|&target| context.is_jump(target)) {
                return self.jump(context, &at, block).map(|()| Flow::Ended);
            }
            let component_of = |target: usize| if target < BACK && scope[target] { parts.component[target] } else { None };
            let Some(first) = at.targets.iter().filter_map(|&target| component_of(target)).min() else { return Ok(Flow::At(at)) };
            let here: Vec<usize> = at.targets.iter().copied().filter(|&target| component_of(target) == Some(first)).collect();
            let flow = if here.len() == at.targets.len() {
                match parts.is_loop[first] {
                    true => self.cycle(context, &parts.nodes[first], at, block)?,
                    false => self.node(context, parts, scope, (here[0], at), block)?,
                }
            } else {
                let is_here = self.selects(&at, &here, block)?;
                let rest: Vec<usize> = at.targets.iter().copied().filter(|target| !here.contains(target)).collect();
                self.choose(context, parts, scope, (is_here, at.only(here), at.only(rest)), (block, None))?
            };
            match flow {
                Flow::Ended => return Ok(Flow::Ended),
                Flow::At(next) => at = next,
            }
        }
    }

    /// A node in place.
    fn node(&mut self, context: &Context, parts: &Parts, scope: &[bool], (node, at): (usize, Arrival), block: Block) -> Parsed<Flow> {
        let old = self.build.old;
        let args = at.args.get(&node).into_iter().flatten();
        for (arg, &value) in old.args(self.graph.blocks[node]).zip(args) {
            self.build.values[arg.index()] = Some(value);
        }
        for op in old.ops(self.graph.blocks[node]) {
            op_uses(op, &mut |value| self.make_view(value, node, block));
            self.copy(op, block);
        }
        match &self.graph.ends[node] {
            End::Stop => Ok(Flow::Ended),
            End::Jump(edge) => Ok(Flow::At(self.arrival(context, edge))),
            End::Branch { then, other, .. } if then == other => Ok(Flow::At(self.arrival(context, then))),
            End::Branch { condition, then, other } => {
                let condition = self.build.value(*condition);
                let (then, other) = (self.arrival(context, then), self.arrival(context, other));
                self.choose(context, parts, scope, (condition, then, other), (block, self.graph.locs[node]))
            }
        }
    }

    fn arrival(&self, context: &Context, edge: &Edge) -> Arrival {
        let target = context.target(edge.to);
        let args = edge.args.iter().map(|&arg| self.build.value(arg)).collect();
        Arrival { targets: vec![target], selector: None, args: BTreeMap::from([(target, args)]) }
    }

    /// Two ways to go on.
    fn choose(
        &mut self,
        context: &Context,
        parts: &Parts,
        scope: &[bool],
        (condition, then, other): (Value, Arrival, Arrival),
        (block, loc): (Block, Option<Loc>),
    ) -> Parsed<Flow> {
        let (by_then, by_other) = (self.reach(context, scope, &then.targets), self.reach(context, scope, &other.targets));
        let only = |these: &[bool], those: &[bool]| these.iter().zip(those).map(|(&this, that)| this && !that).collect::<Vec<bool>>();
        let (only_then, only_other) = (only(&by_then, &by_other), only(&by_other, &by_then));
        if self.ends(context, &only_then, &then.targets) {
            let (op, [inside, _]) = self.open_if(condition, false, block, loc)?;
            self.branch(context, parts, &only_then, then, inside)?;
            return self.close_if(op, &[]).map(|_| Flow::At(other));
        }
        let (op, [inside, otherwise]) = self.open_if(condition, true, block, loc)?;
        let otherwise = otherwise.ok_or(Failed)?;
        if self.ends(context, &only_other, &other.targets) {
            self.end(Opcode::Yield, &[], inside.ok_or(Failed)?);
            self.branch(context, parts, &only_other, other, Some(otherwise))?;
            return self.close_if(op, &[]).map(|_| Flow::At(then));
        }
        let then = self.branch(context, parts, &only_then, then, inside)?;
        let other = self.branch(context, parts, &only_other, other, Some(otherwise))?;
        let arrivals: Vec<&Arrival> =
            [&then, &other].into_iter().filter_map(|flow| if let Flow::At(at) = flow { Some(at) } else { None }).collect();
        let mut targets: Vec<usize> = arrivals.iter().flat_map(|at| at.targets.iter().copied()).collect();
        targets.sort_unstable();
        targets.dedup();
        let defined: Vec<bool> = only_then.iter().zip(&only_other).map(|(a, b)| a | b).collect();
        let slots = self.slots(&targets, &defined);
        for (flow, inside) in [(&then, inside.ok_or(Failed)?), (&other, otherwise)] {
            if let Flow::At(at) = flow {
                let values = self.handed_on(at, &slots)?;
                self.end(Opcode::Yield, &values, inside);
            }
        }
        let types = self.types(&slots)?;
        let results = self.close_if(op, &types)?;
        if targets.is_empty() {
            return self.never(block).map(|()| Flow::Ended);
        }
        Ok(Flow::At(self.received(&slots, targets, &results)))
    }

    /// What one branch of an `if` holds.
    fn branch(&mut self, context: &Context, parts: &Parts, scope: &[bool], at: Arrival, block: Option<Block>) -> Parsed<Flow> {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            return Err(self.fail(format!("the loops and branches that these blocks become nest deeper than {MAX_NESTING}")));
        }
        let flow = self.run(context, parts, scope, at, block.ok_or(Failed)?);
        self.depth -= 1;
        flow
    }

    /// A cycle as a loop.
    fn cycle(&mut self, context: &Context, nodes: &[usize], at: Arrival, block: Block) -> Parsed<Flow> {
        let mut body = vec![false; self.graph.len()];
        nodes.iter().for_each(|&node| body[node] = true);
        let mut headers: Vec<usize> = (0..self.graph.len())
            .filter(|&node| !body[node])
            .flat_map(|node| self.graph.edges(node).map(|edge| edge.to))
            .filter(|&to| body[to])
            .collect();
        headers.sort_unstable();
        headers.dedup();
        let mut cut = context.cut.clone();
        headers.iter().for_each(|&header| cut[header] = true);
        let carried = self.slots(&headers, &[]);
        let mut inner = Context {
            cut,
            inner: Some(Inner { body: body.clone(), headers: headers.clone(), carried: carried.clone(), left: Vec::new() }),
        };
        let mut exits: Vec<usize> = nodes
            .iter()
            .flat_map(|&node| self.graph.edges(node).map(|edge| inner.target(edge.to)))
            .filter(|&target| if target >= BACK { !headers.contains(&(target - BACK)) } else { !body[target] })
            .collect();
        exits.sort_unstable();
        exits.dedup();
        let left = self.slots(&exits, &body);
        if let Some(inner) = &mut inner.inner {
            inner.left = left.clone();
        }
        let init = self.handed_on(&at, &carried)?;
        let loc = self.graph.locs[headers[0]];
        let split = init.len() as u32;
        let new = NewOp { opcode: Opcode::Loop, operands: &init, present: 0, split, attrs: &[], results: &[], loc };
        let op = self.build.new.add_op_without_results(block, new);
        let region = self.region(op, 0)?;
        let types = self.types(&carried)?;
        let inside = self.build.new.add_block(region, &types);
        let args: Vec<Value> = self.build.new.args(inside).collect();
        let start = self.received(&carried, headers, &args);
        let parts = self.parts(&inner, &body);
        if let Flow::At(_) = self.branch(&inner, &parts, &body, start, Some(inside))? {
            self.never(inside)?;
        }
        let types = self.types(&left)?;
        self.build.new.define_results(op, &types);
        if exits.is_empty() {
            return self.never(block).map(|()| Flow::Ended);
        }
        let results: Vec<Value> = self.build.new.op(op).results().collect();
        Ok(Flow::At(self.received(&left, exits, &results)))
    }

    /// Goes to the next iteration, or out of the loop.
    fn jump(&mut self, context: &Context, at: &Arrival, block: Block) -> Parsed<()> {
        let Some(inner) = &context.inner else { return Err(Failed) };
        let is_back = |target: &usize| *target >= BACK && inner.headers.contains(&(*target - BACK));
        let (back, out): (Vec<usize>, Vec<usize>) = at.targets.iter().copied().partition(is_back);
        if back.is_empty() {
            let values = self.handed_on(at, &inner.left)?;
            self.end(Opcode::Break, &values, block);
            return Ok(());
        }
        if !out.is_empty() {
            let leaves = self.selects(at, &out, block)?;
            let (op, [inside, _]) = self.open_if(leaves, false, block, None)?;
            let values = self.handed_on(&at.only(out), &inner.left)?;
            self.end(Opcode::Break, &values, inside.ok_or(Failed)?);
            self.close_if(op, &[])?;
        }
        let again = self.as_headers(&at.only(back), block)?;
        let values = self.handed_on(&again, &inner.carried)?;
        self.end(Opcode::Continue, &values, block);
        Ok(())
    }

    /// Edges back, as the headers that they lead to.
    fn as_headers(&mut self, at: &Arrival, block: Block) -> Parsed<Arrival> {
        let selector = match at.selector {
            None => None,
            Some(selector) => {
                let back = self.number(BACK)?;
                Some(self.add(Opcode::SubI, &[selector, back], &[AttrValue::Enum(0)], self.build.new.ty(selector), Place::End(block)))
            }
        };
        let targets = at.targets.iter().map(|target| target - BACK).collect();
        Ok(Arrival { targets, selector, args: at.args.iter().map(|(target, args)| (target - BACK, args.clone())).collect() })
    }

    // Values that are handed on.

    /// What is handed on to one of these targets, out of the nodes where `defined` is true.
    fn slots(&self, targets: &[usize], defined: &[bool]) -> Vec<Slot> {
        let mut slots = Vec::new();
        if targets.len() > 1 {
            slots.push(Slot::Selector);
        }
        for &target in targets {
            slots.extend((0..self.build.old.args(self.block_of(target)).len()).map(|index| Slot::Arg(target, index)));
        }
        for (at, &value) in self.live.crossing.iter().enumerate() {
            let is_inside = self.live.home(value).is_some_and(|home| defined.get(home) == Some(&true));
            if is_inside && targets.iter().any(|&target| self.live.is_needed(target % BACK, at)) {
                slots.push(Slot::Live(at));
            }
        }
        slots
    }

    fn block_of(&self, target: usize) -> Block {
        self.graph.blocks[target % BACK]
    }

    fn types(&mut self, slots: &[Slot]) -> Parsed<Vec<Type>> {
        slots.iter().map(|&slot| self.slot_type(slot)).collect()
    }

    fn slot_type(&mut self, slot: Slot) -> Parsed<Type> {
        let old = self.build.old;
        match slot {
            Slot::Selector => self.scalar_type(Scalar::I32),
            Slot::Arg(target, index) => old.args(self.block_of(target)).nth(index).map(|arg| old.ty(arg)).ok_or(Failed),
            Slot::Live(at) => Ok(old.ty(self.live.crossing[at])),
        }
    }

    fn scalar_type(&mut self, scalar: Scalar) -> Parsed<Type> {
        let ty = self.p.module.tables.types.tile(scalar.ty(), &[]);
        ty.map_err(|error| self.fail(error.to_string()))
    }

    /// The values for slots; any value stands where none is meant.
    fn handed_on(&mut self, at: &Arrival, slots: &[Slot]) -> Parsed<Vec<Value>> {
        self.handed_on += slots.len();
        if self.handed_on > MAX_HANDED_ON {
            return Err(self.fail(format!("the loops and branches that these blocks become hand on more than {MAX_HANDED_ON} values")));
        }
        let mut values = Vec::with_capacity(slots.len());
        for &slot in slots {
            let value = match slot {
                Slot::Selector => Some(match at.selector {
                    Some(selector) => selector,
                    None => self.number(at.targets[0])?,
                }),
                Slot::Arg(target, index) => at.args.get(&target).and_then(|args| args.get(index)).copied(),
                Slot::Live(cross) => {
                    let is_needed = at.targets.iter().any(|&target| self.live.is_needed(target % BACK, cross));
                    is_needed.then(|| self.build.value(self.live.crossing[cross]))
                }
            };
            values.push(match value {
                Some(value) => value,
                None => {
                    let ty = self.slot_type(slot)?;
                    self.filler(ty)?
                }
            });
        }
        Ok(values)
    }

    /// Where control is, after values were handed on.
    fn received(&mut self, slots: &[Slot], targets: Vec<usize>, values: &[Value]) -> Arrival {
        let mut at = Arrival { targets, selector: None, args: BTreeMap::new() };
        for (&slot, &value) in slots.iter().zip(values) {
            match slot {
                Slot::Selector => at.selector = Some(value),
                Slot::Arg(target, _) => at.args.entry(target).or_default().push(value),
                Slot::Live(cross) => self.build.values[self.live.crossing[cross].index()] = Some(value),
            }
        }
        at
    }

    /// Whether the selector is one of `these`.
    fn selects(&mut self, at: &Arrival, these: &[usize], block: Block) -> Parsed<Value> {
        let selector = at.selector.ok_or(Failed)?;
        let truth = self.scalar_type(Scalar::I1)?;
        let mut any = None;
        for &target in these {
            let number = self.number(target)?;
            let attrs = [AttrValue::Enum(ComparisonPredicate::Equal as u8), AttrValue::Enum(Signedness::Signed as u8)];
            let is = self.add(Opcode::CmpI, &[selector, number], &attrs, truth, Place::End(block));
            any = Some(match any {
                None => is,
                Some(before) => self.add(Opcode::OrI, &[before, is], &[], truth, Place::End(block)),
            });
        }
        any.ok_or(Failed)
    }

    // Parts of the graph.

    /// The components of the nodes of `body`.
    fn parts(&self, context: &Context, body: &[bool]) -> Parts {
        let size = self.graph.len();
        let next = |node: usize| -> Vec<usize> {
            let targets = self.graph.edges(node).map(|edge| context.target(edge.to));
            targets.filter(|&target| target < BACK && body[target]).collect()
        };
        let mut components = components(size, body, next);
        // They are found from the last to the first.
        components.reverse();
        let mut component = vec![None; size];
        for (number, nodes) in components.iter().enumerate() {
            nodes.iter().for_each(|&node| component[node] = Some(number));
        }
        let is_loop = components.iter().map(|nodes| nodes.len() > 1 || next(nodes[0]).contains(&nodes[0])).collect();
        Parts { component, nodes: components, is_loop }
    }

    /// The nodes of `scope` that can be reached from targets.
    fn reach(&self, context: &Context, scope: &[bool], targets: &[usize]) -> Vec<bool> {
        let mut reached = vec![false; self.graph.len()];
        let mut stack = targets.to_vec();
        while let Some(target) = stack.pop() {
            if target < BACK && scope[target] && !std::mem::replace(&mut reached[target], true) {
                stack.extend(self.graph.edges(target).map(|edge| context.target(edge.to)));
            }
        }
        reached
    }

    /// Whether nothing comes behind what lies in `scope`, because all that leaves it jumps.
    fn ends(&self, context: &Context, scope: &[bool], targets: &[usize]) -> bool {
        let mut seen = vec![false; self.graph.len()];
        let mut stack = targets.to_vec();
        while let Some(target) = stack.pop() {
            if target >= BACK || !scope[target] {
                if !context.is_jump(target) {
                    return false;
                }
            } else if !std::mem::replace(&mut seen[target], true) {
                stack.extend(self.graph.edges(target).map(|edge| context.target(edge.to)));
            }
        }
        true
    }

    // Operations.

    fn fail(&mut self, message: String) -> Failed {
        let token = self.p.token_at(self.token);
        self.p.report("cannot-expand", token.span(), message)
    }

    /// An operation of a node with all that is nested in it.
    fn copy(&mut self, op: OpRef<'_>, block: Block) {
        let new = self.build.open(op, block, Extra::default());
        if let Some(&mark) = self.old_marks.get(&op.id()) {
            self.marks.insert(new, mark);
        }
        let regions: Vec<Nested> = self.build.new.op(new).regions().collect();
        for (old, region) in op.regions().zip(regions) {
            for inner in self.build.old.blocks(old) {
                let copy = self.build.block(inner, region, None);
                let old = self.build.old;
                old.ops(inner).for_each(|op| self.copy(op, copy));
            }
        }
        self.build.close(op, new, Extra::default());
    }

    /// Makes a view anew that another node than the one at hand made.
    fn make_view(&mut self, value: Value, node: usize, block: Block) {
        let is_elsewhere = self.live.home(value).is_some_and(|home| home != node && home != 0);
        let Some(op) = remade(self.build.old, &self.p.module.tables.types, value).filter(|_| is_elsewhere) else { return };
        if self.made.insert(value, node) != Some(node) {
            op.operands().iter().for_each(|&operand| self.make_view(operand, node, block));
            self.copy(op, block);
        }
    }

    fn region(&self, op: Op, index: usize) -> Parsed<Nested> {
        self.build.new.op(op).regions().nth(index).ok_or(Failed)
    }

    /// An `if` and the blocks of its branches, of which the second is not always there.
    fn open_if(&mut self, condition: Value, has_else: bool, block: Block, loc: Option<Loc>) -> Parsed<(Op, [Option<Block>; 2])> {
        let new = NewOp { opcode: Opcode::If, operands: &[condition], present: 0, split: 0, attrs: &[], results: &[], loc };
        let op = self.build.new.add_op_without_results(block, new);
        let (then, other) = (self.region(op, 0)?, self.region(op, 1)?);
        let inside = self.build.new.add_block(then, &[]);
        Ok((op, [Some(inside), has_else.then(|| self.build.new.add_block(other, &[]))]))
    }

    fn close_if(&mut self, op: Op, types: &[Type]) -> Parsed<Vec<Value>> {
        self.build.new.define_results(op, types);
        // A branch without operations falls through.
        let blocks: Vec<Block> =
            [self.region(op, 0)?, self.region(op, 1)?].into_iter().flat_map(|region| self.build.new.blocks(region)).collect();
        for block in blocks {
            if self.build.new.last_op(block).is_none() {
                self.end(Opcode::Yield, &[], block);
            }
        }
        Ok(self.build.new.op(op).results().collect())
    }

    fn end(&mut self, opcode: Opcode, values: &[Value], block: Block) {
        let split = values.len() as u32;
        self.build.new.add_op(block, NewOp { opcode, operands: values, present: 0, split, attrs: &[], results: &[], loc: None });
    }

    /// Ends a block that is never left.
    fn never(&mut self, block: Block) -> Parsed<()> {
        let types = match self.p.module.tables.types.get(self.signature) {
            TypeData::Function { results, .. } => results.to_vec(),
            _ => Vec::new(),
        };
        let values = types.into_iter().map(|ty| self.filler(ty)).collect::<Parsed<Vec<Value>>>()?;
        self.end(Opcode::Return, &values, block);
        Ok(())
    }

    fn add(&mut self, opcode: Opcode, operands: &[Value], attrs: &[AttrValue], ty: Type, place: Place) -> Value {
        let value = Value::new(self.build.new.num_values());
        self.build.new.insert_op(place, NewOp { opcode, operands, present: 0, split: 0, attrs, results: &[ty], loc: None });
        value
    }

    /// Where the function begins.
    fn beginning(&mut self) -> Place {
        if self.anchor.is_none() {
            self.anchor = self.build.new.ops(self.entry).next().map(OpRef::id);
        }
        self.anchor.map_or(Place::End(self.entry), Place::Before)
    }

    /// A target as a number.
    fn number(&mut self, target: usize) -> Parsed<Value> {
        if let Some(&value) = self.numbers.get(&target) {
            return Ok(value);
        }
        let ty = self.scalar_type(Scalar::I32)?;
        let value = self.constant(&(target as u32).to_le_bytes(), ty);
        self.numbers.insert(target, value);
        Ok(value)
    }

    fn constant(&mut self, bytes: &[u8], ty: Type) -> Value {
        let data = self.p.module.tables.constants.add(bytes);
        let place = self.beginning();
        self.add(Opcode::Constant, &[], &[AttrValue::Const(data)], ty, place)
    }

    /// A value that stands for any of its type.
    fn filler(&mut self, ty: Type) -> Parsed<Value> {
        if let Some(&value) = self.fillers.get(&ty) {
            return Ok(value);
        }
        let types = &mut self.p.module.tables.types;
        let tile = types.as_tile(ty).map(|(element, shape)| (types.scalar(element), shape.to_vec()));
        let value = match tile {
            _ if ty == TypeTable::token() => {
                let place = self.beginning();
                self.add(Opcode::MakeToken, &[], &[], ty, place)
            }
            Some((Some(scalar), _)) => self.constant(&vec![0; scalar.bits().div_ceil(8) as usize], ty),
            Some((None, shape)) => {
                let integers = self.p.module.tables.types.tile(Scalar::I64.ty(), &shape);
                let integers = integers.map_err(|error| self.fail(error.to_string()))?;
                let zero = self.constant(&[0; 8], integers);
                let place = self.beginning();
                self.add(Opcode::IntToPtr, &[zero], &[], ty, place)
            }
            None => {
                let name = self.p.type_name(ty);
                return Err(self.fail(format!("control flow cannot carry a value of type {name}")));
            }
        };
        self.fillers.insert(ty, value);
        Ok(value)
    }
}

impl Arrival {
    /// The arrival at some of the targets.
    fn only(&self, targets: Vec<usize>) -> Arrival {
        let args = targets.iter().filter_map(|target| Some((*target, self.args.get(target)?.clone()))).collect();
        Arrival { selector: self.selector.filter(|_| targets.len() > 1), targets, args }
    }
}

/// Strongly connected components of some nodes, each after those that it leads to (Tarjan).
fn components(size: usize, nodes: &[bool], next: impl Fn(usize) -> Vec<usize>) -> Vec<Vec<usize>> {
    let (mut index, mut low) = (vec![usize::MAX; size], vec![0; size]);
    let (mut open, mut found, mut count) = (Vec::new(), Vec::new(), 0);
    let mut is_open = vec![false; size];
    for root in (0..size).filter(|&node| nodes[node]) {
        if index[root] != usize::MAX {
            continue;
        }
        let mut path = vec![(root, next(root), 0)];
        while let Some((node, successors, at)) = path.last_mut() {
            let node = *node;
            if *at == 0 && index[node] == usize::MAX {
                (index[node], low[node]) = (count, count);
                count += 1;
                open.push(node);
                is_open[node] = true;
            }
            if let Some(&to) = successors.get(*at) {
                *at += 1;
                if index[to] == usize::MAX {
                    path.push((to, next(to), 0));
                } else if is_open[to] {
                    low[node] = low[node].min(index[to]);
                }
                continue;
            }
            path.pop();
            if let Some((parent, _, _)) = path.last() {
                low[*parent] = low[*parent].min(low[node]);
            }
            if low[node] == index[node] {
                let start = open.iter().rposition(|&other| other == node).unwrap_or(0);
                let component = open.split_off(start);
                component.iter().for_each(|&other| is_open[other] = false);
                found.push(component);
            }
        }
    }
    found
}
