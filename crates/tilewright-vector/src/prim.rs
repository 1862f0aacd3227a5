//! The primitives: what can be done to the numbers of one lane.
//!
//! A primitive is a total function from bits to bits; [`Prim::evaluate`] is its definition. Nothing here knows of vectors, memory or
//! a CPU: whatever carries out vector code has to give these bits.

mod evaluate;

use std::fmt;

/// The type of what a lane holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Lane {
    /// True or false.
    Mask,
    /// 8 bits.
    I8,
    /// 16 bits. Floats of 16 bits are held so; [`Prim::WidenF16`] and [`Prim::RoundF16`] convert them, and [`Prim::HalfAdd`] and the like compute with
    /// those of binary16.
    I16,
    /// 32 bits.
    I32,
    /// 64 bits.
    I64,
    /// A binary32 number.
    F32,
    /// A binary64 number.
    F64,
}

impl Lane {
    /// All types.
    pub const ALL: [Lane; 7] = [Lane::Mask, Lane::I8, Lane::I16, Lane::I32, Lane::I64, Lane::F32, Lane::F64];

    /// The name in text.
    pub const fn name(self) -> &'static str {
        match self {
            Lane::Mask => "mask",
            Lane::I8 => "i8",
            Lane::I16 => "i16",
            Lane::I32 => "i32",
            Lane::I64 => "i64",
            Lane::F32 => "f32",
            Lane::F64 => "f64",
        }
    }

    /// Bytes in memory; a mask is a byte of 0 or 1 there.
    pub const fn size(self) -> usize {
        match self {
            Lane::Mask | Lane::I8 => 1,
            Lane::I16 => 2,
            Lane::I32 | Lane::F32 => 4,
            Lane::I64 | Lane::F64 => 8,
        }
    }

    /// The bits that a lane of this type may have set.
    pub const fn bits(self) -> u64 {
        match self {
            Lane::Mask => 1,
            Lane::I8 => 0xff,
            Lane::I16 => 0xffff,
            Lane::I32 | Lane::F32 => 0xffff_ffff,
            Lane::I64 | Lane::F64 => u64::MAX,
        }
    }

    /// Whether it is an integer.
    pub const fn is_int(self) -> bool {
        matches!(self, Lane::I8 | Lane::I16 | Lane::I32 | Lane::I64)
    }

    /// Whether it is a float.
    pub const fn is_float(self) -> bool {
        matches!(self, Lane::F32 | Lane::F64)
    }
}

impl fmt::Display for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Which types the operands and the result of a primitive have, given the type `T` that stands behind its name in text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Signature {
    /// `n` integers `T` to `T`.
    Ints(usize),
    /// `n` floats `T` to `T`.
    Floats(usize),
    /// `n` numbers of `f32` to one.
    Singles(usize),
    /// `n` numbers of binary16, as integers of 16 bits, to one.
    Halves(usize),
    /// `n` integers of 64 bits to one.
    Longs(usize),
    /// `n` masks to a mask; `T` is `mask`.
    Masks(usize),
    /// Two integers `T` to a mask.
    CompareInts,
    /// Two floats `T` to a mask.
    CompareFloats,
    /// Two numbers of binary16, as integers of 16 bits, to a mask.
    CompareHalves,
    /// A mask and two values of any type `T` to `T`.
    Select,
    /// One value of the first type to the second; `T` is the first.
    Convert(Lane, Lane),
}

/// Declares the primitives: the one table of their names, signatures and descriptions.
macro_rules! primitives {
    ($($variant:ident $name:literal $signature:expr, $doc:literal;)*) => {
        /// A primitive.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum Prim {
            $(#[doc = $doc] $variant,)*
        }

        impl Prim {
            /// All primitives.
            pub const ALL: &[Prim] = &[$(Prim::$variant),*];

            /// The name in text.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Prim::$variant => $name,)*
                }
            }

            const fn signature(self) -> Signature {
                use Signature::*;
                match self {
                    $(Prim::$variant => $signature,)*
                }
            }
        }
    };
}

