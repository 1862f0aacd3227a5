//! Sweeps that gather: vector code loads what lies where its own steps say, in the pass that computes on.
//!
//! ```text
//! address in a buffer ─► vector code, which compares each place with the buffer's length ─► all lay inside: done
//!                                                                       │ else
//!                                                                       ▼
//! for each gather: vector code writes indices and masks ─► elements are loaded one by one ─► vector code goes on from what was loaded
//! ```
//!
//! The second way is that of loads through pointers: it loads from several buffers, fails with the first access that is not allowed, shows accesses to
//! observers, and fetches ahead from buffers that are larger than caches.
#![allow(unsafe_code, reason = "hands buffers to vector code, and loads from them through raw pointers")]

use super::{
    Block, Machine,
    bytes::AlignedBytes,
    region::{Outside, Run, buffer_at},
};
use crate::{
    LaunchErrorKind,
    cpu::Level,
    interrupt::{Looks, PART, in_parts},
    kernels::{
        ahead::Ahead,
        exact::read,
        scattered::{self, Pointers},
    },
    memory::AccessKind,
    plan::{Gathered, Gathers, Order, REACH, Sweep, Tile},
};
use smallvec::SmallVec;
use tilewright_ir::MemoryOrderingSemantics;
use tilewright_vector::Buffer;

/// What vector code is told that gathers.
pub(super) struct Windows<'a> {
    /// The buffers that it gathers from, each from its address on.
    pub(super) buffers: SmallVec<[Buffer<'a>; 4]>,
    /// How it computes indices.
    pub(super) gathers: Gathers,
}

impl Default for Windows<'_> {
    /// Those of what gathers nothing.
    fn default() -> Self {
        Windows { buffers: SmallVec::new(), gathers: Gathers::Fused }
    }
}

/// From larger buffers than this, elements are fetched before they are loaded, which vector code does not do. With smaller ones it was measured to be no slower.
const FAR: u64 = 64 << 20;

