//! Combiners of reductions and scans as vector code.
//!
//! A reduction is a tree of halves: the upper half of the elements is combined into the lower one until one is left. Vector code does all of it, row
//! by row. A round combines up to eight parts of what is left of a row, which are three halvings with nothing written between them; where the last
//! round leaves a few elements of one row, these are the lanes of a vector, which are combined in it:
//!
//! ```text
//! row of the source ─► round: parts 0..8 ─► an eighth, at the place of the result ─► round ─► ... ─► lanes ─► the result
//! ```
//!
//! Operands that are one number from the module, the ones that a count begins with, say, are numbers in the code, and stay that from round to
//! round: what is computed of them alone is computed when the code is made.

use super::{Fold, FoldKind, Src, Step, region::is_lowered};
use crate::{TargetMachine, elem::Elem, hash::HashMap};
use std::{ops::RangeInclusive, sync::OnceLock};
use tilewright_passes::coarsen::LONG_SLICE;
use tilewright_vector::{
    Builder, Code, CompileError, Count, Kind, Native, Param, ParamKind, Place, Value,
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
/// The fewest rows of which each lane reduces one.
const FEWEST_ROWS: usize = 8;

/// Machine code that combines slices and reduces rows.
#[derive(Debug)]
pub(crate) struct Combiner {
    machine: TargetMachine,
    /// The bits of those operands, and behind them of those captures, that are one number in all launches, once they are told.
    known: Vec<Option<u64>>,
    two: OnceLock<Option<Native>>,
    rows: OnceLock<Option<Native>>,
    prefixes: OnceLock<Option<Native>>,
}

impl Combiner {
    pub(super) fn new(machine: TargetMachine) -> Combiner {
        Combiner { machine, known: Vec::new(), two: OnceLock::new(), rows: OnceLock::new(), prefixes: OnceLock::new() }
    }

    /// Learns what is known of operands and captures.
    pub(super) fn know(&mut self, known: Vec<Option<u64>>) {
        self.known = known;
    }

    /// The bits of all elements of an operand, or of the capture so far behind the operands, if they are the same in all launches.
    pub(crate) fn known(&self, input: usize) -> Option<u64> {
        self.known.get(input).copied().flatten()
    }

    /// The code that combines two slices into one. Its arguments: for each capture its only element; for each operand where its slices and the
    /// result begin; how many elements they have.
    pub(crate) fn two(&self, fold: &Fold) -> Option<&Native> {
        self.two.get_or_init(|| compile(fold, &self.machine, two)).as_ref()
    }

    /// The code that reduces rows. Its arguments: for each capture its only element; for each operand where its first row and the result of that
    /// begin; how many rows there are. What is left of a row between rounds lies where its result does, and behind that.
    pub(crate) fn rows(&self, fold: &Fold) -> Option<&Native> {
        self.rows.get_or_init(|| compile(fold, &self.machine, rows)).as_ref()
    }

    /// The code that combines each slice with the prefix before it. Its arguments: for each capture its only element; for each operand where its
    /// first slice is; how many slices are combined, and how many elements of a slice; where the second slice of each operand is; the bytes from one
    /// slice of each to the next.
    pub(crate) fn prefixes(&self, fold: &Fold) -> Option<&Native> {
        self.prefixes.get_or_init(|| compile(fold, &self.machine, prefixes)).as_ref()
    }
}

/// The vector code that carries out most of a reduction or scan; `None` where none does.
pub(super) fn code_of(fold: &Fold) -> Option<Code> {
    match fold.kind {
        FoldKind::Reduce => vector_code(fold, rows),
        FoldKind::Scan { .. } if fold.slice >= LONG_SLICE => vector_code(fold, prefixes),
        FoldKind::Scan { .. } => vector_code(fold, two),
    }
}

/// Vector code, if the combiner can be that and there is enough to do for it.
fn vector_code(fold: &Fold, code: impl Fn(&Fold) -> Option<Code>) -> Option<Code> {
    let fits = fold.steps.len() <= MAX_STEPS && 2 * fold.operands.len() <= MAX_SOURCES && fold.steps.iter().all(is_lowered);
    (fits && fold.extent > 1 && fold.extent * fold.slice >= FEWEST).then(|| code(fold)).flatten()
}

/// Machine code of it.
fn compile(fold: &Fold, machine: &TargetMachine, code: impl Fn(&Fold) -> Option<Code>) -> Option<Native> {
    let level = machine.native()?;
    match vector_code(fold, code)?.compile(level) {
        Ok(native) => Some(native),
        Err(CompileError::Unavailable(_) | CompileError::Pages(_)) => None,
        Err(error) => unreachable!("all vector code can be encoded: {error}"),
    }
}

/// The vector code that combines two slices; `None` if it cannot be said so.
fn two(fold: &Fold) -> Option<Code> {
    let mut builder = Builder::new(LANES);
    let captures: Vec<Param> = fold.captures.iter().map(|_| builder.param(ParamKind::Buffer)).collect();
    let operands: Vec<[Param; 3]> = fold.operands.iter().map(|_| [(); 3].map(|()| builder.param(ParamKind::Buffer))).collect();
    let elements = Count::Param(builder.param(ParamKind::Count));
    let combiner = Combining::new(fold, &mut builder, &captures)?;
    let (element, _) = builder.open(Kind::Lanes, elements, &[]);
    let place = |param: Param, elem: Elem| Place::of(param).along(element, Count::Const(elem.size() as i64));
    let mut load = |side: usize| combiner.load(&mut builder, &[], |k, elem| place(operands[k][side], elem));
    let (lower, upper) = (load(0)?, load(1)?);
    let combined = combiner.combine(&mut builder, &lower, &upper)?;
    for ((bits, elem), [.., result]) in combiner.to_bits(&mut builder, combined).into_iter().zip(combiner.elems()).zip(&operands) {
        builder.store(bits, place(*result, elem), None);
    }
    builder.close(&[]);
    Some(finish(builder))
}

/// How rows are reduced.
struct Rounds {
    /// How many parts each round combines, and how many elements a part has.
    all: Vec<(usize, usize)>,
    /// How many elements of a row of one element each the last round leaves to the lanes of a vector; one if it leaves nothing.
    lanes: usize,
}

impl Rounds {
    /// Parts that a round combines at most.
    const MOST_PARTS: usize = 8;
    /// Elements that are left to lanes: as many at most, and as many at least as code may have lanes.
    const LEFT: RangeInclusive<usize> = 8..=16;

    fn of(fold: &Fold) -> Rounds {
        let inner = fold.slice / fold.outer;
        let most = (1..=Rounds::MOST_PARTS).rev().find(|parts| parts.is_power_of_two() && parts * fold.operands.len() <= MAX_SOURCES);
        let lanes = if inner == 1 && fold.extent >= *Rounds::LEFT.start() { fold.extent.min(*Rounds::LEFT.end()) } else { 1 };
        let (mut all, mut left) = (Vec::new(), fold.extent);
        // One round at least, though it may combine nothing.
        while left > lanes || all.is_empty() {
            let parts = most.unwrap_or(2).max(2).min(left / lanes);
            left /= parts;
            all.push((parts, left * inner));
        }
        Rounds { all, lanes }
    }
}

/// The vector code that reduces rows; `None` if it cannot be said so.
fn rows(fold: &Fold) -> Option<Code> {
    if is_short(fold) { short_rows(fold) } else { long_rows(fold) }
}

/// Whether rows are so short that each lane reduces one. Rows that were brought to where results are written are not: lanes would overwrite what
/// others read.
fn is_short(fold: &Fold) -> bool {
    let fits = fold.extent <= Rounds::MOST_PARTS && fold.extent * fold.operands.len() <= MAX_SOURCES;
    fold.slice == fold.outer
        && fits
        && fold.outer >= FEWEST_ROWS
        && fold.operands.iter().enumerate().all(|(k, operand)| operand.row.is_some() || fold.combiner.known(k).is_some())
}

/// A row in each lane.
fn short_rows(fold: &Fold) -> Option<Code> {
    let mut builder = Builder::new(LANES);
    let (captures, buffers, count) = params_of_rows(fold, &mut builder);
    let combiner = Combining::new(fold, &mut builder, &captures)?;
    let (row, _) = builder.open(Kind::Lanes, count, &[]);
    let known = combiner.known_operands();
    let part = |builder: &mut Builder, part: usize| {
        let source = |k: usize, elem: Elem| Place::of(buffers[k][0]).along(row, bytes(fold.operands[k].row_pitch(fold), elem));
        combiner.load(builder, &known, |k, elem| source(k, elem).offset_by((part * elem.size()) as i64))
    };
    let combined = combiner.tree(&mut builder, &part, fold.extent, 0, 1)?;
    for (k, (bits, elem)) in combiner.to_bits(&mut builder, combined).into_iter().zip(combiner.elems()).enumerate() {
        builder.store(bits, Place::of(buffers[k][1]).along(row, bytes(1, elem)), None);
    }
    builder.close(&[]);
    Some(finish(builder))
}

/// The parameters of code that reduces rows: captures, the source and the result of each operand, how many rows.
fn params_of_rows(fold: &Fold, builder: &mut Builder) -> (Vec<Param>, Vec<[Param; 2]>, Count) {
    let captures = fold.captures.iter().map(|_| builder.param(ParamKind::Buffer)).collect();
    let buffers = fold.operands.iter().map(|_| [(); 2].map(|()| builder.param(ParamKind::Buffer))).collect();
    (captures, buffers, Count::Param(builder.param(ParamKind::Count)))
}

/// Row by row: each round reads what the one before has left, at the place of the result, and the last one may leave lanes.
fn long_rows(fold: &Fold) -> Option<Code> {
    let (inner, rounds) = (fold.slice / fold.outer, Rounds::of(fold));
    let mut builder = Builder::new(if rounds.lanes > 1 { rounds.lanes as u32 } else { LANES });
    let (captures, buffers, count) = params_of_rows(fold, &mut builder);
    let combiner = Combining::new(fold, &mut builder, &captures)?;
    let (row, _) = builder.open(Kind::Serial, count, &[]);
    let source = |k: usize, elem: Elem| Place::of(buffers[k][0]).along(row, bytes(fold.operands[k].row_pitch(fold), elem));
    let result = |k: usize, elem: Elem| Place::of(buffers[k][1]).along(row, bytes(inner, elem));
    let (mut known, mut left) = (combiner.known_operands(), None);
    for (i, (parts, elements)) in rounds.all.iter().enumerate() {
        let zeros = if i + 1 == rounds.all.len() && rounds.lanes > 1 { combiner.zeros(&mut builder)? } else { Vec::new() };
        let (element, _) = builder.open(Kind::Lanes, Count::Const(*elements as i64), &zeros);
        let part = |builder: &mut Builder, part: usize| {
            combiner.load(builder, &known, |k, elem| {
                let begin = if i == 0 { source(k, elem) } else { result(k, elem) };
                begin.offset_by((part * elements * elem.size()) as i64).along(element, bytes(1, elem))
            })
        };
        let combined = combiner.tree(&mut builder, &part, *parts, 0, 1)?;
        let bits = combiner.to_bits(&mut builder, combined);
        known = bits.iter().map(|value| builder.computed_bits(*value)).collect();
        if zeros.is_empty() {
            let is_last = i + 1 == rounds.all.len();
            for (k, (bits, elem)) in bits.iter().zip(combiner.elems()).enumerate().filter(|(k, _)| is_last || known[*k].is_none()) {
                builder.store(*bits, result(k, elem).along(element, bytes(1, elem)), None);
            }
            builder.close(&[]);
        } else {
            left = Some(builder.close(&bits));
        }
    }
    if let Some(left) = left {
        for (k, (bits, elem)) in combiner.combine_lanes(&mut builder, &left)?.iter().zip(combiner.elems()).enumerate() {
            builder.store(*bits, result(k, elem), None);
        }
    }
    builder.close(&[]);
    Some(finish(builder))
}

/// The bytes of so many elements.
fn bytes(elements: usize, elem: Elem) -> Count {
    Count::Const((elements * elem.size()) as i64)
}

fn finish(builder: Builder) -> Code {
    builder.finish().unwrap_or_else(|finding| unreachable!("lowered code is valid: {finding}"))
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
    let combiner = Combining::new(fold, &mut builder, &captures)?;
    let (column, _) = builder.open(Kind::Lanes, elements, &[]);
    let place = |param: Param, elem: Elem| Place::of(param).along(column, bytes(1, elem));
    let first = combiner.load(&mut builder, &[], |k, elem| place(buffers[k], elem))?;
    let first = combiner.to_bits(&mut builder, first);
    let (slice, carried) = builder.open(Kind::Serial, slices, &first);
    let before: Vec<Held> = carried.into_iter().map(Held::bits).collect();
    let own_place = |k: usize, elem: Elem| place(next[k], elem).along(slice, strides[k]);
    let own = combiner.load(&mut builder, &combiner.known_operands(), own_place)?;
    let combined = combiner.combine(&mut builder, &before, &own)?;
    let results = combiner.to_bits(&mut builder, combined);
    for (k, (bits, elem)) in results.iter().zip(combiner.elems()).enumerate() {
        builder.store(*bits, own_place(k, elem), None);
    }
    builder.close(&results);
    builder.close(&[]);
    Some(finish(builder))
}

/// A combiner that becomes vector code.
struct Combining<'a> {
    fold: &'a Fold,
    /// The captures.
    found: HashMap<Src, Held>,
}

