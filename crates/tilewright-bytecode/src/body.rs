//! Decodes the operations of a function (FORMAT section 7).

use crate::{
    ReadErrorKind,
    attributes::tag,
    context::Context,
    cursor::Cursor,
    debug::Row,
    error::{Place, ReadError},
    functions::FunctionHeader,
    layout::{AttrCodec, AttrLayout, Layouts, OpLayout, OperandLayout, ResultLayout, SegmentLayout, layouts},
    limits::MAX_REGION_DEPTH,
};
use tilewright_ir::{
    Attr, AttrData, AttrValue, Block, Body, EnumKind, Loc, Op, Opcode, PushedOp, Region, Type, TypeData, TypeTable, Value,
    ops::{Arity, AttrKind, Placement},
};

/// Buffers that are used again for each operation and each function.
#[derive(Default)]
pub(crate) struct Scratch {
    /// The values that an index can name.
    live: Live,
    /// Result types of the current operation, below them those of the operations around it.
    results: Vec<Type>,
    /// Argument types of a block.
    args: Vec<Type>,
    /// Lists of this many `false`.
    all_false: Vec<Option<Attr>>,
}

/// The values that an index of the file can name, by that index.
#[derive(Default)]
struct Live {
    /// So many have the number that they have in the body: all but those that come after a region whose values are gone.
    straight: usize,
    /// The others.
    moved: Vec<Value>,
}

impl Live {
    fn clear(&mut self) {
        self.truncate(0);
    }

    fn len(&self) -> usize {
        self.straight + self.moved.len()
    }

    #[inline]
    fn get(&self, index: usize) -> Option<Value> {
        match index.checked_sub(self.straight) {
            None => Some(Value::new(index)),
            Some(index) => self.moved.get(index).copied(),
        }
    }

    /// Gives the next index to a value; it was added to the body after those that have one.
    #[inline]
    fn push(&mut self, value: Value) {
        if value.index() == self.straight {
            self.straight += 1;
        } else {
            self.moved.push(value);
        }
    }

    fn truncate(&mut self, len: usize) {
        self.moved.truncate(len.saturating_sub(self.straight));
        self.straight = self.straight.min(len);
    }
}

/// About how many bytes an operation takes: a guess at how much to reserve.
const BYTES_PER_OP: usize = 6;
/// Fewest bytes of a block: two counts and an operation.
pub(crate) const MIN_BLOCK: usize = 4;
/// Fewest bytes of an operation.
pub(crate) const MIN_OP: usize = 2;

/// The operation that is being decoded, for errors.
#[derive(Clone, Copy)]
struct Current {
    index: usize,
    opcode: Option<Opcode>,
}

struct Decoder<'c, 'a> {
    context: &'c mut Context<'a>,
    scratch: &'c mut Scratch,
    layouts: &'static Layouts,
    cursor: Cursor<'a>,
    row: Option<Row>,
    body: Body,
    depth: usize,
    current: Option<Current>,
}

impl<'a> Context<'a> {
    /// Decodes the body that `cursor` covers.
    pub(crate) fn body(&mut self, scratch: &mut Scratch, function: &FunctionHeader, cursor: Cursor<'a>) -> Result<Body, ReadError> {
        let mut body = Body::new();
        body.reserve(cursor.remaining() / BYTES_PER_OP + 1);
        scratch.results.clear();
        scratch.live.clear();
        let layouts = layouts(self.version);
        let mut decoder = Decoder { context: self, scratch, layouts, cursor, row: function.row, body, depth: 0, current: None };
        match decoder.function(function.signature) {
            Ok(()) => Ok(decoder.body),
            Err(error) => Err(match decoder.current {
                Some(Current { index, opcode }) => error.in_operation(index, opcode.map(Opcode::mnemonic)),
                None => error,
            }),
        }
    }
}

