//! Views: how they are made, what is asked of them, and accesses through them.

use super::{At, Verifier, facts::TensorFacts, rules};
use crate::{
    AttrData, AttrName, AttrValue, MultimemReductionKind, Opcode, PtrAttr, Scalar, Type, TypeData,
    ops::{TypeSet, pairs},
};

/// A view type, whatever its kind.
#[derive(Clone, Copy)]
pub(super) struct View<'m> {
    tile: &'m [i32],
    tensor_view: Type,
    element: Type,
    attr: Option<PtrAttr>,
    sparse_dim: Option<u32>,
}

impl<'m> Verifier<'m> {
    /// The parts of a view.
    fn view(&self, ty: Type) -> Option<View<'m>> {
        let types = &self.module.tables.types;
        let (tile, tensor_view, sparse_dim) = match types.get(ty) {
            TypeData::PartitionView { tile, tensor_view, .. } | TypeData::StridedView { tile, tensor_view, .. } => {
                (tile, *tensor_view, None)
            }
            TypeData::GatherScatterView { tile, tensor_view, sparse_dim, .. } => (tile, *tensor_view, Some(*sparse_dim)),
            _ => return None,
        };
        let TypeData::TensorView { element, attr, .. } = types.get(tensor_view) else { return None };
        Some(View { tile, tensor_view, element: *element, attr: *attr, sparse_dim })
    }

    /// What is known of a `tensor_view`.
    fn tensor(&self, ty: Type) -> TensorFacts {
        self.types.get(ty.index()).map_or_else(TensorFacts::default, |facts| facts.tensor)
    }

    /// Operations that make views or ask for their shape.
    pub(super) fn view_definition(&mut self, at: At<'m>) {
        let (Some(source), result) = (at.operand_type(0), at.result_type(0)) else { return };
        match (at.op.opcode(), result) {
            (Opcode::MakeTensorView, Some(result)) => self.tensor_view(at, source, result),
            (Opcode::GetTensorShape, _) => {
                let TypeData::TensorView { shape, .. } = self.module.tables.types.get(source) else { return };
                self.shape_results(at, shape.len());
            }
            (Opcode::GetIndexSpaceShape, _) => {
                let Some(view) = self.view(source) else { return };
                self.shape_results(at, view.tile.len());
            }
            (_, Some(result)) => {
                let Some(view) = self.view(result) else { return };
                self.require(view.tensor_view == source, &rules::VIEW_SOURCE, at, |v| {
                    format!("the view is one of {}, found {}", v.text(view.tensor_view), v.text(source))
                });
            }
            _ => {}
        }
    }

    fn shape_results(&mut self, at: At<'m>, expected: usize) {
        let found = at.op.results().len();
        self.require(expected == found, &rules::VIEW_RESULTS, at, |_| {
            format!("expected {expected} results, one for each dimension, found {found}")
        });
    }

    fn tensor_view(&mut self, at: At<'m>, base: Type, result: Type) {
        let types = &self.module.tables.types;
        let TypeData::TensorView { element, attr, .. } = types.get(result) else { return };
        let TypeData::Pointer { pointee, attr: pointer_attr } = types.get(self.tile(base).element) else { return };
        self.require(pointee == element && pointer_attr == attr, &rules::TENSOR_VIEW_POINTER, at, |v| {
            format!("a {} needs a pointer to its elements, found {}", v.text(result), v.text(base))
        });
        let [extents, strides] = self.tensor(result).dynamic;
        for (group, what, expected) in [(1, "extents", extents), (2, "strides", strides)] {
            let found = at.op.operand_group(group).len() as u32;
            self.require(expected == found, &rules::TENSOR_VIEW_DYNAMIC, at, |v| {
                format!("{} has {expected} dynamic {what}, found {found}", v.text(result))
            });
        }
        let mut numbers = at.operand_types().skip(1);
        if let Some(first) = numbers.next()
            && let Some(other) = numbers.find(|ty| *ty != first)
        {
            let message = format!("dynamic extents and strides must have one type, found {} and {}", self.text(first), self.text(other));
            self.report(&rules::TENSOR_VIEW_INDEX, Some(at), message);
        }
    }

    /// Operations that load, store or reduce a tile.
    pub(super) fn view_access(&mut self, at: At<'m>) {
        let Some((view_type, view)) =
            at.op.operand_named("view").first().map(|value| at.op.body().ty(*value)).and_then(|ty| Some((ty, self.view(ty)?)))
        else {
            return;
        };
        let tile = match at.op.opcode() {
            Opcode::LoadViewTko | Opcode::MultimemLoadReduceViewTko => at.result_type(0),
            Opcode::AtomicRedViewTko => at.types_of(at.op.operand_named("value")).next(),
            _ => at.types_of(at.op.operand_named("tile")).next(),
        };
        if let Some(tile) = tile {
            self.view_tile(at, view_type, view, tile);
        }
        self.indices(at, view);
        self.inbounds(at);
        let multimem = is_multimem(at.op.opcode());
        self.require(multimem || view.attr != Some(PtrAttr::Multicast), &rules::MULTICAST_ACCESS, at, |v| {
            format!("multicast memory is for multimem operations, found {}", v.text(view_type))
        });
        match at.op.opcode() {
            Opcode::LoadViewTko | Opcode::StoreViewTko => {
                self.scope(at);
                self.packing(at, view);
            }
            Opcode::AtomicRedViewTko => self.reduction(at, view_type),
            _ => self.multimem(at, view_type, view),
        }
    }

    fn view_tile(&mut self, at: At<'m>, view_type: Type, view: View<'m>, found: Type) {
        let tile = self.tile(found);
        let same = self.once(view.tile.len(), (at.op.opcode(), [view_type, found, found], 0), || {
            tile.element == view.element && view.tile.iter().map(|n| i64::from(*n)).eq(tile.shape.iter().copied())
        });
        self.require(same, &rules::VIEW_TILE, at, |v| {
            format!("the tile must be one of the view, {}, found {}", v.text(view_type), v.text(found))
        });
    }

    /// One index for each dimension, all scalars of one type, but for the one of a sparse dimension.
    fn indices(&mut self, at: At<'m>, view: View<'m>) {
        let indices = at.op.operand_named("index");
        let (expected, found) = (view.tile.len(), indices.len());
        if expected != found {
            return self.report(
                &rules::INDEX_COUNT,
                Some(at),
                format!("expected {expected} indices, one for each dimension, found {found}"),
            );
        }
        let mut first = None;
        for (i, ty) in at.types_of(indices).enumerate() {
            if view.sparse_dim == Some(i as u32) {
                self.sparse_index(at, i, view.tile[i], ty);
                continue;
            }
            // Reductions take indices of different types, as the official tools do.
            let first = if at.op.opcode() == Opcode::AtomicRedViewTko { ty } else { *first.get_or_insert(ty) };
            self.require(ty == first && self.tile(ty).shape.is_empty(), &rules::INDEX_TYPE, at, |v| {
                format!("index {i} must be a tile of rank 0 and of the type of the others, {}, found {}", v.text(first), v.text(ty))
            });
        }
    }

    fn sparse_index(&mut self, at: At<'m>, i: usize, extent: i32, ty: Type) {
        let holds = self.tile(ty).shape == [i64::from(extent)];
        self.require(holds, &rules::INDEX_TYPE, at, |v| {
            format!("index {i}, of the sparse dimension, must be a tile of {extent} numbers, found {}", v.text(ty))
        });
    }

    /// As many promises as dimensions.
    fn inbounds(&mut self, at: At<'m>) {
        let Some(AttrData::BoolArray(promises)) = at.op.compound(AttrName::Inbounds).and_then(|attr| self.attr(attr)) else { return };
        let (expected, found) = (at.op.operand_named("index").len(), promises.len());
        self.require(expected == found, &rules::INBOUNDS, at, |_| {
            format!("inbounds needs {expected} values, one for each dimension, found {found}")
        });
    }

    /// Two numbers of f4E2M1FN share a byte: the dimension they lie in must be known, and is not the sparse one.
    fn packing(&mut self, at: At<'m>, view: View<'m>) {
        if self.module.tables.types.scalar(view.element) != Some(Scalar::F4E2M1FN) {
            return;
        }
        let TensorFacts { units, packed, .. } = self.tensor(view.tensor_view);
        self.require(units == 1, &rules::PACKING_DIMENSION, at, |_| {
            format!("{} needs one static stride of 1, found {units}", Scalar::F4E2M1FN)
        });
        self.require(units != 1 || packed != view.sparse_dim, &rules::PACKING_DIMENSION, at, |_| {
            format!("the dimension of stride 1 cannot be the sparse dimension of {}", Scalar::F4E2M1FN)
        });
    }

    fn reduction(&mut self, at: At<'m>, view_type: Type) {
        let holds = !self.is(TypeSet::GATHER_SCATTER_VIEW, view_type);
        self.require(holds, &rules::REDUCTION_VIEW, at, |v| {
            format!("a reduction needs a partition_view or strided_view, found {}", v.text(view_type))
        });
        if let Some(ty) = at.types_of(at.op.operand_named("value")).next() {
            self.atomic_mode(at, self.tile(ty));
        }
    }

    fn multimem(&mut self, at: At<'m>, view_type: Type, view: View<'m>) {
        let holds = self.is(TypeSet::PARTITION_VIEW, view_type) && view.attr == Some(PtrAttr::Multicast);
        self.require(holds, &rules::MULTIMEM_VIEW, at, |v| {
            format!("expected a partition_view of multicast memory, found {}", v.text(view_type))
        });
        if at.op.opcode() != Opcode::MultimemReduceViewTko {
            self.scope(at);
        }
        let Some(scalar) = self.module.tables.types.scalar(view.element) else { return };
        let known = pairs::is_multimem(scalar);
        self.require(known, &rules::MULTIMEM_TYPE, at, |_| {
            format!("multimem operations work on i32, i64, f16, bf16, f32 and f64, found {scalar}")
        });
        let halves = matches!(scalar, Scalar::F16 | Scalar::Bf16);
        let units = self.tensor(view.tensor_view).units;
        self.require(!halves || units == 1, &rules::MULTIMEM_TYPE, at, |_| format!("{scalar} needs one static stride of 1, found {units}"));
        let bits = u64::from(scalar.bits()).saturating_mul(self.elements(view_type));
        self.require(scalar.is_int() || bits.is_multiple_of(32), &rules::MULTIMEM_SIZE, at, |_| {
            format!("a tile of {scalar} must have a multiple of 32 bits, found {bits}")
        });
        if let AttrValue::Enum(wire) = at.op.attr(AttrName::Reduction)
            && let Some(kind) = MultimemReductionKind::from_wire(wire)
        {
            let holds = !known || pairs::multimem_combines(at.op.opcode(), kind, scalar);
            self.require(holds, &rules::MULTIMEM_TYPE, at, |_| format!("{} does not combine {scalar} here", kind.keyword()));
        }
    }
}

fn is_multimem(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::MultimemLoadReduceViewTko | Opcode::MultimemReduceViewTko | Opcode::MultimemStoreViewTko)
}
