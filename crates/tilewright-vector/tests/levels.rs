//! Random vector code gives the same bits portably and as native code of each level that the CPU has, is encoded for others, and its text reads back.

mod generate;

use proptest::prelude::*;
use std::{fmt::Display, ops::Div};
use tilewright_vector::{Arg, Buffer, Builder, Code, Count, Fault, Kind, Lane, Level, Native, ParamKind, Place, Prim, Value};

/// Bytes of each buffer.
const ROOM: usize = 4096;

/// Runs code on fresh buffers: what it says, and the bytes that it wrote.
fn run(code: &Code, counts: &[i64], seed: u64, with: impl Fn(&[Arg<'_>]) -> Result<(), Fault>) -> (Result<(), Fault>, Vec<u8>) {
    let mut state = seed | 1;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    // Floats of all sizes, small integers and zeros: random bits alone would mostly be huge or tiny numbers.
    let mut bytes: Vec<u8> = Vec::new();
    while bytes.len() < ROOM {
        let number = random();
        match number % 5 {
            0 => bytes.extend(number.to_le_bytes()),
            1 => bytes.extend(((number >> 20) as f32 / 1e9).to_le_bytes().repeat(2)),
            2 => bytes.extend((-((number >> 40) as f64) / 1e3).to_le_bytes()),
            3 => bytes.extend(((number >> 8) as i8 as i32).to_le_bytes().repeat(2)),
            _ => bytes.extend([0, 0, 0, 0, (number >> 9) as u8 & 1, 0, 0xff, 0xff]),
        }
    }
    let inputs = bytes.clone();
    let mut output = bytes;
    let mut counts = counts.iter();
    let output_at = code.params().iter().rposition(|kind| *kind == ParamKind::Buffer).unwrap_or(0);
    let mut writable = Some(Buffer::of_mut(&mut output));
    let args: Vec<Arg<'_>> = code
        .params()
        .iter()
        .enumerate()
        .map(|(i, kind)| match kind {
            ParamKind::Buffer if i == output_at => Arg::Buffer(writable.take().expect("one output")),
            ParamKind::Buffer => Arg::Buffer(Buffer::of(&inputs)),
            ParamKind::Count => Arg::Count(*counts.next().expect("a count for each parameter")),
            ParamKind::Lane(lane) => Arg::Lane(random() & lane.bits()),
        })
        .collect();
    let result = with(&args);
    drop(args);
    (result, output)
}

/// Compares all levels with the portable executor.
fn compare(code: &Code, counts: &[i64], seed: u64) -> Result<(), TestCaseError> {
    let expected = run(code, counts, seed, |args| code.run_portable(args));
    for level in Level::available() {
        let native = code.compile(*level).map_err(|error| TestCaseError::fail(format!("{level:?}: {error}\n{code}")))?;
        let found = run(code, counts, seed, |args| native.run(args));
        let differs = found.1.iter().zip(&expected.1).position(|(a, b)| a != b);
        prop_assert!(
            found.0 == expected.0 && differs.is_none(),
            "{:?} gives {:?}, expected {:?}; first other byte {:?}; counts {:?}\n{}",
            level,
            found.0,
            expected.0,
            differs,
            counts,
            code
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), max_shrink_iters: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn native_code_gives_the_bits_of_the_portable_executor(
        choices in prop::collection::vec(any::<u8>(), 0..900),
        seed in any::<u64>(),
    ) {
        let program = generate::program(&choices);
        compare(&program.code, &program.counts, seed)?;
    }

    #[test]
    fn simplified_code_gives_the_same_bits(
        choices in prop::collection::vec(any::<u8>(), 0..600),
        seed in any::<u64>(),
    ) {
        let program = generate::program(&choices);
        let [as_built, simplified] =
            [&program.code, &program.simplified].map(|code| run(code, &program.counts, seed, |args| code.run_portable(args)));
        prop_assert_eq!(&simplified, &as_built, "\n{}\n{}", program.code, program.simplified);
        compare(&program.simplified, &program.counts, seed)?;
    }

    #[test]
    fn codes_on_shared_pages_are_as_if_alone(
        choices in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 1..5),
        seed in any::<u64>(),
    ) {
        let programs: Vec<_> = choices.iter().map(|choices| generate::program(choices)).collect();
        let codes: Vec<&Code> = programs.iter().map(|program| &program.code).collect();
        for level in Level::available() {
            let mut natives = Native::of_all(&codes, *level).expect("they compile");
            // Pages stay as long as one of the codes is there.
            while let Some(native) = natives.pop() {
                let program = &programs[natives.len()];
                let expected = run(&program.code, &program.counts, seed, |args| program.code.run_portable(args));
                prop_assert_eq!(run(&program.code, &program.counts, seed, |args| native.run(args)), expected);
            }
        }
    }

    /// Also for CPUs that this is not: each instruction can be encoded.
    #[test]
    fn code_for_every_instruction_set_is_made_on_any_cpu(choices in prop::collection::vec(any::<u8>(), 0..600)) {
        let program = generate::program(&choices);
        for (level, code) in [Level::Avx2, Level::Avx512, Level::Avx512Fp16, Level::Neon, Level::NeonFp16].into_iter().flat_map(|level| [(level, &program.code), (level, &program.simplified)]) {
            let listing = code.listing(level).map_err(|error| TestCaseError::fail(format!("{level:?}: {error}\n{code}")))?;
            prop_assert!(listing.level == level && !listing.bytes.is_empty());
        }
    }

    #[test]
    fn text_reads_back(choices in prop::collection::vec(any::<u8>(), 0..600)) {
        let code = generate::program(&choices).code;
        let text = code.to_string();
        let again = Code::parse(&text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert_eq!(again.to_string(), text);
    }
}

/// Quotients of many numbers by one, which are products with its inverse where that is safe.
#[test]
fn quotients_by_one_number_are_rounded_to_nearest() {
    let code = |ty: &str, size: usize| {
        let text = format!(
            "code lanes 64 ($0: buffer, $1: buffer, $2: buffer, $3: count) {{
  %0 = load {ty} $1[0]
  lanes ^0 in $3 {{
    %1 = load {ty} $0[^0 * {size}]
    %2 = fdiv {ty} %1, %0
    store {ty} %2, $2[^0 * {size}]
  }}
}}
"
        );
        Code::parse(&text).expect("it is vector code")
    };
    let (singles, doubles) = (code("f32", 4), code("f64", 8));
    // At the ends of the ranges that are safe, behind them, and of all other kinds.
    let powers = [0, 1, 26, 27, 55, 56, 72, 98, 126, 127, 200, 201, 400, 401, 600, 800, 1022, 1023].map(|n| 2f64.powi(n));
    let kinds = [0.0, 3.0, 0.1, 1.0 - f64::EPSILON, 1.0 + f64::EPSILON, 1e-45, 1e-40, 5e-324, 1e-310, f64::INFINITY, f64::NAN];
    let near = |x: f64| [x, x * (1.0 + 1e-7), x * (1.0 - 1e-7), x * 1.999_999_9, x / 7.0];
    let mut numbers: Vec<f64> =
        powers.iter().flat_map(|power| [*power, 1.0 / power]).chain(kinds).flat_map(near).flat_map(|x| [x, -x]).collect();
    let mut state = 5u64;
    numbers.extend((0..600).map(|_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f64::from_bits(1023 << 52 | state >> 12)
    }));
    for level in Level::available() {
        let [of_singles, of_doubles] = [&singles, &doubles].map(|code| code.compile(*level).expect("it compiles"));
        for divisor in &numbers {
            quotients(
                &of_singles,
                &numbers.iter().map(|x| *x as f32).collect::<Vec<f32>>(),
                *divisor as f32,
                |bits| f32::from_bits(bits as u32),
                |x| x.to_bits().into(),
            );
            quotients(&of_doubles, &numbers, *divisor, f64::from_bits, f64::to_bits);
        }
    }
    for code in [&singles, &doubles] {
        let listing = code.listing(Level::Avx512).expect("it is encoded");
        assert!(listing.items.iter().any(|(_, item)| item.contains("fma")), "nothing is multiplied");
    }
}

