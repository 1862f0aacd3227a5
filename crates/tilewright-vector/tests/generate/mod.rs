//! Random vector code from bytes: each byte is a choice, and behind the last one every choice is the first.

use tilewright_vector::{Axis, Builder, Code, Count, Kind, Lane, Param, ParamKind, Place, Prim, Value};

/// Code, and the counts that it is run with.
pub(crate) struct Program {
    /// As it was built.
    pub(crate) code: Code,
    pub(crate) simplified: Code,
    pub(crate) counts: Vec<i64>,
}

pub(crate) fn program(choices: &[u8]) -> Program {
    let mut generator = Generator::new(choices);
    generator.whole();
    let code = generator.builder.clone().finish_as_built().expect("what is generated is valid");
    let simplified = generator.builder.finish().expect("what is generated is valid");
    Program { code, simplified, counts: generator.counts }
}

const LANES: [Lane; 7] = [Lane::F32, Lane::I32, Lane::I64, Lane::F64, Lane::I16, Lane::I8, Lane::Mask];

struct Generator<'a> {
    choices: std::slice::Iter<'a, u8>,
    builder: Builder,
    inputs: Vec<Param>,
    output: Param,
    /// Values that may be read here.
    values: Vec<Value>,
    /// Each with its count, and whether it is over lanes.
    loops: Vec<(Axis, i64, bool)>,
    counts: Vec<i64>,
    count_params: Vec<(Param, i64)>,
    /// Types that are used.
    lanes: usize,
    /// Bytes of the output that are taken.
    taken: i64,
    in_lanes: bool,
    computes_only: bool,
}

impl<'a> Generator<'a> {
    fn new(choices: &'a [u8]) -> Self {
        let mut choices = choices.iter();
        let mut first = |n: u8| choices.next().map_or(0, |byte| byte % n);
        let lanes = [16, 32, 64, 8, 128][usize::from(first(5))];
        let types = 1 + usize::from(first(7));
        let counted = first(3);
        let counts: Vec<i64> = (0..counted).map(|_| i64::from(first(50))).collect();
        let mut builder = Builder::new(lanes);
        let inputs = vec![builder.param(ParamKind::Buffer), builder.param(ParamKind::Buffer)];
        let scalar = builder.param(ParamKind::Lane(Lane::F32));
        let count_params = counts.iter().map(|n| (builder.param(ParamKind::Count), *n)).collect();
        let output = builder.param(ParamKind::Buffer);
        let values = vec![builder.scalar(scalar)];
        Generator {
            choices,
            builder,
            inputs,
            output,
            values,
            loops: Vec::new(),
            counts,
            count_params,
            lanes: types,
            taken: 0,
            in_lanes: false,
            computes_only: false,
        }
    }

    fn below(&mut self, n: usize) -> usize {
        self.choices.next().map_or(0, |byte| usize::from(*byte) % n)
    }

    fn lane(&mut self) -> Lane {
        LANES[self.below(self.lanes)]
    }

    fn whole(&mut self) {
        for _ in 0..=self.below(3) {
            self.items(0);
        }
    }

    fn items(&mut self, depth: usize) {
        for _ in 0..1 + self.below(6) {
            match self.below(13) {
                0..=4 => self.compute(),
                5 | 6 => {
                    let lane = self.lane();
                    let value = self.load(lane);
                    self.values.push(value);
                }
                7 if !self.loops.is_empty() => self.index(),
                8 if depth < 3 => self.nest(depth),
                9 => self.gather(),
                10 => self.scatter(),
                11 => self.repeat(),
                _ => self.store_any(),
            }
        }
        // Long bodies are computed in turns of several vectors.
        if self.below(6) == 5 {
            (0..30).for_each(|_| self.compute());
        }
        self.store_any();
    }

    /// A count that is known or handed in, and what it is.
    fn count(&mut self, known: &[i64]) -> (Count, i64) {
        if !self.count_params.is_empty() && self.below(3) == 2 {
            let which = self.below(self.count_params.len());
            let (param, n) = self.count_params[which];
            return (Count::Param(param), n);
        }
        let n = known[self.below(known.len())];
        (Count::Const(n), n)
    }

