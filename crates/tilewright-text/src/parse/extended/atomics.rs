//! Atomic operations.

use super::super::cursor::{Failed, Parsed};
use super::emit::Emit;
use super::{Request, memory};
use tilewright_ir::{
    AtomicRMWMode, AttrName, AttrValue, ComparisonPredicate, MemoryOrderingSemantics as Ordering, MemoryScope, Opcode, Scalar, Signedness,
    Type, Value,
};

/// The attributes that an ordering and the scope of an operation become.
fn semantics(emit: &mut Emit<'_, '_>, request: &Request, ordering: Ordering) -> Parsed<[(AttrName, AttrValue); 2]> {
    let scope = match request.word("scope") {
        None => MemoryScope::Sys as u8,
        Some(word) => match tilewright_ir::EnumKind::MemoryScope.by_keyword(word) {
            Some(scope) => scope.value,
            None => return Err(emit.fail("unknown-keyword", format!("unknown scope '{word}'"))),
        },
    };
    Ok([(AttrName::MemoryOrderingSemantics, AttrValue::Enum(ordering as u8)), (AttrName::MemoryScope, AttrValue::Enum(scope))])
}

/// An ordering of a parameter, which must be one of these.
fn ordering(emit: &mut Emit<'_, '_>, request: &Request, name: &str, allowed: &[Ordering]) -> Parsed<Ordering> {
    let word = request.word(name).unwrap_or("relaxed");
    let found = allowed.iter().copied().find(|ordering| ordering.keyword() == word);
    found.ok_or_else(|| wrong_ordering(emit, name, word, allowed))
}

fn wrong_ordering(emit: &mut Emit<'_, '_>, name: &str, word: &str, allowed: &[Ordering]) -> Failed {
    let known: Vec<&str> = allowed.iter().map(|ordering| ordering.keyword()).collect();
    if word != "seq_cst" {
        return emit.fail("cannot-expand", format!("'{name}' can be {} here, found {word}", known.join(", ")));
    }
    let message = "the dialect has no sequentially consistent accesses";
    let failed = emit.fail("cannot-expand", message.to_owned());
    let strongest = known.last().copied().unwrap_or_default();
    emit.p.note(format!(
        "write '{name} = {strongest}' where that suffices; where it does not, let the blocks take turns through one location that all of them change"
    ));
    failed
}

/// What an access that reads and writes can be.
const BOTH: &[Ordering] = &[Ordering::Relaxed, Ordering::Acquire, Ordering::Release, Ordering::AcqRel];

pub(super) fn load(emit: &mut Emit<'_, '_>, request: &Request) -> Parsed<Vec<Value>> {
    let (element, shape) = emit.result_tile(request)?;
    let pointers = memory::pointers(emit, request, element, &shape)?;
    let ordering = ordering(emit, request, "ordering", &[Ordering::Relaxed, Ordering::Acquire])?;
    let attrs = semantics(emit, request, ordering)?;
    let ty = emit.tile(element, &shape)?;
    Ok(emit.ordered(Opcode::LoadPtrTko, &[("source", &[pointers])], &attrs, Some(ty))?.into_iter().collect())
}

pub(super) fn store(emit: &mut Emit<'_, '_>, request: &Request) -> Parsed<Vec<Value>> {
    let (element, shape) = emit.tile_of(request, 1)?;
    let pointers = memory::pointers(emit, request, element, &shape)?;
    let ordering = ordering(emit, request, "ordering", &[Ordering::Relaxed, Ordering::Release])?;
    let attrs = semantics(emit, request, ordering)?;
    emit.ordered(Opcode::StorePtrTko, &[("destination", &[pointers]), ("value", &request.operands[1..])], &attrs, None)?;
    Ok(Vec::new())
}

/// How a value is changed in memory.
fn change(emit: &mut Emit<'_, '_>, request: &Request, value: Value, mode: AtomicRMWMode) -> Parsed<Vec<Value>> {
    let (element, shape) = emit.tile_of(request, 1)?;
    let pointers = memory::pointers(emit, request, element, &shape)?;
    let ordering = ordering(emit, request, "ordering", BOTH)?;
    let [ordering, scope] = semantics(emit, request, ordering)?;
    let attrs = [ordering, scope, (AttrName::Mode, AttrValue::Enum(mode as u8))];
    let ty = emit.ty(value);
    let old = emit.ordered(Opcode::AtomicRMWTko, &[("pointers", &[pointers]), ("arg", &[value])], &attrs, Some(ty))?;
    Ok(old.into_iter().collect())
}

