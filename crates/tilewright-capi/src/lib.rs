//! The C interface of Tilewright.
//!
//! `include/tilewright.h` declares it, made of these sources by `cbindgen`; `examples/convert.c` uses it. The interface is thin:
//! a C handle is a Rust value in a box, and each function does one call. The typestate of the library stays: a
//! [`tw_verified`](module::tw_verified) is only made by verification, and only it can be written.
//!
//! What C cannot promise is checked here: null pointers, lengths, UTF-8, versions and flags are answered with errors. No panic
//! leaves the library: `boundary.rs` turns it into an error, too. What remains the caller's duty stands in the header: a
//! pointer that is not null must point to what it says.
#![allow(non_camel_case_types, reason = "types have the names that they have in C")]

mod boundary;
pub mod buffer;
pub mod error;
pub mod function;
pub mod module;

/// Version 13.1, the first public version. Versions are numbers: the major one times 256, plus the minor one.
pub const TW_VERSION_13_1: u32 = 0x0d01;
/// Version 13.2.
pub const TW_VERSION_13_2: u32 = 0x0d02;
/// Version 13.3.
pub const TW_VERSION_13_3: u32 = 0x0d03;
/// Version 13.4.
pub const TW_VERSION_13_4: u32 = 0x0d04;
/// Version 13.5.
pub const TW_VERSION_13_5: u32 = 0x0d05;
/// The newest version that the library knows.
pub const TW_VERSION_LATEST: u32 = 0x0d05;

/// Prints `cuda_tile.module @name { ... }` around everything.
pub const TW_PRINT_MODULE: u32 = 1;
/// Prints the generic form of MLIR.
pub const TW_PRINT_GENERIC: u32 = 2;
/// Prints source locations.
pub const TW_PRINT_DEBUG_INFO: u32 = 4;

/// Stands for a position that is not known. The header defines it by hand, for cbindgen does not know the value.
pub const TW_NONE: usize = usize::MAX;
