//! The operations of a function, along the layouts that the reader decodes them by (FORMAT section 7).

use super::{GroupKind, LeafKind, flags::names_of_bits, tracer::Tracer};
use crate::{
    ReadError,
    body::{MIN_BLOCK, MIN_OP},
    error::Place,
    layout::{AttrCodec, AttrLayout, OpLayout, OperandLayout, ResultLayout, SegmentLayout, layouts},
    limits::MAX_REGION_DEPTH,
};
use tilewright_ir::{
    Opcode, Type, TypeData,
    ops::{Arity, AttrKind, FlagItem, OpDef, Results},
};

/// What is open at some point of a body, from the outside in.
enum Frame {
    /// A block: the operations that it still holds, all up to the end in the block of the function, and how many values
    /// were live before it.
    Block { left: Option<usize>, outside: usize },
    /// A region: the blocks that it still holds.
    Region { blocks: usize },
    /// An operation: its regions to come, and where its result types begin on the stack.
    Op { regions: usize, number: u8, first_result: usize },
}

/// The body of a function on its way to the visitor.
struct Walk<'t, 'a, 'v> {
    tracer: &'t mut Tracer<'a, 'v>,
    /// Types of the values that an index can name, in the order of their numbers.
    live: Vec<Option<Type>>,
    /// Result types of the open operations.
    results: Vec<Option<Type>>,
    frames: Vec<Frame>,
    /// How many operations began.
    ops: usize,
    /// Whether the number of parameters, and so the number of every value, is known.
    is_numbered: bool,
}

impl Tracer<'_, '_> {
    /// The body that the range holds, of a function of this type.
    pub(super) fn body(&mut self, signature: Option<Type>) -> Result<(), ReadError> {
        let (live, is_numbered) = match signature.map(|signature| self.context.tables.types.get(signature)) {
            Some(TypeData::Function { inputs, .. }) => (inputs.iter().copied().map(Some).collect(), true),
            _ => (Vec::new(), false),
        };
        let frames = vec![Frame::Block { left: None, outside: 0 }];
        Walk { tracer: self, live, results: Vec::new(), frames, ops: 0, is_numbered }.run()
    }
}

