//! The loops over columns of a row region: which values each computes, computes again, or reads where an earlier one kept them.

use super::{RowResult, RowSrc, RowValue, ValueKind};
use crate::elem::Elem;
use tilewright_passes::elementwise::ElemOp;
use tilewright_vector::lower;

/// The most that the steps may take, in primitives or so, of a value that is computed again.
const CHEAP: usize = 6;

/// A loop over the columns of a row.
#[derive(Debug)]
pub(super) struct Stage {
    /// How many loops are before it.
    pub(super) level: usize,
    /// The reductions that it begins, and the results that it writes.
    pub(super) folds: Vec<usize>,
    pub(super) results: Vec<usize>,
    /// The values that it computes, in order, and those that it reads where an earlier loop kept them, with the results that these are.
    pub(super) computed: Vec<usize>,
    pub(super) kept: Vec<(usize, usize)>,
    /// How many parts of a row an iteration combines.
    pub(super) parts: usize,
}

/// The loops over columns that compute the results, and the values that are kept from one to another; these are results behind those that there are.
pub(super) fn stages(values: &[RowValue], results: &[RowResult], stored: Option<usize>) -> (Vec<Stage>, Vec<usize>) {
    let last = values.iter().map(|value| value.level).max().unwrap_or(0);
    let (mut stages, mut kept, mut computed) = (Vec::<Stage>::new(), Vec::<usize>::new(), vec![None; values.len()]);
    for level in 0..=last {
        let of_fold = |fold: &usize| values[*fold].kind == ValueKind::Fold && values[*fold].level == level + 1;
        let folds: Vec<usize> = (0..values.len()).filter(of_fold).collect();
        let of_result = |result: &usize| {
            let value = &values[results[*result].value];
            value.kind == ValueKind::Columns && value.level == level
        };
        let own: Vec<usize> = (0..results.len()).filter(of_result).collect();
        if folds.is_empty() && own.is_empty() {
            continue;
        }
        let mut needs = StageNeeds { values, computed: &computed, cost: vec![None; values.len()], order: Vec::new(), kept: Vec::new() };
        let of_folds = folds.iter().flat_map(|fold| &values[*fold].srcs).copied();
        of_folds.chain(own.iter().map(|result| RowSrc::Value(results[*result].value))).for_each(|src| needs.add(src));
        let StageNeeds { mut order, kept: mut read, .. } = needs;
        order.sort_unstable();
        read.sort_unstable();
        order.iter().for_each(|value| computed[*value] = computed[*value].or(Some(stages.len())));
        let read: Vec<(usize, usize)> = read.into_iter().map(|value| (value, place_of(value, results, stored, &mut kept))).collect();
        for (value, result) in &read {
            let from = computed[*value].expect("an earlier loop computed it");
            if !stages[from].results.contains(result) {
                stages[from].results.push(*result);
            }
        }
        stages.push(Stage { level, folds, results: own, computed: order, kept: read, parts: 1 });
    }
    (stages, kept)
}

/// The number of the result that holds a value for later loops: what is written in any case, or one of those that are kept.
fn place_of(value: usize, results: &[RowResult], stored: Option<usize>, kept: &mut Vec<usize>) -> usize {
    let written = (0..results.len()).find(|number| results[*number].value == value && stored != Some(*number));
    written.unwrap_or_else(|| {
        let known = kept.iter().position(|other| *other == value);
        results.len()
            + known.unwrap_or_else(|| {
                kept.push(value);
                kept.len() - 1
            })
    })
}

/// What a loop needs.
struct StageNeeds<'a> {
    values: &'a [RowValue],
    /// The loops that first computed values.
    computed: &'a [Option<usize>],
    /// What it takes to compute each value again, once it is known.
    cost: Vec<Option<usize>>,
    order: Vec<usize>,
    kept: Vec<usize>,
}

impl StageNeeds<'_> {
    fn add(&mut self, src: RowSrc) {
        let RowSrc::Value(value) = src else { return };
        if self.values[value].kind != ValueKind::Columns || self.order.contains(&value) || self.kept.contains(&value) {
            return;
        }
        if self.computed[value].is_some() && self.cost(value) > CHEAP {
            self.kept.push(value);
            return;
        }
        self.order.push(value);
        self.values[value].srcs.iter().for_each(|src| self.add(*src));
    }

    fn cost(&mut self, value: usize) -> usize {
        if let Some(cost) = self.cost[value] {
            return cost;
        }
        let mut cost = cost_of(&self.values[value]);
        for src in &self.values[value].srcs {
            if let RowSrc::Value(of) = src
                && self.values[*of].kind == ValueKind::Columns
            {
                cost = cost.saturating_add(self.cost(*of));
            }
        }
        self.cost[value] = Some(cost);
        cost
    }
}

/// How many primitives or so compute a value for an element.
fn cost_of(value: &RowValue) -> usize {
    let is_small = matches!(value.elem(), Elem::Num(scalar) if scalar.is_float()) && value.elem().size() < 4;
    match value.kernel.imm.op {
        op if lower::is_function(op) => usize::MAX / 2,
        ElemOp::DivI(..) | ElemOp::RemI(_) | ElemOp::RemF | ElemOp::DivF(..) | ElemOp::Sqrt(..) | ElemOp::Rsqrt(_) => CHEAP,
        _ if is_small => 4,
        _ => 1,
    }
}
