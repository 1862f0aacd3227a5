//! Loads and stores through views.
//!
//! The part of a tile that lies inside the tensor is a box: a count and a stride for each dimension. Its first and last
//! element are checked once, then it is copied run by run. A gathered dimension makes one box for each of its positions.
#![allow(unsafe_code, reason = "copies between registers and buffers")]

use super::{
    Block, Launch, Machine, atomics,
    frame::Frame,
    lanes::Lanes,
    nibbles,
    tiling::Axis,
    updates::{self, Change, Updates},
};
use crate::{
    AccessFault, LaunchErrorKind,
    budget::{Budget, Reservation},
    cpu::Level,
    interrupt::{Looks, PART},
    kernels::boxes::{self as copies, Dim, Stores, copy_element},
    memory::{Access, AccessKind, raw::Strong},
    plan::{Coordinate, Extent, Placement, Readers, Tile, VReg, ViewAccess, ViewDim, row_major},
};
use smallvec::SmallVec;
use std::sync::Arc;
use tilewright_ir::{AtomicRMWMode, MemoryOrderingSemantics, Scalar};

/// Bytes of the longest tile that is copied as one run, which takes as long as finding out how else it could be copied.
const MOST_AT_ONCE: usize = 1 << 12;

/// The largest offset of an element (SEMANTICS c.11).
const MAX_OFFSET: u128 = i64::MAX as u128;

/// The axes of a box, the outermost first.
pub(super) type Axes = SmallVec<[Axis; 2]>;

/// A box of elements.
#[derive(Debug)]
pub(super) struct Region {
    pub(super) axes: Axes,
    /// Offset of the first element in memory, in elements.
    pub(super) offset: u128,
    /// Position of the first element in the tile.
    pub(super) position: usize,
}

/// Which way elements go.
#[derive(Clone, Copy)]
pub(super) enum Direction {
    Load(*mut u8),
    Store(*const u8),
    Combine(*const u8, AtomicRMWMode),
}

impl Direction {
    pub(super) fn kind(self) -> AccessKind {
        match self {
            Direction::Load(_) => AccessKind::Read,
            Direction::Store(_) => AccessKind::Write,
            Direction::Combine(..) => AccessKind::ReadModifyWrite,
        }
    }
}

/// Where an element of a tile is in the order of the program, which may have some of its dimensions backwards.
fn in_program(view: &ViewAccess, position: usize) -> usize {
    let backwards = |dim: &usize| {
        let (pitch, extent) = (view.tile[dim + 1..].iter().product::<usize>(), view.tile[*dim]);
        let index = position / pitch % extent;
        (extent - 1 - index).wrapping_sub(index).wrapping_mul(pitch)
    };
    view.reversed.iter().map(backwards).fold(position, usize::wrapping_add)
}

