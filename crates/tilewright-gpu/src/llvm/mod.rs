//! Thread code as a module of LLVM, for `llc` and libNVVM: the data layout of NVPTX64, NVVM's intrinsics, in the dialect of today's LLVM or of LLVM 7.
//!
//! Values are LLVM's own, and parameters of blocks are phi nodes. Addresses are integers until they are used. LLVM has no predicates: an access with a
//! mask is a block of its own. What no intrinsic says, the order and scope of strong accesses, is inline assembly, the instruction of the PTX printer.

mod call;
mod constant;
mod dialect;
mod memory;
mod prim;
#[cfg(test)]
mod tests;

pub(crate) use dialect::Dialect;

use crate::{
    Target,
    thread::{Block, Dependency, End, From, Function, Inst, Product, Special, Target as Jump, Value},
};
use std::{
    collections::{BTreeSet, HashMap},
    fmt::Write as _,
};
use tilewright_vector::Lane;

/// The module of a function, for a target.
pub(crate) fn print(function: &Function, target: Target, dialect: Dialect) -> String {
    let mut printer = Printer::new(function, dialect);
    function.blocks.iter().enumerate().for_each(|(index, block)| printer.block(index, block));
    printer.module(target)
}

/// Of the NVPTX64 target, as libNVVM wants it; `llc` takes it too. Pointers to shared memory have 64 bits.
const DATA_LAYOUT: &str = "e-p:64:64:64-p6:32:32:32-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-f128:128:128-\
    v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64";
const SHARED: &str = "tilewright_shared";
/// Address spaces.
const GLOBAL: u32 = 1;
const IN_SHARED: u32 = 3;
const CONSTANT: u32 = 4;
/// The attributes of inline assembly that all lanes of a warp do together: it stays where all come by.
const TOGETHER: u32 = 1;

/// The type of a value.
const fn ty(lane: Lane) -> &'static str {
    match lane {
        Lane::Mask => "i1",
        Lane::I8 => "i8",
        Lane::I16 => "i16",
        Lane::I32 => "i32",
        Lane::I64 => "i64",
        Lane::F32 => "float",
        Lane::F64 => "double",
    }
}

/// The type of one result, or of several together.
fn structure(lane: Lane, count: usize) -> String {
    if count == 1 { ty(lane).to_owned() } else { format!("{{ {} }}", vec![ty(lane); count].join(", ")) }
}

/// Operands of inline assembly, from one on, as a list of PTX.
fn places(first: usize, count: usize) -> String {
    let names: Vec<String> = (first..first + count).map(|n| format!("${n}")).collect();
    format!("{{{}}}", names.join(", "))
}

struct Printer<'a> {
    function: &'a Function,
    dialect: Dialect,
    /// Constants and parameters, as they are written where they are read; other values have names by their number.
    known: HashMap<Value, String>,
    /// The text of the blocks so far, where phi nodes are left out, and where each block begins in it.
    body: String,
    begins: Vec<usize>,
    /// For each block where it is reached from, with what is handed over.
    incoming: Vec<Vec<(String, Vec<Value>)>>,
    /// The block that is written.
    label: String,
    temporaries: u32,
    labels: u32,
    declarations: BTreeSet<String>,
    tables: Vec<[u32; 16]>,
    /// Bytes of the longest list of what is printed, if anything is.
    printed: Option<usize>,
}

impl<'a> Printer<'a> {
    fn new(function: &'a Function, dialect: Dialect) -> Printer<'a> {
        let constants = function.blocks.iter().flat_map(|block| &block.insts).filter_map(|inst| match inst {
            Inst::Const { result, bits } => Some((*result, constant::text(function.lane(*result), *bits))),
            _ => None,
        });
        Printer {
            function,
            dialect,
            known: constants.collect(),
            body: String::new(),
            begins: Vec::new(),
            incoming: vec![Vec::new(); function.blocks.len()],
            label: String::new(),
            temporaries: 0,
            labels: 0,
            declarations: BTreeSet::new(),
            tables: Vec::new(),
            printed: None,
        }
    }

    fn lane(&self, value: Value) -> Lane {
        self.function.lane(value)
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.body, "  {text}");
    }

    /// A value as it is read.
    fn operand(&self, value: Value) -> String {
        self.known.get(&value).cloned().unwrap_or_else(|| format!("%v{}", value.index()))
    }

    /// A value with its type.
    fn typed(&self, value: Value) -> String {
        format!("{} {}", ty(self.lane(value)), self.operand(value))
    }

