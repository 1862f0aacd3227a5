//! Lists the kernels of bytecode files: names, parameters, operations by name, and how deep regions nest.
//!
//!     cargo run --example list_kernels examples/*.tilebc
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::{collections::BTreeMap, env, error::Error, fs};
use tilewright::{
    bytecode,
    ir::{Function, Module, OpRef},
};

/// How many operations a function has of each kind.
fn histogram(function: &Function) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for op in function.body.preorder() {
        *counts.entry(op.opcode().mnemonic()).or_default() += 1;
    }
    counts
}

/// In how many operations the deepest one lies.
fn depth(function: &Function) -> usize {
    let around = |op: OpRef<'_>| std::iter::successors(op.parent(), |op| op.parent()).count();
    function.body.preorder().map(around).max().unwrap_or(0)
}

fn list(module: &Module) {
    for function in module.functions.iter().filter(|function| function.is_entry) {
        let types = &module.tables.types;
        let params: Vec<String> = function.params(&module.tables).iter().map(|ty| types.display(*ty).to_string()).collect();
        println!("  @{}({})", module.tables.strings.text(function.name), params.join(", "));
        let mut counts: Vec<_> = histogram(function).into_iter().collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let counts: Vec<String> = counts.iter().map(|(name, count)| format!("{count} {name}")).collect();
        println!("    {} operations, nested {} deep: {}", function.body.num_ops(), depth(function), counts.join(", "));
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    for path in env::args().skip(1) {
        let module = bytecode::read(&fs::read(&path)?).map_err(|error| format!("{path}: {error}"))?;
        println!("{path}: version {}", module.version);
        list(&module);
    }
    Ok(())
}
