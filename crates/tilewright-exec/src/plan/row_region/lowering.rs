//! The vector code of a row region: a loop over rows, and in it the loops over columns.

use super::{Content, MOST_PARTS, RowForm, RowInput, RowRegion, RowResult, RowSrc, RowValue, Spread, Stage, ValueKind};
use crate::{elem::Elem, hash::HashMap, plan::region::constant};
use tilewright_passes::elementwise::ElemOp;
use tilewright_vector::{
    Axis, Builder, Code, Count, Kind, Lane, Param, ParamKind, Place, Prim, Value,
    lower::{self, Held},
};

/// Memory that code walks.
#[derive(Clone, Copy)]
struct RowMemory {
    param: Param,
    /// Bytes from one row to the next.
    pitch: Count,
    /// Bytes of an element.
    size: usize,
}

/// The columns that an iteration of a loop is at.
#[derive(Clone, Copy)]
struct Columns {
    axis: Axis,
    /// The first of the loop, and how many it goes over.
    first: usize,
    count: usize,
}

struct RowLowering<'a> {
    region: &'a RowRegion,
    form: &'a RowForm,
    builder: Builder,
    constants: Param,
    /// The memory of each input that is no constant, of each result, and of the next row of each input that is fetched.
    inputs: Vec<Option<RowMemory>>,
    results: Vec<RowMemory>,
    fetched: Vec<(usize, RowMemory)>,
    /// The loop over rows, once it is open.
    rows: Option<Axis>,
    /// What is the same for all columns.
    numbers: HashMap<RowSrc, Held>,
    /// What is known of the columns that are being computed.
    found: HashMap<RowSrc, Held>,
    /// Whether a loop over columns is open.
    is_in_columns: bool,
}

/// The code of a region in a form. Its arguments: the launch's constants; each input that is no constant, with the bytes from one row to the next
/// where it has one for each element; each result, with these bytes where it has rows; where to begin with fetching, for each input that is fetched;
/// how many rows there are.
pub(super) fn code(region: &RowRegion, form: &RowForm) -> Code {
    let mut builder = Builder::new(region.lanes as u32);
    let constants = builder.param(ParamKind::Buffer);
    let mut buffer = |walks: bool, pitch: usize, size: usize| RowMemory {
        param: builder.param(ParamKind::Buffer),
        pitch: if walks { Count::Param(builder.param(ParamKind::Count)) } else { Count::Const((pitch * size) as i64) },
        size,
    };
    let of_input = |(number, input): (usize, &RowInput)| {
        let pitch = usize::from(input.spread == Spread::EachRow);
        (!region.is_constant(number)).then(|| buffer(input.spread == Spread::Each, pitch, input.tile.elem.size()))
    };
    let inputs: Vec<Option<RowMemory>> = region.inputs.iter().enumerate().map(of_input).collect();
    let of_result = |result: &RowResult| {
        let is_number = result.content == Content::AllRows && !region.has_rows(result);
        buffer(region.has_rows(result), usize::from(is_number), region.result_size(result))
    };
    let results: Vec<RowMemory> = region.results.iter().map(of_result).collect();
    let is_fetched = |(number, input): (usize, &Option<RowMemory>)| Some((number, (*input)?)).filter(|_| form.fetched >> number & 1 == 1);
    let fetched: Vec<(usize, RowMemory)> = inputs.iter().enumerate().filter_map(is_fetched).collect();
    let fetched = fetched.into_iter().map(|(number, of)| (number, RowMemory { param: builder.param(ParamKind::Buffer), ..of })).collect();
    let count = Count::Param(builder.param(ParamKind::Count));
    let (numbers, found) = (HashMap::default(), HashMap::default());
    let mut lowering =
        RowLowering { region, form, builder, constants, inputs, results, fetched, rows: None, numbers, found, is_in_columns: false };
    // What is the same for all rows is read in front of the loop.
    lowering.read_numbers(Spread::One);
    lowering.rows = Some(lowering.builder.open(Kind::Serial, count, &[]).0);
    lowering.read_numbers(Spread::EachRow);
    lowering.compute_numbers(0);
    let fetches_in = fetching_stage(region);
    for (number, stage) in region.stages.iter().enumerate() {
        lowering.stage(number, stage, number == fetches_in);
    }
    let streamed = lowering.results.iter().enumerate().filter(|(number, _)| form.streamed >> number & 1 == 1);
    let streamed: Vec<Param> = streamed.map(|(_, buffer)| buffer.param).collect();
    lowering.builder.close(&[]);
    let code = lowering.builder.finish().unwrap_or_else(|finding| unreachable!("lowered code is valid: {finding}"));
    streamed.into_iter().fold(code, Code::streaming)
}