/// Compares the quotients that code gives with those of the CPU; all NaN are alike.
fn quotients<T: Copy + PartialOrd + Div<Output = T> + Display>(
    native: &Native,
    numbers: &[T],
    divisor: T,
    of: fn(u64) -> T,
    bits: fn(T) -> u64,
) {
    let size = size_of::<T>();
    let bytes = |numbers: &[T]| numbers.iter().flat_map(|x| bits(*x).to_le_bytes().into_iter().take(size)).collect::<Vec<u8>>();
    let (dividends, divisors) = (bytes(numbers), bytes(&[divisor]));
    let mut found = vec![0; dividends.len()];
    let [from, by, to] = [Buffer::of(&dividends), Buffer::of(&divisors), Buffer::of_mut(&mut found)];
    native.run(&[Arg::Buffer(from), Arg::Buffer(by), Arg::Buffer(to), Arg::Count(numbers.len() as i64)]).expect("nothing is gathered");
    for (x, found) in numbers.iter().zip(found.chunks_exact(size)) {
        let mut is = [0; 8];
        is[..size].copy_from_slice(found);
        let (is, quotient) = (of(u64::from_le_bytes(is)), *x / divisor);
        let is_nan = |x: T| x.partial_cmp(&x).is_none();
        assert!(bits(is) == bits(quotient) || is_nan(is) && is_nan(quotient), "{x} / {divisor} is {is}, not {quotient}");
    }
}

