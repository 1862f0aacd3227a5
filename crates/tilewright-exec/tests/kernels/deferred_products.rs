//! Products of loops that are computed several rounds together give the bits of one round after the other.

use crate::text::{buffer, program};
use tilewright_exec::{Access, AccessObserver, Arg, GroupBlocks, LaunchOptions, launch};
use tilewright_ir::Scalar;
use tilewright_kernels::{
    cpu::Level,
    mma::{self, MatmulKind, Shape},
};

/// A product of two matrices in tiles, of which blocks compute two times two.
#[derive(Clone, Copy, Debug)]
struct Product {
    /// Of a tile: rows and columns of sums, and what a round goes along `k`.
    shape: Shape,
    /// Of the factors; sums are `f32`, or `i32` of bytes.
    element: &'static str,
    /// What sums begin with.
    start: &'static str,
    form: Form,
}

/// What a loop does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// It computes the left factor and multiplies.
    One,
    /// It computes the right factor and multiplies twice, onto sums of their own.
    Two,
    /// It goes round inside of another one, which carries the sums.
    Nested,
}

/// How far both matrices go along `k`.
const LONG: usize = 32;

impl Product {
    fn kind(&self) -> MatmulKind {
        if self.element == "i8" {
            return MatmulKind::I32 { lhs_signed: true, rhs_signed: true };
        }
        MatmulKind::float(Scalar::Bf16, Scalar::F32).unwrap()
    }

