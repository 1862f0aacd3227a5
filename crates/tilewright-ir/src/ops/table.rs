//! The op table: every operation of Tile IR 13.1 to 13.5, once.
//!
//! The rows stand in the order of their numbers. Everything else that knows operations walks this table: the reader and the
//! printer, the builder and the verifier, `tilewright ops` and the documentation.

use super::row::{
    ALL, ATOMICS, CONVERT, DIVIDE, ESTIMATE, IEEE, INTEGER_DIVIDE, LOADS, MULTIMEM_REDUCE, REDUCTIONS, RELAXED, ROOT, SIGNED_OVERFLOW,
    STORES, attr, define_ops, one, optional, result, unit, variadic,
};
use super::{AsmNames, AttrDefault, AttrKind as K, AttrName as A, CustomFormat, OpDef, Placement, Same, Traits, TypeSet as T};
use crate::Version::{V13_1, V13_2, V13_3, V13_4, V13_5};
use crate::{EnumKind, IntegerOverflow, MemoryScope, MultimemReductionKind, RoundingMode, SymbolVisibility};

define_ops! {
    AbsF = OpDef::new("absf", 0x00, "AbsFOp", V13_1, "Absolute value of floats: clears the sign bit.")
        .results(&[result("result", T::FLOAT)])
        .operands(&[one("source", T::FLOAT)])
        .same(Same::Type, ALL)
        .traits(&[Traits::PURE, Traits::ELEMENTWISE])
        .format(" $source : type($result)"),
    AbsI = OpDef::new("absi", 0x01, "AbsIOp", V13_1, "Absolute value of signed integers.")
        .results(&[result("result", T::INT)])
        .operands(&[one("source", T::INT)])
        .same(Same::Type, ALL)
        .traits(&[Traits::PURE, Traits::ELEMENTWISE])
        .format(" $source : type($result)"),
    AddF = OpDef::new("addf", 0x02, "AddFOp", V13_1, "Adds floats.")
        .results(&[result("result", T::FLOAT)])
        .attrs(&[
            attr(A::RoundingMode, K::Enum(EnumKind::RoundingMode)).only(IEEE).default_in_text(AttrDefault::Enum(RoundingMode::NearestEven as u8)),
            unit(A::FlushToZero).f32_only(),
        ])
        .operands(&[one("lhs", T::FLOAT), one("rhs", T::FLOAT)])
        .same(Same::Type, ALL)
        .traits(&[Traits::PURE, Traits::ELEMENTWISE, Traits::COMMUTATIVE])
        .format(" $lhs, $rhs (?rounding_mode rounding<$rounding_mode>)(?flush_to_zero  flush_to_zero) : type($result)"),
    AddI = OpDef::new("addi", 0x03, "AddIOp", V13_1, "Adds integers.")
        .results(&[result("result", T::INT)])
        .attrs(&[attr(A::Overflow, K::Enum(EnumKind::IntegerOverflow)).default(AttrDefault::Enum(IntegerOverflow::None as u8))])
        .operands(&[one("lhs", T::INT), one("rhs", T::INT)])
        .same(Same::Type, ALL)
        .traits(&[Traits::PURE, Traits::ELEMENTWISE, Traits::COMMUTATIVE])
        .format(" $lhs, $rhs(?overflow  overflow<$overflow>) : type($result)"),
    AndI = OpDef::new("andi", 0x04, "AndIOp", V13_1, "Bitwise and.")
        .results(&[result("result", T::INT)])
        .operands(&[one("lhs", T::INT), one("rhs", T::INT)])
        .same(Same::Type, ALL)
        .traits(&[Traits::PURE, Traits::ELEMENTWISE, Traits::COMMUTATIVE])
        .format(" $lhs, $rhs : type($result)"),
    Assert = OpDef::new("assert", 0x05, "AssertOp", V13_1, "Stops the launch where an element is false.")
        .attrs(&[attr(A::Message, K::String)])
        .operands(&[one("condition", T::I1)])
        .traits(&[Traits::STOPS])
        .format(" $condition, $message : type($condition)"),
    Assume = OpDef::new("assume", 0x06, "AssumeOp", V13_1, "Gives its operand on, with a promise about it.")
        .results(&[result("result", T::ANY)])
        .attrs(&[attr(A::Predicate, K::Predicate)])
        .operands(&[one("value", T::ANY)])
        .same(Same::Type, &["value", "result"])
        .traits(&[Traits::NO_MEMORY])
        .format(" $predicate, $value : type($value)")
        .names(AsmNames::Assume),
    AtomicCASTko = OpDef::new("atomic_cas_tko", 0x07, "AtomicCASTkoOp", V13_1, "Replaces values that equal the expected ones, atomically.")
        .results(&[result("result", T::TILE), result("result_token", T::TOKEN)])
        .attrs(&[
            attr(A::MemoryOrderingSemantics, K::Enum(EnumKind::MemoryOrderingSemantics)).only(ATOMICS),
            attr(A::MemoryScope, K::Enum(EnumKind::MemoryScope)),
        ])
        .operands(&[one("pointers", T::POINTER), one("cmp", T::TILE), one("val", T::TILE), optional("mask", T::I1), optional("token", T::TOKEN)])
        .same(Same::Type, &["cmp", "val", "result"])
        .same(Same::Shape, &["pointers", "cmp", "mask"])
        .traits(&[Traits::READS, Traits::WRITES, Traits::TOKEN_ORDERED])
        .format(" $memory_ordering_semantics $memory_scope $pointers, $cmp, $val(?mask , $mask)(?token  token=$token) : type($pointers), type($val)(?mask , type($mask)) -> type($result), type($result_token)"),
    AtomicRMWTko = OpDef::new("atomic_rmw_tko", 0x08, "AtomicRMWTkoOp", V13_1, "Changes values in memory atomically and gives the old ones.")
        .results(&[result("result", T::TILE), result("result_token", T::TOKEN)])
        .attrs(&[
            attr(A::MemoryOrderingSemantics, K::Enum(EnumKind::MemoryOrderingSemantics)).only(ATOMICS),
            attr(A::MemoryScope, K::Enum(EnumKind::MemoryScope)),
            attr(A::Mode, K::Enum(EnumKind::AtomicRMWMode)),
        ])
        .operands(&[one("pointers", T::POINTER), one("arg", T::TILE), optional("mask", T::I1), optional("token", T::TOKEN)])
        .same(Same::Type, &["arg", "result"])
        .same(Same::Shape, &["pointers", "arg", "mask"])
        .traits(&[Traits::READS, Traits::WRITES, Traits::TOKEN_ORDERED])
        .format(" $memory_ordering_semantics $memory_scope $pointers, $mode, $arg(?mask , $mask)(?token  token=$token) : type($pointers), type($arg)(?mask , type($mask)) -> type($result), type($result_token)"),
    Bitcast = OpDef::new("bitcast", 0x09, "BitcastOp", V13_1, "Reads the bits of numbers as another type of the same width.")
        .results(&[result("result", T::NUMBER)])
        .operands(&[one("source", T::NUMBER)])
        .same(Same::Shape, &["source", "result"])
        .traits(&[Traits::PURE, Traits::ELEMENTWISE])
        .format(" $source : type($source) -> type($result)"),
    Break = OpDef::new("break", 0x0a, "BreakOp", V13_1, "Leaves the innermost loop.")
        .operands(&[variadic("operands", T::ANY)])
        .traits(&[Traits::TERMINATOR])
        .format("(?operands  $operands : type($operands))"),
    Broadcast = OpDef::new("broadcast", 0x0b, "BroadcastOp", V13_1, "Repeats a tile along dimensions of extent 1.")
        .results(&[result("result", T::TILE)])
        .operands(&[one("source", T::TILE)])
        .same(Same::Element, &["source", "result"])
        .same(Same::Rank, &["source", "result"])
        .traits(&[Traits::PURE])
        .format(" $source : type($source) -> type($result)")
        .names(AsmNames::Word("bcast")),
    Cat = OpDef::new("cat", 0x0c, "CatOp", V13_1, "Joins two tiles along a dimension.")
        .results(&[result("result", T::TILE)])
        .attrs(&[attr(A::Dim, K::UInt(64))])
        .operands(&[one("lhs", T::TILE), one("rhs", T::TILE)])
        .same(Same::Element, &["lhs", "rhs", "result"])
        .same(Same::Rank, &["lhs", "rhs", "result"])
        .traits(&[Traits::PURE])
        .format(" $lhs, $rhs dim = $dim : type($lhs), type($rhs) -> type($result)"),
    Ceil = OpDef::new("ceil", 0x0d, "CeilOp", V13_1, "Rounds floats up to integral values.")
        .results(&[result("result", T::FLOAT)])
        .operands(&[one("source", T::FLOAT)])
        .same(Same::Type, ALL)
        .traits(&[Traits::PURE, Traits::ELEMENTWISE])
        .format(" $source : type($result)"),
    CmpF = OpDef::new("cmpf", 0x0e, "CmpFOp", V13_1, "Compares floats.")
        .results(&[result("result", T::I1)])
        .attrs(&[
            attr(A::ComparisonPredicate, K::Enum(EnumKind::ComparisonPredicate)),
            attr(A::ComparisonOrdering, K::Enum(EnumKind::ComparisonOrdering)),
        ])
        .operands(&[one("lhs", T::FLOAT), one("rhs", T::FLOAT)])
        .same(Same::Type, &["lhs", "rhs"])
        .same(Same::Shape, &["lhs", "result"])
        .traits(&[Traits::PURE, Traits::ELEMENTWISE])
        .format(" $comparison_predicate $comparison_ordering $lhs, $rhs : type($lhs) -> type($result)"),
    CmpI = OpDef::new("cmpi", 0x0f, "CmpIOp", V13_1, "Compares integers.")
        .results(&[result("result", T::I1)])
        .attrs(&[
            attr(A::ComparisonPredicate, K::Enum(EnumKind::ComparisonPredicate)),
            attr(A::Signedness, K::Enum(EnumKind::Signedness)),
        ])
        .operands(&[one("lhs", T::INT), one("rhs", T::INT)])
        .same(Same::Type, &["lhs", "rhs"])
        .same(Same::Shape, &["lhs", "result"])
        .traits(&[Traits::PURE, Traits::ELEMENTWISE])
        .format(" $comparison_predicate $lhs, $rhs, $signedness : type($lhs) -> type($result)"),
    Constant = OpDef::new("constant", 0x10, "ConstantOp", V13_1, "A tile known at compile time.")
        .results(&[result("result", T::NUMBER)])
        .attrs(&[attr(A::Value, K::Constant)])
        .traits(&[Traits::PURE])
        .format(" <$value> : type($result)")
        .names(AsmNames::Constant),
    Continue = OpDef::new("continue", 0x11, "ContinueOp", V13_1, "Starts the next iteration of the innermost loop.")
        .operands(&[variadic("operands", T::ANY)])
        .traits(&[Traits::TERMINATOR])
        .format("(?operands  $operands : type($operands))"),
    Cos = OpDef::new("cos", 0x12, "CosOp", V13_1, "Cosine, of radians.")
        .results(&[result("result", T::FLOAT)])
        .operands(&[one("source", T::FLOAT)])
        .same(Same::Type, ALL)
        .traits(&[Traits::PURE, Traits::ELEMENTWISE])
        .format(" $source : type($result)"),
    CosH = OpDef::new("cosh", 0x13, "CosHOp", V13_1, "Hyperbolic cosine.")
        .results(&[result("result", T::FLOAT)])
        .operands(&[one("source", T::FLOAT)])
        .same(Same::Type, ALL)
        .traits(&[Traits::PURE, Traits::ELEMENTWISE])
        .format(" $source : type($result)"),
    DivF = OpDef::new("divf", 0x14, "DivFOp", V13_1, "Divides floats.")
        .results(&[result("result", T::FLOAT)])
        .attrs(&[
            attr(A::RoundingMode, K::Enum(EnumKind::RoundingMode)).only(DIVIDE).f32_only_values(&[RoundingMode::Approx as u8, RoundingMode::Full as u8]).default_in_text(AttrDefault::Enum(RoundingMode::NearestEven as u8)),
            unit(A::FlushToZero).f32_only(),
        ])
        .operands(&[one("lhs", T::FLOAT), one("rhs", T::FLOAT)])
        .same(Same::Type, ALL)
        .traits(&[Traits::PURE, Traits::ELEMENTWISE])
        .format(" $lhs, $rhs (?rounding_mode rounding<$rounding_mode>)(?flush_to_zero  flush_to_zero) : type($result)"),
    DivI = OpDef::new("divi", 0x15, "DivIOp", V13_1, "Divides integers.")
        .results(&[result("result", T::INT)])
        .attrs(&[
            attr(A::Signedness, K::Enum(EnumKind::Signedness)),
            attr(A::Rounding, K::Enum(EnumKind::RoundingMode)).only(INTEGER_DIVIDE).default(AttrDefault::Enum(RoundingMode::Zero as u8)),
        ])
        .operands(&[one("lhs", T::INT), one("rhs", T::INT)])
        .same(Same::Type, ALL)
        .traits(&[Traits::NO_MEMORY, Traits::ELEMENTWISE])
        .format(" $lhs, $rhs $signedness(?rounding  rounding<$rounding>) : type($result)"),
    Entry = OpDef::new("entry", 0x16, "EntryOp", V13_1, "A kernel.")
        .placed(Placement::FunctionTable)
        .attrs(&[
            attr(A::SymName, K::String),
            attr(A::FunctionType, K::Type),
            attr(A::ArgAttrs, K::Array).optional().since(V13_5),
            attr(A::ResAttrs, K::Array).optional(),
            attr(A::OptimizationHints, K::Hints).optional(),
        ])
        .regions(1)
        .traits(&[Traits::ISOLATED, Traits::SYMBOL, Traits::ALLOCATION_SCOPE])
        .custom_format(CustomFormat::Entry),
    Exp = OpDef::new("exp", 0x17, "ExpOp", V13_1, "e to the power of each element.")
        .results(&[result("result", T::FLOAT)])
        .attrs(&[
            attr(A::RoundingMode, K::Enum(EnumKind::RoundingMode)).only(ESTIMATE).f32_only_values(&[RoundingMode::Approx as u8]).since(V13_3).default(AttrDefault::Enum(RoundingMode::Full as u8)),
        ])
        .operands(&[one("source", T::FLOAT)])
        .same(Same::Type, ALL)
        .traits(&[Traits::PURE, Traits::ELEMENTWISE])
        .format(" $source (?rounding_mode rounding<$rounding_mode>) : type($result)"),
    Exp2 = OpDef::new("exp2", 0x18, "Exp2Op", V13_1, "2 to the power of each element.")
        .results(&[result("result", T::FLOAT)])
        .attrs(&[unit(A::FlushToZero).f32_only()])
        .operands(&[one("source", T::FLOAT)])
        .same(Same::Type, ALL)
        .traits(&[Traits::PURE, Traits::ELEMENTWISE])
        .format(" $source(?flush_to_zero  flush_to_zero) : type($result)"),
    ExtI = OpDef::new("exti", 0x25, "ExtIOp", V13_1, "Widens integers.")
        .results(&[result("to", T::INT_OR_I4)])
        .attrs(&[attr(A::Signedness, K::Enum(EnumKind::Signedness))])
        .operands(&[one("from", T::INT_OR_I4)])
        .same(Same::Shape, &["from", "to"])
        .traits(&[Traits::PURE, Traits::ELEMENTWISE])
        .format(" $from $signedness : type($from) -> type($to)"),
    Extract = OpDef::new("extract", 0x26, "ExtractOp", V13_1, "Takes one of the equal slices of a tile.")
        .results(&[result("result", T::TILE)])
        .operands(&[one("source", T::TILE), variadic("indices", T::I32.scalar())])
        .same(Same::Element, &["source", "result"])
        .same(Same::Rank, &["source", "result"])
        .traits(&[Traits::NO_MEMORY])
        .format(" $source[$indices] : type($source) -> type($result)"),
    Floor = OpDef::new("floor", 0x27, "FloorOp", V13_1, "Rounds floats down to integral values.")
        .results(&[result("result", T::FLOAT)])
        .operands(&[one("source", T::FLOAT)])
        .same(Same::Type, ALL)
        .traits(&[Traits::PURE, Traits::ELEMENTWISE])
        .format(" $source : type($result)"),
    Fma = OpDef::new("fma", 0x28, "FmaOp", V13_1, "Multiplies two floats and adds a third, rounding once.")
        .results(&[result("result", T::FLOAT)])
        .attrs(&[
            attr(A::RoundingMode, K::Enum(EnumKind::RoundingMode)).only(IEEE).default_in_text(AttrDefault::Enum(RoundingMode::NearestEven as u8)),
            unit(A::FlushToZero).f32_only(),
        ])
        .operands(&[one("lhs", T::FLOAT), one("rhs", T::FLOAT), one("acc", T::FLOAT)])
        .same(Same::Type, ALL)
        .traits(&[Traits::PURE, Traits::ELEMENTWISE, Traits::COMMUTATIVE])
        .format(" $lhs, $rhs, $acc (?rounding_mode rounding<$rounding_mode>)(?flush_to_zero  flush_to_zero) : type($result)"),
    For = OpDef::new("for", 0x29, "ForOp", V13_1, "Counts over a range, carrying values.")
        .variadic_results("results", T::ANY)
        .attrs(&[unit(A::UnsignedCmp).since(V13_2)])
        .operands(&[one("lowerBound", T::INT.scalar()), one("upperBound", T::INT.scalar()), one("step", T::INT.scalar()), variadic("initValues", T::ANY)])
        .same(Same::Type, &["lowerBound", "upperBound", "step"])
        .regions(1)
        .traits(&[Traits::NESTED_EFFECTS, Traits::IMPLICIT_TERMINATOR, Traits::ALLOCATION_SCOPE])
        .custom_format(CustomFormat::For)
        .names(AsmNames::For),
    FToF = OpDef::new("ftof", 0x2a, "FToFOp", V13_1, "Converts between float types.")
        .results(&[result("to", T::ANY_FLOAT)])
        .attrs(&[
            attr(A::RoundingMode, K::Enum(EnumKind::RoundingMode)).only(CONVERT).default(AttrDefault::Enum(RoundingMode::NearestEven as u8)),
        ])
        .operands(&[one("from", T::ANY_FLOAT)])
        .same(Same::Shape, &["from", "to"])
        .traits(&[Traits::PURE, Traits::ELEMENTWISE])
        .format(" $from (?rounding_mode rounding<$rounding_mode>) : type($from) -> type($to)"),
    FToI = OpDef::new("ftoi", 0x2b, "FToIOp", V13_1, "Converts floats to integers, toward zero.")
        .results(&[result("to", T::INT)])
        .attrs(&[
            attr(A::Signedness, K::Enum(EnumKind::Signedness)),
            attr(A::RoundingMode, K::Enum(EnumKind::RoundingMode)).only(&[RoundingMode::NearestIntToZero as u8]).default_in_text(AttrDefault::Enum(RoundingMode::NearestIntToZero as u8)),
            unit(A::Saturating).since(V13_4),
        ])
        .operands(&[one("from", T::ANY_FLOAT)])
        .same(Same::Shape, &["from", "to"])
        .traits(&[Traits::PURE, Traits::ELEMENTWISE])
        .format(" $from $signedness (?rounding_mode rounding<$rounding_mode>)(?saturating  saturating) : type($from) -> type($to)"),
    GetGlobal = OpDef::new("get_global", 0x2c, "GetGlobalOp", V13_1, "Address of a global.")
        .results(&[result("result", T::POINTER.scalar())])
        .attrs(&[attr(A::Name, K::Symbol)])
        .traits(&[Traits::PURE])
        .format(" $name : type($result)"),
    GetIndexSpaceShape = OpDef::new("get_index_space_shape", 0x2d, "GetIndexSpaceShapeOp", V13_1, "Number of tiles along each dimension of a view.")
        .variadic_results("results", T::INT.scalar())
        .operands(&[one("src", T::VIEW)])
        .traits(&[Traits::NO_MEMORY])
        .format(" $src : type($src) -> first($results)"),
    GetNumTileBlocks = OpDef::new("get_num_tile_blocks", 0x2e, "GetNumTileBlocksOp", V13_1, "Extent of the grid.")
        .results(&[result("gridSize_x", T::I32.scalar()), result("gridSize_y", T::I32.scalar()), result("gridSize_z", T::I32.scalar())])
        .traits(&[Traits::PURE])
        .format(" : type($gridSize_x)"),
    GetTensorShape = OpDef::new("get_tensor_shape", 0x2f, "GetTensorShapeOp", V13_1, "Extents of a tensor.")
        .variadic_results("results", T::INT.scalar())
        .operands(&[one("src", T::TENSOR_VIEW)])
        .traits(&[Traits::NO_MEMORY])
        .format(" $src : type($src) -> first($results)"),
    GetTileBlockId = OpDef::new("get_tile_block_id", 0x30, "GetTileBlockIdOp", V13_1, "Position of the running block in the grid.")
        .results(&[result("blockId_x", T::I32.scalar()), result("blockId_y", T::I32.scalar()), result("blockId_z", T::I32.scalar())])
        .traits(&[Traits::PURE])
        .format(" : type($blockId_x)"),
    Global = OpDef::new("global", 0x31, "GlobalOp", V13_1, "An array in memory for the life of the module.")
        .placed(Placement::GlobalSection)
        .attrs(&[
            attr(A::SymName, K::String),
            attr(A::Value, K::Constant),
            attr(A::Alignment, K::UInt(64)).default(AttrDefault::Int(0)),
            attr(A::SymbolVisibility, K::Enum(EnumKind::SymbolVisibility)).since(V13_3).default(AttrDefault::Enum(SymbolVisibility::Public as u8)),
            unit(A::Constant).since(V13_3),
        ])
        .traits(&[Traits::SYMBOL])
        .custom_format(CustomFormat::Global),
    If = OpDef::new("if", 0x32, "IfOp", V13_1, "Runs one of two regions.")
        .variadic_results("results", T::ANY)
        .operands(&[one("condition", T::I1.scalar())])
        .regions(2)
        .traits(&[Traits::NESTED_EFFECTS, Traits::IMPLICIT_TERMINATOR, Traits::ALLOCATION_SCOPE])
        .custom_format(CustomFormat::If),
    IntToPtr = OpDef::new("int_to_ptr", 0x33, "IntToPtrOp", V13_1, "Reads integers as addresses.")
        .results(&[result("result", T::POINTER)])
        .operands(&[one("source", T::I64)])
        .same(Same::Shape, &["source", "result"])
        .traits(&[Traits::PURE, Traits::ELEMENTWISE])
        .format(" $source : type($source) -> type($result)"),
    Iota = OpDef::new("iota", 0x3a, "IotaOp", V13_1, "The numbers 0, 1, 2, ...")
        .results(&[result("result", T::INT)])
        .traits(&[Traits::PURE])
        .format(" : type($result)"),
    IToF = OpDef::new("itof", 0x3b, "IToFOp", V13_1, "Converts integers to floats.")
        .results(&[result("to", T::ANY_FLOAT)])
        .attrs(&[
            attr(A::Signedness, K::Enum(EnumKind::Signedness)),
            attr(A::RoundingMode, K::Enum(EnumKind::RoundingMode)).only(&[RoundingMode::NearestEven as u8]).default_in_text(AttrDefault::Enum(RoundingMode::NearestEven as u8)),
        ])
        .operands(&[one("from", T::INT)])
        .same(Same::Shape, &["from", "to"])
        .traits(&[Traits::PURE, Traits::ELEMENTWISE])
        .format(" $from $signedness (?rounding_mode rounding<$rounding_mode>) : type($from) -> type($to)"),
    JoinTokens = OpDef::new("join_tokens", 0x3c, "JoinTokensOp", V13_1, "A token after all of its operands.")
        .results(&[result("result", T::TOKEN)])
        .operands(&[variadic("tokens", T::TOKEN)])
        .traits(&[Traits::PURE])
        .format(" $tokens : type($result)"),
    LoadPtrTko = OpDef::new("load_ptr_tko", 0x3d, "LoadPtrTkoOp", V13_1, "Loads from each of a tile of pointers.")
        .results(&[result("result", T::TILE), result("result_token", T::TOKEN)])
        .attrs(&[
            attr(A::MemoryOrderingSemantics, K::Enum(EnumKind::MemoryOrderingSemantics)).only(LOADS),
            attr(A::MemoryScope, K::Enum(EnumKind::MemoryScope)).optional(),
            attr(A::OptimizationHints, K::Hints).optional(),
        ])
        .operands(&[one("source", T::POINTER), optional("mask", T::I1), optional("paddingValue", T::NUMBER), optional("token", T::TOKEN)])
        .same(Same::Shape, &["source", "result", "mask"])
        .same(Same::Type, &["result", "paddingValue"])
        .traits(&[Traits::READS, Traits::TOKEN_ORDERED])
        .format(" $memory_ordering_semantics(?memory_scope  $memory_scope) $source(?mask , $mask)(?paddingValue , $paddingValue)(?token  token=$token)(?optimization_hints  optimization_hints = $optimization_hints) : type($source)(?mask , type($mask))(?paddingValue , type($paddingValue)) -> type($result), type($result_token)"),
    LoadViewTko = OpDef::new("load_view_tko", 0x3e, "LoadViewTkoOp", V13_1, "Loads a tile from a view.")
        .results(&[result("tile", T::TILE), result("result_token", T::TOKEN)])
        .attrs(&[
            attr(A::MemoryOrderingSemantics, K::Enum(EnumKind::MemoryOrderingSemantics)).only(LOADS),
            attr(A::MemoryScope, K::Enum(EnumKind::MemoryScope)).optional(),
            attr(A::OptimizationHints, K::Hints).optional(),
            attr(A::Inbounds, K::BoolArray).since(V13_4).default(AttrDefault::AllFalse),
        ])
        .operands(&[one("view", T::VIEW), variadic("index", T::INT), optional("token", T::TOKEN)])
        .traits(&[Traits::READS, Traits::TOKEN_ORDERED])
        .format(" $memory_ordering_semantics(?memory_scope  $memory_scope) $view[$index](?token  token = $token)(?optimization_hints  optimization_hints = $optimization_hints)(?inbounds  inbounds = $inbounds) : type($view), index($index) -> type($tile), type($result_token)"),
    Log = OpDef::new("log", 0x3f, "LogOp", V13_1, "Natural logarithm.")
        .results(&[result("result", T::FLOAT)])
        .operands(&[one("source", T::FLOAT)])
        .same(Same::Type, ALL)
        .traits(&[Traits::PURE, Traits::ELEMENTWISE])
        .format(" $source : type($result)"),
    Log2 = OpDef::new("log2", 0x40, "Log2Op", V13_1, "Logarithm to base 2.")
        .results(&[result("result", T::FLOAT)])
        .operands(&[one("source", T::FLOAT)])
        .same(Same::Type, ALL)
        .traits(&[Traits::PURE, Traits::ELEMENTWISE])
        .format(" $source : type($result)"),
    Loop = OpDef::new("loop", 0x41, "LoopOp", V13_1, "Repeats until a break, carrying values.")
        .variadic_results("results", T::ANY)
        .operands(&[variadic("initValues", T::ANY)])
        .regions(1)
        .traits(&[Traits::NESTED_EFFECTS, Traits::IMPLICIT_TERMINATOR, Traits::ALLOCATION_SCOPE])
        .custom_format(CustomFormat::Loop),
    MakePartitionView = OpDef::new("make_partition_view", 0x42, "MakePartitionViewOp", V13_1, "Cuts a tensor into a grid of tiles.")
        .results(&[result("result", T::PARTITION_VIEW)])
        .operands(&[one("tensor_view", T::TENSOR_VIEW)])
        .traits(&[Traits::PURE])
        .format(" $tensor_view : type($result)")
        .names(AsmNames::Word("pview")),
    MakeTensorView = OpDef::new("make_tensor_view", 0x43, "MakeTensorViewOp", V13_1, "Describes a strided array in memory.")
        .results(&[result("result", T::TENSOR_VIEW)])
        .operands(&[one("base", T::POINTER.scalar()), variadic("dynamicShape", T::INT.scalar()), variadic("dynamicStrides", T::INT.scalar())])
        .traits(&[Traits::PURE])
        .custom_format(CustomFormat::MakeTensorView)
        .names(AsmNames::Word("tview")),
    MakeToken = OpDef::new("make_token", 0x44, "MakeTokenOp", V13_1, "A token that orders nothing.")
        .results(&[result("result", T::TOKEN)])
        .traits(&[Traits::PURE])
        .format(" : type($result)"),
    MaxF = OpDef::new("maxf", 0x45, "MaxFOp", V13_1, "Larger of two floats.")
        .results(&[result("result", T::FLOAT)])
        .attrs(&[unit(A::PropagateNan), unit(A::FlushToZero).f32_only()])
        .operands(&[one("lhs", T::FLOAT), one("rhs", T::FLOAT)])
        .same(Same::Type, ALL)
        .traits(&[Traits::PURE, Traits::ELEMENTWISE, Traits::COMMUTATIVE])
        .format(" $lhs, $rhs(?flush_to_zero  flush_to_zero)(?propagate_nan  propagate_nan) : type($result)"),
    MaxI = OpDef::new("maxi", 0x46, "MaxIOp", V13_1, "Larger of two integers.")
        .results(&[result("result", T::INT)])
        .attrs(&[attr(A::Signedness, K::Enum(EnumKind::Signedness))])
        .operands(&[one("lhs", T::INT), one("rhs", T::INT)])
        .same(Same::Type, ALL)
        .traits(&[Traits::PURE, Traits::ELEMENTWISE, Traits::COMMUTATIVE])
        .format(" $lhs, $rhs $signedness : type($result)"),
    MinF = OpDef::new("minf", 0x47, "MinFOp", V13_1, "Smaller of two floats.")
        .results(&[result("result", T::FLOAT)])
        .attrs(&[unit(A::PropagateNan), unit(A::FlushToZero).f32_only()])
        .operands(&[one("lhs", T::FLOAT), one("rhs", T::FLOAT)])
        .same(Same::Type, ALL)
        .traits(&[Traits::PURE, Traits::ELEMENTWISE, Traits::COMMUTATIVE])
        .format(" $lhs, $rhs(?flush_to_zero  flush_to_zero)(?propagate_nan  propagate_nan) : type($result)"),
    MinI = OpDef::new("mini", 0x48, "MinIOp", V13_1, "Smaller of two integers.")
        .results(&[result("result", T::INT)])
        .attrs(&[attr(A::Signedness, K::Enum(EnumKind::Signedness))])
        .operands(&[one("lhs", T::INT), one("rhs", T::INT)])
        .same(Same::Type, ALL)
        .traits(&[Traits::PURE, Traits::ELEMENTWISE, Traits::COMMUTATIVE])
        .format(" $lhs, $rhs $signedness : type($result)"),
    MmaF = OpDef::new("mmaf", 0x49, "MmaFOp", V13_1, "Multiplies float matrices and adds the product to a third.")
        .results(&[result("result", T::MMA_ACC)])
        .attrs(&[unit(A::FastAcc).since(V13_3)])
        .operands(&[one("lhs", T::MMA_FLOAT), one("rhs", T::MMA_FLOAT), one("acc", T::MMA_ACC)])
        .same(Same::Type, &["acc", "result"])
        .same(Same::Element, &["lhs", "rhs"])
        .same(Same::Rank, &["lhs", "rhs", "acc"])
        .traits(&[Traits::PURE])
        .format(" $lhs, $rhs, $acc(?fast_acc  fast_acc) : type($lhs), type($rhs), type($acc)"),
    MmaI = OpDef::new("mmai", 0x4a, "MmaIOp", V13_1, "Multiplies integer matrices and adds the product to a third.")
        .results(&[result("result", T::I32)])
        .attrs(&[attr(A::SignednessLhs, K::Enum(EnumKind::Signedness)), attr(A::SignednessRhs, K::Enum(EnumKind::Signedness))])
        .operands(&[one("lhs", T::I8), one("rhs", T::I8), one("acc", T::I32)])
        .same(Same::Type, &["acc", "result"])
        .same(Same::Element, &["lhs", "rhs"])
        .same(Same::Rank, &["lhs", "rhs", "acc"])
        .traits(&[Traits::PURE])
        .format(" $lhs, $rhs, $acc $signedness_lhs $signedness_rhs : type($lhs), type($rhs), type($acc)"),
    Module = OpDef::new("module", 0x4b, "ModuleOp", V13_1, "A list of globals and kernels.")
        .placed(Placement::Implicit)
        .attrs(&[attr(A::SymName, K::String), attr(A::Producer, K::String).optional().since(V13_3)])
        .regions(1)
        .traits(&[Traits::ISOLATED, Traits::SYMBOL])
        .custom_format(CustomFormat::Module),
    MulF = OpDef::new("mulf", 0x4c, "MulFOp", V13_1, "Multiplies floats.")
        .results(&[result("result", T::FLOAT)])
        .attrs(&[
            attr(A::RoundingMode, K::Enum(EnumKind::RoundingMode)).only(IEEE).default_in_text(AttrDefault::Enum(RoundingMode::NearestEven as u8)),
            unit(A::FlushToZero).f32_only(),
        ])
        .operands(&[one("lhs", T::FLOAT), one("rhs", T::FLOAT)])
        .same(Same::Type, ALL)
        .traits(&[Traits::PURE, Traits::ELEMENTWISE, Traits::COMMUTATIVE])
        .format(" $lhs, $rhs (?rounding_mode rounding<$rounding_mode>)(?flush_to_zero  flush_to_zero) : type($result)"),
    MulhiI = OpDef::new("mulhii", 0x4d, "MulhiIOp", V13_1, "Upper half of the product of unsigned integers.")
        .results(&[result("result", T::INT)])
        .operands(&[one("x", T::INT), one("y", T::INT)])
        .same(Same::Type, ALL)
        .traits(&[Traits::PURE, Traits::ELEMENTWISE, Traits::COMMUTATIVE])
        .format(" $x, $y : type($result)"),
    MulI = OpDef::new("muli", 0x4e, "MulIOp", V13_1, "Multiplies integers.")
        .results(&[result("result", T::INT)])
        .attrs(&[attr(A::Overflow, K::Enum(EnumKind::IntegerOverflow)).default(AttrDefault::Enum(IntegerOverflow::None as u8))])
        .operands(&[one("lhs", T::INT), one("rhs", T::INT)])
        .same(Same::Type, ALL)
        .traits(&[Traits::PURE, Traits::ELEMENTWISE, Traits::COMMUTATIVE])
        .format(" $lhs, $rhs(?overflow  overflow<$overflow>) : type($result)"),
    NegF = OpDef::new("negf", 0x4f, "NegFOp", V13_1, "Flips the sign bit of floats.")
        .results(&[result("result", T::FLOAT)])
        .operands(&[one("source", T::FLOAT)])
        .same(Same::Type, ALL)
        .traits(&[Traits::PURE, Traits::ELEMENTWISE])
        .format(" $source : type($result)"),
    NegI = OpDef::new("negi", 0x50, "NegIOp", V13_1, "Negates integers.")
        .results(&[result("result", T::INT)])
        .attrs(&[
            attr(A::Overflow, K::Enum(EnumKind::IntegerOverflow)).only(SIGNED_OVERFLOW).since(V13_2).default(AttrDefault::Enum(IntegerOverflow::None as u8)),
        ])
        .operands(&[one("source", T::INT)])
        .same(Same::Type, ALL)
        .traits(&[Traits::PURE, Traits::ELEMENTWISE])
        .format(" $source(?overflow  overflow<$overflow>) : type($result)"),
    Offset = OpDef::new("offset", 0x51, "OffsetOp", V13_1, "Moves pointers by a number of elements.")
        .results(&[result("result", T::POINTER)])
        .operands(&[one("ptr", T::POINTER), one("offset", T::INT)])
        .same(Same::Type, &["ptr", "result"])
        .same(Same::Shape, &["ptr", "offset"])
        .traits(&[Traits::PURE, Traits::ELEMENTWISE])
        .format(" $ptr, $offset : type($ptr), type($offset) -> type($result)"),
    OrI = OpDef::new("ori", 0x52, "OrIOp", V13_1, "Bitwise or.")
        .results(&[result("result", T::INT)])
        .operands(&[one("lhs", T::INT), one("rhs", T::INT)])
        .same(Same::Type, ALL)
        .traits(&[Traits::PURE, Traits::ELEMENTWISE, Traits::COMMUTATIVE])
        .format(" $lhs, $rhs : type($result)"),
    Permute = OpDef::new("permute", 0x53, "PermuteOp", V13_1, "Reorders the dimensions of a tile.")
        .results(&[result("result", T::TILE)])
        .attrs(&[attr(A::Permutation, K::I32Array)])
        .operands(&[one("source", T::TILE)])
        .same(Same::Element, &["source", "result"])
        .same(Same::Rank, &["source", "result"])
        .traits(&[Traits::PURE])
        .format(" $source $permutation : type($source) -> type($result)"),
    FPowF = OpDef::new("fpowf", 0x54, "FPowFOp", V13_1, "Floats to float powers.")
        .results(&[result("result", T::FLOAT)])
        .operands(&[one("source", T::FLOAT), one("exponent", T::FLOAT)])
        .same(Same::Type, ALL)
        .traits(&[Traits::PURE, Traits::ELEMENTWISE])
        .format(" $source, $exponent : type($result)"),
    PrintTko = OpDef::new("print_tko", 0x55, "PrintTkoOp", V13_1, "Prints tiles in the manner of C printf.")
        .results(&[result("result_token", T::TOKEN).since(V13_2)])
        .attrs(&[attr(A::Str, K::String)])
        .operands(&[variadic("args", T::TILE), optional("token", T::TOKEN).since(V13_2)])
        .traits(&[Traits::PRINTS, Traits::TOKEN_ORDERED])
        .format(" $str(?args , $args)(?token  token=$token)(?args  : type($args)) -> type($result_token)"),
    PtrToInt = OpDef::new("ptr_to_int", 0x56, "PtrToIntOp", V13_1, "Gives addresses as integers.")
        .results(&[result("result", T::I64)])
        .operands(&[one("source", T::POINTER)])
        .same(Same::Shape, &["source", "result"])
        .traits(&[Traits::PURE, Traits::ELEMENTWISE])
        .format(" $source : type($source) -> type($result)"),
    PtrToPtr = OpDef::new("ptr_to_ptr", 0x57, "PtrToPtrOp", V13_1, "Changes what pointers point to.")
        .results(&[result("result", T::POINTER)])
        .operands(&[one("source", T::POINTER)])
        .same(Same::Shape, &["source", "result"])
        .traits(&[Traits::PURE, Traits::ELEMENTWISE])
        .format(" $source : type($source) -> type($result)"),
    Reduce = OpDef::new("reduce", 0x58, "ReduceOp", V13_1, "Combines the elements along a dimension.")
        .variadic_results("results", T::TILE)
        .attrs(&[attr(A::Dim, K::UInt(32)), attr(A::Identities, K::Array)])
        .operands(&[variadic("operands", T::TILE)])
        .regions(1)
        .traits(&[Traits::NO_MEMORY])
        .custom_format(CustomFormat::Fold)
        .names(AsmNames::Reduce),
    RemF = OpDef::new("remf", 0x59, "RemFOp", V13_1, "Remainder of a float division, with the sign of the dividend.")
        .results(&[result("result", T::FLOAT)])
        .operands(&[one("lhs", T::FLOAT), one("rhs", T::FLOAT)])
        .same(Same::Type, ALL)
        .traits(&[Traits::PURE, Traits::ELEMENTWISE])
        .format(" $lhs, $rhs : type($result)"),
    RemI = OpDef::new("remi", 0x5a, "RemIOp", V13_1, "Remainder of an integer division, with the sign of the dividend.")
        .results(&[result("result", T::INT)])
        .attrs(&[attr(A::Signedness, K::Enum(EnumKind::Signedness))])
        .operands(&[one("lhs", T::INT), one("rhs", T::INT)])
        .same(Same::Type, ALL)
        .traits(&[Traits::NO_MEMORY, Traits::ELEMENTWISE])
        .format(" $lhs, $rhs $signedness : type($result)"),
    Reshape = OpDef::new("reshape", 0x5b, "ReshapeOp", V13_1, "Gives the elements another shape, in row-major order.")
        .results(&[result("result", T::TILE)])
        .operands(&[one("source", T::TILE)])
        .same(Same::Element, &["source", "result"])
        .traits(&[Traits::PURE])
        .format(" $source : type($source) -> type($result)")
        .names(AsmNames::Word("reshape")),
    Return = OpDef::new("return", 0x5c, "ReturnOp", V13_1, "Ends the block.")
        .operands(&[variadic("operands", T::ANY)])
        .traits(&[Traits::TERMINATOR])
        .format("(?operands  $operands : type($operands))"),
    Rsqrt = OpDef::new("rsqrt", 0x5d, "RsqrtOp", V13_1, "Reciprocal of the square root.")
        .results(&[result("result", T::FLOAT)])
        .attrs(&[unit(A::FlushToZero).f32_only()])
        .operands(&[one("source", T::FLOAT)])
        .same(Same::Type, ALL)
        .traits(&[Traits::PURE, Traits::ELEMENTWISE])
        .format(" $source(?flush_to_zero  flush_to_zero) : type($result)"),
    Scan = OpDef::new("scan", 0x5e, "ScanOp", V13_1, "Combines the elements along a dimension, keeping every prefix.")
        .variadic_results("results", T::TILE)
        .attrs(&[attr(A::Dim, K::UInt(32)), attr(A::Reverse, K::Bool), attr(A::Identities, K::Array)])
        .operands(&[variadic("operands", T::TILE)])
        .regions(1)
        .traits(&[Traits::NO_MEMORY])
        .custom_format(CustomFormat::Fold),
    Select = OpDef::new("select", 0x5f, "SelectOp", V13_1, "Picks from two tiles, element by element.")
        .results(&[result("result", T::TILE)])
        .operands(&[one("cond", T::I1), one("val_if_true", T::TILE), one("val_if_false", T::TILE)])
        .same(Same::Type, &["val_if_true", "val_if_false", "result"])
        .same(Same::Shape, &["cond", "result"])
        .traits(&[Traits::PURE, Traits::ELEMENTWISE])
        .format(" $cond, $val_if_true, $val_if_false : type($cond), type($result)"),
    ShLI = OpDef::new("shli", 0x60, "ShLIOp", V13_1, "Shifts integers left.")
        .results(&[result("result", T::INT)])
        .attrs(&[attr(A::Overflow, K::Enum(EnumKind::IntegerOverflow)).default(AttrDefault::Enum(IntegerOverflow::None as u8))])
        .operands(&[one("lhs", T::INT), one("rhs", T::INT)])
        .same(Same::Type, ALL)
        .traits(&[Traits::PURE, Traits::ELEMENTWISE])
        .format(" $lhs, $rhs(?overflow  overflow<$overflow>) : type($result)"),
    ShRI = OpDef::new("shri", 0x61, "ShRIOp", V13_1, "Shifts integers right, filling with the sign or with zeros.")
        .results(&[result("result", T::INT)])
        .attrs(&[attr(A::Signedness, K::Enum(EnumKind::Signedness))])
        .operands(&[one("lhs", T::INT), one("rhs", T::INT)])
        .same(Same::Type, ALL)
        .traits(&[Traits::PURE, Traits::ELEMENTWISE])
        .format(" $lhs, $rhs $signedness : type($result)"),
    Sin = OpDef::new("sin", 0x62, "SinOp", V13_1, "Sine, of radians.")
        .results(&[result("result", T::FLOAT)])
        .operands(&[one("source", T::FLOAT)])
        .same(Same::Type, ALL)
        .traits(&[Traits::PURE, Traits::ELEMENTWISE])
        .format(" $source : type($result)"),
    SinH = OpDef::new("sinh", 0x63, "SinHOp", V13_1, "Hyperbolic sine.")
        .results(&[result("result", T::FLOAT)])
        .operands(&[one("source", T::FLOAT)])
        .same(Same::Type, ALL)
        .traits(&[Traits::PURE, Traits::ELEMENTWISE])
        .format(" $source : type($result)"),
    Sqrt = OpDef::new("sqrt", 0x64, "SqrtOp", V13_1, "Square root.")
        .results(&[result("result", T::FLOAT)])
        .attrs(&[
            attr(A::RoundingMode, K::Enum(EnumKind::RoundingMode)).only(ROOT).f32_only_values(&[RoundingMode::Approx as u8]).default_in_text(AttrDefault::Enum(RoundingMode::NearestEven as u8)),
            unit(A::FlushToZero).f32_only(),
        ])
        .operands(&[one("source", T::FLOAT)])
        .same(Same::Type, ALL)
        .traits(&[Traits::PURE, Traits::ELEMENTWISE])
        .format(" $source (?rounding_mode rounding<$rounding_mode>)(?flush_to_zero  flush_to_zero) : type($result)"),
    StorePtrTko = OpDef::new("store_ptr_tko", 0x65, "StorePtrTkoOp", V13_1, "Stores to each of a tile of pointers.")
        .results(&[result("result_token", T::TOKEN)])
        .attrs(&[
            attr(A::MemoryOrderingSemantics, K::Enum(EnumKind::MemoryOrderingSemantics)).only(STORES),
            attr(A::MemoryScope, K::Enum(EnumKind::MemoryScope)).optional(),
            attr(A::OptimizationHints, K::Hints).optional(),
        ])
        .operands(&[one("destination", T::POINTER), one("value", T::TILE), optional("mask", T::I1), optional("token", T::TOKEN)])
        .same(Same::Shape, &["destination", "value", "mask"])
        .traits(&[Traits::WRITES, Traits::TOKEN_ORDERED])
        .format(" $memory_ordering_semantics(?memory_scope  $memory_scope) $destination, $value(?mask , $mask)(?token  token=$token)(?optimization_hints  optimization_hints = $optimization_hints) : type($destination), type($value)(?mask , type($mask)) -> type($result_token)"),
    StoreViewTko = OpDef::new("store_view_tko", 0x66, "StoreViewTkoOp", V13_1, "Stores a tile to a view.")
        .results(&[result("result_token", T::TOKEN)])
        .attrs(&[
            attr(A::MemoryOrderingSemantics, K::Enum(EnumKind::MemoryOrderingSemantics)).only(STORES),
            attr(A::MemoryScope, K::Enum(EnumKind::MemoryScope)).optional(),
            attr(A::OptimizationHints, K::Hints).optional(),
            attr(A::Inbounds, K::BoolArray).since(V13_4).default(AttrDefault::AllFalse),
        ])
        .operands(&[one("tile", T::TILE), one("view", T::VIEW), variadic("index", T::INT), optional("token", T::TOKEN)])
        .traits(&[Traits::WRITES, Traits::TOKEN_ORDERED])
        .format(" $memory_ordering_semantics(?memory_scope  $memory_scope) $tile, $view[$index](?token  token = $token)(?optimization_hints  optimization_hints = $optimization_hints)(?inbounds  inbounds = $inbounds) : type($tile), type($view), index($index) -> type($result_token)"),
    SubF = OpDef::new("subf", 0x67, "SubFOp", V13_1, "Subtracts floats.")
        .results(&[result("result", T::FLOAT)])
        .attrs(&[
            attr(A::RoundingMode, K::Enum(EnumKind::RoundingMode)).only(IEEE).default_in_text(AttrDefault::Enum(RoundingMode::NearestEven as u8)),
            unit(A::FlushToZero).f32_only(),
        ])
        .operands(&[one("lhs", T::FLOAT), one("rhs", T::FLOAT)])
        .same(Same::Type, ALL)
        .traits(&[Traits::PURE, Traits::ELEMENTWISE])
        .format(" $lhs, $rhs (?rounding_mode rounding<$rounding_mode>)(?flush_to_zero  flush_to_zero) : type($result)"),
    SubI = OpDef::new("subi", 0x68, "SubIOp", V13_1, "Subtracts integers.")
        .results(&[result("result", T::INT)])
        .attrs(&[attr(A::Overflow, K::Enum(EnumKind::IntegerOverflow)).default(AttrDefault::Enum(IntegerOverflow::None as u8))])
        .operands(&[one("lhs", T::INT), one("rhs", T::INT)])
        .same(Same::Type, ALL)
        .traits(&[Traits::PURE, Traits::ELEMENTWISE])
        .format(" $lhs, $rhs(?overflow  overflow<$overflow>) : type($result)"),
    Tan = OpDef::new("tan", 0x69, "TanOp", V13_1, "Tangent, of radians.")
        .results(&[result("result", T::FLOAT)])
        .operands(&[one("source", T::FLOAT)])
        .same(Same::Type, ALL)
        .traits(&[Traits::PURE, Traits::ELEMENTWISE])
        .format(" $source : type($result)"),
    TanH = OpDef::new("tanh", 0x6a, "TanHOp", V13_1, "Hyperbolic tangent.")
        .results(&[result("result", T::FLOAT)])
        .attrs(&[
            attr(A::RoundingMode, K::Enum(EnumKind::RoundingMode)).only(ESTIMATE).f32_only_values(&[RoundingMode::Approx as u8]).since(V13_2).default(AttrDefault::Enum(RoundingMode::Full as u8)),
        ])
        .operands(&[one("source", T::FLOAT)])
        .same(Same::Type, ALL)
        .traits(&[Traits::PURE, Traits::ELEMENTWISE])
        .format(" $source (?rounding_mode rounding<$rounding_mode>) : type($result)"),
    TruncI = OpDef::new("trunci", 0x6b, "TruncIOp", V13_1, "Narrows integers to their low bits.")
        .results(&[result("to", T::INT_OR_I4)])
        .attrs(&[attr(A::Overflow, K::Enum(EnumKind::IntegerOverflow)).default(AttrDefault::Enum(IntegerOverflow::None as u8))])
        .operands(&[one("from", T::INT_OR_I4)])
        .same(Same::Shape, &["from", "to"])
        .traits(&[Traits::PURE, Traits::ELEMENTWISE])
        .format(" $from(?overflow  overflow<$overflow>) : type($from) -> type($to)"),
    XOrI = OpDef::new("xori", 0x6c, "XOrIOp", V13_1, "Bitwise exclusive or.")
        .results(&[result("result", T::INT)])
        .operands(&[one("lhs", T::INT), one("rhs", T::INT)])
        .same(Same::Type, ALL)
        .traits(&[Traits::PURE, Traits::ELEMENTWISE, Traits::COMMUTATIVE])
        .format(" $lhs, $rhs : type($result)"),
    Yield = OpDef::new("yield", 0x6d, "YieldOp", V13_1, "Gives the results of a region.")
        .operands(&[variadic("operands", T::ANY)])
        .traits(&[Traits::TERMINATOR])
        .format("(?operands  $operands : type($operands))"),
    Atan2 = OpDef::new("atan2", 0x6e, "Atan2Op", V13_2, "Angle of the point (y, x) in radians: the first operand is the numerator.")
        .results(&[result("result", T::FLOAT)])
        .operands(&[one("x", T::FLOAT), one("y", T::FLOAT)])
        .same(Same::Type, ALL)
        .traits(&[Traits::PURE, Traits::ELEMENTWISE])
        .format(" $x, $y : type($result)"),
    Pack = OpDef::new("pack", 0x6f, "PackOp", V13_3, "Gives the bits of a tile as bytes.")
        .results(&[result("result", T::I8)])
        .operands(&[one("source", T::NUMBER_OR_I4)])
        .same(Same::Rank, &["source", "result"])
        .traits(&[Traits::PURE])
        .format(" $source : type($source) -> type($result)"),
    Unpack = OpDef::new("unpack", 0x70, "UnpackOp", V13_3, "Reads bytes as a tile of numbers.")
        .results(&[result("result", T::NUMBER_OR_I4)])
        .operands(&[one("source", T::I8)])
        .same(Same::Rank, &["source", "result"])
        .traits(&[Traits::PURE])
        .format(" $source : type($source) -> type($result)"),
    Alloca = OpDef::new("alloca", 0x71, "AllocaOp", V13_3, "Memory for the time a region runs.")
        .results(&[result("result", T::POINTER.scalar())])
        .attrs(&[attr(A::NumElem, K::UInt(64)), attr(A::Alignment, K::UInt(64)), unit(A::Global)])
        .traits(&[Traits::ALLOCATES])
        .format(" num_elem = $num_elem, alignment = $alignment(?global  global) : type($result)"),
    MmaFScaled = OpDef::new("mmaf_scaled", 0x72, "MmaFScaledOp", V13_3, "Multiplies float matrices with block scales and adds the product to a third.")
        .results(&[result("result", T::F32)])
        .operands(&[one("lhs", T::SCALED_FLOAT), one("rhs", T::SCALED_FLOAT), one("acc", T::F32), one("lhs_scale", T::SCALE), one("rhs_scale", T::SCALE)])
        .same(Same::Type, &["acc", "result"])
        .same(Same::Element, &["lhs", "rhs"])
        .same(Same::Element, &["lhs_scale", "rhs_scale"])
        .same(Same::Rank, &["lhs", "rhs", "acc", "lhs_scale", "rhs_scale"])
        .traits(&[Traits::PURE])
        .format(" $lhs, $rhs, $acc, $lhs_scale, $rhs_scale : type($lhs), type($rhs), type($acc), type($lhs_scale), type($rhs_scale)"),
    MakeGatherScatterView = OpDef::new("make_gather_scatter_view", 0x73, "MakeGatherScatterViewOp", V13_3, "Collects tiles from arbitrary places along one dimension of a tensor.")
        .results(&[result("result", T::GATHER_SCATTER_VIEW)])
        .operands(&[one("tensor_view", T::TENSOR_VIEW)])
        .traits(&[Traits::PURE])
        .format(" $tensor_view : type($result)")
        .names(AsmNames::Word("gsview")),
    MakeStridedView = OpDef::new("make_strided_view", 0x74, "MakeStridedViewOp", V13_3, "Places tiles at regular distances in a tensor.")
        .results(&[result("result", T::STRIDED_VIEW)])
        .operands(&[one("tensor_view", T::TENSOR_VIEW)])
        .traits(&[Traits::PURE])
        .format(" $tensor_view : type($result)")
        .names(AsmNames::Word("sview")),
    AtomicRedViewTko = OpDef::new("atomic_red_view_tko", 0x75, "AtomicRedViewTkoOp", V13_3, "Combines a tile into a view atomically.")
        .results(&[result("result_token", T::TOKEN)])
        .attrs(&[
            attr(A::MemoryOrderingSemantics, K::Enum(EnumKind::MemoryOrderingSemantics)).only(RELAXED),
            attr(A::MemoryScope, K::Enum(EnumKind::MemoryScope)).only(&[MemoryScope::TlBlk as u8, MemoryScope::Device as u8]),
            attr(A::Mode, K::Enum(EnumKind::AtomicRMWMode)).only(REDUCTIONS),
            attr(A::Inbounds, K::BoolArray).since(V13_5).default(AttrDefault::AllFalse),
        ])
        .operands(&[one("view", T::VIEW), variadic("index", T::INT), one("value", T::TILE), optional("token", T::TOKEN)])
        .traits(&[Traits::READS, Traits::WRITES, Traits::TOKEN_ORDERED])
        .format(" $memory_ordering_semantics $memory_scope $view[$index], $mode, $value(?token  token = $token)(?inbounds  inbounds = $inbounds) : type($value), type($view), index($index) -> type($result_token)"),
    Insert = OpDef::new("insert", 0x76, "InsertOp", V13_4, "Replaces one of the equal slices of a tile.")
        .results(&[result("result", T::TILE)])
        .operands(&[one("source", T::TILE), one("destination", T::TILE), variadic("indices", T::I32.scalar())])
        .same(Same::Type, &["destination", "result"])
        .same(Same::Element, &["source", "destination"])
        .same(Same::Rank, &["source", "destination"])
        .traits(&[Traits::NO_MEMORY])
        .format(" $source, $destination[$indices] : type($source), type($destination)"),
    GdcLaunchDependentsTko = OpDef::new("gdc_launch_dependents_tko", 0x77, "GdcLaunchDependentsTkoOp", V13_4, "Lets dependent launches start early.")
        .results(&[result("result_token", T::TOKEN)])
        .operands(&[optional("token", T::TOKEN)])
        .traits(&[Traits::TOKEN_ORDERED])
        .format("(?token  token = $token) -> type($result_token)"),
    GdcWaitTko = OpDef::new("gdc_wait_tko", 0x78, "GdcWaitTkoOp", V13_4, "Waits for the launches this one depends on.")
        .results(&[result("result_token", T::TOKEN)])
        .operands(&[optional("token", T::TOKEN)])
        .traits(&[Traits::TOKEN_ORDERED])
        .format("(?token  token = $token) -> type($result_token)"),
    FPowI = OpDef::new("fpowi", 0x79, "FPowIOp", V13_4, "Floats to integer powers.")
        .results(&[result("result", T::FLOAT)])
        .operands(&[one("source", T::FLOAT), one("exponent", T::EXPONENT)])
        .same(Same::Type, &["source", "result"])
        .same(Same::Shape, &["source", "exponent"])
        .traits(&[Traits::PURE, Traits::ELEMENTWISE])
        .format(" $source, $exponent : type($source), type($exponent)"),
    MemoryFenceAliasTko = OpDef::new("memory_fence_alias_tko", 0x7a, "MemoryFenceAliasTkoOp", V13_4, "Orders accesses to one memory through different addresses.")
        .results(&[result("result_token", T::TOKEN)])
        .operands(&[one("token", T::TOKEN)])
        .traits(&[Traits::TOKEN_ORDERED])
        .format(" $token"),
    MultimemLoadReduceViewTko = OpDef::new("multimem_load_reduce_view_tko", 0x7b, "MultimemLoadReduceViewTkoOp", V13_5, "Loads a tile from every replica and combines them.")
        .results(&[result("reduced_values", T::TILE), result("result_token", T::TOKEN)])
        .attrs(&[
            attr(A::MemoryOrderingSemantics, K::Enum(EnumKind::MemoryOrderingSemantics)).only(LOADS),
            attr(A::MemoryScope, K::Enum(EnumKind::MemoryScope)).optional(),
            attr(A::Reduction, K::Enum(EnumKind::MultimemReductionKind)).default(AttrDefault::Enum(MultimemReductionKind::Add as u8)),
            attr(A::Inbounds, K::BoolArray).default(AttrDefault::AllFalse),
        ])
        .operands(&[one("view", T::VIEW), variadic("index", T::INT), optional("token", T::TOKEN)])
        .traits(&[Traits::READS, Traits::TOKEN_ORDERED])
        .format(" $memory_ordering_semantics(?memory_scope  $memory_scope) $view[$index](?token  token = $token) (?inbounds inbounds = $inbounds)(?reduction  attributes {reduction = #cuda_tile.multimem_reduction_kind<$reduction>}) : type($view), index($index)(?token , type($token)) -> type($reduced_values), type($result_token)"),
    MultimemReduceViewTko = OpDef::new("multimem_reduce_view_tko", 0x7c, "MultimemReduceViewTkoOp", V13_5, "Combines a tile into every replica atomically.")
        .results(&[result("result_token", T::TOKEN)])
        .attrs(&[
            attr(A::MemoryOrderingSemantics, K::Enum(EnumKind::MemoryOrderingSemantics)).only(MULTIMEM_REDUCE),
            attr(A::MemoryScope, K::Enum(EnumKind::MemoryScope)),
            attr(A::Reduction, K::Enum(EnumKind::MultimemReductionKind)).default(AttrDefault::Enum(MultimemReductionKind::Add as u8)),
            attr(A::Inbounds, K::BoolArray).default(AttrDefault::AllFalse),
        ])
        .operands(&[one("view", T::VIEW), one("tile", T::TILE), variadic("index", T::INT), optional("token", T::TOKEN)])
        .traits(&[Traits::READS, Traits::WRITES, Traits::TOKEN_ORDERED])
        .format(" $memory_ordering_semantics $memory_scope $view, $tile[$index](?token  token = $token) (?inbounds inbounds = $inbounds)(?reduction  attributes {reduction = #cuda_tile.multimem_reduction_kind<$reduction>}) : type($view), type($tile), index($index)(?token , type($token)) -> type($result_token)"),
    MultimemStoreViewTko = OpDef::new("multimem_store_view_tko", 0x7d, "MultimemStoreViewTkoOp", V13_5, "Stores a tile to every replica.")
        .results(&[result("result_token", T::TOKEN)])
        .attrs(&[
            attr(A::MemoryOrderingSemantics, K::Enum(EnumKind::MemoryOrderingSemantics)).only(STORES),
            attr(A::MemoryScope, K::Enum(EnumKind::MemoryScope)).optional(),
            attr(A::Inbounds, K::BoolArray).default(AttrDefault::AllFalse),
        ])
        .operands(&[one("view", T::VIEW), one("tile", T::TILE), variadic("index", T::INT), optional("token", T::TOKEN)])
        .traits(&[Traits::WRITES, Traits::TOKEN_ORDERED])
        .format(" $memory_ordering_semantics(?memory_scope  $memory_scope) $view, $tile[$index](?token  token = $token) (?inbounds inbounds = $inbounds) : type($view), type($tile), index($index)(?token , type($token)) -> type($result_token)"),
    PreviewCall = OpDef::new("preview$call", 0x4002, "PreviewCallOp", V13_5, "Calls a function (preview).")
        .preview()
        .variadic_results("results", T::ANY)
        .attrs(&[
            attr(A::Callee, K::Symbol),
            attr(A::ConstArgs, K::Array),
            attr(A::ArgAttrs, K::Array).optional(),
            attr(A::ResAttrs, K::Array).optional(),
        ])
        .operands(&[variadic("operands", T::ANY)])
        .traits(&[Traits::NESTED_EFFECTS])
        .custom_format(CustomFormat::Call),
}
