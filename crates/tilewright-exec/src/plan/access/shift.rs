//! Access functions that are the same but for which lane is which: of tiles that overlap, as those that a stencil loads around each place.

use super::{AccessFunction, Condition, Index, Leaf, MAX_DIMS, Node, wrap};
use smallvec::SmallVec;

/// How many lanes further something is along each dimension.
pub(crate) type Shift = [i64; MAX_DIMS];

/// What a node is: a constant, multiples of the lane's indices, and multiples of nodes that are no sums; in the bits of the node, as all sums of integers.
#[derive(Clone, Default)]
struct Sum {
    constant: i64,
    lanes: Shift,
    terms: SmallVec<[(usize, i64); 2]>,
}

impl Sum {
    fn plus(mut self, other: &Sum, times: i64) -> Sum {
        let add = |to: &mut i64, number: i64| *to = to.wrapping_add(number.wrapping_mul(times));
        add(&mut self.constant, other.constant);
        self.lanes.iter_mut().zip(other.lanes).for_each(|(to, lane)| add(to, lane));
        for (node, number) in &other.terms {
            match self.terms.iter_mut().find(|(own, _)| own == node) {
                Some((_, own)) => add(own, *number),
                None => self.terms.push((*node, number.wrapping_mul(times))),
            }
        }
        self.terms.retain(|(_, times)| *times != 0);
        self
    }

    fn is_constant(&self) -> bool {
        self.terms.is_empty() && self.lanes == [0; MAX_DIMS]
    }
}

/// By node, what it is.
fn sums(function: &AccessFunction) -> Vec<Sum> {
    let mut sums: Vec<Sum> = Vec::with_capacity(function.nodes.len());
    for (number, node) in function.nodes.iter().enumerate() {
        let itself = || Sum { terms: SmallVec::from_slice(&[(number, 1)]), ..Sum::default() };
        sums.push(match &node.index {
            Index::Constant(constant) => Sum { constant: *constant, ..Sum::default() },
            Index::Lane(dims) => {
                let mut sum = Sum::default();
                dims.iter().for_each(|(dim, times)| sum.lanes[*dim] = sum.lanes[*dim].wrapping_add(*times));
                sum
            }
            Index::Add(a, b) => sums[*a].clone().plus(&sums[*b], 1),
            Index::Sub(a, b) => sums[*a].clone().plus(&sums[*b], -1),
            Index::Mul(a, b) if sums[*a].is_constant() => Sum::default().plus(&sums[*b], sums[*a].constant),
            Index::Mul(a, b) if sums[*b].is_constant() => Sum::default().plus(&sums[*a], sums[*b].constant),
            Index::Mul(..) | Index::Leaf(_) | Index::Extreme { .. } | Index::Divide { .. } | Index::Resize { .. } => itself(),
        });
    }
    sums
}

/// Two functions that are compared, with what is known of how one is shifted against the other.
struct Comparison<'a> {
    functions: [&'a AccessFunction; 2],
    sums: [Vec<Sum>; 2],
    shift: [Option<i64>; MAX_DIMS],
    /// Nodes that were compared.
    compared: Vec<(usize, usize)>,
}

