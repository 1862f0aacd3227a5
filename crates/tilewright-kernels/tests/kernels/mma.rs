use tilewright_ir::Scalar;
use tilewright_kernels::{
    ahead::Ahead,
    cpu::Level,
    mma::{
        Batch, Deferred, MatmulKind, Matrices, Matrix, Operands, Packs, Shape, Together, deferred, matmul, product_of_bytes, stay_normal,
    },
};
use tilewright_numeric::FloatFormat;

const SHAPES: [(usize, usize, usize); 20] = [
    (1, 1, 1),
    (4, 32, 8),
    (5, 33, 3),
    (8, 64, 16),
    (2, 16, 1),
    (16, 4, 7),
    (3, 31, 2),
    (13, 48, 5),
    (9, 72, 4),
    (64, 128, 32),
    (4, 64, 70),
    (11, 192, 33),
    (16, 16, 16),
    (40, 72, 50),
    (33, 97, 131),
    (6, 48, 9),
    (7, 40, 12),
    (10, 17, 20),
    (12, 96, 31),
    (23, 35, 8),
];

/// Small whole numbers: every order and rounding of their products gives the same.
fn numbers(n: usize, factor: usize, modulus: usize) -> impl Iterator<Item = i32> {
    (0..n).map(move |i| (i * factor % modulus) as i32 - modulus as i32 / 2)
}

fn expected((m, n, k): (usize, usize, usize), a: &[i32], b: &[i32], c: impl Fn(usize) -> i32) -> Vec<i32> {
    (0..m * n).map(|at| c(at) + (0..k).map(|p| a[at / n * k + p] * b[p * n + at % n]).sum::<i32>()).collect()
}

/// The elements of a matrix, row by row, in an array where neighbours lie `down` and `right` apart.
fn place<T: Copy>(elements: &[T], columns: usize, (down, right): (usize, usize)) -> Vec<T> {
    let at = |i: usize| i / columns * down + i % columns * right;
    let mut placed = vec![elements[0]; at(elements.len() - 1) + 1];
    elements.iter().enumerate().for_each(|(i, x)| placed[at(i)] = *x);
    placed
}

/// Multiplies small whole numbers in one type, with and without a splat as the third operand, in place and not, with factors whose
/// rows lie side by side, apart, and that are transposed.
fn check<T: Copy, R: Copy + Default + PartialEq + std::fmt::Debug>(kind: MatmulKind, factor: impl Fn(i32) -> T, result: impl Fn(i32) -> R) {
    let scaled = matches!(kind, MatmulKind::Scaled { .. });
    for level in Level::available() {
        // What earlier products left in it must not matter.
        let (mut packs, mut ahead) = (Packs::default(), Ahead::default());
        let mut most = [0; Packs::ROOMS];
        for (m, n, k) in SHAPES {
            let needed = Packs::most(kind, &Shape { m, n, k }, 1);
            most = std::array::from_fn(|room| most[room].max(needed[room]));
            let (a, b) = (numbers(m * k, 7, 11).collect::<Vec<_>>(), numbers(k * n, 5, 13).collect::<Vec<_>>());
            let (lhs, rhs): (Vec<T>, Vec<T>) = (a.iter().map(|x| factor(*x)).collect(), b.iter().map(|x| factor(*x)).collect());
            let layouts = [((k, 1), (n, 1)), ((k + 3, 1), (n + 5, 1)), ((1, m), (1, k)), ((2, 2 * m + 1), (3, 3 * k))];
            for (i, (left, right)) in layouts.into_iter().enumerate().take(if scaled { 1 } else { 4 }) {
                let (lhs, rhs) = (place(&lhs, k, left), place(&rhs, n, right));
                let (splat, in_place) = [(false, false), (false, true), (true, false), (true, false)][i];
                let value = |i: usize| if splat { 3 } else { (i % 3) as i32 };
                let mut acc: Vec<R> = (0..if splat { 1 } else { m * n }).map(|i| result(value(i))).collect();
                let mut out = vec![R::default(); m * n];
                let operands = Operands {
                    lhs: &Matrix { start: lhs.as_ptr().cast(), down: left.0, right: left.1 },
                    rhs: &Matrix { start: rhs.as_ptr().cast(), down: right.0, right: right.1 },
                    acc: acc.as_mut_ptr().cast(),
                    acc_is_splat: splat,
                    dst: if in_place { acc.as_mut_ptr().cast() } else { out.as_mut_ptr().cast() },
                    scales: None,
                };
                // SAFETY: the arrays have the extents given, and the level is available.
                unsafe { matmul(level, kind, &Shape { m, n, k }, 1, &operands, &mut packs, &mut ahead) };
                assert!(packs.bytes().iter().zip(&most).all(|(bytes, most)| bytes <= most), "{kind:?}: {:?} {most:?}", packs.bytes());
                let found = if in_place { acc } else { out };
                let expected: Vec<R> = expected((m, n, k), &a, &b, value).into_iter().map(&result).collect();
                assert_eq!(found, expected, "{kind:?} {m}x{k} times {k}x{n} at {level:?}, layout {left:?} {right:?}");
            }
        }
    }
}

