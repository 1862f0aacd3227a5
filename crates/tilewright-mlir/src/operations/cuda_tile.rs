//! What is known of the operations of the cuda_tile dialect: the rows of the op table of Tile IR, in the form of `table.txt`.

use std::{collections::BTreeMap, sync::LazyLock};
use tilewright_ir::{
    Opcode, Version,
    ops::{OpDef, OperandEncoding},
};

/// The operations that stand outside of functions, which the op table does not have.
const OUTER: [&str; 4] = [
    "cuda_tile.entry! arg_attrs? function_type optimization_hints? res_attrs? sym_name",
    "cuda_tile.func! arg_attrs? function_type optimization_hints? res_attrs? sym_name",
    "cuda_tile.global alignment? constant? sym_name symbol_visibility? value",
    "cuda_tile.module! producer? sym_name",
];

/// The forms that the properties of an operation had, the latest first, each with the first version of Tile IR that has it.
type Forms = Vec<(Version, String)>;

static FORMS: LazyLock<BTreeMap<String, Forms>> = LazyLock::new(|| {
    let outer = OUTER.iter().map(|line| (name_of(line), vec![(Version::V13_1, (*line).to_owned())]));
    Opcode::ALL.iter().map(|opcode| (format!("cuda_tile.{}", opcode.def().mnemonic), forms(opcode.def()))).chain(outer).collect()
});

fn name_of(line: &str) -> String {
    line.split([' ', '!']).next().unwrap_or_default().to_owned()
}

/// The lines about an operation, the latest first, each with the first version of Tile IR that has it.
pub(super) fn find(name: &str) -> &'static [(Version, String)] {
    let Some(mnemonic) = name.strip_prefix("cuda_tile.") else { return &[] };
    let forms = match Opcode::from_mnemonic(mnemonic) {
        Some(opcode) => FORMS.get(&format!("cuda_tile.{}", opcode.mnemonic())),
        None => FORMS.get(name),
    };
    forms.map_or(&[], |forms| forms)
}

fn forms(def: &OpDef) -> Forms {
    let mut forms: Forms = Vec::new();
    for version in Version::ALL.into_iter().filter(|&version| version >= def.since) {
        let line = line(def, version);
        if forms.first().is_none_or(|(_, latest)| *latest != line) {
            forms.insert(0, (version, line));
        }
    }
    forms
}

/// MLIR encodes properties by their names, an optional attribute and one with a default as one that may be absent.
fn line(def: &OpDef, version: Version) -> String {
    let is_there = |since: Option<Version>| since.is_none_or(|since| since <= version);
    let segments = def.operand_encoding() == OperandEncoding::Segments;
    let mut properties: Vec<(&str, String)> = def
        .attrs
        .iter()
        .filter(|attr| is_there(attr.since))
        .map(|attr| (attr.name.name(), format!("{}{}", attr.name.name(), if attr.is_required { "" } else { "?" })))
        .collect();
    if segments {
        properties.push((SEGMENTS, format!("<{SEGMENTS}")));
    }
    properties.sort();
    let mut line = format!("cuda_tile.{}", def.mnemonic);
    properties.iter().for_each(|(_, property)| line = format!("{line} {property}"));
    if segments {
        let operands = def.operands.iter().filter(|operand| is_there(operand.since)).count();
        line += &format!(" >{SEGMENTS}:{operands}");
    }
    line
}

const SEGMENTS: &str = "operandSegmentSizes";

#[cfg(test)]
mod tests {
    use super::*;

    /// `cuda_tile.txt` is what `table.py` makes of NVIDIA's definition of the dialect, which is that of Tile IR 13.3.
    #[test]
    fn the_rows_are_as_the_dialect_defines_them() {
        let own = |name: &str| find(name).iter().find(|(since, _)| *since <= Version::V13_3).map(|(_, line)| line.as_str());
        for expected in include_str!("cuda_tile.txt").lines() {
            // Found under its old name too.
            let now = expected.replace("cuda_tile.pow", "cuda_tile.fpowf");
            assert_eq!(own(&name_of(expected)), Some(now.as_str()));
        }
    }
}
