//! Reductions and scans of several operands, with combiners of the user's, along each dimension: each combines what it should, in its order.

use crate::text::{buffer, ints, program};
use tilewright_exec::{Arg, LaunchOptions, launch};

/// Combines two pairs of numbers, so that neither order nor grouping can be changed; reads a number from outside.
const ODD: (&str, Combine) = (
    "%a3 = muli %a, %k : tile<i32>
      %b3 = subi %b, %q : tile<i32>
      %r = addi %a3, %b3 : tile<i32>
      %p5 = shli %p, %k : tile<i32>
      %s = xori %p5, %b : tile<i32>",
    |[a, p], [b, q]| [a.wrapping_mul(3).wrapping_add(b.wrapping_sub(q)), (p << 3) ^ b],
);

/// Steps of `x -> a x + p`, one after the other.
const LINEAR: (&str, Combine) = (
    "%r = muli %a, %b : tile<i32>
      %pb = muli %p, %b : tile<i32>
      %s = addi %pb, %q : tile<i32>",
    |[a, p], [b, q]| [a.wrapping_mul(b), p.wrapping_mul(b).wrapping_add(q)],
);

/// The second number is made of second numbers alone, as counts are.
const COUNTING: (&str, Combine) = (
    "%a3 = muli %a, %k : tile<i32>
      %b3 = subi %b, %q : tile<i32>
      %r = addi %a3, %b3 : tile<i32>
      %p5 = shli %p, %k : tile<i32>
      %s = addi %p5, %q : tile<i32>",
    |[a, p], [b, q]| [a.wrapping_mul(3).wrapping_add(b.wrapping_sub(q)), (p << 3).wrapping_add(q)],
);

type Combine = fn([i32; 2], [i32; 2]) -> [i32; 2];

/// What the second operand is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Second {
    Loaded,
    /// The same numbers in each row of the first dimension.
    Repeated,
    /// A number of the module.
    Known,
}

/// The number of the module.
const KNOWN: i32 = 7;

/// The tiles.
#[derive(Clone, Copy, Debug)]
struct Case {
    shape: [usize; 3],
    dim: usize,
    second: Second,
}

impl Case {
    fn text(self, fold: &str, region: &str, result: [usize; 3]) -> String {
        let of = |[a, e, b]: [usize; 3]| format!("{a}x{e}x{b}xi32");
        let (shape, folded) = (of(self.shape), of(result));
        let view = |[a, e, b]: [usize; 3]| format!("tensor_view<{a}x{e}x{b}xi32, strides=[{},{b},1]>", e * b);
        let tiles = |of: [usize; 3]| format!("partition_view<tile=({}x{}x{}), {}>", of[0], of[1], of[2], view(of));
        let make = |name: &str, [a, e, b]: [usize; 3]| {
            let (view, tiles) = (view([a, e, b]), tiles([a, e, b]));
            format!(
                "  %{name}v = make_tensor_view %{name}, shape = [{a}, {e}, {b}], strides = [{}, {b}, 1] : {view}
  %{name}s = make_partition_view %{name}v : {tiles}\n",
                e * b
            )
        };
        let [_, e, b] = self.shape;
        let second = if self.second == Second::Repeated { [1, e, b] } else { self.shape };
        let load = |value: &str, name: &str, shape: [usize; 3]| {
            let ([a, e, b], tiles) = (shape, tiles(shape));
            format!(
                "  {value}, %t{name} = load_view_tko weak %{name}s[%zero, %zero, %zero] : {tiles}, tile<i32> -> tile<{a}x{e}x{b}xi32>, token\n"
            )
        };
        let made = match self.second {
            Second::Loaded => String::new(),
            Second::Repeated => format!("  %y = broadcast %y1 : tile<1x{e}x{b}xi32> -> tile<{shape}>\n"),
            Second::Known => format!("  %y = constant <i32: {KNOWN}> : tile<{shape}>\n"),
        };
        let loaded = if self.second == Second::Loaded { "%y" } else { "%y1" };
        let results: Vec<String> =
            result.iter().enumerate().filter(|(d, n)| *d != self.dim || **n > 1).map(|(_, n)| n.to_string()).collect();
        let given = if fold.starts_with("reduce") { results.join("x") + "xi32" } else { shape.clone() };
        let mut text = "entry @k(%x0: tile<ptr<i32>>, %y0: tile<ptr<i32>>, %r0: tile<ptr<i32>>, %s0: tile<ptr<i32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %k = constant <i32: 3> : tile<i32>\n"
            .to_owned();
        text += &(make("x0", self.shape) + &make("y0", second) + &make("r0", result) + &make("s0", result));
        text += &(load("%x", "x0", self.shape) + &load(loaded, "y0", second) + &made);
        text += &format!(
            "  %f, %g = {fold} identities=[0 : i32, 0 : i32] : tile<{shape}>, tile<{shape}> -> tile<{given}>, tile<{given}>
    (%a: tile<i32>, %b: tile<i32>, %p: tile<i32>, %q: tile<i32>) {{
      {region}
      yield %r, %s : tile<i32>, tile<i32>
    }}
  %f1 = reshape %f : tile<{given}> -> tile<{folded}>
  %g1 = reshape %g : tile<{given}> -> tile<{folded}>\n"
        );
        for (value, name) in [("%f1", "r0"), ("%g1", "s0")] {
            text += &format!(
                "  %t{name} = store_view_tko weak {value}, %{name}s[%zero, %zero, %zero] : tile<{folded}>, {}, tile<i32> -> token\n",
                tiles(result)
            );
        }
        text + "  return\n}"
    }

