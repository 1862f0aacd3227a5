//! Functions of two vectors, as types: for each that is chosen, code is compiled of its own.

use crate::kernels::lanes::VectorLanes;

/// A function of two vectors, lane by lane.
pub(super) trait OfTwo {
    fn of<V: VectorLanes>(x: V, y: V) -> V;
}

macro_rules! functions {
    ($($name:ident |$x:ident, $y:ident| $result:expr;)*) => {$(
        pub(super) struct $name;

        impl OfTwo for $name {
            #[inline(always)]
            fn of<V: VectorLanes>($x: V, $y: V) -> V {
                $result
            }
        }
    )*};
}
functions! {
    Add |x, y| x + y;
    Sub |x, y| x - y;
    SubFrom |x, y| y - x;
    Mul |x, y| x * y;
    Div |x, y| x / y;
    DivInto |x, y| y / x;
    Max |x, y| x.larger::<false>(y);
    MaxNan |x, y| x.larger::<true>(y);
    Min |x, y| x.smaller::<false>(y);
    MinNan |x, y| x.smaller::<true>(y);
}
