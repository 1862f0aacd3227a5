//! Random kernels: those that are built to be correct are silent, and of mistakes that are planted in them, the checker reports each.
//!
//! A kernel is a row of fragments, each of which works on memory of its own. A fragment knows the mistakes that can be made in it, as changes of its text,
//! and the rule that each breaks. `PROGRAMS=n` tries as many kernels, `SEED=n` only the one with this number.

use std::{
    collections::BTreeMap,
    env,
    io::{self, Write as _},
};
use tilewright_check::{CheckOptions, Checker, Report};
use tilewright_exec::{Arg, LaunchOptions, Memory};
use tilewright_text::{ParseOptions, parse};

/// How many kernels a run tries.
const PROGRAMS: u64 = 1500;
/// Elements of memory for each fragment.
const REGION: u64 = 64;
/// Fragments of a kernel, at most.
const MOST: u64 = 6;

/// SplitMix64.
struct Choices(u64);

impl Choices {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize]
    }
}

/// A mistake: what stands in the text, what stands there then, and the rules that it breaks, one of which is reported.
struct Mistake {
    kind: &'static str,
    from: String,
    to: String,
    breaks: &'static [&'static str],
}

struct Fragment {
    text: String,
    mistakes: Vec<Mistake>,
}

impl Fragment {
    fn new(text: String) -> Fragment {
        Fragment { text, mistakes: Vec::new() }
    }

