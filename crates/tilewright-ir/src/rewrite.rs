//! Rewriting bodies: operations are replaced, changed, moved and erased, and every use of a value is known meanwhile.

use crate::{AttrName, AttrValue, Block, Body, BuildError, Builder, NewOp, Op, OpRef, Place, Region, Tables, Type, Value};

/// A place where a value is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Use {
    /// The operation that uses it.
    pub op: Op,
    /// The position among all operands of the operation.
    pub operand: usize,
}

/// Changes the body of a function.
///
/// A rewriter keeps the uses of all values up to date, so that replacing a value takes time for its uses only. It does not
/// check the rules of the dialect: a changed module must pass [`verify`](crate::verify) again before it can be run or written,
/// for both take a [`VerifiedModule`](crate::VerifiedModule) only.
///
/// When the rewriter is dropped, the body is put in order: operations and values are numbered as in the text again, and what
/// was erased is gone. Handles from before name other things then.
///
/// ```
/// use tilewright_ir::{Module, Opcode, Scalar, Version, verify};
///
/// // x + 0, which a pass makes x.
/// let mut module = Module::new("kernels", Version::LATEST);
/// let ty = module.tables.types.tile(Scalar::I32.ty(), &[])?;
/// module.add_entry("k", &[ty], |b, args| {
///     let zero = b.constant(Scalar::I32, &[], &[0; 4])?;
///     let sum = b.op(Opcode::AddI).operand("lhs", args[0]).operand("rhs", zero).result(ty).value()?;
///     b.op(Opcode::AbsI).operand("source", sum).result(ty).finish()?;
///     b.op(Opcode::Return).finish().map(drop)
/// })?;
///
/// let mut rewriter = module.rewrite(0);
/// let additions = rewriter.ops_of(Opcode::AddI);
/// for op in additions {
///     let (lhs, sum) = (rewriter.op(op).operands()[0], rewriter.op(op).result(0).unwrap());
///     assert_eq!(rewriter.uses(sum).count(), 1);
///     rewriter.replace(op, &[lhs])?;
/// }
/// drop(rewriter);
///
/// let module = verify(module).expect("it is still valid");
/// let names: Vec<_> = module.functions[0].body.preorder().map(|op| op.opcode().mnemonic()).collect();
/// assert_eq!(names, ["constant", "absi", "return"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Rewriter<'a> {
    tables: &'a mut Tables,
    body: &'a mut Body,
    uses: Uses,
    /// By operation: whether it was erased. Those behind were not.
    erased: Vec<bool>,
    num_erased: usize,
    /// Leave the numbers as they are in the end.
    unordered: bool,
}

impl Drop for Rewriter<'_> {
    fn drop(&mut self) {
        if !self.unordered {
            *self.body = self.body.in_order();
        }
    }
}

