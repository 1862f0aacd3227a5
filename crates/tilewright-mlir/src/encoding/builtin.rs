//! The encodings of the builtin dialect.

use super::{
    Encoding, Encodings,
    Field::{
        AffineMap, Attr, Attrs, Blob, Bools, Elements, Float, Integer, IntegerSet, NamedAttrs, Number, Numbers, Resource, Signed,
        SignedNumbers, String, Type, Types,
    },
    Owner,
};

/// The codes of attributes and types, for those who make or print them.
pub(crate) mod code {
    pub(crate) const ARRAY: u64 = 0;
    pub(crate) const DICTIONARY: u64 = 1;
    pub(crate) const STRING: u64 = 2;
    pub(crate) const STRING_WITH_TYPE: u64 = 3;
    pub(crate) const FLAT_SYMBOL_REF: u64 = 4;
    pub(crate) const SYMBOL_REF: u64 = 5;
    pub(crate) const TYPE: u64 = 6;
    pub(crate) const UNIT: u64 = 7;
    pub(crate) const INTEGER: u64 = 8;
    pub(crate) const FLOAT: u64 = 9;
    pub(crate) const CALL_SITE_LOC: u64 = 10;
    pub(crate) const FILE_LINE_COL_LOC: u64 = 11;
    pub(crate) const FUSED_LOC: u64 = 12;
    pub(crate) const FUSED_LOC_WITH_METADATA: u64 = 13;
    pub(crate) const NAME_LOC: u64 = 14;
    pub(crate) const UNKNOWN_LOC: u64 = 15;
    pub(crate) const DENSE_RESOURCE: u64 = 16;
    pub(crate) const DENSE_ARRAY: u64 = 17;
    pub(crate) const DENSE: u64 = 18;
    pub(crate) const DENSE_STRING: u64 = 19;
    pub(crate) const SPARSE: u64 = 20;
    pub(crate) const DISTINCT: u64 = 21;
    pub(crate) const FILE_LINE_COL_RANGE: u64 = 22;
    pub(crate) const AFFINE_MAP: u64 = 23;
    pub(crate) const INTEGER_SET: u64 = 24;
    pub(crate) const STRIDED_LAYOUT: u64 = 25;

    /// Whether the attributes with a code are locations.
    pub(crate) fn is_location(code: u64) -> bool {
        matches!(
            code,
            CALL_SITE_LOC | FILE_LINE_COL_LOC | FILE_LINE_COL_RANGE | FUSED_LOC | FUSED_LOC_WITH_METADATA | NAME_LOC | UNKNOWN_LOC
        )
    }

    pub(crate) const INTEGER_TYPE: u64 = 0;
    pub(crate) const INDEX_TYPE: u64 = 1;
    pub(crate) const FUNCTION_TYPE: u64 = 2;
    pub(crate) const BF16_TYPE: u64 = 3;
    pub(crate) const F16_TYPE: u64 = 4;
    pub(crate) const F32_TYPE: u64 = 5;
    pub(crate) const F64_TYPE: u64 = 6;
    pub(crate) const F80_TYPE: u64 = 7;
    pub(crate) const F128_TYPE: u64 = 8;
    pub(crate) const COMPLEX_TYPE: u64 = 9;
    pub(crate) const MEMREF_TYPE: u64 = 10;
    pub(crate) const MEMREF_WITH_SPACE_TYPE: u64 = 11;
    pub(crate) const NONE_TYPE: u64 = 12;
    pub(crate) const TENSOR_TYPE: u64 = 13;
    pub(crate) const TENSOR_WITH_ENCODING_TYPE: u64 = 14;
    pub(crate) const TUPLE_TYPE: u64 = 15;
    pub(crate) const UNRANKED_MEMREF_TYPE: u64 = 16;
    pub(crate) const UNRANKED_MEMREF_WITH_SPACE_TYPE: u64 = 17;
    pub(crate) const UNRANKED_TENSOR_TYPE: u64 = 18;
    pub(crate) const VECTOR_TYPE: u64 = 19;
    pub(crate) const SCALABLE_VECTOR_TYPE: u64 = 20;
}

const fn encoding(code: u64, name: &'static str, fields: super::Fields) -> Encoding {
    Owner::Builtin.row(code, name, fields)
}

pub(super) static ENCODINGS: Encodings = Encodings { attributes: ATTRIBUTES, types: TYPES };

