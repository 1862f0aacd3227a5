//! Calls replaced by what the function does that they call.
//!
//! The stable dialect has no calls; `preview$call` and functions that are no entries belong to the preview of 13.5. A call is inlined if
//! its function is in the module, takes no constant arguments, returns only at its end, and does not lead back to the caller; so are the
//! calls that come with it. The result has at most [`MAX_OPERATIONS`] operations in each function, as calls of calls may double
//! at each step; other calls stay. Functions that are no entries go when no call of them is left.
//!
//! An operation that was inlined lies at the place of the call that its own place was inlined into.

use crate::{registry::Options, statistics::Statistics};
use std::collections::{HashMap, HashSet};
use tilewright_ir::{
    AttrData, AttrName, AttrValue, Body, Function, Loc, LocData, Module, NewOp, Op, OpRef, Opcode, Place, Rewriter, Str, Type, TypeData,
    Value,
};

/// How many operations a function may have for a call to be inlined in it.
const MAX_OPERATIONS: usize = 1 << 20;

pub(crate) fn run(module: &mut Module, _: Options<'_>, changes: &mut Statistics) {
    let by_name: HashMap<Str, usize> = module.functions.iter().enumerate().map(|(i, function)| (function.name, i)).collect();
    let called: Vec<Vec<usize>> =
        module.functions.iter().map(|function| calls(&function.body, &by_name).map(|call| call.1).collect()).collect();
    if called.iter().all(Vec::is_empty) {
        return;
    }
    let ranks = ranks(&called);
    // What is called stays only if a call of it is left somewhere.
    let was_called: HashSet<usize> = called.into_iter().flatten().collect();
    let mut stays: Vec<bool> =
        module.functions.iter().enumerate().map(|(i, function)| function.is_entry || !was_called.contains(&i)).collect();
    let mut next: Vec<usize> = (0..stays.len()).filter(|index| stays[*index]).collect();
    while let Some(index) = next.pop() {
        let mut body = std::mem::take(&mut module.functions[index].body);
        changes.add("calls inlined", inline_calls(module, index, &mut body, &by_name, &ranks));
        let left: Vec<usize> = calls(&body, &by_name).map(|call| call.1).collect();
        module.functions[index].body = body;
        next.extend(left.into_iter().filter(|callee| !std::mem::replace(&mut stays[*callee], true)));
    }
    let mut stays = stays.into_iter();
    module.functions.retain(|_| stays.next() == Some(true));
}

/// Puts what functions do in the place of their calls, as long as these have a lower rank than what calls them, and gives how many calls
/// that were. From the caller to what it calls in the end, so that nothing is copied that is not needed.
fn inline_calls(module: &mut Module, index: usize, body: &mut Body, by_name: &HashMap<Str, usize>, ranks: &[usize]) -> u64 {
    let mut sites: Vec<(Op, usize)> = calls(body, by_name).filter(|(_, callee)| ranks[*callee] < ranks[index]).collect();
    let mut rewriter = Rewriter::new(&mut module.tables, body);
    let mut inlined = 0;
    while let Some((call, callee)) = sites.pop() {
        if !fits(&rewriter, call, &module.functions[callee]) {
            continue;
        }
        for copy in inline(&mut rewriter, call, &module.functions[callee]) {
            let next = callee_of(rewriter.op(copy), by_name);
            sites.extend(next.filter(|next| ranks[*next] < ranks[callee]).map(|next| (copy, next)));
        }
        inlined += 1;
    }
    inlined
}

/// The calls of functions of the module, and the positions of these.
fn calls<'a>(body: &'a Body, by_name: &'a HashMap<Str, usize>) -> impl Iterator<Item = (Op, usize)> + 'a {
    let all = body.preorder().filter(|op| op.opcode() == Opcode::PreviewCall);
    all.filter_map(|op| Some((op.id(), callee_of(op, by_name)?)))
}

/// The position of the function that an operation calls, if it is a call of a function of the module.
fn callee_of(op: OpRef<'_>, by_name: &HashMap<Str, usize>) -> Option<usize> {
    match op.attr(AttrName::Callee) {
        AttrValue::Str(name) => by_name.get(&name).copied(),
        _ => None,
    }
}

/// By function: a number that is higher than those of the functions that it calls, but for those that lead back to it.
fn ranks(called: &[Vec<usize>]) -> Vec<usize> {
    let (mut ranks, mut rank, mut seen) = (vec![0; called.len()], 0, vec![false; called.len()]);
    for root in 0..called.len() {
        let mut path: Vec<(usize, usize)> = Vec::new();
        if !std::mem::replace(&mut seen[root], true) {
            path.push((root, 0));
        }
        while let Some((function, next)) = path.last_mut() {
            match called[*function].get(*next) {
                Some(&callee) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[callee], true) {
                        path.push((callee, 0));
                    }
                }
                None => {
                    ranks[*function] = rank;
                    rank += 1;
                    path.pop();
                }
            }
        }
    }
    ranks
}

