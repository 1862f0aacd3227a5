//! Modules with every operation.

pub(crate) mod irregular;
