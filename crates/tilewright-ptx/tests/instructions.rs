//! What instructions do, one line for each: registers before, the instruction, the result.

mod support;

use support::run_thread;
use tilewright_numeric::{FloatFormat, Rounding, convert};

/// Runs one instruction on constants: `{0}`, `{1}` ... in the text are registers with these bits, `{d}` takes the result.
fn result(width: u32, instruction: &str, sources: &[(u32, u64)]) -> u64 {
    let mut body = String::new();
    let mut text = instruction.replace("{d}", "%d");
    for (index, (width, bits)) in sources.iter().enumerate() {
        body += &format!(".reg .b{width} %s{index};\nmov.b{width} %s{index}, {bits};\n");
        text = text.replace(&format!("{{{index}}}"), &format!("%s{index}"));
    }
    let body = format!(".reg .b{width} %d;\n.reg .pred %p, %q;\n{body}{text}\nst.global.b{width} [%out], %d;\n");
    let bytes = run_thread(&body, 8);
    u64::from_le_bytes(bytes.try_into().unwrap()) & (u64::MAX >> (64 - width))
}

fn f32s(values: &[f32]) -> Vec<(u32, u64)> {
    values.iter().map(|value| (32, u64::from(value.to_bits()))).collect()
}

fn b32s(values: &[u32]) -> Vec<(u32, u64)> {
    values.iter().map(|value| (32, u64::from(*value))).collect()
}