impl Machine<'_> {
    /// Loads a tile into its register; or only notes where it lies, if its readers can read it there.
    #[inline]
    pub(super) fn load_view(&mut self, view: &ViewAccess, dst: VReg, readers: Readers, block: &mut Block) -> Result<(), LaunchErrorKind> {
        let is_loaded = match readers {
            Readers::Any => self.load_run(view, dst, block),
            _ => self.leave_in_place(view, dst, readers, block),
        };
        if is_loaded || self.load_inside(view, dst, block) { Ok(()) } else { self.load_copy(view, dst, readers, block) }
    }

    /// Copies a tile to its register whose elements lie side by side where the launch knows; `false`, and nothing was done, if that is not so.
    #[inline]
    fn load_run(&mut self, view: &ViewAccess, dst: VReg, block: &Block) -> bool {
        let regs = &block.frame;
        let Some((host, bytes)) =
            self.launch.find_run(view, regs).filter(|(_, bytes)| view.element != Scalar::I1 && *bytes <= MOST_AT_ONCE)
        else {
            return false;
        };
        let target = regs.write(dst);
        // SAFETY: the tile lies whole in a buffer, and the register has room for it.
        unsafe { copies::copy_run(bytes, view.size, host, target) };
        if bytes > view.size {
            self.read_next_ahead(dst, host, &[Dim { count: bytes / view.size, from: 1, to: 1 }], view.size);
        }
        true
    }

    /// Writes a tile that lies side by side in its register, and in memory where the launch knows; `false`, and nothing was done, if that is not so, or if
    /// other tiles are read where they lie in memory that it might write.
    #[inline]
    fn store_run(&mut self, view: &ViewAccess, src: &Tile, block: &Block) -> bool {
        let (regs, launch) = (&block.frame, self.launch);
        let is_free =
            |number: usize| launch.plan.past_stores.is_empty() || launch.tilings[number].as_ref().is_some_and(|tiling| tiling.apart);
        if !view.fixed.is_some_and(is_free) || regs.is_in_memory(src) || !src.is_contiguous() {
            return false;
        }
        let is_short = |bytes: usize| bytes <= MOST_AT_ONCE && self.stores(bytes, block.pc) == Stores::Cached;
        let Some((host, bytes)) = launch.find_run(view, regs).filter(|(_, bytes)| is_short(*bytes)) else { return false };
        // SAFETY: the tile belongs whole into a buffer, and the register holds it; the two do not overlap.
        unsafe { copies::copy_run(bytes, view.size, regs.read(src), host) };
        true
    }

    /// Loads a tile into its register.
    #[inline(never)]
    fn load_copy(&mut self, view: &ViewAccess, dst: VReg, readers: Readers, block: &mut Block) -> Result<(), LaunchErrorKind> {
        if view.packed {
            nibbles::check(view, &block.frame)?;
        }
        let target = block.frame.write(dst);
        let mut made = None;
        if view.element != Scalar::I1
            && let Some((host, tiling)) = self.launch.find_tile(view, AccessKind::Read, block, &mut self.hint, &mut made)
        {
            let dims = tiling.axes.map(|axis| Dim { count: axis.count, from: axis.stride as usize, to: axis.pitch });
            // SAFETY: the tile lies whole in a buffer; the register has room for it.
            unsafe { copies::copy(Level::best(), &dims, view.size, host, target) };
            self.read_next_ahead(dst, host, &dims, view.size);
            return Ok(());
        }
        let (pitches, elements) = (pitches_of(&view.tile), view.tile.iter().product());
        let pad = |inside: usize| {
            if inside < elements {
                // SAFETY: the register holds the whole tile.
                unsafe { super::copy::spread(view.padding.to_le_bytes().as_ptr(), view.size, elements, target) };
            }
        };
        if let Some(rows) = self.find_rows(view, AccessKind::Read, &pitches, block) {
            if let (Readers::Stores, Some(first)) = (readers, rows.first())
                && rows.elements() == elements
            {
                self.leave_rows(dst, first, rows, &mut block.frame);
                return Ok(());
            }
            pad(rows.elements());
            self.transfer_rows(view, &rows, Direction::Load(target));
            self.give_back(rows);
        } else if self.load_boxes(view, &pitches, dst, block).or_else(|| self.load_runs(view, dst, block)).is_some() {
            return Ok(());
        } else {
            let boxes = boxes(view, AccessKind::Read, &pitches, &block.frame, self.launch)?;
            pad(boxes.list.iter().map(Region::elements).sum());
            self.transfer_all(view, &boxes, Direction::Load(target), block)?;
        }
        if view.element == Scalar::I1 {
            atomics::normalise_bits(target, elements);
        }
        atomics::fence_after(view.order.semantics);
        Ok(())
    }

    /// Stores a tile.
    #[inline]
    pub(super) fn store_view(&mut self, view: &ViewAccess, src: &Tile, block: &mut Block) -> Result<(), LaunchErrorKind> {
        if self.store_run(view, src, block) { Ok(()) } else { self.store_copy(view, src, block) }
    }

    #[inline(never)]
    fn store_copy(&mut self, view: &ViewAccess, src: &Tile, block: &mut Block) -> Result<(), LaunchErrorKind> {
        if self.store_whole(view, src, block) || self.store_as_rows(view, src, block) {
            return Ok(());
        }
        self.in_place.settle(src, &mut block.frame);
        if self.store_inside(view, src, block) {
            return Ok(());
        }
        let regs = &block.frame;
        if view.packed {
            nibbles::check(view, regs)?;
        }
        let source = regs.read(src);
        if let Some(rows) = self.find_rows(view, AccessKind::Write, &src.strides, block) {
            self.transfer_rows(view, &rows, Direction::Store(source));
            self.give_back(rows);
            return Ok(());
        }
        if self.store_boxes(view, src, block).or_else(|| self.store_runs(view, src, block)).is_some() {
            return Ok(());
        }
        let boxes = boxes(view, AccessKind::Write, &src.strides, regs, self.launch)?;
        atomics::fence_before(view.order.semantics);
        self.transfer_all(view, &boxes, Direction::Store(source), block)
    }

    pub(super) fn atomic_view(
        &mut self,
        view: &ViewAccess,
        mode: AtomicRMWMode,
        src: &Tile,
        block: &mut Block,
    ) -> Result<(), LaunchErrorKind> {
        let regs = &block.frame;
        let source = regs.read(src);
        if let Some(rows) = self.find_rows(view, AccessKind::ReadModifyWrite, &src.strides, block) {
            atomics::fence_before(view.order.semantics);
            self.transfer_rows(view, &rows, Direction::Combine(source, mode));
            self.give_back(rows);
        } else {
            let boxes = boxes(view, AccessKind::ReadModifyWrite, &src.strides, regs, self.launch)?;
            atomics::fence_before(view.order.semantics);
            self.transfer_all(view, &boxes, Direction::Combine(source, mode), block)?;
        }
        atomics::fence_after(view.order.semantics);
        Ok(())
    }

    /// Copies boxes between a register and memory.
    fn transfer_all(&mut self, view: &ViewAccess, boxes: &Boxes, direction: Direction, block: &Block) -> Result<(), LaunchErrorKind> {
        if direction.kind() != AccessKind::Read && !self.check_all(view, boxes, direction.kind(), block)? {
            return Ok(());
        }
        let mut looks = Looks::new();
        for region in &boxes.list {
            if looks.end_after(region.elements()) {
                return Ok(());
            }
            self.transfer(view, boxes.base, region, direction, block)?;
        }
        Ok(())
    }

    /// Finds all boxes, where there are several, before any of them is written: an access that fails has written nothing, as one through
    /// pointers ([`Machine::check_each`]). `false` if the launch is to end.
    fn check_all(&mut self, view: &ViewAccess, boxes: &Boxes, kind: AccessKind, block: &Block) -> Result<bool, LaunchErrorKind> {
        let mut looks = Looks::new();
        // Elements that share bytes are never updated, and may be stored twice.
        if boxes.list.len() < 2 || view.packed {
            return Ok(true);
        }
        for region in boxes.list.iter().filter(|region| region.elements() > 0) {
            if looks.end_after(1) {
                return Ok(false);
            }
            let place =
                self.locate(view, boxes.base, region, kind, block).map_err(|error| negative(view, &block.frame).unwrap_or(error))?;
            let is_strong = kind == AccessKind::ReadModifyWrite || view.order.semantics != MemoryOrderingSemantics::Weak;
            if is_strong && !place.host.addr().is_multiple_of(view.size) {
                return Err(AccessFault::Misaligned { address: place.address, size: view.size as u64 }.into());
            }
        }
        Ok(true)
    }

    /// Copies a box between a register and memory.
    fn transfer(
        &mut self,
        view: &ViewAccess,
        base: u64,
        region: &Region,
        direction: Direction,
        block: &Block,
    ) -> Result<(), LaunchErrorKind> {
        self.transfer_box(view, base, region, direction, block).map_err(|error| negative(view, &block.frame).unwrap_or(error))
    }

    fn transfer_box(
        &mut self,
        view: &ViewAccess,
        base: u64,
        region: &Region,
        direction: Direction,
        block: &Block,
    ) -> Result<(), LaunchErrorKind> {
        if region.elements() == 0 {
            return Ok(());
        }
        if view.packed {
            let span = region.span()?;
            return self.transfer_packed(view, base, region, span, direction, block);
        }
        let place = self.locate(view, base, region, direction.kind(), block)?;
        let copies = view.order.semantics == MemoryOrderingSemantics::Weak && !matches!(direction, Direction::Combine(..));
        if copies && self.launch.observer.is_none() {
            copy_box(view.size, &region.axes, place.host, direction, region.position);
            return Ok(());
        }
        self.copy_runs(view, region, direction, place, block)
    }

    /// Finds a box that is not empty, and checks its first and last element.
    fn locate(&mut self, view: &ViewAccess, base: u64, region: &Region, kind: AccessKind, block: &Block) -> Result<Place, LaunchErrorKind> {
        let size = view.size as u64;
        let (offset, span) = (region.offset as u64, region.span()?);
        let at = |offset: u64| base.wrapping_add(offset.wrapping_mul(size));
        let host = match span.checked_add(1).and_then(|elements| elements.checked_mul(size)) {
            Some(bytes) => self.resolve(block, at(offset), bytes, size, kind),
            None => Err(AccessFault::OffsetOverflow.into()),
        };
        match host {
            Ok(host) => Ok(Place { host, address: at(offset) }),
            Err(_) => {
                let apart = AccessFault::OutOfBounds { address: at(offset), size: span.saturating_mul(size), nearest: None };
                Err(self.first_fault(view, kind, block).unwrap_or(apart.into()))
            }
        }
    }

    /// Why the first element of a tile cannot be accessed that cannot be; the tile's order is that of its indices, as the program has it.
    #[cold]
    pub(super) fn first_fault(&mut self, view: &ViewAccess, kind: AccessKind, block: &Block) -> Option<LaunchErrorKind> {
        let mut first: Option<(usize, LaunchErrorKind)> = None;
        let Boxes { base, list, .. } = boxes(view, kind, &row_major(&view.tile), &block.frame, self.launch).ok()?;
        for region in list.iter().filter(|region| region.elements() > 0) {
            let start = region.offset as u64;
            let is_later = |position, first: &Option<(usize, _)>| first.as_ref().is_some_and(|(before, _)| *before <= position);
            let begin = in_program(view, region.position);
            match region.span() {
                Err(fault) if !is_later(begin, &first) => first = Some((begin, fault)),
                Err(_) => {}
                Ok(_) => region.for_each(1, |offset, position| {
                    let position = in_program(view, position);
                    if is_later(position, &first) {
                        return;
                    }
                    let (offset, size) = (start + offset, view.size as u64);
                    let offset = if view.packed { offset / 2 } else { offset.wrapping_mul(size) };
                    if let Err(fault) = self.resolve(block, base.wrapping_add(offset), size, size, kind) {
                        first = Some((position, fault));
                    }
                }),
            }
        }
        first.map(|(_, fault)| fault)
    }

    /// Copies a checked box, one run along its innermost dimension at a time.
    fn copy_runs(
        &self,
        view: &ViewAccess,
        region: &Region,
        direction: Direction,
        place: Place,
        block: &Block,
    ) -> Result<(), LaunchErrorKind> {
        let whole = Axis::SINGLE;
        let (inner, outer) = region.axes.split_last().map_or((&whole, &[][..]), |(inner, outer)| (inner, outer));
        let runs: usize = outer.iter().map(|a| a.count).product();
        let strong = view.order.semantics != MemoryOrderingSemantics::Weak;
        let run = |count| Run { element: view.element, size: view.size, strong, alone: self.launch.alone, axis: Axis { count, ..*inner } };
        let mut looks = Looks::new();
        for mut r in 0..runs {
            let (mut offset, mut position) = (0u64, region.position);
            for axis in outer.iter().rev() {
                let i = r % axis.count;
                r /= axis.count;
                offset += i as u64 * axis.stride;
                position += i * axis.pitch;
            }
            let bytes = offset as usize * view.size;
            // SAFETY: the box was checked, so every run lies inside one buffer; the register holds the whole tile.
            let host = unsafe { place.host.add(bytes) };
            self.observe(view, direction, place.address + bytes as u64, inner, block);
            for from in (0..inner.count).step_by(PART) {
                let count = PART.min(inner.count - from);
                if looks.end_after(count) {
                    return Ok(());
                }
                // SAFETY: as above.
                unsafe { run(count).copy(host.add(from * inner.stride as usize * view.size), direction, position + from * inner.pitch) }
                    .ok_or(AccessFault::Misaligned { address: place.address, size: view.size as u64 })?;
            }
        }
        Ok(())
    }

    /// Copies or combines those elements of a tile that lie in memory, one by one.
    #[cold]
    pub(super) fn transfer_each(
        &mut self,
        view: &ViewAccess,
        direction: Direction,
        pitches: &[usize],
        block: &Block,
    ) -> Result<(), LaunchErrorKind> {
        let boxes = boxes(view, direction.kind(), pitches, &block.frame, self.launch)?;
        let size = view.size as u64;
        let strong = view.order.semantics != MemoryOrderingSemantics::Weak;
        for region in boxes.list.iter().filter(|region| region.elements() > 0) {
            region.for_each(1, |offset, position| {
                let address = boxes.base.wrapping_add((region.offset as u64).wrapping_add(offset).wrapping_mul(size));
                if let Ok(host) = self.resolve(block, address, size, size, direction.kind()) {
                    let run = Run { element: view.element, size: view.size, strong, alone: self.launch.alone, axis: Axis::SINGLE };
                    // SAFETY: the element was resolved; the register holds the whole tile. One that the host has not aligned is left out.
                    let _ = unsafe { run.copy(host, direction, position) };
                }
            });
        }
        Ok(())
    }

    /// Shows a run to the observer: as one access where its elements lie side by side.
    fn observe(&self, view: &ViewAccess, direction: Direction, address: u64, axis: &Axis, block: &Block) {
        let Some(observer) = self.launch.observer else { return };
        let kind = direction.kind();
        let element = view.size as u64;
        let (pieces, bytes) = if axis.stride == 1 { (1, axis.count as u64 * element) } else { (axis.count as u64, element) };
        for i in 0..pieces {
            observer.access(&Access {
                block: block.id,
                op: self.op_index(block),
                kind,
                ordering: view.order.semantics,
                scope: view.order.scope,
                address: address + i * axis.stride * element,
                bytes,
                element,
            });
        }
    }
}

