//! Settings that a question describes by what they do: "how long does it keep a session that nobody uses?".

use std::collections::BTreeSet;

use super::super::confidence::Confidence;
use super::{
    IntentAnswer, IntentContext,
    assignments::{assigned, is_literal},
    cited_text::CitedText,
    described_settings::{DescribedSetting, described_settings},
    events::terms,
    quantity_words::{self, AskedBound, QUANTITY_KINDS, kind_terms},
    source_lines::{SourceLine, files_of_settings, matching, non_empty_lines},
    subject::{self, Subject},
    weighted_terms::{Compounds, asked_share, asked_terms},
};
use federation::{answer::Answer, repo_idx::RepoIdx};

/// Minimum share of the information of a question in the name and the description of a setting, and minimum number of common terms.
const MIN_SHARE: f32 = 0.35;
const MIN_TERMS: usize = 2;

/// Stands for the kind of quantity that a question asks for among its terms.
const KIND_TERM: &str = "#";

/// Answers with the setting whose description has most of what is asked, and with the share that it has: 0 if its value is not known;
/// `None` if none has enough.
pub(super) async fn answer(
    context: IntentContext<'_, '_>,
    subject: &Subject,
    question: &str,
) -> Option<(f32, IntentAnswer)> {
    let (named, within) = match subject {
        Subject::Repositories(named) => (named.clone(), None),
        Subject::Module(module) => (BTreeSet::from([module.repo_idx]), Some(module)),
        Subject::Nodes(nodes) => (nodes.iter().map(|node| node.at.repo_idx).collect(), None),
        Subject::Description(description) => (description.named.clone(), description.within.as_ref()),
    };
    let files = files_of_settings(context, &named);
    let place: BTreeSet<String> = within.iter().flat_map(|module| terms(&module.module.path)).collect();
    let Answer { value: lines, mut shortfalls } = non_empty_lines(context, &files).await;
    let mut asked = asked_terms(context, &quantity_words::without_idioms(question), &place);
    let [kinds, _] = kind_terms(question);
    if !kinds.is_empty() && !asked.is_empty() {
        let mean = asked.iter().map(|(_, weight)| weight).sum::<f32>() / asked.len() as f32;
        asked.push((KIND_TERM.to_owned(), mean));
    }
    let (settings, compounds) = (described_settings(&lines), Compounds::of(question));
    let bound = AskedBound::of(question);
    let is_of_bound = |name: &str| {
        let name = terms(name);
        bound.is_none_or(|bound| !bound.is_contradicted(name.iter().map(String::as_str)))
    };
    // A text is no quantity.
    let needs_number = quantity_words::asks(question);
    let is_text = |setting: &&DescribedSetting<'_>| {
        needs_number && setting.default.as_ref().is_some_and(|value| is_plain_text(value))
    };
    let possible = settings.iter().filter(|setting| is_of_bound(&setting.name) && !is_text(setting));
    let scored = possible.filter_map(|setting| {
        let said = terms(&format!("{} {}", setting.name, setting.description));
        let mut said = compounds.completed(said.into_iter().collect());
        let is_of = |kinds: &[&str]| kinds.iter().any(|kind| said.contains(*kind));
        // The number of seconds is no number of times.
        let is_other = QUANTITY_KINDS.iter().rev().any(|(_, other)| other != &kinds && is_of(other))
            && kinds == QUANTITY_KINDS[0].1;
        if is_of(kinds) && !is_other {
            said.insert(KIND_TERM.to_owned());
        }
        Some((share(&asked, &said)?, setting))
    });
    let scored: Vec<(f32, &DescribedSetting<'_>)> = scored.collect();
    let equals = scored.clone();
    // A setting that is described as the asked bound comes before others.
    let says_bound = |setting: &DescribedSetting<'_>| {
        let said = terms(&format!("{} {}", setting.name, setting.description));
        bound.is_some_and(|bound| bound.is_said(said.iter().map(String::as_str)))
    };
    let has_bound = scored.iter().any(|(_, setting)| says_bound(setting));
    let meant = scored.into_iter().filter(|(_, setting)| !has_bound || says_bound(setting));
    let (share, best) = meant.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
    let mut sentences = vec![
        CitedText::cited(
            format!("{} is described as {}", text::quote(&best.name), text::quote(&best.description)),
            best.line.place(context),
        )
        .then("."),
    ];
    let n_described = sentences.len();
    let others = other_defaults(best, share, &equals);
    if !others.is_empty() {
        let own = best.default.as_deref().map(|value| format!("Its default there is {}", text::quote(value)));
        sentences.extend(own.map(|own| CitedText::plain(format!("{own}."))));
        let item = |other: &&DescribedSetting<'_>| {
            let value = other.default.as_deref().unwrap_or_default();
            CitedText::cited(text::quote(value), other.line.place(context))
        };
        let lead = format!("Another {} has the default ", text::quote(&best.name));
        sentences.push(CitedText::listed(&lead, others.iter().map(item).collect(), MAX_OTHERS, "."));
        let note = "several settings have this name: the reader must choose";
        return Some((share, IntentAnswer::new(sentences, Confidence::Medium, note).with_shortfalls(shortfalls)));
    }
    match &best.default {
        Some(value) if is_literal(value) => {
            let lead = if best.is_registered { "Its default is" } else { "Its value there is" };
            sentences.push(CitedText::plain(format!("{lead} {}.", text::quote(value))));
        }
        Some(call) if call.ends_with(')') => {
            sentences.push(CitedText::plain(format!("Its default is computed: {}.", text::quote(call))));
        }
        Some(name) => {
            let said = value_of(context, name, best.line.repo_idx, &files).await;
            shortfalls.extend(said.shortfalls);
            sentences.extend(said.value);
        }
        None => {}
    }
    let note =
        "the answer is of the files that match the question; search_codebase with kind=\"config\" finds more settings";
    let share = if sentences.len() > n_described { share } else { 0.0 };
    Some((share, IntentAnswer::new(sentences, Confidence::Medium, note).with_shortfalls(shortfalls)))
}

