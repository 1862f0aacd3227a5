//! Vector code between pages that nobody may touch: random programs of every kind of access, whose places, counts, distances, masks and offsets
//! lie. Whatever the arguments are, all executors say the same and touch nothing but their buffers; one that does ends the process.
//!
//! `PROGRAMS=100000 cargo test -p tilewright-vector --test guards` tries more.
#![cfg(unix)]

mod generate;
mod guarded;

use guarded::{Guarded, Side};
use proptest::prelude::*;
use tilewright_vector::{Arg, Axis, Buffer, Builder, Code, Count, Fault, Kind, Lane, Level, Native, Param, ParamKind, Place, Prim, Value};

/// Bytes of the buffers that programs are written for.
const ROOM: usize = 4096;

/// How memory is handed over.
#[derive(Clone, Copy, Debug)]
struct Room {
    bytes: usize,
    side: Side,
}

fn room() -> impl Strategy<Value = Room> {
    let bytes = prop_oneof![3 => Just(ROOM), 2 => 0..=ROOM, 1 => 0..100usize, 1 => Just(0usize)];
    (bytes, prop_oneof![Just(Side::Begin), Just(Side::End)]).prop_map(|(bytes, side)| Room { bytes, side })
}

/// A way to run code.
type Way<'a> = Option<&'a Native>;

fn content(seed: u64, bytes: usize) -> Vec<u8> {
    let mut state = seed | 1;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..bytes.div_ceil(8)).flat_map(|_| random().to_le_bytes()).take(bytes).collect()
}

/// Runs code on fresh memory: what it says, and what it wrote. The last buffer can be written.
fn run(code: &Code, way: Way<'_>, rooms: &[Room], counts: &[i64], seed: u64) -> Result<(Result<(), Fault>, Vec<u8>), TestCaseError> {
    let buffers = code.params().iter().filter(|kind| **kind == ParamKind::Buffer).count();
    let mut memories: Vec<Guarded> =
        rooms.iter().cycle().take(buffers).map(|room| Guarded::new(&content(seed, room.bytes), room.side)).collect();
    let (mut memory, mut counts) = (memories.iter_mut().enumerate(), counts.iter().copied().cycle());
    let args: Vec<Arg<'_>> = code
        .params()
        .iter()
        .map(|kind| match kind {
            ParamKind::Buffer => match memory.next().expect("one for each buffer") {
                (i, memory) if i + 1 == buffers => Arg::Buffer(Buffer::of_mut(memory.bytes())),
                (_, memory) => Arg::Buffer(Buffer::of(memory.bytes())),
            },
            ParamKind::Count => Arg::Count(counts.next().unwrap_or(0)),
            ParamKind::Lane(lane) => Arg::Lane(seed & lane.bits()),
        })
        .collect();
    let verdict = way.map_or_else(|| code.run_portable(&args), |native| native.run(&args));
    drop(args);
    prop_assert!(memories.iter_mut().all(Guarded::is_alone), "memory beside a buffer was written:\n{}", code);
    let written = memories.last_mut().map_or_else(Vec::new, |memory| memory.bytes().to_vec());
    Ok((verdict, written))
}

fn natives(code: &Code) -> Vec<Native> {
    Level::available().iter().map(|level| code.compile(*level).expect("all code has machine code")).collect()
}

/// Choices that a program is made of.
struct Choices<'a>(std::slice::Iter<'a, u8>);

impl Choices<'_> {
    fn below(&mut self, n: usize) -> usize {
        self.0.next().map_or(0, |byte| usize::from(*byte) % n)
    }

    fn one_of<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

/// Numbers that arguments and programs lie with.
const LIES: [i64; 20] = [
    -1,
    i64::MIN,
    i64::MAX,
    i64::MAX - 3,
    1 << 62,
    -(1 << 62),
    1 << 32,
    -(1 << 32),
    (1 << 32) - 4,
    1 << 31,
    -(1 << 31),
    i32::MAX as i64,
    4093,
    4096,
    4097,
    -4096,
    65,
    -65,
    1 << 40,
    i64::MIN / 3,
];

/// A program of loops around accesses at any place, at offsets that are read from memory, under masks.
struct Hostile<'a> {
    choices: Choices<'a>,
    builder: Builder,
    buffers: [Param; 2],
    counts: Vec<Param>,
    axes: Vec<Axis>,
    values: Vec<Value>,
}

