use super::*;
use crate::{
    elem::Elem,
    plan::{Base, VReg},
};
use tilewright_ir::Scalar;

/// `origin + step * i`, in 32 bits, below `end` as an unsigned number; `i` goes up to `extent`.
fn row(step: i64, end: i64, extent: usize) -> AccessFunction {
    let nodes = vec![
        Node { bits: 32, index: Index::Lane(SmallVec::from_slice(&[(0, step)])) },
        Node { bits: 32, index: Index::Leaf(0) },
        Node { bits: 32, index: Index::Add(0, 1) },
        Node { bits: 32, index: Index::Constant(end) },
        Node { bits: 64, index: Index::Resize { of: 2, signed: true } },
    ];
    let tile = Tile::contiguous(Elem::Num(Scalar::I32), Base::Reg(VReg(0)), &[]);
    let leaves = vec![Leaf { tile, along: None, is_block_id: false }];
    let conditions = vec![Condition { predicate: ComparisonPredicate::LessThan, signed: false, lhs: 2, rhs: 3 }];
    AccessFunction { extents: SmallVec::from_slice(&[extent]), nodes, leaves, offset: 4, conditions }
}

/// The lanes that are accessed, by conditions and one by one.
fn accessed(function: &AccessFunction, origin: i64) -> (Option<(usize, usize)>, Vec<usize>) {
    let all = function.all_lanes();
    let range = function.resolve(|_| Some(origin)).map(|resolved| {
        resolved.conditions.iter().fold(all[0], |range, condition| condition.restrict(condition.value.constant, 0, &[range]).unwrap())
    });
    let lane = |i: &usize| function.lane(&[*i], |_| origin, &mut Vec::new()).is_some();
    (range, (0..all[0].1).filter(lane).collect())
}

#[test]
fn conditions_leave_the_lanes_for_which_they_hold() {
    for (step, end) in [(1, 20), (3, 20), (-1, 20), (-4, 20), (2, 0), (1, i64::from(i32::MAX))] {
        for origin in [-40, -7, -1, 0, 1, 5, 19, 20, 21, 70] {
            let (range, lanes) = accessed(&row(step, end, 16), origin);
            let (first, last) = range.unwrap();
            assert_eq!((first..last).collect::<Vec<_>>(), lanes, "{origin} + {step} i < {end}");
        }
    }
}

#[test]
fn sums_that_wrap_are_not_resolved() {
    let (range, lanes) = accessed(&row(1, 20, 16), i64::from(i32::MAX) - 3);
    assert_eq!((range, lanes), (None, Vec::new()));
    // Behind the greatest number comes the least, which as an unsigned number is large; behind -1 comes 0.
    assert_eq!(accessed(&row(1 << 28, 20, 16), 0), (None, vec![0]));
}

#[test]
fn what_is_known_of_one_sum_is_one_range() {
    let resolved = row(2, 20, 16).resolve(|_| None).unwrap();
    let ranges = |all: &[Between]| all.iter().map(|b| (b.value.constant, b.least, b.most)).collect::<Vec<_>>();
    assert_eq!(ranges(&resolved.conditions), [(0, 0, 19)]);
    assert_eq!(ranges(&resolved.needs), [(0, i64::from(i32::MIN), i64::from(i32::MAX))]);
    assert_eq!(resolved.offset, Affine { constant: 0, leaves: SmallVec::from_slice(&[(0, 1)]), steps: [2, 0, 0, 0] });
}

/// `max(origin + step * i, 2)`, at most 9.
fn clamped(step: i64) -> AccessFunction {
    let mut function = row(step, 20, 16);
    function.nodes.extend([
        Node { bits: 32, index: Index::Constant(2) },
        Node { bits: 32, index: Index::Extreme { larger: true, of: [2, 5] } },
        Node { bits: 32, index: Index::Constant(9) },
        Node { bits: 32, index: Index::Extreme { larger: false, of: [7, 6] } },
        Node { bits: 64, index: Index::Resize { of: 8, signed: true } },
    ]);
    AccessFunction { offset: 9, conditions: Vec::new(), ..function }
}

#[test]
fn of_a_limit_and_what_moves_the_latter_is_taken() {
    let resolved = clamped(1).resolve(|_| None).unwrap();
    assert_eq!(resolved.offset.steps[0], 1);
    let ranges: Vec<_> = resolved.needs.iter().map(|b| (b.value.steps[0], b.least, b.most)).collect();
    assert_eq!(ranges, [(1, 2, i64::from(i32::MAX)), (-1, -9, i64::MAX)]);
}

