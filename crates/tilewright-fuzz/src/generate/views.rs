//! Views: how they are made, what is asked of them, and accesses through them.

use super::{Generator, plan::Plan, types::Need};
use tilewright_ir::{
    AttrName, AttrValue, DYNAMIC, MultimemReductionKind, Opcode, PaddingValue, PtrAttr, Scalar, Type, TypeData, TypeTable, Version,
    ops::{
        TypeSet,
        pairs::{is_multimem, multimem_combines},
    },
};

/// The kinds of views.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Partition,
    Strided,
    GatherScatter,
}

/// What a view must be.
struct Wanted {
    element: Scalar,
    attr: Option<PtrAttr>,
    kind: Kind,
    /// Whether exactly one stride must be 1, and known, and two elements or more make a tile.
    paired: bool,
}

impl Generator<'_, '_> {
    pub(super) fn view_plan(&mut self, opcode: Opcode) -> Plan {
        match opcode {
            Opcode::MakeTensorView => {
                let ty = self.any_tensor_view();
                self.tensor_view_plan(ty)
            }
            Opcode::MakePartitionView => self.make_view(opcode, Kind::Partition),
            Opcode::MakeStridedView => self.make_view(opcode, Kind::Strided),
            Opcode::MakeGatherScatterView => self.make_view(opcode, Kind::GatherScatter),
            Opcode::GetTensorShape => {
                let rank = if self.source.one_in(24) { 0 } else { 1 + self.source.below(3) };
                let (element, attr) = (self.stored_scalar(), self.memory_property(true));
                let ty = self.tensor_view(element, attr, rank, None);
                self.ask(opcode, ty, rank)
            }
            Opcode::GetIndexSpaceShape => {
                let ty = self.any_view();
                let rank = self.rank_of(self.tensor_of(ty));
                self.ask(opcode, ty, rank)
            }
            _ => self.access(opcode),
        }
    }

    /// An operation that gives a number for each dimension.
    fn ask(&mut self, opcode: Opcode, ty: Type, rank: usize) -> Plan {
        let number = self.any_scalar_tile(TypeSet::INT);
        Plan::new(opcode).operand("src", ty).results(&vec![number; rank])
    }

    fn make_view(&mut self, opcode: Opcode, kind: Kind) -> Plan {
        let (element, attr) = (self.stored_scalar(), self.memory_property(true));
        let ty = self.view(&Wanted { element, attr, kind, paired: false });
        Plan::new(opcode).operand("tensor_view", self.tensor_of(ty)).result(ty)
    }

    fn any_view(&mut self) -> Type {
        let (element, attr, kind) = (self.stored_scalar(), self.memory_property(true), self.kind(true));
        self.view(&Wanted { element, attr, kind, paired: false })
    }

    fn kind(&mut self, sparse: bool) -> Kind {
        let kinds = match (self.version() >= Version::V13_3, sparse) {
            (false, _) => &[Kind::Partition][..],
            (true, false) => &[Kind::Partition, Kind::Strided],
            (true, true) => &[Kind::Partition, Kind::Strided, Kind::GatherScatter],
        };
        self.source.pick(kinds)
    }

    pub(super) fn any_tensor_view(&mut self) -> Type {
        let (element, attr) = (self.stored_scalar(), self.memory_property(true));
        let rank = self.source.pick(&[1, 2, 0, 3, 1, 2]);
        self.tensor_view(element, attr, rank, None)
    }

    /// A tensor view; `unit`: the only dimension with a stride that is known to be 1.
    fn tensor_view(&mut self, element: Scalar, attr: Option<PtrAttr>, rank: usize, unit: Option<usize>) -> Type {
        let shape = (0..rank).map(|_| self.extent(1)).collect();
        let strides = (0..rank).map(|dim| match unit {
            Some(unit) if unit == dim => 1,
            Some(_) => self.extent(2),
            None => self.extent(1),
        });
        let strides = strides.collect();
        self.intern(TypeData::TensorView { element: element.ty(), shape, strides, attr })
    }

