//! `causeway search`: prints search results for people.

use std::path::PathBuf;

use runtime::telemetry::print_to_stderr;
use serde_json::{Value, json};

use crate::{
    backend::ToolBackend,
    client::ToolCallResult,
    exit::Exit,
    options::{GlobalOptions, ServerOptions, or_current_folder},
    output::{count, print, print_json},
};

const EXAMPLE: &str = "\
Example:
  causeway search \"retry with back-off\"
  causeway search parse_args --repo parcel-kit,tracking-service --limit 3
  causeway search \"where are sessions stored\" ~/code

Uses the server of --url, or the server on the data folder. If there is none, indexes the folders first.";

/// Maximum number of code lines per hit.
const MAX_LINES: usize = 6;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct SearchArgs {
    /// A question, words, an identifier or a path
    query: String,
    /// Folders with repositories, if no server is running [default: the current folder]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Only these repositories: comma-separated aliases
    #[arg(long, value_name = "ALIAS")]
    repo: Option<String>,
    /// Number of hits
    #[arg(long, value_name = "N", default_value_t = 5)]
    limit: u32,
    #[command(flatten)]
    server: ServerOptions,
}

pub(crate) async fn run(args: SearchArgs, global: &GlobalOptions) -> anyhow::Result<Exit> {
    let has_paths = !args.paths.is_empty();
    let source = ToolBackend::find(&args.server, or_current_folder(args.paths), global).await?;
    if let (ToolBackend::Running(server), true) = (&source, has_paths) {
        print_to_stderr(&format!(
            "the folders are ignored: the running server at {} searches its own folders",
            server.url()
        ));
    }
    let arguments = json!({ "query": args.query, "limit": args.limit, "repo": args.repo, "format": "json" });
    let result = source.call("search_codebase", arguments).await?;
    source.close().await?;
    show(&result, global)
}

fn show(result: &ToolCallResult, global: &GlobalOptions) -> anyhow::Result<Exit> {
    if result.is_error {
        print_to_stderr(&format!("causeway: {}", result.text));
        return Ok(Exit::ToolError);
    }
    let answer: Value = match &result.structured {
        Some(structured) => structured.clone(),
        None => serde_json::from_str(&result.text)?,
    };
    if global.json {
        print_json(&answer)?;
    } else {
        print(&format_answer(&answer))?;
        answer_notes(&answer).iter().for_each(|note| print_to_stderr(note));
    }
    Ok(Exit::Done)
}

fn format_answer(answer: &Value) -> String {
    let hits: Vec<String> = array_of(&answer["results"]).iter().map(hit).collect();
    if hits.is_empty() { "nothing found".to_owned() } else { hits.join("\n\n") }
}

fn hit(hit: &Value) -> String {
    let text = |field: &str| hit[field].as_str().unwrap_or_default();
    let location = format!("{}:{}:{}", text("repo"), text("path"), hit["start_line"]);
    let title = match (text("kind"), text("title")) {
        ("", _) => String::new(),
        (kind, title) => format!("  {kind} {title}"),
    };
    let score = format!("{:.1}", hit["relevance_score"].as_f64().unwrap_or_default());
    let mut lines = vec![format!("{location}{title}  [{score}]")];
    let snippet: Vec<&str> = text("snippet").lines().collect();
    let signature = text("signature");
    let is_in_snippet = snippet.first().is_some_and(|line| line.contains(signature));
    if !signature.is_empty() && !is_in_snippet {
        lines.push(format!("    {signature}"));
    }
    lines.extend(snippet.iter().take(MAX_LINES).map(|line| format!("    | {line}")));
    if snippet.len() > MAX_LINES {
        lines.push(format!("    | ... {}", count((snippet.len() - MAX_LINES) as u64, "more line", "more lines")));
    }
    lines.extend(
        array_of(&hit["also_in"])
            .iter()
            .map(|location| format!("    also {}:{}", str_of(&location["repo"]), str_of(&location["path"]))),
    );
    lines.join("\n")
}

/// Returns the notes of the answer: shortfalls, stale repositories and ignored arguments.
fn answer_notes(answer: &Value) -> Vec<String> {
    let meta = &answer["_meta"];
    let coverage = &meta["coverage"];
    let mut notes = Vec::new();
    if coverage["complete"] == false {
        notes.push(format!("incomplete: {} of {} repositories answered", coverage["answered"], coverage["asked"]));
    }
    let shortfall = |entry: &Value| {
        format!("  {}: {}: {}", str_of(&entry["repo"]), str_of(&entry["state"]), str_of(&entry["reason"]))
    };
    notes.extend(array_of(&coverage["shortfalls"]).iter().map(shortfall));
    notes.extend(
        array_of(&meta["repositories"])
            .iter()
            .filter_map(|entry| Some(format!("{}: {}", str_of(&entry["repo"]), entry["stale_warning"].as_str()?))),
    );
    notes.extend(answer["note"].as_str().map(str::to_owned));
    for field in ["ignored_arguments", "notes"] {
        notes.extend(array_of(&meta[field]).iter().map(|line| str_of(line).to_owned()));
    }
    notes
}

fn array_of(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn str_of(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_are_formatted() {
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
        assert_eq!(format_answer(&answer), expected);
        assert_eq!(format_answer(&json!({"results": []})), "nothing found");
    }

    #[test]
    fn shortfalls_are_reported() {
        let shortfalls = json!([{"repo": "web", "state": "not_ready", "reason": "its first index is being made"}]);
        let answer = json!({"_meta": {
            "coverage": {"asked": 2, "answered": 1, "complete": false, "shortfalls": shortfalls},
            "notes": ["a note"],
        }});
        let expected =
            ["incomplete: 1 of 2 repositories answered", "  web: not_ready: its first index is being made", "a note"];
        assert_eq!(answer_notes(&answer), expected);
    }
}
