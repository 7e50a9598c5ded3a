//! A review as lines for a terminal.

use super::report::{ReviewReport, without_alias};

/// Maximum number of lines of a section behind the uses.
const MAX_LINES: usize = 20;

/// Maximum number of uses of one definition that may be broken for one reason.
const MAX_DOUBTFUL: usize = 5;

/// Returns the lines of a review.
pub(super) fn lines(report: &ReviewReport) -> String {
    let repo = &report.review.repo;
    let mut lines = vec![report.headline()];
    for verdict in ["broken", "maybe"] {
        for (found, uses) in report.by_reason(verdict) {
            lines.push(format!("{verdict:>6}  {}: {}", without_alias(repo, &found.definition), found.reason));
            let n_shown = if verdict == "broken" { uses.len() } else { MAX_DOUBTFUL };
            for one in uses.iter().take(n_shown) {
                lines.push(match one.user.as_str() {
                    "" => format!("        {}", one.at),
                    user => format!("        {} in {user}", one.at),
                });
                lines.extend(one.consequences(repo).map(|text| format!("          {text}")));
            }
            let more = uses.len().saturating_sub(n_shown);
            lines.extend((more > 0).then(|| format!("        ... {more} more")));
        }
    }
    let section = |lines: &mut Vec<String>, title: &str, entries: Vec<String>| {
        if !entries.is_empty() {
            lines.extend([String::new(), title.to_owned()]);
            let more = entries.len().saturating_sub(MAX_LINES);
            lines.extend(entries.into_iter().take(MAX_LINES).map(|entry| format!("  {entry}")));
            lines.extend((more > 0).then(|| format!("  ... {more} more")));
        }
    };
    let definition = |one: &super::report::ReportedDefinition| {
        let now = one.now.as_ref().map(|now| format!(" -> {}", without_alias(repo, now))).unwrap_or_default();
        let what = if one.what.is_empty() { String::new() } else { format!(": {}", one.what.join("; ")) };
        format!("{:<9} {} {}{now}{what}", one.change, one.kind, without_alias(repo, &one.id))
    };
    section(&mut lines, "definitions", report.definitions.iter().map(definition).collect());
    section(&mut lines, "tests to run", report.tests_to_run.iter().map(|test| test.id.clone()).collect());
    let partner = |one: &super::report::ReportedCoChange| match &one.with {
        Some(with) => format!("{} usually changes with {with}", one.file),
        None => one.file.clone(),
    };
    section(&mut lines, "unchanged", report.missing_co_changes.iter().map(partner).collect());
    let reviewer = |one: &super::report::ReportedReviewer| format!("{}: {}", one.name, one.why.join("; "));
    section(&mut lines, "reviewers", report.reviewers.iter().map(reviewer).collect());
    section(&mut lines, "notes", report.caveats());
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_begin_with_broken_uses() {
        let expected = "\
kit against 1234567: 2 files changed, 2 uses broken, 1 may be, 3 fine
broken  src/code.ts::parse: no argument for the required parameter `strict`
        web:src/app.ts:7 in load
broken  src/code.ts::drop: it is removed
        kit:src/old.ts:1
          and 2 uses in this file: 4, 9
 maybe  src/code.ts::parse: type: `Code` to `Code|null`
        kit:src/cli.ts:3

definitions
  signature function src/code.ts::parse: new required parameter `strict`

tests to run
  web:tests/app.test.ts

unchanged
  kit:docs/code.md usually changes with kit:src/code.ts

reviewers
  Ada: owns 60 % of kit:src/code.ts

notes
  incomplete: 2 changed files could not be read";
        assert_eq!(lines(&super::super::report::example()), expected);
    }
}
