//! The body of a function: operations, values, blocks and regions in arenas.

mod edit;

pub use edit::Place;

use crate::{
    Attr, AttrName, AttrValue, Block, ComparisonOrdering, ComparisonPredicate, IntegerOverflow, Loc, MemoryOrderingSemantics, MemoryScope,
    Op, Opcode, Region, RoundingMode, Signedness, Type, Value,
    ops::{Arity, OpDef},
};
use std::ops::Range;

/// Where a value comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueDef {
    /// It is a result of an operation, at this position.
    Result(Op, u32),
    /// It is an argument of a block, at this position.
    Argument(Block, u32),
}

#[derive(Clone, Copy, Debug)]
struct ValueRow {
    ty: Type,
    def: ValueDef,
}

/// A range of a pool, in 8 bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    start: u32,
    len: u32,
}

impl Span {
    #[inline]
    fn new(start: usize, len: usize) -> Span {
        let end = u32::try_from(start + len).expect("a body holds fewer than 2^32 items");
        Span { start: end - len as u32, len: len as u32 }
    }

    #[inline]
    fn range(self) -> Range<usize> {
        self.start as usize..self.start as usize + self.len as usize
    }
}

#[derive(Clone, Debug)]
struct OpRow {
    opcode: Opcode,
    /// Bit i: the optional operand i of the row is there.
    present: u8,
    /// How many values the first variadic operand takes.
    split: u32,
    operands: Span,
    results: Span,
    attrs: u32,
    regions: u32,
    loc: Option<Loc>,
    block: Option<Block>,
    prev: Option<Op>,
    next: Option<Op>,
}

#[derive(Clone, Debug)]
struct BlockRow {
    args: Span,
    region: Region,
    first: Option<Op>,
    last: Option<Op>,
    next: Option<Block>,
}

#[derive(Clone, Debug)]
struct RegionRow {
    owner: Option<Op>,
    first: Option<Block>,
    last: Option<Block>,
}

/// What an operation to be created consists of.
#[derive(Clone, Copy, Debug)]
pub struct NewOp<'a> {
    /// Which operation.
    pub opcode: Opcode,
    /// All operands, in the order of the row.
    pub operands: &'a [Value],
    /// Bit i: the optional operand i of the row is there.
    pub present: u8,
    /// How many values the first variadic operand takes.
    pub split: u32,
    /// One value for each attribute of the row.
    pub attrs: &'a [AttrValue],
    /// Types of the results.
    pub results: &'a [Type],
    /// Source location.
    pub loc: Option<Loc>,
}

/// An operation to be created of the operands and attributes that were pushed.
#[derive(Clone, Copy, Debug)]
pub struct PushedOp {
    /// Which operation.
    pub opcode: Opcode,
    /// Bit i: the optional operand i of the row is there.
    pub present: u8,
    /// How many values the first variadic operand takes.
    pub split: u32,
    /// Source location.
    pub loc: Option<Loc>,
}

/// The body of a function.
///
/// Operations are rows of an arena; their operands, attributes and results are ranges of shared pools. The operations of a
/// block form a list. The region of the function itself is [`Body::root`].
#[derive(Clone, Debug)]
pub struct Body {
    ops: Vec<OpRow>,
    values: Vec<ValueRow>,
    blocks: Vec<BlockRow>,
    regions: Vec<RegionRow>,
    operands: Vec<Value>,
    attrs: Vec<AttrValue>,
    taken: Taken,
}

/// How many operands and attributes belong to operations; those behind are pushed for the next one.
#[derive(Clone, Copy, Debug, Default)]
struct Taken {
    operands: usize,
    attrs: usize,
}

impl Default for Body {
    fn default() -> Self {
        Body::new()
    }
}

impl Body {
    /// An empty body: a root region without blocks.
    pub fn new() -> Body {
        let root = RegionRow { owner: None, first: None, last: None };
        Body {
            ops: Vec::new(),
            values: Vec::new(),
            blocks: Vec::new(),
            regions: vec![root],
            operands: Vec::new(),
            attrs: Vec::new(),
            taken: Taken::default(),
        }
    }

