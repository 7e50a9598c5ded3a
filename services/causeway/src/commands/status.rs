//! `causeway status`: prints the state of the running server's repositories.

use anyhow::Context as _;
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::{
    backend,
    client::ServerClient,
    exit::{CommandError, Exit},
    options::{GlobalOptions, ServerOptions},
    output::{count, grouped, print, print_json},
};

const EXAMPLE: &str = "\
Example:
  causeway status
  causeway status --json | jq '.repositories[] | select(.state != \"serving\")'";

/// Maximum number of repositories in one answer.
const MAX_REPOSITORIES: u64 = 1_000;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    server: ServerOptions,
}

pub(crate) async fn run(args: StatusArgs, global: &GlobalOptions) -> anyhow::Result<Exit> {
    let server = backend::require_server(&args.server, global)?;
    let answer = repositories(&server).await?;
    if global.json {
        print_json(&answer)?;
        return Ok(Exit::Done);
    }
    let repositories = answer["repositories"].as_array().map(Vec::as_slice).unwrap_or_default();
    let sum = |field: &str| repositories.iter().filter_map(|repository| repository[field].as_u64()).sum::<u64>();
    let (n_repositories, files, symbols) = (repositories.len() as u64, sum("files"), sum("symbols"));
    print(&table(repositories, Timestamp::now()))?;
    print(&format!(
        "{}, {}, {} at {}",
        count(n_repositories, "repository", "repositories"),
        count(files, "file", "files"),
        count(symbols, "symbol", "symbols"),
        server.url()
    ))?;
    if let Some(more) = answer["_meta"]["more"].as_str() {
        print(&format!("{} in all; more: {more}", answer["_meta"]["totalItems"]))?;
    }
    Ok(Exit::Done)
}

/// Returns the result of `list_repos`.
pub(crate) async fn repositories(server: &ServerClient) -> anyhow::Result<Value> {
    let answered = server.call("list_repos", json!({ "limit": MAX_REPOSITORIES })).await?;
    if answered.is_error {
        return Err(CommandError::new(Exit::ToolError, answered.text).into());
    }
    answered.structured.context("the server sent no list of repositories")
}

fn table(repositories: &[Value], now: Timestamp) -> String {
    let header = ["REPOSITORY", "STATE", "BRANCH", "COMMIT", "INDEXED", "FILES", "SYMBOLS"].map(str::to_owned);
    let rows: Vec<[String; 7]> = std::iter::once(header).chain(repositories.iter().map(|one| row(one, now))).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..7).map(width).collect();
    let mut lines = Vec::new();
    for (row_idx, row) in rows.iter().enumerate() {
        let cell = |(column, text): (usize, &String)| match column {
            5.. => format!("{text:>width$}", width = widths[column]),
            _ => format!("{text:<width$}", width = widths[column]),
        };
        lines.push(row.iter().enumerate().map(cell).collect::<Vec<_>>().join("  ").trim_end().to_owned());
        let Some(repository) = row_idx.checked_sub(1).map(|repository_idx| &repositories[repository_idx]) else {
            continue;
        };
        let remarks = ["reason", "stale_warning"].into_iter().filter_map(|field| repository[field].as_str());
        lines.extend(remarks.map(|remark| format!("  {remark}")));
    }
    lines.join("\n")
}

fn row(repository: &Value, now: Timestamp) -> [String; 7] {
    let text = |field: &str| repository[field].as_str().unwrap_or("-").to_owned();
    let number = |field: &str| grouped(repository[field].as_u64().unwrap_or_default());
    let commit = text("indexed_commit").chars().take(12).collect();
    let indexed = repository["indexed_at"]
        .as_str()
        .and_then(|time| time.parse().ok())
        .map_or("-".to_owned(), |time| age(now, time));
    [text("repo"), text("state"), text("branch"), commit, indexed, number("files"), number("symbols")]
}

/// Returns an age in the largest fitting unit.
fn age(now: Timestamp, time: Timestamp) -> String {
    match now.as_second() - time.as_second() {
        seconds @ ..=59 => format!("{} s ago", seconds.max(0)),
        seconds @ 60..=3_599 => format!("{} min ago", seconds / 60),
        seconds @ 3_600..=86_399 => format!("{} h ago", seconds / 3_600),
        seconds => format!("{} d ago", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_shown_as_ages() {
        for (seconds, expected) in [(5, "5 s ago"), (90, "1 min ago"), (7_300, "2 h ago"), (200_000, "2 d ago")] {
            assert_eq!(age(Timestamp::from_second(seconds).unwrap(), Timestamp::UNIX_EPOCH), expected);
        }
    }

    #[test]
    fn table_columns_are_aligned() {
        let repositories = [
            json!({"repo": "api", "state": "serving", "branch": "main", "indexed_commit": "0123456789abcdef",
                "indexed_at": "1970-01-01T00:00:10Z", "files": 1_200, "symbols": 9}),
            json!({"repo": "web", "state": "failed", "reason": "no commits", "files": 0, "symbols": 0}),
        ];
        let expected = "\
REPOSITORY  STATE    BRANCH  COMMIT        INDEXED   FILES  SYMBOLS
api         serving  main    0123456789ab  50 s ago  1,200        9
web         failed   -       -             -             0        0
  no commits";
        assert_eq!(table(&repositories, Timestamp::from_second(60).unwrap()), expected);
    }
}
