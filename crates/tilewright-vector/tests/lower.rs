//! Every elementwise operation, lowered to primitives, gives what its definition says, portably and natively.

use tilewright_ir::{AttrName, ComparisonOrdering, ComparisonPredicate, Opcode, RoundingMode, Scalar, ops::pairs::conversion_rounds};
use tilewright_numeric::{FloatFormat, Rounding};
use tilewright_passes::{
    elem::Elem,
    elementwise::{ElemOp, accepts, evaluate, sources_of},
};
use tilewright_vector::{Arg, Axis, Buffer, Builder, Code, Count, Kind, Lane, Level, Param, ParamKind, Place, lower, lower::Held};

const MODES: [RoundingMode; 8] = [
    RoundingMode::NearestEven,
    RoundingMode::Zero,
    RoundingMode::NegativeInf,
    RoundingMode::PositiveInf,
    RoundingMode::NearestAway,
    RoundingMode::Approx,
    RoundingMode::Full,
    RoundingMode::NearestIntToZero,
];

/// All operations with all that attributes may say.
fn operations() -> Vec<ElemOp> {
    use ElemOp::*;
    let mut all = vec![Copy, Select, AbsF, NegF, Ceil, Floor, AbsI, NegI, AddI, SubI, MulI, MulHi, And, Or, Xor, Shl, TruncI, RemF];
    all.extend([Exp, Log, Log2, Sin, Cos, Tan, Sinh, Cosh, Tanh, PowF, PowI, Atan2, Offset(4), Offset(1), OffsetPacked]);
    for flag in [false, true] {
        all.extend([Rsqrt(flag), Exp2(flag), RemI(flag), MaxI(flag), MinI(flag), Shr(flag), ExtI(flag), FToI(flag), IToF(flag)]);
        for ftz in [false, true] {
            all.extend([MaxF { propagate_nan: flag, ftz }, MinF { propagate_nan: flag, ftz }]);
        }
        for mode in MODES {
            all.extend([Sqrt(mode, flag), AddF(mode, flag), SubF(mode, flag), MulF(mode, flag), DivF(mode, flag), Fma(mode, flag)]);
            all.extend([DivI(flag, mode), FToF(mode)]);
        }
        for predicate in [
            ComparisonPredicate::Equal,
            ComparisonPredicate::NotEqual,
            ComparisonPredicate::LessThan,
            ComparisonPredicate::LessThanOrEqual,
            ComparisonPredicate::GreaterThan,
            ComparisonPredicate::GreaterThanOrEqual,
        ] {
            let ordering = if flag { ComparisonOrdering::Unordered } else { ComparisonOrdering::Ordered };
            all.extend([CmpI(predicate, flag), CmpF(predicate, ordering)]);
        }
    }
    all
}

/// Whether the operation flushes subnormal numbers, which only those of `f32` may.
fn flushes(op: ElemOp) -> bool {
    use ElemOp::*;
    match op {
        Sqrt(_, ftz) | AddF(_, ftz) | SubF(_, ftz) | MulF(_, ftz) | DivF(_, ftz) | Fma(_, ftz) | Exp2(ftz) | Rsqrt(ftz) => ftz,
        MaxF { ftz, .. } | MinF { ftz, .. } => ftz,
        _ => false,
    }
}

/// What the operation takes: the types of its operands and of its result.
fn types(op: ElemOp) -> Vec<(Vec<Elem>, Elem)> {
    let elems: Vec<Elem> = Scalar::all().filter(|s| *s != Scalar::I4).map(Elem::Num).chain([Elem::Ptr]).collect();
    let mut found = Vec::new();
    for &result in &elems {
        for &first in &elems {
            for sources in match sources_of(op) {
                1 => vec![vec![first]],
                2 => elems.iter().map(|second| vec![first, *second]).collect(),
                _ => vec![vec![first, result, result], vec![first; 3]],
            } {
                let valid = accepts(op, &sources, result) && (result == Elem::Num(Scalar::F32) || !flushes(op));
                if valid && !found.contains(&(sources.clone(), result)) {
                    found.push((sources, result));
                }
            }
        }
    }
    found
}

/// The operation on many lanes: reads its operands, and writes its result.
fn code(op: ElemOp, sources: &[Elem], result: Elem, count: usize) -> Option<Code> {
    code_with(op, sources, result, count, None)
}

