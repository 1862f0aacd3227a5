//! Views, and loads and stores through them (SEMANTICS c.11, c.12).

use super::{
    Naive, Val,
    number::{self, Number},
    value::{Element, Item, Tile},
};
use tilewright_ir::{DYNAMIC, OpRef, PaddingValue, RoundingMode, Scalar, TypeData, Value};

/// A strided array.
#[derive(Clone, Debug)]
pub(crate) struct Tensor {
    base: u64,
    element: Scalar,
    shape: Vec<u64>,
    strides: Vec<u64>,
}

/// Tiles of a tensor.
#[derive(Clone, Debug)]
pub(crate) struct View {
    tensor: Tensor,
    tile: Vec<usize>,
    dim_map: Vec<usize>,
    /// Distance of tiles; none where a dimension is gathered.
    steps: Option<Vec<u64>>,
    sparse: usize,
    padding: Option<PaddingValue>,
}

impl Naive<'_> {
    pub(super) fn make_tensor(&mut self, op: OpRef<'_>, result: Value) -> Val {
        let types = &self.module.tables.types;
        let TypeData::TensorView { element, shape, strides, .. } = types.get(op.body().ty(result)) else { panic!("a tensor_view") };
        let numbers = |name: &str, numbers: &[i64]| -> Vec<u64> {
            let mut dynamic = op.operand_named(name).iter().map(|v| self.tile(*v).decisive());
            numbers.iter().map(|n| if *n == DYNAMIC { dynamic.next().expect("one for each") } else { n.cast_unsigned() }).collect()
        };
        let (shape, strides) = (numbers("dynamicShape", shape), numbers("dynamicStrides", strides));
        let base = self.tile(op.operands()[0]).decisive();
        Val::Tensor(Tensor { base, element: types.scalar(*element).expect("a number"), shape, strides })
    }

    pub(super) fn make_view(&mut self, op: OpRef<'_>, result: Value) -> Val {
        let Val::Tensor(tensor) = self.value(op.operands()[0]).clone() else { panic!("a tensor_view") };
        let whole = |numbers: &[i32]| numbers.iter().map(|n| *n as usize).collect::<Vec<_>>();
        let view = match self.module.tables.types.get(op.body().ty(result)) {
            TypeData::PartitionView { tile, dim_map, padding, .. } => {
                let steps = Some(tile.iter().map(|n| *n as u64).collect());
                View { tensor, tile: whole(tile), dim_map: whole(dim_map), steps, sparse: 0, padding: *padding }
            }
            TypeData::StridedView { tile, traversal_strides, dim_map, padding, .. } => {
                let steps = Some(traversal_strides.iter().map(|n| *n as u64).collect());
                View { tensor, tile: whole(tile), dim_map: whole(dim_map), steps, sparse: 0, padding: *padding }
            }
            TypeData::GatherScatterView { tile, sparse_dim, padding, .. } => {
                let dim_map = (0..tile.len()).collect();
                View { tensor, tile: whole(tile), dim_map, steps: None, sparse: *sparse_dim as usize, padding: *padding }
            }
            other => panic!("{other:?} is no view"),
        };
        Val::View(view)
    }

    pub(super) fn tensor_shape(&self, value: Value) -> Vec<u64> {
        match self.value(value) {
            Val::Tensor(tensor) => tensor.shape.clone(),
            Val::View(view) => (0..view.tile.len())
                .map(|i| {
                    let extent = view.tensor.shape[view.dim_map[i]];
                    view.steps.as_ref().map_or(extent, |steps| extent.div_ceil(steps[i]))
                })
                .collect(),
            other => panic!("{other:?} has no shape"),
        }
    }

    fn view(&self, op: OpRef<'_>) -> View {
        let Val::View(view) = self.value(op.operand_named("view")[0]) else { panic!("a view") };
        view.clone()
    }

    /// Where the element at a position of the tile lies, counted in elements; `None` if it is outside of the tensor.
    fn place(&self, op: OpRef<'_>, view: &View, position: &[usize]) -> Option<u64> {
        let mut offset = 0;
        for (i, index) in op.operand_named("index").iter().enumerate() {
            let (index, d) = (self.tile(*index), view.dim_map[i]);
            let coordinate = match &view.steps {
                Some(steps) => index.decisive() * steps[i] + position[i] as u64,
                None if i == view.sparse => index.items[position[i]].decisive(),
                None => index.decisive() + position[i] as u64,
            };
            if coordinate >= view.tensor.shape[d] {
                return None;
            }
            offset += coordinate * view.tensor.strides[d];
        }
        Some(offset)
    }

    pub(super) fn load_view(&mut self, op: OpRef<'_>) -> Tile {
        let view = self.view(op);
        let scalar = view.tensor.element;
        let shape = view.tile.clone();
        let padding = padding(&view);
        Tile::from_fn(Element::Number(scalar), &shape, |position| match self.place(op, &view, position) {
            None => padding,
            Some(offset) => self.load(&view.tensor, offset),
        })
    }

    /// Writes, or changes, the elements of a tile that lie inside.
    pub(super) fn store_view(&mut self, op: OpRef<'_>, tile: &Tile, change: impl Fn(Item, Item) -> Item) {
        let view = self.view(op);
        super::value::for_each_position(&view.tile, |position| {
            let Some(offset) = self.place(op, &view, position) else { return };
            let new = change(self.load(&view.tensor, offset), tile.at(position));
            let tensor = &view.tensor;
            match tensor.element {
                Scalar::F4E2M1FN => self.memory.store_half(tensor.base, offset, new),
                scalar => self.memory.store(address(tensor, offset), Element::Number(scalar), new),
            }
        });
    }

    fn load(&mut self, tensor: &Tensor, offset: u64) -> Item {
        match tensor.element {
            Scalar::F4E2M1FN => self.memory.load_half(tensor.base, offset),
            scalar => self.memory.load(address(tensor, offset), Element::Number(scalar)),
        }
    }
}

fn address(tensor: &Tensor, offset: u64) -> u64 {
    tensor.base + offset * u64::from(Element::Number(tensor.element).bits().div_ceil(8))
}

/// What an element outside of the tensor is: 0 where the view does not say, as the engine promises (docs/numerics.md).
fn padding(view: &View) -> Item {
    let scalar = view.tensor.element;
    let number = match view.padding {
        None | Some(PaddingValue::Zero) => return Item::exact(0),
        Some(PaddingValue::NegZero) => Number::Finite(number::Exact::new(true, 0u32, 0)),
        Some(PaddingValue::Nan) => Number::Nan,
        Some(PaddingValue::PosInf) => Number::Infinite(false),
        Some(PaddingValue::NegInf) => Number::Infinite(true),
    };
    super::elementwise::round(scalar, &number, RoundingMode::NearestEven)
}
