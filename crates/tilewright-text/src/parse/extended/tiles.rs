//! Operations that take tiles apart and put them together.

use super::super::cursor::{Failed, Parsed};
use super::Request;
use super::emit::Emit;
use tilewright_ir::{AttrData, AttrName, AttrValue, Opcode, Scalar, Type, Value};

/// No operation makes more than so many others.
const MAX_OPERATIONS: usize = 4096;

pub(super) fn not(emit: &mut Emit<'_, '_>, request: &Request) -> Parsed<Vec<Value>> {
    let (scalar, shape) = emit.integers_of(request, 0)?;
    let ones = emit.splat(scalar, &shape, u64::MAX >> (64 - scalar.bits()))?;
    let ty = emit.ty(request.operands[0]);
    let value = emit.value(Opcode::XOrI, &[("lhs", &request.operands), ("rhs", &[ones])], &[], ty)?;
    Ok(vec![value])
}

pub(super) fn transpose(emit: &mut Emit<'_, '_>, request: &Request) -> Parsed<Vec<Value>> {
    let (element, shape) = emit.tile_of(request, 0)?;
    let permutation = request.list("permutation").unwrap_or_default();
    let dims: Vec<usize> = permutation.iter().filter_map(|&dim| usize::try_from(dim).ok().filter(|&dim| dim < shape.len())).collect();
    let complete = (0..shape.len()).all(|dim| dims.contains(&dim));
    if !complete || permutation.len() != shape.len() {
        return Err(emit.fail("out-of-range", format!("'permutation' must have each of the {} dimensions once", shape.len())));
    }
    let permuted: Vec<i64> = dims.iter().map(|&dim| shape[dim]).collect();
    let ty = emit.check_result(request, element, &permuted)?;
    if dims.is_sorted() {
        return Ok(vec![request.operands[0]]);
    }
    let dims = emit.p.add_attr(AttrData::I32Array(dims.iter().map(|&dim| dim as i32).collect()));
    let attrs = [(AttrName::Permutation, AttrValue::Attr(dims))];
    Ok(vec![emit.value(Opcode::Permute, &[("source", &request.operands)], &attrs, ty)?])
}

pub(super) fn expand_dims(emit: &mut Emit<'_, '_>, request: &Request) -> Parsed<Vec<Value>> {
    let (element, shape) = emit.tile_of(request, 0)?;
    let rank = shape.len() + request.list("axes").unwrap_or_default().len();
    let is_new = axes(emit, request, rank)?;
    let mut extents = shape.into_iter();
    let expanded: Vec<i64> = is_new.iter().map(|&new| if new { 1 } else { extents.next().unwrap_or(1) }).collect();
    reshaped(emit, request, element, &expanded)
}

pub(super) fn squeeze(emit: &mut Emit<'_, '_>, request: &Request) -> Parsed<Vec<Value>> {
    let (element, shape) = emit.tile_of(request, 0)?;
    let is_gone = axes(emit, request, shape.len())?;
    if let Some(dim) = (0..shape.len()).find(|&dim| is_gone[dim] && shape[dim] != 1) {
        return Err(emit.fail("out-of-range", format!("dimension {dim} has extent {}: only those of extent 1 can go", shape[dim])));
    }
    let squeezed: Vec<i64> = shape.iter().zip(&is_gone).filter(|(_, gone)| !**gone).map(|(&extent, _)| extent).collect();
    reshaped(emit, request, element, &squeezed)
}

/// For each of `rank` dimensions: whether it is in the list 'axes', where negative numbers count from the end.
fn axes(emit: &mut Emit<'_, '_>, request: &Request, rank: usize) -> Parsed<Vec<bool>> {
    let mut listed = vec![false; rank];
    for &axis in request.list("axes").unwrap_or_default() {
        let dim = dimension(emit, "axes", axis, rank)?;
        if std::mem::replace(&mut listed[dim], true) {
            return Err(emit.fail("out-of-range", format!("'axes' has dimension {dim} twice")));
        }
    }
    Ok(listed)
}

