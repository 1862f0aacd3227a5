//! Loads of tiles of which others are windows (`plan/windows.rs`).

use super::{Block, Machine};
use crate::plan::LoadWindows;

impl Machine<'_> {
    /// Loads a tile, or leaves it where it lies, and lets the registers of its windows lie in it; `false` if it cannot be loaded, or somebody wants to see
    /// what is accessed: then the loads behind it are to load each window alone.
    #[inline(never)]
    pub(super) fn load_windows(&mut self, load: &LoadWindows, block: &mut Block) -> bool {
        if self.launch.observer.is_some() || self.load_view(&load.view, load.dst, load.readers, block).is_err() {
            return false;
        }
        self.in_place.open_windows(load, &mut block.frame);
        true
    }
}