/// Copies a box, which was found to lie in a buffer, between memory and a position in the register, which holds the whole tile.
pub(super) fn copy_box(size: usize, axes: &[Axis], host: *mut u8, direction: Direction, position: usize) {
    let dims = |dim: fn(&Axis) -> Dim| axes.iter().map(dim).collect::<SmallVec<[Dim; 4]>>();
    // SAFETY: by what is said above; registers and buffers do not overlap.
    unsafe {
        match direction {
            Direction::Load(register) if let [Axis { count, stride: 0, pitch: 1 }] = *axes => {
                let mut element = 0u64;
                copy_element(size, host, (&raw mut element).cast());
                super::copy::spread((&raw const element).cast(), size, count, register.add(position * size));
            }
            Direction::Load(register) => {
                let dims = dims(|axis| Dim { count: axis.count, from: axis.stride as usize, to: axis.pitch });
                copies::copy(Level::best(), &dims, size, host, register.add(position * size));
            }
            Direction::Store(register) => {
                let dims = dims(|axis| Dim { count: axis.count, from: axis.pitch, to: axis.stride as usize });
                copies::copy(Level::best(), &dims, size, register.add(position * size), host);
            }
            Direction::Combine(..) => unreachable!("what is combined is not copied"),
        }
    }
}

/// The first element of a box in memory.
#[derive(Clone, Copy)]
struct Place {
    host: *mut u8,
    address: u64,
}

