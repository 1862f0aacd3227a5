//! Making thread code: constants are folded, and what was computed in the same block is not computed again.

use super::{
    Block, Data, Dependency, End, From, Function, Inst, Label, Native, Product, Replicas, SourceLine, Space, Special, Strong, Target,
    Update, Value,
};
use std::collections::{HashMap, HashSet};
use tilewright_vector::{Lane, Prim};

/// What makes two pure instructions the same.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    Prim(Prim, Vec<Value>),
    Native(Native, Vec<Value>),
    Lookup(Value, Box<[u32; 16]>),
    Pack([Value; 2]),
}

/// Makes a [`Function`] block by block.
pub struct Builder {
    function: Function,
    current: Label,
    /// Constants, parameters and what a thread is told about itself stand in the first block, for all.
    constants: HashMap<(Lane, u64), Value>,
    bits: HashMap<Value, u64>,
    specials: HashMap<Special, Value>,
    entry: Vec<Inst>,
    known: HashMap<Key, Value>,
    /// Where in the source the code of the current block stems from.
    last_line: Option<SourceLine>,
    /// What halves are halves of.
    wholes: HashMap<[Value; 2], Value>,
    /// Addresses in shared memory that count from its beginning in the address space, not from the function's first byte.
    absolute: HashSet<Value>,
}

impl Builder {
    /// Begins a function whose blocks have so many threads; instructions go to its first block.
    pub fn new(name: &str, threads: u32, params: Vec<Lane>) -> Builder {
        let function = Function {
            name: name.to_owned(),
            threads,
            shared: 0,
            params,
            values: Vec::new(),
            data: Vec::new(),
            files: Vec::new(),
            blocks: vec![Block::default(), Block::default()],
        };
        Builder {
            function,
            current: Label(1),
            constants: HashMap::new(),
            bits: HashMap::new(),
            specials: HashMap::new(),
            entry: Vec::new(),
            known: HashMap::new(),
            last_line: None,
            wholes: HashMap::new(),
            absolute: HashSet::new(),
        }
    }

    /// The type of a value.
    pub fn lane(&self, value: Value) -> Lane {
        self.function.lane(value)
    }

    /// The bits of a value that is known.
    pub fn constant_bits(&self, value: Value) -> Option<u64> {
        self.bits.get(&value).copied()
    }

    fn value(&mut self, lane: Lane) -> Value {
        self.function.values.push(lane);
        Value(self.function.values.len() as u32 - 1)
    }

    fn push(&mut self, inst: Inst) {
        self.function.blocks[self.current.index()].insts.push(inst);
    }

    /// Adds a block with parameters of these types.
    pub fn block(&mut self, params: &[Lane]) -> (Label, Vec<Value>) {
        let params: Vec<Value> = params.iter().map(|lane| self.value(*lane)).collect();
        self.function.blocks.push(Block { params: params.clone(), ..Block::default() });
        (Label(self.function.blocks.len() as u32 - 1), params)
    }

    /// Adds parameters of these types to a block that nobody jumps to yet.
    pub fn more_params(&mut self, label: Label, lanes: &[Lane]) -> Vec<Value> {
        let params: Vec<Value> = lanes.iter().map(|lane| self.value(*lane)).collect();
        self.function.blocks[label.index()].params.extend(&params);
        params
    }

    /// Ends the current block.
    pub fn end(&mut self, end: End) {
        self.function.blocks[self.current.index()].end = end;
    }

    /// Goes on in this block.
    pub fn continue_in(&mut self, label: Label) {
        self.current = label;
        self.known.clear();
        self.last_line = None;
    }

    /// Ends the current block and goes on at another.
    pub fn jump(&mut self, label: Label, args: Vec<Value>) {
        self.end(End::Jump(Target { label, args }));
    }

    /// A number, by its bits.
    pub fn constant(&mut self, lane: Lane, bits: u64) -> Value {
        let bits = bits & lane.bits();
        if let Some(value) = self.constants.get(&(lane, bits)) {
            return *value;
        }
        let result = self.value(lane);
        self.entry.push(Inst::Const { result, bits });
        self.constants.insert((lane, bits), result);
        self.bits.insert(result, bits);
        result
    }

    /// A parameter of the entry.
    pub fn param(&mut self, index: u32) -> Value {
        let result = self.value(self.function.params[index as usize]);
        self.entry.push(Inst::Param { result, index });
        result
    }

    /// What a thread is told about itself.
    pub fn special(&mut self, which: Special) -> Value {
        if let Some(value) = self.specials.get(&which) {
            return *value;
        }
        let result = self.value(Lane::I32);
        self.entry.push(Inst::Special { result, which });
        self.specials.insert(which, result);
        result
    }

