//! Matrix products (SEMANTICS c.8).

use super::{
    Naive,
    math::near,
    number,
    value::{Element, Item, Tile, Trust},
};
use tilewright_ir::{AttrName, OpRef, Opcode, RoundingMode, Scalar, Signedness};

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

/// A number, which may be infinite or none; `None` if it is not known.
fn known(scalar: Scalar, item: Item) -> Option<f64> {
    // Products ignore the low bits of a tf32.
    let bits = if scalar == Scalar::Tf32 { item.bits & !0x1fff } else { item.bits };
    matches!(item.trust, Trust::Exact | Trust::Nan).then(|| number::decode_to_f64(scalar, bits))
}

/// The sum of the products. Nothing is said about the order and the width of the sum, so the distance grows with its length.
fn floats(scalar: Scalar, pairs: &[(Item, Item)], scales: Option<(Scalar, Vec<(Item, Item)>)>, acc: &Tile, first: Item) -> Item {
    let result = acc.element.scalar();
    let Some(first) = known(result, first) else { return Item::UNKNOWN };
    let mut terms = vec![first];
    for (l, (a, b)) in pairs.iter().enumerate() {
        let mut factors = vec![(scalar, *a), (scalar, *b)];
        if let Some((format, scales)) = &scales {
            factors.extend([(*format, scales[l].0), (*format, scales[l].1)]);
        }
        let numbers: Option<Vec<f64>> = factors.into_iter().map(|(scalar, item)| known(scalar, item)).collect();
        let Some(numbers) = numbers else { return Item::UNKNOWN };
        // What negative scales mean is not defined.
        if numbers[2..].iter().any(|scale| scale.is_sign_negative()) {
            return Item::UNKNOWN;
        }
        let product = numbers.iter().product::<f64>();
        if product.is_infinite() && numbers.iter().all(|number| number.is_finite()) {
            return Item::UNKNOWN;
        }
        terms.push(product);
    }
    let mantissa = number::format(result).mantissa as i32;
    // Sums of f16 and of smaller products have the width of f32.
    let unit = 2f64.powi(-mantissa.max(23));
    let least = 2f64.powi(if result == Scalar::F64 { -1074 } else { -149 });
    total(result, &terms, |magnitude| (terms.len() + 1) as f64 * (unit * magnitude + least))
}

/// The sum of numbers in any order.
pub(super) fn sum(element: Element, items: &[Item]) -> Item {
    let scalar = element.scalar();
    let numbers: Option<Vec<f64>> = items.iter().map(|item| known(scalar, *item)).collect();
    let Some(numbers) = numbers else { return Item::UNKNOWN };
    if let [_] = items {
        return items[0];
    }
    let unit = 2f64.powi(-(number::format(scalar).mantissa as i32));
    total(scalar, &numbers, |magnitude| items.len() as f64 * unit * magnitude)
}

/// A sum of terms that is rounded on the way; `error` is how far that may lead, by the sum of their magnitudes.
fn total(scalar: Scalar, terms: &[f64], error: impl Fn(f64) -> f64) -> Item {
    let (finite, others): (Vec<f64>, Vec<f64>) = terms.iter().partition(|term| term.is_finite());
    let magnitude: f64 = finite.iter().map(|x| x.abs()).sum();
    // Where a part of the sum could overflow, anything may come out.
    if !magnitude.is_finite() || magnitude > 2f64.powi(number::format(scalar).bias as i32) / 4.0 {
        return Item::UNKNOWN;
    }
    if !others.is_empty() {
        // Infinite if all that is not finite has one sign; else no number.
        let value = number::decode(Scalar::F64, others.iter().sum::<f64>().to_bits());
        return super::elementwise::round(scalar, &value, RoundingMode::NearestEven);
    }
    let rounded = near(scalar, finite.iter().sum(), 1.0, false);
    let Trust::Near(distance) = rounded.trust else { return rounded };
    Item { bits: rounded.bits, trust: Trust::Near(distance + error(magnitude)) }
}
