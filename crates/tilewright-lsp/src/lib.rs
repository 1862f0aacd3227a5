//! A language server for the text of CUDA Tile IR: `tilewright lsp`.
//!
//! [`serve`] speaks the Language Server Protocol with an editor: errors of the parser and the verifier as one types, what is known of a name
//! or an operation, definitions and uses, renaming, completion, layout, and notes with types and facts. Bytecode is shown as text on the
//! request [`BytecodeText`].
//!
//! An [`Analysis`] is made of each state of a text, and requests only look things up in it.
//!
//! ```
//! use tilewright_lsp::Analysis;
//!
//! let source = "entry @k(%n: tile<i32>) {\n  %m = addi %n, %oops : tile<i32>\n}";
//! let analysis = Analysis::of(source);
//! assert_eq!(analysis.problems()[0].id, "undefined-value");
//! ```
#![forbid(unsafe_code)]

mod analysis;
mod bytecode;
mod completion;
mod document;
mod hints;
mod hover;
mod layout;
mod lines;
mod names;
mod outline;
mod problems;
mod server;
mod stdio;

pub use analysis::Analysis;
pub use bytecode::{BytecodeText, BytecodeTextParams, BytecodeTextResult};
pub use layout::laid_out;
pub use lines::Lines;
pub use problems::Problem;
pub use server::{ServeError, serve};
pub use stdio::serve_stdio;
