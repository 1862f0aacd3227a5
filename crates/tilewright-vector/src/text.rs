//! The text form of vector code.
//!
//! ```text
//! code lanes 32 ($0: buffer, $1: buffer, $2: count, $3: f32) {
//!   %0 = const f32 0x0
//!   %1 = scalar $3
//!   for ^0 in $2 {
//!     %6 = lanes ^1 in 4096 (%2 = %0) {
//!       %3 = load f32 $0[^0 * 16384 + ^1 * 4]
//!       %4 = fmul f32 %3, %1
//!       %5 = fadd f32 %2, %4
//!       next %5
//!     }
//!     %9 = fold (%6) as (%7), (%8) {
//!       %10 = fadd f32 %7, %8
//!       next %10
//!     }
//!     store f32 %9, $1[^0 * 4]
//!   }
//! }
//! ```
//!
//! The type of a primitive is that of its last operand. `^1 * 4 < 100` in a place: iterations from 100 on have no place there; `if %5`: the lanes
//! that read or write. A loop's result follows from where it stands, so text says what [`Variability`] a value has only for serial
//! loops that carry partial values: `for ^0 in 8 (partial %2 = %0)`. `%6, %7 = while 40 (%2 = %0, %3 = %1)`: each lane as long as its `%2` holds,
//! at most 40 times.

mod parse;

pub use parse::ParseError;

use crate::code::{Axis, Carried, Code, Count, Fold, Item, Kind, Loop, Param, ParamKind, Place, Value, Variability, While};
use std::fmt::{self, Display, Formatter};

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.0)
    }
}

impl Display for Axis {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "^{}", self.0)
    }
}

impl Display for Param {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "${}", self.0)
    }
}

impl Display for Count {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Count::Const(n) => write!(f, "{n}"),
            Count::Param(param) => write!(f, "{param}"),
        }
    }
}

impl Display for ParamKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            ParamKind::Buffer => f.write_str("buffer"),
            ParamKind::Count => f.write_str("count"),
            ParamKind::Lane(lane) => write!(f, "{lane}"),
        }
    }
}

impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}[", self.buffer)?;
        for (i, term) in self.terms.iter().enumerate() {
            let plus = if i == 0 { "" } else { " + " };
            write!(f, "{plus}{} * {}", term.axis, term.stride)?;
            if let Some(limit) = term.limit {
                write!(f, " < {limit}")?;
            }
        }
        match (self.terms.is_empty(), self.offset) {
            (true, offset) => write!(f, "{offset}]"),
            (false, 0) => f.write_str("]"),
            (false, offset) => write!(f, " + {offset}]"),
        }
    }
}

impl Display for Code {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "code lanes {} (", self.lanes)?;
        for (i, kind) in self.params.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{}: {kind}", Param(i as u32))?;
        }
        f.write_str(") {\n")?;
        Printer { code: self, indent: 1 }.items(&self.body, f)?;
        f.write_str("}\n")
    }
}

impl Code {
    /// An item as text; of what has a body, the first line.
    pub(crate) fn first_line(&self, item: &Item) -> String {
        struct One<'a>(&'a Code, &'a Item);
        impl Display for One<'_> {
            fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
                Printer { code: self.0, indent: 0 }.item(self.1, f)
            }
        }
        let without_body = match item {
            Item::Loop(inner) => Item::Loop(Loop { body: Vec::new(), ..inner.clone() }),
            Item::While(inner) => Item::While(While { body: Vec::new(), ..inner.clone() }),
            Item::Fold(inner) => Item::Fold(Fold { body: Vec::new(), ..inner.clone() }),
            item => item.clone(),
        };
        One(self, &without_body).to_string().lines().next().unwrap_or_default().to_owned()
    }
}

struct Printer<'a> {
    code: &'a Code,
    indent: usize,
}

fn list(values: impl IntoIterator<Item = Value>) -> String {
    values.into_iter().map(|v| v.to_string()).collect::<Vec<_>>().join(", ")
}

/// What stands behind an access that not all lanes make.
fn masked(mask: Option<Value>) -> String {
    mask.map_or_else(String::new, |mask| format!(" if {mask}"))
}

