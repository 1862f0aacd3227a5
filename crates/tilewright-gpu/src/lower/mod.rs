//! From Tile IR to thread code.

mod allocate;
mod anchors;
mod atomic;
mod bits;
mod call;
mod combiner;
mod control;
mod elementwise;
mod exchange;
mod explain;
mod fragments;
mod memory;
mod native;
mod order;
mod packed;
mod print;
mod product;
mod reduce;
mod replicas;
mod scan;
mod shape;
mod shared;
mod stages;
mod tensor_core;
mod tile;
mod words;

use crate::{
    CompileError, Target, layout,
    thread::{Builder, Dependency, Function, Special, Value},
};
use allocate::Allocations;
use anchors::Anchors;
use call::{Calls, Frame};
use control::Scope;
use elementwise::ElementCodes;
pub use explain::Explained;
use memory::{TensorView, TileView};
use order::{Barriers, Token};
use shared::SharedParts;
use std::collections::HashMap;
use tensor_core::OnTensorCores;
use tile::{Tile, bits_of, dims_of};
use tilewright_ir::{AttrName, Body, Module, Op, OpRef, Opcode, Scalar, Str, TypeData, VerifiedModule, printable};
use tilewright_passes::{elem::Elem, elementwise::elem_op, facts::IntegerFacts};
use tilewright_vector::{Lane, Prim, lower::memory_lane_of};

/// Warps of a block, as bits: as few as these, and more for larger tiles, up to what a GPU takes.
const FEWEST_WARPS: u32 = 2;
const MOST_WARPS: u32 = 5;
/// Elements of a tile that a thread had better hold at most, as bits: half of its registers.
const HELD: u32 = 7;
/// What a thread needs at most in the order of its thread code where an assembler finds an order without spilling for the 255 registers that a
/// thread has.
const MOST_REGISTERS: u32 = 300;
/// The most elements of a tile that a thread holds.
const MAX_REGISTERS: u32 = 2048;
/// The most elements of a tile that each thread holds by itself.
const MAX_ALONE: u32 = 512;

/// Why lowering ends early.
type Stop = Box<CompileError>;

/// What a value of the module is.
#[derive(Clone, Debug)]
enum Lowered {
    Tile(Tile),
    Tensor(TensorView),
    View(TileView),
    /// Orders accesses, which is done where they are.
    Token(Token),
}

struct Lowerer<'m> {
    module: &'m Module,
    target: Target,
    b: Builder,
    frame: Frame<'m>,
    calls: Calls,
    codes: ElementCodes,
    /// The addresses of globals.
    globals: HashMap<Str, Value>,
    warp_bits: u32,
    /// Neighbours that a thread holds of a blocked tile, as bits.
    vector_bits: u32,
    barriers: Barriers,
    shared: SharedParts,
    /// The words that four bytes were taken from, so that they are not put together again.
    words_of_bytes: HashMap<Vec<Value>, Value>,
    /// Whether a combiner is lowered: threads may go different ways, and each holds all of a tile by itself.
    is_alone: bool,
    /// What the regions around the current place have allocated.
    allocations: Vec<Allocations>,
    /// What every operation became, and which one is lowered.
    explained: Vec<Explained>,
    current: usize,
}

/// The thread code of an entry, and what became of its operations.
///
/// Blocks have as few warps as tiles allow, and twice as many where threads would else need far more registers than they have.
pub(crate) fn lower(module: &VerifiedModule, entry: &str, target: Target) -> Result<(Function, Vec<Explained>), CompileError> {
    let module: &Module = module;
    let function = module.function(entry).filter(|function| function.is_entry).ok_or_else(|| CompileError::no_entry(entry))?;
    if !is_identifier(entry) {
        return Err(CompileError::unsupported("entry", &format!("a name that PTX cannot hold, {},", printable(entry)), target, None));
    }
    let warp_bits = warp_bits(module, &function.body);
    let lowered = lower_for(module, (entry, &function.body), target, warp_bits)?;
    let registers = lowered.0.registers();
    if registers <= MOST_REGISTERS || warp_bits == MOST_WARPS {
        return Ok(lowered);
    }
    let wider = lower_for(module, (entry, &function.body), target, warp_bits + 1).ok();
    Ok(wider.filter(|wider| wider.0.registers() < registers).unwrap_or(lowered))
}

