//! Tiles that are read and written where they lie in memory, and not in their registers.

use super::{
    Block, Machine,
    registers::Registers,
    sweep::{self, Target},
};
use crate::{
    LaunchErrorKind,
    memory::AccessKind,
    plan::{Base, Coordinate, Sweep, Tile, VReg, ViewAccess},
};

/// Where the tiles lie that loads did not copy.
///
/// The plan allows that (`plan/in_place.rs`) only for a register that nothing but the load writes, and that is read only by
/// sweeps and folds of rows, behind the load in straight code. So every entry that is read was made by the load before, of the same
/// block.
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

    fn noted(&self, tile: &Tile) -> Option<*const u8> {
        self.0.iter().find(|(reg, _)| tile.base == Base::Reg(*reg)).map(|(_, host)| *host)
    }

    /// The first byte of a tile whose elements lie in order.
    pub(super) fn read(&self, tile: &Tile, regs: &Registers<'_>) -> *const u8 {
        self.noted(tile).unwrap_or_else(|| regs.read(tile))
    }

    /// Whether a sweep reads any of the `bytes` bytes at `place` in memory.
    fn reads(&self, sweep: &Sweep, place: *const u8, bytes: usize) -> bool {
        sweep.inputs.iter().map(|input| input.tile()).any(|tile| {
            self.noted(tile).is_some_and(|host| {
                let end = host.addr() + tile.numel() * tile.elem.size();
                host.addr() < place.addr() + bytes && place.addr() < end
            })
        })
    }
}

impl Machine<'_> {
    /// Runs a sweep that writes one result to memory, or else to its register, from where it is stored.
    pub(super) fn sweep_store(&mut self, sweep: &Sweep, view: &ViewAccess, src: &Tile, block: &mut Block) -> Result<(), LaunchErrorKind> {
        let place = self.whole_in_order(view, AccessKind::Write, block);
        let place = place.filter(|place| !self.in_place.reads(sweep, *place, sweep.n * view.size));
        let target = match (place, src.base) {
            (Some(place), Base::Reg(reg)) => Some(Target { reg, place }),
            _ => None,
        };
        let regs = self.registers(block);
        sweep::run(sweep, &regs, &self.in_place, target, &mut self.scratch);
        if target.is_some() { Ok(()) } else { self.store_view(view, src, block) }
    }

    /// The host address of a tile that lies in memory as it would in its register: whole, in order and aligned.
    ///
    /// `None` also where it lies outside of the buffers, because a copy finds the element that does, and where somebody wants to see
    /// each access.
    pub(super) fn whole_in_order(&mut self, view: &ViewAccess, kind: AccessKind, block: &mut Block) -> Option<*mut u8> {
        let regs = self.registers(block);
        let (offset, elements) = offset_in_order(view, &regs).filter(|_| self.launch.observer.is_none())?;
        let address = regs.scalar(&view.base).wrapping_add(offset.wrapping_mul(view.size as u64));
        let host = self.resolve(block, address, elements * view.size as u64, view.size as u64, kind).ok()?;
        Some(host).filter(|host| host.addr().is_multiple_of(view.size))
    }
}

/// The offset of the first element, and the number of elements, of a tile that lies whole and in order in its tensor.
fn offset_in_order(view: &ViewAccess, regs: &Registers<'_>) -> Option<(u64, u64)> {
    let (mut offset, mut elements) = (0u64, 1u64);
    for dim in view.dims.iter().rev() {
        let Coordinate::Origin { index, scale } = &dim.coordinate else { return None };
        let (tile, shape, stride) = (dim.tile as u64, regs.extent(&dim.shape), regs.extent(&dim.stride));
        let origin = regs.scalar(index).checked_mul(*scale)?;
        let whole = origin.checked_add(tile)? <= shape;
        if !whole || tile != 1 && stride != elements {
            return None;
        }
        offset = offset.checked_add(origin.checked_mul(stride)?)?;
        elements *= tile;
    }
    // The last offset must be within the limit of all accesses.
    (offset.checked_add(elements)? <= i64::MAX.cast_unsigned()).then_some((offset, elements))
}