/// How to copy a run.
pub(super) struct Run {
    pub(super) element: Scalar,
    pub(super) size: usize,
    pub(super) strong: bool,
    /// Whether no other thread can access the memory.
    pub(super) alone: bool,
    pub(super) axis: Axis,
}

impl Run {
    /// Copies one run; `None` if the host's address is not aligned for a strong access.
    ///
    /// # Safety
    /// `host` and the register hold all elements of the run.
    pub(super) unsafe fn copy(&self, host: *mut u8, direction: Direction, position: usize) -> Option<()> {
        let Axis { count, stride, pitch } = self.axis;
        let side_by_side = stride == 1 && pitch == 1 && !self.strong;
        // SAFETY: by the contract; registers and buffers do not overlap.
        unsafe {
            match direction {
                Direction::Load(target) if side_by_side => {
                    std::ptr::copy_nonoverlapping(host, target.add(position * self.size), count * self.size);
                }
                Direction::Store(source) if side_by_side => {
                    std::ptr::copy_nonoverlapping(source.add(position * self.size), host, count * self.size);
                }
                Direction::Combine(source, mode) => {
                    // All elements are aligned as the first one is.
                    Strong::new(host, self.size)?;
                    let change = Change::Combine(mode, updates::Arguments { first: source, for_all: false });
                    let updates = Updates { element: self.element, change, old: None, alone: self.alone };
                    let cells = updates::StridedCells { host, size: self.size, position, axis: self.axis };
                    if !updates.add_row(&cells) {
                        updates.run(cells);
                    }
                }
                _ => {
                    let mut looks = Looks::new();
                    for i in 0..count {
                        if looks.end_after(1) {
                            break;
                        }
                        let memory = host.add(i * stride as usize * self.size);
                        let register = (position + i * pitch) * self.size;
                        self.copy_one(memory, direction, register)?;
                    }
                }
            }
        }
        Some(())
    }

