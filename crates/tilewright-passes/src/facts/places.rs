//! Which memory accesses may overlap.

use super::{IntegerFacts, Range};
use tilewright_ir::{AttrData, AttrName, AttrValue, Body, DYNAMIC, Op, OpRef, Opcode, Str, Tables, TypeData, Value, ValueDef};

/// What a pointer or a view leads to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Base {
    /// A parameter of the function: memory of the host, or a global.
    Parameter(Value),
    /// A global of the module.
    Global(Str),
    /// Memory of an `alloca`.
    Alloca(Op),
    /// Anything: it was loaded, made of integers, or comes from several places.
    Unknown,
}

/// Whether two accesses touch the same bytes, in the same iteration of all loops around both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Overlap {
    /// No byte.
    Never,
    /// Each element of one the same element of the other.
    Same,
    /// Perhaps.
    May,
}

/// The memory that the accesses of a function touch: read off the function and the facts about it, with nothing of its own to be kept.
#[derive(Clone, Copy)]
pub struct Places<'m> {
    tables: &'m Tables,
    body: &'m Body,
    facts: &'m IntegerFacts,
}

/// How many operations a pointer is followed through: passes ask for each access, and compare it with many others.
const MAX_STEPS: usize = 64;

impl<'m> Places<'m> {
    /// Of a function of a verified module, with the facts about it.
    pub fn new(tables: &'m Tables, body: &'m Body, facts: &'m IntegerFacts) -> Places<'m> {
        Places { tables, body, facts }
    }

    /// The body of the function.
    pub(crate) fn body(&self) -> &'m Body {
        self.body
    }

    /// The pointer or view through which an operation accesses memory; `None` if it accesses none.
    pub fn target(op: OpRef<'_>) -> Option<Value> {
        let name = match op.opcode() {
            Opcode::LoadPtrTko => "source",
            Opcode::StorePtrTko => "destination",
            Opcode::AtomicRMWTko | Opcode::AtomicCASTko => "pointers",
            Opcode::LoadViewTko
            | Opcode::StoreViewTko
            | Opcode::AtomicRedViewTko
            | Opcode::MultimemLoadReduceViewTko
            | Opcode::MultimemReduceViewTko
            | Opcode::MultimemStoreViewTko => "view",
            _ => return None,
        };
        op.operand_named(name).first().copied()
    }

    /// What a pointer, a tile of pointers, or a view leads to.
    pub fn base(&self, value: Value) -> Base {
        let mut value = value;
        for _ in 0..MAX_STEPS {
            let op = match self.body.value_def(value) {
                ValueDef::Result(op, _) => self.body.op(op),
                ValueDef::Argument(block, _) if Some(block) == self.body.entry_block() => return Base::Parameter(value),
                ValueDef::Argument(..) => return Base::Unknown,
            };
            match op.opcode() {
                Opcode::GetGlobal => {
                    return match op.attr(AttrName::Name) {
                        AttrValue::Str(name) => Base::Global(name),
                        _ => Base::Unknown,
                    };
                }
                Opcode::Alloca => return Base::Alloca(op.id()),
                Opcode::Offset
                | Opcode::PtrToPtr
                | Opcode::Assume
                | Opcode::Reshape
                | Opcode::Broadcast
                | Opcode::Permute
                | Opcode::Extract
                | Opcode::MakeTensorView
                | Opcode::MakePartitionView
                | Opcode::MakeStridedView
                | Opcode::MakeGatherScatterView => match op.operand(0) {
                    Some(source) => value = source,
                    None => return Base::Unknown,
                },
                _ => return Base::Unknown,
            }
        }
        Base::Unknown
    }

    /// Whether two accesses overlap. An operation that accesses no memory overlaps nothing.
    pub fn overlap(&self, a: OpRef<'_>, b: OpRef<'_>) -> Overlap {
        let (Some(first), Some(second)) = (Places::target(a), Places::target(b)) else { return Overlap::Never };
        if apart(self.base(first), self.base(second)) {
            return Overlap::Never;
        }
        match (self.tile_of_view(a, first), self.tile_of_view(b, second)) {
            (Some(first), Some(second)) => self.tiles(a, b, first, second),
            // Two tiles of pointers.
            (None, None) => self.pointers(a, b, first, second),
            _ => Overlap::May,
        }
    }

    /// Whether an access through a view reaches no element outside of the tensor: the operation promises so, or extents and indices are
    /// known.
    pub fn is_in_bounds(&self, op: OpRef<'_>) -> bool {
        let types = &self.tables.types;
        let promise = op.def().attr_index(AttrName::Inbounds).and_then(|_| op.compound(AttrName::Inbounds));
        if let Some(AttrData::BoolArray(dims)) = promise.map(|promise| self.tables.attrs.get(promise))
            && !dims.is_empty()
            && dims.iter().all(|dim| *dim)
        {
            return true;
        }
        let Some(TypeData::PartitionView { tile, tensor_view, dim_map, .. }) =
            op.operand_named("view").first().map(|view| types.get(self.body.ty(*view)))
        else {
            return false;
        };
        let TypeData::TensorView { shape, .. } = types.get(*tensor_view) else { return false };
        let index = |value: Value| op.block().and_then(|block| self.facts.at(value, block)).and_then(|fact| fact.range);
        let mut dims = op.operand_named("index").iter().zip(tile).zip(dim_map);
        dims.all(|((value, tile), dim)| match (index(*value), shape[*dim as usize]) {
            (Some(range), extent) if extent != DYNAMIC => {
                (u128::from(range.umax()) + 1) * u128::from(tile.unsigned_abs()) <= extent as u128
            }
            _ => false,
        })
    }

