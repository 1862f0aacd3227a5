//! What is known of the elements of a tile: their range, their divisibility, and how they run along each dimension.

use super::Range;
use std::fmt;

/// A power of two, as its exponent: what numbers are divisible by. 64 stands for a number that is 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Divisor(u8);

impl Divisor {
    /// Divisible by 1: nothing is known.
    pub const ONE: Divisor = Divisor(0);
    /// What 0 is divisible by: every power of two.
    pub const ANY: Divisor = Divisor(64);

    /// The largest power of two that divides a number.
    pub fn of(number: u64) -> Divisor {
        Divisor(number.trailing_zeros() as u8)
    }

    /// The power of two with this exponent.
    pub fn power(exponent: u32) -> Divisor {
        Divisor(exponent.min(64) as u8)
    }

    /// Its exponent; 64 for what 0 is divisible by.
    pub fn exponent(self) -> u32 {
        self.0.into()
    }

    /// As a number; 2^63 stands for larger ones.
    pub fn get(self) -> u64 {
        1 << self.0.min(63)
    }

    /// What products of numbers with these divisors are divisible by.
    pub fn times(self, other: Divisor) -> Divisor {
        Divisor((self.0 + other.0).min(64))
    }

    /// What is left after a division by 2 to the power of `exponent` that leaves no rest; nothing is known where it may leave one.
    pub fn over(self, exponent: u32) -> Divisor {
        if self == Divisor::ANY { self } else { Divisor(self.0.saturating_sub(exponent.min(64) as u8)) }
    }
}

/// How the elements of a tile run along one dimension.
///
/// The dimension is cut into groups of neighbouring elements, from its beginning on; the lengths of groups are powers of two, so
/// they divide the extent. The terms are those of Triton's axis analysis.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Axis {
    /// Elements within a group of this many are equal.
    pub constancy: u64,
    /// Within a group of this many, each element is one more than the one before, wrapping at the width; of pointers, one element further.
    pub contiguity: u64,
    /// What the first element of each group of [`contiguity`](Axis::contiguity) is divisible by; of pointers, in bytes.
    pub divisor: Divisor,
}

impl Axis {
    /// Nothing is known, but what all elements are divisible by.
    pub(super) fn unknown(divisor: Divisor) -> Axis {
        Axis { constancy: 1, contiguity: 1, divisor }
    }

    /// What elements at multiples of `group` are divisible by, where one element is `unit` further than the one before.
    pub(super) fn divisor_at(self, group: u64, unit: Divisor) -> Divisor {
        if group >= self.contiguity { self.divisor } else { self.divisor.min(Divisor::of(group).times(unit)) }
    }
}

/// What is known of a tile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TileFact {
    /// Bounds of the elements, if they are integers.
    pub range: Option<Range>,
    /// What every element is divisible by: integers, and pointers in bytes.
    pub divisor: Divisor,
    /// How elements run along each dimension.
    pub axes: Box<[Axis]>,
}

impl TileFact {
    /// Nothing is known of a tile of this shape; `bits` is the width of its elements, if they are integers.
    pub fn unknown(bits: Option<u32>, shape: &[i64]) -> TileFact {
        let axes = shape.iter().map(|_| Axis::unknown(Divisor::ONE)).collect();
        TileFact { range: bits.map(Range::full), divisor: Divisor::ONE, axes }
    }

    /// Whether all elements of a tile of this shape are known to be equal.
    pub fn is_uniform(&self, shape: &[i64]) -> bool {
        self.axes.iter().zip(shape).all(|(axis, extent)| axis.constancy >= extent.unsigned_abs())
    }

    /// The number that all elements are, if that is known: its bits.
    pub fn as_constant(&self) -> Option<u64> {
        self.range.and_then(Range::as_constant)
    }

