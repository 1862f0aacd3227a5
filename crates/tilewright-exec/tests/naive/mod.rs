//! A deliberately naive evaluator of the IR: one element at a time, in exact numbers, without a plan. It knows nothing of the
//! engine; what it says of each element is the value, or how far the engine may be from it.

mod elementwise;
pub(crate) mod facts;
mod fold;
mod fuse;
mod math;
mod matrix;
mod memory;
pub(crate) mod number;
mod print;
mod shape;
#[allow(dead_code, reason = "tests of the checker read it")]
pub(crate) mod trace;
pub(crate) mod value;
mod views;

pub(crate) use memory::Memory;

use facts::FactsCheck;
use tilewright_ir::{
    AtomicRMWMode, AttrName, AttrValue, Block, Body, Module, MultimemReductionKind, OpRef, Opcode, RoundingMode, Scalar, Value,
};
use value::{Element, Item, Tile, Trust};
use views::{Tensor, View};

/// What a value of the program is.
#[derive(Clone, Debug)]
pub(crate) enum Val {
    Tile(Tile),
    Tensor(Tensor),
    View(View),
    Token,
}

/// How a block of operations ended.
enum End {
    Yield(Vec<Val>),
    Continue(Vec<Val>),
    Break(Vec<Val>),
    Return(Vec<Val>),
}

/// The evaluator, running one tile block.
pub(crate) struct Naive<'m> {
    module: &'m Module,
    body: &'m Body,
    values: Vec<Option<Val>>,
    memory: &'m mut Memory,
    /// What was printed, one text for each operation.
    printed: &'m mut Vec<Vec<u8>>,
    globals: &'m [u64],
    id: [u32; 3],
    grid: [u32; 3],
    facts: &'m FactsCheck,
    /// Sums with products, rounded once, where they are.
    fused: Option<&'m fuse::Fused>,
}

/// Runs the entry of a module on a grid, and gives what it prints, one text for each operation. `args`: the bits of its arguments. What is
/// known of its values is checked.
pub(crate) fn run(module: &Module, memory: &mut Memory, grid: [u32; 3], args: &[u64], facts: &FactsCheck) -> Vec<Vec<u8>> {
    run_with(module, memory, grid, args, facts, None)
}

/// The same, with products that are computed in the sums that read them, by the rule of the pass `fuse-fma`. Gives how many sums these are.
pub(crate) fn run_fused(module: &Module, memory: &mut Memory, grid: [u32; 3], args: &[u64]) -> usize {
    let function = module.functions.iter().find(|function| function.is_entry).expect("there is an entry");
    let fused = fuse::Fused::of(&function.body);
    run_with(module, memory, grid, args, &FactsCheck::new(module), Some(&fused));
    fused.len()
}

fn run_with(
    module: &Module,
    memory: &mut Memory,
    grid: [u32; 3],
    args: &[u64],
    facts: &FactsCheck,
    fused: Option<&fuse::Fused>,
) -> Vec<Vec<u8>> {
    let globals: Vec<u64> = module.globals.iter().map(|global| memory.allocate(global_bytes(module, global))).collect();
    let function = module.functions.iter().find(|function| function.is_entry).expect("there is an entry");
    let mut printed = Vec::new();
    for z in 0..grid[2] {
        for y in 0..grid[1] {
            for x in 0..grid[0] {
                let values = vec![None; function.body.num_values()];
                let id = [x, y, z];
                let printed = &mut printed;
                let body = &function.body;
                let mut naive = Naive { module, body, values, memory, printed, globals: &globals, id, grid, facts, fused };
                naive.entry(args);
            }
        }
    }
    printed
}

/// The bytes of a global; two numbers of 4 bits share one.
fn global_bytes(module: &Module, global: &tilewright_ir::Global) -> Vec<u8> {
    let (element, shape) = module.tables.types.as_tile(global.ty).expect("a tile");
    let element = Element::of(&module.tables.types, element);
    let tile = shape::constant(module.tables.constants.bytes(global.value), element, &[shape[0] as usize]);
    if element == Element::Number(Scalar::F4E2M1FN) {
        return tile.items.chunks(2).map(|pair| (pair[0].bits | pair[1].bits << 4) as u8).collect();
    }
    tile.items.iter().flat_map(|item| item.bits.to_le_bytes().into_iter().take(element.bits().div_ceil(8) as usize)).collect()
}