/// The same, with this many warps of a block, as bits.
fn lower_for(
    module: &Module,
    (entry, body): (&str, &Body),
    target: Target,
    warp_bits: u32,
) -> Result<(Function, Vec<Explained>), CompileError> {
    let types = &module.tables.types;
    let block = body.entry_block().ok_or_else(|| CompileError::no_entry(entry))?;
    let lane = |ty| types.as_tile(ty).and_then(|(element, _)| Elem::of(types, element)).and_then(held_in);
    let params: Option<Vec<Lane>> = body.args(block).map(|arg| lane(body.ty(arg))).collect();
    let params = params.ok_or_else(|| CompileError::unsupported("entry", "a parameter of this type", target, None))?;
    let facts = IntegerFacts::new(&module.tables, body);
    let mut lowerer = Lowerer {
        module,
        vector_bits: words::vector_bits(module, body, &facts),
        frame: Frame::new(body, facts, anchors(module, body, target, warp_bits), None),
        calls: Calls::default(),
        target,
        b: Builder::new(entry, 32 << warp_bits, params),
        codes: ElementCodes::default(),
        globals: HashMap::new(),
        warp_bits,
        barriers: Barriers::default(),
        shared: SharedParts::default(),
        words_of_bytes: HashMap::new(),
        is_alone: false,
        allocations: Vec::new(),
        explained: Vec::new(),
        current: usize::MAX,
    };
    lowerer.entry(block).map_err(|stop| *stop)?;
    Ok((lowerer.b.finish(), lowerer.explained))
}

/// How many warps a block of an entry has, as bits.
fn warp_bits(module: &Module, entry: &Body) -> u32 {
    let types = &module.tables.types;
    let largest = |body: &Body| {
        let bits = |value| types.as_tile(body.ty(value)).map_or(0, |(_, shape)| bits_of(shape));
        // All elements of most constants are the same.
        let tiles = body.preorder().filter(|op| op.opcode() != Opcode::Constant).flat_map(|op| op.results());
        tiles.map(bits).max().unwrap_or(0)
    };
    let called = module.functions.iter().filter(|function| !function.is_entry).map(|function| largest(&function.body));
    let largest = called.fold(largest(entry), u32::max);
    largest.saturating_sub(layout::LANE_BITS + HELD).clamp(FEWEST_WARPS, MOST_WARPS)
}

/// The layouts of sums of products, and of what is computed from them element by element.
fn anchors(module: &Module, body: &Body, target: Target, warp_bits: u32) -> Anchors {
    let mut anchors = Anchors::new(module, body);
    for op in body.preorder() {
        let how = OnTensorCores::of(module, body, op, target, warp_bits, &anchors.whole_rows);
        let Some(result) = op.result(0).filter(|_| matches!(op.opcode(), Opcode::MmaF | Opcode::MmaI | Opcode::MmaFScaled)) else {
            continue;
        };
        let shape = module.tables.types.as_tile(body.ty(result)).map(|(_, shape)| shape);
        let layout = how.map(|how| how.sums()).or_else(|| shape.map(|shape| product::sums_layout(shape, warp_bits)));
        layout.into_iter().for_each(|layout| anchors.anchor(result, layout));
    }
    // What is left of such tiles when they are reduced, and the same elements in another shape.
    let types = &module.tables.types;
    for op in body.preorder() {
        for (operand, result) in op.operands().iter().zip(op.results()) {
            let shape = types.as_tile(body.ty(*operand)).map(|(_, shape)| shape);
            let (Some(layout), Some(shape)) = (anchors.layout(*operand), shape) else { continue };
            let layout = match (op.opcode(), op.int(AttrName::Dim)) {
                (Opcode::Reduce, Some(dim)) => layout.without(dims_of(shape)[dim as usize]),
                (Opcode::Reshape, _) => layout.clone(),
                _ => continue,
            };
            anchors.anchor(result, layout);
        }
    }
    anchors
}

/// What a thread holds an element in; 4 bits have zeros above.
fn held_in(elem: Elem) -> Option<Lane> {
    if elem == bits::I4 { Some(Lane::I8) } else { memory_lane_of(elem) }
}

/// For each value the operations that read it, in their order.
fn uses(body: &Body) -> HashMap<tilewright_ir::Value, Vec<Op>> {
    let mut uses: HashMap<tilewright_ir::Value, Vec<Op>> = HashMap::new();
    body.walk(|op| op.operands().iter().for_each(|value| uses.entry(*value).or_default().push(op.id())));
    uses
}

