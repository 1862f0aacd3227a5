//! Structural verification: what every consumer of a module relies on.
//!
//! A module that passes has, for every operation: the operand, result, attribute and region counts of its row; attribute
//! values of the right kind; nothing newer than the module's version; only values that are defined before it, in its own or
//! an enclosing block; and for every block: operations that end in exactly one terminator, of a kind its parent allows.
//! Rules about types and shapes are not among them.

use crate::{
    AttrValue, Block, Body, Diagnostic, Function, Module, OpRef, Opcode, Region, Severity, SymbolVisibility, Type, TypeData, Value,
    Version,
    ops::{Arity, AttrDef, AttrDefault, AttrKind, Placement, Results, Traits},
};
use std::{collections::HashSet, ops::Deref};

/// A module that passed verification; it cannot be changed.
#[derive(Clone, Debug)]
pub struct VerifiedModule(Module);

impl VerifiedModule {
    /// The module, to be changed again.
    pub fn into_inner(self) -> Module {
        self.0
    }
}

impl Deref for VerifiedModule {
    type Target = Module;

    fn deref(&self) -> &Module {
        &self.0
    }
}

/// Checks the structure of a module.
///
/// # Errors
/// What is wrong, in the order of the module: the first [`MAX_FINDINGS`].
pub fn verify(module: Module) -> Result<VerifiedModule, Vec<Diagnostic>> {
    let types = &module.tables.types;
    let type_since = (0..types.len()).map(|index| types.since(Type::new(index))).collect();
    let mut verifier = Verifier { module: &module, type_since, findings: Vec::new(), function: None };
    verifier.symbols();
    for global in &module.globals {
        verifier.type_version(global.ty, None);
    }
    for function in &module.functions {
        verifier.function(function);
    }
    let findings = verifier.findings;
    if findings.is_empty() { Ok(VerifiedModule(module)) } else { Err(findings) }
}

/// How many findings a verifier lists: a broken module may have more than anyone reads.
pub const MAX_FINDINGS: usize = 1000;

/// Longest function name that a finding keeps.
const MAX_NAME: usize = 200;

struct Verifier<'m> {
    module: &'m Module,
    /// First version of each type.
    type_since: Vec<Version>,
    findings: Vec<Diagnostic>,
    function: Option<String>,
}

/// A block on the way through the regions of a function.
struct Frame<'m> {
    ops: Box<dyn Iterator<Item = OpRef<'m>> + 'm>,
    /// Values that go out of sight when the block ends start here.
    scope: usize,
    /// Results of the owner, which come into sight when its last region ends.
    owner: Option<OpRef<'m>>,
}

/// Which values can be used at the current operation.
struct Visible {
    defined: Vec<bool>,
    order: Vec<Value>,
}

impl Visible {
    fn define(&mut self, value: Value) {
        self.defined[value.index()] = true;
        self.order.push(value);
    }

    fn leave(&mut self, scope: usize) {
        for value in self.order.drain(scope..) {
            self.defined[value.index()] = false;
        }
    }
}

