//! A block of a kernel, run on chosen values.

use super::Kernel;
use crate::{access::Strength, enumerate::Replay, execution::Operation};
use tilewright_ir::{
    AtomicRMWMode as Mode, AttrName, AttrValue, Block, Body, MemoryOrderingSemantics as Ordering, OpRef, Opcode, RoundingMode, Value,
};
use tilewright_passes::{
    constant::Constant,
    elem::Elem,
    elementwise::{ElemOp, elem_op, evaluate},
};

/// The most elements of a tile.
const MAX_TILE: usize = 1 << 12;

/// The most operations of a block that access memory, by element.
const MAX_OPERATIONS: usize = 64;

/// The most times that a `for` goes round.
const MAX_TRIPS: usize = 1 << 12;

/// What a value of the program is.
#[derive(Clone)]
enum Val {
    Tile(Vec<u64>),
    /// The operations that are known behind it.
    Token(u64),
}

/// How a block of operations ended.
enum End {
    Yield(Vec<Val>),
    Continue(Vec<Val>),
    Break(Vec<Val>),
    Return,
    /// A read has no value any more.
    Read,
    /// A loop went round too often.
    Cut,
}

struct Run<'k> {
    kernel: &'k Kernel<'k>,
    body: &'k Body,
    id: [u32; 3],
    reads: &'k [u64],
    read: usize,
    values: Vec<Option<Val>>,
    operations: Vec<Operation>,
    next_read: Option<(usize, usize)>,
}

pub(super) fn run(kernel: &Kernel<'_>, block: usize, reads: &[u64]) -> Result<Replay, String> {
    let body = &kernel.function.body;
    let [x, y, _] = kernel.grid;
    let block = block as u32;
    let id = [block % x, block / x % y, block / x / y];
    let values = vec![None; body.num_values()];
    let mut run = Run { kernel, body, id, reads, read: 0, values, operations: Vec::new(), next_read: None };
    let entry = body.entry_block().ok_or("the entry has no body")?;
    let arguments = kernel.arguments.iter().map(|bits| Val::Tile(vec![*bits])).collect();
    let end = run.block(entry, arguments)?;
    Ok(Replay { operations: run.operations, next_read: run.next_read, observed: Vec::new(), cut: matches!(end, End::Cut) })
}

