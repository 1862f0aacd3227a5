//! Tiles that row regions read where they lie: rows a distance apart, of which a part may be outside of the tensor.

use super::InPlace;
use crate::{
    memory::AccessKind,
    plan::{Tile, VReg, ViewAccess},
    vm::{Block, Machine, frame::Frame, tiling::row_pitch},
};
use smallvec::SmallVec;

/// How many different numbers of columns row regions have code for, for each tile that hangs over an edge.
const MOST_COLUMNS: usize = 4;

/// For registers, how many columns of a row were inside.
pub(super) type KnownColumns = Vec<(VReg, SmallVec<[usize; MOST_COLUMNS]>)>;

impl InPlace {
    /// The rows of so many elements of a tile that a load left in memory: how far apart they lie, how many columns lie there, and the bits of the others.
    /// `None` if it is in its register, or lies otherwise.
    pub(in crate::vm) fn rows_of(&self, tile: &Tile, regs: &Frame, row: usize) -> Option<(usize, usize, u64)> {
        let whole = self.find(tile, regs).filter(|whole| whole.rows.is_none())?;
        let pitch = if whole.in_order { row } else { row_pitch(&whole.axes, row)? };
        let (columns, padding) = whole.inside.unwrap_or((row, 0));
        Some((pitch, columns, padding))
    }

    /// Whether row regions may have code for tiles of a register of which so many columns are inside: for a few of these numbers.
    pub(in crate::vm) fn knows_columns(&mut self, reg: VReg, columns: usize) -> bool {
        let at = self.columns.iter().position(|(other, _)| *other == reg).unwrap_or_else(|| {
            self.columns.push((reg, SmallVec::new()));
            self.columns.len() - 1
        });
        let known = &mut self.columns[at].1;
        let is_new = !known.contains(&columns);
        if is_new && known.len() < MOST_COLUMNS {
            known.push(columns);
        }
        known.contains(&columns)
    }
}

impl Machine<'_> {
    /// Leaves a tile where it lies of which a part of each row is outside of its tensor, if row regions can read it there.
    #[inline(never)]
    pub(super) fn leave_part(&mut self, view: &ViewAccess, dst: VReg, row: usize, block: &mut Block) -> bool {
        let Some(inside) = self.part_inside(view, AccessKind::Read, block) else { return false };
        let (Some(host), Some((columns, _)), Some(axes)) = (inside.host, inside.rows_of(row), inside.axes()) else { return false };
        if columns == row || !self.in_place.knows_columns(dst, columns) {
            return false;
        }
        let whole = self.in_place.of_register(dst);
        let last = std::mem::replace(&mut whole.host, host);
        whole.guess_next(last);
        (whole.axes, whole.in_order) = (axes, false);
        // The distances of whole tiles are found anew.
        (whole.fixed, whole.rows, whole.inside) = (None, None, Some((columns, view.padding)));
        block.frame.lend(dst, host);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_numbers_of_columns_are_known() {
        let mut in_place = InPlace::default();
        let known: Vec<bool> = [5, 6, 5, 7, 8, 9, 8, 5].map(|columns| in_place.knows_columns(VReg(3), columns)).into();
        assert_eq!(known, [true, true, true, true, true, false, true, true]);
        assert!(in_place.knows_columns(VReg(4), 9), "of another register");
    }
}
