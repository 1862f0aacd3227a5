//! Access functions: where the lanes of a tile of pointers lie, as a function of their indices.
//!
//! Programs compute the addresses of gathers and scatters lane by lane, but mostly as sums of multiples of the lane's indices and of
//! numbers that are the same for all lanes, and mask lanes by comparing such sums. Then the lanes that are accessed are a strided box, as
//! those of a view are, and neither addresses nor masks need be computed. Sums are those of integers of a width, which wrap; where one
//! that must not does, the lanes are computed one by one.

use super::Tile;
use crate::elem::Elem;
use smallvec::SmallVec;
use tilewright_ir::{ComparisonPredicate, RoundingMode, Scalar};
use tilewright_numeric::int;
use tilewright_passes::elementwise::{ElemOp, evaluate, predicate};

mod resolve;
mod shift;
mod split;

pub(crate) use resolve::{LaneDigits, Resolved};
pub(crate) use shift::Shift;
pub(crate) use split::Split;

/// Lanes whose index is divided by less have another quotient every few lanes: they are faster one by one.
const SMALLEST_DIVISOR: i64 = 16;

/// Of how many limits all ways to reach them or not are told apart.
pub(super) const MAX_CHOICES: usize = 4;

/// Dimensions of more than one element that a tile may have.
pub(crate) const MAX_DIMS: usize = 4;

/// Where the lanes of a tile lie, and which of them are accessed. Dimensions are those of more than one element.
#[derive(Clone, Debug)]
pub(crate) struct AccessFunction<L = Leaf> {
    /// Extents of the tile.
    pub(crate) extents: SmallVec<[usize; MAX_DIMS]>,
    /// Each reads only those before it.
    pub(crate) nodes: Vec<Node>,
    pub(crate) leaves: Vec<L>,
    /// How many elements a lane lies behind the base: a node, read as a signed number.
    pub(crate) offset: usize,
    /// A lane is accessed if all hold.
    pub(crate) conditions: Vec<Condition>,
}

/// An integer that each lane has, of so many bits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Node {
    pub(crate) bits: u32,
    pub(crate) index: Index,
}

/// How a node's value comes about; operands are nodes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Index {
    Constant(i64),
    /// The lane's index along a dimension, several times; the sum of these.
    Lane(SmallVec<[(usize, i64); 2]>),
    Leaf(usize),
    Add(usize, usize),
    Sub(usize, usize),
    Mul(usize, usize),
    /// The smaller or the larger of two signed numbers, neither of which differs from leaf to leaf along a dimension.
    Extreme {
        larger: bool,
        of: [usize; 2],
    },
    /// What is left of a number, or how often another one goes into it.
    Divide {
        of: usize,
        by: usize,
        part: DivisionPart,
    },
    /// The value in more or fewer bits.
    Resize {
        of: usize,
        signed: bool,
    },
}

/// A part of a division. Of numbers that are not negative, roundings and signs make no difference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DivisionPart {
    Quotient {
        signed: bool,
        rounding: RoundingMode,
    },
    Remainder {
        signed: bool,
    },
    /// The remainder with the sign of the divisor, of signed numbers.
    FloorRemainder,
}

/// A number that a block has computed.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    pub(crate) tile: Tile,
    /// The dimension along which there is one for each index; one for all lanes, if there is none.
    pub(crate) along: Option<usize>,
    /// Whether it is a coordinate of the block.
    pub(crate) is_block_id: bool,
}

/// A comparison of two nodes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Condition {
    pub(crate) predicate: ComparisonPredicate,
    pub(crate) signed: bool,
    pub(crate) lhs: usize,
    pub(crate) rhs: usize,
}

/// A sum of a constant, multiples of leaves that are not known, and multiples of the lane's indices. Leaves behind those of the function are
/// quotients of [`Resolved`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Affine {
    pub(crate) constant: i64,
    pub(crate) leaves: SmallVec<[(usize, i64); 2]>,
    pub(crate) steps: [i64; MAX_DIMS],
}

/// A sum that lies between two numbers, both included. The least and the greatest number of all are no bounds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Between {
    pub(crate) value: Affine,
    pub(crate) least: i64,
    pub(crate) most: i64,
}

