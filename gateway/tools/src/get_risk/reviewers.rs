//! Suggested reviewers: owners of the changed files and, with less weight, of affected files.

use std::collections::BTreeMap;

use proto::v1;
use serde::Serialize;

/// Weight of the ownership of a file, by its involvement.
const OF_CHANGED: f64 = 1.0;
const OF_PARTNER: f64 = 0.3;
const OF_DEPENDENT: f64 = 0.2;

/// Bonus for the person who made most of its recent changes: that person knows its current state.
const OF_RECENT_OWNER: f64 = 0.25;

/// Maximum number of reviewers, and of reasons for each.
const MAX_REVIEWERS: usize = 6;
const MAX_REASONS: usize = 2;

/// The involvement of a file in a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileInvolvement {
    Changed,
    Partner,
    Dependent,
}

/// A suggested reviewer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Reviewer {
    pub(super) name: String,
    /// Share of the weighted ownership, from 0 to 1.
    pub(super) share: f64,
    pub(super) why: Vec<String>,
}

/// Returns the main owners of the affected files; bots and shared names are excluded.
pub(super) fn reviewers(files: &[(FileInvolvement, String, &v1::FileHistory)]) -> Vec<Reviewer> {
    /// The weight of a person, the name as written, and reasons with their weights.
    type ReviewerScore = (f64, String, Vec<(f64, String)>);
    let mut found: BTreeMap<String, ReviewerScore> = BTreeMap::new();
    let mut total = 0.0;
    for (affected, path, history) in files {
        let path = text::quote_name(path);
        let (weight, tail) = match affected {
            FileInvolvement::Changed => (OF_CHANGED, ""),
            FileInvolvement::Partner => (OF_PARTNER, ", which usually changes with it"),
            FileInvolvement::Dependent => (OF_DEPENDENT, ", which uses it"),
        };
        let owners = history.owners.iter().map(|owner| {
            let share = f64::from(owner.share).clamp(0.0, 1.0);
            (owner.name.as_str(), share, format!("owns {:.0} % of {path}{tail}", share * 100.0))
        });
        let recent_owner = Some(history.recent_owner.as_str()).filter(|name| !name.is_empty());
        let recent_owner = recent_owner
            .map(|name| (name, OF_RECENT_OWNER, format!("made most of the recent changes to {path}{tail}")));
        for (name, share, why) in owners.chain(recent_owner).filter(|(name, ..)| history::is_one_person(name)) {
            let weighted_share = weight * share;
            total += weighted_share;
            let (sum, _, reasons) =
                found.entry(name.to_lowercase()).or_insert_with(|| (0.0, name.to_owned(), Vec::new()));
            *sum += weighted_share;
            reasons.push((weighted_share, why));
        }
    }
    let mut ordered: Vec<ReviewerScore> = found.into_values().collect();
    ordered.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    ordered.truncate(MAX_REVIEWERS);
    let reviewer = |(sum, name, mut reasons): ReviewerScore| {
        reasons.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        reasons.truncate(MAX_REASONS);
        Reviewer {
            name: text::sanitise_name(&name).into_owned(),
            share: (sum / total.max(f64::MIN_POSITIVE) * 100.0).round() / 100.0,
            why: reasons.into_iter().map(|(_, why)| why).collect(),
        }
    };
    ordered.into_iter().map(reviewer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(owners: &[(&str, f32)], recent: &str) -> v1::FileHistory {
        let owner = |(name, share): &(&str, f32)| v1::Owner { name: (*name).to_owned(), share: *share };
        let owners = owners.iter().map(owner).collect();
        v1::FileHistory { owners, recent_owner: recent.to_owned(), ..Default::default() }
    }

    #[test]
    fn owners_of_changed_files_precede_owners_of_affected_files() {
        let changed = history(&[("Ada", 0.6), ("root", 0.4)], "Grace");
        let user = history(&[("Tom", 1.0), ("tom@harbour.example", 0.1)], "");
        let files = [
            (FileInvolvement::Changed, "api:a.py".to_owned(), &changed),
            (FileInvolvement::Dependent, "web:b.py".to_owned(), &user),
        ];
        let found = reviewers(&files);
        let names: Vec<&str> = found.iter().map(|reviewer| reviewer.name.as_str()).collect();
        assert_eq!(names, ["Ada", "Grace", "Tom"]);
        assert_eq!(found[0].why, ["owns 60 % of api:a.py"]);
        assert_eq!(found[1].why, ["made most of the recent changes to api:a.py"]);
        assert_eq!(found[2].why, ["owns 100 % of web:b.py, which uses it"]);
        assert!(reviewers(&[]).is_empty());
    }
}
