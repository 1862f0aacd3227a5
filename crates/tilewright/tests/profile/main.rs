//! What profiles show. Times are set by the tests, and plans are made for no machine in particular, so that all of it is always the same;
//! `BLESS=1` writes what is recorded anew.

use serde_json::Value;
use std::{env, fs, path::Path};
use tilewright::{
    arguments,
    exec::{self, Activity, GroupBlocks, LaunchOptions, Memory, Program, Slice, TargetMachine},
    ir::{self, VerifiedModule, is_printable},
    profile::{Bound, MachineLimits, Profile},
    text,
};

const LIMITS: MachineLimits = MachineLimits { threads: 1, bandwidth: 1e10, peak_f32: 1e11, peak_f64: 5e10 };

fn verified(source: &str) -> VerifiedModule {
    let module = text::parse(source, &text::ParseOptions::new()).unwrap_or_else(|errors| panic!("{}", errors[0].render(source, "k")));
    ir::verify(module).unwrap_or_else(|findings| panic!("{}", findings[0]))
}

/// Launches the first entry of a module, and lets its instructions take 1, 2, 3 and more microseconds.
fn profile(module: VerifiedModule, grid: [u32; 3], args: &[&str]) -> Profile {
    profile_with(module, grid, args, LaunchOptions::new())
}

fn profile_with(module: VerifiedModule, grid: [u32; 3], args: &[&str], options: LaunchOptions<'_>) -> Profile {
    let program = Program::new(module).for_machine(TargetMachine::portable());
    let module = program.module();
    let entry = module.functions.iter().find(|function| function.is_entry).unwrap();
    let entry = module.tables.strings.text(entry.name).into_owned();
    let plan = program.plan(&entry).unwrap();
    let mut bound = arguments::bind(&plan, args).unwrap();
    let mut memory = Memory::new();
    let args = arguments::place(&mut bound, &mut memory, &[]);
    let (_, mut measured) = exec::launch_profiled(&plan, &mut memory, grid, &args, &options.threads(1)).unwrap();
    for (i, instruction) in (1..).zip(&mut measured.instructions) {
        instruction.nanos = 1000 * i;
    }
    measured.nanos = measured.instruction_nanos() + 5000;
    measured.clock_nanos = 20.0;
    set_times(&mut measured.slices);
    // A cell of a notebook, which is in no file.
    let cell = |file: &str| (file == "<cell>" || file == CELL).then(|| SOURCE.to_owned());
    Profile::new(program.module(), &entry, grid, measured, LIMITS).with_texts(program.module(), &cell)
}

/// Each instruction takes a tenth of a microsecond, and each block begins as long after the one before.
fn set_times(slices: &mut [Slice]) {
    let (mut now, mut block) = (0, None);
    for at in 0..slices.len() {
        slices[at].begin = now;
        match slices[at].what {
            Activity::Blocks { .. } => block = Some(at),
            Activity::Instruction { .. } => now += 100,
        }
        slices[at].end = now;
        if let Some(block) = block {
            slices[block].end = now;
        }
    }
}

