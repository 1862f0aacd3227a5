//! The rules of thread code.
//!
//! - Values are defined once, and before they are read on every way from the first block.
//! - Primitives, memory and shuffles get the types that they take; addresses are `i64` in global and `i32` in shared memory.
//! - Who jumps hands over as many values as the block takes, of its types. Nobody jumps to the first block.

use super::{Block, Combined, End, From, Function, Inst, Order, Replicas, Space, Update, Value};
use std::{error::Error, fmt};
use tilewright_vector::{Lane, Prim};

/// A rule that code breaks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for Finding {}

type Verdict = Result<(), Finding>;

fn require(holds: bool, message: impl FnOnce() -> String) -> Verdict {
    if holds { Ok(()) } else { Err(Finding { message: message() }) }
}

/// Verifies a function.
///
/// # Errors
/// The first rule that it breaks.
pub fn verify(function: &Function) -> Verdict {
    require(!function.blocks.is_empty(), || "there is no block".to_owned())?;
    let mut defined = vec![false; function.values.len()];
    for block in &function.blocks {
        for value in block.params.iter().copied().chain(block.insts.iter().flat_map(Inst::results).copied()) {
            let first = defined.get_mut(value.index()).map(|defined| !std::mem::replace(defined, true));
            require(first == Some(true), || format!("{value} is defined twice, or has no type"))?;
        }
        for target in block.end.targets() {
            let index = target.label.index();
            require(index > 0 && index < function.blocks.len(), || format!("nobody can jump to {}", target.label))?;
        }
    }
    let available = available(function);
    for (block, before) in function.blocks.iter().zip(available) {
        let Some(mut seen) = before else { continue };
        verify_block(function, block, &mut seen)?;
    }
    Ok(())
}

/// A set of values.
type Set = Vec<bool>;

/// The values that are defined in front of each block, on every way to it; none for blocks that no way leads to.
fn available(function: &Function) -> Vec<Option<Set>> {
    let mut before: Vec<Option<Set>> = vec![None; function.blocks.len()];
    before[0] = Some(vec![false; function.values.len()]);
    let mut pending = vec![0];
    while let Some(index) = pending.pop() {
        let block = &function.blocks[index];
        let mut seen = before[index].clone().expect("a way leads there");
        block
            .params
            .iter()
            .copied()
            .chain(block.insts.iter().flat_map(Inst::results).copied())
            .for_each(|value| seen[value.index()] = true);
        for target in block.end.targets() {
            let next = &mut before[target.label.index()];
            let met = match next {
                None => seen.clone(),
                Some(old) => old.iter().zip(&seen).map(|(a, b)| *a && *b).collect(),
            };
            if next.as_ref() != Some(&met) {
                *next = Some(met);
                pending.push(target.label.index());
            }
        }
    }
    before
}

fn verify_block(function: &Function, block: &Block, seen: &mut Set) -> Verdict {
    block.params.iter().for_each(|value| seen[value.index()] = true);
    let read =
        |value: Value, seen: &Set| require(seen.get(value.index()) == Some(&true), || format!("{value} is read before it is defined"));
    for inst in &block.insts {
        inst.operands().into_iter().try_for_each(|value| read(value, seen))?;
        types(function, inst)?;
        inst.results().iter().for_each(|value| seen[value.index()] = true);
    }
    if let End::Branch { condition, .. } = &block.end {
        read(*condition, seen)?;
        require(function.lane(*condition) == Lane::Mask, || format!("{condition} is no mask"))?;
    }
    for target in block.end.targets() {
        target.args.iter().try_for_each(|value| read(*value, seen))?;
        let params = &function.blocks[target.label.index()].params;
        let fits =
            params.len() == target.args.len() && params.iter().zip(&target.args).all(|(a, b)| function.lane(*a) == function.lane(*b));
        require(fits, || format!("{target} hands over something else than {} takes", target.label))?;
    }
    Ok(())
}

