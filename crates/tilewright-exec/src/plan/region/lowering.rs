//! The vector code of a region: loops around its steps.

use super::{Gathers, REACH, Region, Walks, constant};
use crate::{
    elem::Elem,
    hash::HashMap,
    plan::{
        Base, Gathered, Src, Step, Sweep, SweepInput, VReg,
        narrow::{Def, Expr, Narrow},
        nest::Loop,
        sweep::{Rounds, SweepFold},
    },
};
use smallvec::SmallVec;
use tilewright_ir::Scalar;
use tilewright_passes::elementwise::{ElemOp, sources_of};
use tilewright_vector::{
    Axis, Builder, Code, Count, Kind, Lane, Param, ParamKind, Place, Prim, Value,
    lower::{self, Held},
};

/// The lanes of its code: what it carries in none, so no more than the longest vector has.
const LANES: u32 = 64;

/// Whether a loop with this stride walks a buffer.
fn is_walked(stride: &Count) -> bool {
    *stride != Count::Const(0)
}

/// Steps that become vector code.
pub(super) struct Lowering<'a> {
    region: &'a Region,
    inputs: &'a [SweepInput],
    /// The loop that the code goes round.
    rounds: Option<RoundsOfCode<'a>>,
    builder: Builder,
    /// The launch's constants.
    constants: Param,
    /// The parameter of each buffer.
    params: Vec<Param>,
    /// Those of the parts but the first, for the buffers that are told where these begin.
    parts_apart: HashMap<usize, Vec<Param>>,
    /// How often each loop goes round.
    counts: Vec<Count>,
    /// For each buffer and loop, how many bytes the next iteration is further.
    strides: Vec<Vec<Count>>,
    axes: Vec<Axis>,
    gathers: Gathers,
    /// The buffers that what is gathered lies in, or, where code only computes places, those that indices and masks are written to.
    windows: Vec<Param>,
    /// The indices that are computed in 32 bits, and the lower 32 bits of the inputs that they are computed of.
    narrow: Option<&'a Narrow>,
    lower_bits: HashMap<usize, Value>,
    /// The types of what steps have written.
    written: HashMap<Src, Elem>,
    /// What the steps of this part of a row gave, as far as they are computed.
    results: Vec<Option<(Held, Elem)>>,
    /// Which part of a row is computed.
    part: usize,
    /// Where elements are that were read or computed.
    found: HashMap<Src, Held>,
}

/// A loop that vector code goes round, as it is handed in.
#[derive(Clone, Copy)]
struct RoundsOfCode<'a> {
    rounds: &'a Rounds,
    count: Param,
    /// The counter of the first round, and how much it grows from one to the next.
    first: Param,
    step: Param,
}

/// The lanes that the counter of a loop is computed in, and what makes it a number of its type.
fn counted_in(elem: Elem) -> Option<(Lane, Option<Prim>)> {
    match lower::lane_of(elem)? {
        Lane::I8 => Some((Lane::I32, Some(Prim::Low8Of32))),
        Lane::I16 => Some((Lane::I32, Some(Prim::Low16Of32))),
        lane @ (Lane::I32 | Lane::I64) => Some((lane, None)),
        Lane::Mask | Lane::F32 | Lane::F64 => None,
    }
}

/// The bits that vector code counts a counter of this type in.
pub(crate) fn counter_mask(elem: Elem) -> u64 {
    counted_in(elem).map_or(0, |(lane, _)| lane.bits())
}

/// Whether the code of a region can count in a type.
pub(in crate::plan) fn counts_in(elem: Elem) -> bool {
    counted_in(elem).is_some()
}