/// Maximum number of settings of one name in an answer.
const MAX_OTHERS: usize = 3;

/// Returns the settings with the name of the best one that are described as well, and have other defaults: one for each of them.
fn other_defaults<'s, 'l>(
    best: &DescribedSetting<'l>,
    share: f32,
    scored: &[(f32, &'s DescribedSetting<'l>)],
) -> Vec<&'s DescribedSetting<'l>> {
    let mut found: Vec<&DescribedSetting<'l>> = Vec::new();
    for (_, setting) in scored.iter().filter(|(other, _)| *other + f32::EPSILON >= share) {
        let is_known = setting.default == best.default || found.iter().any(|known| known.default == setting.default);
        if setting.is_registered
            && setting.name == best.name
            && !is_known
            && setting.default.as_deref().is_some_and(is_literal)
        {
            found.push(setting);
        }
    }
    found
}

/// Returns true for a text without a number. A number with a unit, such as `"30s"`, is often quoted.
fn is_plain_text(value: &str) -> bool {
    (is_literal(value) || value.starts_with('`')) && !value.contains(|c: char| c.is_ascii_digit())
}

/// Returns the share of the asked information in some terms; `None` if it is too little.
fn share(asked: &[(String, f32)], said: &BTreeSet<String>) -> Option<f32> {
    let (share, n_common) = asked_share(asked, said);
    (n_common >= MIN_TERMS && share >= MIN_SHARE).then_some(share)
}

