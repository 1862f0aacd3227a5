//! Profiles count what plans do: executions, bytes and operations are the same on any number of threads, however blocks run.

use crate::text::{SUMS_OF_COLUMNS, buffer, program, program_as_it_is};
use tilewright_exec::{Activity, Arg, GroupBlocks, LaunchOptions, MAX_SLICES, Memory, Profile, Program, Work, launch_profiled};
use tilewright_ir::Scalar;
use tilewright_passes::coarsen::Coarsening;

/// The profile of a launch of `k` on memory of so many bytes; the first parameters are pointers to parts of it, each behind the one before.
fn profile(program: &Program, grid: [u32; 3], parts: &[usize], numbers: &[Arg], threads: usize) -> Profile {
    let (mut memory, all) = buffer(vec![0; parts.iter().sum()]);
    let args = args(&memory, all, parts, numbers);
    let plan = program.plan("k").unwrap();
    launch_profiled(&plan, &mut memory, grid, &args, &LaunchOptions::new().threads(threads)).unwrap().1
}

fn args(memory: &Memory<'_>, all: tilewright_exec::Buffer, parts: &[usize], numbers: &[Arg]) -> Vec<Arg> {
    let mut at = memory.address(all);
    let pointers = parts.iter().map(|bytes| {
        let address = at;
        at += *bytes as u64;
        Arg::Pointer(address)
    });
    pointers.chain(numbers.iter().copied()).collect()
}

/// What an operation did: how often the first instruction that it has ran, and its work.
fn of(profile: &Profile, mnemonic: &str) -> (u64, Work) {
    let parts = profile.instructions.iter().flat_map(|instruction| instruction.parts.iter().map(move |part| (instruction, part)));
    let mut own = parts.filter(|(_, part)| part.origin.mnemonic == mnemonic).peekable();
    let count = own.peek().unwrap_or_else(|| panic!("{mnemonic} did not run: {profile:#?}")).0.count;
    let mut work = Work::default();
    own.for_each(|(instruction, part)| work += part.work.times(instruction.count));
    (count, work)
}

fn work(read: u64, written: u64, flops: u64) -> Work {
    Work { read, written, flops, ..Work::default() }
}

const ADD: &str = "
entry @k(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %z: tile<ptr<f32>>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %xt = make_tensor_view %x, shape = [4096], strides = [1] : tensor_view<4096xf32, strides=[1]>
  %yt = make_tensor_view %y, shape = [4096], strides = [1] : tensor_view<4096xf32, strides=[1]>
  %zt = make_tensor_view %z, shape = [4096], strides = [1] : tensor_view<4096xf32, strides=[1]>
  %xv = make_partition_view %xt : partition_view<tile=(256), tensor_view<4096xf32, strides=[1]>>
  %yv = make_partition_view %yt : partition_view<tile=(256), tensor_view<4096xf32, strides=[1]>>
  %zv = make_partition_view %zt : partition_view<tile=(256), tensor_view<4096xf32, strides=[1]>>
  %a, %t0 = load_view_tko weak %xv[%bx] : partition_view<tile=(256), tensor_view<4096xf32, strides=[1]>>, tile<i32> -> tile<256xf32>, token
  %b, %t1 = load_view_tko weak %yv[%bx] : partition_view<tile=(256), tensor_view<4096xf32, strides=[1]>>, tile<i32> -> tile<256xf32>, token
  %c = addf %a, %b : tile<256xf32>
  %d = fma %c, %a, %b : tile<256xf32>
  %t2 = store_view_tko weak %d, %zv[%bx] : tile<256xf32>, partition_view<tile=(256), tensor_view<4096xf32, strides=[1]>>, tile<i32> -> token
  return
}";

