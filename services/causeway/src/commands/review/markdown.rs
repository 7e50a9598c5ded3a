//! A review as Markdown, for the comment of a pull request.

use super::report::{ReportedUse, ReviewReport, without_alias};

/// Maximum number of rows of a table: a comment of a pull request has at most 65,536 characters.
const MAX_ROWS: usize = 100;

/// Returns the comment.
pub(super) fn comment(report: &ReviewReport) -> String {
    let repo = &report.review.repo;
    let mut parts = vec![format!("### {}", cell(&report.headline()))];
    for (verdict, title) in [("broken", "Broken"), ("maybe", "May be broken")] {
        let uses: Vec<&ReportedUse> = report.with_verdict(verdict).collect();
        let row = |found: &&ReportedUse| {
            let name = without_alias(repo, &found.definition);
            let behind = found.consequences(repo).map(|text| format!("; {}", cell(&text))).unwrap_or_default();
            format!("| {} | {} | {}{behind} |", code(&found.at), code(name), cell(&found.reason))
        };
        let rows: Vec<String> = uses.iter().take(MAX_ROWS).map(row).collect();
        parts.extend(table(title, "| use | definition | reason |\n|---|---|---|", rows, uses.len()));
    }
    let definition = |one: &super::report::ReportedDefinition| {
        let now = one.now.as_ref().map(|now| format!(" → {}", code(without_alias(repo, now)))).unwrap_or_default();
        format!("| {} | {}{now} | {} |", one.change, code(without_alias(repo, &one.id)), cell(&one.what.join("; ")))
    };
    let rows = report.definitions.iter().take(MAX_ROWS).map(definition).collect();
    parts.extend(table(
        "Definitions",
        "| change | definition | differences |\n|---|---|---|",
        rows,
        report.definitions.len(),
    ));
    let list = |title: &str, entries: Vec<String>| {
        (!entries.is_empty())
            .then(|| format!("**{title}:** {}", entries.into_iter().take(MAX_ROWS).collect::<Vec<_>>().join(", ")))
    };
    parts.extend(list("Tests to run", report.tests_to_run.iter().map(|test| code(&test.id)).collect()));
    parts.extend(list("Usually changed, too", report.missing_co_changes.iter().map(|one| code(&one.file)).collect()));
    parts.extend(list("Reviewers", report.reviewers.iter().map(|one| cell(&one.name)).collect()));
    parts.extend(report.caveats().iter().map(|caveat| format!("> {}", cell(caveat))));
    parts.join("\n\n")
}

fn table(title: &str, header: &str, rows: Vec<String>, n_all: usize) -> Option<String> {
    let more = n_all.saturating_sub(rows.len());
    let tail = if more > 0 { format!("\n\n{more} more.") } else { String::new() };
    (!rows.is_empty()).then(|| format!("**{title}**\n\n{header}\n{}{tail}", rows.join("\n")))
}

/// Returns text as the cell of a table: no part of it is markup.
fn cell(text: &str) -> String {
    let mut out = String::new();
    for character in text.chars() {
        match character {
            '|' | '\\' | '*' | '_' | '[' | ']' | '#' | '@' | '!' => out.extend(['\\', character]),
            '<' => out.push_str("&lt;"),
            '\n' | '\r' => out.push(' '),
            _ => out.push(character),
        }
    }
    out
}

fn code(text: &str) -> String {
    format!("`{}`", text.replace('`', "'").replace('|', "\\|"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_hold_the_uses() {
        let expected = "\
### kit against 1234567: 2 files changed, 2 uses broken, 1 may be, 3 fine

**Broken**

| use | definition | reason |
|---|---|---|
| `web:src/app.ts:7` | `src/code.ts::parse` | no argument for the required parameter `strict` |
| `kit:src/old.ts:1` | `src/code.ts::drop` | it is removed; and 2 uses in this file: 4, 9 |

**May be broken**

| use | definition | reason |
|---|---|---|
| `kit:src/cli.ts:3` | `src/code.ts::parse` | type: `Code` to `Code\\|null` |

**Definitions**

| change | definition | differences |
|---|---|---|
| signature | `src/code.ts::parse` | new required parameter `strict` |

**Tests to run:** `web:tests/app.test.ts`

**Usually changed, too:** `kit:docs/code.md`

**Reviewers:** Ada

> incomplete: 2 changed files could not be read";
        assert_eq!(comment(&super::super::report::example()), expected);
        assert_eq!(cell("a|b *c* <x> @team"), "a\\|b \\*c\\* &lt;x> \\@team");
    }
}
