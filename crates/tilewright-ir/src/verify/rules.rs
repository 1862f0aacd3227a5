//! The registry of rules: every finding names one.

/// A rule of the dialect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rule {
    /// Its stable name, as findings print it.
    pub id: &'static str,
    /// What it is about: a group of rules.
    pub chapter: &'static str,
    /// The rule in a few words.
    pub title: &'static str,
    /// The rule in full.
    pub text: &'static str,
    /// Something that breaks it.
    pub example: &'static str,
    /// Where official tools differ from each other, or this library from them; empty where they agree.
    pub tools: &'static str,
}

/// The page of the documentation that has a section of each rule's name.
pub const RULES_PAGE: &str = "docs/rules.md";

impl Rule {
    /// Where the rule is explained on the web.
    pub fn help_uri(&self) -> String {
        format!("{}/blob/main/{RULES_PAGE}#{}", env!("CARGO_PKG_REPOSITORY"), self.id)
    }
}

/// The rule with this id.
pub fn explain(id: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.id == id)
}

/// Every rule, by chapter.
pub fn rules() -> impl ExactSizeIterator<Item = &'static Rule> {
    RULES.iter().copied()
}

/// Declares the rules and the list of them.
macro_rules! rules {
    ($($chapter:literal => { $($name:ident = $id:literal {
        title: $title:literal,
        text: $text:literal,
        example: $example:literal,
        tools: $tools:literal,
    })* })*) => {
        $($(
            pub(super) static $name: Rule =
                Rule { id: $id, chapter: $chapter, title: $title, text: $text, example: $example, tools: $tools };
        )*)*

        static RULES: &[&Rule] = &[$($(&$name,)*)*];
    };
}

