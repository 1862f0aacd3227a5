//! Times parsing: `time_parse FILE [COUNT]`. Prints the best of COUNT runs.

use std::io::Write as _;
use std::time::{Duration, Instant};
use tilewright_text::{ParseOptions, parse};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("no file given")?;
    let text = std::fs::read_to_string(&path)?;
    let count: u32 = args.next().map_or(Ok(10), |n| n.parse())?;
    let mut best = Duration::MAX;
    let mut ops = 0;
    for _ in 0..count {
        let start = Instant::now();
        match parse(&text, &ParseOptions::new()) {
            Ok(module) => ops = module.functions.iter().map(|f| f.body.num_ops()).sum(),
            Err(errors) => {
                let rendered: String = errors.iter().map(|error| error.render(&text, &path)).collect();
                return Err(rendered.into());
            }
        }
        best = best.min(start.elapsed());
    }
    let rate = text.len() as f64 / best.as_secs_f64() / 1e6;
    writeln!(std::io::stdout(), "{ops} operations, {} bytes in {best:?}: {rate:.0} MB/s", text.len())?;
    Ok(())
}
