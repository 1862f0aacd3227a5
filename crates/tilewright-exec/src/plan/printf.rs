//! The format strings of `print_tko`, which the compiler to PTX reads too.

pub(crate) use tilewright_passes::printf::{Conversion, Piece, parse};
