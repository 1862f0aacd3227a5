//! Names of values, and where they can be seen.

use foldhash::HashMap;
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
    /// The names that are numbers, as printers give them: `%0`, `%1`, ...
    numbered: Vec<Option<Binding>>,
    /// All other names, also numbers that are too large for their place in a list.
    named: HashMap<&'s str, Binding>,
    /// Whether there are such numbers.
    has_stray: bool,
    /// How many definitions there were.
    definitions: usize,
    /// How many regions are open.
    depth: usize,
    /// What the regions inside of the outermost one define.
    inner: Vec<&'s str>,
}

impl<'s> Scope<'s> {
    #[inline]
    pub(super) fn get(&self, name: &str) -> Option<Binding> {
        match number(name) {
            Some(number) if number < self.numbered.len() && self.numbered[number].is_some() => self.numbered[number],
            Some(_) if !self.has_stray => None,
            _ => self.named.get(name).copied(),
        }
    }

    /// Defines a name; false if it is taken.
    #[inline]
    pub(super) fn define(&mut self, name: &'s str, binding: Binding) -> bool {
        if self.get(name).is_some() {
            return false;
        }
        match number(name).filter(|&number| number <= 2 * self.definitions + SLACK) {
            Some(number) => {
                if number == self.numbered.len() {
                    self.numbered.push(None);
                } else if number > self.numbered.len() {
                    self.numbered.resize(number + 1, None);
                }
                self.numbered[number] = Some(binding);
            }
            None => {
                self.has_stray |= number(name).is_some();
                self.named.insert(name, binding);
            }
        }
        self.definitions += 1;
        if self.depth > 1 {
            self.inner.push(name);
        }
        true
    }

    /// Opens a region.
    pub(super) fn enter(&mut self) -> usize {
        self.depth += 1;
        self.inner.len()
    }

    /// Closes the region that [`Scope::enter`] opened: its names go out of sight.
    pub(super) fn leave(&mut self, mark: usize) {
        self.depth -= 1;
        if self.depth == 0 {
            return self.clear();
        }
        for name in self.inner.drain(mark..) {
            match number(name).and_then(|number| self.numbered.get_mut(number)) {
                Some(binding @ Some(_)) => *binding = None,
                _ => {
                    self.named.remove(name);
                }
            }
        }
    }

    /// Forgets all names.
    pub(super) fn clear(&mut self) {
        self.numbered.clear();
        self.named.clear();
        self.inner.clear();
        (self.has_stray, self.definitions, self.depth) = (false, 0, 0);
    }
}

/// Numbers may run ahead of the definitions by twice as many and some: results are numbered before what lies in the regions
/// of their operation, but stand behind it. Memory stays in proportion.
const SLACK: usize = 1 << 10;

/// The number that a name is: `%42`, in its shortest form.
#[inline]
fn number(name: &str) -> Option<usize> {
    const MAX_DIGITS: usize = 9;
    let digits = name.as_bytes().get(1..).filter(|digits| digits.len() <= MAX_DIGITS)?;
    if let [b'0', _, ..] | [] = digits {
        return None;
    }
    digits.iter().try_fold(0, |number, digit| digit.is_ascii_digit().then(|| 10 * number + usize::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binding(index: usize) -> Binding {
        Binding::new(Value::new(index), 1)
    }

    #[test]
    fn names_are_numbers_in_their_shortest_form_only() {
        for (name, expected) in [("%0", Some(0)), ("%42", Some(42)), ("%", None), ("%00", None), ("%4x", None), ("%9999999999", None)] {
            assert_eq!(number(name), expected, "{name}");
        }
    }

    #[test]
    fn names_are_found_wherever_they_are_kept() {
        let names: Vec<String> = ["%999999999", "%0", "%00", "%x", "%5000", "%1"].map(str::to_owned).into();
        let more: Vec<String> = (2..4000).map(|number| format!("%{number}")).collect();
        let mut scope = Scope::default();
        scope.enter();
        for (index, name) in names.iter().chain(&more).enumerate() {
            assert!(scope.define(name, binding(index)));
        }
        for (index, name) in names.iter().chain(&more).enumerate() {
            assert_eq!(scope.get(name).and_then(|b| b.value(0)), Some(Value::new(index)), "{name}");
            assert!(!scope.define(name, binding(0)), "{name} is taken");
        }
        assert!(scope.numbered.len() <= 2 * scope.definitions + SLACK);
    }

    #[test]
    fn names_of_a_region_go_out_of_sight() {
        let mut scope = Scope::default();
        scope.enter();
        assert!(scope.define("%0", binding(0)));
        let mark = scope.enter();
        assert!(scope.define("%1", binding(1)) && scope.define("%a", binding(2)) && scope.define("%900000000", binding(3)));
        scope.leave(mark);
        for name in ["%1", "%a", "%900000000"] {
            assert!(scope.get(name).is_none(), "{name}");
        }
        assert!(scope.get("%0").is_some());
        scope.leave(0);
        assert!(scope.get("%0").is_none());
    }
}
