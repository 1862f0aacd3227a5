//! Instructions that access memory.

use super::{
    Fault, LaunchErrorKind, convert,
    lanes::lanes_of,
    memory::{self, Refused},
    op::{Combine, Inst, Kind},
    printf,
    report::FindingKind,
    shared::{Access, Trouble},
    warp::{AsyncCopy, Run, Warp, fault, size_of},
};
use crate::{Type, module::Space};

/// The bytes that one lane accesses at once, at most.
const WIDEST: usize = 64;
/// The longest string that is printed.
const LONGEST: u64 = 1 << 16;

/// Which lane makes an access, by which instruction.
#[derive(Clone, Copy)]
struct By {
    pc: u32,
    lane: usize,
    atomic: bool,
}

impl By {
    fn new(pc: u32, lane: usize) -> By {
        By { pc, lane, atomic: false }
    }

    fn atomic(self) -> By {
        By { atomic: true, ..self }
    }

    fn of(inst: &Inst, pc: u32, lane: usize) -> By {
        By { pc, lane, atomic: inst.mods.order.is_some() || inst.mods.volatile }
    }

    fn access(self, warp: &Warp) -> Access<'_> {
        Access { thread: (warp.index * 32 + self.lane) as u16, clocks: &warp.clocks, pc: self.pc, atomic: self.atomic }
    }
}

/// The space that a generic address points into.
pub(super) fn space_of(address: u64) -> Option<Space> {
    Some(match address {
        memory::LOCAL.. => Space::Local,
        memory::SHARED.. => Space::Shared,
        _ => Space::Global,
    })
}

/// What memory holds after an atomic operation.
pub(super) fn combined(combine: Combine, ty: Type, old: u64, value: u64, other: u64) -> u64 {
    if combine == Combine::Add && ty.format().is_some() {
        return convert::add(ty, old, value);
    }
    let unused = 64 - ty.bits();
    let signed = |bits: u64| (bits << unused) as i64 >> unused;
    let result = match combine {
        Combine::Add => old.wrapping_add(value),
        Combine::Min if ty.is_signed() => {
            if signed(value) < signed(old) {
                value
            } else {
                old
            }
        }
        Combine::Max if ty.is_signed() => {
            if signed(value) > signed(old) {
                value
            } else {
                old
            }
        }
        Combine::Min => old.min(value),
        Combine::Max => old.max(value),
        Combine::Inc => {
            if old >= value {
                0
            } else {
                old + 1
            }
        }
        Combine::Dec => {
            if old == 0 || old > value {
                value
            } else {
                old - 1
            }
        }
        Combine::And => old & value,
        Combine::Or => old | value,
        Combine::Xor => old ^ value,
        Combine::Exch => value,
        Combine::Cas => {
            if old == value {
                other
            } else {
                old
            }
        }
    };
    result & (u64::MAX >> unused)
}

