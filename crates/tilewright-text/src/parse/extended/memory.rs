//! `load`, `store` and `alloca`.

use super::super::cursor::Parsed;
use super::emit::Emit;
use super::{Mark, Request};
use tilewright_ir::{AttrData, AttrName, AttrValue, MemoryOrderingSemantics, MemoryScope, Opcode, Scalar, Type, Value};

/// What `alloca` is aligned to where the text does not say: enough for every element type.
const ALIGNMENT: i64 = 16;

pub(super) fn load(emit: &mut Emit<'_, '_>, request: &Request) -> Parsed<Vec<Value>> {
    let (element, shape) = emit.result_tile(request)?;
    let pointers = pointers(emit, request, element, &shape)?;
    let ty = emit.tile(element, &shape)?;
    let value = emit.ordered(Opcode::LoadPtrTko, &[("source", &[pointers])], &access(request), Some(ty))?;
    Ok(value.into_iter().collect())
}

pub(super) fn store(emit: &mut Emit<'_, '_>, request: &Request) -> Parsed<Vec<Value>> {
    let (element, shape) = emit.tile_of(request, 1)?;
    let pointers = pointers(emit, request, element, &shape)?;
    let operands: [(&str, &[Value]); 2] = [("destination", &[pointers]), ("value", &request.operands[1..])];
    emit.ordered(Opcode::StorePtrTko, &operands, &access(request), None)?;
    Ok(Vec::new())
}

/// A volatile access is one that other agents see.
fn access(request: &Request) -> Vec<(AttrName, AttrValue)> {
    if !request.flag("is_volatile") {
        return vec![(AttrName::MemoryOrderingSemantics, AttrValue::Enum(MemoryOrderingSemantics::Weak as u8))];
    }
    vec![
        (AttrName::MemoryOrderingSemantics, AttrValue::Enum(MemoryOrderingSemantics::Relaxed as u8)),
        (AttrName::MemoryScope, AttrValue::Enum(MemoryScope::Sys as u8)),
    ]
}

/// A pointer to each element of a tile of `element`: the first operand, or elements that follow each other from it on.
pub(super) fn pointers(emit: &mut Emit<'_, '_>, request: &Request, element: Type, shape: &[i64]) -> Parsed<Value> {
    let (pointee, found) = emit.pointers_of(request, 0)?;
    if pointee != element {
        let (pointee, element) = (emit.p.type_name(pointee), emit.p.type_name(element));
        let message = format!("the pointers are to {pointee}, but the elements are {element}");
        let failed = emit.fail("type-mismatch", message);
        emit.p.note("ptr_to_ptr makes pointers to another type".to_owned());
        return Err(failed);
    }
    let mut pointers = request.operands[0];
    if let Some(alignment) = request.int("alignment") {
        pointers = aligned(emit, pointers, alignment)?;
    }
    if found == shape {
        return Ok(pointers);
    }
    if !found.is_empty() {
        let message =
            format!("there are pointers of extents {found:?} for elements of extents {shape:?}: one for each is needed, or a single one");
        return Err(emit.fail("type-mismatch", message));
    }
    consecutive(emit, pointers, shape)
}

/// `pointer + i` for the i-th element of a tile in row-major order.
fn consecutive(emit: &mut Emit<'_, '_>, pointer: Value, shape: &[i64]) -> Parsed<Value> {
    let count = shape.iter().product::<i64>();
    let element = match emit.p.module.tables.types.as_tile(emit.ty(pointer)) {
        Some((element, _)) => element,
        None => return Err(emit.fail("type-mismatch", "the operand is no pointer".to_owned())),
    };
    let line = emit.tile(Scalar::I32.ty(), &[count])?;
    let mut offsets = emit.value(Opcode::Iota, &[], &[], line)?;
    if shape.len() != 1 {
        let ty = emit.tile(Scalar::I32.ty(), shape)?;
        offsets = emit.unary(Opcode::Reshape, "source", offsets, ty)?;
    }
    let ones = emit.tile(element, &vec![1; shape.len()])?;
    let one = emit.unary(Opcode::Reshape, "source", pointer, ones)?;
    let ty = emit.tile(element, shape)?;
    let all = emit.unary(Opcode::Broadcast, "source", one, ty)?;
    emit.value(Opcode::Offset, &[("ptr", &[all]), ("offset", &[offsets])], &[], ty)
}

fn aligned(emit: &mut Emit<'_, '_>, pointers: Value, alignment: i64) -> Parsed<Value> {
    let divisor = power_of_two(emit, "alignment", alignment)?;
    let predicate = emit.p.add_attr(AttrData::DivBy { divisor, every: None, along: None });
    let ty = emit.ty(pointers);
    emit.value(Opcode::Assume, &[("value", &[pointers])], &[(AttrName::Predicate, AttrValue::Attr(predicate))], ty)
}

fn power_of_two(emit: &mut Emit<'_, '_>, name: &str, value: i64) -> Parsed<u64> {
    match u64::try_from(value) {
        Ok(value) if value.is_power_of_two() => Ok(value),
        _ => Err(emit.fail("out-of-range", format!("'{name}' must be a power of two, found {value}"))),
    }
}

pub(super) fn alloca(emit: &mut Emit<'_, '_>, request: &Request) -> Parsed<Vec<Value>> {
    let size = request.int("size").unwrap_or_default();
    if size <= 0 {
        return Err(emit.fail("out-of-range", format!("'size' must be a positive number of bytes, found {size}")));
    }
    let alignment = power_of_two(emit, "alignment", request.int("alignment").unwrap_or(ALIGNMENT))?;
    let bytes = match emit.p.module.tables.types.pointer(Scalar::I8.ty()) {
        Ok(pointer) => emit.tile(pointer, &[])?,
        Err(error) => return Err(emit.fail("invalid-type", error.to_string())),
    };
    let attrs = [(AttrName::NumElem, AttrValue::Int(size.cast_unsigned())), (AttrName::Alignment, AttrValue::Int(alignment))];
    let memory = tilewright_ir::Value::new(emit.p.body.num_values());
    let op = emit.op(Opcode::Alloca, (&[], &attrs, &[bytes]))?;
    emit.p.pending.marks.insert(op, Mark::Hoisted);
    match request.result {
        Some(ty) if ty != bytes => {
            let (element, shape) = emit.result_tile(request)?;
            let is_pointer = matches!(emit.p.module.tables.types.get(element), tilewright_ir::TypeData::Pointer { .. });
            if !is_pointer || !shape.is_empty() {
                return Err(emit.fail("type-mismatch", "the result of alloca is a single pointer, such as tile<ptr<i8>>".to_owned()));
            }
            Ok(vec![emit.unary(Opcode::PtrToPtr, "source", memory, ty)?])
        }
        _ => Ok(vec![memory]),
    }
}