#[test]
fn integers() {
    let minus = |value: i32| value as u32;
    for (instruction, sources, expected) in [
        ("add.s32 {d}, {0}, {1};", vec![u32::MAX, 2], 1),
        ("add.sat.s32 {d}, {0}, {1};", vec![i32::MAX as u32, 2], i32::MAX as u32),
        ("sub.u32 {d}, {0}, {1};", vec![1, 2], u32::MAX),
        ("mul.lo.s32 {d}, {0}, {1};", vec![minus(-3), 7], minus(-21)),
        ("mul.hi.s32 {d}, {0}, {1};", vec![minus(-3), 7], u32::MAX),
        ("mul.hi.u32 {d}, {0}, {1};", vec![u32::MAX, u32::MAX], u32::MAX - 1),
        ("mad.lo.s32 {d}, {0}, {1}, {2};", vec![3, 4, 5], 17),
        ("div.s32 {d}, {0}, {1};", vec![minus(-7), 2], minus(-3)),
        ("rem.s32 {d}, {0}, {1};", vec![minus(-7), 2], minus(-1)),
        ("div.u32 {d}, {0}, {1};", vec![7, 0], u32::MAX),
        ("abs.s32 {d}, {0};", vec![minus(-7)], 7),
        ("neg.s32 {d}, {0};", vec![7], minus(-7)),
        ("min.s32 {d}, {0}, {1};", vec![minus(-7), 2], minus(-7)),
        ("min.u32 {d}, {0}, {1};", vec![minus(-7), 2], 2),
        ("max.s32 {d}, {0}, {1};", vec![minus(-7), 2], 2),
        ("and.b32 {d}, {0}, {1};", vec![12, 10], 8),
        ("or.b32 {d}, {0}, {1};", vec![12, 10], 14),
        ("xor.b32 {d}, {0}, {1};", vec![12, 10], 6),
        ("not.b32 {d}, {0};", vec![0], u32::MAX),
        ("cnot.b32 {d}, {0};", vec![0], 1),
        ("shl.b32 {d}, {0}, {1};", vec![1, 32], 0),
        ("shr.u32 {d}, {0}, {1};", vec![u32::MAX, 31], 1),
        ("shr.s32 {d}, {0}, {1};", vec![minus(-8), 40], u32::MAX),
        ("shr.s32 {d}, {0}, {1};", vec![minus(-8), 1], minus(-4)),
        ("shf.l.wrap.b32 {d}, {0}, {1}, {2};", vec![0x8000_0000, 1, 33], 3),
        ("shf.r.clamp.b32 {d}, {0}, {1}, {2};", vec![1, 7, 40], 7),
        ("lop3.b32 {d}, {0}, {1}, {2}, 0x96;", vec![1, 2, 4], 7),
        ("prmt.b32 {d}, {0}, {1}, 0x7604;", vec![0x0302_0100, 0x0706_0504], 0x0706_0004),
        ("prmt.b32 {d}, {0}, {1}, 0x0008;", vec![0x0000_0080, 0], 0x8080_80FF),
        ("popc.b32 {d}, {0};", vec![0xFF], 8),
        ("clz.b32 {d}, {0};", vec![0xFF], 24),
        ("brev.b32 {d}, {0};", vec![1], 1 << 31),
        ("bfind.u32 {d}, {0};", vec![0x80], 7),
        ("bfind.s32 {d}, {0};", vec![minus(-1)], u32::MAX),
        ("bfe.u32 {d}, {0}, 4, 8;", vec![0xABCD], 0xBC),
        ("bfe.s32 {d}, {0}, 4, 8;", vec![0xABCD], minus(-0x44)),
        ("bfi.b32 {d}, {0}, {1}, 8, 4;", vec![0xF5, 0], 0x500),
        ("sad.s32 {d}, {0}, {1}, {2};", vec![minus(-3), 4, 10], 17),
        ("dp4a.s32.s32 {d}, {0}, {1}, {2};", vec![0xFF02_0304, 0x0101_0101, 10], 18),
        ("setp.lt.s32 %p, {0}, {1};\nselp.b32 {d}, 5, 6, %p;", vec![minus(-1), 1], 5),
        ("setp.lt.u32 %p|%q, {0}, {1};\nselp.b32 {d}, 5, 6, %q;", vec![minus(-1), 1], 5),
        ("set.eq.u32.u32 {d}, {0}, {1};", vec![4, 4], u32::MAX),
        ("slct.b32.s32 {d}, {0}, {1}, {2};", vec![4, 5, minus(-1)], 5),
        ("cvt.s32.s8 {d}, {0};", vec![0x80], minus(-128)),
        ("cvt.sat.u8.s32 {d}, {0};", vec![300], 255),
        ("cvt.rni.s32.f32 {d}, {0};", vec![2.5f32.to_bits()], 2),
        ("cvt.rzi.u32.f32 {d}, {0};", vec![(-2.5f32).to_bits()], 0),
        ("cvt.rzi.s32.f32 {d}, {0};", vec![f32::NAN.to_bits()], 0),
        ("activemask.b32 {d};", vec![], 1),
    ] {
        assert_eq!(result(32, instruction, &b32s(&sources)), expected.into(), "{instruction} {sources:x?}");
    }
}

#[test]
fn carries_go_from_instruction_to_instruction() {
    let sources = [(32, u64::from(u32::MAX)), (32, 1), (32, 5), (32, 6)];
    assert_eq!(result(32, "add.cc.u32 {d}, {0}, {1};\naddc.u32 {d}, {2}, {3};", &sources), 12);
    assert_eq!(result(32, "sub.cc.u32 {d}, {1}, {0};\nsubc.u32 {d}, {2}, {3};", &sources), u64::from(u32::MAX - 1));
    let wide = "mad.lo.cc.u32 {d}, {0}, {0}, {0};\nmadc.hi.u32 {d}, {0}, {0}, 0;";
    assert_eq!(result(32, wide, &sources), (u64::from(u32::MAX) * u64::from(u32::MAX) + u64::from(u32::MAX)) >> 32);
    assert_eq!(result(64, "mul.wide.s32 {d}, {0}, {2};", &sources), (-5i64) as u64);
}

