//! Arithmetic, logic, comparisons and conversions: what looks at registers only.
//!
//! Approximations (`ex2.approx`, `lg2.approx`, `sin.approx`, `rcp.approx` and so on) are computed in `f64` and rounded to the type: within
//! half a unit in the last place, where the PTX manual allows GPUs some units, or 2^-21 and more near zeros of `lg2`, `sin` and `cos`.

use super::{
    convert,
    lanes::{File, Lane},
    op::{Combine, Compare, Inst, Kind, Mods, Property},
};
use crate::Type;
use tilewright_numeric::{
    FloatFormat, Rounding, arith, branch_free,
    float::{self, canonical_f32, flush_f32},
    math,
};

/// Calls `$body` with `$t` as the integer type of `$ty`.
macro_rules! by_int {
    ($ty:expr, $t:ident => $body:expr) => {
        match $ty {
            Type::S8 => {
                type $t = i8;
                $body
            }
            Type::S16 => {
                type $t = i16;
                $body
            }
            Type::S32 => {
                type $t = i32;
                $body
            }
            Type::S64 => {
                type $t = i64;
                $body
            }
            other => match other.bits() {
                8 => {
                    type $t = u8;
                    $body
                }
                16 => {
                    type $t = u16;
                    $body
                }
                32 => {
                    type $t = u32;
                    $body
                }
                _ => {
                    type $t = u64;
                    $body
                }
            },
        }
    };
}
pub(super) use by_int;

/// Calls `$body` with `$t` as the unsigned type of `$ty`'s width.
macro_rules! by_bits {
    ($ty:expr, $t:ident => $body:expr) => {
        match $ty.bits() {
            8 => {
                type $t = u8;
                $body
            }
            16 => {
                type $t = u16;
                $body
            }
            32 => {
                type $t = u32;
                $body
            }
            _ => {
                type $t = u64;
                $body
            }
        }
    };
}