#[test]
fn every_type_and_shape_agrees_with_the_definition() {
    let half = |x: i32| tilewright_numeric::bulk::f32_to_f16(x as f32);
    check(MatmulKind::F64, f64::from, f64::from);
    check(MatmulKind::float(Scalar::F32, Scalar::F32).unwrap(), |x| x as f32, |x| x as f32);
    check(MatmulKind::float(Scalar::Tf32, Scalar::F32).unwrap(), |x| x as f32, |x| x as f32);
    check(MatmulKind::float(Scalar::F16, Scalar::F32).unwrap(), half, |x| x as f32);
    check(MatmulKind::float(Scalar::F16, Scalar::F16).unwrap(), half, half);
    check(MatmulKind::float(Scalar::Bf16, Scalar::F32).unwrap(), |x| tilewright_numeric::bulk::f32_to_bf16(x as f32), |x| x as f32);
    check(MatmulKind::float(Scalar::F8E4M3FN, Scalar::F32).unwrap(), |x| tilewright_numeric::bulk::f32_to_e4m3(x as f32), |x| x as f32);
    check(MatmulKind::I32 { lhs_signed: true, rhs_signed: true }, |x| x as i8, |x| x);
    check(MatmulKind::scaled(Scalar::F8E5M2).unwrap(), |x| tilewright_numeric::bulk::f32_to_e5m2(x as f32), |x| x as f32);
}

/// The bits of the sums of products of these tiles along `k`, so many of which are computed as one.
fn summed<T: Copy, R: Copy + Default>(level: Level, kind: MatmulKind, shape: Shape, together: usize, [lhs, rhs]: [&[T]; 2]) -> Vec<R> {
    const PRODUCTS: usize = 6;
    let Shape { m, n, k } = shape;
    let mut sums = vec![R::default(); m * n];
    for first in (0..PRODUCTS).step_by(together) {
        let operands = Operands {
            lhs: &Matrix { start: lhs[first * k..].as_ptr().cast(), down: PRODUCTS * k, right: 1 },
            rhs: &Matrix { start: rhs[first * k * n..].as_ptr().cast(), down: n, right: 1 },
            acc: sums.as_ptr().cast(),
            acc_is_splat: false,
            dst: sums.as_mut_ptr().cast(),
            scales: None,
        };
        // SAFETY: the factors lie in the arrays, and the level is available.
        unsafe { matmul(level, kind, &shape, together, &operands, &mut Packs::default(), &mut Ahead::default()) };
    }
    sums
}

