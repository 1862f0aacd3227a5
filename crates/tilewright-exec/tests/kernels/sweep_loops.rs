//! Loops that only compute element by element, whose rounds keep tiles in registers of the CPU, give what their rounds give one by one.

use crate::text::{buffer, ints, program, program_as_it_is};
use tilewright_exec::{
    Arg, Buffer, Interrupt, LaunchErrorKind, LaunchOptions, Level, Memory, PlanPass, Profile, Program, TargetMachine, launch,
    launch_profiled,
};
use tilewright_ir::Scalar;

/// Rounds of `(p, q, s, w) = (q, (3 * (p + q) + k ^ row) + w, s + float(k) / 2, 5 * w + k)` on tiles `p`, `q` and `s` of `N` elements, a number `w`, and `row`,
/// a number for each eight elements. The sum of `s` and `w` is stored.
const KERNEL: &str = "
entry @k(%from: tile<ptr<i32>>, %to: tile<ptr<i32>>, %lower: tile<CT>, %upper: tile<CT>, %step: tile<CT>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %two = constant <i32: 2> : tile<i32>
  %x = make_tensor_view %from, shape = [3, N], strides = [N, 1] : tensor_view<3xNxi32, strides=[N,1]>
  %y = make_tensor_view %to, shape = [3, N], strides = [N, 1] : tensor_view<3xNxi32, strides=[N,1]>
  %xs = make_partition_view %x : partition_view<tile=(1xN), tensor_view<3xNxi32, strides=[N,1]>>
  %ys = make_partition_view %y : partition_view<tile=(1xN), tensor_view<3xNxi32, strides=[N,1]>>
  %a, %t0 = load_view_tko weak %xs[%zero, %zero] : partition_view<tile=(1xN), tensor_view<3xNxi32, strides=[N,1]>>, tile<i32> -> tile<1xNxi32>, token
  %b, %t1 = load_view_tko weak %xs[%one, %zero] : partition_view<tile=(1xN), tensor_view<3xNxi32, strides=[N,1]>>, tile<i32> -> tile<1xNxi32>, token
  %rows = iota : tile<Rxi32>
  %column = reshape %rows : tile<Rxi32> -> tile<Rx1xi32>
  %spread = broadcast %column : tile<Rx1xi32> -> tile<Rx8xi32>
  %row = reshape %spread : tile<Rx8xi32> -> tile<1xNxi32>
  %three = constant <i32: 3> : tile<1xNxi32>
  %none = constant <f32: 0.0> : tile<1xNxf32>
  %half = constant <f32: 0.5> : tile<f32>
  %five = constant <i32: 5> : tile<i32>
  %p, %q, %s, %w = for UNSIGNED%k in (%lower to %upper, step %step) : tile<CT> iter_values(%p0 = %a, %q0 = %b, %s0 = %none, %w0 = %one) -> (tile<1xNxi32>, tile<1xNxi32>, tile<1xNxf32>, tile<i32>) {
    %k32 = CONVERT
    %k1 = reshape %k32 : tile<i32> -> tile<1x1xi32>
    %ks = broadcast %k1 : tile<1x1xi32> -> tile<1xNxi32>
    %f = itof %k32 signed rounding<nearest_even> : tile<i32> -> tile<f32>
    %h = mulf %f, %half : tile<f32>
    %h1 = reshape %h : tile<f32> -> tile<1x1xf32>
    %hs = broadcast %h1 : tile<1x1xf32> -> tile<1xNxf32>
    %sum = addi %p0, %q0 : tile<1xNxi32>
    %times = muli %sum, %three : tile<1xNxi32>
    %more = addi %times, %ks : tile<1xNxi32>
    %turned = xori %more, %row : tile<1xNxi32>
    %w1 = reshape %w0 : tile<i32> -> tile<1x1xi32>
    %ws = broadcast %w1 : tile<1x1xi32> -> tile<1xNxi32>
    %next = addi %turned, %ws : tile<1xNxi32>
    %w5 = muli %w0, %five : tile<i32>
    %wn = addi %w5, %k32 : tile<i32>
    %s1 = addf %s0, %hs : tile<1xNxf32>
    continue %q0, %next, %s1, %wn : tile<1xNxi32>, tile<1xNxi32>, tile<1xNxf32>, tile<i32>
  }
  %bits0 = bitcast %s : tile<1xNxf32> -> tile<1xNxi32>
  %last1 = reshape %w : tile<i32> -> tile<1x1xi32>
  %last = broadcast %last1 : tile<1x1xi32> -> tile<1xNxi32>
  %bits = addi %bits0, %last : tile<1xNxi32>
  %t2 = store_view_tko weak %p, %ys[%zero, %zero] : tile<1xNxi32>, partition_view<tile=(1xN), tensor_view<3xNxi32, strides=[N,1]>>, tile<i32> -> token
  %t3 = store_view_tko weak %q, %ys[%one, %zero] : tile<1xNxi32>, partition_view<tile=(1xN), tensor_view<3xNxi32, strides=[N,1]>>, tile<i32> -> token
  %t4 = store_view_tko weak %bits, %ys[%two, %zero] : tile<1xNxi32>, partition_view<tile=(1xN), tensor_view<3xNxi32, strides=[N,1]>>, tile<i32> -> token
  return
}";

