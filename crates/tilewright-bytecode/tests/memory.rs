//! Reading and writing again take memory in proportion to the file, whatever the file says.
#![allow(unsafe_code, reason = "an allocator that counts can only be written with unsafe code")]
#![allow(clippy::print_stderr, reason = "a test tells what it counted")]

mod support;

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};
use support::{Assembler, NO_PARAMETERS, RETURN, TILE_I32, bytes};
use tilewright_bytecode::{
    WriteOptions,
    dump::{Group, Leaf, Visitor, dump},
    write,
};
use tilewright_fuzz::{Random, corpus, mutate};
use tilewright_ir::{Version, verify};

const MUTATIONS: usize = 100_000;
/// Bytes of memory for each byte of a file: an operation of 2 bytes takes 64, and buffers double as they grow.
const FACTOR: usize = 100;
/// What any file may take besides: tables for each version, and what the slack of the limits allows.
const BASE: usize = 1 << 20;

/// The system's allocator, which keeps count for each thread.
struct Counting;

thread_local! {
    static LIVE: Cell<usize> = const { Cell::new(0) };
    static PEAK: Cell<usize> = const { Cell::new(0) };
}

fn grow(bytes: usize) {
    LIVE.set(LIVE.get().wrapping_add(bytes));
    // What other threads freed may have made the count negative.
    PEAK.set(PEAK.get().max(LIVE.get()));
}

fn shrink(bytes: usize) {
    LIVE.set(LIVE.get().saturating_sub(bytes));
}

// SAFETY: every call goes to the system's allocator with the arguments it came with; the counters are plain cells of the
// thread, which are initialised without allocating.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        shrink(layout.size());
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // The old block may live until the new one is filled.
        grow(size);
        shrink(layout.size());
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Looks at nothing.
struct Nobody;

impl Visitor for Nobody {
    fn enter(&mut self, _: &Group<'_>) {}
    fn leaf(&mut self, _: &Leaf<'_>) {}
    fn leave(&mut self, _: usize) {}
}

/// The most memory that reading and verifying this file, reading and writing it again, or dumping it takes at once.
fn peak(file: &[u8]) -> usize {
    let before = LIVE.get();
    PEAK.set(before);
    if let Ok(module) = tilewright_bytecode::read(file) {
        drop(verify(module));
    }
    if let Ok((module, layout)) = tilewright_bytecode::read_with_layout(file)
        && let Ok(module) = verify(module)
    {
        drop(write(&module, &WriteOptions::new(module.version).layout(&layout)));
        drop(write(&module, &WriteOptions::new(module.version)));
    }
    dump(file, &mut Nobody);
    PEAK.get() - before
}

#[track_caller]
fn check(what: &str, file: &[u8]) -> usize {
    let peak = peak(file);
    assert!(peak <= FACTOR * file.len() + BASE, "{what}: {peak} bytes of memory for a file of {} bytes", file.len());
    peak
}

#[test]
fn mutated_files_take_little_memory() {
    let files = corpus::files("tilebc");
    let mut random = Random::new(4);
    let (mut most, mut ratio) = (0, 0.0f64);
    for round in 0..MUTATIONS {
        let (path, bytes) = &files[round % files.len()];
        let (_, other) = &files[random.below(files.len())];
        let file = mutate::bytes(&mut random, bytes, other);
        let peak = check(&format!("round {round} of {}", path.display()), &file);
        most = most.max(peak);
        ratio = ratio.max(peak as f64 / file.len().max(256) as f64);
    }
    eprintln!("{MUTATIONS} mutations take at most {most} bytes of memory, and at most {ratio:.0} for each byte of the file");
}

/// A file of a single function with this body.
fn with_body(body: &[u8]) -> Vec<u8> {
    support::with_body(Version::V13_5, body)
}

#[test]
fn files_made_to_be_greedy_take_memory_in_proportion() {
    let many = 100_000;
    let tokens = |file: &mut Assembler| file.ty([17]) as u8;
    let mut short_ops = Assembler::new(Version::V13_5);
    let token = tokens(&mut short_ops);
    short_ops.entry("k", NO_PARAMETERS, [[0x44, token].repeat(many), RETURN.to_vec()].concat());
    let ids = [0x30, TILE_I32 as u8, TILE_I32 as u8, TILE_I32 as u8].repeat(many);
    let branches = [0x3a, TILE_I32 as u8].into_iter().chain([0x32, 0, 0, 2, 0, 0].repeat(many)).collect::<Vec<u8>>();
    let mut functions = Assembler::new(Version::V13_4);
    for index in 0..many / 10 {
        functions.entry(&format!("{index:x}"), NO_PARAMETERS, RETURN);
    }
    let mut attributes = Assembler::new(Version::V13_5);
    let name = attributes.string("k");
    let array = (0..many as u64).fold(bytes().raw([6]).varint(many as u64), |b, i| b.raw([6, 1, 9]).list8(&[i as i64]));
    let hints = bytes().varints([name, NO_PARAMETERS]).raw([2, 0, 11, 1]).varint(name).raw([10, 1]).varint(name).raw(array);
    attributes.functions.push(hints.raw([6, 0, 3]).raw(RETURN).0);
    let mut invalid = Assembler::new(Version::V13_5);
    let long = "n".repeat(many);
    invalid.entry(&long, NO_PARAMETERS, RETURN.repeat(many));
    for (what, file) in [
        ("operations of two bytes", short_ops.build()),
        ("operations with three results", with_body(&[&ids[..], &RETURN].concat())),
        ("operations with empty regions", with_body(&[&branches[..], &RETURN].concat())),
        ("small functions", functions.build()),
        ("attributes", attributes.build()),
        ("findings in a function with a long name", invalid.build()),
        ("additions", support::chain_of_additions(many)),
    ] {
        let peak = check(what, &file);
        eprintln!("{what}: {} bytes, {:.1} bytes of memory for each", file.len(), peak as f64 / file.len() as f64);
    }
}

/// Reading and verifying a large file: less than 40 bytes for each of its bytes, the file itself not counted.
#[test]
fn a_large_file_takes_less_than_forty_bytes_for_each() {
    let file = support::chain_of_additions(200_000);
    let before = LIVE.get();
    PEAK.set(before);
    let module = tilewright_bytecode::read(&file).expect("the file reads");
    let module = verify(module).expect("the module is valid");
    let peak = PEAK.get() - before;
    drop(module);
    assert!(peak < 40 * file.len(), "{:.1} bytes of memory for each", peak as f64 / file.len() as f64);
}

#[test]
fn counts_without_data_reserve_nothing() {
    let huge = [0xff, 0xff, 0xff, 0xff, 0x0f];
    for at in 0..6 {
        let body = [&[0x41, 0, 0, 1, 1, 0][..at], &huge[..], &[0; 16]].concat();
        check("a huge count", &with_body(&body));
    }
}