fn types(function: &Function, inst: &Inst) -> Verdict {
    let lane = |value: &Value| function.lane(*value);
    let is = |value: &Value, expected: Lane| require(lane(value) == expected, || format!("{value} is {}, not {expected}", lane(value)));
    let address = |space: Space, value: &Value| is(value, if space == Space::Global { Lane::I64 } else { Lane::I32 });
    let in_memory = |value: &Value| require(lane(value) != Lane::Mask, || format!("{value} is a mask, which has no form in memory"));
    match inst {
        Inst::Const { result, bits } => {
            require(bits & !lane(result).bits() == 0, || format!("{result} has more bits than {}", lane(result)))
        }
        Inst::Prim { result, prim, operands } => {
            require(operands.len() == prim.arity(), || format!("{prim} takes {} operands", prim.arity()))?;
            let last = lane(&operands[operands.len() - 1]);
            require(prim.takes(last), || format!("{prim} does not take {last}"))?;
            operands.iter().enumerate().try_for_each(|(n, value)| is(value, prim.operand(last, n)))?;
            is(result, prim.result(last))
        }
        Inst::Line(at) => require((at.file as usize) < function.files.len(), || format!("there is no file {}", at.file)),
        Inst::Native { result, native, operands } => {
            let (count, ty) = native.operands();
            require(operands.len() == count, || format!("{native} takes {count} operands"))?;
            operands.iter().try_for_each(|value| is(value, ty))?;
            is(result, native.result())
        }
        Inst::Lookup { results, index, tables } => {
            require(results.len() == tables.len(), || format!("{} results of {} tables", results.len(), tables.len()))?;
            is(index, Lane::I32)?;
            results.iter().try_for_each(|result| is(result, Lane::F32))
        }
        Inst::Param { result, index } => match function.params.get(*index as usize) {
            Some(param) => is(result, *param),
            None => require(false, || format!("there is no parameter {index}")),
        },
        Inst::Data { result, index } => {
            require((*index as usize) < function.data.len(), || format!("there is no data {index}"))?;
            is(result, Lane::I64)
        }
        Inst::Special { result, .. } => is(result, Lane::I32),
        Inst::Load { result, space, address: at, mask, strong, .. } => {
            address(*space, at)?;
            let allowed = strong.is_none_or(|strong| matches!(strong.order, Order::Relaxed | Order::Acquire));
            require(allowed, || "a load releases nothing".to_owned())?;
            in_memory(result)?;
            mask.iter().try_for_each(|(mask, other)| is(mask, Lane::Mask).and(is(other, lane(result))))
        }
        Inst::Store { value, space, address: at, mask, strong, .. } => {
            address(*space, at)?;
            let allowed = strong.is_none_or(|strong| matches!(strong.order, Order::Relaxed | Order::Release));
            require(allowed, || "a store acquires nothing".to_owned())?;
            in_memory(value)?;
            mask.iter().try_for_each(|mask| is(mask, Lane::Mask))
        }
        Inst::LoadWide { results, space, address: at, mask, .. } => {
            address(*space, at)?;
            wide(function, results)?;
            let Some((mask, others)) = mask else { return Ok(()) };
            require(others.len() == results.len(), || "there is a value for each that is not read".to_owned())?;
            is(mask, Lane::Mask)?;
            others.iter().zip(results).try_for_each(|(other, result)| is(other, lane(result)))
        }
        Inst::LoadMatrices { results, address: at, .. } => {
            require(matches!(results.len(), 1 | 2 | 4), || format!("{} matrices are not loaded at once", results.len()))?;
            let word = if lane(&results[0]) == Lane::F32 { Lane::F32 } else { Lane::I32 };
            results.iter().try_for_each(|result| is(result, word))?;
            address(Space::Shared, at)
        }
        Inst::StoreWide { values, space, address: at, mask, .. } => {
            address(*space, at)?;
            wide(function, values)?;
            mask.iter().try_for_each(|mask| is(mask, Lane::Mask))
        }
        Inst::Compare { result, prim, operands: [a, b], and, .. } => {
            let is_comparison = matches!(prim, Prim::Eq | Prim::LtU | Prim::LtS | Prim::FEq | Prim::FLt | Prim::FLe);
            require(is_comparison && prim.takes(lane(b)) && (*prim, lane(b)) != (Prim::LtS, Lane::I8), || {
                format!("{prim} compares no {}", lane(b))
            })?;
            is(a, lane(b))?;
            is(result, Lane::Mask)?;
            and.iter().try_for_each(|mask| is(mask, Lane::Mask))
        }
        Inst::MultiplyAdd { result, factors, summand, wide } => {
            let (from, to) = if *wide { (Lane::I32, Lane::I64) } else { (lane(result), lane(result)) };
            require(matches!(to, Lane::I32 | Lane::I64), || format!("{result} is no integer of 32 or 64 bits"))?;
            factors.iter().try_for_each(|factor| is(factor, from))?;
            summand.iter().try_for_each(|summand| is(summand, to))?;
            is(result, to)
        }
        Inst::Pack { result, halves } => {
            halves.iter().try_for_each(|half| is(half, Lane::I16))?;
            is(result, Lane::I32)
        }
        Inst::Unpack { halves, value } => {
            halves.iter().try_for_each(|half| is(half, Lane::I16))?;
            is(value, Lane::I32)
        }
        Inst::Atomic { result, update, address: at, value, mask, .. } => {
            address(Space::Global, at)?;
            let ty = lane(value);
            let taken = match update {
                Update::Add => matches!(ty, Lane::I32 | Lane::I64 | Lane::F32 | Lane::F64),
                Update::AddF16 | Update::AddBf16 => ty == Lane::I16,
                Update::CompareExchange(expected) => lane(expected) == ty && matches!(ty, Lane::I16 | Lane::I32 | Lane::I64),
                _ => matches!(ty, Lane::I32 | Lane::I64),
            };
            require(taken, || format!("there is no atomic {update} of {ty}"))?;
            result.iter().try_for_each(|(result, other)| is(result, ty).and(is(other, ty)))?;
            mask.iter().try_for_each(|mask| is(mask, Lane::Mask))
        }
        Inst::Multimem { result, access, address: at, mask, strong, .. } => {
            address(Space::Global, at)?;
            let orders: &[Order] = match access {
                Replicas::Load(_) => &[Order::Relaxed, Order::Acquire],
                _ => &[Order::Relaxed, Order::Release],
            };
            require(strong.is_none_or(|strong| orders.contains(&strong.order)), || {
                "an order that such an access does not have".to_owned()
            })?;
            require(strong.is_some() || !matches!(access, Replicas::Reduce(..)), || "replicas are not combined weakly".to_owned())?;
            require(result.is_some() == matches!(access, Replicas::Load(_)), || "loads alone have results".to_owned())?;
            let ty = access.value().or(result.map(|(result, _)| result)).map(|value| lane(&value));
            let taken = match access {
                Replicas::Load(Combined::Add) | Replicas::Reduce(Combined::Add, _) | Replicas::Store(_) => {
                    matches!(ty, Some(Lane::I32 | Lane::I64 | Lane::F32 | Lane::F64))
                }
                Replicas::Load(how) | Replicas::Reduce(how, _) if how.is_of_pairs() => ty == Some(Lane::I32),
                _ => matches!(ty, Some(Lane::I32 | Lane::I64)),
            };
            require(taken, || format!("there is no access to replicas of {ty:?}"))?;
            result.iter().try_for_each(|(result, other)| is(other, lane(result)))?;
            mask.iter().try_for_each(|mask| is(mask, Lane::Mask))
        }
        Inst::Shuffle { result, value, from: From::Across(lanes) | From::Before(lanes) | From::After(lanes) } => {
            require(matches!(lane(value), Lane::I32 | Lane::F32), || format!("{value} is not of 32 bits"))?;
            require((1..32).contains(lanes), || format!("a warp has no lanes {lanes} apart"))?;
            is(result, lane(value))
        }
        Inst::Product { results, product, factors, sums } => {
            let ([sum, factor], [s, l, r]) = (product.lanes(), product.registers());
            let counts = [results.len(), sums.len(), factors[0].len(), factors[1].len()];
            require(counts == [s, s, l, r], || format!("fragments of {product} have {s}, {l} and {r} registers"))?;
            results.iter().chain(sums).try_for_each(|value| is(value, sum))?;
            factors.iter().flatten().try_for_each(|value| is(value, factor))
        }
        Inst::Print { format, args } => {
            is(format, Lane::I64)?;
            let printed = |value: &&Value| matches!(lane(value), Lane::I32 | Lane::I64 | Lane::F64);
            require(args.iter().all(|value| printed(&value)), || "what is printed is of i32, i64 or f64".to_owned())
        }
        Inst::Allocate { result, alignment, .. } => {
            require(alignment.is_power_of_two(), || format!("{alignment} is no alignment"))?;
            is(result, Lane::I64)
        }
        Inst::Free { address } => is(address, Lane::I64),
        Inst::CopyAsync { to, from, bytes, given, mask } => {
            address(Space::Shared, &to.0)?;
            address(Space::Global, &from.0)?;
            require(matches!(bytes, 4 | 8 | 16), || format!("{bytes} bytes are not copied at once"))?;
            given.iter().try_for_each(|given| is(given, Lane::I32))?;
            mask.iter().try_for_each(|mask| is(mask, Lane::Mask))
        }
        Inst::Barrier | Inst::Depend(_) | Inst::CommitCopies | Inst::WaitCopies { .. } => Ok(()),
    }
}

