//! Fused regions: all steps of a sweep as vector code, in one nest of loops over its elements.
//!
//! ```text
//! inputs (tiles with strides) ──► Nest, the loops that all of them can be walked in ──┐
//! steps (operations on elements) ─────────────────────────────────────────────────────┴─► Code ──► native code
//! ```
//!
//! Nothing but inputs and results lies in memory. A plan only finds the nest; code is made when a region first runs, so that what never
//! runs costs nothing.

mod lowering;

pub(crate) use lowering::counter_mask;
pub(super) use lowering::counts_in;

use super::{
    Base, Constants, Inst, Operand, Src, Step, Sweep, SweepInput, Tile,
    narrow::Narrow,
    nest::{Loop, Nest},
    sweep::{Rounds, SweepFold, operand},
    tile::Loops,
};
use crate::{TargetMachine, interrupt::PART, kernels::Kernel};
use lowering::Lowering;
use smallvec::{SmallVec, smallvec};
use std::{cell::OnceCell, sync::OnceLock};
use tilewright_vector::{Code, CompileError, Native, Param, STREAMED_ALIGNMENT, lower};

/// The most loops that are nested in each other.
const MAX_DEPTH: usize = 6;
/// The fewest iterations of an innermost loop that is in others.
const SHORTEST_ROW: usize = 8;
/// The fewest elements that code is made for.
pub(super) const FEWEST: usize = 32;
/// The most buffers of a region.
const MAX_BUFFERS: usize = 32;
/// The most parts that rows are combined of at once, and the most steps of all of them.
const MOST_PARTS: usize = 8;
const MOST_STEPS_OF_PARTS: usize = 96;

/// A fused region.
#[derive(Debug)]
pub(crate) struct Region {
    /// The loops in which its buffers can be walked wherever they are: along the dimensions of all tiles, with the strides of registers.
    ///
    /// If the region begins reductions, it has as many parts as each iteration of the innermost loop computes elements of: these are combined as
    /// the first halvings of a reduction do, which is a tree of halves.
    pub(crate) dims: Nest,
    /// The same with all buffers in registers, in the fewest loops. How often the outermost goes round is said when it runs.
    pub(crate) nest: Nest,
    /// Its memory, beside the launch's constants: that of the inputs, then that of the results.
    pub(crate) buffers: Vec<RegionBuffer>,
    /// Where the launch's constants and all buffers begin that lie as in registers, as code is told.
    pub(crate) operands: Box<[Operand]>,
    /// Bytes of the constants, up to the last that is read as a single number.
    pub(crate) constants: usize,
    /// For each input, its bits, if it is one number that is the same in all launches.
    known: Vec<Option<u64>>,
    pub(crate) machine: TargetMachine,
    /// How many elements of its sweep an iteration of the outermost loop has.
    pub(crate) row: usize,
    /// How many iterations of the outermost loop lie between two looks at the interrupt.
    pub(crate) part: usize,
    /// Which indices of gathers can be computed in 32 bits; found when it first runs.
    narrow: OnceLock<Option<Narrow>>,
    /// The code for buffers that lie as in registers.
    usual: OnceLock<Executable>,
    /// The code for each other form that has been asked for.
    forms: Forms<Form>,
}

/// What a region reads or writes.
#[derive(Debug)]
pub(crate) struct RegionBuffer {
    pub(crate) at: Src,
    pub(crate) operand: Operand,
    /// Bytes of an element.
    pub(crate) size: usize,
}

/// What machine code of a region is made for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Form {
    /// The buffer that is written past the caches.
    pub(crate) streamed: Option<usize>,
    pub(crate) walks: Walks,
    pub(crate) gathers: Gathers,
    /// How many lines are fetched meanwhile, for [`FETCHED_FOR`](tilewright_vector::FETCHED_FOR) iterations of the innermost loop. If there are any, the code is told where they begin,
    /// behind all else.
    pub(crate) fetched: usize,
}

