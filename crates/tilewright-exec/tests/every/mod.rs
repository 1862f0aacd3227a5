//! Modules with every operation.

pub(crate) mod irregular;
pub(crate) mod regular;