primitives! {
    Add "add" Ints(2), "The sum, modulo 2 to the power of the width.";
    Sub "sub" Ints(2), "The difference, modulo 2 to the power of the width.";
    Mul "mul" Ints(2), "The lower half of the product.";
    MulHighS "mulhs" Ints(2), "The upper half of the product of signed integers.";
    MulHighU "mulhu" Ints(2), "The upper half of the product of unsigned integers.";
    MulLowU "mullu" Longs(2), "The product of the lower halves, which are unsigned.";
    And "and" Ints(2), "Bits set in both.";
    Or "or" Ints(2), "Bits set in one or both.";
    Xor "xor" Ints(2), "Bits set in one.";
    Shl "shl" Ints(2), "The first, shifted left by the second, unsigned; zero if that is the width or more.";
    ShrU "shru" Ints(2), "The first, shifted right by the second, unsigned, zeros moving in; zero if that is the width or more.";
    ShrS "shrs" Ints(2), "The first, shifted right by the second, unsigned, copies of the sign moving in.";
    MinS "mins" Ints(2), "The smaller signed integer.";
    MaxS "maxs" Ints(2), "The larger signed integer.";
    MinU "minu" Ints(2), "The smaller unsigned integer.";
    MaxU "maxu" Ints(2), "The larger unsigned integer.";
    DivS "divs" Ints(2), "The quotient of signed integers toward zero; -1 if the divisor is zero, the first if the divisor is -1 and it is the least.";
    DivU "divu" Ints(2), "The quotient of unsigned integers; all bits set if the divisor is zero.";
    Eq "eq" CompareInts, "Whether the bits are equal.";
    LtS "lts" CompareInts, "Whether the first is below the second, both signed.";
    LtU "ltu" CompareInts, "Whether the first is below the second, both unsigned.";
    FAdd "fadd" Floats(2), "The sum, rounded to nearest even.";
    FSub "fsub" Floats(2), "The difference, rounded to nearest even.";
    FMul "fmul" Floats(2), "The product, rounded to nearest even.";
    FDiv "fdiv" Floats(2), "The quotient, rounded to nearest even.";
    Fma "fma" Floats(3), "The first times the second plus the third, rounded once to nearest even.";
    FmaOdd "fmaodd" Singles(3), "The first times the second plus the third; if that is between two numbers, the one whose last bit is set.";
    FmaF16 "fmaf16" Singles(3), "Of numbers that binary16 has: the first times the second plus the third, rounded once to binary16. Of others not defined.";
    FmaBf16 "fmabf16" Singles(3), "Of numbers that bfloat16 has: the first times the second plus the third, rounded once to bfloat16. Of others not defined.";
    Scale "scale" Singles(2), "The first, from 1 to 2, times 2 to the power of the second, from -168 to 130, rounded down. Of others not defined.";
    Sqrt "sqrt" Floats(1), "The square root, rounded to nearest even.";
    FMin "fmin" Floats(2), "The first if it is below the second, else the second; so of NaN and of zeros the second.";
    FMax "fmax" Floats(2), "The first if it is above the second, else the second; so of NaN and of zeros the second.";
    MinNum "minnum" Floats(2), "The smaller number, -0 below +0; of NaN and a number the number; of two NaN one that does not signal.";
    MaxNum "maxnum" Floats(2), "The larger number, +0 above -0; of NaN and a number the number; of two NaN one that does not signal.";
    Floor "floor" Floats(1), "The next integer downwards.";
    Ceil "ceil" Floats(1), "The next integer upwards.";
    Trunc "ftrunc" Floats(1), "The next integer toward zero.";
    Round "fround" Floats(1), "The nearest integer, the even one of two.";
    FEq "feq" CompareFloats, "Whether the numbers are equal; false for NaN.";
    FLt "flt" CompareFloats, "Whether the first is below the second; false for NaN.";
    FLe "fle" CompareFloats, "Whether the first is below the second or equal; false for NaN.";
    HalfAdd "hadd" Halves(2), "The sum of two numbers of binary16, rounded to nearest even.";
    HalfSub "hsub" Halves(2), "The difference of two numbers of binary16, rounded to nearest even.";
    HalfMul "hmul" Halves(2), "The product of two numbers of binary16, rounded to nearest even.";
    HalfFma "hfma" Halves(3), "Of numbers of binary16: the first times the second plus the third, rounded once to nearest even.";
    HalfMin "hmin" Halves(2), "The first number of binary16 if it is below the second, else the second.";
    HalfMax "hmax" Halves(2), "The first number of binary16 if it is above the second, else the second.";
    HalfEq "heq" CompareHalves, "Whether two numbers of binary16 are equal; false for NaN.";
    HalfLt "hlt" CompareHalves, "Whether the first number of binary16 is below the second; false for NaN.";
    HalfLe "hle" CompareHalves, "Whether the first number of binary16 is below the second or equal; false for NaN.";
    MAnd "mand" Masks(2), "Whether both are true.";
    MOr "mor" Masks(2), "Whether one or both are true.";
    MXor "mxor" Masks(2), "Whether one is true.";
    MNot "mnot" Masks(1), "Whether it is false.";
    Select "select" Select, "The second if the mask is true, else the third.";
    S8To16 "s8to16" Convert(Lane::I8, Lane::I16), "The same signed integer.";
    S8To32 "s8to32" Convert(Lane::I8, Lane::I32), "The same signed integer.";
    S16To32 "s16to32" Convert(Lane::I16, Lane::I32), "The same signed integer.";
    S32To64 "s32to64" Convert(Lane::I32, Lane::I64), "The same signed integer.";
    U8To16 "u8to16" Convert(Lane::I8, Lane::I16), "The same unsigned integer.";
    U8To32 "u8to32" Convert(Lane::I8, Lane::I32), "The same unsigned integer.";
    U16To32 "u16to32" Convert(Lane::I16, Lane::I32), "The same unsigned integer.";
    High16To32 "high16to32" Convert(Lane::I16, Lane::I32), "The bits as the upper half, above zeros.";
    U32To64 "u32to64" Convert(Lane::I32, Lane::I64), "The same unsigned integer.";
    Low8Of16 "low8of16" Convert(Lane::I16, Lane::I8), "The lower bits.";
    Low8Of32 "low8of32" Convert(Lane::I32, Lane::I8), "The lower bits.";
    Low16Of32 "low16of32" Convert(Lane::I32, Lane::I16), "The lower bits.";
    High16Of32 "high16of32" Convert(Lane::I32, Lane::I16), "The upper bits.";
    Low32Of64 "low32of64" Convert(Lane::I64, Lane::I32), "The lower bits.";
    Bits32 "bits32" Convert(Lane::F32, Lane::I32), "The bits of the float.";
    Bits64 "bits64" Convert(Lane::F64, Lane::I64), "The bits of the float.";
    Float32 "float32" Convert(Lane::I32, Lane::F32), "The float of these bits.";
    Float64 "float64" Convert(Lane::I64, Lane::F64), "The float of these bits.";
    WidenF16 "f16to32" Convert(Lane::I16, Lane::F32), "The number whose binary16 form the bits are.";
    RoundF16 "f32to16" Convert(Lane::F32, Lane::I16), "The binary16 form of the number, rounded to nearest even.";
    Widen "f32to64" Convert(Lane::F32, Lane::F64), "The same number.";
    Narrow "f64to32" Convert(Lane::F64, Lane::F32), "The number rounded to nearest even.";
    S32ToF32 "s32tof32" Convert(Lane::I32, Lane::F32), "The signed integer, rounded to nearest even.";
    S32ToF64 "s32tof64" Convert(Lane::I32, Lane::F64), "The signed integer.";
    F32ToS32 "f32tos32" Convert(Lane::F32, Lane::I32), "The integer toward zero; the least integer for NaN and what is out of range.";
    F64ToS32 "f64tos32" Convert(Lane::F64, Lane::I32), "The integer toward zero; the least integer for NaN and what is out of range.";
}

