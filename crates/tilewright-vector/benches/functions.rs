//! How long functions take for an element that is in the cache, as vector code at each level of this CPU: `cargo bench -p tilewright-vector --bench functions`
//! prints the table of docs/numerics.md.
#![expect(clippy::print_stdout, reason = "it prints what it measures")]

use std::{fmt::Write as _, time::Instant};
use tilewright_ir::{RoundingMode, Scalar};
use tilewright_passes::{elem::Elem, elementwise::ElemOp};
use tilewright_vector::{
    Arg, Buffer, Builder, Code, Count, Kind, Level, ParamKind, Place,
    lower::{self, Held},
};

const FUNCTIONS: [(&str, ElemOp); 15] = [
    ("addf", ElemOp::AddF(RoundingMode::NearestEven, false)),
    ("exp", ElemOp::Exp),
    ("exp2", ElemOp::Exp2(false)),
    ("log", ElemOp::Log),
    ("log2", ElemOp::Log2),
    ("sin", ElemOp::Sin),
    ("cos", ElemOp::Cos),
    ("tan", ElemOp::Tan),
    ("sinh", ElemOp::Sinh),
    ("cosh", ElemOp::Cosh),
    ("tanh", ElemOp::Tanh),
    ("rsqrt", ElemOp::Rsqrt(false)),
    ("fpowf", ElemOp::PowF),
    ("fpowi", ElemOp::PowI),
    ("atan2", ElemOp::Atan2),
];
const TYPES: [Scalar; 3] = [Scalar::Bf16, Scalar::F32, Scalar::F64];
const ELEMENTS: usize = 4096;

/// The function of each element of one or two arrays.
fn code(op: ElemOp, scalar: Scalar) -> Code {
    let elem = Elem::Num(scalar);
    let sources = match op {
        ElemOp::PowF | ElemOp::Atan2 | ElemOp::AddF(..) => vec![elem; 2],
        ElemOp::PowI => vec![elem, Elem::Num(Scalar::I32)],
        _ => vec![elem],
    };
    let mut builder = Builder::new(64);
    let arrays: Vec<_> = sources.iter().map(|_| builder.param(ParamKind::Buffer)).collect();
    let result = builder.param(ParamKind::Buffer);
    let (axis, _) = builder.open(Kind::Lanes, Count::Const(ELEMENTS as i64), &[]);
    let lane = |elem| lower::memory_lane_of(elem).expect("a lane");
    let mut operands = Vec::new();
    for (array, elem) in arrays.into_iter().zip(&sources) {
        let place = Place::of(array).along(axis, Count::Const(lane(*elem).size() as i64));
        operands.push(Held::bits(builder.load(lane(*elem), place, None)));
    }
    let mut held = lower::lower(&mut builder, op, &sources, elem, &mut operands).expect("it is lowered");
    let bits = held.to_bits(&mut builder, elem);
    builder.store(bits, Place::of(result).along(axis, Count::Const(lane(elem).size() as i64)), None);
    builder.close(&[]);
    builder.finish().expect("it is valid")
}

/// Numbers from 0.5 to 8, or small integers.
fn numbers(scalar: Scalar) -> Vec<u8> {
    let number = |i: usize| 0.5 + i as f64 * 7.5 / ELEMENTS as f64;
    let bytes = |i: usize| match scalar {
        Scalar::Bf16 => ((number(i) as f32).to_bits() >> 16).to_le_bytes()[..2].to_vec(),
        Scalar::F32 => (number(i) as f32).to_le_bytes().to_vec(),
        Scalar::F64 => number(i).to_le_bytes().to_vec(),
        _ => (i as i32 % 7 - 3).to_le_bytes().to_vec(),
    };
    (0..ELEMENTS).flat_map(bytes).collect()
}

/// The least nanoseconds for an element.
fn time(op: ElemOp, scalar: Scalar, level: Level) -> f64 {
    let native = code(op, scalar).compile(level).expect("the CPU has the level");
    let second = if op == ElemOp::PowI { Scalar::I32 } else { scalar };
    let (x, y) = (numbers(scalar), numbers(second));
    let mut to = vec![0; x.len()];
    let mut once = |_| {
        let mut args = vec![Arg::Buffer(Buffer::of(&x))];
        if takes_two(op) {
            args.push(Arg::Buffer(Buffer::of(&y)));
        }
        args.push(Arg::Buffer(Buffer::of_mut(&mut to)));
        let start = Instant::now();
        native.run(&args).expect("places lie inside");
        start.elapsed().as_secs_f64()
    };
    (0..500).map(&mut once).fold(f64::MAX, f64::min) * 1e9 / ELEMENTS as f64
}

fn takes_two(op: ElemOp) -> bool {
    matches!(op, ElemOp::PowF | ElemOp::PowI | ElemOp::Atan2 | ElemOp::AddF(..))
}

fn main() {
    let columns: Vec<_> = Level::available().iter().rev().flat_map(|level| TYPES.map(|scalar| (*level, scalar))).collect();
    let head: String = columns.iter().map(|(level, scalar)| format!(" {scalar}, {level:?} |")).collect();
    println!("| operation |{head}\n|---|{}", "---|".repeat(columns.len()));
    for (name, op) in FUNCTIONS {
        let mut row = format!("| `{name}` |");
        for (level, scalar) in &columns {
            let _ = write!(row, " {:.2} |", time(op, *scalar, *level));
        }
        println!("{row}");
    }
}