impl Form {
    /// Code that does nothing besides.
    pub(crate) fn of(walks: Walks, gathers: Gathers) -> Form {
        Form { streamed: None, walks, gathers, fetched: 0 }
    }
}

/// Where what a region gathers comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Gathers {
    /// The buffers that hold the addresses: the code is told where each begins, behind all else, and compares every place with its length.
    Fused,
    /// The same with indices in 32 bits, where they fit (`plan/narrow.rs`).
    Narrow,
    /// All has been loaded, and lies as a result does.
    Loaded,
    /// So much has been loaded. The code computes nothing but where the next one lies: it writes the indices and masks of that to two further buffers.
    Places(usize),
}

impl Gathers {
    /// Whether the `number`-th has been loaded.
    fn is_loaded(self, number: usize) -> bool {
        match self {
            Gathers::Fused | Gathers::Narrow => false,
            Gathers::Loaded => true,
            Gathers::Places(next) => number < next,
        }
    }
}

/// The furthest byte behind an address that code reaches with indices of 32 bits: of further ones, it is told that they are outside.
pub(crate) const REACH: usize = 1 << 31;

/// Which loops the code has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Walks {
    /// Those of [`Region::nest`]. The code is told how often the outermost goes round.
    Registers,
    /// Any. The code is told how often each loop goes round, the outermost first, then, loop by loop but for the innermost, how many bytes each
    /// of the buffers goes on that it walks.
    Strided {
        /// For each loop but the innermost, one bit for each buffer that it walks.
        walked: SmallVec<[u32; 4]>,
        /// For each buffer, how many elements it goes on in the innermost loop.
        row: SmallVec<[usize; 8]>,
        /// How often the innermost goes round, if code is made for that: then it is not told.
        extent: Option<usize>,
        /// One bit for each buffer whose parts lie otherwise than in registers: behind all else, the code is told where each part but the first
        /// begins.
        apart: u32,
    },
}

impl Walks {
    /// Those of a nest. Those of a single block are always the same, so code is made for as many elements as its rows have.
    pub(crate) fn of(region: &Region, nest: &Nest, of_one_block: bool) -> Walks {
        let Some((row, outer)) = nest.loops.split_last() else { unreachable!("a nest has a loop") };
        let mask = |each: &Loop| each.strides.iter().enumerate().fold(0, |mask, (buffer, stride)| mask | u32::from(*stride > 0) << buffer);
        let extent = (of_one_block && !outer.is_empty()).then_some(row.extent);
        let walked = outer.iter().map(mask).collect();
        Walks::Strided { walked, row: row.strides.iter().copied().collect(), extent, apart: region.apart_in(nest) }
    }
}

/// Code that has been made, form by form: a list that only grows.
#[derive(Debug)]
pub(super) struct Forms<F>(OnceLock<Box<Made<F>>>);

#[derive(Debug)]
struct Made<F> {
    form: F,
    executable: Executable,
    next: Forms<F>,
}

impl<F> Default for Forms<F> {
    fn default() -> Self {
        Forms(OnceLock::new())
    }
}

/// Vector code that can be run.
#[derive(Debug)]
pub(crate) enum Executable {
    Native(Native),
    /// Where native code is not wanted, or the system does not allow it.
    Portable(Box<Code>),
}

impl<F: Clone + PartialEq> Forms<F> {
    /// The code for a form, and its number.
    pub(super) fn get_or_make(&self, form: &F, make: impl Fn() -> Executable) -> (&Executable, usize) {
        let (mut at, mut number) = (self, 0);
        loop {
            let made = at.0.get_or_init(|| Box::new(Made { form: form.clone(), executable: make(), next: Forms::default() }));
            if made.form == *form {
                return (&made.executable, number);
            }
            (at, number) = (&made.next, number + 1);
        }
    }

