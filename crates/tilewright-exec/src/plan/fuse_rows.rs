//! Sweeps over rows and the reductions of these rows become row regions (`row_region.rs`).
//!
//! A region takes the sweeps and reductions that follow each other in straight code, on rows of one length, and the steps on single numbers of the rows
//! between them. What stands between and has nothing to do with them, as loads do, goes in front. It may end with a sweep that stores.

use super::{
    Draft, Inst, Src, Sweep, Tile, VReg, ViewAccess,
    counts::{Counts, count_uses, count_writes},
    inst::FoldRows,
    region::is_lowered,
    row_region::{RowBuilder, RowRegion, RowSrc, ValueKind},
    tile::Base,
};
use crate::hash::{HashMap, HashSet};
use smallvec::SmallVec;
use std::ops::Range;

/// The fewest bytes of a row that is worth a loop, and the most elements of one that stays in the first cache.
const SHORTEST_ROW: usize = 1 << 10;
const LONGEST_ROW: usize = 1 << 14;

/// Makes row regions.
pub(super) fn fuse(draft: &mut Draft) {
    if draft.machine.native().is_none() {
        return;
    }
    let (uses, writes) = (count_uses(&draft.code), count_writes(&draft.code));
    let mut from = 0;
    while let Some(segment) = next_segment(&draft.code, from) {
        from = segment.end;
        let Some(found) = Candidate::find(&draft.code, segment.clone()) else { continue };
        let stores = found.store.is_some();
        let machine = draft.machine;
        let wanted = found.wanted(&draft.code, &uses, &writes);
        let Candidate { builder, members, .. } = found;
        let registers = &mut draft.registers;
        let region = builder.finish(&wanted, stores, &machine, |bytes| {
            registers.push(bytes);
            VReg(u32::try_from(registers.len() - 1).expect("there are fewer than 2^32 values"))
        });
        if let Some(region) = region {
            // Another may stand behind it.
            from = members.last().map_or(from, |last| last + 2 - members.len());
            replace(&mut draft.code, &members, region);
        }
    }
}

/// The next instructions in straight code that leave memory as it is, with one that stores behind them.
fn next_segment(code: &[(Inst, u32)], from: usize) -> Option<Range<usize>> {
    let start = from + code[from..].iter().position(|(inst, _)| matches!(inst, Inst::FoldRows(_)))?;
    let stays = |(inst, _): &(Inst, u32)| inst.effects().leave_memory();
    let first = code[from..start].iter().rposition(|inst| !stays(inst)).map_or(from, |last| from + last + 1);
    let end = code[start..].iter().position(|inst| !stays(inst)).map_or(code.len(), |end| start + end + 1);
    Some(first..end)
}

/// Puts a region in the place of its members: what stands between these goes in front of it.
fn replace(code: &mut Vec<(Inst, u32)>, members: &[usize], region: RowRegion) {
    let (Some(first), Some(last)) = (members.first().copied(), members.last().copied()) else { return };
    let mut kept = Vec::with_capacity(last - first);
    let mut target = None;
    for (at, (inst, site)) in (first..=last).zip(code.drain(first..=last)) {
        if !members.contains(&at) {
            kept.push((inst, site));
        } else if at == last {
            target = Some((inst, site));
        }
    }
    let rows = Box::new(region);
    kept.extend(target.map(|(inst, site)| match inst {
        Inst::SweepStore { view, src, .. } => (Inst::RowsStore { rows, view, src }, site),
        _ => (Inst::Rows(rows), site),
    }));
    code.splice(first..first, kept);
}

/// What may become a region.
struct Candidate {
    builder: RowBuilder,
    /// The instructions that it replaces.
    members: Vec<usize>,
    /// The values that registers have.
    values: HashMap<VReg, usize>,
    /// The registers that it reads from outside.
    read: HashSet<VReg>,
    /// The register that its last member stores.
    store: Option<VReg>,
}

impl Candidate {
    /// The first one of a segment.
    fn find(code: &[(Inst, u32)], segment: Range<usize>) -> Option<Candidate> {
        let folds = code[segment.clone()].iter().filter_map(|(inst, _)| if let Inst::FoldRows(fold) = inst { Some(fold) } else { None });
        let fold = folds.into_iter().find(|fold| suits(fold))?;
        let mut found = Candidate {
            builder: RowBuilder::new(fold.rows, fold.extent),
            members: Vec::new(),
            values: HashMap::default(),
            read: HashSet::default(),
            store: None,
        };
        for at in segment {
            let (inst, site) = &code[at];
            if found.joins(inst, *site) {
                found.members.push(at);
                if found.store.is_some() {
                    break;
                }
            } else if !found.is_apart_from(inst) {
                break;
            }
        }
        (found.members.len() > 1).then_some(found)
    }

