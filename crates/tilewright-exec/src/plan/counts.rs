//! How often code reads and writes registers.

use super::{Inst, VReg, tile::Base};

/// A number for each register.
#[derive(Debug, Default)]
pub(crate) struct Counts(Vec<usize>);

impl Counts {
    /// No counts yet, with room for the registers of mostly one result each.
    fn with_room_for(code: &[(Inst, u32)]) -> Counts {
        Counts(Vec::with_capacity(2 * code.len()))
    }

    /// How often instructions read each register.
    pub(crate) fn of_reads<'a>(code: impl Iterator<Item = &'a Inst>) -> Counts {
        let mut reads = Counts::default();
        reads.count_reads(code);
        reads
    }

    /// How often instructions write each register.
    pub(crate) fn of_writes<'a>(code: impl Iterator<Item = &'a Inst>) -> Counts {
        let mut writes = Counts::default();
        code.for_each(|inst| inst.for_each_write(|reg| writes.add(reg)));
        writes
    }

    fn count_reads<'a>(&mut self, code: impl Iterator<Item = &'a Inst>) {
        for inst in code {
            inst.for_each_read(|tile| {
                if let Base::Reg(reg) = tile.base {
                    self.add(reg);
                }
            });
        }
    }

    /// The number of a register.
    pub(crate) fn of(&self, reg: VReg) -> usize {
        self.0.get(reg.index()).copied().unwrap_or(0)
    }

    /// Adds one to the number of a register.
    pub(crate) fn add(&mut self, reg: VReg) {
        if self.0.len() <= reg.index() {
            self.0.resize(reg.index() + 1, 0);
        }
        self.0[reg.index()] += 1;
    }

    /// Takes one off the number of a register; gives what is left.
    pub(crate) fn take(&mut self, reg: VReg) -> usize {
        let Some(count) = self.0.get_mut(reg.index()) else { return 0 };
        *count = count.saturating_sub(1);
        *count
    }
}

/// How often each register is read.
pub(crate) fn count_uses(code: &[(Inst, u32)]) -> Counts {
    let mut uses = Counts::with_room_for(code);
    uses.count_reads(code.iter().map(|(inst, _)| inst));
    uses
}

/// How many instructions write each register.
pub(crate) fn count_writes(code: &[(Inst, u32)]) -> Counts {
    let mut writes = Counts::with_room_for(code);
    code.iter().for_each(|(inst, _)| inst.for_each_write(|reg| writes.add(reg)));
    writes
}
