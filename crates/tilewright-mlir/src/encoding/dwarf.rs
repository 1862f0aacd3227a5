//! The names that DWARF and LLVM give to numbers in debug information.

use foldhash::{HashMap, HashMapExt as _};
use std::sync::LazyLock;

/// A line with a prefix, then lines with a number in base 16 and its name without the prefix.
const TABLE: &str = include_str!("dwarf.txt");

static NAMES: LazyLock<HashMap<(&'static str, u64), &'static str>> = LazyLock::new(|| {
    let mut names = HashMap::new();
    let mut prefix = "";
    for line in TABLE.lines() {
        match line.split_once(' ') {
            None => prefix = line,
            Some((number, name)) => {
                if let Ok(number) = u64::from_str_radix(number, 16) {
                    names.insert((prefix, number), name);
                }
            }
        }
    }
    names
});

/// The name of a number behind a prefix such as `DW_TAG_`.
pub(crate) fn name(prefix: &'static str, number: u64) -> Option<&'static str> {
    NAMES.get(&(prefix, number)).copied()
}

static NUMBERS: LazyLock<HashMap<(&'static str, &'static str), u64>> =
    LazyLock::new(|| NAMES.iter().map(|(&(prefix, number), &name)| ((prefix, name), number)).collect());

/// The number of a name without its prefix.
pub(crate) fn number(prefix: &'static str, name: &str) -> Option<u64> {
    NUMBERS.get(&(prefix, name)).copied()
}

#[cfg(test)]
mod tests {
    use super::{NAMES, TABLE, name, number};

    #[test]
    fn every_line_counts() {
        assert_eq!(NAMES.len(), TABLE.lines().filter(|line| line.contains(' ')).count());
        assert_eq!(name("DW_TAG_", 0x24), Some("base_type"));
        assert_eq!(number("DW_TAG_", "base_type"), Some(0x24));
        assert_eq!(name("DW_ATE_", 5), Some("signed"));
        assert_eq!(name("DW_OP_", 0x1000), Some("LLVM_fragment"));
        assert_eq!(name("DW_LANG_", 0xffff), None);
    }
}
