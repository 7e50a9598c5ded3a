//! Reduces a file to the signatures of its definitions.

use std::borrow::Cow;

use crate::Excerpt;
use crate::line::{GAP, is_shortened, price_of_line, push_lines, shorten};
use crate::tokens::{TOKEN, estimate_tokens, price};

/// One definition of a file's outline.
#[derive(Debug, Clone, Copy)]
pub struct OutlineRow<'a> {
    /// The number of the signature's first line.
    pub line: u32,
    /// The signature, which may have several lines.
    pub signature: &'a str,
}

/// Returns the signatures of a file in line order, as many from the top as fit into `budget` tokens.
pub fn skeleton(rows: &[OutlineRow<'_>], budget: usize) -> Excerpt {
    let mut in_order = rows.to_vec();
    in_order.sort_by_key(|row| row.line);
    let whole = outline(&in_order);
    if estimate_tokens(&whole.text) <= budget {
        return whole;
    }
    let mut remaining = budget.saturating_mul(TOKEN).saturating_sub(price(GAP));
    let fitting = in_order.iter().take_while(|row| {
        let rest = remaining.checked_sub(row.signature.lines().map(|line| price_of_line(&shorten(line))).sum());
        remaining = rest.unwrap_or(0);
        rest.is_some()
    });
    let n_fitting = fitting.count();
    let mut part = outline(&in_order[..n_fitting]);
    part.cut = true;
    if !part.shown.is_empty() {
        part.text.extend(["\n", GAP]);
    }
    part
}

fn outline(rows: &[OutlineRow<'_>]) -> Excerpt {
    let mut lines = Vec::new();
    let mut shown = Vec::new();
    for row in rows {
        let signature: Vec<Cow<'_, str>> = row.signature.lines().map(shorten).collect();
        push_lines(&mut shown, row.line, signature.len() as u32);
        lines.extend(signature);
    }
    Excerpt { text: lines.join("\n"), shown, cut: lines.iter().any(is_shortened) }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn spans(excerpt: &Excerpt) -> Vec<(u32, u32)> {
        excerpt.shown.iter().map(|span| (span.start, span.end)).collect()
    }

    #[test]
    fn skeletons_list_signatures_from_the_top() {
        let rows = [
            OutlineRow { line: 30, signature: "fn later()" },
            OutlineRow { line: 10, signature: "pub fn first(\n    a: u32,\n)" },
            OutlineRow { line: 13, signature: "struct Next" },
        ];
        let whole = skeleton(&rows, 100);
        assert_eq!(whole.text, "pub fn first(\n    a: u32,\n)\nstruct Next\nfn later()");
        assert_eq!((spans(&whole), whole.cut), (vec![(10, 13), (30, 30)], false));
        let part = skeleton(&rows, 14);
        assert_eq!(part.text, "pub fn first(\n    a: u32,\n)\n⋯");
        assert_eq!((spans(&part), part.cut), (vec![(10, 12)], true));
    }

    proptest! {
        #[test]
        fn skeletons_respect_their_budget(signatures in vec("[a-z(){} ]{0,30}", 0..20), budget in 0usize..200) {
            let rows: Vec<OutlineRow<'_>> =
                signatures.iter().zip(1..).map(|(signature, line)| OutlineRow { line, signature }).collect();
            prop_assert!(estimate_tokens(&skeleton(&rows, budget).text) <= budget);
        }
    }
}
