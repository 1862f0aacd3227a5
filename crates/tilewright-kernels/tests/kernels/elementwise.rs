use tilewright_ir::{ComparisonOrdering, ComparisonPredicate, RoundingMode, Scalar};
use tilewright_kernels::{ElemOp, Imm, KernelFn, cpu::Level, exact, select, select_loop};
use tilewright_passes::{
    elem::Elem,
    elementwise::{accepts, sources_of},
};

const ROUNDINGS: [RoundingMode; 6] = [
    RoundingMode::NearestEven,
    RoundingMode::Zero,
    RoundingMode::NegativeInf,
    RoundingMode::PositiveInf,
    RoundingMode::NearestAway,
    RoundingMode::Full,
];

/// Every operation with every choice of its attributes.
fn all_ops() -> Vec<ElemOp> {
    use ComparisonPredicate as P;
    use ElemOp::*;
    let mut ops = vec![Copy, Select, AbsF, NegF, Ceil, Floor, Exp, Log, Log2, Sin, Cos, Tan, Sinh, Cosh, Tanh, RemF, PowF, PowI, Atan2];
    ops.extend([AbsI, NegI, AddI, SubI, MulI, MulHi, And, Or, Xor, Shl, TruncI, Offset(4), OffsetPacked]);
    for flag in [false, true] {
        ops.extend([Rsqrt(flag), Exp2(flag), RemI(flag), MaxI(flag), MinI(flag), Shr(flag), ExtI(flag), FToI(flag), IToF(flag)]);
        ops.extend([false, true].map(|propagate_nan| MaxF { propagate_nan, ftz: flag }));
        ops.extend([false, true].map(|propagate_nan| MinF { propagate_nan, ftz: flag }));
        for mode in ROUNDINGS {
            ops.extend([Sqrt(mode, flag), AddF(mode, flag), SubF(mode, flag), MulF(mode, flag), DivF(mode, flag), Fma(mode, flag)]);
            ops.extend([DivI(flag, mode), FToF(mode)]);
        }
        for p in [P::Equal, P::NotEqual, P::LessThan, P::LessThanOrEqual, P::GreaterThan, P::GreaterThanOrEqual] {
            ops.push(CmpI(p, flag));
            ops.push(CmpF(p, if flag { ComparisonOrdering::Ordered } else { ComparisonOrdering::Unordered }));
        }
    }
    ops
}

fn elems() -> Vec<Elem> {
    Scalar::all().map(Elem::Num).chain([Elem::Ptr]).collect()
}

/// Bit patterns of an element: the edges of its type, then pseudo-random ones.
fn patterns(elem: Elem, seed: u64, n: usize) -> Vec<u64> {
    let (bits, size) = (elem.bits(), elem.size() as u32 * 8);
    let mask = tilewright_numeric::int::mask(if elem.float().is_some() && bits == 19 { size } else { bits });
    let mut state = seed;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 32 ^ state >> 13 << 32) & mask
    };
    // Counts of shifts at the width and beside it, the smallest and the largest integers, and ones, halves, subnormals, the largest
    // numbers, infinities and NaNs of all floats.
    let ints = [0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 63, 64, mask, mask - 1, mask >> 1, (mask >> 1) + 1, mask - (mask >> 1) / 2];
    let f16 = [0x0001, 0x03ff, 0x0400, 0x3800, 0x3c00, 0x3c01, 0x7bff, 0x7c00, 0x7e00, 0xbc00, 0xfc00];
    let f32 = [0x1, 0x7f_ffff, 0x80_0000, 0x3f00_0000, 0x3f80_0000, 0x3f80_0001, 0x7f7f_ffff, 0x7f80_0000, 0x7fc0_0000, 0xbf80_0000];
    let wide = [0x000f_ffff_ffff_ffff, 0x0010_0000_0000_0000, 0x3ff0_0000_0000_0000, 0x3ff0_0000_0000_0001, 0x7fef_ffff_ffff_ffff];
    let more = [0x7ff0_0000_0000_0000, 0x7ff8_0000_0000_0000, 0xbff0_0000_0000_0000, 0x41e0_0000_0000_0000, 0x4340_0000_0000_0000];
    let edges: Vec<u64> = ints.into_iter().chain(f16).chain(f32).chain(wide).chain(more).map(|e| e & mask).collect();
    // Numbers near 1, so that sums cancel and quotients are short.
    let exponent = match elem {
        Elem::Num(Scalar::F16) => 0x3000,
        Elem::Num(Scalar::Bf16) => 0x3e00,
        Elem::Num(Scalar::F32 | Scalar::Tf32) => 0x3e00_0000,
        Elem::Num(Scalar::F64) => 0x3fc0_0000_0000_0000,
        _ => 0,
    };
    let near = |bits: u64| if exponent == 0 { bits } else { bits & !(exponent | exponent >> 1) | exponent };
    (0..n)
        .map(|_| {
            let choice = random();
            match choice % 4 {
                0 => edges[(choice >> 2) as usize % edges.len()],
                1 => near(random()),
                2 => random() & mask >> ((choice >> 2) % 32),
                _ => random(),
            }
        })
        .collect()
}