    /// The code of this number.
    fn get(&self, number: usize) -> Option<&Executable> {
        let mut made = self.0.get()?;
        for _ in 0..number {
            made = made.next.0.get()?;
        }
        Some(&made.executable)
    }
}

/// Whether vector code is fast for these kernels on `n` elements, where the CPU has any: vectors hold as many elements as they have of the
/// longest, so in long tiles addresses are faster behind their indices than with them.
pub(super) fn suits<'a>(n: usize, kernels: impl Iterator<Item = &'a Kernel> + Clone, machine: &TargetMachine) -> bool {
    let has = |size: usize| kernels.clone().any(|kernel| kernel.imm.sources().iter().any(|elem| elem.size() == size));
    n >= FEWEST && machine.has_regions() && !(n >= Sweep::PIECE && has(8) && has(4))
}

impl Region {
    /// The region of a sweep over `n` elements, if it can be one. `shape`: the tile that its results are, if that is known. `rounds`: the loop that it
    /// goes round.
    pub(super) fn of(
        n: usize,
        shape: &[usize],
        inputs: &[SweepInput],
        steps: &[Step],
        rounds: Option<&Rounds>,
        machine: &TargetMachine,
    ) -> Option<Region> {
        let results = written(steps);
        let count = inputs.len() + results.clone().count();
        if count > MAX_BUFFERS || !steps.iter().all(is_lowered) {
            return None;
        }
        let (buffers, in_memory) = buffers(inputs, results);
        let is_number = |at: &Src| matches!(at, Src::Reg(reg, _) if rounds.is_some_and(|rounds| rounds.numbers.contains(reg)));
        let walked = |loops: &dyn Fn(&Tile) -> Loops, result: Loops| {
            // What is gathered lies as a result does, where it has been loaded.
            let inputs = in_memory.iter().map(|tile| tile.map_or_else(|| result.clone(), loops));
            let results = buffers[in_memory.len()..].iter();
            let results = results.map(|buffer| if is_number(&buffer.at) { smallvec![(n, 0)] } else { result.clone() });
            Nest::common(n, inputs.chain(results))
        };
        let nest = walked(&Tile::loops, smallvec![(n, 1)])?;
        let row = nest.loops.last()?;
        let is_short = nest.loops.len() > 1 && row.extent < SHORTEST_ROW;
        let is_strided = row.strides.iter().any(|stride| *stride > 1);
        if nest.loops.len() > MAX_DEPTH || is_short || is_strided {
            return None;
        }
        let result = if shape.is_empty() { smallvec![(n, 1)] } else { Tile::dim_loops(shape, &super::row_major(shape)) };
        let dims = walked(&|tile| Tile::dim_loops(&tile.shape, &tile.strides), result).unwrap_or_else(|| nest.clone());
        Some(Region::new(dims, nest, buffers, inputs, steps.len(), machine))
    }

    fn new(dims: Nest, nest: Nest, buffers: Vec<RegionBuffer>, inputs: &[SweepInput], steps: usize, machine: &TargetMachine) -> Region {
        let constants = inputs.iter().filter_map(|input| Some(constant(input.tile())? + input.tile().elem.size())).max().unwrap_or(0);
        let in_row = nest.loops[1..].iter().map(|each| each.extent).product::<usize>();
        let row = in_row * nest.part_count();
        // Parts of a line that is written past the caches begin with it.
        let part = (PART / (steps.max(1) * row)).max(1).next_multiple_of(if nest.loops.len() == 1 { STREAMED_ALIGNMENT } else { 1 });
        let known = vec![None; inputs.len()];
        let operands = [Operand::of(Base::Const(0))].into_iter().chain(buffers.iter().map(|buffer| buffer.operand)).collect();
        Region {
            dims,
            nest,
            buffers,
            operands,
            constants,
            known,
            machine: *machine,
            row,
            part,
            narrow: OnceLock::new(),
            usual: OnceLock::new(),
            forms: Forms::default(),
        }
    }

