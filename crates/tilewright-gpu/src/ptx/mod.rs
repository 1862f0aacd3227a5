//! Thread code as PTX text.

mod atomic;
mod call;
mod prim;
mod registers;

pub(crate) use atomic::{multimem, operation as atomic_operation, strength};

use crate::{
    Target,
    thread::{Block, Data, Dependency, End, From, Function, Inst, SourceLine, Special, Target as Jump, Value},
};
use std::{collections::HashMap, fmt::Write as _};
use tilewright_vector::Lane;

/// The PTX of a function, for a target.
pub(crate) fn print(function: &Function, target: Target) -> String {
    let mut printer = Printer::new(function);
    for (index, block) in function.blocks.iter().enumerate() {
        printer.block(index, block);
    }
    printer.module(target)
}

/// The kinds of registers. Floats are held in those of bits, so that their bits need no move.
const FILES: [(&str, &str); 4] = [("pred", "%p"), ("b16", "%h"), ("b32", "%r"), ("b64", "%d")];

/// Integers of 8 bits are held in registers of 16, with zeros above.
const fn file(lane: Lane) -> usize {
    match lane {
        Lane::Mask => 0,
        Lane::I8 | Lane::I16 => 1,
        Lane::I32 | Lane::F32 => 2,
        Lane::I64 | Lane::F64 => 3,
    }
}

/// A constant in a register.
fn constant(lane: Lane, register: &str, bits: u64) -> String {
    match lane {
        Lane::Mask => format!("setp.ne.u32 {register}, {bits}, 0;"),
        _ => format!("mov.{} {register}, {};", moved(lane), immediate(lane, bits)),
    }
}

/// A constant as an operand.
fn immediate(lane: Lane, bits: u64) -> String {
    match lane {
        Lane::F32 => format!("0f{bits:08X}"),
        Lane::F64 => format!("0d{bits:016X}"),
        Lane::I16 => format!("{}", bits as i16),
        Lane::I32 => format!("{}", bits as i32),
        Lane::I64 => format!("{}", bits as i64),
        Lane::I8 | Lane::Mask => format!("{bits}"),
    }
}

/// The type of moves and selections.
const fn moved(lane: Lane) -> &'static str {
    match lane {
        Lane::F32 => "f32",
        Lane::F64 => "f64",
        _ => FILES[file(lane)].0,
    }
}

/// The type in memory.
const fn stored(lane: Lane) -> &'static str {
    match lane {
        Lane::Mask | Lane::I8 => "u8",
        Lane::I16 => "u16",
        Lane::I32 => "u32",
        Lane::I64 => "u64",
        Lane::F32 => "f32",
        Lane::F64 => "f64",
    }
}

const SCRATCH: &str = "tilewright_shared";

/// Registers that threads need at once without more blocks beside theirs being hoped for: with as many, 512 threads fit a multiprocessor.
const MANY_REGISTERS: u32 = 128;

/// A path as PTX can hold it between quotes: what would end it or begin an escape sequence becomes a slash, other characters that nobody sees a
/// question mark.
fn in_quotes(path: &str) -> String {
    let plain = |c: char| match c {
        '"' | '\\' => '/',
        ' '..='~' => c,
        _ => '?',
    };
    path.chars().map(plain).collect()
}

/// Numbers from one row of a group of so many tables to the next, so that accesses of up to four are aligned.
const fn between_rows(tables: usize) -> usize {
    if tables > 2 { tables.next_multiple_of(4) } else { tables }
}

/// The name of data in PTX.
fn data_name(data: &Data, index: usize) -> String {
    data.name.clone().unwrap_or_else(|| format!("tilewright_data_{index}"))
}

struct Printer<'a> {
    function: &'a Function,
    /// The register of each value that was printed.
    registers: Vec<Option<u32>>,
    /// Registers of each kind.
    counts: [u32; FILES.len()],
    body: String,
    /// Groups of tables that are read together.
    tables: Vec<Vec<[u32; 16]>>,
    table_of: HashMap<Vec<[u32; 16]>, usize>,
    /// The registers that hold their addresses.
    table_bases: Vec<String>,
    /// For each value the one whose register it is in.
    shared_registers: Vec<Value>,
    /// The bits of constants.
    constants: HashMap<Value, u64>,
    /// Where in the source the next instruction stems from, if that was said since the last one, and where the last one did.
    next_line: Option<SourceLine>,
    last_line: Option<SourceLine>,
    /// What constants are put into registers, in front of everything.
    prologue: String,
    calls: call::Calls,
}