impl Context<'_> {
    /// The layout of an opcode that not every file of the version may hold in a body.
    #[cold]
    pub(crate) fn unusual_opcode(&self, at: Place, wire: u32, layout: Option<&'static OpLayout>) -> Result<&'static OpLayout, ReadError> {
        let Some(layout) = layout else {
            return Err(match wire {
                0x4003 | 0x4004 => at.preview(format_args!("opcode {wire:#x}")),
                _ => at.malformed(format_args!("unknown opcode {wire:#x}")),
            });
        };
        let def = layout.opcode.def();
        let version = self.version;
        if def.placement != Placement::Body {
            return Err(at.malformed(format_args!("{} cannot stand in the body of a function", def.mnemonic)));
        }
        if def.since > version {
            return Err(at.newer(format_args!("{} needs version {}, the file has {version}", def.mnemonic, def.since)));
        }
        if def.preview && !self.preview {
            let message = format_args!("{} is preview content, which the header does not announce", def.mnemonic);
            return Err(at.error(ReadErrorKind::Preview, message));
        }
        Ok(layout)
    }
}

impl Decoder<'_, '_> {
    fn function(&mut self, signature: Type) -> Result<(), ReadError> {
        self.scratch.args.clear();
        if let TypeData::Function { inputs, .. } = self.context.tables.types.get(signature) {
            self.scratch.args.extend_from_slice(inputs);
        }
        let block = self.add_block(self.body.root());
        if self.cursor.is_empty() {
            return Err(self.cursor.place().malformed(format_args!("the body of a function must hold an operation, found none")));
        }
        while !self.cursor.is_empty() {
            self.operation(block)?;
        }
        Ok(())
    }

    /// Adds a block whose arguments have the types in the scratch buffer.
    fn add_block(&mut self, region: Region) -> Block {
        let first = self.body.num_values();
        let block = self.body.add_block(region, &self.scratch.args);
        self.make_live(first, self.scratch.args.len());
        block
    }

    /// Gives the next numbers to `count` values, beginning with the `first`-th of the body.
    fn make_live(&mut self, first: usize, count: usize) {
        (first..first + count).for_each(|index| self.scratch.live.push(Value::new(index)));
    }

    fn operation(&mut self, block: Block) -> Result<(), ReadError> {
        let loc = self.location()?;
        let layout = self.opcode()?;
        let first_result = self.scratch.results.len();
        self.result_types(layout.results)?;
        let flags = if layout.has_flags { self.cursor.varint()? } else { 0 };
        self.attributes(layout, flags, first_result)?;
        let (present, split) = self.operands(&layout.operands, flags)?;
        if let Some(slot) = layout.all_false {
            let all_false = self.all_false(split);
            self.body.pushed_attrs()[slot] = AttrValue::Attr(all_false);
        }
        let new = PushedOp { opcode: layout.opcode, present, split: split as u32, loc };
        let op = self.body.add_op_of_pushed(block, new);
        if layout.regions > 0 {
            self.regions(op)?;
        }
        match (&self.scratch.results[first_result..], layout.results.newer) {
            (&[ty], 0) => {
                let result = self.body.define_result(op, ty);
                self.scratch.results.truncate(first_result);
                self.scratch.live.push(result);
            }
            (_, newer) => self.results(op, first_result, newer),
        }
        Ok(())
    }

    /// Notes which operation errors are about.
    #[inline]
    fn begin(&mut self, opcode: Option<Opcode>) {
        self.current = Some(Current { index: self.body.num_ops(), opcode });
    }

    #[inline]
    fn location(&mut self) -> Result<Option<Loc>, ReadError> {
        if self.row.is_some() {
            self.begin(None);
        }
        match &mut self.row {
            Some(row) => self.context.next_location(row),
            None => Ok(None),
        }
    }

