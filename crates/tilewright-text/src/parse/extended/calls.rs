//! How the order of accesses goes through calls.
//!
//! Accesses follow each other as they are executed, so those of a function follow what its caller did before, and what the caller does
//! behind the call follows them. A function that is called therefore takes the token of the last access and gives that of its own
//! last one, if it has accesses that take part or calls a function that has.

use super::Marks;
use super::order::{is_weak_load, ordered};
use foldhash::{HashMap, HashSet};
use tilewright_ir::{AttrName, AttrValue, Function, Module, Op, OpRef, Opcode, Str};

/// What is known of the functions of a module; each list is by function.
pub(super) struct Calls {
    by_name: HashMap<Str, usize>,
    /// The functions whose accesses are chained, or those of functions that they call.
    pub(super) chained: Vec<bool>,
    /// The functions that take a token and give one.
    pub(super) threaded: Vec<bool>,
}

impl Calls {
    /// `marks`: those of functions that have some.
    pub(super) fn new(module: &Module, marks: &HashMap<usize, Marks>) -> Calls {
        let functions = &module.functions;
        let by_name: HashMap<Str, usize> = functions
            .iter()
            .enumerate()
            .filter(|(_, function)| !function.is_entry)
            .map(|(index, function)| (function.name, index))
            .collect();
        let callees: Vec<Vec<usize>> = functions.iter().map(|function| callees(function, &by_name)).collect();
        let accesses = accesses(&callees, marks);
        let stores = group_has_stores(&callees, marks, functions);
        let chained: Vec<bool> = accesses.iter().zip(stores).map(|(accesses, stores)| *accesses && stores).collect();
        let mut threaded = vec![false; functions.len()];
        for &callee in callees.iter().flatten() {
            threaded[callee] = chained[callee];
        }
        Calls { by_name, chained, threaded }
    }

    /// Whether an operation calls a function that takes a token.
    pub(super) fn is_threaded(&self, op: OpRef<'_>) -> bool {
        callee(op, &self.by_name).is_some_and(|callee| self.threaded[callee])
    }

    /// The operations of a function that take part in the order: accesses, calls, and all around them.
    pub(super) fn chain(&self, function: &Function, marks: &Marks) -> HashSet<Op> {
        let body = &function.body;
        let has_calls = self.threaded.contains(&true);
        let calls = body.preorder().take_while(|_| has_calls).filter(|op| self.is_threaded(*op));
        let mut chained = HashSet::default();
        for op in ordered(marks).map(|op| body.op(op)).chain(calls) {
            let around = std::iter::successors(Some(op), |op| op.parent());
            for op in around {
                if !chained.insert(op.id()) {
                    break;
                }
            }
        }
        chained
    }
}

fn callee(op: OpRef<'_>, by_name: &HashMap<Str, usize>) -> Option<usize> {
    if op.opcode() != Opcode::PreviewCall {
        return None;
    }
    match op.attr(AttrName::Callee) {
        AttrValue::Str(name) => by_name.get(&name).copied(),
        _ => None,
    }
}

/// The functions that a function calls.
fn callees(function: &Function, by_name: &HashMap<Str, usize>) -> Vec<usize> {
    if by_name.is_empty() {
        return Vec::new();
    }
    let mut callees: Vec<usize> = function.body.preorder().filter_map(|op| callee(op, by_name)).collect();
    callees.sort_unstable();
    callees.dedup();
    callees
}

/// Whether a function has accesses that take part, or calls one that has.
fn accesses(callees: &[Vec<usize>], marks: &HashMap<usize, Marks>) -> Vec<bool> {
    let mut callers: Vec<Vec<usize>> = vec![Vec::new(); callees.len()];
    for (caller, callees) in callees.iter().enumerate() {
        callees.iter().for_each(|&callee| callers[callee].push(caller));
    }
    let mut accesses = vec![false; callees.len()];
    let mut waiting: Vec<usize> =
        marks.iter().filter(|(_, marks)| ordered(marks).next().is_some()).map(|(&function, _)| function).collect();
    while let Some(function) = waiting.pop() {
        if !std::mem::replace(&mut accesses[function], true) {
            waiting.extend(&callers[function]);
        }
    }
    accesses
}

/// Whether some function that calls lead to or come from, in any number of steps, does anything but load. If none does, the order is
/// of no consequence.
fn group_has_stores(callees: &[Vec<usize>], marks: &HashMap<usize, Marks>, functions: &[Function]) -> Vec<bool> {
    let mut groups: Vec<usize> = (0..callees.len()).collect();
    for (caller, callees) in callees.iter().enumerate() {
        for &callee in callees {
            let (from, to) = (representative(&mut groups, caller), representative(&mut groups, callee));
            groups[from] = to;
        }
    }
    let mut has_stores = vec![false; callees.len()];
    for (index, function) in functions.iter().enumerate() {
        let stores = |marks: &Marks| ordered(marks).any(|op| !is_weak_load(function.body.op(op)));
        if marks.get(&index).is_some_and(stores) {
            has_stores[representative(&mut groups, index)] = true;
        }
    }
    (0..callees.len()).map(|function| has_stores[representative(&mut groups, function)]).collect()
}

/// The function that stands for the group of another; the way to it gets shorter.
fn representative(groups: &mut [usize], mut function: usize) -> usize {
    while groups[function] != function {
        groups[function] = groups[groups[function]];
        function = groups[function];
    }
    function
}
