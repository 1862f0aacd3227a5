//! The walk over code that becomes machine code: what is the same for all instruction sets.
//!
//! An [`InstructionSet`] is a [`Walk`] with a machine of its own, and says how what stands here is said in its instructions. The machine code gets one argument,
//! the address of a block: the argument slots, then the frame, in which slots, words and what is set aside for a while follow each other.

use super::{
    encoder::{Encoder, Instruction, Label, Position},
    look_ahead,
    registers::{self, Location, Locations, Registers, assign, is_unrolled},
};
use crate::{
    code::{Axis, Code, Count, Fold, Item, Kind, Loop, Param, ParamKind, Place, Term, Value, While},
    prim::Lane,
};
use asmkit::AsmError;
use std::collections::BTreeMap;

/// Machine code, and what it needs around it.
pub(super) struct Emitted {
    pub(super) bytes: Vec<u8>,
    pub(super) pool: Vec<u8>,
    /// Bytes of the block.
    pub(super) block: usize,
    /// Where the instructions of each item begin, with its first line; in their order, if they are listed.
    pub(super) items: Vec<(usize, String)>,
}

/// A general register, by its number.
pub(super) type General = u32;

/// Where a 64-bit number lives: a loop's index or an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cell {
    General(General),
    /// Bytes into the block.
    Word(i32),
}

/// What a cell is compared with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bound {
    Count(Count),
    /// A word of the block.
    Word(i32),
}

/// How a cell compares with a bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Order {
    Below,
    NotBelow,
}

/// A loop that is being emitted.
#[derive(Clone)]
pub(super) struct Nest {
    pub(super) axis: Axis,
    pub(super) kind: Kind,
    pub(super) index: Cell,
    /// Addresses of the current iteration's places, of those that stand in the loop itself: of all that are a distance apart, one.
    pub(super) addresses: Vec<(Place, Cell)>,
}

/// Where it stands which lanes are active, while a tail is emitted.
#[derive(Clone, Copy)]
pub(super) struct Tail {
    /// The word with their number.
    pub(super) number: i32,
    /// Their mask.
    pub(super) mask: i32,
}

/// What is handed on: a value, or one that was set aside in the block.
#[derive(Clone, Copy)]
pub(super) enum Source {
    Value(Value),
    Memory(i32),
}

/// Memory so many bytes behind what a register names.
#[derive(Clone, Copy)]
pub(super) struct Address {
    pub(super) register: General,
    pub(super) offset: i32,
}

/// How the lanes of an access lie.
pub(super) enum Along {
    /// One place for all.
    Same,
    /// Side by side.
    Contiguous,
    /// So many bytes apart.
    Strided(Count),
}

/// Code on its way to machine code.
pub(super) struct Walk<'a, M> {
    pub(super) code: &'a Code,
    /// What the instruction set has of its own.
    pub(super) machine: M,
    /// Bytes of a vector.
    pub(super) vector_bytes: usize,
    pub(super) locations: Locations,
    /// Lanes that are computed at once.
    pub(super) width: usize,
    /// Which of the parts of the code's lanes, or of the vectors side by side, is being emitted.
    pub(super) part: usize,
    /// How many vectors unrolled loops compute side by side.
    pub(super) unrolled: usize,
    /// How many items are computed of one of them before the next has its turn.
    pub(super) turn: usize,
    /// Lanes by which what is being emitted is ahead of the loop's index.
    pub(super) ahead: usize,
    pub(super) constants: BTreeMap<Value, u64>,
    pub(super) pool: Pool,
    pub(super) loops: Vec<Nest>,
    pub(super) tail: Option<Tail>,
    /// Begin of the vector slots in the block.
    pub(super) slots: i32,
    /// Begin of what the instruction set keeps in the block.
    pub(super) areas: i32,
    /// Bytes of the block so far.
    pub(super) block: i32,
    /// General registers for cells.
    pub(super) free: Vec<General>,
    listed: Option<Vec<(Position, String)>>,
}

/// What the walk asks of an instruction set: it is implemented for [`Walk`] with the machine that the set has.
pub(super) trait InstructionSet {
    /// Bytes of the block between vectors that are kept there, and what they begin at multiples of: a power of two.
    const ROOM: i32;
    /// Bytes of the block that it wants for itself.
    const AREAS: i32;
    /// The general registers for indices and addresses of innermost loops, of which the last are taken first.
    const CELLS: &'static [General];
    /// The general register for the address of an access.
    const ADDRESS: General;
    /// What is encoded.
    type Instruction: Instruction;

