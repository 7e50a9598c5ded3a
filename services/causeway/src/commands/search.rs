//! `causeway search`: what a client would find, laid out for people.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::{
    ask::Source,
    cli::{Global, ServerArgs, or_current_folder},
    client::Answered,
    exit::Exit,
    output::{count, print, print_json},
};

const EXAMPLE: &str = "\
Example:
  causeway search \"retry with back-off\"
  causeway search parse_args --repo clap,ripgrep --limit 3
  causeway search \"where are sessions stored\" ~/code

Asks the server that runs on the data folder, or that --url names. Where there is none, the folders are indexed first.";

/// Lines of code shown of each hit.
const MAX_LINES: usize = 6;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Args {
    /// A question, words, an identifier or a path
    query: String,
    /// Folders that hold repositories, where no server runs [default: the current folder]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Only these repositories: aliases, joined by commas
    #[arg(long, value_name = "ALIAS")]
    repo: Option<String>,
    /// How many hits
    #[arg(long, value_name = "N", default_value_t = 5)]
    limit: u32,
    #[command(flatten)]
    server: ServerArgs,
}

pub(crate) async fn run(args: Args, global: &Global) -> anyhow::Result<Exit> {
    let has_paths = !args.paths.is_empty();
    let source = Source::find(&args.server, or_current_folder(args.paths), global).await?;
    if let (Source::Running(server), true) = (&source, has_paths) {
        eprintln!("the running server at {} answers for its own folders, not for those named here", server.url());
    }
    let arguments = json!({ "query": args.query, "limit": args.limit, "repo": args.repo, "format": "json" });
    let answered = source.call("search_codebase", arguments).await?;
    source.close().await?;
    show(&answered, global)
}

fn show(answered: &Answered, global: &Global) -> anyhow::Result<Exit> {
    if answered.is_error {
        eprintln!("causeway: {}", answered.text);
        return Ok(Exit::ToolError);
    }
    let answer: Value = match &answered.structured {
        Some(structured) => structured.clone(),
        None => serde_json::from_str(&answered.text)?,
    };
    if global.json {
        print_json(&answer)?;
    } else {
        print(&readable(&answer))?;
        remarks(&answer).iter().for_each(|remark| eprintln!("{remark}"));
    }
    Ok(Exit::Done)
}

fn readable(answer: &Value) -> String {
    let hits: Vec<String> = list(&answer["results"]).iter().map(hit).collect();
    if hits.is_empty() { "nothing found".to_owned() } else { hits.join("\n\n") }
}

fn hit(hit: &Value) -> String {
    let text = |field: &str| hit[field].as_str().unwrap_or_default();
    let place = format!("{}:{}:{}", text("repo"), text("path"), hit["start_line"]);
    let what = match (text("kind"), text("title")) {
        ("", _) => String::new(),
        (kind, title) => format!("  {kind} {title}"),
    };
    let score = format!("{:.1}", hit["relevance_score"].as_f64().unwrap_or_default());
    let mut lines = vec![format!("{place}{what}  [{score}]")];
    let snippet: Vec<&str> = text("snippet").lines().collect();
    let signature = text("signature");
    let stands_above = snippet.first().is_some_and(|line| line.contains(signature));
    if !signature.is_empty() && !stands_above {
        lines.push(format!("    {signature}"));
    }
    lines.extend(snippet.iter().take(MAX_LINES).map(|line| format!("    | {line}")));
    if snippet.len() > MAX_LINES {
        lines.push(format!("    | ... {}", count((snippet.len() - MAX_LINES) as u64, "more line", "more lines")));
    }
    lines.extend(
        list(&hit["also_in"])
            .iter()
            .map(|place| format!("    also {}:{}", plain(&place["repo"]), plain(&place["path"]))),
    );
    lines.join("\n")
}

/// Returns what the answer says of itself: what is missing, and what was not understood.
fn remarks(answer: &Value) -> Vec<String> {
    let meta = &answer["_meta"];
    let coverage = &meta["coverage"];
    let mut remarks = Vec::new();
    if coverage["complete"] == false {
        remarks.push(format!("incomplete: {} of {} repositories answered", coverage["answered"], coverage["asked"]));
    }
    let shortfall =
        |one: &Value| format!("  {}: {}: {}", plain(&one["repo"]), plain(&one["state"]), plain(&one["reason"]));
    remarks.extend(list(&coverage["shortfalls"]).iter().map(shortfall));
    remarks.extend(
        list(&meta["repositories"])
            .iter()
            .filter_map(|one| Some(format!("{}: {}", plain(&one["repo"]), one["stale_warning"].as_str()?))),
    );
    remarks.extend(answer["note"].as_str().map(str::to_owned));
    for field in ["ignored_arguments", "notes"] {
        remarks.extend(list(&meta[field]).iter().map(|line| plain(line).to_owned()));
    }
    remarks
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn plain(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_read_well() {
        let answer = json!({"results": [{
            "repo": "api", "path": "src/retry.rs", "start_line": 3, "kind": "function", "title": "retry",
            "signature": "fn retry()", "snippet": "fn retry() {\n    go()\n}", "relevance_score": 6.25,
            "also_in": [{"repo": "fork", "path": "retry.rs"}],
        }]});
        let expected = "\
api:src/retry.rs:3  function retry  [6.2]
    | fn retry() {
    |     go()
    | }
    also fork:retry.rs";
        assert_eq!(readable(&answer), expected);
        assert_eq!(readable(&json!({"results": []})), "nothing found");
    }

    #[test]
    fn what_is_missing_is_told() {
        let shortfalls = json!([{"repo": "web", "state": "not_ready", "reason": "its first index is being made"}]);
        let answer = json!({"_meta": {
            "coverage": {"asked": 2, "answered": 1, "complete": false, "shortfalls": shortfalls},
            "notes": ["a note"],
        }});
        let expected =
            ["incomplete: 1 of 2 repositories answered", "  web: not_ready: its first index is being made", "a note"];
        assert_eq!(remarks(&answer), expected);
    }
}
