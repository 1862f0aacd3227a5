//! Which parts of shared memory are free: an operation that writes some where others were read lately waits for these, or takes another part.

use super::Lowerer;
use crate::thread::Label;

/// As far as parts are laid beside each other, so that nobody waits; what an operation needs at once may be more.
const BESIDE: u32 = 16 << 10;
/// What parts begin at multiples of.
const ALIGNMENT: u32 = 16;

/// A part that was read, and how many barriers there were then.
#[derive(Clone, Copy, Debug)]
struct Read {
    begin: u32,
    end: u32,
    made: u32,
}

/// A round of a loop whose body is lowered.
#[derive(Debug)]
struct Round {
    /// How many barriers there were in front of it.
    made: u32,
    /// Parts that are written before all threads have met in the round.
    early: Vec<(u32, u32)>,
    /// Parts that are read after all threads have met for the last time.
    late: Vec<(u32, u32)>,
}

/// The parts that were read, and the loops around the current place.
#[derive(Default, Debug)]
pub(super) struct SharedParts {
    reads: Vec<Read>,
    rounds: Vec<Round>,
    /// What the stages of the loops around the current place hold, from the first byte, and what those of any loop so far held.
    held: u32,
    most_held: u32,
}

impl SharedParts {
    /// Where so many bytes behind what is held are free of the parts that these still read; none if that is too far behind what was ever held.
    fn free_place(busy: &[Read], bytes: u32, (held, most_held): (u32, u32)) -> Option<u32> {
        let is_free = |begin: u32| busy.iter().all(|read| read.end <= begin || begin + bytes <= read.begin);
        let behind = busy.iter().map(|read| read.end.checked_next_multiple_of(ALIGNMENT).unwrap_or(u32::MAX));
        let end = most_held.saturating_add(BESIDE).max(held.saturating_add(bytes));
        let fits = |begin: &u32| *begin >= held && begin.saturating_add(bytes) <= end;
        let mut places: Vec<u32> = std::iter::once(held).chain(behind).filter(fits).collect();
        places.sort_unstable();
        places.into_iter().find(|begin| is_free(*begin))
    }
}

impl Lowerer<'_> {
    /// Takes a part of so many bytes, in which no thread reads any more; gives where it begins. It is to be written, then all threads meet, then it is
    /// read, which [`read_shared`](Self::read_shared) is told.
    pub(super) fn claim_shared(&mut self, bytes: u32) -> u32 {
        let busy: Vec<Read> = self.shared.reads.iter().copied().filter(|read| !self.barriers.is_passed_since(read.made)).collect();
        let (held, most_held) = (self.shared.held, self.shared.most_held);
        let begin = SharedParts::free_place(&busy, bytes, (held, most_held)).unwrap_or_else(|| {
            self.barrier();
            held
        });
        self.take_shared(begin, bytes);
        begin
    }

    /// Bytes that the stages of the loops around the current place hold.
    pub(super) fn held_shared(&self) -> u32 {
        self.shared.held
    }

    /// Holds so many bytes until [`release_shared`](Self::release_shared), in which no thread reads any more; gives where they begin.
    pub(super) fn hold_shared(&mut self, bytes: u32) -> u32 {
        let begin = self.shared.held;
        let is_busy = |read: &Read| read.begin < begin + bytes && begin < read.end && !self.barriers.is_passed_since(read.made);
        if self.shared.reads.iter().any(is_busy) {
            self.barrier();
        }
        self.take_shared(begin, bytes);
        self.shared.held = begin + bytes;
        self.shared.most_held = self.shared.most_held.max(begin + bytes);
        begin
    }

    /// What was held last is free when all threads have read it.
    pub(super) fn release_shared(&mut self, begin: u32) {
        let bytes = self.shared.held - begin;
        self.shared.held = begin;
        self.read_shared(begin, bytes);
    }

    /// A part is written from here on.
    fn take_shared(&mut self, begin: u32, bytes: u32) {
        self.b.need_shared(begin + bytes);
        for round in &mut self.shared.rounds {
            if !self.barriers.is_passed_since(round.made) {
                round.early.push((begin, begin + bytes));
            }
        }
    }

    /// A part was read.
    pub(super) fn read_shared(&mut self, begin: u32, bytes: u32) {
        self.shared.reads.push(Read { begin, end: begin + bytes, made: self.barriers.count() });
    }

    /// A loop's body begins.
    pub(super) fn begin_round(&mut self) {
        self.shared.rounds.push(Round { made: self.barriers.count(), early: Vec::new(), late: Vec::new() });
    }

    /// The innermost loop goes on with its next round from here.
    pub(super) fn next_round(&mut self) {
        let Some(round) = self.shared.rounds.last_mut() else { return };
        let own = self.shared.reads.iter().filter(|read| read.made >= round.made);
        round.late.extend(own.filter(|read| !self.barriers.is_passed_since(read.made)).map(|read| (read.begin, read.end)));
    }

    /// The innermost loop's body, which begins at a block, is lowered: if a round writes what the round before may still read, they begin with a barrier.
    pub(super) fn end_round(&mut self, body: Label) {
        let Some(round) = self.shared.rounds.pop() else { return };
        let meets = |(begin, end): &(u32, u32)| round.late.iter().any(|late| late.0 < *end && *begin < late.1);
        if round.early.iter().any(meets) {
            self.b.begin_with_barrier(body);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_lie_beside_what_is_read() {
        let read = |begin, end| Read { begin, end, made: 0 };
        assert_eq!(SharedParts::free_place(&[], 1 << 15, (0, 0)), Some(0));
        assert_eq!(SharedParts::free_place(&[read(0, 512)], 512, (0, 0)), Some(512));
        assert_eq!(SharedParts::free_place(&[read(0, 4), read(528, 600)], 512, (0, 0)), Some(16));
        assert_eq!(SharedParts::free_place(&[read(0, 4), read(527, 600)], 512, (0, 0)), Some(608));
        assert_eq!(SharedParts::free_place(&[read(512, 600)], 512, (0, 0)), Some(0));
        // Too far behind, and everything.
        assert_eq!(SharedParts::free_place(&[read(0, BESIDE)], 4, (0, 0)), None);
        assert_eq!(SharedParts::free_place(&[read(0, u32::MAX)], 4, (0, 0)), None);
        assert_eq!(SharedParts::free_place(&[read(0, 4)], 1 << 15, (0, 0)), None);
        // Behind what is held.
        assert_eq!(SharedParts::free_place(&[], 512, (4096, 4096)), Some(4096));
        assert_eq!(SharedParts::free_place(&[read(0, 4100), read(8192, 8200)], 512, (4096, 4096)), Some(4112));
        assert_eq!(SharedParts::free_place(&[read(4096, 4100)], 1 << 15, (4096, 4096)), None);
        // What is large takes the place of what was held, and others wait for that.
        assert_eq!(SharedParts::free_place(&[read(0, 1 << 16)], 1 << 15, (0, 1 << 16)), None);
        // Behind what was held.
        assert_eq!(SharedParts::free_place(&[read(0, 4096)], 1 << 14, (0, 4096)), Some(4096));
    }
}
