//! Runs kernels that tests write as text.
#![allow(dead_code, reason = "not every test needs everything")]

use tilewright_exec::{Arg, Buffer, LaunchError, LaunchOptions, LaunchReport, Memory, Program, launch};
use tilewright_ir::{VerifiedModule, verify};
use tilewright_text::{ParseOptions, parse};

/// The program of a text.
pub(crate) fn program(text: &str) -> Program {
    Program::new(module(text))
}

/// The program of a text, of which every operation is carried out as it stands.
pub(crate) fn program_as_it_is(text: &str) -> Program {
    Program::without_passes(module(text))
}

fn module(text: &str) -> VerifiedModule {
    let module = parse(text, &ParseOptions::new()).unwrap_or_else(|errors| panic!("{}", errors[0].render(text, "kernel")));
    verify(module).unwrap_or_else(|findings| panic!("{}: {}\n{text}", findings[0].rule, findings[0].message))
}

/// Launches the entry `k` of a text.
pub(crate) fn launch_text(
    text: &str,
    memory: &mut Memory<'_>,
    blocks: u32,
    args: &[Arg],
    threads: usize,
) -> Result<LaunchReport, LaunchError> {
    launch_program(&program(text), memory, blocks, args, threads)
}

/// Launches the entry `k` of a program.
pub(crate) fn launch_program(
    program: &Program,
    memory: &mut Memory<'_>,
    blocks: u32,
    args: &[Arg],
    threads: usize,
) -> Result<LaunchReport, LaunchError> {
    let plan = program.plan("k").unwrap_or_else(|error| panic!("{error}"));
    launch(&plan, memory, [blocks, 1, 1], args, &LaunchOptions::new().threads(threads))
}

/// A memory with one buffer.
pub(crate) fn buffer(bytes: Vec<u8>) -> (Memory<'static>, Buffer) {
    let mut memory = Memory::new();
    let buffer = memory.add(bytes);
    (memory, buffer)
}

/// The content of a buffer as 32-bit integers.
pub(crate) fn ints(bytes: &[u8]) -> Vec<i32> {
    bytes.chunks_exact(4).map(|b| i32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

/// `to[2 * bx..] = ` sums of two columns of a matrix of 64 x 80 at `from`, so many tiles of 16 rows of it, after the last of which comes the first again:
/// neighbouring blocks run in step.
pub(crate) const SUMS_OF_COLUMNS: &str = "
entry @k(%from: tile<ptr<i32>>, %to: tile<ptr<i32>>, %times: tile<i32>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %four = constant <i32: 4> : tile<i32>
  %none = constant <i32: 0> : tile<2xi32>
  %x = make_tensor_view %from, shape = [64, 80], strides = [80, 1] : tensor_view<64x80xi32, strides=[80,1]>
  %y = make_tensor_view %to, shape = [80], strides = [1] : tensor_view<80xi32, strides=[1]>
  %xs = make_partition_view %x : partition_view<tile=(16x2), tensor_view<64x80xi32, strides=[80,1]>>
  %ys = make_partition_view %y : partition_view<tile=(2), tensor_view<80xi32, strides=[1]>>
  %total = for %i in (%zero to %times, step %one) : tile<i32> iter_values(%acc = %none) -> (tile<2xi32>) {
    %row = remi %i, %four signed : tile<i32>
    %a, %t0 = load_view_tko weak %xs[%row, %bx] : partition_view<tile=(16x2), tensor_view<64x80xi32, strides=[80,1]>>, tile<i32> -> tile<16x2xi32>, token
    %s = reduce %a dim=0 identities=[0 : i32] : tile<16x2xi32> -> tile<2xi32>
    (%l: tile<i32>, %r: tile<i32>) {
      %p = addi %l, %r : tile<i32>
      yield %p : tile<i32>
    }
    %next = addi %acc, %s : tile<2xi32>
    continue %next : tile<2xi32>
  }
  %t1 = store_view_tko weak %total, %ys[%bx] : tile<2xi32>, partition_view<tile=(2), tensor_view<80xi32, strides=[1]>>, tile<i32> -> token
  return
}";
