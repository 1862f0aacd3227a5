//! Operations, blocks and regions.

use super::{plain::Scope, section};
use crate::{
    cursor::Cursor,
    error::{Error, Section},
    ir::{BlockData, Ir, More, Op, OpData, RegionData, Span, UseListOrder, Value},
    limits::MAX_NESTING,
    module::{Module, Version},
    tables::{AttrId, NameId, TypeId},
};

/// Regions that wait to be read.
#[derive(Clone, Debug)]
pub(crate) struct Unread<'a> {
    cursor: Cursor<'a>,
    /// None for the operations that no region holds.
    regions: Option<Span>,
    /// The length of the file, which has no more of anything.
    budget: usize,
    /// How many regions are around them.
    depth: usize,
}

/// What parts an operation has.
pub(crate) mod mask {
    pub(crate) const ATTRS: u8 = 1;
    pub(crate) const RESULTS: u8 = 2;
    pub(crate) const OPERANDS: u8 = 4;
    pub(crate) const SUCCESSORS: u8 = 8;
    pub(crate) const REGIONS: u8 = 16;
    pub(crate) const USE_ORDERS: u8 = 32;
    pub(crate) const PROPERTIES: u8 = 64;
}
const ALL_PARTS: u8 = 0x7f;
/// Those that few operations have.
const RARE_PARTS: u8 = mask::SUCCESSORS | mask::USE_ORDERS | mask::REGIONS;

fn known_parts(version: Version) -> u8 {
    let mut parts = ALL_PARTS;
    if !version.has_properties() {
        parts &= !mask::PROPERTIES;
    }
    if !version.has_use_orders() {
        parts &= !mask::USE_ORDERS;
    }
    parts
}

/// A value that is not defined yet has no type.
const UNDEFINED: TypeId = TypeId(u32::MAX);

