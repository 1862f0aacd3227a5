//! Limits of what a launch may take: each ends it with an error that names it, and nothing that fits is refused.

use crate::text::program;
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};
use tilewright_exec::{
    Arg, Interrupt, LaunchError, LaunchErrorKind, LaunchOptions, LaunchReport, Limits, Memory, OutputSink, launch, max_threads,
};
use tilewright_ir::Scalar;

/// Elements of the tile that each waiting block keeps, and about the bytes of its registers.
const KEPT: usize = 1 << 16;
const FRAME: u64 = 5 * KEPT as u64;

/// A block says that it is there, and waits until another one, of number `own ^ flip | set`, is.
fn waits() -> String {
    format!(
        "entry @k(%flags: tile<ptr<i32>>, %flip: tile<i32>, %set: tile<i32>) {{
            %x, %y, %z = get_tile_block_id : tile<i32>
            %one = constant <i32: 1> : tile<i32>
            %i = iota : tile<{KEPT}xi32>
            %x1 = reshape %x : tile<i32> -> tile<1xi32>
            %xs = broadcast %x1 : tile<1xi32> -> tile<{KEPT}xi32>
            %kept = addi %i, %xs : tile<{KEPT}xi32>
            %own = offset %flags, %x : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
            %t0 = store_ptr_tko release device %own, %one : tile<ptr<i32>>, tile<i32> -> token
            %flipped = xori %x, %flip : tile<i32>
            %number = ori %flipped, %set : tile<i32>
            %other = offset %flags, %number : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
            loop {{
                %seen, %t1 = load_ptr_tko acquire device %other : tile<ptr<i32>> -> tile<i32>, token
                %there = cmpi equal %seen, %one, signed : tile<i32> -> tile<i1>
                if %there {{
                    break
                }}
                continue
            }}
            %same = cmpi greater_than_or_equal %kept, %xs, signed : tile<{KEPT}xi32> -> tile<{KEPT}xi1>
            assert %same, \"kept\" : tile<{KEPT}xi1>
            return
        }}"
    )
}

fn run_on(text: &str, blocks: u32, scalars: &[i32], options: LaunchOptions<'_>) -> Result<LaunchReport, LaunchError> {
    let plan = program(text).plan("k").unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut memory = Memory::new();
    let buffer = memory.add(vec![0; 1 << 16]);
    let scalars = scalars.iter().map(|x| Arg::Scalar(Scalar::I32, u64::from(x.cast_unsigned())));
    let args: Vec<Arg> = [Arg::Pointer(memory.address(buffer))].into_iter().chain(scalars).collect();
    launch(&plan, &mut memory, [blocks, 1, 1], &args[..plan.params().len()], &options)
}

fn limited(limits: Limits) -> LaunchOptions<'static> {
    LaunchOptions::new().limits(limits)
}

const ENDLESS: &str = "entry @k() {
    loop {
        continue
    }
    return
}";
const SHORT: &str = "entry @k(%p: tile<ptr<i32>>) {
    %one = constant <i32: 1> : tile<i32>
    %t = store_ptr_tko weak %p, %one : tile<ptr<i32>>, tile<i32> -> token
    return
}";

#[test]
fn a_launch_that_takes_too_long_times_out() {
    let limit = Duration::from_millis(20);
    for threads in [1, 2] {
        let error = run_on(ENDLESS, 4, &[], limited(Limits::new().time(limit)).threads(threads)).unwrap_err();
        assert_eq!(error.kind, LaunchErrorKind::TimedOut(limit));
        assert_eq!(error.to_string(), "kernel k: did not end in 0.02 s, its limit of time (Limits::time), and was stopped");
    }
    // However short it is: it ends behind its deadline.
    let error = run_on(SHORT, 1, &[], limited(Limits::new().time(Duration::ZERO))).unwrap_err();
    assert_eq!(error.kind, LaunchErrorKind::TimedOut(Duration::ZERO));
    for enough in [Duration::from_secs(3600), Duration::MAX] {
        run_on(SHORT, 3, &[], limited(Limits::new().time(enough))).unwrap();
    }
}

