//! A squarified treemap (Bruls, Huizing and van Wijk, 2000) as SVG.

use maud::{Markup, html};

/// A rectangle of the map.
pub(crate) struct Tile {
    pub(crate) label: String,
    pub(crate) title: String,
    pub(crate) href: String,
    /// The area, over 0.
    pub(crate) weight: f64,
    /// The colour step, from 0 to 4.
    pub(crate) heat: usize,
}

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 300.0;

/// Space between tiles.
const GAP: f64 = 2.0;

/// Estimated width of a character.
const CHAR_WIDTH: f64 = 6.6;

#[derive(Debug, Clone, Copy, PartialEq)]
struct Rectangle {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

/// Draws tiles, which must be in the order of their weights, the largest first.
pub(crate) fn treemap(tiles: &[Tile], label: &str) -> Markup {
    let weights: Vec<f64> = tiles.iter().map(|tile| tile.weight).collect();
    let places = squarify(&weights, Rectangle { x: 0.0, y: 0.0, width: WIDTH, height: HEIGHT });
    html! {
        div.canvas tabindex="0" role="group" aria-label=(label) {
            svg.treemap width=(WIDTH) height=(HEIGHT) viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } {
                @for (tile, place) in tiles.iter().zip(places) {
                    a href=(tile.href) aria-label=(tile.title) {
                        title { (tile.title) }
                        rect class={ "heat-" (tile.heat.min(4)) } x=(shown(place.x)) y=(shown(place.y)) width=(shown((place.width - GAP).max(0.5))) height=(shown((place.height - GAP).max(0.5))) rx="3" {}
                        @let room = ((place.width - 14.0) / CHAR_WIDTH) as usize;
                        @if room > 4 && place.height > 22.0 {
                            text x=(shown(place.x + 7.0)) y=(shown(place.y + 16.0)) { (cut(&tile.label, room)) }
                        }
                    }
                }
            }
        }
    }
}

fn shown(number: f64) -> String {
    format!("{number:.1}")
}

/// Returns the whole words of a label that have room; none if its first word has not. What a tile shows must be words of its accessible
/// name, so that a cut has no mark.
fn cut(label: &str, max_chars: usize) -> &str {
    let end_of_room = label.char_indices().nth(max_chars).map_or(label.len(), |(end, _)| end);
    if end_of_room == label.len() {
        return label;
    }
    // The first letter behind a word may be behind the room.
    let mut ends = label.char_indices().filter(|(end, letter)| *end <= end_of_room && !letter.is_alphanumeric());
    ends.next_back().map_or("", |(end, _)| label[..end].trim_end_matches(|letter: char| !letter.is_alphanumeric()))
}

/// Returns the rectangles of weights that descend.
fn squarify(weights: &[f64], whole: Rectangle) -> Vec<Rectangle> {
    let total: f64 = weights.iter().sum();
    if total <= 0.0 {
        return Vec::new();
    }
    let scale = whole.width * whole.height / total;
    let areas: Vec<f64> = weights.iter().map(|weight| weight * scale).collect();
    let (mut placed, mut free, mut from) = (Vec::new(), whole, 0);
    while from < areas.len() {
        let side = free.width.min(free.height).max(1.0);
        let mut end = from + 1;
        while end < areas.len() && worst(&areas[from..=end], side) <= worst(&areas[from..end], side) {
            end += 1;
        }
        let (row, rest) = place_row(&areas[from..end], free);
        placed.extend(row);
        (free, from) = (rest, end);
    }
    placed
}

/// Returns the largest ratio of sides in a row along a side.
fn worst(areas: &[f64], side: f64) -> f64 {
    let sum: f64 = areas.iter().sum();
    let (largest, smallest) = (areas[0], areas[areas.len() - 1]);
    (side * side * largest / (sum * sum)).max(sum * sum / (side * side * smallest))
}

/// Places a row along the shorter side, and returns the free rectangle behind it.
fn place_row(areas: &[f64], free: Rectangle) -> (Vec<Rectangle>, Rectangle) {
    let sum: f64 = areas.iter().sum();
    let is_column = free.width >= free.height;
    let side = if is_column { free.height } else { free.width };
    let depth = sum / side.max(1.0);
    let mut at = 0.0;
    let row = areas.iter().map(|area| {
        let length = area / depth.max(f64::MIN_POSITIVE);
        let tile = match is_column {
            true => Rectangle { x: free.x, y: free.y + at, width: depth, height: length },
            false => Rectangle { x: free.x + at, y: free.y, width: length, height: depth },
        };
        at += length;
        tile
    });
    let row = row.collect();
    let rest = match is_column {
        true => Rectangle { x: free.x + depth, width: (free.width - depth).max(0.0), ..free },
        false => Rectangle { y: free.y + depth, height: (free.height - depth).max(0.0), ..free },
    };
    (row, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_cut_between_words() {
        for (label, max_chars, expected) in [
            ("a.js", 9, "a.js"),
            ("validation.js", 13, "validation.js"),
            ("validation.js", 12, "validation"),
            ("validation.js", 10, "validation"),
            ("validation.js", 9, ""),
            ("content-type--parser.js", 14, "content-type"),
            ("größe_und_form", 6, "größe"),
        ] {
            assert_eq!(cut(label, max_chars), expected, "{label} {max_chars}");
        }
    }

    #[test]
    fn tiles_fill_the_rectangle() {
        let whole = Rectangle { x: 0.0, y: 0.0, width: 600.0, height: 400.0 };
        let weights = [6.0, 6.0, 4.0, 3.0, 2.0, 2.0, 1.0];
        let placed = squarify(&weights, whole);
        for (tile, weight) in placed.iter().zip(weights) {
            assert!((tile.width * tile.height - weight * 10_000.0).abs() < 1.0, "{tile:?}");
            assert!(tile.x >= 0.0 && tile.x + tile.width <= 600.01 && tile.y + tile.height <= 400.01, "{tile:?}");
            assert!(tile.width / tile.height < 3.0 && tile.height / tile.width < 3.0, "{tile:?}");
        }
        assert!(squarify(&[], whole).is_empty());
    }
}