    fn encoder(&mut self) -> &mut Encoder<Self::Instruction>;
    fn jump_to(&mut self, label: Label);

    /// What stands in front of all items.
    fn begin(&mut self);
    /// What stands behind all items.
    fn end(&mut self);
    /// An item that is no loop and no fold.
    fn simple(&mut self, item: &Item);

    /// Writes a number to a cell.
    fn set(&mut self, cell: Cell, number: i64);
    /// Adds to a cell a count, so many times.
    fn add(&mut self, cell: Cell, count: Count, times: i64);
    /// Writes to a word what a count is above a number.
    fn set_above(&mut self, word: i32, count: Count, number: i64);
    /// Subtracts 1 from a word, and jumps if less than zero is left.
    fn count_down(&mut self, word: i32, over: Label);
    /// Jumps if a cell compares so.
    fn jump_if(&mut self, cell: Cell, order: Order, bound: Bound, to: Label);
    /// Jumps if a mask holds for no lane.
    fn jump_if_none(&mut self, mask: Value, to: Label);
    /// Jumps if a mask holds for a lane.
    fn jump_if_any(&mut self, mask: Value, to: Label);
    /// The register that holds a cell: its own, or `scratch`.
    fn general(&mut self, cell: Cell, scratch: General) -> General;
    /// Computes the address of a place in the current iterations.
    fn address_to(&mut self, to: General, place: &Place);
    /// Adds to what a register holds a count, so many times; the sum goes to [`ADDRESS`](InstructionSet::ADDRESS).
    fn address_beyond(&mut self, register: General, count: Count, times: i64);
    /// Writes the address of a place in the current iterations to a cell.
    fn address_to_cell(&mut self, cell: Cell, place: &Place);
    /// Asks for memory so many bytes behind an address, which may be any; an instruction set may leave that out.
    fn prefetch(&mut self, _address: Address, _behind: i32) {}
    /// Writes how many iterations are left, and the mask of the lanes that do them, or jumps if there are none.
    fn begin_tail(&mut self, count: Count, index: Cell, tail: Tail, over: Label);

    /// A vector with the mask of the lanes that are active, if not all are; good until the next item but for what copies in it.
    fn active_lanes(&mut self) -> Option<u8>;
    /// A copy of a mask, as [`active_lanes`](InstructionSet::active_lanes) gives one.
    fn mask_aside(&mut self, mask: Value) -> u8;
    fn copy_value(&mut self, from: Value, to: Value);
    /// Copies in the lanes of a mask that [`active_lanes`](InstructionSet::active_lanes) gave.
    fn copy_active(&mut self, from: Source, to: Value, active: u8);
    /// Sets a value aside in the block.
    fn value_to_memory(&mut self, value: Value, to: i32);
    /// Takes a value from where one of its type was set aside.
    fn value_from_memory(&mut self, value: Value, from: i32);
    /// The lanes from `half` on as the first ones.
    fn upper_half(&mut self, lower: Value, upper: Value, half: usize);
    /// The first lane of what was set aside, in all lanes.
    fn first_lane(&mut self, result: Value, from: i32);
}

/// Constants, by their bytes.
#[derive(Default)]
pub(super) struct Pool {
    bytes: Vec<u8>,
    found: BTreeMap<Vec<u8>, i32>,
}

impl Pool {
    pub(super) fn place(&mut self, bytes: Vec<u8>) -> i32 {
        let pool = &mut self.bytes;
        *self.found.entry(bytes).or_insert_with_key(|bytes| {
            pool.resize(pool.len().next_multiple_of(64), 0);
            let place = pool.len() as i32;
            pool.extend_from_slice(bytes);
            // Whoever reads a whole vector here stays inside.
            pool.resize(pool.len().next_multiple_of(64), 0);
            place
        })
    }
}

/// The slot of each parameter: buffers take two, begin and length. The first slot is the pool's, the second the fault's.
pub(super) fn slot_of(params: &[ParamKind], param: Param) -> i32 {
    let before = params[..param.index()].iter().map(|kind| if *kind == ParamKind::Buffer { 2 } else { 1 }).sum::<i32>();
    8 * (2 + before)
}

