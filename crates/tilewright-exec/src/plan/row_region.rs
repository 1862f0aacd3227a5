//! Row regions: sweeps over rows and the reductions of these rows between them, as one vector code that takes row after row.
//!
//! ```text
//! for each row:  loop over its columns ─► reductions ─► numbers of the row ─► loop over its columns ─► ... ─► results
//!                └──────── stage 0 ────────┘                                └── stage 1 ──┘
//! ```
//!
//! A row stays in the first cache from one loop to the next, and its numbers in registers. What an earlier loop computed and a later one needs
//! is computed again where that is cheap, and kept in a row of memory where it is not: stores wait for each other, and what is stored for later
//! would wait behind results that go to memory.

mod lowering;
mod stages;

use super::{
    Constants, Tile, VReg,
    region::{Executable, Forms, constant, known_number},
};
use crate::{TargetMachine, elem::Elem, kernels::Kernel};
use smallvec::SmallVec;
use stages::{Stage, stages};
use tilewright_vector::{Code, CompileError};

/// The most parts of a row that one iteration of a loop combines, and the most steps of all of them.
const MOST_PARTS: usize = 16;
const MOST_STEPS: usize = 96;
/// The most values, which bounds the code and the time that it takes to make it.
const MOST_VALUES: usize = 256;
/// The most buffers: each has an address of its own.
const MOST_BUFFERS: usize = 24;

/// A row region.
#[derive(Debug)]
pub(crate) struct RowRegion {
    /// How many rows it has, and how many elements, or columns, each has: powers of two.
    pub(crate) rows: usize,
    pub(crate) row: usize,
    pub(crate) inputs: Vec<RowInput>,
    /// What is computed, each behind what it is computed of.
    pub(crate) values: Vec<RowValue>,
    pub(crate) results: Vec<RowResult>,
    /// The loops over columns, in order.
    stages: Vec<Stage>,
    /// The result that is stored, if one is.
    pub(crate) stored: Option<usize>,
    machine: TargetMachine,
    /// How many lanes of its code gather what a loop over columns has for its reductions.
    lanes: usize,
    /// For each input, its bits, if it is one number that is the same in all launches.
    known: Vec<Option<u64>>,
    forms: Forms<RowForm>,
}

/// What it reads.
#[derive(Debug)]
pub(crate) struct RowInput {
    pub(crate) tile: Tile,
    pub(crate) spread: Spread,
    /// Whether a later row is fetched while one is computed, where a load has left it in memory.
    pub(crate) is_fetched: bool,
}

/// What an input has numbers for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Spread {
    /// One number for all.
    One,
    /// One for each row.
    EachRow,
    /// One for each column, the same in all rows.
    EachColumn,
    /// One for each element.
    Each,
}

impl Spread {
    /// Whether columns tell its numbers apart.
    pub(crate) fn is_row(self) -> bool {
        matches!(self, Spread::EachColumn | Spread::Each)
    }

    /// What a tile has numbers for, of which steps on `n` elements read as many, in rows; `None` if it lies otherwise.
    fn of(tile: &Tile, n: usize, rows: usize, row: usize) -> Option<Spread> {
        match tile.loops()[..] {
            [] | [(_, 0)] => Some(Spread::One),
            [(extent, 1)] if extent == n => Some(if n == rows * row { Spread::Each } else { Spread::EachRow }),
            [(outer, 1), (inner, 0)] if outer == rows && inner == row => Some(Spread::EachRow),
            [(outer, 0), (inner, 1)] if outer == rows && inner == row => Some(Spread::EachColumn),
            _ => None,
        }
    }
}

/// Where a value comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum RowSrc {
    Input(usize),
    Value(usize),
}

/// What a row has of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ValueKind {
    /// One number.
    Number,
    /// A number for each column.
    Columns,
    /// One number, to which a tree of halves combines those of all columns.
    Fold,
}

/// What a step computes.
#[derive(Debug)]
pub(crate) struct RowValue {
    pub(crate) kernel: Kernel,
    /// The operands; of a reduction, what it combines.
    pub(crate) srcs: SmallVec<[RowSrc; 3]>,
    pub(crate) kind: ValueKind,
    /// Behind how many loops it can be computed.
    level: usize,
    /// The operation that it came from.
    pub(crate) site: u32,
}

impl RowValue {
    /// The type of its numbers.
    fn elem(&self) -> Elem {
        self.kernel.imm.dst
    }
}

/// What it writes.
#[derive(Debug)]
pub(crate) struct RowResult {
    pub(crate) value: usize,
    pub(crate) reg: VReg,
    pub(crate) content: Content,
    /// The bytes of the register that holds a row or what is left of one.
    pub(crate) bytes: usize,
}

/// What the register of a result holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Content {
    /// All rows, or their numbers.
    AllRows,
    /// One row, for later loops over the same.
    OneRow,
    /// What a reduction has combined so far of a row.
    Partials,
}

