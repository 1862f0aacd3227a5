//! Memory that is replicated on several devices: one access does something to all replicas, from `sm_90` on.
//!
//! Numbers of 16 bits are accessed in pairs of 32 bits. Where one of a pair is not accessed, because it is outside of the tensor or no neighbour of
//! the tile's, sums add a zero to it that changes nothing; stores clear the own half and then set its bits, which only weak ones may.

use super::{
    Lowerer, Stop, Tile,
    memory::{Place, TileView, padding_bits},
    order::Access,
    packed::{elements_of_pairs, halved},
    tile::dims_of,
};
use crate::{
    Target::Sm90,
    thread::{Combined, Order, Replicas, Scope, Strong, Value},
};
use tilewright_ir::{AttrName, AttrValue, MultimemReductionKind as Kind, OpRef, Scalar};
use tilewright_passes::elem::Elem;
use tilewright_vector::Prim;

/// Two zeros of 16 bits that change no sum.
const NEGATIVE_ZEROS: u32 = 0x8000_8000;

/// A pair of numbers of 16 bits: the word that they are in, and whether the lower and the upper one are accessed; always, if nothing is said.
struct Pair {
    address: (Value, i32),
    inside: [Option<Value>; 2],
}

/// How the numbers of a tile share words.
enum Sharing {
    /// Each has its own.
    None,
    /// Two registers of a thread lie in a word, the lower one first. If they are whole, both are inside of the tensor or both are not.
    Neighbours { are_whole: bool },
    /// One register is half of a word; which one the address says.
    Alone,
}