/// For each lane, those forms whose needs hold of it give its place, and there is one.
#[test]
fn some_form_holds_for_each_lane() {
    for (step, origin) in [(1, -8), (1, 4), (-1, 6), (3, -1), (0, 1), (0, 12)] {
        let function = clamped(step);
        let forms = function.forms(|_| Some(origin));
        assert_eq!(forms.len(), 4);
        for i in 0..16 {
            let place = function.lane(&[i], |_| origin, &mut Vec::new()).unwrap();
            let lane = [(i, i + 1)];
            let holds = |form: &&Resolved| form.needs.iter().all(|need| need.holds(need.value.constant, &lane) == Holds::Always);
            let places: Vec<i64> = forms.iter().filter(holds).map(|form| form.offset.constant + form.offset.steps[0] * i as i64).collect();
            assert!(!places.is_empty() && places.iter().all(|found| *found == place), "{origin} + {step} * {i}: {places:?}, {place}");
        }
    }
}

/// `(origin + i) / by`, or `% by`.
fn divided(part: DivisionPart, by: i64) -> AccessFunction {
    let mut function = row(1, 20, 64);
    function.nodes.extend([
        Node { bits: 32, index: Index::Constant(by) },
        Node { bits: 32, index: Index::Divide { of: 2, by: 5, part } },
        Node { bits: 64, index: Index::Resize { of: 6, signed: true } },
    ]);
    AccessFunction { offset: 7, conditions: Vec::new(), ..function }
}

#[test]
fn quotients_are_those_of_the_first_lane_as_far_as_needs_hold() {
    let parts = [
        DivisionPart::Quotient { signed: true, rounding: RoundingMode::NegativeInf },
        DivisionPart::Remainder { signed: false },
        DivisionPart::FloorRemainder,
    ];
    for (part, by, origin) in parts.iter().flat_map(|part| [(*part, 40, 100), (*part, 7, 0), (*part, 64, 128), (*part, 100, 99)]) {
        let function = divided(part, by);
        let forms = function.forms(|_| Some(origin));
        let [form] = &forms[..] else { panic!("there is one form") };
        let mut from = 0;
        while from < 64 {
            let quotients: Vec<i64> = form.quotients.iter().map(|q| q.of_first(&[origin], &[(from, 64)]).unwrap()).collect();
            let leaves = [&[origin], &quotients[..]].concat();
            let offset = form.offset.with(&leaves).unwrap();
            let end = form
                .needs
                .iter()
                .fold(64, |end, need| need.restrict(need.value.with(&leaves).unwrap(), 0, &[(from, 64)]).unwrap().1.min(end));
            assert!(end > from, "{part:?} by {by}");
            for i in from..end {
                let place = function.lane(&[i], |_| origin, &mut Vec::new()).unwrap();
                assert_eq!(offset + form.offset.steps[0] * i as i64, place, "{part:?} of {origin} + {i} by {by}");
            }
            from = end;
        }
    }
}

/// `((origin + i) / columns) * pitch + (origin + i) % columns`, whose row is below `rows`, and whose column is below `columns`.
fn matrix(columns: i64, pitch: i64, rows: i64) -> AccessFunction {
    let mut function = divided(DivisionPart::Quotient { signed: true, rounding: RoundingMode::Zero }, columns);
    function.nodes.extend([
        Node { bits: 32, index: Index::Divide { of: 2, by: 5, part: DivisionPart::Remainder { signed: true } } },
        Node { bits: 32, index: Index::Constant(pitch) },
        Node { bits: 32, index: Index::Mul(6, 9) },
        Node { bits: 32, index: Index::Add(10, 8) },
        Node { bits: 64, index: Index::Resize { of: 11, signed: true } },
        Node { bits: 32, index: Index::Constant(rows) },
    ]);
    let below = |lhs, rhs| Condition { predicate: ComparisonPredicate::LessThan, signed: false, lhs, rhs };
    AccessFunction { offset: 12, conditions: vec![below(6, 13), below(8, 5)], ..function }
}

#[test]
fn what_is_taken_apart_and_put_together_again_has_no_quotient() {
    let resolved = matrix(40, 40, 5).resolve(|_| None).unwrap();
    assert!(resolved.quotients.is_empty());
    assert_eq!(resolved.offset, Affine { leaves: SmallVec::from_slice(&[(0, 1)]), steps: [1, 0, 0, 0], ..Affine::default() });
    let ranges: Vec<_> = resolved.conditions.iter().map(|b| (b.value.constant, b.value.leaves.len(), b.least, b.most)).collect();
    assert_eq!(ranges, [(0, 1, 0, 199)]);
    // What is below a limit of rows does not name rows, even where places do.
    let resolved = matrix(40, 50, 5).resolve(|_| None).unwrap();
    assert_eq!((resolved.quotients.len(), resolved.conditions.len(), resolved.conditions[0].value.steps[0]), (1, 1, 1));
}