fn dimension(emit: &mut Emit<'_, '_>, name: &str, axis: i64, rank: usize) -> Parsed<usize> {
    let from_start = if axis < 0 { axis.saturating_add(rank as i64) } else { axis };
    match usize::try_from(from_start) {
        Ok(dim) if dim < rank => Ok(dim),
        _ => Err(emit.fail("out-of-range", format!("'{name}' has {axis}, but there are {rank} dimensions"))),
    }
}

fn reshaped(emit: &mut Emit<'_, '_>, request: &Request, element: Type, shape: &[i64]) -> Parsed<Vec<Value>> {
    let ty = emit.check_result(request, element, shape)?;
    Ok(vec![emit.unary(Opcode::Reshape, "source", request.operands[0], ty)?])
}

/// Elements of a dimension: `start`, `start + step`, ..., so many.
#[derive(Clone, Copy)]
struct Range {
    start: i64,
    step: i64,
    count: i64,
}

pub(super) fn view(emit: &mut Emit<'_, '_>, request: &Request) -> Parsed<Vec<Value>> {
    let (_, shape) = emit.tile_of(request, 0)?;
    let lists = ["offsets", "strides", "sizes"].map(|name| request.list(name).unwrap_or_default());
    check_lengths(emit, &shape, &lists)?;
    let [offsets, strides, sizes] = lists;
    let ranges = (0..shape.len()).map(|dim| Range { start: offsets[dim], step: strides[dim], count: sizes[dim] }).collect();
    ranges_of(emit, request, ranges)
}

pub(super) fn slice(emit: &mut Emit<'_, '_>, request: &Request) -> Parsed<Vec<Value>> {
    let (_, shape) = emit.tile_of(request, 0)?;
    let ones = vec![1; shape.len()];
    let (starts, ends) = (request.list("starts").unwrap_or_default(), request.list("ends").unwrap_or_default());
    let steps = request.list("steps").unwrap_or(&ones);
    check_lengths(emit, &shape, &[starts, ends, steps])?;
    let range = |dim: usize| {
        let step = steps[dim].max(1);
        let length = ends[dim].checked_sub(starts[dim]).unwrap_or_default();
        Range { start: starts[dim], step: steps[dim], count: length.max(0).unsigned_abs().div_ceil(step.unsigned_abs()).cast_signed() }
    };
    ranges_of(emit, request, (0..shape.len()).map(range).collect())
}

fn check_lengths(emit: &mut Emit<'_, '_>, shape: &[i64], lists: &[&[i64]]) -> Parsed<()> {
    match lists.iter().find(|list| list.len() != shape.len()) {
        None => Ok(()),
        Some(list) => {
            Err(emit.fail("wrong-count", format!("a list has {} numbers, but the tile has {} dimensions", list.len(), shape.len())))
        }
    }
}

/// A range of each dimension of the operand.
fn ranges_of(emit: &mut Emit<'_, '_>, request: &Request, ranges: Vec<Range>) -> Parsed<Vec<Value>> {
    let (element, shape) = emit.tile_of(request, 0)?;
    for (dim, (range, &extent)) in ranges.iter().zip(&shape).enumerate() {
        let last = range.count.checked_sub(1).and_then(|steps| steps.checked_mul(range.step)).and_then(|way| way.checked_add(range.start));
        let inside = range.start >= 0 && range.step > 0 && range.count > 0 && last.is_some_and(|last| last < extent);
        if !inside {
            let message = format!(
                "dimension {dim}: {} elements from {} on in steps of {} do not lie in a tile of extent {extent}",
                range.count, range.start, range.step
            );
            return Err(emit.fail("out-of-range", message));
        }
        check_extent(emit, dim, range.count)?;
    }
    let counts: Vec<i64> = ranges.iter().map(|range| range.count).collect();
    emit.check_result(request, element, &counts)?;
    let mut made = 0;
    let mut value = request.operands[0];
    for (dim, range) in ranges.into_iter().enumerate() {
        value = range_of(emit, value, dim, range, &mut made)?;
    }
    Ok(vec![value])
}

