//! The encodings of StableHLO and CHLO, in files that were not brought into VHLO, their versioned form, and of MHLO, which they came from.

use super::{
    Encoding, Encodings,
    Field::{Attr, Attrs, ByteFlaggedAttr, Double, Number, Signed, SignedNumbers, String, Type, Types},
    Owner,
};

const fn encoding(code: u64, name: &'static str, fields: super::Fields) -> Encoding {
    Owner::StableHlo.row(code, name, fields)
}

pub(super) static STABLEHLO: Encodings = Encodings { attributes: ATTRIBUTES, types: TYPES };

pub(super) static CHLO: Encodings = Encodings {
    attributes: &[Owner::Chlo.row(0, "comparison_direction", VALUE), Owner::Chlo.row(1, "comparison_type", VALUE)],
    types: &[],
};

pub(super) static MHLO: Encodings = Encodings { attributes: MHLO_ATTRIBUTES, types: MHLO_TYPES };

const VALUE: super::Fields = &[("value", Number)];

const TYPES: &[Encoding] = &[encoding(0, "token", &[]), encoding(1, "future", &[("types", Types)])];

const CONVOLUTION: super::Fields = &[
    ("input batch dimension", Signed),
    ("input feature dimension", Signed),
    ("input spatial dimensions", SignedNumbers),
    ("kernel input feature dimension", Signed),
    ("kernel output feature dimension", Signed),
    ("kernel spatial dimensions", SignedNumbers),
    ("output batch dimension", Signed),
    ("output feature dimension", Signed),
    ("output spatial dimensions", SignedNumbers),
];

const DOT: super::Fields = &[
    ("lhs_batching_dimensions", SignedNumbers),
    ("rhs_batching_dimensions", SignedNumbers),
    ("lhs_contracting_dimensions", SignedNumbers),
    ("rhs_contracting_dimensions", SignedNumbers),
];

const GATHER: super::Fields = &[
    ("offset_dims", SignedNumbers),
    ("collapsed_slice_dims", SignedNumbers),
    ("operand_batching_dims", SignedNumbers),
    ("start_indices_batching_dims", SignedNumbers),
    ("start_index_map", SignedNumbers),
    ("index_vector_dim", Signed),
];

const SCATTER: super::Fields = &[
    ("update_window_dims", SignedNumbers),
    ("inserted_window_dims", SignedNumbers),
    ("input_batching_dims", SignedNumbers),
    ("scatter_indices_batching_dims", SignedNumbers),
    ("scatter_dims_to_operand_dims", SignedNumbers),
    ("index_vector_dim", Signed),
];

const OPERAND_ALIAS: super::Fields =
    &[("output_tuple_indices", SignedNumbers), ("operand_index", Signed), ("operand_tuple_indices", SignedNumbers)];

const CHANNEL: super::Fields = &[("handle", Signed), ("type", Signed)];

const EXTENSIONS: super::Fields = &[("bounds", SignedNumbers)];

const ACCURACY: super::Fields = &[("atol", Double), ("rtol", Double), ("ulps", Signed), ("mode", Attr)];

const ATTRIBUTES: &[Encoding] = &[
    encoding(1, "channel_handle", CHANNEL),
    encoding(2, "comparison_direction", VALUE),
    encoding(3, "comparison_type", VALUE),
    encoding(4, "conv", CONVOLUTION),
    encoding(5, "dot", DOT),
    encoding(6, "fft_type", VALUE),
    encoding(7, "gather", GATHER),
    encoding(8, "precision", VALUE),
    encoding(9, "rng_algorithm", VALUE),
    encoding(10, "rng_distribution", VALUE),
    encoding(11, "scatter", SCATTER),
    encoding(12, "transpose", VALUE),
    encoding(13, "type_extensions", EXTENSIONS),
    encoding(14, "output_operand_alias", OPERAND_ALIAS),
    encoding(
        15,
        "dot_algorithm",
        &[
            ("lhs_precision_type", Type),
            ("rhs_precision_type", Type),
            ("accumulation_type", Type),
            ("lhs_component_count", Signed),
            ("rhs_component_count", Signed),
            ("num_primitive_operations", Signed),
            ("allow_imprecise_accumulation", Signed),
        ],
    ),
    encoding(16, "result_accuracy_mode", VALUE),
    encoding(17, "result_accuracy", ACCURACY),
    encoding(18, "replica_group_mesh_axes", &[("mesh", Attr), ("axes", Attrs)]),
    encoding(19, "sub_axis_info", &[("pre_size", Signed), ("size", Signed)]),
    encoding(20, "axis_ref", &[("name", String), ("sub_axis_info", ByteFlaggedAttr)]),
    encoding(21, "mesh_axis", &[("name", String), ("size", Signed)]),
    encoding(22, "mesh", &[("axes", Attr), ("device_ids", ByteFlaggedAttr)]),
];

const fn mhlo(code: u64, name: &'static str, fields: super::Fields) -> Encoding {
    Owner::Mhlo.row(code, name, fields)
}

const MHLO_TYPES: &[Encoding] = &[mhlo(0, "token", &[]), mhlo(1, "async_bundle", &[("types", Types)])];

const MHLO_ATTRIBUTES: &[Encoding] = &[
    mhlo(
        0,
        "result_alias",
        &[("tuple_indices", SignedNumbers), ("result_index", Signed), ("result_tuple_indices", SignedNumbers), ("must_alias", Number)],
    ),
    mhlo(1, "channel_handle", CHANNEL),
    mhlo(2, "comparison_direction", VALUE),
    mhlo(3, "comparison_type", VALUE),
    mhlo(4, "conv", CONVOLUTION),
    mhlo(5, "dot", DOT),
    mhlo(6, "fft_type", VALUE),
    mhlo(7, "gather", GATHER),
    mhlo(8, "precision", VALUE),
    mhlo(9, "rng_algorithm", VALUE),
    mhlo(10, "rng_distribution", VALUE),
    mhlo(11, "scatter", SCATTER),
    mhlo(12, "transpose", VALUE),
    mhlo(13, "type_extensions", EXTENSIONS),
    mhlo(14, "kind", VALUE),
    mhlo(15, "fusion_kind", VALUE),
    mhlo(16, "output_operand_alias", OPERAND_ALIAS),
    mhlo(17, "result_accuracy_mode", VALUE),
    mhlo(18, "result_accuracy", ACCURACY),
];
