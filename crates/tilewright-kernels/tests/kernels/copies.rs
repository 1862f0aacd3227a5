use tilewright_kernels::mma::{Copies, Matrix};

#[test]
fn copies_are_shared_by_the_products_of_a_round() {
    let matrix = |address: usize| Matrix { start: std::ptr::without_provenance(address), down: 8, right: 1 };
    let mut copies = Copies::default();
    copies.begin(2);
    let (first, is_there) = copies.of::<f32>(&matrix(64), 16);
    let (second, other_is_there) = copies.of::<f32>(&matrix(128), 16);
    assert!(first != second && !is_there && !other_is_there);
    assert_eq!(copies.of::<f32>(&matrix(64), 16), (first, true));
    assert_eq!(copies.of::<f32>(&matrix(128), 16), (second, true));
    // A third one takes the place of the oldest, and so does what no matrix is.
    assert_eq!(copies.of::<f32>(&matrix(192), 16), (first, false));
    assert_eq!(copies.take::<f32>(16), second);
    assert!(!copies.of::<f32>(&matrix(128), 16).1);
    // The next round may have other numbers there.
    copies.begin(2);
    assert!(!copies.of::<f32>(&matrix(192), 16).1);
}
