//! Measures reading: `time_read FILE...` prints the best of several runs for each file.
#![allow(clippy::print_stdout, reason = "a program that prints its findings")]

use std::{env, error::Error, fs, hint::black_box, time::Instant};

fn main() -> Result<(), Box<dyn Error>> {
    for path in env::args().skip(1) {
        let bytes = fs::read(&path)?;
        let mut best = f64::INFINITY;
        let mut ops = 0;
        for _ in 0..20 {
            let start = Instant::now();
            let module = black_box(tilewright_bytecode::read(black_box(&bytes))?);
            best = best.min(start.elapsed().as_secs_f64());
            ops = module.functions.iter().map(|f| f.body.num_ops()).sum();
        }
        println!("{path}: {ops} operations, {} bytes: {:.3} ms, {:.1} M operations/s", bytes.len(), best * 1e3, ops as f64 / best / 1e6);
    }
    Ok(())
}
