//! Thread code as text.

use super::{
    Combined, Dependency, End, From, Function, Inst, Label, Order, Replicas, Scope, SourceLine, Space, Special, Strong, Target, Update,
    Value,
};
use std::fmt;

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.0)
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "^{}", self.0)
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Space::Global => "global",
            Space::Shared => "shared",
        })
    }
}

impl fmt::Display for Special {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axis = |axis: u8| ['x', 'y', 'z'][usize::from(axis.min(2))];
        match self {
            Special::Thread => f.write_str("thread"),
            Special::Block(n) => write!(f, "block.{}", axis(*n)),
            Special::Blocks(n) => write!(f, "blocks.{}", axis(*n)),
            Special::Shared => f.write_str("shared"),
        }
    }
}

fn list(f: &mut fmt::Formatter<'_>, values: &[Value]) -> fmt::Result {
    for (i, value) in values.iter().enumerate() {
        write!(f, "{}{value}", if i > 0 { ", " } else { "" })?;
    }
    Ok(())
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.label)?;
        list(f, &self.args)?;
        f.write_str(")")
    }
}

fn place(f: &mut fmt::Formatter<'_>, space: Space, address: Value, offset: i32) -> fmt::Result {
    write!(f, "{space}[{address}")?;
    match offset {
        0 => {}
        1.. => write!(f, " + {offset}")?,
        _ => write!(f, " - {}", offset.unsigned_abs())?,
    }
    f.write_str("]")
}

impl fmt::Display for Strong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.order {
            Order::Relaxed => "relaxed ",
            Order::Acquire => "acquire ",
            Order::Release => "release ",
            Order::AcquireRelease => "acq_rel ",
        })?;
        f.write_str(match self.scope {
            Scope::Block => "block",
            Scope::Device => "device",
            Scope::System => "system",
        })
    }
}

impl fmt::Display for Update {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Update::Add => "add",
            Update::AddF16 => "add_f16",
            Update::AddBf16 => "add_bf16",
            Update::And => "and",
            Update::Or => "or",
            Update::Xor => "xor",
            Update::MinS => "min_s",
            Update::MaxS => "max_s",
            Update::MinU => "min_u",
            Update::MaxU => "max_u",
            Update::Exchange => "exchange",
            Update::CompareExchange(expected) => return write!(f, "compare {expected} exchange"),
        })
    }
}

impl fmt::Display for Combined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Combined::Add => "add",
            Combined::And => "and",
            Combined::Or => "or",
            Combined::Xor => "xor",
            Combined::MinS => "min_s",
            Combined::MaxS => "max_s",
            Combined::MinU => "min_u",
            Combined::MaxU => "max_u",
            Combined::AddF16s => "add_f16x2",
            Combined::MinF16s => "min_f16x2",
            Combined::MaxF16s => "max_f16x2",
            Combined::AddBf16s => "add_bf16x2",
            Combined::MinBf16s => "min_bf16x2",
            Combined::MaxBf16s => "max_bf16x2",
        })
    }
}