/// Rounds of a loop with a counter of a type: from this one, up to that one, by so many.
#[derive(Clone, Copy, Debug)]
struct Rounds {
    scalar: Scalar,
    signed: bool,
    bounds: [i128; 3],
}

fn rounds(scalar: Scalar, signed: bool, bounds: [i128; 3]) -> Rounds {
    Rounds { scalar, signed, bounds }
}

/// Loops of no round, one and several, below zero, up to the end of a type, and of more rounds than are done in one go.
fn loops() -> Vec<Rounds> {
    use Scalar::{I8, I16, I32, I64};
    vec![
        rounds(I32, true, [0, 0, 1]),
        rounds(I32, true, [5, -5, 1]),
        rounds(I32, true, [3, 4, 1]),
        rounds(I32, true, [0, 7, 3]),
        rounds(I32, true, [-9, 9, 4]),
        rounds(I32, true, [i32::MAX as i128 - 5, i32::MAX as i128, 2]),
        rounds(I32, false, [i32::MAX as i128 - 2, i32::MAX as i128 + 3, 1]),
        rounds(I32, false, [u32::MAX as i128 - 7, u32::MAX as i128, 3]),
        rounds(I32, true, [-100, 400, 1]),
        rounds(I8, true, [-128, 127, 50]),
        rounds(I8, false, [200, 255, 9]),
        rounds(I16, true, [-3, 300, 7]),
        rounds(I64, true, [i64::MAX as i128 - 5, i64::MAX as i128, 4]),
        rounds(I64, true, [-4, 200, 1]),
    ]
}

impl Rounds {
    fn text(self, n: usize) -> String {
        let ty = self.scalar.to_string();
        let convert = match self.scalar {
            Scalar::I32 => "addi %k, %zero : tile<i32>".to_owned(),
            Scalar::I64 => "trunci %k : tile<i64> -> tile<i32>".to_owned(),
            _ => format!("exti %k signed : tile<{ty}> -> tile<i32>"),
        };
        let unsigned = if self.signed { "" } else { "unsigned " };
        let text = KERNEL.replace("CONVERT", &convert).replace("UNSIGNED", unsigned).replace("CT", &ty);
        text.replace("tile<Rx", &format!("tile<{}x", n / 8))
            .replace("xN", &format!("x{n}"))
            .replace("[N", &format!("[{n}"))
            .replace(", N]", &format!(", {n}]"))
    }

    fn args(self) -> [Arg; 3] {
        let mask = u64::MAX >> (64 - self.scalar.bits());
        self.bounds.map(|n| Arg::Scalar(self.scalar, n as u64 & mask))
    }