impl<'m> Verifier<'m> {
    fn report(&mut self, rule: &'static str, op: Option<(usize, OpRef<'m>)>, message: String) {
        if self.findings.len() >= MAX_FINDINGS {
            return;
        }
        self.findings.push(Diagnostic {
            rule,
            severity: Severity::Error,
            function: self.function.clone(),
            op: op.map(|(index, op)| (index, op.def().mnemonic)),
            loc: op.and_then(|(_, op)| op.loc()),
            message,
        });
    }

    fn version(&self) -> Version {
        self.module.version
    }

    fn symbols(&mut self) {
        let mut seen = HashSet::new();
        let names = self.module.globals.iter().map(|g| g.name).chain(self.module.functions.iter().map(|f| f.name));
        for name in names {
            let text = self.module.tables.strings.text(name).into_owned();
            if text.is_empty() {
                self.report("symbol-name", None, "a symbol has an empty name".to_owned());
            }
            if !seen.insert(name) {
                self.report("symbol-unique", None, format!("the symbol @{text} is defined twice"));
            }
        }
    }

    fn function(&mut self, function: &'m Function) {
        self.function = Some(self.module.tables.strings.text(function.name).chars().take(MAX_NAME).collect());
        self.signature(function);
        self.body(&function.body);
        self.function = None;
    }

    fn signature(&mut self, function: &'m Function) {
        let types = &self.module.tables.types;
        let TypeData::Function { inputs, results } = types.get(function.signature) else {
            return self.report(
                "function-type",
                None,
                format!("a signature must be a function type, found {}", types.brief(function.signature)),
            );
        };
        if function.is_entry && function.visibility == SymbolVisibility::Private {
            self.report("entry-visibility", None, "an entry must be public".to_owned());
        }
        if function.is_entry && !results.is_empty() {
            self.report("entry-results", None, format!("an entry has no results, found {}", results.len()));
        }
        for (i, &ty) in inputs.iter().enumerate() {
            let rank0 = matches!(types.as_tile(ty), Some((_, [])));
            if function.is_entry && !rank0 {
                self.report("entry-parameter", None, format!("parameter {i} must be a tile of rank 0, found {}", types.brief(ty)));
            }
            self.type_version(ty, None);
        }
        let args: Vec<Type> =
            function.body.entry_block().map(|b| function.body.args(b).map(|a| function.body.ty(a)).collect()).unwrap_or_default();
        if args != inputs[..] {
            self.report("entry-arguments", None, "the arguments of the body differ from the signature".to_owned());
        }
    }

    fn body(&mut self, body: &'m Body) {
        let mut visible = Visible { defined: vec![false; body.num_values()], order: Vec::new() };
        let mut stack: Vec<Frame<'m>> = Vec::new();
        let mut index = 0;
        self.region_shape(body, body.root(), None, false);
        self.enter(body, body.root(), None, &mut visible, &mut stack);
        while let Some(frame) = stack.last_mut() {
            let Some(op) = frame.ops.next() else {
                visible.leave(frame.scope);
                if let Some(owner) = frame.owner {
                    owner.results().for_each(|r| visible.define(r));
                }
                stack.pop();
                continue;
            };
            self.op(index, op);
            self.operands_are_visible(index, op, &visible);
            for (i, region) in op.regions().enumerate() {
                self.region_shape(body, region, Some((index, op)), i > 0 && op.opcode() == Opcode::If);
            }
            if op.regions().len() == 0 {
                op.results().for_each(|r| visible.define(r));
            } else {
                self.enter_regions(body, op, &mut visible, &mut stack);
            }
            index += 1;
        }
    }

    /// Puts the regions of an operation on the stack, the first on top.
    fn enter_regions(&mut self, body: &'m Body, op: OpRef<'m>, visible: &mut Visible, stack: &mut Vec<Frame<'m>>) {
        // The bottom frame is empty: when it ends, all regions have ended, and the results come into sight.
        stack.push(Frame { ops: Box::new(std::iter::empty()), scope: visible.order.len(), owner: Some(op) });
        for region in op.regions().rev() {
            self.enter(body, region, None, visible, stack);
        }
    }

    fn enter(&mut self, body: &'m Body, region: Region, owner: Option<OpRef<'m>>, visible: &mut Visible, stack: &mut Vec<Frame<'m>>) {
        let scope = visible.order.len();
        for block in body.blocks(region) {
            // Arguments of sibling regions are all in sight here; each region only ever names its own.
            body.args(block).for_each(|a| visible.define(a));
            stack.push(Frame { ops: Box::new(body.ops(block)), scope, owner });
        }
    }

    fn op(&mut self, index: usize, op: OpRef<'m>) {
        let def = op.def();
        let at = Some((index, op));
        if def.placement != Placement::Body {
            self.report("op-placement", at, format!("{} cannot stand in the body of a function", def.mnemonic));
        }
        if def.since > self.version() {
            let message = format!("{} needs version {}, the module has {}", def.mnemonic, def.since, self.version());
            self.report("op-version", at, message);
        }
        self.operand_count(index, op);
        self.result_count(index, op);
        for (attr, value) in def.attrs.iter().zip(op.attrs()) {
            self.attr(index, op, attr, *value);
        }
        for result in op.results() {
            self.type_version(op.body().ty(result), at);
        }
    }

    fn operand_count(&mut self, index: usize, op: OpRef<'m>) {
        let def = op.def();
        let mut least = 0;
        let mut open = false;
        for (i, operand) in def.operands.iter().enumerate() {
            least += match operand.arity {
                Arity::One => 1,
                Arity::Optional => usize::from(op.present_operands() >> i & 1),
                Arity::Variadic => {
                    open = true;
                    0
                }
            };
            let newer =
                def.operand_since(operand) > self.version() && operand.arity == Arity::Optional && op.present_operands() >> i & 1 == 1;
            if newer {
                let message =
                    format!("operand '{}' needs version {}, the module has {}", operand.name, def.operand_since(operand), self.version());
                self.report("operand-version", Some((index, op)), message);
            }
        }
        let found = op.operands().len();
        let grouped: usize = (0..def.operands.len()).map(|i| op.operand_group(i).len()).sum();
        if found < least || (!open && found > least) || grouped != found {
            let more = if open { " or more" } else { "" };
            self.report("operand-count", Some((index, op)), format!("expected {least}{more} operands, found {found}"));
        }
    }

    fn result_count(&mut self, index: usize, op: OpRef<'m>) {
        if let Results::Fixed(results) = op.def().results
            && results.len() != op.results().len()
        {
            self.report("result-count", Some((index, op)), format!("expected {} results, found {}", results.len(), op.results().len()));
        }
    }

    fn attr(&mut self, index: usize, op: OpRef<'m>, attr: &AttrDef, value: AttrValue) {
        let at = Some((index, op));
        let name = attr.name.name();
        if value == AttrValue::Absent {
            if !attr.optional {
                self.report("attribute-missing", at, format!("attribute '{name}' is missing"));
            }
            return;
        }
        if !attr_fits(attr.kind, value) {
            return self.report("attribute-kind", at, format!("attribute '{name}' holds {value:?}, which is no {:?}", attr.kind));
        }
        let since = op.def().attr_since(attr);
        if since > self.version() && !self.is_default(attr, value) {
            self.report("attribute-version", at, format!("attribute '{name}' needs version {since}, the module has {}", self.version()));
        }
        if let (AttrKind::Enum(kind), AttrValue::Enum(wire)) = (attr.kind, value)
            && let Some(entry) = kind.value(wire)
            && entry.since > self.version()
        {
            let message =
                format!("value '{}' of attribute '{name}' needs version {}, the module has {}", entry.keyword, entry.since, self.version());
            self.report("attribute-version", at, message);
        }
    }

    fn is_default(&self, attr: &AttrDef, value: AttrValue) -> bool {
        match (attr.default, value) {
            (Some(AttrDefault::Enum(default)), AttrValue::Enum(value)) => default == value,
            (Some(AttrDefault::Int(default)), AttrValue::Int(value)) => default == value,
            (Some(AttrDefault::AllFalse), AttrValue::Attr(attr)) => {
                matches!(self.module.tables.attrs.get(attr), crate::AttrData::BoolArray(bits) if bits.iter().all(|b| !b))
            }
            _ => false,
        }
    }

    fn type_version(&mut self, ty: Type, at: Option<(usize, OpRef<'m>)>) {
        let types = &self.module.tables.types;
        let Some(&since) = self.type_since.get(ty.index()) else {
            return self.report("type-handle", at, format!("type {} does not exist in the module", ty.index()));
        };
        if since > self.version() {
            let message = format!("type {} needs version {since}, the module has {}", types.brief(ty), self.version());
            self.report("type-version", at, message);
        }
    }

    fn operands_are_visible(&mut self, index: usize, op: OpRef<'m>, visible: &Visible) {
        for (i, value) in op.operands().iter().enumerate() {
            if !visible.defined.get(value.index()).is_some_and(|v| *v) {
                let message = format!("operand {i} is not defined before this operation");
                self.report("dominance", Some((index, op)), message);
            }
        }
    }

    fn region_shape(&mut self, body: &'m Body, region: Region, owner: Option<(usize, OpRef<'m>)>, may_be_empty: bool) {
        let blocks: Vec<Block> = body.blocks(region).collect();
        match blocks[..] {
            [] if may_be_empty => {}
            [block] => {
                self.region_arguments(body, block, owner);
                self.terminator(body, block, owner);
            }
            _ => self.report("region-blocks", owner, format!("a region holds one block, found {}", blocks.len())),
        }
    }

    fn region_arguments(&mut self, body: &'m Body, block: Block, owner: Option<(usize, OpRef<'m>)>) {
        let Some((_, op)) = owner else { return };
        let expected = match op.opcode() {
            Opcode::For => 1 + op.operands().len().saturating_sub(3),
            Opcode::Loop => op.operands().len(),
            Opcode::Reduce | Opcode::Scan => 2 * op.operands().len(),
            _ => 0,
        };
        let found = body.args(block).len();
        if found != expected {
            self.report("region-arguments", owner, format!("the region takes {expected} arguments, found {found}"));
        }
    }

    fn terminator(&mut self, body: &'m Body, block: Block, owner: Option<(usize, OpRef<'m>)>) {
        let Some(last) = body.last_op(block) else {
            return self.report("block-empty", owner, "a block needs a terminator".to_owned());
        };
        let is_terminator = |op: OpRef<'_>| op.def().traits.contains(Traits::TERMINATOR);
        if !is_terminator(last) {
            self.report("terminator-missing", owner, format!("a block must end in a terminator, found {}", last.def().mnemonic));
        } else if !terminator_fits(last.opcode(), owner.map(|(_, op)| op.opcode())) {
            let parent = owner.map_or("a function", |(_, op)| op.def().mnemonic);
            self.report("terminator-parent", owner, format!("{} cannot end a block of {parent}", last.def().mnemonic));
        }
        let early = body.ops(block).find(|op| op.id() != last.id() && is_terminator(*op));
        if let Some(early) = early {
            self.report("terminator-last", owner, format!("{} must be the last operation of its block", early.def().mnemonic));
        }
    }
}