impl<'a> Lowering<'a> {
    pub(super) fn new(region: &'a Region, sweep: &'a Sweep, walks: &Walks, gathers: Gathers) -> Lowering<'a> {
        let mut builder = Builder::new(LANES);
        let constants = builder.param(ParamKind::Buffer);
        let params = region.buffers.iter().map(|_| builder.param(ParamKind::Buffer)).collect();
        let mut parts_of = 0;
        let mut number = || Count::Param(builder.param(ParamKind::Count));
        let (counts, by_loop): (Vec<Count>, Vec<Vec<Count>>) = match walks {
            Walks::Registers => {
                let of = |(depth, each): (usize, &Loop)| {
                    let bytes =
                        region.buffers.iter().zip(&each.strides).map(|(buffer, stride)| Count::Const((stride * buffer.size) as i64));
                    (if depth == 0 { number() } else { Count::Const(each.extent as i64) }, bytes.collect())
                };
                region.nest.loops.iter().enumerate().map(of).unzip()
            }
            Walks::Strided { walked, row, extent, apart } => {
                parts_of = *apart;
                let mut counts: Vec<Count> = walked.iter().map(|_| number()).collect();
                counts.push(extent.map_or_else(&mut number, |extent| Count::Const(extent as i64)));
                let mut stride = |mask: u32, buffer: usize| if mask >> buffer & 1 == 0 { Count::Const(0) } else { number() };
                let mut by_loop: Vec<Vec<Count>> =
                    walked.iter().map(|mask| (0..region.buffers.len()).map(|buffer| stride(*mask, buffer)).collect()).collect();
                by_loop.push(row.iter().zip(&region.buffers).map(|(stride, buffer)| Count::Const((stride * buffer.size) as i64)).collect());
                (counts, by_loop)
            }
        };
        let apart = (0..region.buffers.len()).filter(|buffer| parts_of >> buffer & 1 == 1);
        let mut others = || (1..region.nest.part_count()).map(|_| builder.param(ParamKind::Buffer)).collect();
        let parts_apart = apart.map(|buffer| (buffer, others())).collect();
        let strides = (0..region.buffers.len()).map(|buffer| by_loop.iter().map(|each| each[buffer]).collect()).collect();
        let rounds = sweep.rounds.as_ref().map(|rounds| {
            let lane = counted_in(rounds.elem).map_or(Lane::I64, |(lane, _)| lane);
            let [count, first, step] = [ParamKind::Count, ParamKind::Lane(lane), ParamKind::Lane(lane)].map(|kind| builder.param(kind));
            RoundsOfCode { rounds, count, first, step }
        });
        let windows = match gathers {
            Gathers::Fused | Gathers::Narrow => sweep.gathers().count(),
            Gathers::Loaded => 0,
            Gathers::Places(_) => 2,
        };
        let windows = (0..windows).map(|_| builder.param(ParamKind::Buffer)).collect();
        Lowering {
            region,
            inputs: &sweep.inputs,
            gathers,
            windows,
            narrow: region.narrow(sweep).filter(|_| gathers == Gathers::Narrow),
            lower_bits: HashMap::default(),
            written: HashMap::default(),
            results: Vec::new(),
            rounds,
            builder,
            constants,
            params,
            parts_apart,
            counts,
            strides,
            axes: Vec::new(),
            part: 0,
            found: HashMap::default(),
        }
    }

    /// The code, with the parameters of the buffers.
    pub(super) fn code(mut self, sweep: &Sweep) -> Option<(Code, Vec<Param>)> {
        let (steps, folds) = (&sweep.steps[..], &sweep.folds[..]);
        let innermost = self.counts.len() - 1;
        let mut single = HashMap::default();
        self.read_lower_bits();
        for depth in 0..self.counts.len() {
            // What no loop from here on walks is read once.
            self.read_walked_in(depth);
            if depth == 0 && self.rounds.is_some() {
                single.clone_from(&self.found);
            }
            let kind = if depth == innermost { Kind::Lanes } else { Kind::Serial };
            self.axes.push(self.builder.open(kind, self.counts[depth], &[]).0);
        }
        match (self.region.nest.part_count(), self.rounds) {
            _ if let Gathers::Places(next) = self.gathers => self.places(sweep, next)?,
            (_, Some(rounds)) => self.all_rounds(rounds, steps)?,
            (1, None) => drop(self.steps(steps, &[])?),
            (parts, None) => {
                let outside = self.found.clone();
                let folded = self.combined(steps, folds, &outside, parts, 0, 1)?;
                self.part = 0;
                for (mut held, SweepFold { combine, dst, .. }) in folded.into_iter().zip(folds) {
                    self.store(&mut held, combine.imm.dst, Src::Reg(*dst, combine.imm.dst.size()));
                }
            }
        }
        self.counts.iter().for_each(|_| {
            self.builder.close(&[]);
        });
        if let Some(rounds) = self.rounds.filter(|rounds| !rounds.rounds.numbers.is_empty()) {
            self.found = single;
            self.numbers_in_rounds(rounds, sweep)?;
        }
        Some((self.builder.finish().unwrap_or_else(|finding| unreachable!("lowered code is valid: {finding}")), self.params))
    }

    /// Computes all steps in each round of a loop, and writes the tiles that the last one gives.
    fn all_rounds(&mut self, rounds: RoundsOfCode<'a>, steps: &[Step]) -> Option<()> {
        for i in 0..self.inputs.len() {
            if !self.is_counter(i) && !self.found.contains_key(&Src::Input(i)) {
                let held = self.read(i);
                self.found.insert(Src::Input(i), held);
            }
        }
        self.go_round(rounds, steps.iter(), false)
    }

    /// The same for single numbers only, which lanes compute, too, but do not write: others still read what there was before.
    fn numbers_in_rounds(&mut self, rounds: RoundsOfCode<'a>, sweep: &Sweep) -> Option<()> {
        let elements = sweep.computed_elements();
        let steps = sweep.steps.iter().zip(&elements).filter(|(_, elements)| **elements == 1);
        self.go_round(rounds, steps.map(|(step, _)| step), true)
    }

    /// Computes steps in each round of a loop, and writes the tiles that it carries, or the single numbers.
    fn go_round<'s>(
        &mut self,
        rounds: RoundsOfCode<'a>,
        steps: impl Iterator<Item = &'s Step> + Clone,
        writes_numbers: bool,
    ) -> Option<()> {
        let inputs = self.inputs;
        let on =
            |reg: VReg| inputs.iter().enumerate().filter(move |(_, input)| input.tile().base == Base::Reg(reg)).map(|(i, _)| Src::Input(i));
        let result = |step: &Step| if let Src::Reg(reg, _) = step.dst { Some((reg, step.dst, step.kernel.imm.dst)) } else { None };
        let is_number = |reg: &VReg| rounds.rounds.numbers.contains(reg);
        let carried: Vec<(VReg, Src, Elem)> =
            steps.clone().filter_map(result).filter(|(reg, ..)| !writes_numbers || is_number(reg)).collect();
        let mut inits = Vec::with_capacity(carried.len());
        for (reg, _, elem) in &carried {
            let read = on(*reg).find_map(|input| Some((input, *self.found.get(&input)?)));
            inits.push(match read {
                Some((input, held)) => {
                    let mut held = self.bits_as(held, self.elem_of(input, *elem), *elem)?;
                    held.to_bits(&mut self.builder, *elem)
                }
                // No round reads it.
                None => self.builder.constant(lower::memory_lane_of(*elem)?, 0),
            });
        }
        let (axis, args) = self.builder.open(Kind::Serial, Count::Param(rounds.count), &inits);
        for ((reg, _, elem), arg) in carried.iter().zip(args) {
            for input in on(*reg) {
                let held = self.bits_as(Held::bits(arg), *elem, self.elem_of(input, *elem))?;
                self.found.insert(input, held);
            }
        }
        if on(rounds.rounds.counter).next().is_some() {
            let counter = Held::bits(self.counter(rounds, axis)?);
            let elem = rounds.rounds.elem;
            for input in on(rounds.rounds.counter) {
                let held = self.bits_as(counter, elem, self.elem_of(input, elem))?;
                self.found.insert(input, held);
            }
        }
        for step in steps {
            self.step(step)?;
        }
        let mut nexts = Vec::with_capacity(carried.len());
        for (_, at, elem) in &carried {
            nexts.push(self.found.get_mut(at)?.to_bits(&mut self.builder, *elem));
        }
        for ((reg, at, elem), result) in carried.iter().zip(self.builder.close(&nexts)) {
            if is_number(reg) == writes_numbers {
                self.store(&mut Held::bits(result), *elem, *at);
            }
        }
        Some(())
    }

    /// The counter of a round.
    fn counter(&mut self, rounds: RoundsOfCode<'a>, axis: Axis) -> Option<Value> {
        let (lane, lower_bits) = counted_in(rounds.rounds.elem)?;
        let [first, step] = [rounds.first, rounds.step].map(|param| self.builder.scalar(param));
        let index = self.builder.index(axis, lane);
        let distance = self.builder.prim(Prim::Mul, &[index, step]);
        let counter = self.builder.prim(Prim::Add, &[first, distance]);
        Some(lower_bits.map_or(counter, |prim| self.builder.prim(prim, &[counter])))
    }

    /// Whether an input is the counter of the loop.
    fn is_counter(&self, input: usize) -> bool {
        self.rounds.is_some_and(|RoundsOfCode { rounds, .. }| self.inputs[input].tile().base == Base::Reg(rounds.counter))
    }

    /// What the reductions have of every `step`-th part of a row from `first` on, of `count`: the halves of a half are combined before the halves,
    /// so few values live at once.
    fn combined(
        &mut self,
        steps: &[Step],
        folds: &[SweepFold],
        outside: &HashMap<Src, Held>,
        count: usize,
        first: usize,
        step: usize,
    ) -> Option<Vec<Held>> {
        if step == count {
            self.part = first;
            self.found.clone_from(outside);
            return self.steps(steps, folds);
        }
        let lower = self.combined(steps, folds, outside, count, first, 2 * step)?;
        let upper = self.combined(steps, folds, outside, count, first + step, 2 * step)?;
        let pairs = lower.into_iter().zip(upper).zip(folds);
        pairs
            .map(|((lower, upper), fold)| {
                let imm = &fold.combine.imm;
                lower::lower(&mut self.builder, imm.op, imm.sources(), imm.dst, &mut [lower, upper])
            })
            .collect()
    }

    /// Computes all steps; gives what the reductions have of them.
    fn steps(&mut self, steps: &[Step], folds: &[SweepFold]) -> Option<Vec<Held>> {
        let mut folded = vec![None; folds.len()];
        self.results.clear();
        for (i, step) in steps.iter().enumerate() {
            self.gather_before(i)?;
            if self.narrow.is_some_and(|narrow| !narrow.needed[i]) {
                self.results.push(None);
                continue;
            }
            let result = self.step(step)?;
            let elem = step.kernel.imm.dst;
            self.results.push(Some((result, elem)));
            for (held, fold) in folded.iter_mut().zip(folds).filter(|(_, fold)| fold.step == i) {
                *held = Some(self.bits_as(result, elem, fold.combine.imm.dst)?);
            }
        }
        self.gather_before(steps.len())?;
        folded.into_iter().collect()
    }

    /// Loads what is gathered before a step; where code only computes places, what has been loaded.
    fn gather_before(&mut self, step: usize) -> Option<()> {
        let inputs = self.inputs;
        let gathers = inputs.iter().enumerate().filter_map(|(i, input)| Some((i, input.gathered()?))).enumerate();
        for (number, (input, gathered)) in gathers.filter(|(_, (_, gathered))| gathered.at == step) {
            if !matches!(self.gathers, Gathers::Places(_)) || self.gathers.is_loaded(number) {
                let held = self.gather(number, input, gathered)?;
                self.found.insert(Src::Input(input), held);
            }
        }
        Some(())
    }

    /// An element that is gathered.
    fn gather(&mut self, number: usize, input: usize, gathered: &Gathered) -> Option<Held> {
        let lane = lower::memory_lane_of(gathered.elem)?;
        let mask = match gathered.mask {
            Some(src) => Some(self.number(src, Elem::Num(Scalar::I1))?),
            None => None,
        };
        let bits = if self.gathers.is_loaded(number) {
            let place = self.place(self.region.buffer(Src::Input(input))?);
            self.builder.load(lane, place, None)
        } else {
            let offsets = self.offsets(number, gathered)?;
            self.builder.gather(lane, self.windows[number], offsets, mask)
        };
        let bits = match (mask, gathered.padding) {
            (Some(mask), Some(padding)) => {
                let padding = self.bits(padding, gathered.elem)?;
                self.builder.prim(Prim::Select, &[mask, bits, padding])
            }
            _ => bits,
        };
        Some(Held::bits(bits))
    }

    /// How many bytes behind the address what is gathered lies, as the program computes it but for indices of 32 bits with which that is outside of
    /// what they [reach](REACH): these are all the same.
    fn offsets(&mut self, number: usize, gathered: &Gathered) -> Option<Value> {
        let index = match self.narrow.and_then(|narrow| narrow.indices[number].as_ref()) {
            Some(index) => self.lower_half(&index.value)?,
            None => self.number(gathered.index.0, gathered.index.1)?,
        };
        let (lane, size) = (self.builder.lane(index), gathered.elem.size());
        if size == 1 {
            return Some(index);
        }
        let index = if lane == Lane::I32 {
            let last = self.builder.constant(lane, (REACH / size - 1) as u64);
            self.builder.prim(Prim::MinU, &[index, last])
        } else {
            index
        };
        let bits = self.builder.constant(lane, size.ilog2().into());
        Some(self.builder.prim(Prim::Shl, &[index, bits]))
    }

    /// The lower 32 bits of a sum or product.
    fn lower_half(&mut self, expr: &Expr) -> Option<Value> {
        let both = |lowering: &mut Self, prim: Prim, both: &[Expr; 2]| {
            let operands = [lowering.lower_half(&both[0])?, lowering.lower_half(&both[1])?];
            Some(lowering.builder.prim(prim, &operands))
        };
        match expr {
            Expr::Number(input) => self.lower_bits.get(input).copied(),
            Expr::Extended(Def::Input(input), _) => self.number(Src::Input(*input), Elem::Num(Scalar::I32)),
            Expr::Extended(Def::Step(step), _) => {
                let (held, elem) = (*self.results.get(*step)?)?;
                let mut held = self.bits_as(held, elem, Elem::Num(Scalar::I32))?;
                Some(held.to_number(&mut self.builder, Elem::Num(Scalar::I32)))
            }
            Expr::Add(operands) => both(self, Prim::Add, operands),
            Expr::Sub(operands) => both(self, Prim::Sub, operands),
            Expr::Mul(operands) => both(self, Prim::Mul, operands),
        }
    }

    /// Reads the lower 32 bits of the numbers that indices are computed of, in front of all loops.
    fn read_lower_bits(&mut self) {
        let mut numbers = Vec::new();
        self.narrow
            .into_iter()
            .flat_map(|narrow| narrow.indices.iter().flatten())
            .for_each(|index| index.value.collect_numbers(&mut numbers));
        for input in numbers {
            let Some(offset) = constant(self.inputs[input].tile()) else { continue };
            let bits = match self.region.known[input] {
                Some(bits) => self.builder.constant(Lane::I32, bits & Lane::I32.bits()),
                // The lower bytes come first.
                None => self.builder.load(Lane::I32, Place::of(self.constants).offset_by(offset as i64), None),
            };
            self.lower_bits.insert(input, bits);
        }
    }

    /// An input, or what a step gave, read as a type, which another one of its size may have been written as.
    fn operand(&mut self, src: Src, elem: Elem) -> Option<Held> {
        let held = match src {
            Src::Input(input) if !self.found.contains_key(&src) => self.read(input),
            _ => *self.found.get(&src)?,
        };
        self.bits_as(held, self.elem_of(src, elem), elem)
    }

    /// The type of what is held of a source; `elem` where that is not known.
    fn elem_of(&self, src: Src, elem: Elem) -> Elem {
        match src {
            Src::Input(input) => self.inputs[input].elem(),
            _ => self.written.get(&src).copied().unwrap_or(elem),
        }
    }

    /// The element of another type that has the same bits.
    fn bits_as(&mut self, held: Held, from: Elem, to: Elem) -> Option<Held> {
        if from == to { Some(held) } else { lower::lower(&mut self.builder, ElemOp::Copy, &[from], to, &mut [held]) }
    }

    /// Keeps the forms that an operand has been converted to, if it was read as what it is.
    fn keep(&mut self, src: Src, elem: Elem, held: Held) {
        if self.elem_of(src, elem) == elem {
            self.found.insert(src, held);
        }
    }

    /// The same, to be computed with.
    fn number(&mut self, src: Src, elem: Elem) -> Option<Value> {
        let mut held = self.operand(src, elem)?;
        let number = held.to_number(&mut self.builder, elem);
        self.keep(src, elem, held);
        Some(number)
    }

    /// The same, to be written.
    fn bits(&mut self, src: Src, elem: Elem) -> Option<Value> {
        let mut held = self.operand(src, elem)?;
        let bits = held.to_bits(&mut self.builder, elem);
        self.keep(src, elem, held);
        Some(bits)
    }

    /// Writes where the `next`-th of what is gathered lies: indices and masks, in each part of a row.
    fn places(&mut self, sweep: &Sweep, next: usize) -> Option<()> {
        let (input, gathered) = sweep.gathers().nth(next)?;
        let outside = self.found.clone();
        for part in 0..self.region.nest.part_count() {
            self.part = part;
            self.found.clone_from(&outside);
            for (i, step) in sweep.steps[..gathered.at].iter().enumerate() {
                self.gather_before(i)?;
                self.step(step)?;
            }
            self.gather_before(gathered.at)?;
            let (src, elem) = gathered.index;
            let index = self.bits(src, elem)?;
            let buffer = self.region.buffer(Src::Input(input))?;
            let place = self.place_of_others(buffer, self.windows[0], elem.size());
            self.builder.store(index, place, None);
            if let Some(mask) = gathered.mask {
                let mask = self.bits(mask, Elem::Num(Scalar::I1))?;
                let place = self.place_of_others(buffer, self.windows[1], 1);
                self.builder.store(mask, place, None);
            }
        }
        Some(())
    }

    /// Reads the inputs of which the innermost loop that walks them is the last one around; all single elements where there is none yet.
    fn read_walked_in(&mut self, depth: usize) {
        let is_read = |i: &usize| !self.is_counter(*i) && self.inputs[*i].gathered().is_none();
        for i in (0..self.inputs.len()).filter(is_read).collect::<SmallVec<[usize; 8]>>() {
            let strides = self.region.buffer(Src::Input(i)).map_or(&[][..], |buffer| &self.strides[buffer]);
            if strides.iter().rposition(is_walked).map_or(0, |walked| walked + 1) == depth {
                let held = self.read(i);
                self.found.insert(Src::Input(i), held);
            }
        }
    }

    /// Reads an element of an input; a single one is converted at once, because that is once for all.
    fn read(&mut self, input: usize) -> Held {
        let elem = self.inputs[input].elem();
        let lane = lower::memory_lane_of(elem).expect("a type that steps take");
        let place = match (self.region.buffer(Src::Input(input)), self.region.known[input]) {
            (Some(buffer), _) => Ok(self.place(buffer)),
            (None, Some(bits)) => Err(bits),
            (None, None) => Ok(Place::of(self.constants).offset_by(constant(self.inputs[input].tile()).expect("a constant") as i64)),
        };
        let mut held = Held::bits(match place {
            Ok(place) => self.builder.load(lane, place, None),
            // A truth is a byte that is not zero.
            Err(bits) if lane == Lane::Mask => self.builder.constant(lane, (bits != 0).into()),
            Err(bits) => self.builder.constant(lane, bits),
        });
        if self.axes.len() < self.counts.len() && elem.float().is_some() {
            held.to_number(&mut self.builder, elem);
        }
        held
    }

    /// Where an element of a buffer is in the iteration of the loops around.
    fn place(&self, buffer: usize) -> Place {
        let walked = self.axes.iter().zip(&self.strides[buffer]).filter(|(_, stride)| is_walked(stride));
        let start = match (self.parts_apart.get(&buffer), self.part) {
            (Some(others), 1..) => Place::of(others[self.part - 1]),
            (_, part) => {
                let offset = self.region.nest.part_offset(buffer, part) * self.region.buffers[buffer].size;
                Place::of(self.params[buffer]).offset_by(offset as i64)
            }
        };
        walked.fold(start, |place, (axis, stride)| place.along(*axis, *stride))
    }

    /// Where another buffer has an element of so many bytes, whose elements lie as those of a buffer of the region do in registers.
    fn place_of_others(&self, buffer: usize, other: Param, size: usize) -> Place {
        let Place { offset, mut terms, .. } = self.place(buffer);
        let own = self.region.buffers[buffer].size as i64;
        let scaled = |bytes: i64| bytes / own * size as i64;
        for term in &mut terms {
            if let Count::Const(stride) = &mut term.stride {
                *stride = scaled(*stride);
            }
        }
        Place { buffer: other, offset: scaled(offset), terms }
    }

    /// Writes a result that has a register.
    fn store(&mut self, held: &mut Held, elem: Elem, dst: Src) {
        if let Some(result) = self.region.buffer(dst) {
            let bits: Value = held.to_bits(&mut self.builder, elem);
            let place = self.place(result);
            self.builder.store(bits, place, None);
        }
    }

    /// Computes a step, and writes its result if that has a register.
    fn step(&mut self, step: &Step) -> Option<Held> {
        let imm = &step.kernel.imm;
        let mut operands = Vec::with_capacity(sources_of(imm.op));
        for (src, elem) in step.srcs.iter().zip(imm.sources()) {
            operands.push(self.operand(*src, *elem)?);
        }
        let mut held = lower::lower(&mut self.builder, imm.op, imm.sources(), imm.dst, &mut operands)?;
        // Both forms are kept, of what was converted here.
        for ((src, elem), held) in step.srcs.iter().zip(imm.sources()).zip(operands) {
            self.keep(*src, *elem, held);
        }
        if self.rounds.is_none() && !matches!(self.gathers, Gathers::Places(_)) {
            self.store(&mut held, imm.dst, step.dst);
        }
        self.found.insert(step.dst, held);
        self.written.insert(step.dst, imm.dst);
        Some(held)
    }
}
