//! Profiles as traces that Perfetto and Chrome open: workers are threads, on which slices of blocks hold slices of instructions.

use super::{Instruction, Profile};
use crate::exec::{Activity, InstructionProfile, MAX_SLICES, Slice};
use serde::{Serialize, Serializer, ser::SerializeSeq};
use serde_json::{Value, json};

/// A trace of the first launch of a profile, in the JSON of Chrome's trace events.
#[derive(Clone, Copy, Debug)]
pub struct Trace<'p>(&'p Profile);

impl Profile {
    /// What the workers did when, as a trace.
    pub fn trace(&self) -> Trace<'_> {
        Trace(self)
    }
}

/// The events of a trace.
struct Events<'p>(&'p Profile);

impl Serialize for Trace<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Document<'p> {
            trace_events: Events<'p>,
            display_time_unit: &'static str,
            other_data: Value,
        }
        let other_data = json!({
            "kernel": self.0.entry,
            "slices of each worker at most": MAX_SLICES,
            "slices left out": self.0.measured.slices_left_out,
        });
        Document { trace_events: Events(self.0), display_time_unit: "ns", other_data }.serialize(serializer)
    }
}

impl Serialize for Events<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Events(profile) = self;
        let slices = &profile.measured.slices;
        let mut events = serializer.serialize_seq(None)?;
        let named =
            |what: &str, thread: usize, name: String| json!({"ph": "M", "pid": 1, "tid": thread, "name": what, "args": {"name": name}});
        events.serialize_element(&named("process_name", 0, format!("@{}", profile.entry)))?;
        let workers = slices.iter().map(|slice| slice.worker + 1).max().unwrap_or(0);
        for worker in 0..workers {
            events.serialize_element(&named("thread_name", worker + 1, format!("worker {}", worker + 1)))?;
        }
        for slice in slices {
            events.serialize_element(&event(profile, slice))?;
        }
        let left_out = profile.measured.slices_left_out;
        if left_out > 0 {
            let end = slices.iter().map(|slice| slice.end).max().unwrap_or(0);
            let name = format!("{left_out} slices are left out: each worker keeps its first {MAX_SLICES}");
            events.serialize_element(&json!({"ph": "i", "s": "g", "pid": 1, "tid": 1, "ts": micros(end), "name": name}))?;
        }
        events.end()
    }
}

fn micros(nanos: u64) -> f64 {
    nanos as f64 / 1000.0
}

fn event(profile: &Profile, slice: &Slice) -> Value {
    let (category, name, args) = match slice.what {
        Activity::Blocks { first, position: [x, y, z], count } => {
            let name = if count > 1 { format!("{count} blocks from ({x}, {y}, {z})") } else { format!("block ({x}, {y}, {z})") };
            ("block", name, json!({"first": first, "blocks": count}))
        }
        Activity::Instruction { group, instruction } => {
            let measured = &profile.measured.instructions;
            let at = measured.binary_search_by_key(&(group, instruction), InstructionProfile::key);
            let ran = at.ok().map(|at| &profile.instructions[at]);
            let (name, operations) = ran.map_or_else(|| (format!("instruction {instruction}"), Vec::new()), |ran| names(profile, ran));
            let group = ran.and_then(|ran| ran.group.as_ref());
            ("instruction", name, json!({"instruction": instruction, "group": group, "operations": operations}))
        }
    };
    let (begin, end) = (micros(slice.begin), micros(slice.end));
    json!({"ph": "X", "pid": 1, "tid": slice.worker + 1, "ts": begin, "dur": end - begin, "cat": category, "name": name, "args": args})
}

/// A short name of an instruction, and the names of its operations.
fn names(profile: &Profile, instruction: &Instruction) -> (String, Vec<String>) {
    let operations: Vec<String> = instruction.parts.iter().map(|part| profile.operations[part.operation].name()).collect();
    (profile.short_name(instruction), operations)
}

impl Profile {
    /// The names of the first operations of an instruction.
    pub(super) fn short_name(&self, instruction: &Instruction) -> String {
        const FIRST: usize = 3;
        let names: Vec<&str> = instruction.parts.iter().take(FIRST).map(|part| self.operations[part.operation].operation).collect();
        let more = if instruction.parts.len() > FIRST { " + ..." } else { "" };
        names.join(" + ") + more
    }
}
