//! Lowering: the operations of an entry become linear code over virtual registers.
//!
//! Views and tokens exist only here: a view is a description of where its elements lie, kept until an access uses it; tokens
//! order nothing that running in program order does not (SEMANTICS d.5).

mod access;
mod call;
mod control;
mod elementwise;
mod fold;
mod fold_loop;
mod fold_region;
mod local;
mod matrix;
mod memory;
mod prologue;
mod shape;
mod slices;
mod views;
mod watch;

use super::{
    Constants, Inst, Param, PerDim, Tile, VReg,
    inst::Target,
    sites::{SiteTable, Source},
    tile::Base,
};
use crate::{
    PlanError, Site, TargetMachine,
    elem::Elem,
    hash::{HashMap, HashSet},
    memory::{Globals, locals::Allocas},
};
use access::Accesses;
use std::{cell::OnceCell, rc::Rc};
use tilewright_ir::{Block, Body, Function, Module, Op, OpRef, Opcode, Scalar, Str, TypeData, Value};
use tilewright_passes::elementwise::elem_op;
use views::{Tensor, View};

/// Operations may be nested this deep.
const MAX_NESTING: usize = 256;

/// What lowering gives.
pub(super) struct Lowered {
    pub(super) code: Vec<(Inst, u32)>,
    /// Bytes of each register.
    pub(super) registers: Vec<usize>,
    pub(super) sites: SiteTable,
    pub(super) constants: Constants,
    pub(super) params: Vec<Param>,
    pub(super) allocas: Allocas,
    pub(super) prologue: Prologue,
}

/// What a launch computes for all its blocks.
#[derive(Default)]
pub(super) struct Prologue {
    /// Straight code that reads constants of the launch only.
    pub(super) code: Vec<Inst>,
    /// The registers that it writes, which nothing reads, and the offsets in the constants that stand for them.
    pub(super) places: Vec<(VReg, usize)>,
}

/// What a value of the program is to the plan.
#[derive(Clone, Debug)]
enum Val {
    Tile(Tile),
    Tensor(Rc<Tensor>),
    View(Rc<View>),
    Token,
}

/// A loop around the current operation, for `continue` and `break`.
struct Loop {
    /// Registers of the carried values; `None` for tokens.
    carried: Vec<Option<VReg>>,
    /// Registers of the results of a `loop`; `for` has those of the carried values.
    results: Vec<Option<VReg>>,
    /// Where `continue` goes.
    next: Target,
    /// Where `break` goes.
    exit: Target,
    /// How many allocations were open where the loop stands.
    scope: usize,
}

/// An `if` or fold around the current operation, for `yield`.
#[derive(Clone)]
struct Branch {
    /// Registers of the results; `None` for tokens.
    results: Vec<Option<VReg>>,
    /// Where `yield` goes.
    exit: Target,
    /// How many allocations were open where the operation stands.
    scope: usize,
}

/// A call around the current operation, for `return`.
struct Return {
    function: Str,
    /// Registers of the results; `None` for tokens.
    results: Vec<Option<VReg>>,
    exit: Target,
    /// How many allocations were open where the call stands.
    scope: usize,
}

struct Lowerer<'m> {
    source: Source<'m>,
    module: &'m Module,
    globals: &'m Globals,
    machine: TargetMachine,
    body: &'m Body,
    /// Position of the body's function in the module.
    function: u32,
    /// Each operation is shown to a watcher, and carried out as it stands.
    watched: bool,
    /// The functions by their names, each with its position in the module, once one is called.
    functions: OnceCell<HashMap<Str, (u32, &'m Function)>>,
    /// The accesses of the body whose places are functions of indices.
    accesses: Accesses,
    /// The operations of the body that may wait for other blocks.
    waiting: HashSet<Op>,
    /// By value of the body: whether an operation reads it; found out once something asks.
    read: OnceCell<Vec<bool>>,
    values: Vec<Option<Val>>,
    code: Vec<(Inst, u32)>,
    registers: Vec<usize>,
    sites: SiteTable,
    constants: Constants,
    prologue: Prologue,
    labels: usize,
    loops: Vec<Loop>,
    ifs: Vec<Branch>,
    returns: Vec<Return>,
    allocas: Allocas,
    /// The allocations of the regions around the current operation.
    open: Vec<usize>,
    /// The operation being lowered, in `sites`.
    site: u32,
    nesting: usize,
}

