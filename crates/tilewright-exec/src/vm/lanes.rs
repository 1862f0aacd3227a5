//! Boxes of accesses whose places are functions of the lanes' indices (`plan/access.rs`).

use super::{
    frame::Frame,
    tiling::{Axis, MAX_AXES, are_apart},
    view::{Axes, Boxes, Region, reserve},
};
use crate::{
    LaunchErrorKind,
    budget::{Budget, Reservation},
    interrupt::Looks,
    plan::{AccessFunction, Between, Holds, Leaf, Resolved},
};
use smallvec::SmallVec;
use std::sync::Arc;

/// Work on a box and on a lane, in elements.
const BOX_WORK: usize = 16;

/// Indices along each dimension: from one up to another. Dimensions that a tile does not have, have one index.
type Ranges = [(usize, usize); MAX_AXES];

/// An access whose places are functions of its lanes' indices.
pub(super) struct Lanes<'a> {
    pub(super) function: &'a AccessFunction,
    /// Bytes of an element.
    pub(super) size: usize,
    /// Whether memory is written, where two lanes may not change their order.
    pub(super) written: bool,
    pub(super) regs: &'a Frame,
    /// The function with what is known of the launch, if that leaves nothing but sums.
    pub(super) resolved: Option<&'a Resolved>,
    /// Its forms, if it has several and that much is known.
    pub(super) forms: &'a [Resolved],
}

impl Lanes<'_> {
    /// The boxes of the lanes that are accessed; `tile` has the extents of all dimensions of the tile, and their distances in the register.
    /// `None` if the launch is to end.
    ///
    /// # Errors
    /// When the launch has no memory for them.
    pub(super) fn boxes(
        &self,
        base: u64,
        (extents, pitches): (&[usize], &[usize]),
        budget: &Arc<Budget>,
    ) -> Result<Option<Boxes>, LaunchErrorKind> {
        let proper = extents.iter().zip(pitches).filter(|(extent, _)| **extent > 1);
        let mut pitches = SmallVec::<[usize; MAX_AXES]>::new();
        proper.for_each(|(_, pitch)| pitches.push(*pitch));
        let rows = self.function.leaves.iter().find_map(|leaf| leaf.along).map_or(1, |dim| self.function.extents[dim]);
        let made;
        let resolved = match self.resolved {
            Some(resolved) => Some(resolved),
            None => {
                made = self.function.resolve(|leaf| scalar(&self.function.leaves[leaf], self.regs));
                made.as_ref()
            }
        };
        let boxes = |in_parts| match resolved {
            Some(resolved) => {
                let parts = LaneBoxes { lanes: self, resolved, pitches: &pitches, in_parts, ranges: self.all_lanes() };
                listed(|list, looks| parts.add_all(list, looks))
            }
            None => Err(NoBoxes::Irregular),
        };
        let mut reservation = reserve(rows, budget)?;
        let mut found = boxes(false);
        if let Err(NoBoxes::Parts) = found {
            reservation = reserve(self.function.extents.iter().rev().skip(1).product(), budget)?;
            found = boxes(true);
        }
        // Boxes that are cut along several dimensions are not in the order of their lanes, in which those are stored that may share a place.
        let may_be_cut = !self.written || self.function.extents.len() == 1;
        if matches!(found, Err(NoBoxes::Irregular)) && self.function.has_choices() && may_be_cut {
            reservation = reserve(self.function.extents.iter().product(), budget)?;
            let made;
            let forms = match self.forms {
                [] => {
                    made = self.function.forms(|leaf| scalar(&self.function.leaves[leaf], self.regs));
                    &made[..]
                }
                known => known,
            };
            found = listed(|list, looks| self.add_by_form(forms, self.all_lanes(), &pitches, list, looks));
        }
        Ok(match found {
            Ok(found) => Some(found.into_boxes(base, self.size, reservation)),
            Err(NoBoxes::Interrupted) => None,
            Err(NoBoxes::Parts | NoBoxes::Irregular) => {
                let reservation = reserve(self.function.extents.iter().product(), budget)?;
                self.one_by_one(&pitches).map(|found| found.into_boxes(base, self.size, reservation))
            }
        })
    }

    /// The ranges of all indices.
    fn all_lanes(&self) -> Ranges {
        let mut ranges = [(0, 1); MAX_AXES];
        ranges.iter_mut().zip(&self.function.extents).for_each(|(range, extent)| range.1 = *extent);
        ranges
    }

    /// Adds the boxes of lanes of which some may be moved by a limit and others not, each by the form that holds for it.
    fn add_by_form(
        &self,
        forms: &[Resolved],
        mut ranges: Ranges,
        pitches: &[usize],
        list: &mut List,
        looks: &mut Looks,
    ) -> Result<(), NoBoxes> {
        loop {
            if looks.end_after(BOX_WORK) {
                return Err(NoBoxes::Interrupted);
            }
            let mut changes = None;
            for resolved in forms {
                let boxes = LaneBoxes { lanes: self, resolved, pitches, in_parts: true, ranges };
                match boxes.needs_hold() {
                    Some(Needs::Hold) => return boxes.add_all(list, looks),
                    Some(Needs::ChangeAt(dim, index)) => changes = changes.or(Some((dim, index))),
                    None => {}
                }
            }
            let (dim, index) = changes.ok_or(NoBoxes::Irregular)?;
            let mut lower = ranges;
            (lower[dim].1, ranges[dim].0) = (index, index);
            // There may be many parts, so those behind the first one are not looked for inside of one another.
            self.add_by_form(forms, lower, pitches, list, looks)?;
        }
    }

    /// A box for each lane that is accessed, in order; `None` if the launch is to end.
    fn one_by_one(&self, pitches: &[usize]) -> Option<Signed> {
        let (function, mut list) = (self.function, List::new());
        let (mut values, mut looks) = (Vec::with_capacity(function.nodes.len()), Looks::new());
        let mut indices: SmallVec<[usize; MAX_AXES]> = SmallVec::from_elem(0, function.extents.len());
        loop {
            if looks.end_after(BOX_WORK) {
                return None;
            }
            let leaf = |leaf: &Leaf| leaf.number(self.regs.element(&leaf.tile, leaf.along.map_or(0, |dim| indices[dim])));
            if let Some(offset) = function.lane(&indices, leaf, &mut values) {
                let position = indices.iter().zip(pitches).map(|(index, pitch)| index * pitch).sum();
                list.push((offset, Region { axes: Axes::new(), offset: 0, position }));
            }
            let Some(dim) = (0..indices.len()).rev().find(|dim| indices[*dim] + 1 < function.extents[*dim]) else {
                return Some(Signed(list));
            };
            indices[dim] += 1;
            indices[dim + 1..].fill(0);
        }
    }
}