/// Whether the elements of the operand at 1 are floats; they must be numbers.
fn is_float(emit: &mut Emit<'_, '_>, request: &Request) -> Parsed<bool> {
    let (element, _) = emit.tile_of(request, 1)?;
    match emit.p.module.tables.types.scalar(element) {
        Some(scalar) => Ok(!scalar.is_int()),
        None => Err(emit.wrong_operand(request, 1, "a tile of numbers")),
    }
}

pub(super) fn add(emit: &mut Emit<'_, '_>, request: &Request) -> Parsed<Vec<Value>> {
    let mode = if is_float(emit, request)? { AtomicRMWMode::Addf } else { AtomicRMWMode::Add };
    change(emit, request, request.operands[1], mode)
}

pub(super) fn sub(emit: &mut Emit<'_, '_>, request: &Request) -> Parsed<Vec<Value>> {
    let (negate, mode) = if is_float(emit, request)? { (Opcode::NegF, AtomicRMWMode::Addf) } else { (Opcode::NegI, AtomicRMWMode::Add) };
    let ty = emit.ty(request.operands[1]);
    let negated = emit.unary(negate, "source", request.operands[1], ty)?;
    change(emit, request, negated, mode)
}

fn on_integers(emit: &mut Emit<'_, '_>, request: &Request, mode: AtomicRMWMode) -> Parsed<Vec<Value>> {
    emit.integers_of(request, 1)?;
    change(emit, request, request.operands[1], mode)
}

pub(super) fn and(emit: &mut Emit<'_, '_>, request: &Request) -> Parsed<Vec<Value>> {
    on_integers(emit, request, AtomicRMWMode::And)
}

pub(super) fn or(emit: &mut Emit<'_, '_>, request: &Request) -> Parsed<Vec<Value>> {
    on_integers(emit, request, AtomicRMWMode::Or)
}

pub(super) fn xor(emit: &mut Emit<'_, '_>, request: &Request) -> Parsed<Vec<Value>> {
    on_integers(emit, request, AtomicRMWMode::Xor)
}

fn extremum(emit: &mut Emit<'_, '_>, request: &Request, modes: [AtomicRMWMode; 2], of_floats: Opcode) -> Parsed<Vec<Value>> {
    if is_float(emit, request)? {
        return until_replaced(emit, request, of_floats);
    }
    let [signed, unsigned] = modes;
    match request.word("signedness") {
        Some("signed") => change(emit, request, request.operands[1], signed),
        Some(_) => change(emit, request, request.operands[1], unsigned),
        None => Err(emit.fail("missing-attribute", "of integers, it needs 'signedness = signed|unsigned'".to_owned())),
    }
}

/// What the dialect cannot do to floats in memory in one operation, as a loop: the new values replace those that were read, until
/// nobody was faster for any element.
fn until_replaced(emit: &mut Emit<'_, '_>, request: &Request, opcode: Opcode) -> Parsed<Vec<Value>> {
    let (element, shape) = emit.tile_of(request, 1)?;
    let pointers = memory::pointers(emit, request, element, &shape)?;
    let ordering = ordering(emit, request, "ordering", BOTH)?;
    let weakest = semantics(emit, request, Ordering::Relaxed)?;
    let attrs = semantics(emit, request, ordering)?;
    let value = request.operands[1];
    let (ty, truth) = (emit.ty(value), emit.tile(Scalar::I1.ty(), &shape)?);
    let Some(read) = emit.ordered(Opcode::LoadPtrTko, &[("source", &[pointers])], &weakest, Some(ty))? else { return Ok(Vec::new()) };
    let all = emit.splat(Scalar::I1, &shape, 1)?;
    let (repeat, old, left) = emit.begin_loop([read, all])?;
    let new = emit.value(opcode, &[("lhs", &[old]), ("rhs", &[value])], &[], ty)?;
    let operands: [(&str, &[Value]); 4] = [("pointers", &[pointers]), ("cmp", &[old]), ("val", &[new]), ("mask", &[left])];
    let Some(found) = emit.ordered(Opcode::AtomicCASTko, &operands, &attrs, Some(ty))? else { return Ok(Vec::new()) };
    // An element that was done before has its old value still, as has one that is replaced now.
    let seen = emit.value(Opcode::Select, &[("cond", &[left]), ("val_if_true", &[found]), ("val_if_false", &[old])], &[], ty)?;
    let (seen_bits, old_bits) = (bits(emit, seen, element, &shape)?, bits(emit, old, element, &shape)?);
    let differs = [
        (AttrName::ComparisonPredicate, AttrValue::Enum(ComparisonPredicate::NotEqual as u8)),
        (AttrName::Signedness, AttrValue::Enum(Signedness::Unsigned as u8)),
    ];
    let still = emit.value(Opcode::CmpI, &[("lhs", &[seen_bits]), ("rhs", &[old_bits])], &differs, truth)?;
    emit.end_loop(repeat, (still, &shape), [seen, still]).map(|old| vec![old])
}

