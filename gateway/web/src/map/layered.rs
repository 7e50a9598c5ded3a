//! A layered layout from left to right: users left, providers right.
//!
//! The steps are those of Sugiyama and others (1981): reverse the edges of cycles, assign layers by the longest path, split long edges,
//! order each layer by barycentres, and place each layer by isotonic regression. Every step is deterministic.

use std::collections::BTreeSet;

/// Sweeps over all layers: the order changes little after a few.
const SWEEPS: usize = 8;

/// Maximum number of boxes in a column. A layer with more is split into columns: its boxes have no edges between them.
const MAX_ROWS: usize = 14;

/// Space between two boxes of a column, and between columns.
const ROW_GAP: f64 = 12.0;
const COLUMN_GAP: f64 = 84.0;

/// Height of an edge that passes a column.
const PASSING_HEIGHT: f64 = 6.0;

/// The size of a box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Size {
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// A point; y grows downwards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

/// A placed drawing.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LayeredLayout {
    /// The left upper corner of each box.
    pub(crate) corners: Vec<Point>,
    /// The width of each box: that of its column, so that no line runs behind a wider box of the same column.
    pub(crate) widths: Vec<f64>,
    /// The points of each edge, from its user to its provider.
    pub(crate) routes: Vec<Vec<Point>>,
    pub(crate) size: Size,
}

/// A box or a point of a long edge, in a column.
struct Cell {
    column: usize,
    size: Size,
    left: Vec<usize>,
    right: Vec<usize>,
}

/// Places boxes and routes edges between them.
pub(crate) fn layout(boxes: &[Size], edges: &[(usize, usize)]) -> LayeredLayout {
    let forward = without_cycles(boxes.len(), edges);
    let columns = split_columns(layers(boxes.len(), &forward));
    let (cells, chains) = split_edges(boxes, &columns, &forward);
    let n_columns = cells.iter().map(|cell| cell.column + 1).max().unwrap_or_default();
    let order = ordered(&cells, n_columns);
    let tops = place_rows(&cells, &order);
    let (lefts, width) = place_columns(&cells, n_columns);
    let corner = |idx: usize| Point { x: lefts[cells[idx].column], y: tops[idx] };
    let width_of = |idx: usize| column_width(&cells, cells[idx].column);
    let route = |(edge, chain): (&(usize, usize), &Vec<usize>)| {
        let mut points: Vec<Point> = Vec::new();
        for (place, idx) in chain.iter().enumerate() {
            let (Point { x, y }, middle) = (corner(*idx), cells[*idx].size.height / 2.0);
            let width = width_of(*idx);
            let (has_left, has_right) = (place > 0, place + 1 < chain.len());
            points.extend(has_left.then_some(Point { x, y: y + middle }));
            points.extend(has_right.then_some(Point { x: x + width, y: y + middle }));
        }
        if chain.first() != Some(&edge.0) {
            points.reverse();
        }
        points
    };
    let height = cells.iter().zip(&tops).map(|(cell, top)| top + cell.size.height).fold(0.0, f64::max);
    LayeredLayout {
        corners: (0..boxes.len()).map(corner).collect(),
        widths: (0..boxes.len()).map(width_of).collect(),
        routes: edges.iter().zip(&chains).map(route).collect(),
        size: Size { width, height },
    }
}

/// Returns the edges, with those reversed that close a cycle.
fn without_cycles(n_boxes: usize, edges: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut out = vec![Vec::new(); n_boxes];
    edges.iter().for_each(|(from, to)| out[*from].push(*to));
    let n_in = edges.iter().fold(vec![0usize; n_boxes], |mut n_in, (_, to)| {
        n_in[*to] += 1;
        n_in
    });
    let mut starts: Vec<usize> = (0..n_boxes).collect();
    starts.sort_by_key(|idx| (n_in[*idx] > 0, *idx));
    let (mut is_open, mut is_done, mut closing) = (vec![false; n_boxes], vec![false; n_boxes], BTreeSet::new());
    for start in starts {
        let mut stack = vec![(start, 0usize)];
        while let Some((at, next)) = stack.pop() {
            if is_done[at] {
                continue;
            }
            is_open[at] = true;
            match out[at].get(next) {
                Some(to) => {
                    stack.push((at, next + 1));
                    if is_open[*to] && !is_done[*to] {
                        closing.insert((at, *to));
                    } else if !is_done[*to] {
                        stack.push((*to, 0));
                    }
                }
                None => is_done[at] = true,
            }
        }
    }
    edges.iter().map(|(from, to)| if closing.contains(&(*from, *to)) { (*to, *from) } else { (*from, *to) }).collect()
}

