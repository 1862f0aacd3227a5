//! The portable executor: runs vector code as it is written. It is the definition of what code does, on every CPU.

use crate::{
    code::{Axis, Carried, Code, Fold, Item, Kind, Loop, Param, Place, Value, While},
    memory::{Arg, Fault, buffer, checks, count},
    prim::Lane,
};

impl Code {
    /// Runs the code, one group of lanes after the other.
    ///
    /// # Errors
    ///
    /// [`Fault`]: nothing was done, but for [`Fault::Lane`].
    pub fn run_portable(&self, args: &[Arg<'_>]) -> Result<(), Fault> {
        checks(self).check(&self.params, args)?;
        let mut run = Run {
            code: self,
            args,
            lanes: self.lanes(),
            registers: vec![0; self.values.len() * self.lanes()],
            scratch: vec![0; self.lanes()],
            axes: Vec::new(),
            active: 1,
            fault: false,
        };
        run.items(&self.body);
        if run.fault { Err(Fault::Lane) } else { Ok(()) }
    }
}

struct Run<'a> {
    code: &'a Code,
    args: &'a [Arg<'a>],
    lanes: usize,
    /// The bits of each lane of each value.
    registers: Vec<u64>,
    /// What a primitive gives, before it is kept.
    scratch: Vec<u64>,
    /// The loops around, and their indices: in a loop over lanes, that of the first lane.
    axes: Vec<(Axis, Kind, i64)>,
    /// Lanes that do something: outside of loops over lanes one.
    active: usize,
    fault: bool,
}

