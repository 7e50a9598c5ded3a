//! `causeway review`: reviews a change of the current repository against its users in all repositories.

mod markdown;
mod report;
mod sarif;
mod text;

use std::{
    io::Read as _,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::Context as _;
use runtime::telemetry::print_to_stderr;
use serde_json::{Value, json};

use crate::{
    backend::ToolBackend,
    client::ToolCallResult,
    data,
    exit::{CommandError, Exit},
    options::{GlobalOptions, ServerOptions},
    output::{print, print_json},
};
use report::ReviewReport;

const EXAMPLE: &str = "\
Example:
  causeway review                             the work tree against HEAD
  causeway review --base main ~/code          the commits since main, with the users below ~/code
  git diff main...HEAD | causeway review --diff - --format sarif

Uses the server of --url, or the server on the data folder. If there is none, indexes the folders first. A diff is compared with the
indexed commit. The exit code is 8 if the change breaks a use.";

/// Maximum length of a diff that is read; the worker refuses less.
const MAX_DIFF_BYTES: u64 = 16 << 20;

/// Maximum wait for the resolution of uses between repositories.
const MAX_LINKING_WAIT: Duration = Duration::from_secs(60);

/// Maximum wait for the view at the commit that a change begins at.
const MAX_VIEW_WAIT: Duration = Duration::from_secs(120);

/// Pause between two calls.
const LINKING_PAUSE: Duration = Duration::from_millis(500);

/// A change without files, for a diff without lines.
const EMPTY_CHANGE: &str = "HEAD..HEAD";

/// The largest token budget of a tool.
const TOKEN_BUDGET: u32 = 25_000;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct ReviewArgs {
    /// Folders with repositories, if no server is running [default: the current repository]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Review the commits since the last common one with this branch or commit, instead of the work tree
    #[arg(long, value_name = "REF", conflicts_with_all = ["staged", "diff"])]
    base: Option<String>,
    /// Review what is staged for the next commit
    #[arg(long, conflicts_with = "diff")]
    staged: bool,
    /// Review a unified diff; - reads standard input
    #[arg(long, value_name = "FILE")]
    diff: Option<PathBuf>,
    /// Alias of the changed repository [default: that of the current folder]
    #[arg(long, value_name = "ALIAS")]
    repo: Option<String>,
    /// Format of the output
    #[arg(long, value_enum, default_value_t = ReviewFormat::Text)]
    format: ReviewFormat,
    #[command(flatten)]
    server: ServerOptions,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum ReviewFormat {
    /// Lines for a terminal
    Text,
    /// A comment of a pull request
    Markdown,
    /// A SARIF 2.1.0 log for code scanning
    Sarif,
    /// The answer of get_risk
    Json,
}

pub(crate) async fn run(args: ReviewArgs, global: &GlobalOptions) -> anyhow::Result<Exit> {
    let change = match change(&args)? {
        change if change.trim().is_empty() => {
            print_to_stderr("causeway: the change is empty: the diff has no lines");
            EMPTY_CHANGE.to_owned()
        }
        change => change,
    };
    let current = std::env::current_dir().context("the current folder no longer exists")?;
    let root = repository_root(&current);
    let roots = match (args.paths.is_empty(), &root) {
        (false, _) => args.paths.clone(),
        (true, Some(root)) => vec![root.clone()],
        (true, None) => vec![current],
    };
    let backend = ToolBackend::find(&args.server, roots, global).await?;
    let alias = match &args.repo {
        Some(alias) => alias.clone(),
        None => alias_of(&data::folder(global)?, root.as_deref())?,
    };
    let first = ask(&backend, &change, &alias).await?;
    let of_review = |field: &str| first.as_ref().ok().and_then(|answer| answer["change"]["review"][field].as_str());
    let base_view = of_review("base_view");
    let base_change = of_review("base_changes").unwrap_or(&change);
    let answer = match base_view {
        // A removed definition has users only in a view that still has it.
        Some(view) => match ask_view(&backend, base_change, view).await? {
            Ok(answer) => Ok(renamed_view(answer, view, &alias)),
            Err(refusal) => first.map(|answer| with_unknown_users(answer, &refusal)),
        },
        None => first,
    };
    backend.close().await?;
    let answer = match answer {
        Ok(answer) => answer,
        Err(refusal) => {
            print_to_stderr(&format!("causeway: {refusal}"));
            return Ok(Exit::ToolError);
        }
    };
    let report = ReviewReport::of(&answer).context("the server does not review changes: it is of an older version")?;
    match args.format {
        ReviewFormat::Json => print_json(&answer)?,
        _ if global.json => print_json(&answer)?,
        ReviewFormat::Sarif => print_json(&sarif::log(&report))?,
        ReviewFormat::Markdown => print(&markdown::comment(&report))?,
        ReviewFormat::Text => print(&text::lines(&report))?,
    }
    Ok(if report.review.uses.broken > 0 { Exit::BrokenUse } else { Exit::Done })
}

/// Reviews a change in one view: the answer, or the text of a refusal.
async fn ask(backend: &ToolBackend, change: &str, repo: &str) -> anyhow::Result<Result<Value, String>> {
    let arguments = json!({ "changes": change, "repo": repo, "token_budget": TOKEN_BUDGET });
    let result = call_until_linked(backend, &arguments).await?;
    if result.is_error {
        return Ok(Err(result.text));
    }
    Ok(Ok(match result.structured {
        Some(structured) => structured,
        None => serde_json::from_str(&result.text)?,
    }))
}

/// Reviews a change in a view that the server may have to make first.
async fn ask_view(backend: &ToolBackend, change: &str, view: &str) -> anyhow::Result<Result<Value, String>> {
    let deadline = Instant::now() + MAX_VIEW_WAIT;
    loop {
        let answer = ask(backend, change, view).await?;
        // A worker under load may miss the deadline of one call.
        if !answer.as_ref().is_err_and(|refusal| may_come(refusal)) || Instant::now() >= deadline {
            return Ok(answer);
        }
        tokio::time::sleep(LINKING_PAUSE).await;
    }
}

/// Returns true for a refusal that a later call may not get.
fn may_come(refusal: &str) -> bool {
    ["is being made", "try again later", "did not answer in time"].iter().any(|part| refusal.contains(part))
}

/// Notes in a review that the users before the change are unknown, as the view that has them was refused.
fn with_unknown_users(mut answer: Value, refusal: &str) -> Value {
    let review = &mut answer["change"]["review"];
    let known = review["incomplete"].as_array().cloned().unwrap_or_default();
    let reason = Value::String(format!("the users before the change are unknown: {refusal}"));
    review["incomplete"] = Value::Array([vec![reason], known].concat());
    review["complete"] = Value::Bool(false);
    review["unknown_users"] = Value::Bool(true);
    answer
}

/// Replaces the name of a view by that of its repository, whose files the lines of an answer are of.
fn renamed_view(answer: Value, view: &str, repo: &str) -> Value {
    match answer {
        Value::String(text) if text == view => Value::String(repo.to_owned()),
        Value::String(text) => {
            let names = [":", "//"].map(|end| (format!("{view}{end}"), format!("{repo}{end}")));
            Value::String(names.iter().fold(text, |text, (from, to)| text.replace(from, to)))
        }
        Value::Array(items) => items.into_iter().map(|item| renamed_view(item, view, repo)).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (name, renamed_view(value, view, repo))).collect()
        }
        other => other,
    }
}

