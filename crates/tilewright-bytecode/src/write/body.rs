//! Encodes the operations of a function (FORMAT section 7).

use super::{
    context::Context,
    error::{WriteError, WriteErrorKind},
    functions::DebugIds,
    put::Put,
};
use crate::{
    layout::{AttrCodec, AttrLayout, Layouts, OpLayout, OperandLayout, ResultLayout, SegmentLayout, layouts},
    limits::MAX_REGION_DEPTH,
};
use tilewright_ir::{
    AttrData, AttrValue, Block, Body, EnumKind, OpRef, Value, ValueDef, Version,
    ops::{AttrKind, Placement},
};

/// The body of a function under construction.
pub(super) struct BodyWriter<'c, 'm> {
    context: &'c mut Context<'m>,
    layouts: &'static Layouts,
    body: &'m Body,
    /// The number of each value in the file.
    numbers: Vec<u32>,
    /// How many values are live.
    live: u32,
    depth: usize,
    out: Vec<u8>,
    ids: DebugIds,
}

/// A value that the file does not number.
const UNNUMBERED: u32 = u32::MAX;
/// About how many bytes an operation takes: a guess at how much to reserve.
const BYTES_PER_OP: usize = 8;

impl<'m> Context<'m> {
    /// The operations of a body, and their debug ids after `loc`, that of the function.
    pub(super) fn body(&mut self, body: &'m Body, loc: u64) -> Result<(Vec<u8>, DebugIds), WriteError> {
        let layouts = layouts(self.version);
        let mut ids = DebugIds::default();
        ids.push(loc);
        let out = Vec::with_capacity(body.num_ops() * BYTES_PER_OP);
        let numbers = vec![UNNUMBERED; body.num_values()];
        let mut writer = BodyWriter { context: self, layouts, body, numbers, live: 0, depth: 0, out, ids };
        writer.function()?;
        Ok((writer.out, writer.ids))
    }
}