/// Extents of tiles are powers of two.
fn check_extent(emit: &mut Emit<'_, '_>, dim: usize, extent: i64) -> Parsed<()> {
    if extent > 0 && extent.cast_unsigned().is_power_of_two() {
        return Ok(());
    }
    let failed = emit.fail("cannot-expand", format!("dimension {dim} of the result has extent {extent}, which is no power of two"));
    emit.p.note("tiles have no other extents: take more elements, and mask those that are not meant".to_owned());
    Err(failed)
}

/// A range of one dimension.
fn range_of(emit: &mut Emit<'_, '_>, source: Value, dim: usize, range: Range, made: &mut usize) -> Parsed<Value> {
    let (element, shape) = parts(emit, source)?;
    let Range { start, step, count } = range;
    if step == 1 || count == 1 {
        return assemble(emit, dim, &[Piece { source, at: start, len: count }], made);
    }
    if !step.cast_unsigned().is_power_of_two() {
        if count as usize > MAX_OPERATIONS {
            return Err(too_many(emit));
        }
        let pieces: Vec<Piece> = (0..count).map(|i| Piece { source, at: start + i * step, len: 1 }).collect();
        return assemble(emit, dim, &pieces, made);
    }
    // Every step-th element is one place in a dimension of that extent.
    let mut apart = shape.clone();
    apart[dim] /= step;
    apart.insert(dim + 1, step);
    let ty = emit.tile(element, &apart)?;
    let apart = emit.unary(Opcode::Reshape, "source", source, ty)?;
    let column = assemble(emit, dim + 1, &[Piece { source: apart, at: start % step, len: 1 }], made)?;
    let mut together = shape;
    together[dim] /= step;
    let ty = emit.tile(element, &together)?;
    let column = emit.unary(Opcode::Reshape, "source", column, ty)?;
    range_of(emit, column, dim, Range { start: start / step, step: 1, count }, made)
}

pub(super) fn concatenate(emit: &mut Emit<'_, '_>, request: &Request) -> Parsed<Vec<Value>> {
    let (element, mut shape) = emit.tile_of(request, 0)?;
    let dim = dimension(emit, "axis", request.int("axis").unwrap_or_default(), shape.len())?;
    let (mut pieces, mut total) = (Vec::new(), 0i64);
    for (operand, &source) in request.operands.iter().enumerate() {
        let (other, extents) = emit.tile_of(request, operand)?;
        let fits = other == element && extents.len() == shape.len() && (0..shape.len()).all(|d| d == dim || extents[d] == shape[d]);
        if !fits {
            return Err(emit.wrong_operand(request, operand, "a tile like the first but for the axis"));
        }
        pieces.push(Piece { source, at: 0, len: extents[dim] });
        total = total.saturating_add(extents[dim]);
    }
    check_extent(emit, dim, total)?;
    shape[dim] = total;
    emit.check_result(request, element, &shape)?;
    Ok(vec![assemble(emit, dim, &pieces, &mut 0)?])
}

pub(super) fn split(emit: &mut Emit<'_, '_>, request: &Request) -> Parsed<Vec<Value>> {
    let (element, mut shape) = emit.tile_of(request, 0)?;
    let dim = dimension(emit, "axis", request.int("axis").unwrap_or_default(), shape.len())?;
    let parts = request.int("num_splits").unwrap_or_default();
    if parts <= 0 || shape[dim] % parts != 0 {
        return Err(emit.fail("out-of-range", format!("an extent of {} cannot be cut into {parts} equal parts", shape[dim])));
    }
    if parts as usize > MAX_OPERATIONS {
        return Err(emit.fail("limit", format!("more than {MAX_OPERATIONS} parts")));
    }
    shape[dim] /= parts;
    let ty = emit.check_result(request, element, &shape)?;
    // The parts follow each other, so that one name can stand for all.
    let indices = (0..parts).map(|part| emit.splat(Scalar::I32, &[], part.cast_unsigned())).collect::<Parsed<Vec<Value>>>()?;
    let zero = indices[0];
    indices.iter().map(|&index| extract(emit, request.operands[0], (dim, index, zero), ty)).collect()
}

