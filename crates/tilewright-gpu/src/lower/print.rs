//! Printing and assertions: one thread prints, tiles from shared memory.

use super::{
    Lowerer, Stop, Tile,
    exchange::{InShared, PIECE_BYTES},
    tile::{bits_of, dims_of},
};
use crate::thread::{End, Space, Special, Target, Value};
use tilewright_ir::{AttrName, AttrValue, OpRef, RoundingMode, Scalar};
use tilewright_passes::{
    elem::Elem,
    elementwise::ElemOp,
    printf::{Conversion, Piece, parse},
};
use tilewright_vector::{Lane, Prim};

const I64: Elem = Elem::Num(Scalar::I64);
const F64: Elem = Elem::Num(Scalar::F64);

/// A format for the device's `printf`, without the zero at its end: what of it is no conversion.
fn escaped(text: &[u8]) -> Vec<u8> {
    text.iter().flat_map(|byte| if *byte == b'%' { vec![b'%'; 2] } else { vec![*byte] }).collect()
}

/// A conversion for the device's `printf`. Numbers have 64 bits there, but characters.
fn device_format(conversion: &Conversion) -> String {
    let flags =
        [(conversion.left, '-'), (conversion.plus, '+'), (conversion.space, ' '), (conversion.alternative, '#'), (conversion.zeros, '0')];
    let flags: String = flags.iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| *flag).collect();
    let width = if conversion.width > 0 { conversion.width.to_string() } else { String::new() };
    let precision = conversion.precision.map_or_else(String::new, |digits| format!(".{digits}"));
    let length = if b"diuoxX".contains(&conversion.letter) { "ll" } else { "" };
    format!("%{flags}{width}{precision}{length}{}", char::from(conversion.letter))
}

