//! Removes what computes and is not read. What accesses memory stays, as it may fault.

use crate::code::{Carried, Code, Fold, Item, Loop, Value, While};

pub(crate) fn remove(code: &mut Code) {
    let mut read = vec![false; code.values()];
    let mut body = std::mem::take(&mut code.body);
    keep(&mut body, &mut read);
    code.body = body;
}

/// Goes backwards, so that readers come before what they read; what a loop hands on is read in any case.
fn keep(items: &mut Vec<Item>, read: &mut [bool]) {
    let is_kept = |item: &mut Item| {
        let kept = match item {
            Item::Prim { result, .. }
            | Item::Const { result, .. }
            | Item::Scalar { result, .. }
            | Item::Index { result, .. }
            | Item::Lookup { result, .. } => read[result.index()],
            Item::While(While { carried, .. }) => carried.iter().any(|c| read[c.result.index()]),
            Item::Load { .. }
            | Item::Store { .. }
            | Item::Prefetch { .. }
            | Item::Gather { .. }
            | Item::Scatter { .. }
            | Item::Loop(_)
            | Item::Fold(_) => true,
        };
        if kept {
            bodies(item, read);
            item.for_each_operand(|value| read[value.index()] = true);
        }
        kept
    };
    let mut kept: Vec<bool> = items.iter_mut().rev().map(is_kept).collect();
    items.retain(|_| kept.pop().expect("one for each item"));
}

fn bodies(item: &mut Item, read: &mut [bool]) {
    let mut mark = |values: &mut dyn Iterator<Item = Value>| values.for_each(|value| read[value.index()] = true);
    match item {
        Item::Loop(Loop { carried, body, .. }) | Item::While(While { carried, body, .. }) => {
            mark(&mut carried.iter().map(|c: &Carried| c.next));
            keep(body, read);
        }
        Item::Fold(Fold { combined, body, .. }) => {
            mark(&mut combined.iter().copied());
            keep(body, read);
        }
        _ => {}
    }
}
