//! Operations that move elements: constants, broadcasts, permutations, slices, packing.

use super::{At, Tile, Verifier, rules};
use crate::{AttrData, AttrName, AttrValue, Const, Opcode, Scalar, Type};

impl<'m> Verifier<'m> {
    pub(super) fn shape(&mut self, at: At<'m>) {
        let Some(result) = at.result_type(0) else { return };
        let to = self.tile(result);
        if at.op.opcode() == Opcode::Constant {
            return self.constant(at, result);
        }
        let Some(source) = at.operand_type(0) else { return };
        let from = self.tile(source);
        match at.op.opcode() {
            Opcode::Broadcast => self.broadcast(at, from, to),
            Opcode::Reshape => {
                let (expected, found) = (self.elements(from.ty), self.elements(to.ty));
                let message = |_: &Self| format!("the result must have the {expected} elements of the source, found {found}");
                self.require(expected == found, &rules::RESHAPE_ELEMENTS, at, message);
            }
            Opcode::Permute => self.permute(at, from, to),
            Opcode::Cat => self.cat(at, to),
            Opcode::Extract => self.slice(at, from, to, 1),
            Opcode::Insert => self.slice(at, to, from, 2),
            Opcode::Pack => self.pack(at, from, to),
            Opcode::Unpack => self.pack(at, to, from),
            Opcode::Select => {
                let holds = self.scalar(to) != Some(Scalar::F4E2M1FN);
                self.require(holds, &rules::SELECT_TYPE, at, |_| format!("select does not work on {}", Scalar::F4E2M1FN));
            }
            _ => {}
        }
    }

    fn constant(&mut self, at: At<'m>, ty: Type) {
        if let AttrValue::Const(constant) = at.op.attr(AttrName::Value)
            && let Some(message) = self.constant_size(ty, constant)
        {
            self.report(&rules::CONSTANT_SIZE, Some(at), message);
        }
    }

    /// What is wrong with the size of the data of a constant.
    pub(super) fn constant_size(&self, ty: Type, constant: Const) -> Option<String> {
        let tile = self.tile(ty);
        let scalar = self.scalar(tile)?;
        let one = u64::from(scalar.bits().div_ceil(8));
        let elements = self.elements(tile.ty);
        let all = if scalar == Scalar::I1 { elements.div_ceil(8) } else { elements * one };
        let found = self.module.tables.constants.bytes(constant).len() as u64;
        let fits = found == one || found == all;
        (!fits).then(|| format!("the data of {} takes {all} bytes, or {one} if all elements are equal, found {found}", self.text(ty)))
    }

    fn broadcast(&mut self, at: At<'m>, from: Tile<'m>, to: Tile<'m>) {
        let question = (at.op.opcode(), [from.ty, to.ty, to.ty], 0);
        let holds = self.once(from.shape.len(), question, || from.shape.iter().zip(to.shape).all(|(from, to)| from == to || *from == 1));
        self.require(holds, &rules::BROADCAST_SHAPE, at, |v| {
            format!("only dimensions of extent 1 are repeated, found {} to {}", v.text(from.ty), v.text(to.ty))
        });
    }

    fn permute(&mut self, at: At<'m>, from: Tile<'m>, to: Tile<'m>) {
        let rank = from.shape.len();
        if rank < 2 {
            return self.report(&rules::PERMUTE_RANK, Some(at), format!("expected a source of rank 2 or more, found rank {rank}"));
        }
        let Some(AttrData::I32Array(permutation)) = at.op.compound(AttrName::Permutation).and_then(|attr| self.attr(attr)) else { return };
        if !is_permutation(permutation, rank) {
            let message = format!("expected each number below {rank} once, found {}", brief_list(permutation));
            return self.report(&rules::PERMUTATION, Some(at), message);
        }
        // Each entry was found to be a dimension of the source.
        let expected = permutation.iter().map(|&dim| from.shape[dim as usize]);
        let holds = expected.eq(to.shape.iter().copied());
        self.require(holds, &rules::PERMUTE_SHAPE, at, |v| {
            let (from, to) = (v.text(from.ty), v.text(to.ty));
            format!("the result must have the extents of {from} in the order {}, found {to}", brief_list(permutation))
        });
    }