#[test]
fn products_that_are_computed_together_give_the_bits_of_one_after_the_other() {
    for level in Level::available() {
        for (m, n, k) in [(1, 1, 4), (9, 72, 8), (8, 64, 40), (33, 97, 3), (16, 128, 32)] {
            let shape = Shape { m, n, k };
            let (a, b) = (normal_numbers(6 * m * k, 1), normal_numbers(6 * k * n, 2));
            let wide = [&a, &b].map(|x| x.iter().map(|x| f64::from(*x)).collect::<Vec<_>>());
            let half = [&a, &b].map(|x| x.iter().map(|x| tilewright_numeric::bulk::f32_to_f16(*x)).collect::<Vec<_>>());
            let (f32s, f16s) = (MatmulKind::float(Scalar::F32, Scalar::F32).unwrap(), MatmulKind::float(Scalar::F16, Scalar::F32).unwrap());
            let bits = |together| {
                let of_f32: Vec<f32> = summed(level, f32s, shape, together, [&a, &b]);
                let of_f16: Vec<f32> = summed(level, f16s, shape, together, [&half[0], &half[1]]);
                let of_f64: Vec<f64> = summed(level, MatmulKind::F64, shape, together, [&wide[0], &wide[1]]);
                let of_f64 = of_f64.into_iter().map(f64::to_bits);
                of_f32.into_iter().chain(of_f16).map(|x| x.to_bits().into()).chain(of_f64).collect::<Vec<u64>>()
            };
            let apart = bits(1);
            assert!([2, 3, 6].into_iter().all(|together| bits(together) == apart), "{shape:?} at {level:?}");
        }
    }
}

#[test]
fn products_are_summed_apart_from_what_they_are_added_to() {
    // Next to this number, one is nothing.
    const LARGE: f32 = (1 << 24) as f32;
    for level in Level::available() {
        let (lhs, rhs, acc, mut dst) = ([1f32; 16], [1f32; 16], [LARGE], [0f32]);
        let operands = Operands {
            lhs: &Matrix { start: lhs.as_ptr().cast(), down: 16, right: 1 },
            rhs: &Matrix { start: rhs.as_ptr().cast(), down: 1, right: 1 },
            acc: acc.as_ptr().cast(),
            acc_is_splat: false,
            dst: dst.as_mut_ptr().cast(),
            scales: None,
        };
        let kind = MatmulKind::float(Scalar::F32, Scalar::F32).unwrap();
        // SAFETY: the arrays have the extents given, and the level is available.
        unsafe { matmul(level, kind, &Shape { m: 1, n: 1, k: 16 }, 1, &operands, &mut Packs::default(), &mut Ahead::default()) };
        assert_eq!(dst, [LARGE + 16.0]);
    }
}

#[test]
fn products_of_small_numbers_are_as_exact_as_others() {
    let bf16 = tilewright_numeric::bulk::f32_to_bf16;
    let kind = MatmulKind::float(Scalar::Bf16, Scalar::F32).unwrap();
    const N: usize = 32;
    // Of each, the first factor, the second, and what is added.
    for [a, b, c] in [[1e-30f32, 1e-10, 0.0], [1e-39, 1.0, 0.0], [0.0, 0.0, 1e-40], [1.0, 0.0, 1e-40], [1e-30, 1e-8, 1e-39]] {
        let (lhs, rhs, acc, mut dst) = (vec![bf16(a); N * N], vec![bf16(b); N * N], vec![c; N * N], vec![0f32; N * N]);
        let [a, b] = [lhs[0], rhs[0]].map(|x| FloatFormat::Bf16.decode(u64::from(x)));
        let matrix = |factor: &[u16]| Matrix { start: factor.as_ptr().cast(), down: N, right: 1 };
        let operands = Operands {
            lhs: &matrix(&lhs),
            rhs: &matrix(&rhs),
            acc: acc.as_ptr().cast(),
            acc_is_splat: false,
            dst: dst.as_mut_ptr().cast(),
            scales: None,
        };
        for level in Level::available().filter(|level| level.fuses()) {
            // SAFETY: the arrays have the extents given, and the level is available.
            unsafe { matmul(level, kind, &Shape { m: N, n: N, k: N }, 1, &operands, &mut Packs::default(), &mut Ahead::default()) };
            let expected = f64::from(c) + N as f64 * a * b;
            // As far as the last place of the least numbers.
            let unit = f64::from(f32::from_bits(1));
            assert!(dst.iter().all(|x| (f64::from(*x) - expected).abs() <= N as f64 * (unit + 6e-8 * expected)), "{a:e} {b:e} {c:e}");
        }
    }
}

