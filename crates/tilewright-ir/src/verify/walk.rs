//! The way through a body: every operation in order, with the values it can use and the place it stands in.

use super::{At, Verifier, rules};
use crate::{Block, Body, Function, OpRef, Opcode, Type, TypeData, Value, ops::Traits};

/// Where a block lies: what its terminators mean, and what may happen there.
#[derive(Clone, Copy, Default)]
pub(super) struct Place<'m> {
    /// The operation that owns the region.
    pub(super) parent: Option<OpRef<'m>>,
    /// The loop that `continue` goes on with, and, if it is a `loop`, that `break` leaves.
    pub(super) target: Option<OpRef<'m>>,
    /// Whether `return` cannot stand here.
    pub(super) no_return: bool,
    /// The innermost `reduce` or `scan` around it.
    pub(super) fold: Option<Opcode>,
    /// What `return` hands on: the results of the function.
    pub(super) returned: &'m [Type],
}

impl<'m> Place<'m> {
    /// The place inside of an operation that lies here.
    fn inside(self, op: OpRef<'m>) -> Self {
        let parent = Some(op);
        match op.opcode() {
            Opcode::If => Place { parent, ..self },
            Opcode::Loop => Place { parent, target: parent, ..self },
            Opcode::For => Place { parent, target: parent, no_return: true, ..self },
            opcode => Place { parent, target: None, no_return: true, fold: Some(opcode), ..self },
        }
    }
}

/// A region on the way, with those of the same owner that follow.
struct Frame<'m> {
    owner: Option<OpRef<'m>>,
    /// The blocks that are still to come.
    blocks: std::vec::IntoIter<Block>,
    next: Option<OpRef<'m>>,
    /// Values that go out of sight when the block ends start here.
    scope: usize,
    place: Place<'m>,
}

/// Which values can be used at the current operation.
pub(super) struct Visible {
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

    #[inline]
    pub(super) fn contains(&self, value: Value) -> bool {
        self.defined.get(value.index()).is_some_and(|defined| *defined)
    }
}

/// Operations with rules of their own, beyond the op table.
#[derive(Clone, Copy)]
enum Family {
    Arith,
    Shape,
    Matrix,
    Control,
    Terminator,
    Fold,
    PointerAccess,
    Memory,
    ViewDefinition,
    ViewAccess,
    Assume,
}

impl Family {
    /// The family of an operation; most have none.
    fn of(opcode: Opcode) -> Option<Family> {
        use Opcode as O;
        Some(match opcode {
            O::Iota | O::ExtI | O::TruncI | O::Bitcast | O::FToF | O::IToF | O::DivI => Family::Arith,
            O::Constant | O::Broadcast | O::Reshape | O::Permute | O::Cat | O::Extract | O::Insert | O::Pack | O::Unpack | O::Select => {
                Family::Shape
            }
            O::MmaF | O::MmaI | O::MmaFScaled => Family::Matrix,
            O::For | O::Loop | O::If => Family::Control,
            O::Break | O::Continue | O::Yield | O::Return => Family::Terminator,
            O::Reduce | O::Scan => Family::Fold,
            O::LoadPtrTko | O::StorePtrTko | O::AtomicRMWTko | O::AtomicCASTko => Family::PointerAccess,
            O::Alloca | O::JoinTokens | O::PrintTko | O::GetGlobal => Family::Memory,
            O::MakeTensorView
            | O::MakePartitionView
            | O::MakeStridedView
            | O::MakeGatherScatterView
            | O::GetTensorShape
            | O::GetIndexSpaceShape => Family::ViewDefinition,
            O::LoadViewTko
            | O::StoreViewTko
            | O::AtomicRedViewTko
            | O::MultimemLoadReduceViewTko
            | O::MultimemReduceViewTko
            | O::MultimemStoreViewTko => Family::ViewAccess,
            O::Assume => Family::Assume,
            _ => return None,
        })
    }
}

impl<'m> Verifier<'m> {
    pub(super) fn body(&mut self, function: &'m Function) {
        let body = &function.body;
        let function_scope = self.function_scope(function);
        let mut visible = Visible { defined: vec![false; body.num_values()], order: Vec::new() };
        let mut stack: Vec<Frame<'m>> = Vec::new();
        let mut index = 0;
        self.region_shape(body, body.root(), None, false);
        let returned = self.results_of(function);
        stack.push(self.frame(body, None, Place { returned, ..Place::default() }, &visible));
        while let Some(frame) = stack.last_mut() {
            let Some(op) = frame.next else {
                visible.leave(frame.scope);
                match frame.blocks.next() {
                    Some(block) => enter(body, block, frame, &mut visible),
                    None => leave(&mut stack, &mut visible),
                }
                continue;
            };
            frame.next = op.next();
            let place = frame.place;
            let at = At { index, op };
            self.op(at, place, &visible);
            self.debug_scope(at, function_scope);
            if op.def().regions == 0 {
                op.results().for_each(|result| visible.define(result));
            } else {
                self.regions(at);
                stack.push(self.frame(body, Some(op), place.inside(op), &visible));
            }
            index += 1;
        }
    }

