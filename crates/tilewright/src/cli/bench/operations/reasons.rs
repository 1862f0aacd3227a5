//! Why some operations may take longer than the limit. docs/performance.md shows the same table.

/// Operations by the pattern of their names, in which `*` stands for any text, and why they may take longer.
pub(super) struct Reason {
    patterns: &'static [&'static str],
    why: &'static str,
}

pub(super) const REASONS: &[Reason] = &[
    Reason {
        patterns: &["divi * i64", "remi * i64"],
        why: "no vector instruction divides integers of 64 bits: each element is a division of its own",
    },
    Reason {
        patterns: &["fpowf f64", "fpowi f64*"],
        why: "the power is within 0.6 ulp, for which its logarithm takes twice the digits of an f64, and half as many numbers fit into a vector",
    },
    Reason {
        patterns: &["fpowf f16", "fpowi f16*", "fpowi bf16*"],
        why: "powers of short floats are computed as those of f32 are, whose logarithm takes an f64",
    },
    Reason {
        patterns: &["atomic_rmw_tko addf one place*"],
        why: "each addition waits for the one before it, through memory; short floats are widened and rounded in between",
    },
    Reason {
        patterns: &["atomic_rmw_tko * scattered*", "atomic_cas_tko scattered*", "atomic_rmw_tko addf in order*"],
        why: "two elements of an operation may have the same address, so that updates go one after the other: each \
              loads, combines, rounds and stores",
    },
    Reason {
        patterns: &["load_ptr_tko * scattered*", "store_ptr_tko * scattered*"],
        why: "each element is an access of its own at an address of 8 bytes that was loaded, computed and checked before; where half of \
              them are masked off at random, those that are left are listed first",
    },
    Reason {
        patterns: &["load_view_tko gather_scatter*", "store_view_tko gather_scatter*"],
        why: "rows of 32 elements: each is found, checked and copied on its own",
    },
    Reason {
        patterns: &["scan rows fma *16", "scan columns fma f16", "reduce * fma f16"],
        why: "a combiner without a loop of its own: rounds of doubling distances over all elements, each of which rounds to the short type",
    },
    Reason {
        patterns: &["insert f4E2M1FN", "cat f4E2M1FN", "permute f4E2M1FN"],
        why: "rows of 32 elements, 16 bytes: each row of each operand is found, unpacked and packed on its own",
    },
];

/// Why an operation may take longer than the limit, if that is known.
pub(super) fn reason(operation: &str) -> Option<&'static str> {
    REASONS.iter().find(|reason| reason.patterns.iter().any(|pattern| fits(pattern, operation))).map(|reason| reason.why)
}

/// Whether a name is that of a pattern.
fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((before, rest)) => {
            let Some(name) = name.strip_prefix(before) else { return false };
            name.char_indices().map(|(i, _)| i).chain([name.len()]).any(|i| fits(rest, &name[i..]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fmt::Write as _, path::Path};

    #[test]
    fn stars_stand_for_any_text() {
        for (pattern, name, expected) in [
            ("a b", "a b", true),
            ("a *", "a b", true),
            ("a*c", "a b c", true),
            ("a * c", "a c", false),
            ("*b*", "abc", true),
            ("a", "ab", false),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn every_pattern_is_that_of_an_operation() {
        let (_, cases) = super::super::cases().unwrap();
        for pattern in REASONS.iter().flat_map(|reason| reason.patterns) {
            assert!(cases.iter().any(|case| fits(pattern, &case.name)), "{pattern}");
        }
    }

    #[test]
    fn the_documentation_has_this_table() {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/performance.md");
        let page = std::fs::read_to_string(page).unwrap();
        let mut table = "| operations | why |\n| --- | --- |\n".to_owned();
        for reason in REASONS {
            let patterns: Vec<String> = reason.patterns.iter().map(|pattern| format!("`{pattern}`")).collect();
            writeln!(table, "| {} | {} |", patterns.join(", "), reason.why).unwrap();
        }
        assert!(page.contains(&table), "docs/performance.md should have:\n{table}");
    }
}
