//! Mistakes that can be planted in a program, and whether they break it, by what the naive evaluator saw of it.

use crate::{
    copy::{Change, changed},
    naive::trace::{Event, Trace},
    ordered::takes_token,
};
use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};
use tilewright_ir::{
    AttrData, AttrName, AttrValue, Body, MemoryOrderingSemantics, MemoryScope, Module, Op, OpRef, Opcode, TypeData, Value, VerifiedModule,
};

/// A mistake.
#[derive(Clone, Debug)]
pub(crate) struct Mistake {
    pub(crate) kind: Kind,
    pub(crate) op: Op,
    pub(crate) change: Change,
    /// Whether the program is undefined with it.
    pub(crate) breaks: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Kind {
    /// An access does not wait for those before it.
    TokenCut,
    /// Atomic updates of several blocks have the scope of a block.
    ScopeNarrowed,
    /// An atomic update is a weak store.
    OrderWeakened,
    /// A pointer points elsewhere.
    PointerShifted,
    /// A tile is promised to lie in its tensor.
    BoundPromised,
    /// An integer is promised to be what it is not.
    FalseAssume,
    /// A store is left out whose value is read.
    StoreDropped,
}

impl Kind {
    pub(crate) const ALL: [Kind; 7] = [
        Kind::TokenCut,
        Kind::ScopeNarrowed,
        Kind::OrderWeakened,
        Kind::PointerShifted,
        Kind::BoundPromised,
        Kind::FalseAssume,
        Kind::StoreDropped,
    ];

    /// The rules that it breaks, one of which is reported.
    pub(crate) fn rules(self) -> &'static [&'static str] {
        match self {
            Kind::TokenCut => &["token-order", "mixed-size"],
            Kind::ScopeNarrowed => &["narrow-scope"],
            Kind::OrderWeakened => &["data-race"],
            Kind::PointerShifted => &["out-of-bounds"],
            Kind::BoundPromised => &["false-inbounds"],
            Kind::FalseAssume => &["false-assumption"],
            Kind::StoreDropped => &["undefined-stored", "undefined-branch", "undefined-index", "undefined-output"],
        }
    }
}

/// What a run left: its output, and what it printed.
pub(crate) type Left = (Vec<u8>, Vec<Vec<u8>>);

/// A program whose mistakes are looked for.
pub(crate) struct Subject<'a> {
    pub(crate) module: &'a mut Module,
    pub(crate) trace: &'a Trace,
    /// Runs a module.
    pub(crate) run: &'a dyn Fn(&VerifiedModule) -> Left,
    /// Where the output begins.
    pub(crate) output: u64,
    /// Whether the output is what nobody wrote before.
    pub(crate) fresh: bool,
}

/// Where memory of `alloca` begins, for the evaluator.
const LOCALS: u64 = 1 << 50;

