//! How far the engine's functions are from the exact values, for every type: docs/numerics.md is written from it (`BLESS=1`).

#[path = "accuracy/reference.rs"]
mod reference;
#[path = "accuracy/samples.rs"]
mod samples;

use astro_float_num::Consts;
use reference::{Function, distance, host};
use std::{fmt::Write as _, path::Path};
use tilewright_exec::{Arg, LaunchOptions, Memory, Program, launch};
use tilewright_ir::{Opcode, Scalar, ops::Placement, verify};
use tilewright_numeric::FloatFormat;
use tilewright_text::{ParseOptions, parse};

/// A row of the table: an operation as it is written, and how far it may be off, in units in the last place, for f16, bf16, f32, f64.
struct Row {
    name: &'static str,
    /// Text with `T` for the type of a tile: `%r` of `%x`, or of `%x` and `%y`.
    text: &'static str,
    function: Function,
    bounds: [Option<f64>; 4],
    /// Subnormal numbers may be taken for zero.
    flushes: bool,
}

const TYPES: [(Scalar, FloatFormat); 4] =
    [(Scalar::F16, FloatFormat::F16), (Scalar::Bf16, FloatFormat::Bf16), (Scalar::F32, FloatFormat::F32), (Scalar::F64, FloatFormat::F64)];

/// Correctly rounded, or of a result of f64 or f32 that is rounded once more.
const ROUNDED: f64 = 0.501;

const fn row(name: &'static str, text: &'static str, function: Function, single: f64, double: f64) -> Row {
    Row { name, text, function, bounds: [Some(ROUNDED), Some(ROUNDED), Some(single), Some(double)], flushes: false }
}

/// An operation or attribute that only f32 has.
const fn single(name: &'static str, text: &'static str, function: Function, bound: f64, flushes: bool) -> Row {
    Row { name, text, function, bounds: [None, None, Some(bound), None], flushes }
}

const ROWS: [Row; 23] = [
    row("exp", "%r = exp %x : T", Function::Exp, 0.8, 0.6),
    row("exp2", "%r = exp2 %x : T", Function::Exp2, 0.8, 0.6),
    row("log", "%r = log %x : T", Function::Log, ROUNDED, 0.6),
    row("log2", "%r = log2 %x : T", Function::Log2, ROUNDED, 0.6),
    row("sin", "%r = sin %x : T", Function::Sin, 0.8, 0.6),
    row("cos", "%r = cos %x : T", Function::Cos, 0.8, 0.6),
    row("tanh", "%r = tanh %x : T", Function::Tanh, 0.8, 0.6),
    row("tan", "%r = tan %x : T", Function::Tan, ROUNDED, 0.6),
    row("sinh", "%r = sinh %x : T", Function::Sinh, ROUNDED, 0.6),
    row("cosh", "%r = cosh %x : T", Function::Cosh, ROUNDED, 0.6),
    row("rsqrt", "%r = rsqrt %x : T", Function::Rsqrt, ROUNDED, 0.6),
    row("fpowf", "%r = fpowf %x, %y : T", Function::Pow, ROUNDED, 0.6),
    row("fpowi", "%r = fpowi %x, %n : T, tile<1024xi32>", Function::Powi, ROUNDED, 0.6),
    row("atan2", "%r = atan2 %x, %y : T", Function::Atan2, ROUNDED, 0.6),
    row("divf", "%r = divf %x, %y : T", Function::Div, 0.5, 0.5),
    row("sqrt", "%r = sqrt %x : T", Function::Sqrt, 0.5, 0.5),
    single("exp rounding<approx>", "%r = exp %x rounding<approx> : T", Function::Exp, 0.8, false),
    single("tanh rounding<approx>", "%r = tanh %x rounding<approx> : T", Function::Tanh, 0.8, false),
    single("sqrt rounding<approx>", "%r = sqrt %x rounding<approx> : T", Function::Sqrt, ROUNDED, false),
    single("divf rounding<full>", "%r = divf %x, %y rounding<full> : T", Function::Div, ROUNDED, false),
    single("divf rounding<approx>", "%r = divf %x, %y rounding<approx> : T", Function::Div, ROUNDED, false),
    single("exp2 flush_to_zero", "%r = exp2 %x flush_to_zero : T", Function::Exp2, 0.8, true),
    single("rsqrt flush_to_zero", "%r = rsqrt %x flush_to_zero : T", Function::Rsqrt, ROUNDED, true),
];

/// Elements that a block of the kernel works on.
const TILE: usize = 1024;

