//! Finds the access functions of gathers, scatters and atomic updates (`plan/access.rs`), and what need not be computed because of them.

mod division;
mod lanes;
mod merge;

use super::Lowerer;
use crate::{
    PlanError, TargetMachine,
    elem::{Elem, memory_bits},
    hash::HashMap,
    plan::{
        AccessFunction, Condition, DivisionPart, Index, Leaf, Node, PerDim, Placement, Tile, ViewAccess,
        access::{MAX_CHOICES, MAX_DIMS, Split, follows, wrap},
        row_major,
    },
};
use lanes::Lanes;
use smallvec::SmallVec;
use tilewright_ir::{
    AtomicRMWMode, AttrData, AttrName, AttrValue, Body, ComparisonPredicate, MemoryOrderingSemantics, Module, Op, OpRef, Opcode,
    RoundingMode, Scalar, TypeData, Value,
};
use tilewright_passes::{
    constant::Constant,
    elementwise::{ElemOp, elem_op},
};

/// How many operations are looked at for one access.
const MAX_LOOKS: usize = 512;
/// A number that is as large as extents of arrays are.
const USUAL_EXTENT: i64 = 1000;
/// Rows that are gathered have at least so many elements side by side: shorter ones are as fast one by one.
const SHORTEST_ROW: usize = 8;

/// For each dimension of a value, the multiples of the access's dimensions whose sum is the index along it; none where it has one element.
type Dims = SmallVec<[SmallVec<[(usize, i64); 2]>; MAX_DIMS]>;

/// What is known of the pointer accesses of a body.
#[derive(Default)]
pub(super) struct Accesses {
    found: HashMap<Op, Found>,
    /// By operation: whether nothing needs its results.
    unused: Vec<bool>,
}

/// An access whose places are a function of indices.
struct Found {
    base: Value,
    /// Extents of the tile.
    tile: Vec<usize>,
    /// Its leaves are values, and the dimensions along which these differ.
    function: AccessFunction<(Value, Option<usize>)>,
    /// Dimensions of the tile that the program has backwards.
    reversed: SmallVec<[usize; 2]>,
    /// Bits of the elements that are masked off.
    padding: u64,
}

impl Accesses {
    /// Those of a body.
    pub(super) fn find(module: &Module, body: &Body, machine: &TargetMachine) -> Accesses {
        let mut found = HashMap::default();
        let read = std::cell::OnceCell::new();
        for op in body.preorder() {
            if let Some(access) = find((module, body), op, machine, &|value| read.get_or_init(|| read_values(body))[value.index()]) {
                found.insert(op.id(), access);
            }
        }
        let unused = if found.is_empty() { Vec::new() } else { find_unused(module, body, &found) };
        Accesses { found, unused }
    }

    /// Whether nothing needs the results of an operation that only computes.
    pub(super) fn leaves_unused(&self, op: Op) -> bool {
        self.unused.get(op.index()).copied().unwrap_or(false)
    }
}

/// By operation: whether it only computes what is needed for accesses alone whose functions are known.
fn find_unused(module: &Module, body: &Body, found: &HashMap<Op, Found>) -> Vec<bool> {
    let (mut unused, mut needed) = (vec![false; body.num_ops()], vec![false; body.num_values()]);
    let ops: Vec<OpRef<'_>> = body.preorder().collect();
    for op in ops.into_iter().rev() {
        if only_computes(module, op) && !op.results().any(|result| needed[result.index()]) {
            unused[op.id().index()] = true;
            continue;
        }
        let mut need = |value: Value| needed[value.index()] = true;
        match found.get(&op.id()) {
            Some(access) => {
                need(access.base);
                access.function.leaves.iter().for_each(|(value, _)| need(*value));
                STORED.iter().flat_map(|name| op.operand_named(name)).copied().for_each(need);
            }
            None => op.operands().iter().copied().for_each(need),
        }
    }
    unused
}

/// The operands of stores and updates that hold what goes to memory.
const STORED: [&str; 2] = ["value", "arg"];

/// Whether an operation does nothing but give results.
fn only_computes(module: &Module, op: OpRef<'_>) -> bool {
    let shapes =
        matches!(op.opcode(), Opcode::Constant | Opcode::Iota | Opcode::Assume | Opcode::Reshape | Opcode::Broadcast | Opcode::Permute);
    shapes || elem_op(op, &module.tables.types).is_some()
}

