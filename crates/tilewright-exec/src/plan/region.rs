//! Fused regions: all steps of a sweep as vector code, in one nest of loops over its elements.
//!
//! ```text
//! inputs (tiles with strides) ──► Nest, the loops that all of them can be walked in ──┐
//! steps (operations on elements) ─────────────────────────────────────────────────────┴─► Code ──► native code
//! ```
//!
//! Nothing but inputs and results lies in memory. A plan only finds the nest; code is made when a region first runs, so that what never
//! runs costs nothing.

use super::{Base, Src, Step, Sweep, SweepInput};
use crate::{cpu, hash::HashMap, kernels::Kernel};
use std::sync::OnceLock;
use tilewright_passes::elementwise::sources_of;
use tilewright_vector::{
    Axis, Builder, Code, CompileError, Count, Kind, Level, Native, Param, ParamKind, Place, Value,
    lower::{self, Held},
};

/// The most loops that are nested in each other.
const MAX_DEPTH: usize = 6;
/// The fewest iterations of an innermost loop that is in others.
const SHORTEST_ROW: usize = 8;
/// The fewest elements that code is made for.
const FEWEST: usize = 32;
/// The most buffers of a region.
const MAX_BUFFERS: usize = 32;
/// The lanes of its code: what it carries in none, so no more than the longest vector has.
const LANES: u32 = 64;

/// A fused region.
#[derive(Debug)]
pub(crate) struct Region {
    /// The loops, the outermost first. How often that one goes round is said when it runs.
    pub(crate) nest: Vec<usize>,
    /// Its memory, beside the launch's constants: that of the inputs, then that of the results.
    pub(crate) buffers: Vec<RegionBuffer>,
    /// Bytes of the constants, up to the last that is read as a single number.
    pub(crate) constants: usize,
    native: OnceLock<Option<Native>>,
    /// The code that writes the result that is stored past the caches.
    streaming: OnceLock<Option<Native>>,
}

/// What a region reads or writes.
#[derive(Debug)]
pub(crate) struct RegionBuffer {
    pub(crate) at: Src,
    /// Bytes of an element.
    pub(crate) size: usize,
    /// Elements from one iteration to the next, for each loop.
    pub(crate) strides: Vec<usize>,
}

impl RegionBuffer {
    /// Bytes from the first to behind the last element of `count` iterations of the outermost loop.
    pub(crate) fn bytes(&self, nest: &[usize], count: usize) -> usize {
        let last = |(extent, stride): (usize, &usize)| (extent - 1) * stride;
        let inner: usize = nest[1..].iter().copied().zip(&self.strides[1..]).map(last).sum();
        (inner + last((count, &self.strides[0])) + 1) * self.size
    }
}

/// The level that native code is made for on this CPU, if there is one.
fn level() -> Option<Level> {
    match cpu::Level::best() {
        cpu::Level::Avx512 => Some(Level::Avx512),
        cpu::Level::Avx2 => Some(Level::Avx2),
        cpu::Level::Baseline => None,
    }
}

/// Whether vector code is fast for these kernels on `n` elements, where the CPU has any: vectors hold as many elements as they have of the
/// longest, so in long tiles addresses are faster behind their indices than with them.
pub(super) fn suits<'a>(n: usize, kernels: impl Iterator<Item = &'a Kernel> + Clone) -> bool {
    let has = |size: usize| kernels.clone().any(|kernel| kernel.imm.sources().iter().any(|elem| elem.size() == size));
    n >= FEWEST && level().is_some() && !(n >= Sweep::PIECE && has(8) && has(4))
}