/// The engine's results on all pairs of numbers.
fn results(row: &Row, scalar: Scalar, x: &[u64], y: &[u64]) -> Vec<u64> {
    let size = scalar.bits() as usize / 8;
    let mut loads = String::new();
    for (name, element) in [("x", scalar.name()), ("y", scalar.name()), ("n", "i32"), ("r", scalar.name())] {
        let tensor = format!("tensor_view<?x{element}, strides=[1]>");
        let view = format!("partition_view<tile=({TILE}), padding_value = zero, {tensor}>");
        let _ = writeln!(loads, "%t{name} = make_tensor_view %p{name}, shape = [%count], strides = [1] : tile<i32> -> {tensor}");
        let _ = writeln!(loads, "%v{name} = make_partition_view %t{name} : {view}");
        if name == "r" {
            let operation = row.text.replace('T', &format!("tile<{TILE}x{element}>"));
            let _ = writeln!(loads, "{operation}");
            let _ = writeln!(loads, "%s = store_view_tko weak %r, %vr[%b] : tile<{TILE}x{element}>, {view}, tile<i32> -> token");
        } else {
            let _ =
                writeln!(loads, "%{name}, %k{name} = load_view_tko weak %v{name}[%b] : {view}, tile<i32> -> tile<{TILE}x{element}>, token");
        }
    }
    let pointer = format!("tile<ptr<{scalar}>>");
    let text = format!(
        "entry @k(%px: {pointer}, %py: {pointer}, %pn: tile<ptr<i32>>, %pr: {pointer}, %count: tile<i32>) {{
            %b, %by, %bz = get_tile_block_id : tile<i32>
            {loads}
        }}"
    );
    let module = parse(&text, &ParseOptions::new()).unwrap_or_else(|errors| panic!("{}", errors[0].render(&text, "kernel")));
    let program = Program::new(verify(module).unwrap_or_else(|findings| panic!("{}\n{text}", findings[0].message)));
    let bytes = |numbers: &[u64]| numbers.iter().flat_map(|n| n.to_le_bytes().into_iter().take(size)).collect::<Vec<u8>>();
    let exponents: Vec<u8> = (0..x.len()).flat_map(|i| exponent(i).to_le_bytes()).collect();
    let mut memory = Memory::new();
    let buffers = [memory.add(bytes(x)), memory.add(bytes(y)), memory.add(exponents), memory.add(vec![0; x.len() * size])];
    let mut args = buffers.map(|buffer| Arg::Pointer(memory.address(buffer))).to_vec();
    args.push(Arg::Scalar(Scalar::I32, x.len() as u64));
    let grid = [x.len().div_ceil(TILE) as u32, 1, 1];
    launch(&program.plan("k").unwrap(), &mut memory, grid, &args, &LaunchOptions::new()).unwrap_or_else(|error| panic!("{error}"));
    memory.bytes(buffers[3]).chunks_exact(size).map(|bytes| bytes.iter().rev().fold(0, |n, byte| n << 8 | u64::from(*byte))).collect()
}

/// The integer exponents, by position.
fn exponent(i: usize) -> i32 {
    [2, 3, -1, 0, 1, 5, -2, 10, 17, -7, 100, i32::MAX, i32::MIN][i % 13]
}

/// The largest error of an operation on a type, in units in the last place.
fn measure(row: &Row, scalar: Scalar, format: FloatFormat) -> f64 {
    let two = row.text.contains("%y") || row.text.contains("%n");
    let (x, y) = if two { samples::binary(scalar, format) } else { (samples::unary(scalar, format), Vec::new()) };
    let y = if y.is_empty() { x.clone() } else { y };
    let found = results(row, scalar, &x, &y);
    let mut constants = Consts::new().expect("there is memory for the constants");
    let mut worst = 0.0;
    for (i, result) in found.into_iter().enumerate() {
        let a = format.decode(x[i]);
        let b = if row.function == Function::Powi { f64::from(exponent(i)) } else { format.decode(y[i]) };
        let approximate = row.name.ends_with("<approx>") && row.function == Function::Div;
        if approximate && !(2f64.powi(-126)..=2f64.powi(126)).contains(&b.abs()) {
            continue;
        }
        let error = error(row, format, [a, b], format.decode(result), &mut constants);
        assert!(error <= 1000.0, "{} of {a:e}, {b:e} in {scalar} is {:e}", row.name, format.decode(result));
        worst = f64::max(worst, error);
    }
    worst
}

/// The error of one result; infinite where it is not even of the right kind.
fn error(row: &Row, format: FloatFormat, [a, b]: [f64; 2], found: f64, constants: &mut Consts) -> f64 {
    let flush = |x: f64| if row.flushes && x.abs() < format.min_normal() { 0.0f64.copysign(x) } else { x };
    let a = flush(a);
    let exact = host(row.function, a, b);
    let wrong = |right: bool| if right { 0.0 } else { f64::INFINITY };
    if exact.is_nan() || found.is_nan() {
        return wrong(exact.is_nan() && found.is_nan());
    }
    // The special cases of C: zeros and infinities with their signs, and angles between them.
    if a == 0.0 || b == 0.0 || !a.is_finite() || !b.is_finite() {
        let same = found == exact && (exact != 0.0 || found.is_sign_negative() == exact.is_sign_negative());
        return if exact == 0.0 || exact.is_infinite() || same { wrong(same) } else { (found - exact).abs() / ulp(format, exact) };
    }
    if row.flushes && found == 0.0 && exact.abs() < format.min_normal() * 1.01 {
        return 0.0;
    }
    if format == FloatFormat::F64 {
        // Behind the range of f64 the host knows nothing either.
        if exact.is_infinite() || found.is_infinite() || exact == 0.0 {
            return wrong(exact == found || exact.abs() >= f64::MAX || exact == 0.0 && found.abs() <= f64::from_bits(1));
        }
        return distance(row.function, a, b, found, ulp(format, exact), constants);
    }
    // Infinity stands for the number behind the largest one.
    let behind = 2f64.powi(format.max_exponent() + 1);
    let found = if found.is_infinite() { behind.copysign(found) } else { found };
    let exact = if exact.abs() >= behind { behind.copysign(exact) } else { exact };
    (found - exact).abs() / ulp(format, exact)
}