    /// Makes room for about this many operations.
    pub fn reserve(&mut self, ops: usize) {
        self.ops.reserve(ops);
        self.values.reserve(ops);
        self.operands.reserve(ops.saturating_mul(2));
        self.attrs.reserve(ops);
    }

    /// The region of the function.
    pub fn root(&self) -> Region {
        Region::new(0)
    }

    /// The first block of the function, whose arguments are the parameters.
    pub fn entry_block(&self) -> Option<Block> {
        self.region_row(self.root()).first
    }

    /// How many operations there are.
    #[inline]
    pub fn num_ops(&self) -> usize {
        self.ops.len()
    }

    /// How many values there are.
    #[inline]
    pub fn num_values(&self) -> usize {
        self.values.len()
    }

    /// How many blocks there are.
    pub fn num_blocks(&self) -> usize {
        self.blocks.len()
    }

    /// Adds a block with arguments of these types at the end of a region.
    pub fn add_block(&mut self, region: Region, args: &[Type]) -> Block {
        let block = Block::new(self.blocks.len());
        let start = self.values.len();
        let rows = args.iter().zip(0..).map(|(&ty, i)| ValueRow { ty, def: ValueDef::Argument(block, i) });
        self.values.extend(rows);
        self.blocks.push(BlockRow { args: Span::new(start, args.len()), region, first: None, last: None, next: None });
        let row = &mut self.regions[region.index()];
        match row.last.replace(block) {
            Some(last) => self.blocks[last.index()].next = Some(block),
            None => row.first = Some(block),
        }
        block
    }

    /// Adds an operation at the end of a block. Its regions are empty; its results follow the values that exist.
    ///
    /// The caller keeps to the row of the op table; [`verify`](crate::verify) tells whether it did.
    #[inline]
    pub fn add_op(&mut self, block: Block, new: NewOp<'_>) -> Op {
        let op = self.create_op(new);
        self.define_results(op, new.results);
        self.append(block, op);
        op
    }

    /// Adds an operation whose results are defined later, after those of its regions, by [`Body::define_results`].
    pub fn add_op_without_results(&mut self, block: Block, new: NewOp<'_>) -> Op {
        let op = self.create_op(new);
        self.append(block, op);
        op
    }

    /// Adds a value to the operands of the operation that [`Body::add_op_of_pushed`] adds next.
    #[inline]
    pub fn push_operand(&mut self, value: Value) {
        self.operands.push(value);
    }

    /// Adds a value to the attributes of the operation that [`Body::add_op_of_pushed`] adds next.
    #[inline]
    pub fn push_attr(&mut self, value: AttrValue) {
        self.attrs.push(value);
    }

    /// The attributes that were pushed since the last operation.
    #[inline]
    pub fn pushed_attrs(&mut self) -> &mut [AttrValue] {
        &mut self.attrs[self.taken.attrs..]
    }

    /// Adds an operation of the operands and attributes that were pushed since the last one; nothing is copied. Its results
    /// are defined later, after those of its regions, by [`Body::define_results`].
    #[inline]
    pub fn add_op_of_pushed(&mut self, block: Block, new: PushedOp) -> Op {
        let prev = self.link_last(block, Op::new(self.ops.len()));
        self.push_row(new, Some(block), prev)
    }

    /// Creates the results of an operation that has none yet.
    pub fn define_results(&mut self, op: Op, types: &[Type]) {
        let start = self.values.len();
        let rows = types.iter().zip(0..).map(|(&ty, i)| ValueRow { ty, def: ValueDef::Result(op, i) });
        self.values.extend(rows);
        self.ops[op.index()].results = Span::new(start, types.len());
    }

    /// Creates the only result of an operation that has none yet.
    #[inline]
    pub fn define_result(&mut self, op: Op, ty: Type) -> Value {
        let index = self.values.len();
        self.values.push(ValueRow { ty, def: ValueDef::Result(op, 0) });
        self.ops[op.index()].results = Span::new(index, 1);
        Value::new(index)
    }

    /// Changes the source location of an operation.
    pub fn set_loc(&mut self, op: Op, loc: Option<Loc>) {
        self.ops[op.index()].loc = loc;
    }

