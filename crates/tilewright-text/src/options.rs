//! What to print.

/// How a module is printed. The default is the form of NVIDIA's `tileirdisasm`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PrintOptions {
    module: bool,
    generic: bool,
    debug_info: bool,
}

impl PrintOptions {
    /// The form of `tileirdisasm`: globals and functions one after the other, without source locations.
    pub fn new() -> PrintOptions {
        PrintOptions::default()
    }

    /// Wraps everything in `cuda_tile.module @name { ... }`, the form that text tools of the open dialect read. Default: no.
    pub fn module(mut self, on: bool) -> Self {
        self.module = on;
        self
    }

    /// Prints the generic form of MLIR, `"cuda_tile.addi"(%0, %1) <{...}> : (...) -> ...`, which shows every attribute,
    /// implicit terminators included. Default: no.
    pub fn generic(mut self, on: bool) -> Self {
        self.generic = on;
        self
    }

    /// Ends every operation with its source location, `loc(#loc3)`, and defines the locations at the end. The form of
    /// `tileirdisasm --print-debug-info`. Default: no.
    pub fn debug_info(mut self, on: bool) -> Self {
        self.debug_info = on;
        self
    }

    pub(crate) fn has_module(&self) -> bool {
        self.module
    }

    pub(crate) fn is_generic(&self) -> bool {
        self.generic
    }

    pub(crate) fn has_debug_info(&self) -> bool {
        self.debug_info
    }
}
