//! Numbers as bytes and bytes as numbers, and integers of 4 bits.

use super::{Lowerer, Stop, Tile, tile::bits_of};
use crate::{
    layout::{BitMap, Layout},
    thread::Value,
};
use tilewright_ir::{OpRef, Scalar};
use tilewright_passes::{elem::Elem, elementwise::ElemOp};
use tilewright_vector::{Lane, Prim};

/// Integers of 4 bits, which are held in 8, with zeros above.
pub(super) const I4: Elem = Elem::Num(Scalar::I4);
const I8: Elem = Elem::Num(Scalar::I8);

/// The bits of an element where elements are packed.
fn packed_bits(elem: Elem) -> u32 {
    match elem {
        Elem::Num(Scalar::I1) => 1,
        Elem::Num(Scalar::I4 | Scalar::F4E2M1FN) => 4,
        elem => 8 * elem.size() as u32,
    }
}

/// A layout of parts of what another layout has: `2^bits` of them in a row, in registers of the same thread.
fn parts(layout: &Layout, bits: u32) -> Layout {
    Layout::new(BitMap::identity(bits).product(layout.map()), bits + layout.registers().ilog2())
}

impl Lowerer<'_> {
    /// Operations that integers of 4 bits are in, by those of 8.
    pub(super) fn element_of_4_bits(&mut self, op: ElemOp, sources: &[Elem], result: Elem, values: &[Value]) -> Option<Value> {
        let wide: Vec<Elem> = sources.iter().map(|elem| if *elem == I4 { I8 } else { *elem }).collect();
        let mut values = values.to_vec();
        if matches!(op, ElemOp::ExtI(true)) && sources[0] == I4 {
            let places = self.b.constant(Lane::I8, 4);
            let upper = self.b.prim(Prim::Shl, &[values[0], places]);
            values[0] = self.b.prim(Prim::ShrS, &[upper, places]);
        }
        let to = if result == I4 { I8 } else { result };
        let is_width = matches!(op, ElemOp::ExtI(_) | ElemOp::TruncI);
        let value = if is_width && wide[0] == to { values[0] } else { self.element(op, &wide, to, &values)? };
        if result != I4 {
            return Some(value);
        }
        let low = self.b.constant(Lane::I8, 15);
        Some(self.b.prim(Prim::And, &[value, low]))
    }

    /// A value as an integer: masks as bytes, floats as their bits.
    fn as_integer(&mut self, value: Value) -> Value {
        let value = self.stored_form(value);
        self.as_bits(value)
    }

    pub(super) fn pack(&mut self, op: OpRef<'_>) -> Result<(), Stop> {
        let source = self.tile(op, op.operands()[0])?;
        let result = op.result(0).expect("bytes");
        let (elem, shape) = self.tile_type(op, result)?;
        let bits = packed_bits(source.elem);
        let mut registers = Vec::new();
        let layout = if bits < 8 {
            let layout = self.layout_of(&shape);
            let together = (8 / bits).ilog2();
            let source = self.convert(&source, &parts(&layout, together));
            for numbers in source.registers.chunks(1 << together) {
                let mut byte = self.b.constant(Lane::I8, 0);
                for (n, number) in (0..).zip(numbers) {
                    let (number, places) = (self.as_integer(*number), self.b.constant(Lane::I8, n * u64::from(bits)));
                    let placed = self.b.prim(Prim::Shl, &[number, places]);
                    byte = self.b.prim(Prim::Or, &[byte, placed]);
                }
                registers.push(byte);
            }
            layout
        } else {
            for number in &source.registers {
                let number = self.as_integer(*number);
                for byte in 0..u64::from(bits / 8) {
                    let places = self.b.constant(self.b.lane(number), 8 * byte);
                    let low = self.b.prim(Prim::ShrU, &[number, places]);
                    let low = if self.b.lane(low) == Lane::I16 { self.b.prim(Prim::U16To32, &[low]) } else { low };
                    registers.push(self.narrow(low, Lane::I8));
                }
            }
            parts(&source.layout, (bits / 8).ilog2())
        };
        self.define(result, Tile { elem, is_splat: bits_of(&shape) == 0, shape, layout, registers });
        Ok(())
    }

    pub(super) fn unpack(&mut self, op: OpRef<'_>) -> Result<(), Stop> {
        let source = self.tile(op, op.operands()[0])?;
        let result = op.result(0).expect("numbers");
        let (elem, shape) = self.tile_type(op, result)?;
        let lane = self.lane_of(op, elem)?;
        let bits = packed_bits(elem);
        let mut registers = Vec::new();
        let layout = if bits < 8 {
            let low = self.b.constant(Lane::I8, (1 << bits) - 1);
            for byte in &source.registers {
                for n in 0..u64::from(8 / bits) {
                    let places = self.b.constant(Lane::I8, n * u64::from(bits));
                    let number = self.b.prim(Prim::ShrU, &[*byte, places]);
                    let number = self.b.prim(Prim::And, &[number, low]);
                    registers.push(self.loaded_form(number, lane));
                }
            }
            parts(&source.layout, (8 / bits).ilog2())
        } else {
            let layout = self.layout_of(&shape);
            let together = (bits / 8).ilog2();
            let source = self.convert(&source, &parts(&layout, together));
            for bytes in source.registers.chunks(1 << together) {
                let mut number = self.i64(0);
                for (n, byte) in (0..).zip(bytes) {
                    let (wide, places) = (self.wide(*byte), self.i64(8 * n));
                    let placed = self.b.prim(Prim::Shl, &[wide, places]);
                    number = self.b.prim(Prim::Or, &[number, placed]);
                }
                let integer = match lane {
                    Lane::F64 => Lane::I64,
                    Lane::F32 => Lane::I32,
                    lane => lane,
                };
                let number = self.narrow(number, integer);
                registers.push(self.of_bits(number, lane));
            }
            layout
        };
        self.define(result, Tile { elem, is_splat: bits_of(&shape) == 0, shape, layout, registers });
        Ok(())
    }
}
