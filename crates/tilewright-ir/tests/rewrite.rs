//! Changing bodies that exist.

use tilewright_ir::{
    AttrName, AttrValue, BuildError, Builder, Module, Opcode, Place, Rewriter, RoundingMode, Scalar, Type, Value, Version, verify,
};

/// A module with the entry `k` of three f32, which `build` fills.
fn kernel(build: impl FnOnce(&mut Builder<'_>, &[Value], Type) -> Result<(), BuildError>) -> Module {
    let mut module = Module::new("kernels", Version::LATEST);
    let ty = module.tables.types.tile(Scalar::F32.ty(), &[]).expect("a legal tile");
    let built = module.add_entry("k", &[ty; 3], |b, args| {
        build(b, args, ty)?;
        b.op(Opcode::Return).finish().map(drop)
    });
    built.expect("a legal kernel");
    module
}

fn binary(b: &mut Builder<'_>, opcode: Opcode, lhs: Value, rhs: Value, ty: Type) -> Result<Value, BuildError> {
    b.op(opcode).operand("lhs", lhs).operand("rhs", rhs).result(ty).value()
}

/// The body of a valid module: each operation with its operands, by number.
fn listing(module: Module) -> Vec<String> {
    let module = verify(module).unwrap_or_else(|findings| panic!("{}", findings[0]));
    let line = |op: tilewright_ir::OpRef<'_>| {
        let numbers = |values: &[Value]| values.iter().map(|value| format!(" {}", value.index())).collect::<String>();
        format!("{}{}", op.opcode(), numbers(op.operands()))
    };
    module.functions[0].body.preorder().map(line).collect()
}

/// The only operation with this opcode.
fn only(rewriter: &Rewriter<'_>, opcode: Opcode) -> tilewright_ir::Op {
    let ops = rewriter.ops_of(opcode);
    assert_eq!(ops.len(), 1, "{opcode}");
    ops[0]
}

#[test]
fn a_product_and_a_sum_become_an_fma() {
    let mut module = kernel(|b, args, ty| {
        let product = binary(b, Opcode::MulF, args[0], args[1], ty)?;
        let sum = binary(b, Opcode::AddF, product, args[2], ty)?;
        binary(b, Opcode::SubF, sum, sum, ty).map(drop)
    });
    let mut rewriter = module.rewrite(0);
    let (product, sum) = (only(&rewriter, Opcode::MulF), only(&rewriter, Opcode::AddF));
    let (lhs, rhs) = (rewriter.op(product).operands()[0], rewriter.op(product).operands()[1]);
    let (acc, ty) = (rewriter.op(sum).operands()[1], rewriter.body().ty(lhs));
    let fma = rewriter.insert_after(sum, |b| {
        let fma = b.op(Opcode::Fma).operand("lhs", lhs).operand("rhs", rhs).operand("acc", acc);
        fma.attr(AttrName::RoundingMode, AttrValue::Enum(RoundingMode::NearestEven as u8)).result(ty).value()
    });
    rewriter.replace(sum, &[fma.expect("an fma")]).expect("the sum is replaced");
    rewriter.erase(product).expect("the product is not used any more");
    drop(rewriter);
    assert_eq!(listing(module), ["fma 0 1 2", "subf 3 3", "return"]);
}

#[test]
fn what_is_used_is_not_erased() {
    let mut module = kernel(|b, args, ty| {
        let sum = binary(b, Opcode::AddF, args[0], args[1], ty)?;
        b.op(Opcode::AbsF).operand("source", sum).result(ty).finish().map(drop)
    });
    let mut rewriter = module.rewrite(0);
    let (sum, abs) = (only(&rewriter, Opcode::AddF), only(&rewriter, Opcode::AbsF));
    let error = rewriter.erase(sum).expect_err("it is used");
    assert_eq!(error.to_string(), "addf: its result 0 is still used, by absf");
    let own = rewriter.op(sum).result(0).expect("a sum");
    assert_eq!(rewriter.replace(sum, &[own]).expect_err("it cannot").message, "its own results cannot replace it");
    assert_eq!(rewriter.replace(sum, &[]).expect_err("it cannot").message, "it has 1 results, 0 values replace them");
    rewriter.erase(abs).expect("nothing uses it");
    rewriter.erase(sum).expect("nothing uses it any more");
    drop(rewriter);
    assert_eq!(listing(module), ["return"]);
}