fn run(kernel: KernelFn, imm: &Imm, srcs: &[Vec<u64>], n: usize) -> Vec<u64> {
    let stored: Vec<Vec<u64>> = srcs
        .iter()
        .zip(imm.sources())
        .map(|(values, elem)| {
            let mut bytes = vec![0u64; n];
            // SAFETY: 8 bytes for each element.
            (0..n).for_each(|i| unsafe { exact::write(bytes.as_mut_ptr().cast(), i, elem.size(), values[i]) });
            bytes
        })
        .collect();
    let mut pointers = [std::ptr::null(); 3];
    pointers.iter_mut().zip(&stored).for_each(|(p, s)| *p = s.as_ptr().cast());
    let mut out = vec![0u64; n];
    // SAFETY: every array has 8 bytes for each element.
    unsafe { kernel(out.as_mut_ptr().cast(), pointers, n, imm) };
    // SAFETY: as above.
    (0..n).map(|i| unsafe { exact::read(out.as_ptr().cast(), i, imm.dst.size()) }).collect()
}

/// Of results of arithmetic, NaNs are equal; operations on bits keep those of a NaN.
fn same(op: ElemOp, elem: Elem, a: u64, b: u64) -> bool {
    let on_bits = matches!(op, ElemOp::Copy | ElemOp::Select | ElemOp::AbsF | ElemOp::NegF);
    a == b || !on_bits && elem.float().is_some_and(|format| format.is_nan(a) && format.is_nan(b))
}

/// At every level of the CPU a fast kernel gives what the defining one gives, for every operation on every combination of types
/// that it takes, and the same bits as the versions for other levels.
#[test]
fn fast_kernels_agree_with_the_definition() {
    const N: usize = 1000;
    let mut compared = 0;
    for op in all_ops() {
        let arity = sources_of(op);
        for dst in elems() {
            for a in elems() {
                for b in elems() {
                    let srcs = [a, b, if op == ElemOp::Select { b } else { a }];
                    let srcs = &srcs[..arity];
                    if arity == 1 && b != a || !accepts(op, srcs, dst) {
                        continue;
                    }
                    if select_loop(Level::Baseline, op, srcs, dst).is_none() {
                        continue;
                    }
                    let imm = select(op, srcs, dst).expect("accepted").imm;
                    let values: Vec<Vec<u64>> = srcs.iter().zip(1..).map(|(e, seed)| patterns(*e, seed, N)).collect();
                    let expected = run(exact::run, &imm, &values, N);
                    for level in Level::available() {
                        let fast = select_loop(level, op, srcs, dst).expect("every level has the same kernels");
                        let found = run(fast, &imm, &values, N);
                        for i in 0..N {
                            let at: Vec<u64> = values.iter().map(|v| v[i]).collect();
                            assert!(
                                same(op, dst, found[i], expected[i]),
                                "{op:?} {srcs:?} -> {dst:?} of {at:x?} at {level:?}: {:x}, not {:x}",
                                found[i],
                                expected[i]
                            );
                        }
                    }
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 900, "only {compared} fast kernels were compared");
}

/// Whether the verifier takes an operation on types that `accepts` takes, which asks less.
fn is_valid(op: ElemOp, srcs: &[Elem], dst: Elem) -> bool {
    use ElemOp::*;
    use RoundingMode as R;
    let f32 = dst == Elem::Num(Scalar::F32);
    let has_i4 = srcs.iter().chain([&dst]).any(|elem| *elem == Elem::Num(Scalar::I4));
    let ieee = |mode: RoundingMode| matches!(mode, R::NearestEven | R::Zero | R::NegativeInf | R::PositiveInf);
    let modes = match op {
        AddF(mode, ftz) | SubF(mode, ftz) | MulF(mode, ftz) | Fma(mode, ftz) | Sqrt(mode, ftz) => ieee(mode) && (f32 || !ftz),
        DivF(mode, ftz) => (ieee(mode) || mode == R::Full && f32) && (f32 || !ftz),
        Rsqrt(ftz) | Exp2(ftz) | MaxF { ftz, .. } | MinF { ftz, .. } => f32 || !ftz,
        DivI(signed, mode) => matches!(mode, R::Zero | R::PositiveInf) || signed && mode == R::NegativeInf,
        FToF(mode) => match (srcs[0], dst) {
            (Elem::Num(from), Elem::Num(to)) => from != to && tilewright_ir::ops::pairs::conversion_rounds(from, to, mode),
            _ => false,
        },
        // Pointers to packed elements are single.
        OffsetPacked => false,
        _ => true,
    };
    modes && (!has_i4 || matches!(op, ExtI(_) | TruncI | Select | Copy))
}

/// No operation goes element by element through the definition, but for functions that are few in any program: this is the list.
#[test]
fn operations_have_loops() {
    let few = |op: ElemOp| matches!(op, ElemOp::PowF | ElemOp::PowI | ElemOp::Atan2);
    let mut missing = Vec::new();
    for op in all_ops().into_iter().filter(|op| !few(*op)) {
        let arity = sources_of(op);
        for (dst, a) in elems().into_iter().flat_map(|dst| elems().into_iter().map(move |a| (dst, a))) {
            for b in elems() {
                let srcs = &[a, b, if op == ElemOp::Select { b } else { a }][..arity];
                let is_new = arity > 1 || a == b;
                let takes = is_new && accepts(op, srcs, dst) && is_valid(op, srcs, dst);
                if takes && select_loop(Level::Baseline, op, srcs, dst).is_none() {
                    missing.push(format!("{op:?} {srcs:?} -> {dst:?}"));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{} have none:\n{}", missing.len(), missing.join("\n"));
}