/// Numbers of about the standard normal distribution.
fn normal_numbers(n: usize, seed: u64) -> Vec<f32> {
    let mut state = seed;
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 24) as f32
    };
    (0..n).map(|_| (0..12).map(|_| uniform()).sum::<f32>() - 6.0).collect()
}

/// The root mean square of the errors of a product of square matrices of f16, which is summed by products of tiles of `step` columns.
fn error_of_f16(level: Level, step: usize) -> f64 {
    const N: usize = 256;
    let halves = |seed| normal_numbers(N * N, seed).into_iter().map(tilewright_numeric::bulk::f32_to_f16).collect::<Vec<u16>>();
    let (lhs, rhs, mut sums) = (halves(1), halves(2), vec![0f32; N * N]);
    let (mut packs, mut ahead) = (Packs::default(), Ahead::default());
    for k in (0..N).step_by(step) {
        let operands = Operands {
            lhs: &Matrix { start: lhs[k..].as_ptr().cast(), down: N, right: 1 },
            rhs: &Matrix { start: rhs[k * N..].as_ptr().cast(), down: N, right: 1 },
            acc: sums.as_ptr().cast(),
            acc_is_splat: false,
            dst: sums.as_mut_ptr().cast(),
            scales: None,
        };
        let kind = MatmulKind::float(Scalar::F16, Scalar::F32).unwrap();
        // SAFETY: the factors lie in the arrays, and the level is available.
        unsafe { matmul(level, kind, &Shape { m: N, n: N, k: step }, 1, &operands, &mut packs, &mut ahead) };
    }
    let exact = |x: &u16| FloatFormat::F16.decode(u64::from(*x));
    let (lhs, rhs): (Vec<f64>, Vec<f64>) = (lhs.iter().map(exact).collect(), rhs.iter().map(exact).collect());
    let sum = |at: usize| (0..N).map(|k| lhs[at / N * N + k] * rhs[k * N + at % N]).sum::<f64>();
    let squares: f64 = sums.iter().enumerate().map(|(at, found)| (f64::from(*found) - sum(at)).powi(2)).sum();
    (squares / (N * N) as f64).sqrt()
}

#[test]
fn errors_of_long_sums_are_those_of_short_ones() {
    for level in Level::available() {
        for step in [16, 32, 64, 128, 256] {
            let error = error_of_f16(level, step);
            // In one sum after the other it would be 4.4e-6.
            assert!(error < 1.7e-6, "{error:.2e} in steps of {step} at {level:?}");
        }
    }
}

/// Bytes, the same ones for each `seed`, and their value as signed or unsigned ones.
fn bytes(n: usize, seed: u32) -> Vec<u8> {
    (0..n as u32).map(|i| (i.wrapping_mul(2_654_435_761).wrapping_add(seed) >> 13) as u8).collect()
}

