//! The encodings of StableHLO and CHLO, in files that were not brought into VHLO, their versioned form.

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

const VALUE: &[(&str, super::Field)] = &[("value", Number)];

const TYPES: &[Encoding] = &[encoding(0, "token", &[]), encoding(1, "future", &[("types", Types)])];

const ATTRIBUTES: &[Encoding] = &[
    encoding(1, "channel_handle", &[("handle", Signed), ("type", Signed)]),
    encoding(2, "comparison_direction", VALUE),
    encoding(3, "comparison_type", VALUE),
    encoding(
        4,
        "conv",
        &[
            ("input batch dimension", Signed),
            ("input feature dimension", Signed),
            ("input spatial dimensions", SignedNumbers),
            ("kernel input feature dimension", Signed),
            ("kernel output feature dimension", Signed),
            ("kernel spatial dimensions", SignedNumbers),
            ("output batch dimension", Signed),
            ("output feature dimension", Signed),
            ("output spatial dimensions", SignedNumbers),
        ],
    ),
    encoding(
        5,
        "dot",
        &[
            ("lhs_batching_dimensions", SignedNumbers),
            ("rhs_batching_dimensions", SignedNumbers),
            ("lhs_contracting_dimensions", SignedNumbers),
            ("rhs_contracting_dimensions", SignedNumbers),
        ],
    ),
    encoding(6, "fft_type", VALUE),
    encoding(
        7,
        "gather",
        &[
            ("offset_dims", SignedNumbers),
            ("collapsed_slice_dims", SignedNumbers),
            ("operand_batching_dims", SignedNumbers),
            ("start_indices_batching_dims", SignedNumbers),
            ("start_index_map", SignedNumbers),
            ("index_vector_dim", Signed),
        ],
    ),
    encoding(8, "precision", VALUE),
    encoding(9, "rng_algorithm", VALUE),
    encoding(10, "rng_distribution", VALUE),
    encoding(
        11,
        "scatter",
        &[
            ("update_window_dims", SignedNumbers),
            ("inserted_window_dims", SignedNumbers),
            ("input_batching_dims", SignedNumbers),
            ("scatter_indices_batching_dims", SignedNumbers),
            ("scatter_dims_to_operand_dims", SignedNumbers),
            ("index_vector_dim", Signed),
        ],
    ),
    encoding(12, "transpose", VALUE),
    encoding(13, "type_extensions", &[("bounds", SignedNumbers)]),
    encoding(
        14,
        "output_operand_alias",
        &[("output_tuple_indices", SignedNumbers), ("operand_index", Signed), ("operand_tuple_indices", SignedNumbers)],
    ),
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
    encoding(17, "result_accuracy", &[("atol", Double), ("rtol", Double), ("ulps", Signed), ("mode", Attr)]),
    encoding(18, "replica_group_mesh_axes", &[("mesh", Attr), ("axes", Attrs)]),
    encoding(19, "sub_axis_info", &[("pre_size", Signed), ("size", Signed)]),
    encoding(20, "axis_ref", &[("name", String), ("sub_axis_info", ByteFlaggedAttr)]),
    encoding(21, "mesh_axis", &[("name", String), ("size", Signed)]),
    encoding(22, "mesh", &[("axes", Attr), ("device_ids", ByteFlaggedAttr)]),
];