impl Run<'_> {
    /// Element type and extents of a tile.
    fn ty(&self, value: Value) -> Result<(Elem, Vec<usize>), String> {
        let types = &self.kernel.module.tables.types;
        let (element, shape) = types.as_tile(self.body.ty(value)).ok_or("a value that is no tile")?;
        let elem = Elem::of(types, element).ok_or("a tile of an unknown type")?;
        let shape: Vec<usize> = shape.iter().map(|n| *n as usize).collect();
        let count = shape.iter().try_fold(1usize, |count, n| count.checked_mul(*n));
        count.filter(|count| *count <= MAX_TILE).ok_or_else(|| format!("a tile has more than {MAX_TILE} elements"))?;
        Ok((elem, shape))
    }

    fn val(&self, value: Value) -> Result<Val, String> {
        self.values[value.index()].clone().ok_or_else(|| "a value that was not computed".to_owned())
    }

    fn vals(&self, values: &[Value]) -> Result<Vec<Val>, String> {
        values.iter().map(|value| self.val(*value)).collect()
    }

    fn tile(&self, value: Value) -> Result<Vec<u64>, String> {
        match self.val(value)? {
            Val::Tile(items) => Ok(items),
            Val::Token(_) => Err("a token where a tile should be".to_owned()),
        }
    }

    fn named(&self, op: OpRef<'_>, name: &str) -> Result<Option<Vec<u64>>, String> {
        op.operand_named(name).first().map(|value| self.tile(*value)).transpose()
    }

    /// What is known behind the tokens among the operands.
    fn tokens(&self, op: OpRef<'_>) -> Result<u64, String> {
        let known = |value: &Value| Ok(if let Val::Token(known) = self.val(*value)? { known } else { 0 });
        op.operands().iter().map(known).try_fold(0, |all, known: Result<u64, String>| Ok(all | known?))
    }

    fn define(&mut self, values: impl Iterator<Item = Value>, vals: Vec<Val>) {
        for (value, val) in values.zip(vals) {
            self.values[value.index()] = Some(val);
        }
    }

    fn block(&mut self, block: Block, args: Vec<Val>) -> Result<End, String> {
        self.define(self.body.args(block), args);
        let body = self.body;
        for op in body.ops(block) {
            match op.opcode() {
                Opcode::Yield => return Ok(End::Yield(self.vals(op.operands())?)),
                Opcode::Continue => return Ok(End::Continue(self.vals(op.operands())?)),
                Opcode::Break => return Ok(End::Break(self.vals(op.operands())?)),
                Opcode::Return => return Ok(End::Return),
                Opcode::If | Opcode::For | Opcode::Loop => {
                    let end = match op.opcode() {
                        Opcode::If => self.branch(op)?,
                        Opcode::For => self.count(op)?,
                        _ => self.repeat(op)?,
                    };
                    match end {
                        End::Yield(vals) => self.define(op.results(), vals),
                        end => return Ok(end),
                    }
                }
                _ => {
                    let vals = self.operation(op)?;
                    if self.next_read.is_some() {
                        return Ok(End::Read);
                    }
                    self.define(op.results(), vals);
                }
            }
        }
        Err("a block does not end in a terminator".to_owned())
    }

    fn branch(&mut self, op: OpRef<'_>) -> Result<End, String> {
        let taken = self.tile(op.operands()[0])?[0] & 1 == 1;
        match op.region_block(usize::from(!taken)) {
            Some(block) => self.block(block, Vec::new()),
            None => Ok(End::Yield(Vec::new())),
        }
    }

    fn count(&mut self, op: OpRef<'_>) -> Result<End, String> {
        let (elem, _) = self.ty(op.operands()[0])?;
        let signed = !op.flag(AttrName::UnsignedCmp);
        let bound = |this: &Self, at: usize| -> Result<i128, String> {
            let bits = this.tile(op.operands()[at])?[0];
            Ok(if signed { super::sign_extended(bits, elem.bits()).into() } else { bits.into() })
        };
        let (mut counter, upper, step) = (bound(self, 0)?, bound(self, 1)?, bound(self, 2)?);
        let mut carried = self.vals(&op.operands()[3..])?;
        let block = op.region_block(0).ok_or("a loop without a body")?;
        for _ in 0..MAX_TRIPS {
            if counter >= upper {
                return Ok(End::Yield(carried));
            }
            let bits = counter as u64 & u64::MAX >> (64 - elem.bits());
            let args = [Val::Tile(vec![bits])].into_iter().chain(carried).collect();
            match self.block(block, args)? {
                End::Continue(vals) => carried = vals,
                end => return Ok(end),
            }
            counter += step;
        }
        Err(format!("a for goes round more than {MAX_TRIPS} times"))
    }

    fn repeat(&mut self, op: OpRef<'_>) -> Result<End, String> {
        let mut carried = self.vals(op.operands())?;
        let block = op.region_block(0).ok_or("a loop without a body")?;
        for _ in 0..self.kernel.rounds {
            match self.block(block, carried)? {
                End::Continue(vals) => carried = vals,
                End::Break(vals) => return Ok(End::Yield(vals)),
                end => return Ok(end),
            }
        }
        Ok(End::Cut)
    }

    fn operation(&mut self, op: OpRef<'_>) -> Result<Vec<Val>, String> {
        let numbers = |numbers: [u32; 3]| numbers.map(|n| Val::Tile(vec![u64::from(n)])).to_vec();
        Ok(match op.opcode() {
            Opcode::GetTileBlockId => numbers(self.id),
            Opcode::GetNumTileBlocks => numbers(self.kernel.grid),
            Opcode::MakeToken => vec![Val::Token(0)],
            Opcode::JoinTokens | Opcode::PrintTko | Opcode::MemoryFenceAliasTko | Opcode::GdcWaitTko | Opcode::GdcLaunchDependentsTko => {
                vec![Val::Token(self.tokens(op)?)]
            }
            Opcode::Assume => vec![self.val(op.operands()[0])?],
            Opcode::Assert => Vec::new(),
            Opcode::LoadPtrTko | Opcode::StorePtrTko | Opcode::AtomicRMWTko | Opcode::AtomicCASTko => self.access(op)?,
            _ => vec![self.computed(op)?],
        })
    }

    /// What an operation on tiles gives.
    fn computed(&self, op: OpRef<'_>) -> Result<Val, String> {
        let result = op.result(0).ok_or_else(|| uncovered(op))?;
        let (elem, shape) = self.ty(result).map_err(|_| uncovered(op))?;
        let count: usize = shape.iter().product();
        let items = match op.opcode() {
            Opcode::Constant => {
                let constant = Constant::of(&self.kernel.module.tables, self.body, result, MAX_TILE).ok_or_else(|| uncovered(op))?;
                (0..count).map(|at| constant.elements.get(at)).collect()
            }
            Opcode::Iota => (0..count as u64).collect(),
            Opcode::Reshape => self.tile(op.operands()[0])?,
            Opcode::Broadcast => {
                let (_, from) = self.ty(op.operands()[0])?;
                let source = self.tile(op.operands()[0])?;
                (0..count).map(|at| source[broadcast_from(at, &shape, &from)]).collect()
            }
            _ => {
                let elementwise = elem_op(op, &self.kernel.module.tables.types).ok_or_else(|| uncovered(op))?;
                let operands = op.operands().iter().map(|value| self.tile(*value)).collect::<Result<Vec<_>, _>>()?;
                let mut from = [elem; 3];
                for (slot, value) in from.iter_mut().zip(op.operands()) {
                    *slot = self.ty(*value)?.0;
                }
                let source = |operand: usize, at: usize| operands.get(operand).map_or(0, |items| items[at]);
                (0..count).map(|at| evaluate(elementwise, &from, elem, [0, 1, 2].map(|operand| source(operand, at)))).collect()
            }
        };
        Ok(Val::Tile(items))
    }

    fn access(&mut self, op: OpRef<'_>) -> Result<Vec<Val>, String> {
        let opcode = op.opcode();
        let name = match opcode {
            Opcode::LoadPtrTko => "source",
            Opcode::StorePtrTko => "destination",
            _ => "pointers",
        };
        let pointers = self.named(op, name)?.ok_or("an access without pointers")?;
        let mask = self.named(op, "mask")?;
        let ordering = op.memory_ordering().unwrap_or(Ordering::Weak);
        let strength = Strength { ordering, scope: op.memory_scope().filter(|_| ordering != Ordering::Weak) };
        let waits_for = self.tokens(op)?;
        let written = self.named(
            op,
            if opcode == Opcode::StorePtrTko {
                "value"
            } else if opcode == Opcode::AtomicCASTko {
                "val"
            } else {
                "arg"
            },
        )?;
        let compared = self.named(op, "cmp")?;
        let elem = match opcode {
            Opcode::StorePtrTko => self.ty(op.operand_named("value")[0])?.0,
            _ => self.ty(op.result(0).ok_or("an access without a result")?)?.0,
        };
        let mut items = self.named(op, "paddingValue")?.or_else(|| compared.clone()).unwrap_or_else(|| vec![0; pointers.len()]);
        let mut behind = waits_for;
        for (at, address) in pointers.iter().enumerate() {
            if mask.as_ref().is_some_and(|mask| mask[at] & 1 == 0) {
                continue;
            }
            let location = self.kernel.location(*address, elem).map_err(|error| format!("{}: {error}", op.def().mnemonic))?;
            let read = match self.reads.get(self.read).filter(|_| opcode != Opcode::StorePtrTko) {
                None if opcode == Opcode::StorePtrTko => None,
                None => {
                    self.next_read = Some((op.id().index(), location));
                    return Ok(Vec::new());
                }
                Some(value) => {
                    self.read += 1;
                    items[at] = *value;
                    Some(*value)
                }
            };
            let new = written.as_ref().map(|items| items[at]);
            let write = match (read, new, &compared) {
                (Some(old), Some(new), Some(compared)) => (old == compared[at]).then_some(new),
                (Some(old), Some(new), None) => Some(update(op, elem, old, new)?),
                (_, new, _) => new,
            };
            let index = self.operations.len();
            if index == MAX_OPERATIONS {
                return Err(format!("a block makes more than {MAX_OPERATIONS} accesses; use smaller tiles or fewer of them"));
            }
            behind |= 1 << index;
            self.operations.push(Operation { site: op.id().index(), location, strength, read, write, waits_for });
        }
        let token = Val::Token(behind);
        Ok(if opcode == Opcode::StorePtrTko { vec![token] } else { vec![Val::Tile(items), token] })
    }
}

