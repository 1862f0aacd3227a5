//! Which accesses are ordered: tokens of a block, and what happens before between blocks.

use crate::{
    access::Way,
    elements::{Elements, Geometry},
    rules::{self, Rule},
    state::{At, Other, Spot, State, Violation},
};
use tilewright_exec::Step;
use tilewright_ir::{MemoryOrderingSemantics, Op, OpRef, Opcode, TypeTable, Value};
use tilewright_memory_model::{
    access::Strength,
    races::{Access, Kind, Race, Reason, Run, Side, Token},
};

impl<'m> State<'m> {
    /// What a value that is a token waits for.
    pub(crate) fn token(&mut self, at: At, value: Value) -> Token {
        let number = self.number(at.function, value);
        self.block(at.index).tokens.get(&number).cloned().unwrap_or_default()
    }

    pub(crate) fn set_token(&mut self, at: At, value: Value, token: Token) {
        let number = self.number(at.function, value);
        self.block(at.index).tokens.insert(number, token);
    }

    pub(crate) fn is_token(&self, at: At, value: Value) -> bool {
        self.body(at.function).ty(value) == TypeTable::token()
    }

    /// The token operand of an operation.
    fn awaited(&mut self, at: At, op: OpRef<'m>) -> Token {
        op.operand_named("token").first().map_or_else(Token::default, |token| self.token(at, *token))
    }

    /// The token that an operation gives, which is its last result.
    fn give(&mut self, at: At, op: OpRef<'m>, token: Token) {
        if let Some(result) = op.results().next_back().filter(|result| self.is_token(at, *result)) {
            self.set_token(at, result, token);
        }
    }

    /// An operation that orders others, and accesses no memory.
    pub(crate) fn order(&mut self, at: At, op: OpRef<'m>) {
        let token = match op.opcode() {
            Opcode::MakeToken => Token::default(),
            Opcode::JoinTokens => {
                let tokens: Vec<Token> = op.operands().iter().map(|token| self.token(at, *token)).collect();
                let tokens: Vec<&Token> = tokens.iter().collect();
                self.races.join(at.index as u32, &tokens)
            }
            _ => self.awaited(at, op),
        };
        self.give(at, op, token);
    }

    /// Notes an access, whose elements are those that are in memory.
    pub(crate) fn ordered(&mut self, at: At, step: &Step<'_>, op: OpRef<'m>, elements: &Elements, way: Way) {
        let token = self.awaited(at, op);
        let kind = match way {
            Way::Read => Kind::Read,
            Way::Write => Kind::Write,
            Way::Update => Kind::Update,
        };
        let mut runs: Vec<Run> =
            elements.runs.iter().map(|run| Run { address: run.address, bytes: run.bytes(elements.bits), kind }).collect();
        if op.opcode() == Opcode::AtomicCASTko {
            runs = self.exchanges(step, op, elements);
        }
        let strength = match (op.memory_ordering(), op.memory_scope()) {
            (Some(ordering), Some(scope)) if ordering != MemoryOrderingSemantics::Weak => Strength::new(ordering, scope),
            _ => Strength::WEAK,
        };
        let result = op.results().next_back();
        let result_used = result.is_some_and(|result| self.is_read(at.function, result));
        let access = Access {
            block: at.index as u32,
            site: self.site(at),
            strength,
            element: elements.bits.div_ceil(8),
            runs: &runs,
            token: &token,
            result_used,
            detail: &elements.geometry(),
        };
        let token = self.races.access(&access);
        self.give(at, op, token);
    }

    /// The elements of a compare-and-swap: those that find another value than they expect only read it.
    fn exchanges(&self, step: &Step<'_>, op: OpRef<'m>, elements: &Elements) -> Vec<Run> {
        let bytes = elements.bits / 8;
        let expected = op.operand_named("cmp").first().and_then(|value| op.operands().iter().position(|operand| operand == value));
        let expected = expected.and_then(|i| step.operand(i)).map(|tile| tile.bits()).unwrap_or_default();
        let mut runs = Vec::new();
        for run in &elements.runs {
            for i in 0..run.count {
                let address = run.address + i as u64 * u64::from(bytes);
                let found = step.memory(address, bytes);
                let kind = if found == expected.get(run.first + i * run.step).copied() { Kind::Update } else { Kind::Read };
                runs.push(Run { address, bytes: bytes.into(), kind });
            }
        }
        runs
    }

    /// Reports the accesses that are not ordered.
    pub(crate) fn report_races(&mut self) {
        for race in self.races.findings() {
            self.report_race(&race);
        }
    }

    fn report_race(&mut self, race: &Race<Geometry>) {
        let (rule, why): (&'static Rule, &str) = match race.reason {
            Reason::SameOperation => (&rules::SAME_ELEMENT, "two elements of it lie in one place"),
            Reason::Unordered if race.is_in_one_block() => {
                (&rules::TOKEN_ORDER, "no chain of tokens orders it with another access of the block")
            }
            Reason::Unordered => (&rules::DATA_RACE, "nothing orders it with an access of another block"),
            Reason::Scope => (&rules::NARROW_SCOPE, "the scope of one of two strong accesses does not include the other's block"),
            Reason::Overlap => (&rules::MIXED_SIZE, "another strong access covers only a part of the bytes, or more"),
        };
        let message = format!("it {}, and {why}", what(&race.second));
        let (what, nth) = match race.reason {
            Reason::SameOperation => ("the other element accesses the same bytes".to_owned(), 1),
            _ => (format!("the other access {} the same bytes", what(&race.first)), 0),
        };
        let other = Other { what, at: self.side(&race.first), spot: self.raced(race, &race.first, nth) };
        let spot = self.raced(race, &race.second, 0);
        self.violation(self.side(&race.second), Violation { spot, other: Some(other), ..Violation::new(rule, message) });
    }

    /// What a side of a race accessed: the element, or the other one of that place, that holds the first byte of the race.
    fn raced(&self, race: &Race<Geometry>, side: &Side<Geometry>, nth: usize) -> Spot {
        let memory = self.memory.place(race.address, race.bytes);
        let elements = side.detail.elements();
        match elements.at_byte(race.address).get(nth) {
            Some(position) => elements.spot(*position, memory),
            None => Spot::memory(memory),
        }
    }

    /// The operation and the block of one side of a race.
    fn side(&self, side: &Side<Geometry>) -> At {
        let (function, op) = self.op_of_site(side.site);
        let index = u64::from(side.block);
        let [x, y, _] = self.grid.map(u64::from);
        let block = [index % x, index / x % y, index / x / y].map(|i| i as u32);
        At { function, op, block, index }
    }

    /// The number of an operation among those of all functions.
    fn site(&self, at: At) -> u32 {
        (self.op_offsets[at.function] + at.op.index()) as u32
    }

    fn op_of_site(&self, site: u32) -> (usize, Op) {
        let site = site as usize;
        let function = self.op_offsets.partition_point(|offset| *offset <= site) - 1;
        (function, Op::new(site - self.op_offsets[function]))
    }
}

/// What one side of a race does, in words.
fn what(side: &Side<Geometry>) -> String {
    let does = match side.kind {
        Kind::Read => "reads",
        Kind::Write => "writes",
        Kind::Update => "updates",
    };
    format!("{does} ({})", side.strength)
}
