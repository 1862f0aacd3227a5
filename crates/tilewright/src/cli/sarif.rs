//! Findings as SARIF 2.1.0, which code review tools read.

use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A rule that findings name.
pub(super) struct Rule {
    pub(super) id: &'static str,
    /// The rule in a few words.
    pub(super) title: &'static str,
    /// The rule in full, where there is more to say.
    pub(super) text: Option<&'static str>,
    /// How to mend what breaks it.
    pub(super) mend: Option<&'static str>,
    pub(super) chapter: &'static str,
    /// The page of the documentation that has a section of the rule's name.
    pub(super) page: Option<&'static str>,
}

/// One finding.
pub(super) struct Found {
    pub(super) rule: &'static str,
    pub(super) message: String,
    pub(super) place: Place,
    pub(super) related: Vec<(Place, String)>,
    pub(super) occurrences: u64,
    pub(super) properties: Value,
}

/// Where something is, as far as it is known.
pub(super) struct Place {
    pub(super) function: Option<String>,
    pub(super) file: Option<(String, Region)>,
}

/// A part of a file.
pub(super) enum Region {
    /// All of it.
    Whole,
    /// A line and a column of a text, from 1; the column is 0 where none is known.
    Line(u32, u32),
    /// An offset in a file of bytes.
    Byte(usize),
}

/// The log of a command. Every finding names one of the rules.
pub(super) fn log(command: &str, rules: &[Rule], findings: &[Found]) -> Value {
    let positions: BTreeMap<&str, usize> = rules.iter().enumerate().map(|(i, rule)| (rule.id, i)).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": format!("tilewright {command}"),
                "version": env!("CARGO_PKG_VERSION"),
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "rules": rules.iter().map(rule).collect::<Vec<_>>(),
            } },
            "columnKind": "unicodeCodePoints",
            "results": findings.iter().map(|finding| result(finding, positions[finding.rule])).collect::<Vec<_>>(),
        }],
    })
}

fn rule(rule: &Rule) -> Value {
    let mut out = json!({ "id": rule.id, "shortDescription": { "text": rule.title } });
    if let Some(text) = rule.text {
        out["fullDescription"] = json!({ "text": text });
    }
    if let Some(mend) = rule.mend {
        out["help"] = json!({ "text": mend });
    }
    if let Some(page) = rule.page {
        out["helpUri"] = format!("{}/blob/main/{page}#{}", env!("CARGO_PKG_REPOSITORY"), rule.id).into();
    }
    out["properties"] = json!({ "chapter": rule.chapter });
    out
}

fn result(finding: &Found, rule: usize) -> Value {
    json!({
        "ruleId": finding.rule,
        "ruleIndex": rule,
        "level": "error",
        "message": { "text": finding.message },
        "locations": [location(&finding.place, None)],
        "relatedLocations": finding.related.iter().map(|(place, message)| location(place, Some(message))).collect::<Vec<_>>(),
        "occurrenceCount": finding.occurrences,
        "properties": finding.properties,
    })
}

fn location(place: &Place, message: Option<&str>) -> Value {
    let mut location = json!({});
    if let Some(function) = &place.function {
        location["logicalLocations"] = json!([{ "name": function, "kind": "function" }]);
    }
    if let Some((file, region)) = &place.file {
        location["physicalLocation"] = json!({ "artifactLocation": { "uri": uri(file) } });
        let region = match *region {
            Region::Whole => None,
            Region::Line(line, 0) => Some(json!({ "startLine": line.max(1) })),
            Region::Line(line, column) => Some(json!({ "startLine": line.max(1), "startColumn": column })),
            Region::Byte(offset) => Some(json!({ "byteOffset": offset })),
        };
        if let Some(region) = region {
            location["physicalLocation"]["region"] = region;
        }
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
