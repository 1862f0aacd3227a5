//! Thread code: what one thread of a block does, in SSA form over basic blocks with parameters.
//!
//! Values have the lane types of vector code, and computing is done by its primitives. Threads meet in shared memory and at barriers, which
//! all threads of a block reach alike.

mod builder;
mod flow;
pub(crate) mod liveness;
mod memory;
mod native;
mod optimize;
mod product;
mod sink;
mod text;
mod verify;

pub use builder::Builder;
pub use memory::{Combined, Order, Replicas, Scope, Space, Strong, Update};
pub use native::Native;
pub use product::Product;
pub use verify::{Finding, verify};

use tilewright_vector::{Lane, Prim};

/// A value: what an instruction gives, or a parameter of a block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Value(pub(crate) u32);

impl Value {
    /// Its place among the values of the function.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The value at a place among the values of the function.
    pub(crate) const fn at(index: u32) -> Value {
        Value(index)
    }
}

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Label(pub(crate) u32);

impl Label {
    /// Its place among the blocks of the function.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What one thread of an entry does.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// The entry's name.
    pub name: String,
    /// Threads of a block.
    pub threads: u32,
    /// Bytes of shared memory.
    pub shared: u32,
    /// Types of the parameters; a mask takes a byte, of which the lowest bit counts.
    pub params: Vec<Lane>,
    /// Types of the values.
    pub values: Vec<Lane>,
    /// What lies in the device's memory from the beginning.
    pub data: Vec<Data>,
    /// The files of the source.
    pub files: Vec<String>,
    /// The blocks; the first one is where a thread begins.
    pub blocks: Vec<Block>,
}

/// Bytes in the device's memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Data {
    /// The name of a global that others may look up; other data has no name of its own.
    pub name: Option<String>,
    /// What it begins with.
    pub bytes: Vec<u8>,
    /// A power of two.
    pub alignment: u64,
}

/// A basic block.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Block {
    /// What those who jump here hand over.
    pub params: Vec<Value>,
    /// What it does.
    pub insts: Vec<Inst>,
    /// Where it goes on.
    pub end: End,
}

/// Where a block goes on.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum End {
    /// The thread ends.
    #[default]
    Return,
    /// The launch ends with an error.
    Trap,
    /// At another block.
    Jump(Target),
    /// At one of two blocks.
    Branch {
        /// A mask: whether at the first one.
        condition: Value,
        /// Where if it holds.
        then: Target,
        /// Where if not.
        otherwise: Target,
    },
}

/// A block with what is handed over to it.
#[derive(Clone, PartialEq, Debug)]
pub struct Target {
    /// The block.
    pub label: Label,
    /// Its parameters.
    pub args: Vec<Value>,
}

/// What a thread is told about itself: `i32`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Special {
    /// Its number in its block.
    Thread,
    /// The position of its block in the grid, along x, y or z.
    Block(u8),
    /// The extent of the grid.
    Blocks(u8),
    /// The address at which shared memory begins.
    Shared,
}

/// Which lane's value a shuffle takes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum From {
    /// That of the lane whose number differs in these bits.
    Across(u32),
    /// That of the lane so many before; the own value, if there is none.
    Before(u32),
    /// That of the lane so many behind; the own value, if there is none.
    After(u32),
}

/// What launches that depend on each other say.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dependency {
    /// Waits for the launches that this one depends on.
    Wait,
    /// Lets the launches begin that depend on this one.
    Launch,
}