/// The distance of neighbours in a type at a value.
fn ulp(format: FloatFormat, value: f64) -> f64 {
    let bits = (value.abs().to_bits() >> 52) as i32;
    let exponent = (bits - 1023).clamp(format.min_exponent(), format.max_exponent());
    let power = exponent - format.mantissa_bits() as i32;
    // 2^-1074 is subnormal, so it takes two steps.
    2f64.powi(power / 2) * 2f64.powi(power - power / 2)
}

/// The cell of the table: the bound, and what was measured.
fn cell(bound: Option<f64>, measured: Option<f64>) -> String {
    match (bound, measured) {
        (Some(bound), Some(measured)) => {
            let bound = if bound <= ROUNDED { "rounded".to_owned() } else { format!("{bound}") };
            format!("{bound} ({measured:.2})")
        }
        _ => "".to_owned(),
    }
}

/// The table without what was measured, which depends on the host's library.
fn bounds_only(table: &str) -> String {
    let mut text = String::new();
    for line in table.lines() {
        let cells: Vec<&str> = line.split('|').map(|cell| cell.split(" (").next().unwrap_or("").trim()).collect();
        text += &cells.join("|");
        text.push('\n');
    }
    text
}

const BEGIN: &str = "<!-- table: BLESS=1 cargo test -p tilewright-exec --test accuracy -->\n";
const END: &str = "<!-- end of table -->";

#[test]
fn functions_keep_their_bounds() {
    let mut table = String::from("| operation | f16 | bf16 | f32 | f64 |\n|---|---|---|---|---|\n");
    let mut broken = Vec::new();
    for row in &ROWS {
        let mut cells = vec![format!("`{}`", row.name)];
        for ((scalar, format), bound) in TYPES.into_iter().zip(row.bounds) {
            let measured = bound.map(|_| measure(row, scalar, format));
            if let (Some(bound), Some(measured)) = (bound, measured)
                && measured > bound
            {
                broken.push(format!("{} of {scalar}: {measured} units in the last place, at most {bound} are allowed", row.name));
            }
            cells.push(cell(bound, measured));
        }
        let _ = writeln!(table, "| {} |", cells.join(" | "));
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/numerics.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).expect("the page has a table");
    let (old, after) = rest.split_once(END).expect("the table ends");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, format!("{before}{BEGIN}{table}{END}{after}")).unwrap();
        return;
    }
    assert_eq!(bounds_only(old), bounds_only(&table), "docs/numerics.md is out of date: run with BLESS=1");
}

/// What gives no numbers: control flow, views, tokens, and what a launch is about.
const WITHOUT_NUMBERS: [Opcode; 24] = [
    Opcode::Alloca,
    Opcode::Assert,
    Opcode::Break,
    Opcode::Continue,
    Opcode::For,
    Opcode::GdcLaunchDependentsTko,
    Opcode::GdcWaitTko,
    Opcode::GetIndexSpaceShape,
    Opcode::GetNumTileBlocks,
    Opcode::GetTensorShape,
    Opcode::GetTileBlockId,
    Opcode::If,
    Opcode::JoinTokens,
    Opcode::Loop,
    Opcode::MakeGatherScatterView,
    Opcode::MakePartitionView,
    Opcode::MakeStridedView,
    Opcode::MakeTensorView,
    Opcode::MakeToken,
    Opcode::MemoryFenceAliasTko,
    Opcode::PreviewCall,
    Opcode::PrintTko,
    Opcode::Return,
    Opcode::Yield,
];

#[test]
fn the_page_names_every_operation() {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/numerics.md")).unwrap();
    let is_in_question = |opcode: &&Opcode| opcode.def().placement == Placement::Body && !WITHOUT_NUMBERS.contains(opcode);
    let is_named = |opcode: &&Opcode| page.contains(&format!("`{}`", opcode.mnemonic()));
    let missing: Vec<&Opcode> = Opcode::ALL.iter().filter(is_in_question).filter(|opcode| !is_named(opcode)).collect();
    assert!(missing.is_empty(), "docs/numerics.md says nothing of {missing:?}");
}