    fn temporary(&mut self) -> String {
        self.temporaries += 1;
        format!("%t{}", self.temporaries)
    }

    /// Computes something that is no value of the code.
    fn compute(&mut self, text: &str) -> String {
        let result = self.temporary();
        self.line(&format!("{result} = {text}"));
        result
    }

    /// Defines a value of the code.
    fn define(&mut self, result: Value, text: &str) {
        let name = self.operand(result);
        self.line(&format!("{name} = {text}"));
    }

    /// A call of a function with operands that have their types; declares it.
    fn called(&mut self, result: &str, name: &str, operands: &[String]) -> String {
        let types: Vec<&str> = operands.iter().map(|operand| type_of(operand)).collect();
        self.declarations.insert(format!("declare {result} @{name}({})", types.join(", ")));
        format!("call {result} @{name}({})", operands.join(", "))
    }

    fn fresh_label(&mut self) -> String {
        self.labels += 1;
        format!("M{}", self.labels)
    }

    /// Goes on in a block.
    fn begin(&mut self, label: &str) {
        let _ = writeln!(self.body, "{label}:");
        label.clone_into(&mut self.label);
    }

    fn block(&mut self, index: usize, block: &Block) {
        self.begin(&format!("L{index}"));
        self.begins.push(self.body.len());
        block.insts.iter().for_each(|inst| self.inst(inst));
        match &block.end {
            End::Return => self.line("ret void"),
            End::Trap => {
                let trap = self.called("void", "llvm.trap", &[]);
                self.line(&trap);
                self.line("unreachable");
            }
            End::Jump(target) => {
                self.come_from_here(target);
                self.line(&format!("br label %L{}", target.label.index()));
            }
            End::Branch { condition, then, otherwise } => self.branch(*condition, then, otherwise),
        }
    }

    /// What a block hands over when it goes on at another one.
    fn come_from_here(&mut self, target: &Jump) {
        self.incoming[target.label.index()].push((self.label.clone(), target.args.clone()));
    }

    fn branch(&mut self, condition: Value, then: &Jump, otherwise: &Jump) {
        let condition = self.typed(condition);
        self.come_from_here(then);
        // A block comes from another one once, so what may be handed over twice comes from a block of its own.
        let other = if then.label == otherwise.label { self.fresh_label() } else { format!("L{}", otherwise.label.index()) };
        self.line(&format!("br {condition}, label %L{}, label %{other}", then.label.index()));
        if then.label == otherwise.label {
            self.begin(&other);
            self.line(&format!("br label %L{}", otherwise.label.index()));
        }
        self.come_from_here(otherwise);
    }

    /// Does something where a mask holds; gives the labels of the block in front and of the one in which it is done.
    fn only_if(&mut self, mask: Option<Value>, done: impl FnOnce(&mut Self)) -> Option<[String; 2]> {
        let Some(mask) = mask else {
            done(self);
            return None;
        };
        let (inside, behind) = (self.fresh_label(), self.fresh_label());
        let (before, mask) = (self.label.clone(), self.typed(mask));
        self.line(&format!("br {mask}, label %{inside}, label %{behind}"));
        self.begin(&inside);
        done(self);
        self.line(&format!("br label %{behind}"));
        self.begin(&behind);
        Some([before, inside])
    }

