//! Threads together: divergence, shuffles, barriers, shared memory, copies, atomics, calls, and what the machine finds wrong.

mod support;

use support::{kernel, launch};
use tilewright_ptx::{
    machine::{FindingKind, LaunchErrorKind, LaunchOptions, Memory, Program, Report},
    parse,
};

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

/// Stores `%v` of each thread at its place.
const STORE: &str = "mov.u32 %t, %tid.x;\nmul.wide.u32 %a, %t, 4;\nadd.s64 %a, %a, %out;\nst.global.b32 [%a], %v;\n";
const REGISTERS: &str = ".reg .b32 %t, %v, %w, %x;\n.reg .b64 %a, %b;\n.reg .pred %p, %q;\nmov.u32 %t, %tid.x;\n";

/// What each thread computes in `%v`, of threads `%t`; nothing may be found.
fn each(threads: u32, body: &str) -> Vec<u32> {
    let text = kernel(threads, "", &format!("{REGISTERS}{body}\n{STORE}"));
    let (output, result) = launch(&text, 1, 1, threads as usize * 4);
    let report = result.unwrap_or_else(|error| panic!("{error}"));
    assert!(report.findings.is_empty(), "{}", report.findings[0]);
    words(&output)
}

/// What is found in a kernel of 64 threads with 64 words of shared memory, `s`, of which `%a` is that of the thread.
fn findings(body: &str) -> Vec<FindingKind> {
    let text = kernel(
        64,
        "",
        &format!(".shared .align 16 .b8 s[256];\n{REGISTERS}mov.b64 %a, s;\nmul.wide.u32 %b, %t, 4;\nadd.s64 %a, %a, %b;\n{body}\n"),
    );
    let (_, result) = launch(&text, 1, 1, 256);
    result.unwrap_or_else(|error| panic!("{error}")).findings.iter().map(|finding| finding.kind).collect()
}

#[test]
fn lanes_go_different_ways_and_meet_again() {
    // Each lane loops as often as its number, then all shuffle.
    let body = "mov.b32 %v, 0;\nmov.b32 %w, %t;\nL:\nsetp.eq.b32 %p, %w, 0;\n@%p bra D;\nadd.s32 %v, %v, %w;\nsub.s32 %w, %w, 1;\nbra L;\n\
                D:\nshfl.sync.idx.b32 %x, %v, 31, 31, -1;\nadd.s32 %v, %v, %x;";
    let expected: Vec<u32> = (0..32).map(|t| t * (t + 1) / 2 + 496).collect();
    assert_eq!(each(32, body), expected);
}

#[test]
fn lanes_of_a_warp_may_wait_for_each_other() {
    // Lane 0 waits in a loop that stands before what the others do for it.
    let body = "mov.b32 %v, 7;\nsetp.ne.b32 %p, %t, 0;\n@%p bra O;\nW:\nld.volatile.global.b32 %w, [%out+64];\nsetp.eq.b32 %q, %w, 0;\n@%q bra W;\nbra E;\n\
                O:\nst.volatile.global.b32 [%out+64], 1;\nE:\n";
    let text = kernel(8, "", &format!("{REGISTERS}{body}{STORE}"));
    let (output, result) = launch(&text, 1, 0, 128);
    result.unwrap();
    assert_eq!(words(&output)[..8], [7; 8]);
}

#[test]
fn blocks_may_wait_for_later_blocks() {
    let body = ".reg .b32 %c, %n;\nmov.u32 %c, %ctaid.x;\natom.acq_rel.gpu.global.add.u32 %n, [%out], 1;\n\
                W: ld.acquire.gpu.global.u32 %n, [%out];\nsetp.lt.u32 %p, %n, 300;\n@%p bra W;";
    for seed in [0, 9] {
        let (output, result) = launch(&kernel(1, "", &format!("{REGISTERS}{body}")), 300, seed, 4);
        result.unwrap();
        assert_eq!(words(&output), [300]);
    }
}