pub(super) const FAULT: i32 = 8;

/// The vectors that an instruction set offers.
#[derive(Clone, Copy)]
pub(super) struct Offer {
    /// Bytes of one.
    pub(super) bytes: usize,
    /// How many registers values may live in.
    pub(super) vectors: u8,
    /// How many masks may live in registers of their own. None: masks are vectors.
    pub(super) masks: Option<u8>,
    /// Whether constants by which lanes are shifted are part of instructions.
    pub(super) shifts_by_numbers: bool,
}

/// The fewest lanes that are computed at once.
const NARROWEST: usize = 8;

/// How many lanes are computed at once: as many as a vector has of the widest type, at most those of the code, and no more than the longest loop has.
fn width_of(code: &Code, bytes: usize) -> usize {
    let width = (bytes / widest(code, code.body()).unwrap_or(1)).min(code.lanes());
    let longest = longest_lanes(code.body()).map_or(width, |count| count.unsigned_abs().next_power_of_two() as usize);
    width.min(longest.max(NARROWEST))
}

/// How often the longest of the loops over lanes goes round, if that is known of all.
fn longest_lanes(items: &[Item]) -> Option<i64> {
    items.iter().try_fold(0, |longest, item| {
        let Item::Loop(inner) = item else { return Some(longest) };
        let own = match (inner.kind, inner.count) {
            (Kind::Lanes, Count::Param(_)) => return None,
            (Kind::Lanes, Count::Const(count)) => count.max(0),
            (Kind::Serial, _) => 0,
        };
        Some(longest.max(own).max(longest_lanes(&inner.body)?))
    })
}

/// Bytes of the widest type of what items give and read, masks aside: code may have values besides that nothing gives any more.
fn widest(code: &Code, items: &[Item]) -> Option<usize> {
    let of = |item: &Item| {
        let mut size = match item {
            Item::Loop(Loop { body, .. }) | Item::While(While { body, .. }) | Item::Fold(Fold { body, .. }) => widest(code, body),
            _ => None,
        };
        let mut add = |value: Value| size = size.max(Some(code.lane(value)).filter(|lane| *lane != Lane::Mask).map(Lane::size));
        item.result().into_iter().for_each(&mut add);
        item.for_each_operand(add);
        size
    };
    items.iter().filter_map(of).max()
}

/// How vectors are computed side by side in a loop that is [unrolled](is_unrolled): unroll and jam. Chains of items that wait for each other keep the CPU
/// busy so.
#[derive(Clone, Copy, Debug)]
struct SideBySide {
    /// How many: powers of two, as most counts are multiples of these.
    vectors: usize,
    /// How many items are computed of one before the next has its turn.
    turn: usize,
    /// The fewest items of a body that this is for: of shorter ones, the CPU sees several iterations at once.
    fewest_items: usize,
    /// Whether it is for bodies only that take less time so. Where a body has several chains, as of several rows, a CPU sees those itself, and constants
    /// are a better use of registers.
    if_faster: bool,
    /// How often slots may be read and written, for each item of each vector.
    spilled: f32,
}

/// What is tried, the best first: turns of several items need fewer registers, and a little more time. Eight vectors are for single chains, between whose
/// items few values live, as those of polynomials whose steps are rounded to small floats: a dozen cycles each, which four vectors do not fill.
const SIDE_BY_SIDE: [SideBySide; 5] = [
    SideBySide { vectors: 8, turn: 3, fewest_items: 20, if_faster: true, spilled: 0.2 },
    SideBySide { vectors: 4, turn: 1, fewest_items: 0, if_faster: false, spilled: 0.02 },
    SideBySide { vectors: 4, turn: 16, fewest_items: 40, if_faster: true, spilled: 0.35 },
    SideBySide { vectors: 2, turn: 16, fewest_items: 40, if_faster: true, spilled: 0.35 },
    SideBySide { vectors: 2, turn: 1, fewest_items: 0, if_faster: false, spilled: 0.02 },
];
/// The most items that all vectors side by side have, those that few lanes do included: so that code stays small.
const MOST_ITEMS: usize = 2400;

/// The longest body of the loops that are [unrolled](is_unrolled).
#[derive(Clone, Copy)]
struct Longest<'a> {
    body: &'a [Item],
    items: usize,
    /// With those that few lanes do.
    all: usize,
    /// How often items are done, more often in loops.
    weight: f32,
}

