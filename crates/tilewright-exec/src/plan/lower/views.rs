//! Views: descriptions of where a tile's elements lie in memory.

use super::{Lowerer, Val};
use crate::{
    PlanError,
    elem::{Elem, memory_bits},
    plan::{Coordinate, Extent, Inst, Placement, Tile, ViewAccess, ViewDim},
};
use smallvec::SmallVec;
use std::rc::Rc;
use tilewright_ir::{DYNAMIC, OpRef, PaddingValue, Scalar, TypeData, Value};
use tilewright_numeric::{FloatFormat, Rounding};

/// A strided array in memory.
#[derive(Debug)]
pub(super) struct Tensor {
    base: Tile,
    element: Scalar,
    shape: Vec<Extent>,
    strides: Vec<Extent>,
}

/// How a view places its tiles.
#[derive(Debug)]
enum Placing {
    /// Tiles at these distances along each dimension.
    Grid(Vec<u64>),
    /// Coordinates of this dimension are given one by one; the others are element offsets.
    Gather(usize),
}

/// A tensor with a shape of tiles.
#[derive(Debug)]
pub(super) struct View {
    tensor: Rc<Tensor>,
    tile: Vec<usize>,
    /// Tensor dimension of each view dimension.
    dim_map: Vec<usize>,
    placing: Placing,
    padding: Option<PaddingValue>,
}

impl<'m> Lowerer<'m> {
    pub(super) fn make_tensor_view(&mut self, op: OpRef<'m>) -> Result<(), PlanError> {
        let types = &self.module.tables.types;
        let ty = op.result(0).map(|r| types.get(self.body.ty(r)));
        let Some(TypeData::TensorView { element, shape, strides, .. }) = ty else {
            return Err(self.malformed("the result must be a tensor_view".to_owned()));
        };
        let element = types.scalar(*element).ok_or_else(|| self.malformed("the element must be a number".to_owned()))?;
        let base = self.needed(op, "base")?;
        self.require(base.elem == Elem::Ptr && base.shape.is_empty(), "the base must be one pointer")?;
        let shape = self.extents(shape, &self.tiles_named(op, "dynamicShape")?)?;
        let strides = self.extents(strides, &self.tiles_named(op, "dynamicStrides")?)?;
        self.define_result(op, 0, Val::Tensor(Rc::new(Tensor { base, element, shape, strides })))
    }

    /// Static extents as they are, dynamic ones from the operands, in order.
    fn extents(&self, extents: &[i64], dynamic: &[Tile]) -> Result<Vec<Extent>, PlanError> {
        let mut dynamic = dynamic.iter();
        let extents: Option<Vec<Extent>> = extents
            .iter()
            .map(|&n| match n {
                DYNAMIC => dynamic.next().filter(|t| t.shape.is_empty() && t.elem.is_int()).map(|t| Extent::Dynamic(t.clone())),
                n => Some(Extent::Static(n.cast_unsigned())),
            })
            .collect();
        match extents {
            Some(extents) if dynamic.next().is_none() => Ok(extents),
            _ => Err(self.malformed("each dynamic dimension and stride takes one integer scalar".to_owned())),
        }
    }

    pub(super) fn make_view(&mut self, op: OpRef<'m>) -> Result<(), PlanError> {
        let tensor = self.tensor(self.operand(op, 0)?)?;
        let types = &self.module.tables.types;
        let ty = op.result(0).map(|r| types.get(self.body.ty(r)));
        let grid = |strides: &[i32]| Placing::Grid(strides.iter().map(|&s| u64::from(s.unsigned_abs())).collect());
        let (tile, dim_map, placing, padding) = match ty {
            Some(TypeData::PartitionView { tile, dim_map, padding, .. }) => (tile, dim_map.clone(), grid(tile), *padding),
            Some(TypeData::StridedView { tile, traversal_strides, dim_map, padding, .. }) => {
                (tile, dim_map.clone(), grid(traversal_strides), *padding)
            }
            Some(TypeData::GatherScatterView { tile, sparse_dim, padding, .. }) => {
                (tile, (0..tile.len() as i32).collect(), Placing::Gather(*sparse_dim as usize), *padding)
            }
            _ => return Err(self.malformed("the result must be a view".to_owned())),
        };
        // The type's own rules make these conversions exact and the dimensions agree.
        let to_usize = |n: &i32| n.unsigned_abs() as usize;
        let view =
            View { tile: tile.iter().map(to_usize).collect(), dim_map: dim_map.iter().map(to_usize).collect(), placing, padding, tensor };
        let rank = view.tensor.shape.len();
        self.require(view.tile.len() == rank && view.dim_map.iter().all(|d| *d < rank), "the view must have the rank of the tensor")?;
        self.define_result(op, 0, Val::View(Rc::new(view)))
    }

