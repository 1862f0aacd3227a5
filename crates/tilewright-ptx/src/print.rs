//! From a module to a text that reads as the same module.

use crate::module::{Constant, Declared, Function, Instruction, Item, Linkage, Module, Operand, Space, Statement, Variable};
use std::fmt::{self, Display, Formatter};

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, ".version {}.{}", self.version.0, self.version.1)?;
        writeln!(f, ".target {}", self.target.join(", "))?;
        writeln!(f, ".address_size {}", self.address_size)?;
        self.items.iter().try_for_each(|item| write!(f, "\n{item}"))
    }
}

impl Display for Item {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Item::Variable(variable) => writeln!(f, "{variable};"),
            Item::Function(function) => write!(f, "{function}"),
            Item::File { number, name, stamp } => {
                write!(f, ".file {number} \"{name}\"")?;
                stamp.map_or(Ok(()), |(time, size)| write!(f, ", {time}, {size}"))?;
                writeln!(f)
            }
            Item::Section { name, text } => writeln!(f, "{name} {{{text}}}"),
        }
    }
}

fn linkage(f: &mut Formatter<'_>, linkage: Linkage) -> fmt::Result {
    let written = Linkage::WRITTEN.iter().find(|(known, _)| *known == linkage);
    written.map_or(Ok(()), |(_, name)| write!(f, ".{name} "))
}

fn list<T: Display>(f: &mut Formatter<'_>, items: &[T]) -> fmt::Result {
    for (index, item) in items.iter().enumerate() {
        write!(f, "{}{item}", if index == 0 { "" } else { ", " })?;
    }
    Ok(())
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        linkage(f, self.linkage)?;
        f.write_str(if self.is_entry { ".entry " } else { ".func " })?;
        if !self.returns.is_empty() {
            f.write_str("(")?;
            list(f, &self.returns)?;
            f.write_str(") ")?;
        }
        write!(f, "{}(", self.name)?;
        for (index, param) in self.params.iter().enumerate() {
            write!(f, "{}\n\t{param}", if index == 0 { "" } else { "," })?;
        }
        f.write_str(if self.params.is_empty() { ")" } else { "\n)" })?;
        for (name, values) in &self.directives {
            write!(f, "\n.{name} ")?;
            list(f, values)?;
        }
        match &self.body {
            None => f.write_str(";\n"),
            Some(body) => {
                f.write_str("\n{\n")?;
                statements(f, body, 1)?;
                f.write_str("}\n")
            }
        }
    }
}

fn statements(f: &mut Formatter<'_>, all: &[Statement], depth: usize) -> fmt::Result {
    let indent = "\t".repeat(depth);
    for statement in all {
        match statement {
            Statement::Label(_, name) => writeln!(f, "{name}:")?,
            Statement::Variable(variable) => writeln!(f, "{indent}{variable};")?,
            Statement::Instruction(instruction) => writeln!(f, "{indent}{instruction};")?,
            Statement::Location(at) => writeln!(f, "{indent}.loc {} {} {}{}", at.file, at.line, at.column, at.inlined)?,
            Statement::Pragma(all) => writeln!(f, "{indent}.pragma \"{}\";", all.join("\", \""))?,
            Statement::Block(inner) => {
                writeln!(f, "{indent}{{")?;
                statements(f, inner, depth + 1)?;
                writeln!(f, "{indent}}}")?;
            }
        }
    }
    Ok(())
}

impl Display for Variable {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        linkage(f, self.linkage)?;
        write!(f, ".{}", self.space.name())?;
        // What an address points to stands behind its type, and takes every alignment that follows for its own.
        self.align.map_or(Ok(()), |align| write!(f, " .align {align}"))?;
        self.vector.map_or(Ok(()), |extent| write!(f, " .v{extent}"))?;
        write!(f, " .{}", self.ty.name())?;
        if let Some(pointer) = self.pointer {
            f.write_str(" .ptr")?;
            pointer.space.map_or(Ok(()), |space: Space| write!(f, " .{}", space.name()))?;
            pointer.align.map_or(Ok(()), |align| write!(f, " .align {align}"))?;
        }
        f.write_str(" ")?;
        list(f, &self.names)
    }
}

impl Display for Declared {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        self.count.map_or(Ok(()), |count| write!(f, "<{count}>"))?;
        for extent in &self.extents {
            if *extent == 0 { f.write_str("[]")? } else { write!(f, "[{extent}]")? }
        }
        match &self.initial[..] {
            [] => Ok(()),
            [one] if self.extents.is_empty() => write!(f, " = {one}"),
            all => {
                f.write_str(" = {")?;
                list(f, all)?;
                f.write_str("}")
            }
        }
    }
}

impl Display for Constant {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Constant::Integer(value) => write!(f, "{value}"),
            Constant::Single(bits) => write!(f, "0f{bits:08X}"),
            Constant::Double(bits) => write!(f, "0d{bits:016X}"),
            Constant::Address { name, offset, generic } => {
                if *generic {
                    write!(f, "generic({name})")?
                } else {
                    f.write_str(name)?
                }
                if *offset == 0 { Ok(()) } else { write!(f, "{offset:+}") }
            }
        }
    }
}

impl Display for Instruction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(guard) = &self.guard {
            write!(f, "@{}{} ", if guard.negated { "!" } else { "" }, guard.register)?;
        }
        f.write_str(&self.name)?;
        if !self.operands.is_empty() {
            f.write_str(" ")?;
        }
        list(f, &self.operands)
    }
}

/// What stands between the brackets of an address.
fn place(f: &mut Formatter<'_>, base: Option<&str>, offset: i64) -> fmt::Result {
    match base {
        Some(base) if offset == 0 => f.write_str(base),
        Some(base) => write!(f, "{base}{offset:+}"),
        None => write!(f, "{}", offset as u64),
    }
}

impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Name(name) => f.write_str(name),
            Operand::Not(name) => write!(f, "!{name}"),
            Operand::Constant(constant) => write!(f, "{constant}"),
            Operand::Address(base, offset) => {
                f.write_str("[")?;
                place(f, base.as_deref(), *offset)?;
                f.write_str("]")
            }
            Operand::Tensor(parts) => {
                f.write_str("[")?;
                for (index, part) in parts.iter().enumerate() {
                    f.write_str(if index > 0 { ", " } else { "" })?;
                    match part {
                        Operand::Address(base, offset) => place(f, base.as_deref(), *offset)?,
                        part => write!(f, "{part}")?,
                    }
                }
                f.write_str("]")
            }
            Operand::Pair(first, second) => write!(f, "{first}|{second}"),
            Operand::Sink => f.write_str("_"),
            Operand::Vector(all) => {
                f.write_str("{")?;
                list(f, all)?;
                f.write_str("}")
            }
            Operand::List(all) => {
                f.write_str("(")?;
                list(f, all)?;
                f.write_str(")")
            }
        }
    }
}