    /// Adds a mistake, which changes one place of the text.
    fn or(mut self, kind: &'static str, from: &str, to: &str, breaks: &'static [&'static str]) -> Fragment {
        assert_eq!(self.text.matches(from).count(), 1, "'{from}' stands once in\n{}", self.text);
        self.mistakes.push(Mistake { kind, from: from.to_owned(), to: to.to_owned(), breaks });
        self
    }
}

const CUT: &str = "a token edge cut";
const WEAKENED: &str = "an order weakened";
const PROMISE: &str = "a promise falsified";
const DROPPED: &str = "an initialisation dropped";
const BOUNDS: &str = "a bound exceeded";
const PLACES: &str = "places made equal";

/// Pointers of a block into the region of a fragment: `%ID_p`, one or several elements of the block's own.
fn own(id: u64, buffer: &str, lanes: u64) -> String {
    let base = id * REGION;
    if lanes == 1 {
        return format!(
            "%p{id}_base = constant <i32: {base}> : tile<i32>
             %p{id}_at = addi %p{id}_base, %x : tile<i32>
             %p{id} = offset %{buffer}, %p{id}_at : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>\n"
        );
    }
    format!(
        "%p{id}_n = constant <i32: {lanes}> : tile<i32>
         %p{id}_start = muli %x, %p{id}_n : tile<i32>
         %p{id}_base = constant <i32: {base}> : tile<i32>
         %p{id}_first = addi %p{id}_base, %p{id}_start : tile<i32>
         %p{id}_f1 = reshape %p{id}_first : tile<i32> -> tile<1xi32>
         %p{id}_fs = broadcast %p{id}_f1 : tile<1xi32> -> tile<{lanes}xi32>
         %p{id}_lanes = iota : tile<{lanes}xi32>
         %p{id}_at = addi %p{id}_fs, %p{id}_lanes : tile<{lanes}xi32>
         %p{id}_b1 = reshape %{buffer} : tile<ptr<i32>> -> tile<1xptr<i32>>
         %p{id}_bs = broadcast %p{id}_b1 : tile<1xptr<i32>> -> tile<{lanes}xptr<i32>>
         %p{id} = offset %p{id}_bs, %p{id}_at : tile<{lanes}xptr<i32>>, tile<{lanes}xi32> -> tile<{lanes}xptr<i32>>\n"
    )
}

/// The types of tiles of pointers and of numbers.
fn types(lanes: u64) -> (String, String) {
    if lanes == 1 {
        ("tile<ptr<i32>>".to_owned(), "tile<i32>".to_owned())
    } else {
        (format!("tile<{lanes}xptr<i32>>"), format!("tile<{lanes}xi32>"))
    }
}

/// Stores and loads of one place, one after the other.
fn chain(id: u64, choices: &mut Choices) -> Fragment {
    let lanes = choices.pick(&[1, 4, 8]);
    let (ptr, int) = types(lanes);
    let mut text = own(id, "a", lanes);
    text += &format!("%v{id}_0 = constant <i32: 7> : {int}\n%t{id}_0 = store_ptr_tko weak %p{id}, %v{id}_0 : {ptr}, {int} -> token\n");
    let n = 1 + choices.below(4);
    for i in 1..=n {
        let last = 2 * i - 2;
        text += &format!(
            "%v{id}_{i}, %t{id}_{a} = load_ptr_tko weak %p{id} token=%t{id}_{last} : {ptr} -> {int}, token
             %t{id}_{b} = store_ptr_tko weak %p{id}, %v{id}_{i} token=%t{id}_{a} : {ptr}, {int} -> token\n",
            a = last + 1,
            b = last + 2
        );
    }
    let cut = 2 * choices.below(n) + choices.below(2);
    Fragment::new(text).or(CUT, &format!(" token=%t{id}_{cut} "), " ", &["token-order"])
}

/// A loop that hands a token on.
fn carried(id: u64, choices: &mut Choices) -> Fragment {
    let (lanes, rounds) = (choices.pick(&[1, 2, 8]), 2 + choices.below(3));
    let (ptr, int) = types(lanes);
    let mut text = own(id, "a", lanes);
    text += &format!(
        "%n{id} = constant <i32: {rounds}> : tile<i32>
         %s{id} = make_token : token
         %e{id} = for %i{id} in (%zero to %n{id}, step %one) : tile<i32> iter_values(%c{id} = %s{id}) -> (token) {{
           %v{id}, %t{id} = load_ptr_tko weak %p{id} token=%c{id} : {ptr} -> {int}, token
           %w{id} = addi %v{id}, %v{id} : {int}
           %u{id} = store_ptr_tko weak %p{id}, %w{id} token=%t{id} : {ptr}, {int} -> token
           continue %u{id} : token
         }}\n"
    );
    Fragment::new(text)
        .or(CUT, &format!(" token=%c{id} "), " ", &["token-order"])
        .or(CUT, &format!(" token=%t{id} "), " ", &["token-order"])
        .or(CUT, &format!("continue %u{id} "), &format!("continue %s{id} "), &["token-order"])
}

/// Additions to a place that all blocks share.
fn shared(id: u64, _: &mut Choices) -> Fragment {
    let base = id * REGION;
    let text = format!(
        "%b{id} = constant <i32: {base}> : tile<i32>
         %p{id} = offset %a, %b{id} : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
         %o{id}, %t{id} = atomic_rmw_tko relaxed device %p{id}, add, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>, token\n"
    );
    Fragment::new(text).or(WEAKENED, "relaxed device", "relaxed tl_blk", &["narrow-scope"]).or(
        WEAKENED,
        &format!("%o{id}, %t{id} = atomic_rmw_tko relaxed device %p{id}, add, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>, token"),
        &format!("%t{id} = store_ptr_tko weak %p{id}, %one : tile<ptr<i32>>, tile<i32> -> token"),
        &["data-race"],
    )
}

/// Block 0 tells the others that its data is there.
fn mailbox(id: u64, choices: &mut Choices) -> Fragment {
    let (data, flag) = (id * REGION, id * REGION + 1);
    let scope = choices.pick(&["device", "sys"]);
    let text = format!(
        "%b{id} = constant <i32: {data}> : tile<i32>
         %c{id} = constant <i32: {flag}> : tile<i32>
         %d{id} = offset %a, %b{id} : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
         %f{id} = offset %a, %c{id} : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
         if %first {{
           %t{id} = store_ptr_tko weak %d{id}, %one : tile<ptr<i32>>, tile<i32> -> token
           %u{id} = store_ptr_tko release {scope} %f{id}, %one token=%t{id} : tile<ptr<i32>>, tile<i32> -> token
         }} else {{
           %w{id} = loop : token {{
             %g{id}, %q{id} = load_ptr_tko acquire {scope} %f{id} : tile<ptr<i32>> -> tile<i32>, token
             %r{id} = cmpi equal %g{id}, %one, signed : tile<i32> -> tile<i1>
             if %r{id} {{
               break %q{id} : token
             }}
             continue
           }}
           %v{id}, %z{id} = load_ptr_tko weak %d{id} token=%w{id} : tile<ptr<i32>> -> tile<i32>, token
         }}\n"
    );
    let scoped = |order: &str| format!("{order} {scope}");
    Fragment::new(text)
        .or(WEAKENED, &scoped("release"), &scoped("relaxed"), &["data-race"])
        .or(WEAKENED, &scoped("acquire"), &scoped("relaxed"), &["data-race"])
        .or(WEAKENED, &scoped("release"), "release tl_blk", &["data-race", "narrow-scope"])
        .or(WEAKENED, &scoped("acquire"), "acquire tl_blk", &["data-race", "narrow-scope"])
        .or(CUT, &format!(" token=%t{id} "), " ", &["data-race"])
        .or(CUT, &format!(" token=%w{id} "), " ", &["data-race"])
}

/// A spin lock around a sum.
fn lock(id: u64, _: &mut Choices) -> Fragment {
    let (data, flag) = (id * REGION, id * REGION + 1);
    let text = format!(
        "%b{id} = constant <i32: {data}> : tile<i32>
         %c{id} = constant <i32: {flag}> : tile<i32>
         %d{id} = offset %a, %b{id} : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
         %f{id} = offset %a, %c{id} : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
         %w{id} = loop : token {{
           %g{id}, %q{id} = atomic_cas_tko acquire device %f{id}, %zero, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
           %r{id} = cmpi equal %g{id}, %zero, signed : tile<i32> -> tile<i1>
           if %r{id} {{
             break %q{id} : token
           }}
           continue
         }}
         %v{id}, %t{id} = load_ptr_tko weak %d{id} token=%w{id} : tile<ptr<i32>> -> tile<i32>, token
         %n{id} = addi %v{id}, %one : tile<i32>
         %u{id} = store_ptr_tko weak %d{id}, %n{id} token=%t{id} : tile<ptr<i32>>, tile<i32> -> token
         %o{id}, %y{id} = atomic_rmw_tko release device %f{id}, xchg, %zero token=%u{id} : tile<ptr<i32>>, tile<i32> -> tile<i32>, token\n"
    );
    Fragment::new(text)
        .or(WEAKENED, "acquire device", "relaxed device", &["data-race"])
        .or(WEAKENED, "release device", "relaxed device", &["data-race"])
        .or(CUT, &format!(" token=%w{id} "), " ", &["data-race"])
        .or(CUT, &format!(" token=%u{id} "), " ", &["data-race"])
        .or(CUT, &format!(" token=%t{id} "), " ", &["token-order", "data-race"])
}

/// Promises about numbers.
fn promise(id: u64, choices: &mut Choices) -> Fragment {
    let (n, big) = (2 << choices.below(4), 8 + 8 * choices.below(100));
    let text = format!(
        "%i{id} = iota : tile<{n}xi32>
         %m{id} = assume bounded<0, {most}>, %i{id} : tile<{n}xi32>
         %k{id} = constant <i32: {big}> : tile<i32>
         %l{id} = assume div_by<8>, %k{id} : tile<i32>
         %ones{id} = constant <i32: 1> : tile<{n}xi32>
         %s{id} = addi %m{id}, %i{id} overflow<no_wrap> : tile<{n}xi32>\n",
        most = n - 1,
    );
    let bounded = format!("bounded<0, {}>", n - 1);
    Fragment::new(text)
        .or(PROMISE, &bounded, &format!("bounded<0, {}>", n - 2), &["false-assumption"])
        .or(PROMISE, &bounded, &format!("bounded<1, {}>", n - 1), &["false-assumption"])
        .or(PROMISE, &format!("%s{id} = addi %m{id}, %i{id} "), &format!("%s{id} = subi %m{id}, %ones{id} "), &["false-overflow"])
        .or(PROMISE, &format!("<i32: {big}>"), &format!("<i32: {}>", big + 1), &["false-assumption"])
}

/// Memory that is written before it is read: of the caller, or of the block.
fn written(id: u64, choices: &mut Choices) -> Fragment {
    let local = choices.below(2) == 0;
    let mut text = own(id, "a", 1);
    text += &if local {
        format!("%q{id} = alloca num_elem = 1, alignment = 4 : tile<ptr<i32>>\n")
    } else {
        let base = id * REGION;
        format!(
            "%b{id} = constant <i32: {base}> : tile<i32>
             %c{id} = addi %b{id}, %x : tile<i32>
             %q{id} = offset %u, %c{id} : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>\n"
        )
    };
    let store = format!("%t{id} = store_ptr_tko weak %q{id}, %one : tile<ptr<i32>>, tile<i32> -> token");
    text += &format!(
        "{store}
         %v{id}, %r{id} = load_ptr_tko weak %q{id} token=%t{id} : tile<ptr<i32>> -> tile<i32>, token
         %w{id} = addi %v{id}, %one : tile<i32>
         %s{id} = store_ptr_tko weak %p{id}, %w{id} token=%r{id} : tile<ptr<i32>>, tile<i32> -> token\n"
    );
    Fragment::new(text).or(DROPPED, &store, &format!("%t{id} = make_token : token"), &["undefined-stored"]).or(
        CUT,
        &format!(" token=%t{id} "),
        " ",
        &["token-order"],
    )
}

/// A tile that hangs over the edge of a tensor.
fn edge(id: u64, choices: &mut Choices) -> Fragment {
    let extent = 9 + choices.below(6);
    let base = id * REGION;
    let tensor = format!("tensor_view<{extent}xi32, strides=[1]>");
    let view = format!("partition_view<tile=(8), padding_value = zero, {tensor}>");
    let text = format!(
        "%b{id} = constant <i32: {base}> : tile<i32>
         %p{id} = offset %a, %b{id} : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
         %n{id} = make_tensor_view %p{id}, shape = [{extent}], strides = [1] : tile<ptr<i32>> -> {tensor}
         %w{id} = make_partition_view %n{id} : {view}
         %v{id}, %t{id} = load_view_tko weak %w{id}[%one] : {view}, tile<i32> -> tile<8xi32>, token\n"
    );
    let index = format!("%w{id}[%one]");
    Fragment::new(text)
        .or(PROMISE, &index, &format!("%w{id}[%one] inbounds = [true]"), &["false-inbounds"])
        .or(BOUNDS, &index, &format!("%w{id}[%two]"), &["view-index"])
        .or(BOUNDS, &format!("offset %a, %b{id}"), "offset %a, %far", &["out-of-bounds"])
}

/// A scatter.
fn scatter(id: u64, choices: &mut Choices) -> Fragment {
    let mask = 1 + choices.below(7);
    let mut text = own(id, "a", 8);
    text += &format!(
        "%k{id} = constant <i32: {mask}> : tile<8xi32>
         %i{id} = xori %p{id}_lanes, %k{id} : tile<8xi32>
         %j{id} = addi %p{id}_fs, %i{id} : tile<8xi32>
         %q{id} = offset %p{id}_bs, %j{id} : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
         %t{id} = store_ptr_tko weak %q{id}, %i{id} : tile<8xptr<i32>>, tile<8xi32> -> token\n"
    );
    let andi = if mask == 7 { "= ori %p" } else { "= andi %p" };
    Fragment::new(text).or(PLACES, "= xori %p", andi, &["same-element"])
}

type Make = fn(u64, &mut Choices) -> Fragment;
const FRAGMENTS: [Make; 9] = [chain, carried, shared, mailbox, lock, promise, written, edge, scatter];

struct Kernel {
    fragments: Vec<Fragment>,
    blocks: u32,
}

impl Kernel {
    fn new(seed: u64) -> Kernel {
        let mut choices = Choices(seed);
        let n = 1 + choices.below(MOST);
        let fragments = (0..n).map(|id| choices.pick(&FRAGMENTS)(id, &mut choices)).collect();
        Kernel { fragments, blocks: 2 + choices.below(4) as u32 }
    }

