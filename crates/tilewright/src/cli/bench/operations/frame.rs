//! Kernels around an operation: every block loads a tile of each array, and stores one.

use tilewright::{
    ir::{Scalar, VerifiedModule, verify},
    text::{ParseOptions, parse},
};

/// Elements of a block's tile.
pub(super) const TILE: usize = 1024;

/// An array that a kernel reads or writes: one pointer.
#[derive(Clone, Debug)]
pub(super) struct Array {
    pub(super) scalar: Scalar,
    /// Elements for each tile.
    pub(super) per_tile: usize,
    pub(super) fill: Fill,
}

/// What an array holds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Fill {
    /// Positive numbers around 1; integers of all magnitudes.
    Numbers,
    /// Integers from 0 to below the number of elements of a tile, in no order.
    Places,
}

/// A kernel to measure.
#[derive(Debug)]
pub(super) struct Case {
    /// The operation, its attributes and its types.
    pub(super) name: String,
    pub(super) arrays: Vec<Array>,
    /// Elements for each tile that its time is divided by.
    pub(super) elements: usize,
    pub(super) module: VerifiedModule,
}

/// The text of a kernel in the making. Every line is one operation.
#[derive(Default)]
pub(super) struct Frame {
    params: Vec<String>,
    pub(super) lines: Vec<String>,
    pub(super) arrays: Vec<Array>,
}

impl Frame {
    pub(super) fn new() -> Frame {
        let mut frame = Frame::default();
        frame.line("%block, %block_y, %block_z = get_tile_block_id : tile<i32>");
        frame
    }

    pub(super) fn line(&mut self, text: impl Into<String>) {
        self.lines.push(text.into());
    }

    /// A pointer to an array, `%pN`; gives N.
    pub(super) fn pointer(&mut self, scalar: Scalar, per_tile: usize, fill: Fill) -> usize {
        let n = self.arrays.len();
        self.params.push(format!("%p{n}: tile<ptr<{scalar}>>"));
        self.arrays.push(Array { scalar, per_tile, fill });
        n
    }

    /// A view of the tiles of a new array, `%wN`, cut into tiles of this shape along its first dimension. Gives N and the type.
    pub(super) fn view(&mut self, scalar: Scalar, shape: &[usize], fill: Fill) -> (usize, String) {
        let n = self.pointer(scalar, shape.iter().product(), fill);
        let strides: Vec<usize> = (0..shape.len()).map(|d| shape[d + 1..].iter().product()).collect();
        let rest: String = shape[1..].iter().map(|extent| format!("x{extent}")).collect();
        let tensor = format!("tensor_view<?{rest}x{scalar}, strides={strides:?}>");
        let extents: Vec<String> = ["%rows".to_owned()].into_iter().chain(shape[1..].iter().map(usize::to_string)).collect();
        let extents = extents.join(", ");
        if n == 0 {
            self.line("%tiles, %tiles_y, %tiles_z = get_num_tile_blocks : tile<i32>");
            self.line(format!("%extent = constant <i32: {}> : tile<i32>", shape[0]));
            self.line("%rows = muli %tiles, %extent : tile<i32>");
        }
        let extents = if self.arrays.iter().take(n).all(|a| a.per_tile == 0) || n == 0 { extents } else { self.rows(n, shape, extents) };
        self.line(format!("%v{n} = make_tensor_view %p{n}, shape = [{extents}], strides = {strides:?} : tile<i32> -> {tensor}"));
        let tile = shape.iter().map(usize::to_string).collect::<Vec<_>>().join("x");
        let ty = format!("partition_view<tile=({tile}), {tensor}>");
        self.line(format!("%w{n} = make_partition_view %v{n} : {ty}"));
        (n, ty)
    }
}
