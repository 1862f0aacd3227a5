//! What a check keeps while a launch runs.

use crate::{
    control::Call,
    elements::Geometry,
    finding::{Finding, MemoryPlace, Place, Related, Report, Source},
    memory::{Local, Memory},
    overlap::Overlap,
    rules::{self, Rule},
    undefined::{Cause, Origin, Shadow},
};
use foldhash::{HashMap, HashSet};
use tilewright_ir::{Body, Module, Op, OpRef, Value};
use tilewright_memory_model::races::{Races, Token};

/// An operation in a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct At {
    pub(crate) function: usize,
    pub(crate) op: Op,
    pub(crate) block: [u32; 3],
    pub(crate) index: u64,
}

/// How many of the blocks that wait for ever are named.
const MOST_NAMED: usize = 4;

/// What makes findings one: the rule, the operation, and the other one that is concerned.
type Key = (&'static str, usize, usize, Option<(usize, usize)>);

/// The state of the check of a launch.
pub(crate) struct State<'m> {
    pub(crate) module: &'m Module,
    kernel: String,
    pub(crate) memory: Memory,
    pub(crate) blocks: HashMap<u64, Block>,
    /// For each function, how many values the ones before it have.
    offsets: Vec<usize>,
    values: usize,
    /// For each function, how many operations the ones before it have.
    pub(crate) op_offsets: Vec<usize>,
    /// By number of a value: whether an operation reads it.
    read: Vec<bool>,
    pub(crate) races: Races<Geometry>,
    pub(crate) grid: [u32; 3],
    pub(crate) report: Report,
    /// By key: the finding, and the blocks in which it was seen.
    found: HashMap<Key, (usize, HashSet<u64>)>,
    /// Room for blocks that begin.
    idle: Vec<Block>,
    /// Arrays that share bytes though the kernel takes them as distinct.
    pub(crate) overlaps: Vec<Overlap>,
    /// The address of a byte whose last write is looked for, and that write.
    pub(crate) byte: Option<u64>,
    pub(crate) last_write: Option<Place>,
    /// By number of a block: how often it accessed memory.
    pub(crate) accesses: Vec<u64>,
    /// Whether blocks waited for ever.
    pub(crate) is_stuck: bool,
    /// By function and fold: how often its elements were combined in other orders.
    pub(crate) sampled: HashMap<(usize, Op), u32>,
}

/// What is known of a block: the values of its operations.
pub(crate) struct Block {
    /// By value: what of it is undefined.
    shadows: Vec<Shadow>,
    /// By value that is a token: what it waits for.
    pub(crate) tokens: HashMap<usize, Token>,
    /// By value that is a tensor: its extents.
    pub(crate) extents: HashMap<usize, Vec<u128>>,
    /// The calls that it is in, outermost first.
    pub(crate) calls: Vec<Call>,
    /// What it read last, which is what it waits for if it does not end.
    pub(crate) last_read: Option<Seen>,
}

/// A value that was read from memory.
#[derive(Clone, Copy)]
pub(crate) struct Seen {
    pub(crate) at: At,
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    /// Its bits; none if they do not lie in memory.
    pub(crate) value: Option<u64>,
}

impl Block {
    pub(crate) fn shadow(&self, value: usize) -> &Shadow {
        &self.shadows[value]
    }

    pub(crate) fn set_shadow(&mut self, value: usize, shadow: Shadow) {
        self.shadows[value] = shadow;
    }
}

/// What happened against a rule.
pub(crate) struct Violation {
    pub(crate) rule: &'static Rule,
    pub(crate) message: String,
    pub(crate) elements: u64,
    pub(crate) spot: Spot,
    pub(crate) other: Option<Other>,
}

/// What of a tile is concerned: an element, its coordinates in the tensor, the memory that was accessed.
#[derive(Default)]
pub(crate) struct Spot {
    pub(crate) element: Option<Vec<usize>>,
    pub(crate) coordinates: Option<Vec<u64>>,
    pub(crate) memory: Option<MemoryPlace>,
}

impl Spot {
    pub(crate) fn element(element: Option<Vec<usize>>) -> Spot {
        Spot { element, ..Spot::default() }
    }

