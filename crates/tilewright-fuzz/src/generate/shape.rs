//! Operations that move elements: constants, broadcasts, permutations, slices, packing.

use super::{Generator, plan::Plan, row::Slots, types::Need};
use tilewright_ir::{AttrData, AttrName, AttrValue, Opcode, Scalar, Type, ops::TypeSet};

impl Generator<'_, '_> {
    pub(super) fn shape_plan(&mut self, opcode: Opcode) -> Plan {
        match opcode {
            Opcode::Constant => self.constant(),
            Opcode::Broadcast => self.broadcast(),
            Opcode::Reshape => self.reshape(),
            Opcode::Permute => self.permute(),
            Opcode::Cat => self.cat(),
            Opcode::Extract => self.extract(),
            Opcode::Insert => self.insert(),
            Opcode::Pack => self.pack(opcode, "source", "result"),
            Opcode::Unpack => self.pack(opcode, "result", "source"),
            Opcode::Select => self.select(),
            _ => unreachable!("{opcode} moves no elements"),
        }
    }

    fn constant(&mut self) -> Plan {
        let ty = self.any_tile(TypeSet::NUMBER);
        let (element, shape) = self.tile_parts(ty);
        let scalar = self.module.tables.types.scalar(element).expect("constants are numbers");
        let data = self.constant_data(scalar, shape.iter().product());
        Plan::new(Opcode::Constant).attr(AttrName::Value, AttrValue::Const(data)).result(ty)
    }

    /// An element type, and a shape that a tile of it can have.
    fn tile_to_move(&mut self) -> (Type, Vec<i64>) {
        let ty = self.any_tile(TypeSet::TILE);
        self.tile_parts(ty)
    }

    /// Like [`Self::tile_to_move`], of at least this rank.
    fn tile_of_rank(&mut self, rank: usize) -> (Type, Vec<i64>) {
        let (mut element, mut shape) = self.tile_to_move();
        if shape.len() < rank {
            if self.need(element) == Need::Scalar {
                element = Scalar::I32.ty();
            }
            let need = self.need(element);
            shape = self.shape_of_rank(rank, need);
        }
        (element, shape)
    }

    /// Whether tiles of these elements can have this shape.
    fn is_legal(&self, element: Type, shape: &[i64]) -> bool {
        match self.need(element) {
            Need::Any => true,
            Need::Even => shape.iter().any(|extent| *extent > 1),
            Need::Scalar => shape.is_empty(),
        }
    }

    fn broadcast(&mut self) -> Plan {
        let (element, to) = self.tile_to_move();
        let mut from: Vec<i64> = to.iter().map(|&extent| if self.source.flag() { 1 } else { extent }).collect();
        if !self.is_legal(element, &from) {
            from.clone_from(&to);
        }
        let (from, to) = (self.tile(element, &from), self.tile(element, &to));
        Plan::new(Opcode::Broadcast).operand("source", from).result(to)
    }

    fn reshape(&mut self) -> Plan {
        let (element, from) = self.tile_to_move();
        let mut left = from.iter().product::<i64>();
        let mut to = Vec::new();
        // Pointers that have no dimensions get none.
        let has_rank = self.need(element) != Need::Scalar;
        while has_rank && (left > 1 || to.len() < 3 && self.source.one_in(4)) {
            let extent = 1 << self.source.below(left.trailing_zeros() as usize + 1);
            // The last dimensions take what is left.
            let extent = if to.len() > 3 { left } else { extent };
            to.push(extent);
            left /= extent;
        }
        let (from, to) = (self.tile(element, &from), self.tile(element, &to));
        Plan::new(Opcode::Reshape).operand("source", from).result(to)
    }

    fn permute(&mut self) -> Plan {
        let (element, from) = self.tile_of_rank(2);
        let order = self.source.shuffled((0..from.len()).collect());
        let to: Vec<i64> = order.iter().map(|dim| from[*dim]).collect();
        let permutation = AttrData::I32Array(order.iter().map(|dim| *dim as i32).collect());
        let permutation = self.module.tables.attrs.intern(permutation);
        let (from, to) = (self.tile(element, &from), self.tile(element, &to));
        Plan::new(Opcode::Permute).operand("source", from).attr(AttrName::Permutation, AttrValue::Attr(permutation)).result(to)
    }

    /// Two halves of a tile: extents are powers of two, so the parts are equal.
    fn cat(&mut self) -> Plan {
        let (element, mut whole) = self.tile_of_rank(1);
        let dims: Vec<usize> = (0..whole.len()).filter(|dim| whole[*dim] > 1).collect();
        let dim = if dims.is_empty() { self.source.below(whole.len()) } else { self.source.pick(&dims) };
        whole[dim] = whole[dim].max(2);
        let mut half = whole.clone();
        half[dim] /= 2;
        if !self.is_legal(element, &half) {
            (half[dim], whole[dim]) = (2, 4);
        }
        let (half, whole) = (self.tile(element, &half), self.tile(element, &whole));
        let plan = Plan::new(Opcode::Cat).operand("lhs", half).operand("rhs", half);
        plan.attr(AttrName::Dim, AttrValue::Int(dim as u64)).result(whole)
    }

    /// A tile and a slice of it; an index for each dimension.
    fn whole_and_slice(&mut self) -> (Type, Type, Vec<Type>) {
        let (element, whole) = self.tile_to_move();
        let mut slice: Vec<i64> = whole.iter().map(|extent| 1 << self.source.below(extent.trailing_zeros() as usize + 1)).collect();
        if !self.is_legal(element, &slice) {
            slice.clone_from(&whole);
        }
        let index = self.tile(Scalar::I32, &[]);
        let indices = vec![index; whole.len()];
        (self.tile(element, &whole), self.tile(element, &slice), indices)
    }

    fn extract(&mut self) -> Plan {
        let (whole, slice, indices) = self.whole_and_slice();
        Plan::new(Opcode::Extract).operand("source", whole).operands("indices", &indices).result(slice)
    }

    fn insert(&mut self) -> Plan {
        let (whole, slice, indices) = self.whole_and_slice();
        Plan::new(Opcode::Insert).operand("source", slice).operand("destination", whole).operands("indices", &indices).result(whole)
    }

    /// Numbers whose bits fill whole bytes, and the bytes.
    fn pack(&mut self, opcode: Opcode, numbers: &str, bytes: &str) -> Plan {
        let mut scalars = self.scalars(TypeSet::NUMBER_OR_I4);
        scalars.retain(|scalar| scalar.bits() != 8);
        let scalar = self.source.pick(&scalars);
        let bits = if scalar == Scalar::Tf32 { 32 } else { i64::from(scalar.bits()) };
        let count = (8 / bits).max(1) << self.source.below(6);
        let slots = Slots::new(opcode).element(numbers, scalar.ty()).shape(numbers, &[count]);
        self.row_with(slots.shape(bytes, &[count * bits / 8]))
    }

    fn select(&mut self) -> Plan {
        let mut element = self.element(TypeSet::TILE);
        if self.need(element) == Need::Even {
            element = Scalar::I1.ty();
        }
        self.row_with(Slots::new(Opcode::Select).element("result", element))
    }
}
