//! What the last cache of the CPU holds.

use std::sync::OnceLock;

/// More than any CPU's last cache has for each of its processors.
const MOST_CACHE_OF_A_PROCESSOR: usize = 16 << 20;

/// Bytes of the last cache, or a usual number where the CPU does not say.
pub(crate) fn last_cache() -> usize {
    static LAST: OnceLock<usize> = OnceLock::new();
    *LAST.get_or_init(|| {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        share_of_cache(largest_cache().unwrap_or(32 << 20), processors)
    })
}

/// What so many processors have of a cache. A machine that is a part of a larger one is told the cache of all of that, which others use as
/// well: no more than its processors can have counts.
fn share_of_cache(bytes: usize, processors: usize) -> usize {
    bytes.min(MOST_CACHE_OF_A_PROCESSOR.saturating_mul(processors))
}

/// What the CPU says about its caches: leaf 4 on Intel's, leaf 0x8000001d on AMD's, which have one form.
#[cfg(target_arch = "x86_64")]
fn largest_cache() -> Option<usize> {
    use std::arch::x86_64::{__cpuid, __cpuid_count};
    let leaves = [(0, 4), (0x8000_0000, 0x8000_001d)].into_iter().filter(|(range, leaf)| __cpuid(*range).eax >= *leaf);
    let cache = |leaf: u32, number: u32| {
        let found = __cpuid_count(leaf, number);
        let part = |first: u32, bits: u32| (found.ebx >> first & ((1 << bits) - 1)) as usize + 1;
        let kind = found.eax & 0x1f;
        // Ways, partitions, bytes of a line, sets.
        (kind != 0).then(|| part(22, 10) * part(12, 10) * part(0, 12) * (found.ecx as usize + 1))
    };
    leaves.flat_map(|(_, leaf)| (0..4).map_while(move |number| cache(leaf, number))).max()
}

#[cfg(not(target_arch = "x86_64"))]
fn largest_cache() -> Option<usize> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_machine_has_a_part_of_its_cache() {
        assert_eq!(share_of_cache(32 << 20, 16), 32 << 20);
        assert_eq!(share_of_cache(480 << 20, 2), 32 << 20);
        assert_eq!(share_of_cache(480 << 20, usize::MAX), 480 << 20);
    }
}
