//! What has a name, and what names begin with.

use super::Symbol;
use crate::{
    encoding::{Owner, Value, code},
    tables::{AttrId, Form, StrId, Tables, TypeId},
};

/// A tuple with more types has a name.
const LONG_TUPLE: usize = 16;

/// What is named, by its place in the list of names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Kind(pub(super) u8);

/// What names begin with, in alphabetical order: MLIR's own, and those that dialects give.
const NAMES: [&str; 54] = [
    "access_group",
    "alias_scope",
    "alias_scope_domain",
    "blocked",
    "compilation",
    "config",
    "di_basic_type",
    "di_common_block",
    "di_compile_unit",
    "di_composite_type",
    "di_derived_type",
    "di_file",
    "di_global_variable",
    "di_global_variable_expression",
    "di_imported_entity",
    "di_label",
    "di_lexical_block",
    "di_lexical_block_file",
    "di_local_variable",
    "di_module",
    "di_namespace",
    "di_null_type",
    "di_string_type",
    "di_subprogram",
    "di_subroutine_type",
    "distinct",
    "extern",
    "linear",
    "loc",
    "loop_annotation",
    "loop_distribute",
    "loop_interleave",
    "loop_licm",
    "loop_peeled",
    "loop_pipeline",
    "loop_unroll",
    "loop_unroll_and_jam",
    "loop_unswitch",
    "loop_vectorize",
    "map",
    "mma",
    "mmra_tag",
    "nested",
    "pipeline_layout",
    "set",
    "shared",
    "smem",
    "sparse",
    "tbaa_root",
    "tbaa_tag",
    "tbaa_type_desc",
    "tmem",
    "translation",
    "tuple",
];

/// What the names of attributes of dialects begin with, by the mnemonics of these.
const MNEMONICS: [(&str, &str); 54] = [
    ("hal.pipeline.layout", "pipeline_layout"),
    ("iree_codegen.compilation_info", "compilation"),
    ("iree_codegen.lowering_config", "config"),
    ("iree_codegen.translation_info", "translation"),
    ("iree_vector_ext.nested_layout", "nested"),
    ("llvm.access_group", "access_group"),
    ("llvm.alias_scope", "alias_scope"),
    ("llvm.alias_scope_domain", "alias_scope_domain"),
    ("llvm.di_basic_type", "di_basic_type"),
    ("llvm.di_common_block", "di_common_block"),
    ("llvm.di_compile_unit", "di_compile_unit"),
    ("llvm.di_composite_type", "di_composite_type"),
    ("llvm.di_derived_type", "di_derived_type"),
    ("llvm.di_file", "di_file"),
    ("llvm.di_global_variable", "di_global_variable"),
    ("llvm.di_global_variable_expression", "di_global_variable_expression"),
    ("llvm.di_imported_entity", "di_imported_entity"),
    ("llvm.di_label", "di_label"),
    ("llvm.di_lexical_block", "di_lexical_block"),
    ("llvm.di_lexical_block_file", "di_lexical_block_file"),
    ("llvm.di_local_variable", "di_local_variable"),
    ("llvm.di_module", "di_module"),
    ("llvm.di_namespace", "di_namespace"),
    ("llvm.di_null_type", "di_null_type"),
    ("llvm.di_string_type", "di_string_type"),
    ("llvm.di_subprogram", "di_subprogram"),
    ("llvm.di_subroutine_type", "di_subroutine_type"),
    ("llvm.loop_annotation", "loop_annotation"),
    ("llvm.loop_distribute", "loop_distribute"),
    ("llvm.loop_interleave", "loop_interleave"),
    ("llvm.loop_licm", "loop_licm"),
    ("llvm.loop_peeled", "loop_peeled"),
    ("llvm.loop_pipeline", "loop_pipeline"),
    ("llvm.loop_unroll", "loop_unroll"),
    ("llvm.loop_unroll_and_jam", "loop_unroll_and_jam"),
    ("llvm.loop_unswitch", "loop_unswitch"),
    ("llvm.loop_vectorize", "loop_vectorize"),
    ("llvm.mmra_tag", "mmra_tag"),
    ("llvm.tbaa_root", "tbaa_root"),
    ("llvm.tbaa_tag", "tbaa_tag"),
    ("llvm.tbaa_type_desc", "tbaa_type_desc"),
    ("ml_program.extern", "extern"),
    ("sparse_tensor.encoding", "sparse"),
    ("ttg.amd_mfma", "mma"),
    ("ttg.amd_wmma", "mma"),
    ("ttg.blocked", "blocked"),
    ("ttg.linear", "linear"),
    ("ttg.nvidia_mma", "mma"),
    ("ttg.nvmma_shared", "shared"),
    ("ttg.padded_shared", "shared"),
    ("ttg.shared_linear", "shared"),
    ("ttg.shared_memory", "smem"),
    ("ttg.swizzled_shared", "shared"),
    ("ttng.tensor_memory", "tmem"),
];

