//! The counts of a function.

use super::{
    Count,
    amount::{Amount, Sum},
    by_operation, cost,
    loops::Schedule,
};
use crate::{
    ir::{AttrName, AttrValue, Function, Module, OpRef, Opcode, Value},
    text::{OpPrinter, print_type},
};
use serde::Serialize;

/// The counts of a function, and the work of one block that runs it.
#[derive(Clone, Debug, Serialize)]
pub struct FunctionStats {
    /// Its name.
    pub name: String,
    /// Operations.
    pub operations: usize,
    /// Values.
    pub values: usize,
    /// How deep its regions nest: 0 without any.
    pub nesting: usize,
    /// Operations that a block executes. A `reduce` or `scan` is one, whatever its region does. `None` where more loops nest that run an
    /// unknown number of times than anybody writes: the sum would have a term for each.
    pub executed: Option<Amount>,
    /// Operations by name, the most frequent first.
    pub by_operation: Vec<Count>,
    /// The loops that run an unknown number of times.
    pub loops: Vec<Loop>,
    /// Every operation that computes floats or multiplies matrices, in order.
    pub work: Vec<Work>,
    /// Every access to memory, in order.
    pub accesses: Vec<Access>,
    /// Flops of matrix products.
    pub mma_flops: Amount,
    /// Flops of everything else.
    pub other_flops: Amount,
    /// Integer operations of matrix products.
    pub mma_int_ops: Amount,
    /// Bytes moved from and to memory.
    pub bytes: Amount,
    /// Flops for each byte moved, where that can be told.
    pub intensity: Option<Intensity>,
}

/// A loop that runs an unknown number of times.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Loop {
    /// What the number is called: `n0`.
    pub name: String,
    /// The text of the loop.
    pub operation: String,
}

/// The work of an operation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Work {
    /// Its position in the function, in pre-order.
    pub index: usize,
    /// Its name.
    pub operation: &'static str,
    /// Type of its result.
    #[serde(rename = "type")]
    pub ty: String,
    /// Flops of one execution; integer operations for `mmai`.
    pub flops: u128,
    /// How often it runs.
    pub times: Amount,
    /// Flops of all executions.
    pub total: Amount,
}

/// An access to memory.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Access {
    /// Position of the operation in the function, in pre-order.
    pub index: usize,
    /// Its name.
    pub operation: &'static str,
    /// Type of the tile it moves.
    #[serde(rename = "type")]
    pub ty: String,
    /// The parameter or global whose memory it is, where that can be told.
    pub base: Option<String>,
    /// Bytes of one execution.
    pub bytes: u128,
    /// How often it runs.
    pub times: Amount,
    /// Bytes of all executions.
    pub total: Amount,
}

/// Flops for each byte moved.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Intensity {
    /// The quotient.
    pub flops_per_byte: f64,
    /// The unknown number whose growth makes it tend to the quotient; `None` where it is the quotient.
    pub as_grows: Option<String>,
}

/// How many loops that run an unknown number of times may nest for executed operations to be counted.
const MAX_UNKNOWN: usize = 8;

/// How deep loops nest that run an unknown number of times. Each comes behind the one around it.
fn unknown_depth(unknowns: &[Option<usize>]) -> usize {
    let mut depths: Vec<usize> = Vec::with_capacity(unknowns.len());
    for outer in unknowns {
        depths.push(1 + outer.map_or(0, |outer| depths[outer]));
    }
    depths.into_iter().max().unwrap_or(0)
}

/// How far the origin of a view is looked for.
const MAX_STEPS: usize = 64;

impl FunctionStats {
    pub(super) fn new(module: &Module, function: &Function) -> FunctionStats {
        let body = &function.body;
        let schedule = Schedule::new(module, body);
        let mut counter =
            Counter { module, function, schedule: &schedule, printer: OpPrinter::new(module, function), index: 0, sums: Sums::default() };
        body.walk(|op| counter.operation(op));
        let printer = &counter.printer;
        let loops = schedule.loops.iter().enumerate();
        let loops = loops.map(|(number, &op)| Loop { name: format!("n{number}"), operation: printer.op(op) }).collect();
        let Sums { executed, mma_flops, other_flops, mma_int_ops, all_flops, bytes, work, accesses } = counter.sums;
        FunctionStats {
            name: module.tables.strings.text(function.name).into_owned(),
            operations: body.num_ops(),
            values: body.num_values(),
            nesting: schedule.max_depth(),
            executed: (unknown_depth(&schedule.unknowns) <= MAX_UNKNOWN).then(|| executed.amount(&schedule.unknowns)),
            by_operation: by_operation(std::iter::once(body)),
            loops,
            work,
            accesses,
            mma_flops: mma_flops.amount(&schedule.unknowns),
            other_flops: other_flops.amount(&schedule.unknowns),
            mma_int_ops: mma_int_ops.amount(&schedule.unknowns),
            bytes: bytes.amount(&schedule.unknowns),
            intensity: intensity(&all_flops, &bytes, &schedule),
        }
    }
}

