//! `causeway mcp-config`: what to type, or to write into which file, so that an MCP client finds Causeway.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::{
    cli::Global,
    exit::Exit,
    output::{print, print_json},
    program, server_file,
};

const EXAMPLE: &str = "\
Example:
  causeway mcp-config claude-code
  causeway mcp-config cursor --stdio ~/code
  causeway mcp-config vscode --url http://code.example.com/mcp --with-token";

/// Name that clients show.
const NAME: &str = "causeway";

/// Where `causeway up` serves unless told otherwise.
const DEFAULT_URL: &str = "http://127.0.0.1:7474/mcp";

/// The environment variable that clients take the token from.
const TOKEN_VARIABLE: &str = "CAUSEWAY_TOKEN";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Args {
    client: Client,
    /// Where the server is [default: the one that runs on the data folder, or http://127.0.0.1:7474/mcp]
    #[arg(long, value_name = "URL", conflicts_with = "stdio")]
    url: Option<String>,
    /// Let the client start `causeway mcp` by itself
    #[arg(long)]
    stdio: bool,
    /// With --stdio: folders that hold repositories [default: the one that the client starts it in]
    #[arg(value_name = "PATH", requires = "stdio")]
    paths: Vec<PathBuf>,
    /// Send the token in the environment variable CAUSEWAY_TOKEN
    #[arg(long)]
    with_token: bool,
}

/// The clients whose configuration is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Client {
    ClaudeCode,
    Codex,
    Cursor,
    #[value(name = "vscode")]
    VsCode,
    Zed,
}

/// How a client is to reach Causeway.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Way {
    Http { url: String, with_token: bool },
    Stdio { program: String, arguments: Vec<String> },
}

/// What to do: a command where the client has one, and what its file holds afterwards.
#[derive(Debug, PartialEq, Eq)]
struct Recipe {
    command: Option<String>,
    file: &'static str,
    snippet: String,
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let recipe = recipe(args.client, &way(args, global)?);
    if global.json {
        print_json(&json!({ "command": recipe.command, "file": recipe.file, "snippet": recipe.snippet }))?;
        return Ok(Exit::Done);
    }
    let command = recipe.command.map(|command| format!("Run\n\n{command}\n\nor ")).unwrap_or_default();
    let verb = if command.is_empty() { "Write" } else { "write" };
    print(&format!("{command}{verb} this into {}:\n\n{}", recipe.file, recipe.snippet))?;
    Ok(Exit::Done)
}

fn way(args: &Args, global: &Global) -> anyhow::Result<Way> {
    if args.stdio {
        let data = global.data.iter().flat_map(|data| ["--data".to_owned(), absolute(data)]);
        let config = global.config.iter().flat_map(|config| ["--config".to_owned(), absolute(config)]);
        let paths = args.paths.iter().map(|path| absolute(path));
        let arguments = std::iter::once("mcp".to_owned()).chain(data).chain(config).chain(paths);
        return Ok(Way::Stdio { program: program::name(), arguments: arguments.collect() });
    }
    let running = || Some(server_file::find(&crate::data::folder(global).ok()?)?.url);
    let url = args.url.clone().or_else(running).unwrap_or_else(|| DEFAULT_URL.to_owned());
    Ok(Way::Http { url, with_token: args.with_token })
}

/// Clients start in folders of their own.
fn absolute(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string()
}

fn recipe(client: Client, way: &Way) -> Recipe {
    match client {
        Client::ClaudeCode => Recipe {
            command: Some(claude_command(way)),
            file: ".mcp.json in the project",
            snippet: pretty(&json!({ "mcpServers": { NAME: entry(way, "${CAUSEWAY_TOKEN}", true) } })),
        },
        Client::Codex => {
            Recipe { command: Some(codex_command(way)), file: "~/.codex/config.toml", snippet: codex_snippet(way) }
        }
        Client::Cursor => Recipe {
            command: None,
            file: "~/.cursor/mcp.json, or .cursor/mcp.json in the project",
            snippet: pretty(&json!({ "mcpServers": { NAME: entry(way, "${env:CAUSEWAY_TOKEN}", false) } })),
        },
        Client::VsCode => Recipe {
            command: None,
            file: ".vscode/mcp.json in the project",
            snippet: pretty(&json!({ "servers": { NAME: entry(way, "${env:CAUSEWAY_TOKEN}", true) } })),
        },
        Client::Zed => Recipe {
            command: None,
            file: "Zed's settings.json (zed: open settings file); a token stands there as it is",
            snippet: pretty(&json!({ "context_servers": { NAME: entry(way, "TOKEN", false) } })),
        },
    }
}

/// Returns a server as most clients write it; some want its type, too.
fn entry(way: &Way, token: &str, is_typed: bool) -> Value {
    let mut entry = match way {
        Way::Http { url, with_token: false } => json!({ "url": url }),
        Way::Http { url, with_token: true } => {
            json!({ "url": url, "headers": { "Authorization": format!("Bearer {token}") } })
        }
        Way::Stdio { program, arguments } => json!({ "command": program, "args": arguments }),
    };
    if is_typed {
        let transport = if matches!(way, Way::Http { .. }) { "http" } else { "stdio" };
        entry["type"] = json!(transport);
    }
    entry
}

