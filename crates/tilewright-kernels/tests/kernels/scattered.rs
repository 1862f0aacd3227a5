use tilewright_kernels::{
    cpu::Level,
    scattered::{Indices, Pointers, Reach, Window, add_up, all_set, is_run, reach, reach_of_indices},
};

fn all(addresses: &[u64]) -> Pointers<'_> {
    Pointers { addresses, mask: None }
}

fn some<'a>(addresses: &'a [u64], mask: &'a [u8]) -> Pointers<'a> {
    Pointers { addresses, mask: Some(mask) }
}

#[test]
fn the_reach_of_aligned_addresses() {
    let addresses: Vec<u64> = (0..100).map(|i| 1000 + i * 37 % 100 * 8).collect();
    for level in Level::available() {
        assert_eq!(reach(level, all(&addresses), 8), Some(Reach { first: 1000, last: 1792 }));
        assert_eq!(reach(level, all(&addresses), 16), None);
        assert_eq!(reach(level, all(&[]), 8), None);
        assert_eq!(reach(level, some(&[5, 24, 16, 3], &[0, 1, 1, 0]), 8), Some(Reach { first: 16, last: 24 }));
        assert_eq!(reach(level, some(&[8], &[0]), 8), None);
    }
    for level in Level::available() {
        let is_run = |addresses: &[u64]| is_run(level, addresses, reach(level, all(addresses), 8).unwrap(), 8);
        let run: Vec<u64> = (0..100).map(|i| 1000 + i * 8).collect();
        assert!(is_run(&run) && is_run(&run[..1]) && !is_run(&addresses));
        let mut exchanged = run.clone();
        exchanged.swap(50, 51);
        assert!(!is_run(&exchanged) && !is_run(&[8, 16, 16, 32]));
    }
    assert!(all_set(&[1, 3, 1]) && all_set(&[]) && !all_set(&[1, 2, 1]));
}

/// Rows of some elements each, of which some are masked off, against one element after the other.
#[test]
fn rows_are_loaded_and_stored_as_elements_are() {
    for (row, step) in [(16usize, 1u64), (40, 1), (5, 1), (16, 2), (1, 0), (33, 0)] {
        for masked in [None, Some(0usize), Some(3), Some(50)] {
            let bytes: Vec<u8> = (0..4096u32).map(|i| (i * 37 % 251) as u8).collect();
            let addresses: Vec<u64> = (0..200).map(|i| 4096 + (i / row * 389 % 1000 * 2) as u64 + (i % row) as u64 * 2 * step).collect();
            let mask: Option<Vec<u8>> = masked.map(|n| (0..200).map(|i| u8::from(n == 0 || i / n % 2 == 0)).collect());
            let pointers = Pointers { addresses: &addresses, mask: mask.as_deref() };
            let is_on = |i: usize| mask.as_ref().is_none_or(|mask| mask[i] == 1);
            let (mut from, mut to) = (bytes.clone(), bytes.clone());
            let at = |i: usize| (addresses[i] - 4096) as usize;
            let window = |bytes: &mut [u8]| Window { address: 4096, host: bytes.as_mut_ptr(), last: 4096 + 4094 };
            let padding: [u16; 200] = std::array::from_fn(|i| i as u16);
            for (padded, strong) in [(true, false), (false, false), (true, true)] {
                let (mut loaded, padding) = ([9u16; 200], padded.then_some(padding.as_ptr()));
                // SAFETY: the window holds the elements, aligned, and the padding one for each.
                unsafe {
                    match strong {
                        false => window(&mut from).load::<u16, false>(pointers, padding, loaded.as_mut_ptr()),
                        true => window(&mut from).load::<u16, true>(pointers, padding, loaded.as_mut_ptr()),
                    }
                }
                for i in 0..200 {
                    let left_out = if padded { i as u16 } else { 0 };
                    let expected = if is_on(i) { u16::from_le_bytes([bytes[at(i)], bytes[at(i) + 1]]) } else { left_out };
                    assert_eq!(loaded[i], expected, "{i} of rows of {row}, {step} apart, {masked:?}");
                }
            }
            let numbers: [u16; 200] = std::array::from_fn(|i| i as u16 * 257);
            let mut expected = bytes.clone();
            (0..200).filter(|i| is_on(*i)).for_each(|i| expected[at(i)..at(i) + 2].copy_from_slice(&numbers[i].to_le_bytes()));
            for strong in [false, true] {
                to.copy_from_slice(&bytes);
                // SAFETY: as above.
                unsafe {
                    match strong {
                        false => window(&mut to).store::<u16, false>(pointers, numbers.as_ptr()),
                        true => window(&mut to).store::<u16, true>(pointers, numbers.as_ptr()),
                    }
                }
                assert_eq!(to, expected, "rows of {row}, {step} apart, {masked:?}");
            }
        }
    }
}

