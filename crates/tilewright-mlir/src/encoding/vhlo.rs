//! The encodings of VHLO, the versioned form of StableHLO that files hold. Codes are never given a second meaning, so that the table
//! holds for every version.

use super::{
    Encoding, Encodings,
    Field::{
        Attr, Attrs, Blob, Double, FlaggedAttr, Float, Integer, NamedAttrs, Number, OptionalAttr, Signed, SignedNumbers, String, Type,
        Types,
    },
    Owner,
    quant::{UNIFORM, UNIFORM_PER_AXIS},
};

const fn encoding(code: u64, name: &'static str, fields: super::Fields) -> Encoding {
    Owner::Vhlo.row(code, name, fields)
}

pub(super) static ENCODINGS: Encodings = Encodings { attributes: ATTRIBUTES, types: TYPES };

/// Codes of attributes that are printed in a way of their own; the names of the others are their mnemonics, see `print/vhlo.rs`.
#[expect(non_snake_case, reason = "a name space for constants")]
pub(crate) mod ATTR {
    pub(crate) const ARRAY: u64 = 1;
    pub(crate) const BOOLEAN: u64 = 2;
    pub(crate) const COMPARISON_DIRECTION: u64 = 3;
    pub(crate) const COMPARISON_TYPE: u64 = 4;
    pub(crate) const API_VERSION: u64 = 5;
    pub(crate) const DICTIONARY: u64 = 6;
    pub(crate) const FFT_TYPE: u64 = 7;
    pub(crate) const FLOAT: u64 = 8;
    pub(crate) const INTEGER: u64 = 9;
    pub(crate) const OUTPUT_OPERAND_ALIAS: u64 = 10;
    pub(crate) const PRECISION: u64 = 11;
    pub(crate) const RNG_ALGORITHM: u64 = 12;
    pub(crate) const RNG_DISTRIBUTION: u64 = 13;
    pub(crate) const STRING: u64 = 14;
    pub(crate) const TENSOR: u64 = 15;
    pub(crate) const TRANSPOSE: u64 = 16;
    pub(crate) const TYPE: u64 = 17;
    pub(crate) const TYPE_EXTENSIONS: u64 = 18;
    pub(crate) const RESULT_ACCURACY_MODE: u64 = 19;
    pub(crate) const RESULT_ACCURACY: u64 = 20;
    pub(crate) const SUB_AXIS_INFO: u64 = 21;
    pub(crate) const AXIS_REF: u64 = 22;
    pub(crate) const REPLICA_GROUP_MESH_AXES: u64 = 23;
    pub(crate) const MESH_AXIS: u64 = 24;
    pub(crate) const MESH: u64 = 25;
}

/// Codes of types with parts.
#[expect(non_snake_case, reason = "a name space for constants")]
pub(crate) mod TYPE {
    pub(crate) const COMPLEX: u64 = 1;
    pub(crate) const FUNCTION: u64 = 8;
    pub(crate) const TENSOR: u64 = 20;
    pub(crate) const TENSOR_WITH_ENCODING: u64 = 21;
    pub(crate) const TOKEN: u64 = 22;
    pub(crate) const TUPLE: u64 = 23;
    pub(crate) const QUANTIZED: u64 = 24;
    pub(crate) const UNRANKED_TENSOR: u64 = 25;
    pub(crate) const WITNESS: u64 = 26;
    pub(crate) const QUANTIZED_PER_AXIS: u64 = 30;
    pub(crate) const BUFFER: u64 = 41;
    pub(crate) const FUTURE: u64 = 42;
}