    /// The text, with a mistake in one of the fragments.
    fn text(&self, mistake: Option<(usize, &Mistake)>) -> String {
        let mut text = "entry @k(%a: tile<ptr<i32>>, %u: tile<ptr<i32>>) {
            %x, %y, %z = get_tile_block_id : tile<i32>
            %zero = constant <i32: 0> : tile<i32>
            %one = constant <i32: 1> : tile<i32>
            %two = constant <i32: 2> : tile<i32>
            %far = constant <i32: 100000> : tile<i32>
            %first = cmpi equal %x, %zero, signed : tile<i32> -> tile<i1>\n"
            .to_owned();
        for (i, fragment) in self.fragments.iter().enumerate() {
            text += &match mistake {
                Some((at, mistake)) if at == i => fragment.text.replacen(&mistake.from, &mistake.to, 1),
                _ => fragment.text.clone(),
            };
        }
        text + "return\n}\n"
    }

    fn check(&self, text: &str) -> Report {
        let module = parse(text, &ParseOptions::new()).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0].render(text, "kernel")));
        let module = tilewright_ir::verify(module).unwrap_or_else(|findings| panic!("{}\n{text}", findings[0]));
        let mut memory = Memory::new();
        let bytes = (MOST * REGION * 4) as usize;
        let buffers = [memory.add(vec![0; bytes]), memory.add(vec![0; bytes])];
        let args = buffers.map(|buffer| Arg::Pointer(memory.address(buffer)));
        let options = CheckOptions::new().uninitialised([1]);
        Checker::new(module).check("k", &mut memory, [self.blocks, 1, 1], &args, &options, &LaunchOptions::new()).unwrap()
    }
}