    /// Changes the attributes of an operation: one value for each attribute of the row.
    ///
    /// # Panics
    /// When their number is not that of the row.
    pub fn set_attrs(&mut self, op: Op, attrs: &[AttrValue]) {
        let row = &self.ops[op.index()];
        let (start, count) = (row.attrs as usize, row.opcode.def().attrs.len());
        self.attrs[start..start + count].copy_from_slice(attrs);
    }

    #[inline]
    fn create_op(&mut self, new: NewOp<'_>) -> Op {
        let NewOp { opcode, operands, present, split, attrs, results: _, loc } = new;
        self.operands.extend_from_slice(operands);
        self.attrs.extend_from_slice(attrs);
        self.push_row(PushedOp { opcode, present, split, loc }, None, None)
    }

    /// Adds the row of an operation of what was pushed.
    #[inline]
    fn push_row(&mut self, new: PushedOp, block: Option<Block>, prev: Option<Op>) -> Op {
        let op = Op::new(self.ops.len());
        let operands = Span::new(self.taken.operands, self.operands.len() - self.taken.operands);
        let attrs = Span::new(self.taken.attrs, self.attrs.len() - self.taken.attrs);
        self.taken = Taken { operands: self.operands.len(), attrs: self.attrs.len() };
        let def = new.opcode.def();
        debug_assert_eq!(attrs.range().len(), def.attrs.len(), "{}", def.mnemonic);
        let regions = Span::new(self.regions.len(), usize::from(def.regions)).start;
        for _ in 0..def.regions {
            self.regions.push(RegionRow { owner: Some(op), first: None, last: None });
        }
        self.ops.push(OpRow {
            opcode: new.opcode,
            present: new.present,
            split: new.split,
            operands,
            results: Span::default(),
            attrs: attrs.start,
            regions,
            loc: new.loc,
            block,
            prev,
            next: None,
        });
        op
    }

    /// Puts an operation that is in no block at the end of one.
    fn append(&mut self, block: Block, op: Op) {
        let prev = self.link_last(block, op);
        let row = &mut self.ops[op.index()];
        row.prev = prev;
        row.block = Some(block);
    }

    /// Makes an operation the last one of a block, for all but its own row; gives the one before it.
    #[inline]
    fn link_last(&mut self, block: Block, op: Op) -> Option<Op> {
        let row = &mut self.blocks[block.index()];
        let prev = row.last.replace(op);
        match prev {
            Some(prev) => self.ops[prev.index()].next = Some(op),
            None => row.first = Some(op),
        }
        prev
    }

    #[inline]
    fn op_row(&self, op: Op) -> &OpRow {
        &self.ops[op.index()]
    }

    fn region_row(&self, region: Region) -> &RegionRow {
        &self.regions[region.index()]
    }

