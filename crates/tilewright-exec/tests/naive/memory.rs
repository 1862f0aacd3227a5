//! Memory of the evaluator: bytes at addresses, and which of them cannot be trusted.

use super::{
    trace::Trace,
    value::{Element, Item, Trust},
};
use std::collections::BTreeMap;
use tilewright_ir::Scalar;

/// Where memory of `alloca` and globals lies: any place will do, as the programs do not look at these addresses.
const FIRST_LOCAL: u64 = 1 << 50;

#[derive(Clone, Default, Debug)]
pub(crate) struct Memory {
    regions: Vec<(u64, Vec<u8>)>,
    /// Elements that are not known to the bit, by address: their type, and what they are worth.
    doubts: BTreeMap<u64, (Element, Item)>,
    locals: u64,
    /// What happens, where somebody wants to know.
    pub(crate) trace: Option<Trace>,
}

impl Memory {
    pub(crate) fn add(&mut self, address: u64, bytes: Vec<u8>) {
        self.regions.push((address, bytes));
    }

    /// New memory of zeros; gives its address.
    pub(crate) fn allocate(&mut self, bytes: Vec<u8>) -> u64 {
        let address = FIRST_LOCAL + self.locals;
        self.locals += (bytes.len() as u64).next_multiple_of(4096) + 4096;
        self.add(address, bytes);
        address
    }

    pub(crate) fn bytes(&self, address: u64) -> &[u8] {
        &self.regions.iter().find(|(start, _)| *start == address).expect("the region was added").1
    }

    /// The elements that are not known to the bit.
    pub(crate) fn doubts(&self) -> impl Iterator<Item = (u64, Element, Item)> {
        self.doubts.iter().map(|(address, (element, item))| (*address, *element, *item))
    }

    /// The doubtful elements that share bytes with these; none has more than 8.
    fn overlapping(&self, address: u64, size: u64) -> Vec<(u64, Element, Item)> {
        let near = self.doubts.range(address.saturating_sub(7)..address + size).map(|(at, (element, item))| (*at, *element, *item));
        near.filter(|(at, element, _)| at + self::size(*element) > address).collect()
    }

    fn byte(&mut self, address: u64) -> &mut u8 {
        let region = self.regions.iter_mut().find(|(start, bytes)| address.wrapping_sub(*start) < bytes.len() as u64);
        let (start, bytes) = region.unwrap_or_else(|| panic!("no memory at {address:#x}"));
        &mut bytes[(address - *start) as usize]
    }

    fn note(&mut self, address: u64, bytes: u64, is_write: bool) {
        if let Some(trace) = &mut self.trace {
            trace.accessed(address, bytes, is_write);
        }
    }

    pub(crate) fn load(&mut self, address: u64, element: Element) -> Item {
        let size = size(element);
        self.note(address, size, false);
        let mut bits = 0;
        for i in (0..size).rev() {
            bits = bits << 8 | u64::from(*self.byte(address + i));
        }
        let overlapping = self.overlapping(address, size);
        match overlapping[..] {
            [] if element == Element::Number(Scalar::I1) => Item::exact(u64::from(bits != 0)),
            [] => Item::exact(bits),
            [(at, e, item)] if at == address && e == element => item,
            _ => Item::UNKNOWN,
        }
    }

    pub(crate) fn store(&mut self, address: u64, element: Element, item: Item) {
        let size = size(element);
        self.note(address, size, true);
        for i in 0..size {
            *self.byte(address + i) = (item.bits >> (8 * i)) as u8;
        }
        // What was there before is gone, or, where it is cut, not worth anything any more.
        for (at, e, _) in self.overlapping(address, size) {
            self.doubts.remove(&at);
            for i in (0..self::size(e)).filter(|i| !(address..address + size).contains(&(at + i))) {
                self.doubts.insert(at + i, (Element::Number(Scalar::I8), Item::UNKNOWN));
            }
        }
        if item.trust != Trust::Exact {
            self.doubts.insert(address, (element, item));
        }
    }

    /// Loads the element at a position counted in elements of 4 bits.
    pub(crate) fn load_half(&mut self, base: u64, position: u64) -> Item {
        let byte = self.load(base + position / 2, Element::Number(Scalar::I8));
        Item { bits: byte.bits >> (position % 2 * 4) & 15, ..byte }
    }

    pub(crate) fn store_half(&mut self, base: u64, position: u64, item: Item) {
        let (address, shift) = (base + position / 2, position % 2 * 4);
        let old = self.load(address, Element::Number(Scalar::I8));
        let bits = old.bits & !(15 << shift) | (item.bits & 15) << shift;
        let exact = old.trust == Trust::Exact && item.trust == Trust::Exact;
        self.store(address, Element::Number(Scalar::I8), if exact { Item::exact(bits) } else { Item::UNKNOWN });
    }
}

/// Bytes of an element in memory.
fn size(element: Element) -> u64 {
    u64::from(element.bits().div_ceil(8))
}