fn intensity(flops: &Sum, bytes: &Sum, schedule: &Schedule) -> Option<Intensity> {
    if flops.is_zero() || bytes.is_zero() {
        return None;
    }
    let (in_flops, flops) = flops.leading(&schedule.unknowns)?;
    let (in_bytes, bytes) = bytes.leading(&schedule.unknowns)?;
    let as_grows = in_flops.map(|number| format!("n{number}"));
    (in_flops == in_bytes).then(|| Intensity { flops_per_byte: flops as f64 / bytes as f64, as_grows })
}

#[derive(Default)]
struct Sums {
    executed: Sum,
    mma_flops: Sum,
    other_flops: Sum,
    mma_int_ops: Sum,
    all_flops: Sum,
    bytes: Sum,
    work: Vec<Work>,
    accesses: Vec<Access>,
}

struct Counter<'m, 's> {
    module: &'m Module,
    function: &'m Function,
    schedule: &'s Schedule,
    printer: OpPrinter<'m>,
    index: usize,
    sums: Sums,
}

impl Counter<'_, '_> {
    fn operation(&mut self, op: OpRef<'_>) {
        if !op.parent().is_some_and(|parent| matches!(parent.opcode(), Opcode::Reduce | Opcode::Scan)) {
            self.sums.executed.add(self.schedule.times(op.id()));
        }
        self.work(op);
        if let Some(value) = cost::moved(self.module, op) {
            self.access(op, value);
        }
        self.index += 1;
    }

    fn amount(&self, sum: impl Into<Sum>) -> Amount {
        sum.into().amount(&self.schedule.unknowns)
    }

    fn work(&mut self, op: OpRef<'_>) {
        let cost = cost::cost(self.module, op);
        let flops = cost.mma_flops + cost.flops + cost.mma_int_ops;
        let Some(result) = op.result(0).filter(|_| flops > 0) else { return };
        let times = self.schedule.times(op.id());
        self.sums.mma_flops.add(times.times(cost.mma_flops));
        self.sums.other_flops.add(times.times(cost.flops));
        self.sums.mma_int_ops.add(times.times(cost.mma_int_ops));
        self.sums.all_flops.add(times.times(cost.mma_flops + cost.flops));
        self.sums.work.push(Work {
            index: self.index,
            operation: op.opcode().mnemonic(),
            ty: print_type(self.module, op.body().ty(result)),
            flops,
            times: self.amount(times),
            total: self.amount(times.times(flops)),
        });
    }

    fn access(&mut self, op: OpRef<'_>, value: Value) {
        let times = self.schedule.times(op.id());
        let bytes = cost::bytes(self.module, op, value);
        self.sums.bytes.add(times.times(bytes));
        self.sums.accesses.push(Access {
            index: self.index,
            operation: op.opcode().mnemonic(),
            ty: print_type(self.module, op.body().ty(value)),
            base: self.base(op),
            bytes,
            times: self.amount(times),
            total: self.amount(times.times(bytes)),
        });
    }

    /// The parameter or global that the address of an access comes from.
    fn base(&self, op: OpRef<'_>) -> Option<String> {
        let body = &self.function.body;
        let address = ["view", "source", "destination", "pointers"].iter().find_map(|name| op.operand_named(name).first().copied());
        let mut value = address?;
        for _ in 0..MAX_STEPS {
            let Some(op) = body.contains_value(value).then(|| body.defining_op(value))? else {
                let is_parameter = body.entry_block().is_some_and(|block| body.args(block).any(|arg| arg == value));
                return is_parameter.then(|| self.printer.value(value));
            };
            value = match (op.opcode(), op.attr(AttrName::Name)) {
                (Opcode::GetGlobal, AttrValue::Str(name)) => return Some(format!("@{}", self.module.tables.strings.text(name))),
                (Opcode::Alloca, _) => return Some("alloca".to_owned()),
                (opcode, _) if passes_address_on(opcode) => op.operand(0)?,
                _ => return None,
            };
        }
        None
    }
}

/// Whether the result is an address or view in the memory of the first operand.
fn passes_address_on(opcode: Opcode) -> bool {
    use Opcode::{
        Assume, Bitcast, Broadcast, MakeGatherScatterView, MakePartitionView, MakeStridedView, MakeTensorView, Offset, Permute, PtrToPtr,
        Reshape,
    };
    matches!(
        opcode,
        Assume
            | Bitcast
            | Broadcast
            | MakeGatherScatterView
            | MakePartitionView
            | MakeStridedView
            | MakeTensorView
            | Offset
            | Permute
            | PtrToPtr
            | Reshape
    )
}