    /// Copies one element; `register` is its byte in the tile.
    unsafe fn copy_one(&self, memory: *mut u8, direction: Direction, register: usize) -> Option<()> {
        // SAFETY: as in `copy`.
        unsafe {
            match direction {
                Direction::Combine(..) => unreachable!("updates go by runs"),
                Direction::Load(target) if self.strong => atomics::load(memory, target.add(register), self.size)?,
                Direction::Store(source) if self.strong => atomics::store(memory, source.add(register), self.size)?,
                Direction::Load(target) => copy_element(self.size, memory, target.add(register)),
                Direction::Store(source) => copy_element(self.size, source.add(register), memory),
            }
        }
        Some(())
    }
}

impl Region {
    pub(super) fn elements(&self) -> usize {
        self.axes.iter().map(|a| a.count).product()
    }

    /// How far the last element of a box that is not empty lies behind the first one.
    fn span(&self) -> Result<u64, LaunchErrorKind> {
        let span: u128 = self.axes.iter().map(|a| (a.count as u128 - 1) * u128::from(a.stride)).sum();
        if self.offset + span > MAX_OFFSET {
            return Err(AccessFault::OffsetOverflow.into());
        }
        Ok(span as u64)
    }
}

/// What is wrong with an access that failed, if a stride or an extent of its view is negative as a signed number.
#[cold]
fn negative(view: &ViewAccess, regs: &Frame) -> Option<LaunchErrorKind> {
    let look = |dim: usize, part: &'static str, extent: &Extent| {
        let Extent::Dynamic(tile) = extent else { return None };
        let (value, unused) = (regs.scalar(tile), 64 - 8 * tile.elem.size() as u32);
        let signed = (value << unused).cast_signed() >> unused;
        (signed < 0).then_some(AccessFault::Negative { part, dim, value, signed })
    };
    let Placement::Tensor(dims) = &view.places else { return None };
    let mut dims = dims.iter().enumerate();
    let fault = dims.find_map(|(i, dim)| look(i, "stride", &dim.stride).or_else(|| look(i, "extent", &dim.shape)));
    fault.map(LaunchErrorKind::from)
}