    fn inst(&mut self, inst: &Inst) {
        match inst {
            Inst::Const { .. } | Inst::Line(_) => {}
            Inst::Prim { result, prim, operands } => self.prim(*result, *prim, operands),
            Inst::Native { result, native, operands } => self.native(*result, *native, operands),
            Inst::Compare { result, prim, operands: [a, b], negated, and } => self.compare(*result, (*prim, *negated), [*a, *b], *and),
            Inst::MultiplyAdd { result, factors, summand, wide } => self.multiply_add(*result, *factors, *summand, *wide),
            Inst::Lookup { results, index, tables } => {
                results.iter().zip(tables).for_each(|(result, table)| self.lookup(*result, *index, table));
            }
            Inst::Param { result, index } => self.param(*result, *index),
            Inst::Data { result, index } => {
                let index = *index as usize;
                let (name, length) = (data_name(self.function, index), self.function.data[index].bytes.len());
                let pointer = self.dialect.pointer(&format!("[{length} x i8]"), GLOBAL);
                self.define(*result, &format!("ptrtoint {pointer} @{name} to i64"));
            }
            Inst::Special { result, which } => self.special(*result, *which),
            Inst::Load { result, space, address, offset, mask, strong } => {
                let others = mask.map(|(mask, other)| (mask, vec![other]));
                self.load(&[*result], *space, (*address, *offset), others, *strong);
            }
            Inst::LoadWide { results, space, address, offset, mask } => self.load(results, *space, (*address, *offset), mask.clone(), None),
            Inst::Store { value, space, address, offset, mask, strong } => {
                self.store(&[*value], *space, (*address, *offset), *mask, *strong);
            }
            Inst::StoreWide { values, space, address, offset, mask } => self.store(values, *space, (*address, *offset), *mask, None),
            Inst::LoadMatrices { results, address, offset, transposed } => {
                self.load_matrices(results, (*address, *offset), *transposed);
            }
            Inst::CopyAsync { to, from, bytes, given, mask } => self.copy_async(*to, *from, *bytes, *given, *mask),
            Inst::CommitCopies => self.commit_copies(),
            Inst::WaitCopies { pending } => self.wait_copies(*pending),
            Inst::Pack { result, halves } => {
                let halves = halves.map(|half| self.operand(half));
                let low = self.compute(&format!("insertelement <2 x i16> undef, i16 {}, i32 0", halves[0]));
                let both = self.compute(&format!("insertelement <2 x i16> {low}, i16 {}, i32 1", halves[1]));
                self.define(*result, &format!("bitcast <2 x i16> {both} to i32"));
            }
            Inst::Unpack { halves, value } => {
                let both = self.compute(&format!("bitcast {} to <2 x i16>", self.typed(*value)));
                for (n, half) in halves.iter().enumerate() {
                    self.define(*half, &format!("extractelement <2 x i16> {both}, i32 {n}"));
                }
            }
            Inst::Atomic { result, update, strong, address, value, mask } => {
                self.atomic(*result, *update, *strong, (*address, *value), *mask);
            }
            Inst::Multimem { result, access, address, offset, mask, strong } => {
                self.multimem(*result, *access, (*address, *offset), *mask, *strong);
            }
            Inst::Shuffle { result, value, from } => self.shuffle(*result, *value, *from),
            Inst::Product { results, product, factors, sums } => self.product(results, *product, factors, sums),
            Inst::Barrier => self.do_call("llvm.nvvm.barrier0", &[]),
            Inst::Print { format, args } => self.call_print(*format, args),
            Inst::Allocate { result, bytes, alignment } => {
                let operands = [format!("i64 {bytes}"), format!("i64 {alignment}")];
                let call = self.called("i64", "__cuda_syscall_aligned_malloc", &operands);
                self.define(*result, &call);
            }
            Inst::Free { address } => {
                let address = self.typed(*address);
                self.do_call("free", &[address]);
            }
            Inst::Depend(Dependency::Wait) => self.assembly("griddepcontrol.wait;", "~{memory}", &[]),
            Inst::Depend(Dependency::Launch) => self.assembly("griddepcontrol.launch_dependents;", "~{memory}", &[]),
        }
    }

    /// Calls a function that gives nothing.
    fn do_call(&mut self, name: &str, operands: &[String]) {
        let call = self.called("void", name, operands);
        self.line(&call);
    }

    /// An instruction of PTX that gives nothing.
    fn assembly(&mut self, text: &str, constraints: &str, operands: &[String]) {
        self.line(&format!("call void asm sideeffect \"{text}\", \"{constraints}\"({})", operands.join(", ")));
    }

    fn param(&mut self, result: Value, index: u32) {
        if self.lane(result) == Lane::Mask {
            let bit = self.compute(&format!("and i8 %p{index}, 1"));
            self.define(result, &format!("icmp ne i8 {bit}, 0"));
        } else {
            self.known.insert(result, format!("%p{index}"));
        }
    }

    fn special(&mut self, result: Value, which: Special) {
        let axis = |axis: u8| ['x', 'y', 'z'][usize::from(axis)];
        let register = match which {
            Special::Thread => "tid.x".to_owned(),
            Special::Block(n) => format!("ctaid.{}", axis(n)),
            Special::Blocks(n) => format!("nctaid.{}", axis(n)),
            Special::Shared => {
                let pointer = self.dialect.pointer(&memory::shared_type(self.function), IN_SHARED);
                return self.define(result, &format!("ptrtoint {pointer} @{SHARED} to i32"));
            }
        };
        let call = self.called("i32", &format!("llvm.nvvm.read.ptx.sreg.{register}"), &[]);
        self.define(result, &call);
    }