impl Walk<'_, '_, '_> {
    fn run(&mut self) -> Result<(), ReadError> {
        while let Some(frame) = self.frames.last_mut() {
            match frame {
                Frame::Block { left: None, .. } if self.tracer.cursor.is_empty() => return Ok(()),
                Frame::Block { left: Some(0), outside } => {
                    self.live.truncate(*outside);
                    self.close();
                }
                Frame::Block { left, .. } => {
                    *left = left.map(|left| left - 1);
                    self.operation()?;
                }
                Frame::Region { blocks: 0 } => self.close(),
                Frame::Region { blocks } => {
                    *blocks -= 1;
                    self.block()?;
                }
                Frame::Op { regions: 0, first_result, .. } => {
                    let first = *first_result;
                    self.live.extend(self.results.drain(first..));
                    self.close();
                }
                Frame::Op { regions, number, .. } => {
                    *regions -= 1;
                    *number += 1;
                    let title = format_args!("region {}", *number - 1);
                    self.tracer.enter(GroupKind::Region, title);
                    let blocks = self.tracer.count("blocks", MIN_BLOCK)?;
                    self.frames.push(Frame::Region { blocks });
                }
            }
        }
        Ok(())
    }

    fn close(&mut self) {
        self.frames.pop();
        self.tracer.leave();
    }

    fn block(&mut self) -> Result<(), ReadError> {
        let outside = self.live.len();
        self.tracer.enter(GroupKind::Block, format_args!("block"));
        let args = self.tracer.count("block arguments", 1)?;
        for index in 0..args {
            let value = self.live.len();
            let ty = self.defined(format_args!("argument {index}"), value)?;
            self.live.push(ty);
        }
        let left = Some(self.tracer.count("operations", MIN_OP)?);
        self.frames.push(Frame::Block { left, outside });
        Ok(())
    }

    fn operation(&mut self) -> Result<(), ReadError> {
        self.tracer.enter(GroupKind::Operation, format_args!("operation {}", self.ops));
        let result = self.fields();
        self.ops += 1;
        result
    }

    /// An operation up to its regions.
    fn fields(&mut self) -> Result<(), ReadError> {
        let layout = self.opcode()?;
        let def = layout.opcode.def();
        let first_result = self.results.len();
        self.result_types(def, layout.results)?;
        let flags = if layout.has_flags { self.flags(def)? } else { 0 };
        for (attr, def) in layout.attrs.iter().zip(def.attrs) {
            match *attr {
                AttrLayout::Plain(codec) => self.attribute(def.name.name(), codec)?,
                AttrLayout::Flagged(bit, codec) if flags & bit != 0 => self.attribute(def.name.name(), codec)?,
                AttrLayout::Flagged(..) | AttrLayout::Unit(_) | AttrLayout::Implied(_) => {}
            }
        }
        self.operands(def, &layout.operands, flags)?;
        if layout.regions > 0 {
            self.region_count(layout)?;
        }
        self.frames.push(Frame::Op { regions: usize::from(layout.regions), number: 0, first_result });
        Ok(())
    }

    fn opcode(&mut self) -> Result<&'static OpLayout, ReadError> {
        let at = self.tracer.cursor.place();
        // Opcodes have 32 bits.
        let wire = self.tracer.cursor.varint()? as u32;
        let context = &self.tracer.context;
        let layout = Opcode::from_wire(wire).map(|opcode| &layouts(context.version)[opcode]);
        let layout = match layout {
            Some(layout) if layout.is_plain => layout,
            layout => context.unusual_opcode(at, wire, layout)?,
        };
        self.tracer.tell(LeafKind::Head, format_args!("opcode"), format_args!("{}", layout.opcode), None);
        Ok(layout)
    }

    fn result_types(&mut self, def: &OpDef, layout: ResultLayout) -> Result<(), ReadError> {
        let count = if layout.counted { self.result_count(layout.fixed)? } else { layout.fixed.unwrap_or(0) };
        for index in 0..count {
            // What regions define is gone when the results get their numbers.
            let value = self.live.len() + index;
            let ty = match def.results {
                Results::Fixed(results) => self.defined(format_args!("{}", results.get(index).map_or("result", |r| r.name)), value)?,
                Results::Variadic(_) => self.defined(format_args!("result {index}"), value)?,
            };
            self.results.push(ty);
        }
        Ok(())
    }

    /// The type index of a value with this number.
    fn defined(&mut self, name: std::fmt::Arguments<'_>, value: usize) -> Result<Option<Type>, ReadError> {
        if self.is_numbered { self.tracer.ty(name, format_args!(", value {value}")) } else { self.tracer.ty(name, format_args!("")) }
    }

    fn result_count(&mut self, fixed: Option<usize>) -> Result<usize, ReadError> {
        let at = self.tracer.cursor.place();
        let count = self.tracer.cursor.count("results", 1)?;
        let problem =
            fixed.filter(|fixed| *fixed != count).map(|fixed| at.malformed(format_args!("expected {fixed} results, found {count}")));
        self.tracer.tell(LeafKind::Field, format_args!("number of results"), format_args!("{count}"), problem.as_ref());
        Ok(count)
    }

    fn flags(&mut self, def: &OpDef) -> Result<u64, ReadError> {
        let flags = self.tracer.cursor.varint()?;
        let name = |item: &FlagItem| match *item {
            FlagItem::Attr(index) => def.attrs[index].name.name(),
            FlagItem::Operand(index) => def.operands[index].name,
        };
        let names: Vec<&str> = def.flag_items().iter().map(name).collect();
        self.tracer.field(format_args!("flags"), format_args!("{flags:#x}{}", names_of_bits(flags, &names)));
        Ok(flags)
    }

    fn attribute(&mut self, name: &str, codec: AttrCodec) -> Result<(), ReadError> {
        let tracer = &mut *self.tracer;
        let kind = match codec {
            AttrCodec::Enum(kind, _) => AttrKind::Enum(kind),
            AttrCodec::Other(kind) => kind,
        };
        match kind {
            AttrKind::Enum(kind) => tracer.enumeration(name, kind),
            AttrKind::UInt(_) => tracer.varint(name).map(drop),
            AttrKind::Bool => tracer.bool(name).map(drop),
            AttrKind::String | AttrKind::Symbol => tracer.string(name),
            AttrKind::Type => tracer.ty(format_args!("{name}"), format_args!("")).map(drop),
            AttrKind::Constant => tracer.constant(name),
            AttrKind::Array => tracer.group(GroupKind::Item, format_args!("{name}"), |tracer| tracer.elements(0)),
            AttrKind::Hints => tracer.group(GroupKind::Item, format_args!("{name}"), |tracer| tracer.entries(0)),
            AttrKind::Predicate => tracer.attribute(name, 0),
            AttrKind::I32Array => tracer.group(GroupKind::Item, format_args!("{name}"), |tracer| {
                tracer.list("numbers", |bytes| i64::from(i32::from_le_bytes(bytes)))
            }),
            AttrKind::BoolArray => tracer.group(GroupKind::Item, format_args!("{name}"), |tracer| {
                let count = tracer.count("truth values", 1)?;
                (0..count).try_for_each(|index| tracer.bool(&format!("[{index}]")).map(drop))
            }),
            AttrKind::Unit => Ok(()),
        }
    }

    fn operands(&mut self, def: &OpDef, layout: &OperandLayout, flags: u64) -> Result<(), ReadError> {
        match layout {
            OperandLayout::Fixed(_) => def.operands.iter().try_for_each(|operand| self.operand(operand.name, None)),
            OperandLayout::Counted { fixed, open, arity } => self.counted_operands(def, *fixed, *open, *arity),
            OperandLayout::Segments(segments) => {
                for (segment, operand) in segments.iter().zip(def.operands) {
                    match *segment {
                        SegmentLayout::One => self.operand(operand.name, None)?,
                        SegmentLayout::Variadic => {
                            let count = self.tracer.count(operand.name, 1)?;
                            (0..count).try_for_each(|index| self.operand(operand.name, Some(index)))?;
                        }
                        SegmentLayout::Optional(bit) if flags & bit != 0 => self.operand(operand.name, None)?,
                        SegmentLayout::Optional(_) | SegmentLayout::Newer => {}
                    }
                }
                Ok(())
            }
        }
    }

    /// A total count; the operand at position `open` takes what the others leave.
    fn counted_operands(&mut self, def: &OpDef, fixed: usize, open: usize, arity: Arity) -> Result<(), ReadError> {
        let at = self.tracer.cursor.place();
        let count = self.tracer.cursor.count("operands", 1)?;
        let rest = count.checked_sub(fixed).filter(|&rest| arity == Arity::Variadic || rest <= 1);
        let problem = rest.is_none().then(|| at.malformed(format_args!("{} takes no {count} operands", def.mnemonic)));
        self.tracer.tell(LeafKind::Field, format_args!("number of operands"), format_args!("{count}"), problem.as_ref());
        let Some(rest) = rest else {
            return (0..count).try_for_each(|index| self.operand("operand", Some(index)));
        };
        for (position, operand) in def.operands.iter().enumerate() {
            match (position == open, arity) {
                (true, Arity::Variadic) => (0..rest).try_for_each(|index| self.operand(operand.name, Some(index)))?,
                (true, _) => (0..rest).try_for_each(|_| self.operand(operand.name, None))?,
                (false, _) => self.operand(operand.name, None)?,
            }
        }
        Ok(())
    }

    /// The index of a value, for an operand or one of many of this name.
    fn operand(&mut self, name: &str, index: Option<usize>) -> Result<(), ReadError> {
        match index {
            None => self.value(format_args!("{name}")),
            Some(index) => self.value(format_args!("{name} {index}")),
        }
    }

    fn value(&mut self, name: std::fmt::Arguments<'_>) -> Result<(), ReadError> {
        let at = self.tracer.cursor.place();
        let index = self.tracer.cursor.varint()?;
        match usize::try_from(index).ok().and_then(|i| self.live.get(i)) {
            _ if !self.is_numbered => self.tracer.field(name, format_args!("value {index}")),
            Some(Some(ty)) => {
                let text = self.tracer.context.tables.types.brief(*ty);
                self.tracer.field(name, format_args!("value {index}: {text}"));
            }
            Some(None) => self.tracer.field(name, format_args!("value {index}")),
            None => {
                let problem = at.no_entry("value", index, self.live.len(), "values are live");
                self.tracer.tell(LeafKind::Field, name, format_args!("value {index}"), Some(&problem));
            }
        }
        Ok(())
    }

    fn region_count(&mut self, layout: &OpLayout) -> Result<(), ReadError> {
        let at = self.tracer.cursor.place();
        let count = self.tracer.varint("number of regions")?;
        check_regions(at, count, layout.regions, self.frames.len())
    }
}

/// Checks the number of regions, and that they do not nest too deep: each level has three frames.
fn check_regions(at: Place, count: u64, expected: u8, frames: usize) -> Result<(), ReadError> {
    if count != u64::from(expected) {
        return Err(at.malformed(format_args!("expected {expected} regions, found {count}")));
    }
    if frames / 3 >= MAX_REGION_DEPTH {
        return Err(at.limit(format_args!("regions nest deeper than {MAX_REGION_DEPTH}")));
    }
    Ok(())
}
