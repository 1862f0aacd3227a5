//! Views of tensors whose address, extents and strides are constants of a launch: it finds out once where their tiles lie.

use super::{Coordinate, Extent, Inst, Placement, Tile, ViewAccess, tile::Base};

/// Numbers the views of loads and stores whose tensors no block computes; gives the instructions that have them.
pub(crate) fn number(code: &mut [Inst]) -> Vec<usize> {
    let mut fixed = Vec::new();
    for (at, inst) in code.iter_mut().enumerate() {
        if let Some(view) = inst.view_mut()
            && is_fixed(view)
        {
            view.fixed = Some(fixed.len());
            fixed.push(at);
        }
    }
    fixed
}

/// Whether no block computes the tensor of a view.
pub(super) fn is_fixed(view: &ViewAccess) -> bool {
    let is_constant = |tile: &Tile| matches!(tile.base, Base::Const(_));
    let is_known = |extent: &Extent| if let Extent::Dynamic(tile) = extent { is_constant(tile) } else { true };
    let is_placed = |coordinate: &Coordinate| matches!(coordinate, Coordinate::Origin { .. });
    let is_fixed = match &view.places {
        Placement::Tensor(dims) => dims.iter().all(|dim| is_known(&dim.shape) && is_known(&dim.stride) && is_placed(&dim.coordinate)),
        // Multiples of what a block computes would be other distances in each block.
        Placement::Computed(function) => function.is_affine_in(|leaf| !is_constant(&leaf.tile)),
    };
    is_constant(&view.base) && is_fixed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        elem::Elem,
        plan::{VReg, ViewDim},
    };
    use tilewright_ir::Scalar;

    fn store(base: Base, shape: Base) -> Inst {
        let tile = |base| Tile::contiguous(Elem::Num(Scalar::I64), base, &[]);
        let coordinate = Coordinate::Origin { index: tile(Base::Reg(VReg(1))), scale: 4 };
        let dims = vec![ViewDim { shape: Extent::Dynamic(tile(shape)), stride: Extent::Static(1), coordinate }];
        let view = ViewAccess { tile: vec![4], places: Placement::Tensor(dims), ..ViewAccess::of_f32(tile(base)) };
        Inst::Store { view: Box::new(view), src: tile(Base::Reg(VReg(0))) }
    }

    #[test]
    fn views_of_constant_tensors_are_numbered() {
        let (constant, computed) = (Base::Const(8), Base::Reg(VReg(2)));
        let mut code =
            [store(constant, constant), store(computed, constant), Inst::Return, store(constant, computed), store(constant, constant)];
        assert_eq!(number(&mut code), [0, 4]);
        let numbers = code.iter_mut().map(|inst| inst.view_mut().and_then(|view| view.fixed));
        assert_eq!(numbers.collect::<Vec<_>>(), [Some(0), None, None, None, Some(1)]);
    }
}