/// An instruction.
#[derive(Clone, PartialEq, Debug)]
pub enum Inst {
    /// A number, by its bits.
    Const {
        /// The number.
        result: Value,
        /// Its bits.
        bits: u64,
    },
    /// A primitive of vector code.
    Prim {
        /// What it gives.
        result: Value,
        /// The primitive.
        prim: Prim,
        /// As many as it takes.
        operands: Vec<Value>,
    },
    /// An instruction that vector code has no primitive for.
    Native {
        /// What it gives.
        result: Value,
        /// Which one.
        native: Native,
        /// As many as it takes.
        operands: Vec<Value>,
    },
    /// The numbers that the lowest four bits of an `i32` name in tables of bits of `f32`.
    Lookup {
        /// The numbers, one of each table.
        results: Vec<Value>,
        /// Which ones.
        index: Value,
        /// The tables.
        tables: Vec<[u32; 16]>,
    },
    /// A parameter of the entry.
    Param {
        /// Its value.
        result: Value,
        /// Which one.
        index: u32,
    },
    /// The address of numbers in the device's memory: `i64`.
    Data {
        /// The address.
        result: Value,
        /// Which numbers.
        index: u32,
    },
    /// What a thread is told about itself.
    Special {
        /// The number.
        result: Value,
        /// Which one.
        which: Special,
    },
    /// Reads memory.
    Load {
        /// What was read.
        result: Value,
        /// Where from.
        space: Space,
        /// The address.
        address: Value,
        /// Bytes behind it.
        offset: i32,
        /// Whether to read, and what to give if not.
        mask: Option<(Value, Value)>,
        /// Weak if nothing.
        strong: Option<Strong>,
    },
    /// Writes memory.
    Store {
        /// What is written.
        value: Value,
        /// Where to.
        space: Space,
        /// The address.
        address: Value,
        /// Bytes behind it.
        offset: i32,
        /// Whether to write.
        mask: Option<Value>,
        /// Weak if nothing.
        strong: Option<Strong>,
    },
    /// Reads neighbouring numbers at once, 8 or 16 bytes at a multiple of as many.
    LoadWide {
        /// What was read: two or four values of one type.
        results: Vec<Value>,
        /// Where from.
        space: Space,
        /// The address.
        address: Value,
        /// Bytes behind it.
        offset: i32,
        /// Whether to read, and what to give if not.
        mask: Option<(Value, Vec<Value>)>,
    },
    /// Reads one, two or four matrices of 8 rows of 16 bytes in shared memory, of which each lane gets a word: lane `l` that number `l % 4` of row
    /// `l / 4`. All lanes of the warp do it together.
    LoadMatrices {
        /// A word of each matrix: all `i32` or all `f32`.
        results: Vec<Value>,
        /// Of each lane: row `l % 8` of matrix `l / 8`.
        address: Value,
        /// Bytes behind it.
        offset: i32,
        /// Whether the lane gets halves `l / 4` of rows `2 (l % 4)` and the next instead.
        transposed: bool,
    },
    /// Writes neighbouring numbers at once, 8 or 16 bytes at a multiple of as many.
    StoreWide {
        /// What is written: two or four values of one type.
        values: Vec<Value>,
        /// Where to.
        space: Space,
        /// The address.
        address: Value,
        /// Bytes behind it.
        offset: i32,
        /// Whether to write.
        mask: Option<Value>,
    },
    /// Begins to copy 4, 8 or 16 bytes from the device's memory to shared memory, at multiples of as many in both. They are there when the thread
    /// has waited for the group of the copy; other threads see them behind a barrier.
    CopyAsync {
        /// The address in shared memory, and bytes behind it.
        to: (Value, i32),
        /// The address in the device's memory, and bytes behind it.
        from: (Value, i32),
        /// How many.
        bytes: u32,
        /// How many of them are read, `i32`: zeros are written behind; all, if nothing is said.
        given: Option<Value>,
        /// Whether to copy.
        mask: Option<Value>,
    },
    /// The copies that the thread began since its last group are a group.
    CommitCopies,
    /// Waits for the copies of the thread, but for those of so many of its last groups.
    WaitCopies {
        /// How many may still be on their way.
        pending: u32,
    },
    /// Multiplies and adds integers.
    MultiplyAdd {
        /// The sum.
        result: Value,
        /// Both of one type.
        factors: [Value; 2],
        /// What the product is added to, if anything.
        summand: Option<Value>,
        /// Whether factors are unsigned numbers of 32 bits and the sum has 64.
        wide: bool,
    },
    /// Compares two numbers, and says whether a mask holds too.
    Compare {
        /// A mask.
        result: Value,
        /// A primitive that compares.
        prim: Prim,
        /// What is compared.
        operands: [Value; 2],
        /// Whether the opposite of what the primitive says is meant.
        negated: bool,
        /// The mask.
        and: Option<Value>,
    },
    /// Puts two `i16` into an `i32`.
    Pack {
        /// Both.
        result: Value,
        /// The lower and the upper one.
        halves: [Value; 2],
    },
    /// Takes an `i32` apart.
    Unpack {
        /// The lower and the upper `i16`.
        halves: [Value; 2],
        /// Both.
        value: Value,
    },
    /// Reads and writes the device's memory in one.
    Atomic {
        /// The old value, and what it is where nothing is done.
        result: Option<(Value, Value)>,
        /// What is written.
        update: Update,
        /// What it orders.
        strong: Strong,
        /// The address.
        address: Value,
        /// What the old value is updated with.
        value: Value,
        /// Whether to do it.
        mask: Option<Value>,
    },
    /// Accesses all replicas of memory, from `sm_90` on.
    Multimem {
        /// What is read, and what it is where nothing is.
        result: Option<(Value, Value)>,
        /// What is done.
        access: Replicas,
        /// The address, of the device's memory.
        address: Value,
        /// Bytes behind it.
        offset: i32,
        /// Whether to do it.
        mask: Option<Value>,
        /// Weak if nothing.
        strong: Option<Strong>,
    },
    /// Takes the value of another lane. All lanes of the warp do it together.
    Shuffle {
        /// The other lane's value.
        result: Value,
        /// This lane's value: `i32` or `f32`.
        value: Value,
        /// Which other lane.
        from: From,
    },
    /// Multiplies two matrices that the lanes of a warp hold as fragments and adds sums. All lanes of the warp do it together.
    Product {
        /// The new sums.
        results: Vec<Value>,
        /// Of what.
        product: Product,
        /// Registers of the left and of the right factors.
        factors: [Vec<Value>; 2],
        /// Registers of what the product is added to.
        sums: Vec<Value>,
    },
    /// Prints like `printf` of C.
    Print {
        /// The address of the format, which a zero ends: `i64`.
        format: Value,
        /// What is printed: `i32`, `i64` or `f64`; a text is the address of bytes that a zero ends.
        args: Vec<Value>,
    },
    /// Takes memory of the device: an `i64`, zero if there is no more.
    Allocate {
        /// Its address.
        result: Value,
        /// How much.
        bytes: u64,
        /// A power of two.
        alignment: u64,
    },
    /// Gives memory back.
    Free {
        /// Its address: `i64`.
        address: Value,
    },
    /// Waits for another launch, or lets it begin.
    Depend(Dependency),
    /// Waits for all threads of the block; what they did before is seen behind it.
    Barrier,
    /// Does nothing: what follows stems from this place of the source. What moves elsewhere leaves its place behind.
    Line(SourceLine),
}