    /// The counters, as 32 bits with sign: those of short types are widened with it.
    fn counters(self) -> impl Iterator<Item = i32> {
        let [lower, upper, step] = self.bounds;
        let bits = self.scalar.bits().min(32);
        (0..).map(move |i| lower + i * step).take_while(move |k| *k < upper).map(move |k| ((k as i32) << (32 - bits)) >> (32 - bits))
    }

    fn expected(self, n: usize) -> Vec<i32> {
        let mut tiles: Vec<(i32, i32, f32)> = (0..n).map(|i| (number(i), number(n + i), 0.0)).collect();
        let mut w = 1i32;
        for k in self.counters() {
            for (i, (p, q, s)) in tiles.iter_mut().enumerate() {
                let turned = p.wrapping_add(*q).wrapping_mul(3).wrapping_add(k) ^ (i / 8) as i32;
                (*p, *q, *s) = (*q, turned.wrapping_add(w), *s + k as f32 * 0.5);
            }
            w = w.wrapping_mul(5).wrapping_add(k);
        }
        let [p, q, s]: [Vec<i32>; 3] = [
            tiles.iter().map(|tile| tile.0).collect(),
            tiles.iter().map(|tile| tile.1).collect(),
            tiles.iter().map(|tile| tile.2.to_bits().cast_signed().wrapping_add(w)).collect(),
        ];
        [p, q, s].concat()
    }
}

fn number(i: usize) -> i32 {
    (i as i32).wrapping_mul(0x2545_f491) >> 8
}

/// The memory of a launch, with its arguments.
fn launched_on(n: usize, rounds: Rounds) -> (Memory<'static>, Buffer, Vec<Arg>) {
    let (memory, all) = buffer((0..6 * n).flat_map(|i| number(i).to_le_bytes()).collect());
    let places = [0, 3 * n].map(|at| Arg::Pointer(memory.address(all) + 4 * at as u64));
    let args = places.into_iter().chain(rounds.args()).collect();
    (memory, all, args)
}

fn run(program: &Program, n: usize, rounds: Rounds) -> Vec<i32> {
    let (mut memory, all, args) = launched_on(n, rounds);
    let options = LaunchOptions::new().threads(1);
    launch(&program.plan("k").unwrap(), &mut memory, [1, 1, 1], &args, &options).unwrap_or_else(|error| panic!("{error}"));
    ints(memory.bytes(all))[3 * n..].to_vec()
}

/// The machines that this one can plan for.
fn machines() -> Vec<TargetMachine> {
    let host = TargetMachine::host();
    let levels = [Level::Baseline, Level::Avx2, Level::Avx512].into_iter().filter_map(TargetMachine::at);
    [host, host.without_native_code(), TargetMachine::portable()].into_iter().chain(levels).collect()
}

#[test]
fn every_round_is_done_on_every_machine() {
    for n in [8, 64, 1024] {
        for rounds in loops() {
            let (text, expected) = (rounds.text(n), rounds.expected(n));
            for program in [program(&text), program_as_it_is(&text)] {
                for machine in machines() {
                    assert_eq!(run(&program.copy_for(machine), n, rounds), expected, "{n} elements, {rounds:?}, {machine:?}");
                }
            }
        }
    }
}

#[test]
fn they_are_vector_code() {
    for rounds in loops() {
        let plan = program(&rounds.text(64)).plan_after("k", PlanPass::find_or_suggest("fuse-loops").unwrap()).unwrap();
        // Where there is vector code at all.
        assert_eq!(plan.contains("only_sweeps"), plan.contains("sweep region"), "{rounds:?}\n{plan}");
    }
}

