//! How long native code takes to make and to call: `cargo bench -p tilewright-vector`.
#![expect(clippy::print_stdout, reason = "it prints what it measures")]

use std::{hint::black_box, time::Instant};
use tilewright_ir::Scalar;
use tilewright_passes::{elem::Elem, elementwise::ElemOp};
use tilewright_vector::{
    Arg, Buffer, Builder, Code, Count, Kind, Lane, Level, Native, ParamKind, Place, Prim,
    lower::{self, Held},
};

/// Rows of 32 numbers, of two inputs and one result, with so many primitives on each.
fn region(primitives: usize) -> Code {
    let mut builder = Builder::new(32);
    let [x, y, out] = [(); 3].map(|()| builder.param(ParamKind::Buffer));
    let rows = builder.param(ParamKind::Count);
    let (row, _) = builder.open(Kind::Serial, Count::Param(rows), &[]);
    let (column, _) = builder.open(Kind::Lanes, Count::Const(32), &[]);
    let place = |buffer| Place::of(buffer).along(row, Count::Const(128)).along(column, Count::Const(4));
    let mut value = builder.load(Lane::F32, place(x), None);
    let other = builder.load(Lane::F32, place(y), None);
    for i in 0..primitives {
        let number = builder.f32(i as f32 + 0.5);
        value = match i % 3 {
            0 => builder.prim(Prim::FMul, &[value, number]),
            1 => builder.prim(Prim::Fma, &[value, number, other]),
            _ => builder.prim(Prim::FMax, &[value, other]),
        };
    }
    builder.store(value, place(out), None);
    builder.close(&[]);
    builder.close(&[]);
    builder.finish().expect("it is valid")
}

fn function(op: ElemOp, scalar: Scalar) -> Code {
    let mut builder = Builder::new(32);
    let [x, out] = [(); 2].map(|()| builder.param(ParamKind::Buffer));
    let (axis, _) = builder.open(Kind::Lanes, Count::Const(256), &[]);
    let elem = Elem::Num(scalar);
    let lane = lower::memory_lane_of(elem).expect("a lane");
    let place = |buffer| Place::of(buffer).along(axis, Count::Const(lane.size() as i64));
    let x = builder.load(lane, place(x), None);
    let mut result = lower::lower(&mut builder, op, &[elem], elem, &mut [Held::bits(x)]).expect("it is lowered");
    let bits = result.to_bits(&mut builder, elem);
    builder.store(bits, place(out), None);
    builder.close(&[]);
    builder.finish().expect("it is valid")
}

/// The least microseconds of some tries.
fn time(mut what: impl FnMut()) -> f64 {
    let once = |_| {
        let start = Instant::now();
        (0..20).for_each(|_| what());
        start.elapsed().as_secs_f64() / 20.0 * 1e6
    };
    (0..200).map(once).fold(f64::MAX, f64::min)
}

fn main() {
    let regions: Vec<Code> = (8..18).map(region).collect();
    let regions: Vec<&Code> = regions.iter().collect();
    let codes = [
        ("10 primitives", region(10)),
        ("200 primitives", region(200)),
        ("exp of f32", function(ElemOp::Exp, Scalar::F32)),
        ("sin of f64", function(ElemOp::Sin, Scalar::F64)),
    ];
    for level in Level::available() {
        println!(
            "{level:?}: 10 regions of about 10 primitives on the same pages: {:.1} us",
            time(|| drop(Native::of_all(&regions, *level)))
        );
        for (name, code) in &codes {
            println!("{level:?}: {name}: {:.1} us", time(|| drop(black_box(code.compile(*level)))));
        }
        let native = codes[0].1.compile(*level).expect("it compiles");
        let (inputs, mut output) = ([0; 128], [0; 128]);
        let args =
            [Arg::Buffer(Buffer::of(&inputs)), Arg::Buffer(Buffer::of(&inputs)), Arg::Buffer(Buffer::of_mut(&mut output)), Arg::Count(1)];
        println!("{level:?}: calling it for one row: {:.3} us", time(|| native.run(&args).expect("it runs")));
    }
}
