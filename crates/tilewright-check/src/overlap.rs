//! Arrays that a kernel was compiled to take as distinct: which bytes they share, and who writes these.

use crate::{
    elements::{Elements, Run},
    rules,
    state::{At, State},
};

/// Memory of an array. Its elements may lie apart from each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Array {
    name: String,
    address: u64,
    /// How many bytes lie side by side, at each place that the dimensions give.
    bytes: u64,
    /// Extents from 1 and distances in bytes, the widest first.
    dims: Vec<(u64, u64)>,
}

impl Array {
    /// Bytes from a device address on; the name is what messages call it.
    pub fn new(name: String, address: u64, bytes: u64) -> Array {
        Array { name, address, bytes, dims: Vec::new() }
    }

    /// Repeats what there is: at so many places, so many bytes apart from each other.
    #[must_use]
    pub fn repeated(mut self, count: u64, distance: u64) -> Array {
        if count == 0 {
            self.bytes = 0;
        } else if distance == self.bytes && self.dims.is_empty() {
            self.bytes = self.bytes.saturating_mul(count);
        } else if count > 1 && distance > 0 {
            let place = self.dims.partition_point(|(_, wider)| *wider >= distance);
            self.dims.insert(place, (count, distance));
        }
        self
    }

    /// The first of its bytes that has this address or a higher one.
    fn byte_from(&self, address: u64) -> Option<u64> {
        let offset = offset_from(&self.dims, self.bytes, address.saturating_sub(self.address))?;
        self.address.checked_add(offset)
    }
}

/// How far the last byte lies behind the first one.
fn reach(dims: &[(u64, u64)], bytes: u64) -> u64 {
    let steps = dims.iter().map(|(count, distance)| (count - 1).saturating_mul(*distance));
    steps.fold(bytes.saturating_sub(1), u64::saturating_add)
}

/// The first byte at this offset or behind it. Where lines do not reach into each other, at most two are looked at.
fn offset_from(dims: &[(u64, u64)], bytes: u64, offset: u64) -> Option<u64> {
    if bytes == 0 || offset > reach(dims, bytes) {
        return None;
    }
    let Some(((count, distance), inner)) = dims.split_first() else { return Some(offset) };
    // Lines in front of this one end before the offset.
    let first = offset.saturating_sub(reach(inner, bytes)).div_ceil(*distance);
    let mut found: Option<u64> = None;
    for start in (first..*count).map(|line| line.saturating_mul(*distance)) {
        if found.is_some_and(|found| found <= start) {
            break;
        }
        let here = offset_from(inner, bytes, offset.saturating_sub(start)).map(|inside| start.saturating_add(inside));
        found = found.into_iter().chain(here).min();
    }
    found
}

/// The first byte from `from` on, and in front of `to`, that both arrays have.
fn shared_byte(a: &Array, b: &Array, from: u64, to: u64) -> Option<u64> {
    let mut address = from;
    loop {
        let first = a.byte_from(address).filter(|first| *first < to)?;
        address = b.byte_from(first).filter(|first| *first < to)?;
        if address == first {
            return Some(address);
        }
    }
}

/// Two arrays that share bytes.
pub(crate) struct Overlap {
    a: Array,
    b: Array,
}

impl State<'_> {
    /// Finds the arrays that share bytes.
    pub(crate) fn set_overlaps(&mut self, arrays: &[Array]) {
        for (i, a) in arrays.iter().enumerate() {
            let sharing = arrays[i + 1..].iter().filter(|b| shared_byte(a, b, 0, u64::MAX).is_some());
            self.overlaps.extend(sharing.map(|b| Overlap { a: a.clone(), b: b.clone() }));
        }
    }

    /// Reports writes to bytes that arrays share which the kernel takes as distinct.
    pub(crate) fn check_overlaps(&mut self, at: At, elements: &Elements) {
        let mut violations = Vec::new();
        for Overlap { a, b } in &self.overlaps {
            let is_shared = |run: &&Run| shared_byte(a, b, run.address, run.address.saturating_add(run.bytes(elements.bits))).is_some();
            let Some(run) = elements.runs.iter().find(is_shared) else { continue };
            let message =
                format!("it writes memory that {} and {} share, which the kernel was compiled to take as distinct", a.name, b.name);
            violations.push(self.violation_of(&rules::OVERLAPPING_ARRAYS, message, elements, run, 1));
        }
        for violation in violations {
            self.violation(at, violation);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(address: u64, bytes: u64, dims: &[(u64, u64)]) -> Array {
        dims.iter().fold(Array::new(String::new(), address, bytes), |array, (count, distance)| array.repeated(*count, *distance))
    }

    /// The bytes of an array, by counting.
    fn bytes(address: u64, bytes: u64, dims: &[(u64, u64)]) -> Vec<u64> {
        let mut places = vec![address];
        for (count, distance) in dims {
            places = places.iter().flat_map(|place| (0..*count).map(move |i| place + i * distance)).collect();
        }
        let mut all: Vec<u64> = places.iter().flat_map(|place| *place..place + bytes).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    #[test]
    fn columns_of_a_matrix_share_no_byte() {
        let (even, odd) = (array(1000, 4, &[(8, 8)]), array(1004, 4, &[(8, 8)]));
        assert_eq!(shared_byte(&even, &odd, 0, 2000), None);
        assert_eq!(shared_byte(&even, &array(1004, 4, &[(8, 4)]), 0, 2000), Some(1008));
        assert_eq!(shared_byte(&even, &array(1002, 4, &[(8, 8)]), 0, 2000), Some(1002));
        assert_eq!(shared_byte(&even, &array(1000, 0, &[]), 0, 2000), None);
    }

    #[test]
    fn rows_side_by_side_are_one_piece() {
        assert_eq!(array(8, 4, &[(16, 4), (3, 64)]), Array::new(String::new(), 8, 192));
        assert_eq!(array(8, 4, &[(0, 4), (3, 64)]).byte_from(0), None);
    }

    #[test]
    fn shared_bytes_are_those_that_counting_finds() {
        // Arrays of all kinds, lines that reach into each other among them.
        let shapes: Vec<(u64, Vec<(u64, u64)>)> = (1..4)
            .flat_map(|bytes| [3, 5, 8].map(|near| [7, 20].map(|far| (bytes, vec![(3, near), (2, far)]))))
            .flatten()
            .chain([(6, vec![]), (2, vec![(4, 0), (3, 9)])])
            .collect();
        for (a, b) in shapes.iter().flat_map(|a| shapes.iter().map(move |b| (a, b))) {
            for begin in 0..12 {
                let (counted, of_b) = (bytes(5, a.0, &a.1), bytes(begin, b.0, &b.1));
                let shared: Vec<u64> = counted.into_iter().filter(|byte| of_b.contains(byte)).collect();
                let (one, other) = (array(5, a.0, &a.1), array(begin, b.0, &b.1));
                for address in 0..41 {
                    let expected = shared.iter().copied().find(|byte| (address..40).contains(byte));
                    assert_eq!(shared_byte(&one, &other, address, 40), expected, "{a:?} and {b:?} at {begin}, from {address}");
                }
            }
        }
    }
}