impl Run<'_> {
    fn items(&mut self, items: &[Item]) {
        items.iter().for_each(|item| self.item(item));
    }

    fn slice(&self, value: Value) -> &[u64] {
        &self.registers[value.index() * self.lanes..][..self.lanes]
    }

    fn slice_mut(&mut self, value: Value) -> &mut [u64] {
        &mut self.registers[value.index() * self.lanes..][..self.lanes]
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Prim { result, prim, operands } => {
                let lane = self.code.lane(operands[prim.arity() - 1]);
                let mut out = std::mem::take(&mut self.scratch);
                prim.evaluate(lane, operands.map(|v| self.slice(v)), &mut out);
                self.slice_mut(*result).copy_from_slice(&out);
                self.scratch = out;
            }
            Item::Const { result, bits } => self.slice_mut(*result).fill(*bits),
            Item::Scalar { result, param } => {
                let Arg::Lane(bits) = self.args[param.index()] else { unreachable!("arguments were checked") };
                self.slice_mut(*result).fill(bits);
            }
            Item::Index { result, axis } => {
                let bits = self.code.lane(*result).bits();
                let (kind, first) = self.axis(*axis);
                let step = i64::from(kind == Kind::Lanes);
                self.slice_mut(*result).iter_mut().zip(0..).for_each(|(out, lane)| *out = (first + lane * step) as u64 & bits);
            }
            Item::Lookup { result, index, table } => {
                for i in 0..self.lanes {
                    let bits = table[(self.slice(*index)[i] & 15) as usize];
                    self.slice_mut(*result)[i] = bits.into();
                }
            }
            Item::Load { result, place, mask } => {
                let lane = self.code.lane(*result);
                // Where all lanes read the same place, all have what was read.
                let reading = if self.in_lanes() { self.active } else { 1 };
                for i in 0..reading {
                    let bits =
                        if self.is_on(*mask, i) { self.address(place, i).map_or(0, |p| self.read(place.buffer, p, lane)) } else { 0 };
                    self.slice_mut(*result)[i] = bits;
                }
                if reading == 1 && !self.in_lanes() {
                    let bits = self.slice(*result)[0];
                    self.slice_mut(*result).fill(bits);
                }
            }
            Item::Store { value, place, mask } => {
                for i in (0..self.active).filter(|i| self.is_on(*mask, *i)) {
                    if let Some(p) = self.address(place, i) {
                        self.write(place.buffer, p, self.code.lane(*value), self.slice(*value)[i]);
                    }
                }
            }
            Item::Prefetch { .. } => {}
            Item::Gather { result, buffer, offsets, mask } => {
                let lane = self.code.lane(*result);
                for i in 0..self.active {
                    let offset = if self.is_on(*mask, i) { self.checked(*buffer, *offsets, i, lane) } else { None };
                    self.slice_mut(*result)[i] = offset.map_or(0, |p| self.read(*buffer, p, lane));
                }
                if !self.in_lanes() {
                    let bits = self.slice(*result)[0];
                    self.slice_mut(*result).fill(bits);
                }
            }
            Item::Scatter { value, buffer, offsets, mask } => {
                let lane = self.code.lane(*value);
                for i in 0..self.active {
                    if self.is_on(*mask, i)
                        && let Some(p) = self.checked(*buffer, *offsets, i, lane)
                    {
                        self.write(*buffer, p, lane, self.slice(*value)[i]);
                    }
                }
            }
            Item::Loop(inner) => self.loop_(inner),
            Item::While(inner) => self.while_(inner),
            Item::Fold(fold) => self.fold(fold),
        }
    }

    fn in_lanes(&self) -> bool {
        self.axes.iter().any(|(_, kind, _)| *kind == Kind::Lanes)
    }

    fn axis(&self, axis: Axis) -> (Kind, i64) {
        let (_, kind, index) = self.axes.iter().find(|(a, ..)| *a == axis).expect("the code was verified");
        (*kind, *index)
    }

    fn is_on(&self, mask: Option<Value>, lane: usize) -> bool {
        mask.is_none_or(|mask| self.slice(mask)[lane] != 0)
    }

    /// The offset of the place for a lane, if it has one there.
    fn address(&self, place: &Place, lane: usize) -> Option<usize> {
        let mut offset = place.offset;
        for term in &place.terms {
            let (kind, first) = self.axis(term.axis);
            let index = first + if kind == Kind::Lanes { lane as i64 } else { 0 };
            if term.limit.is_some_and(|limit| index >= count(limit, self.args)) {
                return None;
            }
            // Where a later term has no place for the iteration, this may be beyond all numbers.
            offset = offset.wrapping_add(index.wrapping_mul(count(term.stride, self.args)));
        }
        Some(offset as usize)
    }

    /// The offset of a lane, if it lies inside of the buffer; else a fault.
    fn checked(&mut self, place: Param, offsets: Value, lane: usize, element: Lane) -> Option<usize> {
        let offset = match self.code.lane(offsets) {
            Lane::I32 => i64::from(self.slice(offsets)[lane] as i32) as u64,
            _ => self.slice(offsets)[lane],
        };
        let inside = offset.checked_add(element.size() as u64).is_some_and(|end| end <= buffer(self.args, place).len() as u64);
        self.fault |= !inside;
        inside.then_some(offset as usize)
    }

    fn read(&self, place: Param, offset: usize, lane: Lane) -> u64 {
        let mut bytes = [0; 8];
        buffer(self.args, place).read(offset, &mut bytes[..lane.size()]);
        let bits = u64::from_le_bytes(bytes);
        if lane == Lane::Mask { u64::from(bits != 0) } else { bits }
    }

    fn write(&self, place: Param, offset: usize, lane: Lane, bits: u64) {
        buffer(self.args, place).write(offset, &bits.to_le_bytes()[..lane.size()]);
    }

    fn loop_(&mut self, inner: &Loop) {
        let times = count(inner.count, self.args).max(0);
        self.copy_all(&inner.carried, |c| (c.init, c.arg));
        let outside = self.active;
        let step = if inner.kind == Kind::Lanes { self.lanes as i64 } else { 1 };
        let mut index = 0;
        while index < times {
            if inner.kind == Kind::Lanes {
                self.active = (times - index).min(step) as usize;
            }
            self.axes.push((inner.axis, inner.kind, index));
            self.items(&inner.body);
            self.copy_all(&inner.carried, |c| (c.next, c.arg));
            self.axes.pop();
            index += step;
        }
        self.active = outside;
        if inner.kind == Kind::Lanes || !self.in_lanes() {
            // Behind the loop, or around it, all lanes count.
            let active = std::mem::replace(&mut self.active, self.lanes);
            self.copy_all(&inner.carried, |c| (c.arg, c.result));
            self.active = active;
        } else {
            self.copy_all(&inner.carried, |c| (c.arg, c.result));
        }
    }

    /// Copies values to others, all at once, in the lanes that count.
    fn copy_all(&mut self, carried: &[Carried], pair: impl Fn(&Carried) -> (Value, Value)) {
        let n = self.counting();
        let copies: Vec<Vec<u64>> = carried.iter().map(|c| self.slice(pair(c).0)[..n].to_vec()).collect();
        for (c, copy) in carried.iter().zip(copies) {
            self.slice_mut(pair(c).1)[..n].copy_from_slice(&copy);
        }
    }

    fn while_(&mut self, inner: &While) {
        self.copy_all(&inner.carried, |c| (c.init, c.arg));
        let lanes = self.counting();
        let running = inner.carried[0].arg;
        for _ in 0..inner.limit {
            let on: Vec<usize> = (0..lanes).filter(|lane| self.slice(running)[*lane] != 0).collect();
            if on.is_empty() {
                break;
            }
            self.items(&inner.body);
            let nexts: Vec<Vec<u64>> = inner.carried.iter().map(|c| on.iter().map(|lane| self.slice(c.next)[*lane]).collect()).collect();
            for (c, next) in inner.carried.iter().zip(nexts) {
                on.iter().zip(next).for_each(|(lane, bits)| self.slice_mut(c.arg)[*lane] = bits);
            }
        }
        self.copy_all(&inner.carried, |c| (c.arg, c.result));
    }

    /// The lanes that count: those that do something; outside of loops over lanes all.
    fn counting(&self) -> usize {
        if self.active == 1 && !self.in_lanes() { self.lanes } else { self.active }
    }

    fn fold(&mut self, fold: &Fold) {
        let mut width = self.lanes / 2;
        for (partial, lower) in fold.partials.iter().zip(&fold.lower) {
            let all = self.slice(*partial).to_vec();
            self.slice_mut(*lower).copy_from_slice(&all);
        }
        while width > 0 {
            for (lower, upper) in fold.lower.iter().zip(&fold.upper) {
                let half = self.slice(*lower)[width..2 * width].to_vec();
                self.slice_mut(*upper)[..width].copy_from_slice(&half);
            }
            self.items(&fold.body);
            let combined: Vec<Vec<u64>> = fold.combined.iter().map(|v| self.slice(*v).to_vec()).collect();
            for (lower, all) in fold.lower.iter().zip(combined) {
                self.slice_mut(*lower).copy_from_slice(&all);
            }
            width /= 2;
        }
        for (lower, result) in fold.lower.iter().zip(&fold.results) {
            let bits = self.slice(*lower)[0];
            self.slice_mut(*result).fill(bits);
        }
    }
}