impl<'l> Machine<'l> {
    /// Where vector code may gather; none where it cannot.
    pub(super) fn windows(&mut self, sweep: &Sweep, block: &Block) -> Option<Windows<'l>> {
        if self.launch.observer.is_some() {
            return None;
        }
        if self.has_narrow_indices(sweep, block)
            && let Some(buffers) = self.narrow_windows(sweep, block)
        {
            return Some(Windows { buffers, gathers: Gathers::Narrow });
        }
        let buffers = sweep.gathers().map(|(_, gathered)| self.window(gathered, 0, block)).collect::<Option<_>>()?;
        Some(Windows { buffers, gathers: Gathers::Fused })
    }

    /// The buffers from where narrow indices begin; none if some begin outside of them.
    fn narrow_windows(&mut self, sweep: &Sweep, block: &Block) -> Option<SmallVec<[Buffer<'l>; 4]>> {
        let narrow = sweep.region()?.narrow(sweep)?;
        let first = |number| narrow.addend(number, sweep, |tile| constant(tile, block)).unwrap_or(0);
        sweep.gathers().enumerate().map(|(number, (_, gathered))| self.window(gathered, first(number), block)).collect()
    }

    /// Whether the indices of a sweep fit 32 bits, of those that are computed so.
    fn has_narrow_indices(&mut self, sweep: &Sweep, block: &Block) -> bool {
        let Some(narrow) = sweep.region().and_then(|region| region.narrow(sweep)) else { return false };
        if self.narrow.len() <= block.pc {
            self.narrow.resize(block.pc + 1, None);
        }
        // All numbers that decide are constants of the launch.
        *self.narrow[block.pc].get_or_insert_with(|| narrow.holds(sweep, |tile| constant(tile, block)))
    }

    /// What may be gathered from the element `first` behind its address on.
    fn window(&mut self, gathered: &Gathered, first: u64, block: &Block) -> Option<Buffer<'l>> {
        let size = gathered.elem.size() as u64;
        let from = address(gathered, block);
        let address = from.wrapping_add(first.wrapping_mul(size));
        let window = self.launch.memory.window(from, size, AccessKind::Read, &mut self.hint)?;
        let bytes = window.last.checked_add(size)?.checked_sub(address).filter(|_| address >= window.address)?;
        if !address.is_multiple_of(size) || bytes > FAR {
            return None;
        }
        // SAFETY: the buffer has so many bytes from there on, which can be read while the launch runs.
        Some(unsafe { buffer_at(window.place(address), (bytes as usize).min(REACH - size as usize), false) })
    }

    /// Runs a sweep that gathers on registers, wherever loads left them.
    #[inline(never)]
    pub(super) fn sweep_gathering(&mut self, sweep: &Sweep, block: &mut Block) -> Result<(), LaunchErrorKind> {
        if let Some(windows) = self.windows(sweep, block)
            && self.sweep_from(sweep, &windows, block).is_ok()
        {
            return Ok(());
        }
        self.gather_first(sweep, block)
    }

    /// Runs a sweep after all that it gathers has been loaded.
    #[cold]
    pub(super) fn gather_first(&mut self, sweep: &Sweep, block: &mut Block) -> Result<(), LaunchErrorKind> {
        let Some(region) = sweep.region() else { unreachable!("what gathers is vector code") };
        for tile in sweep.inputs.iter().map(|input| input.tile()) {
            if self.in_place.strided(tile, &block.frame).is_some() {
                self.in_place.settle(tile, &mut block.frame);
            }
        }
        let stays_inside = |ran: Result<(), Outside>| ran.unwrap_or_else(|Outside| unreachable!("what has been loaded is there"));
        let (mut loaded, mut starts) = (SmallVec::<[AlignedBytes; 4]>::new(), SmallVec::<[*mut u8; 4]>::new());
        for (number, (_, gathered)) in sweep.gathers().enumerate() {
            let room = |bytes: usize| AlignedBytes::zeroed(sweep.n * bytes, &self.launch.budget);
            let (index, mut mask) = (room(gathered.index.1.size())?, room(1)?);
            if gathered.mask.is_none() {
                mask.as_mut_slice().fill(1);
            }
            let run = Run::new(sweep, region, &block.frame, None);
            let places = Some([index.start(), mask.start()]);
            stays_inside(run.gathering(Gathers::Places(number), &[], &starts, places).in_order(sweep.n, &mut Ahead::default()));
            if self.launch.interrupt.was_seen() {
                return Ok(());
            }
            let (addresses, values) = (room(size_of::<u64>())?, room(gathered.elem.size())?);
            // SAFETY: there is room for an address for each index, and nothing else uses it.
            let addresses = unsafe { std::slice::from_raw_parts_mut(addresses.start().cast::<u64>(), sweep.n) };
            compute_addresses(gathered, address(gathered, block), &index, addresses);
            self.site = Some(gathered.site);
            let pointers = Pointers { addresses, mask: Some(mask.as_mut_slice()) };
            self.load_elements(gathered.elem.size(), pointers, values.start(), block)?;
            self.site = None;
            starts.push(values.start());
            loaded.push(values);
        }
        let run = Run::new(sweep, region, &block.frame, None).gathering(Gathers::Loaded, &[], &starts, None);
        stays_inside(run.in_order(sweep.n, &mut Ahead::default()));
        Ok(())
    }

    /// Loads the elements at addresses that the mask leaves.
    fn load_elements(&mut self, size: usize, pointers: Pointers<'_>, to: *mut u8, block: &mut Block) -> Result<(), LaunchErrorKind> {
        let pointers = Pointers { mask: pointers.mask.filter(|mask| !scattered::all_set(mask)), ..pointers };
        let reach = scattered::reach(Level::best(), pointers, size as u64).filter(|_| self.launch.observer.is_none());
        let window = reach.and_then(|reach| {
            let window = self.launch.memory.window(reach.first, size as u64, AccessKind::Read, &mut self.hint)?;
            window.holds(reach).then_some(window)
        });
        if let Some(window) = window {
            // SAFETY: the window holds the elements that the mask leaves, and there is room for one for each address.
            unsafe {
                match size {
                    1 => window.load::<u8, false>(pointers, None, to),
                    2 => window.load::<u16, false>(pointers, None, to.cast()),
                    4 => window.load::<u32, false>(pointers, None, to.cast()),
                    _ => window.load::<u64, false>(pointers, None, to.cast()),
                }
            }
            return Ok(());
        }
        let mut looks = Looks::new();
        for (i, address) in pointers.addresses.iter().enumerate() {
            if looks.end_after(8) {
                return Ok(());
            }
            if pointers.mask.is_some_and(|mask| mask[i] & 1 == 0) {
                continue;
            }
            let order = Order { semantics: MemoryOrderingSemantics::Weak, scope: None };
            let host = self.observed(*address, size as u64, order, AccessKind::Read, block)?;
            // SAFETY: the address was resolved for an element; there is room for one for each.
            unsafe { std::ptr::copy_nonoverlapping(host, to.add(i * size), size) };
        }
        Ok(())
    }
}

/// The address that indices begin at.
fn address(gathered: &Gathered, block: &Block) -> u64 {
    constant(&gathered.base, block)
}

/// The bits of a tile of which all elements are the first.
fn constant(tile: &Tile, block: &Block) -> u64 {
    // SAFETY: registers and constants hold the tiles on them.
    unsafe { read(block.frame.read(tile), 0, tile.elem.size()) }
}

/// The addresses of the elements with these indices, as the program computes them.
fn compute_addresses(gathered: &Gathered, first: u64, indices: &AlignedBytes, addresses: &mut [u64]) {
    let (width, size) = (gathered.index.1.size(), gathered.elem.size() as u64);
    in_parts(addresses.len(), PART, |part| {
        for i in part {
            // SAFETY: there is an index for each address.
            let index = unsafe { read(indices.start(), i, width) };
            let index = if width == 4 { i64::from(index as i32) as u64 } else { index };
            addresses[i] = first.wrapping_add(index.wrapping_mul(size));
        }
    });
}