    /// Takes in an instruction; `false`, and nothing was done, if it is none that can be a part of the region.
    fn joins(&mut self, inst: &Inst, site: u32) -> bool {
        let before = self.builder.mark();
        let joined = match inst {
            Inst::Sweep(sweep) => self.add_sweep(sweep, site),
            Inst::FoldRows(fold) => self.add_fold(fold, site),
            Inst::SweepStore { sweep, view, src } if inst.effects().is_weak_store() && self.knows_place(view) => {
                self.add_sweep(sweep, site).filter(|()| matches!(src.base, Base::Reg(_)))
            }
            _ => None,
        };
        if joined.is_none() || self.builder.is_full() {
            self.builder.go_back(before);
            self.values.retain(|_, value| before.has(*value));
            return false;
        }
        inst.for_each_read(|tile| {
            if let Base::Reg(reg) = tile.base {
                self.read.insert(reg);
            }
        });
        if let Inst::SweepStore { src: Tile { base: Base::Reg(reg), .. }, .. } = inst {
            self.store = Some(*reg);
        }
        true
    }

    /// Whether where a store goes is known before the region runs.
    fn knows_place(&self, view: &ViewAccess) -> bool {
        let mut is_known = true;
        view.for_each_read(&mut |tile: &Tile| is_known &= !matches!(tile.base, Base::Reg(reg) if self.values.contains_key(&reg)));
        is_known
    }

    /// Whether an instruction can run before those that are in.
    fn is_apart_from(&self, inst: &Inst) -> bool {
        let mut is_apart = inst.effects().leave_memory();
        inst.for_each_read(|tile| is_apart &= !matches!(tile.base, Base::Reg(reg) if self.values.contains_key(&reg)));
        inst.for_each_write(|reg| is_apart &= !self.values.contains_key(&reg) && !self.read.contains(&reg));
        is_apart
    }

    fn add_fold(&mut self, fold: &FoldRows, site: u32) -> Option<()> {
        if !suits(fold) || (fold.rows, fold.extent) != (self.builder.rows, self.builder.row) {
            return None;
        }
        let n = fold.rows * fold.extent;
        let src = self.source(&fold.src, n)?;
        let is_whole = fold.src.is_contiguous() && self.builder.is_row(src);
        let value = is_whole.then(|| self.builder.add(fold.operation, SmallVec::from_slice(&[src]), ValueKind::Fold, site))?;
        self.define(fold.dst, value)
    }

    fn add_sweep(&mut self, sweep: &Sweep, site: u32) -> Option<()> {
        let (rows, n) = (self.builder.rows, sweep.n);
        let kind = match n {
            n if n == rows * self.builder.row => ValueKind::Columns,
            n if n == rows => ValueKind::Number,
            _ => return None,
        };
        if sweep.has_gathers || sweep.rounds.is_some() || !sweep.folds.is_empty() || !sweep.steps.iter().all(is_lowered) {
            return None;
        }
        let inputs: Vec<RowSrc> = sweep.inputs.iter().map(|input| self.source(input.tile(), n)).collect::<Option<_>>()?;
        // Single numbers that have nothing to do with rows may be what loads need to know.
        let is_of_rows = |src: &RowSrc| matches!(src, RowSrc::Value(_)) || self.builder.is_row(*src);
        if !inputs.iter().any(is_of_rows) {
            return None;
        }
        let mut found: HashMap<Src, RowSrc> = HashMap::default();
        for (number, step) in sweep.steps.iter().enumerate() {
            let of = |src: &Src| if let Src::Input(input) = src { inputs.get(*input).copied() } else { found.get(src).copied() };
            let srcs = step.srcs.iter().map(of).collect::<Option<_>>()?;
            let value = self.builder.add(step.kernel, srcs, kind, sweep.sites.get(number).copied().unwrap_or(site));
            found.insert(step.dst, RowSrc::Value(value));
            if let Src::Reg(reg, _) = step.dst {
                self.define(reg, value)?;
            }
        }
        Some(())
    }

    /// What is read of a tile by steps on `n` elements.
    fn source(&mut self, tile: &Tile, n: usize) -> Option<RowSrc> {
        match tile.base {
            Base::Reg(reg) if self.values.contains_key(&reg) => self.builder.value(self.values[&reg], tile, n),
            _ => self.builder.input(tile, n),
        }
    }

    /// A register has a value from here on; `None` if it has had another one, which something in the region may have read.
    fn define(&mut self, reg: VReg, value: usize) -> Option<()> {
        let is_new = !self.values.contains_key(&reg) && !self.read.contains(&reg);
        is_new.then(|| self.values.insert(reg, value)).map(drop)
    }

    /// The values that others read, with their registers; last the one that is stored.
    fn wanted(&self, code: &[(Inst, u32)], uses: &Counts, writes: &Counts) -> Vec<(usize, VReg)> {
        let inside = Counts::of_reads(self.members.iter().map(|at| &code[*at].0));
        let is_stored = |reg: &VReg| Some(*reg) == self.store;
        let is_wanted = |reg: &VReg| writes.of(*reg) > 1 || uses.of(*reg) > inside.of(*reg);
        let mut wanted: Vec<(usize, VReg)> =
            self.values.iter().filter(|(reg, _)| !is_stored(reg) && is_wanted(reg)).map(|(reg, value)| (*value, *reg)).collect();
        wanted.sort_unstable();
        wanted.extend(self.store.map(|reg| (self.values[&reg], reg)));
        wanted
    }
}

/// Whether a reduction is of rows that a region takes.
fn suits(fold: &FoldRows) -> bool {
    let size = fold.src.elem.size();
    fold.is_reduction && size > 1 && fold.extent * size >= SHORTEST_ROW && fold.extent <= LONGEST_ROW
}