/// A place in the source.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SourceLine {
    /// Which file of the function's.
    pub file: u32,
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: u32,
}

impl Inst {
    /// What it gives.
    pub fn results(&self) -> &[Value] {
        use std::slice::from_ref;
        match self {
            Inst::Const { result, .. }
            | Inst::Prim { result, .. }
            | Inst::Native { result, .. }
            | Inst::Param { result, .. }
            | Inst::Data { result, .. }
            | Inst::Special { result, .. }
            | Inst::Load { result, .. }
            | Inst::Allocate { result, .. }
            | Inst::Compare { result, .. }
            | Inst::Pack { result, .. }
            | Inst::MultiplyAdd { result, .. }
            | Inst::Shuffle { result, .. } => from_ref(result),
            Inst::LoadWide { results, .. } | Inst::LoadMatrices { results, .. } => results,
            Inst::Product { results, .. } | Inst::Lookup { results, .. } => results,
            Inst::Unpack { halves, .. } => halves,
            Inst::Atomic { result, .. } | Inst::Multimem { result, .. } => result.as_ref().map_or(&[], |(result, _)| from_ref(result)),
            Inst::Store { .. } | Inst::StoreWide { .. } | Inst::Barrier | Inst::Print { .. } | Inst::Free { .. } | Inst::Depend(_) => &[],
            Inst::CopyAsync { .. } | Inst::CommitCopies | Inst::WaitCopies { .. } | Inst::Line(_) => &[],
        }
    }