/// Carries out an instruction for the lanes of `mask`.
pub(super) fn execute(file: &mut File, inst: &Inst, mask: u32) {
    let mods = &inst.mods;
    let ty = mods.ty(0);
    let [r0, r1, r2, r3, r4, _] = inst.regs;
    let (d2, d3, d4) = ([r0, r1], [r0, r1, r2], [r0, r1, r2, r3]);
    if ty.format().is_some()
        && !matches!(inst.kind, Kind::Mov | Kind::Selp | Kind::Slct | Kind::Set | Kind::Cvt | Kind::CvtPack | Kind::CvtPair)
    {
        return floats(file, inst, mask);
    }
    match inst.kind {
        Kind::Add if mods.sat => file.map2(d3, mask, i32::saturating_add),
        Kind::Sub if mods.sat => file.map2(d3, mask, i32::saturating_sub),
        Kind::Add | Kind::AddC | Kind::Sub | Kind::SubC => add_with_carry(file, inst, mask),
        Kind::Mul => by_int!(ty, T => if mods.high { file.map2(d3, mask, |a: T, b: T| high(a.into(), b.into(), T::BITS) as T) }
            else { file.map2(d3, mask, T::wrapping_mul) }),
        Kind::MulWide => match ty {
            Type::U16 => file.map2(d3, mask, |a: u16, b: u16| u32::from(a) * u32::from(b)),
            Type::S16 => file.map2(d3, mask, |a: i16, b: i16| i32::from(a) * i32::from(b)),
            Type::S32 => file.map2(d3, mask, |a: i32, b: i32| i64::from(a) * i64::from(b)),
            _ => file.map2(d3, mask, |a: u32, b: u32| u64::from(a) * u64::from(b)),
        },
        Kind::MadWide => match ty {
            Type::U16 => file.map3(d4, mask, |a: u16, b: u16, c: u32| (u32::from(a) * u32::from(b)).wrapping_add(c)),
            Type::S16 => file.map3(d4, mask, |a: i16, b: i16, c: i32| (i32::from(a) * i32::from(b)).wrapping_add(c)),
            Type::S32 => file.map3(d4, mask, |a: i32, b: i32, c: i64| (i64::from(a) * i64::from(b)).wrapping_add(c)),
            _ => file.map3(d4, mask, |a: u32, b: u32, c: u64| (u64::from(a) * u64::from(b)).wrapping_add(c)),
        },
        Kind::Mad if !mods.high && !mods.carry => {
            by_int!(ty, T => file.map3(d4, mask, |a: T, b: T, c: T| a.wrapping_mul(b).wrapping_add(c)))
        }
        Kind::Mad | Kind::MadC => mad_with_carry(file, inst, mask),
        // What a division by zero gives is not specified; GPUs give all ones, and the dividend for the rest.
        Kind::Div => by_int!(ty, T => file.map2(d3, mask, |a: T, b: T| if b == 0 { !0 } else { a.wrapping_div(b) })),
        Kind::Rem => by_int!(ty, T => file.map2(d3, mask, |a: T, b: T| if b == 0 { a } else { a.wrapping_rem(b) })),
        Kind::Abs => match ty {
            Type::S16 => file.map1(d2, mask, i16::wrapping_abs),
            Type::S32 => file.map1(d2, mask, i32::wrapping_abs),
            _ => file.map1(d2, mask, i64::wrapping_abs),
        },
        Kind::Neg => by_int!(ty, T => file.map1(d2, mask, T::wrapping_neg)),
        Kind::Min => by_int!(ty, T => file.map2(d3, mask, |a: T, b: T| a.min(b))),
        Kind::Max => by_int!(ty, T => file.map2(d3, mask, |a: T, b: T| a.max(b))),
        Kind::And => by_bits!(ty, T => file.map2(d3, mask, |a: T, b: T| a & b)),
        Kind::Or => by_bits!(ty, T => file.map2(d3, mask, |a: T, b: T| a | b)),
        Kind::Xor => by_bits!(ty, T => file.map2(d3, mask, |a: T, b: T| a ^ b)),
        Kind::Not => by_bits!(ty, T => file.map1(d2, mask, |a: T| !a)),
        Kind::Cnot => by_bits!(ty, T => file.map1(d2, mask, |a: T| T::from(a == 0))),
        Kind::PredAnd | Kind::PredOr | Kind::PredXor | Kind::PredNot | Kind::PredMov => predicates(file, inst, mask),
        Kind::Shl => by_bits!(ty, T => file.map2(d3, mask, |a: T, n: u32| a.checked_shl(n).unwrap_or(0))),
        Kind::Shr => by_int!(ty, T => file.map2(d3, mask, |a: T, n: u32| {
            // Beyond the width, the sign is left of signed integers.
            a.checked_shr(n).unwrap_or((a >> (T::BITS / 2)) >> (T::BITS / 2 - 1) >> 1)
        })),
        Kind::Shf => {
            let (left, clamp) = (mods.left, mods.clamp);
            file.map3(d4, mask, move |low: u32, high: u32, n: u32| {
                let n = if clamp { n.min(32) } else { n & 31 };
                let both = u64::from(high) << 32 | u64::from(low);
                if left { ((both << n) >> 32) as u32 } else { (both >> n) as u32 }
            });
        }
        Kind::Lop3 => {
            let table = file.get(r4)[0] as u32;
            file.map3(d4, mask, move |a: u32, b: u32, c: u32| lop3(a, b, c, table));
        }
        Kind::Prmt => {
            let mode = mods.prmt;
            file.map3(d4, mask, move |a: u32, b: u32, c: u32| prmt(a, b, c, mode));
        }
        Kind::Popc => by_bits!(ty, T => file.map1(d2, mask, T::count_ones)),
        Kind::Clz => by_bits!(ty, T => file.map1(d2, mask, T::leading_zeros)),
        Kind::Brev => by_bits!(ty, T => file.map1(d2, mask, T::reverse_bits)),
        Kind::Bfind => {
            let shift = mods.shift_amount;
            by_int!(ty, T => file.map1(d2, mask, move |a: T| {
                let a = if a.bits() >> (T::BITS - 1) == 1 && ty.is_signed() { !a } else { a };
                match (a == 0, shift) {
                    (true, _) => u32::MAX,
                    (_, true) => a.leading_zeros(),
                    (_, false) => T::BITS - 1 - a.leading_zeros(),
                }
            }));
        }
        Kind::Bfe => file.map3(d4, mask, |a: u64, pos: u32, len: u32| bfe(a, pos, len, ty)),
        Kind::Bfi => {
            let lengths = *file.get(r4);
            let (a, b, positions) = (*file.get(r1), *file.get(r2), *file.get(r3));
            file.set(r0, mask, |lane| {
                let (position, length) = (positions[lane] as u8, lengths[lane] as u8);
                let field = if length >= 64 { u64::MAX } else { (1 << length) - 1 };
                let field = field.checked_shl(position.into()).unwrap_or(0) & (u64::MAX >> (64 - ty.bits()));
                (b[lane] & !field) | (a[lane].checked_shl(position.into()).unwrap_or(0) & field)
            });
        }
        Kind::Sad => by_int!(ty, T => file.map3(d4, mask, |a: T, b: T, c: T| c.wrapping_add(a.abs_diff(b) as T))),
        Kind::Dp4a => {
            let (a_ty, b_ty) = (ty, mods.ty(1));
            let byte = |ty: Type, word: u32, i: usize| {
                let byte = word.to_le_bytes()[i];
                if ty == Type::S32 { i32::from(byte as i8) } else { i32::from(byte) }
            };
            file.map3(d4, mask, |a: u32, b: u32, c: i32| (0..4).fold(c, |sum, i| sum.wrapping_add(byte(a_ty, a, i) * byte(b_ty, b, i))));
        }
        Kind::Setp => set_predicates(file, inst, mask),
        Kind::Set => {
            let value = compared(file, mods, mods.ty(1), r1, r2);
            let one = if ty == Type::F32 { u64::from(1f32.to_bits()) } else { u32::MAX.into() };
            file.set(r0, mask, |lane| if value >> lane & 1 == 1 { one } else { 0 });
        }
        Kind::Selp => {
            let choice = file.predicates[r3 as usize];
            let (a, b) = (*file.get(r1), *file.get(r2));
            file.set(r0, mask, |lane| if choice >> lane & 1 == 1 { a[lane] } else { b[lane] });
        }
        Kind::Slct => {
            let (a, b, c) = (*file.get(r1), *file.get(r2), *file.get(r3));
            let float = mods.ty(1) == Type::F32;
            file.set(r0, mask, |lane| {
                let first = if float { f32::of(c[lane]) >= 0.0 } else { i32::of(c[lane]) >= 0 };
                if first { a[lane] } else { b[lane] }
            });
        }
        Kind::Mov => file.map1(d2, mask, |a: u64| a),
        Kind::Cvt => convert::one(file, inst, mask),
        Kind::CvtPack => convert::pack(file, inst, mask),
        Kind::CvtPair => convert::pair(file, inst, mask),
        Kind::Pack => {
            let mut value = [0; 32];
            for (index, source) in inst.lists[0].iter().enumerate() {
                let source = file.get(*source);
                let part = u64::MAX >> (64 - inst.imm);
                value.iter_mut().zip(source).for_each(|(value, source)| *value |= (source & part) << (index as i64 * inst.imm));
            }
            file.set(r0, mask, |lane| value[lane]);
        }
        Kind::Unpack => {
            let value = *file.get(r0);
            let part = u64::MAX >> (64 - inst.imm);
            for (index, target) in inst.lists[0].iter().enumerate() {
                file.set(*target, mask, |lane| value[lane] >> (index as i64 * inst.imm) & part);
            }
        }
        Kind::Testp => {}
        _ => unreachable!("the machine carries out {:?} elsewhere", inst.kind),
    }
}