    /// A loop, with what it carries.
    fn nest(&mut self, depth: usize) {
        let lanes = !self.in_lanes && self.below(3) != 2;
        let kind = if lanes { Kind::Lanes } else { Kind::Serial };
        let (count, n) = if lanes { self.count(&[16, 32, 1, 17, 40, 64, 3, 0]) } else { self.count(&[2, 1, 3, 0]) };
        let outside = self.values.len();
        let carried: Vec<Value> =
            (0..self.below(4)).map(|_| self.lane()).collect::<Vec<_>>().into_iter().map(|lane| self.operand(lane)).collect();
        let (axis, args) = self.builder.open(kind, count, &carried);
        self.loops.push((axis, n, lanes));
        let was = self.in_lanes;
        self.in_lanes |= lanes;
        self.values.extend(&args);
        self.items(depth + 1);
        let nexts: Vec<Value> = args
            .iter()
            .map(|arg| {
                let lane = self.builder.lane(*arg);
                let value = self.operand(lane);
                if self.below(2) == 0 { self.combine(*arg, value) } else { value }
            })
            .collect();
        // What a serial loop outside of lanes hands on has to be uniform, and is: nothing varies there.
        let results = self.builder.close(&nexts);
        self.loops.pop();
        self.in_lanes = was;
        self.values.truncate(outside);
        if lanes && !results.is_empty() {
            let folded = self.fold(&results);
            self.values.extend(folded);
        } else {
            self.values.extend(results);
        }
    }

    /// A loop of each lane by itself.
    fn repeat(&mut self) {
        let lanes: Vec<Lane> = std::iter::once(Lane::Mask).chain((0..self.below(3)).map(|_| self.lane())).collect();
        let inits: Vec<Value> = lanes.iter().map(|lane| self.operand(*lane)).collect();
        let args = self.builder.open_while(&inits);
        // What is computed inside is seen only there, and nothing is read from memory.
        let outside = self.values.len();
        self.values.extend(&args);
        self.computes_only = true;
        (0..1 + self.below(4)).for_each(|_| self.compute());
        let nexts: Vec<Value> = lanes.iter().map(|lane| self.operand(*lane)).collect();
        self.computes_only = false;
        let limit = [3, 1, 0, 7][self.below(4)];
        let results = self.builder.close_while(limit, &nexts);
        self.values.truncate(outside);
        self.values.extend(results);
    }

    fn fold(&mut self, partials: &[Value]) -> Vec<Value> {
        let choice = self.below(8);
        self.builder.fold(partials, |builder, lower, upper| {
            // What is handed on as it came, or combined with what belongs to another partial value, must be there until all have been combined.
            let other = |i: usize| {
                let is_alike = |other: &usize| *other != i && builder.lane(lower[*other]) == builder.lane(lower[i]);
                (0..lower.len()).find(is_alike).unwrap_or(i)
            };
            let others: Vec<usize> = (0..lower.len()).map(other).collect();
            let pairs = lower.iter().zip(upper).zip(others);
            pairs
                .map(|((a, b), other)| {
                    let (a, b, choice) = match choice {
                        6 => return *b,
                        7 => return lower[other],
                        4.. => (&lower[other], b, choice - 4),
                        _ => (a, b, choice),
                    };
                    let prims = match builder.lane(*a) {
                        Lane::Mask => [Prim::MXor, Prim::MAnd, Prim::MOr, Prim::MXor],
                        Lane::F32 | Lane::F64 => [Prim::FAdd, Prim::FMul, Prim::MaxNum, Prim::FMax],
                        _ => [Prim::Add, Prim::Sub, Prim::MinS, Prim::Xor],
                    };
                    builder.prim(prims[choice], &[*a, *b])
                })
                .collect()
        })
    }

    fn combine(&mut self, a: Value, b: Value) -> Value {
        let prim = match self.builder.lane(a) {
            Lane::Mask => Prim::MXor,
            Lane::F32 | Lane::F64 => Prim::FAdd,
            _ => Prim::Add,
        };
        self.builder.prim(prim, &[a, b])
    }