impl<'a> Rewriter<'a> {
    /// A rewriter of a body; `tables` are those of its module. See also [`Module::rewrite`](crate::Module::rewrite).
    pub fn new(tables: &'a mut Tables, body: &'a mut Body) -> Rewriter<'a> {
        let mut uses = Uses::default();
        uses.add_new(body);
        Rewriter { tables, body, uses, erased: Vec::new(), num_erased: 0, unordered: false }
    }

    /// The interned data of the module.
    pub fn tables(&mut self) -> &mut Tables {
        self.tables
    }

    /// The body as it is now.
    pub fn body(&self) -> &Body {
        self.body
    }

    /// The interned data of the module and the body, as they are now.
    pub fn parts(&self) -> (&Tables, &Body) {
        (self.tables, self.body)
    }

    /// An operation as it is now.
    pub fn op(&self, op: Op) -> OpRef<'_> {
        self.body.op(op)
    }

    /// All operations with this opcode, in the order of the text.
    pub fn ops_of(&self, opcode: crate::Opcode) -> Vec<Op> {
        self.body.preorder().filter(|op| op.opcode() == opcode).map(OpRef::id).collect()
    }

    /// Where a value is used, in no particular order.
    pub fn uses(&self, value: Value) -> impl Iterator<Item = Use> {
        self.uses.of(value).map(|slot| {
            let op = self.uses.links[slot].owner;
            Use { op, operand: slot - self.body.operand_slots(op).start }
        })
    }

    /// Whether no operation uses a value.
    pub fn is_unused(&self, value: Value) -> bool {
        self.uses.of(value).next().is_none()
    }

    /// Adds operations before an operation: the builder gives them its location unless told otherwise.
    ///
    /// # Panics
    /// When the operation was erased.
    pub fn insert_before<R>(&mut self, op: Op, build: impl FnOnce(&mut Builder<'_>) -> R) -> R {
        self.insert(Place::Before(op), op, build)
    }

    /// Adds operations after an operation, in the order in which they are built.
    ///
    /// # Panics
    /// When the operation was erased.
    pub fn insert_after<R>(&mut self, op: Op, build: impl FnOnce(&mut Builder<'_>) -> R) -> R {
        let at = self.body.op(op);
        let end = Place::End(at.block().expect("the operation was not erased"));
        self.insert(at.next().map_or(end, |next| Place::Before(next.id())), op, build)
    }

    fn insert<R>(&mut self, place: Place, near: Op, build: impl FnOnce(&mut Builder<'_>) -> R) -> R {
        let loc = self.body.op(near).loc();
        let mut builder = Builder::new(self.tables, self.body, place);
        builder.set_loc(loc);
        let built = build(&mut builder);
        self.uses.add_new(self.body);
        built
    }

    /// Adds an operation at a place, as [`Body::insert_op`] does; its regions are empty.
    ///
    /// # Panics
    /// When the place is before an operation that was erased.
    pub fn create(&mut self, place: Place, new: NewOp<'_>) -> Op {
        let op = self.body.insert_op(place, new);
        self.uses.add_new(self.body);
        op
    }

    /// Adds a block with arguments of these types at the end of a region.
    pub fn add_block(&mut self, region: Region, args: &[Type]) -> Block {
        let block = self.body.add_block(region, args);
        self.uses.add_new(self.body);
        block
    }

    /// Moves all operations of a block to a place, which is not in one of their regions, in their order.
    pub fn move_contents(&mut self, from: Block, place: Place) {
        let ops: Vec<Op> = self.body.ops(from).map(OpRef::id).collect();
        for op in ops {
            self.body.unlink(op);
            self.body.link(place, op);
        }
    }

    /// Ends rewriting, and leaves operations and values the numbers that they have: the body keeps the rows of what was erased. For bodies
    /// that are read once, in the order of their blocks.
    pub fn leave_unordered(mut self) {
        self.unordered = true;
    }

    /// How many operations the body has, without those that were erased.
    pub fn num_ops(&self) -> usize {
        self.body.num_ops() - self.num_erased
    }

    /// Whether an operation was erased.
    pub fn is_erased(&self, op: Op) -> bool {
        self.erased.get(op.index()).copied().unwrap_or(false)
    }

    /// Lets every use of `old` use `new` instead.
    ///
    /// # Panics
    /// When the body has no such values.
    pub fn replace_uses(&mut self, old: Value, new: Value) {
        assert!(self.body.contains_value(old) && self.body.contains_value(new), "the body has no such values");
        let slots: Vec<usize> = self.uses.of(old).collect();
        for slot in slots {
            self.put(slot, new);
        }
    }

    /// Lets the uses of an operation's results use these values instead, and erases the operation.
    ///
    /// # Errors
    /// When there is not one value for each result, or one of the values is a result of the operation itself; nothing is
    /// changed then.
    pub fn replace(&mut self, op: Op, values: &[Value]) -> Result<(), BuildError> {
        let results: Vec<Value> = self.body.op(op).results().collect();
        if results.len() != values.len() {
            let message = format!("it has {} results, {} values replace them", results.len(), values.len());
            return Err(self.mistake(op, message));
        }
        if values.iter().any(|value| results.contains(value)) {
            return Err(self.mistake(op, "its own results cannot replace it".to_owned()));
        }
        for (&old, &new) in results.iter().zip(values) {
            self.replace_uses(old, new);
        }
        self.erase(op)
    }

    /// Takes an operation out of the body, with all operations of its regions.
    ///
    /// # Errors
    /// When a result of it is used outside of the operation; nothing is changed then.
    pub fn erase(&mut self, op: Op) -> Result<(), BuildError> {
        for (index, result) in self.body.op(op).results().enumerate() {
            if let Some(user) = self.uses(result).find(|user| self.around(user.op).all(|outer| outer.id() != op)) {
                let user = self.body.op(user.op).opcode();
                return Err(self.mistake(op, format!("its result {index} is still used, by {user}")));
            }
        }
        let mut erased = vec![op];
        self.erased.resize(self.body.num_ops(), false);
        while let Some(op) = erased.pop() {
            self.erased[op.index()] = true;
            self.num_erased += 1;
            for slot in self.body.operand_slots(op) {
                self.uses.remove(slot, self.body.operand_at(slot));
            }
            for region in self.body.op(op).regions() {
                erased.extend(self.body.blocks(region).flat_map(|block| self.body.ops(block)).map(OpRef::id));
            }
        }
        self.body.unlink(op);
        Ok(())
    }

    /// Puts an operation before another one, in the same or another block.
    ///
    /// # Errors
    /// When the other one lies in a region of the operation, or was erased.
    pub fn move_before(&mut self, op: Op, before: Op) -> Result<(), BuildError> {
        let message = |why: &str| format!("it cannot stand before {}, which {why}", self.body.op(before).opcode());
        if self.around(before).any(|outer| outer.id() == op) {
            return Err(self.mistake(op, message("lies in it")));
        }
        if self.around(before).any(|outer| outer.block().is_none()) {
            return Err(self.mistake(op, message("was erased")));
        }
        self.body.unlink(op);
        self.body.link(Place::Before(before), op);
        Ok(())
    }

    /// An operation, and those in whose regions it lies.
    fn around(&self, op: Op) -> impl Iterator<Item = OpRef<'_>> {
        std::iter::successors(Some(self.body.op(op)), |op| op.parent())
    }

    /// Changes an attribute; [`AttrValue::Absent`] takes an optional one away.
    ///
    /// # Errors
    /// When the operation has no such attribute, or it cannot hold this.
    pub fn set_attr(&mut self, op: Op, name: AttrName, value: AttrValue) -> Result<(), BuildError> {
        let def = self.body.op(op).def();
        let Some(index) = def.attr_index(name) else {
            return Err(self.mistake(op, format!("it has no attribute '{}'", name.name())));
        };
        if !def.attrs[index].takes(value) {
            return Err(self.mistake(op, format!("attribute '{}' cannot hold {value:?}", name.name())));
        }
        let mut attrs = self.body.op(op).attrs().to_vec();
        attrs[index] = value;
        self.body.set_attrs(op, &attrs);
        Ok(())
    }

    /// Changes an operand, by its position among all of them.
    ///
    /// # Errors
    /// When the operation has fewer operands.
    ///
    /// # Panics
    /// When the body has no such value.
    pub fn set_operand(&mut self, op: Op, operand: usize, value: Value) -> Result<(), BuildError> {
        assert!(self.body.contains_value(value), "the body has no such value");
        let slots = self.body.operand_slots(op);
        if operand >= slots.len() {
            return Err(self.mistake(op, format!("it has {} operands, number {operand} cannot be changed", slots.len())));
        }
        self.put(slots.start + operand, value);
        Ok(())
    }

    /// Changes the type of a value.
    ///
    /// # Panics
    /// When the body has no such value.
    pub fn set_type(&mut self, value: Value, ty: Type) {
        self.body.set_type(value, ty);
    }

    /// Changes the source location of an operation.
    pub fn set_loc(&mut self, op: Op, loc: Option<crate::Loc>) {
        self.body.set_loc(op, loc);
    }

    fn put(&mut self, slot: usize, value: Value) {
        self.uses.remove(slot, self.body.operand_at(slot));
        self.body.set_operand_at(slot, value);
        self.uses.add(slot, value);
    }

    fn mistake(&self, op: Op, message: String) -> BuildError {
        BuildError { opcode: self.body.op(op).opcode(), message }
    }
}

/// The uses of each value: a list through the slots of all operands.
#[derive(Debug, Default)]
struct Uses {
    /// By value: its first use.
    first: Vec<Option<usize>>,
    /// By slot.
    links: Vec<Link>,
    /// How many operations are entered.
    ops: usize,
}

#[derive(Clone, Copy, Debug)]
struct Link {
    owner: Op,
    prev: Option<usize>,
    next: Option<usize>,
}

impl Uses {
    /// Enters the operations that are new in a body.
    fn add_new(&mut self, body: &Body) {
        self.first.resize(body.num_values(), None);
        self.links.reserve(body.num_operands() - self.links.len());
        for op in (self.ops..body.num_ops()).map(Op::new) {
            for slot in body.operand_slots(op) {
                debug_assert_eq!(slot, self.links.len(), "operands are appended with their operation");
                self.links.push(Link { owner: op, prev: None, next: None });
                self.add(slot, body.operand_at(slot));
            }
        }
        self.ops = body.num_ops();
    }

    /// The slots that hold a value; none for a value of another body.
    fn of(&self, value: Value) -> impl Iterator<Item = usize> {
        let first = self.first.get(value.index()).copied().flatten();
        std::iter::successors(first, |slot| self.links[*slot].next)
    }

    fn add(&mut self, slot: usize, value: Value) {
        let Some(first) = self.first.get_mut(value.index()) else { return };
        let next = first.replace(slot);
        (self.links[slot].prev, self.links[slot].next) = (None, next);
        if let Some(next) = next {
            self.links[next].prev = Some(slot);
        }
    }

    fn remove(&mut self, slot: usize, value: Value) {
        let Link { prev, next, .. } = self.links[slot];
        match prev {
            Some(prev) => self.links[prev].next = next,
            None => match self.first.get_mut(value.index()) {
                Some(first) if *first == Some(slot) => *first = next,
                _ => {}
            },
        }
        if let Some(next) = next {
            self.links[next].prev = prev;
        }
        (self.links[slot].prev, self.links[slot].next) = (None, None);
    }
}