/// The access function of an operation, if it has one that can be told.
fn find((module, body): (&Module, &Body), op: OpRef<'_>, machine: &TargetMachine, is_read: &dyn Fn(Value) -> bool) -> Option<Found> {
    let pointers = match op.opcode() {
        Opcode::LoadPtrTko => "source",
        Opcode::StorePtrTko => "destination",
        Opcode::AtomicRMWTko if adds_unread_floats(op, is_read) => "pointers",
        _ => return None,
    };
    if op.opcode() != Opcode::AtomicRMWTko && op.memory_ordering() != Some(MemoryOrderingSemantics::Weak) {
        return None;
    }
    let pointers = op.operand_named(pointers).first().copied()?;
    let tile = shape(module, body, pointers)?;
    if !lies_in_bytes(module, body, pointers) {
        return None;
    }
    let lanes = Lanes::of(&tile)?;
    let padding = match op.operand_named("paddingValue").first() {
        Some(padding) if op.opcode() == Opcode::LoadPtrTko => splat(module, body, *padding)?,
        _ => 0,
    };
    let divisible = machine.divides() && op.opcode() != Opcode::AtomicRMWTko;
    let trace = |lanes: &Lanes, divides| trace((module, body), op, pointers, lanes, divides);
    let find = |lanes: Lanes| {
        let divided = if divisible { divided(lanes.clone(), op, |lanes| trace(lanes, true)) } else { None };
        let (lanes, (base, function)) = match divided {
            Some(found) => found,
            None => trace(&lanes, false).map(|traced| (lanes, traced))?,
        };
        let tile = merge::tile(&lanes.tile, &lanes.extents, &function.extents);
        Some((Found { base, tile, function, reversed: lanes.reversed_dims(), padding }, lanes))
    };
    let (found, mut lanes) = find(lanes)?;
    let is_written = op.opcode() != Opcode::LoadPtrTko;
    if found.has_rows(is_written) {
        return Some(found);
    }
    // What is read backwards is read forwards and turned around.
    let backwards = found.backwards();
    if is_written || backwards.len() != lanes.extents.len() || !backwards.contains(&true) {
        return None;
    }
    lanes.reversed = backwards;
    find(lanes).map(|(found, _)| found).filter(|found| found.has_rows(false))
}

/// Dimensions of an access that stand side by side, from the first to the last.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Along {
    first: usize,
    last: usize,
}

/// A base, and where lanes lie behind it.
type Traced = (Value, AccessFunction<(Value, Option<usize>)>);

/// The base and the function of an access in which indices are divided, with the lanes that it names: in groups that have the same quotients, where lanes as they
/// are would have to be looked at one by one. `None` if these would, too.
fn divided(mut lanes: Lanes, op: OpRef<'_>, trace: impl Fn(&Lanes) -> Option<Traced>) -> Option<(Lanes, Traced)> {
    loop {
        let traced = trace(&lanes)?;
        if is_fast(op, &traced.1) {
            return Some((lanes, traced));
        }
        // Dimensions that were merged are not those that were asked for.
        let split = Some(&traced.1).filter(|function| function.extents == lanes.extents)?.split()?;
        lanes = lanes.split(split)?;
    }
}

/// Whether an access in which indices may be divided goes through memory in boxes that are not too small.
fn is_fast(op: OpRef<'_>, function: &AccessFunction<(Value, Option<usize>)>) -> bool {
    let is_written = op.opcode() != Opcode::LoadPtrTko;
    !function.divides() || {
        // Lanes that share a place are stored in their order, which is that of boxes only where lanes are a row.
        let is_ordered = !is_written || function.is_row(|(_, along)| along.is_none());
        // Those that the module does not tell are mostly extents of arrays (`plan/short_divisions.rs`).
        let usual = function.resolve(|_| None).or_else(|| function.resolve(|_| Some(USUAL_EXTENT)));
        is_ordered && usual.is_some_and(|resolved| resolved.has_long_runs(&function.extents, is_written))
    }
}

