//! Combiners of reductions and scans as vector code.
//!
//! A reduction is a tree of halves: the upper half of the elements is combined into the lower one until one is left. Vector code combines as many
//! parts of each row as it has ways, which with eight ways are three such halvings, and nothing between them is written:
//!
//! ```text
//! rows of sources ─► parts 0..w of a row ─► w - 1 combinations ─► the first part, written to the results
//! ```

use super::{Fold, Src, Step, region::is_lowered};
use crate::{TargetMachine, elem::Elem, hash::HashMap};
use std::sync::OnceLock;
use tilewright_vector::{
    Builder, Code, CompileError, Count, Kind, Native, Param, ParamKind, Place,
    lower::{self, Held},
};

/// The most values that code reads at once: their addresses are kept at hand.
const MAX_SOURCES: usize = 24;
/// The most steps of a combiner.
const MAX_STEPS: usize = 64;
/// The lanes of its code: what it carries in none, so no more than the longest vector has.
const LANES: u32 = 64;
/// The fewest elements that code is made for.
const FEWEST: usize = 128;

/// Machine code that combines parts of rows.
///
/// Its arguments: for each capture its only element; for each operand the begin of each part, and of the result; how many rows there are, and how
/// many elements a part has; for each operand the bytes from one row of sources to the next, and from one row of results.
#[derive(Debug)]
pub(crate) struct Combiner {
    machine: TargetMachine,
    two: OnceLock<Option<Native>>,
    eight: OnceLock<Option<Native>>,
    prefixes: OnceLock<Option<Native>>,
}

impl Combiner {
    pub(super) fn new(machine: TargetMachine) -> Combiner {
        Combiner { machine, two: OnceLock::new(), eight: OnceLock::new(), prefixes: OnceLock::new() }
    }

    /// The code that combines the most parts of rows of `extent` elements, and how many: eight or two. `None` if there is no machine code.
    pub(crate) fn widest(&self, fold: &Fold, extent: usize) -> Option<(&Native, usize)> {
        let eight = if extent.is_multiple_of(8) && 8 * fold.operands.len() <= MAX_SOURCES { self.native(fold, 8) } else { None };
        eight.map(|native| (native, 8)).or_else(|| Some((self.two(fold)?, 2)))
    }

    /// The code that combines two parts.
    pub(crate) fn two(&self, fold: &Fold) -> Option<&Native> {
        self.native(fold, 2)
    }

    fn native(&self, fold: &Fold, ways: usize) -> Option<&Native> {
        if ways == 2 { &self.two } else { &self.eight }.get_or_init(|| compile(fold, &self.machine, |fold| code(fold, ways))).as_ref()
    }

    /// The code that combines each slice with the prefix before it. Its arguments: for each capture its only element; for each operand where its
    /// first slice is; how many slices are combined, and how many elements of a slice; where the second slice of each operand is; the bytes from one
    /// slice of each to the next.
    pub(crate) fn prefixes(&self, fold: &Fold) -> Option<&Native> {
        self.prefixes.get_or_init(|| compile(fold, &self.machine, prefixes)).as_ref()
    }
}

/// Machine code, if the combiner can have some and there is enough to do for it.
fn compile(fold: &Fold, machine: &TargetMachine, code: impl Fn(&Fold) -> Option<Code>) -> Option<Native> {
    let fits = fold.steps.len() <= MAX_STEPS && 2 * fold.operands.len() <= MAX_SOURCES && fold.steps.iter().all(is_lowered);
    let code = (fits && fold.extent * fold.slice >= FEWEST).then(|| code(fold)).flatten()?;
    match code.compile(machine.native()?) {
        Ok(native) => Some(native),
        Err(CompileError::Unavailable(_) | CompileError::Pages(_)) => None,
        Err(error) => unreachable!("all vector code can be encoded: {error}"),
    }
}

/// The parameters of an operand.
struct Operand {
    elem: Elem,
    parts: Vec<Param>,
    result: Param,
    /// From one row of sources to the next, and from one row of results.
    strides: [Count; 2],
}

/// The vector code of a combiner of so many parts; `None` if it cannot be said so.
fn code(fold: &Fold, ways: usize) -> Option<Code> {
    let mut builder = Builder::new(LANES);
    let captures: Vec<Param> = fold.captures.iter().map(|_| builder.param(ParamKind::Buffer)).collect();
    let none = Count::Const(0);
    let mut operands: Vec<Operand> = Vec::with_capacity(fold.operands.len());
    for operand in &fold.operands {
        let parts = (0..ways).map(|_| builder.param(ParamKind::Buffer)).collect();
        operands.push(Operand { elem: operand.src.elem, parts, result: builder.param(ParamKind::Buffer), strides: [none; 2] });
    }
    let [rows, elements] = [(); 2].map(|()| Count::Param(builder.param(ParamKind::Count)));
    for operand in &mut operands {
        operand.strides = [(); 2].map(|()| Count::Param(builder.param(ParamKind::Count)));
    }
    let mut combiner = Lowering::new(fold, builder, &captures)?;
    let (row, _) = combiner.builder.open(Kind::Serial, rows, &[]);
    let (column, _) = combiner.builder.open(Kind::Lanes, elements, &[]);
    let place =
        |param: Param, stride: Count, elem: Elem| Place::of(param).along(row, stride).along(column, Count::Const(elem.size() as i64));
    let part = |builder: &mut Builder, part: usize| -> Option<Vec<Held>> {
        let load = |Operand { elem, parts, strides: [from, _], .. }: &Operand| {
            Some(Held::bits(builder.load(lower::memory_lane_of(*elem)?, place(parts[part], *from, *elem), None)))
        };
        operands.iter().map(load).collect()
    };
    let combined = combiner.tree(&part, ways, 0, 1)?;
    for (mut held, Operand { elem, result, strides: [_, to], .. }) in combined.into_iter().zip(&operands) {
        let bits = held.to_bits(&mut combiner.builder, *elem);
        combiner.builder.store(bits, place(*result, *to, *elem), None);
    }
    combiner.builder.close(&[]);
    combiner.builder.close(&[]);
    Some(combiner.builder.finish().unwrap_or_else(|finding| unreachable!("lowered code is valid: {finding}")))
}