#[test]
fn elements_are_loaded_stored_and_added_up() {
    let mut bytes = [0u8, 1, 2, 3, 4, 5, 6, 7];
    let window = Window { address: 64, host: bytes.as_mut_ptr(), last: 70 };
    assert!(window.holds(Reach { first: 64, last: 70 }));
    assert!(!window.holds(Reach { first: 64, last: 71 }) && !window.holds(Reach { first: 62, last: 70 }));
    let mut loaded = [9u16; 3];
    // SAFETY: the window holds the elements.
    unsafe { window.load::<u16, false>(some(&[0, 64, 66], &[0, 1, 1]), Some([9; 3].as_ptr()), loaded.as_mut_ptr()) };
    assert_eq!(loaded, [9, 0x0100, 0x0302]);
    // SAFETY: as above.
    unsafe { window.load::<u16, false>(all(&[70, 64, 66]), None, loaded.as_mut_ptr()) };
    assert_eq!(loaded, [0x0706, 0x0100, 0x0302]);
    // SAFETY: as above; the second of two stores to one place stays.
    unsafe { window.store::<u16, false>(all(&[64, 70, 64]), [1u16, 2, 3].as_ptr()) };
    assert_eq!(bytes, [3, 0, 2, 3, 4, 5, 2, 0]);
    // SAFETY: as above.
    unsafe { window.store::<u16, false>(some(&[64, 0], &[1, 0]), [4u16, 5].as_ptr()) };
    assert_eq!(bytes, [4, 0, 2, 3, 4, 5, 2, 0]);
    let mut sums = [0; 3];
    let place = |address: u64| ((address - 8) / 4) as isize;
    // SAFETY: there is a sum for each address.
    unsafe { add_up(sums.as_mut_ptr(), (&[8u64, 16, 8, 12], None), place, |i| [1u32, 2, u32::MAX, 4][i]) };
    assert_eq!(sums, [0, 4, 2]);
    // SAFETY: as above.
    unsafe { add_up(sums.as_mut_ptr(), (&[8u64, 0], Some(&[1, 0])), place, |i| [1u32, 2][i]) };
    assert_eq!(sums, [1, 4, 2]);
    // SAFETY: as above.
    unsafe { add_up(sums.as_mut_ptr(), (&[16u64, 8, 16], Some(&[1, 0, 1])), place, |_| 3) };
    assert_eq!(sums, [1, 4, 8]);
}

#[test]
fn indices_reach_from_the_least_to_the_greatest_that_counts() {
    let of = |base: u64, indices: &[i32], mask: Option<&[u8]>| {
        Level::available().map(|level| reach_of_indices(level, Indices { base, indices, mask }, 4)).reduce(|a, b| {
            assert_eq!(a, b);
            a
        })
    };
    let many: Vec<i32> = (0..37).map(|i| (i * 7919) % 101 - 50).collect();
    let (least, greatest) = (*many.iter().min().unwrap(), *many.iter().max().unwrap());
    let address = |index: i32| 4096u64.wrapping_add_signed(i64::from(index) * 4);
    assert_eq!(of(4096, &many, None), Some(Some(Reach { first: address(least), last: address(greatest) })));
    let odd: Vec<u8> = (0..37).map(|i| i % 2).collect();
    let left = || many.iter().skip(1).step_by(2);
    assert_eq!(
        of(4096, &many, Some(&odd)),
        Some(Some(Reach { first: address(*left().min().unwrap()), last: address(*left().max().unwrap()) }))
    );
    // None count, the address is not aligned, or wraps.
    assert_eq!(of(4096, &many, Some(&[0; 37])), Some(None));
    assert_eq!(of(4098, &many, None), Some(None));
    assert_eq!(of(64, &[-17], None), Some(None));
    assert_eq!(of(u64::MAX - 3, &[1], None), Some(None));
}
