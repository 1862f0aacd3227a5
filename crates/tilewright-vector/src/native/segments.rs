//! The order of items where a loop is unrolled and its bodies are interleaved (unroll and jam): after how many items of one vector the next one has
//! its turn.
//!
//! A CPU looks ahead over some hundred instructions. The steps of a long body wait for each other, so those of one vector alone leave it idle, while
//! item by item several vectors want more registers than there are. Turns of some dozen items keep it busy, and few values live from one turn of a
//! vector to the next.

use super::registers::{for_each_read, is_uniform};
use crate::code::{Code, Item, Loop, Value, Variability, While};
use std::ops::Range;

/// The items of a body in the order in which they are computed for several vectors side by side, in turns of about so many, each with the vector that
/// it is computed for. Loops have none: they go round for all vectors together. What is the same for all lanes is computed for the first.
pub(super) fn in_turns<'c>(code: &Code, body: &'c [Item], vectors: usize, turn: usize) -> Vec<(Option<usize>, &'c Item)> {
    let mut order = Vec::with_capacity(vectors * body.len());
    for turn in segments(code, body, turn) {
        match &body[turn] {
            [item @ Item::Loop(_)] => order.push((None, item)),
            items => order.extend((0..vectors).flat_map(|vector| {
                let is_computed = move |item: &&Item| vector == 0 || !is_uniform(code, item);
                items.iter().filter(is_computed).map(move |item| (Some(vector), item))
            })),
        }
    }
    order
}

/// The parts of a body that are computed for one vector after the other, of about `turn` items: cut where few values live. Loops are parts of their own.
fn segments(code: &Code, body: &[Item], turn: usize) -> Vec<Range<usize>> {
    if turn == 1 {
        return (0..body.len()).map(|i| i..i + 1).collect();
    }
    let live = live_across(code, body);
    let (mut cuts, mut start) = (Vec::new(), 0);
    for (at, _) in body.iter().enumerate().filter(|(_, item)| matches!(item, Item::Loop(_))) {
        cut(start..at, turn, &live, &mut cuts);
        cuts.push(at..at + 1);
        start = at + 1;
    }
    cut(start..body.len(), turn, &live, &mut cuts);
    cuts
}

/// Cuts items without loops.
fn cut(items: Range<usize>, turn: usize, live: &[usize], cuts: &mut Vec<Range<usize>>) {
    let mut start = items.start;
    while items.end - start > turn + turn / 2 {
        let near = start + turn / 2..=start + turn + turn / 2;
        let cut = near.min_by_key(|cut| (live[*cut], cut.abs_diff(start + turn))).unwrap_or(start + turn);
        cuts.push(start..cut);
        start = cut;
    }
    if start < items.end {
        cuts.push(start..items.end);
    }
}

/// For each place between the items of a body, how many values that differ from vector to vector are read behind it and given before it.
fn live_across(code: &Code, body: &[Item]) -> Vec<usize> {
    let mut last_read = vec![0; code.values()];
    for (at, item) in body.iter().enumerate() {
        for_each_read(item, &mut |value| last_read[value.index()] = at);
    }
    let mut change = vec![0isize; body.len() + 1];
    let mut given = |value: Value, at: usize| {
        if code.variability(value) != Variability::Uniform && last_read[value.index()] > at {
            change[at + 1] += 1;
            change[last_read[value.index()] + 1] -= 1;
        }
    };
    for (at, item) in body.iter().enumerate() {
        match item {
            Item::While(While { carried, .. }) | Item::Loop(Loop { carried, .. }) => {
                carried.iter().for_each(|carried| given(carried.result, at))
            }
            item => item.result().into_iter().for_each(|value| given(value, at)),
        }
    }
    let mut live = 0;
    change.into_iter().map(|change| (live += change, live as usize).1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Builder, Count, Kind, Lane, ParamKind, Place, Prim};

    /// Three chains of 12 steps, of which each goes on from the sum of all values of the one before: between chains, and behind the first step of one, one value lives.
    #[test]
    fn bodies_are_cut_where_few_values_live() {
        let mut builder = Builder::new(16);
        let [from, to] = [(); 2].map(|()| builder.param(ParamKind::Buffer));
        let (axis, _) = builder.open(Kind::Lanes, Count::Const(1024), &[]);
        let place = |buffer| Place::of(buffer).along(axis, Count::Const(4));
        let mut value = builder.load(Lane::F32, place(from), None);
        for _ in 0..3 {
            let several: Vec<Value> = (0..6)
                .scan(value, |value, _| {
                    *value = builder.prim(Prim::FMul, &[*value, *value]);
                    Some(*value)
                })
                .collect();
            value = several.into_iter().reduce(|a, b| builder.prim(Prim::FAdd, &[a, b])).expect("there are some");
        }
        builder.store(value, place(to), None);
        builder.close(&[]);
        let code = builder.finish().expect("it is valid");
        let [Item::Loop(Loop { body, .. })] = code.body() else { panic!("there is a loop: {code}") };
        assert_eq!(body.len(), 35);
        assert_eq!(segments(&code, body, 12), [0..12, 12..24, 24..35]);
        assert_eq!(segments(&code, body, 1).len(), 35);
        assert_eq!(segments(&code, body, 40), vec![Range { start: 0, end: 35 }]);
    }
}