impl<'m> Naive<'m> {
    fn entry(&mut self, args: &[u64]) {
        let block = self.body.entry_block().expect("the entry has a body");
        let values: Vec<Val> = self.body.args(block).zip(args).map(|(v, bits)| Val::Tile(Tile::scalar(self.ty(v).0, *bits))).collect();
        self.block(block, values);
    }

    /// Element and shape of a tile.
    fn ty(&self, value: Value) -> (Element, Vec<usize>) {
        let types = &self.module.tables.types;
        let (element, shape) = types.as_tile(self.body.ty(value)).expect("a tile");
        (Element::of(types, element), shape.iter().map(|n| *n as usize).collect())
    }

    fn value(&self, value: Value) -> &Val {
        self.values[value.index()].as_ref().expect("the module was verified")
    }

    fn tile(&self, value: Value) -> &Tile {
        match self.value(value) {
            Val::Tile(tile) => tile,
            other => panic!("{other:?} is no tile"),
        }
    }

    fn named(&self, op: OpRef<'_>, name: &str) -> Option<Tile> {
        op.operand_named(name).first().map(|value| self.tile(*value).clone())
    }

    fn define(&mut self, values: impl Iterator<Item = Value>, vals: Vec<Val>) {
        for (value, val) in values.zip(vals) {
            self.values[value.index()] = Some(val);
        }
    }

    fn vals(&self, values: &[Value]) -> Vec<Val> {
        values.iter().map(|value| self.value(*value).clone()).collect()
    }

    /// Runs a block with these arguments, up to its terminator.
    fn block(&mut self, block: Block, args: Vec<Val>) -> End {
        self.define(self.body.args(block), args);
        for op in self.body.ops(block) {
            for operand in op.operands() {
                if let Val::Tile(tile) = self.value(*operand) {
                    self.facts.used(self.body, op, *operand, tile);
                }
            }
            self.begin(op);
            let handed = || self.vals(op.operands());
            match op.opcode() {
                Opcode::Yield => return End::Yield(handed()),
                Opcode::Continue => return End::Continue(handed()),
                Opcode::Break => return End::Break(handed()),
                Opcode::Return => return End::Return(handed()),
                Opcode::If | Opcode::For | Opcode::Loop => {
                    let end = match op.opcode() {
                        Opcode::If => self.branch(op),
                        Opcode::For => self.count(op),
                        _ => self.repeat(op),
                    };
                    match end {
                        End::Yield(vals) => self.define(op.results(), vals),
                        end => return end,
                    }
                }
                _ => {
                    let vals = self.operation(op);
                    self.computed(op, &vals);
                    self.define(op.results(), vals);
                }
            }
        }
        panic!("blocks end in terminators")
    }

    /// Notes that an operation of the entry runs.
    fn begin(&mut self, op: OpRef<'_>) {
        let [x, y, z] = self.id.map(|id| id as usize);
        let [width, height, _] = self.grid.map(|extent| extent as usize);
        if let Some(trace) = &mut self.memory.trace {
            trace.begin(x + width * (y + height * z), op.id());
        }
    }

    /// Notes what it computed.
    fn computed(&mut self, op: OpRef<'_>, vals: &[Val]) {
        let Some(trace) = &mut self.memory.trace else { return };
        for (value, val) in op.results().zip(vals) {
            if let Val::Tile(tile) = val {
                trace.computed(value, tile);
            }
        }
    }