    /// The address of numbers in the device's memory.
    pub fn data(&mut self, bytes: Vec<u8>) -> Value {
        self.named_data(Data { name: None, bytes, alignment: 16 })
    }

    /// The address of data in the device's memory.
    pub fn named_data(&mut self, data: Data) -> Value {
        let result = self.value(Lane::I64);
        self.function.data.push(data);
        self.entry.push(Inst::Data { result, index: self.function.data.len() as u32 - 1 });
        result
    }

    /// Computes a primitive.
    pub fn prim(&mut self, prim: Prim, operands: &[Value]) -> Value {
        if let Some(value) = self.simpler(prim, operands) {
            return value;
        }
        let lane = self.lane(operands[operands.len() - 1]);
        let key = Key::Prim(prim, operands.to_vec());
        if let Some(value) = self.known.get(&key) {
            return *value;
        }
        let result = self.value(prim.result(lane));
        self.push(Inst::Prim { result, prim, operands: operands.to_vec() });
        self.known.insert(key, result);
        result
    }

    /// Computes what GPUs have an instruction for.
    pub fn native(&mut self, native: Native, operands: &[Value]) -> Value {
        let key = Key::Native(native, operands.to_vec());
        if let Some(value) = self.known.get(&key) {
            return *value;
        }
        let result = self.value(native.result());
        self.push(Inst::Native { result, native, operands: operands.to_vec() });
        self.known.insert(key, result);
        result
    }

    /// What gives the same as a primitive of constants, or of one constant that changes nothing.
    fn simpler(&mut self, prim: Prim, operands: &[Value]) -> Option<Value> {
        let last = operands[operands.len() - 1];
        let lane = self.lane(last);
        let bits: Vec<Option<u64>> = operands.iter().map(|value| self.constant_bits(*value)).collect();
        if let Some(all) = bits.iter().copied().collect::<Option<Vec<u64>>>() {
            let operand = |n: usize| all.get(n).copied().unwrap_or(0);
            let mut out = [0];
            prim.evaluate(lane, [&[operand(0)], &[operand(1)], &[operand(2)]], &mut out);
            return Some(self.constant(prim.result(lane), out[0]));
        }
        match (prim, bits.as_slice()) {
            (Prim::Add | Prim::Or | Prim::Xor | Prim::MOr | Prim::MXor, [Some(0), None]) => Some(operands[1]),
            (Prim::Add | Prim::Sub | Prim::Or | Prim::Xor | Prim::Shl | Prim::ShrU | Prim::MOr | Prim::MXor, [None, Some(0)]) => {
                Some(operands[0])
            }
            (Prim::Mul | Prim::MAnd, [Some(1), None]) => Some(operands[1]),
            (Prim::Mul | Prim::MAnd, [None, Some(1)]) => Some(operands[0]),
            (Prim::Mul | Prim::And | Prim::MAnd, [Some(0), _] | [_, Some(0)]) => Some(self.constant(lane, 0)),
            (Prim::MaxU, [None, Some(0)]) => Some(operands[0]),
            (Prim::DivU, [None, Some(divisor)]) if divisor.is_power_of_two() => {
                let places = self.constant(lane, divisor.ilog2().into());
                Some(self.prim(Prim::ShrU, &[operands[0], places]))
            }
            (Prim::Select, [Some(0), ..]) => Some(operands[2]),
            (Prim::Select, [Some(_), ..]) => Some(operands[1]),
            (Prim::Select, _) if operands[1] == operands[2] => Some(operands[1]),
            _ => None,
        }
    }

    /// The number that the lowest four bits of an `i32` name.
    pub fn lookup(&mut self, index: Value, table: &[u32; 16]) -> Value {
        let key = Key::Lookup(index, Box::new(*table));
        if let Some(value) = self.known.get(&key) {
            return *value;
        }
        let result = self.value(Lane::F32);
        self.push(Inst::Lookup { results: vec![result], index, tables: vec![*table] });
        self.known.insert(key, result);
        result
    }

    /// Reads memory, where the mask says so; weakly, unless it is said otherwise.
    pub fn load(&mut self, lane: Lane, space: Space, address: Value, offset: i32, mask: Option<(Value, Value)>) -> Value {
        self.load_ordered(lane, space, (address, offset), mask, None)
    }

    /// Reads memory, where the mask says so, as strongly as is said.
    pub fn load_ordered(
        &mut self,
        lane: Lane,
        space: Space,
        (address, offset): (Value, i32),
        mask: Option<(Value, Value)>,
        strong: Option<Strong>,
    ) -> Value {
        let mask = match mask.map(|(mask, other)| (self.constant_bits(mask), other)) {
            Some((Some(0), other)) => return other,
            Some((Some(_), _)) => None,
            _ => mask,
        };
        let address = self.in_space(space, address);
        let result = self.value(lane);
        self.push(Inst::Load { result, space, address, offset, mask, strong });
        result
    }

