//! Computations on what differs between members.

use super::lift::Lifter;
use tilewright_ir::{AttrData, AttrName, AttrValue, NewOp, OpRef, Opcode, Scalar, Type, Value, ops::Traits};

impl Lifter<'_> {
    /// An operation that computes, on values of which one at least varies.
    pub(super) fn varying(&mut self, op: OpRef<'_>) -> Result<(), String> {
        if let Some(result) = op.result(0)
            && let Some(dim) = self.stored.dim(result)
        {
            return self.lift_stored(op, result, dim);
        }
        match op.opcode() {
            Opcode::Assume => {
                // A promise about the tile of one block, whose dimensions are others now.
                let (value, result) = (op.operand(0).ok_or("it has an operand")?, op.result(0).ok_or("it has a result")?);
                let all = self.all(value)?;
                self.define_all(result, all);
                Ok(())
            }
            Opcode::Reshape | Opcode::Broadcast | Opcode::Assert => self.lift_as_is(op, op.attrs()),
            Opcode::Cat | Opcode::Reduce | Opcode::Scan => self.along_next_dim(op),
            Opcode::Permute => self.permute(op),
            Opcode::Extract | Opcode::Insert => self.slice(op),
            Opcode::Pack | Opcode::Unpack => self.packed(op),
            Opcode::MmaF | Opcode::MmaI => self.product(op),
            _ if op.def().traits.contains(Traits::ELEMENTWISE) => self.lift_as_is(op, op.attrs()),
            _ => Err("it has no rule for values that depend on the block".to_owned()),
        }
    }

    pub(super) fn reshape(&mut self, value: Value, element: Type, shape: &[i64]) -> Result<Value, String> {
        let ty = self.tile_type(element, shape)?;
        Ok(self.value(Opcode::Reshape, &[value], &[], ty))
    }

    /// A tile of this shape with one of its dimensions at another place.
    pub(super) fn move_dim(&mut self, value: Value, element: Type, shape: &[i64], from: usize, to: usize) -> Result<Value, String> {
        if from == to {
            return Ok(value);
        }
        let mut order: Vec<usize> = (0..shape.len()).collect();
        let moved = order.remove(from);
        order.insert(to, moved);
        let moved: Vec<i64> = order.iter().map(|d| shape[*d]).collect();
        let ty = self.tile_type(element, &moved)?;
        let order = AttrData::I32Array(order.iter().map(|d| *d as i32).collect());
        let order = AttrValue::Attr(self.tables.attrs.intern(order));
        Ok(self.value(Opcode::Permute, &[value], &[order], ty))
    }

    /// An operation along a dimension, which is the next one now.
    fn along_next_dim(&mut self, op: OpRef<'_>) -> Result<(), String> {
        let position = op.def().attr_index(AttrName::Dim).ok_or("it has a dimension")?;
        let mut attrs = op.attrs().to_vec();
        if let AttrValue::Int(dim) = &mut attrs[position] {
            *dim += 1;
        }
        self.lift_as_is(op, &attrs)
    }

    fn permute(&mut self, op: OpRef<'_>) -> Result<(), String> {
        let order = op.compound(AttrName::Permutation).ok_or("it has an order")?;
        let AttrData::I32Array(order) = self.tables.attrs.get(order) else { return Err("an order is a list of numbers".to_owned()) };
        let order = AttrData::I32Array([0].into_iter().chain(order.iter().map(|d| d + 1)).collect());
        let order = AttrValue::Attr(self.tables.attrs.intern(order));
        self.lift_as_is(op, &[order])
    }

    /// The same slice of what each member has.
    fn slice(&mut self, op: OpRef<'_>) -> Result<(), String> {
        let indices = op.operand_named("indices");
        let tiles = op.operands().len() - indices.len();
        let mut operands = Vec::with_capacity(op.operands().len() + 1);
        for tile in &op.operands()[..tiles] {
            operands.push(self.all(*tile)?);
        }
        let index = self.tile_type(Scalar::I32.ty(), &[])?;
        operands.push(self.integer(index, 0)?);
        for index in indices {
            operands.push(self.first(*index)?);
        }
        let result = op.result(0).ok_or("it has a result")?;
        let ty = self.lifted_type(self.from.ty(result))?;
        let (split, attrs) = (op.split() + 1, op.attrs());
        let made =
            self.make_new(NewOp { opcode: op.opcode(), operands: &operands, present: 0, split, attrs, results: &[ty], loc: op.loc() });
        self.define_all(result, made);
        Ok(())
    }

    /// Bytes of numbers, or numbers of bytes, which lie in one dimension.
    fn packed(&mut self, op: OpRef<'_>) -> Result<(), String> {
        let (source, result) = (op.operand(0).ok_or("it has an operand")?, op.result(0).ok_or("it has a result")?);
        let ((element, from), (to_element, to)) = (self.tile_of(self.from.ty(source))?, self.tile_of(self.from.ty(result))?);
        let ([from], [to]) = (&from[..], &to[..]) else { return Err("it has more than one dimension".to_owned()) };
        let all = self.all(source)?;
        let flat = self.reshape(all, element, &[from * self.lanes])?;
        let ty = self.tile_type(to_element, &[to * self.lanes])?;
        let made = self.value(op.opcode(), &[flat], op.attrs(), ty);
        let apart = self.reshape(made, to_element, &[self.lanes, *to])?;
        self.define_all(result, apart);
        Ok(())
    }

    /// A product of matrices becomes a batch of them, a batch a larger one.
    fn product(&mut self, op: OpRef<'_>) -> Result<(), String> {
        let result = op.result(0).ok_or("it has a result")?;
        let (result_element, shape) = self.tile_of(self.from.ty(result))?;
        if shape.len() == 2 {
            return self.lift_as_is(op, op.attrs());
        }
        let mut operands = Vec::with_capacity(op.operands().len());
        for operand in op.operands() {
            let (element, mut shape) = self.tile_of(self.from.ty(*operand))?;
            let all = self.all(*operand)?;
            shape[0] *= self.lanes;
            operands.push(self.reshape(all, element, &shape)?);
        }
        let batch = [&[shape[0] * self.lanes], &shape[1..]].concat();
        let ty = self.tile_type(result_element, &batch)?;
        let made = self.value(op.opcode(), &operands, op.attrs(), ty);
        let apart = [&[self.lanes], &shape[..]].concat();
        let all = self.reshape(made, result_element, &apart)?;
        self.define_all(result, all);
        Ok(())
    }
}
