//! The promises of the engine, on kernels made for them.

use crate::support::{Kernel, ints, run};
use std::sync::{
    Mutex,
    atomic::{AtomicU32, Ordering},
};
use tilewright_exec::{Access, AccessFault, AccessKind, AccessObserver, Arg, Interrupt, LaunchErrorKind, LaunchOptions, Memory, Program};
use tilewright_ir::{
    AtomicRMWMode, AttrName, AttrValue, ComparisonPredicate, MemoryOrderingSemantics, MemoryScope, Opcode, Scalar, Signedness,
};

/// Every block waits for the next one; the last one waits for nobody.
fn waits_for_next() -> Program {
    let mut k = Kernel::new(&[(Scalar::I32, true)]);
    let (flags, id) = (k.param(0), k.block_id());
    let one = k.i32(1);
    let next = k.add(id, one);
    let flag = k.offset(flags, next);
    let wait = k.build().op(Opcode::Loop).finish().unwrap();
    k.region(wait, 0, &[], |k, _| {
        let seen = k.load(flag, Scalar::I32, MemoryOrderingSemantics::Acquire);
        let zero = k.i32(0);
        let bit = k.tile(Scalar::I1, &[]);
        let mut builder = k.build();
        let compare = builder.op(Opcode::CmpI).operand("lhs", seen).operand("rhs", zero).result(bit);
        let compare = compare.attr(AttrName::ComparisonPredicate, AttrValue::Enum(ComparisonPredicate::NotEqual as u8));
        let set = compare.attr(AttrName::Signedness, AttrValue::Enum(Signedness::Signed as u8)).value().unwrap();
        let branch = k.build().op(Opcode::If).operand("condition", set).finish().unwrap();
        k.region(branch, 0, &[], |k, _| {
            k.build().op(Opcode::Break).finish().unwrap();
        });
        k.build().op(Opcode::Continue).finish().unwrap();
    });
    let own = k.offset(flags, id);
    k.store(own, one, MemoryOrderingSemantics::Release);
    k.finish()
}

#[test]
fn thousands_of_blocks_may_wait_for_later_ones() {
    const BLOCKS: u32 = 3000;
    let program = waits_for_next();
    for threads in [1, 2, 5] {
        let mut bytes = vec![0; (BLOCKS as usize + 1) * 4];
        bytes[BLOCKS as usize * 4] = 1;
        let mut memory = Memory::new();
        let flags = memory.add(bytes);
        let args = [Arg::Pointer(memory.address(flags))];
        let report = run(&program, &mut memory, BLOCKS, &args, &LaunchOptions::new().threads(threads)).unwrap();
        assert_eq!(report.blocks, u64::from(BLOCKS));
        assert!(ints(memory.bytes(flags)).iter().all(|flag| *flag == 1), "{threads} threads");
    }
}

/// Each block stores its number at the place that the first argument adds to it.
fn stores_own_number() -> Program {
    let mut k = Kernel::new(&[(Scalar::I32, true), (Scalar::I32, false)]);
    let (base, shift, id) = (k.param(0), k.param(1), k.block_id());
    let index = k.add(id, shift);
    let place = k.offset(base, index);
    k.store(place, id, MemoryOrderingSemantics::Weak);
    k.finish()
}

fn i32_arg(value: i32) -> Arg {
    Arg::Scalar(Scalar::I32, value.cast_unsigned().into())
}

#[test]
fn accesses_outside_of_buffers_stop_the_launch() {
    let program = stores_own_number();
    let mut memory = Memory::new();
    let guard = memory.add(vec![7; 64]);
    let buffer = memory.add(vec![0; 16]);
    let after = memory.add(vec![7; 64]);
    let base = memory.address(buffer);
    for (shift, blocks, bad_block) in [(1, 4, 3), (-1, 1, 0), (1_000_000, 1, 0), (i32::MIN, 1, 0)] {
        let args = [Arg::Pointer(base), i32_arg(shift)];
        let error = run(&program, &mut memory, blocks, &args, &LaunchOptions::new().threads(1)).unwrap_err();
        let address = base.wrapping_add_signed(i64::from(shift.wrapping_add(bad_block as i32)) * 4);
        let LaunchErrorKind::Access(AccessFault::OutOfBounds { address: found, size: 4, .. }) = error.kind else { panic!("{error}") };
        assert_eq!((found, error.block), (address, Some([bad_block, 0, 0])));
        assert_eq!(error.site.as_ref().map(|s| s.mnemonic), Some("store_ptr_tko"));
    }
    assert!(memory.bytes(guard).iter().chain(memory.bytes(after)).all(|b| *b == 7));
}

