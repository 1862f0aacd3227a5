//! What registers of finished code depend on, and how often instructions run.

use super::{Base, Inst, Tile};

/// A round of a loop is taken for so many.
const ROUNDS: usize = 8;

/// About how often each instruction of finished code runs.
pub(super) fn rounds(code: &[Inst]) -> Vec<usize> {
    let mut rounds = vec![1usize; code.len()];
    for (at, inst) in code.iter().enumerate() {
        if let Some(target) = inst.target().filter(|target| *target <= at) {
            rounds[target..=at].iter_mut().for_each(|rounds| *rounds = rounds.saturating_mul(ROUNDS));
        }
    }
    rounds
}

/// For each register, along which axes of the grid blocks may have something else in it: a bit for each.
pub(super) struct Dependences(Vec<u8>);

impl Dependences {
    /// Those of finished code.
    pub(super) fn of(code: &[Inst]) -> Dependences {
        let mut found = Dependences(Vec::new());
        // What a loop carries comes back to its head.
        while found.pass(code) {}
        found
    }

    /// Looks at each instruction once; whether something is new.
    fn pass(&mut self, code: &[Inst]) -> bool {
        let mut is_new = false;
        for inst in code {
            match inst {
                Inst::BlockId(ids) => ids.iter().enumerate().for_each(|(axis, id)| is_new |= self.add(id.index(), 1 << axis)),
                // How often blocks go round does not say what they read in a round.
                Inst::ForHead { .. } | Inst::ForNext { .. } => {}
                inst => {
                    let read = self.of_reads(|visit| inst.for_each_read(visit));
                    inst.for_each_write(|reg| is_new |= self.add(reg.index(), read));
                }
            }
        }
        is_new
    }

    /// Notes that a register depends on these axes, too; whether that is new.
    fn add(&mut self, register: usize, axes: u8) -> bool {
        if self.0.len() <= register {
            self.0.resize(register + 1, 0);
        }
        let before = self.0[register];
        self.0[register] |= axes;
        self.0[register] != before
    }

    /// The axes that any of the tiles depends on.
    pub(super) fn of_reads(&self, visit_all: impl FnOnce(&mut dyn FnMut(&Tile))) -> u8 {
        let mut axes = 0;
        visit_all(&mut |tile| {
            if let Base::Reg(reg) = tile.base {
                axes |= self.0.get(reg.index()).copied().unwrap_or_default();
            }
        });
        axes
    }
}
