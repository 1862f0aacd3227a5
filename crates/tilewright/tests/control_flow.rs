//! Random graphs of blocks: what the engine makes of the loops and branches that they become is what an interpreter makes of the graph.

use std::fmt::Write;
use tilewright::{
    bytecode,
    exec::{Arg, LaunchOptions, Memory, Program, launch},
    ir,
    text::{self, ParseOptions, PrintOptions},
};
use tilewright_oracle::Oracle;

/// How many graphs there are.
const GRAPHS: u64 = 400;

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// A step of a graph: x = x * factor + number + the x of a step that dominates this one, if there is one; then the steps left are counted.
struct Step {
    factor: i32,
    /// Where it goes, depending on a bit of x; the same twice for a jump. `None` stores x and returns.
    next: Option<(usize, usize, u32)>,
    /// Whether arguments are passed to it, or it is entered from one place only and takes what that has.
    takes: bool,
    from: Option<usize>,
}

/// A graph whose first step is the entry; `early`: how many steps it takes before it stops by itself.
struct Graph {
    steps: Vec<Step>,
    early: i32,
}

fn graph(random: &mut Random) -> Graph {
    let count = 1 + random.below(10);
    let mut steps: Vec<Step> = (0..count)
        .map(|_| {
            let target = |random: &mut Random| random.below(count);
            let next = match random.below(8) {
                0 => None,
                1 | 2 => {
                    let to = target(random);
                    Some((to, to, 0))
                }
                _ => Some((target(random), target(random), random.below(5) as u32)),
            };
            Step { factor: random.below(5) as i32 + 1, next, takes: true, from: None }
        })
        .collect();
    // A step that is entered by one edge only sees the values of the step before it.
    for step in 0..count {
        let edges: Vec<usize> = (0..count)
            .flat_map(|from| steps[from].next.into_iter().flat_map(move |(a, b, _)| [(from, a), (from, b)]))
            .filter(|&(_, to)| to == step)
            .map(|(from, _)| from)
            .collect();
        if let [from] = edges[..]
            && from != step
            && step != 0
            && random.below(3) > 0
        {
            (steps[step].takes, steps[step].from) = (false, Some(from));
        }
    }
    Graph { steps, early: 1 + random.below(40) as i32 }
}

/// What x and the trace are in the end.
fn interpret(graph: &Graph, x: i32) -> (i32, i32) {
    let (mut x, mut left, mut trace, mut step) = (x, graph.early, 0i32, 0);
    loop {
        let Step { factor, next, .. } = &graph.steps[step];
        x = x.wrapping_mul(*factor).wrapping_add(step as i32);
        trace = trace.wrapping_mul(31).wrapping_add(step as i32 + 1);
        left -= 1;
        let Some((then, other, bit)) = *next else { return (x, trace) };
        if left == 0 {
            return (x.wrapping_add(1), trace);
        }
        step = if x >> bit & 1 == 1 { then } else { other };
    }
}