/// Whether lanes of a tile that have one more index along the dimension before this one lie where the row of this one would go on.
pub(super) fn follows(steps: &[i64; MAX_DIMS], extents: &[usize], dim: usize) -> bool {
    i64::try_from(extents[dim]).ok().and_then(|extent| steps[dim].checked_mul(extent)) == Some(steps[dim - 1])
}

/// Whether no two elements of a box share a place, which has so many along each dimension, so far apart: each goes further than all that are finer.
pub(crate) fn are_apart(dims: impl Iterator<Item = (usize, i64)>) -> bool {
    let mut proper: SmallVec<[(usize, i64); MAX_DIMS]> = dims.filter(|(count, _)| *count > 1).collect();
    proper.sort_unstable_by_key(|(_, stride)| *stride);
    let mut reach = 0i64;
    proper.iter().all(|&(count, stride)| {
        let is_apart = stride > reach;
        reach = reach.saturating_add(stride.saturating_mul(count as i64 - 1));
        is_apart
    })
}

/// The signed number that the low bits of another are.
pub(crate) fn wrap(value: i64, bits: u32) -> i64 {
    value << (64 - bits) >> (64 - bits)
}

impl Affine {
    fn constant(constant: i64) -> Affine {
        Affine { constant, ..Affine::default() }
    }

    /// A leaf, once.
    fn leaf(leaf: usize) -> Affine {
        Affine { leaves: SmallVec::from_slice(&[(leaf, 1)]), ..Affine::default() }
    }

    /// How often it has a leaf.
    fn times_of(&self, leaf: usize) -> i64 {
        self.leaves.iter().find(|(own, _)| *own == leaf).map_or(0, |(_, times)| *times)
    }

    fn is_constant(&self) -> bool {
        self.leaves.is_empty() && self.steps == [0; MAX_DIMS]
    }

    /// `self + factor * other`, unless a number becomes too large.
    fn plus(mut self, other: &Affine, factor: i64) -> Option<Affine> {
        let add = |to: &mut i64, number: i64| {
            *to = to.checked_add(number.checked_mul(factor)?)?;
            // The least number of all has no negative.
            (*to != i64::MIN).then_some(())
        };
        add(&mut self.constant, other.constant)?;
        self.steps.iter_mut().zip(other.steps).try_for_each(|(to, step)| add(to, step))?;
        for (leaf, times) in &other.leaves {
            match self.leaves.iter_mut().find(|(own, _)| own == leaf) {
                Some((_, own)) => add(own, *times)?,
                None => self.leaves.push((*leaf, times.checked_mul(factor)?)),
            }
        }
        self.leaves.retain(|(_, times)| *times != 0);
        Some(self)
    }

    /// How often a number above zero goes into what surely is a multiple of it, and the rest, to which these dimensions belong in any case.
    fn divided(&self, by: i64, in_rest: [bool; MAX_DIMS]) -> (Affine, Affine) {
        let (mut whole, mut rest) = (Affine::constant(self.constant.div_euclid(by)), Affine::constant(self.constant.rem_euclid(by)));
        for (dim, step) in self.steps.iter().enumerate() {
            let is_multiple = step % by == 0 && !in_rest[dim];
            let to = if is_multiple { &mut whole } else { &mut rest };
            to.steps[dim] = if is_multiple { step / by } else { *step };
        }
        for (leaf, times) in &self.leaves {
            if times % by == 0 { whole.leaves.push((*leaf, times / by)) } else { rest.leaves.push((*leaf, *times)) }
        }
        (whole, rest)
    }

    /// The dimensions along which a lane of this tile follows the last one of a further dimension, whose number it is not a multiple of: in one row.
    fn in_row_with_rest(&self, by: i64, extents: &[usize]) -> [bool; MAX_DIMS] {
        let mut in_rest = [false; MAX_DIMS];
        for dim in (1..extents.len()).rev() {
            let is_rest = in_rest[dim] || self.steps[dim] % by != 0;
            in_rest[dim - 1] = is_rest && follows(&self.steps, extents, dim);
        }
        in_rest
    }

    /// The product, if one of the factors is known.
    fn times(&self, other: &Affine) -> Option<Affine> {
        let (sum, factor) = if other.is_constant() { (self, other) } else { (other, self) };
        if factor.is_constant() { Affine::default().plus(sum, factor.constant) } else { None }
    }

