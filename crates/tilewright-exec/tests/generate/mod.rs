//! Random programs whose behaviour is defined: what decides (conditions, indices, addresses, masks) is always an exact integer
//! in range. Every value that is left at the end of an entry is stored, so that it can be looked at.

mod access;
mod beside;
mod bits;
mod choices;
mod copies;
mod edges;
mod elementwise;
mod folds;
mod functions;
mod grouped;
mod indices;
mod integers;
mod lanes;
mod multimem;
mod normalised;
mod over_k;
mod prints;
mod products;
mod rounds;
mod rows;
mod statements;
mod stored;
mod stores;
mod sums;
mod together;
mod updates;

pub(crate) use beside::beside_program;
pub(crate) use choices::Choices;
pub(crate) use edges::{edge_program, exhaustive_program};
pub(crate) use elementwise::elementwise_program;
pub(crate) use grouped::grouped_program;
pub(crate) use integers::integer_program;
pub(crate) use normalised::normalised_program;
pub(crate) use over_k::over_k_program;
pub(crate) use rounds::rounds_program;
pub(crate) use stored::{BROKEN, stopped_program, stored_program};
pub(crate) use sums::sum_program;

use crate::naive::number;
use crate::regular::{Combination, Element};
use tilewright_ir::{
    AttrValue, Block, Body, Builder, Function, Module, Op, OpBuilder, Opcode, RoundingMode, Scalar, SymbolVisibility, Type, TypeData,
    Value, VerifiedModule, Version, ops::Placement, verify,
};

/// A program with its arguments.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) module: VerifiedModule,
    pub(crate) grid: [u32; 3],
    /// What the first buffer holds; a pointer to it is the first argument.
    pub(crate) input: Vec<u8>,
    /// Bytes of the second buffer, to which the second argument points.
    pub(crate) output: usize,
    /// The other arguments.
    pub(crate) scalars: Vec<(Scalar, u64)>,
}

/// Bytes of the buffer that most programs load from.
const INPUT: usize = 2048;
/// The most operations of a program, roughly.
const BUDGET: usize = 40;
/// One in so many programs ends with rows, where nothing parts what belongs together.
const ROWS_LAST: usize = 10;
/// Scalars that programs take.
const PARAMS: [Scalar; 4] = [Scalar::I32, Scalar::I64, Scalar::F32, Scalar::F16];
/// The shapes of most values.
const SHAPES: [&[i64]; 9] = [&[], &[4], &[2], &[1], &[8], &[2, 4], &[4, 2], &[1, 8], &[2, 2, 2]];

/// All regular operations with all types and attributes.
pub(crate) fn combinations() -> Vec<Vec<Combination>> {
    let mut all = Vec::new();
    for &opcode in Opcode::ALL.iter().filter(|opcode| opcode.def().placement == Placement::Body) {
        let mut found = Vec::new();
        crate::regular::modules(opcode, &mut |_, combination| found.push(combination));
        if !found.is_empty() {
            all.push(found);
        }
    }
    all
}

/// A value that later operations can use.
#[derive(Clone, Debug)]
struct Slot {
    value: Value,
    element: Element,
    shape: Vec<i64>,
    /// Its bits are known exactly, so it can decide something.
    solid: bool,
}

struct Generator<'c> {
    choices: &'c mut Choices,
    combinations: &'c [Vec<Combination>],
    module: Module,
    body: Body,
    block: Block,
    pool: Vec<Slot>,
    /// Operations that may still be made.
    budget: usize,
    depth: usize,
    input: Value,
    /// The beginning of the output.
    all_output: Value,
    /// Where this block of the grid writes.
    output: Value,
    /// Bytes of the input.
    room: usize,
    /// Bytes of the output that are taken.
    written: usize,
    globals: usize,
    /// How many functions were begun.
    functions: usize,
    /// Those that are complete.
    callables: Vec<functions::Callable>,
    /// Blocks do nothing that orders or shows them, and store through pointers.
    grouped: bool,
    /// How many blocks there are along the first axis, and how many bytes of the output each has.
    blocks: Option<(u64, Value)>,
}