#[test]
fn shuffles_take_from_where_the_manual_says() {
    let shuffle =
        |mode: &str, b: u32, c: u32| each(32, &format!("shfl.sync.{mode}.b32 %v|%p, %t, {b}, {c}, -1;\n@!%p add.s32 %v, %v, 100;"));
    let expect = |from: &dyn Fn(u32) -> Option<u32>| (0..32).map(|t| from(t).unwrap_or(t + 100)).collect::<Vec<u32>>();
    assert_eq!(shuffle("up", 3, 0), expect(&|t| t.checked_sub(3)));
    assert_eq!(shuffle("down", 3, 31), expect(&|t| Some(t + 3).filter(|from| *from < 32)));
    assert_eq!(shuffle("bfly", 5, 31), expect(&|t| Some(t ^ 5)));
    assert_eq!(shuffle("idx", 5, 31), expect(&|_| Some(5)));
    // Segments of 8 lanes.
    assert_eq!(shuffle("idx", 5, 0x181F), expect(&|t| Some(t / 8 * 8 + 5)));
    assert_eq!(shuffle("down", 3, 0x181F), expect(&|t| Some(t + 3).filter(|from| from / 8 == t / 8)));
}

#[test]
fn votes_and_reductions_see_the_whole_warp() {
    let odd = "and.b32 %w, %t, 1;\nsetp.eq.b32 %p, %w, 1;\n";
    assert_eq!(each(32, &format!("{odd}vote.sync.ballot.b32 %v, %p, -1;")), [0xAAAA_AAAA; 32]);
    assert_eq!(each(32, &format!("{odd}vote.sync.any.pred %q, !%p, -1;\nselp.b32 %v, 1, 0, %q;")), [1; 32]);
    assert_eq!(each(32, &format!("{odd}vote.sync.all.pred %q, %p, -1;\nselp.b32 %v, 1, 0, %q;")), [0; 32]);
    assert_eq!(each(32, "redux.sync.add.s32 %v, %t, -1;"), [496; 32]);
    assert_eq!(each(32, "redux.sync.max.u32 %v, %t, -1;"), [31; 32]);
    assert_eq!(each(32, &format!("{odd}match.any.sync.b32 %v, %w, -1;"))[..2], [0x5555_5555, 0xAAAA_AAAA]);
}

#[test]
fn barriers_order_shared_memory() {
    let exchange = "st.shared.b32 [%a], %t;\nBARRIER\nxor.b32 %w, %t, 32;\nmov.b64 %a, s;\nmul.wide.u32 %b, %w, 4;\nadd.s64 %a, %a, %b;\n\
                    ld.shared.b32 %v, [%a];";
    assert_eq!(findings(&exchange.replace("BARRIER", "bar.sync 0;")), []);
    assert_eq!(findings(&exchange.replace("BARRIER", "bar.sync 1, 64;")), []);
    // Whichever warp comes first reads what nobody wrote yet; the other one, or both, race.
    let found = findings(&exchange.replace("BARRIER", ""));
    assert!(found.contains(&FindingKind::SharedRace), "{found:?}");
    let found = findings(&exchange.replace("BARRIER", "bar.warp.sync -1;"));
    assert!(found.contains(&FindingKind::SharedRace), "a warp's barrier orders no other warp: {found:?}");
}

#[test]
fn lanes_of_a_warp_need_a_barrier_as_well() {
    let exchange = "st.shared.b32 [%a], %t;\nBARRIER\nxor.b32 %w, %t, 1;\nmov.b64 %a, s;\nmul.wide.u32 %b, %w, 4;\nadd.s64 %a, %a, %b;\n\
                    ld.shared.b32 %v, [%a];";
    assert_eq!(findings(&exchange.replace("BARRIER", "bar.warp.sync -1;")), []);
    assert_eq!(findings(&exchange.replace("BARRIER", "")), [FindingKind::SharedRace]);
}

#[test]
fn what_nobody_wrote_is_found() {
    assert_eq!(findings("ld.shared.b32 %v, [%a];"), [FindingKind::UnwrittenRead]);
    assert_eq!(findings(".local .align 4 .b8 l[4];\nld.local.b32 %v, [l];"), [FindingKind::UnwrittenRead]);
}

#[test]
fn barriers_that_threads_miss_are_found() {
    let found = findings("setp.ge.u32 %p, %t, 32;\n@%p exit;\nbar.sync 0;");
    assert_eq!(found, [FindingKind::BarrierMissed]);
    let text = kernel(64, "", &format!("{REGISTERS}setp.ge.u32 %p, %t, 32;\n@%p bar.sync 1;\n@!%p bar.sync 2;"));
    let error = launch(&text, 1, 0, 4).1.unwrap_err();
    assert!(matches!(error.kind, LaunchErrorKind::Deadlock(_)), "{error}");
}

