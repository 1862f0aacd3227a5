//! From a module to a program: names become registers and addresses, bodies become one list of instructions.

mod instructions;

use self::instructions::constant_bits;
use super::op::{Inst, Kind};
use crate::{
    Module, Position, PtxError, Type,
    module::{Constant, Function, Item, Space, Statement, Variable},
};
use std::collections::HashMap;

/// The most bytes of shared memory that a block may have.
const MOST_SHARED: u64 = 228 << 10;
/// The most bytes of local memory that a thread may have.
const MOST_LOCAL: u64 = 512 << 10;
/// The most registers that a program may name: each takes 256 bytes in every warp.
const MOST_REGISTERS: u64 = 1 << 18;
/// The most bytes that the global variables of a module may have.
const MOST_GLOBAL: u64 = 1 << 32;

/// The special registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Special {
    Tid(u8),
    Ntid(u8),
    Ctaid(u8),
    Nctaid(u8),
    LaneId,
    WarpId,
    NWarpId,
    LanemaskEq,
    LanemaskLe,
    LanemaskLt,
    LanemaskGe,
    LanemaskGt,
}

impl Special {
    fn from_name(name: &str) -> Option<Special> {
        let axis = |name: &str| ["x", "y", "z", "w"].iter().position(|axis| *axis == name).map(|axis| axis as u8);
        if let Some((name, of)) = name.split_once('.') {
            let axis = axis(of)?;
            return match name {
                "%tid" => Some(Special::Tid(axis)),
                "%ntid" => Some(Special::Ntid(axis)),
                "%ctaid" => Some(Special::Ctaid(axis)),
                "%nctaid" => Some(Special::Nctaid(axis)),
                _ => None,
            };
        }
        Some(match name {
            "%laneid" => Special::LaneId,
            "%warpid" => Special::WarpId,
            "%nwarpid" => Special::NWarpId,
            "%lanemask_eq" => Special::LanemaskEq,
            "%lanemask_le" => Special::LanemaskLe,
            "%lanemask_lt" => Special::LanemaskLt,
            "%lanemask_ge" => Special::LanemaskGe,
            "%lanemask_gt" => Special::LanemaskGt,
            _ => return None,
        })
    }
}

/// What a register holds before the first instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Preset {
    Bits(u64),
    Special(Special),
    /// The address of the module's n-th global variable plus an offset.
    Global(usize, i64),
}

/// Functions that the system provides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Builtin {
    /// Prints: format and arguments.
    Vprintf,
    /// Allocates: bytes and alignment.
    AlignedMalloc,
    /// Frees what was allocated.
    Free,
}

/// With how many operands and results each has.
const BUILTINS: [(Builtin, usize, usize); 3] = [(Builtin::Vprintf, 2, 1), (Builtin::AlignedMalloc, 2, 1), (Builtin::Free, 1, 0)];

impl Builtin {
    fn name(self) -> &'static str {
        match self {
            Builtin::Vprintf => "vprintf",
            Builtin::AlignedMalloc => "__cuda_syscall_aligned_malloc",
            Builtin::Free => "free",
        }
    }

    /// What stands in place of the number of an instruction: numbers below zero.
    fn target(self) -> i64 {
        -1 - self as i64
    }

    pub(crate) fn of_target(target: i64) -> Option<Builtin> {
        BUILTINS.iter().map(|(builtin, ..)| *builtin).find(|builtin| builtin.target() == target)
    }
}

/// A variable in global or constant memory.
#[derive(Clone, Debug)]
pub(crate) struct GlobalVariable {
    pub(crate) size: u64,
    pub(crate) align: u64,
    pub(crate) bytes: Vec<u8>,
    /// Addresses of other variables, at these offsets.
    pub(crate) addresses: Vec<(usize, usize, i64)>,
    pub(crate) constant: bool,
}

/// A parameter of an entry.
#[derive(Clone, Debug)]
pub(crate) struct Param {
    pub(crate) name: String,
    pub(crate) offset: u64,
    pub(crate) size: u64,
}