/// Slices `at` up to before `at + len` of a tile, along the dimension that is put together.
#[derive(Clone, Copy)]
struct Piece {
    source: Value,
    at: i64,
    len: i64,
}

fn too_many(emit: &mut Emit<'_, '_>) -> Failed {
    let failed = emit.fail("limit", format!("this takes more than {MAX_OPERATIONS} operations"));
    emit.p.note("store the tile to memory of 'alloca', and load it through a view of that".to_owned());
    failed
}

/// Pieces in this order, along `dim`, as one tile, whose extent is a power of two: what is an aligned block of a source is extracted
/// at once, halves are put together with `cat`. `made` counts operations.
fn assemble(emit: &mut Emit<'_, '_>, dim: usize, pieces: &[Piece], made: &mut usize) -> Parsed<Value> {
    let first = pieces[0];
    let count: i64 = pieces.iter().map(|piece| piece.len).sum();
    *made += 1;
    if *made > MAX_OPERATIONS {
        return Err(too_many(emit));
    }
    let (element, mut shape) = parts(emit, first.source)?;
    if pieces.len() == 1 && first.at % count == 0 {
        if shape[dim] == count {
            return Ok(first.source);
        }
        shape[dim] = count;
        let ty = emit.tile(element, &shape)?;
        let index = emit.splat(Scalar::I32, &[], (first.at / count).cast_unsigned())?;
        let zero = if shape.len() > 1 { emit.splat(Scalar::I32, &[], 0)? } else { index };
        return extract(emit, first.source, (dim, index, zero), ty);
    }
    let (front, back) = halves(pieces, count / 2);
    let (lhs, rhs) = (assemble(emit, dim, &front, made)?, assemble(emit, dim, &back, made)?);
    shape[dim] = count;
    let ty = emit.tile(element, &shape)?;
    emit.value(Opcode::Cat, &[("lhs", &[lhs]), ("rhs", &[rhs])], &[(AttrName::Dim, AttrValue::Int(dim as u64))], ty)
}

/// The first `len` slices of pieces, and the others.
fn halves(pieces: &[Piece], len: i64) -> (Vec<Piece>, Vec<Piece>) {
    let (mut front, mut back, mut left) = (Vec::new(), Vec::new(), len);
    for &Piece { source, at, len } in pieces {
        let taken = left.min(len);
        left -= taken;
        if taken > 0 {
            front.push(Piece { source, at, len: taken });
        }
        if taken < len {
            back.push(Piece { source, at: at + taken, len: len - taken });
        }
    }
    (front, back)
}

/// The slice of type `ty` that is number `index` along `dim`, and the first along all other dimensions.
fn extract(emit: &mut Emit<'_, '_>, source: Value, (dim, index, zero): (usize, Value, Value), ty: Type) -> Parsed<Value> {
    let (_, shape) = parts(emit, source)?;
    let indices: Vec<Value> = (0..shape.len()).map(|other| if other == dim { index } else { zero }).collect();
    emit.value(Opcode::Extract, &[("source", &[source]), ("indices", &indices)], &[], ty)
}

/// Element type and extents of a tile.
fn parts(emit: &mut Emit<'_, '_>, value: Value) -> Parsed<(Type, Vec<i64>)> {
    let ty = emit.ty(value);
    match emit.p.module.tables.types.as_tile(ty) {
        Some((element, shape)) => Ok((element, shape.to_vec())),
        None => Err(emit.fail("type-mismatch", "the operand is no tile".to_owned())),
    }
}