    /// Runs the function that a call names, and gives what it returns.
    fn call(&mut self, op: OpRef<'_>) -> Vec<Val> {
        let AttrValue::Str(name) = op.attr(AttrName::Callee) else { panic!("a name") };
        let body = &self.module.functions.iter().find(|function| function.name == name).expect("the module was verified").body;
        let args = self.vals(op.operands());
        let values = vec![None; body.num_values()];
        let (module, globals, id, grid, facts) = (self.module, self.globals, self.id, self.grid, self.facts);
        let (memory, printed) = (&mut *self.memory, &mut *self.printed);
        let mut callee = Naive { module, body, values, memory, printed, globals, id, grid, facts, fused: None };
        match callee.block(body.entry_block().expect("the function has a body"), args) {
            End::Return(vals) => vals,
            _ => panic!("a function ends in a return"),
        }
    }

    fn print(&mut self, op: OpRef<'_>) {
        let AttrValue::Str(format) = op.attr(AttrName::Str) else { panic!("a format") };
        let args: Vec<&Tile> = op.operand_named("args").iter().map(|value| self.tile(*value)).collect();
        let text = print::text(&self.module.tables.strings.text(format), &args);
        self.printed.push(text);
    }

    fn branch(&mut self, op: OpRef<'m>) -> End {
        let taken = self.tile(op.operands()[0]).decisive() & 1 == 1;
        match op.region_block(usize::from(!taken)) {
            Some(block) => self.block(block, Vec::new()),
            None => End::Yield(Vec::new()),
        }
    }

    fn count(&mut self, op: OpRef<'m>) -> End {
        let (element, _) = self.ty(op.operands()[0]);
        let width = element.bits();
        let signed = !op.flag(AttrName::UnsignedCmp);
        let read = |this: &Self, i: usize| {
            let bits = i128::from(this.tile(op.operands()[i]).decisive());
            if signed && bits >> (width - 1) & 1 == 1 { bits - (1 << width) } else { bits }
        };
        let (mut counter, upper, step) = (read(self, 0), read(self, 1), read(self, 2));
        let mut carried = self.vals(&op.operands()[3..]);
        let block = op.region_block(0).expect("a for has a body");
        let mut trips = 0;
        while counter < upper {
            trips += 1;
            let bits = (counter & ((1 << width) - 1)) as u64;
            let args = [Val::Tile(Tile::scalar(element, bits))].into_iter().chain(carried).collect();
            match self.block(block, args) {
                End::Continue(vals) => carried = vals,
                end => return end,
            }
            counter += step;
        }
        self.facts.looped(self.body, op, trips);
        End::Yield(carried)
    }

    fn repeat(&mut self, op: OpRef<'m>) -> End {
        let mut carried = self.vals(op.operands());
        let block = op.region_block(0).expect("a loop has a body");
        loop {
            match self.block(block, carried) {
                End::Continue(vals) => carried = vals,
                End::Break(vals) => return End::Yield(vals),
                end => return end,
            }
        }
    }