/// The base and the function of an access, in which indices may be divided.
fn trace((module, body): (&Module, &Body), op: OpRef<'_>, pointers: Value, lanes: &Lanes, divides: bool) -> Option<Traced> {
    let is_written = op.opcode() != Opcode::LoadPtrTko;
    let Lanes { extents, dims, reversed, .. } = lanes;
    let (nodes, leaves, conditions) = (Vec::new(), Vec::new(), Vec::new());
    let mut tracer = IndexTracer { module, body, extents, reversed, nodes, leaves, conditions, looks: 0, is_written, divides };
    let (base, offset) = tracer.pointers(pointers, dims)?;
    if let Some(mask) = op.operand_named("mask").first() {
        tracer.mask(*mask, dims)?;
    }
    let IndexTracer { nodes, leaves, conditions, .. } = tracer;
    let function = merge::merged(AccessFunction { extents: extents.clone(), nodes, leaves, offset: offset?, conditions })?;
    Some((base, function))
}

/// Whether an update adds floats and nothing reads what was there before. Sums of integers have ways of their own.
fn adds_unread_floats(op: OpRef<'_>, is_read: &dyn Fn(Value) -> bool) -> bool {
    let adds = matches!(op.attr(AttrName::Mode), AttrValue::Enum(wire) if AtomicRMWMode::from_wire(wire) == Some(AtomicRMWMode::Addf));
    adds && op.result(0).is_some_and(|old| !is_read(old))
}

/// The values that an operation reads.
fn read_values(body: &Body) -> Vec<bool> {
    let mut read = vec![false; body.num_values()];
    body.preorder().for_each(|op| op.operands().iter().for_each(|operand| read[operand.index()] = true));
    read
}

/// Whether pointers name elements that have an address each.
fn lies_in_bytes(module: &Module, body: &Body, pointers: Value) -> bool {
    let types = &module.tables.types;
    let pointee = types.as_tile(body.ty(pointers)).and_then(|(element, _)| match types.get(element) {
        TypeData::Pointer { pointee, .. } => types.scalar(*pointee),
        _ => None,
    });
    pointee.and_then(memory_bits).is_some_and(|bits| bits >= 8)
}

fn shape(module: &Module, body: &Body, value: Value) -> Option<Vec<usize>> {
    let (_, shape) = module.tables.types.as_tile(body.ty(value))?;
    shape.iter().map(|extent| usize::try_from(*extent).ok()).collect()
}

/// The bits that all elements of a constant have, however it is seen.
fn splat(module: &Module, body: &Body, mut value: Value) -> Option<u64> {
    loop {
        let op = body.defining_op(value)?;
        match op.opcode() {
            Opcode::Constant => return Constant::of(&module.tables, body, value, 1)?.elements.splat(),
            Opcode::Broadcast | Opcode::Reshape => value = op.operand(0)?,
            _ => return None,
        }
    }
}

impl Found {
    /// Whether lanes go through memory in rows, forwards; those that are `written` each at a place of its own.
    fn has_rows(&self, written: bool) -> bool {
        let (extents, leaves) = (&self.function.extents, &self.function.leaves);
        let gathered: SmallVec<[usize; 2]> = leaves.iter().filter_map(|(_, along)| *along).collect();
        let inner = extents.len() - 1;
        if gathered.iter().any(|dim| *dim == inner || *dim != gathered[0] || extents[inner] < SHORTEST_ROW) {
            return false;
        }
        // What is not known is mostly a stride, which is positive.
        let Some(resolved) = self.function.resolve(|_| Some(1)) else { return true };
        let is_fine = |dim: usize| gathered.contains(&dim) || resolved.offset.steps[dim] >= i64::from(written);
        (0..extents.len()).all(is_fine)
    }

    /// Along which dimensions lanes go through memory backwards, if what is not known is positive.
    fn backwards(&self) -> SmallVec<[bool; MAX_DIMS]> {
        let resolved = self.function.resolve(|_| Some(1));
        (0..self.function.extents.len()).map(|dim| resolved.as_ref().is_some_and(|resolved| resolved.offset.steps[dim] < 0)).collect()
    }
}

/// Follows the operations that compute an access.
struct IndexTracer<'m> {
    module: &'m Module,
    body: &'m Body,
    /// Those of the access.
    extents: &'m [usize],
    /// Which of these go backwards.
    reversed: &'m [bool],
    nodes: Vec<Node>,
    /// The dimensions along which a leaf differs are those of a row of its elements, one behind the other.
    leaves: Vec<(Value, Option<Along>)>,
    conditions: Vec<Condition>,
    looks: usize,
    /// Whether lanes with quotients of their index have a box for each.
    divides: bool,
    /// Whether lanes write: each at a place of its own, which those that a limit moves do not have.
    is_written: bool,
}

impl<'m> IndexTracer<'m> {
    fn look(&mut self) -> Option<()> {
        self.looks += 1;
        (self.looks <= MAX_LOOKS).then_some(())
    }

