//! Frames: where each register lies in the memory of a block, and where each label ended up.

use super::{Inst, VReg, tile::Base};
use crate::PlanError;
use std::{cmp::Reverse, collections::BinaryHeap};

/// Registers are aligned for the widest vectors.
pub(crate) const ALIGNMENT: usize = 64;
/// The most bytes of registers that one block may need: 8 GiB, or what an object may have at most where that is less.
const MAX_FRAME_BYTES: usize = {
    let most = 1u64 << 33;
    if most < isize::MAX as u64 { most as usize } else { isize::MAX as usize }
};

/// The places of all registers.
pub(crate) struct Layout {
    pub(crate) offsets: Vec<usize>,
    pub(crate) bytes: usize,
}

/// Gives each register a place that no other register needs at the same time.
///
/// # Errors
/// When a block would need too much memory.
pub(crate) fn lay_out(code: &[(Inst, u32)], sizes: &[usize]) -> Result<Layout, PlanError> {
    let mut lifetimes: Vec<(usize, usize, usize)> =
        lifetimes(code, sizes.len()).into_iter().enumerate().filter_map(|(reg, life)| life.map(|(start, end)| (start, end, reg))).collect();
    lifetimes.sort_unstable();
    let mut space = Space::default();
    let mut live: BinaryHeap<Reverse<(usize, usize, usize)>> = BinaryHeap::new();
    let mut offsets = vec![0; sizes.len()];
    for (start, end, reg) in lifetimes {
        while let Some(&Reverse((ended, offset, bytes))) = live.peek()
            && ended < start
        {
            live.pop();
            space.release(offset, bytes);
        }
        let bytes = sizes[reg].max(1).next_multiple_of(ALIGNMENT);
        offsets[reg] = space.take(bytes);
        live.push(Reverse((end, offsets[reg], bytes)));
        if space.end > MAX_FRAME_BYTES {
            return Err(PlanError::TooLarge { bytes: space.end });
        }
    }
    Ok(Layout { offsets, bytes: space.end })
}

/// Whether all that instructions read and write begins inside the frame, or inside the constants.
///
/// The tile machine relies on that, and looks at no bounds.
pub(crate) fn is_inside<'i>(code: impl IntoIterator<Item = &'i Inst>, offsets: &[usize], frame: usize, constants: usize) -> bool {
    let mut inside = true;
    let is_register = |reg: VReg| offsets.get(reg.index()).is_some_and(|offset| *offset < frame);
    for inst in code {
        inst.for_each_read(|tile| {
            inside &= match tile.base {
                Base::Reg(reg) => is_register(reg),
                Base::Const(offset) => offset < constants,
            }
        });
        inst.for_each_write(|reg| inside &= is_register(reg));
    }
    inside
}

/// Free places of a frame, and its end so far.
#[derive(Default)]
struct Space {
    /// Offset and length of the gaps, in order.
    gaps: Vec<(usize, usize)>,
    end: usize,
}

impl Space {
    /// The first place with room.
    fn take(&mut self, bytes: usize) -> usize {
        if let Some(i) = self.gaps.iter().position(|(_, len)| *len >= bytes) {
            let (offset, len) = self.gaps[i];
            if len == bytes {
                self.gaps.remove(i);
            } else {
                self.gaps[i] = (offset + bytes, len - bytes);
            }
            return offset;
        }
        let offset = self.end;
        self.end += bytes;
        offset
    }

    fn release(&mut self, offset: usize, bytes: usize) {
        let i = self.gaps.partition_point(|(start, _)| *start < offset);
        self.gaps.insert(i, (offset, bytes));
        if i + 1 < self.gaps.len() && offset + bytes == self.gaps[i + 1].0 {
            self.gaps[i].1 += self.gaps.remove(i + 1).1;
        }
        if i > 0 && self.gaps[i - 1].0 + self.gaps[i - 1].1 == offset {
            self.gaps[i - 1].1 += self.gaps.remove(i).1;
        }
    }
}

/// The first and the last instruction at which each register is needed.
///
/// A value from outside of a loop that the loop reads is needed until the loop ends.
fn lifetimes(code: &[(Inst, u32)], registers: usize) -> Vec<Option<(usize, usize)>> {
    let ends = loop_ends(code);
    let mut lives: Vec<Option<(usize, usize)>> = vec![None; registers];
    let mut open: Vec<(usize, usize)> = Vec::new();
    for (at, (inst, _)) in code.iter().enumerate() {
        while open.last().is_some_and(|(_, end)| *end < at) {
            open.pop();
        }
        if let Some(end) = ends.get(at).copied().flatten() {
            open.push((at, end));
        }
        inst.for_each_read(|tile| {
            if let Base::Reg(reg) = tile.base {
                extend(&mut lives[reg.index()], at, &open);
            }
        });
        inst.for_each_write(|reg| extend(&mut lives[reg.index()], at, &open));
    }
    // A tile is needed as long as its windows are.
    for (inst, _) in code {
        if let Inst::LoadWindows(load) = inst {
            let last = load.windows.iter().filter_map(|window| lives[window.dst.index()]).map(|(_, end)| end).max();
            if let (Some((_, end)), Some(last)) = (&mut lives[load.dst.index()], last) {
                *end = last.max(*end);
            }
        }
    }
    lives
}

