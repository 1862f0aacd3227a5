//! Typed 32-bit handles into the arenas of a module.

/// Declares a handle: an index that only fits the arena it names, with a niche so that `Option<Handle>` is 4 bytes.
macro_rules! handle {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(std::num::NonZeroU32);

        impl $name {
            /// The handle of the `index`-th entry of its arena.
            ///
            /// # Panics
            /// When `index` is `u32::MAX` or more: readers refuse such inputs before they build handles.
            #[inline]
            pub fn new(index: usize) -> Self {
                let raw = u32::try_from(index).ok().and_then(|i| i.checked_add(1)).and_then(std::num::NonZeroU32::new);
                Self(raw.expect("an arena holds fewer than 2^32 - 1 entries"))
            }

            /// The position in its arena, counted from 0.
            #[inline]
            pub const fn index(self) -> usize {
                self.0.get() as usize - 1
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}#{}", stringify!($name), self.index())
            }
        }
    };
}

handle!(
    /// An operation of a [`Body`](crate::Body).
    Op
);
handle!(
    /// A value of a [`Body`](crate::Body): a result of an operation or an argument of a block.
    Value
);
handle!(
    /// A block of a [`Body`](crate::Body): arguments and a list of operations.
    Block
);
handle!(
    /// A region of a [`Body`](crate::Body): a list of blocks owned by an operation.
    Region
);
handle!(
    /// An interned type of a module.
    Type
);
handle!(
    /// An interned compound attribute of a module.
    Attr
);
handle!(
    /// An interned byte string of a module.
    Str
);
handle!(
    /// The raw data of a dense constant of a module.
    Const
);
handle!(
    /// A source location of a module; `None` where a location is unknown.
    Loc
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn optional_handles_cost_nothing() {
        assert_eq!(size_of::<Option<Value>>(), 4);
        assert_eq!(Value::new(7).index(), 7);
    }
}