    /// A node, which may be there already: offsets and masks are computed of the same numbers.
    fn push(&mut self, bits: u32, index: Index) -> usize {
        let node = Node { bits, index };
        self.nodes.iter().position(|known| *known == node).unwrap_or_else(|| {
            self.nodes.push(node);
            self.nodes.len() - 1
        })
    }

    fn has_one_element(&self, value: Value) -> bool {
        shape(self.module, self.body, value).is_some_and(|shape| shape.iter().all(|extent| *extent == 1))
    }

    /// The base of pointers, and the node of how many elements they lie behind it, if there is one.
    fn pointers(&mut self, value: Value, dims: &Dims) -> Option<(Value, Option<usize>)> {
        self.look()?;
        if self.has_one_element(value) {
            return Some((value, None));
        }
        let op = self.body.defining_op(value)?;
        if let Some((source, dims)) = self.seen_through(op, dims) {
            return self.pointers(source, &dims);
        }
        let Some(ElemOp::Offset(_)) = elem_op(op, &self.module.tables.types) else { return None };
        let (base, before) = self.pointers(op.operand(0)?, dims)?;
        let (bits, offset) = self.number(op.operand(1)?, dims)?;
        let offset = if bits < 64 { self.push(64, Index::Resize { of: offset, signed: true }) } else { offset };
        let offset = match before {
            Some(before) => self.push(64, Index::Add(before, offset)),
            None => offset,
        };
        Some((base, Some(offset)))
    }

    /// The bits and the node of an integer.
    fn number(&mut self, value: Value, dims: &Dims) -> Option<(u32, usize)> {
        self.look()?;
        let types = &self.module.tables.types;
        let (element, _) = types.as_tile(self.body.ty(value))?;
        let bits = match types.scalar(element)? {
            Scalar::I8 => 8,
            Scalar::I16 => 16,
            Scalar::I32 => 32,
            Scalar::I64 => 64,
            _ => return None,
        };
        let (nodes, leaves) = (self.nodes.len(), self.leaves.len());
        let node = match self.computed(value, bits, dims) {
            Some(node) => node,
            None => {
                self.nodes.truncate(nodes);
                self.leaves.truncate(leaves);
                self.leaf(value, bits, dims)?
            }
        };
        Some((bits, node))
    }

    /// The node of an integer that is computed of others.
    fn computed(&mut self, value: Value, bits: u32, dims: &Dims) -> Option<usize> {
        let op = self.body.defining_op(value)?;
        if let Some((source, dims)) = self.seen_through(op, dims) {
            return Some(self.number(source, &dims)?.1);
        }
        match op.opcode() {
            Opcode::Constant => {
                let elements = Constant::of(&self.module.tables, self.body, value, 1)?.elements;
                return Some(self.push(bits, Index::Constant(wrap(elements.splat()?.cast_signed(), bits))));
            }
            Opcode::Iota => {
                return self.iota(bits, dims.first()?);
            }
            _ => {}
        }
        let index = match elem_op(op, &self.module.tables.types)? {
            ElemOp::AddI => Index::Add(self.number(op.operand(0)?, dims)?.1, self.number(op.operand(1)?, dims)?.1),
            ElemOp::SubI => Index::Sub(self.number(op.operand(0)?, dims)?.1, self.number(op.operand(1)?, dims)?.1),
            ElemOp::MulI => {
                let (a, b) = (self.number(op.operand(0)?, dims)?.1, self.number(op.operand(1)?, dims)?.1);
                let is_constant = |node: usize| matches!(self.nodes[node].index, Index::Constant(_));
                // What a block multiplies once for all lanes, it may multiply of itself.
                if self.has_one_element(value) && !is_constant(a) && !is_constant(b) {
                    return None;
                }
                Index::Mul(a, b)
            }
            ElemOp::NegI => {
                let zero = self.push(bits, Index::Constant(0));
                Index::Sub(zero, self.number(op.operand(0)?, dims)?.1)
            }
            ElemOp::MinI(true) | ElemOp::MaxI(true) if !self.is_written && !self.has_one_element(value) => {
                let of = [self.number(op.operand(0)?, dims)?.1, self.number(op.operand(1)?, dims)?.1];
                let choices = self.nodes.iter().filter(|node| matches!(node.index, Index::Extreme { .. })).count();
                // Of rows that lie anywhere, each would have a form of its own.
                if choices == MAX_CHOICES || of.into_iter().any(|node| self.has_rows(node)) {
                    return None;
                }
                Index::Extreme { larger: matches!(elem_op(op, &self.module.tables.types)?, ElemOp::MaxI(_)), of }
            }
            ElemOp::DivI(signed, rounding) if rounding != RoundingMode::PositiveInf => {
                self.part(op, DivisionPart::Quotient { signed, rounding }, dims)?
            }
            ElemOp::RemI(signed) => self.part(op, DivisionPart::Remainder { signed }, dims)?,
            ElemOp::Select => self.part(self.floor_remainder(op)?, DivisionPart::FloorRemainder, dims)?,
            ElemOp::ExtI(signed) => Index::Resize { of: self.number(op.operand(0)?, dims)?.1, signed },
            ElemOp::TruncI => Index::Resize { of: self.number(op.operand(0)?, dims)?.1, signed: true },
            _ => return None,
        };
        Some(self.push(bits, index))
    }