#[test]
fn blocks_that_run_as_one_count_each() {
    for threads in [1, 2] {
        for program in [program(ADD), program_as_it_is(ADD)] {
            let profile = profile(&program, [16, 1, 1], &[4 * 4096; 3], &[], threads);
            assert_eq!((profile.launches, profile.blocks, profile.threads), (1, 16, threads));
            assert_eq!(of(&profile, "load_view_tko"), (16, work(2 * 4 * 4096, 0, 0)));
            assert_eq!(of(&profile, "addf"), (16, work(0, 0, 4096)));
            assert_eq!(of(&profile, "fma"), (16, work(0, 0, 2 * 4096)));
            assert_eq!(of(&profile, "store_view_tko"), (16, work(0, 4 * 4096, 0)));
            assert_eq!(of(&profile, "return").0, 16);
        }
    }
}

#[test]
fn the_parts_of_an_instruction_share_its_time() {
    let profile = profile(&program(ADD), [16, 1, 1], &[4 * 4096; 3], &[], 1);
    let fused = profile.instructions.iter().find(|instruction| instruction.parts.len() > 1).unwrap();
    let names: Vec<_> = fused.parts.iter().map(|part| (part.origin.mnemonic, part.is_load_in_place, part.weight)).collect();
    let expected = [
        ("store_view_tko", false, 256),
        ("addf", false, 256),
        ("fma", false, 256),
        ("load_view_tko", true, 256),
        ("load_view_tko", true, 256),
    ];
    assert_eq!(names, expected);
    assert!((fused.shares().sum::<f64>() - 1.0).abs() < 1e-9);
    assert_eq!(fused.work(), work(2 * 4 * 4096, 4 * 4096, 3 * 4096));
    // All else only finds out where tiles lie.
    assert!(profile.instructions.iter().all(|other| other.instruction == fused.instruction || other.work() == Work::default()));
}