const ATTRIBUTES: &[Encoding] = &[
    encoding(code::ARRAY, "array", &[("elements", Attrs)]),
    encoding(code::DICTIONARY, "dictionary", &[("entries", NamedAttrs)]),
    encoding(code::STRING, "string", &[("value", String)]),
    encoding(code::STRING_WITH_TYPE, "string with type", &[("value", String), ("type", Type)]),
    encoding(code::FLAT_SYMBOL_REF, "symbol", &[("name", Attr)]),
    encoding(code::SYMBOL_REF, "nested symbol", &[("root", Attr), ("nested", Attrs)]),
    encoding(code::TYPE, "type", &[("value", Type)]),
    encoding(code::UNIT, "unit", &[]),
    encoding(code::INTEGER, "integer", &[("type", Type), ("value", Integer)]),
    encoding(code::FLOAT, "float", &[("type", Type), ("value", Float)]),
    encoding(code::CALL_SITE_LOC, "call site location", &[("callee", Attr), ("caller", Attr)]),
    encoding(code::FILE_LINE_COL_LOC, "file location", &[("file", Attr), ("line", Number), ("column", Number)]),
    encoding(code::FUSED_LOC, "fused location", &[("locations", Attrs)]),
    encoding(code::FUSED_LOC_WITH_METADATA, "fused location with metadata", &[("locations", Attrs), ("metadata", Attr)]),
    encoding(code::NAME_LOC, "name location", &[("name", Attr), ("child", Attr)]),
    encoding(code::UNKNOWN_LOC, "unknown location", &[]),
    encoding(code::DENSE_RESOURCE, "dense resource", &[("type", Type), ("resource", Resource)]),
    encoding(code::DENSE_ARRAY, "dense array", &[("element type", Type), ("size", Number), ("data", Blob)]),
    encoding(code::DENSE, "dense elements", &[("type", Type), ("data", Blob)]),
    encoding(code::DENSE_STRING, "dense strings", &[("type", Type), ("is splat", Number), ("elements", Elements)]),
    encoding(code::SPARSE, "sparse elements", &[("type", Type), ("indices", Attr), ("values", Attr)]),
    encoding(code::DISTINCT, "distinct", &[("attribute", Attr)]),
    encoding(code::FILE_LINE_COL_RANGE, "file range location", &[("file", Attr), ("range", Numbers)]),
    // Before LLVM 23 these stood as text.
    encoding(code::AFFINE_MAP, "affine map", &[("map", AffineMap)]),
    encoding(code::INTEGER_SET, "integer set", &[("set", IntegerSet)]),
    encoding(code::STRIDED_LAYOUT, "strided layout", &[("offset", Signed), ("strides", SignedNumbers)]),
];

const TYPES: &[Encoding] = &[
    encoding(code::INTEGER_TYPE, "integer", &[("width and sign", Number)]),
    encoding(code::INDEX_TYPE, "index", &[]),
    encoding(code::FUNCTION_TYPE, "function", &[("inputs", Types), ("results", Types)]),
    encoding(code::BF16_TYPE, "bf16", &[]),
    encoding(code::F16_TYPE, "f16", &[]),
    encoding(code::F32_TYPE, "f32", &[]),
    encoding(code::F64_TYPE, "f64", &[]),
    encoding(code::F80_TYPE, "f80", &[]),
    encoding(code::F128_TYPE, "f128", &[]),
    encoding(code::COMPLEX_TYPE, "complex", &[("element type", Type)]),
    encoding(code::MEMREF_TYPE, "memref", &[("shape", SignedNumbers), ("element type", Type), ("layout", Attr)]),
    encoding(
        code::MEMREF_WITH_SPACE_TYPE,
        "memref with memory space",
        &[("memory space", Attr), ("shape", SignedNumbers), ("element type", Type), ("layout", Attr)],
    ),
    encoding(code::NONE_TYPE, "none", &[]),
    encoding(code::TENSOR_TYPE, "tensor", &[("shape", SignedNumbers), ("element type", Type)]),
    encoding(
        code::TENSOR_WITH_ENCODING_TYPE,
        "tensor with encoding",
        &[("encoding", Attr), ("shape", SignedNumbers), ("element type", Type)],
    ),
    encoding(code::TUPLE_TYPE, "tuple", &[("types", Types)]),
    encoding(code::UNRANKED_MEMREF_TYPE, "unranked memref", &[("element type", Type)]),
    encoding(code::UNRANKED_MEMREF_WITH_SPACE_TYPE, "unranked memref with memory space", &[("memory space", Attr), ("element type", Type)]),
    encoding(code::UNRANKED_TENSOR_TYPE, "unranked tensor", &[("element type", Type)]),
    encoding(code::VECTOR_TYPE, "vector", &[("shape", SignedNumbers), ("element type", Type)]),
    encoding(
        code::SCALABLE_VECTOR_TYPE,
        "vector with scalable dimensions",
        &[("scalable", Bools), ("shape", SignedNumbers), ("element type", Type)],
    ),
    // Before LLVM 23 these stood as text.
    encoding(21, "tf32", &[]),
    encoding(22, "f8E5M2", &[]),
    encoding(23, "f8E4M3", &[]),
    encoding(24, "f8E4M3FN", &[]),
    encoding(25, "f8E5M2FNUZ", &[]),
    encoding(26, "f8E4M3FNUZ", &[]),
    encoding(27, "f8E4M3B11FNUZ", &[]),
    encoding(28, "f8E3M4", &[]),
    encoding(29, "f4E2M1FN", &[]),
    encoding(30, "f6E2M3FN", &[]),
    encoding(31, "f6E3M2FN", &[]),
    encoding(32, "f8E8M0FNU", &[]),
];