fn longest_unrolled(items: &[Item], width: usize, vectors: usize, depth: i32) -> Option<Longest<'_>> {
    let loops = items.iter().filter_map(|item| if let Item::Loop(inner) = item { Some(inner) } else { None });
    let longest = loops.filter_map(|inner| {
        let body = &inner.body;
        if is_unrolled(inner, width, vectors) {
            Some(Longest { body, items: registers::items_in(body), all: count(body), weight: weighted(body, depth + 1) })
        } else {
            longest_unrolled(body, width, vectors, depth + 1)
        }
    });
    longest.max_by_key(|longest| longest.items)
}

/// How many items there are, with those in them.
fn count(items: &[Item]) -> usize {
    let of = |item: &Item| match item {
        Item::While(While { body, .. }) | Item::Loop(Loop { body, .. }) => 1 + count(body),
        _ => 1,
    };
    items.iter().map(of).sum()
}

/// How often items are done that stand in so many loops.
fn weighted(items: &[Item], depth: i32) -> f32 {
    let of = |item: &Item| if let Item::Loop(inner) = item { weighted(&inner.body, depth + 1) } else { registers::weight(depth) };
    items.iter().map(of).sum()
}

/// Emits machine code; `lists`: with the item that each part of it is of.
pub(super) fn emit<'a, M>(code: &'a Code, offer: Offer, machine: M, lists: bool) -> Result<Emitted, AsmError>
where
    Walk<'a, M>: InstructionSet,
{
    let Offer { bytes, vectors, masks, shifts_by_numbers } = offer;
    let width = width_of(code, bytes);
    let parts = code.lanes() / width;
    let registers = |unrolled, turn| Registers { vectors, masks, parts, width, unrolled, turn, shifts_by_numbers };
    let fits = |way: SideBySide| {
        let longest = longest_unrolled(&code.body, width, way.vectors, 0)?;
        let fits = longest.items >= way.fewest_items && way.vectors * longest.all <= MOST_ITEMS;
        let is_worth_it = || !way.if_faster || look_ahead::is_faster(code, longest.body, way.vectors, way.turn);
        let locations = (fits && is_worth_it()).then(|| assign(code, registers(way.vectors, way.turn)))?;
        (locations.spilled <= way.spilled * way.vectors as f32 * longest.weight).then_some((way.vectors, way.turn, locations))
    };
    let found = SIDE_BY_SIDE.into_iter().find_map(fits);
    let (unrolled, turn, locations) = found.unwrap_or_else(|| (1, 1, assign(code, registers(1, 1))));
    let slots = align::<Walk<'a, M>>(slot_of(&code.params, Param(code.params.len() as u32)));
    let areas = slots + Walk::<'a, M>::ROOM * locations.slots as i32;
    let mut walk = Walk {
        code,
        machine,
        vector_bytes: bytes,
        locations,
        width,
        part: 0,
        unrolled,
        turn,
        ahead: 0,
        constants: BTreeMap::new(),
        pool: Pool::default(),
        loops: Vec::new(),
        tail: None,
        slots,
        areas,
        block: areas + Walk::<'a, M>::AREAS,
        free: Walk::<'a, M>::CELLS.to_vec(),
        listed: lists.then(Vec::new),
    };
    walk.begin();
    walk.items(code.body());
    walk.end();
    let (pool, block, listed) = (std::mem::take(&mut walk.pool.bytes), walk.block as usize, walk.listed.take().unwrap_or_default());
    let code = walk.encoder().finish()?;
    let mut items: Vec<_> = listed.into_iter().map(|(position, line)| (code.place(position), line)).collect();
    items.sort_by_key(|(at, _)| *at);
    Ok(Emitted { bytes: code.bytes, pool, block, items })
}

/// The next place in the block where a vector may be kept.
fn align<S: InstructionSet>(place: i32) -> i32 {
    (place + S::ROOM - 1) & !(S::ROOM - 1)
}