impl Kind {
    pub(super) const COUNT: usize = NAMES.len();
    const DISTINCT: Kind = Kind(25);
    pub(super) const LOCATION: Kind = Kind(28);
    const MAP: Kind = Kind(39);
    const SET: Kind = Kind(44);
    pub(super) const TUPLE: Kind = Kind(53);

    /// What its names begin with.
    pub(super) fn name(self) -> &'static [u8] {
        NAMES[usize::from(self.0)].as_bytes()
    }

    /// The kind of an attribute with a mnemonic, which begins with the dialect; none where the dialect gives no name.
    fn of_mnemonic(mnemonic: &[u8]) -> Option<Kind> {
        let place = MNEMONICS.binary_search_by_key(&mnemonic, |(mnemonic, _)| mnemonic.as_bytes()).ok()?;
        let place = NAMES.binary_search(&MNEMONICS[place].1).ok()?;
        Some(Kind(place as u8))
    }
}

/// The kind of the name that MLIR gives to a symbol.
pub(super) fn kind_of(tables: &Tables<'_>, symbol: Symbol) -> Option<Kind> {
    match symbol {
        Symbol::Attr(id) => kind_of_attr(tables, id),
        Symbol::Type(id) => kind_of_type(tables, id),
        Symbol::UnknownLocation => Some(Kind::LOCATION),
    }
}

/// Whether a symbol has a name.
pub(in crate::print) fn has_name(tables: &Tables<'_>, symbol: Symbol) -> bool {
    kind_of(tables, symbol).is_some()
}

fn kind_of_attr(tables: &Tables<'_>, id: AttrId) -> Option<Kind> {
    match tables.builtin_attr(id) {
        Some(code) if code::is_location(code) => Some(Kind::LOCATION),
        Some(code::AFFINE_MAP) => Some(Kind::MAP),
        Some(code::INTEGER_SET) => Some(Kind::SET),
        Some(code::DISTINCT) => match tables.attr_fields(id).first() {
            Some(&Value::Attr(of)) if tables.builtin_attr(of) != Some(code::UNIT) => Some(Kind::DISTINCT),
            _ => None,
        },
        Some(_) => None,
        None => match tables.text(&tables.attrs, id.0) {
            None => match tables.attrs.entry(id.0).form {
                Form::Known(encoding) if encoding.owner == Owner::Llvm => Kind::of_mnemonic(&[b"llvm.", encoding.name.as_bytes()].concat()),
                Form::Known(encoding) if encoding.owner == Owner::Template => match tables.attr_fields(id).first() {
                    Some(Value::Numbers(pieces)) => {
                        pieces.clone().next().and_then(|piece| kind_of_text(tables.strings.get(StrId(piece as u32))))
                    }
                    _ => None,
                },
                _ => None,
            },
            Some(text) => kind_of_text(text),
        },
    }
}

/// Whether an attribute that is a text, or begins with it, has a name.
pub(in crate::print) fn has_name_as_text(text: &[u8]) -> bool {
    kind_of_text(text).is_some()
}

/// The kind of the name of an attribute that stands as text.
fn kind_of_text(text: &[u8]) -> Option<Kind> {
    if text.starts_with(b"affine_map<") {
        return Some(Kind::MAP);
    }
    if text.starts_with(b"affine_set<") {
        return Some(Kind::SET);
    }
    if text.starts_with(b"loc(") {
        return Some(Kind::LOCATION);
    }
    let mnemonic = text.strip_prefix(b"#")?;
    Kind::of_mnemonic(mnemonic.split(|&byte| byte == b'<').next()?)
}

fn kind_of_type(tables: &Tables<'_>, id: TypeId) -> Option<Kind> {
    if tables.builtin_type(id) != Some(code::TUPLE_TYPE) {
        return None;
    }
    match tables.type_fields(id).first() {
        Some(Value::Types(types)) if types.len() > LONG_TUPLE => Some(Kind::TUPLE),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, MNEMONICS, NAMES};

    #[test]
    fn names_are_in_order() {
        assert!(NAMES.is_sorted() && MNEMONICS.is_sorted());
        for (kind, name) in
            [(Kind::DISTINCT, "distinct"), (Kind::LOCATION, "loc"), (Kind::MAP, "map"), (Kind::SET, "set"), (Kind::TUPLE, "tuple")]
        {
            assert_eq!(kind.name(), name.as_bytes());
            assert_eq!(Kind::of_mnemonic(name.as_bytes()), None);
        }
        for (mnemonic, name) in MNEMONICS {
            assert_eq!(Kind::of_mnemonic(mnemonic.as_bytes()).map(Kind::name), Some(name.as_bytes()));
        }
    }
}