impl Run<'_, '_, '_> {
    /// The addresses of all lanes.
    fn addresses(warp: &Warp, register: u32, offset: i64) -> [u64; 32] {
        warp.file.get(register).map(|base| base.wrapping_add(offset as u64))
    }

    /// Space and address there, of an address that may be generic.
    fn place(space: Option<Space>, address: u64) -> (Space, u64) {
        match space {
            Some(space) => (space, address),
            None => match space_of(address) {
                Some(Space::Local) => (Space::Local, address - memory::LOCAL),
                Some(Space::Shared) => (Space::Shared, address - memory::SHARED),
                _ => (Space::Global, address),
            },
        }
    }

    fn outside(&self, space: Space, at: u64, size: usize, by: By) -> Fault {
        let what = match space {
            Space::Global | Space::Const => {
                format!("an access of {size} bytes outside of global memory, at address {at:#x}: {}", self.launch.memory.describe(at))
            }
            Space::Shared => {
                format!("an access of {size} bytes at byte {at} of shared memory, which has {} bytes", self.shared.bytes.len())
            }
            _ => format!("an access of {size} bytes at byte {at} of .{} memory, which has fewer", space.name()),
        };
        Fault { kind: LaunchErrorKind::Access(what), pc: by.pc, lane: by.lane }
    }

    fn refused(&self, refused: Refused, at: u64, size: usize, by: By) -> Fault {
        match refused {
            Refused::Outside => self.outside(Space::Global, at, size, by),
            Refused::ReadOnly => {
                let what = format!("a store to {}, which must not be written", self.launch.memory.describe(at));
                Fault { kind: LaunchErrorKind::Access(what), pc: by.pc, lane: by.lane }
            }
        }
    }

    fn check_alignment(at: u64, size: usize, by: By) -> Result<(), Fault> {
        if at.is_multiple_of(size as u64) {
            return Ok(());
        }
        let what = format!("an access of {size} bytes at address {at:#x}, which is not aligned to {size} bytes");
        Err(Fault { kind: LaunchErrorKind::Access(what), pc: by.pc, lane: by.lane })
    }

    fn in_local(&self, warp: &Warp, at: u64, size: usize, by: By) -> Result<usize, Fault> {
        let each = warp.local.len() / 32;
        match at.checked_add(size as u64) {
            Some(end) if end <= each as u64 => Ok(by.lane * each + at as usize),
            _ => Err(self.outside(Space::Local, at, size, by)),
        }
    }

    fn in_shared(&self, at: u64, size: usize, by: By) -> Result<usize, Fault> {
        match at.checked_add(size as u64) {
            Some(end) if end <= self.shared.bytes.len() as u64 => Ok(at as usize),
            _ => Err(self.outside(Space::Shared, at, size, by)),
        }
    }

    fn trouble(&mut self, warp: &Warp, trouble: Option<Trouble>, by: By) {
        let Some(trouble) = trouble else { return };
        let (block, thread) = (self.block, (warp.index * 32 + by.lane) as u32);
        match trouble {
            Trouble::Race { thread: other, pc: other_pc, wrote } => {
                self.journal.found(FindingKind::SharedRace, by.pc, block, thread, |journal| {
                    let verb = if wrote { "wrote" } else { "read" };
                    format!("thread {other} {verb} here, {}", journal.site(other_pc, block, other.into()))
                });
            }
            Trouble::Pending { thread: other } => {
                let message = format!("thread {other} copies to here and did not wait for it");
                self.journal.found(FindingKind::AsyncCopy, by.pc, block, thread, |_| message);
            }
            Trouble::Unwritten => {
                self.journal.found(FindingKind::UnwrittenRead, by.pc, block, thread, |_| "shared memory".to_owned());
            }
        }
    }

    fn unwritten(&mut self, warp: &Warp, by: By, what: &str) {
        self.journal.found(FindingKind::UnwrittenRead, by.pc, self.block, (warp.index * 32 + by.lane) as u32, |_| what.to_owned());
    }

    /// Reads bytes of a space for a lane.
    fn read(&mut self, warp: &Warp, space: Space, at: u64, target: &mut [u8], by: By) -> Result<(), Fault> {
        let size = target.len();
        match space {
            Space::Shared => {
                let at = self.in_shared(at, size, by)?;
                let access = by.access(warp);
                let trouble = self.shared.read(at, target, &access);
                self.trouble(warp, trouble, by);
            }
            Space::Local => {
                let at = self.in_local(warp, at, size, by)?;
                target.copy_from_slice(&warp.local[at..at + size]);
                if !warp.local_written[at..at + size].iter().all(|written| *written) {
                    self.unwritten(warp, by, "local memory");
                }
            }
            Space::Param => {
                let params = &self.launch.params;
                let found = usize::try_from(at).ok().and_then(|at| params.get(at..at.checked_add(size)?));
                let found = found.ok_or_else(|| self.outside(Space::Param, at, size, by))?;
                target.copy_from_slice(found);
            }
            _ => {
                let written = self.launch.memory.read(at, target).map_err(|refused| self.refused(refused, at, size, by))?;
                if !written {
                    self.unwritten(warp, by, "global memory");
                }
            }
        }
        Ok(())
    }

    fn write(&mut self, warp: &mut Warp, space: Space, at: u64, source: &[u8], by: By) -> Result<(), Fault> {
        let size = source.len();
        match space {
            Space::Shared => {
                let at = self.in_shared(at, size, by)?;
                let access = by.access(warp);
                let trouble = self.shared.write(at, source, &access, false);
                self.trouble(warp, trouble, by);
            }
            Space::Local => {
                let at = self.in_local(warp, at, size, by)?;
                warp.local[at..at + size].copy_from_slice(source);
                warp.local_written[at..at + size].fill(true);
            }
            Space::Param => return Err(self.outside(Space::Param, at, size, by)),
            _ => self.launch.memory.write(at, source).map_err(|refused| self.refused(refused, at, size, by))?,
        }
        Ok(())
    }

    /// Counts an access of a warp if it is one to shared memory.
    fn count_banks(&mut self, space: Option<Space>, addresses: &[u64; 32], mask: u32, size: usize) {
        let shared = |address: u64| Self::place(space, address);
        if shared(addresses[mask.trailing_zeros() as usize % 32]).0 == Space::Shared {
            let offsets = addresses.map(|address| shared(address).1);
            self.journal.shared.count(&offsets, mask, size as u64);
        }
    }

    pub(super) fn load(&mut self, warp: &mut Warp, inst: &Inst, pc: u32, mask: u32) -> Result<(), Fault> {
        let ty = inst.mods.ty(0);
        let (size, registers) = (size_of(ty), &inst.lists[0]);
        let all = size * registers.len();
        let addresses = Self::addresses(warp, inst.regs[0], inst.imm);
        self.count_banks(inst.mods.space, &addresses, mask, all);
        for lane in lanes_of(mask) {
            let (space, at) = Self::place(inst.mods.space, addresses[lane]);
            Self::check_alignment(at, all, By::new(pc, lane))?;
            let mut bytes = [0; WIDEST];
            self.read(warp, space, at, &mut bytes[..all], By::of(inst, pc, lane))?;
            for (part, register) in bytes[..all].chunks(size).zip(registers) {
                let mut word = [0; 8];
                word[..size].copy_from_slice(part);
                let value = convert::extended(u64::from_le_bytes(word), ty, inst.wide.into());
                warp.file.registers[*register as usize][lane] = value;
            }
        }
        Ok(())
    }

    pub(super) fn store(&mut self, warp: &mut Warp, inst: &Inst, pc: u32, mask: u32) -> Result<(), Fault> {
        let size = size_of(inst.mods.ty(0));
        let registers = &inst.lists[0];
        let all = size * registers.len();
        let addresses = Self::addresses(warp, inst.regs[0], inst.imm);
        self.count_banks(inst.mods.space, &addresses, mask, all);
        for lane in lanes_of(mask) {
            let (space, at) = Self::place(inst.mods.space, addresses[lane]);
            Self::check_alignment(at, all, By::new(pc, lane))?;
            let mut bytes = [0; WIDEST];
            for (part, register) in bytes[..all].chunks_mut(size).zip(registers) {
                part.copy_from_slice(&warp.file.get(*register)[lane].to_le_bytes()[..size]);
            }
            self.write(warp, space, at, &bytes[..all], By::of(inst, pc, lane))?;
        }
        Ok(())
    }

    /// Lanes take turns, in their order.
    pub(super) fn atomic(&mut self, warp: &mut Warp, inst: &Inst, pc: u32, mask: u32) -> Result<(), Fault> {
        let ty = inst.mods.ty(0);
        let size = size_of(ty);
        let returns = inst.kind == Kind::Atom;
        let first = usize::from(returns);
        let addresses = Self::addresses(warp, inst.regs[first], inst.imm);
        let values = *warp.file.get(inst.regs[first + 1]);
        let others = *warp.file.get(if inst.mods.combine == Some(Combine::Cas) { inst.regs[first + 2] } else { 0 });
        self.count_banks(inst.mods.space, &addresses, mask, size);
        for lane in lanes_of(mask) {
            let (space, at) = Self::place(inst.mods.space, addresses[lane]);
            Self::check_alignment(at, size, By::new(pc, lane))?;
            let mut word = [0; 8];
            self.read(warp, space, at, &mut word[..size], By::new(pc, lane).atomic())?;
            let old = u64::from_le_bytes(word);
            let value = values[lane] & (u64::MAX >> (64 - ty.bits()));
            let new = combined(inst.mods.combine.unwrap_or(Combine::Add), ty, old, value, others[lane]);
            self.write(warp, space, at, &new.to_le_bytes()[..size], By::new(pc, lane).atomic())?;
            if returns {
                warp.file.registers[inst.regs[0] as usize][lane] = old;
            }
        }
        Ok(())
    }

    /// The source is read now; the bytes arrive when the thread waits for them, or later.
    pub(super) fn copy_async(&mut self, warp: &mut Warp, inst: &Inst, pc: u32, mask: u32) -> Result<(), Fault> {
        let [target, source, size, given, ..] = inst.regs;
        let lane_0 = mask.trailing_zeros() as usize % 32;
        let size = warp.file.get(size)[lane_0] as usize;
        if ![4, 8, 16].contains(&size) {
            return Err(fault(LaunchErrorKind::Access(format!("an asynchronous copy has 4, 8 or 16 bytes, not {size}")), pc, mask));
        }
        let targets = Self::addresses(warp, target, inst.imm);
        let sources = Self::addresses(warp, source, inst.imm2);
        self.count_banks(Some(Space::Shared), &targets, mask, size);
        for lane in lanes_of(mask) {
            let given = if given == u32::MAX { size } else { (warp.file.get(given)[lane] as usize).min(size) };
            Self::check_alignment(targets[lane], size, By::new(pc, lane))?;
            let mut bytes = vec![0; size];
            if given > 0 {
                Self::check_alignment(sources[lane], size, By::new(pc, lane))?;
                self.read(warp, Space::Global, sources[lane], &mut bytes[..given], By::new(pc, lane))?;
            }
            let at = self.in_shared(targets[lane], size, By::new(pc, lane))?;
            let access = By::new(pc, lane).access(warp);
            let trouble = self.shared.write(at, &bytes, &access, true);
            self.trouble(warp, trouble, By::new(pc, lane));
            warp.copies[lane].open.push(AsyncCopy { at, bytes });
        }
        Ok(())
    }

    pub(super) fn copy_groups(&mut self, warp: &mut Warp, inst: &Inst, pc: u32, mask: u32) {
        for lane in lanes_of(mask) {
            let copies = &mut warp.copies[lane];
            let done: Vec<AsyncCopy> = match inst.kind {
                Kind::CpCommit => {
                    let open = std::mem::take(&mut copies.open);
                    copies.groups.push_back(open);
                    continue;
                }
                Kind::CpWait => {
                    let pending = warp.file.registers[inst.regs[0] as usize][lane] as usize;
                    let finished = copies.groups.len().saturating_sub(pending);
                    copies.groups.drain(..finished).flatten().collect()
                }
                _ => copies.groups.drain(..).flatten().chain(copies.open.drain(..)).collect(),
            };
            let access = By::new(pc, lane).access(warp);
            done.iter().for_each(|copy| self.shared.arrive(copy.at, &copy.bytes, &access));
        }
    }

    /// The rows of the matrices, each at the address that one lane gives.
    fn rows(&mut self, warp: &Warp, inst: &Inst, pc: u32, mask: u32) -> Result<Vec<usize>, Fault> {
        if mask != u32::MAX {
            return Err(fault(LaunchErrorKind::Deadlock("not all lanes of the warp take part".to_owned()), pc, mask));
        }
        let addresses = Self::addresses(warp, inst.regs[0], inst.imm);
        let rows = 8 * usize::from(inst.mods.vector);
        self.count_banks(Some(Space::Shared), &addresses, u32::MAX >> (32 - rows), 16);
        let each = addresses[..rows].iter().enumerate().map(|(lane, at)| {
            Self::check_alignment(*at, 16, By::new(pc, lane))?;
            self.in_shared(*at, 16, By::new(pc, lane))
        });
        each.collect()
    }

    pub(super) fn load_matrices(&mut self, warp: &mut Warp, inst: &Inst, pc: u32, mask: u32) -> Result<(), Fault> {
        let rows = self.rows(warp, inst, pc, mask)?;
        for (matrix, register) in inst.lists[0].iter().enumerate() {
            for lane in 0..32 {
                let mut word = 0;
                for half in 0..2 {
                    let (row, column) = if inst.mods.trans { (lane % 4 * 2 + half, lane / 4) } else { (lane / 4, lane % 4 * 2 + half) };
                    let mut bytes = [0; 2];
                    let at = rows[8 * matrix + row] + 2 * column;
                    self.read(warp, Space::Shared, at as u64, &mut bytes, By::new(pc, lane))?;
                    word |= u64::from(u16::from_le_bytes(bytes)) << (16 * half);
                }
                warp.file.registers[*register as usize][lane] = word;
            }
        }
        Ok(())
    }

    pub(super) fn store_matrices(&mut self, warp: &mut Warp, inst: &Inst, pc: u32, mask: u32) -> Result<(), Fault> {
        let rows = self.rows(warp, inst, pc, mask)?;
        for (matrix, register) in inst.lists[0].iter().enumerate() {
            for lane in 0..32 {
                let word = warp.file.get(*register)[lane] as u32;
                for half in 0..2 {
                    let (row, column) = if inst.mods.trans { (lane % 4 * 2 + half, lane / 4) } else { (lane / 4, lane % 4 * 2 + half) };
                    let at = rows[8 * matrix + row] + 2 * column;
                    let bytes = ((word >> (16 * half)) as u16).to_le_bytes();
                    self.write(warp, Space::Shared, at as u64, &bytes, By::new(pc, lane))?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn copy_local(warp: &mut Warp, inst: &Inst, mask: u32) {
        let each = warp.local.len() / 32;
        let (from, to, size) = (inst.imm as usize, inst.imm2 as usize, inst.regs[0] as usize);
        for lane in lanes_of(mask) {
            let base = lane * each;
            warp.local.copy_within(base + from..base + from + size, base + to);
            warp.local_written.copy_within(base + from..base + from + size, base + to);
        }
    }

    /// Between addresses of a space and generic ones.
    pub(super) fn convert_address(&mut self, warp: &mut Warp, inst: &Inst, mask: u32) {
        let window = match inst.mods.space {
            Some(Space::Shared) => memory::SHARED,
            Some(Space::Local | Space::Param) => memory::LOCAL,
            _ => 0,
        };
        let to = inst.mods.to;
        warp.file.map1(
            [inst.regs[0], inst.regs[1]],
            mask,
            |address: u64| {
                if to { address.wrapping_sub(window) } else { address.wrapping_add(window) }
            },
        );
    }

    /// A word of 64 bits in local memory, as parameters of calls are.
    fn word(&mut self, warp: &Warp, at: u32, by: By) -> Result<u64, Fault> {
        let mut bytes = [0; 8];
        self.read(warp, Space::Local, at.into(), &mut bytes, by)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// Gives each lane memory that nobody has written, or null if there is no more.
    pub(super) fn allocate(&mut self, warp: &mut Warp, inst: &Inst, pc: u32, mask: u32) -> Result<(), Fault> {
        for lane in lanes_of(mask) {
            let by = By::new(pc, lane);
            let [size, align] = [self.word(warp, inst.regs[0], by)?, self.word(warp, inst.regs[1], by)?];
            let address = self.launch.memory.allocate(size, align).unwrap_or(0);
            self.write(warp, Space::Local, inst.regs[2].into(), &address.to_le_bytes(), by)?;
        }
        Ok(())
    }

    pub(super) fn free(&mut self, warp: &mut Warp, inst: &Inst, pc: u32, mask: u32) -> Result<(), Fault> {
        for lane in lanes_of(mask) {
            let address = self.word(warp, inst.regs[0], By::new(pc, lane))?;
            if address != 0 && !self.launch.memory.free(address) {
                let what = format!("address {address:#x} is freed, which is not allocated");
                return Err(Fault { kind: LaunchErrorKind::Access(what), pc, lane });
            }
        }
        Ok(())
    }

    /// Prints what each lane has to print, in the order of the lanes.
    pub(super) fn vprintf(&mut self, warp: &mut Warp, inst: &Inst, pc: u32, mask: u32) -> Result<(), Fault> {
        let [format_at, values_at, result_at, ..] = inst.regs;
        for lane in lanes_of(mask) {
            let by = By::new(pc, lane);
            let words = [self.word(warp, format_at, by)?, self.word(warp, values_at, by)?];
            let format = self.string(warp, words[0], By::new(pc, lane))?;
            let values = match Self::place(None, words[1]) {
                // What the format takes is not known before it is read, and more is never read than there is.
                (Space::Local, at) => {
                    let each = warp.local.len() / 32;
                    warp.local[lane * each + (at as usize).min(each)..(lane + 1) * each].to_vec()
                }
                (_, at) => self.tail(warp, at, By::new(pc, lane))?,
            };
            let mut failed = None;
            let mut args = printf::Args::new(&values);
            let printed = printf::format(&format, &mut args, &mut |address| {
                self.string(warp, address, By::new(pc, lane)).unwrap_or_else(|fault| {
                    failed = Some(fault);
                    Vec::new()
                })
            });
            if let Some(fault) = failed {
                return Err(fault);
            }
            self.journal.printed.extend(printed);
            self.write(warp, Space::Local, result_at.into(), &0u32.to_le_bytes(), By::new(pc, lane))?;
        }
        Ok(())
    }

    /// The arguments of `vprintf` where they are not in local memory: as many bytes as there are, up to some.
    fn tail(&mut self, warp: &Warp, at: u64, by: By) -> Result<Vec<u8>, Fault> {
        let mut all = Vec::new();
        let mut byte = [0];
        while all.len() < 1024 && (all.is_empty() || self.launch.memory.read(at + all.len() as u64, &mut byte).is_ok()) {
            self.read(warp, Space::Global, at + all.len() as u64, &mut byte, by)?;
            all.push(byte[0]);
        }
        Ok(all)
    }

    /// Text up to a zero.
    fn string(&mut self, warp: &Warp, address: u64, by: By) -> Result<Vec<u8>, Fault> {
        let mut text = Vec::new();
        for offset in 0..LONGEST {
            let (space, at) = Self::place(None, address.wrapping_add(offset));
            let mut byte = [0];
            self.read(warp, space, at, &mut byte, by)?;
            if byte[0] == 0 {
                break;
            }
            text.push(byte[0]);
        }
        Ok(text)
    }
}
