//! What a check finds, for a log of SARIF.

use crate::cli::sarif::{self, Found, Region};
use serde_json::{Value, json};
use tilewright::check::{Finding, Place, Report, Rule, rules};

/// The log of reports, with all rules of the checker.
pub(super) fn log<'r>(reports: impl Iterator<Item = &'r Report>) -> Value {
    let findings: Vec<Found> = reports.flat_map(|report| &report.findings).map(found).collect();
    sarif::log("check", &rules().map(rule).collect::<Vec<_>>(), &findings)
}

fn rule(rule: &Rule) -> sarif::Rule {
    sarif::Rule {
        id: rule.id,
        title: rule.title,
        text: Some(rule.text),
        mend: Some(rule.mend),
        chapter: rule.chapter,
        page: Some(tilewright::check::RULES_PAGE),
    }
}

fn found(finding: &Finding) -> Found {
    Found {
        rule: finding.rule.id,
        message: format!("{}: {}", finding.place.operation, finding.message),
        place: place(&finding.place),
        related: related(finding),
        occurrences: finding.elements.max(1),
        properties: json!({
            "kernel": finding.kernel, "place": finding.place, "blocks": finding.blocks, "schedule": finding.schedule,
        }),
    }
}

/// The other operations that a finding names.
fn related(finding: &Finding) -> Vec<(sarif::Place, String)> {
    let other = finding.other.as_ref().map(|other| (place(&other.place), other.what.clone()));
    let buffer = finding.place.memory.as_ref().and_then(|memory| memory.buffer.as_ref());
    let allocation = buffer.and_then(|buffer| buffer.allocation.as_deref());
    let allocation = allocation.map(|allocation| (place(allocation), "the memory was allocated here".to_owned()));
    other.into_iter().chain(allocation).collect()
}

fn place(place: &Place) -> sarif::Place {
    let file = place.source.as_ref().map(|source| (source.file.clone(), Region::Line(source.line, source.column)));
    sarif::Place { function: Some(place.function.clone()), file }
}