    /// `c = start + 2 * a * b` in the rounds from `%from` to `%upto`.
    fn text(&self) -> String {
        let Product { shape: Shape { m, n, k }, element, start, form } = *self;
        let (sum, add, multiply) = if element == "i8" { ("i32", "addi", "mmai") } else { ("f32", "addf", "mmaf") };
        let view = |name: &str, element: &str, (rows, columns): (usize, usize), (tile_rows, tile_columns): (usize, usize)| {
            let tensor = format!("tensor_view<{rows}x{columns}x{element}, strides=[{columns},1]>");
            let partition = format!("partition_view<tile=({tile_rows}x{tile_columns}), {tensor}>");
            let make = format!(
                "%{name}t = make_tensor_view %{name}, shape = [{rows}, {columns}], strides = [{columns}, 1] : {tensor}
                 %{name}v = make_partition_view %{name}t : {partition}\n"
            );
            (make, partition)
        };
        let (a, a_view) = view("a", element, (2 * m, k * LONG), (m, k));
        let (b, b_view) = view("b", element, (k * LONG, 2 * n), (k, n));
        let (c, c_view) = view("c", sum, (2 * m, 4 * n), (m, n));
        let (left, right, sums) = (format!("tile<{m}x{k}x{element}>"), format!("tile<{k}x{n}x{element}>"), format!("tile<{m}x{n}x{sum}>"));
        let signs = if element == "i8" { "signed signed " } else { "" };
        let double = |of: &str, tile: &str| format!("%twice = {add} %{of}, %{of} : {tile}\n");
        let product = |result: &str, x: &str, y: &str, acc: &str| {
            format!("%{result} = {multiply} %{x}, %{y}, %{acc} {signs}: {left}, {right}, {sums}\n")
        };
        let loads = format!(
            "%x, %t0 = load_view_tko weak %av[%i, %p] : {a_view}, tile<i32> -> {left}, token
             %y, %t1 = load_view_tko weak %bv[%p, %j] : {b_view}, tile<i32> -> {right}, token\n"
        );
        let one = |start: &str, result: &str| {
            format!(
                "%{result} = for %p in (%from to %upto, step %one) : tile<i32> iter_values(%acc = %{start}) -> ({sums}) {{
                   {loads} {} {} continue %next : {sums}
                 }}\n",
                double("x", &left),
                product("next", "twice", "y", "acc")
            )
        };
        let body = match form {
            Form::One => one("start", "sum") + "%other = addi %i, %i : tile<i32>\n",
            Form::Two => format!(
                "%sum, %more = for %p in (%from to %upto, step %one) : tile<i32> iter_values(%acc = %start, %acc2 = %start) -> ({sums}, {sums}) {{
                   {loads} {} {} {} continue %next, %next2 : {sums}, {sums}
                 }}\n",
                double("y", &right),
                product("next", "x", "twice", "acc"),
                product("next2", "x", "y", "acc2")
            ),
            Form::Nested => format!(
                "%sum = for %q in (%zero to %three, step %one) : tile<i32> iter_values(%outer = %start) -> ({sums}) {{
                   {} continue %inner : {sums}
                 }}\n",
                one("outer", "inner")
            ),
        };
        let more = if form == Form::Two { "%more" } else { "%sum" };
        format!(
            "entry @k(%a: tile<ptr<{element}>>, %b: tile<ptr<{element}>>, %c: tile<ptr<{sum}>>, %from: tile<i32>, %upto: tile<i32>) {{
               %i, %j, %z = get_tile_block_id : tile<i32>
               %zero = constant <i32: 0> : tile<i32>
               %one = constant <i32: 1> : tile<i32>
               %two = constant <i32: 2> : tile<i32>
               %three = constant <i32: 3> : tile<i32>
               %start = constant <{sum}: {start}> : {sums}
               {a} {b} {c} {body}
               %j2 = addi %j, %two : tile<i32>
               %t2 = store_view_tko weak %sum, %cv[%i, %j] : {sums}, {c_view}, tile<i32> -> token
               %t3 = store_view_tko weak {more}, %cv[%i, %j2] : {sums}, {c_view}, tile<i32> -> token
               return
             }}"
        )
    }

    /// Bytes of the matrices.
    fn bytes(&self) -> [usize; 3] {
        let (Shape { m, n, k }, size) = (self.shape, if self.element == "i8" { 1 } else { 2 });
        [2 * m * k * LONG * size, k * LONG * 2 * n * size, 2 * m * 4 * n * 4]
    }

    /// The sums of the rounds between these, of factors with these bytes.
    fn run(&self, factors: &[u8], rounds: [i32; 2], grid: [u32; 3], options: &LaunchOptions<'_>) -> Vec<u8> {
        let [a, b, c] = self.bytes();
        let (mut memory, all) = buffer(factors.iter().copied().chain(std::iter::repeat_n(0, c)).collect());
        let places = [0, a, a + b].map(|at| Arg::Pointer(memory.address(all) + at as u64));
        let numbers = rounds.map(|n| Arg::Scalar(Scalar::I32, u64::from(n.cast_unsigned())));
        let args: Vec<Arg> = places.into_iter().chain(numbers).collect();
        let plan = program(&self.text()).plan("k").unwrap();
        launch(&plan, &mut memory, grid, &args, options).unwrap_or_else(|error| panic!("{error}"));
        memory.bytes(all)[a + b..].to_vec()
    }

    /// Checks that the sums have the same bits whether rounds are computed together or one by one, which they are where somebody looks on, and whether
    /// blocks do or do not run in groups, of a column of the result or of a row.
    fn check(&self, factors: &[u8]) {
        let (all, row) = ([2, 2, 1], [1, 2, 1]);
        for (rounds, grid) in [([0, LONG as i32], all), ([3, 4], all), ([0, 0], all), ([1, 22], all), ([5, 21], all), ([2, 23], row)] {
            let run = |options: &LaunchOptions<'_>| self.run(factors, rounds, grid, options);
            let one_by_one = run(&LaunchOptions::new().observer(&Nobody));
            for (threads, when) in [(1, GroupBlocks::Never), (3, GroupBlocks::Never), (1, GroupBlocks::Always)] {
                let found = run(&LaunchOptions::new().threads(threads).group_blocks(when));
                assert!(found == one_by_one, "{self:?}, rounds {rounds:?}, grid {grid:?}, {threads} threads, groups {when:?}");
            }
            assert!(rounds[0] == rounds[1] || one_by_one.iter().any(|byte| *byte != 0));
        }
    }

    /// Whether the plan defers as many products as it should on this CPU.
    fn is_deferred(&self) -> bool {
        let text = program(&self.text()).plan_after("k", find("defer-products")).unwrap();
        let expected = if self.form == Form::Two { 2 } else { 1 };
        text.matches("finish_products").count() == expected && text.matches(" deferred ").count() == expected
    }
}

