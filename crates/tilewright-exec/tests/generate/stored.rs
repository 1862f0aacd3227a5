//! Programs for passes on memory and control flow: stores and loads of few places, some of which overlap, all in one chain of tokens;
//! loads of the input in loops, and of nothing where they are never reached; operations in both orders, and conditions with their
//! opposites; branches on the induction variable and on one condition; loops with several ways on; divisions, masks and assertions that
//! ranges decide; reductions that are equal.

use super::{Choices, Program};
use crate::regular::Combination;
use std::fmt::Write;
use tilewright_ir::{Scalar, verify};
use tilewright_text::{ParseOptions, parse};

/// Elements of a tile.
const LANES: usize = 4;
/// Elements that a block works on, and stores its values behind.
const ELEMENTS: usize = 16;
/// The most values that are stored in the end.
const KEPT: usize = 10;
const TILE: &str = "tile<4xi32>";
const POINTERS: &str = "tile<4xptr<i32>>";
/// Views of the elements: those of the second pad what lies behind their end.
const VIEWS: [&str; 2] = [
    "partition_view<tile=(4), tensor_view<14xi32, strides=[1]>>",
    "partition_view<tile=(4), padding_value = zero, tensor_view<14xi32, strides=[1]>>",
];

/// What assertions say that do not hold.
pub(crate) const BROKEN: &str = "it does not hold";

/// A program of stores and loads.
pub(crate) fn stored_program(choices: &mut Choices, _: &[Vec<Combination>]) -> Program {
    written(choices, false)
}

/// A program of stores and loads with assertions that do not hold, but may not be reached.
pub(crate) fn stopped_program(choices: &mut Choices, _: &[Vec<Combination>]) -> Program {
    written(choices, true)
}

fn written(choices: &mut Choices, stops: bool) -> Program {
    let grid = [1 + choices.below(2) as u32, 1, 1];
    let n = choices.below(6) as u64;
    let mut writer =
        Writer { choices, text: String::new(), next: 0, values: vec!["count".to_owned(), "given".to_owned()], depth: 0, given: n, stops };
    let mut token = "start".to_owned();
    for _ in 0..2 + writer.choices.below(9) {
        token = writer.statement(token, None);
    }
    writer.keep(token);
    let text = format!("{}{}return\n}}", head(), writer.text);
    let module = parse(&text, &ParseOptions::new()).unwrap_or_else(|errors| panic!("{}", errors[0].render(&text, "program")));
    let module = verify(module).unwrap_or_else(|findings| panic!("{}\n{text}", findings[0]));
    let input = (0..4 * ELEMENTS as u32).flat_map(|i| (i * 7 + 3).to_le_bytes()).collect();
    let output = 4 * grid[0] as usize * (ELEMENTS + KEPT * LANES);
    Program { module, input, output, grid, scalars: vec![(Scalar::I32, n)] }
}

/// What all programs begin with: places, masks, views and numbers.
fn head() -> String {
    let mut text = format!(
        "entry @k(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>, %raw: tile<i32>) {{
        %n = assume bounded<0, 5>, %raw : tile<i32>
        %zero = constant <i32: 0> : tile<i32>
        %one = constant <i32: 1> : tile<i32>
        %yes = constant <i1: 1> : tile<4xi1>
        %nowhere = constant <i64: 0> : tile<i64>
        %two = constant <i32: 2> : tile<i32>
        %three = constant <i32: 3> : tile<i32>
        %near = mini %n, %three signed : tile<i32>
        %size = constant <i32: {}> : tile<i32>
        %x, %y, %z = get_tile_block_id : tile<i32>
        %first = muli %x, %size : tile<i32>
        %base = offset %out, %first : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
        %count = iota : {TILE}
        %some = reshape %n : tile<i32> -> tile<1xi32>
        %given = broadcast %some : tile<1xi32> -> {TILE}
        %pad = constant <i32: 77> : {TILE}
        %four = constant <i32: 4> : {TILE}
        %below = cmpi less_than %count, %given, signed : {TILE} -> tile<4xi1>
        %all = cmpi less_than %count, %four, signed : {TILE} -> tile<4xi1>
        %even = trunci %count : {TILE} -> tile<4xi1>
        %c = cmpi less_than %n, %three, signed : tile<i32> -> tile<i1>
        %start = make_token : token
        %tensor = make_tensor_view %base, shape = [14], strides = [1] : tensor_view<14xi32, strides=[1]>\n",
        ELEMENTS + KEPT * LANES
    );
    for (i, view) in VIEWS.iter().enumerate() {
        let _ = writeln!(text, "%v{i} = make_partition_view %tensor : {view}");
    }
    for (name, base) in [("o", "base"), ("i", "in")] {
        let _ = writeln!(
            text,
            "%{name}r = reshape %{base} : tile<ptr<i32>> -> tile<1xptr<i32>>
            %{name}b = broadcast %{name}r : tile<1xptr<i32>> -> {POINTERS}
            %{name}s = offset %{name}b, %count : {POINTERS}, {TILE} -> {POINTERS}"
        );
        // The third place overlaps the first two.
        for (place, at) in [0, 4, 2, 9].into_iter().enumerate() {
            let _ = writeln!(
                text,
                "%{name}at{place} = constant <i32: {at}> : {TILE}
                %{name}{place} = offset %{name}s, %{name}at{place} : {POINTERS}, {TILE} -> {POINTERS}"
            );
        }
    }
    text
}