/// The program that these decisions make.
pub(crate) fn program(choices: &mut Choices, combinations: &[Vec<Combination>]) -> Program {
    let grid = [choices.below(3) as u32 + 1, choices.once_in(8) as u32 + 1, 1];
    make(choices, combinations, grid, |generator| {
        generator.statements();
        generator.store_all();
        if generator.choices.once_in(ROWS_LAST) {
            generator.rows();
        }
        if generator.choices.below(4) == 3 {
            generator.add_together();
        }
    })
}

/// A program whose body `fill` makes.
fn make(choices: &mut Choices, combinations: &[Vec<Combination>], grid: [u32; 3], fill: impl FnOnce(&mut Generator<'_>)) -> Program {
    let mut module = Module::new("m", Version::LATEST);
    let byte_pointer = module.tables.types.pointer(Scalar::I8.ty()).unwrap();
    let mut params = vec![module.tables.types.tile(byte_pointer, &[]).unwrap(); 2];
    params.extend(PARAMS.map(|scalar| module.tables.types.tile(scalar.ty(), &[]).unwrap()));
    let mut body = Body::new();
    let block = body.add_block(body.root(), &params);
    let args: Vec<Value> = body.args(block).collect();
    let pool = args[2..].iter().zip(PARAMS);
    let pool =
        pool.map(|(value, scalar)| Slot { value: *value, element: Element::Number(scalar), shape: Vec::new(), solid: scalar.is_int() });
    let mut generator = Generator {
        pool: pool.collect(),
        choices,
        combinations,
        module,
        body,
        block,
        budget: BUDGET,
        depth: 0,
        input: args[0],
        all_output: args[1],
        output: args[1],
        room: INPUT,
        written: 0,
        globals: 0,
        functions: 0,
        callables: Vec::new(),
        grouped: false,
        blocks: None,
    };
    let base = generator.place_output(grid);
    fill(&mut generator);
    generator.op(Opcode::Return, |op| op);
    generator.set_constant(base);
    generator.finish(grid, params)
}

/// The constant that says how many bytes each block of the grid writes: known only at the end.
struct Later {
    op: Op,
}

impl Generator<'_> {
    fn build(&mut self) -> Builder<'_> {
        Builder::new(&mut self.module.tables, &mut self.body, self.block)
    }

    fn op(&mut self, opcode: Opcode, build: impl for<'b, 'a> FnOnce(OpBuilder<'b, 'a>) -> OpBuilder<'b, 'a>) -> Op {
        self.budget = self.budget.saturating_sub(1);
        let mut builder = self.build();
        build(builder.op(opcode)).finish().unwrap_or_else(|error| panic!("{error}"))
    }

    fn result(&self, op: Op, index: usize) -> Value {
        self.body.op(op).result(index).expect("the operation has this result")
    }

    fn value(&mut self, opcode: Opcode, build: impl for<'b, 'a> FnOnce(OpBuilder<'b, 'a>) -> OpBuilder<'b, 'a>) -> Value {
        let op = self.op(opcode, build);
        self.result(op, 0)
    }

    fn ty(&mut self, element: Element, shape: &[i64]) -> Type {
        let types = &mut self.module.tables.types;
        let element = match element {
            Element::Number(scalar) => scalar.ty(),
            Element::PointerTo(scalar) => types.pointer(scalar.ty()).unwrap(),
        };
        types.tile(element, shape).unwrap()
    }

    fn keep(&mut self, value: Value, element: Element, shape: &[i64], solid: bool) {
        self.pool.push(Slot { value, element, shape: shape.to_vec(), solid });
    }

    /// The base of what this block writes: `out + (x + X * y) * bytes`.
    fn place_output(&mut self, grid: [u32; 3]) -> Later {
        let i32_ty = self.ty(Element::Number(Scalar::I32), &[]);
        let ids = self.op(Opcode::GetTileBlockId, |op| op.results(&[i32_ty; 3]));
        let (x, y) = (self.result(ids, 0), self.result(ids, 1));
        let width = self.numbers(Scalar::I32, &[], &[u64::from(grid[0])]);
        let row = self.value(Opcode::MulI, |op| op.operand("lhs", y).operand("rhs", width).result(i32_ty));
        let linear = self.value(Opcode::AddI, |op| op.operand("lhs", row).operand("rhs", x).result(i32_ty));
        let bytes = self.numbers(Scalar::I32, &[], &[0]);
        let later = Later { op: self.body.defining_op(bytes).expect("a constant").id() };
        let offset = self.value(Opcode::MulI, |op| op.operand("lhs", linear).operand("rhs", bytes).result(i32_ty));
        self.output = self.moved(self.output, offset);
        self.blocks = Some((u64::from(grid[0]), bytes));
        self.keep(x, Element::Number(Scalar::I32), &[], true);
        later
    }

    fn set_constant(&mut self, later: Later) {
        self.written = self.written.next_multiple_of(64).max(64);
        let data = self.module.tables.constants.add(&(self.written as u32).to_le_bytes());
        self.body.set_attrs(later.op, &[AttrValue::Const(data)]);
    }

    fn moved(&mut self, pointer: Value, offset: Value) -> Value {
        let ty = self.body.ty(pointer);
        self.value(Opcode::Offset, |op| op.operand("ptr", pointer).operand("offset", offset).result(ty))
    }

    /// A constant of these numbers.
    fn numbers(&mut self, scalar: Scalar, shape: &[i64], bits: &[u64]) -> Value {
        let size = scalar.bits().div_ceil(8) as usize;
        let bytes: Vec<u8> = if scalar == Scalar::I1 {
            let all = shape.iter().product::<i64>() as usize;
            let bit = |i: usize| bits[i % bits.len()] & 1;
            (0..all.div_ceil(8)).map(|byte| (0..8).filter(|b| byte * 8 + b < all).map(|b| (bit(byte * 8 + b) as u8) << b).sum()).collect()
        } else {
            bits.iter().flat_map(|bits| bits.to_le_bytes().into_iter().take(size)).collect()
        };
        self.build().constant(scalar, shape, &bytes).unwrap()
    }

    /// A number that tests something: small, at an edge of its type, or anything.
    fn number(&mut self, scalar: Scalar) -> u64 {
        let mask = u64::MAX >> (64 - scalar.bits());
        let kind = self.choices.below(6);
        if scalar.is_int() {
            // The last ones lie halfway between two floats of some type.
            let edges = [0, 1, 2, mask, mask >> 1, (mask >> 1) + 1, 7, 17, 257, 2049, 16_777_217, (1 << 53) + 1];
            return (if kind < 4 { *self.choices.pick(&edges) } else { self.choices.bits() }) & mask;
        }
        if kind == 5 {
            return self.choices.bits() & mask;
        }
        // Some lie halfway between two numbers of a smaller type.
        let small = [0.0, 1.0, -1.0, 0.5, 2.0, -3.0, 1.5, 100.0, -0.0, 0.1, 1e-5, 6.0, 2.5, 1.0625, -1.1875, 2049.0, 257.0, 16_777_217.0];
        let large = [0.0, f64::INFINITY, f64::NAN, f64::NEG_INFINITY, 1e30, -1e-30, 65504.0, 3e-40, -1e300, 5e-8];
        let value = if kind < 3 { *self.choices.pick(&small) } else { *self.choices.pick(&large) };
        let bits = number::encode(scalar, &number::decode(Scalar::F64, value.to_bits()), RoundingMode::NearestEven);
        if scalar == Scalar::Tf32 { bits >> 13 } else { bits }
    }

    /// A new constant: one number for all elements, or one for each.
    fn constant(&mut self, element: Element, shape: &[i64]) -> Value {
        let n = shape.iter().product::<i64>() as usize;
        let ty = self.ty(element, shape);
        match element {
            Element::PointerTo(_) => {
                let address = self.constant(Element::Number(Scalar::I64), shape);
                self.value(Opcode::IntToPtr, |op| op.operand("source", address).result(ty))
            }
            // There are no constants of this type.
            Element::Number(Scalar::I4) => {
                let wide = self.constant(Element::Number(Scalar::I8), shape);
                self.value(Opcode::TruncI, |op| op.operand("from", wide).result(ty))
            }
            Element::Number(scalar) => {
                let count = if n > 1 && self.choices.below(3) > 0 { n } else { 1 };
                let bits: Vec<u64> = (0..count).map(|_| self.number(scalar)).collect();
                self.numbers(scalar, shape, &bits)
            }
        }
    }

    /// A value of this type: one that is there, or a new constant. `solid`: it decides something.
    fn operand(&mut self, element: Element, shape: &[i64], solid: bool) -> Value {
        let fits = |slot: &&Slot| slot.element == element && (slot.solid || !solid);
        let same: Vec<Value> = self.pool.iter().filter(fits).filter(|slot| slot.shape == shape).map(|slot| slot.value).collect();
        if !same.is_empty() && self.choices.below(5) > 0 {
            return *self.choices.pick(&same);
        }
        let n: i64 = shape.iter().product();
        let reshaped: Vec<Value> =
            self.pool.iter().filter(fits).filter(|slot| slot.shape.iter().product::<i64>() == n).map(|slot| slot.value).collect();
        if !reshaped.is_empty() && self.choices.below(3) > 0 && element != Element::PointerTo(Scalar::F4E2M1FN) {
            let source = *self.choices.pick(&reshaped);
            let ty = self.ty(element, shape);
            return self.value(Opcode::Reshape, |op| op.operand("source", source).result(ty));
        }
        self.constant(element, shape)
    }

    /// A shape that tiles of this element can have.
    fn shape(&mut self, element: Element) -> Vec<i64> {
        match element {
            Element::PointerTo(Scalar::F4E2M1FN) => Vec::new(),
            Element::Number(Scalar::F4E2M1FN) => self.choices.pick(&[[4].as_slice(), &[2], &[8], &[2, 4], &[4, 2], &[1, 8]]).to_vec(),
            _ => self.choices.pick(&SHAPES).to_vec(),
        }
    }

    /// Adds a block to a region of `op`; `build` sees its arguments. What it makes goes out of sight afterwards.
    fn region(&mut self, op: Op, index: usize, args: &[Type], build: impl FnOnce(&mut Self, &[Value])) {
        let region = self.body.op(op).regions().nth(index).expect("the operation has this region");
        let block = self.body.add_block(region, args);
        let outer = std::mem::replace(&mut self.block, block);
        let (depth, visible) = (self.depth, self.pool.len());
        self.depth += 1;
        let args: Vec<Value> = self.body.args(block).collect();
        build(self, &args);
        self.pool.truncate(visible);
        (self.block, self.depth) = (outer, depth);
    }

    fn finish(mut self, grid: [u32; 3], params: Vec<Type>) -> Program {
        let signature = TypeData::Function { inputs: params.into(), results: [].into() };
        let signature = self.module.tables.types.intern(signature).unwrap();
        let name = self.module.tables.strings.intern("k");
        let (hints, arg_attrs, loc, visibility) = (None, None, None, SymbolVisibility::Public);
        let input = self.input_bytes();
        let scalars = PARAMS.map(|scalar| (scalar, self.number(scalar))).to_vec();
        self.module.functions.push(Function { name, signature, is_entry: true, visibility, hints, arg_attrs, loc, body: self.body });
        let blocks = grid.iter().product::<u32>() as usize;
        let module = verify(self.module).unwrap_or_else(|findings| panic!("{}: {}", findings[0].rule, findings[0].message));
        Program { module, grid, input, output: self.written * blocks, scalars }
    }

    /// Bytes of all kinds: with small numbers, large ones, and bits of common floats.
    fn input_bytes(&mut self) -> Vec<u8> {
        let mut state = self.choices.bits();
        let mut byte = |_: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let random = (state >> 33) as u8;
            match state >> 60 {
                0..=3 => 0,
                4..=6 => random & 3,
                7 => 0x3f,
                8 => 0xbf,
                9 => 0xff,
                10 => 0x40,
                _ => random,
            }
        };
        (0..self.room).map(&mut byte).collect()
    }
}