#[test]
fn misaligned_accesses_stop_the_launch() {
    let program = stores_own_number();
    let mut memory = Memory::new();
    let buffer = memory.add(vec![0; 16]);
    let args = [Arg::Pointer(memory.address(buffer) + 2), i32_arg(0)];
    let error = run(&program, &mut memory, 1, &args, &LaunchOptions::new()).unwrap_err();
    assert!(matches!(error.kind, LaunchErrorKind::Access(AccessFault::Misaligned { size: 4, .. })), "{error}");
}

#[test]
fn arguments_and_grid_are_checked() {
    let program = stores_own_number();
    let mut memory = Memory::new();
    let mut fails = |blocks, args: &[Arg]| run(&program, &mut memory, blocks, args, &LaunchOptions::new()).unwrap_err().to_string();
    assert_eq!(fails(1, &[]), "kernel k: the entry has 2 parameters, 0 arguments were given");
    let text = fails(1, &[i32_arg(1), i32_arg(1)]);
    assert_eq!(text, "kernel k: parameter 0 is ptr<i32>, the argument is i32");
    let text = fails(1, &[Arg::Pointer(0), Arg::Scalar(Scalar::I64, 1)]);
    assert_eq!(text, "kernel k: parameter 1 is i32, the argument is i64");
    assert_eq!(fails(0, &[Arg::Pointer(0), i32_arg(0)]), "kernel k: the grid 0,1,1 must have extents from 1 to 16777215");
}

/// Carries two numbers around a loop and exchanges them in each iteration, then stores both.
fn exchanges(step: i32) -> Program {
    let mut k = Kernel::new(&[(Scalar::I32, true)]);
    let base = k.param(0);
    let (lower, upper, step) = (k.i32(0), k.i32(5), k.i32(step));
    let (a, b) = (k.i32(11), k.i32(22));
    let ty = k.tile(Scalar::I32, &[]);
    let mut builder = k.build();
    let counted = builder.op(Opcode::For).operand("lowerBound", lower).operand("upperBound", upper).operand("step", step);
    let counted = counted.operands("initValues", &[a, b]).results(&[ty, ty]).finish().unwrap();
    k.region(counted, 0, &[ty, ty, ty], |k, args| {
        k.build().op(Opcode::Continue).operands("operands", &[args[2], args[1]]).finish().unwrap();
    });
    let one = k.i32(1);
    for (index, result) in [(lower, 0), (one, 1)] {
        let (place, value) = (k.offset(base, index), k.result(counted, result));
        k.store(place, value, MemoryOrderingSemantics::Weak);
    }
    k.finish()
}

#[test]
fn carried_values_change_all_at_once() {
    let mut memory = Memory::new();
    let buffer = memory.add(vec![0; 8]);
    let args = [Arg::Pointer(memory.address(buffer))];
    run(&exchanges(1), &mut memory, 1, &args, &LaunchOptions::new()).unwrap();
    assert_eq!(ints(memory.bytes(buffer)), [22, 11]);
}

#[test]
fn a_step_that_leads_nowhere_is_an_error() {
    for step in [0, -1] {
        let mut memory = Memory::new();
        let buffer = memory.add(vec![0; 8]);
        let args = [Arg::Pointer(memory.address(buffer))];
        let error = run(&exchanges(step), &mut memory, 1, &args, &LaunchOptions::new()).unwrap_err();
        assert_eq!(error.kind, LaunchErrorKind::LoopStep(step.into()));
    }
}

#[test]
fn unknown_entries_are_listed() {
    let error = Kernel::new(&[]).finish().plan("kernel").unwrap_err();
    assert_eq!(error.to_string(), "no entry 'kernel': the module has k");
}

#[derive(Default)]
struct Recorder(Mutex<Vec<Access>>);

impl AccessObserver for Recorder {
    fn access(&self, access: &Access) {
        self.0.lock().unwrap().push(*access);
    }
}

#[test]
fn every_access_can_be_observed() {
    let program = stores_own_number();
    let mut memory = Memory::new();
    let buffer = memory.add(vec![0; 16]);
    let base = memory.address(buffer);
    let recorder = Recorder::default();
    let options = LaunchOptions::new().threads(1).observer(&recorder);
    run(&program, &mut memory, 3, &[Arg::Pointer(base), i32_arg(1)], &options).unwrap();
    let accesses = recorder.0.into_inner().unwrap();
    let seen: Vec<_> = accesses.iter().map(|a| (a.block[0], a.kind, a.address - base, a.bytes)).collect();
    assert_eq!(seen, [0, 1, 2].map(|b| (b, AccessKind::Write, u64::from(b + 1) * 4, 4)));
}