/// Returns a sentence with the line that gives a value of a repository its default; nothing if several lines give different ones.
async fn value_of(
    context: IntentContext<'_, '_>,
    written: &str,
    repo_idx: RepoIdx,
    files: &[(RepoIdx, String)],
) -> Answer<Option<CitedText>> {
    let name = written.rsplit(['.', ':']).next().unwrap_or(written);
    let mut own: Vec<(RepoIdx, String)> = Vec::new();
    let resolved = subject::resolve(context, name).await;
    if let Subject::Nodes(nodes) = resolved.value {
        own.extend(nodes.iter().map(|node| (node.at.repo_idx, node.path().to_owned())));
    }
    // The flag and its value are often defined near each other.
    own.extend(files.iter().filter(|file| !own.contains(file)).cloned().collect::<Vec<_>>());
    own.retain(|(of, _)| *of == repo_idx);
    let is_value = |line: &str| {
        let target = assigned(line).filter(|(_, value)| is_literal(value)).map(|(target, _)| target);
        target.is_some_and(|target| is_target(target, name))
    };
    let found = matching(context, &own, is_value).await.after(resolved.shortfalls);
    found.map(|lines| {
        let line = lines.first()?;
        let value = |line: &SourceLine| assigned(&line.text).map(|(_, value)| value.to_owned());
        if lines.iter().any(|other| value(other) != value(line)) {
            return None;
        }
        let shown = text::quote(&line.display_text());
        Some(CitedText::cited(format!("Its default is set in {shown}"), line.place(context)).then("."))
    })
}

/// Returns true if the left side of an assignment is a name. The key within a text beside a declaration is none.
fn is_target(target: &str, name: &str) -> bool {
    !target.contains(['`', '"', '\'']) && target.trim().split([':', ' ', '.']).any(|word| word == name)
}

#[cfg(test)]
mod tests {
    use super::{super::quantity_words::asks, *};

    #[test]
    fn settings_of_one_name_may_have_several_defaults() {
        let line = super::super::source_lines::lines_of_text("a").remove(0);
        let setting = |name: &str, default: &str| DescribedSetting {
            name: name.to_owned(),
            description: "Ships of a berth".to_owned(),
            default: Some(default.to_owned()),
            is_registered: true,
            line: &line,
        };
        let all = [("ships", "0"), ("ships", "4"), ("ships", "4"), ("boats", "5"), ("ships", "compute()")];
        let all: Vec<DescribedSetting<'_>> = all.map(|(name, default)| setting(name, default)).into();
        // A value with a comment has no default.
        let constant = DescribedSetting { is_registered: false, ..setting("ships", "7") };
        let all: Vec<DescribedSetting<'_>> = all.into_iter().chain([constant]).collect();
        for (least, expected) in [(0.5, vec!["4"]), (0.9, vec![])] {
            let scored: Vec<(f32, &DescribedSetting<'_>)> = all.iter().map(|one| (0.7, one)).collect();
            let found = other_defaults(&all[0], least, &scored);
            let shown: Vec<&str> = found.iter().filter_map(|one| one.default.as_deref()).collect();
            assert_eq!(shown, expected, "{least}");
        }
    }

    #[test]
    fn a_setting_must_have_enough_of_what_is_asked() {
        let asked: Vec<(String, f32)> =
            [("session", 1.0), ("idl", 2.0), ("gateway", 1.0)].map(|(term, weight)| (term.to_owned(), weight)).into();
        let said = |text: &str| terms(text).into_iter().collect::<BTreeSet<String>>();
        assert_eq!(share(&asked, &said("closes idle sessions")), Some(0.75));
        assert_eq!(share(&asked, &said("idle workers")), None);
        assert!(is_target("opts.IdleTimeout ", "IdleTimeout") && !is_target("IdleTimeout int `flag", "IdleTimeout"));
        for (value, expected) in [
            ("\"30s\"", false),
            ("30", false),
            ("timeout", false),
            ("\"berth\"", true),
            ("`berth`", true),
            ("'-'", true),
        ] {
            assert_eq!(is_plain_text(value), expected, "{value}");
        }
        assert!(asks("How long does it wait?") && !asks("how does it wait so long?"));
    }
}
