//! Messages, and accesses that observers see, name the operations of a kernel as it was written, whatever passes made of them.

use std::sync::Mutex;
use tilewright_exec::{Access, AccessObserver, Arg, LaunchOptions, Memory, Program, launch};
use tilewright_ir::{Opcode, VerifiedModule, verify};
use tilewright_text::{ParseOptions, parse};

/// A kernel that passes change much before its last access: constants are folded, a loop that runs once is its body, a product moves out of
/// another loop, and what is computed twice is computed once. Its last access is at `%far` numbers behind the buffer's begin.
const KERNEL: &str = "
entry @k(%out: tile<ptr<i32>>, %n: tile<i32>, %far: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %two = addi %one, %one : tile<i32>
  for %i in (%zero to %one, step %one) : tile<i32> {
    %a = muli %i, %two : tile<i32>
    %p = offset %out, %a : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %t0 = store_ptr_tko weak %p, %two : tile<ptr<i32>>, tile<i32> -> token
    continue
  }
  for %i in (%zero to %two, step %one) : tile<i32> {
    %b = muli %n, %n : tile<i32>
    %c = muli %n, %n : tile<i32>
    %d = addi %b, %c : tile<i32>
    %q = offset %out, %i : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %t1 = store_ptr_tko weak %q, %d : tile<ptr<i32>>, tile<i32> -> token
    continue
  }
  %unread = mulhii %n, %two : tile<i32>
  %r = offset %out, %far : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %v, %t2 = load_ptr_tko weak %r : tile<ptr<i32>> -> tile<i32>, token
  return
}
";

fn module() -> VerifiedModule {
    let module = parse(KERNEL, &ParseOptions::new().locate("kernel.mlir")).unwrap_or_else(|errors| panic!("{}", errors[0]));
    verify(module).unwrap_or_else(|findings| panic!("{}", findings[0]))
}

#[derive(Default)]
struct Seen(Mutex<Vec<Access>>);

impl AccessObserver for Seen {
    fn access(&self, access: &Access) {
        self.0.lock().unwrap().push(*access);
    }
}

/// What an observer sees of a launch with a buffer of 4 numbers, and how it ends.
fn run(program: &Program, far: u64) -> (Vec<Access>, String) {
    let mut memory = Memory::new();
    let out = memory.add(vec![0; 16]);
    let number = |bits| Arg::Scalar(tilewright_ir::Scalar::I32, bits);
    let args = [Arg::Pointer(memory.address(out)), number(3), number(far)];
    let seen = Seen::default();
    let plan = program.plan("k").unwrap();
    let ended = launch(&plan, &mut memory, [1, 1, 1], &args, &LaunchOptions::new().threads(1).observer(&seen));
    (seen.0.into_inner().unwrap(), ended.map_or_else(|error| error.to_string(), |report| format!("{} blocks", report.blocks)))
}

#[test]
fn passes_leave_no_trace_in_what_is_told() {
    let improved = Program::new(module());
    let as_it_is = Program::without_passes(module());
    for far in [0, 3, 4] {
        let (accesses, ended) = run(&as_it_is, far);
        assert_eq!(run(&improved, far), (accesses, ended), "{far}");
    }
    let (accesses, ended) = run(&improved, 4);
    let body = &improved.module().functions[0].body;
    let stores: Vec<u32> = body.preorder().filter(|op| op.opcode() == Opcode::StorePtrTko).map(|op| op.id().index() as u32).collect();
    assert_eq!(accesses.iter().map(|access| access.op).collect::<Vec<_>>(), [stores[0], stores[1], stores[1]]);
    let line = 1 + KERNEL.lines().position(|line| line.contains("%v, %t2")).unwrap();
    assert!(ended.contains(&format!("load_ptr_tko at kernel.mlir:{line}:")), "{ended}");
}
