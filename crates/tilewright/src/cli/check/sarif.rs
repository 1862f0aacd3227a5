//! Findings as SARIF 2.1.0, which code review tools read.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use tilewright::check::{Finding, Place, Report, Rule, rules};

/// The log of reports.
pub(super) fn log<'r>(reports: impl Iterator<Item = &'r Report>) -> Value {
    let findings: Vec<&Finding> = reports.flat_map(|report| &report.findings).collect();
    let positions: BTreeMap<&str, usize> = rules().enumerate().map(|(i, rule)| (rule.id, i)).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "tilewright check",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules().map(rule).collect::<Vec<_>>(),
            } },
            "columnKind": "unicodeCodePoints",
            "results": findings.into_iter().map(|finding| result(finding, positions[finding.rule.id])).collect::<Vec<_>>(),
        }],
    })
}

fn rule(rule: &Rule) -> Value {
    json!({
        "id": rule.id,
        "shortDescription": { "text": rule.title },
        "fullDescription": { "text": rule.text },
        "help": { "text": rule.mend },
        "properties": { "chapter": rule.chapter },
    })
}

fn result(finding: &Finding, rule: usize) -> Value {
    let related = finding.other.as_ref().map(|other| location(&other.place, Some(&other.what)));
    json!({
        "ruleId": finding.rule.id,
        "ruleIndex": rule,
        "level": "error",
        "message": { "text": format!("{}: {}", finding.place.operation, finding.message) },
        "locations": [location(&finding.place, None)],
        "relatedLocations": related.into_iter().collect::<Vec<_>>(),
        "occurrenceCount": finding.elements.max(1),
        "properties": { "kernel": finding.kernel, "place": finding.place, "blocks": finding.blocks, "schedule": finding.schedule },
    })
}

fn location(place: &Place, message: Option<&str>) -> Value {
    let mut location = json!({ "logicalLocations": [{ "name": place.function, "kind": "function" }] });
    if let Some(source) = &place.source {
        let mut region = json!({ "startLine": source.line.max(1) });
        if source.column > 0 {
            region["startColumn"] = source.column.into();
        }
        location["physicalLocation"] = json!({ "artifactLocation": { "uri": uri(&source.file) }, "region": region });
    }
    if let Some(message) = message {
        location["message"] = json!({ "text": message });
    }
    location
}

/// A path as the reference of a URI: what may not stand there is written as its bytes in hexadecimal.
fn uri(path: &str) -> String {
    let keep = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    path.bytes().map(|byte| if keep(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}
