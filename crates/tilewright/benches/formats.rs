//! Each step between the formats, in operations and bytes per second: `cargo bench -p tilewright --bench formats`.
//!
//! Two kinds of modules, each of 50,000, 100,000 and 200,000 operations: a chain of additions in one function, and copies of
//! a flash attention kernel that cuTile Python compiled. Bytes are those of the format that a step is about: bytecode for
//! decode, verify and encode, text for print and parse. A step takes linear time if its rates do not depend on the size.

use criterion::{BatchSize, BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime};
use std::{fmt::Write as _, hint::black_box, time::Duration};
use tilewright::{
    bytecode::{self, WriteOptions},
    ir::{self, Module, VerifiedModule},
    text::{self, ParseOptions, PrintOptions},
};

const SIZES: [usize; 3] = [50_000, 100_000, 200_000];

/// A kernel as people write them.
const KERNEL: &[u8] = include_bytes!("attention_f16.tilebc");

fn count_ops(module: &Module) -> usize {
    module.functions.iter().map(|function| function.body.num_ops()).sum()
}

fn parsed(text: &str) -> VerifiedModule {
    let module = text::parse(text, &ParseOptions::new()).unwrap_or_else(|errors| panic!("{}", errors[0]));
    ir::verify(module).unwrap_or_else(|findings| panic!("{}", findings[0]))
}

/// A function of so many additions.
fn chain(ops: usize) -> VerifiedModule {
    let mut text = String::from("entry @chain(%arg0: tile<i32>) {\n  %0 = addi %arg0, %arg0 : tile<i32>\n");
    for result in 1..ops {
        writeln!(text, "  %{result} = addi %{}, %arg0 : tile<i32>", result - 1).expect("a string takes everything");
    }
    parsed(&(text + "}\n"))
}

/// As many copies of the kernel as have about so many operations.
fn kernels(ops: usize) -> VerifiedModule {
    let kernel = bytecode::read(KERNEL).expect("the kernel reads");
    let copies = ops / count_ops(&kernel);
    let kernel = text::print(&kernel, &PrintOptions::new());
    let name = kernel.find('@').expect("the text of a kernel begins with its name");
    let end = name + kernel[name..].find('(').expect("parameters follow the name");
    let (name, body) = (&kernel[name..end], &kernel[end..]);
    parsed(&(0..copies).map(|copy| format!("entry {name}_{copy}{body}")).collect::<String>())
}

fn steps(criterion: &mut Criterion, kind: &str, make: fn(usize) -> VerifiedModule) {
    let mut group = criterion.benchmark_group(kind);
    group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
    for size in SIZES {
        of_module(&mut group, &make(size));
    }
    group.finish();
}

fn of_module(group: &mut BenchmarkGroup<'_, WallTime>, module: &VerifiedModule) {
    let ops = count_ops(module);
    let bytes = bytecode::write(module, &WriteOptions::new(module.version)).expect("the module can be written");
    let text = text::print(module, &PrintOptions::new());
    let rate = |bytes: usize| Throughput::ElementsAndBytes { elements: ops as u64, bytes: bytes as u64 };

    group.throughput(rate(bytes.len()));
    group.bench_function(BenchmarkId::new("decode", ops), |bencher| bencher.iter(|| bytecode::read(black_box(&bytes)).expect("it reads")));
    group.bench_function(BenchmarkId::new("verify", ops), |bencher| {
        bencher.iter_batched(|| Module::clone(module), |module| ir::verify(module).is_ok(), BatchSize::PerIteration);
    });
    group.bench_function(BenchmarkId::new("decode and verify", ops), |bencher| {
        bencher.iter(|| ir::verify(bytecode::read(black_box(&bytes)).expect("it reads")).expect("it is valid"));
    });
    let options = WriteOptions::new(module.version);
    group.bench_function(BenchmarkId::new("encode", ops), |bencher| bencher.iter(|| bytecode::write(black_box(module), &options)));

    group.throughput(rate(text.len()));
    group.bench_function(BenchmarkId::new("print", ops), |bencher| {
        bencher.iter(|| text::print(black_box(module), &PrintOptions::new()));
    });
    group.bench_function(BenchmarkId::new("parse", ops), |bencher| {
        bencher.iter(|| text::parse(black_box(&text), &ParseOptions::new()).expect("it parses"));
    });
}

fn formats(criterion: &mut Criterion) {
    steps(criterion, "chain", chain);
    steps(criterion, "kernels", kernels);
}

criterion_group!(benches, formats);
criterion_main!(benches);