/// The loop in which the next row is fetched: not the first, which waits for memory itself, and rather one that stores nothing; of these, the one that
/// computes most.
fn fetching_stage(region: &RowRegion) -> usize {
    let stores = |stage: &Stage| region.stored.is_some_and(|stored| stage.results.contains(&stored));
    let behind = region.stages.iter().enumerate().skip(1);
    behind.max_by_key(|(_, stage)| (!stores(stage), stage.computed.len())).map_or(0, |(number, _)| number)
}

impl RowLowering<'_> {
    /// Reads the inputs of single numbers that are the same for all rows, or that each row has.
    fn read_numbers(&mut self, spread: Spread) {
        for (number, input) in self.region.inputs.iter().enumerate().filter(|(_, input)| input.spread == spread) {
            let elem = input.tile.elem;
            let lane = memory_lane(elem);
            let place = match (self.inputs[number], constant(&input.tile)) {
                (Some(buffer), _) => self.place_of_number(buffer),
                (None, Some(offset)) => Place::of(self.constants).offset_by(offset as i64),
                (None, None) => unreachable!("inputs that are no constants have buffers"),
            };
            let mut held = Held::bits(match self.region.known(number) {
                // A truth is a byte that is not zero.
                Some(bits) if lane == Lane::Mask => self.builder.constant(lane, (bits != 0).into()),
                Some(bits) => self.builder.constant(lane, bits),
                None => self.builder.load(lane, place, None),
            });
            if elem.float().is_some() {
                held.to_number(&mut self.builder, elem);
            }
            self.numbers.insert(RowSrc::Input(number), held);
        }
    }

    /// Computes the numbers of a row that follow from what the first `level` loops gave, and writes those that are results, the reductions among them.
    fn compute_numbers(&mut self, level: usize) {
        let of_level = |value: &usize| self.region.values[*value].kind != ValueKind::Columns && self.region.values[*value].level == level;
        for value in (0..self.region.values.len()).filter(of_level) {
            if self.region.values[value].kind == ValueKind::Number {
                let held = self.compute(value);
                self.numbers.insert(RowSrc::Value(value), held);
            }
            for (number, result) in self.region.results.iter().enumerate() {
                if result.value == value && result.content == Content::AllRows {
                    let bits = self.bits(RowSrc::Value(value));
                    let buffer = self.results[number];
                    self.builder.store(bits, self.place_of_number(buffer), None);
                }
            }
        }
    }

    /// A loop over columns, and the numbers that follow from it.
    fn stage(&mut self, number: usize, stage: &Stage, fetches: bool) {
        self.is_in_columns = true;
        if stage.folds.is_empty() {
            let count = stage.results.iter().map(|result| self.columns_of(number, *result)).max().unwrap_or(0);
            let axis = self.builder.open(Kind::Lanes, Count::Const(count as i64), &[]).0;
            self.part(number, stage, Columns { axis, first: 0, count }, fetches);
            self.builder.close(&[]);
        } else {
            self.reduce(number, stage, fetches);
        }
        // What was found is known in the loop only.
        self.found.clear();
        self.is_in_columns = false;
        self.compute_numbers(stage.level + 1);
    }

    /// A loop whose reductions combine the parts of a row, and then what these leave, until lanes are left.
    fn reduce(&mut self, number: usize, stage: &Stage, fetches: bool) {
        let (region, lanes) = (self.region, self.region.lanes);
        let mut left = region.row / stage.parts;
        let partials: Vec<Option<RowMemory>> = stage.folds.iter().map(|fold| self.partials(*fold)).collect();
        let (mut parts, mut begins) = (stage.parts, true);
        let lanes_left = loop {
            let is_last = left <= lanes;
            let zeros: Vec<Value> =
                if is_last { stage.folds.iter().map(|fold| self.zero(region.values[*fold].elem())).collect() } else { Vec::new() };
            let axis = self.builder.open(Kind::Lanes, Count::Const(left as i64), &zeros).0;
            let combined = self.combined(stage, (0, 1, parts), &mut |lowering, part| {
                let columns = Columns { axis, first: part * left, count: left };
                if begins {
                    lowering.part(number, stage, columns, fetches);
                    stage.folds.iter().map(|fold| lowering.reduced(*fold)).collect()
                } else {
                    partials.iter().zip(&stage.folds).map(|(buffer, fold)| lowering.read_partials(*buffer, *fold, columns)).collect()
                }
            });
            let bits: Vec<Value> = combined
                .into_iter()
                .zip(&stage.folds)
                .map(|(mut held, fold)| held.to_bits(&mut self.builder, region.values[*fold].elem()))
                .collect();
            if is_last {
                break self.builder.close(&bits);
            }
            for (bits, buffer) in bits.into_iter().zip(partials.iter().flatten()) {
                let place = self.place(*buffer, Columns { axis, first: 0, count: left });
                self.builder.store(bits, place, None);
            }
            self.builder.close(&[]);
            begins = false;
            parts = MOST_PARTS.min(left / lanes);
            left /= parts;
        };
        let folds = &stage.folds;
        let results = self.builder.fold(&lanes_left, |builder, lower, upper| {
            let pairs = lower.iter().zip(upper).zip(folds);
            pairs
                .map(|((lower, upper), fold)| {
                    let mut combined = combine(builder, region, *fold, [Held::bits(*lower), Held::bits(*upper)]);
                    combined.to_bits(builder, region.values[*fold].elem())
                })
                .collect()
        });
        for (fold, bits) in folds.iter().zip(results) {
            self.numbers.insert(RowSrc::Value(*fold), Held::bits(bits));
        }
    }

    /// What the reductions have of every `step`-th part of a row from `first` on, of `count`: the halves of a half are combined before the halves, so few
    /// values live at once.
    fn combined(
        &mut self,
        stage: &Stage,
        (first, step, count): (usize, usize, usize),
        part: &mut dyn FnMut(&mut Self, usize) -> Vec<Held>,
    ) -> Vec<Held> {
        if step == count {
            return part(self, first);
        }
        let lower = self.combined(stage, (first, 2 * step, count), part);
        let upper = self.combined(stage, (first + step, 2 * step, count), part);
        let pairs = lower.into_iter().zip(upper).zip(&stage.folds);
        pairs.map(|((lower, upper), fold)| combine(&mut self.builder, self.region, *fold, [lower, upper])).collect()
    }

    /// Computes a loop's values for some columns, and then writes its results: what is read there is read before.
    fn part(&mut self, number: usize, stage: &Stage, columns: Columns, fetches: bool) {
        self.found.clear();
        for (value, result) in &stage.kept {
            let (buffer, elem) = (self.results[*result], self.region.values[*value].elem());
            let bits = self.builder.load(memory_lane(elem), self.place(buffer, columns), None);
            self.found.insert(RowSrc::Value(*value), Held::bits(bits));
        }
        let values = &self.region.values;
        let read = |value: &usize| values[*value].srcs.iter();
        let of_results = stage.results.iter().map(|result| RowSrc::Value(self.region.results[*result].value));
        let of_folds = stage.folds.iter().flat_map(read).copied();
        let needed: Vec<RowSrc> = stage.computed.iter().flat_map(read).copied().chain(of_folds).chain(of_results).collect();
        for src in needed {
            if let RowSrc::Input(input) = src
                && self.region.inputs[input].spread.is_row()
                && !self.found.contains_key(&src)
            {
                let held = self.read(input, columns);
                self.found.insert(src, held);
            }
        }
        for value in &stage.computed {
            let held = self.compute(*value);
            self.found.insert(RowSrc::Value(*value), held);
        }
        for result in &stage.results {
            let buffer = self.results[*result];
            let inside = self.columns_of(number, *result).saturating_sub(columns.first).min(columns.count);
            if inside > 0 {
                let bits = self.bits(RowSrc::Value(self.region.results[*result].value));
                self.builder.store(bits, self.place_of(buffer, columns, inside), None);
            }
        }
        if fetches {
            self.fetch(columns);
        }
    }

    /// Fetches what the next row has in some columns.
    fn fetch(&mut self, columns: Columns) {
        for (input, buffer) in self.fetched.clone() {
            let inside = self.form.inside[input].map_or(self.region.row, |(inside, _)| inside);
            if columns.first < inside {
                let place = self.place(buffer, columns);
                self.builder.prefetch(place, buffer.size as u32);
            }
        }
    }

    /// How many columns of a result are written by a loop: of what is kept, as many as later loops read.
    fn columns_of(&self, number: usize, result: usize) -> usize {
        let is_stored = |result: &usize| self.region.stored == Some(*result);
        let needs_all = |stage: &Stage| !stage.folds.is_empty() || !stage.results.iter().all(is_stored);
        let is_short = self.region.results[result].content == Content::OneRow && !self.region.stages[number + 1..].iter().any(needs_all);
        if is_stored(&result) || is_short { self.form.stored } else { self.region.row }
    }

    /// What a reduction combines, of the columns that are being computed: in its type, which may be another than that it was computed in.
    fn reduced(&mut self, fold: usize) -> Held {
        let RowValue { kernel, srcs, .. } = &self.region.values[fold];
        let src = srcs[0];
        self.bits_as(self.held(src), self.elem_of(src), kernel.imm.sources()[0])
    }

    /// Where a reduction puts what is left of a row between two loops.
    fn partials(&self, fold: usize) -> Option<RowMemory> {
        let is_it = |result: &RowResult| result.value == fold && result.content == Content::Partials;
        self.region.results.iter().position(is_it).map(|number| self.results[number])
    }

    fn read_partials(&mut self, buffer: Option<RowMemory>, fold: usize, columns: Columns) -> Held {
        let Some(buffer) = buffer else { unreachable!("a reduction of several loops has room between them") };
        let lane = memory_lane(self.region.values[fold].elem());
        Held::bits(self.builder.load(lane, self.place(buffer, columns), None))
    }

    /// The place of the row that is computed, where a buffer has rows.
    fn in_row(&self, place: Place, buffer: RowMemory) -> Place {
        match self.rows {
            Some(rows) if buffer.pitch != Count::Const(0) => place.along(rows, buffer.pitch),
            _ => place,
        }
    }

    fn place_of_number(&self, buffer: RowMemory) -> Place {
        self.in_row(Place::of(buffer.param), buffer)
    }

    fn place(&self, buffer: RowMemory, columns: Columns) -> Place {
        self.place_of(buffer, columns, columns.count)
    }

    /// Where a buffer has the columns of an iteration, of which so many are there.
    fn place_of(&self, buffer: RowMemory, columns: Columns, inside: usize) -> Place {
        let place = Place::of(buffer.param).offset_by((columns.first * buffer.size) as i64);
        let place = self.in_row(place, buffer);
        let stride = Count::Const(buffer.size as i64);
        if inside < columns.count {
            place.within(columns.axis, stride, Count::Const(inside as i64))
        } else {
            place.along(columns.axis, stride)
        }
    }

    /// Reads the elements of an input in some columns: from memory, as far as they lie there.
    fn read(&mut self, input: usize, columns: Columns) -> Held {
        let lane = memory_lane(self.region.inputs[input].tile.elem);
        let Some(buffer) = self.inputs[input] else { unreachable!("rows have buffers") };
        let (all, padding) = self.form.inside[input].unwrap_or((self.region.row, 0));
        let inside = all.saturating_sub(columns.first).min(columns.count);
        if inside == 0 {
            return Held::bits(self.builder.constant(lane, padding & lane.bits()));
        }
        let bits = self.builder.load(lane, self.place_of(buffer, columns, inside), None);
        // The others are read as zeros.
        if inside == columns.count || padding == 0 {
            return Held::bits(bits);
        }
        let index = self.builder.index(columns.axis, Lane::I32);
        let end = self.builder.constant(Lane::I32, inside as u64);
        let mask = self.builder.prim(Prim::LtS, &[index, end]);
        let padding = self.builder.constant(lane, padding & lane.bits());
        Held::bits(self.builder.prim(Prim::Select, &[mask, bits, padding]))
    }

    fn held(&self, src: RowSrc) -> Held {
        let held = self.numbers.get(&src).or_else(|| self.found.get(&src));
        *held.unwrap_or_else(|| unreachable!("what is read has been computed"))
    }

    /// Computes a value.
    fn compute(&mut self, value: usize) -> Held {
        let RowValue { kernel, srcs, .. } = &self.region.values[value];
        let imm = &kernel.imm;
        let mut operands = Vec::with_capacity(srcs.len());
        for (src, elem) in srcs.iter().zip(imm.sources()) {
            operands.push(self.bits_as(self.held(*src), self.elem_of(*src), *elem));
        }
        let held = lower::lower(&mut self.builder, imm.op, imm.sources(), imm.dst, &mut operands);
        // The forms that operands were converted to are kept, of what was read as what it is.
        for ((src, elem), operand) in srcs.iter().zip(imm.sources()).zip(operands) {
            if self.elem_of(*src) == *elem {
                self.keep(*src, operand);
            }
        }
        held.unwrap_or_else(|| unreachable!("row regions have steps that are lowered"))
    }

    /// Keeps a form that was converted to; of numbers, not in a loop over columns, behind which it is not there.
    fn keep(&mut self, src: RowSrc, held: Held) {
        match self.found.get_mut(&src) {
            Some(found) => *found = held,
            None if self.is_in_columns => {}
            None => drop(self.numbers.insert(src, held)),
        }
    }

    /// The bits of a value, as memory holds them.
    fn bits(&mut self, src: RowSrc) -> Value {
        let (mut held, elem) = (self.held(src), self.elem_of(src));
        let bits = held.to_bits(&mut self.builder, elem);
        self.keep(src, held);
        bits
    }

    /// The element of another type that has the same bits.
    fn bits_as(&mut self, held: Held, from: Elem, to: Elem) -> Held {
        if from == to {
            return held;
        }
        lower::lower(&mut self.builder, ElemOp::Copy, &[from], to, &mut [held]).unwrap_or_else(|| unreachable!("bits are copied"))
    }

    fn elem_of(&self, src: RowSrc) -> Elem {
        match src {
            RowSrc::Input(input) => self.region.inputs[input].tile.elem,
            RowSrc::Value(value) => self.region.values[value].elem(),
        }
    }

    fn zero(&mut self, elem: Elem) -> Value {
        self.builder.constant(memory_lane(elem), 0)
    }
}

/// The lanes that elements lie in in memory.
fn memory_lane(elem: Elem) -> Lane {
    lower::memory_lane_of(elem).unwrap_or_else(|| unreachable!("row regions have types that steps take"))
}

/// Combines two values of a reduction.
fn combine(builder: &mut Builder, region: &RowRegion, fold: usize, mut both: [Held; 2]) -> Held {
    let imm = &region.values[fold].kernel.imm;
    let combined = lower::lower(builder, imm.op, imm.sources(), imm.dst, &mut both);
    combined.unwrap_or_else(|| unreachable!("row regions have reductions that are lowered"))
}
