//! The kernels to be measured, with their sizes. `benches/kernels.py` holds their source.

use super::check::Expected;
use serde::Deserialize;
use std::borrow::Cow;
use tilewright::ir::Scalar;

/// What a buffer holds before the launch.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Fill {
    Zeros,
    /// Floating-point numbers from the first to below the second.
    Uniform(f64, f64),
    /// Whole numbers from 0 to below this.
    Below(u64),
}

/// An argument of the Python kernel: an array becomes a pointer, its extents and its strides, in elements.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Argument {
    Array { scalar: Scalar, shape: Vec<usize>, strides: Vec<usize>, fill: Fill },
    Number(Scalar, u64),
}

impl Argument {
    /// An array whose elements lie in order.
    fn array(scalar: Scalar, shape: &[usize], fill: Fill) -> Argument {
        let strides = (0..shape.len()).map(|d| shape[d + 1..].iter().product()).collect();
        Argument::Array { scalar, shape: shape.to_vec(), strides, fill }
    }

    /// What an array holds.
    pub(super) fn scalar(&self) -> Option<Scalar> {
        match self {
            Argument::Array { scalar, .. } => Some(*scalar),
            Argument::Number(..) => None,
        }
    }

    /// How many elements lie from the first to the last of an array.
    pub(super) fn elements(&self) -> usize {
        match self {
            Argument::Number(..) => 0,
            Argument::Array { shape, .. } if shape.contains(&0) => 0,
            Argument::Array { shape, strides, .. } => 1 + shape.iter().zip(strides).map(|(n, stride)| (n - 1) * stride).sum::<usize>(),
        }
    }
}

/// What a kernel's speed is compared with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
pub(super) enum Limit {
    #[serde(rename = "bandwidth")]
    Bandwidth,
    #[serde(rename = "f32 peak")]
    PeakF32,
    #[serde(rename = "f64 peak")]
    PeakF64,
}

/// A kernel at a size.
pub(super) struct Problem {
    pub(super) name: String,
    /// The size, for people.
    pub(super) size: String,
    pub(super) bytecode: Cow<'static, [u8]>,
    pub(super) arguments: Vec<Argument>,
    pub(super) grid: [usize; 3],
    pub(super) limit: Limit,
    /// Bytes that must be read or written, or operations that must be done.
    pub(super) work: usize,
    /// What the arrays hold after one launch, where that is known.
    pub(super) expected: Vec<Expected>,
    /// The product of matrices that it is, if it is one.
    pub(super) product: Option<Product>,
    /// The same in PyTorch, where another program shall measure that: an expression of the arrays `a`, `b` and `c`, those that do not begin as zeros.
    pub(super) torch: Option<String>,
}

/// The extents of a product of matrices: how many, rows and columns of the result, and what is summed up.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
pub(super) struct Product([usize; 4]);

impl Product {
    pub(super) fn extents(self) -> [usize; 4] {
        self.0
    }
}