fn high(a: i128, b: i128, bits: u32) -> i128 {
    // Two numbers of 64 bits without sign may overflow, but not as numbers without sign.
    ((a as u128).wrapping_mul(b as u128) >> bits) as i128
}

fn add_with_carry(file: &mut File, inst: &Inst, mask: u32) {
    let ty = inst.mods.ty(0);
    let [d, a, b, ..] = inst.regs;
    let takes = matches!(inst.kind, Kind::AddC | Kind::SubC);
    let subtracts = matches!(inst.kind, Kind::Sub | Kind::SubC);
    if !takes && !inst.mods.carry {
        return match subtracts {
            true => by_bits!(ty, T => file.map2([d, a, b], mask, T::wrapping_sub)),
            false => by_bits!(ty, T => file.map2([d, a, b], mask, T::wrapping_add)),
        };
    }
    let (a, b, carry) = (*file.get(a), *file.get(b), if takes { file.carry } else { 0 });
    let limit = u64::MAX >> (64 - ty.bits());
    let full = |lane: usize| {
        let (a, b, carry) = (u128::from(a[lane] & limit), u128::from(b[lane] & limit), u128::from(carry >> lane & 1));
        if subtracts { a.wrapping_sub(b).wrapping_sub(carry) } else { a + b + carry }
    };
    file.set(d, mask, |lane| full(lane) as u64 & limit);
    if inst.mods.carry {
        let out = (0..32).fold(0, |all, lane| all | ((full(lane) >> ty.bits() & 1) as u32) << lane);
        file.carry = (file.carry & !mask) | (out & mask);
    }
}