/// Returns the layer of each box: the longest path to it. A box without users moves next to its first provider.
fn layers(n_boxes: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let mut layer = vec![0usize; n_boxes];
    // Every round fixes one more layer.
    for _ in 0..n_boxes {
        let mut is_stable = true;
        for (from, to) in edges {
            if layer[*to] <= layer[*from] {
                (layer[*to], is_stable) = (layer[*from] + 1, false);
            }
        }
        if is_stable {
            break;
        }
    }
    let has_user: BTreeSet<usize> = edges.iter().map(|(_, to)| *to).collect();
    for idx in (0..n_boxes).filter(|idx| !has_user.contains(idx)) {
        let nearest = edges.iter().filter(|(from, _)| *from == idx).map(|(_, to)| layer[*to]).min();
        layer[idx] = nearest.map_or(0, |nearest| nearest - 1);
    }
    layer
}

/// Returns the column of each box: a layer with too many boxes takes several columns.
fn split_columns(layers: Vec<usize>) -> Vec<usize> {
    let n_layers = layers.iter().max().map_or(0, |last| last + 1);
    let mut columns = vec![0; layers.len()];
    let mut first = 0;
    for layer in 0..n_layers {
        let members: Vec<usize> = (0..layers.len()).filter(|idx| layers[*idx] == layer).collect();
        let n_columns = members.len().div_ceil(MAX_ROWS).max(1);
        let n_rows = members.len().div_ceil(n_columns).max(1);
        for (place, idx) in members.iter().enumerate() {
            columns[*idx] = first + place / n_rows;
        }
        first += n_columns;
    }
    columns
}

/// Returns the cells of all columns, boxes first, and the chain of cells of each edge.
fn split_edges(boxes: &[Size], columns: &[usize], edges: &[(usize, usize)]) -> (Vec<Cell>, Vec<Vec<usize>>) {
    let of_box = |(size, column): (&Size, &usize)| Cell { column: *column, size: *size, left: vec![], right: vec![] };
    let mut cells: Vec<Cell> = boxes.iter().zip(columns).map(of_box).collect();
    let mut chains = Vec::new();
    for (from, to) in edges {
        let between = columns[*from] + 1..columns[*to];
        let passing = between.map(|column| {
            cells.push(Cell { column, size: Size { width: 0.0, height: PASSING_HEIGHT }, left: vec![], right: vec![] });
            cells.len() - 1
        });
        let chain: Vec<usize> = [*from].into_iter().chain(passing.collect::<Vec<_>>()).chain([*to]).collect();
        for pair in chain.windows(2) {
            cells[pair[0]].right.push(pair[1]);
            cells[pair[1]].left.push(pair[0]);
        }
        chains.push(chain);
    }
    (cells, chains)
}

/// Returns the cells of each column from top to bottom, with few crossings.
fn ordered(cells: &[Cell], n_columns: usize) -> Vec<Vec<usize>> {
    let mut order: Vec<Vec<usize>> =
        (0..n_columns).map(|column| (0..cells.len()).filter(|idx| cells[*idx].column == column).collect()).collect();
    let mut rank = vec![0.0; cells.len()];
    let number = |column: &[usize], rank: &mut Vec<f64>| {
        column.iter().enumerate().for_each(|(place, idx)| rank[*idx] = place as f64 / column.len().max(1) as f64);
    };
    order.iter().for_each(|column| number(column, &mut rank));
    for sweep in 0..SWEEPS {
        let is_rightward = sweep % 2 == 0;
        let columns: Vec<usize> = if is_rightward { (0..n_columns).collect() } else { (0..n_columns).rev().collect() };
        for column in columns {
            let barycentre = |idx: usize| {
                let fixed = if is_rightward { &cells[idx].left } else { &cells[idx].right };
                mean(fixed.iter().map(|other| rank[*other])).unwrap_or(rank[idx])
            };
            let mut keyed: Vec<(f64, usize)> = order[column].iter().map(|idx| (barycentre(*idx), *idx)).collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
            order[column] = keyed.into_iter().map(|(_, idx)| idx).collect();
            number(&order[column], &mut rank);
        }
    }
    order
}

