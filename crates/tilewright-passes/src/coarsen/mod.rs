//! Block coarsening: of an entry, one each of whose blocks does the work of several neighbouring blocks.
//!
//! A *group* is `factor` blocks that are neighbours along an axis of the grid; its *members* are numbered from 0. The coarsened entry on
//! a grid of `G` along the axis stores what the entry stores on `G * factor`, bit for bit, if the program is defined: blocks synchronise by
//! atomics and strong accesses only, which are refused but for a last update of which nothing is read, so whatever order the accesses of different blocks
//! had, another one is as good.
//!
//! ```text
//! entry ──► Classes (does it depend on the member, and how?) ──► check (is there a rule for each operation?) ──► Lifter: a new body
//! ```
//!
//! What is the same for all members is computed once. What depends on the member becomes a tile with one dimension more, the first,
//! along which the members lie; in what is computed only to be stored, the one along which they lie in memory. Tiles of a view that lie side by side are one
//! wider tile.
//!
//! This is no pass of a [`Pipeline`](crate::Pipeline): those keep the meaning of a launch, and this changes the grid that the launch needs.

mod access;
mod check;
mod classes;
mod control;
mod lift;
mod shape;
mod stored;

use crate::facts::IntegerFacts;
use classes::Classes;
use std::fmt;
use tilewright_ir::{Module, Op, OpRef, Opcode};

/// How an entry is coarsened.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Coarsening {
    /// The axis of the grid along which blocks are put together, below 3.
    pub axis: usize,
    /// How many blocks become one: a power of two, 2 at least.
    pub factor: u32,
}

/// Why an entry cannot be coarsened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The operation that has no rule, in the body of the function; none where the reason is not one operation.
    pub op: Option<(Op, Opcode)>,
    /// What about it has no rule.
    pub reason: String,
}

impl Refusal {
    fn general(reason: &str) -> Refusal {
        Refusal { op: None, reason: reason.to_owned() }
    }

    fn at(op: OpRef<'_>, reason: String) -> Refusal {
        Refusal { op: Some((op.id(), op.opcode())), reason }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.op {
            Some((_, opcode)) => write!(f, "{opcode}: {}", self.reason),
            None => f.write_str(&self.reason),
        }
    }
}

impl std::error::Error for Refusal {}

/// Scans that have at least so many elements at each place along their dimension combine these places one after the other, others in doubling
/// distances. Sums of floats show which, so a scan stays on its side when blocks are put together.
pub const LONG_SLICE: usize = 64;

/// The largest factor: members are counted by `i32`, and wider blocks would not fit any cache.
const MAX_FACTOR: u32 = 1 << 16;

/// Coarsens the first function of a module, which must be valid and an entry. The module is not changed where this is refused.
///
/// Operations of the new body have the locations of those that they are made of. They are not simplified, and not all of them are needed:
/// `canonicalize,cse,dce(loads=0)` leaves what is. The version of the module is raised where the result needs a newer one.
///
/// # Errors
/// When an operation has no rule.
pub fn coarsen(module: &mut Module, coarsening: Coarsening) -> Result<(), Refusal> {
    let Coarsening { axis, factor } = coarsening;
    if axis >= 3 || !factor.is_power_of_two() || !(2..=MAX_FACTOR).contains(&factor) {
        return Err(Refusal::general(&format!(
            "axis {axis} and factor {factor}: expected an axis below 3 and a power of two from 2 to {MAX_FACTOR}"
        )));
    }
    let Some(function) = module.functions.first().filter(|function| function.is_entry) else {
        return Err(Refusal::general("the first function of the module is no entry"));
    };
    let facts = IntegerFacts::new(&module.tables, &function.body);
    let classes = Classes::new(&module.tables, &function.body, &facts, coarsening);
    check::check(&module.tables, &function.body, &facts, &classes)?;
    let lifted = lift::lift(&mut module.tables, &function.body, &facts, &classes)?;
    module.functions[0].body = lifted.body;
    module.version = module.version.max(lifted.version);
    Ok(())
}