impl Printer<'_> {
    fn items(&mut self, items: &[Item], f: &mut Formatter<'_>) -> fmt::Result {
        items.iter().try_for_each(|item| self.item(item, f))
    }

    fn line(&self, f: &mut Formatter<'_>, text: fmt::Arguments<'_>) -> fmt::Result {
        writeln!(f, "{:width$}{text}", "", width = 2 * self.indent)
    }

    /// The body of a loop or fold, and what it hands on.
    fn body(&mut self, items: &[Item], next: &[Value], f: &mut Formatter<'_>) -> fmt::Result {
        self.indent += 1;
        self.items(items, f)?;
        if !next.is_empty() {
            self.line(f, format_args!("next {}", list(next.iter().copied())))?;
        }
        self.indent -= 1;
        self.line(f, format_args!("}}"))
    }

    fn item(&mut self, item: &Item, f: &mut Formatter<'_>) -> fmt::Result {
        let lane = |value: &Value| self.code.lane(*value);
        match item {
            Item::Prim { result, prim, operands } => {
                let operands = &operands[..prim.arity()];
                let lane = lane(&operands[operands.len() - 1]);
                self.line(f, format_args!("{result} = {prim} {lane} {}", list(operands.iter().copied())))
            }
            Item::Const { result, bits } => self.line(f, format_args!("{result} = const {} {bits:#x}", lane(result))),
            Item::Scalar { result, param } => self.line(f, format_args!("{result} = scalar {param}")),
            Item::Index { result, axis } => self.line(f, format_args!("{result} = index {} {axis}", lane(result))),
            Item::Lookup { result, index, table } => {
                let table = table.iter().map(|bits| format!("{bits:#x}")).collect::<Vec<_>>().join(", ");
                self.line(f, format_args!("{result} = lookup {index} [{table}]"))
            }
            Item::Load { result, place, mask } => self.line(f, format_args!("{result} = load {} {place}{}", lane(result), masked(*mask))),
            Item::Store { value, place, mask } => self.line(f, format_args!("store {} {value}, {place}{}", lane(value), masked(*mask))),
            Item::Prefetch { place, size } => self.line(f, format_args!("prefetch {size} {place}")),
            Item::Gather { result, buffer, offsets, mask } => {
                self.line(f, format_args!("{result} = gather {} {buffer}[{offsets}]{}", lane(result), masked(*mask)))
            }
            Item::Scatter { value, buffer, offsets, mask } => {
                self.line(f, format_args!("scatter {} {value}, {buffer}[{offsets}]{}", lane(value), masked(*mask)))
            }
            Item::Loop(inner) => self.loop_(inner, f),
            Item::While(While { limit, carried, body }) => {
                let pairs = carried.iter().map(|c| format!("{} = {}", c.arg, c.init)).collect::<Vec<_>>().join(", ");
                let (results, next) = (list(carried.iter().map(|c| c.result)), carried.iter().map(|c| c.next).collect::<Vec<_>>());
                self.line(f, format_args!("{results} = while {limit} ({pairs}) {{"))?;
                self.body(body, &next, f)
            }
            Item::Fold(fold) => self.fold(fold, f),
        }
    }

    fn loop_(&mut self, inner: &Loop, f: &mut Formatter<'_>) -> fmt::Result {
        let word = match inner.kind {
            Kind::Serial => "for",
            Kind::Lanes => "lanes",
        };
        let mut head = format!("{word} {} in {} ", inner.axis, inner.count);
        if !inner.carried.is_empty() {
            let carried = |c: &Carried| {
                let partial = if self.code.variability(c.arg) == Variability::Partial { "partial " } else { "" };
                format!("{partial}{} = {}", c.arg, c.init)
            };
            let carried = inner.carried.iter().map(carried).collect::<Vec<_>>().join(", ");
            head = format!("{} = {head}({carried}) ", list(inner.carried.iter().map(|c| c.result)));
        }
        self.line(f, format_args!("{head}{{"))?;
        let next: Vec<Value> = inner.carried.iter().map(|c| c.next).collect();
        self.body(&inner.body, &next, f)
    }

    fn fold(&mut self, fold: &Fold, f: &mut Formatter<'_>) -> fmt::Result {
        let of = |values: &[Value]| list(values.iter().copied());
        let (results, partials, lower, upper) = (of(&fold.results), of(&fold.partials), of(&fold.lower), of(&fold.upper));
        self.line(f, format_args!("{results} = fold ({partials}) as ({lower}), ({upper}) {{"))?;
        self.body(&fold.body, &fold.combined, f)
    }
}