impl<'a> Combining<'a> {
    /// Begins with the captures, which are read once.
    fn new(fold: &'a Fold, builder: &mut Builder, captures: &[Param]) -> Option<Combining<'a>> {
        let mut found = HashMap::default();
        for (i, (param, tile)) in captures.iter().zip(&fold.captures).enumerate() {
            let lane = lower::memory_lane_of(tile.elem)?;
            let mut held = Held::bits(match fold.combiner.known(fold.operands.len() + i) {
                Some(bits) => builder.constant(lane, bits),
                None => builder.load(lane, Place::of(*param), None),
            });
            if tile.elem.float().is_some() {
                held.to_number(builder, tile.elem);
            }
            found.insert(Src::Input(2 * fold.operands.len() + i), held);
        }
        Some(Combining { fold, found })
    }

    /// The types of the operands.
    fn elems(&self) -> impl Iterator<Item = Elem> + use<'a> {
        self.fold.operands.iter().map(|operand| operand.src.elem)
    }

    /// The bits of the operands whose elements are all one number that is known.
    fn known_operands(&self) -> Vec<Option<u64>> {
        (0..self.fold.operands.len()).map(|k| self.fold.combiner.known(k)).collect()
    }

    /// An element of each operand, each read at its place unless its bits are known.
    fn load(&self, builder: &mut Builder, known: &[Option<u64>], place: impl Fn(usize, Elem) -> Place) -> Option<Vec<Held>> {
        let load = |(k, elem): (usize, Elem)| {
            let lane = lower::memory_lane_of(elem)?;
            Some(Held::bits(match known.get(k).copied().flatten() {
                Some(bits) => builder.constant(lane, bits),
                None => builder.load(lane, place(k, elem), None),
            }))
        };
        self.elems().enumerate().map(load).collect()
    }