    /// An operation with the accessors of this body.
    #[inline]
    pub fn op(&self, op: Op) -> OpRef<'_> {
        OpRef { body: self, row: self.op_row(op), op }
    }

    /// The operations of a block, in order.
    #[inline]
    pub fn ops(&self, block: Block) -> impl Iterator<Item = OpRef<'_>> + Clone {
        std::iter::successors(self.blocks[block.index()].first.map(|op| self.op(op)), |op| op.next())
    }

    /// The last operation of a block.
    pub fn last_op(&self, block: Block) -> Option<OpRef<'_>> {
        self.blocks[block.index()].last.map(|op| self.op(op))
    }

    /// The arguments of a block.
    pub fn args(&self, block: Block) -> impl ExactSizeIterator<Item = Value> + Clone + use<> {
        self.blocks[block.index()].args.range().map(Value::new)
    }

    /// The region that a block belongs to.
    pub fn region_of(&self, block: Block) -> Region {
        self.blocks[block.index()].region
    }

    /// The blocks of a region, in order.
    pub fn blocks(&self, region: Region) -> impl Iterator<Item = Block> {
        std::iter::successors(self.region_row(region).first, |block| self.blocks[block.index()].next)
    }

    /// The operation that owns a region; `None` for the root.
    pub fn owner(&self, region: Region) -> Option<Op> {
        self.region_row(region).owner
    }

    /// The type of a value.
    #[inline]
    pub fn ty(&self, value: Value) -> Type {
        self.values[value.index()].ty
    }

    /// Where a value comes from.
    #[inline]
    pub fn value_def(&self, value: Value) -> ValueDef {
        self.values[value.index()].def
    }

    /// Whether a handle belongs to this body.
    #[inline]
    pub fn contains_value(&self, value: Value) -> bool {
        value.index() < self.values.len()
    }

    /// The operation that defines a value; `None` for block arguments.
    #[inline]
    pub fn defining_op(&self, value: Value) -> Option<OpRef<'_>> {
        match self.value_def(value) {
            ValueDef::Result(op, _) => Some(self.op(op)),
            ValueDef::Argument(..) => None,
        }
    }

    /// Every operation below the root: each before the operations of its regions.
    pub fn preorder(&self) -> impl Iterator<Item = OpRef<'_>> {
        let mut next = self.first_from(self.entry_block()).map(OpRef::id);
        std::iter::from_fn(move || {
            let op = self.op(next?);
            next = match op.row.next {
                Some(behind) if op.def().regions == 0 => Some(behind),
                _ => self.next_in_text(op),
            };
            Some(op)
        })
    }

    /// The operation that follows one in the text.
    // Most operations own no region and have one behind them in their block, so that few ask; who walks over operations then has little code to
    // go through.
    #[inline(never)]
    fn next_in_text(&self, op: OpRef<'_>) -> Option<Op> {
        self.first_inside(op.regions()).or_else(|| self.first_behind(op)).map(OpRef::id)
    }

    /// Visits every operation below the root: each before the operations of its regions.
    pub fn walk(&self, visit: impl FnMut(OpRef<'_>)) {
        self.preorder().for_each(visit);
    }

    /// The first operation of a block and those after it in its region.
    fn first_from(&self, mut block: Option<Block>) -> Option<OpRef<'_>> {
        while let Some(row) = block.map(|block| &self.blocks[block.index()]) {
            if let Some(first) = row.first {
                return Some(self.op(first));
            }
            block = row.next;
        }
        None
    }

    /// The first operation of some regions.
    fn first_inside(&self, mut regions: impl Iterator<Item = Region>) -> Option<OpRef<'_>> {
        regions.find_map(|region| self.first_from(self.region_row(region).first))
    }

    /// The operation that follows one and those of its regions in the text.
    fn first_behind<'a>(&'a self, mut op: OpRef<'a>) -> Option<OpRef<'a>> {
        loop {
            if op.row.next.is_some() {
                return op.next();
            }
            let block = &self.blocks[op.block()?.index()];
            let owner = self.owner(block.region).map(|owner| self.op(owner));
            let regions_behind = owner.into_iter().flat_map(|owner| owner.regions().skip_while(|region| *region != block.region).skip(1));
            let behind = self.first_from(block.next).or_else(|| self.first_inside(regions_behind));
            if behind.is_some() {
                return behind;
            }
            op = owner?;
        }
    }
}

/// An operation and the body it lies in: a view with accessors.
#[derive(Clone, Copy, Debug)]
pub struct OpRef<'a> {
    body: &'a Body,
    row: &'a OpRow,
    op: Op,
}

impl<'a> OpRef<'a> {
    /// Its handle.
    #[inline]
    pub fn id(self) -> Op {
        self.op
    }