fn uncovered(op: OpRef<'_>) -> String {
    format!(
        "'{}' is not covered by the enumeration of executions; it takes scalars and small tiles, and accesses by pointers",
        op.def().mnemonic
    )
}

/// The element of a tile that a broadcast repeats at a position of its result.
fn broadcast_from(at: usize, shape: &[usize], from: &[usize]) -> usize {
    let (mut rest, mut index, mut stride) = (at, 0, 1);
    for (extent, source) in shape.iter().zip(from).rev() {
        if *source > 1 {
            index += rest % extent * stride;
        }
        stride *= source;
        rest /= extent;
    }
    index
}

/// What an atomic makes of what memory holds.
fn update(op: OpRef<'_>, elem: Elem, old: u64, new: u64) -> Result<u64, String> {
    let mode = if let AttrValue::Enum(wire) = op.attr(AttrName::Mode) { Mode::from_wire(wire) } else { None };
    let operation = match mode.ok_or_else(|| uncovered(op))? {
        Mode::And => ElemOp::And,
        Mode::Or => ElemOp::Or,
        Mode::Xor => ElemOp::Xor,
        Mode::Add => ElemOp::AddI,
        Mode::Addf => ElemOp::AddF(RoundingMode::NearestEven, false),
        Mode::Max => ElemOp::MaxI(true),
        Mode::Min => ElemOp::MinI(true),
        Mode::Umax => ElemOp::MaxI(false),
        Mode::Umin => ElemOp::MinI(false),
        Mode::Xchg => return Ok(new),
    };
    Ok(evaluate(operation, &[elem; 3], elem, [old, new, 0]))
}