/// Sums of `bf16` are rounded once: also of products in the middle between two numbers, or just beside it, and numbers that are so much smaller
/// or larger that `f32` has no place for both.
#[test]
fn sums_of_bf16_are_rounded_once() {
    let text = "code lanes 64 ($0: buffer, $1: buffer, $2: buffer, $3: buffer, $4: count) {
  lanes ^0 in $4 {
    %0 = load f32 $0[^0 * 4]
    %1 = load f32 $1[^0 * 4]
    %2 = load f32 $2[^0 * 4]
    %3 = fmabf16 f32 %0, %1, %2
    store f32 %3, $3[^0 * 4]
  }
}
";
    let code = Code::parse(text).expect("it is vector code");
    let natives = Level::available().iter().map(|level| (level, code.compile(*level).expect("it compiles"))).collect::<Vec<_>>();
    let pairs = (1..=255u32).flat_map(|a| (a.max(128)..=255).map(move |b| (a, b))).filter(|(a, b)| {
        // The digits of the product behind the eighth: a middle, almost a middle, or almost the next power of two.
        let product = (a * b) << (a * b).leading_zeros() >> 16;
        let behind = product & 0xff;
        behind == 0x80 || (0x7e..=0x82).contains(&behind) && a % 16 == 1 || !(0x8080..0xfe00).contains(&product)
    });
    // From far below the product's last digit to far above its first, of normal numbers and at both ends of their range.
    let number = |digits: u32, exponent: i32| (f64::from(digits) * 2f64.powi(exponent)) as f32;
    let mut operands = [const { Vec::<f32>::new() }; 3];
    for ((a, b), exponent) in pairs.flat_map(|pair| [-12, -70, -74, 56].map(|exponent| (pair, exponent))) {
        for (c, distance) in
            [0, 1, 128, 129, 255].into_iter().flat_map(|c| (-36..=36).step_by(if exponent == -12 { 1 } else { 3 }).map(move |n| (c, n)))
        {
            let c = number(c, (2 * exponent + distance).clamp(-133, 120));
            for (a, c) in [(a, c), (a, -c)] {
                for (operand, x) in operands.iter_mut().zip([number(a, exponent), number(b, exponent), c]) {
                    operand.push(x);
                }
            }
        }
    }
    operands[0].iter_mut().step_by(3).for_each(|x| *x = -*x);
    let bytes = operands.each_ref().map(|numbers| numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>());
    let sums = |run: &dyn Fn(&[Arg<'_>]) -> Result<(), Fault>| {
        let mut found = vec![0; bytes[0].len()];
        let [a, b, c] = bytes.each_ref().map(|bytes| Arg::Buffer(Buffer::of(bytes)));
        run(&[a, b, c, Arg::Buffer(Buffer::of_mut(&mut found)), Arg::Count(operands[0].len() as i64)]).expect("nothing is gathered");
        found.chunks_exact(4).map(|x| u32::from_le_bytes(x.try_into().expect("four bytes"))).collect::<Vec<u32>>()
    };
    let expected = sums(&|args| code.run_portable(args));
    for (level, native) in natives {
        for (n, (found, expected)) in sums(&|args| native.run(args)).into_iter().zip(&expected).enumerate() {
            let [a, b, c] = operands.each_ref().map(|numbers| numbers[n]);
            assert!(found == *expected, "{level:?}: {a:e} * {b:e} + {c:e} is {found:#x}, not {expected:#x}");
        }
    }
}