/// Lowers an entry.
pub(super) fn lower(
    source: Source<'_>,
    globals: &Globals,
    function: &Function,
    machine: TargetMachine,
    watched: bool,
) -> Result<Lowered, PlanError> {
    let module = source.module();
    let body = &function.body;
    let inputs = function.params(&module.tables);
    let mut lowerer = Lowerer {
        source,
        module,
        globals,
        machine,
        body,
        functions: OnceCell::new(),
        function: position(module, function),
        watched,
        accesses: if watched || !machine.may_race() { Accesses::default() } else { Accesses::find(module, body, &machine) },
        waiting: control::waiting(body),
        read: OnceCell::new(),
        values: vec![None; body.num_values()],
        code: Vec::with_capacity(body.num_ops()),
        registers: Vec::with_capacity(body.num_values()),
        sites: SiteTable::with_capacity(body.num_ops()),
        constants: Constants::with_params(inputs.len()),
        prologue: Prologue::default(),
        labels: 0,
        loops: Vec::new(),
        ifs: Vec::new(),
        returns: Vec::new(),
        allocas: Allocas::default(),
        open: Vec::new(),
        site: 0,
        nesting: 0,
    };
    let mut params = Vec::new();
    if let Some(block) = body.entry_block() {
        for (i, value) in body.args(block).enumerate() {
            let (param, elem) = lowerer.param(value)?;
            params.push(param);
            lowerer.define(value, Val::Tile(Constants::param(i, elem)));
        }
        lowerer.block(block)?;
    }
    let Lowerer { code, registers, sites, constants, allocas, prologue, .. } = lowerer;
    Ok(Lowered { code, registers, sites, constants, params, allocas, prologue })
}

/// Position of a function in its module.
fn position(module: &Module, function: &Function) -> u32 {
    let position = module.functions.iter().position(|other| std::ptr::eq(other, function));
    position.unwrap_or_else(|| unreachable!("a function that is lowered stands in its module")) as u32
}

impl<'m> Lowerer<'m> {
    fn param(&self, value: Value) -> Result<(Param, Elem), PlanError> {
        let types = &self.module.tables.types;
        let ty = self.body.ty(value);
        if let Some((element, [])) = types.as_tile(ty) {
            match types.get(element) {
                TypeData::Scalar(scalar) => return Ok((Param::Scalar(*scalar), Elem::Num(*scalar))),
                TypeData::Pointer { pointee, .. } => {
                    if let Some(scalar) = types.scalar(*pointee) {
                        return Ok((Param::Pointer(scalar), Elem::Ptr));
                    }
                }
                _ => {}
            }
        }
        Err(self.malformed(format!("a parameter cannot be {}", types.display(ty))))
    }

