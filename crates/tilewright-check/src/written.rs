//! Which bytes of memory hold what somebody wrote.

use crate::{
    elements::{Elements, Run},
    lanes::Lanes,
    memory::Found,
    rules,
    state::{At, State},
    undefined::{Cause, Origin, Shadow, shadow},
};
use std::sync::Arc;

impl State<'_> {
    /// What is undefined of a tile that is loaded: elements that nobody wrote, or that are left out. Those that are outside of
    /// memory are reported already.
    pub(crate) fn loaded(&self, at: At, elements: &Elements, padding: Option<Shadow>) -> Shadow {
        let origin = |cause| Arc::new(Origin { function: at.function, op: at.op, block: at.block, cause });
        let mut lanes: Option<(Lanes, Cause)> = None;
        let mut add = |more: &Lanes, cause| match &mut lanes {
            Some((lanes, _)) => lanes.unite(more),
            none => *none = Some((more.clone(), cause)),
        };
        if let Some((unwritten, address)) = self.unwritten(elements) {
            add(&unwritten, Cause::NeverWritten(address));
        }
        match (&elements.left_out, padding) {
            (Some((left_out, cause)), None) => add(left_out, *cause),
            (Some((left_out, _)), Some(Some(padding))) => {
                let mut undefined = padding.lanes.clone();
                undefined.intersect(left_out);
                if lanes.is_none() {
                    return shadow(undefined, &padding.origin);
                }
                if let Some((lanes, _)) = &mut lanes {
                    lanes.unite(&undefined);
                }
            }
            _ => {}
        }
        lanes.and_then(|(lanes, cause)| shadow(lanes, &origin(cause)))
    }

    /// The elements that nobody wrote, and the address of one.
    fn unwritten(&self, elements: &Elements) -> Option<(Lanes, u64)> {
        let mut lanes: Option<(Lanes, u64)> = None;
        for run in &elements.runs {
            let Some(found) = run.found.filter(|found| self.memory.tracks(*found)) else { continue };
            if !self.memory.is_unwritten(found, run.address, run.bytes(elements.bits)) {
                continue;
            }
            for part in (0..run.count).map(|i| run.part(i, 1, elements.bits)) {
                if self.memory.is_unwritten(found, part.address, part.bytes(elements.bits)) {
                    lanes.get_or_insert_with(|| (Lanes::none(elements.len()), part.address)).0.insert(part.first);
                }
            }
        }
        lanes
    }

    /// Notes what a store writes, and reports undefined elements that it writes to memory that others see.
    pub(crate) fn stored(&mut self, at: At, elements: &Elements, value: &Shadow) {
        let mut worst: Option<(Run, usize)> = None;
        for run in &elements.runs {
            let Some(found) = run.found else { continue };
            let private = matches!(found, Found::Local(_));
            if self.memory.tracks(found) {
                self.memory.write(found, run.address, run.bytes(elements.bits), false);
            }
            let Some(value) = value else { continue };
            for part in (0..run.count).map(|i| run.part(i, 1, elements.bits)).filter(|part| value.lanes.contains(part.first)) {
                if private {
                    // A copy to memory of the block is harmless.
                    self.memory.write(found, part.address, part.bytes(elements.bits), true);
                } else {
                    worst = Some(worst.map_or((part, 1), |(first, count)| (first, count + 1)));
                }
            }
        }
        if let (Some((run, count)), Some(value)) = (worst, value) {
            let mut violation =
                self.violation_of(&rules::UNDEFINED_STORED, "it stores undefined elements".to_owned(), elements, &run, count);
            violation.other = Some(self.origin(&value.origin));
            self.violation(at, violation);
        }
    }
}
