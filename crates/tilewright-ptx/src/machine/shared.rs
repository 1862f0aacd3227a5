//! Shared memory of a block: its bytes, who accessed each last, and what accesses cost.
//!
//! Two accesses to a byte by different threads are a race if one of them writes, not both are atomic, and nothing orders them. Barriers
//! order: each warp has a clock for every warp of its block, which says up to where it knows what that warp did. `bar.sync` joins the
//! clocks of the warps that take part, and `bar.warp.sync` moves the clock of a warp on. Of readers, the latest of two warps are known,
//! so a race of a write with a third reader of the same warp may go unnoticed. Two writes of the same value are no race.

use crate::machine::lanes::lanes_of;

/// A warp's knowledge of what warps of its block did: a clock for each.
pub(crate) type Clocks = Vec<u32>;

/// Who accesses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access<'w> {
    pub(crate) thread: u16,
    pub(crate) clocks: &'w Clocks,
    pub(crate) pc: u32,
    pub(crate) atomic: bool,
}

/// An access that was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Stamp {
    /// The thread plus one; 0 if there was none.
    thread: u16,
    atomic: bool,
    clock: u32,
    pc: u32,
}

impl Stamp {
    fn new(access: &Access<'_>) -> Stamp {
        let clock = access.clocks[usize::from(access.thread / 32)];
        Stamp { thread: access.thread + 1, atomic: access.atomic, clock, pc: access.pc }
    }

    fn warp(self) -> u16 {
        self.thread.wrapping_sub(1) / 32
    }

    /// Whether everything in `access` comes after this.
    fn is_before(self, access: &Access<'_>) -> bool {
        if self.thread == 0 || self.thread == access.thread + 1 {
            return true;
        }
        let known = access.clocks[usize::from(self.warp())];
        if self.warp() == access.thread / 32 { self.clock < known } else { self.clock <= known }
    }

    fn conflicts(self, access: &Access<'_>) -> bool {
        !(self.is_before(access) || (self.atomic && access.atomic))
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Shadow {
    written: bool,
    /// An asynchronous copy is on its way here: the thread plus one, and the byte that it brings.
    pending: u16,
    incoming: u8,
    writer: Stamp,
    /// Two readers, of different warps.
    readers: [Stamp; 2],
}

/// What is wrong with an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// With what another thread did: its number and its instruction.
    Race { thread: u16, pc: u32, wrote: bool },
    /// A copy to this byte is not known to be complete.
    Pending { thread: u16 },
    /// Nobody wrote this byte.
    Unwritten,
}

/// What accesses to shared memory cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SharedCounts {
    /// Instructions of warps that access shared memory.
    pub accesses: u64,
    /// How often the banks were used for them.
    pub wavefronts: u64,
    /// How many of these were needed because lanes want different words of a bank.
    pub conflicts: u64,
}

impl SharedCounts {
    /// Counts an access of `size` bytes by each lane of the mask: 32 banks give a word of 4 bytes each at a time, to all that want it.
    /// Lanes with 8 bytes are served by halves of a warp, with 16 by quarters.
    pub(crate) fn count(&mut self, addresses: &[u64; 32], mask: u32, size: u64) -> u64 {
        let together = match size {
            0..=4 => 32,
            8 => 16,
            _ => 8,
        };
        let mut conflicts = 0;
        for first in (0..32).step_by(together) {
            let group = mask & ((u64::MAX >> (64 - together)) << first) as u32;
            if group == 0 {
                continue;
            }
            let mut words: Vec<u64> = lanes_of(group)
                .flat_map(|lane| (0..size.div_ceil(4)).map(move |word| (lane, word)))
                .map(|(lane, word)| addresses[lane] / 4 + word)
                .collect();
            words.sort_unstable();
            words.dedup();
            let mut used = [0u64; 32];
            words.iter().for_each(|word| used[(word % 32) as usize] += 1);
            let wavefronts = used.iter().copied().max().unwrap_or(1).max(1);
            self.wavefronts += wavefronts;
            conflicts += wavefronts - 1;
        }
        self.accesses += 1;
        self.conflicts += conflicts;
        conflicts
    }
}

/// Shared memory of a block.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    pub(crate) bytes: Vec<u8>,
    shadows: Vec<Shadow>,
}

impl Shared {
    pub(crate) fn new(len: usize) -> Shared {
        Shared { bytes: vec![0; len], shadows: vec![Shadow::default(); len] }
    }