    pub(crate) fn memory(memory: MemoryPlace) -> Spot {
        Spot { memory: Some(memory), ..Spot::default() }
    }
}

/// Another operation that has to do with a violation.
pub(crate) struct Other {
    pub(crate) what: String,
    pub(crate) at: At,
    pub(crate) spot: Spot,
}

impl Violation {
    pub(crate) fn new(rule: &'static Rule, message: String) -> Violation {
        Violation { rule, message, elements: 1, spot: Spot::default(), other: None }
    }
}

impl<'m> State<'m> {
    pub(crate) fn new(module: &'m Module, kernel: &str) -> State<'m> {
        let mut values = 0;
        let offsets = module.functions.iter().map(|function| {
            let offset = values;
            values += function.body.num_values();
            offset
        });
        let offsets: Vec<usize> = offsets.collect();
        let mut read = vec![false; values];
        for (function, offset) in module.functions.iter().zip(&offsets) {
            function.body.walk(|op| op.operands().iter().for_each(|operand| read[offset + operand.index()] = true));
        }
        let mut ops = 0;
        let op_offsets = module.functions.iter().map(|function| {
            let offset = ops;
            ops += function.body.num_ops();
            offset
        });
        State {
            module,
            kernel: kernel.to_owned(),
            memory: Memory::default(),
            blocks: HashMap::default(),
            offsets,
            values,
            op_offsets: op_offsets.collect(),
            read,
            races: Races::new(),
            grid: [1; 3],
            report: Report::default(),
            found: HashMap::default(),
            idle: Vec::new(),
            overlaps: Vec::new(),
            byte: None,
            last_write: None,
            accesses: Vec::new(),
            is_stuck: false,
            sampled: HashMap::default(),
        }
    }

    pub(crate) fn body(&self, function: usize) -> &'m Body {
        &self.module.functions[function].body
    }

