//! `causeway status`: how the repositories of the running server stand.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context as _;
use serde_json::{Value, json};

use crate::{
    ask,
    cli::{Global, ServerArgs},
    client::Server,
    exit::{Exit, Failure},
    output::{count, grouped, print, print_json},
};

const EXAMPLE: &str = "\
Example:
  causeway status
  causeway status --json | jq '.repositories[] | select(.state != \"serving\")'";

/// Repositories that one answer may list.
const MAX_REPOSITORIES: u64 = 1_000;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Args {
    #[command(flatten)]
    server: ServerArgs,
}

pub(crate) async fn run(args: Args, global: &Global) -> anyhow::Result<Exit> {
    let server = ask::require_server(&args.server, global)?;
    let answer = repositories(&server).await?;
    if global.json {
        print_json(&answer)?;
        return Ok(Exit::Done);
    }
    let repositories = answer["repositories"].as_array().map(Vec::as_slice).unwrap_or_default();
    let sum = |field: &str| repositories.iter().filter_map(|repository| repository[field].as_u64()).sum::<u64>();
    let (n_repositories, files, symbols) = (repositories.len() as u64, sum("files"), sum("symbols"));
    print(&table(repositories, now()))?;
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

/// Returns the answer of `list_repos`.
pub(crate) async fn repositories(server: &Server) -> anyhow::Result<Value> {
    let answered = server.call("list_repos", json!({ "limit": MAX_REPOSITORIES })).await?;
    if answered.is_error {
        return Err(Failure::new(Exit::ToolError, answered.text).into());
    }
    answered.structured.context("the server sent no list of repositories")
}

fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() as i64
}

fn table(repositories: &[Value], now: i64) -> String {
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

fn row(repository: &Value, now: i64) -> [String; 7] {
    let text = |field: &str| repository[field].as_str().unwrap_or("-").to_owned();
    let number = |field: &str| grouped(repository[field].as_u64().unwrap_or_default());
    let commit = text("indexed_commit").chars().take(12).collect();
    let indexed = repository["indexed_at"].as_str().and_then(seconds_of).map_or("-".to_owned(), |at| age(now - at));
    [text("repo"), text("state"), text("branch"), commit, indexed, number("files"), number("symbols")]
}

/// Returns how long ago something was, in the largest unit that fits.
fn age(seconds: i64) -> String {
    match seconds {
        ..=59 => format!("{} s ago", seconds.max(0)),
        60..=3_599 => format!("{} min ago", seconds / 60),
        3_600..=86_399 => format!("{} h ago", seconds / 3_600),
        _ => format!("{} d ago", seconds / 86_400),
    }
}

/// Returns the seconds since the epoch of a time like `2026-11-20T17:14:21Z`.
fn seconds_of(time: &str) -> Option<i64> {
    let fields: Vec<i64> =
        time.trim_end_matches('Z').split(['-', 'T', ':']).map(|field| field.parse().ok()).collect::<Option<_>>()?;
    let [year, month, day, hour, minute, second] = fields[..] else { return None };
    // Years begin in March here, so that leap days come last. Howard Hinnant, "chrono-compatible low-level date
    // algorithms".
    let (year, month) = if month <= 2 { (year - 1, month + 9) } else { (year, month - 3) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1 - 719_468;
    Some(((days * 24 + hour) * 60 + minute) * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_as_ages() {
        assert_eq!(seconds_of("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(seconds_of("2000-02-29T12:00:00Z"), Some(951_825_600));
        assert_eq!(seconds_of("2026-11-20T17:14:21Z"), Some(1_795_194_861));
        assert_eq!(seconds_of("yesterday"), None);
        for (seconds, expected) in [(5, "5 s ago"), (90, "1 min ago"), (7_300, "2 h ago"), (200_000, "2 d ago")] {
            assert_eq!(age(seconds), expected);
        }
    }

    #[test]
    fn a_table_lines_up() {
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
        assert_eq!(table(&repositories, 60), expected);
    }
}