fn find(name: &str) -> &'static tilewright_exec::PlanPass {
    tilewright_exec::PLAN_PASSES.iter().find(|pass| pass.name == name).unwrap()
}

struct Nobody;

impl AccessObserver for Nobody {
    fn access(&self, _: &Access) {}
}

/// Pseudo-random numbers.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    fn below(&mut self, n: usize) -> usize {
        self.next() as usize % n
    }

    /// Factors of a product: any bytes, or `bf16` of either sign between 2^-15 and 2.
    fn factors(&mut self, product: &Product) -> Vec<u8> {
        let [a, b, _] = product.bytes();
        if product.element == "i8" {
            return (0..a + b).map(|_| self.next() as u8).collect();
        }
        let mut number = || (self.next() & 0x8000) as u16 | (112 + self.below(16) as u16) << 7 | (self.next() & 0x7f) as u16;
        (0..(a + b) / 2).flat_map(|_| number().to_le_bytes()).collect()
    }

    fn product(&mut self) -> Product {
        let element = ["bf16", "bf16", "i8"][self.below(3)];
        let ks: &[usize] = if element == "i8" { &[64, 128, 256] } else { &[16, 32, 64] };
        let shape = Shape { m: [8, 16, 32, 64][self.below(4)], n: [16, 32, 64, 128][self.below(4)], k: ks[self.below(3)] };
        let start = if element == "i8" { "-7" } else { ["0.0", "1.5", "1.0e-40", "-0.0"][self.below(4)] };
        Product { shape, element, start, form: [Form::One, Form::Two, Form::Nested][self.below(3)] }
    }
}

#[test]
fn rounds_that_are_computed_together_give_the_bits_of_one_after_the_other() {
    let mut numbers = Numbers(7);
    let mut deferred = 0;
    for _ in 0..40 {
        let product = numbers.product();
        let factors = numbers.factors(&product);
        product.check(&factors);
        let gains = mma::deferred(Level::best(), product.kind(), &product.shape) > 1;
        assert_eq!(gains, product.is_deferred(), "{product:?}\n{}", program(&product.text()).plan("k").unwrap());
        deferred += usize::from(gains);
    }
    let shape = Shape { m: 16, n: 16, k: 64 };
    assert!(deferred > 5 || mma::deferred(Level::best(), MatmulKind::I32 { lhs_signed: true, rhs_signed: true }, &shape) == 1);
}

#[test]
fn a_round_of_numbers_that_are_too_small_is_computed_behind_those_before() {
    let shape = Shape { m: 32, n: 64, k: 32 };
    for (start, form) in [("0.0", Form::One), ("1.0e-40", Form::One), ("0.0", Form::Two)] {
        let product = Product { shape, element: "bf16", start, form };
        let mut factors = Numbers(11).factors(&product);
        // A row of the right factor in the tenth round, and all of the left one in the last, which products with it make less than normal.
        let [a, ..] = product.bytes();
        let row = a + 2 * (9 * shape.k + 5) * 2 * shape.n;
        factors[row..row + 4 * shape.n].as_chunks_mut::<2>().0.iter_mut().for_each(|bytes| *bytes = 1u16.to_le_bytes());
        let columns = shape.k * LONG;
        for row in 0..2 * shape.m {
            let last = 2 * (row * columns + columns - shape.k);
            factors[last..last + 2 * shape.k].as_chunks_mut::<2>().0.iter_mut().for_each(|bytes| *bytes = 0x0080u16.to_le_bytes());
        }
        product.check(&factors);
    }
}

#[test]
fn infinite_numbers_stay_what_they_are() {
    let product = Product { shape: Shape { m: 32, n: 32, k: 32 }, element: "bf16", start: "0.0", form: Form::One };
    let mut factors = Numbers(13).factors(&product);
    // In the left factor's second round: an infinite number in the first row, and both in the third.
    let columns = product.shape.k * LONG;
    for (row, column, bits) in [(0, 33, 0x7f80u16), (2, 34, 0x7f80), (2, 35, 0xff80), (4, 36, 0x7fc0)] {
        let at = 2 * (row * columns + column);
        factors[at..at + 2].copy_from_slice(&bits.to_le_bytes());
    }
    product.check(&factors);
}
