//! A litmus test as a module of Tile IR, in text.

use super::program::{Access, AccessKind, Arithmetic, Block, Litmus, Operand, Statement};
use std::fmt::Write as _;

/// How many elements lie between two locations: each has a line of the cache to itself.
pub const LOCATION_STRIDE: usize = 16;

/// How many values a block may store at its end.
pub const VALUES_STRIDE: usize = 64;

impl Litmus {
    /// A module with one entry, `@litmus(%memory, %values)`, both of type `tile<ptr<i32>>`.
    ///
    /// In a grid of as many blocks as the test has, each does what the block of the test does, with location `l` at element
    /// `l * LOCATION_STRIDE` of `%memory`, and stores its observed value `v` in element `block * VALUES_STRIDE + v` of `%values` in the end.
    /// Devices are not said: a launch is on one.
    pub fn to_tile_ir(&self) -> String {
        let mut text = String::from("entry @litmus(%memory: tile<ptr<i32>>, %values: tile<ptr<i32>>) {\n");
        text += "  %block, %y, %z = get_tile_block_id : tile<i32>\n";
        for (index, block) in self.blocks.iter().enumerate() {
            let mut writer = Writer { text: String::new(), depth: 2, next: 0, prefix: format!("b{index}") };
            writer.block(index, block, self.locations.len());
            let _ = write!(
                text,
                "  %n{index} = constant <i32: {index}> : tile<i32>\n  %is{index} = cmpi equal %block, %n{index}, signed : tile<i32> -> tile<i1>\n"
            );
            let _ = write!(text, "  if %is{index} {{\n{}  }}\n", writer.text);
        }
        text + "  return\n}\n"
    }
}

/// The names that the values and tokens of a block have at a place.
#[derive(Clone, PartialEq)]
struct Names {
    values: Vec<String>,
    tokens: Vec<String>,
}

struct Writer {
    text: String,
    depth: usize,
    next: usize,
    prefix: String,
}