/// Remainders of remainders, and quotients of quotients, are told from the first number.
#[test]
fn quotients_of_quotients_divide_once() {
    let mut function = divided(DivisionPart::Quotient { signed: true, rounding: RoundingMode::Zero }, 4);
    function.nodes.extend([
        Node { bits: 32, index: Index::Constant(5) },
        Node {
            bits: 32,
            index: Index::Divide { of: 6, by: 8, part: DivisionPart::Quotient { signed: true, rounding: RoundingMode::Zero } },
        },
        Node { bits: 64, index: Index::Resize { of: 9, signed: true } },
    ]);
    function.offset = 10;
    let resolved = function.resolve(|_| None).unwrap();
    assert_eq!(resolved.quotients.iter().map(|q| q.of_first(&[43], &[(0, 1)])).collect::<Vec<_>>(), [Some(2)]);
}

#[test]
fn remainders_repeat() {
    let period = |function: AccessFunction| function.resolve(|_| None).unwrap().period(&function.extents);
    assert_eq!(period(divided(DivisionPart::Remainder { signed: true }, 20)), Some(20));
    // Of less than twice as many lanes, and of quotients, no part is the same as another one.
    assert_eq!(period(divided(DivisionPart::Remainder { signed: true }, 33)), None);
    assert_eq!(period(divided(DivisionPart::Quotient { signed: true, rounding: RoundingMode::Zero }, 20)), None);
    assert_eq!((period(matrix(20, 0, 3)), period(matrix(20, 0, 1 << 20))), (None, None));
}

/// Where the tile begins at a multiple of the divisor, and is no longer, nothing is left to find out.
#[test]
fn multiples_are_divided_at_once() {
    let mut function = divided(DivisionPart::FloorRemainder, 64);
    function.nodes[1] = Node { bits: 32, index: Index::Leaf(0) };
    function.nodes.insert(2, Node { bits: 32, index: Index::Constant(64) });
    function.nodes.insert(3, Node { bits: 32, index: Index::Mul(1, 2) });
    function.nodes[4] = Node { bits: 32, index: Index::Add(0, 3) };
    function.nodes[8] = Node { bits: 32, index: Index::Divide { of: 4, by: 7, part: DivisionPart::FloorRemainder } };
    function.nodes[9] = Node { bits: 64, index: Index::Resize { of: 8, signed: true } };
    function.offset = 9;
    let resolved = function.resolve(|_| None).unwrap();
    assert!(resolved.quotients.is_empty());
    assert_eq!(resolved.offset, Affine { steps: [1, 0, 0, 0], ..Affine::default() });
}

#[test]
fn products_of_what_is_not_known_are_no_sums() {
    let mut function = row(1, 20, 16);
    function.nodes.push(Node { bits: 64, index: Index::Mul(4, 1) });
    assert!(row(1, 20, 16).is_affine_in(|_| true) && function.is_affine_in(|_| false) && !function.is_affine_in(|_| true));
    assert!(function.resolve(|_| None).is_none() && function.resolve(|_| Some(3)).is_some());
}

/// `(leaf + lane + first) * step`, of which the sum lies below 20, and the product is widened before a number of its own is added.
fn moved_row(first: i64, step: i64, own: i64) -> AccessFunction {
    let nodes = vec![
        Node { bits: 32, index: Index::Lane(SmallVec::from_slice(&[(0, 1)])) },
        Node { bits: 32, index: Index::Leaf(0) },
        Node { bits: 32, index: Index::Add(1, 0) },
        Node { bits: 32, index: Index::Constant(first) },
        Node { bits: 32, index: Index::Add(2, 3) },
        Node { bits: 32, index: Index::Constant(20) },
        Node { bits: 32, index: Index::Constant(step) },
        Node { bits: 32, index: Index::Mul(4, 6) },
        Node { bits: 64, index: Index::Resize { of: 7, signed: true } },
        Node { bits: 64, index: Index::Constant(own) },
        Node { bits: 64, index: Index::Add(8, 9) },
    ];
    let conditions = vec![Condition { predicate: ComparisonPredicate::LessThan, signed: false, lhs: 4, rhs: 5 }];
    AccessFunction { extents: SmallVec::from_slice(&[16]), nodes, conditions, offset: 10, ..row(1, 1, 1) }
}