/// A scaled sum of rows, with the lines of a file.
fn scaled_sum(file: &str) -> String {
    let places: String =
        (1..=12).map(|line| format!("#at{line} = loc(\"{file}\":{line}:5)\n#l{line} = #cuda_tile.di_loc<#at{line} in #scope>\n")).collect();
    format!(
        r#"#file = #cuda_tile.di_file<"kernel.py" in "">
#unit = #cuda_tile.di_compile_unit<file = #file>
#scope = #cuda_tile.di_subprogram<file = #file, line = 1, name = "k", linkageName = "k", compileUnit = #unit, scopeLine = 1>
{places}
cuda_tile.module @m {{
  entry @k(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>) {{
    %bx, %by, %bz = get_tile_block_id : tile<i32> loc(#l5)
    %zero = constant <i32: 0> : tile<i32> loc(#l6)
    %one = constant <i32: 1> : tile<i32> loc(#l6)
    %none = constant <f32: 0.0> : tile<4xf32> loc(#l6)
    %two = constant <f32: 2.0> : tile<4x64xf32> loc(#l7)
    %xt = make_tensor_view %x, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]> loc(#l7)
    %yt = make_tensor_view %y, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]> loc(#l10)
    %xv = make_partition_view %xt : partition_view<tile=(4x64), tensor_view<64x64xf32, strides=[64,1]>> loc(#l7)
    %yv = make_partition_view %yt : partition_view<tile=(4), tensor_view<64xf32, strides=[1]>> loc(#l10)
    %total = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %none) -> (tile<4xf32>) {{
      %a, %t0 = load_view_tko weak %xv[%bx, %zero] : partition_view<tile=(4x64), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<4x64xf32>, token loc(#l7)
      %b = mulf %a, %two : tile<4x64xf32> loc(#l8)
      %e = exp %b : tile<4x64xf32> loc(#l8)
      %s = reduce %e dim=1 identities=[0.0 : f32] : tile<4x64xf32> -> tile<4xf32>
      (%l: tile<f32>, %r: tile<f32>) {{
        %p = addf %l, %r : tile<f32> loc(#l8)
        yield %p : tile<f32> loc(#l8)
      }} loc(#l8)
      %next = addf %acc, %s : tile<4xf32> loc(#l9)
      continue %next : tile<4xf32> loc(#l6)
    }} loc(#l6)
    %t1 = store_view_tko weak %total, %yv[%bx] : tile<4xf32>, partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token loc(#l10)
    return loc(#l10)
  }} loc(#l1)
}}
"#
    )
}

/// What a person wrote it as.
const SOURCE: &str = "import cuda.tile as ct


@ct.kernel
def k(x, y, n):  # <script>
    for i in range(n):
        a = ct.load(x, (ct.bid(0), 0), (4, 64))
        s = ct.sum(ct.exp(a * 2.0), 1)
        acc += s
    ct.store(y, (ct.bid(0),), acc)


# Lines
# further
# on
";

/// Where IPython says that a cell is.
const CELL: &str = "/tmp/ipykernel_7/42.py";

const ARGS: [&str; 3] = ["f32[64x64]", "f32[64]", "i32:3"];

/// The profile of the kernel whose source is there, and the folder that it is in.
fn with_source() -> (Profile, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kernel.py");
    fs::write(&file, SOURCE).unwrap();
    (profile(verified(&scaled_sum(file.to_str().unwrap())), [16, 1, 1], &ARGS), folder)
}

fn expect(name: &str, found: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/profile").join(name);
    if env::var_os("BLESS").is_some() {
        fs::write(&path, found).unwrap();
        return;
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(expected == found, "{name} differs (BLESS=1 accepts it)\n--- expected\n{expected}\n--- found\n{found}");
}

#[test]
fn cells_of_notebooks_are_called_so() {
    let profile = profile(verified(&scaled_sum(CELL)), [16, 1, 1], &ARGS);
    let (text, html) = (profile.to_string(), profile.html());
    assert!(text.contains("\ncell\n") && text.contains("load_view_tko cell:7") && !text.contains("ipykernel"), "{text}");
    assert!(html.contains("<caption>cell</caption>") && !html.contains("42.py"), "{html}");
}

/// The end of a kernel mostly has no line.
#[test]
fn operations_without_a_line_beside_lines_are_no_reason_for_tile_ir() {
    let (source, folder) = with_source();
    let file = folder.path().join("kernel.py");
    let text = scaled_sum(file.to_str().unwrap()).replace("return loc(#l10)", "return");
    let profile = profile(verified(&text), [16, 1, 1], &ARGS);
    assert_eq!(profile.listings().len(), source.listings().len());
    assert!(!profile.to_string().contains("Tile IR of"), "{profile}");
}

#[test]
fn text_shows_instructions_and_lines() {
    let (profile, folder) = with_source();
    let text = profile.to_string().replace(folder.path().to_str().unwrap(), "{folder}");
    expect("source.txt", &text);
    // Where the source is not there, the operations are shown, and why.
    let text = profile_without_source().to_string();
    expect("operations.txt", &text);
}

#[test]
fn text_that_is_in_no_file_is_shown() {
    let (of_file, folder) = with_source();
    let of_cell = profile(verified(&scaled_sum("<cell>")), [16, 1, 1], &ARGS);
    let (file, cell) = (&of_file.listings()[0], &of_cell.listings()[0]);
    assert_eq!((cell.title.as_str(), &cell.note, &cell.lines), ("<cell>", &None, &file.lines));
    drop(folder);
}

fn profile_without_source() -> Profile {
    profile(verified(&scaled_sum("not/there.py")), [16, 1, 1], &ARGS)
}

#[test]
fn html_shows_the_same() {
    let (profile, folder) = with_source();
    let html = profile.html().replace(folder.path().to_str().unwrap(), "{folder}");
    assert!(html.contains("&lt;script&gt;") && !html.contains("<script"));
    expect("source.html", &html);
}

#[test]
fn stacks_go_from_the_kernel_to_operations() {
    let stacks = profile_without_source().flame_lines();
    expect("stacks.txt", &(stacks.join("\n") + "\n"));
    let svg = profile_without_source().flame_graph().unwrap();
    assert!(svg.contains("Profile of @k") && svg.contains("load_view_tko there.py:7"), "{svg}");
    assert_eq!(svg, profile_without_source().flame_graph().unwrap());
}

#[test]
fn sums_over_operations_and_lines_are_those_of_instructions() {
    let profile = profile_without_source();
    let close = |a: f64, b: f64| assert!((a - b).abs() <= 1e-9 * a.abs(), "{a} {b}");
    let total = &profile.total;
    for measures in [
        profile.instructions.iter().map(|one| one.measure).collect::<Vec<_>>(),
        profile.operations.iter().map(|one| one.measure).collect(),
        profile.lines.iter().map(|one| one.measure).collect(),
    ] {
        close(measures.iter().map(|measure| measure.seconds).sum(), total.seconds);
        close(measures.iter().map(|measure| measure.share).sum(), 1.0);
        assert_eq!(measures.iter().map(|measure| measure.read).sum::<u64>(), total.read);
        assert_eq!(measures.iter().map(|measure| measure.written).sum::<u64>(), total.written);
        assert_eq!(measures.iter().map(|measure| measure.flops).sum::<u64>(), total.flops);
    }
    assert_eq!((total.read, total.written), (16 * 3 * 4 * 64 * 4, 16 * 4 * 4));
    // Each element is scaled, exponentiated and combined; then rows are added up.
    assert_eq!(total.flops, 16 * 3 * (4 * 64 * 2 + 4 * 63 + 4));
    assert_eq!((total.bound, total.limit_seconds), (Some(Bound::Memory), (total.read + total.written) as f64 / LIMITS.bandwidth));
    close(total.of_limit.unwrap(), total.limit_seconds / profile.seconds);
}

#[test]
fn json_has_all_numbers() {
    let json = serde_json::to_value(profile_without_source()).unwrap();
    let operation = json["operations"].as_array().unwrap().iter().find(|operation| operation["operation"] == "exp").unwrap();
    assert_eq!((operation["count"].as_u64(), operation["flops"].as_u64()), (Some(48), Some(48 * 256)));
    assert_eq!(operation["source"], serde_json::json!({"file": "not/there.py", "line": 8, "column": 5}));
    assert!(operation["text"].as_str().unwrap().contains("exp"));
    for instruction in json["instructions"].as_array().unwrap() {
        for part in instruction["parts"].as_array().unwrap() {
            assert!(json["operations"][part["operation"].as_u64().unwrap() as usize].is_object());
        }
    }
}

#[test]
fn instructions_of_groups_are_told_from_those_of_blocks() {
    let grouped = |blocks: u32| {
        let options = LaunchOptions::new().group_blocks(GroupBlocks::Always);
        profile_with(verified(&scaled_sum("not/there.py")), [blocks, 1, 1], &ARGS, options)
    };
    let all = grouped(16);
    let text = all.to_string();
    assert!(text.starts_with("profile of @k: 16 blocks, all of them in groups, on 1 thread in "), "{text}");
    assert!(text.contains(" operations of groups x:16, which share the time:"), "{text}");
    // Fifteen are a group of eight, and seven that are left.
    let some = grouped(15);
    let text = some.to_string();
    assert!(text.starts_with("profile of @k: 15 blocks, 8 of them in groups, on 1 thread in "), "{text}");
    assert!(text.contains(" of groups x:8") && text.contains(" operations, which share the time:"), "{text}");
    assert!(some.html().contains("<p>15 blocks (15 × 1 × 1; 8 of them in groups)"));
    assert!(some.flame_lines().iter().any(|line| line.contains(" of groups x:8: ")));
    let alone = profile(verified(&scaled_sum("not/there.py")), [15, 1, 1], &ARGS);
    assert_eq!((some.total.read, some.total.written, some.total.flops), (alone.total.read, alone.total.written, alone.total.flops));
    let json = serde_json::to_value(&some).unwrap();
    let exp = json["operations"].as_array().unwrap().iter().find(|operation| operation["operation"] == "exp").unwrap();
    assert_eq!(exp["count"], 45);
    assert_eq!((&json["blocks_in_groups"], &json["instructions"][0]["group"]), (&8.into(), &Value::Null));
    assert_eq!(json["instructions"].as_array().unwrap().last().unwrap()["group"], "x:8");
    let trace = serde_json::to_value(some.trace()).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let of = |name: &str| events.iter().filter(|event| event["name"] == name).count();
    assert_eq!((of("8 blocks from (0, 0, 0)"), of("block (8, 0, 0)"), of("thread_name")), (1, 1, 1), "{trace}");
    assert!(events.iter().any(|event| event["args"]["group"] == "x:8"));
}

#[test]
fn traces_are_slices_that_nest() {
    let trace = serde_json::to_value(profile_without_source().trace()).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let mut open: Vec<(f64, &Value)> = Vec::new();
    let (mut blocks, mut instructions) = (0, 0);
    for event in events.iter().filter(|event| event["ph"] == "X") {
        let (begin, duration) = (event["ts"].as_f64().unwrap(), event["dur"].as_f64().unwrap());
        open.retain(|(end, _)| *end > begin + 1e-9);
        match event["cat"].as_str().unwrap() {
            "block" => {
                blocks += 1;
                assert!(open.is_empty(), "{event} inside of {open:?}");
            }
            _ => {
                instructions += 1;
                assert!(matches!(open[..], [(end, block)] if block["cat"] == "block" && begin + duration <= end + 1e-9), "{event}");
                assert!(!event["args"]["operations"].as_array().unwrap().is_empty());
            }
        }
        open.push((begin + duration, event));
    }
    assert!(blocks >= 16 && instructions > blocks, "{blocks} {instructions}");
    assert_eq!(events.iter().filter(|event| event["name"] == "thread_name").count(), 1);
    assert_eq!(trace["otherData"]["slices left out"], 0);
}

#[test]
fn a_trace_that_was_cut_off_says_so() {
    let loops = "entry @k(%p: tile<ptr<i32>>, %n: tile<i32>) {
      %zero = constant <i32: 0> : tile<i32>
      %one = constant <i32: 1> : tile<i32>
      for %i in (%zero to %n, step %one) : tile<i32> {
        %t = store_ptr_tko relaxed device %p, %i : tile<ptr<i32>>, tile<i32> -> token
        continue
      }
      return
    }";
    let profile = profile(verified(loops), [1, 1, 1], &["i32[1]", "i32:40000"]);
    let trace = serde_json::to_value(profile.trace()).unwrap();
    let note = trace["traceEvents"].as_array().unwrap().last().unwrap();
    assert!(note["ph"] == "i" && note["name"].as_str().unwrap().contains("slices are left out"), "{note}");
    assert!(trace["otherData"]["slices left out"].as_u64().unwrap() > 0);
}

/// Names that would act on a terminal or a page, and files that are none of source.
#[test]
fn nothing_of_a_module_acts_on_who_looks() {
    let folder = tempfile::tempdir().unwrap();
    let binary = folder.path().join("binary");
    fs::write(&binary, b"a\0b\n").unwrap();
    let short = folder.path().join("short.py");
    fs::write(&short, "one line\n").unwrap();
    let missing = folder.path().join("<img src=x>;\\1B[31m.py");
    let files =
        [("/dev/zero", "is not a file"), (folder.path().to_str().unwrap(), "is not a file"), (binary.to_str().unwrap(), "is not text")];
    let more = [(short.to_str().unwrap(), "it has changed"), (missing.to_str().unwrap(), "cannot be read")];
    for (file, why) in files.into_iter().chain(more) {
        if cfg!(not(unix)) {
            continue;
        }
        let profile = profile(verified(&scaled_sum(file)), [16, 1, 1], &ARGS);
        let [listing] = profile.listings() else { panic!("{file}: {:?}", profile.listings()) };
        assert!(listing.title.starts_with("Tile IR") && listing.note.as_ref().is_some_and(|note| note.contains(why)), "{listing:?}");
        let (text, html, svg) = (profile.to_string(), profile.html(), profile.flame_graph().unwrap());
        assert!([&text, &html].iter().all(|text| text.chars().all(|c| c == '\n' || is_printable(c))), "{text}");
        assert!(!html.contains("<img") && !svg.contains("<img") && !svg.contains('\x1b'));
    }
}

#[test]
fn the_command_prints_profiles_and_puts_them_into_reports() {
    let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/cases/softmax_rows");
    let run = |args: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tilewright"));
        let output =
            command.args(["run", "--threads", "2", "--repeat", "3", "--profile", "--case"]).arg(&case).args(args).output().unwrap();
        assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
        String::from_utf8(output.stdout).unwrap()
    };
    let text = run(&[]);
    assert!(text.contains("profile of @softmax_rows: 21 blocks in 3 launches on 2 threads in "), "{text}");
    assert!(text.contains("Tile IR of @softmax_rows"), "{text}");
    let json: Value = serde_json::from_str(&run(&["--json"])).unwrap();
    let profile = &json["profile"];
    assert_eq!((profile["launches"].as_u64(), profile["blocks"].as_u64(), profile["threads"].as_u64()), (Some(3), Some(21), Some(2)));
    let operations = profile["operations"].as_array().unwrap();
    let exp = operations.iter().find(|operation| operation["operation"] == "exp").unwrap();
    assert!(exp["flops"].as_u64().unwrap() > 0 && exp["count"].as_u64().unwrap() > 0);
}

#[test]
fn a_kernel_that_does_nothing_has_a_profile() {
    let profile = profile(verified("entry @k() { return }"), [1, 1, 1], &[]);
    assert!(profile.to_string().contains("profile of @k: 1 block on 1 thread"), "{profile}");
    assert_eq!((profile.total.bound, profile.total.of_limit), (None, None));
}
