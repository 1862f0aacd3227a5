//! A small pass: products that are only used by one sum become `fma`.
//!
//! Reads a file of bytecode or takes a text of its own, rewrites each function, verifies the module again and prints it:
//!
//!     cargo run --example fuse_multiply_add [FILE]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example shows what it does")]

use std::error::Error;
use tilewright::{
    bytecode,
    ir::{AttrName, AttrValue, BuildError, Module, Op, Opcode, Rewriter, Value, verify},
    text::{self, ParseOptions, PrintOptions},
};

const TEXT: &str = "
    entry @k(%a: tile<f32>, %b: tile<f32>, %c: tile<f32>) {
      %product = mulf %a, %b : tile<f32>
      %sum = addf %product, %c : tile<f32>
      %kept = mulf %a, %c : tile<f32>
      %both = addf %kept, %kept : tile<f32>
      return
    }";

/// What `addf` needs to be for the pass, and what the `fma` takes.
struct Match {
    product: Op,
    operands: [Value; 3],
}

/// The product in a sum, if nothing else uses it and both round in the same way, to the nearest even.
fn find(rewriter: &Rewriter<'_>, sum: Op) -> Option<Match> {
    let plain = |op: Op| {
        let op = rewriter.op(op);
        op.attr(AttrName::RoundingMode) == AttrValue::Enum(0) && !op.flag(AttrName::FlushToZero)
    };
    let terms = rewriter.op(sum).operands();
    let found = (0..2).find_map(|side| {
        let product = rewriter.body().defining_op(terms[side]).filter(|op| op.opcode() == Opcode::MulF)?;
        let factors = product.operands();
        let is_only_use = rewriter.uses(terms[side]).count() == 1;
        is_only_use.then(|| Match { product: product.id(), operands: [factors[0], factors[1], terms[1 - side]] })
    })?;
    (plain(sum) && plain(found.product)).then_some(found)
}

/// Rewrites one function: how many operations it fused.
fn fuse(rewriter: &mut Rewriter<'_>) -> Result<usize, BuildError> {
    let mut fused = 0;
    for sum in rewriter.ops_of(Opcode::AddF) {
        let Some(Match { product, operands: [lhs, rhs, acc] }) = find(rewriter, sum) else { continue };
        let ty = rewriter.body().ty(lhs);
        let fma = rewriter.insert_before(sum, |b| {
            let fma = b.op(Opcode::Fma).operand("lhs", lhs).operand("rhs", rhs).operand("acc", acc);
            fma.attr(AttrName::RoundingMode, AttrValue::Enum(0)).result(ty).value()
        })?;
        rewriter.replace(sum, &[fma])?;
        rewriter.erase(product)?;
        fused += 1;
    }
    Ok(fused)
}

fn module() -> Result<Module, Box<dyn Error>> {
    match std::env::args().nth(1) {
        Some(path) => Ok(bytecode::read(&std::fs::read(path)?)?),
        None => text::parse(TEXT, &ParseOptions::new()).map_err(|errors| errors[0].render(TEXT, "example").into()),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut module = module()?;
    for index in 0..module.functions.len() {
        let fused = fuse(&mut module.rewrite(index))?;
        println!("// @{}: {fused} fused", module.tables.strings.text(module.functions[index].name));
    }
    // What was rewritten must be verified again before it can be written or run.
    let module = verify(module).map_err(|findings| findings[0].to_string())?;
    print!("{}", text::print(&module, &PrintOptions::new()));
    Ok(())
}