pub(super) fn top_level(cursor: Cursor<'_>) -> Unread<'_> {
    let budget = cursor.offset() + cursor.remaining();
    Unread { cursor, regions: None, budget, depth: 0 }
}

/// Reads all that waits, and what turns up on the way. `counts` are those of the module, whose tables need not be in it.
pub(crate) fn read_rest(module: &mut Module<'_>, counts: Counts) -> Result<(), Error> {
    while let Some((_, unread)) = module.unread.pop() {
        let reader = Reader::new(module, counts, &unread);
        let waiting = match unread.regions {
            None => reader.top_level(),
            Some(regions) => reader.isolated(regions),
        }?;
        module.unread.extend(waiting);
    }
    // Regions were read behind the operations around them.
    module.ir.result_use_orders.sort_by_key(|&(op, _)| op);
    module.ir.arg_use_orders.sort_by_key(|&(block, _)| block);
    Ok(())
}

/// A region whose blocks are being read.
struct OpenRegion {
    region: Option<u32>,
    blocks: Span,
    scope: Scope,
    next_block: u32,
    /// Where the regions of the same operation end.
    siblings_end: u32,
    /// Operations of the current block that were not read yet.
    ops: Span,
}

struct Reader<'m, 'a> {
    ir: &'m mut Ir,
    version: Version,
    counts: Counts,
    /// What parts operations of this version have.
    known_parts: u8,
    budget: usize,
    depth: usize,
    cursor: Cursor<'a>,
    open: Vec<OpenRegion>,
    waiting: Vec<(Op, Unread<'a>)>,
    /// Operands that were not defined when they were read.
    ahead: Vec<Value>,
}

/// How many of what can be referred to there are.
#[derive(Clone, Copy)]
pub(crate) struct Counts {
    pub(super) names: usize,
    pub(super) attrs: usize,
    pub(super) types: usize,
    pub(super) properties: usize,
}

impl Counts {
    pub(crate) fn of(module: &Module<'_>) -> Counts {
        Counts {
            names: module.op_names.len(),
            attrs: module.tables.attrs.len(),
            types: module.tables.types.len(),
            properties: module.properties.len(),
        }
    }
}

impl<'m, 'a> Reader<'m, 'a> {
    fn new(module: &'m mut Module<'a>, counts: Counts, unread: &Unread<'a>) -> Reader<'m, 'a> {
        let (ir, version) = (&mut module.ir, module.version);
        Reader {
            ir,
            version,
            counts,
            known_parts: known_parts(version),
            budget: unread.budget,
            depth: unread.depth,
            cursor: unread.cursor.clone(),
            open: Vec::new(),
            waiting: Vec::new(),
            ahead: Vec::new(),
        }
    }

    /// Operations outside of all regions; they stand as in a block without arguments.
    fn top_level(mut self) -> Result<Vec<(Op, Unread<'a>)>, Error> {
        let offset = self.cursor.offset();
        let (count, has_args) = self.cursor.flagged_varint()?;
        if has_args {
            return Err(self.cursor.error_at(offset, "the outermost block has arguments"));
        }
        let count = self.cursor.check_count(count, 3, "operations", offset)?;
        self.ir.top = self.reserve_ops(count);
        // As if a region around them had one block and defined no values.
        self.open.push(OpenRegion {
            region: None,
            blocks: Span::default(),
            scope: Scope { values: Span::default(), next_value: 0, first_number: 0 },
            next_block: 0,
            siblings_end: 0,
            ops: self.ir.top,
        });
        self.run()
    }

    fn isolated(mut self, regions: Span) -> Result<Vec<(Op, Unread<'a>)>, Error> {
        self.open_regions(regions, 0)?;
        self.run()
    }

    /// Reads until every region is closed.
    fn run(mut self) -> Result<Vec<(Op, Unread<'a>)>, Error> {
        while let Some(open) = self.open.last_mut() {
            if open.ops.len > 0 {
                match self.usual_ops() {
                    Some((op, data, parts)) => self.rest_of_op(op, data, parts)?,
                    None => self.next_op()?,
                }
            } else if open.next_block < open.blocks.start + open.blocks.len {
                self.block()?;
            } else {
                self.close()?;
            }
        }
        self.cursor.finish("the operations")?;
        self.check_operands()?;
        self.waiting.reverse();
        Ok(self.waiting)
    }

    /// Reads operations of the current block as long as they are as usual; gives the first with parts that few have, which are still to be read.
    fn usual_ops(&mut self) -> Option<(Op, OpData, u8)> {
        let (open, enclosing) = self.open.split_last_mut()?;
        let Ir { ops, operands, value_types, .. } = &mut *self.ir;
        let outer = |number: u64| enclosing.iter().rev().find(|open| u64::from(open.scope.first_number) <= number)?.scope.value(number);
        let (mut scope, mut left, mut numbers) = (open.scope, open.ops, self.cursor.numbers());
        let mut rare = None;
        while left.len > 0 && rare.is_none() {
            let (before, num_operands) = (numbers.clone(), operands.len());
            let Some((data, parts)) = scope.op(&mut numbers, self.counts, self.known_parts, value_types, operands, outer) else {
                numbers = before;
                operands.truncate(num_operands);
                break;
            };
            let op = Op(left.take(1).start);
            if parts & RARE_PARTS == 0 {
                ops[op.index()] = data;
            } else {
                rare = Some((op, data, parts));
            }
        }
        self.cursor.go_behind(&numbers);
        (open.scope, open.ops) = (scope, left);
        rare
    }

    /// Reads an operation of any kind, if there is one left in the current block.
    fn next_op(&mut self) -> Result<(), Error> {
        match self.open.last_mut() {
            Some(open) if open.ops.len > 0 => {
                let op = Op(open.ops.take(1).start);
                self.op(op)
            }
            _ => Ok(()),
        }
    }

    /// Begins with the first of some regions that has blocks; its values are numbered from `first_number` on.
    fn open_regions(&mut self, regions: Span, first_number: u32) -> Result<(), Error> {
        for region in regions.iter() {
            let offset = self.cursor.offset();
            let num_blocks = self.cursor.count(1, "blocks")?;
            if num_blocks == 0 {
                continue;
            }
            let value_offset = self.cursor.offset();
            let num_values = self.cursor.varint()?;
            // Each stands with its type.
            let num_values = self.cursor.check_count(num_values, 1, "values", value_offset)? as u32;
            self.check_budget(num_blocks + self.ir.blocks.len(), "blocks", offset)?;
            self.check_budget(num_values as usize + self.ir.value_types.len(), "values", value_offset)?;
            let blocks = Span { start: self.ir.blocks.len() as u32, len: num_blocks as u32 };
            let values = Span { start: self.ir.value_types.len() as u32, len: num_values };
            self.ir.blocks.resize(self.ir.blocks.len() + num_blocks, BlockData::default());
            self.ir.value_types.resize(self.ir.value_types.len() + num_values as usize, UNDEFINED);
            self.ir.all_regions[region as usize] = RegionData { blocks, values };
            if self.depth + self.open.len() >= MAX_NESTING as usize {
                return Err(self.cursor.error_at(offset, format!("regions nest deeper than {MAX_NESTING} levels")));
            }
            self.open.push(OpenRegion {
                region: Some(region),
                blocks,
                scope: Scope { values, next_value: values.start, first_number },
                next_block: blocks.start,
                siblings_end: regions.start + regions.len,
                ops: Span::default(),
            });
            return Ok(());
        }
        Ok(())
    }

    fn close(&mut self) -> Result<(), Error> {
        let Some(open) = self.open.pop() else { return Ok(()) };
        let missing = open.scope.values.start + open.scope.values.len - open.scope.next_value;
        if missing > 0 {
            return Err(self.cursor.error(format!("a region defines {missing} values less than it says")));
        }
        match open.region {
            Some(region) if region + 1 < open.siblings_end => {
                let siblings = Span { start: region + 1, len: open.siblings_end - region - 1 };
                self.open_regions(siblings, open.scope.first_number)
            }
            _ => Ok(()),
        }
    }

    /// Several regions may each say that they have as much as fits into the bytes that remain; together they have no more than the
    /// file has bytes.
    fn check_budget(&self, count: usize, what: &str, offset: usize) -> Result<(), Error> {
        if count <= self.budget {
            return Ok(());
        }
        Err(self.cursor.error_at(offset, format!("the file is too short for {count} {what}")))
    }

    fn reserve_ops(&mut self, count: usize) -> Span {
        const PLACEHOLDER: OpData = OpData::new(NameId(0), AttrId(0));
        let span = Span { start: self.ir.ops.len() as u32, len: count as u32 };
        self.ir.ops.resize(self.ir.ops.len() + count, PLACEHOLDER);
        span
    }

    fn block(&mut self) -> Result<(), Error> {
        let offset = self.cursor.offset();
        let (count, has_args) = self.cursor.flagged_varint()?;
        // A name, what parts there are, and a location.
        let count = self.cursor.check_count(count, 3, "operations", offset)?;
        self.check_budget(count + self.ir.ops.len(), "operations", offset)?;
        let ops = self.reserve_ops(count);
        let first_location = self.ir.arg_locations.len() as u32;
        let top = self.open.len() - 1;
        let block = self.open[top].next_block;
        self.open[top].next_block += 1;
        self.open[top].ops = ops;
        let args = if has_args { self.block_args(block)? } else { Span::default() };
        self.ir.blocks[block as usize] = BlockData { args, first_location, ops };
        Ok(())
    }

    fn block_args(&mut self, block: u32) -> Result<Span, Error> {
        let offset = self.cursor.offset();
        let count = self.cursor.count(1, "arguments")?;
        let args = self.define(count, offset)?;
        for value in args.range() {
            let offset = self.cursor.offset();
            let (ty, has_location) =
                if self.version.elides_locations() { self.cursor.flagged_varint()? } else { (self.cursor.varint()?, true) };
            if ty >= self.counts.types as u64 {
                return Err(self.cursor.no_such(offset, ty, self.counts.types, "type"));
            }
            self.ir.value_types[value] = TypeId(ty as u32);
            let location = if has_location { Some(attr(&mut self.cursor, self.counts)?) } else { None };
            self.ir.arg_locations.push(location);
        }
        if self.version.has_use_orders() && self.cursor.byte()? & mask::USE_ORDERS != 0 {
            let orders = self.use_orders(count)?;
            self.ir.arg_use_orders.push((crate::ir::Block(block), orders));
        }
        Ok(args)
    }

    /// The next values of the region.
    fn define(&mut self, count: usize, offset: usize) -> Result<Span, Error> {
        let Some(open) = self.open.last_mut() else { return Ok(Span::default()) };
        if count > (open.scope.values.start + open.scope.values.len - open.scope.next_value) as usize {
            return Err(self.cursor.error_at(offset, "a region defines more values than it says"));
        }
        let span = Span { start: open.scope.next_value, len: count as u32 };
        open.scope.next_value += count as u32;
        Ok(span)
    }

    #[cold]
    fn op(&mut self, op: Op) -> Result<(), Error> {
        let mut cursor = self.cursor.clone();
        let name = NameId(cursor.index(self.counts.names, "name of an operation")?);
        let offset = cursor.offset();
        let parts = cursor.byte()?;
        if parts & !ALL_PARTS != 0 {
            return Err(cursor.error_at(offset, format!("an operation has parts {parts:#x}, which are not known")));
        }
        let has = |part| parts & part != 0;
        if has(mask::USE_ORDERS) && !self.version.has_use_orders() {
            return Err(cursor.error_at(offset, "an operation has orders of uses, which came with version 3"));
        }
        let mut data = OpData::new(name, attr(&mut cursor, self.counts)?);
        if has(mask::ATTRS) {
            data.set_attrs(Some(attr(&mut cursor, self.counts)?));
        }
        if has(mask::PROPERTIES) {
            if !self.version.has_properties() {
                return Err(cursor.error_at(offset, "an operation has properties, which came with version 5"));
            }
            data.set_properties(Some(cursor.index(self.counts.properties, "properties")?));
        }
        if has(mask::RESULTS) {
            data.results = self.results(&mut cursor)?;
        }
        if has(mask::OPERANDS) {
            data.operands = self.operands(&mut cursor)?;
        }
        self.cursor = cursor;
        self.rest_of_op(op, data, parts)
    }

    /// Reads what few operations have.
    fn rest_of_op(&mut self, op: Op, mut data: OpData, parts: u8) -> Result<(), Error> {
        let has = |part| parts & part != 0;
        let mut more = More::default();
        if has(mask::SUCCESSORS) {
            more.successors = self.successors()?;
        }
        if has(mask::USE_ORDERS) {
            let orders = self.use_orders(data.results.len as usize)?;
            self.ir.result_use_orders.push((op, orders));
        }
        let offset = self.cursor.offset();
        if has(mask::REGIONS) {
            let (count, is_isolated) = self.cursor.flagged_varint()?;
            let count = self.cursor.check_count(count, 1, "regions", offset)?;
            let start = self.ir.all_regions.len();
            self.check_budget(count + start, "regions", offset)?;
            (more.is_isolated, more.regions) = (is_isolated, Span { start: start as u32, len: count as u32 });
            self.ir.all_regions.resize(start + count, RegionData::default());
        }
        self.ir.set_more(&mut data, more);
        self.ir.ops[op.index()] = data;
        if has(mask::REGIONS) { self.regions(op, more, offset) } else { Ok(()) }
    }

    fn regions(&mut self, op: Op, data: More, offset: usize) -> Result<(), Error> {
        if data.is_isolated && self.version.has_lazy_regions() {
            let (Section::Ir, cursor) = section(&mut self.cursor)? else {
                return Err(self.cursor.error_at(offset, "isolated regions are expected to be a section of operations"));
            };
            if data.regions.len > 0 {
                self.waiting
                    .push((op, Unread { cursor, regions: Some(data.regions), budget: self.budget, depth: self.depth + self.open.len() }));
            }
            return Ok(());
        }
        let first_number = match self.open.last() {
            Some(open) if !data.is_isolated => open.scope.first_number + open.scope.values.len,
            _ => 0,
        };
        self.open_regions(data.regions, first_number)
    }

    fn results(&mut self, cursor: &mut Cursor<'a>) -> Result<Span, Error> {
        let offset = cursor.offset();
        let count = cursor.count(1, "results")?;
        let results = self.define(count, offset)?;
        for value in results.range() {
            self.ir.value_types[value] = TypeId(cursor.index(self.counts.types, "type")?);
        }
        Ok(results)
    }

    fn operands(&mut self, cursor: &mut Cursor<'a>) -> Result<Span, Error> {
        let count = cursor.count(1, "operands")?;
        let start = self.ir.operands.len() as u32;
        for _ in 0..count {
            let offset = cursor.offset();
            let number = cursor.varint()?;
            let Some(value) = self.value(number) else {
                return Err(cursor.error_at(offset, format!("there is no value {number} in this region or around it")));
            };
            self.ir.operands.push(value);
        }
        Ok(Span { start, len: count as u32 })
    }

    /// The value with a number, which counts those of all open regions.
    fn value(&mut self, number: u64) -> Option<Value> {
        let number = u32::try_from(number).ok()?;
        let open = self.open.iter().rev().find(|open| open.scope.first_number <= number)?;
        let position = number - open.scope.first_number;
        let value = Value(open.scope.values.start + position);
        if value.0 >= open.scope.next_value {
            self.ahead.push(value);
        }
        (position < open.scope.values.len).then_some(value)
    }

    fn successors(&mut self) -> Result<Span, Error> {
        let num_blocks = self.open.last().map_or(0, |open| open.blocks.len);
        let count = self.cursor.count(1, "successors")?;
        let start = self.ir.successors.len() as u32;
        for _ in 0..count {
            let block = self.cursor.index(num_blocks as usize, "block")?;
            self.ir.successors.push(block);
        }
        Ok(Span { start, len: count as u32 })
    }

    /// The orders of the uses of some of `count` values.
    fn use_orders(&mut self, count: usize) -> Result<Vec<UseListOrder>, Error> {
        // One value need not be named.
        let num_orders = if count == 1 { 1 } else { self.cursor.count(2, "orders of uses")? };
        let mut orders = Vec::with_capacity(num_orders);
        for _ in 0..num_orders {
            let value = if count == 1 { 0 } else { self.cursor.index(count, "value")? };
            let offset = self.cursor.offset();
            let (len, is_pairs) = self.cursor.flagged_varint()?;
            let len = self.cursor.check_count(len, 1, "uses", offset)?;
            let mut indices = Vec::with_capacity(len);
            for _ in 0..len {
                // There are no more uses than operands, and each is a byte.
                let limit = self.cursor.offset() + self.cursor.remaining();
                indices.push(self.cursor.index(limit, "use")?);
            }
            orders.push(UseListOrder { value, is_pairs, indices });
        }
        Ok(orders)
    }

    /// Operands may come before what defines them, but something must.
    fn check_operands(&self) -> Result<(), Error> {
        let is_undefined = |value: &Value| self.ir.value_types[value.index()] == UNDEFINED;
        if self.ahead.iter().any(is_undefined) {
            return Err(self.cursor.error("an operand is never defined"));
        }
        Ok(())
    }
}

#[inline]
fn attr(cursor: &mut Cursor<'_>, counts: Counts) -> Result<AttrId, Error> {
    cursor.index(counts.attrs, "attribute").map(AttrId)
}