impl Prim {
    /// The primitive of this name.
    pub fn from_name(name: &str) -> Option<Prim> {
        Prim::ALL.iter().copied().find(|prim| prim.name() == name)
    }

    /// How many operands it takes.
    pub const fn arity(self) -> usize {
        match self.signature() {
            Signature::Ints(n) | Signature::Floats(n) | Signature::Singles(n) | Signature::Halves(n) | Signature::Longs(n) => n,
            Signature::Masks(n) => n,
            Signature::CompareInts | Signature::CompareFloats | Signature::CompareHalves => 2,
            Signature::Select => 3,
            Signature::Convert(..) => 1,
        }
    }

    /// Whether it is defined on `lane`, the type of its last operand.
    pub const fn takes(self, lane: Lane) -> bool {
        match self.signature() {
            Signature::Ints(_) | Signature::CompareInts => lane.is_int(),
            Signature::Floats(_) | Signature::CompareFloats => lane.is_float(),
            Signature::Singles(_) => matches!(lane, Lane::F32),
            Signature::Halves(_) | Signature::CompareHalves => matches!(lane, Lane::I16),
            Signature::Longs(_) => matches!(lane, Lane::I64),
            Signature::Masks(_) => matches!(lane, Lane::Mask),
            Signature::Select => true,
            Signature::Convert(from, _) => from as u8 == lane as u8,
        }
    }

    /// Whether it computes with numbers of binary16.
    pub(crate) const fn is_of_halves(self) -> bool {
        matches!(self.signature(), Signature::Halves(_) | Signature::CompareHalves)
    }

    /// Whether what it gives depends on the direction in which the CPU rounds.
    pub(crate) const fn rounds(self) -> bool {
        use Prim::*;
        // Integers are divided as floats where there is no instruction for that.
        matches!(
            self,
            FAdd | FSub | FMul | FDiv | Fma | Scale | Sqrt | HalfAdd | HalfSub | HalfMul | HalfFma | Narrow | S32ToF32 | DivS | DivU
        )
    }

    /// The type of operand `n` where the last one is of type `lane`.
    pub const fn operand(self, lane: Lane, n: usize) -> Lane {
        match (self.signature(), n) {
            (Signature::Select, 0) => Lane::Mask,
            _ => lane,
        }
    }

    /// The type of the result where the last operand is of type `lane`.
    pub const fn result(self, lane: Lane) -> Lane {
        match self.signature() {
            Signature::CompareInts | Signature::CompareFloats | Signature::CompareHalves => Lane::Mask,
            Signature::Convert(_, to) => to,
            _ => lane,
        }
    }
}

impl fmt::Display for Prim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