    /// Compares what the engine gives with what `fold` makes of the pairs along each line of the dimension.
    fn check(self, operation: &str, (region, combine): (&str, Combine), fold: fn(Vec<[i32; 2]>, Combine) -> Vec<[i32; 2]>) {
        let [a, e, b] = self.shape;
        let number = |i: usize| (i as i32 + 3).wrapping_mul(0x2545_f491) >> 5;
        let second = |i: usize| match self.second {
            Second::Loaded => number(1000 + i),
            Second::Repeated => number(1000 + i % (e * b)),
            Second::Known => KNOWN,
        };
        let n = a * e * b;
        let strides = [e * b, b, 1];
        let extent = self.shape[self.dim];
        let mut result = self.shape;
        if operation.starts_with("reduce") {
            result[self.dim] = 1;
        }
        let into = [result[1] * result[2], result[2], 1];
        let mut expected = vec![[0; 2]; result.iter().product()];
        let lines = (0..n).filter(|i| i / strides[self.dim] % extent == 0);
        for first in lines {
            let pairs = (0..extent).map(|k| first + k * strides[self.dim]).map(|i| [number(i), second(i)]).collect();
            let position: [usize; 3] = std::array::from_fn(|d| first / strides[d] % self.shape[d]);
            let to: usize = position.iter().zip(into).map(|(i, stride)| i * stride).sum();
            for (k, pair) in fold(pairs, combine).into_iter().enumerate() {
                expected[to + k * into[self.dim]] = pair;
            }
        }
        let counts = [n, if self.second == Second::Repeated { e * b } else { n }, expected.len(), expected.len()];
        let numbers: Vec<i32> = (0..n).map(number).chain((0..counts[1]).map(second)).chain(vec![0; 2 * expected.len()]).collect();
        let (mut memory, all) = buffer(numbers.into_iter().flat_map(i32::to_le_bytes).collect());
        let starts = [0, n, n + counts[1], n + counts[1] + counts[2]];
        let args = starts.map(|start| Arg::Pointer(memory.address(all) + 4 * start as u64));
        let operation = format!("{operation} %x, %y dim={}", self.dim);
        let operation = if operation.starts_with("scan") { operation + " reverse=false" } else { operation };
        let text = self.text(&operation, region, result);
        launch(&program(&text).plan("k").unwrap(), &mut memory, [1; 3], &args, &LaunchOptions::new().threads(1)).unwrap();
        let found = ints(memory.bytes(all));
        let pairs: Vec<[i32; 2]> = found[starts[2]..starts[3]].iter().zip(&found[starts[3]..]).map(|(f, g)| [*f, *g]).collect();
        assert_eq!(pairs, expected, "{self:?} {operation}");
    }
}

/// The upper half is combined into the lower one until one is left.
fn tree(mut pairs: Vec<[i32; 2]>, combine: Combine) -> Vec<[i32; 2]> {
    while pairs.len() > 1 {
        let upper = pairs.split_off(pairs.len() / 2);
        pairs.iter_mut().zip(upper).for_each(|(lower, upper)| *lower = combine(*lower, upper));
    }
    pairs
}

fn prefixes(mut pairs: Vec<[i32; 2]>, combine: Combine) -> Vec<[i32; 2]> {
    for i in 1..pairs.len() {
        pairs[i] = combine(pairs[i - 1], pairs[i]);
    }
    pairs
}

fn cases() -> impl Iterator<Item = Case> {
    let shapes = [[1, 1024, 1], [4, 256, 1], [1, 8, 64], [2, 16, 8], [8, 2, 32], [1, 4, 1], [16, 1, 16], [2, 128, 4], [32, 64, 16]];
    let seconds = [Second::Loaded, Second::Repeated, Second::Known];
    shapes.into_iter().flat_map(move |shape| (0..3).flat_map(move |dim| seconds.map(|second| Case { shape, dim, second })))
}

#[test]
fn reductions_are_trees_of_halves_along_each_dimension() {
    cases().for_each(|case| case.check("reduce", ODD, tree));
    cases().for_each(|case| case.check("reduce", COUNTING, tree));
}

#[test]
fn scans_give_all_prefixes_along_each_dimension() {
    cases().for_each(|case| case.check("scan", LINEAR, prefixes));
}