/// A loop inside of one over lanes goes round for several vectors together: each item of its body stands once for each of them, and once more
/// for what is left.
#[test]
fn rounds_are_computed_for_several_vectors_side_by_side() {
    let text = "code lanes 64 ($0: buffer, $1: count, $2: count) {
  %0 = const f32 0x3f000000
  lanes ^0 in $1 {
    %1 = load f32 $0[^0 * 4]
    %2 = for ^1 in $2 (%3 = %1) {
      %4 = fmul f32 %3, %0
      %5 = fadd f32 %4, %3
      next %5
    }
    store f32 %2, $0[^0 * 4]
  }
}";
    let code = Code::parse(text).unwrap_or_else(|error| panic!("{error}"));
    for level in [Level::Avx2, Level::Avx512, Level::Avx512Fp16, Level::Neon, Level::NeonFp16] {
        let listing = code.listing(level).unwrap_or_else(|error| panic!("{level:?}: {error}"));
        let count = |what: &str| listing.items.iter().filter(|(_, item)| item.contains(what)).count();
        assert_eq!([count("for ^1"), count("fmul"), count("fadd")], [2, 5, 5], "{level:?}");
    }
    let halves = |count: i64, rounds: i64| {
        let numbers: Vec<u8> = (0..100).flat_map(|i| (i as f32).to_le_bytes()).collect();
        let portable = &mut numbers.clone();
        code.run_portable(&[Arg::Buffer(Buffer::of_mut(portable)), Arg::Count(count), Arg::Count(rounds)]).unwrap();
        for level in Level::available() {
            let native = code.compile(*level).unwrap();
            let found = &mut numbers.clone();
            native.run(&[Arg::Buffer(Buffer::of_mut(found)), Arg::Count(count), Arg::Count(rounds)]).unwrap();
            assert_eq!(found, portable, "{level:?}: {rounds} rounds of {count}");
        }
    };
    for count in [1, 8, 31, 64, 100] {
        [0, 1, 9].into_iter().for_each(|rounds| halves(count, rounds));
    }
}

/// One long chain, of which little lives from step to step, is computed for eight vectors in turns: each step waits for the one before.
#[test]
fn single_chains_are_computed_for_eight_vectors() {
    let steps: String = (0..8)
        .map(|i| {
            let [from, sum, rounded, to] = [3 * i + 2, 3 * i + 3, 3 * i + 4, 3 * i + 5];
            format!("    %{sum} = fmaodd f32 %{from}, %2, %0\n    %{rounded} = f32to16 f32 %{sum}\n    %{to} = f16to32 i16 %{rounded}\n")
        })
        .collect();
    let text = format!(
        "code lanes 64 ($0: buffer, $1: count) {{
  %0 = const f32 0x3f000000
  lanes ^0 in $1 {{
    %1 = load i16 $0[^0 * 2]
    %2 = f16to32 i16 %1
{steps}    store i16 %25, $0[^0 * 2]
  }}
}}"
    );
    let code = Code::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    for level in [Level::Avx2, Level::Avx512, Level::Avx512Fp16] {
        let listing = code.listing(level).unwrap_or_else(|error| panic!("{level:?}: {error}"));
        // Once more each for what is left.
        assert_eq!(listing.items.iter().filter(|(_, item)| item.contains("f32to16")).count(), 8 * 9, "{level:?}");
    }
    // Between -2 and 2: which bits a NaN has is not said.
    let numbers: Vec<u8> = (0..300u16).flat_map(|i| (i.wrapping_mul(8191) & 0xbfff).to_le_bytes()).collect();
    for count in [0, 1, 7, 8, 31, 63, 64, 65, 127, 128, 129, 200, 256, 300] {
        let portable = &mut numbers.clone();
        code.run_portable(&[Arg::Buffer(Buffer::of_mut(portable)), Arg::Count(count)]).unwrap();
        for level in Level::available() {
            let found = &mut numbers.clone();
            code.compile(*level).unwrap().run(&[Arg::Buffer(Buffer::of_mut(found)), Arg::Count(count)]).unwrap();
            assert_eq!(found, portable, "{level:?}: {count}");
        }
    }
}

