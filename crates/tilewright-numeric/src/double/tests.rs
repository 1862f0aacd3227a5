use super::*;

/// The angle of all `f64` that lies nearest to a multiple of `pi / 2`; values from multiple precision.
#[test]
fn the_hardest_angle() {
    let x = 6_381_956_970_095_103.0 * 2f64.powi(797);
    assert_eq!(angle::cos(x), -4.687_165_924_254_628e-19);
    assert_eq!(angle::sin(x), 1.0);
    assert_eq!(angle::tan(-x), 2.133_485_385_753_704e18);
    assert_eq!([angle::sin(1e22), angle::sin(-1e22)], [-0.852_200_849_767_188_8, 0.852_200_849_767_188_8]);
}
