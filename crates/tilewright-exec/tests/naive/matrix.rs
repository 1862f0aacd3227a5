//! Matrix products (SEMANTICS c.8).

use super::{
    Naive,
    math::near,
    number::{self, Number},
    value::{Element, Item, Tile, Trust},
};
use tilewright_ir::{AttrName, OpRef, Opcode, Scalar, Signedness};

impl Naive<'_> {
    pub(super) fn product(&self, op: OpRef<'_>) -> Tile {
        let operands: Vec<&Tile> = op.operands().iter().map(|v| self.tile(*v)).collect();
        let (lhs, rhs, acc) = (operands[0], operands[1], operands[2]);
        let k = *lhs.shape.last().expect("matrices have two dimensions");
        Tile::from_fn(acc.element, &acc.shape, |position| {
            let (batch, [i, j]) = position.split_at(position.len() - 2) else { panic!("matrices have two dimensions") };
            let at = |tile: &Tile, a: usize, b: usize| tile.at(&[batch, &[a, b]].concat());
            let pairs: Vec<(Item, Item)> = (0..k).map(|l| (at(lhs, *i, l), at(rhs, l, *j))).collect();
            match op.opcode() {
                Opcode::MmaI => integers(op, &pairs, acc.at(position)),
                _ => {
                    let scales = operands.get(3).map(|scale| {
                        let block = k / scale.shape[scale.shape.len() - 1];
                        (0..k).map(|l| (at(operands[3], *i, l / block), at(operands[4], l / block, *j))).collect::<Vec<_>>()
                    });
                    floats(lhs.element.scalar(), &pairs, scales.map(|s| (operands[3].element.scalar(), s)), acc, acc.at(position))
                }
            }
        })
    }
}

fn integers(op: OpRef<'_>, pairs: &[(Item, Item)], acc: Item) -> Item {
    if acc.trust != Trust::Exact || pairs.iter().any(|(a, b)| a.trust != Trust::Exact || b.trust != Trust::Exact) {
        return Item::UNKNOWN;
    }
    let read = |bits: u64, name: AttrName| {
        if op.signedness_of(name) == Some(Signedness::Signed) { i64::from(bits as u8 as i8) } else { bits as i64 }
    };
    let product = |(a, b): &(Item, Item)| read(a.bits, AttrName::SignednessLhs) * read(b.bits, AttrName::SignednessRhs);
    let sum = pairs.iter().map(product).sum::<i64>() + acc.bits as i64;
    Item::exact(sum as u64 & 0xffff_ffff)
}

/// A factor: finite and known, or `None`.
fn factor(scalar: Scalar, item: Item) -> Option<f64> {
    // Products ignore the low bits of a tf32.
    let bits = if scalar == Scalar::Tf32 { item.bits & !0x1fff } else { item.bits };
    match (item.trust, number::decode(scalar, bits)) {
        (Trust::Exact, Number::Finite(exact)) => Some(exact.to_f64()),
        _ => None,
    }
}

/// The sum of the products. Nothing is said about the order and the width of the sum, so the distance grows with its length.
fn floats(scalar: Scalar, pairs: &[(Item, Item)], scales: Option<(Scalar, Vec<(Item, Item)>)>, acc: &Tile, first: Item) -> Item {
    let result = acc.element.scalar();
    let Some(first) = factor(result, first) else { return Item::UNKNOWN };
    let (mut sum, mut magnitude) = (first, first.abs());
    for (l, (a, b)) in pairs.iter().enumerate() {
        let (Some(a), Some(b)) = (factor(scalar, *a), factor(scalar, *b)) else { return Item::UNKNOWN };
        let mut product = a * b;
        if let Some((format, scales)) = &scales {
            let (Some(x), Some(y)) = (factor(*format, scales[l].0), factor(*format, scales[l].1)) else { return Item::UNKNOWN };
            if x.is_sign_negative() || y.is_sign_negative() {
                return Item::UNKNOWN;
            }
            product *= x * y;
        }
        sum += product;
        magnitude += product.abs();
    }
    let format = number::format(result);
    let unit = 2f64.powi(-(format.mantissa as i32));
    // Where a part of the sum could overflow, anything may come out.
    let largest = 2f64.powi(format.bias as i32);
    if !magnitude.is_finite() || magnitude > largest / 4.0 {
        return Item::UNKNOWN;
    }
    let single = 2f64.powi(-23).max(unit);
    let rounded = near(result, sum, 1.0, false);
    let Trust::Near(distance) = rounded.trust else { return rounded };
    let terms = (pairs.len() + 2) as f64;
    let least = 2f64.powi(if result == Scalar::F64 { -1074 } else { -149 });
    let width = if result == Scalar::F64 { unit } else { single };
    Item { bits: rounded.bits, trust: Trust::Near(distance + terms * (width * magnitude + least)) }
}

/// The sum of numbers in any order.
pub(super) fn sum(element: Element, items: &[Item]) -> Item {
    let scalar = element.scalar();
    let numbers: Option<Vec<f64>> = items.iter().map(|item| factor(scalar, *item)).collect();
    let Some(numbers) = numbers else { return Item::UNKNOWN };
    if let [_] = items {
        return items[0];
    }
    let magnitude: f64 = numbers.iter().map(|x| x.abs()).sum();
    let format = number::format(scalar);
    if !magnitude.is_finite() || magnitude > 2f64.powi(format.bias as i32) / 4.0 {
        return Item::UNKNOWN;
    }
    let rounded = near(scalar, numbers.iter().sum(), 1.0, false);
    let Trust::Near(distance) = rounded.trust else { return rounded };
    let unit = 2f64.powi(-(format.mantissa as i32));
    Item { bits: rounded.bits, trust: Trust::Near(distance + items.len() as f64 * unit * magnitude) }
}
