//! What the explorer, a page in a browser, asks of Tilewright: the libraries behind one function from a request to an answer, both JSON.
//!
//! A [`Session`] has one module, as text or bytecode, and the last launch of one of its kernels. What
//! the page shows is what the commands show: problems are those of `tilewright lsp`, bytes those of `tilewright objdump --json`, arguments
//! and findings those of `tilewright check`.
//!
//! ```
//! let mut session = tilewright_web::Session::default();
//! let source = "entry @k(%n: tile<i32>) {\n  %m = addi %n, %oops : tile<i32>\n}";
//! let request = serde_json::json!({ "do": "open", "name": "k.mlir", "text": source });
//! let answer: serde_json::Value = serde_json::from_str(&session.answer(&request.to_string(), &[])).unwrap();
//! assert_eq!(answer["problems"][0]["id"], "undefined-value");
//! ```

mod document;
mod launch;
mod numbers;
mod recorder;
mod session;
mod suggest;
mod utf16;
mod wasm;

pub use session::Session;
