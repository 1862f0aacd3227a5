//! Tiles that are read where they lie in memory, and not from their registers.

use super::registers::Registers;
use crate::plan::{Base, Tile, VReg};

/// Where the tiles lie that loads did not copy.
///
/// The plan allows that (`plan/in_place.rs`) only for a register that nothing but the load writes, and that is read only by
/// sweeps, behind the load in straight code. So every entry that is read was made by the load before, of the same block.
#[derive(Default)]
pub(super) struct InPlace(Vec<(VReg, *const u8)>);

impl InPlace {
    /// The register holds its tile.
    pub(super) fn forget(&mut self, reg: VReg) {
        self.0.retain(|(other, _)| *other != reg);
    }

    /// The tile of the register lies at `host`, in order and aligned to its elements.
    pub(super) fn note(&mut self, reg: VReg, host: *const u8) {
        self.0.push((reg, host));
    }

    /// The first byte of a tile whose elements lie in order.
    pub(super) fn read(&self, tile: &Tile, regs: &Registers<'_>) -> *const u8 {
        let noted = self.0.iter().find(|(reg, _)| tile.base == Base::Reg(*reg));
        noted.map_or_else(|| regs.read(tile), |(_, host)| *host)
    }
}
