//! Mistakes that are planted in what the compiler makes are noticed: each barrier that is left out, a wrong place in shared memory, fragments whose registers
//! are swapped, asynchronous copies that nobody waits for or that overwrite what is read give findings of the PTX machine or wrong results.

use tilewright_gpu::{Target, compile};
use tilewright_ir::verify;
use tilewright_ptx::machine::{LaunchOptions, Memory, Program};

/// Terms of a row.
const TERMS: usize = 128;

/// Adds up rows of a product of halves, in a loop of rounds of so many terms: changes of layout, `ldmatrix`, `mma.sync`, a reduction across warps. The right
/// factor is `%m`, or what is computed from it.
fn kernel(terms: usize, right: &str) -> String {
    let (a, b) = (format!("tensor_view<64x{TERMS}xf16, strides=[{TERMS},1]>"), format!("tensor_view<{TERMS}x64xf16, strides=[64,1]>"));
    format!(
        "entry @k(%p0: tile<ptr<f16>>) {{
            %p = assume div_by<16>, %p0 : tile<ptr<f16>>
            %far = constant <i32: {far}> : tile<i32>
            %q = offset %p, %far : tile<ptr<f16>>, tile<i32> -> tile<ptr<f16>>
            %r0 = offset %q, %far : tile<ptr<f16>>, tile<i32> -> tile<ptr<f16>>
            %r = ptr_to_ptr %r0 : tile<ptr<f16>> -> tile<ptr<f32>>
            %va = make_tensor_view %p, shape = [64, {TERMS}], strides = [{TERMS}, 1] : tile<ptr<f16>> -> {a}
            %vb = make_tensor_view %q, shape = [{TERMS}, 64], strides = [64, 1] : tile<ptr<f16>> -> {b}
            %vc = make_tensor_view %r, shape = [64], strides = [1] : tile<ptr<f32>> -> tensor_view<64xf32, strides=[1]>
            %pa = make_partition_view %va : partition_view<tile=(64x{terms}), {a}>
            %pb = make_partition_view %vb : partition_view<tile=({terms}x64), {b}>
            %pc = make_partition_view %vc : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
            %t = make_token : token
            %zero = constant <i32: 0> : tile<i32>
            %one = constant <i32: 1> : tile<i32>
            %count = constant <i32: {rounds}> : tile<i32>
            %nothing = constant <f32: 0.0> : tile<64x64xf32>
            %sum = for %k in (%zero to %count, step %one) : tile<i32> iter_values(%acc = %nothing) -> (tile<64x64xf32>) {{
                %l, %t1 = load_view_tko weak %pa[%zero, %k] token = %t : partition_view<tile=(64x{terms}), {a}>, tile<i32> -> tile<64x{terms}xf16>, token
                %m, %t2 = load_view_tko weak %pb[%k, %zero] token = %t : partition_view<tile=({terms}x64), {b}>, tile<i32> -> tile<{terms}x64xf16>, token
                %n = addf %m, %m : tile<{terms}x64xf16>
                %more = mmaf %l, {right}, %acc : tile<64x{terms}xf16>, tile<{terms}x64xf16>, tile<64x64xf32>
                continue %more : tile<64x64xf32>
            }}
            %rows = reduce %sum dim=1 identities=[0.0 : f32] : tile<64x64xf32> -> tile<64xf32> (%a: tile<f32>, %b: tile<f32>) {{
                %c = addf %a, %b : tile<f32>
                yield %c : tile<f32>
            }}
            %t3 = store_view_tko weak %rows, %pc[%zero] token = %t : tile<64xf32>, partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
            return
        }}",
        far = 64 * TERMS,
        rounds = TERMS / terms,
    )
}

/// The PTX of a kernel.
fn ptx(text: &str) -> String {
    let module = tilewright_text::parse(text, &tilewright_text::ParseOptions::new()).expect("the kernel's text");
    compile(&verify(module).expect("a valid kernel"), "k", Target::Sm80).expect("it is compiled").ptx()
}

/// PTX of a kernel whose right factor changes its layout through shared memory.
fn compiled() -> String {
    ptx(&kernel(32, "%n"))
}

/// PTX of a kernel both factors of which go through shared memory in four stages.
fn staged() -> String {
    let text = ptx(&kernel(16, "%m"));
    assert!(text.contains("cp.async.wait_group 2;"), "{text}");
    text
}

/// PTX of a kernel both factors of which are loaded one round ahead, because they are not aligned.
fn loaded_ahead() -> String {
    let text = ptx(&kernel(16, "%m").replace("div_by<16>", "div_by<2>"));
    assert!(!text.contains("cp.async"), "{text}");
    text
}

/// The sums of rows, or what the machine says against PTX, in one of a few orders of warps.
fn run(ptx: &str) -> Result<Vec<u8>, String> {
    let program = tilewright_ptx::parse(ptx).and_then(|module| Program::new(&module)).map_err(|error| error.to_string())?;
    let mut sums = None;
    for seed in 0..4 {
        // Whole numbers of at most 3, so sums are exact; no two rows or columns are alike.
        let halves = [0u16, 0x3c00, 0x4000, 0x4200];
        let number = |i: u32| halves[(i.wrapping_mul(2_654_435_761) >> 30) as usize];
        let mut bytes: Vec<u8> = (0..2 * 64 * TERMS as u32).flat_map(|i| number(i).to_le_bytes()).collect();
        bytes.resize(2 * 2 * 64 * TERMS + 4 * 64, 0);
        let mut memory = Memory::new();
        let buffer = memory.add(bytes);
        let address = memory.address(buffer);
        let options = LaunchOptions::new().seed(seed).limit(1_000_000);
        let report = program.launch("k", [1, 1, 1], &[address], &mut memory, &options).map_err(|error| error.to_string())?;
        if let Some(finding) = report.findings.first() {
            return Err(finding.to_string());
        }
        let found = memory.bytes(buffer)[2 * 2 * 64 * TERMS..].to_vec();
        if *sums.get_or_insert_with(|| found.clone()) != found {
            return Err("orders of warps differ".to_owned());
        }
    }
    Ok(sums.expect("it was run"))
}

