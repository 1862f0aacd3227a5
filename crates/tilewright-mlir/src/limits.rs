//! What is read at most, whatever a file asks for.

/// The latest version of the format that is known.
pub(crate) const LATEST_VERSION: u64 = 6;

/// How deep regions that are not isolated from above may nest, and attributes and types within each other.
///
/// Locations of inlined calls nest as deep as calls were inlined.
pub(crate) const MAX_NESTING: u32 = 1024;

/// Attributes and types share parts, so that a short file can describe a text of any length. An attribute or a type may have this
/// many parts when each is counted as often as it would be printed.
pub(crate) const MAX_EXPANDED_PARTS: u64 = 1 << 24;

/// The widest integer type that MLIR knows.
pub(crate) const MAX_INTEGER_WIDTH: u64 = (1 << 24) - 1;
