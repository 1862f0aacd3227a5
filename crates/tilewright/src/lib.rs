//! Tile IR on any machine: read, print, check and run CUDA Tile IR bytecode, with no GPU and no CUDA toolkit.
//!
//! This crate is the front door. It re-exports the crates that do the work, each under a short name, and adds what a
//! program that runs kernels needs around them: arrays with their files, and cases.
//!
//! | module | what it is for |
//! |---|---|
//! | [`ir`] | the program in memory: modules, types, the table of operations; building, rewriting, verifying |
//! | [`bytecode`] | reading and writing Tile IR bytecode |
//! | [`text`] | printing Tile IR as text, and parsing it |
//! | [`numeric`] | number formats, rounding, conversions |
//! | [`passes`] | improving modules: the pass manager and its passes; facts about programs |
//! | [`facts`] | these facts, beside the text of a module |
//! | [`exec`] | running entries on the CPU |
//! | [`memory_model`] | what the memory model allows: executions, litmus tests; data races of a run |
//! | [`check`] | finding what is wrong with kernels while they run |
//! | [`gpu`] | compiling entries to PTX |
//! | [`ptx`] | PTX as data, and a machine that runs it on the CPU |
//! | [`ptxas`](mod@ptxas) | NVIDIA's assembler, where it is installed |
//! | [`source`] | files with a module: bytecode or text, whichever they are |
//! | [`arguments`](mod@arguments) | arguments of launches as people write them: `f32[1024]=1` |
//! | [`array`](mod@array) | typed arrays, and the `.npy` files they are kept in |
//! | [`diff`](mod@diff) | comparing modules, operation by operation |
//! | [`stats`] | counting operations, flops and bytes |
//! | [`environment`] | variables of the environment that front ends obey |
//! | [`case`](mod@case) | a kernel with its inputs and what must come out, run and judged |
//! | [`cli`] | the command `tilewright`, for programs that carry it |
//!
//! # Read, verify, print, write
//!
//! Bytecode becomes a [`Module`](ir::Module), which need not be valid. [`ir::verify`] makes it a
//! [`VerifiedModule`](ir::VerifiedModule): only that can be written or run.
//!
//! ```
//! use tilewright::{bytecode, ir, text};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/");
//! let bytes = std::fs::read(format!("{folder}saxpy.tilebc"))?;
//! let (module, layout) = bytecode::read_with_layout(&bytes)?;
//! let module = ir::verify(module).map_err(|findings| findings[0].to_string())?;
//! assert!(text::print(&module, &text::PrintOptions::new()).contains("entry @saxpy("));
//!
//! // The same file again, and one for older drivers.
//! let options = bytecode::WriteOptions::new(module.version);
//! assert_eq!(bytecode::write(&module, &options.layout(&layout))?, bytes);
//! let older = bytecode::write(&module, &bytecode::WriteOptions::new(ir::Version::V13_1))?;
//! assert_eq!(bytecode::read(&older)?.version, ir::Version::V13_1);
//! # Ok(())
//! # }
//! ```
//!
//! # Parse, walk, rewrite, run
//!
//! Text is parsed with all its errors at once. [`Body::preorder`](ir::Body::preorder) walks over operations, and
//! [`Module::rewrite`](ir::Module::rewrite) changes them; [`Builder`](ir::Builder) makes new ones. What was changed is verified again.
//!
//! ```
//! use tilewright::{exec, ir, text};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let source = "entry @k(%p: tile<ptr<i32>>, %n: tile<i32>) {
//!   %two = constant <i32: 2> : tile<i32>
//!   %m = muli %n, %two : tile<i32>
//!   %t = store_ptr_tko weak %p, %m : tile<ptr<i32>>, tile<i32> -> token
//! }";
//! let mut module = text::parse(source, &text::ParseOptions::new()).map_err(|errors| errors[0].render(source, "kernel"))?;
//!
//! // n * 2 becomes n + n.
//! let mut rewriter = module.rewrite(0);
//! for product in rewriter.ops_of(ir::Opcode::MulI) {
//!     let n = rewriter.op(product).operands()[0];
//!     let ty = rewriter.body().ty(n);
//!     let sum = rewriter.insert_before(product, |builder| {
//!         builder.op(ir::Opcode::AddI).operand("lhs", n).operand("rhs", n).result(ty).value()
//!     })?;
//!     rewriter.replace(product, &[sum])?;
//! }
//! drop(rewriter);
//! let names: Vec<_> = module.functions[0].body.preorder().map(|op| op.opcode().mnemonic()).collect();
//! assert_eq!(names, ["constant", "addi", "store_ptr_tko", "return"]);
//!
//! let program = exec::Program::new(ir::verify(module).map_err(|findings| findings[0].to_string())?);
//! let mut memory = exec::Memory::new();
//! let buffer = memory.add(vec![0; 4]);
//! let args = [exec::Arg::Pointer(memory.address(buffer)), exec::Arg::Scalar(ir::Scalar::I32, 21)];
//! exec::launch(&*program.plan("k")?, &mut memory, [1, 1, 1], &args, &exec::LaunchOptions::new())?;
//! assert_eq!(memory.bytes(buffer), 42i32.to_le_bytes());
//! # Ok(())
//! # }
//! ```
//!
//! # Features
//!
//! The feature `command`, which is there by default, is the command and all that only it needs; `gpu` and `mlir`, which are parts of it, are the
//! modules of these names. Without them the library builds for `wasm32-unknown-unknown` as well: the explorer is such a program.
//!
//! `examples/` has whole programs: `build_kernel` builds a kernel from nothing and runs it, `fuse_multiply_add` is a pass,
//! `list_kernels` walks over files.
#![forbid(unsafe_code)]

// The command is written like any other program that uses this library.
#[cfg(feature = "command")]
extern crate self as tilewright;

pub mod arguments;
pub mod array;
pub mod case;
#[cfg(feature = "command")]
pub mod cli;
#[cfg(feature = "gpu")]
pub mod device;
pub mod diff;
mod dump_json;
pub mod environment;
pub mod facts;
mod json;
pub mod profile;
#[cfg(feature = "gpu")]
pub mod ptxas;
pub mod source;
pub mod stats;

pub use dump_json::dump_json;
pub use tilewright_bytecode as bytecode;
pub use tilewright_check as check;
#[cfg(feature = "cuda")]
pub use tilewright_cuda as cuda;
pub use tilewright_exec as exec;
#[cfg(feature = "gpu")]
pub use tilewright_gpu as gpu;
pub use tilewright_ir as ir;
pub use tilewright_memory_model as memory_model;
#[cfg(feature = "mlir")]
pub use tilewright_mlir as mlir;
pub use tilewright_numeric as numeric;
pub use tilewright_passes as passes;
#[cfg(feature = "gpu")]
pub use tilewright_ptx as ptx;
pub use tilewright_text as text;