impl<'a> Printer<'a> {
    fn new(function: &'a Function) -> Printer<'a> {
        let constants = function.blocks.iter().flat_map(|block| &block.insts).filter_map(|inst| match inst {
            Inst::Const { result, bits } => Some((*result, *bits)),
            _ => None,
        });
        Printer {
            function,
            registers: vec![None; function.values.len()],
            counts: [0; FILES.len()],
            body: String::new(),
            tables: Vec::new(),
            table_of: HashMap::new(),
            table_bases: Vec::new(),
            shared_registers: registers::shared_registers(function),
            constants: constants.collect(),
            next_line: None,
            last_line: None,
            prologue: String::new(),
            calls: call::Calls::default(),
        }
    }

    fn line(&mut self, text: &str) {
        if let Some(SourceLine { file, line, column }) =
            self.next_line.take().filter(|place| self.last_line.replace(*place) != Some(*place))
        {
            let _ = writeln!(self.body, "\t.loc {} {line} {column}", file + 1);
        }
        let _ = writeln!(self.body, "\t{text}");
    }

    /// A register that holds no value of the code.
    fn fresh(&mut self, lane: Lane) -> String {
        let count = &mut self.counts[file(lane)];
        *count += 1;
        format!("{}{}", FILES[file(lane)].1, *count - 1)
    }

    /// The register of a value.
    fn register(&mut self, value: Value) -> String {
        let file = file(self.function.lane(value));
        let value = self.shared_registers[value.index()];
        let count = &mut self.counts[file];
        let mut is_new = false;
        let number = *self.registers[value.index()].get_or_insert_with(|| {
            is_new = true;
            *count += 1;
            *count - 1
        });
        let name = format!("{}{number}", FILES[file].1);
        if is_new && let Some(bits) = self.constants.get(&value) {
            let text = constant(self.function.lane(value), &name, *bits);
            let _ = writeln!(self.prologue, "\t{text}");
        }
        name
    }

    /// A value as a source: its register, or the number that it is.
    fn source(&mut self, value: Value) -> String {
        let lane = self.function.lane(value);
        match self.constants.get(&value) {
            Some(bits) if lane != Lane::Mask => immediate(lane, *bits),
            _ => self.register(value),
        }
    }

    fn label(index: usize) -> String {
        format!("$L_{index}")
    }

    fn block(&mut self, index: usize, block: &Block) {
        if index > 0 {
            let _ = writeln!(self.body, "{}:", Self::label(index));
        }
        block.insts.iter().for_each(|inst| self.inst(inst));
        match &block.end {
            End::Return => self.line("ret;"),
            End::Trap => self.line("trap;"),
            End::Jump(target) => self.jump(target, index + 1),
            End::Branch { condition, then, otherwise } => {
                let condition = self.register(*condition);
                let label = |target: &Jump| Self::label(target.label.index());
                if then.label.index() == index + 1 && self.moves(then).is_empty() && self.moves(otherwise).is_empty() {
                    self.line(&format!("@!{condition} bra {};", label(otherwise)));
                } else if self.moves(then).is_empty() {
                    self.line(&format!("@{condition} bra {};", label(then)));
                    self.jump(otherwise, index + 1);
                } else {
                    let other = format!("{}_else", Self::label(index));
                    self.line(&format!("@!{condition} bra {other};"));
                    self.jump(then, usize::MAX);
                    let _ = writeln!(self.body, "{other}:");
                    self.jump(otherwise, index + 1);
                }
            }
        }
    }

    /// What a jump hands over that is not in the register of the parameter yet: to where and from where.
    fn moves(&self, target: &Jump) -> Vec<(Value, Value)> {
        let params = &self.function.blocks[target.label.index()].params;
        let register_of = |value: &Value| self.shared_registers[value.index()];
        params.iter().copied().zip(target.args.iter().copied()).filter(|(to, from)| register_of(to) != register_of(from)).collect()
    }

    /// Hands over what a block takes and goes there, unless it is the one that follows.
    fn jump(&mut self, target: &Jump, next: usize) {
        let moves = self.moves(target);
        let register_of = |value: &Value| self.shared_registers[value.index()];
        let written: Vec<Value> = moves.iter().map(|(to, _)| register_of(to)).collect();
        // What is overwritten and still read is kept aside.
        let read: Vec<Value> = moves.iter().map(|(_, from)| *from).filter(|from| written.contains(&register_of(from))).collect();
        let mut kept: HashMap<Value, String> = HashMap::new();
        for from in read {
            if kept.contains_key(&from) {
                continue;
            }
            let copy = self.fresh(self.function.lane(from));
            let (ty, register) = (moved(self.function.lane(from)), self.register(from));
            self.line(&format!("mov.{ty} {copy}, {register};"));
            kept.insert(from, copy);
        }
        for (to, from) in moves {
            let ty = moved(self.function.lane(to));
            let from = kept.get(&from).cloned().unwrap_or_else(|| self.source(from));
            let to = self.register(to);
            self.line(&format!("mov.{ty} {to}, {from};"));
        }
        if target.label.index() != next {
            self.line(&format!("bra {};", Self::label(target.label.index())));
        }
    }

    fn inst(&mut self, inst: &Inst) {
        match inst {
            // A register that a constant needs is filled in front of everything.
            Inst::Const { .. } => {}
            Inst::Prim { result, prim, operands } => self.prim(*result, *prim, operands),
            Inst::Native { result, native, operands } => {
                let takes_numbers = native.operands().1 == Lane::F32;
                let operands = operands.iter().map(|operand| if takes_numbers { self.source(*operand) } else { self.register(*operand) });
                let operands: Vec<String> = operands.collect();
                let result = self.register(*result);
                self.line(&format!("{native} {result}, {};", operands.join(", ")));
            }
            Inst::Lookup { results, index, tables } => self.lookup(results, *index, tables),
            Inst::Param { result, index } => self.param(*result, *index),
            Inst::Data { result, index } => {
                let result = self.register(*result);
                let name = data_name(&self.function.data[*index as usize], *index as usize);
                self.line(&format!("mov.u64 {result}, {name};"));
            }
            Inst::Special { result, which } => {
                let result = self.register(*result);
                let axis = |axis: u8| ['x', 'y', 'z'][usize::from(axis)];
                let source = match which {
                    Special::Thread => "%tid.x".to_owned(),
                    Special::Block(n) => format!("%ctaid.{}", axis(*n)),
                    Special::Blocks(n) => format!("%nctaid.{}", axis(*n)),
                    Special::Shared => SCRATCH.to_owned(),
                };
                self.line(&format!("mov.u32 {result}, {source};"));
            }
            Inst::Load { result, space, address, offset, mask, strong } => {
                let lane = self.function.lane(*result);
                let place = self.place(*address, *offset);
                let result = self.register(*result);
                let guard = match mask {
                    None => String::new(),
                    Some((mask, other)) => {
                        let (mask, other) = (self.register(*mask), self.source(*other));
                        self.line(&format!("mov.{} {result}, {other};", moved(lane)));
                        format!("@{mask} ")
                    }
                };
                let strength = strong.map_or_else(String::new, atomic::strength);
                self.line(&format!("{guard}ld{strength}.{space}.{} {result}, {place};", stored(lane)));
            }
            Inst::Store { value, space, address, offset, mask, strong } => {
                let place = self.place(*address, *offset);
                let (ty, value) = (stored(self.function.lane(*value)), self.register(*value));
                let guard = mask.map_or_else(String::new, |mask| format!("@{} ", self.register(mask)));
                let strength = strong.map_or_else(String::new, atomic::strength);
                self.line(&format!("{guard}st{strength}.{space}.{ty} {place}, {value};"));
            }
            Inst::LoadWide { results, space, address, offset, mask } => {
                let lane = self.function.lane(results[0]);
                let place = self.place(*address, *offset);
                let names: Vec<String> = results.iter().map(|result| self.register(*result)).collect();
                let guard = match mask {
                    None => String::new(),
                    Some((mask, others)) => {
                        for (name, other) in names.iter().zip(others) {
                            let other = self.source(*other);
                            self.line(&format!("mov.{} {name}, {other};", moved(lane)));
                        }
                        format!("@{} ", self.register(*mask))
                    }
                };
                self.line(&format!("{guard}ld.{space}.v{}.{} {{{}}}, {place};", names.len(), stored(lane), names.join(", ")));
            }
            Inst::LoadMatrices { results, address, offset, transposed } => {
                let place = self.place(*address, *offset);
                let names: Vec<String> = results.iter().map(|result| self.register(*result)).collect();
                let how = if *transposed { ".trans" } else { "" };
                self.line(&format!("ldmatrix.sync.aligned.m8n8.x{}{how}.shared.b16 {{{}}}, {place};", names.len(), names.join(", ")));
            }
            Inst::StoreWide { values, space, address, offset, mask } => {
                let place = self.place(*address, *offset);
                let (ty, count) = (stored(self.function.lane(values[0])), values.len());
                let names: Vec<String> = values.iter().map(|value| self.register(*value)).collect();
                let guard = mask.map_or_else(String::new, |mask| format!("@{} ", self.register(mask)));
                self.line(&format!("{guard}st.{space}.v{count}.{ty} {place}, {{{}}};", names.join(", ")));
            }
            Inst::CopyAsync { to, from, bytes, given, mask } => {
                let [to, from] = [*to, *from].map(|(address, offset)| self.place(address, offset));
                let given = given.map_or_else(String::new, |given| format!(", {}", self.source(given)));
                let guard = mask.map_or_else(String::new, |mask| format!("@{} ", self.register(mask)));
                // What 16 bytes are taken of is not read again soon.
                let cache = if *bytes == 16 { "cg" } else { "ca" };
                self.line(&format!("{guard}cp.async.{cache}.shared.global {to}, {from}, {bytes}{given};"));
            }
            Inst::CommitCopies => self.line("cp.async.commit_group;"),
            Inst::WaitCopies { pending } => self.line(&format!("cp.async.wait_group {pending};")),
            Inst::Compare { result, prim, operands, negated, and } => self.compare(*result, (*prim, *negated), *operands, *and),
            Inst::MultiplyAdd { result, factors, summand, wide } => {
                let is_short = *wide || self.function.lane(*result) == Lane::I32;
                let ty = if is_short { "u32" } else { "u64" };
                let kind = if *wide { "wide" } else { "lo" };
                let result = self.register(*result);
                let [a, b] = factors.map(|factor| self.source(factor));
                let text = match summand {
                    Some(summand) => format!("mad.{kind}.{ty} {result}, {a}, {b}, {};", self.source(*summand)),
                    None => format!("mul.{kind}.{ty} {result}, {a}, {b};"),
                };
                self.line(&text);
            }
            Inst::Pack { result, halves } => {
                let result = self.register(*result);
                let [low, high] = halves.map(|half| self.register(half));
                self.line(&format!("mov.b32 {result}, {{{low}, {high}}};"));
            }
            Inst::Unpack { halves, value } => {
                let [low, high] = halves.map(|half| self.register(half));
                let value = self.register(*value);
                self.line(&format!("mov.b32 {{{low}, {high}}}, {value};"));
            }
            Inst::Atomic { result, update, strong, address, value, mask } => {
                self.atomic(*result, *update, *strong, (*address, *value), *mask);
            }
            Inst::Multimem { result, access, address, offset, mask, strong } => {
                self.multimem(*result, *access, (*address, *offset), *mask, *strong);
            }
            Inst::Shuffle { result, value, from } => {
                let (mode, lanes, limit) = match from {
                    From::Across(lanes) => ("bfly", lanes, 31),
                    From::Before(lanes) => ("up", lanes, 0),
                    From::After(lanes) => ("down", lanes, 31),
                };
                let (result, value) = (self.register(*result), self.register(*value));
                self.line(&format!("shfl.sync.{mode}.b32 {result}, {value}, {lanes}, {limit}, -1;"));
            }
            Inst::Product { results, product, factors: [lhs, rhs], sums } => {
                let mut fragment = |values: &[Value]| {
                    let names: Vec<String> = values.iter().map(|value| self.register(*value)).collect();
                    format!("{{{}}}", names.join(", "))
                };
                let (to, lhs, rhs, sums) = (fragment(results), fragment(lhs), fragment(rhs), fragment(sums));
                self.line(&format!("mma.sync.aligned.{product} {to}, {lhs}, {rhs}, {sums};"));
            }
            Inst::Barrier => self.line("bar.sync 0;"),
            Inst::Line(place) => self.next_line = Some(*place),
            Inst::Print { format, args } => self.call_print(*format, args),
            Inst::Allocate { result, bytes, alignment } => self.call_allocate(*result, *bytes, *alignment),
            Inst::Free { address } => self.call_free(*address),
            Inst::Depend(Dependency::Wait) => self.line("griddepcontrol.wait;"),
            Inst::Depend(Dependency::Launch) => self.line("griddepcontrol.launch_dependents;"),
        }
    }

    fn place(&mut self, address: Value, offset: i32) -> String {
        let address = self.register(address);
        if offset == 0 { format!("[{address}]") } else { format!("[{address}+{offset}]") }
    }

    fn param(&mut self, result: Value, index: u32) {
        let lane = self.function.lane(result);
        let name = format!("[{}_param_{index}]", self.function.name);
        let register = self.register(result);
        if lane == Lane::Mask {
            let (byte, bit) = (self.fresh(Lane::I8), self.fresh(Lane::I8));
            self.line(&format!("ld.param.u8 {byte}, {name};"));
            self.line(&format!("and.b16 {bit}, {byte}, 1;"));
            self.line(&format!("setp.ne.u16 {register}, {bit}, 0;"));
        } else {
            self.line(&format!("ld.param.{} {register}, {name};", stored(lane)));
        }
    }

    /// Looks up numbers of several tables, whose numbers for one index lie side by side.
    fn lookup(&mut self, results: &[Value], index: Value, tables: &[[u32; 16]]) {
        let groups = &mut self.tables;
        let number = *self.table_of.entry(tables.to_vec()).or_insert_with(|| {
            groups.push(tables.to_vec());
            groups.len() - 1
        });
        let base = self.table_base(number);
        let (low, register) = (self.fresh(Lane::I32), self.register(index));
        self.line(&format!("and.b32 {low}, {register}, 15;"));
        let address = self.fresh(Lane::I64);
        self.line(&format!("mad.wide.u32 {address}, {low}, {}, {base};", 4 * between_rows(tables.len())));
        let names: Vec<String> = results.iter().map(|result| self.register(*result)).collect();
        let mut rest = &names[..];
        let mut offset = 0;
        while !rest.is_empty() {
            // As many at once as an access takes.
            let (now, later) = rest.split_at(1 << rest.len().ilog2().min(2));
            let (width, names) = if now.len() == 1 {
                (String::new(), now[0].clone())
            } else {
                (format!(".v{}", now.len()), format!("{{{}}}", now.join(", ")))
            };
            self.line(&format!("ld.const{width}.f32 {names}, [{address}+{offset}];"));
            (rest, offset) = (later, offset + 4 * now.len());
        }
    }

    /// The register of a table's address, filled in front of everything.
    fn table_base(&mut self, number: usize) -> String {
        if let Some(base) = self.table_bases.get(number) {
            return base.clone();
        }
        let base = self.fresh(Lane::I64);
        let _ = writeln!(self.prologue, "\tmov.u64 {base}, tilewright_table_{number};");
        self.table_bases.push(base.clone());
        base
    }

    fn module(&self, target: Target) -> String {
        let function = self.function;
        let (major, minor) = target.ptx_version();
        let mut out = format!(".version {major}.{minor}\n.target {target}\n.address_size 64\n\n") + &self.declarations();
        for (number, file) in function.files.iter().enumerate() {
            let _ = writeln!(out, ".file {} \"{}\"", number + 1, in_quotes(file));
        }
        for (number, tables) in self.tables.iter().enumerate() {
            let distance = between_rows(tables.len());
            let row = |index: usize| (0..distance).map(move |n| tables.get(n).map_or(0, |table| table[index]));
            let numbers: Vec<String> = (0..16).flat_map(row).map(|bits| format!("0x{bits:x}")).collect();
            let (align, count) = (4 * distance.min(4), numbers.len());
            let _ = writeln!(out, ".const .align {align} .b32 tilewright_table_{number}[{count}] = {{{}}};", numbers.join(", "));
        }
        for (number, data) in function.data.iter().enumerate() {
            let bytes: Vec<String> = data.bytes.iter().map(u8::to_string).collect();
            let visible = if data.name.is_some() { ".visible " } else { "" };
            let (name, length) = (data_name(data, number), bytes.len());
            let _ = writeln!(out, "{visible}.global .align {} .b8 {name}[{length}] = {{{}}};", data.alignment, bytes.join(", "));
        }
        if function.dynamic_shared() > 0 {
            let _ = writeln!(out, "// launch with {} bytes of dynamic shared memory", function.shared);
            let _ = writeln!(out, ".extern .shared .align 16 .b8 {SCRATCH}[];");
        } else if function.shared > 0 {
            let _ = writeln!(out, ".shared .align 16 .b8 {SCRATCH}[{}];", function.shared);
        }
        let params = function.params.iter().enumerate();
        let params: Vec<String> = params.map(|(i, lane)| format!("\t.param .{} {}_param_{i}", stored(*lane), function.name)).collect();
        let mut threads = format!(".reqntid {}, 1, 1", function.threads);
        if function.registers() > MANY_REGISTERS {
            // One block for a multiprocessor is enough: an assembler spills no registers so that more blocks fit.
            threads += "\n.minnctapersm 1";
        }
        let _ = write!(out, ".visible .entry {}(\n{}\n)\n{threads}\n{{\n", function.name, params.join(",\n"));
        for ((ty, prefix), count) in FILES.iter().zip(self.counts) {
            if count > 0 {
                let _ = writeln!(out, "\t.reg .{ty} {prefix}<{count}>;");
            }
        }
        out + &self.locals() + "\n" + &self.prologue + &self.body + "}\n"
    }
}
