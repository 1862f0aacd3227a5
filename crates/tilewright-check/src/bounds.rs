//! Whether the elements of an access lie in memory that it may access.

use crate::{
    access::Way,
    elements::{Elements, Run},
    memory::Fault,
    rules::{self, Rule},
    state::{At, Other, Spot, State, Violation},
};

impl State<'_> {
    /// Looks for elements that cannot be accessed, reports them, and leaves those that can.
    pub(crate) fn check_bounds(&mut self, at: At, elements: &mut Elements, way: Way) {
        let (bits, size) = (elements.bits, u64::from(elements.bits.div_ceil(8)));
        let mut faults: Vec<(Fault, Run)> = Vec::new();
        let mut good = Vec::with_capacity(elements.runs.len());
        let mut misaligned: Vec<Run> = Vec::new();
        for run in std::mem::take(&mut elements.runs) {
            if !run.address.is_multiple_of(size) {
                misaligned.push(run);
                continue;
            }
            let resolve = |run: &Run| self.memory.resolve(run.address, run.bytes(bits), way != Way::Read, at.index);
            match resolve(&run) {
                Ok(found) => good.push(Run { found: Some(found), ..run }),
                Err(fault) if run.count == 1 => faults.push((fault, run)),
                Err(_) => {
                    // Some of its elements may be there.
                    for part in (0..run.count).map(|i| run.part(i, 1, bits)) {
                        match resolve(&part) {
                            Ok(found) => match good.last_mut() {
                                Some(last) if last.found == Some(found) && last.first + last.count * last.step == part.first => {
                                    last.count += 1
                                }
                                _ => good.push(Run { found: Some(found), ..part }),
                            },
                            Err(fault) => faults.push((fault, part)),
                        }
                    }
                }
            }
        }
        elements.runs = good;
        if let Some(first) = misaligned.first() {
            let count = misaligned.iter().map(|run| run.count).sum::<usize>();
            let message = format!("it {} {size} bytes at an address that is no multiple of {size}", way.verb());
            self.access_violation(at, &rules::MISALIGNED, message, elements, first, count);
        }
        self.report_faults(at, elements, way, &faults);
    }

    fn report_faults(&mut self, at: At, elements: &Elements, way: Way, faults: &[(Fault, Run)]) {
        type IsIt = fn(&Fault) -> bool;
        let kinds: [(&'static Rule, IsIt, &str); 4] = [
            (&rules::OUT_OF_BOUNDS, |fault| *fault == Fault::Outside, "outside of all memory"),
            (&rules::READ_ONLY, |fault| *fault == Fault::ReadOnly, "memory that it may only read"),
            (&rules::ALLOCA_LIFETIME, |fault| matches!(fault, Fault::Freed(_)), "memory of an alloca whose region has ended"),
            (&rules::ALLOCA_LIFETIME, |fault| matches!(fault, Fault::Foreign(_)), "memory that another block allocated for itself"),
        ];
        for (rule, is_it, what) in kinds {
            let mut those = faults.iter().filter(|(fault, _)| is_it(fault));
            let Some((fault, run)) = those.next() else { continue };
            let count = 1 + those.count();
            let message = match fault {
                Fault::Outside => format!("it {} {what}{}", way.verb(), self.how_far(run.address, run.bytes(elements.bits))),
                _ => format!("it {} {what}", way.verb()),
            };
            let mut violation = self.violation_of(rule, message, elements, run, count);
            if let Fault::Freed(local) | Fault::Foreign(local) = fault {
                let alloca = At { function: local.function, op: local.op, block: self.block_at(local.block), index: local.block };
                violation.other = Some(Other { what: "the memory was allocated here".to_owned(), at: alloca, spot: Spot::default() });
            }
            self.violation(at, violation);
        }
    }

    /// How far bytes lie from the nearest allocation.
    fn how_far(&self, address: u64, bytes: u64) -> String {
        let Some(buffer) = self.memory.place(address, bytes).buffer else { return String::new() };
        let (name, size) = (&buffer.name, buffer.size);
        if buffer.offset < 0 {
            format!(", {} bytes in front of {name}", -buffer.offset)
        } else {
            let behind = buffer.offset - i128::from(size);
            match behind {
                ..0 => format!(", across the end of {name}"),
                0 => format!(", right behind the end of {name}, which has {size} bytes"),
                _ => format!(", {behind} bytes behind the end of {name}, which has {size} bytes"),
            }
        }
    }

    pub(crate) fn violation_of(&self, rule: &'static Rule, message: String, elements: &Elements, run: &Run, count: usize) -> Violation {
        let memory = self.memory.place(run.address, run.bytes(elements.bits));
        Violation { elements: count as u64, spot: elements.spot(run.first, memory), ..Violation::new(rule, message) }
    }

    pub(crate) fn access_violation(&mut self, at: At, rule: &'static Rule, message: String, elements: &Elements, run: &Run, count: usize) {
        let violation = self.violation_of(rule, message, elements, run, count);
        self.violation(at, violation);
    }
}
