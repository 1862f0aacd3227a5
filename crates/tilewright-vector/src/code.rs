//! Vector code as data.

use crate::prim::{Lane, Prim};

/// A value: what a primitive, a load or a loop gives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Value(pub(crate) u32);

/// The index of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Axis(pub(crate) u32);

/// Something that is handed in when the code runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Param(pub(crate) u32);

impl Value {
    /// Its place among the values of the code.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl Param {
    /// Its place among the arguments.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a parameter is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ParamKind {
    /// Memory.
    Buffer,
    /// How often a loop runs, or the bytes from one place to the next.
    Count,
    /// A number, the same for all lanes.
    Lane(Lane),
}

/// Whether the lanes hold the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Variability {
    /// All lanes hold the same.
    Uniform,
    /// Each lane of a loop over lanes holds its own.
    Varying,
    /// What each lane has gathered in a loop over lanes that has ended. Only [`Fold`] and loops that go on gathering read it.
    Partial,
}

/// Code for one lane, in loops. Made by a [`Builder`](crate::Builder) or from text, and always valid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Code {
    pub(crate) lanes: u32,
    pub(crate) params: Vec<ParamKind>,
    pub(crate) values: Vec<(Lane, Variability)>,
    pub(crate) axes: u32,
    pub(crate) body: Vec<Item>,
    /// The buffers that are written past the caches.
    pub(crate) streamed: Vec<Param>,
    /// What is fetched meanwhile.
    pub(crate) fetched: Option<Fetched>,
}

/// Memory that is fetched while loops over lanes compute something else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Fetched {
    /// Where it begins.
    pub(crate) from: Param,
    /// How many lines, for [`FETCHED_FOR`] iterations.
    pub(crate) lines: u32,
}

/// Bytes of a line of the caches.
pub(crate) const LINE: u32 = 64;
/// The iterations for which a code says how many lines it fetches.
pub const FETCHED_FOR: usize = 1024;
/// The most lines that it fetches then.
const MOST_FETCHED: u32 = 4096;

impl Code {
    /// Whether one of its primitives is so.
    pub(crate) fn any_prim(&self, is: impl Fn(Prim) -> bool + Copy) -> bool {
        fn any(items: &[Item], is: impl Fn(Prim) -> bool + Copy) -> bool {
            items.iter().any(|item| match item {
                Item::Prim { prim, .. } => is(*prim),
                Item::Loop(Loop { body, .. }) | Item::While(While { body, .. }) | Item::Fold(Fold { body, .. }) => any(body, is),
                _ => false,
            })
        }
        any(&self.body, is)
    }

    /// How many lanes gather what loops over lanes carry: a power of two. Iteration `i` of such a loop belongs to lane `i` modulo this, and [`Fold`]
    /// combines the lanes in a fixed order, so this decides the order of sums, wherever they are computed.
    pub fn lanes(&self) -> usize {
        self.lanes as usize
    }

    /// The same code, but whole vectors of elements side by side that are written to this buffer go past the caches, where the loops around
    /// keep them at multiples of [`STREAMED_ALIGNMENT`](crate::STREAMED_ALIGNMENT). The buffer must begin at one, and distances in it that are
    /// handed in must be some. Nothing else changes, so the text does not show it.
    #[must_use]
    pub fn streaming(mut self, buffer: Param) -> Code {
        self.streamed.push(buffer);
        self
    }

    /// The same code, but while loops over lanes go round, memory is prefetched that is wanted later: `lines` lines of 64 bytes, at most 4,096, for
    /// [`FETCHED_FOR`] iterations, side by side from an address on that is handed in as a further parameter, the last, a count. The address may be any.
    /// What is left of whole vectors fetches nothing. Nothing else changes, so the text does not show it.
    #[must_use]
    pub fn fetching(mut self, lines: u32) -> Code {
        let from = Param(self.params.len() as u32);
        self.params.push(ParamKind::Count);
        self.fetched = Some(Fetched { from, lines: lines.min(MOST_FETCHED) });
        self
    }

