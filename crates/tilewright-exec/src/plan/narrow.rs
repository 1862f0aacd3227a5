//! Indices of 64 bits that vector code computes in 32: as many lanes as `f32` has go into a vector then.
//!
//! Places in tensors of several dimensions are sums of products in 64 bits, `ext(row) * ext(stride) + ext(column)`, and lanes whose row or column is
//! outside of the tensor are masked off. The lower 32 bits of sums and products follow from those of what is added and multiplied. Where the comparisons
//! that mask lanes, and the constants of the launch, tell that an index fits 32 bits in each lane that loads, these bits are the index. What is added to
//! all lanes of a block, such as a row that the block computes, goes into the address that the indices begin at.

use super::{Base, Gathered, Src, Step, Sweep, Tile};
use crate::{elem::Elem, hash::HashMap, kernels::ElemOp};
use smallvec::SmallVec;
use tilewright_ir::{ComparisonPredicate, Scalar};

const I32: Elem = Elem::Num(Scalar::I32);
const I64: Elem = Elem::Num(Scalar::I64);

/// How deep sums and products are nested at most.
const MOST_DEPTH: usize = 8;

/// Where a value of a sweep comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Def {
    Input(usize),
    Step(usize),
}

/// The indices of a sweep's gathers that are computed in 32 bits.
#[derive(Debug)]
pub(crate) struct Narrow {
    /// For each gather; none for those whose indices stay as they are.
    pub(super) indices: Vec<Option<NarrowIndex>>,
    /// For each step, whether anything reads it then.
    pub(super) needed: Vec<bool>,
}

/// An index, of which 32 bits are computed.
#[derive(Debug)]
pub(super) struct NarrowIndex {
    /// The inputs that are added to all lanes: numbers of a block.
    addends: SmallVec<[usize; 2]>,
    /// What is added to them.
    pub(super) value: Expr,
    /// What holds in lanes that load.
    bounds: Vec<Bound>,
}

/// A sum or product, in 64 bits or in the lower 32 of them.
#[derive(Debug)]
pub(super) enum Expr {
    /// A number that is the same for a whole launch: input, and byte of the constants.
    Number(usize),
    /// An `i32`, extended with its sign or without.
    Extended(Def, bool),
    Add(Box<[Expr; 2]>),
    Sub(Box<[Expr; 2]>),
    Mul(Box<[Expr; 2]>),
}

/// A comparison of an `i32` with a number that is the same for a whole launch.
#[derive(Debug)]
struct Bound {
    of: Def,
    predicate: ComparisonPredicate,
    signed: bool,
    /// The input.
    with: usize,
}

/// Least and greatest.
type Range = (i64, i64);

/// What steps and gathers read, by where it comes from.
struct Defs {
    steps: Vec<SmallVec<[Def; 3]>>,
    /// For each gather: its index, and its mask.
    gathers: Vec<(Def, Option<Def>)>,
    /// What each gather reads besides.
    paddings: Vec<Option<Def>>,
}

impl Defs {
    fn of(sweep: &Sweep) -> Option<Defs> {
        let mut written: HashMap<Src, usize> = HashMap::default();
        let mut defs = Defs { steps: Vec::with_capacity(sweep.steps.len()), gathers: Vec::new(), paddings: Vec::new() };
        let find = |written: &HashMap<Src, usize>, src: &Src| match src {
            Src::Input(input) => Some(Def::Input(*input)),
            other => written.get(other).map(|step| Def::Step(*step)),
        };
        for at in 0..=sweep.steps.len() {
            for (_, gathered) in sweep.gathers().filter(|(_, gathered)| gathered.at == at) {
                let optional = |src: Option<Src>| src.map_or(Some(None), |src| find(&written, &src).map(Some));
                defs.gathers.push((find(&written, &gathered.index.0)?, optional(gathered.mask)?));
                defs.paddings.push(optional(gathered.padding)?);
            }
            if let Some(step) = sweep.steps.get(at) {
                defs.steps.push(step.srcs.iter().map(|src| find(&written, src)).collect::<Option<_>>()?);
                written.insert(step.dst, at);
            }
        }
        Some(defs)
    }
}

