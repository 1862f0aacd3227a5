//! The fundamental types of PTX.

use tilewright_numeric::FloatFormat;

macro_rules! types {
    ($($variant:ident $name:literal $bits:literal $doc:literal,)*) => {
        /// A type that a register, a variable or an instruction has.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Type {
            $(#[doc = $doc] $variant,)*
        }

        impl Type {
            /// Every type.
            pub const ALL: &'static [Type] = &[$(Type::$variant),*];

            /// Its name, without the dot.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Type::$variant => $name,)*
                }
            }

            /// How many bits a value has.
            pub const fn bits(self) -> u32 {
                match self {
                    $(Type::$variant => $bits,)*
                }
            }
        }
    };
}

types! {
    Pred "pred" 1 "A truth value.",
    B8 "b8" 8 "8 bits.",
    B16 "b16" 16 "16 bits.",
    B32 "b32" 32 "32 bits.",
    B64 "b64" 64 "64 bits.",
    B128 "b128" 128 "128 bits.",
    U8 "u8" 8 "An unsigned integer.",
    U16 "u16" 16 "An unsigned integer.",
    U32 "u32" 32 "An unsigned integer.",
    U64 "u64" 64 "An unsigned integer.",
    S8 "s8" 8 "A signed integer.",
    S16 "s16" 16 "A signed integer.",
    S32 "s32" 32 "A signed integer.",
    S64 "s64" 64 "A signed integer.",
    F16 "f16" 16 "A float of IEEE 754 binary16.",
    F16x2 "f16x2" 32 "Two floats of binary16.",
    Bf16 "bf16" 16 "A float with 8 bits of exponent and 7 of mantissa.",
    Bf16x2 "bf16x2" 32 "Two of them.",
    Tf32 "tf32" 32 "A float with 8 bits of exponent and 10 of mantissa, in the upper bits of 32.",
    F32 "f32" 32 "A float of binary32.",
    F64 "f64" 64 "A float of binary64.",
    E4m3 "e4m3" 8 "A float with 4 bits of exponent and 3 of mantissa.",
    E5m2 "e5m2" 8 "A float with 5 bits of exponent and 2 of mantissa.",
    E4m3x2 "e4m3x2" 16 "Two floats with 4 bits of exponent and 3 of mantissa.",
    E5m2x2 "e5m2x2" 16 "Two floats with 5 bits of exponent and 2 of mantissa.",
}

impl Type {
    /// The type of this name, without the dot.
    pub fn from_name(name: &str) -> Option<Type> {
        Type::ALL.iter().copied().find(|ty| ty.name() == name)
    }

    /// How many bytes a value takes in memory.
    pub const fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    /// Whether it is a signed integer.
    pub const fn is_signed(self) -> bool {
        matches!(self, Type::S8 | Type::S16 | Type::S32 | Type::S64)
    }

    /// The format of a float, or of each of two.
    pub const fn format(self) -> Option<FloatFormat> {
        match self {
            Type::F16 | Type::F16x2 => Some(FloatFormat::F16),
            Type::Bf16 | Type::Bf16x2 => Some(FloatFormat::Bf16),
            Type::Tf32 => Some(FloatFormat::Tf32),
            Type::F32 => Some(FloatFormat::F32),
            Type::F64 => Some(FloatFormat::F64),
            Type::E4m3 | Type::E4m3x2 => Some(FloatFormat::F8E4M3FN),
            Type::E5m2 | Type::E5m2x2 => Some(FloatFormat::F8E5M2),
            _ => None,
        }
    }

    /// Whether a value is two floats.
    pub const fn is_pair(self) -> bool {
        matches!(self, Type::F16x2 | Type::Bf16x2 | Type::E4m3x2 | Type::E5m2x2)
    }
}