#[test]
fn bytes_of_any_sign_agree_with_the_definition() {
    let value = |signed: bool, x: u8| if signed { i32::from(x as i8) } else { i32::from(x) };
    // Pairs at every level, quads where there are some, and tiles for large products.
    let few = Shape { m: 1, n: 1, k: 1 };
    let ways = |level, shape| [Together::Pairs, Together::best(level, &few), Together::best(level, &shape)].map(|way| (level, way));
    let mut packs = Packs::default();
    for (m, n, k) in SHAPES {
        for (level, together) in Level::available().flat_map(|level| ways(level, Shape { m, n, k })) {
            let (lhs, rhs, acc) = (bytes(m * k, 1), bytes(k * n, 2), vec![i32::MAX; m * n]);
            for signs in [[false, false], [false, true], [true, false], [true, true]] {
                let mut found = vec![0i32; m * n];
                let operands = Operands {
                    lhs: &Matrix { start: lhs.as_ptr(), down: k, right: 1 },
                    rhs: &Matrix { start: rhs.as_ptr(), down: n, right: 1 },
                    acc: acc.as_ptr().cast(),
                    acc_is_splat: false,
                    dst: found.as_mut_ptr().cast(),
                    scales: None,
                };
                packs.begin(1);
                // SAFETY: the arrays have the extents given, and the level is available.
                unsafe { product_of_bytes(level, together, signs, Shape { m, n, k }, &operands, &mut packs, &mut Ahead::default()) };
                let term = |at: usize, p: usize| value(signs[0], lhs[at / n * k + p]) * value(signs[1], rhs[p * n + at % n]);
                let expected = |at: usize| (0..k).fold(i32::MAX, |sum, p| sum.wrapping_add(term(at, p)));
                let expected: Vec<i32> = (0..m * n).map(expected).collect();
                assert_eq!(found, expected, "{m} x {n} x {k}, signed: {signs:?}, {together:?} at {level:?}");
            }
        }
    }
}

#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line(#[expect(dead_code, reason = "reached through pointers")] [u8; 64]);

/// A matrix that begins where a line of the cache does.
struct Placed {
    lines: Vec<Line>,
    pitch: usize,
}

impl Placed {
    /// Rows of so many columns, with `pitch` elements from one to the next.
    fn new<T: Copy>(elements: &[T], columns: usize, pitch: usize) -> Placed {
        let bytes = elements.len() / columns * pitch * size_of::<T>();
        let mut lines = vec![Line([0; 64]); bytes.div_ceil(64)];
        let to = lines.as_mut_ptr().cast::<T>();
        for (i, x) in elements.iter().enumerate() {
            // SAFETY: there are as many rows, each with room for so many columns.
            unsafe { to.add(i / columns * pitch + i % columns).write(*x) };
        }
        Placed { lines, pitch }
    }

    fn matrix(&self) -> Matrix {
        Matrix { start: self.lines.as_ptr().cast(), down: self.pitch, right: 1 }
    }
}

/// The bits of a product with sums of 32 bits.
fn bits_of(kind: MatmulKind, shape: Shape, [lhs, rhs]: [&Placed; 2], packs: &mut Packs) -> Vec<u32> {
    let (acc, mut found) = ([0u32], vec![0u32; shape.m * shape.n]);
    let operands = Operands {
        lhs: &lhs.matrix(),
        rhs: &rhs.matrix(),
        acc: acc.as_ptr().cast(),
        acc_is_splat: true,
        dst: found.as_mut_ptr().cast(),
        scales: None,
    };
    // SAFETY: the arrays have the extents given, and the level is available.
    unsafe { matmul(Level::best(), kind, &shape, 1, &operands, packs, &mut Ahead::default()) };
    found
}

fn normal_bf16(n: usize, seed: u64) -> Vec<u16> {
    normal_numbers(n, seed).into_iter().map(tilewright_numeric::bulk::f32_to_bf16).collect()
}

