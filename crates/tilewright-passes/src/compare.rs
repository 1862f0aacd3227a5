//! Predicates of comparisons, and what they become.

use tilewright_ir::ComparisonPredicate;

/// The predicate of the same comparison with exchanged operands.
pub(crate) fn swapped(predicate: ComparisonPredicate) -> ComparisonPredicate {
    use ComparisonPredicate::*;
    match predicate {
        Equal => Equal,
        NotEqual => NotEqual,
        LessThan => GreaterThan,
        LessThanOrEqual => GreaterThanOrEqual,
        GreaterThan => LessThan,
        GreaterThanOrEqual => LessThanOrEqual,
    }
}

/// The predicate that holds where this one does not, of numbers that are all ordered.
pub(crate) fn inverse(predicate: ComparisonPredicate) -> ComparisonPredicate {
    use ComparisonPredicate::*;
    match predicate {
        Equal => NotEqual,
        NotEqual => Equal,
        LessThan => GreaterThanOrEqual,
        LessThanOrEqual => GreaterThan,
        GreaterThan => LessThanOrEqual,
        GreaterThanOrEqual => LessThan,
    }
}