    /// An extent or a stride from `least` on, known or not.
    fn extent(&mut self, least: i64) -> i64 {
        match self.source.below(3) {
            0 => DYNAMIC,
            1 => least + self.source.below(256) as i64,
            _ => 1 << (1 + self.source.below(40)),
        }
    }

    /// How a tensor view is made.
    pub(super) fn tensor_view_plan(&mut self, ty: Type) -> Plan {
        let TypeData::TensorView { element, shape, strides, attr } = self.module.tables.types.get(ty).clone() else {
            unreachable!("a tensor view")
        };
        let scalar = self.module.tables.types.scalar(element).expect("tensors are made of numbers");
        let pointer = self.pointer_to(scalar, attr);
        let (base, number) = (self.tile(pointer, &[]), self.any_scalar_tile(TypeSet::INT));
        let dynamic = |extents: &[i64]| vec![number; extents.iter().filter(|extent| **extent == DYNAMIC).count()];
        let plan = Plan::new(Opcode::MakeTensorView).operand("base", base).operands("dynamicShape", &dynamic(&shape));
        plan.operands("dynamicStrides", &dynamic(&strides)).result(ty)
    }

    fn view(&mut self, wanted: &Wanted) -> Type {
        // Packed numbers lie in a dimension that is not the sparse one.
        let rank = 1 + self.source.below(3) + usize::from(wanted.paired && wanted.kind == Kind::GatherScatter);
        let unit = wanted.paired.then(|| self.source.below(rank));
        let tensor_view = self.tensor_view(wanted.element, wanted.attr, rank, unit);
        let need = if wanted.paired { Need::Even } else { self.need(wanted.element.ty()) };
        let tile: Box<[i32]> = self.shape_of_rank(rank, need).into_iter().map(|extent| extent as i32).collect();
        let padding = self.padding(wanted.element);
        let data = match wanted.kind {
            Kind::Partition => TypeData::PartitionView { tile, tensor_view, dim_map: self.dim_map(rank), padding },
            Kind::Strided => {
                let traversal_strides = (0..rank).map(|_| 1 + self.source.below(100) as i32).collect();
                TypeData::StridedView { tile, traversal_strides, tensor_view, dim_map: self.dim_map(rank), padding }
            }
            Kind::GatherScatter => {
                let dims: Vec<usize> = (0..rank).filter(|dim| Some(*dim) != unit).collect();
                TypeData::GatherScatterView { tile, tensor_view, sparse_dim: self.source.pick(&dims) as u32, padding }
            }
        };
        self.intern(data)
    }

    fn dim_map(&mut self, rank: usize) -> Box<[i32]> {
        self.source.shuffled((0..rank as i32).collect()).into()
    }

    fn padding(&mut self, element: Scalar) -> Option<PaddingValue> {
        let known = PaddingValue::VALUES.iter().filter_map(|value| PaddingValue::from_wire(value.value));
        let known: Vec<PaddingValue> = known.filter(|padding| element.is_float() || *padding == PaddingValue::Zero).collect();
        self.source.flag().then(|| self.source.pick(&known))
    }

    fn tensor_of(&self, view: Type) -> Type {
        match self.module.tables.types.get(view) {
            TypeData::PartitionView { tensor_view, .. }
            | TypeData::StridedView { tensor_view, .. }
            | TypeData::GatherScatterView { tensor_view, .. } => *tensor_view,
            _ => unreachable!("a view"),
        }
    }

    fn rank_of(&self, tensor_view: Type) -> usize {
        match self.module.tables.types.get(tensor_view) {
            TypeData::TensorView { shape, .. } => shape.len(),
            _ => unreachable!("a tensor view"),
        }
    }