    /// The view that an access goes through, without promises about its tensor: the type of the view, and the tensor.
    fn tile_of_view(&self, op: OpRef<'_>, view: Value) -> Option<(tilewright_ir::Type, Value)> {
        if op.operand_named("index").is_empty() {
            return None;
        }
        let mut tensor = self.body.defining_op(view)?.operand(0)?;
        while let Some(op) = self.body.defining_op(tensor).filter(|op| op.opcode() == Opcode::Assume) {
            tensor = op.operand(0)?;
        }
        Some((self.body.ty(view), tensor))
    }

    /// Tiles of one tensor are the same if their indices are, and lie apart if an index does, where no two places of the tensor are one
    /// in memory.
    fn tiles(&self, a: OpRef<'_>, b: OpRef<'_>, first: (tilewright_ir::Type, Value), second: (tilewright_ir::Type, Value)) -> Overlap {
        if first != second {
            return Overlap::May;
        }
        let types = &self.tables.types;
        let (indices, others) = (a.operand_named("index"), b.operand_named("index"));
        if indices == others {
            return Overlap::Same;
        }
        let TypeData::PartitionView { .. } = types.get(first.0) else { return Overlap::May };
        let places = |op: OpRef<'_>, index: Value| op.block().and_then(|block| self.facts.at(index, block)).and_then(|fact| fact.range);
        let lie_apart = indices.iter().zip(others).any(|(x, y)| match (places(a, *x), places(b, *y)) {
            (Some(x), Some(y)) => x.umax() < y.umin() || y.umax() < x.umin(),
            _ => false,
        });
        if lie_apart && self.has_distinct_places(first.1) { Overlap::Never } else { Overlap::May }
    }

    /// Whether no two coordinates of a tensor are the same place: its strides are known, and each is past the end of the dimensions with
    /// smaller ones.
    fn has_distinct_places(&self, tensor: Value) -> bool {
        let TypeData::TensorView { shape, strides, .. } = self.tables.types.get(self.body.ty(tensor)) else { return false };
        let mut dims: Vec<(i64, i64)> = strides.iter().copied().zip(shape.iter().copied()).collect();
        dims.sort_unstable();
        let mut end = 1i64;
        for (i, (stride, extent)) in dims.iter().enumerate() {
            if *stride == DYNAMIC || *stride < end {
                return false;
            }
            if i + 1 == dims.len() {
                return true;
            }
            // The next stride must be past the last element of this dimension.
            let last = if *extent == DYNAMIC { None } else { stride.checked_mul(*extent) };
            let Some(last) = last else { return false };
            end = last;
        }
        true
    }

    /// Tiles of pointers lie apart if the bytes from one root do; they are the same if they are one value.
    fn pointers(&self, a: OpRef<'_>, b: OpRef<'_>, first: Value, second: Value) -> Overlap {
        if first == second && a.operand_named("mask") == b.operand_named("mask") {
            return Overlap::Same;
        }
        let (Some((root, span)), Some((other_root, other))) = (self.span(a, first), self.span(b, second)) else { return Overlap::May };
        if root == other_root && (span.1 <= other.0 || other.1 <= span.0) { Overlap::Never } else { Overlap::May }
    }

    /// The pointer that a tile of pointers was made of, and the bytes that an access touches, counted from there: the first, and the one
    /// behind the last.
    fn span(&self, op: OpRef<'_>, pointers: Value) -> Option<(Value, (i128, i128))> {
        let types = &self.tables.types;
        let size = |value: Value| {
            let (element, _) = types.as_tile(self.body.ty(value))?;
            let TypeData::Pointer { pointee, .. } = types.get(element) else { return None };
            let bits = crate::elem::memory_bits(types.scalar(*pointee)?)?;
            (bits % 8 == 0).then_some(i128::from(bits / 8))
        };
        let mut span = (0, size(pointers)?);
        let mut value = pointers;
        for _ in 0..MAX_STEPS {
            let Some(maker) = self.body.defining_op(value) else { return Some((value, span)) };
            match maker.opcode() {
                Opcode::Offset => {
                    let index: Range = self.facts.at(maker.operand(1)?, op.block()?)?.range?;
                    let bytes = size(value)?;
                    span = (span.0 + i128::from(index.smin()) * bytes, span.1 + i128::from(index.smax()) * bytes);
                    // Addresses that might wrap around say nothing.
                    if span.0.abs().max(span.1.abs()) >= 1 << 62 {
                        return None;
                    }
                    value = maker.operand(0)?;
                }
                Opcode::PtrToPtr | Opcode::Assume | Opcode::Reshape | Opcode::Broadcast => value = maker.operand(0)?,
                _ => {
                    // A tile of different pointers is no root.
                    let (_, shape) = types.as_tile(self.body.ty(value))?;
                    return shape.iter().all(|extent| *extent == 1).then_some((value, span));
                }
            }
        }
        None
    }
}

/// Whether what two pointers lead to never overlaps.
fn apart(a: Base, b: Base) -> bool {
    match (a, b) {
        (Base::Global(a), Base::Global(b)) => a != b,
        (Base::Alloca(a), Base::Alloca(b)) => a != b,
        // The host knows no address of an alloca, and globals lie elsewhere.
        (Base::Alloca(_), Base::Parameter(_) | Base::Global(_)) | (Base::Parameter(_) | Base::Global(_), Base::Alloca(_)) => true,
        _ => false,
    }
}