/// Whether values are as many and as large as one access takes.
fn wide(function: &Function, values: &[Value]) -> Verdict {
    let ty = values.first().map(|value| function.lane(*value));
    let same = values.iter().all(|value| Some(function.lane(*value)) == ty);
    let bytes = ty.filter(|ty| *ty != Lane::Mask).map_or(0, |ty| ty.size() * values.len());
    let fits = same && matches!(values.len(), 2 | 4) && matches!(bytes, 4 | 8 | 16);
    require(fits, || format!("{} values of {ty:?} are no wide access", values.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::thread::{Builder, Label, Target};
    use tilewright_vector::Prim;

    /// Adds a parameter to itself if a bit is set, and stores what comes out.
    fn function() -> Function {
        let mut b = Builder::new("k", 32, vec![Lane::I64, Lane::I32, Lane::Mask]);
        let [address, number, condition] = [0, 1, 2].map(|index| b.param(index));
        let (twice, _) = b.block(&[]);
        let (merge, params) = b.block(&[Lane::I32]);
        let then = Target { label: twice, args: Vec::new() };
        b.end(End::Branch { condition, then, otherwise: Target { label: merge, args: vec![number] } });
        b.continue_in(twice);
        let sum = b.prim(Prim::Add, &[number, number]);
        b.jump(merge, vec![sum]);
        b.continue_in(merge);
        b.store(params[0], Space::Global, address, 4, None);
        b.finish()
    }

    #[test]
    fn code_of_the_builder_is_valid_and_has_a_text() {
        let function = function();
        assert_eq!(verify(&function), Ok(()));
        let expected = "\
thread @k(i64, i32, mask) threads 32 shared 0 {
^0():
  %0: i64 = param 0
  %1: i32 = param 1
  %2: mask = param 2
  jump ^1()
^1():
  branch %2 to ^2() else ^3(%1)
^2():
  %4: i32 = add %1, %1
  jump ^3(%4)
^3(%3: i32):
  store %3 to global[%0 + 4]
  return
}
";
        assert_eq!(function.to_string(), expected);
    }

    #[test]
    fn broken_rules_are_found() {
        type Change = fn(&mut Function);
        let broken: [(Change, &str); 5] = [
            (|f| f.blocks[2].insts.clear(), "%4 is read before it is defined"),
            (|f| f.blocks[2].end = End::Jump(Target { label: Label(3), args: Vec::new() }), "hands over something else"),
            (|f| f.values[3] = Lane::I64, "hands over something else"),
            (|f| f.blocks[2].end = End::Jump(Target { label: Label(0), args: Vec::new() }), "nobody can jump to ^0"),
            (|f| f.values[0] = Lane::I32, "%0 is i32, not i64"),
        ];
        for (change, expected) in broken {
            let mut function = function();
            change(&mut function);
            let found = verify(&function).expect_err(expected).to_string();
            assert!(found.contains(expected), "{found}");
        }
    }
}
