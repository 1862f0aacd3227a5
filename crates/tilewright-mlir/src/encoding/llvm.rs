//! The encodings of the llvm dialect: debug information and annotations of loops.
//!
//! They are those of LLVM 22. Later versions give three of the codes more fields, as [`LATER`] has them. An encoding with other fields
//! counts as unknown.

use super::{
    Encoding, Encodings,
    Field::{Attr, Byte, FlaggedNumbers, FlaggedOptionalAttrs, Number, OptionalAttr, OptionalNumber, String},
    Owner, Parameter,
    Style::{Bool, Bracketed, Cases, Flags, Language, Stripped, Value, Word},
};

const fn encoding(code: u64, name: &'static str, fields: super::Fields, parameters: &'static [Parameter]) -> Encoding {
    Encoding { parameters, ..Owner::Llvm.row(code, name, fields) }
}

/// A parameter that is always printed.
const fn given(name: &'static str, style: super::Style) -> Parameter {
    Parameter { name, style, is_optional: false }
}

/// A parameter that is left out where it is zero, false, empty or absent.
const fn optional(name: &'static str, style: super::Style) -> Parameter {
    Parameter { name, style, is_optional: true }
}

pub(super) static ENCODINGS: Encodings = Encodings { attributes: ATTRIBUTES, types: &[] };

const EMISSION_KINDS: super::Style = Cases(&["None", "Full", "LineTablesOnly", "DebugDirectivesOnly"]);
const NAME_TABLE_KINDS: super::Style = Cases(&["Default", "GNU", "None", "Apple"]);

/// The lowest two bits are one number; names are in the order in which they are printed.
const DI_FLAGS: super::Style = Flags(&[
    (3, "Public"),
    (2, "Protected"),
    (1, "Private"),
    (1 << 2, "FwdDecl"),
    (1 << 3, "AppleBlock"),
    (1 << 4, "ReservedBit4"),
    (1 << 5, "Virtual"),
    (1 << 6, "Artificial"),
    (1 << 7, "Explicit"),
    (1 << 8, "Prototyped"),
    (1 << 9, "ObjcClassComplete"),
    (1 << 10, "ObjectPointer"),
    (1 << 11, "Vector"),
    (1 << 12, "StaticMember"),
    (1 << 13, "LValueReference"),
    (1 << 14, "RValueReference"),
    (1 << 15, "ExportSymbols"),
    // MLIR has three names for this bit.
    (1 << 16, "SingleInheritance|MultipleInheritance|VirtualInheritance"),
    (1 << 18, "IntroducedVirtual"),
    (1 << 19, "BitField"),
    (1 << 20, "NoReturn"),
    (1 << 22, "TypePassByValue"),
    (1 << 23, "TypePassByReference"),
    (1 << 24, "EnumClass"),
    (1 << 25, "Thunk"),
    (1 << 26, "NonTrivial"),
    (1 << 27, "BigEndian"),
    (1 << 28, "LittleEndian"),
    (1 << 29, "AllCallsDescribed"),
]);

const SUBPROGRAM_FLAGS: super::Style = Flags(&[
    (1, "Virtual"),
    (1 << 1, "PureVirtual"),
    (1 << 2, "LocalToUnit"),
    (1 << 3, "Definition"),
    (1 << 4, "Optimized"),
    (1 << 5, "Pure"),
    (1 << 6, "Elemental"),
    (1 << 7, "Recursive"),
    (1 << 8, "MainSubprogram"),
    (1 << 9, "Deleted"),
    (1 << 11, "ObjCDirect"),
]);

/// The row of composite types, with the fields that a later form has.
macro_rules! composite_type {
    ($($later:literal),*) => {
        encoding(
            2,
            "di_composite_type",
            &[
                ("recId", OptionalAttr),
                ("isRecSelf", Byte),
                ("tag", Number),
                ("name", OptionalAttr),
                ("file", OptionalAttr),
                ("line", Number),
                ("scope", OptionalAttr),
                ("baseType", OptionalAttr),
                ("flags", Number),
                ("sizeInBits", Number),
                ("alignInBits", Number),
                ("dataLocation", OptionalAttr),
                ("rank", OptionalAttr),
                ("allocated", OptionalAttr),
                ("associated", OptionalAttr),
                $(($later, OptionalAttr),)*
                ("elements", FlaggedOptionalAttrs),
            ],
            &[
                optional("recId", Value),
                optional("isRecSelf", Bool),
                optional("tag", Word("DW_TAG_")),
                optional("name", Value),
                optional("file", Value),
                optional("line", Value),
                optional("scope", Value),
                optional("baseType", Value),
                optional("flags", DI_FLAGS),
                optional("sizeInBits", Value),
                optional("alignInBits", Value),
                optional("dataLocation", Stripped("di_expression")),
                optional("rank", Stripped("di_expression")),
                optional("allocated", Stripped("di_expression")),
                optional("associated", Stripped("di_expression")),
                $(optional($later, Value),)*
                optional("elements", Value),
            ],
        )
    };
}

