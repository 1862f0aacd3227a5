//! What a watcher is shown: each operation with its operands, and its results when they are there.

use std::sync::Mutex;
use tilewright_exec::{Arg, LaunchErrorKind, LaunchOptions, Program, Step, WatchedLaunch, Watcher, launch};
use tilewright_ir::{Opcode, Scalar, VerifiedModule, verify};
use tilewright_text::{ParseOptions, parse};

const KERNEL: &str = "
entry @k(%p: tile<ptr<i32>>, %n: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %v, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
  %sum = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%a = %v) -> (tile<i32>) {
    %b = addi %a, %i : tile<i32>
    continue %b : tile<i32>
  }
  %u = store_ptr_tko weak %p, %sum token = %t : tile<ptr<i32>>, tile<i32> -> token
  return
}
";

/// Each call of the watcher: whether the operation is done, which one, and the first elements of operands and results.
type Shown = (bool, Opcode, Vec<Option<u64>>, Vec<Option<u64>>);

struct Seen<'m> {
    module: &'m VerifiedModule,
    shown: Mutex<Vec<Shown>>,
}

impl Seen<'_> {
    fn note(&self, done: bool, step: &Step<'_>) {
        let op = self.module.functions[step.function()].body.op(step.op());
        let operands = (0..step.operands()).map(|i| step.operand(i).map(|tile| tile.first())).collect();
        let results = (0..step.results()).map(|i| step.result(i).map(|tile| tile.first())).collect();
        self.shown.lock().unwrap().push((done, op.opcode(), operands, results));
    }
}

impl Watcher for Seen<'_> {
    fn begins(&self, _launch: &WatchedLaunch) {}

    fn operation(&self, step: &Step<'_>) {
        self.note(false, step);
    }

    fn done(&self, step: &Step<'_>) {
        self.note(true, step);
    }

    fn freed(&self, _block: u64, _address: u64) {}

    fn ended(&self, _block: u64) {}

    fn failed(&self, _block: u64, why: &LaunchErrorKind) {
        panic!("{why:?}");
    }
}

fn module(kernel: &str) -> VerifiedModule {
    let module = parse(kernel, &ParseOptions::new()).unwrap_or_else(|errors| panic!("{}", errors[0].render(kernel, "kernel")));
    verify(module).unwrap_or_else(|findings| panic!("{}", findings[0]))
}

/// What is shown of a kernel, launched on a buffer with the number 7 and on the number 3, and what the buffer holds then.
fn watch(kernel: &str) -> (Vec<Shown>, Vec<i32>) {
    let module = module(kernel);
    let seen = Seen { module: &module, shown: Mutex::default() };
    let plan = Program::watched(module.clone()).plan("k").unwrap();
    let (mut memory, buffer) = crate::text::buffer(vec![7, 0, 0, 0]);
    let args = [Arg::Pointer(memory.address(buffer)), Arg::Scalar(Scalar::I32, 3)];
    launch(&plan, &mut memory, [1, 1, 1], &args, &LaunchOptions::new().watcher(&seen)).unwrap();
    (seen.shown.into_inner().unwrap(), crate::text::ints(memory.bytes(buffer)))
}

#[test]
fn results_that_nothing_reads_are_shown() {
    let kernel = "
entry @k(%p: tile<ptr<i32>>, %n: tile<i32>) {
  %old, %t = atomic_rmw_tko relaxed device %p, add, %n : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  return
}
";
    let (shown, memory) = watch(kernel);
    assert_eq!(memory, [10]);
    assert_eq!((shown[0].0, shown[0].2[1]), (false, Some(3)));
    assert_eq!((shown[1].0, &shown[1].3), (true, &vec![Some(7), None]));
}

/// The launch goes on behind an update of which an element lies outside, with those that lie inside.
#[test]
fn elements_beside_one_that_is_not_there_are_updated_once() {
    let kernel = "
entry @k(%p: tile<ptr<i32>>, %n: tile<i32>) {
  %i = iota : tile<2xi32>
  %p1 = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
  %ps = broadcast %p1 : tile<1xptr<i32>> -> tile<2xptr<i32>>
  %q = offset %ps, %i : tile<2xptr<i32>>, tile<2xi32> -> tile<2xptr<i32>>
  %n1 = reshape %n : tile<i32> -> tile<1xi32>
  %ns = broadcast %n1 : tile<1xi32> -> tile<2xi32>
  %old, %t = atomic_rmw_tko relaxed device %q, add, %ns : tile<2xptr<i32>>, tile<2xi32> -> tile<2xi32>, token
  return
}
";
    let (_, memory) = watch(kernel);
    assert_eq!(memory, [10]);
}

#[test]
fn results_are_shown_when_they_are_there() {
    let (shown, memory) = watch(KERNEL);
    assert_eq!(memory, [10]);
    let of = |opcode| shown.iter().filter(|(_, op, ..)| *op == opcode).cloned().collect::<Vec<Shown>>();
    // Computed at once, and shown with its results.
    let added = of(Opcode::AddI);
    let numbers = added.iter().map(|(done, _, operands, results)| (*done, operands.clone(), results.clone()));
    assert!(
        numbers.eq([(7, 0, 7), (7, 1, 8), (8, 2, 10)].map(|(a, i, sum)| (false, vec![Some(a), Some(i)], vec![Some(sum)]))),
        "{added:?}"
    );
    // Shown before memory is accessed, and once more when it was.
    let load = of(Opcode::LoadPtrTko);
    assert_eq!(load.iter().map(|(done, ..)| *done).collect::<Vec<_>>(), [false, true]);
    assert!(load[0].3.is_empty() && load[1].2.is_empty(), "{load:?}");
    assert_eq!(load[1].3, [Some(7), None]);
    let around = of(Opcode::For);
    assert_eq!(around.iter().map(|(done, ..)| *done).collect::<Vec<_>>(), [false, true]);
    assert_eq!(around[1].3, [Some(10)]);
    // What gives no tile is shown once.
    assert_eq!(of(Opcode::StorePtrTko).len(), 1);
    assert_eq!(of(Opcode::Continue).len(), 3);
}

#[test]
fn plans_of_plain_launches_show_nothing() {
    let shows = |program: Program| program.plan("k").unwrap().to_string().contains("watch operation");
    assert!(shows(Program::watched(module(KERNEL))));
    assert!(!shows(Program::new(module(KERNEL))));
}