    /// What constant and leaves add up to, where these have the given values; `None` if it is too large a number.
    pub(crate) fn with(&self, leaves: &[i64]) -> Option<i64> {
        self.leaves.iter().try_fold(self.constant, |sum, (leaf, times)| sum.checked_add(leaves[*leaf].checked_mul(*times)?))
    }

    /// The least and the greatest that the lanes add to the rest, if their indices lie in these ranges, which are not empty.
    pub(crate) fn reach(&self, lanes: &[(usize, usize)]) -> Option<(i64, i64)> {
        let mut reach = (0i64, 0i64);
        for (step, &(first, end)) in self.steps.iter().zip(lanes) {
            let (first, last) = (step.checked_mul(first as i64)?, step.checked_mul(end as i64 - 1)?);
            reach = (reach.0.checked_add(first.min(last))?, reach.1.checked_add(first.max(last))?);
        }
        Some(reach)
    }
}

impl Between {
    /// Whether it holds of all lanes, of some or of none, where constant and leaves add up to a number; the lanes' indices lie in these ranges.
    pub(crate) fn holds(&self, constant: i64, lanes: &[(usize, usize)]) -> Holds {
        let reach = self.value.reach(lanes).and_then(|(low, high)| Some((constant.checked_add(low)?, constant.checked_add(high)?)));
        match reach {
            Some((low, high)) if low >= self.least && high <= self.most => Holds::Always,
            Some((low, high)) if low > self.most || high < self.least => Holds::Never,
            _ => Holds::Sometimes,
        }
    }

    /// The dimension that it alone depends on, if its lanes have several indices along one such dimension.
    pub(crate) fn only_dim(&self, lanes: &[(usize, usize)]) -> Option<usize> {
        let mut dims = (0..lanes.len()).filter(|dim| self.value.steps[*dim] != 0 && lanes[*dim].1 - lanes[*dim].0 > 1);
        let dim = dims.next();
        if dims.next().is_some() { None } else { dim }
    }

    /// The range of indices along the dimension that it alone depends on for which it holds, out of those of the lanes, where constant and
    /// leaves add up to a number.
    pub(crate) fn restrict(&self, mut constant: i64, dim: usize, lanes: &[(usize, usize)]) -> Option<(usize, usize)> {
        for (other, (first, _)) in lanes.iter().enumerate().filter(|(other, _)| *other != dim) {
            constant = constant.checked_add(self.value.steps[other].checked_mul(*first as i64)?)?;
        }
        Some(self.restrict_alone(constant, dim, lanes[dim]))
    }

    /// The same, of lanes along a dimension on which it need not depend; none, from the first of them on, if there are none.
    #[inline]
    pub(crate) fn restrict_lanes(&self, constant: i64, dim: usize, lanes: (usize, usize)) -> (usize, usize) {
        match self.value.steps[dim] {
            0 if self.least <= constant && constant <= self.most => lanes,
            0 => (lanes.0, lanes.0),
            _ => self.restrict_alone(constant, dim, lanes),
        }
    }

    /// The same, out of a range along that dimension, where the other ones add nothing.
    #[inline]
    pub(crate) fn restrict_alone(&self, constant: i64, dim: usize, (first, end): (usize, usize)) -> (usize, usize) {
        let (least, most, step) = (self.least.saturating_sub(constant), self.most.saturating_sub(constant), self.value.steps[dim]);
        // The indices from one up to another, both included. No step is the least number of all.
        let (from, to) = match step {
            1 => (least, most),
            -1 => (most.saturating_neg(), least.saturating_neg()),
            _ if step > 0 => (ceil_div(least, step), floor_div(most, step)),
            _ => (ceil_div(most.saturating_neg(), -step), floor_div(least.saturating_neg(), -step)),
        };
        let from = from.clamp(first as i64, end as i64);
        (from as usize, to.saturating_add(1).clamp(from, end as i64) as usize)
    }
}

/// For which lanes something holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Holds {
    Always,
    Sometimes,
    Never,
}

/// The quotient by a number above zero, rounded down.
fn floor_div(a: i64, by: i64) -> i64 {
    a.div_euclid(by)
}

/// The same, rounded up.
fn ceil_div(a: i64, by: i64) -> i64 {
    a.div_euclid(by) + i64::from(a.rem_euclid(by) != 0)
}