impl<'m> BodyWriter<'_, 'm> {
    fn function(&mut self) -> Result<(), WriteError> {
        let mut blocks = self.body.blocks(self.body.root());
        let (Some(block), None) = (blocks.next(), blocks.next()) else {
            return Err(self.context.invalid("the body of a function must be one block".to_owned()));
        };
        self.number(self.body.args(block));
        self.body.ops(block).try_for_each(|op| self.operation(op))
    }

    /// Gives the next numbers to values.
    fn number(&mut self, values: impl Iterator<Item = Value>) {
        for value in values {
            self.numbers[value.index()] = self.live;
            self.live += 1;
        }
    }

    fn operation(&mut self, op: OpRef<'m>) -> Result<(), WriteError> {
        self.encode(op).map_err(|error| error.in_operation(self.context.module, op))
    }

    fn encode(&mut self, op: OpRef<'m>) -> Result<(), WriteError> {
        let layout = &self.layouts[op.opcode()];
        if !layout.is_plain {
            self.unusual_operation(op)?;
        }
        let loc = self.context.place(op.loc())?;
        self.ids.push(loc);
        if let Some(AttrValue::Str(name)) = layout.symbol.and_then(|index| op.attrs().get(index)) {
            self.context.announce_global(*name)?;
        }
        self.out.varint(op.def().wire.into());
        self.result_types(op, layout.results)?;
        if layout.has_flags {
            let flags = flags(op, layout);
            self.out.varint(flags);
        }
        for (index, (attr, &value)) in layout.attrs.iter().zip(op.attrs()).enumerate() {
            self.attribute(op, index, attr, value)?;
        }
        self.operands(op, &layout.operands)?;
        if layout.regions > 0 {
            self.regions(op)?;
        }
        let known = op.results().len().saturating_sub(layout.results.newer);
        self.number(op.results().take(known));
        Ok(())
    }

    #[cold]
    fn unusual_operation(&mut self, op: OpRef<'_>) -> Result<(), WriteError> {
        let def = op.def();
        if def.placement != Placement::Body {
            return Err(self.context.invalid(format!("{} cannot stand in the body of a function", def.mnemonic)));
        }
        if def.since > self.context.version {
            return Err(self.context.newer(def.since, format!("the operation {}", def.mnemonic)));
        }
        if def.preview && self.context.version != Version::LATEST {
            return Err(self.context.error(WriteErrorKind::Preview, format!("{} is preview content", def.mnemonic)));
        }
        self.context.uses_preview |= def.preview;
        Ok(())
    }

    fn result_types(&mut self, op: OpRef<'m>, layout: ResultLayout) -> Result<(), WriteError> {
        let count = op.results().len().saturating_sub(layout.newer);
        if layout.counted {
            self.out.count(count);
        }
        for result in op.results().take(count) {
            let ty = self.context.ty(self.body.ty(result))?;
            self.out.varint(ty);
        }
        Ok(())
    }

    #[inline]
    fn attribute(&mut self, op: OpRef<'m>, index: usize, layout: &AttrLayout, value: AttrValue) -> Result<(), WriteError> {
        match (*layout, value) {
            (AttrLayout::Plain(AttrCodec::Enum(_, mask)) | AttrLayout::Flagged(_, AttrCodec::Enum(_, mask)), AttrValue::Enum(wire))
                if u32::from(wire) < u32::BITS && mask >> wire & 1 != 0 =>
            {
                self.out.varint(wire.into());
                Ok(())
            }
            (AttrLayout::Flagged(..), AttrValue::Absent) | (AttrLayout::Unit(_), _) => Ok(()),
            (AttrLayout::Implied(implied), _) if value == implied => Ok(()),
            (AttrLayout::Implied(_), _) => self.implied(op, index, value),
            (AttrLayout::Plain(codec) | AttrLayout::Flagged(_, codec), _) => match codec {
                AttrCodec::Enum(kind, _) => Err(self.bad_enum(op, index, kind, value)),
                AttrCodec::Other(kind) => self.other_attribute(op, index, kind, value),
            },
        }
    }

    /// An attribute that the version lacks, and whose value is not the one that it means by that.
    fn implied(&mut self, op: OpRef<'m>, index: usize, value: AttrValue) -> Result<(), WriteError> {
        let layout = &self.layouts[op.opcode()];
        if layout.all_false == Some(index)
            && let AttrValue::Attr(attr) = value
            && let AttrData::BoolArray(bits) = self.context.module.tables.attrs.get(attr)
            && bits.iter().all(|bit| !bit)
        {
            return Ok(());
        }
        let attr = &op.def().attrs[index];
        let feature = match (attr.kind, value) {
            (AttrKind::Enum(kind), AttrValue::Enum(wire)) => named_value(attr.name.name(), kind, wire),
            _ => format!("attribute '{}'", attr.name.name()),
        };
        Err(self.context.newer(op.def().attr_since(attr), feature))
    }

    #[cold]
    fn bad_enum(&self, op: OpRef<'_>, index: usize, kind: EnumKind, value: AttrValue) -> WriteError {
        let name = op.def().attrs[index].name.name();
        match value {
            AttrValue::Enum(wire) if let Some(entry) = kind.value(wire) => self.context.newer(entry.since, named_value(name, kind, wire)),
            _ => self.context.invalid(format!("attribute '{name}' holds {value:?}")),
        }
    }

    fn other_attribute(&mut self, op: OpRef<'m>, index: usize, kind: AttrKind, value: AttrValue) -> Result<(), WriteError> {
        let BodyWriter { context, out, body, .. } = self;
        match value {
            AttrValue::Int(value) => out.varint(value),
            AttrValue::Bool(value) => out.push(value.into()),
            AttrValue::Str(string) => out.varint(context.string(string)),
            AttrValue::Type(ty) => out.varint(context.ty(ty)?),
            AttrValue::Const(constant) => {
                let ty = op.result(0).map(|result| body.ty(result));
                out.varint(context.constant(constant, ty)?);
            }
            AttrValue::Attr(attr) => match (kind, context.module.tables.attrs.get(attr)) {
                (AttrKind::Array, AttrData::Array(elements)) => context.array(out, elements)?,
                (AttrKind::Hints, AttrData::OptimizationHints(entries)) => context.hints(out, entries)?,
                (AttrKind::Predicate, _) => context.attribute(out, attr)?,
                (AttrKind::I32Array, AttrData::I32Array(list)) => out.list_i32(list),
                (AttrKind::BoolArray, AttrData::BoolArray(list)) => {
                    out.count(list.len());
                    out.extend(list.iter().map(|&bit| u8::from(bit)));
                }
                (_, data) => return Err(context.invalid(format!("attribute '{}' holds {data:?}", op.def().attrs[index].name.name()))),
            },
            AttrValue::Absent | AttrValue::Unit | AttrValue::Enum(_) => {
                return Err(context.invalid(format!("attribute '{}' holds {value:?}", op.def().attrs[index].name.name())));
            }
        }
        Ok(())
    }

    fn operands(&mut self, op: OpRef<'m>, layout: &OperandLayout) -> Result<(), WriteError> {
        match layout {
            OperandLayout::Fixed(_) => self.values(op.operands()),
            OperandLayout::Counted { .. } => {
                self.out.count(op.operands().len());
                self.values(op.operands())
            }
            OperandLayout::Segments(segments) => {
                segments.iter().enumerate().try_for_each(|(index, segment)| self.segment(op, index, *segment))
            }
        }
    }

    fn segment(&mut self, op: OpRef<'m>, index: usize, segment: SegmentLayout) -> Result<(), WriteError> {
        let group = op.operand_group(index);
        match segment {
            SegmentLayout::Variadic => self.out.count(group.len()),
            SegmentLayout::Newer if !group.is_empty() => {
                let operand = &op.def().operands[index];
                return Err(self.context.newer(op.def().operand_since(operand), format!("operand '{}'", operand.name)));
            }
            SegmentLayout::One | SegmentLayout::Optional(_) | SegmentLayout::Newer => {}
        }
        self.values(group)
    }

    #[inline]
    fn values(&mut self, values: &[Value]) -> Result<(), WriteError> {
        for &value in values {
            let number = self.numbers.get(value.index()).copied().unwrap_or(UNNUMBERED);
            if number == UNNUMBERED {
                return Err(self.unnumbered(value));
            }
            self.out.varint(number.into());
        }
        Ok(())
    }

    /// A used value without number: a result that came after its operation.
    #[cold]
    fn unnumbered(&self, value: Value) -> WriteError {
        let def = self.body.contains_value(value).then(|| self.body.value_def(value));
        let Some(ValueDef::Result(op, index)) = def else {
            return self.context.invalid("an operand is not defined before its use".to_owned());
        };
        let op = self.body.op(op);
        let error = match op.def().results {
            tilewright_ir::ops::Results::Fixed(results) if let Some(result) = results.get(index as usize) => {
                self.context.newer(op.def().result_since(result), format!("the use of result '{}'", result.name))
            }
            _ => self.context.invalid("an operand is not defined before its use".to_owned()),
        };
        error.in_operation(self.context.module, op)
    }

    fn regions(&mut self, op: OpRef<'m>) -> Result<(), WriteError> {
        if self.depth >= MAX_REGION_DEPTH {
            return Err(self.context.error(WriteErrorKind::Limit, format!("regions nest deeper than {MAX_REGION_DEPTH}")));
        }
        self.depth += 1;
        self.out.count(op.regions().len());
        for region in op.regions() {
            self.out.count(self.body.blocks(region).count());
            for block in self.body.blocks(region) {
                self.block(block)?;
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn block(&mut self, block: Block) -> Result<(), WriteError> {
        let outside = self.live;
        let args = self.body.args(block);
        self.out.count(args.len());
        for arg in args.clone() {
            let ty = self.context.ty(self.body.ty(arg))?;
            self.out.varint(ty);
        }
        self.number(args);
        self.out.count(self.body.ops(block).count());
        self.body.ops(block).try_for_each(|op| self.operation(op))?;
        self.live = outside;
        Ok(())
    }
}

/// The flags word of an operation.
fn flags(op: OpRef<'_>, layout: &OpLayout) -> u64 {
    let mut flags = 0;
    for (attr, value) in layout.attrs.iter().zip(op.attrs()) {
        if let AttrLayout::Flagged(bit, _) | AttrLayout::Unit(bit) = attr
            && *value != AttrValue::Absent
        {
            flags |= bit;
        }
    }
    if let OperandLayout::Segments(segments) = &layout.operands {
        for (index, segment) in segments.iter().enumerate() {
            if let SegmentLayout::Optional(bit) = segment
                && op.present_operands() >> index & 1 == 1
            {
                flags |= bit;
            }
        }
    }
    flags
}

fn named_value(attr: &str, kind: EnumKind, wire: u8) -> String {
    format!("value '{}' of attribute '{attr}'", kind.value(wire).map_or("?", |value| value.keyword))
}
