//! A compiler from CUDA Tile IR to PTX: no LLVM, no CUDA toolkit, no GPU.
//!
//! ```text
//! VerifiedModule ──► layouts ──► thread code (SSA) ──► PTX text, or a module of LLVM
//! ```
//!
//! [`compile`] makes a [`Kernel`] of an entry. A [`Layout`] says which register of which lane of which warp holds an element of a tile;
//! [`thread::Function`] is what one thread does. What an operation means on one element is the lowering to primitives of
//! `tilewright-vector`, which the CPU engine uses too. What cannot be compiled is a [`CompileError`] that names the operation.
#![forbid(unsafe_code)]

mod coverage;
mod draw;
mod error;
mod layout;
mod llvm;
mod lower;
mod ptx;
mod swizzle;
mod target;
pub mod thread;

pub use coverage::coverage;
pub use draw::draw;
pub use error::CompileError;
pub use layout::{BitMap, Layout};
pub use lower::Explained;
pub use target::Target;

use tilewright_ir::VerifiedModule;
use tilewright_passes::{Pipeline, RunOptions};

/// A compiled entry.
#[derive(Clone, Debug)]
pub struct Kernel {
    target: Target,
    code: thread::Function,
    explained: Vec<Explained>,
}

/// How the tile of an operation's result lies in registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TileLayout {
    /// The operation, with the position of its result if it has several.
    pub operation: String,
    /// The tile's type.
    pub ty: String,
    /// Its extents.
    pub shape: Vec<i64>,
    /// Where its elements are.
    pub layout: Layout,
}

impl Kernel {
    /// What it is made for.
    pub fn target(&self) -> Target {
        self.target
    }

    /// What a thread does.
    pub fn code(&self) -> &thread::Function {
        &self.code
    }

    /// The layouts of all tiles that have more than one element, in the order of the program.
    pub fn layouts(&self) -> impl Iterator<Item = &TileLayout> {
        self.explained.iter().flat_map(|op| &op.tiles)
    }

    /// What every operation became, in the order of the program.
    pub fn explained(&self) -> &[Explained] {
        &self.explained
    }

    /// Bytes of dynamic shared memory that a launch must give: what is more than an entry can declare.
    pub fn dynamic_shared(&self) -> u32 {
        self.code.dynamic_shared()
    }

    /// The PTX.
    pub fn ptx(&self) -> String {
        ptx::print(&self.code, self.target)
    }

    /// A module of LLVM, for the NVPTX64 target of `llc`.
    pub fn llvm(&self) -> String {
        llvm::print(&self.code, self.target, llvm::Dialect::Current)
    }

    /// The module of LLVM as libNVVM takes it for the target: before `sm_100` in the dialect of LLVM 7, in which pointers have types.
    pub fn nvvm(&self) -> String {
        llvm::print(&self.code, self.target, llvm::Dialect::of_libnvvm(self.target))
    }
}

/// Compiles an entry of a module.
///
/// # Errors
/// When there is no such entry, or something of it cannot be compiled.
pub fn compile(module: &VerifiedModule, entry: &str, target: Target) -> Result<Kernel, CompileError> {
    let (code, explained) = lower::lower(&prepared(module)?, entry, target)?;
    thread::verify(&code).map_err(|finding| CompileError::internal(entry, &finding))?;
    Ok(Kernel { target, code, explained })
}

/// The module without calls, after the usual passes.
fn prepared(module: &VerifiedModule) -> Result<VerifiedModule, CompileError> {
    let has_calls = module.functions.iter().any(|function| !function.is_entry);
    let inline = if has_calls { "inline," } else { "" };
    let pipeline = Pipeline::parse(&format!("{inline}{}", Pipeline::DEFAULT)).expect("the usual pipeline is well formed");
    let run = pipeline.run(module.clone(), RunOptions::new());
    run.map(|(module, _)| module).map_err(|broken| CompileError::broken(&broken.to_string()))
}