impl Lowerer<'_> {
    pub(super) fn print(&mut self, op: OpRef<'_>) -> Result<(), Stop> {
        let AttrValue::Str(format) = op.attr(AttrName::Str) else { return Err(self.unsupported(op, "a print without a format")) };
        let module = self.module;
        let pieces = parse(module.tables.strings.bytes(format)).map_err(|what| self.unsupported(op, &what))?;
        let args = op.operand_named("args");
        let conversions = pieces.iter().filter(|piece| matches!(piece, Piece::Value(_))).count();
        if conversions != args.len() {
            return Err(self.unsupported(op, &format!("a format of {conversions} conversions for {} operands", args.len())));
        }
        let mut args = args.iter();
        let mut text: Vec<u8> = Vec::new();
        let mut scalars = Vec::new();
        for piece in &pieces {
            match piece {
                Piece::Text(bytes) => text.extend(escaped(bytes)),
                Piece::Value(conversion) => {
                    let tile = self.tile(op, *args.next().expect("they were counted"))?;
                    if tile.shape.is_empty() {
                        text.extend(device_format(conversion).bytes());
                        let value = self.printed(op, conversion, tile.elem, tile.registers[0])?;
                        scalars.push(value);
                    } else {
                        self.print_once(std::mem::take(&mut text), std::mem::take(&mut scalars));
                        self.print_tile(op, conversion, &tile)?;
                    }
                }
            }
        }
        self.print_once(text, scalars);
        self.pass_tokens(op);
        Ok(())
    }

    fn first_thread(&mut self) -> Value {
        let layout = self.layout_of(&[]);
        self.first_holders(&layout).expect("a block has several threads")
    }

    fn text(&mut self, mut text: Vec<u8>) -> Value {
        text.push(0);
        self.b.data(text)
    }

    /// One thread prints a text with scalars.
    fn print_once(&mut self, text: Vec<u8>, scalars: Vec<Value>) {
        if !text.is_empty() {
            let (format, first) = (self.text(text), self.first_thread());
            self.only_where(first, |this| this.b.print(format, scalars));
        }
    }

    /// An element as the device's `printf` takes it for a conversion.
    fn printed(&mut self, op: OpRef<'_>, conversion: &Conversion, elem: Elem, value: Value) -> Result<Value, Stop> {
        let is_float = elem.float().is_some();
        let letter = conversion.letter;
        let reached = if b"eEfFgGaA".contains(&letter) {
            if is_float {
                self.as_elem(ElemOp::FToF(RoundingMode::NearestEven), elem, F64, value)
            } else {
                self.as_elem(ElemOp::ExtI(true), elem, I64, value).and_then(|int| self.as_elem(ElemOp::IToF(true), I64, F64, int))
            }
        } else if is_float {
            self.as_elem(ElemOp::FToI(true), elem, I64, value)
        } else {
            // An i1 prints as 0 or 1.
            let signed = b"dic".contains(&letter) && elem != Elem::Num(Scalar::I1);
            self.as_elem(ElemOp::ExtI(signed), elem, I64, value)
        };
        let value = reached.ok_or_else(|| self.unsupported(op, &format!("%{} of {elem:?}", char::from(letter))))?;
        Ok(if letter == b'c' { self.narrow(value, Lane::I32) } else { value })
    }

    /// An element in another type; as it is, if it has that already.
    fn as_elem(&mut self, how: ElemOp, from: Elem, to: Elem, value: Value) -> Option<Value> {
        if from == to || from == Elem::Ptr { Some(value) } else { self.element(how, &[from], to, &[value]) }
    }

    /// One thread prints the elements of a tile in brackets, from shared memory.
    fn print_tile(&mut self, op: OpRef<'_>, conversion: &Conversion, tile: &Tile) -> Result<(), Stop> {
        let bits = bits_of(&tile.shape);
        let lane = self.b.lane(tile.registers[0]);
        let memory = if lane == Lane::Mask { Lane::I8 } else { lane };
        let size = memory.size() as u32;
        let piece_bits = bits.min((PIECE_BYTES / size).ilog2());
        let holders = self.first_holders(&tile.layout);
        let first = self.first_thread();
        let values: Vec<Value> = tile.registers.iter().map(|value| self.stored_form(*value)).collect();
        for piece in 0..1 << (bits - piece_bits) {
            let begin = self.claim_shared(size << piece_bits);
            let piece = InShared { number: piece, bits: piece_bits, size, begin, further: None };
            self.store_piece(&tile.layout, &values, 0, holders, piece);
            self.barrier();
            let mut result = Ok(());
            self.only_where(first, |this| result = this.print_piece(op, conversion, tile, piece, lane));
            result?;
            self.read_shared(begin, size << piece_bits);
        }
        Ok(())
    }

    /// Prints the elements of a piece, with the brackets in front of them and behind.
    fn print_piece(&mut self, op: OpRef<'_>, conversion: &Conversion, tile: &Tile, piece: InShared, lane: Lane) -> Result<(), Stop> {
        let piece_bits = piece.bits;
        let memory = if lane == Lane::Mask { Lane::I8 } else { lane };
        let rank = tile.shape.len();
        // In front: up to as many brackets as there are dimensions. Behind: as many of them, and a comma but at the end.
        let opening = self.text(vec![b'['; rank]);
        let width = rank + 3;
        let mut closings = Vec::new();
        for (count, comma) in (0..=rank).map(|count| (count, ", ")).chain([(rank, "")]) {
            let mut text = "]".repeat(count) + comma;
            text += &"\0".repeat(width - text.len());
            closings.extend(text.bytes());
        }
        let closing = self.b.data(closings);
        let format = self.text(format!("%s{}%s", device_format(conversion)).into_bytes());
        let (header, params) = self.b.block(&[Lane::I32]);
        let (exit, _) = self.b.block(&[]);
        let zero = self.i32(0);
        self.b.jump(header, vec![zero]);
        self.b.continue_in(header);
        let size = self.i32(memory.size() as u32);
        let address = self.b.prim(Prim::Mul, &[params[0], size]);
        let loaded = self.b.load(memory, Space::Shared, address, piece.begin as i32, None);
        let value = self.loaded_form(loaded, lane);
        let value = self.printed(op, conversion, tile.elem, value)?;
        let start = self.i32(piece.number << piece_bits);
        let index = self.b.prim(Prim::Add, &[params[0], start]);
        let (mut opened, mut closed) = (self.i32(rank as u32), self.i32(0));
        let one = self.i32(1);
        for (low, bits) in dims_of(&tile.shape) {
            let inner = self.i32(((1u64 << (low + bits)) - 1) as u32);
            let within = self.b.prim(Prim::And, &[index, inner]);
            let [begins, ends] = [zero, inner].map(|edge| self.b.prim(Prim::Eq, &[within, edge]));
            let fewer = self.b.prim(Prim::Sub, &[opened, one]);
            opened = self.b.prim(Prim::Select, &[begins, fewer, opened]);
            let more = self.b.prim(Prim::Add, &[closed, one]);
            closed = self.b.prim(Prim::Select, &[ends, more, closed]);
        }
        let (last, at_end) = (self.i32(((1u64 << bits_of(&tile.shape)) - 1) as u32), self.i32(rank as u32 + 1));
        let is_last = self.b.prim(Prim::Eq, &[index, last]);
        let entry = self.b.prim(Prim::Select, &[is_last, at_end, closed]);
        let width = self.i32(width as u32);
        let entry = self.b.prim(Prim::Mul, &[entry, width]);
        let [front, behind] = [(opening, opened), (closing, entry)].map(|(base, distance)| {
            let distance = self.b.prim(Prim::U32To64, &[distance]);
            self.b.prim(Prim::Add, &[base, distance])
        });
        self.b.print(format, vec![front, value, behind]);
        let next = self.b.prim(Prim::Add, &[params[0], one]);
        let count = self.i32(1 << piece_bits);
        let more = self.b.prim(Prim::LtU, &[next, count]);
        self.b.end(End::Branch {
            condition: more,
            then: Target { label: header, args: vec![next] },
            otherwise: Target { label: exit, args: Vec::new() },
        });
        self.b.continue_in(exit);
        Ok(())
    }

    /// Threads that hold an element that is false say so and end the launch.
    pub(super) fn assert(&mut self, op: OpRef<'_>) -> Result<(), Stop> {
        let AttrValue::Str(message) = op.attr(AttrName::Message) else {
            return Err(self.unsupported(op, "an assertion without a message"));
        };
        let condition = self.tile(op, op.operands()[0])?;
        let first = self.first_holders(&condition.layout);
        let zero = self.i32(0);
        let (mut failed, mut element) = (self.b.constant(Lane::Mask, 0), zero);
        for (register, value) in condition.registers.iter().enumerate() {
            let is_false = self.b.prim(Prim::MNot, &[*value]);
            let index = self.index(&condition.layout, register as u32, |index| index);
            element = self.b.prim(Prim::Select, &[failed, element, index]);
            failed = self.b.prim(Prim::MOr, &[failed, is_false]);
        }
        let failed = self.both(first, Some(failed)).expect("a mask");
        let mut text = escaped(self.module.tables.strings.bytes(message));
        text.extend(b": block (%d, %d, %d), element %d\n");
        let format = self.text(text);
        let block = [0, 1, 2].map(|axis| self.b.special(Special::Block(axis)));
        let (fails, _) = self.b.block(&[]);
        let (passes, _) = self.b.block(&[]);
        self.b.end(End::Branch {
            condition: failed,
            then: Target { label: fails, args: Vec::new() },
            otherwise: Target { label: passes, args: Vec::new() },
        });
        self.b.continue_in(fails);
        self.b.print(format, block.into_iter().chain([element]).collect());
        self.b.end(End::Trap);
        self.b.continue_in(passes);
        Ok(())
    }
}
