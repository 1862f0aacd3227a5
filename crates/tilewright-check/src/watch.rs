//! The watcher of a launch: what each operation does to the state of a check.

use crate::{
    CheckOptions, Place, Report,
    access::{Elements, Way},
    lanes::Lanes,
    memory::{Local, Memory},
    rules::{self, Rule},
    state::{At, State, Violation},
    undefined::{self, Shadow, Undefined, shadow, united, wholly},
};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tilewright_exec::{LaunchErrorKind, Step, WatchedLaunch, Watcher};
use tilewright_ir::{AttrData, AttrName, AttrValue, Module, Op, OpRef, Opcode, TypeData, TypeTable, Value};
use tilewright_memory_model::races::Token;
use tilewright_passes::{elem::memory_bits, elementwise::elem_op};

/// The check of a launch.
pub(crate) struct Watch<'m> {
    state: Mutex<State<'m>>,
    options: &'m CheckOptions,
    /// Why the launch could not be checked.
    error: Mutex<Option<LaunchErrorKind>>,
}

impl<'m> Watch<'m> {
    pub(crate) fn new(module: &'m Module, kernel: &str, options: &'m CheckOptions) -> Watch<'m> {
        Watch { state: Mutex::new(State::new(module, kernel)), options, error: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State<'m>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks for the last write of a byte.
    pub(crate) fn looking_at(self, byte: Option<u64>) -> Watch<'m> {
        self.state().byte = byte;
        self
    }

    /// The report, and the last write of the byte that it looked at.
    pub(crate) fn finish(self) -> Result<(Report, Option<Place>), LaunchErrorKind> {
        match self.error.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => {
                let mut state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
                state.report_races();
                Ok((state.report, state.last_write))
            }
        }
    }
}

impl Watcher for Watch<'_> {
    fn begins(&self, launch: &WatchedLaunch) {
        let mut state = self.state();
        state.grid = launch.grid;
        state.memory = Memory::new(&launch.memory, &self.options.names, &self.options.uninitialised);
        state.set_overlaps(&self.options.distinct);
    }

    fn operation(&self, step: &Step<'_>) {
        let at = At { function: step.function(), op: step.op(), block: step.block(), index: step.block_index() };
        self.state().operation(at, step);
    }

    fn freed(&self, _block: u64, address: u64) {
        let mut state = self.state();
        let bytes = state.memory.free(address);
        state.races.forget(address, bytes);
    }

    fn stuck(&self, blocks: &[u64]) {
        self.state().stuck(blocks);
    }

    fn ended(&self, block: u64) {
        self.state().end(block);
    }

    fn failed(&self, _block: u64, why: &LaunchErrorKind) {
        if !is_reported(why) {
            self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| why.clone());
        }
    }
}

/// Whether a failure of a block is what a rule reports.
pub(crate) fn is_reported(why: &LaunchErrorKind) -> bool {
    matches!(why, LaunchErrorKind::Assert { .. } | LaunchErrorKind::SliceIndex { .. } | LaunchErrorKind::LoopStep(_))
}

/// What is known of a value.
struct Known {
    shadow: Shadow,
    /// If it is a token.
    token: Option<Token>,
}

/// The extents of a value, if it is a tile.
fn shape(types: &TypeTable, op: OpRef<'_>, value: Value) -> Option<Vec<usize>> {
    let (_, shape) = types.as_tile(op.body().ty(value))?;
    shape.iter().map(|extent| usize::try_from(*extent).ok()).collect()
}

fn extents(types: &TypeTable, op: OpRef<'_>, value: Option<Value>) -> Vec<usize> {
    value.and_then(|value| shape(types, op, value)).unwrap_or_default()
}