#[test]
fn many_rounds_end_when_they_are_told_to() {
    let rounds = rounds(Scalar::I64, true, [0, 1 << 50, 1]);
    for n in [8, 1024] {
        let plan = program(&rounds.text(n)).plan("k").unwrap();
        for looks in [1, 2, 10] {
            let (mut memory, _, args) = launched_on(n, rounds);
            let interrupt = Interrupt::after(looks);
            let error = launch(&plan, &mut memory, [1, 1, 1], &args, &LaunchOptions::new().threads(1).interrupt(&interrupt)).unwrap_err();
            assert_eq!(error.kind, LaunchErrorKind::Stopped, "{n} elements");
            assert!(interrupt.looks() <= looks + 4, "{} looks after the one at {looks}", interrupt.looks() - looks);
        }
    }
}

#[test]
fn a_step_that_is_not_positive_is_told() {
    let (n, rounds) = (64, rounds(Scalar::I32, true, [0, 10, 0]));
    let (mut memory, _, args) = launched_on(n, rounds);
    let plan = program(&rounds.text(n)).plan("k").unwrap();
    let error = launch(&plan, &mut memory, [1, 1, 1], &args, &LaunchOptions::new().threads(1)).unwrap_err();
    assert_eq!(error.kind, LaunchErrorKind::LoopStep(0));
}

/// A profile counts each round, and numbers that all elements share once.
#[test]
fn profiles_count_each_round() {
    let (n, rounds) = (64, rounds(Scalar::I32, true, [0, 10, 3]));
    let program = program(&rounds.text(n));
    let profile_of = |machine| {
        let (mut memory, _, args) = launched_on(n, rounds);
        let options = LaunchOptions::new().threads(1);
        launch_profiled(&program.copy_for(machine).plan("k").unwrap(), &mut memory, [1, 1, 1], &args, &options).unwrap().1
    };
    let flops = |name: &str, profile: &Profile| -> u64 {
        let parts = profile.instructions.iter().flat_map(|each| each.parts.iter().map(move |part| (each.count, part)));
        parts.filter(|(_, part)| part.origin.mnemonic == name).map(|(count, part)| count * part.work.flops).sum()
    };
    for machine in machines() {
        let profile = profile_of(machine);
        assert_eq!((flops("addf", &profile), flops("mulf", &profile)), (4 * 64, 4), "{machine:?}");
        let of = |name: &str| profile.instructions.iter().find(|each| each.parts[0].origin.mnemonic == name).map(|each| each.count);
        assert_eq!(of("for"), Some(1), "{machine:?}: {profile:#?}");
    }
}

/// Vector code has no elements of 4 bits: a loop that hands such a tile on stays as it is.
#[test]
fn a_tile_of_4_bits_is_handed_on() {
    let text = "
entry @k(%to: tile<ptr<i32>>, %n: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %none = constant <i8: 0> : tile<4xi8>
  %five = constant <i8: 5> : tile<4xi8>
  %first = trunci %none : tile<4xi8> -> tile<4xi4>
  %last, %sum = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%p = %first, %s = %zero) -> (tile<4xi4>, tile<i32>) {
    %next = trunci %five : tile<4xi8> -> tile<4xi4>
    %t = addi %s, %k : tile<i32>
    continue %next, %t : tile<4xi4>, tile<i32>
  }
  %wide = exti %last unsigned : tile<4xi4> -> tile<4xi32>
  %y = make_tensor_view %to, shape = [4], strides = [1] : tensor_view<4xi32, strides=[1]>
  %ys = make_partition_view %y : partition_view<tile=(4), tensor_view<4xi32, strides=[1]>>
  %token = store_view_tko weak %wide, %ys[%zero] : tile<4xi32>, partition_view<tile=(4), tensor_view<4xi32, strides=[1]>>, tile<i32> -> token
  return
}";
    let (mut memory, out) = buffer(vec![0; 16]);
    let args = [Arg::Pointer(memory.address(out)), Arg::Scalar(Scalar::I32, 3)];
    launch(&program(text).plan("k").unwrap(), &mut memory, [1, 1, 1], &args, &LaunchOptions::new().threads(1)).unwrap();
    assert_eq!(ints(memory.bytes(out)), [5; 4]);
}
