//! The encodings of the quant dialect.

use super::{
    Encoding, Encodings,
    Field::{Attr, Double, Doubles, Number, Signed, SignedNumbers, Type},
    Owner,
};

const fn encoding(code: u64, name: &'static str, fields: super::Fields) -> Encoding {
    Owner::Quant.row(code, name, fields)
}

pub(super) static ENCODINGS: Encodings = Encodings { attributes: &[], types: TYPES };

/// One scale for all elements; VHLO has the same.
pub(super) const UNIFORM: &[(&str, super::Field)] = &[
    ("flags", Number),
    ("storage", Type),
    ("expressed", Type),
    ("scale", Double),
    ("zero point", Signed),
    ("minimum", Signed),
    ("maximum", Signed),
];

/// A scale for each index of an axis; VHLO has the same.
pub(super) const UNIFORM_PER_AXIS: &[(&str, super::Field)] = &[
    ("flags", Number),
    ("storage", Type),
    ("expressed", Type),
    ("axis", Number),
    ("minimum", Signed),
    ("maximum", Signed),
    ("scales", Doubles),
    ("zero points", SignedNumbers),
];

const TYPES: &[Encoding] = &[
    encoding(1, "any", &[("flags", Number), ("storage", Type), ("minimum", Signed), ("maximum", Signed)]),
    encoding(
        2,
        "any with expressed type",
        &[("flags", Number), ("storage", Type), ("expressed", Type), ("minimum", Signed), ("maximum", Signed)],
    ),
    encoding(3, "calibrated", &[("expressed", Type), ("minimum", Double), ("maximum", Double)]),
    encoding(4, "uniform", UNIFORM),
    encoding(5, "uniform per axis", UNIFORM_PER_AXIS),
    encoding(
        6,
        "uniform by blocks",
        &[
            ("flags", Number),
            ("storage", Type),
            ("expressed", Type),
            ("minimum", Signed),
            ("maximum", Signed),
            ("axes", SignedNumbers),
            ("block sizes", SignedNumbers),
            ("scales", Attr),
            ("zero points", Attr),
        ],
    ),
];