    pub(crate) fn read(&mut self, at: usize, target: &mut [u8], access: &Access<'_>) -> Option<Trouble> {
        target.copy_from_slice(&self.bytes[at..at + target.len()]);
        let stamp = Stamp::new(access);
        let mut trouble = None;
        for shadow in &mut self.shadows[at..at + target.len()] {
            if shadow.pending != 0 {
                trouble = trouble.or(Some(Trouble::Pending { thread: shadow.pending - 1 }));
            } else if shadow.writer.conflicts(access) {
                trouble = trouble.or(Some(race(shadow.writer, true)));
            } else if !shadow.written {
                trouble = trouble.or(Some(Trouble::Unwritten));
            }
            let [first, second] = &mut shadow.readers;
            if first.warp() == stamp.warp() || first.is_before(access) {
                *first = stamp;
            } else if second.warp() == stamp.warp() || second.is_before(access) {
                *second = stamp;
            }
        }
        trouble
    }

    /// `late`: the bytes arrive at some time, by [`Shared::arrive`].
    pub(crate) fn write(&mut self, at: usize, source: &[u8], access: &Access<'_>, late: bool) -> Option<Trouble> {
        let mut trouble = None;
        for (index, value) in source.iter().enumerate() {
            let (shadow, byte) = (&mut self.shadows[at + index], &mut self.bytes[at + index]);
            // Several threads may copy the same.
            let same = if shadow.pending != 0 { late && shadow.incoming == *value } else { byte == value };
            if shadow.pending != 0 && !same {
                trouble = trouble.or(Some(Trouble::Pending { thread: shadow.pending - 1 }));
            } else if shadow.writer.conflicts(access) && !same {
                trouble = trouble.or(Some(race(shadow.writer, true)));
            } else if let Some(reader) = shadow.readers.iter().find(|reader| reader.conflicts(access)).filter(|_| !same) {
                trouble = trouble.or(Some(race(*reader, false)));
            }
            shadow.writer = Stamp::new(access);
            shadow.written = true;
            if late {
                (shadow.pending, shadow.incoming) = (access.thread + 1, *value);
            } else {
                *byte = *value;
            }
        }
        trouble
    }

    /// The bytes of an asynchronous copy.
    pub(crate) fn arrive(&mut self, at: usize, source: &[u8], access: &Access<'_>) {
        self.bytes[at..at + source.len()].copy_from_slice(source);
        for shadow in &mut self.shadows[at..at + source.len()] {
            shadow.pending = 0;
            shadow.writer = Stamp::new(access);
        }
    }
}

fn race(stamp: Stamp, wrote: bool) -> Trouble {
    Trouble::Race { thread: stamp.thread - 1, pc: stamp.pc, wrote }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(thread: u16, clocks: &Clocks) -> Access<'_> {
        Access { thread, clocks, pc: 0, atomic: false }
    }

    #[test]
    fn what_nothing_orders_races() {
        let (first, second) = (vec![1, 0], vec![0, 1]);
        let mut shared = Shared::new(8);
        assert_eq!(shared.write(0, &[1; 4], &access(0, &first), false), None);
        let mut bytes = [0; 4];
        let race = Some(Trouble::Race { thread: 0, pc: 0, wrote: true });
        assert_eq!(shared.read(0, &mut bytes, &access(32, &second)), race);
        assert_eq!(shared.read(0, &mut bytes, &access(1, &first)), race, "lanes of a warp are not ordered by themselves");
        assert_eq!(shared.read(0, &mut bytes, &access(32, &vec![1, 2])), None, "a barrier joined the clocks");
        assert_eq!(shared.read(4, &mut bytes, &access(32, &second)), Some(Trouble::Unwritten));
        assert_eq!(shared.write(0, &[2; 4], &access(0, &first), false), Some(Trouble::Race { thread: 32, pc: 0, wrote: false }));
        assert_eq!(shared.write(0, &[2; 4], &access(33, &second), false), None, "the same value");
    }

    #[test]
    fn banks_are_counted_as_the_manual_says() {
        let conflicts = |stride: u64, size: u64| {
            let addresses = std::array::from_fn(|lane| lane as u64 * stride);
            SharedCounts::default().count(&addresses, u32::MAX, size)
        };
        assert_eq!((conflicts(4, 4), conflicts(0, 4), conflicts(8, 4), conflicts(128, 4), conflicts(132, 4)), (0, 0, 1, 31, 0));
        assert_eq!((conflicts(8, 8), conflicts(16, 16), conflicts(32, 16), conflicts(2, 2)), (0, 0, 4, 0));
    }
}