/// An entry, ready to run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entry {
    pub(crate) start: u32,
    pub(crate) params: Vec<Param>,
    pub(crate) param_bytes: u64,
    pub(crate) block: Option<[u32; 3]>,
}

/// Where an instruction stands in the text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) position: Position,
    pub(crate) function: u32,
    /// An index into the forms.
    pub(crate) form: u32,
    /// File, line and column of the source.
    pub(crate) source: Option<(u64, u64, u64)>,
}

/// A module, ready to run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    pub(crate) insts: Vec<Inst>,
    pub(crate) places: Vec<Place>,
    pub(crate) forms: Vec<String>,
    pub(crate) functions: Vec<String>,
    pub(crate) files: HashMap<u64, String>,
    pub(crate) registers: u32,
    pub(crate) predicates: u32,
    /// Registers that hold something from the beginning.
    pub(crate) presets: Vec<(u32, Preset)>,
    pub(crate) entries: HashMap<String, Entry>,
    pub(crate) globals: Vec<GlobalVariable>,
    pub(crate) shared: u64,
    pub(crate) local: u64,
}

/// The predicate that is always true.
pub(crate) const TRUE: u32 = 0;

#[derive(Clone, Debug)]
enum Symbol {
    Register {
        slot: u32,
        ty: Type,
    },
    Predicate(u32),
    Global(usize),
    Shared(u64),
    Local(u64),
    /// A parameter of the entry.
    Param(u64),
}

#[derive(Default)]
struct Scope {
    names: HashMap<String, Symbol>,
    /// `%r<N>`: prefix, how many, the type and the first.
    ranges: Vec<(String, u64, Type, u32)>,
}

struct Callee {
    /// Offsets in local memory, and sizes.
    params: Vec<(u64, u64)>,
    returns: Vec<(u64, u64)>,
}

struct Decoder<'m> {
    code: Code,
    scopes: Vec<Scope>,
    constants: HashMap<Preset, u32>,
    callees: HashMap<&'m str, Callee>,
    /// Where functions begin, and the calls that need to know.
    starts: HashMap<&'m str, u32>,
    calls: Vec<(usize, String, Position)>,
    labels: Vec<HashMap<String, u32>>,
    branches: Vec<(usize, String, Position, usize)>,
    forms: HashMap<String, u32>,
    function: u32,
    source: Option<(u64, u64, u64)>,
    /// What is called by what, by name.
    called: Vec<(u32, String)>,
    in_entry: bool,
}

/// Makes a module ready to run.
pub(crate) fn decode(module: &Module) -> Result<Code, PtxError> {
    let mut decoder = Decoder {
        code: Code { predicates: 1, registers: 1, ..Code::default() },
        scopes: vec![Scope::default()],
        constants: HashMap::new(),
        callees: HashMap::new(),
        starts: HashMap::new(),
        calls: Vec::new(),
        labels: Vec::new(),
        branches: Vec::new(),
        forms: HashMap::new(),
        function: 0,
        source: None,
        called: Vec::new(),
        in_entry: false,
    };
    if module.address_size != 64 {
        return Err(PtxError::new(Position::default(), "the machine runs modules of address size 64 only"));
    }
    decoder.module(module)?;
    Ok(decoder.code)
}

fn error<T>(position: Position, message: impl Into<String>) -> Result<T, PtxError> {
    Err(PtxError::new(position, message))
}

/// Bytes and alignment of a variable.
fn extent(variable: &Variable) -> Result<(u64, u64), PtxError> {
    let element = u64::from(variable.ty.bytes()) * u64::from(variable.vector.unwrap_or(1));
    let size = variable.names[0].extents.iter().try_fold(element, |size, extent| size.checked_mul(*extent));
    let size = size.filter(|size| *size <= MOST_GLOBAL);
    let size = size.ok_or_else(|| PtxError::new(variable.position, format!("variable '{}' is too large", variable.names[0].name)))?;
    Ok((size, variable.align.unwrap_or(element).max(1)))
}

fn place(used: &mut u64, size: u64, align: u64, most: u64, position: Position, what: &str) -> Result<u64, PtxError> {
    let at = used.next_multiple_of(align);
    *used = at + size;
    if *used > most { error(position, format!("more than {most} bytes of {what} memory")) } else { Ok(at) }
}

