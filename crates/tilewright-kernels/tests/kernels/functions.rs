use tilewright_ir::Scalar;
use tilewright_kernels::{ElemOp, KernelFn, cpu::Level, exact, select, select_loop};
use tilewright_numeric::{FloatFormat, Rounding};
use tilewright_passes::elem::Elem;

const UNARY: [ElemOp; 14] = [
    ElemOp::Rsqrt(false),
    ElemOp::Rsqrt(true),
    ElemOp::Exp,
    ElemOp::Exp2(false),
    ElemOp::Exp2(true),
    ElemOp::Log,
    ElemOp::Log2,
    ElemOp::Sin,
    ElemOp::Cos,
    ElemOp::Tan,
    ElemOp::Sinh,
    ElemOp::Cosh,
    ElemOp::Tanh,
    ElemOp::Sqrt(tilewright_ir::RoundingMode::NearestEven, false),
];

/// Numbers around which functions end, overflow, underflow or change their path.
const EDGES: [f64; 30] = [
    0.0,
    1.0,
    2.0,
    0.5,
    f64::INFINITY,
    f64::NAN,
    88.722_84,
    103.97,
    709.782_712_893_384,
    710.475_860_073_943_9,
    708.396_418_532_264_1,
    745.133_219_101_941_1,
    1024.0,
    1022.0,
    1074.0,
    1075.0,
    22.0,
    19.06,
    9.5,
    1_048_576.0,
    1e22,
    1e300,
    1e-300,
    1e-310,
    5e-324,
    1e-150,
    std::f64::consts::FRAC_PI_2,
    std::f64::consts::FRAC_PI_4,
    0.236_06,
    0.7208,
];

/// Bits of edges, of numbers of moderate size, and of any.
fn patterns(format: FloatFormat, seed: u64) -> Vec<u64> {
    let mut state = seed;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state ^ state >> 31
    };
    let mask = u64::MAX >> (64 - format.storage_bits());
    let sign = 1 << (format.storage_bits() - 1);
    (0..4096)
        .map(|i| {
            let edge =
                format.encode(EDGES[random() as usize % EDGES.len()], Rounding::NearestEven).wrapping_add(random() % 3).wrapping_sub(1);
            let (exponent, fraction) = ((format.bias() - 12) as u64 + random() % 24, random() & ((1 << format.mantissa_bits()) - 1));
            let moderate = exponent << format.mantissa_bits() | fraction;
            let any = random();
            // A few angles that are far, not some for each group of elements that are looked at together.
            (match i % 256 {
                0..64 => edge,
                64..72 => any,
                _ => moderate,
            } ^ (sign * (random() >> 20 & 1)))
                & mask
        })
        .collect()
}

fn stored(values: &[u64], elem: Elem) -> Vec<u64> {
    let mut bytes = vec![0u64; values.len()];
    for (i, value) in values.iter().enumerate() {
        // SAFETY: 8 bytes for each element.
        unsafe { exact::write(bytes.as_mut_ptr().cast(), i, elem.size(), *value) };
    }
    bytes
}

/// Every loop of a function gives the bits of the definition, at every level of the CPU.
#[test]
fn functions_agree_with_the_definition() {
    let floats = [
        (Scalar::F16, FloatFormat::F16),
        (Scalar::Bf16, FloatFormat::Bf16),
        (Scalar::F32, FloatFormat::F32),
        (Scalar::F64, FloatFormat::F64),
    ];
    for (scalar, format) in floats {
        let elem = Elem::Num(scalar);
        let unary = UNARY.map(|op| (op, vec![elem]));
        let binary = [ElemOp::PowF, ElemOp::Atan2].map(|op| (op, vec![elem, elem]));
        let powers = [Scalar::I1, Scalar::I8, Scalar::I16, Scalar::I32].map(|n| (ElemOp::PowI, vec![elem, Elem::Num(n)]));
        for (op, srcs) in unary.into_iter().chain(binary).chain(powers) {
            let Some(kernel) = select(op, &srcs, elem) else { continue };
            let x = patterns(format, 1);
            let y = match srcs.get(1) {
                Some(Elem::Num(Scalar::I1)) => (0..x.len() as u64).map(|i| i % 2).collect(),
                Some(n) if n.is_int() => (0..x.len() as u64).map(|i| if i % 3 == 0 { i % 40 } else { i * i * i }.wrapping_sub(9)).collect(),
                _ => patterns(format, 2),
            };
            let sources = [stored(&x, elem), stored(&y, *srcs.last().unwrap())];
            let pointers = [sources[0].as_ptr().cast(), sources[1].as_ptr().cast(), std::ptr::null()];
            let run = |run: KernelFn| {
                let mut out = vec![0u64; x.len()];
                // SAFETY: every array has 8 bytes for each element.
                unsafe { run(out.as_mut_ptr().cast(), pointers, x.len(), &kernel.imm) };
                // SAFETY: as above.
                (0..x.len()).map(|i| unsafe { exact::read(out.as_ptr().cast(), i, elem.size()) }).collect::<Vec<u64>>()
            };
            let expected = run(exact::run);
            for level in Level::available() {
                let Some(fast) = select_loop(level, op, &srcs, elem) else { continue };
                for (i, (found, expected)) in run(fast).into_iter().zip(&expected).enumerate() {
                    let (a, b) = (format.decode(x[i]), y[i]);
                    let same = found == *expected || format.is_nan(found) && format.is_nan(*expected);
                    assert!(same, "{op:?} {srcs:?} of {a:e}, {b:x} at {level:?}: {found:x}, not {expected:x}");
                }
            }
        }
    }
}