/// The loop that `break` or `continue` leaves or goes on with.
fn loop_around(op: OpRef<'_>) -> Option<OpRef<'_>> {
    let mut outer = op.parent();
    while let Some(op) = outer.filter(|op| !matches!(op.opcode(), Opcode::For | Opcode::Loop)) {
        outer = op.parent();
    }
    outer
}

impl<'m> State<'m> {
    fn operation(&mut self, at: At, step: &Step<'_>) {
        let op = self.op(at);
        match op.opcode() {
            Opcode::Constant | Opcode::Iota | Opcode::GetTileBlockId | Opcode::GetNumTileBlocks | Opcode::GetGlobal => {}
            Opcode::For
            | Opcode::Loop
            | Opcode::If
            | Opcode::Continue
            | Opcode::Break
            | Opcode::Yield
            | Opcode::Return
            | Opcode::PreviewCall => {
                self.control(at, step, op);
            }
            Opcode::LoadPtrTko | Opcode::LoadViewTko | Opcode::MultimemLoadReduceViewTko => self.load(at, step, op),
            Opcode::StorePtrTko | Opcode::StoreViewTko | Opcode::MultimemStoreViewTko => self.store(at, step, op),
            Opcode::AtomicRMWTko | Opcode::AtomicCASTko | Opcode::AtomicRedViewTko | Opcode::MultimemReduceViewTko => {
                self.update(at, step, op)
            }
            Opcode::Alloca => self.alloca(at, step, op),
            Opcode::MakeTensorView => {
                self.sink(at, op.operands(), &rules::UNDEFINED_INDEX, "the tensor depends on an undefined value");
                self.check_tensor(at, step);
            }
            Opcode::Assert => self.assert(at, step, op),
            Opcode::PrintTko => {
                self.sink(at, op.operand_named("args"), &rules::UNDEFINED_OUTPUT, "it prints an undefined value");
                self.order(at, op);
            }
            Opcode::MakeToken | Opcode::JoinTokens | Opcode::MemoryFenceAliasTko | Opcode::GdcWaitTko | Opcode::GdcLaunchDependentsTko => {
                self.order(at, op)
            }
            _ => self.compute(at, step, op),
        }
    }

    fn shadows(&mut self, at: At, values: &[Value]) -> Vec<Shadow> {
        values.iter().map(|value| self.shadow(at, *value)).collect()
    }

    /// Reports undefined values that must not be.
    fn sink(&mut self, at: At, values: &[Value], rule: &'static Rule, message: &str) {
        for value in values {
            if let Some(undefined) = self.shadow(at, *value) {
                self.report_undefined(at, &undefined, &undefined.lanes, rule, message);
                // What follows from it is not reported again.
                self.set_shadow(at, *value, None);
                return;
            }
        }
    }

    fn report_undefined(&mut self, at: At, undefined: &Undefined, lanes: &Lanes, rule: &'static Rule, message: &str) {
        let other = Some(self.origin(&undefined.origin));
        self.violation(at, Violation { elements: lanes.count() as u64, other, ..Violation::new(rule, message.to_owned()) });
    }

    /// Gives values what is known of others, in this or in another function.
    fn hand_over(&mut self, at: At, from: &[Value], (to_at, to): (At, impl Iterator<Item = Value>)) {
        let known: Vec<Known> = from.iter().map(|value| self.known(at, *value)).collect();
        to.zip(known).for_each(|(value, known)| self.set_known(to_at, value, known));
    }

    fn known(&mut self, at: At, value: Value) -> Known {
        let token = self.is_token(at, value).then(|| self.token(at, value));
        Known { shadow: self.shadow(at, value), token }
    }

    fn set_known(&mut self, at: At, value: Value, known: Known) {
        self.set_shadow(at, value, known.shadow);
        if let Some(token) = known.token {
            self.set_token(at, value, token);
        }
    }

    fn control(&mut self, at: At, step: &Step<'_>, op: OpRef<'m>) {
        let body = op.body();
        let args = |op: OpRef<'m>| op.region_block(0).map(|block| body.args(block)).into_iter().flatten();
        match op.opcode() {
            Opcode::For => {
                self.sink(at, &op.operands()[..3], &rules::UNDEFINED_BRANCH, "a bound of the loop depends on an undefined value");
                self.check_step(at, step, op);
                let inits = &op.operands()[3..];
                self.hand_over(at, inits, (at, args(op).skip(1)));
                self.hand_over(at, inits, (at, op.results()));
            }
            Opcode::Loop => self.hand_over(at, op.operands(), (at, args(op))),
            Opcode::If => self.sink(at, op.operands(), &rules::UNDEFINED_BRANCH, "the condition depends on an undefined value"),
            Opcode::Continue => match loop_around(op) {
                Some(outer) if outer.opcode() == Opcode::For => {
                    // The results first: an operand may be an argument.
                    self.hand_over(at, op.operands(), (at, outer.results()));
                    self.hand_over(at, op.operands(), (at, args(outer).skip(1)));
                }
                Some(outer) => self.hand_over(at, op.operands(), (at, args(outer))),
                None => {}
            },
            Opcode::Break => {
                if let Some(outer) = loop_around(op) {
                    self.hand_over(at, op.operands(), (at, outer.results()));
                }
            }
            Opcode::Yield => {
                if let Some(outer) = op.parent().filter(|outer| outer.opcode() == Opcode::If) {
                    self.hand_over(at, op.operands(), (at, outer.results()));
                }
            }
            Opcode::PreviewCall => self.call(at, op),
            Opcode::Return => self.return_from(at, op),
            _ => {}
        }
    }

    fn check_step(&mut self, at: At, step: &Step<'_>, op: OpRef<'m>) {
        let [Some(lower), Some(upper), Some(by)] = [0, 1, 2].map(|i| step.operand(i)) else { return };
        let width = 8 * lower.size() as u32;
        let is_unsigned = op.flag(AttrName::UnsignedCmp);
        let number = |bits: u64| {
            let unused = 64 - width;
            if is_unsigned { i128::from(bits << unused >> unused) } else { i128::from((bits << unused).cast_signed() >> unused) }
        };
        let [lower, upper, by] = [lower, upper, by].map(|tile| number(tile.first()));
        if lower < upper && by <= 0 {
            self.violation(at, Violation::new(&rules::LOOP_STEP, format!("the loop goes from {lower} to {upper} in steps of {by}")));
        }
    }

    fn call(&mut self, at: At, op: OpRef<'m>) {
        let AttrValue::Str(name) = op.attr(AttrName::Callee) else { return };
        let Some(function) = self.module.functions.iter().position(|function| function.name == name) else { return };
        let body = self.body(function);
        if let Some(block) = body.entry_block() {
            let inside = At { function, ..at };
            self.hand_over(at, op.operands(), (inside, body.args(block)));
        }
        self.block(at.index).calls.push((at.function, at.op));
    }

    fn return_from(&mut self, at: At, op: OpRef<'m>) {
        let Some((function, call)) = self.block(at.index).calls.pop() else { return };
        let outside = At { function, op: call, ..at };
        let results = self.op(outside).results();
        self.hand_over(at, op.operands(), (outside, results));
    }

    /// The elements of an access, once its address and its mask are known to be defined.
    fn accessed(&mut self, at: At, step: &Step<'_>, op: OpRef<'m>) -> Option<Elements> {
        self.sink(at, op.operand_named("mask"), &rules::UNDEFINED_BRANCH, "the mask depends on an undefined value");
        self.sink(at, op.operand_named("index"), &rules::UNDEFINED_INDEX, "an index depends on an undefined value");
        let elements = self.elements(at, step)?;
        for name in ["source", "destination", "pointers"] {
            let Some(undefined) = op.operand_named(name).first().and_then(|pointers| self.shadow(at, *pointers)) else { continue };
            let mut active = Lanes::all(elements.len());
            if let Some((left_out, _)) = &elements.left_out {
                active = Lanes::of(elements.len(), |i| !left_out.contains(i));
            }
            active.intersect(&undefined.lanes);
            if !active.is_none() {
                self.report_undefined(at, &undefined, &active, &rules::UNDEFINED_INDEX, "an address depends on an undefined value");
            }
        }
        Some(elements)
    }

    fn load(&mut self, at: At, step: &Step<'_>, op: OpRef<'m>) {
        let Some(mut elements) = self.accessed(at, step, op) else { return };
        self.check_bounds(at, &mut elements, Way::Read);
        self.note_read(at, step, &elements);
        self.ordered(at, step, op, &elements, Way::Read);
        let padding = match op.operand_named("paddingValue").first() {
            Some(padding) => Some(self.shadow(at, *padding)),
            None => self.has_padding(op).then_some(None),
        };
        let shadow = self.loaded(at, &elements, padding);
        if let Some(result) = op.result(0) {
            self.set_shadow(at, result, shadow);
        }
    }

    /// Whether the view of an access says what lies outside of its tensor.
    fn has_padding(&self, op: OpRef<'m>) -> bool {
        let types = &self.module.tables.types;
        let view = op.operand_named("view").first().map(|view| types.get(op.body().ty(*view)));
        matches!(
            view,
            Some(
                TypeData::PartitionView { padding: Some(_), .. }
                    | TypeData::StridedView { padding: Some(_), .. }
                    | TypeData::GatherScatterView { padding: Some(_), .. }
            )
        )
    }

    /// What is undefined of the operand of this name.
    fn shadow_named(&mut self, at: At, op: OpRef<'m>, names: &[&str]) -> Shadow {
        let value = names.iter().find_map(|name| op.operand_named(name).first())?;
        self.shadow(at, *value)
    }

    fn store(&mut self, at: At, step: &Step<'_>, op: OpRef<'m>) {
        let Some(mut elements) = self.accessed(at, step, op) else { return };
        self.check_bounds(at, &mut elements, Way::Write);
        self.note_write(at, &elements);
        self.ordered(at, step, op, &elements, Way::Write);
        self.check_overlaps(at, &elements);
        let value = self.shadow_named(at, op, &["value", "tile"]);
        self.stored(at, &elements, &value);
    }

    fn update(&mut self, at: At, step: &Step<'_>, op: OpRef<'m>) {
        let Some(mut elements) = self.accessed(at, step, op) else { return };
        self.check_bounds(at, &mut elements, Way::Update);
        self.note_read(at, step, &elements);
        self.note_write(at, &elements);
        self.ordered(at, step, op, &elements, Way::Update);
        self.check_overlaps(at, &elements);
        let expected = op.operand_named("cmp").first().copied();
        let masked = expected.map(|expected| self.shadow(at, expected));
        let old = self.loaded(at, &elements, Some(None));
        let mut value = united([&old, &self.shadow_named(at, op, &["arg", "val", "value", "tile"])]);
        if let Some(compared) = &masked {
            value = united([&value, compared]);
        }
        self.stored(at, &elements, &value);
        let result = self.loaded(at, &elements, masked);
        if let Some(first) = op.result(0).filter(|_| op.result(1).is_some()) {
            self.set_shadow(at, first, united([&old, &result]));
        }
    }

    fn alloca(&mut self, at: At, step: &Step<'_>, op: OpRef<'m>) {
        let types = &self.module.tables.types;
        let Some(address) = step.result(0).map(|address| address.first()) else { return };
        let pointee =
            op.result(0).and_then(|result| types.as_tile(op.body().ty(result))).and_then(|(element, _)| match types.get(element) {
                TypeData::Pointer { pointee, .. } => types.scalar(*pointee).and_then(memory_bits),
                _ => None,
            });
        let count = op.int(AttrName::NumElem).unwrap_or(0);
        let bytes = (u128::from(count) * u128::from(pointee.unwrap_or(8))).div_ceil(8);
        let local = Local { block: at.index, shared: op.flag(AttrName::Global), live: true, function: at.function, op: at.op };
        self.memory.allocate(address, u64::try_from(bytes).unwrap_or(u64::MAX), local);
    }

    fn assert(&mut self, at: At, step: &Step<'_>, op: OpRef<'m>) {
        let undefined = self.shadow(at, op.operands()[0]);
        self.sink(at, op.operands(), &rules::UNDEFINED_OUTPUT, "the condition depends on an undefined value");
        let Some(condition) = step.operand(0).filter(|_| undefined.is_none()) else { return };
        let failed: Vec<usize> = condition.bits().iter().enumerate().filter(|(_, bit)| **bit & 1 == 0).map(|(i, _)| i).collect();
        if let Some(first) = failed.first() {
            let AttrValue::Str(text) = op.attr(AttrName::Message) else { return };
            let message = format!("the condition is false: {}", self.module.tables.strings.text(text));
            let element = Some(crate::lanes::coordinates(*first, condition.shape()));
            self.violation(at, Violation { elements: failed.len() as u64, element, ..Violation::new(&rules::ASSERTION, message) });
        }
    }

    /// An operation that only computes: checks it, and finds what of its results is undefined.
    fn compute(&mut self, at: At, step: &Step<'_>, op: OpRef<'m>) {
        let shadows = self.shadows(at, op.operands());
        self.check_arithmetic(at, step, &shadows);
        let slice = match op.opcode() {
            Opcode::Extract | Opcode::Insert => self.slice(at, step, op),
            _ => None,
        };
        let all_defined = shadows.iter().all(Option::is_none);
        for (i, result) in op.results().enumerate() {
            let shadow = if all_defined { None } else { self.result_shadow(step, op, i, &shadows, slice.as_deref()) };
            self.set_shadow(at, result, shadow);
        }
    }

    /// The first element of the slice that `extract` or `insert` names.
    fn slice(&mut self, at: At, step: &Step<'_>, op: OpRef<'m>) -> Option<Vec<usize>> {
        let types = &self.module.tables.types;
        self.sink(at, op.operand_named("indices"), &rules::UNDEFINED_INDEX, "the index of a slice depends on an undefined value");
        let (source, result) = (extents(types, op, op.operand(0)), extents(types, op, op.result(0)));
        match op.opcode() {
            Opcode::Extract => self.check_slice(at, step, 1, (&result, &source)),
            _ => self.check_slice(at, step, 2, (&source, &result)),
        }
    }

    fn result_shadow(&self, step: &Step<'_>, op: OpRef<'m>, index: usize, shadows: &[Shadow], slice: Option<&[usize]>) -> Shadow {
        let types = &self.module.tables.types;
        let result = extents(types, op, op.result(index));
        let source = extents(types, op, op.operand(0));
        let len = result.iter().product();
        let dim = || op.int(AttrName::Dim).and_then(|dim| usize::try_from(dim).ok()).unwrap_or(0);
        match op.opcode() {
            Opcode::Reshape | Opcode::Assume => shadows[0].clone(),
            Opcode::Broadcast => undefined::broadcast(shadows[0].as_deref()?, &source, &result),
            Opcode::Permute => {
                let AttrValue::Attr(permutation) = op.attr(AttrName::Permutation) else { return wholly(shadows, len) };
                let AttrData::I32Array(permutation) = self.module.tables.attrs.get(permutation) else { return wholly(shadows, len) };
                let permutation: Vec<usize> = permutation.iter().map(|dim| dim.unsigned_abs() as usize).collect();
                undefined::permute(shadows[0].as_deref()?, &source, &result, &permutation)
            }
            Opcode::Extract => match slice {
                Some(first) => undefined::extract(shadows[0].as_deref()?, &source, &result, first),
                None => wholly(shadows, len),
            },
            Opcode::Insert => match slice {
                Some(first) => undefined::insert((&shadows[0], &source), (&shadows[1], &result), first),
                None => wholly(shadows, len),
            },
            Opcode::Cat => {
                let mut first = vec![0; result.len()];
                let whole = undefined::insert((&shadows[0], &source), (&None, &result), &first);
                first[dim()] = source[dim()];
                let rhs = extents(types, op, op.operand(1));
                undefined::insert((&shadows[1], &rhs), (&whole, &result), &first)
            }
            Opcode::Reduce => undefined::fold(united(shadows).as_deref()?, &source, dim(), None),
            Opcode::Scan => undefined::fold(united(shadows).as_deref()?, &source, dim(), Some(op.flag(AttrName::Reverse))),
            Opcode::MmaF | Opcode::MmaI => {
                let rhs = extents(types, op, op.operand(1));
                undefined::product([(&shadows[0], &source), (&shadows[1], &rhs)], &shadows[2], &result)
            }
            Opcode::MmaFScaled => {
                let shape = |i: usize| extents(types, op, op.operand(i));
                let product = undefined::product([(&shadows[0], &source), (&shadows[1], &shape(1))], &shadows[2], &result);
                undefined::product([(&shadows[3], &shape(3)), (&shadows[4], &shape(4))], &product, &result)
            }
            Opcode::Pack | Opcode::Unpack => {
                let from = shadows[0].as_deref()?;
                let count = source.iter().product::<usize>();
                shadow(Lanes::of(len, |i| (i * count / len..((i + 1) * count).div_ceil(len)).any(|j| from.lanes.contains(j))), &from.origin)
            }
            Opcode::Select => self.select(step, shadows, len),
            Opcode::AndI | Opcode::OrI | Opcode::MulI => self.absorbed(step, op, shadows, len),
            _ if elem_op(op, types).is_some() => united(shadows),
            _ => wholly(shadows, len),
        }
    }

    /// An element is that of the value that the condition chooses.
    fn select(&self, step: &Step<'_>, shadows: &[Shadow], len: usize) -> Shadow {
        let Some(condition) = step.operand(0).map(|condition| condition.bits()) else { return wholly(shadows, len) };
        let origin = &shadows.iter().flatten().next()?.origin;
        let undefined = |shadow: &Shadow, i: usize| shadow.as_ref().is_some_and(|shadow| shadow.lanes.contains(i));
        let chosen = |i: usize| if condition[i] & 1 == 1 { &shadows[1] } else { &shadows[2] };
        let lanes = Lanes::of(len, |i| undefined(&shadows[0], i) || undefined(chosen(i), i));
        let origin = shadows.iter().flatten().find(|shadow| lanes.iter().any(|i| shadow.lanes.contains(i))).map_or(origin, |s| &s.origin);
        shadow(lanes, origin)
    }

    /// Where the result is the same whatever one operand is, as that of a product with zero is, it is defined.
    fn absorbed(&self, step: &Step<'_>, op: OpRef<'m>, shadows: &[Shadow], len: usize) -> Shadow {
        let tiles = [step.operand(0), step.operand(1)].map(|tile| tile.map(|tile| tile.bits()));
        let [Some(lhs), Some(rhs)] = tiles else { return wholly(shadows, len) };
        let origin = &shadows.iter().flatten().next()?.origin;
        let width = step.operand(0).and_then(|tile| tile.scalar()).map_or(64, |scalar| scalar.bits());
        let mask = !0u64 >> (64 - width);
        let absorbs = |bits: u64| if op.opcode() == Opcode::OrI { bits & mask == mask } else { bits & mask == 0 };
        let undefined = |shadow: &Shadow, i: usize| shadow.as_ref().is_some_and(|shadow| shadow.lanes.contains(i));
        let lanes = Lanes::of(len, |i| match (undefined(&shadows[0], i), undefined(&shadows[1], i)) {
            (true, false) => !absorbs(rhs[i]),
            (false, true) => !absorbs(lhs[i]),
            (both, _) => both,
        });
        shadow(lanes, origin)
    }
}

/// A call that a block is in: the function and the operation that called.
pub(crate) type Call = (usize, Op);