/// What code of a row region is made for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RowForm {
    /// For each input, how many columns of it lie in memory, and the bits that the others have; none if all do.
    pub(crate) inside: SmallVec<[Option<(usize, u64)>; 8]>,
    /// How many columns of the stored result are written.
    pub(crate) stored: usize,
    /// The results that are written past the caches, one bit for each.
    pub(crate) streamed: u32,
    /// The inputs of which a later row is fetched while one is computed, one bit for each: code is told where that begins.
    pub(crate) fetched: u32,
}

/// Makes a row region, step by step.
pub(super) struct RowBuilder {
    pub(super) rows: usize,
    pub(super) row: usize,
    inputs: Vec<RowInput>,
    values: Vec<RowValue>,
}

/// How far a region is made, to go back to.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    inputs: usize,
    values: usize,
}

impl Mark {
    /// Whether a value was there already.
    pub(super) fn has(self, value: usize) -> bool {
        value < self.values
    }
}

impl RowBuilder {
    pub(super) fn new(rows: usize, row: usize) -> RowBuilder {
        RowBuilder { rows, row, inputs: Vec::new(), values: Vec::new() }
    }

    /// How far it is made.
    pub(super) fn mark(&self) -> Mark {
        Mark { inputs: self.inputs.len(), values: self.values.len() }
    }

    /// Whether it has more values than a region may have.
    pub(super) fn is_full(&self) -> bool {
        self.values.len() > MOST_VALUES
    }

    /// Takes back what was added since.
    pub(super) fn go_back(&mut self, mark: Mark) {
        self.inputs.truncate(mark.inputs);
        self.values.truncate(mark.values);
    }

    /// What steps on `n` elements read of a tile from outside; `None` if it does not lie in rows.
    pub(super) fn input(&mut self, tile: &Tile, n: usize) -> Option<RowSrc> {
        let spread = Spread::of(tile, n, self.rows, self.row)?;
        // Numbers lie in one way only, whatever shape they are seen in.
        let is_it = |input: &RowInput| input.spread == spread && input.tile.base == tile.base && input.tile.elem == tile.elem;
        let found = self.inputs.iter().position(is_it).unwrap_or_else(|| {
            self.inputs.push(RowInput { tile: tile.clone(), spread, is_fetched: false });
            self.inputs.len() - 1
        });
        Some(RowSrc::Input(found))
    }

    /// What steps on `n` elements read of a tile that has the numbers of a value; `None` if it has them in another order.
    pub(super) fn value(&self, value: usize, tile: &Tile, n: usize) -> Option<RowSrc> {
        let spread = Spread::of(tile, n, self.rows, self.row)?;
        let fits = match self.values[value].kind {
            ValueKind::Columns => spread == Spread::Each,
            ValueKind::Number | ValueKind::Fold => spread == Spread::EachRow || spread == Spread::One && self.rows == 1,
        };
        fits.then_some(RowSrc::Value(value))
    }

    /// Adds a step on `n` elements, or a reduction, and gives its value.
    pub(super) fn add(&mut self, kernel: Kernel, srcs: SmallVec<[RowSrc; 3]>, kind: ValueKind, site: u32) -> usize {
        let level = srcs.iter().map(|src| if let RowSrc::Value(value) = src { self.values[*value].level } else { 0 }).max().unwrap_or(0);
        self.values.push(RowValue { kernel, srcs, kind, level: level + usize::from(kind == ValueKind::Fold), site });
        self.values.len() - 1
    }

    /// Whether columns tell the numbers of a source apart.
    pub(super) fn is_row(&self, src: RowSrc) -> bool {
        match src {
            RowSrc::Input(input) => self.inputs[input].spread.is_row(),
            RowSrc::Value(value) => self.values[value].kind == ValueKind::Columns,
        }
    }

    /// The region that gives these values in registers, the last of which is stored if it `stores`; `new_register` makes registers of so many bytes.
    /// `None`, and no register was made, if it would gain nothing, or writes what it reads.
    pub(super) fn finish(
        self,
        wanted: &[(usize, VReg)],
        stores: bool,
        machine: &TargetMachine,
        mut new_register: impl FnMut(usize) -> VReg,
    ) -> Option<RowRegion> {
        let is_read = |reg: VReg| self.inputs.iter().any(|input| input.tile.base == super::Base::Reg(reg));
        if wanted.iter().any(|(_, reg)| is_read(*reg)) || self.inputs.len() + wanted.len() > MOST_BUFFERS {
            return None;
        }
        let lanes = lanes(machine)?;
        let mut results: Vec<RowResult> =
            wanted.iter().map(|(value, reg)| RowResult { value: *value, reg: *reg, content: Content::AllRows, bytes: 0 }).collect();
        let stored = stores.then(|| results.len().checked_sub(1)).flatten();
        let (stages, kept) = stages(&self.values, &results, stored);
        if stages.len() < 2 || kept.len() + self.inputs.len() + wanted.len() > MOST_BUFFERS {
            return None;
        }
        let mut region = RowRegion {
            rows: self.rows,
            row: self.row,
            known: vec![None; self.inputs.len()],
            inputs: self.inputs,
            values: self.values,
            results: Vec::new(),
            stages,
            stored,
            machine: *machine,
            lanes,
            forms: Forms::default(),
        };
        for value in kept {
            let bytes = region.row * region.values[value].elem().size();
            results.push(RowResult { value, reg: new_register(bytes), content: Content::OneRow, bytes });
        }
        for stage in &mut region.stages {
            let most = MOST_PARTS.min((MOST_STEPS / stage.computed.len().max(1)).max(1)).min(region.row / lanes);
            stage.parts = 1 << most.max(1).ilog2();
            for fold in stage.folds.iter().filter(|_| region.row / stage.parts > lanes) {
                let bytes = region.row / stage.parts * region.values[*fold].elem().size();
                results.push(RowResult { value: *fold, reg: new_register(bytes), content: Content::Partials, bytes });
            }
        }
        region.results = results;
        Some(region)
    }
}