impl Narrow {
    /// The indices of a sweep that can be computed in 32 bits, if there are some, and nothing else has 64.
    pub(super) fn of(sweep: &Sweep) -> Option<Narrow> {
        if sweep.gathers().all(|(_, gathered)| gathered.index.1 != I64) {
            return None;
        }
        let defs = Defs::of(sweep)?;
        let finder = IndexFinder { sweep, defs: &defs };
        let gathers = || sweep.gathers().zip(&defs.gathers);
        let indices: Vec<Option<NarrowIndex>> = gathers().map(|((_, gathered), def)| finder.index(gathered, *def)).collect();
        if indices.iter().all(Option::is_none) {
            return None;
        }
        let mut needed: Vec<bool> = sweep.steps.iter().map(|step| matches!(step.dst, Src::Reg(..))).collect();
        sweep.folds.iter().for_each(|fold| needed[fold.step] = true);
        let mut need = |def: Def| {
            if let Def::Step(step) = def {
                needed[step] = true;
            }
        };
        for ((index, (whole, mask)), padding) in indices.iter().zip(&defs.gathers).zip(&defs.paddings) {
            mask.iter().chain(padding).for_each(|def| need(*def));
            match index {
                Some(index) => index.value.for_each_leaf(&mut need),
                None => need(*whole),
            }
        }
        for step in (0..needed.len()).rev() {
            if needed[step] {
                defs.steps[step].iter().for_each(|def| {
                    if let Def::Step(other) = def {
                        needed[*other] = true;
                    }
                });
            }
        }
        Some(Narrow { indices, needed })
    }

    /// What is added to all lanes of the index of a gather, for a block with these numbers; none if it is computed as it is.
    pub(crate) fn addend(&self, gather: usize, sweep: &Sweep, number: impl Fn(&Tile) -> u64) -> Option<u64> {
        let index = self.indices[gather].as_ref()?;
        Some(index.addends.iter().fold(0, |sum: u64, input| sum.wrapping_add(number(sweep.inputs[*input].tile()))))
    }

    /// Whether all of these indices fit 32 bits in a launch with these constants.
    pub(crate) fn holds(&self, sweep: &Sweep, constant: impl Fn(&Tile) -> u64) -> bool {
        let number = |input: usize| constant(sweep.inputs[input].tile());
        let fits = |index: &NarrowIndex| {
            let range = index.value.range(&|def| index.bounds_of(def, &number), &|input| Some(number(input).cast_signed()));
            range.is_some_and(|(least, most)| i32::try_from(least).is_ok() && i32::try_from(most).is_ok())
        };
        self.indices.iter().flatten().all(fits)
    }
}

impl NarrowIndex {
    /// What an `i32` is in lanes that load.
    fn bounds_of(&self, def: Def, number: &impl Fn(usize) -> u64) -> Range {
        let mut range = (i64::from(i32::MIN), i64::from(i32::MAX));
        for bound in self.bounds.iter().filter(|bound| bound.of == def) {
            let with = number(bound.with) as u32;
            let (least, most) = match (bound.predicate, bound.signed) {
                (ComparisonPredicate::LessThan, true) => (i64::MIN, i64::from(with.cast_signed()) - 1),
                (ComparisonPredicate::LessThanOrEqual, true) => (i64::MIN, i64::from(with.cast_signed())),
                (ComparisonPredicate::GreaterThan, true) => (i64::from(with.cast_signed()) + 1, i64::MAX),
                (ComparisonPredicate::GreaterThanOrEqual, true) => (i64::from(with.cast_signed()), i64::MAX),
                // Numbers with a sign are above the others.
                (ComparisonPredicate::LessThan, false) if with <= 1 << 31 => (0, i64::from(with) - 1),
                (ComparisonPredicate::LessThanOrEqual, false) if with < 1 << 31 => (0, i64::from(with)),
                _ => continue,
            };
            range = (range.0.max(least), range.1.min(most));
        }
        range
    }
}

impl Expr {
    fn for_each_leaf(&self, visit: &mut impl FnMut(Def)) {
        match self {
            Expr::Number(_) => {}
            Expr::Extended(def, _) => visit(*def),
            Expr::Add(both) | Expr::Sub(both) | Expr::Mul(both) => both.iter().for_each(|expr| expr.for_each_leaf(visit)),
        }
    }

    /// Adds the inputs that are the same for a whole launch.
    pub(super) fn collect_numbers(&self, numbers: &mut Vec<usize>) {
        match self {
            Expr::Number(input) if !numbers.contains(input) => numbers.push(*input),
            Expr::Number(_) | Expr::Extended(..) => {}
            Expr::Add(both) | Expr::Sub(both) | Expr::Mul(both) => both.iter().for_each(|expr| expr.collect_numbers(numbers)),
        }
    }