/// Stops a launch after some accesses.
struct Stopper {
    stop: Interrupt,
    left: AtomicU32,
}

impl AccessObserver for Stopper {
    fn access(&self, _: &Access) {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.stop.set();
        }
    }
}

/// Every block stores one for ever.
fn stores_for_ever() -> Program {
    let mut k = Kernel::new(&[(Scalar::I32, true)]);
    let (place, one) = (k.param(0), k.i32(1));
    let endless = k.build().op(Opcode::Loop).finish().unwrap();
    k.region(endless, 0, &[], |k, _| {
        k.store(place, one, MemoryOrderingSemantics::Weak);
        k.build().op(Opcode::Continue).finish().unwrap();
    });
    k.finish()
}

#[test]
fn a_launch_can_be_stopped() {
    for (program, threads) in [(stores_for_ever(), 1), (stores_for_ever(), 2), (waits_for_next(), 1), (waits_for_next(), 2)] {
        let mut memory = Memory::new();
        let buffer = memory.add(vec![0; 44]);
        let args = [Arg::Pointer(memory.address(buffer))];
        let stopper = Stopper { stop: Interrupt::new(), left: AtomicU32::new(100) };
        let options = LaunchOptions::new().threads(threads).observer(&stopper).interrupt(&stopper.stop);
        let error = run(&program, &mut memory, 10, &args, &options).unwrap_err();
        assert_eq!(error.kind, LaunchErrorKind::Stopped);
        assert_eq!(error.to_string(), "kernel k: stopped before all blocks had ended");
    }
}

#[test]
fn a_launch_that_has_ended_was_not_stopped() {
    let mut memory = Memory::new();
    let buffer = memory.add(vec![0; 16]);
    let args = [Arg::Pointer(memory.address(buffer)), i32_arg(1)];
    let stopper = Stopper { stop: Interrupt::new(), left: AtomicU32::new(3) };
    let options = LaunchOptions::new().threads(1).observer(&stopper).interrupt(&stopper.stop);
    run(&stores_own_number(), &mut memory, 3, &args, &options).unwrap();
    let error = run(&stores_own_number(), &mut memory, 3, &args, &options).unwrap_err();
    assert_eq!(error.kind, LaunchErrorKind::Stopped);
}

/// Adds one to a counter in a global and stores what it held.
#[test]
fn globals_live_from_launch_to_launch() {
    let mut k = Kernel::new(&[(Scalar::I32, true)]);
    let out = k.param(0);
    let name = k.module.tables.strings.intern("counter");
    let (ty, value) = (k.tile(Scalar::I32, &[2]), k.module.tables.constants.add(&5i32.to_le_bytes()));
    let visibility = tilewright_ir::SymbolVisibility::Public;
    k.module.globals.push(tilewright_ir::Global { name, ty, value, alignment: 0, visibility, constant: false });
    let pointer = k.pointer(Scalar::I32, &[]);
    let counter = k.build().op(Opcode::GetGlobal).attr(AttrName::Name, AttrValue::Str(name)).result(pointer).value().unwrap();
    let one = k.i32(1);
    let (ty, token) = (k.tile(Scalar::I32, &[]), k.token());
    let mut builder = k.build();
    let update = builder.op(Opcode::AtomicRMWTko).operand("pointers", counter).operand("arg", one).results(&[ty, token]);
    let update = update.attr(AttrName::MemoryOrderingSemantics, AttrValue::Enum(MemoryOrderingSemantics::Relaxed as u8));
    let update = update.attr(AttrName::MemoryScope, AttrValue::Enum(MemoryScope::Device as u8));
    let old = update.attr(AttrName::Mode, AttrValue::Enum(AtomicRMWMode::Add as u8)).value().unwrap();
    let place = k.offset(out, one);
    k.store(place, old, MemoryOrderingSemantics::Weak);
    let program = k.finish();
    for expected in [5, 6, 7] {
        let mut memory = Memory::new();
        let buffer = memory.add(vec![0; 8]);
        let args = [Arg::Pointer(memory.address(buffer))];
        run(&program, &mut memory, 1, &args, &LaunchOptions::new()).unwrap();
        assert_eq!(ints(memory.bytes(buffer)), [0, expected]);
    }
}