impl<'m> Decoder<'m> {
    fn module(&mut self, module: &'m Module) -> Result<(), PtxError> {
        for item in &module.items {
            match item {
                Item::Variable(variable) => self.global_variable(variable)?,
                Item::File { number, name, .. } => {
                    self.code.files.insert(*number, name.clone());
                }
                _ => {}
            }
        }
        self.fill_globals(module)?;
        for function in module.functions().filter(|function| !function.is_entry) {
            let callee = Callee { params: self.local_params(&function.params)?, returns: self.local_params(&function.returns)? };
            self.callees.insert(&function.name, callee);
        }
        for function in module.functions() {
            self.function(function)?;
        }
        for (inst, name, position) in std::mem::take(&mut self.calls) {
            let start = self.starts.get(name.as_str());
            let start = start.ok_or_else(|| PtxError::new(position, format!("function '{name}' has no body")))?;
            self.code.insts[inst].imm = i64::from(*start);
        }
        self.refuse_recursion(module)
    }

    /// Functions have their registers and local memory once, so none may call itself.
    fn refuse_recursion(&self, module: &Module) -> Result<(), PtxError> {
        let mut depth = vec![1; self.code.functions.len()];
        for round in 0..=self.code.functions.len() {
            let mut changed = false;
            for (caller, callee) in &self.called {
                let Some(callee) = self.code.functions.iter().position(|name| name == callee) else { continue };
                let deeper = depth[*caller as usize] + 1;
                changed |= deeper > depth[callee];
                depth[callee] = depth[callee].max(deeper);
            }
            if !changed {
                return Ok(());
            }
            if round == self.code.functions.len() {
                break;
            }
        }
        let position = module.functions().next().map_or(Position::default(), |function| function.position);
        error(position, "functions that call themselves are not supported by the machine")
    }

    fn global_variable(&mut self, variable: &Variable) -> Result<(), PtxError> {
        let (size, align) = extent(variable)?;
        let name = variable.names[0].name.clone();
        let symbol = match variable.space {
            Space::Shared => Symbol::Shared(place(&mut self.code.shared, size, align, MOST_SHARED, variable.position, "shared")?),
            Space::Global | Space::Const => {
                let total: u64 = self.code.globals.iter().map(|global| global.size).sum::<u64>() + size;
                if total > MOST_GLOBAL {
                    return error(variable.position, format!("more than {MOST_GLOBAL} bytes of global variables"));
                }
                let constant = variable.space == Space::Const;
                self.code.globals.push(GlobalVariable { size, align, bytes: Vec::new(), addresses: Vec::new(), constant });
                Symbol::Global(self.code.globals.len() - 1)
            }
            _ => return error(variable.position, "a variable of a module is in global, constant or shared memory"),
        };
        self.scopes[0].names.insert(name, symbol);
        Ok(())
    }

    fn fill_globals(&mut self, module: &Module) -> Result<(), PtxError> {
        let mut index = 0;
        for item in &module.items {
            let Item::Variable(variable) = item else { continue };
            if !matches!(variable.space, Space::Global | Space::Const) {
                continue;
            }
            let width = variable.ty.bytes() as usize;
            let initial = &variable.names[0].initial;
            if (initial.len() * width) as u64 > self.code.globals[index].size {
                return error(variable.position, "more initial values than elements");
            }
            let (mut bytes, mut addresses) = (Vec::new(), Vec::new());
            for constant in initial {
                let bits = match constant {
                    Constant::Address { name, offset, .. } => {
                        let Some(Symbol::Global(other)) = self.lookup(name) else {
                            return error(variable.position, format!("'{name}' is no global variable"));
                        };
                        addresses.push((bytes.len(), other, *offset));
                        0
                    }
                    _ => constant_bits(constant, variable.ty).ok_or_else(|| PtxError::new(variable.position, "no value of this type"))?,
                };
                bytes.extend_from_slice(&bits.to_le_bytes()[..width.min(8)]);
            }
            if !addresses.is_empty() && width != 8 {
                return error(variable.position, "addresses have 64 bits");
            }
            self.code.globals[index].bytes = bytes;
            self.code.globals[index].addresses = addresses;
            index += 1;
        }
        Ok(())
    }

