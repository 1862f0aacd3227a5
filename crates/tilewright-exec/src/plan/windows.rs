//! Loads of tiles that overlap, as those of a stencil: one load of all that they have together, of which each tile is a window.
//!
//! Where that lies whole in memory, its windows are read there, as single tiles would be, but it is found and checked once. Where it hangs over an edge it
//! is copied and padded once, in place of each tile that does. It has elements that none of the tiles has, as the corners behind a cross: if it cannot be
//! loaded, perhaps because of these, the loads behind it load each tile alone.

use super::{
    AccessFunction, Draft, Inst, Placement, Readers, VReg, ViewAccess,
    access::{MAX_DIMS, Shift},
    fixed_views,
    in_place::copies_bytes,
    inst::{LoadWindows, Window},
    tile::{Base, Tile},
};
use crate::{elem::Elem, hash::HashSet};
use smallvec::SmallVec;

/// How far behind the first load others are looked for, in instructions.
const FARTHEST: usize = 64;
/// How many loads from the same tensor may lie elsewhere before no more are looked at: finding out takes about a microsecond.
const MOST_ELSEWHERE: usize = 8;

/// Joins loads whose tiles overlap, in front of the first of them.
pub(super) fn join(draft: &mut Draft) {
    let mut at = 0;
    while at < draft.code.len() {
        if let Some(group) = Overlapping::from(&draft.code, at) {
            let dst = VReg(draft.registers.len() as u32);
            let load = group.load(&draft.code, dst);
            draft.registers.push(load.view.tile.iter().product::<usize>() * load.view.size);
            let site = draft.code[at].1;
            // The others are moved to the first one.
            for (number, (position, _)) in group.members.iter().enumerate() {
                let member = draft.code.remove(*position);
                draft.code.insert(at + number, member);
            }
            draft.code.insert(at, (Inst::LoadWindows(Box::new(load)), site));
            at += group.members.len();
        }
        at += 1;
    }
}

/// Loads whose tiles are windows of a larger one.
struct Overlapping {
    /// Where each stands, and how far its tile is from that of the first.
    members: Vec<(usize, Shift)>,
    least: Shift,
    most: Shift,
}

impl Overlapping {
    /// The loads that are joined with the one at a place, if there are some.
    fn from(code: &[(Inst, u32)], first: usize) -> Option<Overlapping> {
        let (view, function, _) = candidate(&code[first].0)?;
        let mut group = Overlapping { members: vec![(first, [0; MAX_DIMS])], least: [0; MAX_DIMS], most: [0; MAX_DIMS] };
        let (mut written, mut elsewhere) = (HashSet::default(), 0);
        for (at, (inst, _)) in code.iter().enumerate().skip(first + 1).take(FARTHEST) {
            if !inst.effects().leave_memory() || elsewhere > MOST_ELSEWHERE {
                break;
            }
            if let Some((other, others, _)) = candidate(inst)
                && is_alike(view, other)
                && !reads_any(inst, &written)
            {
                match function.shift_to(others) {
                    Some(shift) => group.add(at, shift, &function.extents),
                    None => elsewhere += 1,
                }
            }
            inst.for_each_write(|reg| {
                written.insert(reg);
            });
        }
        (group.members.len() > 1).then_some(group)
    }

    /// Adds a load, unless the larger tile would grow by most of a tile for it.
    fn add(&mut self, at: usize, shift: Shift, extents: &[usize]) {
        let (least, most) =
            (std::array::from_fn(|dim| self.least[dim].min(shift[dim])), std::array::from_fn(|dim| self.most[dim].max(shift[dim])));
        let tile: usize = extents.iter().product();
        let is_worth_it = |elements: usize| elements - elements_of(extents, &self.least, &self.most).unwrap_or(elements) <= tile / 4 * 3;
        if elements_of(extents, &least, &most).is_some_and(is_worth_it) {
            self.members.push((at, shift));
            (self.least, self.most) = (least, most);
        }
    }

    /// The load of the larger tile to a register.
    fn load(&self, code: &[(Inst, u32)], dst: VReg) -> LoadWindows {
        let Some((view, function, _)) = candidate(&code[self.members[0].0].0) else { unreachable!("a group begins with a load") };
        let extents = extents_of(&function.extents, &self.least, &self.most).collect::<Option<SmallVec<[usize; MAX_DIMS]>>>();
        let Some(extents) = extents else { unreachable!("larger tiles have extents") };
        let mut tile = view.tile.clone();
        tile.iter_mut().filter(|extent| **extent > 1).zip(&extents).for_each(|(to, extent)| *to = *extent);
        let places = Placement::Computed(Box::new(function.shifted(&self.least, &extents)));
        let windows = self.members.iter().map(|(at, shift)| {
            let Some((_, _, dst)) = candidate(&code[*at].0) else { unreachable!("members of a group are loads") };
            Window { dst, first: (0..extents.len()).map(|dim| (shift[dim] - self.least[dim]) as usize).collect() }
        });
        let windows = windows.collect();
        let in_order = self.members.iter().any(|(at, _)| matches!(code[*at].0, Inst::Load { readers: Readers::InOrder, .. }));
        let readers = if in_order { Readers::InOrder } else { Readers::Strided };
        let view = ViewAccess { tile, places, ..view.clone() };
        let tile = Tile::contiguous(Elem::Num(view.element), Base::Reg(dst), &view.tile);
        LoadWindows { view, dst, tile, readers, extents: function.extents.iter().copied().collect(), windows }
    }
}

/// The extents of a tile that has all those in it that are shifted from the least to the most; `None` where one is too large a number.
fn extents_of(extents: &[usize], least: &Shift, most: &Shift) -> impl Iterator<Item = Option<usize>> {
    extents.iter().enumerate().map(|(dim, extent)| extent.checked_add(usize::try_from(most[dim].checked_sub(least[dim])?).ok()?))
}

fn elements_of(extents: &[usize], least: &Shift, most: &Shift) -> Option<usize> {
    extents_of(extents, least, most).try_fold(1usize, |elements, extent| elements.checked_mul(extent?))
}

/// A load that may be one of several: its tile can be read wherever it lies, by instructions that follow before memory may change.
fn candidate(inst: &Inst) -> Option<(&ViewAccess, &AccessFunction, VReg)> {
    let Inst::Load { view, dst, readers, .. } = inst else { return None };
    let Placement::Computed(function) = &view.places else { return None };
    // A window of a row lies in order, too.
    let is_read_anywhere = *readers == Readers::Strided || *readers == Readers::InOrder && function.extents.len() == 1;
    let is_placed = !function.extents.is_empty() && function.leaves.iter().all(|leaf| leaf.along.is_none()) && fixed_views::is_fixed(view);
    (is_read_anywhere && is_placed && copies_bytes(view)).then_some((view, function, *dst))
}

/// Whether two loads are from one tensor, and differ in where.
fn is_alike(one: &ViewAccess, other: &ViewAccess) -> bool {
    (one.element, one.size, one.padding, one.order) == (other.element, other.size, other.padding, other.order)
        && one.base == other.base
        && one.tile == other.tile
}

fn reads_any(inst: &Inst, registers: &HashSet<VReg>) -> bool {
    let mut reads = false;
    inst.for_each_read(|tile| reads |= matches!(tile.base, Base::Reg(reg) if registers.contains(&reg)));
    reads
}