    /// What an operation without control flow gives.
    fn operation(&mut self, op: OpRef<'m>) -> Vec<Val> {
        let one = |tile: Tile| vec![Val::Tile(tile)];
        let with_token = |tile: Tile| vec![Val::Tile(tile), Val::Token];
        let three = |numbers: [u32; 3]| numbers.map(|n| Val::Tile(Tile::scalar(Element::Number(Scalar::I32), n.into()))).to_vec();
        match op.opcode() {
            Opcode::GetTileBlockId => three(self.id),
            Opcode::GetNumTileBlocks => three(self.grid),
            Opcode::GetGlobal => one(self.global(op)),
            Opcode::MakeToken | Opcode::JoinTokens | Opcode::MemoryFenceAliasTko | Opcode::GdcWaitTko | Opcode::GdcLaunchDependentsTko => {
                vec![Val::Token]
            }
            Opcode::Assert => {
                let condition = self.tile(op.operands()[0]);
                assert!(condition.items.iter().all(|item| item.decisive() & 1 == 1), "programs assert what is true");
                Vec::new()
            }
            Opcode::PreviewCall => self.call(op),
            Opcode::PrintTko => {
                self.print(op);
                vec![Val::Token]
            }
            Opcode::Alloca => one(self.alloca(op)),
            Opcode::MakeTensorView => vec![self.make_tensor(op, op.result(0).expect("a result"))],
            Opcode::MakePartitionView | Opcode::MakeStridedView | Opcode::MakeGatherScatterView => {
                vec![self.make_view(op, op.result(0).expect("a result"))]
            }
            Opcode::GetTensorShape | Opcode::GetIndexSpaceShape => {
                let extents = self.tensor_shape(op.operands()[0]);
                let extent = |(value, n): (Value, u64)| {
                    let element = self.ty(value).0;
                    Val::Tile(Tile::scalar(element, n & (u64::MAX >> (64 - element.bits()))))
                };
                op.results().zip(extents).map(extent).collect()
            }
            Opcode::LoadViewTko | Opcode::MultimemLoadReduceViewTko => with_token(self.load_view(op)),
            Opcode::StoreViewTko | Opcode::MultimemStoreViewTko => {
                let tile = self.named(op, "tile").expect("a tile");
                self.store_view(op, &tile, |_, new| new);
                vec![Val::Token]
            }
            Opcode::AtomicRedViewTko | Opcode::MultimemReduceViewTko => {
                let tile = self.named(op, "value").or_else(|| self.named(op, "tile")).expect("a tile");
                let mode = mode(op, tile.element.scalar());
                self.store_view(op, &tile, |old, new| update(mode, tile.element, old, new));
                vec![Val::Token]
            }
            Opcode::LoadPtrTko => with_token(self.load_pointers(op)),
            Opcode::StorePtrTko => {
                let value = self.named(op, "value").expect("a value");
                self.each_pointer(op, "destination", |memory, i, address| memory.store(address, value.element, value.items[i]));
                vec![Val::Token]
            }
            Opcode::AtomicRMWTko | Opcode::AtomicCASTko => with_token(self.atomic(op)),
            Opcode::MmaF | Opcode::MmaI | Opcode::MmaFScaled => one(self.product(op)),
            Opcode::Reduce | Opcode::Scan => self.fold(op).into_iter().map(Val::Tile).collect(),
            _ => one(self.moved(op).unwrap_or_else(|| self.elementwise(op))),
        }
    }

    fn elementwise(&self, op: OpRef<'_>) -> Tile {
        if let Some(fused) = self.fused.and_then(|fused| fused.at(op)) {
            return self.fused_sum(op, fused);
        }
        let operands: Vec<&Tile> = op.operands().iter().map(|v| self.tile(*v)).collect();
        let from: Vec<Element> = operands.iter().map(|tile| tile.element).collect();
        let (to, shape) = self.ty(op.result(0).expect("a result"));
        Tile::from_fn(to, &shape, |position| {
            let items: Vec<Item> = operands.iter().map(|tile| tile.at(position)).collect();
            elementwise::evaluate(op, &from, to, &items).unwrap_or_else(|| panic!("nobody knows {}", op.opcode()))
        })
    }

    fn global(&self, op: OpRef<'_>) -> Tile {
        let AttrValue::Str(name) = op.attr(AttrName::Name) else { panic!("a name") };
        let position = self.module.globals.iter().position(|global| global.name == name).expect("the module was verified");
        Tile::scalar(self.ty(op.result(0).expect("a result")).0, self.globals[position])
    }

    fn alloca(&mut self, op: OpRef<'_>) -> Tile {
        let (element, _) = self.ty(op.result(0).expect("a result"));
        let Element::Pointer(pointee) = element else { panic!("a pointer") };
        let count = op.int(AttrName::NumElem).unwrap_or(0);
        let bytes = match pointee {
            Scalar::F4E2M1FN => count.div_ceil(2),
            _ => count * u64::from(Element::Number(pointee).bits().div_ceil(8)),
        };
        Tile::scalar(element, self.memory.allocate(vec![0; bytes as usize]))
    }

    /// Visits the pointers that the mask does not hide: their position and address.
    fn each_pointer(&mut self, op: OpRef<'_>, name: &str, mut visit: impl FnMut(&mut Memory, usize, u64)) {
        let pointers = self.named(op, name).expect("pointers");
        let mask = self.named(op, "mask");
        for (i, pointer) in pointers.items.iter().enumerate() {
            if mask.as_ref().is_none_or(|mask| mask.items[i].decisive() & 1 == 1) {
                visit(self.memory, i, pointer.decisive());
            }
        }
    }