    fn local_params(&mut self, params: &[Variable]) -> Result<Vec<(u64, u64)>, PtxError> {
        let each = params.iter().map(|param| {
            if param.space == Space::Reg {
                return error(param.position, "parameters in registers are not supported: they are in '.param' space");
            }
            let (size, align) = extent(param)?;
            Ok((place(&mut self.code.local, size, align, MOST_LOCAL, param.position, "local")?, size))
        });
        each.collect()
    }

    fn function(&mut self, function: &'m Function) -> Result<(), PtxError> {
        let start = self.code.insts.len() as u32;
        self.function = self.code.functions.len() as u32;
        self.code.functions.push(function.name.clone());
        self.scopes.push(Scope::default());
        self.labels.push(HashMap::new());
        self.source = None;
        self.in_entry = function.is_entry;
        if function.is_entry {
            let mut entry = Entry { start, block: function.block(), ..Entry::default() };
            for param in &function.params {
                let (size, align) = extent(param)?;
                let offset = place(&mut entry.param_bytes, size, align, 1 << 16, param.position, "parameter")?;
                let name = param.names[0].name.clone();
                self.declare(param.position, &name, Symbol::Param(offset))?;
                entry.params.push(Param { name, offset, size });
            }
            self.code.entries.insert(function.name.clone(), entry);
        } else {
            self.starts.insert(&function.name, start);
            let callee = &self.callees[function.name.as_str()];
            let offsets: Vec<u64> = callee.params.iter().chain(&callee.returns).map(|(offset, _)| *offset).collect();
            for (param, offset) in function.params.iter().chain(&function.returns).zip(offsets) {
                self.declare(param.position, &param.names[0].name, Symbol::Local(offset))?;
            }
        }
        let body = function.body.as_deref().unwrap_or_default();
        self.statements(body)?;
        // A body that runs off its end returns.
        self.emit_made(Kind::Ret, function.position, "ret");
        self.scopes.pop();
        self.labels.pop();
        self.resolve_branches()
    }

    fn resolve_branches(&mut self) -> Result<(), PtxError> {
        for (inst, label, position, target) in std::mem::take(&mut self.branches) {
            if target == usize::MAX {
                return error(position, format!("there is no label '{label}' here"));
            }
            self.code.insts[inst].imm = target as i64;
        }
        Ok(())
    }

    fn declare(&mut self, position: Position, name: &str, symbol: Symbol) -> Result<(), PtxError> {
        let scope = self.scopes.last_mut().expect("a scope");
        match scope.names.insert(name.to_owned(), symbol) {
            None => Ok(()),
            Some(_) => error(position, format!("'{name}' is declared twice")),
        }
    }

    fn lookup(&self, name: &str) -> Option<Symbol> {
        let digits = name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let (prefix, number) = name.split_at(digits);
        // Numbers are written without leading zeros.
        let number = number.parse::<u64>().ok().filter(|_| !number.starts_with('0') || number == "0");
        self.scopes.iter().rev().find_map(|scope| {
            if let Some(symbol) = scope.names.get(name) {
                return Some(symbol.clone());
            }
            let number = number?;
            let (_, _, ty, first) = scope.ranges.iter().find(|(known, count, ..)| known == prefix && number < *count)?;
            let slot = first + number as u32;
            Some(if *ty == Type::Pred { Symbol::Predicate(slot) } else { Symbol::Register { slot, ty: *ty } })
        })
    }

    fn statements(&mut self, statements: &[Statement]) -> Result<(), PtxError> {
        let first = self.branches.len();
        for statement in statements {
            match statement {
                Statement::Label(_, name) => {
                    let here = self.code.insts.len() as u32;
                    self.labels.last_mut().expect("a scope").insert(name.clone(), here);
                }
                Statement::Variable(variable) => self.variable(variable)?,
                Statement::Instruction(instruction) => {
                    self.instruction(instruction)
                        .map_err(|error| PtxError { message: format!("{} in '{instruction}'", error.message), position: error.position })?;
                }
                Statement::Location(at) => self.source = Some((at.file, at.line, at.column)),
                Statement::Pragma(_) => {}
                Statement::Block(inner) => {
                    self.scopes.push(Scope::default());
                    self.labels.push(HashMap::new());
                    self.statements(inner)?;
                    self.labels.pop();
                    self.scopes.pop();
                }
            }
        }
        self.settle_branches(first);
        Ok(())
    }