pub(super) fn max(emit: &mut Emit<'_, '_>, request: &Request) -> Parsed<Vec<Value>> {
    extremum(emit, request, [AtomicRMWMode::Max, AtomicRMWMode::Umax], Opcode::MaxF)
}

pub(super) fn min(emit: &mut Emit<'_, '_>, request: &Request) -> Parsed<Vec<Value>> {
    extremum(emit, request, [AtomicRMWMode::Min, AtomicRMWMode::Umin], Opcode::MinF)
}

pub(super) fn exchange(emit: &mut Emit<'_, '_>, request: &Request) -> Parsed<Vec<Value>> {
    change(emit, request, request.operands[1], AtomicRMWMode::Xchg)
}

/// The weakest ordering that is as strong as both.
fn stronger(success: Ordering, failure: Ordering) -> Ordering {
    match (success, failure) {
        (ordering, Ordering::Relaxed) => ordering,
        (Ordering::Relaxed | Ordering::Acquire, _) => Ordering::Acquire,
        _ => Ordering::AcqRel,
    }
}

pub(super) fn compare_exchange(emit: &mut Emit<'_, '_>, request: &Request) -> Parsed<Vec<Value>> {
    let (element, shape) = emit.tile_of(request, 1)?;
    let (expected, desired) = (request.operands[1], request.operands[2]);
    if emit.ty(expected) != emit.ty(desired) {
        let ty = emit.p.type_name(emit.ty(expected));
        return Err(emit.wrong_operand(request, 2, &format!("{ty}, as the expected value has")));
    }
    let pointers = memory::pointers(emit, request, element, &shape)?;
    let success = ordering(emit, request, "success_ordering", BOTH)?;
    // A failure writes nothing, so there is nothing to release.
    let failure = ordering(emit, request, "failure_ordering", &[Ordering::Relaxed, Ordering::Acquire])?;
    let attrs = semantics(emit, request, stronger(success, failure))?;
    let operands: [(&str, &[Value]); 3] = [("pointers", &[pointers]), ("cmp", &[expected]), ("val", &[desired])];
    let ty = emit.ty(expected);
    let Some(old) = emit.ordered(Opcode::AtomicCASTko, &operands, &attrs, Some(ty))? else { return Ok(Vec::new()) };
    let (found, expected) = (bits(emit, old, element, &shape)?, bits(emit, expected, element, &shape)?);
    let truth = emit.tile(Scalar::I1.ty(), &shape)?;
    let attrs = [
        (AttrName::ComparisonPredicate, AttrValue::Enum(ComparisonPredicate::Equal as u8)),
        (AttrName::Signedness, AttrValue::Enum(Signedness::Unsigned as u8)),
    ];
    let replaced = emit.value(Opcode::CmpI, &[("lhs", &[found]), ("rhs", &[expected])], &attrs, truth)?;
    Ok(vec![old, replaced])
}

/// Floats as the integers with their bits: memory is compared by bits.
fn bits(emit: &mut Emit<'_, '_>, value: Value, element: Type, shape: &[i64]) -> Parsed<Value> {
    let integer = match emit.p.module.tables.types.scalar(element) {
        Some(scalar) if !scalar.is_int() => match scalar.bits() {
            16 => Scalar::I16,
            64 => Scalar::I64,
            _ => Scalar::I32,
        },
        _ => return Ok(value),
    };
    let ty = emit.tile(integer.ty(), shape)?;
    emit.unary(Opcode::Bitcast, "source", value, ty)
}
