//! Schedules: the order in which the blocks of a watched launch go on.

mod progress;
mod run;
mod waiting;

pub(crate) use run::run;

use std::{fmt, str::FromStr};

/// A block goes on, until it has accessed memory so often, ends, or waits for another block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Turn {
    /// The number of the block, in the order of the grid. A turn of a block that has ended, or does not exist, is left out.
    pub block: u64,
    /// How many operations that access memory it carries out; without a number, it is not preempted.
    pub accesses: Option<u64>,
}

/// The turns with which a watched launch begins. Behind them, what is left goes on in the order of the grid, each block until it ends or
/// waits for another one. As text, `1,0:2` lets block 1 run to its end, and then block 0 carry out two accesses.
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub struct Schedule(Vec<Turn>);

impl Schedule {
    /// Begins with these turns.
    pub fn new(turns: impl IntoIterator<Item = Turn>) -> Schedule {
        Schedule(turns.into_iter().collect())
    }

    /// The turns.
    pub fn turns(&self) -> &[Turn] {
        &self.0
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, Turn { block, accesses }) in self.0.iter().enumerate() {
            let comma = if i > 0 { "," } else { "" };
            write!(f, "{comma}{block}")?;
            if let Some(accesses) = accesses {
                write!(f, ":{accesses}")?;
            }
        }
        Ok(())
    }
}

impl FromStr for Schedule {
    type Err = String;

    fn from_str(text: &str) -> Result<Schedule, String> {
        let number =
            |part: &str| part.parse().map_err(|_| format!("expected turns such as '1,0:2,3', BLOCK or BLOCK:ACCESSES, found '{part}'"));
        let turn = |part: &str| match part.split_once(':') {
            Some((block, accesses)) => Ok(Turn { block: number(block)?, accesses: Some(number(accesses)?) }),
            None => Ok(Turn { block: number(part)?, accesses: None }),
        };
        text.split(',').map(turn).collect::<Result<_, _>>().map(Schedule)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_are_read_as_they_are_written() {
        for text in ["0", "1,0:2", "3:1,3:18446744073709551615,0"] {
            assert_eq!(text.parse::<Schedule>().unwrap().to_string(), text);
        }
        for text in ["", "1,", "x", "1:", ":2", "-1", "1:2:3"] {
            assert!(text.parse::<Schedule>().is_err(), "{text}");
        }
    }
}