fn claude_command(way: &Way) -> String {
    match way {
        Way::Http { url, with_token: false } => format!("claude mcp add --transport http {NAME} {url}"),
        Way::Http { url, with_token: true } => format!(
            "claude mcp add --transport http {NAME} {url} --header \"Authorization: Bearer ${{{TOKEN_VARIABLE}}}\""
        ),
        Way::Stdio { program, arguments } => format!("claude mcp add {NAME} -- {}", typed(program, arguments)),
    }
}

fn codex_command(way: &Way) -> String {
    match way {
        Way::Http { url, with_token: false } => format!("codex mcp add {NAME} --url {url}"),
        Way::Http { url, with_token: true } => {
            format!("codex mcp add {NAME} --url {url} --bearer-token-env-var {TOKEN_VARIABLE}")
        }
        Way::Stdio { program, arguments } => format!("codex mcp add {NAME} -- {}", typed(program, arguments)),
    }
}

/// Returns a command line as a shell reads it.
fn typed(program: &str, arguments: &[String]) -> String {
    let is_plain = |word: &str| word.bytes().all(|b| b.is_ascii_alphanumeric() || b"/._-+=:,@".contains(&b));
    let quoted =
        |word: &str| if is_plain(word) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) };
    std::iter::once(program).chain(arguments.iter().map(String::as_str)).map(quoted).collect::<Vec<_>>().join(" ")
}

fn codex_snippet(way: &Way) -> String {
    let quoted = |text: &str| json!(text).to_string();
    let lines = match way {
        Way::Http { url, with_token } => {
            let token = with_token.then(|| format!("\nbearer_token_env_var = {}", quoted(TOKEN_VARIABLE)));
            format!("url = {}{}", quoted(url), token.unwrap_or_default())
        }
        Way::Stdio { program, arguments } => format!("command = {}\nargs = {}", quoted(program), json!(arguments)),
    };
    format!("[mcp_servers.{NAME}]\n{lines}")
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).expect("keys are strings")
}

#[cfg(test)]
mod tests {
    use super::*;

    const HTTP: &str = "http://127.0.0.1:7474/mcp";

    fn http(with_token: bool) -> Way {
        Way::Http { url: HTTP.to_owned(), with_token }
    }

    fn stdio() -> Way {
        let arguments = ["mcp", "--data", "/my data"].map(str::to_owned).to_vec();
        Way::Stdio { program: NAME.to_owned(), arguments }
    }

    fn json_of(client: Client, way: &Way) -> Value {
        serde_json::from_str(&recipe(client, way).snippet).unwrap()
    }

    #[test]
    fn every_client_gets_its_own_notation() {
        let claude = json!({"mcpServers": {"causeway": {"type": "http", "url": HTTP}}});
        assert_eq!(json_of(Client::ClaudeCode, &http(false)), claude);
        assert_eq!(json_of(Client::Cursor, &http(false)), json!({"mcpServers": {"causeway": {"url": HTTP}}}));
        assert_eq!(
            json_of(Client::VsCode, &http(false)),
            json!({"servers": {"causeway": {"type": "http", "url": HTTP}}})
        );
        assert_eq!(json_of(Client::Zed, &http(false)), json!({"context_servers": {"causeway": {"url": HTTP}}}));
        assert_eq!(
            recipe(Client::Codex, &http(true)).snippet,
            "[mcp_servers.causeway]\nurl = \"http://127.0.0.1:7474/mcp\"\nbearer_token_env_var = \"CAUSEWAY_TOKEN\""
        );
    }

    #[test]
    fn commands_are_whole() {
        let command = |client, way: &Way| recipe(client, way).command.unwrap_or_default();
        assert_eq!(
            command(Client::ClaudeCode, &http(true)),
            "claude mcp add --transport http causeway http://127.0.0.1:7474/mcp \
             --header \"Authorization: Bearer ${CAUSEWAY_TOKEN}\""
        );
        assert_eq!(command(Client::ClaudeCode, &stdio()), "claude mcp add causeway -- causeway mcp --data '/my data'");
        assert_eq!(command(Client::Codex, &http(false)), "codex mcp add causeway --url http://127.0.0.1:7474/mcp");
        assert_eq!(command(Client::Zed, &stdio()), "");
    }

    #[test]
    fn a_client_may_start_causeway_by_itself() {
        let expected = json!({"command": "causeway", "args": ["mcp", "--data", "/my data"]});
        assert_eq!(json_of(Client::Zed, &stdio())["context_servers"]["causeway"], expected);
        assert_eq!(json_of(Client::VsCode, &stdio())["servers"]["causeway"]["type"], "stdio");
        assert!(recipe(Client::Codex, &stdio()).snippet.ends_with("args = [\"mcp\",\"--data\",\"/my data\"]"));
    }
}