/// What is rounded to binary16 after each step is computed in binary16 where there are instructions for that, in twice the lanes; what goes on as `f32`
/// does so.
#[test]
fn steps_of_binary16_are_computed_as_such() {
    let text = "code lanes 64 ($0: buffer, $1: buffer, $2: buffer, $3: count) {
  %0 = const f32 0x3f000000
  %1 = const f32 0x0
  lanes ^0 in $3 {
    %2 = load i16 $0[^0 * 2]
    %3 = load i16 $1[^0 * 2]
    %4 = f16to32 i16 %2
    %5 = f16to32 i16 %3
    %6 = fmaf16 f32 %4, %5, %0
    %7 = fmax f32 %6, %1
    %8 = fsub f32 %4, %5
    %9 = f32to16 f32 %8
    %10 = f16to32 i16 %9
    %11 = minnum f32 %4, %5
    %12 = flt f32 %11, %10
    %13 = select f32 %12, %7, %11
    %14 = fmaf16 f32 %7, %10, %13
    %15 = f32to16 f32 %14
    store i16 %15, $2[^0 * 2]
  }
}";
    let code = Code::parse(text).unwrap_or_else(|error| panic!("{error}"));
    let single = Code::parse(&text.replace("%15 = f32to16 f32 %14", "%16 = sqrt f32 %14\n    %15 = f32to16 f32 %16"))
        .unwrap_or_else(|error| panic!("{error}"));
    for level in [Level::Avx2, Level::Avx512, Level::Avx512Fp16, Level::Neon, Level::NeonFp16] {
        let count = |code: &Code, what: &str| {
            let listing = code.listing(level).unwrap_or_else(|error| panic!("{level:?}: {error}"));
            listing.items.iter().filter(|(_, item)| item.contains(what)).count()
        };
        let has_halves = matches!(level, Level::Avx512Fp16 | Level::NeonFp16);
        assert_eq!(count(&code, "hfma") > 0, has_halves, "{level:?}");
        assert_eq!(count(&code, "f32") == 0, has_halves, "{level:?}");
        assert!(count(&single, "sqrt f32") > 0, "{level:?}");
    }
    // Numbers between -2 and 2, so that none is NaN: which bits that has is not said.
    let numbers = |step: u16| (0..300u16).flat_map(|i| (i.wrapping_mul(step) & 0xbfff).to_le_bytes()).collect::<Vec<u8>>();
    for count in [1, 31, 32, 63, 64, 100, 300] {
        let written = |run: &dyn Fn(&[Arg<'_>]) -> Result<(), Fault>| {
            let (a, b, mut c) = (numbers(8191), numbers(5003), vec![0; 600]);
            run(&[Arg::Buffer(Buffer::of(&a)), Arg::Buffer(Buffer::of(&b)), Arg::Buffer(Buffer::of_mut(&mut c)), Arg::Count(count)])
                .unwrap();
            c
        };
        let expected = written(&|args| code.run_portable(args));
        for level in Level::available() {
            let native = code.compile(*level).unwrap();
            assert_eq!(written(&|args| native.run(args)), expected, "{level:?}: {count}");
        }
    }
}

/// Code that fetches does what it did, wherever that is, and for each instruction set it has more instructions.
#[test]
fn what_is_fetched_changes_nothing() {
    let text = "code lanes 64 ($0: buffer, $1: buffer, $2: count) {
  %0 = const f32 0x0
  %1 = lanes ^0 in $2 (%2 = %0) {
    %3 = load f32 $0[^0 * 4]
    %4 = fadd f32 %2, %3
    store f32 %3, $1[^0 * 4]
    next %4
  }
  %5 = fold (%1) as (%6), (%7) {
    %8 = fadd f32 %6, %7
    next %8
  }
  store f32 %5, $1[0]
}";
    let code = Code::parse(text).unwrap_or_else(|error| panic!("{error}"));
    let numbers: Vec<u8> = (0..1000).flat_map(|i| (i as f32).to_le_bytes()).collect();
    let written = |code: &Code, level: Option<Level>, from: i64| {
        let mut to = vec![0; numbers.len()];
        let args = [Arg::Buffer(Buffer::of(&numbers)), Arg::Buffer(Buffer::of_mut(&mut to)), Arg::Count(1000), Arg::Count(from)];
        let args = &args[..code.params().len()];
        match level {
            Some(level) => code.compile(level).unwrap().run(args).unwrap(),
            None => code.run_portable(args).unwrap(),
        }
        to
    };
    let expected = written(&code, None, 0);
    for lines in [1, 16, 100, 4096] {
        let fetching = code.clone().fetching(lines);
        for from in [0, -1, i64::MIN, numbers.as_ptr().addr() as i64] {
            assert_eq!(written(&fetching, None, from), expected);
            Level::available().iter().for_each(|level| assert_eq!(written(&fetching, Some(*level), from), expected, "{level:?}"));
        }
        for level in [Level::Avx2, Level::Avx512, Level::Avx512Fp16, Level::Neon, Level::NeonFp16] {
            let [with, without] = [&fetching, &code].map(|code| code.listing(level).unwrap().bytes.len());
            assert!(with > without, "{level:?}: {with} bytes, {without} without");
        }
    }
}