    pub(crate) fn op(&self, at: At) -> OpRef<'m> {
        self.body(at.function).op(at.op)
    }

    /// The number of a value among those of all functions.
    pub(crate) fn number(&self, function: usize, value: Value) -> usize {
        self.offsets[function] + value.index()
    }

    /// Whether an operation reads a value.
    pub(crate) fn is_read(&self, function: usize, value: Value) -> bool {
        self.read[self.number(function, value)]
    }

    pub(crate) fn block(&mut self, index: u64) -> &mut Block {
        let (idle, values) = (&mut self.idle, self.values);
        self.blocks.entry(index).or_insert_with(|| {
            idle.pop().unwrap_or_else(|| Block {
                shadows: vec![None; values],
                tokens: HashMap::default(),
                extents: HashMap::default(),
                calls: Vec::new(),
                last_read: None,
            })
        })
    }

    pub(crate) fn end(&mut self, index: u64) {
        self.report.blocks += 1;
        if let Some(mut block) = self.blocks.remove(&index) {
            block.shadows.fill(None);
            block.calls.clear();
            block.tokens.clear();
            block.extents.clear();
            block.last_read = None;
            self.idle.push(block);
        }
    }

    pub(crate) fn shadow(&mut self, at: At, value: Value) -> Shadow {
        let number = self.number(at.function, value);
        self.block(at.index).shadow(number).clone()
    }

    pub(crate) fn set_shadow(&mut self, at: At, value: Value, shadow: Shadow) {
        let number = self.number(at.function, value);
        self.block(at.index).set_shadow(number, shadow);
    }

    /// Reports that blocks wait for each other for ever: for each operation that some of them wait at, what these find there.
    pub(crate) fn stuck(&mut self, blocks: &[u64]) {
        self.is_stuck = true;
        let seen: Vec<Seen> = blocks.iter().filter_map(|index| self.block(*index).last_read).collect();
        for (i, first) in seen.iter().enumerate() {
            let is_here = |other: &&Seen| (other.at.function, other.at.op) == (first.at.function, first.at.op);
            // The first violation of an operation says it for all blocks that wait there.
            let message = match seen[..i].iter().any(|other| is_here(&other)) {
                true => String::new(),
                false => self.what_they_wait_for(&seen[i..].iter().filter(is_here).collect::<Vec<_>>()),
            };
            let spot = Spot::memory(self.memory.place(first.address, first.bytes));
            self.violation(first.at, Violation { spot, ..Violation::new(&rules::DEADLOCK, message) });
        }
    }

    fn what_they_wait_for(&self, waiting: &[&Seen]) -> String {
        let waits = |seen: &&&Seen| {
            let [x, y, z] = seen.at.block;
            let place = match self.memory.place(seen.address, seen.bytes).buffer {
                Some(buffer) => format!("byte {} of {}", buffer.offset, buffer.name),
                None => format!("address {:#x}", seen.address),
            };
            let value = seen.value.map_or_else(String::new, |value| format!(", where it finds {value}"));
            format!("block ({x}, {y}, {z}) at {place}{value}")
        };
        let mut all: Vec<String> = waiting.iter().take(MOST_NAMED).map(|seen| waits(&seen)).collect();
        if let Some(more) = waiting.len().checked_sub(MOST_NAMED).filter(|more| *more > 0) {
            all.push(format!("and {more} more"));
        }
        format!("blocks wait here for ever: {}", all.join("; "))
    }

    /// Adds what happened to the report: to the finding that is the same, if there is one.
    pub(crate) fn violation(&mut self, at: At, violation: Violation) {
        let Violation { rule, message, elements, spot, other } = violation;
        let key = (rule.id, at.function, at.op.index(), other.as_ref().map(|other| (other.at.function, other.at.op.index())));
        if let Some((position, blocks)) = self.found.get_mut(&key) {
            let finding = &mut self.report.findings[*position];
            finding.elements += elements;
            if blocks.insert(at.index) {
                finding.blocks += 1;
            }
            return;
        }
        let place = self.spot(at, spot);
        let other = other.map(|other| Related { what: other.what, place: self.spot(other.at, other.spot) });
        let kernel = self.kernel.clone();
        self.found.insert(key, (self.report.findings.len(), [at.index].into_iter().collect()));
        self.report.findings.push(Finding { rule, message, kernel, place, other, elements, blocks: 1, schedule: None });
    }

    /// What reports say of a part of an operation.
    pub(crate) fn spot(&self, at: At, Spot { element, coordinates, mut memory }: Spot) -> Place {
        if let Some(memory) = &mut memory
            && let Some(buffer) = &mut memory.buffer
            && let Some(Local { block: index, function, op, .. }) = self.memory.local(memory.address)
        {
            let block = self.block_at(index);
            buffer.allocation = Some(Box::new(self.place(At { function, op, block, index })));
        }
        Place { element, coordinates, memory, ..self.place(at) }
    }

    /// The coordinates of a block by its position in the order of the grid.
    pub(crate) fn block_at(&self, index: u64) -> [u32; 3] {
        let [x, y, _] = self.grid.map(|extent| u64::from(extent.max(1)));
        [(index % x) as u32, (index / x % y) as u32, (index / x / y) as u32]
    }

    pub(crate) fn place(&self, at: At) -> Place {
        let tables = &self.module.tables;
        let function = &self.module.functions[at.function];
        let op = function.body.op(at.op);
        let source = tables.locations.source(op.loc());
        Place {
            function: tables.strings.text(function.name).into_owned(),
            operation: op.def().mnemonic,
            op: at.op.index(),
            source: source.map(|(file, line, column)| Source { file: tables.strings.text(file).into_owned(), line, column }),
            block: at.block,
            element: None,
            coordinates: None,
            memory: None,
        }
    }

    /// What a report says of where an undefined value comes from.
    pub(crate) fn origin(&self, origin: &Origin) -> Other {
        let what = match origin.cause {
            Cause::NeverWritten(_) => "the value was read here, from memory that nobody wrote",
            Cause::MaskedOff => "the value is that of an element that is masked off here, without padding",
            Cause::OutsideOfTensor => "the value was read here, outside of the tensor, by a view without padding value",
        };
        let spot = match origin.cause {
            Cause::NeverWritten(address) => Spot::memory(self.memory.place(address, 1)),
            _ => Spot::default(),
        };
        let [x, y, _] = self.grid.map(u64::from);
        let [bx, by, bz] = origin.block.map(u64::from);
        let index = bx + x * (by + y * bz);
        Other { what: what.to_owned(), at: At { function: origin.function, op: origin.op, block: origin.block, index }, spot }
    }
}
