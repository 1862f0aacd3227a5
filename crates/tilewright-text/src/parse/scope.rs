//! Names of values, and where they can be seen.

use super::lexer::Token;
use foldhash::{HashMap, HashMapExt as _};
use std::hash::Hash;
use std::num::NonZeroU32;
use std::ops::Range;
use tilewright_ir::Value;

/// What a name stands for: values that follow each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Binding {
    /// The index of the first one, plus one, so that the list of numbered names is small.
    first: NonZeroU32,
    /// None: the operation that should define the name has an error, so uses of the name are none.
    count: u32,
}

impl Binding {
    /// Stands for what an error left undefined.
    pub(super) const BROKEN: Binding = Binding { first: NonZeroU32::MIN, count: 0 };

    #[inline]
    pub(super) fn new(first: Value, count: u32) -> Binding {
        Binding { first: NonZeroU32::MIN.saturating_add(first.index() as u32), count }
    }

    pub(super) fn count(self) -> u32 {
        self.count
    }

    #[inline]
    pub(super) fn is_broken(self) -> bool {
        self.count == 0
    }

    #[inline]
    pub(super) fn value(self, position: u32) -> Option<Value> {
        (position < self.count).then(|| Value::new(self.first.get() as usize - 1 + position as usize))
    }
}

/// The names in sight: those of a region and of the regions around it. No name is defined twice among them.
///
/// Names are given as their tokens, which know their number; only the others are looked up by their text.
#[derive(Debug)]
pub(super) struct Scope<'s> {
    /// The names that are numbers, as printers give them: `%0`, `%1`, ...
    numbered: Vec<Option<Binding>>,
    /// All other names, also numbers that are too large for their place in a list.
    named: Names<'s>,
    /// Whether there are such numbers.
    has_stray: bool,
    /// How many definitions there were.
    definitions: usize,
    /// How many regions are open.
    depth: usize,
    /// What the regions inside of the outermost one define.
    inner: Vec<Token>,
}

