//! Types that the text does not show, and facts, as notes between the words.

use crate::{Analysis, hover};
use lsp_types::{InlayHint, InlayHintKind, InlayHintLabel};
use serde::Deserialize;
use std::{collections::BTreeMap, ops::Range};
use tilewright_text::parse::{Definition, NameKind};

/// Which notes are shown; the editor says so when it starts the server.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct HintOptions {
    types: bool,
    facts: bool,
}

impl Default for HintOptions {
    fn default() -> Self {
        HintOptions { types: true, facts: true }
    }
}

pub(crate) fn within(analysis: &Analysis, range: &Range<usize>, options: HintOptions) -> Vec<InlayHint> {
    let definitions = || values(analysis, range.clone());
    let mut hints = Vec::new();
    if options.types {
        let types = definitions().filter_map(|definition| Some((definition.span.end, format!(": {}", hidden_type(analysis, definition)?))));
        hints.extend(types.map(|(at, label)| hint(analysis, at, label, InlayHintKind::TYPE, false)));
    }
    if options.facts {
        let facts = facts_of_lines(analysis, definitions());
        hints.extend(facts.into_iter().map(|(at, label)| hint(analysis, at, label, InlayHintKind::PARAMETER, true)));
    }
    hints
}

/// The values that are defined in a part of the text.
pub(crate) fn values(analysis: &Analysis, range: Range<usize>) -> impl Iterator<Item = &Definition> {
    let values = analysis.map().definitions.iter().filter(|definition| definition.kind == NameKind::Value);
    values.filter(move |definition| range.contains(&definition.span.start))
}

fn hint(analysis: &Analysis, at: usize, label: String, kind: InlayHintKind, padding_left: bool) -> InlayHint {
    InlayHint {
        position: analysis.lines().position(analysis.text(), at),
        label: InlayHintLabel::String(label),
        kind: Some(kind),
        text_edits: None,
        tooltip: None,
        padding_left: Some(padding_left),
        padding_right: None,
        data: None,
    }
}

/// The type of a result, if its operation does not show it.
fn hidden_type(analysis: &Analysis, definition: &Definition) -> Option<String> {
    let operation = &analysis.map().operations[definition.operation?];
    let ty = hover::type_of(analysis, definition, 0)?;
    let is_single = definition.values.is_none_or(|values| values.count == 1);
    let text = &analysis.text()[operation.whole.clone()];
    let shown = &text[..text.find('\n').unwrap_or(text.len())];
    (is_single && !definition.is_argument && !shown.contains(&ty)).then_some(ty)
}

/// The facts of the values that each line defines, by the end of the line.
pub(crate) fn facts_of_lines<'a>(analysis: &Analysis, definitions: impl Iterator<Item = &'a Definition>) -> BTreeMap<usize, String> {
    let mut lines: BTreeMap<usize, Vec<(&str, String)>> = BTreeMap::new();
    for definition in definitions {
        let Some(values) = definition.values else { continue };
        let trips = analysis.trips(values).filter(|_| definition.is_argument);
        let facts: Vec<String> = (0..values.count).filter_map(|position| analysis.fact(values, position)).chain(trips).collect();
        if !facts.is_empty() {
            let name = &analysis.text()[definition.span.clone()];
            lines.entry(analysis.lines().line(analysis.text(), definition.span.start).end).or_default().push((name, facts.join(", ")));
        }
    }
    let label = |facts: Vec<(&str, String)>| match &facts[..] {
        [(_, fact)] => fact.clone(),
        several => several.iter().map(|(name, fact)| format!("{name} {fact}")).collect::<Vec<_>>().join("; "),
    };
    lines.into_iter().map(|(at, facts)| (at, label(facts))).collect()
}