    pub(super) fn tensor_shape(&mut self, op: OpRef<'m>) -> Result<(), PlanError> {
        let tensor = self.tensor(self.operand(op, 0)?)?;
        self.view_extents(op, tensor.shape.iter().map(|extent| (extent.clone(), 1)).collect())
    }

    pub(super) fn index_space_shape(&mut self, op: OpRef<'m>) -> Result<(), PlanError> {
        let view = self.view(self.operand(op, 0)?)?;
        let along = |(i, d): (usize, &usize)| {
            let step = if let Placing::Grid(steps) = &view.placing { steps[i] } else { 1 };
            (view.tensor.shape[*d].clone(), step)
        };
        self.view_extents(op, view.dim_map.iter().enumerate().map(along).collect())
    }

    /// Defines the results as extents divided by steps, rounded up.
    fn view_extents(&mut self, op: OpRef<'m>, extents: Vec<(Extent, u64)>) -> Result<(), PlanError> {
        self.require(op.results().len() == extents.len(), "one result for each dimension is needed")?;
        for (i, (extent, step)) in extents.into_iter().enumerate() {
            let (elem, shape) = self.result_tile(op, i)?;
            self.require(shape.is_empty() && elem.is_int(), "the results must be integer scalars")?;
            let (dst, tile) = self.new_tile(elem, &shape);
            let tile = self.compute_one(Inst::ViewExtent { extent, step, dst, size: elem.size() }, tile);
            self.define_result(op, i, Val::Tile(tile))?;
        }
        Ok(())
    }

    /// The access of a tile of `view` at these indices.
    pub(super) fn view_access(&mut self, op: OpRef<'m>, view: Value, tile: (Elem, &[usize])) -> Result<Box<ViewAccess>, PlanError> {
        let view = self.view(view)?;
        let element = view.tensor.element;
        self.require(tile == (Elem::Num(element), &view.tile[..]), "the tile must be one of the view's tiles")?;
        let Some(bits) = memory_bits(element) else {
            return Err(self.malformed(format!("{element} elements cannot lie in memory")));
        };
        let size = Elem::Num(element).size();
        let indices = self.tiles_named(op, "index")?;
        self.require(indices.len() == view.tile.len(), "one index for each dimension of the view is needed")?;
        let dims = indices.into_iter().enumerate().map(|(i, index)| self.view_dim(&view, i, index)).collect::<Result<_, _>>()?;
        let padding = self.padding_bits(view.padding, element)?;
        let order = self.order(op)?;
        let (base, tile, places) = (view.tensor.base.clone(), view.tile.clone(), Placement::Tensor(dims));
        Ok(Box::new(ViewAccess {
            base,
            element,
            size,
            packed: bits < 8,
            tile,
            reversed: SmallVec::new(),
            places,
            padding,
            order,
            fixed: None,
        }))
    }

    fn view_dim(&mut self, view: &View, i: usize, index: Tile) -> Result<ViewDim, PlanError> {
        self.require(index.elem.is_int(), "indices must be integers")?;
        let coordinate = match &view.placing {
            Placing::Gather(sparse) if *sparse == i => {
                self.require(index.shape[..] == [view.tile[i]], "the sparse dimension takes one index for each position of the tile")?;
                Coordinate::Gather { indices: self.in_order(index) }
            }
            placing => {
                self.require(index.shape.is_empty(), "indices must be scalars")?;
                let scale = if let Placing::Grid(steps) = placing { steps[i] } else { 1 };
                Coordinate::Origin { index, scale }
            }
        };
        let d = view.dim_map[i];
        Ok(ViewDim { shape: view.tensor.shape[d].clone(), stride: view.tensor.strides[d].clone(), coordinate })
    }

    /// The bits of an element outside of the tensor; 0 where the view does not say.
    fn padding_bits(&self, padding: Option<PaddingValue>, element: Scalar) -> Result<u64, PlanError> {
        let Some(padding) = padding.filter(|p| *p != PaddingValue::Zero) else { return Ok(0) };
        let Some(format) = crate::elem::float_format(element) else {
            return Err(self.malformed(format!("{element} elements cannot be padded with {}", padding.keyword())));
        };
        let value = match padding {
            PaddingValue::Zero => 0.0,
            PaddingValue::NegZero => -0.0,
            PaddingValue::Nan => f64::NAN,
            PaddingValue::PosInf => f64::INFINITY,
            PaddingValue::NegInf => f64::NEG_INFINITY,
        };
        // The bits that the vendor's compiler uses (SEMANTICS (b)).
        if padding == PaddingValue::Nan && format == FloatFormat::F32 {
            return Ok(0x7fc0_0000);
        }
        Ok(format.encode(value, Rounding::NearestEven))
    }
}