    /// Writes memory, where the mask says so.
    pub fn store(&mut self, value: Value, space: Space, address: Value, offset: i32, mask: Option<Value>) {
        self.store_ordered(value, space, (address, offset), mask, None);
    }

    /// Writes memory, where the mask says so, as strongly as is said.
    pub fn store_ordered(
        &mut self,
        value: Value,
        space: Space,
        (address, offset): (Value, i32),
        mask: Option<Value>,
        strong: Option<Strong>,
    ) {
        let Some(mask) = self.needed(mask) else { return };
        let address = self.in_space(space, address);
        self.push(Inst::Store { value, space, address, offset, mask, strong });
    }

    /// The address in shared memory that is so many bytes behind where it begins.
    fn in_space(&mut self, space: Space, address: Value) -> Value {
        if space == Space::Global || self.absolute.contains(&address) {
            return address;
        }
        let base = self.special(Special::Shared);
        self.prim(Prim::Add, &[base, address])
    }

    /// An address in shared memory that is `further` behind another one; what does not change with `further` is a sum of its own, which loops
    /// compute in front of them.
    pub fn further(&mut self, address: Value, further: Value) -> Value {
        let begin = self.in_space(Space::Shared, address);
        let sum = self.prim(Prim::Add, &[begin, further]);
        self.absolute.insert(sum);
        sum
    }

    /// Begins to copy bytes from the device's memory to shared memory, where the mask says so; `given` of them are read, zeros are behind.
    pub fn copy_async(&mut self, to: (Value, i32), from: (Value, i32), bytes: u32, given: Option<Value>, mask: Option<Value>) {
        let Some(mask) = self.needed(mask) else { return };
        let given = given.filter(|given| self.constant_bits(*given) != Some(bytes.into()));
        let to = (self.in_space(Space::Shared, to.0), to.1);
        self.push(Inst::CopyAsync { to, from, bytes, given, mask });
    }

    /// The copies since the last group are a group.
    pub fn commit_copies(&mut self) {
        self.push(Inst::CommitCopies);
    }

    /// Waits for copies, but for those of so many last groups.
    pub fn wait_copies(&mut self, pending: u32) {
        self.push(Inst::WaitCopies { pending });
    }

    /// Reads neighbouring numbers at once, where the mask says so.
    pub fn load_wide(
        &mut self,
        (lane, count): (Lane, usize),
        space: Space,
        (address, offset): (Value, i32),
        mask: Option<(Value, Vec<Value>)>,
    ) -> Vec<Value> {
        let mask = match mask.as_ref().map(|(mask, others)| (self.constant_bits(*mask), others)) {
            Some((Some(0), others)) => return others.clone(),
            Some((Some(_), _)) => None,
            _ => mask,
        };
        let address = self.in_space(space, address);
        let results: Vec<Value> = (0..count).map(|_| self.value(lane)).collect();
        self.push(Inst::LoadWide { results: results.clone(), space, address, offset, mask });
        results
    }

    /// The words of so many matrices in shared memory, at addresses that lanes give.
    pub fn load_matrices(&mut self, (word, count): (Lane, usize), address: Value, offset: i32, transposed: bool) -> Vec<Value> {
        let address = self.in_space(Space::Shared, address);
        let results: Vec<Value> = (0..count).map(|_| self.value(word)).collect();
        self.push(Inst::LoadMatrices { results: results.clone(), address, offset, transposed });
        results
    }

    /// Writes neighbouring numbers at once, where the mask says so.
    pub fn store_wide(&mut self, values: Vec<Value>, space: Space, (address, offset): (Value, i32), mask: Option<Value>) {
        let Some(mask) = self.needed(mask) else { return };
        let address = self.in_space(space, address);
        self.push(Inst::StoreWide { values, space, address, offset, mask });
    }

    /// Puts two `i16` into an `i32`.
    pub fn pack(&mut self, halves: [Value; 2]) -> Value {
        if let [Some(low), Some(high)] = halves.map(|half| self.constant_bits(half)) {
            return self.constant(Lane::I32, low | high << 16);
        }
        if let Some(whole) = self.wholes.get(&halves) {
            return *whole;
        }
        let key = Key::Pack(halves);
        if let Some(value) = self.known.get(&key) {
            return *value;
        }
        let result = self.value(Lane::I32);
        self.push(Inst::Pack { result, halves });
        self.known.insert(key, result);
        result
    }

