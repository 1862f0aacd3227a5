//! Time that passes, also where there is no clock: `wasm32-unknown-unknown` has none, and `std::time::Instant` panics there.

use std::time::Duration;

/// A moment of a monotonic clock. Where there is no clock, no time passes between two moments.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Moment(#[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))] std::time::Instant);

#[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
impl Moment {
    /// Now.
    pub fn now() -> Moment {
        Moment(std::time::Instant::now())
    }

    /// The time from an earlier moment to this one; none if that is later.
    pub fn since(self, earlier: Moment) -> Duration {
        self.0.saturating_duration_since(earlier.0)
    }

    /// The moment that is so much later, unless time does not go that far.
    pub fn checked_add(self, time: Duration) -> Option<Moment> {
        self.0.checked_add(time).map(Moment)
    }
}

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
impl Moment {
    /// The only one.
    pub fn now() -> Moment {
        Moment()
    }

    /// No time.
    pub fn since(self, _earlier: Moment) -> Duration {
        Duration::ZERO
    }

    /// None but this one: what waits for a later moment would wait for ever.
    pub fn checked_add(self, time: Duration) -> Option<Moment> {
        time.is_zero().then_some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_in_order() {
        let first = Moment::now();
        let later = first.checked_add(Duration::from_secs(3)).unwrap();
        assert_eq!((later.since(first), first.since(later)), (Duration::from_secs(3), Duration::ZERO));
        assert!(first < later && Moment::now() >= first);
    }
}