macro_rules! bytecode {
    ($name:literal) => {
        Cow::Borrowed(include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/benches/", $name, ".tilebc")).as_slice())
    };
}

/// Every problem.
pub(super) fn all(quick: bool) -> Vec<Problem> {
    let mut problems = streams(quick);
    problems.extend(rows(quick));
    problems.extend(indexed(quick));
    problems.extend(products(quick));
    problems.extend(attentions(quick));
    problems
}

fn input(scalar: Scalar, shape: &[usize]) -> Argument {
    let fill = if scalar.is_float() { Fill::Uniform(-1.0, 1.0) } else { Fill::Below(16) };
    Argument::array(scalar, shape, fill)
}

fn output(scalar: Scalar, shape: &[usize]) -> Argument {
    Argument::array(scalar, shape, Fill::Zeros)
}

fn elements(n: usize) -> String {
    if n.is_multiple_of(1 << 20) { format!("{} Mi", n >> 20) } else { format!("{} Ki", n >> 10) }
}

/// Bytes of an element.
fn bytes(scalar: Scalar) -> usize {
    scalar.bits() as usize / 8
}

fn streams(quick: bool) -> Vec<Problem> {
    const TILE: usize = 4096;
    let (n, m) = if quick { (1 << 16, 1 << 16) } else { (1 << 26, 1 << 24) };
    let stream = |name: &str, bytecode, scalar, n: usize, arrays: usize| Problem {
        name: name.to_owned(),
        size: elements(n),
        bytecode,
        arguments: (1..arrays).map(|_| input(scalar, &[n])).chain([output(scalar, &[n])]).collect(),
        grid: [n / TILE, 1, 1],
        limit: Limit::Bandwidth,
        work: bytes(scalar) * n * arrays,
        expected: Vec::new(),
        product: None,
        torch: None,
    };
    vec![
        stream("vector_add", bytecode!("vector_add"), Scalar::F32, n, 3),
        stream("gelu", bytecode!("gelu"), Scalar::F32, m, 2),
        stream("gelu_f16", bytecode!("gelu_f16"), Scalar::F16, m, 2),
    ]
}

fn rows(quick: bool) -> Vec<Problem> {
    const COLUMNS: usize = 4096;
    const EPSILON: Argument = Argument::Number(Scalar::F32, 1e-5f32.to_bits() as u64);
    let f32 = Scalar::F32;
    let rows = if quick { 64 } else { 4096 };
    let arrays = |scalar| (input(scalar, &[rows, COLUMNS]), output(scalar, &[rows, COLUMNS]), input(scalar, &[1, COLUMNS]));
    let (x, y, vector) = arrays(f32);
    let matrix = |name: &str, bytecode, arguments: Vec<Argument>, grid| Problem {
        name: name.to_owned(),
        size: format!("{rows} x {COLUMNS}"),
        bytecode,
        arguments,
        grid,
        limit: Limit::Bandwidth,
        work: 2 * 4 * rows * COLUMNS,
        expected: Vec::new(),
        product: None,
        torch: None,
    };
    let each_row = [rows, 1, 1];
    let sums = |problem: Problem| Problem { work: 4 * rows * COLUMNS, ..problem };
    let half = |problem: Problem| Problem { work: problem.work / 2, ..problem };
    let (x16, y16, vector16) = arrays(Scalar::F16);
    let (xb16, yb16, _) = arrays(Scalar::Bf16);
    vec![
        matrix("softmax", bytecode!("softmax"), vec![x.clone(), y.clone()], each_row),
        half(matrix("softmax_bf16", bytecode!("softmax_bf16"), vec![xb16, yb16], each_row)),
        matrix("layernorm", bytecode!("layernorm"), vec![x.clone(), vector.clone(), vector.clone(), y.clone(), EPSILON], each_row),
        matrix("rmsnorm", bytecode!("rmsnorm"), vec![x.clone(), vector, y.clone(), EPSILON], each_row),
        half(matrix("rmsnorm_f16", bytecode!("rmsnorm_f16"), vec![x16, vector16, y16, EPSILON], each_row)),
        matrix("transpose", bytecode!("transpose"), vec![x.clone(), output(f32, &[COLUMNS, rows])], [rows / 64, COLUMNS / 64, 1]),
        sums(matrix("row_sums", bytecode!("row_sums"), vec![x.clone(), output(f32, &[rows])], each_row)),
        sums(matrix("column_sums", bytecode!("column_sums"), vec![x.clone(), output(f32, &[COLUMNS])], [COLUMNS / 64, 1, 1])),
        matrix("row_scan", bytecode!("row_scan"), vec![x, y], each_row),
    ]
}

fn indexed(quick: bool) -> Vec<Problem> {
    const TILE: usize = 1024;
    let n = if quick { 1 << 14 } else { 1 << 24 };
    let below = |shape: &[usize], end: u64| Argument::array(Scalar::I32, shape, Fill::Below(end));
    let problem = |name: &str, bytecode, arguments: Vec<Argument>, work| Problem {
        name: name.to_owned(),
        size: elements(n),
        bytecode,
        arguments,
        grid: [n / TILE, 1, 1],
        limit: Limit::Bandwidth,
        work,
        expected: Vec::new(),
        product: None,
        torch: None,
    };
    let vector = output(Scalar::F32, &[n]);
    vec![
        problem("histogram", bytecode!("histogram"), vec![below(&[n], 256), output(Scalar::I32, &[256])], 4 * n),
        problem("gather", bytecode!("gather"), vec![input(Scalar::F32, &[n]), below(&[n], n as u64), vector], 12 * n),
    ]
}

fn products(quick: bool) -> Vec<Problem> {
    let n = if quick { 256 } else { 2048 };
    let square = |name: &str, bytecode, factor, result, tile: usize, limit| Problem {
        name: name.to_owned(),
        size: format!("{n} x {n} x {n}"),
        bytecode,
        arguments: vec![input(factor, &[n, n]), input(factor, &[n, n]), output(result, &[n, n])],
        grid: [n / tile, n / tile, 1],
        limit,
        work: 2 * n * n * n,
        expected: Vec::new(),
        product: None,
        torch: None,
    };
    let (batch, m) = if quick { (2, 128) } else { (16, 512) };
    let batched = Problem {
        size: format!("{batch} x {m} x {m} x {m}"),
        arguments: vec![input(Scalar::F32, &[batch, m, m]), input(Scalar::F32, &[batch, m, m]), output(Scalar::F32, &[batch, m, m])],
        grid: [m / 128, m / 128, batch],
        work: 2 * batch * m * m * m,
        ..square("batched_matmul_f32", bytecode!("batched_matmul"), Scalar::F32, Scalar::F32, 128, Limit::PeakF32)
    };
    vec![
        square("matmul_f32", bytecode!("matmul_f32"), Scalar::F32, Scalar::F32, 128, Limit::PeakF32),
        square("matmul_f16", bytecode!("matmul_f16"), Scalar::F16, Scalar::F16, 128, Limit::PeakF32),
        square("matmul_bf16", bytecode!("matmul_bf16"), Scalar::Bf16, Scalar::Bf16, 128, Limit::PeakF32),
        square("matmul_i8", bytecode!("matmul_i8"), Scalar::I8, Scalar::I32, 128, Limit::PeakF32),
        square("matmul_f64", bytecode!("matmul_f64"), Scalar::F64, Scalar::F64, 64, Limit::PeakF64),
        batched,
    ]
}

fn attentions(quick: bool) -> Vec<Problem> {
    const HEADS: usize = 8;
    const WIDTH: usize = 64;
    const QUERIES: usize = 128;
    // The kernel works in powers of two: log2(e) / sqrt(64).
    const SCALE: Argument = Argument::Number(Scalar::F32, (std::f32::consts::LOG2_E / 8.0).to_bits() as u64);
    let (batch, length) = if quick { (1, 256) } else { (4, 1024) };
    let problem = |name: &str, bytecode, scalar, causal: bool| {
        let shape = [batch, HEADS, length, WIDTH];
        let work = 4 * batch * HEADS * length * length * WIDTH;
        Problem {
            name: name.to_owned(),
            size: format!("{batch} x {HEADS} x {length} x {WIDTH}"),
            bytecode,
            arguments: vec![input(scalar, &shape), input(scalar, &shape), input(scalar, &shape), output(scalar, &shape), SCALE],
            grid: [length / QUERIES, batch * HEADS, 1],
            limit: Limit::PeakF32,
            // Half of the products are masked.
            work: if causal { work / 2 } else { work },
            expected: Vec::new(),
            product: None,
            torch: None,
        }
    };
    vec![
        problem("attention_f32", bytecode!("attention_f32"), Scalar::F32, false),
        problem("attention_f32_causal", bytecode!("attention_f32_causal"), Scalar::F32, true),
        problem("attention_f16", bytecode!("attention_f16"), Scalar::F16, false),
        problem("attention_f16_causal", bytecode!("attention_f16_causal"), Scalar::F16, true),
    ]
}