    fn access(&mut self, opcode: Opcode) -> Plan {
        let (element, attr, extra) = match opcode {
            Opcode::LoadViewTko | Opcode::StoreViewTko => (self.stored_scalar(), self.memory_property(false), None),
            Opcode::AtomicRedViewTko => {
                let mode = opcode.def().attr_index(AttrName::Mode).map(|i| opcode.def().attrs[i].allowed);
                let (mode, scalar) = self.update(|value| mode.is_some_and(|allowed| allowed.contains(value)));
                (scalar, self.memory_property(false), Some((AttrName::Mode, mode as u8)))
            }
            _ => {
                let (scalar, kind) = self.multimem(opcode);
                (scalar, Some(PtrAttr::Multicast), kind.map(|kind| (AttrName::Reduction, kind as u8)))
            }
        };
        let kind = match opcode {
            Opcode::LoadViewTko | Opcode::StoreViewTko => self.kind(true),
            Opcode::AtomicRedViewTko => self.kind(false),
            _ => Kind::Partition,
        };
        let is_half = matches!(element, Scalar::F16 | Scalar::Bf16);
        // Two numbers share a byte, or a word that is combined.
        let paired = element == Scalar::F4E2M1FN || attr == Some(PtrAttr::Multicast) && is_half;
        let view = self.view(&Wanted { element, attr, kind, paired });
        let mut plan = Plan::new(opcode).operand("view", view);
        for ty in self.indices(opcode, view) {
            plan = plan.operand("index", ty);
        }
        if let Some((name, value)) = extra {
            plan = plan.attr(name, AttrValue::Enum(value));
        }
        let tile = self.tile_of_view(view);
        let plan = match opcode {
            Opcode::LoadViewTko | Opcode::MultimemLoadReduceViewTko => plan.result(tile),
            Opcode::AtomicRedViewTko => plan.operand("value", tile),
            _ => plan.operand("tile", tile),
        };
        self.maybe(plan.result(TypeTable::token()), "token", TypeTable::token())
    }

    /// A number type of replicated memory, and how replicas of it are combined if the operation does that.
    fn multimem(&mut self, opcode: Opcode) -> (Scalar, Option<MultimemReductionKind>) {
        let scalars: Vec<Scalar> = Scalar::all().filter(|scalar| is_multimem(*scalar)).collect();
        let scalar = self.source.pick(&scalars);
        let reduces = opcode.def().attr_index(AttrName::Reduction).is_some();
        let kinds = MultimemReductionKind::VALUES.iter().filter_map(|kind| MultimemReductionKind::from_wire(kind.value));
        let kinds: Vec<MultimemReductionKind> = kinds.filter(|kind| multimem_combines(opcode, *kind, scalar)).collect();
        (scalar, reduces.then(|| self.source.pick(&kinds)))
    }

    /// The types of the indices: numbers of one type, and a tile of numbers for a sparse dimension.
    fn indices(&mut self, opcode: Opcode, view: Type) -> Vec<Type> {
        let tile = self.tile_of_view(view);
        let (_, shape) = self.tile_parts(tile);
        let sparse = match self.module.tables.types.get(view) {
            TypeData::GatherScatterView { sparse_dim, .. } => Some(*sparse_dim as usize),
            _ => None,
        };
        let number = self.any_scalar_tile(TypeSet::INT);
        let mut types = vec![number; shape.len()];
        for (dim, ty) in types.iter_mut().enumerate() {
            if sparse == Some(dim) {
                let scalar = self.scalar(TypeSet::INT);
                *ty = self.tile(scalar, &shape[dim..=dim]);
            } else if opcode == Opcode::AtomicRedViewTko && self.source.one_in(4) {
                // Reductions take indices of different types.
                *ty = self.any_scalar_tile(TypeSet::INT);
            }
        }
        types
    }

    /// The tile that a view gives.
    fn tile_of_view(&mut self, view: Type) -> Type {
        let tensor_view = self.tensor_of(view);
        let types = &self.module.tables.types;
        let (TypeData::PartitionView { tile, .. } | TypeData::StridedView { tile, .. } | TypeData::GatherScatterView { tile, .. }) =
            types.get(view)
        else {
            unreachable!("a view")
        };
        let TypeData::TensorView { element, .. } = types.get(tensor_view) else { unreachable!("a tensor view") };
        let (element, shape) = (*element, tile.iter().map(|extent| i64::from(*extent)).collect::<Vec<i64>>());
        self.tile(element, &shape)
    }
}