    /// The distances that are handed in between places in buffers that are written past the caches, but for those between lanes.
    pub(crate) fn streamed_distances(&self) -> Vec<Param> {
        fn collect(code: &Code, items: &[Item], lanes: Option<Axis>, found: &mut Vec<Param>) {
            for item in items {
                match item {
                    Item::Store { place, .. } if code.streamed.contains(&place.buffer) => {
                        let outer = place.terms.iter().filter(|term| Some(term.axis) != lanes);
                        found.extend(outer.filter_map(|term| if let Count::Param(param) = term.stride { Some(param) } else { None }));
                    }
                    Item::Loop(inner) => {
                        collect(code, &inner.body, if inner.kind == Kind::Lanes { Some(inner.axis) } else { lanes }, found)
                    }
                    _ => {}
                }
            }
        }
        let mut found = Vec::new();
        collect(self, &self.body, None, &mut found);
        found
    }

    /// What is handed in when it runs.
    pub fn params(&self) -> &[ParamKind] {
        &self.params
    }

    /// The type of a value.
    pub fn lane(&self, value: Value) -> Lane {
        self.values[value.index()].0
    }

    /// Whether the lanes of a value hold the same.
    pub fn variability(&self, value: Value) -> Variability {
        self.values[value.index()].1
    }

    /// How many values there are.
    pub fn values(&self) -> usize {
        self.values.len()
    }

    /// What it does, in order.
    pub fn body(&self) -> &[Item] {
        &self.body
    }
}

/// A step of the code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    /// Computes.
    Prim {
        /// What it gives.
        result: Value,
        /// The primitive.
        prim: Prim,
        /// Its operands; those behind its arity repeat the last one.
        operands: [Value; 3],
    },
    /// A number.
    Const {
        /// The number's value, uniform.
        result: Value,
        /// Its bits.
        bits: u64,
    },
    /// A number that is handed in.
    Scalar {
        /// The number, uniform.
        result: Value,
        /// Which one.
        param: Param,
    },
    /// The index of a loop, as `i32` or `i64`, modulo 2 to the power of the width.
    Index {
        /// Varying if the loop is over lanes, else uniform.
        result: Value,
        /// The loop.
        axis: Axis,
    },
    /// Looks up a number in a table.
    Lookup {
        /// The number that the lowest four bits of the index name: `f32`.
        result: Value,
        /// The index: `i32`.
        index: Value,
        /// The bits of the numbers.
        table: Box<[u32; 16]>,
    },
    /// Reads memory.
    Load {
        /// What was read.
        result: Value,
        /// Where.
        place: Place,
        /// The lanes that read; the others get zero.
        mask: Option<Value>,
    },
    /// Writes memory.
    Store {
        /// What is written. If it is uniform and no loop over lanes is around, it is written once.
        value: Value,
        /// Where.
        place: Place,
        /// The lanes that write.
        mask: Option<Value>,
    },
    /// Asks for memory that is read later; what is there does not matter, and nothing else changes.
    Prefetch {
        /// Where, of an element of so many bytes.
        place: Place,
        /// Bytes of an element.
        size: u32,
    },
    /// Reads memory at computed places. A lane whose place is not inside of the buffer gets zero and raises a fault.
    Gather {
        /// What was read.
        result: Value,
        /// The memory.
        buffer: Param,
        /// Bytes from the buffer's begin: `i32` or `i64`.
        offsets: Value,
        /// The lanes that read; the others get zero.
        mask: Option<Value>,
    },
    /// Writes memory at computed places, in the order of the lanes. A lane whose place is not inside of the buffer raises a fault.
    Scatter {
        /// What is written.
        value: Value,
        /// The memory.
        buffer: Param,
        /// Bytes from the buffer's begin: `i32` or `i64`.
        offsets: Value,
        /// The lanes that write.
        mask: Option<Value>,
    },
    /// Repeats.
    Loop(Loop),
    /// Repeats, each lane for itself.
    While(While),
    /// Combines what the lanes have gathered.
    Fold(Fold),
}

/// How the iterations of a loop are done.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// One after the other.
    Serial,
    /// Each by one lane. Iterations must not read in memory what others write, nor write what another item of the body writes, nor, in a loop inside,
    /// what others write: how far each has come then is not defined.
    Lanes,
}

/// A loop from 0 up to a count.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loop {
    /// How its iterations are done.
    pub kind: Kind,
    /// Its index.
    pub axis: Axis,
    /// How often it runs.
    pub count: Count,
    /// What it hands from one iteration to the next, each lane for itself.
    pub carried: Vec<Carried>,
    /// What it does.
    pub body: Vec<Item>,
}

