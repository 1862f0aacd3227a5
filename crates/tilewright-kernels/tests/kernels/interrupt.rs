use tilewright_kernels::interrupt::{Interrupt, Looks, PART, in_parts, pending};

#[test]
fn one_below_another_is_set_with_it() {
    let parent = Interrupt::new();
    let (first, second) = (Interrupt::below(Some(&parent)), Interrupt::below(Some(&parent)));
    first.set();
    assert!(first.is_set() && !parent.is_set() && !second.is_set());
    parent.set();
    assert!(!second.was_seen() && second.is_set() && second.was_seen());
}

#[test]
fn looks_are_counted() {
    let counting = Interrupt::after(3);
    let launch = Interrupt::below(Some(&counting));
    let looks: Vec<bool> = (0..5).map(|_| launch.is_set()).collect();
    assert_eq!((looks, counting.looks()), (vec![false, false, true, true, true], 5));
}

#[test]
fn a_thread_works_for_the_launch_that_it_entered_last() {
    assert!(!pending());
    let (outer, inner) = (Interrupt::new(), Interrupt::new());
    let entered = outer.enter();
    inner.set();
    let nested = inner.enter();
    assert!(pending());
    drop(nested);
    assert!(!pending());
    outer.set();
    assert!(pending());
    drop(entered);
    assert!(!pending());
}

#[test]
fn there_is_a_look_for_each_part_of_work() {
    for (work, expected) in [(1, 10), (1000, 10), (PART + 1, 10 * PART as u64 / (PART as u64 + 1) + 1)] {
        let counting = Interrupt::after(u64::MAX);
        let _entered = counting.enter();
        let mut looks = Looks::new();
        (0..10 * PART + 100).step_by(work).for_each(|_| assert!(!looks.end_after(work)));
        assert!(counting.looks().abs_diff(expected) <= 1, "{work}: {}", counting.looks());
    }
}

#[test]
fn what_is_left_is_not_done() {
    let parts = |looks: u64| {
        let _entered = Interrupt::after(looks).enter();
        let mut done = Vec::new();
        let all = in_parts(10, 4, |part| done.push(part));
        (all, done)
    };
    assert_eq!(parts(9), (true, vec![0..4, 4..8, 8..10]));
    assert_eq!(parts(2), (false, vec![0..4, 4..8]));
    assert!(in_parts(0, 4, |part| assert!(part.is_empty())));
}