impl Writer {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{:1$}{line}", "", 2 * self.depth);
    }

    fn name(&mut self) -> String {
        self.next += 1;
        format!("%{}_{}", self.prefix, self.next)
    }

    fn constant(&mut self, value: i32) -> String {
        let name = self.name();
        self.line(&format!("{name} = constant <i32: {value}> : tile<i32>"));
        name
    }

    /// A pointer to an element.
    fn pointer(&mut self, base: &str, element: usize) -> String {
        let by = self.constant(element as i32);
        let name = self.name();
        self.line(&format!("{name} = offset %{base}, {by} : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>"));
        name
    }

    fn block(&mut self, index: usize, block: &Block, locations: usize) {
        let pointers: Vec<String> = (0..locations).map(|location| self.pointer("memory", location * LOCATION_STRIDE)).collect();
        let zero = self.constant(0);
        let token = self.name();
        self.line(&format!("{token} = make_token : token"));
        let mut names = Names { values: vec![zero; block.values.len()], tokens: vec![token; block.tokens.len()] };
        self.body(&block.body, &pointers, &mut names);
        for (at, value) in block.observed.iter().enumerate() {
            let place = self.pointer("values", index * VALUES_STRIDE + at);
            let token = self.name();
            self.line(&format!("{token} = store_ptr_tko weak {place}, {} : tile<ptr<i32>>, tile<i32> -> token", names.values[*value]));
        }
    }

    fn body(&mut self, body: &[Statement], pointers: &[String], names: &mut Names) {
        for statement in body {
            match statement {
                Statement::Access(access) => self.access(access, pointers, names),
                Statement::Join { token, of } => names.tokens[*token] = self.join(of, names),
                Statement::Let { value, operation, operands: [a, b] } => {
                    let (a, b) = (self.operand(*a, names), self.operand(*b, names));
                    let name = self.name();
                    let known = Arithmetic::ALL.iter().find(|(_, arithmetic)| arithmetic == operation);
                    let spelled = known.map_or("", |(name, _)| name);
                    self.line(&format!("{name} = {spelled} {a}, {b} : tile<i32>"));
                    names.values[*value] = name;
                }
                Statement::If { operands: [a, b], equal, then, otherwise } => {
                    let (a, b) = (self.operand(*a, names), self.operand(*b, names));
                    let condition = self.name();
                    let predicate = if *equal { "equal" } else { "not_equal" };
                    self.line(&format!("{condition} = cmpi {predicate} {a}, {b}, signed : tile<i32> -> tile<i1>"));
                    self.branch(&condition, [then, otherwise], pointers, names);
                }
            }
        }
    }

    fn join(&mut self, of: &[usize], names: &Names) -> String {
        let name = self.name();
        match of {
            [] => self.line(&format!("{name} = make_token : token")),
            [one] => return names.tokens[*one].clone(),
            several => {
                let tokens: Vec<&str> = several.iter().map(|token| names.tokens[*token].as_str()).collect();
                self.line(&format!("{name} = join_tokens {} : token", tokens.join(", ")));
            }
        }
        name
    }

    fn operand(&mut self, operand: Operand, names: &Names) -> String {
        match operand {
            Operand::Number(number) => self.constant(number),
            Operand::Value(value) => names.values[value].clone(),
        }
    }

    /// A branch gives back all values and tokens that one of its sides changes.
    fn branch(&mut self, condition: &str, sides: [&[Statement]; 2], pointers: &[String], names: &mut Names) {
        let outer = std::mem::take(&mut self.text);
        self.depth += 1;
        let sides = sides.map(|body| {
            let mut names = names.clone();
            self.body(body, pointers, &mut names);
            (std::mem::take(&mut self.text), names)
        });
        self.depth -= 1;
        self.text = outer;
        let changed = |now: &dyn Fn(&Names) -> &Vec<String>, at: usize| sides.iter().any(|(_, side)| now(side)[at] != now(names)[at]);
        let values: Vec<usize> = (0..names.values.len()).filter(|at| changed(&|names| &names.values, *at)).collect();
        let tokens: Vec<usize> = (0..names.tokens.len()).filter(|at| changed(&|names| &names.tokens, *at)).collect();
        let types = [vec!["tile<i32>"; values.len()], vec!["token"; tokens.len()]].concat().join(", ");
        let yielded = sides.each_ref().map(|(_, side)| {
            let names = values.iter().map(|at| &side.values[*at]).chain(tokens.iter().map(|at| &side.tokens[*at]));
            names.cloned().collect::<Vec<_>>().join(", ")
        });
        for at in &values {
            names.values[*at] = self.name();
        }
        for at in &tokens {
            names.tokens[*at] = self.name();
        }
        let results: Vec<String> =
            values.iter().map(|at| names.values[*at].clone()).chain(tokens.iter().map(|at| names.tokens[*at].clone())).collect();
        let gives = !results.is_empty();
        let head = if gives { format!("{} = if {condition} -> ({types}) {{", results.join(", ")) } else { format!("if {condition} {{") };
        self.line(&head);
        for (at, (text, _)) in sides.iter().enumerate() {
            self.text += text;
            if gives {
                self.depth += 1;
                self.line(&format!("yield {} : {types}", yielded[at]));
                self.depth -= 1;
            }
            self.line(if at == 0 { "} else {" } else { "}" });
        }
    }

    fn access(&mut self, access: &Access, pointers: &[String], names: &mut Names) {
        let (strength, pointer) = (access.strength, &pointers[access.location]);
        let (operands, types, reads) = match &access.kind {
            AccessKind::Load => (String::new(), "tile<ptr<i32>>", true),
            AccessKind::Store(value) => (format!(", {}", self.operand(*value, names)), "tile<ptr<i32>>, tile<i32>", false),
            AccessKind::Update(mode, value) => {
                (format!(", {}, {}", mode.keyword(), self.operand(*value, names)), "tile<ptr<i32>>, tile<i32>", true)
            }
            AccessKind::CompareAndSwap(compare, value) => {
                let (compare, value) = (self.operand(*compare, names), self.operand(*value, names));
                (format!(", {compare}, {value}"), "tile<ptr<i32>>, tile<i32>", true)
            }
        };
        let operation = match &access.kind {
            AccessKind::Load => "load_ptr_tko",
            AccessKind::Store(_) => "store_ptr_tko",
            AccessKind::Update(..) => "atomic_rmw_tko",
            AccessKind::CompareAndSwap(..) => "atomic_cas_tko",
        };
        let waits = access.waits_for.map_or(String::new(), |token| format!(" token={}", names.tokens[token]));
        let (result, token) = (self.name(), self.name());
        let (results, gives) = if reads { (format!("{result}, {token}"), "tile<i32>, token") } else { (token.clone(), "token") };
        self.line(&format!("{results} = {operation} {strength} {pointer}{operands}{waits} : {types} -> {gives}"));
        if let Some(value) = access.result {
            names.values[value] = result;
        }
        if let Some(defined) = access.token {
            names.tokens[defined] = token;
        }
    }
}
