//! The table of the extended assembly: one row for each name.

use super::Expansion;
use super::{atomics, control, memory, misc, tiles};
use tilewright_ir::Opcode;

/// An operation of the extended assembly: a name that some descriptions of Tile IR have and its encoding has not. Where a text
/// uses it, operations of the dialect take its place.
#[derive(Debug)]
pub struct ExtendedOp {
    /// Its name.
    pub name: &'static str,
    /// What it does, in a sentence.
    pub summary: &'static str,
    /// The operations that take its place.
    pub expansion: &'static str,
    /// What it cannot say, and what is written instead; empty if there is nothing.
    pub limits: &'static str,
    pub(super) form: Form,
}

/// How an operation is written and what expands it.
#[derive(Debug)]
pub(super) enum Form {
    /// Another name of an operation, which is written as that is.
    Name(Opcode),
    /// `name %operand, ... parameter = value, ... : types -> types`
    Regular { operands: Operands, params: &'static [Param], types: Types, expand: Expansion },
    /// An operation with a syntax of its own; the text of it behind the name.
    Irregular { syntax: &'static str, read: control::Read },
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Operands {
    Named(&'static [&'static str]),
    /// One or more.
    Any(&'static str),
}

/// What stands behind the colon.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Types {
    /// Nothing, not even the colon.
    None,
    /// The type that operands and result have.
    Same,
    /// The types of the operands.
    Operands,
    /// The type of the result.
    Result,
    /// The types of the operands, an arrow, and the type of the result, or of each result.
    OperandsToResult,
}

/// `name = value` behind the operands.
#[derive(Debug)]
pub(super) struct Param {
    pub(super) name: &'static str,
    pub(super) kind: ParamKind,
    pub(super) required: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum ParamKind {
    Int,
    Bool,
    List,
    Word(&'static [&'static str]),
}

const fn need(name: &'static str, kind: ParamKind) -> Param {
    Param { name, kind, required: true }
}

const fn may(name: &'static str, kind: ParamKind) -> Param {
    Param { name, kind, required: false }
}

const CACHE_MODES: ParamKind = ParamKind::Word(&["always", "never", "global"]);
pub(super) const ORDERINGS: ParamKind = ParamKind::Word(&["relaxed", "acquire", "release", "acq_rel", "seq_cst"]);
const SCOPES: ParamKind = ParamKind::Word(&["tl_blk", "device", "sys"]);
const SIGNEDNESS: ParamKind = ParamKind::Word(&["signed", "unsigned"]);

/// Of `load` and `store`.
const ACCESS: &[Param] = &[may("alignment", ParamKind::Int), may("is_volatile", ParamKind::Bool), may("cache_mode", CACHE_MODES)];
/// Of atomic operations.
const ATOMIC: &[Param] = &[need("ordering", ORDERINGS), may("scope", SCOPES)];
const ATOMIC_SIGNED: &[Param] = &[need("ordering", ORDERINGS), may("signedness", SIGNEDNESS), may("scope", SCOPES)];
const COMPARE: &[Param] = &[need("success_ordering", ORDERINGS), need("failure_ordering", ORDERINGS), may("scope", SCOPES)];

const NO_SEQ_CST: &str = "no 'seq_cst', which the dialect lacks: write acq_rel, and a second flag or lock where that does not suffice";
const SIGNED: &str = "of integers, 'signedness' must be there; no 'seq_cst', which the dialect lacks: write acq_rel";
const POWERS_OF_TWO: &str =
    "extents are powers of two, and at most 4096 operations are made: go through memory and a view where it takes more";

const fn name(name: &'static str, summary: &'static str, opcode: Opcode, expansion: &'static str) -> ExtendedOp {
    ExtendedOp { name, summary, expansion, limits: "", form: Form::Name(opcode) }
}

const fn row(
    name: &'static str,
    summary: &'static str,
    form: (Operands, &'static [Param], Types, Expansion),
    expansion: &'static str,
    limits: &'static str,
) -> ExtendedOp {
    let (operands, params, types, expand) = form;
    ExtendedOp { name, summary, expansion, limits, form: Form::Regular { operands, params, types, expand } }
}

const fn irregular(
    name: &'static str,
    summary: &'static str,
    form: (&'static str, control::Read),
    expansion: &'static str,
    limits: &'static str,
) -> ExtendedOp {
    let (syntax, read) = form;
    ExtendedOp { name, summary, expansion, limits, form: Form::Irregular { syntax, read } }
}

const ON_MEMORY: Operands = Operands::Named(&["ptr", "value"]);
const SOURCE: Operands = Operands::Named(&["source"]);

/// All names, in the order of the documentation.
pub(super) static ROWS: &[ExtendedOp] = &[
    irregular(
        "br",
        "Goes to another block of the function.",
        ("^target[(%args : types)]", control::br),
        "what is behind a branch is nested in loop and if; arguments of blocks become values that these carry",
        "between the blocks of a function only; a graph of at most 1024 blocks that nests at most 128 deep",
    ),
    irregular(
        "cond_br",
        "Goes to one of two other blocks of the function.",
        ("%condition, ^then[(%args : types)], ^else[(%args : types)]", control::cond_br),
        "if; where paths meet that come from different places, an if on a number that tells where to go; a cycle is a loop, one with several entries begins with that number",
        "as br",
    ),
    name("fmaf", "Multiplies and adds with one rounding.", Opcode::Fma, "fma"),
    name("sqrtf", "The square root of each element.", Opcode::Sqrt, "sqrt"),
    name("expf", "The natural exponential of each element.", Opcode::Exp, "exp"),
    name("logf", "The natural logarithm of each element.", Opcode::Log, "log"),
    name("and", "The bitwise and of two integers.", Opcode::AndI, "andi"),
    name("or", "The bitwise or of two integers.", Opcode::OrI, "ori"),
    name("xor", "The bitwise exclusive or of two integers.", Opcode::XOrI, "xori"),
    row("not", "Inverts each bit of integers.", (SOURCE, &[], Types::Same, tiles::not), "xori with a constant of ones", ""),
    name("shl", "Shifts to the left.", Opcode::ShLI, "shli"),
    name("shr", "Shifts to the right, with copies of the sign or with zeros.", Opcode::ShRI, "shri"),
    row(
        "load",
        "Loads a tile: one element through each pointer, or all elements, in row-major order, from one pointer on.",
        (Operands::Named(&["ptr"]), ACCESS, Types::OperandsToResult, memory::load),
        "load_ptr_tko weak, in program order with the other memory operations of this table; alignment: assume div_by on the pointer; is_volatile: relaxed sys; one pointer: offset by iota",
        "cache_mode is a hint without a counterpart, and is dropped",
    ),
    row(
        "store",
        "Stores a tile: one element through each pointer, or all elements, in row-major order, from one pointer on.",
        (ON_MEMORY, ACCESS, Types::Operands, memory::store),
        "store_ptr_tko weak; all else as of load",
        "cache_mode is a hint without a counterpart, and is dropped",
    ),
    row(
        "alloca",
        "Memory of so many bytes, until the function returns.",
        (Operands::Named(&[]), &[need("size", ParamKind::Int), may("alignment", ParamKind::Int)], Types::Result, memory::alloca),
        "alloca of i8 at the beginning of the function, then ptr_to_ptr where the pointee is another",
        "once for each run of the function, wherever it stands; the alignment is 16 unless said otherwise",
    ),
    row(
        "atomic_load",
        "Loads atomically.",
        (Operands::Named(&["ptr"]), ATOMIC, Types::OperandsToResult, atomics::load),
        "load_ptr_tko relaxed or acquire; the scope is sys unless said otherwise",
        NO_SEQ_CST,
    ),
    row(
        "atomic_store",
        "Stores atomically.",
        (ON_MEMORY, ATOMIC, Types::Operands, atomics::store),
        "store_ptr_tko relaxed or release; the scope is sys unless said otherwise",
        NO_SEQ_CST,
    ),
    row(
        "atomic_add",
        "Adds in memory; gives the old value.",
        (ON_MEMORY, ATOMIC, Types::Operands, atomics::add),
        "atomic_rmw_tko add or addf",
        NO_SEQ_CST,
    ),
    row(
        "atomic_sub",
        "Subtracts in memory; gives the old value.",
        (ON_MEMORY, ATOMIC, Types::Operands, atomics::sub),
        "negi and atomic_rmw_tko add, or negf and atomic_rmw_tko addf",
        NO_SEQ_CST,
    ),
    row(
        "atomic_and",
        "Bitwise and in memory; gives the old value.",
        (ON_MEMORY, ATOMIC, Types::Operands, atomics::and),
        "atomic_rmw_tko and",
        NO_SEQ_CST,
    ),
    row(
        "atomic_or",
        "Bitwise or in memory; gives the old value.",
        (ON_MEMORY, ATOMIC, Types::Operands, atomics::or),
        "atomic_rmw_tko or",
        NO_SEQ_CST,
    ),
    row(
        "atomic_xor",
        "Bitwise exclusive or in memory; gives the old value.",
        (ON_MEMORY, ATOMIC, Types::Operands, atomics::xor),
        "atomic_rmw_tko xor",
        NO_SEQ_CST,
    ),
    row(
        "atomic_max",
        "The greater one stays in memory; gives the old value.",
        (ON_MEMORY, ATOMIC_SIGNED, Types::Operands, atomics::max),
        "atomic_rmw_tko max or umax; of floats, a loop of maxf and atomic_cas_tko that ends when every element was replaced",
        SIGNED,
    ),
    row(
        "atomic_min",
        "The lesser one stays in memory; gives the old value.",
        (ON_MEMORY, ATOMIC_SIGNED, Types::Operands, atomics::min),
        "atomic_rmw_tko min or umin; of floats, a loop of minf and atomic_cas_tko that ends when every element was replaced",
        SIGNED,
    ),
    row(
        "atomic_exchange",
        "Replaces the value in memory; gives the old one.",
        (ON_MEMORY, ATOMIC, Types::Operands, atomics::exchange),
        "atomic_rmw_tko xchg",
        NO_SEQ_CST,
    ),
    row(
        "atomic_compare_exchange",
        "Replaces the value in memory where it is the expected one; gives the old value and whether it was replaced.",
        (Operands::Named(&["ptr", "expected", "desired"]), COMPARE, Types::Operands, atomics::compare_exchange),
        "atomic_cas_tko with an ordering that is as strong as both; the second result: cmpi equal of the old and the expected bits",
        NO_SEQ_CST,
    ),
    row(
        "view",
        "Elements of a tile at regular distances: element i of a dimension is element offset + i * stride of the source.",
        (
            SOURCE,
            &[need("offsets", ParamKind::List), need("strides", ParamKind::List), need("sizes", ParamKind::List)],
            Types::OperandsToResult,
            tiles::view,
        ),
        "a copy: extract of aligned blocks, joined by cat; a stride of a power of two is a dimension of its own, by reshape",
        POWERS_OF_TWO,
    ),
    row(
        "slice",
        "Elements of a tile from starts up to before ends, at distances of steps.",
        (
            SOURCE,
            &[need("starts", ParamKind::List), need("ends", ParamKind::List), may("steps", ParamKind::List)],
            Types::OperandsToResult,
            tiles::slice,
        ),
        "as view",
        POWERS_OF_TWO,
    ),
    row(
        "expand_dims",
        "Inserts dimensions of extent 1, which are 'axes' of the result.",
        (SOURCE, &[need("axes", ParamKind::List)], Types::OperandsToResult, tiles::expand_dims),
        "reshape",
        "",
    ),
    row(
        "squeeze",
        "Removes the dimensions 'axes', which have extent 1.",
        (SOURCE, &[need("axes", ParamKind::List)], Types::OperandsToResult, tiles::squeeze),
        "reshape",
        "",
    ),
    row(
        "transpose",
        "Permutes dimensions: dimension i of the result is dimension permutation[i] of the source.",
        (SOURCE, &[need("permutation", ParamKind::List)], Types::OperandsToResult, tiles::transpose),
        "permute",
        "",
    ),
    row(
        "concatenate",
        "Joins tiles along a dimension.",
        (Operands::Any("tiles"), &[need("axis", ParamKind::Int)], Types::OperandsToResult, tiles::concatenate),
        "cat, in pairs; a tile that lies across the middle is cut by extract",
        POWERS_OF_TWO,
    ),
    row(
        "split",
        "Cuts a tile into equal parts along a dimension.",
        (SOURCE, &[need("axis", ParamKind::Int), need("num_splits", ParamKind::Int)], Types::OperandsToResult, tiles::split),
        "an extract for each part",
        POWERS_OF_TWO,
    ),
    row(
        "barrier",
        "Waits for all threads of the block.",
        (Operands::Named(&[]), &[], Types::None, misc::barrier),
        "a block is one thread, so nothing waits: join_tokens of the memory operations before it in its region, which those of this table behind it follow",
        "nothing between blocks: use atomic operations",
    ),
    row(
        "print",
        "Prints values.",
        (Operands::Any("values"), &[], Types::Operands, misc::print),
        "print_tko with a conversion for each value: %d of integers, %f of floats, %p of pointers",
        "",
    ),
    irregular("comment", "A comment in the text.", ("\"text\"", misc::comment), "nothing", ""),
    irregular(
        "unreachable",
        "Ends a block that is never reached.",
        ("", control::unreachable),
        "assert of false, then the end of the region",
        "",
    ),
];

impl ExtendedOp {
    /// How it is written.
    pub fn syntax(&self) -> String {
        let name = self.name;
        match &self.form {
            Form::Name(opcode) => {
                let syntax = opcode.def().syntax();
                let rest = syntax.strip_prefix(opcode.mnemonic()).unwrap_or(&syntax);
                format!("{name}{rest}")
            }
            Form::Irregular { syntax, .. } => format!("{name} {syntax}").trim_end().to_owned(),
            Form::Regular { operands, params, types, .. } => {
                let operands = match operands {
                    Operands::Named(names) => names.iter().map(|name| format!("%{name}")).collect(),
                    Operands::Any(name) => vec![format!("%{name}")],
                };
                let of_operands: Vec<String> = operands.iter().map(|name| format!("type({})", &name[1..])).collect();
                let mut text = format!("{name} {}", operands.join(", ")).trim_end().to_owned();
                for (index, param) in params.iter().enumerate() {
                    let comma = if index == 0 { "" } else { "," };
                    let clause = format!("{} = {}", param.name, param.kind.words());
                    text += &if param.required { format!("{comma} {clause}") } else { format!("{comma} [{clause}]") };
                }
                let of_operands = of_operands.join(", ");
                text + &match types {
                    Types::None => String::new(),
                    Types::Same | Types::Result => " : type(result)".to_owned(),
                    Types::Operands => format!(" : {of_operands}"),
                    Types::OperandsToResult => format!(" : {of_operands} -> type(result)"),
                }
            }
        }
    }
}

impl ParamKind {
    /// What can be written, in words.
    pub(super) fn words(self) -> String {
        match self {
            ParamKind::Int => "integer".to_owned(),
            ParamKind::Bool => "true|false".to_owned(),
            ParamKind::List => "[integers]".to_owned(),
            ParamKind::Word(words) => words.join("|"),
        }
    }
}