impl Comparison<'_> {
    /// Whether a node of the second function is one of the first in lanes that much further.
    fn agree(&mut self, a: usize, b: usize) -> bool {
        if self.compared.contains(&(a, b)) {
            return true;
        }
        let bits = self.functions[0].nodes[a].bits;
        let (x, y) = (self.sums[0][a].clone(), self.sums[1][b].clone());
        let is_same = |one: i64, other: i64| wrap(one.wrapping_sub(other), bits) == 0;
        let have_same_lanes = x.lanes.iter().zip(y.lanes).all(|(one, other)| is_same(*one, other));
        let is_alike = bits == self.functions[1].nodes[b].bits && have_same_lanes && x.terms.len() == y.terms.len();
        let mut terms = x.terms.iter().zip(&y.terms);
        let agree = is_alike
            && terms.all(|((of, times), (other, others))| is_same(*times, *others) && self.terms_agree(*of, *other))
            && self.shifts_by(&x.lanes, wrap(y.constant.wrapping_sub(x.constant), bits), bits);
        self.compared.push((a, b));
        agree
    }

    /// Whether such multiples of the shift add up to a number, if those that are not known yet are chosen so: of dimensions that are parts of one, as
    /// the rows of blocks that run as one, the coarsest first.
    fn shifts_by(&mut self, lanes: &Shift, mut apart: i64, bits: u32) -> bool {
        let mut open = SmallVec::<[(i64, usize); MAX_DIMS]>::new();
        for (dim, times) in lanes.iter().enumerate().filter(|(_, times)| **times != 0) {
            match self.shift[dim] {
                Some(shift) => apart = apart.wrapping_sub(times.wrapping_mul(shift)),
                None => open.push((*times, dim)),
            }
        }
        open.sort_unstable_by_key(|(times, _)| std::cmp::Reverse(times.unsigned_abs()));
        apart = wrap(apart, bits);
        for (times, dim) in open {
            // The nearest: what is left is for the finer ones.
            let rest = apart.wrapping_rem(times);
            let is_more = rest.unsigned_abs() > times.unsigned_abs() / 2;
            let shift = apart.wrapping_div(times) + if is_more { rest.signum() * times.signum() } else { 0 };
            apart = wrap(apart.wrapping_sub(times.wrapping_mul(shift)), bits);
            self.shift[dim] = Some(shift);
        }
        apart == 0
    }

    /// The same of nodes that are no sums.
    fn terms_agree(&mut self, a: usize, b: usize) -> bool {
        let [first, second] = self.functions;
        let (one, other) = (&first.nodes[a], &second.nodes[b]);
        one.bits == other.bits
            && match (&one.index, &other.index) {
                (Index::Leaf(a), Index::Leaf(b)) => {
                    let (a, b) = (&first.leaves[*a], &second.leaves[*b]);
                    a.tile == b.tile && a.along.is_none() && b.along.is_none()
                }
                (Index::Mul(a, b), Index::Mul(c, d)) => self.agree(*a, *c) && self.agree(*b, *d),
                (Index::Extreme { larger, of: [a, b] }, Index::Extreme { larger: other, of: [c, d] }) => {
                    larger == other && self.agree(*a, *c) && self.agree(*b, *d)
                }
                (Index::Divide { of, by, part }, Index::Divide { of: other, by: others, part: same }) => {
                    part == same && self.agree(*of, *other) && self.agree(*by, *others)
                }
                (Index::Resize { of, signed }, Index::Resize { of: other, signed: same }) => signed == same && self.agree(*of, *other),
                _ => false,
            }
    }
}

impl AccessFunction {
    /// How much further the lanes of this function are whose places another one has, and which are accessed where its are; `None` if that is not so.
    pub(crate) fn shift_to(&self, other: &AccessFunction) -> Option<Shift> {
        if self.extents != other.extents || self.conditions.len() != other.conditions.len() {
            return None;
        }
        let functions = [self, other];
        let mut comparison = Comparison { functions, sums: functions.map(sums), shift: [None; MAX_DIMS], compared: Vec::new() };
        // Conditions mostly have one dimension each, and tell how far it is shifted.
        let agree = self.conditions.iter().zip(&other.conditions).all(|(one, other)| {
            (one.predicate, one.signed) == (other.predicate, other.signed)
                && comparison.agree(one.lhs, other.lhs)
                && comparison.agree(one.rhs, other.rhs)
        });
        (agree && comparison.agree(self.offset, other.offset)).then(|| comparison.shift.map(Option::unwrap_or_default))
    }

    /// The function of a tile with these extents whose first lane is that much further than the first one of this.
    pub(crate) fn shifted(&self, by: &Shift, extents: &[usize]) -> AccessFunction {
        let (mut nodes, mut now): (Vec<Node>, Vec<usize>) = (Vec::new(), Vec::new());
        for node in &self.nodes {
            let of = |node: &usize| now[*node];
            let index = match &node.index {
                Index::Add(a, b) => Index::Add(of(a), of(b)),
                Index::Sub(a, b) => Index::Sub(of(a), of(b)),
                Index::Mul(a, b) => Index::Mul(of(a), of(b)),
                Index::Extreme { larger, of: [a, b] } => Index::Extreme { larger: *larger, of: [of(a), of(b)] },
                Index::Divide { of: divided, by, part } => Index::Divide { of: of(divided), by: of(by), part: *part },
                Index::Resize { of: value, signed } => Index::Resize { of: of(value), signed: *signed },
                Index::Constant(_) | Index::Lane(_) | Index::Leaf(_) => node.index.clone(),
            };
            let further = match &index {
                Index::Lane(dims) => dims.iter().fold(0i64, |sum, (dim, times)| sum.wrapping_add(times.wrapping_mul(by[*dim]))),
                _ => 0,
            };
            nodes.push(Node { bits: node.bits, index });
            if further != 0 {
                let lane = nodes.len() - 1;
                nodes.push(Node { bits: node.bits, index: Index::Constant(wrap(further, node.bits)) });
                nodes.push(Node { bits: node.bits, index: Index::Add(lane, lane + 1) });
            }
            now.push(nodes.len() - 1);
        }
        let conditions = self.conditions.iter();
        AccessFunction {
            extents: extents.iter().copied().collect(),
            nodes,
            leaves: self.leaves.iter().map(Leaf::clone).collect(),
            offset: now[self.offset],
            conditions: conditions.map(|each| Condition { lhs: now[each.lhs], rhs: now[each.rhs], ..*each }).collect(),
        }
    }
}
