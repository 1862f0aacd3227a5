//! Numbers with unknown factors: how often loops run.

use serde::Serialize;
use std::{collections::BTreeMap, fmt};

/// A number, or a sum of numbers times unknown numbers of iterations.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Amount {
    /// The summands, those with fewer unknown factors first; none for 0.
    pub terms: Vec<Term>,
}

/// A number times unknown numbers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Term {
    /// The known factor.
    pub count: u128,
    /// The unknown factors: `n0`, `n1`.
    pub loops: Vec<String>,
}

/// How often something happens: so many times for each iteration of a loop, or of the function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Times {
    pub(super) count: u128,
    /// The innermost loop around it whose number of iterations is unknown.
    pub(super) unknown: Option<usize>,
}

impl Times {
    pub(super) const ONCE: Times = Times { count: 1, unknown: None };

    /// As often for each time.
    pub(super) fn times(self, count: u128) -> Times {
        Times { count: self.count.saturating_mul(count), ..self }
    }
}

/// The loops whose number of iterations is unknown: for each the next one around it.
pub(super) type Unknowns = [Option<usize>];

/// The loops from the outermost to `innermost`.
fn path(unknowns: &Unknowns, innermost: Option<usize>) -> Vec<usize> {
    let mut path: Vec<usize> = std::iter::successors(innermost, |&inner| unknowns[inner]).collect();
    path.reverse();
    path
}

/// A sum of [`Times`].
#[derive(Clone, Debug, Default)]
pub(super) struct Sum(BTreeMap<Option<usize>, u128>);

impl Sum {
    pub(super) fn add(&mut self, times: Times) {
        if times.count > 0 {
            let count = self.0.entry(times.unknown).or_default();
            *count = count.saturating_add(times.count);
        }
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// With the names of the unknown numbers.
    pub(super) fn amount(&self, unknowns: &Unknowns) -> Amount {
        let names = |innermost| path(unknowns, innermost).into_iter().map(|number| format!("n{number}")).collect();
        let mut terms: Vec<Term> = self.0.iter().map(|(&innermost, &count)| Term { count, loops: names(innermost) }).collect();
        terms.sort_by_key(|term| term.loops.len());
        Amount { terms }
    }

    /// The summand that outgrows all others: it has every unknown factor that they have.
    pub(super) fn leading(&self, unknowns: &Unknowns) -> Option<(Option<usize>, u128)> {
        let (&innermost, &count) = self.0.iter().max_by_key(|(innermost, _)| path(unknowns, **innermost).len())?;
        let longest = path(unknowns, innermost);
        self.0.keys().all(|key| key.is_none_or(|key| longest.contains(&key))).then_some((innermost, count))
    }
}

impl From<Times> for Sum {
    fn from(times: Times) -> Sum {
        let mut sum = Sum::default();
        sum.add(times);
        sum
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.terms.is_empty() {
            return f.write_str("0");
        }
        for (index, Term { count, loops }) in self.terms.iter().enumerate() {
            f.write_str(if index > 0 { " + " } else { "" })?;
            match (count, &loops[..]) {
                (1, [first, rest @ ..]) => {
                    f.write_str(first)?;
                    rest.iter().try_for_each(|name| write!(f, " x {name}"))?;
                }
                _ => {
                    write!(f, "{count}")?;
                    loops.iter().try_for_each(|name| write!(f, " x {name}"))?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_have_names_and_a_leading_summand() {
        // n1 runs inside of n0, n2 beside it.
        let unknowns = [None, Some(0), None];
        let mut sum = Sum::from(Times { count: 5, unknown: Some(1) });
        assert_eq!(sum.amount(&unknowns).to_string(), "5 x n0 x n1");
        sum.add(Times::ONCE.times(7));
        sum.add(Times { count: 1, unknown: Some(0) });
        assert_eq!(sum.amount(&unknowns).to_string(), "7 + n0 + 5 x n0 x n1");
        assert_eq!(sum.leading(&unknowns), Some((Some(1), 5)));
        sum.add(Times { count: 1, unknown: Some(2) });
        assert_eq!(sum.leading(&unknowns), None);
        assert_eq!(Sum::from(Times::ONCE.times(0)).amount(&unknowns).to_string(), "0");
    }
}