    /// The body it lies in.
    #[inline]
    pub fn body(self) -> &'a Body {
        self.body
    }

    /// Which operation it is.
    #[inline]
    pub fn opcode(self) -> Opcode {
        self.row.opcode
    }

    /// Its row in the op table.
    #[inline]
    pub fn def(self) -> &'static OpDef {
        self.opcode().def()
    }

    /// Its source location.
    #[inline]
    pub fn loc(self) -> Option<Loc> {
        self.row.loc
    }

    /// The block it lies in.
    #[inline]
    pub fn block(self) -> Option<Block> {
        self.row.block
    }

    /// The operation that owns the region it lies in; `None` at the top of the function.
    pub fn parent(self) -> Option<OpRef<'a>> {
        let owner = self.body.owner(self.body.region_of(self.block()?))?;
        Some(self.body.op(owner))
    }

    /// The operation before it in its block.
    pub fn prev(self) -> Option<OpRef<'a>> {
        self.row.prev.map(|op| self.body.op(op))
    }

    /// The operation after it in its block.
    #[inline]
    pub fn next(self) -> Option<OpRef<'a>> {
        self.row.next.map(|op| self.body.op(op))
    }

    /// All its operands.
    #[inline]
    pub fn operands(self) -> &'a [Value] {
        &self.body.operands[self.row.operands.range()]
    }

    /// Its only or `index`-th operand among all of them.
    #[inline]
    pub fn operand(self, index: usize) -> Option<Value> {
        self.operands().get(index).copied()
    }

    /// The values of the operand at position `index` of the row: none, one or many.
    pub fn operand_group(self, index: usize) -> &'a [Value] {
        let mut first_variadic = true;
        let mut start = 0usize;
        let all = self.operands();
        for (i, def) in self.def().operands.iter().enumerate() {
            let len = match def.arity {
                Arity::One => 1,
                Arity::Optional => usize::from(self.row.present >> i & 1),
                Arity::Variadic if std::mem::take(&mut first_variadic) => self.row.split as usize,
                Arity::Variadic => self.rest_of_last_variadic(i),
            };
            if i == index {
                return all.get(start..start.saturating_add(len)).unwrap_or(&[]);
            }
            start = start.saturating_add(len);
        }
        &[]
    }

    /// How many values the second variadic operand takes: what the other operands leave.
    fn rest_of_last_variadic(self, index: usize) -> usize {
        let others = self.def().operands.iter().enumerate().map(|(i, def)| match def.arity {
            Arity::One => 1,
            Arity::Optional => usize::from(self.row.present >> i & 1),
            Arity::Variadic if i == index => 0,
            Arity::Variadic => self.row.split as usize,
        });
        self.operands().len().saturating_sub(others.sum())
    }

    /// The values of the operand with this name in the row.
    pub fn operand_named(self, name: &str) -> &'a [Value] {
        self.def().operand_index(name).map_or(&[], |i| self.operand_group(i))
    }

    /// Bit i: the optional operand i of the row is there.
    pub fn present_operands(self) -> u8 {
        self.row.present
    }

    /// How many values its first variadic operand takes.
    pub fn split(self) -> u32 {
        self.row.split
    }

    /// Its results.
    #[inline]
    pub fn results(self) -> impl ExactSizeIterator<Item = Value> + DoubleEndedIterator + Clone + use<> {
        self.row.results.range().map(Value::new)
    }

    /// Its `index`-th result.
    #[inline]
    pub fn result(self, index: usize) -> Option<Value> {
        self.row.results.range().nth(index).map(Value::new)
    }

    /// Its attributes, in the order of the row.
    #[inline]
    pub fn attrs(self) -> &'a [AttrValue] {
        let start = self.row.attrs as usize;
        &self.body.attrs[start..start + self.def().attrs.len()]
    }

    /// The attribute with this name; `Absent` where the row has none.
    #[inline]
    pub fn attr(self, name: AttrName) -> AttrValue {
        self.def().attr_index(name).map_or(AttrValue::Absent, |i| self.attrs()[i])
    }

    /// Its regions.
    #[inline]
    pub fn regions(self) -> impl ExactSizeIterator<Item = Region> + DoubleEndedIterator + use<> {
        let start = self.row.regions as usize;
        (start..start + usize::from(self.def().regions)).map(Region::new)
    }

    /// The first block of its `index`-th region.
    pub fn region_block(self, index: usize) -> Option<Block> {
        let region = self.regions().nth(index)?;
        self.body.blocks(region).next()
    }

    /// Whether a unit attribute is set.
    pub fn flag(self, name: AttrName) -> bool {
        self.attr(name) == AttrValue::Unit
    }

    /// The number that an integer attribute holds.
    pub fn int(self, name: AttrName) -> Option<u64> {
        match self.attr(name) {
            AttrValue::Int(value) => Some(value),
            _ => None,
        }
    }

    /// The compound attribute with this name.
    pub fn compound(self, name: AttrName) -> Option<Attr> {
        match self.attr(name) {
            AttrValue::Attr(attr) => Some(attr),
            _ => None,
        }
    }

    fn wire_enum<T>(self, name: AttrName, from_wire: impl Fn(u8) -> Option<T>) -> Option<T> {
        match self.attr(name) {
            AttrValue::Enum(value) => from_wire(value),
            _ => None,
        }
    }

    /// Its rounding mode, under either name.
    pub fn rounding(self) -> Option<RoundingMode> {
        self.wire_enum(AttrName::RoundingMode, RoundingMode::from_wire)
            .or_else(|| self.wire_enum(AttrName::Rounding, RoundingMode::from_wire))
    }

    /// How it reads its integers.
    pub fn signedness(self) -> Option<Signedness> {
        self.wire_enum(AttrName::Signedness, Signedness::from_wire)
    }

    /// How it reads the integers that this attribute speaks of.
    pub fn signedness_of(self, name: AttrName) -> Option<Signedness> {
        self.wire_enum(name, Signedness::from_wire)
    }

    /// What it promises about overflow.
    pub fn overflow(self) -> Option<IntegerOverflow> {
        self.wire_enum(AttrName::Overflow, IntegerOverflow::from_wire)
    }

    /// The relation it tests.
    pub fn predicate(self) -> Option<ComparisonPredicate> {
        self.wire_enum(AttrName::ComparisonPredicate, ComparisonPredicate::from_wire)
    }

    /// What it answers for NaN.
    pub fn comparison_ordering(self) -> Option<ComparisonOrdering> {
        self.wire_enum(AttrName::ComparisonOrdering, ComparisonOrdering::from_wire)
    }

    /// How it orders memory accesses.
    pub fn memory_ordering(self) -> Option<MemoryOrderingSemantics> {
        self.wire_enum(AttrName::MemoryOrderingSemantics, MemoryOrderingSemantics::from_wire)
    }

    /// Who takes part in its ordering.
    pub fn memory_scope(self) -> Option<MemoryScope> {
        self.wire_enum(AttrName::MemoryScope, MemoryScope::from_wire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An operation without operands in a block.
    fn add(body: &mut Body, block: Block, opcode: Opcode) -> Op {
        body.add_op(block, NewOp { opcode, operands: &[], present: 0, split: 0, attrs: &[], results: &[], loc: None })
    }

    /// The operations of a region in the order of the text, by its definition.
    fn in_text(body: &Body, region: Region) -> Vec<Op> {
        let inside = |op: OpRef<'_>| op.regions().flat_map(|region| in_text(body, region)).collect::<Vec<_>>();
        body.blocks(region).flat_map(|block| body.ops(block)).flat_map(|op| [vec![op.id()], inside(op)].concat()).collect()
    }

    #[test]
    fn walks_follow_the_text() {
        let mut body = Body::new();
        assert_eq!(body.preorder().count(), 0);
        // Each operation of the blocks before gets a region without blocks, or one with an empty and a filled block.
        let mut blocks = vec![body.add_block(body.root(), &[]), body.add_block(body.root(), &[]), body.add_block(body.root(), &[])];
        for round in 0..4 {
            let mut inner = Vec::new();
            for (i, block) in blocks.into_iter().enumerate().filter(|(i, _)| i % 3 != 1) {
                let opcodes = [Opcode::Loop, Opcode::Return, Opcode::If, Opcode::If];
                for opcode in opcodes.into_iter().skip(i % 2) {
                    let op = add(&mut body, block, opcode);
                    let regions: Vec<Region> = body.op(op).regions().skip((i + round) % 2).collect();
                    inner.extend(regions.iter().flat_map(|region| [body.add_block(*region, &[]), body.add_block(*region, &[])]));
                }
            }
            blocks = inner;
        }
        let order: Vec<Op> = body.preorder().map(OpRef::id).collect();
        assert_eq!(order.len(), body.num_ops());
        assert_eq!(order, in_text(&body, body.root()));
    }

    #[test]
    fn rows_are_small() {
        assert_eq!(size_of::<OpRow>(), 48);
        assert_eq!(size_of::<ValueRow>(), 16);
        assert_eq!(size_of::<AttrValue>(), 16);
    }
}