impl Inst {
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Inst::Const { bits, .. } => write!(f, "const {bits:#x}"),
            Inst::Prim { prim, operands, .. } => {
                write!(f, "{prim} ")?;
                list(f, operands)
            }
            Inst::Line(SourceLine { file, line, column }) => write!(f, "line {file}:{line}:{column}"),
            Inst::Native { native, operands, .. } => {
                write!(f, "{native} ")?;
                list(f, operands)
            }
            Inst::Lookup { index, tables, .. } => {
                write!(f, "lookup {index} in ")?;
                tables.iter().enumerate().try_for_each(|(n, table)| write!(f, "{}{table:x?}", if n > 0 { ", " } else { "" }))
            }
            Inst::Param { index, .. } => write!(f, "param {index}"),
            Inst::Data { index, .. } => write!(f, "data {index}"),
            Inst::Special { which, .. } => write!(f, "{which}"),
            Inst::Load { space, address, offset, mask, strong, .. } => {
                f.write_str("load ")?;
                strong.iter().try_for_each(|strong| write!(f, "{strong} "))?;
                place(f, *space, *address, *offset)?;
                mask.iter().try_for_each(|(mask, other)| write!(f, " if {mask} else {other}"))
            }
            Inst::Store { value, space, address, offset, mask, strong } => {
                f.write_str("store ")?;
                strong.iter().try_for_each(|strong| write!(f, "{strong} "))?;
                write!(f, "{value} to ")?;
                place(f, *space, *address, *offset)?;
                mask.iter().try_for_each(|mask| write!(f, " if {mask}"))
            }
            Inst::LoadWide { space, address, offset, mask, .. } => {
                f.write_str("load wide ")?;
                place(f, *space, *address, *offset)?;
                mask.iter().try_for_each(|(mask, others)| {
                    write!(f, " if {mask} else ")?;
                    list(f, others)
                })
            }
            Inst::LoadMatrices { address, offset, transposed, .. } => {
                f.write_str(if *transposed { "load matrices transposed " } else { "load matrices " })?;
                place(f, Space::Shared, *address, *offset)
            }
            Inst::StoreWide { values, space, address, offset, mask } => {
                f.write_str("store wide ")?;
                list(f, values)?;
                f.write_str(" to ")?;
                place(f, *space, *address, *offset)?;
                mask.iter().try_for_each(|mask| write!(f, " if {mask}"))
            }
            Inst::CopyAsync { to, from, bytes, given, mask } => {
                write!(f, "copy {bytes} bytes from ")?;
                place(f, Space::Global, from.0, from.1)?;
                given.iter().try_for_each(|given| write!(f, " of which {given} are read"))?;
                f.write_str(" to ")?;
                place(f, Space::Shared, to.0, to.1)?;
                mask.iter().try_for_each(|mask| write!(f, " if {mask}"))
            }
            Inst::CommitCopies => f.write_str("commit copies"),
            Inst::WaitCopies { pending } => write!(f, "wait for copies but {pending} groups"),
            Inst::Compare { prim, operands: [a, b], negated, and, .. } => {
                write!(f, "{}{prim} {a}, {b}", if *negated { "not " } else { "" })?;
                and.iter().try_for_each(|mask| write!(f, " and {mask}"))
            }
            Inst::MultiplyAdd { factors: [a, b], summand, wide, .. } => {
                write!(f, "{} {a} * {b}", if *wide { "multiply wide" } else { "multiply" })?;
                summand.iter().try_for_each(|summand| write!(f, " + {summand}"))
            }
            Inst::Pack { halves: [low, high], .. } => write!(f, "pack {low}, {high}"),
            Inst::Unpack { value, .. } => write!(f, "unpack {value}"),
            Inst::Atomic { result, update, strong, address, value, mask } => {
                write!(f, "atomic {strong} {update} {value} at global[{address}]")?;
                mask.iter().try_for_each(|mask| write!(f, " if {mask}"))?;
                result.filter(|_| mask.is_some()).iter().try_for_each(|(_, other)| write!(f, " else {other}"))
            }
            Inst::Multimem { result, access, address, offset, mask, strong } => {
                f.write_str("replicas ")?;
                strong.iter().try_for_each(|strong| write!(f, "{strong} "))?;
                match access {
                    Replicas::Load(how) => write!(f, "load {how} ")?,
                    Replicas::Store(value) => write!(f, "store {value} to ")?,
                    Replicas::Reduce(how, value) => write!(f, "{how} {value} at ")?,
                }
                place(f, Space::Global, *address, *offset)?;
                mask.iter().try_for_each(|mask| write!(f, " if {mask}"))?;
                result.filter(|_| mask.is_some()).iter().try_for_each(|(_, other)| write!(f, " else {other}"))
            }
            Inst::Shuffle { value, from: From::Across(lanes), .. } => write!(f, "shuffle {value} across {lanes}"),
            Inst::Shuffle { value, from: From::Before(lanes), .. } => write!(f, "shuffle {value} from {lanes} before"),
            Inst::Shuffle { value, from: From::After(lanes), .. } => write!(f, "shuffle {value} from {lanes} behind"),
            Inst::Product { product, factors, sums, .. } => {
                write!(f, "product {product} ")?;
                for registers in factors {
                    list(f, registers)?;
                    f.write_str(" | ")?;
                }
                list(f, sums)
            }
            Inst::Print { format, args } => {
                write!(f, "print {format}(")?;
                list(f, args)?;
                f.write_str(")")
            }
            Inst::Allocate { bytes, alignment, .. } => write!(f, "allocate {bytes} aligned {alignment}"),
            Inst::Free { address } => write!(f, "free {address}"),
            Inst::Depend(Dependency::Wait) => f.write_str("wait for launches"),
            Inst::Depend(Dependency::Launch) => f.write_str("let launches begin"),
            Inst::Barrier => f.write_str("barrier"),
        }
    }
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "thread @{}(", self.name)?;
        for (i, lane) in self.params.iter().enumerate() {
            write!(f, "{}{lane}", if i > 0 { ", " } else { "" })?;
        }
        writeln!(f, ") threads {} shared {} {{", self.threads, self.shared)?;
        for (i, file) in self.files.iter().enumerate() {
            writeln!(f, "file {i} = {file:?}")?;
        }
        for (i, data) in self.data.iter().enumerate() {
            let name = data.name.as_ref().map_or_else(String::new, |name| format!(" @{name}"));
            writeln!(f, "data {i}{name} aligned {} = {:?}", data.alignment, data.bytes)?;
        }
        for (i, block) in self.blocks.iter().enumerate() {
            write!(f, "^{i}(")?;
            for (i, param) in block.params.iter().enumerate() {
                write!(f, "{}{param}: {}", if i > 0 { ", " } else { "" }, self.lane(*param))?;
            }
            writeln!(f, "):")?;
            for inst in &block.insts {
                f.write_str("  ")?;
                for (i, result) in inst.results().iter().enumerate() {
                    write!(f, "{}{result}: {}", if i > 0 { ", " } else { "" }, self.lane(*result))?;
                }
                if !inst.results().is_empty() {
                    f.write_str(" = ")?;
                }
                inst.show(f)?;
                writeln!(f)?;
            }
            match &block.end {
                End::Return => writeln!(f, "  return")?,
                End::Trap => writeln!(f, "  trap")?,
                End::Jump(target) => writeln!(f, "  jump {target}")?,
                End::Branch { condition, then, otherwise } => writeln!(f, "  branch {condition} to {then} else {otherwise}")?,
            }
        }
        writeln!(f, "}}")
    }
}