#[test]
fn left_factors_that_lie_as_tiles_give_the_bits_of_copied_ones() {
    // Rows with a pitch that is no whole number of lines are copied; whole lines are read in place, unless they are far apart.
    fn check<T: Copy>(kind: MatmulKind, shape: Shape, lhs: &[T], rhs: &[T]) {
        let Shape { n, k, .. } = shape;
        let rhs = Placed::new(rhs, n, n);
        let bits = |pitch| bits_of(kind, shape, [&Placed::new(lhs, k, pitch), &rhs], &mut Packs::default());
        let copied = bits(k + 3);
        for pitch in [k, 2 * k, 4 * k] {
            assert!(bits(pitch) == copied, "{kind:?}, {shape:?}, rows {pitch} apart");
        }
    }
    let float = MatmulKind::float(Scalar::Bf16, Scalar::F32).unwrap();
    for (m, n, k) in [(16, 16, 32), (48, 40, 64), (64, 97, 128), (33, 32, 64), (32, 48, 96)] {
        check(float, Shape { m, n, k }, &normal_bf16(m * k, 1), &normal_bf16(k * n, 2));
        let (k, signs) = (2 * k, [false, true]);
        for (lhs_signed, rhs_signed) in signs.into_iter().flat_map(|left| signs.map(|right| (left, right))) {
            check(MatmulKind::I32 { lhs_signed, rhs_signed }, Shape { m, n, k }, &bytes(m * k, 1), &bytes(k * n, 2));
        }
    }
    // The last number is too small for tiles, wherever it lies.
    let (mut small, ones) = (vec![0u16; 32 * 64], vec![0x3f80u16; 64 * 32]);
    small[32 * 64 - 1] = 1;
    let (shape, right) = (Shape { m: 32, n: 32, k: 64 }, Placed::new(&ones, 32, 32));
    for pitch in [64, 67, 128] {
        let found = bits_of(float, shape, [&Placed::new(&small, 64, pitch), &right], &mut Packs::default());
        assert_eq!(found[31 * 32..], [1 << 16; 32]);
    }
}

#[test]
fn narrow_right_factors_that_are_read_in_place_give_the_bits_of_copied_ones() {
    let kind = MatmulKind::float(Scalar::F32, Scalar::F32).unwrap();
    for (m, n, k) in [(16, 16, 16), (9, 32, 33), (40, 48, 32), (12, 80, 8)] {
        let shape = Shape { m, n, k };
        let (lhs, numbers) = (Placed::new(&normal_numbers(m * k, 1), k, k), normal_numbers(k * n, 2));
        // The bits, and the bytes that copies of the right factor took.
        let product = |pitch| {
            let mut packs = Packs::default();
            let bits = bits_of(kind, shape, [&lhs, &Placed::new(&numbers, n, pitch)], &mut packs);
            (bits, packs.bytes()[2])
        };
        let (copied, bytes) = product(n + 1);
        assert!(bytes > 0);
        for (pitch, is_near) in [(n, true), (128, true), (2048, false)] {
            let (bits, bytes) = product(pitch);
            assert!(bits == copied, "{shape:?}, rows {pitch} apart");
            // Such factors are no whole panels with the longest vectors only.
            assert!(Level::best() != Level::Avx512 || (bytes == 0) == is_near, "{shape:?}, rows {pitch} apart: {bytes} bytes");
        }
    }
}

#[test]
fn products_share_copies_of_factors_however_they_lie() {
    let (shape, kind) = (Shape { m: 40, n: 48, k: 64 }, MatmulKind::float(Scalar::Bf16, Scalar::F32).unwrap());
    let Shape { m, n, k } = shape;
    let lhs = Placed::new(&normal_bf16(m * k, 1), k, k);
    let rhs = [2, 3].map(|seed| Placed::new(&normal_bf16(k * n, seed), n, n));
    // Products with it may be too small for tiles: both factors are copied as f32, too.
    let small = Placed::new(&vec![1u16; k * n], n, n);
    let alone = |rhs| bits_of(kind, shape, [&lhs, rhs], &mut Packs::default());

    let mut packs = Packs::default();
    packs.begin(4);
    for rhs in [&rhs[0], &small, &rhs[0], &rhs[1], &small, &rhs[0]] {
        assert!(bits_of(kind, shape, [&lhs, rhs], &mut packs) == alone(rhs));
    }

    let (mut packs, mut of_one) = (Packs::default(), Packs::default());
    packs.begin(2);
    rhs.iter().for_each(|rhs| drop(bits_of(kind, shape, [&lhs, rhs], &mut packs)));
    of_one.begin(1);
    bits_of(kind, shape, [&lhs, &rhs[0]], &mut of_one);
    let ([_, left, right, ..], [_, left_of_one, right_of_one, ..]) = (packs.bytes(), of_one.bytes());
    assert_eq!((left, right), (left_of_one, 2 * right_of_one), "the left factor was copied once");
}