#[test]
fn floats() {
    let big = f32::MAX;
    for (instruction, sources, expected) in [
        ("add.rn.f32 {d}, {0}, {1};", vec![1.0, 2.5], 3.5),
        ("add.rz.f32 {d}, {0}, {1};", vec![1.0, 1e-9], 1.0),
        ("add.rp.f32 {d}, {0}, {1};", vec![1.0, 1e-9], 1.0 + f32::EPSILON),
        ("add.f32 {d}, {0}, {1};", vec![f32::INFINITY, f32::NEG_INFINITY], f32::NAN),
        ("mul.rn.ftz.f32 {d}, {0}, {1};", vec![1e-40, 1.0], 0.0),
        ("mul.rn.sat.f32 {d}, {0}, {1};", vec![2.0, 3.0], 1.0),
        ("sub.rm.f32 {d}, {0}, {1};", vec![1.0, 1e-9], 1.0 - f32::EPSILON / 2.0),
        ("fma.rn.f32 {d}, {0}, {1}, {2};", vec![1.0 + f32::EPSILON, 1.0 - f32::EPSILON, -1.0], -f32::EPSILON * f32::EPSILON),
        ("fma.rz.f32 {d}, {0}, {1}, {2};", vec![big, 2.0, 0.0], big),
        ("div.rn.f32 {d}, {0}, {1};", vec![1.0, 3.0], 1.0 / 3.0),
        ("rcp.rn.f32 {d}, {0};", vec![3.0], 1.0 / 3.0),
        ("sqrt.rn.f32 {d}, {0};", vec![2.0], 2f32.sqrt()),
        ("sqrt.approx.f32 {d}, {0};", vec![-1.0], f32::NAN),
        ("rsqrt.approx.f32 {d}, {0};", vec![4.0], 0.5),
        ("ex2.approx.f32 {d}, {0};", vec![10.0], 1024.0),
        ("lg2.approx.f32 {d}, {0};", vec![8.0], 3.0),
        ("sin.approx.f32 {d}, {0};", vec![0.0], 0.0),
        ("cos.approx.f32 {d}, {0};", vec![0.0], 1.0),
        ("tanh.approx.f32 {d}, {0};", vec![100.0], 1.0),
        ("min.f32 {d}, {0}, {1};", vec![f32::NAN, 1.0], 1.0),
        ("min.NaN.f32 {d}, {0}, {1};", vec![f32::NAN, 1.0], f32::NAN),
        ("max.f32 {d}, {0}, {1};", vec![-0.0, 0.0], 0.0),
        ("abs.f32 {d}, {0};", vec![-3.0], 3.0),
        ("neg.f32 {d}, {0};", vec![-3.0], 3.0),
        ("copysign.f32 {d}, {0}, {1};", vec![-1.0, 3.0], -3.0),
        ("cvt.rni.f32.f32 {d}, {0};", vec![2.5], 2.0),
        ("cvt.rmi.f32.f32 {d}, {0};", vec![-2.5], -3.0),
        ("cvt.rpi.f32.f32 {d}, {0};", vec![-2.5], -2.0),
        ("cvt.sat.f32.f32 {d}, {0};", vec![f32::NAN], 0.0),
        ("testp.infinite.f32 %p, {0};\nselp.f32 {d}, 0f3F800000, 0f00000000, %p;", vec![f32::INFINITY], 1.0),
        ("setp.ltu.f32 %p, {0}, {0};\nselp.f32 {d}, 0f3F800000, 0f00000000, %p;", vec![f32::NAN], 1.0),
        ("setp.ne.f32 %p, {0}, {0};\nselp.f32 {d}, 0f3F800000, 0f00000000, %p;", vec![f32::NAN], 0.0),
    ] {
        let found = f32::from_bits(result(32, instruction, &f32s(&sources)) as u32);
        assert!(found == expected || (found.is_nan() && expected.is_nan()), "{instruction} {sources:?}: {found}, expected {expected}");
    }
}