    /// The region of a sweep over `n` elements that begins reductions, if it can be one.
    pub(super) fn folding(n: usize, inputs: &[SweepInput], steps: &[Step], folds: &[SweepFold], machine: &TargetMachine) -> Option<Region> {
        let row = folds.first()?.row;
        let kernels = steps.iter().map(|step| &step.kernel).chain(folds.iter().map(|fold| &fold.combine));
        // A part fills a vector of the usual numbers.
        let most = row / (machine.vector_bytes()? / size_of::<f32>());
        let count = MOST_PARTS.min((MOST_STEPS_OF_PARTS / steps.len().max(1)).next_power_of_two()).min(most).min(folds.first()?.most_parts);
        let lanes = row / count.max(1);
        let results = written(steps);
        let has_gathers = inputs.iter().any(|input| input.gathered().is_some());
        let suits = has_gathers && machine.has_regions() || suits(n, kernels, machine);
        if !suits || count < 2 || lanes < SHORTEST_ROW || !steps.iter().all(is_lowered) {
            return None;
        }
        let folded = folds.iter().map(|fold| (Src::Reg(fold.dst, fold.combine.imm.dst.size()), fold.combine.imm.dst.size()));
        let (buffers, in_memory) = buffers(inputs, results.chain(folded));
        if buffers.len() > MAX_BUFFERS {
            return None;
        }
        let stored = buffers.len() - in_memory.len() - folds.len();
        let in_a_row: Loops = [(n / row, lanes), (count, 0), (lanes, 1)].into_iter().filter(|(extent, _)| *extent > 1).collect();
        let walked = |loops: &dyn Fn(&Tile) -> Loops| {
            let inputs = in_memory.iter().map(|tile| tile.map_or_else(|| smallvec![(n, 1)], loops));
            let results = std::iter::repeat_n(smallvec![(n, 1)], stored).chain(std::iter::repeat_n(in_a_row.clone(), folds.len()));
            let nest = Nest::common(n, inputs.chain(results))?.divided(lanes, count)?;
            let innermost = nest.loops.last()?;
            // What is the same for all lanes of a row is read once for all of its parts.
            let is_part_of_row = |buffer: usize| match innermost.strides[buffer] {
                0 => nest.parts.iter().all(|part| part.strides[buffer] == 0),
                stride => stride == 1,
            };
            let fits = innermost.extent >= SHORTEST_ROW && nest.loops.len() <= MAX_DEPTH && (0..buffers.len()).all(is_part_of_row);
            fits.then_some(nest)
        };
        let nest = walked(&Tile::loops)?;
        let dims = walked(&|tile| Tile::dim_loops(&tile.shape, &tile.strides)).unwrap_or_else(|| nest.clone());
        Some(Region::new(dims, nest, buffers, inputs, steps.len(), machine))
    }

    /// Learns which inputs are numbers that are the same in all launches: code is made with them.
    fn know(&mut self, inputs: &[SweepInput], constants: &Constants) {
        for (known, input) in self.known.iter_mut().zip(inputs) {
            *known = if input.gathered().is_some() { None } else { known_number(input.tile(), constants) };
        }
    }

    /// The bits of an input that is the same number in all launches, once it is told.
    pub(super) fn known(&self, input: usize) -> Option<u64> {
        self.known[input]
    }

    /// The indices of its gathers that can be computed in 32 bits, where they fit.
    pub(crate) fn narrow(&self, sweep: &Sweep) -> Option<&Narrow> {
        self.narrow.get_or_init(|| Narrow::of(sweep)).as_ref()
    }

    /// Its code for buffers that lie as in registers.
    #[inline]
    pub(crate) fn usual(&self, sweep: &Sweep) -> &Executable {
        self.usual.get_or_init(|| self.make(sweep, &Form::of(Walks::Registers, Gathers::Fused)))
    }

