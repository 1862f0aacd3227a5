use tilewright_kernels::{
    boxes::{BoxCopy, Dim, Form, LINE, Stores},
    cpu::Level,
    stream,
};

/// Bytes of a line, aligned as lines are.
#[derive(Clone)]
#[repr(align(64))]
struct Line([u8; LINE]);

/// Visits the places of each element of a box.
fn each(dims: &[Dim], visit: &mut dyn FnMut(usize, usize)) {
    match dims.split_first() {
        None => visit(0, 0),
        Some((dim, rest)) => (0..dim.count).for_each(|i| each(rest, &mut |from, to| visit(i * dim.from + from, i * dim.to + to))),
    }
}

/// The box copied as the definition says, and in every other way.
fn check(dims: &[Dim], size: usize) {
    let last = |distance: fn(&Dim) -> usize| dims.iter().map(|d| (d.count - 1) * distance(d)).sum::<usize>() + 1;
    let source: Vec<u8> = (0..last(|d| d.from) * size).map(|i| (i * 37 % 251) as u8).collect();
    let mut expected = vec![0u8; last(|d| d.to) * size];
    each(dims, &mut |from, to| expected[to * size..][..size].copy_from_slice(&source[from * size..][..size]));
    for level in Level::available() {
        for (stores, ahead) in [(Stores::Cached, 0), (Stores::Streaming, 0), (Stores::Cached, 4096), (Stores::Streaming, 8)] {
            let mut found = vec![Line([0; LINE]); expected.len().div_ceil(LINE)];
            // SAFETY: the arrays hold the last element of the box.
            unsafe { BoxCopy { level, size, stores, ahead }.run(&Form::new(dims), source.as_ptr(), found.as_mut_ptr().cast()) };
            stream::fence();
            let found: Vec<u8> = found.iter().flat_map(|line| line.0).take(expected.len()).collect();
            assert_eq!(found, expected, "{dims:?} of {size} bytes at {level:?}, {stores:?}, {ahead}");
        }
    }
}

#[test]
fn boxes_of_every_kind_are_copied() {
    let dim = |count, from, to| Dim { count, from, to };
    for size in [1, 2, 4, 8] {
        check(&[], size);
        check(&[dim(100, 1, 1)], size);
        check(&[dim(7, 40, 20), dim(20, 1, 1)], size);
        check(&[dim(7, 20, 33), dim(20, 1, 1)], size);
        // Rows of a few elements, each one move.
        check(&[dim(100, 2, 4), dim(2, 1, 1)], size);
        check(&[dim(3, 70, 200), dim(9, 8, 16), dim(4, 1, 1)], size);
        // Rows around others, and a transposition, also with something in between.
        check(&[dim(3, 1000, 130), dim(20, 1, 1), dim(5, 50, 25)], size);
        check(&[dim(37, 1, 21), dim(21, 40, 1)], size);
        check(&[dim(2, 2000, 777), dim(37, 1, 21), dim(1, 5, 5), dim(21, 40, 1)], size);
        check(&[dim(16, 1, 48), dim(3, 400, 16), dim(16, 17, 1)], size);
        // Whole lines of the target, and a rest; less than a line, but a vector; from places without alignment.
        check(&[dim(130, 1, 128), dim(128, 131, 1)], size);
        check(&[dim(64, 1, 192), dim(150, 70, 1)], size);
        // Several groups below and beside each other, the last ones shorter.
        check(&[dim(1100, 1, 320), dim(300, 1101, 1)], size);
        for n in [2, 4, 8, 16, 32] {
            check(&[dim(n, 1, n), dim(n, n, 1)], size);
            check(&[dim(64, 1, n + 1), dim(n, 65, 1)], size);
        }
        // Two rows that take turns, of which both may be the same one, and a row that goes to two by turns.
        for n in [3, 16, 100, 70_000] {
            check(&[dim(n, 1, 2), dim(2, n + 5, 1)], size);
            check(&[dim(n, 1, 2), dim(2, 0, 1)], size);
            check(&[dim(3, 1000, 2 * n + 1), dim(n, 1, 2), dim(2, n, 1)], size);
            check(&[dim(2, 1, n + 3), dim(n, 2, 1)], size);
        }
        // Each element of a row several times.
        for times in [3, 4, 5, 8, 40] {
            check(&[dim(37, 1, times), dim(times, 0, 1)], size);
            check(&[dim(2, 100, 37 * times), dim(37, 1, times), dim(times, 0, 1)], size);
        }
        // Neither side by side; repeated elements; every second and every third one, of one row and of several.
        check(&[dim(100, 2, 1)], size);
        check(&[dim(100, 1, 2)], size);
        check(&[dim(3, 61, 20), dim(20, 3, 1)], size);
        check(&[dim(2, 500, 200), dim(3, 90, 20), dim(20, 2, 1)], size);
        check(&[dim(3, 20, 100), dim(20, 1, 2)], size);
        check(&[dim(4, 2, 3), dim(5, 10, 12)], size);
        check(&[dim(4, 0, 8), dim(8, 0, 1)], size);
        check(&[dim(4, 1, 8), dim(8, 0, 1)], size);
        // More dimensions than there are places for.
        let many: Vec<Dim> = (0..10).map(|d| dim(2, 3 << d, 5 << (9 - d))).collect();
        check(&many, size);
    }
}
