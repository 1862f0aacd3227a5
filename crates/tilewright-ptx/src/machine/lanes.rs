//! Registers of a warp: 32 lanes of 64 bits, of which a value takes the lowest.

/// A register of all lanes of a warp.
pub(crate) type Register = [u64; 32];

/// A type that a lane of a register holds.
pub(crate) trait Lane: Copy {
    fn of(bits: u64) -> Self;
    fn bits(self) -> u64;
}

macro_rules! lanes {
    ($($t:ty as $unsigned:ty;)*) => {$(
        impl Lane for $t {
            #[inline(always)]
            fn of(bits: u64) -> $t {
                bits as $t
            }

            #[inline(always)]
            fn bits(self) -> u64 {
                self as $unsigned as u64
            }
        }
    )*};
}
lanes! {
    u8 as u8; u16 as u16; u32 as u32; u64 as u64;
    i8 as u8; i16 as u16; i32 as u32; i64 as u64;
}

impl Lane for f32 {
    #[inline(always)]
    fn of(bits: u64) -> f32 {
        f32::from_bits(bits as u32)
    }

    #[inline(always)]
    fn bits(self) -> u64 {
        self.to_bits().into()
    }
}

impl Lane for f64 {
    #[inline(always)]
    fn of(bits: u64) -> f64 {
        f64::from_bits(bits)
    }

    #[inline(always)]
    fn bits(self) -> u64 {
        self.to_bits()
    }
}

/// The lanes of a mask, lowest first.
pub(crate) fn lanes_of(mask: u32) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        let lane = rest.trailing_zeros();
        rest &= rest.wrapping_sub(1);
        (lane < 32).then_some(lane as usize)
    })
}

/// The registers and predicates of a warp.
#[derive(Clone, Debug)]
pub(crate) struct File {
    pub(crate) registers: Vec<Register>,
    /// A bit for each lane.
    pub(crate) predicates: Vec<u32>,
    pub(crate) carry: u32,
}

impl File {
    #[inline(always)]
    pub(crate) fn get(&self, register: u32) -> &Register {
        &self.registers[register as usize]
    }

    /// Puts what `f` gives for each lane of the mask into a register.
    #[inline(always)]
    pub(crate) fn set(&mut self, register: u32, mask: u32, f: impl Fn(usize) -> u64) {
        let target = &mut self.registers[register as usize];
        if mask == u32::MAX {
            for (lane, value) in target.iter_mut().enumerate() {
                *value = f(lane);
            }
        } else {
            for (lane, value) in target.iter_mut().enumerate() {
                if mask >> lane & 1 == 1 {
                    *value = f(lane);
                }
            }
        }
    }

    #[inline(always)]
    pub(crate) fn map1<A: Lane, R: Lane>(&mut self, [d, a]: [u32; 2], mask: u32, f: impl Fn(A) -> R) {
        let a = *self.get(a);
        self.set(d, mask, |lane| f(A::of(a[lane])).bits());
    }

    #[inline(always)]
    pub(crate) fn map2<A: Lane, B: Lane, R: Lane>(&mut self, [d, a, b]: [u32; 3], mask: u32, f: impl Fn(A, B) -> R) {
        let (a, b) = (*self.get(a), *self.get(b));
        self.set(d, mask, |lane| f(A::of(a[lane]), B::of(b[lane])).bits());
    }

    #[inline(always)]
    pub(crate) fn map3<A: Lane, B: Lane, C: Lane, R: Lane>(&mut self, [d, a, b, c]: [u32; 4], mask: u32, f: impl Fn(A, B, C) -> R) {
        let (a, b, c) = (*self.get(a), *self.get(b), *self.get(c));
        self.set(d, mask, |lane| f(A::of(a[lane]), B::of(b[lane]), C::of(c[lane])).bits());
    }

    /// Puts the lanes of `value` that the mask has into a predicate.
    #[inline(always)]
    pub(crate) fn set_predicate(&mut self, predicate: u32, mask: u32, value: u32) {
        let target = &mut self.predicates[predicate as usize];
        *target = (*target & !mask) | (value & mask);
    }

    /// The lanes for which `f` holds.
    #[inline(always)]
    pub(crate) fn test2<A: Lane>(&self, a: u32, b: u32, f: impl Fn(A, A) -> bool) -> u32 {
        let (a, b) = (self.get(a), self.get(b));
        (0..32).fold(0, |all, lane| all | u32::from(f(A::of(a[lane]), A::of(b[lane]))) << lane)
    }
}
