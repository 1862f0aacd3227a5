//! Profiles as HTML: one page without anything from elsewhere, for light and dark.

use super::{Instruction, ListedLine, Listing, Measure, Profile, text::of_limit, units};
use crate::ir::printable;
use std::fmt::Write as _;

const STYLE: &str = "\
.tw-profile{color-scheme:light dark;background:Canvas;color:CanvasText;--bar:#9cc4f0;--line:#c8ccd2;--faint:#5a6068;font:14px/1.45 system-ui,sans-serif}\
@media(prefers-color-scheme:dark){.tw-profile{--bar:#27507d;--line:#44494f;--faint:#a4abb3}}\
.tw-profile h1{font-size:1.5em;margin:.5em 0;overflow-wrap:anywhere}\
.tw-profile h1 code{font-size:inherit}\
.tw-profile table{border-collapse:collapse;margin:.5em 0 1.5em}\
.tw-profile caption{text-align:left;font-weight:600;padding:.3em 0}\
.tw-profile caption small{font-weight:400;color:var(--faint)}\
.tw-profile th{text-align:right;font-weight:600;border-bottom:1px solid var(--line);padding:.15em .6em}\
.tw-profile td{text-align:right;padding:.05em .6em;white-space:nowrap;font-variant-numeric:tabular-nums}\
.tw-profile th.tw-text,.tw-profile td.tw-text{text-align:left}\
.tw-profile td.tw-text{white-space:normal}\
.tw-profile td.tw-source{text-align:left;white-space:pre;font-family:ui-monospace,monospace}\
.tw-profile .tw-part{color:var(--faint)}\
.tw-profile .tw-number{color:var(--faint)}\
.tw-profile .tw-scroll{overflow-x:auto}";

const MEASURES: &str = "<th scope=\"col\">time</th><th scope=\"col\">share</th><th scope=\"col\">read</th><th scope=\"col\">written</th>\
<th scope=\"col\">flops</th><th scope=\"col\">of limit</th>";

impl Profile {
    /// A page of its own.
    pub fn html(&self) -> String {
        let title = escaped(&format!("Profile of @{}", self.entry));
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n</head>\n<body>\n<main>\n{}</main>\n</body>\n</html>\n",
            self.html_fragment()
        )
    }

    /// The same to stand in another page, as notebooks show it.
    pub fn html_fragment(&self) -> String {
        let mut out = format!("<section class=\"tw-profile\">\n<style>{STYLE}</style>\n");
        self.write_summary(&mut out);
        self.write_instructions(&mut out);
        self.listings.iter().for_each(|listing| write_listing(&mut out, listing));
        out + "</section>\n"
    }

    // Writing to a String cannot fail.
    fn write_summary(&self, out: &mut String) {
        let (total, limits) = (&self.total, &self.limits);
        let [x, y, z] = self.grid;
        let groups = match self.blocks_in_groups {
            0 => String::new(),
            blocks => format!("; {blocks} of them in groups"),
        };
        let launches = if self.launches == 1 { String::new() } else { format!(" in {} launches", self.launches) };
        let _ = write!(
            out,
            "<h1>Profile of <code>@{}</code></h1>\n<p>{} blocks ({x} × {y} × {z}{groups}){launches} on {} threads took {}; instructions took {} on all \
             threads. {} read, {} written, {} flops: {}. This machine: {}B/s of memory, {}flop/s in f32, {}flop/s in f64.</p>\n\
             <p>Time is measured for instructions. The operations of one instruction share its time: one part for each element that is moved, and one \
             for each primitive that computes an element.</p>\n",
            escaped(&self.entry),
            self.blocks,
            self.threads,
            units::time(self.seconds),
            units::time(total.seconds),
            units::bytes(total.read),
            units::bytes(total.written),
            units::count(total.flops),
            total.bound.map_or("nothing to compare with a limit".to_owned(), |_| of_limit(total)),
            units::rate(limits.bandwidth),
            units::rate(limits.peak_f32),
            units::rate(limits.peak_f64)
        );
    }

    fn write_instructions(&self, out: &mut String) {
        let _ = write!(
            out,
            "<div class=\"tw-scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Instructions\"><table>\n<caption>Instructions</caption>\n<thead><tr>{MEASURES}<th scope=\"col\">count</th>\
             <th scope=\"col\">number</th><th scope=\"col\" class=\"tw-text\">operations</th></tr></thead>\n<tbody>\n"
        );
        for instruction in self.by_time() {
            let _ = writeln!(
                out,
                "<tr>{}<td>{}</td><td>{}</td><td class=\"tw-text\">{}</td></tr>",
                columns(&instruction.measure),
                instruction.count,
                instruction.number(),
                self.parts(instruction)
            );
        }
        *out += "</tbody></table></div>\n";
    }

    fn parts(&self, instruction: &Instruction) -> String {
        let one = |part: &super::Part| {
            let operation = &self.operations[part.operation];
            let title = operation.text.as_deref().unwrap_or(operation.operation);
            let name = format!("<span title=\"{}\">{}</span>", escaped(title), escaped(&operation.name()));
            if instruction.parts.len() == 1 {
                name
            } else {
                format!("{name} <span class=\"tw-part\">{}</span>", units::percent(part.share))
            }
        };
        instruction.parts.iter().map(one).collect::<Vec<_>>().join(", ")
    }
}

fn write_listing(out: &mut String, listing: &Listing) {
    let note = listing.note.as_ref().map_or_else(String::new, |note| format!(" <small>in place of the source: {}</small>", escaped(note)));
    let _ = write!(
        out,
        "<div class=\"tw-scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\"><table>\n<caption>{0}{note}</caption>\n<thead><tr>{MEASURES}<th scope=\"col\">line</th>\
         <th scope=\"col\" class=\"tw-text\">source</th></tr></thead>\n<tbody>\n",
        escaped(&listing.title)
    );
    let mut before = None;
    for ListedLine { number, text, measure } in &listing.lines {
        if before.is_some_and(|before| before + 1 != *number) {
            *out += "<tr><td colspan=\"7\"></td><td class=\"tw-source tw-number\">…</td></tr>\n";
        }
        before = Some(*number);
        let columns = measure.as_ref().map_or_else(|| "<td></td>".repeat(6), columns);
        let _ = writeln!(out, "<tr>{columns}<td class=\"tw-number\">{number}</td><td class=\"tw-source\">{}</td></tr>", escaped(text));
    }
    *out += "</tbody></table></div>\n";
}

fn columns(measure: &Measure) -> String {
    let amount = |amount: u64, text: fn(u64) -> String| if amount == 0 { String::new() } else { text(amount) };
    let width = (measure.share * 100.0).clamp(0.0, 100.0);
    let flops = if measure.flops == 0 { measure.int_ops } else { measure.flops };
    format!(
        "<td>{}</td><td style=\"background:linear-gradient(90deg,var(--bar) {width:.1}%,transparent 0)\">{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>",
        units::time(measure.seconds),
        units::percent(measure.share),
        amount(measure.read, units::bytes),
        amount(measure.written, units::bytes),
        amount(flops, units::count),
        of_limit(measure)
    )
}

/// Text that shows nothing but itself.
fn escaped(text: &str) -> String {
    let text = printable(text).lines().to_string();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}