#[test]
fn uses_follow_every_change() {
    let mut module = kernel(|b, args, ty| {
        let sum = binary(b, Opcode::AddF, args[0], args[0], ty)?;
        binary(b, Opcode::MulF, sum, args[0], ty).map(drop)
    });
    let mut rewriter = module.rewrite(0);
    let args: Vec<Value> = rewriter.body().args(rewriter.body().entry_block().expect("an entry")).collect();
    let (sum, product) = (only(&rewriter, Opcode::AddF), only(&rewriter, Opcode::MulF));
    let mut users: Vec<_> = rewriter.uses(args[0]).map(|u| (u.op, u.operand)).collect();
    users.sort_unstable();
    assert_eq!(users, [(sum, 0), (sum, 1), (product, 1)]);
    rewriter.set_operand(sum, 1, args[1]).expect("it has two operands");
    assert_eq!(rewriter.uses(args[0]).count(), 2);
    assert!(rewriter.set_operand(sum, 2, args[1]).is_err());
    rewriter.replace_uses(args[0], args[2]);
    assert!(rewriter.is_unused(args[0]));
    rewriter.replace_uses(args[2], args[2]);
    assert_eq!(rewriter.uses(args[2]).count(), 2);
    drop(rewriter);
    assert_eq!(listing(module), ["addf 2 1", "mulf 3 2", "return"]);
}

#[test]
fn attributes_change_within_their_kind() {
    let mut module = kernel(|b, args, ty| binary(b, Opcode::AddF, args[0], args[1], ty).map(drop));
    let mut rewriter = module.rewrite(0);
    let sum = only(&rewriter, Opcode::AddF);
    let zero = AttrValue::Enum(RoundingMode::Zero as u8);
    rewriter.set_attr(sum, AttrName::RoundingMode, zero).expect("it rounds");
    assert_eq!(rewriter.op(sum).rounding(), Some(RoundingMode::Zero));
    rewriter.set_attr(sum, AttrName::FlushToZero, AttrValue::Unit).expect("it can flush");
    rewriter.set_attr(sum, AttrName::FlushToZero, AttrValue::Absent).expect("it need not");
    let refused = [(AttrName::RoundingMode, AttrValue::Absent), (AttrName::RoundingMode, AttrValue::Int(1)), (AttrName::Dim, zero)];
    for (name, value) in refused {
        assert!(rewriter.set_attr(sum, name, value).is_err(), "{name:?} {value:?}");
    }
    drop(rewriter);
    assert_eq!(listing(module), ["addf 0 1", "return"]);
}

#[test]
fn a_changed_module_is_verified_again() {
    let module = kernel(|b, args, ty| b.op(Opcode::AbsF).operand("source", args[0]).result(ty).finish().map(drop));
    let mut module = verify(module).expect("it is valid").into_inner();
    let i32s = module.tables.types.tile(Scalar::I32.ty(), &[]).expect("a legal tile");
    let mut rewriter = module.rewrite(0);
    let result = rewriter.op(only(&rewriter, Opcode::AbsF)).result(0).expect("a result");
    rewriter.set_type(result, i32s);
    drop(rewriter);
    assert_eq!(verify(module).expect_err("the types differ")[0].rule, "result-type");
}

/// A loop that adds, with everything about it numbered anew.
fn with_loop() -> Module {
    kernel(|b, args, ty| {
        let i32s = b.tables().types.tile(Scalar::I32.ty(), &[]).expect("a legal tile");
        let bound = b.constant(Scalar::I32, &[], &[4, 0, 0, 0])?;
        let rounds = b.op(Opcode::For).operand("lowerBound", bound).operand("upperBound", bound).operand("step", bound);
        let rounds = rounds.operand("initValues", args[0]).result(ty).finish()?;
        b.region(rounds, 0, &[i32s, ty], |b, inner| {
            let sum = binary(b, Opcode::AddF, inner[1], args[1], ty)?;
            b.op(Opcode::Continue).operands("operands", &[sum]).finish().map(drop)
        })?;
        let result = b.body().op(rounds).result(0).expect("a result");
        b.op(Opcode::AbsF).operand("source", result).result(ty).finish().map(drop)
    })
}