fn mad_with_carry(file: &mut File, inst: &Inst, mask: u32) {
    let ty = inst.mods.ty(0);
    let [d, a, b, c, ..] = inst.regs;
    let (a, b, c) = (*file.get(a), *file.get(b), *file.get(c));
    let carry = if inst.kind == Kind::MadC { file.carry } else { 0 };
    let limit = u64::MAX >> (64 - ty.bits());
    let shift = if inst.mods.high { ty.bits() } else { 0 };
    let full = |lane: usize| {
        let product = by_int!(ty, T => (i128::from(T::of(a[lane])) as u128).wrapping_mul(i128::from(T::of(b[lane])) as u128));
        // The upper half of a product that has a sign.
        let part = (if ty.is_signed() { ((product as i128) >> shift) as u128 } else { product >> shift }) as u64 & limit;
        u128::from(part) + u128::from(c[lane] & limit) + u128::from(carry >> lane & 1)
    };
    file.set(d, mask, |lane| full(lane) as u64 & limit);
    if inst.mods.carry {
        let out = (0..32).fold(0, |all, lane| all | ((full(lane) >> ty.bits() & 1) as u32) << lane);
        file.carry = (file.carry & !mask) | (out & mask);
    }
}

fn predicates(file: &mut File, inst: &Inst, mask: u32) {
    let of = |index: usize| file.predicates[inst.regs[index] as usize];
    let value = match inst.kind {
        Kind::PredAnd => of(1) & of(2),
        Kind::PredOr => of(1) | of(2),
        Kind::PredXor => of(1) ^ of(2),
        Kind::PredNot => !of(1),
        _ => of(1),
    };
    file.set_predicate(inst.regs[0], mask, value);
}

fn lop3(a: u32, b: u32, c: u32, table: u32) -> u32 {
    (0..8).filter(|row| table >> row & 1 == 1).fold(0, |all, row| {
        let of = |value: u32, bit: u32| if row >> bit & 1 == 1 { value } else { !value };
        all | (of(a, 2) & of(b, 1) & of(c, 0))
    })
}

fn prmt(a: u32, b: u32, c: u32, mode: Option<u8>) -> u32 {
    let bytes = (u64::from(b) << 32 | u64::from(a)).to_le_bytes();
    let n = (c & 3) as usize;
    let at = |index: usize| bytes[index & 7];
    let select = |i: usize| match mode {
        None => {
            let selector = c >> (4 * i) & 15;
            let byte = at(selector as usize & 7);
            if selector & 8 == 0 { byte } else { ((byte as i8) >> 7) as u8 }
        }
        Some(0) => at(n + i),
        Some(1) => at(n.wrapping_sub(i)),
        Some(2) => at(n),
        Some(3) => at(i.max(n)),
        Some(4) => at(i.min(n)),
        Some(_) => at((n & 1) * 2 + (i & 1)),
    };
    u32::from_le_bytes([select(0), select(1), select(2), select(3)])
}

