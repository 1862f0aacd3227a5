//! Plans as text, for people and for tests.
//!
//! ```text
//! entry @add(ptr<f32>, ptr<f32>) {
//!     %0, %1, %2 = block_id
//!     %3 = load f32[1024] at [(shape 4096, stride 1, %0: i32 * 1024)] of c0: ptr
//! ```
//!
//! A tile is the register `%N` or the byte `cN` of the launch's constants that it begins at, the type of its elements, and its shape; then its
//! strides, unless its elements lie in order. A label is `^N`, and in finished code the number of an instruction.

use super::{
    AccessFunction, Atomic, Base, Coordinate, Extent, Fold, FoldKind, Gathered, Inst, LoopBody, Matmul, Param, Placement, PointerAccess,
    Src, Step, Sweep, SweepInput, Tile, Update, VReg, ViewAccess, ViewDim, Way,
    access::{DivisionPart, Index, Leaf},
    inst::{Elementwise, Order, Slice},
    row_region::{Content, RowRegion, RowSrc, Spread, ValueKind},
};
use crate::elem::Elem;
use std::fmt::{self, Display, Formatter};
use tilewright_ir::{MemoryOrderingSemantics, printable};

/// The code of an entry, whole.
pub(crate) struct Listing<'a, C> {
    pub(crate) entry: &'a str,
    pub(crate) params: &'a [Param],
    pub(crate) prologue: &'a [Inst],
    pub(crate) code: C,
    /// What else is known: a name and a value each.
    pub(crate) facts: Vec<(&'static str, String)>,
}

impl<'a, C: Iterator<Item = &'a Inst> + Clone> Display for Listing<'a, C> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "entry @{}({}) {{", printable(self.entry.as_bytes()), list(self.params))?;
        self.facts.iter().try_for_each(|(name, value)| writeln!(f, "  {name} = {value}"))?;
        if !self.prologue.is_empty() {
            writeln!(f, "  prologue:")?;
            self.prologue.iter().try_for_each(|inst| writeln!(f, "        {inst}"))?;
        }
        writeln!(f, "  code:")?;
        for (at, inst) in self.code.clone().enumerate() {
            match inst {
                Inst::Label(label) => writeln!(f, "  ^{label}:")?,
                inst => writeln!(f, "  {at:>4}  {inst}")?,
            }
        }
        writeln!(f, "}}")
    }
}

/// Items with commas between.
struct List<I>(I);

fn list<I: IntoIterator + Clone>(items: I) -> List<I> {
    List(items)
}

impl<I: IntoIterator<Item: Display> + Clone> Display for List<I> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.clone().into_iter().enumerate().try_for_each(|(i, item)| write!(f, "{}{item}", if i == 0 { "" } else { ", " }))
    }
}

/// ` name`, if it holds.
fn flag(holds: bool, name: &'static str) -> &'static str {
    if holds { name } else { "" }
}

impl Display for VReg {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.0)
    }
}

impl Display for Base {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Base::Reg(reg) => write!(f, "{reg}"),
            Base::Const(offset) => write!(f, "c{offset}"),
        }
    }
}

/// A type of elements.
struct ElemName(Elem);

impl Display for ElemName {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Elem::Num(scalar) => write!(f, "{scalar}"),
            Elem::Ptr => f.write_str("ptr"),
        }
    }
}

impl Display for Tile {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.base, ElemName(self.elem))?;
        if !self.shape.is_empty() {
            write!(f, "{:?}", self.shape)?;
        }
        if self.shape.iter().any(|extent| *extent > 1) && !self.is_contiguous() {
            write!(f, " strides {:?}", self.strides)?;
        }
        Ok(())
    }
}

impl Display for Src {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Src::Input(input) => write!(f, "in{input}"),
            Src::Slot(slot) => write!(f, "slot{slot}"),
            Src::Reg(reg, _) => write!(f, "{reg}"),
        }
    }
}

impl Display for Step {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {} ({})", self.dst, self.kernel, list(&self.srcs))
    }
}

impl Display for SweepInput {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let how = match self {
            SweepInput::Direct { .. } => "direct",
            SweepInput::Splat { .. } => "splat",
            SweepInput::Repeated { .. } => "repeated",
            SweepInput::Strided { .. } => "strided",
            SweepInput::Gathered(gathered) => return write!(f, "{gathered}"),
        };
        write!(f, "{how} {}", self.tile())?;
        self.slot().map_or(Ok(()), |slot| write!(f, " in slot{slot}"))
    }
}