/// The row of derived types, with the fields that a later form has behind the name and before the extra data, and how each is printed.
macro_rules! derived_type {
    ([$($place:expr => $of_place:expr),*], [$($flags:expr => $of_flags:expr),*]) => {
        encoding(
            3,
            "di_derived_type",
            &[
                ("tag", Number),
                ("name", OptionalAttr),
                $($place,)*
                ("baseType", OptionalAttr),
                ("sizeInBits", Number),
                ("alignInBits", Number),
                ("offsetInBits", Number),
                ("dwarfAddressSpace", OptionalNumber),
                $($flags,)*
                ("extraData", OptionalAttr),
            ],
            &[
                optional("tag", Word("DW_TAG_")),
                optional("name", Value),
                $($of_place,)*
                optional("baseType", Value),
                optional("sizeInBits", Value),
                optional("alignInBits", Value),
                optional("offsetInBits", Value),
                optional("dwarfAddressSpace", Value),
                $($of_flags,)*
                optional("extraData", Value),
            ],
        )
    };
}

const ATTRIBUTES: &[Encoding] = &[
    encoding(
        0,
        "di_basic_type",
        &[("tag", Number), ("name", String), ("sizeInBits", Number), ("encoding", Number)],
        &[optional("tag", Word("DW_TAG_")), given("name", Value), optional("sizeInBits", Value), optional("encoding", Word("DW_ATE_"))],
    ),
    encoding(
        1,
        "di_compile_unit",
        &[
            ("id", Attr),
            ("sourceLanguage", Number),
            ("file", Attr),
            ("producer", OptionalAttr),
            ("isOptimized", Byte),
            ("emissionKind", Number),
            ("nameTableKind", Number),
        ],
        &[
            given("id", Value),
            given("sourceLanguage", Word("DW_LANG_")),
            given("file", Value),
            optional("producer", Value),
            given("isOptimized", Bool),
            given("emissionKind", EMISSION_KINDS),
            optional("nameTableKind", NAME_TABLE_KINDS),
        ],
    ),
    composite_type!(),
    derived_type!([], []),
    encoding(4, "di_expression_elem", &[("opcode", Number), ("arguments", FlaggedNumbers)], &[]),
    encoding(5, "di_expression", &[("operations", FlaggedOptionalAttrs)], &[]),
    encoding(6, "di_file", &[("name", String), ("directory", String)], &[]),
    encoding(
        7,
        "di_global_variable",
        &[
            ("scope", OptionalAttr),
            ("name", OptionalAttr),
            ("linkageName", OptionalAttr),
            ("file", Attr),
            ("line", Number),
            ("type", Attr),
            ("isLocalToUnit", Byte),
            ("isDefined", Byte),
            ("alignInBits", Number),
        ],
        &[
            optional("scope", Value),
            optional("name", Value),
            optional("linkageName", Value),
            given("file", Value),
            given("line", Value),
            given("type", Value),
            optional("isLocalToUnit", Bool),
            optional("isDefined", Bool),
            optional("alignInBits", Value),
        ],
    ),
    encoding(
        8,
        "di_global_variable_expression",
        &[("var", Attr), ("expr", OptionalAttr)],
        &[given("var", Value), optional("expr", Stripped("di_expression"))],
    ),
    encoding(
        9,
        "di_imported_entity",
        &[
            ("tag", Number),
            ("scope", Attr),
            ("entity", Attr),
            ("file", OptionalAttr),
            ("line", Number),
            ("name", OptionalAttr),
            ("elements", FlaggedOptionalAttrs),
        ],
        &[
            optional("tag", Word("DW_TAG_")),
            given("scope", Value),
            given("entity", Value),
            optional("file", Value),
            optional("line", Value),
            optional("name", Value),
            optional("elements", Value),
        ],
    ),
    encoding(
        10,
        "di_label",
        &[("scope", Attr), ("name", OptionalAttr), ("file", OptionalAttr), ("line", Number)],
        &[given("scope", Value), optional("name", Value), optional("file", Value), optional("line", Value)],
    ),
    encoding(
        11,
        "di_lexical_block",
        &[("scope", Attr), ("file", OptionalAttr), ("line", Number), ("column", Number)],
        &[given("scope", Value), optional("file", Value), optional("line", Value), optional("column", Value)],
    ),
    encoding(
        12,
        "di_lexical_block_file",
        &[("scope", Attr), ("file", OptionalAttr), ("discriminator", Number)],
        &[given("scope", Value), optional("file", Value), given("discriminator", Value)],
    ),
    encoding(
        13,
        "di_local_variable",
        &[
            ("scope", Attr),
            ("name", OptionalAttr),
            ("file", OptionalAttr),
            ("line", Number),
            ("arg", Number),
            ("alignInBits", Number),
            ("type", OptionalAttr),
            ("flags", Number),
        ],
        &[
            given("scope", Value),
            optional("name", Value),
            optional("file", Value),
            optional("line", Value),
            optional("arg", Value),
            optional("alignInBits", Value),
            optional("type", Value),
            optional("flags", DI_FLAGS),
        ],
    ),
    encoding(
        14,
        "di_namespace",
        &[("name", OptionalAttr), ("scope", OptionalAttr), ("exportSymbols", Byte)],
        &[optional("name", Value), optional("scope", Value), given("exportSymbols", Bool)],
    ),
    encoding(
        15,
        "di_subprogram",
        &[
            ("recId", OptionalAttr),
            ("isRecSelf", Byte),
            ("id", OptionalAttr),
            ("compileUnit", OptionalAttr),
            ("scope", OptionalAttr),
            ("name", OptionalAttr),
            ("linkageName", OptionalAttr),
            ("file", OptionalAttr),
            ("line", Number),
            ("scopeLine", Number),
            ("subprogramFlags", Number),
            ("type", OptionalAttr),
            ("retainedNodes", FlaggedOptionalAttrs),
            ("annotations", FlaggedOptionalAttrs),
        ],
        &[
            optional("recId", Value),
            optional("isRecSelf", Bool),
            optional("id", Value),
            optional("compileUnit", Value),
            optional("scope", Value),
            optional("name", Value),
            optional("linkageName", Value),
            optional("file", Value),
            optional("line", Value),
            optional("scopeLine", Value),
            optional("subprogramFlags", SUBPROGRAM_FLAGS),
            optional("type", Value),
            optional("retainedNodes", Bracketed),
            optional("annotations", Value),
        ],
    ),
    encoding(
        16,
        "di_subrange",
        &[("count", OptionalAttr), ("lowerBound", OptionalAttr), ("upperBound", OptionalAttr), ("stride", OptionalAttr)],
        &[optional("count", Value), optional("lowerBound", Value), optional("upperBound", Value), optional("stride", Value)],
    ),
    encoding(
        17,
        "di_subroutine_type",
        &[("callingConvention", Number), ("types", FlaggedOptionalAttrs)],
        &[optional("callingConvention", Word("DW_CC_")), optional("types", Value)],
    ),
    encoding(
        18,
        "loop_annotation",
        &[
            ("disableNonforced", OptionalAttr),
            ("vectorize", OptionalAttr),
            ("interleave", OptionalAttr),
            ("unroll", OptionalAttr),
            ("unrollAndJam", OptionalAttr),
            ("licm", OptionalAttr),
            ("distribute", OptionalAttr),
            ("pipeline", OptionalAttr),
            ("peeled", OptionalAttr),
            ("unswitch", OptionalAttr),
            ("mustProgress", OptionalAttr),
            ("isVectorized", OptionalAttr),
            ("startLoc", OptionalAttr),
            ("endLoc", OptionalAttr),
            ("parallelAccesses", FlaggedOptionalAttrs),
        ],
        &[
            optional("disableNonforced", Value),
            optional("vectorize", Stripped("loop_vectorize")),
            optional("interleave", Stripped("loop_interleave")),
            optional("unroll", Stripped("loop_unroll")),
            optional("unrollAndJam", Stripped("loop_unroll_and_jam")),
            optional("licm", Stripped("loop_licm")),
            optional("distribute", Stripped("loop_distribute")),
            optional("pipeline", Stripped("loop_pipeline")),
            optional("peeled", Stripped("loop_peeled")),
            optional("unswitch", Stripped("loop_unswitch")),
            optional("mustProgress", Value),
            optional("isVectorized", Value),
            optional("startLoc", Value),
            optional("endLoc", Value),
            optional("parallelAccesses", Stripped("access_group")),
        ],
    ),
];

