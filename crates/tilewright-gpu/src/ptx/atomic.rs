//! Strong and atomic accesses as PTX instructions.

use super::{Printer, moved};
use crate::thread::{Combined, Order, Replicas, Scope, Strong, Update, Value};
use tilewright_vector::Lane;

/// What an instruction says of the order and scope of its access.
pub(crate) fn strength(strong: Strong) -> String {
    let order = match strong.order {
        Order::Relaxed => "relaxed",
        Order::Acquire => "acquire",
        Order::Release => "release",
        Order::AcquireRelease => "acq_rel",
    };
    let scope = match strong.scope {
        Scope::Block => "cta",
        Scope::Device => "gpu",
        Scope::System => "sys",
    };
    format!(".{order}.{scope}")
}

/// The operation and its type.
pub(crate) fn operation(update: Update, lane: Lane) -> String {
    let width = 8 * lane.size();
    match update {
        Update::Add if lane.is_float() => format!("add.f{width}"),
        Update::Add => format!("add.u{width}"),
        Update::AddF16 => "add.noftz.f16".to_owned(),
        Update::AddBf16 => "add.noftz.bf16".to_owned(),
        Update::And => format!("and.b{width}"),
        Update::Or => format!("or.b{width}"),
        Update::Xor => format!("xor.b{width}"),
        Update::MinS => format!("min.s{width}"),
        Update::MaxS => format!("max.s{width}"),
        Update::MinU => format!("min.u{width}"),
        Update::MaxU => format!("max.u{width}"),
        Update::Exchange => format!("exch.b{width}"),
        Update::CompareExchange(_) => format!("cas.b{width}"),
    }
}

/// How replicas are combined, and the type.
fn combination(how: Combined, lane: Lane) -> String {
    let width = 8 * lane.size();
    match how {
        Combined::Add if lane.is_float() => format!("add.f{width}"),
        Combined::Add => format!("add.u{width}"),
        Combined::And => format!("and.b{width}"),
        Combined::Or => format!("or.b{width}"),
        Combined::Xor => format!("xor.b{width}"),
        Combined::MinS => format!("min.s{width}"),
        Combined::MaxS => format!("max.s{width}"),
        Combined::MinU => format!("min.u{width}"),
        Combined::MaxU => format!("max.u{width}"),
        Combined::AddF16s => "add.f16x2".to_owned(),
        Combined::MinF16s => "min.f16x2".to_owned(),
        Combined::MaxF16s => "max.f16x2".to_owned(),
        Combined::AddBf16s => "add.bf16x2".to_owned(),
        Combined::MinBf16s => "min.bf16x2".to_owned(),
        Combined::MaxBf16s => "max.bf16x2".to_owned(),
    }
}

/// The name of an access to all replicas, of numbers of a type.
pub(crate) fn multimem(access: Replicas, lane: Lane, strong: Option<Strong>) -> String {
    let strength = strong.map_or_else(|| ".weak".to_owned(), strength);
    match access {
        Replicas::Load(how) => format!("multimem.ld_reduce{strength}.global.{}", combination(how, lane)),
        Replicas::Store(_) => format!("multimem.st{strength}.global.b{}", 8 * lane.size()),
        Replicas::Reduce(how, _) => format!("multimem.red{strength}.global.{}", combination(how, lane)),
    }
}

impl Printer<'_> {
    pub(super) fn multimem(
        &mut self,
        result: Option<(Value, Value)>,
        access: Replicas,
        (address, offset): (Value, i32),
        mask: Option<Value>,
        strong: Option<Strong>,
    ) {
        let place = self.place(address, offset);
        let guard = mask.map_or_else(String::new, |mask| format!("@{} ", self.register(mask)));
        match (access.value(), result) {
            (Some(value), _) => {
                let name = multimem(access, self.function.lane(value), strong);
                let value = self.register(value);
                self.line(&format!("{guard}{name} {place}, {value};"));
            }
            (None, Some((result, other))) => {
                let lane = self.function.lane(result);
                let name = multimem(access, lane, strong);
                let result = self.register(result);
                if mask.is_some() {
                    let other = self.source(other);
                    self.line(&format!("mov.{} {result}, {other};", moved(lane)));
                }
                self.line(&format!("{guard}{name} {result}, {place};"));
            }
            (None, None) => unreachable!("thread code was verified: a load has a result"),
        }
    }

    pub(super) fn atomic(
        &mut self,
        result: Option<(Value, Value)>,
        update: Update,
        strong: Strong,
        (address, value): (Value, Value),
        mask: Option<Value>,
    ) {
        let lane = self.function.lane(value);
        let operation = operation(update, lane);
        let (address, value) = (self.register(address), self.register(value));
        let guard = mask.map_or_else(String::new, |mask| format!("@{} ", self.register(mask)));
        let is_plain = !matches!(update, Update::Exchange | Update::CompareExchange(_));
        if result.is_none() && is_plain && matches!(strong.order, Order::Relaxed | Order::Release) {
            self.line(&format!("{guard}red{}.global.{operation} [{address}], {value};", strength(strong)));
            return;
        }
        let old = match result {
            Some((result, other)) => {
                let (old, other) = (self.register(result), self.register(other));
                if mask.is_some() {
                    self.line(&format!("mov.{} {old}, {other};", moved(lane)));
                }
                old
            }
            None => self.fresh(lane),
        };
        let expected = match update {
            Update::CompareExchange(expected) => format!("{}, ", self.register(expected)),
            _ => String::new(),
        };
        self.line(&format!("{guard}atom{}.global.{operation} {old}, [{address}], {expected}{value};", strength(strong)));
    }
}