/// Whether PTX takes a name as it is.
fn is_identifier(name: &str) -> bool {
    let first = name.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_' && name.len() > 1);
    first && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$'))
}

impl Lowerer<'_> {
    fn entry(&mut self, block: tilewright_ir::Block) -> Result<(), Stop> {
        for (index, arg) in self.frame.body.args(block).enumerate() {
            let types = &self.module.tables.types;
            let elem = types.as_tile(self.frame.body.ty(arg)).and_then(|(element, _)| Elem::of(types, element));
            let mut value = self.b.param(index as u32);
            if elem == Some(bits::I4) {
                let low = self.b.constant(Lane::I8, 15);
                value = self.b.prim(Prim::And, &[value, low]);
            }
            let tile = self.splat(elem.expect("parameters are tiles"), &[], value);
            self.frame.values.insert(arg, Lowered::Tile(tile));
        }
        self.begin_region(None);
        self.block(block, Scope::ENTRY)
    }

    /// Where in the source an operation stems from: file, line and column.
    fn source_of(&self, op: OpRef<'_>) -> Option<(String, u32, u32)> {
        let (file, line, column) = self.module.tables.locations.source(op.loc())?;
        Some((self.module.tables.strings.text(file).into_owned(), line, column))
    }

    /// What of an operation is not covered.
    fn unsupported(&self, op: OpRef<'_>, what: &str) -> Stop {
        let location = self.source_of(op).map(|(_, line, column)| format!("line {line}, column {column}"));
        Box::new(CompileError::unsupported(op.opcode().mnemonic(), what, self.target, location.as_deref()))
    }

    /// Element type and shape of a value that is a tile.
    fn tile_type(&self, op: OpRef<'_>, value: tilewright_ir::Value) -> Result<(Elem, Vec<i64>), Stop> {
        let types = &self.module.tables.types;
        let ty = self.frame.body.ty(value);
        let refused = |what: &str| self.unsupported(op, &format!("{}, {what},", types.brief(ty)));
        let (element, shape) = types.as_tile(ty).ok_or_else(|| refused("which is no tile"))?;
        let elem = Elem::of(types, element).ok_or_else(|| refused("with such elements"))?;
        let most = if self.is_alone { u64::from(MAX_ALONE) } else { u64::from(MAX_REGISTERS) << (layout::LANE_BITS + self.warp_bits) };
        if 1 << bits_of(shape) > most {
            return Err(refused(if self.is_alone { "of so many elements in a combiner" } else { "of so many elements" }));
        }
        Ok((elem, shape.to_vec()))
    }

    /// What a thread holds an element in.
    fn lane_of(&self, op: OpRef<'_>, elem: Elem) -> Result<Lane, Stop> {
        held_in(elem).ok_or_else(|| self.unsupported(op, &format!("elements of {elem:?}")))
    }

    fn tile(&self, op: OpRef<'_>, value: tilewright_ir::Value) -> Result<Tile, Stop> {
        match self.frame.values.get(&value) {
            Some(Lowered::Tile(tile)) => Ok(tile.clone()),
            _ => Err(self.unsupported(op, "an operand that is no tile")),
        }
    }

    /// The element of a tile of rank 0.
    fn scalar(&self, op: OpRef<'_>, value: tilewright_ir::Value) -> Result<Value, Stop> {
        Ok(self.tile(op, value)?.registers[0])
    }

    /// Whether an operation reads a value.
    fn is_read(&self, value: tilewright_ir::Value) -> bool {
        self.frame.uses.contains_key(&value)
    }

    fn is_token(&self, value: tilewright_ir::Value) -> bool {
        matches!(self.module.tables.types.get(self.frame.body.ty(value)), TypeData::Token)
    }

    fn define(&mut self, value: tilewright_ir::Value, tile: Tile) {
        self.frame.values.insert(value, Lowered::Tile(tile));
    }

    /// An operation without control flow.
    fn op(&mut self, op: OpRef<'_>) -> Result<(), Stop> {
        if let Some(elem_op) = elem_op(op, &self.module.tables.types) {
            let operands: Vec<Tile> = op.operands().iter().map(|value| self.tile(op, *value)).collect::<Result<_, _>>()?;
            let result = op.result(0).expect("elementwise operations have a result");
            let (elem, _) = self.tile_type(op, result)?;
            let tile = self.elementwise(elem_op, &operands, elem).ok_or_else(|| {
                let types = &self.module.tables.types;
                self.unsupported(op, &format!("{elem_op:?} to {}", types.brief(self.frame.body.ty(result))))
            })?;
            self.define(result, tile);
            return Ok(());
        }
        match op.opcode() {
            Opcode::Reshape
            | Opcode::Broadcast
            | Opcode::Permute
            | Opcode::Iota
            | Opcode::Extract
            | Opcode::Cat
            | Opcode::Insert
            | Opcode::Constant => return self.shape_op(op),
            Opcode::MmaF | Opcode::MmaI | Opcode::MmaFScaled => {
                let whole_rows = &self.frame.anchors.whole_rows;
                let how = OnTensorCores::of(self.module, self.frame.body, op, self.target, self.warp_bits, whole_rows);
                match how.filter(|_| !self.is_alone) {
                    Some(how) => self.tensor_core_product(op, &how)?,
                    None => self.product(op)?,
                }
            }
            Opcode::GetTileBlockId => self.specials(op, Special::Block),
            Opcode::GetNumTileBlocks => self.specials(op, Special::Blocks),
            Opcode::Assume => {
                let known = self.frame.values.get(&op.operands()[0]).cloned().ok_or_else(|| self.unsupported(op, "this operand"))?;
                self.frame.values.insert(op.result(0).expect("a result"), known);
            }
            Opcode::MakeToken | Opcode::JoinTokens | Opcode::MemoryFenceAliasTko => self.pass_tokens(op),
            Opcode::MakeTensorView => {
                let view = self.make_tensor_view(op)?;
                self.frame.values.insert(op.result(0).expect("a view"), view);
            }
            Opcode::MakePartitionView | Opcode::MakeStridedView | Opcode::MakeGatherScatterView => {
                let view = self.make_tile_view(op)?;
                self.frame.values.insert(op.result(0).expect("a view"), view);
            }
            Opcode::GetTensorShape | Opcode::GetIndexSpaceShape => self.shape_of(op)?,
            Opcode::LoadViewTko if self.frame.staged.contains_key(&op.id()) => self.read_stage(op),
            Opcode::LoadViewTko => self.load_view(op)?,
            Opcode::StoreViewTko => self.store_view(op)?,
            Opcode::LoadPtrTko => self.load_ptr(op)?,
            Opcode::StorePtrTko => self.store_ptr(op)?,
            Opcode::AtomicRMWTko => self.atomic_rmw(op)?,
            Opcode::AtomicCASTko => self.atomic_cas(op)?,
            Opcode::AtomicRedViewTko => self.atomic_view(op)?,
            Opcode::MultimemStoreViewTko => self.store_replicas(op)?,
            Opcode::MultimemReduceViewTko => self.reduce_replicas(op)?,
            Opcode::MultimemLoadReduceViewTko => self.load_replicas(op)?,
            Opcode::Reduce => self.reduce(op)?,
            Opcode::Scan => self.scan(op)?,
            Opcode::Pack => self.pack(op)?,
            Opcode::Unpack => self.unpack(op)?,
            Opcode::PrintTko => self.print(op)?,
            Opcode::Assert => self.assert(op)?,
            Opcode::GetGlobal => self.get_global(op)?,
            Opcode::Alloca => self.alloca(op)?,
            Opcode::GdcWaitTko => self.depend(op, Dependency::Wait),
            Opcode::GdcLaunchDependentsTko => self.depend(op, Dependency::Launch),
            _ => return Err(self.unsupported(op, "this operation")),
        }
        Ok(())
    }

    /// Before `sm_90` launches do not depend on each other while they run.
    fn depend(&mut self, op: OpRef<'_>, what: Dependency) {
        if self.target >= Target::Sm90 {
            self.b.depend(what);
        }
        self.pass_tokens(op);
    }

    fn specials(&mut self, op: OpRef<'_>, which: fn(u8) -> Special) {
        for (axis, result) in (0..).zip(op.results()) {
            let value = self.b.special(which(axis));
            let tile = self.splat(Elem::Num(Scalar::I32), &[], value);
            self.define(result, tile);
        }
    }
}