/// A combiner that hands on what it got reads it before it is overwritten.
#[test]
fn combiners_may_hand_on_what_they_got() {
    let text = "code lanes 16 ($0: buffer, $1: buffer) {
        %0 = const i32 0x0
        %1, %2 = lanes ^0 in 16 (%3 = %0, %4 = %0) {
            %5 = load i32 $0[^0 * 4]
            %6 = load i32 $0[^0 * 4 + 64]
            next %5, %6
        }
        %7, %8 = fold (%1, %2) as (%9, %10), (%11, %12) {
            next %10, %9
        }
        store i32 %7, $1[0]
        store i32 %8, $1[4]
    }";
    let code = Code::parse(text).unwrap_or_else(|error| panic!("{error}"));
    compare(&code, &[], 1).unwrap_or_else(|error| panic!("{error}"));
}

/// Of vectors side by side, each writes what is the same for all in its own loop of each lane: another value must not live there then.
#[test]
fn what_is_the_same_for_all_lanes_is_written_for_each_vector() {
    let text = "code lanes 16 ($0: buffer, $1: buffer) {
        %0 = const mask 0x1
        %1 = const i64 0x7
        %2 = load i64 $0[0]
        %3 = load f32 $0[0]
        lanes ^0 in 40 {
            %4 = load f32 $0[^0 * 4]
            %8, %9 = while 3 (%5 = %0, %6 = %4) {
                %7 = divs i64 %2, %1
                %10 = fadd f32 %6, %3
                next %5, %10
            }
            store f32 %9, $1[^0 * 4]
        }
    }";
    let code = Code::parse(text).unwrap_or_else(|error| panic!("{error}"));
    compare(&code, &[], 1).unwrap_or_else(|error| panic!("{error}"));
}

/// Rows of as many numbers as a vector has, or fewer, are computed at once, one after the other, wherever they lie.
#[test]
fn short_rows_are_computed_one_after_the_other() {
    let text = |row: usize| {
        format!(
            "code lanes 64 ($0: buffer, $1: buffer, $2: count, $3: count, $4: count) {{
  for ^0 in 2 {{
    for ^1 in $2 {{
      %0 = load f32 $0[^1 * 4]
      lanes ^2 in {row} {{
        %1 = load f32 $0[^0 * 512 + ^1 * $3 + ^2 * 4]
        %2 = load f32 $0[^2 * 4 + 64]
        %3 = index i32 ^1
        %4 = index i32 ^2
        %5 = bits32 f32 %0
        %6 = add i32 %3, %4
        %7 = xor i32 %6, %5
        %8 = bits32 f32 %1
        %9 = bits32 f32 %2
        %10 = xor i32 %8, %9
        %11 = add i32 %10, %7
        store i32 %11, $1[^0 * 1024 + ^1 * $4 + ^2 * 4]
      }}
    }}
  }}
}}"
        )
    };
    for row in [1, 5, 8, 12, 16, 24, 32, 48, 64] {
        let text = text(row);
        let code = Code::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let distance = 4 * row as i64;
        for (rows, from, to) in [(0, distance, distance), (1, 0, distance), (3, distance + 4, distance), (4, 0, distance)] {
            compare(&code, &[rows, from, to], 1).unwrap_or_else(|error| panic!("{error}"));
        }
        let listing = code.listing(Level::Avx512).unwrap_or_else(|error| panic!("{error}"));
        let stores = listing.items.iter().filter(|(_, item)| item.contains("store")).count();
        // No masked rest of a longer vector, also for a row of 8.
        assert!(!matches!(row, 8 | 16 | 32 | 64) || stores == row.div_ceil(16), "rows of {row}: {stores} stores");
    }
}