impl Display for Sweep {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let way = match self.way() {
            Way::Region(_) => "region",
            Way::OnePiece { .. } => "one_piece",
            Way::Pieces => "pieces",
        };
        write!(f, "sweep {way} of {}", self.n)?;
        self.rounds.as_ref().map_or(Ok(()), |rounds| write!(f, " rounds of {}", rounds.counter))?;
        writeln!(f, "{} {{", flag(self.reads_ahead, " reads_ahead"))?;
        for (i, input) in self.inputs.iter().enumerate() {
            write!(f, "          in{i} = {input}")?;
            if let Some(bits) = self.region().and_then(|region| region.known(i)) {
                write!(f, " known {bits:#x}")?;
            }
            writeln!(f)?;
        }
        self.steps.iter().try_for_each(|step| writeln!(f, "          {step}"))?;
        for fold in &self.folds {
            writeln!(f, "          {} = fold_to_a_part {:?} of step {} in rows of {}", fold.dst, fold.combine.imm.op, fold.step, fold.row)?;
        }
        f.write_str("        }")
    }
}

impl Display for RowSrc {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            RowSrc::Input(input) => write!(f, "in{input}"),
            RowSrc::Value(value) => write!(f, "v{value}"),
        }
    }
}

impl Display for RowRegion {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "rows {} of {} {{", self.rows, self.row)?;
        for (i, input) in self.inputs.iter().enumerate() {
            let spread = match input.spread {
                Spread::One => "one",
                Spread::EachRow => "each_row",
                Spread::EachColumn => "each_column",
                Spread::Each => "each",
            };
            write!(f, "          in{i} = {spread} {}", input.tile)?;
            write!(f, "{}", flag(input.is_fetched, " fetched"))?;
            writeln!(f, "{}", self.known(i).map_or(String::new(), |bits| format!(" known {bits:#x}")))?;
        }
        for (i, value) in self.values.iter().enumerate() {
            let kind = match value.kind {
                ValueKind::Number => "number ",
                ValueKind::Columns => "",
                ValueKind::Fold => "fold ",
            };
            writeln!(f, "          v{i} = {kind}{} ({})", value.kernel, list(&value.srcs))?;
        }
        for result in &self.results {
            let what = match result.content {
                Content::AllRows => "",
                Content::OneRow => " kept",
                Content::Partials => " partials",
            };
            writeln!(f, "          {} = v{}{what}", result.reg, result.value)?;
        }
        f.write_str("        }")
    }
}

impl Display for Gathered {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "gathered {} at {}[{}]", ElemName(self.elem), self.base.base, self.index.0)?;
        self.mask.map_or(Ok(()), |mask| write!(f, " mask {mask}"))?;
        self.padding.map_or(Ok(()), |padding| write!(f, " padding {padding}"))?;
        write!(f, " before step {}", self.at)
    }
}

impl Display for Extent {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Extent::Static(extent) => write!(f, "{extent}"),
            Extent::Dynamic(tile) => write!(f, "{tile}"),
        }
    }
}

impl Display for ViewDim {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "(shape {}, stride {}, ", self.shape, self.stride)?;
        match &self.coordinate {
            Coordinate::Origin { index, scale } => write!(f, "{index} * {scale})"),
            Coordinate::Gather { indices } => write!(f, "gather {indices})"),
        }
    }
}

impl Display for Leaf {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.tile)?;
        self.along.map_or(Ok(()), |dim| write!(f, " along {dim}"))
    }
}

/// The value of a node of an access function, in parentheses where it is a sum or a product.
fn write_node(function: &AccessFunction, node: usize, f: &mut Formatter<'_>) -> fmt::Result {
    let mut binary = |lhs: usize, sign: &str, rhs: usize| {
        f.write_str("(")?;
        write_node(function, lhs, f)?;
        write!(f, " {sign} ")?;
        write_node(function, rhs, f)?;
        f.write_str(")")
    };
    match &function.nodes[node].index {
        Index::Constant(value) => write!(f, "{value}"),
        Index::Lane(dims) => write!(f, "{}", list(dims.iter().map(|(dim, times)| format!("{times} * lane{dim}")))),
        Index::Leaf(leaf) => write!(f, "{}", function.leaves[*leaf]),
        Index::Add(lhs, rhs) => binary(*lhs, "+", *rhs),
        Index::Sub(lhs, rhs) => binary(*lhs, "-", *rhs),
        Index::Mul(lhs, rhs) => binary(*lhs, "*", *rhs),
        Index::Extreme { larger, of: [lhs, rhs] } => {
            f.write_str(if *larger { "max(" } else { "min(" })?;
            write_node(function, *lhs, f)?;
            f.write_str(", ")?;
            write_node(function, *rhs, f)?;
            f.write_str(")")
        }
        Index::Divide { of, by, part } => binary(*of, if matches!(part, DivisionPart::Quotient { .. }) { "/" } else { "%" }, *by),
        Index::Resize { of, signed } => {
            write!(f, "{}{}(", if *signed { "si" } else { "ui" }, function.nodes[node].bits)?;
            write_node(function, *of, f)?;
            f.write_str(")")
        }
    }
}