/// Calls the tool, again while the uses of some repository are still being resolved.
async fn call_until_linked(backend: &ToolBackend, arguments: &Value) -> anyhow::Result<ToolCallResult> {
    let deadline = Instant::now() + MAX_LINKING_WAIT;
    loop {
        let result = backend.call("get_risk", arguments.clone()).await?;
        let answer = result.structured.clone().or_else(|| serde_json::from_str(&result.text).ok()).unwrap_or_default();
        let is_linking = |shortfall: &Value| shortfall["state"] == "partial";
        let mut shortfalls = answer["_meta"]["coverage"]["shortfalls"].as_array().into_iter().flatten();
        if !shortfalls.any(is_linking) || Instant::now() >= deadline {
            return Ok(result);
        }
        tokio::time::sleep(LINKING_PAUSE).await;
    }
}

/// Returns the change in the notation of the tool.
fn change(args: &ReviewArgs) -> anyhow::Result<String> {
    match (&args.base, &args.diff) {
        (Some(base), _) => Ok(format!("{base}...HEAD")),
        (None, Some(path)) => read_diff(path),
        (None, None) if args.staged => Ok("staged".to_owned()),
        (None, None) => Ok("working_tree".to_owned()),
    }
}

fn read_diff(path: &Path) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    let unreadable = |error: std::io::Error| {
        CommandError::new(Exit::Usage, format!("the diff `{}` cannot be read: {error}", path.display()))
    };
    match path.to_str() {
        Some("-") => std::io::stdin().take(MAX_DIFF_BYTES).read_to_end(&mut bytes),
        _ => files::open(path).and_then(|file| file.take(MAX_DIFF_BYTES).read_to_end(&mut bytes)),
    }
    .map_err(unreadable)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Time to wait for each read of the repository of the current folder.
