//! Writes a file with one long function, for timing: `make_large COUNT OUT.tilebc`.

#[path = "../tests/support/mod.rs"]
mod support;

use std::{env, error::Error, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [count, path] = &args[..] else { return Err("usage: make_large COUNT OUT.tilebc".into()) };
    fs::write(path, support::chain_of_additions(count.parse()?))?;
    Ok(())
}