    /// What it reads.
    pub fn operands(&self) -> Vec<Value> {
        match self {
            Inst::Const { .. } | Inst::Param { .. } | Inst::Data { .. } | Inst::Special { .. } => Vec::new(),
            Inst::Barrier | Inst::Allocate { .. } | Inst::Depend(_) | Inst::Line(_) => Vec::new(),
            Inst::CommitCopies | Inst::WaitCopies { .. } => Vec::new(),
            Inst::CopyAsync { to, from, given, mask, .. } => [to.0, from.0].into_iter().chain(*given).chain(*mask).collect(),
            Inst::Print { format, args } => std::iter::once(*format).chain(args.iter().copied()).collect(),
            Inst::Free { address } | Inst::LoadMatrices { address, .. } => vec![*address],
            Inst::Prim { operands, .. } | Inst::Native { operands, .. } => operands.clone(),
            Inst::Lookup { index, .. } => vec![*index],
            Inst::Load { address, mask, .. } => {
                std::iter::once(*address).chain(mask.iter().flat_map(|(mask, other)| [*mask, *other])).collect()
            }
            Inst::Store { value, address, mask, .. } => [*value, *address].into_iter().chain(*mask).collect(),
            Inst::Atomic { result, update, address, value, mask, .. } => {
                let expected = if let Update::CompareExchange(expected) = update { Some(*expected) } else { None };
                [*address, *value].into_iter().chain(expected).chain(*mask).chain(result.map(|(_, other)| other)).collect()
            }
            Inst::Multimem { result, access, address, mask, .. } => {
                [*address].into_iter().chain(access.value()).chain(*mask).chain(result.map(|(_, other)| other)).collect()
            }
            Inst::LoadWide { address, mask, .. } => std::iter::once(*address)
                .chain(mask.iter().flat_map(|(mask, others)| std::iter::once(*mask).chain(others.clone())))
                .collect(),
            Inst::StoreWide { values, address, mask, .. } => values.iter().copied().chain([*address]).chain(*mask).collect(),
            Inst::Product { factors: [lhs, rhs], sums, .. } => [lhs, rhs, sums].into_iter().flatten().copied().collect(),
            Inst::Pack { halves, .. } => halves.to_vec(),
            Inst::MultiplyAdd { factors: pair, summand: more, .. } | Inst::Compare { operands: pair, and: more, .. } => {
                pair.iter().copied().chain(*more).collect()
            }
            Inst::Unpack { value, .. } | Inst::Shuffle { value, .. } => vec![*value],
        }
    }

    /// Puts other values in the place of those that it reads.
    pub(crate) fn replace_operands(&mut self, with: impl Fn(Value) -> Value) {
        let one = |value: &mut Value| *value = with(*value);
        let all = |values: &mut [Value]| values.iter_mut().for_each(one);
        match self {
            Inst::Const { .. } | Inst::Param { .. } | Inst::Data { .. } | Inst::Special { .. } => {}
            Inst::Barrier | Inst::Allocate { .. } | Inst::Depend(_) | Inst::Line(_) => {}
            Inst::CommitCopies | Inst::WaitCopies { .. } => {}
            Inst::CopyAsync { to, from, given, mask, .. } => {
                one(&mut to.0);
                one(&mut from.0);
                given.iter_mut().chain(mask).for_each(one);
            }
            Inst::Print { format, args } => {
                one(format);
                all(args);
            }
            Inst::Free { address } | Inst::LoadMatrices { address, .. } => one(address),
            Inst::Prim { operands, .. } | Inst::Native { operands, .. } => all(operands),
            Inst::Lookup { index, .. } => one(index),
            Inst::Load { address, mask, .. } => {
                one(address);
                if let Some((mask, other)) = mask {
                    one(mask);
                    one(other);
                }
            }
            Inst::LoadWide { address, mask, .. } => {
                one(address);
                if let Some((mask, others)) = mask {
                    one(mask);
                    all(others);
                }
            }
            Inst::Store { value, address, mask, .. } => {
                one(value);
                one(address);
                mask.iter_mut().for_each(one);
            }
            Inst::StoreWide { values, address, mask, .. } => {
                all(values);
                one(address);
                mask.iter_mut().for_each(one);
            }
            Inst::Atomic { result, update, address, value, mask, .. } => {
                one(address);
                one(value);
                if let Update::CompareExchange(expected) = update {
                    one(expected);
                }
                mask.iter_mut().for_each(one);
                result.iter_mut().for_each(|(_, other)| one(other));
            }
            Inst::Multimem { result, access, address, mask, .. } => {
                one(address);
                if let Replicas::Store(value) | Replicas::Reduce(_, value) = access {
                    one(value);
                }
                mask.iter_mut().for_each(one);
                result.iter_mut().for_each(|(_, other)| one(other));
            }
            Inst::Product { factors: [lhs, rhs], sums, .. } => {
                all(lhs);
                all(rhs);
                all(sums);
            }
            Inst::Pack { halves, .. } => all(halves),
            Inst::MultiplyAdd { factors: pair, summand: more, .. } | Inst::Compare { operands: pair, and: more, .. } => {
                all(pair);
                more.iter_mut().for_each(one);
            }
            Inst::Unpack { value, .. } | Inst::Shuffle { value, .. } => one(value),
        }
    }

