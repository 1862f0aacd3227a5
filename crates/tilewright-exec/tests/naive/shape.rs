//! Constants, and operations that move elements without changing them (SEMANTICS c.6).

use super::{
    Naive,
    value::{Element, Item, Tile, Trust},
};
use tilewright_ir::{AttrData, AttrName, AttrValue, OpRef, Opcode, Scalar};

/// A constant from its bytes (FORMAT section 6): one element for all, or all elements.
pub(super) fn constant(data: &[u8], element: Element, shape: &[usize]) -> Tile {
    let scalar = element.scalar();
    let n: usize = shape.iter().product();
    let item = |i: usize| match scalar {
        Scalar::I1 if n > 8 && data.len() == 1 => u64::from(data[0] & 1),
        Scalar::I1 => u64::from(data[i / 8] >> (i % 8) & 1),
        _ => {
            let size = scalar.bits().div_ceil(8) as usize;
            let start = if data.len() == size { 0 } else { i * size };
            let bits = data[start..start + size].iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
            // 19 bits of a tf32 stand for the upper ones of an f32.
            if scalar == Scalar::Tf32 { bits << 13 } else { bits & u64::MAX >> (64 - scalar.bits()) }
        }
    };
    Tile { element, shape: shape.to_vec(), items: (0..n).map(|i| Item::exact(item(i))).collect() }
}

impl Naive<'_> {
    /// What an operation that moves elements gives; `None` if it is another one.
    pub(super) fn moved(&self, op: OpRef<'_>) -> Option<Tile> {
        let (element, shape) = self.ty(op.result(0)?);
        let source = op.operands().first().map(|value| self.tile(*value));
        Some(match op.opcode() {
            Opcode::Constant => {
                let AttrValue::Const(value) = op.attr(AttrName::Value) else { panic!("a value") };
                constant(self.module.tables.constants.bytes(value), element, &shape)
            }
            Opcode::Iota => Tile::from_fn(element, &shape, |position| Item::exact(position[0] as u64)),
            Opcode::Assume => source?.clone(),
            Opcode::Reshape => Tile { shape, ..source?.clone() },
            Opcode::Broadcast => {
                let source = source?;
                let from = |position: &[usize]| {
                    let place: Vec<usize> =
                        position.iter().zip(&source.shape).map(|(i, extent)| if *extent == 1 { 0 } else { *i }).collect();
                    source.at(&place)
                };
                Tile::from_fn(element, &shape, from)
            }
            Opcode::Permute => {
                let source = source?;
                let AttrData::I32Array(permutation) = self.module.tables.attrs.get(op.compound(AttrName::Permutation)?) else {
                    panic!("a permutation")
                };
                let from = |position: &[usize]| {
                    let mut place = vec![0; position.len()];
                    permutation.iter().zip(position).for_each(|(d, i)| place[*d as usize] = *i);
                    source.at(&place)
                };
                Tile::from_fn(element, &shape, from)
            }
            Opcode::Cat => {
                let (lhs, rhs) = (source?, self.tile(op.operands()[1]));
                let dim = op.int(AttrName::Dim)? as usize;
                Tile::from_fn(element, &shape, |position| {
                    let mut place = position.to_vec();
                    if place[dim] < lhs.shape[dim] {
                        return lhs.at(&place);
                    }
                    place[dim] -= lhs.shape[dim];
                    rhs.at(&place)
                })
            }
            Opcode::Extract => {
                let origin = self.origin(op, &shape);
                let source = source?;
                let place = |position: &[usize]| position.iter().zip(&origin).map(|(i, o)| i + o).collect::<Vec<_>>();
                Tile::from_fn(element, &shape, |position| source.at(&place(position)))
            }
            Opcode::Insert => {
                let (slice, whole) = (source?, self.tile(op.operands()[1]));
                let origin = self.origin(op, &slice.shape);
                Tile::from_fn(element, &shape, |position| {
                    let place: Option<Vec<usize>> = position.iter().zip(&origin).map(|(i, o)| i.checked_sub(*o)).collect();
                    let inside = place.filter(|place| place.iter().zip(&slice.shape).all(|(i, extent)| i < extent));
                    inside.map_or_else(|| whole.at(position), |place| slice.at(&place))
                })
            }
            Opcode::Pack => repack(source?, element, &shape),
            Opcode::Unpack => repack(source?, element, &shape),
            _ => return None,
        })
    }

    /// Where a slice begins.
    fn origin(&self, op: OpRef<'_>, slice: &[usize]) -> Vec<usize> {
        op.operand_named("indices").iter().zip(slice).map(|(index, extent)| self.tile(*index).decisive() as usize * extent).collect()
    }
}

/// The bits of elements, the first ones lowest, as elements of another width.
fn repack(source: &Tile, element: Element, shape: &[usize]) -> Tile {
    let (from, to) = (source.element.bits() as usize, element.bits() as usize);
    let bit = |i: usize| (source.items[i / from].bits >> (i % from) & 1, source.items[i / from].trust == Trust::Exact);
    let item = |j: usize| {
        let bits: Vec<(u64, bool)> = (0..to).map(|k| bit(j * to + k)).collect();
        let value = bits.iter().rev().fold(0, |value, (bit, _)| value << 1 | bit);
        if bits.iter().all(|(_, exact)| *exact) { Item::exact(value) } else { Item::UNKNOWN }
    };
    Tile { element, shape: shape.to_vec(), items: (0..shape.iter().product()).map(item).collect() }
}