#[test]
fn functions_that_differ_by_constants_are_shifted() {
    let at = |first| moved_row(first, 3, 7);
    for (from, to) in [(0, 1), (1, 0), (-2, 5), (4, 4), (0, i64::from(i32::MAX))] {
        assert_eq!(at(from).shift_to(&at(to)), Some([to - from, 0, 0, 0]), "{from} to {to}");
    }
    // Another step, a term that is not shifted with the lanes, fewer lanes.
    assert_eq!(at(0).shift_to(&moved_row(1, 2, 7)), None);
    assert_eq!(at(0).shift_to(&moved_row(1, 3, 8)), None);
    assert_eq!(at(0).shift_to(&AccessFunction { extents: SmallVec::from_slice(&[8]), ..at(1) }), None);
    // Lanes that go on in steps of two are never at odd places.
    let in_twos = |first| {
        let mut function = at(first);
        function.nodes[0].index = Index::Lane(SmallVec::from_slice(&[(0, 2)]));
        function
    };
    assert_eq!((in_twos(0).shift_to(&in_twos(3)), in_twos(0).shift_to(&in_twos(4))), (None, Some([2, 0, 0, 0])));
}

#[test]
fn dimensions_that_are_parts_of_one_are_shifted_by_the_nearest_of_each() {
    let parts = |first| {
        let mut function = moved_row(first, 3, 7);
        function.nodes[0].index = Index::Lane(SmallVec::from_slice(&[(0, 32), (1, 1)]));
        AccessFunction { extents: SmallVec::from_slice(&[2, 32]), ..function }
    };
    for (by, shift) in [(1, [0, 1]), (-3, [0, -3]), (31, [1, -1]), (33, [1, 1]), (-64, [-2, 0])] {
        assert_eq!(parts(2).shift_to(&parts(2 + by)), Some([shift[0], shift[1], 0, 0]), "{by}");
    }
}

#[test]
fn shifted_functions_have_the_lanes_of_others() {
    for (by, origin) in [(0, 3), (2, 3), (-5, 3), (3, i64::from(i32::MAX) - 8), (-7, i64::from(i32::MIN) + 2)] {
        let (function, larger) = (moved_row(0, 3, 7), moved_row(0, 3, 7).shifted(&[by, 0, 0, 0], &[40]));
        assert_eq!(larger.extents[..], [40]);
        for i in 0..40 {
            let further = moved_row(by, 3, 7).lane(&[i], |_| origin, &mut Vec::new());
            assert_eq!(larger.lane(&[i], |_| origin, &mut Vec::new()), further, "lane {i}, {by} further, from {origin} on");
        }
        assert_eq!(function.shift_to(&function.shifted(&[by, 0, 0, 0], &[16])), Some([by, 0, 0, 0]));
    }
}

/// What is divided: `(16 b + shift + step * lane0 + lane1) / by`, of 32 x 2 lanes.
fn of_groups(shift: i64, step: i64, by: i64) -> AccessFunction {
    let nodes = vec![
        Node { bits: 32, index: Index::Leaf(0) },
        Node { bits: 32, index: Index::Constant(16) },
        Node { bits: 32, index: Index::Mul(0, 1) },
        Node { bits: 32, index: Index::Lane(SmallVec::from_slice(&[(0, step), (1, 1)])) },
        Node { bits: 32, index: Index::Add(2, 3) },
        Node { bits: 32, index: Index::Constant(shift) },
        Node { bits: 32, index: Index::Add(4, 5) },
        Node { bits: 32, index: Index::Constant(by) },
        Node { bits: 32, index: Index::Divide { of: 6, by: 7, part: DivisionPart::Remainder { signed: false } } },
        Node { bits: 64, index: Index::Resize { of: 8, signed: true } },
    ];
    let tile = Tile::contiguous(Elem::Num(Scalar::I32), Base::Reg(VReg(0)), &[]);
    let leaves = vec![Leaf { tile, along: None, is_block_id: true }];
    AccessFunction { extents: SmallVec::from_slice(&[32, 2]), nodes, leaves, offset: 9, conditions: Vec::new() }
}

#[test]
fn divisions_split_dimensions_where_groups_begin_with_a_quotient() {
    let split = |shift, step, by| of_groups(shift, step, by).split().map(|split| (split.dim, split.lanes));
    assert_eq!(split(0, 2, 8), Some((0, 4)));
    assert_eq!(split(16, 2, 8), Some((0, 4)));
    // Blocks begin in the middle of a group.
    assert_eq!(split(0, 2, 32), None);
    assert_eq!(split(3, 2, 8), None);
    // No whole number of lanes has a quotient.
    assert_eq!(split(0, 3, 8), None);
    // One lane has a quotient, and all lanes have one.
    assert_eq!(split(0, 2, 2), None);
    assert_eq!(split(0, 16, 16), None);
}