/// The graph as text. Each step is two blocks; the second uses values of the first.
fn print(graph: &Graph, name: &str) -> String {
    let mut out = format!("entry @{name}(%a: tile<ptr<i32>>, %t: tile<ptr<i32>>) {{\n");
    for number in 0..32 {
        writeln!(out, "  %c{number} = constant <i32: {number}> : tile<i32>").unwrap();
    }
    writeln!(out, "  %start = load %a : tile<ptr<i32>> -> tile<i32>").unwrap();
    writeln!(out, "  %early = constant <i32: {}> : tile<i32>", graph.early).unwrap();
    let go = |to: usize, x: &str, left: &str| match graph.steps[to].takes {
        true => format!("^s{to}({x}, {left} : tile<i32>, tile<i32>)"),
        false => format!("^s{to}"),
    };
    writeln!(out, "  br {}", go(0, "%start", "%early")).unwrap();
    // Blocks stand where their values are defined before.
    let mut order = Vec::new();
    let mut stack = vec![0];
    let mut seen = vec![false; graph.steps.len()];
    while let Some(step) = stack.pop() {
        if !std::mem::replace(&mut seen[step], true) {
            order.push(step);
            stack.extend(graph.steps[step].next.into_iter().flat_map(|(a, b, _)| [a, b]));
        }
    }
    for step in order {
        let Step { factor, next, takes, from } = &graph.steps[step];
        let (x, left) = match from {
            Some(from) => (format!("%y{from}"), format!("%m{from}")),
            None => (format!("%x{step}"), format!("%l{step}")),
        };
        match takes {
            true => writeln!(out, "^s{step}({x}: tile<i32>, {left}: tile<i32>):").unwrap(),
            false => writeln!(out, "^s{step}:").unwrap(),
        }
        writeln!(out, "  %w{step} = muli {x}, %c{factor} : tile<i32>").unwrap();
        writeln!(out, "  %y{step} = addi %w{step}, %c{step} : tile<i32>").unwrap();
        writeln!(out, "  %m{step} = subi {left}, %c1 : tile<i32>").unwrap();
        writeln!(out, "  %t{step} = load %t : tile<ptr<i32>> -> tile<i32>").unwrap();
        writeln!(out, "  %u{step} = muli %t{step}, %c31 : tile<i32>").unwrap();
        writeln!(out, "  %v{step} = addi %u{step}, %c{} : tile<i32>", step + 1).unwrap();
        writeln!(out, "  store %t, %v{step} : tile<ptr<i32>>, tile<i32>").unwrap();
        let Some((then, other, bit)) = next else {
            writeln!(out, "  store %a, %y{step} : tile<ptr<i32>>, tile<i32>\n  return").unwrap();
            continue;
        };
        writeln!(out, "  %z{step} = cmpi equal %m{step}, %c0, signed : tile<i32> -> tile<i1>").unwrap();
        writeln!(out, "  cond_br %z{step}, ^stop(%y{step} : tile<i32>), ^t{step}\n^t{step}:").unwrap();
        let to = |to: usize| go(to, &format!("%y{step}"), &format!("%m{step}"));
        if then == other {
            writeln!(out, "  br {}", to(*then)).unwrap();
            continue;
        }
        writeln!(out, "  %p{step} = shri %y{step}, %c{bit} signed : tile<i32>").unwrap();
        writeln!(out, "  %q{step} = andi %p{step}, %c1 : tile<i32>").unwrap();
        writeln!(out, "  %r{step} = cmpi equal %q{step}, %c1, signed : tile<i32> -> tile<i1>").unwrap();
        writeln!(out, "  cond_br %r{step}, {}, {}", to(*then), to(*other)).unwrap();
    }
    out + "^stop(%stopped: tile<i32>):\n  %more = addi %stopped, %c1 : tile<i32>\n  store %a, %more : tile<ptr<i32>>, tile<i32>\n  return\n}\n"
}

#[test]
fn random_graphs_run_as_they_are_interpreted() {
    let mut kinds = [0; 3];
    for seed in 0..GRAPHS {
        let graph = graph(&mut Random(seed * 7919 + 1));
        let source = print(&graph, "k");
        let module = text::parse(&source, &ParseOptions::new())
            .unwrap_or_else(|errors| panic!("graph {seed}: {}\n{source}", errors[0].render(&source, "graph")));
        let printed = text::print(&module, &PrintOptions::new());
        let module = ir::verify(module).unwrap_or_else(|findings| panic!("graph {seed}: {}\n{source}\n{printed}", findings[0]));
        kinds[0] += usize::from(printed.contains("loop"));
        kinds[1] += usize::from(printed.contains("if "));
        kinds[2] += usize::from(printed.matches("loop ").count() > 1);
        let plan = Program::new(module).plan("k").expect("a plan");
        for x in [0, 1, 7, -3] {
            let mut memory = Memory::new();
            let buffers = [memory.add(i32::to_le_bytes(x).to_vec()), memory.add(vec![0; 4])];
            let args = buffers.map(|buffer| Arg::Pointer(memory.address(buffer)));
            let options = LaunchOptions::new().threads(1);
            launch(&plan, &mut memory, [1, 1, 1], &args, &options)
                .unwrap_or_else(|error| panic!("graph {seed}: {error}\n{source}\n{printed}"));
            let found = buffers.map(|buffer| i32::from_le_bytes(memory.bytes(buffer).try_into().expect("4 bytes")));
            assert_eq!((found[0], found[1]), interpret(&graph, x), "graph {seed}, x = {x}\n{source}\n{printed}");
        }
    }
    assert!(kinds.iter().all(|&count| count > 40), "graphs of all kinds: {kinds:?}");
}

/// What NVIDIA's compiler says of some of the graphs.
#[test]
fn random_graphs_compile_for_a_gpu() {
    let seeds: Vec<u64> = (0..if tilewright_oracle::is_exhaustive() { GRAPHS } else { 12 }).collect();
    let Some(oracle) = Oracle::or_skip(&format!("{} structured graphs through tileiras", seeds.len())) else { return };
    let failures = tilewright_oracle::failures(&seeds, |&seed| {
        let source = print(&graph(&mut Random(seed * 7919 + 1)), "k");
        let module = text::parse(&source, &ParseOptions::new()).expect("it parses");
        let module = ir::verify(module).expect("it is valid");
        let bytes = bytecode::write(&module, &bytecode::WriteOptions::new(module.version)).expect("bytecode");
        let answer = oracle.compile(&bytes, "sm_100");
        (!answer.accepted()).then(|| format!("graph {seed}: {}\n{source}", answer.stderr))
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
