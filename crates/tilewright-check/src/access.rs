//! Operations that access memory: what is checked of each, and in which order.

use crate::{
    elements::{Elements, Run},
    lanes::Lanes,
    memory::Local,
    rules,
    state::{At, Seen, State},
    undefined::{Shadow, united},
};
use tilewright_exec::Step;
use tilewright_ir::{AttrName, OpRef, TypeData};
use tilewright_passes::elem::memory_bits;

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    Read,
    Write,
    Update,
}

impl Way {
    pub(crate) fn verb(self) -> &'static str {
        match self {
            Way::Read => "reads",
            Way::Write => "writes",
            Way::Update => "updates",
        }
    }
}

impl<'m> State<'m> {
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

    pub(crate) fn load(&mut self, at: At, step: &Step<'_>, op: OpRef<'m>) {
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

    pub(crate) fn store(&mut self, at: At, step: &Step<'_>, op: OpRef<'m>) {
        let Some(mut elements) = self.accessed(at, step, op) else { return };
        self.check_bounds(at, &mut elements, Way::Write);
        self.note_write(at, &elements);
        self.ordered(at, step, op, &elements, Way::Write);
        self.check_overlaps(at, &elements);
        let value = self.shadow_named(at, op, &["value", "tile"]);
        self.stored(at, &elements, &value);
    }

    pub(crate) fn update(&mut self, at: At, step: &Step<'_>, op: OpRef<'m>) {
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

    pub(crate) fn alloca(&mut self, at: At, step: &Step<'_>, op: OpRef<'m>) {
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

    /// Keeps what a block reads, in case that it waits for another value.
    pub(crate) fn note_read(&mut self, at: At, step: &Step<'_>, elements: &Elements) {
        let bytes = elements.bits.div_ceil(8);
        if let Some(run) = elements.runs.first() {
            let seen = Seen { at, address: run.address, bytes: bytes.into(), value: step.memory(run.address, bytes) };
            self.block(at.index).last_read = Some(seen);
        }
    }

    /// Keeps a write of the byte that is looked at.
    pub(crate) fn note_write(&mut self, at: At, elements: &Elements) {
        let Some(byte) = self.byte else { return };
        let covers = |run: &&Run| (run.address..run.address + run.bytes(elements.bits)).contains(&byte);
        let Some(run) = elements.runs.iter().find(covers) else { return };
        let part = run.part(((byte - run.address) * 8 / u64::from(elements.bits)) as usize, 1, elements.bits);
        let spot = elements.spot(part.first, self.memory.place(part.address, part.bytes(elements.bits)));
        self.last_write = Some(self.spot(at, spot));
    }
}