rules! {
    "Module" => {
    SYMBOL_NAME = "symbol-name" {
        title: "Symbols have names",
        text: "Globals and functions are found by name, so a name cannot be empty. Neither can that of the module, which text could not say.",
        example: "entry @\"\"() { return }",
        tools: "",
    }
    SYMBOL_UNIQUE = "symbol-unique" {
        title: "Symbols are unique",
        text: "Globals and functions share one space of names; each name stands for one of them.",
        example: "entry @k() { return }\nentry @k() { return }",
        tools: "",
    }
    GLOBAL_TYPE = "global-type" {
        title: "Globals are tiles of rank 1",
        text: "A global is an array of numbers: its type is a tile of rank 1.",
        example: "global @g <i32: 7> : tile<i32>",
        tools: "",
    }
    CONSTANT_SIZE = "constant-size" {
        title: "Constant data fits its type",
        text: "The data of a constant or global is one element, which stands for all, or every element, in the layout of the bytecode.",
        example: "a tile<4xi32> with 12 bytes of data",
        tools: "",
    }
    TYPE_HANDLE = "type-handle" {
        title: "Types belong to the module",
        text: "A type handle must be one of the module's own table. Only modules built in memory can break this.",
        example: "a handle of another module",
        tools: "",
    }
    TYPE_VERSION = "type-version" {
        title: "Types are no newer than the module",
        text: "A module uses only types that its version has, for older tools must be able to read it.",
        example: "tile<4xf4E2M1FN> in a module of version 13.2",
        tools: "",
    }
    HINTS = "hints" {
        title: "Hints are dictionaries",
        text: "Optimization hints hold one dictionary for each architecture or for `default`, each key once. Which keys mean something is up to the compiler.",
        example: "optimization_hints = <sm_100 = 1>",
        tools: "tileirdisasm and tileiras 13.5 take any key and value. The open 13.3 source can warn about unknown architectures and about values out of range, and is silent by default.",
    }
    PARAMETER_ATTRIBUTES = "parameter-attributes" {
        title: "Parameter attributes name their dialect",
        text: "The attributes of parameters are one dictionary for each parameter, with keys that begin with a dialect, since 13.5.",
        example: "{divisible = true} for a parameter",
        tools: "",
    }
    }
    "Functions" => {
    FUNCTION_TYPE = "function-type" {
        title: "Signatures are function types",
        text: "The signature of a function is a function type.",
        example: "a signature of type tile<i32>",
        tools: "",
    }
    ENTRY_VISIBILITY = "entry-visibility" {
        title: "Entries are public",
        text: "The host launches entries by name, so they cannot be private.",
        example: "an entry record with the private bit",
        tools: "",
    }
    ENTRY_RESULTS = "entry-results" {
        title: "Entries give nothing",
        text: "A kernel has no results: it writes to memory.",
        example: "entry @k() -> tile<i32>",
        tools: "",
    }
    ENTRY_PARAMETER = "entry-parameter" {
        title: "Parameters have rank 0",
        text: "The host passes numbers and pointers: each parameter is a tile of rank 0.",
        example: "entry @k(%x: tile<4xi32>)",
        tools: "The open 13.3 source takes parameters that are no tiles, such as tokens; the 13.5 tools do not.",
    }
    ENTRY_ARGUMENTS = "entry-arguments" {
        title: "Body arguments are the parameters",
        text: "The arguments of the first block of a function have the types of its signature. Only modules built in memory can break this.",
        example: "a signature (tile<i32>) and a block without arguments",
        tools: "",
    }
    }
    "Structure" => {
    OP_PLACEMENT = "op-placement" {
        title: "Operations stand where they belong",
        text: "`module`, `entry` and `global` do not stand in the body of a function.",
        example: "entry @k() { global @g <i32: 1> : tile<1xi32> return }",
        tools: "",
    }
    OP_VERSION = "op-version" {
        title: "Operations are no newer than the module",
        text: "A module uses only operations that its version has.",
        example: "atan2 in a module of version 13.1",
        tools: "",
    }
    OPERAND_COUNT = "operand-count" {
        title: "Operand counts",
        text: "An operation has the operands of its row in the op table: fixed ones once, optional ones at most once.",
        example: "addi %a : tile<i32>",
        tools: "",
    }
    OPERAND_VERSION = "operand-version" {
        title: "Operands are no newer than the module",
        text: "Optional operands came with versions, too.",
        example: "print_tko \"x\" token=%t in a module of version 13.1",
        tools: "",
    }
    RESULT_COUNT = "result-count" {
        title: "Result counts",
        text: "An operation has the results of its row in the op table.",
        example: "an addi with two results",
        tools: "",
    }
    ATTRIBUTE_MISSING = "attribute-missing" {
        title: "Attributes are there",
        text: "Every attribute that is not optional has a value.",
        example: "a cmpi without a predicate",
        tools: "",
    }
    ATTRIBUTE_KIND = "attribute-kind" {
        title: "Attributes hold what they should",
        text: "The value of an attribute is of the kind that the op table names, and its handle is of the module.",
        example: "a cat whose dim is a string",
        tools: "",
    }
    ATTRIBUTE_VERSION = "attribute-version" {
        title: "Attributes are no newer than the module",
        text: "An attribute, or a value of one, that came later keeps its default in older modules.",
        example: "ftof rounding<nearest_away> in a module of version 13.3",
        tools: "",
    }
    ATTRIBUTE_VALUE = "attribute-value" {
        title: "Attributes hold values that the operation takes",
        text: "Some operations take a part of an enumeration only.",
        example: "atomic_red_view_tko relaxed device %v[%i], xchg, %x",
        tools: "",
    }
    DOMINANCE = "dominance" {
        title: "Values are defined before they are used",
        text: "An operand is an argument of an enclosing block, or a result of an operation before it in its own or an enclosing block.",
        example: "%b = addi %a, %b : tile<i32>",
        tools: "",
    }
    REGION_BLOCKS = "region-blocks" {
        title: "Regions hold one block",
        text: "Control flow is structured: every region is one block; only the second branch of an `if` may be missing.",
        example: "a loop with two blocks",
        tools: "",
    }
    REGION_ARGUMENTS = "region-arguments" {
        title: "Argument counts of regions",
        text: "The block of a `for` takes the counter and the carried values, that of a `loop` the carried values, that of `reduce` and `scan` two values for each operand, that of an `if` nothing.",
        example: "a for whose block takes nothing",
        tools: "",
    }
    BLOCK_EMPTY = "block-empty" {
        title: "Blocks are not empty",
        text: "A block ends in a terminator, so it holds one at least.",
        example: "loop { }, without a continue",
        tools: "",
    }
    TERMINATOR_MISSING = "terminator-missing" {
        title: "Blocks end in terminators",
        text: "The last operation of a block is `return`, `yield`, `continue` or `break`.",
        example: "a body that ends in an addi",
        tools: "",
    }
    TERMINATOR_LAST = "terminator-last" {
        title: "Terminators come last",
        text: "Nothing follows `return`, `yield`, `continue` or `break` in its block.",
        example: "return\nreturn",
        tools: "",
    }
    TERMINATOR_PARENT = "terminator-parent" {
        title: "Terminators fit their place",
        text: "A function ends in `return`, a `for` in `continue`, a `loop` in `continue`, `break` or `return`, a branch in any of them, `reduce` and `scan` in `yield`.",
        example: "for ... { break }",
        tools: "",
    }
    }
    "Types of values" => {
    OPERAND_TYPE = "operand-type" {
        title: "Operand types",
        text: "Every operand is of one of the types that the op table names for it: see `tilewright ops`.",
        example: "addf %i, %i : tile<4xi32>",
        tools: "",
    }
    RESULT_TYPE = "result-type" {
        title: "Result types",
        text: "Every result is of one of the types that the op table names for it.",
        example: "%c = cmpi equal %a, %b, signed : tile<i32> -> tile<i32>",
        tools: "",
    }
    SAME_TYPE = "same-type" {
        title: "Equal types",
        text: "Some operands and results of an operation have one type; nothing is converted or repeated silently.",
        example: "addi of tile<4xi32> and tile<4xi64>",
        tools: "",
    }
    SAME_SHAPE = "same-shape" {
        title: "Equal shapes",
        text: "Operations on single elements keep the shape: a tile of rank 0 is not repeated silently.",
        example: "select of tile<i1> between tile<4xf32>",
        tools: "",
    }
    SAME_RANK = "same-rank" {
        title: "Equal ranks",
        text: "Some operations change extents but not the number of dimensions.",
        example: "broadcast tile<f32> -> tile<4xf32>",
        tools: "",
    }
    SAME_ELEMENT = "same-element" {
        title: "Equal element types",
        text: "Operations that move elements do not convert them.",
        example: "reshape tile<4xf32> -> tile<2x2xi32>",
        tools: "",
    }
    }
    "Attribute values" => {
    ROUNDING_MODE = "rounding-mode" {
        title: "Rounding modes",
        text: "Each operation knows some rounding modes, and conversions between floats some for each pair of types.",
        example: "addf %a, %b rounding<approx> : tile<f32>",
        tools: "The open 13.3 source takes only nearest_even in ftof, but for f8E8M0FNU. The 13.5 tools know more modes, as here.",
    }
    F32_ONLY = "f32-only" {
        title: "Modifiers of f32",
        text: "`flush_to_zero`, `approx` and `full` exist for `f32` only, where the hardware has them; `full` is the default of `exp` and `tanh`.",
        example: "mulf %a, %b flush_to_zero : tile<f16>",
        tools: "",
    }
    OVERFLOW_FLAG = "overflow-flag" {
        title: "Overflow promises of negi",
        text: "A negation is signed: it cannot promise anything about unsigned overflow alone.",
        example: "negi %a overflow<no_unsigned_wrap> : tile<i32>",
        tools: "",
    }
    }
    "Arithmetic" => {
    IOTA_SHAPE = "iota-shape" {
        title: "iota has rank 1",
        text: "`iota` numbers the elements of one dimension.",
        example: "iota : tile<2x2xi32>",
        tools: "",
    }
    IOTA_RANGE = "iota-range" {
        title: "iota counts in its type",
        text: "The number of elements is at most the number of values of the element type.",
        example: "iota : tile<512xi8>",
        tools: "",
    }
    CONVERSION_WIDTH = "conversion-width" {
        title: "Widths of conversions",
        text: "`exti` widens, `trunci` narrows, `bitcast` keeps the width; tf32 has 19 bits here.",
        example: "exti %a signed : tile<i32> -> tile<i32>",
        tools: "",
    }
    CONVERSION_TYPES = "conversion-types" {
        title: "Conversions change the type",
        text: "`ftof` gives another type than it takes; integers are not converted to f8E8M0FNU directly.",
        example: "ftof %a : tile<f32> -> tile<f32>",
        tools: "",
    }
    }
    "Moving elements" => {
    BROADCAST_SHAPE = "broadcast-shape" {
        title: "broadcast repeats single elements",
        text: "Only dimensions of extent 1 grow; the others stay.",
        example: "broadcast tile<2xf32> -> tile<4xf32>",
        tools: "",
    }
    RESHAPE_ELEMENTS = "reshape-elements" {
        title: "reshape keeps the elements",
        text: "The result has as many elements as the source.",
        example: "reshape tile<4xf32> -> tile<8xf32>",
        tools: "",
    }
    PERMUTE_RANK = "permute-rank" {
        title: "permute needs two dimensions",
        text: "There is nothing to reorder in fewer.",
        example: "permute %a [0] : tile<4xf32> -> tile<4xf32>",
        tools: "",
    }
    PERMUTATION = "permutation" {
        title: "permute names each dimension once",
        text: "The permutation holds each dimension of the source exactly once.",
        example: "permute %a [0, 0] : tile<2x4xf32> -> tile<2x2xf32>",
        tools: "",
    }
    PERMUTE_SHAPE = "permute-shape" {
        title: "permute moves the extents along",
        text: "Extent i of the result is extent permutation[i] of the source.",
        example: "permute %a [1, 0] : tile<2x4xf32> -> tile<2x4xf32>",
        tools: "",
    }
    CAT_DIM = "cat-dim" {
        title: "cat joins along a dimension",
        text: "The dimension must be one of the tiles.",
        example: "cat %a, %b dim = 2 : tile<4xf32>, tile<4xf32>",
        tools: "",
    }
    CAT_SHAPE = "cat-shape" {
        title: "cat adds extents",
        text: "In the joined dimension the extents add up, in all others they are equal.",
        example: "cat dim = 0 : tile<4xf32>, tile<4xf32> -> tile<4xf32>",
        tools: "",
    }
    SLICE_SHAPE = "slice-shape" {
        title: "Slices divide the tile",
        text: "`extract` and `insert` address equal slices: each extent divides that of the tile.",
        example: "extract %a[%i] : tile<2xf32> -> tile<4xf32>",
        tools: "",
    }
    SLICE_INDICES = "slice-indices" {
        title: "Slices have an index for each dimension",
        text: "The number of indices is the rank of the tile.",
        example: "extract %a[%i] : tile<4x4xf32> -> tile<2x2xf32>",
        tools: "",
    }
    PACK_SHAPE = "pack-shape" {
        title: "pack and unpack have rank 1",
        text: "Bytes have one order: both sides are tiles of rank 1.",
        example: "pack tile<2x2xi16> -> tile<8x1xi8>",
        tools: "",
    }
    PACK_WIDTH = "pack-width" {
        title: "pack and unpack change the width",
        text: "Numbers of 8 bits are bytes already: `bitcast` converts them.",
        example: "pack tile<4xf8E5M2> -> tile<4xi8>",
        tools: "",
    }
    PACK_SIZE = "pack-size" {
        title: "pack and unpack keep the bits",
        text: "Both sides have the same number of bits; i1 counts one bit, tf32 counts 32.",
        example: "pack tile<4xi16> -> tile<4xi8>",
        tools: "",
    }
    SELECT_TYPE = "select-type" {
        title: "select works on whole bytes",
        text: "Elements of f4E2M1FN cannot be picked one by one.",
        example: "select of tile<4xf4E2M1FN>",
        tools: "",
    }
    }
    "Matrices" => {
    MMA_RANK = "mma-rank" {
        title: "Matrices have two or three dimensions",
        text: "Three where there is a dimension of batches in front.",
        example: "mmaf of tile<4xf32>",
        tools: "",
    }
    MMA_SHAPE = "mma-shape" {
        title: "Matrices fit together",
        text: "lhs is MxK, rhs KxN, the sum MxN, all with the same batches; scales have the rows and columns of their matrix and one number of blocks.",
        example: "mmaf of tile<4x8xf16>, tile<4x8xf16>, tile<4x8xf32>",
        tools: "",
    }
    MMA_TYPES = "mma-types" {
        title: "Matrix element types",
        text: "Each type of factors goes with certain types of sums and scales.",
        example: "mmaf of tile<4x4xbf16>, tile<4x4xbf16>, tile<4x4xf16>",
        tools: "",
    }
    MMA_BLOCK = "mma-block" {
        title: "Scales stand for blocks",
        text: "One scale stands for 32 elements of f8, or for 16 or 32 of f4E2M1FN (only 16 where scales are f8E4M3FN).",
        example: "a tile<4x64xf8E5M2> with a tile<4x4xf8E8M0FNU> of scales",
        tools: "",
    }
    }
    "Control flow" => {
    CARRIED_VIEW = "carried-view" {
        title: "Control flow carries no views",
        text: "Views are descriptions, made where they are used: loops and branches neither carry nor give them.",
        example: "loop iter_values(%v = %view)",
        tools: "",
    }
    LOOP_ARGUMENT = "loop-argument" {
        title: "Loop arguments",
        text: "The counter of a `for` has the type of its bounds; a carried value has the type of its first value.",
        example: "a for over tile<i32> whose block takes tile<i64>",
        tools: "",
    }
    LOOP_RESULTS = "loop-results" {
        title: "Results of for",
        text: "A `for` gives its carried values: results have the types of the first values.",
        example: "for ... iter_values(%a = %i32) -> (tile<f32>)",
        tools: "",
    }
    IF_ELSE = "if-else" {
        title: "Results need both branches",
        text: "An `if` with results has an `else`.",
        example: "%r = if %c -> (tile<i32>) { yield %a : tile<i32> }",
        tools: "",
    }
    JUMP_TARGET = "jump-target" {
        title: "Jumps have a loop",
        text: "`continue` stands in a `for` or `loop`, `break` in a `loop`, with only `if` between.",
        example: "if %c { break }, outside of any loop",
        tools: "",
    }
    JUMP_VALUES = "jump-values" {
        title: "Jumps hand on what their loop takes",
        text: "`continue` hands on the carried values, `break` the results of its `loop`.",
        example: "loop iter_values(%a = %i) : tile<i32> { continue }",
        tools: "",
    }
    YIELD_VALUES = "yield-values" {
        title: "Branches give the results",
        text: "A `yield` in a branch hands on the results of its `if`.",
        example: "%r = if %c -> (tile<i32>) { yield } else { yield }",
        tools: "",
    }
    RETURN_PLACE = "return-place" {
        title: "return does not leave for",
        text: "`return` stands in an entry, in branches and in `loop`, but in no `for`, `reduce` or `scan`.",
        example: "for ... { if %c { return } continue }",
        tools: "The open 13.3 source and tools up to 13.3 do not take it in a `loop`; the 13.5 tools do, in files of any version.",
    }
    RETURN_VALUES = "return-values" {
        title: "return hands on the results of the function",
        text: "An entry has no results, so its `return` has no operands; other functions, which belong to the preview, return what their type says.",
        example: "return %a : tile<i32>",
        tools: "",
    }
    }
    "Folds" => {
    FOLD_OPERANDS = "fold-operands" {
        title: "Folds have a result for each operand",
        text: "`reduce` and `scan` take one operand at least and give as many results.",
        example: "a reduce without operands",
        tools: "",
    }
    FOLD_DIM = "fold-dim" {
        title: "Folds go along a dimension",
        text: "The dimension must be one of the operands.",
        example: "reduce %a dim=1 of tile<4xf32>",
        tools: "",
    }
    FOLD_SHAPE = "fold-shape" {
        title: "Folded operands have one shape",
        text: "All operands are folded together, element by element.",
        example: "reduce of tile<4xf32> and tile<8xf32>",
        tools: "",
    }
    FOLD_RESULT = "fold-result" {
        title: "Results of folds",
        text: "`reduce` drops the dimension, `scan` keeps the type.",
        example: "reduce %a dim=0 : tile<4x8xf32> -> tile<4xf32>",
        tools: "",
    }
    FOLD_IDENTITIES = "fold-identities" {
        title: "Identities fit the operands",
        text: "There is one number for each operand, of its element type.",
        example: "reduce %a dim=0 identities=[0 : i32] of tile<4xf32>",
        tools: "The official tools take f16 and bf16 for one another here, and so does this.",
    }
    FOLD_ARGUMENTS = "fold-arguments" {
        title: "Arguments of folds",
        text: "The body takes two tiles of rank 0 for each operand, of its element type.",
        example: "a reduce of tile<4xf32> whose body takes tile<i32>",
        tools: "",
    }
    FOLD_YIELD = "fold-yield" {
        title: "Folds give one value for each operand",
        text: "The `yield` of the body hands on a tile for each operand, of its element type.",
        example: "a reduce of tile<4xf32> whose body yields tile<i32>",
        tools: "The official tools do not compare the shape, and so neither does this: a module whose body yields a larger tile is valid, but cannot be run here.",
    }
    FOLD_EFFECTS = "fold-effects" {
        title: "Folds have no effects",
        text: "How often and in which order the body runs is open: nothing in it may read or write memory, print or stop.",
        example: "reduce ... { assert ... }",
        tools: "The open 13.3 source asks for pure operations, and so refuses divi and others whose operands can be undefined; the 13.5 tools ask for no effect on memory. All of them refuse assume.",
    }
    }
    "Memory" => {
    POINTEE_TYPE = "pointee-type" {
        title: "Pointers lead to the values",
        text: "Loaded, stored and updated values have the type that the pointers point to.",
        example: "load of tile<4xf32> from tile<4xptr<i32>>",
        tools: "",
    }
    MEMORY_ORDERING = "memory-ordering" {
        title: "Memory orderings",
        text: "Loads are weak, relaxed or acquire; stores weak, relaxed or release; atomic updates anything but weak; reductions into views relaxed.",
        example: "load_ptr_tko release device %p",
        tools: "",
    }
    MEMORY_SCOPE = "memory-scope" {
        title: "Memory scopes",
        text: "A weak access has no scope; every other has one. Reductions into views reach at most the device.",
        example: "load_ptr_tko relaxed %p",
        tools: "",
    }
    ATOMIC_TYPE = "atomic-type" {
        title: "Atomic element types",
        text: "and, or, xor, add, max, min, umax, umin work on i32 and i64; addf on f16, bf16, f32, f64; xchg and compare-and-swap on numbers of 32 and 64 bits.",
        example: "atomic_rmw_tko relaxed device %p, add, %x of tile<i16>",
        tools: "",
    }
    ALLOCA_ALIGNMENT = "alloca-alignment" {
        title: "Allocations are aligned",
        text: "The alignment is a power of two, no less than the size of an element.",
        example: "alloca num_elem = 4, alignment = 2 : tile<ptr<i32>>",
        tools: "",
    }
    ALLOCA_SIZE = "alloca-size" {
        title: "Allocations have a size",
        text: "The number of elements fits a signed number of 64 bits.",
        example: "alloca num_elem = 18446744073709551615",
        tools: "",
    }
    JOIN_TOKENS = "join-tokens" {
        title: "join_tokens joins",
        text: "There are two tokens at least.",
        example: "join_tokens %t",
        tools: "",
    }
    PRINT_FORMAT = "print-format" {
        title: "Formats are complete",
        text: "Every `%` of a format begins a conversion with its letter; `%%` is a percent sign.",
        example: "print_tko \"100 %\"",
        tools: "",
    }
    PRINT_ARGUMENTS = "print-arguments" {
        title: "Formats take all values",
        text: "The format has one conversion for each value.",
        example: "print_tko \"%d %d\", %a",
        tools: "",
    }
    GLOBAL_SYMBOL = "global-symbol" {
        title: "get_global names a global",
        text: "The module defines the global.",
        example: "get_global @nowhere : tile<ptr<i32>>",
        tools: "",
    }
    GLOBAL_POINTER = "global-pointer" {
        title: "get_global gives the right pointer",
        text: "The pointer is one to the elements of the global.",
        example: "get_global @ints : tile<ptr<f32>>",
        tools: "",
    }
    }
    "Views" => {
    TENSOR_VIEW_POINTER = "tensor-view-pointer" {
        title: "tensor_view elements",
        text: "The base is a pointer to the elements of the view, of the same kind of memory.",
        example: "a tensor_view of f32 from tile<ptr<i32>>",
        tools: "",
    }
    TENSOR_VIEW_DYNAMIC = "tensor-view-dynamic" {
        title: "tensor_view numbers",
        text: "There is an operand for each dynamic extent and stride of the type.",
        example: "make_tensor_view with one extent of two for tensor_view<?x?xf32>",
        tools: "",
    }
    TENSOR_VIEW_INDEX = "tensor-view-index" {
        title: "tensor_view number types",
        text: "All dynamic extents and strides have one type.",
        example: "extents of tile<i32>, strides of tile<i64>",
        tools: "",
    }
    VIEW_SOURCE = "view-source" {
        title: "Views are of their tensor",
        text: "The tensor of a view type is the type of the operand.",
        example: "a partition_view of tensor_view<8xf32> from tensor_view<?xf32>",
        tools: "",
    }
    VIEW_RESULTS = "view-results" {
        title: "Shapes have a number for each dimension",
        text: "The number of results is the rank.",
        example: "get_tensor_shape of rank 2 with one result",
        tools: "",
    }
    VIEW_TILE = "view-tile" {
        title: "Accesses move tiles of the view",
        text: "A loaded, stored or reduced tile has the shape and element type of the view's tiles.",
        example: "load of tile<8xf32> from a partition_view of tiles of 4",
        tools: "",
    }
    INDEX_COUNT = "index-count" {
        title: "Indices for each dimension",
        text: "An access has one index for each dimension of the view.",
        example: "load_view_tko weak %v[%i] of rank 2",
        tools: "",
    }
    INDEX_TYPE = "index-type" {
        title: "Index types",
        text: "Indices are integers of rank 0 and, but for reductions, of one type. The index of the sparse dimension of a gather_scatter_view is a tile with a number for each element.",
        example: "load_view_tko weak %v[%i32, %i64]",
        tools: "",
    }
    INBOUNDS = "inbounds" {
        title: "Promises for each dimension",
        text: "`inbounds` says something about every dimension.",
        example: "inbounds = [true] for a view of rank 2",
        tools: "",
    }
    REDUCTION_VIEW = "reduction-view" {
        title: "Views that can be reduced into",
        text: "A partition_view or strided_view.",
        example: "atomic_red_view_tko into a gather_scatter_view",
        tools: "The open 13.3 source refuses views with padding; the 13.5 tools take them, here and in multimem operations.",
    }
    PACKING_DIMENSION = "packing-dimension" {
        title: "Packed elements have a dimension",
        text: "Two numbers of f4E2M1FN share a byte: a view access needs exactly one static stride of 1, in another dimension than the sparse one.",
        example: "load of tile<4xf4E2M1FN> from tensor_view<8xf4E2M1FN, strides=[2]>",
        tools: "The open 13.3 source does not ask for this.",
    }
    MULTIMEM_VIEW = "multimem-view" {
        title: "Views of replicas",
        text: "Multimem operations work on a partition_view of multicast memory.",
        example: "multimem_store_view_tko into a view of plain memory",
        tools: "",
    }
    MULTIMEM_TYPE = "multimem-type" {
        title: "Combining replicas",
        text: "Multimem operations work on i32, i64, f16, bf16, f32 and f64; the 16-bit floats need one static stride of 1. Integers are combined in every way; floats are added, and loads also take the minimum or maximum of 16-bit floats.",
        example: "multimem_reduce_view_tko with reduction xor on f32",
        tools: "",
    }
    MULTIMEM_SIZE = "multimem-size" {
        title: "Replicas are combined word by word",
        text: "A tile of floats that a multimem operation works on has a multiple of 4 bytes.",
        example: "multimem_store_view_tko of a tile<1xf16>",
        tools: "",
    }
    MULTICAST_ACCESS = "multicast-access" {
        title: "Replicated memory is for multimem",
        text: "Pointers and views of multicast memory are for multimem operations: loads, stores and atomic updates need plain memory.",
        example: "load_ptr_tko weak %p of tile<ptr<f32, <multicast>>>",
        tools: "",
    }
    }
    "Assumptions" => {
    ASSUME_TYPE = "assume-type" {
        title: "Predicates fit the value",
        text: "`div_by` is about integers, pointers and tensor_views, `same_elements` about integers and pointers, `bounded` about integers.",
        example: "assume bounded<0, ?>, %f : tile<f32>",
        tools: "",
    }
    DIV_BY_DIVISOR = "div-by-divisor" {
        title: "Divisors are powers of two",
        text: "Up to 2^62.",
        example: "assume div_by<12>, %a : tile<i32>",
        tools: "",
    }
    DIV_BY_EVERY = "div-by-every" {
        title: "Groups of div_by",
        text: "`every` and `along` stand together, name a dimension of the tile and a number up to its extent.",
        example: "assume div_by<4, every 8 along 1>, %a : tile<8xi32>",
        tools: "",
    }
    SAME_ELEMENTS = "same-elements" {
        title: "Groups of same_elements",
        text: "There is a number up to the extent for each dimension.",
        example: "assume same_elements<[8]>, %a : tile<4xi32>",
        tools: "",
    }
    BOUNDED_RANGE = "bounded-range" {
        title: "Bounds lie in the type",
        text: "Both bounds are values of the element type, read as signed, and in order.",
        example: "assume bounded<0, 300>, %a : tile<i8>",
        tools: "",
    }
    }
    "Debug information" => {
    DEBUG_FUNCTION = "debug-function" {
        title: "Functions lie in subprograms",
        text: "The location of a function lies directly in a subprogram, and is no call site.",
        example: "a function whose location lies in a lexical block",
        tools: "",
    }
    DEBUG_LINKAGE = "debug-linkage" {
        title: "Subprograms have the function's name",
        text: "The linkage name of a function's subprogram is the name of the function.",
        example: "@k in a subprogram with linkage name \"kernel\"",
        tools: "",
    }
    DEBUG_SCOPE = "debug-scope" {
        title: "Operations lie in their function",
        text: "An operation with a scope lies in the subprogram of its function. Inlined code counts where it was inlined.",
        example: "an operation in the subprogram of another function",
        tools: "",
    }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn ids_are_unique_and_found() {
        let ids: HashSet<&str> = rules().map(|rule| rule.id).collect();
        assert_eq!(ids.len(), rules().len());
        assert!(rules().all(|rule| explain(rule.id) == Some(rule)));
        assert_eq!(explain("no-such-rule"), None);
    }
}