    /// Its code in a form.
    pub(crate) fn executable(&self, sweep: &Sweep, form: &Form) -> &Executable {
        if matches!(form, Form { streamed: None, walks: Walks::Registers, gathers: Gathers::Fused, fetched: 0 }) {
            return self.usual(sweep);
        }
        self.forms.get_or_make(form, || self.make(sweep, form)).0
    }

    /// Its code that goes through a nest and does nothing besides, which is found by its number once that is known.
    #[inline]
    pub(crate) fn walking(&self, sweep: &Sweep, walks: &Walks, number: &OnceCell<usize>) -> &Executable {
        number.get().and_then(|number| self.forms.get(*number)).unwrap_or_else(|| {
            let form = Form::of(walks.clone(), Gathers::Fused);
            let (executable, found) = self.forms.get_or_make(&form, || self.make(sweep, &form));
            number.get_or_init(|| found);
            executable
        })
    }

    #[cold]
    fn make(&self, sweep: &Sweep, form: &Form) -> Executable {
        let (code, params) = self.lower(sweep, &form.walks, form.gathers);
        let code = form.streamed.into_iter().fold(code, |code, buffer| code.streaming(params[buffer]));
        let code = if form.fetched > 0 { code.fetching(form.fetched as u32) } else { code };
        match self.machine.native().map(|level| code.compile(level)) {
            Some(Ok(native)) => Executable::Native(native),
            None | Some(Err(CompileError::Unavailable(_) | CompileError::Pages(_))) => Executable::Portable(Box::new(code)),
            Some(Err(error)) => unreachable!("all vector code can be encoded: {error}"),
        }
    }

    /// Its vector code, with the parameters of the buffers.
    fn lower(&self, sweep: &Sweep, walks: &Walks, gathers: Gathers) -> (Code, Vec<Param>) {
        let code = Lowering::new(self, sweep, walks, gathers).code(sweep);
        code.unwrap_or_else(|| unreachable!("regions have steps that are lowered, of values that are there"))
    }

    /// Its vector code with all buffers in registers.
    pub(super) fn code(&self, sweep: &Sweep) -> Code {
        self.lower(sweep, &Walks::Registers, Gathers::Fused).0
    }

    /// The buffers whose parts lie otherwise in this nest than in registers, one bit for each.
    pub(crate) fn apart_in(&self, nest: &Nest) -> u32 {
        let parts = 1..nest.part_count();
        let is_apart = |buffer: &usize| parts.clone().any(|part| nest.part_offset(*buffer, part) != self.nest.part_offset(*buffer, part));
        (0..self.buffers.len()).filter(is_apart).fold(0, |mask, buffer| mask | 1 << buffer)
    }

    /// The number of a buffer.
    pub(crate) fn buffer(&self, at: Src) -> Option<usize> {
        self.buffers.iter().position(|buffer| buffer.at == at)
    }
}

/// The results of steps that have registers, with the bytes of their elements.
fn written(steps: &[Step]) -> impl Iterator<Item = (Src, usize)> + Clone {
    steps.iter().filter_map(|step| if let Src::Reg(_, size) = step.dst { Some((step.dst, size)) } else { None })
}

/// The memory of a region, and the tiles of its inputs in it; none for what is gathered, which has a place there where it has been loaded.
fn buffers(inputs: &[SweepInput], results: impl Iterator<Item = (Src, usize)>) -> (Vec<RegionBuffer>, Vec<Option<&Tile>>) {
    let buffer = |at: Src, size: usize| RegionBuffer { at, operand: operand(at, inputs), size };
    let in_memory = || inputs.iter().enumerate().filter(|(_, input)| constant_of(input).is_none());
    let of_inputs = in_memory().map(|(i, input)| buffer(Src::Input(i), input.elem().size()));
    fn tile(input: &SweepInput) -> Option<&Tile> {
        if input.gathered().is_some() { None } else { Some(input.tile()) }
    }
    (of_inputs.chain(results.map(|(at, size)| buffer(at, size))).collect(), in_memory().map(|(_, input)| tile(input)).collect())
}