/// The forms that LLVM 23 and 24 gave to some codes.
pub(super) static LATER: &[Encoding] = &[
    encoding(
        1,
        "di_compile_unit",
        &[
            ("recId", OptionalAttr),
            ("isRecSelf", Byte),
            ("id", OptionalAttr),
            ("sourceLanguage", OptionalAttr),
            ("file", OptionalAttr),
            ("producer", OptionalAttr),
            ("isOptimized", Byte),
            ("emissionKind", Number),
            ("isDebugInfoForProfiling", Byte),
            ("nameTableKind", Number),
            ("splitDebugFilename", OptionalAttr),
            ("importedEntities", FlaggedOptionalAttrs),
        ],
        &[
            optional("recId", Value),
            optional("isRecSelf", Bool),
            optional("id", Value),
            optional("sourceLanguage", Language),
            optional("file", Value),
            optional("producer", Value),
            optional("isOptimized", Bool),
            optional("emissionKind", EMISSION_KINDS),
            optional("isDebugInfoForProfiling", Bool),
            optional("nameTableKind", NAME_TABLE_KINDS),
            optional("splitDebugFilename", Value),
            optional("importedEntities", Value),
        ],
    ),
    composite_type!("identifier", "discriminator"),
    derived_type!(
        [
            ("file", OptionalAttr) => optional("file", Value),
            ("line", Number) => optional("line", Value),
            ("scope", OptionalAttr) => optional("scope", Value)
        ],
        [("flags", Number) => optional("flags", DI_FLAGS)]
    ),
];