fn bfe(a: u64, position: u32, length: u32, ty: Type) -> u64 {
    let (bits, position, length) = (ty.bits(), position & 255, length & 255);
    let limit = u64::MAX >> (64 - bits);
    let value = (a & limit).checked_shr(position).unwrap_or(0);
    let field = if length >= 64 { u64::MAX } else { (1 << length) - 1 };
    let sign_at = (position + length).saturating_sub(1).min(bits - 1);
    let negative = ty.is_signed() && length > 0 && a >> sign_at & 1 == 1;
    // Above the field, and above the number itself, the sign stands.
    let known = bits.saturating_sub(position).min(length);
    let known = if known >= 64 { u64::MAX } else { (1 << known) - 1 };
    ((value & field & known) | if negative { !known } else { 0 }) & limit
}

/// The lanes for which a comparison holds.
fn compared(file: &File, mods: &Mods, ty: Type, a: u32, b: u32) -> u32 {
    let compare = mods.compare.unwrap_or(Compare::Eq);
    match ty {
        Type::F32 if mods.ftz => file.test2(a, b, |a: f32, b: f32| holds(compare, flush_f32(a), flush_f32(b))),
        Type::F32 => file.test2(a, b, |a: f32, b: f32| holds(compare, a, b)),
        Type::F64 => file.test2(a, b, |a: f64, b: f64| holds(compare, a, b)),
        _ => match ty.format() {
            Some(format) => file.test2(a, b, |a: u16, b: u16| holds(compare, format.decode(a.into()), format.decode(b.into()))),
            None => by_int!(ty, T => file.test2(a, b, |a: T, b: T| match compare {
                Compare::Eq => a == b,
                Compare::Ne => a != b,
                Compare::Lt => a < b,
                Compare::Le => a <= b,
                Compare::Gt => a > b,
                _ => a >= b,
            })),
        },
    }
}

fn holds<T: PartialOrd>(compare: Compare, a: T, b: T) -> bool {
    let Some(order) = a.partial_cmp(&b) else {
        return matches!(compare, Compare::Equ | Compare::Neu | Compare::Ltu | Compare::Leu | Compare::Gtu | Compare::Geu | Compare::Nan);
    };
    match compare {
        Compare::Eq | Compare::Equ => order.is_eq(),
        Compare::Ne | Compare::Neu => order.is_ne(),
        Compare::Lt | Compare::Ltu => order.is_lt(),
        Compare::Le | Compare::Leu => order.is_le(),
        Compare::Gt | Compare::Gtu => order.is_gt(),
        Compare::Ge | Compare::Geu => order.is_ge(),
        Compare::Num => true,
        Compare::Nan => false,
    }
}

fn set_predicates(file: &mut File, inst: &Inst, mask: u32) {
    let [p, q, a, b, c, _] = inst.regs;
    let value = compared(file, &inst.mods, inst.mods.ty(0), a, b);
    let combined = |value: u32| match inst.mods.combine {
        None => value,
        Some(combine) => {
            let other = file.predicates[c as usize];
            let other = if inst.inverted { !other } else { other };
            match combine {
                Combine::And => value & other,
                Combine::Or => value | other,
                _ => value ^ other,
            }
        }
    };
    let (first, second) = (combined(value), combined(!value));
    file.set_predicate(p, mask, first);
    file.set_predicate(q, mask, second);
}

fn floats(file: &mut File, inst: &Inst, mask: u32) {
    match inst.kind {
        Kind::Setp => return set_predicates(file, inst, mask),
        Kind::Testp => return test_property(file, inst, mask),
        _ => {}
    }
    match inst.mods.ty(0) {
        Type::F32 => singles(file, inst, mask),
        Type::F64 => doubles(file, inst, mask),
        ty => halves(file, inst, mask, ty),
    }
}

fn test_property(file: &mut File, inst: &Inst, mask: u32) {
    let [p, a, ..] = inst.regs;
    let property = inst.mods.property.unwrap_or(Property::Finite);
    let is = |class: std::num::FpCategory| match property {
        Property::Finite => !matches!(class, std::num::FpCategory::Nan | std::num::FpCategory::Infinite),
        Property::Infinite => class == std::num::FpCategory::Infinite,
        Property::Number => class != std::num::FpCategory::Nan,
        Property::NotANumber => class == std::num::FpCategory::Nan,
        Property::Normal => class == std::num::FpCategory::Normal,
        Property::Subnormal => class == std::num::FpCategory::Subnormal,
    };
    let value = match inst.mods.ty(0) {
        Type::F32 => file.test2(a, a, |a: f32, _| is(a.classify())),
        _ => file.test2(a, a, |a: f64, _| is(a.classify())),
    };
    file.set_predicate(p, mask, value);
}

