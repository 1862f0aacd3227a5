//! The registry of what a check finds: every finding names a rule.

/// A rule of Tile IR that holds while a kernel runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rule {
    /// Its stable name, as findings print it.
    pub id: &'static str,
    /// What it is about: a group of rules.
    pub chapter: &'static str,
    /// What is wrong where it is broken, in a few words.
    pub title: &'static str,
    /// The rule in full.
    pub text: &'static str,
    /// How to mend a kernel that breaks it.
    pub mend: &'static str,
    /// A kernel that breaks it, with the launch that shows it.
    pub buggy: &'static str,
    /// The same kernel, mended.
    pub mended: &'static str,
}

/// The page of the documentation that has a section of each rule's name.
pub const RULES_PAGE: &str = "docs/check-rules.md";

impl Rule {
    /// Where the rule is explained on the web.
    pub fn help_uri(&self) -> String {
        format!("{}/blob/main/{RULES_PAGE}#{}", env!("CARGO_PKG_REPOSITORY"), self.id)
    }
}

/// Every rule, by chapter.
pub fn rules() -> impl ExactSizeIterator<Item = &'static Rule> {
    RULES.iter().copied()
}

/// The rule with this name.
pub fn explain(id: &str) -> Option<&'static Rule> {
    rules().find(|rule| rule.id == id)
}

/// Declares the rules and the list of them. The kernels of a rule are `kernels/ID.buggy.mlir` and `kernels/ID.mended.mlir`.
macro_rules! rules {
    ($($chapter:literal => { $($name:ident = $id:literal {
        title: $title:literal,
        text: $text:literal,
        mend: $mend:literal,
    })* })*) => {
        $($(
            pub(crate) static $name: Rule = Rule {
                id: $id,
                chapter: $chapter,
                title: $title,
                text: $text,
                mend: $mend,
                buggy: include_str!(concat!("kernels/", $id, ".buggy.mlir")),
                mended: include_str!(concat!("kernels/", $id, ".mended.mlir")),
            };
        )*)*

        static RULES: &[&Rule] = &[$($(&$name,)*)*];
    };
}