#[test]
fn lanes_that_a_shuffle_names_must_be_there() {
    let text = kernel(32, "", &format!("{REGISTERS}setp.lt.u32 %p, %t, 16;\n@%p shfl.sync.idx.b32 %v, %t, 0, 31, -1;"));
    let report = launch(&text, 1, 0, 4).1.unwrap();
    assert_eq!(report.findings[0].kind, FindingKind::LanesMissing);
    let apart =
        "setp.lt.u32 %p, %t, 16;\n@%p bra A;\nshfl.sync.idx.b32 %v, %t, 0, 31, -1;\nbra E;\nA: shfl.sync.idx.b32 %v, %t, 0, 31, -1;\nE:";
    let error = launch(&kernel(32, "", &format!("{REGISTERS}{apart}")), 1, 0, 4).1.unwrap_err();
    assert!(matches!(error.kind, LaunchErrorKind::Deadlock(_)), "{error}");
}

#[test]
fn copies_arrive_when_they_are_waited_for() {
    let copy =
        "add.s64 %b, %b, %out;\nADDRESS\ncp.async.ca.shared.global [%a], [%b], 4;\ncp.async.commit_group;\nWAIT\nld.shared.b32 %v, [%a];";
    let copy = copy.replace("ADDRESS", "");
    assert_eq!(findings(&copy.replace("WAIT", "cp.async.wait_group 0;")), []);
    assert_eq!(findings(&copy.replace("WAIT", "cp.async.wait_all;")), []);
    assert_eq!(findings(&copy.replace("WAIT", "cp.async.wait_group 1;")), [FindingKind::AsyncCopy]);
    assert_eq!(findings(&copy.replace("WAIT", "")), [FindingKind::AsyncCopy]);
}

#[test]
fn copies_of_other_warps_are_seen_behind_a_barrier() {
    let copy = "add.s64 %b, %b, %out;\ncp.async.ca.shared.global [%a], [%b], 4;\ncp.async.commit_group;\nWAIT\n\
                xor.b32 %w, %t, 32;\nmov.b64 %a, s;\nmul.wide.u32 %b, %w, 4;\nadd.s64 %a, %a, %b;\nld.shared.b32 %v, [%a];";
    assert_eq!(findings(&copy.replace("WAIT", "cp.async.wait_all;\nbar.sync 0;")), []);
    let found = findings(&copy.replace("WAIT", "cp.async.wait_all;"));
    assert!(found.contains(&FindingKind::SharedRace), "{found:?}");
    let found = findings(&copy.replace("WAIT", "bar.sync 0;\ncp.async.wait_all;"));
    assert!(!found.is_empty(), "who waits behind the barrier tells nobody");
}

#[test]
fn nothing_lies_where_a_buffer_was() {
    let module = parse(&kernel(1, "", "st.global.b32 [%out], 1;")).unwrap();
    let program = Program::new(&module).unwrap();
    let mut memory = Memory::new();
    let buffer = memory.add(vec![0; 4]);
    let address = memory.address(buffer);
    let launch = |memory: &mut Memory| program.launch("k", [1, 1, 1], &[address], memory, &LaunchOptions::new());
    assert!(launch(&mut memory).is_ok());
    memory.remove(buffer);
    assert_ne!(memory.add(vec![0; 4]), buffer);
    let error = launch(&mut memory).unwrap_err();
    assert!(matches!(error.kind, LaunchErrorKind::Access(_)), "{error}");
}

#[test]
fn accesses_outside_end_the_launch() {
    for (instruction, expected) in [
        ("ld.global.b32 %v, [%out+256];", "outside of global memory"),
        ("st.global.b32 [%out+-4], %v;", "outside of global memory"),
        ("ld.global.b32 %v, [%out+2];", "not aligned to 4 bytes"),
        ("ld.shared.b32 %v, [s+256];", "shared memory, which has 256 bytes"),
    ] {
        let text = kernel(32, "", &format!(".shared .align 16 .b8 s[256];\n{REGISTERS}{instruction}"));
        let error = launch(&text, 1, 0, 256).1.unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        let site = error.site.expect("an instruction is to blame");
        assert_eq!((site.thread, site.position.line, site.function.as_str()), (0, 15, "k"), "{site}");
    }
}

#[test]
fn traps_and_limits_end_the_launch() {
    let error = launch(&kernel(32, "", &format!("{REGISTERS}setp.eq.b32 %p, %t, 5;\n@%p trap;")), 1, 0, 4).1.unwrap_err();
    assert_eq!((error.kind, error.site.unwrap().thread), (LaunchErrorKind::Trap, 5));
    let error = launch(&kernel(1, "", "L: bra L;"), 1, 0, 4).1.unwrap_err();
    assert!(matches!(error.kind, LaunchErrorKind::Limit(_)));
}

