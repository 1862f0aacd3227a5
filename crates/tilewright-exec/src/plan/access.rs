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

pub(crate) use resolve::Resolved;

/// Lanes whose index is divided by less have another quotient every few lanes: they are faster one by one.
pub(super) const SMALLEST_DIVISOR: i64 = 32;

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
#[derive(Clone, Debug)]
pub(crate) struct Between {
    pub(crate) value: Affine,
    pub(crate) least: i64,
    pub(crate) most: i64,
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

    fn is_constant(&self) -> bool {
        self.leaves.is_empty() && self.steps == [0; MAX_DIMS]
    }

    /// `self + factor * other`, unless a number becomes too large.
    fn plus(mut self, other: &Affine, factor: i64) -> Option<Affine> {
        let add = |to: &mut i64, number: i64| {
            *to = to.checked_add(number.checked_mul(factor)?)?;
            Some(())
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

    /// How often a number above zero goes into what surely is a multiple of it, and the rest.
    fn divided(&self, by: i64) -> (Affine, Affine) {
        let (mut whole, mut rest) = (Affine::constant(self.constant.div_euclid(by)), Affine::constant(self.constant.rem_euclid(by)));
        for (dim, step) in self.steps.iter().enumerate() {
            let to = if step % by == 0 { &mut whole } else { &mut rest };
            to.steps[dim] = if step % by == 0 { step / by } else { *step };
        }
        for (leaf, times) in &self.leaves {
            if times % by == 0 { whole.leaves.push((*leaf, times / by)) } else { rest.leaves.push((*leaf, *times)) }
        }
        (whole, rest)
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

    /// The same, out of a range along that dimension, where the other ones add nothing.
    #[inline]
    pub(crate) fn restrict_alone(&self, constant: i64, dim: usize, (first, end): (usize, usize)) -> (usize, usize) {
        let (least, most, step) = (self.least.saturating_sub(constant), self.most.saturating_sub(constant), self.value.steps[dim]);
        // The indices from one up to another, both included.
        let (from, to) = match step {
            1 => (least, most),
            -1 => (most.saturating_neg(), least.saturating_neg()),
            _ => {
                let (low, high) = if step > 0 { (least, most) } else { (most, least) };
                let bound = |number: i128| number.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
                (bound(-floor_div(-i128::from(low), step.into())), bound(floor_div(high.into(), step.into())))
            }
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

/// The quotient, rounded down.
pub(crate) fn floor_div(a: i128, b: i128) -> i128 {
    let quotient = a / b;
    if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient }
}

impl<L> AccessFunction<L> {
    /// Whether which sum it is may differ between lanes.
    pub(crate) fn has_choices(&self) -> bool {
        self.nodes.iter().any(|node| matches!(node.index, Index::Extreme { .. } | Index::Divide { .. }))
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
    /// Whether it is computed in a way that may need more bits than it has.
    fn may_wrap(&self) -> bool {
        matches!(self.index, Index::Add(..) | Index::Sub(..) | Index::Mul(..) | Index::Lane(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        elem::Elem,
        plan::{Base, VReg},
    };
    use tilewright_ir::Scalar;

    /// `origin + step * i`, in 32 bits, below `end` as an unsigned number; `i` goes up to `extent`.
    fn row(step: i64, end: i64, extent: usize) -> AccessFunction {
        let nodes = vec![
            Node { bits: 32, index: Index::Lane(SmallVec::from_slice(&[(0, step)])) },
            Node { bits: 32, index: Index::Leaf(0) },
            Node { bits: 32, index: Index::Add(0, 1) },
            Node { bits: 32, index: Index::Constant(end) },
            Node { bits: 64, index: Index::Resize { of: 2, signed: true } },
        ];
        let tile = Tile::contiguous(Elem::Num(Scalar::I32), Base::Reg(VReg(0)), &[]);
        let leaves = vec![Leaf { tile, along: None, is_block_id: false }];
        let conditions = vec![Condition { predicate: ComparisonPredicate::LessThan, signed: false, lhs: 2, rhs: 3 }];
        AccessFunction { extents: SmallVec::from_slice(&[extent]), nodes, leaves, offset: 4, conditions }
    }

    /// The lanes that are accessed, by conditions and one by one.
    fn accessed(function: &AccessFunction, origin: i64) -> (Option<(usize, usize)>, Vec<usize>) {
        let all = function.all_lanes();
        let range = function.resolve(|_| Some(origin)).map(|resolved| {
            resolved.conditions.iter().fold(all[0], |range, condition| condition.restrict(condition.value.constant, 0, &[range]).unwrap())
        });
        let lane = |i: &usize| function.lane(&[*i], |_| origin, &mut Vec::new()).is_some();
        (range, (0..all[0].1).filter(lane).collect())
    }

    #[test]
    fn conditions_leave_the_lanes_for_which_they_hold() {
        for (step, end) in [(1, 20), (3, 20), (-1, 20), (-4, 20), (2, 0), (1, i64::from(i32::MAX))] {
            for origin in [-40, -7, -1, 0, 1, 5, 19, 20, 21, 70] {
                let (range, lanes) = accessed(&row(step, end, 16), origin);
                let (first, last) = range.unwrap();
                assert_eq!((first..last).collect::<Vec<_>>(), lanes, "{origin} + {step} i < {end}");
            }
        }
    }

    #[test]
    fn sums_that_wrap_are_not_resolved() {
        let (range, lanes) = accessed(&row(1, 20, 16), i64::from(i32::MAX) - 3);
        assert_eq!((range, lanes), (None, Vec::new()));
        // Behind the greatest number comes the least, which as an unsigned number is large; behind -1 comes 0.
        assert_eq!(accessed(&row(1 << 28, 20, 16), 0), (None, vec![0]));
    }

    #[test]
    fn what_is_known_of_one_sum_is_one_range() {
        let resolved = row(2, 20, 16).resolve(|_| None).unwrap();
        let ranges = |all: &[Between]| all.iter().map(|b| (b.value.constant, b.least, b.most)).collect::<Vec<_>>();
        assert_eq!(ranges(&resolved.conditions), [(0, 0, 19)]);
        assert_eq!(ranges(&resolved.needs), [(0, i64::from(i32::MIN), i64::from(i32::MAX))]);
        assert_eq!(resolved.offset, Affine { constant: 0, leaves: SmallVec::from_slice(&[(0, 1)]), steps: [2, 0, 0, 0] });
    }

    /// `max(origin + step * i, 2)`, at most 9.
    fn clamped(step: i64) -> AccessFunction {
        let mut function = row(step, 20, 16);
        function.nodes.extend([
            Node { bits: 32, index: Index::Constant(2) },
            Node { bits: 32, index: Index::Extreme { larger: true, of: [2, 5] } },
            Node { bits: 32, index: Index::Constant(9) },
            Node { bits: 32, index: Index::Extreme { larger: false, of: [7, 6] } },
            Node { bits: 64, index: Index::Resize { of: 8, signed: true } },
        ]);
        AccessFunction { offset: 9, conditions: Vec::new(), ..function }
    }

    #[test]
    fn of_a_limit_and_what_moves_the_latter_is_taken() {
        let resolved = clamped(1).resolve(|_| None).unwrap();
        assert_eq!(resolved.offset.steps[0], 1);
        let ranges: Vec<_> = resolved.needs.iter().map(|b| (b.value.steps[0], b.least, b.most)).collect();
        assert_eq!(ranges, [(1, 2, i64::from(i32::MAX)), (-1, -9, i64::MAX)]);
    }

    /// For each lane, those forms whose needs hold of it give its place, and there is one.
    #[test]
    fn some_form_holds_for_each_lane() {
        for (step, origin) in [(1, -8), (1, 4), (-1, 6), (3, -1), (0, 1), (0, 12)] {
            let function = clamped(step);
            let forms = function.forms(|_| Some(origin));
            assert_eq!(forms.len(), 4);
            for i in 0..16 {
                let place = function.lane(&[i], |_| origin, &mut Vec::new()).unwrap();
                let lane = [(i, i + 1)];
                let holds = |form: &&Resolved| form.needs.iter().all(|need| need.holds(need.value.constant, &lane) == Holds::Always);
                let places: Vec<i64> =
                    forms.iter().filter(holds).map(|form| form.offset.constant + form.offset.steps[0] * i as i64).collect();
                assert!(!places.is_empty() && places.iter().all(|found| *found == place), "{origin} + {step} * {i}: {places:?}, {place}");
            }
        }
    }

    /// `(origin + i) / by`, or `% by`.
    fn divided(part: DivisionPart, by: i64) -> AccessFunction {
        let mut function = row(1, 20, 64);
        function.nodes.extend([
            Node { bits: 32, index: Index::Constant(by) },
            Node { bits: 32, index: Index::Divide { of: 2, by: 5, part } },
            Node { bits: 64, index: Index::Resize { of: 6, signed: true } },
        ]);
        AccessFunction { offset: 7, conditions: Vec::new(), ..function }
    }

    #[test]
    fn quotients_are_those_of_the_first_lane_as_far_as_needs_hold() {
        let parts = [
            DivisionPart::Quotient { signed: true, rounding: RoundingMode::NegativeInf },
            DivisionPart::Remainder { signed: false },
            DivisionPart::FloorRemainder,
        ];
        for (part, by, origin) in parts.iter().flat_map(|part| [(*part, 40, 100), (*part, 7, 0), (*part, 64, 128), (*part, 100, 99)]) {
            let function = divided(part, by);
            let forms = function.forms(|_| Some(origin));
            let [form] = &forms[..] else { panic!("there is one form") };
            let mut from = 0;
            while from < 64 {
                let quotients: Vec<i64> = form.quotients.iter().map(|q| q.of_first(&[origin], &[(from, 64)]).unwrap()).collect();
                let leaves = [&[origin], &quotients[..]].concat();
                let offset = form.offset.with(&leaves).unwrap();
                let end = form
                    .needs
                    .iter()
                    .fold(64, |end, need| need.restrict(need.value.with(&leaves).unwrap(), 0, &[(from, 64)]).unwrap().1.min(end));
                assert!(end > from, "{part:?} by {by}");
                for i in from..end {
                    let place = function.lane(&[i], |_| origin, &mut Vec::new()).unwrap();
                    assert_eq!(offset + form.offset.steps[0] * i as i64, place, "{part:?} of {origin} + {i} by {by}");
                }
                from = end;
            }
        }
    }

    /// Where the tile begins at a multiple of the divisor, and is no longer, nothing is left to find out.
    #[test]
    fn multiples_are_divided_at_once() {
        let mut function = divided(DivisionPart::FloorRemainder, 64);
        function.nodes[1] = Node { bits: 32, index: Index::Leaf(0) };
        function.nodes.insert(2, Node { bits: 32, index: Index::Constant(64) });
        function.nodes.insert(3, Node { bits: 32, index: Index::Mul(1, 2) });
        function.nodes[4] = Node { bits: 32, index: Index::Add(0, 3) };
        function.nodes[8] = Node { bits: 32, index: Index::Divide { of: 4, by: 7, part: DivisionPart::FloorRemainder } };
        function.nodes[9] = Node { bits: 64, index: Index::Resize { of: 8, signed: true } };
        function.offset = 9;
        let resolved = function.resolve(|_| None).unwrap();
        assert!(resolved.quotients.is_empty());
        assert_eq!(resolved.offset, Affine { steps: [1, 0, 0, 0], ..Affine::default() });
    }

    #[test]
    fn products_of_what_is_not_known_are_no_sums() {
        let mut function = row(1, 20, 16);
        function.nodes.push(Node { bits: 64, index: Index::Mul(4, 1) });
        assert!(row(1, 20, 16).is_affine_in(|_| true) && function.is_affine_in(|_| false) && !function.is_affine_in(|_| true));
        assert!(function.resolve(|_| None).is_none() && function.resolve(|_| Some(3)).is_some());
    }
}
