//! Accesses to memory, and the variables of the module.

use super::{CONSTANT, GLOBAL, IN_SHARED, Printer, SHARED, constant, data_name, ty};
use crate::{
    ptx::{atomic_operation, multimem, strength},
    thread::{Order, Replicas, Space, Strong, Update, Value},
};
use std::fmt::Write as _;
use tilewright_vector::Lane;

/// How inline assembly takes a value.
const fn constraint(lane: Lane) -> char {
    match lane {
        Lane::Mask | Lane::I8 | Lane::I16 => 'h',
        Lane::I32 => 'r',
        Lane::I64 => 'l',
        Lane::F32 => 'f',
        Lane::F64 => 'd',
    }
}

/// The type of an access in PTX.
fn accessed(lane: Lane) -> String {
    match lane {
        Lane::F32 | Lane::F64 => format!("f{}", 8 * lane.size()),
        _ => format!("u{}", 8 * lane.size()),
    }
}

impl Printer<'_> {
    /// The pointer to a place.
    fn pointer(&mut self, space: Space, (address, offset): (Value, i32)) -> String {
        let (number, int) = match space {
            Space::Global => (GLOBAL, "i64"),
            Space::Shared => (IN_SHARED, "i32"),
        };
        let mut at = self.operand(address);
        if offset != 0 {
            at = self.compute(&format!("add {int} {at}, {offset}"));
        }
        let pointer = self.compute(&format!("inttoptr {int} {at} to ptr addrspace({number})"));
        format!("ptr addrspace({number}) {pointer}")
    }

    /// The address of a place in the device's memory, as inline assembly takes it.
    fn address(&mut self, (address, offset): (Value, i32)) -> String {
        let at = self.operand(address);
        if offset == 0 { format!("i64 {at}") } else { format!("i64 {}", self.compute(&format!("add i64 {at}, {offset}"))) }
    }

    pub(super) fn load(
        &mut self,
        results: &[Value],
        space: Space,
        place: (Value, i32),
        mask: Option<(Value, Vec<Value>)>,
        strong: Option<Strong>,
    ) {
        let lane = self.lane(results[0]);
        let mut loaded = Vec::new();
        let ways = self.only_if(mask.as_ref().map(|(mask, _)| *mask), |this| match strong {
            Some(strong) => loaded.push(this.load_strong(lane, place, strong)),
            None => {
                let pointer = this.pointer(space, place);
                loaded = this.load_weak(lane, results.len(), &pointer);
            }
        });
        for (n, (result, loaded)) in results.iter().zip(loaded).enumerate() {
            match (&ways, &mask) {
                (Some([before, inside]), Some((_, others))) => {
                    let (ty, other) = (ty(lane), self.operand(others[n]));
                    self.define(*result, &format!("phi {ty} [ {loaded}, %{inside} ], [ {other}, %{before} ]"));
                }
                _ => {
                    self.known.insert(*result, loaded);
                }
            }
        }
    }

    fn load_weak(&mut self, lane: Lane, count: usize, pointer: &str) -> Vec<String> {
        let (ty, bytes) = (ty(lane), lane.size() * count);
        if count == 1 {
            return vec![self.compute(&format!("load {ty}, {pointer}, align {bytes}"))];
        }
        let all = self.compute(&format!("load <{count} x {ty}>, {pointer}, align {bytes}"));
        (0..count).map(|n| self.compute(&format!("extractelement <{count} x {ty}> {all}, i32 {n}"))).collect()
    }

    fn load_strong(&mut self, lane: Lane, place: (Value, i32), strong: Strong) -> String {
        let address = self.address(place);
        let (ty, strength, accessed) = (ty(lane), strength(strong), accessed(lane));
        // Assembly has no registers of 8 bits.
        let held = if lane == Lane::I8 { "i16" } else { ty };
        let kind = constraint(lane);
        let text = format!("call {held} asm sideeffect \"ld{strength}.global.{accessed} $0, [$1];\", \"={kind},l,~{{memory}}\"({address})");
        let loaded = self.compute(&text);
        if held == ty { loaded } else { self.compute(&format!("trunc {held} {loaded} to {ty}")) }
    }

    pub(super) fn store(&mut self, values: &[Value], space: Space, place: (Value, i32), mask: Option<Value>, strong: Option<Strong>) {
        let lane = self.lane(values[0]);
        self.only_if(mask, |this| {
            if let Some(strong) = strong {
                return this.store_strong(values[0], place, strong);
            }
            let (ty, bytes) = (ty(lane), lane.size() * values.len());
            let pointer = this.pointer(space, place);
            if let [value] = values {
                let value = this.typed(*value);
                return this.line(&format!("store {value}, {pointer}, align {bytes}"));
            }
            let vector = format!("<{} x {ty}>", values.len());
            let mut all = "undef".to_owned();
            for (n, value) in values.iter().enumerate() {
                all = this.compute(&format!("insertelement {vector} {all}, {}, i32 {n}", this.typed(*value)));
            }
            this.line(&format!("store {vector} {all}, {pointer}, align {bytes}"));
        });
    }

    fn store_strong(&mut self, value: Value, place: (Value, i32), strong: Strong) {
        let lane = self.lane(value);
        let address = self.address(place);
        let mut operand = self.typed(value);
        if lane == Lane::I8 {
            operand = format!("i16 {}", self.compute(&format!("zext {operand} to i16")));
        }
        let text = format!("st{}.global.{} [$0], $1;", strength(strong), accessed(lane));
        self.assembly(&text, &format!("l,{},~{{memory}}", constraint(lane)), &[address, operand]);
    }

    pub(super) fn atomic(
        &mut self,
        result: Option<(Value, Value)>,
        update: Update,
        strong: Strong,
        (address, value): (Value, Value),
        mask: Option<Value>,
    ) {
        let lane = self.lane(value);
        let operation = atomic_operation(update, lane);
        let (strength, kind, ty) = (strength(strong), constraint(lane), ty(lane));
        let is_plain = !matches!(update, Update::Exchange | Update::CompareExchange(_));
        let is_reduction = result.is_none() && is_plain && matches!(strong.order, Order::Relaxed | Order::Release);
        let mut old = String::new();
        let ways = self.only_if(mask, |this| {
            let at = this.address((address, 0));
            let value = this.typed(value);
            if is_reduction {
                let text = format!("red{strength}.global.{operation} [$0], $1;");
                return this.assembly(&text, &format!("l,{kind},~{{memory}}"), &[at, value]);
            }
            let (operands, constraints, text) = match update {
                Update::CompareExchange(expected) => {
                    let expected = this.typed(expected);
                    (format!("{at}, {expected}, {value}"), format!("={kind},l,{kind},{kind}"), "$0, [$1], $2, $3;")
                }
                _ => (format!("{at}, {value}"), format!("={kind},l,{kind}"), "$0, [$1], $2;"),
            };
            let text = format!("atom{strength}.global.{operation} {text}");
            old = this.compute(&format!("call {ty} asm sideeffect \"{text}\", \"{constraints},~{{memory}}\"({operands})"));
        });
        let Some((result, other)) = result else { return };
        match ways {
            Some([before, inside]) => {
                let other = self.operand(other);
                self.define(result, &format!("phi {ty} [ {old}, %{inside} ], [ {other}, %{before} ]"));
            }
            None => {
                self.known.insert(result, old);
            }
        }
    }

    /// LLVM has no intrinsics for replicas.
    pub(super) fn multimem(
        &mut self,
        result: Option<(Value, Value)>,
        access: Replicas,
        place: (Value, i32),
        mask: Option<Value>,
        strong: Option<Strong>,
    ) {
        let mut loaded = String::new();
        let ways = self.only_if(mask, |this| {
            let at = this.address(place);
            match (access.value(), result) {
                (Some(value), _) => {
                    let lane = this.lane(value);
                    let (name, value) = (multimem(access, lane, strong), this.typed(value));
                    this.assembly(&format!("{name} [$0], $1;"), &format!("l,{},~{{memory}}", constraint(lane)), &[at, value]);
                }
                (None, Some((result, _))) => {
                    let lane = this.lane(result);
                    let (name, kind, ty) = (multimem(access, lane, strong), constraint(lane), ty(lane));
                    let text = format!("call {ty} asm sideeffect \"{name} $0, [$1];\", \"={kind},l,~{{memory}}\"({at})");
                    loaded = this.compute(&text);
                }
                (None, None) => unreachable!("thread code was verified: a load has a result"),
            }
        });
        let Some((result, other)) = result else { return };
        match ways {
            Some([before, inside]) => {
                let (ty, other) = (ty(self.lane(result)), self.operand(other));
                self.define(result, &format!("phi {ty} [ {loaded}, %{inside} ], [ {other}, %{before} ]"));
            }
            None => {
                self.known.insert(result, loaded);
            }
        }
    }

    pub(super) fn load_matrices(&mut self, results: &[Value], place: (Value, i32), transposed: bool) {
        let pointer = self.pointer(Space::Shared, place);
        let how = if transposed { ".trans" } else { "" };
        let name = format!("llvm.nvvm.ldmatrix.sync.aligned.m8n8.x{}{how}.b16.p{IN_SHARED}", results.len());
        if self.lane(results[0]) == Lane::I32 {
            return self.call_for_several(results, &name, &[pointer]);
        }
        let all = if results.len() == 1 { "i32".to_owned() } else { format!("{{ {} }}", vec!["i32"; results.len()].join(", ")) };
        let call = self.called(&all, &name, &[pointer]);
        let together = self.compute(&call);
        for (n, result) in results.iter().enumerate() {
            let word = if results.len() == 1 { together.clone() } else { self.compute(&format!("extractvalue {all} {together}, {n}")) };
            self.define(*result, &format!("bitcast i32 {word} to float"));
        }
    }

    pub(super) fn copy_async(&mut self, to: (Value, i32), from: (Value, i32), bytes: u32, given: Option<Value>, mask: Option<Value>) {
        self.only_if(mask, |this| {
            let mut operands = vec![this.pointer(Space::Shared, to), this.pointer(Space::Global, from)];
            operands.extend(given.map(|given| this.typed(given)));
            let (cache, size) = (if bytes == 16 { "cg" } else { "ca" }, if given.is_some() { ".s" } else { "" });
            this.do_call(&format!("llvm.nvvm.cp.async.{cache}.shared.global.{bytes}{size}"), &operands);
        });
    }

    /// The variables of the module.
    pub(super) fn variables(&self) -> String {
        let function = self.function;
        let mut out = String::new();
        for (index, data) in function.data.iter().enumerate() {
            let linkage = if data.name.is_some() { "" } else { "internal " };
            let (name, length, bytes) = (data_name(function, index), data.bytes.len(), constant::bytes(&data.bytes));
            let alignment = data.alignment;
            let _ = writeln!(out, "@{name} = {linkage}addrspace({GLOBAL}) global [{length} x i8] c\"{bytes}\", align {alignment}");
        }
        for (number, table) in self.tables.iter().enumerate() {
            let numbers: Vec<String> = table.iter().map(|bits| format!("i32 {}", bits.cast_signed())).collect();
            let numbers = numbers.join(", ");
            let _ = writeln!(out, "@tilewright_table_{number} = internal addrspace({CONSTANT}) constant [16 x i32] [{numbers}], align 4");
        }
        if function.dynamic_shared() > 0 {
            let _ = writeln!(out, "; launch with {} bytes of dynamic shared memory", function.shared);
            let _ = writeln!(out, "@{SHARED} = external addrspace({IN_SHARED}) global [0 x i8], align 16");
        } else if function.shared > 0 {
            let _ = writeln!(out, "@{SHARED} = internal addrspace({IN_SHARED}) global [{} x i8] undef, align 16", function.shared);
        }
        if out.is_empty() { out } else { out + "\n" }
    }
}
