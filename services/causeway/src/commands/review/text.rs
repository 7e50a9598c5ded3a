//! A review as lines for a terminal. Places of the changed repository are written without its alias, so that a terminal can open them.

use super::report::{ReportedEntity, ReviewReport, without_alias};

/// Maximum number of lines of a section behind the uses.
const MAX_LINES: usize = 20;

/// Maximum number of files with tests to run.
const MAX_TEST_FILES: usize = 10;

/// Maximum number of tests of one file.
const MAX_TESTS: usize = 5;

/// Maximum number of reviewers.
const MAX_REVIEWERS: usize = 3;

/// Maximum number of uses of one definition that may be broken for one reason.
const MAX_DOUBTFUL: usize = 5;

/// Returns the lines of a review, its caveats first.
pub(super) fn lines(report: &ReviewReport) -> String {
    let repo = &report.review.repo;
    let mut lines = vec![report.headline()];
    lines.extend(report.caveats().into_iter().map(|caveat| format!("note: {caveat}")));
    for verdict in ["broken", "maybe"] {
        for (found, uses) in report.by_reason(verdict) {
            lines.push(format!("{verdict:>6}  {}: {}", without_alias(repo, &found.definition), found.reason));
            let n_shown = if verdict == "broken" { uses.len() } else { MAX_DOUBTFUL };
            for one in uses.iter().take(n_shown) {
                let place = without_alias(repo, &one.at);
                lines.push(match one.user.as_str() {
                    "" => format!("        {place}"),
                    user => format!("        {place} in {user}"),
                });
                lines.extend(one.consequences(repo).map(|text| format!("          {text}")));
            }
            let more = uses.len().saturating_sub(n_shown);
            lines.extend((more > 0).then(|| format!("        ... {more} more")));
        }
    }
    let section = |lines: &mut Vec<String>, title: &str, n_shown: usize, entries: Vec<String>| {
        if !entries.is_empty() {
            lines.extend([String::new(), title.to_owned()]);
            let more = entries.len().saturating_sub(n_shown);
            lines.extend(entries.into_iter().take(n_shown).map(|entry| format!("  {entry}")));
            lines.extend((more > 0).then(|| format!("  ... {more} more")));
        }
    };
    let definition = |one: &super::report::ReportedDefinition| {
        let now = one.now.as_ref().map(|now| format!(" -> {}", without_alias(repo, now))).unwrap_or_default();
        let what = if one.what.is_empty() { String::new() } else { format!(": {}", one.what.join("; ")) };
        format!("{:<9} {} {}{now}{what}", one.change, one.kind, without_alias(repo, &one.id))
    };
    section(&mut lines, "definitions", MAX_LINES, report.definitions.iter().map(definition).collect());
    section(&mut lines, "tests to run", MAX_TEST_FILES, tests(repo, &report.tests_to_run));
    let partner = |one: &super::report::ReportedCoChange| match &one.with {
        Some(with) => format!("{}, with {}", without_alias(repo, &one.file), without_alias(repo, with)),
        None => without_alias(repo, &one.file).to_owned(),
    };
    let partners = report.missing_co_changes.iter().map(partner).collect();
    section(&mut lines, "usually changed, too", MAX_LINES, partners);
    let reviewer = |one: &super::report::ReportedReviewer| {
        format!("{}: {}", one.name, one.why.join("; ").replace(&format!(" {repo}:"), " "))
    };
    section(&mut lines, "reviewers", MAX_REVIEWERS, report.reviewers.iter().map(reviewer).collect());
    lines.join("\n")
}

/// Returns one line for each file with tests, in the order of the first test of each.
fn tests(repo: &str, tests: &[ReportedEntity]) -> Vec<String> {
    let mut by_file: Vec<(&str, Vec<&str>)> = Vec::new();
    for test in tests {
        let id = without_alias(repo, &test.id);
        let (path, name) = id.split_once("::").unwrap_or((id, ""));
        match by_file.iter_mut().find(|(known, _)| *known == path) {
            Some((_, names)) => names.push(name),
            None => by_file.push((path, vec![name])),
        }
    }
    let line = |(path, mut names): (&str, Vec<&str>)| {
        names.retain(|name| !name.is_empty());
        let more = names.len().saturating_sub(MAX_TESTS);
        names.truncate(MAX_TESTS);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        if names.is_empty() { path.to_owned() } else { format!("{path}: {}{more}", names.join(", ")) }
    };
    by_file.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_begin_with_broken_uses() {
        let expected = "\
kit against 1234567: 2 files changed, 2 uses broken, 1 may be, 3 fine
note: incomplete: 2 changed files could not be read
broken  src/code.ts::parse: no argument for the required parameter `strict`
        web:src/app.ts:7 in load
broken  src/code.ts::drop: it is removed
        src/old.ts:1
          and 2 uses in this file: 4, 9
 maybe  src/code.ts::parse: type: `Code` to `Code|null`
        src/cli.ts:3

definitions
  signature function src/code.ts::parse: new required parameter `strict`

tests to run
  web:tests/app.test.ts

usually changed, too
  docs/code.md, with src/code.ts

reviewers
  Ada: owns 60 % of src/code.ts";
        assert_eq!(lines(&super::super::report::example()), expected);
    }
    #[test]
    fn tests_are_listed_by_file() {
        let ids = [
            "kit//a.py::one",
            "web//b.ts::two",
            "kit//a.py::A.three",
            "kit:c.py",
            "kit//a.py::4",
            "kit//a.py::5",
            "kit//a.py::6",
            "kit//a.py::7",
        ];
        let entities: Vec<ReportedEntity> = ids.iter().map(|id| ReportedEntity { id: (*id).to_owned() }).collect();
        let expected = ["a.py: one, A.three, 4, 5, 6 and 1 more", "web//b.ts: two", "c.py"];
        assert_eq!(tests("kit", &entities), expected);
    }
}