/// `a * b + c` in `f32`, to nearest: the product is exact in `f64`, and the sum is rounded to odd before it is rounded to `f32`.
#[inline(always)]
pub(super) fn fma_f32(a: f32, b: f32, c: f32) -> f32 {
    canonical_f32(branch_free::add_odd(f64::from(a) * f64::from(b), c.into(), None) as f32)
}

fn singles(file: &mut File, inst: &Inst, mask: u32) {
    let mods = &inst.mods;
    let rounding = mods.rounding();
    let nearest = rounding == Rounding::NearestEven;
    let [r0, r1, r2, r3, ..] = inst.regs;
    let (d2, d3, d4) = ([r0, r1], [r0, r1, r2], [r0, r1, r2, r3]);
    if nearest && !mods.ftz && !mods.sat {
        // What most instructions are, in loops that vectorise.
        match inst.kind {
            Kind::Add => return file.map2(d3, mask, |a: f32, b: f32| canonical_f32(a + b)),
            Kind::Sub => return file.map2(d3, mask, |a: f32, b: f32| canonical_f32(a - b)),
            Kind::Mul => return file.map2(d3, mask, |a: f32, b: f32| canonical_f32(a * b)),
            Kind::Fma => return file.map3(d4, mask, fma_f32),
            _ => {}
        }
    }
    let before = |x: f32| if mods.ftz { flush_f32(x) } else { x };
    let after = |x: f32| {
        let x = if mods.ftz { flush_f32(x) } else { x };
        // Also a NaN becomes 0.
        if mods.sat { if x > 0.0 { x.min(1.0) } else { 0.0 } } else { x }
    };
    match inst.kind {
        Kind::Add => file.map2(d3, mask, |a, b| after(arith::add_f32(before(a), before(b), rounding))),
        Kind::Sub => file.map2(d3, mask, |a, b| after(arith::sub_f32(before(a), before(b), rounding))),
        Kind::Mul => file.map2(d3, mask, |a, b| after(arith::mul_f32(before(a), before(b), rounding))),
        Kind::Div => file.map2(d3, mask, |a, b| after(arith::div_f32(before(a), before(b), rounding))),
        Kind::Fma => file.map3(d4, mask, |a, b, c| {
            let (a, b, c) = (before(a), before(b), before(c));
            after(if nearest { fma_f32(a, b, c) } else { arith::fma_f32(a, b, c, rounding) })
        }),
        Kind::Min => file.map2(d3, mask, |a, b| after(float::minimum_f32(before(a), before(b), mods.nan))),
        Kind::Max => file.map2(d3, mask, |a, b| after(float::maximum_f32(before(a), before(b), mods.nan))),
        Kind::Abs => file.map1(d2, mask, |a| after(f32::from_bits(f32::to_bits(a) & 0x7FFF_FFFF))),
        Kind::Neg => file.map1(d2, mask, |a| after(f32::from_bits(f32::to_bits(a) ^ 0x8000_0000))),
        Kind::Copysign => file.map2(d3, mask, |a: u32, b: u32| (a & 0x8000_0000) | (b & 0x7FFF_FFFF)),
        Kind::Sqrt => file.map1(d2, mask, |a| after(arith::sqrt_f32(before(a), rounding))),
        Kind::Rcp => file.map1(d2, mask, |a| after(arith::div_f32(1.0, before(a), rounding))),
        _ => {
            let function: fn(f64) -> f64 = match inst.kind {
                Kind::Rsqrt => |x| 1.0 / x.sqrt(),
                Kind::Ex2 => math::exp2_f64,
                Kind::Lg2 => math::log2_f64,
                Kind::Sin => math::sin_f64,
                Kind::Cos => math::cos_f64,
                _ => math::tanh_f64,
            };
            file.map1(d2, mask, |a| after(canonical_f32(function(before(a).into()) as f32)));
        }
    }
}