/// A loop of each lane by itself: a lane repeats the body as long as the first of what it carries, a mask, holds. What it carries is what it had
/// when it ended. So one lane may take long, and all wait for it; a rare case costs nothing where no lane has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct While {
    /// The most repetitions: then it ends in any case.
    pub limit: u32,
    /// What it hands from one repetition to the next; the first one says whether there is a next.
    pub carried: Vec<Carried>,
    /// What it does: primitives, look-ups and constants only.
    pub body: Vec<Item>,
}

/// A value that a loop hands from one iteration to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Carried {
    /// What the first iteration gets.
    pub init: Value,
    /// What the iteration got.
    pub arg: Value,
    /// What it hands on.
    pub next: Value,
    /// What the last one handed on; [`Variability::Partial`] if the loop is over lanes.
    pub result: Value,
}

/// Combines partial values of all lanes to one: the upper half of the lanes with the lower, lane by lane, until one is left.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fold {
    /// What is combined.
    pub partials: Vec<Value>,
    /// The values of the lower lanes, in the combiner.
    pub lower: Vec<Value>,
    /// The values of the upper lanes, in the combiner.
    pub upper: Vec<Value>,
    /// The combiner: primitives and constants only.
    pub body: Vec<Item>,
    /// What the combiner gives, for each partial value.
    pub combined: Vec<Value>,
    /// What is left, uniform.
    pub results: Vec<Value>,
}

/// A count of iterations, or a distance in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Count {
    /// Known.
    Const(i64),
    /// Handed in.
    Param(Param),
}

/// One addend of a place: the index of a loop times a distance in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Term {
    /// The loop.
    pub axis: Axis,
    /// Bytes from one iteration to the next; may be negative.
    pub stride: Count,
    /// Iterations from this one on have no place there: they read zero and write nothing.
    pub limit: Option<Count>,
}

/// A place in memory: the begin of a buffer, plus a distance, plus indices of loops times distances.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    /// The memory.
    pub buffer: Param,
    /// Bytes from the buffer's begin.
    pub offset: i64,
    /// At most one for each loop.
    pub terms: Vec<Term>,
}

impl Place {
    /// The place at the begin of a buffer.
    pub fn of(buffer: Param) -> Place {
        Place { buffer, offset: 0, terms: Vec::new() }
    }

    /// The same, with one more term.
    #[must_use]
    pub fn along(mut self, axis: Axis, stride: Count) -> Place {
        self.terms.push(Term { axis, stride, limit: None });
        self
    }

    /// The same, with one more term that ends at an iteration.
    #[must_use]
    pub fn within(mut self, axis: Axis, stride: Count, limit: Count) -> Place {
        self.terms.push(Term { axis, stride, limit: Some(limit) });
        self
    }

    /// The same, further on by some bytes.
    #[must_use]
    pub fn offset_by(mut self, bytes: i64) -> Place {
        self.offset = self.offset.wrapping_add(bytes);
        self
    }
}

impl Item {
    /// The one value that the item gives; none for items that give none or several.
    pub fn result(&self) -> Option<Value> {
        match self {
            Item::Prim { result, .. }
            | Item::Const { result, .. }
            | Item::Scalar { result, .. }
            | Item::Index { result, .. }
            | Item::Lookup { result, .. }
            | Item::Load { result, .. }
            | Item::Gather { result, .. } => Some(*result),
            Item::Store { .. } | Item::Prefetch { .. } | Item::Scatter { .. } | Item::Loop(_) | Item::While(_) | Item::Fold(_) => None,
        }
    }

    /// Calls `f` with each value that the item itself reads; not with those that the body of a loop or combiner reads.
    pub fn for_each_operand(&self, mut f: impl FnMut(Value)) {
        match self {
            Item::Prim { prim, operands, .. } => operands[..prim.arity()].iter().copied().for_each(f),
            Item::Const { .. } | Item::Scalar { .. } | Item::Index { .. } | Item::Prefetch { .. } => {}
            Item::Lookup { index, .. } => f(*index),
            Item::Load { mask, .. } => mask.iter().copied().for_each(f),
            Item::Store { value, mask, .. } => std::iter::once(*value).chain(*mask).for_each(f),
            Item::Gather { offsets, mask, .. } => std::iter::once(*offsets).chain(*mask).for_each(f),
            Item::Scatter { value, offsets, mask, .. } => [*value, *offsets].into_iter().chain(*mask).for_each(f),
            Item::Loop(Loop { carried, .. }) | Item::While(While { carried, .. }) => carried.iter().for_each(|c| f(c.init)),
            Item::Fold(fold) => fold.partials.iter().copied().for_each(f),
        }
    }
}