impl<'s> Scope<'s> {
    /// No names yet, of the text that tokens belong to.
    pub(super) fn new(source: &'s str) -> Scope<'s> {
        Scope { numbered: Vec::new(), named: Names::new(source), has_stray: false, definitions: 0, depth: 0, inner: Vec::new() }
    }

    #[inline]
    pub(super) fn get(&self, name: Token) -> Option<Binding> {
        if let Some(number) = name.number() {
            if let Some(&Some(binding)) = self.numbered.get(number) {
                return Some(binding);
            }
            if !self.has_stray {
                return None;
            }
        }
        self.named.get(name.span())
    }

    /// Defines a name; false if it is taken.
    #[inline]
    pub(super) fn define(&mut self, name: Token, binding: Binding) -> bool {
        let number = name.number().filter(|&number| number <= 2 * self.definitions + SLACK);
        if number == Some(self.numbered.len()) && !self.has_stray {
            // The next number: nothing can have it.
            self.numbered.push(Some(binding));
        } else if self.get(name).is_some() {
            return false;
        } else {
            self.insert(name, number, binding);
        }
        self.definitions += 1;
        if self.depth > 1 {
            self.inner.push(name);
        }
        true
    }

    fn insert(&mut self, name: Token, number: Option<usize>, binding: Binding) {
        let Some(number) = number else {
            self.has_stray |= name.number().is_some();
            return self.named.set(name.span(), binding);
        };
        if number >= self.numbered.len() {
            self.numbered.resize(number + 1, None);
        }
        self.numbered[number] = Some(binding);
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
        for index in mark..self.inner.len() {
            let name = self.inner[index];
            match name.number().and_then(|number| self.numbered.get_mut(number)) {
                Some(binding @ Some(_)) => *binding = None,
                _ => self.named.remove(name.span()),
            }
        }
        self.inner.truncate(mark);
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

/// Bindings by names in a text.
#[derive(Debug)]
struct Names<'s> {
    source: &'s str,
    /// Names of up to [`SHORT`] bytes, by these bytes as a number.
    short: HashMap<u128, Binding>,
    /// Longer names.
    long: HashMap<&'s str, Binding>,
}

const SHORT: usize = size_of::<u128>();

/// The bits of a name, by the number of bytes behind it.
static KEPT: [u128; SHORT] = {
    let mut kept = [u128::MAX; SHORT];
    let mut unused = 0;
    while unused < SHORT {
        kept[unused] >>= 8 * unused;
        unused += 1;
    }
    kept
};

impl<'s> Names<'s> {
    fn new(source: &'s str) -> Names<'s> {
        Names { source, short: HashMap::new(), long: HashMap::new() }
    }

    #[inline]
    fn get(&self, span: Range<usize>) -> Option<Binding> {
        match self.key(&span) {
            Some(key) => self.short.get(&key).copied(),
            None => self.long.get(&self.source[span]).copied(),
        }
    }

    fn set(&mut self, span: Range<usize>, binding: Binding) {
        match self.key(&span) {
            Some(key) => self.short.insert(key, binding),
            None => self.long.insert(&self.source[span], binding),
        };
    }

    fn remove(&mut self, span: Range<usize>) {
        match self.key(&span) {
            Some(key) => self.short.remove(&key),
            None => self.long.remove(&self.source[span]),
        };
    }

    fn clear(&mut self) {
        clear(&mut self.short);
        clear(&mut self.long);
    }

    /// The bytes of a short name as a number; names have no byte that is 0.
    #[inline]
    fn key(&self, span: &Range<usize>) -> Option<u128> {
        let unused = SHORT.checked_sub(span.len())?;
        match self.source.as_bytes()[span.start..].first_chunk() {
            Some(bytes) => Some(u128::from_le_bytes(*bytes) & KEPT[unused]),
            None => {
                let mut bytes = [0; SHORT];
                bytes[..span.len()].copy_from_slice(&self.source.as_bytes()[span.clone()]);
                Some(u128::from_le_bytes(bytes))
            }
        }
    }
}

/// Empties a map, in a time that what it held accounts for: one that was larger before is made anew.
fn clear<K: Eq + Hash, V>(map: &mut HashMap<K, V>) {
    if map.capacity() / 8 > map.len() + SLACK {
        *map = HashMap::new();
    }
    map.clear();
}

#[cfg(test)]
mod tests {
    use super::super::lexer::{Kind, Lexer};
    use super::*;

    fn binding(index: usize) -> Binding {
        Binding::new(Value::new(index), 1)
    }

    /// The names in a text.
    fn names(source: &str) -> Vec<Token> {
        let mut lexer = Lexer::new(source);
        std::iter::from_fn(|| Some(lexer.next()).filter(|token| token.is(Kind::Value))).collect()
    }

    #[test]
    fn names_are_found_wherever_they_are_kept() {
        let numbers: Vec<String> = (2..4000).map(|number| format!("%{number}")).collect();
        let source = format!("%999999999 %0 %00 %x %5000 %1 {}", numbers.join(" "));
        let names = names(&source);
        assert_eq!(names.len(), numbers.len() + 6);
        let mut scope = Scope::new(&source);
        scope.enter();
        for (index, &name) in names.iter().enumerate() {
            assert!(scope.define(name, binding(index)));
        }
        for (index, &name) in names.iter().enumerate() {
            assert_eq!(scope.get(name).and_then(|b| b.value(0)), Some(Value::new(index)), "{name:?}");
            assert!(!scope.define(name, binding(0)), "{name:?} is taken");
        }
        assert!(scope.numbered.len() <= 2 * scope.definitions + SLACK);
    }

    #[test]
    fn names_of_a_region_go_out_of_sight() {
        let source = "%0 %1 %a %900000000";
        let names = names(source);
        let mut scope = Scope::new(source);
        scope.enter();
        assert!(scope.define(names[0], binding(0)));
        let mark = scope.enter();
        assert!((1..4).all(|index| scope.define(names[index], binding(index))));
        scope.leave(mark);
        for &name in &names[1..] {
            assert!(scope.get(name).is_none(), "{name:?}");
        }
        assert!(scope.get(names[0]).is_some());
        scope.leave(0);
        assert!(scope.get(names[0]).is_none());
    }

    #[test]
    fn room_for_many_names_is_not_kept_for_few() {
        let source: String = (0..100_000).map(|number| format!("%a{number} %a_name_that_is_long{number} ")).collect();
        let names = names(&source);
        let mut scope = Scope::new(&source);
        for count in [names.len(), 2] {
            let mark = scope.enter();
            assert!(names[..count].iter().all(|&name| scope.define(name, binding(0))));
            scope.leave(mark);
        }
        assert!(scope.named.short.capacity() + scope.named.long.capacity() < names.len() / 10);
    }

    #[test]
    fn bindings_are_small() {
        assert_eq!(size_of::<Option<Binding>>(), 8);
    }
}