fn doubles(file: &mut File, inst: &Inst, mask: u32) {
    let mods = &inst.mods;
    let rounding = mods.rounding();
    let [r0, r1, r2, r3, ..] = inst.regs;
    let (d2, d3, d4) = ([r0, r1], [r0, r1, r2], [r0, r1, r2, r3]);
    match inst.kind {
        Kind::Add => file.map2(d3, mask, |a, b| arith::add_f64(a, b, rounding)),
        Kind::Sub => file.map2(d3, mask, |a, b| arith::sub_f64(a, b, rounding)),
        Kind::Mul => file.map2(d3, mask, |a, b| arith::mul_f64(a, b, rounding)),
        Kind::Div => file.map2(d3, mask, |a, b| arith::div_f64(a, b, rounding)),
        Kind::Fma => file.map3(d4, mask, |a, b, c| arith::fma_f64(a, b, c, rounding)),
        Kind::Min => file.map2(d3, mask, |a, b| float::minimum_f64(a, b, false)),
        Kind::Max => file.map2(d3, mask, |a, b| float::maximum_f64(a, b, false)),
        Kind::Abs => file.map1(d2, mask, |a: u64| a & u64::MAX >> 1),
        Kind::Neg => file.map1(d2, mask, |a: u64| a ^ 1 << 63),
        Kind::Copysign => file.map2(d3, mask, |a: u64, b: u64| (a & 1 << 63) | (b & u64::MAX >> 1)),
        Kind::Sqrt => file.map1(d2, mask, |a| arith::sqrt_f64(a, rounding)),
        // Only the upper half of the result is computed; subnormal numbers count as zeros.
        Kind::Rcp if mods.approx => file.map1(d2, mask, |a: f64| {
            let a = if a.is_subnormal() { 0.0f64.copysign(a) } else { a };
            let result = arith::div_f64(1.0, a, Rounding::NearestEven);
            let result = if result.is_subnormal() { 0.0f64.copysign(result) } else { result };
            f64::from_bits(result.to_bits() & !0xFFFF_FFFF)
        }),
        Kind::Rcp => file.map1(d2, mask, |a| arith::div_f64(1.0, a, rounding)),
        _ => file.map1(d2, mask, math::rsqrt_f64),
    }
}

/// Calls `f` on a half, or on each of two.
fn each_half(ty: Type, values: [u64; 3], f: impl Fn([u64; 3]) -> u64) -> u64 {
    let low = f(values.map(|value| value & 0xFFFF));
    if ty.is_pair() { low | f(values.map(|value| value >> 16 & 0xFFFF)) << 16 } else { low }
}

fn halves(file: &mut File, inst: &Inst, mask: u32, ty: Type) {
    let mods = &inst.mods;
    let format = ty.format().unwrap_or(FloatFormat::F16);
    let [d, ra, rb, rc, ..] = inst.regs;
    let (a, b, c) = (*file.get(ra), *file.get(rb), *file.get(rc));
    let flush = |bits: u64| if mods.ftz && bits & 0x7C00 == 0 { bits & 0x8000 } else { bits };
    let finish = |bits: u64| {
        let value = format.decode(bits);
        match () {
            () if mods.sat => format.encode(if value > 0.0 { value.min(1.0) } else { 0.0 }, Rounding::NearestEven),
            () if mods.relu && value < 0.0 => 0,
            () => flush(bits),
        }
    };
    let rounding = Rounding::NearestEven;
    let rounded = |value: f64| format.encode(value, rounding);
    let one = |[a, b, c]: [u64; 3]| {
        let [a, b, c] = [flush(a), flush(b), flush(c)];
        finish(match inst.kind {
            Kind::Add => arith::add(format, a, b, rounding),
            Kind::Sub => arith::sub(format, a, b, rounding),
            Kind::Mul => arith::mul(format, a, b, rounding),
            Kind::Fma => arith::fma(format, a, b, c, rounding),
            Kind::Min => float::minimum(format, a, b, mods.nan),
            Kind::Max => float::maximum(format, a, b, mods.nan),
            Kind::Abs => float::abs(format, a),
            Kind::Neg => float::neg(format, a),
            Kind::Ex2 => rounded(math::exp2_f64(format.decode(a))),
            _ => rounded(math::tanh_f64(format.decode(a))),
        })
    };
    file.set(d, mask, |lane| each_half(ty, [a[lane], b[lane], c[lane]], one));
}
