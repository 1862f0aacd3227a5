//! Times printing: `time_print FILE [COUNT]`. Prints the best of COUNT runs in the default form.

use std::io::Write as _;
use std::time::{Duration, Instant};
use tilewright_text::{PrintOptions, print};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let module = tilewright_bytecode::read(&std::fs::read(args.next().ok_or("no file given")?)?)?;
    let count: u32 = args.next().map_or(Ok(10), |n| n.parse())?;
    let (mut best, mut bytes) = (Duration::MAX, 0);
    for _ in 0..count {
        let start = Instant::now();
        bytes = print(&module, &PrintOptions::new()).len();
        best = best.min(start.elapsed());
    }
    let rate = bytes as f64 / best.as_secs_f64() / 1e6;
    writeln!(std::io::stdout(), "{bytes} bytes in {best:?}: {rate:.0} MB/s")?;
    Ok(())
}
