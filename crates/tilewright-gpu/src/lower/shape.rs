//! Operations that move elements: every one is a linear map between the bits of indices.

use super::{
    Lowered, Lowerer, Stop, Tile,
    exchange::Reads,
    tile::{bits_of, coordinate, dims_of},
};
use crate::{
    layout::{BitMap, Layout},
    thread::Value,
};
use tilewright_ir::{AttrData, AttrName, MAX_TILE_ELEMENTS, OpRef, Opcode};
use tilewright_vector::{Lane, Prim};

impl Lowerer<'_> {
    /// The tile whose element at an index is the element of `source` at what `map` makes of the index.
    pub(super) fn moved(&mut self, source: &Tile, shape: &[i64], map: &BitMap) -> Tile {
        self.moved_to(source, shape, map, self.layout_of(shape))
    }

    /// The same in a layout.
    fn moved_to(&mut self, source: &Tile, shape: &[i64], map: &BitMap, layout: Layout) -> Tile {
        if source.is_splat {
            return self.splat(source.elem, shape, source.registers[0]);
        }
        let registers = self.convert(source, &layout.then(map)).registers;
        Tile { elem: source.elem, shape: shape.to_vec(), layout, registers, is_splat: false }
    }

    pub(super) fn reshape(&mut self, op: OpRef<'_>) -> Result<Tile, Stop> {
        let source = self.tile(op, op.operands()[0])?;
        let result = op.result(0).expect("a tile");
        let (_, shape) = self.tile_type(op, result)?;
        let layout = self.factor_layout(result).unwrap_or_else(|| self.carried_layout(result, &shape));
        Ok(self.moved_to(&source, &shape, &BitMap::identity(bits_of(&shape)), layout))
    }

    pub(super) fn broadcast(&mut self, op: OpRef<'_>) -> Result<Tile, Stop> {
        let source = self.tile(op, op.operands()[0])?;
        let result = op.result(0).expect("a tile");
        let (_, shape) = self.tile_type(op, result)?;
        let (from, to) = (dims_of(&source.shape), dims_of(&shape));
        let map = dim_map(&to, &from, |dim| dim, bits_of(&shape), bits_of(&source.shape));
        let layout = self.carried_layout(result, &shape);
        Ok(self.moved_to(&source, &shape, &map, layout))
    }

    /// The map from indices of a permuted tile to those of its source.
    pub(super) fn permutation(&self, op: OpRef<'_>) -> Result<BitMap, Stop> {
        let (_, source) = self.tile_type(op, op.operands()[0])?;
        let (_, shape) = self.tile_type(op, op.result(0).expect("a tile"))?;
        let Some(AttrData::I32Array(permutation)) = op.compound(AttrName::Permutation).map(|attr| self.module.tables.attrs.get(attr))
        else {
            return Err(self.unsupported(op, "this permutation"));
        };
        let (from, to) = (dims_of(&source), dims_of(&shape));
        Ok(dim_map(&to, &from, |dim| permutation[dim].cast_unsigned() as usize, bits_of(&shape), bits_of(&source)))
    }

    pub(super) fn permute(&mut self, op: OpRef<'_>) -> Result<Tile, Stop> {
        let source = self.tile(op, op.operands()[0])?;
        let result = op.result(0).expect("a tile");
        let (_, shape) = self.tile_type(op, result)?;
        let map = self.permutation(op)?;
        let layout = self.factor_layout(result).unwrap_or_else(|| self.layout_of(&shape));
        Ok(self.moved_to(&source, &shape, &map, layout))
    }

    pub(super) fn iota(&mut self, op: OpRef<'_>) -> Result<Tile, Stop> {
        let (elem, shape) = self.tile_type(op, op.result(0).expect("a tile"))?;
        let lane = self.lane_of(op, elem)?;
        let layout = self.layout_of(&shape);
        let mut registers = Vec::new();
        for register in 0..layout.registers() {
            let index = self.index(&layout, register, |index| index);
            registers.push(self.narrow(index, lane));
        }
        Ok(Tile { elem, is_splat: bits_of(&shape) == 0, shape, layout, registers })
    }

    pub(super) fn constant(&mut self, op: OpRef<'_>) -> Result<Tile, Stop> {
        let result = op.result(0).expect("a tile");
        let (elem, shape) = self.tile_type(op, result)?;
        let lane = self.lane_of(op, elem)?;
        let known = tilewright_passes::constant::Constant::of(&self.module.tables, self.frame.body, result, MAX_TILE_ELEMENTS as usize)
            .ok_or_else(|| self.unsupported(op, "a constant of so many elements"))?;
        if let Some(bits) = known.elements.splat() {
            let value = self.b.constant(lane, bits);
            return Ok(self.splat(elem, &shape, value));
        }
        self.dense_constant(op, &known, lane)
    }

    /// A constant whose elements differ is read from memory.
    fn dense_constant(&mut self, op: OpRef<'_>, known: &tilewright_passes::constant::Constant, lane: Lane) -> Result<Tile, Stop> {
        let (elem, shape) = self.tile_type(op, op.result(0).expect("a tile"))?;
        let layout = self.layout_of(&shape);
        let size = lane.size();
        let bytes = (0..known.len).flat_map(|i| known.elements.get(i).to_le_bytes().into_iter().take(size)).collect();
        let base = self.b.data(bytes);
        let memory = if lane == Lane::Mask { Lane::I8 } else { lane };
        let mut registers = Vec::new();
        for register in 0..layout.registers() {
            let index = self.index(&layout, register, |index| index);
            let index = self.narrow(index, Lane::I64);
            let size = self.i64(size as i64);
            let distance = self.b.prim(Prim::Mul, &[index, size]);
            let address = self.b.prim(Prim::Add, &[base, distance]);
            let value = self.b.load(memory, crate::thread::Space::Global, address, 0, None);
            registers.push(self.loaded_form(value, lane));
        }
        Ok(Tile { elem, shape, layout, registers, is_splat: false })
    }

    /// The first element of a slice of `slice` that indices of slices name, as an index into the whole tile, for each dimension.
    fn slice_starts(&mut self, op: OpRef<'_>, whole: &[i64], slice: &[i64]) -> Result<Vec<Value>, Stop> {
        let indices = op.operand_named("indices").to_vec();
        let mut starts = Vec::new();
        for ((index, at), (extent, part)) in indices.into_iter().zip(dims_of(whole)).zip(whole.iter().zip(slice)) {
            let index = self.scalar(op, index)?;
            // Outside is undefined: any slice will do, but one of the tile.
            let (last, places) = (self.i32((extent / part - 1) as u32), self.i32(at.0 + part.ilog2()));
            let index = self.b.prim(Prim::And, &[index, last]);
            starts.push(self.b.prim(Prim::Shl, &[index, places]));
        }
        Ok(starts)
    }

    pub(super) fn extract(&mut self, op: OpRef<'_>) -> Result<Tile, Stop> {
        let source = self.tile(op, op.operand_named("source")[0])?;
        let (_, shape) = self.tile_type(op, op.result(0).expect("a tile"))?;
        if source.is_splat || source.shape == shape {
            return Ok(Tile { is_splat: source.is_splat, ..self.moved(&source, &shape, &BitMap::identity(bits_of(&shape))) });
        }
        let starts = self.slice_starts(op, &source.shape, &shape)?;
        let zero = self.i32(0);
        let start = starts.into_iter().fold(zero, |sum, start| self.b.prim(Prim::Or, &[sum, start]));
        let layout = self.layout_of(&shape);
        // The slice that begins the tile, within the tile.
        let within = dim_map(&dims_of(&shape), &dims_of(&source.shape), |dim| dim, bits_of(&shape), bits_of(&source.shape));
        if self.is_alone {
            let registers = self.extract_alone(&source, &within, start);
            return Ok(Tile { elem: source.elem, is_splat: bits_of(&shape) == 0, shape, layout, registers });
        }
        let places = layout.map().then(&within);
        let registers = self.through_shared(
            &source.layout,
            &source.registers,
            &Layout::partial(places, layout.registers().ilog2()),
            Reads::From(start),
        );
        Ok(Tile { elem: source.elem, shape, layout, registers, is_splat: false })
    }

    pub(super) fn cat(&mut self, op: OpRef<'_>) -> Result<Tile, Stop> {
        let [lhs, rhs] = [self.tile(op, op.operand_named("lhs")[0])?, self.tile(op, op.operand_named("rhs")[0])?];
        let dim = op.int(AttrName::Dim).ok_or_else(|| self.unsupported(op, "no dimension"))? as usize;
        let (elem, shape) = self.tile_type(op, op.result(0).expect("a tile"))?;
        if lhs.shape != rhs.shape {
            return Err(self.unsupported(op, "tiles of different shapes"));
        }
        let map = dim_map(&dims_of(&shape), &dims_of(&lhs.shape), |dim| dim, bits_of(&shape), bits_of(&lhs.shape));
        let sides = [self.moved(&lhs, &shape, &map), self.moved(&rhs, &shape, &map)];
        let (low, bits) = dims_of(&shape)[dim];
        let upper = low + bits - 1;
        let zero = self.i32(0);
        let layout = self.layout_of(&shape);
        let mut registers = Vec::new();
        for register in 0..layout.registers() {
            let half = self.index(&layout, register, |index| index >> upper & 1);
            let is_first = self.b.prim(Prim::Eq, &[half, zero]);
            let [first, second] = [0, 1].map(|side: usize| sides[side].registers[register as usize]);
            registers.push(self.b.prim(Prim::Select, &[is_first, first, second]));
        }
        Ok(Tile { elem, shape, layout, registers, is_splat: false })
    }

    pub(super) fn insert(&mut self, op: OpRef<'_>) -> Result<Tile, Stop> {
        let [slice, whole] = [self.tile(op, op.operand_named("source")[0])?, self.tile(op, op.operand_named("destination")[0])?];
        let shape = whole.shape.clone();
        let starts = self.slice_starts(op, &shape, &slice.shape)?;
        let map = dim_map(&dims_of(&shape), &dims_of(&slice.shape), |dim| dim, bits_of(&shape), bits_of(&slice.shape));
        let inserted = self.moved(&slice, &shape, &map);
        let layout = self.layout_of(&shape);
        let whole = self.convert(&whole, &layout);
        let zero = self.i32(0);
        let start = starts.into_iter().fold(zero, |sum, start| self.b.prim(Prim::Or, &[sum, start]));
        let parts: Vec<(u32, u32)> =
            dims_of(&shape).iter().zip(&slice.shape).map(|((low, bits), part)| (low + part.ilog2(), bits - part.ilog2())).collect();
        let slice_bits = parts.iter().fold(0, |all, (low, bits)| all | ((1u32 << bits) - 1) << low);
        let mut registers = Vec::new();
        for register in 0..layout.registers() {
            let own = self.index(&layout, register, |index| index & slice_bits);
            let is_inside = self.b.prim(Prim::Eq, &[own, start]);
            let [yes, no] = [&inserted, &whole].map(|tile| tile.registers[register as usize]);
            registers.push(self.b.prim(Prim::Select, &[is_inside, yes, no]));
        }
        Ok(Tile { elem: whole.elem, shape, layout, registers, is_splat: false })
    }

    /// Shape operations, as far as they give one tile.
    pub(super) fn shape_op(&mut self, op: OpRef<'_>) -> Result<(), Stop> {
        let tile = match op.opcode() {
            Opcode::Reshape => self.reshape(op)?,
            Opcode::Broadcast => self.broadcast(op)?,
            Opcode::Permute => self.permute(op)?,
            Opcode::Iota => self.iota(op)?,
            Opcode::Extract => self.extract(op)?,
            Opcode::Cat => self.cat(op)?,
            Opcode::Insert => self.insert(op)?,
            _ => self.constant(op)?,
        };
        self.frame.values.insert(op.result(0).expect("a tile"), Lowered::Tile(tile));
        Ok(())
    }
}

/// The map of indices that keeps the coordinate along each dimension `to[i]` as that along `from[source(i)]`, as far as that has bits.
fn dim_map(to: &[(u32, u32)], from: &[(u32, u32)], source: impl Fn(usize) -> usize, inputs: u32, rows: u32) -> BitMap {
    let column = |bit: u32| {
        let index = 1 << bit;
        to.iter().enumerate().fold(0, |sum, (dim, at)| {
            let (low, bits) = from[source(dim)];
            sum | (coordinate(index, *at) & ((1 << bits) - 1)) << low
        })
    };
    BitMap::new((0..inputs).map(column).collect(), rows)
}