    /// The two `i16` in an `i32`.
    pub fn unpack(&mut self, value: Value) -> [Value; 2] {
        if let Some(bits) = self.constant_bits(value) {
            return [bits, bits >> 16].map(|bits| self.constant(Lane::I16, bits));
        }
        let halves = [(); 2].map(|()| self.value(Lane::I16));
        self.push(Inst::Unpack { halves, value });
        self.wholes.insert(halves, value);
        halves
    }

    /// The mask of an access, if it is none that is always set; nothing, if it never is and nothing is accessed.
    fn needed(&self, mask: Option<Value>) -> Option<Option<Value>> {
        match mask.map(|mask| self.constant_bits(mask)) {
            Some(Some(0)) => None,
            Some(Some(_)) => Some(None),
            _ => Some(mask),
        }
    }

    /// Updates memory atomically, where the mask says so; the old value, or `other` where it does not, if that is asked for.
    pub fn atomic(
        &mut self,
        update: Update,
        strong: Strong,
        (address, value): (Value, Value),
        mask: Option<Value>,
        other: Option<Value>,
    ) -> Option<Value> {
        let Some(mask) = self.needed(mask) else { return other };
        let result = other.map(|other| (self.value(self.lane(value)), other));
        self.push(Inst::Atomic { result, update, strong, address, value, mask });
        result.map(|(result, _)| result)
    }

    /// Accesses all replicas of memory, where the mask says so; what a load gives, of the type of `other`, which it gives where the mask does not.
    pub fn multimem(
        &mut self,
        access: Replicas,
        strong: Option<Strong>,
        (address, offset): (Value, i32),
        mask: Option<Value>,
        other: Option<Value>,
    ) -> Option<Value> {
        let Some(mask) = self.needed(mask) else { return other };
        let result = other.map(|other| (self.value(self.lane(other)), other));
        self.push(Inst::Multimem { result, access, address, offset, mask, strong });
        result.map(|(result, _)| result)
    }

    /// Takes the value of another lane.
    pub fn shuffle(&mut self, value: Value, from: From) -> Value {
        let result = self.value(self.lane(value));
        self.push(Inst::Shuffle { result, value, from });
        result
    }

    /// The sums with the product of two matrices, of which the lanes of the warp hold fragments.
    pub fn product(&mut self, product: Product, factors: [Vec<Value>; 2], sums: Vec<Value>) -> Vec<Value> {
        let results: Vec<Value> = sums.iter().map(|sum| self.value(self.lane(*sum))).collect();
        self.push(Inst::Product { results: results.clone(), product, factors, sums });
        results
    }

    /// Prints.
    pub fn print(&mut self, format: Value, args: Vec<Value>) {
        self.push(Inst::Print { format, args });
    }

    /// Takes memory of the device.
    pub fn allocate(&mut self, bytes: u64, alignment: u64) -> Value {
        let result = self.value(Lane::I64);
        self.push(Inst::Allocate { result, bytes, alignment });
        result
    }

    /// Gives memory back.
    pub fn free(&mut self, address: Value) {
        self.push(Inst::Free { address });
    }

    /// Waits for another launch, or lets it begin.
    pub fn depend(&mut self, what: Dependency) {
        self.push(Inst::Depend(what));
    }

    /// Waits for all threads of the block.
    pub fn barrier(&mut self) {
        self.push(Inst::Barrier);
    }

    /// What follows stems from a place of the source.
    pub fn line(&mut self, file: &str, line: u32, column: u32) {
        let files = &mut self.function.files;
        let known = files.iter().position(|known| known == file);
        let file = known.unwrap_or_else(|| {
            files.push(file.to_owned());
            files.len() - 1
        });
        let place = SourceLine { file: file as u32, line, column };
        if self.last_line.replace(place) == Some(place) {
            return;
        }
        let block = &mut self.function.blocks[self.current.index()];
        // Only the last one counts where nothing lies between.
        if matches!(block.insts.last(), Some(Inst::Line(_))) {
            block.insts.pop();
        }
        block.insts.push(Inst::Line(place));
    }

    /// Lets all threads of the block meet where a basic block begins.
    pub(crate) fn begin_with_barrier(&mut self, label: Label) {
        self.function.blocks[label.index()].insts.insert(0, Inst::Barrier);
    }

    /// Makes sure that there are so many bytes of shared memory.
    pub fn need_shared(&mut self, bytes: u32) {
        self.function.shared = self.function.shared.max(bytes);
    }

    /// The function, without what is not read or computed twice.
    pub fn finish(mut self) -> Function {
        let first = &mut self.function.blocks[0];
        first.insts = self.entry;
        first.end = End::Jump(Target { label: Label(1), args: Vec::new() });
        self.function.remove_unused();
        super::optimize::optimize(&mut self.function);
        self.function
    }
}