    /// Whether it does something that is seen elsewhere, so that it stays even if its result is not read. Where code stems from is seen by people.
    pub fn has_effect(&self) -> bool {
        match self {
            Inst::Store { .. } | Inst::StoreWide { .. } | Inst::Atomic { .. } | Inst::Barrier | Inst::Print { .. } => true,
            Inst::Allocate { .. } | Inst::Free { .. } | Inst::Depend(_) | Inst::Line(_) => true,
            Inst::CopyAsync { .. } | Inst::CommitCopies | Inst::WaitCopies { .. } => true,
            Inst::Load { strong, .. } => strong.is_some(),
            Inst::Multimem { access, strong, .. } => strong.is_some() || access.value().is_some(),
            _ => false,
        }
    }

    /// Whether it does nothing but give its result.
    pub fn is_pure(&self) -> bool {
        !self.has_effect()
            && !matches!(
                self,
                Inst::Load { .. }
                    | Inst::LoadWide { .. }
                    | Inst::LoadMatrices { .. }
                    | Inst::Shuffle { .. }
                    | Inst::Product { .. }
                    | Inst::Multimem { .. }
            )
    }
}

impl End {
    /// Puts other values in the place of those that it reads.
    pub(crate) fn replace_operands(&mut self, with: impl Fn(Value) -> Value) {
        let in_target = |target: &mut Target| target.args.iter_mut().for_each(|value| *value = with(*value));
        match self {
            End::Return | End::Trap => {}
            End::Jump(target) => in_target(target),
            End::Branch { condition, then, otherwise } => {
                *condition = with(*condition);
                in_target(then);
                in_target(otherwise);
            }
        }
    }

    /// Where it may go on.
    pub fn targets(&self) -> Vec<&Target> {
        match self {
            End::Return | End::Trap => Vec::new(),
            End::Jump(target) => vec![target],
            End::Branch { then, otherwise, .. } => vec![then, otherwise],
        }
    }
}

/// The most bytes of shared memory that an entry can declare; more is dynamic shared memory, which a launch asks for.
pub(crate) const STATIC_SHARED: u32 = 48 << 10;

impl Function {
    /// Bytes of dynamic shared memory that a launch must give; zero if the entry declares what it needs.
    pub fn dynamic_shared(&self) -> u32 {
        if self.shared > STATIC_SHARED { self.shared } else { 0 }
    }

    /// The most registers of 32 bits that a thread needs at once if it does everything in this order; an assembler looks for a better one.
    pub fn registers(&self) -> u32 {
        liveness::pressure(self)
    }

    /// The type of a value.
    pub fn lane(&self, value: Value) -> Lane {
        self.values[value.index()]
    }

    /// Removes what computes and is not read.
    pub(crate) fn remove_unused(&mut self) {
        let mut used = vec![false; self.values.len()];
        let mut changed = true;
        // Blocks may read what later ones hand over, so more than one walk may be needed.
        while changed {
            changed = false;
            let mut mark = |value: Value, used: &mut Vec<bool>| {
                changed |= !std::mem::replace(&mut used[value.index()], true);
            };
            for block in self.blocks.iter().rev() {
                if let End::Branch { condition, .. } = &block.end {
                    mark(*condition, &mut used);
                }
                for target in block.end.targets() {
                    let params = &self.blocks[target.label.index()].params;
                    for (arg, param) in target.args.iter().zip(params) {
                        if used[param.index()] {
                            mark(*arg, &mut used);
                        }
                    }
                }
                for inst in block.insts.iter().rev() {
                    let needed = inst.has_effect() || inst.results().iter().any(|result| used[result.index()]);
                    if needed {
                        inst.operands().into_iter().for_each(|value| mark(value, &mut used));
                    }
                }
            }
        }
        let kept: Vec<Vec<bool>> = self.blocks.iter().map(|block| block.params.iter().map(|param| used[param.index()]).collect()).collect();
        for (block, kept_params) in self.blocks.iter_mut().zip(&kept) {
            block.insts.retain(|inst| inst.has_effect() || inst.results().iter().any(|result| used[result.index()]));
            retain(&mut block.params, kept_params);
            match &mut block.end {
                End::Return | End::Trap => {}
                End::Jump(target) => retain(&mut target.args, &kept[target.label.index()]),
                End::Branch { then, otherwise, .. } => {
                    retain(&mut then.args, &kept[then.label.index()]);
                    retain(&mut otherwise.args, &kept[otherwise.label.index()]);
                }
            }
        }
    }
}

fn retain(values: &mut Vec<Value>, kept: &[bool]) {
    let mut kept = kept.iter();
    values.retain(|_| *kept.next().expect("one for each value"));
}