fn extend(life: &mut Option<(usize, usize)>, at: usize, open: &[(usize, usize)]) {
    let (start, end) = life.get_or_insert((at, at));
    let outermost = open.get(open.partition_point(|(head, _)| head <= start));
    *end = (*end).max(outermost.map_or(at, |(_, tail)| *tail));
}

/// By instruction: the last one that goes back to it, if it is the head of a loop. Empty if nothing goes back.
fn loop_ends(code: &[(Inst, u32)]) -> Vec<Option<usize>> {
    let (labels, mut ends) = (label_positions(code, false), Vec::new());
    for (at, (inst, _)) in code.iter().enumerate() {
        if let Some(head) = inst.target().and_then(|label| labels.get(label).copied().flatten())
            && head <= at
        {
            ends.resize(code.len(), None);
            ends[head] = Some(at);
        }
    }
    ends
}

/// By label: where it is, counting labels as instructions or not.
fn label_positions(code: &[(Inst, u32)], skip_labels: bool) -> Vec<Option<usize>> {
    let (mut positions, mut next) = (Vec::new(), 0);
    for (inst, _) in code {
        let label = if let Inst::Label(label) = inst { Some(*label) } else { None };
        if let Some(label) = label {
            positions.resize(positions.len().max(label + 1), None);
            positions[label] = Some(next);
        }
        next += usize::from(!(label.is_some() && skip_labels));
    }
    positions
}

/// Removes jumps to where the code goes on anyway.
fn drop_idle_jumps(code: &mut Vec<(Inst, u32)>) {
    // The labels between an instruction and the next one.
    let mut labels = Vec::new();
    let mut idle = vec![false; code.len()];
    for (at, (inst, _)) in code.iter().enumerate().rev() {
        match inst {
            Inst::Label(label) => labels.push(*label),
            Inst::Jump(target) if labels.contains(target) => idle[at] = true,
            _ => labels.clear(),
        }
    }
    let mut idle = idle.into_iter();
    code.retain(|_| !idle.next().unwrap_or(false));
}

/// Removes the labels and points every jump at its instruction.
pub(crate) fn resolve_labels(mut code: Vec<(Inst, u32)>) -> (Vec<Inst>, Vec<u32>) {
    drop_idle_jumps(&mut code);
    let positions = label_positions(&code, true);
    code.iter_mut().filter_map(|(inst, _)| inst.target_mut()).for_each(|target| {
        *target = positions[*target].expect("every label stands somewhere");
    });
    let (mut placed, mut sites) = (Vec::with_capacity(code.len()), Vec::with_capacity(code.len()));
    for (inst, site) in code {
        if !matches!(inst, Inst::Label(_)) {
            placed.push(inst);
            sites.push(site);
        }
    }
    (placed, sites)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{elem::Elem, plan::Tile};
    use tilewright_ir::Scalar;

    fn write(reg: u32) -> (Inst, u32) {
        (Inst::Iota { dst: VReg(reg), n: 1, size: 4 }, 0)
    }

    fn read(reg: u32) -> (Inst, u32) {
        let tile = Tile::contiguous(Elem::Num(Scalar::I1), Base::Reg(VReg(reg)), &[]);
        (Inst::Assert { condition: tile, message: String::new() }, 0)
    }

    #[test]
    fn dead_registers_make_room() {
        let layout = lay_out(&[write(0), read(0), write(1), read(1)], &[100, 100]).unwrap();
        assert_eq!(layout.offsets, [0, 0]);
        assert_eq!(layout.bytes, 128);
    }

    #[test]
    fn a_loop_keeps_what_it_reads() {
        let code = [write(0), (Inst::Label(7), 0), read(0), write(1), read(1), (Inst::JumpBack { target: 7, waits: false }, 0), write(2)];
        let layout = lay_out(&code, &[4, 4, 4]).unwrap();
        assert_eq!(layout.offsets, [0, 64, 0]);
    }

    #[test]
    fn labels_resolve() {
        let code = vec![(Inst::Label(3), 0), write(0), (Inst::Jump(4), 1), write(1), (Inst::Label(4), 0), (Inst::Jump(3), 2)];
        let (code, sites) = resolve_labels(code);
        assert_eq!(code.iter().filter_map(Inst::target).collect::<Vec<_>>(), [3, 0]);
        assert_eq!(sites, [0, 1, 0, 2]);
    }

    #[test]
    fn jumps_to_the_next_instruction_go() {
        let jump = |label| (Inst::Jump(label), 0);
        let label = |label| (Inst::Label(label), 0);
        let left = |code| resolve_labels(code).0.len();
        assert_eq!(left(vec![jump(1), label(1), write(0)]), 1);
        // Over other labels, and another jump that goes.
        assert_eq!(left(vec![jump(2), jump(1), label(1), label(2), write(0)]), 1);
        // Over an instruction, or back.
        assert_eq!(left(vec![jump(1), write(0), label(1), write(1)]), 3);
        assert_eq!(left(vec![label(1), jump(1), write(0)]), 2);
    }
}
