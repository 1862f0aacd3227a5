//! The encodings of Shardy's dialect, which exports of JAX have where arrays are sharded.

use super::{
    Encoding, Encodings,
    Field::{Attr, Attrs, Byte, OptionalAttr, OptionalNumber, Signed, SignedNumbers, String},
    Owner,
};

const fn encoding(code: u64, name: &'static str, fields: super::Fields) -> Encoding {
    Owner::Sdy.row(code, name, fields)
}

pub(super) static ENCODINGS: Encodings = Encodings { attributes: ATTRIBUTES, types: &[] };

const ATTRIBUTES: &[Encoding] = &[
    encoding(0, "manual_axes", &[("value", Attrs)]),
    encoding(1, "mesh_axis", &[("name", String), ("size", Signed)]),
    encoding(2, "mesh", &[("axes", Attrs), ("device_ids", SignedNumbers)]),
    encoding(3, "sub_axis_info", &[("pre_size", Signed), ("size", Signed)]),
    encoding(4, "axis_ref", &[("name", String), ("sub_axis_info", OptionalAttr)]),
    encoding(5, "dimension_sharding", &[("axes", Attrs), ("is_closed", Byte), ("priority", OptionalNumber)]),
    encoding(6, "sharding", &[("mesh_or_ref", Attr), ("dim_shardings", Attrs), ("replicated_axes", Attrs)]),
    encoding(7, "sharding_per_value", &[("shardings", Attrs)]),
    encoding(8, "dim_mapping", &[("factor_indices", SignedNumbers)]),
    encoding(9, "tensor_mapping", &[("dim_mappings", Attrs)]),
    encoding(
        10,
        "op_sharding_rule",
        &[
            ("factor_sizes", SignedNumbers),
            ("operand_mappings", Attrs),
            ("result_mappings", Attrs),
            ("reduction", SignedNumbers),
            ("need_replication", SignedNumbers),
            ("permutation", SignedNumbers),
            ("blocked_propagation", SignedNumbers),
            ("is_custom_rule", Byte),
        ],
    ),
    encoding(11, "axis_ref_list", &[("value", Attrs)]),
    encoding(12, "list_of_axis_ref_lists", &[("value", Attrs)]),
    encoding(13, "all_to_all_param", &[("axes", Attrs), ("src_dim", Signed), ("tgt_dim", Signed)]),
    encoding(14, "all_to_all_param_list", &[("value", Attrs)]),
    encoding(15, "sharding", &[("mesh_or_ref", Attr), ("dim_shardings", Attrs), ("replicated_axes", Attrs), ("unreduced_axes", Attrs)]),
    encoding(16, "sharding_per_value", &[("shardings", Attrs)]),
    encoding(
        17,
        "sharding",
        &[("mesh_or_ref", Attr), ("dim_shardings", Attrs), ("replicated_axes", Attrs), ("unreduced_axes", Attrs), ("reduction_op", Signed)],
    ),
];