/// Where nothing rounds to nearest, the CPU may round down meanwhile; whoever calls sees nothing of that.
#[test]
fn short_floats_are_added_up_and_the_caller_rounds_as_before() {
    for (short, to_bits) in [("fmaf16", "f32to16"), ("fmabf16", "low16")] {
        let to_bits = |value: &str, bits: &str| match to_bits {
            "f32to16" => format!("{bits} = f32to16 f32 {value}"),
            _ => format!("{bits}0 = bits32 f32 {value}\n{bits}1 = shru i32 {bits}0, %2\n{bits} = low16of32 i32 {bits}1"),
        };
        let text = format!(
            "code lanes 16 ($0: buffer, $1: buffer) {{
                %1 = const f32 0x0
                %2 = const i32 0x10
                lanes ^0 in 43 {{
                    %3 = load i16 $0[^0 * 2]
                    %4 = f16to32 i16 %3
                    %5 = bits32 f32 %4
                    %6 = shru i32 %5, %2
                    %7 = shl i32 %6, %2
                    %8 = float32 i32 %7
                    %9 = {short} f32 %8, %8, %8
                    %10 = {short} f32 %9, %8, %1
                    %11 = {short} f32 %8, %10, %9
                    %12 = feq f32 %11, %11
                    %13 = select f32 %12, %11, %1
                    {}
                    store i16 %20, $1[^0 * 2]
                }}
            }}",
            to_bits("%13", "%20")
        );
        let code = Code::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        compare(&code, &[], 1).unwrap_or_else(|error| panic!("{error}"));
        for level in Level::available() {
            let native = code.compile(*level).expect("it compiles");
            let (result, _) = run(&code, &[], 1, |args| native.run(args));
            assert_eq!(result, Ok(()));
            let (one, little) = std::hint::black_box((1f32, 1e-10f32));
            assert_eq!(one - little, 1.0, "{level:?}");
        }
    }
}

/// Shifted by as many bits as it has or more, a number leaves nothing, also where bits were cleared that are shifted out.
#[test]
fn bits_may_be_shifted_out_by_any_distance() {
    for distance in [0x20, 0x40, 0x1_0000_0001] {
        let mut builder = Builder::new(16);
        let [from, to] = [(); 2].map(|()| builder.param(ParamKind::Buffer));
        let (axis, _) = builder.open(Kind::Lanes, Count::Const(40), &[]);
        let place = |buffer| Place::of(buffer).along(axis, Count::Const(8));
        let number = builder.load(Lane::I64, place(from), None);
        let [mask, places] = [!0xff, distance].map(|bits| builder.constant(Lane::I64, bits));
        let cleared = builder.prim(Prim::And, &[number, mask]);
        let shifted = builder.prim(Prim::ShrU, &[cleared, places]);
        builder.store(shifted, place(to), None);
        builder.close(&[]);
        let as_built = builder.clone().finish_as_built().expect("it is valid");
        let [expected, found] =
            [as_built, builder.finish().expect("it is valid")].map(|code| run(&code, &[], 1, |args| code.run_portable(args)));
        assert_eq!(found, expected, "by {distance}");
    }
}

/// Code that takes the upper half of what `body` makes of integers of 32 bits, and puts it back; of whole vectors and of fewer lanes, also where numbers
/// of 64 bits stand beside them.
fn of_upper_halves(count: i64, longs: bool, body: impl Fn(&mut Builder, Value) -> Value) -> Builder {
    let mut builder = Builder::new(16);
    let [from, to] = [(); 2].map(|()| builder.param(ParamKind::Buffer));
    let (axis, _) = builder.open(Kind::Lanes, Count::Const(count), &[]);
    let place = |buffer, size| Place::of(buffer).along(axis, Count::Const(size));
    let number = if longs {
        let long = builder.load(Lane::I64, place(from, 8), None);
        builder.prim(Prim::Low32Of64, &[long])
    } else {
        builder.load(Lane::I32, place(from, 4), None)
    };
    let number = body(&mut builder, number);
    let half = builder.prim(Prim::High16Of32, &[number]);
    let again = builder.prim(Prim::High16To32, &[half]);
    builder.store(again, place(to, 4), None);
    builder.close(&[]);
    builder
}

/// Nothing stands between the two that could have cleared what lies behind the halves.
#[test]
fn upper_halves_are_taken_and_put_back() {
    for (count, longs) in [(64, false), (21, false), (64, true), (13, true)] {
        let code = of_upper_halves(count, longs, |_, number| number).finish_as_built().expect("it is valid");
        compare(&code, &[], 1).expect("it gives the same bits");
    }
}