/// How many lanes gather what a loop over columns has for its reductions: those of a few vectors, so that they do not wait for each other.
fn lanes(machine: &TargetMachine) -> Option<usize> {
    const VECTORS: usize = 4;
    Some(VECTORS * machine.vector_bytes()? / size_of::<f32>())
}

impl RowRegion {
    /// Learns which inputs are numbers that are the same in all launches: code is made with them.
    pub(super) fn know(&mut self, constants: &Constants) {
        for (known, input) in self.known.iter_mut().zip(&self.inputs) {
            *known = known_number(&input.tile, constants);
        }
    }

    /// Fetches later rows of what it reads of these registers.
    pub(super) fn fetch(&mut self, registers: &[VReg]) {
        let is_one = |tile: &Tile| matches!(tile.base, super::Base::Reg(reg) if registers.contains(&reg));
        self.inputs.iter_mut().for_each(|input| input.is_fetched = input.spread == Spread::Each && is_one(&input.tile));
    }

    /// The bits of an input that is the same number in all launches, once it is told.
    pub(super) fn known(&self, input: usize) -> Option<u64> {
        self.known[input]
    }

    /// Whether an input is a number among the launch's constants, or known: then it has no buffer.
    pub(crate) fn is_constant(&self, input: usize) -> bool {
        constant(&self.inputs[input].tile).is_some()
    }

    /// Bytes of the constants, up to the last that is read as a single number.
    pub(crate) fn constants(&self) -> usize {
        self.inputs.iter().filter_map(|input| Some(constant(&input.tile)? + input.tile.elem.size())).max().unwrap_or(0)
    }

    /// How many steps each element takes.
    pub(crate) fn steps(&self) -> usize {
        self.stages.iter().map(|stage| stage.computed.len() + 1).sum()
    }

    /// Whether the stored result is written by the last loop, in which nothing is read that an earlier iteration could have overwritten.
    pub(crate) fn stores_last(&self) -> bool {
        let last = self.stages.last().map(|stage| &stage.results);
        self.stored.is_some_and(|stored| last.is_some_and(|results| results.contains(&stored)))
    }

    /// Whether others see nothing of it but one result.
    pub(crate) fn gives_only(&self, result: usize) -> bool {
        self.results.iter().enumerate().all(|(number, other)| number == result || other.content != Content::AllRows)
    }

    /// The bytes of an element of a result.
    pub(crate) fn result_size(&self, result: &RowResult) -> usize {
        self.values[result.value].elem().size()
    }

    /// Whether a result has an element for each column of each row.
    pub(crate) fn has_rows(&self, result: &RowResult) -> bool {
        result.content == Content::AllRows && self.values[result.value].kind == ValueKind::Columns
    }

    /// The number of the result whose rows a register holds.
    pub(crate) fn rows_in(&self, reg: VReg) -> Option<usize> {
        self.results.iter().position(|result| result.reg == reg && self.has_rows(result))
    }

    /// The form of code for tiles that are whole, and lie in registers.
    pub(crate) fn usual(&self) -> RowForm {
        RowForm { inside: SmallVec::from_elem(None, self.inputs.len()), stored: self.row, streamed: 0, fetched: 0 }
    }

    /// Its code in a form.
    pub(crate) fn executable(&self, form: &RowForm) -> &Executable {
        self.forms.get_or_make(form, || self.make(form)).0
    }

    #[cold]
    fn make(&self, form: &RowForm) -> Executable {
        let code = self.code(form);
        match self.machine.native().map(|level| code.compile(level)) {
            Some(Ok(native)) => Executable::Native(native),
            None | Some(Err(CompileError::Unavailable(_) | CompileError::Pages(_))) => Executable::Portable(Box::new(code)),
            Some(Err(error)) => unreachable!("all vector code can be encoded: {error}"),
        }
    }

    /// Its vector code in a form.
    pub(super) fn code(&self, form: &RowForm) -> Code {
        lowering::code(self, form)
    }

    /// The tiles that it reads.
    pub(super) fn for_each_read(&self, visit: impl FnMut(&Tile)) {
        self.inputs.iter().map(|input| &input.tile).for_each(visit);
    }

    /// The registers that it writes.
    pub(super) fn for_each_write(&self, visit: impl FnMut(VReg)) {
        self.results.iter().map(|result| result.reg).for_each(visit);
    }
}