impl Hostile<'_> {
    fn program(choices: &[u8]) -> Code {
        let mut choices = Choices(choices.iter());
        let mut builder = Builder::new(choices.one_of(&[16, 32, 64, 8]));
        let from = builder.param(ParamKind::Buffer);
        let counts = (0..4).map(|_| builder.param(ParamKind::Count)).collect();
        let to = builder.param(ParamKind::Buffer);
        let mut program = Hostile { choices, builder, buffers: [from, to], counts, axes: Vec::new(), values: Vec::new() };
        program.nest();
        let [streams, fetches] = [(); 2].map(|()| program.choices.below(4) == 3);
        let lines = program.choices.one_of(&[1, 64, 512, u32::MAX]);
        let code = program.builder.finish().expect("it is valid");
        let code = if streams { code.streaming(to) } else { code };
        // From where a count says.
        if fetches { code.fetching(lines) } else { code }
    }

    fn nest(&mut self) {
        let depth = 1 + self.choices.below(3);
        let zero = self.builder.f32(0.0);
        let carries = self.choices.below(4) == 3;
        for level in 1..=depth {
            let kind = if level == depth { Kind::Lanes } else { Kind::Serial };
            // The third parameter counts iterations, and is never so large that they do not end.
            let count = match self.choices.below(3) {
                0 => Count::Param(self.counts[2]),
                _ => Count::Const(self.choices.one_of(&[16, 1, 5, 33, 0, 70, -1, i64::MIN])),
            };
            let carried = if carries && level == depth { vec![zero] } else { Vec::new() };
            let (axis, args) = self.builder.open(kind, count, &carried);
            self.axes.push(axis);
            self.values.extend(args);
        }
        for _ in 0..1 + self.choices.below(5) {
            self.access();
        }
        if carries {
            let next = self.value(Lane::F32);
            let partial = self.builder.close(&[next]);
            self.builder.fold(&partial, |b, lower, upper| vec![b.prim(Prim::FAdd, &[lower[0], upper[0]])]);
        }
        for _ in usize::from(carries)..depth {
            self.builder.close(&[]);
        }
    }

    /// A number that fits, or one that lies.
    fn distance(&mut self, size: i64) -> Count {
        match self.choices.below(8) {
            0 => Count::Param(self.counts[0]),
            1 => Count::Param(self.counts[1]),
            2 => Count::Const(self.choices.one_of(&LIES)),
            3 => Count::Const(self.choices.one_of(&[0, 2 * size, 3 * size, -size, 64, size + 1])),
            _ => Count::Const(size),
        }
    }

    fn place(&mut self, buffer: Param, size: i64) -> Place {
        let offset = match self.choices.below(6) {
            0 => self.choices.one_of(&LIES),
            1 => ROOM as i64 - 16 * size,
            2 => 300,
            _ => 0,
        };
        let mut place = Place::of(buffer).offset_by(offset);
        for axis in self.axes.clone() {
            let stride = self.distance(size);
            place = match self.choices.below(6) {
                0 => {
                    let limit = if self.choices.below(2) == 0 {
                        Count::Param(self.counts[3])
                    } else {
                        Count::Const(self.choices.one_of(&[7, 0, -3, 16]))
                    };
                    place.within(axis, stride, limit)
                }
                1 => place,
                _ => place.along(axis, stride),
            };
        }
        place
    }

    fn lane(&mut self) -> Lane {
        self.choices.one_of(&[Lane::F32, Lane::I32, Lane::I64, Lane::F64, Lane::I16, Lane::I8, Lane::Mask])
    }

    /// A value of a type that was read, or a number.
    fn value(&mut self, lane: Lane) -> Value {
        let fits: Vec<Value> = self.values.iter().copied().filter(|value| self.builder.lane(*value) == lane).collect();
        if fits.is_empty() {
            self.builder.constant(lane, 0x5a5a_5a5a_5a5a_5a5a & lane.bits())
        } else {
            fits[self.choices.below(fits.len())]
        }
    }

    fn mask(&mut self) -> Option<Value> {
        (self.choices.below(3) == 0).then(|| match self.choices.below(2) {
            0 => self.value(Lane::Mask),
            _ => {
                let axis = *self.axes.last().expect("in a loop");
                let (index, end) = (self.builder.index(axis, Lane::I32), self.builder.constant(Lane::I32, 5));
                self.builder.prim(Prim::LtS, &[index, end])
            }
        })
    }

    /// Bytes from a buffer's begin: an index times anything, or anything that was read.
    fn offsets(&mut self) -> Value {
        let lane = self.choices.one_of(&[Lane::I32, Lane::I64]);
        let axis = *self.axes.last().expect("in a loop");
        let by = match self.choices.below(5) {
            0 => return self.value(lane),
            1 => self.choices.one_of(&LIES),
            2 => 64,
            _ => 4,
        };
        let (index, by) = (self.builder.index(axis, lane), self.builder.constant(lane, by as u64 & lane.bits()));
        let product = self.builder.prim(Prim::Mul, &[index, by]);
        let first = self.choices.one_of(&[0, 0, -1, 4090, i64::MAX, i64::MIN, 1 << 31]);
        let first = self.builder.constant(lane, first as u64 & lane.bits());
        self.builder.prim(Prim::Add, &[product, first])
    }

    fn access(&mut self) {
        let lane = self.lane();
        let [from, to] = self.buffers;
        match self.choices.below(7) {
            0..=2 => {
                let (place, mask) = (self.place(from, lane.size() as i64), self.mask());
                let value = self.builder.load(lane, place, mask);
                self.values.push(value);
            }
            3 | 4 => {
                let (value, place, mask) = (self.value(lane), self.place(to, lane.size() as i64), self.mask());
                self.builder.store(value, place, mask);
            }
            5 => {
                let (offsets, mask) = (self.offsets(), self.mask());
                let value = self.builder.gather(lane, from, offsets, mask);
                self.values.push(value);
            }
            _ => {
                let (value, offsets, mask) = (self.value(lane), self.offsets(), self.mask());
                self.builder.scatter(value, to, offsets, mask);
            }
        }
    }
}