impl Display for AccessFunction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("lanes ")?;
        write_node(self, self.offset, f)?;
        for condition in &self.conditions {
            f.write_str(" where ")?;
            write_node(self, condition.lhs, f)?;
            write!(f, " {:?}{} ", condition.predicate, flag(!condition.signed, " unsigned"))?;
            write_node(self, condition.rhs, f)?;
        }
        Ok(())
    }
}

impl Display for Order {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.semantics != MemoryOrderingSemantics::Weak {
            write!(f, " {:?}", self.semantics)?;
        }
        self.scope.map_or(Ok(()), |scope| write!(f, " {scope:?}"))
    }
}

impl Display for ViewAccess {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:?} at ", self.element, self.tile)?;
        match &self.places {
            Placement::Tensor(dims) => write!(f, "[{}]", list(dims))?,
            Placement::Computed(function) => write!(f, "{function}")?,
        }
        write!(f, " of {}", self.base)?;
        if self.padding != 0 {
            write!(f, " padding {:#x}", self.padding)?;
        }
        write!(f, "{}{}", flag(self.packed, " packed"), self.order)?;
        self.fixed.map_or(Ok(()), |number| write!(f, " fixed {number}"))
    }
}

impl Display for PointerAccess {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.base {
            None => write!(f, "{} at {}", self.element, self.pointers)?,
            Some(base) => write!(f, "{} at {base} [{}]", self.element, self.pointers)?,
        }
        self.mask.as_ref().map_or(Ok(()), |mask| write!(f, " mask {mask}"))?;
        write!(f, "{}", self.order)
    }
}

impl Display for Slice {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] of {:?}", list(&self.indices), self.counts)
    }
}

impl Display for Elementwise {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {} of {} ({})", self.dst, self.kernel, self.n, list(&self.srcs))
    }
}

impl Display for Atomic {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.dst.map_or(Ok(()), |dst| write!(f, "{dst} = "))?;
        match &self.update {
            Update::Rmw { mode, argument } => write!(f, "atomic_rmw {mode:?} {}, {argument}", self.access)?,
            Update::CompareExchange { expected, new } => write!(f, "atomic_cas {}, {expected}, {new}", self.access)?,
        }
        f.write_str(flag(self.may_be_late, " deferred"))
    }
}

impl Display for Matmul {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} = matmul {:?} {}, {}, {}", self.dst, self.kind, self.lhs, self.rhs, self.acc)?;
        self.scales.as_ref().map_or(Ok(()), |scales| write!(f, " scales {}", list(scales)))?;
        self.deferred.map_or(Ok(()), |slot| write!(f, " deferred {slot}"))
    }
}

impl Display for Fold {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let name = match self.kind {
            FoldKind::Reduce => "reduce",
            FoldKind::Scan { reverse: false } => "scan",
            FoldKind::Scan { reverse: true } => "scan reverse",
        };
        let works = self.operands.iter().map(|operand| operand.work);
        let read = |first: usize, tiles: &mut dyn Iterator<Item = &Tile>| -> Vec<String> {
            let known = |input: usize| self.combiner.known(first + input).map_or(String::new(), |bits| format!(" known {bits:#x}"));
            tiles.enumerate().map(|(input, tile)| format!("{tile}{}", known(input))).collect()
        };
        let srcs = read(0, &mut self.operands.iter().map(|operand| &operand.src));
        let captures = read(self.operands.len(), &mut self.captures.iter());
        writeln!(f, "{} = {name} {} ({}) captures ({}) {{", list(works), self.extent, list(&srcs), list(&captures))?;
        self.steps.iter().try_for_each(|step| writeln!(f, "          {step}"))?;
        write!(f, "          yield {}\n        }}", list(&self.results))
    }
}