/// The vector code that combines each slice with the prefix before it; `None` if it cannot be said so.
fn prefixes(fold: &Fold) -> Option<Code> {
    let mut builder = Builder::new(LANES);
    let captures: Vec<Param> = fold.captures.iter().map(|_| builder.param(ParamKind::Buffer)).collect();
    let buffers: Vec<Param> = fold.operands.iter().map(|_| builder.param(ParamKind::Buffer)).collect();
    let [slices, elements] = [(); 2].map(|()| Count::Param(builder.param(ParamKind::Count)));
    // The next slice is handed in as another buffer, because places begin at constant distances.
    let next: Vec<Param> = fold.operands.iter().map(|_| builder.param(ParamKind::Buffer)).collect();
    let strides: Vec<Count> = fold.operands.iter().map(|_| Count::Param(builder.param(ParamKind::Count))).collect();
    let mut combiner = Lowering::new(fold, builder, &captures)?;
    let (column, _) = combiner.builder.open(Kind::Lanes, elements, &[]);
    let elems = || fold.operands.iter().map(|operand| operand.src.elem);
    let place = |param: Param, elem: Elem| Place::of(param).along(column, Count::Const(elem.size() as i64));
    let mut first = Vec::with_capacity(buffers.len());
    for (param, elem) in buffers.iter().zip(elems()) {
        first.push(combiner.builder.load(lower::memory_lane_of(elem)?, place(*param, elem), None));
    }
    let (slice, carried) = combiner.builder.open(Kind::Serial, slices, &first);
    let before: Vec<Held> = carried.into_iter().map(Held::bits).collect();
    let places: Vec<Place> =
        next.iter().zip(elems()).zip(&strides).map(|((param, elem), stride)| place(*param, elem).along(slice, *stride)).collect();
    let mut own = Vec::with_capacity(places.len());
    for (place, elem) in places.iter().zip(elems()) {
        own.push(Held::bits(combiner.builder.load(lower::memory_lane_of(elem)?, place.clone(), None)));
    }
    let mut combined = combiner.combine(&before, &own)?;
    let mut results = Vec::with_capacity(combined.len());
    for ((held, elem), place) in combined.iter_mut().zip(elems()).zip(places) {
        let bits = held.to_bits(&mut combiner.builder, elem);
        combiner.builder.store(bits, place, None);
        results.push(bits);
    }
    combiner.builder.close(&results);
    combiner.builder.close(&[]);
    Some(combiner.builder.finish().unwrap_or_else(|finding| unreachable!("lowered code is valid: {finding}")))
}

/// A combiner that becomes vector code.
struct Lowering<'a> {
    fold: &'a Fold,
    builder: Builder,
    /// The captures.
    found: HashMap<Src, Held>,
}

impl<'a> Lowering<'a> {
    /// Begins with the captures, which are read once.
    fn new(fold: &'a Fold, mut builder: Builder, captures: &[Param]) -> Option<Lowering<'a>> {
        let mut found = HashMap::default();
        for (i, (param, tile)) in captures.iter().zip(&fold.captures).enumerate() {
            let mut held = Held::bits(builder.load(lower::memory_lane_of(tile.elem)?, Place::of(*param), None));
            if tile.elem.float().is_some() {
                held.to_number(&mut builder, tile.elem);
            }
            found.insert(Src::Input(2 * fold.operands.len() + i), held);
        }
        Some(Lowering { fold, builder, found })
    }

    /// What every `step`-th part from `first` on gives: the halves of a half are combined before the halves, so few values live at once.
    fn tree(
        &mut self,
        part: &impl Fn(&mut Builder, usize) -> Option<Vec<Held>>,
        ways: usize,
        first: usize,
        step: usize,
    ) -> Option<Vec<Held>> {
        if step == ways {
            return part(&mut self.builder, first);
        }
        let lower = self.tree(part, ways, first, 2 * step)?;
        let upper = self.tree(part, ways, first + step, 2 * step)?;
        self.combine(&lower, &upper)
    }

    fn combine(&mut self, lower: &[Held], upper: &[Held]) -> Option<Vec<Held>> {
        let mut found = self.found.clone();
        for (i, (lower, upper)) in lower.iter().zip(upper).enumerate() {
            found.extend([(Src::Input(2 * i), *lower), (Src::Input(2 * i + 1), *upper)]);
        }
        for step in &self.fold.steps {
            let held = lower_step(&mut self.builder, step, &mut found)?;
            found.insert(step.dst, held);
        }
        self.fold.results.iter().map(|result| found.get(result).copied()).collect()
    }
}

/// Computes a step of what was found, and keeps in which forms its operands are there now.
fn lower_step(builder: &mut Builder, step: &Step, found: &mut HashMap<Src, Held>) -> Option<Held> {
    let imm = &step.kernel.imm;
    let mut operands: Vec<Held> = step.srcs.iter().map(|src| found.get(src).copied()).collect::<Option<_>>()?;
    let held = lower::lower(builder, imm.op, imm.sources(), imm.dst, &mut operands)?;
    found.extend(step.srcs.iter().copied().zip(operands));
    Some(held)
}
