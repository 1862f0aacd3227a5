//! What to print.

/// How a module is printed. The default is the form of NVIDIA's `tileirdisasm`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PrintOptions {
    module: bool,
    generic: bool,
    debug_info: bool,
    threads: usize,
}

impl Default for PrintOptions {
    fn default() -> Self {
        PrintOptions::new()
    }
}

impl PrintOptions {
    /// The form of `tileirdisasm`: globals and functions one after the other, without source locations.
    pub fn new() -> PrintOptions {
        PrintOptions { module: false, generic: false, debug_info: false, threads: 1 }
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

    /// Prints long functions on so many threads. The text is the same. Default: 1.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
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

    pub(crate) fn thread_count(&self) -> usize {
        self.threads
    }
}