/// Returns the upper edge of each cell: as near as possible to its neighbours without an overlap.
fn place_rows(cells: &[Cell], order: &[Vec<usize>]) -> Vec<f64> {
    let mut tops = vec![0.0; cells.len()];
    let gap = |above: &Cell, below: &Cell| match above.size.width > 0.0 || below.size.width > 0.0 {
        true => ROW_GAP,
        false => 2.0,
    };
    let offsets: Vec<Vec<f64>> = order
        .iter()
        .map(|column| {
            let step = |pair: &[usize]| cells[pair[0]].size.height + gap(&cells[pair[0]], &cells[pair[1]]);
            let mut offsets = vec![0.0];
            column.windows(2).for_each(|pair| offsets.push(offsets[offsets.len() - 1] + step(pair)));
            offsets
        })
        .collect();
    for (column, offsets) in order.iter().zip(&offsets) {
        column.iter().zip(offsets).for_each(|(idx, offset)| tops[*idx] = *offset);
    }
    let middle = |tops: &[f64], idx: usize| tops[idx] + cells[idx].size.height / 2.0;
    for sweep in 0..SWEEPS {
        let columns: Vec<usize> =
            if sweep % 2 == 0 { (0..order.len()).collect() } else { (0..order.len()).rev().collect() };
        for column in columns {
            let wanted = order[column].iter().zip(&offsets[column]).map(|(idx, offset)| {
                let linked = cells[*idx].left.iter().chain(&cells[*idx].right);
                let target = mean(linked.map(|other| middle(&tops, *other))).unwrap_or_else(|| middle(&tops, *idx));
                target - cells[*idx].size.height / 2.0 - offset
            });
            let placed = isotonic(&wanted.collect::<Vec<_>>());
            for ((idx, offset), base) in order[column].iter().zip(&offsets[column]).zip(placed) {
                tops[*idx] = base + offset;
            }
        }
    }
    let highest = tops.iter().copied().fold(f64::INFINITY, f64::min);
    tops.iter().map(|top| (top - highest).round()).collect()
}

/// Returns the ascending values with the least squared distance to the given ones.
fn isotonic(wanted: &[f64]) -> Vec<f64> {
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for value in wanted {
        pools.push((*value, 1));
        while let [.., (above, n_above), (below, n_below)] = pools[..] {
            if above <= below {
                break;
            }
            let n_both = n_above + n_below;
            pools.truncate(pools.len() - 2);
            pools.push(((above * n_above as f64 + below * n_below as f64) / n_both as f64, n_both));
        }
    }
    pools.into_iter().flat_map(|(value, count)| std::iter::repeat_n(value, count)).collect()
}

fn column_width(cells: &[Cell], column: usize) -> f64 {
    cells.iter().filter(|cell| cell.column == column).map(|cell| cell.size.width).fold(0.0, f64::max)
}

/// Returns the left edge of each column, and the width of the drawing.
fn place_columns(cells: &[Cell], n_columns: usize) -> (Vec<f64>, f64) {
    let mut lefts = Vec::new();
    let mut x = 0.0;
    for column in 0..n_columns {
        lefts.push(x);
        x += column_width(cells, column) + COLUMN_GAP;
    }
    (lefts, (x - COLUMN_GAP).max(0.0))
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0usize), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / count as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOX: Size = Size { width: 100.0, height: 30.0 };

    #[test]
    fn users_are_left_of_providers_and_nothing_overlaps() {
        let edges = [(0, 1), (0, 2), (1, 3), (2, 3), (4, 3), (0, 3), (3, 5), (5, 6), (1, 6)];
        let LayeredLayout { corners, routes, size, .. } = layout(&[BOX; 7], &edges);
        for ((from, to), route) in edges.iter().zip(&routes) {
            assert!(corners[*from].x < corners[*to].x, "{from} {to}");
            assert_eq!(route[0].x, corners[*from].x + BOX.width);
            assert_eq!(route[route.len() - 1].x, corners[*to].x);
        }
        for (idx, a) in corners.iter().enumerate() {
            assert!(a.x >= 0.0 && a.y >= 0.0 && a.x + BOX.width <= size.width && a.y + BOX.height <= size.height);
            for b in &corners[..idx] {
                assert!(a.x != b.x || (a.y - b.y).abs() >= BOX.height, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn boxes_are_as_wide_as_their_column() {
        let wide = Size { width: 200.0, ..BOX };
        let LayeredLayout { corners, widths, routes, .. } = layout(&[BOX, wide, BOX], &[(0, 2), (1, 2)]);
        assert_eq!(widths, [200.0, 200.0, 100.0]);
        assert_eq!(routes[0][0].x, corners[0].x + 200.0);
    }

    #[test]
    fn cycles_and_wide_layers_are_laid_out() {
        let cycle = layout(&[BOX; 3], &[(0, 1), (1, 2), (2, 0)]);
        assert!(cycle.corners.iter().all(|corner| corner.x.is_finite()));
        assert_eq!(cycle.routes[2][0].x, cycle.corners[2].x, "a reversed edge begins at its user");
        let star: Vec<(usize, usize)> = (1..60).map(|idx| (idx, 0)).collect();
        let wide = layout(&[BOX; 60], &star);
        assert!(wide.size.height < 60.0 * BOX.height, "{:?}", wide.size);
        assert_eq!(layout(&[], &[]).corners, []);
    }

    #[test]
    fn isotonic_values_ascend() {
        assert_eq!(isotonic(&[1.0, 3.0, 2.0, 4.0]), [1.0, 2.5, 2.5, 4.0]);
        assert_eq!(isotonic(&[3.0, 2.0, 1.0]), [2.0; 3]);
    }
}