struct Writer<'a> {
    choices: &'a mut Choices,
    text: String,
    next: usize,
    /// Tiles that can be seen.
    values: Vec<String>,
    depth: usize,
    /// What the argument is.
    given: u64,
    /// Whether there may be assertions that do not hold.
    stops: bool,
}

impl Writer<'_> {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn name(&mut self) -> String {
        self.next += 1;
        format!("a{}", self.next)
    }

    fn value(&mut self) -> String {
        self.choices.pick(&self.values).clone()
    }

    fn define(&mut self, what: &str) {
        let name = self.name();
        self.line(&format!("%{name} = {what}"));
        self.values.push(name);
    }

    /// Writes a statement that comes after a token, and gives the token behind it. `counter` is the induction variable around it.
    fn statement(&mut self, token: String, counter: Option<&str>) -> String {
        match self.choices.below(17) {
            15 => return self.update(&token),
            16 => self.extended(),
            12 => self.product(),
            13 => self.both_ways(),
            14 => self.out_of_reach(),
            0..=2 => return self.store(&token),
            3..=5 => return self.load(&token),
            6 => self.arithmetic(),
            7 => self.input(),
            8 => self.reduction(),
            9 => self.assertion(counter),
            10 if self.depth < 3 => return self.branch(token, counter),
            _ if self.depth < 2 => return self.repetition(token),
            _ => self.arithmetic(),
        }
        token
    }

    fn mask(&mut self) -> Option<&'static str> {
        *self.choices.pick(&[None, None, Some("below"), Some("all"), Some("even")])
    }

    /// A view, and an index into its index space, which has four tiles.
    fn view(&mut self) -> (usize, &'static str) {
        (self.choices.below(2), *self.choices.pick(&["zero", "three", "one", "near"]))
    }

    fn store(&mut self, token: &str) -> String {
        let (value, after) = (self.value(), self.name());
        if self.choices.below(2) == 0 {
            let (place, mask) = (self.choices.below(4), self.mask());
            let (masked, of) = mask.map_or_else(Default::default, |mask| (format!(", %{mask}"), ", tile<4xi1>".to_owned()));
            self.line(&format!(
                "%{after} = store_ptr_tko weak %o{place}, %{value}{masked} token = %{token} : {POINTERS}, {TILE}{of} -> token"
            ));
        } else {
            let (view, index) = self.view();
            let ty = VIEWS[view];
            self.line(&format!(
                "%{after} = store_view_tko weak %{value}, %v{view}[%{index}] token = %{token} : {TILE}, {ty}, tile<i32> -> token"
            ));
        }
        after
    }

    fn load(&mut self, token: &str) -> String {
        let (value, after) = (self.name(), self.name());
        if self.choices.below(2) == 0 {
            let (place, mask) = (self.choices.below(4), self.mask());
            let (masked, of) = match (mask, self.choices.below(2)) {
                (None, _) => Default::default(),
                (Some(mask), 0) => (format!(", %{mask}"), ", tile<4xi1>".to_owned()),
                (Some(mask), _) => (format!(", %{mask}, %pad"), format!(", tile<4xi1>, {TILE}")),
            };
            self.line(&format!(
                "%{value}, %{after} = load_ptr_tko weak %o{place}{masked} token = %{token} : {POINTERS}{of} -> {TILE}, token"
            ));
        } else {
            let (view, index) = self.view();
            let ty = VIEWS[view];
            self.line(&format!(
                "%{value}, %{after} = load_view_tko weak %v{view}[%{index}] token = %{token} : {ty}, tile<i32> -> {TILE}, token"
            ));
        }
        self.values.push(value);
        after
    }

    /// An atomic addition, across which nothing is known.
    fn update(&mut self, token: &str) -> String {
        let (value, old, after, place) = (self.value(), self.name(), self.name(), self.choices.below(4));
        self.line(&format!(
            "%{old}, %{after} = atomic_rmw_tko relaxed tl_blk %o{place}, add, %{value} token = %{token} : {POINTERS}, {TILE} -> {TILE}, token"
        ));
        self.values.push(old);
        after
    }

    /// The lowest bits of a value, widened twice.
    fn extended(&mut self) {
        let (value, narrow, wider) = (self.value(), self.name(), self.name());
        let [first, second] = [(); 2].map(|()| *self.choices.pick(&["signed", "unsigned"]));
        self.line(&format!(
            "%{narrow} = trunci %{value} : {TILE} -> tile<4xi8>\n%{wider} = exti %{narrow} {first} : tile<4xi8> -> tile<4xi16>"
        ));
        self.define(&format!("exti %{wider} {second} : tile<4xi16> -> {TILE}"));
    }

    /// A load of what nothing writes, after nothing.
    fn input(&mut self) {
        let (value, after, place) = (self.name(), self.name(), self.choices.below(4));
        self.line(&format!("%{value}, %{after} = load_ptr_tko weak %i{place} token = %start : {POINTERS} -> {TILE}, token"));
        self.values.push(value);
    }

    fn arithmetic(&mut self) {
        let (mut a, b) = (self.value(), self.value());
        if self.choices.once_in(3) {
            // Most are not negative else.
            let below = self.name();
            self.line(&format!("%{below} = subi %{a}, %pad : {TILE}"));
            a = below;
        }
        let what = match self.choices.below(8) {
            0 => format!("maxi %{a}, %{b} signed : {TILE}"),
            1 => format!("mini %{a}, %four signed : {TILE}"),
            2 => format!("remi %{a}, %four signed : {TILE}"),
            3 => format!("divi %{a}, %four {} : {TILE}", self.choices.pick(&["signed", "unsigned", "signed rounding<negative_inf>"])),
            4 => format!("muli %{a}, %four : {TILE}"),
            5 => format!("select %below, %{a}, %{b} : tile<4xi1>, {TILE}"),
            6 => format!("assume bounded<0, {}>, %given : {TILE}", self.choices.pick(&[9, 5])),
            _ => format!("addi %{a}, %{b} : {TILE}"),
        };
        self.define(&what);
    }

    /// A sum or difference with a product, of small whole numbers: no rounding changes them.
    fn product(&mut self) {
        let numbers: Vec<String> = (0..3).map(|_| self.small_number()).collect();
        let (product, sum) = (self.name(), self.name());
        let [x, y, z] = &numbers[..] else { unreachable!("there are three") };
        let operands = match self.choices.below(4) {
            0 => format!("addf %{product}, %{z}"),
            1 => format!("addf %{z}, %{product}"),
            2 => format!("subf %{product}, %{z}"),
            _ => format!("subf %{z}, %{product}"),
        };
        self.line(&format!("%{product} = mulf %{x}, %{y} : tile<4xf32>\n%{sum} = {operands} : tile<4xf32>"));
        self.define(&format!("ftoi %{sum} signed : tile<4xf32> -> {TILE}"));
    }

    /// The same operation on two values in both orders: only some operations do not care.
    fn both_ways(&mut self) {
        let (a, b) = (self.value(), self.value());
        let kind = self.choices.below(3);
        let what = *match kind {
            0 => self.choices.pick(&["subi", "addi", "xori", "divi"]),
            1 => self.choices.pick(&["less_than", "less_than_or_equal", "equal"]),
            _ => self.choices.pick(&["subf", "addf", "divf", "mulf"]),
        };
        let numbers = if kind == 2 { [(); 2].map(|()| self.small_number()) } else { [a, b] };
        for [x, y] in [[0, 1], [1, 0]].map(|order| order.map(|i| numbers[i].clone())) {
            match kind {
                0 if what == "divi" => self.define(&format!("divi %{x}, %{y} signed : {TILE}")),
                0 => self.define(&format!("{what} %{x}, %{y} : {TILE}")),
                1 => {
                    let condition = self.name();
                    self.line(&format!("%{condition} = cmpi {what} %{x}, %{y}, signed : {TILE} -> tile<4xi1>"));
                    let opposite = self.name();
                    if self.choices.below(2) == 0 {
                        self.line(&format!("%{opposite} = xori %{condition}, %yes : tile<4xi1>"));
                    } else {
                        self.line(&format!("%{opposite} = andi %{condition}, %below : tile<4xi1>"));
                    }
                    self.define(&format!("select %{opposite}, %{x}, %pad : tile<4xi1>, {TILE}"));
                }
                _ => {
                    let number = self.name();
                    self.line(&format!("%{number} = {what} %{x}, %{y} : tile<4xf32>"));
                    self.define(&format!("bitcast %{number} : tile<4xf32> -> {TILE}"));
                }
            }
        }
    }

    /// A loop or branch that this program never enters, with a load of what is nowhere: it must not be carried out.
    fn out_of_reach(&mut self) {
        let (address, value, after, sum) = (self.name(), self.name(), self.name(), self.name());
        let (around, bound) = (self.name(), self.name());
        self.line(&format!(
            "%{bound} = constant <i32: {}> : tile<i32>\n%{address} = int_to_ptr %nowhere : tile<i64> -> tile<ptr<i32>>",
            self.given
        ));
        let first = self.value();
        let load = format!(
            "%{value}, %{after} = load_ptr_tko weak %{address} token = %start : tile<ptr<i32>> -> tile<i32>, token
            %{value}r = reshape %{value} : tile<i32> -> tile<1xi32>
            %{value}b = broadcast %{value}r : tile<1xi32> -> {TILE}"
        );
        if self.choices.below(2) == 0 {
            // It runs from what the argument is to the argument.
            self.line(&format!(
                "%{around} = for %{around}i in (%{bound} to %n, step %one) : tile<i32> iter_values(%{around}c = %{first}) -> ({TILE}) {{
                {load}
                %{sum} = addi %{around}c, %{value}b : {TILE}
                continue %{sum} : {TILE}\n}}"
            ));
        } else {
            self.line(&format!(
                "%{sum} = cmpi not_equal %{bound}, %n, signed : tile<i32> -> tile<i1>
                %{around} = if %{sum} -> ({TILE}) {{
                {load}
                yield %{value}b : {TILE}\n}} else {{\nyield %{first} : {TILE}\n}}"
            ));
        }
        self.values.push(around);
    }

    fn small_number(&mut self) -> String {
        let (value, mask, small, number) = (self.value(), self.name(), self.name(), self.name());
        self.line(&format!(
            "%{mask} = constant <i32: 63> : {TILE}
            %{small} = andi %{value}, %{mask} : {TILE}
            %{number} = itof %{small} signed : {TILE} -> tile<4xf32>"
        ));
        number
    }

    fn reduction(&mut self) {
        let (value, operation) = (self.value(), *self.choices.pick(&["addi", "xori"]));
        let (sum, one) = (self.name(), self.name());
        self.line(&format!(
            "%{sum} = reduce %{value} dim=0 identities=[0 : i32] : {TILE} -> tile<i32> (%l: tile<i32>, %r: tile<i32>) {{
            %s = {operation} %l, %r : tile<i32>
            yield %s : tile<i32>
            }}
            %{one} = reshape %{sum} : tile<i32> -> tile<1xi32>"
        ));
        self.define(&format!("broadcast %{one} : tile<1xi32> -> {TILE}"));
    }

    /// An assertion that holds, which ranges may know.
    fn assertion(&mut self, counter: Option<&str>) {
        if self.stops && self.choices.below(2) == 0 {
            let (condition, bound) = (self.name(), self.name());
            return self.line(&format!(
                "%{bound} = constant <i32: {}> : tile<i32>
                %{condition} = cmpi not_equal %n, %{bound}, signed : tile<i32> -> tile<i1>
                assert %{condition}, \"{BROKEN}\" : tile<i1>",
                self.given
            ));
        }
        let (condition, what) = (self.name(), counter.unwrap_or("n"));
        self.line(&format!(
            "%{condition} = cmpi greater_than_or_equal %{what}, %zero, signed : tile<i32> -> tile<i1>
            assert %{condition}, \"it holds\" : tile<i1>"
        ));
    }

    /// A branch on the condition of others, or on a comparison of the induction variable.
    fn branch(&mut self, token: String, counter: Option<&str>) -> String {
        let mut condition = "c".to_owned();
        if let Some(counter) = counter
            && self.choices.below(3) > 0
        {
            condition = self.name();
            let predicate =
                *self.choices.pick(&["less_than", "greater_than_or_equal", "equal", "less_than_or_equal", "greater_than", "not_equal"]);
            let bound = *self.choices.pick(&["zero", "two", "n", "one"]);
            self.line(&format!("%{condition} = cmpi {predicate} %{counter}, %{bound}, signed : tile<i32> -> tile<i1>"));
        }
        let (value, after) = (self.name(), self.name());
        self.line(&format!("%{value}, %{after} = if %{condition} -> ({TILE}, token) {{"));
        for side in 0..2 {
            let last = self.inside_of(token.clone(), counter);
            let given = self.value();
            self.line(&format!("yield %{given}, %{} : {TILE}, token", last.token));
            self.values.truncate(last.seen);
            self.line(if side == 0 { "} else {" } else { "}" });
        }
        self.values.push(value);
        after
    }

    fn repetition(&mut self, token: String) -> String {
        let (counter, carried, inner) = (self.name(), self.name(), self.name());
        let (result, after, first) = (self.name(), self.name(), self.value());
        let (upper, step) = (*self.choices.pick(&["n", "three", "one", "zero"]), *self.choices.pick(&["one", "two"]));
        self.line(&format!(
            "%{result}, %{after} = for %{counter} in (%zero to %{upper}, step %{step}) : tile<i32>
             iter_values(%{carried} = %{first}, %{inner} = %{token}) -> ({TILE}, token) {{"
        ));
        let seen = self.values.len();
        self.values.push(carried.clone());
        if self.choices.once_in(3) {
            let (condition, other) = (self.name(), self.value());
            let other = if self.choices.below(2) == 0 { carried.clone() } else { other };
            self.line(&format!(
                "%{condition} = cmpi equal %{counter}, %zero, signed : tile<i32> -> tile<i1>
                if %{condition} {{\ncontinue %{other}, %{inner} : {TILE}, token\n}}"
            ));
        }
        let last = self.inside_of(inner, Some(&counter));
        let given = if self.choices.once_in(4) { carried } else { self.value() };
        self.line(&format!("continue %{given}, %{} : {TILE}, token\n}}", last.token));
        self.values.truncate(seen);
        self.values.push(result);
        after
    }

    /// Some statements in a region.
    fn inside_of(&mut self, token: String, counter: Option<&str>) -> Last {
        let seen = self.values.len();
        let mut token = token;
        self.depth += 1;
        for _ in 0..self.choices.below(4) {
            token = self.statement(token, counter);
        }
        self.depth -= 1;
        Last { token, seen }
    }

    /// Stores the last values where nothing else is.
    fn keep(&mut self, token: String) {
        let mut token = token;
        let kept: Vec<String> = self.values.iter().rev().take(KEPT).cloned().collect();
        for (i, value) in kept.into_iter().enumerate() {
            let (at, place, after) = (self.name(), self.name(), self.name());
            self.line(&format!(
                "%{at} = constant <i32: {}> : {TILE}
                %{place} = offset %os, %{at} : {POINTERS}, {TILE} -> {POINTERS}
                %{after} = store_ptr_tko weak %{place}, %{value} token = %{token} : {POINTERS}, {TILE} -> token",
                ELEMENTS + i * LANES
            ));
            token = after;
        }
    }
}

/// Where the statements of a region end.
struct Last {
    token: String,
    /// How many values could be seen before them.
    seen: usize,
}