#[test]
fn what_ends_a_launch_first_is_its_error() {
    let hour = || limited(Limits::new().time(Duration::from_secs(3600)));
    let fails = "entry @k(%p: tile<ptr<i32>>) {\n%no = constant <i1: false> : tile<i1>\nassert %no, \"never\" : tile<i1>\nreturn\n}";
    assert!(matches!(run_on(fails, 2, &[], hour()).unwrap_err().kind, LaunchErrorKind::Assert { .. }));
    let interrupt = Interrupt::new();
    interrupt.set();
    assert_eq!(run_on(ENDLESS, 2, &[], hour().interrupt(&interrupt)).unwrap_err().kind, LaunchErrorKind::Stopped);
    // A failure, or what the caller says, comes too late if the deadline has passed.
    let late = || limited(Limits::new().time(Duration::ZERO));
    assert_eq!(run_on(fails, 2, &[], late()).unwrap_err().kind, LaunchErrorKind::TimedOut(Duration::ZERO));
    assert_eq!(run_on(ENDLESS, 2, &[], late().interrupt(&interrupt)).unwrap_err().kind, LaunchErrorKind::TimedOut(Duration::ZERO));
}

#[test]
fn an_interrupt_serves_several_launches() {
    let interrupt = Interrupt::new();
    let fails = "entry @k(%p: tile<ptr<i32>>) {\n%no = constant <i1: false> : tile<i1>\nassert %no, \"never\" : tile<i1>\nreturn\n}";
    run_on(fails, 2, &[], LaunchOptions::new().interrupt(&interrupt)).unwrap_err();
    assert!(!interrupt.is_set(), "a launch that fails does not end others");
    run_on(SHORT, 2, &[], LaunchOptions::new().interrupt(&interrupt)).unwrap();
}

#[test]
fn blocks_that_wait_for_neighbours_need_the_memory_of_few() {
    for threads in [1, 2] {
        let options = limited(Limits::new().memory(8 * FRAME)).threads(threads);
        let report = run_on(&waits(), 200, &[1, 0], options).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(report.blocks, 200);
    }
}

#[test]
fn blocks_that_all_wait_for_the_last_one_need_memory_for_all() {
    for threads in [1, 2] {
        run_on(&waits(), 64, &[0, 63], LaunchOptions::new().threads(threads)).unwrap();
        let limit = 16 * FRAME;
        let error = run_on(&waits(), 64, &[0, 63], limited(Limits::new().memory(limit)).threads(threads)).unwrap_err();
        let LaunchErrorKind::MemoryOfWaiting { limit: found, begun, each } = error.kind else { panic!("{error}") };
        assert!(found == limit && begun < 16 && begun * each <= limit && (begun + 2) * each > limit, "{error}");
        assert!(error.to_string().contains("blocks have begun that may wait for others"), "{error}");
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let kind = |text: &str, limit: u64| run_on(text, 1, &[0, 0], limited(Limits::new().memory(limit))).unwrap_err().kind;
    // Registers.
    assert!(matches!(kind(&waits(), FRAME / 2), LaunchErrorKind::Memory { limit, wanted, .. } if limit == FRAME / 2 && wanted >= FRAME));
    let alloca = "entry @k(%p: tile<ptr<i32>>) {
        %a = alloca num_elem = 1048576, alignment = 16 SHARED: tile<ptr<i32>>
        %one = constant <i32: 1> : tile<i32>
        %t = store_ptr_tko weak %a, %one : tile<ptr<i32>>, tile<i32> -> token
        return
    }";
    for shared in ["", "global "] {
        let text = alloca.replace("SHARED", shared);
        assert!(matches!(kind(&text, 1 << 20), LaunchErrorKind::Memory { wanted, .. } if wanted == 4 << 20));
        run_on(&text, 100, &[], limited(Limits::new().memory(5 << 20)).threads(1)).unwrap();
    }
    // Copies of factors.
    let product = "entry @k(%p: tile<ptr<i32>>) {
        %a = iota : tile<65536xi32>
        %f = itof %a signed : tile<65536xi32> -> tile<65536xf32>
        %m = reshape %f : tile<65536xf32> -> tile<256x256xf32>
        %t = permute %m [1, 0] : tile<256x256xf32> -> tile<256x256xf32>
        %c = constant <f32: 0.0> : tile<256x256xf32>
        %r = mmaf %t, %t, %c : tile<256x256xf32>, tile<256x256xf32>, tile<256x256xf32>
        %same = cmpf equal ordered %r, %r : tile<256x256xf32> -> tile<256x256xi1>
        assert %same, \"a number\" : tile<256x256xi1>
        return
    }";
    run_on(product, 1, &[], limited(Limits::new().memory(4 << 20))).unwrap();
    assert!(matches!(kind(product, 3 << 18), LaunchErrorKind::Memory { .. }));
}

