//! Payloads of sections, once everything that they refer to has a position.

use super::{
    Style,
    context::Context,
    functions::{DebugIds, FunctionRecord, function_payload},
    pool::Pool,
};
use crate::{Section, file_layout::FileLayout};

/// The payloads of a file under construction.
pub(super) struct Payloads<'l> {
    pub(super) style: Style,
    /// The layout of a file of the same version.
    pub(super) layout: Option<&'l FileLayout>,
    pub(super) list: Vec<(Section, Vec<u8>)>,
}

impl Payloads<'_> {
    /// Whether a section is there even without content.
    fn keeps(&self, section: Section) -> bool {
        match (self.layout, section) {
            (Some(layout), _) => layout.has(section),
            (None, Section::Constant | Section::Debug | Section::Type) => self.style == Style::Cutile,
            (None, _) => false,
        }
    }

    /// Adds a payload: that of the layout's file if it says the same.
    pub(super) fn add(&mut self, section: Section, payload: Vec<u8>) {
        let payload = match self.layout {
            Some(layout) => layout.payload(section, payload),
            None => payload,
        };
        self.list.push((section, payload));
    }

    /// Adds the debug section, and functions with rows in it.
    pub(super) fn debug_and_functions(&mut self, context: &mut Context<'_>, records: &[FunctionRecord]) {
        let rows: Vec<&DebugIds> = records.iter().filter(|record| record.row != 0).map(|record| &record.ids).collect();
        let debug = (self.keeps(Section::Debug) || !rows.is_empty()).then(|| context.debug_payload(&rows));
        let same_debug = self.layout.is_some_and(|layout| match &debug {
            Some(debug) => layout.is_payload(Section::Debug, debug),
            None => !layout.has(Section::Debug),
        });
        self.add(Section::Function, function_payload(self.style, records, self.layout, same_debug));
        if let Some(debug) = debug {
            self.add(Section::Debug, debug);
        }
    }

    pub(super) fn globals(&mut self, globals: Option<Vec<u8>>) {
        const NONE: u8 = 0;
        if let Some(payload) = globals.or_else(|| self.keeps(Section::Global).then(|| vec![NONE])) {
            self.add(Section::Global, payload);
        }
    }

    /// Adds a table: that of the layout's file if nothing was appended to it.
    pub(super) fn table(&mut self, section: Section, pool: &Pool, width: usize) {
        let raw = self.layout.filter(|_| pool.is_as_seeded()).and_then(|layout| Some(&layout.bytes()[layout.raw_payload(section)?]));
        match raw {
            Some(raw) => self.list.push((section, raw.to_vec())),
            None if section == Section::String || pool.len() > 0 || self.keeps(section) => {
                let mut payload = Vec::new();
                pool.write(width, &mut payload);
                self.list.push((section, payload));
            }
            None => {}
        }
    }
}
