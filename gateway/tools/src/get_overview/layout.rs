//! Rendering of an overview within its budget.

use serde::Serialize;

use super::{
    OverviewOptions,
    sections::{OverviewSection, OverviewSections},
};
use crate::{
    limits::MAX_TOKEN_BUDGET,
    meta::{AnswerExtent, Meta, Remarks},
    pack,
    render::{Format, RenderedAnswer, to_json},
};
use federation::{plan::Plan, repo_idx::RepoIdx};

/// The head of an overview, before its lists.
pub(super) trait OverviewHead: Serialize + Clone {
    /// Returns the head as text.
    fn lines(&self) -> String;

    /// Returns a shorter head for very small budgets: step one is shortened, step two minimal.
    fn shortened(&self, step: usize) -> Self;
}

/// An overview before it is cut to the budget.
pub(super) struct UncutOverview<H> {
    pub(super) head: H,
    pub(super) sections: OverviewSections,
    /// Indices of the quoted repositories, if the lists do not show their commits.
    pub(super) quoted: Vec<RepoIdx>,
    pub(super) hint: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
struct OverviewAnswer<H> {
    #[serde(flatten)]
    head: H,
    #[serde(flatten)]
    sections: OverviewSections,
    /// The shown and total number of entries of each incomplete list.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cut: Vec<String>,
    _meta: Meta,
}

/// Number of steps that shorten everything around the lists.
const N_STEPS: usize = 3;

pub(super) fn render<H: OverviewHead>(
    plan: &Plan,
    whole: UncutOverview<H>,
    options: OverviewOptions,
) -> RenderedAnswer {
    let OverviewOptions { format, token_budget, ignored, notes } = options;
    let remarks = Remarks {
        hint: whole.hint,
        extent: AnswerExtent::default(),
        ignored_arguments: ignored,
        notes,
        ..Remarks::default()
    };
    let mut frame = OverviewAnswer {
        head: whole.head,
        sections: OverviewSections::default(),
        cut: Vec::new(),
        _meta: Meta::new(plan, whole.quoted, remarks),
    };
    let mut answer = fit_to_budget(&frame, &whole.sections, token_budget, format);
    for step in 0..N_STEPS {
        let is_empty = answer.sections.n_shown() == 0 && whole.sections.n_all() > 0;
        if text::estimate_tokens(&render_text(&answer, format)) <= token_budget && !is_empty {
            break;
        }
        frame.head = frame.head.shortened(step);
        if step > 0 {
            frame._meta.shorten();
        }
        answer = fit_to_budget(&frame, &whole.sections, token_budget, format);
    }
    if text::estimate_tokens(&render_text(&answer, format)) > token_budget {
        answer.cut.clear();
        answer._meta.extent.more = None;
    }
    match format {
        Format::Json => RenderedAnswer::json(&answer, plan),
        Format::Compact => RenderedAnswer::compact(render_text(&answer, format), plan),
    }
}

fn fit_to_budget<H: OverviewHead>(
    frame: &OverviewAnswer<H>,
    sections: &OverviewSections,
    token_budget: usize,
    format: Format,
) -> OverviewAnswer<H> {
    let lay_out = |room: usize| render_text(&with(frame, sections.within(room, format), token_budget), format);
    with(frame, sections.within(pack::largest_fitting_room(token_budget, lay_out), format), token_budget)
}

fn with<H: OverviewHead>(
    frame: &OverviewAnswer<H>,
    sections: OverviewSections,
    token_budget: usize,
) -> OverviewAnswer<H> {
    let mut answer = frame.clone();
    let (n_shown, n_all) = (sections.n_shown(), sections.n_all());
    answer.cut = sections
        .incomplete()
        .map(|(section, n_all)| format!("{}: {} of {n_all}", section.name, section.entries.len()))
        .collect();
    answer._meta.extent = AnswerExtent {
        truncated: n_shown < n_all,
        total_items: n_all as u64,
        returned_items: n_shown as u64,
        more: more(&sections, token_budget),
    };
    answer.sections = sections;
    answer
}

/// Returns how to get the entries that are not shown.
fn more(sections: &OverviewSections, token_budget: usize) -> Option<String> {
    let cut: Vec<&OverviewSection> = sections.incomplete().map(|(section, _)| section).collect();
    let mut suggestions: Vec<String> = Vec::new();
    if !cut.is_empty() && token_budget < MAX_TOKEN_BUDGET {
        suggestions.push(format!("a larger token_budget, up to {MAX_TOKEN_BUDGET}"));
    }
    for section in cut.into_iter().filter(|section| !section.beyond.is_empty()) {
        if !suggestions.iter().any(|suggestion| suggestion == section.beyond) {
            suggestions.push(section.beyond.to_owned());
        }
    }
    (!suggestions.is_empty()).then(|| suggestions.join("; "))
}

fn render_text<H: OverviewHead>(answer: &OverviewAnswer<H>, format: Format) -> String {
    match format {
        Format::Json => to_json(answer),
        Format::Compact => {
            format!("{}{}\n{}", answer.head.lines(), answer.sections.lines(), answer._meta.footer())
        }
    }
}