#[test]
fn a_launch_runs_on_as_many_threads_as_there_is_memory_for() {
    let threads = |limit: u64| run_on(&waits(), 8, &[0, 0], limited(Limits::new().memory(limit)).threads(2)).unwrap().threads;
    assert_eq!([threads(3 * FRAME / 2), threads(8 * FRAME)], [1, 2]);
}

#[test]
fn no_more_threads_than_are_of_use() {
    let report = run_on(SHORT, 100_000, &[], LaunchOptions::new().threads(10_000)).unwrap();
    assert_eq!(report.threads, max_threads());
    let cores = std::thread::available_parallelism().unwrap().get();
    assert_eq!(max_threads(), 4 * cores);
}

/// What a kernel printed, and how its launch ended.
fn printed(text: &str, blocks: u32, limits: Limits, threads: usize) -> (Result<LaunchReport, LaunchError>, Vec<u8>) {
    let sink = Arc::new(Mutex::new(Vec::new()));
    let result = run_on(text, blocks, &[], limited(limits).threads(threads).output(OutputSink::new(sink.clone())));
    let bytes = sink.lock().unwrap().clone();
    (result, bytes)
}

#[test]
fn output_ends_where_it_may_be_no_longer() {
    let endless = "entry @k() {\nloop {\nprint_tko \"0123456789\" -> token\ncontinue\n}\nreturn\n}";
    // Of two threads either may be the one whose text is cut.
    for (limit, threads) in [(0, 1), (5, 1), (1000, 2)].into_iter().chain([(1004, 2); 200]) {
        let (result, bytes) = printed(endless, 4, Limits::new().output(limit), threads);
        let error = result.unwrap_err();
        assert_eq!(error.kind, LaunchErrorKind::PrintedTooMuch(limit));
        assert!(error.to_string().ends_with(&format!("printed more than {limit} bytes, its limit of output (Limits::output)")), "{error}");
        let expected: Vec<u8> = b"0123456789".iter().copied().cycle().take(limit as usize).collect();
        assert_eq!(bytes, expected);
    }
    let once = "entry @k() {\nprint_tko \"0123456789\" -> token\nreturn\n}";
    let (result, bytes) = printed(once, 4, Limits::new().output(40), 2);
    assert_eq!((result.unwrap().blocks, bytes.len()), (4, 40));
}

#[test]
fn the_text_of_one_operation_is_bounded() {
    let large = "entry @k() {\n%i = iota : tile<1048576xi32>\nprint_tko \"%4000d\", %i : tile<1048576xi32> -> token\nreturn\n}";
    let (result, bytes) = printed(large, 1, Limits::new().output(10_000), 1);
    assert_eq!((result.unwrap_err().kind, bytes.len()), (LaunchErrorKind::PrintedTooMuch(10_000), 10_000));
    let (result, bytes) = printed(large, 1, Limits::new().memory(32 << 20), 1);
    assert!(matches!(result.unwrap_err().kind, LaunchErrorKind::Memory { .. }) && bytes.is_empty());
}