/// The bits of the sums of a batch that begin with `start`, to which the products of tiles along `k` are added: one by one, or, where the CPU computes
/// several together, all that it takes on. A factor is one matrix for all of the batch, or as many beside each other.
fn one_after_the_other<T: Copy>(
    kind: MatmulKind,
    (shape, batch): (Shape, Batch),
    [lhs, rhs]: [&[T]; 2],
    start: u32,
    together: bool,
) -> Vec<u32> {
    const PRODUCTS: usize = 21;
    let (Shape { m, n, k }, level) = (shape, Level::best());
    let (mut packs, mut ahead, mut waiting) = (Packs::default(), Ahead::default(), Deferred::default());
    let mut sums = vec![start; batch.products * m * n];
    let pitch = batch.factors[1] * n;
    let across = batch.factors.map(|factors| factors > 1);
    for product in 0..PRODUCTS {
        let first = Matrix { start: lhs[product * k..].as_ptr().cast(), down: PRODUCTS * k, right: 1 };
        let lhs = Matrices { first, across: usize::from(across[0]) * m * PRODUCTS * k * size_of::<T>() };
        let first = Matrix { start: rhs[product * k * pitch..].as_ptr().cast(), down: pitch, right: 1 };
        let rhs = Matrices { first, across: usize::from(across[1]) * n * size_of::<T>() };
        // SAFETY: the factors lie in the arrays, and the level is available.
        let waits = together && unsafe { waiting.take(level, kind, &shape, batch, [&lhs, &rhs], &mut ahead) };
        if !waits || waiting.is_full() {
            // SAFETY: there are as many sums.
            unsafe { waiting.add_to(sums.as_mut_ptr().cast(), &mut ahead) };
        }
        for (i, sums) in sums.chunks_mut(m * n).enumerate().filter(|_| !waits) {
            let (lhs, rhs, dst): (_, _, *mut u8) = (lhs.of(i), rhs.of(i), sums.as_mut_ptr().cast());
            let operands = Operands { lhs: &lhs, rhs: &rhs, acc: dst, acc_is_splat: false, dst, scales: None };
            packs.begin(1);
            // SAFETY: as above.
            unsafe { matmul(level, kind, &shape, 1, &operands, &mut packs, &mut ahead) };
        }
    }
    // SAFETY: there are as many sums.
    unsafe { waiting.add_to(sums.as_mut_ptr().cast(), &mut ahead) };
    sums
}

#[test]
fn deferred_products_give_the_bits_of_one_after_the_other() {
    let float = MatmulKind::float(Scalar::Bf16, Scalar::F32).unwrap();
    for (m, n) in [(16, 16), (17, 40), (64, 128), (48, 32), (40, 97), (32, 64)] {
        let shape = Shape { m, n, k: 32 };
        let (mut lhs, rhs) = (normal_bf16(21 * m * 32, 1), normal_bf16(21 * 32 * n, 2));
        // Zeros, ones, numbers below and little above the least normal one, of which sums are less than that. The products of the first row are zeros: what
        // is added to stays as it is.
        lhs[..21 * 32].fill(0);
        for start in [0.0f32, 1.0, 1e-40, 3e-38] {
            let sums = |together| one_after_the_other(float, (shape, Batch::ONE), [&lhs, &rhs], start.to_bits(), together);
            let one_by_one = sums(false);
            assert!(one_by_one[..n].iter().all(|bits| *bits == start.to_bits()), "{shape:?} from {start:e}");
            assert!(deferred(Level::best(), float, &shape) == 1 || sums(true) == one_by_one, "{shape:?} from {start:e}");
        }
        // A number that is too small for tiles, in the second row of the tenth product.
        lhs[21 * 32 + 9 * 32 + 3] = 1;
        let sums = |together| one_after_the_other(float, (shape, Batch::ONE), [&lhs, &rhs], 0, together);
        assert!(deferred(Level::best(), float, &shape) == 1 || sums(true) == sums(false), "{shape:?} with a small number");

        let (signs, shape) = (MatmulKind::I32 { lhs_signed: true, rhs_signed: false }, Shape { k: 128, ..shape });
        let factors = [bytes(21 * m * 128, 1), bytes(21 * 128 * n, 2)];
        let sums =
            |together| one_after_the_other(signs, (shape, Batch::ONE), [&factors[0], &factors[1]], i32::MAX.cast_unsigned(), together);
        assert!(deferred(Level::best(), signs, &shape) == 1 || sums(true) == sums(false), "{shape:?} of bytes");
    }
}