/// Types without parts: code, mnemonic, and the builtin type that they stand for.
const SCALARS: [(u64, &str, &str); 31] = [
    (0, "bool_v1", "i1"),
    (2, "bf16_v1", "bf16"),
    (3, "f16_v1", "f16"),
    (4, "f32_v1", "f32"),
    (5, "f64_v1", "f64"),
    (6, "f8E4M3FN_v1", "f8E4M3FN"),
    (7, "f8E5M2_v1", "f8E5M2"),
    (9, "index_v1", "index"),
    (10, "i4_v1", "i4"),
    (11, "i8_v1", "i8"),
    (12, "i16_v1", "i16"),
    (13, "i32_v1", "i32"),
    (14, "i64_v1", "i64"),
    (15, "ui4_v1", "ui4"),
    (16, "ui8_v1", "ui8"),
    (17, "ui16_v1", "ui16"),
    (18, "ui32_v1", "ui32"),
    (19, "ui64_v1", "ui64"),
    (27, "f8E4M3FNUZ_v1", "f8E4M3FNUZ"),
    (28, "f8E5M2FNUZ_v1", "f8E5M2FNUZ"),
    (29, "f8E4M3B11FNUZ_v1", "f8E4M3B11FNUZ"),
    (31, "i2_v1", "i2"),
    (32, "ui2_v1", "ui2"),
    (33, "none_v1", "none"),
    // The name is a slip of the dialect's authors that files have kept.
    (34, "tf31_v1", "tf32"),
    (35, "f8E4M3_v1", "f8E4M3"),
    (36, "f8E3M4_v1", "f8E3M4"),
    (37, "f4E2M1FN_v1", "f4E2M1FN"),
    (38, "f6E2M3FN_v1", "f6E2M3FN"),
    (39, "f6E3M2FN_v1", "f6E3M2FN"),
    (40, "f8E8M0FNU_v1", "f8E8M0FNU"),
];

/// The mnemonic of a type without parts, and the builtin type that it stands for.
pub(crate) fn scalar(code: u64) -> Option<(&'static str, &'static str)> {
    SCALARS.iter().find(|row| row.0 == code).map(|&(_, mnemonic, builtin)| (mnemonic, builtin))
}

const VALUE: &[(&str, super::Field)] = &[("value", Number)];

const ATTRIBUTES: &[Encoding] = &[
    encoding(ATTR::ARRAY, "array_v1", &[("elements", Attrs)]),
    encoding(ATTR::BOOLEAN, "bool_v1", VALUE),
    encoding(ATTR::COMPARISON_DIRECTION, "comparison_direction_v1", VALUE),
    encoding(ATTR::COMPARISON_TYPE, "comparison_type_v1", VALUE),
    encoding(ATTR::API_VERSION, "api_version_v1", VALUE),
    encoding(ATTR::DICTIONARY, "dict_v1", &[("entries", NamedAttrs)]),
    encoding(ATTR::FFT_TYPE, "fft_type_v1", VALUE),
    encoding(ATTR::FLOAT, "float_v1", &[("type", Type), ("value", Float)]),
    encoding(ATTR::INTEGER, "integer_v1", &[("type", Type), ("value", Integer)]),
    encoding(
        ATTR::OUTPUT_OPERAND_ALIAS,
        "output_operand_alias_v1",
        &[("outputTupleIndices", SignedNumbers), ("operandIndex", Signed), ("operandTupleIndices", SignedNumbers)],
    ),
    encoding(ATTR::PRECISION, "precision_v1", VALUE),
    encoding(ATTR::RNG_ALGORITHM, "rng_algorithm_v1", VALUE),
    encoding(ATTR::RNG_DISTRIBUTION, "rng_distribution_v1", VALUE),
    encoding(ATTR::STRING, "string_v1", &[("value", String)]),
    encoding(ATTR::TENSOR, "tensor_v1", &[("type", Type), ("data", Blob)]),
    encoding(ATTR::TRANSPOSE, "transpose_v1", VALUE),
    encoding(ATTR::TYPE, "type_v1", &[("value", Type)]),
    encoding(ATTR::TYPE_EXTENSIONS, "type_extensions_v1", &[("bounds", SignedNumbers)]),
    encoding(ATTR::RESULT_ACCURACY_MODE, "result_accuracy_mode_v1", VALUE),
    encoding(ATTR::RESULT_ACCURACY, "result_accuracy_v1", &[("atol", Double), ("rtol", Double), ("ulps", Signed), ("mode", Attr)]),
    encoding(ATTR::SUB_AXIS_INFO, "sub_axis_info_v1", &[("pre_size", Signed), ("size", Signed)]),
    encoding(ATTR::AXIS_REF, "axis_ref_v1", &[("name", Attr), ("sub_axis_info", FlaggedAttr)]),
    encoding(ATTR::REPLICA_GROUP_MESH_AXES, "replica_group_mesh_axes_v1", &[("mesh", Attr), ("axes", Attr)]),
    encoding(ATTR::MESH_AXIS, "mesh_axis_v1", &[("name", Attr), ("size", Signed)]),
    encoding(ATTR::MESH, "mesh_v1", &[("axes", Attr), ("device_ids", OptionalAttr)]),
];