/// What is cut off need not be cleared, what is left has to be.
#[test]
fn lower_halves_are_not_cleared_before_they_are_cut_off() {
    for (mask, is_kept) in [(0xffff_0000, false), (0xffff_ff00, false), (0xfff0_0000, true)] {
        let builder = of_upper_halves(64, false, |builder, number| {
            let mask = builder.constant(Lane::I32, mask);
            builder.prim(Prim::And, &[number, mask])
        });
        let as_built = builder.clone().finish_as_built().expect("it is valid");
        let code = builder.finish().expect("it is valid");
        assert_eq!(code.to_string().contains("and i32"), is_kept, "{mask:#x}: {code}");
        let [expected, found] = [as_built, code].map(|code| run(&code, &[], 1, |args| code.run_portable(args)));
        assert_eq!(found, expected, "{mask:#x}");
    }
}

/// A distance that is part of the instruction may be what is shifted, too.
#[test]
fn constants_are_shifted_by_themselves() {
    let mut builder = Builder::new(16);
    let to = builder.param(ParamKind::Buffer);
    let (axis, _) = builder.open(Kind::Lanes, Count::Const(16), &[]);
    let five = builder.constant(Lane::I32, 5);
    let shifted = builder.prim(Prim::Shl, &[five, five]);
    builder.store(shifted, Place::of(to).along(axis, Count::Const(4)), None);
    builder.close(&[]);
    let code = builder.finish_as_built().expect("it is valid");
    compare(&code, &[], 1).expect("it gives the same bits");
}

/// `PROGRAMS` programs, or a few.
fn cases() -> u32 {
    std::env::var("PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(400)
}

/// Quotients of multiples, and of what lies beside them, by what is the same for all lanes, or what each lane has; where no number is longer, and where
/// some are.
#[test]
fn quotients_of_integers_are_exact() {
    let edges = [
        i32::MIN,
        i32::MIN + 1,
        -65536,
        -1000,
        -3,
        -1,
        0,
        1,
        2,
        3,
        7,
        10,
        641,
        1000,
        46_341,
        65_535,
        6_700_417,
        1 << 29,
        (1 << 29) + 1,
        (1 << 30) - 1,
        1 << 30,
        (1 << 30) + 1,
        2_147_483_457,
        i32::MAX - 1,
        i32::MAX,
    ];
    for ((prim, signed), shared, longs) in [("divs", true), ("divu", false)]
        .into_iter()
        .flat_map(|prim| [true, false].map(|shared| (prim, shared)))
        .flat_map(|(prim, shared)| [false, true].map(|longs| (prim, shared, longs)))
    {
        let longer =
            if longs { "%3 = s32to64 i32 %2\n%4 = low32of64 i64 %3\nstore i32 %4, $2[^0 * 4]" } else { "store i32 %2, $2[^0 * 4]" };
        let [outside, inside] = if shared { ["%0 = load i32 $0[0]", ""] } else { ["", "%0 = load i32 $0[^0 * 4]"] };
        let text = format!(
            "code lanes 16 ($0: buffer, $1: buffer, $2: buffer) {{
                {outside}
                lanes ^0 in 600 {{
                    {inside}
                    %1 = load i32 $1[^0 * 4]
                    %2 = {prim} i32 %1, %0
                    {longer}
                }}
            }}"
        );
        let code = Code::parse(&text).unwrap_or_else(|error| panic!("{error}"));
        for divisor in edges {
            // Multiples of the divisor, and the numbers beside them.
            let multiples = (0..200).map(|i| divisor.wrapping_mul(i * i * 997 + i)).flat_map(|m| [m.wrapping_sub(1), m, m.wrapping_add(1)]);
            let numbers: Vec<i32> = edges.into_iter().chain(multiples).take(600).collect();
            let expected = numbers.iter().map(|x| match (divisor, signed) {
                (0, _) => -1,
                (_, true) => x.wrapping_div(divisor),
                (_, false) => (x.cast_unsigned() / divisor.cast_unsigned()).cast_signed(),
            });
            let expected: Vec<u8> = expected.flat_map(i32::to_le_bytes).collect();
            let (by, from) = (divisor.to_le_bytes().repeat(600), numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>());
            for level in Level::available() {
                let mut to = vec![0; from.len()];
                let args = [Arg::Buffer(Buffer::of(&by)), Arg::Buffer(Buffer::of(&from)), Arg::Buffer(Buffer::of_mut(&mut to))];
                code.compile(*level).expect("it compiles").run(&args).expect("it runs");
                assert_eq!(to, expected, "{prim} by {divisor}, {level:?}, shared: {shared}, beside longer numbers: {longs}");
            }
        }
    }
}