    #[inline]
    fn opcode(&mut self) -> Result<&'static OpLayout, ReadError> {
        let layouts = self.layouts;
        match self.cursor.next_if(|byte| layouts.plain(byte)) {
            Some(layout) => {
                self.begin(Some(layout.opcode));
                Ok(layout)
            }
            None => self.long_opcode(),
        }
    }

    #[cold]
    fn long_opcode(&mut self) -> Result<&'static OpLayout, ReadError> {
        self.begin(None);
        let at = self.cursor.place();
        // Opcodes have 32 bits.
        let wire = self.cursor.varint()? as u32;
        let opcode = Opcode::from_wire(wire);
        self.begin(opcode);
        match opcode.map(|opcode| &self.layouts[opcode]) {
            Some(layout) if layout.is_plain => Ok(layout),
            layout => self.context.unusual_opcode(at, wire, layout),
        }
    }

    /// Puts the result types on the scratch stack.
    fn result_types(&mut self, layout: ResultLayout) -> Result<(), ReadError> {
        let count = if layout.counted { self.result_count(layout.fixed)? } else { layout.fixed.unwrap_or(0) };
        for _ in 0..count {
            let ty = self.context.ty(&mut self.cursor)?;
            self.scratch.results.push(ty);
        }
        Ok(())
    }

    fn result_count(&mut self, fixed: Option<usize>) -> Result<usize, ReadError> {
        let at = self.cursor.place();
        let count = self.cursor.count("results", 1)?;
        match fixed {
            Some(fixed) if fixed != count => Err(at.malformed(format_args!("expected {fixed} results, found {count}"))),
            _ => Ok(count),
        }
    }

    /// Creates the results, whose types lie on the scratch stack from `first` on, and numbers those that the file knows.
    fn results(&mut self, op: Op, first: usize, newer: usize) {
        let known = self.scratch.results.len() - first;
        // Every result that came after its operation is a token.
        self.scratch.results.extend(std::iter::repeat_n(TypeTable::token(), newer));
        let value = self.body.num_values();
        self.body.define_results(op, &self.scratch.results[first..]);
        self.scratch.results.truncate(first);
        self.make_live(value, known);
    }

    fn attributes(&mut self, layout: &OpLayout, flags: u64, first_result: usize) -> Result<(), ReadError> {
        for attr in &layout.attrs {
            match *attr {
                AttrLayout::Plain(AttrCodec::Enum(kind, mask)) => self.enum_attribute(kind, mask)?,
                AttrLayout::Plain(codec) => self.attribute(codec, first_result)?,
                AttrLayout::Flagged(bit, codec) if flags & bit != 0 => self.attribute(codec, first_result)?,
                AttrLayout::Unit(bit) if flags & bit != 0 => self.body.push_attr(AttrValue::Unit),
                AttrLayout::Flagged(..) | AttrLayout::Unit(_) => self.body.push_attr(AttrValue::Absent),
                AttrLayout::Implied(value) => self.body.push_attr(value),
            }
        }
        Ok(())
    }

    fn attribute(&mut self, codec: AttrCodec, first_result: usize) -> Result<(), ReadError> {
        match codec {
            AttrCodec::Enum(kind, mask) => self.enum_attribute(kind, mask)?,
            AttrCodec::Other(kind) => {
                let value = self.other_attribute(kind, first_result)?;
                self.body.push_attr(value);
            }
        }
        Ok(())
    }

    #[inline]
    fn enum_attribute(&mut self, kind: EnumKind, mask: u32) -> Result<(), ReadError> {
        // Nearly always one byte of those that the version has.
        let wire = match self.cursor.byte_of(mask) {
            Some(wire) => wire,
            None => self.context.enum_value(kind, &mut self.cursor)?,
        };
        self.body.push_attr(AttrValue::Enum(wire));
        Ok(())
    }

    fn other_attribute(&mut self, kind: AttrKind, first_result: usize) -> Result<AttrValue, ReadError> {
        let Decoder { context, cursor, scratch, .. } = self;
        Ok(match kind {
            AttrKind::Enum(kind) => AttrValue::Enum(context.enum_value(kind, cursor)?),
            AttrKind::UInt(bits) => AttrValue::Int(unsigned(cursor, bits)?),
            AttrKind::Bool => AttrValue::Bool(cursor.bool()?),
            AttrKind::String => AttrValue::Str(context.string(cursor)?),
            AttrKind::Symbol => AttrValue::Str(context.name(cursor, "the name of a symbol")?),
            AttrKind::Type => AttrValue::Type(context.ty(cursor)?),
            AttrKind::Constant => AttrValue::Const(context.constant(cursor, scratch.results.get(first_result).copied())?),
            AttrKind::Array => AttrValue::Attr(context.array(cursor)?),
            AttrKind::Hints => AttrValue::Attr(context.hints(cursor)?),
            AttrKind::Predicate => AttrValue::Attr(predicate(context, cursor)?),
            AttrKind::I32Array => AttrValue::Attr(i32_array(context, cursor)?),
            AttrKind::BoolArray => AttrValue::Attr(bool_array(context, cursor)?),
            AttrKind::Unit => AttrValue::Unit,
        })
    }

    /// A list of `len` times `false`.
    fn all_false(&mut self, len: usize) -> Attr {
        if self.scratch.all_false.len() <= len {
            self.scratch.all_false.resize(len + 1, None);
        }
        let tables = &mut self.context.tables;
        *self.scratch.all_false[len].get_or_insert_with(|| tables.attrs.intern(AttrData::BoolArray(vec![false; len].into())))
    }

    /// Reads the operands: which optional ones are there, and how many values the first variadic one takes.
    fn operands(&mut self, layout: &OperandLayout, flags: u64) -> Result<(u8, usize), ReadError> {
        match layout {
            OperandLayout::Fixed(count) => {
                for _ in 0..*count {
                    self.operand()?;
                }
                Ok((0, 0))
            }
            OperandLayout::Counted { fixed, open, arity } => self.counted_operands(*fixed, *open, *arity),
            OperandLayout::Segments(segments) => self.segments(segments, flags),
        }
    }

    fn counted_operands(&mut self, fixed: usize, open: usize, arity: Arity) -> Result<(u8, usize), ReadError> {
        let at = self.cursor.place();
        let count = self.cursor.count("operands", 1)?;
        let rest = count.checked_sub(fixed).filter(|&rest| arity == Arity::Variadic || rest <= 1);
        let Some(rest) = rest else {
            let bound = if arity == Arity::Variadic { "or more" } else { "or one more" };
            return Err(at.malformed(format_args!("expected {fixed} {bound} operands, found {count}")));
        };
        for _ in 0..count {
            self.operand()?;
        }
        Ok(if arity == Arity::Variadic { (0, rest) } else { ((rest as u8) << open, 0) })
    }

    fn segments(&mut self, segments: &[SegmentLayout], flags: u64) -> Result<(u8, usize), ReadError> {
        let mut present = 0;
        let mut split = None;
        for (i, segment) in segments.iter().enumerate() {
            match *segment {
                SegmentLayout::One => self.operand()?,
                SegmentLayout::Variadic => {
                    let count = self.cursor.count("operands", 1)?;
                    split.get_or_insert(count);
                    for _ in 0..count {
                        self.operand()?;
                    }
                }
                SegmentLayout::Optional(bit) if flags & bit != 0 => {
                    present |= 1 << i;
                    self.operand()?;
                }
                SegmentLayout::Optional(_) | SegmentLayout::Newer => {}
            }
        }
        Ok((present, split.unwrap_or(0)))
    }

    #[inline(always)]
    fn operand(&mut self) -> Result<(), ReadError> {
        let at = self.cursor.place();
        let index = self.cursor.varint()?;
        let Some(value) = usize::try_from(index).ok().and_then(|i| self.scratch.live.get(i)) else {
            return Err(at.no_entry("value", index, self.scratch.live.len(), "values are live"));
        };
        self.body.push_operand(value);
        Ok(())
    }

    fn regions(&mut self, op: Op) -> Result<(), ReadError> {
        let owner = self.current;
        let at = self.cursor.place();
        let regions = self.body.op(op).regions();
        let count = self.cursor.varint()?;
        if count != regions.len() as u64 {
            return Err(at.malformed(format_args!("expected {} regions, found {count}", regions.len())));
        }
        if self.depth >= MAX_REGION_DEPTH {
            return Err(at.limit(format_args!("regions nest deeper than {MAX_REGION_DEPTH}")));
        }
        self.depth += 1;
        for region in regions {
            let blocks = self.cursor.count("blocks", MIN_BLOCK)?;
            for _ in 0..blocks {
                self.block(region)?;
                self.current = owner;
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn block(&mut self, region: Region) -> Result<(), ReadError> {
        let outside = self.scratch.live.len();
        let args = self.cursor.count("block arguments", 1)?;
        self.scratch.args.clear();
        for _ in 0..args {
            let ty = self.context.ty(&mut self.cursor)?;
            self.scratch.args.push(ty);
        }
        let at = self.cursor.place();
        let ops = self.cursor.count("operations", MIN_OP)?;
        if ops == 0 {
            return Err(at.malformed(format_args!("a block must hold an operation, found none")));
        }
        let block = self.add_block(region);
        for _ in 0..ops {
            self.operation(block)?;
        }
        self.scratch.live.truncate(outside);
        Ok(())
    }
}

fn unsigned(cursor: &mut Cursor<'_>, bits: u8) -> Result<u64, ReadError> {
    let at = cursor.place();
    let value = cursor.varint()?;
    if bits < 64 && value >> bits != 0 {
        return Err(at.malformed(format_args!("{value} does not fit into {bits} bits")));
    }
    Ok(value)
}

fn predicate(context: &mut Context<'_>, cursor: &mut Cursor<'_>) -> Result<Attr, ReadError> {
    let at = cursor.place();
    let tag = { *cursor }.varint()? as u8;
    if !matches!(tag, tag::DIV_BY | tag::SAME_ELEMENTS | tag::BOUNDED) {
        return Err(at.malformed(format_args!("expected a predicate, found attribute tag {tag}")));
    }
    context.attribute(cursor)
}

fn i32_array(context: &mut Context<'_>, cursor: &mut Cursor<'_>) -> Result<Attr, ReadError> {
    let at = cursor.place();
    let list = cursor.list_i32("numbers")?;
    if let Some(number) = list.iter().find(|n| matches!(**n, i32::MIN | i32::MAX)) {
        return Err(at.malformed(format_args!("{number} is not accepted in a list of 32-bit numbers")));
    }
    Ok(context.tables.attrs.intern(AttrData::I32Array(list)))
}

fn bool_array(context: &mut Context<'_>, cursor: &mut Cursor<'_>) -> Result<Attr, ReadError> {
    let count = cursor.count("truth values", 1)?;
    let list = cursor.take(count)?.iter().map(|&byte| byte != 0).collect();
    Ok(context.tables.attrs.intern(AttrData::BoolArray(list)))
}

#[cfg(test)]
mod tests {
    use super::{Live, Value};

    #[test]
    fn live_values_are_those_of_a_list() {
        let (mut live, mut list) = (Live::default(), Vec::new());
        let mut next = 0;
        // Regions that begin with so many values live, and add some; then the values of the region are gone.
        for (keep, add) in [(0, 3), (3, 2), (4, 1), (2, 0), (2, 4), (6, 3), (5, 2), (1, 2), (0, 1)] {
            live.truncate(keep);
            list.truncate(keep);
            for value in (next..next + add).map(Value::new) {
                live.push(value);
                list.push(value);
            }
            next += add;
            assert_eq!(live.len(), list.len());
            for index in 0..10 {
                assert_eq!(live.get(index), list.get(index).copied(), "{index}");
            }
        }
    }
}