    /// The node of the indices along a dimension of a value: where lanes go backwards, what is left up to the last one.
    fn iota(&mut self, bits: u32, index: &[(usize, i64)]) -> Option<usize> {
        if index.is_empty() {
            return Some(self.push(bits, Index::Constant(0)));
        }
        let last = |(dim, times): &(usize, i64)| times.checked_mul(self.extents[*dim] as i64 - 1);
        let from = index.iter().filter(|(dim, _)| self.reversed[*dim]).try_fold(0i64, |from, lane| from.checked_add(last(lane)?))?;
        let lanes = index.iter().map(|(dim, times)| (*dim, if self.reversed[*dim] { -times } else { *times })).collect();
        let lanes = self.push(bits, Index::Lane(lanes));
        if from == 0 {
            return Some(lanes);
        }
        let from = self.push(bits, Index::Constant(wrap(from, bits)));
        Some(self.push(bits, Index::Add(from, lanes)))
    }

    /// Whether a node has leaves that differ along a dimension.
    fn has_rows(&self, node: usize) -> bool {
        match &self.nodes[node].index {
            Index::Leaf(leaf) => self.leaves[*leaf].1.is_some(),
            _ => self.nodes[node].operands().iter().any(|operand| self.has_rows(*operand)),
        }
    }

    /// Whether a node has multiples of the lane's indices.
    fn moves(&self, node: usize) -> bool {
        let node = &self.nodes[node];
        matches!(node.index, Index::Lane(_)) || node.operands().iter().any(|operand| self.moves(*operand))
    }

    /// The node of an integer that is the same for all lanes, or depends on their indices along dimensions side by side, whose lanes have its elements in
    /// their order.
    fn leaf(&mut self, value: Value, bits: u32, dims: &Dims) -> Option<usize> {
        let along = if self.has_one_element(value) { None } else { Some(self.along(value, dims)?) };
        let known = self.leaves.iter().position(|leaf| *leaf == (value, along));
        let leaf = known.unwrap_or_else(|| {
            self.leaves.push((value, along));
            self.leaves.len() - 1
        });
        Some(self.push(bits, Index::Leaf(leaf)))
    }

    /// The dimensions of the access whose lanes have the elements of a value in their order.
    fn along(&self, value: Value, dims: &Dims) -> Option<Along> {
        let shape = shape(self.module, self.body, value)?;
        let mut pitches = [0i64; MAX_DIMS];
        for (index, pitch) in dims.iter().zip(row_major(&shape)) {
            for (dim, times) in index {
                pitches[*dim] = times.checked_mul(i64::try_from(pitch).ok()?)?.checked_add(pitches[*dim])?;
            }
        }
        let dims = 0..self.extents.len();
        let (first, last) = (dims.clone().position(|dim| pitches[dim] != 0)?, dims.rev().find(|dim| pitches[*dim] != 0)?);
        let goes_on = |dim: usize| follows(&pitches, self.extents, dim);
        let is_forwards = (first..=last).all(|dim| !self.reversed[dim]);
        (is_forwards && pitches[last] == 1 && (first + 1..=last).all(goes_on)).then_some(Along { first, last })
    }

