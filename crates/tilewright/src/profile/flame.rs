//! Profiles as flame graphs: a kernel, the loops and branches around an instruction, the instruction, and the operations that share its time.

use super::{Instruction, Profile};
use crate::ir::printable;
use inferno::flamegraph::{self, Options};
use std::io;

impl Profile {
    /// A flame graph of the time of all threads, as an SVG document.
    ///
    /// # Errors
    /// When there is nothing to draw: no instruction took any time.
    pub fn flame_graph(&self) -> io::Result<String> {
        let lines = self.flame_lines();
        let mut options = Options::default();
        options.title = format!("Profile of @{}", printable(&self.entry));
        options.subtitle = Some("time of all threads; operations inside of one instruction share its time".to_owned());
        options.count_name = "ns".to_owned();
        // Colours that are the same each time.
        options.hash = true;
        options.deterministic = true;
        let mut svg = Vec::new();
        flamegraph::from_lines(&mut options, lines.iter().map(String::as_str), &mut svg).map_err(io::Error::other)?;
        String::from_utf8(svg).map_err(io::Error::other)
    }

    /// Stacks with nanoseconds, one a line, as tools for flame graphs take them.
    pub fn flame_lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for instruction in &self.instructions {
            for part in &instruction.parts {
                let nanos = (instruction.measure.seconds * part.share * 1e9).round() as u64;
                if nanos > 0 {
                    lines.push(format!("{} {nanos}", self.stack(instruction, part.operation)));
                }
            }
        }
        lines.sort();
        lines
    }

    fn stack(&self, instruction: &Instruction, operation: usize) -> String {
        let own = &self.operations[instruction.parts[0].operation];
        let mut frames = vec![format!("@{}", self.entry)];
        if own.function != self.entry {
            frames.push(format!("@{}", own.function));
        }
        frames.extend(own.around.iter().cloned());
        if instruction.parts.len() > 1 {
            frames.push(format!("instruction {}: {}", instruction.number(), self.short_name(instruction)));
        }
        frames.push(self.operations[operation].name());
        let frames: Vec<String> = frames.iter().map(|frame| printable(frame).to_string().replace(';', ",")).collect();
        frames.join(";")
    }
}