    /// A value of a type: one that is there, a constant, or one that is read.
    fn operand(&mut self, lane: Lane) -> Value {
        let fits: Vec<Value> = self.values.iter().copied().filter(|v| self.builder.lane(*v) == lane).collect();
        match self.below(6) {
            0..=3 if !fits.is_empty() => fits[fits.len() - 1 - self.below(fits.len())],
            4 if !self.computes_only => self.load(lane),
            _ => {
                let bits = match lane {
                    Lane::F32 => [1.5f32, 0.0, -0.0, 3e38, -7.25, 1e-40][self.below(6)].to_bits().into(),
                    Lane::F64 => [1.5f64, 0.0, -0.0, 1e300, -7.25, 5e-324][self.below(6)].to_bits(),
                    _ => [1u64, 0, u64::MAX, 5, 0x8000_0000_0000_0000, 0x8080_8080_8080_8080, 0x7f, 33][self.below(8)] & lane.bits(),
                };
                self.builder.constant(lane, bits)
            }
        }
    }

    fn compute(&mut self) {
        let lane = self.lane();
        if lane == Lane::I32 && self.below(8) == 7 {
            let index = self.operand(lane);
            let value = self.builder.lookup(index, &std::array::from_fn(|i| (i as f32 * 1.25 - 3.0).to_bits()));
            return self.values.push(value);
        }
        let fits: Vec<Prim> = Prim::ALL.iter().copied().filter(|prim| prim.takes(lane)).collect();
        let prim = fits[self.below(fits.len())];
        let mut operands: Vec<Value> = (0..prim.arity()).map(|n| self.operand(prim.operand(lane, n))).collect();
        match prim {
            Prim::Bits32 | Prim::Bits64 => operands[0] = self.one_nan(operands[0]),
            // Which NaN of 16 bits comes out is not defined either.
            Prim::RoundF16 => {
                let zero = self.builder.constant(Lane::F32, 0);
                let number = self.builder.prim(Prim::FEq, &[operands[0], operands[0]]);
                operands[0] = self.builder.prim(Prim::Select, &[number, operands[0], zero]);
            }
            Prim::Scale => operands = self.of_scale(operands),
            Prim::FmaF16 => operands.iter_mut().for_each(|x| *x = self.of_f16(*x)),
            Prim::FmaBf16 => operands.iter_mut().for_each(|x| *x = self.of_bf16(*x)),
            _ => {}
        }
        let mut value = self.builder.prim(prim, &operands);
        if matches!(prim, Prim::HalfAdd | Prim::HalfSub | Prim::HalfMul | Prim::HalfFma) {
            let number = self.builder.prim(Prim::HalfEq, &[value, value]);
            let nan = self.builder.constant(Lane::I16, 0x7fff);
            value = self.builder.prim(Prim::Select, &[number, value, nan]);
        }
        self.values.push(value);
    }

    /// A number from 1 to 2, and an exponent that numbers of `f32` may have.
    fn of_scale(&mut self, operands: Vec<Value>) -> Vec<Value> {
        let exponent = self.with_constant(operands[1], Prim::FMax, (-168f32).to_bits());
        let exponent = self.with_constant(exponent, Prim::FMin, 130f32.to_bits());
        let number = self.one_nan(operands[0]);
        let bits = self.builder.prim(Prim::Bits32, &[number]);
        let bits = self.with_constant(bits, Prim::And, 0x7f_ffff);
        let bits = self.with_constant(bits, Prim::Or, 1f32.to_bits());
        vec![self.builder.prim(Prim::Float32, &[bits]), exponent]
    }

    fn with_constant(&mut self, value: Value, prim: Prim, bits: u32) -> Value {
        let constant = self.builder.constant(self.builder.lane(value), bits.into());
        self.builder.prim(prim, &[value, constant])
    }

    /// A number of binary16.
    fn of_f16(&mut self, value: Value) -> Value {
        let bits = self.builder.prim(Prim::RoundF16, &[value]);
        self.builder.prim(Prim::WidenF16, &[bits])
    }

    /// A number of bfloat16.
    fn of_bf16(&mut self, value: Value) -> Value {
        let mask = self.builder.constant(Lane::I32, 0xffff_0000);
        let bits = self.builder.prim(Prim::Bits32, &[value]);
        let bits = self.builder.prim(Prim::And, &[bits, mask]);
        self.builder.prim(Prim::Float32, &[bits])
    }

    /// The same number; one NaN for all, as only that it is one is defined.
    fn one_nan(&mut self, value: Value) -> Value {
        let lane = self.builder.lane(value);
        let nan = match lane {
            Lane::F32 => self.builder.constant(lane, f32::NAN.to_bits().into()),
            Lane::F64 => self.builder.constant(lane, f64::NAN.to_bits()),
            _ => return value,
        };
        let number = self.builder.prim(Prim::FEq, &[value, value]);
        self.builder.prim(Prim::Select, &[number, value, nan])
    }

