//! Strong and atomic accesses as PTX instructions.

use super::{Printer, moved};
use crate::thread::{Order, Scope, Strong, Update, Value};
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

impl Printer<'_> {
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
