//! Measures writing: `time_write FILE...` prints the best of several runs for each file, from scratch and with its layout.
#![allow(clippy::print_stdout, reason = "a program that prints its findings")]

use std::{env, error::Error, fs, hint::black_box, time::Instant};
use tilewright_bytecode::{WriteOptions, read_with_layout, write};

fn best(mut run: impl FnMut() -> Result<(), Box<dyn Error>>) -> Result<f64, Box<dyn Error>> {
    let mut best = f64::INFINITY;
    for _ in 0..20 {
        let start = Instant::now();
        run()?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    Ok(best)
}

fn main() -> Result<(), Box<dyn Error>> {
    for path in env::args().skip(1) {
        let bytes = fs::read(&path)?;
        let (module, layout) = read_with_layout(&bytes)?;
        let module = tilewright_ir::verify(module).map_err(|findings| findings[0].to_string())?;
        let ops: usize = module.functions.iter().map(|f| f.body.num_ops()).sum();
        let options = WriteOptions::new(module.version);
        for (name, options) in [("from scratch", options), ("with its layout", options.layout(&layout))] {
            let time = best(|| {
                black_box(write(black_box(&module), &options)?);
                Ok(())
            })?;
            println!("{path}, {name}: {ops} operations: {:.3} ms, {:.1} M operations/s", time * 1e3, ops as f64 / time / 1e6);
        }
        let time = best(|| {
            black_box(read_with_layout(black_box(&bytes))?);
            Ok(())
        })?;
        println!("{path}, read with layout: {:.3} ms", time * 1e3);
    }
    Ok(())
}