    fn shuffle(&mut self, result: Value, value: Value, from: From) {
        let (mode, lanes, limit) = match from {
            From::Across(lanes) => ("bfly", lanes, 31),
            From::Before(lanes) => ("up", lanes, 0),
            From::After(lanes) => ("down", lanes, 31),
        };
        let ty = ty(self.lane(value));
        let kind = if ty == "float" { "f32" } else { ty };
        let operands = ["i32 -1".to_owned(), self.typed(value), format!("i32 {lanes}"), format!("i32 {limit}")];
        let call = self.called(ty, &format!("llvm.nvvm.shfl.sync.{mode}.{kind}"), &operands);
        self.define(result, &call);
    }

    fn product(&mut self, results: &[Value], product: Product, factors: &[Vec<Value>; 2], sums: &[Value]) {
        if self.dialect == Dialect::Seven {
            return self.product_by_assembly(results, product, factors, sums);
        }
        let name = |signed: bool| if signed { "s8" } else { "u8" };
        let (name, taken) = match product {
            Product::F16 => ("m16n8k16.row.col.f32.f32".to_owned(), "<2 x half>"),
            Product::Bf16 => ("m16n8k16.row.col.bf16".to_owned(), "i32"),
            Product::Tf32 => ("m16n8k8.row.col.tf32".to_owned(), "i32"),
            Product::F64 => ("m8n8k4.row.col.f64".to_owned(), "double"),
            Product::F8 { .. } => return self.product_by_assembly(results, product, factors, sums),
            Product::I8 { signed: [a, b] } if a == b => (format!("m16n8k32.row.col.{}", name(a)), "i32"),
            Product::I8 { signed: [a, b] } => (format!("m16n8k32.row.col.{}.{}", name(a), name(b)), "i32"),
        };
        let mut operands: Vec<String> = Vec::new();
        for factor in factors.iter().flatten() {
            let own = ty(self.lane(*factor));
            operands.push(if own == taken {
                self.typed(*factor)
            } else {
                let bits = self.compute(&format!("bitcast {} to {taken}", self.typed(*factor)));
                format!("{taken} {bits}")
            });
        }
        operands.extend(sums.iter().map(|sum| self.typed(*sum)));
        self.call_for_several(results, &format!("llvm.nvvm.mma.{name}"), &operands);
    }

    /// A product that the dialect has no intrinsic for.
    fn product_by_assembly(&mut self, results: &[Value], product: Product, factors: &[Vec<Value>; 2], sums: &[Value]) {
        let mut next = 0;
        let lists = [results, &factors[0], &factors[1], sums].map(|values| {
            next += values.len();
            places(next - values.len(), values.len())
        });
        let text = format!("mma.sync.aligned.{product} {};", lists.join(", "));
        let [sum, factor] = product.lanes();
        let mut constraints = vec![format!("={}", memory::constraint(sum)); results.len()];
        let mut operands = Vec::new();
        for value in factors.iter().flatten() {
            operands.push(if self.lane(*value) == factor {
                self.typed(*value)
            } else {
                let bits = self.compute(&format!("bitcast {} to {}", self.typed(*value), ty(factor)));
                format!("{} {bits}", ty(factor))
            });
            constraints.push(memory::constraint(factor).to_string());
        }
        for value in sums {
            operands.push(self.typed(*value));
            constraints.push(memory::constraint(sum).to_string());
        }
        let (all, constraints, operands) = (structure(sum, results.len()), constraints.join(","), operands.join(", "));
        let call = format!("call {all} asm sideeffect \"{text}\", \"{constraints}\"({operands}) #{TOGETHER}");
        self.define_several(results, &all, &call);
    }

    /// Calls what gives one result, or several of one type in a structure.
    fn call_for_several(&mut self, results: &[Value], name: &str, operands: &[String]) {
        let all = structure(self.lane(results[0]), results.len());
        let call = self.called(&all, name, operands);
        self.define_several(results, &all, &call);
    }

    /// Defines values as what is computed together.
    fn define_several(&mut self, results: &[Value], all: &str, text: &str) {
        let parts = self.taken_apart(all, text, results.len());
        self.known.extend(results.iter().copied().zip(parts));
    }