/// The same with an operand that is a constant, if one is given with its bits.
fn code_with(op: ElemOp, sources: &[Elem], result: Elem, count: usize, constant: Option<(usize, u64)>) -> Option<Code> {
    let mut builder = Builder::new(16);
    let buffers: Vec<Param> = (0..=sources.len()).map(|_| builder.param(ParamKind::Buffer)).collect();
    let (axis, _) = builder.open(Kind::Lanes, Count::Const(count as i64), &[]);
    let place = |buffer: Param, lane: Lane, axis: Axis| Place::of(buffer).along(axis, Count::Const(lane.size() as i64));
    let mut operands: Vec<Held> = sources
        .iter()
        .zip(&buffers)
        .enumerate()
        .map(|(i, (elem, buffer))| {
            let lane = lower::memory_lane_of(*elem).expect("a lane");
            Held::bits(match constant {
                Some((at, bits)) if at == i => builder.constant(lane, bits),
                _ => builder.load(lane, place(*buffer, lane, axis), None),
            })
        })
        .collect();
    let mut value = lower::lower(&mut builder, op, sources, result, &mut operands)?;
    let bits = value.to_bits(&mut builder, result);
    let lane = lower::memory_lane_of(result).expect("a lane");
    builder.store(bits, place(buffers[sources.len()], lane, axis), None);
    builder.close(&[]);
    Some(builder.finish().expect("what is lowered is valid"))
}

/// Numbers that show differences: small ones, those at the ends of formats, and random ones.
fn numbers(elem: Elem, seed: u64, count: usize) -> Vec<u64> {
    let bits = elem.bits();
    let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
    let mut state = seed;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let special: Vec<u64> = match elem {
        Elem::Num(Scalar::F64) => {
            [0.0, -0.0, 1.0, -1.5, f64::MAX, f64::INFINITY, f64::NAN, 5e-324, 3e9, -3e9, 1.8e19, -9.3e18, 65519.9, 1e-40, 448.0, 2.5]
                .iter()
                .map(|x: &f64| x.to_bits())
                .collect()
        }
        Elem::Num(Scalar::F32) => {
            [0.0, -0.0, 1.0, -1.5, f32::MAX, f32::INFINITY, f32::NAN, 1e-45, 3e9, -3e9, 1.8e19, -9.3e18, 65519.9, 1e-40, 448.0, 2.5]
                .iter()
                .map(|x: &f32| u64::from(x.to_bits()))
                .collect()
        }
        _ => vec![0, 1, mask, mask >> 1, (mask >> 1) + 1, 2, 3, mask - 1],
    };
    (0..count)
        .map(|_| {
            let number = random();
            // A number of moderate size, where functions are more than their limits.
            let moderate = |format: FloatFormat| {
                let size = f64::from((number >> 8) as u32 % 30) - 14.0;
                let value = (1.0 + (number >> 12) as f64 / 2f64.powi(52)) * size.exp2();
                format.encode(if number & 16 == 0 { value } else { -value }, Rounding::NearestEven)
            };
            let bits = match number % 6 {
                0 => special[(number >> 32) as usize % special.len()],
                1 => (number >> 16) & 0xff,
                // A number whose lower digits are few: sums and products of these are exact now and then.
                2 if elem.float().is_some() => elem.float().map_or(0, moderate),
                3 => (number & 0xfff) << bits.saturating_sub(12 + (number >> 40) as u32 % 12),
                _ => number,
            };
            match elem {
                // The 19 bits of a tf32 are the upper ones.
                Elem::Num(Scalar::Tf32) if number % 6 == 2 => bits & 0xffff_e000,
                Elem::Num(Scalar::Tf32) => bits << 13 & 0xffff_e000,
                _ => bits & mask,
            }
        })
        .collect()
}

fn bytes_of(elem: Elem, numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(|n| n.to_le_bytes()[..elem.size()].to_vec()).collect()
}

fn is_nan(elem: Elem, bits: u64) -> bool {
    elem.float().is_some_and(|format| format.decode(bits).is_nan())
}

/// Numbers that each operation is compared on.
const COUNT: usize = 3000;

