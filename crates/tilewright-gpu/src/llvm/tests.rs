//! What LLVM's `llc` and libNVVM make of the module computes what our own PTX does.

use super::Dialect;
use crate::{
    Target,
    thread::{Builder, Function, Native, Space, Special, Value, verify},
};
use tilewright_oracle::{Oracle, llvm::Llc};
use tilewright_ptx::{
    machine::{LaunchOptions, Memory, Program},
    parse,
};
use tilewright_vector::{Lane, Prim};

const THREADS: u64 = 32;

/// What a launch of one warp leaves in a buffer.
fn run(ptx: &str, bytes: &[u8]) -> Vec<u8> {
    let program = parse(ptx).and_then(|module| Program::new(&module)).unwrap_or_else(|error| panic!("{error}\n{ptx}"));
    let mut memory = Memory::new();
    let buffer = memory.add(bytes.to_vec());
    let args = [memory.address(buffer)];
    let report = program.launch("k", [1; 3], &args, &mut memory, &LaunchOptions::new()).unwrap_or_else(|error| panic!("{error}\n{ptx}"));
    assert!(report.findings.is_empty(), "{}\n{ptx}", report.findings[0]);
    memory.bytes(buffer).to_vec()
}

/// Begins a function; the address of a word of the thread, `n` words of all threads behind the buffer's begin.
fn begin() -> (Builder, Value) {
    let mut b = Builder::new("k", THREADS as u32, vec![Lane::I64]);
    let base = b.param(0);
    let thread = b.special(Special::Thread);
    let thread = b.prim(Prim::U32To64, &[thread]);
    let size = b.constant(Lane::I64, 8);
    let distance = b.prim(Prim::Mul, &[thread, size]);
    let own = b.prim(Prim::Add, &[base, distance]);
    (b, own)
}

fn word(n: usize) -> i32 {
    (n as u64 * THREADS * 8) as i32
}

/// Stores a value; a mask as a byte.
fn store(b: &mut Builder, value: Value, own: Value, n: usize) {
    let mut value = value;
    if b.lane(value) == Lane::Mask {
        let [one, zero] = [1, 0].map(|bits| b.constant(Lane::I8, bits));
        value = b.prim(Prim::Select, &[value, one, zero]);
    }
    b.store(value, Space::Global, own, word(n), None);
}