/// `c = a * b` of two matrices of 64 x 64, in tiles of 32 x 32 and 8 steps of `k`.
const PRODUCT: &str = "
entry @k(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>, %c: tile<ptr<f32>>) {
  %i, %j, %z = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %eight = constant <i32: 8> : tile<i32>
  %none = constant <f32: 0.0> : tile<32x32xf32>
  %at = make_tensor_view %a, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
  %bt = make_tensor_view %b, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
  %ct = make_tensor_view %c, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
  %av = make_partition_view %at : partition_view<tile=(32x8), tensor_view<64x64xf32, strides=[64,1]>>
  %bv = make_partition_view %bt : partition_view<tile=(8x32), tensor_view<64x64xf32, strides=[64,1]>>
  %cv = make_partition_view %ct : partition_view<tile=(32x32), tensor_view<64x64xf32, strides=[64,1]>>
  %sum = for %p in (%zero to %eight, step %one) : tile<i32> iter_values(%acc = %none) -> (tile<32x32xf32>) {
    %x, %t0 = load_view_tko weak %av[%i, %p] : partition_view<tile=(32x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<32x8xf32>, token
    %y, %t1 = load_view_tko weak %bv[%p, %j] : partition_view<tile=(8x32), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<8x32xf32>, token
    %next = mmaf %x, %y, %acc : tile<32x8xf32>, tile<8x32xf32>, tile<32x32xf32>
    continue %next : tile<32x32xf32>
  }
  %t2 = store_view_tko weak %sum, %cv[%i, %j] : tile<32x32xf32>, partition_view<tile=(32x32), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
  return
}";

#[test]
fn loops_that_only_multiply_count_each_round() {
    for threads in [1, 2] {
        for program in [program(PRODUCT), program_as_it_is(PRODUCT)] {
            let profile = profile(&program, [2, 2, 1], &[4 * 64 * 64; 3], &[], threads);
            assert_eq!(of(&profile, "mmaf"), (32, work(0, 0, 2 * 64 * 64 * 64)));
            assert_eq!(of(&profile, "load_view_tko"), (32, work(2 * 32 * 4 * 32 * 8, 0, 0)));
            assert_eq!(of(&profile, "store_view_tko"), (4, work(0, 4 * 64 * 64, 0)));
            assert_eq!(of(&profile, "for").0, 4);
        }
    }
}

#[test]
fn loops_of_several_products_count_each() {
    let two = PRODUCT
        .replace("%sum = for", "%first, %second = for")
        .replace("iter_values(%acc = %none)", "iter_values(%acc = %none, %more = %none)");
    let two = two.replace("-> (tile<32x32xf32>)", "-> (tile<32x32xf32>, tile<32x32xf32>)").replace(
        "continue %next : tile<32x32xf32>",
        "%y2, %t3 = load_view_tko weak %bv[%p, %i] : partition_view<tile=(8x32), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<8x32xf32>, token
    %other = mmaf %x, %y2, %more : tile<32x8xf32>, tile<8x32xf32>, tile<32x32xf32>
    continue %next, %other : tile<32x32xf32>, tile<32x32xf32>",
    );
    let two = two.replace("%t2 = store", "%sum = addf %first, %second : tile<32x32xf32>\n  %t2 = store");
    for threads in [1, 2] {
        let profile = profile(&program(&two), [2, 2, 1], &[4 * 64 * 64; 3], &[], threads);
        let products: Vec<_> = profile.instructions.iter().filter(|inst| inst.work().flops == 2 * 64 * 64 * 64).collect();
        assert_eq!(products.iter().map(|product| product.count).collect::<Vec<_>>(), [32, 32], "{threads} threads");
        let read: u64 = profile.instructions.iter().map(|inst| inst.work().read).sum();
        assert_eq!(read, 3 * 32 * 4 * 32 * 8, "{threads} threads");
    }
}

/// The softmax of rows of 512 numbers.
const SOFTMAX: &str = "
entry @k(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %xt = make_tensor_view %x, shape = [8, 512], strides = [512, 1] : tensor_view<8x512xf32, strides=[512,1]>
  %yt = make_tensor_view %y, shape = [8, 512], strides = [512, 1] : tensor_view<8x512xf32, strides=[512,1]>
  %xv = make_partition_view %xt : partition_view<tile=(1x512), tensor_view<8x512xf32, strides=[512,1]>>
  %yv = make_partition_view %yt : partition_view<tile=(1x512), tensor_view<8x512xf32, strides=[512,1]>>
  %a, %t0 = load_view_tko weak %xv[%bx, %zero] : partition_view<tile=(1x512), tensor_view<8x512xf32, strides=[512,1]>>, tile<i32> -> tile<1x512xf32>, token
  %m = reduce %a dim=1 identities=[0xFF800000 : f32] : tile<1x512xf32> -> tile<1xf32>
  (%l: tile<f32>, %r: tile<f32>) {
    %p = maxf %l, %r : tile<f32>
    yield %p : tile<f32>
  }
  %m1 = reshape %m : tile<1xf32> -> tile<1x1xf32>
  %mb = broadcast %m1 : tile<1x1xf32> -> tile<1x512xf32>
  %d = subf %a, %mb : tile<1x512xf32>
  %e = exp %d : tile<1x512xf32>
  %s = reduce %e dim=1 identities=[0.0 : f32] : tile<1x512xf32> -> tile<1xf32>
  (%l: tile<f32>, %r: tile<f32>) {
    %p = addf %l, %r : tile<f32>
    yield %p : tile<f32>
  }
  %s1 = reshape %s : tile<1xf32> -> tile<1x1xf32>
  %sb = broadcast %s1 : tile<1x1xf32> -> tile<1x512xf32>
  %q = divf %e, %sb : tile<1x512xf32>
  %t1 = store_view_tko weak %q, %yv[%bx, %zero] : tile<1x512xf32>, partition_view<tile=(1x512), tensor_view<8x512xf32, strides=[512,1]>>, tile<i32> -> token
  return
}";

#[test]
fn reductions_count_what_they_combine_wherever_they_begin() {
    for threads in [1, 2] {
        for program in [program(SOFTMAX), program_as_it_is(SOFTMAX)] {
            let profile = profile(&program, [8, 1, 1], &[4 * 8 * 512; 2], &[], threads);
            assert_eq!(of(&profile, "load_view_tko"), (8, work(4 * 8 * 512, 0, 0)));
            assert_eq!(of(&profile, "reduce"), (8, work(0, 0, 2 * 8 * 511)));
            assert_eq!(of(&profile, "divf"), (8, work(0, 0, 8 * 512)));
            assert_eq!(of(&profile, "store_view_tko"), (8, work(0, 4 * 8 * 512, 0)));
        }
    }
}

#[test]
fn blocks_in_step_count_each() {
    for threads in [1, 2] {
        let profile = profile(&program(SUMS_OF_COLUMNS), [40, 1, 1], &[4 * 64 * 80, 4 * 80], &[Arg::Scalar(Scalar::I32, 4)], threads);
        assert_eq!(of(&profile, "load_view_tko"), (160, work(4 * 64 * 80, 0, 0)));
        assert_eq!(of(&profile, "reduce"), (160, Work::default()), "whole numbers are no floats");
        assert_eq!(of(&profile, "store_view_tko"), (40, work(0, 4 * 80, 0)));
        assert_eq!(of(&profile, "return").0, 40);
    }
}

/// Numbers at computed places, of which half are masked off, in f64; and one that all blocks add to.
const GATHER: &str = "
entry @k(%x: tile<ptr<f64>>, %n: tile<ptr<f64>>, %half: tile<i32>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %x1 = reshape %x : tile<ptr<f64>> -> tile<1xptr<f64>>
  %xs = broadcast %x1 : tile<1xptr<f64>> -> tile<64xptr<f64>>
  %i = iota : tile<64xi32>
  %ps = offset %xs, %i : tile<64xptr<f64>>, tile<64xi32> -> tile<64xptr<f64>>
  %h1 = reshape %half : tile<i32> -> tile<1xi32>
  %hs = broadcast %h1 : tile<1xi32> -> tile<64xi32>
  %mask = cmpi less_than %i, %hs, signed : tile<64xi32> -> tile<64xi1>
  %none = constant <f64: 0.0> : tile<64xf64>
  %a, %t0 = load_ptr_tko weak %ps, %mask, %none : tile<64xptr<f64>>, tile<64xi1>, tile<64xf64> -> tile<64xf64>, token
  %b = mulf %a, %a : tile<64xf64>
  %t1 = store_ptr_tko weak %ps, %b, %mask : tile<64xptr<f64>>, tile<64xf64>, tile<64xi1> -> token
  %one = constant <f64: 1.0> : tile<f64>
  %old, %t2 = atomic_rmw_tko relaxed device %n, addf, %one : tile<ptr<f64>>, tile<f64> -> tile<f64>, token
  return
}";

#[test]
fn tiles_count_whole_and_f64_apart() {
    for threads in [1, 2] {
        let half = Arg::Scalar(Scalar::I32, 32);
        let profile = profile(&program(GATHER), [4, 1, 1], &[8 * 64, 8], &[half], threads);
        assert_eq!(of(&profile, "load_ptr_tko"), (4, work(4 * 8 * 64, 0, 0)));
        assert_eq!(of(&profile, "mulf"), (4, Work { flops_f64: 4 * 64, ..Work::default() }));
        assert_eq!(of(&profile, "store_ptr_tko"), (4, work(0, 4 * 8 * 64, 0)));
        assert_eq!(of(&profile, "atomic_rmw_tko"), (4, work(4 * 8, 4 * 8, 0)));
    }
}

#[test]
fn launches_of_a_plan_add_up() {
    let one = profile(&program(PRODUCT), [2, 2, 1], &[4 * 64 * 64; 3], &[], 1);
    let mut both = one.clone();
    both.add(&profile(&program(PRODUCT), [2, 2, 1], &[4 * 64 * 64; 3], &[], 1));
    assert_eq!((both.launches, both.blocks, both.instructions.len()), (2, 8, one.instructions.len()));
    assert_eq!(of(&both, "mmaf"), (64, work(0, 0, 2 * 2 * 64 * 64 * 64)));
    assert_eq!(both.slices, one.slices);
}

/// The slices of each worker are in order; those of instructions lie inside of those of blocks.
fn check_nesting(profile: &Profile) {
    let mut around: Option<(usize, u64, u64)> = None;
    let mut last = 0;
    for slice in &profile.slices {
        assert!(slice.begin <= slice.end, "{slice:?}");
        match slice.what {
            Activity::Blocks { .. } => {
                assert!(around.is_none_or(|(worker, _, end)| worker < slice.worker || worker == slice.worker && end <= slice.begin));
                (around, last) = (Some((slice.worker, slice.begin, slice.end)), slice.begin);
            }
            Activity::Instruction { .. } => {
                let (worker, begin, end) = around.unwrap_or_else(|| panic!("{slice:?} is inside of no block"));
                assert!(worker == slice.worker && begin <= slice.begin && slice.end <= end && last <= slice.begin, "{slice:?}");
                last = slice.end;
            }
        }
    }
}

#[test]
fn slices_nest_and_are_bounded() {
    let columns = (SUMS_OF_COLUMNS, vec![4 * 64 * 80, 4 * 80], vec![Arg::Scalar(Scalar::I32, 4)]);
    for (text, parts, numbers) in [(ADD, vec![4 * 4096; 3], vec![]), columns, (SOFTMAX, vec![4 * 8 * 512; 2], vec![])] {
        for threads in [1, 2] {
            let profile = profile(&program(text), [8, 1, 1], &parts, &numbers, threads);
            check_nesting(&profile);
            let blocks = profile.slices.iter().filter_map(|slice| match slice.what {
                Activity::Blocks { count, .. } => Some(count),
                Activity::Instruction { .. } => None,
            });
            assert!(blocks.sum::<u64>() >= 8 && profile.slices_left_out == 0);
        }
    }
    // Each block runs several instructions.
    let many = MAX_SLICES as u32;
    let empty = "entry @k(%x: tile<ptr<i32>>) { %a, %t = load_ptr_tko relaxed device %x : tile<ptr<i32>> -> tile<i32>, token\n return }";
    let profile = profile(&program(empty), [many, 1, 1], &[4], &[], 1);
    check_nesting(&profile);
    assert_eq!((profile.slices.len(), profile.slices_left_out), (MAX_SLICES, 2 * MAX_SLICES as u64));
    assert_eq!(of(&profile, "load_ptr_tko").0, u64::from(many));
}

/// `y = (x + w) * x` of rows of 16 numbers; `w` is one row for all.
const ROWS: &str = "
entry @k(%x: tile<ptr<f32>>, %w: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %xt = make_tensor_view %x, shape = [1024, 16], strides = [16, 1] : tensor_view<1024x16xf32, strides=[16,1]>
  %wt = make_tensor_view %w, shape = [16], strides = [1] : tensor_view<16xf32, strides=[1]>
  %yt = make_tensor_view %y, shape = [1024, 16], strides = [16, 1] : tensor_view<1024x16xf32, strides=[16,1]>
  %xv = make_partition_view %xt : partition_view<tile=(1x16), tensor_view<1024x16xf32, strides=[16,1]>>
  %wv = make_partition_view %wt : partition_view<tile=(16), tensor_view<16xf32, strides=[1]>>
  %yv = make_partition_view %yt : partition_view<tile=(1x16), tensor_view<1024x16xf32, strides=[16,1]>>
  %a, %t0 = load_view_tko weak %xv[%bx, %zero] : partition_view<tile=(1x16), tensor_view<1024x16xf32, strides=[16,1]>>, tile<i32> -> tile<1x16xf32>, token
  %b, %t1 = load_view_tko weak %wv[%zero] : partition_view<tile=(16), tensor_view<16xf32, strides=[1]>>, tile<i32> -> tile<16xf32>, token
  %b1 = reshape %b : tile<16xf32> -> tile<1x16xf32>
  %c = addf %a, %b1 : tile<1x16xf32>
  %s = mulf %c, %a : tile<1x16xf32>
  %t2 = store_view_tko weak %s, %yv[%bx, %zero] : tile<1x16xf32>, partition_view<tile=(1x16), tensor_view<1024x16xf32, strides=[16,1]>>, tile<i32> -> token
  return
}";

#[test]
fn groups_are_measured_as_they_run() {
    let parts = [4 * 1024 * 16, 4 * 16, 4 * 1024 * 16];
    let plan = program(ROWS).plan("k").unwrap();
    let profile = |blocks: u32, threads: usize, when: GroupBlocks| {
        let (mut memory, all) = buffer(vec![0; parts.iter().sum()]);
        let args = args(&memory, all, &parts, &[]);
        let options = LaunchOptions::new().threads(threads).group_blocks(when);
        launch_profiled(&plan, &mut memory, [blocks, 1, 1], &args, &options).unwrap().1
    };
    for (threads, blocks, left) in [(1, 1024, 0), (1, 1000, 40), (3, 1000, 40)] {
        let grouped = profile(blocks, threads, GroupBlocks::Always);
        let group = Coarsening { axis: 0, factor: 64 };
        assert_eq!((grouped.blocks, grouped.blocks_in_groups), (u64::from(blocks), u64::from(blocks - left)));
        check_nesting(&grouped);
        // Each block once, those that are left behind the others.
        let mut seen: Vec<_> = grouped
            .slices
            .iter()
            .filter_map(|slice| match slice.what {
                Activity::Blocks { first, position, count } => Some((first, position, count)),
                Activity::Instruction { .. } => None,
            })
            .collect();
        seen.sort_unstable();
        let mut next = 0;
        for (first, position, count) in seen {
            assert_eq!((first, position), (next, [next as u32, 0, 0]));
            next += count;
        }
        assert_eq!(next, u64::from(blocks));
        assert!(grouped.slices.iter().all(|slice| slice.worker < threads));
        // What instructions of both plans did together is what blocks do alone, but for what the blocks of a group read together.
        let alone = profile(blocks, threads, GroupBlocks::Never);
        assert!(alone.instructions.iter().all(|instruction| instruction.group.is_none()) && alone.blocks_in_groups == 0);
        let did = |profile: &Profile, mnemonic: &str| {
            let (mut work, mut count) = (Work::default(), 0);
            for group in [None, Some(group)] {
                let of_plan = profile.instructions.iter().filter(|instruction| instruction.group == group);
                let mut own =
                    of_plan.filter(|instruction| instruction.parts.iter().any(|part| part.origin.mnemonic == mnemonic)).peekable();
                count += own.peek().map_or(0, |instruction| instruction.count_of_blocks());
                own.for_each(|ran| {
                    ran.parts.iter().filter(|part| part.origin.mnemonic == mnemonic).for_each(|part| work += part.work.times(ran.count))
                });
            }
            (count, work)
        };
        for mnemonic in ["addf", "mulf", "store_view_tko"] {
            assert_eq!(did(&grouped, mnemonic), did(&alone, mnemonic), "{mnemonic}");
        }
        let (rows, groups) = (u64::from(blocks), u64::from((blocks - left) / 64));
        assert_eq!(did(&alone, "load_view_tko").1.read, 64 * (rows + rows));
        assert_eq!(did(&grouped, "load_view_tko").1.read, 64 * (rows + groups + u64::from(left)));
        assert_eq!(grouped.instructions.iter().any(|instruction| instruction.group.is_none()), left > 0);
        assert!(grouped.instructions.is_sorted_by_key(|instruction| instruction.key()));
        // Launches in groups and without are launches of one plan.
        let mut both = grouped.clone();
        both.add(&alone);
        both.add(&grouped);
        assert_eq!((both.blocks, both.blocks_in_groups), (3 * rows, 2 * (rows - u64::from(left))));
        assert_eq!(did(&both, "mulf"), (3 * rows, work(0, 0, 3 * 16 * rows)));
    }
}

#[test]
fn a_launch_that_fails_has_no_profile() {
    let plan = program(ADD).plan("k").unwrap();
    let (mut memory, all) = buffer(vec![0; 64]);
    let args = args(&memory, all, &[16; 3], &[]);
    assert!(launch_profiled(&plan, &mut memory, [16, 1, 1], &args, &LaunchOptions::new()).is_err());
}