/// Boxes of elements, and the part of the launch's memory that they take.
#[derive(Default)]
pub(super) struct Boxes {
    /// The address that their offsets count from.
    pub(super) base: u64,
    pub(super) list: SmallVec<[Region; 1]>,
    #[expect(dead_code, reason = "gives back to the budget what the boxes take of it")]
    pub(super) reservation: Option<Reservation>,
}

/// Work on a box, in elements.
const BOX_WORK: usize = 16;

/// The strides of a tile in its register: as of `row_major`, without memory from the heap.
fn pitches_of(shape: &[usize]) -> SmallVec<[usize; 8]> {
    let (mut pitches, mut pitch) = (SmallVec::from_elem(0, shape.len()), 1);
    for (to, extent) in pitches.iter_mut().zip(shape).rev() {
        *to = pitch;
        pitch *= extent;
    }
    pitches
}

/// The boxes of a tile's elements that are accessed; `pitches` are the tile's strides in its register.
///
/// # Errors
/// When the launch has no memory for them: a gathered dimension makes one for each of its positions.
pub(super) fn boxes(
    view: &ViewAccess,
    kind: AccessKind,
    pitches: &[usize],
    regs: &Frame,
    launch: &Launch<'_>,
) -> Result<Boxes, LaunchErrorKind> {
    let (base, budget) = (regs.scalar(&view.base), &launch.budget);
    // A launch that is to end has no boxes: half of one would lie elsewhere.
    Ok(match &view.places {
        Placement::Tensor(dims) => {
            let gathered = dims.iter().zip(&view.tile).filter(|(dim, _)| matches!(dim.coordinate, Coordinate::Gather { .. }));
            let reservation = reserve(gathered.map(|(_, extent)| *extent).product(), budget)?;
            Boxes { base, list: boxes_in_tensor(dims, &view.tile, pitches, regs).map(SmallVec::from_vec).unwrap_or_default(), reservation }
        }
        Placement::Computed(function) => {
            let known = view.fixed.and_then(|number| launch.functions[number].as_ref());
            let (resolved, forms) = (known.map(|known| &known.resolved), known.map_or(&[][..], |known| &known.forms));
            let access = Lanes { function, size: view.size, written: kind != AccessKind::Read, regs, resolved, forms };
            access.boxes(base, (&view.tile, pitches), budget)?.unwrap_or_default()
        }
    })
}