impl<L> AccessFunction<L> {
    /// Whether which sum it is may differ between lanes.
    pub(crate) fn has_choices(&self) -> bool {
        self.nodes.iter().any(|node| matches!(node.index, Index::Extreme { .. } | Index::Divide { .. }))
    }

    /// Whether lanes are those of a row, one behind the other, so that places and conditions depend on nothing but the lane's number in that row.
    pub(crate) fn is_row(&self, is_same_for_all: impl Fn(&L) -> bool) -> bool {
        // Of a node: multiples of the lane's indices, if it is a sum of these and of what all lanes share.
        let mut sums: SmallVec<[Option<[i64; MAX_DIMS]>; 24]> = SmallVec::new();
        let goes_on = |steps: &[i64; MAX_DIMS]| (1..self.extents.len()).all(|dim| follows(steps, &self.extents, dim));
        for node in &self.nodes {
            let of = |node: usize| sums[node];
            let both = |a: usize, b: usize, sign: i64| {
                Some((of(a)?, of(b)?)).map(|(a, b)| std::array::from_fn(|dim| a[dim].wrapping_add(sign.wrapping_mul(b[dim]))))
            };
            let sum = match &node.index {
                Index::Leaf(leaf) if !is_same_for_all(&self.leaves[*leaf]) => return false,
                Index::Constant(_) | Index::Leaf(_) => Some([0; MAX_DIMS]),
                Index::Lane(indices) => {
                    let mut steps = [0; MAX_DIMS];
                    indices.iter().for_each(|(dim, times)| steps[*dim] += times);
                    Some(steps)
                }
                Index::Add(a, b) => both(*a, *b, 1),
                Index::Sub(a, b) => both(*a, *b, -1),
                Index::Mul(a, b) => match (&self.nodes[*a].index, &self.nodes[*b].index) {
                    (Index::Constant(factor), _) => of(*b).map(|steps| steps.map(|step| step.wrapping_mul(*factor))),
                    (_, Index::Constant(factor)) => of(*a).map(|steps| steps.map(|step| step.wrapping_mul(*factor))),
                    _ => None,
                },
                Index::Extreme { .. } | Index::Divide { .. } => None,
                Index::Resize { of, .. } => sums[*of],
            };
            // What is computed otherwise of numbers of the row is one, too.
            let is_of_row = |operand: &usize| sums[*operand].is_none_or(|steps| goes_on(&steps));
            if sum.is_none() && !node.operands().iter().all(is_of_row) {
                return false;
            }
            sums.push(sum);
        }
        let sides = self.conditions.iter().flat_map(|condition| [condition.lhs, condition.rhs]);
        sides.chain([self.offset]).all(|node| sums[node].is_none_or(|steps| goes_on(&steps)))
    }

    /// Whether indices are divided.
    pub(crate) fn divides(&self) -> bool {
        self.nodes.iter().any(|node| matches!(node.index, Index::Divide { .. }))
    }

    /// The ranges of all indices along each dimension.
    pub(crate) fn all_lanes(&self) -> SmallVec<[(usize, usize); MAX_DIMS]> {
        self.extents.iter().map(|extent| (0, *extent)).collect()
    }
}

impl AccessFunction {
    /// Whether leaves of a kind, and indices, are multiplied with others only, so that sums of them are all there is.
    pub(crate) fn is_affine_in(&self, unknown: impl Fn(&Leaf) -> bool) -> bool {
        // By node: whether it has leaves of that kind, and whether it has indices.
        let mut has: SmallVec<[(bool, bool); 24]> = SmallVec::new();
        for node in &self.nodes {
            let both = |a: usize, b: usize| (has[a].0 || has[b].0, has[a].1 || has[b].1);
            has.push(match node.index {
                Index::Constant(_) => (false, false),
                Index::Lane(_) => (false, true),
                Index::Leaf(leaf) => (unknown(&self.leaves[leaf]) || self.leaves[leaf].along.is_some(), false),
                Index::Add(a, b) | Index::Sub(a, b) | Index::Extreme { of: [a, b], .. } => both(a, b),
                Index::Divide { of, by, .. } => {
                    if has[by] != (false, false) {
                        return false;
                    }
                    has[of]
                }
                Index::Mul(a, b) => {
                    if has[a] != (false, false) && has[b] != (false, false) {
                        return false;
                    }
                    both(a, b)
                }
                Index::Resize { of, .. } => has[of],
            });
        }
        true
    }