/// Every line that begins so, each replaced once; an empty replacement leaves it out.
fn with_each_changed(ptx: &str, begin: &str, change: impl Fn(&str) -> String) -> Vec<String> {
    let lines: Vec<&str> = ptx.lines().collect();
    let is_meant = |n: &usize| lines[*n].trim_start().starts_with(begin);
    let changed =
        |n: usize| lines.iter().enumerate().map(|(i, line)| if i == n { change(line) } else { (*line).to_owned() } + "\n").collect();
    (0..lines.len()).filter(is_meant).map(changed).collect()
}

/// Every change is noticed.
fn all_noticed(what: &str, ptx: &str, changed: &[String]) {
    let right = run(ptx).expect("the kernel is right");
    assert!(!changed.is_empty(), "there is nothing to change: {what}");
    for (n, text) in changed.iter().enumerate() {
        assert_ne!(text, ptx, "{what} {n}");
        assert!(run(text).map_or(true, |found| found != right), "{what} {n} is not noticed:\n{text}");
    }
}

#[test]
fn every_barrier_that_is_left_out_is_noticed() {
    let ptx = compiled();
    let changed = with_each_changed(&ptx, "bar.sync", |_| String::new());
    assert!(changed.len() >= 3, "{} barriers", changed.len());
    all_noticed("barrier", &ptx, &changed);
    let ptx = loaded_ahead();
    let changed = with_each_changed(&ptx, "bar.sync", |_| String::new());
    assert!(changed.len() >= 2, "{} barriers", changed.len());
    all_noticed("barrier of what is loaded ahead", &ptx, &changed);
}

#[test]
fn mistakes_of_stages_are_noticed() {
    let ptx = staged();
    all_noticed("a barrier", &ptx, &with_each_changed(&ptx, "bar.sync", |_| String::new()));
    all_noticed("a wait", &ptx, &with_each_changed(&ptx, "cp.async.wait_group", |_| String::new()));
    // A group of the round's own may be under way, or a stage is one of three.
    all_noticed("a count", &ptx, &with_each_changed(&ptx, "cp.async.wait_group", |line| line.replace('2', "3")));
    all_noticed("a group", &ptx, &with_each_changed(&ptx, "cp.async.commit_group", |_| String::new()));
    all_noticed("a copy", &ptx, &with_each_changed(&ptx, "cp.async.cg", |_| String::new()));
    let guarded = with_each_changed(&ptx, "@%p", |line| if line.contains("cp.async") { String::new() } else { line.to_owned() });
    all_noticed("a copy of the loop", &ptx, &guarded.into_iter().filter(|text| *text != ptx).collect::<Vec<_>>());
    // A stage is 4096 bytes: the loop copies to the stage that it reads, or does not come to another one, or there are two.
    let stages = [("add.u32", "-4096", "0"), ("add.u32", "4096", "0"), ("and.b32", "16383", "8191")];
    for (begin, number, other) in stages {
        let wrong = |line: &str| line.replace(&format!(", {number};"), &format!(", {other};"));
        let changed = with_each_changed(&ptx, begin, wrong).into_iter().filter(|text| *text != ptx).collect::<Vec<_>>();
        all_noticed("a stage", &ptx, &changed);
    }
}

#[test]
fn wrong_places_in_shared_memory_are_noticed() {
    let ptx = compiled();
    for begin in ["st.shared", "ldmatrix", "ld.shared"] {
        // Another multiple of 16.
        let moved = |line: &str| if line.contains("+") { line.replace('+', "+16+") } else { line.replacen("]", "+16]", 1) };
        let changed: Vec<String> = with_each_changed(&ptx, begin, |line| sums_of_offsets(&moved(line)));
        all_noticed(begin, &ptx, &changed);
    }
}

/// Offsets that are sums, as numbers.
fn sums_of_offsets(line: &str) -> String {
    let Some((before, rest)) = line.split_once("+16+") else { return line.to_owned() };
    let (number, after) = rest.split_once(']').expect("an address ends");
    format!("{before}+{}]{after}", number.parse::<i32>().expect("an offset is a number") + 16)
}

#[test]
fn swapped_registers_of_fragments_are_noticed() {
    let ptx = compiled();
    // Of results and sums two that are in different rows, as the rows are summed.
    for (operand, [a, b]) in [(0, [1, 2]), (1, [0, 1]), (2, [0, 1]), (3, [1, 2])] {
        let swapped = |line: &str| {
            let begin = line.match_indices('{').nth(operand).expect("four operands").0 + 1;
            let end = begin + line[begin..].find('}').expect("a list ends");
            let mut registers: Vec<&str> = line[begin..end].split(", ").collect();
            registers.swap(a, b);
            format!("{}{}{}", &line[..begin], registers.join(", "), &line[end..])
        };
        all_noticed("mma.sync", &ptx, &with_each_changed(&ptx, "mma.sync", swapped));
    }
}
