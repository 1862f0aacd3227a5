//! What is the same for all blocks of a launch is computed once, when the launch begins.

use super::Lowerer;
use crate::plan::{Inst, Tile, tile::Base};

impl Lowerer<'_> {
    /// Emits an instruction that only computes its results and cannot fail; gives the results where they are found.
    ///
    /// If it reads nothing but constants of the launch, its results become constants of the launch, wherever the operation stands: also
    /// one that no block reaches does no harm.
    pub(super) fn compute<const N: usize>(&mut self, inst: Inst, results: [Tile; N]) -> [Tile; N] {
        let mut is_constant = !self.watched;
        inst.for_each_read(|tile| is_constant &= matches!(tile.base, Base::Const(_)));
        let rooms = results.each_ref().map(|tile| {
            let bytes = tile.numel() * tile.elem.size();
            if is_constant { self.constants.room(bytes) } else { None }
        });
        if rooms.iter().any(Option::is_none) {
            self.emit(inst);
            return results;
        }
        self.prologue.code.push(inst);
        let mut rooms = rooms.into_iter().flatten();
        results.map(|tile| match (tile.base, rooms.next()) {
            (Base::Reg(reg), Some(room)) => {
                self.prologue.places.push((reg, room));
                Tile { base: Base::Const(room), ..tile }
            }
            _ => tile,
        })
    }

    /// The same for an instruction with one result.
    pub(super) fn compute_one(&mut self, inst: Inst, result: Tile) -> Tile {
        let [tile] = self.compute(inst, [result]);
        tile
    }
}

#[cfg(test)]
mod tests {
    use crate::plan::{Inst, lower::testing::plan};

    /// What the plan of an entry does once, and what each block does: how many instructions. The body ends in an assertion about the
    /// value `%a`, of `n` elements.
    fn lengths(body: &str, n: &str) -> (usize, usize) {
        let text = format!(
            "entry @k(%n: tile<i32>) {{\n{body}\n%c = cmpi equal %a, %a, signed : tile<{n}i32> -> tile<{n}i1>
            assert %c, \"message\" : tile<{n}i1>\nreturn\n}}"
        );
        let plan = plan(&text);
        (plan.prologue.len(), plan.code.iter().filter(|inst| !matches!(inst, Inst::Return)).count())
    }

    #[test]
    fn what_depends_on_the_launch_only_is_computed_once() {
        let grid = "%x, %y, %z = get_num_tile_blocks : tile<i32>\n%a = muli %x, %n : tile<i32>";
        assert_eq!(lengths(grid, ""), (3, 1));
        assert_eq!(lengths(&grid.replace("num_tile_blocks", "tile_block_id"), ""), (0, 3));
        let tile = "%i = iota : tile<64xi32>\n%r = reshape %n : tile<i32> -> tile<1xi32>\n%b = broadcast %r : tile<1xi32> -> tile<64xi32>
            %a = muli %i, %b : tile<64xi32>";
        assert_eq!(lengths(tile, "64x"), (2, 1));
    }

    #[test]
    fn tiles_that_are_too_large_are_computed_by_each_block() {
        let tile = |n: usize| format!("%i = iota : tile<{n}xi32>\n%a = addi %i, %i : tile<{n}xi32>");
        assert_eq!(lengths(&tile(16384), "16384x"), (3, 1));
        assert_eq!(lengths(&tile(32768), "32768x"), (0, 3));
        let sums: String = (1..8).map(|i| format!("%a{i} = addi %i, %i : tile<8192xi32>\n")).collect();
        assert_eq!(lengths(&format!("%i = iota : tile<8192xi32>\n{sums}%a = addi %i, %i : tile<8192xi32>"), "8192x"), (8, 2));
    }
}