    /// Lets the divisors learn from the range, and from each other.
    pub(super) fn agree(mut self, shape: &[i64]) -> TileFact {
        if let Some(value) = self.as_constant() {
            self.divisor = self.divisor.max(Divisor::of(value));
            for (axis, extent) in self.axes.iter_mut().zip(shape) {
                axis.constancy = extent.unsigned_abs();
            }
        }
        for axis in &self.axes {
            if axis.contiguity == 1 {
                self.divisor = self.divisor.max(axis.divisor);
            }
        }
        for axis in &mut self.axes {
            // Neighbours that are equal are not one apart.
            if axis.constancy > 1 && axis.contiguity > 1 {
                axis.contiguity = 1;
                axis.divisor = self.divisor;
            }
            axis.divisor = axis.divisor.max(self.divisor);
        }
        self
    }

    /// What holds of a tile that is one of the two.
    pub(super) fn join(&self, other: &TileFact, unit: Divisor) -> TileFact {
        let axes = self.axes.iter().zip(&other.axes).map(|(a, b)| {
            let group = a.contiguity.min(b.contiguity);
            let divisor = a.divisor_at(group, unit).min(b.divisor_at(group, unit));
            Axis { constancy: a.constancy.min(b.constancy), contiguity: group, divisor }
        });
        TileFact {
            range: self.range.zip(other.range).map(|(a, b)| a.join(b)),
            divisor: self.divisor.min(other.divisor),
            axes: axes.collect(),
        }
    }

    /// The sum of two tiles: `unit` is how far neighbours in a contiguous group are apart.
    ///
    /// A group is contiguous where one tile is, and the other one is constant.
    pub(super) fn sum(&self, other: &TileFact, unit: Divisor, commutes: bool) -> Box<[Axis]> {
        let axes = self.axes.iter().zip(&other.axes).map(|(a, b)| {
            let one_way = a.contiguity.min(b.constancy);
            let contiguity = if commutes { one_way.max(a.constancy.min(b.contiguity)) } else { one_way };
            let divisor = a.divisor_at(contiguity, unit).min(b.divisor_at(contiguity, unit));
            Axis { constancy: a.constancy.min(b.constancy), contiguity, divisor }
        });
        axes.collect()
    }

    /// Equal elements give equal results; nothing else is known of the axes but that all elements have this divisor.
    pub(super) fn elementwise(facts: &[&TileFact], divisor: Divisor) -> Box<[Axis]> {
        let rank = facts.first().map_or(0, |fact| fact.axes.len());
        let constancy = |d: usize| facts.iter().map(|fact| fact.axes[d].constancy).min().unwrap_or(1);
        (0..rank).map(|d| Axis { constancy: constancy(d), contiguity: 1, divisor }).collect()
    }

    /// The longest groups of a contiguous dimension in which no number crosses a multiple of a power of two, and these groups
    /// begin at multiples of their length.
    pub(super) fn aligned_group(axis: &Axis, power: u32) -> u64 {
        axis.contiguity.min(axis.divisor.get()).min(Divisor::power(power).get())
    }

    /// The axis with groups that are no longer than `limit`.
    pub(super) fn shorten(axis: &Axis, limit: u64, unit: Divisor) -> Axis {
        let contiguity = axis.contiguity.min(limit);
        Axis { constancy: axis.constancy.min(limit), contiguity, divisor: axis.divisor_at(contiguity, unit) }
    }
}

impl fmt::Display for TileFact {
    /// As `range 0..=127, divisible by 4, dim 0 (contiguous 128 from multiples of 16)`; nothing if nothing is known.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        match self.range {
            Some(range) if range.as_constant().is_some() => return write!(f, "all {range}"),
            Some(range) if !range.is_full() => parts.push(format!("range {range}")),
            _ => {}
        }
        if self.divisor > Divisor::ONE {
            parts.push(format!("divisible by {}", self.divisor.get()));
        }
        for (d, axis) in self.axes.iter().enumerate() {
            if axis.constancy > 1 {
                parts.push(format!("dim {d} constant {}", axis.constancy));
            }
            if axis.contiguity > 1 && axis.divisor > Divisor::ONE {
                let from = if axis.divisor == Divisor::ANY { "0".to_owned() } else { format!("multiples of {}", axis.divisor.get()) };
                parts.push(format!("dim {d} contiguous {} from {from}", axis.contiguity));
            } else if axis.contiguity > 1 {
                parts.push(format!("dim {d} contiguous {}", axis.contiguity));
            }
        }
        f.write_str(&parts.join(", "))
    }
}