impl Display for Inst {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Inst::Label(label) => write!(f, "^{label}"),
            Inst::Elementwise(inst) => write!(f, "{inst}"),
            Inst::IndexedLoad(load) => {
                write!(f, "{} = load {} at {} [{}]", load.dst, load.access.element, load.base(), load.index())?;
                load.access.mask.as_ref().map_or(Ok(()), |mask| write!(f, " mask {mask}"))?;
                load.source_of_padding.as_ref().map_or(Ok(()), |padding| write!(f, " padding {padding}"))
            }
            Inst::Sweep(sweep) => write!(f, "{sweep}"),
            Inst::Move { src, dst } => write!(f, "{dst} = move {src}"),
            Inst::Extract { src, slice, dst } => write!(f, "{dst} = extract {src} {slice}"),
            Inst::Insert { src, slice, dst } => write!(f, "insert {src} into {dst} {slice}"),
            Inst::Reverse { src, dims, dst } => write!(f, "{dst} = reverse {src} dims {dims:?}"),
            Inst::Repack { src, dst, bits, pack } => write!(f, "{dst} = {} {src} bits {bits}", if *pack { "pack" } else { "unpack" }),
            Inst::Iota { dst, n, size } => write!(f, "{dst} = iota {n} of {size} bytes"),
            Inst::BlockId(dst) => write!(f, "{} = block_id", list(dst)),
            Inst::GridSize(dst) => write!(f, "{} = grid_size", list(dst)),
            Inst::ViewExtent { extent, step, dst, size } => write!(f, "{dst} = view_extent {extent} in steps of {step}, {size} bytes"),
            Inst::Load { view, dst, readers, past_stores } => {
                write!(f, "{dst} = load {view} readers {readers:?}{}", flag(*past_stores, " past_stores"))
            }
            Inst::LoadWindows(load) => {
                write!(f, "{} = load {} readers {:?} windows", load.dst, load.view, load.readers)?;
                load.windows.iter().try_for_each(|window| write!(f, " {} {:?}", window.dst, &window.first[..]))
            }
            Inst::Store { view, src } => write!(f, "store {view}, {src}"),
            Inst::SweepStore { sweep, view, src } => write!(f, "store {view}, {src} from {sweep}"),
            Inst::Rows(rows) => write!(f, "{rows}"),
            Inst::RowsStore { rows, view, src } => write!(f, "store {view}, {src} from {rows}"),
            Inst::LoadPointers { access, padding, dst } => {
                write!(f, "{dst} = load {access}")?;
                padding.as_ref().map_or(Ok(()), |padding| write!(f, " padding {padding}"))
            }
            Inst::StorePointers { access, src } => write!(f, "store {access}, {src}"),
            Inst::Atomic(atomic) => write!(f, "{atomic}"),
            Inst::AtomicView { view, mode, src } => write!(f, "atomic_rmw {mode:?} {view}, {src}"),
            Inst::Matmul(matmul) => write!(f, "{matmul}"),
            Inst::FinishProducts { slot, sums } => write!(f, "finish_products {slot} onto {sums}"),
            Inst::Fold(fold) => write!(f, "{fold}"),
            Inst::FoldRows(fold) => {
                let op = if fold.is_reduction { format!(" {:?}", fold.operation.imm.op) } else { String::new() };
                write!(f, "{} = fold_rows{op} {} rows of {}, {}", fold.dst, fold.rows, fold.extent, fold.src)
            }
            Inst::FoldColumns(fold) => match fold.sums {
                Some(sums) => write!(f, "{sums} = fold_columns {} onto {sums}", fold.src),
                None => write!(f, "{} = fold_columns {}", fold.dst, fold.src),
            },
            Inst::Print(print) => write!(f, "print {}", list(&print.args)),
            Inst::Alloca { slot, dst } => write!(f, "{dst} = alloca {slot}"),
            Inst::Release(slots) => write!(f, "release {slots:?}"),
            Inst::Watch(watch) => write!(f, "watch operation {} of function {}", watch.op, watch.function),
            Inst::Assert { condition, message } => write!(f, "assert {condition}, \"{}\"", printable(message.as_bytes())),
            Inst::Jump(target) => write!(f, "jump ^{target}"),
            Inst::BranchUnless { condition, target } => write!(f, "branch_unless {condition}, ^{target}"),
            Inst::JumpBack { target, waits } => write!(f, "jump_back ^{target}{}", flag(*waits, " waits")),
            Inst::ForHead { counter, upper, step, signed, exit, body } => {
                let body = match body {
                    LoopBody::Any => "",
                    LoopBody::Product => " only_multiplies",
                    LoopBody::Sweep => " only_sweeps",
                };
                write!(f, "for {counter} to {upper} step {step}{} else ^{exit}{body}", flag(!*signed, " unsigned"))
            }
            Inst::ForNext { counter, upper, step, signed, target, waits } => {
                let (sign, waits) = (flag(!*signed, " unsigned"), flag(*waits, " waits"));
                write!(f, "next {counter} to {upper} step {step}{sign} back ^{target}{waits}")
            }
            Inst::Return => f.write_str("return"),
        }
    }
}