    /// What it is in 64 bits; `None` if that may wrap. A range of which the least is the greater one has nothing in it: it is that of lanes that do not
    /// load.
    fn range(&self, leaf: &impl Fn(Def) -> Range, number: &impl Fn(usize) -> Option<i64>) -> Option<Range> {
        let of = |both: &[Expr; 2]| Some((both[0].range(leaf, number)?, both[1].range(leaf, number)?));
        Some(match self {
            Expr::Number(input) => number(*input).map(|number| (number, number))?,
            Expr::Extended(def, signed) => match leaf(*def) {
                (least, most) if least > most => (0, 0),
                (least, most) if *signed || least >= 0 => (least, most),
                _ => (0, i64::from(u32::MAX)),
            },
            Expr::Add(both) => {
                let (a, b) = of(both)?;
                (a.0.checked_add(b.0)?, a.1.checked_add(b.1)?)
            }
            Expr::Sub(both) => {
                let (a, b) = of(both)?;
                (a.0.checked_sub(b.1)?, a.1.checked_sub(b.0)?)
            }
            Expr::Mul(both) => {
                let (a, b) = of(both)?;
                let all = [a.0.checked_mul(b.0)?, a.0.checked_mul(b.1)?, a.1.checked_mul(b.0)?, a.1.checked_mul(b.1)?];
                (all.into_iter().min()?, all.into_iter().max()?)
            }
        })
    }
}

/// Finds out how indices are computed.
struct IndexFinder<'a> {
    sweep: &'a Sweep,
    defs: &'a Defs,
}

impl IndexFinder<'_> {
    fn index(&self, gathered: &Gathered, (def, mask): (Def, Option<Def>)) -> Option<NarrowIndex> {
        if gathered.index.1 != I64 {
            return None;
        }
        let mut addends = SmallVec::new();
        let value = self.sum(def, MOST_DEPTH, &mut addends)??;
        let mut bounds = Vec::new();
        if let Some(mask) = mask {
            self.collect_bounds(mask, MOST_DEPTH, &mut bounds);
        }
        Some(NarrowIndex { addends, value, bounds })
    }

    fn step(&self, def: Def) -> Option<(&Step, &[Def])> {
        let Def::Step(step) = def else { return None };
        Some((&self.sweep.steps[step], &self.defs.steps[step]))
    }

    /// A sum without what is added to all lanes of a block; nothing, if that is all.
    fn sum(&self, def: Def, depth: usize, addends: &mut SmallVec<[usize; 2]>) -> Option<Option<Expr>> {
        let inner = depth.checked_sub(1)?;
        match def {
            Def::Input(input) if self.is_of_all_lanes(input, I64) && !self.is_number(input, I64) => {
                addends.push(input);
                return Some(None);
            }
            Def::Step(_) => {}
            Def::Input(_) => return self.value(def, depth).map(Some),
        }
        match self.step(def)? {
            (step, [a, b]) if step.kernel.imm.op == ElemOp::AddI => {
                Some(match (self.sum(*a, inner, addends)?, self.sum(*b, inner, addends)?) {
                    (Some(a), Some(b)) => Some(Expr::Add(Box::new([a, b]))),
                    (a, b) => a.or(b),
                })
            }
            _ => self.value(def, depth).map(Some),
        }
    }

    fn value(&self, def: Def, depth: usize) -> Option<Expr> {
        let depth = depth.checked_sub(1)?;
        if let Def::Input(input) = def {
            return self.is_number(input, I64).then_some(Expr::Number(input));
        }
        let (step, srcs) = self.step(def)?;
        let both = || Some(Box::new([self.value(srcs[0], depth)?, self.value(srcs[1], depth)?]));
        match step.kernel.imm.op {
            ElemOp::ExtI(signed) if step.kernel.imm.sources() == [I32] => Some(Expr::Extended(srcs[0], signed)),
            ElemOp::AddI => both().map(Expr::Add),
            ElemOp::SubI => both().map(Expr::Sub),
            ElemOp::MulI => both().map(Expr::Mul),
            _ => None,
        }
    }

    /// Whether an input is one number of a type for all lanes.
    fn is_of_all_lanes(&self, input: usize, elem: Elem) -> bool {
        let input = &self.sweep.inputs[input];
        let tile = input.tile();
        input.is_splat() && tile.elem == elem
    }

    /// The same, of one that is the same for a whole launch.
    fn is_number(&self, input: usize, elem: Elem) -> bool {
        self.is_of_all_lanes(input, elem) && matches!(self.sweep.inputs[input].tile().base, Base::Const(_))
    }

    /// The comparisons that hold where a mask does.
    fn collect_bounds(&self, mask: Def, depth: usize, bounds: &mut Vec<Bound>) {
        let (Some(depth), Some((step, srcs))) = (depth.checked_sub(1), self.step(mask)) else { return };
        match step.kernel.imm.op {
            ElemOp::And => srcs.iter().for_each(|src| self.collect_bounds(*src, depth, bounds)),
            ElemOp::CmpI(predicate, signed) if step.kernel.imm.sources() == [I32; 2] => {
                if let Def::Input(with) = srcs[1]
                    && self.is_number(with, I32)
                {
                    bounds.push(Bound { of: srcs[0], predicate, signed, with });
                }
            }
            _ => {}
        }
    }
}