rules! {
    "Memory" => {
    OUT_OF_BOUNDS = "out-of-bounds" {
        title: "Access outside of memory",
        text: "Every element that an operation accesses lies in one allocation: a buffer of the launch, a global, or memory of an alloca of the block. Elements that are masked off, or that lie outside of the tensor of a view, are not accessed.",
        mend: "Mask the elements off, make the tensor's extents those of the buffer, or launch fewer blocks.",
    }
    MISALIGNED = "misaligned" {
        title: "Access that is not aligned",
        text: "The address of an element is a multiple of its size. Rows of elements of 4 bits have whole bytes: an even extent along the dimension in which they share bytes, even strides along the others.",
        mend: "Begin arrays at multiples of the element's size, and count offsets in elements; let rows of elements of 4 bits end with a byte.",
    }
    READ_ONLY = "read-only" {
        title: "Write to memory that can only be read",
        text: "Kernels do not write buffers that the caller lends for reading, nor constant globals.",
        mend: "Pass memory that can be written, or write elsewhere.",
    }
    ALLOCA_LIFETIME = "alloca-lifetime" {
        title: "Memory of alloca where it is not valid",
        text: "Memory of alloca is valid until the region ends in which the operation stands, and, unless it is `global`, for the block that allocated it only.",
        mend: "Allocate in the outermost region that uses the memory; mark what other blocks access as `global`.",
    }
    VIEW_EXCEEDS_MEMORY = "view-exceeds-memory" {
        title: "Tensor that exceeds its buffer",
        text: "A tensor whose first element lies in a buffer has all its elements there: extents and strides describe memory that exists.",
        mend: "Pass the extents and strides of the array. Strides count elements, not bytes.",
    }
    FALSE_INBOUNDS = "false-inbounds" {
        title: "Promise of `inbounds` that does not hold",
        text: "`inbounds` promises for a dimension that no element of the tile lies outside of the tensor along it (check_bounds=False in cuTile). Compilers leave out the test.",
        mend: "Drop the promise, or make the extent a multiple of the tile's.",
    }
    VIEW_INDEX = "view-index" {
        title: "Index outside of the index space of a view",
        text: "An index of a partition view or of a strided view is less than the number of tiles along its dimension, which is the extent divided by the distance of tiles, rounded up.",
        mend: "Launch as many blocks as there are tiles, or compare the index with get_index_space_shape before the access.",
    }
    }
    "Undefined values" => {
    UNDEFINED_STORED = "undefined-stored" {
        title: "Undefined value that is stored",
        text: "An element that was read from memory that nobody wrote, that was masked off without padding, or that lies outside of a tensor without a padding value, has any value, and not twice the same. Loading and moving it is harmless; what is stored must not depend on it.",
        mend: "Write the memory first, give the load a padding value, or select another value for these elements.",
    }
    UNDEFINED_BRANCH = "undefined-branch" {
        title: "Branch that depends on an undefined value",
        text: "Conditions of branches, bounds of loops and masks do not depend on undefined values.",
        mend: "Write the memory first, give the load a padding value, or select another value for these elements.",
    }
    UNDEFINED_INDEX = "undefined-index" {
        title: "Address or index that depends on an undefined value",
        text: "Addresses, indices, extents and strides do not depend on undefined values.",
        mend: "Write the memory first, give the load a padding value, or select another value for these elements.",
    }
    UNDEFINED_OUTPUT = "undefined-output" {
        title: "Undefined value that is asserted or printed",
        text: "What is asserted or printed does not depend on undefined values.",
        mend: "Write the memory first, give the load a padding value, or select another value for these elements.",
    }
    }
    "Order" => {
    DATA_RACE = "data-race" {
        title: "Data race between blocks",
        text: "Two accesses of different blocks to the same bytes, one of which writes, are ordered by happens-before: by tokens in each block, and between blocks by a release that an acquire observes, both with scopes that include the other block. Or both are strong, with such scopes.",
        mend: "Let the writer release a flag after the write (the release waits for the token of the write), and the reader acquire it first (the read waits for the token of the acquire); use atomic updates; or let each block write memory of its own.",
    }
    NARROW_SCOPE = "narrow-scope" {
        title: "Scope that does not include the other block",
        text: "Strong accesses of different blocks to the same bytes have scopes that include both blocks: `device` or `sys`, not `tl_blk`.",
        mend: "Use the scope `device`.",
    }
    MIXED_SIZE = "mixed-size" {
        title: "Strong accesses of different bytes that overlap",
        text: "Strong accesses that nothing orders access the same bytes, or none in common: elements of different sizes in one place are not coherent.",
        mend: "Access the memory with one type.",
    }
    TOKEN_ORDER = "token-order" {
        title: "Accesses of a block that no tokens order",
        text: "The order of the text is not an order of memory: of two accesses of a block to the same bytes, one of which writes, the later one waits for the token of the earlier one, directly or by other tokens, or both are strong.",
        mend: "Hand the token of the earlier access to the later one, by join_tokens and loop-carried values where needed.",
    }
    BLOCK_ORDER = "block-order" {
        title: "Results that depend on the order of blocks",
        text: "Blocks run in any order and side by side, so results that are the same in every launch do not depend on which block comes first. Found by launching again under other schedules (`--schedules`), which preempt blocks in front of accesses to memory. Sums of floats by atomic updates are rounded in the order of the blocks: that is no undefined behaviour, but it is reported too.",
        mend: "Let a block wait for the one whose result it needs, let one block combine what the others have written, or add integers.",
    }
    DEADLOCK = "deadlock" {
        title: "Blocks that wait for each other for ever",
        text: "Each block ends whatever the order of blocks is: what a block waits for is written by another one that does not wait for it. Reported when all registers and all memory come again while every block that is left waits.",
        mend: "Acquire locks in the same order in all blocks, give each one back, and count as many blocks as there are.",
    }
    SAME_ELEMENT = "same-element" {
        title: "Elements of one store in one place",
        text: "The elements of a tile are stored in no order, so no two elements of a weak store lie in the same place, even with equal values.",
        mend: "Mask all but one off, use an atomic update, or a relaxed store.",
    }
    }
    "Promises" => {
    FALSE_ASSUMPTION = "false-assumption" {
        title: "Assumption that does not hold",
        text: "The predicate of assume holds for every element: `div_by` for the first of each group, the others of which follow each other; `bounded` for numbers read as signed; `same_elements` within each group. Compilers rely on it.",
        mend: "Correct the predicate, or the argument that it was derived from: compiled kernels assume the alignment and divisibility of the arrays that they were compiled for.",
    }
    FALSE_OVERFLOW = "false-overflow" {
        title: "Promise of no overflow that does not hold",
        text: "With `no_signed_wrap`, `no_unsigned_wrap` or `no_wrap`, the exact result fits the type, read as signed, as unsigned, or both. What is cut off by trunci are copies of the sign, or zeros.",
        mend: "Drop the flag, or compute in a wider type.",
    }
    OVERLAPPING_ARRAYS = "overlapping-arrays" {
        title: "Arrays that overlap",
        text: "Arrays that a kernel was compiled to take as distinct do not share memory that the launch writes.",
        mend: "Pass distinct arrays, or compile the kernel for arrays that may alias.",
    }
    }
    "Arithmetic" => {
    DIVISION = "division" {
        title: "Division by zero, or that overflows",
        text: "The divisor of divi and remi is not zero, and the signed divi of the least number by -1 has no result.",
        mend: "Select another divisor where it may be zero.",
    }
    SHIFT = "shift" {
        title: "Shift by the width of the type or more",
        text: "The number of bits by which shli and shri shift, read as unsigned, is less than those of the type.",
        mend: "Limit the number of bits.",
    }
    CONVERSION = "conversion" {
        title: "Float that no integer of the type is",
        text: "Without `saturating`, ftoi takes numbers only whose integral part the type has: no NaN, no infinity.",
        mend: "Set `saturating`, or clamp the number first.",
    }
    SLICE_INDEX = "slice-index" {
        title: "Slice that does not exist",
        text: "An index of extract or insert, read as unsigned, is less than the number of slices along its dimension. It counts slices, not elements.",
        mend: "Divide the element's position by the extent of a slice.",
    }
    EXTENT_RANGE = "extent-range" {
        title: "Extent that its type does not hold",
        text: "What get_tensor_shape and get_index_space_shape give is a number of the type of their results, read as unsigned.",
        mend: "Ask for it in a wider type.",
    }
    OFFSET_OVERFLOW = "offset-overflow" {
        title: "Address that wraps",
        text: "The offset of a pointer in bytes fits 64 bits as a signed number, and the address with the offset does not wrap.",
        mend: "Compute the offset from the start of an array in a type that holds it.",
    }
    LOOP_STEP = "loop-step" {
        title: "Loop that does not advance",
        text: "The step of a for loop is positive.",
        mend: "Use a positive step, and turn the index around.",
    }
    LOOP_OVERFLOW = "loop-overflow" {
        title: "Loop whose variable overflows",
        text: "The type of a for loop has the last value of its variable plus the step: a loop that is compiled to an addition and a comparison would not end.",
        mend: "Count in a wider type, or up to a bound that leaves room for a step.",
    }
    NEGATIVE_SCALE = "negative-scale" {
        title: "Negative scale of a product",
        text: "The scales of mmaf_scaled are not negative. Of their types, f8E4M3FN has negative numbers.",
        mend: "Scale by the absolute value, and change the sign of what is multiplied.",
    }
    FOLD_ORDER = "fold-order" {
        title: "Fold whose result depends on its order",
        text: "The body of reduce and scan is associative: compilers combine elements in any order. That floats are rounded differently is no finding. A few elements of each fold are combined in two orders.",
        mend: "Use a body that is associative: subtract a sum instead of folding differences, and carry what a mean needs, the sum and the count.",
    }
    FOLD_IDENTITY = "fold-identity" {
        title: "Identity that is not neutral",
        text: "Combined with an element, the identity of reduce and scan gives that element: compilers combine it with some elements, with all, or with none.",
        mend: "Give the identity of the body: 0 for sums, 1 for products, the least number for a maximum.",
    }
    ASSERTION = "assertion" {
        title: "Assertion that fails",
        text: "All elements of the condition of assert are true.",
        mend: "See what the message says.",
    }
    }
}
