use tilewright_kernels::{
    ahead::{Ahead, Lines},
    boxes::LINE,
};

/// Bytes of a long row that are fetched together.
const RUN: usize = 4 * LINE;

/// How many lines are fetched ahead at most.
const MAX_LINES: usize = 4096;

#[test]
fn every_row_is_fetched_once() {
    let mut ahead = Ahead::default();
    // Rows of 100 bytes that begin 32 bytes into a line lie in 3 lines.
    ahead.add(std::ptr::without_provenance(96), 4, 1 << 13, 100);
    ahead.add(std::ptr::without_provenance(1 << 30), 2, 64, 64);
    assert_eq!(ahead.lines(), 14);
    ahead.fetch(4);
    assert_eq!(ahead.lines(), 8);
    ahead.fetch(0);
    assert_eq!(ahead.lines(), 8);
    ahead.fetch(100);
    assert_eq!(ahead.lines(), 0);
    ahead.begin(3);
    ahead.add_run(std::ptr::null(), 4096);
    // A share is a third, and runs are fetched whole.
    let left = [(); 4].map(|()| {
        ahead.fetch_share();
        ahead.lines()
    });
    assert_eq!(left, [40, 20, 0, 0]);
    ahead.add_run(std::ptr::null(), LINE);
    ahead.fetch(1);
    ahead.add(std::ptr::null(), MAX_LINES + 1, 64, 64);
    assert_eq!(ahead.lines(), 0);
}

#[test]
fn lines_side_by_side_are_taken_together() {
    let at = |address| std::ptr::without_provenance(address);
    let mut ahead = Ahead::default();
    ahead.begin(8);
    ahead.add_run(at(4096), 4 * RUN);
    ahead.add(at(1 << 20), 3, 1 << 12, 128);
    assert_eq!(ahead.share(), 3);
    // Whole runs; of rows that lie apart one after the other, if they are long enough.
    assert_eq!(ahead.take(5, 1), Some(Lines { start: at(4096), count: 8 }));
    assert_eq!(ahead.take(100, 8), Some(Lines { start: at(4096 + 512), count: 8 }));
    assert_eq!(ahead.take(0, 0), None);
    assert_eq!(ahead.take(2, 2), Some(Lines { start: at(1 << 20), count: 2 }));
    assert_eq!(ahead.take(4, 3), None);
    assert_eq!(ahead.take(4, 2), Some(Lines { start: at((1 << 20) + (1 << 12)), count: 2 }));
    ahead.skip(7);
    assert_eq!((ahead.lines(), ahead.share()), (2, 2));
    // What is left of the first run is too little to be fetched side by side.
    ahead.begin(1);
    ahead.add_run(at(4096), RUN);
    ahead.add_run(at(1 << 20), 2 * RUN);
    assert_eq!(ahead.take(8, 8), Some(Lines { start: at(1 << 20), count: 8 }));
    ahead.add_run(at(4096), RUN);
    assert_eq!(ahead.take(8, 8), Some(Lines { start: at(4096), count: 4 }));
    assert_eq!(ahead.lines(), 0);
}

#[test]
fn a_product_fetches_whole_rows_before_each_step() {
    for lines in [1, 2, 3, 4, 5, 8] {
        let mut ahead = Ahead::default();
        // A third of the steps for the first tile, two thirds for the second: two rows before each.
        ahead.add(std::ptr::without_provenance(0), 6, 1 << 13, lines * LINE);
        ahead.add(std::ptr::without_provenance(1 << 30), 12, 1 << 13, lines * LINE);
        ahead.cut(9);
        for step in 1..=9 {
            ahead.fetch_part();
            assert_eq!(ahead.lines(), (18 - 2 * step) * lines, "{lines} lines, step {step}");
            let next = ahead.clone().take(1, 1).map(|lines| lines.start.addr());
            let [tile, row] = if step < 3 { [0, 2 * step] } else { [1 << 30, 2 * (step - 3)] };
            let expected = (step < 9).then_some(tile + (row << 13));
            assert_eq!(next, expected, "{lines} lines, step {step}");
        }
        ahead.fetch_part();
        assert_eq!(ahead.lines(), 0);
    }
    // More steps than rows, and fewer.
    for (rows, steps) in [(3, 100), (100, 3), (7, 2)] {
        let mut ahead = Ahead::default();
        ahead.add(std::ptr::null(), rows, 64, 64);
        ahead.cut(steps);
        (0..steps).for_each(|_| ahead.fetch_part());
        assert_eq!(ahead.lines(), 0, "{rows} rows in {steps} steps");
    }
}