impl Lowerer<'_> {
    fn require_replicas(&self, op: OpRef<'_>) -> Result<(), Stop> {
        if self.target >= Sm90 { Ok(()) } else { Err(self.unsupported(op, "memory of several devices, which GPUs have from sm_90 on,")) }
    }

    fn combined_with_replicas(&self, op: OpRef<'_>, elem: Elem) -> Result<Combined, Stop> {
        let kind = match op.attr(AttrName::Reduction) {
            AttrValue::Enum(wire) => Kind::from_wire(wire),
            _ => None,
        };
        let kind = kind.ok_or_else(|| self.unsupported(op, "a reduction without a kind"))?;
        Ok(match (kind, elem) {
            (Kind::Add, Elem::Num(Scalar::F16)) => Combined::AddF16s,
            (Kind::Min, Elem::Num(Scalar::F16)) => Combined::MinF16s,
            (Kind::Max, Elem::Num(Scalar::F16)) => Combined::MaxF16s,
            (Kind::Add, Elem::Num(Scalar::Bf16)) => Combined::AddBf16s,
            (Kind::Min, Elem::Num(Scalar::Bf16)) => Combined::MinBf16s,
            (Kind::Max, Elem::Num(Scalar::Bf16)) => Combined::MaxBf16s,
            (Kind::Add, _) => Combined::Add,
            (Kind::And, _) => Combined::And,
            (Kind::Or, _) => Combined::Or,
            (Kind::Xor, _) => Combined::Xor,
            (Kind::Min, _) => Combined::MinS,
            (Kind::Max, _) => Combined::MaxS,
            (Kind::Umin, _) => Combined::MinU,
            (Kind::Umax, _) => Combined::MaxU,
        })
    }

    /// How the numbers of a tile of a view share words, and the tile's layout for that.
    fn sharing(&self, op: OpRef<'_>, view: &TileView, shape: &[i64]) -> Result<(Sharing, crate::Layout), Stop> {
        let tensor = &view.tensor;
        if !matches!(tensor.elem, Elem::Num(Scalar::F16 | Scalar::Bf16)) {
            return Ok((Sharing::None, self.layout_of(shape)));
        }
        let dim = view.dim_map.iter().position(|of| Some(*of) == tensor.unit);
        let dim = dim.ok_or_else(|| self.unsupported(op, "16-bit floats without one stride of 1"))?;
        if shape[dim] == 1 {
            return Ok((Sharing::Alone, self.layout_of(shape)));
        }
        let pairs = self.layout_of(&halved(shape, dim));
        let are_whole = tensor.shape_divisors[view.dim_map[dim]] >= 2;
        Ok((Sharing::Neighbours { are_whole }, elements_of_pairs(&pairs, dims_of(shape)[dim])))
    }

    /// The words of pairs of 16-bit floats.
    fn pairs(&mut self, sharing: &Sharing, places: &[Place]) -> Vec<Pair> {
        if let Sharing::Neighbours { are_whole } = sharing {
            let second = usize::from(!are_whole);
            let pair = |both: &[Place]| Pair { address: (both[0].address, both[0].offset), inside: [both[0].inside, both[second].inside] };
            return places.chunks(2).map(pair).collect();
        }
        let (two, word) = (self.i64(2), self.i64(!3));
        let mut pairs = Vec::new();
        for place in places {
            let far = self.i64(place.offset.into());
            let address = self.b.prim(Prim::Add, &[place.address, far]);
            let upper = self.b.prim(Prim::And, &[address, two]);
            let zero = self.i64(0);
            let is_lower = self.b.prim(Prim::Eq, &[upper, zero]);
            let is_upper = self.b.prim(Prim::MNot, &[is_lower]);
            let halves = [is_lower, is_upper].map(|is_there| match place.inside {
                Some(inside) => self.b.prim(Prim::MAnd, &[is_there, inside]),
                None => is_there,
            });
            pairs.push(Pair { address: (self.b.prim(Prim::And, &[address, word]), 0), inside: halves.map(Some) });
        }
        pairs
    }

    /// A word of two numbers, of which each register of a tile is one.
    fn words_of_pairs(&mut self, sharing: &Sharing, registers: &[Value]) -> Vec<Value> {
        match sharing {
            Sharing::Neighbours { .. } => registers.chunks(2).map(|pair| self.b.pack([pair[0], pair[1]])).collect(),
            // In both halves, of which one is used.
            _ => registers.iter().map(|value| self.b.pack([*value, *value])).collect(),
        }
    }

    /// The mask of the halves of a word that are accessed: all bits of them; none if these are all.
    fn halves(&mut self, pair: &Pair) -> Option<Value> {
        if pair.inside[0] == pair.inside[1] {
            return None;
        }
        let zero = self.i32(0);
        let halves = [0x0000_ffff, 0xffff_0000].map(|bits| self.i32(bits));
        let mut all = zero;
        for (inside, bits) in pair.inside.into_iter().zip(halves) {
            let own = inside.map_or(bits, |inside| self.b.prim(Prim::Select, &[inside, bits, zero]));
            all = self.b.prim(Prim::Or, &[all, own]);
        }
        Some(all)
    }

    /// Whether any half of a word is accessed.
    fn is_accessed(&mut self, pair: &Pair) -> Option<Value> {
        match pair.inside {
            [Some(low), Some(high)] if low != high => Some(self.b.prim(Prim::MOr, &[low, high])),
            [Some(low), Some(_)] => Some(low),
            _ => None,
        }
    }

    pub(super) fn store_replicas(&mut self, op: OpRef<'_>) -> Result<(), Stop> {
        self.require_replicas(op)?;
        let view = self.view(op)?;
        let tile = self.tile(op, op.operand_named("tile")[0])?;
        let (sharing, layout) = self.sharing(op, &view, &tile.shape)?;
        let tile = self.convert(&tile, &layout);
        let strong = self.strong(op)?;
        self.order(op, Access::STORE);
        let places = self.places(op, &view, &tile)?;
        let first = self.first_holders(&layout);
        self.note_accesses("multimem.st", places.len(), 4, places.iter().any(|place| place.inside.is_some()), strong);
        if let Sharing::None = sharing {
            for (place, value) in places.iter().zip(&tile.registers) {
                let mask = self.both(first, place.inside);
                self.b.multimem(Replicas::Store(*value), strong, (place.address, place.offset), mask, None);
            }
            return Ok(());
        }
        let words = self.words_of_pairs(&sharing, &tile.registers);
        for (pair, word) in self.pairs(&sharing, &places).iter().zip(words) {
            let accessed = self.is_accessed(pair);
            let mut mask = self.both(first, accessed);
            let Some(halves) = self.halves(pair) else {
                self.b.multimem(Replicas::Store(word), strong, pair.address, mask, None);
                continue;
            };
            if let (Sharing::Neighbours { .. }, [Some(low), Some(high)]) = (&sharing, pair.inside) {
                let is_whole = self.b.prim(Prim::MAnd, &[low, high]);
                let both = self.both(first, Some(is_whole));
                self.b.multimem(Replicas::Store(word), strong, pair.address, both, None);
                let is_single = self.b.prim(Prim::MXor, &[low, high]);
                mask = self.both(first, Some(is_single));
            }
            if strong.is_some() {
                return Err(self.unsupported(op, "a strong store of single 16-bit floats to several devices"));
            }
            let relaxed = Some(Strong { order: Order::Relaxed, scope: Scope::System });
            let all = self.i32(u32::MAX);
            let others = self.b.prim(Prim::Xor, &[halves, all]);
            let own = self.b.prim(Prim::And, &[word, halves]);
            self.b.multimem(Replicas::Reduce(Combined::And, others), relaxed, pair.address, mask, None);
            self.b.multimem(Replicas::Reduce(Combined::Or, own), relaxed, pair.address, mask, None);
        }
        Ok(())
    }

    pub(super) fn reduce_replicas(&mut self, op: OpRef<'_>) -> Result<(), Stop> {
        self.require_replicas(op)?;
        let view = self.view(op)?;
        let tile = self.tile(op, op.operand_named("tile")[0])?;
        let how = self.combined_with_replicas(op, tile.elem)?;
        let (sharing, layout) = self.sharing(op, &view, &tile.shape)?;
        let tile = self.convert(&tile, &layout);
        let strong = self.strong(op)?.ok_or_else(|| self.unsupported(op, "a weak update"))?;
        self.order(op, Access::update(strong));
        let places = self.places(op, &view, &tile)?;
        let first = self.first_holders(&layout);
        self.note_accesses("multimem.red", places.len(), 4, places.iter().any(|place| place.inside.is_some()), Some(strong));
        if let Sharing::None = sharing {
            for (place, value) in places.iter().zip(&tile.registers) {
                let mask = self.both(first, place.inside);
                self.b.multimem(Replicas::Reduce(how, *value), Some(strong), (place.address, place.offset), mask, None);
            }
            return Ok(());
        }
        let words = self.words_of_pairs(&sharing, &tile.registers);
        for (pair, word) in self.pairs(&sharing, &places).iter().zip(words) {
            let accessed = self.is_accessed(pair);
            let mask = self.both(first, accessed);
            let word = match self.halves(pair) {
                Some(halves) => {
                    let (all, zeros) = (self.i32(u32::MAX), self.i32(NEGATIVE_ZEROS));
                    let others = self.b.prim(Prim::Xor, &[halves, all]);
                    let (own, rest) = (self.b.prim(Prim::And, &[word, halves]), self.b.prim(Prim::And, &[zeros, others]));
                    self.b.prim(Prim::Or, &[own, rest])
                }
                None => word,
            };
            self.b.multimem(Replicas::Reduce(how, word), Some(strong), pair.address, mask, None);
        }
        Ok(())
    }

    pub(super) fn load_replicas(&mut self, op: OpRef<'_>) -> Result<(), Stop> {
        self.require_replicas(op)?;
        let view = self.view(op)?;
        let result = op.result(0).expect("a tile");
        let (elem, shape) = self.tile_type(op, result)?;
        let how = self.combined_with_replicas(op, elem)?;
        let (_, lane) = self.memory_of(op, elem)?;
        let (sharing, layout) = self.sharing(op, &view, &shape)?;
        let strong = self.strong(op)?;
        self.order(op, Access::load(strong));
        let padding = self.b.constant(lane, padding_bits(elem, view.padding));
        let registers = vec![padding; layout.registers() as usize];
        let is_splat = shape.is_empty();
        let tile = Tile { elem, shape, layout, registers, is_splat };
        let places = self.places(op, &view, &tile)?;
        self.note_accesses("multimem.ld_reduce", places.len(), 4, places.iter().any(|place| place.inside.is_some()), strong);
        // Threads that hold the same must not read it at different times, if others may write it meanwhile.
        let first = strong.and_then(|_| self.first_holders(&tile.layout));
        let mut registers = Vec::new();
        if let Sharing::None = sharing {
            for place in &places {
                let mask = self.both(first, place.inside);
                let loaded = self.b.multimem(Replicas::Load(how), strong, (place.address, place.offset), mask, Some(padding));
                registers.extend(loaded);
            }
        } else {
            let others = self.b.pack([padding, padding]);
            for pair in self.pairs(&sharing, &places) {
                let accessed = self.is_accessed(&pair);
                let mask = self.both(first, accessed);
                let word = self.b.multimem(Replicas::Load(how), strong, pair.address, mask, Some(others)).expect("a load has a result");
                let loaded = self.b.unpack(word);
                match (&sharing, pair.inside) {
                    (Sharing::Neighbours { .. }, inside) => {
                        for (half, inside) in loaded.into_iter().zip(inside) {
                            registers.push(inside.map_or(half, |inside| self.b.prim(Prim::Select, &[inside, half, padding])));
                        }
                    }
                    (_, [Some(is_lower), Some(is_upper)]) => {
                        let upper = self.b.prim(Prim::Select, &[is_upper, loaded[1], padding]);
                        registers.push(self.b.prim(Prim::Select, &[is_lower, loaded[0], upper]));
                    }
                    _ => unreachable!("which half a single number is, is computed"),
                }
            }
        }
        if first.is_some() {
            registers = self.handed_out(&tile.layout, &registers);
        }
        self.define(result, Tile { registers, ..tile });
        Ok(())
    }
}
