//! Names of values, and where they can be seen.

use std::collections::HashMap;
use tilewright_ir::Value;

/// What a name stands for: values that follow each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Binding {
    first: u32,
    /// None: the operation that should define the name has an error, so uses of the name are none.
    count: u32,
}

impl Binding {
    /// Stands for what an error left undefined.
    pub(super) const BROKEN: Binding = Binding { first: 0, count: 0 };

    pub(super) fn new(first: Value, count: u32) -> Binding {
        Binding { first: first.index() as u32, count }
    }

    pub(super) fn count(self) -> u32 {
        self.count
    }

    pub(super) fn is_broken(self) -> bool {
        self.count == 0
    }

    pub(super) fn value(self, position: u32) -> Option<Value> {
        (position < self.count).then(|| Value::new(self.first as usize + position as usize))
    }
}

/// The names in sight: those of a region and of the regions around it. No name is defined twice among them.
#[derive(Debug, Default)]
pub(super) struct Scope<'s> {
    bindings: HashMap<&'s str, Binding>,
    order: Vec<&'s str>,
}

impl<'s> Scope<'s> {
    pub(super) fn get(&self, name: &str) -> Option<Binding> {
        self.bindings.get(name).copied()
    }

    /// Defines a name; false if it is taken.
    pub(super) fn define(&mut self, name: &'s str, binding: Binding) -> bool {
        match self.bindings.entry(name) {
            std::collections::hash_map::Entry::Vacant(entry) => {
                entry.insert(binding);
                self.order.push(name);
                true
            }
            std::collections::hash_map::Entry::Occupied(_) => false,
        }
    }

    /// Opens a region.
    pub(super) fn enter(&self) -> usize {
        self.order.len()
    }

    /// Closes the region that [`Scope::enter`] opened: its names go out of sight.
    pub(super) fn leave(&mut self, mark: usize) {
        if mark == 0 {
            self.bindings.clear();
            self.order.clear();
        }
        for name in self.order.drain(mark..) {
            self.bindings.remove(name);
        }
    }
}
