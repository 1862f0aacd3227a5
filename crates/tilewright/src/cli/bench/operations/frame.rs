//! The text of kernels around an operation: each block reads tiles of some arrays and writes one.

use tilewright::{
    ir::{Module, Scalar},
    text::{ParseOptions, parse},
};

/// Blocks of a launch: a million elements of most kernels, more than the caches next to a core hold.
pub(super) const BLOCKS: usize = 1024;
/// Elements of a block's tile.
pub(super) const TILE: usize = 1024;

/// What an array holds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Fill {
    /// Positive numbers around 1; integers of all magnitudes.
    Numbers,
    /// Integers from 0 to below the number of elements of a tile, in no order.
    Places,
}

/// An array that a kernel reads or writes: its argument is a pointer.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Array {
    pub(super) scalar: Scalar,
    /// Elements for each block.
    pub(super) per_block: usize,
    pub(super) fill: Fill,
}

/// A kernel in the making. Every line is one operation, and most define one value.
pub(super) struct Frame {
    params: Vec<String>,
    lines: Vec<String>,
    pub(super) arrays: Vec<Array>,
}

/// The type of a tile.
pub(super) fn tile(shape: &[usize], element: &str) -> String {
    let extents: String = shape.iter().map(|extent| format!("{extent}x")).collect();
    format!("tile<{extents}{element}>")
}

impl Frame {
    pub(super) fn new() -> Frame {
        let lines = vec!["%block, %block_y, %block_z = get_tile_block_id : tile<i32>".to_owned()];
        Frame { params: Vec::new(), lines, arrays: Vec::new() }
    }

    /// Adds an operation; gives how many there were.
    pub(super) fn line(&mut self, text: impl Into<String>) -> usize {
        self.lines.push(text.into());
        self.lines.len() - 1
    }

    /// A pointer `%pN` to an array; gives N.
    pub(super) fn pointer(&mut self, scalar: Scalar, per_block: usize, fill: Fill) -> usize {
        let n = self.arrays.len();
        self.params.push(format!("%p{n}: tile<ptr<{scalar}>>"));
        self.arrays.push(Array { scalar, per_block, fill });
        n
    }

    /// The view `%wN` of the tiles of a new array, which lie one behind the other; gives N and the view's type.
    fn view(&mut self, scalar: Scalar, shape: &[usize]) -> (usize, String) {
        let n = self.pointer(scalar, shape.iter().product(), Fill::Numbers);
        let strides: Vec<usize> = (0..shape.len()).map(|d| shape[d + 1..].iter().product()).collect();
        let extents: Vec<usize> = [shape[0] * BLOCKS].into_iter().chain(shape[1..].iter().copied()).collect();
        let strides = strides.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
        let joined = |extents: &[usize]| extents.iter().map(usize::to_string).collect::<Vec<_>>().join("x");
        let tensor = format!("tensor_view<{}x{scalar}, strides=[{strides}]>", joined(&extents));
        let listed = extents.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
        self.line(format!("%v{n} = make_tensor_view %p{n}, shape = [{listed}], strides = [{strides}] : tile<ptr<{scalar}>> -> {tensor}"));
        let ty = format!("partition_view<tile=({}), {tensor}>", joined(shape));
        self.line(format!("%w{n} = make_partition_view %v{n} : {ty}"));
        (n, ty)
    }

    /// The view of the tiles of a new array: its name and its type.
    pub(super) fn view_of(&mut self, scalar: Scalar, shape: &[usize]) -> (String, String) {
        let (n, ty) = self.view(scalar, shape);
        (format!("%w{n}"), ty)
    }

    /// The number zero, `%zero`.
    pub(super) fn zero(&mut self) {
        if !self.lines.iter().any(|line| line.starts_with("%zero =")) {
            self.line("%zero = constant <i32: 0> : tile<i32>");
        }
    }

    /// The index of a block's tile in a view of this rank.
    fn index(&mut self, rank: usize) -> String {
        if rank > 1 {
            self.zero();
        }
        let rest: String = (1..rank).map(|_| ", %zero").collect();
        format!("%block{rest}")
    }

    /// Loads a block's tile of a new array as `%name`; gives the number of the operation.
    pub(super) fn load(&mut self, name: &str, scalar: Scalar, shape: &[usize]) -> usize {
        let (n, view) = self.view(scalar, shape);
        let (index, ty) = (self.index(shape.len()), tile(shape, scalar.name()));
        self.line(format!("%{name}, %t{n} = load_view_tko weak %w{n}[{index}] : {view}, tile<i32> -> {ty}, token"))
    }

    /// Stores a tile as a block's of a new array.
    pub(super) fn store(&mut self, name: &str, scalar: Scalar, shape: &[usize]) {
        let (n, view) = self.view(scalar, shape);
        let (index, ty) = (self.index(shape.len()), tile(shape, scalar.name()));
        self.line(format!("%t{n} = store_view_tko weak %{name}, %w{n}[{index}] : {ty}, {view}, tile<i32> -> token"));
    }

    /// A tile of pointers `%name` to the elements of a new array: the block's, from its first one on, at these places.
    pub(super) fn pointers(&mut self, name: &str, scalar: Scalar, places: &str, stride: usize, fill: Fill) {
        let n = self.pointer(scalar, TILE * stride, fill);
        let (pointer, numbers) = (tile(&[TILE], &format!("ptr<{scalar}>")), tile(&[TILE], "i32"));
        self.line(format!("%size{n} = constant <i32: {}> : tile<i32>", TILE * stride));
        self.line(format!("%first{n} = muli %block, %size{n} : tile<i32>"));
        self.line(format!("%base{n} = offset %p{n}, %first{n} : tile<ptr<{scalar}>>, tile<i32> -> tile<ptr<{scalar}>>"));
        self.line(format!("%one{n} = reshape %base{n} : tile<ptr<{scalar}>> -> tile<1xptr<{scalar}>>"));
        self.line(format!("%all{n} = broadcast %one{n} : tile<1xptr<{scalar}>> -> {pointer}"));
        self.line(format!("%{name} = offset %all{n}, %{places} : {pointer}, {numbers} -> {pointer}"));
    }

    /// The module, with an entry `k`.
    pub(super) fn parse(&self) -> anyhow::Result<Module> {
        let text = format!("entry @k({}) {{\n{}\n}}", self.params.join(", "), self.lines.join("\n"));
        parse(&text, &ParseOptions::new()).map_err(|errors| anyhow::anyhow!("{}", errors[0].render(&text, "kernel")))
    }
}
