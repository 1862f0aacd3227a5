//! Operations, blocks and regions.

use super::emitter::Emitter;
use crate::{
    error::Section,
    ir::{Block, Ir, More, Op, Region, Span, UseListOrder},
    module::{Module, Version},
    read::op_mask as mask,
};

pub(super) fn write(module: &Module<'_>, out: &mut Emitter) {
    let ir = &module.ir;
    let mut writer = Writer { ir, version: module.version, numbers: vec![0; ir.value_types.len()] };
    out.flagged_varint(u64::from(ir.top.len), false);
    for op in ir.top.iter() {
        writer.op(Op(op), 0, out);
    }
}

struct Writer<'m> {
    ir: &'m Ir,
    version: Version,
    /// The number of each value among those that can be seen where it is.
    numbers: Vec<u32>,
}

impl Writer<'_> {
    /// Writes an operation; values of its regions are numbered from `next_number` on.
    fn op(&mut self, op: Op, next_number: u32, out: &mut Emitter) {
        let ir = self.ir;
        let data = ir.op(op);
        let more = ir.more(data);
        let orders = self.orders(&ir.result_use_orders, op);
        let flag = |part: u8, is_there: bool| if is_there { part } else { 0 };
        out.varint(u64::from(data.name.0));
        out.byte(
            flag(mask::ATTRS, data.attrs().is_some())
                | flag(mask::RESULTS, data.results.len > 0)
                | flag(mask::OPERANDS, data.operands.len > 0)
                | flag(mask::SUCCESSORS, more.successors.len > 0)
                | flag(mask::REGIONS, more.regions.len > 0)
                | flag(mask::USE_ORDERS, orders.is_some())
                | flag(mask::PROPERTIES, data.properties().is_some()),
        );
        out.varint(u64::from(data.location.0));
        data.attrs().into_iter().for_each(|attrs| out.varint(u64::from(attrs.0)));
        data.properties().into_iter().for_each(|properties| out.varint(u64::from(properties)));
        list(data.results, out, |out, value| out.varint(u64::from(ir.value_types[value].0)));
        list(data.operands, out, |out, operand| out.varint(u64::from(self.numbers[ir.operands[operand].index()])));
        list(more.successors, out, |out, successor| out.varint(u64::from(ir.successors[successor])));
        if let Some(orders) = orders {
            use_orders(orders, data.results.len, out);
        }
        if more.regions.len > 0 {
            self.regions(more, next_number, out);
        }
    }

    /// The orders of uses that something has.
    fn orders<'i, K: Ord + Copy>(&self, all: &'i [(K, Vec<UseListOrder>)], key: K) -> Option<&'i [UseListOrder]> {
        if !self.version.has_use_orders() || all.is_empty() {
            return None;
        }
        all.binary_search_by_key(&key, |&(key, _)| key).ok().map(|at| &all[at].1[..])
    }

    fn regions(&mut self, data: More, next_number: u32, out: &mut Emitter) {
        out.flagged_varint(u64::from(data.regions.len), data.is_isolated);
        let first_number = if data.is_isolated { 0 } else { next_number };
        if data.is_isolated && self.version.has_lazy_regions() {
            let mut content = Emitter::default();
            data.regions.iter().for_each(|region| self.region(Region(region), first_number, &mut content));
            out.section(Section::Ir, &content);
        } else {
            data.regions.iter().for_each(|region| self.region(Region(region), first_number, out));
        }
    }

    fn region(&mut self, region: Region, first_number: u32, out: &mut Emitter) {
        let data = self.ir.all_regions[region.index()];
        out.varint(u64::from(data.blocks.len));
        if data.blocks.len == 0 {
            return;
        }
        out.varint(u64::from(data.values.len));
        for (number, value) in (first_number..).zip(data.values.range()) {
            self.numbers[value] = number;
        }
        data.blocks.iter().for_each(|block| self.block(Block(block), first_number + data.values.len, out));
    }

    fn block(&mut self, block: Block, next_number: u32, out: &mut Emitter) {
        let ir = self.ir;
        let data = ir.blocks[block.index()];
        out.flagged_varint(u64::from(data.ops.len), data.args.len > 0);
        if data.args.len > 0 {
            out.varint(u64::from(data.args.len));
            for (value, location) in data.args.range().zip(data.first_location as usize..) {
                let (ty, location) = (u64::from(ir.value_types[value].0), ir.arg_locations[location]);
                if self.version.elides_locations() {
                    out.flagged_varint(ty, location.is_some())
                } else {
                    out.varint(ty)
                }
                location.into_iter().for_each(|location| out.varint(u64::from(location.0)));
            }
            if self.version.has_use_orders() {
                let orders = self.orders(&ir.arg_use_orders, block);
                out.byte(if orders.is_some() { mask::USE_ORDERS } else { 0 });
                orders.into_iter().for_each(|orders| use_orders(orders, data.args.len, out));
            }
        }
        data.ops.iter().for_each(|op| self.op(Op(op), next_number, out));
    }
}

/// What there is, with its count before it; nothing for nothing.
fn list(span: Span, out: &mut Emitter, item: impl Fn(&mut Emitter, usize)) {
    if span.len > 0 {
        out.varint(u64::from(span.len));
        span.range().for_each(|index| item(out, index));
    }
}

fn use_orders(orders: &[UseListOrder], num_values: u32, out: &mut Emitter) {
    if num_values != 1 {
        out.varint(orders.len() as u64);
    }
    for order in orders {
        if num_values != 1 {
            out.varint(u64::from(order.value));
        }
        out.flagged_varint(order.indices.len() as u64, order.is_pairs);
        order.indices.iter().for_each(|&index| out.varint(u64::from(index)));
    }
}