#[test]
fn a_grid_of_too_many_blocks_is_not_blamed_on_its_extents() {
    let plan = program(ENDLESS).plan("k").unwrap();
    let error = |grid| launch(&plan, &mut Memory::new(), grid, &[], &LaunchOptions::new()).unwrap_err().to_string();
    let most = (1 << 24) - 1;
    assert_eq!(error([most; 3]), "kernel k: the grid 16777215,16777215,16777215 has more blocks than can be counted, 2^64 or more");
    assert_eq!(error([1, 0, 1]), "kernel k: the grid 1,0,1 must have extents from 1 to 16777215");
}

/// Sums of what blocks add to a buffer need not be kept: without memory for them, numbers are added one by one.
#[test]
fn additions_do_without_the_memory_of_sums() {
    const PLACES: usize = 1024;
    const APART: usize = 512;
    let text = format!(
        "entry @k(%p: tile<ptr<i32>>) {{
            %lanes = iota : tile<{PLACES}xi32>
            %apart = constant <i32: {APART}> : tile<{PLACES}xi32>
            %places = muli %lanes, %apart : tile<{PLACES}xi32>
            %one = constant <i32: 1> : tile<{PLACES}xi32>
            %p1 = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
            %ps = broadcast %p1 : tile<1xptr<i32>> -> tile<{PLACES}xptr<i32>>
            %q = offset %ps, %places : tile<{PLACES}xptr<i32>>, tile<{PLACES}xi32> -> tile<{PLACES}xptr<i32>>
            %old, %t = atomic_rmw_tko relaxed device %q, add, %one : tile<{PLACES}xptr<i32>>, tile<{PLACES}xi32> -> tile<{PLACES}xi32>, token
            return
        }}"
    );
    let plan = program(&text).plan("k").unwrap();
    for limits in [Limits::new(), Limits::new().memory(1 << 20)] {
        let mut memory = Memory::new();
        let buffer = memory.add(vec![0; 4 * PLACES * APART]);
        let args = [Arg::Pointer(memory.address(buffer))];
        launch(&plan, &mut memory, [8, 1, 1], &args, &limited(limits).threads(2)).unwrap();
        for (i, number) in memory.bytes(buffer).as_chunks::<4>().0.iter().enumerate() {
            assert_eq!(u32::from_le_bytes(*number), if i % APART == 0 { 8 } else { 0 }, "{i} with {limits:?}");
        }
    }
}

/// A tile of gathered rows keeps where each of them lies.
#[test]
fn the_rows_of_a_gather_take_memory() {
    const ROWS: usize = 1 << 14;
    let tensor = format!("tensor_view<{ROWS}x2xi8, strides=[2,1]>");
    let view = format!("gather_scatter_view<tile=({ROWS}x2), {tensor}, sparse_dim=0>");
    let text = format!(
        "entry @k(%p: tile<ptr<i8>>) {{
            %zero = constant <i32: 0> : tile<i32>
            %rows = iota : tile<{ROWS}xi32>
            %t = make_tensor_view %p, shape = [{ROWS}, 2], strides = [2, 1] : tile<ptr<i8>> -> {tensor}
            %v = make_gather_scatter_view %t : {view}
            %x, %t0 = load_view_tko weak %v[%rows, %zero] : {view}, tile<{ROWS}xi32>, tile<i32> -> tile<{ROWS}x2xi8>, token
            %t1 = store_view_tko weak %x, %v[%rows, %zero] token = %t0 : tile<{ROWS}x2xi8>, {view}, tile<{ROWS}xi32>, tile<i32> -> token
            return
        }}"
    );
    run_on(&text, 1, &[], limited(Limits::new().memory(1 << 24))).unwrap();
    let error = run_on(&text, 1, &[], limited(Limits::new().memory(1 << 20))).unwrap_err();
    assert!(matches!(error.kind, LaunchErrorKind::Memory { limit, .. } if limit == 1 << 20), "{error}");
}
