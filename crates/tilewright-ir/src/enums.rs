//! The enumerations of the dialect: their values on the wire, their keywords in text, and when each appeared.

use crate::Version;

/// One value of an enumeration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnumValue {
    /// Name in the dialect definition.
    pub name: &'static str,
    /// Value in bytecode.
    pub value: u8,
    /// Keyword in text.
    pub keyword: &'static str,
    /// First version that has it.
    pub since: Version,
}

/// Declares an enumeration once: the Rust type, and its row in [`EnumKind`].
macro_rules! wire_enums {
    ($($(#[$doc:meta])* $name:ident($first:ident) { $($(#[$vdoc:meta])* $variant:ident = $value:literal $spelled:literal $keyword:literal $since:ident,)* })*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
            #[repr(u8)]
            pub enum $name {
                $($(#[$vdoc])* $variant = $value,)*
            }

            impl $name {
                /// Every value, in the order of the wire.
                pub const VALUES: &'static [EnumValue] = &[
                    $(EnumValue { name: $spelled, value: $value, keyword: $keyword, since: Version::$since },)*
                ];

                /// The value with this number in bytecode.
                pub const fn from_wire(value: u8) -> Option<Self> {
                    match value {
                        $($value => Some(Self::$variant),)*
                        _ => None,
                    }
                }

                /// The keyword in text.
                pub const fn keyword(self) -> &'static str {
                    match self {
                        $(Self::$variant => $keyword,)*
                    }
                }
            }
        )*

        /// Names an enumeration of the dialect, for tables that speak about enumerations.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum EnumKind {
            $($(#[$doc])* $name,)*
        }

        impl EnumKind {
            /// Every enumeration.
            pub const ALL: &'static [EnumKind] = &[$(EnumKind::$name,)*];

            /// Name in the dialect definition.
            pub const fn name(self) -> &'static str {
                match self {
                    $(EnumKind::$name => stringify!($name),)*
                }
            }

            /// First version that has it.
            pub const fn since(self) -> Version {
                match self {
                    $(EnumKind::$name => Version::$first,)*
                }
            }

            /// Every value, in the order of the wire.
            pub const fn values(self) -> &'static [EnumValue] {
                match self {
                    $(EnumKind::$name => $name::VALUES,)*
                }
            }
        }
    };
}

impl EnumKind {
    /// The entry with this number in bytecode.
    pub fn value(self, wire: u8) -> Option<&'static EnumValue> {
        self.values().iter().find(|v| v.value == wire)
    }

    /// The entry with this keyword in text.
    pub fn by_keyword(self, keyword: &str) -> Option<&'static EnumValue> {
        self.values().iter().find(|v| v.keyword == keyword)
    }
}