#[test]
fn doubles() {
    let of = |values: &[f64]| values.iter().map(|value| (64, value.to_bits())).collect::<Vec<_>>();
    let third = 1.0 / 3.0f64;
    for (instruction, sources, expected) in [
        ("add.rn.f64 {d}, {0}, {1};", vec![0.1, 0.2], 0.1 + 0.2),
        ("mul.f64 {d}, {0}, {1};", vec![0.1, 3.0], 0.1 * 3.0),
        ("fma.rn.f64 {d}, {0}, {1}, {2};", vec![third, 3.0, -1.0], third.mul_add(3.0, -1.0)),
        ("div.rn.f64 {d}, {0}, {1};", vec![1.0, 3.0], third),
        ("sqrt.rn.f64 {d}, {0};", vec![2.0], 2f64.sqrt()),
        ("rcp.approx.ftz.f64 {d}, {0};", vec![3.0], f64::from_bits(third.to_bits() & !0xFFFF_FFFF)),
        ("cvt.rmi.f64.f64 {d}, {0};", vec![-0.5], -1.0),
        ("neg.f64 {d}, {0};", vec![1.0], -1.0),
    ] {
        assert_eq!(f64::from_bits(result(64, instruction, &of(&sources))), expected, "{instruction}");
    }
    assert_eq!(result(64, "cvt.rzi.s64.f64 {d}, {0};", &of(&[f64::NAN])), 1 << 63);
}

/// Every conversion between floats, in every rounding, on all numbers of 16 bits or some of 32, against the definition.
#[test]
fn conversions_are_those_of_the_formats() {
    let formats = [("f16", FloatFormat::F16), ("bf16", FloatFormat::Bf16), ("f32", FloatFormat::F32), ("f64", FloatFormat::F64)];
    let roundings = [("rn", Rounding::NearestEven), ("rz", Rounding::Zero), ("rm", Rounding::NegativeInf), ("rp", Rounding::PositiveInf)];
    let values = [0.0, 1.0, -1.0, 1.0 / 3.0, -65504.5, 65520.0, 1e-7, -6e-8, 3e38, 1e-40, f64::INFINITY];
    for (from_name, from) in formats {
        for (to_name, to) in formats.into_iter().filter(|(_, to)| to.precision() < from.precision()) {
            for (name, rounding) in roundings {
                for value in values {
                    let bits = from.encode(value, Rounding::NearestEven);
                    let instruction = format!("cvt.{name}.{to_name}.{from_name} {{d}}, {{0}};");
                    let found = result(to.storage_bits(), &instruction, &[(from.storage_bits(), bits)]);
                    assert_eq!(found, convert(from, bits, to, rounding), "{instruction} of {value}");
                }
            }
        }
    }
    let halves = [(32, u64::from(1.5f32.to_bits())), (32, u64::from((-2f32).to_bits()))];
    assert_eq!(result(32, "cvt.rn.f16x2.f32 {d}, {0}, {1};", &halves), 0x3E00_C000);
    assert_eq!(result(32, "cvt.rn.bf16x2.f32 {d}, {0}, {1};", &halves), 0x3FC0_C000);
}

#[test]
fn halves_compute_in_pairs() {
    let pair = |low: f64, high: f64| {
        let bits = |value| FloatFormat::F16.encode(value, Rounding::NearestEven);
        (32, bits(high) << 16 | bits(low))
    };
    let sources = [pair(1.0, 2.0), pair(0.5, -3.0), pair(0.25, 1.0)];
    assert_eq!(result(32, "add.rn.f16x2 {d}, {0}, {1};", &sources), pair(1.5, -1.0).1);
    assert_eq!(result(32, "fma.rn.f16x2 {d}, {0}, {1}, {2};", &sources), pair(0.75, -5.0).1);
    assert_eq!(result(32, "fma.rn.relu.f16x2 {d}, {0}, {1}, {2};", &sources), pair(0.75, 0.0).1);
    assert_eq!(result(32, "max.f16x2 {d}, {0}, {1};", &sources), pair(1.0, 2.0).1);
}