const PATIENCE: Duration = Duration::from_secs(15);

/// Returns the folder of the repository around a folder.
fn repository_root(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().find(|ancestor| ancestor.join(".git").exists()).map(Path::to_owned)
}

/// Returns the alias of the repository in a folder, as the data folder has it.
fn alias_of(data: &Path, root: Option<&Path>) -> anyhow::Result<String> {
    let unknown = || {
        let message = "the current folder is in no indexed repository: change into one, or name it with --repo";
        CommandError::new(Exit::Usage, message)
    };
    let alias = root.and_then(|root| worker::import::alias_of_folder(data, root, PATIENCE));
    Ok(alias.ok_or_else(unknown)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_a_view_become_those_of_its_repository() {
        let answer = json!({"repo": "api@1a2b", "at": ["api@1a2b:src/a.rs:3", "api@1a2b//src/a.rs::f", "api@1a2bc:b", "web:c", "of api@1a2b:d"]});
        let expected =
            json!({"repo": "api", "at": ["api:src/a.rs:3", "api//src/a.rs::f", "api@1a2bc:b", "web:c", "of api:d"]});
        assert_eq!(renamed_view(answer, "api@1a2b", "api"), expected);
    }

    #[test]
    fn a_refused_view_leaves_the_users_unknown() {
        for (refusal, expected) in [
            ("the view api@1a2b is being made", true),
            ("the worker of api@1a2b did not answer: try again later", true),
            ("the change of api@1a2b cannot be read: worker w: it did not answer in time", true),
            ("the change of api@1a2b cannot be read: no such commit", false),
        ] {
            assert_eq!(may_come(refusal), expected, "{refusal}");
        }
        let answer =
            json!({"change": {"review": {"repo": "api", "base": "1a2b", "incomplete": ["a"], "complete": false}}});
        for (answer, headline, caveats) in [
            (
                with_unknown_users(answer.clone(), "no such commit"),
                "0 fine; users before the change are unknown",
                &["incomplete: the users before the change are unknown: no such commit", "incomplete: a"][..],
            ),
            (answer, "0 fine", &["incomplete: a"][..]),
        ] {
            let report = ReviewReport::of(&answer).unwrap();
            assert!(report.headline().ends_with(headline), "{}", report.headline());
            assert_eq!(report.caveats(), caveats);
        }
    }
}