const TYPES: &[Encoding] = &[
    encoding(0, "bool_v1", &[]),
    encoding(TYPE::COMPLEX, "complex_v1", &[("element type", Type)]),
    encoding(2, "bf16_v1", &[]),
    encoding(3, "f16_v1", &[]),
    encoding(4, "f32_v1", &[]),
    encoding(5, "f64_v1", &[]),
    encoding(6, "f8E4M3FN_v1", &[]),
    encoding(7, "f8E5M2_v1", &[]),
    encoding(TYPE::FUNCTION, "func_v1", &[("inputs", Types), ("outputs", Types)]),
    encoding(9, "index_v1", &[]),
    encoding(10, "i4_v1", &[]),
    encoding(11, "i8_v1", &[]),
    encoding(12, "i16_v1", &[]),
    encoding(13, "i32_v1", &[]),
    encoding(14, "i64_v1", &[]),
    encoding(15, "ui4_v1", &[]),
    encoding(16, "ui8_v1", &[]),
    encoding(17, "ui16_v1", &[]),
    encoding(18, "ui32_v1", &[]),
    encoding(19, "ui64_v1", &[]),
    encoding(TYPE::TENSOR, "tensor_v1", &[("shape", SignedNumbers), ("element type", Type)]),
    encoding(
        TYPE::TENSOR_WITH_ENCODING,
        "tensor_v1 with encoding",
        &[("encoding", Attr), ("shape", SignedNumbers), ("element type", Type)],
    ),
    encoding(TYPE::TOKEN, "token_v1", &[]),
    encoding(TYPE::TUPLE, "tuple_v1", &[("types", Types)]),
    encoding(TYPE::QUANTIZED, "quant_v1", UNIFORM),
    encoding(TYPE::UNRANKED_TENSOR, "unranked_tensor_v1", &[("element type", Type)]),
    encoding(TYPE::WITNESS, "witness_v1", &[]),
    encoding(27, "f8E4M3FNUZ_v1", &[]),
    encoding(28, "f8E5M2FNUZ_v1", &[]),
    encoding(29, "f8E4M3B11FNUZ_v1", &[]),
    encoding(TYPE::QUANTIZED_PER_AXIS, "quant_per_axis_v1", UNIFORM_PER_AXIS),
    encoding(31, "i2_v1", &[]),
    encoding(32, "ui2_v1", &[]),
    encoding(33, "none_v1", &[]),
    encoding(34, "tf31_v1", &[]),
    encoding(35, "f8E4M3_v1", &[]),
    encoding(36, "f8E3M4_v1", &[]),
    encoding(37, "f4E2M1FN_v1", &[]),
    encoding(38, "f6E2M3FN_v1", &[]),
    encoding(39, "f6E3M2FN_v1", &[]),
    encoding(40, "f8E8M0FNU_v1", &[]),
    encoding(TYPE::BUFFER, "buffer_v1", &[("shape", SignedNumbers), ("element type", Type)]),
    encoding(TYPE::FUTURE, "future_v1", &[("types", Types)]),
];