wire_enums! {
    /// What an atomic read-modify-write does with the stored value and its argument.
    AtomicRMWMode(V13_1) {
        /// Bitwise and.
        And = 0 "AND" "and" V13_1,
        /// Bitwise or.
        Or = 1 "OR" "or" V13_1,
        /// Bitwise exclusive or.
        Xor = 2 "XOR" "xor" V13_1,
        /// Integer addition, wrapping.
        Add = 3 "ADD" "add" V13_1,
        /// Float addition.
        Addf = 4 "ADDF" "addf" V13_1,
        /// Signed maximum.
        Max = 5 "MAX" "max" V13_1,
        /// Signed minimum.
        Min = 6 "MIN" "min" V13_1,
        /// Unsigned maximum.
        Umax = 7 "UMAX" "umax" V13_1,
        /// Unsigned minimum.
        Umin = 8 "UMIN" "umin" V13_1,
        /// Exchange.
        Xchg = 9 "XCHG" "xchg" V13_1,
    }
    /// What a float comparison answers when an operand is NaN.
    ComparisonOrdering(V13_1) {
        /// True.
        Unordered = 0 "UNORDERED" "unordered" V13_1,
        /// False.
        Ordered = 1 "ORDERED" "ordered" V13_1,
    }
    /// The relation that a comparison tests.
    ComparisonPredicate(V13_1) {
        /// `lhs == rhs`
        Equal = 0 "EQUAL" "equal" V13_1,
        /// `lhs != rhs`
        NotEqual = 1 "NOT_EQUAL" "not_equal" V13_1,
        /// `lhs < rhs`
        LessThan = 2 "LESS_THAN" "less_than" V13_1,
        /// `lhs <= rhs`
        LessThanOrEqual = 3 "LESS_THAN_OR_EQUAL" "less_than_or_equal" V13_1,
        /// `lhs > rhs`
        GreaterThan = 4 "GREATER_THAN" "greater_than" V13_1,
        /// `lhs >= rhs`
        GreaterThanOrEqual = 5 "GREATER_THAN_OR_EQUAL" "greater_than_or_equal" V13_1,
    }
    /// What the program promises about overflow; a broken promise is undefined behaviour.
    IntegerOverflow(V13_1) {
        /// Nothing: the result wraps.
        None = 0 "NONE" "none" V13_1,
        /// No signed wrap.
        Nsw = 1 "NSW" "no_signed_wrap" V13_1,
        /// No unsigned wrap.
        Nuw = 2 "NUW" "no_unsigned_wrap" V13_1,
        /// Neither.
        Nw = 3 "NW" "no_wrap" V13_1,
    }
    /// How a memory access orders others around it.
    MemoryOrderingSemantics(V13_1) {
        /// No concurrent conflicting access exists.
        Weak = 0 "WEAK" "weak" V13_1,
        /// Coherent, orders nothing.
        Relaxed = 1 "RELAXED" "relaxed" V13_1,
        /// Later accesses stay later.
        Acquire = 2 "ACQUIRE" "acquire" V13_1,
        /// Earlier accesses stay earlier.
        Release = 3 "RELEASE" "release" V13_1,
        /// Both.
        AcqRel = 4 "ACQ_REL" "acq_rel" V13_1,
    }
    /// Who takes part in the ordering of a memory access.
    MemoryScope(V13_1) {
        /// The tile block that issues it.
        TlBlk = 0 "TL_BLK" "tl_blk" V13_1,
        /// All blocks of the device.
        Device = 1 "DEVICE" "device" V13_1,
        /// All devices and the host.
        Sys = 2 "SYS" "sys" V13_1,
    }
    /// How a multimem operation combines the replicas.
    MultimemReductionKind(V13_5) {
        /// Addition.
        Add = 0 "ADD" "add" V13_5,
        /// Signed or float minimum.
        Min = 1 "MIN" "min" V13_5,
        /// Signed or float maximum.
        Max = 2 "MAX" "max" V13_5,
        /// Bitwise and.
        And = 3 "AND" "and" V13_5,
        /// Bitwise or.
        Or = 4 "OR" "or" V13_5,
        /// Bitwise exclusive or.
        Xor = 5 "XOR" "xor" V13_5,
        /// Unsigned minimum.
        Umin = 6 "UMIN" "umin" V13_5,
        /// Unsigned maximum.
        Umax = 7 "UMAX" "umax" V13_5,
    }
    /// What a load from a view gives outside its tensor.
    PaddingValue(V13_1) {
        /// 0
        Zero = 0 "zero" "zero" V13_1,
        /// -0.0
        NegZero = 1 "neg_zero" "neg_zero" V13_1,
        /// A quiet NaN.
        Nan = 2 "nan" "nan" V13_1,
        /// +inf
        PosInf = 3 "pos_inf" "pos_inf" V13_1,
        /// -inf
        NegInf = 4 "neg_inf" "neg_inf" V13_1,
    }
    /// A property of the memory a pointer points to.
    PtrAttr(V13_4) {
        /// Written down, but says nothing.
        None = 0 "none" "none" V13_4,
        /// Memory of one device.
        Unicast = 1 "unicast" "unicast" V13_5,
        /// Memory replicated over a team of devices.
        Multicast = 2 "multicast" "multicast" V13_5,
    }
    /// How a float result is rounded.
    RoundingMode(V13_1) {
        /// To the nearest value, ties to even.
        NearestEven = 0 "NEAREST_EVEN" "nearest_even" V13_1,
        /// Toward zero.
        Zero = 1 "ZERO" "zero" V13_1,
        /// Toward negative infinity.
        NegativeInf = 2 "NEGATIVE_INF" "negative_inf" V13_1,
        /// Toward positive infinity.
        PositiveInf = 3 "POSITIVE_INF" "positive_inf" V13_1,
        /// A fast approximation.
        Approx = 4 "APPROX" "approx" V13_1,
        /// Accurate over the full range, not correctly rounded.
        Full = 5 "FULL" "full" V13_1,
        /// To an integer, toward zero.
        NearestIntToZero = 6 "NEAREST_INT_TO_ZERO" "nearest_int_to_zero" V13_1,
        /// To the nearest value, ties away from zero.
        NearestAway = 7 "NEAREST_AWAY" "nearest_away" V13_4,
    }
    /// How an operation reads a signless integer.
    Signedness(V13_1) {
        /// As an unsigned number.
        Unsigned = 0 "Unsigned" "unsigned" V13_1,
        /// As a two's complement number.
        Signed = 1 "Signed" "signed" V13_1,
    }
    /// Who can look a symbol up.
    SymbolVisibility(V13_1) {
        /// The host too.
        Public = 0 "Public" "public" V13_1,
        /// The module only.
        Private = 1 "Private" "private" V13_1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lookups_agree() {
        for kind in EnumKind::ALL {
            for value in kind.values() {
                assert_eq!(kind.value(value.value), Some(value));
                assert_eq!(kind.by_keyword(value.keyword), Some(value));
            }
        }
        assert_eq!(RoundingMode::from_wire(7), Some(RoundingMode::NearestAway));
        assert_eq!(RoundingMode::from_wire(8), None);
        assert_eq!(MemoryScope::TlBlk.keyword(), "tl_blk");
    }
}
