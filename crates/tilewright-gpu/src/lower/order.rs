//! What tokens order: barriers, where an access of one thread must come after another thread's, and nothing where none must.
//!
//! The threads of a block share the work of an operation, so an access that a token puts behind another one may be a different thread's. A
//! barrier orders the two, and with release and acquire of the accesses themselves it carries on what other blocks did: causality order is
//! transitive. A token knows which accesses are behind it that no barrier follows yet.

use super::{Lowered, Lowerer, Stop};
use crate::thread::{Order, Scope, Strong};
use tilewright_ir::{MemoryOrderingSemantics, MemoryScope, OpRef};

/// What accesses do.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub(super) struct Access {
    reads: bool,
    writes: bool,
    /// What comes after must see what other blocks did.
    acquires: bool,
}

impl Access {
    /// A store.
    pub(super) const STORE: Access = Access { reads: false, writes: true, acquires: false };

    /// A load.
    pub(super) fn load(strong: Option<Strong>) -> Access {
        Access { reads: true, writes: false, acquires: is_acquire(strong) }
    }

    /// An atomic update.
    pub(super) fn update(strong: Strong) -> Access {
        Access { reads: true, writes: true, acquires: is_acquire(Some(strong)) }
    }

    fn and(self, other: Access) -> Access {
        let Access { reads, writes, acquires } = other;
        Access { reads: self.reads || reads, writes: self.writes || writes, acquires: self.acquires || acquires }
    }

    /// Whether an access must wait for these.
    fn before(self, next: Access) -> bool {
        self.acquires || self.writes || next.writes && self.reads
    }
}

fn is_acquire(strong: Option<Strong>) -> bool {
    strong.is_some_and(|strong| matches!(strong.order, Order::Acquire | Order::AcquireRelease))
}

/// The accesses that a token comes after, as far as no barrier lay behind them when it was made.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Token {
    behind: Access,
    /// How many barriers there were.
    made: u32,
}

/// The barriers of the code so far.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Barriers {
    /// All that were made.
    count: u32,
    /// The last that lies on every way to the current place.
    last: u32,
}

/// The last barrier that lies on every way to a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passed(u32);

impl Barriers {
    /// What has been passed here.
    pub(super) fn passed(&self) -> Passed {
        Passed(self.last)
    }

    /// Goes on at a place that only these were passed on every way to.
    pub(super) fn go_on(&mut self, passed: Passed) {
        self.last = passed.0;
    }

    /// How many there are so far.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// Whether all threads have met, on every way to here, since there were so many.
    pub(super) fn is_passed_since(&self, made: u32) -> bool {
        self.last > made
    }

    /// A token that is handed over from elsewhere, and may come after anything.
    pub(super) fn unknown_token(&self) -> Token {
        Token { behind: Access { reads: true, writes: true, acquires: true }, made: self.count }
    }

    /// What of the accesses behind a token no barrier follows.
    fn behind(&self, token: Token) -> Access {
        if self.is_passed_since(token.made) { Access::default() } else { token.behind }
    }
}

impl Lowerer<'_> {
    /// Lets the threads of the block meet.
    pub(super) fn barrier(&mut self) {
        self.barriers.count += 1;
        self.barriers.last = self.barriers.count;
        self.b.barrier();
    }

    /// What the tokens are behind that an operation takes.
    fn token_operands(&self, op: OpRef<'_>) -> Access {
        let token = |value: &tilewright_ir::Value| match self.frame.values.get(value) {
            Some(Lowered::Token(token)) => Some(*token),
            _ => None,
        };
        op.operands().iter().filter_map(token).fold(Access::default(), |all, token| all.and(self.barriers.behind(token)))
    }

    /// Defines the token of an operation.
    fn define_token(&mut self, op: OpRef<'_>, behind: Access) {
        let token = Token { behind, made: self.barriers.count };
        for result in op.results().filter(|result| self.is_token(*result)).collect::<Vec<_>>() {
            self.frame.values.insert(result, Lowered::Token(token));
        }
    }

    /// Puts an access behind what its token comes after, and defines the token that comes after it.
    pub(super) fn order(&mut self, op: OpRef<'_>, access: Access) {
        let mut behind = self.token_operands(op);
        if behind.before(access) {
            let what = if behind.acquires {
                "an acquire"
            } else if behind.writes {
                "a write"
            } else {
                "a read"
            };
            self.note(format!("a barrier: its token puts it behind {what}"));
            self.barrier();
            behind = Access::default();
        }
        self.define_token(op, behind.and(access));
    }

    /// Defines the token of an access that all threads have done.
    pub(super) fn pass_no_token(&mut self, op: OpRef<'_>) {
        self.define_token(op, Access::default());
    }

    /// Defines the token of an operation that accesses nothing.
    pub(super) fn pass_tokens(&mut self, op: OpRef<'_>) {
        let behind = self.token_operands(op);
        self.define_token(op, behind);
    }

    /// How strong the access of an operation is; none if it is weak.
    pub(super) fn strong(&self, op: OpRef<'_>) -> Result<Option<Strong>, Stop> {
        let order = match op.memory_ordering() {
            None | Some(MemoryOrderingSemantics::Weak) => return Ok(None),
            Some(MemoryOrderingSemantics::Relaxed) => Order::Relaxed,
            Some(MemoryOrderingSemantics::Acquire) => Order::Acquire,
            Some(MemoryOrderingSemantics::Release) => Order::Release,
            Some(MemoryOrderingSemantics::AcqRel) => Order::AcquireRelease,
        };
        let scope = match op.memory_scope() {
            Some(MemoryScope::TlBlk) => Scope::Block,
            Some(MemoryScope::Device) => Scope::Device,
            Some(MemoryScope::Sys) => Scope::System,
            None => return Err(self.unsupported(op, "a strong access without a scope")),
        };
        Ok(Some(Strong { order, scope }))
    }
}
