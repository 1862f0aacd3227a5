//! What most operations consist of, read without looking for errors.
//!
//! Whatever is not as expected is left to `ir.rs`, which reads the operation again and says what is wrong with it.

use super::ir::{Counts, mask};
use crate::{
    cursor::Numbers,
    ir::{OpData, Span, Value},
    tables::{AttrId, NameId, TypeId},
};

/// The values of a region that is being read.
#[derive(Clone, Copy)]
pub(super) struct Scope {
    /// All that it defines, and the next of them.
    pub(super) values: Span,
    pub(super) next_value: u32,
    /// Values of enclosing regions come first: the number of the first of its own.
    pub(super) first_number: u32,
}

impl Scope {
    /// The value with a number, if it is one of this region and was defined.
    #[inline]
    pub(super) fn value(&self, number: u64) -> Option<Value> {
        let place = number.checked_sub(u64::from(self.first_number))?;
        (place < u64::from(self.next_value - self.values.start)).then_some(Value(self.values.start + place as u32))
    }

    /// What most operations have of the next one, and what parts it has; none, and whatever was pushed counts for nothing, where it takes
    /// more. Operands are pushed to `operands`. `types` are those of all values; `outer` finds values of enclosing regions.
    #[inline]
    pub(super) fn op(
        &mut self,
        numbers: &mut Numbers<'_>,
        counts: Counts,
        known_parts: u8,
        types: &mut [TypeId],
        operands: &mut Vec<Value>,
        outer: impl Fn(u64) -> Option<Value>,
    ) -> Option<(OpData, u8)> {
        let name = index(numbers.small()?, counts.names)?;
        let parts = numbers.byte()?;
        if parts & !known_parts != 0 {
            return None;
        }
        let has = |part| parts & part != 0;
        let mut data = OpData::new(NameId(name), AttrId(index(numbers.any()?, counts.attrs)?));
        if has(mask::ATTRS) {
            data.set_attrs(Some(AttrId(index(numbers.any()?, counts.attrs)?)));
        }
        if has(mask::PROPERTIES) {
            data.set_properties(Some(index(numbers.any()?, counts.properties)?));
        }
        let mut scope = *self;
        if has(mask::RESULTS) {
            let count = numbers.count(1)?;
            if count > (scope.values.start + scope.values.len - scope.next_value) as usize {
                return None;
            }
            data.results = Span { start: scope.next_value, len: count as u32 };
            for ty in &mut types[data.results.range()] {
                *ty = TypeId(index(numbers.small()?, counts.types)?);
            }
            scope.next_value += count as u32;
        }
        if has(mask::OPERANDS) {
            let (start, count) = (operands.len() as u32, numbers.count(1)?);
            for _ in 0..count {
                let number = numbers.any()?;
                operands.push(scope.value(number).or_else(|| outer(number))?);
            }
            data.operands = Span { start, len: count as u32 };
        }
        if !numbers.are_whole() {
            return None;
        }
        *self = scope;
        Some((data, parts))
    }
}

#[inline]
fn index(number: u64, count: usize) -> Option<u32> {
    (number < count as u64).then_some(number as u32)
}
