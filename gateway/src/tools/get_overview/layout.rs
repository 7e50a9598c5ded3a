//! Laying an overview out within its budget.

use serde::Serialize;

use super::{
    Options,
    sections::{Section, Sections},
};
use crate::{
    call::Call,
    limits::MAX_TOKEN_BUDGET,
    meta::{Extent, Meta, Remarks},
    pack,
    plan::Plan,
    render::{Format, Rendered, to_json},
};

/// What an overview says before its lists.
pub(super) trait Head: Serialize + Clone {
    /// Returns the same as text.
    fn lines(&self) -> String;

    /// Returns the head for budgets that hold little more: the first step is cut, the second bare.
    fn shortened(&self, step: usize) -> Self;
}

/// An overview before it is cut.
pub(super) struct Whole<H> {
    pub(super) head: H,
    pub(super) sections: Sections,
    /// Positions of the repositories that are quoted, where the lists do not tell their commits.
    pub(super) quoted: Vec<usize>,
    pub(super) hint: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
struct Answer<H> {
    #[serde(flatten)]
    head: H,
    #[serde(flatten)]
    sections: Sections,
    /// How much of the lists that are not whole is there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cut: Vec<String>,
    _meta: Meta,
}

/// Steps by which what stands around the lists is shortened.
const N_STEPS: usize = 3;

pub(super) fn render<H: Head>(call: &Call<'_>, plan: &Plan, whole: Whole<H>, options: Options) -> Rendered {
    let Options { format, token_budget, ignored, notes } = options;
    let remarks = Remarks { hint: whole.hint, extent: Extent::default(), ignored_arguments: ignored, notes };
    let mut frame = Answer {
        head: whole.head,
        sections: Sections::default(),
        cut: Vec::new(),
        _meta: Meta::new(call, plan, whole.quoted, remarks),
    };
    let mut answer = fitted(&frame, &whole.sections, token_budget, format);
    for step in 0..N_STEPS {
        let is_empty = answer.sections.n_shown() == 0 && whole.sections.n_all() > 0;
        if text::estimate_tokens(&laid_out(&answer, format)) <= token_budget && !is_empty {
            break;
        }
        frame.head = frame.head.shortened(step);
        if step > 0 {
            frame._meta.shorten();
        }
        answer = fitted(&frame, &whole.sections, token_budget, format);
    }
    if text::estimate_tokens(&laid_out(&answer, format)) > token_budget {
        answer.cut.clear();
        answer._meta.extent.more = None;
    }
    match format {
        Format::Json => Rendered::json(&answer, plan),
        Format::Compact => Rendered::compact(laid_out(&answer, format), plan),
    }
}

fn fitted<H: Head>(frame: &Answer<H>, sections: &Sections, token_budget: usize, format: Format) -> Answer<H> {
    let lay_out = |room: usize| laid_out(&with(frame, sections.within(room, format), token_budget), format);
    with(frame, sections.within(pack::room_that_fits(token_budget, lay_out), format), token_budget)
}

fn with<H: Head>(frame: &Answer<H>, sections: Sections, token_budget: usize) -> Answer<H> {
    let mut answer = frame.clone();
    let (n_shown, n_all) = (sections.n_shown(), sections.n_all());
    answer.cut = sections
        .not_whole()
        .map(|(section, n_all)| format!("{}: {} of {n_all}", section.name, section.entries.len()))
        .collect();
    answer._meta.extent = Extent {
        truncated: n_shown < n_all,
        total_items: n_all as u64,
        returned_items: n_shown as u64,
        more: more(&sections, token_budget),
    };
    answer.sections = sections;
    answer
}

/// Returns how to get what is not shown.
fn more(sections: &Sections, token_budget: usize) -> Option<String> {
    let cut: Vec<&Section> = sections.not_whole().map(|(section, _)| section).collect();
    let mut ways: Vec<String> = Vec::new();
    if !cut.is_empty() && token_budget < MAX_TOKEN_BUDGET {
        ways.push(format!("a larger token_budget, up to {MAX_TOKEN_BUDGET}"));
    }
    for section in cut.into_iter().filter(|section| !section.beyond.is_empty()) {
        if !ways.iter().any(|way| way == section.beyond) {
            ways.push(section.beyond.to_owned());
        }
    }
    (!ways.is_empty()).then(|| ways.join("; "))
}

fn laid_out<H: Head>(answer: &Answer<H>, format: Format) -> String {
    match format {
        Format::Json => to_json(answer),
        Format::Compact => {
            format!("{}{}\n{}", answer.head.lines(), answer.sections.lines(), answer._meta.footer())
        }
    }
}