impl<M> Walk<'_, M>
where
    Self: InstructionSet,
{
    pub(super) fn items(&mut self, items: &[Item]) {
        items.iter().for_each(|item| self.item(item));
    }

    /// Notes that what is emitted from here on is an item.
    pub(super) fn list(&mut self, item: &Item) {
        let position = self.encoder().position();
        if let Some(listed) = &mut self.listed {
            listed.push((position, self.code.first_line(item)));
        }
    }

    pub(super) fn item(&mut self, item: &Item) {
        self.list(item);
        match item {
            Item::Loop(inner) => self.loop_(inner),
            Item::While(inner) => self.while_(inner),
            Item::Fold(fold) => self.fold(fold),
            item => self.simple(item),
        }
    }

    pub(super) fn label(&mut self) -> Label {
        self.encoder().label()
    }

    /// The label is here.
    pub(super) fn bind(&mut self, label: Label) {
        self.encoder().bind(label);
    }

    pub(super) fn location(&self, value: Value) -> Location {
        self.locations.of(value, self.part)
    }

    /// Where a slot lies in the block.
    pub(super) fn place_of_slot(&self, slot: u32) -> i32 {
        self.slots + Self::ROOM * slot as i32
    }

    /// The bits of a constant.
    pub(super) fn bits(&self, constant: Value) -> u64 {
        self.constants[&constant]
    }

    /// A new word of the block.
    pub(super) fn word(&mut self) -> i32 {
        self.block += 8;
        self.block - 8
    }

    /// New room in the block for so many vectors.
    pub(super) fn room(&mut self, vectors: usize) -> i32 {
        let place = align::<Self>(self.block);
        self.block = place + Self::ROOM * vectors as i32;
        place
    }

    pub(super) fn in_lanes(&self) -> bool {
        self.loops.iter().any(|nest| nest.kind == Kind::Lanes)
    }

    /// A loop around: how its iterations are done, and its index.
    pub(super) fn nest(&self, axis: Axis) -> (Kind, Cell) {
        self.loops.iter().find(|nest| nest.axis == axis).map(|nest| (nest.kind, nest.index)).expect("verified")
    }

    /// The term of the loop over lanes, if there is one around, and the place has one.
    pub(super) fn lanes_term<'p>(&self, place: &'p Place) -> Option<&'p Term> {
        let lanes = self.loops.iter().find(|nest| nest.kind == Kind::Lanes).map(|nest| nest.axis);
        place.terms.iter().find(|term| Some(term.axis) == lanes)
    }

    /// How the lanes of an access to numbers of so many bytes lie.
    pub(super) fn along(&self, place: &Place, size: usize) -> Along {
        match self.lanes_term(place).map(|term| term.stride) {
            None | Some(Count::Const(0)) => Along::Same,
            Some(Count::Const(stride)) if stride == size as i64 => Along::Contiguous,
            Some(stride) => Along::Strided(stride),
        }
    }

    /// The address of a place, for the first lane.
    pub(super) fn address(&mut self, place: &Place) -> Address {
        let (near, cell, offset) = self.known_address(place);
        let register = match cell {
            Some(cell) => self.general(cell, Self::ADDRESS),
            None => {
                self.address_to(Self::ADDRESS, &near);
                Self::ADDRESS
            }
        };
        let ahead = self.ahead as i64;
        match self.lanes_term(place).filter(|_| ahead > 0).map(|term| term.stride) {
            None => Address { register, offset },
            Some(Count::Const(stride)) if let Ok(further) = i16::try_from(stride.saturating_mul(ahead)) => {
                Address { register, offset: offset + i32::from(further) }
            }
            Some(stride) => {
                self.address_beyond(register, stride, ahead);
                Address { register: Self::ADDRESS, offset }
            }
        }
    }

    /// Where the address of a place stands that stands in the loop itself, and how many bytes behind it the place is.
    fn known_address(&self, place: &Place) -> (Place, Option<Cell>, i32) {
        let (near, distance) = without_offset(place);
        let cell = self.loops.last().and_then(|nest| nest.addresses.iter().find(|(p, _)| *p == near)).map(|(_, cell)| *cell);
        (near, cell, distance)
    }
}

/// A place near by, which others may have, too, and how many bytes behind it a place is.
pub(super) fn without_offset(place: &Place) -> (Place, i32) {
    // What else is added fits into the other half of what instructions reach.
    const REACH: u32 = 1 << 30;
    let distance = i32::try_from(place.offset).ok().filter(|offset| offset.unsigned_abs() < REACH).unwrap_or(0);
    let terms = place.terms.iter().map(|term| Term { limit: None, ..*term }).collect();
    (Place { buffer: place.buffer, offset: place.offset - i64::from(distance), terms }, distance)
}