    /// What is computed together, one by one.
    fn taken_apart(&mut self, all: &str, text: &str, count: usize) -> Vec<String> {
        let together = self.compute(text);
        if count == 1 {
            return vec![together];
        }
        (0..count).map(|n| self.compute(&format!("extractvalue {all} {together}, {n}"))).collect()
    }

    fn lookup(&mut self, result: Value, index: Value, table: &[u32; 16]) {
        let number = self.tables.iter().position(|known| known == table).unwrap_or_else(|| {
            self.tables.push(*table);
            self.tables.len() - 1
        });
        let low = self.compute(&format!("and {}, 15", self.typed(index)));
        let [all, one] = ["[16 x i32]", "i32"].map(|ty| self.dialect.pointer(ty, CONSTANT));
        let place = self.compute(&format!("getelementptr [16 x i32], {all} @tilewright_table_{number}, i32 0, i32 {low}"));
        let bits = self.compute(&format!("load i32, {one} {place}, align 4"));
        self.define(result, &format!("bitcast i32 {bits} to float"));
    }

    fn module(mut self, target: Target) -> String {
        let mut text = String::new();
        let mut at = 0;
        for (index, begin) in self.begins.iter().enumerate() {
            text += &self.body[at..*begin];
            at = *begin;
            for (n, param) in self.function.blocks[index].params.iter().enumerate() {
                let from = self.incoming[index].iter().map(|(label, args)| format!("[ {}, %{label} ]", self.operand(args[n])));
                let from: Vec<String> = from.collect();
                let ty = ty(self.lane(*param));
                // What nobody hands over is in a block that nobody goes to.
                let source = if from.is_empty() { format!("bitcast {ty} undef to {ty}") } else { format!("phi {ty} {}", from.join(", ")) };
                let _ = writeln!(text, "  {} = {source}", self.operand(*param));
            }
        }
        text += &self.body[at..];
        let function = self.function;
        let params = function.params.iter().enumerate();
        let params: Vec<String> = params.map(|(n, lane)| format!("{} %p{n}", param_type(*lane))).collect();
        let locals = self.locals();
        let header = format!("define ptx_kernel void @{}({}) #0 {{\nentry:\n{locals}  br label %L0\n", function.name, params.join(", "));
        let declarations: String = std::mem::take(&mut self.declarations).into_iter().map(|line| line + "\n").collect();
        format!(
            "target datalayout = \"{DATA_LAYOUT}\"\ntarget triple = \"nvptx64-nvidia-cuda\"\n\n{}{header}{text}}}\n\n{declarations}\n{}",
            self.variables(),
            annotations(function, target, self.dialect)
        )
    }
}

/// The type of a parameter of the entry; a mask takes a byte.
const fn param_type(lane: Lane) -> &'static str {
    if matches!(lane, Lane::Mask) { "i8" } else { ty(lane) }
}

/// The type that stands in front of an operand.
fn type_of(operand: &str) -> &str {
    let begin = if operand.contains(" addrspace(") {
        operand.find(')')
    } else if operand.starts_with('<') {
        operand.find('>')
    } else {
        None
    };
    let begin = begin.unwrap_or(0);
    operand[begin..].find(' ').map_or(operand, |length| &operand[..begin + length])
}

/// The name of data.
fn data_name(function: &Function, index: usize) -> String {
    function.data[index].name.clone().unwrap_or_else(|| format!("tilewright_data_{index}"))
}

/// That the function is a kernel, how many threads a block has, and which GPU it is for.
fn annotations(function: &Function, target: Target, dialect: Dialect) -> String {
    let (name, threads) = (&function.name, function.threads);
    let params: Vec<&str> = function.params.iter().map(|lane| param_type(*lane)).collect();
    let pointer = dialect.pointer(&format!("void ({})", params.join(", ")), 0);
    let cpu = target.name();
    format!(
        "attributes #0 = {{ \"nvvm.reqntid\"=\"{threads},1,1\" \"target-cpu\"=\"{cpu}\" }}\n\
         attributes #{TOGETHER} = {{ convergent nounwind }}\n\n\
         !nvvm.annotations = !{{!0, !1}}\n\
         !0 = !{{{pointer} @{name}, !\"kernel\", i32 1}}\n\
         !1 = !{{{pointer} @{name}, !\"reqntidx\", i32 {threads}, !\"reqntidy\", i32 1, !\"reqntidz\", i32 1}}\n\
         !nvvmir.version = !{{!2}}\n\
         !2 = !{{i32 2, i32 0}}\n"
    )
}
