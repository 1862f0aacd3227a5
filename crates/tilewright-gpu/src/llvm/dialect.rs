//! What readers of LLVM's modules differ in.

use crate::Target;

/// Which LLVM a module is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Dialect {
    /// Today's: pointers have no types, and there are intrinsics for what came with `sm_80`.
    Current,
    /// LLVM 7, which libNVVM has for older GPUs: pointers say what they point to, and what LLVM learned later is inline assembly.
    Seven,
}

impl Dialect {
    /// The one that libNVVM reads for a target.
    pub(crate) const fn of_libnvvm(target: Target) -> Dialect {
        match target {
            Target::Sm80 | Target::Sm86 | Target::Sm89 | Target::Sm90 => Dialect::Seven,
            Target::Sm100 | Target::Sm120 => Dialect::Current,
        }
    }

    /// The type of pointers to a type in an address space.
    pub(super) fn pointer(self, to: &str, space: u32) -> String {
        let space = if space == 0 { String::new() } else { format!(" addrspace({space})") };
        match self {
            Dialect::Current => format!("ptr{space}"),
            Dialect::Seven => format!("{to}{space}*"),
        }
    }
}