#[test]
fn atomics_do_what_they_say() {
    let atomic = |instruction: &str| {
        let text = kernel(64, "", &format!("{REGISTERS}{instruction}"));
        let (output, result) = launch(&text, 3, 5, 8);
        result.unwrap();
        words(&output)[0]
    };
    assert_eq!(atomic("red.global.add.u32 [%out], %t;"), 3 * 2016);
    assert_eq!(atomic("atom.global.max.s32 %v, [%out], %t;"), 63);
    assert_eq!(atomic("atom.global.or.b32 %v, [%out], %t;"), 63);
    assert_eq!(atomic("atom.global.inc.u32 %v, [%out], 99;"), 192 % 100);
    assert_eq!(atomic("atom.relaxed.gpu.global.cas.b32 %v, [%out], 0, 9;"), 9);
    assert_eq!(atomic("atom.global.add.f32 %v, [%out], 0f3F800000;"), 192f32.to_bits());
    assert_eq!(atomic("atom.global.add.noftz.f16x2 %v, [%out], 0x3C003C00;"), 0x5A00_5A00);
}

#[test]
fn functions_are_called_with_their_parameters() {
    let square = ".func (.param .b32 r) square(.param .b32 x)\n{\n.reg .b32 %a;\nld.param.b32 %a, [x];\nmul.lo.s32 %a, %a, %a;\n\
                  st.param.b32 [r], %a;\nret;\n}\n";
    let call = "{\n.param .b32 x;\n.param .b32 r;\nst.param.b32 [x], %t;\ncall.uni (r), square, (x);\nld.param.b32 %v, [r];\n}";
    let text = kernel(32, square, &format!("{REGISTERS}setp.lt.u32 %p, %t, 16;\nmov.b32 %v, 1;\n@%p bra S;\n{call}\nS:\n{STORE}"));
    let (output, result) = launch(&text, 1, 0, 128);
    result.unwrap();
    assert_eq!(words(&output), (0..32).map(|t| if t < 16 { 1 } else { t * t }).collect::<Vec<u32>>());
}

#[test]
fn printing_reads_its_arguments() {
    let declarations = ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n\
                        .global .align 1 .b8 text[9] = {120, 61, 37, 100, 32, 37, 102, 10};";
    let body = ".local .align 8 .b8 args[16];\n.reg .b64 %f, %l;\nst.local.b32 [args], 7;\nst.local.b64 [args+8], 0d3FF8000000000000;\n\
                mov.b64 %l, args;\ncvta.local.u64 %l, %l;\nmov.b64 %f, text;\ncvta.global.u64 %f, %f;\n{\n.param .b64 f;\n.param .b64 a;\n\
                .param .b32 r;\nst.param.b64 [f], %f;\nst.param.b64 [a], %l;\ncall.uni (r), vprintf, (f, a);\n}";
    let report = launch(&kernel(1, declarations, body), 2, 0, 4).1.unwrap();
    assert_eq!(String::from_utf8(report.printed).unwrap(), "x=7 1.500000\nx=7 1.500000\n");
}

#[test]
fn instructions_and_bank_conflicts_are_counted() {
    let count =
        |report: &Report, form: &str| report.counts.iter().find(|count| count.form == form).map(|count| (count.warps, count.threads));
    let text = kernel(
        64,
        "",
        &format!(".shared .align 16 .b8 s[8192];\n{REGISTERS}shl.b32 %w, %t, 7;\ncvt.u64.u32 %a, %w;\nst.shared.b32 [%a], %t;"),
    );
    let report = launch(&text, 2, 0, 4).1.unwrap();
    assert_eq!(count(&report, "st.shared.b32"), Some((4, 128)));
    assert_eq!((report.shared.accesses, report.shared.wavefronts, report.shared.conflicts), (4, 128, 124));
}