/// Whether a terminator may end a block of this operation (SEMANTICS c.9).
fn terminator_fits(terminator: Opcode, parent: Option<Opcode>) -> bool {
    match parent {
        None => terminator == Opcode::Return,
        Some(Opcode::For) => terminator == Opcode::Continue,
        Some(Opcode::Loop) => matches!(terminator, Opcode::Continue | Opcode::Break | Opcode::Return),
        Some(Opcode::If) => true,
        Some(Opcode::Reduce | Opcode::Scan) => terminator == Opcode::Yield,
        Some(_) => false,
    }
}

fn attr_fits(kind: AttrKind, value: AttrValue) -> bool {
    match (kind, value) {
        (AttrKind::Enum(kind), AttrValue::Enum(wire)) => kind.value(wire).is_some(),
        (AttrKind::UInt(bits), AttrValue::Int(value)) => bits >= 64 || value >> bits == 0,
        (AttrKind::Bool, AttrValue::Bool(_))
        | (AttrKind::String | AttrKind::Symbol, AttrValue::Str(_))
        | (AttrKind::Type, AttrValue::Type(_))
        | (AttrKind::Constant, AttrValue::Const(_))
        | (AttrKind::Array | AttrKind::Hints | AttrKind::Predicate | AttrKind::I32Array | AttrKind::BoolArray, AttrValue::Attr(_))
        | (AttrKind::Unit, AttrValue::Unit) => true,
        _ => false,
    }
}

/// The values that a terminator hands to the operation it ends a region of, or to the loop it continues or leaves.
///
/// `None` for a terminator outside such an operation. `yield` belongs to its parent; `continue` and `break` to the
/// innermost loop around them.
pub fn terminator_target(op: OpRef<'_>) -> Option<OpRef<'_>> {
    let accepts: fn(Opcode) -> bool = match op.opcode() {
        Opcode::Yield => |o| matches!(o, Opcode::If | Opcode::Reduce | Opcode::Scan),
        Opcode::Continue => |o| matches!(o, Opcode::For | Opcode::Loop),
        Opcode::Break => |o| o == Opcode::Loop,
        _ => return None,
    };
    let parents = std::iter::successors(op.parent(), |p| p.parent());
    for parent in parents {
        if accepts(parent.opcode()) {
            return Some(parent);
        }
        if parent.opcode() != Opcode::If {
            return None;
        }
    }
    None
}