    /// The results of a function: of an entry there are none, whatever its signature says.
    fn results_of(&self, function: &'m Function) -> &'m [Type] {
        let types = &self.module.tables.types;
        match (function.signature.index() < types.len()).then(|| types.get(function.signature)) {
            Some(TypeData::Function { results, .. }) if !function.is_entry => results,
            _ => &[],
        }
    }

    fn frame(&self, body: &'m Body, owner: Option<OpRef<'m>>, place: Place<'m>, visible: &Visible) -> Frame<'m> {
        let blocks: Vec<Block> = match owner {
            Some(op) => op.regions().flat_map(|region| body.blocks(region)).collect(),
            None => body.blocks(body.root()).collect(),
        };
        Frame { owner, blocks: blocks.into_iter(), next: None, scope: visible.order.len(), place }
    }

    fn op(&mut self, at: At<'m>, place: Place<'m>, visible: &Visible) {
        let before = self.reported;
        if !self.is_in_order(at, visible) {
            self.full_checks(at, visible);
        } else if cfg!(debug_assertions) {
            self.full_checks(at, visible);
            debug_assert_eq!(self.reported, before, "the quick look at {} missed {:?}", at.op.def().mnemonic, self.findings.last());
        }
        if self.reported == before
            && let Some(family) = Family::of(at.op.opcode())
        {
            self.family(family, at, place);
        }
        if at.op.def().traits.contains(Traits::TERMINATOR) && at.op.next().is_some() {
            let message = format!("{} must be the last operation of its block", at.op.def().mnemonic);
            self.report(&rules::TERMINATOR_LAST, Some(at), message);
        }
        if place.fold.is_some() {
            self.effects(at, place);
        }
    }

    /// Structure, then types and values, then relations: each only if there is nothing wrong before.
    fn full_checks(&mut self, at: At<'m>, visible: &Visible) {
        let before = self.reported;
        self.structure(at);
        for (i, value) in at.op.operands().iter().enumerate() {
            if !visible.contains(*value) {
                self.report(&rules::DOMINANCE, Some(at), format!("operand {i} is not defined before this operation"));
            }
        }
        if self.reported == before {
            self.values_and_types(at);
        }
        if self.reported == before {
            self.relations(at);
        }
    }

    /// What is peculiar to a family of operations.
    #[inline(never)]
    fn family(&mut self, family: Family, at: At<'m>, place: Place<'m>) {
        match family {
            Family::Arith => self.arith(at),
            Family::Shape => self.shape(at),
            Family::Matrix => self.matrix(at),
            Family::Control => self.control(at),
            Family::Terminator => self.terminator(at, place),
            Family::Fold => self.fold(at),
            Family::PointerAccess => self.pointer_access(at),
            Family::Memory => self.memory(at),
            Family::ViewDefinition => self.view_definition(at),
            Family::ViewAccess => self.view_access(at),
            Family::Assume => self.assume(at),
        }
    }

    /// Nothing in the body of a fold may have effects.
    fn effects(&mut self, at: At<'m>, place: Place<'m>) {
        let traits = at.op.def().traits;
        let harmless = match at.op.opcode() {
            Opcode::Yield | Opcode::If | Opcode::For | Opcode::Loop => true,
            // A promise has no effect, but the official tools do not know that.
            Opcode::Assume => false,
            _ => traits.contains(Traits::PURE) || traits.contains(Traits::NO_MEMORY),
        };
        let owner = place.fold.map_or("", Opcode::mnemonic);
        let message = |_: &Self| format!("{} cannot stand in the body of {owner}: it may have effects", at.op.def().mnemonic);
        self.require(harmless, &rules::FOLD_EFFECTS, at, message);
    }
}

/// Goes into a block of a frame.
fn enter<'m>(body: &'m Body, block: Block, frame: &mut Frame<'m>, visible: &mut Visible) {
    body.args(block).for_each(|argument| visible.define(argument));
    frame.next = body.ops(block).next();
}

/// Leaves the operation of the last frame, whose results come into sight.
fn leave(stack: &mut Vec<Frame<'_>>, visible: &mut Visible) {
    if let Some(Frame { owner: Some(owner), .. }) = stack.pop() {
        owner.results().for_each(|result| visible.define(result));
    }
}