/// Operands of a type for each thread: what is special, and numbers that look random.
fn numbers(lane: Lane, prim: Option<Prim>, n: usize) -> Vec<u64> {
    let special: &[u64] = match lane {
        Lane::F32 => {
            &[0, 0x8000_0000, 0x3f80_0000, 0xbf80_0000, 0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 1, 0x4f00_0000, 0xcf00_0000, 0x3fc0_0000]
        }
        Lane::F64 => &[0, 1 << 63, 0x3ff0 << 48, 0xbff0 << 48, 0x7ff0 << 48, 0xfff0 << 48, 0x7ff8 << 48, 1, 0x41e0 << 48, 0x3ff8 << 48],
        _ => &[0, 1, 2, 7, 8, 31, 32, 63, 64, u64::MAX, 1 << 63, 1 << 31, 1 << 15, 1 << 7, 0x7fff_ffff],
    };
    let of_thread = |thread: u64| {
        let random = (thread + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(7 * n as u32).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        match (prim, lane) {
            (Some(Prim::Scale), _) if n == 0 => (1.0 + (random >> 41) as f32 / 8_388_608.0).to_bits().into(),
            (Some(Prim::Scale), _) => ((random % 298) as f32 - 168.0).to_bits().into(),
            // Numbers that both short types have.
            (Some(Prim::FmaF16 | Prim::FmaBf16), _) => ((random % 255) as f32 / 16.0 - 8.0).to_bits().into(),
            (_, Lane::F32) if random & 4 != 0 => ((random >> 20) as i32 as f32 / 1000.0).to_bits().into(),
            (_, Lane::F64) if random & 4 != 0 => ((random >> 8) as i64 as f64 / 1e6).to_bits(),
            _ => special[((random >> 32) % special.len() as u64) as usize] & lane.bits(),
        }
    };
    (0..THREADS).map(of_thread).collect()
}

/// Whether bits of a type are the same, or both those of a NaN.
fn same(lane: Lane, a: u64, b: u64) -> bool {
    let is_nan = |bits: u64| match lane {
        Lane::F32 => f32::from_bits(bits as u32).is_nan(),
        Lane::F64 => f64::from_bits(bits).is_nan(),
        Lane::I16 => bits & 0x7fff > 0x7c00,
        _ => false,
    };
    a == b || is_nan(a) && is_nan(b)
}

/// A function that stores what all of these give, and what they are; operands are loaded from where results are stored.
fn check(
    count: usize,
    make: impl Fn(usize, &mut Builder, Value) -> Option<(Value, String)>,
    operands: impl Fn(usize, usize) -> Option<Vec<u64>>,
) {
    let mut bytes = vec![0; count * 4 * THREADS as usize * 8];
    for (index, n) in (0..count).flat_map(|index| (0..3).map(move |n| (index, n))) {
        for (thread, bits) in operands(index, n).unwrap_or_default().into_iter().enumerate() {
            bytes[word(4 * index + n) as usize + 8 * thread..][..8].copy_from_slice(&bits.to_le_bytes());
        }
    }
    let (mut b, own) = begin();
    let mut names = Vec::new();
    for index in 0..count {
        let Some((result, name)) = make(index, &mut b, own) else { continue };
        names.push((index, b.lane(result), name));
        store(&mut b, result, own, 4 * index + 3);
    }
    let function: Function = b.finish();
    assert_eq!(verify(&function), Ok(()));
    let ours = run(&crate::ptx::print(&function, Target::Sm80), &bytes);
    let compare = |compiler: &str, dialect: Dialect, to_ptx: &dyn Fn(&str) -> Result<String, String>| {
        let module = super::print(&function, Target::Sm80, dialect);
        let theirs = run(&to_ptx(&module).unwrap_or_else(|error| panic!("{compiler}: {error}\n{module}")), &bytes);
        for (index, lane, name) in &names {
            for thread in 0..THREADS as usize {
                let at = word(4 * index + 3) as usize + 8 * thread;
                let bits = |bytes: &[u8]| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes")) & lane.bits();
                let operands: Vec<u64> = (0..3).filter_map(|n| operands(*index, n)).map(|all| all[thread]).collect();
                let (ours, theirs) = (bits(&ours), bits(&theirs));
                assert!(same(*lane, ours, theirs), "{name} of {operands:x?}: {ours:x}, by {compiler} {theirs:x}");
            }
        }
    };
    let comparisons = format!("{count} primitives by way of LLVM");
    if let Some(llc) = Llc::or_skip(&comparisons) {
        compare("llc", Dialect::Current, &|module| llc.compile(module, "sm_80"));
    }
    if let Some(oracle) = Oracle::or_skip(&comparisons) {
        compare("libNVVM", Dialect::Seven, &|module| oracle.compile_llvm(module, "sm_80"));
    }
}

#[test]
fn every_primitive_gives_what_it_gives_as_ptx() {
    let all: Vec<(Prim, Lane)> = Prim::ALL
        .iter()
        .flat_map(|prim| Lane::ALL.map(|lane| (*prim, lane)))
        .filter(|(prim, lane)| prim.takes(*lane) && *lane != Lane::Mask)
        .collect();
    let operands = |index: usize, n: usize| {
        let (prim, lane): (Prim, Lane) = all[index];
        (n < prim.arity()).then(|| match prim.operand(lane, n) {
            Lane::Mask => numbers(Lane::I8, None, n),
            own => numbers(own, Some(prim), n),
        })
    };
    let make = |index: usize, b: &mut Builder, own: Value| {
        let (prim, lane) = all[index];
        let mut values = Vec::new();
        for n in 0..prim.arity() {
            let own_lane = prim.operand(lane, n);
            let memory = if own_lane == Lane::Mask { Lane::I8 } else { own_lane };
            let mut value = b.load(memory, Space::Global, own, word(4 * index + n), None);
            if own_lane == Lane::Mask {
                let zero = b.constant(Lane::I8, 0);
                let clear = b.prim(Prim::Eq, &[value, zero]);
                value = b.prim(Prim::MNot, &[clear]);
            }
            values.push(value);
        }
        Some((b.prim(prim, &values), format!("{prim} of {lane}")))
    };
    check(all.len(), make, operands);
}

#[test]
fn native_instructions_give_what_they_give_as_ptx() {
    let operands = |index: usize, n: usize| {
        let (count, lane) = Native::ALL[index].operands();
        (n < count).then(|| numbers(lane, None, n))
    };
    let make = |index: usize, b: &mut Builder, own: Value| {
        let native = Native::ALL[index];
        let (count, lane) = native.operands();
        let values: Vec<Value> = (0..count).map(|n| b.load(lane, Space::Global, own, word(4 * index + n), None)).collect();
        Some((b.native(native, &values), native.to_string()))
    };
    check(Native::ALL.len(), make, operands);
}
