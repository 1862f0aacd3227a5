//! Moves primitives in front of loops in which they give the same again and again: all of their operands are the same for all lanes, and come from
//! outside.
//!
//! Plans compute most of what lanes share once for a block. What is left are parts of operations of which one operand is shared: the inverse of a
//! divisor, whether it is zero.

use crate::code::{Code, Fold, Item, Loop, Value, Variability, While};

pub(crate) fn hoist(code: &mut Code) {
    let body = std::mem::take(&mut code.body);
    let mut hoister = Hoister { depths: vec![usize::MAX; code.values()], code, bodies: vec![Vec::new()] };
    hoister.walk(body);
    code.body = hoister.bodies.pop().expect("the code has a body");
}

struct Hoister<'a> {
    code: &'a Code,
    /// In how many loops each value that has been computed stands.
    depths: Vec<usize>,
    /// The items so far of the code, and of each loop that is gone through, the innermost last.
    bodies: Vec<Vec<Item>>,
}

impl Hoister<'_> {
    fn walk(&mut self, items: Vec<Item>) {
        for item in items {
            match item {
                Item::Loop(inner) => self.walk_loop(inner),
                item => {
                    let depth = self.depth_of(&item);
                    self.define(&item, depth);
                    self.bodies[depth].push(item);
                }
            }
        }
    }

    fn walk_loop(&mut self, Loop { kind, axis, count, carried, body }: Loop) {
        let depth = self.bodies.len();
        carried.iter().for_each(|c| self.depths[c.arg.index()] = depth);
        self.bodies.push(Vec::new());
        self.walk(body);
        let body = self.bodies.pop().expect("the loop's own");
        let item = Item::Loop(Loop { kind, axis, count, carried, body });
        self.define(&item, depth - 1);
        self.bodies[depth - 1].push(item);
    }

    /// In how many loops an item has to stand.
    fn depth_of(&self, item: &Item) -> usize {
        let here = self.bodies.len() - 1;
        match item {
            Item::Const { .. } => 0,
            Item::Prim { result, operands, .. } if self.code.variability(*result) == Variability::Uniform => {
                operands.iter().map(|operand| self.depths[operand.index()]).max().map_or(here, |depth| depth.min(here))
            }
            _ => here,
        }
    }

    /// Notes in how many loops what an item gives stands.
    fn define(&mut self, item: &Item, depth: usize) {
        let mut define = |value: Value| self.depths[value.index()] = depth;
        match item {
            Item::Loop(Loop { carried, .. }) | Item::While(While { carried, .. }) => carried.iter().for_each(|c| define(c.result)),
            Item::Fold(Fold { results, .. }) => results.iter().copied().for_each(define),
            one => one.result().into_iter().for_each(define),
        }
    }
}