#[test]
fn deferred_products_of_a_batch_share_factors() {
    let float = MatmulKind::float(Scalar::Bf16, Scalar::F32).unwrap();
    let shape = Shape { m: 40, n: 48, k: 32 };
    if deferred(Level::best(), float, &shape) == 1 {
        return;
    }
    for factors in [[1, 3], [3, 1], [3, 3]] {
        let batch = Batch { products: 3, factors };
        let (mut lhs, rhs) = (normal_bf16(21 * factors[0] * 40 * 32, 1), normal_bf16(21 * 32 * factors[1] * 48, 2));
        for small in [false, true] {
            if small {
                // Of the last matrix of the batch in the tenth product.
                let last = lhs.len() - 21 * 32;
                lhs[last + 9 * 32] = 1;
            }
            let sums = |together| one_after_the_other(float, (shape, batch), [&lhs, &rhs], 1.0f32.to_bits(), together);
            assert_eq!(sums(true), sums(false), "{factors:?}, with a number too small for tiles: {small}");
        }
    }
}

#[test]
fn products_of_whole_tiles_are_deferred_if_they_are_added_tile_by_tile() {
    let float = MatmulKind::float(Scalar::Bf16, Scalar::F32).unwrap();
    let has = |kind, k| deferred(Level::best(), kind, &Shape { m: 64, n: 64, k });
    let bytes = MatmulKind::I32 { lhs_signed: true, rhs_signed: true };
    if has(float, 32) > 1 {
        assert_eq!([16, 32, 40, 64, 256].map(|k| has(float, k)), [1, 8, 1, 1, 1]);
        assert_eq!([32, 64, 128, 256, 512].map(|k| has(bytes, k)), [1, 8, 4, 2, 1]);
    }
    assert_eq!(has(MatmulKind::F64, 32), 1);
}

#[test]
fn integers_wrap() {
    for level in Level::available() {
        let (lhs, rhs, acc, mut dst) = ([200u8, 1, 255], [255u8, 2, 255], [i32::MAX], [0i32]);
        let operands = Operands {
            lhs: &Matrix { start: lhs.as_ptr(), down: 3, right: 1 },
            rhs: &Matrix { start: rhs.as_ptr(), down: 1, right: 1 },
            acc: acc.as_ptr().cast(),
            acc_is_splat: false,
            dst: dst.as_mut_ptr().cast(),
            scales: None,
        };
        let kind = MatmulKind::I32 { lhs_signed: false, rhs_signed: true };
        // SAFETY: the arrays have the extents given, and the level is available.
        unsafe { matmul(level, kind, &Shape { m: 1, n: 1, k: 3 }, 1, &operands, &mut Packs::default(), &mut Ahead::default()) };
        assert_eq!(dst, [i32::MAX.wrapping_add(-200 + 2 - 255)]);
    }
}

#[test]
fn products_of_numbers_that_are_too_small_are_told() {
    let bits = |x: f32| (x.to_bits() >> 16) as u16;
    assert!(stay_normal(None, None) && stay_normal(Some(bits(1.0)), Some(bits(1.0))));
    assert!(stay_normal(Some(bits(1e-30)), Some(bits(1.0))) && !stay_normal(Some(bits(1e-30)), Some(bits(1e-10))));
    assert!(stay_normal(Some(bits(1e-30)), None) && !stay_normal(Some(1), None) && !stay_normal(Some(1), Some(bits(1e30))));
}