impl Region {
    /// The region of a sweep over `n` elements, if it can be one and gains by it.
    pub(super) fn of(n: usize, inputs: &[SweepInput], steps: &[Step]) -> Option<Region> {
        if !suits(n, steps.iter().map(|step| &step.kernel)) {
            return None;
        }
        let results = steps.iter().filter_map(|step| if let Src::Reg(_, size) = step.dst { Some((step.dst, size)) } else { None });
        let count = inputs.len() + results.clone().count();
        if count > MAX_BUFFERS || !steps.iter().all(is_lowered) {
            return None;
        }
        let loops: Vec<Vec<(usize, usize)>> = inputs.iter().map(|input| input.tile().loops()).collect();
        let (nest, strides) = common_nest(n, &loops)?;
        let is_short = nest.len() > 1 && nest.last().is_some_and(|row| *row < SHORTEST_ROW);
        let is_strided = strides.iter().any(|strides| strides.last().is_some_and(|stride| *stride > 1));
        if nest.len() > MAX_DEPTH || is_short || is_strided {
            return None;
        }
        let size = |input: usize| inputs[input].tile().elem.size();
        let of_input = |(i, strides): (usize, Vec<usize>)| RegionBuffer { at: Src::Input(i), size: size(i), strides };
        let of_result = |(at, size)| RegionBuffer { at, size, strides: super::row_major(&nest) };
        let in_memory = strides.into_iter().enumerate().filter(|(i, _)| constant(&inputs[*i]).is_none());
        let buffers = in_memory.map(of_input).chain(results.map(of_result)).collect();
        let constants = inputs.iter().enumerate().filter_map(|(i, input)| Some(constant(input)? + size(i))).max().unwrap_or(0);
        Some(Region { nest, buffers, constants, native: OnceLock::new(), streaming: OnceLock::new() })
    }

    /// Its machine code; none where the system does not allow it. What is written to the buffer `streamed` goes past the caches: always the same
    /// one, because no more than one result of a sweep is stored by it.
    pub(crate) fn native(&self, inputs: &[SweepInput], steps: &[Step], streamed: Option<usize>) -> Option<&Native> {
        let make = || {
            let (code, params) = Lowering::new(self, inputs).code(steps)?;
            let code = streamed.into_iter().fold(code, |code, buffer| code.streaming(params[buffer]));
            match code.compile(level()?) {
                Ok(native) => Some(native),
                Err(CompileError::Unavailable(_) | CompileError::Pages(_)) => None,
                Err(error) => unreachable!("all vector code can be encoded: {error}"),
            }
        };
        if streamed.is_some() { &self.streaming } else { &self.native }.get_or_init(make).as_ref()
    }

    /// How many of the elements of an iteration of the outermost loop there are.
    pub(crate) fn row(&self) -> usize {
        self.nest[1..].iter().product()
    }
}

/// Where among the launch's constants an input lies that is a single number there.
fn constant(input: &SweepInput) -> Option<usize> {
    let tile = input.tile();
    match tile.base {
        Base::Const(offset) if tile.is_splat() => Some(offset),
        _ => None,
    }
}

/// Whether vector code expresses a step.
fn is_lowered(step: &Step) -> bool {
    let imm = &step.kernel.imm;
    lower::lowers(imm.op, imm.sources(), imm.dst)
}

/// The fewest loops in which `n` elements of all inputs can be walked, the outermost first: their extents, and the strides of each input.
/// `None` if the loops of one input do not divide those of another.
fn common_nest(n: usize, inputs: &[Vec<(usize, usize)>]) -> Option<(Vec<usize>, Vec<Vec<usize>>)> {
    let mut left: Vec<Vec<(usize, usize)>> = inputs.to_vec();
    let (mut nest, mut strides, mut walked) = (Vec::new(), vec![Vec::new(); inputs.len()], 1);
    while walked < n {
        let extent = left.iter().filter_map(|loops| Some(loops.last()?.0)).min().unwrap_or(n / walked);
        for (loops, strides) in left.iter_mut().zip(&mut strides) {
            let Some((inner, stride)) = loops.last_mut() else {
                // A single element.
                strides.push(0);
                continue;
            };
            if !inner.is_multiple_of(extent) {
                return None;
            }
            strides.push(*stride);
            *inner /= extent;
            *stride *= extent;
            if *inner == 1 {
                loops.pop();
            }
        }
        nest.push(extent);
        walked *= extent;
    }
    nest.reverse();
    strides.iter_mut().for_each(|strides| strides.reverse());
    (walked == n && !nest.is_empty()).then_some((nest, strides))
}

