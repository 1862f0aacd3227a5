//! What functions are measured on: all values of small types; of larger ones, values of every size, edges, and hard cases.

use tilewright_ir::Scalar;
use tilewright_numeric::{FloatFormat, Rounding};

/// How many values of f32 are looked at, and of f64, whose exact values take long.
const F32: u32 = 1 << 19;
const F64: u64 = 6000;

fn mixed(i: u64) -> u64 {
    let z = (i ^ i >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9).wrapping_add(0x9e37_79b9_7f4a_7c15);
    (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb) ^ z >> 31
}

/// Numbers where functions overflow, underflow, cancel or change their sign, and their neighbours in a type.
fn edges() -> Vec<f64> {
    let mut edges = vec![0.0, -0.0, 1.0, -1.0, 2.0, 0.5, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e300, 1e-300, 1e38, 1e-38, 6e4, 6e-8];
    // Where the exponential functions of each type overflow and underflow.
    edges.extend([
        11.089,
        11.09,
        -17.33,
        -16.64,
        88.722_84,
        88.73,
        -87.336,
        -103.97,
        -104.0,
        709.782_712,
        710.5,
        -708.396,
        -745.13,
        -745.2,
    ]);
    edges
        .extend([127.999_99, 128.0, -126.0, -149.0, -149.5, -150.0, 1023.999, 1024.0, -1022.0, -1074.0, -1075.0, 15.9, 16.0, -24.0, -25.0]);
    // Near multiples of pi / 2, where sine, cosine and tangent nearly vanish; and far away.
    edges.extend((1..400).map(|k| f64::from(k) * std::f64::consts::FRAC_PI_2));
    edges.extend([1e5, 1e10, 1e15, 1e22, 16_367_173.0, 6_381_956_970_095_103.0 * 2f64.powi(797)]);
    // Near 1, where logarithms nearly vanish, and where steps of the hyperbolic functions lie.
    edges.extend((1..50).flat_map(|k| [1.0 + 2f64.powi(-k), 1.0 - 2f64.powi(-k), 2f64.powi(-k), f64::from(k) * 0.25, f64::from(k)]));
    let negative: Vec<f64> = edges.iter().map(|x| -x).collect();
    edges.extend(negative);
    edges
}

/// The edges in a type, with their neighbours.
fn edge_bits(format: FloatFormat) -> Vec<u64> {
    let bits = edges().into_iter().map(|x| format.encode(x, Rounding::NearestEven));
    bits.flat_map(|bits| [bits.wrapping_sub(1), bits, bits + 1]).map(|bits| bits & u64::MAX >> (64 - format.storage_bits())).collect()
}

/// A number of f64 by its exponent, with a random fraction and sign.
fn with_exponent(exponent: i64, seed: u64) -> u64 {
    mixed(seed) & 0x800f_ffff_ffff_ffff | ((exponent + 1023) as u64) << 52
}

/// A random number from 0 to 1.
fn fraction(seed: u64) -> f64 {
    (mixed(seed) >> 11) as f64 / 2f64.powi(53)
}

/// A number of f64: of any size, or where functions do something, or at one of their hard places.
fn double(i: u64) -> u64 {
    let (seed, random) = (i + 77, mixed(i));
    match i % 12 {
        0 => with_exponent((random % 2046) as i64 - 1022, seed),
        1..=4 => with_exponent((random % 42) as i64 - 30, seed),
        5 => (-50.0 + 100.0 * fraction(seed)).to_bits(),
        6 => (-1.8 + 3.6 * fraction(seed)).to_bits(),
        // Multiples of pi / 2, near and far, and their neighbours.
        7 => ((random % (1 << (1 + i % 40))) as f64 * std::f64::consts::FRAC_PI_2).to_bits().wrapping_add(i % 3).wrapping_sub(1),
        // Next to 1, where logarithms nearly vanish.
        8 => (1.0 + f64::from_bits(with_exponent((random % 52) as i64 - 53, seed))).to_bits(),
        // Where exponential functions give subnormal numbers, in both bases, and where they end.
        9 => (-708.3 - 37.0 * fraction(seed)).to_bits(),
        10 => (-1021.9 - 53.3 * fraction(seed)).to_bits(),
        _ => (if random & 1 == 0 { 708.0 + 3.0 * fraction(seed) } else { -18.0 - 4.5 * fraction(seed) }).to_bits(),
    }
}