fn rules(report: &Report) -> Vec<&'static str> {
    report.findings.iter().map(|finding| finding.rule.id).collect()
}

#[test]
fn correct_kernels_are_silent_and_planted_mistakes_are_found() {
    let number = |name: &str| env::var(name).ok().map(|text| text.parse::<u64>().expect("a number"));
    let seeds = match number("SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("PROGRAMS").unwrap_or(PROGRAMS),
    };
    // By kind of mistake: how many were planted, and how many were reported.
    let mut tried: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    let mut missed = Vec::new();
    for seed in seeds {
        let kernel = Kernel::new(seed);
        let text = kernel.text(None);
        let report = kernel.check(&text);
        assert!(report.is_clean(), "seed {seed}: {:#?}\n{text}", report.findings);
        let mut choices = Choices(!seed);
        let at = choices.below(kernel.fragments.len() as u64) as usize;
        let mistakes = &kernel.fragments[at].mistakes;
        let mistake = &mistakes[choices.below(mistakes.len() as u64) as usize];
        let text = kernel.text(Some((at, mistake)));
        let found = rules(&kernel.check(&text));
        let (planted, reported) = tried.entry(mistake.kind).or_default();
        *planted += 1;
        if found.iter().any(|rule| mistake.breaks.contains(rule)) {
            *reported += 1;
        } else {
            missed.push(format!("seed {seed}, {}: '{}' became '{}', found {found:?}", mistake.kind, mistake.from, mistake.to));
        }
    }
    writeln!(io::stdout(), "planted and reported: {tried:?}").expect("the output can be written");
    assert!(missed.is_empty(), "{} mistakes were missed, of {tried:?}:\n{}", missed.len(), missed[..missed.len().min(20)].join("\n"));
}