    /// What an operation sees otherwise, and the indices along its dimensions.
    fn seen_through(&self, op: OpRef<'m>, dims: &Dims) -> Option<(Value, Dims)> {
        let source = op.operand(0)?;
        let dims = match op.opcode() {
            Opcode::Assume => dims.clone(),
            Opcode::Broadcast => {
                let from = shape(self.module, self.body, source)?;
                from.iter().zip(dims).map(|(extent, index)| if *extent == 1 { SmallVec::new() } else { index.clone() }).collect()
            }
            Opcode::Reshape => {
                let (from, to) = (shape(self.module, self.body, source)?, shape(self.module, self.body, op.result(0)?)?);
                reshaped(&from, &to, dims)?
            }
            Opcode::Permute => {
                let attr = op.compound(AttrName::Permutation).map(|attr| self.module.tables.attrs.get(attr));
                let Some(AttrData::I32Array(permutation)) = attr else { return None };
                let mut from = Dims::from_elem(SmallVec::new(), dims.len());
                for (to, dim) in permutation.iter().enumerate() {
                    *from.get_mut(usize::try_from(*dim).ok()?)? = dims.get(to)?.clone();
                }
                from
            }
            _ => return None,
        };
        Some((source, dims))
    }

    /// Adds the conditions of which a mask is made.
    fn mask(&mut self, value: Value, dims: &Dims) -> Option<()> {
        self.look()?;
        let op = self.body.defining_op(value)?;
        if let Some((source, dims)) = self.seen_through(op, dims) {
            return self.mask(source, &dims);
        }
        if op.opcode() == Opcode::Constant {
            return (splat(self.module, self.body, value)? == 1).then_some(());
        }
        match elem_op(op, &self.module.tables.types)? {
            ElemOp::And => {
                self.mask(op.operand(0)?, dims)?;
                self.mask(op.operand(1)?, dims)
            }
            ElemOp::CmpI(predicate, signed) if predicate != ComparisonPredicate::NotEqual => {
                let (lhs, rhs) = (self.number(op.operand(0)?, dims)?.1, self.number(op.operand(1)?, dims)?.1);
                self.conditions.push(Condition { predicate, signed, lhs, rhs });
                Some(())
            }
            _ => None,
        }
    }
}

/// The indices along the dimensions of a tile that is seen in another shape; `None` if they are no sums of those in that shape.
fn reshaped(from: &[usize], to: &[usize], dims: &Dims) -> Option<Dims> {
    let mut left = to.iter().zip(dims).rev().filter(|(extent, _)| **extent > 1);
    let mut reversed = Dims::new();
    for &extent in from.iter().rev() {
        let (mut index, mut covered) = (SmallVec::new(), 1);
        while covered < extent {
            let (inner, of_inner) = left.next()?;
            for (dim, times) in of_inner {
                index.push((*dim, times.checked_mul(i64::try_from(covered).ok()?)?));
            }
            covered = covered.checked_mul(*inner)?;
        }
        if covered != extent {
            return None;
        }
        reversed.push(index);
    }
    reversed.reverse();
    Some(reversed)
}

impl<'m> Lowerer<'m> {
    /// An access to elements of this type through its access function, if that is known.
    pub(super) fn access_function(&mut self, op: OpRef<'m>, elem: Elem) -> Result<Option<Box<ViewAccess>>, PlanError> {
        let Some(found) = self.accesses.found.remove(&op.id()) else { return Ok(None) };
        let Elem::Num(element) = elem else { return Err(self.malformed("memory must hold numbers".to_owned())) };
        let Found { base, tile, function: AccessFunction { extents, nodes, leaves: values, offset, conditions }, reversed, padding } =
            found;
        let (base, mut leaves) = (self.one_of(base)?, Vec::with_capacity(values.len()));
        for (value, along) in values {
            let tile = match along {
                Some(_) => {
                    let tile = self.tile(value)?;
                    self.in_order(tile)
                }
                None => self.one_of(value)?,
            };
            let is_block_id = self.body.defining_op(value).is_some_and(|op| op.opcode() == Opcode::GetTileBlockId);
            leaves.push(Leaf { tile, along, is_block_id });
        }
        let places = Placement::Computed(Box::new(AccessFunction { extents, nodes, leaves, offset, conditions }));
        let (size, order) = (elem.size(), self.order(op)?);
        Ok(Some(Box::new(ViewAccess { base, element, size, packed: false, tile, reversed, places, padding, order, fixed: None })))
    }

    /// The element of a tile that has one.
    fn one_of(&self, value: Value) -> Result<Tile, PlanError> {
        Ok(Tile { shape: PerDim::new(), strides: PerDim::new(), ..self.tile(value)? })
    }
}