impl Subject<'_> {
    fn body(&self) -> &Body {
        &self.module.functions[0].body
    }

    fn events(&self, op: Op) -> impl Iterator<Item = &Event> {
        self.trace.events.iter().filter(move |event| event.op == op)
    }

    fn accesses(&self, op: Op) -> bool {
        self.events(op).any(|event| !event.accesses.is_empty())
    }

    /// All mistakes of a kind; stores that are left out are judged by [`Subject::matters`] afterwards.
    pub(crate) fn mistakes(&mut self, kind: Kind) -> Vec<Mistake> {
        if kind == Kind::FalseAssume {
            return self.false_assumes();
        }
        let all_inside = |rank| AttrData::BoolArray(vec![true; rank].into());
        let inside: Vec<AttrValue> = (0..4).map(|rank| AttrValue::Attr(self.module.tables.attrs.intern(all_inside(rank)))).collect();
        let ops: Vec<Op> = self.body().preorder().map(OpRef::id).collect();
        let mistake = |op: Op| -> Option<Mistake> {
            let it = self.body().op(op);
            let (change, breaks) = match kind {
                Kind::TokenCut if takes_token(it) => (Change::NoToken, self.is_needed(op)?),
                Kind::ScopeNarrowed if it.opcode() == Opcode::AtomicRMWTko => {
                    let narrow = AttrValue::Enum(MemoryScope::TlBlk as u8);
                    (Change::Attr(AttrName::MemoryScope, narrow), self.is_shared(op))
                }
                Kind::OrderWeakened if it.opcode() == Opcode::AtomicRMWTko && self.is_unused(it.result(0)?) => {
                    (Change::WeakStore, self.is_shared(op))
                }
                Kind::PointerShifted => {
                    let name = ["source", "destination", "pointers", "base"]
                        .into_iter()
                        .find(|name| it.def().operands.iter().any(|o| o.name == *name))?;
                    match it.opcode() {
                        Opcode::LoadPtrTko | Opcode::StorePtrTko | Opcode::AtomicRMWTko | Opcode::AtomicCASTko => {
                            (Change::Far(name), self.accesses(op))
                        }
                        Opcode::MakeTensorView => (Change::Far(name), self.is_used(it)),
                        _ => return None,
                    }
                }
                Kind::BoundPromised if matches!(it.opcode(), Opcode::LoadViewTko | Opcode::StoreViewTko) => {
                    let rank = self.rank(*it.operand_named("view").first()?)?;
                    (Change::Attr(AttrName::Inbounds, inside[rank]), self.is_cut_off(it))
                }
                Kind::StoreDropped if matches!(it.opcode(), Opcode::StorePtrTko | Opcode::StoreViewTko) && self.writes_alone(op) => {
                    (Change::Dropped, true)
                }
                _ => return None,
            };
            Some(Mistake { kind, op, change, breaks })
        };
        ops.into_iter().filter_map(mistake).collect()
    }

    /// Dimensions of the tiles of a view.
    fn rank(&self, view: Value) -> Option<usize> {
        match self.module.tables.types.get(self.body().ty(view)) {
            TypeData::PartitionView { tile, .. } | TypeData::StridedView { tile, .. } | TypeData::GatherScatterView { tile, .. } => {
                Some(tile.len())
            }
            _ => None,
        }
    }

    fn is_unused(&self, value: Value) -> bool {
        !self.body().preorder().any(|op| op.operands().contains(&value))
    }

    /// Whether an access goes through the views of a tensor.
    fn is_used(&self, tensor: OpRef<'_>) -> bool {
        let readers = |value: Value| self.body().preorder().filter(move |op| op.operands().contains(&value));
        let Some(tensor) = tensor.result(0) else { return false };
        readers(tensor).filter_map(|view| view.result(0)).flat_map(readers).any(|access| self.accesses(access.id()))
    }

    /// Whether some tile of an access does not lie in its tensor.
    fn is_cut_off(&self, op: OpRef<'_>) -> bool {
        let (tile, writes) = match op.opcode() {
            Opcode::LoadViewTko => (op.result(0), false),
            _ => (op.operand_named("tile").first().copied(), true),
        };
        let shape = tile.and_then(|tile| self.module.tables.types.as_tile(op.body().ty(tile)));
        let elements = shape.map_or(0, |(_, shape)| shape.iter().product::<i64>()) as usize;
        self.events(op.id()).any(|event| event.accesses.iter().filter(|access| access.2 == writes).count() < elements)
    }

    /// Whether two blocks access a byte by this operation.
    fn is_shared(&self, op: Op) -> bool {
        let mut owner: HashMap<u64, usize> = HashMap::new();
        self.events(op).any(|event| bytes(event).any(|(byte, _)| *owner.entry(byte).or_insert(event.block) != event.block))
    }

    /// Whether an operation is the only one that writes the bytes that it writes, which nobody has written before the launch.
    fn writes_alone(&self, op: Op) -> bool {
        let written: HashSet<u64> = self.events(op).flat_map(writes).collect();
        let is_local = |byte: &u64| *byte >= LOCALS;
        !written.is_empty()
            && (self.fresh || written.iter().all(is_local))
            && !self.trace.events.iter().filter(|event| event.op != op).flat_map(writes).any(|byte| written.contains(&byte))
    }

    /// Whether accesses of a block race if this operation, and what waits for it, do not wait for those before it. `None` where they may
    /// be ordered all the same, by a release that an acquire reads from.
    fn is_needed(&self, cut: Op) -> Option<bool> {
        // By byte and block, for each of the ways to access it: the first time.
        let mut first: HashMap<(usize, u64, bool, bool), usize> = HashMap::new();
        // By block: when the operation ran last.
        let mut ran: HashMap<usize, usize> = HashMap::new();
        let mut may_be_ordered = false;
        for (now, event) in self.trace.events.iter().enumerate() {
            if event.op == cut {
                ran.insert(event.block, now);
            }
            let weak = is_weak(self.body().op(event.op));
            for (byte, write) in bytes(event) {
                for (other_write, other_weak) in [(false, false), (false, true), (true, false), (true, true)] {
                    let then = first.get(&(event.block, byte, other_write, other_weak)).copied();
                    let (Some(then), Some(cut)) = (then, ran.get(&event.block).copied()) else { continue };
                    if then < cut && (write || other_write) && (weak || other_weak) {
                        if !self.synchronises(then..cut, cut..now + 1) {
                            return Some(true);
                        }
                        may_be_ordered = true;
                    }
                }
            }
            bytes(event).for_each(|(byte, write)| _ = first.entry((event.block, byte, write, weak)).or_insert(now));
        }
        (!may_be_ordered).then_some(false)
    }

    /// Whether a release among the first events may be seen by an acquire among the others.
    fn synchronises(&self, before: Range<usize>, after: Range<usize>) -> bool {
        let strong = |event: &&Event| !is_weak(self.body().op(event.op));
        let events = &self.trace.events;
        let released: HashSet<u64> = events[before].iter().filter(strong).flat_map(writes).collect();
        events[after].iter().filter(strong).flat_map(bytes).any(|(byte, write)| !write && released.contains(&byte))
    }

    /// Promises about integers that do not hold.
    fn false_assumes(&mut self) -> Vec<Mistake> {
        let ops: Vec<Op> = self.body().preorder().map(OpRef::id).collect();
        let mut found = Vec::new();
        for op in ops {
            // Elements that are masked off are undefined, and promises about them are not looked at.
            let Some(value) = self.body().op(op).result(0).filter(|_| self.body().op(op).operand_named("mask").is_empty()) else {
                continue;
            };
            let Some(seen) = self.trace.integers.get(&value).copied() else { continue };
            let Some((element, shape)) = self.module.tables.types.as_tile(self.body().ty(value)) else { continue };
            let shape: Vec<i64> = shape.to_vec();
            let Some(bits) = self.module.tables.types.scalar(element).map(tilewright_ir::Scalar::bits).filter(|bits| *bits >= 8) else {
                continue;
            };
            let greatest = i64::MAX >> (64 - bits);
            let mut promises = Vec::new();
            if seen.least < greatest {
                promises.push(AttrData::Bounded { lower: Some(seen.least + 1), upper: None });
            }
            if seen.greatest > -greatest {
                promises.push(AttrData::Bounded { lower: None, upper: Some(seen.greatest - 1) });
            }
            if seen.least % 2 != 0 || seen.greatest % 2 != 0 {
                promises.push(AttrData::DivBy { divisor: 2, every: None, along: None });
            }
            if !seen.uniform {
                promises.push(AttrData::SameElements(shape.into()));
            }
            for promise in promises {
                let promise = AttrValue::Attr(self.module.tables.attrs.intern(promise));
                found.push(Mistake { kind: Kind::FalseAssume, op, change: Change::Promise(promise), breaks: true });
            }
        }
        found
    }

    /// Whether what a store writes comes to light elsewhere: in other bytes of the output, or in what is printed.
    pub(crate) fn matters(&self, op: Op) -> bool {
        let own: HashSet<u64> = self.events(op).flat_map(writes).collect();
        let name = if self.body().op(op).opcode() == Opcode::StorePtrTko { "value" } else { "tile" };
        let results = [0u8, 0x55].map(|byte| changed(self.module, op, &Change::Bytes(name, byte)).map(|module| (self.run)(&module)));
        let [Some((one, printed)), Some((other, also_printed))] = results else { return false };
        let differs = |at: &usize| one[*at] != other[*at] && !own.contains(&(self.output + *at as u64));
        printed != also_printed || (0..one.len()).any(|at| differs(&at))
    }
}

/// The bytes of an event, and whether they are written.
pub(crate) fn bytes(event: &Event) -> impl Iterator<Item = (u64, bool)> {
    event.accesses.iter().flat_map(|(address, bytes, write)| (*address..address + bytes).map(|byte| (byte, *write)))
}

fn writes(event: &Event) -> impl Iterator<Item = u64> {
    bytes(event).filter(|(_, write)| *write).map(|(byte, _)| byte)
}

fn is_weak(op: OpRef<'_>) -> bool {
    op.memory_ordering().is_none_or(|ordering| ordering == MemoryOrderingSemantics::Weak)
}