/// Tells all regions what is the same in all launches.
pub(super) fn tell_constants(code: &mut [Inst], constants: &Constants) {
    for inst in code {
        if let Some((region, inputs)) = inst.sweep_mut().and_then(Sweep::region_mut) {
            region.know(inputs, constants);
        }
        if let Some(rows) = inst.rows_mut() {
            rows.know(constants);
        }
        if let Inst::Fold(fold) = inst {
            let read = fold.operands.iter().map(|operand| &operand.tile).chain(&fold.captures);
            let known = read.map(|tile| known_number(tile, constants)).collect();
            fold.combiner.know(known);
        }
    }
}

/// The bits of a tile that is one number in all launches.
pub(super) fn known_number(tile: &Tile, constants: &Constants) -> Option<u64> {
    constants.known(constant(tile)?, tile.elem.size())
}

/// Where among the launch's constants an input lies that is a single number there.
fn constant_of(input: &SweepInput) -> Option<usize> {
    constant(input.tile()).filter(|_| input.gathered().is_none())
}

/// Where among the launch's constants a tile lies that is a single number there.
pub(super) fn constant(tile: &Tile) -> Option<usize> {
    match tile.base {
        Base::Const(offset) if tile.is_splat() => Some(offset),
        _ => None,
    }
}

/// Whether vector code expresses a step.
pub(super) fn is_lowered(step: &Step) -> bool {
    let imm = &step.kernel.imm;
    lower::lowers(imm.op, imm.sources(), imm.dst)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        elem::Elem,
        kernels::{ElemOp, select},
        plan::VReg,
    };
    use tilewright_ir::{RoundingMode, Scalar};

    /// Sums of a matrix and a row of it, added to a number, have machine code for all floats and integers where the CPU has any.
    #[test]
    fn regions_have_machine_code() {
        let machine = TargetMachine::host();
        let Some(level) = machine.native() else { return };
        for scalar in Scalar::all().filter(|scalar| !matches!(scalar, Scalar::I1 | Scalar::I4)) {
            let elem = Elem::Num(scalar);
            let op = if scalar.is_float() { ElemOp::AddF(RoundingMode::NearestEven, false) } else { ElemOp::AddI };
            let Some(kernel) = select(op, &[elem; 2], elem) else { continue };
            let tile = |reg| Tile::contiguous(elem, Base::Reg(VReg(reg)), &[64, 1]);
            let inputs = [
                SweepInput::Direct { tile: Tile::contiguous(elem, Base::Reg(VReg(0)), &[64, 64]) },
                SweepInput::Strided { tile: tile(1).broadcast(&[64, 64]), loops: vec![(64, 1), (64, 0)], slot: 0 },
                SweepInput::Splat { tile: Tile::splat(elem, Base::Const(8), &[64, 64]), slot: 1 },
            ];
            let step = |srcs: &[Src], dst| Step { kernel, srcs: srcs.to_vec(), dst };
            let steps =
                [step(&[Src::Input(0), Src::Input(1)], Src::Slot(0)), step(&[Src::Slot(0), Src::Input(2)], Src::Reg(VReg(2), elem.size()))];
            let region = Region::of(64 * 64, &[], &inputs, &steps, None, &machine).unwrap_or_else(|| panic!("{scalar}: no region"));
            let sweep = Sweep::new(64 * 64, inputs.into(), steps.into(), machine);
            let (code, _) = Lowering::new(&region, &sweep, &Walks::Registers, Gathers::Fused)
                .code(&sweep)
                .unwrap_or_else(|| panic!("{scalar}: no code"));
            assert!(code.compile(level).is_ok(), "{scalar}");
        }
    }
}