#[test]
fn regions_are_erased_and_moved_with_their_operation() {
    let mut module = with_loop();
    let mut rewriter = module.rewrite(0);
    let (rounds, sum, abs) = (only(&rewriter, Opcode::For), only(&rewriter, Opcode::AddF), only(&rewriter, Opcode::AbsF));
    let inside = rewriter.move_before(rounds, sum).expect_err("a loop cannot lie in itself");
    assert_eq!(inside.to_string(), "for: it cannot stand before addf, which lies in it");
    let args: Vec<Value> = rewriter.body().args(rewriter.body().entry_block().expect("an entry")).collect();
    assert_eq!(rewriter.uses(args[1]).count(), 1);
    rewriter.replace(rounds, &[args[2]]).expect("the loop is replaced");
    assert!(rewriter.is_unused(args[1]), "the addition is gone");
    let constant = only(&rewriter, Opcode::Constant);
    rewriter.move_before(abs, constant).expect("it can stand there");
    let gone = rewriter.move_before(abs, sum).expect_err("the addition is gone with the loop");
    assert_eq!(gone.to_string(), "absf: it cannot stand before addf, which was erased");
    drop(rewriter);
    assert_eq!(listing(module), ["absf 2", "constant", "return"]);
}

#[test]
fn bodies_are_numbered_in_the_order_of_the_text() {
    let mut module = with_loop();
    let mut rewriter = module.rewrite(0);
    let (sum, ty) = (only(&rewriter, Opcode::AddF), module_type(&rewriter));
    let lhs = rewriter.op(sum).operands()[0];
    let negated = rewriter.insert_before(sum, |b| b.op(Opcode::NegF).operand("source", lhs).result(ty).value()).expect("a negation");
    rewriter.set_operand(sum, 0, negated).expect("it has two operands");
    drop(rewriter);
    let body = &module.functions[0].body;
    assert_eq!(body.num_ops(), body.preorder().count());
    let order: Vec<usize> = body.preorder().map(|op| op.id().index()).collect();
    assert!(order.is_sorted(), "{order:?}");
    assert_eq!(listing(module), ["constant", "for 3 3 3 0", "negf 5", "addf 6 1", "continue 7", "absf 8", "return"]);
}

fn module_type(rewriter: &Rewriter<'_>) -> Type {
    let entry = rewriter.body().entry_block().expect("an entry");
    rewriter.body().ty(rewriter.body().args(entry).next().expect("a parameter"))
}

#[test]
fn what_a_branch_does_moves_into_its_place() {
    let mut module = kernel(|b, args, ty| {
        let condition = b.constant(Scalar::I1, &[], &[1])?;
        let branch = b.op(Opcode::If).operand("condition", condition).result(ty).finish()?;
        for side in [0, 1] {
            b.region(branch, side, &[], |b, _| {
                let sum = binary(b, Opcode::AddF, args[side], args[2], ty)?;
                b.op(Opcode::Yield).operands("operands", &[sum]).finish().map(drop)
            })?;
        }
        let result = b.body().op(branch).result(0).expect("it has a result");
        b.op(Opcode::AbsF).operand("source", result).result(ty).finish().map(drop)
    });
    let mut rewriter = module.rewrite(0);
    let branch = only(&rewriter, Opcode::If);
    let taken = rewriter.op(branch).region_block(0).expect("a block");
    let end = rewriter.body().last_op(taken).expect("a terminator").id();
    let value = rewriter.op(end).operands()[0];
    rewriter.move_contents(taken, Place::Before(branch));
    rewriter.erase(end).expect("it has no results");
    let inner = rewriter.op(branch).region_block(1).and_then(|block| rewriter.body().last_op(block)).expect("the other branch").id();
    rewriter.replace(branch, &[value]).expect("one value for one");
    assert!(rewriter.is_erased(end) && rewriter.is_erased(branch) && rewriter.is_erased(inner));
    drop(rewriter);
    assert_eq!(listing(module), ["constant", "addf 0 2", "absf 4", "return"]);
}

/// Neither rewriting nor putting in order recurses or takes more than linear time.
#[test]
fn deep_bodies_are_rewritten() {
    let mut module = kernel(|b, args, ty| {
        let condition = b.constant(Scalar::I1, &[], &[1])?;
        for _ in 0..50_000 {
            let branch = b.op(Opcode::If).operand("condition", condition).finish()?;
            let region = b.body().op(branch).regions().next().expect("a region");
            b.begin_region(region, &[]);
        }
        let mut last = args[0];
        for _ in 0..50_000 {
            last = binary(b, Opcode::AddF, last, args[0], ty)?;
        }
        Ok(())
    });
    let mut rewriter = module.rewrite(0);
    let args: Vec<Value> = rewriter.body().args(rewriter.body().entry_block().expect("an entry")).collect();
    for op in rewriter.ops_of(Opcode::AddF) {
        rewriter.replace(op, &[args[1]]).expect("it is replaced");
    }
    drop(rewriter);
    assert_eq!(module.functions[0].body.num_ops(), 50_002);
}
