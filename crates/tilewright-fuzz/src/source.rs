//! Where choices come from: bytes.

/// Bytes that are read as choices, from the first to the last.
///
/// Behind the last byte, every choice is the first one of its kind, which is the simplest. So shortening the bytes and
/// setting some of them to zero makes what is generated from them smaller: that is all a shrinker has to do, and it lets
/// libFuzzer mutate what it knows nothing about.
#[derive(Clone, Debug)]
pub struct Source<'b> {
    rest: &'b [u8],
}

impl<'b> Source<'b> {
    /// The choices that these bytes stand for.
    pub fn new(bytes: &'b [u8]) -> Self {
        Source { rest: bytes }
    }

    /// Whether only first choices are left.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The bytes that no choice has taken.
    pub fn rest(&self) -> &'b [u8] {
        self.rest
    }

    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        match self.rest.split_first() {
            Some((&byte, rest)) => {
                self.rest = rest;
                byte
            }
            None => 0,
        }
    }

    /// A number of so many bytes, the first byte lowest.
    pub fn number(&mut self, bytes: u32) -> u64 {
        (0..bytes).fold(0, |number, i| number | u64::from(self.byte()) << (8 * i))
    }

    /// A number below `bound`; 0 where there is none.
    pub fn below(&mut self, bound: usize) -> usize {
        match bound {
            0 | 1 => 0,
            2..=256 => usize::from(self.byte()) % bound,
            _ => self.number(4) as usize % bound,
        }
    }

    /// One of these.
    ///
    /// # Panics
    /// When there are none.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// Yes or no.
    pub fn flag(&mut self) -> bool {
        self.one_in(2)
    }

    /// Yes, once in so many times.
    pub fn one_in(&mut self, times: u8) -> bool {
        self.byte() % times == times - 1
    }

    /// All of these in some order.
    pub fn shuffled<T>(&mut self, mut items: Vec<T>) -> Vec<T> {
        for i in (1..items.len()).rev() {
            // The first choice leaves everything where it is.
            items.swap(i, i - self.below(i + 1));
        }
        items
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_choices_follow_the_last_byte() {
        let mut source = Source::new(&[3, 0xff, 1]);
        assert_eq!(source.below(2), 1);
        assert_eq!(source.number(2), 0x01ff);
        assert!(source.is_empty());
        assert!(!source.flag() && !source.one_in(200));
        assert_eq!(source.pick(&['a', 'b']), 'a');
        assert_eq!(source.shuffled(vec![0, 1, 2]), [0, 1, 2]);
        assert_eq!(source.below(1000), 0);
    }
}
