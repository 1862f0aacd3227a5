//! What blocks that wait go by: the registers on which it depends where they go, and what they do to memory.
//!
//! A block that waits in a loop may count its rounds. The counter never comes again, but as long as the block stays in the loop nothing depends on
//! it. So of the registers only those count that the instructions read which the block may reach: branches, accesses to memory, and
//! whatever computes something for these.

use super::progress::Waiting;
use crate::{
    plan::{Base, Inst, Plan, Tile},
    vm::{Block, Launch},
};
use foldhash::fast::FixedState;
use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{BuildHasher, Hasher},
    rc::Rc,
};

/// The first and the last instruction of a part of a plan.
type Part = (usize, usize);

/// What blocks went by when their state was kept.
pub(super) struct Kept {
    /// By number of a block: where it had been since the state before that was kept, and the tiles that count there.
    blocks: BTreeMap<u64, (Part, Rc<[Tile]>)>,
    /// The tiles that count in a part of the plan.
    tiles: BTreeMap<Part, Rc<[Tile]>>,
}

impl Kept {
    pub(super) fn new() -> Kept {
        Kept { blocks: BTreeMap::new(), tiles: BTreeMap::new() }
    }
}

/// The blocks that wait.
pub(super) struct State<'s> {
    pub(super) launch: &'s Launch<'s>,
    pub(super) blocks: &'s mut BTreeMap<u64, Box<Block>>,
    pub(super) kept: &'s mut Kept,
}

impl Waiting for State<'_> {
    fn keep(&mut self) {
        let plan = self.launch.plan;
        self.kept.blocks.clear();
        for (index, block) in self.blocks.iter_mut() {
            let part = around(plan, block.take_visited());
            let tiles = self.kept.tiles.entry(part).or_insert_with(|| counting(plan, part).into());
            self.kept.blocks.insert(*index, (part, Rc::clone(tiles)));
        }
    }

    fn registers(&self) -> Option<u64> {
        let mut hasher = FixedState::default().build_hasher();
        for (index, block) in self.blocks.iter() {
            let ((first, last), tiles) = self.kept.blocks.get(index)?;
            let stays = block.visited().is_none_or(|(from, to)| *first <= from && to <= *last);
            if !stays {
                return None;
            }
            block.hash_state(tiles, &mut hasher);
        }
        Some(hasher.finish())
    }

    fn memory(&self) -> u64 {
        let mut hasher = FixedState::default().build_hasher();
        self.launch.memory.hash_bytes(&mut hasher);
        self.launch.shared_locals.hash_bytes(&mut hasher);
        hasher.finish()
    }
}

/// The part of a plan that a block may have reached which was seen at these instructions and between them: what it carries out from one
/// operation to the next lies behind the former, or in front of the latter.
fn around(plan: &Plan, visited: Option<Part>) -> Part {
    let last = plan.code.len().saturating_sub(1);
    let Some((first, to)) = visited else { return (0, last) };
    let is_shown = |at: &usize| matches!(plan.code[*at], Inst::Watch(_));
    ((0..first).rev().find(is_shown).unwrap_or(0), (to + 1..=last).find(is_shown).unwrap_or(last))
}

/// The tiles in registers that are read, in a part of a plan, by what branches, accesses memory or reports something, and by what computes
/// such a tile.
fn counting(plan: &Plan, (first, last): Part) -> Vec<Tile> {
    let code = &plan.code[first..=last];
    let mut registers = BTreeSet::new();
    let mut counts: Vec<bool> = code.iter().map(|inst| !matches!(inst, Inst::Watch(_)) && !inst.effects().are_none()).collect();
    loop {
        let before = registers.len();
        for (inst, counts) in code.iter().zip(&mut counts) {
            inst.for_each_write(|register| *counts |= registers.contains(&register.index()));
            if *counts && !matches!(inst, Inst::Watch(_)) {
                inst.for_each_read(|tile| {
                    if let Base::Reg(register) = tile.base {
                        registers.insert(register.index());
                    }
                });
            }
        }
        if registers.len() == before {
            break;
        }
    }
    let mut tiles = Vec::new();
    for (inst, _) in code.iter().zip(counts).filter(|(_, counts)| *counts) {
        inst.for_each_read(|tile| {
            if matches!(tile.base, Base::Reg(_)) && !tiles.contains(tile) {
                tiles.push(tile.clone());
            }
        });
    }
    tiles
}