/// Whether a call can be inlined.
fn fits(rewriter: &Rewriter<'_>, call: Op, callee: &Function) -> bool {
    let (tables, body) = rewriter.parts();
    let op = body.op(call);
    let TypeData::Function { inputs, results } = tables.types.get(callee.signature) else { return false };
    let types = |values: &mut dyn Iterator<Item = Value>| values.map(|value| body.ty(value)).collect::<Vec<Type>>();
    let plain =
        op.compound(AttrName::ConstArgs).is_none_or(|args| matches!(tables.attrs.get(args), AttrData::Array(args) if args.is_empty()));
    let mut returns = callee.body.preorder().filter(|op| op.opcode() == Opcode::Return);
    let last = callee.body.entry_block().and_then(|entry| callee.body.last_op(entry)).map(OpRef::id);
    plain
        && types(&mut op.operands().iter().copied())[..] == **inputs
        && types(&mut op.results())[..] == **results
        && returns.next().map(OpRef::id) == last
        && returns.next().is_none()
        && body.num_ops() + callee.body.num_ops() <= MAX_OPERATIONS
}

/// Puts what a function does in the place of a call, and gives the calls that it makes there.
fn inline(rewriter: &mut Rewriter<'_>, call: Op, callee: &Function) -> Vec<Op> {
    let here = rewriter.op(call);
    let mut copier = Copier { values: vec![None; callee.body.num_values()], at: here.loc(), places: HashMap::new(), calls: Vec::new() };
    let entry = callee.body.entry_block().expect("it returns");
    callee.body.args(entry).zip(here.operands()).for_each(|(from, to)| copier.values[from.index()] = Some(*to));
    let mut given: Vec<Value> = Vec::new();
    for op in callee.body.ops(entry) {
        if op.opcode() == Opcode::Return {
            given = op.operands().iter().map(|value| copier.mapped(*value)).collect();
        } else {
            copier.copy(rewriter, op, Place::Before(call));
        }
    }
    rewriter.replace(call, &given).expect("the function gives what the call gives");
    copier.calls
}

/// Copies operations of one body to another one.
struct Copier {
    /// By value of the function that is called: what stands for it.
    values: Vec<Option<Value>>,
    /// Where the call is.
    at: Option<Loc>,
    /// By place in the function that is called: that place inlined into the call.
    places: HashMap<Loc, Loc>,
    /// The calls that were copied.
    calls: Vec<Op>,
}

impl Copier {
    fn mapped(&self, value: Value) -> Value {
        self.values[value.index()].expect("what an operation uses comes before it")
    }

    /// Copies an operation with everything in its regions. Nothing recurses, however deep these nest.
    fn copy(&mut self, rewriter: &mut Rewriter<'_>, op: OpRef<'_>, place: Place) {
        let body = op.body();
        let copy = self.copy_row(rewriter, op, place);
        let mut next: Vec<(OpRef<'_>, Op)> = vec![(op, copy)];
        while let Some((from, to)) = next.pop() {
            let regions: Vec<_> = from.regions().zip(rewriter.op(to).regions()).collect();
            for (region, to) in regions {
                for block in body.blocks(region) {
                    let args: Vec<Value> = body.args(block).collect();
                    let types: Vec<Type> = args.iter().map(|arg| body.ty(*arg)).collect();
                    let new = rewriter.add_block(to, &types);
                    args.into_iter().zip(rewriter.body().args(new)).for_each(|(from, to)| self.values[from.index()] = Some(to));
                    for op in body.ops(block) {
                        let copy = self.copy_row(rewriter, op, Place::End(new));
                        if op.def().regions > 0 {
                            next.push((op, copy));
                        }
                    }
                }
            }
        }
    }

    fn copy_row(&mut self, rewriter: &mut Rewriter<'_>, op: OpRef<'_>, place: Place) -> Op {
        let operands: Vec<Value> = op.operands().iter().map(|value| self.mapped(*value)).collect();
        let types: Vec<Type> = op.results().map(|result| op.body().ty(result)).collect();
        let loc = match (op.loc(), self.at) {
            (Some(callee), Some(caller)) => {
                let entry = LocData::CallSite { callee: Some(callee), caller: Some(caller) };
                Some(*self.places.entry(callee).or_insert_with(|| rewriter.tables().locations.add(entry)))
            }
            (_, at) => at,
        };
        let new = NewOp {
            opcode: op.opcode(),
            operands: &operands,
            present: op.present_operands(),
            split: op.split(),
            attrs: op.attrs(),
            results: &types,
            loc,
        };
        let copy = rewriter.create(place, new);
        self.calls.extend((op.opcode() == Opcode::PreviewCall).then_some(copy));
        op.results().zip(rewriter.op(copy).results()).for_each(|(from, to)| self.values[from.index()] = Some(to));
        copy
    }
}