    /// Branches to labels of the block that ends here get their targets.
    fn settle_branches(&mut self, first: usize) {
        let labels = self.labels.last().expect("a scope");
        for (_, label, _, target) in self.branches[first..].iter_mut().filter(|branch| branch.3 == usize::MAX) {
            if let Some(found) = labels.get(label) {
                *target = *found as usize;
            }
        }
    }

    fn variable(&mut self, variable: &Variable) -> Result<(), PtxError> {
        if variable.space == Space::Reg {
            return self.registers(variable);
        }
        let (size, align) = extent(variable)?;
        let position = variable.position;
        let symbol = match variable.space {
            Space::Shared => Symbol::Shared(place(&mut self.code.shared, size, align, MOST_SHARED, position, "shared")?),
            Space::Local | Space::Param => Symbol::Local(place(&mut self.code.local, size, align, MOST_LOCAL, position, "local")?),
            _ => return error(position, format!("variables in .{} memory stand outside of functions", variable.space.name())),
        };
        self.declare(position, &variable.names[0].name, symbol)
    }

    fn registers(&mut self, variable: &Variable) -> Result<(), PtxError> {
        let is_predicate = variable.ty == Type::Pred;
        if variable.vector.is_some() || variable.ty == Type::B128 {
            return error(variable.position, "registers of several values are not supported");
        }
        for declared in &variable.names {
            let count = declared.count.unwrap_or(1);
            let used = if is_predicate { &mut self.code.predicates } else { &mut self.code.registers };
            let first = *used;
            if u64::from(first).saturating_add(count) > MOST_REGISTERS {
                return error(variable.position, format!("more than {MOST_REGISTERS} registers"));
            }
            *used += count as u32;
            match declared.count {
                Some(count) => {
                    let scope = self.scopes.last_mut().expect("a scope");
                    scope.ranges.push((declared.name.clone(), count, variable.ty, first));
                }
                None if is_predicate => self.declare(variable.position, &declared.name, Symbol::Predicate(first))?,
                None => self.declare(variable.position, &declared.name, Symbol::Register { slot: first, ty: variable.ty })?,
            }
        }
        Ok(())
    }

    fn preset(&mut self, preset: Preset) -> u32 {
        if let Some(slot) = self.constants.get(&preset) {
            return *slot;
        }
        let slot = self.code.registers;
        self.code.registers += 1;
        self.constants.insert(preset, slot);
        self.code.presets.push((slot, preset));
        slot
    }

    fn form(&mut self, name: &str) -> u32 {
        if let Some(form) = self.forms.get(name) {
            return *form;
        }
        let form = self.code.forms.len() as u32;
        self.code.forms.push(name.to_owned());
        self.forms.insert(name.to_owned(), form);
        form
    }

    fn emit(&mut self, inst: Inst, position: Position, name: &str) -> usize {
        let form = self.form(name);
        self.code.insts.push(inst);
        self.code.places.push(Place { position, function: self.function, form, source: self.source });
        self.code.insts.len() - 1
    }

    fn emit_made(&mut self, kind: Kind, position: Position, name: &str) -> usize {
        let inst = Inst {
            kind,
            mods: super::op::Mods::default(),
            guard: TRUE,
            negated: false,
            regs: [0; 6],
            imm: 0,
            imm2: 0,
            inverted: false,
            wide: 64,
            lists: Box::default(),
        };
        self.emit(inst, position, name)
    }

    fn predicate(&self, name: &str, position: Position) -> Result<u32, PtxError> {
        match self.lookup(name) {
            Some(Symbol::Predicate(slot)) => Ok(slot),
            _ => error(position, format!("'{name}' is no predicate")),
        }
    }
}
