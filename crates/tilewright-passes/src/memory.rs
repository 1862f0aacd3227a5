//! What operations do to memory, for passes that move accesses or take them out.

use std::collections::HashMap;
use tilewright_ir::{Body, MemoryOrderingSemantics, Op, OpRef, Opcode, ops::Traits};

/// How many accesses are remembered.
pub(crate) const MAX_KNOWN: usize = 64;

/// What an operation does to memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    None,
    /// Loads in an order that only tokens give.
    Load,
    /// Stores in such an order.
    Store,
    /// Does what is in its regions.
    Regions,
    /// May end the program.
    Stop,
    /// Anything else.
    Barrier,
}

pub(crate) fn effect(op: OpRef<'_>) -> Effect {
    let traits = op.def().traits;
    let is_weak = op.memory_ordering() == Some(MemoryOrderingSemantics::Weak);
    match op.opcode() {
        Opcode::LoadViewTko | Opcode::LoadPtrTko if is_weak => Effect::Load,
        Opcode::StoreViewTko | Opcode::StorePtrTko if is_weak => Effect::Store,
        Opcode::PrintTko => Effect::None,
        _ if traits.contains(Traits::NESTED_EFFECTS) => {
            if op.def().regions > 0 {
                Effect::Regions
            } else {
                Effect::Barrier
            }
        }
        _ if traits.contains(Traits::STOPS) => Effect::Stop,
        _ if traits.intersects(Traits::READS.with(Traits::WRITES).with(Traits::TOKEN_ORDERED)) => Effect::Barrier,
        _ => Effect::None,
    }
}

/// What may be written inside of operations with regions.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Written {
    /// By operation, weak stores; nothing if there are more than are remembered, or other operations on memory. An operation that is not
    /// named writes nothing.
    stores: HashMap<Op, Option<Vec<Op>>>,
}

impl Written {
    pub(crate) fn new(body: &Body) -> Written {
        let ops: Vec<OpRef<'_>> = body.preorder().collect();
        let mut stores: HashMap<Op, Option<Vec<Op>>> = HashMap::new();
        // Backwards, so that regions come before what they belong to.
        for op in ops.into_iter().rev() {
            let own = match effect(op) {
                Effect::Store => Some(vec![op.id()]),
                Effect::Barrier => None,
                Effect::Regions => stores.get(&op.id()).cloned().unwrap_or(Some(Vec::new())),
                Effect::None | Effect::Load | Effect::Stop => continue,
            };
            let Some(parent) = op.parent() else { continue };
            let all = stores.entry(parent.id()).or_insert(Some(Vec::new()));
            *all = all.take().zip(own).map(|(all, own)| [all, own].concat()).filter(|all| all.len() <= MAX_KNOWN);
        }
        Written { stores }
    }

    /// The weak stores inside of an operation; `None` if other operations may write, or too many.
    pub(crate) fn by(&self, op: Op) -> Option<&[Op]> {
        self.stores.get(&op).map_or(Some(&[]), Option::as_deref)
    }
}
