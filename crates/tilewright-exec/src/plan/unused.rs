//! What nothing reads is not computed.

use super::{Inst, VReg, tile::Base};
use std::collections::HashMap;

/// Removes elementwise operations whose results nothing reads, and lets atomic updates forget old values that nothing reads. `uses`:
/// how often each register is read.
pub(crate) fn drop_unused(code: &mut Vec<(Inst, u32)>, uses: &mut HashMap<VReg, usize>) {
    let mut is_used = vec![true; code.len()];
    // What reads a result stands behind it.
    for ((inst, _), is_used) in code.iter_mut().zip(&mut is_used).rev() {
        let unread = |dst: &VReg| uses.get(dst).is_none_or(|count| *count == 0);
        match inst {
            Inst::Atomic(atomic) => atomic.dst = atomic.dst.filter(|dst| !unread(dst)),
            Inst::Elementwise(inst) if unread(&inst.dst) => {
                *is_used = false;
                for src in &inst.srcs {
                    if let Base::Reg(reg) = src.base
                        && let Some(count) = uses.get_mut(&reg)
                    {
                        *count -= 1;
                    }
                }
            }
            _ => {}
        }
    }
    uses.retain(|_, count| *count > 0);
    let mut is_used = is_used.into_iter();
    code.retain(|_| is_used.next().unwrap_or(true));
}