/// A product against its definition; elements tell where they come from, so a fragment that is off by one shows.
#[test]
fn fragments_are_those_of_the_manual() {
    // m16n8k16 of f16: A[i][k] = 1 where i = k, so D = B, whose element (k, n) is 8 k + n.
    let half = |value: u32| u64::from(tilewright_numeric::bulk::f32_to_f16(value as f32));
    let mut body = format!("{REGISTERS}.reg .b32 %a<4>, %b<2>, %c<4>;\n.shared .align 16 .b8 s[512];\n");
    // The tables of the PTX manual, written out for this shape.
    let a_at = |lane: u32, i: u32| {
        let row = if (0..2).contains(&i) || (4..6).contains(&i) { lane >> 2 } else { (lane >> 2) + 8 };
        (row, (lane % 4) * 2 + (i & 1) + if i >= 4 { 8 } else { 0 })
    };
    let b_at = |lane: u32, i: u32| ((lane % 4) * 2 + (i & 1) + if i >= 2 { 8 } else { 0 }, lane >> 2);
    let c_at = |lane: u32, i: u32| (if i < 2 { lane >> 2 } else { (lane >> 2) + 8 }, (lane % 4) * 2 + (i & 1));
    for register in 0..4 {
        body += &format!("mov.b32 %a{register}, 0;\n");
        for lane in 0..32 {
            let bits = (0..2).map(|part| a_at(lane, register * 2 + part)).enumerate();
            let bits: u64 = bits.map(|(part, (row, column))| if row == column { half(1) << (16 * part) } else { 0 }).sum();
            body += &format!("setp.eq.b32 %p, %t, {lane};\n@%p mov.b32 %a{register}, {bits};\n");
        }
    }
    for register in 0..2 {
        for lane in 0..32 {
            let bits = (0..2).map(|part| b_at(lane, register * 2 + part)).enumerate();
            let bits: u64 = bits.map(|(part, (k, n))| half(8 * k + n) << (16 * part)).sum();
            body += &format!("setp.eq.b32 %p, %t, {lane};\n@%p mov.b32 %b{register}, {bits};\n");
        }
    }
    body += "mov.b32 %c0, 0;\nmov.b32 %c1, 0;\nmov.b32 %c2, 0;\nmov.b32 %c3, 0;\n\
             mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%c0, %c1, %c2, %c3}, {%a0, %a1, %a2, %a3}, {%b0, %b1}, {%c0, %c1, %c2, %c3};\n\
             mul.wide.u32 %a, %t, 16;\nadd.s64 %a, %a, %out;\nst.global.v4.b32 [%a], {%c0, %c1, %c2, %c3};";
    let (output, result) = launch(&kernel(32, "", &body), 1, 0, 512);
    assert!(result.unwrap().findings.is_empty());
    for (at, bits) in words(&output).into_iter().enumerate() {
        let (row, column) = c_at(at as u32 / 4, at as u32 % 4);
        assert_eq!(f32::from_bits(bits), (8 * row + column) as f32, "element {at}");
    }
}

#[test]
fn matrices_are_loaded_by_rows_or_columns() {
    // 32 rows of 8 elements, element (row, column) of the memory is 8 row + column.
    let fill = ".shared .align 16 .b8 s[512];\n.reg .b16 %h;\n.reg .b32 %r<4>, %i;\nmov.b32 %i, 0;\nmov.b64 %b, s;\nmul.wide.u32 %a, %t, 16;\nadd.s64 %a, %a, %b;\n\
                L:\nmad.lo.s32 %w, %t, 8, %i;\ncvt.u16.u32 %h, %w;\nmul.wide.u32 %b, %i, 2;\nadd.s64 %b, %b, %a;\nst.shared.b16 [%b], %h;\n\
                add.s32 %i, %i, 1;\nsetp.lt.u32 %p, %i, 8;\n@%p bra L;\nbar.warp.sync -1;\n";
    let load = |trans: &str| {
        let body = format!(
            "{REGISTERS}{fill}ldmatrix.sync.aligned.m8n8.x4{trans}.shared.b16 {{%r0, %r1, %r2, %r3}}, [%a];\nmul.wide.u32 %b, %t, 16;\n\
             add.s64 %b, %b, %out;\nst.global.v4.b32 [%b], {{%r0, %r1, %r2, %r3}};"
        );
        let (output, result) = launch(&kernel(32, "", &body), 1, 0, 512);
        let report = result.unwrap();
        assert!(report.findings.is_empty(), "{}", report.findings[0]);
        words(&output)
    };
    for lane in 0..32u32 {
        for matrix in 0..4u32 {
            let at = |row: u32, column: u32| 64 * matrix + 8 * row + column;
            let (row, pair) = (lane / 4, lane % 4 * 2);
            assert_eq!(load("")[(lane * 4 + matrix) as usize], at(row, pair) | at(row, pair + 1) << 16);
            assert_eq!(load(".trans")[(lane * 4 + matrix) as usize], at(pair, row) | at(pair + 1, row) << 16);
        }
    }
}