    /// A zero of the type that an element of each operand has in memory.
    fn zeros(&self, builder: &mut Builder) -> Option<Vec<Value>> {
        self.elems().map(|elem| Some(builder.constant(lower::memory_lane_of(elem)?, 0))).collect()
    }

    /// An element of each operand as memory holds it.
    fn to_bits(&self, builder: &mut Builder, held: Vec<Held>) -> Vec<Value> {
        held.into_iter().zip(self.elems()).map(|(mut held, elem)| held.to_bits(builder, elem)).collect()
    }

    /// What every `step`-th part from `first` on gives: the halves of a half are combined before the halves, so few values live at once.
    fn tree(
        &self,
        builder: &mut Builder,
        part: &impl Fn(&mut Builder, usize) -> Option<Vec<Held>>,
        ways: usize,
        first: usize,
        step: usize,
    ) -> Option<Vec<Held>> {
        if step == ways {
            return part(builder, first);
        }
        let lower = self.tree(builder, part, ways, first, 2 * step)?;
        let upper = self.tree(builder, part, ways, first + step, 2 * step)?;
        self.combine(builder, &lower, &upper)
    }

    fn combine(&self, builder: &mut Builder, lower: &[Held], upper: &[Held]) -> Option<Vec<Held>> {
        let mut found = self.found.clone();
        for (i, (lower, upper)) in lower.iter().zip(upper).enumerate() {
            found.extend([(Src::Input(2 * i), *lower), (Src::Input(2 * i + 1), *upper)]);
        }
        for step in &self.fold.steps {
            let held = lower_step(builder, step, &mut found)?;
            found.insert(step.dst, held);
        }
        self.fold.results.iter().map(|result| found.get(result).copied()).collect()
    }

    /// What the lanes of each operand give, the upper half of them combined into the lower one until one is left.
    fn combine_lanes(&self, builder: &mut Builder, lanes: &[Value]) -> Option<Vec<Value>> {
        let mut is_said = true;
        let held = |values: &[Value]| values.iter().copied().map(Held::bits).collect::<Vec<_>>();
        let combined = builder.fold(lanes, |builder, lower, upper| match self.combine(builder, &held(lower), &held(upper)) {
            Some(combined) => self.to_bits(builder, combined),
            None => {
                is_said = false;
                lower.to_vec()
            }
        });
        is_said.then_some(combined)
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