    fn load_pointers(&mut self, op: OpRef<'_>) -> Tile {
        let (element, shape) = self.ty(op.result(0).expect("a result"));
        let mut tile = self.named(op, "paddingValue").unwrap_or_else(|| Tile::from_fn(element, &shape, |_| Item::exact(0)));
        self.each_pointer(op, "source", |memory, i, address| tile.items[i] = memory.load(address, element));
        tile
    }

    fn atomic(&mut self, op: OpRef<'_>) -> Tile {
        let (element, shape) = self.ty(op.result(0).expect("a result"));
        let swaps = op.opcode() == Opcode::AtomicCASTko;
        // A masked-off exchange gives the expected value; other updates are said to give nothing, which the engine promises to be 0.
        let (expected, new) = (self.named(op, "cmp"), self.named(op, if swaps { "val" } else { "arg" }).expect("a value"));
        let mut old = expected.clone().unwrap_or_else(|| Tile::from_fn(element, &shape, |_| Item::exact(0)));
        self.each_pointer(op, "pointers", |memory, i, address| {
            let found = memory.load(address, element);
            old.items[i] = found;
            let written = match &expected {
                None => update(mode(op, element.scalar()), element, found, new.items[i]),
                Some(cmp) if [found, cmp.items[i]].iter().any(|item| item.trust != Trust::Exact) => Item::UNKNOWN,
                Some(cmp) if found.bits != cmp.items[i].bits => found,
                Some(_) => new.items[i],
            };
            memory.store(address, element, written);
        });
        old
    }
}

/// How an operation changes memory.
fn mode(op: OpRef<'_>, scalar: Scalar) -> AtomicRMWMode {
    use AtomicRMWMode as M;
    use MultimemReductionKind as K;
    let wire = |name| if let AttrValue::Enum(wire) = op.attr(name) { Some(wire) } else { None };
    if let Some(mode) = wire(AttrName::Mode).and_then(M::from_wire) {
        return mode;
    }
    match wire(AttrName::Reduction).and_then(K::from_wire).expect("a kind of reduction") {
        K::Add if scalar.is_float() => M::Addf,
        K::Add => M::Add,
        K::Min => M::Min,
        K::Max => M::Max,
        K::And => M::And,
        K::Or => M::Or,
        K::Xor => M::Xor,
        K::Umin => M::Umin,
        K::Umax => M::Umax,
    }
}

/// What an atomic update makes of the old value.
fn update(mode: AtomicRMWMode, element: Element, old: Item, new: Item) -> Item {
    if [old, new].iter().any(|item| matches!(item.trust, Trust::Near(_) | Trust::Unknown)) {
        return Item::UNKNOWN;
    }
    let (a, b) = (old.bits, new.bits);
    let signed = |bits: u64| if element.bits() == 32 { i64::from(bits as u32 as i32) } else { bits.cast_signed() };
    let pick = |first: bool| Item::exact(if first { a } else { b });
    match mode {
        AtomicRMWMode::And => Item::exact(a & b),
        AtomicRMWMode::Or => Item::exact(a | b),
        AtomicRMWMode::Xor => Item::exact(a ^ b),
        AtomicRMWMode::Add => Item::exact(a.wrapping_add(b) & u64::MAX >> (64 - element.bits())),
        AtomicRMWMode::Max => pick(signed(a) > signed(b)),
        AtomicRMWMode::Min => pick(signed(a) < signed(b)),
        AtomicRMWMode::Umax => pick(a > b),
        AtomicRMWMode::Umin => pick(a < b),
        AtomicRMWMode::Xchg => new,
        AtomicRMWMode::Addf => {
            let scalar = element.scalar();
            let sum = number::add(&number::decode(scalar, a), &number::decode(scalar, b), RoundingMode::NearestEven);
            elementwise::round(scalar, &sum, RoundingMode::NearestEven)
        }
    }
}
