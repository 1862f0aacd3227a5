//! Accesses to memory, and the variables of the module.

use super::{CONSTANT, Dialect, GLOBAL, IN_SHARED, Printer, SHARED, TOGETHER, constant, data_name, places, structure, ty};
use crate::{
    ptx::{atomic_operation, multimem, strength},
    thread::{Function, Order, Replicas, Space, Strong, Update, Value},
};
use std::fmt::Write as _;
use tilewright_vector::Lane;

/// The type of the variable in shared memory; what is dynamic has no extent.
pub(super) fn shared_type(function: &Function) -> String {
    format!("[{} x i8]", if function.dynamic_shared() > 0 { 0 } else { function.shared })
}

/// How inline assembly takes a value.
pub(super) const fn constraint(lane: Lane) -> char {
    match lane {
        Lane::Mask | Lane::I8 | Lane::I16 => 'h',
        Lane::I32 => 'r',
        Lane::I64 => 'l',
        Lane::F32 => 'f',
        Lane::F64 => 'd',
    }
}

/// The type of neighbouring numbers.
fn several(lane: Lane, count: usize) -> String {
    if count == 1 { ty(lane).to_owned() } else { format!("<{count} x {}>", ty(lane)) }
}

/// The type of an access in PTX.
fn accessed(lane: Lane) -> String {
    match lane {
        Lane::F32 | Lane::F64 => format!("f{}", 8 * lane.size()),
        _ => format!("u{}", 8 * lane.size()),
    }
}

impl Printer<'_> {
    /// The pointer to a type at a place.
    fn pointer(&mut self, to: &str, space: Space, (address, offset): (Value, i32)) -> String {
        let (number, int) = match space {
            Space::Global => (GLOBAL, "i64"),
            Space::Shared => (IN_SHARED, "i32"),
        };
        let mut at = self.operand(address);
        if offset != 0 {
            at = self.compute(&format!("add {int} {at}, {offset}"));
        }
        let ty = self.dialect.pointer(to, number);
        let pointer = self.compute(&format!("inttoptr {int} {at} to {ty}"));
        format!("{ty} {pointer}")
    }

    /// The address of a place, as inline assembly takes it.
    fn address(&mut self, (address, offset): (Value, i32)) -> String {
        let at = self.typed(address);
        if offset == 0 { at } else { format!("{} {}", ty(self.lane(address)), self.compute(&format!("add {at}, {offset}"))) }
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
                loaded = this.load_weak(lane, results.len(), space, place);
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

    fn load_weak(&mut self, lane: Lane, count: usize, space: Space, place: (Value, i32)) -> Vec<String> {
        let loaded = several(lane, count);
        let pointer = self.pointer(&loaded, space, place);
        let all = self.compute(&format!("load {loaded}, {pointer}, align {}", lane.size() * count));
        if count == 1 {
            return vec![all];
        }
        (0..count).map(|n| self.compute(&format!("extractelement {loaded} {all}, i32 {n}"))).collect()
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
            let (vector, bytes) = (several(lane, values.len()), lane.size() * values.len());
            let pointer = this.pointer(&vector, space, place);
            if let [value] = values {
                let value = this.typed(*value);
                return this.line(&format!("store {value}, {pointer}, align {bytes}"));
            }
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
        let how = if transposed { ".trans" } else { "" };
        let name = format!("ldmatrix.sync.aligned.m8n8.x{}{how}", results.len());
        let all = structure(Lane::I32, results.len());
        let call = match self.dialect {
            Dialect::Current => {
                let pointer = self.pointer("i8", Space::Shared, place);
                self.called(&all, &format!("llvm.nvvm.{name}.b16.p{IN_SHARED}"), &[pointer])
            }
            Dialect::Seven => {
                let (list, constraints) = (places(0, results.len()), vec!["=r"; results.len()].join(","));
                let address = self.address(place);
                let text = format!("{name}.shared.b16 {list}, [${}];", results.len());
                format!("call {all} asm sideeffect \"{text}\", \"{constraints},r,~{{memory}}\"({address}) #{TOGETHER}")
            }
        };
        for (word, result) in self.taken_apart(&all, &call, results.len()).into_iter().zip(results) {
            let own = ty(self.lane(*result));
            self.define(*result, &format!("bitcast i32 {word} to {own}"));
        }
    }

    pub(super) fn copy_async(&mut self, to: (Value, i32), from: (Value, i32), bytes: u32, given: Option<Value>, mask: Option<Value>) {
        let cache = if bytes == 16 { "cg" } else { "ca" };
        self.only_if(mask, |this| match this.dialect {
            Dialect::Current => {
                let mut operands = vec![this.pointer("i8", Space::Shared, to), this.pointer("i8", Space::Global, from)];
                operands.extend(given.map(|given| this.typed(given)));
                let size = if given.is_some() { ".s" } else { "" };
                this.do_call(&format!("llvm.nvvm.cp.async.{cache}.shared.global.{bytes}{size}"), &operands);
            }
            Dialect::Seven => {
                let mut operands = vec![this.address(to), this.address(from)];
                operands.extend(given.map(|given| this.typed(given)));
                let (size, constraint) = if given.is_some() { (", $2", ",r") } else { ("", "") };
                let text = format!("cp.async.{cache}.shared.global [$0], [$1], {bytes}{size};");
                this.assembly(&text, &format!("r,l{constraint},~{{memory}}"), &operands);
            }
        });
    }

    pub(super) fn commit_copies(&mut self) {
        match self.dialect {
            Dialect::Current => self.do_call("llvm.nvvm.cp.async.commit.group", &[]),
            Dialect::Seven => self.assembly("cp.async.commit_group;", "~{memory}", &[]),
        }
    }

    pub(super) fn wait_copies(&mut self, pending: u32) {
        match self.dialect {
            Dialect::Current => self.do_call("llvm.nvvm.cp.async.wait.group", &[format!("i32 {pending}")]),
            Dialect::Seven => self.assembly(&format!("cp.async.wait_group {pending};"), "~{memory}", &[]),
        }
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
            let _ = writeln!(out, "@{SHARED} = external addrspace({IN_SHARED}) global {}, align 16", shared_type(function));
        } else if function.shared > 0 {
            let _ = writeln!(out, "@{SHARED} = internal addrspace({IN_SHARED}) global {} undef, align 16", shared_type(function));
        }
        if out.is_empty() { out } else { out + "\n" }
    }
}