/// The value of a leaf that is the same for all lanes.
fn scalar(leaf: &Leaf, regs: &Frame) -> Option<i64> {
    if leaf.along.is_some() { None } else { Some(leaf.number(regs.scalar(&leaf.tile))) }
}

/// Boxes, each so many elements behind the base: mostly one.
type List = SmallVec<[(i64, Region); 1]>;

struct Signed(List);

impl Signed {
    /// The boxes with offsets from the lowest of them on.
    fn into_boxes(mut self, base: u64, size: usize, reservation: Option<Reservation>) -> Boxes {
        // Mostly.
        if let [(offset, _)] = self.0[..]
            && let Some((_, region)) = self.0.pop()
        {
            let address = base.wrapping_add_signed(offset.wrapping_mul(size as i64));
            return Boxes { base: address, list: SmallVec::from_buf([region]), reservation };
        }
        let lowest = self.0.iter().map(|(offset, _)| *offset).min().unwrap_or(0);
        let address = base.wrapping_add_signed(lowest.wrapping_mul(size as i64));
        let list = self.0.into_iter().map(|(offset, region)| Region { offset: u128::from(offset.abs_diff(lowest)), ..region });
        Boxes { base: address, list: list.collect(), reservation }
    }
}

/// A list to which boxes are added.
fn listed(add: impl FnOnce(&mut List, &mut Looks) -> Result<(), NoBoxes>) -> Result<Signed, NoBoxes> {
    let mut list = List::new();
    add(&mut list, &mut Looks::new()).map(|()| Signed(list))
}

/// Why an access has no list of boxes.
enum NoBoxes {
    /// Lanes are masked off otherwise than by a range of indices along each dimension: there are more boxes.
    Parts,
    /// Some sum wraps, or lanes go backwards, or may share places.
    Irregular,
    /// The launch is to end.
    Interrupted,
}

/// An access that is a sum of its leaves and of multiples of its lanes' indices.
struct LaneBoxes<'a> {
    lanes: &'a Lanes<'a>,
    resolved: &'a Resolved,
    pitches: &'a [usize],
    /// Whether boxes may be divided into those of single indices along outer dimensions.
    in_parts: bool,
    /// The lanes' indices.
    ranges: Ranges,
}

/// Whether what must hold of some lanes does so.
enum Needs {
    Hold,
    /// It changes along a dimension, from an index on.
    ChangeAt(usize, usize),
}

