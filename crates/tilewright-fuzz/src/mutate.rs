//! Changing files and texts.

mod bytes;
mod text;

pub use bytes::{bytes, change_bytes};
pub use text::text;
