//! Layouts as pictures: each element of a tile is a cell with the color of its warp, and says lane and register.

use crate::{TileLayout, layout::LANE_BITS};
use std::fmt::Write as _;

/// The most rows and columns of a tile that are drawn.
const MOST: u64 = 64;
/// Extents of a cell.
const CELL: (u64, u64) = (44, 16);
/// Room for a title, and around pictures.
const TITLE: u64 = 22;
const MARGIN: u64 = 10;
/// Colors of warps, light enough for text.
const COLORS: [&str; 8] = ["#cfe3ff", "#ffe0b8", "#d2f1cd", "#f6cfe2", "#e3d7fa", "#fff3ae", "#c9f0ee", "#e4e0da"];

/// The layouts of tiles as an SVG picture, one below the other; a layout that several tiles of one shape have is drawn once.
///
/// Of a tile of more than two dimensions the last two are drawn, at 0 along the others, and of long ones the beginning.
pub fn draw<'t>(tiles: impl IntoIterator<Item = &'t TileLayout>) -> String {
    let mut groups: Vec<(&TileLayout, Vec<String>)> = Vec::new();
    for tile in tiles {
        let name = format!("{} : {}", tile.operation, tile.ty);
        match groups.iter_mut().find(|(first, _)| first.shape == tile.shape && first.layout == tile.layout) {
            Some((_, names)) if !names.contains(&name) => names.push(name),
            Some(_) => {}
            None => groups.push((tile, vec![name])),
        }
    }
    let (mut body, mut top, mut width) = (String::new(), MARGIN, 0);
    for (tile, names) in groups {
        let [rows, columns] = extents(tile);
        for title in [names.join(", "), tile.layout.to_string()] {
            top += TITLE;
            let _ = writeln!(body, "<text x=\"{MARGIN}\" y=\"{}\" class=\"title\">{}</text>", top - 6, escaped(&title));
            width = width.max(7 * title.chars().count() as u64);
        }
        cells(&mut body, tile, [rows, columns], top);
        top += rows * CELL.1 + MARGIN;
        width = width.max(columns * CELL.0);
    }
    let (width, height) = (width + 2 * MARGIN, top + MARGIN);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
         <style>text {{ font: 9px monospace; fill: #222 }} .title {{ font-size: 12px }} rect {{ stroke: #fff }}</style>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n{body}</svg>\n"
    )
}

/// Rows and columns that are drawn.
fn extents(tile: &TileLayout) -> [u64; 2] {
    let of = |dim: Option<&i64>| dim.map_or(1, |extent| extent.unsigned_abs()).min(MOST);
    let mut last = tile.shape.iter().rev();
    let columns = of(last.next());
    [of(last.next()), columns]
}

fn cells(out: &mut String, tile: &TileLayout, [rows, columns]: [u64; 2], top: u64) {
    let all_columns = tile.shape.last().map_or(1, |extent| extent.unsigned_abs());
    let registers = tile.layout.registers().ilog2();
    for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
        // The first place that holds the element.
        let Some(place) = tile.layout.map().solve((row * all_columns + column) as u32) else { continue };
        let (register, lane, warp) =
            (place & ((1 << registers) - 1), place >> registers & ((1 << LANE_BITS) - 1), place >> (registers + LANE_BITS));
        let (x, y, color) = (MARGIN + column * CELL.0, top + row * CELL.1, COLORS[warp as usize % COLORS.len()]);
        let _ = writeln!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\" fill=\"{color}\"/><text x=\"{}\" y=\"{}\">l{lane} r{register}</text>",
            CELL.0,
            CELL.1,
            x + 3,
            y + 12
        );
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Layout;

    fn tile(shape: &[i64], ty: &str, vector: u32) -> TileLayout {
        let bits = shape.iter().map(|extent| extent.ilog2()).sum();
        TileLayout { operation: "iota".to_owned(), ty: ty.to_owned(), shape: shape.to_vec(), layout: Layout::blocked(bits, 2, vector) }
    }

    #[test]
    fn each_element_says_where_it_is() {
        let svg = draw([&tile(&[4, 64], "tile<4x64xi32>", 1)]);
        assert_eq!(svg.matches("<rect x=").count(), 256);
        // Pairs of registers, then lanes, then warps: 64 elements are a warp.
        assert!(svg.contains("<rect x=\"10\" y=\"54\" width=\"44\" height=\"16\" fill=\"#cfe3ff\"/><text x=\"13\" y=\"66\">l0 r0</text>"));
        assert!(svg.contains("<text x=\"101\" y=\"66\">l1 r0</text>"), "the third element is the second lane's: {svg}");
        assert_eq!(svg.matches(COLORS[3]).count(), 64);
        assert!(svg.contains("iota : tile&lt;4x64xi32&gt;"));
    }

    #[test]
    fn layouts_are_drawn_once_and_large_tiles_in_part() {
        let (small, large) = (tile(&[2, 32], "tile<2x32xf32>", 0), tile(&[256, 512], "tile<256x512xf32>", 2));
        let svg = draw([&small, &small, &large]);
        assert_eq!(svg.matches("<rect x=").count(), 64 + 64 * 64);
        assert_eq!(svg.matches("2x32").count(), 1);
    }
}