/// Counts and distances that are handed in: two distances, how often loops run, and where places end.
fn lies() -> impl Strategy<Value = Vec<i64>> {
    let distance =
        || prop_oneof![3 => prop::sample::select(vec![4i64, 8, 1, 2, 0, 64]), 1 => prop::sample::select(LIES.to_vec()), 1 => any::<i64>()];
    let times = prop_oneof![4 => 0..70i64, 1 => Just(-1i64), 1 => Just(i64::MIN)];
    let limit = prop_oneof![2 => 0..70i64, 1 => any::<i64>()];
    (distance(), distance(), times, limit).prop_map(|(a, b, c, d)| vec![a, b, c, d])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), max_shrink_iters: 5_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Programs that were written for larger buffers, and for other counts.
    #[test]
    fn programs_stay_inside_of_buffers_that_are_too_short(
        choices in prop::collection::vec(any::<u8>(), 0..400),
        rooms in prop::collection::vec(room(), 3),
        others in prop::option::of(prop::collection::vec(prop_oneof![4 => 0..64i64, 1 => Just(-1i64), 1 => Just(i64::MIN)], 1..3)),
        seed in any::<u64>(),
    ) {
        let program = generate::program(&choices);
        // Items that keep out of each other's way may not do so with other counts, and then what is written depends on how many lanes are computed at once.
        let compares = others.is_none();
        let counts = others.unwrap_or(program.counts);
        for code in [program.code, program.simplified] {
            let expected = run(&code, None, &rooms, &counts, seed)?;
            for native in natives(&code) {
                let found = run(&code, Some(&native), &rooms, &counts, seed)?;
                let same = found.0 == expected.0 && (!compares || found.1 == expected.1);
                prop_assert!(same, "{:?}: {:?}, expected {:?}\n{}", native.level(), found.0, expected.0, code);
            }
        }
    }

    /// Programs that are written to reach outside.
    #[test]
    fn programs_that_lie_stay_inside(
        choices in prop::collection::vec(any::<u8>(), 0..150),
        rooms in prop::collection::vec(room(), 2),
        counts in lies(),
        seed in any::<u64>(),
    ) {
        let code = Hostile::program(&choices);
        // What items write that others of the program write, too, depends on how many lanes are computed at once.
        let (expected, _) = run(&code, None, &rooms, &counts, seed)?;
        for native in natives(&code) {
            let (found, _) = run(&code, Some(&native), &rooms, &counts, seed)?;
            // What goes past the caches has to begin with lines, besides.
            let is_misplaced = matches!(found, Err(Fault::Argument { .. }));
            prop_assert!(found == expected || is_misplaced, "{:?}: {:?}, expected {:?}\n{}", native.level(), found, expected, code);
        }
    }
}

/// `PROGRAMS` programs, or a few.
fn cases() -> u32 {
    std::env::var("PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(1000)
}