/// A pair of f64 whose power is hard: large, subnormal, or of a number next to 1; or whose angle is.
fn hard_pair(i: u64) -> (u64, u64) {
    let (x, y) = match i % 4 {
        0 => {
            let x = f64::from_bits(with_exponent((mixed(i) % 2046) as i64 - 1022, i + 1)).abs();
            (x, (-745.2 + 1455.0 * fraction(i + 2)) / x.ln())
        }
        1 => {
            let x = 1.0 + f64::from_bits(with_exponent((mixed(i) % 45) as i64 - 48, i + 1));
            (x, (-745.2 + 1455.0 * fraction(i + 2)) / x.ln())
        }
        // Subnormal powers; small angles of subnormal numbers, too.
        2 => {
            let x = f64::from_bits(mixed(i) >> 1 & !(1 << 62));
            (x, (-708.3 - 37.0 * fraction(i + 2)) / x.ln())
        }
        // Quotients around those where the angle is computed in another way.
        _ => {
            let x = f64::from_bits(with_exponent((mixed(i) % 40) as i64 - 20, i + 1));
            (x * [0.236_06, 0.7208, 1.0, 1.387, 4.236, 1e-9][(i / 4 % 6) as usize] * (0.99 + 0.02 * fraction(i + 3)), x)
        }
    };
    (x.to_bits(), y.to_bits())
}

/// The values that functions of one number are measured on.
pub(crate) fn unary(scalar: Scalar, format: FloatFormat) -> Vec<u64> {
    let mut samples = edge_bits(format);
    match scalar {
        Scalar::F32 => samples.extend((0..F32).map(|i| (u64::from(i) << 13) + (mixed(i.into()) & 0x1fff))),
        Scalar::F64 => samples.extend((0..F64).map(double)),
        _ => samples.extend(0..1 << 16),
    }
    samples
}

/// The pairs that functions of two numbers are measured on.
pub(crate) fn binary(scalar: Scalar, format: FloatFormat) -> (Vec<u64>, Vec<u64>) {
    let few: Vec<f64> =
        vec![0.0, -0.0, 1.0, -1.0, 2.0, -3.0, 0.5, -0.5, 1.5, 10.0, 1e-5, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 7.0, 1e30, -1e-30];
    let few: Vec<u64> = few.into_iter().map(|x| format.encode(x, Rounding::NearestEven)).collect();
    let mut pairs: Vec<(u64, u64)> = few.iter().flat_map(|x| few.iter().map(|y| (*x, *y))).collect();
    let mask = u64::MAX >> (64 - format.storage_bits());
    let (count, mantissa) = (if scalar == Scalar::F64 { F64 } else { 1 << 18 }, format.mantissa_bits());
    for i in 0..count {
        // Numbers of moderate size: powers of others overflow, and quotients of others have simple angles.
        let number = |seed: u64| {
            let random = mixed(seed);
            let exponent = (format.bias() - 6) as u64 + random % 12;
            let sign = (random >> 40 & 1) << (format.storage_bits() - 1);
            (random >> 8 & ((1 << mantissa) - 1)) | exponent << mantissa | sign
        };
        let any = |seed: u64| mixed(seed) & mask;
        pairs.push(match i % 8 {
            0 => (any(i), any(i + 99)),
            1..5 if scalar == Scalar::F64 => hard_pair(i),
            _ => (number(2 * i), number(2 * i + 1)),
        });
    }
    pairs.into_iter().unzip()
}