/// Memory for so many boxes: a list may be made of another one.
///
/// # Errors
/// When the launch has none.
pub(super) fn reserve(boxes: usize, budget: &Arc<Budget>) -> Result<Option<Reservation>, LaunchErrorKind> {
    if boxes > 1 { Ok(Some(budget.reserve(boxes.saturating_mul(2 * size_of::<Region>()))?)) } else { Ok(None) }
}

/// The boxes of a tile that lie inside a tensor.
fn boxes_in_tensor(dims: &[ViewDim], tile: &[usize], pitches: &[usize], regs: &Frame) -> Option<Vec<Region>> {
    let mut regions = vec![Region { axes: Axes::new(), offset: 0, position: 0 }];
    let mut looks = Looks::new();
    for ((dim, &extent), &pitch) in dims.iter().zip(tile).zip(pitches) {
        let (shape, stride) = (regs.extent(&dim.shape), regs.extent(&dim.stride));
        match &dim.coordinate {
            Coordinate::Origin { index, scale } => {
                let origin = u128::from(regs.scalar(index)) * u128::from(*scale);
                let count = u128::from(shape).saturating_sub(origin).min(extent as u128) as usize;
                for region in &mut regions {
                    if looks.end_after(BOX_WORK) {
                        return None;
                    }
                    // Origins inside the tensor are below 2^64, so this does not overflow.
                    region.offset = region.offset.saturating_add(if count > 0 { origin * u128::from(stride) } else { 0 });
                    region.axes.push(Axis { count, stride, pitch });
                }
            }
            Coordinate::Gather { indices } => regions = gather(&regions, extent, indices, regs, (shape, stride, pitch), &mut looks)?,
        }
    }
    Some(regions)
}

/// The boxes that each becomes of those that are given: one for each position of a gathered dimension that lies inside the tensor; `None`
/// if the launch is to end.
fn gather(
    regions: &[Region],
    extent: usize,
    indices: &Tile,
    regs: &Frame,
    (shape, stride, pitch): (u64, u64, usize),
    looks: &mut Looks,
) -> Option<Vec<Region>> {
    let mut gathered = Vec::new();
    for (region, i) in regions.iter().flat_map(|region| (0..extent).map(move |i| (region, i))) {
        if looks.end_after(BOX_WORK) {
            return None;
        }
        let coordinate = regs.element(indices, i);
        if coordinate < shape {
            let offset = region.offset.saturating_add(u128::from(coordinate) * u128::from(stride));
            gathered.push(Region { axes: region.axes.clone(), offset, position: region.position + i * pitch });
        }
    }
    Some(gathered)
}