/// Steps that become vector code.
struct Lowering<'a> {
    region: &'a Region,
    inputs: &'a [SweepInput],
    builder: Builder,
    /// The launch's constants.
    constants: Param,
    /// The parameter of each buffer.
    params: Vec<Param>,
    axes: Vec<Axis>,
    /// Where elements are that were read or computed.
    found: HashMap<Src, Held>,
}

impl<'a> Lowering<'a> {
    fn new(region: &'a Region, inputs: &'a [SweepInput]) -> Lowering<'a> {
        let mut builder = Builder::new(LANES);
        let constants = builder.param(ParamKind::Buffer);
        let params = region.buffers.iter().map(|_| builder.param(ParamKind::Buffer)).collect();
        Lowering { region, inputs, builder, constants, params, axes: Vec::new(), found: HashMap::default() }
    }

    /// The code, with the parameters of the buffers. Its last parameter is how often the outermost loop goes round.
    fn code(mut self, steps: &[Step]) -> Option<(Code, Vec<Param>)> {
        let rounds = self.builder.param(ParamKind::Count);
        let innermost = self.region.nest.len() - 1;
        for (depth, extent) in self.region.nest.iter().enumerate() {
            // What no loop from here on walks is read once.
            self.read_walked_in(depth);
            let count = if depth == 0 { Count::Param(rounds) } else { Count::Const(*extent as i64) };
            let kind = if depth == innermost { Kind::Lanes } else { Kind::Serial };
            self.axes.push(self.builder.open(kind, count, &[]).0);
        }
        let mut last = None;
        for step in steps {
            last = Some(self.step(step, last)?);
        }
        self.region.nest.iter().for_each(|_| {
            self.builder.close(&[]);
        });
        Some((self.builder.finish().unwrap_or_else(|finding| unreachable!("lowered code is valid: {finding}")), self.params))
    }

    /// Reads the inputs of which the innermost loop that walks them is the last one around; all single elements where there is none yet.
    fn read_walked_in(&mut self, depth: usize) {
        for i in 0..self.inputs.len() {
            let strides = self.buffer(Src::Input(i)).map_or(&[][..], |buffer| &self.region.buffers[buffer].strides);
            if strides.iter().rposition(|stride| *stride > 0).map_or(0, |walked| walked + 1) == depth {
                let held = self.read(i);
                self.found.insert(Src::Input(i), held);
            }
        }
    }

    /// Reads an element of an input; a single one is converted at once, because that is once for all.
    fn read(&mut self, input: usize) -> Held {
        let elem = self.inputs[input].tile().elem;
        let lane = lower::memory_lane_of(elem).expect("a type that steps take");
        let place = match self.buffer(Src::Input(input)) {
            Some(buffer) => self.place(buffer),
            None => Place::of(self.constants).offset_by(constant(&self.inputs[input]).expect("a constant") as i64),
        };
        let mut held = Held::bits(self.builder.load(lane, place, None));
        if self.axes.len() < self.region.nest.len() && elem.float().is_some() {
            held.to_number(&mut self.builder, elem);
        }
        held
    }

    /// The buffer of an input or a result.
    fn buffer(&self, at: Src) -> Option<usize> {
        self.region.buffers.iter().position(|buffer| buffer.at == at)
    }

    /// Where an element of a buffer is in the iteration of the loops around.
    fn place(&self, buffer: usize) -> Place {
        let RegionBuffer { size, strides, .. } = &self.region.buffers[buffer];
        let walked = self.axes.iter().zip(strides).filter(|(_, stride)| **stride > 0);
        walked.fold(Place::of(self.params[buffer]), |place, (axis, stride)| place.along(*axis, Count::Const((stride * size) as i64)))
    }

    /// Computes a step, and writes its result if that has a register.
    fn step(&mut self, step: &Step, last: Option<Held>) -> Option<Held> {
        let imm = &step.kernel.imm;
        let mut operands = Vec::with_capacity(sources_of(imm.op));
        for src in &step.srcs {
            operands.push(match src {
                Src::Passed => last?,
                Src::Input(input) if !self.found.contains_key(src) => self.read(*input),
                _ => *self.found.get(src)?,
            });
        }
        let mut held = lower::lower(&mut self.builder, imm.op, imm.sources(), imm.dst, &mut operands)?;
        // Both forms are kept, of what was converted here.
        self.found.extend(step.srcs.iter().copied().zip(operands).filter(|(src, _)| *src != Src::Passed));
        if let (Src::Reg(..), Some(result)) = (step.dst, self.buffer(step.dst)) {
            let bits: Value = held.to_bits(&mut self.builder, imm.dst);
            let place = self.place(result);
            self.builder.store(bits, place, None);
        }
        if step.dst != Src::Passed {
            self.found.insert(step.dst, held);
        }
        Some(held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        elem::Elem,
        kernels::{ElemOp, select},
        plan::{Tile, VReg},
    };
    use tilewright_ir::{RoundingMode, Scalar};

    /// Sums of a matrix and a row of it, added to a number, have machine code for all floats and integers where the CPU has any.
    #[test]
    fn regions_have_machine_code() {
        if level().is_none() {
            return;
        }
        for scalar in Scalar::all().filter(|scalar| !matches!(scalar, Scalar::I1 | Scalar::I4)) {
            let elem = Elem::Num(scalar);
            let op = if scalar.is_float() { ElemOp::AddF(RoundingMode::NearestEven, false) } else { ElemOp::AddI };
            let Some(kernel) = select(op, &[elem; 2], elem) else { continue };
            let tile = |reg| Tile::contiguous(elem, Base::Reg(VReg(reg)), &[64, 1]);
            let inputs = [
                SweepInput::Direct { tile: Tile::contiguous(elem, Base::Reg(VReg(0)), &[64, 64]) },
                SweepInput::PerRow { tile: tile(1).broadcast(&[64, 64]), row: 64 },
                SweepInput::Splat { tile: Tile::splat(elem, Base::Const(8), &[64, 64]), slot: None },
            ];
            let step = |srcs: &[Src], dst| Step { kernel, srcs: srcs.to_vec(), dst };
            let steps =
                [step(&[Src::Input(0), Src::Input(1)], Src::Slot(0)), step(&[Src::Slot(0), Src::Input(2)], Src::Reg(VReg(2), elem.size()))];
            let region = Region::of(64 * 64, &inputs, &steps).unwrap_or_else(|| panic!("{scalar}: no region"));
            let (code, _) = Lowering::new(&region, &inputs).code(&steps).unwrap_or_else(|| panic!("{scalar}: no code"));
            assert!(code.compile(level().unwrap()).is_ok(), "{scalar}");
        }
    }

    #[test]
    fn nests_are_as_few_loops_as_all_inputs_take() {
        let nest = |n, inputs: &[&[(usize, usize)]]| common_nest(n, &inputs.iter().map(|loops| loops.to_vec()).collect::<Vec<_>>());
        assert_eq!(nest(64, &[&[(64, 1)], &[(64, 1)]]), Some((vec![64], vec![vec![1], vec![1]])));
        // A matrix, a column and a row of it, and a single number.
        let found = nest(64, &[&[(64, 1)], &[(4, 1), (16, 0)], &[(4, 0), (16, 1)], &[(64, 0)]]);
        assert_eq!(found, Some((vec![4, 16], vec![vec![16, 1], vec![1, 0], vec![0, 1], vec![0, 0]])));
        // A transposed one.
        assert_eq!(nest(32, &[&[(32, 1)], &[(8, 1), (4, 8)]]), Some((vec![8, 4], vec![vec![4, 1], vec![1, 8]])));
        assert_eq!(nest(16, &[]), Some((vec![16], vec![])));
        assert_eq!(nest(12, &[&[(4, 1), (3, 0)], &[(6, 1), (2, 0)]]), None);
    }
}