impl LaneBoxes<'_> {
    /// Whether what must hold of the lanes does; `None` if it does not, or if that is not as simple.
    fn needs_hold(&self) -> Option<Needs> {
        let (leaves, ranges) = (self.leaves(0, &self.ranges)?, &self.ranges);
        let mut found = Needs::Hold;
        for need in self.resolved.needs.iter().filter(|need| !self.differs(need)) {
            let constant = need.value.with(&leaves)?;
            match need.holds(constant, ranges) {
                Holds::Always => {}
                Holds::Never => return None,
                Holds::Sometimes => {
                    let (dim, index) = match need.only_dim(ranges) {
                        Some(dim) => {
                            let (first, end) = need.restrict(constant, dim, ranges)?;
                            (dim, if first > ranges[dim].0 { first } else { end })
                        }
                        // Of several dimensions, the outer ones are cut until one is left.
                        None => {
                            let dim = ranges.iter().position(|(first, end)| end - first > 1)?;
                            (dim, ranges[dim].0.midpoint(ranges[dim].1))
                        }
                    };
                    found = Needs::ChangeAt(dim, index);
                }
            }
        }
        Some(found)
    }

    /// Whether a sum has leaves that differ along a dimension.
    fn differs(&self, between: &Between) -> bool {
        between.value.leaves.iter().any(|(leaf, _)| self.lanes.function.leaves.get(*leaf).is_some_and(|leaf| leaf.along.is_some()))
    }

    /// Adds one box, or one for each index along the dimension along which leaves differ.
    fn add_all(&self, list: &mut List, looks: &mut Looks) -> Result<(), NoBoxes> {
        let Some(dim) = self.lanes.function.leaves.iter().find_map(|leaf| leaf.along) else { return self.add_row(None, list, looks) };
        for index in self.ranges[dim].0..self.ranges[dim].1 {
            self.add_row(Some((dim, index)), list, looks)?;
        }
        Ok(())
    }

    /// The values of the leaves, for one index along the dimension along which these differ, and of quotients, for the lane that the ranges begin
    /// with; `None` if a sum is too large a number.
    fn leaves(&self, index: usize, ranges: &Ranges) -> Option<SmallVec<[i64; 8]>> {
        let mut leaves = SmallVec::new();
        for leaf in &self.lanes.function.leaves {
            leaves.push(leaf.number(self.lanes.regs.element(&leaf.tile, leaf.along.map_or(0, |_| index))));
        }
        for quotient in &self.resolved.quotients {
            leaves.push(quotient.of_first(&leaves, ranges)?);
        }
        Some(leaves)
    }

    /// Adds the boxes of all lanes, or of those with one index along a dimension.
    fn add_row(&self, row: Option<(usize, usize)>, list: &mut List, looks: &mut Looks) -> Result<(), NoBoxes> {
        let mut ranges = self.ranges;
        if let Some((dim, index)) = row {
            ranges[dim] = (index, index + 1);
        }
        let leaves = self.leaves(row.map_or(0, |(_, index)| index), &ranges).ok_or(NoBoxes::Irregular)?;
        for need in &self.resolved.needs {
            if need.holds(need.value.with(&leaves).ok_or(NoBoxes::Irregular)?, &ranges) != Holds::Always {
                return Err(NoBoxes::Irregular);
            }
        }
        let offset = self.resolved.offset.with(&leaves).ok_or(NoBoxes::Irregular)?;
        self.add(offset, &leaves, ranges, list, looks)
    }

    /// Adds the boxes of those of some lanes for which the conditions hold with these leaves; `offset` is that of the places.
    fn add(&self, offset: i64, leaves: &[i64], mut ranges: Ranges, list: &mut List, looks: &mut Looks) -> Result<(), NoBoxes> {
        if looks.end_after(BOX_WORK) {
            return Err(NoBoxes::Interrupted);
        }
        let constant = |condition: &Between| condition.value.with(leaves).ok_or(NoBoxes::Irregular);
        // Whether there are conditions on several dimensions.
        let mut has_others = false;
        for condition in &self.resolved.conditions {
            let Some(dim) = condition.only_dim(&ranges) else {
                has_others = true;
                continue;
            };
            ranges[dim] = condition.restrict(constant(condition)?, dim, &ranges).ok_or(NoBoxes::Irregular)?;
            if ranges[dim].0 == ranges[dim].1 {
                return Ok(());
            }
        }
        let mut is_whole = true;
        // Those on one dimension hold now.
        for condition in self.resolved.conditions.iter().filter(|_| has_others) {
            match condition.holds(constant(condition)?, &ranges) {
                Holds::Always => {}
                Holds::Never => return Ok(()),
                Holds::Sometimes => is_whole = false,
            }
        }
        if is_whole {
            list.push(self.region(offset, &ranges).ok_or(NoBoxes::Irregular)?);
            return Ok(());
        }
        if !self.in_parts {
            return Err(NoBoxes::Parts);
        }
        let outer = ranges.iter().position(|(first, end)| end - first > 1).ok_or(NoBoxes::Irregular)?;
        for index in ranges[outer].0..ranges[outer].1 {
            let mut ranges = ranges;
            ranges[outer] = (index, index + 1);
            self.add(offset, leaves, ranges, list, looks)?;
        }
        Ok(())
    }

    /// The box of some lanes, all of which are accessed, and how many elements it lies behind the base; `None` if they go backwards, or might
    /// share places that they write.
    fn region(&self, offset: i64, ranges: &Ranges) -> Option<(i64, Region)> {
        let (mut first, mut position, mut axes) = (offset, 0, Axes::new());
        for ((&(from, end), step), pitch) in ranges.iter().zip(self.resolved.offset.steps).zip(self.pitches) {
            first = first.checked_add(step.checked_mul(from as i64)?)?;
            position += from * pitch;
            if end - from > 1 {
                axes.push(Axis { count: end - from, stride: u64::try_from(step).ok()?, pitch: *pitch });
            }
        }
        (!self.lanes.written || are_apart(&axes)).then_some((first, Region { axes, offset: 0, position }))
    }
}