    fn cat(&mut self, at: At<'m>, to: Tile<'m>) {
        let (Some(lhs), Some(rhs)) = (at.operand_type(0), at.operand_type(1)) else { return };
        let (lhs, rhs) = (self.tile(lhs), self.tile(rhs));
        let rank = lhs.shape.len();
        let dim = at.op.int(AttrName::Dim).unwrap_or(u64::MAX);
        if dim >= rank as u64 {
            return self.report(&rules::CAT_DIM, Some(at), format!("dim must be below the rank {rank}, found {dim}"));
        }
        let holds = self.once(rank, (at.op.opcode(), [lhs.ty, rhs.ty, to.ty], dim), || {
            (0..rank).all(|d| {
                let (a, b, result) = (lhs.shape[d], rhs.shape[d], to.shape[d]);
                if d as u64 == dim { a.checked_add(b) == Some(result) } else { a == b && a == result }
            })
        });
        self.require(holds, &rules::CAT_SHAPE, at, |v| {
            let (lhs, rhs, to) = (v.text(lhs.ty), v.text(rhs.ty), v.text(to.ty));
            format!("extents must be equal but in dimension {dim}, where they add up, found {lhs} and {rhs} to {to}")
        });
    }

    /// `extract` and `insert`: a slice of a tile, chosen by indices behind `first` other operands.
    fn slice(&mut self, at: At<'m>, whole: Tile<'m>, slice: Tile<'m>, first: usize) {
        let holds = self.once(whole.shape.len(), (at.op.opcode(), [whole.ty, slice.ty, slice.ty], 0), || {
            whole.shape.iter().zip(slice.shape).all(|(whole, slice)| *slice > 0 && whole % slice == 0)
        });
        self.require(holds, &rules::SLICE_SHAPE, at, |v| {
            let (whole, slice) = (v.text(whole.ty), v.text(slice.ty));
            format!("the extents of the slice must divide those of the tile {whole}, found {slice}")
        });
        let (expected, found) = (whole.shape.len(), at.op.operands().len().saturating_sub(first));
        let message = |_: &Self| format!("expected {expected} indices, one for each dimension, found {found}");
        self.require(expected == found, &rules::SLICE_INDICES, at, message);
    }

    fn pack(&mut self, at: At<'m>, numbers: Tile<'m>, bytes: Tile<'m>) {
        if numbers.shape.len() != 1 {
            return self.report(&rules::PACK_SHAPE, Some(at), format!("expected tiles of rank 1, found rank {}", numbers.shape.len()));
        }
        let Some(element) = self.scalar(numbers) else { return };
        if element.bits() == 8 {
            return self.report(&rules::PACK_WIDTH, Some(at), format!("{element} has 8 bits already: use bitcast"));
        }
        let bits = if element == Scalar::Tf32 { 32 } else { u64::from(element.bits()) };
        let (expected, found) = (self.elements(numbers.ty) * bits, self.elements(bytes.ty) * 8);
        self.require(expected == found, &rules::PACK_SIZE, at, |_| {
            format!("both sides must have the same number of bits, found {expected} in numbers and {found} in bytes")
        });
    }
}

/// Whether a list names each number below `rank` once.
fn is_permutation(list: &[i32], rank: usize) -> bool {
    if list.len() != rank {
        return false;
    }
    let mut seen = vec![false; rank];
    list.iter().all(|dim| usize::try_from(*dim).ok().and_then(|d| seen.get_mut(d)).is_some_and(|seen| !std::mem::replace(seen, true)))
}

/// The first entries of a list.
fn brief_list(list: &[i32]) -> String {
    const SHOWN: usize = 8;
    if list.len() > SHOWN { format!("{:?} and {} more", &list[..SHOWN], list.len() - SHOWN) } else { format!("{list:?}") }
}