    /// How many elements a lane lies behind the base, as the program computes it; `None` if it is not accessed. `leaf` gives the values of
    /// leaves, and `values` is room for those of nodes.
    pub(crate) fn lane(&self, indices: &[usize], leaf: impl Fn(&Leaf) -> i64, values: &mut Vec<i64>) -> Option<i64> {
        values.clear();
        for node in &self.nodes {
            let value = match &node.index {
                Index::Constant(value) => *value,
                Index::Leaf(number) => leaf(&self.leaves[*number]),
                Index::Lane(dims) => dims.iter().fold(0, |sum, (dim, times)| times.wrapping_mul(indices[*dim] as i64).wrapping_add(sum)),
                Index::Add(a, b) => values[*a].wrapping_add(values[*b]),
                Index::Sub(a, b) => values[*a].wrapping_sub(values[*b]),
                Index::Mul(a, b) => values[*a].wrapping_mul(values[*b]),
                Index::Extreme { larger: true, of: [a, b] } => values[*a].max(values[*b]),
                Index::Extreme { larger: false, of: [a, b] } => values[*a].min(values[*b]),
                Index::Divide { of, by, part } => part.of(values[*of], values[*by], node.bits),
                Index::Resize { of, signed: true } => values[*of],
                Index::Resize { of, signed: false } => unsigned(values[*of], self.nodes[*of].bits).cast_signed(),
            };
            values.push(wrap(value, node.bits));
        }
        let is_accessed = self.conditions.iter().all(|condition| {
            let bits = self.nodes[condition.lhs].bits;
            let [lhs, rhs] = [condition.lhs, condition.rhs].map(|side| unsigned(values[side], bits));
            int::compare(predicate(condition.predicate), lhs, rhs, bits, condition.signed)
        });
        is_accessed.then(|| values[self.offset])
    }
}

impl DivisionPart {
    /// It, of numbers of so many bits, as the operations of the program define it.
    fn of(self, a: i64, b: i64, bits: u32) -> i64 {
        let elem = Elem::Num(match bits {
            8 => Scalar::I8,
            16 => Scalar::I16,
            32 => Scalar::I32,
            _ => Scalar::I64,
        });
        let apply = |op| wrap(evaluate(op, &[elem; 3], elem, [unsigned(a, bits), unsigned(b, bits), 0]).cast_signed(), bits);
        match self {
            DivisionPart::Quotient { signed, rounding } => apply(ElemOp::DivI(signed, rounding)),
            DivisionPart::Remainder { signed } => apply(ElemOp::RemI(signed)),
            DivisionPart::FloorRemainder => {
                let rest = apply(ElemOp::RemI(true));
                if rest != 0 && (rest < 0) != (b < 0) { wrap(rest.wrapping_add(b), bits) } else { rest }
            }
        }
    }
}

/// The unsigned number that the low bits of another are.
fn unsigned(value: i64, bits: u32) -> u64 {
    value.cast_unsigned() << (64 - bits) >> (64 - bits)
}

impl Leaf {
    /// The signed number that bits of its type are.
    pub(crate) fn number(&self, bits: u64) -> i64 {
        wrap(bits.cast_signed(), 8 * self.tile.elem.size() as u32)
    }
}

impl Node {
    /// The nodes of which it is computed.
    pub(super) fn operands(&self) -> SmallVec<[usize; 2]> {
        match self.index {
            Index::Constant(_) | Index::Lane(_) | Index::Leaf(_) => SmallVec::new(),
            Index::Add(a, b)
            | Index::Sub(a, b)
            | Index::Mul(a, b)
            | Index::Extreme { of: [a, b], .. }
            | Index::Divide { of: a, by: b, .. } => SmallVec::from_slice(&[a, b]),
            Index::Resize { of, .. } => SmallVec::from_slice(&[of]),
        }
    }

    /// Whether it is computed in a way that may need more bits than it has.
    fn may_wrap(&self) -> bool {
        matches!(self.index, Index::Add(..) | Index::Sub(..) | Index::Mul(..) | Index::Lane(_))
    }
}

#[cfg(test)]
mod tests;
