//! The bar chart: one bar for each kernel and thread count, as long as its share of the limit.

use super::report::{Report, Row};
use std::fmt::Write as _;

const ROW: usize = 18;
const LEFT: usize = 210;
const WIDTH: usize = 480;
const TOP: usize = 46;
/// The share at the right end of the axis.
const FULL: f64 = 1.2;
const COLOURS: [&str; 3] = ["#7aa6d8", "#2b5f9e", "#16324f"];

/// The chart as an SVG document.
pub(super) fn svg(report: &Report) -> String {
    let height = TOP + report.results.len() * ROW + 30;
    let total = LEFT + WIDTH + 70;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{total}\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"10\" y=\"20\" font-size=\"14\">Share of the machine's limit: {}</text>\n",
        escaped(report.machine())
    );
    for tenths in (0..=10).step_by(2) {
        axis(&mut out, f64::from(tenths) / 10.0, height);
    }
    for (i, row) in report.results.iter().enumerate() {
        bar(&mut out, row, i);
    }
    out + "</svg>\n"
}

fn position(share: f64) -> f64 {
    LEFT as f64 + share.clamp(0.0, FULL) / FULL * WIDTH as f64
}

fn axis(out: &mut String, share: f64, height: usize) {
    let (x, bottom) = (position(share), height - 24);
    // Writing to a String cannot fail.
    let _ = writeln!(
        out,
        "<line x1=\"{x:.1}\" y1=\"{}\" x2=\"{x:.1}\" y2=\"{bottom}\" stroke=\"#ccc\"/>\
         <text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{:.0}%</text>",
        TOP - 8,
        height - 8,
        share * 100.0
    );
}

fn bar(out: &mut String, row: &Row, i: usize) {
    let y = TOP + i * ROW;
    let width = position(row.share) - LEFT as f64;
    let colour = COLOURS[row.threads.map_or(COLOURS.len(), |threads| threads.max(1)).min(COLOURS.len()) - 1];
    let threads = match row.threads {
        Some(1) => "1 thread".to_owned(),
        Some(threads) => format!("{threads} threads"),
        None => "GPU".to_owned(),
    };
    let _ = writeln!(
        out,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}, {threads}</text>\
         <rect x=\"{LEFT}\" y=\"{y}\" width=\"{width:.1}\" height=\"{}\" fill=\"{colour}\"/>\
         <text x=\"{:.1}\" y=\"{}\">{:.0}%</text>",
        LEFT - 8,
        y + 12,
        escaped(&row.name),
        ROW - 4,
        position(row.share) + 5.0,
        y + 12,
        row.share * 100.0
    );
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
