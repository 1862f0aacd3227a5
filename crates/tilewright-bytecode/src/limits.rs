//! The bounds of what is read. None of them is near what compilers write.

/// The longest file in bytes. Handles and pool ranges are 32 bits wide; nothing takes more of them than bytes.
pub const MAX_FILE_SIZE: usize = u32::MAX as usize - 1;

/// How deep regions nest: each level takes some stack, here and in every consumer of the module.
pub const MAX_REGION_DEPTH: usize = 256;

/// How deep attributes nest.
pub const MAX_ATTRIBUTE_DEPTH: usize = 64;

/// How deep types nest. No legal type needs more than 4: a function of a view of a tensor view of a scalar.
pub const MAX_TYPE_DEPTH: usize = 8;

/// How deep debug entries refer to each other: call sites of call sites, blocks in blocks.
pub const MAX_LOCATION_DEPTH: usize = 256;

/// How many bytes the items of a string or type table may take together, beyond the length of the section.
///
/// Items are slices of one blob, given by offsets that nothing forbids to overlap. Without a bound, a file could make
/// every item as long as the file.
pub const OVERLAP_SLACK: usize = 1 << 16;

/// How many parameters the functions may have together, beyond one for each byte of the function section.
///
/// Functions can share a signature: without a bound, a file could give each of many functions as many parameters as the
/// file has bytes.
pub const PARAMETER_SLACK: usize = 1 << 16;
