//! Frames: where each register lies in the memory of a block, and where each label ended up.

use super::{Inst, Src, SweepInput, VReg, tile::Base};
use crate::{
    PlanError,
    hash::{HashMap, HashSet},
};
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
    let lives = lifetimes(code, sizes.len());
    let reused = reused(code, sizes, &lives);
    let mut lifetimes: Vec<(usize, usize, usize)> =
        lives.into_iter().enumerate().filter_map(|(reg, life)| life.map(|(start, end)| (start, end, reg))).collect();
    lifetimes.sort_unstable();
    let mut space = Space::default();
    let mut live: BinaryHeap<Reverse<(usize, usize)>> = BinaryHeap::new();
    let mut offsets = vec![0; sizes.len()];
    let bytes_of = |reg: usize| sizes[reg].max(1).next_multiple_of(ALIGNMENT);
    let handed_on: HashSet<usize> = reused.values().copied().collect();
    for (start, end, reg) in lifetimes {
        while let Some(&Reverse((ended, before))) = live.peek()
            && ended < start
        {
            live.pop();
            if !handed_on.contains(&before) {
                space.release(offsets[before], bytes_of(before));
            }
        }
        offsets[reg] = reused.get(&reg).map_or_else(|| space.take(bytes_of(reg)), |before| offsets[*before]);
        live.push(Reverse((end, reg)));
        if space.end > MAX_FRAME_BYTES {
            return Err(PlanError::TooLarge { bytes: space.end });
        }
    }
    Ok(Layout { offsets, bytes: space.end })
}

/// Buffer reuse: the registers that get the place of another one, which is read for the last time by the fused region that writes them, element by element, each
/// before it is written. Half as many bytes have to stay in the first cache then. By register, the one before it.
fn reused(code: &[(Inst, u32)], sizes: &[usize], lives: &[Option<(usize, usize)>]) -> HashMap<usize, usize> {
    let mut reused = HashMap::default();
    for (at, (inst, _)) in code.iter().enumerate() {
        let Inst::Sweep(sweep) = inst else { continue };
        if !sweep.is_region() || sweep.has_gathers || sweep.rounds.is_some() {
            continue;
        }
        let ends_here = |reg: usize| lives[reg].is_some_and(|(start, end)| start < at && end == at);
        let begins_here = |reg: usize| lives[reg].is_some_and(|(start, _)| start == at);
        // Of each register that is read, the input if that is the only one and lies as the results do.
        let mut read: HashMap<usize, Option<usize>> = HashMap::default();
        for (i, input) in sweep.inputs.iter().enumerate() {
            let tile = input.tile();
            let Base::Reg(reg) = tile.base else { continue };
            let lies_alike = matches!(input, SweepInput::Direct { .. }) && tile.is_contiguous() && tile.numel() == sweep.n;
            read.entry(reg.index()).and_modify(|only| *only = None).or_insert(lies_alike.then_some(i));
        }
        for (number, step) in sweep.steps.iter().enumerate() {
            let Src::Reg(result, size) = step.dst else { continue };
            let result = result.index();
            if !begins_here(result) || reused.contains_key(&result) {
                continue;
            }
            // Vector code loads an input where a step first asks for it.
            let is_read = |input: usize| sweep.steps[..=number].iter().any(|step| step.srcs.contains(&Src::Input(input)));
            let fits = |reg: usize, input: usize| {
                ends_here(reg) && sweep.inputs[input].elem().size() == size && sizes[reg] == sizes[result] && is_read(input)
            };
            let before = read.iter().filter_map(|(reg, input)| Some((*reg, (*input)?))).filter(|(reg, input)| fits(*reg, *input)).min();
            if let Some((before, _)) = before {
                read.remove(&before);
                reused.insert(result, before);
            }
        }
    }
    reused
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
    use crate::{
        TargetMachine,
        elem::Elem,
        kernels::{ElemOp, select},
        plan::{Step, Sweep, Tile},
    };
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

    /// Negations of so many elements, which lie in order or turned around.
    fn negated(src: u32, dst: u32, turned: bool) -> (Inst, u32) {
        let elem = Elem::Num(Scalar::F32);
        let mut tile = Tile::contiguous(elem, Base::Reg(VReg(src)), &[64, 64]);
        if turned {
            tile.strides.reverse();
        }
        let input =
            if turned { SweepInput::Strided { tile, loops: vec![(64, 1), (64, 64)], slot: 0 } } else { SweepInput::Direct { tile } };
        let step = |src, dst| Step { kernel: select(ElemOp::NegF, &[elem], elem).unwrap(), srcs: vec![src], dst };
        let steps = vec![step(Src::Input(0), Src::Slot(1)), step(Src::Slot(1), Src::Reg(VReg(dst), 4))];
        (Inst::Sweep(Box::new(Sweep::new(4096, vec![input], steps, TargetMachine::host()))), 0)
    }

    #[test]
    fn regions_write_over_what_they_read_last() {
        let sizes = [4 * 4096; 3];
        let offsets = |code: &[(Inst, u32)]| lay_out(code, &sizes).unwrap().offsets;
        let expected = if TargetMachine::host().has_regions() { [0, 0, 0] } else { [0, 4 * 4096, 0] };
        assert_eq!(offsets(&[write(0), negated(0, 1, false), negated(1, 2, false), read(2)]), expected);
        // What is read once more, and what is not read where it is written.
        assert_eq!(offsets(&[write(0), negated(0, 1, false), read(0), read(1)]), [0, 4 * 4096, 0]);
        assert_eq!(offsets(&[write(0), negated(0, 1, true), read(1)]), [0, 4 * 4096, 0]);
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