    fn mask(&mut self) -> Option<Value> {
        if self.below(4) == 3 { Some(self.operand(Lane::Mask)) } else { None }
    }

    /// Whether lanes may not write what others write: in a loop inside of theirs.
    fn races(&self) -> bool {
        self.in_lanes && self.loops.last().is_some_and(|(.., lanes)| !lanes)
    }

    /// A place in `room` bytes from `begin` on, that all loops have one in, and the bytes up to its last.
    fn place(&mut self, buffer: Param, begin: i64, room: i64, size: i64, apart: bool) -> Option<(Place, i64)> {
        let mut place = Place::of(buffer).offset_by(begin);
        let mut reach = size;
        for (axis, n, lanes) in self.loops.clone().into_iter().rev() {
            let packed = reach;
            let strides = if reach == size { [size, 0, 2 * size, size + 1] } else { [packed, packed + 3, packed, packed] };
            let stride = match strides[self.below(4)] {
                0 if lanes && apart => size,
                stride => stride,
            };
            reach += stride * (n - 1).max(0);
            place = match self.below(5) {
                4 => {
                    let (limit, _) = self.count(&[1, 5, 16, 30, 0]);
                    place.within(axis, Count::Const(stride), limit)
                }
                _ => place.along(axis, Count::Const(stride)),
            };
        }
        (reach <= room).then_some((place, reach))
    }

    fn load(&mut self, lane: Lane) -> Value {
        let which = self.below(2);
        let input = self.inputs[which];
        let begin = self.below(64) as i64;
        match self.place(input, begin, 4096 - begin, lane.size() as i64, false) {
            Some((place, _)) => {
                if self.below(8) == 7 {
                    // What is fetched may lie anywhere.
                    let further = 1 << self.below(40);
                    self.builder.prefetch(place.clone().offset_by(further), lane.size() as u32);
                }
                let mask = self.mask();
                self.builder.load(lane, place, mask)
            }
            None => self.builder.constant(lane, 0),
        }
    }

    fn index(&mut self) {
        let which = self.below(self.loops.len());
        let (axis, ..) = self.loops[which];
        let lane = if self.lanes > 2 && self.below(2) == 1 { Lane::I64 } else { Lane::I32 };
        let value = self.builder.index(axis, lane);
        self.values.push(value);
    }

    fn store_any(&mut self) {
        let Some(value) = self.values.len().checked_sub(1).map(|last| last - self.below(self.values.len())).map(|i| self.values[i]) else {
            return;
        };
        let value = self.one_nan(value);
        let size = self.builder.lane(value).size() as i64;
        let apart = self.races();
        if let Some((place, reach)) = self.place(self.output, self.taken, 4096 - self.taken, size, apart) {
            self.taken += reach;
            let mask = self.mask();
            self.builder.store(value, place, mask);
        }
    }

    /// Offsets, most of them inside.
    fn offsets(&mut self) -> Value {
        let lane = if self.lanes < 3 || self.below(2) == 1 { Lane::I32 } else { Lane::I64 };
        let index = match self.loops.last() {
            Some((axis, ..)) => self.builder.index(*axis, lane),
            None => self.builder.constant(lane, 3),
        };
        let stride = [4u64, 8, 1, 7, 200, u64::MAX][self.below(6)];
        let stride = self.builder.constant(lane, stride & lane.bits());
        self.builder.prim(Prim::Mul, &[index, stride])
    }

    fn gather(&mut self) {
        if self.lanes < 2 {
            return;
        }
        let (lane, offsets) = (self.lane(), self.offsets());
        let mask = self.mask();
        let value = self.builder.gather(lane, self.inputs[0], offsets, mask);
        self.values.push(value);
    }

    fn scatter(&mut self) {
        if self.lanes < 2 || self.taken > 0 || self.races() {
            return;
        }
        let lane = self.lane();
        let value = self.operand(lane);
        let value = self.one_nan(value);
        let offsets = self.offsets();
        let mask = self.mask();
        self.builder.scatter(value, self.output, offsets, mask);
        // What else is written lies behind all of it.
        self.taken = 4096;
    }
}