fn check(op: ElemOp, sources: &[Elem], result: Elem, code: &Code) {
    let inputs: Vec<Vec<u64>> = sources.iter().enumerate().map(|(i, elem)| numbers(*elem, 77 + 1000 * i as u64, COUNT)).collect();
    check_on(op, sources, result, code, &inputs);
}

/// What all that runs the code gives, by name; each list of inputs has as many numbers as the code takes.
fn results(sources: &[Elem], result: Elem, code: &Code, inputs: &[Vec<u64>]) -> Vec<(String, Vec<u64>)> {
    let count = inputs[0].len();
    let inputs_bytes: Vec<Vec<u8>> = inputs.iter().zip(sources).map(|(numbers, elem)| bytes_of(*elem, numbers)).collect();
    let run = |with: &dyn Fn(&[Arg<'_>])| {
        let mut output = vec![0; count * result.size()];
        let mut args: Vec<Arg<'_>> = inputs_bytes.iter().map(|bytes| Arg::Buffer(Buffer::of(bytes))).collect();
        args.push(Arg::Buffer(Buffer::of_mut(&mut output)));
        with(&args);
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
        output.chunks(result.size()).map(number).collect::<Vec<u64>>()
    };
    let mut outputs = vec![("portable".to_owned(), run(&|args| code.run_portable(args).expect("it runs")))];
    for level in Level::available() {
        let native = code.compile(*level).expect("it compiles");
        outputs.push((format!("{level:?}"), run(&|args| native.run(args).expect("it runs"))));
    }
    outputs
}

/// Compares all that runs the code with the definition; each list has as many numbers as the code takes.
fn check_on(op: ElemOp, sources: &[Elem], result: Elem, code: &Code, inputs: &[Vec<u64>]) {
    let count = inputs[0].len();
    let outputs = results(sources, result, code, inputs);
    let elem = |i: usize| sources.get(i).copied().unwrap_or(sources[sources.len() - 1]);
    // What does not compute keeps all bits of a NaN.
    let keeps_bits = matches!(op, ElemOp::Copy | ElemOp::Select | ElemOp::AbsF | ElemOp::NegF);
    let three = [elem(0), elem(1), elem(2)];
    for i in 0..count {
        let operands: [u64; 3] = std::array::from_fn(|s| inputs.get(s).map_or(0, |numbers| numbers[i]));
        let expected = evaluate(op, &three, result, operands);
        for (name, output) in &outputs {
            let found = output[i];
            assert!(
                found == expected || !keeps_bits && is_nan(result, found) && is_nan(result, expected),
                "{op:?} {sources:?} -> {result:?} of {operands:x?}: {name} gives {found:#x}, expected {expected:#x}\n{code}"
            );
        }
    }
}

#[test]
fn what_is_lowered_gives_what_is_defined() {
    for op in operations() {
        for (sources, result) in types(op) {
            let code = code(op, &sources, result, COUNT);
            assert_eq!(code.is_some(), lower::lowers(op, &sources, result), "{op:?} {sources:?} -> {result:?}");
            match code {
                Some(code) => check(op, &sources, result, &code),
                None => assert!(!exists(op, &sources, result), "{op:?} {sources:?} -> {result:?} is not lowered"),
            }
        }
    }
}

/// However a short NaN comes about, there is one for each type, so that it makes no difference which operations were fused.
#[test]
fn nan_that_is_rounded_is_that_of_the_type() {
    const COUNT: usize = 32;
    let f32 = Elem::Num(Scalar::F32);
    let mode = RoundingMode::NearestEven;
    let mut compared = 0;
    for (scalar, nan) in [(Scalar::F16, 0x7fff), (Scalar::Bf16, 0x7fff), (Scalar::Tf32, 0x7fc0_0000)] {
        let short = Elem::Num(scalar);
        let nans_of =
            |elem: Elem| -> Vec<u64> { numbers(elem, 5, 20_000).into_iter().filter(|bits| is_nan(elem, *bits)).take(COUNT).collect() };
        let max = ElemOp::MaxF { propagate_nan: true, ftz: false };
        for (op, sources) in [
            (ElemOp::FToF(mode), vec![f32]),
            (ElemOp::FToF(RoundingMode::Zero), vec![f32]),
            (ElemOp::FToF(mode), vec![Elem::Num(Scalar::F64)]),
            (ElemOp::AddF(mode, false), vec![short; 2]),
            (max, vec![short; 2]),
        ] {
            let inputs: Vec<Vec<u64>> = sources.iter().map(|elem| nans_of(*elem)).collect();
            let Some(code) = code(op, &sources, short, inputs[0].len()) else { continue };
            compared += 1;
            for (name, found) in results(&sources, short, &code, &inputs) {
                assert!(
                    !found.is_empty() && found.iter().all(|bits| *bits == nan),
                    "{op:?} {sources:?} -> {short:?}: {name} gives {found:x?}\n{code}"
                );
            }
        }
    }
    assert!(compared >= 12, "{compared} operations");
}

/// What is known of a constant spares some of what is computed.
#[test]
fn operations_on_constants_give_what_is_defined() {
    const COUNT: usize = 40;
    for op in operations().into_iter().filter(|op| sources_of(*op) > 1) {
        for (sources, result) in types(op) {
            let numbers_of = |i: usize, seed| numbers(sources[i], seed + 1000 * i as u64, COUNT);
            for at in 0..sources.len() {
                for bits in numbers_of(at, 4711).into_iter().take(8) {
                    let Some(code) = code_with(op, &sources, result, COUNT, Some((at, bits))) else { continue };
                    let mut inputs: Vec<Vec<u64>> = (0..sources.len()).map(|i| numbers_of(i, 99)).collect();
                    inputs[at].fill(bits);
                    check_on(op, &sources, result, &code, &inputs);
                }
            }
        }
    }
}

/// Divided by a power of two is multiplied with its inverse, where that is a normal number as well.
#[test]
fn quotients_by_powers_of_two_are_products() {
    const COUNT: usize = 4000;
    let op = ElemOp::DivF(RoundingMode::NearestEven, false);
    for (scalar, places, bias) in [(Scalar::F32, 23, 127i64), (Scalar::F64, 52, 1023)] {
        let elem = Elem::Num(scalar);
        for exponent in [-bias - 1, -bias, 1 - bias, 2 - bias, -1, 0, 1, 10, bias - 2, bias - 1, bias, bias + 1] {
            // The least two are subnormal, or zero; the largest is infinite.
            let magnitude =
                if exponent <= -bias { ((exponent + bias + 1) as u64) << (places - 1) } else { ((exponent + bias) as u64) << places };
            // Of both signs.
            for bits in [magnitude, magnitude | 1 << (elem.bits() - 1)] {
                let code = code_with(op, &[elem; 2], elem, COUNT, Some((1, bits))).expect("division is lowered");
                check_on(op, &[elem; 2], elem, &code, &[numbers(elem, 5, COUNT), vec![bits; COUNT]]);
                let divides = code.to_string().contains("fdiv");
                assert_eq!(divides, !(1 - bias..bias).contains(&exponent), "by 2^{exponent}, {bits:#x}:\n{code}");
            }
        }
    }
}

/// The larger of a number and a constant needs one instruction where the constant stands for both zeros, whatever its type.
#[test]
fn extremes_with_constants_are_one_primitive() {
    let op = ElemOp::MaxF { propagate_nan: false, ftz: false };
    for (scalar, one) in [(Scalar::F16, 0x3c00), (Scalar::Bf16, 0x3f80), (Scalar::F32, 0x3f80_0000), (Scalar::F64, 0x3ff0 << 48)] {
        let elem = Elem::Num(scalar);
        let negative_zero = 1 << (elem.bits() - 1);
        for (bits, is_one) in [(0, true), (one, true), (one | negative_zero, true), (negative_zero, false)] {
            let code = code_with(op, &[elem; 2], elem, COUNT, Some((1, bits))).expect("maxima are lowered");
            check_on(op, &[elem; 2], elem, &code, &[numbers(elem, 5, COUNT), vec![bits; COUNT]]);
            assert_eq!(!code.to_string().contains("maxnum"), is_one, "{bits:#x}:\n{code}");
        }
    }
}

/// Products of short floats plus terms that nearly cancel them, or that make sums lie next to the middle of two numbers; of all sizes.
#[test]
fn multiply_adds_of_short_floats_round_once() {
    const COUNT: usize = 200_000;
    for (scalar, format) in [(Scalar::F16, FloatFormat::F16), (Scalar::Bf16, FloatFormat::Bf16)] {
        let elem = Elem::Num(scalar);
        let op = ElemOp::Fma(RoundingMode::NearestEven, false);
        let mut state = 88_172_645_463_325_252u64;
        let mut random = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let mut inputs = vec![Vec::new(), Vec::new(), Vec::new()];
        for i in 0..COUNT {
            let (a, b, any) = (random() & 0xffff, random() & 0xffff, random() & 0xffff);
            // Products about the least numbers, and about the largest.
            let partner = |size: f64| format.encode(size / format.decode(a), Rounding::NearestEven).wrapping_add(b % 64);
            let b = match i % 4 {
                0 => b,
                1 => partner(format.decode(1)),
                2 => partner(2f64.powi(format.max_exponent() + 1)),
                _ => format.encode(1.0, Rounding::NearestEven).wrapping_add(b % 256),
            } & 0xffff;
            let product = format.decode(a) * format.decode(b);
            let c = match i % 5 {
                0 => any,
                1 => 0,
                2 => any & 0x8003,
                3 => format.encode(-product, Rounding::NearestEven).wrapping_add(any % 4) & 0xffff,
                // The product lies about where the term has the half of its last place.
                _ => format.encode(product * 2f64.powi(format.mantissa_bits() as i32 + (any % 4) as i32), Rounding::NearestEven),
            };
            inputs.iter_mut().zip([a, b, c]).for_each(|(list, bits)| list.push(bits));
        }
        let code = code(op, &[elem; 3], elem, COUNT).expect("it is lowered");
        check_on(op, &[elem; 3], elem, &code, &inputs);
    }
}

/// Whether modules can have the operation on these types: with the roundings that its row of the table knows.
fn exists(op: ElemOp, sources: &[Elem], result: Elem) -> bool {
    use ElemOp::*;
    let known = |opcode: Opcode, mode: RoundingMode| {
        opcode.def().attrs.iter().any(|attr| attr.name == AttrName::RoundingMode && attr.allowed.contains(mode as u8))
    };
    match op {
        AddF(mode, _) => known(Opcode::AddF, mode),
        SubF(mode, _) => known(Opcode::SubF, mode),
        MulF(mode, _) => known(Opcode::MulF, mode),
        DivF(mode, _) => known(Opcode::DivF, mode),
        Fma(mode, _) => known(Opcode::Fma, mode),
        Sqrt(mode, _) => known(Opcode::Sqrt, mode),
        FToF(mode) => match (sources[0], result) {
            (Elem::Num(from), Elem::Num(to)) => conversion_rounds(from, to, mode),
            _ => false,
        },
        _ => true,
    }
}

/// The primitives of an operation on elements of one type.
fn primitives(op: ElemOp, scalar: Scalar, sources: usize) -> usize {
    let elem = Elem::Num(scalar);
    lower::primitives(op, &vec![elem; sources], elem).unwrap()
}

#[test]
fn functions_are_more_primitives_than_arithmetic() {
    assert_eq!(primitives(ElemOp::Copy, Scalar::F32, 1), 0);
    assert_eq!(primitives(ElemOp::AddF(RoundingMode::NearestEven, false), Scalar::F32, 2), 1);
    assert_eq!(primitives(ElemOp::Fma(RoundingMode::NearestEven, false), Scalar::F64, 3), 1);
    assert!(primitives(ElemOp::Exp, Scalar::F32, 1) > 10);
    assert_eq!(lower::primitives(ElemOp::AddI, &[Elem::Num(Scalar::I4); 2], Elem::Num(Scalar::I4)), None);
}

#[test]
fn everything_that_is_lowered_has_a_number_of_primitives() {
    let unary = [ElemOp::Log2, ElemOp::Sin, ElemOp::Cosh, ElemOp::Tanh, ElemOp::Rsqrt(true), ElemOp::Ceil];
    for scalar in [Scalar::F16, Scalar::Bf16, Scalar::F32, Scalar::F64] {
        assert!(unary.into_iter().all(|op| primitives(op, scalar, 1) > 0));
        assert!(primitives(ElemOp::PowF, scalar, 2) > 10);
    }
}