    /// Lowers the operations of a block, up to its terminator.
    fn block(&mut self, block: Block) -> Result<(), PlanError> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return Err(PlanError::TooDeep { site: self.site(), limit: MAX_NESTING });
        }
        let scope = self.open.len();
        for op in self.body.ops(block) {
            if self.accesses.leaves_unused(op.id()) {
                continue;
            }
            self.enter(op);
            if self.watched {
                self.watched_op(op)?
            } else {
                self.op(op)?
            };
        }
        self.open.truncate(scope);
        self.nesting -= 1;
        Ok(())
    }

    /// Makes `op` the operation that errors and instructions name.
    fn enter(&mut self, op: OpRef<'m>) {
        self.site = self.sites.add(self.source, self.function, op);
    }

    fn op(&mut self, op: OpRef<'m>) -> Result<(), PlanError> {
        if let Some(elementwise) = elem_op(op, &self.module.tables.types) {
            return self.elementwise(op, elementwise);
        }
        match op.opcode() {
            Opcode::Constant => self.constant(op),
            Opcode::Iota => self.iota(op),
            Opcode::Assume => self.forward(op),
            Opcode::Reshape => self.reshape(op),
            Opcode::Broadcast => self.broadcast(op),
            Opcode::Permute => self.permute(op),
            Opcode::Extract => self.extract(op),
            Opcode::Insert => self.insert(op),
            Opcode::Cat => self.cat(op),
            Opcode::Pack => self.repack(op, true),
            Opcode::Unpack => self.repack(op, false),
            Opcode::GetGlobal => self.get_global(op),
            Opcode::GetTileBlockId => self.block_id(op),
            Opcode::GetNumTileBlocks => self.grid_size(op),
            Opcode::MakeToken | Opcode::JoinTokens | Opcode::MemoryFenceAliasTko | Opcode::GdcLaunchDependentsTko | Opcode::GdcWaitTko => {
                self.token(op, 0)
            }
            Opcode::MakeTensorView => self.make_tensor_view(op),
            Opcode::MakePartitionView | Opcode::MakeStridedView | Opcode::MakeGatherScatterView => self.make_view(op),
            Opcode::GetTensorShape => self.tensor_shape(op),
            Opcode::GetIndexSpaceShape => self.index_space_shape(op),
            Opcode::LoadViewTko => self.load_view(op),
            Opcode::StoreViewTko => self.store_view(op),
            Opcode::AtomicRedViewTko => self.atomic_view(op),
            Opcode::LoadPtrTko => self.load_pointers(op),
            Opcode::StorePtrTko => self.store_pointers(op),
            Opcode::AtomicRMWTko => self.atomic_rmw(op),
            Opcode::AtomicCASTko => self.atomic_cas(op),
            Opcode::MmaF | Opcode::MmaI | Opcode::MmaFScaled => self.matmul(op),
            Opcode::Reduce | Opcode::Scan => self.fold(op),
            Opcode::PrintTko => self.print(op),
            Opcode::Assert => self.assert(op),
            Opcode::For => self.for_loop(op),
            Opcode::Loop => self.endless_loop(op),
            Opcode::If => self.if_else(op),
            Opcode::Yield => self.yield_values(op),
            Opcode::Continue => self.continue_loop(op),
            Opcode::Break => self.break_loop(op),
            Opcode::Return => self.return_from(op),
            Opcode::Alloca => self.alloca(op),
            Opcode::MultimemLoadReduceViewTko => self.load_view(op),
            Opcode::MultimemStoreViewTko => self.store_view(op),
            Opcode::MultimemReduceViewTko => self.multimem_reduce(op),
            Opcode::PreviewCall => self.call(op),
            // Elementwise operations are above; these have no place in a body.
            _ => Err(self.malformed("it cannot stand in a body, or its attributes are missing".to_owned())),
        }
    }

    fn emit(&mut self, inst: Inst) {
        self.code.push((inst, self.site));
    }

    fn new_label(&mut self) -> Target {
        self.labels += 1;
        self.labels
    }

    fn place_label(&mut self, label: Target) {
        self.emit(Inst::Label(label));
    }

    /// A register of this many bytes.
    fn new_register(&mut self, bytes: usize) -> VReg {
        let reg = VReg(u32::try_from(self.registers.len()).expect("a body holds fewer than 2^32 values"));
        self.registers.push(bytes);
        reg
    }

    /// A register for a tile, and the tile in it.
    fn new_tile(&mut self, elem: Elem, shape: &[usize]) -> (VReg, Tile) {
        let bytes = shape.iter().product::<usize>() * elem.size();
        let reg = self.new_register(bytes);
        (reg, Tile::contiguous(elem, Base::Reg(reg), shape))
    }

    /// The tile with its elements in order, copied if they are not.
    fn in_order(&mut self, tile: Tile) -> Tile {
        if tile.is_contiguous() {
            return tile;
        }
        let (dst, copy) = self.new_tile(tile.elem, &tile.shape);
        self.compute_one(Inst::Move { src: tile, dst }, copy)
    }

    fn define(&mut self, value: Value, val: Val) {
        self.values[value.index()] = Some(val);
    }

    fn define_result(&mut self, op: OpRef<'m>, index: usize, val: Val) -> Result<(), PlanError> {
        let result = op.result(index).ok_or_else(|| self.malformed(format!("result {index} is missing")))?;
        self.define(result, val);
        Ok(())
    }

    fn val(&self, value: Value) -> Result<&Val, PlanError> {
        self.values[value.index()].as_ref().ok_or_else(|| self.malformed("an operand is not defined".to_owned()))
    }

    /// Whether an operation reads a value.
    fn is_read(&self, value: Value) -> bool {
        let read = self.read.get_or_init(|| {
            let mut read = vec![false; self.body.num_values()];
            self.body.preorder().for_each(|op| op.operands().iter().for_each(|operand| read[operand.index()] = true));
            read
        });
        read[value.index()]
    }

    fn tile(&self, value: Value) -> Result<Tile, PlanError> {
        match self.val(value)? {
            Val::Tile(tile) => Ok(tile.clone()),
            _ => Err(self.malformed("an operand must be a tile".to_owned())),
        }
    }

    fn tensor(&self, value: Value) -> Result<Rc<Tensor>, PlanError> {
        match self.val(value)? {
            Val::Tensor(tensor) => Ok(Rc::clone(tensor)),
            _ => Err(self.malformed("an operand must be a tensor_view".to_owned())),
        }
    }

    fn view(&self, value: Value) -> Result<Rc<View>, PlanError> {
        match self.val(value)? {
            Val::View(view) => Ok(Rc::clone(view)),
            _ => Err(self.malformed("an operand must be a view".to_owned())),
        }
    }

    fn operand(&self, op: OpRef<'m>, index: usize) -> Result<Value, PlanError> {
        op.operand(index).ok_or_else(|| self.malformed(format!("operand {index} is missing")))
    }

    fn tile_operand(&self, op: OpRef<'m>, index: usize) -> Result<Tile, PlanError> {
        self.tile(self.operand(op, index)?)
    }

    /// The tiles of the operand with this name in the op table.
    fn tiles_named(&self, op: OpRef<'m>, name: &str) -> Result<Vec<Tile>, PlanError> {
        op.operand_named(name).iter().map(|v| self.tile(*v)).collect()
    }

    fn tile_named(&self, op: OpRef<'m>, name: &str) -> Result<Option<Tile>, PlanError> {
        Ok(self.tiles_named(op, name)?.into_iter().next())
    }

    fn needed(&self, op: OpRef<'m>, name: &str) -> Result<Tile, PlanError> {
        self.tile_named(op, name)?.ok_or_else(|| self.malformed(format!("operand '{name}' is missing")))
    }

    /// Element type and shape of a result.
    fn result_tile(&self, op: OpRef<'m>, index: usize) -> Result<(Elem, PerDim), PlanError> {
        let result = op.result(index).ok_or_else(|| self.malformed(format!("result {index} is missing")))?;
        self.tile_type(result)
    }

    fn tile_type(&self, value: Value) -> Result<(Elem, PerDim), PlanError> {
        let types = &self.module.tables.types;
        let ty = self.body.ty(value);
        let parts = types.as_tile(ty).and_then(|(element, shape)| {
            let shape: Option<PerDim> = shape.iter().map(|&n| usize::try_from(n).ok()).collect();
            Some((Elem::of(types, element)?, shape?))
        });
        parts.ok_or_else(|| self.malformed(format!("a tile is needed, found {}", types.display(ty))))
    }

    fn site(&self) -> Site {
        self.sites.site(self.site)
    }

    fn malformed(&self, what: String) -> PlanError {
        PlanError::Malformed { site: self.site(), what }
    }

    /// Checks a rule that the structural verifier does not.
    fn require(&self, holds: bool, rule: &str) -> Result<(), PlanError> {
        if holds { Ok(()) } else { Err(self.malformed(rule.to_owned())) }
    }

    /// The result is the first operand.
    fn forward(&mut self, op: OpRef<'m>) -> Result<(), PlanError> {
        let val = self.val(self.operand(op, 0)?)?.clone();
        self.define_result(op, 0, val)
    }

    fn token(&mut self, op: OpRef<'m>, index: usize) -> Result<(), PlanError> {
        self.define_result(op, index, Val::Token)
    }

    fn block_id(&mut self, op: OpRef<'m>) -> Result<(), PlanError> {
        let three = self.three(op)?;
        self.emit(Inst::BlockId(three.each_ref().map(|(reg, _)| *reg)));
        self.define_three(op, three.map(|(_, tile)| tile))
    }

    fn grid_size(&mut self, op: OpRef<'m>) -> Result<(), PlanError> {
        let three = self.three(op)?;
        let inst = Inst::GridSize(three.each_ref().map(|(reg, _)| *reg));
        let tiles = self.compute(inst, three.map(|(_, tile)| tile));
        self.define_three(op, tiles)
    }

    /// Registers for the results of an operation: three scalars of 32 bits.
    fn three(&mut self, op: OpRef<'m>) -> Result<[(VReg, Tile); 3], PlanError> {
        const I32: Elem = Elem::Num(Scalar::I32);
        for i in 0..3 {
            let (elem, shape) = self.result_tile(op, i)?;
            self.require(shape.is_empty() && elem == I32, "the results must be i32 scalars")?;
        }
        Ok(std::array::from_fn(|_| self.new_tile(I32, &[])))
    }

    fn define_three(&mut self, op: OpRef<'m>, tiles: [Tile; 3]) -> Result<(), PlanError> {
        tiles.into_iter().enumerate().try_for_each(|(i, tile)| self.define_result(op, i, Val::Tile(tile)))
    }
}

#[cfg(test)]
mod testing {
    use crate::{Plan, Program};
    use std::sync::Arc;
    use tilewright_text::{ParseOptions, parse};

    /// The plan of the entry `k` of a text as it stands.
    pub(super) fn plan(text: &str) -> Arc<Plan> {
        let module = parse(text, &ParseOptions::new()).unwrap_or_else(|errors| panic!("{}", errors[0].render(text, "kernel")));
        Program::without_passes(tilewright_ir::verify(module).unwrap()).plan("k").unwrap()
    }
}
